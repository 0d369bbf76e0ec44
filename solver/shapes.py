"""Values of the rule language as trees of terms: what a formula's value looks like before the position is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from tablelaw.solver.ir import Term, Terms
from tablelaw.spec import types as ty
from tablelaw.spec.types import BagOf, Bool, Enum, Frac, Int, ListOf, MapOf, Maybe, Nothing, Record, SetOf, Type
from tablelaw.spec.values import Map, Value


@dataclass(frozen=True, slots=True)
class Ratio:
    """A fraction; `down` is never 0 where the value counts."""

    up: Term
    down: Term


@dataclass(frozen=True, slots=True)
class Members:
    """A set: for each value that may be in it, whether it is."""

    of: dict[Value, Term]


@dataclass(frozen=True, slots=True)
class Counts:
    """A bag: how many of each."""

    of: dict[Value, Term]


@dataclass(frozen=True, slots=True)
class Items:
    """A map or a record: a tree for each key."""

    of: dict[Value, Tree]


@dataclass(frozen=True, slots=True)
class Row:
    """A list: its length, and a tree for each place it may reach."""

    length: Term
    items: tuple[Tree, ...]


@dataclass(frozen=True, slots=True)
class Perhaps:
    """A value or nothing; `inner` is None when it is always nothing."""

    there: Term
    inner: Tree | None


Tree: TypeAlias = Term | Ratio | Members | Counts | Items | Row | Perhaps


class Unlowerable(Exception):
    """A formula that the flat form cannot hold; the message says why, in the author's words."""


def code(value: Value, kind: Type) -> int:
    """The number that stands for a simple value."""
    if isinstance(kind, Enum):
        return kind.family.index(value)
    return int(value)


