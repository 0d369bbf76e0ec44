"""The reachable states of a model, found breadth-first and only as far as somebody asks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from pathlib import Path
from weakref import WeakSet

from tablelaw.solver.evaluate import State
from tablelaw.solver.ir import Model, Term
from tablelaw.solver.memory import memory_used
from tablelaw.solver.space.generate import Compiled, compiled, formula_source, successor_source, weighed_source
from tablelaw.solver.space.layers import line
from tablelaw.solver.space.pack import Packing, packing
from tablelaw.solver.trace import to_state
from tablelaw.spec.game import Game

_ONE = Fraction(1)


@lru_cache(maxsize=100_000)
def _share(part: int, whole: int) -> Fraction:
    return Fraction(part, whole)


class Stopped(KeyboardInterrupt):
    """Ctrl-C, with what was known by then: `known` is a verdict or, further out, a result."""

    def __init__(self, known: object) -> None:
        super().__init__()
        self.known = known


class OutOfBudget(Exception):
    """Time, memory or the number of states ran out; `reason` says which."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(slots=True)
class Met:
    """What is known of a figure before it is told: positions of its chain, and bounds that hold (None: none yet)."""

    positions: int = 0
    low: Fraction | None = None
    high: Fraction | None = None


@dataclass(slots=True)
class Budget:
    """What a question may spend: seconds, mebibytes, states (0: no bound). `tell` is called now and then.

    In the folder `checkpoint` a long search keeps what it finds. When the memory is used up, it goes on with up to `disk`
    mebibytes (0: half of what is free) of the folder `spill`, if that is named.
    """

    seconds: float = 0.0
    mebibytes: int = 0
    states: int = 0
    tell: Callable[[str], None] | None = None
    started: float = field(default_factory=time.monotonic)
    checkpoint: Path | None = None
    spill: Path | None = None
    disk: int = 0
    searched: WeakSet[Space] = field(default_factory=WeakSet)
    """What was searched, in all parts of this budget."""
    deep: list[str] = field(default_factory=list)
    """How far the last search depth-first had come."""
    met: Met = field(default_factory=Met)
    """What is known of a figure, in all parts of this budget."""

    def left(self) -> float:
        """Seconds left; infinity without a bound."""
        return self.seconds - (time.monotonic() - self.started) if self.seconds else float("inf")

    def check(self, states: int = 0) -> None:
        """Raise `OutOfBudget` when something has run out."""
        if self.seconds and self.left() <= 0:
            raise OutOfBudget(self.over())
        if self.states and states > self.states:
            raise OutOfBudget(f"more than {self.states:,} states")
        if self.mebibytes and memory_used() > self.mebibytes:
            raise OutOfBudget(f"the memory of {self.mebibytes:,} MiB is used up")

    def over(self) -> str:
        """Why no time is left."""
        return f"the time of {self.seconds:g} s is over"

    def part(self, seconds: float, states: int = 0) -> Budget:
        """A smaller budget inside this one."""
        return replace(self, seconds=min(seconds, self.left()), states=states, started=time.monotonic())

    def search(self, space: Space) -> None:
        """This space is searched now."""
        self.searched.add(space)

    def in_memory(self) -> Budget:
        """The same without a disk to go on with."""
        return replace(self, spill=None)


