"""The types of the rule language: all finite once players and options are known.

Bounds of an `Int` may be unknown (`None`) in the middle of a formula, never in a stored variable.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from tablelaw.spec.grid import Cell, Edge, Part
from tablelaw.spec.layouts import Feature, Layout
from tablelaw.spec.pieces import Pieces
from tablelaw.spec.values import Map, Value


@dataclass(frozen=True, slots=True)
class Type:
    """Base of all types."""


@dataclass(frozen=True, slots=True)
class Bool(Type):
    """True or false."""


@dataclass(frozen=True, slots=True)
class Int(Type):
    """A whole number, within bounds where they are known; `Player` is one with its own name."""

    lo: int | None = None
    hi: int | None = None
    name: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Frac(Type):
    """An exact fraction; formulas may hold one, variables may not."""


@dataclass(frozen=True, slots=True)
class Enum(Type):
    """Some names of a family; types of one family share their names and may be compared."""

    name: str = field(compare=False)
    values: tuple[str, ...]
    family: tuple[str, ...] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Nothing(Type):
    """The type of `none`, and of the elements of an empty set."""


@dataclass(frozen=True, slots=True)
class Unknown(Type):
    """The type of what has been reported already; it fits everywhere, so that one fault is told once."""


@dataclass(frozen=True, slots=True)
class SetOf(Type):
    """A set of elements."""

    elem: Type


@dataclass(frozen=True, slots=True)
class BagOf(Type):
    """A multiset of at most `limit` elements (`None`: not known)."""

    elem: Type
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class ListOf(Type):
    """A list of at most `limit` elements."""

    elem: Type
    limit: int


@dataclass(frozen=True, slots=True)
class MapOf(Type):
    """A value for each key."""

    key: Type
    value: Type


@dataclass(frozen=True, slots=True)
class Maybe(Type):
    """A value, or nothing."""

    elem: Type


@dataclass(frozen=True, slots=True)
class Record(Type):
    """Named fields."""

    name: str = field(compare=False)
    fields: tuple[tuple[str, Type], ...]

    def field_type(self, name: str) -> Type | None:
        return next((t for n, t in self.fields if n == name), None)


@dataclass(frozen=True, slots=True)
class CellType(Type):
    """A square of the grid, within the box that the layouts of the game can reach."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def fields(self) -> tuple[tuple[str, Type], ...]:
        return (("x", Int(self.left, self.right)), ("y", Int(self.top, self.bottom)))


@dataclass(frozen=True, slots=True)
class EdgeType(Type):
    """A side of a square."""

    cell: CellType
    side: Enum

    @property
    def fields(self) -> tuple[tuple[str, Type], ...]:
        return (("cell", self.cell), ("side", self.side))


@dataclass(frozen=True, slots=True)
class PartType(Type):
    """A part of a laid piece; one read from a table (`seen`, of some pieces) has attributes besides."""

    cell: CellType
    kinds: Enum
    sides: Enum
    seen: Pieces | None = field(default=None, compare=False)

    @property
    def fields(self) -> tuple[tuple[str, Type], ...]:
        return (("cell", self.cell), ("kind", self.kinds), ("side", Maybe(self.sides)))


@dataclass(frozen=True, slots=True)
class LayoutType(Type):
    """Pieces laid on a free grid (`width` None), at most `limit`, or on a bordered board."""

    faces: Enum
    limit: int
    width: int | None = None
    height: int | None = None
    pieces: Pieces | None = field(default=None, compare=False, repr=False)
    cell: CellType = field(default=CellType(0, 0, 0, 0), compare=False, repr=False)

    @property
    def elem(self) -> Type:
        """A `for` walks over the squares where pieces lie."""
        return self.cell

    def empty(self) -> Layout:
        assert self.pieces is not None
        return Layout(self.pieces, self.limit, self.width, self.height)


@dataclass(frozen=True, slots=True)
class LaidType(Type):
    """The piece on a square of a layout."""

    layout: LayoutType


@dataclass(frozen=True, slots=True)
class FeatureType(Type):
    """Parts of a kind joined through touching sides; computed, never stored."""

    layout: LayoutType


NAMED = (CellType, EdgeType, PartType)
"""Types with named fields and values of their own class."""


def made(kind: Type, values: list[Value]) -> Value:
    """The value of a type with named fields, from the values of its fields in order."""
    match kind:
        case CellType():
            return Cell(*values)
        case EdgeType():
            return Edge(*values)
        case PartType():
            return Part(*values)
        case Record(_, fields):
            return Map([(n, v) for (n, _), v in zip(fields, values, strict=True)])
    raise TypeError(kind)


def taken(value: Value, name: str) -> Value:
    """A named field of a value."""
    if isinstance(value, Map):
        return value[name]
    return getattr(value, name) if isinstance(value, (Cell, Edge)) else value.read(name)


