"""Claims that every reachable position has: the start has them and each step keeps them, one helping the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from tablelaw.solver import evaluate
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.symbolic.open import lemmas
from tablelaw.solver.symbolic.open.claims import Prover, supposed
from tablelaw.solver.symbolic.open.effects import position
from tablelaw.solver.symbolic.open.formulas import Here, Reader
from tablelaw.solver.symbolic.open.induction import Induction
from tablelaw.solver.symbolic.open.resting import Proof
from tablelaw.solver.symbolic.open.values import FALSE, both, either, no
from tablelaw.spec.core import Call, Const, Expr, Op
from tablelaw.spec.game import Action, Game
from tablelaw.spec.questions import step_needs
from tablelaw.spec.types import BOOL, Int

LOOKING = 1.5
"""Seconds for random plays that rule lemmas out."""


@dataclass(frozen=True)
class Falling:
    """That a measure falls: the claim about steps with the lemmas it takes, the bound with those that every step keeps."""

    claim: Expr
    lemmas: list[Expr]
    bound: Expr
    kept: list[Expr]


class Invariants:
    """What is proved of one game from its starts."""

    def __init__(self, game: Game, starts: Sequence[evaluate.State], prover: Prover | None = None) -> None:
        self.game, self.starts = game, list(starts)
        self.prover = prover or Prover(game)
        self._circles: list[list[Expr]] | None = None
        self._proved: dict[bool, list[Expr]] = {}

    def helpful(self) -> list[list[Expr]]:
        """Lemmas to try, in widening circles, those ruled out by the starts and some plays left out."""
        if self._circles is None:
            met = lemmas.met_in_plays(self.game, self.starts, LOOKING)
            every = (lemmas.asked_elsewhere(self.game), lemmas.of_phases(self.game), lemmas.of_bags(self.game))
            self._circles = []
            for circle in every:
                left = lemmas.survivors(self.game, circle, met, LOOKING)
                fits = self.prover.begins(left, self.starts)
                self._circles.append([e for e, ok in zip(left, fits, strict=True) if ok])
        return self._circles

    def proof(self, claim: Expr, budget: Budget) -> list[Expr] | None:
        """Lemmas that together with the claim every step keeps; None where none were found. Raises `OutOfBudget`."""
        if not all(self.prover.begins([claim], self.starts)):
            return None
        if self._kept([claim], {0}, budget) is not None:
            return []
        tried: list[Expr] = []
        questions, phases, bags = self.helpful()
        counts = lemmas.of_counts(self.game, step_needs([claim])[1])
        others = lemmas.of_claim(self.game, claim)
        if others:
            left = lemmas.survivors(self.game, others, lemmas.met_in_plays(self.game, self.starts, LOOKING), LOOKING)
            fits = self.prover.begins(left, self.starts)
            found = self._kept([claim, *(e for e, ok in zip(left, fits, strict=True) if ok and e != claim)], {0}, budget)
            if found is not None:
                return found[1:]
        phases = [*phases, *(e for e, ok in zip(counts, self.prover.begins(counts, self.starts), strict=True) if ok)]
        for circle in (phases, [*bags, *questions]):
            tried += [e for e in circle if e != claim]
            found = self._kept([claim, *tried], {0}, budget) if circle else None
            if found is not None:
                return found[1:]
        return None

    def _kept(self, claims: list[Expr], targets: set[int], budget: Budget) -> list[Expr] | None:
        """Those of the claims that are kept by every step and that the targets need."""
        steps = [Induction(self.prover, a, claims) for a in self.game.actions]
        active = _active(steps, set(range(len(claims))), targets, budget)
        if active is None:
            return None
        return [claims[i] for i in sorted(_behind(steps, active, targets, budget))]

    def proved(self, budget: Budget, few: bool = False) -> list[Expr]:
        """The lemmas that could be proved together (`few`: those about phases alone); none where time was short."""
        if few not in self._proved:
            questions, phases, bags = self.helpful()
            every = list(phases) if few else [*phases, *bags, *questions]
            steps = [Induction(self.prover, a, every) for a in self.game.actions]
            try:
                active = _active(steps, set(range(len(every))), set(), budget)
            except OutOfBudget:
                return []
            self._proved[few] = [e for i, e in enumerate(every) if active is not None and i in active]
        return self._proved[few]

    def _widening(self, budget: Budget) -> Iterator[list[Expr]]:
        """No lemmas, few, many: each only where it is asked for."""
        yield []
        yield self.proved(budget, few=True)
        yield self.proved(budget)

    def keeping(self, claims: list[Expr]) -> Proof:
        """The proof that every step keeps these claims, to be asked again without some clauses."""
        every = set(range(len(claims)))
        steps: dict[str, Induction] = {}
        used: dict[str, set[str]] = {}

        def proof(p: Prover, budget: Budget) -> bool:
            for a in self.game.actions:
                if a.name in used and not used[a.name] & p.off:
                    continue
                if a.name not in steps:
                    steps[a.name] = Induction(p, a, claims)
                before, p.used = p.used, set()
                try:
                    if not steps[a.name].again(every, budget):
                        return False
                    if not p.off:
                        used[a.name] = set(p.used)
                finally:
                    p.used |= before
            return True

        return proof

    # one step

    def steps_keep(self, claim: Expr, budget: Budget) -> list[Expr] | None:
        """Proved lemmas with which a claim about steps (with `old`) holds of each step, and at each start."""
        return self._of_steps(claim, budget) if all(self.prover.begins([claim], self.starts)) else None

    def _of_steps(self, claim: Expr, budget: Budget) -> list[Expr] | None:
        for known in self._widening(budget):
            if self.steps_with(claim, known, budget):
                return self._of_use(claim, known, budget)
        return None

    def _of_use(self, claim: Expr, known: list[Expr], budget: Budget) -> list[Expr]:
        """Of lemmas that are kept together those that show a claim about steps, and those that they need to be kept."""
        marked = Invariants(self.game, self.starts, Prover(self.game, {}))
        if not known or not marked.steps_with(claim, known, budget):
            return known
        used = {i for i in range(len(known)) if f"lemma {i}" in marked.prover.used}
        steps = [Induction(self.prover, a, known) for a in self.game.actions]
        every = set(range(len(known)))
        if any(s.lost(every, every, budget) for s in steps):
            return known
        return [known[i] for i in sorted(_behind(steps, every, used, budget))]

    def falls(self, measure: Expr, budget: Budget) -> Falling | None:
        """Does the measure stay above a bound, and does every step that does not end the play lower it?"""
        fallen = Op("lt", (measure, Call("old", (measure,), type=measure.type)), type=BOOL)
        claim = Op("or", (Call("ended", (), type=BOOL), fallen), type=BOOL)
        lemmas = self._of_steps(claim, budget)
        if lemmas is None:
            return None
        lowest = measure.type.lo if isinstance(measure.type, Int) else None
        for n in dict.fromkeys((0, min(0, lowest or 0))):
            bound = Op("le", (Const(n, type=Int(n, n)), measure), type=BOOL)
            if self.prover.everywhere(bound, budget):
                return Falling(claim, lemmas, bound, [])
            found = self.proof(bound, budget)
            if found is not None:
                return Falling(claim, lemmas, bound, [bound, *found])
        return None

    def steps_with(self, claim: Expr, known: list[Expr], budget: Budget) -> bool:
        """The same with these lemmas, which must be proved."""
        return all(self._of_step(a, claim, known, budget) for a in self.game.actions)

    def _of_step(self, action: Action, claim: Expr, known: list[Expr], budget: Budget) -> bool:
        r = self.prover.reader()
        state, bounds = position(r, "at")
        here = Here(state)
        bounds += supposed(r, known, here)
        step, after = self.prover.step(action, r, here, bounds, {}, [])
        return self.prover.follows(r, step.known, r.truth(claim, replace(after, before=here)), budget)

    def leads(self, when: Expr, then: Expr, budget: Budget, at_length: bool) -> tuple[list[Expr], list[Expr]] | None:
        """Lemmas with which wherever the one holds the other does, or there is a step and each brings it about.

        With them come those that every step keeps together, which shows the lemmas.
        """
        if self.leads_with(when, then, [], budget):
            return [], []
        if not at_length:
            return None
        questions, phases, bags = self.helpful()
        for hoped in (questions, [*questions, *phases, *bags]):
            marked = Invariants(self.game, self.starts, Prover(self.game, {}))
            if marked.leads_with(when, then, hoped, budget):
                used = [e for i, e in enumerate(hoped) if f"lemma {i}" in marked.prover.used]
                few = self._fewest(used, lambda some: self.leads_with(when, then, some, budget))
                together = Op("and", tuple(few), type=BOOL)
                found = self.proof(together, budget)
                return None if found is None else (few, [together, *found])
        return None

    def _fewest(self, claims: list[Expr], enough: Callable[[list[Expr]], bool]) -> list[Expr]:
        """A smallest part of the claims that is still enough."""
        kept, size = list(claims), max(1, len(claims) // 2)
        while True:
            i = 0
            while i < len(kept):
                rest = kept[:i] + kept[i + size :]
                if enough(rest):
                    kept = rest
                else:
                    i += size
            if size == 1:
                return kept
            size = max(1, size // 2)

    def leads_with(self, when: Expr, then: Expr, known: list[Expr], budget: Budget) -> bool:
        """The same with these lemmas, which must be proved."""
        pending = [*known, when, lemmas.negated(then)]
        table = [a for a in self.game.actions if a.by is None]
        for actions in (table, list(self.game.actions)):
            if actions and self._some(actions, pending, budget):
                return all(self._brings(a, pending, then, budget) for a in actions)
        return False

    def _some(self, actions: list[Action], pending: list[Expr], budget: Budget) -> bool:
        """Is the play not over there, and one of these actions open?"""

        def goal(r: Reader, here: Here) -> object:
            return both([no(r.ended(here)), either([r.truth(self.prover.enabled(a), here) for a in actions])])

        return self.prover.implied(pending, goal, budget)

    def _brings(self, action: Action, pending: list[Expr], then: Expr, budget: Budget) -> bool:
        """Does each step of the action, taken there, bring it about? (Most actions are not open there at all.)"""
        for effects in ((), action.effects):
            r = self.prover.reader()
            state, known = position(r, "at")
            here = Here(state)
            known += supposed(r, pending, here)
            try:
                step, after = self.prover.step(replace(action, effects=effects), r, here, known, {}, [])
            except Unlowerable:
                return False
            goal = r.truth(then, after) if effects else FALSE
            if self.prover.follows(r, step.known, goal, budget):
                return True
        return False


def _behind(steps: list[Induction], active: set[int], targets: set[int], budget: Budget) -> set[int]:
    """The targets, and whatever of the claims that every step keeps they need to be kept."""
    needed, waiting = set(targets), list(targets)
    while waiting:
        i = waiting.pop()
        for s in steps:
            more = s.used(i, active, budget) - needed
            needed |= more
            waiting += more
    return needed


def _active(steps: list[Induction], active: set[int], targets: set[int], budget: Budget) -> set[int] | None:
    """The largest part of the claims that every step keeps; None where a target is not in it."""
    if any(s.hopeless(active, targets, budget) for s in steps):
        return None
    again = True
    while again:
        again = False
        for s in steps:
            lost = s.lost(active, targets, budget)
            if lost & targets:
                return None
            if lost:
                active = active - lost
                again = True
    return active
