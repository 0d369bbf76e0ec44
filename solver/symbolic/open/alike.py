"""What a further check forbids, and whether two games with the same variables are one: clause by clause, then by z3."""

from __future__ import annotations

from tablelaw.solver import evaluate
from tablelaw.solver.effort import within
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.symbolic.open.claims import Prover
from tablelaw.solver.symbolic.open.effects import position
from tablelaw.solver.symbolic.open.formulas import Here, Reader
from tablelaw.solver.symbolic.open.invariants import Invariants
from tablelaw.solver.symbolic.open.values import both, either
from tablelaw.spec.core import Binder, Effect, Expr, Fire
from tablelaw.spec.game import Action, Check, Game

FIRST = 4.0
"""Seconds without lemmas."""


def implied(known: Invariants, action_id: str, check: Check | Expr, budget: Budget) -> bool:
    """Do the legal moves of an action pass a further check?"""
    action = known.game.action(action_id)
    if action is None:
        return False
    goal = (check.formula, *check.lifted) if isinstance(check, Check) else (check,)
    if any(g == c.formula for g in goal for c in action.checks if not c.lifted):
        return True
    return _passes(known.prover, action, goal, [], within(budget, FIRST)) or _passes(
        known.prover, action, goal, known.proved(budget), budget
    )


def _passes(p: Prover, action: Action, goal: tuple[Expr, ...], lemmas: list[Expr], budget: Budget) -> bool:
    r = p.reader()
    state, known = position(r, "at")
    here = Here(state)
    known += [r.truth(x, here) for x in lemmas]
    names, legal = p.legal(action, r, here)
    there = here.bind(names)
    known += [*legal, *(p.passed(c, r, there) for c in action.checks)]
    return p.follows(r, known, either([r.truth(g, there) for g in goal]), budget)


def equivalent(left: Game, right: Game, budget: Budget) -> bool:
    """Are two games one, as far as their trees or z3 tell?"""
    kept = [(g.players, [(v.name, v.type) for v in g.variables]) for g in (left, right)]
    if kept[0] != kept[1]:
        return False
    if left.left_open or right.left_open or set(evaluate.starts(left)) != set(evaluate.starts(right)):
        return False
    if [(e.when, e.winners) for e in left.ends] != [(e.when, e.winners) for e in right.ends]:
        return False
    mine, theirs = {a.name: a for a in left.actions}, {a.name: a for a in right.actions}
    if set(mine) != set(theirs):
        return False
    return all(_same_action(left, right, mine[n], theirs[n], budget) for n in mine)


def _same_action(left: Game, right: Game, a: Action, b: Action, budget: Budget) -> bool:
    if (a.by, _binders(a.params), a.draws, _plain(a.effects)) != (b.by, _binders(b.params), b.draws, _plain(b.effects)):
        return False
    if a.during == b.during and _checks(a) == _checks(b):
        return True
    return _follows(left, a, b, budget) and _follows(right, b, a, budget)


def _binders(params: tuple[Binder, ...]) -> list[object]:
    return [(b.name, b.domain, b.type, b.tests) for b in params]


def _checks(a: Action) -> list[object]:
    return [(c.formula, c.lifted) for c in a.checks]


def _plain(effects: tuple[Effect, ...]) -> list[object]:
    """Effects without the names of clauses that always take effect."""
    found: list[object] = []
    for e in effects:
        if isinstance(e, Fire) and e.when is None:
            found += _plain(e.body)
        elif isinstance(e, Fire):
            found.append((e.when, tuple(_plain(e.body))))
        else:
            found.append(e)
    return found


def _follows(game: Game, a: Action, b: Action, budget: Budget) -> bool:
    """Is every legal move of the one, in its game, a legal move of the other?"""
    p = Prover(game)
    r = Reader(game)
    state, known = position(r, "at")
    here = Here(state)
    names, legal = p.legal(a, r, here)
    there = here.bind(names)
    known += [*legal, *(p.passed(c, r, there) for c in a.checks)]
    goal = [p.passed(c, r, there) for c in b.checks]
    if b.during is not None:
        goal.append(r.truth(b.during, here))
    return p.follows(r, known, both(goal), budget)
