"""Lint of games on boards: true findings where all positions were met or the board was left open, no wrong ones, in time."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tablelaw.checkers.selection import Request
from tablelaw.checkers.vacuity import lint
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import load

GAME = """
tablelaw: 1
game: roads
title: Roads
players: 2
HEAD
pieces:
  Road:
    parts:
      road: {at: sides}
    contact: CONTACT
    faces:
      straight: {road: [[N, S]]}
      bend: {road: [[N, E]]}
      cap: {road: [[N]]}
      FACE
state:
  turn: {type: Player, init: 0}
  table: {type: "layout[Road, LARGEST]"}
actions:
  lay:
    by: turn
    params: {face: Road, cell: frontier(table), rotation: rotations(face)}
    require:
      - {id: fitting, check: "fits(table, cell, face, rotation)"}
      - {id: joined, check: "size(table) == 0 or size(links(table, cell, face, rotation, road)) > 0"}
      CHECK
    do:
      - {id: laid, do: "table = place(table, cell, face, rotation)"}
      - {id: passed, do: turn = after(turn)}
      EFFECT
  stop:
    by: turn
    during: size(table) == LARGEST
    do: turn = turn
  ACTION
end:
  - {id: closed, when: "any(f.closed for f in features(table, road))", winners: "{turn}"}
  END
questions:
  small: {never: size(table) > LARGEST}
  QUESTION
"""
MARKS = {"CONTACT": "mine == theirs", "LARGEST": "4"}


def told(tmp_path: Path, seconds: float = 60.0, /, **extra: str) -> list[tuple[str, str]]:
    """Codes and messages of what lint finds in the game with lines put in at its marks."""
    text = GAME
    for name in ("HEAD", "FACE", "CHECK", "EFFECT", "ACTION", "END", "QUESTION", "CONTACT", "LARGEST"):
        text = text.replace(name, extra.get(name.lower(), MARKS.get(name, "")))
    path = tmp_path / "rules.yaml"
    path.write_text(text, encoding="utf-8")
    sink = Diagnostics()
    rules = load(str(path), sink)
    assert rules is not None, [d.message for d in sink]
    found = lint(rules, {}, 2, Request(seconds=seconds))
    assert not sink.has_errors
    return [(d.code, d.message) for d in found]


def test_a_game_in_which_all_matters(tmp_path: Path) -> None:
    """Nothing is found."""
    assert told(tmp_path, largest="3") == []


FOUND = {
    "a check that forbids nothing": (
        {"check": '- {id: room, check: "cell not in table"}'}, ("L102", "check `room` forbids nothing"),
    ),
    "an effect that changes nothing": (
        {"effect": '- {id: none, when: "size(table) == 0", do: turn = 0}'}, ("L104", "clause `none` changes nothing"),
    ),
    "an end that never comes": (
        {"end": '- {id: huge, when: "any(f.size > 9 for f in features(table, road))"}'}, ("L104", "end `huge` ends no play"),
    ),
    "an action that never happens": (
        {"action": 'jump:\n    by: turn\n    during: "any(f.loops > 2 for f in features(table, road))"\n    do: turn = 0'},
        ("L103", "action `jump` never happens"),
    ),
    "a left side that is never true": (
        {"question": 'odd: {always: "not (size(table) > 3) or turn == 0"}'},
        ("L101", "the left side of question `odd` is true in no reachable position"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", FOUND)
def test_what_says_nothing_is_found(tmp_path: Path, name: str) -> None:
    """All positions of the small game were met."""
    extra, wanted = FOUND[name]
    assert told(tmp_path, largest="3", **extra) == [wanted]


def test_of_a_large_game_only_what_is_proved_is_told(tmp_path: Path) -> None:
    """What is open with the board left open is not guessed at; what is proved is told; the time given is kept."""
    began = time.monotonic()
    found = told(
        tmp_path,
        30.0,
        largest="24",
        end='- {id: beyond, when: size(table) > 24}\n  - {id: far, when: "any(f.size > 23 for f in features(table, road))"}',
    )
    assert found == [("L104", "end `beyond` ends no play")]
    assert time.monotonic() - began < 60.0


OPTION = """options:
  touch:
    kind: reading
    question: What may touch?
    values: {alike: {says: Roads go on.}, anything: {says: Anything may.}}
    default: alike
"""


def test_an_option_that_pieces_depend_on_changes_something(tmp_path: Path) -> None:
    """The contact rule, and a face, are all that it changes."""
    contact = "mine == theirs if option('touch') == 'alike' else mine <= theirs"
    assert told(tmp_path, largest="2", head=OPTION, contact=contact) == []
    assert told(tmp_path, largest="2", head=OPTION, face="stub: {only: {touch: anything}, road: [[N]]}") == []
    assert ("L105", "option `touch` changes nothing") in told(tmp_path, largest="2", head=OPTION)


STUDY = """options:
  start: {kind: study, question: From where, values: {usual: {says: As printed.}, short: {says: Short.}}, default: usual}
sources: {book: {title: Book}}
"""


def test_what_a_study_alone_brings_in_needs_no_source(tmp_path: Path) -> None:
    """A clause for another value than the default; one for the default is a rule of the book."""
    ends = "".join(f"\n  - {{id: e{n}, cite: book#{n}, when: size(table) > 9}}" for n in range(12))
    of = "- {{id: studied, only: {{start: {value}}}, when: size(table) > 8}}"
    short = told(tmp_path, largest="2", head=STUDY, end=of.format(value="short") + ends)
    usual = told(tmp_path, largest="2", head=STUDY, end=of.format(value="usual") + ends)
    both = told(tmp_path, largest="2", head=STUDY, end=of.format(value="[usual, short]") + ends)
    message = ("L108", "clause `studied` cites no source")
    assert message not in short
    assert message in usual
    assert message in both


def test_what_pieces_cite_is_looked_up(tmp_path: Path) -> None:
    """The pieces themselves, a face and one of its alternatives."""
    head = "sources: {book: {title: Book}}\n"
    found = told(tmp_path, largest="2", head=head, face="stub: {says: A stub., cite: [book#1, bok#2], road: [[N]]}")
    assert ("L109", "`stub` cites `bok#2`, and no source is called `bok`") in found
    face = "stub: [{says: A stub., cite: boc#2, road: [[N]]}]"
    found = told(tmp_path, largest="2", head=head, face=face)
    assert ("L109", "`stub` cites `boc#2`, and no source is called `boc`") in found
