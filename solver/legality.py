"""Is a move legal in a position, and if not, which clauses forbid it? By the reference evaluator."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import Move, State
from tablelaw.spec.core import Expr
from tablelaw.spec.game import Action, Game
from tablelaw.spec.operators import Fault
from tablelaw.spec.reckon import Place, meant, value, visit
from tablelaw.spec.values import Value


@dataclass(frozen=True, slots=True)
class Legality:
    """Whether a move is legal; `candidates` are the legal moves that fit, else those that fit and fail the fewest checks.

    `failed` are the formulas that came out wrong, with their clauses, as read for the first candidate; `faults` tells what
    went wrong where a formula had no value. `cut`: the time was over before every move that fits was looked at.
    """

    legal: bool
    clauses: tuple[str, ...] = ()
    candidates: tuple[Move, ...] = ()
    failed: tuple[tuple[str, Expr], ...] = ()
    faults: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False


def forbidding(
    game: Game, state: State, action_name: str, args: Mapping[str, Value], until: tuple[float, float] | None = None
) -> Legality:
    """Is the action legal with these arguments (those left out may be any), or which clauses forbid it?

    With `until` (times of `time.process_time`) the moves that fit are looked at until the first of them where one is legal,
    until the second where none is.
    """
    closed = _closed(game, state, action_name)
    action = game.action(action_name)
    if closed is not None and (action is None or not _waits(game, state, action, closed)):
        return closed
    assert action is not None
    own = (action.name,)
    found: list[tuple[Move, list[tuple[str, Expr]], dict[str, str]]] = []
    legal = cut = False
    try:
        for n, (move, there) in enumerate(_fitting(action, Place(state, game.players), args)):
            if n and until is not None and not n % 16 and time.process_time() > until[not legal]:
                cut = True
                break
            failed, faults = _failures(action, there)
            legal = legal or not failed
            found.append((move, failed, faults))
    except Fault as fault:
        if closed is not None:
            return closed
        wrong = ((action.name, action.during),) if action.during is not None else ()
        return Legality(False, own, failed=wrong, faults={action.name: fault.message})
    if not found:
        return closed or Legality(False, own)
    fewest = min(len(failed) for _, failed, _ in found)
    best = [(move, failed, faults) for move, failed, faults in found if len(failed) == fewest]
    moves = tuple(move for move, _, _ in best)
    _, failed, faults = best[0]
    if closed is not None and not failed:
        return closed
    return Legality(fewest == 0, tuple(c for c, _ in failed), moves, tuple(failed), faults, cut)


def allowed(game: Game, state: State, action_name: str, args: Mapping[str, Value], last: float | None = None) -> bool | None:
    """Is the action legal with these arguments? As `forbidding` has it, but the first legal move decides; None: not known."""
    if _closed(game, state, action_name) is not None:
        return False
    action = game.action(action_name)
    assert action is not None
    try:
        for n, (_, there) in enumerate(_fitting(action, Place(state, game.players), args)):
            if n and last is not None and not n % 16 and time.process_time() > last:
                return None
            if not _failures(action, there)[0]:
                return True
    except Fault:
        pass
    return False


def _closed(game: Game, state: State, action_name: str) -> Legality | None:
    """What forbids the action whatever its arguments; None where nothing does."""
    here = Place(state, game.players)
    for e in game.ends:
        try:
            if value(e.when, here):
                return Legality(False, (e.id,), failed=((e.id, e.when),))
        except Fault as fault:
            return Legality(False, (e.id,), failed=((e.id, e.when),), faults={e.id: fault.message})
    action = game.action(action_name)
    if action is None:
        return Legality(False, (action_name,))
    if action.by is not None:
        first = tuple(dict.fromkeys(m.action for m in moves_by(game, state, table=True)))
        if first:
            return Legality(False, first)
    own = (action.name,)
    try:
        if action.during is not None and not value(action.during, here):
            return Legality(False, own, failed=((action.name, action.during),))
    except Fault as fault:
        assert action.during is not None
        return Legality(False, own, failed=((action.name, action.during),), faults={action.name: fault.message})
    return None


def _waits(game: Game, state: State, action: Action, closed: Legality) -> bool:
    """Does the action wait for the table alone, in its own phase? Then the checks that it fails say more than that."""
    if not closed.clauses or any(a is None or a.by is not None for a in map(game.action, closed.clauses)):
        return False
    try:
        return action.during is None or bool(value(action.during, Place(state, game.players)))
    except Fault:
        return False


def _failures(action: Action, there: Place) -> tuple[list[tuple[str, Expr]], dict[str, str]]:
    """The checks that the move does not pass, and what went wrong where one has no value."""
    failed: list[tuple[str, Expr]] = []
    faults: dict[str, str] = {}
    for c in action.checks:
        try:
            if not (value(c.formula, there) or any(value(x, there) for x in c.lifted)):
                failed.append((c.id, c.formula))
        except Fault as fault:
            failed.append((c.id, c.formula))
            faults[c.id] = fault.message
    return failed, faults


def _fitting(action: Action, here: Place, args: Mapping[str, Value]) -> Iterator[tuple[Move, Place]]:
    """The moves of the action with these arguments, each once, with the place its checks are read in."""
    actor = None if action.by is None else value(action.by, here)
    if actor is not None:
        here = here.bind({"actor": actor})
    if any(name not in {b.name for b in action.params} for name in args):
        return

    def bind(k: int, there: Place) -> Iterator[Place]:
        if k == len(action.params):
            yield there
            return
        b = action.params[k]
        for v in visit(b.domain, there):
            if b.name in args and not meant(args[b.name], v):
                continue
            inner = there.bind({b.name: v})
            if all(value(t, inner) for t in b.tests):
                yield from bind(k + 1, inner)

    seen: set[Move] = set()
    for there in bind(0, here):
        move = Move(action.name, tuple((b.name, there.names[b.name]) for b in action.params), actor)
        if move not in seen:
            seen.add(move)
            yield move, there


def moves_by(game: Game, state: State, *, table: bool) -> list[Move]:
    """The moves of the table, or of players, that pass every check, whether or not the play has ended; faults pass none."""
    return [m for a in game.actions if (a.by is None) == table for m in passing(game, state, a)]


def passing(game: Game, state: State, action: Action) -> list[Move]:
    """The moves of one action that are in its phase and pass every check; a fault in deciding passes none."""
    found: list[Move] = []
    try:
        for move, there in evaluate.open_moves(game, state, action):
            try:
                if evaluate.legal(action, there):
                    found.append(move)
            except Fault:
                continue
    except Fault:
        pass
    return found
