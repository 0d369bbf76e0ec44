"""Answers questions with z3: bounded search for plays, induction and property-directed reachability for proofs."""

from __future__ import annotations

import time

import z3

from tablelaw.solver import evaluate
from tablelaw.solver.effort import ENDLESS, within
from tablelaw.solver.ir import Term
from tablelaw.solver.problem import Prop, prepare
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.symbolic.encode import Env, Formula, Unsupported
from tablelaw.solver.symbolic.extremes import extreme
from tablelaw.solver.symbolic.guessing import guessed
from tablelaw.solver.symbolic.loops import lasso, lowered
from tablelaw.solver.symbolic.machine import Bad, Machine
from tablelaw.solver.symbolic.proofs import Prover
from tablelaw.solver.symbolic.surely import surely
from tablelaw.solver.trace import fault_step
from tablelaw.solver.verdict import InternalFault, Verdict
from tablelaw.spec.game import Game
from tablelaw.spec.questions import Asked

NAME = "symbolic"
KINDS = {"always", "never", "reach", "progress", "terminates", "largest", "smallest", "in-range"}
COUNTED_TO = 2**40
MEASURE = "a number that never rises and that luck lowers again and again"
GUESSING = 60.0
"""How many seconds may go into looking for a measure."""


class Symbolic(Prover):
    """One game in z3. What is proved of it is kept for later questions."""

    def __init__(self, game: Game) -> None:
        super().__init__(game)
        self._machines: dict[tuple[tuple[int, ...], ...], Machine] = {}

    def machine(self, asked: Asked | None, switched: bool = False) -> Machine:
        """The game, begun where the question begins; of one beginning there is one, which keeps what is proved of it."""
        problem = prepare(self.game, asked, unroll=False, switched=switched, counted_to=COUNTED_TO)
        if switched:
            return Machine(problem)
        if problem.counters:
            assert asked is not None
            return Machine(problem, self.machine(Asked(asked.id, asked.kind, asked.span, given=asked.given)))
        return self._machines.setdefault(tuple(problem.model.starts), Machine(problem))

    def ask(self, asked: Asked, budget: Budget, seconds: float = ENDLESS) -> Verdict:
        """The verdict, or `unknown` after so much work; raises `OutOfBudget` and `Unlowerable`."""
        began = time.monotonic()
        budget = within(budget, seconds)
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
            return extreme(self, asked, machine, budget)
        if asked.kind == "terminates":
            measure = None if asked.measure is None else machine.problem.prop(asked.measure).start
            return self._ends(asked, machine, measure, budget)
        if asked.kind not in KINDS:
            return Verdict("unknown", reason=f"questions of the kind `{asked.kind}` are answered by search")
        bad = self.bad(asked, machine)
        found = self.safe(machine, bad, budget)
        if asked.kind == "reach" and found.verdict == "holds" and not self._has_value(asked, machine, budget):
            return Verdict("unknown", reason="the formula has no value in some reachable position")
        if asked.kind == "reach":
            swap = {"holds": "fails", "fails": "holds", "unknown": "unknown"}
            found.verdict = swap[found.verdict]
        if found.trace is not None and asked.kind == "progress" and evaluate.moves(self.game, found.trace.steps[-1].state):
            if not machine.encoder.sampled:
                raise InternalFault("z3 says that nobody can move where somebody can")
            return Verdict("unknown", reason="there are too many choices at once to tell where nobody has one")
        if found.verdict == "fails" and asked.kind == "progress":
            found.reason = "nobody has a legal move in the last position"
        if asked.kind == "in-range" and found.trace is not None:
            step = fault_step(self.game, found.trace.steps[-1].state)
            if step is None:
                raise InternalFault("z3 met a fault that the evaluator does not have")
            found.trace.steps.append(step)
            found.reason, found.clauses = step.fault, step.clauses[-1:]
        return found

    def _ends(self, asked: Asked, machine: Machine, measure: Term | None, budget: Budget) -> Verdict:
        """Does every play end, for certain or almost surely? By the measure given, or one found from the ranges."""
        note = ""
        if measure is None:
            try:
                found = guessed(self, machine, budget.part(min(GUESSING, budget.left() / 3)))
            except OutOfBudget:
                budget.check()
                found = None
            if found is not None:
                measure, words = found
                note = f"the measure was found from the ranges: {words}, added up"
        if asked.what != "almost-surely":
            verdict = (None if measure is None else lowered(self, machine, measure, budget)) or lasso(self, machine, budget)
        elif measure is None:
            return Verdict("unknown", reason=f"so large a game needs a `measure` for this: {MEASURE}")
        else:
            verdict = surely(self, machine, measure, budget)
            if note and verdict.verdict == "unknown":
                verdict.reason = f"no measure from the ranges shows it: give one with `measure`, {MEASURE}"
        if note and verdict.verdict == "holds":
            verdict.notes.append(note)
        return verdict

    def _has_value(self, asked: Asked, machine: Machine, budget: Budget) -> bool:
        """Is it proved that the formula has a value in every reachable position and step?"""
        assert asked.formula is not None
        e, prop = machine.encoder, machine.problem.prop(asked.formula)
        start, step = prop.start_fault, prop.step_fault
        if start is machine.problem.terms.false and step is start:
            return True
        fault = Bad(lambda env: e.term(start, env))
        if prop.looks:
            fault = Bad(None, lambda m, env: e.term(step, env), lambda env: e.term(start, env))
        return self.safe(machine, fault, budget).verdict == "holds"

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
        ends = model.terms.any(c for c, _ in (*model.end_faults, *model.winner_faults))

        def wrong(env: Env) -> Formula:
            parts = [e.term(ends, env)]
            for k, m in enumerate(model.moves):
                if m.faults or m.legality_faults:
                    inner = Env(env.var, None, e.inputs(m, f"fault{k}"), None, machine.switches)
                    parts.append(z3.And(e.taken(m, inner, faults=True)))
            return z3.Or(parts)

        return Bad(wrong)
