"""The reachable positions of a game on values themselves, with the face of `graph.Space`: each position has a number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tablelaw.solver.evaluate import State, starts
from tablelaw.solver.space.graph import Budget, Space
from tablelaw.solver.space.write import Writer, compiled
from tablelaw.spec.core import Expr
from tablelaw.spec.game import Game
from tablelaw.spec.operators import Fault
from tablelaw.spec.types import Int
from tablelaw.spec.values import Map

Row = tuple[Any, ...]
_WRONG = (Fault, KeyError)


@dataclass(slots=True, eq=False)
class Coded:
    """A formula of a question as a function of positions: now, before, and who acted. `lo` and `hi` bound a number."""

    call: Callable[..., Any]
    lo: int
    hi: int
    fault: bool = False


class Rows(Space):
    """Positions met so far. A packed state is the number of its row in `rows`; -1 stands for a step with a fault."""

    rhythm = 2

    def __init__(self, game: Game, counters: tuple[str, ...], given: State | None, just_now: bool = False) -> None:
        self.game, self.counters = game, counters
        self.states: list[int] = []
        self.parents: list[int] = []
        self.index: dict[int, int] = {}
        self.faulty: list[int] = []
        self.stuck: list[int] = []
        self.expanded = 0
        self.steps = 0
        self.seconds = 0.0
        self.rows: list[Row] = []
        self.numbers: dict[Row, int] = {}
        writer = Writer(game, counters, just_now=just_now)
        self.code = compiled(writer.write(), writer.constants)
        for state in [given] if given is not None else starts(game):
            s = self.number((*(state[v.name] for v in game.variables), *(0 for _ in counters)))
            if s not in self.index:
                self.index[s] = len(self.states)
                self.states.append(s)
                self.parents.append(-1)
        self.starts = len(self.states)

    def number(self, row: Row) -> int:
        """The number of a row, a new one where it is new."""
        found = self.numbers.get(row)
        if found is None:
            found = self.numbers[row] = len(self.rows)
            self.rows.append(row)
        return found

    def state(self, game: Game, slots: int, s: int) -> State:
        """The position, without counters."""
        return Map({v.name: x for v, x in zip(self.game.variables, self.rows[s], strict=False)})

    def bare(self, s: int, slots: int) -> object:
        """What tells positions apart when counters are left out."""
        return self.rows[s][: len(self.game.variables)]

    def full(self, counters: Iterable[int]) -> bool:
        """Has a counter reached its end?"""
        n = len(self.game.variables)
        return any(255 in row[n:] for row in self.rows) if self.counters else False

    def _moves(self, s: int) -> list[tuple[int, list[Row | None]]]:
        try:
            found: list[tuple[int, list[Row | None]]] = self.code["moves"](self.rows[s])
        except _WRONG:
            return [(-1, [None])]
        return found

    @property
    def successors(self) -> Callable[[int, list[int]], None]:
        return self._successors_of

    def _successors_of(self, s: int, out: list[int]) -> None:
        number = self.number
        for _, nexts in self._moves(s):
            out += [-1 if n is None else number(n) for n in nexts]

    def weighted(self, s: int, stands: Mapping[int, int] | None = None) -> list[tuple[int, list[tuple[int, Fraction]]]]:
        try:
            found = self.code["weighted"](self.rows[s])
        except _WRONG:
            return [(-1, [(-1, Fraction(1))])]
        result = []
        for actor, nexts, chances in found:
            if any(n is None for n in nexts):
                result.append((-1, [(-1, Fraction(1))]))
                continue
            merged: dict[int, Fraction] = {}
            for n, p in zip(nexts, chances, strict=True):
                k = self.number(n)
                merged[k] = merged.get(k, Fraction(0)) + p
            result.append((actor, list(merged.items())))
        return result

    def choices(self, s: int) -> list[tuple[int, list[int]]]:
        found = []
        for actor, nexts in self._moves(s):
            fine = [self.number(n) for n in nexts if n is not None]
            if fine:
                found.append((actor, fine))
        return found

    def formula(self, term: Coded) -> Callable[..., int]:  # type: ignore[override]
        """A formula as a function `(s, n, a)` of packed states, as of the step from s to n; 0 where it has no value."""
        rows, call = self.rows, term.call

        def plain(s: int, n: int = -1, a: int = -1) -> int:
            before = rows[s]
            after = before if n < 0 else rows[n]
            actor = None if a < 0 else a
            try:
                found: int = call(after, before, actor)
            except _WRONG:
                return 1 if term.fault else 0  # what has no value holds nowhere
            return 0 if term.fault else found

        return plain

    def explore(self, budget: Budget) -> None:
        while not self.complete:
            budget.check(len(self.states))
            self.expand(budget, 512)

    @property
    def ended(self) -> Coded:  # type: ignore[override]
        return Coded(lambda s, p, a: self.code["is_ended"](s), 0, 1)

    @property
    def end_faults(self) -> list[Coded]:
        """Where an end clause, or who has won, has no value."""
        return [Coded(lambda s, p, a: self.code["who_won"](s), 0, 1, fault=True)]

    def coded(self, e: Expr, names: dict[str, Any] | None = None) -> tuple[Coded, Coded]:
        """A formula, and where it has no value. `names` are values of further names, such as `who`."""
        writer = Writer(self.game, self.counters)
        extra = {"is_ended": self.code["is_ended"], "who_won": self.code["who_won"]}
        given = dict(names or {})
        source = writer.formula(e, tuple(given))
        call = compiled(source, writer.constants, extra)["formula"]
        lo, hi = (e.type.lo, e.type.hi) if isinstance(e.type, Int) else (0, 1)
        bound: Callable[..., Any] = (lambda s, p, a: call(s, p, a, **given)) if given else call
        low, high = -(2**62) if lo is None else lo, 2**62 if hi is None else hi
        return Coded(bound, low, high), Coded(bound, 0, 1, fault=True)
