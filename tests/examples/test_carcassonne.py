"""Carcassonne and the Flying Machines: scenarios, and the answers that their README tells."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from tablelaw.checkers.result import Result
from tablelaw.checkers.selection import Request
from tablelaw.checkers.session import Session
from tablelaw.cli import main
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import Rules, check_everywhere, load

FOLDER = Path(__file__).resolve().parent.parent.parent / "examples" / "carcassonne"
BASE, FLYING = "base.yaml", "flying_machines.yaml"
PROVED = (
    "never-on-a-field", "never-on-completed", "never-off-the-map", "crash-returns", "one-flight-a-turn", "in-the-air",
    "flier-on-machine", "mayor-only-cities", "abbot-only-monasteries-and-gardens", "landing-exists-or-crash", "progress",
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


@cache
def rules(name: str) -> Rules:
    """A file of the example, read and checked under every option."""
    sink = Diagnostics()
    found = load(str(FOLDER / name), sink)
    assert found is not None, [d.message for d in sink]
    check_everywhere(found, sink)
    assert [d.message for d in sink] == []
    return found


def answers(name: str, request: Request) -> list[Result]:
    """All that a file has to say to a request."""
    sink = Diagnostics()
    session = Session(rules(name), request, sink)
    assert session.check(), [d.message for d in sink]
    found = [result for _, _, result in session.answers(list(session.selection.cases())) if result is not None]
    assert [d.message for d in sink] == []
    assert found
    return found


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