class Space:
    """Packed states in the order a breadth-first search meets them, each with the state it was first met from."""

    rhythm = 512
    """After so many positions the budget is looked at."""
    looked = 0
    """So many states were looked at by what is asked now."""
    best: tuple[int, int] | None = None
    """Of these the one with the best number, where such a one is looked for, and that number."""
    told = 0.0
    """When it was last told how far the search has come."""
    on_disk = 0
    """Mebibytes there."""
    begun = 0
    """So many states had been expanded by an earlier run."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.pack: Packing = packing(model.slots)
        self.states: list[int] = []
        self.parents: list[int] = []
        self.index: dict[int, int] = {}
        self.faulty: list[int] = []
        self.stuck: list[int] = []
        self.expanded = 0
        self.steps = 0
        self.seconds = 0.0
        self._successors: Compiled | None = None
        self._tagged: Compiled | None = None
        self._weighed: Compiled | None = None
        self._formulas: dict[int, Compiled] = {}
        for numbers in model.starts:
            s = self.pack.pack(numbers)
            if s not in self.index:
                self.index[s] = len(self.states)
                self.states.append(s)
                self.parents.append(-1)
        self.starts = len(self.states)

    @cached_property
    def layers(self) -> list[int]:
        """What `layers.ends` has found."""
        return []

    def tell(self, budget: Budget) -> None:
        """Say how far the search has come, now and then."""
        if budget.tell and time.monotonic() - self.told > 0.2:
            budget.tell(line(self, memory_used(), self.on_disk))
            self.told = time.monotonic()

    @property
    def successors(self) -> Callable[[int, list[int]], None]:
        """`successors(s, out)` of the generated code."""
        if self._successors is None:
            self._successors = compiled(successor_source(self.model), "successors")
        return self._successors.call

    @property
    def tagged(self) -> Callable[[int, list[int]], None]:
        """`tagged(s, out)` of the generated code."""
        if self._tagged is None:
            self._tagged = compiled(successor_source(self.model, tagged=True), "tagged")
        return self._tagged.call

    def formula(self, term: Term) -> Callable[..., int]:
        """A term as a function of packed states `(s, n, a)`."""
        found = self._formulas.get(term.uid)
        if found is None:
            found = self._formulas[term.uid] = compiled(formula_source(self.model, term, "formula"), "formula")
        return found.call

    @property
    def complete(self) -> bool:
        """Has every state been expanded?"""
        return self.expanded == len(self.states)

    def expand(self, budget: Budget, count: int = 2048) -> None:
        """Expand the next states (all faults and states without a step are noted)."""
        began = time.monotonic()
        budget.search(self)
        successors, states, index, parents = self.successors, self.states, self.index, self.parents
        ended = self.formula(self.ended)
        last = min(len(states), self.expanded + count)
        i = self.expanded
        try:
            while i < last:
                s = states[i]
                out: list[int] = []
                successors(s, out)
                self.steps += len(out)
                if not out and not ended(s):
                    self.stuck.append(i)
                for n in out:
                    if n not in index:
                        if n < 0:
                            if not self.faulty or self.faulty[-1] != i:
                                self.faulty.append(i)
                            continue
                        index[n] = len(states)
                        states.append(n)
                        parents.append(i)
                i += 1
                self.expanded = i
                if len(out) > 512 or not i % self.rhythm:
                    budget.check(len(states))
        finally:
            self.seconds += time.monotonic() - began
        self.tell(budget)

    @property
    def ended(self) -> Term:
        """Whether the play has ended in a position."""
        return self.model.ended

    def state(self, game: Game, slots: int, s: int) -> State:
        """The position that a packed state stands for; `slots` are those of the game itself."""
        return to_state(game, self.pack.unpack(s)[:slots])

    def bare(self, s: int, slots: int) -> object:
        """What tells positions apart when counters after the game's slots are left out."""
        return s & ((1 << self.pack.shifts[slots]) - 1) if slots < len(self.pack.shifts) else s

    def full(self, counters: Iterable[int]) -> bool:
        """Has one of these counters reached its end?"""
        return any(
            any((s >> self.pack.shifts[c]) & self.pack.masks[c] == self.pack.masks[c] for s in self.states) for c in counters
        )

    def explore(self, budget: Budget) -> None:
        """Expand everything; raises `OutOfBudget`."""
        while not self.complete:
            budget.check(len(self.states))
            self.expand(budget)

    def met(self, budget: Budget) -> Iterator[int]:
        """The numbers of all reachable states in order, expanding as needed."""
        i = self.looked = 0
        budget.search(self)
        while True:
            while i < len(self.states):
                yield i
                i += 1
                self.looked = i
            if self.complete:
                return
            budget.check(len(self.states))
            self.expand(budget)

    def marked(self, bad: Term, test: Term, wanted: bool, budget: Budget) -> Iterator[tuple[int, bool]]:
        """States where a formula has no value (told by True), or is (not) true, in the order of the search."""
        no_value, holds = self.formula(bad), self.formula(test)
        for i in self.met(budget):
            s = self.states[i]
            if no_value(s):
                yield i, True
            elif bool(holds(s)) == wanted:
                yield i, False

    def records(self, number: Term, bad: Term, good: Term | None, sign: int, budget: Budget) -> Iterator[tuple[int, int]]:
        """States, where `good` holds, with a larger number (smaller where `sign` is -1) than all before, and that number."""
        reckon, no_value = self.formula(number), self.formula(bad)
        fine = None if good is None else self.formula(good)
        best: int | None = None
        self.best = None
        for i in self.met(budget):
            s = self.states[i]
            if (fine is None or fine(s)) and not no_value(s):
                n = reckon(s)
                if best is None or sign * n > sign * best:
                    best = n
                    self.best = i, n
                    yield i, n

    def tally(self, good: Term, budget: Budget) -> int:
        """In how many of the states met so far a formula is true."""
        fine, found = self.formula(good), 0
        for i, s in enumerate(self.states):
            found += bool(fine(s))
            if not i % 65536:
                budget.check()
        return found

    def links(self, budget: Budget) -> Iterator[list[int]]:
        """The numbers of the successors of every state met so far, which must be all."""
        index = self.index
        for i in range(len(self.states)):
            yield [index[n] for n in self.out(i)]
            if not i % 4096:
                budget.check()

    def offers(self, budget: Budget) -> Iterator[list[tuple[int, list[int]]]]:
        """The choices in every state, as `choices`, the successors by number."""
        index = self.index
        for i, s in enumerate(self.states):
            yield [(mover, [index[n] for n in nexts]) for mover, nexts in self.choices(s)]
            if not i % 4096:
                budget.check()

    def out(self, i: int) -> list[int]:
        """The packed successors of a state, faults left out."""
        found: list[int] = []
        self.successors(self.states[i], found)
        return [n for n in found if n >= 0]

    def path(self, i: int) -> list[int]:
        """Packed states from a start to a state, along a shortest way."""
        found = []
        while i >= 0:
            found.append(self.states[i])
            i = self.parents[i]
        return found[::-1]

    def weighted(self, s: int, stands: Mapping[int, int] | None = None) -> list[tuple[int, list[tuple[int, Fraction]]]]:
        """The choices in a packed state: who chooses (-1: the table), and the successors with their probabilities.

        A step with a fault leads to -1. `stands` gives the state that stands for a successor. Raises `Unlowerable` where
        draws have no whole-number weights.
        """
        if self._weighed is None:
            self._weighed = compiled(weighed_source(self.model), "weighed")
        out: list[int] = []
        self._weighed.call(s, out)
        found: dict[int, dict[int, int]] = {}
        for tag, n, w in zip(out[::3], out[1::3], out[2::3], strict=True):
            merged = found.get(tag)
            if merged is None:
                found[tag] = {n: w}
            else:
                merged[n] = merged.get(n, 0) + w
        result = []
        for tag, apart in found.items():
            merged = apart if stands is None else _together(apart, stands)
            if -1 in merged:
                result.append((-1, [(-1, _ONE)]))
            elif len(merged) == 1:
                result.append(((tag & 31) - 1, [(n, _ONE) for n in merged]))
            else:
                total = sum(merged.values())
                result.append(((tag & 31) - 1, [(n, _share(w, total)) for n, w in merged.items() if w]))
        return result

    def choices(self, s: int) -> list[tuple[int, list[int]]]:
        """The choices in a packed state: who chooses (-1: the table) and the successors by draw; faults left out."""
        out: list[int] = []
        self.tagged(s, out)
        found: dict[int, list[int]] = {}
        for k in range(0, len(out), 2):
            if out[k + 1] >= 0:
                found.setdefault(out[k], []).append(out[k + 1])
        return [((tag & 31) - 1, nexts) for tag, nexts in found.items()]


def _together(apart: dict[int, int], stands: Mapping[int, int]) -> dict[int, int]:
    """Weights by the states that stand for others."""
    found: dict[int, int] = {}
    for n, w in apart.items():
        k = stands[n]
        found[k] = found[k] + w if k in found else w
    return found
