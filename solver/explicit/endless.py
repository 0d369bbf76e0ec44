"""Whether play ends, and whether something always comes about: by ways round the reachable graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablelaw.solver.explicit import lassos
from tablelaw.solver.explicit.evidence import closed_set, fired, left
from tablelaw.solver.loops import whose
from tablelaw.solver.problem import Problem
from tablelaw.solver.reduce import telling
from tablelaw.solver.reduce.reduced import reduction_of
from tablelaw.solver.space.graph import Budget, Space
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.questions import Asked

if TYPE_CHECKING:
    from tablelaw.solver.explicit.engine import Explicit


def terminates(explicit: Explicit, asked: Asked, problem: Problem, space: Space, budget: Budget) -> Verdict:
    whole = explicit.model(problem, space)
    problem, space, keep = explicit.sliced(problem, space, [], budget)
    problem, space = explicit.mirrored(problem, space, whole, keep, [], budget)
    lasso = early_lasso(space, budget)
    if lasso is None:
        graph = lassos.edges(space, budget)
        group = next(iter(sorted(lassos.components(graph), key=min)), None)
        if group is None:
            longest = longest_play(graph)
            notes = [f"the longest play has {longest} step{'s' if longest != 1 else ''}", *left(space)]
            telling.of_images(reduction_of(problem), space)
            evidence: dict[str, object] = {"kind": "ranking", "steps": longest}
            return Verdict("holds", "exhausted", notes=notes, states=len(space.states), evidence=evidence)
        cycle = lassos.shortest_cycle(graph, group)
        lasso = space.path(cycle[0]), [space.states[v] for v in cycle]
    stem, around = lasso
    trace = explicit.lifted(problem, space, keep, [*stem, *around[1:], around[0]], len(stem) - 1)
    if trace is None:
        reason = "the same moves come round for ever, but a number that only counts on leaves its range"
        return Verdict("fails", "exhausted", reason=reason, states=len(space.states))
    return Verdict("fails", "exhausted", trace=trace, clauses=fired(trace, len(stem) - 1), reason=whose(explicit.game, trace))


def early_lasso(space: Space, budget: Budget) -> tuple[list[int], list[int]] | None:
    """A cycle among the first states met, so that a large game need not be explored to show that it can go on."""
    for size in (64, 512, 4096, 32768):
        while space.expanded < size and not space.complete:
            budget.check()
            space.expand(budget, min(256, size - space.expanded))
        if space.complete:
            return None
        known = space.expanded
        graph = [[j for n in space.out(i) if (j := space.index[n]) < known] for i in range(known)]
        group = next(iter(sorted(lassos.components(graph), key=min)), None)
        if group is not None:
            cycle = lassos.shortest_cycle(graph, group)
            return space.path(cycle[0]), [space.states[v] for v in cycle]
    return None


def always_after(explicit: Explicit, asked: Asked, problem: Problem, space: Space, budget: Budget) -> Verdict:
    assert asked.formula is not None
    assert asked.then is not None
    when, then = problem.prop(asked.formula), problem.prop(asked.then)
    if when.looks or then.looks:
        return Verdict("unknown", reason="`always-after` reads positions; `old` and `actor` are not followed here")
    whole = explicit.model(problem, space)
    problem, space, keep = explicit.sliced(problem, space, [when.start, then.start], budget)
    problem, space = explicit.mirrored(problem, space, whole, keep, [when.start, then.start], budget)
    graph = lassos.edges(space, budget)
    begins, meets, ended = space.formula(when.start), space.formula(then.start), space.formula(space.ended)
    dead = set(space.stuck)
    bad = bytearray(1 if meets(s) else 0 for s in space.states)
    final = bytearray(1 if i in dead or ended(s) else 0 for i, s in enumerate(space.states))
    stay = lassos.avoiding(graph, bad, final)
    for i, s in enumerate(space.states):
        if stay[i] and begins(s):
            path, loop_from = avoided(space, graph, stay, final, i)
            trace = explicit.lifted(problem, space, keep, path, loop_from)
            if trace is None:
                return Verdict(
                    "fails",
                    "exhausted",
                    reason="a play avoids it for ever, but a number that only counts on leaves its range",
                )
            reason = "the play ends before it comes true" if loop_from is None else whose(explicit.game, trace)
            return Verdict("fails", "exhausted", trace=trace, clauses=fired(trace), reason=reason, states=len(space.states))
    telling.of_images(reduction_of(problem), space)
    evidence = closed_set(space) if keep is None else None
    return Verdict("holds", "exhausted", evidence=evidence, states=len(space.states), notes=left(space))


def avoided(space: Space, graph: list[list[int]], stay: bytearray, final: bytearray, i: int) -> tuple[list[int], int | None]:
    """A path to a state and on from it, to an end or round for ever, through states of `stay`."""
    path = space.path(i)
    seen = {i: len(path) - 1}
    v = i
    while not final[v]:
        v = next(w for w in graph[v] if stay[w])
        path.append(space.states[v])
        if v in seen:
            return path, seen[v]
        seen[v] = len(path) - 1
    return path, None


def longest_play(graph: list[list[int]]) -> int:
    """The number of steps of the longest play of a graph without cycles."""
    longest = [-1] * len(graph)
    for root in range(len(graph)):
        stack = [root]
        while stack:
            v = stack[-1]
            waiting = [w for w in graph[v] if longest[w] < 0]
            if longest[v] < 0 and waiting:
                stack.extend(waiting)
                continue
            longest[v] = 1 + max((longest[w] for w in graph[v]), default=-1)
            stack.pop()
    return max(longest, default=0)
