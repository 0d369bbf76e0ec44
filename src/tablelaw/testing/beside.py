"""Two games compared the slow way: the set of all their plays to a depth, told by the evaluator alone."""

from __future__ import annotations

import random
from typing import Any

from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import State
from tablelaw.spec.game import Game
from tablelaw.spec.operators import Fault
from tablelaw.testing.games import Maker, written

Seen = tuple[Any, ...]


class TooMany(Exception):
    """There are more plays than are listed."""


def plays(game: Game, shared: list[str], depth: int, most: int = 4_000) -> set[tuple[Seen, ...]]:
    """Every play of so many steps and every beginning of it, as what is seen of it: moves, draws, values of these variables."""
    found: set[tuple[Seen, ...]] = set()
    for start in evaluate.starts(game):
        _play(game, shared, start, (_seen(game, shared, start),), depth, most, found)
    return found


def _play(
    game: Game, shared: list[str], state: State, so_far: tuple[Seen, ...], depth: int, most: int, found: set[tuple[Seen, ...]]
) -> None:
    found.add(so_far)
    if len(found) > most:
        raise TooMany
    if not depth:
        return
    try:
        moves = evaluate.moves(game, state)
    except Fault:
        found.add((*so_far, ("no value",)))
        return
    for move in moves:
        label = (move.action, move.args, move.actor)
        try:
            drawn_all = evaluate.draws(game, state, move)
        except Fault:
            found.add((*so_far, (*label, "no draw")))
            continue
        for drawn, chance in drawn_all:
            out = evaluate.apply(game, state, move, drawn)
            if out.fault is not None:
                found.add((*so_far, (*label, drawn, chance, "no value")))
                continue
            seen = (*label, drawn, chance, *_seen(game, shared, out.state))
            _play(game, shared, out.state, (*so_far, seen), depth - 1, most, found)


def _seen(game: Game, shared: list[str], state: State) -> Seen:
    try:
        ended = evaluate.end(game, state) is not None
        won: object = evaluate.winners(game, state) if ended else None
    except Fault:
        ended, won = False, "no value"
    return (ended, won, *(state[n] for n in shared))


def relation(left: Game, right: Game, depth: int) -> str:
    """How the plays of two games relate, to a depth: equal, left, right or neither."""
    names = [v.name for v in left.variables if v.name in {w.name for w in right.variables}]
    a, b = plays(left, names, depth), plays(right, names, depth)
    if a == b:
        return "equal"
    return "left" if a > b else "right" if b > a else "neither"


def parts_at(left: Game, right: Game, depth: int) -> int | None:
    """After how many steps two games first part, at most so many; None where they do not."""
    for d in range(depth + 1):
        if relation(left, right, d) != "equal":
            return d
    return None


def disputed(seed: int, wild: float = 0.02) -> str:
    """The text of a random game with an open reading and some proposed clauses. Not always sound."""
    r = random.Random(seed)
    data: dict[str, Any] = Maker(r, wild).build(1)
    options = data.get("options")
    if isinstance(options, dict) and "way" in options:
        options["way"]["kind"] = "reading"
    for action in data["actions"].values():
        for clause in (*action.get("require", ()), *(c for c in action.get("do", ()) if isinstance(c, dict))):
            if r.random() < 0.35 and "excepts" not in clause:
                clause["proposed"] = True
    for clause in data.get("end", ()):
        if r.random() < 0.2:
            clause["proposed"] = True
    data["questions"] = {}
    data.pop("scenarios", None)
    return written(data) + "\n"
