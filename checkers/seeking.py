"""Looks for where a game parts from one with a clause changed, going on from positions in which that clause nearly matters."""

from __future__ import annotations

from dataclasses import dataclass

from tablelaw.checkers.apart import Apart
from tablelaw.checkers.coverage import Search, Spot
from tablelaw.checkers.looking import WRONG, Eye
from tablelaw.checkers.mutants import Mutant
from tablelaw.checkers.nearness import far, move_far
from tablelaw.solver import evaluate
from tablelaw.solver.sampling import Dice
from tablelaw.solver.space.graph import Budget
from tablelaw.spec.core import clauses_of
from tablelaw.spec.reckon import Place

STEPS, LONGEST, KEPT, TIRED = 8_000, 14, 24, 12
FINE = 6
"""Decimals in which distances are compared."""


@dataclass(slots=True)
class _Here:
    spot: Spot
    tries: int = 0


class Seeking:
    """One mutant of one game. The work is counted in steps, so that the same comes of it on every machine."""

    def __init__(self, eye: Eye, mutant: Mutant, apart: Apart, steps: int = STEPS) -> None:
        self.eye, self.mutant, self.apart, self.left = eye, mutant, apart, steps
        self.levels: dict[float, list[_Here]] = {}
        self.met: set[object] = set()
        game, clause = eye.game, mutant.clause
        self.owner = next((a for a in game.actions if any(c.id == clause for c in a.checks)), None)
        self.end = next((e for e in game.ends if e.id == clause), None)
        self.doing = [a for a in game.actions if a.name == clause or any(e.clause == clause for e in clauses_of(a.effects))]

    def possible(self) -> bool:
        """Is it known what to go by?"""
        return bool(self.owner or self.end or self.doing)

    def distance(self, row: object) -> float:
        """How far a position is from one in which the clause matters."""
        state: Place = evaluate.place(self.eye.game, self.eye.player.state(row))
        clause = self.mutant.clause
        if self.owner is not None:
            checks = [(c, c.id != clause) for c in self.owner.checks if c.id != clause or self.mutant.how == "without"]
            return round(move_far(self.owner, state, checks), FINE)
        if self.end is not None:
            return round(far(self.end.when, state), FINE)
        each = (move_far(a, state, [(c, True) for c in a.checks], "" if a.name == clause else clause) for a in self.doing)
        return round(min(each), FINE)

    def find(self, pool: list[Spot], budget: Budget, seed: int) -> Spot | None:
        """A position where they part, by plays at random that go on from where they nearly do."""
        search = Search(self.eye, set())
        for spot in pool:
            if self._met(spot):
                return spot
        number = 0
        while self.left > 0 and self.levels and not search.over(budget):
            number += 1
            dice = Dice(seed, number)
            spot = self._begin(dice)
            for _ in range(1 + dice.below(LONGEST)):
                self.left -= 1
                try:
                    taken = search.pick(dice, number, spot.row, self.eye.player.legal(spot.row))
                    if taken is None:
                        break
                    spot = Spot(spot.start, (*spot.way, taken), self.eye.player.step(spot.row, *taken)[0])
                except WRONG:
                    break
                if self._met(spot):
                    return spot
        return None

    def _met(self, spot: Spot) -> bool:
        """Keep a position for going on from; do the games part there?"""
        if spot.row in self.met:
            return False
        self.met.add(spot.row)
        try:
            if self.eye.player.end(spot.row) >= 0:
                return self.end is not None and self.apart.here(spot.row) is not None
            distance = self.distance(spot.row)
        except WRONG:
            return False
        if distance <= self.nearest and self.apart.here(spot.row) is not None:
            return True  # what an effect does before the clause is asked is not foreseen: near is near enough
        level = self.levels.setdefault(distance or 0.5, [])
        if len(level) < KEPT:
            level.append(_Here(spot))
        else:
            tired = max(range(KEPT), key=lambda k: level[k].tries)
            if level[tired].tries >= TIRED:
                level[tired] = _Here(spot)
        return False

    @property
    def nearest(self) -> float:
        """How near it came."""
        return min(self.levels, default=float("inf"))

    def _begin(self, dice: Dice) -> Spot:
        """Where to go on from: from the nearest positions most often, but now and then from any; the least tried of these."""
        order = sorted(self.levels)
        k = 0
        if dice.below(2):
            k = dice.below(len(order))
        else:
            while k + 1 < len(order) and not dice.below(3):
                k += 1
        best = min(self.levels[order[k]], key=lambda h: h.tries)
        best.tries += 1
        return best.spot
