"""Invariants, reachable states, progress, faults, extremes: one pass over the reachable states, shortest plays first."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator

from tablelaw.solver.problem import Problem, Prop
from tablelaw.solver.space.graph import Budget, Space

Found = list[int]


class Hit:
    """A state (number in the space), and where the formula looks back the packed successor that meets it."""

    __slots__ = ("after", "at", "fault")

    def __init__(self, at: int, after: int | None = None, fault: bool = False) -> None:
        self.at, self.after, self.fault = at, after, fault

    def path(self, space: Space) -> Found:
        """Packed states from a start to the hit."""
        way = space.path(self.at)
        return way if self.after is None else [*way, self.after]


def hits(problem: Problem, space: Space, prop: Prop, wanted: bool, budget: Budget) -> Iterator[tuple[Hit, int]]:
    """States and steps where the formula is (not) true, or has no value, as the search meets them; with 1 (0: no value)."""
    if not prop.looks:
        for i, fault in space.marked(prop.start_fault, prop.start, wanted, budget):
            yield Hit(i, fault=fault), 0 if fault else 1
        return
    start, start_fault = space.formula(prop.start), space.formula(prop.start_fault)
    step, step_fault = space.formula(prop.step), space.formula(prop.step_fault)
    for i in range(space.starts):
        s = space.states[i]
        if start_fault(s):
            yield Hit(i, fault=True), 0
        elif bool(start(s)) == wanted:
            yield Hit(i), 1
    for i in space.met(budget):
        s = space.states[i]
        budget.check()
        for actor, nexts in space.choices(s):
            for n in nexts:
                if step_fault(s, n, actor):
                    yield Hit(i, n, fault=True), 0
                elif bool(step(s, n, actor)) == wanted:
                    yield Hit(i, n), 1


def values(
    problem: Problem, space: Space, prop: Prop, where: Prop | None, sign: int, budget: Budget
) -> Iterator[tuple[Hit, int]]:
    """States or steps where `where` holds, with the formula's value there; of states only those that better all before."""
    looks = prop.looks or (where is not None and where.looks)
    if not looks:
        for i, n in space.records(prop.start, prop.start_fault, None if where is None else where.start, sign, budget):
            yield Hit(i), n
        return
    start, good = space.formula(prop.start), None if where is None else space.formula(where.start)
    bad = space.formula(prop.start_fault)
    step, later = space.formula(prop.step), None if where is None else space.formula(where.step)
    wrong = space.formula(prop.step_fault)
    look_n = prop.looks
    for i in range(space.starts):
        s = space.states[i]
        if (good is None or good(s)) and not bad(s):
            yield Hit(i), start(s)
    for i in space.met(budget):
        s = space.states[i]
        budget.check()
        for actor, nexts in space.choices(s):
            for n in nexts:
                fine = later is None or (later(s, n, actor) if where is not None and where.looks else later(n))
                if fine and not (wrong(s, n, actor) if look_n else wrong(n)):
                    yield Hit(i, n), step(s, n, actor) if look_n else step(n)


def stuck(space: Space, budget: Budget) -> Iterator[int]:
    """States that are not ended and have no step at all."""
    seen = 0
    while True:
        while seen < len(space.stuck):
            yield space.stuck[seen]
            seen += 1
        if space.complete:
            return
        budget.check(len(space.states))
        space.expand(budget)


def faulty(space: Space, budget: Budget) -> Iterator[int]:
    """States with a step that has a fault."""
    seen = 0
    while True:
        while seen < len(space.faulty):
            yield space.faulty[seen]
            seen += 1
        if space.complete:
            return
        budget.check(len(space.states))
        space.expand(budget)


def least(
    space: Space, number: Callable[..., int], good: Callable[..., int] | None, bad: Callable[..., int], budget: Budget
) -> tuple[Hit, int] | None:
    """The smallest value where `good` holds of a formula that no step lowers: states with small values first.

    What is found is the smallest, because everything not yet looked at comes of states whose values are no smaller.
    """
    index, states, parents = space.index, space.states, space.parents
    waiting = [(number(states[i]), i) for i in range(space.starts)]
    heapq.heapify(waiting)
    out: list[int] = []
    while waiting:
        value, i = heapq.heappop(waiting)
        budget.check(len(states))
        s = states[i]
        if (good is None or good(s)) and not bad(s):
            return Hit(i), value
        out.clear()
        space.successors(s, out)
        for n in out:
            if n >= 0 and n not in index:
                index[n] = len(states)
                states.append(n)
                parents.append(i)
                heapq.heappush(waiting, (number(n), index[n]))
            elif n < 0 and (not space.faulty or space.faulty[-1] != i):
                space.faulty.append(i)
    return None
