"""Compiled code is made once, kept, and done without where it cannot be had."""

from __future__ import annotations

import copy
import gc
import importlib.util
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tablelaw.solver import evaluate
from tablelaw.solver.engine import Engines
from tablelaw.solver.explicit import engine
from tablelaw.solver.explicit.engine import Explicit
from tablelaw.solver.ir import Model, Slot, Terms
from tablelaw.solver.native import ahead, compiler
from tablelaw.solver.native import space as native
from tablelaw.solver.native.space import NativeSpace
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.generate import native_formula
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

    monkeypatch.setattr(subprocess, "Popen", refused)
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


@pytest.mark.skipif(sys.platform == "win32", reason="rights are told otherwise there")
def test_a_compiler_that_cannot_be_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once told as a folder that cannot be written."""
    (tmp_path / "cc").write_bytes(b"no program")
    (tmp_path / "cc").chmod(0o755)
    monkeypatch.setenv("CC", str(tmp_path / "cc"))
    monkeypatch.setattr(engine, "FEW", 10)
    assert Explicit(hanoi(5)[0]).ask(hanoi(5)[1], Budget()).value == "243"


@compiled
def test_what_was_begun_is_asked_for_later(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name = compiler.begin(SOURCE)
    assert compiler.begin(SOURCE) == name
    monkeypatch.setattr(subprocess, "Popen", None)
    assert compiler.library(SOURCE, Budget()).told() == 42
    assert compiler.ready(name)
    compiler.stop(name)
    (kept,) = cache.iterdir()
    assert kept.name.startswith(name)


@compiled
def test_what_nobody_asks_for_is_stopped(cache: Path) -> None:
    name = compiler.begin(SOURCE)
    process = compiler._at_work[name].process
    assert process is not None
    compiler.stop(name)
    assert process.returncode is not None
    assert not list(cache.iterdir())
    assert not compiler._at_work
    assert compiler.library(SOURCE, Budget()).told() == 42


@compiled
def test_a_game_of_some_states_leaves_no_compiler_at_work(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With two processors it is begun after a tenth of the states, and stopped when they were few after all."""
    begun: list[str] = []
    begin = compiler.begin

    def noted(source: str) -> str:
        begun.append(begin(source))
        return begun[-1]

    monkeypatch.setattr(compiler, "begin", noted)
    monkeypatch.setattr(ahead, "processors", lambda: 2)
    monkeypatch.setattr(engine, "FEW", 1_000)
    assert Explicit(hanoi(5)[0]).ask(hanoi(5)[1], Budget()).value == "243"
    assert len(begun) == 2
    assert not compiler._at_work
    assert not list(cache.glob("*.part"))


@compiled
def test_half_written_files_of_killed_runs_are_thrown_away(cache: Path) -> None:
    cache.mkdir(mode=0o700)
    for name, age in (("old.part", 2 * compiler.OLD), ("new.part", 0)):
        (cache / name).write_bytes(b"half")
        os.utime(cache / name, (time.time() - age, time.time() - age))
    compiler.library(SOURCE, Budget())
    assert [p.name for p in cache.glob("*.part")] == ["new.part"]


@pytest.mark.parametrize("there", [False, True])
def test_a_compiler_may_be_a_package_of_python(there: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: object() if there else None)
    found = compiler.compiler()
    assert found is None if not there else found is not None and found[:4] == (sys.executable, "-m", "ziglang", "cc")
    monkeypatch.setenv("CC", "no-such-compiler")
    compiler.compiler.cache_clear()
    assert compiler.compiler() is None


@pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="needs the extra `compiler`")
def test_it_compiles(monkeypatch: pytest.MonkeyPatch, cache: Path) -> None:
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr(shutil, "which", lambda _: None)
    monkeypatch.setattr(engine, "FEW", 50)
    explicit = Explicit(hanoi(5)[0])
    assert explicit.ask(hanoi(5)[1], Budget()).value == "243"
    assert any(isinstance(space, NativeSpace) for _, space in explicit._spaces.values())


@compiled
def test_too_much_compiled_code_is_thrown_away(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "MOST_BYTES", 40_000)
    for n in range(6):
        assert compiler.library(SOURCE.replace("42", str(n)), Budget()).told() == n
    assert 0 < len(list(cache.iterdir())) < 6


