"""That a play on a board ends almost surely, with the board left open: luck is what dice show, never what lies there."""

from __future__ import annotations

import pytest

from tablelaw.solver.engine import Engines
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.verdict import Verdict
from tablelaw.testing.board_laws import asked_of
from tablelaw.testing.games import checked

pytestmark = pytest.mark.slow

GAME = """
tablelaw: 1
game: small
title: Small
players: 2
pieces:
  Tile:
    parts: {road: {at: sides}}
    contact: mine == theirs
    faces: {straight: {road: [[N, S]]}, bend: {road: [[N, E]]}}
types: {Face: [sun, moon, star]}
state:
  table: {type: "layout[Tile, 60]", init: {}}
  score: {type: 0..40, init: 0}
  hits: {type: 0..9, init: 0}
  turn: {type: Player, init: 0}
actions:
  lay:
    by: turn
    during: size(table) < 60
    params: {face: Tile, cell: "frontier(table)", rotation: rotations(face)}
    require: [{id: fits, says: It fits., check: "fits(table, cell, face, rotation)"}]
    DRAW
    do:
      - id: laid
        says: It lies.
        do: |
          table = place(table, cell, face, rotation)
          EFFECT
          turn = after(turn)
  clear: {by: turn, says: The table is cleared., during: size(table) >= 40, do: reset(table)}
end: [{id: done, says: Enough., when: hits == 9}]
questions:
  ends-surely: {terminates: almost-surely, measure: 9 - hits}
"""


WRONG = 20.0
"""Time enough to prove what is no proof: what can be proved, below, takes less."""


def ask(effect: str, seconds: float = 40.0) -> Verdict:
    game, sink = checked(GAME.replace("EFFECT", effect).replace("DRAW", 'chance: {got: "roll(2, Face)"}'))
    assert game is not None, [x.message for x in sink]
    assert sink.has_errors is False
    return Engines(game).figure(asked_of(game)["ends-surely"], Budget(seconds))


def test_dice_that_end_a_play_whatever_lies_there_end_it() -> None:
    """Luck comes in each laying; a full table can be cleared again and again, but never without laying."""
    found = ask("hits = min(9, hits + (1 if got[sun] == 2 else 0))")
    assert (found.verdict, found.known_by) == ("holds", "proved")
    assert any("left open" in n for n in found.notes)


def test_what_lies_there_is_no_luck() -> None:
    """A road of such tiles need never close: the play can go on for ever, and no verdict says that it ends."""
    found = ask("hits = min(9, hits + (1 if any(f.closed for f in features(table, road)) else 0))", WRONG)
    assert found.verdict != "holds"


def test_what_lies_there_may_keep_luck_from_counting() -> None:
    """Where a hit wants a closed road beside the dice, players who close none play on."""
    found = ask("hits = min(9, hits + (1 if got[sun] == 2 and any(f.closed for f in features(table, road)) else 0))", WRONG)
    assert found.verdict != "holds"
