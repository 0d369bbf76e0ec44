"""A search that is stopped, by Ctrl-C or by its bounds, tells what it knew by then."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from weakref import WeakSet

import pytest

from tablelaw.solver import evaluate
from tablelaw.solver.engine import Engines
from tablelaw.solver.explicit import engine as explicit_engine
from tablelaw.solver.native.compiler import compiler
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import load
from tablelaw.spec.questions import Asked, Reader

RULES = """\
tablelaw: 1
game: walk
title: A walk
players: 1
types: {Place: 1..9}
state:
  at: {type: "map[Place, 0..9]", init: 0}
actions:
  go: {by: 0, params: {p: Place}, require: [{id: room, check: "at[p] < 9"}], do: "at[p] = at[p] + 1"}
questions:
  count: {count: states}
  always: {always: "at[1] + at[2] + at[3] + at[4] <= 36"}
  reach: {reach: "at[1] + at[2] + at[3] == 27 and at[4] * at[5] == 81"}
  largest: {largest: "at[1] * at[2] * at[3] * at[4] + at[5]"}
  forced: {force: {who: 0, goal: "(at[1] + 2 * at[2] + 3 * at[3]) * (at[4] + 2 * at[5] + 3 * at[6]) == 413"}}
"""
WORDS = {
    "count": "at least [1-9]",
    "always": "it holds in all of [1-9][0-9,]* positions looked at; all within [1-9][0-9]* steps? of the start are among them",
    "reach": "it holds in none of [1-9][0-9,]* positions looked at; all within [1-9][0-9]* steps? of the start are among them",
    "largest": "at least [0-9]+, of [1-9][0-9,]* positions looked at",
    "forced": "[1-9][0-9,]* positions looked at, [1-9][0-9,]* steps deep, depth-first",
}


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    return tmp_path


def started(rules: Path, *more: str, native: bool = True) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tablelaw", "check", str(rules), "--engine", "explicit", "--no-cache", *more]
    env = {**os.environ, "TABLELAW_CACHE": str(rules / "cache"), "TABLELAW_NATIVE": "on" if native else "off"}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)


@pytest.mark.parametrize(("question", "native"), [("always", True), ("largest", False)])
def test_ctrl_c_tells_what_is_known(rules: Path, question: str, native: bool) -> None:
    """As JSON, under both engines; the exit status is that of what is not known."""
    process = started(rules, "--question", question, "--json", native=native)
    time.sleep(4.0)
    process.send_signal(signal.SIGINT)
    told, said = process.communicate(timeout=60)
    assert process.returncode == 3, said
    assert "stopped after 0 of 1 answers" in said
    (result,) = json.loads(told)["results"]
    assert result["verdict"] == "unknown"
    assert re.search("stopped; " + WORDS[question], result["reason"]), result["reason"]
    assert result["states"] > 1_000
    if question == "always":
        assert result["known_by"] == "bounded"
        assert re.fullmatch(r"\d+ steps?", result["bound"])
    if question == "largest":
        value = int(re.search("at least ([0-9]+)", result["reason"])[1])  # type: ignore[index]
        last = result["trace"]["steps"][-1] if isinstance(result["trace"], dict) else result["trace"][-1]
        assert value > 0
        assert last


@pytest.mark.parametrize("native", [True, False])
def test_a_bound_tells_what_is_known(rules: Path, native: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Question by question, of a search in compiled code and of one in Python."""
    monkeypatch.setenv("TABLELAW_CACHE", str(rules / "cache"))
    monkeypatch.setattr(explicit_engine, "compiler", compiler if native else lambda: None)
    sink = Diagnostics()
    read = load(str(rules / "rules.yaml"), sink)
    game = None if read is None else read.game({}, 1, sink)
    assert game is not None
    reader = Reader(game, sink, evaluate.starts(game)[0])
    engines = Engines(game, "explicit")
    for name, words in WORDS.items() if native else [("always", WORDS["always"])]:
        asked = reader.question(game.document.questions[name])
        assert asked is not None
        found = engines.ask(asked, Budget(states=100_000))
        assert found.verdict == "unknown"
        assert found.reason is not None
        assert re.fullmatch(f"out of budget: more than 100,000 states; {words}.*", found.reason), found.reason
        assert found.trace is None or name == "largest"
        if name == "always":
            assert found.known_by == "bounded"
            assert found.bound
            assert found.reason.endswith("of the start are among them, or count as one with one of them")  # parts are left out


def test_what_contradicts_is_not_claimed(tmp_path: Path) -> None:
    """Somebody stuck among the states of the last block, which nobody has looked at yet, is not passed over."""
    (tmp_path / "rules.yaml").write_text(RULES.replace("at[p] < 9", "at[p] < 9 and at[1] < 9"), encoding="utf-8")
    sink = Diagnostics()
    read = load(str(tmp_path / "rules.yaml"), sink)
    game = None if read is None else read.game({}, 1, sink)
    assert game is not None
    asked = Asked("free", "progress", None)
    explicit = explicit_engine.Explicit(game)
    _, space = explicit.prepared(asked)
    while not space.stuck:
        space.expand(Budget())
    verdict = Verdict("unknown", reason="stopped")
    explicit.so_far(asked, verdict, Budget(searched=WeakSet([space])))
    assert verdict.reason == "stopped"
    assert verdict.known_by is None


def test_a_terminal_shows_how_far_it_is(rules: Path) -> None:
    """One line, rewritten, of 79 characters at most; then it is gone."""
    import pty

    ours, theirs = pty.openpty()
    env = {**os.environ, "TABLELAW_CACHE": str(rules / "cache"), "COLUMNS": "80"}
    env.pop("CI", None)
    command = [sys.executable, "-m", "tablelaw", "check", str(rules), "--engine", "explicit", "--no-cache", "--question"]
    with subprocess.Popen([*command, "count", "--time", "4"], stdout=subprocess.DEVNULL, stderr=theirs, env=env) as process:
        os.close(theirs)
        told = b""
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # the other side is closed
                break
            if not part:
                break
            told += part
    os.close(ours)
    assert process.returncode == 3
    lines = told.decode().split("\r\x1b[K")
    assert lines[-1] == ""
    assert all(len(line) < 80 for line in lines)
    shown = r"\[1/1\] count: [\d.]+[kM]? states, [\d.]+[kM]? waiting(, [\d.]+[kM]?/s)?(, no estimate yet)?, \d+ MiB, depth \d+"
    assert any(re.fullmatch(shown, line) for line in lines), lines
