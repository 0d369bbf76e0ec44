"""Formulas worth trying as invariants of a game: what its own questions claim of positions, and simple bounds."""

from __future__ import annotations

from collections.abc import Iterator

from tablelaw.solver import evaluate
from tablelaw.solver.ir import Term, walk
from tablelaw.solver.problem import Problem
from tablelaw.spec.core import Expr
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.questions import Reader, step_needs
from tablelaw.spec.settings import LeftOpen, holds
from tablelaw.spec.types import Enum


def asked_of_positions(game: Game) -> Iterator[tuple[str, Expr]]:
    """The `always` and `never` questions of the game that look at no step before: which of the two, and the formula."""
    quiet = Diagnostics()
    read = game.origin or game
    reader = Reader(read, quiet, evaluate.starts(read)[0])
    for q in game.document.questions.values():
        if q.kind not in ("always", "never") or q.node.get("given") is not None:
            continue
        try:
            if not all(holds(o, game.names, game.document, quiet) for o in q.only):
                continue
        except LeftOpen:
            continue
        asked = reader.question(q)
        if asked is not None and asked.formula is not None and not step_needs([asked.formula])[0]:
            yield q.kind, asked.formula


def claims(game: Game, problem: Problem) -> list[Term]:
    """What is claimed of positions alone, split into its parts."""
    t = problem.terms
    found: list[Term] = []
    for kind, formula in asked_of_positions(game):
        claimed = formula if game.said is None else game.said(formula)
        if claimed is None or step_needs([formula])[1]:
            continue
        prop = problem.prop(claimed)
        claim = prop.start if kind == "always" else t.no(prop.start)
        found += claim.args if claim.op == "and" else [claim]
    found += [problem.prop(h).start for h in game.hints]
    found += _small_links(problem)
    found += _phases(problem)
    return found


def _phases(problem: Problem) -> list[Term]:
    """In each phase (value of a variable of few names) every variable that is still at its start."""
    model, t = problem.model, problem.terms
    if len(model.slots) > 60:
        return []
    few = {v.name for v in problem.game.variables if isinstance(v.type, Enum) and len(v.type.values) <= 8}
    start = model.starts[0]
    found: list[Term] = []
    for i, s in enumerate(model.slots[: problem.game_slots]):
        if s.name not in few or s.path:
            continue
        for value in range(s.lo, s.hi + 1):
            here = t.eq(model.var(i), t.const(value))
            for j, other in enumerate(model.slots[: problem.game_slots]):
                if i != j:
                    found.append(t.any((t.no(here), t.eq(model.var(j), t.const(start[j], other.truth)))))
    return found


def _small_links(problem: Problem) -> list[Term]:
    """Each variable that is at its start whenever another is: `over` is false while nobody has rolled, and so on."""
    model, t = problem.model, problem.terms
    if len(model.slots) > 60:
        return []
    start = model.starts[0]
    fixed = {i for i in range(len(start)) if all(row[i] == start[i] for row in model.starts)}
    found: list[Term] = []
    for i, s in enumerate(model.slots[: problem.game_slots]):
        if i not in fixed:
            continue
        here = t.eq(model.var(i), t.const(start[i], s.truth))
        for j, other in enumerate(model.slots[: problem.game_slots]):
            if i != j and j in fixed and (s.truth or other.truth):
                there = t.eq(model.var(j), t.const(start[j], other.truth))
                found.append(t.any((t.no(here), there)))
    return found


def counted(problem: Problem, interest: list[Term], most: int = 3) -> list[Term]:
    """Links between how often something has happened and the rest, for the first few times: until then a slot is at its
    start or at a fixed number, or (where the question reads the slot) at most some number that the rules mention."""
    model, t = problem.model, problem.terms
    if len(model.slots) > 60:
        return []
    start = model.starts[0]
    read = {x.number for x in walk(interest) if x.op in ("var", "next")}
    made = [term for m in model.moves for i, term in m.updates.items() if i in read]
    numbers = sorted({x.number for x in walk(made) if x.op == "const" and not x.truth and x.number > 0})[:24]
    flags = [t.eq(model.var(j), t.const(start[j], True)) for j, s in enumerate(model.slots) if s.truth]
    found: list[Term] = []
    for c in problem.counters.values():
        for k in range(most):
            here = t.eq(model.var(c), t.const(k))
            for i, s in enumerate(model.slots[: problem.game_slots]):
                value = model.var(i)
                at_start = t.eq(value, t.const(start[i], s.truth))
                found.append(t.any((t.no(here), at_start)))
                if not s.truth and s.hi - s.lo < problem.game.players:
                    found.append(t.any((t.no(here), t.eq(value, t.const(k % problem.game.players)))))
                found += [t.any((t.no(here), t.no(f), at_start)) for f in flags]
                if i in read and not s.truth:
                    found += [t.any((t.no(here), t.le(value, t.const(n)))) for n in numbers if start[i] <= n < s.hi]
    return list({f.uid: f for f in found if f is not t.true}.values())
