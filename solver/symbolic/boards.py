"""The built-in formulas about layouts, as truths over the squares of `squares.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.symbolic.guarded import Cases, Guarded, Laid, Table
from tablelaw.solver.symbolic.parts import Holding, Kind
from tablelaw.solver.symbolic.sums import Truth, conj, disj, neg, total
from tablelaw.spec import types as ty
from tablelaw.spec.core import Call
from tablelaw.spec.grid import FACING, OPPOSITE, SIDES, Cell, Edge, Part, across, neighbours8, side_of, step
from tablelaw.spec.types import CellType, EdgeType, PartType, Type

if TYPE_CHECKING:
    from tablelaw.solver.symbolic.reading import Reading

NO_PLACE = "a free layout has no place of its own, and the formula names squares by their numbers"


class Boards:
    """What a `Reading` knows of layouts."""

    def __init__(self, reading: Reading) -> None:
        self.r, self.squares = reading, reading.squares
        self._kinds: dict[str, Kind] = {}
        self._on: dict[Edge, list[Guarded]] = {}

    def kind(self, name: str) -> Kind:
        """The parts of a kind."""
        if name not in self._kinds:
            self._kinds[name] = Kind(self.squares, name)
        return self._kinds[name]

    def anywhere(self, kind: Type) -> None:
        """Refuse squares by their numbers where a layout may lie anywhere."""
        if self.r.kind.width is None and names_squares(kind):
            raise Unlowerable(NO_PLACE)

    def inside(self, cell: Cell) -> bool:
        """Does the square belong to the board?"""
        width, height = self.r.kind.width, self.r.kind.height
        return width is None or height is None or (0 <= cell.x < width and 0 <= cell.y < height)

    # fields

    def laid_field(self, piece: Laid, name: str, kind: Type) -> Any:
        """A field of the piece on a square."""
        if name == "parts":
            return self.parts(piece.cell)
        pieces = self.squares.pieces
        found: list[Guarded] = []
        for (f, r), lies in self.squares.lies.get(piece.cell, {}).items():
            found.append((lies, f if name == "face" else r if name == "rotation" else pieces.attribute(f, name, r)))
        return self.r.gathered(kind, found) if found else ty.default(kind)

    def feature_field(self, f: Holding, name: str) -> Any:
        """A field of a feature."""
        match name:
            case "kind":
                return f.kind.name
            case "parts":
                return self.r.members(
                    [
                        (conj(lies, f.member[c, p.at[0] if p.at else None]), seen(c, p))
                        for c in self.squares.cells
                        for w, lies in self.squares.lies[c].items()
                        for p in f.kind.own[w]
                    ]
                )
            case "cells":
                return self.r.members([(g, c) for c, g in f.cells().items()])
            case "size":
                return f.size()
            case "open":
                return total(f.open_ends(), f.rim)
            case "closed":
                return neg(disj(*f.open_ends()))
            case "loops":
                return f.loops()
        return f.adds(name)

    def parts(self, cell: Cell) -> Any:
        """The parts of the piece on a square."""
        pieces = self.squares.pieces
        each = self.squares.lies.get(cell, {}).items()
        return self.r.members([(lies, seen(cell, p)) for w, lies in each for p in pieces.parts[w]])

    # built-ins

    def call(self, e: Call, args: list[Any]) -> Any:
        """A built-in about layouts."""
        if e.name == "touches":
            return disj(*(conj(g, h, a.touches(b)) for g, a in self.r.cases(args[0]) for h, b in self.r.cases(args[1])))
        method = getattr(self, "_" + e.name, None)
        if method is None:
            raise Unlowerable(f"z3 does not read `{e.name}` of a layout")
        of_layout = bool(e.args) and isinstance(e.args[0].type, ty.LayoutType)
        if of_layout and not isinstance(args[0], Table):
            raise Unlowerable("z3 is told of one layout alone, and the formula makes another")
        rest = [self.r.cases(a) for a in args[of_layout:]]
        return self.r.gathered(e.type, [(g, method(g, *values)) for g, values in products(rest)])

    def _inside(self, guard: Truth, cell: Cell) -> bool:
        return self.inside(cell)

    def _step(self, guard: Truth, cell: Cell, way: str, far: int) -> Cell:
        return step(cell, way, far)

    def _neighbours8(self, guard: Truth, cell: Cell) -> frozenset[Cell]:
        return frozenset(neighbours8(cell))

    def _across(self, guard: Truth, edge: Edge) -> Edge:
        return across(edge)

    def _frontier(self, guard: Truth, apart: int) -> Any:
        near: dict[Cell, Truth] = {c: self.squares.laid(c) for c in self.squares.cells}
        for _ in range(apart):
            wider = dict(near)
            for c, g in near.items():
                for s in SIDES:
                    wider[step(c, s)] = disj(wider.get(step(c, s), False), g)
            near = wider
        return self.r.members([(conj(g, neg(self.squares.laid(c))), c) for c, g in near.items() if self.inside(c)])

    def _fits(self, guard: Truth, cell: Cell, face: str, rotation: int) -> Truth:
        pieces = self.squares.pieces
        if not self.inside(cell) or self.squares.size >= self.r.kind.limit or (not pieces.free and rotation % 4):
            return False
        kept = [neg(self.squares.laid(cell))]
        for s in SIDES:
            mine = pieces.shows[face, rotation % 4, s]
            bad = self.squares.some(
                step(cell, s),
                lambda w, s=s, mine=mine: (mine, pieces.shows[(*w, OPPOSITE[s])]) not in pieces.allowed,  # type: ignore[misc]
            )
            kept.append(neg(bad))
        return conj(*kept)

    def _links(self, guard: Truth, cell: Cell, face: str, rotation: int, kind: str) -> Any:
        known = self.kind(kind)
        facing = FACING if known.halves else OPPOSITE
        found: list[Guarded] = []
        for p in self.squares.pieces.parts[face, rotation]:
            if p.kind == kind:
                found += [(known.present.get((step(cell, side_of(at)), facing[at]), False), at) for at in p.at]
        return self.r.members(found)

    def _edges(self, guard: Truth) -> Any:
        return self.r.members([(self.squares.laid(c), Edge(c, s)) for c in self.squares.cells for s in SIDES])

    def _open_edges(self, guard: Truth, kind: str) -> Any:
        found: list[Guarded] = []
        for c in self.squares.cells:
            for s in SIDES:
                there = across(Edge(c, s))
                if self.inside(there.cell):
                    shown = self.squares.some(c, lambda w, s=s: kind in self.squares.pieces.shows[(*w, s)])  # type: ignore[misc]
                    found.append((conj(shown, neg(self.squares.laid(there.cell))), there))
        return self.r.members(found)

    def _shows(self, guard: Truth, edge: Edge) -> Any:
        pieces = self.squares.pieces
        return self.r.members(
            [(self.squares.some(edge.cell, lambda w, k=k: k in pieces.shows[(*w, edge.side)]), k) for k in pieces.kinds]  # type: ignore[misc]
        )

    def _parts(self, guard: Truth, cell: Cell) -> Any:
        return self.parts(cell)

    def _features(self, guard: Truth, kind: str) -> Any:
        return self.r.members([(f.there, f) for f in self.kind(kind).labels().roots])

    def _feature(self, guard: Truth, part: Part) -> Any:
        known = self.kind(part.kind)
        node = (part.cell, part.side)
        if node not in known.present:
            self.r.fault(guard)
            return Holding(known, dict.fromkeys(known.nodes, False), False)
        self.r.fault(conj(guard, neg(known.present[node])))
        return known.labels().at(node)

    def _follow(self, guard: Truth, edge: Edge) -> Any:
        at: dict[Edge, Truth] = {edge: True}
        found: dict[Edge, Truth] = {}
        for _ in range(4 * self.squares.size + 1):  # each side of a piece is entered once at most
            after: dict[Edge, Truth] = {}
            for e, g in at.items():
                ways = self._ways_on(e)
                found[e] = disj(found.get(e, False), conj(g, neg(disj(*(h for h, _ in ways)))))
                for h, there in ways:
                    known = conj(g, h)
                    if there == edge:
                        found[edge] = disj(found.get(edge, False), known)
                    else:
                        after[there] = disj(after.get(there, False), known)
            at = {e: g for e, g in after.items() if g is not False}
            if not at:
                break
        return Cases(tuple((g, e) for e, g in found.items() if g is not False))

    def _ways_on(self, edge: Edge) -> list[Guarded]:
        """Where a line that enters there comes out, one square on."""
        if edge not in self._on:
            found: dict[str, list[Truth]] = {}
            for w, lies in self.squares.lies.get(edge.cell, {}).items():
                way_out = self.squares.pieces.through[w].get(edge.side)
                if way_out is not None:
                    found.setdefault(way_out, []).append(lies)
            self._on[edge] = [(disj(*gs), across(Edge(edge.cell, s))) for s, gs in found.items()]
        return self._on[edge]


def names_squares(kind: Type) -> bool:
    """Does a value of the type name squares?"""
    match kind:
        case CellType() | EdgeType() | PartType():
            return True
        case ty.SetOf(elem) | ty.BagOf(elem, _) | ty.ListOf(elem, _) | ty.Maybe(elem):
            return names_squares(elem)
        case ty.MapOf(key, value):
            return names_squares(key) or names_squares(value)
        case ty.Record(_, fields):
            return any(names_squares(t) for _, t in fields)
    return isinstance(kind, ty.LayoutType)


def seen(cell: Cell, p: Any) -> Part:
    """A part as formulas read it."""
    return Part(cell, p.kind, p.at[0] if p.at else None, frozenset(p.at), dict(p.attributes))


def products(rest: list[list[Guarded]]) -> list[tuple[Truth, list[Any]]]:
    """Every choice of one case of each argument."""
    found: list[tuple[Truth, list[Any]]] = [(True, [])]
    for cases in rest:
        found = [(known, [*values, v]) for g, values in found for h, v in cases if (known := conj(g, h)) is not False]
        if len(found) > 4000:
            raise Unlowerable("a formula has too many cases for z3")
    return found
