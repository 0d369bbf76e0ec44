"""How many sequences of so many moves there are, in all and by their first move: what programs of a game compare."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tablelaw.checkers.valueless import no_moves
from tablelaw.solver.engine import Engines
from tablelaw.solver.evaluate import State
from tablelaw.solver.sampling import Choice, Player, move_of, player
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.trace import move_text
from tablelaw.solver.verdict import InternalFault, Verdict
from tablelaw.spec.game import Game
from tablelaw.spec.operators import Fault
from tablelaw.spec.questions import Asked
from tablelaw.spec.values import Value


@dataclass(slots=True)
class Share:
    """The sequences that begin with a move."""

    move: str
    count: int = 0
    draws: int = 0
    """In how many ways the move can come out, where that is drawn; starts and ways of the table counted apart."""


@dataclass(slots=True)
class Perft:
    """The count (as `count: moves` with `depth` has it), and the shares of first moves if they were asked for."""

    depth: int
    verdict: Verdict
    shares: list[Share] = field(default_factory=list)
    without_value: tuple[State, int] | None = None
    """A position on the way in which the rules have no value, and after how many moves it is met: there is no count then."""

    def json(self) -> dict[str, object]:
        """What is told besides the verdict."""
        return {"divide": [{"move": s.move, "value": str(s.count), "draws": s.draws} for s in self.shares]}


def perft(game: Game, depth: int, given: State | None, divide: bool, budget: Budget) -> Perft:
    """Count the sequences from a position (else from every start of the game)."""
    asked = Asked(f"perft-{depth}", "count", None, what="moves", depth=depth, given=given)
    engines = Engines(game, "explicit", cores=False)
    verdict = engines.ask(asked, budget)
    found = Perft(depth, verdict)
    if verdict.verdict != "unknown":
        try:
            found.without_value = _without_value(engines, asked, budget)
        except OutOfBudget as spent:
            found.verdict = Verdict("unknown", reason=f"out of budget: {spent.reason}", engine=verdict.engine)
            return found
    if found.without_value is not None:
        return found
    if not divide or not (verdict.value or "").isdecimal():  # without a number (the table goes round) there are no shares
        return found
    try:
        found.shares = _Divided(player(game), depth, budget).shares(given)
    except OutOfBudget as spent:
        found.verdict = Verdict("unknown", reason=f"out of budget: {spent.reason}", engine=verdict.engine)
        return found
    if sum(s.count for s in found.shares) != int(verdict.value or 0):
        raise InternalFault(f"the sequences of {depth} moves and those counted by their first move are not as many")
    return found


def _without_value(engines: Engines, asked: Asked, budget: Budget) -> tuple[State, int] | None:
    """The first position on the way to the last move of which the moves cannot be told."""
    problem, space = engines.explicit.prepared(asked)
    waiting = set(space.states[: space.starts])
    for number in range(asked.depth or 0):
        following, met = set[int](), set(waiting)
        while waiting:
            table: set[int] = set()
            for s in waiting:
                out: list[int] = []
                space.successors(s, out)
                if -1 in out:
                    state = space.state(engines.game, problem.game_slots, s)
                    if no_moves(engines.game, state) is not None:
                        return state, number
                for actor, nexts in space.choices(s):
                    (table if actor < 0 else following).update(nexts)
                budget.check(len(following))
            waiting = table - met
            met |= table
        waiting = following
    return None


Level = dict[Any, dict[int, int]]
"""Positions, each with the number of ways that lead there by each first move (-1: no move yet)."""


@dataclass(slots=True)
class _Divided:
    """Counts level by level, apart for each first move. The count is known to be finite."""

    player: Player
    depth: int
    budget: Budget
    numbers: dict[str, int] = field(default_factory=dict)
    found: list[Share] = field(default_factory=list)

    def shares(self, given: State | None) -> list[Share]:
        """The shares of the first moves."""
        level: Level = {}
        for s in self.player.starts() if given is None else [self.player.of(given)]:
            _add(level, s, {-1: 1})
        for number in range(self.depth):
            following: Level = {}
            waiting = level
            met: set[Any] = set()
            rounds = 0
            while waiting and len(met) >= rounds:  # else the table goes round; as the count is finite, no move comes of it
                rounds += 1
                table: Level = {}
                for s, ways in waiting.items():
                    self._spread(s, ways, table, following, last=number == self.depth - 1)
                    self.budget.check(len(following))
                met.update(table)
                waiting = table
            level = following
        return self.found

    def _spread(self, s: Any, ways: dict[int, int], table: Level, following: Level, last: bool) -> None:
        for choice in self._legal(s):
            by_table = choice[1] < 0
            first = -1 if by_table or -1 not in ways else self._number(choice)
            for drawn in self._draws(s, choice):
                try:
                    after = self.player.step(s, choice, drawn)[0]
                except (Fault, KeyError):
                    continue
                moved = ways if first < 0 else {first: ways[-1]}
                if first >= 0:
                    self.found[first].draws += ways[-1]
                if by_table:
                    _add(table, after, moved)
                elif last:
                    for n, w in moved.items():
                        self.found[n].count += w
                else:
                    _add(following, after, moved)

    def _number(self, choice: Choice) -> int:
        text = move_text(self.player.game, move_of(self.player, choice))
        if text not in self.numbers:
            self.numbers[text] = len(self.found)
            self.found.append(Share(text))
        return self.numbers[text]

    def _legal(self, s: Any) -> list[Choice]:
        try:
            return self.player.legal(s)
        except (Fault, KeyError):
            return []

    def _draws(self, s: Any, choice: Choice) -> list[tuple[Value, ...]]:
        """All draws of a move; none where one of them has a fault, for then no step of the move is taken."""
        found: list[tuple[Value, ...]] = [()]
        try:
            for k in range(len(self.player.actions[choice[0]].draws)):
                found = [(*drawn, v) for drawn in found for v in self.player.chance(s, choice, k, drawn)[0]]
        except (Fault, KeyError):
            return []
        return found


def _add(level: Level, s: Any, ways: dict[int, int]) -> None:
    old = level.setdefault(s, {})
    for n, w in ways.items():
        old[n] = old.get(n, 0) + w
