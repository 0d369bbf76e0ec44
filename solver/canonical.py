"""Formulas of several games brought to one form, each formula kept once, so that equal ones are the same object.

Nothing changes what a formula means, not even where it has no value: conjunctions inside conjunctions are opened, and what
a conjunction says a second time, or what follows from the part before it, is left out.
"""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

from tablelaw.spec.core import Binder, Const, Draw, Effect, Expr, Op
from tablelaw.spec.game import Action, Game
from tablelaw.spec.types import BOOL

TRUE = Const(True, type=BOOL)
_NODES = (Expr, Effect, Binder, Draw)


class Canon:
    """What was met so far."""

    def __init__(self) -> None:
        self.done: dict[int, tuple[Any, Any]] = {}
        self.kept: dict[tuple[Any, ...], Any] = {}

    def game(self, game: Game) -> Game:
        """The game with its formulas in this form."""
        actions = tuple(self._action(a) for a in game.actions)
        ends = tuple(replace(e, when=self.of(e.when), winners=self.of(e.winners)) for e in game.ends)
        variables = tuple(replace(v, init=self.of(v.init)) for v in game.variables)
        return replace(game, actions=actions, ends=ends, variables=variables)

    def _action(self, a: Action) -> Action:
        checks = tuple(replace(c, formula=self.of(c.formula), lifted=self.of(c.lifted)) for c in a.checks)
        parts = {n: self.of(getattr(a, n)) for n in ("by", "during", "params", "draws", "effects")}
        return replace(a, checks=checks, **parts)

    def of(self, x: Any) -> Any:
        """The one object for everything that is written like this."""
        found = self.done.get(id(x))
        if found is None:
            found = self.done[id(x)] = (x, self._made(x))  # with x, so that its identity stays taken
        return found[1]

    def _made(self, x: Any) -> Any:
        if isinstance(x, Const):  # its value is left alone: a square is a tuple as well
            return self.kept.setdefault((Const, x.type, type(x.value), x.value), x)
        if isinstance(x, tuple):
            return self._keep(tuple(self.of(y) for y in x))
        if not isinstance(x, _NODES):
            return x
        names = [f.name for f in fields(x) if f.name not in ("span", "type")]
        parts = {n: self.of(getattr(x, n)) for n in names}
        made = replace(x, **parts)
        if isinstance(made, Op) and made.op == "and":
            return self._conjunction(made)
        return self._keep(made)

    def _conjunction(self, e: Op) -> Any:
        kept: list[Expr] = []
        for part in e.args:
            for p in part.args if isinstance(part, Op) and part.op == "and" else (part,):
                if not implied(p, kept):
                    kept.append(p)
        if len(kept) < 2:
            return kept[0] if kept else self.of(TRUE)
        return self._keep(Op("and", self._keep(tuple(kept)), type=e.type))

    def _keep(self, x: Any) -> Any:
        """One object for all that are equal; what is inside is so already."""
        if isinstance(x, tuple):
            key: tuple[Any, ...] = ("tuple", *(_key(y) for y in x))
        else:
            key = (type(x), *(_key(getattr(x, f.name)) for f in fields(x) if f.name != "span"))
        return self.kept.setdefault(key, x)


def _key(x: Any) -> Any:
    return ("node", id(x)) if isinstance(x, (*_NODES, tuple)) else (type(x), x)


def implied(e: Expr, facts: list[Expr]) -> bool:
    """Does it follow from facts that were read before it, as can be seen from the formulas?"""
    if e == TRUE or e in facts:
        return True
    if not isinstance(e, Op):
        return False
    if e.op == "and":
        return all(implied(x, facts) for x in e.args)
    return e.op == "or" and implied(e.args[0], facts)
