"""Carcassonne and the Flying Machines: scenarios, and the answers that their README tells."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tablelaw.checkers.result import Result
from tablelaw.checkers.selection import Request
from tablelaw.cli import main
from tablelaw.spec.load import Rules
from tablelaw.testing.asked import every_answer, faultless

FOLDER = Path(__file__).resolve().parent.parent.parent / "examples" / "carcassonne"
BASE, FLYING = "base.yaml", "flying_machines.yaml"
PROVED = (
    "never-on-a-field", "never-on-completed", "never-off-the-map", "crash-returns", "one-flight-a-turn", "in-the-air",
    "flier-on-machine", "mayor-only-cities", "abbot-only-monasteries-and-gardens", "landing-exists-or-crash", "progress",
    "completed-is-empty",
    "tile-edges-match", "followers-conserved", "tiles-conserved", "no-tile-lost", "shared-monastery-without-flights", "ends",
)  # fmt: skip
"""Questions whose answer is a proof."""
SHOWN = ("shared-monastery", "shared-road-same-turn", "shared-road")
"""Questions answered by a play."""
NOTES = {
    "note-1": "fills-gap", "note-2": "fills-gap", "note-3": "entailed", "note-4": "conflicts", "note-4-forbids": "entailed",
    "note-5": "conflicts", "note-5-first": "entailed", "note-5-halves": "conflicts", "note-6": "entailed",
    "note-7": "conflicts", "note-8": "conflicts", "note-9": "entailed", "note-10": "entailed", "note-11": "entailed",
    "note-12": "entailed",
}  # fmt: skip


def rules(name: str) -> Rules:
    """A file, read and checked under every option."""
    return faultless(str(FOLDER / name))


def answers(name: str, request: Request) -> list[Result]:
    """All that a file has to say to a request."""
    return every_answer(rules(name), request)


@pytest.mark.parametrize("name", [BASE, FLYING, "tiles.yaml"])
def test_a_file_is_written_canonically(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["format", "--check", str(FOLDER / name)]) == 0, capsys.readouterr()


@pytest.mark.parametrize("name", [BASE, FLYING])
def test_scenarios_go_as_written(name: str) -> None:
    names = tuple(rules(name).document.scenarios)
    assert len(names) > 8
    assert [r.question for r in answers(name, Request(names)) if r.verdict.verdict != "holds"] == []


def test_every_question_of_the_notes_is_looked_at() -> None:
    doc = rules(FLYING).document
    assert {q for q in doc.questions if q.startswith("note-")} == set(NOTES)


def test_why_names_the_check_where_the_table_acts_next(capsys: pytest.CaptureFixture[str]) -> None:
    """The one monastery is completed, so the flier crashes: the monastery is forbidden by what it fails, not by the crash."""
    at = """{phase: landing, flier: plain, flown: true, target: "(0, 0)", last: "(1, 1)", box: {TU: 1}, table: {"(-1, -1)": TB,
      "(0, -1)": TE, "(1, -1)": TB, "(-1, 0)": TE/3, "(0, 0)": TB, "(1, 0)": TE/1, "(-1, 1)": TB, "(0, 1)": TE/2,
      "(1, 1)": FM2},
      standing: {"Standing(owner=0, kind=plain, part=part((1, 1), machine))": 1}, reserve: {0: {plain: 6}, 1: {plain: 7}}}"""
    move = "land(part=part((0, 0), monastery))"
    assert main(["why", str(FOLDER / FLYING), "--at", at, "--move", move]) == 1
    out = capsys.readouterr().out
    assert out.startswith("illegal: forbidden by unfinished\n")
    assert "legal here: crash\n" in out


def asking(folder: Path, question: str) -> str:
    """A file that asks something more of the expansion."""
    path = folder / "more.yaml"
    head = f"tablelaw: 1\ngame: more\ntitle: More\nplayers: 2..5\ninclude: {FOLDER / FLYING}\nquestions:\n"
    path.write_text(head + question, encoding="utf-8")
    return str(path)


def test_a_play_from_a_position_can_be_played_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command that is told begins in that position."""
    spec = asking(
        tmp_path,
        """
  flies:
    given: {phase: placing, table: {"(0, 0)": TB/0, "(1, 0)": FM1/0}, box: {TU: 3}, last: "(1, 0)"}
    reach: phase == landing
""",
    )
    assert main(["check", spec, "--question", "flies"]) == 0
    words = shlex.split(capsys.readouterr().out.partition("replay: ")[2].partition("\n1 answer")[0].replace("\\\n", ""))
    assert words[0] == "tablelaw"
    assert "--at" in words
    assert main(words[1:]) == 0
    assert "phase placing → landing" in capsys.readouterr().out


@pytest.mark.slow
def test_a_figure_is_told_where_the_board_cannot_be_left_open(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The city is level and the other player has the last tile: only a second flier in it, on a one, wins. 27,693 positions."""
    spec = asking(
        tmp_path,
        """
  two-fliers-win:
    given:
      phase: laying
      drawn: FM2
      box: {TE: 1}
      table: {"(0, 0)": TF, "(1, 0)": TE/3, "(2, 0)": FM1}
      standing:
        "Standing(owner=1, kind=plain, part=part((0, 0), city, W))": 1
        "Standing(owner=0, kind=plain, part=part((1, 0), city, W))": 1
      reserve: {0: {plain: 6}, 1: {plain: 6}}
    odds: 0 in winners()
    play: best
    who: [0]
""",
    )
    assert main(["check", spec, "--question", "two-fliers-win"]) == 0
    assert capsys.readouterr().out.startswith("two-fliers-win: 1/3 ")


@pytest.mark.slow
@pytest.mark.parametrize("question", PROVED)
def test_a_claim_is_proved(question: str) -> None:
    (result,) = answers(FLYING, Request((question,), seconds=180.0, cores=False))
    assert (result.verdict.verdict, result.verdict.known_by) == ("holds", "proved"), result.verdict.reason


@pytest.mark.slow
@pytest.mark.parametrize("question", SHOWN)
def test_a_play_is_shown(question: str) -> None:
    (result,) = answers(FLYING, Request((question,), seconds=180.0, cores=False))
    assert result.verdict.verdict == "holds"
    assert result.verdict.trace is not None


@pytest.mark.slow
@pytest.mark.parametrize("question", NOTES)
def test_a_note_is_judged(question: str) -> None:
    (result,) = answers(FLYING, Request((question,), seconds=180.0, cores=False))
    assert result.verdict.verdict == NOTES[question], result.verdict.reason


@pytest.mark.slow
def test_the_editions_part() -> None:
    (result,) = answers(FLYING, Request(("editions-part",), seconds=180.0, cores=False))
    assert (result.verdict.verdict, result.verdict.value) == ("fails", "right")


@pytest.mark.slow
def test_the_phantom_after_a_crash_depends_on_the_reading() -> None:
    found = answers(FLYING, Request(("phantom-after-crash",), seconds=180.0, cores=False))
    assert [r.verdict.verdict for r in found] == ["fails", "holds"]
