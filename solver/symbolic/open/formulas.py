"""Checked formulas as z3 terms, with everything about the board left open.

What cannot be said becomes an unknown of its own, so that a proof never rests on it. Where the evaluator finds no value
(a fault), the value here is any: a claim proved so holds wherever it has a value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import z3

from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.symbolic.open import aggregates, board_reads
from tablelaw.solver.symbolic.open.boards import Table, table_of
from tablelaw.solver.symbolic.open.heaps import Heaps, held, times_held
from tablelaw.solver.symbolic.open.values import (
    FALSE,
    TRUE,
    BagV,
    Bound,
    CellV,
    EdgeV,
    FeatureV,
    HeapV,
    LaidV,
    LayoutV,
    ListV,
    MapV,
    MaybeV,
    NoneV,
    OpaqueV,
    PartV,
    RecordV,
    SetV,
    Term,
    both,
    constant,
    either,
    equal,
    fitted,
    flat,
    is_false,
    is_true,
    listed_set,
    merged,
    no,
    number,
    pack,
    pick,
    same,
    small,
    sorts,
    typed,
)
from tablelaw.spec import types as ty
from tablelaw.spec.core import Agg, Call, Const, Expr, Field, If, Index, Items, Let, Local, Make, Op, Var
from tablelaw.spec.game import Game
from tablelaw.spec.types import BagOf, Bool, CellType, EdgeType, Int, LayoutType, ListOf, MapOf, Maybe, PartType, SetOf, Type


@dataclass(frozen=True)
class Here:
    """Where a formula is read: a position as values, the names bound, the step before, how often things have happened."""

    state: dict[str, Any]
    names: dict[str, Any] = field(default_factory=dict)
    before: Here | None = None
    times: dict[str, Term] = field(default_factory=dict)

    def bind(self, names: dict[str, Any]) -> Here:
        return replace(self, names={**self.names, **names})


Span = tuple[int, int, int]


class Reader:
    """Reads formulas of one game into terms; `facts` are what may be assumed besides."""

    def __init__(self, game: Game, marks: dict[str, Term] | None = None) -> None:
        self.game = game
        self.marks = marks
        """Stands for each clause being in force, where what a proof rests on is asked; filled as clauses are read."""
        self.heaps = Heaps()
        self.facts: list[Term] = []
        self.open: list[Term] = []
        self.unknowns = 0
        self.over_places: dict[Any, Any] = {}
        self.part_attributes: dict[str, Any] = {}
        self.tables: dict[str, Table] = {}
        self.constants: dict[int, tuple[Expr, Any]] = {}
        self.rows: dict[int, tuple[dict[Any, Any], dict[Any, list[Term]]]] = {}
        self.checks = {} if marks is None else {_at(c.formula): c.id for a in game.actions for c in a.checks}

    # names and facts

    def fact(self, what: Term) -> None:
        """Assume something that holds whatever the names in scope stand for."""
        if is_true(what):
            return
        around = self.around(what)
        self.facts.append(z3.ForAll(around, what) if around else what)

    def around(self, what: Term) -> list[Term]:
        """The bound names that a term reads, outermost first."""
        if not self.open:
            return []
        known = {c.get_id() for c in self.open}
        found: set[int] = set()
        seen: set[int] = set()
        stack = [what]
        while stack:
            t = stack.pop()
            if t.get_id() in seen:
                continue
            seen.add(t.get_id())
            if t.get_id() in known:
                found.add(t.get_id())
            stack.extend([t.body()] if z3.is_quantifier(t) else t.children())
        return [c for c in self.open if c.get_id() in found]

    def opened(self, some: list[Any]) -> list[Term]:
        """New bound names of these sorts; `close` gives them up."""
        new = [z3.Const(f"bound {len(self.open) + i}", s) for i, s in enumerate(some)]
        self.open += new
        return new

    def close(self, names: list[Term]) -> None:
        del self.open[len(self.open) - len(names) :]

    def unknown(self, t: Type) -> Any:
        """Any value of a type, whatever is bound around."""
        row = []
        self.unknowns += 1
        for i, s in enumerate(sorts(t)):
            name = f"unknown {self.unknowns}, {i}"
            row.append(z3.Function(name, *(c.sort() for c in self.open), s)(*self.open) if self.open else z3.Const(name, s))
        found = pack(t, row)
        self.fact(both(typed(found, t)))
        return found

    def table(self, layout: LayoutType) -> Table:
        """What is known of the layouts of a type; its facts are assumed from the first time on."""
        name = f"{layout.pieces.name if layout.pieces is not None else ''} {layout.limit} {layout.width} {layout.height}"
        if name not in self.tables:
            kinds = self.game.names.kinds
            if layout.pieces is None:
                raise Unlowerable("a layout without pieces is not told with the board left open")
            self.tables[name] = table_of(layout, layout.pieces, kinds.family if kinds is not None else ())
            self.facts += self.tables[name].facts
        return self.tables[name]

    # formulas

    def truth(self, e: Expr, here: Here) -> Term:
        """Whether a formula holds; an unknown where that cannot be said."""
        depth = len(self.open)
        try:
            return fitted(self.value(e, here), ty.BOOL)
        except Unlowerable:
            del self.open[depth:]
            self.unknowns += 1
            name = f"unknown {self.unknowns}"
            if self.open:
                return z3.Function(name, *(c.sort() for c in self.open), z3.BoolSort())(*self.open)
            return z3.Bool(name)

    def value(self, e: Expr, here: Here) -> Any:
        """The value of a formula. Raises `Unlowerable`."""
        if self.checks and e.span is not None and isinstance(e.type, Bool):  # `can` repeats checks
            check = self.checks.get(_at(e))
            if check is not None:
                return either([no(self.in_force(check)), self._value(e, here)])
        return self._value(e, here)

    def in_force(self, clause: str) -> Term:
        """Stands for a clause being in force, where that is asked."""
        if self.marks is None:
            return TRUE
        return self.marks.setdefault(clause, z3.Bool(f"clause {clause}"))

    def _value(self, e: Expr, here: Here) -> Any:
        match e:
            case Const():
                if id(e) not in self.constants:
                    self.constants[id(e)] = (e, constant(e.type, e.value))
                return self.constants[id(e)][1]
            case Var(name):
                found = here.state.get(name)
                if found is None or isinstance(found, OpaqueV):
                    raise Unlowerable(f"`{name}` is not told with the board left open")
                return found
            case Local(name):
                return here.names[name]
            case Op("and", args):
                return both([self.truth(a, here) for a in args])
            case Op("or", args):
                return either([self.truth(a, here) for a in args])
            case Op("not", args):
                return no(self.truth(args[0], here))
            case Op():
                return self._operator(e, here)
            case If(test, yes, other):
                return merged(self.truth(test, here), self.value(yes, here), self.value(other, here), e.type)
            case Index(base, key):
                return self._item(e, self.value(base, here), base.type, self.value(key, here), key.type)
            case Field(base, name):
                return self._field(e, self.value(base, here), base.type, name)
            case Make(fields):
                return self._made(e, [self.value(f, here) for f in fields])
            case Items(items):
                assert isinstance(e.type, SetOf)
                return listed_set(e.type.elem, [(fitted(self.value(i, here), e.type.elem), TRUE) for i in items])
            case Let(names, values, body):
                return self.value(body, here.bind({n: self.value(v, here) for n, v in zip(names, values, strict=True)}))
            case Agg():
                return aggregates.value(self, e, here)
            case Call():
                return self._call(e, here)
        raise Unlowerable("this is not told with the board left open")

    def _operator(self, e: Op, here: Here) -> Any:
        a, *rest = [self.value(x, here) for x in e.args]
        left = e.args[0].type
        if e.op == "sure":
            return fitted(a, e.type)
        if e.op == "neg":
            return -fitted(a, ty.INT)
        if e.op == "abs":
            return pick(a >= 0, a, -a)
        (b,) = rest
        right = e.args[1].type
        if e.op in ("eq", "ne"):
            kind = ty.join(left, right)
            found = FALSE if kind is None else same(fitted(a, kind), fitted(b, kind), kind)
            return found if e.op == "eq" else no(found)
        if e.op == "in":
            return self.contains(a, left, b, right)
        if e.op == "xor":
            return z3.Xor(a, b)
        if isinstance(a, BagV) and isinstance(b, BagV):
            return _bags(e.op, a, b, left, right)
        if isinstance(a, SetV) and isinstance(b, SetV):
            return _sets(e.op, a, b, e.type)
        if not all(isinstance(t, (Int, Bool, Maybe)) for t in (left, right)):
            raise Unlowerable("this operator is not told with the board left open")
        x, y = fitted(a, ty.INT), fitted(b, ty.INT)
        match e.op:
            case "add":
                return x + y if not _numbers(x, y) else number(x.as_long() + y.as_long())
            case "sub":
                return x - y if not _numbers(x, y) else number(x.as_long() - y.as_long())
            case "mul":
                return x * y
            case "lt":
                return x < y
            case "le":
                return x <= y
            case "floordiv" | "mod" if z3.is_int_value(y) and y.as_long() > 0:
                return x / y if e.op == "floordiv" else x % y
        raise Unlowerable("this operator is not told with the board left open")

    def contains(self, a: Any, left: Type, b: Any, right: Type) -> Term:
        """Is a value in a collection?"""
        if isinstance(b, (LayoutV, FeatureV)):
            return board_reads.contains(self, fitted(a, left.elem if isinstance(left, Maybe) else left), b)
        elem = right.key if isinstance(right, MapOf) else getattr(right, "elem", None)
        if elem is None:
            raise Unlowerable("this is not told with the board left open")
        here: list[Term] = []
        if isinstance(a, NoneV) and not isinstance(elem, Maybe):
            return FALSE
        if isinstance(a, MaybeV) and not isinstance(elem, Maybe):
            here, a = [a.present], a.inner
        a = fitted(a, elem)
        match b:
            case SetV():
                return both([*here, b.member(a)])
            case BagV(counts):
                found = [both([n >= 1, same(a, constant(elem, k), elem)]) for k, n in counts.items()]
                return both([*here, either(found)])
            case HeapV():
                return both([*here, held(b, flat(a, elem))])
            case ListV(_, items):
                return both([*here, either([same(a, fitted(x, elem), elem) for x in items])])
            case MapV(items):
                return both([*here, either([same(a, constant(elem, k), elem) for k in items])])
        raise Unlowerable("this is not told with the board left open")

    def _item(self, e: Index, base: Any, kind: Type, key: Any, key_type: Type) -> Any:
        match base:
            case MapV(items):
                assert isinstance(kind, MapOf)
                return self.looked_up(items, fitted(key, kind.key), kind.key, kind.value)
            case BagV(counts):
                assert isinstance(kind, BagOf)
                if not counts:
                    return number(0)
                return self.looked_up({**counts}, fitted(key, kind.elem), kind.elem, ty.INT, number(0))
            case HeapV():
                return times_held(base, flat(key, base.type.elem))
            case ListV(elem, items):
                return self.looked_up(dict(enumerate(items)), fitted(key, ty.INT), Int(0, len(items) - 1), elem)
            case LayoutV():
                return LaidV(base, fitted(key, base.type.cell))
        raise Unlowerable("this is not told with the board left open")

    def looked_up(self, items: dict[Any, Any], key: Any, key_type: Type, kind: Type, other: Any = None) -> Any:
        """The item of a key; the last where no other fits (or `other`)."""
        tests = {k: same(key, constant(key_type, k), key_type) for k in items}
        known = [k for k, t in tests.items() if is_true(t)]
        if known:
            return items[known[0]]
        left = [k for k, t in tests.items() if not is_false(t)]
        if not left:
            if other is not None:
                return other
            raise Unlowerable("nothing is found under this key")
        if isinstance(kind, SetOf):
            if not small(kind.elem):
                raise Unlowerable("sets of places are not looked up with the board left open")
            if id(items) not in self.rows:
                self.rows[id(items)] = (items, {k: flat(v, kind) for k, v in items.items()})
            every = self.rows[id(items)][1]
            return pack(kind, _grouped({k: every[k] for k in left}, tests))
        rows = {k: flat(items[k], kind) for k in left}
        if other is not None:
            rows = {**rows, None: flat(other, kind)}
        return pack(kind, _grouped(rows, tests))

    def _field(self, e: Field, owner: Any, kind: Type, name: str) -> Any:
        if isinstance(owner, MaybeV):
            owner, kind = owner.inner, kind.elem if isinstance(kind, Maybe) else kind
        if isinstance(owner, RecordV):
            return owner.fields[name]
        return board_reads.field_of(self, owner, name, e.type, kind)

    def _made(self, e: Make, values: list[Any]) -> Any:
        match e.type:
            case CellType():
                return CellV(fitted(values[0], ty.INT), fitted(values[1], ty.INT))
            case EdgeType(cell, side):
                return EdgeV(fitted(values[0], cell), fitted(values[1], side))
            case PartType(cell, kinds, sides):
                at = fitted(values[2], Maybe(sides))
                return PartV(fitted(values[0], cell), fitted(values[1], kinds), pick(at.present, at.inner, number(-1)))
            case ty.Record(_, fields):
                return RecordV({n: fitted(v, t) for (n, t), v in zip(fields, values, strict=True)})
        raise Unlowerable("this is not told with the board left open")

    def _call(self, e: Call, here: Here) -> Any:
        match e.name:
            case "old":
                return self.value(e.args[0], replace(here.before, names=here.names) if here.before is not None else here)
            case "ended":
                return self.ended(here)
            case "winners":
                return self.winners(here)
            case "times":
                if e.subject not in here.times:
                    raise Unlowerable("how often this has happened is not known here")
                return here.times[e.subject]
            case "size":
                return aggregates.size(self, e.args[0], here)
            case "min" | "max":
                found = [fitted(self.value(a, here), ty.INT) for a in e.args]
                best = found[0]
                for x in found[1:]:
                    best = pick(best <= x, best, x) if e.name == "min" else pick(best <= x, x, best)
                return best
            case "after" | "before":
                return self._seat(e, here)
            case "parts" if len(e.args) == 1:
                return self._within(e, self.value(e.args[0], here), e.args[0].type)
        return board_reads.call(self, e, [self.value(a, here) for a in e.args])

    def _within(self, e: Call, bag: Any, kind: Type) -> SetV:
        assert isinstance(kind, BagOf)
        if not isinstance(bag, BagV) or not small(kind.elem):
            raise Unlowerable("the parts of a bag of places are not told with the board left open")
        bag = fitted(bag, kind)

        def member(v: Any) -> Term:
            w = fitted(v, kind)
            return both([both([n >= 0, n <= bag.counts[k]]) for k, n in w.counts.items()])

        def bind() -> Iterator[Bound]:
            names = self.opened(sorts(kind))
            v = pack(kind, names)
            yield names, v, member(v)
            self.close(names)

        return SetV(kind, member, None, bind)

    def _seat(self, e: Call, here: Here) -> Term:
        n, way = self.game.players, 1 if e.name == "after" else -1
        seat = fitted(self.value(e.args[0], here), ty.INT)
        among = self.value(e.args[1], here) if len(e.args) > 1 else None
        found = seat
        for k in range(n - 1 if among is not None else 1, 0, -1):
            other = number(0)
            for p in range(n):
                other = pick(equal(seat, number(p)), number((p + way * k) % n), other)
            found = other if among is None else pick(among.member(other), other, found)
        return found

    # the end

    def ended(self, here: Here) -> Term:
        """Is the play over?"""
        return either([self.truth(end.when, replace(here, names={})) for end in self.game.ends])

    def winners(self, here: Here) -> SetV:
        """Who has won."""
        player = Int(0, self.game.players - 1)
        here = replace(here, names={})
        found: Any = listed_set(player, [])
        for end in reversed(self.game.ends):
            won = listed_set(player, []) if end.winners is None else self.value(end.winners, here)
            found = merged(self.truth(end.when, here), won, found, SetOf(player))
        assert isinstance(found, SetV)
        return found


def _at(e: Expr) -> Span | None:
    return None if e.span is None else (id(e.span.source), e.span.start, e.span.end)


def _numbers(*terms: Term) -> bool:
    return all(z3.is_int_value(t) for t in terms)


def _grouped(rows: dict[Any, list[Term]], tests: dict[Any, Term]) -> list[Term]:
    """One row chosen of several, each term by the tests of the keys that give it."""
    keys = list(rows)
    found = list(rows[keys[-1]])
    for i in range(len(found)):
        groups: dict[int, tuple[Term, list[Term]]] = {}
        for k in keys[:-1]:
            groups.setdefault(rows[k][i].get_id(), (rows[k][i], []))[1].append(tests[k])
        for term, when in groups.values():
            found[i] = pick(either(when), term, found[i])
    return found


def _bags(op: str, a: BagV, b: BagV, left: Type, right: Type) -> Any:
    kind = ty.join(left, right)
    if not isinstance(kind, BagOf) or not small(kind.elem):
        raise Unlowerable("bags of places are not put together with the board left open")
    a, b = fitted(a, kind), fitted(b, kind)
    if op in ("add", "sub"):
        return BagV({k: (n + b.counts[k] if op == "add" else n - b.counts[k]) for k, n in a.counts.items()})
    if op == "le":
        return both([n <= b.counts[k] for k, n in a.counts.items()])
    if op == "lt":
        return both([*(n <= b.counts[k] for k, n in a.counts.items()), no(same(a, b, kind))])
    raise Unlowerable("this operator is not told with the board left open")


def _sets(op: str, a: SetV, b: SetV, kind: Type) -> Any:
    if op in ("le", "lt"):
        if not small(a.elem):
            raise Unlowerable("sets of places are not compared with the board left open")
        every = [constant(a.elem, k) for k in ty.domain(a.elem)]
        less = [both([either([no(a.member(v)), b.member(v)]) for v in every])]
        return both([*less, either([both([b.member(v), no(a.member(v))]) for v in every])] if op == "lt" else less)
    assert isinstance(kind, SetOf)
    if op == "union":
        listed = [*a.listed, *b.listed] if a.listed is not None and b.listed is not None else None
        first, second = a.bind, b.bind

        def of_both() -> Iterator[Bound]:
            assert first is not None
            assert second is not None
            yield from first()
            for names, v, guard in second():
                yield names, v, both([guard, no(a.member(v))])

        member = SetV(kind.elem, lambda v: either([a.member(v), b.member(v)])).member
        return SetV(kind.elem, member, listed, of_both if first is not None and second is not None else None)
    if op in ("meet", "minus"):

        def keep(v: Any) -> Term:
            return b.member(v) if op == "meet" else no(b.member(v))

        listed = None if a.listed is None else [(x, both([c, keep(x)])) for x, c in a.listed]
        bind = a.bind

        def narrowed() -> Iterator[Bound]:
            assert bind is not None
            for names, v, guard in bind():
                yield names, v, both([guard, keep(v)])

        return SetV(kind.elem, lambda v: both([a.member(v), keep(v)]), listed, None if bind is None else narrowed)
    raise Unlowerable("this operator is not told with the board left open")


__all__ = ["Here", "ListOf", "Reader"]
