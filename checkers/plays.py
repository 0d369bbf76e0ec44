"""Scenarios: can a printed example happen, and does a written play go as its author says?"""

from __future__ import annotations

from tablelaw.solver.engine import Engines
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.questions import Asked


def possible(engines: Engines, asked: Asked, budget: Budget) -> Verdict:
    """Does some play from the start fit every scenario named?"""
    found = Verdict("holds", "proved")
    for scenario in asked.scenarios:
        verdict = engines.find_play(asked, scenario, budget)
        if verdict.verdict != "holds":
            if len(asked.scenarios) > 1:
                verdict.reason = f"`{scenario.id}`: {verdict.reason or 'no play fits'}"
            return verdict
        found = verdict
    return found


def scenario(engines: Engines, asked: Asked, budget: Budget) -> Verdict:
    """Does the play of a scenario go as written?"""
    return engines.run_scenario(asked.scenarios[0], budget)
