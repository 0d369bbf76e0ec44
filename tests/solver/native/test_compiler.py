"""Compiled code is made once, kept, and done without where it cannot be had."""

from __future__ import annotations

import copy
import gc
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tablelaw.solver import evaluate
from tablelaw.solver.explicit import engine
from tablelaw.solver.explicit.engine import Explicit
from tablelaw.solver.native import compiler
from tablelaw.solver.native.space import NativeSpace
from tablelaw.solver.space.graph import Budget, OutOfBudget, Space
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.load import load
from tablelaw.spec.questions import Asked, Reader
from tablelaw.spec.settings import defaults

HANOI = Path(__file__).parents[3] / "examples" / "hanoi" / "rules.yaml"
SOURCE = '__attribute__((visibility("default"))) long told(void) { return 42; }'
compiled = pytest.mark.skipif(compiler.compiler() is None, reason="needs a C compiler")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("TABLELAW_CACHE", str(tmp_path / "kept"))
    compiler.compiler.cache_clear()
    yield tmp_path / "kept"
    monkeypatch.undo()
    compiler.compiler.cache_clear()


def hanoi(discs: int) -> tuple[Game, Asked]:
    sink = Diagnostics()
    rules = load(str(HANOI), sink)
    assert rules is not None
    game = rules.game({**defaults(rules.document), "discs": str(discs)}, 1, sink)
    assert game is not None
    asked = Reader(game, sink, evaluate.starts(game)[0]).question(game.document.questions["states"])
    assert asked is not None
    return game, asked


@compiled
def test_what_was_compiled_is_kept(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert compiler.library(SOURCE, Budget()).told() == 42
    assert [p.suffix for p in cache.iterdir()] == [".so"]

    def refused(*_: object, **__: object) -> None:
        raise AssertionError("compiled again")

    monkeypatch.setattr(subprocess, "run", refused)
    assert compiler.library(SOURCE, Budget()).told() == 42


@compiled
@pytest.mark.skipif(sys.platform == "win32", reason="rights are told otherwise there")
def test_a_folder_where_others_may_write_is_not_trusted(cache: Path) -> None:
    cache.mkdir()
    cache.chmod(0o777)
    assert compiler.library(SOURCE, Budget()).told() == 42
    assert not list(cache.iterdir())


@compiled
@pytest.mark.skipif(sys.platform == "win32", reason="rights are told otherwise there")
def test_a_folder_that_cannot_be_made_is_done_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TABLELAW_CACHE", str(tmp_path / "file" / "kept"))
    assert compiler.library(SOURCE, Budget()).told() == 42


@compiled
def test_time_is_kept_while_compiling(cache: Path) -> None:
    with pytest.raises(OutOfBudget):
        compiler.library(SOURCE, Budget(seconds=1e-6))
    assert not list(cache.iterdir())


@pytest.mark.parametrize("how", [{"TABLELAW_NATIVE": "off"}, {"CC": "no-such-compiler"}, {"CC": "false"}])
def test_without_a_compiler_the_answer_is_the_same(how: dict[str, str], monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    for name, value in how.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(engine, "FEW", 50)
    explicit = Explicit(hanoi(5)[0])
    found = explicit.ask(hanoi(5)[1], Budget())
    assert (found.value, found.known_by) == ("243", "exhausted")
    assert not cache.exists() or not list(cache.iterdir())
    assert not any(isinstance(space, NativeSpace) for _, space in explicit._spaces.values())


@compiled
def test_few_states_wait_for_no_compiler(cache: Path) -> None:
    explicit = Explicit(hanoi(5)[0])
    assert explicit.ask(hanoi(5)[1], Budget()).value == "243"
    assert not cache.exists()


@compiled
def test_bounds_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "FEW", 50)
    game, asked = hanoi(10)
    with pytest.raises(OutOfBudget, match="more than 1,000 states"):
        Explicit(game).ask(asked, Budget(states=1_000))
    with pytest.raises(OutOfBudget, match="memory"):
        Explicit(game).ask(asked, Budget(mebibytes=1))
    explicit = Explicit(game)
    with pytest.raises(OutOfBudget):
        explicit.ask(asked, Budget(states=1_000))
    assert explicit.ask(asked, Budget()).value == "59049"  # what was found so far is gone on with


@compiled
def test_states_are_told_as_lists_are(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, plain = Explicit(hanoi(4)[0]).prepared(hanoi(4)[1])
    fast = NativeSpace(problem.model, Budget())
    plain.explore(Budget())
    fast.explore(Budget())
    assert type(plain) is Space
    assert fast.states[-1] == plain.states[-1]
    assert fast.states[3:9:2] == plain.states[3:9:2]
    assert fast.states[9:3:-2] == plain.states[9:3:-2]
    assert fast.parents[0] == -1
    with pytest.raises(IndexError):
        fast.states[81]
    with pytest.raises(KeyError):
        fast.index[fast.states[-1] | 1 << 60]


@compiled
def test_a_copy_of_a_space_gives_nothing_back() -> None:
    """A strategy is shown as a copy of the space with fewer states: memory was once given back twice."""
    problem, _ = Explicit(hanoi(4)[0]).prepared(hanoi(4)[1])
    fast = NativeSpace(problem.model, Budget())
    fast.explore(Budget())
    held = list(fast.states)
    other = copy.copy(fast)
    other.states = [held[0]]
    del other
    gc.collect()
    assert list(fast.states) == held
    with pytest.raises(TypeError):
        copy.copy(fast.held)
