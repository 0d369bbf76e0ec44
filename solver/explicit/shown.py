"""What shows an answer that was found depth-first: a strategy with its ranks, or a play on which the others prevent it."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field

from tablelaw.solver.explicit.depth import Depth
from tablelaw.solver.space.graph import Space
from tablelaw.solver.space.turns import OPEN, WON

LARGEST = 60_000
"""A strategy is worked out among at most so many won positions."""
LONGEST = 10_000


@dataclass(slots=True)
class Strategy:
    """Positions that are met when the players keep to it, each with the number of steps after which the goal is there."""

    states: list[int] = field(default_factory=list)
    rank: list[int] = field(default_factory=list)
    line: list[int] = field(default_factory=list)
    """A play from the first start, on which the others hold out longest."""

    def space(self, whole: Space) -> Space:
        """A space of these positions alone, as evidence."""
        found = copy.copy(whole)
        found.states = self.states
        return found


class _Won:
    """Won positions that can follow a start while the players keep to choices that stay won."""

    def __init__(self, search: Depth, starts: list[int], left: int) -> None:
        self.search = search
        self.states: list[int] = []
        self.index: dict[int, int] = {}
        self.mine: list[list[list[int]]] = []
        self.theirs: list[list[int]] = []
        for s in starts:
            self._number(s)
        for i, s in enumerate(self.states):
            mine, theirs = list[list[int]](), list[int]()
            if search.look(s) != WON:
                after = search.enough(s, left) - search.step
                for mover, draws in search.space.choices(s):
                    if mover not in search.who:
                        theirs += [self._number(n) for n in draws]
                    elif all(search.won(n, after) for n in draws):
                        mine.append([self._number(n) for n in draws])
            self.mine.append(mine)
            self.theirs.append(theirs)
            if len(self.states) > LARGEST:
                raise OverflowError
            if not i % 1024:
                search.budget.check()

    def _number(self, s: int) -> int:
        found = self.index.get(s)
        if found is None:
            found = self.index[s] = len(self.states)
            self.states.append(s)
        return found

    def ranks(self) -> list[int]:
        """After how many steps at most the goal is there, with the best of these choices; -1 where they go round."""
        n = len(self.states)
        rank = [-1] * n
        back: list[list[int]] = [[] for _ in range(n)]
        for i in range(n):
            for w in {*self.theirs[i], *(w for draws in self.mine[i] for w in draws)}:
                back[w].append(i)
        layer = [i for i in range(n) if not self.mine[i] and not self.theirs[i]]
        for i in layer:
            rank[i] = 0
        steps = 0
        while layer:
            steps += 1
            near = {v for w in layer for v in back[w] if rank[v] < 0}
            layer = [v for v in near if self._sure(v, rank)]
            for v in layer:
                rank[v] = steps
        return rank

    def _sure(self, v: int, rank: list[int]) -> bool:
        if any(rank[w] < 0 for w in self.theirs[v]):
            return False
        return not self.mine[v] or any(all(rank[w] >= 0 for w in draws) for draws in self.mine[v])

    def best(self, v: int, rank: list[int]) -> list[int]:
        """What follows under the choice with the smallest rank, and whatever the others choose."""
        choices = [d for d in self.mine[v] if all(rank[w] >= 0 for w in d)]
        chosen = min(choices, key=lambda d: max(rank[w] for w in d)) if choices else []
        return [*chosen, *self.theirs[v]]


def strategy(search: Depth, starts: list[int], left: int) -> Strategy | None:
    """A strategy from starts that are won; None where too many positions are won for it to be worked out."""
    try:
        won = _Won(search, starts, left)
    except OverflowError:
        return None
    rank = won.ranks()
    found, seen = Strategy(), dict.fromkeys(range(len(starts)))
    for v in (order := list(seen)):
        for w in won.best(v, rank):
            if w not in seen:
                seen[w] = None
                order.append(w)
    found.states, found.rank = [won.states[v] for v in order], [rank[v] for v in order]
    v, found.line = 0, [won.states[0]]
    while rank[v]:
        v = max(won.best(v, rank), key=lambda w: rank[w])
        found.line.append(won.states[v])
    return found


def some_line(search: Depth, start: int, left: int) -> list[int] | None:
    """A play on which the players keep to choices that stay won, to the goal; None where it would go round."""
    path, s = [start], start
    while search.look(s) != WON:
        after = search.enough(s, left) - search.step
        choices = search.space.choices(s)
        theirs = [n for mover, draws in choices if mover not in search.who for n in draws]
        mine = [d for mover, d in choices if mover in search.who and all(search.won(n, after) for n in d)]
        s = (mine[0] if mine else theirs)[0]
        if s in path or len(path) > LONGEST:
            return None
        path.append(s)
    return path


def prevented(search: Depth, start: int, left: int) -> tuple[list[int], int | None]:
    """A play on which the goal is never forced, to an end, round for ever, or until no step is left."""
    path, at, s = [start], {start: 0}, start
    while search.look(s) == OPEN and (left or not search.step):
        left -= search.step
        nexts = [n for _, draws in search.space.choices(s) for n in draws]
        if not nexts:
            break
        s = next(n for n in nexts if search.lost(n, left))
        path.append(s)
        if s in at:
            return path, at[s]
        if not search.step:
            at[s] = len(path) - 1
    return path, None
