"""What may be spent on a part of a question, counted in z3's own units of work: so a busy or slow machine finds the same.

A share of so many seconds is as many units as z3 works off in that time on a machine of today. The clock ends it only with
what the user allowed, and where z3 is caught in work that it does not count.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, fields, replace

from tablelaw.solver.space.graph import Budget, OutOfBudget

UNITS = 6_000_000
"""So much of its work z3 does in a second (measured: 4 to 9 million)."""
SLOWEST, GRACE = 8.0, 5.0
"""A share ends in any case after so many times its seconds by the clock, and some more for what is short."""
ENDLESS = float("inf")


@dataclass(slots=True)
class Effort(Budget):
    """A budget of which z3's part is counted in units. Its `seconds` are the clock's; `left` is of what is over first."""

    units: float = ENDLESS
    worked: float = 0.0
    above: Effort | None = None

    def left(self) -> float:
        """Seconds left, by the clock or by the work done; infinity without a bound."""
        return min(self.clock(), self.units / UNITS)

    def clock(self) -> float:
        """Seconds left by the clock alone."""
        return self.seconds - (time.monotonic() - self.started) if self.seconds else ENDLESS

    def part(self, seconds: float, states: int = 0) -> Effort:
        """A share of the work, inside this one."""
        clock, units = self.clock(), self.units
        if seconds != ENDLESS:
            clock = max(min(clock, max(seconds, 0.0) * SLOWEST + GRACE), 1e-6)
            units = min(units, max(seconds, 0.0) * UNITS)
        bound = 0.0 if clock == ENDLESS else clock
        return replace(self, seconds=bound, states=states, started=time.monotonic(), units=units, worked=0.0, above=self)

    def check(self, states: int = 0) -> None:
        """Raise `OutOfBudget` when something has run out."""
        Budget.check(self, states)
        if self.left() <= 0:
            raise OutOfBudget(self.over())

    def over(self) -> str:
        """Why nothing is left."""
        return "its share of work is used up" if self.clock() > 0 or self.above is not None else Budget.over(self)

    def spend(self, units: float) -> None:
        """So much has been done."""
        here: Effort | None = self
        while here is not None:
            here.units -= units
            here.worked += units
            here = here.above


def within(budget: Budget, seconds: float = ENDLESS) -> Effort:
    """The budget, or a share of it, as one that counts z3's work."""
    if not isinstance(budget, Effort):
        budget = Effort(**{f.name: getattr(budget, f.name) for f in fields(Budget)})
    return budget if seconds == ENDLESS else budget.part(seconds)
