"""How many positions, sequences of moves and plays there are."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tablelaw.solver import evaluate
from tablelaw.solver.explicit import counts
from tablelaw.solver.problem import Problem
from tablelaw.solver.reduce.orbits import total
from tablelaw.solver.reduce.reduced import reduction_of
from tablelaw.solver.space.graph import Budget, Space
from tablelaw.solver.symmetry import Symmetry
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.questions import Asked
from tablelaw.spec.reckon import value

if TYPE_CHECKING:
    from tablelaw.solver.explicit.engine import Explicit


def count(explicit: Explicit, asked: Asked, problem: Problem, space: Space, budget: Budget) -> Verdict:
    where = problem.prop(asked.where) if asked.where is not None else None
    good = None if where is None else space.formula(where.start)
    if asked.what == "moves":
        assert asked.depth is not None
        n = counts.moves(space, asked.depth, good, budget)
        if n is None:
            return Verdict("value", "exhausted", value="infinite", reason="the table may act for ever between two moves")
        bound = f"all sequences of {asked.depth} move{'' if asked.depth == 1 else 's'}"
        return Verdict("value", "exhausted", value=str(n), bound=bound)
    if asked.what == "plays":
        found = counts.plays(space, budget)
        if found is None:
            return Verdict("value", "exhausted", value="infinite", reason="some play never ends")
        return Verdict("value", "exhausted", value=str(found))
    space.explore(budget)
    slots = problem.game_slots
    if asked.up_to:
        return classes(explicit, asked, problem, space, good, budget)
    if reduction_of(problem) is not None and space.model.among:
        n = total(space, None if where is None else where.start, budget)
    elif not problem.counters:
        n = len(space.states) if where is None else space.tally(where.start, budget)
    else:
        n = len({space.bare(s, slots) for s in space.states if good is None or good(s)})
    return Verdict("value", "exhausted", value=str(n))


def classes(
    explicit: Explicit, asked: Asked, problem: Problem, space: Space, good: Callable[..., int] | None, budget: Budget
) -> Verdict:
    """How many positions when those that a symmetry takes into each other count as one. Raises `BrokenSymmetry`."""
    symmetry = Symmetry(explicit.game, asked.up_to)
    every = list({space.bare(s, problem.game_slots): s for s in space.states}.values())
    states = [explicit.state(problem, space, s) for s in every]

    def where(state: evaluate.State) -> bool:
        return asked.where is None or bool(value(asked.where, evaluate.place(explicit.game, state)))

    symmetry.check(states, where, budget)
    found = {symmetry.canonical(x) for s, x in zip(every, states, strict=True) if good is None or good(s)}
    names = " and ".join(asked.up_to)
    notes = [f"{len(states):,} positions and their images were compared: the rules do not tell them apart by {names}"]
    return Verdict("value", "exhausted", value=str(len(found)), notes=notes)
