"""Plays at random in answers: found, made short, and told as what they are; and what many of them are counted as."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tablelaw.checkers.playouts import numbers_of, tally, wilson
from tablelaw.solver import evaluate
from tablelaw.solver.engine import Engines
from tablelaw.solver.sampled import NOT_SHORTEST, Sample, length_of
from tablelaw.solver.sampling import LIMIT, Coded, Plain, one_play, player
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.game import Game
from tablelaw.spec.questions import Asked, Reader
from tablelaw.spec.values import Map
from tablelaw.testing.games import checked

# two players lay flags in a row of squares; a flag with a star may be claimed, and a kite laid beside it may land on it
FLAGS = """\
tablelaw: 1
game: flags
title: Flags
players: 2
sources: {own: {title: Own rules, language: en}}
types: {Phase: [drawing, laying, claiming, flying]}
pieces:
  Flag:
    parts: {star: {at: inside}, cloth: {at: sides}, kite: {at: inside, way: Direction}}
    contact: "True"
    faces:
      plain: {count: 30, cloth: [[N]]}
      starry: {count: 3, star: {}, cloth: [[N]]}
      flier: {count: 3, kite: {way: E}, cloth: [[N]]}
state:
  phase: {type: Phase, init: drawing}
  turn: {type: Player, init: 0}
  table: {type: "layout[Flag, 40]", init: {"(0, 0)": plain/0}}
  box: {type: "bag[Flag, 40]", init: supply(Flag)}
  drawn: {type: "maybe[Flag]", init: none}
  last: {type: Cell, init: "(0, 0)"}
  owner: {type: "maybe[Player]", init: none}
  mark: {type: "maybe[Part]", init: none}
  shared: {type: bool, init: false}
actions:
  draw:
    by: table
    during: phase == drawing and size(box) > 0
    chance: {flag: draw(box)}
    do: |
      box -= flag
      drawn = flag
      phase = laying
  lay:
    by: turn
    during: phase == laying
    params: {cell: frontier(table), rotation: 0..3}
    require: [{id: laid-well, says: It fits., check: "fits(table, cell, drawn, rotation)"}]
    do: |
      table = place(table, cell, drawn, rotation)
      last = cell
      drawn = none
      phase = claiming
  claim:
    by: turn
    during: phase == claiming and mark == none
    params: {part: "parts(table, last)"}
    require: [{id: a-star, says: Only stars., check: part.kind == star}]
    do: |
      mark = part
      owner = turn
      phase = drawing
      turn = after(turn)
  fly:
    by: turn
    during: phase == claiming and mark != none
    params: {craft: "{q for q in parts(table, last) if q.kind == kite}"}
    chance: {pips: die(3)}
    do:
      - id: lands
        says: On the star it shares it.
        when: step(last, craft.way, pips) == mark.cell and owner != turn
        do: shared = True
      - id: gone
        says: Then the turn is over.
        do: |
          phase = drawing
          turn = after(turn)
  pass:
    by: turn
    during: phase == claiming
    do: |
      phase = drawing
      turn = after(turn)
end:
  - {id: all-laid, says: No more flags., when: phase == drawing and size(box) == 0}
questions:
  shared-star: {reach: shared}
  never-shared: {never: shared}
  told-by-count: {reach: times('lands') >= 1 and old(shared) == False}
  never-two: {never: times('lands') >= 2 and size(table) < 4}
"""
COUNT = """\
tablelaw: 1
game: count
title: Count
players: 2
sources: {own: {title: Own rules, language: en}}
state:
  turn: {type: Player, init: 0}
  n: {type: 0..300, init: 0}
  high: {type: 0..9, init: 0}
actions:
  add:
    by: turn
    params: {k: 1..9}
    require:
      - {id: once-more, says: Nothing twice., check: k != high}
      - {id: never-asked, says: Cannot matter., check: k < 10}
    do:
      - {id: added, says: It is added., do: "n += k"}
      - {id: kept, says: The number is kept., do: "high = k"}
      - {id: never-there, says: A rule that never comes to anything., when: k > 9, do: "n = 0"}
      - {id: next, says: Turns go round., do: "turn = after(turn)"}
end:
  - id: past
    says: Above a hundred it ends.
    when: n > 100
    winners: "{turn}"
