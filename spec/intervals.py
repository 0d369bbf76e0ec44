"""How far numbers in formulas can go, and how much work a formula is, as far as that is known before play."""

from __future__ import annotations

from fractions import Fraction

from tablelaw.spec import types as ty
from tablelaw.spec.core import Agg, Binder, Call, Const, Expr, Field, If, Index, Items, Let, Make, Op
from tablelaw.spec.types import BOOL, FRAC, INT, BagOf, Int, ListOf, MapOf, SetOf, Type
from tablelaw.spec.values import Value

MOST_BITS = 256
"""Numbers with more binary digits than this are not reckoned with; as bounds they count as unknown."""

MOST_COST = 10**9


def bounded(lo: int | None, hi: int | None) -> Int:
    """A number within bounds; a bound beyond all reason counts as unknown."""
    low = None if lo is None or lo.bit_length() > MOST_BITS else lo
    return Int(low, None if hi is None or hi.bit_length() > MOST_BITS else hi)


def too_long(value: Value) -> bool:
    """Is this a number with more digits than any game needs?"""
    if isinstance(value, Fraction):
        return max(value.numerator.bit_length(), value.denominator.bit_length()) > MOST_BITS
    return isinstance(value, int) and value.bit_length() > MOST_BITS


def interval(op: str, kinds: list[Type]) -> Type:
    """The type of a number that an operator makes of others."""
    if any(isinstance(k, ty.Frac) for k in kinds):
        return FRAC
    bounds = [(k.lo, k.hi) for k in kinds if isinstance(k, Int)]
    known = [(lo, hi) for lo, hi in bounds if lo is not None and hi is not None]
    if len(known) < len(bounds):
        return INT
    a = known[0]
    if op == "neg":
        return Int(-a[1], -a[0])
    b = known[1]
    if op == "add":
        return bounded(a[0] + b[0], a[1] + b[1])
    if op == "sub":
        return bounded(a[0] - b[1], a[1] - b[0])
    if op == "mul":
        corners = [x * y for x in a for y in b]
        return bounded(min(corners), max(corners))
    if op == "mod" and b[0] > 0:
        return Int(0, b[1] - 1)
    if op == "floordiv" and b[0] > 0:
        corners = [x // y for x in a for y in b]
        return bounded(min(corners), max(corners))
    if op == "xor" and a[0] >= 0 and b[0] >= 0:
        return Int(0, (1 << max(a[1], b[1]).bit_length()) - 1)
    return INT


def value_type(value: Value, kind: Type) -> Type:
    """The type of a value known before play: as narrow as the value allows."""
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, int) and isinstance(kind, (Int, ty.Frac)):
        return Int(value, value)
    return FRAC if isinstance(value, Fraction) else kind


def most(binders: tuple[Binder, ...]) -> int | None:
    """How often at most the body of a comprehension is read; None when that is not known."""
    total = 1
    for b in binders:
        n = visits(b.domain)
        if n is None:
            return None
        total = min(total * n, 2**MOST_BITS)
    return total


def visits(domain: Expr | Type) -> int | None:
    """How many elements a `for` walks over at most; None when that is not known."""
    if isinstance(domain, Type):
        return ty.cardinality(domain)
    if isinstance(domain, Const) and isinstance(domain.value, (tuple, frozenset)):
        return len(domain.value)
    match domain.type:
        case BagOf(_, limit) | ListOf(_, limit):
            return limit
        case SetOf(elem):
            return ty.cardinality(elem)
        case MapOf(key):
            return ty.cardinality(key)
    return None


def cost(e: Expr) -> int:
    """About how many steps reading the formula takes."""
    match e:
        case Op(_, args) | Items(args) | Make(args):
            return _capped(1 + sum(cost(a) for a in args))
        case Call(name, args):
            here = ty.cardinality(args[0].type) if name == "parts" else 1
            return _capped(sum(cost(a) for a in args) + (MOST_COST if here is None else 1 + here))
        case If(test, yes, no):
            return _capped(1 + cost(test) + max(cost(yes), cost(no)))
        case Index(base, key):
            return _capped(1 + cost(base) + cost(key))
        case Field(base):
            return _capped(1 + cost(base))
        case Let(_, values, body):
            return _capped(1 + sum(cost(v) for v in values) + cost(body))
        case Agg(_, binders, body):
            total = cost(body)
            for b in reversed(binders):
                n = visits(b.domain)
                walk = 1 + sum(cost(t) for t in b.tests) + total
                total = MOST_COST if n is None else _capped(n * walk + (0 if isinstance(b.domain, Type) else cost(b.domain)))
            return _capped(1 + total)
    return 1


def _capped(n: int) -> int:
    return min(n, MOST_COST)
