"""The built-in formulas about layouts: what each takes and gives. What depends on pieces alone becomes a table here."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tablelaw.spec import types as ty
from tablelaw.spec.board_types import DIRECTION, FARTHEST_APART, HALF, PLACE, ROTATION, SIDE
from tablelaw.spec.core import Call, Const, Expr, Make
from tablelaw.spec.diagnostics import did_you_mean
from tablelaw.spec.grid import DIRECTIONS, HALVES, SIDES, turned
from tablelaw.spec.layouts import rim
from tablelaw.spec.pieces import Pieces
from tablelaw.spec.types import (
    BOOL,
    CellType,
    EdgeType,
    Enum,
    FeatureType,
    Int,
    LaidType,
    LayoutType,
    MapOf,
    Maybe,
    PartType,
    SetOf,
    Type,
    Unknown,
    told,
)
from tablelaw.spec.values import Map, Value

if TYPE_CHECKING:
    from tablelaw.spec.formulas import Typer

USES = {
    "frontier": "frontier(table)", "inside": "inside(table, cell)", "step": "step(cell, N, 1)",
    "neighbours8": "neighbours8(cell)", "fits": "fits(table, cell, face, rotation)",
    "place": "place(table, cell, face, rotation)", "rotations": "rotations(face)", "rotated": "rotated(side, rotation)",
    "links": "links(table, cell, face, rotation, kind)", "edges": "edges(table)", "open_edges": "open_edges(table, kind)",
    "rim": "rim(table)", "across": "across(edge)", "shows": "shows(table, edge)` or `shows(face, rotation, side)",
    "features": "features(table, kind)", "feature": "feature(table, part)", "touches": "touches(f, g)",
    "follow": "follow(table, edge)", "edge": "edge(cell, side)", "part": "part(cell, kind, side)",
    "parts": "parts(table, cell)",
}  # fmt: skip
"""How each is written."""


def board_call(t: Typer, node: ast.Call, hint: Type | None) -> Expr:
    """A built-in about layouts."""
    assert isinstance(node.func, ast.Name)
    name = node.func.id
    if t.names.cell is None and name not in ("rotated",):
        cure = "declare pieces under `pieces:`, and a variable of type `layout[…]`"
        return t.fail("R212", node, f"`{name}` speaks of layouts, and this game has none", help=cure)
    if node.keywords and name != "frontier":
        return t.fail("E104", node, f"`{name}` takes no named arguments", help=f"write `{USES[name]}`")
    return _Board(t, node, name).typed()


class _Bad(Exception):
    """Told already."""


class _Board:
    def __init__(self, t: Typer, node: ast.Call, name: str) -> None:
        self.t, self.node, self.name = t, node, name
        self.span = t.place(node)

    def typed(self) -> Expr:
        try:
            method = getattr(self, "_" + self.name)
            found: Expr = method()
        except _Bad:
            return self.t.bad(self.node)
        return found

    # arguments

    def args(self, least: int, most: int | None = None) -> list[ast.expr]:
        most = least if most is None else most
        if not least <= len(self.node.args) <= most:
            wanted = f"{least} argument{'' if least == 1 else 's'}" if least == most else f"{least} or {most} arguments"
            self.t.fail(
                "E104",
                self.node,
                f"`{self.name}` takes {wanted}, not {len(self.node.args)}",
                help=f"write `{USES[self.name]}`",
            )
            raise _Bad
        return self.node.args

    def sound(self, found: Expr) -> Expr:
        if isinstance(found.type, Unknown):
            raise _Bad
        return found

    def want(self, node: ast.expr, kind: Type, what: str) -> Expr:
        return self.sound(self.t.want(node, kind, what))

    @property
    def cell(self) -> CellType:
        assert self.t.names.cell is not None
        return self.t.names.cell

    @property
    def edge(self) -> EdgeType:
        return EdgeType(self.cell, SIDE)

    @property
    def kinds(self) -> Enum:
        if self.t.names.kinds is None:
            self.t.fail("R212", self.node, "the pieces of this game have no parts", help="declare kinds of part under `parts:`")
            raise _Bad
        return self.t.names.kinds

    def part_type(self, layout: LayoutType) -> PartType:
        return PartType(self.cell, self.kinds, PLACE, layout.pieces)

    def layout(self, node: ast.expr) -> tuple[Expr, LayoutType]:
        found = self.sound(self.t.expr(node))
        if not isinstance(found.type, LayoutType):
            self.t.fail(
                "T102",
                node,
                f"`{self.name}` takes a layout here, this is {told(found.type)}",
                help=f"write `{USES[self.name]}`",
            )
            raise _Bad
        return found, found.type

    def laying(self) -> tuple[list[Expr], LayoutType]:
        """Layout, cell, face, rotation: what every look at a piece to be laid takes."""
        nodes = self.node.args
        table, kind = self.layout(nodes[0])
        cell = self.want(nodes[1], self.cell, "the square")
        face = self.want(nodes[2], kind.faces, "the face")
        rotation = self.want(nodes[3], ROTATION, "the rotation")
        return [table, cell, face, rotation], kind

    def kind(self, node: ast.expr) -> Expr:
        return self.want(node, self.kinds, "the kind of part")

    def call(self, args: list[Expr], kind: Type, name: str = "") -> Expr:
        return Call(name or self.name, tuple(args), type=kind, span=self.span)

    def table(self, values: Map, kind: MapOf, *keys: Expr) -> Expr:
        """A look into a table known before play."""
        found: Expr = Const(values, type=kind, span=self.span)
        for key in keys:
            assert isinstance(found.type, MapOf)
            found = self.sound(self.t._index_of(found, key, found.type.value, self.node))
        return found

    # places

    def _step(self) -> Expr:
        nodes = self.args(2, 3)
        cell = self.want(nodes[0], self.cell, "the square")
        way = self.want(nodes[1], DIRECTION, "the direction")
        far = self.want(nodes[2], ty.INT, "how far") if len(nodes) > 2 else Const(1, type=Int(1, 1), span=self.span)
        return self.call([cell, way, far], self.cell)

    def _neighbours8(self) -> Expr:
        return self.call([self.want(self.args(1)[0], self.cell, "the square")], SetOf(self.cell))

    def _across(self) -> Expr:
        return self.call([self.want(self.args(1)[0], self.edge, "the edge")], self.edge)

    def _edge(self) -> Expr:
        nodes = self.args(2)
        parts = (self.want(nodes[0], self.cell, "the square"), self.want(nodes[1], SIDE, "the side"))
        return self._made(parts, self.edge)

    def _part(self) -> Expr:
        nodes = self.args(2, 3)
        parts: list[Expr] = [self.want(nodes[0], self.cell, "the square"), self.kind(nodes[1])]
        none = Const(None, type=ty.NOTHING, span=self.span)
        parts.append(self.want(nodes[2], Maybe(PLACE), "the side") if len(nodes) > 2 else none)
        return self._made(tuple(parts), PartType(self.cell, self.kinds, PLACE))

    def _made(self, parts: tuple[Expr, ...], kind: EdgeType | PartType) -> Expr:
        if all(isinstance(p, Const) for p in parts):
            return Const(ty.made(kind, [p.value for p in parts if isinstance(p, Const)]), type=kind, span=self.span)
        return Make(parts, type=kind, span=self.span)

    def _frontier(self) -> Expr:
        table, _ = self.layout(self.args(1)[0])
        apart = 1
        for word in self.node.keywords:
            known = self.t.expr(word.value) if word.arg == "apart" else None
            if not isinstance(known, Const) or not isinstance(known.value, int) or not 1 <= known.value <= FARTHEST_APART:
                self.t.fail(
                    "E104", word, f"`frontier` takes `apart` from 1 to {FARTHEST_APART}, known before play",
                    help="write `frontier(table, apart=2)`",
                )  # fmt: skip
                raise _Bad
            apart = known.value
        return self.call([table, Const(apart, type=Int(apart, apart), span=self.span)], SetOf(self.cell))

    def _inside(self) -> Expr:
        nodes = self.args(2)
        return self.call([self.layout(nodes[0])[0], self.want(nodes[1], self.cell, "the square")], BOOL)

    def _rim(self) -> Expr:
        node = self.args(1)[0]
        kind = self.t.names.variables.get(node.id) if isinstance(node, ast.Name) and node.id not in self.t.scope else None
        if not isinstance(kind, LayoutType):
            kind = self.layout(node)[1]
        if kind.width is None or kind.height is None:
            self.t.fail("T102", node, "a free grid has no border", help="declare a board: `layout[Tile, 5, 4]`")
            raise _Bad
        return Const(rim(kind.width, kind.height), type=SetOf(self.edge), span=self.span)

    # laying

    def _fits(self) -> Expr:
        self.args(4)
        return self.call(self.laying()[0], BOOL)

    def _place(self) -> Expr:
        self.args(4)
        parts, kind = self.laying()
        return self.call(parts, kind)

    def _links(self) -> Expr:
        nodes = self.args(5)
        parts, _ = self.laying()
        return self.call([*parts, self.kind(nodes[4])], SetOf(PLACE))

    def _rotations(self) -> Expr:
        node = self.args(1)[0]
        face, known = self.face(node)
        rows = {f: frozenset(known.rotations[f]) for f in known.faces}
        kind = MapOf(face.type, SetOf(ROTATION))
        return self.table(Map(rows), kind, face)

    def face(self, node: ast.expr) -> tuple[Expr, Pieces]:
        """A face, with the pieces it belongs to."""
        found = self.sound(self.t.sure(self.sound(self.t.expr(node)), node))
        kind = found.type
        for name, known in self.t.names.pieces.items():
            mine = self.t.names.types.get(name)
            if isinstance(kind, Enum) and isinstance(mine, Enum) and set(kind.values) <= set(mine.values):
                return found, known
        if isinstance(kind, Enum) and kind.name in self.t.names.faulty:
            raise _Bad
        self.t.fail("T102", node, f"`{self.name}` takes a face, this is {told(kind)}", help=f"write `{USES[self.name]}`")
        raise _Bad

    def _rotated(self) -> Expr:
        nodes = self.args(2)
        place = self.sound(self.t.expr(nodes[0]))
        rotation = self.want(nodes[1], ROTATION, "the rotation")
        kind = place.type
        inner = kind.elem if isinstance(kind, Maybe) else kind
        if not isinstance(inner, Enum) or inner.family != SIDE.family:
            self.t.fail(
                "T102",
                nodes[0],
                f"`rotated` turns a side, half or direction; this is {told(kind)}",
                help="write `rotated(side, rotation)`",
            )
            raise _Bad
        rows: dict[Value, Value] = {n: tuple(turned(n, r) for r in range(4)) for n in inner.values}
        result: Type = _ring(inner)
        if isinstance(kind, Maybe):
            rows[None] = (None,) * 4
            result = Maybe(result)
        turns = {k: Map(dict(enumerate(v))) for k, v in rows.items()}
        return self.table(Map(turns), MapOf(kind, MapOf(ROTATION, result)), place, rotation)

    # sides

    def _edges(self) -> Expr:
        return self.call([self.layout(self.args(1)[0])[0]], SetOf(self.edge))

    def _open_edges(self) -> Expr:
        nodes = self.args(2)
        return self.call([self.layout(nodes[0])[0], self.kind(nodes[1])], SetOf(self.edge))

    def _shows(self) -> Expr:
        nodes = self.args(2, 3)
        if len(nodes) == 2:
            return self.call([self.layout(nodes[0])[0], self.want(nodes[1], self.edge, "the edge")], SetOf(self.kinds))
        face, known = self.face(nodes[0])
        rotation = self.want(nodes[1], ROTATION, "the rotation")
        side = self.want(nodes[2], SIDE, "the side")
        rows = {f: Map({r: Map({s: known.shows[f, r, s] for s in SIDES}) for r in range(4)}) for f in known.faces}
        kind = MapOf(face.type, MapOf(ROTATION, MapOf(SIDE, SetOf(self.kinds))))
        return self.table(Map(rows), kind, face, rotation, side)

    def _follow(self) -> Expr:
        nodes = self.args(2)
        return self.call([self.layout(nodes[0])[0], self.want(nodes[1], self.edge, "the edge")], self.edge)

    # parts and features

    def _parts(self) -> Expr:
        nodes = self.args(2)
        table, kind = self.layout(nodes[0])
        return self.call([table, self.want(nodes[1], self.cell, "the square")], SetOf(self.part_type(kind)))

    def _features(self) -> Expr:
        nodes = self.args(2)
        table, kind = self.layout(nodes[0])
        return self.call([table, self.kind(nodes[1])], SetOf(FeatureType(kind)))

    def _feature(self) -> Expr:
        nodes = self.args(2)
        table, kind = self.layout(nodes[0])
        return self.call([table, self.want(nodes[1], PartType(self.cell, self.kinds, PLACE), "the part")], FeatureType(kind))

    def _touches(self) -> Expr:
        found = [self.sound(self.t.expr(n)) for n in self.args(2)]
        for e, n in zip(found, self.node.args, strict=True):
            if not isinstance(e.type, FeatureType):
                self.t.fail("T102", n, f"`touches` takes features, this is {told(e.type)}", help="write `touches(f, g)`")
                raise _Bad
        return self.call(found, BOOL)


def _ring(kind: Enum) -> Enum:
    """The type of what a place turns into."""
    if set(kind.values) <= set(SIDES):
        return SIDE
    if set(kind.values) <= set(HALVES):
        return HALF
    return DIRECTION if set(kind.values) <= set(DIRECTIONS) else PLACE


def board_field(t: Typer, base: Expr, kind: Type, node: ast.Attribute) -> Expr | None:
    """The type of a field of a cell, edge, part, laid piece or feature; None for other values."""
    fields = dict(fields_of(t, kind))
    if not fields:
        return None
    from tablelaw.spec.core import Field

    found = fields.get(node.attr)
    span = t.place(node)
    if found is None:
        near = did_you_mean(node.attr, fields)
        cure = f"did you mean `{near}`?" if near else "its fields are " + ", ".join(f"`{n}`" for n in list(fields)[:12])
        return t.fail("R204", node, f"{told(kind)} has no field `{node.attr}`", help=cure)
    if isinstance(base, Const) and base.value is not None:
        return Const(ty.taken(base.value, node.attr), type=found, span=span)
    return Field(base, node.attr, type=found, span=span)


def fields_of(t: Typer, kind: Type) -> list[tuple[str, Type]]:
    """The named fields of a value of the grid."""
    match kind:
        case CellType() | EdgeType():
            return list(kind.fields)
        case PartType():
            own = _of_parts(t, kind.seen) if kind.seen is not None else {}
            sides: list[tuple[str, Type]] = [("sides", SetOf(PLACE))] if kind.seen is not None else []
            return [*kind.fields, *sides, *own.items()]
        case LaidType(layout):
            assert t.names.cell is not None
            inner: list[tuple[str, Type]] = [("face", layout.faces), ("rotation", ROTATION)]
            if t.names.kinds is not None:
                inner.append(("parts", SetOf(PartType(t.names.cell, t.names.kinds, PLACE, layout.pieces))))
            assert layout.pieces is not None
            table = t.names.attributes.get(layout.faces.family, {})
            return [*inner, *((n, table[n][0]) for n in layout.pieces.attributes)]
        case FeatureType(layout):
            assert t.names.cell is not None
            assert t.names.kinds is not None
            n = layout.limit
            part = PartType(t.names.cell, t.names.kinds, PLACE, layout.pieces)
            numbers = [(name, k) for name, k in _of_parts(t, layout.pieces).items() if isinstance(k, Int)]
            return [
                ("kind", t.names.kinds), ("parts", SetOf(part)), ("cells", SetOf(t.names.cell)), ("size", Int(0, n)),
                ("open", Int(0, 8 * n)), ("closed", BOOL), ("loops", Int(0, 8 * n)),
                *((name, Int(min(0, (k.lo or 0) * 12 * n), (k.hi or 0) * 12 * n)) for name, k in numbers),
            ]  # fmt: skip
    return []


def _of_parts(t: Typer, pieces: Pieces | None) -> dict[str, Type]:
    found: dict[str, Type] = {}
    for kind in pieces.kinds if pieces is not None else ():
        for n, k in t.names.part_attributes.get(kind, {}).items():
            old = found.get(n)
            found[n] = k if old is None else (ty.join(old, k) or k)
    return found
