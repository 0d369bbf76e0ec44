"""A measure found from the ranges: how far everything that moves one way only has still to go."""

from __future__ import annotations

import z3

from tablelaw.solver.ir import Term
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.symbolic.deciding import decide
from tablelaw.solver.symbolic.machine import Machine
from tablelaw.solver.symbolic.proofs import Prover

SECONDS = 2.0
"""The most that one question about one slot may take."""


def guessed(prover: Prover, machine: Machine, budget: Budget) -> tuple[Term, str] | None:
    """A number that no step raises, and in words what it adds up; None where nothing moves one way only.

    Raises `OutOfBudget`.
    """
    prover.prepare_lemmas(machine, budget)
    model, t = machine.model, machine.model.terms
    parts: list[Term] = []
    rising: dict[str, None] = {}
    falling: dict[str, None] = {}
    for i, s in enumerate(model.slots):
        budget.check()
        way = _way(machine, i, budget)
        here = model.var(i)
        number = t.number(here)
        if way > 0:
            parts.append(t.sub(t.const(s.hi), number))
            rising[s.name] = None
        elif way < 0:
            parts.append(t.sub(number, t.const(s.lo)))
            falling[s.name] = None
    if not parts:
        return None
    words = [f"how far {_names(of)} can still {verb}" for of, verb in ((rising, "rise"), (falling, "fall")) if of]
    return t.total(parts), " and ".join(words)


def _names(of: dict[str, None]) -> str:
    return ", ".join(f"`{name}`" for name in of)


def _way(machine: Machine, slot: int, budget: Budget) -> int:
    """1 for a slot that no step lowers, -1 for one that no step raises, 0 for others and for what never changes."""
    changing = [(k, m) for k, m in enumerate(machine.model.moves) if slot in m.updates]
    if not changing:
        return 0
    for way in (1, -1):
        if all(_keeps(machine, slot, k, way, budget) for k, _ in changing):
            return way
    return 0


def _keeps(machine: Machine, slot: int, k: int, way: int, budget: Budget) -> bool:
    """Does no such move take the slot against the way?"""
    row = machine.row
    conditions, after, _ = machine.step(machine.model.moves[k], row, f"g{slot}.{k}")
    a, b = after[slot], row[slot]
    against = z3.And(z3.Not(a), b) if z3.is_bool(b) else a < b
    back = z3.And(a, z3.Not(b)) if z3.is_bool(b) else a > b
    solver = z3.Solver()
    solver.add(*machine.known(row), *conditions, against if way > 0 else back)
    try:
        return bool(decide(solver, budget.part(SECONDS)) == z3.unsat)
    except OutOfBudget:
        budget.check()
        return False
