"""The first difference of a play by bisection, and a shorter play that still shows one of its sort."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

from tablelaw.checkers.foreign import OutOfTime
from tablelaw.checkers.guest import Unsupported
from tablelaw.checkers.host import Faulty
from tablelaw.checkers.walking import Counts, Found, Walk, Walker
from tablelaw.solver.sampling import Choice, Coded, Taken
from tablelaw.solver.shrink import Shrinker
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.space.playing import Weighed
from tablelaw.spec.values import Value

SECONDS, MOST_REPLAYS = 30.0, 20_000
KEEPS = "played again it did not show: the program keeps something from one play to the next, or does not always answer alike"
CHANCE = "played again it did not show: the program, begun anew, does not always answer alike"
BEGUN = "it shows in a program begun anew, but not always after other plays: something is kept from one play to the next"
ASKED = "asked after every move the program agrees: what it says hangs on what it was asked before, or on chance"
HURRIED = "there was no time to make it shorter"


def first(walker: Walker, last: Found) -> Found:
    """The first difference of a play that was compared at its end alone.

    Bisection finds a beginning that differs, a step longer than one that agrees, each played anew and compared at its end.
    But a difference may come and go: the beginning found is played once more with every position compared.
    """
    counts, walker.counts = walker.counts, Counts()  # what is played again is not counted
    try:
        return _first(walker, last)
    except OutOfTime:
        last.note = last.note or HURRIED
        return last
    finally:
        walker.counts = counts


def _first(walker: Walker, last: Found) -> Found:
    found = _again(walker, last)
    if found.note:
        return found
    steps, low, high = found.played, -1, len(found.sent)
    while high - low > 1:
        middle = (low + high) // 2
        here = walker.along(last.start, steps[:middle], look=False)
        if here is None:
            low = middle
        else:
            high, found = min(middle, len(here.sent)), here
    looked = walker.along(last.start, found.played)
    if looked is not None:
        return looked
    found.note = ASKED
    return found


def _again(walker: Walker, found: Found) -> Found:
    """The finding, its play made again and the same asked in the same order; `again` and `note` tell whether it shows."""
    again = walker.along(found.start, found.taken, look=found.looked)
    if again is not None and again.sign == found.sign:
        return again
    anew: list[Found | None] = []
    for _ in range(2):
        walker.guest.foreign.kill()  # begun anew, nothing is left of other plays
        anew.append(walker.along(found.start, found.taken, look=found.looked))
    signs = [None if f is None else f.sign for f in anew]
    if anew[0] is not None and signs == [found.sign, found.sign]:
        anew[0].note = BEGUN
        return anew[0]
    found.again, found.note = False, KEEPS if signs[0] == signs[1] else CHANCE
    return found


def shorter(walker: Walker, found: Found, seconds: float = SECONDS, tell: Callable[[str], None] | None = None) -> Found:
    """A shorter play that shows a difference of the same sort, every candidate played on both sides."""
    if found.apart is not None and found.apart.kind == "takes":
        return found  # a move that is illegal was sent after the play
    if found.note:
        return found  # it does not show however it is asked
    counts, walker.counts = walker.counts, Counts()
    try:
        return _shorter(walker, found, Budget(max(seconds, 1e-9), 0, 0, tell))
    except OutOfTime:
        found.note = HURRIED
        return found
    finally:
        walker.counts = counts


def _shorter(walker: Walker, found: Found, budget: Budget) -> Found:
    if found.faulty:
        return _faulty(walker, found, budget)
    best = _again(walker, found)
    if best.note:
        return best
    memory = _Memory(walker, best, budget)
    steps = Shrinker(cast(Coded, memory), found.start, memory.shows, memory.budget).shortest(list(best.taken))
    try:
        shown = walker.along(found.start, memory.shown or tuple(steps))
    except OutOfTime:
        best.note = HURRIED
        return best
    if shown is not None and shown.sign == best.sign and len(shown.sent) <= len(best.sent):
        best = shown
    best.shrunk = True
    return best


def _faulty(walker: Walker, found: Found, budget: Budget) -> Found:
    """A shorter play to a step for which the rules have no value; the program has no say in it."""
    *before, last = found.taken or (None,)
    if not before or last is None:
        return found
    memory = _NoValue(walker, found, budget, last)
    if not memory.shows(_end(walker, found.start, before), None, -1):
        return found  # it is not the step that has no value, but what is asked of the position
    steps = Shrinker(cast(Coded, memory), found.start, memory.shows, budget).shortest(before)
    if len(steps) < len(before):
        shown = walker.along(found.start, (*steps, last), look=found.looked)
        found = shown if shown is not None and shown.faulty else found
    found.shrunk = True
    return found


def _end(walker: Walker, row: Any, steps: list[Taken]) -> Any:
    for step in steps:
        row = walker.host.step(row, *step)
    return row


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
        if self.budget.tell is not None:
            self.budget.tell(f"a difference made shorter: {self.replays:,} plays tried")
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
        except OutOfTime:
            self.budget.seconds = 1e-9
            found = None
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


class _NoValue(_Memory):
    """The same, for a step for which the rules have no value."""

    def __init__(self, walker: Walker, best: Found, budget: Budget, last: Taken) -> None:
        super().__init__(walker, best, budget)
        self.last = last

    def _asked(self, s: Any) -> bool:
        choice, drawn = self.last
        try:
            if not any(c[0] == choice[0] and c[2] == choice[2] for c in self.walker.host.legal(s)):
                return False
            self.walker.host.step(s, choice, drawn)
        except Faulty as fault:
            return bool(fault.taken)
        return False
