"""Who can force a goal, depth-first: only positions that the answer rests on are looked at, each once.

A position is won where the goal is there; where some move of the players who want it leads to won positions alone; and,
where others may move as well, where all of theirs do. What is known of a position is kept in a table. Every next position
is glanced at before any is gone into, and the moves that decided most often elsewhere are tried first.

INVARIANT: a position gets a value only from values of positions that were finished before it, so that every value rests on
finitely many steps and is the one backward induction gives. Where play can come back to a position the search is still
in, that position has no value yet, and to take it for lost would hold along this one way only. Where nothing else decides,
`Circle` is raised, and the whole graph must be asked. `within` needs no such care: with fewer steps left it is another
question.
"""

from __future__ import annotations

from collections.abc import Callable

from tablelaw.solver.space.graph import Budget, Space
from tablelaw.solver.space.rows import Rows
from tablelaw.solver.space.turns import ALL, ANY, LOST, MIXED, OPEN, WON, Turns

UNDERWAY = 3
"""Of a position that is gone into and has no value yet; see LOST, WON, OPEN."""
NEVER = 1 << 60
"""More steps than any play has."""
RHYTHM = 1024
"""After so many positions gone into the budget is looked at."""
Kid = tuple[int, int, int]
"""A next position that may decide: how seldom its move decided elsewhere, how the move is known again, the position.

A move is known by what it adds to the packed position; where positions are only numbered, by nothing.
"""
Same = Callable[[int], int]
"""The one of all positions that a symmetry takes into each other which stands for them."""


class Circle(Exception):
    """Play can come back to a position that the search is still in."""


class _Frame:
    """A position that is gone into: what one next position must be to decide it, steps left, what is tried, how far."""

    __slots__ = ("at", "circle", "decides", "kids", "left", "s")

    def __init__(self, s: int, decides: int, left: int, kids: list[Kid]) -> None:
        self.s, self.decides, self.left, self.kids = s, decides, left, kids
        self.at, self.circle = 0, False