class Shapes:
    """Builds and joins trees over one `Terms`."""

    def __init__(self, terms: Terms) -> None:
        self.terms = terms

    def literal(self, value: Value, kind: Type) -> Tree:
        """The tree of a known value."""
        t = self.terms
        match kind:
            case Bool():
                return t.true if value else t.false
            case Int() | Enum():
                return t.const(code(value, kind))
            case Frac():
                return Ratio(t.const(value.numerator), t.const(value.denominator))
            case Nothing():
                return Perhaps(t.false, None)
            case Maybe(elem):
                return Perhaps(t.false, None) if value is None else Perhaps(t.true, self.literal(value, elem))
            case SetOf():
                return Members(dict.fromkeys(value, t.true))
            case BagOf():
                return Counts({k: t.const(n) for k, n in value.items()})
            case ListOf(elem):
                return Row(t.const(len(value)), tuple(self.literal(v, elem) for v in value))
            case MapOf(_, inner):
                return Items({k: self.literal(v, inner) for k, v in value.items()})
            case Record(_, fields):
                return Items({n: self.literal(value[n], f) for n, f in fields})
        raise Unlowerable(f"{ty.show(kind)} cannot be kept")

    def blank(self, kind: Type) -> Tree:
        """The tree that fills a place where nothing is."""
        return self.literal(canonical_default(kind), kind)

    def coerce(self, tree: Tree, source: Type, target: Type) -> Tree:
        """The same value seen as another type: a value where something or nothing may stand, a number as a fraction."""
        if isinstance(target, Maybe) and not isinstance(source, (Maybe, Nothing)):
            return Perhaps(self.terms.true, self.coerce(tree, source, target.elem))
        if isinstance(target, Frac) and isinstance(tree, Term):
            return Ratio(self.terms.number(tree), self.terms.const(1))
        match tree, source, target:
            case Perhaps(there, inner), Maybe(a), Maybe(b) if inner is not None:
                return Perhaps(there, self.coerce(inner, a, b))
            case Items(of), MapOf(_, a), MapOf(_, b):
                return Items({k: self.coerce(v, a, b) for k, v in of.items()})
            case Items(of), Record(_, a), Record(_, b):
                return Items({n: self.coerce(of[n], x, y) for (n, x), (_, y) in zip(a, b, strict=True)})
            case Row(length, items), ListOf(a), ListOf(b):
                return Row(length, tuple(self.coerce(i, a, b) for i in items))
        return tree

    def choose(self, test: Term, yes: Tree, no: Tree) -> Tree:
        """`yes if test else no`, for trees of one type."""
        t = self.terms
        if test.op == "const":
            return yes if test.number else no
        match yes, no:
            case Term(), Term():
                return t.ite(test, yes, no)
            case Ratio(a, b), Ratio(c, d):
                return Ratio(t.ite(test, a, c), t.ite(test, b, d))
            case Members(a), Members(b):
                return Members({k: t.ite(test, a.get(k, t.false), b.get(k, t.false)) for k in _keys(a, b)})
            case Counts(a), Counts(b):
                zero = t.const(0)
                return Counts({k: t.ite(test, a.get(k, zero), b.get(k, zero)) for k in _keys(a, b)})
            case Items(a), Items(b):
                return Items({k: self.choose(test, a[k], b[k]) for k in a if k in b})
            case Row(n, a), Row(m, b):
                longest = max(len(a), len(b))
                items = tuple(
                    self.choose(test, a[i], b[i]) if i < len(a) and i < len(b) else (a if i < len(a) else b)[i]
                    for i in range(longest)
                )
                return Row(t.ite(test, n, m), items)
            case Perhaps(x, a), Perhaps(y, b):
                inner = b if a is None else a if b is None else self.choose(test, a, b)
                return Perhaps(t.ite(test, x, y), inner)
        raise Unlowerable("two sides of a choice have different forms")

    def pick(self, index: Term, options: list[Tree]) -> Tree:
        """The tree at a place given by a number from 0 (which must lie within)."""
        if index.op == "const":
            return options[index.number]
        if all(isinstance(o, Term) for o in options):
            return self.terms.select(index, [o for o in options if isinstance(o, Term)])
        result = options[-1]
        for i in range(len(options) - 2, -1, -1):
            result = self.choose(self.terms.eq(index, self.terms.const(i)), options[i], result)
        return result

    def equal(self, a: Tree, b: Tree) -> Term:
        """Are the two (of one type) the same value?"""
        t = self.terms
        match a, b:
            case Term(), Term():
                return t.eq(a, b)
            case Ratio(x, y), Ratio(u, v):
                return t.eq(t.mul(x, v), t.mul(u, y))
            case Members(x), Members(y):
                return t.all(t.eq(x.get(k, t.false), y.get(k, t.false)) for k in _keys(x, y))
            case Counts(x), Counts(y):
                zero = t.const(0)
                return t.all(t.eq(x.get(k, zero), y.get(k, zero)) for k in _keys(x, y))
            case Items(x), Items(y):
                if x.keys() != y.keys():
                    return t.false
                return t.all(self.equal(x[k], y[k]) for k in x)
            case Row(n, x), Row(m, y):
                most = min(len(x), len(y))
                same = [t.any((t.le(n, t.const(i)), self.equal(x[i], y[i]))) for i in range(most)]
                return t.all([t.eq(n, m), t.le(n, t.const(most)), *same])
            case Perhaps(x, u), Perhaps(y, v):
                if u is None or v is None:
                    return t.all((t.no(x), t.no(y)))
                return t.any((t.all((t.no(x), t.no(y))), t.all((x, y, self.equal(u, v)))))
        raise Unlowerable("values of different forms are compared")

    def within(self, tree: Tree, kind: Type) -> Term:
        """Does the value lie within the type's range?"""
        t = self.terms
        match tree, kind:
            case Term(), Int(lo, hi):
                low = t.true if lo is None else t.le(t.const(lo), tree)
                return t.all((low, t.true if hi is None else t.le(tree, t.const(hi))))
            case Term(), Enum(_, values, family):
                codes = sorted(family.index(v) for v in values)
                if codes == list(range(codes[0], codes[-1] + 1)):
                    return t.all((t.le(t.const(codes[0]), tree), t.le(tree, t.const(codes[-1]))))
                return t.any(t.eq(tree, t.const(c)) for c in codes)
            case Members(of), SetOf(elem):
                return t.all(t.no(m) for k, m in of.items() if not ty.contains(elem, k))
            case Counts(of), BagOf(elem, limit):
                zero = t.const(0)
                parts = [t.le(zero, n) if ty.contains(elem, k) else t.eq(n, zero) for k, n in of.items()]
                if limit is not None:
                    parts.append(t.le(t.total(of.values()), t.const(limit)))
                return t.all(parts)
            case Items(of), MapOf(_, inner):
                return t.all(self.within(v, inner) for v in of.values())
            case Items(of), Record(_, fields):
                return t.all(self.within(of[n], f) for n, f in fields)
            case Row(length, items), ListOf(elem, limit):
                inside = [t.any((t.le(length, t.const(i)), self.within(x, elem))) for i, x in enumerate(items)]
                return t.all([t.le(length, t.const(limit)), *inside])
            case Perhaps(there, inner), Maybe(elem):
                return t.true if inner is None else t.any((t.no(there), self.within(inner, elem)))
        return t.true

    def tidy(self, tree: Tree, kind: Type) -> Tree:
        """The one tree for each value of a stored type: blanks where nothing is, every key present."""
        t = self.terms
        match tree, kind:
            case Perhaps(there, inner), Maybe(elem):
                blank = self.blank(elem)
                return Perhaps(there, blank if inner is None else self.choose(there, self.tidy(inner, elem), blank))
            case Members(of), SetOf(elem):
                return Members({k: of.get(k, t.false) for k in ty.domain(elem)})
            case Counts(of), BagOf(elem):
                return Counts({k: of.get(k, t.const(0)) for k in ty.domain(elem)})
            case Items(of), MapOf(_, inner):
                return Items({k: self.tidy(v, inner) for k, v in of.items()})
            case Items(of), Record(_, fields):
                return Items({n: self.tidy(of[n], f) for n, f in fields})
            case Row(length, items), ListOf(elem, limit):
                blank = self.blank(elem)
                kept = [
                    self.choose(t.lt(t.const(i), length), self.tidy(items[i], elem), blank) if i < len(items) else blank
                    for i in range(limit)
                ]
                return Row(length, tuple(kept))
        return tree


