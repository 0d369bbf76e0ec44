"""Endless play in z3: a play that comes back to a position, or a measure that every few steps lower."""

from __future__ import annotations

import z3

from tablelaw.solver.ir import Term
from tablelaw.solver.loops import whose
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.symbolic.deciding import decide
from tablelaw.solver.symbolic.encode import Formula
from tablelaw.solver.symbolic.machine import Machine, number_of
from tablelaw.solver.symbolic.proofs import Prover
from tablelaw.solver.verdict import Verdict

LONGEST_LOOP = 24
LONGEST_WAIT = 4


def lasso(prover: Prover, machine: Machine, budget: Budget) -> Verdict:
    """Look for a play that comes back to a position it was in."""
    e, model = machine.encoder, machine.model
    prover.prepare_lemmas(machine, budget)
    solver = z3.Solver()
    rows = [e.position("0")]
    solver.add(e.starts(rows[0]), *machine.known(rows[0]))
    for depth in range(1, LONGEST_LOOP + 1):
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
        answer = decide(solver, budget)
        if answer == z3.sat:
            found = solver.model()
            slots_of = [[number_of(found, x) for x in r] for r in rows]
            back = slots_of[:-1].index(slots_of[-1])
            verdict = prover.played(machine, slots_of, back)
            assert verdict.trace is not None
            verdict.reason = whose(prover.game, verdict.trace)
            return verdict
        solver.pop()
        if answer == z3.unknown:
            break
    return Verdict(
        "unknown", "bounded", f"{len(rows) - 1} steps", reason="no play was found that comes back, and no proof that all end"
    )


def lowered(prover: Prover, machine: Machine, measure: Term, budget: Budget) -> Verdict | None:
    """Every few steps lower a number that is bounded: then no play goes on for ever. None when z3 does not find it so.

    The number is bounded because every variable is; k steps are tried for k up to a few.
    """
    e = machine.encoder
    prover.prepare_lemmas(machine, budget)
    try:
        for wait in range(1, LONGEST_WAIT + 1):
            if _lowers(machine, e.term(measure, machine.env(machine.row)), measure, machine.row, wait, [], budget):
                steps = "every step lowers" if wait == 1 else f"every {wait} steps lower"
                return Verdict("holds", "proved", "any number of steps", reason=f"{steps} the measure")
    except OutOfBudget:
        return None
    return None


def _lowers(
    machine: Machine, first: Formula, measure: Term, row: list[Formula], wait: int, before: list[Formula], budget: Budget
) -> bool:
    e = machine.encoder
    for k, m in enumerate(machine.model.moves):
        conditions, after, _ = machine.step(m, row, f"w{len(before)}.{wait}.{k}")
        path = [*before, *machine.known(row), *conditions]
        solver = z3.Solver()
        solver.add(*path, *machine.known(after))
        if wait > 1:
            if decide(solver, budget) != z3.unsat and not _lowers(machine, first, measure, after, wait - 1, path, budget):
                return False
            continue
        solver.add(z3.Not(e.term(measure, machine.env(after)) < first))
        if decide(solver, budget) != z3.unsat:
            return False
    return True
