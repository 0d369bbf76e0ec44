"""Which projection of a game a question is asked of, and the question about it: translation alone, no engine.

Who asks (`boards.py`) and who re-checks the answer (`checkers/evidence.py`) make it here, each from the rules, so that the
projection itself is never part of what is kept as evidence, only its name.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tablelaw.solver.board_faults import Review
from tablelaw.solver.projection import Projection
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.translator import Translator, boardish
from tablelaw.solver.window import Window, claim_of
from tablelaw.spec.core import Const, Expr
from tablelaw.spec.game import Game
from tablelaw.spec.questions import Asked, Line, Staged
from tablelaw.spec.types import Maybe, Type

NAMES = ("plain", "progress", "in-range", "window")
SOUND = {"always": "holds", "never": "holds", "reach": "fails", "progress": "holds", "terminates": "holds", "in-range": "holds"}
"""What is true of the game when the projection answers so."""


def shows(kind: str, verdict: str) -> bool:
    """Is this verdict on the projection one on the game?"""
    return SOUND.get(kind) == verdict


def name_for(asked: Asked) -> str:
    """The name of the projection that a question is asked of, where it is not asked of one edge."""
    return asked.kind if asked.kind in ("progress", "in-range") else "plain"


class Projector:
    """The projections of one game, kept so that questions share them."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._kept: dict[object, Projection] = {}

    def named(self, name: str, asked: Asked) -> tuple[Game, Asked]:
        """The projected game and the question about it. Raises `Unlowerable` where there is no such projection."""
        if name == "window":
            found = self.of_one_edge(asked)
            if found is None:
                raise Unlowerable("the question is no claim about every edge or square of a board")
            return found[0].game, found[1]
        if name != name_for(asked):
            raise Unlowerable(f"`{asked.kind}` is not asked of the projection `{name}`")
        if name == "in-range":
            return self.of_ranges().game, asked
        projection, about = self.plain(asked)
        return projection.game, about

    def plain(self, asked: Asked) -> tuple[Projection, Asked]:
        """The projection for a question, and the question about it. Raises `Unlowerable`."""
        formulas = tuple(
            f for f in (asked.formula, asked.then, asked.where, asked.measure) if f is not None and not isinstance(f, Const)
        )
        progress = asked.kind == "progress"
        projection = self._kept.get(progress)
        if projection is None:
            projection = self._kept[progress] = Projection(self.game, (), progress)
        before = projection.unknowns
        texts = [projection.formula(f) for f in formulas]
        if projection.unknowns > before:  # the question reads more of the board than the rules do
            del self._kept[progress]
            projection = self._kept.get((progress, formulas)) or Projection(self.game, formulas, progress)
            self._kept[progress, formulas] = projection
            texts = [projection.formula(f) for f in formulas]
        if any(x is None for x in texts):
            raise Unlowerable("the question asks more of the board than can be left open")
        said = dict(zip(map(id, formulas), texts, strict=True))

        def of(f: Expr | None) -> Expr | None:
            return f if f is None else said.get(id(f), f)

        given = None if asked.given is None else projection.state(asked.given)
        changed: dict[str, Any] = {"formula": of(asked.formula), "then": of(asked.then), "where": of(asked.where)}
        return projection, replace(asked, measure=of(asked.measure), given=given, **changed)

    def scenario(self, s: Staged) -> tuple[Projection, Staged]:
        """The projection for a printed example, and what is left of it there: every play that fits it fits that too."""
        checks = [*s.then, *(f for line in s.lines for f in line.then)]
        formulas = tuple(f for f in checks if not isinstance(f, Const))
        key = ("scenario", formulas)
        projection = self._kept.get(key)
        if projection is None:
            projection = self._kept[key] = Projection(self.game, formulas)
        said = {id(f): projection.formula(f) for f in checks}

        def kept(found: tuple[Expr, ...]) -> tuple[Expr, ...]:
            return tuple(x for f in found if (x := said[id(f)]) is not None)

        lines = tuple(replace(self._line(line, projection), then=kept(line.then)) for line in s.lines)
        lines = tuple(x for x in lines if x.action is not None or x.then or x.anything)
        given = None if s.given is None else projection.state(s.given)
        named = frozenset(n for n in s.named if not boardish(self._kind(n)))
        return projection, replace(s, given=given, named=named, lines=lines, then=kept(s.then), legal=(), illegal=())

    def _kind(self, name: str) -> Type:
        return next(v.type for v in self.game.variables if v.name == name)

    def _line(self, line: Line, projection: Projection) -> Line:
        """A line of a play without its squares; a condition on the draw that reads the board is left out."""
        action = None if line.action is None else self.game.action(line.action)
        if action is None:
            return line
        kinds = {b.name: b.type for b in action.params}
        mine = projection.game.action(action.name)
        left = {b.name for b in mine.params} if mine is not None else set()
        args = tuple((n, v) for n, v in line.args if not boardish(kinds[n]) and n in left)
        condition = line.condition
        if condition is not None:
            names: dict[str, Type | None] = {n: None if boardish(k) else k for n, k in kinds.items()}
            names |= {d.name: d.type for d in action.draws}
            names["actor"] = Maybe(self.game.names.player)
            condition = Translator(projection.kinds, lambda _: None, names).expr(condition)
        return replace(line, args=args, condition=condition)

    def of_ranges(self) -> Projection:
        """The projection that is asked for steps with a fault. Raises `Unlowerable` where the board itself may make some."""
        review = Review(self.game).look()
        if review.clauses:
            names = ", ".join(f"`{c}`" for c in review.clauses[:4])
            raise Unlowerable(f"whether formulas about the board always have a value is not plain in {names}")
        return Projection(self.game, on_empty=tuple(review.on_empty))

    def of_one_edge(self, asked: Asked) -> tuple[Projection, Asked] | None:
        """The window for a claim about all edges or squares, and the claim about it; None where it is no such claim."""
        claim = claim_of(asked.formula) if asked.kind == "always" and asked.formula is not None else None
        if claim is None or asked.given is not None:
            return None
        projection = Projection(self.game, (), window=Window(claim))
        formula = projection.of_window(claim)
        return None if formula is None else (projection, replace(asked, formula=formula))