class Depth:
    """The search for one goal of some players. `known` says of each position met whether it is won.

    A negative number in place of a position stands for part of one: a choice that leads on by its draws, or the choices that
    these players have where others may move as well.
    """

    step = 0
    """How many fewer steps are left after a step."""

    def __init__(self, space: Space, code: Turns, who: frozenset[int], budget: Budget, same: Same | None = None) -> None:
        self.space, self.code, self.who, self.budget, self.same = space, code, who, budget, same
        self.known: dict[int, int] = {}
        self.parts: dict[int, tuple[int, list[int]]] = {}
        self.often: tuple[dict[int, int], dict[int, int]] = ({}, {})
        self.packed = not isinstance(space, Rows)
        self.last_part = -1
        self.entered = 0
        self.faulty = False

    # what is known

    @property
    def met(self) -> int:
        """How many positions were looked at."""
        return len(self.known)

    def peek(self, s: int, left: int) -> int:
        """What is known of a position; it is glanced at where it is new."""
        value = self.known.get(s)
        if value is None:
            value = self.known[s] = self.look(s)
        return value

    def begin(self, s: int) -> None:
        """A position is gone into."""
        self.known[s] = UNDERWAY

    def settle(self, s: int, left: int, value: int) -> None:
        """The value of a position is found."""
        self.known[s] = value

    def won(self, s: int, left: int) -> bool:
        """Is a position known to be won?"""
        return self.known.get(self.one(s)) == WON

    def lost(self, s: int, left: int) -> bool:
        """Is it known to be lost?"""
        return self.known.get(self.one(s)) == LOST

    def enough(self, s: int, left: int) -> int:
        """How many steps are known to be enough from a won position, at most so many."""
        return left

    def forget(self, part: int) -> None:
        """A part of a position that has its value is needed no more."""
        self.known.pop(part, None)
        for n in self.parts.pop(part, (ALL, []))[1]:
            if n < 0:
                self.forget(n)

    # positions

    def one(self, s: int) -> int:
        """The position that stands for this one and its images."""
        return s if self.same is None else self.same(s)

    def look(self, s: int) -> int:
        """Whether a position is won or lost as it stands."""
        if s < 0:
            return OPEN
        code = self.code
        return code.look[s >> code.shift & code.mask](s)

    def following(self, s: int) -> tuple[int, list[int]]:
        """What a position needs (ALL or ANY), and the next positions; where there are none it is lost."""
        if s < 0:
            return self.parts[s]
        code = self.code
        i = s >> code.shift & code.mask
        need = code.needs[i]
        if need == MIXED:
            return self._mixed(s)
        out: list[int] = []
        code.step[i](s, out)
        if -1 in out:
            self.faulty = True
            out = [n for n in out if n >= 0]
        return need, out

    def _mixed(self, s: int) -> tuple[int, list[int]]:
        """The same where draws come after choices, or where some of these players and others may move."""
        found = self.space.choices(s)
        theirs = [n for mover, draws in found if mover not in self.who for n in draws]
        mine = [draws for mover, draws in found if mover in self.who]
        if not mine:
            return ALL, theirs
        choices = [draws[0] if len(set(draws)) == 1 else self._part(ALL, draws) for draws in mine]
        return (ALL, [*theirs, self._part(ANY, choices)]) if theirs else (ANY, choices)

    def _part(self, need: int, among: list[int]) -> int:
        self.last_part -= 1
        self.parts[self.last_part] = need, among
        return self.last_part

    # the search

    def wins(self, start: int, left: int = 0) -> bool:
        """Can the players force the goal from here (in so many steps)? Raises `Circle` and `OutOfBudget`."""
        start = self.one(start)
        value = self.peek(start, left)
        if value != OPEN:
            return value == WON
        stack: list[_Frame] = []
        s = start
        while True:
            value = self._enter(s, left, stack)
            s = -1
            while stack:
                f = stack[-1]
                value, s = self._go_on(f, value)
                if value == OPEN:
                    left = f.left - (self.step if s >= 0 else 0)
                    break
                stack.pop()
                self._finish(f.s, f.left, value, [kid[2] for kid in f.kids] if self.parts else [])
            if not stack:
                return value == WON

    def _enter(self, s: int, left: int, stack: list[_Frame]) -> int:
        """Look at what comes next. The value where that decides; else there is one more frame."""
        self.entered += 1
        if not self.entered % RHYTHM:
            self.budget.deep[:] = [f"{self.met:,} positions looked at, {len(stack):,} steps deep"]
            self.budget.check(self.met)
            if self.budget.tell:
                self.budget.tell(self.budget.deep[0])
        need, found = self.following(s)
        if not found:
            self.settle(s, NEVER, LOST)
            return LOST
        often, same, peek, kids = self.often[need], self.same, self.peek, list[Kid]()
        value, after, packed = 1 - need, left - self.step, s >= 0 and self.packed
        for n in found:
            if n < 0:
                kids.append((0, 0, n))
                continue
            d = n - s if packed else 0
            if same is not None:
                n = same(n)
            value = peek(n, after)
            if value == need:
                break
            if value >= OPEN:
                kids.append((-often.get(d, 0), d, n))
        if value == need or not kids:
            value = need if value == need else 1 - need
            self._finish(s, left, value, found)
            return value
        kids.sort()
        self.begin(s)
        stack.append(_Frame(s, need, left, kids))
        return UNDERWAY

    def _go_on(self, f: _Frame, value: int) -> tuple[int, int]:
        """The value of a position, or OPEN and the next one to go into. `value` is that of the one gone into last."""
        while value != f.decides:
            if f.at == len(f.kids):
                if f.circle:
                    raise Circle
                return 1 - f.decides, -1
            n = f.kids[f.at][2]
            f.at += 1
            value = self.peek(n, f.left - (self.step if n >= 0 else 0))
            if value == OPEN:
                return OPEN, n
            f.circle |= value == UNDERWAY
        d = f.kids[f.at - 1][1]
        often = self.often[f.decides]
        often[d] = often.get(d, 0) + 1
        return value, -1

    def _finish(self, s: int, left: int, value: int, found: list[int]) -> None:
        self.settle(s, left, value)
        if self.parts:
            for n in found:
                if n < 0:
                    self.forget(n)


class Limited(Depth):
    """The same within a number of steps. `known` says as it stands what a position is; `least` and `most` what was found.

    `least[s]`: so many steps are enough; `most[s]`: so many are not.
    """

    step = 1

    def __init__(self, space: Space, code: Turns, who: frozenset[int], budget: Budget, same: Same | None = None) -> None:
        super().__init__(space, code, who, budget, same)
        self.least: dict[int, int] = {}
        self.most: dict[int, int] = {}

    @property
    def met(self) -> int:
        return len(self.most)

    def peek(self, s: int, left: int) -> int:
        most = self.most.get(s)
        if most is None:
            value = self.look(s)
            if value == WON:
                self.least[s] = 0
            most = self.most[s] = -1 if value == WON else NEVER if value == LOST else 0
        if left <= most:
            return LOST
        return WON if left >= self.least.get(s, NEVER) else OPEN

    def begin(self, s: int) -> None:
        pass

    def settle(self, s: int, left: int, value: int) -> None:
        if value == WON:
            self.least[s] = left
        else:
            self.most[s] = left

    def won(self, s: int, left: int) -> bool:
        return self.least.get(self.one(s), NEVER) <= left

    def lost(self, s: int, left: int) -> bool:
        return self.most.get(self.one(s), -1) >= left

    def enough(self, s: int, left: int) -> int:
        return min(left, self.least[self.one(s)])

    def forget(self, part: int) -> None:
        super().forget(part)
        self.least.pop(part, None)
        self.most.pop(part, None)
