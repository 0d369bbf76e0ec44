"""What assignments and loops say as formulas: what is added where, what is taken, what is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import z3

from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.symbolic.open.values import BagV, MapV, RecordV, Term, both, constant, fitted, same
from tablelaw.spec import types as ty
from tablelaw.spec.core import Assign, Const, Expr, Field, Index, Local, Loop, Make, Op, Var, children
from tablelaw.spec.types import BagOf, MapOf, Record, Type


def substituted(v: Any, pairs: list[tuple[Term, Term]]) -> Any:
    """The value with its terms replaced."""
    if isinstance(v, z3.ExprRef):
        return z3.substitute(v, *pairs)
    if isinstance(v, dict):
        return {k: substituted(x, pairs) for k, x in v.items()}
    if hasattr(v, "__slots__") and not isinstance(v, (str, Type)):
        return type(v)(*(substituted(getattr(v, n), pairs) for n in v.__slots__))
    return v


def change_by(x: Assign) -> tuple[int, Expr] | None:
    """What `+=` adds (with its sign) to what it assigns to; None for other assignments."""
    if not isinstance(x.value, Op) or x.value.op not in ("add", "sub") or not isinstance(x.value.type, ty.Int):
        return None
    base, amount = x.value.args
    return (1 if x.value.op == "add" else -1, amount) if same_place(base, x) else None


def wanted(e: Expr) -> Iterator[Expr]:
    """What must be there, and not none, for the formula to have a value."""
    if isinstance(e, Op) and e.op == "sure":
        yield e.args[0]
    if isinstance(e, (Make, Field, Index)) or (isinstance(e, Op) and e.op not in ("and", "or")):
        for c in children(e):
            yield from wanted(c)


def same_place(e: Expr, x: Assign) -> bool:
    for key in reversed(x.path):
        if isinstance(key, str):
            if not isinstance(e, Field) or e.name != key:
                return False
            e = e.base
        else:
            if not isinstance(e, Index) or e.key != key:
                return False
            e = e.base
    return isinstance(e, Var) and e.name == x.name


def takes(x: Assign, loop: Loop) -> bool:
    """Is it `bag -= element`?"""
    by = change_by(x)
    one = by is not None and by[0] == -1 and isinstance(by[1], Const) and by[1].value == 1
    return one and len(x.path) == 1 and isinstance(x.path[0], Local) and x.path[0].name == loop.name


def reads(e: Expr) -> set[str]:
    """The variables that a formula reads."""
    found = {e.name} if isinstance(e, Var) else set()
    for c in children(e):
        found |= reads(c)
    return found


def added(old: Any, kind: Type, keys: list[Any], hit: Term, gained: Callable[[Term], Term]) -> Any:
    """The value with a number added at each place that the keys may name."""
    if not keys:
        return old + gained(hit)
    key, rest = keys[0], keys[1:]
    if isinstance(old, RecordV) and isinstance(kind, Record):
        inner = kind.field_type(key)
        assert inner is not None
        return RecordV({**old.fields, key: added(old.fields[key], inner, rest, hit, gained)})
    if isinstance(old, MapV) and isinstance(kind, MapOf):
        at = fitted(key, kind.key)
        return MapV(
            {
                k: added(x, kind.value, rest, both([hit, same(at, constant(kind.key, k), kind.key)]), gained)
                for k, x in old.items.items()
            }
        )
    if isinstance(old, BagV) and isinstance(kind, BagOf):
        at = fitted(key, kind.elem)
        return BagV({k: n + gained(both([hit, same(at, constant(kind.elem, k), kind.elem)])) for k, n in old.counts.items()})
    raise Unlowerable("this is not added to with the board left open")
