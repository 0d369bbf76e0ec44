"""A game with its boards projected away: of each layout the number of its pieces is kept, the rest becomes free choice.

Whatever a formula reads of a board is an *unknown*. One that depends on the position alone becomes a variable that may
take any value whenever something it reads changes; one that depends on the arguments of a move is chosen or drawn with it.
Every step of the game is then a step of the projection (with the unknowns at their real values), so that what never
happens in the projection never happens in the game; and a position is stuck in the projection where it is in the game.
A play of the projection need not be one of the game: `realise.py` looks for one beside it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tablelaw.solver import evaluate
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.window import NAME, WHERE, Claim, Window, free_names, put_in
from tablelaw.spec import types as ty
from tablelaw.spec.core import (
    Agg,
    Assign,
    Bind,
    Binder,
    Branch,
    Call,
    Const,
    Draw,
    Effect,
    Expr,
    Field,
    Fire,
    If,
    Index,
    Items,
    Let,
    Local,
    Loop,
    Make,
    Op,
    Var,
    children,
)  # fmt: skip
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.expressions import parse_formula
from tablelaw.spec.formulas import Typer
from tablelaw.spec.game import Action, Check, End, Game, Variable
from tablelaw.spec.operators import Fault
from tablelaw.spec.reckon import value
from tablelaw.spec.types import (
    BOOL,
    BagOf,
    Bool,
    CellType,
    EdgeType,
    Enum,
    FeatureType,
    Int,
    LaidType,
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
from tablelaw.spec.yaml_nodes import Scalar

SOMEWHERE = Int(0, 0)
"""What is left of a square, edge or part: that it is one."""
MOST_VALUES = 4096
"""How many values an unknown may have."""

Unknown = Callable[[Expr], Expr | None]


def boardish(kind: Type) -> bool:
    """Does a value of the type hold anything of a board?"""
    match kind:
        case LayoutType() | CellType() | EdgeType() | PartType() | FeatureType() | LaidType():
            return True
        case SetOf(elem) | BagOf(elem, _) | ListOf(elem, _) | Maybe(elem):
            return boardish(elem)
        case MapOf(key, inner):
            return boardish(key) or boardish(inner)
        case Record(_, fields):
            return any(boardish(f) for _, f in fields)
    return False


def projected_type(kind: Type) -> Type:
    """What is kept of a value of the type."""
    match kind:
        case LayoutType(_, limit):
            return Int(0, limit)
        case Maybe(elem):
            return Maybe(projected_type(elem))
        case Record(name, fields):
            return Record(name, tuple((n, projected_type(f)) for n, f in fields))
        case MapOf(key, inner) if not boardish(key):
            return MapOf(key, projected_type(inner))
        case ListOf(elem, limit):
            return ListOf(projected_type(elem), limit)
    return SOMEWHERE if boardish(kind) else kind


def projected_value(found: Value, kind: Type) -> Value:
    """What is kept of a value."""
    if not boardish(kind):
        return found
    match kind:
        case LayoutType():
            return len(found)
        case Maybe(elem):
            return None if found is None else projected_value(found, elem)
        case Record(_, fields):
            return Map([(n, projected_value(found[n], f)) for n, f in fields])
        case MapOf(key, inner) if not boardish(key):
            return Map([(k, projected_value(v, inner)) for k, v in found.items()])
        case ListOf(elem):
            return tuple(projected_value(v, elem) for v in found)
    return 0


@dataclass(frozen=True, slots=True, eq=False)
class Oracle:
    """An unknown of the position: its variable in the projection, the formula it stands for, and what that reads."""

    name: str
    source: Expr
    reads: frozenset[str]
    kind: Type
    most: Expr | None


def variables_read(e: Expr) -> frozenset[str]:
    """The variables that a formula reads; `ended` and `winners` read everything (told as `*`)."""
    match e:
        case Var(name):
            return frozenset({name})
        case Call(name) if name in ("ended", "winners", "times", "old"):
            return frozenset({"*"})
    return frozenset[str]().union(*(variables_read(c) for c in children(e)))


@dataclass(slots=True)
class Translator:
    """Translates formulas; what cannot be said without the board is given to `unknown`, and None where that has no answer.

    `names` are the names bound around, by what they became: a type, or None where nothing of them is left.
    """

    kinds: dict[str, Type]
    unknown: Unknown
    names: dict[str, Type | None] = field(default_factory=dict)
    window: Window | None = None
    bound: frozenset[str] = frozenset()
    """Names bound inside the formula: of what speaks of them there is not one unknown but many."""

    def expr(self, e: Expr) -> Expr | None:
        """The formula about the projection; None where there is none."""
        if self.window is not None:
            shown = self.window.said(e)
            if shown is not None:
                return shown
        found = self._expr(e)
        if found is not None:
            return found
        if isinstance(e.type, (CellType, EdgeType, PartType)):
            return Const(0, type=SOMEWHERE, span=e.span)
        return self.unknown(e) if _small(e.type) and not free_names(e) & self.bound else None

    def _expr(self, e: Expr) -> Expr | None:
        kind = projected_type(e.type)
        match e:
            case Const(found):
                if isinstance(e.type, (FeatureType, LaidType)):
                    return None
                return Const(projected_value(found, e.type), type=kind, span=e.span)
            case Var(name):
                return Var(name, type=self.kinds[name], span=e.span)
            case Local(name):
                bound = self.names.get(name, kind)
                return None if bound is None else Local(name, type=bound, span=e.span)
            case Make() if isinstance(e.type, (CellType, EdgeType, PartType)):
                return Const(0, type=SOMEWHERE, span=e.span)
            case Make(fields):
                parts = self._all(fields)
                return None if parts is None else Make(parts, type=kind, span=e.span)
            case Op():
                return self._op(e)
            case If(test, yes, no):
                parts = self._all((test, yes, no))
                return None if parts is None else If(*parts, type=kind, span=e.span)
            case Index(base, key):
                if isinstance(base.type, LayoutType) or (isinstance(base.type, MapOf) and boardish(base.type.key)):
                    return None
                parts = self._all((base, key))
                return None if parts is None else Index(*parts, type=kind, span=e.span)
            case Field(base, name):
                owner = base.type.elem if isinstance(base.type, Maybe) else base.type
                if not isinstance(owner, Record):
                    return None
                inner = self.expr(base)
                return None if inner is None else Field(inner, name, type=kind, span=e.span)
            case Items(items):
                if boardish(e.type):
                    return None
                parts = self._all(items)
                return None if parts is None else Items(parts, type=kind, span=e.span)
            case Let(names, values, body):
                return self._let(e, names, values, body)
            case Agg():
                return self._aggregate(e)
            case Call():
                return self._call(e)
        return None

    def _all(self, parts: tuple[Expr, ...]) -> tuple[Expr, ...] | None:
        found: list[Expr] = []
        for p in parts:
            x = self.expr(p)
            if x is None:
                return None
            found.append(x)
        return tuple(found)

    def _op(self, e: Op) -> Expr | None:
        kinds = [a.type for a in e.args]
        if any(boardish(k) for k in kinds):
            nothing = any(isinstance(k, ty.Nothing) for k in kinds)
            if not (e.op in ("eq", "ne") and nothing):
                return None
        if boardish(e.type):
            return None
        parts = self._all(e.args)
        return None if parts is None else Op(e.op, parts, type=e.type, span=e.span)

    def _let(self, e: Let, names: tuple[str, ...], values: tuple[Expr, ...], body: Expr) -> Expr | None:
        outer = dict(self.names)
        kept: list[tuple[str, Expr]] = []
        for n, v in zip(names, values, strict=True):
            x = self.expr(v)
            self.names[n] = None if x is None else x.type
            if x is not None:
                kept.append((n, x))
        around, self.bound = self.bound, self.bound | frozenset(names)
        inner = self.expr(body)
        self.names, self.bound = outer, around
        if inner is None:
            return None
        if not kept:
            return inner
        return Let(tuple(n for n, _ in kept), tuple(x for _, x in kept), inner, type=inner.type, span=e.span)

    def _aggregate(self, e: Agg) -> Expr | None:
        outer = dict(self.names), self.bound
        found = self._walk(e)
        self.names, self.bound = outer
        return found

    def _walk(self, e: Agg) -> Expr | None:
        binders: list[Binder] = []
        for b in e.binders:
            domain: Expr | Type | None = None if boardish(b.type) else b.domain
            if isinstance(domain, Expr):
                domain = self.expr(domain)
            if domain is None:
                return None
            self.names[b.name] = b.type
            self.bound |= {b.name}
            tests = self._all(b.tests)
            if tests is None:
                return None
            binders.append(Binder(b.name, domain, b.type, tests))
        body = self.expr(e.body)
        if body is None or boardish(e.type):
            return None
        return Agg(e.kind, tuple(binders), body, type=e.type, span=e.span)

    def _call(self, e: Call) -> Expr | None:
        if e.name == "place":
            before = self.expr(e.args[0])
            if before is None:
                return None
            one = Const(1, type=Int(1, 1))
            return Op("add", (before, one), type=projected_type(e.type), span=e.span)
        if e.name == "size" and isinstance(e.args[0].type, LayoutType):
            return self.expr(e.args[0])
        if any(boardish(a.type) for a in e.args) and e.name != "old":
            return None
        if boardish(e.type) and not (e.name == "old" and isinstance(e.args[0], Var)):
            return None
        if e.name not in _PLAIN:
            return None
        parts = self._all(e.args)
        return None if parts is None else Call(e.name, parts, e.subject, type=projected_type(e.type), span=e.span)

    # what must hold for an unknown truth value to be true

    def upper(self, e: Expr) -> Expr:
        """A condition that holds wherever the formula does, free of unknowns."""
        true = Const(True, type=BOOL, span=e.span)
        match e:
            case Op("and" | "or" as op, args):
                return Op(op, tuple(self.upper(a) for a in args), type=BOOL, span=e.span)
            case Let(names, values, body):
                outer = dict(self.names)
                kept: list[tuple[str, Expr]] = []
                for n, v in zip(names, values, strict=True):
                    x = self.sure(v)
                    self.names[n] = None if x is None else x.type
                    if x is not None:
                        kept.append((n, x))
                inner = self.upper(body)
                self.names = outer
                if not kept:
                    return inner
                return Let(tuple(n for n, _ in kept), tuple(x for _, x in kept), inner, type=BOOL, span=e.span)
            case Agg("any", binders, body):
                outer = dict(self.names)
                found: list[Binder] = []
                rest: list[Expr] = []
                for b in binders:
                    domain: Expr | Type | None = None if boardish(b.type) else b.domain
                    if isinstance(domain, Expr):
                        domain = self.sure(domain)
                    self.names[b.name] = None if domain is None else b.type
                    tests = tuple(self.upper(t) for t in b.tests)
                    if domain is None:
                        rest += tests
                    else:
                        found.append(Binder(b.name, domain, b.type, tests))
                inner = Op("and", (*rest, self.upper(body)), type=BOOL, span=e.span)
                self.names = outer
                return Agg("any", tuple(found), inner, type=BOOL, span=e.span) if found else inner
        return self.sure(e) or true

    def known(self, e: Expr) -> Expr | None:
        """The translation if it needs no unknown."""
        outer, self.unknown = self.unknown, lambda _: None
        found = self.expr(e)
        self.unknown = outer
        return found

    def sure(self, e: Expr) -> Expr | None:
        """The translation if it needs no unknown and always has a value: it may be read where the formula was not."""
        found = self.known(e)
        return found if found is not None and never_fails(found) else None


_PLAIN = {"size", "min", "max", "after", "before", "parts", "old", "ended", "winners", "times", "abs"}


def _small(kind: Type) -> bool:
    """May an unknown have this type?"""
    if boardish(kind) and not isinstance(kind, Maybe):
        return False
    n = ty.cardinality(projected_type(kind))
    return n is not None and 0 < n <= MOST_VALUES and isinstance(kind, (Bool, Int, Enum, Maybe))


class Projection:
    """The projection of a game, made for some formulas of questions about it.

    `on_empty` are layings that have a fault unless the table is empty. With `progress` a player's action that reads the board
    is open just where an unknown says so, so that a position is stuck in the projection where it is in the game; without, the
    action may be open in more positions.
    """

    def __init__(
        self,
        game: Game,
        formulas: tuple[Expr, ...] = (),
        progress: bool = False,
        window: Window | None = None,
        on_empty: tuple[Assign, ...] = (),
    ) -> None:
        self.origin = game
        self.window = window
        self.on_empty = {id(e) for e in on_empty}
        self.kinds = {v.name: projected_type(v.type) for v in game.variables}
        self.oracles: dict[Expr, Oracle] = {}
        self.kept: dict[str, str] = {}
        self.moves = {a.name: self._can(a) for a in game.actions if a.by is not None} if progress else {}
        self.progress = progress
        actions: tuple[Action, ...] = ()
        ends: tuple[End, ...] = ()
        for _ in range(2):  # once to find the unknowns, once knowing them all
            actions = tuple(self._action(a) for a in game.actions)
            ends = tuple(self._end(e) for e in game.ends)
            for f in formulas:
                self.formula(f)
            if window is not None:
                self.of_window(window.claim)
        start = evaluate.starts(game)[0]
        variables = [replace(v, type=self.kinds[v.name], init=self._init(v)) for v in game.variables]
        several = any(v.any_of for v in game.variables)
        for o in self.oracles.values():
            init = frozenset(ty.domain(o.kind)) if several else self.oracle_value(o, start)
            shape: Type = SetOf(o.kind) if several else o.kind
            variables.append(Variable(o.name, o.kind, Const(init, type=shape), several, "", game.variables[0].span))
        for name in self.kept.values():
            variables.append(Variable(name, BOOL, Const(True, type=BOOL), False, "", game.variables[0].span))
        hints: tuple[Expr, ...] = ()
        if window is not None:
            shown = frozenset().union(*(window.starts(s[window.table]) for s in evaluate.starts(game)))
            seen = Const(shown, type=SetOf(window.record))
            variables.append(Variable(NAME, window.record, seen, True, "", game.variables[0].span))
            hints = tuple(window.hints())
        self.game = replace(
            game, variables=tuple(variables), actions=actions, ends=ends, said=self.claim, origin=game, hints=hints
        )

    def _init(self, v: Variable) -> Const:
        assert isinstance(v.init, Const)
        if not v.any_of:
            return Const(projected_value(v.init.value, v.type), type=self.kinds[v.name])
        return Const(frozenset(projected_value(x, v.type) for x in v.init.value), type=SetOf(self.kinds[v.name]))

    @property
    def unknowns(self) -> int:
        """How many variables there are beside those of the game."""
        return len(self.oracles) + len(self.kept)

    # positions

    def state(self, state: evaluate.State) -> evaluate.State:
        """The position of the projection that a position of the game is, every unknown at its real value."""
        kept = [(v.name, projected_value(state[v.name], v.type)) for v in self.origin.variables]
        unknown = [(o.name, self.oracle_value(o, state)) for o in self.oracles.values()]
        return Map([*kept, *unknown, *((name, True) for name in self.kept.values())])

    def oracle_value(self, o: Oracle, state: evaluate.State) -> Value:
        """What an unknown is in a position of the game."""
        try:
            found = value(o.source, evaluate.place(self.origin, state))
        except Fault:
            return ty.default(o.kind)
        return projected_value(found, o.source.type)

    # formulas

    def of_window(self, claim: Claim) -> Expr | None:
        """The claim about all edges or squares as one about the window."""
        assert self.window is not None
        part = Translator(self.kinds, self._oracle, {claim.part.binders[0].name: None}, self.window).expr(
            self.window.instance()
        )
        return None if part is None else self._around(claim.whole, claim.part, part)

    def _around(self, e: Expr, part: Expr, said: Expr) -> Expr | None:
        if e is part:
            return said
        if isinstance(e, Op) and e.op in ("and", "or") and any(_holds(a, part) for a in e.args):
            found = [self._around(a, part, said) for a in e.args]
            return None if any(x is None for x in found) else replace(e, args=tuple(x for x in found if x is not None))
        return self.formula(e)

    def _unchanged(self, e: Expr) -> Expr | None:
        """`x == old(x)` of a variable that is not kept whole: a variable of its own that tells whether it is so."""
        if not (isinstance(e, Op) and e.op in ("eq", "ne")):
            return None
        for a, b in (e.args, e.args[::-1]):
            if isinstance(a, Var) and boardish(a.type) and isinstance(b, Call) and b.name == "old" and b.args[0] == a:
                name = self.kept.setdefault(a.name, f"unchanged({a.name})")
                self.kinds[name] = BOOL
                same = Var(name, type=BOOL, span=e.span)
                return same if e.op == "eq" else Op("not", (same,), type=BOOL, span=e.span)
        return None

    def formula(self, e: Expr) -> Expr | None:
        """A formula of a position (or step) about the projection; None where it cannot be said."""
        return Translator(self.kinds, self._oracle).expr(e)

    def claim(self, e: Expr) -> Expr | None:
        """A formula of a position that needs no unknown beyond those there are."""
        return Translator(self.kinds, lambda x: self._oracle(x) if x in self.oracles else None).expr(e)

    def _oracle(self, e: Expr) -> Expr | None:
        """The unknown that stands for a formula of the position."""
        same = self._unchanged(e)
        if same is not None:
            return same
        if free_names(e) - {"who"} or "*" in variables_read(e):
            return None
        kind = projected_type(e.type)
        known = self.oracles.get(e)
        if known is None:
            most = most_of(put_in(e, {})) if isinstance(kind, Int) else None
            bound = None if most is None or free_names(most) else Translator(self.kinds, lambda _: None).expr(most)
            known = Oracle(f"unknown({len(self.oracles) + 1})", e, variables_read(e), kind, bound)
            self.oracles[e] = known
            self.kinds[known.name] = kind
        found: Expr = Var(known.name, type=kind, span=e.span)
        if isinstance(kind, Bool):
            upper = Translator(self.kinds, lambda _: None).upper(e)
            found = _both(upper, found)
        return found

    def _can(self, a: Action) -> Expr | None:
        """The formula that asks whether a player's action is open."""
        text = f"can('{a.name}')"
        parsed = parse_formula(Scalar(text, "plain", a.span, [a.span.start] * (len(text) + 1)), Diagnostics())
        assert parsed is not None
        typer = Typer(self.origin.names, Diagnostics(), parsed, {}, "question")
        assert parsed.tree is not None
        found = typer.expr(parsed.tree)
        return None if isinstance(found.type, ty.Unknown) else found

    # rules

    def _end(self, e: End) -> End:
        when = self.formula(e.when)
        winners = None if e.winners is None else self.formula(e.winners)
        if when is None or (e.winners is not None and winners is None):
            raise Unlowerable(f"`{e.id}` reads the board in a way that cannot be left open")
        return End(e.id, when, winners, e.span)

    def _action(self, a: Action) -> Action:
        return _ActionProjection(self, a).projected()


