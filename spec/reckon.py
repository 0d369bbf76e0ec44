"""The value of a checked formula in a position: the meaning of formulas, short, obvious and slow.

`solver/evaluate.py` builds the meaning of whole games on it; every faster telling is tied to it by tests.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from operator import attrgetter
from typing import Any

from tablelaw.spec import types as ty
from tablelaw.spec.core import Agg, Binder, Call, Const, Expr, Field, If, Index, Items, Let, Local, Make, Op, Var
from tablelaw.spec.grid import RIM, Cell, Edge, Part
from tablelaw.spec.layouts import BOARD, Layout
from tablelaw.spec.operators import OPERATORS, Fault, item, same, size
from tablelaw.spec.types import BagOf, Type
from tablelaw.spec.values import Map, Value


@dataclass(frozen=True, slots=True)
class Place:
    """Where a formula is read: a position, the names bound around it, and for questions the step that led there."""

    state: Mapping[str, Value]
    players: int
    names: Mapping[str, Value] = field(default_factory=dict)
    before: Place | None = None
    ended: Callable[[], bool] | None = None
    winners: Callable[[], Value] | None = None
    times: Callable[[str], int] | None = None

    def bind(self, names: Mapping[str, Value]) -> Place:
        """The same place with more names bound."""
        return Place(self.state, self.players, {**self.names, **names}, self.before, self.ended, self.winners, self.times)


def value(e: Expr, here: Place) -> Value:
    """The value of the formula there; raises `Fault` where it has none."""
    match e:
        case Const():
            return e.value
        case Var(name):
            return here.state[name]
        case Local(name):
            return here.names[name]
        case Op("and", args):
            return all(value(a, here) for a in args)
        case Op("or", args):
            return any(value(a, here) for a in args)
        case Op(op, args):
            return OPERATORS[op](*[value(a, here) for a in args])
        case If(test, yes, no):
            return value(yes if value(test, here) else no, here)
        case Index(base, key):
            if isinstance(base.type, BagOf):
                return value(base, here).get(value(key, here), 0)
            return item(value(base, here), value(key, here))
        case Field(base, name):
            owner = value(base, here)
            if owner is None:
                raise Fault("none", f"there is no `.{name}` of none")
            return ty.taken(owner, name)
        case Make(fields):
            return ty.made(e.type, [value(f, here) for f in fields])
        case Items(items):
            return frozenset(value(i, here) for i in items)
        case Let(names, values, body):
            return value(body, here.bind({n: value(v, here) for n, v in zip(names, values, strict=True)}))
        case Agg():
            return _aggregate(e, here)
        case Call():
            return _call(e, here)
    raise TypeError(e)


def visit(domain: Expr | Type, here: Place) -> Iterator[Value]:
    """The elements a `for` walks over, in declared order; a bag's once for each copy."""
    if isinstance(domain, Type):
        yield from ty.domain(domain)
        return
    found = value(domain, here)
    if isinstance(domain.type, BagOf):
        for k, n in bag_items(found, domain.type):
            for _ in range(n):
                yield k
    elif isinstance(found, (tuple, Map, Layout)):
        yield from found
    else:
        yield from in_order(found, domain.type)


def in_order(found: Any, kind: Type) -> list[Value]:
    """The members of a set in the declared order of their type."""
    elem = kind.elem if isinstance(kind, ty.SetOf) else ty.NOTHING
    if isinstance(elem, ty.Enum):
        return sorted(found, key=elem.family.index)
    if isinstance(elem, (ty.Int, ty.Frac, ty.Bool)):
        return sorted(found)
    if isinstance(elem, ty.FeatureType):
        return sorted(found, key=attrgetter("order"))
    if isinstance(elem, ty.CellType):
        return list(_rows(frozenset(found)))
    if isinstance(elem, ty.NAMED):
        return sorted(found, key=grid_order)
    return sorted(found, key=(lambda v: declared(v, elem)) if ty.placed(elem) else repr)


@lru_cache(maxsize=512)
def _rows(squares: frozenset[Cell]) -> tuple[Cell, ...]:
    """Squares row by row: the same frontier is walked over again and again."""
    return tuple(sorted(squares, key=grid_order))