"""


def read(text: str) -> tuple[Game, dict[str, Asked]]:
    found, sink = checked(text)
    assert found is not None, [d.message for d in sink]
    reader = Reader(found, sink, evaluate.starts(found)[0])
    asked = {q.id: reader.question(q) for q in found.document.questions.values()}
    assert not sink.has_errors, [d.message for d in sink]
    return found, {k: a for k, a in asked.items() if a is not None}


def moves(verdict: Verdict | None) -> list[str]:
    """The actions of the play of an answer."""
    assert verdict is not None
    assert verdict.trace is not None
    return [s.move.action for s in verdict.trace.steps if s.move is not None]


@pytest.mark.parametrize("seed", [0, 1])
def test_a_play_is_made_as_short_as_can_be(seed: int) -> None:
    """Two turns: a starry flag claimed, then a flier laid so that it gets there, whatever play was found at first."""
    found, asked = read(FLAGS)
    sample = Sample(found, asked["shared-star"], seed)
    verdict = sample.ask(Budget(120.0))
    assert moves(verdict) == ["draw", "lay", "claim", "draw", "lay", "fly"]
    assert verdict is not None
    assert (verdict.verdict, verdict.known_by, verdict.notes) == ("holds", "proved", [NOT_SHORTEST])


def test_what_is_never_said_is_broken_by_a_play() -> None:
    """`never` fails by the same play, and counts and `old` are those along the play."""
    found, asked = read(FLAGS)
    broken = Sample(found, asked["never-shared"]).ask(Budget(20.0))
    assert broken is not None
    assert broken.verdict == "fails"
    counted = Sample(found, asked["told-by-count"]).ask(Budget(20.0))
    assert moves(counted)[-1] == "fly"
    assert counted is not None
    assert counted.trace is not None
    assert "lands" in counted.trace.steps[-1].clauses
    assert len(counted.trace.steps) == 7


def test_nothing_found_is_no_answer_unless_it_is_asked_for() -> None:
    """None of so many plays showing anything leaves `unknown`; with a number of plays asked for it is `sampled`."""
    found, asked = read(FLAGS)
    assert Sample(found, asked["never-two"]).ask(Budget(5.0), 25) is None
    engines = Engines(found, cores=False, sample=30)
    verdict = engines._as_sampled(asked["never-two"], Verdict("unknown", reason="nothing was found"), Budget(20.0))
    assert (verdict.verdict, verdict.known_by, verdict.bound) == ("holds", "sampled", "30 plays")
    assert verdict.notes == ["nothing else answered: nothing was found"]
    reach = engines._as_sampled(asked["shared-star"], Verdict("unknown"), Budget(20.0))
    assert (reach.verdict, reach.known_by) in (("holds", "proved"), ("fails", "sampled"))


def test_short_plays_are_tried_most() -> None:
    """Of eight plays one is four times as long as the others, and of eight such again one."""
    lengths = [length_of(i) for i in range(1, 513)]
    assert {n: lengths.count(n) for n in set(lengths)} == {24: 448, 96: 56, 384: 7, 1536: 1}
    assert length_of(0) == 24
    assert length_of(8**12) == LIMIT


def test_figures_are_counts() -> None:
    """Lengths, winners, numbers and clauses of fifty plays are those of each play, and what never matters is named."""
    found, _ = read(COUNT)
    told = tally(player(found), 50, 3, Budget(60.0))
    made = [one_play(Coded(found), 3, i) for i in range(50)]
    lengths = [len(p.steps) for p in made]
    assert told.json()["steps"] == {
        "count": 50, "mean": str(Fraction(sum(lengths), 50)), "min": min(lengths),
        "median": str(Fraction(sorted(lengths)[24] + sorted(lengths)[25], 2)), "max": max(lengths),
    }  # fmt: skip
    assert told.endings == {"ended": 50}
    assert told.ends == {"past": 50}
    assert told.actions == {"add": (sum(lengths), 50)}
    assert told.effects["added"] == (sum(lengths), 50)
    assert told.effects["never-there"] == (0, 0)
    assert told.refused == {"once-more": sum(lengths) - 50, "never-asked": 0}
    assert told.idle() == ["never-there", "never-asked"]
    assert sum(told.wins.values()) == 50
    last = [dict(numbers_of(found, Coded(found).state(p.last)))["n"] for p in made]
    assert told.numbers["n"].numbers == last


def test_the_evaluator_counts_the_same() -> None:
    """Plays by the evaluator are counted alike, but for the checks, which it does not count."""
    found, _ = read(COUNT)
    mine, theirs = (tally(p, 20, 0, Budget(60.0)) for p in (Coded(found), Plain(found)))
    assert mine.steps == theirs.steps
    assert mine.wins == theirs.wins
    assert mine.actions == theirs.actions
    assert (theirs.counted_checks, theirs.idle()) == (False, ["never-there"])


def test_intervals_hold_the_share() -> None:
    """Wilson's interval, against figures worked out by hand, and at both ends."""
    low, high = wilson(57, 100)
    assert (round(low, 4), round(high, 4)) == (0.4722, 0.6627)
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(0, 10)[0] == 0.0
    assert round(wilson(0, 10)[1], 4) == 0.2775
    assert wilson(10, 10)[1] == 1.0


def test_numbers_within_values() -> None:
    """A number in a map or a record is told by its place."""
    found, _ = read(COUNT)
    state = evaluate.starts(found)[0]
    assert dict(numbers_of(found, Map({**state, "n": 7}))) == {"n": 7, "high": 0}
