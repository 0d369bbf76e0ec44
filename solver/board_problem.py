"""Questions about games on boards made ready for the search: formulas on values instead of terms on numbers."""

from __future__ import annotations

from typing import Any

from tablelaw.solver.evaluate import State, starts
from tablelaw.solver.problem import Prop, scenario_formulas
from tablelaw.solver.space.rows import Coded, Rows
from tablelaw.spec import types as ty
from tablelaw.spec.core import Const, Expr, Op
from tablelaw.spec.game import Game
from tablelaw.spec.questions import Asked, step_needs
from tablelaw.spec.types import BOOL, Int


class BoardProblem:
    """A game with a question, and the positions met so far; the face of `problem.Problem` to the search."""

    def __init__(self, game: Game, asked: Asked, spaces: dict[object, Rows], just_now: bool = False) -> None:
        self.game = game
        played = [f for s in asked.scenarios for f in scenario_formulas(s)]
        _, counted = step_needs([asked.formula, asked.where, asked.then, asked.before, asked.at, *played])
        names = tuple(sorted(counted))
        key = (asked.given, names)
        self.space = spaces.get(key) or Rows(game, names, asked.given, just_now)
        spaces[key] = self.space
        self.counters = {n: len(game.variables) + i for i, n in enumerate(names)}
        self.game_slots = len(game.variables)
        self.starts: list[State] = [asked.given] if asked.given is not None else starts(game)

    def prop(self, e: Expr, names: dict[str, Any] | None = None) -> Prop:
        """The formula on positions and steps, and where it has no value."""
        looks, _ = step_needs([e])
        value, fault = self.space.coded(e, names)
        return Prop(value, value, looks, fault, fault)  # type: ignore[arg-type]

    def seats(self, e: Expr) -> dict[int, Coded]:
        """For each player, whether a `who` names them in a state."""
        found: dict[int, Coded] = {}
        for p in range(self.game.players):
            seat = Const(p, type=Int(p, p))
            among = isinstance(e.type, ty.SetOf)
            found[p] = self.space.coded(Op("in" if among else "eq", (seat, e), type=BOOL))[0]
        return found

    def goal(self, e: Expr, who: frozenset[int]) -> Coded:
        """A goal of these players; `who` in it means them."""
        return self.space.coded(e, {"who": who})[0]

    @property
    def end_faults(self) -> list[Coded]:
        """Where an end clause, or who has won, has no value."""
        return self.space.end_faults
