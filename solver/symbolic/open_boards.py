"""Questions about games on boards proved from the rules alone, whatever lies on the board.

`prove` for questions, `implied` for a check that others make needless, `equivalent` for two games with the same variables.
What is not proved is not said to be false: nothing is known of it.
"""

from __future__ import annotations

import z3

from tablelaw.solver import evaluate
from tablelaw.solver.effort import within
from tablelaw.solver.sameness import same_pieces
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.symbolic.open import alike
from tablelaw.solver.symbolic.open.claims import Prover
from tablelaw.solver.symbolic.open.invariants import Invariants
from tablelaw.solver.symbolic.open.resting import NOT_WORKED_OUT, Proof, rest
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.core import Const, Expr, Let, Local, Op, children
from tablelaw.spec.game import Check, Game
from tablelaw.spec.questions import Asked, step_needs
from tablelaw.spec.types import BOOL

NAME = "symbolic"
LEFT_OPEN = "the board was left open in the proof: it holds whatever lies there"
ANY_POSITION = "it holds in every position that could be written down, whatever lies on the board"
LOWERED = "every step lowers the measure, or ends the play, and it stays above a bound, whatever lies on the board"
AS_FAR = "as far as every formula has a value and no range is left"
NEXT_STEP = "the very next step brings it about, whatever lies on the board"
UNSAID = (Unlowerable, z3.Z3Exception, RecursionError)
"""What is raised where something cannot be said."""
LOCAL, SHORT = 8.0, 4.0
"""Seconds for a proof that takes no induction, and for a try at one."""


