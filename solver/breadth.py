"""How broad one step of a game can be, before anything runs: games whose single moves cannot be listed are not begun."""

from __future__ import annotations

from math import comb

from tablelaw.spec import types as ty
from tablelaw.spec.core import Const, Draw, Expr
from tablelaw.spec.game import Action, Game
from tablelaw.spec.types import BagOf

MOST_DRAWS = 200_000
MOST_CHOICES = 2_000_000
PLACES = 1_000


def draws_of(action: Action) -> int:
    """At most so many draws may follow one choice of the action."""
    total = 1
    for d in action.draws:
        total *= _draw(d)
    return total


def _draw(d: Draw) -> int:
    if d.kind == "roll":
        assert isinstance(d.type, BagOf)
        faces = ty.cardinality(d.type.elem) or 1
        return comb((d.type.limit or 0) + faces - 1, faces - 1)
    if d.kind == "draw":
        return ty.cardinality(d.type) or 1
    return len(d.args[0].value) if isinstance(d.args[0], Const) else 1


def choices_of(action: Action) -> int:
    """At most so many choices of arguments the action has."""
    total = 1
    for b in action.params:
        places = isinstance(b.type, ty.NAMED) and isinstance(b.domain, Expr)  # a set of them is walked over, not their type
        total *= PLACES if places else ty.cardinality(b.type) or 1
    return total


def too_broad(game: Game) -> str | None:
    """Why the steps of the game cannot be listed; None when they can."""
    for a in game.actions:
        if (n := draws_of(a)) > MOST_DRAWS:
            return f"`{a.name}` can be followed by {n:,} draws; at most {MOST_DRAWS:,} are looked at"
        if (n := choices_of(a)) > MOST_CHOICES:
            return f"`{a.name}` has {n:,} choices; at most {MOST_CHOICES:,} are looked at"
    return None
