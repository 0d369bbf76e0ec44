"""A position in a line of words."""

from __future__ import annotations

from tablelaw.checkers.standing import figures
from tablelaw.report.board import named
from tablelaw.spec.game import Game
from tablelaw.spec.positions import shown
from tablelaw.spec.types import BagOf, LayoutType
from tablelaw.spec.values import Value

SHORT, FIGURES = 70, 3
"""How long a value may be, and how many figures it holds, before it is left to the drawing."""


def position_words(game: Game, state: Value, before: Value | None = None, whole: bool = True) -> list[str]:
    """Each variable with its value, marked where `before` had another one.

    Where it is not `whole`, of many figures that are drawn, and of a large bag, only the number is told.
    """
    found: list[str] = []
    for v in game.variables:
        mark = "*" if before is not None and state[v.name] != before[v.name] else ""
        text = named(state[v.name]) if isinstance(v.type, LayoutType) else shown(state[v.name], v.type)
        held = figures(game, state, v.name)
        if not whole and len(text) > SHORT and len(held) >= FIGURES:
            text = f"{len(held)}, as drawn"
        elif not whole and len(text) > SHORT and isinstance(v.type, BagOf):
            text = f"{sum(state[v.name].values())} in all"
        part = f"{mark}{v.name} {text}"
        found.append(part.replace(" ", "\xa0") if len(part) < 50 else part)  # kept on one line
    return found
