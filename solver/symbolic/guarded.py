"""Values told case by case, each with when it is so: what a formula about a layout that is not known comes to."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from tablelaw.solver.symbolic.parts import Holding
from tablelaw.solver.symbolic.sums import Sum, Truth, disj, gather
from tablelaw.spec.grid import Cell, Part
from tablelaw.spec.operators import same

Guarded = tuple[Truth, Any]


class Cases(NamedTuple):
    """One of some known values; at most one of the guards holds."""

    each: tuple[Guarded, ...]


class Members(NamedTuple):
    """A set: each possible member with when it is in; equal ones are never in together."""

    each: tuple[Guarded, ...]


class Table(NamedTuple):
    """The layout that is looked for."""


@dataclass(frozen=True, slots=True)
class Laid:
    """The piece on a square."""

    cell: Cell


def is_truth(v: Any) -> bool:
    """Is it true or false, known or not?"""
    return isinstance(v, bool) or hasattr(v, "get_id")


def is_number(v: Any) -> bool:
    """Is it a number, known or not?"""
    if isinstance(v, Cases):
        return bool(v.each) and all(is_number(x) for _, x in v.each)
    return isinstance(v, (Sum, Fraction, int)) and not isinstance(v, bool)


def number(v: Any) -> Sum:
    """Any number as a sum."""
    if isinstance(v, Sum):
        return v
    if isinstance(v, Cases):
        values = [x for _, x in v.each]
        return gather(0, v.each, min(values), max(values))
    if v is None:
        return Sum(0)  # what has no value, told already
    return Sum(v)


def alike(v: Any, w: Any) -> Truth:
    """Are two values the same? Features are where they share a part."""
    if isinstance(v, Holding) and isinstance(w, Holding):
        return v.same(w)
    if isinstance(v, Holding) or isinstance(w, Holding):
        return False
    return same(v, w)


def merged(each: list[Guarded]) -> list[Guarded]:
    """Equal values together; parts of different sides stay apart, as they carry more than their name."""
    found: dict[Any, list[Truth]] = {}
    values: dict[Any, Any] = {}
    for g, v in each:
        if isinstance(v, Part):
            key: Any = (v, v.sides, tuple(sorted(v.attributes.items())))
        elif isinstance(v, Holding):
            key = id(v)
        else:
            key = (type(v) is bool, v)
        found.setdefault(key, []).append(g)
        values[key] = v
    return [(disj(*gs), values[k]) for k, gs in found.items()]


def truth_of(v: Any) -> Truth:
    """A value that is true or false, as one truth."""
    return disj(*(g for g, x in v.each if x)) if isinstance(v, Cases) else v
