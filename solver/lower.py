"""From a checked game to the flat transition system: formulas to trees of terms, effects to updates of slots.

Quantifiers over finite domains are written out; a fault is a condition beside the value. With `switches` each clause
can be turned off: a check no longer forbids, an effect is not done, an end does not end; without an action's own clause
nobody takes it. Cores and vacuity are asked so.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb, lcm

from tablelaw.solver.ir import Input, Model, Move, Term, Terms, walk
from tablelaw.solver.lower_formulas import Formulas
from tablelaw.solver.lower_values import Around, as_term
from tablelaw.solver.shapes import (
    Counts,
    Items,
    Members,
    Perhaps,
    Row,
    Tree,
    Unlowerable,
    code,
    numbers,
    scatter,
)  # fmt: skip
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
    Loop,
)  # fmt: skip
from tablelaw.spec.game import Action, Game
from tablelaw.spec.source import Span
from tablelaw.spec.types import BagOf, Bool, Enum, Int, ListOf, MapOf, Maybe, Nothing, Record, SetOf, Type
from tablelaw.spec.values import Value

UNROLLED = 256


@dataclass(slots=True)
class Lowerer(Formulas):
    """Lowers the formulas, effects and moves of one game over one `Terms`."""

    # effects

    def run(self, effects: tuple[Effect, ...], at: Around, fired: dict[str, Term]) -> None:
        """Take effects into `at.state`, under `at.guard`."""
        t = self.terms
        for e in effects:
            match e:
                case Assign(name, path, value):
                    kind = next(v.type for v in self.game.variables if v.name == name)
                    new = self._put(at.state[name], kind, list(path), value, at, e.span)
                    self.fault("range", t.no(self.shapes.within(new, kind)), at, e.span)
                    at.state[name] = self.shapes.choose(at.guard, self.shapes.tidy(new, kind), at.state[name])
                case Branch(test, yes, no):
                    condition = self.truth(test, at)
                    for part, when in ((yes, condition), (no, t.no(condition))):
                        inner = t.all((at.guard, when))
                        if inner is not t.false:
                            self.run(part, replace(at, guard=inner), fired)
                case Loop(name, domain, _, body):
                    for tree, visited, copies in self.visits(domain, at):
                        for k in range(1 if copies is None else copies.hi):
                            inner = t.all((at.guard, visited if copies is None else t.lt(t.const(k), copies)))
                            if inner is not t.false:
                                self.run(body, at.bind({name: tree}, inner), fired)
                case Fire(clause, when, body):
                    outer, self.clause = self.clause, clause
                    condition = t.true if when is None else self.truth(when, at)
                    inner = t.all((at.guard, condition, self.switch(clause)))
                    if inner is not t.false:
                        fired[clause] = t.any((fired.get(clause, t.false), inner))
                        self.run(body, replace(at, guard=inner), fired)
                    self.clause = outer
                case Bind(names, values, body):
                    self.run(body, at.bind({n: self.expr(v, at) for n, v in zip(names, values, strict=True)}), fired)

    def _put(self, old: Tree, kind: Type, path: list[Expr | str], value: Expr, at: Around, span: Span | None) -> Tree:
        t = self.terms
        if not path:
            return self.coerced(self.expr(value, at), value.type, kind)
        step, rest = path[0], path[1:]
        if isinstance(old, Perhaps):
            assert isinstance(kind, Maybe)
            self.fault("none", t.no(old.there), at, span)
            inner = self.shapes.blank(kind.elem) if old.inner is None else old.inner
            return Perhaps(old.there, self._put(inner, kind.elem, path, value, at, span))
        if isinstance(step, str):
            assert isinstance(old, Items)
            assert isinstance(kind, Record)
            field_type = kind.field_type(step)
            assert field_type is not None
            return Items({**old.of, step: self._put(old.of[step], field_type, rest, value, at, span)})
        if isinstance(old, Row):
            assert isinstance(kind, ListOf)
            key = as_term(self.expr(step, at))
            self.fault("index", t.no(t.all((t.le(t.const(0), key), t.lt(key, old.length)))), at, span)
            changed = []
            for i, x in enumerate(old.items):
                here = t.eq(key, t.const(i))
                there = replace(at, guard=t.all((at.guard, here)))
                changed.append(
                    x if here is t.false else self.shapes.choose(here, self._put(x, kind.elem, rest, value, there, span), x)
                )
            return Row(old.length, tuple(changed))
        assert isinstance(old, (Items, Counts))
        assert isinstance(kind, (MapOf, BagOf))
        keys = kind.key if isinstance(kind, MapOf) else kind.elem
        inner_kind: Type = kind.value if isinstance(kind, MapOf) else ty.INT
        where = self.coerced(self.expr(step, at), step.type, keys)
        result: dict[Value, Tree] = {}
        inside = t.false
        for k, x in old.of.items():
            here = self._is(where, keys, k, keys)
            inside = t.any((inside, here))
            if here is t.false:
                result[k] = x
                continue
            there = replace(at, guard=t.all((at.guard, here)))
            new = x if there.guard is t.false else self._put(x, inner_kind, rest, value, there, span)
            result[k] = self.shapes.choose(here, new, x)
        self.fault("index" if isinstance(kind, MapOf) else "range", t.no(inside), at, span)
        if isinstance(old, Counts):
            return Counts({k: t.number(as_term(v)) for k, v in result.items()})
        return Items(result)

    # moves

    def choice(self, b: Binder, at: Around, inputs: list[Input]) -> tuple[Tree, Term]:
        """New inputs for a parameter: its tree, and when its value is one of the domain's."""
        if isinstance(b.domain, Call) and b.domain.name == "parts":
            whole = self.expr(b.domain.args[0], at)
            assert isinstance(whole, Counts)
            return Counts(
                {k: self._input(inputs, 0, n.hi, self.terms.const(0), n, False) for k, n in whole.of.items()}
            ), self.terms.true
        tree, valid = self.free(b.type, inputs, None if isinstance(b.domain, Type) else self.expr(b.domain, at), False)
        if isinstance(b.domain, Type):
            return tree, valid
        return tree, self.terms.all((valid, self._member(tree, b.type, self.expr(b.domain, at), b.domain.type)))

    def _input(self, inputs: list[Input], lo: int, hi: int, least: Term, most: Term, drawn: bool, truth: bool = False) -> Term:
        found = Input(len(inputs), lo, hi, least, most, drawn)
        inputs.append(found)
        return self.terms.leaf("input", found.number, lo, hi, truth)

    def free(self, kind: Type, inputs: list[Input], among: Tree | None, drawn: bool) -> tuple[Tree, Term]:
        """Inputs that may be any value of a type, and when together they are one."""
        t = self.terms
        match kind:
            case Bool():
                return self._input(inputs, 0, 1, t.const(0), t.const(1), drawn, True), t.true
            case Int() | Enum():
                if isinstance(kind, Enum):
                    codes = [kind.family.index(v) for v in kind.values]
                elif kind.lo is not None and kind.hi is not None:
                    codes = [kind.lo, kind.hi]
                else:
                    codes = []
                if isinstance(among, Members):
                    codes = [code(v, kind) for v in among.of] or [0]
                if not codes:
                    raise Unlowerable("a choice among numbers without bounds")
                tree = self._input(inputs, min(codes), max(codes), t.const(min(codes)), t.const(max(codes)), drawn)
                return tree, self.shapes.within(tree, kind)
            case Maybe(elem):
                there = self._input(inputs, 0, 1, t.const(0), t.const(1), drawn, True)
                inner, valid = self.free(elem, inputs, None, drawn)
                blank = self.shapes.equal(inner, self.shapes.blank(elem))
                return Perhaps(there, inner), t.ite(there, valid, blank)
            case Record(_, fields):
                parts = {n: self.free(f, inputs, None, drawn) for n, f in fields}
                return Items({n: p[0] for n, p in parts.items()}), t.all(p[1] for p in parts.values())
            case MapOf(key, inner_kind):
                values = {k: self.free(inner_kind, inputs, None, drawn) for k in ty.domain(key)}
                return Items({k: p[0] for k, p in values.items()}), t.all(p[1] for p in values.values())
            case SetOf(elem):
                return Members(
                    {v: self._input(inputs, 0, 1, t.const(0), t.const(1), drawn, True) for v in ty.domain(elem)}
                ), t.true
            case BagOf(elem, limit):
                used: Term = t.const(0)
                counts: dict[Value, Term] = {}
                for v in ty.domain(elem):
                    counts[v] = self._input(inputs, 0, limit or 0, t.const(0), t.sub(t.const(limit or 0), used), drawn)
                    used = t.add(used, counts[v])
                return Counts(counts), t.true
            case Nothing():
                return Perhaps(t.false, None), t.true
            case ListOf(elem, limit):
                length = self._input(inputs, 0, limit, t.const(0), t.const(limit), drawn)
                items = [self.free(elem, inputs, None, drawn) for _ in range(limit)]
                empty = self.shapes.blank(elem)
                fine = [t.ite(t.lt(t.const(i), length), ok, self.shapes.equal(x, empty)) for i, (x, ok) in enumerate(items)]
                return Row(length, tuple(x for x, _ in items)), t.all(fine)
        raise Unlowerable(f"a choice of {ty.show(kind)}")

    def drawn(self, d: Draw, at: Around, inputs: list[Input]) -> tuple[Tree, Term]:
        """Inputs for one entry of `chance`, and when they are a draw that can come. Its weight goes to `self.weights`."""
        t = self.terms
        drawn_before = {i.number for i in inputs if i.drawn}
        if d.kind == "roll":
            assert isinstance(d.type, BagOf)
            assert isinstance(d.args[1], Const)
            number = self.number(d.args[0], at)
            limit = d.type.limit or 0
            self.fault("range", t.no(t.all((t.le(t.const(0), number), t.le(number, t.const(limit))))), at, d.span)
            faces, left, counts = list(d.args[1].value), number, dict[Value, Term]()
            wide = max(0, min(limit, number.hi))
            for i, v in enumerate(faces):
                least = left if i == len(faces) - 1 else t.const(0)
                counts[v] = self._input(inputs, 0, wide, least, left, True)
                if i < len(faces) - 1:
                    self.weights.append(self._choose(self._clamped(left, 0, wide), counts[v], wide))
                left = t.sub(left, counts[v])
            self._steady(number, drawn_before)
            return Counts(counts), t.true
        if d.kind == "draw":
            bag = self.expr(d.args[0], at)
            assert isinstance(bag, Counts)
            self.fault("empty", t.le(t.total(bag.of.values()), t.const(0)), at, d.span)
            tree, valid = self.free(d.type, inputs, Members(dict.fromkeys(bag.of, t.true)), True)
            assert isinstance(d.args[0].type, BagOf)
            faults, self.faults = self.faults, []
            self.weights.append(as_term(self._index(bag, d.args[0].type, tree, at, d.span)))
            self.faults = faults
            for n in bag.of.values():
                self._steady(n, drawn_before)
            return tree, t.all((valid, self._member(tree, d.type, bag, d.args[0].type)))
        assert isinstance(d.args[0], Const)
        shares = d.args[1].value if d.kind == "one_of" and isinstance(d.args[1], Const) else (1,) * len(d.args[0].value)
        many: dict[Value, Fraction] = {}
        for v, p in zip(d.args[0].value, shares, strict=True):
            if p:
                many[v] = many.get(v, Fraction(0)) + p
        common = lcm(*(p.denominator for p in many.values()))
        values = list(many)
        if isinstance(d.type, (Int, Enum)):
            codes = sorted(code(v, d.type) for v in values)
            if codes == list(range(codes[0], codes[-1] + 1)):
                of = {code(v, d.type): int(p * common) for v, p in many.items()}
                drawn = self._input(inputs, codes[0], codes[-1], t.const(codes[0]), t.const(codes[-1]), True)
                self.weights.append(t.select(t.sub(drawn, t.const(codes[0])), [t.const(of[c]) for c in codes]))
                return drawn, t.true
        which = self._input(inputs, 0, len(values) - 1, t.const(0), t.const(len(values) - 1), True)
        self.weights.append(t.select(which, [t.const(int(many[v] * common)) for v in values]))
        return self.shapes.pick(which, [self.shapes.literal(v, d.type) for v in values]), t.true

    def _choose(self, of: Term, some: Term, most: int) -> Term:
        """In how many ways some of so many dice are picked."""
        t = self.terms
        table = [t.const(comb(n, k)) for n in range(most + 1) for k in range(most + 1)]
        return t.select(t.add(t.mul(of, t.const(most + 1)), some), table)

    def _steady(self, number: Term, drawn: set[int]) -> None:
        """Weights compare the draws after a choice only where how much is drawn does not hang on what was drawn before."""
        if any(x.op == "input" and x.number in drawn for x in walk([number])):
            self.weighed = False

    def moves(self, action: Action, state: dict[str, Tree], ended: Term, unroll: bool) -> Iterator[Move]:
        """The flat moves of an action: one, or with `unroll` one for each choice of few."""
        fixed: list[dict[str, Tree]] = [{}]
        if unroll and action.params:
            fixed = self._unrolled(action) or fixed
        for names in fixed:
            found = self._move(action, dict(state), ended, names)
            if found is not None:
                yield found

    def _unrolled(self, action: Action) -> list[dict[str, Tree]]:
        lists: list[list[tuple[str, Tree]]] = []
        total = 1
        for b in action.params:
            if isinstance(b.domain, Type):
                values = list(ty.domain(b.domain)) if (ty.cardinality(b.domain) or UNROLLED + 1) <= UNROLLED else None
                kind: Type = b.domain
            else:
                simple = isinstance(b.type, (Int, Enum, Bool)) and (ty.cardinality(b.type) or UNROLLED + 1) <= UNROLLED
                values, kind = (list(ty.domain(b.type)) if simple else None), b.type
            if values is None:
                return []
            total *= max(1, len(values))
            if total > UNROLLED:
                return []
            lists.append([(b.name, self.shapes.literal(v, kind)) for v in values])
        return [dict(combination) for combination in itertools.product(*lists)]

    def _move(self, action: Action, state: dict[str, Tree], ended: Term, fixed: dict[str, Tree]) -> Move | None:
        t = self.terms
        self.faults, self.clause = [], action.name
        own = self.switch(action.name)
        going = t.no(ended)
        at = Around(state, {}, going)
        during = t.true if action.during is None else self.truth(action.during, at)
        guard = t.all((going, during, own))
        if guard is t.false and not self.faults:
            return None
        at = Around(state, {}, guard)
        actor = t.const(-1) if action.by is None else as_term(self.expr(action.by, at))
        if action.by is not None:
            seated = t.all((t.le(t.const(0), actor), t.lt(actor, t.const(self.game.players))))
            self.fault("range", t.no(seated), at, action.by.span)
            actor = self._clamped(actor, 0, self.game.players - 1)
            at.names["actor"] = actor
        inputs: list[Input] = []
        for b in action.params:
            if b.name in fixed:
                tree = fixed[b.name]
                valid = (
                    t.true if isinstance(b.domain, Type) else self._member(tree, b.type, self.expr(b.domain, at), b.domain.type)
                )
            else:
                tree, valid = self.choice(b, at, inputs)
            at = at.bind({b.name: tree}, t.all((at.guard, valid)))
        parts: list[tuple[str, Term]] = [(action.name, at.guard)]
        for c in action.checks:
            self.clause = c.id
            passed = self.truth(c.formula, at)
            lifted = [self.truth(x, replace(at, guard=t.all((at.guard, t.no(passed))))) for x in c.lifted]
            passed = t.any([passed, *lifted, t.no(self.switch(c.id))])
            parts.append((c.id, passed))
            at.guard = t.all((at.guard, passed))
        if at.guard is t.false and not self.faults:
            return None
        legality_faults, self.faults, self.clause = self.faults, [], action.name
        guard = at.guard
        draw_guard = t.true
        self.weights, self.weighed = [], True
        for d in action.draws:
            tree, valid = self.drawn(d, at, inputs)
            draw_guard = t.all((draw_guard, valid))
            at = at.bind({d.name: tree}, t.all((at.guard, valid)))
        fired: dict[str, Term] = {}
        at = replace(at, state=dict(state), guard=t.true)
        # effects are read under the legality of the move, which the guard of the whole step already states
        drawn_faults = len(self.faults)
        self.run(action.effects, at, fired)
        if (
            draw_guard is not t.true
        ):  # an effect has a fault only where the draw can come; the draw itself may have had one before
            self.faults[drawn_faults:] = [(t.all((draw_guard, c)), site) for c, site in self.faults[drawn_faults:]]
        updates: dict[int, Term] = {}
        for v in self.game.variables:
            if at.state[v.name] is state[v.name]:
                continue
            offset = self.offsets[v.name]
            for i, (new, old) in enumerate(zip(scatter(at.state[v.name], v.type), scatter(state[v.name], v.type), strict=True)):
                if new is not old:
                    updates[offset + i] = new
        named: dict[str, object] = {n: x for n, x in at.names.items() if n != "actor"}
        weight: Term | None = t.const(1) if self.weighed else None
        for w in self.weights if self.weighed else ():
            assert weight is not None
            weight = t.mul(weight, w)
        return Move(
            action.name, action.by is None, actor, inputs, guard, draw_guard, updates, legality_faults, self.faults,
            fired, parts, named, weight,
        )  # fmt: skip


def lower(game: Game, *, unroll: bool = False, switched: bool = False) -> tuple[Model, Lowerer]:
    """The flat transition system of a game, and the lowerer that speaks of it (for questions).

    Raises `Unlowerable` for games too large to be written out.
    """
    from tablelaw.solver.evaluate import starts

    terms = Terms()
    low = Lowerer(game, terms, switched=switched)
    state = low.state()
    ends = low.end_terms(Around(state, {}, terms.true))
    end_faults, low.faults = low.faults, []
    ended = terms.any(e for _, e in ends)
    low.winners(Around(state, {}, terms.true))
    known = {(c.uid, site) for c, site in end_faults}
    winner_faults, low.faults = [f for f in low.faults if (f[0].uid, f[1]) not in known], []
    found = [m for action in game.actions for m in low.moves(action, state, ended, unroll)]
    low.faults = []
    first = [tuple(n for v in game.variables for n in numbers(s[v.name], v.type)) for s in starts(game)]
    return Model(terms, low.slots, first, found, ends, ended, end_faults, low.switches, winner_faults), low
