"""Layouts: pieces laid on a square grid, and what their parts make together. The meaning, plainly told.

`solver/layout/reference.py` tells the same as graphs, `solver/layout/kernel.py` on packed numbers; tests hold all to one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from tablelaw.spec.features import Feature as Feature
from tablelaw.spec.features import Joined, joined, joined_further
from tablelaw.spec.grid import FACING, OPPOSITE, SIDES, Cell, Edge, Part, across, around, side_of, step, turned
from tablelaw.spec.operators import Fault
from tablelaw.spec.pieces import Beside, Located, Pieces, Shown
from tablelaw.spec.values import Value

Laid = tuple[str, int]
"""A face and its quarter turns."""


@lru_cache(maxsize=4_096)
def _near(cell: Cell, apart: int) -> frozenset[Cell]:
    """The squares up to so many steps from one."""
    offsets = [(dx, dy) for dx in range(-apart, apart + 1) for dy in range(abs(dx) - apart, apart - abs(dx) + 1)]
    return frozenset(Cell(cell.x + dx, cell.y + dy) for dx, dy in offsets)


def _spread(piece: tuple[Cell, Laid]) -> int:
    """The hash of a laid piece, with its bits spread so that those of a layout can be put together by `^`."""
    h = hash(piece)
    return ((h ^ 89869747 ^ (h << 16)) * 3644798167) & 0xFFFFFFFFFFFFFFFF


MOST_KNOWING = 4_096
_KNOWING: deque[Layout] = deque()
"""Layouts that keep what they have worked out: a search holds far more layouts than memory would have room for it."""


class Layout:
    """Laid pieces by square; equal when the same faces lie the same way on the same squares.

    `width` and `height` bound the board, or are None on a free grid; `limit` is the most pieces it takes. One made by laying
    a piece works out what it is asked from the layout before (`_before`, with the square laid on).
    """

    __slots__ = (
        "_before", "_beside", "_features", "_frontiers", "_hash", "_knows", "_turns", "cells", "height", "limit", "pieces",
        "width",
    )  # fmt: skip

    def __init__(
        self,
        pieces: Pieces,
        limit: int,
        width: int | None = None,
        height: int | None = None,
        cells: Mapping[Cell, Laid] | None = None,
    ) -> None:
        self.pieces, self.limit, self.width, self.height = pieces, limit, width, height
        self.cells: dict[Cell, Laid] = {c: (f, pieces.canonical[f, r]) for c, (f, r) in (cells or {}).items()}
        self._hash: int | None = None
        self._before: tuple[Layout, Cell] | None = None
        self._features: dict[str, Joined] = {}
        self._frontiers: dict[int, frozenset[Cell]] = {}
        self._beside: dict[Cell, Beside] | None = None
        self._turns: dict[tuple[Cell, str], frozenset[int]] = {}
        self._knows = False

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Layout) and self.cells == other.cells)

    def __hash__(self) -> int:
        if self._hash is None:
            before = self._before
            if before is not None and before[0]._hash is not None:
                self._hash = before[0]._hash ^ _spread((before[1], self.cells[before[1]]))
            else:
                self._hash = 0
                for piece in self.cells.items():
                    self._hash ^= _spread(piece)
        return self._hash

    def __len__(self) -> int:
        return len(self.cells)

    def __contains__(self, cell: object) -> bool:
        return cell in self.cells

    def __iter__(self) -> Iterator[Cell]:
        return iter(sorted(self.cells, key=lambda c: (c.y, c.x)))

    def __repr__(self) -> str:
        return f"Layout({ {tuple(c): f'{f}/{r}' for c, (f, r) in self.cells.items()} })"

    def _learns(self) -> None:
        """Something worked out is about to be kept; the layout that has known something longest forgets it."""
        if not self._knows:
            self._knows = True
            _KNOWING.append(self)
            if len(_KNOWING) > MOST_KNOWING:
                _KNOWING.popleft()._forget()

    def _forget(self) -> None:
        self._before, self._beside, self._knows = None, None, False
        self._features, self._frontiers, self._turns = {}, {}, {}

    # places

    def inside(self, cell: Cell) -> bool:
        """Does the square belong to the board?"""
        if self.width is None or self.height is None:
            return True
        return 0 <= cell.x < self.width and 0 <= cell.y < self.height

    def laid(self, cell: Cell) -> LaidPiece:
        """The piece on a square; a fault where there is none."""
        if cell not in self.cells:
            raise Fault("index", f"no piece lies on {tuple(cell)}")
        return LaidPiece(self, cell)

    def frontier(self, apart: int = 1) -> frozenset[Cell]:
        """The empty squares up to `apart` steps from a laid one; at first (0, 0), or the whole board."""
        if not self.cells:
            if self.width is None or self.height is None:
                return frozenset({Cell(0, 0)})
            return frozenset(Cell(x, y) for x in range(self.width) for y in range(self.height))
        found = self._frontiers.get(apart)
        if found is None:
            before = self._before
            if before is not None and apart in before[0]._frontiers:
                new = (c for c in _near(before[1], apart) if c not in self.cells and self.inside(c))
                found = before[0]._frontiers[apart].difference((before[1],)).union(new)
            else:
                near = frozenset().union(*(_near(c, apart) for c in self.cells)).difference(self.cells)
                found = frozenset(c for c in near if self.inside(c))
            self._learns()
            self._frontiers[apart] = found
        return found

    # laying

    def fits(self, cell: Cell, face: str, rotation: int) -> bool:
        """Inside, empty, and every contact kept; a fault where there is no such rotation."""
        quarter_turns(rotation)
        found = self._turns.get((cell, face))
        if found is None:
            possible = cell not in self.cells and self.inside(cell) and len(self.cells) < self.limit
            found = self.pieces.fitting(face, self._around(cell)) if possible else frozenset()
            self._learns()
            self._turns[cell, face] = found
        return rotation in found

    def _around(self, cell: Cell) -> Beside:
        """What the four squares beside one show it."""
        if self._beside is None:
            self._beside = {}
            if self._before is not None and self._before[0]._beside is not None:
                laid = self._before[1]
                self._beside.update(self._before[0]._beside)
                for side in SIDES:
                    self._beside.pop(step(laid, side), None)
        found = self._beside.get(cell)
        if found is None:
            near = [(side, self.cells.get(step(cell, side))) for side in SIDES]
            found = tuple(None if laid is None else self.pieces.shown_to(laid, side) for side, laid in near)
            self._beside[cell] = found
        return found

    def place(self, cell: Cell, face: str, rotation: int) -> Layout:
        """The layout with one more piece; a fault where the square is taken, outside, or no piece is left."""
        quarter_turns(rotation)
        if cell in self.cells:
            raise Fault("layout", f"a piece lies on {tuple(cell)} already")
        if not self.inside(cell):
            raise Fault("layout", f"{tuple(cell)} is not on the board")
        if len(self.cells) >= self.limit:
            raise Fault("layout", f"there are no more than {self.limit} pieces")
        if not self.pieces.free and rotation % 4:
            raise Fault("layout", "these pieces are not turned")
        return self.with_piece(cell, face, rotation)

    def with_piece(self, cell: Cell, face: str, rotation: int) -> Layout:
        """The layout with one more piece, nothing asked."""
        new = Layout(self.pieces, self.limit, self.width, self.height)
        new.cells = {**self.cells, cell: (face, self.pieces.canonical[face, rotation])}
        if cell not in self.cells:
            new._before = (self, cell)
        return new

    def with_cells(self, cells: Mapping[Cell, Laid]) -> Layout:
        """Another layout on the same board."""
        return Layout(self.pieces, self.limit, self.width, self.height, cells)

    def links(self, cell: Cell, face: str, rotation: int, kind: str) -> frozenset[str]:
        """The sides (halves) of a piece to be laid at which a part of the kind would meet one."""
        quarter_turns(rotation)
        found: set[str] = set()
        halves = self.pieces.halves(kind)
        for p in self.pieces.parts[face, rotation]:
            if p.kind == kind:
                for at in p.at:
                    other = self.part_at(step(cell, side_of(at)), kind, FACING[at] if halves else OPPOSITE[at])
                    if other is not None:
                        found.add(at)
        return frozenset(found)

    # sides

    def shows(self, edge: Edge) -> Shown:
        """The kinds shown at a side of a square; none where nothing lies."""
        near = self.cells.get(edge.cell)
        return frozenset() if near is None else self.pieces.shows[(*near, edge.side)]

    def edges(self) -> frozenset[Edge]:
        """Every side of every laid piece."""
        return frozenset(Edge(c, s) for c in self.cells for s in SIDES)

    def open_edges(self, kind: str) -> frozenset[Edge]:
        """The sides of empty squares of the board that a part of the kind faces."""
        facing = (across(e) for e in self.edges() if kind in self.shows(e))
        return frozenset(e for e in facing if e.cell not in self.cells and self.inside(e.cell))

    # parts and features

    def parts(self, cell: Cell) -> frozenset[Part]:
        """The parts of the piece on a square; none where nothing lies."""
        return self.lies(cell).parts if cell in self.cells else frozenset()

    def lies(self, cell: Cell) -> Located:
        """The parts of the piece on a square where one lies, by kind and side."""
        return self.pieces.located(cell, self.cells[cell])

    def part_at(self, cell: Cell, kind: str, side: str | None) -> Part | None:
        """The part of a kind at a side (half) of a square; of a kind inside, the one there is."""
        return self.lies(cell).at.get((kind, side)) if cell in self.cells else None

    def features(self, kind: str) -> frozenset[Feature]:
        """All features of a kind."""
        return self._joined(kind).every

    def _joined(self, kind: str) -> Joined:
        """The features of a kind: from those of the last layout before that has them, or from nothing."""
        found = self._features.get(kind)
        if found is not None:
            return found
        laid: list[tuple[Layout, Cell]] = []
        at = self
        while kind not in at._features and at._before is not None:
            laid.append((at, at._before[1]))
            at = at._before[0]
        found = at._features.get(kind)
        if found is None:
            found = joined(at, kind)
            at._learns()
            at._features[kind] = found
        for layout, cell in reversed(laid):
            found = joined_further(found, layout, cell, kind)
            layout._learns()
            layout._features[kind] = found
        return found

    def feature(self, part: Part) -> Feature:
        """The feature of a part; a fault where there is no such part."""
        found = self.part_at(part.cell, part.kind, part.side)
        if found is None:
            raise Fault("index", f"there is no such part on {tuple(part.cell)}")
        return self._joined(part.kind).of[found]

    def follow(self, edge: Edge) -> Edge:
        """Enter a square at a side and go on through parts of two sides, to the first empty square.

        Back at the start it is `edge`; blocked, it is the edge where.
        """
        at = edge
        while True:
            way_out = self._through(at)
            if way_out is None:
                return at
            at = across(Edge(at.cell, way_out))
            if at == edge:
                return edge

    def _through(self, edge: Edge) -> str | None:
        """The side at which a line that enters there leaves again; None on an empty square or where it ends."""
        near = self.cells.get(edge.cell)
        return None if near is None else self.pieces.through[near].get(edge.side)


def quarter_turns(rotation: int) -> None:
    """A fault unless a piece can lie so: 0 to 3 quarter turns."""
    if not 0 <= rotation <= 3:
        raise Fault("range", f"a piece is turned 0 to 3 quarters, not {rotation}")


class LaidPiece:
    """The piece on a square, as formulas read it."""

    __slots__ = ("cell", "layout")

    def __init__(self, layout: Layout, cell: Cell) -> None:
        self.layout, self.cell = layout, cell

    def read(self, name: str) -> Value:
        """`face`, `rotation`, `parts`, or an attribute, turned as the piece lies."""
        face, rotation = self.layout.cells[self.cell]
        match name:
            case "face":
                return face
            case "rotation":
                return rotation
            case "parts":
                return self.layout.parts(self.cell)
        return self.layout.pieces.attribute(face, name, rotation)


BOARD: dict[str, Callable[..., Value]] = {
    "laid": Layout.laid,
    "frontier": Layout.frontier,
    "inside": Layout.inside,
    "step": step,
    "neighbours8": around,
    "fits": Layout.fits,
    "place": Layout.place,
    "links": Layout.links,
    "edges": Layout.edges,
    "open_edges": Layout.open_edges,
    "across": across,
    "shows": Layout.shows,
    "features": Layout.features,
    "feature": Layout.feature,
    "touches": Feature.touches,
    "follow": Layout.follow,
    "edge": Edge,
    "part": Part,
    "parts": Layout.parts,
    "rotated": lambda place, rotation: None if place is None else turned(place, rotation),
}
"""What each built-in formula about layouts gives for the values of its arguments."""


def rim(width: int, height: int) -> frozenset[Edge]:
    """The edges of the border squares of a board, each seen from inside, facing out."""
    return frozenset(
        Edge(Cell(x, y), s)
        for x in range(width)
        for y in range(height)
        for s in SIDES
        if not (0 <= step(Cell(x, y), s).x < width and 0 <= step(Cell(x, y), s).y < height)
    )
