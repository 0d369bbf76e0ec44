"""Positions in which the rules have no value: which formula it is, and how that is told."""

from __future__ import annotations

import json
import shlex

from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import State
from tablelaw.solver.trace import position_json
from tablelaw.spec.core import Expr
from tablelaw.spec.game import Game
from tablelaw.spec.operators import Fault
from tablelaw.spec.reckon import Place, value


def faulty(game: Game, state: State) -> str:
    """Where a position has no value: the clause, or the action, that is met first when the moves are listed."""

    def wrong(e: Expr, here: Place) -> bool:
        try:
            value(e, here)
        except Fault:
            return True
        return False

    here = evaluate.place(game, state)
    for e in game.ends:
        if wrong(e.when, here):
            return f", in the end `{e.id}`"
    for action in game.actions:
        try:
            for _, there in evaluate.open_moves(game, state, action):
                for c in action.checks:
                    if wrong(c.formula, there):
                        return f", in `{c.id}` of the action `{action.name}`"
                    if any(wrong(x, there) for x in c.lifted):
                        return f", in what excepts `{c.id}` of the action `{action.name}`"
        except Fault:
            part = "its `during`" if action.during is not None and wrong(action.during, here) else ""
            part = part or ("its `by`" if action.by is not None and wrong(action.by, here) else "its parameters")
            return f", in the action `{action.name}`: {part}"
    return ""


def no_moves(game: Game, state: State) -> str | None:
    """Why the moves of a position cannot be told; None where they can."""
    try:
        evaluate.moves(game, state)
    except Fault as fault:
        return f"{fault.message}{faulty(game, state)}"
    return None


def without_value(game: Game, state: State, moves: int | None = None, under: str = "") -> str:
    """A position in which the rules have no value, in words, with what leads back to it."""
    where = "in a position" if moves is None else f"after {moves} move{'' if moves == 1 else 's'}"
    at = shlex.quote(json.dumps(position_json(game, state), ensure_ascii=False))
    return f"the rules have no value {where}{under}: {no_moves(game, state)}\n  the position: --at {at}"
