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
from tablelaw.solver.verdict import InternalFault, Verdict
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
                best_slots = found
                value = (
                    valued(machine, prop, found[-1]) if not looks else measured(prover, asked, prover.played(machine, found))
                )
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
            if best_slots is None:
                if (lowest if larger else highest) in (-BIG, BIG):  # it may always lie beyond what was begun with
                    return Verdict("unknown", reason="how large the number can get is not known")
                return Verdict("unknown", reason="no reachable position meets the condition")
            step = 1 if larger else -1
            short, notes = prover.shortened(unrolled, best_slots, 0, budget.part(prover.patience), assume(value - step))
            best = prover.played(machine, short)
            if measured(prover, asked, best) != value:
                raise InternalFault("z3 and the evaluator read a number of a play differently")
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
    if best_slots is None:
        return Verdict("unknown", "bounded", f"{depth} steps", reason="no witness was found")
    least = "at least" if larger else "at most"
    reason = f"it is {least} {value}; nothing beyond it was found or excluded"
    return Verdict("unknown", "bounded", f"{depth} steps", trace=prover.played(machine, best_slots).trace, reason=reason)


def valued(machine: Machine, prop: Prop, slots: list[int]) -> int:
    """What a formula that looks at no step before comes to in a position."""
    e, row = machine.encoder, machine.row
    here = [z3.BoolVal(bool(n)) if z3.is_bool(x) else z3.IntVal(n) for x, n in zip(row, slots, strict=True)]
    number = e.number(e.term(prop.start, machine.env(row)), prop.start)
    return int(z3.simplify(machine.at(number, here)).as_long())


def on_next(machine: Machine, prop: Prop, where: Prop | None) -> tuple[Term, Term | None, Term]:
    """Where only one of formula and condition looks back, the other is read after the step."""
    t = machine.problem.terms

    def shift(x: Term) -> Term:
        return t.replace(x, lambda leaf: machine.model.next(leaf.number) if leaf.op == "var" else None, {})

    p = prop.step if prop.looks else shift(prop.start)
    fault = prop.step_fault if prop.looks else shift(prop.start_fault)
    return p, None if where is None else where.step if where.looks else shift(where.start), fault


def measured(prover: Prover, asked: Asked, found: Verdict) -> int:
    """What the formula comes to at the end of a play, by the evaluator."""
    assert found.trace is not None
    assert asked.formula is not None
    return number_along(prover.game, found.trace, asked.formula)
