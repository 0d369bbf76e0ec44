"""Does a step that meets a condition ever come up in a game on a board? `probe.py` told on values, by the evaluator.

Positions met (all of them, or a sample) answer most questions; where not all were met, a claim about positions alone may
still be proved with the board left open.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from tablelaw.solver import evaluate
from tablelaw.solver.breadth import MOST_DRAWS, draws_of, too_broad
from tablelaw.solver.engine import Engines
from tablelaw.solver.evaluate import Move, State
from tablelaw.solver.mutate import without
from tablelaw.solver.probe import Found, Probe, Target
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.space.rows import Rows
from tablelaw.spec.core import Expr, clauses_of
from tablelaw.spec.game import Action, Game
from tablelaw.spec.operators import Fault
from tablelaw.spec.questions import Asked, step_needs
from tablelaw.spec.reckon import Place, value
from tablelaw.spec.values import Map

MOST_OUTCOMES = 64
"""So many draws of a move are looked at when a clause is left out."""


@dataclass(frozen=True, slots=True)
class Sought(Target):
    """A test of positions. `formula`, where it is no more than one, can also be proved false.

    Something in `misses` says that a position was not looked at to the end.
    """

    test: Callable[[State], bool] = lambda _: False
    formula: Expr | None = None
    misses: list[bool] = field(default_factory=list, compare=False)

    @property
    def hopeless(self) -> bool:
        return False


class BoardProbe(Probe):
    """One game on a board being probed."""

    def __init__(self, game: Game, tell: Callable[[str], None] | None = None) -> None:
        self.game, self.tell = game, tell
        self.engines = Engines(game, cores=False)
        self.space = Rows(game, (), None)
        self.seen = []
        self._asked = 0
        self._without: dict[str, Game] = {}

    def look_around(self, budget: Budget, states: int = 20_000) -> None:
        """Meet all positions where they are few, else the first and some plays; the starts alone where steps are too many."""
        if too_broad(self.game) is None:
            super().look_around(budget, states)
        else:
            self.seen = list(self.space.states)

    def position(self, packed: int) -> Map:
        return self.space.state(self.game, 0, packed)

    def effects(self) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for a in self.game.actions:
            for name in (e.clause for e in clauses_of(a.effects)):
                found.setdefault(name, set()).add(a.name)
        return {name: frozenset(actions) for name, actions in found.items()}

    # targets

    def happens(self, action: str) -> Target:
        return Sought(test=lambda s: any(m.action == action for m in self._moves_at(self.game, s) or ()))

    def opens(self, action: str, checks: tuple[str, ...] = ()) -> Target:
        a = self._action(action)
        wanted = [c for c in a.checks if c.id in checks]

        def test(state: State) -> bool:
            return any(
                all(value(c.formula, there) or any(value(x, there) for x in c.lifted) for c in wanted)
                for _, there in self._open(state, a)
            )

        return Sought(test=test)

    def reads(self, action: str, formula: Expr) -> Target:
        a = self._action(action)
        return Sought(test=lambda state: any(value(formula, there) for _, there in self._open(state, a)))

    def matters(self, clause: str) -> Target:
        """A step that is not the same, or not legal, or has a fault, when the clause is left out."""
        other = self._without.setdefault(clause, without(self.game, clause))
        inside = self.effects().get(clause, frozenset())
        misses: list[bool] = []

        def test(state: State) -> bool:
            mine, theirs = self._moves_at(self.game, state), self._moves_at(other, state)
            if mine is None or theirs is None or set(mine) != set(theirs):
                return (mine is None) != (theirs is None) or (mine is not None and set(mine) != set(theirs or ()))
            return any(self._differs(other, state, m, misses) for m in mine if m.action in inside)

        return Sought(test=test, misses=misses)

    def decides(self, end: str) -> Target:
        def test(state: State) -> bool:
            found = evaluate.end(self.game, state)
            return found is not None and found.id == end

        return Sought(test=test, formula=next(e.when for e in self.game.ends if e.id == end))

    def question(self, formula: Expr) -> Target | None:
        looks, counts = step_needs([formula])
        if looks or counts:
            return None
        return Sought(
            test=lambda state: bool(value(formula, evaluate.place(self.game, state).bind({"actor": None}))), formula=formula
        )

    def _action(self, name: str) -> Action:
        found = self.game.action(name)
        assert found is not None
        return found

    def _open(self, state: State, a: Action) -> Iterator[tuple[Move, Place]]:
        """The moves whose phase is open, in a position that goes on and where a player's turn is one."""
        if evaluate.end(self.game, state) is not None:
            return
        if a.by is not None and any(m.actor is None for m in self._moves_at(self.game, state) or ()):
            return
        yield from evaluate.open_moves(self.game, state, a)

    def _moves_at(self, game: Game, state: State) -> list[Move] | None:
        """The legal moves; None where deciding them has a fault."""
        try:
            return evaluate.moves(game, state)
        except Fault:
            return None

    def _differs(self, other: Game, state: State, move: Move, misses: list[bool]) -> bool:
        if draws_of(self._action(move.action)) > MOST_DRAWS:
            misses.append(True)
            return False
        draws = evaluate.draws(self.game, state, move)
        if len(draws) > MOST_OUTCOMES:
            misses.append(True)
        for drawn, _ in islice(draws, MOST_OUTCOMES):
            one, two = evaluate.apply(self.game, state, move, drawn), evaluate.apply(other, state, move, drawn)
            if (one.fault is None) != (two.fault is None) or one.state != two.state:
                return True
        return False

    # answers

    def met(self, target: Target, seconds: float) -> Found:
        found = next(self.where(target, seconds), None)
        if isinstance(found, int):
            return True
        assert isinstance(target, Sought)
        return False if found is None and self.complete and not target.misses else None

    def where(self, target: Target, seconds: float) -> Iterator[int | str]:
        assert isinstance(target, Sought)
        last = time.monotonic() + seconds
        for s in self.seen:
            if time.monotonic() > last:
                yield "late"
                return
            try:
                good = target.test(self.position(s))
            except Fault:
                continue
            if good:
                yield s

    def proves_never(self, target: Target, seconds: float) -> Found:
        if self.complete:
            return self.met(target, seconds)
        assert isinstance(target, Sought)
        if target.formula is None:
            return None
        asked = Asked("probe", "reach", None, formula=target.formula)
        self.engines.engine = "symbolic"
        found = self.engines.ask(asked, Budget(seconds, tell=self.tell)).verdict
        return {"holds": True, "fails": False}.get(found)
