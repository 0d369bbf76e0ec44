"""Several processors number what they find as one does, whoever is late, and whatever the hash is like."""

from __future__ import annotations

import ctypes
import random
from pathlib import Path

import pytest

from tablelaw.solver.ir import Model
from tablelaw.solver.lower import lower
from tablelaw.solver.native import space as native
from tablelaw.solver.native import together
from tablelaw.solver.native.compiler import compiler, library
from tablelaw.solver.native.held import NO_MEMORY
from tablelaw.solver.native.space import MANY, NativeSpace
from tablelaw.solver.native.together import Together
from tablelaw.solver.space.graph import Budget, OutOfBudget, Space
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import load

pytestmark = pytest.mark.skipif(compiler() is None, reason="needs a C compiler")
FALLING = """tablelaw: 1
game: falling
title: Falling
players: 2
state:
  a: {type: 0..40, init: 0}
  b: {type: 0..40, init: 0}
  c: {type: 0..2, init: 0}
actions:
  one: {by: 0, require: [{id: one, check: "a + b < 60"}], do: a += 1}
  two: {by: 0, require: [{id: two, check: b < 40}], do: b += 1}
  turn: {by: 0, require: [{id: turn, check: a % 7 != 3}], do: c = (c + 1) % 3}
  back: {by: 0, require: [{id: back, check: "a > 0 and c == 1"}], do: a -= 1}
"""


def scattered(seed: int) -> str:
    """Rules of a game whose moves lead far and wide."""
    chance = random.Random(seed)
    x, y = chance.randint(40, 120), chance.randint(5, 30)
    lines = ["tablelaw: 1", "game: scattered", "title: Scattered", "players: 2", "state:"]
    lines += [f"  x: {{type: 0..{x}, init: 0}}", f"  y: {{type: 0..{y}, init: 0}}", "actions:"]
    for k in range(chance.randint(2, 6)):
        a, b, c = (chance.randint(1, 9) for _ in range(3))
        where = f"(x * {a} + y * {b}) % {chance.randint(2, 7)} != {c % 3}" if chance.random() < 0.7 else "true"
        far = [f"x = (x * {b} + y + {c}) % {x + 1}", f"y = (y + {a}) % {y + 1}", f"x = (x + {c}) % {x + 1}", "x += 1"]
        does = chance.sample(far[:3], chance.randint(1, 2)) if chance.random() < 0.9 else far[3:]
        lines.append(f'  m{k}: {{by: 0, require: [{{id: r{k}, check: "{where}"}}], do: {does}}}'.replace("'", '"'))
    return "\n".join(lines) + "\n"


def model_of(text: str, path: Path) -> Model:
    path.write_text(text, encoding="utf-8")
    sink = Diagnostics()
    rules = load(str(path), sink)
    game = None if rules is None else rules.game({}, 2, sink)
    assert game is not None, [d.message for d in sink.items]
    return lower(game, unroll=True)[0]