BOOL = Bool()
INT = Int()
FRAC = Frac()
NOTHING = Nothing()
UNKNOWN = Unknown()

_LARGEST_COUNT = 4096
"""Counts of more bits than this are given up as "no bound"."""


def show(t: Type) -> str:
    """The type in the words of a rules file."""
    match t:
        case Bool():
            return "bool"
        case Int(lo, hi, name):
            if name:
                return name
            if lo is None or hi is None:
                return "a number"
            return str(lo) if lo == hi else f"{lo}..{hi}"
        case Frac():
            return "a fraction"
        case Enum(name, values):
            return name or "[" + ", ".join(values) + "]"
        case Nothing():
            return "none"
        case SetOf(elem):
            return f"set[{show(elem)}]"
        case BagOf(elem, limit):
            return f"bag[{show(elem)}]" if limit is None else f"bag[{show(elem)}, {limit}]"
        case ListOf(elem, limit):
            return f"list[{show(elem)}, {limit}]"
        case MapOf(key, value):
            return f"map[{show(key)}, {show(value)}]"
        case Maybe(elem):
            return f"maybe[{show(elem)}]"
        case Record(name):
            return name or "a record"
        case CellType():
            return "Cell"
        case EdgeType():
            return "Edge"
        case PartType():
            return "Part"
        case LayoutType(faces, limit, width, height):
            return f"layout[{show(faces)}, {limit if width is None else f'{width}, {height}'}]"
        case LaidType():
            return "a laid piece"
        case FeatureType():
            return "Feature"
    return "a value"


def told(t: Type) -> str:
    """The type in a sentence: in backticks where it is the author's text."""
    shown = show(t)
    return shown if shown in ("a number", "a fraction", "a value", "a record", "a laid piece", "none") else f"`{shown}`"


def join(a: Type, b: Type) -> Type | None:
    """The smallest type that holds the values of both, or None when they cannot be compared."""
    if isinstance(a, PartType) and isinstance(b, PartType):
        return a if a.seen is not None and a.seen is b.seen else PartType(a.cell, a.kinds, a.sides)
    if a == b:
        return a
    if isinstance(a, Unknown) or isinstance(b, Unknown):
        return UNKNOWN
    match a, b:
        case Int(), Int():
            lo = None if a.lo is None or b.lo is None else min(a.lo, b.lo)
            hi = None if a.hi is None or b.hi is None else max(a.hi, b.hi)
            return Int(lo, hi)
        case ((Int() | Frac()), (Int() | Frac())):
            return FRAC
        case Enum(), Enum():
            if a.family != b.family:
                return None
            both = set(a.values) | set(b.values)
            bigger = a if len(a.values) >= len(b.values) else b
            if both == set(bigger.values):
                return bigger
            return Enum("", tuple(v for v in a.family if v in both), a.family)
        case Nothing(), Maybe():
            return b
        case Maybe(), Nothing():
            return a
        case Nothing(), _:
            return Maybe(b)
        case _, Nothing():
            return Maybe(a)
        case Maybe(x), Maybe(y):
            inner = join(x, y)
            return None if inner is None else Maybe(inner)
        case Maybe(x), y:
            inner = join(x, y)
            return None if inner is None else Maybe(inner)
        case x, Maybe(y):
            inner = join(x, y)
            return None if inner is None else Maybe(inner)
        case SetOf(x), SetOf(y):
            elem = _elem(x, y)
            return None if elem is None else SetOf(elem)
        case BagOf(x, m), BagOf(y, n):
            elem = _elem(x, y)
            return None if elem is None else BagOf(elem, None if m is None or n is None else max(m, n))
        case ListOf(x, m), ListOf(y, n):
            elem = _elem(x, y)
            return None if elem is None else ListOf(elem, max(m, n))
        case MapOf(k, x), MapOf(j, y):
            key, value = join(k, j), join(x, y)
            return None if key is None or value is None else MapOf(key, value)
        case Record(), Record():
            if [n for n, _ in a.fields] != [n for n, _ in b.fields]:
                return None
            parts = [(n, join(x, y)) for (n, x), (_, y) in zip(a.fields, b.fields, strict=True)]
            if any(t is None for _, t in parts):
                return None
            return Record(a.name, tuple((n, t) for n, t in parts if t is not None))
    return None


def _elem(x: Type, y: Type) -> Type | None:
    if isinstance(x, Nothing):
        return y
    if isinstance(y, Nothing):
        return x
    return join(x, y)


