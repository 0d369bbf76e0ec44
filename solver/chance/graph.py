"""The part of a game's reachable graph that a question of chance depends on: choices, and draws with probabilities."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from tablelaw.solver.space.components import strong
from tablelaw.solver.space.graph import Budget, OutOfBudget, Space

Draws = list[tuple[int, Fraction]]
Choices = list[tuple[int, Draws]]
NOTHING = Fraction(0)
MOST_REMEMBERED = 1_000_000
RHYTHM = 0.05
"""Seconds after which a budget is looked at again, where it is asked often."""
FAULT = "a step that matters has a fault (see `in-range`)"
SEVERAL = "several actions of the table are open at once, and nobody chooses between them"
VALUELESS = "the formula has no value in a position that matters"


class Refused(Exception):
    """The question has no exact answer on this game; the message says why."""


class TooMany(Refused):
    """More states matter than may be looked at."""


class Paused(Exception):
    """So many states have been gone on from that compiled code is worth its while."""


@dataclass(slots=True)
class Chances:
    """States by number from 0; `start` are the first ones. An absorbing state has no choices and a value.

    `packed` gives back the packed state of each number; `reward[i]` is what arriving at state i adds.
    """

    packed: list[int] = field(default_factory=list)
    choices: list[Choices] = field(default_factory=list)
    values: dict[int, Fraction] = field(default_factory=dict)
    reward: list[Fraction] = field(default_factory=list)
    starts: int = 0
    edges: int = 0
    cut: list[int] = field(default_factory=list)
    """States that were cut off: what comes of them is not known."""

    def copy(self) -> Chances:
        """The same chain, what is decided kept apart."""
        return replace(self, choices=list(self.choices), values=dict(self.values))

    def plain(self) -> Chances:
        """The chain as lists."""
        return self

    def many(self) -> Sequence[int]:
        """How many choices each state has."""
        return [len(options) for options in self.choices]

    def actors(self, several: bool) -> set[int]:
        """Who chooses anywhere; `several`: where there is more than one choice."""
        return {actor for options in self.choices if len(options) > several for actor, _ in options}

    def mixed(self, sense: Callable[[int], int]) -> bool:
        """Do actors who want different things choose in one state?"""
        return any(len({sense(actor) for actor, _ in options}) > 1 for options in self.choices)

    def stuck(self) -> int | None:
        """The first state that is neither decided nor gone on from."""
        return next((v for v, options in enumerate(self.choices) if not options and v not in self.values), None)

    def averaged(self, sense: Callable[[int], int]) -> None:
        """Where nobody prefers anything and all choices are alike, one choice stands for them: what comes is a draw."""
        for v, options in enumerate(self.choices):
            if len(options) < 2 or any(sense(actor) for actor, _ in options):
                continue
            merged: dict[int, Fraction] = {}
            for _, draws in options:
                for j, p in draws:
                    merged[j] = merged.get(j, Fraction(0)) + p / len(options)
            self.edges += len(merged) - sum(len(draws) for _, draws in options)
            self.choices[v] = [(options[0][0], list(merged.items()))]

    def forced(self, states: list[int]) -> bool:
        """Does nobody choose in these states?"""
        return all(len(self.choices[v]) == 1 for v in states)

    def hopeless(self, sense: Callable[[int], int]) -> bool:
        """Make 0 the value of each state whose probability is 0 however those play who want it large; was there one?

        By the graph alone: a figure above 0 comes from an absorbing one, by one choice of who wants it, by all of who does not.
        """
        some = bytearray(len(self.choices))
        for i, value in self.values.items():
            some[i] = value > 0
        changed = True
        while changed:
            changed = False
            for v in range(len(some) - 1, -1, -1):
                options = self.choices[v]
                if some[v] or not options:
                    continue
                found = [any(some[j] for j, _ in draws) for _, draws in options]
                if all(found) if sense(options[0][0]) < 0 else any(found):
                    some[v] = changed = True
        lost = [v for v, options in enumerate(self.choices) if options and not some[v]]
        for v in lost:
            self.edges -= sum(len(draws) for _, draws in self.choices[v])
            self.values[v], self.choices[v] = Fraction(0), []
        return bool(lost)

    def groups(self) -> list[list[int]]:
        """Strongly connected components, each after all that can be reached from it."""
        return components(self.choices)

    def staying(self) -> list[int] | None:
        """States of the first component where the players together can stay for ever; None where there is none."""
        for group in self.groups():
            found = end_component(self.choices, group)
            if found is not None:
                return found
        return None


def explore(
    space: Space,
    absorbed: Callable[[int], Fraction | None],
    gained: Callable[[int], Fraction] | None,
    budget: Budget,
    most: int,
    same: Callable[[int], int] | None = None,
    depth: int | None = None,
    pause: int | None = None,
) -> Chances:
    """All states that matter, breadth-first, the collector of garbage held off: nothing here is garbage.

    `absorbed` gives the value of a state where the question is decided; `same` the state that stands for a state. After
    `depth` steps nothing more counts: what is not decided there has the value 0.

    Raises `Refused` where a step has a fault or several actions of the table are open, `OutOfBudget`, and `Paused` after
    `pause` states.
    """
    held = gc.isenabled()
    gc.disable()
    try:
        return _explore(space, absorbed, gained, budget, most, same, depth, pause)
    finally:
        if held:
            gc.enable()


class _Stands(dict[int, int]):
    """The state that stands for a packed state, remembered; a step with a fault (-1) stays one."""

    def __init__(self, same: Callable[[int], int]) -> None:
        super().__init__()
        self.same = same

    def __missing__(self, s: int) -> int:
        found = self[s] = s if s < 0 else self.same(s)
        return found


def _explore(
    space: Space,
    absorbed: Callable[[int], Fraction | None],
    gained: Callable[[int], Fraction] | None,
    budget: Budget,
    most: int,
    same: Callable[[int], int] | None,
    depth: int | None,
    pause: int | None,
) -> Chances:
    found = Chances()
    stands = None if same is None else _Stands(same)
    first = space.states[: space.starts]
    found.packed = list(dict.fromkeys(first if stands is None else (stands[s] for s in first)))
    index = {s: i for i, s in enumerate(found.packed)}
    found.starts = len(found.packed)
    at, packed = 0, found.packed
    steps, level = 0, len(packed)  # all before `level` are at most so many steps away
    while at < len(packed):
        if at == level:
            steps, level = steps + 1, len(packed)
        if not at % 64:
            spend(budget, len(packed))
            if stands is not None and len(stands) > MOST_REMEMBERED:
                stands.clear()
            if budget.tell and not at % 4096:
                budget.tell(f"{len(packed):,} states of the chain, {len(packed) - at:,} waiting")
        if len(packed) > most:
            raise TooMany(f"more than {most:,} states matter")
        if at == pause:
            raise Paused
        s = packed[at]
        found.reward.append(gained(s) if gained is not None and at >= found.starts else NOTHING)
        value = absorbed(s)
        if value is None and steps == depth:
            value = NOTHING
        if value is not None:
            found.values[at] = value
            found.choices.append([])
            at += 1
            continue
        options: Choices = []
        weighted = space.weighted(s) if stands is None else space.weighted(s, stands)
        if any(n < 0 for _, nexts in weighted for n, _ in nexts):
            raise Refused(FAULT)
        if len(weighted) > 1 and sum(1 for actor, _ in weighted if actor < 0) > 1:
            raise Refused(SEVERAL)
        for actor, nexts in weighted:
            draws: Draws = []
            for n, p in nexts:
                k = index.get(n)
                if k is None:
                    k = index[n] = len(packed)
                    packed.append(n)
                draws.append((k, p))
            options.append((actor, draws))
            found.edges += len(draws)
        found.choices.append(options)
        at += 1
    return found


def spend(budget: Budget, positions: int) -> None:
    """Raise `OutOfBudget` when something has run out, saying how many positions were met for it."""
    budget.met.positions = positions
    try:
        budget.check(positions)
    except OutOfBudget as spent:
        raise OutOfBudget(f"{spent.reason}, with {positions:,} positions met") from None


class Pulse:
    """Looks at a budget as often as it is worth: asking for the memory used takes longer than much of what is done between."""

    def __init__(self, budget: Budget | None) -> None:
        self.budget, self.looked = budget, 0.0

    def look(self) -> None:
        """Raise `OutOfBudget` when something has run out."""
        now = time.monotonic()
        if self.budget is not None and now - self.looked > RHYTHM:
            self.looked = now
            self.budget.check()


def components(choices: list[Choices]) -> list[list[int]]:
    """Strongly connected components, each after all that can be reached from it."""
    return list(strong([[j for _, draws in c for j, _ in draws] for c in choices]))


def end_component(choices: list[Choices], group: list[int]) -> list[int] | None:
    """States of a component where the players together can stay for ever, whatever is drawn; None where there are none."""
    inside = set(group)
    while inside:
        kept = {v for v in inside if any(all(j in inside for j, _ in draws) for _, draws in choices[v])}
        if kept == inside:
            return sorted(inside)
        inside = kept
    return None
