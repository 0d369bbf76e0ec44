"""The step of one action, asked again and again with fewer claims known before it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import z3

from tablelaw.solver.space.graph import Budget
from tablelaw.solver.symbolic.open.assigning import reads
from tablelaw.solver.symbolic.open.claims import ONE_QUERY, SHORT_QUERY, Prover, counted, mark, matching
from tablelaw.solver.symbolic.open.effects import Claim, Duty, position
from tablelaw.solver.symbolic.open.formulas import Here, Reader
from tablelaw.solver.symbolic.open.heaps import Law
from tablelaw.solver.symbolic.open.values import Term, is_true
from tablelaw.spec.core import Agg, Call, Expr, children
from tablelaw.spec.game import Action
from tablelaw.spec.types import FeatureType, SetOf


class Told:
    """Claims read at several positions; where nothing that one reads has changed it is the same term."""

    def __init__(self, r: Reader, claims: Sequence[Expr]) -> None:
        self.r, self.claims = r, claims
        self.read = [None if _of_play(e) else sorted(reads(e)) for e in claims]
        self.done: dict[object, tuple[list[Any], Term]] = {}

    def at(self, i: int, here: Here) -> Term:
        names = self.read[i]
        if names is None:
            return self.r.truth(self.claims[i], here)
        values = [here.state[n] for n in names]
        key = (i, *(id(v) for v in values))
        if key not in self.done:
            self.done[key] = (values, self.r.truth(self.claims[i], here))
        return self.done[key][1]


def _of_features(e: Expr) -> bool:
    """Does the formula walk over features? (What loops over them bring about is worth looking at then.)"""
    if isinstance(e, Agg) and any(
        isinstance(b.domain, Expr) and isinstance(b.domain.type, SetOf) and isinstance(b.domain.type.elem, FeatureType)
        for b in e.binders
    ):
        return True
    return any(_of_features(c) for c in children(e))


def _of_play(e: Expr) -> bool:
    """Does the formula ask for more than the values of variables?"""
    return (isinstance(e, Call) and e.name in ("old", "ended", "winners", "times")) or any(_of_play(c) for c in children(e))


@dataclass(eq=False)
class Induction:
    """The step of one action, asked again and again with fewer claims known."""

    prover: Prover
    action: Action
    claims: list[Expr]
    duties: list[Duty] = field(default_factory=list)
    loops: dict[int, set[int]] = field(default_factory=dict)
    reader: Reader | None = None
    laws: dict[int, list[Law]] = field(default_factory=dict)
    making: dict[int, list[Term]] = field(default_factory=dict)
    bags: dict[int, tuple[Term, Any]] = field(default_factory=dict)
    about: dict[int, frozenset[int]] = field(default_factory=dict)
    solvers: dict[tuple[int, int, int], Any] = field(default_factory=dict)

    def build(self) -> None:
        p = self.prover
        r = p.reader()
        state, known = position(r, "at")
        here = Here(state, times=counted(self.claims, "at"))
        known += [n >= 0 for n in here.times.values()]
        told = Told(r, self.claims)
        before = [told.at(i, here) for i in range(len(self.claims))]
        known += [z3.Implies(mark(self.action, -1, i), c) for i, c in enumerate(before)]
        claims: list[Claim] = [lambda at, i=i: told.at(i, at) for i in range(len(self.claims))]  # type: ignore[misc]
        step, after = p.step(self.action, r, here, known, self.loops, claims, any(_of_features(e) for e in self.claims))
        first = tuple((c, mark(self.action, -1, i)) for i, c in enumerate(before))
        last = [Duty(step.known, told.at(i, after), i, -1, step.given) for i in range(len(self.claims))]
        self.duties = [replace(d, given=first + d.given) for d in (*step.duties, *last)]
        self.reader, self.laws = r, r.heaps.told()
        self.making = r.heaps.making()
        self.bags = {n: of for (n, _), of in r.heaps.asked.items()}
        self.about = {}

    def again(self, active: set[int], budget: Budget) -> bool:
        """Are these claims kept, as the clauses are now that the prover leaves out? (Loops are looked at anew.)"""
        if self.reader is not None:
            for kept in self.loops.values():
                kept.clear()
                kept.update(range(len(self.claims)))
        if self.reader is None:
            self.build()
        return not self.lost(active, active, budget)

    def hopeless(self, active: set[int], targets: set[int], budget: Budget) -> bool:
        """Is a target not kept even with all claims known, in loops too?"""
        if self.reader is None:
            self.build()
        mine = [d for d in self.duties if d.loop < 0 and d.number in targets]
        return not all(self.kept(d, active, budget, ONE_QUERY) for d in mine)

    def lost(self, active: set[int], targets: set[int], budget: Budget) -> set[int]:
        """The claims that this step may break, with the active ones known before it."""
        if self.reader is None:
            self.build()
        while True:
            lost: set[int] = set()
            again = False
            for d in self.duties:
                wanted = self.loops[d.loop] if d.loop >= 0 else active - lost
                if d.number not in wanted:
                    continue
                if not self.kept(d, active - lost, budget, ONE_QUERY if d.number in targets else SHORT_QUERY):
                    if d.loop >= 0:
                        self.loops[d.loop].discard(d.number)
                        again = True
                    else:
                        lost.add(d.number)
                        if d.number in targets:
                            break
            if not again:
                return lost

    def kept(self, d: Duty, active: set[int], budget: Budget, seconds: float, used: set[tuple[int, int]] | None = None) -> bool:
        """Does the claim hold there, with the active ones known before? `used` is filled with those that were needed."""
        if is_true(d.claim):
            return True
        known = {mark(self.action, loop, i).ast.value: (loop, i) for loop, kept in self._known(active) for i in kept}
        for c, m in d.given:
            if c.ast.value == d.claim.ast.value and m.ast.value in known:
                if used is not None:
                    used.add(known[m.ast.value])
                return True
        marks = [mark(self.action, loop, i) for loop, i in known.values()]
        numbers = {m.get_id(): of for m, of in zip(marks, known.values(), strict=True)}
        parts = d.claim.children() if z3.is_and(d.claim) else [d.claim]
        return all(self._shown(d, c, marks, numbers, budget, seconds, used) for c in parts)

    def _known(self, active: set[int]) -> list[tuple[int, set[int]]]:
        return [(-1, active), *self.loops.items()]

    def _shown(
        self,
        d: Duty,
        claim: Term,
        marks: list[Term],
        numbers: dict[int, tuple[int, int]],
        budget: Budget,
        seconds: float,
        used: set[tuple[int, int]] | None,
    ) -> bool:
        """Does z3 show it: of few laws about sums first, then of all?"""
        assert self.reader is not None
        cone = self.reader.heaps.behind(set(self._about(claim)))
        first = {n for n, (heap, _) in self.bags.items() if heap.decl().name().startswith("at ")}
        sums = _sums(claim)
        mine = [law for n in (*cone, *(first - cone)) for law in self.laws.get(n, ())]
        narrow = [law for law in mine if law.names <= sums]
        makes = [law for n in cone for law in self.making.get(n, ())]
        tries = [[], mine] if not sums else [narrow, mine]
        for i, laws in enumerate(tries):
            key = (id(d), claim.get_id(), i)
            solver = self.solvers.get(key)
            if solver is None:
                solver = matching()
                solver.add(*self.reader.facts, *makes, *(law.term for law in laws))
                solver.add(*(k for k in d.known if self._about(k) <= cone), z3.Not(claim))
                if self.prover.marks is not None:
                    self.solvers[key] = solver  # it is asked again and again
            if self.prover.refuted(solver, budget, seconds, *marks):
                if used is not None:
                    used.update(numbers[m.get_id()] for m in solver.unsat_core())
                return True
        return False

    def used(self, number_of: int, active: set[int], budget: Budget) -> set[int]:
        """The claims that keeping this one needs to be known before the step."""
        found: set[int] = set()
        seen: set[tuple[int, int]] = set()
        waiting = [(-1, number_of)]
        while waiting:
            loop, i = waiting.pop()
            if (loop, i) in seen:
                continue
            seen.add((loop, i))
            for d in self.duties:
                if (d.loop, d.number) == (loop, i):
                    needs: set[tuple[int, int]] = set()
                    if not self.kept(d, active, budget, ONE_QUERY, needs):
                        return set(active)
                    found |= {j for where, j in needs if where < 0}
                    waiting += [(where, j) for where, j in needs if where >= 0]
        return found

    def _about(self, t: Term) -> frozenset[int]:
        """The bags and the values after loops that a term speaks of: what speaks of others may be left out of a proof."""
        found = self.about.get(t.get_id())
        if found is None:
            names: set[int] = set()
            if z3.is_quantifier(t):
                names |= self._about(t.body())
            elif z3.is_const(t):
                name = t.decl().name()
                if name.startswith(("bag ", "any!")):
                    names.add(t.get_id())
            else:
                for c in t.children():
                    names |= self._about(c)
            found = self.about[t.get_id()] = frozenset(names)
        return found


def _sums(t: Term) -> frozenset[str]:
    """The names of the sums over bags that a term speaks of."""
    found: set[str] = set()
    seen: set[int] = set()
    stack = [t]
    while stack:
        x = stack.pop()
        if x.get_id() in seen:
            continue
        seen.add(x.get_id())
        if z3.is_quantifier(x):
            stack.append(x.body())
        elif z3.is_app(x):
            if x.decl().name().startswith("sum "):
                found.add(x.decl().name())
            stack += x.children()
    return frozenset(found)


__all__ = ["Induction"]
