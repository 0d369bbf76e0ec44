"""Layouts: pieces laid on a square grid, and what their parts make together. The meaning, plainly told.

`solver/layout/reference.py` tells the same as graphs, `solver/layout/kernel.py` on packed numbers; tests hold all to one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from tablelaw.spec.grid import FACING, OPPOSITE, SIDES, Cell, Edge, Part, across, neighbours8, side_of, step, turned
from tablelaw.spec.operators import Fault
from tablelaw.spec.pieces import Pieces, Shown
from tablelaw.spec.values import Value

Laid = tuple[str, int]
"""A face and its quarter turns."""


@lru_cache(maxsize=512)
def _near(laid: frozenset[Cell], apart: int) -> frozenset[Cell]:
    """The squares up to so many steps from one of these, without these; few are kept, for a search meets a place again soon."""
    around = [(dx, dy) for dx in range(-apart, apart + 1) for dy in range(abs(dx) - apart, apart - abs(dx) + 1)]
    return frozenset({Cell(c.x + dx, c.y + dy) for c in laid for dx, dy in around}) - laid


class Layout:
    """Laid pieces by square; equal when the same faces lie the same way on the same squares.

    `width` and `height` bound the board, or are None on a free grid; `limit` is the most pieces it takes.
    """

    __slots__ = ("_features", "_hash", "cells", "height", "limit", "pieces", "width")

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
        self._features: dict[str, frozenset[Feature]] = {}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Layout) and self.cells == other.cells

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.cells.items()))
        return self._hash

    def __len__(self) -> int:
        return len(self.cells)

    def __contains__(self, cell: object) -> bool:
        return cell in self.cells

    def __iter__(self) -> Iterator[Cell]:
        return iter(sorted(self.cells, key=lambda c: (c.y, c.x)))

    def __repr__(self) -> str:
        return f"Layout({ {tuple(c): f'{f}/{r}' for c, (f, r) in self.cells.items()} })"

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
        if self.width is None or self.height is None:
            return _near(frozenset(self.cells), apart)
        return frozenset(c for c in _near(frozenset(self.cells), apart) if self.inside(c))

    # laying

    def fits(self, cell: Cell, face: str, rotation: int) -> bool:
        """Inside, empty, and every contact kept; a fault where there is no such rotation."""
        quarter_turns(rotation)
        if cell in self.cells or not self.inside(cell) or len(self.cells) >= self.limit:
            return False
        if not self.pieces.free and rotation % 4:
            return False
        for side in SIDES:
            near = self.cells.get(step(cell, side))
            if near is not None:
                pair = (self.pieces.shows[face, rotation, side], self.pieces.shows[(*near, OPPOSITE[side])])
                if pair not in self.pieces.allowed:
                    return False
        return True

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
        near = self.cells.get(cell)
        if near is None:
            return frozenset()
        return frozenset(
            Part(cell, p.kind, p.at[0] if p.at else None, frozenset(p.at), dict(p.attributes)) for p in self.pieces.parts[near]
        )

    def part_at(self, cell: Cell, kind: str, side: str | None) -> Part | None:
        """The part of a kind at a side (half) of a square; of a kind inside, the one there is."""
        for p in self.parts(cell):
            if p.kind == kind and (side in p.sides or (side is None and not p.sides)):
                return p
        return None

    def features(self, kind: str) -> frozenset[Feature]:
        """All features of a kind."""
        found = self._features.get(kind)
        if found is None:
            found = self._features[kind] = frozenset(self._grow(kind))
        return found

    def _grow(self, kind: str) -> Iterator[Feature]:
        facing = FACING if self.pieces.halves(kind) else OPPOSITE
        owner: dict[tuple[Cell, str], Part] = {}
        every = [p for c in self for p in sorted(self.parts(c), key=lambda p: str(p.side)) if p.kind == kind]
        for p in every:
            owner.update({(p.cell, at): p for at in p.sides})
        seen: set[Part] = set()
        for first in every:
            if first in seen:
                continue
            members, waiting, open_ends = [first], [first], 0
            joined: set[frozenset[Part]] = set()
            seen.add(first)
            while waiting:
                p = waiting.pop()
                for at in p.sides:
                    there = step(p.cell, side_of(at))
                    other = owner.get((there, facing[at]))
                    if other is None:
                        open_ends += there not in self.cells
                        continue
                    joined.add(frozenset((p, other)))
                    if other not in seen:
                        seen.add(other)
                        members.append(other)
                        waiting.append(other)
            yield Feature(self, kind, frozenset(members), open_ends, len(joined))

    def feature(self, part: Part) -> Feature:
        """The feature of a part; a fault where there is no such part."""
        found = self.part_at(part.cell, part.kind, part.side)
        if found is None:
            raise Fault("index", f"there is no such part on {tuple(part.cell)}")
        return next(f for f in self.features(part.kind) if found in f.parts)

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


class Feature:
    """All parts of a kind that are joined through touching sides. `open` counts sides to squares where nothing lies."""

    __slots__ = ("cells", "joined", "kind", "layout", "open", "parts")

    def __init__(self, layout: Layout, kind: str, parts: frozenset[Part], open_ends: int, joined: int) -> None:
        self.layout, self.kind, self.parts, self.open, self.joined = layout, kind, parts, open_ends, joined
        self.cells = frozenset(p.cell for p in parts)

    @property
    def size(self) -> int:
        """How many squares it lies on."""
        return len(self.cells)

    @property
    def closed(self) -> bool:
        """Has it no side to an empty square?"""
        return self.open == 0

    @property
    def loops(self) -> int:
        """How many independent ways round it has: joined pairs less parts, plus one."""
        return self.joined - len(self.parts) + 1

    def total(self, attribute: str) -> int:
        """A numeric attribute summed over its parts."""
        return sum(int(str(p.attributes.get(attribute, 0))) for p in self.parts)

    def read(self, name: str) -> Value:
        """A field, or a numeric attribute summed."""
        if name in ("kind", "parts", "cells", "size", "open", "closed", "loops"):
            return getattr(self, name)
        return self.total(name)

    def touches(self, other: Feature) -> bool:
        """Are parts of both neighbours along one piece's rim?"""
        layout = self.layout
        for cell in self.cells & other.cells:
            lies = layout.cells[cell]
            parts = layout.pieces.parts[lies]
            named = [Part(cell, p.kind, p.at[0] if p.at else None) for p in parts]
            mine = {i for i, p in enumerate(named) if p in self.parts}
            theirs = {i for i, p in enumerate(named) if p in other.parts}
            if any(a in mine and b in theirs for a, b in layout.pieces.around[lies]):
                return True
        return False

    def __contains__(self, part: object) -> bool:
        return isinstance(part, Part) and self.has(part)

    def has(self, part: Part) -> bool:
        """Is the part (named by any of its sides) one of its parts?"""
        return any(
            p.cell == part.cell and p.kind == part.kind and (part.side in p.sides or (part.side is None and not p.sides))
            for p in self.parts
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Feature) and self.kind == other.kind and self.parts == other.parts

    def __hash__(self) -> int:
        return hash((self.kind, self.parts))


BOARD: dict[str, Callable[..., Value]] = {
    "laid": Layout.laid,
    "frontier": Layout.frontier,
    "inside": Layout.inside,
    "step": step,
    "neighbours8": lambda cell: frozenset(neighbours8(cell)),
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
