"""One problem in z3: its positions and steps, what is known of them, and plays unrolled step by step."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import z3

from tablelaw.solver.ir import Move, Term
from tablelaw.solver.problem import Problem
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.symbolic.encode import Encoder, Env, Formula
from tablelaw.solver.symbolic.interrupts import ask


class Bad:
    """What must not happen: in a position (`state`), or on a step (`step`, given the move); as formulas over an Env."""

    def __init__(
        self,
        state: Callable[[Env], Formula] | None,
        step: Callable[[Move, Env], Formula] | None = None,
        start: Callable[[Env], Formula] | None = None,
    ) -> None:
        self.state, self.step, self.start = state, step, start or state


class Machine:
    """One problem in z3: its positions, steps, and what has been proved of them."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.model = problem.model
        self.encoder = Encoder(problem.model)
        self.switches: list[Formula] | None = None
        self.row = self.encoder.position("now")
        self.lemmas: list[Formula] = []
        self.refuted = -1  # no play of so many steps to what is looked for now
        self.interest: list[Term] = []
        self.prepared = False
        self._unrolled: Unrolled | None = None

    def env(
        self,
        row: list[Formula],
        inputs: list[Formula] | None = None,
        after: list[Formula] | None = None,
        actor: Formula | None = None,
    ) -> Env:
        return Env(row, after, inputs or [], actor, self.switches)

    def unrolled(self, bad: Bad) -> Unrolled:
        """The plays to something bad; kept while the same thing is looked for."""
        if self._unrolled is None or self._unrolled.bad is not bad:
            self._unrolled = Unrolled(self, bad)
        return self._unrolled

    def known(self, row: list[Formula]) -> list[Formula]:
        """Ranges and lemmas at a position."""
        return self.encoder.ranges(row) + [self.at(f, row) for f in self.lemmas]

    def at(self, f: Formula, row: list[Formula]) -> Formula:
        """A formula over `self.row`, at another position."""
        return z3.substitute(f, *zip(self.row, row, strict=True)) if row is not self.row else f

    def step(self, m: Move, row: list[Formula], tag: str) -> tuple[list[Formula], list[Formula], Env]:
        """The move from a position: conditions, the slots after it, and the Env to read formulas about it in."""
        e = self.encoder
        env = self.env(row, e.inputs(m, tag))
        conditions = e.taken(m, env)
        after = e.after(m, env)
        env.actor = z3.IntVal(-1) if m.table else e.term(m.actor, env)
        env.next = after
        return conditions, after, env

    def pairs(self, bad: Bad, m: Move, row: list[Formula], tag: str) -> tuple[list[Formula], Formula]:
        """Conditions of the move, and that something bad comes of it."""
        conditions, after, env = self.step(m, row, tag)
        parts: list[Formula] = []
        if bad.state is not None:
            parts.append(bad.state(self.env(after)))
        if bad.step is not None:
            parts.append(bad.step(m, Env(row, after, env.inputs, env.actor, self.switches)))
        return conditions, z3.Or(parts)


class Unrolled:
    """Plays step by step in one solver, to something bad: after the end is reached the remaining steps are idle.

    One query speaks of all lengths up to a bound; longer plays extend the same solver.
    """

    def __init__(self, machine: Machine, bad: Bad) -> None:
        self.machine, self.bad = machine, bad
        self.solver = z3.Solver()
        self.rows = [machine.encoder.position("0")]
        self.done = [z3.Bool("done0")]
        assert bad.start is not None
        first = self.rows[0]
        self.solver.add(machine.encoder.starts(first), *machine.known(first), self.done[0] == bad.start(machine.env(first)))

    def _extend(self) -> None:
        machine, bad = self.machine, self.bad
        depth, row, before = len(self.rows), self.rows[-1], self.done[-1]
        after, done = machine.encoder.position(str(depth)), z3.Bool(f"done{depth}")
        options: list[Formula] = []
        hits: list[Formula] = []
        for k, m in enumerate(machine.model.moves):
            conditions, slots, env = machine.step(m, row, f"{depth}.{k}")
            chosen = z3.Bool(f"step{depth}={k}")
            options.append(chosen)
            self.solver.add(z3.Implies(chosen, z3.And([*conditions, *[a == b for a, b in zip(after, slots, strict=True)]])))
            if bad.step is not None:
                hits.append(z3.And(chosen, bad.step(m, Env(row, after, env.inputs, env.actor, machine.switches))))
        if bad.state is not None:
            hits.append(bad.state(machine.env(after)))
        self.solver.add(*machine.known(after), z3.Or(before, z3.Or(options)), z3.Implies(before, done))
        self.solver.add(z3.Implies(z3.And(done, z3.Not(before)), z3.Or(hits)))
        self.solver.add(*[z3.Implies(before, z3.Not(o)) for o in options])
        self.rows.append(after)
        self.done.append(done)

    def play(self, last: int, budget: Budget, *more: Formula) -> list[list[int]] | None:
        """The slots along some play of at most `last` steps, None when there is none; `more` literals are assumed.

        Raises `OutOfBudget`.
        """
        while len(self.rows) <= last:
            self._extend()
            if budget.left() <= 0:
                raise OutOfBudget("z3 did not decide in time")
        answer = decide(self.solver, budget, self.done[last], *more)
        if answer == z3.unknown:
            raise OutOfBudget("z3 did not decide in time")
        if answer == z3.unsat:
            return None
        found = self.solver.model()
        length = next(d for d in range(last + 1) if z3.is_true(found.eval(self.done[d], model_completion=True)))
        return [[number_of(found, x) for x in row] for row in self.rows[: length + 1]]


def decide(solver: Any, budget: Budget, *assumptions: Formula) -> Any:
    """z3's answer within the time left; raises `OutOfBudget` when the time is over."""
    left = budget.left()
    if left <= 0:
        raise OutOfBudget(f"the time of {budget.seconds:g} s is over")
    if left != float("inf"):
        solver.set("timeout", max(1, int(left * 1000)))
    if budget.mebibytes:
        z3.set_param("memory_max_size", budget.mebibytes)
    return ask(solver, *assumptions)


def number_of(model: Any, x: Formula) -> int:
    found = model.eval(x, model_completion=True)
    return int(z3.is_true(found)) if z3.is_bool(found) else found.as_long()


def constants(f: Formula) -> list[Formula]:
    seen: dict[int, Formula] = {}
    stack, done = [f], set()
    while stack:
        x = stack.pop()
        if x.get_id() in done:
            continue
        done.add(x.get_id())
        if z3.is_const(x) and x.decl().kind() == z3.Z3_OP_UNINTERPRETED:
            seen[x.get_id()] = x
        stack.extend(x.children())
    return list(seen.values())
