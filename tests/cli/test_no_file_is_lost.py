"""Files that are there stay as they are, and a disk that is full is told in a line."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from tablelaw.cli import main

PLUMS = Path(__file__).resolve().parent.parent.parent / "docs" / "transcripts" / "plums.yaml"


def test_saving_a_position_does_not_overwrite_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`save` with the name of the rules file leaves the rules alone."""
    rules = tmp_path / "rules.yaml"
    rules.write_text(PLUMS.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr("sys.stdin", io.StringIO(f"save {rules}\n"))
    main(["play", str(rules)])
    assert rules.read_text(encoding="utf-8") == PLUMS.read_text(encoding="utf-8")
    assert "choose another name" in capsys.readouterr().out


def test_several_moves_at_once_are_not_one_question(capsys: pytest.CaptureFixture[str]) -> None:
    """`why` is asked about one move."""
    assert main(["why", str(PLUMS), "--move", "take(n=1) * 2"]) == 2
    assert "a single move" in capsys.readouterr().err


def test_a_fault_in_who_wins_is_a_fault_of_the_rules(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`winners` that has no value where the game ends makes `in-range` fail, in both engines."""
    path = tmp_path / "rules.yaml"
    path.write_text(
        "tablelaw: 1\ngame: g\ntitle: G\nplayers: 2\n"
        "state: {turn: {type: Player}, x: {type: 0..3}}\nactions:\n  go: {by: turn, do: x += 1}\n"
        "end:\n  - {id: e, when: x == 2, winners: '{max(p for p in Player if p > x)}'}\n",
        encoding="utf-8",
    )
    for engine in ("explicit", "symbolic"):
        assert main(["check", str(path), "--question", "in-range", "--engine", engine]) == 1
    assert "`max` of nothing" in capsys.readouterr().out
    text = path.read_text(encoding="utf-8") + "questions: {b: {reach: '0 in winners()', expect: fails}}\n"
    path.write_text(text, encoding="utf-8")
    for engine in ("explicit", "symbolic"):
        assert main(["check", str(path), "--question", "b", "--engine", engine]) == 3


def test_formatting_through_a_link_keeps_the_link(tmp_path: Path) -> None:
    """The file that the link names is written; the link stays."""
    target, link = tmp_path / "rules.yaml", tmp_path / "link.yaml"
    target.write_text("title: G\ngame: g\nplayers: 2\ntablelaw: 1\n", encoding="utf-8")
    link.symlink_to(target)
    assert main(["format", str(link), "--write"]) == 0
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8").startswith("tablelaw: 1")
