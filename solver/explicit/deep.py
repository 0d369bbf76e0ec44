"""Forcing in games too large to be listed: which search is tried, and what it found."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

from tablelaw.solver import account
from tablelaw.solver.explicit.depth import Circle, Depth, Limited
from tablelaw.solver.explicit.shown import Strategy, prevented, some_line, strategy
from tablelaw.solver.ir import Term
from tablelaw.solver.space.alike import images, one_of
from tablelaw.solver.space.graph import Budget, OutOfBudget, Space
from tablelaw.solver.space.rows import Rows
from tablelaw.solver.space.turns import turns

LISTED, LISTED_BOARDS = 20_000, 5_000
"""A game with so few positions is listed whole, for backward induction tells most: the fewest steps, from every position."""
SHORT = 20_000
"""A short way to the goal is looked for among so many positions, before one of any length is."""
SECONDS = 10.0
"""Neither takes longer, where steps are slow."""
SHOWN = 20_000
"""A strategy of so many positions is evidence that can be walked again."""


@dataclass(slots=True)
class Found:
    """Whether the players force the goal from every start; a play (and a strategy) that shows it."""

    holds: bool
    who: frozenset[int]
    met: int
    path: list[int] | None
    loop_from: int | None = None
    strategy: Strategy | None = None
    steps: int | None = None
    faulty: bool = False


def force(
    space: Space,
    within: int | None,
    who_of: Callable[[int], frozenset[int]],
    goal_of: Callable[[frozenset[int]], Term],
    budget: Budget,
    alike: bool = True,
) -> Found | None:
    """The answer of a depth-first search; None where the game is small, or where play can go round, for the whole graph.

    `alike`: images of a position that the rules do not tell apart are looked at once.
    """
    few = LISTED_BOARDS if isinstance(space, Rows) else LISTED
    try:
        space.explore(budget.part(SECONDS, min(few, budget.states or few)))
    except OutOfBudget:
        budget.check(len(space.states))
    if space.complete:
        return None
    groups: dict[frozenset[int], list[int]] = {}
    for s in space.states[: space.starts]:
        groups.setdefault(who_of(s), []).append(s)
    shown: Found | None = None
    met, faulty = 0, False
    for who, starts in groups.items():
        try:
            search, left, lost = _searched(space, goal_of(who), who, starts, within, budget, alike)
        except Circle:
            return None
        met, faulty = met + search.met, faulty or search.faulty
        if lost is not None:
            return Found(False, who, met, *prevented(search, lost, left), faulty=faulty)
        if shown is None:
            table = strategy(search, starts, left)
            if table is None:
                shown = Found(True, who, met, some_line(search, starts[0], left))
            else:
                small = len(groups) == 1 and len(table.states) <= SHOWN
                shown = Found(True, who, met, table.line, None, table if small else None, table.rank[0])
    assert shown is not None
    shown.met, shown.faulty = met, faulty
    return shown


def _searched(
    space: Space, goal: Term, who: frozenset[int], starts: list[int], within: int | None, budget: Budget, alike: bool
) -> tuple[Depth, int, int | None]:
    """The search that answered, the steps it was left, and a start that is lost, if one is. Raises `Circle`."""
    code = turns(space, goal, who)
    bare = isinstance(space, Rows)  # nothing is known of its symmetries
    once = bare and within is not None
    quick = Limited(space, code, who, budget if once else budget.part(SECONDS, min(SHORT, budget.states or SHORT)))
    try:
        if within is not None:
            return quick, within, next((s for s in starts if not _deepened(quick, s, within)), None)
        return quick, max(_shortest(quick, s) for s in starts), None
    except OutOfBudget:
        budget.check()
        if once:
            raise
    among = images(space.model, goal) if alike and not bare else []
    if among:
        account.note(
            "reduction", f"symmetry: {len(among) + 1} images of a position are looked at once", {"group": len(among) + 1}
        )
    same = one_of(space.pack, among)
    if within is not None:
        deepened = Limited(space, code, who, budget, same)
        return deepened, within, next((s for s in starts if not _deepened(deepened, s, within)), None)
    search = Depth(space, code, who, budget, same)
    return search, 0, next((s for s in starts if not search.wins(s)), None)


def _deepened(search: Limited, start: int, within: int) -> bool:
    """Is the goal forced within so many steps? With fewer first: what decides there is tried first with more."""
    return any(search.wins(start, k) for k in range(1, within + 1)) or search.wins(start, within)


def _shortest(search: Limited, start: int) -> int:
    """The fewest steps. Raises `OutOfBudget` where none are found."""
    spent = 0
    for k in itertools.count():
        entered, met = search.entered, search.met
        if search.wins(start, k):
            return k
        if search.entered > 2 * SHORT or (k > 1 and (search.entered - entered, search.met) == (spent, met)):
            break  # nothing new is met with more steps
        spent = search.entered - entered
    raise OutOfBudget("no way is found")
