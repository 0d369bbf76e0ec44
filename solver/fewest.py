"""A short play by few draws: of a play that shows something a few draws are kept, and all choices between them looked through.

What a play at random shows hangs as a rule on a few of its draws. With these draws given, in their order, the choices are
few enough for a search breadth first.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import Any, Protocol

from tablelaw.solver.space.graph import Budget, OutOfBudget

FEW = 6
"""Where no more than so many draws can come, all are looked at; such draws are not kept."""
MOST_KEPT, MOST_WAYS, MOST_DRAWN = 5, 300, 60
EFFORTS = ((300, True, 0), (3_000, True, 2), (300, False, 0), (30_000, True, 3), (3_000, False, 2), (30_000, False, 2))
"""So many positions are looked at for the same draws kept; with the actions of the play alone or with all; where no more than
so many draws are kept, with any other in the place of one as well."""


class World(Protocol):
    """What is played: positions, choices and steps are its own matter."""

    def seen(self, at: Any, way: Link) -> Any | None:
        """What is to be shown, if a position shows it; asked before `choices`, of every position once."""
        ...

    def choices(self, at: Any) -> Iterable[tuple[Hashable, Any]]:
        """What may be chosen, each with the name of its action."""
        ...

    def action(self, step: Any) -> Hashable:
        """The name of the action of a step."""
        ...

    def drawing(self, at: Any, choice: Any, many: int) -> Hashable | None:
        """The name of a choice after which more than so many draws can come; None of another."""
        ...

    def steps(self, at: Any, choice: Any, drawn: Any | None) -> Iterable[tuple[Any, Any, Any | None]]:
        """The steps of a choice, with this draw or with each (None): the step, where it leads, what it shows if it does."""
        ...

    def kept(self, step: Any, many: int) -> tuple[Hashable, Any] | None:
        """Of a step after whose choice more than so many draws could come: the name of the choice, and what was drawn."""
        ...


Link = tuple[Any, Any] | None
"""The way to a position: the way to the one before, and the step."""
Kept = tuple[Hashable, Any]
ANY = object()


def steps_of(way: Link) -> list[Any]:
    """The steps of a way."""
    found: list[Any] = []
    while way is not None:
        way, step = way
        found.append(step)
    return found[::-1]


class Fewest:
    """One world and one start. Results are what `World.seen` and `World.steps` make of the way."""

    def __init__(self, world: World, start: Any, budget: Budget) -> None:
        self.world, self.start, self.budget = world, start, budget
        self.whole: set[tuple[tuple[Kept, ...], bool]] = set()
        self.actions: frozenset[Hashable] = frozenset()

    def shorter(self, steps: Sequence[Any]) -> tuple[int, Any] | None:
        """What a play of fewer steps shows, with their number; None where none was found with its draws."""
        kept = [k for k in (self.world.kept(s, FEW) for s in steps) if k is not None]
        self.actions = frozenset(self.world.action(s) for s in steps)
        best: tuple[int, Any] | None = None
        most = len(steps) - 1
        try:
            for nodes, lean, others in EFFORTS:
                for draws in self._ways(kept, others):
                    while most > len(draws) and (draws, False) not in self.whole and (draws, lean) not in self.whole:
                        found = self._search(draws, most, nodes, lean)
                        if found is None:
                            break
                        best, most = found, found[0] - 1
        except OutOfBudget:
            pass
        return best

    def _ways(self, kept: list[Kept], others: int) -> Iterator[tuple[Kept, ...]]:
        """Which draws are kept: the fewest first, of as many the last ones first; of few also any other in the place of one."""
        back = kept[::-1]
        for number in range(min(MOST_KEPT, len(back)) + 1):
            ways = [c[::-1] for c in itertools.islice(itertools.combinations(back, number), MOST_WAYS)]
            yield from dict.fromkeys(ways)
            if number <= others:
                yield from dict.fromkeys((*w[:i], (w[i][0], ANY), *w[i + 1 :]) for w in ways for i in range(number))

    def _search(self, draws: tuple[Kept, ...], most: int, nodes: int, lean: bool) -> tuple[int, Any] | None:
        """Breadth first through all choices with these draws, as far as plays of so many steps."""
        world = self.world
        level: list[tuple[Any, int, Link]] = [(self.start, 0, None)]
        met = {(self.start, 0)}
        for depth in range(most + 1):
            then: list[tuple[Any, int, Link]] = []
            for at, used, way in level:
                self.budget.check()
                nodes -= 1
                if nodes < 0:
                    return None
                shown = world.seen(at, way)
                if shown is not None:
                    return depth, shown
                if depth == most:
                    continue
                for action, choice in world.choices(at):
                    if lean and action not in self.actions:
                        continue
                    drawn, after = None, used
                    name = world.drawing(at, choice, FEW)
                    if name is not None:
                        if used == len(draws) or draws[used][0] != name:
                            continue
                        drawn, after = draws[used][1], used + 1
                        if drawn is ANY:
                            drawn = None
                            if world.drawing(at, choice, MOST_DRAWN) is not None:
                                continue
                    for step, to, found in world.steps(at, choice, drawn):
                        if found is not None:
                            return depth + 1, steps_of((way, step))
                        if (to, after) not in met:
                            met.add((to, after))
                            then.append((to, after, (way, step)))
            level = then
        self.whole.add((draws, lean))
        return None
