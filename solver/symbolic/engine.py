"""Answers questions with z3: bounded search for plays, induction and property-directed reachability for proofs."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import z3

from tablelaw.solver.ir import Move, Term
from tablelaw.solver.problem import Problem, Prop, prepare
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.symbolic.encode import Encoder, Env, Formula, Unsupported
from tablelaw.solver.trace import Trace, fault_step, replay, to_state
from tablelaw.solver.verdict import InternalFault, Verdict
from tablelaw.spec.game import Game
from tablelaw.spec.questions import Asked

NAME = "symbolic"
KINDS = {"always", "never", "reach", "progress", "terminates", "largest", "smallest", "in-range"}
COUNTED_TO = 2**40
DEEPEST = 60


class Bad:
    """What must not happen: in a position (`state`), or on a step (`step`, given the move); as formulas over an Env."""

    def __init__(self, state: Callable[[Env], Formula] | None, step: Callable[[Move, Env], Formula] | None = None, start: Callable[[Env], Formula] | None = None) -> None:
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

    def env(self, row: list[Formula], inputs: list[Formula] | None = None, after: list[Formula] | None = None, actor: Formula | None = None) -> Env:
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
        env.memo = {k: v for k, v in env.memo.items()}
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
        answer = _check(self.solver, budget, self.done[last], *more)
        if answer == z3.unknown:
            raise OutOfBudget("z3 did not decide in time")
        if answer == z3.unsat:
            return None
        found = self.solver.model()
        length = next(d for d in range(last + 1) if z3.is_true(found.eval(self.done[d], model_completion=True)))
        return [[_value(found, x) for x in row] for row in self.rows[: length + 1]]


def _check(solver: Any, budget: Budget, *assumptions: Formula) -> Any:
    """z3's answer within the time left; raises `OutOfBudget` when the time is over."""
    left = budget.left()
    if left <= 0:
        raise OutOfBudget(f"the time of {budget.seconds:g} s is over")
    if left != float("inf"):
        solver.set("timeout", max(1, int(left * 1000)))
    return solver.check(*assumptions)


