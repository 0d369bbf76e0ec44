"""Symmetries that somebody names and the rules do not have: told the same wherever they are named."""

from __future__ import annotations

from tablelaw.solver.symmetry import BrokenSymmetry
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.positions import shown
from tablelaw.spec.source import Span


def tell_broken(sink: Diagnostics, span: Span | None, game: Game, why: BrokenSymmetry, used: str, where: str) -> None:
    """Tell of it where it is named; `used` says what for, `where` what names it."""
    position = "; ".join(f"{v.name} = {shown(why.state[v.name], v.type)}" for v in game.variables)
    sink.error(
        "Q114", span, f"the rules do not have the symmetry `{why.name}` {used}",
        notes=(f"a position and its image: {why.message}", f"it is {position[:300]}"),
        help=f"leave `{why.name}` out of `{where}`",
    )  # fmt: skip
