"""One action with the board projected away: what it reads of the board is chosen or drawn with it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.translator import SOMEWHERE, Translator, Unknown, boardish, both, projected_type, small, variables_read
from tablelaw.solver.window import NAME, WHERE, Window, free_names, put_in
from tablelaw.spec import types as ty
from tablelaw.spec.core import (
    Assign,
    Bind,
    Binder,
    Branch,
    Call,
    Const,
    Draw,
    Effect,
    Expr,
    Fire,
    If,
    Index,
    Local,
    Loop,
    Make,
    Op,
    Var,
    children,
)  # fmt: skip
from tablelaw.spec.game import Action, Check
from tablelaw.spec.types import (
    BOOL,
    BagOf,
    CellType,
    EdgeType,
    Int,
    LayoutType,
    ListOf,
    MapOf,
    Maybe,
    PartType,
    Record,
    Type,
)
from tablelaw.spec.values import Map

if TYPE_CHECKING:
    from tablelaw.solver.projection import Oracle, Projection


class ActionProjection:
    """Projects one action: unknowns of its arguments become parameters, those of its effects draws."""

    def __init__(self, projection: Projection, action: Action) -> None:
        self.p, self.a = projection, action
        self.params: list[Binder] = []
        self.draws: list[Draw] = []
        self.unknown_params: dict[Expr, str] = {}
        self.open = False
        self.names: dict[str, Type | None] = {}
        self.own: frozenset[str] = frozenset()
        self.loop = 0
        self.dirty: set[str] = set()
        self.places: dict[Expr, Local] = {}
        self.alias: dict[str, Expr] = {}
        self.in_effects = False
        self.rebound: frozenset[str] = frozenset()
        self.assigned: set[str] = set()

    def projected(self) -> Action:
        a, p = self.a, self.p
        by = None if a.by is None else p.formula(a.by)
        during = None if a.during is None else p.formula(a.during)
        if (a.by is not None and by is None) or (a.during is not None and during is None):
            raise Unlowerable(f"`{a.name}` reads the board in a way that cannot be left open")
        if a.by is not None:
            self.names["actor"] = p.origin.names.player
        for b in a.params:
            self._param(b)
        self.own = frozenset(self.names)
        checks = tuple(self._check(c) for c in a.checks)
        if self.open and a.by is None:
            raise Unlowerable(f"the table action `{a.name}` depends on the board in its parameters")
        if self.open and p.progress:
            can = p.moves.get(a.name)
            if can is None:
                raise Unlowerable(f"`{a.name}` depends on the board in a way that cannot be left open")
            legal = p.formula(can)
            assert legal is not None
            during = legal if during is None else both(during, legal)
        self.draws = [self._draw(d) for d in a.draws]
        self.names |= {d.name: d.type for d in a.draws}
        self.in_effects = True
        same = Const(True, type=BOOL)
        effects: list[Effect] = [Assign(name, (), same) for name in p.kept.values()]
        effects += self._effects(a.effects)
        effects += [self._refresh(o) for o in p.oracles.values() if o.name in self.dirty]
        return Action(a.name, by, during, self._used(checks, effects), checks, tuple(self.draws), tuple(effects), a.span)

    def _used(self, checks: tuple[Check, ...], effects: list[Effect]) -> tuple[Binder, ...]:
        """The parameters that anything still reads; others are left out where they always have some value."""
        read = [x for c in checks for x in (c.formula, *c.lifted)] + [x for d in self.draws for x in d.args]
        read += _formulas(tuple(effects))
        kept: list[Binder] = []
        for b in reversed(self.params):
            wanted = any(b.name in free_names(x) for x in read)
            if wanted or not _never_empty(b.domain):
                kept.insert(0, b)
                read += [b.domain] if isinstance(b.domain, Expr) else []
        return tuple(kept)

    # arguments

    def _param(self, b: Binder) -> None:
        if boardish(b.type):
            self.names[b.name] = SOMEWHERE if isinstance(b.type, (CellType, EdgeType, PartType)) else None
            self.open = True
            if self.names[b.name] is not None:
                self.params.append(Binder(b.name, SOMEWHERE, SOMEWHERE))
            return
        domain: Expr | Type | None = b.domain
        if isinstance(domain, Expr):
            domain = self._translate(domain, lambda _: None)
        if domain is None:
            if not small(b.type):
                raise Unlowerable(f"parameter `{b.name}` of `{self.a.name}` depends on the board")
            self.open, domain = True, b.type
        self.params.append(Binder(b.name, domain, b.type))
        self.names[b.name] = b.type

    def _plain(self, e: Expr) -> Expr:
        """With a window, the formula with its names written out, so that the same square is told as the same."""
        return e if self.p.window is None else put_in(e, self.alias)

    def _translate(self, e: Expr, unknown: Unknown) -> Expr | None:
        return Translator(self.p.kinds, unknown, dict(self.names)).expr(e)

    def _where(self, cell: Expr) -> Expr:
        """Where a square lies: elsewhere, or on which side of the window's edge."""
        known = self.places.get(cell)
        if known is None:
            name = f"place({self.a.name}, {len(self.places) + 1})"
            known = self.places[cell] = Local(name, type=WHERE)
            self.names[name] = WHERE
            if self.in_effects:
                values = tuple(range(3))
                self.draws.append(Draw(name, "faces", WHERE, (Const(values, type=ListOf(WHERE, 3)),)))
            else:
                self.params.append(Binder(name, WHERE, WHERE))
        return known

    def _chosen(self, e: Expr) -> Expr | None:
        """An unknown of a check: of the position if it can be, else one more parameter."""
        window = self.p.window
        if window is not None and isinstance(e, Call) and e.name == "fits" and _is_table(e.args[0], window.table):
            unknown = self._unknown_param(e)
            shown = [self._translate(x, lambda _: None) for x in e.args[2:]]
            if unknown is None or shown[0] is None or shown[1] is None:
                return unknown
            return both(window.fits(self._where(e.args[1]), shown[0], shown[1]), unknown)
        return self._unknown_param(e)

    def _unknown_param(self, e: Expr) -> Expr | None:
        found = self.p._oracle(e)
        if found is not None:
            return found
        if not free_names(e) <= self.own or not small(e.type):
            return None
        self.open = True
        name = self.unknown_params.get(e)
        kind = projected_type(e.type)
        if name is None:
            name = self.unknown_params[e] = f"unknown({self.a.name}, {len(self.unknown_params) + 1})"
            self.params.append(Binder(name, kind, kind))
            self.names[name] = kind
        return Local(name, type=kind, span=e.span)

    def _check(self, c: Check) -> Check:
        rule = self._translate(self._plain(c.formula), self._chosen)
        lifted = [self._translate(self._plain(x), self._chosen) for x in c.lifted]
        if rule is None or any(x is None for x in lifted):
            raise Unlowerable(f"`{c.id}` reads the board in a way that cannot be left open")
        return Check(c.id, rule, tuple(x for x in lifted if x is not None), c.span)

    def _draw(self, d: Draw) -> Draw:
        if boardish(d.type):
            raise Unlowerable(f"the draw `{d.name}` depends on the board")
        args = [self._translate(x, lambda _: None) if not isinstance(x, Const) else x for x in d.args]
        if any(x is None for x in args):
            raise Unlowerable(f"the draw `{d.name}` depends on the board")
        return replace(d, args=tuple(x for x in args if x is not None))

    # effects

    def _drawn(self, e: Expr) -> Expr | None:
        """An unknown of an effect: of the position if it can be, else one more draw."""
        found = self.p._oracle(e)
        if found is not None:
            return found
        if not small(e.type) or not free_names(e) <= self.own | {d.name for d in self.a.draws}:
            return None
        known = self.unknown_params.get(e)
        if known is not None and not variables_read(e) and not free_names(e) & self.rebound:
            return Local(known, type=projected_type(e.type), span=e.span)
        return self._fresh(projected_type(e.type))

    def _fresh(self, kind: Type) -> Local:
        if self.loop:
            raise Unlowerable(f"an effect of `{self.a.name}` reads the board inside a `for`")
        name = f"unknown({self.a.name} draw {len(self.draws) + 1})"
        values = tuple(ty.domain(kind))
        self.draws.append(Draw(name, "faces", kind, (Const(values, type=ListOf(kind, len(values))),)))
        self.names[name] = kind
        return Local(name, type=kind)

    def _refresh(self, o: Oracle) -> Effect:
        found: Expr = self._fresh(o.kind)
        if o.most is not None:
            found = Call("min", (found, o.most), type=o.kind)
        return Assign(o.name, (), found)

    def _effects(self, effects: tuple[Effect, ...]) -> list[Effect]:
        found: list[Effect] = []
        for e in effects:
            match e:
                case Assign():
                    found += self._assign(e)
                case Branch(test, yes, no):
                    condition = self._needed(test)
                    found.append(replace(e, test=condition, yes=tuple(self._effects(yes)), no=tuple(self._effects(no))))
                case Loop(_, Var() as domain, _, body) if isinstance(domain.type, LayoutType):
                    found += self._gathered(e, domain, domain.type, body)
                case Loop(name, domain, kind, body):
                    found.append(self._looped(e, name, domain, kind, body))
                case Fire(_, when, body):
                    condition_ = None if when is None else self._needed(when)
                    found.append(replace(e, when=condition_, body=tuple(self._effects(body))))
                case Bind(names, values, body):
                    found += self._bound(e, names, values, body)
        return found

    def _gathered(self, e: Loop, domain: Expr, kind: LayoutType, body: tuple[Effect, ...]) -> list[Effect]:
        """`for c in layout: bag[...] += 1`: the bag grows by as many as there are pieces, of whatever kinds."""
        one = body[0] if len(body) == 1 else None
        size = self._translate(domain, self.p._oracle)
        if size is None or self.loop or not isinstance(one, Assign) or variables_read(domain) & self.assigned:
            raise Unlowerable(f"`{self.a.name}` walks over the board in its effects")
        bag = next(v.type for v in self.p.origin.variables if v.name == one.name)
        key = one.path[0] if len(one.path) == 1 else None
        if not (isinstance(bag, BagOf) and isinstance(key, Expr) and _is_one_more(one, bag)) or boardish(bag.elem):
            raise Unlowerable(f"`{self.a.name}` walks over the board in its effects")
        drawn = f"unknown({self.a.name} draw {len(self.draws) + 1})"
        faces = tuple(ty.domain(bag.elem))
        many = BagOf(bag.elem, kind.limit)
        self.draws.append(Draw(drawn, "roll", many, (size, Const(faces, type=ListOf(bag.elem, len(faces))))))
        self.names[drawn] = many
        old = Var(one.name, type=self.p.kinds[one.name])
        more = Op("add", (old, Local(drawn, type=many)), type=bag, span=one.span)
        return self._assign(Assign(one.name, (), more, span=e.span))

    def _looped(self, e: Loop, name: str, domain: Expr | Type, kind: Type, body: tuple[Effect, ...]) -> Effect:
        walked: Expr | Type | None = None if boardish(kind) else domain
        if isinstance(walked, Expr):
            walked = self._translate(walked, self.p._oracle)
        if walked is None:
            raise Unlowerable(f"`{self.a.name}` walks over the board in its effects")
        outer = dict(self.names)
        self.names[name] = kind
        around, self.rebound = self.rebound, self.rebound | {name}
        self.loop += 1
        inner = self._effects(body)
        self.loop -= 1
        self.rebound = around
        self.names = {**outer, **{d.name: d.type for d in self.draws}}
        return replace(e, domain=walked, body=tuple(inner))

    def _bound(self, e: Bind, names: tuple[str, ...], values: tuple[Expr, ...], body: tuple[Effect, ...]) -> list[Effect]:
        outer, own = dict(self.names), self.own
        kept: list[tuple[str, Expr]] = []
        for n, v in zip(names, values, strict=True):
            x = self._translate(v, self._drawn)
            self.names[n] = None if x is None else x.type
            if x is not None:
                kept.append((n, x))
        self.own = self.own | frozenset(names)
        alias = self.alias
        self.alias = {**alias, **{n: put_in(v, alias) for n, v in zip(names, values, strict=True)}}
        around, self.rebound = self.rebound, self.rebound | frozenset(names)
        inner = self._effects(body)
        self.own, self.alias, self.rebound = own, alias, around
        self.names = {**outer, **{d.name: d.type for d in self.draws}}
        if not kept:
            return inner
        return [Bind(tuple(n for n, _ in kept), tuple(x for _, x in kept), tuple(inner), span=e.span)]

    def _needed(self, e: Expr) -> Expr:
        """The translation of a condition or of the key of an assignment."""
        found = self._translate(e, self._drawn)
        if found is None:
            raise Unlowerable(f"an effect of `{self.a.name}` reads the board in a way that cannot be left open")
        return found

    def _assign(self, e: Assign) -> list[Effect]:
        kind = next(v.type for v in self.p.origin.variables if v.name == e.name)
        found: list[Effect] = []
        path: list[Expr | str] | None = []
        here = kind
        for k in e.path:
            here = here.elem if isinstance(here, Maybe) else here
            if isinstance(here, (MapOf, BagOf)) and boardish(here.key if isinstance(here, MapOf) else here.elem):
                path = None  # what is kept of such a map says nothing of its items
                break
            key = k if isinstance(k, str) else self._needed(k)
            assert path is not None
            path.append(key)
            if isinstance(here, Record) and isinstance(k, str):
                here = here.field_type(k) or here
            elif isinstance(here, MapOf):
                here = here.value
            elif isinstance(here, ListOf):
                here = here.elem
        if path is not None and projected_type(kind) != SOMEWHERE:
            new = self._translate(e.value, self._drawn)
            if new is None:
                raise Unlowerable(f"an effect of `{self.a.name}` reads the board in a way that cannot be left open")
            if id(e) in self.p.on_empty:
                size = Var(e.name, type=self.p.kinds[e.name])
                none, one = Const(0, type=Int(0, 0)), Const(1, type=Int(1, 1))
                empty = Op("eq", (size, none), type=BOOL)
                new = If(empty, new, Op("floordiv", (one, none), type=ty.INT), type=ty.INT, span=e.span)
            found.append(Assign(e.name, tuple(path), new, span=e.span))
        if self.p.window is not None and e.name == self.p.window.table:
            found.append(self._seen(e, self.p.window))
        self.assigned.add(e.name)
        if e.name in self.p.kept:
            found.append(Assign(self.p.kept[e.name], (), self._fresh(BOOL)))
        for o in self.p.oracles.values():
            if e.name in o.reads:
                found += self._changed(o, e)
        return found

    def _seen(self, e: Assign, window: Window) -> Effect:
        """What becomes of the window when the layout is given a value."""
        new = put_in(e.value, self.alias)
        if isinstance(new, Call) and new.name == "place" and _is_table(new.args[0], window.table) and not self.loop:
            cell = new.args[1]
            if variables_read(cell) & self.assigned:  # the square is another than it was when the move was looked at
                self.places.pop(cell, None)
            plain = put_in(e.value, {})  # the face as it was when the effects were called, whatever has changed since
            assert isinstance(plain, Call)
            shown = [self._translate(x, lambda _: None) for x in plain.args[2:]]
            if shown[0] is not None and shown[1] is not None:
                return Assign(NAME, (), window.laid(self._where(cell), shown[0], shown[1]))
        if isinstance(new, Const) and not new.value.cells:
            side = window.part("side")
            none = Const(0, type=window.code)
            return Assign(NAME, (), Make((side, none, none), type=window.record))
        raise Unlowerable(f"`{self.a.name}` changes the board in a way that one edge cannot tell")

    def _changed(self, o: Oracle, e: Assign) -> list[Effect]:
        """What becomes of an unknown when something it reads is given a value."""
        if o.reads == {e.name} and not e.path and isinstance(e.value, Const):
            known = self.p.oracle_value(o, Map({e.name: e.value.value}))
            return [Assign(o.name, (), Const(known, type=o.kind))]
        if self.loop:
            if self._read_later(o):
                raise Unlowerable(f"an effect of `{self.a.name}` changes inside a `for` what it reads of the board")
            self.dirty.add(o.name)
            return []
        if self._read_later(o):
            return [self._refresh(o)]
        self.dirty.add(o.name)
        return []

    def _read_later(self, o: Oracle) -> bool:
        """Does an effect of this action read the unknown?"""
        return any(o.source in _parts(x) for x in _formulas(self.a.effects))


