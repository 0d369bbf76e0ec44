"""A claim about every edge or square of a board, told of one: a window of two squares that a play fills or leaves alone.

`all(… for e in edges(table))` holds throughout just when it holds of each single edge. Of the board the projection then
keeps, beside its size, what lies on both sides of one edge that nobody chose; a piece is laid on one of its squares or
elsewhere, and where the rules ask that a piece fits, it fits beside what the window shows.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tablelaw.spec.board_types import ROTATION, SIDE
from tablelaw.spec.core import Agg, Binder, Call, Const, Expr, Field, If, Index, Items, Let, Local, Make, Op, Var, children
from tablelaw.spec.grid import OPPOSITE, SIDES, Cell, step
from tablelaw.spec.layouts import Laid, Layout
from tablelaw.spec.types import BOOL, CellType, EdgeType, Enum, Int, LayoutType, MapOf, Record, SetOf, Type
from tablelaw.spec.values import Map, Value

NAME = "window"
WHERE = Int(0, 2)
"""Where a piece is laid: elsewhere, on the square of the window's edge, on the square across."""


@dataclass(frozen=True)
class Claim:
    """A formula that contains one `all` over the edges or squares of a layout variable, and that part of it."""

    whole: Expr
    part: Agg
    table: str
    kind: LayoutType


def claim_of(e: Expr) -> Claim | None:
    """The claim about all edges or squares that a formula makes, where it makes one in so many words."""
    found = _every(e)
    if found is None:
        return None
    base = _domain(found.binders[0].domain)
    assert base is not None
    assert isinstance(base[0].type, LayoutType)
    return Claim(e, found, base[0].name, base[0].type)


def _domain(domain: Expr | Type) -> tuple[Var, bool] | None:
    """The layout whose edges or squares a `for` walks over, and whether it is that before the step."""
    match domain:
        case Call("old", (Call("edges", (Var() as table,)),)):
            return table, True
        case Call("edges", (inner,)):
            return _table(inner)
        case Expr():
            return _table(domain)
    return None


def _table(e: Expr) -> tuple[Var, bool] | None:
    if isinstance(e, Call) and e.name == "old" and isinstance(e.args[0], Var):
        return e.args[0], True
    return (e, False) if isinstance(e, Var) and isinstance(e.type, LayoutType) else None


def _every(e: Expr) -> Agg | None:
    match e:
        case Op("and" | "or", args):
            found = [x for x in map(_every, args) if x is not None]
            return found[0] if len(found) == 1 else None
        case Agg("all", (Binder(_, domain, kind, _),), _) if isinstance(domain, Expr):
            base = _domain(domain)
            if base is not None and isinstance(base[0].type, LayoutType) and isinstance(kind, (EdgeType, CellType)):
                return e
    return None


