"""How far a search has come: layers are what they are called, and what is told of the rest is right."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablelaw.solver.ir import Model
from tablelaw.solver.lower import lower
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space import layers
from tablelaw.solver.space.graph import Budget, OutOfBudget, Space
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import load
from tablelaw.spec.settings import defaults
from tablelaw.testing.games import sound


def hanoi(pegs: int, discs: int) -> Model:
    sink = Diagnostics()
    rules = load(str(Path(__file__).parents[2] / "examples" / "hanoi" / "rules.yaml"), sink)
    game = None if rules is None else rules.game({**defaults(rules.document), "pegs": str(pegs), "discs": str(discs)}, 1, sink)
    assert game is not None
    return lower(game, unroll=True)[0]


def check(model: Model, step: int) -> int:
    """Every claim made on the way, against the distances of the whole graph; how many claims of the rest there were."""
    whole = Space(model)
    try:
        whole.explore(Budget(states=20_000))
    except OutOfBudget:
        return 0
    depth = [0] * len(whole.states)
    for i, parent in enumerate(whole.parents):
        depth[i] = 0 if parent < 0 else depth[parent] + 1
    space, told = Space(model), 0
    while True:
        for first in {space.expanded, len(space.states), len(space.states) // 2}:
            far = layers.depth_of(space, first)
            assert all(d > far for d in depth[first:])
        if space.complete:
            break
        rest = layers.rest(space)
        if rest is not None:
            told += 1
            assert rest[0] <= len(whole.states) - space.expanded <= rest[1]
        assert len(layers.line(space, 12_345, 123_456)) < 80
        space.expand(Budget(), step)
    assert layers.depth_of(space, len(space.states)) == max(depth)
    return told


@pytest.mark.parametrize("seed", range(8))
def test_depths_of_random_games(seed: int) -> None:
    """All positions within so many steps lie before that number, whenever it is asked."""
    _, game = sound(seed, 0.02, questions=1)
    try:
        model, _ = lower(game, unroll=True)
    except Unlowerable:
        return
    space = Space(model)
    depth: list[int] = []
    for _ in range(200):
        space.expand(Budget(), 7)
    for parent in space.parents:
        depth.append(0 if parent < 0 else depth[parent] + 1)
    again = Space(model)
    while again.expanded < min(space.expanded, 1_400):
        far = layers.depth_of(again, again.expanded)
        assert all(d > far for d in depth[again.expanded :])
        assert layers.depth_of(again, len(again.states)) >= far
        again.expand(Budget(), 7)


@pytest.mark.parametrize(("pegs", "discs"), [(4, 6), (5, 5), (3, 7)])
def test_the_estimate_holds_what_comes(pegs: int, discs: int) -> None:
    """Where layers shrink, what is left lies between the two numbers; where they do not, none is told."""
    assert (check(hanoi(pegs, discs), 37) > 0) == (pegs > 3)


@pytest.mark.parametrize(
    ("least", "most", "told"),
    [
        (0.2, 0.9, "up to 1 s left"),
        (7.9, 61.2, "7 to 62 s left"),
        (30, 3600, "up to 60 min left"),
        (4000, 4e4, "1 to 12 h left"),
    ],
)
def test_spans_are_rounded_outwards(least: float, most: float, told: str) -> None:
    assert layers.span(least, most) == told


@pytest.mark.parametrize(
    ("n", "told"), [(7, "7"), (999, "999"), (8_123, "8.1k"), (123_456, "123k"), (2.5e6, "2.5M"), (3e9, "3.0G")]
)
def test_numbers_are_short(n: float, told: str) -> None:
    assert layers.short(n) == told
