"""Formulas placed at other positions, and lemmas: found together, kept over questions."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import z3

from tablelaw.solver import evaluate
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget, Space
from tablelaw.solver.symbolic.encode import Env, Unsupported
from tablelaw.solver.symbolic.engine import KINDS, Symbolic
from tablelaw.solver.symbolic.lemmas import inductive
from tablelaw.solver.symbolic.machine import Machine
from tablelaw.solver.symbolic.placing import Placing
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.questions import Asked, Reader
from tablelaw.testing.games import sound

GAMES = range(12)
MOST = 400


@cache
def game_of(seed: int) -> Game:
    return sound(seed, (0.0, 0.02, 0.12)[seed % 3])[1]


def machine_of(seed: int) -> Machine:
    """A game in z3, or the test is skipped."""
    try:
        machine = Symbolic(game_of(seed)).machine(None)
        for m in machine.model.moves:
            machine.step(m, machine.row, "first")
    except (Unlowerable, Unsupported) as why:
        pytest.skip(str(why))
    return machine


def questions_of(game: Game) -> list[Asked]:
    reader = Reader(game, Diagnostics(), evaluate.starts(game)[0])
    found = [reader.question(q) for q in game.document.questions.values()]
    return [a for a in found if a is not None and a.kind in KINDS and a.kind != "terminates"]


def naive(machine: Machine, candidates: list[Any]) -> set[int]:
    """The largest set that is true at the start and kept by each step, by asking anew of everything again and again."""

    def shown(claim: Any, *known: Any) -> bool:
        solver = z3.Solver()
        solver.add(*known, z3.Not(claim))
        return bool(solver.check() == z3.unsat)

    row, e = machine.row, machine.encoder
    alive = [f for f in candidates if shown(f, e.starts(row))]
    while True:
        lost = set()
        for k, m in enumerate(machine.model.moves):
            env = Env(row, inputs=e.inputs(m, f"naive{k}"))
            taken, after = e.taken(m, env), e.after(m, env)
            pairs = [(a, b) for a, b in zip(row, after, strict=True) if a is not b]
            for f in alive:
                there = z3.substitute(f, *pairs) if pairs else f
                if not shown(there, *e.ranges(row), *alive, *taken):
                    lost.add(f.get_id())
        if not lost:
            return {f.get_id() for f in alive}
        alive = [f for f in alive if f.get_id() not in lost]


def candidates_of(machine: Machine) -> list[Any]:
    """Bounds of slots, and links between two: some hold, some are not kept, some are kept and not true at the start."""
    start = machine.model.starts[0]
    at = [(x if n else z3.Not(x)) if z3.is_bool(x) else x == n for x, n in zip(machine.row, start, strict=True)]
    found = [f for x, n in zip(machine.row, start, strict=True) if not z3.is_bool(x) for f in (x >= n, x <= n, x <= n + 1)]
    found += [z3.Or([z3.Not(a) for a in at]), *(z3.Not(a) for a in at)]
    found += [z3.Or(z3.Not(a), b) for i, a in enumerate(at) for j, b in enumerate(at) if i != j]
    return list({f.get_id(): f for f in found}.values())[:60]


@pytest.mark.parametrize("seed", GAMES)
def test_a_step_placed_elsewhere_is_the_step_built_there(seed: int) -> None:
    """What is built once and placed is, term for term, what would have been built at the other position."""
    machine = machine_of(seed)
    e = machine.encoder
    row = e.position("elsewhere")
    for m in machine.model.moves:
        conditions, after, env = machine.step(m, row, "here")
        built = Env(row, inputs=e.inputs(m, "here"))
        actor = z3.IntVal(-1) if m.table else e.term(m.actor, built)
        expected = [*e.taken(m, built), *e.after(m, built), actor]
        placed = [*conditions, *after, env.actor]
        assert len(placed) == len(expected)
        assert all(a.eq(b) for a, b in zip(placed, expected, strict=True))
        assert all(a is row[i] for i, a in enumerate(after) if i not in m.updates)


def test_placing_takes_all_at_once() -> None:
    """Two constants change places, which one after the other they could not; what is not named stays."""
    x, y, z = z3.Ints("x y z")
    swapped = Placing([x, y], [y, x])
    assert swapped.of(x - y + z).eq(y - x + z)
    assert Placing([x], [x]).of(x + y).eq(x + y)
    assert [f.sexpr() for f in Placing([x, y], [z3.IntVal(1), z]).all([x < y, z3.Not(y == x)])] == ["(< 1 z)", "(not (= z 1))"]


@pytest.mark.parametrize("seed", GAMES)
def test_lemmas_are_the_largest_inductive_set(seed: int) -> None:
    """What is kept in a few solvers is the set that asking anew finds; all of it holds wherever play leads."""
    machine = machine_of(seed)
    candidates = candidates_of(machine)
    found = inductive(machine, candidates, Budget())
    assert {f.get_id() for f in found} == naive(machine, candidates)
    space = Space(machine.model)
    space.explore(Budget())
    for state in space.states[:MOST]:
        here = [
            z3.BoolVal(bool(n)) if z3.is_bool(x) else z3.IntVal(n)
            for x, n in zip(machine.row, space.pack.unpack(state), strict=True)
        ]
        assert all(z3.is_true(z3.simplify(machine.at(f, here))) for f in found)


def test_some_candidates_are_kept_and_some_are_not() -> None:
    """The law above compares sets that are neither empty nor whole."""
    kept = dropped = 0
    for seed in GAMES:
        try:
            machine = machine_of(seed)
        except pytest.skip.Exception:
            continue
        candidates = candidates_of(machine)
        found = inductive(machine, candidates, Budget())
        kept, dropped = kept + len(found), dropped + len(candidates) - len(found)
    assert kept > 20
    assert dropped > 20


@pytest.mark.parametrize("seed", GAMES)
def test_answers_do_not_hang_on_what_was_asked_before(seed: int) -> None:
    """An engine that keeps lemmas over questions says what fresh ones say, in either order."""
    game = game_of(seed)
    try:
        asked = questions_of(game)
        alone = {a.id: Symbolic(game).ask(a, Budget(60)) for a in asked}
        for order in (asked, asked[::-1]):
            kept = Symbolic(game)
            for a in order:
                found, before = kept.ask(a, Budget(60)), alone[a.id]
                if "unknown" not in (found.verdict, before.verdict):
                    assert (found.verdict, found.value) == (before.verdict, before.value), a.id
                assert found.verdict == before.verdict or before.verdict == "unknown", a.id
    except Unlowerable as why:
        pytest.skip(str(why))
