"""Printed cities of which only the end is told: a play is sought with the board left open, then laid with real dice."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablelaw.checkers.selection import Request
from tablelaw.checkers.session import Session
from tablelaw.solver.evaluate import place
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import load
from tablelaw.spec.reckon import value

RULES = Path(__file__).parents[2] / "examples/carcassonne-dice/rules.yaml"
OPEN = f"""
include: [{RULES.as_posix()}]
tablelaw: 1
game: carcassonne-dice
title: Open
players: 2..5
questions:
  city-of-six: {{possible: six}}
  city-of-nine: {{possible: nine}}
scenarios:
  six: {{play: ["...", stop], then: [largest() == 6]}}
  nine: {{play: ["...", stop], then: [largest() == 9, "score[0] == POINTS[9]"]}}
"""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "dice"), [("city-of-six", 6), ("city-of-nine", 9)])
def test_only_the_end_of_the_play_is_told(tmp_path: Path, name: str, dice: int) -> None:
    (tmp_path / "rules.yaml").write_text(OPEN, "utf-8")
    sink = Diagnostics()
    rules = load(str(tmp_path / "rules.yaml"), sink)
    assert rules is not None
    session = Session(rules, Request(questions=(name,), seconds=300.0, cores=False), sink)
    found = [r for _, _, r in session.answers(list(session.selection.cases())) if r is not None]
    assert [r.verdict.verdict for r in found] == ["holds"]
    trace, game = found[0].trace, found[0].game
    assert trace is not None
    assert game is not None
    largest = game.names.bodies["largest"].formula
    assert value(largest, place(game, trace.steps[-1].state)) == dice