class Window:
    """What the projection keeps of the two squares beside one edge of a layout."""

    def __init__(self, claim: Claim) -> None:
        assert claim.kind.pieces is not None
        self.claim, self.table, self.pieces = claim, claim.table, claim.kind.pieces
        self.faces = claim.kind.faces
        self.lies: list[Laid] = [(f, r) for f in self.pieces.faces for r in self.pieces.rotations[f]]
        self.codes = {laid: i + 1 for i, laid in enumerate(self.lies)}
        self.code = Int(0, len(self.lies))
        self.record = Record("Window", (("side", SIDE), ("here", self.code), ("there", self.code)))

    # positions

    def starts(self, layout: Layout) -> frozenset[Map]:
        """What windows on a layout show."""
        found = {self._shown(layout, Cell(0, 0), s) if not layout.cells else self._far(s) for s in SIDES}
        for c in layout.cells:
            for s in SIDES:
                found |= {self._shown(layout, c, s), self._shown(layout, step(c, s), OPPOSITE[s])}
        return frozenset(found)

    def _far(self, side: str) -> Map:
        return Map([("side", side), ("here", 0), ("there", 0)])

    def _shown(self, layout: Layout, cell: Cell, side: str) -> Map:
        here, there = layout.cells.get(cell), layout.cells.get(step(cell, side))
        return Map([("side", side), ("here", self.codes[here] if here else 0), ("there", self.codes[there] if there else 0)])

    # formulas about the window

    def part(self, name: str) -> Expr:
        """A field of the window."""
        kind = self.record.field_type(name)
        assert kind is not None
        return Field(Var(NAME, type=self.record), name, type=kind)

    @property
    def across(self) -> Expr:
        """The window's side as it is called from the square across."""
        return _look(Map(OPPOSITE), SIDE, SIDE, self.part("side"))

    def coded(self, face: Expr, rotation: Expr) -> Expr:
        """The number of a face that lies turned."""
        faces = self.pieces.faces
        rows = {f: Map({r: self.codes.get((f, self.pieces.canonical[f, r]), 0) for r in range(4)}) for f in faces}
        return _look(_look_map(rows), self.faces, MapOf(ROTATION, self.code), face, rotation)

    def fits(self, where: Expr, face: Expr, rotation: Expr) -> Expr:
        """A condition that holds wherever the piece fits, as far as the window shows."""
        here, there = self.part("here"), self.part("there")
        on_here = self._beside(face, rotation, self.part("side"), here, there)
        on_there = self._beside(face, rotation, self.across, there, here)
        return both(either(differs(where, 1), on_here), either(differs(where, 2), on_there))

    def _beside(self, face: Expr, rotation: Expr, side: Expr, mine: Expr, other: Expr) -> Expr:
        rows = {f: Map({r: Map({s: self._allowed(f, r, s) for s in SIDES}) for r in range(4)}) for f in self.pieces.faces}
        kind = MapOf(ROTATION, MapOf(SIDE, MapOf(self.code, BOOL)))
        contact = _look(_look_map(rows), self.faces, kind, face, rotation, side, other)
        return both(equals(mine, 0), contact)

    def _allowed(self, face: str, rotation: int, side: str) -> Map:
        found: dict[Value, Value] = {0: True}
        for laid, code in self.codes.items():
            pair = self.pieces.shows[face, rotation, side], self.pieces.shows[(*laid, OPPOSITE[side])]
            found[code] = pair in self.pieces.allowed
        return Map(found)

    def laid(self, where: Expr, face: Expr, rotation: Expr) -> Expr:
        """The window after a piece was laid."""
        code = self.coded(face, rotation)
        parts: list[Expr] = [self.part("side")]
        for name, number in (("here", 1), ("there", 2)):
            old = self.part(name)
            parts.append(If(both(equals(where, number), equals(old, 0)), code, old, type=self.code))
        return Make(tuple(parts), type=self.record)

    def hints(self) -> list[Expr]:
        """Claims about the window that hold of every board."""
        size = Var(self.table, type=Int(0, self.claim.kind.limit))
        here, there = self.part("here"), self.part("there")
        return [
            either(differs(size, 0), both(equals(here, 0), equals(there, 0))),
            either(differs(size, 1), either(equals(here, 0), equals(there, 0))),
        ]

    # what the claim says of the window

    def said(self, e: Expr) -> Expr | None:
        """What a formula reads of the bound edge or square, told by the window; None for anything else."""
        name = self.claim.part.binders[0].name
        bound = self.claim.part.binders[0].type
        match e:
            case Call("shows", (layout, at)) if self._mine(layout):
                spot = self._spot_of_edge(at, name, bound)
                return None if spot is None else self._when(layout, self._shows(*spot))
            case Op("in", (at, layout)) if self._mine(layout):
                code = self._square(at, name, bound)
                return None if code is None else self._when(layout, differs(code, 0))
            case Field(Index(layout, at), "face" | "rotation" as what) if self._mine(layout):
                code = self._square(at, name, bound)
                return None if code is None else self._when(layout, self._lies(code, what))
            case Field(Local(n), "side") if n == name and isinstance(bound, EdgeType):
                return self.part("side")
        return None

    def _mine(self, e: Expr) -> bool:
        found = _table(e)
        return found is not None and found[0].name == self.table

    def _when(self, layout: Expr, found: Expr) -> Expr:
        """What is read of the layout before the step is read of the window before it."""
        base = _table(layout)
        return Call("old", (found,), type=found.type) if base is not None and base[1] else found

    def _spot_of_edge(self, e: Expr, name: str, bound: Type) -> tuple[Expr, Expr] | None:
        """The number of what lies beside an edge of the window, and the side at which it is looked at."""
        if isinstance(bound, EdgeType):
            if isinstance(e, Local) and e.name == name:
                return self.part("here"), self.part("side")
            if _is_across(e, name):
                return self.part("there"), self.across
        return None

    def _square(self, e: Expr, name: str, bound: Type) -> Expr | None:
        if isinstance(bound, CellType):
            return self.part("here") if isinstance(e, Local) and e.name == name else None
        match e:
            case Field(Local(n), "cell") if n == name:
                return self.part("here")
            case Field(inner, "cell") if _is_across(inner, name):
                return self.part("there")
        return None

    def _shows(self, code: Expr, side: Expr) -> Expr:
        kinds = Enum("Kind", tuple(self.pieces.kinds), tuple(self.pieces.kinds))
        kind = SetOf(_kinds(self.claim.part) or kinds)
        rows: dict[Value, Value] = {0: Map(dict.fromkeys(SIDES, frozenset()))}
        for laid, c in self.codes.items():
            rows[c] = Map({s: self.pieces.shows[(*laid, s)] for s in SIDES})
        return _look(Map(rows), self.code, MapOf(SIDE, kind), code, side)

    def _lies(self, code: Expr, what: str) -> Expr:
        kind: Type = self.faces if what == "face" else ROTATION
        rows = {c: laid[0 if what == "face" else 1] for laid, c in self.codes.items()}  # of an empty square there is none
        return _look(Map(rows), self.code, kind, code)

    def instance(self) -> Expr:
        """The part of the claim as it is asked of the window: laid here, and the tests hold, implies the body."""
        binder = self.claim.part.binders[0]
        tests = [Op("not", (t,), type=BOOL) for t in binder.tests]
        at: Expr = Local(binder.name, type=binder.type)
        if isinstance(binder.type, EdgeType):
            at = Field(at, "cell", type=binder.type.cell)
        base = _domain(binder.domain)
        table: Expr = Var(self.table, type=self.claim.kind)
        if base is not None and base[1]:
            table = Call("old", (table,), type=self.claim.kind)
        laid = Op("in", (at, table), type=BOOL)
        return Op("or", (Op("not", (laid,), type=BOOL), *tests, self.claim.part.body), type=BOOL)


