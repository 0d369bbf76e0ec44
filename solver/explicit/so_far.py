"""What a search had found when it was stopped: told with `unknown`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablelaw.solver.space.layers import depth_of
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.questions import Asked

if TYPE_CHECKING:
    from tablelaw.solver.explicit.engine import Explicit
    from tablelaw.solver.problem import Problem
    from tablelaw.solver.space.graph import Space

NONE = {
    "always": "it holds in all of",
    "never": "it holds in none of",
    "reach": "it holds in none of",
    "progress": "nobody is stuck in any of",
    "in-range": "no range is left from any of",
}
BY_STEPS = ("progress", "in-range")
"""Kinds that are known of a position only when its steps were taken."""


def tell(explicit: Explicit, asked: Asked, verdict: Verdict, problem: Problem, space: Space, whole: bool, alike: bool) -> None:
    """Add to an `unknown` what is known of the positions met.

    `whole`: none is left out on a shortest way. `alike`: a position may stand for others, which are not among them.
    """
    known, waiting = len(space.states), len(space.states) - space.expanded
    verdict.states = verdict.states or known
    told = ""
    if asked.kind in NONE:
        looked = space.expanded if asked.kind in BY_STEPS else space.looked
        against = {"progress": space.stuck, "in-range": space.faulty}.get(asked.kind)
        if looked and not against:
            depth = depth_of(space, looked) if whole else -1
            told = f"{NONE[asked.kind]} {_positions(looked)} looked at{_far(depth, alike)}"
            if depth >= 0 and verdict.known_by is None and not (asked.kind == "in-range" and problem.end_faults):
                verdict.known_by, verdict.bound = "bounded", _steps(depth)
    elif asked.kind in ("largest", "smallest") and space.best is not None:
        at, number = space.best
        told = f"{'at least' if asked.kind == 'largest' else 'at most'} {number}, of {_positions(space.looked)} looked at"
        if verdict.trace is None:
            verdict.trace = explicit.play(problem, space, space.path(at))
    elif asked.kind == "count" and whole and asked.what not in ("plays", "moves") and not problem.counters:
        least = asked.where is None and not asked.up_to
        told = f"{'at least ' if least else ''}{_positions(known)}{'' if least else ' met'}, {waiting:,} of them waiting"
        told += _far(depth_of(space, known), alike)
    elif asked.what != "moves":
        told = f"{_positions(known)} met, {waiting:,} of them waiting" + _far(depth_of(space, known) if whole else -1, alike)
    if told:
        verdict.reason = f"{verdict.reason}; {told}" if verdict.reason else told


def _far(depth: int, alike: bool) -> str:
    if depth < 0:
        return ""
    others = ", or count as one with one of them" if alike else ""
    return f"; all within {_steps(depth)} of the start are among them{others}"


def _positions(n: int) -> str:
    return f"{n:,} position{'' if n == 1 else 's'}"


def _steps(n: int) -> str:
    return f"{n} step{'' if n == 1 else 's'}"
