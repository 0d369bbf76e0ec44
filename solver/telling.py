"""What a formula read, in words: the values that made it true or false."""

from __future__ import annotations

from tablelaw.spec.core import Agg, Call, Const, Expr, Field, Index, Let, Local, Op, Var, children
from tablelaw.spec.operators import Fault
from tablelaw.spec.positions import shown
from tablelaw.spec.reckon import Place, value

MOST_VALUES = 6


def formula_text(e: Expr) -> str:
    """The formula as its author wrote it."""
    return " ".join(e.span.text.split()) if e.span is not None and e.span.text.strip() else "the formula"


def values_in(e: Expr, here: Place) -> list[str]:
    """What the formula read, as `score[0] = 6`; what depends on a name bound inside it is left out."""
    found: dict[str, str] = {}
    _visit(e, here, frozenset(), found)
    return [f"{k} = {v}" for k, v in found.items()][:MOST_VALUES]


def _visit(e: Expr, here: Place, bound: frozenset[str], found: dict[str, str]) -> None:
    text = _text(e)
    if text is not None and not isinstance(e, Const) and not _names(e) & bound:
        try:
            found.setdefault(text, shown(value(e, here), e.type))
        except (Fault, KeyError, TypeError):
            found.setdefault(text, "nothing")
        return
    inner = bound | {b.name for b in e.binders} if isinstance(e, Agg) else bound
    if isinstance(e, Let):
        for v in e.values:
            _visit(v, here, bound, found)
        _visit(e.body, here, bound | set(e.names), found)
        return
    for child in children(e):
        _visit(child, here, inner, found)


def _names(e: Expr) -> frozenset[str]:
    own = frozenset({e.name}) if isinstance(e, Local) else frozenset()
    return own.union(*(_names(c) for c in children(e)))


def _text(e: Expr) -> str | None:
    match e:
        case Var(name) | Local(name):
            return name
        case Const():
            return shown(e.value, e.type)
        case Index(base, key):
            left, right = _text(base), _text(key)
            return None if left is None or right is None or isinstance(base, Const) else f"{left}[{right}]"
        case Field(base, name):
            left = _text(base)
            return None if left is None or isinstance(base, Const) else f"{left}.{name}"
        case Op("add" | "sub", (a, b)):
            left, right = _text(a), _text(b)
            return None if left is None or right is None else f"{left} {'+' if e.op == 'add' else '-'} {right}"
        case Call("ended" | "winners", ()):
            return f"{e.name}()"
        case Call("times", ()):
            return f"times('{e.subject}')"
        case Call("size" | "after" | "before" | "old", (a,)):
            inner = _text(a)
            return None if inner is None else f"{e.name}({inner})"
    return None
