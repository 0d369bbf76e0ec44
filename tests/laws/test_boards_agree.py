"""Laws: on random games on boards search, projection, symmetry and verdicts agree with the reference evaluator."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tablelaw.testing import boards, games, naive
from tablelaw.testing.board_laws import asked_of, check_projection, check_rows, check_values, check_verdicts

MOST = 110


def wildness(seed: int) -> float:
    """Every third game dares much that may have no value, every third a little, every third nothing."""
    return (0.0, 0.02, 0.15)[seed % 3]


def check(seed: int, seen: Counter[str], parts: str = "abc") -> None:
    """All laws on one game."""
    _, game = boards.sound(seed, wildness(seed))
    r = random.Random(seed)
    g = naive.explore(game, MOST)
    formulas = [f for a in asked_of(game).values() for f in (a.formula, a.where) if f is not None]
    if "a" in parts:
        check_rows(game, g)
        check_values(r, game, g, formulas)
    if "b" in parts:
        check_projection(r, game, g, formulas, seen)
    if "c" in parts and g.whole and not g.faulty:
        check_verdicts(game, g, seen)