def _never_empty(domain: Expr | Type) -> bool:
    """Does a parameter always have some value: is its domain a type, or looked up in a table of sets none of which is empty?"""
    if isinstance(domain, Type):
        return True
    if isinstance(domain, Index) and isinstance(domain.base, Const) and isinstance(domain.base.value, Map):
        return all(isinstance(v, frozenset) and v for v in domain.base.value.values())
    return False


def _formulas(effects: tuple[Effect, ...]) -> list[Expr]:
    found: list[Expr] = []
    for e in effects:
        match e:
            case Assign(_, path, new):
                found += [*(k for k in path if isinstance(k, Expr)), new]
            case Branch(test, yes, no):
                found += [test, *_formulas(yes), *_formulas(no)]
            case Loop(_, domain, _, body):
                found += [*([domain] if isinstance(domain, Expr) else []), *_formulas(body)]
            case Fire(_, when, body):
                found += [*([when] if when is not None else []), *_formulas(body)]
            case Bind(_, values, body):
                found += [*values, *_formulas(body)]
    return found


def _parts(e: Expr) -> set[Expr]:
    found, stack = set[Expr](), [e]
    while stack:
        x = stack.pop()
        found.add(x)
        stack += children(x)
    return found


def _is_table(e: Expr, name: str) -> bool:
    return isinstance(e, Var) and e.name == name


def _is_one_more(e: Assign, bag: BagOf) -> bool:
    """Is it `bag[key] += 1`?"""
    if not (isinstance(e.value, Op) and e.value.op == "add" and isinstance(e.value.args[0], Index)):
        return False
    item, one = e.value.args
    assert isinstance(item, Index)
    same = item.base == Var(e.name, type=bag) and e.path == (item.key,)
    return same and isinstance(one, Const) and one.value == 1
