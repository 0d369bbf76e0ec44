"""The legal moves of a position, those near to what is asked about first, looked at as long as there is time."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import Move, State
from tablelaw.spec.core import Binder
from tablelaw.spec.game import Action, Game
from tablelaw.spec.grid import Cell, Edge, Part
from tablelaw.spec.operators import Fault
from tablelaw.spec.reckon import Place, value, visit
from tablelaw.spec.types import NAMED, LayoutType
from tablelaw.spec.values import Value

CLOSE = 2
"""Squares at most so far off are looked at first."""


@dataclass(slots=True)
class Moves:
    """Legal moves, the nearest first; `whole`: these are all."""

    moves: list[Move] = field(default_factory=list)
    whole: bool = True

    def of(self, action: str) -> Moves:
        """Those of one action."""
        return Moves([m for m in self.moves if m.action == action], self.whole)


def centre(game: Game, state: State, args: Iterable[tuple[str, Value]]) -> frozenset[Cell]:
    """Where to look first: the squares that a move names, else those where pieces lie."""
    named = {c for _, v in args if (c := _square(v)) is not None}
    laid = (c for v in game.variables if isinstance(v.type, LayoutType) for c in state[v.name].cells)
    return frozenset(named or laid)


def sorted_moves(moves: Iterable[Move], near: frozenset[Cell]) -> list[Move]:
    """The nearest first, otherwise as they come."""
    return sorted(moves, key=lambda m: max((_off(v, near) for _, v in m.args), default=0))


def legal_moves(game: Game, state: State, near: frozenset[Cell], seconds: float, first: str = "") -> Moves:
    """What is legal here, the action called `first` before others. A fault in deciding leaves out what it decides."""
    last = time.process_time() + seconds
    try:
        if evaluate.end(game, state) is not None:
            return Moves()
    except Fault:
        return Moves()
    actions = sorted(game.actions, key=lambda a: a.name != first)
    for table in (True, False):
        mine = [a for a in actions if (a.by is None) == table]
        found = Moves()
        for a in mine:
            close = _look(game, state, a, near, last)[0] if near and _squared(a) else []
            every, whole = _look(game, state, a, None, last)
            found.moves += dict.fromkeys([*close, *every])
            found.whole &= whole
        if found.moves or not found.whole:
            order = {a.name: n for n, a in enumerate(game.actions)}
            found.moves.sort(key=lambda m: order[m.action])
            found.moves = sorted_moves(found.moves, near)
            return found
    return Moves()


def _squared(a: Action) -> bool:
    return any(isinstance(b.type, NAMED) for b in a.params)


def _square(found: Value) -> Cell | None:
    return found if isinstance(found, Cell) else found.cell if isinstance(found, (Edge, Part)) else None


def _off(found: Value, near: frozenset[Cell]) -> int:
    """How many steps a square lies from the nearest of some; anything else lies there."""
    cell = _square(found)
    if cell is None:
        return 0
    return min((abs(cell.x - c.x) + abs(cell.y - c.y) for c in near), default=0)


def _look(game: Game, state: State, a: Action, near: frozenset[Cell] | None, last: float) -> tuple[list[Move], bool]:
    """Legal moves of an action, and whether all were looked at; with `near` on squares close to these alone."""
    here = Place(state, game.players)
    found: dict[Move, None] = {}
    try:
        if a.during is not None and not value(a.during, here):
            return [], True
        actor = None if a.by is None else value(a.by, here)
        if actor is not None:
            here = here.bind({"actor": actor})
        for n, there in enumerate(_bound(a.params, here, near)):
            if not n % 16 and time.process_time() > last:
                return list(found), False
            move = Move(a.name, tuple((b.name, there.names[b.name]) for b in a.params), actor)
            if move not in found and _legal(a, there):
                found[move] = None
    except Fault:
        pass
    return list(found), True


def _legal(a: Action, there: Place) -> bool:
    try:
        return evaluate.legal(a, there)
    except Fault:
        return False


def _bound(params: tuple[Binder, ...], here: Place, near: frozenset[Cell] | None) -> Iterator[Place]:
    if not params:
        yield here
        return
    b = params[0]
    for v in visit(b.domain, here):
        if near is not None and _off(v, near) > CLOSE:
            continue
        there = here.bind({b.name: v})
        if all(value(t, there) for t in b.tests):
            yield from _bound(params[1:], there, near)
