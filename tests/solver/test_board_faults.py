"""What a look at the text of rules says of formulas about a board that could have no value."""

from __future__ import annotations

import pytest

from tablelaw.solver.board_faults import Review
from tablelaw.testing.games import checked

RULES = """
tablelaw: 1
game: small
title: Small
players: 1
pieces:
  Tile:
    parts: {{rail: {{at: sides}}, signal: {{at: inside, toward: Direction}}}}
    contact: "True"
    faces: {{halt: {{rail: [[N]], signal: {{toward: N}}}}}}
state:
  table: {{type: "layout[Tile, 20]", init: {{}}}}
actions:
  lay:
    by: 0
    params: {{cell: frontier(table), rotation: rotations(halt)}}
    require:
      - {{id: east, check: "{check}"}}
      - {{id: left, check: size(table) < 20}}
    do: table = place(table, cell, halt, rotation)
"""


@pytest.mark.parametrize(
    "check, told",
    [
        ("any(p.toward == E for p in parts(table, (0, 0)))", True),
        ("any(p.kind == rail and p.toward == E for p in parts(table, (0, 0)))", True),
        ("any(p.kind == signal and p.toward == E for p in parts(table, (0, 0)))", False),
        ("any(p.toward == E for p in parts(table, (0, 0)) if p.kind == signal)", False),
        ("any(p.kind == rail and N in p.sides for p in parts(table, (0, 0)))", False),
    ],
)
def test_an_attribute_of_parts_of_any_kind_is_told(check: str, told: bool) -> None:
    """To read it of a part of another kind has no value; where the kind is asked first nothing is told."""
    game, sink = checked(RULES.format(check=check))
    assert game is not None, [item.message for item in sink]
    assert ("east" in Review(game).look().clauses) == told


def test_a_square_that_wanders_off_may_leave_its_range() -> None:
    """`here = step(here, N)` again and again leaves every box: the open board shows nothing of its range."""
    text = RULES.replace("state:", 'state:\n  here: {{type: Cell, init: "(0, 0)"}}', 1)
    wandering = text.replace("do: table = place", "do: |\n      here = step(here, N)\n      table = place", 1)
    for rules, told in ((text, False), (wandering, True)):
        game, sink = checked(rules.format(check="true"))
        assert game is not None, [item.message for item in sink]
        assert bool(Review(game).look().clauses) == told
