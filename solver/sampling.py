"""Whole plays at random: every legal move alike, draws by their probabilities, all of it told by a seed.

Play i of a seed depends on these two numbers alone, on every platform and whichever of two players of the game made it:
`Coded`, on generated code, or `Plain`, on the evaluator, to which tests hold it.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import Any, Protocol

from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import State
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.playing import Playing, Row, Weighed
from tablelaw.solver.trace import Trace, first_step, take
from tablelaw.solver.verdict import InternalFault
from tablelaw.spec.game import Action, Game
from tablelaw.spec.operators import Fault
from tablelaw.spec.values import Map, Value

Choice = tuple[int, int, tuple[Value, ...]]
"""A move: the number of its action, the player (-1: the table), and its arguments."""
Taken = tuple[Choice, tuple[Value, ...]]
"""A move with what was drawn."""
LIMIT = 10_000
"""A play of more steps is cut."""
_BITS = 1 << 53


class Dice:
    """Choices of one play. Only `random()` is drawn on, whose numbers Python's documentation fixes for a seed."""

    def __init__(self, seed: int, play: int) -> None:
        self._random = random.Random(f"{seed} {play}").random

    def below(self, n: int) -> int:
        """A whole number from 0 to n - 1, each exactly as likely; nothing is drawn where there is one alone."""
        if n == 1:
            return 0
        most = _BITS - _BITS % n
        while True:
            found = int(self._random() * _BITS)
            if found < most:
                return found % n

    def weighed(self, values: tuple[Value, ...], weights: tuple[int, ...]) -> Value:
        """One of the values, by whole weights."""
        if len(values) == 1:
            return values[0]
        at = self.below(sum(weights))
        for v, w in zip(values, weights, strict=True):
            at -= w
            if at < 0:
                return v
        raise AssertionError("weights are positive")


class Player(Protocol):
    """Who knows the rules while a play is made. What stands for a position is its own matter."""

    game: Game
    actions: list[Action]
    clauses: list[str]
    """Clauses by their two bits in what `step` gives: it took effect; something was assigned then (`Plain`: the same)."""
    checks: list[str]
    refused: list[int]
    """How many moves each check was the first to refuse, so far."""

    def starts(self) -> list[Any]: ...
    def of(self, state: State) -> Any: ...
    def legal(self, s: Any) -> list[Choice]: ...
    def chance(self, s: Any, choice: Choice, number: int, drawn: tuple[Value, ...]) -> Weighed: ...
    def step(self, s: Any, choice: Choice, drawn: tuple[Value, ...]) -> tuple[Any, int]: ...
    def end(self, s: Any) -> int: ...
    def winners(self, s: Any) -> frozenset[int]: ...
    def state(self, s: Any) -> State: ...


class Coded:
    """Plays on rows, by generated code; with `counters` a row also tells how often each of these has happened."""

    def __init__(self, game: Game, counters: tuple[str, ...] = ()) -> None:
        self.game, self.counters = game, counters
        writer = Playing(game, counters)
        self.code = writer.code()
        self.actions, self.checks = writer.actions, writer.checks
        self.clauses = list(writer.bits)
        self.refused = [0] * len(self.checks)

    def of(self, state: State) -> Row:
        """The row of a position where nothing has happened yet."""
        return (*(state[v.name] for v in self.game.variables), *(0 for _ in self.counters))

    def starts(self) -> list[Row]:
        return [self.of(s) for s in evaluate.starts(self.game)]

    def legal(self, s: Row) -> list[Choice]:
        return self.code.legal(s, self.refused)

    def chance(self, s: Row, choice: Choice, number: int, drawn: tuple[Value, ...]) -> Weighed:
        n, actor, args = choice
        return self.code.chances[n][number](s, actor, *args, *drawn)

    def step(self, s: Row, choice: Choice, drawn: tuple[Value, ...]) -> tuple[Row, int]:
        n, actor, args = choice
        return self.code.take[n](s, actor, *args, *drawn)

    def end(self, s: Row) -> int:
        return self.code.which_end(s)

    def winners(self, s: Row) -> frozenset[int]:
        return self.code.who_won(s)

    def state(self, s: Row) -> State:
        return Map({v.name: x for v, x in zip(self.game.variables, s, strict=False)})


