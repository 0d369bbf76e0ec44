"""What keeps an endless play going: whose choices, or the draws, or nothing anybody could do otherwise."""

from __future__ import annotations

from collections.abc import Iterable

from tablelaw.solver import evaluate
from tablelaw.solver.trace import Trace
from tablelaw.spec.game import Game


def people(who: Iterable[int]) -> str:
    """`player 0`, `players 0 and 2`, `nobody`."""
    seats = sorted(who)
    if not seats:
        return "nobody"
    if len(seats) == 1:
        return f"player {seats[0]}"
    return "players " + ", ".join(map(str, seats[:-1])) + f" and {seats[-1]}"


def against(game: Game, who: Iterable[int], choosers: Iterable[int] | None = None) -> str:
    """Who or what can prevent players from a goal; `choosers`: those who have choices anywhere (none given: all players)."""
    mine = set(who)
    others = set(range(game.players) if choosers is None else choosers) - mine - {-1}
    parts = ["the others"] if others else []
    if any(a.by is None and a.params for a in game.actions):
        parts.append("the table")
    if any(a.draws for a in game.actions):
        parts.append("the draws")
    if not mine:
        return "it need not come; the play shown is one without it"
    if not parts:
        return f"{people(mine)} cannot bring it about; the play shown is one way"
    return f"{' or '.join(parts)} can prevent {people(mine)}; the play shown is one way"


def whose(game: Game, trace: Trace) -> str:
    """Whose choices keep a loop going: who has another legal move on the way round, and whether other draws may come."""
    assert trace.loop_from is not None
    choosers: set[int] = set()
    dice = False
    for before, step in zip(trace.steps[trace.loop_from :], trace.steps[trace.loop_from + 1 :], strict=False):
        options = evaluate.moves(game, before.state)
        if len(options) > 1 and step.move is not None and step.move.actor is not None:
            choosers.add(step.move.actor)
        if step.move is not None and len(evaluate.draws(game, before.state, step.move)) > 1:
            dice = True
    names = ", ".join(f"`{n}`" for n in trace.rising)
    rising = f"; {names}, which nothing reads, goes on changing as far as its range allows" if names else ""
    if not choosers and not dice:
        return "forced: nobody has another move on the way round" + rising
    parts = []
    if choosers:
        parts.append(f"the choices of {people(choosers)}")
    if dice:
        parts.append("the draws")
    return "kept going by " + " and ".join(parts) + rising
