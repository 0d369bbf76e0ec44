"""What a formula about a layout says of any layout that it holds for, read off the formula itself.

Two things are looked for, so that far fewer layouts need to be made: that some closed feature holds all pieces, and that
the formula speaks of closed features alone, each for itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tablelaw.spec import types as ty
from tablelaw.spec.board_types import SIDE
from tablelaw.spec.core import Agg, Binder, Call, Const, Expr, Field, If, Index, Items, Let, Local, Make, Op, Var, children
from tablelaw.spec.types import FeatureType, LaidType

Known = Mapping[str, "Meant"]


@dataclass(frozen=True, slots=True)
class Meant:
    """A formula with what its bound names stand for, as far as they were bound by definitions."""

    e: Expr
    names: Known


@dataclass(frozen=True, slots=True)
class Claim:
    """A formula that is true (or, `holds` being false, false) of every layout looked for."""

    e: Expr
    holds: bool
    names: Known


def told(m: Meant) -> Meant:
    """The formula, definitions' arguments and the definitions themselves put in."""
    while True:
        if isinstance(m.e, Local) and m.e.name in m.names:
            m = m.names[m.e.name]
        elif isinstance(m.e, Let):
            inner = dict(m.names) | {n: Meant(v, m.names) for n, v in zip(m.e.names, m.e.values, strict=True)}
            m = Meant(m.e.body, inner)
        else:
            return m


def without(names: Known, bound: str) -> Known:
    """The names with one that is bound anew left out."""
    return {n: m for n, m in names.items() if n != bound}


def claims(c: Claim) -> Iterator[Claim]:
    """The claim taken apart: all parts are claimed together."""
    m = told(Meant(c.e, c.names))
    match m.e:
        case Op("not", (inner,)):
            yield from claims(Claim(inner, not c.holds, m.names))
        case Op("and", args) if c.holds:
            for a in args:
                yield from claims(Claim(a, True, m.names))
        case Op("or", args) if not c.holds:
            for a in args:
                yield from claims(Claim(a, False, m.names))
        case _:
            yield Claim(m.e, c.holds, m.names)


# one closed feature that holds all pieces


@dataclass(frozen=True, slots=True)
class Whole:
    """Every layout of the size for which the formula holds is one closed feature of the kind, or (None) there is none."""

    kind: str | None


def whole_feature(formula: Expr, holds: bool, of: str, size: int) -> Whole | None:
    """Does the formula (or its denial) say that one closed feature holds all `size` pieces? None: not that it is seen."""
    for c in claims(Claim(formula, holds, {})):
        if isinstance(c.e, Agg) and c.e.kind == ("any" if c.holds else "all"):
            found = _of_some(c.e, c, of, size)
            if found is not None:
                return found
    return None


def _of_some(e: Agg, c: Claim, of: str, size: int) -> Whole | None:
    names = c.names
    found: list[tuple[str, str]] = []
    said: list[Claim] = []
    if len({b.name for b in e.binders}) < len(e.binders):
        return None
    for b in e.binders:
        kind = _features_of(b, names, of)
        names = without(names, b.name)
        if meets(names, b.name):
            return None
        if kind is not None:
            found.append((b.name, kind))
        said += [x for t in b.tests for x in claims(Claim(t, True, names))]
    said += list(claims(Claim(e.body, c.holds, names)))
    for name, kind in found:
        if any(_closed(s, name) for s in said):
            sizes = [n for s in said if (n := _least_size(s, name, of, size)) is not None]
            if max(sizes, default=0) >= size:
                return Whole(kind if max(sizes) == size else None)
    return None


def meets(names: Known, bound: str) -> bool:
    """Does a name that is bound now stand for something else in what the names mean?"""
    return any(bound in _free(m.e) or meets(m.names, bound) for m in names.values())


def _free(e: Expr) -> set[str]:
    own = {e.name} if isinstance(e, Local) else set()
    return own.union(*(_free(x) for x in children(e)))


def _features_of(b: Binder, names: Known, of: str) -> str | None:
    """The kind whose features of the layout the name stands for."""
    if not isinstance(b.domain, Expr):
        return None
    m = told(Meant(b.domain, names))
    match m.e:
        case Call("features", (table, kind)):
            t, k = told(Meant(table, m.names)), told(Meant(kind, m.names))
            if isinstance(t.e, Var) and t.e.name == of and isinstance(k.e, Const) and isinstance(k.e.value, str):
                return k.e.value
    return None


