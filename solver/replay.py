"""Formulas of questions along a play, by the reference evaluator: what `old`, `actor` and `times` mean."""

from __future__ import annotations

from dataclasses import replace

from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import State
from tablelaw.solver.trace import Trace, first_step, take
from tablelaw.spec.core import Expr
from tablelaw.spec.game import Game
from tablelaw.spec.reckon import Place, value
from tablelaw.spec.values import Value


def place_along(game: Game, trace: Trace, at: int) -> Place:
    """Where a formula is read after step `at` of a play."""
    step = trace.steps[at]
    happened: dict[str, int] = {}
    earlier: dict[str, int] = {}
    for s in trace.steps[1 : at + 1]:
        earlier = dict(happened)
        for name in {*(s.clauses), *([s.move.action] if s.move else [])}:
            happened[name] = happened.get(name, 0) + 1
    here = evaluate.place(game, step.state)
    before = None
    if at:
        before = replace(evaluate.place(game, trace.steps[at - 1].state), times=lambda subject: earlier.get(subject, 0))
    actor = step.move.actor if step.move is not None else None
    return Place(
        step.state,
        game.players,
        {**here.names, "actor": actor},
        before,
        here.ended,
        here.winners,
        lambda subject: happened.get(subject, 0),
    )


def value_along(game: Game, trace: Trace, e: Expr, at: int | None = None) -> Value:
    """The value of a question's formula at the end of a play (or after one of its steps)."""
    return value(e, place_along(game, trace, len(trace.steps) - 1 if at is None else at))


def number_along(game: Game, trace: Trace, e: Expr) -> int:
    """The same, for a number."""
    return int(value_along(game, trace, e))


def retaken(game: Game, start: State, trace: Trace) -> Trace | None:
    """The same moves and draws under the rules of this game; None where one of them cannot be."""
    again = Trace([first_step(start, game)])
    for step in trace.steps[1:]:
        state = again.steps[-1].state
        if step.move is None or step.move not in evaluate.moves(game, state):
            return None
        if step.drawn not in evaluate.sound_draws(game, state, step.move):
            return None
        taken = take(game, state, step.move, step.drawn)
        if taken.fault is not None:
            return None
        again.steps.append(taken)
    return again
