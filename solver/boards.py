"""Questions about games on boards, beyond what a search can list: asked of the projection, shown in the game."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from tablelaw.solver import plays
from tablelaw.solver.boarded import assignments
from tablelaw.solver.evaluate import State, end, moves
from tablelaw.solver.projecting import Projector, name_for, shows
from tablelaw.solver.projection import Projection
from tablelaw.solver.realise import Realiser
from tablelaw.solver.replay import value_along
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.trace import Trace
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.core import Const, Expr
from tablelaw.spec.game import Action, Game
from tablelaw.spec.layouts import Layout
from tablelaw.spec.operators import Fault
from tablelaw.spec.questions import Asked, Staged
from tablelaw.spec.types import LayoutType

if TYPE_CHECKING:
    from tablelaw.solver.engine import Engines
    from tablelaw.solver.symbolic.open_boards import OpenBoards

LAYING = 60.0
"""How many seconds, at least, a play may take to be laid with real pieces."""
NOT_LAID = "such a play was found as long as pieces may do anything, but none was found with real pieces"
KINDS = {"always", "never", "reach", "progress", "terminates", "largest", "smallest"}
LEFT_OPEN = "the board was left open in the proof: it holds whatever lies there"


def shown_by_any_play(asked: Asked) -> bool:
    """Is a play that fits one all that is needed, whichever it is? (A longest or a stuck one is not.)"""
    return asked.kind in ("always", "never", "reach")


def _kept(found: Verdict, projection: Projection, name: str) -> dict[str, object] | None:
    """Evidence about a projection, with its name: whoever looks at it again makes the projection anew."""
    if found.evidence is None:
        return None
    return {"kind": "projected", "projection": name, "game": projection.game, "inner": found.evidence}


class Boards:
    """A game on a board, asked through its projection."""

    def __init__(self, game: Game, make: Callable[[Game], Engines], cores: bool = True) -> None:
        self.game, self.make, self.cores = game, make, cores
        self.projector = Projector(game)
        self._engines: dict[Projection, Engines] = {}
        self._open: OpenBoards | None = None

    @property
    def open(self) -> OpenBoards:
        """Proofs with nothing known of the board."""
        if self._open is None:
            from tablelaw.solver.symbolic.open_boards import OpenBoards

            self._open = OpenBoards(self.game, self.cores)
        return self._open

    def at_once(self, asked: Asked, budget: Budget) -> Verdict | None:
        """The verdict where the rules alone show it in any position, without a search; None where they do not."""
        if self.game.left_open or self.game.origin is not None:
            return None
        return self.open.at_once(asked, budget)

    def by_induction(self, asked: Asked, budget: Budget) -> Verdict | None:
        """The verdict where each step is shown to keep it, whatever lies; None where it is not. Raises `OutOfBudget`."""
        if self.game.left_open or self.game.origin is not None:
            return None
        return self.open.by_induction(asked, budget)

    def projected(self, asked: Asked) -> tuple[Projection, Engines, Asked]:
        """The projection for a question, its engines, and the question about it. Raises `Unlowerable`."""
        projection, about = self.projector.plain(asked)
        if projection not in self._engines:
            self._engines[projection] = self.make(projection.game)
        return projection, self._engines[projection], about

    def ask(self, asked: Asked, budget: Budget) -> Verdict:
        """The verdict; raises `OutOfBudget` and `Unlowerable`."""
        if asked.kind == "in-range":
            return self._in_range(asked, budget)
        if asked.kind not in KINDS:
            raise Unlowerable(f"questions of the kind `{asked.kind}` are not asked with the board left open")
        windowed = self._of_one_edge(asked, budget)
        if windowed is not None:
            return windowed
        projection, engines, about = self.projected(asked)
        found = engines.ask(about, budget)
        found.notes = [n for n in found.notes if "no range is left" not in n]  # said of the projection, not of the game
        found.evidence = _kept(found, projection, name_for(asked)) if shows(asked.kind, found.verdict) else None
        if found.verdict == "unknown":
            found.trace = None
            return found
        if found.trace is None:
            if not shows(asked.kind, found.verdict):
                return Verdict("unknown", reason=found.reason or "no play was shown with the board left open")
            found.notes.append(LEFT_OPEN)
            return found
        trace = self._real(projection, asked, found.trace, budget)
        if trace is None and shown_by_any_play(asked):
            trace = self._with_nothing_laid(projection, asked, about, budget)
        if trace is None:
            return Verdict("unknown", reason=NOT_LAID)
        found.trace = trace
        found.clauses = tuple(dict.fromkeys(c for s in trace.steps[1:] for c in s.clauses))
        return found

    def ends_surely(self, asked: Asked, budget: Budget) -> Verdict:
        """Does every play end almost surely? So it is if it is whatever the board turns out to be; nothing else is told.

        Raises `OutOfBudget` and `Unlowerable`.
        """
        _, engines, about = self.projected(asked)
        found = engines.symbolic.ask(about, budget)
        if found.verdict == "holds":
            found.notes.append(LEFT_OPEN)
        found.evidence = None
        return found

    def _with_nothing_laid(self, projection: Projection, asked: Asked, about: Asked, budget: Budget) -> Trace | None:
        """A play in which nobody acts on the board, so that nothing is unknown of it; None where none is found."""
        layouts = {v.name for v in self.game.variables if isinstance(v.type, LayoutType)}

        def lays(a: Action) -> bool:
            return any(x.name in layouts and not isinstance(x.value, Const) for x in assignments(a.effects))

        kept = {a.name for a in self.game.actions if not lays(a)}
        fewer = replace(projection.game, actions=tuple(a for a in projection.game.actions if a.name in kept))
        try:
            found = self.make(fewer).ask(about, budget.part(budget.left() * 0.5))
        except (OutOfBudget, Unlowerable):
            return None
        return None if found.trace is None else self._real(projection, asked, found.trace, budget)

    def find_play(self, asked: Asked, scenario: Staged, budget: Budget) -> Verdict:
        """A play that fits a printed example, sought with the board left open and then laid with real pieces.

        Raises `OutOfBudget` and `Unlowerable`.
        """
        from tablelaw.solver.symbolic.plays import find_play

        projection, staged = self.projector.scenario(scenario)
        engines = self.make(projection.game)
        found = find_play(engines.symbolic, replace(asked, scenarios=(staged,)), staged, budget)
        if found.verdict == "fails":
            found.notes.append(LEFT_OPEN)
            return found
        if found.trace is None:
            return found

        def fits(play: Trace) -> bool:
            states = [s.state for s in play.steps]
            return plays.find_play(self.game, scenario, Budget(), starts=states[:1], along=states).verdict == "holds"

        trace = self._laid(projection, found.trace, budget, fits, None)
        if trace is None:
            return Verdict("unknown", reason=NOT_LAID)
        states = [s.state for s in trace.steps]
        real = plays.find_play(self.game, scenario, Budget(), starts=states[:1], along=states)
        real.notes, real.states = found.notes, None
        return real

    def _in_range(self, asked: Asked, budget: Budget) -> Verdict:
        """No range is left in the projection, and no formula about the board can be without a value by its own text."""
        projection = self.projector.of_ranges()
        found = self.make(projection.game).ask(asked, budget)
        if found.verdict != "holds":
            return Verdict("unknown", reason="it was not proved of every board at once")
        found.evidence = _kept(found, projection, name_for(asked))
        found.notes.append(LEFT_OPEN)
        return found

    def _of_one_edge(self, asked: Asked, budget: Budget) -> Verdict | None:
        """A claim about all edges or squares of the board, asked of one; None where it is no such claim or is not proved."""
        try:
            edge = self.projector.of_one_edge(asked)
            if edge is None:
                return None
            projection, about = edge
            found = self.make(projection.game).ask(about, budget)
        except Unlowerable:
            return None
        if found.verdict != "holds":
            return None
        found.evidence = _kept(found, projection, "window")
        found.notes.append("it was proved of one side of one square, with all else on the board left open")
        return found

    def _real(self, projection: Projection, asked: Asked, trace: Trace, budget: Budget) -> Trace | None:
        """The play with real pieces; None where none is found."""

        def wanted(play: Trace) -> bool:
            if asked.kind == "progress":
                return self._stuck(play.steps[-1].state)
            if asked.formula is None or asked.kind == "terminates":
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

        return self._laid(projection, trace, budget, wanted, self._start(projection, asked))

    def _laid(
        self, projection: Projection, trace: Trace, budget: Budget, wanted: Callable[[Trace], bool], start: State | None
    ) -> Trace | None:
        try:
            share = max(LAYING, budget.left() * 0.4)
            return Realiser(projection, trace, self.finder(budget.part(share)), budget.part(share), wanted).play(start)
        except (OutOfBudget, Unlowerable):
            return None

    def _stuck(self, state: State) -> bool:
        """Has nobody a move there, though the play is not over?"""
        try:
            return end(self.game, state) is None and not moves(self.game, state)
        except Fault:
            return False

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
