"""Looks for a play that answers a question among plays at random, and makes the one found short."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tablelaw.solver.breadth import draws_of
from tablelaw.solver.evaluate import Move
from tablelaw.solver.fewest import MOST_DRAWN
from tablelaw.solver.replay import value_along
from tablelaw.solver.sampling import LIMIT, Choice, Coded, Dice, Play, Taken, play, trace_of
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.shrink import Shrinker
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.space.write import Writer, compiled
from tablelaw.solver.trace import Trace, fault_step
from tablelaw.solver.verdict import InternalFault, Verdict
from tablelaw.solver.written import written
from tablelaw.spec.core import Call, Expr, Var
from tablelaw.spec.game import Game
from tablelaw.spec.operators import Fault
from tablelaw.spec.over_layouts import walk
from tablelaw.spec.questions import Asked, step_needs
from tablelaw.spec.values import Value

NAME = "sampling"
KINDS = ("always", "never", "reach", "progress", "in-range")
NOT_SHORTEST = "found among plays at random and made shorter; a shorter one may exist"
SHORT = 24
"""Steps of the shortest plays that are tried."""
NO_PLAYS, READ = 1 << 62, 5.0
_WRONG = (Fault, KeyError)


def length_of(number: int) -> int:
    """How many steps a play may have: of eight one may be four times as long as the others, of eight such again one, …"""
    length = SHORT
    while number and number % 8 == 0 and length < LIMIT:
        number, length = number // 8, length * 4
    return min(length, LIMIT)


@dataclass(slots=True)
class Sample:
    """A game with a question; plays that show its answer are sought."""

    game: Game
    asked: Asked
    seed: int = 0
    whole: bool = False
    """Every play is played to its end; else most are cut short, for what is rare comes up sooner in many beginnings."""
    played: int = 0
    cut: int = 0
    scenario: str = ""
    """In whose play it was found."""

    def ask(self, budget: Budget, most: int = NO_PLAYS) -> Verdict | None:
        """A verdict with a play, or None where none of so many plays (or as many as there is time for) shows one.

        Raises `Unlowerable` where there is no code for plays.
        """
        if self.asked.kind not in KINDS:
            raise Unlowerable(f"plays at random do not answer a question of kind `{self.asked.kind}`")
        _, counted = step_needs([self.asked.formula])
        coded = Coded(self.game, tuple(sorted(counted)))
        shows = self._shows(coded)
        starts = coded.starts() if self.asked.given is None else [coded.of(self.asked.given)]
        found = self._written(coded, shows, budget) or self._first(coded, starts, shows, budget, most)
        if found is None:
            return None
        steps = found.steps
        if steps:
            steps = Shrinker(coded, found.start, shows, budget.part(budget.left() * 0.5), True).shortest(steps)
            steps = self._shorter(coded, found.start, shows, steps, budget)
        return self._verdict(coded, found.start, steps)

    def _written(self, coded: Coded, shows: Callable[..., bool], budget: Budget) -> Play | None:
        """A play that shows it among those that scenarios tell, or one step from them."""
        if self.whole or self.asked.given is not None:
            return None
        share = budget.part(budget.left() * 0.3) if budget.seconds else Budget(READ)
        for told in written(self.game, share):
            start = coded.of(told.trace.steps[0].state)
            steps = [_taken(coded, s.move, s.drawn) for s in told.trace.steps[1:] if s.move is not None]
            try:
                found = self._beside(coded, start, steps, shows, share)
            except (OutOfBudget, *_WRONG):
                continue
            if found is not None:
                self.scenario = told.scenario
                return Play(start, steps=found, ending="found")
        return None

    def _beside(
        self, coded: Coded, start: Any, steps: list[Taken], shows: Callable[..., bool], budget: Budget
    ) -> list[Taken] | None:
        """The steps to where it shows along a play, else one step from it."""
        if shows(start, start, -1):
            return []
        rows = [start]
        for n, (choice, drawn) in enumerate(steps):
            rows.append(coded.step(rows[-1], choice, drawn)[0])
            if shows(rows[-1], rows[-2], choice[1]):
                return steps[: n + 1]
        for n, row in enumerate(rows):
            for choice in coded.legal(row):
                for drawn in _draws(coded, row, choice):
                    budget.check()
                    if shows(coded.step(row, choice, drawn)[0], row, choice[1]):
                        return [*steps[:n], (choice, drawn)]
        return None

    def _first(self, coded: Coded, starts: list[Any], shows: Callable[..., bool], budget: Budget, most: int) -> Play | None:
        """The first play that shows it."""
        watch = shows if self.asked.formula is not None else None
        wanted = "stuck" if self.asked.kind == "progress" else "fault"
        share = budget.part(budget.left() * 0.7)
        while self.played < most and share.left() > 0:
            dice = Dice(self.seed, self.played)
            self.played += 1
            length = LIMIT if watch is None or self.whole else length_of(self.played)
            made = play(coded, starts[dice.below(len(starts))], dice, length, watch)
            self.cut += made.ending == "cut"
            if not self.played % 16:
                if share.left() > 0:
                    share.check()
                if budget.tell:
                    budget.tell(f"{self.played:,} plays at random")
            if made.ending == "found" or (watch is None and made.ending == wanted):
                return made
        return None

    def _shorter(self, coded: Coded, start: Any, shows: Callable[..., bool], steps: list[Taken], budget: Budget) -> list[Taken]:
        """Plays that are cut before the best one ends: where one of them shows it, it takes its place."""
        share, number = budget.part(budget.left() * 0.5), 0
        while share.left() > 0 and len(steps) > 1 and number < 40 * len(steps):
            made = play(coded, start, Dice(self.seed + 1, number), len(steps) - 1, shows)
            number += 1
            if made.ending == "found":
                steps = Shrinker(coded, start, shows, share, True).shortest(made.steps)
        return steps

    def _shows(self, coded: Coded) -> Callable[[Any, Any, int], bool]:
        """Does a position (with the step that led there) show the answer?"""
        kind, formula = self.asked.kind, self.asked.formula
        if kind == "progress":
            return lambda s, p, a: not coded.legal(s) and coded.end(s) < 0
        if formula is None:
            return lambda s, p, a: self._faulty(coded, s)
        writer = Writer(self.game, coded.counters)
        source = writer.formula(formula)
        extra = {"is_ended": lambda s: coded.end(s) >= 0, "who_won": coded.winners}
        call = compiled(source, writer.constants, extra)["formula"]
        breaks, no_value = kind != "always", kind != "reach"
        looks, counted = step_needs([formula])
        read = None if looks or counted else self._read(formula)

        def shows(s: Any, p: Any, a: int) -> bool:
            if read is not None and s is not p and all(s[i] is p[i] for i in read):
                return False  # nothing that it reads has changed, and it was not there before
            try:
                return bool(call(s, p, None if a < 0 else a)) == breaks
            except _WRONG:
                return no_value  # what has no value holds nowhere

        return shows

    def _read(self, formula: Expr) -> list[int] | None:
        """The variables that a formula reads, by number; None where that is not seen."""
        names, calls = set[str](), set[str]()
        for e in walk(formula):
            if isinstance(e, Var):
                names.add(e.name)
            elif isinstance(e, Call):
                calls.add(e.name)
        if calls & {"ended", "winners"}:
            return None
        return [i for i, v in enumerate(self.game.variables) if v.name in names]

    def _faulty(self, coded: Coded, s: Any) -> bool:
        """Have the rules no value for what may come next?"""
        try:
            if coded.end(s) >= 0:
                coded.winners(s)
            for choice in coded.legal(s):
                for drawn in _draws(coded, s, choice, NO_PLAYS):
                    coded.step(s, choice, drawn)
        except _WRONG:
            return True
        return False

    def _verdict(self, coded: Coded, start: Any, steps: list[Taken]) -> Verdict:
        trace = trace_of(coded, start, steps)
        reason = self._looked_at(trace)
        word = "holds" if self.asked.kind == "reach" else "fails"
        clauses = tuple(dict.fromkeys(c for s in trace.steps for c in s.clauses))
        if self.asked.kind == "in-range":
            clauses = trace.steps[-1].clauses[-1:]
        found = f"found in the play of scenario `{self.scenario}`" if self.scenario else NOT_SHORTEST
        more = " and shortened where it could be; a shorter one may exist" if self.scenario else ""
        notes = [found + more] if len(trace.steps) > 2 else []
        return Verdict(word, "proved", trace=trace, clauses=clauses, reason=reason, engine=NAME, notes=notes)

    def _looked_at(self, trace: Trace) -> str | None:
        """The evaluator's own look at the play; why it is one, where that has to be said."""
        last, kind = trace.steps[-1].state, self.asked.kind
        if kind == "in-range":
            step = fault_step(self.game, last)
            if step is None:
                raise InternalFault("plays at random met a fault that the evaluator does not have")
            trace.steps.append(step)
            return step.fault
        if kind == "progress":
            from tablelaw.solver import evaluate

            if evaluate.moves(self.game, last) or evaluate.end(self.game, last) is not None:
                raise InternalFault("plays at random were stuck where the evaluator is not")
            return "nobody has a legal move in the last position"
        assert self.asked.formula is not None
        try:
            there = bool(value_along(self.game, trace, self.asked.formula))
        except Fault:
            if kind == "reach":
                raise InternalFault("plays at random found a value where the evaluator has none") from None
            return "the formula has no value in the last position"
        if there != (kind != "always"):
            raise InternalFault("plays at random and the evaluator disagree about the last position")
        return None


def _taken(coded: Coded, move: Move, drawn: tuple[tuple[str, Value], ...]) -> Taken:
    """A step as plays on code have it."""
    n = next(i for i, a in enumerate(coded.actions) if a.name == move.action)
    return (n, -1 if move.actor is None else move.actor, tuple(v for _, v in move.args)), tuple(v for _, v in drawn)


def _draws(coded: Coded, row: Any, choice: Choice, most: int = MOST_DRAWN) -> list[tuple[Value, ...]]:
    """What can be drawn after a choice; nothing where that may be too much."""
    action = coded.actions[choice[0]]
    if draws_of(action) > most:
        return []
    ways: list[tuple[Value, ...]] = [()]
    for k in range(len(action.draws)):
        ways = [(*w, v) for w in ways for v in coded.chance(row, choice, k, w)[0]]
    return ways


__all__ = ["KINDS", "NAME", "Sample"]
