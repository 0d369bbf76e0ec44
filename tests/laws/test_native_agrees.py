"""Laws: compiled code finds the states of the search in Python, under the same numbers, and gives the same answers."""

from __future__ import annotations

import ctypes
from itertools import product
from pathlib import Path

import pytest

from tablelaw.solver import evaluate
from tablelaw.solver.explicit import engine
from tablelaw.solver.explicit.engine import Explicit
from tablelaw.solver.ir import Model, Slot, Terms
from tablelaw.solver.lower import lower
from tablelaw.solver.native import space as native
from tablelaw.solver.native import together
from tablelaw.solver.native.compiler import compiler, library
from tablelaw.solver.native.space import NativeSpace
from tablelaw.solver.reduce.names import NONE, WHERE_IT_PAYS, Wanted
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.generate import compiled, formula_source, native_formula
from tablelaw.solver.space.graph import Budget, OutOfBudget, Space
from tablelaw.solver.space.pack import packing
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.load import load
from tablelaw.spec.questions import Asked, Reader
from tablelaw.spec.settings import defaults
from tablelaw.testing.games import sound

pytestmark = pytest.mark.skipif(compiler() is None, reason="needs a C compiler")
MOST = 100_000


@pytest.fixture(autouse=True)
def apart(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled code is kept apart from the user's."""
    monkeypatch.setenv("TABLELAW_CACHE", str(tmp_path_factory.getbasetemp() / "compiled"))


def asked_of(game: Game) -> list[Asked]:
    reader = Reader(game, Diagnostics(), evaluate.starts(game)[0])
    return [a for q in game.document.questions.values() if (a := reader.question(q)) is not None]


def check_states(model: Model) -> None:
    plain, fast = Space(model), NativeSpace(model, Budget())
    try:
        plain.explore(Budget(states=MOST))
    except OutOfBudget:
        with pytest.raises(OutOfBudget):
            fast.explore(Budget(states=MOST))
        known = min(len(plain.states), len(fast.states))
        assert plain.states[:known] == fast.states[:known]
        return
    fast.explore(Budget())
    assert plain.states == list(fast.states)
    assert plain.parents == list(fast.parents)
    assert plain.stuck == list(fast.stuck)
    assert plain.faulty == list(fast.faulty)
    assert plain.steps == fast.steps
    assert [fast.index[s] for s in plain.states] == list(range(len(plain.states)))
    assert -1 not in fast.index
    assert list(plain.links(Budget())) == list(fast.links(Budget()))
    assert list(plain.offers(Budget())) == list(fast.offers(Budget()))
    for i in (0, len(plain.states) // 2, len(plain.states) - 1):
        assert plain.path(i) == fast.path(i)


def answers(game: Game, few: int, reductions: Wanted, monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Of each question alone: notes of what was met hang on how far others had looked."""
    monkeypatch.setattr(engine, "FEW", few)
    monkeypatch.setattr(native, "WORTH", 0)
    told: list[object] = []
    for asked in asked_of(game):
        try:
            v = Explicit(game, reductions).ask(asked, Budget(states=MOST))
        except OutOfBudget:
            told.append(asked.id)
        except Unlowerable as why:
            told.append(str(why))
        else:
            steps = None if v.trace is None else [s.state for s in v.trace.steps]
            told.append((asked.id, v.verdict, v.value, v.known_by, v.clauses, v.reason, v.notes, steps))
    return told


def test_states_are_told_apart_by_all_their_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a hash that has three values all but everything collides: a search that trusted it would lose states."""
    whole = native._all

    def poor(model: Model, *parts: str) -> str:
        text = whole(model, *parts)
        assert text.count("return h ^ h >> 32;") == 1
        return text.replace("return h ^ h >> 32;", "return (h ^ h >> 32) % 3 << 32;")

    monkeypatch.setattr(native, "_all", poor)
    sink = Diagnostics()
    rules = load(str(Path(__file__).parents[2] / "examples" / "hanoi" / "rules.yaml"), sink)
    game = None if rules is None else rules.game({**defaults(rules.document), "pegs": "4", "discs": "5"}, 1, sink)
    assert game is not None
    check_states(lower(game, unroll=True)[0])


@pytest.mark.parametrize("workers", [2, 3])
@pytest.mark.parametrize(("name", "setting"), [("hanoi", {"pegs": "4", "discs": "7"}), ("connect", {})])
def test_several_processors_find_the_same(
    name: str, setting: dict[str, str], workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """States, parents, dead ends and faults are numbered as by one."""
    sink = Diagnostics()
    rules = load(str(Path(__file__).parents[2] / "examples" / name / "rules.yaml"), sink)
    game = None if rules is None else rules.game({**defaults(rules.document), **setting}, rules.counts[0], sink)
    assert game is not None
    model, _ = lower(game, unroll=True)
    monkeypatch.setattr(native, "processors", lambda: workers)
    monkeypatch.setattr(native, "WIDE", 40)
    monkeypatch.setattr(together, "AT_ONCE", 50)
    library(native.team_source(model), Budget())  # a search waits for no compiler that it could do without
    check_states(model)


def check_game(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    _, game = sound(seed, (0.0, 0.02, 0.12)[seed % 3], questions=4)
    try:
        model, _ = lower(game, unroll=True)
    except Unlowerable:
        return
    if seed % 2:  # by several processors from the start
        monkeypatch.setattr(native, "processors", lambda: 2 + seed % 3)
        monkeypatch.setattr(native, "WIDE", 0)
        monkeypatch.setattr(native, "AT_ONCE", 1)
        monkeypatch.setattr(together, "AT_ONCE", 1 + seed % 40)
        library(native.team_source(model), Budget())
    check_states(model)
    plain = answers(game, 10**9, NONE, monkeypatch)
    assert answers(game, 1, NONE, monkeypatch) == plain
    assert _said(answers(game, 1, WHERE_IT_PAYS, monkeypatch)) == _said(plain)


def _said(told: list[object]) -> list[object]:
    """Question, verdict, value and how it is known: plays may be others where less is looked at."""
    return [row[:4] if isinstance(row, tuple) else row for row in told]


@pytest.mark.parametrize("seed", range(6))
def test_random_games(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    check_game(seed, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 136))
def test_more_random_games(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    check_game(seed, monkeypatch)


def test_numbers_that_lie_across_words() -> None:
    """Fields of odd widths in three words; each is changed and read by its place, as in one large number."""
    terms = Terms()
    slots = [Slot(f"x{i}", (), -3 if i % 2 else 0, (1 << (7 + i % 5)) - 4, False) for i in range(20)]
    model = Model(terms, slots, [tuple(max(s.lo, 0) for s in slots)], [], [], terms.false, [])
    pack = packing(slots)
    assert pack.bits > 128
    alike = [i for i in range(20) if i % 10 == 1]
    at = terms.sub(model.var(0), terms.const(0))
    total = terms.total([model.var(i) for i in range(20)])
    chosen = terms.select(terms.mod(at, terms.const(2)), [model.var(i) for i in alike])
    whole = terms.add(terms.mul(total, terms.const(3)), chosen)
    source = "\n".join(
        [
            "#define WORDS 3",
            Path(native.__file__).with_name("head.c").read_text(encoding="utf-8"),
            native_formula(model, whole, "number"),
            "API i64 told(const u64 *s) { return number(s, s, -1); }",
        ]
    )
    told = library(source, Budget()).told
    told.restype = ctypes.c_int64
    plain = compiled(formula_source(model, whole, "number"), "number").call
    for step in range(300):
        s = pack.pack([x.lo + step * (i + 3) * 7919 % (x.hi - x.lo + 1) for i, x in enumerate(slots)])
        words = (ctypes.c_uint64 * 3).from_buffer_copy(s.to_bytes(24, "little"))
        assert told(words) == plain(s)


@pytest.mark.parametrize("op", ["floordiv", "mod", "mul", "sub", "xor", "eq", "lt", "le"])
def test_arithmetic_of_negative_numbers(op: str) -> None:
    """C divides towards nought, Python and the rules downwards."""
    terms = Terms()
    slots = [Slot("x", (), -9, 9, False), Slot("y", (), -4, 4, False)]
    model = Model(terms, slots, [(0, 0)], [], [], terms.false, [])
    term = getattr(terms, op)(model.var(0), model.var(1))
    source = "\n".join(
        [
            "#define WORDS 1",
            Path(native.__file__).with_name("head.c").read_text(encoding="utf-8"),
            native_formula(model, term, "number"),
            "API i64 told(const u64 *s) { return number(s, s, -1); }",
        ]
    )
    told = library(source, Budget()).told
    told.restype = ctypes.c_int64
    plain = compiled(formula_source(model, term, "number"), "number").call
    for row in product(range(-9, 10), range(-4, 5)):
        s = packing(slots).pack(row)
        assert told((ctypes.c_uint64 * 1)(s)) == plain(s), row
