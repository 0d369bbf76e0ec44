"""What the rules may do with a layout that looks like a slip of the pen: pieces laid whose contact is not asked, parts named
that may not be there. A position that comes from the rules can be written down."""

from __future__ import annotations

from collections.abc import Iterator

from tablelaw.spec.core import Assign, Bind, Branch, Call, Const, Effect, Expr, Fire, Loop, Var
from tablelaw.spec.game import Action, Game
from tablelaw.spec.over_layouts import walk
from tablelaw.spec.types import LayoutType, PartType


def contact_left_open(game: Game) -> bool:
    """Does some action lay pieces more often than it asks whether they fit?"""
    return any(_calls(_done(a), "place") > _calls(_asked(a), "fits") for a in game.actions)


def parts_left_open(game: Game) -> bool:
    """Does some action name a part by its place, or take pieces away from under the parts that lie?"""
    kinds = {v.name: v.type for v in game.variables}
    for a in game.actions:
        for e in _effects(a.effects):
            if isinstance(e, Assign) and isinstance(kinds.get(e.name), LayoutType) and not _grows(e):
                return True
        if any(isinstance(x.type, PartType) and (isinstance(x, Const) or _is(x, "part")) for x in _done(a)):
            return True
    return False


def _grows(e: Assign) -> bool:
    base: Expr | None = e.value
    while isinstance(base, Call) and base.name == "place":
        base = base.args[0]
    return isinstance(base, Var) and base.name == e.name


def _is(e: Expr, name: str) -> bool:
    return isinstance(e, Call) and e.name == name


def _calls(found: Iterator[Expr], name: str) -> int:
    return sum(_is(e, name) for e in found)


def _asked(a: Action) -> Iterator[Expr]:
    """The formulas that decide whether a move is legal."""
    roots = [x for c in a.checks for x in (c.formula, *c.lifted)]
    roots += [b.domain for b in a.params if isinstance(b.domain, Expr)] + [t for b in a.params for t in b.tests]
    for root in [*roots, *([] if a.during is None else [a.during])]:
        yield from walk(root)


def _done(a: Action) -> Iterator[Expr]:
    """The formulas of its effects."""
    for e in _effects(a.effects):
        match e:
            case Assign(_, path, new):
                roots = [*(k for k in path if isinstance(k, Expr)), new]
            case Branch(test):
                roots = [test]
            case Loop(_, domain):
                roots = [domain] if isinstance(domain, Expr) else []
            case Fire(_, when):
                roots = [] if when is None else [when]
            case Bind(_, values):
                roots = list(values)
            case _:
                roots = []
        for root in roots:
            yield from walk(root)


def _effects(effects: tuple[Effect, ...]) -> Iterator[Effect]:
    for e in effects:
        yield e
        match e:
            case Branch(_, yes, no):
                yield from _effects((*yes, *no))
            case Loop(_, _, _, body) | Fire(_, _, body) | Bind(_, _, body):
                yield from _effects(body)
