"""Formulas of a game said about its projection, in which of each board the number of its pieces is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tablelaw.solver.window import Window, free_names
from tablelaw.spec import types as ty
from tablelaw.spec.core import (
    Agg,
    Binder,
    Call,
    Const,
    Expr,
    Field,
    If,
    Index,
    Items,
    Let,
    Local,
    Make,
    Op,
    Var,
    children,
)  # fmt: skip
from tablelaw.spec.types import (
    BOOL,
    BagOf,
    Bool,
    CellType,
    EdgeType,
    Enum,
    FeatureType,
    Int,
    LaidType,
    LayoutType,
    ListOf,
    MapOf,
    Maybe,
    PartType,
    Record,
    SetOf,
    Type,
)
from tablelaw.spec.values import Map, Value

SOMEWHERE = Int(0, 0)
"""What is left of a square, edge or part: that it is one."""
MOST_VALUES = 4096
"""How many values an unknown may have."""

Unknown = Callable[[Expr], Expr | None]


def boardish(kind: Type) -> bool:
    """Does a value of the type hold anything of a board?"""
    match kind:
        case LayoutType() | CellType() | EdgeType() | PartType() | FeatureType() | LaidType():
            return True
        case SetOf(elem) | BagOf(elem, _) | ListOf(elem, _) | Maybe(elem):
            return boardish(elem)
        case MapOf(key, inner):
            return boardish(key) or boardish(inner)
        case Record(_, fields):
            return any(boardish(f) for _, f in fields)
    return False


def projected_type(kind: Type) -> Type:
    """What is kept of a value of the type."""
    match kind:
        case LayoutType(_, limit):
            return Int(0, limit)
        case Maybe(elem):
            return Maybe(projected_type(elem))
        case Record(name, fields):
            return Record(name, tuple((n, projected_type(f)) for n, f in fields))
        case MapOf(key, inner) if not boardish(key):
            return MapOf(key, projected_type(inner))
        case ListOf(elem, limit):
            return ListOf(projected_type(elem), limit)
    return SOMEWHERE if boardish(kind) else kind


def projected_value(found: Value, kind: Type) -> Value:
    """What is kept of a value."""
    if not boardish(kind):
        return found
    match kind:
        case LayoutType():
            return len(found)
        case Maybe(elem):
            return None if found is None else projected_value(found, elem)
        case Record(_, fields):
            return Map([(n, projected_value(found[n], f)) for n, f in fields])
        case MapOf(key, inner) if not boardish(key):
            return Map([(k, projected_value(v, inner)) for k, v in found.items()])
        case ListOf(elem):
            return tuple(projected_value(v, elem) for v in found)
    return 0


def variables_read(e: Expr) -> frozenset[str]:
    """The variables that a formula reads; `ended` and `winners` read everything (told as `*`)."""
    match e:
        case Var(name):
            return frozenset({name})
        case Call(name) if name in ("ended", "winners", "times", "old"):
            return frozenset({"*"})
    return frozenset[str]().union(*(variables_read(c) for c in children(e)))


@dataclass(slots=True)
class Translator:
    """Translates formulas; what cannot be said without the board is given to `unknown`, and None where that has no answer.

    `names` are the names bound around, by what they became: a type, or None where nothing of them is left.
    """

    kinds: dict[str, Type]
    unknown: Unknown
    names: dict[str, Type | None] = field(default_factory=dict)
    window: Window | None = None
    bound: frozenset[str] = frozenset()
    """Names bound inside the formula: of what speaks of them there is not one unknown but many."""

    def expr(self, e: Expr) -> Expr | None:
        """The formula about the projection; None where there is none."""
        if self.window is not None:
            shown = self.window.said(e)
            if shown is not None:
                return shown
        found = self._expr(e)
        if found is not None:
            return found
        if isinstance(e.type, (CellType, EdgeType, PartType)):
            return Const(0, type=SOMEWHERE, span=e.span)
        return self.unknown(e) if small(e.type) and not free_names(e) & self.bound else None

    def _expr(self, e: Expr) -> Expr | None:
        kind = projected_type(e.type)
        match e:
            case Const(found):
                if isinstance(e.type, (FeatureType, LaidType)):
                    return None
                return Const(projected_value(found, e.type), type=kind, span=e.span)
            case Var(name):
                return Var(name, type=self.kinds[name], span=e.span)
            case Local(name):
                bound = self.names.get(name, kind)
                return None if bound is None else Local(name, type=bound, span=e.span)
            case Make() if isinstance(e.type, (CellType, EdgeType, PartType)):
                return Const(0, type=SOMEWHERE, span=e.span)
            case Make(fields):
                parts = self._all(fields)
                return None if parts is None else Make(parts, type=kind, span=e.span)
            case Op():
                return self._op(e)
            case If(test, yes, no):
                parts = self._all((test, yes, no))
                return None if parts is None else If(*parts, type=kind, span=e.span)
            case Index(base, key):
                if isinstance(base.type, LayoutType) or (isinstance(base.type, MapOf) and boardish(base.type.key)):
                    return None
                if isinstance(base.type, BagOf) and boardish(base.type):
                    return None
                parts = self._all((base, key))
                return None if parts is None else Index(*parts, type=kind, span=e.span)
            case Field(base, name):
                owner = base.type.elem if isinstance(base.type, Maybe) else base.type
                if not isinstance(owner, Record):
                    return None
                inner = self.expr(base)
                return None if inner is None else Field(inner, name, type=kind, span=e.span)
            case Items(items):
                if boardish(e.type):
                    return None
                parts = self._all(items)
                return None if parts is None else Items(parts, type=kind, span=e.span)
            case Let(names, values, body):
                return self._let(e, names, values, body)
            case Agg():
                return self._aggregate(e)
            case Call():
                return self._call(e)
        return None

    def _all(self, parts: tuple[Expr, ...]) -> tuple[Expr, ...] | None:
        found: list[Expr] = []
        for p in parts:
            x = self.expr(p)
            if x is None:
                return None
            found.append(x)
        return tuple(found)

    def _op(self, e: Op) -> Expr | None:
        kinds = [a.type for a in e.args]
        if any(boardish(k) for k in kinds):
            nothing = any(isinstance(k, ty.Nothing) for k in kinds)
            if not (e.op in ("eq", "ne") and nothing):
                return None
        if boardish(e.type):
            return None
        parts = self._all(e.args)
        return None if parts is None else Op(e.op, parts, type=e.type, span=e.span)

    def _let(self, e: Let, names: tuple[str, ...], values: tuple[Expr, ...], body: Expr) -> Expr | None:
        outer = dict(self.names)
        kept: list[tuple[str, Expr]] = []
        for n, v in zip(names, values, strict=True):
            x = self.expr(v)
            self.names[n] = None if x is None else x.type
            if x is not None:
                kept.append((n, x))
        around, self.bound = self.bound, self.bound | frozenset(names)
        inner = self.expr(body)
        self.names, self.bound = outer, around
        if inner is None:
            return None
        if not kept:
            return inner
        return Let(tuple(n for n, _ in kept), tuple(x for _, x in kept), inner, type=inner.type, span=e.span)

    def _aggregate(self, e: Agg) -> Expr | None:
        outer = dict(self.names), self.bound
        found = self._walk(e)
        self.names, self.bound = outer
        return found

    def _walk(self, e: Agg) -> Expr | None:
        binders: list[Binder] = []
        for b in e.binders:
            domain: Expr | Type | None = None if boardish(b.type) else b.domain
            if isinstance(domain, Expr):
                domain = self.expr(domain)
            if domain is None:
                return None
            self.names[b.name] = b.type
            self.bound |= {b.name}
            tests = self._all(b.tests)
            if tests is None:
                return None
            binders.append(Binder(b.name, domain, b.type, tests))
        body = self.expr(e.body)
        if body is None or boardish(e.type):
            return None
        return Agg(e.kind, tuple(binders), body, type=e.type, span=e.span)

    def _call(self, e: Call) -> Expr | None:
        if e.name == "place":
            before = self.expr(e.args[0])
            if before is None:
                return None
            one = Const(1, type=Int(1, 1))
            return Op("add", (before, one), type=projected_type(e.type), span=e.span)
        if e.name == "size" and isinstance(e.args[0].type, LayoutType):
            return self.expr(e.args[0])
        if any(boardish(a.type) for a in e.args) and e.name != "old":
            return None
        if boardish(e.type) and not (e.name == "old" and isinstance(e.args[0], Var)):
            return None
        if e.name not in _PLAIN:
            return None
        parts = self._all(e.args)
        return None if parts is None else Call(e.name, parts, e.subject, type=projected_type(e.type), span=e.span)

    # what must hold for an unknown truth value to be true

    def upper(self, e: Expr) -> Expr:
        """A condition that holds wherever the formula does, free of unknowns."""
        true = Const(True, type=BOOL, span=e.span)
        match e:
            case Op("and" | "or" as op, args):
                return Op(op, tuple(self.upper(a) for a in args), type=BOOL, span=e.span)
            case Let(names, values, body):
                outer = dict(self.names)
                kept: list[tuple[str, Expr]] = []
                for n, v in zip(names, values, strict=True):
                    x = self.sure(v)
                    self.names[n] = None if x is None else x.type
                    if x is not None:
                        kept.append((n, x))
                inner = self.upper(body)
                self.names = outer
                if not kept:
                    return inner
                return Let(tuple(n for n, _ in kept), tuple(x for _, x in kept), inner, type=BOOL, span=e.span)
            case Agg("any", binders, body):
                outer = dict(self.names)
                found: list[Binder] = []
                rest: list[Expr] = []
                for b in binders:
                    domain: Expr | Type | None = None if boardish(b.type) else b.domain
                    if isinstance(domain, Expr):
                        domain = self.sure(domain)
                    self.names[b.name] = None if domain is None else b.type
                    tests = tuple(self.upper(t) for t in b.tests)
                    if domain is None:
                        rest += tests
                    else:
                        found.append(Binder(b.name, domain, b.type, tests))
                inner = Op("and", (*rest, self.upper(body)), type=BOOL, span=e.span)
                self.names = outer
                return Agg("any", tuple(found), inner, type=BOOL, span=e.span) if found else inner
        return self.sure(e) or true

    def known(self, e: Expr) -> Expr | None:
        """The translation if it needs no unknown."""
        outer, self.unknown = self.unknown, lambda _: None
        found = self.expr(e)
        self.unknown = outer
        return found

    def sure(self, e: Expr) -> Expr | None:
        """The translation if it needs no unknown and always has a value: it may be read where the formula was not."""
        found = self.known(e)
        return found if found is not None and never_fails(found) else None


_PLAIN = {"size", "min", "max", "after", "before", "parts", "old", "ended", "winners", "times", "abs"}


def small(kind: Type) -> bool:
    """May an unknown have this type?"""
    if boardish(kind) and not isinstance(kind, Maybe):
        return False
    n = ty.cardinality(projected_type(kind))
    return n is not None and 0 < n <= MOST_VALUES and isinstance(kind, (Bool, Int, Enum, Maybe))


def both(a: Expr, b: Expr) -> Expr:
    if isinstance(a, Const) and a.value is True:
        return b
    return Op("and", (a, b), type=BOOL, span=b.span)


_SAFE = {"and", "or", "not", "eq", "ne", "lt", "le", "in", "add", "mul", "neg", "abs", "union", "meet", "minus", "append"}


def never_fails(e: Expr) -> bool:
    """Is it plain that the formula has a value everywhere?"""
    match e:
        case Const() | Var() | Local() | Let() | If() | Items() | Make():
            fine = True
        case Op(op):
            fine = op in _SAFE or (op == "sub" and all(isinstance(a.type, Int) for a in e.args))
        case Index(base, key):
            fine = isinstance(base.type, BagOf) or (isinstance(base.type, MapOf) and _within(key.type, base.type.key))
        case Field(base):
            fine = not isinstance(base.type, Maybe)
        case Agg(kind):
            fine = kind not in ("max", "min")
        case Call(name, args):
            fine = name in ("size", "min", "max", "parts") or (name in ("after", "before") and len(args) == 1)
        case _:
            fine = False
    return fine and all(never_fails(c) for c in children(e))


def _within(kind: Type, wanted: Type) -> bool:
    match kind, wanted:
        case Int(a, b), Int(lo, hi):
            return None not in (a, b, lo, hi) and lo <= a and b <= hi  # type: ignore[operator]
        case Enum(_, values), Enum(_, others):
            return set(values) <= set(others)
    return isinstance(kind, Bool) and isinstance(wanted, Bool)


# how far numbers read of a board can go
