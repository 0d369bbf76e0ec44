"""Proofs: a claim that every position keeps, or that the start has and every step keeps, and what follows in one step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import z3

from tablelaw.solver import evaluate
from tablelaw.solver.effort import within
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.symbolic.deciding import decide
from tablelaw.solver.symbolic.open import aggregates
from tablelaw.solver.symbolic.open.assigning import substituted
from tablelaw.solver.symbolic.open.effects import Claim, Prove, Runner, Step, position
from tablelaw.solver.symbolic.open.formulas import Here, Reader
from tablelaw.solver.symbolic.open.values import (
    ListV,
    SetV,
    Term,
    either,
    fitted,
    is_true,
    no,
    number,
    pack,
    pick,
    same,
    sorts,
    typed,
)
from tablelaw.spec.core import Agg, Binder, Const, Draw, Expr, Let, Op
from tablelaw.spec.game import Action, Check, Game
from tablelaw.spec.operators import Fault
from tablelaw.spec.questions import step_needs
from tablelaw.spec.reckon import value
from tablelaw.spec.types import BOOL, Type

ONE_QUERY = 5.0
"""Seconds for one question to z3."""
SHORT_QUERY = 2.5
"""The same where the answer may be no."""


@dataclass(eq=False)
class Prover:
    """Proofs about one game. `budget` bounds each call.

    Where `marks` is given each clause has a mark there, `off` are the clauses left out, and `used` is filled with those that
    proofs use. `cut` tells that z3 was stopped before it gave up by itself: that a proof fails then shows nothing.
    """

    game: Game
    marks: dict[str, Term] | None = None
    off: frozenset[str] = frozenset()
    used: set[str] = field(default_factory=set)
    cut: bool = False

    def reader(self) -> Reader:
        return Reader(self.game, self.marks)

    # any position at all

    def everywhere(self, e: Expr, budget: Budget) -> bool:
        """Does the formula hold in every position that could be written down?"""
        return self.implied([], lambda r, here: r.truth(e, here), budget, [e])

    def implied(
        self, lemmas: Sequence[Expr], goal: Callable[[Reader, Here], Term], budget: Budget, also: Sequence[Expr] = ()
    ) -> bool:
        """Does the goal hold in every position that has the lemmas?"""
        r = self.reader()
        state, known = position(r, "at")
        here = Here(state, times=counted([*lemmas, *also], "at"))
        known += [n >= 0 for n in here.times.values()]
        known += supposed(r, lemmas, here)
        return self.follows(r, known, goal(r, here), budget)

    def follows(self, r: Reader, known: list[Term], goal: Term, budget: Budget, seconds: float = ONE_QUERY) -> bool:
        """Does it follow from what is known?"""
        if is_true(goal):
            return True
        solver = matching()
        laws = r.heaps.laws()
        solver.add(*r.facts, *laws, *known, z3.Not(goal))
        return self.refuted(solver, budget, seconds)

    def refuted(self, solver: Any, budget: Budget, seconds: float, *assumed: Term) -> bool:
        """Is there nothing that is as asserted and assumed?"""
        budget.check()
        marks = {m.get_id(): c for c, m in (self.marks or {}).items()}
        in_force = [z3.Not(m) if c in self.off else m for c, m in (self.marks or {}).items()]
        answer = decide(solver, within(budget, seconds), *assumed, *in_force)
        if answer == z3.unsat and marks:
            self.used.update(marks[m.get_id()] for m in solver.unsat_core() if m.get_id() in marks)
        if answer == z3.unknown and "incomplete" not in solver.reason_unknown():
            self.cut = True
        return bool(answer == z3.unsat)

    def enabled(self, action: Action) -> Expr:
        """That an action is open, written as `can` writes it."""
        body: Expr = _all([_lifted(c.formula, c.lifted) for c in action.checks])
        for b in reversed(action.params):
            body = Agg("any", (b,), body, type=BOOL)
        if action.by is not None:
            body = Let(("actor",), (action.by,), body, type=BOOL)
        return _all([*([action.during] if action.during is not None else []), body])

    # steps

    def step(
        self,
        action: Action,
        r: Reader,
        here: Here,
        known: list[Term],
        kept: dict[int, set[int]],
        claims: list[Claim],
        settling: bool = False,
    ) -> tuple[Step, Here]:
        """A step of the action from there: what is known, what its loops ask for, and where it leads."""
        names, chosen = self.chosen(action, r, here)
        prove = self.shown(r) if settling else None
        runner = Runner(r, claims, kept, here.times, lambda loop, i: mark(action, loop, i), prove)
        step = runner.run(action, here.state, names, [*known, *chosen])
        times = {}
        for n, count in here.times.items():
            happened = step.fired.get(n)
            once = number(1) if n == action.name else number(0) if happened is None else pick(happened, number(1), number(0))
            times[n] = count + once
        return step, Here(step.state, times=times)

    def shown(self, r: Reader) -> Prove:
        """Whether z3 shows it soon, of bags without their sums, and by which clauses, where that is asked."""

        def prove(known: list[Term], goal: Term) -> list[Term] | None:
            solver = matching()
            made = [law for laws in r.heaps.making().values() for law in laws]
            solver.add(*r.facts, *made, *known, no(goal))
            before, self.used = self.used, set()
            try:
                if not self.refuted(solver, Budget(SHORT_QUERY), SHORT_QUERY):
                    return None
                return [m for c, m in (self.marks or {}).items() if c in self.used]
            finally:
                self.used = before

        return prove

    def chosen(self, action: Action, r: Reader, here: Here) -> tuple[dict[str, Any], list[Term]]:
        """The names of a legal move with its draws, and what is known of them."""
        names, known = self.legal(action, r, here)
        for c in action.checks:
            known.append(self.passed(c, r, here.bind(names)))
        for d in action.draws:
            v, of = self.drawn(d, r, here.bind(names))
            names = {**names, d.name: v}
            known += of
        return names, known

    def passed(self, c: Check, r: Reader, there: Here) -> Term:
        """That the check, where it is in force, lets the move there pass."""
        return either([no(r.in_force(c.id)), r.truth(c.formula, there), *(r.truth(x, there) for x in c.lifted)])

    def legal(self, action: Action, r: Reader, here: Here) -> tuple[dict[str, Any], list[Term]]:
        """The names of a move whose phase is open, before its checks, and what is known of them."""
        known = [no(r.ended(here))]
        if action.during is not None:
            known.append(r.truth(action.during, here))
        names: dict[str, Any] = {}
        if action.by is not None:
            names["actor"] = _value(r, action.by, here)
            known += [names["actor"] >= 0, names["actor"] < self.game.players]
        for b in action.params:
            v, of = self.parameter(b, r, here.bind(names))
            names = {**names, b.name: v}
            known += of
            known += [r.truth(t, here.bind(names)) for t in b.tests]
        return names, known

    def parameter(self, b: Binder, r: Reader, here: Here) -> tuple[Any, list[Term]]:
        """Any value of a parameter."""
        if not isinstance(b.domain, Type):
            try:
                d = r.value(b.domain, here)
                if isinstance(d, SetV) and d.bind is not None:
                    found = []
                    for bound, v, guard in aggregates.cases(r, d):
                        pairs = [(x, z3.FreshConst(x.sort(), b.name)) for x in bound]
                        found.append((substituted(v, pairs), [z3.substitute(guard, *pairs)]))
                    if len(found) == 1:
                        return found[0]
                v = pack(b.type, [z3.FreshConst(s, b.name) for s in sorts(b.type)])
                return v, [*typed(v, b.type, False), r.contains(v, b.type, d, b.domain.type)]
            except Unlowerable:
                r.open.clear()
        v = pack(b.type, [z3.FreshConst(s, b.name) for s in sorts(b.type)])
        return v, typed(v, b.type, isinstance(b.domain, Type))

    def drawn(self, d: Draw, r: Reader, here: Here) -> tuple[Any, list[Term]]:
        """Any value that may be drawn."""
        v = pack(d.type, [z3.FreshConst(s, d.name) for s in sorts(d.type)])
        known = typed(v, d.type, False)
        try:
            if d.kind == "draw":
                known.append(r.contains(v, d.type, r.value(d.args[0], here), d.args[0].type))
            elif d.kind in ("faces", "one_of"):
                values = r.value(d.args[0], here)
                if isinstance(values, ListV):
                    known.append(either([same(v, fitted(x, d.type), d.type) for x in values.items]))
        except Unlowerable:
            r.open.clear()
        return v, known

    # induction

    def begins(self, claims: Sequence[Expr], starts: Sequence[evaluate.State]) -> list[bool]:
        """Which formulas hold at every start."""
        found = []
        for e in claims:
            try:
                places = [evaluate.place(self.game, s) for s in starts]
                found.append(all(value(e, _uncounted(p)) for p in places))
            except Fault:
                found.append(False)
        return found


def matching() -> Any:
    """A solver that uses what is known of everything only where its terms occur: it proves, or gives up soon."""
    solver = z3.SimpleSolver()
    solver.set("smt.mbqi", False)
    solver.set("smt.auto_config", False)
    return solver


def supposed(r: Reader, lemmas: Sequence[Expr], here: Here) -> list[Term]:
    """That these lemmas hold there, each as far as its mark does, where marks are asked for."""
    return [either([no(r.in_force(f"lemma {i}")), r.truth(e, here)]) for i, e in enumerate(lemmas)]


def mark(action: Action, loop: int, i: int) -> Term:
    """Stands for a claim being known before the step (loop -1), or in a loop of it."""
    return _marked(action.name, loop, i)


@lru_cache(maxsize=20_000)
def _marked(action: str, loop: int, i: int) -> Term:
    return z3.Bool(f"claim {i} of {loop} of {action}")


def counted(exprs: Sequence[Expr], stem: str) -> dict[str, Term]:
    """How often what the formulas count has happened, in any position."""
    _, counts = step_needs(list(exprs))
    return {n: z3.Int(f"{stem} times {n}") for n in sorted(counts)}


def _uncounted(place: Any) -> Any:
    return replace(place, times=lambda _: 0)


def _value(r: Reader, e: Expr, here: Here) -> Any:
    try:
        return fitted(r.value(e, here), e.type)
    except Unlowerable:
        r.open.clear()
        return r.unknown(e.type)


def _lifted(e: Expr, lifted: tuple[Expr, ...]) -> Expr:
    return Op("or", (e, *lifted), type=BOOL) if lifted else e


def _all(parts: list[Expr]) -> Expr:
    kept = [p for p in parts if not (isinstance(p, Const) and p.value is True)]
    if not kept:
        return Const(True, type=BOOL)
    return kept[0] if len(kept) == 1 else Op("and", tuple(kept), type=BOOL)


__all__ = ["Prover"]