def _field(m: Meant, name: str, field: str) -> bool:
    m = told(m)
    if not isinstance(m.e, Field) or m.e.name != field:
        return False
    base = told(Meant(m.e.base, m.names))
    return isinstance(base.e, Local) and base.e.name == name


def _closed(c: Claim, name: str) -> bool:
    """Does the claim say that the feature has no open end?"""
    if c.holds and _field(Meant(c.e, c.names), name, "closed"):
        return True
    if isinstance(c.e, Op) and len(c.e.args) == 2:
        a, b = (told(Meant(x, c.names)) for x in c.e.args)
        op = c.e.op if c.holds else {"ne": "eq", "lt": "ge", "le": "gt"}.get(c.e.op, "")
        if op == "eq":
            return (_field(a, name, "open") and _number(b) == 0) or (_field(b, name, "open") and _number(a) == 0)
        if op == "ge":  # not 0 < f.open
            return _number(a) == 0 and _field(b, name, "open")
        if op == "le":  # f.open <= 0
            return _field(a, name, "open") and _number(b) == 0
        if op == "lt":  # f.open < 1
            return _field(a, name, "open") and _number(b) == 1
    return False


def _number(m: Meant) -> int | None:
    m = told(m)
    return m.e.value if isinstance(m.e, Const) and isinstance(m.e.value, int) and not isinstance(m.e.value, bool) else None


def _pieces(m: Meant, of: str, size: int) -> int | None:
    """A number, where `size(table)` is one."""
    m = told(m)
    match m.e:
        case Call("size", (inner,)):
            t = told(Meant(inner, m.names))
            if isinstance(t.e, Var) and t.e.name == of:
                return size
    return _number(m)


def _measured(m: Meant, name: str) -> bool:
    """Is it `f.size`, or `size(f.cells)`?"""
    m = told(m)
    if _field(m, name, "size"):
        return True
    match m.e:
        case Call("size", (inner,)):
            return _field(Meant(inner, m.names), name, "cells")
    return False


def _least_size(c: Claim, name: str, of: str, size: int) -> int | None:
    """The least size that the claim leaves the feature."""
    if not isinstance(c.e, Op) or len(c.e.args) != 2:
        return None
    a, b = (Meant(x, c.names) for x in c.e.args)
    op = c.e.op
    if op in ("eq", "ne"):
        if (op == "eq") != c.holds:
            return None
        if _measured(a, name):
            return _pieces(b, of, size)
        return _pieces(a, of, size) if _measured(b, name) else None
    if op not in ("lt", "le"):
        return None
    # claimed: a < b, a <= b, or the denials b <= a, b < a
    small, large, strict = (a, b, op == "lt") if c.holds else (b, a, op == "le")
    if not _measured(large, name):
        return None
    least = _pieces(small, of, size)
    return None if least is None else least + strict


# closed features, each for itself


def of_closed_features(formula: Expr, of: str) -> list[tuple[str, Expr]] | None:
    """The kinds of feature that the formula speaks of, each with its part of the formula; None where it says more.

    Each part is `all(… for f in features(table, kind) if f.closed and …)`, in which everything else looks at the feature
    itself and at the pieces on its squares.
    """
    found: list[tuple[str, Expr]] = []
    parts = formula.args if isinstance(formula, Op) and formula.op == "and" else (formula,)
    for part in parts:
        if isinstance(part, Op) and part.op == "and":
            inner = of_closed_features(part, of)
            if inner is None:
                return None
            found += inner
            continue
        m = told(Meant(part, {}))
        if not isinstance(m.e, Agg) or m.e.kind != "all" or len(m.e.binders) != 1:
            return None
        (b,) = m.e.binders
        kind = _features_of(b, m.names, of)
        names = without(m.names, b.name)
        if kind is None or meets(names, b.name):
            return None
        tests = [x for t in b.tests for x in claims(Claim(t, True, names))]
        look = _Look(of)
        if not any(_closed(x, b.name) for x in tests):
            return None
        if not all(look.own(Meant(t, names), {b.name: "own"}) for t in (*b.tests, m.e.body)):
            return None
        found.append((kind, part))
    return found


