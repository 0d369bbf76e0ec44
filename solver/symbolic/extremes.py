"""The largest and smallest value of a formula: plays with ever better values, then a proof that there is none beyond."""

from __future__ import annotations

import z3

from tablelaw.solver.ir import BIG, Term
from tablelaw.solver.problem import Prop
from tablelaw.solver.replay import number_along
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.symbolic.encode import Env, Formula
from tablelaw.solver.symbolic.machine import Bad, Machine
from tablelaw.solver.symbolic.proofs import Prover
from tablelaw.solver.trace import Trace
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.questions import Asked


def extreme(prover: Prover, asked: Asked, machine: Machine, budget: Budget) -> Verdict:
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
        parts = [
            e.term(t.no(fault) if w is None else t.all((t.no(fault), w)), env),
            number > limit if larger else number < limit,
        ]
        return z3.And(parts)

    def target() -> Bad:
        def start(env: Env) -> Formula:
            return beyond(prop.start, where.start if where else None, prop.start_fault, env)

        if not looks:
            return Bad(start)
        p, w, fault = on_next(machine, prop, where)
        return Bad(None, lambda m, env: beyond(p, w, fault, env), start)

    machine.interest = [prop.start, *([where.start] if where else [])]
    prover.prepare_lemmas(machine, budget)
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
                best, best_slots = prover.played(machine, found), found
                value = measured(prover, asked, best.trace)
        except OutOfBudget:
            break
        fixed = limit == value
        try:
            proof = budget.part(2.0 if depth < 16 else 15.0)
            proved = prover.induction(machine, bad, proof, fixed) or (
                prover.spacer(machine, bad, proof, False, value) if depth > 1 else None
            )
        except OutOfBudget:
            proved = None
        if proved is not None and proved.verdict == "holds":
            if best is None or best_slots is None:
                if (lowest if larger else highest) in (-BIG, BIG):  # it may always lie beyond what was begun with
                    return Verdict("unknown", reason="how large the number can get is not known")
                return Verdict("unknown", reason="no reachable position meets the condition")
            step = 1 if larger else -1
            short, notes = prover.shortened(unrolled, best_slots, 0, budget.part(prover.patience), assume(value - step))
            best = prover.played(machine, short)
            return Verdict(
                "value",
                "proved",
                "any number of steps",
                str(value),
                clauses=best.clauses,
                trace=best.trace,
                evidence=proved.evidence,
                notes=notes,
            )
    reason = (
        "no witness was found"
        if best is None
        else f"it is {'at least' if larger else 'at most'} {value}; nothing beyond it was found or excluded"
    )
    return Verdict("unknown", "bounded", f"{depth} steps", trace=best.trace if best else None, reason=reason)


def on_next(machine: Machine, prop: Prop, where: Prop | None) -> tuple[Term, Term | None, Term]:
    """Where only one of formula and condition looks back, the other is read after the step."""
    t = machine.problem.terms

    def shift(x: Term) -> Term:
        return t.replace(x, lambda leaf: machine.model.next(leaf.number) if leaf.op == "var" else None, {})

    p = prop.step if prop.looks else shift(prop.start)
    fault = prop.step_fault if prop.looks else shift(prop.start_fault)
    return p, None if where is None else where.step if where.looks else shift(where.start), fault


def measured(prover: Prover, asked: Asked, trace: Trace | None) -> int:
    assert trace is not None
    assert asked.formula is not None
    return number_along(prover.game, trace, asked.formula)
