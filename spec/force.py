"""Whether a clause is in force: yes, no, or a formula on the options that are left open."""

from __future__ import annotations

from tablelaw.spec.core import Expr, Op
from tablelaw.spec.types import BOOL

Force = dict[int, bool | Expr]
"""Of each clause, by its identity."""


def both(a: bool | Expr, b: bool | Expr) -> bool | Expr:
    """Both conditions."""
    if isinstance(a, bool):
        return b if a else False
    return (a if b else False) if isinstance(b, bool) else Op("and", (a, b), type=BOOL)


def not_so(a: bool | Expr) -> bool | Expr:
    """The opposite condition."""
    return not a if isinstance(a, bool) else Op("not", (a,), type=BOOL)


def under(force: bool | Expr, rule: Expr | None, otherwise: bool) -> Expr | None:
    """A formula where its clause exists; elsewhere the given value."""
    if isinstance(force, bool):
        return rule
    if otherwise:
        missing = Op("not", (force,), type=BOOL)
        return missing if rule is None else Op("or", (missing, rule), type=BOOL, span=rule.span)
    return force if rule is None else Op("and", (force, rule), type=BOOL, span=rule.span)
