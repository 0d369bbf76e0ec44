"""Every example reads without a finding, is written canonically, and answers as its author says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablelaw.checkers.result import Result
from tablelaw.checkers.selection import Request, Selection
from tablelaw.cli import main
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import Rules
from tablelaw.spec.settings import Setting
from tablelaw.testing.asked import every_answer, faultless

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"
GAMES = sorted(p.parent.name for p in EXAMPLES.glob("*/rules.yaml"))
DICE = "carcassonne-dice"
LINE = "line-dice"

SMALL: list[tuple[str, Setting]] = [
    ("nim", {}),
    ("nim", {"left-heap": "3", "middle-heap": "4", "right-heap": "5"}),
    ("nim", {"left-heap": "1", "middle-heap": "2", "right-heap": "3"}),
    ("pig", {}),
    ("pig", {"target-met": "more-than"}),
    ("tic-tac-toe", {}),
    ("tsuro-tiles", {}),
    ("black-path", {}),
    ("black-path", {"rows": "1", "columns": "3"}),
    ("black-path", {"rows": "3", "columns": "3"}),
]
ELSEWHERE = (
    "calavera", "craps", "knuth-yao", "chutes-and-ladders", "shut-the-box", "coupon-collector", "connect", "breakthrough",
    "dots-and-boxes", "sliding-puzzle", "hanoi", "kalah",
    "line-up",
)  # fmt: skip
"""Games with a test file of their own."""
LONG = {"pig": ("ends-surely", "first-player", "both-hold-at-20")}
"""Questions that take minutes."""
QUICK = (
    "dice-conserved", "at-most-three-rolls", "catapult-is-no-attack", "choose-one", "knight-lies-aside",
    "two-dice-bring-nothing", "nine-catapults", "no-knight-needed", "play-stops-at-once", "earliest-win", "scoring-is-optional",
    "example-1a", "example-1b-sk", "example-three-knights", "example-2",
)  # fmt: skip
"""Questions about the dice game that are answered at once."""
LINE_QUICK = (
    "trick-for-ever", "shortest-loop", "shortest-forced-loop", "first-cross-is-no-loop", "force", "force-second",
    *(f"lines-{n}" for n in range(1, 5)), *(f"loops-{n}" for n in range(1, 6)), "wins-of-1", "first-player-with-1",
)  # fmt: skip
"""Questions about Line Dice that are answered at once, by search on real boards."""
LINE_SLOW = (
    "always-one-winner", "ends", "dice-conserved", *(f"all-dice-for-{n}" for n in range(2, 7)), "true-lines-kept", "progress",
    "closer-never-wins", "never-back", "shortest-forced-loop-as-printed", "shortest-sabotage", "odd-loops",
    *(f"lines-{n}" for n in range(5, 9)), *(f"loops-{n}" for n in range(6, 9)), "last-seat", "sixteen-move-example",
    "sixteen-move-line", *(f"{q}-{n}" for q in ("wins-of", "first-player-with") for n in (2, 3)),
)  # fmt: skip
SOUGHT = ("sixteen-moves",)
"""Scenarios with open moves, which `possible:` seeks."""

SAMPLE: list[Setting] = [
    {"knight-die": "aside", "catapult-win": "roll"},
    {"rebuilding": "same-turn", "cities": "one"},
    {"rebuilding": "same-turn", "faces": "split-corner"},
    {"edition": "sk", "catapult-scoring": "roll", "knight-die": "aside"},
]


def rules(name: str) -> Rules:
    """A file, read and checked under every option."""
    return faultless(str(EXAMPLES / name / "rules.yaml"))


def answers(name: str, request: Request) -> list[Result]:
    """All that a file has to say to a request."""
    return every_answer(rules(name), request)


def odd(results: list[Result], *, open_too: bool = False) -> list[str]:
    """The answers that are not as expected (`open_too`: and those that are not known)."""
    return [
        f"{r.question} under {r.options}: {r.verdict.value or r.verdict.verdict}, {r.verdict.reason or ''}"
        for r in results
        if r.as_expected is False or (open_too and r.verdict.verdict == "unknown")
    ]


@pytest.mark.parametrize("name", GAMES)
def test_an_example_reads_without_a_finding(name: str) -> None:
    rules(name)


@pytest.mark.parametrize("name", GAMES)
def test_an_example_is_written_canonically(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["format", "--check", str(EXAMPLES / name / "rules.yaml")]) == 0, capsys.readouterr()


def test_small_games_are_all_the_other_examples() -> None:
    assert {name for name, _ in SMALL} == set(GAMES) - {DICE, LINE, *ELSEWHERE}


@pytest.mark.parametrize("name, setting", SMALL)
def test_a_small_game_answers_as_expected(name: str, setting: Setting) -> None:
    doc, left = rules(name).document, LONG.get(name)
    asked = tuple(q for q in (*doc.questions, *doc.scenarios, "in-range") if q not in left) if left else ()
    assert not odd(answers(name, Request(asked, setting=setting, seconds=60.0, cores=False)), open_too=True)


@pytest.mark.parametrize(
    "name, setting, engine",
    [
        pytest.param(*x, engine, marks=[pytest.mark.slow] if (x[0], engine) == ("pig", "explicit") else [])
        for x in SMALL
        for engine in ("explicit", "symbolic")
    ],
)
def test_no_engine_answers_a_small_game_otherwise(name: str, setting: Setting, engine: str) -> None:
    results = answers(name, Request(setting=setting, engine=engine, seconds=0.25, cores=False))
    assert not odd(results)
    assert any(r.verdict.verdict != "unknown" for r in results)


def test_scenarios_of_the_dice_game_go_as_written() -> None:
    doc = rules(DICE).document
    names = tuple(s for s in doc.scenarios if not s.startswith("ex-") and s != "one-knight-a-roll")
    assert len(names) > 20
    assert not odd(answers(DICE, Request(names)), open_too=True)


def test_scenarios_of_line_dice_go_as_written() -> None:
    names = tuple(s for s in rules(LINE).document.scenarios if s not in SOUGHT)
    assert len(names) > 20
    assert not odd(answers(LINE, Request(names)), open_too=True)


def test_all_questions_about_line_dice_are_quick_or_slow() -> None:
    assert sorted((*LINE_QUICK, *LINE_SLOW)) == sorted(rules(LINE).document.questions)


def test_quick_questions_about_line_dice() -> None:
    assert not odd(answers(LINE, Request(LINE_QUICK, seconds=60.0, cores=False)), open_too=True)


@pytest.mark.slow
@pytest.mark.parametrize("question", LINE_SLOW)
def test_line_dice_answers_as_expected(question: str) -> None:
    """Each of the other questions, with the time that one answer has by itself."""
    assert not odd(answers(LINE, Request((question,), seconds=600.0, cores=False)), open_too=True)


PARTS = 5


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_the_dice_game_answers_as_expected(part: int) -> None:
    """All that `check` asks of the file, what stands together together: it shares what is known of the game."""
    names = tuple(dict.fromkeys(c.name for c in Selection(rules(DICE), Request(), Diagnostics()).cases()))
    cuts = [len(names) * n // PARTS for n in range(PARTS + 1)]
    asked = names[cuts[part] : cuts[part + 1]]
    assert len(asked) > 10
    assert not odd(answers(DICE, Request(asked, seconds=300.0, cores=False)), open_too=True)


@pytest.mark.slow
def test_the_dice_game_answers_as_expected_for_five() -> None:
    """What is answered at once for two is answered for five."""
    assert not odd(answers(DICE, Request(QUICK, players=5, seconds=300.0, cores=False)), open_too=True)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(SAMPLE)), ids=lambda n: ",".join(f"{k}={v}" for k, v in SAMPLE[n].items()))
def test_the_dice_game_answers_as_expected_under_other_readings(number: int) -> None:
    """Every question under two of the readings."""
    asked = QUICK[number % 2 :: 2]
    assert not odd(answers(DICE, Request(asked, setting=SAMPLE[number], seconds=300.0, cores=False)), open_too=True)
