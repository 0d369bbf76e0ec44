"""A question made ready for engines: the flat model, its terms, and what the question watches on the way."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tablelaw.solver.evaluate import State, starts
from tablelaw.solver.ir import Model, Move, Slot, Term, Terms
from tablelaw.solver.lower import Lowerer, lower
from tablelaw.solver.lower_values import Around
from tablelaw.solver.shapes import Members, Perhaps, Tree
from tablelaw.solver.trace import to_numbers
from tablelaw.spec.core import Expr
from tablelaw.spec.game import Game
from tablelaw.spec.questions import Asked, Staged, step_needs

COUNTED_TO = 255


@dataclass(slots=True)
class Prop:
    """A formula of a question as terms: at a start, and (where it looks back) after a step; with when it has no value."""

    start: Term
    step: Term
    looks: bool
    start_fault: Term
    step_fault: Term


@dataclass(slots=True)
class Problem:
    """A game's flat model for one question: counters for `times` added, starts replaced by a given position."""

    game: Game
    model: Model
    lowerer: Lowerer
    counters: dict[str, int] = field(default_factory=dict)
    game_slots: int = 0
    starts: list[State] = field(default_factory=list)

    @property
    def terms(self) -> Terms:
        return self.model.terms

    @property
    def end_faults(self) -> list[Term]:
        """Where an end clause, or who has won, has no value."""
        return [c for c, _ in (*self.model.end_faults, *self.model.winner_faults)]

    def prop(self, e: Expr, names: dict[str, Tree] | None = None) -> Prop:
        """The terms of a formula of a question (a truth value or a number)."""
        low, t = self.lowerer, self.terms
        looks, _ = step_needs([e])
        now = low.state("var")
        low.times = lambda subject: self.model.var(self.counters[subject])
        nobody: Tree = Perhaps(t.false, t.const(0))
        low.faults = []
        start = low.expr(e, Around(now, {"actor": nobody, **(names or {})}, t.true))
        start_fault, low.faults = t.any(c for c, _ in low.faults), []
        assert isinstance(start, Term)
        if not looks:
            return Prop(start, start, False, start_fault, start_fault)
        low.times_before = lambda subject: self.model.var(self.counters[subject])
        low.times = lambda subject: self.model.next(self.counters[subject])
        actor = t.leaf("actor", 0, -1, max(self.game.players - 1, 0))
        someone: Tree = Perhaps(t.le(t.const(0), actor), t.ite(t.lt(actor, t.const(0)), t.const(0), actor))
        around = Around(low.state("next"), {"actor": someone, **(names or {})}, t.true, old=now)
        step = low.expr(e, around)
        step_fault, low.faults = t.any(c for c, _ in low.faults), []
        assert isinstance(step, Term)
        return Prop(start, step, True, start_fault, step_fault)

    def seats(self, e: Expr) -> dict[int, Term]:
        """For each player, whether a `who` names them in a state."""
        t = self.terms
        found = self.lowerer.expr(e, Around(self.lowerer.state("var"), {}, t.true))
        if isinstance(found, Members):
            return {p: found.of.get(p, t.false) for p in range(self.game.players)}
        assert isinstance(found, Term)
        return {p: t.eq(found, t.const(p)) for p in range(self.game.players)}

    def goal(self, e: Expr, who: frozenset[int]) -> Term:
        """A goal of these players as a term of the position; `who` in it means them."""
        t = self.terms
        named = Members({p: t.true if p in who else t.false for p in range(self.game.players)})
        return self.prop(e, {"who": named}).start


def prepare(
    game: Game, asked: Asked | None = None, *, unroll: bool, switched: bool = False, counted_to: int = COUNTED_TO,
    just_now: bool = False,
) -> Problem:  # fmt: skip
    """Lower a game for a question. `counted_to`: where counters of `times` stop (symbolic engines give a far bound).

    `just_now`: counters tell instead whether it happened in the last step.

    Raises `Unlowerable`.
    """
    model, low = lower(game, unroll=unroll, switched=switched)
    problem = Problem(game, model, low, game_slots=len(model.slots), starts=starts(game))
    if asked is not None:
        if asked.given is not None:
            model.starts, problem.starts = [tuple(to_numbers(game, asked.given))], [asked.given]
        played = [f for s in asked.scenarios for f in scenario_formulas(s)]
        _, counted = step_needs([asked.formula, asked.where, asked.then, asked.before, asked.at, *played])
        for subject in sorted(counted):
            _count(problem, subject, 1 if just_now else counted_to, just_now)
    return problem


def scenario_formulas(s: Staged) -> list[Expr]:
    """Every formula of a scenario."""
    lines = [*s.lines, *s.legal, *(line for line, _ in s.illegal)]
    return [*(f for line in lines for f in (*line.then, *([line.condition] if line.condition else []))), *s.then]


def _count(problem: Problem, subject: str, most: int, just_now: bool) -> None:
    """Add a counter of how often an action or clause has happened; it stays at its last number."""
    model, t = problem.model, problem.terms
    number = len(model.slots)
    model.slots.append(Slot(f"times({subject})", (), 0, most, False))
    problem.counters[subject] = number
    model.starts = [(*s, 0) for s in model.starts]
    now = model.var(number)
    up = t.ite(t.lt(now, t.const(most)), t.add(now, t.const(1)), now)
    changed: list[Move] = []
    for m in model.moves:
        happened = t.true if m.action == subject else m.fired.get(subject, t.false)
        new = t.ite(happened, t.const(1) if just_now else up, t.const(0) if just_now else now)
        changed.append(replace(m, updates={**m.updates, number: new}) if new is not now else m)
    model.moves = changed
