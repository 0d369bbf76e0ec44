"""A game lying on the table: the steps so far, what may come next, and lines of text turned into steps."""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace
from fractions import Fraction

from tablelaw.checkers.explain import move_line
from tablelaw.checkers.nearby import centre, sorted_moves
from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import Move, State
from tablelaw.solver.replay import place_along
from tablelaw.solver.trace import Step, Trace, first_step, move_text, take
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.operators import Fault, same
from tablelaw.spec.questions import Line, Reader
from tablelaw.spec.reckon import meant, value
from tablelaw.spec.values import Value

Drawn = tuple[tuple[str, Value], ...]
MOST_TABLE_STEPS = 500
LONGEST_LINE = 2000


class Illegal(Exception):
    """The move that a line names is not legal here."""


class Unclear(Exception):
    """A line that cannot be played as it stands; the text says what is missing."""


class Undrawn(Unclear):
    """The line leaves open what is drawn."""

    def __init__(self, move: Move, draws: list[tuple[Drawn, Fraction]]) -> None:
        super().__init__(f"it is open what `{move.action}` draws ({len(draws):,} draws fit)")
        self.move, self.draws = move, draws


@dataclass(slots=True)
class Table:
    """A play in progress. `dice` draws what no line names; without it the draw has to be told."""

    game: Game
    steps: list[Step]
    dice: random.Random | None = None
    marks: list[int] = field(default_factory=list)
    """How many steps there were before each choice: where `undo` goes back to."""

    @classmethod
    def of(cls, game: Game, start: State, seed: int | None) -> Table:
        """A table with the position as its start; raises `Fault` when the end of the game has no value there."""
        return cls(game, [first_step(start, game)], None if seed is None else random.Random(seed))

    @property
    def state(self) -> State:
        """The position now."""
        return self.steps[-1].state

    @property
    def trace(self) -> Trace:
        """The play so far."""
        return Trace(list(self.steps))

    def moves(self) -> list[Move]:
        """The legal moves; raises `Fault` where the rules have none because a formula has no value."""
        return [] if self.steps[-1].fault is not None else evaluate.moves(self.game, self.state)

    def reader(self, sink: Diagnostics) -> Reader:
        """What reads lines and positions of this game."""
        return Reader(self.game, sink, evaluate.starts(self.game)[0])

    def read(self, text: str, name: str, sink: Diagnostics) -> Line | None:
        """A single move as a person writes it; None when it cannot be read (the sink knows)."""
        line = move_line(self.reader(sink), text[:LONGEST_LINE], name)
        if line is not None and line.action is None and not sink.has_errors:
            sink.error("Q107", line.span, "a single move is played at a time", help="write `take(n=2)` or `roll -> pips=1`")
        return None if sink.has_errors or line is None or line.action is None else line

    # steps

    def settle(self, until: str | None = None) -> list[Step]:
        """Take the steps of the table that are forced, up to an action of that name; the steps taken."""
        taken: list[Step] = []
        while len(taken) < MOST_TABLE_STEPS:
            moves = self.moves()
            if not moves or moves[0].actor is not None or any(m.action == until for m in moves):
                return taken
            step = self._forced(moves)
            if step is None:
                return taken
            self.steps.append(step)
            taken.append(step)
        raise Unclear(f"the table acts {MOST_TABLE_STEPS} times in a row, and goes on")

    def _forced(self, moves: list[Move]) -> Step | None:
        found: Step | None = None
        for move in moves:
            for drawn, _ in evaluate.draws(self.game, self.state, move):
                step = take(self.game, self.state, move, drawn)
                if step.fault is not None or (found is not None and step.state != found.state):
                    return None
                found = found or step
        return found

    def fitting(self, line: Line) -> list[Move]:
        """The legal moves with the action and the arguments of the line."""
        return [m for m in self.moves() if m.action == line.action and all(meant(v, dict(m.args)[n]) for n, v in line.args)]

    def play(self, line: Line) -> list[Step]:
        """Play a line, before it what the table must do; the steps taken. Raises `Illegal`, `Unclear` or `Fault`."""
        before = len(self.steps)
        self.marks.append(before)
        try:
            for _ in range(line.times):
                self._play(line)
        except (Illegal, Unclear, Fault):
            if line.times > 1 or len(self.steps) == before:
                del self.steps[before:]
                self.marks.pop()
            raise
        return self.steps[before:]

    def _play(self, line: Line) -> None:
        self.settle(line.action)
        moves = self.fitting(line)
        if not moves:
            raise Illegal
        if len(moves) > 1:
            shown = [move_text(self.game, m) for m in sorted_moves(moves, centre(self.game, self.state, line.args))]
            few = ", ".join(shown[:6]) + (", …" if len(shown) > 6 else "")
            raise Unclear(f"it is open which of {len(shown)} moves is meant: {few}")
        fitting = [(d, p) for d, p in evaluate.draws(self.game, self.state, moves[0]) if self._fits(line, moves[0], d)]
        if not fitting:
            raise Unclear("nothing that can be drawn fits")
        if len(fitting) > 1 and self.dice is None:
            raise Undrawn(moves[0], fitting)
        drawn = fitting[0][0] if self.dice is None or len(fitting) == 1 else chosen(fitting, self.dice)
        self.go(moves[0], drawn)

    def go(self, move: Move, drawn: Drawn) -> Step:
        """Take one step."""
        step = take(self.game, self.state, move, drawn)
        self.steps.append(step)
        return step

    def _fits(self, line: Line, move: Move, drawn: Drawn) -> bool:
        known = dict(drawn)
        if not all(same(known[n], v) for n, v in line.draw):
            return False
        if line.condition is None:
            return True
        after = Trace([*self.steps, take(self.game, self.state, move, drawn)])
        here = place_along(self.game, after, len(after.steps) - 1)
        try:
            return bool(value(line.condition, replace(here, names={**dict(move.args), **known, **here.names})))
        except Fault:
            return False

    def undo(self) -> bool:
        """Go back to before the last choice; false when there is none."""
        if not self.marks:
            return False
        del self.steps[self.marks.pop() :]
        return True


def chosen(draws: list[tuple[Drawn, Fraction]], dice: random.Random) -> Drawn:
    """One of the draws, each as likely as the rules say."""
    total = sum((p for _, p in draws), Fraction(0))
    at = Fraction(dice.randrange(2**53), 2**53) * total
    for drawn, p in draws:
        at -= p
        if at < 0:
            return drawn
    return draws[-1][0]
