"""Sound bounds of a chain that lies in arrays, by compiled code: component by component, those that others lead to first.

Each sum is moved by more than its rounding can amount to, downwards for lower bounds and upwards for upper ones (`sweep.c`).
"""

from __future__ import annotations

import ctypes
from fractions import Fraction

from tablelaw.solver.chance import bounds
from tablelaw.solver.chance.bounds import MOST_SWEEPS, NARROW, SIZES, Bounds, Interrupted, Slots
from tablelaw.solver.chance.exact import Sense
from tablelaw.solver.chance.graph import Chances
from tablelaw.solver.chance.listed import Graph, Listed, address, at
from tablelaw.solver.space.graph import Budget, OutOfBudget

WORK = 20_000_000
"""Draws that are looked at before the budget is."""
PATIENCE = 4096
"""Bounds that have come no nearer by a fiftieth in so many sweeps are left as they are."""


class _Sweep(ctypes.Structure):
    """`Sweep` in `sweep.c`."""

    _fields_ = [
        ("g", Graph),
        *(
            (name, ctypes.c_void_p)
            for name in ("order", "parts", "chances", "rewards", "wants", "lower", "upper", "kept")
        ),
        ("sweeps", ctypes.c_int64),
        ("phase", ctypes.c_int),
        ("since", ctypes.c_int),
        ("last", ctypes.c_double),
        ("tried", ctypes.c_double),
    ]  # fmt: skip


def any_bound(
    chain: Chances, sense: Sense, low: Fraction, high: Fraction, budget: Budget, slots: Slots, begun: Bounds | None = None
) -> Bounds:
    """Bounds of a chain of either form; those of arrays go on from what was `begun`."""
    if isinstance(chain, Listed):
        return bound(chain, sense, low, high, budget, begun)
    return bounds.bound(chain, sense, low, high, budget, slots)


def any_bound_counts(chain: Chances, sense: Sense, low: Fraction, budget: Budget, slots: Slots) -> Bounds | None:
    """The same where no largest value is known."""
    if isinstance(chain, Listed):
        return bound_counts(chain, sense, low, budget)
    return bounds.bound_counts(chain, sense, low, budget, slots)


def bound(chain: Listed, sense: Sense, low: Fraction, high: Fraction, budget: Budget, begun: Bounds | None = None) -> Bounds:
    """As `bounds.bound`, from bounds on that hold already."""
    found = _Sweeping(chain, sense).bounds(low, float(high), max(1.0, abs(float(high)), abs(float(low))), budget, begun)
    assert found is not None
    return found


def bound_counts(chain: Listed, sense: Sense, low: Fraction, budget: Budget) -> Bounds | None:
    """As `bounds.bound_counts`."""
    sweeping = _Sweeping(chain, sense)
    for size in SIZES:
        found = sweeping.bounds(low, float("inf"), size, budget)
        if found is None or max(abs(x).max() for x in (found.below, found.above)) <= size:
            return found
    return None


class _Sweeping:
    def __init__(self, chain: Listed, sense: Sense) -> None:
        import numpy as np

        self.chain = chain
        part, order, begins = chain.parts
        self.count = len(begins) - 1
        self.order, self.begins, self.wants = order, begins, chain.wants(sense)
        self.chances = chain.chances
        self.kept = np.empty(max(1, int(np.diff(begins).max(initial=1))))
        level = np.empty(self.count, np.uint32)
        arrays = (part, order, begins)
        chain.library.sweep_levels(ctypes.byref(chain.graph), *map(at, arrays), ctypes.c_int64(self.count), at(level))
        self.level = level

    def bounds(self, low: Fraction, high: float, size: float, budget: Budget, begun: Bounds | None = None) -> Bounds | None:
        """Bounds of every state, if figures are not much larger than `size`; None where there is none above."""
        import numpy as np

        chain, n = self.chain, self.chain.size
        lower, upper = np.full(n, _below(low)), np.full(n, np.nextafter(high, np.inf) if np.isfinite(high) else high)
        if begun is not None:
            lower, upper = begun.below.copy(), begun.above.copy()
        for v, value in chain.values.items():
            f = float(value)
            lower[v], upper[v] = (f, f) if Fraction(f) == value else (np.nextafter(f, -np.inf), np.nextafter(f, np.inf))
        narrow = NARROW * max(1.0, size / SIZES[0])
        near = narrow / 2 * np.maximum(self.level, 1) / max(1, int(self.level.max(initial=1)))
        x = _Sweep(chain.graph, *(address(a) for a in (self.order, self.begins, self.chances)))
        x.rewards = None if chain.rewards is None else address(chain.rewards)
        x.wants, x.lower, x.upper, x.kept = (address(a) for a in (self.wants, lower, upper, self.kept))
        library, done, stopped = chain.library, 0, False
        try:
            while done < self.count:
                budget.check()
                numbers = ctypes.c_int64(done), ctypes.c_int64(self.count), at(near), ctypes.c_int64(WORK)
                done = library.sweep_from(ctypes.byref(x), *numbers)
                if budget.tell:
                    budget.tell(f"{done:,} of {self.count:,} parts of the chain have their bounds")
            times, gap = max(1, WORK // max(1, chain.edges)), float(upper[0] - lower[0])
            while narrow < gap < np.inf and x.sweeps < MOST_SWEEPS * n:
                budget.check()
                moved = 0
                for _ in range(max(1, PATIENCE // times)):
                    moved = library.sweep_all(ctypes.byref(x), ctypes.c_int64(times))
                    budget.check()
                before, gap = gap, float(upper[0] - lower[0])
                if not moved or gap > 0.98 * before:
                    break
                if budget.tell:
                    budget.tell(f"from {lower[0]:.9f} to {upper[0]:.9f} after {x.sweeps // n:,} sweeps")
        except (OutOfBudget, KeyboardInterrupt, ctypes.ArgumentError) as why:
            stopped = not isinstance(why, OutOfBudget)
            library.sweep_all(ctypes.byref(x), ctypes.c_int64(1))  # so that what is known of others is known of the start
        if not np.isfinite(upper[0]):
            if stopped:
                raise KeyboardInterrupt
            return None
        found = Bounds(Fraction(float(lower[0])), Fraction(float(upper[0])), round(x.sweeps / n), lower, upper)
        if stopped:
            raise Interrupted(found)
        return found


def _below(x: Fraction) -> float:
    import numpy as np

    found = float(x)
    return found if Fraction(found) <= x else float(np.nextafter(found, -np.inf))
