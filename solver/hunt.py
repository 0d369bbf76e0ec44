"""Plays at random in two games at once, until something shows; what is found is made shorter."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from tablelaw.solver.breadth import draws_of
from tablelaw.solver.evaluate import Move
from tablelaw.solver.fewest import MOST_DRAWN, Fewest, Link, steps_of
from tablelaw.solver.lockstep import Lockstep, Pair, Parting, Way
from tablelaw.solver.menus import Choice, Drawn, Menu
from tablelaw.solver.scent import Scent
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.trace import Trace
from tablelaw.solver.written import written
from tablelaw.spec.game import Game

Look = Callable[[Pair, Callable[[], Way]], Parting | None]
"""What is looked for in a pair of positions."""
Like = Callable[[Parting], Look]
"""What is looked for once one was found: others like it."""
LENGTHS = (2_000, 30, 60, 120, 60, 30)
"""How long plays at random are at most, in turn: short ones that keep to what led somewhere, whole ones that do not."""
SHRINK, MOST_WALKS, FEWEST, PLAIN, PATIENCE = 10.0, 1_000_000, 0.5, 3.0, 0.2


class Hunt:
    """Plays at random of one pair of games, each with a seed of its own."""

    def __init__(self, lock: Lockstep) -> None:
        self.lock, self.scent, self.seed = lock, Scent(), 0

    def find(self, look: Look, budget: Budget, seconds: float, like: Like | None = None) -> Parting | None:
        """The first that a play comes to; then so many seconds for a shorter play (to one like it)."""
        best: Parting | None = None
        try:
            while best is None and self.seed < MOST_WALKS:
                best = self._walk(look, budget, LENGTHS[self.seed % len(LENGTHS)], self._nose())
        except OutOfBudget:
            pass
        return None if best is None else self.shorter(best, like(best) if like else look, seconds)

    def read(self, game: Game, look: Look, budget: Budget, seconds: float, like: Like | None = None) -> Parting | None:
        """The first that comes in a play that a scenario of the game tells, or one step from it; then a shorter play."""
        for play in written(game, budget.part(budget.left() * 0.5)):
            way = self._way(play.trace)
            found = beside(self.lock, way, look, budget) if way is not None else None
            if found is not None:
                best = self.shorter(found, like(found) if like else look, seconds)
                return replace(best, source=play.scenario)
        return None

    def along(self, trace: Trace, look: Look, seconds: float, like: Like | None = None) -> Parting | None:
        """The first on a play of one of the games, followed in both; then a shorter play."""
        way = self._way(trace)
        found = replayed(self.lock, way, look, time.monotonic() + SHRINK) if way is not None else None
        return None if found is None else self.shorter(found, like(found) if like else look, seconds)

    def _way(self, trace: Trace) -> Way | None:
        """A play of one game from a start that both have."""
        lock, first = self.lock, trace.steps[0].state
        starts = [p for p, (parent, _, _) in zip(lock.pairs, lock.parents, strict=True) if parent < 0]
        start = next((p for p in starts if first in (lock.left.state(p[0]), lock.right.state(p[1]))), None)
        steps = tuple((s.move, s.drawn) for s in trace.steps[1:] if s.move is not None)
        return None if start is None else (start, steps)

    def _nose(self) -> Scent | None:
        """None, the scent, or one that keeps to a few draws, in turn."""
        if self.seed % 3 == 0:
            return None
        return self.scent if self.seed % 3 == 1 else self.scent.focus(random.Random(self.seed))

    def _walk(self, look: Look, budget: Budget, longest: int, scent: Scent | None) -> Parting | None:
        """One play at random, as far as it shows something."""
        seed, self.seed = self.seed, self.seed + 1
        for pair, way in self.lock.walk(random.Random(seed), budget, longest, scent):
            found = look(pair, lambda w=way: w)  # type: ignore[misc]
            if found is not None:
                return found
        return None

    def shorter(self, best: Parting, look: Look, seconds: float) -> Parting:
        """A shorter play to what is looked for.

        Steps are left out, choices made anew between few of its draws; then plays at random take the same steps more often.
        """
        budget = Budget(max(0.01, seconds))
        best = self._made_short(best, look, budget)
        patience = budget.part(seconds * PATIENCE)
        try:
            while best.length > max(1, self.lock.depth) and self.seed < MOST_WALKS:
                scent = Scent()
                scent.favour([(m.action, d) for m, d in best.way[1]])
                found = self._walk(look, patience, best.length, scent if self.seed % 4 else self.scent)
                if found is not None and found.length < best.length:
                    best = self._made_short(found, look, budget)
                    patience = budget.part(seconds * PATIENCE)
        except OutOfBudget:
            pass
        return best

    def _made_short(self, best: Parting, look: Look, budget: Budget) -> Parting:
        best = shorten(self.lock, best, Budget(SHRINK), look)
        if best.length > self.lock.depth:
            share = Budget(max(0.01, budget.left() * FEWEST))
            found = Fewest(_Both(self.lock, best.way[0], look), best.way[0], share).shorter(best.way[1])
            best = best if found is None else found[1]
        return self._plain(best, look)

    def _plain(self, best: Parting, look: Look) -> Parting:
        """As short a play, with moves of no choice of values (place nobody, pass) where others do nothing for it."""
        last = time.monotonic() + PLAIN
        for n in range(best.length):
            start, steps = best.way
            pair: Pair | None = start
            for step in steps[:n]:
                after = self.lock.follow(pair, *step) if pair is not None else None
                pair = None if after is None else after[2]
            if pair is None or not steps[n][0].args or steps[n][1]:
                continue
            for left, _ in self.lock.both(self.lock.menus(pair)):
                if left.move.args or left.action.draws or left.move.actor is None:
                    continue
                found = replayed(self.lock, (start, (*steps[:n], (left.move, ()), *steps[n + 1 :])), look, last)
                if found is not None and found.length <= best.length:
                    best = found
                    break
        return best


class _Both:
    """Two games at once, as `Fewest` plays them."""

    def __init__(self, lock: Lockstep, start: Pair, look: Look) -> None:
        self.lock, self.start, self.look = lock, start, look
        self.many = {a.name: draws_of(a) for a in lock.left.game.actions}

    def seen(self, at: Pair, way: Link) -> Parting | None:
        """What is looked for."""
        return self.look(at, lambda: (self.start, tuple(steps_of(way))))

    def choices(self, at: Pair) -> list[tuple[str, tuple[Choice, Choice]]]:
        """The moves of both games, plain ones first."""
        both = self.lock.both(self.lock.menus(at))
        return [(c[0].move.action, c) for c in sorted(both, key=lambda c: len(c[0].move.args))]

    def action(self, step: Any) -> str:
        """The action of a step."""
        return str(step[0].action)

    def drawing(self, at: Pair, choice: tuple[Choice, Choice], many: int) -> str | None:
        """The action, where many draws can come."""
        name = choice[0].move.action
        return name if self.many[name] > many else None

    def steps(
        self, at: Pair, choice: tuple[Choice, Choice], drawn: Drawn | None
    ) -> Iterator[tuple[tuple[Move, Drawn], Pair, None]]:
        """The steps that both games take."""
        for move, what, to in self.lock.taken(at, *choice, drawn):
            yield (move, what), to, None

    def kept(self, step: Any, many: int) -> tuple[str, Drawn] | None:
        """The draw of a step, where many can come."""
        move, drawn = step
        return (move.action, drawn) if self.many[move.action] > many else None


def replayed(lock: Lockstep, way: Way, look: Look, last: float) -> Parting | None:
    """What is looked for, at the first place along a play; steps not open are left out, what the table must do is put in."""
    pair: Pair = way[0]
    taken: list[tuple[Move, Drawn]] = []
    waiting = list(way[1])
    while time.monotonic() < last and len(taken) <= 2 * len(way[1]) + 64:
        menus = lock.menus(pair)
        here = (way[0], tuple(taken))
        found = look(pair, lambda h=here: h)  # type: ignore[misc]
        if found is not None:
            return found
        step = _next(lock, pair, menus, waiting)
        if step is None:
            return None
        taken.append(step[:2])
        pair = step[2]
    return None


def beside(lock: Lockstep, way: Way, look: Look, budget: Budget) -> Parting | None:
    """What is looked for along a play, else where one other step leads from it."""
    found = replayed(lock, way, look, time.monotonic() + min(SHRINK, budget.left()))
    if found is not None:
        return found
    pair, taken = way[0], list[tuple[Move, Drawn]]()
    many = {a.name: draws_of(a) > MOST_DRAWN for a in lock.left.game.actions}
    met: set[Pair] = set()
    try:
        for move, drawn in (*way[1], (None, ())):
            menus = lock.menus(pair)
            for left, right in lock.both(menus):
                for step in () if many[left.move.action] else lock.taken(pair, left, right, None):
                    budget.check()
                    if step[2] in met:
                        continue
                    met.add(step[2])
                    here = (way[0], (*taken, step[:2]))
                    found = look(step[2], lambda h=here: h)  # type: ignore[misc]
                    if found is not None:
                        return found
            then = lock.follow(pair, move, drawn, menus) if move is not None else None
            if then is None:
                return None
            taken.append(then[:2])
            pair = then[2]
    except OutOfBudget:
        pass
    return None


def _next(
    lock: Lockstep, pair: Pair, menus: tuple[Menu, Menu], waiting: list[tuple[Move, Drawn]]
) -> tuple[Move, Drawn, Pair] | None:
    """The first of the steps that is open; before it what the table must do."""
    forced = lock.forced(pair, menus)
    while waiting:
        move, drawn = waiting[0]
        then = lock.follow(pair, move, drawn, menus)
        if then is None and forced is not None:
            return forced
        waiting.pop(0)
        if then is not None:
            return then
    return forced


def shorten(lock: Lockstep, parting: Parting, budget: Budget, look: Look) -> Parting:
    """A shorter play to what is looked for, by leaving out steps as long as what is left still leads to it."""
    best = parting
    chunk = max(1, best.length // 2)
    last = time.monotonic() + (budget.left() if budget.seconds else SHRINK)
    while time.monotonic() < last:
        shorter = None
        start, steps = best.way
        for at in range(len(steps) - 1, -1, -chunk):
            lo = max(0, at - chunk + 1)
            found = replayed(lock, (start, steps[:lo] + steps[at + 1 :]), look, last)
            if found is not None and found.length < best.length:
                shorter = found
                break
        if shorter is not None:
            best = shorter
            chunk = max(1, min(chunk, best.length // 2))
        elif chunk == 1:
            break
        else:
            chunk //= 2
    return best
