"""What is asked of single positions and steps: what holds or can be reached, dead ends, ranges, extreme values."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from tablelaw.solver.boarded import never_falls
from tablelaw.solver.explicit import search
from tablelaw.solver.explicit.evidence import closed_set, fired
from tablelaw.solver.ir import BIG
from tablelaw.solver.problem import Problem, Prop
from tablelaw.solver.space.graph import Budget, Space
from tablelaw.solver.space.rows import Coded, Rows
from tablelaw.solver.trace import fault_step
from tablelaw.solver.verdict import InternalFault, Verdict
from tablelaw.spec.questions import Asked

if TYPE_CHECKING:
    from tablelaw.solver.explicit.engine import Explicit


def prop_of(problem: Problem, asked: Asked) -> Prop:
    assert asked.formula is not None
    return problem.prop(asked.formula)


def always(explicit: Explicit, asked: Asked, problem: Problem, space: Space, budget: Budget) -> Verdict:
    return invariant(explicit, asked, problem, space, budget, wanted=False)


def never(explicit: Explicit, asked: Asked, problem: Problem, space: Space, budget: Budget) -> Verdict:
    return invariant(explicit, asked, problem, space, budget, wanted=True)


def invariant(explicit: Explicit, asked: Asked, problem: Problem, space: Space, budget: Budget, wanted: bool) -> Verdict:
    for hit, _ in search.hits(problem, space, prop_of(problem, asked), wanted, budget):
        trace = explicit.play(problem, space, hit.path(space))
        reason = "the formula has no value in the last position" if hit.fault else None
        return Verdict("fails", "exhausted", trace=trace, reason=reason, clauses=fired(trace))
    return Verdict("holds", "exhausted", evidence=closed_set(space))


def reach(explicit: Explicit, asked: Asked, problem: Problem, space: Space, budget: Budget) -> Verdict:
    unclear = False
    for hit, _ in search.hits(problem, space, prop_of(problem, asked), True, budget):
        if hit.fault:
            unclear = True
            continue
        trace = explicit.play(problem, space, hit.path(space))
        return Verdict("holds", "exhausted", trace=trace, clauses=fired(trace))
    if unclear:
        return Verdict("unknown", reason="the formula has no value in some reachable position")
    return Verdict("fails", "exhausted", evidence=closed_set(space))


def progress(explicit: Explicit, asked: Asked, problem: Problem, space: Space, budget: Budget) -> Verdict:
    for i in search.stuck(space, budget):
        trace = explicit.play(problem, space, space.path(i))
        return Verdict(
            "fails", "exhausted", trace=trace, clauses=fired(trace), reason="nobody has a legal move in the last position"
        )
    return Verdict("holds", "exhausted", evidence=closed_set(space))


def in_range(explicit: Explicit, asked: Asked, problem: Problem, space: Space, budget: Budget) -> Verdict:
    for fault in problem.end_faults:
        test = space.formula(fault)
        for i in space.met(budget):
            if test(space.states[i]):
                return faulty(explicit, problem, space, space.path(i))
    for i in search.faulty(space, budget):
        return faulty(explicit, problem, space, space.path(i))
    return Verdict("holds", "exhausted", evidence=closed_set(space))


def faulty(explicit: Explicit, problem: Problem, space: Space, path: list[int]) -> Verdict:
    trace = explicit.play(problem, space, path)
    step = fault_step(explicit.game, trace.steps[-1].state)
    if step is None:
        raise InternalFault("the search met a fault that the evaluator does not have")
    trace.steps.append(step)
    return Verdict("fails", "exhausted", trace=trace, clauses=step.clauses[-1:], reason=step.fault)


def largest(explicit: Explicit, asked: Asked, problem: Problem, space: Space, budget: Budget) -> Verdict:
    return extreme(explicit, asked, problem, space, budget, 1)


def smallest(explicit: Explicit, asked: Asked, problem: Problem, space: Space, budget: Budget) -> Verdict:
    return extreme(explicit, asked, problem, space, budget, -1)


def extreme(explicit: Explicit, asked: Asked, problem: Problem, space: Space, budget: Budget, sign: int) -> Verdict:
    prop = prop_of(problem, asked)
    where = problem.prop(asked.where) if asked.where is not None else None
    if sign < 0 and isinstance(space, Rows) and not (prop.looks or (where is not None and where.looks)):
        assert asked.formula is not None
        if never_falls(explicit.game, asked.formula):
            return least(explicit, asked, problem, prop, where, budget)
    limit = prop.step.hi if sign > 0 else prop.step.lo
    best: tuple[int, search.Hit] | None = None
    known, notes = "exhausted", list[str]()
    for hit, number in search.values(problem, space, prop, where, sign, budget):
        if best is None or sign * number > sign * best[0]:
            best = number, hit
            if number == limit and abs(limit) < BIG and not problem.counters:
                known, notes = "proved", ["no value lies beyond it"]
                break
    if best is None:
        return Verdict("unknown", reason="no reachable position meets the condition")
    trace = explicit.play(problem, space, best[1].path(space))
    return Verdict("value", known, value=str(best[0]), trace=trace, clauses=fired(trace), notes=notes)


def least(explicit: Explicit, asked: Asked, problem: Problem, prop: Prop, where: Prop | None, budget: Budget) -> Verdict:
    """The smallest value of what only grows: everything else that can be reached has no smaller one."""
    space = Rows(explicit.game, tuple(problem.counters), asked.given)
    good = None if where is None else space.formula(cast("Coded", where.start))
    number, bad = space.formula(cast("Coded", prop.start)), space.formula(cast("Coded", prop.start_fault))
    found = search.least(space, number, good, bad, budget)
    if found is None:
        return Verdict("unknown", reason="no reachable position meets the condition", states=len(space.states))
    trace = explicit.play(problem, space, found[0].path(space))
    notes = ["no step lowers it, so that positions with larger values need not be looked at"]
    states = len(space.states)
    return Verdict("value", "exhausted", value=str(found[1]), trace=trace, clauses=fired(trace), notes=notes, states=states)