def _kinds(e: Agg) -> Enum | None:
    stack: list[Expr] = [e.body, *e.binders[0].tests]
    while stack:
        x = stack.pop()
        if isinstance(x, Call) and x.name == "shows" and isinstance(x.type, SetOf) and isinstance(x.type.elem, Enum):
            return x.type.elem
        stack += x.args if isinstance(x, (Op, Call)) else ()
    return None


def _is_across(e: Expr, name: str) -> bool:
    return isinstance(e, Call) and e.name == "across" and isinstance(e.args[0], Local) and e.args[0].name == name


def _look(table: Map, key: Type, item: Type, *keys: Expr) -> Expr:
    found: Expr = Const(table, type=MapOf(key, item))
    for k in keys:
        assert isinstance(found.type, MapOf)
        found = Index(found, k, type=found.type.value)
    return found


def _look_map(rows: dict[str, Map]) -> Map:
    return Map(rows)


def both(a: Expr, b: Expr) -> Expr:
    return Op("and", (a, b), type=BOOL)


def either(a: Expr, b: Expr) -> Expr:
    return Op("or", (a, b), type=BOOL)


def equals(a: Expr, n: int) -> Expr:
    return Op("eq", (a, Const(n, type=Int(n, n))), type=BOOL)


def differs(a: Expr, n: int) -> Expr:
    return Op("ne", (a, Const(n, type=Int(n, n))), type=BOOL)


def free_names(e: Expr, bound: frozenset[str] = frozenset()) -> frozenset[str]:
    """The names that a formula takes from around it."""
    match e:
        case Local(name):
            return frozenset() if name in bound else frozenset({name})
        case Let(names, values, body):
            found = free_names(body, bound | frozenset(names))
            return found.union(*(free_names(v, bound) for v in values))
        case Agg(_, binders, body):
            found = frozenset[str]()
            inner = bound
            for b in binders:
                if isinstance(b.domain, Expr):
                    found |= free_names(b.domain, inner)
                inner |= {b.name}
                found = found.union(*(free_names(t, inner) for t in b.tests))
            return found | free_names(body, inner)
    return frozenset[str]().union(*(free_names(c, bound) for c in children(e)))


def put_in(e: Expr, names: dict[str, Expr]) -> Expr:
    """The formula with names replaced by formulas, and with what `Let` binds written out."""
    if not names and not _has_let(e):
        return e
    match e:
        case Local(name):
            return names.get(name, e)
        case Let(bound, values, body):
            inner = {n: put_in(v, names) for n, v in zip(bound, values, strict=True)}
            return put_in(body, {**{k: v for k, v in names.items() if k not in bound}, **inner})
        case Op(_, args):
            return replace(e, args=tuple(put_in(a, names) for a in args))
        case Call(_, args):
            return replace(e, args=tuple(put_in(a, names) for a in args))
        case If(test, yes, no):
            return replace(e, test=put_in(test, names), yes=put_in(yes, names), no=put_in(no, names))
        case Index(base, key):
            return replace(e, base=put_in(base, names), key=put_in(key, names))
        case Field(base):
            return replace(e, base=put_in(base, names))
        case Make(fields):
            return replace(e, fields=tuple(put_in(f, names) for f in fields))
        case Items(items):
            return replace(e, items=tuple(put_in(i, names) for i in items))
        case Agg(_, binders, body):
            inner_names = dict(names)
            taken = free_names(e).union(*(free_names(v) for v in names.values()))
            found: list[Binder] = []
            for b in binders:
                domain = put_in(b.domain, inner_names) if isinstance(b.domain, Expr) else b.domain
                inner_names.pop(b.name, None)
                name = b.name
                while name in taken:  # a formula put in speaks of another thing by this name
                    name += "_"
                if name != b.name:
                    inner_names[b.name] = Local(name, type=b.type)
                found.append(Binder(name, domain, b.type, tuple(put_in(t, inner_names) for t in b.tests)))
            return replace(e, binders=tuple(found), body=put_in(body, inner_names))
    return e


def _has_let(e: Expr) -> bool:
    return isinstance(e, Let) or any(_has_let(c) for c in children(e))
