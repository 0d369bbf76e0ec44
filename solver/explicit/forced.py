"""What players can force: depth-first where that is quick, else by the whole reachable graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablelaw.solver.explicit import deep
from tablelaw.solver.explicit.evidence import closed_set, left, strategy
from tablelaw.solver.explicit.forcing import Arena
from tablelaw.solver.loops import against, people
from tablelaw.solver.problem import Problem
from tablelaw.solver.reduce import telling
from tablelaw.solver.reduce.names import SYMMETRY
from tablelaw.solver.reduce.reduced import reduction_of
from tablelaw.solver.space.graph import Budget, Space
from tablelaw.solver.space.ranges import LEFT
from tablelaw.solver.space.rows import Rows
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.questions import Asked

if TYPE_CHECKING:
    from tablelaw.solver.explicit.engine import Explicit


def force(explicit: Explicit, asked: Asked, problem: Problem, space: Space, budget: Budget) -> Verdict:
    assert asked.formula is not None
    assert asked.who is not None
    seats = problem.seats(asked.who)
    exactly_term = None if asked.exactly_when is None else problem.prop(asked.exactly_when).start
    goals = [problem.goal(asked.formula, frozenset({p})) for p in range(explicit.game.players)]
    reads = [*seats.values(), *goals, *([exactly_term] if exactly_term is not None else [])]
    game_model = explicit.model(problem, space)
    problem, space, keep = explicit.sliced(problem, space, reads, budget)
    tests = {p: space.formula(term) for p, term in seats.items()}
    if asked.exactly_when is None and not problem.counters:
        formula, chosen = asked.formula, lambda s: frozenset(p for p, test in tests.items() if test(s))
        alike = SYMMETRY in explicit.reductions.names
        found = deep.force(space, asked.within, chosen, lambda who: problem.goal(formula, who), budget, alike)
        if found is not None:
            return deeply(explicit, problem, space, keep, found)
    if not isinstance(space, Rows) and all(term.op == "const" for term in seats.values()):
        who = frozenset(p for p, term in seats.items() if term.number)
        same = [problem.goal(asked.formula, who), *([] if exactly_term is None else [exactly_term])]
        problem, space = explicit.mirrored(problem, space, game_model, keep, same, budget)
        tests = {p: space.formula(term) for p, term in seats.items()}
    arena = Arena(space, budget)
    telling.of_images(reduction_of(problem), space)
    groups: dict[frozenset[int], list[int]] = {}
    for i, s in enumerate(space.states):
        if asked.exactly_when is not None or i < space.starts:
            groups.setdefault(frozenset(p for p, test in tests.items() if test(s)), []).append(i)
    exactly = None if exactly_term is None else space.formula(exactly_term)
    whole = keep is None and reduction_of(problem) is None
    shown: Verdict | None = None
    for who, members in groups.items():
        goal = bytearray(1 if test else 0 for test in map(space.formula(problem.goal(asked.formula, who)), space.states))
        rank = arena.winning(goal, who, asked.within)
        for i in members:
            wins = rank[i] >= 0
            if exactly is not None and bool(exactly(space.states[i])) != wins:
                trace = explicit.lifted(problem, space, keep, space.path(i))
                says = "can force it" if wins else "cannot force it"
                reason = f"here {people(who)} {says}, and `exactly-when` is {'false' if wins else 'true'}"
                return Verdict("fails", "exhausted", trace=trace, reason=reason, states=len(space.states))
            if exactly is None and not wins:
                path, loop_from = prevented(space, arena, rank, i)
                trace = explicit.lifted(problem, space, keep, path, loop_from)
                reason = against(explicit.game, who, {m for movers in arena.movers for m in movers})
                return Verdict("fails", "exhausted", trace=trace, reason=reason, states=len(space.states))
        if exactly is None and shown is None:
            trace = explicit.lifted(problem, space, keep, line(space, arena, rank, who, members[0], goal))
            notes = [f"in at most {rank[members[0]]} steps; the play shown is one defence", *left(space)]
            evidence = strategy(space, rank, who) if whole and len(groups) == 1 else None
            shown = Verdict("holds", "exhausted", trace=trace, notes=notes, evidence=evidence, states=len(space.states))
    evidence = closed_set(space) if whole else None
    return shown or Verdict("holds", "exhausted", states=len(space.states), evidence=evidence, notes=left(space))


def deeply(explicit: Explicit, problem: Problem, space: Space, keep: set[int] | None, found: deep.Found) -> Verdict:
    """The verdict of a depth-first search."""
    bound = f"{found.met:,} positions looked at, depth-first"
    trace = None if found.path is None else explicit.lifted(problem, space, keep, found.path, found.loop_from)
    if not found.holds:
        reason = against(explicit.game, found.who)
        verdict = Verdict("fails", "exhausted", bound, trace=trace, reason=reason, states=found.met)
    else:
        told = [] if found.steps is None else [f"in at most {found.steps} steps; the play shown is one defence"]
        table = found.strategy if keep is None else None
        evidence = None if table is None else strategy(table.space(space), table.rank, found.who)
        verdict = Verdict("holds", "exhausted", bound, trace=trace, notes=told, evidence=evidence, states=found.met)
    if found.faulty:
        verdict.notes.append(LEFT)
    return verdict


def prevented(space: Space, arena: Arena, rank: list[int], v: int) -> tuple[list[int], int | None]:
    """A path on which the goal can never be forced, to an end or round for ever."""
    path, seen = [space.states[v]], {v}
    while arena.options[v]:
        nexts = [d for draws in arena.options[v] for d in draws]
        v = next((d for d in nexts if rank[d] < 0), nexts[0])
        path.append(space.states[v])
        if v in seen:
            return path, path.index(space.states[v])
        seen.add(v)
    return path, None


def line(space: Space, arena: Arena, rank: list[int], who: frozenset[int], v: int, goal: bytearray) -> list[int]:
    """A path where the players follow their strategy and the others hold out longest."""
    path = [space.states[v]]
    while not goal[v]:
        best = arena.best(v, who, rank)
        draws = arena.options[v][best] if best is not None else [w for d in arena.options[v] for w in d]
        v = max(draws, key=lambda w: rank[w])
        path.append(space.states[v])
    return path