class _ActionProjection:
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
            during = legal if during is None else _both(during, legal)
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
            if not _small(b.type):
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
            return _both(window.fits(self._where(e.args[1]), shown[0], shown[1]), unknown)
        return self._unknown_param(e)

    def _unknown_param(self, e: Expr) -> Expr | None:
        found = self.p._oracle(e)
        if found is not None:
            return found
        if not free_names(e) <= self.own or not _small(e.type):
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
        if not _small(e.type) or not free_names(e) <= self.own | {d.name for d in self.a.draws}:
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


def _holds(e: Expr, part: Expr) -> bool:
    return e is part or any(_holds(c, part) for c in children(e))


def _both(a: Expr, b: Expr) -> Expr:
    if isinstance(a, Const) and a.value is True:
        return b
    return Op("and", (a, b), type=BOOL, span=b.span)


_SAFE = {"and", "or", "not", "eq", "ne", "lt", "le", "in", "add", "mul", "neg", "abs", "union", "meet", "minus", "append"}


def never_fails(e: Expr) -> bool:
    """Is it plain that the formula has a value everywhere?"""
    match e:
        case Const() | Var() | Local() | Let() | If() | Items() | Make():
            fine = True
        case Op(op):
            fine = op in _SAFE or (op == "sub" and all(isinstance(a.type, Int) for a in e.args))
        case Index(base, key):
            fine = isinstance(base.type, BagOf) or (isinstance(base.type, MapOf) and _within(key.type, base.type.key))
        case Field(base):
            fine = not isinstance(base.type, Maybe)
        case Agg(kind):
            fine = kind not in ("max", "min")
        case Call(name, args):
            fine = name in ("size", "min", "max", "parts") or (name in ("after", "before") and len(args) == 1)
        case _:
            fine = False
    return fine and all(never_fails(c) for c in children(e))


