"""Does a formula say the same of a layout and of the layout moved, or turned?

Then z3 needs to be told of one place only, and of one of two boxes that differ by a turn. A yes is certain.
"""

from __future__ import annotations

from tablelaw.spec.board_types import FAMILY
from tablelaw.spec.core import Agg, Call, Const, Expr, Field, If, Let, Local, Make, Op, children
from tablelaw.spec.pieces import Pieces
from tablelaw.spec.types import BagOf, CellType, Enum, LaidType, ListOf, MapOf, Maybe, Record, SetOf, Type


def turns_with(pieces: Pieces, formula: Expr) -> bool:
    """So when pieces turn freely and no side, direction, rotation or square by number is spoken of."""
    return pieces.free and not _speaks(formula)


def _speaks(e: Expr) -> bool:
    if isinstance(e, Field) and (e.name in ("x", "y", "sides") or (isinstance(e.base.type, LaidType) and e.name == "rotation")):
        return True
    if isinstance(e, Call) and e.name in ("fits", "links", "step", "place"):
        return True
    if isinstance(e, Agg) and any(isinstance(b.domain, Type) and _turned(b.domain) for b in e.binders):
        return True
    return _turned(e.type) or any(_speaks(c) for c in children(e))


def _turned(kind: Type) -> bool:
    match kind:
        case Enum(_, _, family):
            return family == FAMILY
        case SetOf(elem) | BagOf(elem, _) | ListOf(elem, _) | Maybe(elem):
            return _turned(elem)
        case MapOf(key, value):
            return _turned(key) or _turned(value)
        case Record(_, fields):
            return any(_turned(t) for _, t in fields)
    return False


Shift = tuple[int, int]
"""By how much a number grows when the layout moves one square east, and one south."""
STILL = (0, 0)


class _Fixed(Exception):
    """Something depends on where the layout lies."""


def moves_with(formula: Expr) -> bool:
    """So when numbers of squares are only compared with, or taken from, one another."""
    try:
        return _shift(formula, {}) == STILL
    except _Fixed:
        return False


def _shift(e: Expr, names: dict[str, Shift]) -> Shift:
    match e:
        case Const():
            return STILL
        case Local(name):
            return names.get(name, STILL)
        case Field(base, "x" | "y" as name) if isinstance(base.type, CellType):
            _still(base, names)
            return (1, 0) if name == "x" else (0, 1)
        case Op("add" | "sub" as op, (one, two)):
            (ax, ay), (bx, by) = _shift(one, names), _shift(two, names)
            return (ax + bx, ay + by) if op == "add" else (ax - bx, ay - by)
        case Op("neg", (one,)):
            ax, ay = _shift(one, names)
            return (-ax, -ay)
        case Op("eq" | "ne" | "lt" | "le" | "in", args):
            _alike([_shift(a, names) for a in args])
            return STILL
        case Op("union" | "meet" | "minus", args) | Call("min" | "max", args):
            return _alike([_shift(a, names) for a in args])
        case Call("size", (one,)):
            _shift(one, names)
            return STILL
        case If(test, yes, no):
            _still(test, names)
            return _alike([_shift(yes, names), _shift(no, names)])
        case Let(bound, values, body):
            return _shift(body, {**names, **dict(zip(bound, [_shift(v, names) for v in values], strict=True))})
        case Make((x, y)) if isinstance(e.type, CellType):
            if (_shift(x, names), _shift(y, names)) != ((1, 0), (0, 1)):
                raise _Fixed
            return STILL
        case Agg(kind, binders, body):
            inner = dict(names)
            for b in binders:
                inner[b.name] = STILL if isinstance(b.domain, Type) else _shift(b.domain, inner)
                for t in b.tests:
                    _still(t, inner)
            found = _shift(body, inner)
            if kind in ("min", "max", "set"):
                return found
            return _alike([found, STILL]) if kind != "count" else STILL
    for c in children(e):
        _still(c, names)
    return STILL


def _still(e: Expr, names: dict[str, Shift]) -> None:
    if _shift(e, names) != STILL:
        raise _Fixed


def _alike(shifts: list[Shift]) -> Shift:
    if any(s != shifts[0] for s in shifts):
        raise _Fixed
    return shifts[0] if shifts else STILL