class Symbolic:
    """One game in z3. What is proved of it is kept for later questions."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._machine: Machine | None = None
        self._starts: list[tuple[int, ...]] = []
        self.patience = 5.0  # seconds spent on making a play short

    # plumbing

    def machine(self, asked: Asked | None, switched: bool = False) -> Machine:
        problem = prepare(self.game, asked, unroll=False, switched=switched, counted_to=COUNTED_TO)
        m = Machine(problem)
        plain = not problem.counters and not switched
        if plain and self._machine is not None and problem.model.starts == self._starts:
            return self._machine
        if plain:
            if self._machine is None:
                self._machine, self._starts = m, problem.model.starts
        elif self._machine is not None and not switched and problem.model.starts == [tuple([*s, *[0] * len(problem.counters)]) for s in self._starts]:
            old = self._machine.row
            m.lemmas = [z3.substitute(f, *zip(old, m.row, strict=False)) for f in self._machine.lemmas]
        return m

    def ask(self, asked: Asked, budget: Budget) -> Verdict:
        """The verdict; raises `OutOfBudget` and `Unlowerable`."""
        began = time.monotonic()
        machine = self.machine(asked)
        try:
            verdict = self._answer(asked, machine, budget)
        except Unsupported as why:
            verdict = Verdict("unknown", reason=f"the symbolic engine cannot say {why}")
        except z3.Z3Exception as why:
            verdict = Verdict("unknown", reason=f"z3 gave up: {str(why)[:80]}")
        verdict.engine, verdict.seconds = NAME, time.monotonic() - began
        return verdict

    def _answer(self, asked: Asked, machine: Machine, budget: Budget) -> Verdict:
        if asked.kind in ("largest", "smallest"):
            return self._extreme(asked, machine, budget)
        if asked.kind == "terminates":
            return self._terminates(machine, budget)
        if asked.kind not in KINDS:
            return Verdict("unknown", reason=f"questions of the kind `{asked.kind}` are answered by search")
        bad = self.bad(asked, machine)
        found = self.safe(machine, bad, budget)
        if asked.kind == "reach":
            swap = {"holds": "fails", "fails": "holds", "unknown": "unknown"}
            found.verdict = swap[found.verdict]
        if found.verdict == "fails" and asked.kind == "progress":
            found.reason = "nobody has a legal move in the last position"
        if asked.kind == "in-range" and found.trace is not None:
            step = fault_step(self.game, found.trace.steps[-1].state)
            if step is None:
                raise InternalFault("z3 met a fault that the evaluator does not have")
            found.trace.steps.append(step)
            found.reason, found.clauses = step.fault, step.clauses[-1:]
        return found

    def bad(self, asked: Asked, machine: Machine) -> Bad:
        """The negation of an invariant, or the target of a search."""
        e = machine.encoder
        if asked.kind == "progress":
            enabled = e.enabled(False)
            if enabled is None:
                raise Unsupported("so many choices at once")
            t = machine.problem.terms
            dead = t.all((t.no(machine.model.ended), t.no(enabled)))
            return Bad(lambda env: e.term(dead, env))
        if asked.kind == "in-range":
            return self._faulty(machine)
        assert asked.formula is not None
        prop = machine.problem.prop(asked.formula)
        return self._prop_bad(machine, prop, asked.kind)

    def _prop_bad(self, machine: Machine, prop: Prop, kind: str) -> Bad:
        e, t = machine.encoder, machine.problem.terms
        if kind == "always":
            start, step = t.any((prop.start_fault, t.no(prop.start))), t.any((prop.step_fault, t.no(prop.step)))
        elif kind == "never":
            start, step = t.any((prop.start_fault, prop.start)), t.any((prop.step_fault, prop.step))
        else:
            start, step = t.all((t.no(prop.start_fault), prop.start)), t.all((t.no(prop.step_fault), prop.step))
        if not prop.looks:
            return Bad(lambda env: e.term(start, env))
        return Bad(None, lambda m, env: e.term(step, env), lambda env: e.term(start, env))

    def _faulty(self, machine: Machine) -> Bad:
        e, model = machine.encoder, machine.model
        ends = model.terms.any(c for c, _ in model.end_faults)

        def wrong(env: Env) -> Formula:
            parts = [e.term(ends, env)]
            for k, m in enumerate(model.moves):
                if m.faults or m.legality_faults:
                    inner = Env(env.var, None, e.inputs(m, f"fault{k}"), None, machine.switches)
                    parts.append(z3.And(e.taken(m, inner, faults=True)))
            return z3.Or(parts)

        return Bad(wrong)

    # safety

    def safe(self, machine: Machine, bad: Bad, budget: Budget) -> Verdict:
        """holds: nothing bad is reachable (proved); fails: with a play."""
        self.prepare_lemmas(machine, budget)
        machine.refuted = -1
        plan: list[tuple[str, Callable[[Budget], Verdict | None], float]] = [
            ("plays of one step", lambda b: self._bounded(machine, bad, b, 1), 20.0),
            ("induction", lambda b: self._induction(machine, bad, b), 10.0),
            ("plays of 8 steps", lambda b: self._bounded(machine, bad, b, 8), 5.0),
            ("reachability", lambda b: self._spacer(machine, bad, b), 3.0),
            ("plays of 16 steps", lambda b: self._bounded(machine, bad, b, 16), 8.0),
            ("plays of 26 steps", lambda b: self._bounded(machine, bad, b, 26), 15.0),
            ("reachability", lambda b: self._spacer(machine, bad, b), 20.0),
            ("plays of 26 steps", lambda b: self._bounded(machine, bad, b, 26), 60.0),
            ("plays of 40 steps", lambda b: self._bounded(machine, bad, b, 40), 120.0),
            ("reachability", lambda b: self._spacer(machine, bad, b), 600.0),
            (f"plays of {DEEPEST} steps", lambda b: self._bounded(machine, bad, b, DEEPEST), 600.0),
        ]
        depth = -1
        for name, attempt, seconds in plan:
            if budget.tell:
                budget.tell(f"z3: {name}")
            if budget.left() <= 0:
                break
            try:
                found = attempt(budget.part(seconds))
            except OutOfBudget:
                continue
            if found is not None and found.verdict != "unknown":
                return found
            if found is not None and found.bound:
                depth = max(depth, int(found.bound))
        return Verdict("unknown", "bounded" if depth >= 0 else None, f"{depth} steps" if depth >= 0 else None, reason="no proof and no play was found")

    def _bounded(self, machine: Machine, bad: Bad, budget: Budget, last: int) -> Verdict | None:
        """A play of at most `last` steps that ends in something bad, as short as the time allows to find out."""
        unrolled = machine.unrolled(bad)
        found = unrolled.play(last, budget)
        if found is None:
            machine.refuted = max(machine.refuted, last)
            return Verdict("unknown", bound=str(last))
        short = self._shortened(unrolled, found, machine.refuted + 1, budget.part(self.patience))
        verdict = self._played(machine, short[0])
        verdict.notes += short[1]
        return verdict

    def _shortened(self, unrolled: Unrolled, found: list[list[int]], least: int, budget: Budget, *more: Formula) -> tuple[list[list[int]], list[str]]:
        """A shortest play of the kind found (by bisection), or the best one and a note when the time is over."""
        while least < len(found) - 1:
            middle = (least + len(found) - 2) // 2
            try:
                better = unrolled.play(middle, budget, *more)
            except OutOfBudget:
                return found, ["perhaps not the shortest play"]
            if better is None:
                least = middle + 1
            else:
                found = better
        return found, []

    def _played(self, machine: Machine, slots: list[list[int]], loop_from: int | None = None) -> Verdict:
        """The play through these positions, each step taken by the evaluator."""
        states = [to_state(self.game, row[: machine.problem.game_slots]) for row in slots]
        trace = replay(self.game, states, loop_from)
        if trace is None:
            raise InternalFault("z3 took a step that the evaluator does not take")
        fired = tuple(dict.fromkeys(c for s in trace.steps[1:] for c in s.clauses))
        return Verdict("fails", "proved", trace=trace, clauses=fired)

    def _induction(self, machine: Machine, bad: Bad, budget: Budget, *fixed: Formula) -> Verdict | None:
        """Whatever keeps the lemmas and is not bad has no bad step (the starts have been looked at)."""
        row = machine.row
        for k, m in enumerate(machine.model.moves):
            solver = z3.Solver()
            solver.add(*machine.known(row), *fixed)
            if bad.state is not None:
                solver.add(z3.Not(bad.state(machine.env(row))))
            conditions, wrong = machine.pairs(bad, m, row, f"i{k}")
            solver.add(*conditions, wrong)
            answer = _check(solver, budget)
            if answer != z3.unsat:
                return None
        if bad.state is not None:
            lemma = z3.Not(bad.state(machine.env(row)))
            machine.lemmas.append(z3.substitute(lemma, *[(f.arg(0), f.arg(1)) for f in fixed]) if fixed else lemma)
        return self._proved(machine)

    def _proved(self, machine: Machine) -> Verdict:
        lemmas = z3.simplify(z3.And(machine.lemmas)) if machine.lemmas else z3.BoolVal(True)
        return Verdict("holds", "proved", "any number of steps", evidence={"kind": "invariant", "formula": lemmas, "machine": machine})

    def prepare_lemmas(self, machine: Machine, budget: Budget) -> None:
        """Keep of all candidate invariants those that are true at the start and inductive together (Flanagan, Leino 2001)."""
        if machine.prepared:
            return
        machine.prepared = True
        candidates = self.candidates(machine)
        row = machine.row
        start = z3.Solver()
        start.add(machine.encoder.starts(row))
        alive = []
        for f in candidates:
            start.push()
            start.add(z3.Not(f))
            if _check(start, budget) == z3.unsat:
                alive.append(f)
            start.pop()
        while alive:
            dropped = self._not_kept(machine, alive, budget)
            if dropped is None:
                return
            if not dropped:
                break
            alive = [f for i, f in enumerate(alive) if i not in dropped]
        machine.lemmas += alive

    def _not_kept(self, machine: Machine, alive: list[Formula], budget: Budget) -> set[int] | None:
        row = machine.row
        dropped: set[int] = set()
        for k, m in enumerate(machine.model.moves):
            solver = z3.Solver()
            solver.add(*machine.encoder.ranges(row), *alive)
            conditions, after, _ = machine.step(m, row, f"h{k}")
            solver.add(*conditions)
            nexts = [machine.at(f, after) for f in alive]
            while True:
                left = [i for i in range(len(alive)) if i not in dropped]
                solver.push()
                solver.add(z3.Or([z3.Not(nexts[i]) for i in left]) if left else z3.BoolVal(False))
                answer = _check(solver, budget)
                if answer == z3.sat:
                    model = solver.model()
                    dropped |= {i for i in left if z3.is_false(model.eval(nexts[i], model_completion=True))} or set(left)
                solver.pop()
                if answer == z3.unknown:
                    return None
                if answer == z3.unsat:
                    break
        return dropped

    def candidates(self, machine: Machine) -> list[Formula]:
        """Invariants worth trying: what the game's own questions claim of positions."""
        from tablelaw.solver.candidates import claims, counted

        found: list[Formula] = []
        env = machine.env(machine.row)
        terms = counted(machine.problem, machine.interest) if machine.problem.counters else []
        for term in [*claims(self.game, machine.problem), *terms]:
            try:
                found.append(machine.encoder.term(term, env))
            except Unsupported:
                continue
        return found

    def _spacer(self, machine: Machine, bad: Bad, budget: Budget, search: bool = True, limit: int | None = None) -> Verdict | None:
        """Property-directed reachability (Komuravelli, Gurfinkel, Chaki 2014) through z3's Spacer; its invariant is checked again."""
        left = budget.left()
        if left <= 0.05:
            return None
        fp = z3.Fixedpoint()
        fp.set(engine="spacer", timeout=max(1, int(min(left, 10_000) * 1000)))
        row = machine.row
        holds = z3.Function("Reached", *[x.sort() for x in row], z3.BoolSort())
        wrong = z3.Function("Wrong", z3.BoolSort())
        fp.register_relation(holds)
        fp.register_relation(wrong)
        declared = {x.get_id(): x for x in row}
        e = machine.encoder
        rules: list[tuple[Formula, list[Formula]]] = [(holds(*row), [e.starts(row)])]
        fixed = [] if limit is None else [z3.Int("limit") == limit]
        known = machine.known(row)
        for k, m in enumerate(machine.model.moves):
            conditions, after, env = machine.step(m, row, f"s{k}")
            declared |= {x.get_id(): x for x in env.inputs}
            rules.append((holds(*after), [holds(*row), *known, *conditions]))
            if bad.step is not None:
                rules.append((wrong(), [holds(*row), *known, *conditions, bad.step(m, Env(row, after, env.inputs, env.actor, machine.switches)), *fixed]))
                declared |= {x.get_id(): x for f in fixed for x in _constants(f)}
        if bad.state is not None:
            f = bad.state(machine.env(row))
            declared |= {x.get_id(): x for x in _constants(f)}
            rules.append((wrong(), [holds(*row), f, *fixed]))
        fp.declare_var(*declared.values())
        for head, body in rules:
            fp.rule(head, body)
        try:
            answer = fp.query(wrong())
        except z3.Z3Exception:
            return None
        if answer == z3.unsat:
            cover = fp.get_cover_delta(-1, holds)
            machine.lemmas.append(z3.substitute_vars(cover, *row))
            found = self._induction_of(machine, budget)
            if not found:
                machine.lemmas.pop()
                return None
            return self._induction(machine, bad, budget, *fixed) or (self._proved(machine) if self._excludes(machine, bad, budget, *fixed) else None)
        return self._bounded(machine, bad, budget, DEEPEST) if answer == z3.sat and search else None

    def _induction_of(self, machine: Machine, budget: Budget) -> bool:
        """Is the last lemma true at the start and kept by every step, given those before it?"""
        row, new = machine.row, machine.lemmas[-1]
        solver = z3.Solver()
        solver.add(machine.encoder.starts(row), z3.Not(new))
        if _check(solver, budget) != z3.unsat:
            return False
        for k, m in enumerate(machine.model.moves):
            solver = z3.Solver()
            conditions, after, _ = machine.step(m, row, f"c{k}")
            solver.add(*machine.known(row), *conditions, z3.Not(machine.at(new, after)))
            if _check(solver, budget) != z3.unsat:
                return False
        return True

    def _excludes(self, machine: Machine, bad: Bad, budget: Budget, *fixed: Formula) -> bool:
        """Do the lemmas exclude what is bad, in positions and on steps?"""
        row = machine.row
        solver = z3.Solver()
        solver.add(*machine.known(row), *fixed)
        if bad.state is not None:
            solver.push()
            solver.add(bad.state(machine.env(row)))
            if _check(solver, budget) != z3.unsat:
                return False
            solver.pop()
        if bad.step is None:
            return True
        for k, m in enumerate(machine.model.moves):
            solver.push()
            conditions, wrong = machine.pairs(Bad(None, bad.step), m, row, f"x{k}")
            solver.add(*conditions, wrong)
            if _check(solver, budget) != z3.unsat:
                return False
            solver.pop()
        return True

    # extremes and loops

    def _extreme(self, asked: Asked, machine: Machine, budget: Budget) -> Verdict:
        """Find a witness, then ask whether anything beyond it is reachable, until that is refuted."""
        assert asked.formula is not None
        e, t = machine.encoder, machine.problem.terms
        prop = machine.problem.prop(asked.formula)
        where = machine.problem.prop(asked.where) if asked.where is not None else None
        larger = asked.kind == "largest"
        looks = prop.looks or (where is not None and where.looks)
        limit = z3.Int("limit")

        def beyond(p: Term, w: Term | None, fault: Term, env: Env) -> Formula:
            number = e.number(e.term(p, env), p)
            parts = [e.term(t.no(fault) if w is None else t.all((t.no(fault), w)), env), number > limit if larger else number < limit]
            return z3.And(parts)

        def target() -> Bad:
            def start(env: Env) -> Formula:
                return beyond(prop.start, where.start if where else None, prop.start_fault, env)

            if not looks:
                return Bad(start)
            p, w, fault = self._on_next(machine, prop, where)
            return Bad(None, lambda m, env: beyond(p, w, fault, env), start)

        machine.interest = [prop.start, *([where.start] if where else [])]
        self.prepare_lemmas(machine, budget)
        bad = target()
        unrolled = machine.unrolled(bad)
        lowest, highest = min(prop.start.lo, prop.step.lo), max(prop.start.hi, prop.step.hi)
        best: Verdict | None = None
        best_slots: list[list[int]] | None = None
        value = lowest - 1 if larger else highest + 1
        depth = -1

        def assume(n: int) -> Formula:
            mark = z3.Bool(f"limit is {n}")
            unrolled.solver.add(z3.Implies(mark, limit == n))
            return mark

        for depth, seconds in ((1, 5.0), (8, 10.0), (26, 60.0), (40, 300.0)):
            try:
                stage = budget.part(seconds)
                while (found := unrolled.play(depth, stage, assume(value))) is not None:
                    best, best_slots = self._played(machine, found), found
                    value = self._measure(asked, machine, best.trace)
            except OutOfBudget:
                break
            fixed = limit == value
            try:
                proof = budget.part(2.0 if depth < 16 else 15.0)
                proved = self._induction(machine, bad, proof, fixed) or (self._spacer(machine, bad, proof, False, value) if depth > 1 else None)
            except OutOfBudget:
                proved = None
            if proved is not None and proved.verdict == "holds":
                if best is None or best_slots is None:
                    return Verdict("unknown", reason="no reachable position meets the condition")
                step = 1 if larger else -1
                short, notes = self._shortened(unrolled, best_slots, 0, budget.part(self.patience), assume(value - step))
                best = self._played(machine, short)
                return Verdict("value", "proved", "any number of steps", str(value), best.clauses, best.trace, evidence=proved.evidence, notes=notes)
        reason = "no witness was found" if best is None else f"it is {'at least' if larger else 'at most'} {value}; nothing beyond it was found or excluded"
        return Verdict("unknown", "bounded", f"{depth} steps", trace=best.trace if best else None, reason=reason)

    def _on_next(self, machine: Machine, prop: Prop, where: Prop | None) -> tuple[Term, Term | None, Term]:
        """Where only one of formula and condition looks back, the other is read after the step."""
        t = machine.problem.terms

        def shift(x: Term) -> Term:
            return t.replace(x, lambda leaf: machine.model.next(leaf.number) if leaf.op == "var" else None, {})

        p = prop.step if prop.looks else shift(prop.start)
        fault = prop.step_fault if prop.looks else shift(prop.start_fault)
        return p, None if where is None else where.step if where.looks else shift(where.start), fault

    def _measure(self, asked: Asked, machine: Machine, trace: Trace | None) -> int:
        from tablelaw.solver.replay import number_along

        assert trace is not None and asked.formula is not None
        return number_along(self.game, trace, asked.formula)

    def _terminates(self, machine: Machine, budget: Budget) -> Verdict:
        """Look for a play that comes back to a position it was in."""
        e, model = machine.encoder, machine.model
        self.prepare_lemmas(machine, budget)
        solver = z3.Solver()
        rows = [e.position("0")]
        solver.add(e.starts(rows[0]), *machine.known(rows[0]))
        for depth in range(1, 25):
            row, after = rows[-1], e.position(str(depth))
            options = []
            for k, m in enumerate(model.moves):
                conditions, slots, _ = machine.step(m, row, f"{depth}.{k}")
                chosen = z3.Bool(f"step{depth}={k}")
                options.append(chosen)
                solver.add(z3.Implies(chosen, z3.And([*conditions, *[a == b for a, b in zip(after, slots, strict=True)]])))
            solver.add(z3.Or(options), *machine.known(after))
            solver.push()
            solver.add(z3.Or([e.same(after, r) for r in rows]))
            rows.append(after)
            answer = _check(solver, budget)
            if answer == z3.sat:
                found = solver.model()
                slots_of = [[_value(found, x) for x in r] for r in rows]
                back = slots_of[:-1].index(slots_of[-1])
                return self._played(machine, slots_of, back)
            solver.pop()
            if answer == z3.unknown:
                break
        return Verdict("unknown", "bounded", f"{len(rows) - 1} steps", reason="no play was found that comes back, and no proof that all end")


def _value(model: Any, x: Formula) -> int:
    found = model.eval(x, model_completion=True)
    return int(z3.is_true(found)) if z3.is_bool(found) else found.as_long()


def _constants(f: Formula) -> list[Formula]:
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
