"""Positions counted as one when a symmetry takes them into each other; the rules are asked at every position first.

Moving, turning and mirroring act on squares, sides, halves, directions and layouts; `players` passes every seat on round
the table. A position stands for all its images: which one is shown for it is chosen by the order of their texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import State
from tablelaw.solver.space.graph import Budget
from tablelaw.spec.board_types import FAMILY, ROTATION
from tablelaw.spec.game import Game
from tablelaw.spec.grid import Cell, Edge, Part, turned
from tablelaw.spec.layouts import Layout
from tablelaw.spec.mirrors import mirror_images, mirrored
from tablelaw.spec.operators import Fault
from tablelaw.spec.positions import shown
from tablelaw.spec.reckon import in_order
from tablelaw.spec.types import (
    BagOf,
    CellType,
    EdgeType,
    Enum,
    Int,
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

NAMES = ("players", "translation", "rotation", "reflection")


class BrokenSymmetry(Exception):
    """The rules tell positions apart that a symmetry takes into each other."""

    def __init__(self, name: str, state: State, message: str) -> None:
        super().__init__(message)
        self.name, self.state, self.message = name, state, message


@dataclass(frozen=True, slots=True)
class Image:
    """Mirrored first (east for west), then turned, then moved, seats passed on."""

    turns: int = 0
    mirror: bool = False
    seats: int = 0
    dx: int = 0
    dy: int = 0


@dataclass(slots=True)
class Symmetry:
    """The symmetries of a game that a question names."""

    game: Game
    names: tuple[str, ...]
    mirrors: dict[str, dict[tuple[str, int], tuple[str, int]]] = field(default_factory=dict)
    faces: dict[tuple[object, str], str] = field(default_factory=dict)
    """By the family of their type, the faces that mirror images show: hands and stocks are mirrored with the board."""
    width: int | None = None
    height: int | None = None

    def __post_init__(self) -> None:
        for v in self.game.variables:
            for kind in _layouts(v.type):
                self._board(kind)

    def _board(self, kind: LayoutType) -> None:
        assert kind.pieces is not None
        nowhere = evaluate.starts(self.game)[0]
        if kind.width is not None:
            if "translation" in self.names:
                raise BrokenSymmetry("translation", nowhere, "a board with a border is not moved")
            if "rotation" in self.names and kind.width != kind.height:
                raise BrokenSymmetry("rotation", nowhere, "a board that is longer than wide is not turned")
            if self.width not in (None, kind.width) or self.height not in (None, kind.height):
                raise BrokenSymmetry("rotation", nowhere, "boards of two sizes are not turned together")
            self.width, self.height = kind.width, kind.height
        if (
            "rotation" in self.names
            and not kind.pieces.free
            and any(kind.pieces.canonical[f, r] != 0 for f in kind.pieces.faces for r in range(4))
        ):
            raise BrokenSymmetry("rotation", nowhere, "its pieces are not turned")
        if "reflection" in self.names:
            images = mirror_images(kind.pieces)
            if isinstance(images, str):
                raise BrokenSymmetry("reflection", nowhere, f"the face `{images}` has no mirror image")
            self.mirrors[kind.pieces.name] = images
            for (face, _), (other, _) in images.items():
                self.faces[kind.faces.family, face] = other

    # images

    def group(self) -> Iterator[Image]:
        """Every image but for moves along the grid."""
        for turns in range(4) if "rotation" in self.names else (0,):
            for mirror in (False, True) if "reflection" in self.names else (False,):
                for seats in range(self.game.players) if "players" in self.names else (0,):
                    yield Image(turns, mirror, seats)

    def steps(self) -> Iterator[tuple[str, Image]]:
        """A few images of which all others are made, each with its name."""
        if "players" in self.names and self.game.players > 1:
            yield "players", Image(seats=1)
        if "translation" in self.names:
            yield "translation", Image(dx=1)
            yield "translation", Image(dy=1)
        if "rotation" in self.names:
            yield "rotation", Image(turns=1)
        if "reflection" in self.names:
            yield "reflection", Image(mirror=True)

    def state(self, state: State, g: Image) -> State:
        """The image of a position."""
        return Map([(v.name, self.value(state[v.name], v.type, g)) for v in self.game.variables])

    def value(self, found: Value, kind: Type, g: Image) -> Value:
        """The image of a value."""
        match kind:
            case Int(_, _, "Player"):
                return (found + g.seats) % self.game.players
            case Int() if kind.name == ROTATION.name:
                return (-found if g.mirror else found) % 4 if not g.turns else ((-found if g.mirror else found) + g.turns) % 4
            case Enum(_, _, family) if family == FAMILY:
                return self._place(found, g)
            case Enum(_, _, family) if g.mirror:
                return self.faces.get((family, found), found)
            case CellType():
                return self._cell(found, g)
            case EdgeType():
                return Edge(self._cell(found.cell, g), self._place(found.side, g))
            case PartType():
                side = None if found.side is None else self._place(found.side, g)
                return Part(self._cell(found.cell, g), found.kind, side)
            case LayoutType():
                return self._layout(found, g)
            case Maybe(elem):
                return None if found is None else self.value(found, elem, g)
            case SetOf(elem):
                return frozenset(self.value(v, elem, g) for v in found)
            case ListOf(elem):
                return tuple(self.value(v, elem, g) for v in found)
            case BagOf(elem):
                return self._mapped({self.value(k, elem, g): n for k, n in found.items()}, found, elem)
            case MapOf(key, inner):
                new = {self.value(k, key, g): self.value(v, inner, g) for k, v in found.items()}
                return self._mapped(new, found, key)
            case Record(_, fields):
                return Map([(n, self.value(found[n], f, g)) for n, f in fields])
        return found

    def _mapped(self, new: dict[Value, Value], old: Iterable[Value], key: Type) -> Map:
        """The items in the order of the keys as they stood, or of their type where others have come."""
        keys = list(old)
        if set(keys) == set(new):
            return Map([(k, new[k]) for k in keys])
        return Map([(k, new[k]) for k in in_order(frozenset(new), SetOf(key))])

    def _place(self, name: str, g: Image) -> str:
        return turned(mirrored(name) if g.mirror else name, g.turns)

    def _cell(self, cell: Cell, g: Image) -> Cell:
        x, y = cell
        width, height = self.width, self.height
        if g.mirror:
            x = -x if width is None else width - 1 - x
        for _ in range(g.turns):
            x, y = (-y, x) if height is None else (height - 1 - y, x)
        return Cell(x + g.dx, y + g.dy)

    def _layout(self, layout: Layout, g: Image) -> Layout:
        cells = {}
        for c, laid in layout.cells.items():
            face, rotation = self.mirrors[layout.pieces.name][laid] if g.mirror else laid
            cells[self._cell(c, g)] = face, (rotation + g.turns) % 4
        return layout.with_cells(cells)

    # classes of positions

    def canonical(self, state: State) -> str:
        """The same text for all images of a position, and for no other."""
        return min(self._text(self._moved(self.state(state, g))) for g in self.group())

    def _moved(self, state: State) -> State:
        """With translation the position moved so that its pieces (or what else lies on the grid) begin at (0, 0)."""
        if "translation" not in self.names:
            return state
        cells = [c for v in self.game.variables for c in _cells(state[v.name], v.type)]
        laid = [
            c for v in self.game.variables for kind in [v.type] if isinstance(kind, LayoutType) for c in state[v.name].cells
        ]
        base = laid or cells
        if not base:
            return state
        return self.state(state, Image(dx=-min(c.x for c in base), dy=-min(c.y for c in base)))

    def _text(self, state: State) -> str:
        return "; ".join(shown(state[v.name], v.type) for v in self.game.variables)

    def check(self, states: list[State], where: Callable[[State], bool], budget: Budget) -> None:
        """Raise `BrokenSymmetry` where a position and its image differ: in what is asked, in the end, or in what follows."""
        for n, state in enumerate(states):
            if not n % 16:
                budget.check()
            here = self._look(state, where)
            for name, g in self.steps():
                there = self._look(self.state(state, g), where)
                for mine, theirs, message in zip(here, there, _DIFFERS, strict=True):
                    if mine != theirs:
                        raise BrokenSymmetry(name, state, message)

    def _look(self, state: State, where: Callable[[State], bool]) -> tuple[object, object, object]:
        try:
            ended = evaluate.end(self.game, state) is not None
        except Fault:
            ended = True
        try:
            asked: object = where(state)
        except Fault:
            asked = None
        return asked, ended, self._following(state)

    def _following(self, state: State) -> object:
        try:
            found = set()
            for move in evaluate.moves(self.game, state):
                for drawn in evaluate.sound_draws(self.game, state, move):
                    out = evaluate.apply(self.game, state, move, drawn)
                    found.add(None if out.fault is not None else self.canonical(out.state))
        except Fault:
            return None
        return found


_DIFFERS = (
    "what is asked is true of one of them alone",
    "the play has ended in one of them alone",
    "other positions follow the one than the other",
)


def _layouts(kind: Type) -> Iterator[LayoutType]:
    match kind:
        case LayoutType():
            yield kind
        case Maybe(elem) | ListOf(elem):
            yield from _layouts(elem)
        case MapOf(_, inner):
            yield from _layouts(inner)
        case Record(_, fields):
            for _, f in fields:
                yield from _layouts(f)


def _cells(found: Value, kind: Type) -> Iterator[Cell]:
    match kind:
        case CellType():
            yield found
        case EdgeType() | PartType():
            yield found.cell
        case LayoutType():
            yield from found.cells
        case Maybe(elem):
            if found is not None:
                yield from _cells(found, elem)
        case SetOf(elem) | ListOf(elem):
            for v in found:
                yield from _cells(v, elem)
        case BagOf(elem):
            for k, n in found.items():
                yield from _cells(k, elem) if n else ()
        case MapOf(key, inner):
            for k, v in found.items():
                yield from _cells(k, key)
                yield from _cells(v, inner)
        case Record(_, fields):
            for n, f in fields:
                yield from _cells(found[n], f)