@compiled
@pytest.mark.parametrize("how", ["cut", "empty", "garbage", "another"])
def test_a_spoiled_library_is_compiled_anew(cache: Path, how: str) -> None:
    """One that was cut short ended the process by a bus error; another one in its place was a traceback."""
    other = compiler.Compiling(*compiled_as(SOURCE.replace("42", "41")), tempfolder(cache), "other").finish(Budget())
    spoiled = {"cut": other.read_bytes()[:9000], "empty": b"", "garbage": b"garbage", "another": other.read_bytes()}[how]
    name = compiler._named(SOURCE)
    assert name is not None
    (cache / f"{name[1]}-{'0' * 32}{compiler.SUFFIX}").write_bytes(spoiled)
    assert not compiler.kept(SOURCE)
    assert compiler.library(SOURCE, Budget()).told() == 42
    assert len(list(cache.glob("*" + compiler.SUFFIX))) == 1
    assert compiler.kept(SOURCE)


def compiled_as(source: str) -> tuple[tuple[str, ...], str]:
    named = compiler._named(source)
    assert named is not None
    return named[0], source


def tempfolder(cache: Path) -> Path:
    cache.mkdir(mode=0o700)
    (cache.parent / "elsewhere").mkdir()
    return cache.parent / "elsewhere"


ODD = {
    "another": 'while [ "$1" != -o ]; do shift; done; cp "$OTHER" "$2"',
    "text": 'while [ "$1" != -o ]; do shift; done; echo text > "$2"',
    "nothing": "echo garbage; echo garbage >&2",
    "crash": "kill -SEGV $$",
    "hang": "sleep 1000",
}


