"""Is a condition on a move and its inputs ever met? The half of `solver/probe.py` that asks z3."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

import z3

from tablelaw.solver.effort import within
from tablelaw.solver.ir import Move, Term
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.symbolic.encode import Env, Formula, Unsupported
from tablelaw.solver.symbolic.engine import Symbolic
from tablelaw.solver.symbolic.machine import Bad


def reached(engine: Symbolic, state: Term | None, moves: Sequence[tuple[Move, Term]], tag: str, budget: Budget) -> bool | None:
    """True: with a play; False: proved that it never is; None: not known.

    The terms may be of another model of the same game: leaves are read by their numbers alone, so they get an `Env` of
    their own.
    """
    budget = within(budget)
    machine = engine.machine(None)
    e = machine.encoder

    def meets(env: Env) -> Formula:
        parts: list[Formula] = [] if state is None else [e.term(state, Env(env.var))]
        for k, (m, condition) in enumerate(moves):
            inner = Env(env.var, None, e.inputs(m, f"{tag}.{k}"))
            parts.append(z3.And([e.term(condition, inner), *e.bounds(m, inner), *e.turn(m, Env(env.var))]))
        return z3.Or(parts)

    with suppress(OutOfBudget):
        engine.prepare_lemmas(machine, budget.part(budget.left() * 0.3))
    kept = len(machine.lemmas)
    try:
        verdict = engine.safe(machine, Bad(meets), budget)
    except (OutOfBudget, Unsupported, z3.Z3Exception):
        return None
    finally:
        del machine.lemmas[kept:]  # they speak of this question's inputs
    return {"holds": False, "fails": True}.get(verdict.verdict)
