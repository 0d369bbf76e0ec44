"""Games with one clause taken out or turned round, and which fixtures notice."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from tablelaw.checkers.fixtures import Fixture
from tablelaw.checkers.goals import exceptions
from tablelaw.checkers.looking import WRONG, no
from tablelaw.solver.evaluate import Move, State
from tablelaw.solver.mutate import with_checks, without
from tablelaw.solver.sampling import Player, player
from tablelaw.spec.core import Fire, clauses_of, with_clauses
from tablelaw.spec.game import Action, Check, Game


@dataclass(frozen=True, slots=True)
class Mutant:
    """A game with one clause changed: `without` it, or with its condition `against` what it says."""

    how: str
    clause: str
    game: Game

    @property
    def says(self) -> str:
        """For people."""
        return f"without `{self.clause}`" if self.how == "without" else f"with `{self.clause}` turned round"


def mutants(game: Game) -> Iterator[Mutant]:
    """Every mutant of a game, in the order of its clauses."""
    for a in game.actions:
        yield Mutant("without", a.name, without(game, a.name))
        for c in a.checks:
            yield Mutant("without", c.id, without(game, c.id))
            yield Mutant("against", c.id, _checks(game, a, c.id))
            for k, name in enumerate(exceptions(game, c.id)[: len(c.lifted)]):
                yield Mutant("without", name, _checks(game, a, c.id, lose=k))
                yield Mutant("against", name, _checks(game, a, c.id, turn=k))
    seen: dict[str, bool] = {}
    for a in game.actions:
        for e in clauses_of(a.effects):
            seen[e.clause] = seen.get(e.clause, False) or e.when is not None
    names = {a.name for a in game.actions}
    for clause, conditional in seen.items():
        if clause not in names:
            yield Mutant("without", clause, without(game, clause))
        if conditional:
            yield Mutant("against", clause, _turned(game, clause))
    for end in game.ends:
        yield Mutant("without", end.id, without(game, end.id))
        ends = tuple(replace(x, when=no(x.when)) if x is end else x for x in game.ends)
        yield Mutant("against", end.id, replace(game, ends=ends))


def _checks(game: Game, action: Action, check: str, lose: int = -1, turn: int = -1) -> Game:
    """The check itself turned round, or one of its exceptions left out or turned round."""

    def change(c: Check) -> Check:
        if lose >= 0:
            return replace(c, lifted=tuple(x for k, x in enumerate(c.lifted) if k != lose))
        if turn >= 0:
            return replace(c, lifted=tuple(no(x) if k == turn else x for k, x in enumerate(c.lifted)))
        return replace(c, formula=no(c.formula))

    return with_checks(game, action.name, lambda checks: tuple(change(c) if c.id == check else c for c in checks))


def _turned(game: Game, clause: str) -> Game:
    def turn(e: Fire) -> Fire:
        return replace(e, when=no(e.when)) if e.clause == clause and e.when is not None else e

    return replace(game, actions=tuple(replace(a, effects=with_clauses(a.effects, turn)) for a in game.actions))


# who notices


class Noticing:
    """A mutant as an engine that fixtures are held against: by what it does, not by the names of its clauses."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.player: Player = player(game)
        self.numbers = {a.name: n for n, a in enumerate(self.player.actions)}

    def notices(self, f: Fixture) -> bool:
        """Does the fixture tell this game from its own?"""
        row = self.player.of(f.state)
        try:
            if self._ended(row) != (f.ended is not None, f.winners):
                return True
            found = {(c[0], c[1], c[2]) for c in self.player.legal(row)}
        except WRONG:
            return True
        if found != {self._choice(m) for m in f.legal}:
            return True
        return any(self._differs(row, o.move, o.drawn, o.after, (o.ended is not None, o.winners)) for o in f.outcomes)

    def _ended(self, row: Any) -> tuple[bool, tuple[int, ...]]:
        ended = self.player.end(row) >= 0
        return ended, tuple(sorted(self.player.winners(row))) if ended else ()

    def _choice(self, move: Move) -> tuple[int, int, tuple[Any, ...]]:
        return self.numbers.get(move.action, -1), -1 if move.actor is None else move.actor, tuple(v for _, v in move.args)

    def _differs(
        self, row: Any, move: Move, drawn: tuple[tuple[str, Any], ...], after: State, ended: tuple[bool, tuple[int, ...]]
    ) -> bool:
        try:
            now, _ = self.player.step(row, self._choice(move), tuple(v for _, v in drawn))
            return self.player.state(now) != after or self._ended(now) != ended
        except WRONG:
            return True


def survivors(found: Iterable[Mutant], fixtures: list[Fixture]) -> list[Mutant]:
    """The mutants that no fixture notices."""
    alive = []
    for m in found:
        engine = Noticing(m.game)
        if not any(engine.notices(f) for f in fixtures):
            alive.append(m)
    return alive
