"""The built-in formulas about places and layouts, and the fields of what they give."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import z3

from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.symbolic.open import boards as b
from tablelaw.solver.symbolic.open.values import (
    FALSE,
    FEATURE,
    TRUE,
    Bound,
    CellV,
    EdgeV,
    FeatureV,
    LaidV,
    LayoutV,
    MaybeV,
    PartV,
    SetV,
    Term,
    both,
    equal,
    fitted,
    flat,
    listed_set,
    no,
    number,
    pack,
    sorts,
    typed,
)
from tablelaw.spec import types as ty
from tablelaw.spec.board_types import FAMILY, ROTATION, SIDE
from tablelaw.spec.core import Call
from tablelaw.spec.grid import DIRECTIONS, SIDES
from tablelaw.spec.types import Bool, Enum, FeatureType, Int, LayoutType, Maybe, SetOf, Type

if TYPE_CHECKING:
    from tablelaw.solver.symbolic.open.formulas import Reader


def contains(r: Reader, a: Any, collection: LayoutV | FeatureV) -> Term:
    """A square in a layout, a part in a feature."""
    if isinstance(collection, LayoutV):
        r.table(collection.type)
        return b.laid(collection.term, a.x, a.y)
    return b.joins(collection.term, *a.key)


def field_of(r: Reader, owner: Any, name: str, kind: Type, owner_type: Type) -> Any:
    """A field of a square, edge, part, laid piece or feature."""
    match owner:
        case CellV():
            return owner.x if name == "x" else owner.y
        case EdgeV():
            return owner.cell if name == "cell" else owner.side
        case PartV():
            return _of_part(r, owner, name, kind)
        case LaidV():
            return _of_piece(r, owner, name, kind)
        case FeatureV():
            return _of_feature(r, owner, name, kind)
    raise Unlowerable("this is not told with the board left open")


def _plain(kind: Type) -> Any:
    if not isinstance(kind, (Bool, Int, Enum)):
        raise Unlowerable("this attribute is not told with the board left open")
    return sorts(kind)[0]


def _of_part(r: Reader, part: PartV, name: str, kind: Type) -> Any:
    match name:
        case "cell":
            return part.cell
        case "kind":
            return part.kind
        case "side":
            return MaybeV(no(equal(part.side, number(-1))), part.side)
    if part.origin is None:
        raise Unlowerable("of which table a part was read is not known here")
    if name == "sides":
        return _opaque(r, "sides of a part", [part.origin, *part.key], kind)
    sort = _plain(kind)
    r.part_attributes[name] = sort
    found = b.attribute(name, sort)(part.origin, *part.key)
    r.fact(z3.Implies(b.has_part(part.origin, *part.key), both(typed(found, kind))))
    return found


def _of_piece(r: Reader, piece: LaidV, name: str, kind: Type) -> Any:
    layout, cell = piece.layout, piece.cell
    if name == "parts":
        return parts(r, layout, cell)
    lies = b.laid(layout.term, cell.x, cell.y)
    if name in ("face", "rotation"):
        found = (b.face_of if name == "face" else b.rotation_of)(layout.term, cell.x, cell.y)
        r.fact(z3.Implies(lies, both(typed(found, kind) if name == "face" else typed(found, ROTATION))))
        return found
    face, turn = (f(layout.term, cell.x, cell.y) for f in (b.face_of, b.rotation_of))
    r.fact(z3.Implies(lies, both([*typed(face, layout.type.faces), *typed(turn, ROTATION)])))
    return r.table(layout.type).attribute(name, kind, face, turn)


def _of_feature(r: Reader, f: FeatureV, name: str, kind: Type) -> Any:
    match name:
        case "kind":
            return b.kind_of(f.term)
        case "size":
            return b.size_of(f.term)
        case "open":
            return b.open_of(f.term)
        case "closed":
            return b.open_of(f.term) == 0
        case "loops":
            return b.loops_of(f.term)
        case "cells":
            return _cells(r, f)
        case "parts":
            return _parts_of(r, f, kind)
    return b.total(name)(f.term)


def _cells(r: Reader, f: FeatureV) -> SetV:
    def bind() -> Iterator[Bound]:
        names = r.opened([z3.IntSort()] * 2)
        yield names, CellV(*names), b.covers(f.term, *names)
        r.close(names)

    return SetV(f.type.cell, lambda c: b.covers(f.term, c.x, c.y), None, bind)


def _parts_of(r: Reader, f: FeatureV, kind: Type) -> SetV:
    assert isinstance(kind, SetOf)

    def bind() -> Iterator[Bound]:
        names = r.opened([z3.IntSort()] * 4)
        yield names, PartV(CellV(*names[:2]), *names[2:]), b.owns(f.term, *names)
        r.close(names)

    return SetV(kind.elem, lambda p: b.owns(f.term, *p.key), None, bind)


def parts(r: Reader, layout: LayoutV, cell: CellV) -> SetV:
    """The parts of the piece on a square."""
    r.table(layout.type)
    kinds = r.game.names.kinds
    assert kinds is not None
    elem = ty.PartType(layout.type.cell, kinds, ty.Enum("", FAMILY, FAMILY), layout.type.pieces)

    def bind() -> Iterator[Bound]:
        names = r.opened([z3.IntSort()] * 2)
        part = PartV(cell, names[0], names[1], layout.term)
        yield names, part, b.has_part(layout.term, *part.key)
        r.close(names)

    def member(p: PartV) -> Term:
        return both([b.same_cell(p.cell, cell), b.has_part(layout.term, *p.key)])

    return SetV(elem, member, None, bind)


def _opaque(r: Reader, name: str, args: list[Term], kind: Type) -> Any:
    """A value of which nothing is known but that it is the same for the same."""
    row = []
    for i, s in enumerate(sorts(kind)):
        f = z3.Function(f"{name}, {i}", *(a.sort() for a in args), s)
        row.append(f(*args))
    return pack(kind, row)


def call(r: Reader, e: Call, args: list[Any]) -> Any:
    """A built-in formula about places or layouts."""
    types = [a.type for a in e.args]
    if args and isinstance(args[0], LayoutV):
        r.table(args[0].type)
        found = _of_layout(r, e, args, types)
        if found is not None:
            return found
    cell = r.game.names.cell
    match e.name:
        case "step":
            assert cell is not None
            return b.step(fitted(args[0], cell), fitted(args[1], types[1]), fitted(args[2], ty.INT))
        case "neighbours8":
            assert cell is not None
            at = fitted(args[0], cell)
            return listed_set(cell, [(b.moved(at, d, number(1)), TRUE) for d in DIRECTIONS])
        case "across":
            return across(args[0])
        case "edge":
            return EdgeV(args[0], args[1])
        case "touches":
            return _opaque(r, "touches", [args[0].term, args[1].term], ty.BOOL)
    row = [x for a, t in zip(args, types, strict=True) for x in flat(a, t)]
    return _opaque(r, e.name, row, e.type)


def across(e: EdgeV) -> EdgeV:
    """The same line from the other side."""
    return EdgeV(b.step(e.cell, e.side, number(1)), b.opposite(e.side))


def _of_layout(r: Reader, e: Call, args: list[Any], types: list[Type]) -> Any:
    layout: LayoutV = args[0]
    table = r.table(layout.type)
    cell = layout.type.cell
    match e.name:
        case "inside":
            return b.inside(layout.type, fitted(args[1], cell))
        case "frontier":
            return _frontier(r, layout, args[1])
        case "edges":
            return _edges(r, layout)
        case "fits":
            return table.fits(layout, fitted(args[1], cell), fitted(args[2], layout.type.faces), fitted(args[3], ROTATION))
        case "place":
            at, face, turn = fitted(args[1], cell), fitted(args[2], layout.type.faces), fitted(args[3], ROTATION)
            new, facts = table.place(layout, at, face, turn, r.part_attributes)
            for f in facts:
                r.fact(f)
            return new
        case "shows" if len(args) == 2:
            edge = args[1]
            shown = table.shown(layout, edge.cell, edge.side)
            kinds = r.game.names.kinds
            assert kinds is not None
            return listed_set(kinds, [(number(table.known(k)), c) for k, c in shown.items()])
        case "parts":
            return parts(r, layout, fitted(args[1], cell))
        case "feature":
            return table.feature(layout, fitted(args[1], types[1].elem if isinstance(types[1], Maybe) else types[1]))
        case "features":
            return _features(r, layout, args[1])
        case "open_edges":
            return _open_edges(r, layout, args[1])
    return None


def _frontier(r: Reader, layout: LayoutV, apart: Term) -> SetV:
    def bind() -> Iterator[Bound]:
        names = r.opened([z3.IntSort()] * 2)
        yield names, CellV(*names), b.frontier(layout.term, apart, *names)
        r.close(names)

    return SetV(layout.type.cell, lambda c: b.frontier(layout.term, apart, c.x, c.y), None, bind)


def _edge_type(layout: LayoutType) -> ty.EdgeType:
    return ty.EdgeType(layout.cell, SIDE)


def _edges(r: Reader, layout: LayoutV) -> SetV:
    def bind() -> Iterator[Bound]:
        for s in SIDES:
            names = r.opened([z3.IntSort()] * 2)
            yield names, EdgeV(CellV(*names), number(FAMILY.index(s))), b.laid(layout.term, *names)
            r.close(names)

    return SetV(_edge_type(layout.type), lambda e: b.laid(layout.term, e.cell.x, e.cell.y), None, bind)


def _open_edges(r: Reader, layout: LayoutV, kind: Term) -> SetV:
    def member(e: EdgeV) -> Term:
        near = across(e)
        shown = b.shows_kind(layout.term, near.cell.x, near.cell.y, near.side, kind)
        return both([no(b.laid(layout.term, e.cell.x, e.cell.y)), b.inside(layout.type, e.cell), shown])

    def bind() -> Iterator[Bound]:
        for s in SIDES:
            names = r.opened([z3.IntSort()] * 2)
            edge = EdgeV(CellV(*names), number(FAMILY.index(s)))
            yield names, edge, member(edge)
            r.close(names)

    return SetV(_edge_type(layout.type), member, None, bind)


def _features(r: Reader, layout: LayoutV, kind: Term) -> SetV:
    def member(f: FeatureV) -> Term:
        return both([b.is_feature(layout.term, f.term), equal(b.kind_of(f.term), kind)])

    def bind() -> Iterator[Bound]:
        names = r.opened([FEATURE])
        f = FeatureV(names[0], layout.type)
        yield names, f, member(f)
        r.close(names)

    return SetV(FeatureType(layout.type), member, None, bind)


__all__ = ["FALSE"]
