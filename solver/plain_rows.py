"""Positions as rows of plain data, and back: how evidence keeps those of games that have no row of numbers.

A row has one item for each variable: a map or bag is the list of its items in the order of its keys, a bag of what holds
places the list of what occurs, each with how often; a layout is the list of `[x, y, face, quarter turns]`, row by row.
"""

from __future__ import annotations

from collections.abc import Sequence

from tablelaw.solver.evaluate import State
from tablelaw.spec import types as ty
from tablelaw.spec.game import Game
from tablelaw.spec.grid import Cell, Edge, Part
from tablelaw.spec.layouts import Layout
from tablelaw.spec.reckon import bag_items, in_order
from tablelaw.spec.types import (
    BagOf,
    CellType,
    EdgeType,
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

MOST_KEYS = 100_000


class NoRow(Exception):
    """Data that is no position of the game, or a position that no data stands for."""


class Rows:
    """Turns positions of one game into rows and rows into positions."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._keys: dict[Type, list[Value]] = {}

    def row(self, state: State) -> list[object]:
        """The row of a position; raises `NoRow`."""
        return [self._data(state[v.name], v.type) for v in self.game.variables]

    def state(self, row: Sequence[object]) -> State:
        """The position of a row; raises `NoRow` unless the row is the very one that the position has."""
        if len(row) != len(self.game.variables):
            raise NoRow
        found = Map([(v.name, self._value(x, v.type)) for v, x in zip(self.game.variables, row, strict=True)])
        if any(not ty.contains(v.type, found[v.name]) for v in self.game.variables) or not _alike(self.row(found), list(row)):
            raise NoRow
        return found

    def data(self, found: Value, kind: Type) -> object:
        """A value of a type as data; raises `NoRow`."""
        return self._data(found, kind)

    def value(self, data: object, kind: Type) -> Value:
        """The value of a type that data stands for; raises `NoRow`."""
        found = self._value(data, kind)
        if not ty.contains(kind, found):
            raise NoRow
        return found

    def _known(self, kind: Type) -> list[Value]:
        """Every key of a map or bag, in order."""
        found = self._keys.get(kind)
        if found is None:
            n = ty.cardinality(kind)
            if n is None or n > MOST_KEYS:
                raise NoRow
            found = self._keys[kind] = list(ty.domain(kind))
        return found

    def _data(self, found: Value, kind: Type) -> object:
        match kind:
            case Maybe(elem):
                return None if found is None else self._data(found, elem)
            case SetOf(elem):
                return [self._data(x, elem) for x in in_order(found, kind)]
            case ListOf(elem):
                return [self._data(x, elem) for x in found]
            case BagOf(elem) if ty.placed(elem):
                return [[self._data(k, elem), n] for k, n in bag_items(found, kind) if n]
            case BagOf(elem):
                keys = self._known(elem)
                if any(k not in keys for k in found):
                    raise NoRow
                return [found.get(k, 0) for k in keys]
            case MapOf(key, inner):
                keys = self._known(key)
                if len(keys) != len(found) or any(k not in found for k in keys):
                    raise NoRow
                return [self._data(found[k], inner) for k in keys]
            case Record(_, fields):
                return [self._data(found[n], f) for n, f in fields]
            case CellType():
                return [found.x, found.y]
            case EdgeType():
                return [found.cell.x, found.cell.y, found.side]
            case PartType():
                return [found.cell.x, found.cell.y, found.kind, found.side]
            case LayoutType():
                return [[c.x, c.y, *found.cells[c]] for c in found]
        if isinstance(found, (bool, int, str)):
            return found
        raise NoRow

    def _value(self, data: object, kind: Type) -> Value:
        match kind:
            case Maybe(elem):
                return None if data is None else self._value(data, elem)
            case SetOf(elem):
                return frozenset(self._value(x, elem) for x in _list(data))
            case ListOf(elem):
                return tuple(self._value(x, elem) for x in _list(data))
            case BagOf(elem) if ty.placed(elem):
                pairs = [_list(x, 2) for x in _list(data)]
                if not all(type(n) is int for _, n in pairs):
                    raise NoRow
                return Map([(self._value(k, elem), n) for k, n in pairs])
            case BagOf(elem):
                counts = _list(data, len(self._known(elem)))
                if not all(type(n) is int for n in counts):
                    raise NoRow
                return Map(list(zip(self._known(elem), counts, strict=True)))
            case MapOf(key, inner):
                items = _list(data, len(self._known(key)))
                return Map([(k, self._value(x, inner)) for k, x in zip(self._known(key), items, strict=True)])
            case Record(_, fields):
                items = _list(data, len(fields))
                return Map([(n, self._value(x, f)) for (n, f), x in zip(fields, items, strict=True)])
            case CellType():
                return _cell(_list(data, 2))
            case EdgeType():
                items = _list(data, 3)
                return Edge(_cell(items[:2]), _text(items[2]))
            case PartType():
                items = _list(data, 4)
                part = Part(_cell(items[:2]), _text(items[2]), None if items[3] is None else _text(items[3]))
                if part.kind not in kind.kinds.values or part.side not in (None, *kind.sides.values):
                    raise NoRow
                return part
            case LayoutType():
                return _layout(_list(data), kind)
        if isinstance(data, (bool, int, str)):
            return data
        raise NoRow


def _alike(a: object, b: object) -> bool:
    """Equal, with 1 and true told apart."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(map(_alike, a, b))
    return type(a) is type(b) and a == b


def _list(data: object, size: int | None = None) -> list[object]:
    if not isinstance(data, list) or (size is not None and len(data) != size):
        raise NoRow
    return data


def _text(data: object) -> str:
    if not isinstance(data, str):
        raise NoRow
    return data


def _cell(data: list[object]) -> Cell:
    x, y = data
    if type(x) is not int or type(y) is not int:
        raise NoRow
    return Cell(x, y)


def _layout(data: list[object], kind: LayoutType) -> Layout:
    pieces = kind.pieces
    assert pieces is not None
    cells = {}
    for item in data:
        x, y, face, rotation = _list(item, 4)
        laid = _text(face), rotation
        if face not in pieces.faces or type(rotation) is not int or rotation not in pieces.rotations[laid[0]]:
            raise NoRow
        cells[_cell([x, y])] = laid[0], rotation
    return Layout(pieces, kind.limit, kind.width, kind.height, cells)
