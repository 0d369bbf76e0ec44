"""Bounds of a probability where a chain is too large to be listed: from the positions nearest to the start.

What lies beyond them is taken to be lost once and won once; both ways the others play as they would. Whatever the true figures
there are, they lie between, and so does the figure at the start: it rises with each of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from tablelaw.solver.chance import bounds
from tablelaw.solver.chance.exact import Sense
from tablelaw.solver.chance.graph import Chances, averaged
from tablelaw.solver.chance.ready import Absorbed, Ready, chain_of
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
    chain, beyond = _nearest(ready, asked, budget)
    look(chain)
    if chain.starts > 1:
        return None
    if any(not options and v not in chain.values for v, options in enumerate(chain.choices)):
        return None
    averaged(chain, sense)
    lost = bounds.bound(chain, sense, Fraction(0), Fraction(1), budget, ready.slots)
    won = replace(chain, values={**chain.values, **dict.fromkeys(beyond, Fraction(1))})
    high = bounds.bound(won, sense, Fraction(0), Fraction(1), budget, ready.slots)
    low, top = max(lost.low, Fraction(0)), min(high.high, Fraction(1))
    return (low, top) if top - low < 1 - WORTH else None


def _nearest(ready: Ready, asked: Asked, budget: Budget) -> tuple[Chances, list[int]]:
    """The chain cut off behind its nearest positions, and the numbers of those where it is cut, all of value 0."""
    met, beyond = 0, []

    def around(absorbed: Absorbed) -> Absorbed:
        def found(s: int) -> Fraction | None:
            nonlocal met
            value = absorbed(s)
            if value is None and met >= NEAREST:
                beyond.append(met)
                value = Fraction(0)
            met += 1
            return value

        return found

    return chain_of(ready, asked, budget, MOST, around), beyond


def reach(budget: Budget) -> Budget:
    """What the whole chain may spend of a budget: it is over sooner, by what bounds may want after it."""
    if not budget.seconds:
        return budget
    return replace(budget, started=budget.started - budget.left() * (1 - SHARE))
