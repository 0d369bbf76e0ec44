"""Answers to questions over all layouts: made one by one, and where these are too many found by z3."""

from __future__ import annotations

from tablelaw.solver import evaluate
from tablelaw.solver.layout.census import Census, Faulty, Uneven, bound_text
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.trace import Step, Trace
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.core import Expr, Op
from tablelaw.spec.game import Game
from tablelaw.spec.layouts import Layout
from tablelaw.spec.questions import Asked
from tablelaw.spec.types import BOOL, LayoutType

FIRST_SECONDS = 5.0
"""How long layouts are made one by one before z3 is asked."""


def answer(game: Game, engine: str, asked: Asked, budget: Budget) -> Verdict:
    """The verdict on a question over all layouts, by search, z3 or (`auto`) both; raises `OutOfBudget`."""
    kind = next(v.type for v in game.variables if v.name == asked.of)
    assert isinstance(kind, LayoutType)
    census = Census(asked.of, kind, game.players, budget)
    try:
        found = _ask(game, engine, census, asked, budget)
    except Faulty as fault:
        found = Verdict("unknown", reason=f"the formula has no value for the layout below: {fault.message}", engine="explicit")
        found.trace = shown(game, asked.of, fault.layout)
    except Uneven as uneven:
        ways = " or ".join(w for s, w in (("rotation", "turned"), ("reflection", "mirrored")) if s in asked.up_to)
        reason = f"`where` is true of the layout below and not of the same layout {ways}, so `up_to` may not join them"
        found = Verdict("unknown", reason=reason, engine="explicit")
        found.trace = shown(game, asked.of, uneven.layout)
    found.bound, found.states = bound_text(asked.sizes), census.looked
    if found.trace is None and found.engine == "explicit":
        found.notes += census.notes
    return found


def _ask(game: Game, engine: str, census: Census, asked: Asked, budget: Budget) -> Verdict:
    if asked.kind == "count":
        number = census.count(asked.where, asked.sizes, "rotation" in asked.up_to, "reflection" in asked.up_to)
        return Verdict("value", "exhausted", value=str(number), engine="explicit")
    assert asked.formula is not None
    if asked.kind == "some-layout":
        formula, wanted = _both(asked.where, asked.formula), True
    else:
        formula, wanted = _either(asked.where, asked.formula), False
    layout, by = _searched(game, engine, census, asked, formula, wanted, budget)
    verdict = "holds" if (layout is not None) == wanted else "fails"
    known = "exhausted" if by == "explicit" else "proved"
    return Verdict(verdict, known, trace=None if layout is None else shown(game, asked.of, layout), engine=by)


def _searched(
    game: Game, engine: str, census: Census, asked: Asked, formula: Expr, wanted: bool, budget: Budget
) -> tuple[Layout | None, str]:
    """A layout of which the formula is as wanted, or None, and who says so. Raises `OutOfBudget`."""

    def one_by_one(part: Budget) -> Layout | None:
        census.budget = part
        return census.some(formula, asked.sizes) if wanted else census.counterexample(formula, asked.sizes)

    if engine == "explicit":
        return one_by_one(budget), "explicit"
    if engine == "symbolic":
        return _by_z3(game, asked, formula, wanted, budget, 0), "symbolic"
    try:
        few = census.makes_few(formula, asked.sizes, wanted)
        return one_by_one(budget.part(budget.left() / 2 if few else FIRST_SECONDS)), "explicit"
    except OutOfBudget:
        budget.check()
    try:
        return _by_z3(game, asked, formula, wanted, budget.part(budget.left() / 2), census.done), "symbolic"
    except OutOfBudget as spent:
        reason = spent.reason
    try:
        return one_by_one(budget), "explicit"
    except OutOfBudget as spent:
        raise OutOfBudget(f"{spent.reason}; z3: {reason}") from None


def _by_z3(game: Game, asked: Asked, formula: Expr, wanted: bool, budget: Budget, done: int) -> Layout | None:
    """The same from z3, for layouts of more than `done` pieces. Raises `OutOfBudget`."""
    from tablelaw.solver.symbolic.layouts import find_layout

    for n in asked.sizes:
        if n <= done:
            continue
        try:
            found = find_layout(game, asked.of, n, formula, wanted, budget)
        except Unlowerable as why:
            raise OutOfBudget(str(why)) from None
        if found.verdict == "found":
            return found.layout
        if found.verdict != "none":
            if found.layout is not None:
                raise Faulty(found.layout, found.reason)
            raise OutOfBudget(found.reason)
    return None


def _either(where: Expr | None, formula: Expr) -> Expr:
    """Where the one holds, the other does."""
    return formula if where is None else Op("or", (Op("not", (where,), type=BOOL), formula), type=BOOL)


def _both(where: Expr | None, formula: Expr) -> Expr:
    return formula if where is None else Op("and", (where, formula), type=BOOL)


def shown(game: Game, of: str, layout: Layout) -> Trace:
    """A layout as a position: all else as at the start."""
    return Trace([Step(evaluate.starts(game)[0].set(of, layout))])
