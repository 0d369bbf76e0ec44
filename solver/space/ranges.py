"""What an answer says of ranges that may be left: a step that would leave one is not taken, and `in-range` reports it."""

from __future__ import annotations

from tablelaw.solver.space.graph import Budget, OutOfBudget, Space

LEFT = "as far as no range is left, for `in-range` fails: steps that leave one are not counted"
UNSEEN = "as far as no range is left: what has no part in it was left out, and its ranges with it"
FEW, SECONDS = 20_000, 1.0


def of_slice(whole: Space, budget: Budget) -> list[str]:
    """What to add to an answer found without some variables, whose ranges a step may leave, if a range may be left.

    The whole game is looked through where it is small.
    """
    try:
        whole.explore(budget.part(SECONDS, FEW))
    except OutOfBudget:
        return [UNSEEN]
    return [LEFT] if whole.faulty else []
