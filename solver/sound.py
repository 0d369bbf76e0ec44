"""Formulas and effects that plainly have a value, whatever the position: read off their text and types alone."""

from __future__ import annotations

from tablelaw.spec.core import (
    Agg,
    Assign,
    Bind,
    Branch,
    Call,
    Const,
    Effect,
    Expr,
    Field,
    Fire,
    If,
    Index,
    Items,
    Let,
    Local,
    Loop,
    Op,
    Var,
    children,
)
from tablelaw.spec.types import Bool, Enum, Int, MapOf, Maybe, Type

_NEVER_WRONG = frozenset({"add", "sub", "mul", "neg", "xor", "eq", "ne", "lt", "le", "in", "not", "and", "or", "union", "meet"})
_CALLS = frozenset({"size", "after", "before", "times", "abs"})


def sound(e: Expr) -> bool:
    """Has the formula plainly a value everywhere? (No says only that it is not plain.)"""
    match e:
        case Const() | Var() | Local():
            return True
        case Op(op, args):
            divides = op in ("floordiv", "mod", "div") and isinstance(args[1], Const) and args[1].value != 0
            plain = op in _NEVER_WRONG or divides
        case Index(base, key):
            plain = isinstance(base.type, MapOf) and _within(key.type, base.type.key)
        case Agg(kind):
            plain = kind in ("any", "all", "sum", "count", "set")
        case Call(name):
            plain = name in _CALLS and (name not in ("after", "before") or len(e.args) == 1)
        case Field(base):
            plain = not isinstance(base.type, Maybe)
        case _:
            plain = isinstance(e, (If, Items, Let))
    return plain and all(map(sound, children(e)))


def sound_effects(effects: tuple[Effect, ...], kinds: dict[str, Type]) -> bool:
    """Can a step plainly always be taken? `kinds` are the types of the variables."""
    return all(_sound_effect(e, kinds) for e in effects)


def _sound_effect(e: Effect, kinds: dict[str, Type]) -> bool:
    match e:
        case Assign(name, path, new):
            kind = kinds[name]
            for key in path:
                if isinstance(key, str) or not isinstance(kind, MapOf) or not _within(key.type, kind.key) or not sound(key):
                    return False
                kind = kind.value
            return _within(new.type, kind) and sound(new)
        case Branch(test, yes, no):
            return sound(test) and sound_effects((*yes, *no), kinds)
        case Loop(_, domain, _, body):
            return (not isinstance(domain, Expr) or sound(domain)) and sound_effects(body, kinds)
        case Fire(_, when, body):
            return (when is None or sound(when)) and sound_effects(body, kinds)
        case Bind(_, values, body):
            return all(map(sound, values)) and sound_effects(body, kinds)
    return False


def _within(kind: Type, wanted: Type) -> bool:
    """Is every value of the one type plainly one of the other? (Of names and numbers.)"""
    match kind, wanted:
        case Int(lo, hi), Int(least, most):
            return None not in (lo, hi, least, most) and least <= lo and hi <= most  # type: ignore[operator]
        case Enum(_, values), Enum(_, others):
            return set(values) <= set(others)
    return isinstance(kind, Bool) and isinstance(wanted, Bool)
