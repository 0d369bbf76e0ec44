"""What to do for a figure, as it is printed and as JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tablelaw.cli import main
from tablelaw.report import policy
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
    told = row["policy"]
    assert (told["play"], told["total"], len(told["positions"])) == ("best", 13, 13)
    assert {"position": {"turn": 0, "pot": 1, "score": {"0": 0, "1": 3}}, "actor": 0, "move": "toss"} in told["positions"]
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
    table = out.split("best play")[1]
    assert "had" not in table
    assert "      of[a_rather_long_name_of_a_tool] 0; left 2:" in table


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


DASH = """tablelaw: 1
game: dash
title: Dash
players: 1
state:
  pos: {type: 0..15, init: 0}
actions:
  safe: {by: 0, during: pos < 10, chance: {d: "die([1, 2])"}, do: pos += d}
  wild: {by: 0, during: pos < 10, chance: {d: "die([0, 6])"}, do: pos += d}
end:
  - {id: home, says: Home., when: pos >= 10, winners: "{0}"}
questions:
  soon: {odds: ended(), before: "times('safe') + times('wild') >= 5", play: best}
  other: {odds: "ended() and (times('wild') >= 1) != (pos == 10)", play: best}
"""


def rows_of(out: str) -> list[list[str]]:
    """The rows of a table, apart in columns."""
    lines = [line.strip() for line in out.splitlines() if line.startswith("      ")]
    return [re.split("  +", line) for line in lines]


def test_counts_that_are_read_stand_in_a_column(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """So that no position is told with two moves; as JSON beside the position."""
    path = tmp_path / "rules.yaml"
    path.write_text(DASH, encoding="utf-8")
    head, *rows = rows_of(said(capsys, "check", str(path), "--question", "soon"))
    assert head == ["pos", "times('safe')", "times('wild')", "move"]
    assert len({tuple(row[:-1]) for row in rows}) == len(rows)
    assert {row[-1] for row in rows} == {"safe", "wild"}
    [told] = json.loads(said(capsys, "check", str(path), "--question", "soon", "--json"))["results"]
    found = told["policy"]["positions"]
    assert all(p["times"].keys() == {"safe", "wild"} and p["position"].keys() == {"pos"} for p in found)
    assert len({json.dumps([p["position"], p["times"]]) for p in found}) == len(found)


def test_a_count_no_longer_followed_is_told_as_more(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Also where it ends a run."""
    path = tmp_path / "rules.yaml"
    path.write_text(DASH, encoding="utf-8")
    _, *rows = rows_of(said(capsys, "check", str(path), "--question", "other"))
    assert any(row[1].endswith(" or more") for row in rows)
    [told] = json.loads(said(capsys, "check", str(path), "--question", "other", "--json"))["results"]
    assert {p["times"]["wild"] for p in told["policy"]["positions"]} == {0, 1, "2 or more"}
    assert policy._runs(["0", "1", "3 or more"]) == "0, 1, 3 or more"
    assert policy._runs(["0", "2", "3 or more"]) == "0, 2 or more"
    assert policy._runs(["5", "0", "1", "2"]) == "0..2, 5"


BOARD = """tablelaw: 1
game: squares
title: Squares
players: 2
types: {Column: 0..1, Row: 0..2}
state:
  turn: {type: Player, init: 0}
  board: {type: "map[Column, map[Row, maybe[Player]]]", init: none}
  used: {type: "map[Player, map[Column, bool]]", init: false}
actions:
  mark:
    by: turn
    params: {column: Column, row: Row}
    require:
      - {id: free, says: Free squares only., check: "board[column][row] == none"}
    do:
      - board[column][row] = turn
      - used[turn][column] = true
      - turn = after(turn)
end:
  - {id: full, when: "all(board[c][r] != none for c in Column for r in Row)"}
questions:
  both: {odds: "ended() and all(board[c][0] == 0 for c in Column) and used[1][1]", play: best, who: [0]}
  listed: {odds: "board[0][0] == 0", play: [mark]}
  alone: {odds: "board[0][0] == 0", before: turn == 1, play: [mark]}
"""


def test_a_board_is_told_row_by_row(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The items of a row side by side without their keys, how to read them below; positions sorted by what is shown."""
    monkeypatch.setenv("COLUMNS", "80")
    path = tmp_path / "rules.yaml"
    path.write_text(BOARD, encoding="utf-8")
    out = said(capsys, "check", str(path), "--question", "both")
    head, *rows = rows_of(out.split("matters; `--json` has up to 200):")[1])
    assert head[:2] == ["board[0]", "board[1]"]
    assert all(re.fullmatch("[.01] [.01] [.01]", x) for row in rows for x in row[:2])
    assert rows == sorted(rows)
    assert "none" not in " ".join(map(" ".join, rows))
    assert "each `board[…]` is told from 0 to 2, `.` none" in out
    [found] = json.loads(said(capsys, "check", str(path), "--question", "both", "--json"))["results"]
    assert found["policy"]["positions"][0]["position"]["board"]["0"].keys() == {"0", "1", "2"}


def test_a_list_is_said_to_be_everybodys(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """Where several players move before it is decided."""
    path = tmp_path / "rules.yaml"
    path.write_text(BOARD, encoding="utf-8")
    note = "every player follows the list of `play`"
    assert note in said(capsys, "check", str(path), "--question", "listed")
    assert note not in said(capsys, "check", str(path), "--question", "alone")
    assert note not in said(capsys, "check", str(path), "--question", "both")


HANDS = """tablelaw: 1
game: hands
title: Hands
players: 1
types: {Col: [red, blue, green]}
state:
  hand: {type: "bag[Col, 2]", init: bag()}
  n: {type: 0..2, init: 0}
  won: {type: bool, init: false}
actions:
  roll: {by: 0, during: n == 0, chance: {c: "roll(2, Col)"}, do: "hand = c\\nn = 1"}
  safe: {by: 0, during: n == 1, chance: {x: die(2)}, do: "won = x == 1\\nn = 2"}
  bold: {by: 0, during: n == 1, chance: {x: die(3)}, do: "won = x <= hand[red]\\nn = 2"}
end: [{id: over, when: n == 2}]
questions:
  q: {odds: won, play: best}
"""


def test_of_a_bag_kept_in_part_only_that_part_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """`hand red` would be a hand of one; told is how many red ones are in the hand, and so none too."""
    path = tmp_path / "rules.yaml"
    path.write_text(HANDS, encoding="utf-8")
    out = said(capsys, "check", str(path), "--question", "q")
    assert re.search(r"hand\[red\] +move\n +0, 1 +safe\n +2 +bold\n", out), out
    told = json.loads(said(capsys, "check", str(path), "--question", "q", "--json"))["results"][0]["policy"]
    assert sorted(p["position"]["hand"]["red"] for p in told["positions"]) == [0, 1, 2]
    assert all(p["position"]["hand"].keys() == {"red"} for p in told["positions"])
