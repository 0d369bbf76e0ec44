"""Laws: on random games on boards search, projection, symmetry and verdicts agree with the reference evaluator."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tablelaw.solver.explicit.engine import Explicit
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.symmetry import BrokenSymmetry
from tablelaw.spec.core import Expr
from tablelaw.spec.game import Game
from tablelaw.testing import boards, games, naive
from tablelaw.testing.board_laws import (
    asked_of,
    check_classes,
    check_images,
    check_least,
    check_projection,
    check_ranges,
    check_rows,
    check_values,
    check_verdicts,
)

MOST = 90


def wildness(seed: int) -> float:
    """Every third game dares much that may have no value, every third a little, every third nothing."""
    return (0.0, 0.02, 0.15)[seed % 3]


def formulas_of(game: Game) -> list[Expr]:
    return [f for a in asked_of(game).values() for f in (a.formula, a.where) if f is not None]


def check_search(seed: int, board: bool) -> None:
    """Laws a and e on one game, with a board or without."""
    _, game = (boards if board else games).sound(seed, wildness(seed))
    r = random.Random(seed)
    g = naive.explore(game, MOST)
    formulas = [f for f in formulas_of(game) if "who" not in repr(f)]
    check_rows(game, g)
    check_values(r, game, g, formulas)
    if board:
        check_least(game, g, formulas)


def check_open(seed: int, seen: Counter[str]) -> None:
    """Law b on one game."""
    _, game = boards.sound(seed, wildness(seed))
    check_projection(random.Random(seed), game, naive.explore(game, MOST), formulas_of(game), seen)


def check_answers(seed: int, seen: Counter[str], seconds: float) -> None:
    """Law c on one game, where all positions can be listed."""
    _, game = boards.sound(seed, wildness(seed), questions=3)
    g = naive.explore(game, MOST)
    if g.whole:
        check_ranges(game, g, seen, seconds)
    if g.whole and not g.faulty:
        check_verdicts(game, g, seen, seconds)


def answered(seen: Counter[str]) -> float:
    """The share of questions put to the projection that it answered."""
    total = sum(seen[k] for k in ("holds", "fails", "value", "unknown", "out of budget", "not projected"))
    return sum(seen[k] for k in ("holds", "fails", "value")) / total if total else 0.0


def check_symmetry(seed: int) -> str:
    """Law d on one game; which way it went."""
    game, _ = games.checked(boards.symmetric_game(random.Random(seed)))
    assert game is not None
    g = naive.explore(game, 120)
    if not g.whole:
        return "large"
    asked = asked_of(game)["q"]
    check_images(game, g, asked.up_to)
    return check_classes(game, g, asked)


@pytest.mark.parametrize("block", range(3))
def test_the_search_on_values_takes_the_steps_of_the_evaluator(block: int) -> None:
    for seed in range(block * 7, block * 7 + 7):
        check_search(seed, board=True)
        check_search(seed, board=False)


@pytest.mark.parametrize("block", range(3))
def test_every_step_is_one_of_the_projection(block: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(20_000 + block * 7, 20_000 + block * 7 + 7):
        check_open(seed, seen)
    assert seen["step"] > 100
    assert seen["step too broad"] < seen["step"] / 4
    assert seen["windows"]
    assert seen["formula"]


@pytest.mark.parametrize("block", range(3))
def test_verdicts_are_those_of_brute_force(block: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(30_000 + block * 6, 30_000 + block * 6 + 6):
        check_answers(seed, seen, 0.3)
    assert answered(seen) > 0.2  # of few questions; of many, below


@pytest.mark.parametrize("block", range(3))
def test_positions_that_look_alike_are_counted_once(block: int) -> None:
    went = Counter(check_symmetry(seed) for seed in range(40_000 + block * 6, 40_000 + block * 6 + 6))
    assert went["told"]


# games that tell images apart

SAME = """
tablelaw: 1
game: small
title: Small
players: 2
pieces:
  Tile:
    parts: {road: {at: sides}}
    rotation: free
    contact: mine == theirs
    faces: {bend: {road: [[N, E]]}}
state:
  turn: {type: Player, init: 0}
  table: {type: "layout[Tile, 2]", init: {}}
  passed: {type: 0..1, init: 0}
actions:
  lay:
    by: turn
    params: {cell: frontier(table), q: Rotation}
    require:
      - {id: fitting, says: x, check: "fits(table, cell, bend, q)"}
      - {id: rule, says: x, check: "RULE"}
    do: |
      table = place(table, cell, bend, q)
      turn = after(turn)
  skip: {by: turn, during: "passed == 0", do: "turn = after(turn)"}
questions: {q: {count: states, up_to: [NAMES]}}
"""
BREAKS = {
    "True": set(),
    "q != 1": {"rotation", "reflection"},
    "q == 0 or q == 2": {"reflection"},
    "cell != (0, 0) or turn == 0": {"players", "translation"},
    "cell.x >= 0": {"translation", "rotation", "reflection"},
    "turn == 0 or size(table) == 0": {"players"},
    "not road in shows(bend, q, N)": {"rotation"},
}
"""Rules, and the symmetries that each does away with; others are not asked of it."""


@pytest.mark.parametrize("rule", BREAKS)
def test_rules_that_name_a_place_a_side_or_a_seat_break_a_symmetry(rule: str) -> None:
    for name in ("players", "translation", "rotation", "reflection"):
        game, sink = games.checked(SAME.replace("RULE", rule).replace("NAMES", name))
        assert game is not None, list(sink)
        if name in BREAKS[rule]:
            with pytest.raises(BrokenSymmetry):
                Explicit(game).ask(asked_of(game)["q"], Budget())
        elif rule == "True":
            assert check_classes(game, naive.explore(game, 500), asked_of(game)["q"]) == "told"


@pytest.mark.slow
@pytest.mark.parametrize("block", range(2))
def test_all_laws_on_many_games(block: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(100_000 + block * 20, 100_000 + block * 20 + 20):
        check_search(seed, board=True)
        check_search(seed, board=False)
        check_open(seed, seen)
        check_answers(seed, seen, 1.0)
        check_symmetry(seed)
    assert answered(seen) > 0.2
