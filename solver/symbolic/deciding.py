"""A question put to z3 within what may be spent on it, and how much of that it took."""

from __future__ import annotations

from typing import Any

import z3

from tablelaw.solver.effort import ENDLESS, Effort
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.symbolic.interrupts import ask

MOST_UNITS = 2**32 - 1
LONGEST = 4_000_000.0
"""Seconds that z3 takes as a bound."""


def decide(solver: Any, budget: Budget, *assumptions: Any) -> Any:
    """z3's answer within what is left; raises `OutOfBudget` when nothing is left."""
    allow(solver, budget)
    before = done(solver) if isinstance(budget, Effort) else 0
    answer = ask(solver, *assumptions)
    if isinstance(budget, Effort):
        budget.spend(done(solver) - before)
    return answer


def allow(solver: Any, budget: Budget) -> None:
    """Tell a solver how much it may do; raises `OutOfBudget` when nothing is left."""
    if budget.left() <= 0:
        raise OutOfBudget(budget.over())
    clock = budget.clock() if isinstance(budget, Effort) else budget.left()
    if clock != ENDLESS:
        solver.set("timeout", max(1, int(min(clock, LONGEST) * 1000)))
    if isinstance(budget, Effort):
        solver.set("rlimit", 0 if budget.units > MOST_UNITS else max(1, int(budget.units)))
    if budget.mebibytes:
        z3.set_param("memory_max_size", budget.mebibytes)


def done(solver: Any) -> int:
    """The units of work that z3 has done so far, in all."""
    found = solver.statistics()
    for i in range(len(found) - 1, -1, -1):  # it stands near the end
        key, value = found[i]
        if key == "rlimit count":
            return int(value)
    return 0