def fits(value: Type, target: Type) -> bool:
    """May a value of the one type be stored in the other (its range is looked at in play)?"""
    match value, target:
        case (Unknown(), _) | (_, Unknown()):
            return True
        case Int(), Int():
            return True
        case Enum(), Enum():
            return value.family == target.family
        case Nothing(), Maybe():
            return True
        case Maybe(x), Maybe(y):
            return fits(x, y)
        case x, Maybe(y):
            return fits(x, y)
        case (SetOf(x), SetOf(y)) | (BagOf(x, _), BagOf(y, _)) | (ListOf(x, _), ListOf(y, _)):
            return isinstance(x, Nothing) or fits(x, y)
        case MapOf(k, x), MapOf(j, y):
            return fits(k, j) and fits(x, y)
        case Record(), Record():
            return [n for n, _ in value.fields] == [n for n, _ in target.fields] and all(
                fits(x, y) for (_, x), (_, y) in zip(value.fields, target.fields, strict=True)
            )
        case LayoutType(), LayoutType():
            return value.faces == target.faces and (value.width, value.height) == (target.width, target.height)
        case FeatureType(a), FeatureType(b):
            return a.faces == b.faces
    return value == target


def contains(t: Type, value: Value) -> bool:
    """Is the value one of the type's (the exact meaning of a range)?"""
    match t:
        case Bool():
            return isinstance(value, bool)
        case Int(lo, hi):
            if isinstance(value, bool) or not isinstance(value, int):
                return False
            return (lo is None or lo <= value) and (hi is None or value <= hi)
        case Enum(_, values):
            return value in values
        case SetOf(elem):
            return isinstance(value, frozenset) and all(contains(elem, v) for v in value)
        case BagOf(elem, limit):
            if not isinstance(value, Map) or any(n < 0 for n in value.values()):
                return False
            held = [k for k, n in value.items() if n]
            return all(contains(elem, k) for k in held) and (limit is None or sum(value.values()) <= limit)
        case ListOf(elem, limit):
            return isinstance(value, tuple) and len(value) <= limit and all(contains(elem, v) for v in value)
        case MapOf(_, item):
            return isinstance(value, Map) and all(contains(item, v) for v in value.values())
        case Maybe(elem):
            return value is None or contains(elem, value)
        case Nothing():
            return value is None
        case Record(_, fields):
            return isinstance(value, Map) and all(contains(f, value[n]) for n, f in fields)
        case CellType():
            return isinstance(value, Cell) and t.left <= value.x <= t.right and t.top <= value.y <= t.bottom
        case EdgeType():
            return isinstance(value, Edge) and contains(t.cell, value.cell) and value.side in t.side.values
        case PartType():
            known = isinstance(value, Part) and contains(t.cell, value.cell) and value.kind in t.kinds.values
            return known and (value.side is None or value.side in t.sides.values)
        case LayoutType(_, limit):
            return isinstance(value, Layout) and len(value) <= limit and all(contains(t.cell, c) for c in value.cells)
        case FeatureType():
            return isinstance(value, Feature)
    return True


def cardinality(t: Type) -> int | None:
    """How many values the type has; None when there is no bound."""
    match t:
        case Bool():
            return 2
        case Int(lo, hi):
            return None if lo is None or hi is None else max(0, hi - lo + 1)
        case Enum(_, values):
            return len(values)
        case Nothing():
            return 1
        case Maybe(elem):
            n = cardinality(elem)
            return None if n is None else n + 1
        case SetOf(elem):
            n = cardinality(elem)
            return None if n is None or n > 64 else 2**n
        case Record(_, fields):
            total = 1
            for _, f in fields:
                n = cardinality(f)
                if n is None or total.bit_length() + n.bit_length() > _LARGEST_COUNT:
                    return None
                total *= n
            return total
        case MapOf(key, value):
            k, v = cardinality(key), cardinality(value)
            return None if k is None or v is None or k * v.bit_length() > _LARGEST_COUNT else v**k
        case BagOf(elem, limit):
            n = cardinality(elem)
            return None if n is None or limit is None or min(n, limit) > 512 else math.comb(n + limit, min(n, limit))
        case ListOf(elem, limit):
            n = cardinality(elem)
            return None if n is None or limit * max(1, n).bit_length() > _LARGEST_COUNT else sum(n**i for i in range(limit + 1))
        case CellType(left, top, right, bottom):
            return (right - left + 1) * (bottom - top + 1)
        case EdgeType(cell):
            return 4 * (cardinality(cell) or 0)
        case PartType(cell, kinds, sides):
            return (cardinality(cell) or 0) * len(kinds.values) * (len(sides.values) + 1)
    return None


def placed(t: Type) -> bool:
    """Does a value of the type hold a place of the grid? Bags of such keep what occurs alone, not a count for each name."""
    match t:
        case CellType() | EdgeType() | PartType() | LayoutType() | LaidType() | FeatureType():
            return True
        case Maybe(elem) | SetOf(elem) | ListOf(elem, _) | BagOf(elem, _):
            return placed(elem)
        case MapOf(key, value):
            return placed(key) or placed(value)
        case Record(_, fields):
            return any(placed(f) for _, f in fields)
    return False


