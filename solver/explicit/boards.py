"""Questions about games on boards made ready for the search: formulas on values instead of terms on numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tablelaw.solver.evaluate import State, starts
from tablelaw.solver.problem import Prop, scenario_formulas
from tablelaw.solver.space.rows import Coded, Rows
from tablelaw.spec import types as ty
from tablelaw.spec.core import Assign, Bind, Branch, Call, Const, Effect, Expr, Fire, Loop, Op, Var
from tablelaw.spec.game import Game
from tablelaw.spec.questions import Asked, step_needs
from tablelaw.spec.types import BOOL, Int, LayoutType, MapOf, Maybe, Record, Type


def has_board(game: Game) -> bool:
    """Does a position of the game hold a layout?"""
    return any(_board(v.type) for v in game.variables)


def _board(kind: Type) -> bool:
    match kind:
        case LayoutType():
            return True
        case MapOf(_, inner) | Maybe(inner):
            return _board(inner)
        case Record(_, fields):
            return any(_board(f) for _, f in fields)
    return False


def never_falls(game: Game, e: Expr) -> bool:
    """Is it plain that no step lowers the number: is it how many pieces lie, and are pieces only ever laid?"""
    if not (isinstance(e, Call) and e.name == "size" and isinstance(e.args[0], Var) and isinstance(e.args[0].type, LayoutType)):
        return False
    table = e.args[0].name
    return all(_laid(x, table) for a in game.actions for x in assignments(a.effects))


def _laid(e: Assign, table: str) -> bool:
    if e.name != table:
        return True
    new = e.value
    return (
        not e.path
        and isinstance(new, Call)
        and new.name == "place"
        and isinstance(new.args[0], Var)
        and new.args[0].name == table
    )


def assignments(effects: tuple[Effect, ...]) -> Iterator[Assign]:
    """Every assignment of some effects."""
    for e in effects:
        match e:
            case Assign():
                yield e
            case Branch(_, yes, no):
                yield from assignments((*yes, *no))
            case Loop(_, _, _, body) | Fire(_, _, body) | Bind(_, _, body):
                yield from assignments(body)


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
