"""Which layout of a game a command looks at: the only one, or the one that `--of` names."""

from __future__ import annotations

from tablelaw.spec.diagnostics import Diagnostics, did_you_mean
from tablelaw.spec.game import Game
from tablelaw.spec.types import LayoutType


def chosen_layout(game: Game, wanted: str | None, sink: Diagnostics, none: str, cure: str) -> tuple[str, LayoutType] | None:
    """The variable and its type; None (and told) where it is open which. `none` and `cure` tell of a game without layouts."""
    found = {v.name: v.type for v in game.variables if isinstance(v.type, LayoutType)}
    names = ", ".join(f"`{n}`" for n in found)
    if not found:
        sink.error("Q109", None, none, help=cure)
    elif wanted is not None and wanted not in found:
        near = did_you_mean(wanted, found)
        cure = f"did you mean `{near}`?" if near else f"the layouts are {names}"
        sink.error("Q109", None, f"no layout is called `{wanted[:60]}`", help=cure)
    elif wanted is None and len(found) > 1:
        sink.error("Q109", None, f"this game has {len(found)} layouts: {names}", help=f"name one: `--of {next(iter(found))}`")
    else:
        name = wanted or next(iter(found))
        return name, found[name]
    return None
