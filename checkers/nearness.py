"""How far a formula is from being true in a position: 0 where it is, more the further. A guide, no proof."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from tablelaw.checkers.looking import WRONG, bound
from tablelaw.spec.core import Agg, Assign, Bind, Binder, Branch, Effect, Expr, Fire, If, Let, Loop, Op, clauses_of
from tablelaw.spec.game import Action, Check
from tablelaw.spec.reckon import Place, value, visit

MOST_BOUND = 60
"""So many values of a bound name are tried."""
NOTHING = 3.0
"""How far a formula about some of several things is from being true where there are none."""


def far(e: Expr, here: Place, wanted: bool = True) -> float:
    """How far a formula is from being true, or false; one that has no value is 1 away."""
    try:
        return _far(e, here, wanted)
    except WRONG:
        return 1.0


def _far(e: Expr, here: Place, wanted: bool) -> float:
    match e:
        case Op("not", (inner,)):
            return far(inner, here, not wanted)
        case Op("and" | "or" as op, args):
            each = (far(a, here, wanted) for a in args)
            return sum(each) if (op == "and") == wanted else min(each)
        case Op("eq" | "ne" | "le" | "lt" as op, (left, right)):
            return _compared(op, value(left, here), value(right, here), wanted)
        case Let(names, values, body):
            return far(body, here.bind({n: value(v, here) for n, v in zip(names, values, strict=True)}), wanted)
        case If(test, yes, no):
            return far(yes if value(test, here) else no, here, wanted)
        case Agg("any" | "all" as kind, binders, body):
            some = (kind == "any") == wanted
            found = _each(binders, here, lambda there: far(body, there, wanted), some)
            return min(found, default=NOTHING) if some else sum(found)
    return 0.0 if bool(value(e, here)) == wanted else 1.0


def _compared(op: str, left: object, right: object, wanted: bool) -> float:
    if not isinstance(left, int) or not isinstance(right, int):
        return 0.0 if ((left == right) == (op == "eq")) == wanted else 1.0
    if op in ("eq", "ne"):
        gap = abs(left - right) if (op == "eq") == wanted else int(left == right)
    elif wanted:
        gap = left - right + (op == "lt")
    else:
        gap = right - left + (op == "le")
    return 0.0 if gap <= 0 else gap / (gap + 1)


def _each(binders: Sequence[Binder], here: Place, told: Callable[[Place], float], some: bool) -> Iterator[float]:
    """For each way of binding the names: how far what is said of it is; of some, together with how far its tests are."""
    if not binders:
        yield told(here)
        return
    first, rest = binders[0], binders[1:]
    for n, v in enumerate(visit(first.domain, here)):
        if n >= MOST_BOUND:
            return
        there = here.bind({first.name: v})
        tests = sum(far(t, there) for t in first.tests)
        if some:
            yield tests + min(_each(rest, there, told, some), default=NOTHING)
        elif not tests:
            yield from _each(rest, there, told, some)


# what a clause is decisive for


def move_far(a: Action, state: Place, checks: Iterable[tuple[Check, bool]], does: str = "") -> float:
    """How far a position is from having a move of the action that passes these checks (or not), and sets off a clause."""
    found = 0.0 if a.during is None else far(a.during, state)
    try:
        here = state if a.by is None else state.bind({"actor": value(a.by, state)})
        told = list(checks)

        def of(there: Place) -> float:
            return sum(far(bound(c), there, wanted) for c, wanted in told) + (
                _acts(a.effects, there, does) or 0.0 if does else 0.0
            )

        return found + min(_each(a.params, here, of, True), default=NOTHING)
    except WRONG:
        return found + NOTHING


def _acts(effects: tuple[Effect, ...], here: Place, clause: str, inside: bool = False) -> float | None:
    """How far it is that a clause among these effects sets a value; None where it is not among them."""
    each = [x for e in effects if (x := _act(e, here, clause, inside)) is not None]
    return min(each, default=None)


def _act(e: Effect, here: Place, clause: str, inside: bool) -> float | None:
    try:
        match e:
            case Fire(name, when, body):
                then = _acts(body, here, clause, inside or name == clause)
                return None if then is None else then + (0.0 if when is None else far(when, here))
            case Branch(test, yes, no):
                ways = [(_acts(yes, here, clause, inside), True), (_acts(no, here, clause, inside), False)]
                return min((x + far(test, here, way) for x, way in ways if x is not None), default=None)
            case Loop(name, domain, _, body):
                if not inside and not _speaks(body, clause):
                    return None
                each = (_acts(body, here.bind({name: v}), clause, inside) for v in list(visit(domain, here))[:MOST_BOUND])
                return min((x for x in each if x is not None), default=NOTHING)
            case Bind(names, values, body):
                bound_here = {n: value(v, here) for n, v in zip(names, values, strict=True)}
                return _acts(body, here.bind(bound_here), clause, inside)
            case Assign():
                return 0.0 if inside else None
    except WRONG:
        return NOTHING
    return None


def _speaks(effects: tuple[Effect, ...], clause: str) -> bool:
    return any(e.clause == clause for e in clauses_of(effects))
