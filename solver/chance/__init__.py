"""Exact probability and strategy."""
