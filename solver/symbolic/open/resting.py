"""Which clauses a proof rests on: those that it uses, and of these those without which it is no proof any more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tablelaw.solver.effort import within
from tablelaw.solver.mutate import clauses
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.symbolic.open.claims import Prover
from tablelaw.spec.game import Game

MOST = 40.0
"""Seconds spent on finding them."""
Proof = Callable[[Prover, Budget], bool]


@dataclass(frozen=True)
class Rest:
    """What a proof rests on: clauses without any single one of which it fails, others that it uses, and what is not known."""

    needed: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    unsure: tuple[str, ...] = ()

    @property
    def clauses(self) -> tuple[str, ...]:
        """The clauses to be told with the answer."""
        return self.needed or (() if self.unsure else self.also)

    @property
    def notes(self) -> list[str]:
        """What is to be said of them."""
        found = []
        if self.needed:
            found.append(ONLY_THIS_PROOF)
        elif self.also and not self.unsure:
            found.append("no single one of these clauses was found to be needed alone")
        if self.also and (self.needed or self.unsure):
            found.append("the proof found also uses " + ", ".join(self.also))
        if self.unsure:
            found.append("whether it needs these clauses was not worked out: " + ", ".join(self.unsure))
        return found


ONLY_THIS_PROOF = "without one of the clauses it rests on this proof fails; whether the answer changes was not looked at"
NOT_WORKED_OUT = "which clauses it rests on was not worked out"


def rest(game: Game, proof: Proof, budget: Budget) -> Rest | None:
    """What a proof rests on; None where there was no time for it. `proof` is asked again with clauses left out."""
    prover, left = Prover(game, {}), within(budget, MOST)
    try:
        if not proof(prover, left):
            return None
    except OutOfBudget:
        return None
    order = {c: i for i, c in enumerate(clauses(game))}
    needed, unsure, also, without = set[str](), set[str](), set[str](), frozenset[str]()
    seen = set[str]()
    while waiting := sorted((prover.used & order.keys()) - seen, key=order.__getitem__):  # what stands in is used from then on
        c = waiting[0]
        seen.add(c)
        found = _without(proof, prover, {c}, left)
        if found is None:
            unsure.add(c)
        elif not found:
            needed.add(c)
        elif not without or _without(proof, prover, without | {c}, left):
            without |= {c}
        else:
            also.add(c)
    return Rest(*(tuple(sorted(some, key=order.__getitem__)) for some in (needed, also, unsure)))


def _without(proof: Proof, prover: Prover, off: frozenset[str] | set[str], budget: Budget) -> bool | None:
    """Does the proof go through without these clauses? None where it was cut short."""
    prover.off, prover.cut = frozenset(off), False
    try:
        return proof(prover, budget) or (None if prover.cut else False)
    except OutOfBudget:
        return None
    finally:
        prover.off = frozenset()
