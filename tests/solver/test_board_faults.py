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
