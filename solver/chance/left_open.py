"""Figures of games on boards too large to be listed: told by two games with the board left open, where they agree."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tablelaw.solver.boarded import assignments
from tablelaw.solver.chance.exact import Sense
from tablelaw.solver.chance.figures import none
from tablelaw.solver.chance.graph import Refused
from tablelaw.solver.chance.ready import Ready
from tablelaw.solver.projection import Projection
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.translator import SOMEWHERE, variables_read
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.core import Const, Expr
from tablelaw.spec.game import Action, Game
from tablelaw.spec.questions import Asked

NAME = "chance"
LEFT_OPEN = "it was told with the board left open, which is not kept"
Solve = Callable[[Ready, Asked, Sense, Budget], Verdict]


class LeftOpen:
    """Questions of chance about a game whose board is left open; `solve` tells the figure of a game made ready."""

    def __init__(self, game: Game, solve: Solve) -> None:
        self.game, self.solve = game, solve

    def ask(self, asked: Asked, sense: Sense, budget: Budget) -> Verdict:
        """With the board left open, where it makes no difference: told by two games that hold the real one between them.

        In the one nobody acts on the board at all; in the other anybody may whenever they like, whatever comes of it, and
        what ends the play by way of it ends it no more. When both give one figure it is that of the game.
        """
        formulas = tuple(f for f in (asked.formula, asked.before, asked.at) if f is not None and not isinstance(f, Const))
        projection = Projection(self.game, formulas)
        said = {id(f): projection.formula(f) for f in formulas}
        if any(x is None for x in said.values()):
            raise Refused("the question asks more of the board than can be left open")
        given = None if asked.given is None else projection.state(asked.given)
        about = replace(
            asked, given=given, formula=_said(asked.formula, said), before=_said(asked.before, said), at=_said(asked.at, said)
        )
        unsure = {a.name for a in projection.game.actions if _unsure(a)}
        tables = [a.name for a in projection.game.actions if a.name in unsure and a.by is None]
        if tables or asked.kind != "odds":
            raise Refused("so large a board matters to the question")
        without = replace(projection.game, actions=tuple(a for a in projection.game.actions if a.name not in unsure))
        least = self.solve(Ready(without, about), about, sense, budget)
        if not unsure or (isinstance(asked.play, tuple) and self._never_open(projection.game, unsure)):
            least.notes.append("the board makes no difference to it and was left open")
            least.evidence = none(LEFT_OPEN)
            return least
        if asked.play != "best" or least.value is None:
            raise Refused("so large a board may matter to the question")
        if any("*" in variables_read(f) for f in formulas):  # without those ends its own end may not come
            raise Refused("so large a board may matter to how the play ends, which the question asks for")
        freed = _without_ends(projection.game, self._touched(projection.game, unsure))
        chain_sense: set[int] = set()

        def one_side(actor: int) -> int:
            chain_sense.add(sense(actor))
            return sense(actor)

        most = self.solve(Ready(freed, about), about, one_side, budget)
        if -1 in chain_sense:
            raise Refused("so large a board may matter to what the others do")
        if most.value != least.value:
            assert least.value is not None
            if most.value is None:
                return Verdict("unknown", reason="no exact figure was found with the board left open", engine=NAME)
            verdict = Verdict("value", "exhausted", engine=NAME, notes=["the board was left open: bounds that hold"])
            verdict.interval = (least.value, most.value)
            verdict.evidence = none(LEFT_OPEN)
            return verdict
        most.evidence = none(LEFT_OPEN)
        most.notes.append("the figure is the same whether nobody acts on the board or anybody does as they like")
        return most

    def _never_open(self, game: Game, names: set[str]) -> bool:
        """Do the checks plainly refuse these actions?"""
        return all(
            any(isinstance(c.formula, Const) and c.formula.value is False and not c.lifted for c in a.checks)
            for a in game.actions
            if a.name in names
        )

    def _touched(self, game: Game, names: set[str]) -> frozenset[str]:
        """The variables whose values may come of what is left open."""
        touched = {a.name for action in game.actions if action.name in names for a in assignments(action.effects)}
        touched |= {v.name for v in game.variables if v.name.startswith("unknown(")}
        grown = True
        while grown:
            grown = False
            for action in game.actions:
                for a in assignments(action.effects):
                    if a.name not in touched and variables_read(a.value) & touched and a.name in self._scores(game):
                        touched.add(a.name)
                        grown = True
        return frozenset(touched)

    def _scores(self, game: Game) -> frozenset[str]:
        """Variables that only ends read: what is added up for a win."""
        read: frozenset[str] = frozenset()
        for action in game.actions:
            parts = [*([action.during] if action.during is not None else []), *(c.formula for c in action.checks)]
            parts += [x for d in action.draws for x in d.args]
            read = read.union(*(variables_read(x) for x in parts))
        return frozenset(v.name for v in game.variables) - read


def _said(e: Expr | None, said: dict[int, Expr | None]) -> Expr | None:
    return e if e is None else said.get(id(e), e)


def _unsure(a: Action) -> bool:
    """Does an action of a projection choose or draw what it does not know?"""
    names = [*(b.name for b in a.params), *(d.name for d in a.draws)]
    return any(n.startswith(("unknown(", "place(")) for n in names) or any(b.type == SOMEWHERE for b in a.params)


def _without_ends(game: Game, touched: frozenset[str]) -> Game:
    """The game without the ends that read these variables."""
    return replace(game, ends=tuple(e for e in game.ends if not variables_read(e.when) & touched))
