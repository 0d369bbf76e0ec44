"""Which clauses a proof rests on: cores of the three implications of an inductive invariant, made minimal.

The invariant's parts and the clauses are named assumptions; starting from the property, each part that is needed adds
what its own preservation needs (inductive validity cores, Ghassabani, Gacek, Whalen 2016).
"""

from __future__ import annotations

from typing import Any

import z3

from tablelaw.solver.effort import within
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.symbolic.deciding import decide
from tablelaw.solver.symbolic.encode import Env, Formula
from tablelaw.solver.symbolic.engine import Symbolic
from tablelaw.solver.symbolic.machine import Bad, Machine
from tablelaw.spec.questions import Asked


def core(engine: Symbolic, asked: Asked, lemmas: list[Formula], row: list[Formula], budget: Budget) -> list[str] | None:
    """The clauses that a proved question rests on, given the lemmas (over `row`) that prove it; None when undecided."""
    machine = engine.machine(asked, switched=True)
    model = machine.model
    machine.switches = [z3.Bool(f"clause {name}") for name in model.switches]
    parts: list[Formula] = []
    for f in lemmas:
        g = z3.substitute(f, *zip(row, machine.row, strict=False))
        parts += list(g.children()) if z3.is_and(g) else [g]
    bad = engine.bad(asked, machine)
    search = _Core(machine, parts, within(budget))
    try:
        search.property(bad)
        search.close()
    except OutOfBudget:
        return None
    if search.failed:
        return None
    return [name for name in model.switches if name in search.clauses]


class _Core:
    def __init__(self, machine: Machine, parts: list[Formula], budget: Budget) -> None:
        self.machine, self.parts, self.budget = machine, parts, budget
        assert machine.switches is not None
        self.marks = [z3.Bool(f"part {i}") for i in range(len(parts))]
        self.switches = machine.switches
        self.clauses: set[str] = set()
        self.needed: list[int] = []
        self.failed = False

    def _solver(self) -> Any:
        s = z3.Solver()
        s.set("core.minimize", True)
        s.add(*self.machine.encoder.ranges(self.machine.row))
        for mark, part in zip(self.marks, self.parts, strict=True):
            s.add(z3.Implies(mark, part))
        return s

    def _use(self, s: Any) -> None:
        """Add what the core of an unsatisfiable query names, shrunk until nothing can be left out."""
        # what has been taken already costs nothing, so it is assumed first
        assumed = [*self.marks, *self.switches]
        answer = decide(s, self.budget, *assumed)
        if answer != z3.unsat:
            self.failed = True
            return
        kept = list(s.unsat_core())
        free = {x.get_id() for x in self._taken()}
        for x in sorted(kept, key=lambda y: y.get_id() in free):
            if x.get_id() in free:
                continue
            trial = [y for y in kept if y.get_id() != x.get_id()] + [
                y for y in self._taken() if all(y.get_id() != k.get_id() for k in kept)
            ]
            if decide(s, self.budget, *trial) == z3.unsat:
                kept = list(s.unsat_core())
        ids = {x.get_id() for x in kept}
        for i, mark in enumerate(self.marks):
            if mark.get_id() in ids and i not in self.needed:
                self.needed.append(i)
        for name, switch in zip(self.machine.model.switches, self.switches, strict=True):
            if switch.get_id() in ids:
                self.clauses.add(name)

    def _taken(self) -> list[Formula]:
        names = self.machine.model.switches
        return [self.marks[i] for i in self.needed] + [
            s for n, s in zip(names, self.switches, strict=True) if n in self.clauses
        ]

    def property(self, bad: Bad) -> None:
        """The property follows from the parts, in positions; and on steps where it speaks of steps."""
        row = self.machine.row
        if bad.state is not None:
            s = self._solver()
            s.add(bad.state(self.machine.env(row)))
            self._use(s)
        if bad.step is not None:
            for k, m in enumerate(self.machine.model.moves):
                s = self._solver()
                conditions, after, env = self.machine.step(m, row, f"p{k}")
                s.add(*conditions, bad.step(m, Env(row, after, env.inputs, env.actor, self.machine.switches)))
                self._use(s)

    def close(self) -> None:
        """Every needed part is kept by every move."""
        done = 0
        while done < len(self.needed) and not self.failed:
            part = self.parts[self.needed[done]]
            done += 1
            for k, m in enumerate(self.machine.model.moves):
                s = self._solver()
                conditions, after, _ = self.machine.step(m, self.machine.row, f"k{k}")
                s.add(*conditions, z3.Not(self.machine.at(part, after)))
                self._use(s)
