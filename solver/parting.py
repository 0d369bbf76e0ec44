"""Whether two games have the same plays, and where they part: by their formulas, in lockstep, at random, and by proof."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Protocol

from tablelaw.solver.canonical import Canon
from tablelaw.solver.evaluate import State
from tablelaw.solver.hunt import Hunt, Look
from tablelaw.solver.lockstep import Lockstep, Pair, Parting, Way
from tablelaw.solver.sameness import (
    alike,
    claims,
    evident,
    identical,
    muted,
    narrower,
    same_ends,
    steps_are_sound,
    unsound_conditions,
)
from tablelaw.solver.sampled import Sample
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.trace import Trace
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.core import Call, Const, Expr, Op
from tablelaw.spec.game import Action, Game
from tablelaw.spec.questions import Asked
from tablelaw.spec.types import BOOL, INT


class Ask(Protocol):
    """Whoever answers claims about one game."""

    def claim(self, game: Game, asked: Asked, budget: Budget) -> Verdict:
        """The verdict on a question."""
        ...

    def same_effects(self, game: Game, left: Action, right: Action, budget: Budget) -> bool:
        """Do two actions do the same with the same arguments and draws, in any position?"""
        ...


FIRST_PAIRS, FIRST_SECONDS = 30_000, 5.0
SOON, WALKS, PROOF, BEYOND = 8.0, 6.0, 120.0, 10.0
SHORTER, WRITTEN, SAMPLED = 30.0, 10.0, 8.0


@dataclass(slots=True)
class Course:
    """What is known of two games: where they part, and how far was looked.

    `proved`: no play parts. `complete`: every pair of positions was met. `depth`: plays of so many steps were compared.
    `contained`: `right` or `left` when it can be seen that
    this game has no play that the other has not.
    """

    partings: list[Parting] = field(default_factory=list)
    proved: bool = False
    how: str = ""
    complete: bool = False
    depth: int = 0
    states: int = 0
    contained: str = ""
    reason: str = ""
    walks: int = 0
    clauses: tuple[str, ...] = ()

    def tell_length(self, p: Parting) -> str | None:
        """What is to be said of the length of a play to a parting; None where no shorter one leads to one like it."""
        if self.complete or p.length <= self.depth:
            return None
        if p.source:
            return f"found in the play of scenario `{p.source}` and shortened where it could be; a shorter one may exist"
        return "the play was found at random or in a proof, and shortened: a shorter one may exist"


class Comparing:
    """Two games being compared. `enough` says of the partings found so far whether the search may stop."""

    def __init__(
        self, left: Game, right: Game, ask: Ask | None = None, given: tuple[State, State] | None = None, coded: bool = True
    ) -> None:
        self.left, self.right, self.ask, self.given = left, right, ask, given
        canon = Canon()
        self.plain = canon.game(left), canon.game(right)
        self.whole = Budget()
        self.label: Callable[[Parting], Hashable] | None = None
        self.course = Course()
        self.lock = Lockstep(left, right, alike(*self.plain), same_ends(*self.plain), given, coded)
        self.hunt = Hunt(self.lock)

    def run(self, budget: Budget, enough: Callable[[list[Parting]], bool]) -> Course:
        """Find out, by what is quick first."""
        course, self.whole = self.course, budget
        left, right = self.plain
        if identical(left, right) or evident(left, right):
            course.proved, course.complete, course.how = True, True, "formulas"
            return course
        course.contained = "right" if narrower(left, right) else "left" if narrower(right, left) else ""
        if self._search(budget.part(min(FIRST_SECONDS, budget.left() / 4), FIRST_PAIRS), enough):
            return course
        if course.partings:
            return self.further(budget, enough)
        for stage in (self._written, self._sampled, self._prove_soon, self._walks_soon, self._prove_late):
            if stage(budget, enough):
                return course
            if course.partings:
                return self.further(budget, enough)
        self._walks(budget.part(budget.left() * 0.5), enough)
        if not course.partings:
            self._search(budget, enough)
        return self.further(budget, enough) if course.partings and not enough(course.partings) else course

    def _written(self, budget: Budget, enough: Callable[[list[Parting]], bool]) -> bool:
        """Plays that the author wrote down."""
        if self.given is not None:
            return False
        for game in (self.left, self.right) if self.left.document is not self.right.document else (self.left,):
            part = budget.part(min(WRITTEN, budget.left() / 6))
            found = self.hunt.read(game, self._news, part, min(SHORTER, self.whole.left() / 6), self._like)
            if found is not None:
                self._keep(found)
                return enough(self.course.partings)
        return False

    def _sampled(self, budget: Budget, enough: Callable[[list[Parting]], bool]) -> bool:
        """Plays of one game at random, watched for a position in which a formula says that they part: quicker than of both."""
        found = claims(*self.plain)
        start = self.given[0] if self.given is not None else None
        if found is None or found.never is None or (self.given is not None and self.given[0] != self.given[1]):
            return False
        try:
            asked = Asked("plays-that-part", "never", None, formula=found.never, given=start)
            verdict = Sample(self.left, asked).ask(budget.part(min(SAMPLED, budget.left() / 6)))
        except (OutOfBudget, Unlowerable, RecursionError):
            return False
        if verdict is not None and verdict.trace is not None:
            self.along(verdict.trace)
        return bool(self.course.partings) and enough(self.course.partings)

    def _prove_soon(self, budget: Budget, enough: Callable[[list[Parting]], bool]) -> bool:
        return self._prove(budget.part(min(SOON, budget.left() / 8)))

    def _walks_soon(self, budget: Budget, enough: Callable[[list[Parting]], bool]) -> bool:
        self._walks(budget.part(min(WALKS, budget.left() / 6)), enough)
        return False

    def _prove_late(self, budget: Budget, enough: Callable[[list[Parting]], bool]) -> bool:
        return self._prove(budget.part(min(PROOF, budget.left() / 2)))

    def further(self, budget: Budget, enough: Callable[[list[Parting]], bool]) -> Course:
        """Look on for partings of other kinds once there is one."""
        course = self.course
        if not enough(course.partings) and not self._search(budget.part(min(BEYOND, budget.left() / 2)), enough):
            self._walks(budget.part(min(BEYOND / 2, budget.left() / 2)), enough)
        return course

    def _search(self, budget: Budget, enough: Callable[[list[Parting]], bool]) -> bool:
        """Breadth first; is it decided?"""
        course, lock = self.course, self.lock
        for parting in lock.search(budget):
            if self._take(parting) and enough(course.partings):
                break
        course.complete, course.depth, course.states = lock.complete, lock.depth, lock.expanded
        return lock.complete or enough(course.partings)

    def _take(self, parting: Parting) -> bool:
        """Keep it where none like it comes after fewer steps; they stand with the shortest play first."""
        kept = self.course.partings
        for p in kept:
            if self._sort(p) == self._sort(parting):
                if p.length <= parting.length:
                    return False
                kept.remove(p)
                break
        kept.append(parting)
        kept.sort(key=lambda p: (p.length, p.move is not None and p.move.actor is None))
        return True

    # plays at random

    def _walks(self, budget: Budget, enough: Callable[[list[Parting]], bool]) -> None:
        """Plays at random in both games at once."""
        found = self.hunt.find(self._news, budget, min(SHORTER, self.whole.left() / 6), self._like)
        self.course.walks = self.hunt.seed
        if found is not None:
            self._keep(found)
            enough(self.course.partings)

    def _keep(self, best: Parting) -> None:
        """Take what was found, with all else that differs there."""
        for p in list(self.lock.partings(best.pair, lambda: best.way)):
            self._take(replace(p, source=best.source))

    def _news(self, pair: Pair, way: Callable[[], Way]) -> Parting | None:
        """The first parting that is not like one found before."""
        told = {self._sort(p) for p in self.course.partings}
        return next((p for p in self.lock.partings(pair, way) if self._sort(p) not in told), None)

    def _like(self, found: Parting) -> Look:
        """Look for partings that stand in its place: where they are told apart by a label, only those with the same one."""
        if self.label is None:
            return self._news
        label, wanted = self.label, self.label(found)

        def look(pair: Pair, way: Callable[[], Way]) -> Parting | None:
            return next((p for p in self.lock.partings(pair, way) if label(p) == wanted), None)

        return look

    def _sort(self, p: Parting) -> Hashable:
        """What tells partings apart: of partings alike in this one is enough."""
        return p.kind, p.side, p.move.action if p.move else "", p.names, self.label(p) if self.label is not None else None

    # proofs

    def _prove(self, budget: Budget) -> bool:
        """Are the claims that no play parts proved? A play that breaks one is looked at for where the games part."""
        found = claims(*self.plain) if self.ask is not None else None
        start = self.given[0] if self.given is not None else None
        if found is None or (self.given is not None and self.given[0] != self.given[1]):
            return False
        asked: list[tuple[Game, Expr]] = []
        if found.never is not None:
            asked.append((self.left, found.never))
        assert self.ask is not None
        for e in found.effects:
            if self.ask.same_effects(self.left, e.left, e.right, budget.part(budget.left() / 3)):
                continue
            if e.idle is None:
                return False
            for game, action, names in zip((self.left, self.right), (e.left, e.right), e.idle, strict=True):
                asked += [(game, happened(name)) for name in sorted(names)]
                # a step with a fault is not taken, and no clause takes effect in it: also without what the clauses do
                # they must find no step in which to do it
                unsure = unsound_conditions(game, names)
                if unsure:
                    self.course.reason = f"the `when` of {', '.join(unsure)} might have no value"
                    return False
                if names and not steps_are_sound(game, action):
                    quiet = muted(game, names)
                    asked += [(quiet, happened(name)) for name in sorted(names)]
        ways, clauses = ["proved"], list[str]()
        for n, (game, claim) in enumerate(asked):
            if budget.left() <= 0.05:
                return False
            question = Asked("plays-that-part", "never", None, formula=claim, given=start)
            verdict = self.ask.claim(game, question, budget.part(budget.left() / (len(asked) - n)))
            if verdict.verdict == "fails" and verdict.trace is not None:
                self.along(verdict.trace)
            if verdict.verdict != "holds":
                self.course.reason = verdict.reason or ""
                return False
            ways.append(verdict.known_by or "")
            clauses += verdict.clauses
        self.course.proved, self.course.complete = all(w in ("proved", "exhausted") for w in ways), True
        self.course.how = "exhausted" if "exhausted" in ways else "proof"
        self.course.clauses = tuple(dict.fromkeys(clauses))
        return self.course.proved

    def along(self, trace: Trace) -> None:
        """Follow a play of one game in both; where they part on it is a parting."""
        found = self.hunt.along(trace, self._news, min(SHORTER, self.whole.left() / 6), self._like)
        if found is not None:
            self._keep(found)


def happened(name: str) -> Expr:
    """A formula: has the clause ever taken effect?"""
    return Op("lt", (Const(0, type=INT), Call("times", (), name, type=INT)), type=BOOL)
