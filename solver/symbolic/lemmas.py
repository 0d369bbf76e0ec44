"""Which candidate invariants hold: the largest set that is true at the start and inductive together (Flanagan, Leino 2001).

For each move one solver is kept while the set shrinks. What a move cannot change it need not be asked about. A candidate of
which z3 finds nothing out is given up, so that the others are not lost with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import z3

from tablelaw.solver.ir import Move
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.symbolic.deciding import decide
from tablelaw.solver.symbolic.encode import Formula
from tablelaw.solver.symbolic.machine import Machine

ALONE = 0.25
"""Seconds for a candidate alone, where nothing was found out of all together."""


def inductive(machine: Machine, candidates: Sequence[Formula], budget: Budget) -> list[Formula]:
    """Those that hold in every reachable position, given the lemmas of the machine. Raises `OutOfBudget`."""
    known = {f.get_id() for f in machine.lemmas}
    tried = [f for f in {f.get_id(): f for f in candidates}.values() if f.get_id() not in known and not z3.is_true(f)]
    if not tried:
        return []
    alive = dict.fromkeys(range(len(tried)))
    all_of_them = _Tried(tried)
    _AtStart(machine, all_of_them).shrink(alive, budget)
    moves: list[_Kept | None] = [None] * len(machine.model.moves)
    quiet = 0  # so many moves in a row have dropped nothing
    k = 0
    while alive and quiet < len(moves):
        asked = moves[k] or _Kept(machine, all_of_them, machine.model.moves[k], f"h{k}")
        moves[k] = asked
        quiet = 1 if asked.shrink(alive, budget) else quiet + 1
        k = (k + 1) % len(moves)
    return [tried[i] for i in alive]


class _Tried:
    """The candidates as all solvers have them, built once: that each is known where it is assumed, and what breaks it."""

    def __init__(self, tried: Sequence[Formula]) -> None:
        numbers = range(len(tried))
        self.marks = [z3.Bool(f"kept {i}") for i in numbers]
        self.broken = [z3.Bool(f"broken {i}") for i in numbers]
        self.known = z3.And([z3.Implies(mark, f) for mark, f in zip(self.marks, tried, strict=True)])
        self.breaks = [z3.Implies(self.broken[i], z3.Not(tried[i])) for i in numbers]


class _Asked:
    """What must not be broken, each with its number, in a solver that knows what it may rest on."""

    def __init__(self, breaks: dict[int, Formula], tried: _Tried) -> None:
        self.breaks, self.broken = breaks, {i: tried.broken[i] for i in breaks}
        self.solver: Any = z3.Solver()
        self.solver.add(*breaks.values(), z3.Or(list(self.broken.values())))

    def assumed(self, alive: dict[int, None]) -> list[Formula]:
        """What may be rested on while so many are alive."""
        return []

    def shrink(self, alive: dict[int, None], budget: Budget) -> bool:
        """Drop candidates until those left cannot be broken; was any dropped?"""
        dropped = False
        while True:
            for i in [i for i in self.broken if i not in alive]:
                self.solver.add(z3.Not(self.broken.pop(i)))
            if not self.broken:
                return dropped
            answer = self._answer(alive, budget)
            if answer == z3.unsat:
                return dropped
            gone = self._refuted() if answer == z3.sat else self._undecided(alive, budget)
            if not gone:
                return dropped
            dropped = True
            for i in gone:
                del alive[i]

    def _answer(self, alive: dict[int, None], budget: Budget, *more: Formula) -> Any:
        return decide(self.solver, budget, *self.assumed(alive), *more)

    def _refuted(self) -> list[int]:
        model = self.solver.model()
        gone = [i for i in self.broken if z3.is_true(model.eval(self.breaks[i].arg(1), model_completion=True))]
        return gone or list(self.broken)

    def _undecided(self, alive: dict[int, None], budget: Budget) -> list[int]:
        """Those of which it is not shown, one by one, that they cannot be broken."""
        gone = []
        for i, mark in self.broken.items():
            try:
                if self._answer(alive, budget.part(ALONE), mark) == z3.unsat:
                    continue
            except OutOfBudget:
                budget.check()
            gone.append(i)
        return gone


class _AtStart(_Asked):
    def __init__(self, machine: Machine, tried: _Tried) -> None:
        super().__init__(dict(enumerate(tried.breaks)), tried)
        self.solver.add(machine.encoder.starts(machine.row))


class _Kept(_Asked):
    def __init__(self, machine: Machine, tried: _Tried, m: Move, tag: str) -> None:
        conditions, after, _ = machine.step(m, machine.row, tag)
        there = machine.place(after).all(tried.breaks)
        super().__init__({i: f for i, f in enumerate(there) if f.get_id() != tried.breaks[i].get_id()}, tried)
        self.marks = tried.marks
        self.solver.add(*machine.known(machine.row), *conditions, tried.known)

    def assumed(self, alive: dict[int, None]) -> list[Formula]:
        return [self.marks[i] for i in alive]
