"""What the positions and steps of a small game show, told the slow way: the evaluator on all of it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from tablelaw.checkers.goals import WON, Goal, effects_of, exceptions, on_rims
from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import State
from tablelaw.spec.game import Game
from tablelaw.spec.operators import Fault
from tablelaw.spec.reckon import value
from tablelaw.testing.naive import Graph, Step

KINDS = {
    "allows", "refuses", "lifts", "refuse-both", "takes", "happens", "idle", "meet", "ends", "winners", "value",
}  # fmt: skip
"""The kinds of goals that are told here."""


def shown(g: Graph) -> set[Goal]:
    """All that some reachable position, or a step from one, shows."""
    found: set[Goal] = set()
    for i, state in enumerate(g.states):
        found.update(_rims(g.game, state))
        found.update(_ended(g.game, state))
        found.update(_of_moves(g.game, state))
        for step in g.steps[i]:
            found.update(_of_step(g.game, step))
    return found


def _rims(game: Game, state: State) -> Iterator[Goal]:
    for v in game.variables:
        yield from (Goal("value", (text,)) for text in on_rims(v.name, v.type, state[v.name]))


def _ended(game: Game, state: State) -> list[Goal]:
    try:
        end = evaluate.end(game, state)
        if end is None:
            return []
        return [Goal("ends", (end.id,)), Goal("winners", (WON[min(len(evaluate.winners(game, state)), 2)],))]
    except Fault:
        return []


def _of_moves(game: Game, state: State) -> Iterator[Goal]:
    try:
        if evaluate.end(game, state) is not None:
            return
        legal = evaluate.moves(game, state)
    except Fault:
        return
    table = bool(legal) and legal[0].actor is None
    actions = {a.name: a for a in game.actions}
    for move in legal:
        yield from (Goal("allows", (c.id,)) for c in actions[move.action].checks)
    for a in game.actions:
        if table and a.by is not None:
            continue
        for _, there in evaluate.open_moves(game, state, a):
            try:
                told = [(c, value(c.formula, there), [value(x, there) for x in c.lifted]) for c in a.checks]
            except Fault:
                continue
            refusing = [c.id for c, holds, lifts in told if not holds and not any(lifts)]
            if len(refusing) == 1:
                yield Goal("refuses", (refusing[0],))
            yield from (Goal("refuse-both", pair) for pair in combinations(refusing, 2))
            if not refusing:
                for c, holds, lifts in told:
                    named = zip(exceptions(game, c.id), lifts, strict=False)
                    yield from (Goal("lifts", (c.id, x)) for x, lifting in named if lifting and not holds)


def _of_step(game: Game, step: Step) -> Iterator[Goal]:
    if step.move is None or step.after is None:
        return
    action = game.action(step.move.action)
    assert action is not None
    inner = effects_of(action)
    yield Goal("takes", (action.name,))
    yield from (Goal("happens", (c,)) for c in step.fired)
    yield from (Goal("idle", (c,)) for c in inner.maybe if c not in step.fired)
    yield from (Goal("meet", pair) for pair in combinations([c for c in inner.all if c in step.fired], 2))
