"""What each operator of a formula does to values: the one table that checking, folding and evaluation share."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from tablelaw.spec.values import Map, Value


class Fault(Exception):
    """A formula or an effect has no value here; `kind` is range, index, empty, none, division or bag."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message


def _add(a: Value, b: Value) -> Value:
    if isinstance(a, Map):
        keys = [*a, *(k for k in b if k not in a)]
        return Map([(k, a.get(k, 0) + b.get(k, 0)) for k in keys])
    return a + b


def _sub(a: Value, b: Value) -> Value:
    if isinstance(a, Map):
        if any(n > a.get(k, 0) for k, n in b.items()):
            raise Fault("bag", "more is taken than there is")
        return Map([(k, n - b.get(k, 0)) for k, n in a.items()])
    return a - b


def _whole(x: Value) -> Value:
    return int(x) if isinstance(x, Fraction) and x.denominator == 1 else x


def _div(a: Value, b: Value) -> Value:
    if b == 0:
        raise Fault("division", "a number is divided by zero")
    return _whole(Fraction(a) / Fraction(b))


def _floordiv(a: Value, b: Value) -> Value:
    if b == 0:
        raise Fault("division", "a number is divided by zero")
    return a // b


def _mod(a: Value, b: Value) -> Value:
    if b == 0:
        raise Fault("division", "a number is divided by zero")
    return a % b


def _le(a: Value, b: Value) -> bool:
    if isinstance(a, Map):
        return all(n <= b.get(k, 0) for k, n in a.items())
    return bool(a <= b)


def _lt(a: Value, b: Value) -> bool:
    if isinstance(a, Map):
        return _le(a, b) and not same(a, b)
    return bool(a < b)


def same(a: Value, b: Value) -> bool:
    """Equality of values; a bag has every name it does not mention none times."""
    if isinstance(a, Map) and isinstance(b, Map):
        return all(same(a.get(k, 0), b.get(k, 0)) for k in {*a, *b})
    return bool(a == b)


def sure(a: Value) -> Value:
    """What is there; a fault where nothing is."""
    if a is None:
        raise Fault("none", "a value is needed here, and there is none")
    return a


def _in(a: Value, b: Value) -> bool:
    return b.get(a, 0) > 0 if isinstance(b, Map) else a in b


OPERATORS: dict[str, Callable[..., Any]] = {
    "add": _add,
    "sub": _sub,
    "mul": lambda a, b: _whole(a * b),
    "div": _div,
    "floordiv": _floordiv,
    "mod": _mod,
    "neg": lambda a: -a,
    "abs": abs,
    "xor": lambda a, b: a ^ b,
    "eq": same,
    "ne": lambda a, b: not same(a, b),
    "lt": _lt,
    "le": _le,
    "in": _in,
    "not": lambda a: not a,
    "union": lambda a, b: a | b,
    "meet": lambda a, b: a & b,
    "minus": lambda a, b: a - b,
    "sure": sure,
    "append": lambda a, b: (*a, b),
}


def size(value: Value) -> int:
    """How many elements a collection has; a bag counts every copy."""
    return sum(value.values()) if isinstance(value, Map) else len(value)


def item(base: Value, key: Value) -> Value:
    """`base[key]`, or a fault."""
    if isinstance(base, tuple):
        if not 0 <= key < len(base):
            raise Fault("index", f"there is no item {key} in a list of {len(base)}")
        return base[key]
    if not isinstance(base, Map):
        return base.laid(key)
    if key not in base:
        raise Fault("index", f"there is no item for {key}")
    return base[key]
