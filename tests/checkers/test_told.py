"""What is told with an answer: of a position that cannot come up, and of who or what prevents a goal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tablelaw.checkers.evidence import write_all
from tablelaw.checkers.result import Result, exit_status
from tablelaw.checkers.selection import Request
from tablelaw.checkers.session import Session
from tablelaw.checkers.unkept import listed
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import load


def answers(path: Path, text: str, *names: str) -> dict[str, Result]:
    """The results of a game's questions."""
    path.write_text(text, encoding="utf-8")
    sink = Diagnostics()
    rules = load(str(path), sink)
    assert rules is not None, [d.message for d in sink]
    session = Session(rules, Request(names, cores=False), sink)
    assert session.check(), [d.message for d in sink]
    return {r.question: r for _, _, r in session.answers(list(session.selection.cases())) if r is not None}


MOVED = """
tablelaw: 1
game: moved
title: Moved
players: 1
state: {a: {type: 0..5, init: 5}, b: {type: 0..5, init: 0}}
actions:
  move: {by: 0, chance: {d: die(2)}, do: "a -= 1; b += 1"}
end:
  - {id: done, when: a == 0}
questions:
  five: {always: a + b == 5}
  mean: {expected: b, given: {a: 3}, play: best}
  chance: {odds: b == 3, given: {a: 3}, play: best, expect: 1/2}
  most: {largest: b, given: {a: 3}}
  least: {smallest: b, given: {a: 3}}
  n: {count: states, given: {a: 3}}
  forced: {force: {who: [0], goal: a == 0}, given: {a: 3}}
  fine: {expected: b, given: {a: 3, b: 2}, play: best}
"""


KEPT = """
  whole: {largest: b}
  below: {always: b < 2}
scenarios:
  one-step: {play: [move], then: ["a == 4"]}
"""


def test_no_value_is_told_of_a_position_that_cannot_come_up(tmp_path: Path) -> None:
    """It is not known, whatever was expected; only a yes/no question is then a finding."""
    found = answers(tmp_path / "rules.yaml", MOVED)
    for name in ("mean", "chance", "most", "least", "n"):
        r = found[name]
        assert (r.verdict.verdict, r.as_expected) == ("unknown", None), name
        assert r.verdict.reason == "the position given breaks `five`, so no play leads there"
        assert exit_status([r]) == 3
    assert (found["forced"].verdict.verdict, found["forced"].as_expected) == ("fails", False)
    assert found["fine"].verdict.value == "5"


GOAL = """
tablelaw: 1
game: small
title: Small
players: PLAYERS
state:
  turn: {type: Player, init: 0}
  n: {type: 0..2, init: 0}
  over: {type: bool, init: false}
actions:
  ACTION
end:
  - {id: done, when: over}
questions:
  forced: {force: {who: [WHO], goal: n == 2}, expect: fails}
"""
ROLL = "roll: {by: turn, chance: {d: die(6)}, do: 'over = True; n = 2 if d == 6 else 0'}"
STOP = "stop: {by: turn, do: 'over = True'}"
LATER = "put: {by: turn, chance: {d: die(2)}, do: 'over = turn == 1; n = d if turn == 1 else 0; turn = 1'}"
FREE = "put: {by: turn, params: {k: 0..2}, do: 'over = turn == 1; n = k if turn == 1 else 0; turn = 1'}"


@pytest.mark.parametrize(
    "players, action, who, told",
    [
        (1, ROLL, "0", "the draws can prevent player 0"),
        (1, STOP, "0", "player 0 cannot bring it about"),
        (2, ROLL, "0, 1", "the draws can prevent players 0 and 1"),
        (2, ROLL, "0", "the draws can prevent player 0"),
        (2, LATER, "0", "the others or the draws can prevent player 0"),
        (2, FREE, "0", "the others can prevent player 0"),
    ],
)
def test_what_prevents_a_goal(players: int, action: str, who: str, told: str, tmp_path: Path) -> None:
    """The second player counts only where there are moves of theirs."""
    text = GOAL.replace("PLAYERS", str(players)).replace("ACTION", action).replace("WHO", who)
    r = answers(tmp_path / "rules.yaml", text, "forced")["forced"]
    assert r.verdict.verdict == "fails"
    assert (r.verdict.reason or "").startswith(told)


def test_whatever_has_no_evidence_says_why(tmp_path: Path) -> None:
    """A value that is no figure, what fails by a play or by a position, a scenario, and what is not known."""
    found = list(answers(tmp_path / "rules.yaml", MOVED + KEPT).values())
    folder = tmp_path / "evidence"
    rules = load(str(tmp_path / "rules.yaml"), Diagnostics())
    assert rules is not None
    kept, without = write_all(folder, found, rules, smt2=False)
    index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    assert (kept, without) == (len(found) - len(index["without"]), len(index["without"]))
    why = {w["question"]: w["reason"] for w in index["without"]}
    assert all(why.values())
    assert why["mean"] == "it is not known: the position given breaks `five`, so no play leads there"
    assert why["whole"] == "of `largest` no evidence is kept"
    assert "`tablelaw play`" in why["below"]
    assert "what holds" in why["forced"]
    assert why["one-step"] == "a scenario is played again by each `check`"


def test_an_index_may_be_written_by_anybody() -> None:
    """What is not of the form is left out, and nothing moves the cursor."""
    rows: list[object] = [7, {}, {"question": 3}, {"question": "a"}, {"question": "b\x1b[2J", "reason": "no\nmore"}]
    told = [{"question": "a", "reason": "no reason is told"}, {"question": "b [2J", "reason": "no more"}]
    assert listed({"without": rows}) == told
    assert listed({"without": 5}) == listed({}) == listed(None) == []
