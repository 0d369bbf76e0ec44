"""A position in which clauses say something: a check of theirs is broken, an effect or an exception of theirs happens."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

from tablelaw.checkers.sides import excepting, holds
from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import State
from tablelaw.solver.lockstep import Lockstep, Pair, Parting, Way
from tablelaw.solver.parting import SHORTER, Ask, Comparing, happened
from tablelaw.solver.sameness import alike, disjunction, no, some_move
from tablelaw.solver.sampled import Sample
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.spec.core import Const, Expr
from tablelaw.spec.game import Action, Check, Game
from tablelaw.spec.operators import Fault
from tablelaw.spec.questions import Asked
from tablelaw.spec.values import Map

MOST_TRIED, MOST_SPOKEN, PROOF = 4_000, 60, 30.0
Said = tuple[Action, Check | None, Expr]
"""A formula of a clause about the moves of an action: its check (true to be kept), or an exception (true to speak)."""


class Speaking:
    """Looks for a position where the clauses speak, in the game that has them."""

    def __init__(self, game: Game, ids: frozenset[str], ask: Ask | None = None) -> None:
        self.game, self.ids, self.ask = game, ids, ask
        self.never = False
        """Is it proved that they never speak?"""
        self.lock: Lockstep | None = None
        self.checks: list[tuple[Action, str, Expr, bool]] = []
        for a in game.actions:
            for c in a.checks:
                if c.id in ids and not (isinstance(c.formula, Const) and c.formula.value):
                    self.checks.append((a, c.id, c.formula, False))
                for e, x in zip(excepting(game, c.id), c.lifted, strict=False):
                    if e in ids:
                        self.checks.append((a, e, x, True))
        self.ends = [e for e in game.ends if e.id in ids]
        self.effects = frozenset(
            c for c in ids if c not in {x for _, x, _, _ in self.checks} and c not in {e.id for e in self.ends}
        )

    def at(self, pair: Pair, way: Callable[[], Way]) -> Parting | None:
        """What they say in a position; the move is that of which they speak."""
        state = Map(dict(zip((v.name for v in self.game.variables), pair[1], strict=True)))
        for e in self.ends:
            if self._true(e.when, state):
                return Parting("speaks", "right", pair, way(), names=(e.id,))
        try:
            if evaluate.end(self.game, state) is not None:
                return None
        except Fault:
            return None
        spoken = list(itertools.islice(self._moves(state), MOST_SPOKEN))
        if spoken:  # of which the fewest other clauses speak
            _, move, clause = min(spoken, key=lambda x: x[0])
            return Parting("speaks", "right", pair, way(), move, names=(clause,))
        if self.effects:
            for move in self._legal(pair, state):
                for drawn in evaluate.sound_draws(self.game, state, move):
                    fired = [c for c in evaluate.apply(self.game, state, move, drawn).fired if c in self.effects]
                    if fired:
                        return Parting("speaks", "right", pair, way(), move, drawn, tuple(fired))
        return None

    def _legal(self, pair: Pair, state: State) -> list[evaluate.Move]:
        if self.lock is not None:
            return [c.move for c in self.lock.menus(pair)[1].choices.values()]
        try:
            return evaluate.moves(self.game, state)
        except Fault:
            return []

    def _moves(self, state: State) -> Iterator[tuple[int, evaluate.Move, str]]:
        """The moves of which the clauses speak, each with how many others forbid it."""
        for action, clause, formula, wanted in self.checks:
            try:
                for n, (move, there) in enumerate(evaluate.open_moves(self.game, state, action)):
                    if n > MOST_TRIED:
                        break
                    if holds(formula, there) == wanted:
                        others = [c for c in action.checks if c.id not in self.ids and not holds(c.formula, there)]
                        yield len(others), move, clause
            except Fault:
                continue

    def _true(self, e: Expr, state: State) -> bool:
        return holds(e, evaluate.place(self.game, state))

    def find(self, comparing: Comparing, budget: Budget) -> Parting | None:
        """The nearest such position, else one that a play at random comes to, the play shortened."""
        if not (self.checks or self.ends or self.effects):
            return None
        lock = self.lock = comparing.lock
        lock.marked = frozenset(a.name for a in self.game.actions) - alike(comparing.left, comparing.right)
        found = self._nearest(lock, budget.part(budget.left() * 0.1))
        if found is not None or lock.complete:
            return found
        if comparing.given is None:
            part = budget.part(budget.left() * 0.3)
            found = comparing.hunt.read(self.game, self.at, part, min(SHORTER, budget.left() / 4))
            if found is not None:
                return found
        found = self._sampled(comparing, budget.part(budget.left() * 0.3))
        if found is not None or self._silent(comparing, budget.part(min(PROOF, budget.left() * 0.4))):
            return found
        return comparing.hunt.find(self.at, budget.part(budget.left() * 0.8), min(SHORTER, budget.left() / 4))

    def _sampled(self, comparing: Comparing, budget: Budget) -> Parting | None:
        """One that a play at random of the game alone comes to: that is quicker than of two games."""
        asked = Asked("speaks", "reach", None, formula=self._says(), given=comparing.given[1] if comparing.given else None)
        try:
            verdict = Sample(self.game, asked).ask(budget)
        except (OutOfBudget, Unlowerable, RecursionError):
            return None
        if verdict is None or verdict.trace is None:
            return None
        return comparing.hunt.along(verdict.trace, self.at, min(SHORTER, budget.left()))

    def _silent(self, comparing: Comparing, budget: Budget) -> bool:
        """Is it proved that they never speak?"""
        if self.ask is not None and comparing.given is None:
            asked = Asked("speaks", "never", None, formula=self._says())
            verdict = self.ask.claim(self.game, asked, budget)
            self.never = verdict.verdict == "holds" and verdict.known_by in ("proved", "exhausted")
        return self.never

    def _says(self) -> Expr:
        """A formula that is true where they speak."""
        found = [some_move(a, x if wanted else no(x)) for a, _, x, wanted in self.checks]
        return disjunction([*found, *(e.when for e in self.ends), *(happened(c) for c in sorted(self.effects))])

    def _nearest(self, lock: Lockstep, budget: Budget) -> Parting | None:
        i = 0
        try:
            while True:
                while i < len(lock.pairs):
                    budget.check()
                    pair = lock.pairs[i]
                    found = self.at(pair, lambda i=i: lock.way(i))  # type: ignore[misc]
                    if found is not None:
                        return found
                    i += 1
                    if i >= lock.expanded:
                        break
                if lock.complete and i >= len(lock.pairs):
                    return None
                grown = lock.expanded
                for _ in lock.search(budget.part(min(0.5, budget.left()))):
                    pass
                if lock.expanded == grown:
                    return None
        except OutOfBudget:
            return None
