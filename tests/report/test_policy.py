"""What to do for a figure, as it is printed and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tablelaw.cli import main
from tablelaw.report.text import figure
from tablelaw.solver.verdict import Verdict

PIGLET = Path(__file__).resolve().parent.parent.parent / "docs" / "transcripts" / "piglet.yaml"

CHOICE = """tablelaw: 1
game: choice
title: Choice
players: 1
types: {Tool: [a_rather_long_name_of_a_tool, another_rather_long_name_of_a_tool]}
state:
  had: {type: "set[Tool]", init: "{t for t in Tool}"}
  of: {type: "map[Tool, 0..4]", init: 0}
  left: {type: 0..2, init: 2}
actions:
  take:
    by: 0
    during: left > 0
    params: {tool: Tool}
    chance: {x: die(4)}
    do: |
      of[tool] += 1 if x > (1 if tool == a_rather_long_name_of_a_tool else 2) else 0
      left -= 1
questions:
  much: {odds: "sum(of[t] for t in Tool) == 2", play: best}
end:
  - {id: over, when: left == 0}
"""


def said(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """What the command says."""
    main(list(words))
    return capsys.readouterr().out


def test_rows_that_differ_by_one_number_stand_together(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run of three or more as `0..3`; what is the same in all is told once; without plays nothing of it."""
    monkeypatch.setenv("COLUMNS", "80")
    out = said(capsys, "check", str(PIGLET), "--question", "first-player")
    assert "best play of player 0 (the 13 positions where it matters):" in out
    assert "      1    0         0..3      toss\n" in out
    assert "in all of these turn 0" in out
    short = said(capsys, "check", str(PIGLET), "--question", "first-player", "--no-plays")
    assert "best play" not in short
    none = said(capsys, "check", str(PIGLET), "--question", "always-hold")
    assert "best play" not in none


def test_as_json_every_position_stands_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """With the total, who moves, and the move."""
    [row] = json.loads(said(capsys, "check", str(PIGLET), "--question", "first-player", "--json"))["results"]
    policy = row["policy"]
    assert (policy["play"], policy["total"], len(policy["positions"])) == ("best", 13, 13)
    assert {"position": {"turn": 0, "pot": 1, "score": {"0": 0, "1": 3}}, "actor": 0, "move": "toss"} in policy["positions"]
    [other] = json.loads(said(capsys, "check", str(PIGLET), "--question", "tosses", "--json"))["results"]
    assert "policy" not in other


def test_a_table_too_wide_is_told_in_lines(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Each position with its move; what the figure does not depend on is not told."""
    monkeypatch.setenv("COLUMNS", "80")
    path = tmp_path / "rules.yaml"
    path.write_text(CHOICE, encoding="utf-8")
    out = said(capsys, "check", str(path), "--question", "much")
    assert "9/16" in out
    assert "take(tool=a_rather_long_name_of_a_tool)" in out
    assert all(len(line) <= 80 for line in out.splitlines())
    assert "had" not in out.split("best play")[1]


def test_bounds_are_rounded_outwards() -> None:
    """What is printed still holds the figure."""
    told = Verdict("value", "exhausted", interval=("1234567891/10000000000", "-1/3"))
    assert figure(told) == "from 0.123456789 to -0.333333333"
    told = Verdict("value", "exhausted", interval=("-1/3", "1234567891/10000000000"))
    assert figure(told) == "from -0.333333334 to 0.123456790"


def test_a_long_fraction_is_told_by_its_length() -> None:
    """A person reads the figure, a program the fraction."""
    told = Verdict("value", "exhausted", value=f"{10**60 + 1}/{2 * 10**60}")
    assert figure(told) == "about 0.5 (exact, a fraction of 122 digits: `--json` has it)"
