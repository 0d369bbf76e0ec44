"""The moves that lead to where something is asked."""

from __future__ import annotations

from collections.abc import Iterator

from tablelaw.checkers.branches import Branch, Stopped, TooMany, played
from tablelaw.solver import legality
from tablelaw.solver.evaluate import State
from tablelaw.solver.trace import Trace, draw_text, first_step, move_text
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.operators import Fault
from tablelaw.spec.questions import Line


def play_first(game: Game, start: State, texts: Iterator[tuple[str, Line]], sink: Diagnostics) -> Trace | None:
    """The play through moves that were given: each one move and one draw; None (and told) where one is not."""
    branch = Branch((first_step(start, game),))
    for text, line in texts:
        try:
            found = played(game, branch, [line])
        except Stopped as stop:
            if "drawn" in str(stop):
                sink.error("Q107", line.span, f"`{text}`: {stop}", help="look at how many are drawn, and from what")
                return None
            why = legality.forbidding(game, stop.branch.last.state, line.action or "", dict(line.args))
            cure = f"it is forbidden by {', '.join(f'`{c}`' for c in why.clauses)}"
            sink.error("Q107", line.span, f"`{text}` is not legal there", help=cure)
            return None
        except (TooMany, Fault) as fault:
            reason = fault.message if isinstance(fault, Fault) else str(fault)
            sink.error("Q107", line.span, f"`{text}` cannot be played: {reason}", help="begin from a position, with `--at`")
            return None
        if len({b.last.state for b in found}) > 1:
            moves = {b.last.move for b in found}
            what = "what is drawn" if len(moves) == 1 else "which move is meant"
            last = found[0].last.move
            example = f"{move_text(game, last)}" if last is not None else text
            drawn = draw_text(game.action(line.action or ""), found[0].last.drawn)
            cure = f"write for example `{example}{' -> ' + drawn if drawn else ''}`"
            sink.error("Q107", line.span, f"`{text}` leaves open {what} ({len(found):,} ways)", help=cure)
            return None
        branch = found[0]
        if branch.last.fault is not None:
            sink.error(
                "Q107", line.span, f"`{text}` cannot be played: {branch.last.fault}", help="`in-range` asks for such faults"
            )
            return None
    return branch.trace
