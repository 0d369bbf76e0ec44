"""`tablelaw ask` and `tablelaw moves`: what a person types and reads."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from tablelaw.cli import main

ROOT = Path(__file__).resolve().parents[2]
PLUMS = str(ROOT / "docs" / "transcripts" / "plums.yaml")
MEADOW, AT = (str(ROOT / "docs" / "transcripts" / name) for name in ("meadow.yaml", "meadow-at.yaml"))
PIG = str(ROOT / "examples" / "pig")


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("TABLELAW_ASCII", raising=False)


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Exit status, output and complaints."""
    status = main(list(words))
    out, err = capsys.readouterr()
    return status, out, err


@pytest.mark.parametrize(
    "claim, status, told",
    [
        ("take(n=2)", 0, "legal"),
        ("left == 5", 0, "yes, in this position it is so"),
        ("left == 4", 1, "no, in this position it is not so"),
        ("take(n=2) gives left == 3", 0, "yes, it leads there"),
        ("take(n=2) gives left == 2", 1, "no, it does not lead there"),
        ("never left == 1", 1, "no, it can come about"),
        ("always left >= 0", 0, "yes, it is always so"),
        ("can left == 2", 0, "yes, it can come about"),
        ("can left > 5", 1, "no, it never comes about"),
        ("10 // (left - 5) == 1", 3, "not known: it has no value here"),
    ],
)
def test_the_answer_and_its_exit_status(claim: str, status: int, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    """0 right or legal, 1 not, 3 not known; the sentence says the same."""
    found, out, err = run(capsys, "ask", PLUMS, claim)
    assert (found, err) == (status, "")
    assert told in out
    assert "position: turn 0, left 5" in out


def test_an_illegal_move_has_its_clause_its_words_and_the_nearest_change(capsys: pytest.CaptureFixture[str]) -> None:
    """As `why` tells it."""
    status, out, _ = run(capsys, "ask", PLUMS, "--at", "{left: 1, eaten: {0: 2, 1: 2}}", "take(n=2)")
    assert status == 1
    assert "illegal: forbidden by in-the-bowl" in out
    assert "in-the-bowl (house#2): Nobody takes more than there are." in out
    assert "It would be legal if left were 2 instead of 1." in out


def test_the_board_is_drawn_before_and_after(capsys: pytest.CaptureFixture[str]) -> None:
    """The position that is asked about, and the one that the move leads to, with who stands where."""
    status, out, _ = run(capsys, "ask", MEADOW, "--at", AT, "fly -> far=1 gives size(standing) == 3")
    assert status == 0
    assert out.count("▒▒1▒▒") == 2
    assert out.count("▒▒0▒▒") == 1
    assert "not so under shared=no" in out
    assert "by comes-down (house#6): Whoever flew it stands in the town" in out


def test_moves_played_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From a text or a file with a move a line; the claim is about where they lead."""
    assert run(capsys, "ask", PIG, "--after", "roll -> pips=3; roll -> pips=4", "pot == 7", "hold")[0] == 0
    file = tmp_path / "moves.txt"
    file.write_text("# two rolls\nroll -> pips=3\n\nroll -> pips=4\n", encoding="utf-8")
    assert run(capsys, "ask", PIG, "--after", str(file), "pot == 7")[0] == 0
    status, _, err = run(capsys, "ask", PIG, "--after", "roll -> pips=3; hodl", "pot == 3")
    assert status == 2
    assert "--after:1:17" in err
    assert "did you mean `hold`?" in err


def test_a_position_from_standard_input(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`--at -`."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("left: 2\n"))
    assert run(capsys, "ask", PLUMS, "--at", "-", "left == 2")[0] == 0


def test_several_claims_and_json(capsys: pytest.CaptureFixture[str]) -> None:
    """A result for each claim in order; one that is not so makes the whole exit 1."""
    status, out, _ = run(capsys, "ask", PLUMS, "take(n=2)", "left == 4", "can left == 2", "left", "--json")
    rows = json.loads(out)["results"]
    assert status == 1
    assert [r["verdict"] for r in rows] == ["legal", "fails", "holds", "value"]
    assert [r["question"] for r in rows] == ["ask"] * 4
    assert rows[3]["value"] == "5"
    assert rows[0]["differs"] == [{"handful": "one"}]
    assert rows[1]["nearest"] == ["left were 4 instead of 5"]


@pytest.mark.parametrize(
    "words, told",
    [
        (["left == "], "the claim:1:"),
        (["left == 5", "lefft == 4"], "claim 2:1:1"),
        (["tkae(n=2)"], "did you mean `take`?"),
        (["take(n=7)"], "this lies outside"),
        ([""], "there is no claim here"),
        (["left == 5", "--at", "{lefft: 2}"], "did you mean `left`?"),
        (["left == 5", "--at", "nowhere.yaml"], "nowhere.yaml"),
        (["left == 5", "--after", "..."], "all named"),
        (["left == 5", "--option", "handful=six"], "handful"),
        ([], "CLAIM"),
    ],
)
def test_what_cannot_be_read_is_told(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit status 2, a finding with its place, nothing on standard output."""
    status, out, err = run(capsys, "ask", PLUMS, *words)
    assert (status, out) == (2, "")
    assert told in err
    assert "Traceback" not in err


def test_a_position_that_no_play_reaches_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An invariant of the game that the position breaks is named."""
    text = Path(PLUMS).read_text(encoding="utf-8").split("\nquestions:")[0]
    file = tmp_path / "rules.yaml"
    file.write_text(text + "\nquestions:\n  few: {always: left <= 3}\n", encoding="utf-8")
    _, out, _ = run(capsys, "ask", str(file), "--at", "{left: 4}", "left == 4")
    assert "no play leads to this position: it breaks `few`" in out


def test_alone_looks_at_no_other_options(capsys: pytest.CaptureFixture[str]) -> None:
    """`--alone` leaves out what would be so under other readings."""
    assert "handful" in run(capsys, "ask", PLUMS, "can(take, n=2)")[1]
    assert "handful" not in run(capsys, "ask", PLUMS, "can(take, n=2)", "--alone")[1]


def test_the_moves_of_a_position(capsys: pytest.CaptureFixture[str]) -> None:
    """All legal moves, in words and as JSON; of one action; at an end there are none."""
    status, out, _ = run(capsys, "moves", PLUMS)
    assert status == 0
    assert "take (player 0, 2 moves)\n  take(n=1)  take(n=2)" in out
    row = json.loads(run(capsys, "moves", PLUMS, "--at", "{left: 1}", "--json")[1])["results"][0]
    assert (row["value"], row["moves"], row["ended"]) == ("1", [{"move": "take(n=1)", "actor": 0}], None)
    assert run(capsys, "moves", MEADOW, "--at", AT, "--action", "fly")[1].rstrip().endswith("fly(craft=part((1, 1), kite))")
    assert "the game has ended by `empty-bowl`" in run(capsys, "moves", PLUMS, "--at", "{left: 0, eaten: {0: 3, 1: 2}}")[1]
    status, _, err = run(capsys, "moves", PLUMS, "--action", "tkae")
    assert status == 2
    assert "did you mean `take`?" in err


def test_who_stands_in_a_bag_may_be_the_nearest_change(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A bag of what stands on parts has more values than can be listed; a figure taken away is a change all the same."""
    text = Path(MEADOW).read_text(encoding="utf-8")
    file = tmp_path / "rules.yaml"
    file.write_text(text.replace('"list[Standing, 12]", init: []', '"bag[Standing, 12]", init: bag()'), encoding="utf-8")
    at = '{phase: placing, standing: {"Standing(owner=1, part=part((0, 0), town, N))": 1}}'
    status, out, _ = run(capsys, "ask", str(file), "--at", at, "stand(part=part((0, 0), town, N))")
    assert status == 1
    assert "illegal: forbidden by alone" in out
    assert "legal if `Standing(owner=1, part=part((0, 0), town, N))` were not in `standing`." in " ".join(out.split())
