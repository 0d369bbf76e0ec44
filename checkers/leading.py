"""What moves lead to, whatever is drawn: on which courses of the play a claim is true."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from tablelaw.checkers import explain
from tablelaw.checkers.branches import Branch, Stopped, TooMany, played, settled
from tablelaw.checkers.claims import Claim, Typed
from tablelaw.checkers.closest import closest
from tablelaw.checkers.result import Result
from tablelaw.solver import legality
from tablelaw.solver.breadth import MOST_DRAWS, draws_of
from tablelaw.solver.evaluate import State
from tablelaw.solver.replay import place_along
from tablelaw.solver.telling import formula_text, values_in
from tablelaw.solver.trace import Trace, draw_text, first_step, move_text
from tablelaw.spec.core import Const, Expr, Op
from tablelaw.spec.game import Game
from tablelaw.spec.operators import Fault
from tablelaw.spec.positions import shown
from tablelaw.spec.reckon import Place, value
from tablelaw.spec.types import Bool

NEAREST = 1.0
"""Seconds for the nearest change."""
MOST_TOLD, LONGEST_VALUE = 6, 90


@dataclass(slots=True)
class Answer:
    """Everything there is to say about one claim."""

    claim: Claim
    result: Result
    why: explain.Why | None = None
    values: list[str] = field(default_factory=list)
    nearest: list[str] = field(default_factory=list)
    courses: list[str] = field(default_factory=list)
    """What is drawn where the claim does not come out as it mostly does."""
    course: str = ""
    """Which course is shown, where there are several."""

    def done(self) -> Answer:
        """With what JSON has besides the contract's fields."""
        told: dict[str, object] = {
            "claim": self.claim.text,
            "form": self.claim.form,
            "values": self.values,
            "nearest": self.nearest,
        }
        if self.courses:
            told["draws"] = self.courses
        self.result.extra = {**self.result.extra, **told}
        return self


