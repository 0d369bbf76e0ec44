"""Which reductions are sound for a question.

What looks back (`old`, `actor`) is about steps, which images and slices tell less of: such questions have draws as bags alone.
Counts of plays count draws apart. A step that leaves a range is what `in-range` looks for, so that no order is left out there.
"""

from __future__ import annotations

from tablelaw.solver.ir import Term
from tablelaw.solver.problem import Problem, Prop
from tablelaw.solver.reduce.names import BAGS, ORDER, SLICING, SYMMETRY, Wanted
from tablelaw.solver.reduce.reduced import Groups, Reduced, reduced
from tablelaw.solver.space.graph import Space
from tablelaw.spec.questions import Asked

SOUND = {
    "always": {SLICING, SYMMETRY, ORDER, BAGS},
    "never": {SLICING, SYMMETRY, ORDER, BAGS},
    "reach": {SLICING, SYMMETRY, ORDER, BAGS},
    "largest": {SLICING, SYMMETRY, ORDER, BAGS},
    "smallest": {SLICING, SYMMETRY, ORDER, BAGS},
    "progress": {SLICING, SYMMETRY, ORDER, BAGS},
    "in-range": {SLICING, SYMMETRY, BAGS},
    "count": {SYMMETRY, BAGS},
}
"""By kind of question; of `count` only states that are all told apart."""


def for_question(asked: Asked, problem: Problem, space: Space, wanted: Wanted, groups: Groups) -> Reduced | None:
    """The model of a problem made smaller for its question; None where nothing is left out."""
    allowed = set[str]() if wanted.listed else SOUND.get(asked.kind, set()) & wanted.names
    if not allowed or (asked.kind == "count" and (asked.what != "states" or asked.up_to or problem.counters)):
        return None
    if any(p.looks for p in _props(asked, problem)):
        allowed &= {BAGS}
    if not allowed:
        return None
    terms = terms_of(asked, problem)
    return reduced(space, terms, frozenset(allowed), groups, terms, closed=asked.kind == "count")


def _props(asked: Asked, problem: Problem) -> list[Prop]:
    return [problem.prop(e) for e in (asked.formula, asked.where) if e is not None]


def terms_of(asked: Asked, problem: Problem) -> list[Term]:
    """What a question reads of a position."""
    terms = [t for p in _props(asked, problem) for t in (p.start, p.start_fault)]
    return [*terms, problem.terms.any(problem.end_faults)] if asked.kind == "in-range" else terms


def for_images(space: Space, terms: list[Term], wanted: Wanted, groups: Groups, keep: set[int] | None) -> Reduced | None:
    """The model of a space, which is of these slots (None: of all), with images as one that mean the same for these terms."""
    if wanted.listed or SYMMETRY not in wanted.names:
        return None
    return reduced(space, terms, frozenset({SYMMETRY}), groups, origin=None if keep is None else frozenset(keep))
