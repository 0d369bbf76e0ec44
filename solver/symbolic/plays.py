"""Does some play fit a printed example? By z3: the game unrolled beside the positions that a play can have in the pattern.

`at[k][p]` says that the play may have met the items before `p` when `k` steps are done; each is justified by the one it came
from, so that the last one can only be true of a play that fits. Once the pattern is met the remaining steps are idle, so
that one query covers all plays up to its length. Without `...` no play that still fits may be left at some length: that
proves that none fits. Every play found is followed once more by the evaluator.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import z3

from tablelaw.solver import plays
from tablelaw.solver.effort import within
from tablelaw.solver.fitting import Item, pattern
from tablelaw.solver.ir import Move, Term
from tablelaw.solver.lower_values import Around
from tablelaw.solver.problem import Prop
from tablelaw.solver.shapes import Perhaps, Tree, Unlowerable
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.symbolic.deciding import decide
from tablelaw.solver.symbolic.encode import Env, Formula, Unsupported
from tablelaw.solver.symbolic.engine import NAME, Symbolic
from tablelaw.solver.symbolic.machine import Machine
from tablelaw.solver.trace import to_state
from tablelaw.solver.verdict import InternalFault, Verdict
from tablelaw.spec.core import Expr
from tablelaw.spec.questions import Asked, Line, Staged

OPEN_ENDED = (6, 12, 20, 30, 45)
SILENT = (0, 1, 2, 3, 5, 8, 12, 20, 30)
REFUSED_AT_MOST = 20
ALIVE_SECONDS = 3.0
PATIENCE = (2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0)


def find_play(engine: Symbolic, asked: Asked, s: Staged, budget: Budget) -> Verdict:
    """A play from a start of the game that fits the scenario, or a proof that there is none. Raises `OutOfBudget`."""
    began = time.monotonic()
    budget = within(budget)
    try:
        verdict = _Unrolled(engine, engine.machine(replace(asked, scenarios=(s,))), s).answer(budget)
    except (Unsupported, Unlowerable) as why:
        verdict = Verdict("unknown", reason=f"the symbolic engine cannot say {why}")
    except Undecided as why:
        verdict = Verdict("unknown", reason=str(why))
    except z3.Z3Exception as why:
        verdict = Verdict("unknown", reason=f"z3 gave up: {str(why)[:80]}")
    verdict.engine, verdict.seconds = NAME, time.monotonic() - began
    return verdict


class Undecided(Exception):
    """z3 gave no answer although there was time; the message says why."""


class _Unrolled:
    def __init__(self, engine: Symbolic, machine: Machine, s: Staged) -> None:
        self.engine, self.game, self.machine, self.staged = engine, engine.game, machine, s
        self.items = pattern(s)
        self.goal = len(self.items)
        self.claims: list[Formula] = []
        self.model: Any = None
        self.rows = [machine.encoder.position("play0")]
        self.actors: list[Formula] = [z3.IntVal(-1)]
        self.at: list[dict[int, Formula]] = []
        self.refused: list[Sequence[int]] = []
        self._props: dict[int, Prop] = {}
        self._fits: dict[tuple[int, int], Term] = {}
        if machine.encoder.enabled(True) is None:
            raise Unsupported("so many choices of the table at once")
        self._final = self._legality()
        self.claims += [machine.encoder.starts(self.rows[0]), *machine.encoder.ranges(self.rows[0])]
        self._frame(0, {0: [z3.BoolVal(True)]})

    # the unrolling

    def _frame(self, k: int, why: dict[int, list[Formula]]) -> None:
        """Name the positions in the pattern after `k` steps, given what justifies them by the step or at the start."""
        names: dict[int, Formula] = {}
        for p in range(self.goal + 1):
            if p not in why:
                continue
            names[p] = z3.Bool(f"at{k}.{p}")
            self.claims.append(z3.Implies(names[p], z3.Or(why[p])))
            if p < self.goal and self.items[p].kind != "move":
                why.setdefault(p + 1, []).append(z3.And(names[p], self._met(self.items[p], k)))
        self.at.append(names)
        for row in self.refused:
            self._refuse(row, k)

    def grow(self) -> None:
        """One more step."""
        e, k = self.machine.encoder, len(self.rows) - 1
        row, after, actor = self.rows[k], e.position(f"play{k + 1}"), z3.Int(f"actor{k + 1}")
        here = self.at[k]
        open_items = [self.items[p] for p in here if p < self.goal]
        anything = any(i.kind == "any" for i in open_items)
        wanted = {i.line.action for i in open_items if i.kind == "move" and i.line is not None}
        chosen: list[Formula] = []
        why: dict[int, list[Formula]] = {}
        for j, m in enumerate(self.machine.model.moves):
            if not (anything or m.action in wanted or (m.table and wanted)):
                continue
            conditions, slots, env = self.machine.step(m, row, f"play{k}.{j}")
            option = z3.Bool(f"play{k}={j}")
            same = [a == b for a, b in zip(after, slots, strict=True)]
            self.claims.append(z3.Implies(option, z3.And([*conditions, *same, actor == env.actor])))
            there = Env(row, after, env.inputs, actor, self.machine.switches)
            for p in here:
                item = self.items[p] if p < self.goal else None
                if item is None or item.kind not in ("move", "any"):
                    continue
                if item.kind == "any" or (item.line is not None and m.table and m.action != item.line.action):
                    why.setdefault(p, []).append(z3.And(here[p], option))
                elif item.line is not None and m.action == item.line.action:
                    fits = e.term(self._fitting(item.line, j, m), there)
                    why.setdefault(p + 1, []).append(z3.And(here[p], option, fits))
            chosen.append(option)
        if self.goal in here:
            idle = z3.Bool(f"play{k}=idle")
            self.claims.append(z3.Implies(idle, z3.And(here[self.goal], e.same(row, after), actor == -1)))
            self.claims += [z3.Not(z3.And(idle, o)) for o in chosen]
            why.setdefault(self.goal, []).append(idle)
            chosen.append(idle)
        self.claims += [z3.Or(chosen), *e.ranges(after)]
        self.rows.append(after)
        self.actors.append(actor)
        self._frame(k + 1, why)

    def _met(self, item: Item, k: int) -> Formula:
        """The condition of a check (or `...`, which has none) after `k` steps."""
        if item.kind == "any":
            return z3.BoolVal(True)
        e, t, now = self.machine.encoder, self.machine.problem.terms, self.machine.env(self.rows[k])
        if item.kind == "given":
            low, s = self.machine.problem.lowerer, self.staged
            assert s.given is not None
            kinds = {v.name: v.type for v in self.game.variables}
            state = low.state("var")
            same = [low.shapes.equal(state[n], low.shapes.literal(s.given[n], kinds[n])) for n in sorted(s.named)]
            return e.term(t.all(same), now)
        if item.kind == "final":
            return z3.And([*(self._holds(f, k) for f in self.staged.then), e.term(self._final, now)])
        assert item.line is not None
        return z3.And([self._holds(f, k) for f in item.line.then])

    def _holds(self, e: Expr, k: int) -> Formula:
        t = self.machine.problem.terms
        prop = self._props.get(id(e))
        if prop is None:
            prop = self._props[id(e)] = self.machine.problem.prop(e)
        if k == 0 or not prop.looks:
            return self.machine.encoder.term(t.all((t.no(prop.start_fault), prop.start)), self.machine.env(self.rows[k]))
        there = Env(self.rows[k - 1], self.rows[k], [], self.actors[k], self.machine.switches)
        return self.machine.encoder.term(t.all((t.no(prop.step_fault), prop.step)), there)

    def _fitting(self, line: Line, number: int, m: Move) -> Term:
        """The step has the arguments, the draw and the condition of the line."""
        key = (id(line), number)
        if key not in self._fits:
            t, low = self.machine.problem.terms, self.machine.problem.lowerer
            parts = [*self._equal(line, m)]
            if line.condition is not None:
                actor = t.leaf("actor", 0, -1, max(self.game.players - 1, 0))
                someone: Tree = Perhaps(t.le(t.const(0), actor), t.ite(t.lt(actor, t.const(0)), t.const(0), actor))
                names = {**self._names(m), "actor": someone}
                low.times = lambda subject: self.machine.model.next(self.machine.problem.counters[subject])
                low.faults = []
                parts.append(low.truth(line.condition, Around(low.state("next"), names, t.true, old=low.state("var"))))
                parts += [t.no(c) for c, _ in low.faults]
                low.faults = []
            self._fits[key] = t.all(parts)
        return self._fits[key]

    def _names(self, m: Move) -> dict[str, Tree]:
        return dict(m.names)  # type: ignore[arg-type]

    def _equal(self, line: Line, m: Move, drawn: bool = True) -> list[Term]:
        action = self.game.action(m.action)
        assert action is not None
        shapes, names = self.machine.problem.lowerer.shapes, self._names(m)
        kinds = {b.name: b.type for b in action.params} | {d.name: d.type for d in action.draws}
        return [shapes.equal(names[n], shapes.literal(v, kinds[n])) for n, v in (*line.args, *(line.draw if drawn else ()))]

    def _legality(self) -> Term:
        """What must be true of the last position for its moves to be legal and illegal as said, as far as is cheaply said."""
        t, e = self.machine.problem.terms, self.machine.encoder
        waiting = e.enabled(True)
        assert waiting is not None
        parts: list[Term] = []
        for line, wanted in [*((x, True) for x in self.staged.legal), *((x, False) for x, _ in self.staged.illegal)]:
            action = self.game.action(line.action or "")
            if action is None or (not wanted and (line.draw or line.condition is not None)):
                continue
            ways: list[Term] = []
            for m in self.machine.model.moves:
                if m.action == action.name:
                    guard = t.all([m.guard, *self._equal(line, m, drawn=False), *(t.no(c) for c, _ in m.legality_faults)])
                    way = e._some_choice(replace(m, guard=guard))
                    if way is None:
                        break
                    ways.append(way)
            else:
                some = t.any(ways)
                first = t.false if action.by is None else waiting  # the table's forced steps then come before the question
                parts.append(t.any((first, some if wanted else t.no(some))))
        return t.all(parts)

    def _refuse(self, row: Sequence[int], k: int) -> None:
        """No play ends in this position (the evaluator says that a move is not legal, or illegal, there as it should be)."""
        if self.goal in self.at[k]:
            same = [x == bool(n) if z3.is_bool(x) else x == n for x, n in zip(self.rows[k], row, strict=False)]
            self.claims.append(z3.Not(z3.And(self.at[k][self.goal], *same)))

    # the search

    def answer(self, budget: Budget) -> Verdict:
        """Ask for longer and longer plays."""
        moves = sum(i.kind == "move" for i in self.items)
        endless = any(i.kind == "any" for i in self.items)
        bounds = [max(n, moves + 2) for n in OPEN_ENDED] if endless else [moves + n for n in SILENT]
        refuted = -1
        for bound in dict.fromkeys(bounds):
            if budget.tell:
                budget.tell(f"z3: plays of {bound} steps")
            while len(self.rows) <= bound:
                budget.check()
                self.grow()
            found = self._search(bound, refuted, budget)
            if found is not None:
                return found
            refuted = bound
            if not self._alive(bound, budget, endless):
                return Verdict("fails", "proved", reason="no play fits")
        reason = "no play was found that fits, and no proof that none does"
        return Verdict("unknown", "bounded", f"{refuted} steps", reason=reason)

    def _check(self, budget: Budget, assumed: Formula) -> bool:
        """Can this be? How long z3 takes has a heavy tail, so it begins anew in other ways rather than wait."""
        for number, seconds in enumerate(PATIENCE):
            solver = z3.Then("simplify", "propagate-values", "solve-eqs", "smt").solver() if number % 2 == 0 else z3.Solver()
            solver.set("random_seed", number)
            solver.add(*self.claims, assumed)
            answer = decide(solver, budget.part(seconds))
            if answer == z3.sat:
                self.model = solver.model()
            if answer != z3.unknown:
                return bool(answer == z3.sat)
        raise Undecided("z3 did not decide")

    def _alive(self, k: int, budget: Budget, endless: bool) -> bool:
        """May a play of `k` steps go on and still come to fit?"""
        waiting = [x for p, x in self.at[k].items() if p < self.goal]
        if not waiting:
            return False
        try:
            return self._check(budget.part(ALIVE_SECONDS) if endless else budget, z3.Or(waiting))
        except (OutOfBudget, Undecided):
            if not endless:
                raise
            return True

    def _search(self, bound: int, refuted: int, budget: Budget) -> Verdict | None:
        for _ in range(REFUSED_AT_MOST):
            if self.goal not in self.at[bound] or not self._check(budget, self.at[bound][self.goal]):
                return None
            slots, notes = self._shortened(refuted, budget)
            states = [to_state(self.game, row) for row in slots]
            verdict = plays.find_play(self.game, self.staged, Budget(), starts=states[:1], along=states)
            if verdict.verdict == "holds":
                verdict.notes, verdict.states = notes, None
                return verdict
            plain = replace(self.staged, legal=(), illegal=())
            if plays.find_play(self.game, plain, Budget(), starts=states[:1], along=states).verdict != "holds":
                raise InternalFault(f"z3 found a play for `{self.staged.id}` that the evaluator does not find to fit")
            self.refused.append(slots[-1])
            for k in range(len(self.rows)):
                self._refuse(slots[-1], k)
        raise Undecided(f"z3 came {REFUSED_AT_MOST} times to a position where the moves are not legal as said")

    def _shortened(self, refuted: int, budget: Budget) -> tuple[list[list[int]], list[str]]:
        """The slots along the play just found, made shorter while that is cheap."""
        found, notes, least = self._read(), list[str](), refuted + 1
        patience = budget.part(self.engine.patience)
        while least < len(found) - 1:
            middle = (least + len(found) - 2) // 2
            try:
                if self.goal in self.at[middle] and self._check(patience, self.at[middle][self.goal]):
                    found = self._read()
                else:
                    least = middle + 1
            except (OutOfBudget, Undecided):
                notes.append("perhaps not the shortest play")
                break
        return found, notes

    def _read(self) -> list[list[int]]:
        model, most = self.model, self.machine.problem.game_slots

        def number(x: Formula) -> int:
            found = model.eval(x, model_completion=True)
            return int(z3.is_true(found)) if z3.is_bool(x) else int(found.as_long())

        length = next(k for k, names in enumerate(self.at) if self.goal in names and z3.is_true(model.eval(names[self.goal])))
        return [[number(x) for x in row[:most]] for row in self.rows[: length + 1]]
