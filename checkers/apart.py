"""Where two games with the same variables part, among positions that plays of the first one lead to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from tablelaw.checkers.coverage import Spot, evenly
from tablelaw.checkers.looking import WRONG, Drawn, Eye
from tablelaw.solver import evaluate
from tablelaw.solver.canonical import Canon
from tablelaw.solver.evaluate import Move
from tablelaw.solver.lockstep import own
from tablelaw.solver.sameness import alike, evident, identical, same_ends, same_pieces
from tablelaw.solver.sampling import Choice, Player, move_of, named, player
from tablelaw.spec.game import Game

MOST_MOVES, MOST_DRAWS = 200, 120
"""Of a move's draws, and an action's moves, so many are compared."""
Found = tuple[Move | None, Any]
"""The move that parts them, and the draw where only that one does; None: the end, or who may move."""


class Apart:
    """Two games beside each other; `same` says how it is seen that they never part, if it is."""

    def __init__(self, left: Eye, right: Game) -> None:
        self.left, self.right = left, right
        canon = Canon()
        plain = canon.game(left.game), canon.game(right)
        self.same = "by their formulas" if identical(*plain) or evident(*plain) else ""
        self.sure = True
        """Was all compared in the positions looked at? Not so of very many moves or draws, nor where rules have no value."""
        self.relaid = not same_pieces(left.game, right)
        self.comparable = [v.name for v in left.game.variables] == [v.name for v in right.variables]
        self.other: Player = player(right)
        self.ends = same_ends(*plain)
        same = alike(*plain)
        ours = {a.name: a for a in left.game.actions}
        theirs = {a.name: a for a in right.actions}
        self.names = [n for n in dict.fromkeys((*ours, *theirs)) if n not in same]
        self.table = any(n in g and g[n].by is None for n in self.names for g in (ours, theirs))
        self.mine = {n: player(replace(left.game, actions=(ours[n],))) for n in self.names if n in ours}
        self.yours = {n: player(replace(right, actions=(theirs[n],))) for n in self.names if n in theirs}
        self.numbers = [{a.name: n for n, a in enumerate(p.actions)} for p in (left.player, self.other)]

    def theirs(self, row: Any) -> Any:
        """A position of the first game as one of the other: with its own pieces, which an option may make otherwise."""
        return self.other.of(own(self.other.game, self.left.player.state(row))) if self.relaid else row

    def start(self) -> bool:
        """Do they begin differently?"""
        return evaluate.starts(self.left.game) != evaluate.starts(self.right)

    def here(self, row: Any) -> Found | None:
        """How they part in a position, if they do."""
        if not self.ends:
            mine, yours = self._end(self.left.player, row), self._end(self.other, self.theirs(row))
            self.sure = self.sure and "fault" not in (mine, yours)
            if mine != yours:
                return None, None
            if mine is not None:
                return None
        try:
            whole = self.left.player.legal(row) if self.table or self._tables(row) else None
        except WRONG:
            self.sure = False
            return None
        if whole and not self.table:
            return None  # the table acts in both, by what is alike
        for name in self.names:
            found = self._action(name, row, whole)
            if found is not None:
                return found
        return None

    def _tables(self, row: Any) -> bool:
        """Does the table act here?"""
        if all(a.by is not None for a in self.left.game.actions):
            return False
        found = self.left.player.legal(row)
        return bool(found) and found[0][1] < 0

    def _action(self, name: str, row: Any, whole: list[Choice] | None) -> Found | None:
        mine: dict[Any, Choice] | None
        if whole is not None:
            mine = {c[1:]: c for c in whole if self.left.actions[c[0]].name == name}
            yours = _listed(self.other, self.theirs(row), self.numbers[1].get(name))
        else:
            mine = _listed(self.mine.get(name), row, 0)
            yours = _listed(self.yours.get(name), self.theirs(row), 0)
        if mine is None or yours is None:
            self.sure = False
        if mine is None:
            return None
        n = self.numbers[0].get(name, -1)
        if yours is None:
            return (move_of(self.left.player, (n, *next(iter(mine)))), None) if mine else None
        for key in (*mine, *yours):
            if key not in mine or key not in yours:
                if key in mine:
                    return move_of(self.left.player, (n, *key)), None
                return move_of(self.other, (self.numbers[1][name], *key)), None
        self.sure = self.sure and len(mine) <= MOST_MOVES
        for key in evenly(list(mine), MOST_MOVES):
            drawn = self._outcomes(row, (n, *key), (self.numbers[1][name], *key))
            if drawn is not None:
                return move_of(self.left.player, (n, *key)), named(self.left.actions[n], drawn) or None
        return None

    def _outcomes(self, row: Any, mine: Choice, yours: Choice) -> Drawn | None:
        """A draw with which the move does not do the same in both."""
        try:
            ways = self.left.ways(row, mine)
        except WRONG:
            self.sure = False
            return None
        there = self.theirs(row)
        self.sure = self.sure and len(ways) <= MOST_DRAWS
        for drawn in evenly(ways, MOST_DRAWS):
            one, other = self._step(self.left.player, row, mine, drawn), self._step(self.other, there, yours, drawn)
            if one != other:
                return drawn
        return None

    def _step(self, made: Player, row: Any, choice: Choice, drawn: Drawn) -> object:
        try:
            after = made.step(row, choice, drawn)[0]
            return after, self._end(made, after)
        except WRONG:
            return "fault"

    def _end(self, made: Player, row: Any) -> object:
        try:
            return tuple(sorted(made.winners(row))) if made.end(row) >= 0 else None
        except WRONG:
            return "fault"

    def first(self, pool: Iterable[Spot]) -> tuple[Spot, Found] | None:
        """The first position of these where they part; on the play to it, the first one."""
        for spot in pool:
            if self.here(spot.row) is not None:
                return self.along(spot)
        return None

    def along(self, spot: Spot) -> tuple[Spot, Found] | None:
        """The first position on a play where they part."""
        row = spot.start
        for n in range(len(spot.way) + 1):
            found = self.here(row)
            if found is not None:
                return Spot(spot.start, spot.way[:n], row), found
            if n < len(spot.way):
                row = self.left.player.step(row, *spot.way[n])[0]
        return None


def _listed(made: Player | None, row: Any, number: int | None) -> dict[Any, Choice] | None:
    """The moves of an action, by who and with what; None where the rules have no answer."""
    if made is None or number is None:
        return {}
    try:
        return {c[1:]: c for c in made.legal(row) if c[0] == number}
    except WRONG:
        return None
