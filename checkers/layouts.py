"""Questions over all connected layouts of a size, reachable or not: `some-layout`, `every-layout`, `count: layouts`."""

from __future__ import annotations

import time

from tablelaw.solver.engine import Engines
from tablelaw.solver.layout.answer import answer
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.questions import Asked


def layouts(engines: Engines, asked: Asked, budget: Budget) -> Verdict:
    """The verdict on a question over all layouts; raises `OutOfBudget`."""
    began = time.monotonic()
    verdict = answer(engines.game, engines.engine, asked, budget)
    verdict.seconds = time.monotonic() - began
    return verdict
