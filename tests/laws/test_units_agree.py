"""Laws: what others work out is told as if it had been worked out here, each question alone; what is no play is not told."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tablelaw.checkers.playouts import joined, tally
from tablelaw.checkers.selection import Case, Request
from tablelaw.checkers.session import Session
from tablelaw.checkers.units import PASSED, Bench, Message, Reply, about_cases, about_plays, stretches
from tablelaw.cli.away import Away
from tablelaw.report import text
from tablelaw.solver import evaluate
from tablelaw.solver.sampling import player
from tablelaw.solver.space.graph import Budget
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import Rules, load
from tablelaw.spec.settings import defaults
from tablelaw.testing import boards, games

EXAMPLES = Path(__file__).parents[2] / "examples"


class Beside:
    """A cluster in this process: what is sent is done when somebody waits for it, in an order of its own."""

    def __init__(self, seed: int, spoil: Callable[[Reply], Reply] | None = None) -> None:
        self.random, self.spoil, self.bench = random.Random(seed), spoil, Bench()
        self.at_work: dict[str, str] = {}
        self.data = 0

    def send(self, key: str, message: Message, rank: int = 0) -> None:
        """As `Cluster.send`."""
        self.at_work[key] = json.dumps(message)

    def come(self) -> Iterator[tuple[str, Reply]]:
        """As `Cluster.come`."""
        while self.at_work:
            key = self.random.choice(list(self.at_work))
            reply = json.loads(json.dumps(self.bench.do(json.loads(self.at_work.pop(key)))))
            assert "differs" not in reply
            self.data += "data" in reply
            yield key, reply if self.spoil is None else self.spoil(reply)


def asked(**more: object) -> Request:
    return Request(seconds=5.0, cores=False, **more)  # type: ignore[arg-type]


def away(rules: Rules, request: Request, beside: Beside) -> tuple[Session, list[Case]]:
    session = Session(rules, request, Diagnostics())
    cases = list(session.selection.cases())
    found = Away(beside, session, about_cases(rules, request, written=True), None)  # type: ignore[arg-type]
    request.kept = found
    found.send(cases)
    return session, cases


def printed(session: Session, cases: list[Case]) -> list[str]:
    found = []
    for _, _, result in session.answers(cases):
        if result is not None:
            result.verdict.seconds = 0.0
            words = text.answer(result, defaults(session.doc), len(session.rules.counts) > 1, "rules.yaml")
            found.append(words + "\n" + json.dumps(result.json()))
    return found


def alone(rules: Rules, cases: list[Case], **more: object) -> list[str]:
    """Each case answered where nothing was asked before."""
    return [row for case in cases for row in printed(Session(rules, asked(**more), Diagnostics()), [case])]


def read(file: Path) -> Rules:
    rules = load(str(file), Diagnostics())
    assert rules is not None
    return rules


def test_of_random_games(tmp_path: Path) -> None:
    count = 0
    for seed in range(12):
        written, _ = (boards if seed % 4 == 3 else games).sound(seed, (0.0, 0.02, 0.1)[seed % 3])
        (tmp_path / "rules.yaml").write_text(written, encoding="utf-8")
        rules, beside = read(tmp_path / "rules.yaml"), Beside(seed)
        session, cases = away(rules, asked(), beside)
        assert printed(session, cases) == alone(rules, cases)
        count += beside.data
    assert count > 40


@pytest.mark.parametrize("name", ["craps", "nim", "tic-tac-toe"])
def test_of_examples_under_every_option(name: str) -> None:
    rules, beside = read(EXAMPLES / name / "rules.yaml"), Beside(1)
    names = tuple(rules.document.questions)[:6]
    session, cases = away(rules, asked(every_option=True, questions=names), beside)
    assert printed(session, cases) == alone(rules, cases, every_option=True, questions=names)
    assert beside.data


def test_what_is_no_play_of_the_rules_is_worked_out_here() -> None:
    """A worker that sends a wrong play, or one of another start, is not believed."""
    rules, spoiled = read(EXAMPLES / "nim" / "rules.yaml"), 0

    def spoil(reply: Reply) -> Reply:
        nonlocal spoiled
        trace = reply.get("data", {}).get("trace")
        if trace is not None and len(trace["steps"]) > 1:
            trace["steps"].pop()
            spoiled += 1
        return reply

    session, cases = away(rules, asked(), Beside(2, spoil))
    assert printed(session, cases) == alone(rules, cases)
    assert spoiled


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ({"lost": "given up after 3 tries"}, "given up after 3 tries"),
        ({"stopped": "the time of 5 s is over"}, "out of budget: the time of 5 s is over"),
    ],
)
def test_what_nobody_could_work_out_is_unknown_with_the_reason(reply: Reply, reason: str) -> None:
    rules = read(EXAMPLES / "nim" / "rules.yaml")
    session, cases = away(rules, asked(), Beside(3, lambda _: reply))
    found = session.ask(cases[0])
    assert found is not None
    assert (found.verdict.verdict, found.verdict.reason) == ("unknown", reason)


BASE = """
state: {at: {type: 0..5, init: 0}}
actions:
  go: {by: 0, require: [{id: room, check: at < 5}], do: at += 1}
