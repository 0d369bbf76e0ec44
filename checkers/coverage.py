"""Looks through a game for the shortest plays that show what is to be shown: breadth-first, then plays at random made short.

What is spent is counted in steps, never in seconds, so that the same is found on every machine. A time limit is a guard
alone, and says that it cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from tablelaw.checkers.goals import Goal
from tablelaw.checkers.looking import WRONG, Drawn, Eye
from tablelaw.solver.sampling import Choice, Dice, Taken
from tablelaw.solver.space.graph import Budget, OutOfBudget

T = TypeVar("T")
MANY_DRAWS, MANY_MOVES = 24, 60
"""Where a move has more draws, or a position more moves, breadth-first search goes on from so many of them."""
LISTED = 150
"""To list so many moves counts as a step."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is looked at: steps of the breadth-first search, in how many of the first every draw and move is taken;
    plays at random, of how many steps, and steps of all of them."""

    steps: int = 60_000
    whole: int = 30_000
    plays: int = 300
    longest: int = 400
    walked: int = 24_000


@dataclass(frozen=True, slots=True)
class Spot:
    """A position with the play to it, and perhaps the step from it that shows something."""

    start: Any
    way: tuple[Taken, ...]
    row: Any
    step: Taken | None = None


@dataclass(slots=True)
class Search:
    """What has been found of one game."""

    eye: Eye
    wanted: set[Goal]
    found: dict[Goal, Spot] = field(default_factory=dict)
    complete: bool = False
    """Were all positions looked at, and did the rules have a value in each?"""
    faulty: int = 0
    """In so many of them the rules have no value."""
    without_value: Spot | None = None
    """The first of them."""
    cut: str = ""
    positions: int = 0
    steps: int = 0
    depth: int = 0
    rows: list[Any] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    taken: list[Taken | None] = field(default_factory=list)

    def show(self, goal: Goal, spot: Spot) -> None:
        """Keep where a goal was first shown."""
        if goal in self.wanted:
            self.wanted.discard(goal)
            self.found[goal] = spot

    def over(self, budget: Budget) -> bool:
        """Is the time over, or the memory used up? That is told of what was found."""
        try:
            budget.check()
        except OutOfBudget as spent:
            self.cut = spent.reason
        return bool(self.cut)

    # breadth first

    def breadth(self, effort: Effort, budget: Budget, starts: Sequence[Any] | None = None) -> None:
        """Positions in the order of their distance, until all are met or the effort is spent."""
        eye, made = self.eye, self.eye.player
        eye.anew()
        self.complete, self.faulty = False, 0
        self.rows = list(dict.fromkeys(made.starts() if starts is None else starts))
        self.parents, self.taken = [-1] * len(self.rows), [None] * len(self.rows)
        index = set(self.rows)
        whole, i = True, 0
        while i < len(self.rows) and self.steps < effort.steps and self.wanted:
            if not i % 16 and self.over(budget):
                return
            if budget.tell and not i % 64:
                budget.tell(f"{i:,} positions, {len(self.wanted)} things not shown yet")
            row = self.rows[i]
            try:
                if self.taken[i] is None:  # no step leads to a start that is an end
                    for goal in eye.ended(row):
                        self.show(goal, self.spot(i))
                choices, refusing = self.listed(row)
            except WRONG:
                self.faulty += 1
                self.without_value = self.without_value or self.spot(i)
                for goal in list(eye.shown_without_moves(row, self.wanted)):
                    self.show(goal, self.spot(i))
                i += 1
                continue
            for goal in list(eye.shown_here(row, choices, refusing, self.wanted)):
                self.show(goal, self.spot(i))
            every = self.steps < effort.whole
            kept = set(evenly(range(len(choices)), MANY_MOVES))
            whole = whole and len(kept) == len(choices)
            for k, choice in enumerate(choices):
                if k not in kept and not every:
                    continue
                if k % 64 == 63 and self.over(budget):
                    return
                try:
                    ways = eye.ways(row, choice)
                except WRONG:
                    continue
                few = set(evenly(range(len(ways)), MANY_DRAWS))
                whole = whole and len(few) == len(ways)
                for j, drawn in enumerate(ways):
                    if j not in few and not every:
                        continue
                    new = self.step(row, choice, drawn, lambda i=i: self.spot(i))
                    if new is None:
                        continue
                    after, shows = new
                    if after not in index and (shows or (k in kept and j in few)):
                        index.add(after)
                        self.rows.append(after)
                        self.parents.append(i)
                        self.taken.append((choice, drawn))
            i += 1
        self.positions = i
        self.complete = whole and i == len(self.rows) and not self.faulty
        self.depth = len(self.way(min(i, len(self.rows) - 1))) if self.rows else 0

    def listed(self, row: Any) -> tuple[list[Choice], list[str]]:
        """The moves of a position; a long list is counted as work."""
        refused = self.eye.player.refused
        before = sum(refused)
        found, refusing = self.eye.choices(row)
        self.steps += (len(found) + sum(refused) - before) // LISTED
        return found, refusing

    def step(self, row: Any, choice: Choice, drawn: Drawn, spot: Any) -> tuple[Any, bool] | None:
        """Take one step and keep what it shows; None where it has a fault."""
        self.steps += 1
        try:
            after, bits = self.eye.player.step(row, choice, drawn)
            shows = self.eye.shown_by(choice, bits, after, self.wanted)
        except WRONG:
            return None
        for goal in shows:
            here = spot()
            self.show(goal, Spot(here.start, here.way, here.row, (choice, drawn)))
        return after, bool(shows)

    def way(self, i: int) -> tuple[Taken, ...]:
        """The play to a position."""
        found: list[Taken] = []
        while (taken := self.taken[i]) is not None:
            found.append(taken)
            i = self.parents[i]
        return tuple(reversed(found))

    def spot(self, i: int) -> Spot:
        """A position of the search."""
        first = i
        while self.taken[first] is not None:
            first = self.parents[first]
        return Spot(self.rows[first], self.way(i), self.rows[i])

    # at random

    def walks(self, effort: Effort, budget: Budget, seed: int, starts: Sequence[Any] | None = None) -> list[tuple[Goal, Spot]]:
        """Plays at random for what is still wanted; what they show is not short yet."""
        eye, made = self.eye, self.eye.player
        eye.anew()
        before, long = self.steps, list[tuple[Goal, Spot]]()
        starts = made.starts() if starts is None else starts
        for number in range(effort.plays):
            if not self.wanted or self.steps - before >= effort.walked:
                break
            dice = Dice(seed, number)
            row = start = starts[dice.below(len(starts))]
            way: list[Taken] = []
            while len(way) < effort.longest and self.wanted:
                if not len(way) % 16 and self.over(budget):
                    return long
                if budget.tell and not self.steps % 64:
                    budget.tell(f"play {number} at random, {len(self.wanted)} things not shown yet")
                here = Spot(start, tuple(way), row)
                try:
                    choices, refusing = self.listed(row)
                except WRONG:
                    self.without_value = self.without_value or here
                    break
                shown = set(self.found)
                for goal in list(eye.shown_here(row, choices, refusing, self.wanted)):
                    self.show(goal, here)
                taken = self.pick(dice, number, row, choices)
                new = self.step(row, *taken, lambda h=here: h) if taken is not None else None
                long += [(g, self.found[g]) for g in self.found if g not in shown]
                if taken is None or new is None:
                    break
                way.append(taken)
                row = new[0]
        return long

    def pick(self, dice: Dice, number: int, row: Any, choices: list[Choice]) -> Taken | None:
        """A step: all moves alike, or all actions; draws by their chances, or all alike."""
        if not choices:
            return None
        if number % 2:
            actions = list(dict.fromkeys(c[0] for c in choices))
            n = actions[dice.below(len(actions))]
            choices = [c for c in choices if c[0] == n]
        choice = choices[dice.below(len(choices))]
        drawn: Drawn = ()
        try:
            for k in range(len(self.eye.actions[choice[0]].draws)):
                values, weights = self.eye.player.chance(row, choice, k, drawn)
                v = values[dice.below(len(values))] if number % 4 >= 2 else dice.weighed(values, weights)
                drawn = (*drawn, v)
            if self.eye.loose[choice[0]]:
                self.eye.ways(row, choice)
        except WRONG:
            return None
        return choice, drawn


def evenly(items: Sequence[T], most: int) -> Iterator[T]:
    """So many of them, the first and the last among them, the others evenly between."""
    if len(items) <= most:
        yield from items
    elif most > 1:
        yield from (items[k * (len(items) - 1) // (most - 1)] for k in range(most))
    else:
        yield from items[:most]
