"""Moves played from a position, whatever is drawn: every course that the play can take."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import Move
from tablelaw.solver.replay import place_along
from tablelaw.solver.trace import Step, Trace, take
from tablelaw.spec.game import Game
from tablelaw.spec.operators import Fault, same
from tablelaw.spec.questions import Line
from tablelaw.spec.reckon import meant, value
from tablelaw.spec.values import Value

MOST_BRANCHES = 4_000
MOST_TABLE_STEPS = 60
Drawn = tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class Branch:
    """One course of the play. `weight` is its probability, None where more moves than one fit what was written."""

    steps: tuple[Step, ...]
    weight: Fraction | None = Fraction(1)

    @property
    def trace(self) -> Trace:
        """The play."""
        return Trace(list(self.steps))

    @property
    def last(self) -> Step:
        """Its last step."""
        return self.steps[-1]

    def then(self, step: Step, share: Fraction | None) -> Branch:
        """The course with one more step."""
        weight = None if share is None or self.weight is None else self.weight * share
        return Branch((*self.steps, step), weight)


class Stopped(Exception):
    """A move cannot be played on some course; `line` is which, `branch` how far it went."""

    def __init__(self, line: Line, branch: Branch, reason: str) -> None:
        super().__init__(reason)
        self.line, self.branch = line, branch


class TooMany(Exception):
    """More courses than can be looked at."""


def played(game: Game, begin: Branch, lines: Sequence[Line]) -> list[Branch]:
    """Every course of the moves from there; what the table must do first is done. Raises `Stopped`, `TooMany` or `Fault`."""
    found = [begin]
    for line in lines:
        for _ in range(line.times):
            found = [after for b in found for s in settled(game, b, line.action) for after in _moved(game, s, line)]
            if len(found) > MOST_BRANCHES:
                raise TooMany(f"more than {MOST_BRANCHES:,} courses of the play are possible")
    return found


def settled(game: Game, begin: Branch, until: str | None = None, draws: bool = True) -> list[Branch]:
    """What the table does before anybody moves, up to an action of that name; every draw is a course of its own.

    Without `draws` only as long as it is one thing that it does.
    """
    done: list[Branch] = []
    waiting = [begin]
    while waiting:
        b = waiting.pop()
        moves = evaluate.moves(game, b.last.state) if b.last.fault is None else []
        if not moves or moves[0].actor is not None or any(m.action == until for m in moves):
            done.append(b)
            continue
        if len(b.steps) - len(begin.steps) >= MOST_TABLE_STEPS or len(waiting) + len(done) > MOST_BRANCHES:
            raise TooMany("the table acts more often than can be looked at")
        nexts = [(take(game, b.last.state, m, d), p) for m in moves for d, p in evaluate.draws(game, b.last.state, m)]
        alone = len(moves) == 1
        states = {s.state for s, _ in nexts}
        if len(states) == 1:
            waiting.append(b.then(nexts[0][0], Fraction(1)))
        elif not draws:
            done.append(b)
        else:
            waiting += [b.then(s, p if alone else None) for s, p in reversed(nexts)]
    return done


def fitting(game: Game, branch: Branch, line: Line) -> list[Move]:
    """The legal moves that a line may mean."""
    if branch.last.fault is not None:
        return []
    every = evaluate.moves(game, branch.last.state)
    return [m for m in every if m.action == line.action and all(meant(v, dict(m.args)[n]) for n, v in line.args)]


def _moved(game: Game, branch: Branch, line: Line) -> list[Branch]:
    moves = fitting(game, branch, line)
    if not moves:
        raise Stopped(line, branch, "it is not legal there")
    found: list[Branch] = []
    for move in moves:
        draws = [(d, p) for d, p in evaluate.draws(game, branch.last.state, move) if _fits(game, branch, line, move, d)]
        total = sum((p for _, p in draws), Fraction(0))
        for drawn, p in draws:
            step = take(game, branch.last.state, move, drawn)
            found.append(branch.then(step, p / total if len(moves) == 1 else None))
    if not found:
        raise Stopped(line, branch, "nothing that can be drawn fits")
    return found


def _fits(game: Game, branch: Branch, line: Line, move: Move, drawn: Drawn) -> bool:
    known = dict(drawn)
    if not all(same(known[n], v) for n, v in line.draw):
        return False
    if line.condition is None:
        return True
    after = Trace([*branch.steps, take(game, branch.last.state, move, drawn)])
    here = place_along(game, after, len(after.steps) - 1)
    try:
        return bool(value(line.condition, replace(here, names={**dict(move.args), **known, **here.names})))
    except Fault:
        return False
