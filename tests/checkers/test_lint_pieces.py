"""Sides of faces that look wrong."""

from __future__ import annotations

import pytest

from tablelaw.checkers.lint_pieces import odd_sides
from tablelaw.testing import games

TEXT = """
tablelaw: 1
game: g
title: G
players: 2
pieces:
  Tile:
    parts: {city: {at: sides}, road: {at: sides}, field: {at: halves}}
    contact: mine == theirs
    faces:
      gate: {city: [[N]], field: [[En, Es, Se, Sw, Ws, Wn]]}
      way: {road: [[N, S]], field: [[Ne, En, Es, Se], [Sw, Ws, Wn, Nw]]}
      town: {city: [[N, E, S, W]]}
      FACE
state:
  turn: {type: Player, init: 0}
  table: {type: "layout[Tile, 4]", init: {}}
actions:
  lay:
    by: turn
    params: {cell: frontier(table), face: Tile, q: rotations(face)}
    require: [{id: fitting, says: x, check: "fits(table, cell, face, q)"}]
    do: table = place(table, cell, face, q)
"""


@pytest.mark.parametrize(
    "face, told",
    [
        ("end: {road: [[S]], field: [[Nw, Ne, En, Es, Se, Sw, Ws, Wn]]}", None),
        ("half: {city: [[N]], field: [[En, Es, Se, Sw, Ws]]}",
         "on `half` the half `Wn` belongs to no part, and `Ws` beside it does"),
        (
            "wall: {city: [[N]], field: [[Nw, Ne, En, Es, Se, Sw, Ws, Wn]]}",
            "side N of `wall` shows `city` and `field`, and no other side of any face may touch it",
        ),
        ("corner: {city: [[N]], field: [[Nw, En, Es, Se, Sw, Ws, Wn]]}",
         "on `corner` the half `Ne` belongs to no part, and `Nw` beside it does"),
        ("bare: {city: [[N]], field: [[Es, En]], road: [[S]]}",
         "side S of `bare` shows `road`, and no other side of any face may touch it"),
    ],
)  # fmt: skip
def test_a_face_whose_sides_do_not_add_up(face: str, told: str | None) -> None:
    """A half left over, or a side that fits nothing, is told once for each face, at the face."""
    game, sink = games.checked(TEXT.replace("FACE", face))
    assert game is not None, list(sink)
    found = list(odd_sides(game.document, [game, game]))
    assert [d.message for d in found] == ([told] if told else [])
    assert all(d.code == "L110" and d.help and d.span is not None and d.span.line == 14 for d in found)


def test_few_faces_need_not_fit_each_other() -> None:
    """Of one or two faces nothing is said."""
    text = TEXT.replace("      FACE\n", "").replace("      town: {city: [[N, E, S, W]]}\n", "")
    game, _ = games.checked(text)
    assert game is not None
    assert list(odd_sides(game.document, [game])) == []
