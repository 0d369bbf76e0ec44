"""Laws: an answer that is kept is told as it was worked out, byte for byte, its play and what is best to do with it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from tablelaw.checkers import kept
from tablelaw.checkers.kept import Kept, Program
from tablelaw.checkers.result import Result
from tablelaw.checkers.retold import definite
from tablelaw.checkers.selection import Request
from tablelaw.checkers.session import Session
from tablelaw.report import text
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import Rules, load
from tablelaw.spec.settings import defaults
from tablelaw.testing import boards, games

EXAMPLES = Path(__file__).parents[2] / "examples"
SMALL = (
    "black-path", "breakthrough", "chutes-and-ladders", "connect", "coupon-collector", "craps", "dots-and-boxes", "hanoi",
    "kalah", "knuth-yao", "nim", "tic-tac-toe", "tsuro-tiles",
)  # fmt: skip
QUICK = ("craps", "knuth-yao", "nim", "tic-tac-toe")
SECONDS = 5.0


@pytest.fixture(autouse=True)
def steady(monkeypatch: pytest.MonkeyPatch) -> None:
    """The program does not change while the test runs."""
    monkeypatch.setattr(kept, "program", lambda: Program("a program", ()))


def answers(rules: Rules, names: tuple[str, ...], cores: bool, answers: Kept | None) -> list[Result]:
    session = Session(rules, Request(names, seconds=SECONDS, cores=cores, kept=answers), Diagnostics())
    return [r for _, _, r in session.answers(list(session.selection.cases())) if r is not None]


def printed(rules: Rules, result: Result) -> tuple[str, str]:
    """As text and as JSON; in this order, for of a policy more may be told as text once JSON has asked for all of it."""
    words = text.answer(result, defaults(rules.document), len(rules.counts) > 1, "rules.yaml")
    return words, json.dumps(result.json(), ensure_ascii=False)


def compare(rules: Rules, folder: Path, *names: str, cores: bool = False) -> tuple[int, int, int, int]:
    """How many answers were told again; how many of them with a play, with what is best to do, and just as by no kept answer.

    The last are fewer on a slow machine, for which engine answers may hang on the time.
    """
    folder.mkdir()
    keeping, telling = Kept(folder), Kept(folder)
    first = answers(rules, names, cores, keeping)
    words = [printed(rules, r) for r in first]
    again = answers(rules, names, cores, telling)
    plain = answers(rules, names, cores, None)
    sure = [k for k, r in enumerate(first) if definite(r.verdict)]
    assert telling.told == len(sure), "a definite answer was not kept"
    assert len(again) == len(plain) == len(first)
    same = 0
    for k in sure:
        assert printed(rules, again[k]) == words[k]
        fresh, told = plain[k].verdict, again[k].verdict
        assert (fresh.verdict, fresh.value) == (told.verdict, told.value)
        if (fresh.engine, fresh.known_by, fresh.notes) == (told.engine, told.known_by, told.notes):  # it may hang on the time
            fresh.seconds = told.seconds
            assert printed(rules, plain[k]) == words[k]
            same += 1
    kept = [first[k].verdict for k in sure]
    return len(kept), sum(v.trace is not None for v in kept), sum(v.policy is not None for v in kept), same


@pytest.mark.parametrize("name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in SMALL])
def test_of_examples(name: str, tmp_path: Path) -> None:
    rules = load(str(EXAMPLES / name), Diagnostics())
    assert rules is not None
    told, plays, _, same = compare(rules, tmp_path / "answers")
    assert told >= 8
    assert plays >= 1
    assert same >= 0.6 * told


PRESS = """
tablelaw: 1
game: press
title: Press
players: 1
state:
  purse: {type: 0..9, init: 0}
  over: {type: bool, init: false}
actions:
  throw:
    by: 0
    chance: {pips: die(3)}
    do: |
      purse = 0 if pips == 1 else min(9, purse + pips)
      over = pips == 1
  stop: {by: 0, do: over = true}
end: [{id: done, when: over or purse == 9}]
questions:
  press: {expected: purse, play: best, who: [0]}
"""


def test_of_what_is_best_to_do(tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text(PRESS, encoding="utf-8")
    rules = load(str(tmp_path / "rules.yaml"), Diagnostics())
    assert rules is not None
    assert compare(rules, tmp_path / "answers", "press") == (1, 0, 1, 1)


@pytest.mark.slow
def test_of_what_is_best_to_do_in_many_positions(tmp_path: Path) -> None:
    rules = load(str(EXAMPLES / "shut-the-box"), Diagnostics())
    assert rules is not None
    assert compare(rules, tmp_path / "answers", "close") == (1, 0, 1, 1)


def test_of_random_games(tmp_path: Path) -> None:
    found: Counter[str] = Counter()
    for seed in range(16):
        written, _ = (boards if seed % 4 == 3 else games).sound(seed, (0.0, 0.02, 0.1)[seed % 3])
        file = tmp_path / f"{seed}.yaml"
        file.write_text(written, encoding="utf-8")
        rules = load(str(file), Diagnostics())
        assert rules is not None
        told, plays, _, same = compare(rules, tmp_path / str(seed), cores=seed % 2 == 0)
        found.update(told=told, plays=plays, same=same)
    assert found["told"] > 40
    assert found["plays"] > 10
    assert found["same"] > 0.6 * found["told"]
