"""Laws: a search that goes on with its states on disk finds the states of the search in memory, under the same numbers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tablelaw.solver import evaluate
from tablelaw.solver.explicit import engine
from tablelaw.solver.explicit.engine import Explicit
from tablelaw.solver.ir import Model
from tablelaw.solver.lower import lower
from tablelaw.solver.native import space as native
from tablelaw.solver.native import spill
from tablelaw.solver.native.compiler import compiler
from tablelaw.solver.native.space import NativeSpace
from tablelaw.solver.native.spill import Spilled
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget, OutOfBudget, Space
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.load import load
from tablelaw.spec.questions import Reader
from tablelaw.spec.settings import defaults
from tablelaw.testing.games import sound

pytestmark = pytest.mark.skipif(compiler() is None or not spill.possible(), reason="needs a C compiler")
MOST = 20_000
LISTED = ("force", "terminates", "always-after")


@pytest.fixture(autouse=True)
def apart(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled code is kept apart from the user's."""
    monkeypatch.setenv("TABLELAW_CACHE", str(tmp_path_factory.getbasetemp() / "compiled"))


def model_of(name: str, setting: dict[str, str]) -> Model:
    sink = Diagnostics()
    rules = load(str(Path(__file__).parents[2] / "examples" / name / "rules.yaml"), sink)
    game = None if rules is None else rules.game({**defaults(rules.document), **setting}, rules.counts[0], sink)
    assert game is not None
    return lower(game, unroll=True)[0]


def tight(monkeypatch: pytest.MonkeyPatch, held: int, room: int, batch: int = 16) -> None:
    """Little memory: so many states before the disk is used, so many after that; and short rows."""
    whole = native._all

    def short(model: Model, *parts: str) -> str:
        return whole(model, *parts).replace("#define ROW 512", "#define ROW 4").replace("#define READ 64", "#define READ 3")

    monkeypatch.setattr(native, "_all", short)
    monkeypatch.setattr(spill, "ROW", 4)
    monkeypatch.setattr(NativeSpace, "held_most", held)
    monkeypatch.setattr(native, "AT_ONCE", 16)
    monkeypatch.setattr(Spilled, "room_most", room)
    monkeypatch.setattr(spill, "BLOCK", batch)
    monkeypatch.setattr(spill, "CHUNK", 48)


def check_states(model: Model, folder: Path) -> NativeSpace:
    plain, cut = Space(model), NativeSpace(model, Budget())
    budget = Budget(mebibytes=100_000, spill=folder, states=3 * MOST)
    try:
        plain.explore(Budget(states=MOST))
    except OutOfBudget:
        while len(cut.states) <= MOST:
            cut.expand(budget)
    else:
        cut.explore(budget)
        assert len(cut.states) == len(plain.states)
        assert plain.stuck == list(cut.stuck)
        assert plain.faulty == list(cut.faulty)
        assert plain.steps == cut.steps
    known = min(len(plain.states), len(cut.states))
    assert plain.states[:known] == cut.states[:known]
    assert plain.parents[:known] == cut.parents[:known]
    assert plain.path(known - 1) == cut.path(known - 1)
    return cut


def answers(game: Game, budget: Budget) -> list[object]:
    explicit, told = Explicit(game), list[object]()
    reader = Reader(game, Diagnostics(), evaluate.starts(game)[0])
    for question in game.document.questions.values():
        asked = reader.question(question)
        if asked is None or asked.kind in LISTED or asked.what == "plays":
            continue
        try:
            v = explicit.ask(asked, budget.part(60))
        except (OutOfBudget, Unlowerable) as why:
            told.append(str(why))
        else:
            steps = None if v.trace is None else [s.state for s in v.trace.steps]
            told.append((asked.id, v.verdict, v.value, v.known_by, v.bound, v.clauses, v.reason, v.notes, steps))
    return told


def check_game(seed: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, game = sound(seed, (0.0, 0.02, 0.12)[seed % 3], questions=4)
    try:
        model, _ = lower(game, unroll=True)
    except Unlowerable:
        return
    monkeypatch.setattr(native, "processors", lambda: 1 + seed % 2)
    monkeypatch.setattr(engine, "FEW", 1)
    monkeypatch.setattr(native, "WORTH", 0)
    expected = answers(game, Budget())
    tight(monkeypatch, 1 + seed % 7, 20 + seed * 37 % 500)
    cut = check_states(model, folder)
    assert cut.spilled is not None or len(cut.states) < 100
    assert answers(game, Budget(mebibytes=100_000, spill=folder)) == expected
    assert not list(folder.iterdir())


@pytest.mark.parametrize("seed", range(6))
def test_random_games(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_game(seed, tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 112))
def test_more_random_games(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check_game(seed, tmp_path, monkeypatch)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(("held", "room"), [(1, 300), (1, 4_000), (6_000, 100_000)])
def test_runs_and_what_lies_in_memory(
    held: int, room: int, workers: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many short runs, few long ones, and all in memory beside one run."""
    monkeypatch.setattr(native, "processors", lambda: workers)
    tight(monkeypatch, held, room, 100)
    found = check_states(model_of("hanoi", {"pegs": "4", "discs": "7"}), tmp_path).spilled
    assert found is not None
    assert len(found.runs) > 30 if room == 300 else len(found.runs) == 1 if held > 1 else len(found.runs) > 1


def test_states_of_several_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are sorted by all their words, the last one first."""
    tight(monkeypatch, 100, 900)
    model = model_of("hanoi", {"pegs": "4", "discs": "6"})
    model.slots[:] = [replace(s, hi=s.hi + (1 << 30)) for s in model.slots]  # the same in fields of 31 bits
    assert NativeSpace(model, Budget()).words == 3
    assert check_states(model, tmp_path).spilled is not None


def test_states_are_told_apart_by_all_their_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With a hash that has three values all but everything collides: a search that trusted it would lose states."""
    whole = native._all

    def poor(model: Model, *parts: str) -> str:
        text = whole(model, *parts)
        return text.replace("return h ^ h >> 32;", "return (h ^ h >> 32) % 3 << 32;")

    monkeypatch.setattr(native, "_all", poor)
    tight(monkeypatch, 100, 200)
    assert check_states(model_of("hanoi", {"pegs": "4", "discs": "5"}), tmp_path).spilled is not None