@compiled
@pytest.mark.skipif(sys.platform == "win32", reason="a script is no program there")
@pytest.mark.parametrize("how", ODD)
def test_with_a_compiler_that_fails_python_looks(how: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that hung took all the time that there was, and one that made something else was a traceback."""
    other = compiler.Compiling(*compiled_as(SOURCE), tempfolder(cache), "other").finish(Budget())
    odd = cache.parent / "odd cc"
    odd.write_text(f"#!/bin/sh\n{ODD[how]}\n")
    odd.chmod(0o755)
    monkeypatch.setenv("CC", str(odd))
    monkeypatch.setenv("OTHER", str(other))
    monkeypatch.setattr(compiler, "PATIENCE", 0.3)
    monkeypatch.setattr(compiler, "HANGS", 0.1)
    monkeypatch.setattr(engine, "FEW", 50)
    compiler.compiler.cache_clear()
    assert Explicit(hanoi(5)[0]).ask(hanoi(5)[1], Budget(seconds=60)).value == "243"
    assert not list(cache.glob("*.part"))
    assert not compiler._at_work


@compiled
@pytest.mark.skipif(sys.platform == "win32", reason="a script is no program there")
def test_a_compiler_that_is_stopped_leaves_nothing_behind(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its temporary files were left in the folder for these, after every search that needed no compiler in the end."""
    cc = cache.parent / "cc"
    cc.write_text('#!/bin/sh\necho half > "$TMPDIR/half.s"; echo > "$DONE"; sleep 1000\n')
    cc.chmod(0o755)
    for name, path in (("CC", cc), ("TMPDIR", cache.parent / "tmp"), ("DONE", cache.parent / "done")):
        monkeypatch.setenv(name, str(path))
    (cache.parent / "tmp").mkdir()
    compiler.compiler.cache_clear()
    name = compiler.begin(SOURCE)
    while not (cache.parent / "done").exists():
        time.sleep(0.01)
    compiler.stop(name)
    assert not list(cache.iterdir())
    assert not list((cache.parent / "tmp").iterdir())


@pytest.mark.skipif(sys.platform == "win32", reason="words are told otherwise there")
def test_a_compiler_may_be_named_with_arguments(monkeypatch: pytest.MonkeyPatch) -> None:
    for told, wanted in (("cat -u 'a b'", ("-u", "a b")), ("cat", ()), (" ", None), ("cat 'a", None)):
        monkeypatch.setenv("CC", told)
        compiler.compiler.cache_clear()
        found = compiler.compiler()
        if wanted is not None:
            assert found is not None
            assert found[1:] == wanted
        elif told.strip():
            assert found is None


LARGE = """tablelaw: 1
game: large
title: Large
players: 1
constants:
  POWER: {0: 1, 1: 18446744073709551617, 2: 1}
state:
  x: {type: 0..20, init: 0}
  y: {type: 0..20, init: 0}
actions:
  right: {by: 0, require: [{id: r, check: x < 20}], do: x += 1}
  up: {by: 0, require: [{id: u, check: "y < 20 and (x - 5) // 1180591620717411303424 <= 0"}], do: y += 1}
questions:
  below: {never: "x + y == 40 and (x - 30) // 1180591620717411303424 == -1"}
  rest: {always: "(x - 5) % 1180591620717411303424 < 4611686018427387904"}
  most: {largest: "x * 4611686018427387904"}
  chosen: {largest: "4611686018427387904 if x < 10 else 9223372036854775808"}
  least: {smallest: "y - x * 4611686018427387904"}
  deep: {largest: "-9223372036854775808 - x * 4611686018427387904"}
  product: {largest: "x * 1000000000 * y * 1000000000 * x"}
  odd: {never: "(x * 1000000000 * y * 1000000000 + 1) % 2 == 0"}
  sum: {never: "x * 4611686018427387904 + 5 > 1180591620717411303424"}
  same: {never: "x * 4611686018427387904 == 92233720368547758080"}
  table: {never: "x % 3 == 1 and POWER[x % 3] == 1"}
  residue: {always: "(x * 23058430092136939520) % (y * 92233720368547758080 + 1) < 4611686018427387904"}
  many: {count: states, where: "x * 4611686018427387904 > 9223372036854775807"}
"""
RIGHT = {
    "below": "fails", "rest": "fails", "most": str(20 << 62), "chosen": str(1 << 63), "least": str(-(20 << 62)),
    "deep": str(-(1 << 63)), "product": str(8000 * 10**18), "odd": "holds", "sum": "holds", "same": "fails",
    "table": "holds", "residue": "fails",
    "many": str(19 * 21),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("few", [10, 10**6])
def test_numbers_too_large_for_a_word(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, few: int) -> None:
    """They were cut, or their bounds were: then something else was proved."""
    (tmp_path / "large.yaml").write_text(LARGE, encoding="utf-8")
    monkeypatch.setattr(engine, "FEW", few)
    monkeypatch.setattr(native, "WORTH", 0)
    sink = Diagnostics()
    rules = load(str(tmp_path / "large.yaml"), sink)
    game = None if rules is None else rules.game({}, 1, sink)
    assert game is not None
    asked = Reader(game, sink, evaluate.starts(game)[0]).question(game.document.questions[name])
    assert asked is not None
    found = Explicit(game).ask(asked, Budget())
    assert (found.value or found.verdict) == RIGHT[name]
    both = Engines(game).ask(asked, Budget(seconds=60))
    assert (both.value or both.verdict) == RIGHT[name]
    if asked.kind != "count" and few == 10:
        proved = Engines(game, "symbolic").ask(asked, Budget(seconds=2))
        assert (proved.value or proved.verdict) in (RIGHT[name], "unknown")
        assert "no reachable position" not in (proved.reason or "")


@compiled
@pytest.mark.parametrize("last", [1, 2])
def test_where_the_second_library_fails_python_looks(monkeypatch: pytest.MonkeyPatch, last: int) -> None:
    made = []

    def once(source: str, budget: Budget) -> object:
        made.append(source)
        if len(made) >= last + 1:
            raise compiler.NoCompiler("no more")
        return compiler.library(source, budget)

    monkeypatch.setattr(native, "library", once)
    monkeypatch.setattr(engine, "FEW", 10)
    game, asked = hanoi(5)
    explicit = Explicit(game)
    reader = Reader(game, Diagnostics(), evaluate.starts(game)[0])
    assert explicit.ask(asked, Budget()).value == "243"
    for name, expected in (("progress", "holds"), ("ends", "fails")):
        other = reader.question(game.document.questions[name])
        assert other is not None
        assert explicit.ask(other, Budget()).verdict == expected


def test_source_grows_as_the_formula_does() -> None:
    """A list of lists of lists was once written out for every place of each."""
    terms = Terms()
    slots = [Slot(f"m{i}", (), 0, 63, False) for i in range(64)]
    model = Model(terms, slots, [(0,) * 64], [], [], terms.false, [])
    term, sizes = model.var(0), []
    for _ in range(4):
        term = terms.select(term, [model.var(i) for i in range(64)])
        sizes.append(len(native_formula(model, term, "number")))
    assert sizes[3] - sizes[2] < 2 * (sizes[1] - sizes[0]) < 20_000


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


def test_a_table_of_large_numbers_has_no_compiled_form() -> None:
    """In C its entries would be cut: 2^64 + 1 would be 1."""
    terms = Terms()
    model = Model(terms, [Slot("x", (), 0, 2, False)], [(0,)], [], [], terms.false, [])
    chosen = terms.select(model.var(0), [terms.const(n) for n in (1, 2**64 + 1, 3)])
    with pytest.raises(Unlowerable):
        native_formula(model, terms.eq(chosen, terms.const(1)), "number")
