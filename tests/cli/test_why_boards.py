"""`tablelaw why` on boards: what is near is told first, a dozen of it, and soon."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from tablelaw.cli import main

DICE = str(Path(__file__).resolve().parent.parent.parent / "examples" / "carcassonne-dice")
SCATTERED = """{rolls: 1, ready: 0, shown: {cap: 2, tee: 1, corner: 2}, passed: 1,
  table: {"(0, 0)": cap/0, "(3, 3)": corner, "(6, -1)": straight/1}}"""
MANY = """
tablelaw: 1
game: many
title: Many
players: 1
state:
  left: {type: 0..9, init: 0}
actions:
  pick:
    by: 0
    params: {a: 0..99, b: 0..99, c: 0..99, d: 0..99}
    require: [{id: never, check: a + b + c + d < left}]
    do: left = left
  rest:
    by: 0
    do: left = left
"""


def why(capsys: pytest.CaptureFixture[str], at: str, move: str) -> tuple[int, str]:
    """The exit status, and what was printed without line breaks."""
    status = main(["why", DICE, "--at", at, "--move", move])
    return status, " ".join(capsys.readouterr().out.split())


def test_squares_near_the_move_come_first(capsys: pytest.CaptureFixture[str]) -> None:
    """The square asked about, then those beside it; the rest is counted."""
    status, out = why(capsys, SCATTERED, "build(face=cap, cell=(1, 0), rotation=3)")
    assert status == 1
    listed = out.split("legal here: ")[1]
    assert listed.startswith("build(face=cap, cell=(1, 0), rotation=0), ")
    assert listed.count("build(") == 12
    assert " more as at the start" in listed
    assert "cell=(6, -9)" not in listed


def test_squares_near_the_pieces_come_first(capsys: pytest.CaptureFixture[str]) -> None:
    """Where the move names no square."""
    _, out = why(capsys, SCATTERED, "build(face=straight)")
    assert "It would be legal if shown[straight] were 1 instead of 0." in out
    first = out.split("legal here: ")[1].split("rotation")[0]
    assert first in ("build(face=cap, cell=(6, -2), ", "build(face=cap, cell=(0, -1), ")


def test_the_answer_comes_soon(capsys: pytest.CaptureFixture[str]) -> None:
    """Hundreds of squares, four faces, all turns: reckoned in processor time, for machines are busy."""
    for move in ("build(face=cap, cell=(1, 0), rotation=3)", "build", "build(face=straight)", "stop"):
        began = time.process_time()
        why(capsys, SCATTERED, move)
        assert time.process_time() - began < 5.0, move


def test_json_counts_what_is_not_listed(capsys: pytest.CaptureFixture[str]) -> None:
    """`legal_moves` has a dozen, `more_moves` the number of the others."""
    main(["why", DICE, "--at", SCATTERED, "--move", "build(face=cap, cell=(1, 0), rotation=3)", "--json"])
    found = json.loads(capsys.readouterr().out)["results"][0]
    assert len(found["legal_moves"]) == 12
    assert found["more_moves"] is None or found["more_moves"] > 2000


@pytest.mark.slow
def test_more_choices_than_anybody_lists(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A hundred million choices: bounded, and said so; written out, the move is answered."""
    path = tmp_path / "many.yaml"
    path.write_text(MANY, encoding="utf-8")
    assert main(["why", str(path), "--move", "pick"]) == 2
    err = capsys.readouterr().err
    assert "more moves fit this than can be looked at" in err
    assert "with more of its parameters" in err
    assert main(["why", str(path), "--move", "pick(a=0, b=0, c=0, d=0)"]) == 1
    assert "It would be legal if left were 1 instead of 0." in capsys.readouterr().out
