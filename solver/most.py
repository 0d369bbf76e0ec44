"""The most that a number read of a board can be, said without the board."""

from __future__ import annotations

from tablelaw.spec.core import (
    Agg,
    Binder,
    Call,
    Const,
    Expr,
    Field,
    If,
    Items,
    Let,
    Local,
    Op,
)  # fmt: skip
from tablelaw.spec.types import (
    Int,
    LayoutType,
    Type,
)


def most_of(e: Expr, around: dict[str, Expr] | None = None) -> Expr | None:
    """A formula without features that is never smaller than a number read of a board; None where none is known."""
    around = around or {}
    match e:
        case Const(found) if isinstance(found, int):
            return e
        case Local(name):
            return around.get(name)
        case Field(Local(name), "size") if isinstance(e.type, Int):
            return around.get(name + ".size")
        case If(_, yes, no):
            return _larger(most_of(yes, around), most_of(no, around))
        case Let(names, values, body):
            known = {n: m for n, v in zip(names, values, strict=True) if (m := most_of(v, around)) is not None}
            return most_of(body, {**around, **known})
        case Agg("max" | "min", binders, body):
            inner = dict(around)
            for b in binders:
                _bind(b, inner)
            return most_of(body, inner)
    return None


def _bind(b: Binder, around: dict[str, Expr]) -> None:
    domain = b.domain
    around.pop(b.name, None)
    around.pop(b.name + ".size", None)
    if not isinstance(domain, Expr):
        return
    if isinstance(domain, Call) and domain.name == "features":
        table = domain.args[0]
        around[b.name + ".size"] = Call("size", (table,), type=Int(0, _limit(table.type)))
        return
    bound = _elements(domain, around)
    if bound is not None:
        around[b.name] = bound


def _elements(e: Expr, around: dict[str, Expr]) -> Expr | None:
    """What no element of a set exceeds."""
    match e:
        case Const(found) if isinstance(found, frozenset) and found and all(isinstance(x, int) for x in found):
            return Const(max(found), type=Int(max(found), max(found)))
        case Items(items):
            best: Expr | None = most_of(items[0], around)
            for x in items[1:]:
                best = _larger(best, most_of(x, around))
            return best
        case Op("union", (a, b)):
            return _larger(_elements(a, around), _elements(b, around))
        case Agg("set", binders, body):
            inner = dict(around)
            for b_ in binders:
                _bind(b_, inner)
            return most_of(body, inner)
    return None


def _larger(a: Expr | None, b: Expr | None) -> Expr | None:
    if a is None or b is None:
        return None
    lo = max((x.type.lo or 0) for x in (a, b) if isinstance(x.type, Int))
    hi = [x.type.hi for x in (a, b) if isinstance(x.type, Int)]
    return Call("max", (a, b), type=Int(lo, None if None in hi else max(h for h in hi if h is not None)))


def _limit(kind: Type) -> int:
    return kind.limit if isinstance(kind, LayoutType) else 0
