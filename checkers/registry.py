"""Who answers which kind of question, in order. A new checker is one line here, its form in `spec/questions.py`, one file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tablelaw.checkers import clarify, compare, layouts, plays
from tablelaw.checkers.posed import Posed
from tablelaw.solver.engine import Engines
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.load import Rules
from tablelaw.spec.questions import Asked

OfRules = Callable[[Rules, Posed, Asked, Budget], Verdict | None]
"""Answers a question that takes several games of one rules file."""


@dataclass(frozen=True, slots=True)
class Checker:
    """Answers questions of some kinds."""

    kinds: tuple[str, ...]
    ask: Callable[[Engines, Asked, Budget], Verdict]
    of_rules: OfRules | None = None
    """Instead of `ask`, where it takes other games of the same rules."""


def by_engines(engines: Engines, asked: Asked, budget: Budget) -> Verdict:
    """Questions that the engines answer as they are."""
    return engines.ask(asked, budget)


def counted(engines: Engines, asked: Asked, budget: Budget) -> Verdict:
    """Layouts are counted without a play, all else by the engines."""
    return layouts.layouts(engines, asked, budget) if asked.what == "layouts" else engines.ask(asked, budget)


def of_chance(engines: Engines, asked: Asked, budget: Budget) -> Verdict:
    """Exact probabilities and expectations."""
    return engines.figure(asked, budget)


def ending(engines: Engines, asked: Asked, budget: Budget) -> Verdict:
    """That a play ends: always, or with probability one."""
    return engines.figure(asked, budget) if asked.what == "almost-surely" else engines.ask(asked, budget)


CHECKERS: tuple[Checker, ...] = (
    Checker(("always", "never", "in-range"), by_engines),
    Checker(("reach",), by_engines),
    Checker(("progress",), by_engines),
    Checker(("terminates",), ending),
    Checker(("always-after",), by_engines),
    Checker(("odds", "expected"), of_chance),
    Checker(("force",), by_engines),
    Checker(("largest", "smallest"), by_engines),
    Checker(("count",), counted),
    Checker(("some-layout", "every-layout"), layouts.layouts),
    Checker(("possible",), plays.possible),
    Checker(("scenario",), plays.scenario),
    Checker(("same",), by_engines, compare.same),
    Checker(("clarifies",), by_engines, clarify.clarifies),
)


def checker(kind: str) -> Checker:
    """The checker of a kind."""
    return next(c for c in CHECKERS if kind in c.kinds)
