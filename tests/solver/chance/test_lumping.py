"""Names that nothing tells apart, and walks over names whose order does."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from tablelaw.solver.chance.engine import Chance
from tablelaw.solver.chance.lumping import alike
from tablelaw.solver.space.graph import Budget
from tablelaw.testing.dice import made

GAME = """tablelaw: 1
game: g
title: G
players: 2
types: {Color: [red, blue, green]}
state:
  hand: {type: "bag[Color, 3]", init: bag()}
  seen: {type: "map[Color, 0..9]", init: 0}
  total: {type: 0..900, init: 0}
  n: {type: 0..2, init: 0}
actions:
  roll: {by: 0, during: n == 0, chance: {c: "roll(2, Color)"}, do: "hand = c\\nn = 1"}
  add:
    by: table
    during: n == 1
    do: |
      n = 2
      for c in WALK:
        BODY
end: [{id: over, when: n == 2}]
questions:
  mean: {expected: total}
  two: {odds: total == 2}
"""

ORDERED = (
    "total = 3 * total + hand[c]",
    "total = total + hand[c] * (1 + total)",
    "seen[c] = total\n        total = hand[c]",
    "seen[c] = sum(seen[d] for d in Color) + hand[c]\n        total = sum(seen[d] * seen[d] for d in Color)",
    "seen[c] = 1 + sum(seen[c] for c in Color)\n        total += hand[c]",
    "total = hand[c] if hand[c] > 0 else total",
)
"""What the order of the colours makes a difference to."""

FREE = (
    "total += hand[c] * hand[c]",
    "seen[c] = hand[c]\n        total += hand[c]",
    "if hand[c] > 1:\n          total += 2",
    "if hand[c] > seen[c]:\n          seen[c] = seen[c] + hand[c]",
)
"""What it makes none to."""


def expected(body: str, walk: str) -> tuple[Fraction, Fraction]:
    """The mean of the total and the chance of two, by running the body as Python for each throw."""
    mean = two = Fraction(0)
    names = ("red", "blue", "green")
    for throw in product(names, repeat=2):
        hand = {c: throw.count(c) for c in names}
        space: dict[str, Any] = {
            "hand": hand,
            "seen": dict.fromkeys(names, 0),
            "total": 0,
            "Color": names,
            **{c: c for c in names},
        }
        walked = names if walk == "Color" else walk.strip("{}").split(", ")
        exec(f"for c in {tuple(walked)!r}:\n        {body}", space)
        mean += Fraction(int(space["total"]), 9)
        two += Fraction(space["total"] == 2, 9)
    return mean, two


@pytest.mark.parametrize("body", ORDERED + FREE)
@pytest.mark.parametrize("walk", ["Color", "{red, blue}"])
def test_a_walk_over_names_is_reckoned_in_its_order(body: str, walk: str) -> None:
    game, (mean, two) = made(GAME.replace("BODY", body).replace("WALK", walk))
    told = Chance(game).ask(mean, Budget(10)), Chance(game).ask(two, Budget(10))
    assert tuple(Fraction(v.value or -1) for v in told) == expected(body, walk)


@pytest.mark.parametrize("body", ORDERED)
def test_names_whose_order_matters_are_not_alike(body: str) -> None:
    game, (mean, _) = made(GAME.replace("BODY", body).replace("WALK", "Color"))
    assert mean.formula is not None
    assert alike(game, [mean.formula]) == []


def test_a_key_that_other_steps_change_hangs_on_their_order() -> None:
    """Each colour marks how far the total had come: which number that is hangs on the colours before it."""
    text = GAME.replace("seen: {type:", 'grid: {type: "map[Color, map[0..9, 0..1]]", init: 0}\n  seen: {type:')
    body = "grid[c][total] = 1\n        total += hand[c]"
    game, (mean, _) = made(
        text.replace("total: {type: 0..900", "total: {type: 0..9").replace("BODY", body).replace("WALK", "Color")
    )
    assert mean.formula is not None
    assert alike(game, [mean.formula]) == []


@pytest.mark.parametrize("body", FREE)
def test_names_are_alike_where_each_step_keeps_to_its_own(body: str) -> None:
    game, (mean, _) = made(GAME.replace("BODY", body).replace("WALK", "Color"))
    assert mean.formula is not None
    assert alike(game, [mean.formula]) == [("red", "blue", "green")]


def test_a_walk_over_other_things_changes_nothing() -> None:
    game, (mean, _) = made(GAME.replace("BODY", "total += c").replace("WALK", "Player"))
    assert mean.formula is not None
    assert alike(game, [mean.formula]) == [("red", "blue", "green")]


IN_RECORDS = """tablelaw: 1
game: g
title: G
players: 2
types: {Color: [red, blue], Pair: {record: {c: Color, k: 0..1}}}
state:
  hand: {type: "bag[Color, 3]", init: bag()}
  pairs: {type: "bag[Pair, 3]", init: bag()}
  n: {type: 0..2, init: 0}
actions:
  one: {by: 0, during: n == 0, chance: {c: "die([red, blue])"}, do: "hand += c\\npairs += Pair(c=c, k=0)\\nn = 1"}
  two: {by: 0, during: n == 1, chance: {c: "die([red, blue])"}, do: "pairs += Pair(c=c, k=0)\\nn = 2"}
end: [{id: over, when: n == 2}]
questions:
  same: {odds: "n == 2 and count(p for p in pairs if p.c in hand) == 2"}
"""


def test_names_inside_the_elements_of_a_bag_are_told_apart() -> None:
    """Colours in one bag are not put in order while another bag keeps records of them."""
    game, (same,) = made(IN_RECORDS)
    verdict = Chance(game).ask(same, Budget())
    assert Fraction(str(verdict.value)) == Fraction(1, 2)
