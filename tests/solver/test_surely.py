"""That a play ends almost surely, by a measure: what luck shows, and what it must not be said to show."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tablelaw.solver.engine import Engines
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.symbolic.engine import Symbolic
from tablelaw.solver.verdict import Verdict
from tablelaw.testing.board_laws import asked_of
from tablelaw.testing.games import checked

GAME = """
tablelaw: 1
game: small
title: Small
players: 1
types: {Face: [sun, moon]}
state:
  left: {type: 0..20, init: 20}
  tries: {type: 0..2, init: 0}
actions:
  roll:
    by: "0"
    chance: {got: "roll(2, Face)"}
    do:
      - {id: both-suns, says: Two suns count., when: "WHEN", do: "left -= 1"}
      - {id: tried, says: Each roll is a try., do: "tries = 0 if tries == 2 else tries + 1"}
  ESCAPE
end: [{id: done, says: Nothing is left., when: left == 0}]
questions:
  ends-surely: {terminates: almost-surely, measure: left}
"""


def ask(when: str, escape: str = "") -> tuple[Verdict, Verdict]:
    """By z3 alone, and by the whole graph."""
    game, sink = checked(GAME.replace("WHEN", when).replace("ESCAPE", escape))
    assert game is not None, [x.message for x in sink]
    asked = asked_of(game)["ends-surely"]
    return Symbolic(game).ask(asked, Budget(60)), Engines(game, "explicit").figure(replace(asked, measure=None), Budget(60))


def test_luck_that_may_come_in_every_step_ends_the_play() -> None:
    proved, listed = ask("got[sun] == 2")
    assert (proved.verdict, proved.known_by) == ("holds", "proved")
    assert listed.verdict == "holds"


def test_luck_that_counts_every_third_step_alone_ends_it_too() -> None:
    proved, listed = ask("got[sun] == 2 and tries == 2")
    assert proved.verdict == "holds"
    assert "steps" in proved.notes[0]
    assert listed.verdict == "holds"


@pytest.mark.parametrize(
    ("when", "escape"),
    [
        ("got[sun] == 3", ""),
        ("got[sun] == 2", "wait: {by: '0', do: 'tries = 0'}"),
    ],
)
def test_what_can_go_on_for_ever_is_not_said_to_end(when: str, escape: str) -> None:
    proved, listed = ask(when, escape)
    assert proved.verdict == "unknown"
    assert listed.verdict == "fails"


def test_a_measure_that_may_rise_shows_nothing() -> None:
    proved, _ = ask("got[sun] == 2", "back: {by: '0', require: [{id: low, says: x, check: left < 20}], do: 'left += 1'}")
    assert proved.verdict == "unknown"
    assert "rise" in str(proved.reason)


def test_a_measure_that_nobody_gave_is_found_from_the_ranges() -> None:
    """What only falls, and what only rises, are added up; what goes up and down is left out."""
    text = GAME.replace("WHEN", "got[sun] == 2").replace("ESCAPE", "").replace(", measure: left", "")
    game, sink = checked(
        text.replace("tries: {", "seen: {type: bool, init: false}\n  tries: {").replace("left -= 1", "left -= 1\\nseen = true")
    )
    assert game is not None, [x.message for x in sink]
    found = Symbolic(game).ask(asked_of(game)["ends-surely"], Budget(60))
    assert (found.verdict, found.known_by) == ("holds", "proved")
    assert found.notes[-1] == (
        "the measure was found from the ranges: how far `seen` can still rise and how far `left` can still fall, added up"
    )


def test_where_nothing_moves_one_way_no_measure_is_found() -> None:
    text = GAME.replace("WHEN", "got[sun] == 2").replace(", measure: left", "")
    game, sink = checked(
        text.replace("ESCAPE", "back: {by: '0', require: [{id: low, says: x, check: left < 20}], do: 'left += 1'}")
    )
    assert game is not None, [x.message for x in sink]
    found = Symbolic(game).ask(asked_of(game)["ends-surely"], Budget(60))
    assert found.verdict == "unknown"
    assert "measure" in str(found.reason)


def test_every_play_ends_by_a_measure_found_from_the_ranges() -> None:
    text = GAME.replace("WHEN", "true").replace("ESCAPE", "").replace("almost-surely, measure: left", "true")
    game, sink = checked(text.replace("left: {type: 0..20, init: 20}", "left: {type: 0..200000, init: 200000}"))
    assert game is not None, [x.message for x in sink]
    found = Symbolic(game).ask(asked_of(game)["ends-surely"], Budget(60))
    assert (found.verdict, found.known_by, found.reason) == ("holds", "proved", "every step lowers the measure")
