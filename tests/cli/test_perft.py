"""`tablelaw perft`: known counts, the shares of first moves, draws counted apart, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tablelaw.cli import main

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
ROUND = """\
tablelaw: 1
game: round
title: Round
players: 2
state:
  turn: {type: Player, init: 0}
  tick: {type: 0..1, init: 0}
  left: {type: 0..3, init: 3}
actions:
  pass_on:
    by: turn
    during: tick == 0
    chance: {side: die(2)}
    do: |
      left -= 1
      tick = 1
  settle:
    by: table
    during: tick == 1
    do: |
      tick = TICK
      turn = after(turn)
constants: {TICK: 0}
end: [{id: out, says: Over., when: left == 0}]
"""


def value(argv: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    """The one result."""
    assert main([*argv, "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["results"]
    assert isinstance(row, dict)
    return row


@pytest.mark.parametrize(
    ("depth", "count"), [(1, 9), (2, 72), (3, 504), (4, 3024), (5, 15120), (6, 54720), (7, 148176), (8, 200448), (9, 127872)]
)
def test_tic_tac_toe_has_the_known_counts(depth: int, count: int, capsys: pytest.CaptureFixture[str]) -> None:
    """The numbers of tic-tac-toe are known; 127,872 plays fill the board, games that end before do not count."""
    row = value(["perft", str(EXAMPLES / "tic-tac-toe"), "--depth", str(depth)], capsys)
    assert (row["question"], row["kind"], row["value"]) == (f"perft-{depth}", "count", str(count))


def test_first_moves_divide_the_count(capsys: pytest.CaptureFixture[str]) -> None:
    """A corner, an edge and the middle lead to as many sequences as symmetry wants, and all together to the whole."""
    row = value(["perft", str(EXAMPLES / "tic-tac-toe"), "--depth", "6", "--divide"], capsys)
    shares = {s["move"]: int(s["value"]) for s in row["divide"]}  # type: ignore[attr-defined]
    assert shares["mark(square=4)"] == 5760
    assert {shares[f"mark(square={s})"] for s in (0, 2, 6, 8)} == {6000}
    assert {shares[f"mark(square={s})"] for s in (1, 3, 5, 7)} == {6240}
    assert sum(shares.values()) == 54720


def test_a_position_is_where_it_begins(capsys: pytest.CaptureFixture[str]) -> None:
    """With one square left one sequence of one move is possible, and none of two."""
    board = "{turn: 0, board: [0, 1, 0, 0, 1, 1, 1, 0, none]}"
    argv = ["perft", str(EXAMPLES / "tic-tac-toe"), "--at", board, "--depth"]
    assert value([*argv, "1"], capsys)["value"] == "1"
    assert value([*argv, "2"], capsys)["value"] == "0"


def test_draws_are_counted_apart_and_steps_of_the_table_are_not_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each move has two draws; what the table does between two moves is no move."""
    path = tmp_path / "rules.yaml"
    path.write_text(ROUND, encoding="utf-8")
    row = value(["perft", str(path), "--depth", "3", "--divide"], capsys)
    assert (row["value"], row["divide"]) == ("8", [{"move": "pass_on", "value": "8", "draws": 2}])
    assert value(["perft", str(path), "--depth", "4"], capsys)["value"] == "0"


def test_a_table_that_goes_round_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the table never stops acting, no move follows, and that is a count of none; nothing hangs."""
    path = tmp_path / "rules.yaml"
    path.write_text(ROUND.replace("TICK: 0", "TICK: 1"), encoding="utf-8")
    assert value(["perft", str(path), "--depth", "1", "--divide"], capsys)["value"] == "2"
    assert value(["perft", str(path), "--depth", "2", "--divide"], capsys)["value"] == "0"


def test_the_text_lines_numbers_up(capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each first move, the whole below: after a one the other player can only roll, else roll or hold."""
    assert main(["perft", str(EXAMPLES / "pig"), "--depth", "2", "--divide"]) == 0
    assert capsys.readouterr().out == "  41  roll   (6 draws)\n  41  sequences of 2 moves\n"  # 6 + 5 * (6 + 1)


@pytest.mark.parametrize("bad", [[], ["--depth", "0"], ["--depth", "x"], ["--depth", "2", "--at", "{turn: 7}"]])
def test_bad_usage_is_a_diagnostic(bad: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    """Without a depth, with none, or at a position that cannot be: exit status 2."""
    assert main(["perft", str(EXAMPLES / "tic-tac-toe"), *bad]) == 2
    assert "error[" in capsys.readouterr().err


def test_a_bound_of_time_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    """What takes longer than allowed is unknown, with exit status 3."""
    options = ["--option", "columns=7", "--option", "rows=6", "--option", "line=4"]
    assert main(["perft", str(EXAMPLES / "connect"), *options, "--depth", "20", "--time", "0.5"]) == 3
    assert "unknown — out of budget" in capsys.readouterr().out