MOST_PLACED = 256
"""How many elements a set of places is taken to have, when what a position is made of is reckoned."""


def places(t: Type) -> tuple[int, int]:
    """How many single values one value of the type is made of at most, and how deep it is nested."""
    match t:
        case SetOf(elem) | BagOf(elem, _) if placed(elem):
            n, deep = places(elem)
            limit = t.limit if isinstance(t, BagOf) and t.limit is not None else MOST_PLACED
            return 1 + (n + 1) * limit, deep + 1
        case Maybe(elem):
            n, deep = places(elem)
            return n + 1, deep + 1
        case SetOf(elem) | BagOf(elem, _):
            return max(1, cardinality(elem) or 1), places(elem)[1] + 1
        case ListOf(elem, limit):
            n, deep = places(elem)
            return 1 + n * limit, deep + 1
        case MapOf(key, value):
            n, deep = places(value)
            return n * max(1, cardinality(key) or 1), deep + 1
        case Record(_, fields):
            parts = [places(f) for _, f in fields]
            return sum(n for n, _ in parts), 1 + max((d for _, d in parts), default=0)
        case CellType():
            return 2, 1
        case EdgeType():
            return 3, 2
        case PartType():
            return 5, 2
        case LayoutType(_, limit):
            return 1 + 4 * limit, 2
    return 1, 1


def domain(t: Type) -> Iterator[Value]:
    """Every value of a finite type, in declared order."""
    match t:
        case Bool():
            yield from (False, True)
        case Int(lo, hi):
            if lo is None or hi is None:
                raise ValueError("a number without bounds has no finite domain")
            yield from range(lo, hi + 1)
        case Enum(_, values):
            yield from values
        case Nothing():
            yield None
        case Maybe(elem):
            yield None
            yield from domain(elem)
        case SetOf(elem):
            members = list(domain(elem))
            for n in range(len(members) + 1):
                for chosen in itertools.combinations(members, n):
                    yield frozenset(chosen)
        case Record(_, fields):
            names = [n for n, _ in fields]
            for values in itertools.product(*(list(domain(f)) for _, f in fields)):
                yield Map(list(zip(names, values, strict=True)))
        case MapOf(key, value):
            keys = list(domain(key))
            for values in itertools.product(list(domain(value)), repeat=len(keys)):
                yield Map(list(zip(keys, values, strict=True)))
        case BagOf(elem, limit):
            yield from bags(list(domain(elem)), limit or 0)
        case ListOf(elem, limit):
            members = list(domain(elem))
            for n in range(limit + 1):
                yield from itertools.product(members, repeat=n)
        case CellType(left, top, right, bottom):
            yield from (Cell(x, y) for y in range(top, bottom + 1) for x in range(left, right + 1))
        case EdgeType(cell, side):
            yield from (Edge(c, s) for c in domain(cell) for s in side.values)
        case PartType(cell, kinds, sides):
            yield from (Part(c, k, s) for c in domain(cell) for k in kinds.values for s in (None, *sides.values))


def bags(keys: list[Value], limit: int, exactly: bool = False) -> Iterator[Map]:
    """Every bag of at most (or exactly) `limit` copies of the keys."""
    for counts in _counts(len(keys), limit, exactly):
        yield Map(list(zip(keys, counts, strict=True)))


def _counts(places: int, limit: int, exactly: bool) -> Iterator[tuple[int, ...]]:
    if places == 0:
        if not exactly or limit == 0:
            yield ()
        return
    for first in range(limit, -1, -1) if exactly else range(limit + 1):
        for rest in _counts(places - 1, limit - first, exactly):
            yield (first, *rest)


def default(t: Type) -> Value:
    """The value that an attribute or a field left out has: 0, false, none, the first name, empty."""
    match t:
        case Bool():
            return False
        case Int(lo, hi):
            return 0 if (lo is None or lo <= 0) and (hi is None or hi >= 0) else lo
        case Enum(_, values):
            return values[0]
        case SetOf():
            return frozenset()
        case BagOf(elem):
            return Map() if placed(elem) else Map([(k, 0) for k in domain(elem)])
        case ListOf():
            return ()
        case MapOf(key, value):
            return Map([(k, default(value)) for k in domain(key)])
        case Record(_, fields):
            return Map([(n, default(f)) for n, f in fields])
        case CellType():
            return Cell(0, 0)
        case EdgeType():
            return Edge(Cell(0, 0), t.side.values[0])
        case PartType():
            return Part(Cell(0, 0), t.kinds.values[0], None)
        case LayoutType():
            return t.empty()
    return None
