"""Names that a game does not tell apart, such as faces of a die that nothing depends on: positions that differ by swapping
them are one.

Two names are alike when swapping them everywhere in the rules and in what is asked changes nothing but the order in which
things are listed. That is looked at in the formulas themselves, so that no position need be met for it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from typing import Any

from tablelaw.solver.boarded import assignments
from tablelaw.solver.ir import Slot
from tablelaw.solver.space.pack import Packing
from tablelaw.solver.translator import variables_read
from tablelaw.spec.core import (
    Agg,
    Assign,
    Bind,
    Branch,
    Call,
    Const,
    Effect,
    Expr,
    Fire,
    Index,
    Let,
    Local,
    Loop,
    Op,
    Var,
    children,
)  # fmt: skip
from tablelaw.spec.game import Game
from tablelaw.spec.source import Span
from tablelaw.spec.types import BagOf, Bool, CellType, Enum, Int, LayoutType, ListOf, MapOf, Maybe, Record, SetOf, Type
from tablelaw.spec.values import Map, Value


def alike(game: Game, asked: list[Expr]) -> list[tuple[str, ...]]:
    """Classes of names, of two or more, that nothing tells apart."""
    found: list[tuple[str, ...]] = []
    for family in _families(game):
        rest = list(family)
        while rest:
            first, rest = rest[0], rest[1:]
            group = [first, *(n for n in rest if _swappable(game, asked, first, n))]
            rest = [n for n in rest if n not in group]
            if len(group) > 1:
                found.append(tuple(group))
    return found


def _families(game: Game) -> list[tuple[str, ...]]:
    """The families of names that the bags and maps of a game count by."""
    found: dict[tuple[str, ...], None] = {}

    def visit(kind: Type) -> None:
        match kind:
            case BagOf(Enum(_, _, family)):
                found[family] = None
            case MapOf(key, inner):
                if isinstance(key, Enum):
                    found[key.family] = None
                visit(inner)
            case Record(_, inner_fields):
                for _, f in inner_fields:
                    visit(f)
            case Maybe(elem) | ListOf(elem) | SetOf(elem):
                visit(elem)

    for v in game.variables:
        visit(v.type)
    for v in game.variables:
        for family in list(found):
            if _holds(v.type, family):
                del found[family]  # a variable that holds such a name is not put in order here
    return list(found)


def _holds(kind: Type, family: tuple[str, ...]) -> bool:
    match kind:
        case Enum():
            return kind.family == family
        case Maybe(elem) | ListOf(elem) | SetOf(elem):
            return _holds(elem, family)
        case BagOf(elem):
            return not isinstance(elem, Enum) and _holds(elem, family)
        case MapOf(key, inner):
            return (not isinstance(key, Enum) and _holds(key, family)) or _holds(inner, family)
        case Record(_, inner_fields):
            return any(_holds(f, family) for _, f in inner_fields)
    return False


def _swappable(game: Game, asked: list[Expr], a: str, b: str) -> bool:
    swap = {a: b, b: a}
    parts: list[Any] = [*asked]
    for action in game.actions:
        parts += [action.by, action.during, *action.params, *(c.formula for c in action.checks)]
        parts += [x for c in action.checks for x in c.lifted]
        parts += [*action.effects]
        if not all(_in_any_order(e, (a, b)) for e in action.effects):
            return False
        for d in action.draws:
            if d.kind in ("roll", "faces") and isinstance(d.args[-1], Const):
                listed = list(d.args[-1].value)
                if sorted(map(repr, listed)) != sorted(repr(_value(x, swap)) for x in listed):
                    return False
                parts += d.args[:-1]
            else:
                parts += d.args
    for e in game.ends:
        parts += [e.when, e.winners]
    parts += [v.init for v in game.variables]
    return all(_swapped(p, swap) == p for p in parts)


def _in_any_order(e: Effect, names: tuple[str, str]) -> bool:
    """Does a walk over these names come to the same in whatever order they are taken?

    So it does where each step changes only what belongs to its own name, or adds to a number what no step changes.
    """
    match e:
        case Branch(_, yes, no):
            return all(_in_any_order(x, names) for x in (*yes, *no))
        case Fire(body=body) | Bind(body=body):
            return all(_in_any_order(x, names) for x in body)
        case Loop(name, domain, _, body):
            if not all(_in_any_order(x, names) for x in body):
                return False
            changed = {x.name for x in assignments(body)}
            return not _names(domain, names) or all(_apart(x, name, changed) for x in body)
    return True


def _names(domain: Expr | Type, names: tuple[str, str]) -> bool:
    """May the order of a walk hang on these names?"""
    kind = domain if isinstance(domain, Type) else domain.type
    held = kind.elem if isinstance(kind, (SetOf, BagOf, ListOf)) else kind
    if isinstance(held, (Int, Bool, LayoutType, CellType)):
        return False
    return not isinstance(held, Enum) or bool(set(names) & set(held.values))


def _apart(e: Effect, name: str, changed: set[str]) -> bool:
    """Does an effect of one step come to the same whichever steps were taken before?"""
    match e:
        case Branch(test, yes, no):
            return _own(test, name, changed) and all(_apart(x, name, changed) for x in (*yes, *no))
        case Assign(path=path, value=value):
            keys = [k for k in path if isinstance(k, Expr)]
            if not all(_own(k, name, changed) for k in keys):
                return False
            if path and isinstance(path[0], Local) and path[0].name == name:
                return _own(value, name, changed)
            return _adds(e, value, changed)
    return False


def _own(e: Expr, name: str, changed: set[str]) -> bool:
    """Does a formula read of what changes only what belongs to the name?"""
    if isinstance(e, Index) and isinstance(e.base, Var) and isinstance(e.key, Local) and e.key.name == name:
        return True
    if isinstance(e, Var):
        return e.name not in changed
    if isinstance(e, (Agg, Let)):  # what it binds may be called like the name
        return not variables_read(e) & (changed | {"*"})
    if isinstance(e, Call) and e.name in ("times", "ended", "winners", "can"):
        return False
    return all(_own(c, name, changed) for c in children(e))


def _adds(e: Assign, value: Expr, changed: set[str]) -> bool:
    """Is it `x += n`, for an n of at least 0 that no step changes?"""
    if not (isinstance(value, Op) and value.op == "add" and not e.path):
        return False
    rest = [x for x in value.args if not (isinstance(x, Var) and x.name == e.name)]
    if len(rest) != 1 or variables_read(rest[0]) & (changed | {"*"}):
        return False
    kind = rest[0].type
    return isinstance(kind, Int) and kind.lo is not None and kind.lo >= 0


def _swapped(x: Any, swap: dict[str, str]) -> Any:
    """The same formula, effect or binder with names swapped."""
    if isinstance(x, Const):
        return replace(x, value=_value(x.value, swap))
    if isinstance(x, tuple):
        return tuple(_swapped(y, swap) for y in x)
    if isinstance(x, Enum):
        return replace(x, values=tuple(sorted((swap.get(v, v) for v in x.values), key=x.family.index)))
    if isinstance(x, MapOf):
        return replace(x, key=_swapped(x.key, swap), value=_swapped(x.value, swap))
    if isinstance(x, Record):
        return replace(x, fields=tuple((n, _swapped(f, swap)) for n, f in x.fields))
    if isinstance(x, (Maybe, ListOf, SetOf, BagOf)):
        return replace(x, elem=_swapped(x.elem, swap))
    if isinstance(x, (Type, Span, str, int, bool)) or x is None:
        return x
    if is_dataclass(x) and not isinstance(x, type):
        return replace(x, **{f.name: _swapped(getattr(x, f.name), swap) for f in fields(x) if f.name not in ("type", "span")})
    return x


def _value(x: Value, swap: dict[str, str]) -> Value:
    if isinstance(x, str):
        return swap.get(x, x)
    if isinstance(x, frozenset):
        return frozenset(_value(y, swap) for y in x)
    if isinstance(x, tuple):
        return tuple(_value(y, swap) for y in x) if type(x) is tuple else x
    if isinstance(x, Map):
        return Map([(_value(k, swap), _value(v, swap)) for k, v in x.items()])
    return x


def _columns(slots: list[Slot], group: tuple[str, ...]) -> list[list[int]] | None:
    """The slots of each name, in such an order that those in one place differ by the name alone; None where they do not."""
    rows: list[dict[object, int]] = [{} for _ in group]
    for i, s in enumerate(slots):
        here = [n for n, name in enumerate(group) if name in s.path]
        if not here:
            continue
        name = group[here[0]]
        if len(here) > 1 or s.path.count(name) > 1:
            return None  # counted by two of the names at once
        place = (s.name, tuple(None if p == name else p for p in s.path), s.lo, s.hi)
        rows[here[0]][place] = i
    if not rows[0] or any(r.keys() != rows[0].keys() for r in rows):
        return None
    return [[r[place] for place in rows[0]] for r in rows]


Plans = list[list[list[tuple[int, int]]]]
"""For each class of names, for each of its names, the slots that belong to it: shift and mask of each."""


def plans_of(slots: list[Slot], pack: Packing, classes: list[tuple[str, ...]]) -> Plans:
    """What is put in order; nothing where nothing can be swapped."""
    plans: Plans = []
    for group in classes:
        columns = _columns(slots, group)
        if columns is not None:
            plans.append([[(pack.shifts[i], pack.masks[i]) for i in c] for c in columns])
    return plans


def canonical(plans: Plans) -> Callable[[int], int] | None:
    """The one packed state that stands for all that differ by swapping names alike; None where nothing can be swapped."""
    if not plans:
        return None

    def found(s: int) -> int:
        for columns in plans:
            rows = [tuple((s >> shift) & mask for shift, mask in c) for c in columns]
            ordered = sorted(rows, reverse=True)
            if ordered != rows:
                for c, old, new in zip(columns, rows, ordered, strict=True):
                    for (shift, _), x, y in zip(c, old, new, strict=True):
                        if x != y:
                            s += (y - x) << shift
        return s

    return found
