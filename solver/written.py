"""Plays that the author of a rules file wrote down: scenarios from the start of the game, as far as they go in a game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tablelaw.solver import evaluate, plays
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.trace import Trace
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.document import text
from tablelaw.spec.game import Game
from tablelaw.spec.questions import Reader

SECONDS = 3.0
"""For each scenario."""


@dataclass(frozen=True, slots=True)
class Written:
    """The play of a scenario."""

    scenario: str
    trace: Trace

    @property
    def name(self) -> str:
        """For people."""
        return f"the play of scenario `{self.scenario}`"


def written(game: Game, budget: Budget) -> Iterator[Written]:
    """The plays from the start that scenarios tell, in the order of the file, as far as each is a play of this game.

    It does not matter under which options one was written: each step is taken again by the rules of the game.
    """
    found = [s for s in game.document.scenarios.values() if s.node.get("given") is None and s.node.get("play") is not None]
    for scenario in found:
        players = text(scenario.node.get("players"))
        if players and players != str(game.players):
            continue
        quiet = Diagnostics()
        staged = Reader(game, quiet, evaluate.starts(game)[0]).scenario(scenario)
        if staged is None or quiet.has_errors:
            continue
        try:
            trace = plays.run_scenario(game, staged, budget.part(SECONDS)).trace
        except OutOfBudget:
            continue
        if trace is not None:
            steps = trace.steps if trace.steps[-1].fault is None else trace.steps[:-1]
            if len(steps) > 1:
                yield Written(scenario.id, Trace(steps))