@dataclass(slots=True)
class Outcomes:
    """The courses of the moves of one claim, `history` the play before them."""

    game: Game
    history: Trace
    answer: Answer

    def tell(self, meaning: Typed) -> None:
        """Play every course of the moves and say on which the claim is true."""
        verdict = self.answer.result.verdict
        broad = [a.name for line in meaning.lines if (a := self.game.action(line.action or "")) and draws_of(a) > MOST_DRAWS]
        if broad:
            verdict.reason = f"so much can be drawn after `{broad[0]}` that not all of it can be looked at"
            return
        try:
            courses = played(self.game, Branch(tuple(self.history.steps)), meaning.lines)
            self._weigh(meaning, courses)
        except Stopped as stop:
            self._stopped(stop)
        except TooMany as many:
            verdict.reason = str(many)
        except Fault as fault:
            verdict.reason = f"the rules have no value there: {fault.message}"

    def _stopped(self, stop: Stopped) -> None:
        verdict = self.answer.result.verdict
        state = stop.branch.last.state
        verdict.verdict, verdict.known_by, verdict.trace = "fails", "proved", stop.branch.trace
        where = f", after {self._drawn(stop.branch)}" if len(stop.branch.steps) > len(self.history.steps) else ""
        if "drawn" in str(stop):
            verdict.reason = f"`{stop.line.text}`: {stop}{where}"
            return
        found = legality.forbidding(self.game, state, stop.line.action or "", dict(stop.line.args))
        verdict.clauses = found.clauses
        verdict.reason = f"`{stop.line.text}` is illegal{where}: forbidden by {', '.join(found.clauses)}"

    def _weigh(self, meaning: Typed, courses: list[Branch]) -> None:
        """On which courses the claim comes out true."""
        e, verdict = meaning.formula, self.answer.result.verdict
        assert e is not None
        if not isinstance(e.type, Bool):
            self._values(e, courses)
            return
        yes: list[Branch] = []
        no: list[Branch] = []
        for b in courses:
            (yes if self._true(e, b) else no).append(b)
        verdict.verdict, verdict.known_by = ("fails", "exhausted") if no else ("holds", "exhausted")
        verdict.bound = f"all {len(courses)} courses" if len(courses) > 1 else "the one course"
        self._show((no or yes)[0], len(courses) > 1)
        self.answer.values = read_values(e, place_along(self.game, (no or yes)[0].trace, len((no or yes)[0].steps) - 1))
        self.answer.result.extra = {"courses": len(courses), "true": len(yes)}
        if no and yes:
            chance = _share(yes, courses)
            share = f", with probability {chance}" if chance is not None else ""
            verdict.reason = f"so on {len(yes)} of {len(courses)} courses{share}"
            fewer = "so after " if len(yes) <= len(no) else "not so after "
            told = list(dict.fromkeys(self._drawn(b) for b in (yes if len(yes) <= len(no) else no)))
            self.answer.courses = [fewer + t for t in told[:MOST_TOLD]] + (
                [f"… {len(told)} in all"] if len(told) > MOST_TOLD else []
            )
        elif no:
            self._unlike(meaning, e)
        if len(courses) <= 200:
            self._later(e, courses, not no)

    def _unlike(self, meaning: Typed, e: Expr) -> None:
        """The nearest position from which the moves lead to what is claimed."""
        if len(self.history.steps) > 1:
            return

        def good(state: State) -> bool:
            try:
                found = played(self.game, Branch((first_step(state, self.game),)), meaning.lines)
            except (Stopped, TooMany):
                return False
            return all(self._true(e, b) for b in found)

        self.answer.nearest = closest(self.game, self.history.steps[-1].state, good, NEAREST)

    def _later(self, e: Expr, courses: list[Branch], now: bool) -> None:
        """What becomes of it when the table has acted."""
        then, names = True, dict[str, None]()
        try:
            for b in courses:
                for after in settled(self.game, b, draws=False) if b.last.fault is None else [b]:
                    then &= self._true(e, after)
                    names |= dict.fromkeys(f"`{s.move.action}`" for s in after.steps[len(b.steps) :] if s.move)
        except (Fault, TooMany):
            return
        if names and then != now:
            so = "so" if then else "no longer so on every course"
            told = ", ".join(list(names)[:MOST_TOLD])
            self.answer.result.verdict.notes.append(f"when the table has acted ({told}) it is {so}")

    def _values(self, e: Expr, courses: list[Branch]) -> None:
        """What a formula that is no claim comes to."""
        verdict = self.answer.result.verdict
        found: dict[str, list[Branch]] = {}
        for b in courses:
            if b.last.fault is None:
                found.setdefault(shown(value(e, place_along(self.game, b.trace, len(b.steps) - 1)), e.type), []).append(b)
        if not found:
            verdict.reason = f"the step cannot be taken: {courses[0].last.fault}"
            return
        verdict.verdict, verdict.known_by = "value", "exhausted"
        verdict.bound = f"all {len(courses)} courses" if len(courses) > 1 else "the one course"
        self._show(courses[0], len(courses) > 1)
        if len(found) == 1:
            verdict.value = next(iter(found))
        for text, mine in list(found.items())[: 2 * MOST_TOLD] if len(found) > 1 else ():
            chance = _share(mine, courses)
            self.answer.courses.append(
                f"{text} after {self._drawn(mine[0])}" + (f", with probability {chance}" if chance else "")
            )

    def _show(self, course: Branch, several: bool) -> None:
        verdict = self.answer.result.verdict
        verdict.trace = course.trace
        self.answer.course = self._drawn(course) if several else ""
        verdict.clauses = tuple(dict.fromkeys(c for s in course.steps[len(self.history.steps) :] for c in s.clauses))
        if course.last.fault is not None:
            verdict.reason = f"the step cannot be taken: {course.last.fault}"

    def _true(self, e: Expr, b: Branch) -> bool:
        if b.last.fault is not None:
            return False
        try:
            return bool(value(e, place_along(self.game, b.trace, len(b.steps) - 1)))
        except Fault:
            return False

    def _drawn(self, b: Branch) -> str:
        """What sets a course apart: its moves and draws."""
        told = []
        for s in b.steps[len(self.history.steps) :]:
            if s.move is not None:
                drawn = draw_text(self.game.action(s.move.action), s.drawn)
                told.append(f"`{move_text(self.game, s.move)}{' -> ' + drawn if drawn else ''}`")
        return ", ".join(told[-3:]) if told else "no move"


def read_values(e: Expr, here: Place) -> list[str]:
    """What the formula read: both sides of its comparisons as far as these are no names bound inside, else its variables."""
    found = list(dict.fromkeys(_sides(e, here)))
    told = found or values_in(e, here)
    return [t for t in told if len(t) <= LONGEST_VALUE][:MOST_TOLD]


def _sides(e: Expr, here: Place) -> list[str]:
    if not isinstance(e, Op):
        return []
    if e.op in ("and", "or", "not"):
        return [t for child in e.args for t in _sides(child, here)]
    found: list[str] = []
    for child in e.args if e.op in ("eq", "ne", "lt", "le", "in") else ():
        if isinstance(child, Const):
            continue
        try:
            found.append(f"{formula_text(child)} = {shown(value(child, here), child.type)}")
        except (Fault, KeyError, TypeError):
            continue
    return found


def _share(some: list[Branch], every: list[Branch]) -> Fraction | None:
    """The probability of some courses; None where somebody's choice decides between them, or one is certain."""
    if len(every) < 2 or any(b.weight is None for b in every):
        return None
    return sum((b.weight for b in some if b.weight is not None), Fraction(0))