"""
MORE = """
tablelaw: 1
game: counting
title: Counting
players: 1
include: [../../base.yaml]
questions: {beyond: {reach: at == 5}}
"""


def test_rules_travel_with_what_they_include(tmp_path: Path) -> None:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "base.yaml").write_text(BASE, encoding="utf-8")
    (tmp_path / "deep" / "er" / "rules.yaml").write_text(MORE, encoding="utf-8")
    rules, beside = read(tmp_path / "deep" / "er"), Beside(4)
    session, cases = away(rules, asked(), beside)
    assert printed(session, cases) == alone(rules, cases)
    assert beside.data == len(cases) == 2


def test_another_program_does_no_work() -> None:
    rules = read(EXAMPLES / "nim" / "rules.yaml")
    message = about_cases(rules, asked(), written=False)
    assert "differs" in Bench().do({**message, "program": "another"})
    assert "differs" in Bench().do({**message, "compiler": None})


def test_all_of_a_request_that_changes_an_answer_is_passed_on() -> None:
    """A new field of a request is passed on, or it is one of these."""
    here = {"tell", "checkpoint", "spill", "kept", "reductions", "explained", "both_ways"}
    assert set(Request.__slots__) - here == set(PASSED)


def test_plays_counted_in_stretches_are_those_counted_at_once(tmp_path: Path) -> None:
    """Also where plays are cut, stuck or without a value, and from a position."""
    endings: Counter[str] = Counter()
    for seed in range(10):
        (tmp_path / "rules.yaml").write_text(games.sound(seed, (0.0, 0.02, 0.1)[seed % 3])[0], encoding="utf-8")
        rules = read(tmp_path / "rules.yaml")
        game = rules.game({}, rules.counts[0], Diagnostics())
        assert game is not None
        made = player(game)
        start = evaluate.starts(game)[0] if seed % 2 else None
        whole = tally(made, 60, seed, Budget(), 20, None if start is None else made.of(start))
        common, bench = about_plays(rules, game, seed, 20, start, Budget()), Bench()
        replies = [bench.do(json.loads(json.dumps({**common, "plays": p}))) for p in ((0, 7), (7, 30), (37, 23))]
        found = joined(game, seed, json.loads(json.dumps([r["data"] for r in replies])))
        whole.seconds = found.seconds = 0.0
        assert json.dumps(found.json()) == json.dumps(whole.json())
        endings += whole.endings
    assert len(endings) >= 3


@pytest.mark.parametrize("count", [1, 25, 26, 1000, 100_003])
def test_stretches_have_every_play_once(count: int) -> None:
    assert [n for first, some in stretches(count) for n in range(first, first + some)] == list(range(count))