def _within(kind: Type, wanted: Type) -> bool:
    match kind, wanted:
        case Int(a, b), Int(lo, hi):
            return None not in (a, b, lo, hi) and lo <= a and b <= hi  # type: ignore[operator]
        case Enum(_, values), Enum(_, others):
            return set(values) <= set(others)
    return isinstance(kind, Bool) and isinstance(wanted, Bool)


# how far numbers read of a board can go


def most_of(e: Expr, around: dict[str, Expr] | None = None) -> Expr | None:
    """A formula without features that is never smaller than a number read of a board; None where none is known."""
    around = around or {}
    match e:
        case Const(found) if isinstance(found, int):
            return e
        case Local(name):
            return around.get(name)
        case Field(Local(name), "size") if isinstance(e.type, Int):
            return around.get(name + ".size")
        case If(_, yes, no):
            return _larger(most_of(yes, around), most_of(no, around))
        case Let(names, values, body):
            known = {n: m for n, v in zip(names, values, strict=True) if (m := most_of(v, around)) is not None}
            return most_of(body, {**around, **known})
        case Agg("max" | "min", binders, body):
            inner = dict(around)
            for b in binders:
                _bind(b, inner)
            return most_of(body, inner)
    return None


def _bind(b: Binder, around: dict[str, Expr]) -> None:
    domain = b.domain
    around.pop(b.name, None)
    around.pop(b.name + ".size", None)
    if not isinstance(domain, Expr):
        return
    if isinstance(domain, Call) and domain.name == "features":
        table = domain.args[0]
        around[b.name + ".size"] = Call("size", (table,), type=Int(0, _limit(table.type)))
        return
    bound = _elements(domain, around)
    if bound is not None:
        around[b.name] = bound


