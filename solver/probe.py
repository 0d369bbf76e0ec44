"""Does a step that meets a condition ever come up? What vacuity asks of one game: by search where the game is small, else z3.

A condition is a term over a position and the inputs of a move. States that were met (all of them, or a sample) answer
most questions at once; only `never` needs all states, or a proof.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from tablelaw.solver.engine import Engines
from tablelaw.solver.ir import Model, Move, Term
from tablelaw.solver.lower import Lowerer, lower
from tablelaw.solver.lower_values import Around
from tablelaw.solver.problem import Problem, prepare
from tablelaw.solver.shapes import Perhaps, Tree
from tablelaw.solver.space.generate import compiled, formula_source, successor_source
from tablelaw.solver.space.graph import Budget, OutOfBudget, Space
from tablelaw.solver.trace import to_state
from tablelaw.spec.core import Expr
from tablelaw.spec.game import Game
from tablelaw.spec.questions import step_needs
from tablelaw.spec.values import Map

WALKS, LONGEST_WALK = 150, 400
Found = bool | None
"""Met; never met; not known."""


@dataclass(frozen=True, slots=True)
class Target:
    """What is looked for: a condition of positions, or one on each of some moves."""

    state: Term | None = None
    moves: tuple[tuple[Move, Term], ...] = ()

    @property
    def hopeless(self) -> bool:
        """Do the terms alone say that it never holds?"""
        return (self.state is None or (self.state.op == "const" and not self.state.number)) and not self.moves


@dataclass(slots=True)
class Probe:
    """One game being probed."""

    game: Game
    tell: Callable[[str], None] | None = None
    engines: Engines = field(init=False)
    problem: Problem = field(init=False)
    space: Space = field(init=False)
    model: Model = field(init=False)
    lowerer: Lowerer = field(init=False)
    seen: list[int] = field(default_factory=list)
    _memos: dict[str | None, dict[int, Term]] = field(default_factory=dict)
    _table: Callable[[int, list[int]], None] | None = None
    _asked: int = 0

    def __post_init__(self) -> None:
        """Lower the game twice: as it is searched, and with a switch for each clause. Raises `Unlowerable`."""
        self.engines = Engines(self.game, cores=False)
        self.problem = prepare(self.game, unroll=True)
        self.space = Space(self.problem.model)
        self.model, self.lowerer = lower(self.game, switched=True)

    # states

    @property
    def complete(self) -> bool:
        """Are the states met all there are?"""
        return self.space.complete and len(self.seen) == len(self.space.states)

    def look_around(self, budget: Budget, states: int = 20_000) -> None:
        """Meet all states where they are few, else the first and those along random plays (the same each time)."""
        whole = budget.part(budget.left() * 0.6) if budget.seconds else budget
        try:
            while not self.space.complete and len(self.space.states) < states:
                whole.check()
                self.space.expand(whole, 512)
        except OutOfBudget:
            pass
        self.seen = list(self.space.states)
        if self.space.complete:
            return
        chance = random.Random(1)  # the same plays each time, on purpose
        known = set(self.seen)
        try:
            for _ in range(WALKS):
                s = self.space.states[chance.randrange(self.space.starts)]
                for _ in range(LONGEST_WALK):
                    budget.check()
                    choices = self.space.choices(s)
                    if not choices:
                        break
                    s = chance.choice(chance.choice(choices)[1])
                    if s not in known:
                        known.add(s)
                        self.seen.append(s)
        except OutOfBudget:
            return

    def position(self, packed: int) -> Map:
        """The state that a packed one stands for."""
        return to_state(self.game, self.space.pack.unpack(packed))

    def effects(self) -> dict[str, frozenset[str]]:
        """The clauses that are effects, each with the actions that it is part of."""
        return {name: frozenset(m.action for m in self.model.moves if name in m.fired) for name in self.model.switches}

    # targets

    def under(self, term: Term, off: str | None = None) -> Term:
        """The term with every clause in force, or all but one."""
        memo = self._memos.setdefault(off, {})
        t, names = self.model.terms, self.model.switches

        def put(leaf: Term) -> Term | None:
            if leaf.op != "switch":
                return None
            return t.false if names[leaf.number] == off else t.true

        return t.replace(term, put, memo)

    def happens(self, action: str) -> Target:
        """A legal move of the action."""
        return self._target((m, self.under(m.guard)) for m in self.model.moves if m.action == action)

    def opens(self, action: str, checks: tuple[str, ...] = ()) -> Target:
        """The action's phase is open, with these of its checks passed."""
        rows = []
        for m in self.model.moves:
            if m.action == action:
                parts = [p for i, (name, p) in enumerate(m.legal_parts) if i == 0 or name in checks]
                rows.append((m, self.under(self.model.terms.all(parts))))
        return self._target(rows)

    def reads(self, action: str, formula: Expr) -> Target:
        """The action's phase is open with parameters for which the formula is true."""
        t, rows = self.model.terms, []
        for m in self.model.moves:
            if m.action != action:
                continue
            names: dict[str, Tree] = dict(m.names)  # type: ignore[arg-type]
            if not m.table:
                names["actor"] = m.actor
            phase = m.legal_parts[0][1]
            self.lowerer.faults = []
            found = self.lowerer.truth(formula, Around(self.lowerer.state(), names, phase))
            self.lowerer.faults = []
            rows.append((m, self.under(t.all((phase, found)))))
        return self._target(rows)

    def matters(self, clause: str) -> Target:
        """A step that is not the same, or not legal, or has a fault, when the clause is left out."""
        t = self.model.terms
        rows = []
        for m in self.model.moves:
            with_it, without = self.under(m.guard), self.under(m.guard, clause)
            early, late = t.any(c for c, _ in m.legality_faults), t.any(c for c, _ in m.faults)
            differs = [self._differ(self.under(late), self.under(late, clause))]
            for i, new in m.updates.items():
                differs.append(self._differ(self._slot(i, self.under(new)), self._slot(i, self.under(new, clause))))
            change = t.any(differs)
            conditions = [
                t.all((with_it, self.under(m.draw_guard), change)) if change is not t.false else t.false,
                t.all((without, t.no(with_it))),
                t.all((with_it, t.no(without))),
                self._differ(self.under(early), self.under(early, clause)),
            ]
            rows.append((m, t.any(conditions)))
        return self._target(rows)

    def decides(self, end: str) -> Target:
        """A position that this end clause ends, and none before it does."""
        return Target(self.under(next(term for name, term in self.model.ends if name == end)))

    def question(self, formula: Expr) -> Target | None:
        """A position in which a formula of a question is true; None for one that looks at the steps of a play."""
        looks, counts = step_needs([formula])
        if looks or counts:
            return None
        t = self.model.terms
        nobody: Tree = Perhaps(t.false, t.const(0))
        self.lowerer.faults = []
        found = self.lowerer.truth(formula, Around(self.lowerer.state(), {"actor": nobody}, t.true))
        self.lowerer.faults = []
        return Target(self.under(found))

    def _slot(self, i: int, new: Term) -> Term:
        return new if self.model.slots[i].truth else self.model.terms.number(new)

    def _differ(self, a: Term, b: Term) -> Term:
        t = self.model.terms
        if a is b:
            return t.false
        if a.truth and b.truth:
            return t.any((t.all((a, t.no(b))), t.all((b, t.no(a)))))
        return t.no(t.eq(a, b))

    def _target(self, rows: Iterator[tuple[Move, Term]] | list[tuple[Move, Term]]) -> Target:
        false = self.model.terms.false
        # a condition that no draw takes part in does not need one to come
        short = ((replace(m, inputs=m.choices) if x.level < len(m.choices) else m, x) for m, x in rows if x is not false)
        return Target(None, tuple(short))

    # answers

    def met(self, target: Target, seconds: float) -> Found:
        """Is it met in the states looked at? `False` only where these are all there are."""
        if target.hopeless:
            return False
        found = next(self.where(target, seconds), None)
        if isinstance(found, int):
            return True
        return False if found is None and self.complete else None

    def where(self, target: Target, seconds: float) -> Iterator[int | str]:
        """The packed states, of those looked at, where the target is met; a word when the time is over before the end."""
        last = time.monotonic() + seconds
        test = None if target.state is None else compiled(formula_source(self.model, target.state, "formula"), "formula").call
        table = self._moves([(m, x) for m, x in target.moves if m.table])
        player = self._moves([(m, x) for m, x in target.moves if not m.table])
        busy = self._busy()
        for n, s in enumerate(self.seen):
            if not n % 64 and time.monotonic() > last:
                yield "late"
                return
            if test is not None and test(s):
                yield s
                continue
            out: list[int] = []
            if table is not None:
                table(s, out)
            if not out and player is not None:
                busy(s, out)
                if out:
                    continue
                player(s, out)
            if out:
                yield s

    def _moves(self, rows: list[tuple[Move, Term]]) -> Callable[[int, list[int]], None] | None:
        """Generated code that appends something where a move meets its condition."""
        if not rows:
            return None
        t = self.model.terms
        moves = [replace(m, guard=x, draw_guard=t.true, updates={}, faults=[], legality_faults=[]) for m, x in rows]
        watched = replace(self.model, moves=moves, ends=[], ended=t.false, end_faults=[])
        return compiled(successor_source(watched), "successors").call

    def _busy(self) -> Callable[[int, list[int]], None]:
        """Generated code that appends something where the table has a move."""
        if self._table is None:
            rows = [(m, self.under(m.guard)) for m in self.model.moves if m.table]
            self._table = self._moves([(m, x) for m, x in rows if x is not self.model.terms.false]) or (lambda s, out: None)
        return self._table

    def proves_never(self, target: Target, seconds: float) -> Found:
        """`False`: no reachable state meets the target, all states looked at or by a proof; True: one does."""
        if self.complete or target.hopeless:
            return self.met(target, seconds)
        from tablelaw.solver.symbolic.probe import reached

        self._asked += 1
        budget = Budget(seconds, tell=self.tell)
        return reached(self.engines.symbolic, target.state, target.moves, f"probe{self._asked}", budget)