class _Look:
    """Does a formula look at one feature and the pieces on its squares alone?

    `scope` holds the names bound inside: `cell` is a square of the feature, `own` anything else that was read off it.
    """

    def __init__(self, of: str) -> None:
        self.of = of

    def own(self, m: Meant, scope: Mapping[str, str]) -> bool:
        m = told(m)
        match m.e:
            case Const():
                return True
            case Local(name):
                return name in scope
            case Index(base, key) if isinstance(m.e.type, LaidType):
                return self._table(Meant(base, m.names)) and self._cell(Meant(key, m.names), scope)
            case Field(base, name):
                # a part of the feature knows its piece alone, and so does a piece; a feature knows itself
                return self.own(Meant(base, m.names), scope)
            case Op(_, args) | Items(args) | Make(args):
                return all(self.own(Meant(a, m.names), scope) for a in args)
            case If(test, yes, no):
                return all(self.own(Meant(a, m.names), scope) for a in (test, yes, no))
            case Index(base, key):
                return all(self.own(Meant(a, m.names), scope) for a in (base, key))
            case Call("size" | "min" | "max" | "across" | "step" | "neighbours8", args):
                return all(self.own(Meant(a, m.names), scope) for a in args)
            case Agg(_, binders, body):
                names, inner = m.names, dict(scope)
                for b in binders:
                    if isinstance(b.domain, Expr):
                        if not self.own(Meant(b.domain, names), inner):
                            return False
                        kind = "cell" if self._cells(Meant(b.domain, names), inner) else "own"
                    else:
                        kind = "own"
                    names = without(names, b.name)
                    if meets(names, b.name):
                        return False
                    inner[b.name] = kind
                    if not all(self.own(Meant(t, names), inner) for t in b.tests):
                        return False
                return self.own(Meant(body, names), inner)
        return False

    def _table(self, m: Meant) -> bool:
        m = told(m)
        return isinstance(m.e, Var) and m.e.name == self.of

    def _cells(self, m: Meant, scope: Mapping[str, str]) -> bool:
        """Is it the set of the feature's squares?"""
        m = told(m)
        if not isinstance(m.e, Field) or m.e.name != "cells":
            return False
        base = told(Meant(m.e.base, m.names))
        return isinstance(base.e, Local) and base.e.name in scope and isinstance(base.e.type, FeatureType)

    def _cell(self, m: Meant, scope: Mapping[str, str]) -> bool:
        m = told(m)
        return isinstance(m.e, Local) and scope.get(m.e.name) == "cell"


# turning a layout


def same_turned(e: Expr) -> bool:
    """Is the formula surely true of a layout just when it is true of the layout turned? False: perhaps it is not."""
    match e:
        case Const():
            return not isinstance(e.type, (ty.MapOf, ty.ListOf)) and not _names_places(e.type)
        case Field(base, name):
            if name in ("rotation", "x", "y") or (name == "side" and isinstance(base.type, ty.PartType)):
                return False  # a part's own side is the first that it reaches, counted from the north
        case Index() if not isinstance(e.type, LaidType):
            return False
        case Call() if e.name not in _TURNING_ALONG:
            return False
        case Op("lt" | "le", args) if not all(isinstance(a.type, (ty.Int, ty.Frac)) for a in args):
            return False
        case Agg("min" | "max") if not isinstance(e.body.type, (ty.Int, ty.Frac)):
            return False
        case Agg() if any(isinstance(b.domain, ty.Int) for b in e.binders):
            return False
    return all(same_turned(c) for c in children(e))


_TURNING_ALONG = frozenset({
    "size", "features", "feature", "touches", "follow", "across", "edges", "open_edges", "shows", "neighbours8", "frontier",
    "parts",
})  # fmt: skip
"""What gives the same of a layout turned, only turned along."""


def _names_places(kind: ty.Type) -> bool:
    """Does a value of the type name a side, a direction or a square?"""
    match kind:
        case ty.Enum():
            return kind.family == SIDE.family
        case ty.SetOf() | ty.Maybe() | ty.BagOf():
            return _names_places(kind.elem)
        case ty.Bool() | ty.Int() | ty.Frac():
            return False
    return kind != ty.NOTHING
