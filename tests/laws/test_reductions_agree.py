"""Laws: with reductions and without them the answers are the same, and so are the numbers of states, in Python and compiled."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from tablelaw.solver import evaluate
from tablelaw.solver.explicit import both_ways, engine
from tablelaw.solver.explicit.engine import Explicit
from tablelaw.solver.lower import lower
from tablelaw.solver.native.compiler import compiler
from tablelaw.solver.native.space import NativeSpace
from tablelaw.solver.passes import relevant
from tablelaw.solver.problem import prepare
from tablelaw.solver.reduce import bags, order, reduced
from tablelaw.solver.reduce.choosing import SOUND, for_question
from tablelaw.solver.reduce.names import BAGS, EVERYWHERE, NAMES, NONE, ORDER, SLICING, SYMMETRY, Wanted
from tablelaw.solver.reduce.reduced import Reduced
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.alike import images
from tablelaw.solver.space.graph import Budget, OutOfBudget, Space
from tablelaw.solver.space.images import image, smallest
from tablelaw.solver.space.pack import packing
from tablelaw.solver.space.ranges import LEFT
from tablelaw.solver.verdict import InternalFault
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.questions import Asked, Reader
from tablelaw.testing.games import checked, sound
from tablelaw.testing.reducible import reducible

KINDS = {*both_ways.KINDS, "count"}
SHORT = {"always", "never", "reach", "largest", "smallest", "in-range", "count"}
MOST = 30_000
ONE = [EVERYWHERE, *(Wanted(frozenset({n}), always=True) for n in NAMES)]


@pytest.fixture(autouse=True)
def apart(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled code is kept apart from the user's."""
    monkeypatch.setenv("TABLELAW_CACHE", str(tmp_path_factory.getbasetemp() / "compiled"))


def made(seed: int) -> Game:
    game, sink = checked(reducible(seed))
    assert game is not None, [d.message for d in sink]
    return game


def asked_of(game: Game) -> list[Asked]:
    reader = Reader(game, Diagnostics(), evaluate.starts(game)[0])
    found = [a for q in game.document.questions.values() if (a := reader.question(q)) is not None and a.kind in KINDS]
    return [*found, Asked("in-range", "in-range", None)]


def told(explicit: Explicit, asked: Asked) -> tuple[object, ...] | None:
    """What must be the same, however it was found; None where there are too many states."""
    try:
        v = explicit.ask(asked, Budget(states=MOST))
    except OutOfBudget:
        return None
    except Unlowerable as why:
        return (str(why),)
    exact = asked.kind not in ("force", "always-after", "terminates")
    length = len(v.trace.steps) if v.trace is not None and exact else v.trace is None
    left = v.known_by == "exhausted" and LEFT in v.notes  # else the search may have stopped before it
    return v.verdict, v.value, v.known_by, left, length


def same(game: Game, ways: list[Wanted], kinds: set[str] = KINDS) -> None:
    """Ask everything of these kinds in these ways."""
    for asked in asked_of(game):
        if asked.kind not in kinds:
            continue
        whole = told(Explicit(game, NONE), asked)
        for way in ways:
            if whole is None:
                continue
            found = told(Explicit(game, way), asked)
            here, there = (found, whole) if ORDER not in way.names else (found and found[:4], whole[:4])
            if here is not None and (here[2:3], there[2:3]) == (("exhausted",), ("bounded",)):
                there = (*there[:2], *here[2:3], *there[3:])  # a counter that had come to its end was left out
            assert here == there, (asked.id, sorted(way.names))


@pytest.mark.parametrize("seed", range(5))
def test_answers_are_the_same(seed: int) -> None:
    """Every kind of question, with all reductions and with each alone: verdict, value, how it is known, length of the play."""
    same(made(seed), ONE)


@pytest.mark.parametrize("seed", [0, 5, 43])
def test_questions_share_what_they_may(seed: int) -> None:
    """One engine for all questions, in either order: what one of them leaves out no other one misses."""
    game = made(seed)
    alone = {a.id: told(Explicit(game, EVERYWHERE), a) for a in asked_of(game)}
    for order_of in (1, -1):
        for way in (EVERYWHERE, Wanted(frozenset({SYMMETRY}), always=True)):
            shared = Explicit(game, way)
            for asked in asked_of(game)[::order_of]:
                found, wanted = told(shared, asked), alone[asked.id]
                if found is not None and wanted is not None and asked.what != "moves":
                    assert found[:3] == wanted[:3], (asked.id, sorted(way.names))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 136))
def test_more_answers_are_the_same(seed: int) -> None:
    same(made(seed), ONE)


@pytest.mark.parametrize("seed", range(3))
def test_answers_are_the_same_in_any_game(seed: int) -> None:
    """Games with every construct of the language, in which reductions seldom find much."""
    _, game = sound(seed, (0.0, 0.02, 0.12)[seed % 3], questions=4)
    same(game, ONE[:1])


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(300, 340))
def test_more_answers_are_the_same_in_any_game(seed: int) -> None:
    _, game = sound(seed, (0.0, 0.02, 0.12)[seed % 3], questions=4)
    same(game, ONE[:1])


