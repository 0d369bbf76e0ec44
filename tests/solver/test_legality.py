"""Which clauses forbid a move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tablelaw.solver.legality import forbidding

GAME = """
tablelaw: 1
game: boxes
title: Boxes
players: 2
state:
  turn: {type: Player, init: 0}
  left: {type: 0..5, init: 5}
  waiting: {type: bool, init: false}
  row: {type: "list[0..5, 3]", init: []}
actions:
  take:
    by: turn
    params: {n: 1..3}
    require:
      - {id: enough, says: Nobody takes more than there are., check: n <= left}
      - {id: few, says: Two at most., check: n <= 2}
    do: |
      left -= n
      waiting = True
  peek:
    by: turn
    during: left < 3
    require:
      - {id: first-is-low, says: The first is low., check: "row[0] < 3"}
    do: turn = after(turn)
  refill:
    by: table
    during: waiting
    do: waiting = False
end:
  - {id: empty, says: It ends when nothing is left., when: left == 0}
"""
Read = Callable[..., Any]


@pytest.mark.parametrize(
    "position, action, args, clauses",
    [
        ("{left: 5}", "take", {"n": 2}, ()),
        ("{left: 5}", "take", {}, ()),
        ("{left: 5}", "take", {"n": 3}, ("few",)),
        ("{left: 1}", "take", {"n": 3}, ("enough", "few")),
        ("{left: 1}", "take", {"n": 2}, ("enough",)),
        ("{left: 5}", "take", {"n": 9}, ("take",)),
        ("{left: 5}", "take", {"m": 1}, ("take",)),
        ("{left: 0}", "take", {"n": 1}, ("empty",)),
        ("{left: 0, waiting: true}", "refill", {}, ("empty",)),
        ("{left: 3, waiting: true}", "take", {"n": 1}, ("refill",)),
        ("{left: 3, waiting: true}", "refill", {}, ()),
        ("{left: 3}", "refill", {}, ("refill",)),
        ("{left: 3}", "peek", {}, ("peek",)),
        ("{left: 2, row: [4]}", "peek", {}, ("first-is-low",)),
        ("{left: 2, row: [1]}", "peek", {}, ()),
    ],
)
def test_forbidding(read: Read, position: str, action: str, args: dict[str, object], clauses: tuple[str, ...]) -> None:
    small = read(GAME)
    found = forbidding(small.game, small.state(position), action, args)
    assert found.legal == (not clauses)
    assert found.clauses == clauses


def test_what_failed_can_be_shown(read: Read) -> None:
    small = read(GAME)
    found = forbidding(small.game, small.state("{left: 1}"), "take", {"n": 2})
    assert [(c, e.span is not None) for c, e in found.failed] == [("enough", True)]
    assert [dict(m.args) for m in found.candidates] == [{"n": 2}]


def test_left_out_is_any_value(read: Read) -> None:
    small = read(GAME)
    found = forbidding(small.game, small.state("{left: 5}"), "take", {})
    assert [dict(m.args)["n"] for m in found.candidates] == [1, 2]


def test_the_candidate_that_fits_best(read: Read) -> None:
    small = read(GAME.replace("n <= left", "n == 5").replace("n <= 2", "n == 3"))
    found = forbidding(small.game, small.state("{left: 5}"), "take", {})
    assert found.clauses == ("enough",)
    assert [dict(m.args)["n"] for m in found.candidates] == [3]


def test_a_fault_forbids(read: Read) -> None:
    small = read(GAME)
    found = forbidding(small.game, small.state("{left: 2}"), "peek", {})
    assert not found.legal
    assert found.clauses == ("first-is-low",)
    assert "no item 0" in found.faults["first-is-low"]
