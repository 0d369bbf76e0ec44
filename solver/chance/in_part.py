"""Bounds of a probability where a chain is too large to be listed: from the positions nearest to the start.

What lies beyond them is taken to be lost once and won once; both ways the others play as they would. Whatever the true figures
there are, they lie between, and so does the figure at the start: it rises with each of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from tablelaw.solver.chance import swept
from tablelaw.solver.chance.exact import Sense
from tablelaw.solver.chance.graph import Chances
from tablelaw.solver.chance.ready import Ready, chain_of
from tablelaw.solver.space.graph import Budget
from tablelaw.spec.questions import Asked

NEAREST = 50_000
"""Positions whose moves are followed."""
MOST = 3_000_000
"""Positions that these may lead to."""
SHARE = 0.75
"""Of the time, for the whole chain; the rest is for bounds, should it not suffice."""
WORTH = Fraction(1, 1000)
"""An interval that leaves out less than this is not worth telling."""


def between(
    ready: Ready, asked: Asked, sense: Sense, budget: Budget, look: Callable[[Chances], None]
) -> tuple[Fraction, Fraction] | None:
    """Two figures that hold the probability between them; None where they say nothing.

    `look` raises `Refused` where the question has no answer on a chain. Raises `OutOfBudget` and `Refused`.
    """
    chain = chain_of(ready, asked, budget, MOST, NEAREST)
    look(chain)
    if chain.starts > 1:
        return None
    if chain.stuck() is not None:
        return None
    chain.averaged(sense)
    won = chain.copy()
    won.values.update(dict.fromkeys(chain.cut, Fraction(1)))
    lost, high = (swept.any_bound(c, sense, Fraction(0), Fraction(1), budget, ready.slots) for c in (chain, won))
    low, top = max(lost.low, Fraction(0)), min(high.high, Fraction(1))
    return (low, top) if top - low < 1 - WORTH else None


def reach(budget: Budget) -> Budget:
    """What the whole chain may spend of a budget: it is over sooner, by what bounds may want after it."""
    if not budget.seconds:
        return budget
    return replace(budget, started=budget.started - budget.left() * (1 - SHARE))