def parts_of(game: Game, asked: Asked) -> tuple[Space, Reduced] | None:
    problem = prepare(game, asked, unroll=True)
    space = Space(problem.model)
    found = for_question(asked, problem, space, EVERYWHERE, {})
    return None if found is None else (space, found)


def used() -> Counter[str]:
    """Which reductions are found in the games of these tests."""
    found: Counter[str] = Counter()
    for seed in range(5):
        for asked in asked_of(game := made(seed)):
            parts = parts_of(game, asked) if asked.kind in SOUND else None
            if parts is not None:
                r = parts[1]
                each = {SLICING: r.keep, BAGS: r.bags, ORDER: r.order, SYMMETRY: r.among or None}
                found.update(n for n, x in each.items() if x is not None)
    return found


def test_every_reduction_is_tried() -> None:
    """The games of these laws are such that each reduction finds something in many of them."""
    assert min(used()[n] for n in NAMES) >= 5


@pytest.mark.parametrize("seed", range(4))
def test_steps_are_the_same(seed: int) -> None:
    """A position and the one that stands for it have the same steps, and the question reads the same of both."""
    game = made(seed)
    for asked in asked_of(game):
        if asked.kind in SOUND:
            both_ways.sampled(game, asked, seed)


@pytest.mark.skipif(compiler() is None, reason="needs a C compiler")
@pytest.mark.parametrize("seed", range(2))
def test_compiled_images_are_the_same(seed: int) -> None:
    """States, parents and successors under images, as in Python; the states that they stand for are all there are."""
    game = made(seed)
    model, _ = lower(game, unroll=True)
    ring = replace(model, among=tuple(images(model, model.terms.true)))
    plain, fast = Space(ring), NativeSpace(ring, Budget())
    plain.explore(Budget())
    fast.explore(Budget())
    assert plain.states == list(fast.states)
    assert plain.parents == list(fast.parents)
    assert list(plain.offers(Budget())) == list(fast.offers(Budget()))


@pytest.mark.skipif(compiler() is None, reason="needs a C compiler")
@pytest.mark.parametrize("seed", [0])
def test_compiled_answers_are_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reductions in compiled code from the second state on."""
    game = made(seed)
    whole = [told(Explicit(game, NONE), a) for a in asked_of(game)]
    monkeypatch.setattr(engine, "FEW", 1)
    assert [told(Explicit(game, Wanted(frozenset(NAMES) - {ORDER}, always=True)), a) for a in asked_of(game)] == whole


def test_images_across_words() -> None:
    """The smallest image is a fixed point, the same for all images, in states of several words."""
    game, _ = checked(reducible(0).replace("0..3}", "0..29}").replace("board[0] * 2", "board[1] * 2"))
    assert game is not None
    model, _ = lower(game)
    pack = packing(model.slots)
    board = [i for i, s in enumerate(model.slots) if s.name == "board"]
    turned = list(range(len(model.slots)))
    for k, i in enumerate(board):
        turned[i] = board[len(board) - 1 - k]
    for s in range(0, 1 << 40, (1 << 33) + 12345):
        state = s * 0x9E3779B97F4A7C15F39CC0605CEDC835 % (1 << pack.bits)
        other = image(pack, turned, state)
        assert image(pack, turned, other) == state
        assert smallest(pack, [turned], state) == smallest(pack, [turned], other) == min(state, other)


# faults that are put in on purpose


def caught(*names: str, first: int = 0) -> bool:
    """Do the laws see that something is wrong with some of the reductions?"""
    for seed in range(first, first + 60):
        game = made(seed)
        try:
            same(
                game,
                [Wanted(frozenset(names), always=True)],
                {"always", "never", "reach", "largest", "smallest", "in-range", "count"},
            )
        except (AssertionError, InternalFault):
            return True
    return False


def test_a_wrong_symmetry_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two squares swapped of which the question tells one apart."""
    monkeypatch.setattr(reduced, "kept_of", lambda model, group, terms: list(group))
    assert caught(SLICING, SYMMETRY, first=24)


def test_a_slice_too_thin_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a fault reads is left out."""
    monkeypatch.setattr(reduced, "exact", lambda model, terms: relevant(model, []))
    assert caught(SLICING)


@pytest.mark.parametrize("condition", ["_alone", "_slots"])
def test_an_order_without_its_conditions_is_seen(condition: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Actions that hang on each other, or that the question sees, are put in order."""
    broken = {
        "_alone": lambda model, m, table: m.guard.level < 0,
        "_slots": lambda terms: set(),
    }[condition]
    monkeypatch.setattr(order, condition, broken)
    assert caught(ORDER)


def test_dice_that_are_told_apart_are_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every two draws of the same kind are taken to be in any order."""
    monkeypatch.setattr(bags, "_swappable", lambda t, m, a, b: True)
    assert caught(BAGS, first=13)
