"""Exact figures: chains whose values are known by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tablelaw.solver.chance import bounds, exact
from tablelaw.solver.chance.exact import Sense
from tablelaw.solver.chance.graph import Chances, Choices
from tablelaw.solver.space.graph import Budget

HALF = Fraction(1, 2)


def chain(choices: list[Choices], values: dict[int, int], reward: dict[int, int] | None = None) -> Chances:
    """A chain by hand."""
    n = len(choices)
    rewards = [Fraction((reward or {}).get(i, 0)) for i in range(n)]
    edges = sum(len(draws) for options in choices for _, draws in options)
    return Chances(list(range(n)), choices, {i: Fraction(v) for i, v in values.items()}, rewards, 1, edges)


def large(actor: int) -> int:
    """Player 0 wants the figure large, player 1 small."""
    return (0, 1, -1)[actor + 1]


def ruin(p: Fraction, most: int) -> Chances:
    """A gambler with 1 of `most`, who wins each round with chance p; state 0 is one coin."""
    coins = [1, *(k for k in range(most + 1) if k != 1)]
    place = {k: i for i, k in enumerate(coins)}
    choices: list[Choices] = [[] if k in (0, most) else [(-1, [(place[k + 1], p), (place[k - 1], 1 - p)])] for k in coins]
    return chain(choices, {place[0]: 0, place[most]: 1})


@pytest.mark.parametrize("most", [3, 10, 40])
def test_the_ruin_of_a_gambler(most: int) -> None:
    """With even chances 1 of n; with chances 1 to 2 by the closed formula."""
    assert exact.solve(ruin(HALF, most), large, Budget())[0][0] == Fraction(1, most)
    assert exact.solve(ruin(Fraction(1, 3), most), large, Budget())[0][0] == Fraction(1, 2**most - 1)


def test_bounds_hold_the_ruin_and_come_near() -> None:
    """The exact figure lies between them."""
    found = bounds.bound(ruin(Fraction(1, 3), 10), large, Fraction(0), Fraction(1), Budget())
    assert found.low <= Fraction(1, 1023) <= found.high
    assert found.high - found.low < Fraction(1, 10**8)


def test_bounds_that_stay_wide_are_told_wide() -> None:
    """A player who may stay for ever keeps the upper figure up; nothing is guessed from figures that no longer move."""
    c = chain([[(0, [(0, Fraction(1))]), (0, [(1, HALF), (2, HALF)])], [], []], {1: 1, 2: 0})
    found = bounds.bound(c, large, Fraction(0), Fraction(1), Budget(seconds=0.05))
    assert found.low <= HALF <= found.high


def test_rounding_never_crosses_the_value() -> None:
    """Thirds are no doubles: of many choices alike the bounds still hold the value."""
    third = Fraction(1, 3)
    options: Choices = [(-1, [(1, third), (2, 1 - third)])] * 600
    c = chain([options, [], []], {1: 1, 2: 0})
    found = bounds.bound(c, lambda a: 0, Fraction(0), Fraction(1), Budget())
    assert found.low <= third <= found.high


def test_a_cycle_of_two() -> None:
    """Heads first wins, taking turns: two thirds."""
    c = chain([[(-1, [(2, HALF), (1, HALF)])], [(-1, [(3, HALF), (0, HALF)])], [], []], {2: 1, 3: 0})
    values, _ = exact.solve(c, large, Budget())
    assert values[0] == Fraction(2, 3)
    assert exact.check(c, values, large)
    assert not exact.check(c, [Fraction(1, 2), *values[1:]], large)


def test_what_is_counted_on_the_way() -> None:
    """Two throws of a coin on average until heads."""
    c = chain([[(-1, [(1, HALF), (2, HALF)])], [(-1, [(1, HALF), (2, HALF)])], []], {2: 0}, {1: 1, 2: 1})
    assert exact.solve(c, large, Budget())[0][0] == 2


def test_one_who_wants_it_large_does_not_stay_for_ever() -> None:
    """To stay costs nothing, but leads nowhere."""
    c = chain([[(0, [(1, Fraction(1))]), (0, [(2, HALF), (3, HALF)])], [(0, [(0, Fraction(1))])], [], []], {2: 1, 3: 0})
    assert exact.solve(c, large, Budget())[0][0] == HALF


def test_one_who_wants_it_small_stays_for_ever() -> None:
    """What is hopeless is told by the graph."""
    c = chain([[(1, [(0, Fraction(1))]), (1, [(1, HALF), (2, HALF)])], [], []], {1: 1, 2: 0})
    assert exact.solve(c, large, Budget())[0][0] == 0
    assert c.hopeless(large)
    assert exact.solve(c, large, Budget())[0][0] == 0


def test_choices_that_are_all_alike_are_a_draw() -> None:
    """Whoever neither wants nor avoids anything leaves a circle at some time."""
    nobody: Sense = lambda actor: 0  # noqa: E731
    c = chain([[(0, [(0, Fraction(1))]), (0, [(1, Fraction(1))]), (0, [(2, Fraction(1))])], [], []], {1: 1, 2: 0})
    c.averaged(nobody)
    assert len(c.choices[0]) == 1
    assert exact.solve(c, nobody, Budget())[0][0] == HALF


def test_two_sides_that_answer_each_other() -> None:
    """A component with choices of both, solved as each answers the other in full."""
    q = Fraction(1, 4)
    c = chain(
        [
            [(0, [(1, 1 - q), (2, q)]), (0, [(1, HALF), (3, HALF)])],
            [(1, [(0, 1 - q), (3, q)]), (1, [(0, q), (2, HALF), (3, q)])],
            [],
            [],
        ],
        {2: 1, 3: 0},
    )
    values, policy = exact.solve(c, large, Budget(seconds=60))
    assert exact.check(c, values, large)
    assert policy == {0: 0, 1: 0}
    # x = 3/4 y + 1/4 and y = 3/4 x
    assert values[:2] == [Fraction(4, 7), Fraction(3, 7)]
