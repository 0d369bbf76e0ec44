"""Questions about games on boards, beyond what a search can list: asked of the projection, shown in the game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tablelaw.solver.evaluate import State
from tablelaw.solver.projection import Projection
from tablelaw.solver.realise import Realiser
from tablelaw.solver.replay import value_along
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.trace import Trace
from tablelaw.solver.verdict import Verdict
from tablelaw.solver.window import Window, claim_of
from tablelaw.spec.core import Const, Expr
from tablelaw.spec.game import Game
from tablelaw.spec.layouts import Layout
from tablelaw.spec.operators import Fault
from tablelaw.spec.questions import Asked

if TYPE_CHECKING:
    from tablelaw.solver.engine import Engines

KINDS = {"always", "never", "reach", "progress", "terminates", "largest", "smallest"}
LEFT_OPEN = "the board was left open in the proof: it holds whatever lies there"
SOUND = {"always": "holds", "never": "holds", "reach": "fails", "progress": "holds", "terminates": "holds"}
"""What is true of the game when the projection answers so."""


class Boards:
    """A game on a board, asked through its projection."""

    def __init__(self, game: Game, make: Callable[[Game], Engines]) -> None:
        self.game, self.make = game, make
        self._kept: dict[object, tuple[Projection, Engines]] = {}

    def projected(self, asked: Asked) -> tuple[Projection, Engines, Asked]:
        """The projection for a question, its engines, and the question about it. Raises `Unlowerable`."""
        formulas = tuple(
            f for f in (asked.formula, asked.then, asked.where, asked.measure) if f is not None and not isinstance(f, Const)
        )
        progress = asked.kind == "progress"
        base = self._kept.get(progress)
        if base is None:
            base = self._keep(progress, Projection(self.game, (), progress))
        projection, engines = base
        before = len(projection.oracles)
        texts = [projection.formula(f) for f in formulas]
        if len(projection.oracles) > before:  # the question reads more of the board than the rules do
            del self._kept[progress]
            projection, engines = self._keep((progress, formulas), Projection(self.game, formulas, progress))
            texts = [projection.formula(f) for f in formulas]
        if any(x is None for x in texts):
            raise Unlowerable("the question asks more of the board than can be left open")
        said = dict(zip(map(id, formulas), texts, strict=True))

        def of(f: Expr | None) -> Expr | None:
            return f if f is None else said.get(id(f), f)

        given = None if asked.given is None else projection.state(asked.given)
        changed: dict[str, Any] = {"formula": of(asked.formula), "then": of(asked.then), "where": of(asked.where)}
        return projection, engines, replace(asked, measure=of(asked.measure), given=given, **changed)

    def _keep(self, key: object, projection: Projection) -> tuple[Projection, Engines]:
        self._kept[key] = projection, self.make(projection.game)
        return self._kept[key]

    def ask(self, asked: Asked, budget: Budget) -> Verdict:
        """The verdict; raises `OutOfBudget` and `Unlowerable`."""
        if asked.kind not in KINDS:
            raise Unlowerable(f"questions of the kind `{asked.kind}` are not asked with the board left open")
        windowed = self._of_one_edge(asked, budget)
        if windowed is not None:
            return windowed
        projection, engines, about = self.projected(asked)
        found = engines.ask(about, budget)
        found.evidence = None
        if found.verdict == "unknown":
            return found
        if found.trace is None:
            if found.verdict != SOUND.get(asked.kind):
                return Verdict("unknown", reason=found.reason or "no play was shown with the board left open")
            found.notes.append(LEFT_OPEN)
            return found
        trace = self._real(projection, asked, found.trace, budget)
        if trace is None:
            reason = "with the board left open there is such a play, but none with real pieces was found beside it"
            return Verdict("unknown", reason=reason)
        found.trace = trace
        found.clauses = tuple(dict.fromkeys(c for s in trace.steps[1:] for c in s.clauses))
        return found

    def _of_one_edge(self, asked: Asked, budget: Budget) -> Verdict | None:
        """A claim about all edges or squares of the board, asked of one; None where it is no such claim or is not proved."""
        claim = claim_of(asked.formula) if asked.kind == "always" and asked.formula is not None else None
        if claim is None or asked.given is not None:
            return None
        try:
            projection = Projection(self.game, (), window=Window(claim))
            formula = projection.of_window(claim)
            if formula is None:
                return None
            found = self.make(projection.game).ask(replace(asked, formula=formula), budget)
        except Unlowerable:
            return None
        if found.verdict != "holds":
            return None
        found.evidence = None
        found.notes.append("it was proved of one side of one square, with all else on the board left open")
        return found

    def _real(self, projection: Projection, asked: Asked, trace: Trace, budget: Budget) -> Trace | None:
        """The play with real pieces; None where none is found."""

        def wanted(play: Trace) -> bool:
            if asked.formula is None or asked.kind in ("progress", "terminates"):
                return True
            try:
                found = value_along(self.game, play, asked.formula)
                if asked.where is not None and not value_along(self.game, play, asked.where):
                    return False
            except Fault:
                return False
            if asked.kind in ("largest", "smallest"):
                return bool(found == value_along(projection.game, trace, self._said(projection, asked.formula)))
            return bool(found) == (asked.kind != "always")

        try:
            return Realiser(projection, trace, self.finder(budget.part(60.0)), budget.part(60.0), wanted).play(
                self._start(projection, asked)
            )
        except OutOfBudget:
            return None

    def _said(self, projection: Projection, e: Expr) -> Expr:
        found = projection.formula(e)
        assert found is not None
        return found

    def _start(self, projection: Projection, asked: Asked) -> State | None:
        return asked.given

    def finder(self, budget: Budget) -> Callable[[str, int, Expr], Layout | None]:
        """Looks for connected layouts, by z3."""

        def find(of: str, size: int, formula: Expr) -> Layout | None:
            from tablelaw.solver.symbolic.layouts import find_layout

            found = find_layout(self.game, of, size, formula, True, budget)
            return found.layout if found.verdict == "found" else None

        return find
