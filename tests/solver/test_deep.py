"""Forcing in games too large to be listed: how the search is chosen, what shows its answer, and what it may spend."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tablelaw.checkers.evidence import recheck_all, write_all
from tablelaw.checkers.result import Result
from tablelaw.checkers.selection import Request
from tablelaw.checkers.session import Session
from tablelaw.report import text
from tablelaw.solver.explicit import deep
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import Rules, load

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RACE = """
tablelaw: 1
game: race
title: Race
players: 2
types: {Step: 0..60}
state:
  turn: {type: Player, init: 0}
  at: {type: "map[Player, Step]", init: START}
  rest: {type: 0..3, init: 0}
actions:
  go:
    by: turn
    params: {n: 1..3}
    require: [{id: not-far, says: Nobody passes the last square., check: "at[turn] + n <= 60"}]
    do: |
      at[turn] += n
      turn = after(turn)
      BACK
  wait:
    by: turn
    CHANCE
    do: |
      rest = (rest + 1) % 4
      turn = after(turn)
end:
  - {id: home, says: The first on the last square wins., when: "any(at[p] == 60 for p in Player)",
     winners: "{p for p in Player if at[p] == 60}"}
questions:
  first: {force: {who: [0], goal: 0 in winners()}}
  first-soon: {force: {who: [0], goal: 0 in winners()}, within: 39}
  first-sooner: {force: {who: [0], goal: 0 in winners()}, within: 38, expect: fails}
  second: {force: {who: [1], goal: 1 in winners()}, expect: fails}
  both: {force: {who: [0, 1], goal: ended()}}
  nobody: {force: {who: [0, 1], goal: "at[0] == at[1] and at[0] == 60"}, expect: fails}
"""


@pytest.fixture(autouse=True)
def few_are_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deep, "LISTED", 1_000)


def rules(path: Path, start: str = "0", back: str = "", chance: str = "") -> Rules:
    lines = RACE.replace("START", start).replace("BACK", back).replace("CHANCE", f"chance: {chance}" if chance else "")
    path.write_text("\n".join(x for x in lines.split("\n") if x.strip()) + "\n", encoding="utf-8")
    sink = Diagnostics()
    found = load(str(path), sink)
    assert found is not None, [d.message for d in sink]
    return found


def example(name: str) -> Rules:
    found = load(str(EXAMPLES / name / "rules.yaml"), Diagnostics())
    assert found is not None
    return found


def ask(found: Rules, *names: str, setting: dict[str, str] | None = None, **more: Any) -> dict[str, Result]:
    sink = Diagnostics()
    session = Session(found, Request(names, setting=setting or {}, cores=False, **more), sink)
    assert session.check(), [d.message for d in sink]
    answers = {r.question: r for _, _, r in session.answers(list(session.selection.cases())) if r is not None}
    assert answers.keys() >= set(names)
    return answers


def deeply(r: Result) -> bool:
    return r.verdict.bound is not None and r.verdict.bound.endswith("depth-first")


def test_a_large_game_is_not_listed(tmp_path: Path) -> None:
    """A race of sixty squares in steps of one to three has more positions than are listed; waiting helps nobody."""
    answers = ask(rules(tmp_path / "rules.yaml"), "first", "first-soon", "first-sooner", "second")
    assert all(r.as_expected for r in answers.values()), {k: r.verdict for k, r in answers.items()}
    assert all(deeply(r) for r in answers.values())
    for name in ("first", "first-soon"):
        trace = answers[name].verdict.trace
        assert trace is not None
        assert len(trace.steps) == 40
        assert answers[name].verdict.notes == ["in at most 39 steps; the play shown is one defence"]


def test_the_report_does_not_claim_all_positions() -> None:
    r = ask(example("breakthrough"), "first-forces-a-win")["first-forces-a-win"]
    assert r.verdict.verdict == "fails"
    assert f"{r.verdict.states:,} positions looked at, depth-first" in text.headline(r, {}, False)
    assert r.verdict.states is not None
    assert r.verdict.states < 55_152


def test_a_board_with_more_images_than_are_looked_at() -> None:
    """Four in a line on 4×4 squares can be turned inside out as well: the play that shows a draw is found."""
    setting = {"columns": "4", "rows": "4", "line": "4"}
    r = ask(example("line-up"), "first-forces-a-win", setting=setting)["first-forces-a-win"]
    assert r.as_expected
    assert deeply(r)
    assert r.verdict.trace is not None
    assert len(r.verdict.trace.steps) > 8


def test_where_play_goes_round_the_whole_graph_is_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting leads back to the same position: a search that is still in it knows nothing of it yet."""
    monkeypatch.setattr(deep, "SHORT", 100)
    r = ask(rules(tmp_path / "rules.yaml"), "nobody")["nobody"]
    assert r.verdict.verdict == "fails"
    assert not deeply(r)
    assert r.verdict.states is not None
    assert r.verdict.states > 7_000


def test_whatever_is_drawn(tmp_path: Path) -> None:
    """With a draw after the choice the goal must be forced on each outcome; two starts of one asker, both won."""
    found = rules(tmp_path / "rules.yaml", start="{any: [{0: 0, 1: 0}, {0: 1, 1: 0}]}", chance="{x: die(2)}")
    answers = ask(found, "first", "first-soon", "first-sooner", "both")
    assert all(r.as_expected for r in answers.values()), {k: r.verdict for k, r in answers.items()}
    assert deeply(answers["first-soon"])


def test_a_step_out_of_range_is_no_step(tmp_path: Path) -> None:
    found = rules(tmp_path / "rules.yaml", back="at[actor] = 61 if at[actor] == 7 else at[actor]")
    r = ask(found, "first-soon")["first-soon"]
    assert deeply(r)
    assert r.verdict.verdict == "holds"
    assert any("no range is left" in note for note in r.verdict.notes)


@pytest.mark.parametrize("spend, word", [({"seconds": 0.6}, "time"), ({"mebibytes": 10}, "memory")])
def test_what_it_may_spend(spend: dict[str, Any], word: str) -> None:
    setting = {"columns": "6", "rows": "6", "line": "4"}
    r = ask(example("connect"), "first-forces-a-win", setting=setting, **spend)["first-forces-a-win"]
    assert r.verdict.verdict == "unknown"
    assert r.verdict.reason is not None
    assert word in r.verdict.reason


def test_a_strategy_is_walked_again(tmp_path: Path) -> None:
    """The evidence holds the positions that the strategy meets, and is refused when one of its ranks is another."""
    found, setting = example("connect"), {"columns": "5", "rows": "5", "line": "3"}
    sink = Diagnostics()
    request = Request(("first-forces-a-win-in-9",), setting=setting, cores=False)
    session = Session(found, request, sink)
    assert session.check()
    results = [r for _, _, r in session.answers(list(session.selection.cases())) if r is not None]
    assert deeply(results[0])
    write_all(tmp_path, results, found, smt2=False)
    rows = recheck_all(tmp_path, found, sink)
    assert [r["verdict"] for r in rows] == ["holds"]
    (file,) = tmp_path.glob("first-forces*.json")
    whole = json.loads(file.read_text(encoding="utf-8"))
    ranks = whole["evidence"]["rank"]
    assert 20 < len(ranks) < 1_000
    for changed in (0, len(ranks) // 2):
        other = [*ranks[:changed], ranks[changed] - 1, *ranks[changed + 1 :]]
        file.write_text(json.dumps({**whole, "evidence": {**whole["evidence"], "rank": other}}), encoding="utf-8")
        assert recheck_all(tmp_path, found, Diagnostics()) == []
