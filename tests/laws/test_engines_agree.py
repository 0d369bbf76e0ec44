"""Laws: on random games every engine takes exactly the steps, and gives exactly the answers, of the reference evaluator."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import z3

from tablelaw.solver import evaluate
from tablelaw.solver.explicit import lassos
from tablelaw.solver.explicit.engine import Explicit
from tablelaw.solver.ir import Move
from tablelaw.solver.lower import lower
from tablelaw.solver.passes import relevant, slice_to
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget, OutOfBudget, Space
from tablelaw.solver.symbolic.encode import Encoder, Env, Unsupported
from tablelaw.solver.symbolic.engine import Symbolic
from tablelaw.solver.trace import to_numbers, to_state
from tablelaw.spec.core import Expr
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.operators import Fault
from tablelaw.spec.questions import Asked, Reader, step_needs
from tablelaw.spec.values import Value
from tablelaw.testing import naive
from tablelaw.testing.games import sound

MOST = 250


def wildness(seed: int) -> float:
    """Every third game dares much that may have no value, every third a little, every third nothing."""
    return (0.0, 0.02, 0.12)[seed % 3]


def check_steps(game: Game, g: naive.Graph, space: Space) -> None:
    """Law a: the same steps, choices and actors; law f: positions survive packing."""
    pack = space.pack

    def packed(state: evaluate.State) -> int:
        numbers = to_numbers(game, state)
        assert all(s.lo <= n <= s.hi for s, n in zip(space.model.slots, numbers, strict=True))
        assert to_state(game, numbers) == state
        found = pack.pack(numbers)
        assert pack.unpack(found) == numbers
        return found

    ended = space.formula(space.model.ended)
    for i, found in enumerate(g.steps):
        s = packed(g.states[i])
        out: list[int] = []
        space.successors(s, out)
        expected = Counter(-1 if x.after is None else packed(x.after) for x in found)
        assert Counter(out) == expected or (set(out) == set(expected) and out.count(-1) > 0), g.states[i]
        assert Counter(n for n in out if n >= 0) == Counter({k: n for k, n in expected.items() if k >= 0}), g.states[i]
        choices: dict[evaluate.Move, list[int]] = {}
        for x in found:
            if x.after is not None and x.move is not None:
                choices.setdefault(x.move, []).append(packed(x.after))
        mine = sorted((-1 if m.actor is None else m.actor, sorted(d)) for m, d in choices.items())
        assert sorted((a, sorted(d)) for a, d in space.choices(s)) == mine, g.states[i]
        if not any(x.move is None for x in found):
            assert bool(ended(s)) == g.ended(i), g.states[i]


def check_space(game: Game, g: naive.Graph, space: Space) -> None:
    """Law b: the same reachable states, stuck states and faults."""
    space.explore(Budget())
    assert len(space.states) == len(g.states)
    assert {space.pack.pack(to_numbers(game, s)) for s in g.states} == set(space.states)
    stuck = {space.pack.pack(to_numbers(game, s)) for i, s in enumerate(g.states) if not g.steps[i] and not g.ended(i)}
    assert {space.states[i] for i in space.stuck} == stuck
    assert bool(space.faulty) == g.faulty


def check_cheap(seed: int) -> int:
    """How many models of the game were compared."""
    _, game = sound(seed, wildness(seed), questions=0)
    g = naive.explore(game, MOST)
    compared = 0
    for unroll in (True, False):
        try:
            model, _ = lower(game, unroll=unroll)
        except Unlowerable:
            break
        space = Space(model)
        check_steps(game, g, space)
        if g.whole:
            check_space(game, g, space)
        compared += 1
    return compared


# questions


def asked_of(game: Game) -> dict[str, Asked]:
    """The typed questions of a game; those with a fault are left out."""
    reader = Reader(game, Diagnostics(), evaluate.starts(game)[0])
    found = {}
    for q in game.document.questions.values():
        asked = reader.question(q)
        if asked is not None:
            found[q.id] = asked
    return found


def expected_of(game: Game, asked: Asked) -> tuple[str, int | None] | None:
    """Verdict and length of the shortest play that shows it, by brute force; None when it is too much."""
    assert asked.formula is not None
    _, counted = step_needs([asked.formula])
    found = naive.search(game, asked.formula, counted, wanted=asked.kind != "always")
    if found is None:
        return None
    shortest = min((d for d, _ in found), default=None)
    if asked.kind != "reach":
        return ("holds" if shortest is None else "fails"), shortest
    meets = [d for d, valued in found if valued]
    if meets:
        return "holds", min(meets)
    return ("unknown" if found else "fails"), None


def check_questions(seed: int, symbolic: bool = False) -> Counter[str]:
    """Law d: always, never and reach with old, actor, times, ended, winners. The verdicts, and those that z3 gave as well."""
    given: Counter[str] = Counter()
    _, game = sound(seed, wildness(seed))
    explicit = Explicit(game)
    other = Symbolic(game) if symbolic else None
    for asked in asked_of(game).values():
        if asked.kind not in ("always", "never", "reach"):
            continue
        expected = expected_of(game, asked)
        if expected is None:
            continue
        try:
            found = explicit.ask(asked, Budget())
        except Unlowerable:
            continue
        assert found.verdict == expected[0], (asked.id, asked.kind)
        given[found.verdict] += 1
        if found.trace is not None:
            assert len(found.trace.steps) - 1 == expected[1], asked.id
        if other is not None:
            try:
                second = other.ask(asked, Budget(seconds=1.5))
            except OutOfBudget:
                continue
            if "unknown" not in (second.verdict, expected[0]):
                assert second.verdict == expected[0], (asked.id, asked.kind)
                given["by z3"] += 1
    return given


def goal_of(game: Game, g: naive.Graph, e: Expr, **names: Value) -> list[bool] | None:
    """Where a formula holds; None where it has no value somewhere."""
    try:
        return [bool(naive.truth(game, s, e, **names)) for s in g.states]
    except Fault:
        return None


def check_endings(seed: int) -> int:
    """Law e: endless plays, leads-to, forcing, counting; law f: the slice of `terminates` changes nothing.

    How many questions were compared.
    """
    _, game = sound(seed, wildness(seed))
    g = naive.explore(game, MOST)
    if not g.whole or g.faulty:  # where a range is left the verdicts say no more than "as far as no range is left"
        return 0
    try:
        model, _ = lower(game, unroll=True)
    except Unlowerable:
        return 0
    explicit = Explicit(game)
    questions = asked_of(game)
    compared = sum(check_ending(game, g, explicit, asked) for asked in questions.values())
    first = next(iter(questions.values()), None)
    if first is not None:
        ends = Asked("ends", "terminates", first.span)
        assert (explicit.ask(ends, Budget()).verdict == "fails") == naive.endless(g)
        space = Space(slice_to(model, relevant(model, [])))
        space.explore(Budget())
        graph = lassos.edges(space, Budget())
        assert bool(list(lassos.components(graph))) == naive.endless(g)
    return compared


def check_ending(game: Game, g: naive.Graph, explicit: Explicit, asked: Asked) -> bool:
    """Compare one answer, where there is one by hand."""
    if asked.kind == "always-after":
        assert asked.formula is not None
        assert asked.then is not None
        when, then = goal_of(game, g, asked.formula), goal_of(game, g, asked.then)
        if when is not None and then is not None:
            keep = naive.avoids(g, then)
            expected = "fails" if any(w and k for w, k in zip(when, keep, strict=True)) else "holds"
            assert explicit.ask(asked, Budget()).verdict == expected, "always-after"
            return True
    elif asked.kind == "force":
        expected_force = forced(game, g, asked)
        if expected_force is not None:
            assert (explicit.ask(asked, Budget()).verdict == "holds") == expected_force, "force"
            return True
    elif asked.kind == "count":
        if asked.what == "states":
            number: int | None = len(g.states)
        else:
            number = naive.plays(g) if asked.what == "plays" else naive.sequences(g, asked.depth or 0)
        found = explicit.ask(asked, Budget()).value
        assert found == ("infinite" if number is None else str(number)), asked.what
        return True
    return False


def forced(game: Game, g: naive.Graph, asked: Asked) -> bool | None:
    """Can the players named force the goal (or: just where they should)? None where a formula has no value."""
    assert asked.formula is not None
    assert asked.who is not None
    exactly = None if asked.exactly_when is None else goal_of(game, g, asked.exactly_when)
    if asked.exactly_when is not None and exactly is None:
        return None
    answers: dict[frozenset[int], list[bool]] = {}
    fine = True
    for i, s in enumerate(g.states):
        if exactly is None and i >= g.starts:
            continue
        named = naive.truth(game, s, asked.who)
        who = named if isinstance(named, frozenset) else frozenset({named})
        if who not in answers:
            goal = goal_of(game, g, asked.formula, who=who)
            if goal is None:
                return None
            answers[who] = naive.forces(g, goal, who, asked.within)
        fine = fine and answers[who][i] == (True if exactly is None else exactly[i])
    return fine


# z3


def check_encoding(seed: int, most: int = 6) -> int:
    """Law c: from a position, the encoding allows exactly the steps of the evaluator. How many positions were looked at."""
    _, game = sound(seed, wildness(seed), questions=0)
    g = naive.explore(game, 60)
    try:
        model, _ = lower(game, unroll=False)
    except Unlowerable:
        return 0
    encoder, looked = Encoder(model), 0
    for i in range(0, len(g.steps), max(1, len(g.steps) // most)):
        numbers = to_numbers(game, g.states[i])
        row = [z3.BoolVal(bool(n)) if s.truth else z3.IntVal(n) for s, n in zip(model.slots, numbers, strict=True)]
        expected = {
            (-1 if s.move.actor is None else s.move.actor, s.after) for s in g.steps[i] if s.after is not None and s.move
        }
        try:
            enabled = encoder.enabled(False)
            found = {x for k, m in enumerate(model.moves) for x in taken(game, encoder, m, row, f"{i}.{k}")}
        except Unsupported:
            break
        assert found == expected, g.states[i]
        if enabled is not None and not g.ended(i):
            assert z3.is_true(z3.simplify(encoder.term(enabled, Env(row)))) == bool(g.steps[i]), g.states[i]
        looked += 1
    return looked


def taken(game: Game, encoder: Encoder, m: Move, row: list[Any], tag: str) -> set[tuple[int, evaluate.State]]:
    """Who goes where by a move from a position, as z3 has it."""
    env = Env(row, None, encoder.inputs(m, tag))
    solver = z3.Solver()
    solver.add(*encoder.taken(m, env))
    after = encoder.after(m, env)
    actor = z3.IntVal(-1) if m.table else encoder.term(m.actor, env)
    whole = [z3.If(x, z3.IntVal(1), z3.IntVal(0)) if z3.is_bool(x) else x for x in (*after, actor)]
    found = set()
    while solver.check() == z3.sat:
        values = [solver.model().eval(x, model_completion=True).as_long() for x in whole]
        found.add((values[-1], to_state(game, values[:-1])))
        solver.add(z3.Or([x != n for x, n in zip(whole, values, strict=True)]))
    return found


@pytest.mark.parametrize("block", [*range(6), *(pytest.param(n, marks=pytest.mark.slow) for n in range(6, 15))])
def test_generated_code_takes_the_steps_of_the_evaluator(block: int) -> None:
    assert sum(check_cheap(seed) for seed in range(block * 20, block * 20 + 20)) > 30


@pytest.mark.parametrize("block", [*range(6), *(pytest.param(n, marks=pytest.mark.slow) for n in range(6, 10))])
def test_questions_are_answered_as_by_brute_force(block: int) -> None:
    given = sum((check_questions(20_000 + seed) for seed in range(block * 10, block * 10 + 10)), Counter[str]())
    assert given["holds"] > 8, given
    assert given["fails"] > 8, given


@pytest.mark.parametrize("block", [*range(6), *(pytest.param(n, marks=pytest.mark.slow) for n in range(6, 10))])
def test_endings_forcing_and_counts_are_those_of_the_evaluator(block: int) -> None:
    assert sum(check_endings(30_000 + seed) for seed in range(block * 10, block * 10 + 10)) > 15


@pytest.mark.parametrize("block", range(4))
def test_z3_takes_the_steps_of_the_evaluator(block: int) -> None:
    assert sum(check_encoding(40_000 + seed) for seed in range(block * 10, block * 10 + 10)) > 15


@pytest.mark.parametrize("seed", range(50_000, 50_006))
def test_search_and_z3_answer_alike(seed: int) -> None:
    assert check_questions(seed, symbolic=True)["by z3"]


@pytest.mark.slow
@pytest.mark.parametrize("block", range(4))
def test_all_laws_on_many_games(block: int) -> None:
    for seed in range(100_000 + block * 50, 100_000 + block * 50 + 50):
        check_cheap(seed)
        check_questions(seed, symbolic=seed % 20 == 0)
        check_endings(seed)
        if seed % 5 == 0:
            check_encoding(seed)
