"""One problem in z3: its positions and steps, what is known of them, and plays unrolled step by step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import z3

from tablelaw.solver.ir import Move, Term
from tablelaw.solver.problem import Problem
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.symbolic.deciding import decide
from tablelaw.solver.symbolic.encode import Encoder, Env, Formula
from tablelaw.solver.symbolic.placing import Placing


@dataclass(slots=True)
class Step:
    """A move from `Machine.row`, built once: its conditions, the slots after it, who moves, and its inputs."""

    move: Move
    conditions: list[Formula]
    after: list[Formula]
    actor: Formula
    inputs: list[Formula]


class Bad:
    """What must not happen: in a position (`state`), or on a step (`step`, given the move); as formulas over an Env."""

    def __init__(
        self,
        state: Callable[[Env], Formula] | None,
        step: Callable[[Move, Env], Formula] | None = None,
        start: Callable[[Env], Formula] | None = None,
    ) -> None:
        self.state, self.step, self.start = state, step, start or state
        self.built: dict[int, Formula] = {}  # by a machine, over its own constants


class Machine:
    """One problem in z3: its positions, steps, and what has been proved of them."""

    def __init__(self, problem: Problem, below: Machine | None = None) -> None:
        self.problem = problem
        self.below = below  # the same game without counters, of which the lemmas hold here too
        self.model = problem.model
        self.encoder = Encoder(problem.model)
        self.switches: list[Formula] | None = None
        self.row = self.encoder.position("now")
        self.lemmas: list[Formula] = []
        self.refuted = -1  # no play of so many steps to what is looked for now
        self.interest: list[Term] = []
        self.prepared = False
        self._unrolled: Unrolled | None = None
        self._steps: dict[int, Step] = {}
        self._next = self.encoder.position("next")
        self._ranges = self.encoder.ranges(self.row)

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
        return self.place(row).all([*self._ranges, *self.lemmas])

    def at(self, f: Formula, row: list[Formula]) -> Formula:
        """A formula over `self.row`, at another position."""
        return self.place(row).of(f)

    def place(self, row: list[Formula]) -> Placing:
        """Takes formulas over `self.row` to another position."""
        return Placing(self.row, row)

    def step(self, m: Move, row: list[Formula], tag: str) -> tuple[list[Formula], list[Formula], Env]:
        """The move from a position: conditions, the slots after it, and the Env to read formulas about it in."""
        first = self._first(m)
        inputs = self.encoder.inputs(m, tag)
        there = Placing([*self.row, *first.inputs], [*row, *inputs])
        after = [row[i] if x is self.row[i] else there.of(x) for i, x in enumerate(first.after)]
        return there.all(first.conditions), after, self.env(row, inputs, after, there.of(first.actor))

    def _first(self, m: Move) -> Step:
        """The move from `self.row`, built when it is first asked for."""
        found = self._steps.get(id(m))
        if found is None:
            e = self.encoder
            env = self.env(self.row, e.inputs(m, f"move{len(self._steps)}"))
            conditions, after = e.taken(m, env), e.after(m, env)
            actor = z3.IntVal(-1) if m.table else e.term(m.actor, env)
            found = self._steps[id(m)] = Step(m, conditions, after, actor, env.inputs)
        return found

    def bad_at(self, bad: Bad, row: list[Formula], start: bool = False) -> Formula:
        """The position (a start, that is) is bad."""
        told = bad.start if start else bad.state
        assert told is not None
        key = -1 if start and told is not bad.state else -2
        if key not in bad.built:
            bad.built[key] = told(self.env(self.row))
        return self.at(bad.built[key], row)

    def bad_on(self, bad: Bad, m: Move, row: list[Formula], env: Env) -> Formula:
        """The step from a position, as `step` told of it, is bad; `env.next` may be any row that it leads to."""
        assert bad.step is not None
        assert env.next is not None
        first = self._first(m)
        if id(m) not in bad.built:
            bad.built[id(m)] = bad.step(m, Env(self.row, self._next, first.inputs, first.actor, self.switches))
        there = Placing([*self.row, *self._next, *first.inputs], [*row, *env.next, *env.inputs])
        return there.of(bad.built[id(m)])

    def pairs(self, bad: Bad, m: Move, row: list[Formula], tag: str) -> tuple[list[Formula], Formula]:
        """Conditions of the move, and that something bad comes of it."""
        conditions, after, env = self.step(m, row, tag)
        parts: list[Formula] = []
        if bad.state is not None:
            parts.append(self.bad_at(bad, after))
        if bad.step is not None:
            parts.append(self.bad_on(bad, m, row, env))
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
        first = self.rows[0]
        self.solver.add(machine.encoder.starts(first), *machine.known(first), self.done[0] == machine.bad_at(bad, first, True))

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
                env.next = after
                hits.append(z3.And(chosen, machine.bad_on(bad, m, row, env)))
        if bad.state is not None:
            hits.append(machine.bad_at(bad, after))
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