@pytest.fixture(autouse=True)
def apart(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLELAW_CACHE", str(tmp_path_factory.getbasetemp() / "compiled"))
    monkeypatch.setattr(native, "WIDE", 4)
    monkeypatch.setattr(native, "AT_ONCE", 32)
    monkeypatch.setattr(together, "AT_ONCE", 60)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """Wide, with faults, states met again soon and late, and dead ends."""
    return model_of(FALLING, tmp_path_factory.mktemp("falling") / "rules.yaml")


def told(space: Space) -> tuple[list[list[int]], int]:
    return [list(x) for x in (space.states, space.parents, space.stuck, space.faulty)], space.steps


def several(model: Model, workers: int, monkeypatch: pytest.MonkeyPatch) -> NativeSpace:
    monkeypatch.setattr(native, "processors", lambda: workers)
    library(native.team_source(model), Budget())  # a search waits for no compiler that it could do without
    return NativeSpace(model, Budget())


def team_of(found: NativeSpace, workers: int) -> Together:
    return Together(found.held, library(native.team_source(found.model), Budget()), workers)


HASHES = {
    "as it is": "h ^ h >> 32",
    "all alike": "h * 0",
    "few places": "h & 0xF00000000000000FULL",
    "places at borders": "(u32)h | 0x7FFFFFFF00000000ULL + (h & 0x4000000100000000ULL)",
    "borders, tags alike": "0x7FFFFFFF00000000ULL + (h & 0x4000000100000000ULL)",
    "the last place": "h | 0xFFFFFFFF00000000ULL",
    "tags alike": "h & 0xFFFFFFFF00000000ULL",
}


@pytest.mark.parametrize("workers", [2, 3, 5])
@pytest.mark.parametrize("name", HASHES)
def test_the_same_numbers(model: Model, name: str, workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where places are few, most states lie beyond the stretch of the table where they are looked for first."""
    whole = native._all

    def poor(model: Model, *parts: str) -> str:
        text = whole(model, *parts)
        assert text.count("return h ^ h >> 32;") == 1
        return text.replace("return h ^ h >> 32;", f"return {HASHES[name]};")

    expected = Space(model)
    expected.explore(Budget())
    assert expected.faulty
    assert len(expected.states) > 2_000
    monkeypatch.setattr(native, "_all", poor)
    for at_once in (1, 60, 700):
        monkeypatch.setattr(together, "AT_ONCE", at_once)
        found = several(model, workers, monkeypatch)
        found.explore(Budget())
        assert found._together is not None
        assert told(found) == told(expected)
        assert [found.index[s] for s in expected.states] == list(range(len(expected.states)))


@pytest.mark.parametrize("seed", [8, 11, 24, 30, *(pytest.param(k, marks=pytest.mark.slow) for k in range(32, 52))])
def test_random_games(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few of the random rulebooks of the laws have more than some states; these have hundreds and thousands."""
    model = model_of(scattered(seed), tmp_path / "rules.yaml")
    expected = Space(model)
    expected.explore(Budget())
    monkeypatch.setattr(native, "WIDE", 1)  # some have few positions at each depth
    for workers in (1, 2 + seed % 3):
        monkeypatch.setattr(together, "AT_ONCE", 1 + 37 * seed % 400)
        found = several(model, workers, monkeypatch)
        found.explore(Budget())
        assert (found._together is not None) == (workers > 1)
        assert told(found) == told(expected)


def test_one_alone_does_the_work_of_all(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads that never come, or come late, hold nobody up."""
    expected = several(model, 1, monkeypatch)
    expected.explore(Budget())
    found = several(model, 3, monkeypatch)
    team = team_of(found, 3)
    search = found.held.search
    while search.expanded < search.count:
        assert team.library.team_expand(team.at, ctypes.c_uint64(100), ctypes.c_uint64(MANY)) == 0
        if search.count - search.expanded < 2:
            found._library.search_expand(found.held.at, ctypes.c_uint64(1), ctypes.c_uint64(MANY))
    found.expanded, found.steps = search.expanded, search.steps
    assert told(found) == told(expected)


@pytest.mark.parametrize("workers", [1, 2])
def test_what_memory_cut_is_gone_on_with(model: Model, workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A block that found no room is as if it had not been looked at: what was seen in it is not taken for known."""
    expected = several(model, 1, monkeypatch)
    expected.explore(Budget())
    found = several(model, 2, monkeypatch)
    team, search, cuts = team_of(found, 2), found.held.search, 0

    def expand(count: int) -> int:
        return int(found._library.search_expand(found.held.at, ctypes.c_uint64(count), ctypes.c_uint64(MANY)))

    expand(40)
    while search.expanded < search.count:
        search.spare = 3_000 * cuts if cuts % 2 else 0
        ended = expand(1_000) if workers == 1 else team.expand(1_000, MANY)
        if ended == NO_MEMORY:
            cuts += 1
        elif search.count - search.expanded < 2:
            search.spare = MANY
            expand(1)
    assert cuts > 3
    found.expanded, found.steps = search.expanded, search.steps
    assert told(found) == told(expected)


def test_bounds_are_kept(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    found = several(model, 2, monkeypatch)
    with pytest.raises(OutOfBudget, match="more than 500 states"):
        found.explore(Budget(states=500))
    assert 500 < len(found.states) < 1_000
    whole = several(model, 1, monkeypatch)
    whole.explore(Budget())
    known = len(found.states)
    assert list(found.states) == list(whole.states)[:known]
    found.explore(Budget())
    assert told(found) == told(whole)
