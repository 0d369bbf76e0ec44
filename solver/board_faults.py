"""Where a formula about a board could have no value, as far as its text does not plainly exclude it.

The projection of a game reckons nothing of what it leaves open; that nothing there is without a value has to be seen from
the rules themselves: a square is looked at only where a piece is known to lie, a piece laid only where it fits, and so on.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tablelaw.solver.translator import boardish
from tablelaw.solver.window import put_in
from tablelaw.spec import types as ty
from tablelaw.spec.core import (
    Agg,
    Assign,
    Bind,
    Binder,
    Branch,
    Call,
    Const,
    Effect,
    Expr,
    Field,
    Fire,
    If,
    Index,
    Items,
    Local,
    Loop,
    Make,
    Op,
    Var,
    children,
)  # fmt: skip
from tablelaw.spec.game import Action, Game
from tablelaw.spec.types import BOOL, FeatureType, Int, LayoutType, ListOf, MapOf, Maybe, PartType

Facts = frozenset[Expr]


@dataclass(slots=True)
class Review:
    """What was found: clauses with a formula that might have no value, and layings that are safe on an empty table alone."""

    game: Game
    clauses: list[str] = field(default_factory=list)
    on_empty: list[Assign] = field(default_factory=list)
    clause: str = ""
    looked: set[Expr] = field(default_factory=set)
    """Arguments of called effects, looked at where they are given."""

    def flag(self) -> None:
        if self.clause not in self.clauses:
            self.clauses.append(self.clause)

    def look(self) -> Review:
        """Look through all rules."""
        for e in self.game.ends:
            self.clause = e.id
            self.formula(e.when, frozenset())
            if e.winners is not None:
                self.formula(e.winners, known(e.when))
        for a in self.game.actions:
            self._action(a)
        return self

    def _action(self, a: Action) -> None:
        self.clause = a.name
        facts: Facts = frozenset()
        if a.during is not None:
            self.formula(a.during, facts)
            facts |= known(a.during)
        if a.by is not None:
            self.formula(a.by, facts)
        for b in a.params:
            domain = put_in(b.domain, {}) if isinstance(b.domain, Expr) else b.domain
            facts = self._binder(Binder(b.name, domain, b.type), facts)
        for c in a.checks:
            self.clause = c.id
            self.formula(c.formula, facts)
            for x in c.lifted:
                self.formula(x, facts)
            if not c.lifted:
                facts |= known(put_in(c.formula, {}))
        self.clause = a.name
        for d in a.draws:
            for x in d.args:
                self.formula(x, facts)
        self._effects(a.effects, facts, {})

    def _effects(self, effects: tuple[Effect, ...], facts: Facts, alias: dict[str, Expr]) -> Facts:
        for e in effects:
            match e:
                case Assign():
                    facts = self._assign(e, facts, alias)
                case Branch(test, yes, no):
                    test = put_in(test, alias)
                    self.formula(test, facts)
                    after = self._effects(yes, facts | known(test), alias)
                    facts = after & self._effects(no, facts | known_not(test), alias)
                case Loop(_, domain, _, body):
                    if isinstance(domain, Expr):
                        self.formula(put_in(domain, alias), facts)
                    changed = _assigned(body)
                    facts = frozenset(f for f in facts if not _reads(f) & changed)
                    self._effects(body, facts, alias)
                case Fire(clause, when, body):
                    outer, self.clause = self.clause, clause
                    inner = facts
                    if when is not None:
                        when = put_in(when, alias)
                        self.formula(when, facts)
                        inner |= known(when)
                    facts = facts & self._effects(body, inner, alias) if when is not None else self._effects(body, inner, alias)
                    self.clause = outer
                case Bind(names, values, body):
                    given = {n: put_in(v, alias) for n, v in zip(names, values, strict=True)}
                    for v in given.values():
                        if not _kept(v):
                            self.formula(v, facts)
                    self.looked |= {v for v in given.values() if not isinstance(v, (Local, Var, Const))}
                    facts = self._effects(body, facts, {**alias, **given})
        return facts

    def _assign(self, e: Assign, facts: Facts, alias: dict[str, Expr]) -> Facts:
        new = put_in(e.value, alias)
        if boardish(new.type) and not _stays(new, facts):
            self.flag()  # a square kept might come to lie farther off than its type reaches
        if self._into_bag(e) and not (isinstance(new, Const) and not e.path):
            self.flag()  # how many are in a bag of what holds places is left open
        for k in e.path:
            if isinstance(k, Expr):
                self.formula(put_in(k, alias), facts)
        if isinstance(new, Call) and new.name == "place" and not e.path:
            for x in new.args[1:]:
                self.formula(x, facts)
            if Call("fits", new.args, type=BOOL) not in facts:
                board = new.args[0].type
                free = isinstance(board, LayoutType) and board.width is None and _fixed_apart(board, new.args[3])
                if free and isinstance(new.args[0], Var) and new.args[0].name == e.name:
                    self.on_empty.append(e)
                else:
                    self.flag()
        else:
            self.formula(new, facts)
        return frozenset(f for f in facts if e.name not in _reads(f))

    def _into_bag(self, e: Assign) -> bool:
        """Does it change a bag of what holds places of the board?"""
        kind = next(v.type for v in self.game.variables if v.name == e.name)
        for k in e.path:
            kind = kind.elem if isinstance(kind, Maybe) else kind
            match kind:
                case ty.BagOf(elem):
                    return boardish(elem)
                case ty.Record() if isinstance(k, str):
                    kind = kind.field_type(k) or kind
                case MapOf(_, inner) | ListOf(inner, _):
                    kind = inner
        return _holds_bag(kind)

    # formulas

    def formula(self, e: Expr, facts: Facts) -> None:
        """Look through a formula, if it reads the board."""
        if reads_board(e):
            self._look(put_in(e, {}), facts)

    def _look(self, e: Expr, facts: Facts) -> None:
        if e in self.looked:
            return
        match e:
            case Op("and", args):
                for a in args:
                    self._look(a, facts)
                    facts |= known(a)
                return
            case Op("or", args):
                for a in args:
                    self._look(a, facts)
                    facts |= known_not(a)
                return
            case If(test, yes, no):
                self._look(test, facts)
                self._look(yes, facts | known(test))
                self._look(no, facts | known_not(test))
                return
            case Agg(kind, binders, body):
                if kind in ("max", "min") and not all(_some(b) for b in binders):
                    self.flag()
                for b in binders:
                    facts = self._binder(b, facts)
                self._look(body, facts)
                return
        if self._risky(e, facts):
            self.flag()
        for c in children(e):
            self._look(c, facts)

    def _binder(self, b: Binder, facts: Facts) -> Facts:
        item = Local(b.name, type=b.type)
        facts = frozenset(f for f in facts if b.name not in _names(f))
        if isinstance(b.domain, Expr):
            self._look(b.domain, facts)
            facts |= {Op("in", (item, b.domain), type=BOOL)}
            facts |= _of_cells(item, b.domain, facts)
        for t in b.tests:
            self._look(t, facts)
            facts |= known(t)
        return facts

    def _risky(self, e: Expr, facts: Facts) -> bool:
        match e:
            case Index(base, key) if isinstance(base.type, LayoutType):
                return Op("in", (key, base), type=BOOL) not in facts
            case Index(base, key) if isinstance(base.type, ListOf):
                if not (isinstance(key.type, Int) and isinstance(base, Const)):
                    return True
                low, high = key.type.lo, key.type.hi
                return low is None or high is None or low < 0 or high >= len(base.value)
            case Index(base, key) if isinstance(base.type, MapOf):
                return not _within(key.type, base.type.key)
            case Field(base, name) if isinstance(base.type, PartType):
                return not _is_of(base, _owners(base.type, name), facts)
            case Field(base):
                return isinstance(base.type, Maybe) and not any(_is_something(f, base) for f in facts)
            case Op("sure", (inner,)):
                return not any(_is_something(f, inner) for f in facts)
            case Op("div" | "floordiv" | "mod", (_, by)):
                return not (isinstance(by, Const) and by.value != 0)
            case Op("sub") if isinstance(e.type, ty.BagOf):
                return True
            case Call("fits" | "links", (_, _, _, turns, *_)) if not _within(turns.type, Int(0, 3)):
                return True
            case Call("place", args):
                return Call("fits", args, type=BOOL) not in facts
            case Call("feature", (table, part)):
                return not any(
                    isinstance(f, Op) and f.op == "in" and f.args[0] == part and _parts_of(f.args[1], table) for f in facts
                )
            case Call("after" | "before", args):
                return len(args) > 1
        return False


def _holds_bag(kind: ty.Type) -> bool:
    match kind:
        case ty.BagOf(elem):
            return boardish(elem)
        case MapOf(_, inner) | ListOf(inner, _) | Maybe(inner):
            return _holds_bag(inner)
        case ty.Record(_, fields):
            return any(_holds_bag(f) for _, f in fields)
    return False


def reads_board(e: Expr) -> bool:
    """Does a formula read anything of a board?"""
    return boardish(e.type) or any(reads_board(c) for c in children(e)) or _boardish_binders(e)


def _boardish_binders(e: Expr) -> bool:
    return isinstance(e, Agg) and any(boardish(b.type) for b in e.binders)


def known(e: Expr) -> Facts:
    """What holds where a formula does."""
    match e:
        case Op("and", args):
            return frozenset[Expr]().union(*map(known, args))
        case Op("not", (inner,)):
            return known_not(inner)
    return frozenset({e})


def known_not(e: Expr) -> Facts:
    """What holds where a formula does not."""
    match e:
        case Op("or", args):
            return frozenset[Expr]().union(*map(known_not, args))
        case Op("not", (inner,)):
            return known(inner)
        case Op("eq", args):
            return frozenset({Op("ne", args, type=BOOL)})
    return frozenset()


def _is_something(fact: Expr, value: Expr) -> bool:
    if not (isinstance(fact, Op) and fact.op == "ne" and value in fact.args):
        return False
    return any(isinstance(a, Const) and a.value is None for a in fact.args)


def _owners(kind: PartType, name: str) -> frozenset[str] | None:
    """The kinds of part that have the field; None where all have it."""
    if name in dict(kind.fields) or name == "sides" or kind.seen is None:
        return None
    every = {p.kind for parts in kind.seen.faces.values() for p in parts}
    without = {p.kind for parts in kind.seen.faces.values() for p in parts if name not in dict(p.attributes)}
    return frozenset(every - without) if without else None


def _is_of(part: Expr, kinds: frozenset[str] | None, facts: Facts) -> bool:
    """Is the part known to be of one of the kinds?"""
    if kinds is None:
        return True
    for fact in facts:
        if isinstance(fact, Op) and fact.op == "eq" and len(fact.args) == 2:
            for of, word in (fact.args, fact.args[::-1]):
                if isinstance(of, Field) and of.name == "kind" and of.base == part and isinstance(word, Const):
                    return word.value in kinds
    return False


def _of_cells(item: Expr, domain: Expr, facts: Facts) -> Facts:
    """A square of a feature of a layout is one where a piece lies."""
    match domain:
        case Field(feature, "cells"):
            found = set[Expr]()
            if isinstance(feature, Call) and feature.name == "feature":
                found.add(Op("in", (item, feature.args[0]), type=BOOL))
            for f in facts:
                if isinstance(f, Op) and f.op == "in" and f.args[0] == feature:
                    features = f.args[1]
                    if isinstance(features, Call) and features.name == "features":
                        found.add(Op("in", (item, features.args[0]), type=BOOL))
            return frozenset(found)
    return frozenset()


def _parts_of(domain: Expr, table: Expr) -> bool:
    return isinstance(domain, Call) and domain.name == "parts" and len(domain.args) == 2 and domain.args[0] == table


def _some(b: Binder) -> bool:
    """Does the `for` plainly walk over something?"""
    if b.tests:
        return False
    return not isinstance(b.domain, Expr) or _full(b.domain)


def _full(e: Expr) -> bool:
    match e:
        case Items(items):
            return bool(items)
        case Const(found):
            return bool(found)
        case Op("union", args):
            return any(_full(a) for a in args)
        case Agg("set", binders, _):
            return all(_some(b) for b in binders)
    return False


def _within(kind: ty.Type, key: ty.Type) -> bool:
    if isinstance(kind, Int) and isinstance(key, Int):
        known_bounds = None not in (kind.lo, kind.hi, key.lo, key.hi)
        return known_bounds and key.lo <= kind.lo and kind.hi <= key.hi  # type: ignore[operator]
    if isinstance(kind, ty.Enum) and isinstance(key, ty.Enum):
        return set(kind.values) <= set(key.values)
    return kind == key or (isinstance(key, Maybe) and (_within(kind, key.elem) or kind == key.elem))


def _fixed_apart(kind: LayoutType, rotation: Expr) -> bool:
    """May the pieces be turned so?"""
    assert kind.pieces is not None
    return kind.pieces.free or (isinstance(rotation, Const) and rotation.value == 0)


def _stays(e: Expr, facts: Facts) -> bool:
    """Is a place that a variable is to keep plainly one near the pieces (or no place at all)?"""
    match e:
        case Const() | Var() | Local():
            return True
        case Call("step", (base, _, far)):
            near = isinstance(base, Const) or any(
                isinstance(f, Op) and f.op == "in" and f.args[0] == base and isinstance(f.args[1].type, LayoutType)
                for f in facts
            )
            return near and isinstance(far, Const) and abs(far.value) <= 1
        case Call("across", (edge,)):
            return any(
                isinstance(f, Op)
                and f.op == "in"
                and f.args[0] == edge
                and isinstance(f.args[1], Call)
                and f.args[1].name in _NEAR
                for f in facts
            ) or isinstance(edge, Const)
        case Call("neighbours8"):
            return False
        case Make() if isinstance(e.type, ty.CellType):
            return False
        case Agg(_, binders, body):
            inside = facts
            for b in binders:
                if isinstance(b.domain, Expr):
                    inside |= {Op("in", (Local(b.name, type=b.type), b.domain), type=BOOL)}
            return _stays(body, inside) and all(not isinstance(b.domain, Expr) or _stays(b.domain, facts) for b in binders)
    return all(_stays(c, facts) for c in children(e) if boardish(c.type))


_NEAR = ("edges", "open_edges", "rim")


def _kept(e: Expr) -> bool:
    """Is it a field that the projection keeps, with the fault of there being nothing?"""
    if not (isinstance(e, Field) and isinstance(e.base, Var) and isinstance(e.base.type, Maybe)):
        return False
    return isinstance(e.base.type.elem, ty.Record)


def _reads(e: Expr) -> frozenset[str]:
    if isinstance(e, Var):
        return frozenset({e.name})
    return frozenset[str]().union(*map(_reads, children(e)))


def _names(e: Expr) -> frozenset[str]:
    if isinstance(e, Local):
        return frozenset({e.name})
    return frozenset[str]().union(*map(_names, children(e)))


def _assigned(effects: tuple[Effect, ...]) -> frozenset[str]:
    found = frozenset[str]()
    for e in effects:
        match e:
            case Assign(name):
                found |= {name}
            case Branch(_, yes, no):
                found |= _assigned(yes) | _assigned(no)
            case Loop(_, _, _, body) | Fire(_, _, body) | Bind(_, _, body):
                found |= _assigned(body)
    return found


__all__ = ["FeatureType", "Review", "known", "known_not", "reads_board"]