def bag_items(bag: Map, kind: BagOf) -> list[tuple[Value, int]]:
    """What a bag holds, each with how often, in the declared order of its type."""
    items = list(bag.items())
    return sorted(items, key=lambda item: declared(item[0], kind.elem)) if ty.placed(kind.elem) else items


def declared(found: Any, kind: Type) -> Any:
    """What values of a type that holds places of the grid are put in order by."""
    match kind:
        case ty.Enum(_, _, family):
            return family.index(found)
        case ty.Maybe(elem):
            return () if found is None else (declared(found, elem),)
        case ty.Record(_, fields):
            return tuple(declared(found[n], f) for n, f in fields)
        case ty.CellType() | ty.EdgeType() | ty.PartType():
            return grid_order(found)
        case ty.FeatureType():
            return found.order
        case ty.ListOf(elem, _):
            return tuple(declared(v, elem) for v in found)
        case ty.SetOf(elem):
            return sorted(declared(v, elem) for v in found)
        case ty.BagOf(elem, _):
            return sorted((declared(v, elem), n) for v, n in found.items() if n)
        case ty.MapOf(key, inner):
            return sorted((declared(k, key), declared(v, inner)) for k, v in found.items())
        case ty.LayoutType():
            return sorted((grid_order(c), laid) for c, laid in found.cells.items())
    return found


def grid_order(found: Any) -> tuple[Any, ...]:
    """Squares row by row; edges and parts by their squares."""
    if isinstance(found, Cell):
        return (found.y, found.x)
    cell = found.cell
    return (cell.y, cell.x, *(() if isinstance(found, Edge) else (found.kind,)), RIM.index(found.side) if found.side else -1)


def bindings(binders: tuple[Binder, ...], here: Place) -> Iterator[Place]:
    """Every way of binding the names so that the tests hold."""
    if not binders:
        yield here
        return
    first, rest = binders[0], binders[1:]
    for v in visit(first.domain, here):
        there = here.bind({first.name: v})
        if all(value(t, there) for t in first.tests):
            yield from bindings(rest, there)


def _aggregate(e: Agg, here: Place) -> Value:
    each = (value(e.body, there) for there in bindings(e.binders, here))
    match e.kind:
        case "any":
            return any(each)
        case "all":
            return all(each)
        case "sum":
            return sum(each)
        case "count":
            return sum(1 for _ in each)
        case "set":
            return frozenset(each)
    found = list(each)
    if not found:
        raise Fault("empty", f"`{e.kind}` of nothing has no value")
    return max(found) if e.kind == "max" else min(found)


def _call(e: Call, here: Place) -> Value:
    match e.name:
        case "size":
            return size(value(e.args[0], here))
        case "min" | "max":
            found = [value(a, here) for a in e.args]
            return max(found) if e.name == "max" else min(found)
        case "after" | "before":
            seat = value(e.args[0], here)
            among = value(e.args[1], here) if len(e.args) > 1 else frozenset(range(here.players))
            return next_seat(seat, among, here.players, 1 if e.name == "after" else -1)
        case "parts" if len(e.args) == 1:
            whole = value(e.args[0], here)
            assert isinstance(e.args[0].type, BagOf)
            keys = list(ty.domain(e.args[0].type.elem))
            ways = itertools.product(*(range(whole.get(k, 0) + 1) for k in keys))
            return frozenset(Map(list(zip(keys, counts, strict=True))) for counts in ways)
        case "old":
            return value(e.args[0], replace(here.before, names=here.names) if here.before else here)
        case "ended" if here.ended:
            return here.ended()
        case "winners" if here.winners:
            return here.winners()
        case "times" if here.times:
            return here.times(e.subject)
    return BOARD[e.name](*[value(a, here) for a in e.args])


def meant(written: Value, found: Value) -> bool:
    """Does a value that a person wrote mean this one of a move? A part may be named by any of its sides."""
    if isinstance(written, Part) and isinstance(found, Part):
        return found.called(written)
    return same(written, found)


def next_seat(seat: int, among: frozenset[int], players: int, way: int) -> int:
    """The next of some players in turn order; the same one when alone."""
    for k in range(1, players + 1):
        other = (seat + way * k) % players
        if other in among:
            return other
    raise Fault("empty", "there is no player to step to")


__all__ = ["Place", "bag_items", "bindings", "in_order", "meant", "next_seat", "same", "value", "visit"]
