"""Packed states, generated successor code and the reachable graph, below the engines."""