class OpenBoards:
    """Proofs about one game; what is proved once helps later questions."""

    def __init__(self, game: Game, cores: bool = True) -> None:
        self.game, self.cores = game, cores
        self._known: dict[object, Invariants] = {}

    def known(self, asked: Asked | None) -> Invariants:
        """What is proved from the starts of a question."""
        starts = [asked.given] if asked is not None and asked.given is not None else evaluate.starts(self.game)
        key = tuple(starts)
        if key not in self._known:
            self._known[key] = Invariants(self.game, starts)
        return self._known[key]

    def claim(self, asked: Asked) -> Expr | None:
        """What a question claims of every position, as one formula; None for other questions."""
        if asked.kind == "progress":
            p = Prover(self.game)
            open_to = [p.enabled(a) for a in self.game.actions]
            return Op("or", (*(e.when for e in self.game.ends), *open_to, Const(False, type=BOOL)), type=BOOL)
        if asked.kind not in ("always", "never", "reach") or asked.formula is None or step_needs([asked.formula])[0]:
            return None
        return asked.formula if asked.kind == "always" else Op("not", (asked.formula,), type=BOOL)

    def at_once(self, asked: Asked, budget: Budget) -> Verdict | None:
        """The verdict where it takes no induction; None where nothing is known."""
        try:
            if asked.kind == "always-after":
                return self._comes(asked, within(budget, LOCAL), False)
            claim = self.claim(asked)
            if claim is None or not Prover(self.game).everywhere(claim, within(budget, SHORT)):
                return None
        except (OutOfBudget, *UNSAID):
            return None
        return self._proved(asked, ANY_POSITION, lambda p, b: p.everywhere(claim, b), within(budget, LOCAL))

    def _proved(self, asked: Asked, note: str, proof: Proof, budget: Budget) -> Verdict:
        """The verdict with the clauses that the proof rests on; the proof is asked again for them."""
        word = "fails" if asked.kind == "reach" else "holds"
        found = Verdict(word, "proved", engine=NAME, notes=[note, AS_FAR], weighed=True)
        if self.cores:
            try:
                rests = rest(self.game, proof, budget)
            except UNSAID:
                rests = None
            found.clauses = rests.clauses if rests is not None else ()
            found.notes += rests.notes if rests is not None else [NOT_WORKED_OUT]
        return found

    def by_induction(self, asked: Asked, budget: Budget) -> Verdict | None:
        """The verdict where the start has the claim and every step keeps it. Raises `OutOfBudget`."""
        budget = within(budget)
        try:
            if asked.kind == "always-after":
                return self._comes(asked, budget, True)
            if asked.kind == "terminates":
                return self._ends(asked, budget)
            claim = self.claim(asked)
            if claim is None:
                return self._of_steps(asked, budget)
            known = self.known(asked)
            found = known.proof(claim, budget)
            if found is None:
                return None
        except UNSAID:
            return None
        return self._proved(asked, LEFT_OPEN, known.keeping([claim, *found]), budget)

    def _of_steps(self, asked: Asked, budget: Budget) -> Verdict | None:
        """A claim about steps (`old`): of each step by itself."""
        e = asked.formula
        if asked.kind not in ("always", "never", "reach") or e is None or step_needs([e]) != (True, frozenset()) or _acts(e):
            return None
        claim = e if asked.kind == "always" else Op("not", (e,), type=BOOL)
        lemmas = self.known(asked).steps_keep(claim, budget)
        if lemmas is None:
            return None
        kept = self.known(asked).keeping(lemmas)

        def proof(p: Prover, b: Budget) -> bool:
            return Invariants(self.game, [], p).steps_with(claim, lemmas, b) and (not lemmas or kept(p, b))

        return self._proved(asked, LEFT_OPEN, proof, budget)

    def _ends(self, asked: Asked, budget: Budget) -> Verdict | None:
        """`terminates` with a measure that every step lowers; without one nothing is tried."""
        if asked.measure is None or step_needs([asked.measure]) != (False, frozenset()):
            return None
        known = self.known(asked)
        found = known.falls(asked.measure, budget)
        if found is None:
            return None
        kept = [known.keeping(some) for some in (found.lemmas, found.kept) if some]

        def proof(p: Prover, b: Budget) -> bool:
            steps = Invariants(self.game, [], p).steps_with(found.claim, found.lemmas, b)
            return steps and (bool(found.kept) or p.everywhere(found.bound, b)) and all(keeps(p, b) for keeps in kept)

        return self._proved(asked, LOWERED, proof, budget)

    def _comes(self, asked: Asked, budget: Budget, at_length: bool) -> Verdict | None:
        """`always-after`, where each step from there brings it about."""
        when, then = asked.formula, asked.then
        if when is None or then is None or step_needs([when, then]) != (False, frozenset()):
            return None
        known = self.known(asked)
        found = known.leads(when, then, budget, at_length)
        if found is None:
            return None
        lemmas, kept = found[0], known.keeping(found[1])

        def proof(p: Prover, b: Budget) -> bool:
            return Invariants(self.game, [], p).leads_with(when, then, lemmas, b) and (not lemmas or kept(p, b))

        return self._proved(asked, NEXT_STEP, proof, budget)


def _acts(e: Expr) -> bool:
    """Does the formula ask who acted, or how often something has happened? (`can` has an actor of its own.)"""
    if isinstance(e, Let) and "actor" in e.names:
        return any(_acts(v) for v in e.values)
    return (isinstance(e, Local) and e.name == "actor") or any(_acts(c) for c in children(e))


def prove(game: Game, asked: Asked, budget: Budget, locally: bool = False) -> Verdict | None:
    """The verdict where it was proved; None where nothing is known. `locally`: only what takes no induction."""
    known = OpenBoards(game)
    found = known.at_once(asked, budget)
    if found is not None or locally:
        return found
    try:
        return known.by_induction(asked, budget)
    except OutOfBudget:
        return None


def implied(game: Game, action_id: str, check: Check | Expr, budget: Budget) -> bool:
    """Does every legal move of the action, wherever play may lead, pass this check too? False: it is not known."""
    try:
        return alike.implied(Invariants(game, evaluate.starts(game)), action_id, check, budget)
    except (OutOfBudget, *UNSAID):
        return False


def equivalent(left: Game, right: Game, budget: Budget) -> bool:
    """Have two games the same starts, moves, draws, steps and ends? False: it is not known."""
    if not same_pieces(left, right):
        return False
    try:
        return alike.equivalent(left, right, budget)
    except (OutOfBudget, *UNSAID):
        return False


__all__ = ["OpenBoards", "equivalent", "implied", "prove"]
