"""What becomes of a move in each of two games: taken again by the reference evaluator, with the clauses that decide."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from tablelaw.solver import evaluate, legality
from tablelaw.solver.evaluate import State
from tablelaw.solver.lockstep import Lockstep, Parting
from tablelaw.solver.menus import Drawn
from tablelaw.solver.trace import Step, Trace, change_list, change_texts, first_step, move_text, position_json, take
from tablelaw.solver.verdict import InternalFault
from tablelaw.spec.core import Expr
from tablelaw.spec.game import Action, Game
from tablelaw.spec.operators import Fault
from tablelaw.spec.positions import plain
from tablelaw.spec.positions import shown as written
from tablelaw.spec.reckon import Place, value
from tablelaw.spec.types import BagOf
from tablelaw.spec.values import Map


@dataclass(slots=True)
class Outcome:
    """What one of the games says of a move in a position: legal or not, by which clauses, and what it leads to."""

    game: Game
    legal: bool = True
    clauses: tuple[str, ...] = ()
    changed: list[str] = field(default_factory=list)
    after: State | None = None
    fault: str | None = None
    ended: str | None = None
    winners: tuple[int, ...] = ()
    actor: int | None = None
    moves: int | None = None
    """How many moves there are, where it is told of the position itself."""
    absent: bool = False
    """The game has no such move at all."""

    def json(self) -> dict[str, object]:
        """For JSON."""
        row: dict[str, object] = {"legal": self.legal, "clauses": list(self.clauses), "changed": self.changed}
        if self.fault is not None:
            row["fault"] = self.fault
        if self.ended is not None:
            row |= {"ended": self.ended, "winners": list(self.winners)}
        if self.moves is not None:
            row["moves"] = self.moves
        return row


@dataclass(slots=True)
class Shown:
    """A parting, replayed: the play there in each game, and what each says of the move."""

    parting: Parting
    left: Trace
    right: Trace
    outcomes: tuple[Outcome, Outcome]
    differing: list[tuple[str, str, str]] = field(default_factory=list)

    @property
    def game(self) -> Game:
        """The game that the move belongs to."""
        return self.outcomes[1 if self.parting.side == "right" and self.parting.kind != "fault" else 0].game

    @property
    def left_game(self) -> Game:
        """The first of the games."""
        return self.outcomes[0].game

    @property
    def move(self) -> str | None:
        """The move in words."""
        return None if self.parting.move is None else move_text(self.game, self.parting.move)

    @property
    def clauses(self) -> tuple[str, ...]:
        """The clauses concerned: those that forbid it, or that take effect on one side alone (else on both)."""
        left, right = self.outcomes
        if self.parting.kind in ("values", "winners", "end"):
            apart = [c for c in (*left.clauses, *right.clauses) if (c in left.clauses) != (c in right.clauses)]
            return tuple(dict.fromkeys(apart or (*left.clauses, *right.clauses)))
        return tuple(dict.fromkeys((*left.clauses, *right.clauses)))

    def json(self, names: tuple[str, str]) -> dict[str, object]:
        """For JSON; `names` are what the two sides are called."""
        p = self.parting
        action = self.game.action(p.move.action) if p.move is not None else None
        kinds = {d.name: d.type for d in action.draws} if action else {}
        return {
            "parts": p.kind,
            "move": self.move,
            "chance": {n: plain(v, kinds[n]) for n, v in p.drawn} or None,
            "outcomes": {n: o.json() for n, o in zip(names, self.outcomes, strict=True)},
            "differing": [dict(zip(("path", *names), row, strict=True)) for row in self.differing],
            "position": position_json(self.left_game, self.left.steps[-1].state),
        }


def shown(left: Game, right: Game, parting: Parting) -> Shown:
    """The parting, each step of it taken again in both games by the evaluator; raises `InternalFault` where that fails."""
    there = Lockstep(left, right, frozenset(), False, coded=False)
    pair = parting.way[0]
    traces = [first_step(side.state(row), side.game) for side, row in ((there.left, pair[0]), (there.right, pair[1]))]
    steps: tuple[list[Step], list[Step]] = ([traces[0]], [traces[1]])
    for move, drawn in parting.way[1]:
        then = there.follow(pair, move, drawn)
        if then is None:
            raise InternalFault(f"a play that two games allow cannot be replayed in both (at `{move.action}`)")
        if then[0].actor != move.actor:
            raise InternalFault(f"a play of two games has a step of the wrong player (at `{move.action}`)")
        for side, taken, row in zip((there.left, there.right), steps, pair, strict=True):
            taken.append(take(side.game, side.state(row), move, drawn))
        pair = then[2]
    if parting.kind not in ("start", "speaks"):
        again = [(p.kind, p.side, p.move, p.drawn, p.names) for p in there.partings(pair, lambda: parting.way)]
        if (parting.kind, parting.side, parting.move, parting.drawn, parting.names) not in again:
            raise InternalFault(f"two games are said to part at `{parting.move or parting.kind}`, and the evaluator differs")
    states = (steps[0][-1].state, steps[1][-1].state)
    outcomes = (outcome(left, states[0], parting), outcome(right, states[1], parting))
    return Shown(parting, Trace(steps[0]), Trace(steps[1]), outcomes, _differing(parting, outcomes, states))


def outcome(game: Game, state: State, p: Parting) -> Outcome:
    """What one game says."""
    if p.move is None or p.kind in ("start", "end", "winners"):
        return _standing(game, state)
    action = game.action(p.move.action)
    if action is None or [b.name for b in action.params] != [n for n, _ in p.move.args]:
        return Outcome(game, False, (p.move.action,), absent=True)
    found = legality.forbidding(game, state, p.move.action, dict(p.move.args))
    if not found.legal:
        if not _offered(game, state, action, p.move):
            return Outcome(game, False, (p.move.action,), absent=True)
        checks = tuple(failing(game, state, p.move))
        return Outcome(game, False, checks or found.clauses, fault=next(iter(found.faults.values()), None))
    move = found.candidates[0]
    told = Outcome(game, clauses=(move.action, *_exceptions(game, state, action, move)), actor=move.actor)
    try:
        draws = [d for d, _ in evaluate.draws(game, state, move)]
    except Fault as fault:
        told.fault = fault.message
        return told
    drawn: Drawn | None = p.drawn if p.drawn or len(draws) != 1 else draws[0]
    if drawn not in draws:
        return told
    step = take(game, state, move, drawn)
    told.clauses = tuple(dict.fromkeys((*told.clauses[1:], *step.clauses))) or told.clauses
    if step.fault is not None:
        told.fault = step.fault
        return told
    told.after, told.changed = step.state, change_texts(game, state, step.state)
    _tell_end(told, game, step.state)
    return told


def _offered(game: Game, state: State, action: Action, move: evaluate.Move) -> bool:
    """Are these values among those that the parameters range over here? (Yes also where the phase is closed.)"""
    try:
        found = [m.args for m, _ in evaluate.open_moves(game, state, action)]
        return move.args in found or not found
    except Fault:
        return True


def _standing(game: Game, state: State) -> Outcome:
    """What a game says of the position itself: over, or how many moves there are."""
    told = Outcome(game)
    try:
        _tell_end(told, game, state)
        if told.ended is None:
            moves = evaluate.moves(game, state)
            told.moves = len(moves)
            told.clauses = tuple(dict.fromkeys(m.action for m in moves))
        else:
            told.clauses = (told.ended,)
    except Fault as fault:
        told.fault = fault.message
    return told


def _tell_end(told: Outcome, game: Game, state: State) -> None:
    try:
        end = evaluate.end(game, state)
        if end is not None:
            told.ended, told.winners = end.id, tuple(sorted(evaluate.winners(game, state)))
    except Fault as fault:
        told.fault = fault.message


def excepting(game: Game, check: str) -> list[str]:
    """The clauses in force that except a check, in the order of `lifted`."""
    found = [c.id for a in game.document.actions.values() for c in a.require if c.excepts == check]
    return [c for c in dict.fromkeys(found) if c in game.clauses]


def _exceptions(game: Game, state: State, action: Action, move: evaluate.Move) -> list[str]:
    """The clauses but for which the move would be forbidden."""
    here = place_of(game, state, move)
    return list(dict.fromkeys(e for c, e in lifted_by(game, action, here)))


def place_of(game: Game, state: State, move: evaluate.Move) -> Place:
    """Where the checks of a move are read."""
    names = dict(move.args)
    return Place(state, game.players, names if move.actor is None else {**names, "actor": move.actor})


def failing(game: Game, state: State, move: evaluate.Move) -> list[str]:
    """The checks that forbid a move whose phase is open, whether or not something else comes first."""
    action = game.action(move.action)
    here = place_of(game, state, move)
    if action is None or (action.during is not None and not holds(action.during, here)):
        return []
    return [c.id for c in action.checks if not holds(c.formula, here) and not any(holds(x, here) for x in c.lifted)]


def lifted_by(game: Game, action: Action, here: Place) -> Iterator[tuple[str, str]]:
    """Each check that fails and the clause that lifts it."""
    for c in action.checks:
        if c.lifted and not holds(c.formula, here):
            for e, x in zip(excepting(game, c.id), c.lifted, strict=False):
                if holds(x, here):
                    yield c.id, e
                    break


def holds(e: Expr, here: Place) -> bool:
    """Does a formula hold? False where it has no value."""
    try:
        return bool(value(e, here))
    except Fault:
        return False


def _differing(p: Parting, outcomes: tuple[Outcome, Outcome], states: tuple[State, State]) -> list[tuple[str, str, str]]:
    """What both games know and hold different values of, after the move (or at the start)."""
    left, right = outcomes
    a, b = (left.after, right.after) if p.kind == "values" else states if p.kind == "start" else (None, None)
    if a is None or b is None:
        return []
    found: list[tuple[str, str, str]] = []
    for v in left.game.variables:
        if v.name in p.names and isinstance(v.type, BagOf) and isinstance(a[v.name], Map):
            found.append((v.name, *_beyond(a[v.name], b[v.name], v.type)))
        elif v.name in p.names:
            found += change_list(replace(left.game, variables=(v,)), a, b)
    return found


def _beyond(a: Map, b: Map, kind: BagOf) -> tuple[str, str]:
    """What each of two bags has that the other has not."""
    more = Map({k: n - b.get(k, 0) for k, n in a.items() if n > b.get(k, 0)})
    fewer = Map({k: n - a.get(k, 0) for k, n in b.items() if n > a.get(k, 0)})
    texts = (f"{written(x, kind)} more" if x else written(x, kind) for x in (more, fewer))
    return next(texts), next(texts)