def _keys(a: dict[Value, Term], b: dict[Value, Term]) -> list[Value]:
    return [*a, *(k for k in b if k not in a)]


def canonical_default(kind: Type) -> Value:
    """A value to fill places with; every name of a bag counted."""
    return ty.default(kind)


def leaves(kind: Type) -> list[tuple[tuple[object, ...], int, int, bool]]:
    """The flat slots of a stored type: path, lowest and highest number, and whether it is a truth value."""
    match kind:
        case Bool():
            return [((), 0, 1, True)]
        case Int(lo, hi):
            if lo is None or hi is None:
                raise Unlowerable("a number without bounds cannot be kept")
            return [((), lo, hi, False)]
        case Enum(_, values, family):
            codes = [family.index(v) for v in values]
            return [((), min(codes), max(codes), False)]
        case SetOf(elem):
            return [((v,), 0, 1, True) for v in ty.domain(elem)]
        case BagOf(elem, limit):
            return [((v,), 0, limit or 0, False) for v in ty.domain(elem)]
        case MapOf(key, inner):
            return [((v, *path), lo, hi, b) for v in ty.domain(key) for path, lo, hi, b in leaves(inner)]
        case Record(_, fields):
            return [((n, *path), lo, hi, b) for n, f in fields for path, lo, hi, b in leaves(f)]
        case ListOf(elem, limit):
            inner_leaves = leaves(elem)
            return [(("length",), 0, limit, False)] + [
                ((i, *path), lo, hi, b) for i in range(limit) for path, lo, hi, b in inner_leaves
            ]
        case Maybe(elem):
            return [(("there",), 0, 1, True)] + [(("value", *path), lo, hi, b) for path, lo, hi, b in leaves(elem)]
        case Nothing():
            return []
    raise Unlowerable(f"{ty.show(kind)} cannot be kept")


