"""Exhaustive search over packed states."""
