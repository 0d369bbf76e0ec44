"""The first difference of a play by bisection, and a shorter play that still shows one of its sort."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from tablelaw.checkers.guest import Unsupported
from tablelaw.checkers.host import Faulty
from tablelaw.checkers.walking import Counts, Found, Walk, Walker
from tablelaw.solver.sampling import Choice, Coded, Taken
from tablelaw.solver.shrink import Shrinker
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.space.playing import Weighed
from tablelaw.spec.values import Value

SECONDS, MOST_REPLAYS = 30.0, 20_000


def first(walker: Walker, last: Found) -> Found:
    """The first difference of a play whose end differs: between a beginning that agrees and one a step longer.

    Each beginning is played anew and compared at its end alone.
    """
    counts, walker.counts = walker.counts, Counts()  # what is played again is not counted
    try:
        return _first(walker, last)
    finally:
        walker.counts = counts


def _first(walker: Walker, last: Found) -> Found:
    steps = last.played
    found = walker.along(last.start, steps, look=False)
    if found is None:
        last.again = False
        return last
    low, high = -1, len(found.sent)
    while high - low > 1:
        middle = (low + high) // 2
        here = walker.along(last.start, steps[:middle], look=False)
        if here is None:
            low = middle
        else:
            high, found = min(middle, len(here.sent)), here
    return found


def shorter(walker: Walker, found: Found, tell: Callable[[str], None] | None = None) -> Found:
    """A shorter play that shows a difference of the same sort, every candidate played on both sides."""
    if found.apart is not None and found.apart.kind == "takes":
        return found  # a move that is illegal was sent after the play
    counts, walker.counts = walker.counts, Counts()
    try:
        return _shorter(walker, found, tell)
    finally:
        walker.counts = counts


def _shorter(walker: Walker, found: Found, tell: Callable[[str], None] | None) -> Found:
    again = walker.along(found.start, found.taken)
    if again is None or again.sign != found.sign:
        found.again = False
        return found
    best = again
    memory = _Memory(walker, best, Budget(SECONDS, 0, 0, tell))
    shrinker = Shrinker(cast(Coded, memory), found.start, memory.shows, memory.budget)
    steps = shrinker.shortest(list(best.taken))
    shown = walker.along(found.start, memory.shown or tuple(steps))
    if shown is not None and shown.sign == best.sign and len(shown.sent) <= len(best.sent):
        best = shown
    best.shrunk = True
    return best


class _Memory:
    """The game as the shrinker plays it, each position with the shortest way there; whether one shows the difference is asked
    of both sides along that way."""

    def __init__(self, walker: Walker, best: Found, budget: Budget) -> None:
        self.walker, self.best, self.budget = walker, best, budget
        self.player = walker.host.player
        self.way: dict[Any, tuple[Taken, ...]] = {best.start: ()}
        self.known: dict[Any, bool] = {}
        self.shown: tuple[Taken, ...] = ()
        self.replays = 0
        self._walk: Walk | None = None
        self._done: tuple[Taken, ...] = ()

    @property
    def code(self) -> _Memory:
        """Who says whether a step is legal."""
        return self

    def allowed(self, s: Any, n: int, args: tuple[Value, ...]) -> int | None:
        """The player who may take the step here; None where it is not legal."""
        return next((c[1] for c in self.player.legal(s) if c[0] == n and c[2] == args), None)

    def legal(self, s: Any) -> list[Choice]:
        """The legal moves."""
        return self.player.legal(s)

    def chance(self, s: Any, choice: Choice, number: int, drawn: tuple[Value, ...]) -> Weighed:
        """What may be drawn."""
        return self.player.chance(s, choice, number, drawn)

    def step(self, s: Any, choice: Choice, drawn: tuple[Value, ...]) -> tuple[Any, int]:
        """A step, its way remembered."""
        after, bits = self.player.step(s, choice, drawn)
        way = (*self.way[s], (choice, drawn))
        if after not in self.way or len(way) < len(self.way[after]):
            self.way[after] = way
        return after, bits

    def shows(self, s: Any, before: Any, actor: int) -> bool:
        """Does the way to this position show the difference?"""
        if s not in self.known:
            self.known[s] = self._asked(s)
        return self.known[s]

    def _asked(self, s: Any) -> bool:
        self.replays += 1
        if self.replays > MOST_REPLAYS:
            self.budget.seconds = 1e-9  # the shrinker stops at what it has
            return False
        try:
            self.budget.check()
        except OutOfBudget:
            return False
        way = self.way[s]
        try:
            found = self._along(way)
        except (Unsupported, Faulty):
            found = None
        if found is None or found.sign != self.best.sign:
            return False
        if not self.shown or len(way) < len(self.shown):
            self.shown = way
        return True

    def _along(self, way: tuple[Taken, ...]) -> Found | None:
        """What shows at the end of a play; where the last one asked about is its beginning, both sides go on from there."""
        if self._walk is None or way[: len(self._done)] != self._done:
            self._walk, self._done = Walk(self.walker, self.best.start, look=False), ()
            found = self._walk.begin()
            if found is not None:
                self._walk = None
                return found
        walk, rest, self._walk = self._walk, way[len(self._done) :], None  # kept again if nothing comes between
        for step in rest:
            if self.walker.host.told(step[0], self.walker.host.legal(walk.row)):
                found = walk.go(step)
                if found is not None:
                    return found
        found = walk.observe()
        if found is None or found.trouble is None:
            self._walk, self._done = walk, way
        return found