def gather(kind: Type, take: dict[tuple[object, ...], Term]) -> Tree:
    """The tree of a stored type from the terms of its slots."""
    match kind:
        case Bool() | Int() | Enum():
            return take[()]
        case SetOf(elem):
            return Members({v: take[(v,)] for v in ty.domain(elem)})
        case BagOf(elem):
            return Counts({v: take[(v,)] for v in ty.domain(elem)})
        case MapOf(key, inner):
            return Items({v: gather(inner, _below(take, v)) for v in ty.domain(key)})
        case Record(_, fields):
            return Items({n: gather(f, _below(take, n)) for n, f in fields})
        case ListOf(elem, limit):
            return Row(take[("length",)], tuple(gather(elem, _below(take, i)) for i in range(limit)))
        case Maybe(elem):
            return Perhaps(take[("there",)], gather(elem, _below(take, "value")))
    raise Unlowerable(f"{ty.show(kind)} cannot be kept")


def _below(take: dict[tuple[object, ...], Term], key: object) -> dict[tuple[object, ...], Term]:
    return {p[1:]: t for p, t in take.items() if p and p[0] == key and type(p[0]) is type(key)}


def scatter(tree: Tree, kind: Type) -> list[Term]:
    """The terms of the slots of a tidy tree, in the order of `leaves`."""
    match tree:
        case Term():
            return [tree]
        case Members(of) | Counts(of):
            assert isinstance(kind, (SetOf, BagOf))
            return [of[v] for v in ty.domain(kind.elem)]
        case Items(of):
            if isinstance(kind, MapOf):
                return [t for v in ty.domain(kind.key) for t in scatter(of[v], kind.value)]
            assert isinstance(kind, Record)
            return [t for n, f in kind.fields for t in scatter(of[n], f)]
        case Row(length, items):
            assert isinstance(kind, ListOf)
            return [length, *(t for i in items for t in scatter(i, kind.elem))]
        case Perhaps(there, inner):
            assert isinstance(kind, Maybe)
            assert inner is not None
            return [there, *scatter(inner, kind.elem)]
    raise Unlowerable("a fraction cannot be kept")


def numbers(value: Value, kind: Type) -> list[int]:
    """The numbers of the slots for a value, in the order of `leaves`."""
    match kind:
        case Bool() | Int() | Enum():
            return [code(value, kind)]
        case SetOf(elem):
            return [int(v in value) for v in ty.domain(elem)]
        case BagOf(elem):
            return [value.get(v, 0) for v in ty.domain(elem)]
        case MapOf(key, inner):
            return [n for v in ty.domain(key) for n in numbers(value[v], inner)]
        case Record(_, fields):
            return [n for name, f in fields for n in numbers(value[name], f)]
        case ListOf(elem, limit):
            blank = numbers(canonical_default(elem), elem)
            return [len(value), *(n for i in range(limit) for n in (numbers(value[i], elem) if i < len(value) else blank))]
        case Maybe(elem):
            return [0, *numbers(canonical_default(elem), elem)] if value is None else [1, *numbers(value, elem)]
    return []


def read_back(kind: Type, take: list[int], at: int = 0) -> tuple[Value, int]:
    """The value that the slots' numbers stand for, and the place after it."""
    match kind:
        case Bool():
            return bool(take[at]), at + 1
        case Int():
            return take[at], at + 1
        case Enum(_, _, family):
            return family[take[at]], at + 1
        case SetOf(elem):
            members = list(ty.domain(elem))
            return frozenset(v for i, v in enumerate(members) if take[at + i]), at + len(members)
        case BagOf(elem):
            members = list(ty.domain(elem))
            return Map([(v, take[at + i]) for i, v in enumerate(members)]), at + len(members)
        case MapOf(key, inner):
            found = []
            for v in ty.domain(key):
                item, at = read_back(inner, take, at)
                found.append((v, item))
            return Map(found), at
        case Record(_, fields):
            found = []
            for n, f in fields:
                item, at = read_back(f, take, at)
                found.append((n, item))
            return Map(found), at
        case ListOf(elem, limit):
            length, at = take[at], at + 1
            row = []
            for _ in range(limit):
                item, at = read_back(elem, take, at)
                row.append(item)
            return tuple(row[:length]), at
        case Maybe(elem):
            there = take[at]
            item, at = read_back(elem, take, at + 1)
            return (item if there else None), at
    return None, at
