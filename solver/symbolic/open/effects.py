"""Effects run on values that are terms: one step of an action, from any position.

What is assigned and cannot be said becomes any value of its type. A loop over few values is written out; one that takes
elements out of a large bag is told exactly; any other is told by claims that hold before it and are kept by each round.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import z3

from tablelaw.solver.boarded import assignments
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.symbolic.open import aggregates
from tablelaw.solver.symbolic.open.assigning import added, change_by, reads, substituted, takes, wanted
from tablelaw.solver.symbolic.open.boards import count_of
from tablelaw.solver.symbolic.open.formulas import Here, Reader
from tablelaw.solver.symbolic.open.heaps import times_held
from tablelaw.solver.symbolic.open.values import (
    FALSE,
    TRUE,
    BagV,
    HeapV,
    LayoutV,
    MapV,
    MaybeV,
    OpaqueV,
    RecordV,
    SetV,
    Term,
    both,
    constant,
    either,
    fitted,
    flat,
    is_false,
    is_true,
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
from tablelaw.spec.core import (
    Assign,
    Bind,
    Branch,
    Const,
    Effect,
    Expr,
    Fire,
    Loop,
    Var,
)
from tablelaw.spec.game import Action
from tablelaw.spec.reckon import in_order
from tablelaw.spec.types import BagOf, LayoutType, MapOf, Maybe, SetOf, Type

Claim = Callable[[Here], Term]
"""A claim about a position."""
State = dict[str, Any]
Prove = Callable[[list[Term], Term], list[Term] | None]
"""Does a claim follow from what is known? The marks of the clauses that it takes; None where it is not shown."""


@dataclass
class Duty:
    """Something to be proved: under what is known, the claim of this number holds; of a loop, or at the end (loop -1)."""

    known: list[Term]
    claim: Term
    number: int
    loop: int = -1
    given: tuple[tuple[Term, Term], ...] = ()
    """Claims that are among what is known, each with its mark."""


@dataclass
class Step:
    """One step of an action: what is known of it, where it leads, what has happened, and what its loops ask for."""

    known: list[Term] = field(default_factory=list)
    state: State = field(default_factory=dict)
    fired: dict[str, Term] = field(default_factory=dict)
    duties: list[Duty] = field(default_factory=list)
    loops: int = 0
    given: tuple[tuple[Term, Term], ...] = ()
    """Claims known where the step has come to, of the loops behind and around, each with its mark."""


def position(r: Reader, stem: str) -> tuple[State, list[Term]]:
    """Any position, each variable a value of its type."""
    state, known = {}, []
    for v in r.game.variables:
        try:
            value = pack(v.type, [z3.Const(f"{stem} {v.name} {i}", s) for i, s in enumerate(sorts(v.type))])
        except Unlowerable:
            value = OpaqueV()
        state[v.name] = value
        known += within(value, v.type)
    return state, known


def within(value: Any, t: Type) -> list[Term]:
    """What holds of a value that is kept in a variable of the type."""
    if isinstance(value, OpaqueV):
        return []
    if isinstance(t, LayoutType):
        return [count_of(value.term) <= t.limit]
    return typed(value, t)


class Runner:
    """Runs the effects of one game.

    `claims` are those that loops may rest on, `kept` is filled with the claims of each loop; where one is known, it is so
    under its mark alone, so that marks choose the claims.
    """

    def __init__(
        self,
        r: Reader,
        claims: list[Claim],
        kept: dict[int, set[int]],
        times: dict[str, Term],
        mark: Callable[[int, int], Term],
        prove: Prove | None = None,
    ) -> None:
        self.prove = prove
        self.facts: list[Callable[[State], Term]] = []
        """What the loops behind have brought about, as far as later ones were shown to keep it."""
        self.r, self.claims, self.kept, self.times, self.mark = r, claims, kept, times, mark
        self.kinds = {v.name: v.type for v in r.game.variables}
        self.step = Step()
        self.fresh = self.inside = 0

    def run(self, action: Action, state: State, names: dict[str, Any], known: list[Term]) -> Step:
        """The step of an action with these arguments and draws."""
        self.step = Step(known=list(known), state=dict(state))
        self.step.state = self._run(action.effects, self.step.state, names, TRUE)
        return self.step

    def _here(self, state: State, names: dict[str, Any]) -> Here:
        return Here(state, names, None, self.times)

    def _assume(self, path: Term, what: list[Term]) -> None:
        for w in what:
            if not is_true(w):
                self.step.known.append(either([no(path), w]))

    def _run(self, effects: tuple[Effect, ...], state: State, names: dict[str, Any], path: Term) -> State:
        for e in effects:
            here = self._here(state, names)
            match e:
                case Assign():
                    state = {**state, e.name: self._assigned(e, here, path)}
                case Branch(test, yes, other):
                    c = self.r.truth(test, here)
                    on = self._run(yes, state, names, both([path, c]))
                    off = self._run(other, state, names, both([path, no(c)]))
                    state = self._merged(c, on, off)
                case Fire(clause, when, body):
                    c = both([self.r.in_force(clause), TRUE if when is None else self.r.truth(when, here)])
                    self.step.fired[clause] = either([self.step.fired.get(clause, FALSE), both([path, c])])
                    state = self._merged(c, self._run(body, state, names, both([path, c])), state)
                case Bind(args, values, body):
                    given = {n: self._bound(v, here) for n, v in zip(args, values, strict=True)}
                    state = self._run(body, state, {**names, **given}, path)
                case Loop():
                    state = self._loop(e, state, names, path)
        return state

    def _bound(self, e: Expr, here: Here) -> Any:
        try:
            return self.r.value(e, here)
        except Unlowerable:
            self.r.open.clear()
            return self.r.unknown(e.type)

    def _merged(self, c: Term, on: State, off: State) -> State:
        found = {}
        for name, kind in self.kinds.items():
            a, b = on[name], off[name]
            if a is b or is_true(c):
                found[name] = a
            elif is_false(c):
                found[name] = b
            elif isinstance(a, OpaqueV) or isinstance(b, OpaqueV):
                found[name] = OpaqueV()
            elif isinstance(a, HeapV):
                found[name] = self.r.heaps.merged(c, a, b)
            else:
                found[name] = merged(c, a, b, kind)
        return found

    # assignments

    def _assigned(self, e: Assign, here: Here, path: Term) -> Any:
        kind = self.kinds[e.name]
        try:
            keys = [k if isinstance(k, str) else self.r.value(k, here) for k in e.path]
            for needed in [x for k in (*e.path, e.value) if isinstance(k, Expr) for x in wanted(k)]:
                given = self.r.value(needed, here)
                if isinstance(given, MaybeV):
                    self._assume(path, [given.present])
            by = change_by(e)
            amount = None if by is None else fitted(self.r.value(by[1], here), ty.INT) * by[0]
            new = self.r.value(e.value, here)
            found = self._put(here.state[e.name], kind, keys, new, amount, e.value.type, path)
        except Unlowerable:
            self.r.open.clear()
            self.fresh += 1
            found = self._any(kind)
        self._assume(path, within(found, kind))
        return found

    def _any(self, kind: Type) -> Any:
        self.fresh += 1
        try:
            return pack(kind, [z3.FreshConst(s, "any") for s in sorts(kind)])
        except Unlowerable:
            return OpaqueV()

    def _put(self, old: Any, kind: Type, keys: list[Any], new: Any, by: Term | None, of: Type, path: Term) -> Any:
        if not keys:
            return fitted(new, kind)
        if isinstance(kind, Maybe):
            self._assume(path, [old.present])
            return MaybeV(old.present, self._put(old.inner, kind.elem, keys, new, by, of, path))
        key, rest = keys[0], keys[1:]
        if isinstance(old, RecordV):
            inner = kind.field_type(key)  # type: ignore[attr-defined]
            return RecordV({**old.fields, key: self._put(old.fields[key], inner, rest, new, by, of, path)})
        if isinstance(old, MapV):
            assert isinstance(kind, MapOf)
            at = fitted(key, kind.key)
            tests = {k: same(at, constant(kind.key, k), kind.key) for k in old.items}
            self._assume(path, [either(list(tests.values()))])
            items = {}
            for k, x in old.items.items():
                c = tests[k]
                changed = x if is_false(c) else self._put(x, kind.value, rest, new, by, of, both([path, c]))
                items[k] = merged(c, changed, x, kind.value)
            return MapV(items)
        if isinstance(old, BagV):
            assert isinstance(kind, BagOf)
            at = fitted(key, kind.elem)
            count = fitted(new, ty.INT)
            tests = {k: same(at, constant(kind.elem, k), kind.elem) for k in old.counts}
            if by is not None:
                return BagV({k: pick(tests[k], n + by, n) for k, n in old.counts.items()})
            return BagV({k: pick(tests[k], count, n) for k, n in old.counts.items()})
        if isinstance(old, HeapV):
            row = flat(key, old.type.elem)
            before = times_held(old, row)
            change = by if by is not None else fitted(new, ty.INT) - before
            found = self.r.heaps.changed(old, row, change)
            self._assume(path, [before + change >= 0])
            return found
        raise Unlowerable("this is not assigned with the board left open")

    # loops

    def _loop(self, e: Loop, state: State, names: dict[str, Any], path: Term) -> State:
        here = self._here(state, names)
        try:
            d = self._walked(e.domain, here)
        except Unlowerable:
            self.r.open.clear()
            d = None
        if isinstance(d, list):
            for v, c, n in d:
                if is_false(c):
                    continue
                if n is not aggregates.ONCE:
                    return self._rounds(e, None, state, names, path)
                state = self._merged(c, self._run(e.body, state, {**names, e.name: v}, both([path, c])), state)
            return state
        if isinstance(d, HeapV) and (self.prove is not None or not self.inside):  # else claims are all that is left of it
            exact = self._taken_out(e, d, state, names, path)
            if exact is not None:
                return exact
        return self._rounds(e, d, state, names, path)

    def _walked(self, domain: Expr | Type, here: Here) -> Any:
        """What a loop walks over; the members of a set in the order in which the rules visit them, or in any."""
        if not isinstance(domain, Type) and isinstance(domain.type, SetOf):
            found = self.r.value(domain, here)
            if not isinstance(found, SetV):
                raise Unlowerable("this is not walked over with the board left open")
            if not small(found.elem):
                return found
            members = in_order(frozenset(ty.domain(found.elem)), SetOf(found.elem))
            return [(v, found.member(v), aggregates.ONCE) for v in (constant(found.elem, k) for k in members)]
        return aggregates.domain(self.r, domain, here)

    def _rounds(self, e: Loop, d: Any, state: State, names: dict[str, Any], path: Term) -> State:
        """Any number of rounds: the claims that hold before and are kept by a round hold after."""
        mark = self.step.loops
        self.step.loops += 1
        self.kept.setdefault(mark, set(range(len(self.claims))))
        changed = {x.name for x in assignments(e.body)}
        fired_before = dict(self.step.fired)

        def claimed(where: State) -> list[tuple[int, Term]]:
            return [(i, claim(self._here(where, {}))) for i, claim in enumerate(self.claims)]

        def supposed(where: State) -> tuple[list[Term], tuple[tuple[Term, Term], ...]]:
            found = tuple((c, self.mark(mark, i)) for i, c in claimed(where))
            return [either([no(m), c]) for c, m in found], found

        def any_state() -> tuple[State, list[Term]]:
            new = {**state, **{n: self._any(self.kinds[n]) for n in changed}}
            return new, [c for n in changed for c in within(new[n], self.kinds[n])]

        outer, given = self.step.known, self.step.given
        for i, c in claimed(state):
            self.step.duties.append(Duty([*outer, path], c, i, mark, given))
        begun, bounds = any_state()
        known, inside = supposed(begun)
        round_known = [*outer, path, *bounds, *known]
        rounds: list[tuple[Any, State, list[Term]]] = []
        for v, guard in self._elements(e, d):
            self.step.known, self.step.given = [*round_known, *guard], given + inside
            self.inside += 1
            done = self._run(e.body, begun, {**names, e.name: v}, TRUE)
            self.inside -= 1
            rounds.append((v, done, self.step.known))
            for i, c in claimed(done):
                self.step.duties.append(Duty(self.step.known, c, i, mark, self.step.given))
        after, bounds = any_state()
        known, behind = supposed(after)
        self.step.known, self.step.given = [*outer], given
        self._assume(path, [*bounds, *known])
        if self.prove is not None and not self.inside:
            self._settle(e, d, names, (state, begun, after), rounds, [*outer, path])
        if is_true(path):  # else they are known under a condition alone
            self.step.given = given + behind
        for clause in set(self.step.fired) - set(fired_before):
            self.step.fired[clause] = z3.FreshBool("happened")
        for clause, c in fired_before.items():
            if self.step.fired[clause] is not c:
                self.step.fired[clause] = either([c, z3.FreshBool("happened")])
        return after

    def _settle(
        self,
        e: Loop,
        d: Any,
        names: dict[str, Any],
        states: tuple[State, State, State],
        rounds: list[tuple[Any, State, list[Term]]],
        known: list[Term],
    ) -> None:
        """What a loop brings about of each thing it visits, and what it keeps of what loops before it brought about.

        A round over something of some sort may leave it no longer so, and never make so what is not: after the loop nothing is.
        """
        assert self.prove is not None
        before, begun, after = states
        kept = []
        for fact in self.facts:
            marks = self.prove(known, fact(before))
            for _, done, of_round in rounds:
                found = None if marks is None else self.prove([*of_round, fact(begun)], fact(done))
                marks = None if marks is None or found is None else [*marks, *found]
            if marks is not None:
                kept.append((fact, marks))
        new = self._brought_about(e, d, names)
        if new is not None:
            sort, fact = new
            marks = []
            for v, done, of_round in rounds:
                goals = [([], v)] + [([*guard, no(sort(begun, w))], w) for w, guard in self._elements(e, d)]
                for given, w in goals:
                    found = None if marks is None else self.prove([*of_round, *given], no(sort(done, w)))
                    marks = None if marks is None or found is None else [*marks, *found]
            if marks is not None:
                kept.append((fact, marks))
        self.facts = [fact for fact, _ in kept]
        self._assume(known[-1], [either([*(no(m) for m in marks), fact(after)]) for fact, marks in kept])

    def _brought_about(
        self, e: Loop, d: Any, names: dict[str, Any]
    ) -> tuple[Callable[[State, Any], Term], Callable[[State], Term]] | None:
        """Whether something visited is of the sort that the loop looks for, and that nothing is; None for other loops."""
        if not isinstance(d, SetV) or d.bind is None or len(e.body) != 1 or isinstance(e.domain, Type):
            return None
        first = e.body[0]
        if not isinstance(first, Branch) or first.no or reads(e.domain) & {x.name for x in assignments(e.body)}:
            return None

        def sort(where: State, v: Any) -> Term:
            return self.r.truth(first.test, self._here(where, {**names, e.name: v}))

        def fact(where: State) -> Term:
            found = []
            for bound, v, guard in aggregates.cases(self.r, d):
                found.append(z3.Exists(bound, both([guard, sort(where, v)])))
            return no(either(found))

        return sort, fact

    def _elements(self, e: Loop, d: Any) -> list[tuple[Any, list[Term]]]:
        """Any element of what the loop walks over, in cases."""
        if isinstance(d, HeapV) or (isinstance(d, SetV) and d.bind is not None):
            found = []
            for bound, v, guard in aggregates.cases(self.r, d):
                pairs = [(x, z3.FreshConst(x.sort(), "element")) for x in bound]
                found.append((substituted(v, pairs), [z3.substitute(guard, *pairs)]))
            return found
        v = self._any(e.type)
        return [(v, [d.member(v)] if isinstance(d, SetV) else [])]

    def _taken_out(self, e: Loop, bag: HeapV, state: State, names: dict[str, Any], path: Term) -> State | None:
        """A loop whose every round takes the element out of the bag, if it is of some sort, and adds to counts; exactly."""
        if not isinstance(e.domain, Var):
            return None
        test: Expr = TRUE_TEST
        body = e.body
        if len(body) == 1 and isinstance(body[0], Branch) and not body[0].no:
            test, body = body[0].test, body[0].yes
        if not all(isinstance(x, Assign) for x in body):
            return None
        changed = {x.name for x in body if isinstance(x, Assign)}
        taken = [x for x in body if isinstance(x, Assign) and x.name == e.domain.name]
        others = [x for x in body if isinstance(x, Assign) and x.name != e.domain.name]
        if len(taken) != 1 or not takes(taken[0], e) or reads(test) & changed:
            return None
        for x in others:
            by = change_by(x)
            if by is None or reads(by[1]) & changed or any(isinstance(k, Expr) and reads(k) & changed for k in x.path):
                return None
        if len({x.name for x in others}) < len(others):
            return None
        try:
            return self._filtered(e, bag, test, others, state, names, path)
        except Unlowerable:
            self.r.open.clear()
            return None

    def _filtered(
        self, e: Loop, bag: HeapV, test: Expr, others: list[Assign], state: State, names: dict[str, Any], path: Term
    ) -> State:
        r, elem = self.r, bag.type.elem
        here = self._here(state, names)
        row = r.opened(sorts(elem))
        there = here.bind({e.name: pack(elem, row)})
        goes = r.truth(test, there)
        found = dict(state)
        for x in others:
            by = change_by(x)
            assert by is not None
            amount = fitted(r.value(by[1], there), ty.INT) * by[0]
            keys = [k if isinstance(k, str) else r.value(k, there) for k in x.path]

            def gained(hit: Term, amount: Term = amount) -> Term:
                weight = pick(both([goes, hit]), amount, number(0))
                positive = z3.is_int_value(z3.simplify(amount)) and z3.simplify(amount).as_long() >= 0
                return r.heaps.summed(bag, r.heaps.sum_of(bag.type, weight, row, [], positive), [])

            found[x.name] = added(found[x.name], self.kinds[x.name], keys, TRUE, gained)
        names_of = list(row)

        def kept(key: list[Term]) -> Term:
            return no(z3.substitute(goes, *zip(names_of, key, strict=True)))

        r.close(row)
        assert isinstance(e.domain, Var)
        found[e.domain.name] = r.heaps.filtered(bag, kept)
        for x in others:
            self._assume(path, within(found[x.name], self.kinds[x.name]))
        return found


TRUE_TEST = Const(True, type=ty.BOOL)


__all__ = ["Claim", "Duty", "LayoutV", "Runner", "Step", "position"]
