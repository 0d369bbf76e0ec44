"""What shows an answer of the search, and the clauses that took effect on the way."""

from __future__ import annotations

from tablelaw.solver.space.graph import Space
from tablelaw.solver.space.ranges import LEFT
from tablelaw.solver.space.rows import Rows
from tablelaw.solver.trace import Trace


def fired(trace: Trace, loop_from: int | None = None) -> tuple[str, ...]:
    """The clauses that took effect along a play (or round its loop)."""
    steps = trace.steps[1:] if loop_from is None else trace.steps[loop_from + 1 :]
    return tuple(dict.fromkeys(c for s in steps for c in s.clauses))


def closed_set(space: Space) -> dict[str, object] | None:
    """Evidence that nothing else is reachable: all states, for `recheck` to walk; those that stand for others will not do."""
    return (
        {"kind": "closed-set", "space": space}
        if space.complete and (isinstance(space, Rows) or not space.model.among)
        else None
    )


def strategy(space: Space, rank: list[int], who: frozenset[int]) -> dict[str, object] | None:
    """Evidence that a goal is forced: in how many steps, for every state of a space where it is."""
    return {"kind": "strategy", "space": space, "rank": rank, "who": sorted(who)}


def left(space: Space) -> list[str]:
    """What is said where a step met would have left a range."""
    return [LEFT] if space.faulty else []
