"""Do two lists of effects do the same, whatever the position is and whatever they were given? Piece by piece, by z3.

The pieces stand in the same order; of each pair the tests agree and the values written are the same in every position that
could be written down, not only in those that are reached. Where a formula has no value nothing is said.
"""

from __future__ import annotations

from typing import Any

from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.symbolic.open.claims import Prover
from tablelaw.solver.symbolic.open.effects import position
from tablelaw.solver.symbolic.open.formulas import Here, Reader
from tablelaw.solver.symbolic.open.values import equal, same
from tablelaw.spec import types as ty
from tablelaw.spec.core import Agg, Assign, Bind, Branch, Effect, Expr, Fire, Let, Local, Loop, Var, children
from tablelaw.spec.game import Action, Game
from tablelaw.spec.types import Type

Scope = dict[str, Type]


def same_effects(game: Game, left: Action, right: Action, budget: Budget) -> bool:
    """Do two actions with the same parameters and draws do the same with the same arguments? False: not shown."""
    scope: Scope = {b.name: b.type for b in left.params} | {d.name: d.type for d in left.draws}
    if left.by is not None:
        scope["actor"] = game.names.player
    return _Pieces(game, budget).alike(left.effects, right.effects, scope)


class _Pieces:
    def __init__(self, game: Game, budget: Budget) -> None:
        self.prover, self.game, self.budget = Prover(game), game, budget

    def alike(self, left: tuple[Effect, ...], right: tuple[Effect, ...], scope: Scope) -> bool:
        mine, theirs = _plain(left), _plain(right)
        return len(mine) == len(theirs) and all(self._pair(a, b, scope) for a, b in zip(mine, theirs, strict=True))

    def _pair(self, a: Effect, b: Effect, scope: Scope) -> bool:
        if a == b:
            return True
        match a, b:
            case Fire(), Fire():
                return self._tests(_when(a), _when(b), scope) and self.alike(a.body, b.body, scope)
            case Branch(), Branch():
                return self._tests(a.test, b.test, scope) and self.alike(a.yes, b.yes, scope) and self.alike(a.no, b.no, scope)
            case Loop(), Loop():
                mine, theirs = _walked(a), _walked(b)
                if (mine.domain, mine.type) != (theirs.domain, theirs.type) or mine.name != theirs.name:
                    return False
                return self.alike(mine.body, theirs.body, {**scope, mine.name: mine.type})
            case Bind(), Bind():
                if a.names != b.names or [v.type for v in a.values] != [v.type for v in b.values]:
                    return False
                if not all(self._values(x, y, scope) for x, y in zip(a.values, b.values, strict=True)):
                    return False
                given = {n: v.type for n, v in zip(a.names, a.values, strict=True)}
                return self.alike(a.body, b.body, {**scope, **given})
            case Assign(), Assign():
                return a.name == b.name and a.path == b.path and self._values(a.value, b.value, scope)
        return False

    def _tests(self, a: Expr | None, b: Expr | None, scope: Scope) -> bool:
        if a == b:
            return True
        if a is None or b is None:
            return False
        return self._proved(a, b, scope, truth=True)

    def _values(self, a: Expr, b: Expr, scope: Scope) -> bool:
        alike = a.type == b.type or (isinstance(a.type, ty.Int) and isinstance(b.type, ty.Int))
        return a == b or (alike and self._proved(a, b, scope, truth=isinstance(a.type, ty.Bool)))

    def _proved(self, a: Expr, b: Expr, scope: Scope, truth: bool) -> bool:
        r = Reader(self.game)
        state, known = position(r, "any")
        try:
            names: dict[str, Any] = {n: r.unknown(t) for n, t in scope.items()}
            here = Here(state, names)
            goal = equal(r.truth(a, here), r.truth(b, here)) if truth else same(r.value(a, here), r.value(b, here), a.type)
            return self.prover.follows(r, known, goal, self.budget)
        except (Unlowerable, KeyError):
            return False


def _when(e: Fire) -> Expr | None:
    return e.when


def _plain(effects: tuple[Effect, ...]) -> list[Effect]:
    """Effects one after the other; clauses that always take effect stand for what they do."""
    found: list[Effect] = []
    for e in effects:
        if isinstance(e, Fire) and e.when is None:
            found += _plain(e.body)
        else:
            found.append(e)
    return found


def _walked(e: Loop) -> Loop:
    """A walk over `{p for p in D if …}`, as one over D with a test, where the test reads nothing that the walk writes."""
    names: list[tuple[tuple[str, ...], tuple[Expr, ...]]] = []
    inner = e.domain
    while isinstance(inner, Let):
        names.append((inner.names, inner.values))
        inner = inner.body
    if not isinstance(inner, Agg) or inner.kind != "set" or len(inner.binders) != 1:
        return e
    b = inner.binders[0]
    if inner.body != Local(b.name, type=b.type) or isinstance(b.domain, Expr) or not b.tests:
        return e
    tests = list(b.tests)
    read = {x for t in tests for x in _read(t)} | {x for _, vs in names for v in vs for x in _read(v)}
    local = {x for _, vs in names for v in vs for x in _locals(v)}
    if read & _written(e.body) or b.name in local or any(b.name in ns for ns, _ in names):
        return e
    body = e.body
    for t in reversed(tests):
        test: Expr = t if b.name == e.name else Let((b.name,), (Local(e.name, type=b.type),), t, type=ty.BOOL)
        for bound, given in reversed(names):
            test = Let(bound, given, test, type=ty.BOOL)
        body = (Branch(test, body, ()),)
    return Loop(e.name, b.domain, b.type, body)


def _read(e: Expr) -> set[str]:
    own = {e.name} if isinstance(e, Var) else set()
    return own.union(*(_read(c) for c in children(e)))


def _locals(e: Expr) -> set[str]:
    own = {e.name} if isinstance(e, Local) else set()
    return own.union(*(_locals(c) for c in children(e)))


def _written(effects: tuple[Effect, ...]) -> set[str]:
    found: set[str] = set()
    for e in effects:
        match e:
            case Assign(name):
                found.add(name)
            case Branch(_, yes, no):
                found |= _written((*yes, *no))
            case Loop(_, _, _, body) | Fire(_, _, body) | Bind(_, _, body):
                found |= _written(body)
    return found
