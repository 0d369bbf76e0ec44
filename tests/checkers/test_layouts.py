"""Questions over all layouts as the command answers them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tablelaw.cli import main

RULES = """
tablelaw: 1
game: posts
title: Posts
players: 2
pieces:
  Post:
    parts: {road: {at: sides}}
    rotation: fixed
    contact: mine == theirs
    faces: {post: {road: [[N, S]]}, rail: {road: [[E, W]]}}
state:
  turn: {type: Player, init: 1}
  yard: {type: "layout[Post, 6]", init: {}}
  court: {type: "layout[Post, 2, 3]", init: {}}
actions:
  go: {by: turn, do: turn = after(turn)}
questions:
  "long-{n}":
    for: {n: 1..3}
    some-layout: any(f.size == n for f in features(yard, road))
    of: yard
    size: n
  side-by-side: {count: layouts, of: yard, size: 2, expect: 4}
  row: {count: layouts, of: yard, size: 2..3, where: all(c.y == d.y for c in yard for d in yard)}
  on-the-court: {count: layouts, of: court, size: 4}
  never-closed: {every-layout: "not any(f.closed for f in features(yard, road))", of: yard, size: 1..4}
  both: {every-layout: "all(yard[c].face == post for c in yard)", of: yard, size: 2}
"""


def answers(tmp_path: Path, capsys: pytest.CaptureFixture[str], *more: str) -> tuple[int, dict[str, dict[str, Any]]]:
    """Exit status and results by question."""
    path = tmp_path / "rules.yaml"
    path.write_text(RULES, encoding="utf-8")
    status = main(["check", str(path), "--json", *more])
    told = json.loads(capsys.readouterr().out)
    return status, {r["question"]: r for r in told["results"]}


def test_answers_and_what_shows_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Yes with a layout, all else as at the start; no and numbers with the layouts looked at."""
    status, found = answers(tmp_path, capsys)
    assert status == 1  # `both` fails
    for n in (1, 2, 3):
        assert found[f"long-{n}"]["verdict"] == "holds"
        (step,) = found[f"long-{n}"]["trace"]["steps"]
        assert len(step["state"]["yard"]) == n
        assert step["state"]["turn"] in (1, "1")
    assert found["side-by-side"]["value"] == "4"  # in a row two posts or two rails, and in a column likewise
    assert found["side-by-side"]["as_expected"]
    assert found["row"]["value"] == "4"
    assert found["never-closed"]["verdict"] == "holds"
    assert found["never-closed"]["known_by"] == "exhausted"
    assert found["never-closed"]["bound"] == "all connected layouts of 1 to 4 pieces"
    assert found["both"]["verdict"] == "fails"
    assert "rail" in str(found["both"]["trace"]["steps"][0]["state"]["yard"])


def test_a_board_is_not_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Four squares out of two by three, all posts or all rails, as a post and a rail never touch."""
    _, found = answers(tmp_path, capsys, "--question", "on-the-court")
    shapes = 1 + 2 + 2 + 1 + 1 + 2  # the square; L, J, S, Z and T standing up
    assert found["on-the-court"]["value"] == str(2 * shapes)


def test_text_names_the_layouts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The answer is told with what was looked at."""
    path = tmp_path / "rules.yaml"
    path.write_text(RULES, encoding="utf-8")
    assert main(["check", str(path), "--question", "never-closed", "--question", "row"]) == 0
    out = capsys.readouterr().out
    assert "never-closed: holds — over all connected layouts of 1 to 4 pieces" in out
    assert "row: 4 — over all connected layouts of 2 to 3 pieces" in out
