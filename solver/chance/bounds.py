"""Sound bounds where exact equations are too large: one figure never above the value, one never below, both improved.

Interval iteration (Haddad, Monmege 2018) on doubles. Each sweep is widened by more than its rounding can amount to, so that
the bounds stay true; how near they come is told, and never guessed from how little they still move.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tablelaw.solver.chance.exact import Sense
from tablelaw.solver.chance.graph import Chances
from tablelaw.solver.space.graph import Budget, OutOfBudget

NARROW = 1e-9
WIDEN = 1e-15


@dataclass(frozen=True, slots=True)
class Bounds:
    """The value of the first state lies from `low` to `high`."""

    low: Fraction
    high: Fraction
    sweeps: int


def bound(chain: Chances, sense: Sense, low: Fraction, high: Fraction, budget: Budget) -> Bounds:
    """Bounds of the value of the first state, given that every value lies from `low` to `high`."""
    import numpy as np

    n = len(chain.packed)
    owner: list[int] = []  # the state of each choice
    first: list[int] = []  # where the draws of each choice begin
    target: list[int] = []
    chance: list[float] = []
    for v, options in enumerate(chain.choices):
        for _, draws in options:
            owner.append(v)
            first.append(len(target))
            for j, p in draws:
                target.append(j)
                chance.append(float(p))
    wants: list[int] = [sense(options[0][0]) if options else 0 for options in chain.choices]
    begins = np.searchsorted(np.array(owner), np.arange(n)) if owner else np.zeros(n, dtype=np.int64)
    busy = np.array([bool(o) for o in chain.choices])
    many = np.array([max(1, len(o)) for o in chain.choices], dtype=np.float64)
    targets, chances = np.array(target, dtype=np.int64), np.array(chance)
    firsts, starts = np.array(first, dtype=np.int64), begins[busy]
    want = np.array(wants)[busy]
    reward = np.array([float(r) for r in chain.reward])
    widest = 1 + max((len(d) for o in chain.choices for _, d in o), default=1) + max(map(len, chain.choices), default=1)
    slack = WIDEN * widest * max(1.0, abs(float(high)), abs(float(low)))

    def sweep(x: Any) -> Any:
        each = np.add.reduceat(chances * (x + reward)[targets], firsts)
        best = np.maximum.reduceat(each, starts)
        worst = np.minimum.reduceat(each, starts)
        mean = np.add.reduceat(each, starts) / many[busy]
        new = x.copy()
        new[busy] = np.where(want > 0, best, np.where(want < 0, worst, mean))
        return new

    lower, upper = np.full(n, float(low)), np.full(n, float(high))
    for i, value in chain.values.items():
        lower[i], upper[i] = float(value) - slack, float(value) + slack
    sweeps = 0
    try:
        while upper[0] - lower[0] > NARROW:
            for _ in range(16):
                lower = np.maximum(lower, sweep(lower) - slack)
                upper = np.minimum(upper, sweep(upper) + slack)
            sweeps += 16
            budget.check()
            if budget.tell:
                budget.tell(f"from {lower[0]:.9f} to {upper[0]:.9f} after {sweeps} sweeps")
            if sweeps > 200_000:
                break
    except OutOfBudget:
        pass
    return Bounds(Fraction(float(lower[0])), Fraction(float(upper[0])), sweeps)