def _elements(e: Expr, around: dict[str, Expr]) -> Expr | None:
    """What no element of a set exceeds."""
    match e:
        case Const(found) if isinstance(found, frozenset) and found and all(isinstance(x, int) for x in found):
            return Const(max(found), type=Int(max(found), max(found)))
        case Items(items):
            best: Expr | None = most_of(items[0], around)
            for x in items[1:]:
                best = _larger(best, most_of(x, around))
            return best
        case Op("union", (a, b)):
            return _larger(_elements(a, around), _elements(b, around))
        case Agg("set", binders, body):
            inner = dict(around)
            for b_ in binders:
                _bind(b_, inner)
            return most_of(body, inner)
    return None


def _larger(a: Expr | None, b: Expr | None) -> Expr | None:
    if a is None or b is None:
        return None
    lo = max((x.type.lo or 0) for x in (a, b) if isinstance(x.type, Int))
    hi = [x.type.hi for x in (a, b) if isinstance(x.type, Int)]
    return Call("max", (a, b), type=Int(lo, None if None in hi else max(h for h in hi if h is not None)))


def _limit(kind: Type) -> int:
    return kind.limit if isinstance(kind, LayoutType) else 0


__all__ = ["Enum", "Oracle", "Projection", "boardish", "most_of", "projected_type", "projected_value"]


def _is_one_more(e: Assign, bag: BagOf) -> bool:
    """Is it `bag[key] += 1`?"""
    if not (isinstance(e.value, Op) and e.value.op == "add" and isinstance(e.value.args[0], Index)):
        return False
    item, one = e.value.args
    assert isinstance(item, Index)
    same = item.base == Var(e.name, type=bag) and e.path == (item.key,)
    return same and isinstance(one, Const) and one.value == 1
