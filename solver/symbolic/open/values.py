"""Values of the rule language as z3 terms: scalars, what is made of them, and places on a board.

Numbers and names are whole numbers (a name its place in its family). A value that has no finite form here is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import z3

from tablelaw.solver.shapes import Unlowerable
from tablelaw.spec import types as ty
from tablelaw.spec.board_types import FAMILY
from tablelaw.spec.grid import Cell, Edge, Part
from tablelaw.spec.types import (
    BagOf,
    Bool,
    CellType,
    EdgeType,
    Enum,
    FeatureType,
    Int,
    LayoutType,
    ListOf,
    MapOf,
    Maybe,
    Nothing,
    PartType,
    Record,
    SetOf,
    Type,
)
from tablelaw.spec.values import Value

Term = Any
Bound = tuple[list[Term], Any, Term]
"""Names that stand for any value, the value, and that it is one of those meant."""
SMALL = 64
"""Up to so many values of a type are told one by one."""

LAYOUT = z3.DeclareSort("Layout")
FEATURE = z3.DeclareSort("Feature")
TRUE, FALSE = z3.BoolVal(True), z3.BoolVal(False)
NO_SIDE = -1


@dataclass(frozen=True, slots=True, eq=False)
class CellV:
    x: Term
    y: Term


@dataclass(frozen=True, slots=True, eq=False)
class EdgeV:
    cell: CellV
    side: Term


@dataclass(frozen=True, slots=True, eq=False)
class PartV:
    """A part by its square, kind and side (-1: none); `origin` is the layout that it was read from."""

    cell: CellV
    kind: Term
    side: Term
    origin: Term = None

    @property
    def key(self) -> tuple[Term, ...]:
        return (self.cell.x, self.cell.y, self.kind, self.side)


@dataclass(frozen=True, slots=True, eq=False)
class LayoutV:
    term: Term
    type: LayoutType


@dataclass(frozen=True, slots=True, eq=False)
class LaidV:
    layout: LayoutV
    cell: CellV


@dataclass(frozen=True, slots=True, eq=False)
class FeatureV:
    term: Term
    type: LayoutType


@dataclass(frozen=True, slots=True, eq=False)
class MaybeV:
    present: Term
    inner: Any


@dataclass(frozen=True, slots=True, eq=False)
class RecordV:
    fields: dict[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class MapV:
    """A value for each key, in order."""

    items: dict[Value, Any]


@dataclass(frozen=True, slots=True, eq=False)
class BagV:
    """A count for each element."""

    counts: dict[Value, Term]


@dataclass(frozen=True, slots=True, eq=False)
class HeapV:
    """A bag of a large type: a term of which only counts and sums are known."""

    term: Term
    type: BagOf


@dataclass(frozen=True, slots=True, eq=False)
class SetV:
    """A set by its test; `listed` are all that may be in it, each with its condition.

    `bind` opens names for any one of it, in cases.
    """

    elem: Type
    member: Callable[[Any], Term]
    listed: list[tuple[Any, Term]] | None = None
    bind: Callable[[], Iterator[Bound]] | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ListV:
    """A list known before play."""

    elem: Type
    items: tuple[Any, ...]


@dataclass(frozen=True, slots=True, eq=False)
class NoneV:
    """Nothing, of no type yet."""


@dataclass(frozen=True, slots=True, eq=False)
class OpaqueV:
    """A value of which nothing is known, and nothing can be asked."""


# terms, folded where they are plain


def is_true(t: Term) -> bool:
    """Is it the term `true`? (z3 makes each term once, so that its place tells it; this is asked very often.)"""
    return bool(t.ast.value == TRUE.ast.value)


def is_false(t: Term) -> bool:
    """Is it the term `false`?"""
    return bool(t.ast.value == FALSE.ast.value)


def both(parts: list[Term]) -> Term:
    kept = [p for p in parts if not is_true(p)]
    if any(is_false(p) for p in kept):
        return FALSE
    return TRUE if not kept else kept[0] if len(kept) == 1 else z3.And(*kept)


def either(parts: list[Term]) -> Term:
    kept = [p for p in parts if not is_false(p)]
    if any(is_true(p) for p in kept):
        return TRUE
    return FALSE if not kept else kept[0] if len(kept) == 1 else z3.Or(*kept)


def no(p: Term) -> Term:
    if is_true(p):
        return FALSE
    return TRUE if is_false(p) else z3.Not(p)


def equal(a: Term, b: Term) -> Term:
    if a.ast.value == b.ast.value:
        return TRUE
    if z3.is_int_value(a) and z3.is_int_value(b):
        return z3.BoolVal(a.as_long() == b.as_long())
    if is_true(a):
        return b
    if is_true(b):
        return a
    if is_false(a):
        return no(b)
    if is_false(b):
        return no(a)
    return a == b


def pick(c: Term, a: Term, b: Term) -> Term:
    if is_true(c) or a.ast.value == b.ast.value:
        return a
    return b if is_false(c) else z3.If(c, a, b)


def every(names: list[Term], law: Term, patterns: list[Term]) -> Term:
    """The law of all values of these names, used where a term of a pattern occurs."""
    if not names:
        return law
    plain = [p for p in patterns if _plain(p)]
    return z3.ForAll(names, law, patterns=plain) if plain else z3.ForAll(names, law)


def _plain(t: Term) -> bool:
    """May the term be a pattern: no cases, and nothing about numbers or truth, but in what it is applied to?"""
    if isinstance(t, z3.PatternRef):
        return all(_plain(t.arg(i)) for i in range(t.num_args()))
    if z3.is_quantifier(t) or z3.is_var(t):
        return not z3.is_quantifier(t)
    kind = t.decl().kind()
    logical = z3.is_bool(t) and kind != z3.Z3_OP_UNINTERPRETED
    return kind != z3.Z3_OP_ITE and not logical and all(_plain(c) for c in t.children())


@lru_cache(maxsize=4096)
def number(n: int) -> Term:
    return z3.IntVal(n)


def heap_sort(t: BagOf) -> Any:
    return z3.DeclareSort(f"Bag of {leaves_named(t.elem)}")


def leaves_named(t: Type) -> str:
    match t:
        case Record(name, fields):
            return f"{name}({', '.join(f'{n}: {leaves_named(f)}' for n, f in fields)})"
        case Maybe(elem):
            return f"maybe {leaves_named(elem)}"
    return ty.show(t)


def small(t: Type) -> bool:
    """Are the values of the type told one by one?"""
    if isinstance(t, (CellType, EdgeType, PartType, FeatureType, LayoutType)) or _of_board(t):
        return False
    n = ty.cardinality(t)
    return n is not None and n <= SMALL


def _of_board(t: Type) -> bool:
    match t:
        case CellType() | EdgeType() | PartType() | FeatureType() | LayoutType():
            return True
        case Maybe(elem) | SetOf(elem) | BagOf(elem, _) | ListOf(elem, _):
            return _of_board(elem)
        case MapOf(k, v):
            return _of_board(k) or _of_board(v)
        case Record(_, fields):
            return any(_of_board(f) for _, f in fields)
    return False


# between values and rows of terms


def sorts(t: Type) -> list[Any]:
    """The sorts of the terms that one value of the type is made of."""
    i, b = z3.IntSort(), z3.BoolSort()
    match t:
        case Bool():
            return [b]
        case Int() | Enum():
            return [i]
        case Nothing():
            return []
        case CellType():
            return [i, i]
        case EdgeType():
            return [i, i, i]
        case PartType():
            return [i, i, i, i]
        case LayoutType():
            return [LAYOUT]
        case FeatureType():
            return [FEATURE]
        case Maybe(elem):
            return [b, *sorts(elem)]
        case Record(_, fields):
            return [s for _, f in fields for s in sorts(f)]
        case MapOf(key, value) if small(key):
            return sorts(value) * (ty.cardinality(key) or 0)
        case BagOf(elem, _):
            return [i] * (ty.cardinality(elem) or 0) if small(elem) else [heap_sort(t)]
        case SetOf(elem) if small(elem):
            return [b] * (ty.cardinality(elem) or 0)
    raise Unlowerable(f"values of the type `{ty.show(t)}` are not told with the board left open")


def pack(t: Type, terms: list[Term]) -> Any:
    """The value of the type that a row of terms tells."""
    rest = list(terms)
    found = _pack(t, rest)
    assert not rest
    return found


def _pack(t: Type, rest: list[Term]) -> Any:
    match t:
        case Bool() | Int() | Enum():
            return rest.pop(0)
        case Nothing():
            return NoneV()
        case CellType():
            return CellV(rest.pop(0), rest.pop(0))
        case EdgeType():
            return EdgeV(CellV(rest.pop(0), rest.pop(0)), rest.pop(0))
        case PartType():
            return PartV(CellV(rest.pop(0), rest.pop(0)), rest.pop(0), rest.pop(0))
        case LayoutType():
            return LayoutV(rest.pop(0), t)
        case FeatureType(layout):
            return FeatureV(rest.pop(0), layout)
        case Maybe(elem):
            return MaybeV(rest.pop(0), _pack(elem, rest))
        case Record(_, fields):
            return RecordV({n: _pack(f, rest) for n, f in fields})
        case MapOf(key, value):
            return MapV({k: _pack(value, rest) for k in ty.domain(key)})
        case BagOf(elem, _):
            return BagV({k: rest.pop(0) for k in ty.domain(elem)}) if small(elem) else HeapV(rest.pop(0), t)
        case SetOf(elem):
            return listed_set(elem, [(constant(elem, k), rest.pop(0)) for k in ty.domain(elem)])
    raise Unlowerable(f"values of the type `{ty.show(t)}` are not told with the board left open")


def flat(v: Any, t: Type) -> list[Term]:
    """The row of terms of a value; an absent value has one form."""
    v = fitted(v, t)
    match t:
        case Bool() | Int() | Enum():
            return [v]
        case Nothing():
            return []
        case CellType():
            return [v.x, v.y]
        case EdgeType():
            return [v.cell.x, v.cell.y, v.side]
        case PartType():
            return list(v.key)
        case LayoutType() | FeatureType():
            return [v.term]
        case Maybe(elem):
            none = flat(initial(elem), elem)
            return [v.present, *(pick(v.present, a, b) for a, b in zip(flat(v.inner, elem), none, strict=True))]
        case Record(_, fields):
            return [x for n, f in fields for x in flat(v.fields[n], f)]
        case MapOf(_, value):
            return [x for item in v.items.values() for x in flat(item, value)]
        case BagOf(elem, _):
            return list(v.counts.values()) if small(elem) else [v.term]
        case SetOf(elem) if small(elem):
            return [v.member(constant(elem, k)) for k in ty.domain(elem)]
    raise Unlowerable(f"values of the type `{ty.show(t)}` are not told with the board left open")


def initial(t: Type) -> Any:
    """Some value of the type, always the same."""
    return pack(t, [_some(s) for s in sorts(t)])


def _some(sort: Any) -> Term:
    if sort == z3.IntSort():
        return number(0)
    return FALSE if sort == z3.BoolSort() else z3.Const(f"some {sort}", sort)


def listed_set(elem: Type, listed: list[tuple[Any, Term]]) -> SetV:
    """A set by its elements with their conditions."""

    def member(v: Any) -> Term:
        return either([both([c, same(v, x, elem)]) for x, c in listed])

    return SetV(elem, member, listed)


def fitted(v: Any, t: Type) -> Any:
    """A value as one of the type: given where it may be none, taken where it is wanted."""
    if isinstance(t, Maybe):
        if isinstance(v, NoneV):
            return MaybeV(FALSE, initial(t.elem))
        if isinstance(v, MaybeV):
            return MaybeV(v.present, fitted(v.inner, t.elem))
        return MaybeV(TRUE, fitted(v, t.elem))
    if isinstance(t, Nothing):
        return NoneV()
    if isinstance(v, NoneV):
        return initial(t)
    if isinstance(v, MaybeV):
        return fitted(v.inner, t)
    if isinstance(t, BagOf) and isinstance(v, BagV) and small(t.elem):
        return BagV({k: v.counts.get(k, number(0)) for k in ty.domain(t.elem)})
    if isinstance(t, BagOf) and isinstance(v, BagV):
        if v.counts:
            raise Unlowerable("bags of places known before play are not told with the board left open")
        return HeapV(z3.Const(f"empty {heap_sort(t)}", heap_sort(t)), t)
    if isinstance(t, Record) and isinstance(v, RecordV):
        return RecordV({n: fitted(v.fields[n], f) for n, f in t.fields})
    if isinstance(t, MapOf) and isinstance(v, MapV):
        return MapV({k: fitted(x, t.value) for k, x in v.items.items()})
    return v


def constant(t: Type, value: Value) -> Any:
    """A value known before play."""
    if value is None:
        return fitted(NoneV(), t)
    match t:
        case Bool():
            return z3.BoolVal(bool(value))
        case Int() if isinstance(value, int):
            return number(value)
        case Enum(_, _, family):
            return number(family.index(value))
        case Maybe(elem):
            return MaybeV(TRUE, constant(elem, value))
        case CellType() if isinstance(value, Cell):
            return CellV(number(value.x), number(value.y))
        case EdgeType(cell) if isinstance(value, Edge):
            return EdgeV(constant(cell, value.cell), number(FAMILY.index(value.side)))
        case PartType(cell, kinds) if isinstance(value, Part):
            side = NO_SIDE if value.side is None else FAMILY.index(value.side)
            return PartV(constant(cell, value.cell), number(kinds.family.index(value.kind)), number(side))
        case Record(_, fields):
            return RecordV({n: constant(f, value[n]) for n, f in fields})
        case MapOf(_, inner):
            return MapV({k: constant(inner, x) for k, x in value.items()})
        case BagOf():
            return BagV({k: number(n) for k, n in value.items() if n or small(t.elem)})
        case SetOf(elem):
            return listed_set(elem, [(constant(elem, x), TRUE) for x in sorted(value, key=repr)])
        case ListOf(elem):
            return ListV(elem, tuple(constant(elem, x) for x in value))
    raise Unlowerable(f"values of the type `{ty.show(t)}` are not told with the board left open")


# what holds of values


def same(a: Any, b: Any, t: Type) -> Term:
    """Are two values equal?"""
    if isinstance(t, Nothing):
        return TRUE
    if isinstance(t, Maybe):
        a, b = fitted(a, t), fitted(b, t)
        return either([both([no(a.present), no(b.present)]), both([a.present, b.present, same(a.inner, b.inner, t.elem)])])
    if isinstance(t, (FeatureType, LayoutType)):
        raise Unlowerable(f"values of the type `{ty.show(t)}` are not compared with the board left open")
    if isinstance(t, SetOf) and not small(t.elem):
        raise Unlowerable("sets of places are not compared with the board left open")
    if isinstance(t, ListOf):
        raise Unlowerable("lists are not told with the board left open")
    if isinstance(t, Record):
        a, b = fitted(a, t), fitted(b, t)
        return both([same(a.fields[n], b.fields[n], f) for n, f in t.fields])
    if isinstance(t, BagOf) and not small(t.elem):
        x, y = flat(a, t)[0], flat(b, t)[0]
        if x.get_id() == y.get_id():
            return TRUE
        raise Unlowerable("bags of places are not compared with the board left open")
    return both([equal(x, y) for x, y in zip(flat(a, t), flat(b, t), strict=True)])


def merged(c: Term, a: Any, b: Any, t: Type) -> Any:
    """The one value where the condition holds, else the other."""
    if is_true(c) or a is b:
        return a
    if is_false(c):
        return b
    a, b = fitted(a, t), fitted(b, t)
    if isinstance(t, SetOf) and not small(t.elem):
        return _either_set(c, a, b, t.elem)
    if isinstance(t, ListOf):
        raise Unlowerable("lists are not told with the board left open")
    if isinstance(t, PartType) and a.origin is not None and b.origin is not None:
        key = [pick(c, x, y) for x, y in zip(a.key, b.key, strict=True)]
        return PartV(CellV(key[0], key[1]), key[2], key[3], pick(c, a.origin, b.origin))
    return pack(t, [pick(c, x, y) for x, y in zip(flat(a, t), flat(b, t), strict=True)])


def _either_set(c: Term, a: SetV, b: SetV, elem: Type) -> SetV:
    listed = None
    if a.listed is not None and b.listed is not None:
        listed = [*((x, both([c, k])) for x, k in a.listed), *((x, both([no(c), k])) for x, k in b.listed)]
    return SetV(elem, lambda v: pick(c, a.member(v), b.member(v)), listed)


def typed(v: Any, t: Type, kept: bool = True) -> list[Term]:
    """What holds of every value of the type; squares are within reach only where they are `kept`, not just computed."""
    match t:
        case Int(lo, hi):
            return ([] if lo is None else [v >= lo]) + ([] if hi is None else [v <= hi])
        case Enum(_, values, family):
            return _among(v, [family.index(n) for n in values])
        case Maybe(elem):
            inner = both(typed(v.inner, elem, kept))
            none = both([equal(x, y) for x, y in zip(flat(v.inner, elem), flat(initial(elem), elem), strict=True)])
            return [pick(v.present, inner, none)]
        case CellType(left, top, right, bottom):
            return [v.x >= left, v.x <= right, v.y >= top, v.y <= bottom] if kept else []
        case EdgeType(cell, side):
            return [*typed(v.cell, cell, kept), *typed(v.side, side)]
        case PartType(cell, kinds, sides):
            side = either([equal(v.side, number(NO_SIDE)), both(typed(v.side, sides))])
            return [*typed(v.cell, cell, kept), *typed(v.kind, kinds), side]
        case Record(_, fields):
            return [c for n, f in fields for c in typed(v.fields[n], f, kept)]
        case MapOf(_, value):
            return [c for x in v.items.values() for c in typed(x, value, kept)]
        case BagOf(elem, limit) if small(elem):
            found = [n >= 0 for n in v.counts.values()]
            if limit is not None and v.counts:
                found.append(z3.Sum(*v.counts.values()) <= limit)
            return found
    return []


def _among(v: Term, numbers: list[int]) -> list[Term]:
    low, high = min(numbers), max(numbers)
    if len(numbers) == high - low + 1:
        return [v >= low, v <= high]
    return [either([equal(v, number(n)) for n in numbers])]
