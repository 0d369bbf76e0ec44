"""Games whose single moves cannot be listed are told as such, before anything runs."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tablelaw.cli import main

HUGE = """
tablelaw: 1
game: huge
title: Huge
players: 2
types: {Face: 1..6}
state: {turn: {type: Player, init: 0}, x: {type: 0..3, init: 0}}
actions:
  go: {by: turn, chance: {a: 'roll(30, Face)', b: 'roll(30, Face)'}, do: x = 1}
questions: {on: {progress: true}}
"""


@pytest.mark.parametrize("engine", ["auto", "explicit", "symbolic"])
def test_a_move_with_too_many_draws_is_unknown_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str], engine: str) -> None:
    """Two rolls of thirty dice have a hundred thousand million draws; the answer says so and takes no time."""
    path = tmp_path / "rules.yaml"
    path.write_text(HUGE, encoding="utf-8")
    began = time.process_time()
    assert main(["check", str(path), "--question", "on", "--engine", engine]) == 3
    assert time.process_time() - began < 10
    assert "105,385,935,424 draws" in capsys.readouterr().out