class Plain:
    """Plays on positions, by the evaluator."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.actions = [a for a in game.actions if a.by is None] + [a for a in game.actions if a.by is not None]
        self.numbers = {a.name: n for n, a in enumerate(self.actions)}
        self.clauses: list[str] = []
        self.checks: list[str] = []
        self.refused: list[int] = []

    def starts(self) -> list[State]:
        return evaluate.starts(self.game)

    def of(self, state: State) -> State:
        return state

    def legal(self, s: State) -> list[Choice]:
        found = evaluate.moves(self.game, s)
        return [(self.numbers[m.action], -1 if m.actor is None else m.actor, tuple(v for _, v in m.args)) for m in found]

    def chance(self, s: State, choice: Choice, number: int, drawn: tuple[Value, ...]) -> Weighed:
        action, move = self.actions[choice[0]], move_of(self, choice)
        names = {d.name: v for d, v in zip(action.draws, drawn, strict=False)}
        ways = evaluate.one_draw(action.draws[number], evaluate.there(self.game, s, move).bind(names))
        scale = lcm(*(Fraction(p).denominator for _, p in ways))
        return tuple(v for v, _ in ways), tuple(int(p * scale) for _, p in ways)

    def step(self, s: State, choice: Choice, drawn: tuple[Value, ...]) -> tuple[State, int]:
        action = self.actions[choice[0]]
        found = evaluate.apply(self.game, s, move_of(self, choice), named(action, drawn))
        if found.fault is not None:
            raise found.fault
        bits = 0
        for clause in found.fired:
            if clause not in self.clauses:
                self.clauses.append(clause)
            bits |= 3 << 2 * self.clauses.index(clause)
        return found.state, bits

    def end(self, s: State) -> int:
        found = evaluate.end(self.game, s)
        return -1 if found is None else self.game.ends.index(found)

    def winners(self, s: State) -> frozenset[int]:
        return evaluate.winners(self.game, s)

    def state(self, s: State) -> State:
        return s


def player(game: Game, counters: tuple[str, ...] = ()) -> Player:
    """Who plays the game fastest."""
    try:
        return Coded(game, counters)
    except (Unlowerable, RecursionError):
        if counters:
            raise
        return Plain(game)


def move_of(player: Player, choice: Choice) -> evaluate.Move:
    """The move as the evaluator has it."""
    action = player.actions[choice[0]]
    args = tuple((b.name, v) for b, v in zip(action.params, choice[2], strict=True))
    return evaluate.Move(action.name, args, None if choice[1] < 0 else choice[1])


def named(action: Action, drawn: tuple[Value, ...]) -> tuple[tuple[str, Value], ...]:
    """What was drawn, with its names."""
    return tuple((d.name, v) for d, v in zip(action.draws, drawn, strict=True))


@dataclass(slots=True)
class Play:
    """A play: its start, its steps, how it came to an end, and how often each set of clauses took effect in a step.

    `ending` is `ended` (by the end clause of number `end`), `stuck`, `cut`, `fault` (the rules have no value for what comes
    next), or `found`, where what was watched for holds.
    """

    start: Any
    last: Any = None
    steps: list[Taken] = field(default_factory=list)
    ending: str = "cut"
    end: int = -1
    fault: str = ""
    fired: dict[int, int] = field(default_factory=dict)
    moves: int = 0


Watch = Callable[[Any, Any, int], bool]
"""Is it there, in a position that was reached from one before by a player's step?"""


def play(player: Player, start: Any, dice: Dice, limit: int = LIMIT, watch: Watch | None = None) -> Play:
    """One play from a start."""
    made = Play(start)
    s, legal, chance, step = start, player.legal, player.chance, player.step
    if watch is not None and watch(s, s, -1):
        made.last, made.ending = s, "found"
        return made
    try:
        while len(made.steps) < limit:
            choices = legal(s)
            if not choices:
                made.end = player.end(s)
                made.ending = "ended" if made.end >= 0 else "stuck"
                break
            choice = choices[dice.below(len(choices))]
            drawn: tuple[Value, ...] = ()
            for k in range(len(player.actions[choice[0]].draws)):
                drawn = (*drawn, dice.weighed(*chance(s, choice, k, drawn)))
            before = s
            s, bits = step(s, choice, drawn)
            made.steps.append((choice, drawn))
            made.fired[bits] = made.fired.get(bits, 0) + 1
            made.moves += choice[1] >= 0
            if watch is not None and watch(s, before, choice[1]):
                made.ending = "found"
                break
    except (Fault, KeyError) as fault:
        made.ending, made.fault = "fault", str(fault)
    made.last = s
    return made


def plays(
    player: Player, seed: int, limit: int = LIMIT, start: Any = None, watch: Watch | None = None, first: int = 0
) -> Iterator[Play]:
    """Plays 0, 1, 2, … of a seed (or from `first` on), without end; each chooses among the starts unless one is given."""
    starts = player.starts() if start is None else [start]
    number = first
    while True:
        dice = Dice(seed, number)
        yield play(player, starts[dice.below(len(starts))], dice, limit, watch)
        number += 1


def one_play(player: Player, seed: int, number: int, limit: int = LIMIT, start: Any = None) -> Play:
    """The play of that number alone."""
    starts, dice = player.starts() if start is None else [start], Dice(seed, number)
    return play(player, starts[dice.below(len(starts))], dice, limit)


def trace_of(player: Player, start: Any, steps: list[Taken]) -> Trace:
    """The play taken again by the evaluator, each move looked up among the legal ones."""
    game, state = player.game, player.state(start)
    trace = Trace([first_step(state, game)])
    for choice, drawn in steps:
        move, what = move_of(player, choice), named(player.actions[choice[0]], drawn)
        if move not in evaluate.moves(game, state):
            raise InternalFault(f"a play at random made the move {move}, which is not legal")
        if what not in evaluate.sound_draws(game, state, move):
            raise InternalFault(f"a play at random drew {what}, which cannot be drawn")
        step = take(game, state, move, what)
        if step.fault is not None:
            raise InternalFault("a play at random took a step that has a fault")
        trace.steps.append(step)
        state = step.state
    return trace
