"""That a play ends with probability one, by a measure: bounded, never rising, and lowered with some chance again and again.

Luck is asked for in its simplest form: from a position on, every die shows the same face. If from every position there is a
face with which some number of steps lowers the measure (or ends the play) whatever is chosen, then so it happens with at
least some fixed probability, whatever is chosen, and the measure cannot stay up for ever (Borel, Cantelli). The positions
are all that keep the known invariants, so that none need be listed.
"""

from __future__ import annotations

from dataclasses import dataclass

import z3

from tablelaw.solver.ir import Move, Term
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.symbolic.deciding import decide
from tablelaw.solver.symbolic.encode import Formula
from tablelaw.solver.symbolic.machine import Machine
from tablelaw.solver.symbolic.proofs import Prover
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.game import Game
from tablelaw.spec.types import Enum

STEPS = (1, 2, 3, 4, 5, 6, 8)
LONGER = (12, 16, 24)
PATIENCE = (6.0, 30.0, 150.0)
WAITS = (2, 4, 6, 8, 12)
WIDEST_CUT = 16
MOST_FACES = 12


def surely(prover: Prover, machine: Machine, measure: Term, budget: Budget) -> Verdict:
    """`holds` where the measure shows it; unknown otherwise. Raises `OutOfBudget`."""
    prover.prepare_lemmas(machine, budget)
    if not _never_rises(machine, measure, budget):
        return Verdict("unknown", reason="the measure may rise, or was not proved not to")
    alone = [[face] for face in range(_faces(machine))]
    cut = _cut(prover, machine, budget.part(budget.left() / 4))
    for seconds in PATIENCE:
        for some in (STEPS, LONGER):
            for faces in [*alone, [f for one in alone for f in one]]:
                for steps in some:
                    if budget.tell:
                        budget.tell(f"z3: does luck lower the measure within {steps} steps?")
                    try:
                        if _lowered(machine, measure, steps, faces, cut, budget.part(seconds)):
                            return _shown(steps, cut)
                    except OutOfBudget:
                        budget.check()
                        break
    return Verdict("unknown", reason="no number of steps was found within which luck lowers the measure")


@dataclass(frozen=True, slots=True)
class Cut:
    """A condition that every play comes to meet again within `wait` steps, in words and as a formula over the row."""

    words: str
    formula: Formula
    wait: int


def _shown(steps: int, cut: Cut | None) -> Verdict:
    within = "a step" if steps == 1 else f"{steps} steps"
    start = f" from where {cut.words}" if cut is not None else ""
    notes = [f"within {within}{start} the measure falls with some chance, whatever is chosen, and it never rises"]
    if cut is not None:
        notes.append(f"every play comes there again within {cut.wait} steps, or ends")
    return Verdict("holds", "proved", "any number of steps", notes=notes)


def _cut(prover: Prover, machine: Machine, budget: Budget) -> Cut | None:
    """As many variables as can be told to be at their start again, all at once, within some steps of any play."""
    model, row = machine.model, machine.row
    start = model.starts[0]
    best: Cut | None = None
    for i, s in enumerate(model.slots):
        if s.path or s.hi - s.lo > WIDEST_CUT or any(other[i] != start[i] for other in model.starts):
            continue
        here = (row[i] if start[i] else z3.Not(row[i])) if s.truth else row[i] == start[i]
        value = ("true" if start[i] else "false") if s.truth else str(start[i])
        kind = next((v.type for v in prover.game.variables if v.name == s.name), None)
        value = kind.family[start[i]] if isinstance(kind, Enum) else value
        words = f"`{s.name}` is {value}"
        for wait in WAITS if best is None else [w for w in WAITS if w >= best.wait]:
            whole = here if best is None else z3.And(best.formula, here)
            try:
                if _comes_back(machine, whole, wait, budget.part(10.0)):
                    best = Cut(words if best is None else f"{best.words} and {words}", whole, wait)
                    break
            except OutOfBudget:
                break
        if budget.left() <= 0:
            break
    return best


def _comes_back(machine: Machine, here: Formula, wait: int, budget: Budget) -> bool:
    """Is there no play of so many steps, from anywhere, that stays off the condition and does not end?"""
    e, row = machine.encoder, machine.row
    solver = z3.Solver()
    now = row
    solver.add(*machine.known(row))
    for step in range(wait):
        after = e.position(f"back{step}")
        options = []
        for k, m in enumerate(machine.model.moves):
            conditions, slots, _ = machine.step(m, now, f"b{step}.{k}")
            options.append(z3.And([*conditions, *[a == b for a, b in zip(after, slots, strict=True)]]))
        solver.add(z3.Or(options), *machine.known(after), z3.Not(machine.at(here, after)))
        solver.add(z3.Not(e.term(machine.model.ended, machine.env(after))))
        now = after
    return bool(decide(solver, budget) == z3.unsat)


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


def _lowered(machine: Machine, measure: Term, steps: int, faces: list[int], cut: Cut | None, budget: Budget) -> bool:
    """From every position (that meets a condition), for some face: does no play of so many steps with it keep the measure?"""
    e, row = machine.encoder, machine.row
    solver = z3.Solver()
    solver.add(*machine.known(row), z3.Not(e.term(machine.model.ended, machine.env(row))))
    if cut is not None:
        solver.add(cut.formula)
    here = e.term(measure, machine.env(row))
    unsure = unsure_draws(machine.problem.game)
    for face in faces:
        now = row
        for step in range(steps):
            after = e.position(f"luck{face}.{step}")
            options: list[Formula] = []
            for k, m in enumerate(machine.model.moves):
                conditions, slots, env = machine.step(m, now, f"l{face}.{step}.{k}")
                same = [a == b for a, b in zip(after, slots, strict=True)]
                luck = [] if m.action in unsure else _showing(m, env.inputs, face)
                options.append(z3.And([*conditions, *luck, *same]))
            solver.add(z3.Or(options), *machine.known(after), e.term(measure, machine.env(after)) == here)
            if step < steps - 1:
                solver.add(z3.Not(e.term(machine.model.ended, machine.env(after))))
            now = after
        if budget.left() <= 0:
            raise OutOfBudget(budget.over())
    return bool(decide(solver, budget) == z3.unsat)


def unsure_draws(game: Game) -> frozenset[str]:
    """The actions of a projection that draw what comes of the board: that is no luck, and may come out in any way."""
    return frozenset(a.name for a in game.actions if any(d.name.startswith(("unknown(", "place(")) for d in a.draws))


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
