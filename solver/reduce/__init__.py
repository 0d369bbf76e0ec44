"""Fewer states for the same answer: what a question does not need is left out of the search, and plays are made whole again."""
