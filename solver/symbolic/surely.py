"""That a play ends with probability one, by a measure: bounded, never rising, and lowered with some chance again and again.

Luck is asked for in its simplest form: from a position on, every die shows the same face. If from every position there is a
face with which some number of steps lowers the measure (or ends the play) whatever is chosen, then so it happens with at
least some fixed probability, whatever is chosen, and the measure cannot stay up for ever (Borel, Cantelli). The positions
are all that keep the known invariants, so that none need be listed.
"""

from __future__ import annotations

import z3

from tablelaw.solver.ir import Move, Term
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.symbolic.encode import Formula
from tablelaw.solver.symbolic.machine import Machine, decide
from tablelaw.solver.symbolic.proofs import Prover
from tablelaw.solver.verdict import Verdict

STEPS = (1, 2, 3, 4, 6, 8, 10, 12)
MOST_FACES = 12


def surely(prover: Prover, machine: Machine, measure: Term, budget: Budget) -> Verdict:
    """`holds` where the measure shows it; unknown otherwise. Raises `OutOfBudget`."""
    prover.prepare_lemmas(machine, budget)
    if not _never_rises(machine, measure, budget):
        return Verdict("unknown", reason="the measure may rise, or was not proved not to")
    faces = _faces(machine)
    for steps in STEPS:
        if budget.tell:
            budget.tell(f"z3: does luck lower the measure within {steps} steps?")
        if _lowered(machine, measure, steps, faces, budget):
            within = "a step" if steps == 1 else f"{steps} steps"
            return Verdict(
                "holds", "proved", "any number of steps",
                notes=[f"within {within} the measure falls with some chance, whatever is chosen, and it never rises"],
            )  # fmt: skip
    return Verdict("unknown", reason="no number of steps was found within which luck lowers the measure")


def _faces(machine: Machine) -> int:
    """Of how many faces a die of the game shows one at most."""
    most = 1
    for m in machine.model.moves:
        drawn = [i for i in m.inputs if i.drawn]
        most = max([most, len(drawn), *(i.hi - i.lo + 1 for i in drawn)])
    return min(most, MOST_FACES)


def _never_rises(machine: Machine, measure: Term, budget: Budget) -> bool:
    e, row = machine.encoder, machine.row
    for k, m in enumerate(machine.model.moves):
        conditions, after, _ = machine.step(m, row, f"n{k}")
        solver = z3.Solver()
        solver.add(*machine.known(row), *conditions)
        solver.add(e.term(measure, machine.env(after)) > e.term(measure, machine.env(row)))
        if decide(solver, budget) != z3.unsat:
            return False
    return True


def _lowered(machine: Machine, measure: Term, steps: int, faces: int, budget: Budget) -> bool:
    """From every position, for some face: is there no play of so many steps with that face alone that keeps the measure?"""
    e, row = machine.encoder, machine.row
    solver = z3.Solver()
    solver.add(*machine.known(row), z3.Not(e.term(machine.model.ended, machine.env(row))))
    here = e.term(measure, machine.env(row))
    for face in range(faces):
        now = row
        for step in range(steps):
            after = e.position(f"luck{face}.{step}")
            options: list[Formula] = []
            for k, m in enumerate(machine.model.moves):
                conditions, slots, env = machine.step(m, now, f"l{face}.{step}.{k}")
                same = [a == b for a, b in zip(after, slots, strict=True)]
                options.append(z3.And([*conditions, *_showing(m, env.inputs, face), *same]))
            solver.add(z3.Or(options), *machine.known(after), e.term(measure, machine.env(after)) == here)
            if step < steps - 1:
                solver.add(z3.Not(e.term(machine.model.ended, machine.env(after))))
            now = after
        if budget.left() <= 0:
            raise OutOfBudget(f"the time of {budget.seconds:g} s is over")
    return bool(decide(solver, budget) == z3.unsat)


def _showing(m: Move, inputs: list[Formula], face: int) -> list[Formula]:
    """Everything drawn shows one face: of a roll all dice, of a single die its number."""
    drawn = [(i, x) for i, x in zip(m.inputs, inputs, strict=True) if i.drawn]
    if not drawn:
        return []
    counted = len(drawn) > 1
    found: list[Formula] = []
    for n, (i, x) in enumerate(drawn):
        if z3.is_bool(x):
            found.append(x == bool((face + n) % 2))
        elif counted:
            if n != face % len(drawn):
                found.append(x == 0)
        else:
            found.append(x == min(i.lo + face, i.hi))
    return found

