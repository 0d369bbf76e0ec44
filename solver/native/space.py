"""The reachable states of a model, found by compiled code: the same states under the same numbers as `Space` finds."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from tablelaw.solver.ir import Model, Term
from tablelaw.solver.native.checkpoint import Checkpoint, InUse
from tablelaw.solver.native.compiler import NoCompiler, library
from tablelaw.solver.native.held import AT_ONCE, FULL, NO_MEMORY, SHORT, TOO_MANY, Held, Index, Noted, Parents, States
from tablelaw.solver.native.together import Together, processors
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.generate import native_formula, native_successors
from tablelaw.solver.space.graph import Budget, OutOfBudget, Space, memory_used
from tablelaw.solver.space.pack import packing
from tablelaw.solver.space.tongues import WORD

PACE = 0.05
MANY = 1 << 62
WIDE = 16_384
"""So many states for each processor must be waiting before several work at once."""
WORTH = 60_000
"""Of so many states a formula is compiled before it is asked."""


def search_source(model: Model) -> str:
    """All of the C of a model's search. Raises `Unlowerable`."""
    ended = native_formula(model, model.ended, "ended")
    return _all(model, "table.c", native_successors(model), ended, "search.c")


def choices_source(model: Model) -> str:
    """What tells who chooses."""
    return _all(model, "table.c", native_successors(model, tagged=True), "choices.c")


def scan_source(model: Model, number: Term, bad: Term, good: Term) -> str:
    """What looks through states for a formula."""
    named = {"number": number, "bad": bad, "good": good}
    return _all(model, *(native_formula(model, t, name) for name, t in named.items()), "scan.c")


def _all(model: Model, *parts: str) -> str:
    """Files of this folder, and source."""
    words = max(1, -(-packing(model.slots).bits // WORD))
    folder = files("tablelaw.solver.native")
    texts = [folder.joinpath(p).read_text(encoding="utf-8") if p.endswith(".c") else p for p in ("head.c", *parts)]
    return "\n".join([f"#define WORDS {words}", *texts])


class NativeSpace(Space):
    """A space whose states lie in memory of the compiled code."""

    def __init__(self, model: Model, budget: Budget) -> None:
        """Raises `NoCompiler`, `Unlowerable`, `OutOfBudget`."""
        self._library = library(search_source(model), budget)
        self._scans: dict[tuple[Term, ...], Any] = {}
        self._at_once = AT_ONCE
        self._workers = processors()
        self._together: Together | None = None
        super().__init__(model)
        self._first = list(self.states)
        self._begin()
        self.checkpoint: Checkpoint | None = None
        if budget.checkpoint is not None:
            self._go_on(budget, budget.checkpoint)

    def _begin(self) -> None:
        """With the starts alone."""
        self._together = None
        held = self.held = Held(self._library, max(1, -(-self.pack.bits // WORD)))
        held.search.spare = MANY
        for s in self._first:
            if self._library.search_start(held.at, held.packed(s)):
                raise MemoryError
        self.index = Index(held)  # type: ignore[assignment]
        self.states = States(held)  # type: ignore[assignment]
        self.parents = Parents(held)  # type: ignore[assignment]
        self.stuck = Noted(held, "stuck")  # type: ignore[assignment]
        self.faulty = Noted(held, "faulty")  # type: ignore[assignment]

    def _go_on(self, budget: Budget, folder: Path) -> None:
        """From what an earlier run kept, if it kept anything."""
        self._spare(budget)
        try:
            self.checkpoint = Checkpoint(folder, self.model)
            self.checkpoint.restore(self)
        except InUse as other:
            if other.ours:  # the same model under another setting: one of them is kept
                return
            raise OutOfBudget(f"another run keeps its search in {folder}") from None
        except OSError as why:
            raise OutOfBudget(f"{folder} cannot be used: {why.strerror}") from None
        except MemoryError:
            raise _no_memory(budget) from None
        except ValueError:  # spoiled: it is written anew
            self._begin()

    def _spare(self, budget: Budget) -> None:
        """What may still be taken."""
        self.held.search.spare = max(0, budget.mebibytes - memory_used()) << 20 if budget.mebibytes else MANY

    def load(self, states: bytes, parents: bytes, n: int) -> None:
        """More states, kept by an earlier run. Raises `MemoryError`, and `ValueError` where one is there already."""
        result = self._library.search_load(self.held.at, states, parents, ctypes.c_uint64(n))
        if result:
            raise MemoryError if result == NO_MEMORY else ValueError("a state comes twice")

    def resume(self, expanded: int, steps: int, stuck: bytes, faulty: bytes) -> None:
        """How far the earlier run had come."""
        noted = stuck, ctypes.c_uint64(len(stuck) // 4), faulty, ctypes.c_uint64(len(faulty) // 4)
        if self._library.search_resume(self.held.at, ctypes.c_uint64(expanded), ctypes.c_uint64(steps), *noted):
            raise MemoryError
        self.expanded, self.steps = expanded, steps

    def keep(self, now: bool = True) -> None:
        """Write what was found to disk, where that was asked for: now, or when it is time to."""
        if self.checkpoint is not None:
            try:
                self.checkpoint.save(self) if now else self.checkpoint.now_and_then(self)
            except OSError as why:
                raise OutOfBudget(f"{self.checkpoint.folder} cannot be written: {why.strerror}") from None

    def expand(self, budget: Budget, count: int = 0) -> None:
        """Expand the next states."""
        began = time.monotonic()
        search = self.held.search
        self._spare(budget)
        wanted, most = count or self._at_once, budget.states + 1 if budget.states else MANY
        if self._workers > 1 and min(wanted, search.count - search.expanded) > WIDE * self._workers:
            if self._together is None:
                self._together = Together(self.held, self._workers)
            ended = self._together.expand(wanted, most)
        else:
            numbers = ctypes.c_uint64(wanted), ctypes.c_uint64(most)
            ended = self._library.search_expand(self.held.at, *numbers)
        self.expanded, self.steps = search.expanded, search.steps
        spent = time.monotonic() - began
        self.seconds += spent
        if not count and spent < PACE:
            self._at_once *= 2
        elif not count and spent > 4 * PACE:
            self._at_once = max(AT_ONCE, self._at_once // 2)
        self.keep(now=False)
        if ended == FULL:
            raise OutOfBudget(f"more than {budget.states:,} states")
        if ended == NO_MEMORY:
            raise _no_memory(budget)
        if ended == TOO_MANY:
            raise OutOfBudget("more states than their numbers can tell")
        budget.check(len(self.states))

    # formulas

    def _scan(self, number: Term, bad: Term, good: Term, budget: Budget) -> Any:
        """What looks through states for a formula; None where it has no compiled form."""
        key = number, bad, good
        if key not in self._scans:
            try:
                found = library(scan_source(self.model, *key), budget)
            except (NoCompiler, Unlowerable):
                found = None
            else:
                for name in ("scan_marked", "scan_beyond", "scan_count"):
                    getattr(found, name).restype = ctypes.c_uint64
            self._scans[key] = found
        return self._scans[key]

    def marked(self, bad: Term, test: Term, wanted: bool, budget: Budget) -> Iterator[tuple[int, bool]]:
        no_value, holds = self.formula(bad), self.formula(test)
        scan, first = None, 0
        while True:
            known = len(self.states)
            if scan is None and (self.complete or known > WORTH):
                scan = self._scan(test, bad, self.model.terms.true, budget)
            while scan is not None and first < known:
                i = scan.scan_marked(self.held.search.states, *_numbers(first, known), int(wanted))
                first = i + 1
                if i < known:
                    yield i, bool(no_value(self.states[i]))
            for i in range(first, known, AT_ONCE):
                for k, s in enumerate(self.states[i : min(i + AT_ONCE, known)], i):
                    fault = bool(no_value(s))
                    if fault or bool(holds(s)) == wanted:
                        yield k, fault
                budget.check()
            first = known
            if self.complete:
                return
            self._further(budget)

    def records(self, number: Term, bad: Term, good: Term | None, sign: int, budget: Budget) -> Iterator[tuple[int, int]]:
        scan = self._scan(number, bad, self.model.terms.true if good is None else good, budget)
        if scan is None:
            yield from super().records(number, bad, good, sign, budget)
            return
        reckon, first, best = self.formula(number), 0, None
        while True:
            known = len(self.states)
            while first < known:
                held = int(best is None), ctypes.c_int64(best or 0)
                i = scan.scan_beyond(self.held.search.states, *_numbers(first, known), sign, *held)
                first = i + 1
                if i < known:
                    best = int(reckon(self.states[i]))
                    yield i, best
            first = known
            if self.complete:
                return
            self._further(budget)

    def tally(self, good: Term, budget: Budget) -> int:
        scan = self._scan(self.model.terms.true, self.model.terms.false, good, budget)
        if scan is None:
            return super().tally(good, budget)
        return int(scan.scan_count(self.held.search.states, *_numbers(0, len(self.states))))

    def _further(self, budget: Budget) -> None:
        budget.check(len(self.states))
        if budget.tell:
            rate = self.expanded / self.seconds if self.seconds > 0.1 else 0
            budget.tell(f"{len(self.states):,} states, {len(self.states) - self.expanded:,} waiting, {rate:,.0f} a second")
        self.expand(budget)

    # the graph

    def links(self, budget: Budget) -> Iterator[list[int]]:
        heads = (ctypes.c_uint64 * AT_ONCE)()
        for first in range(0, len(self.states), AT_ONCE):
            last = min(first + AT_ONCE, len(self.states))
            total = self._library.search_links(self.held.at, *_numbers(first, last), heads)
            if total < 0:
                raise OutOfBudget("the memory is used up")
            targets, at = self.held.search.links[:total] if total else [], 0
            for end in heads[: last - first]:
                yield targets[at:end]
                at = end
            budget.check()

    def offers(self, budget: Budget) -> Iterator[list[tuple[int, list[int]]]]:
        try:
            told = library(choices_source(self.model), budget)
        except (NoCompiler, Unlowerable):
            yield from super().offers(budget)
            return
        told.choice_links.restype = ctypes.c_int64
        heads, tags = (ctypes.c_uint64 * AT_ONCE)(), SHORT()
        for first in range(0, len(self.states), AT_ONCE):
            last = min(first + AT_ONCE, len(self.states))
            total = told.choice_links(self.held.at, *_numbers(first, last), heads, ctypes.byref(tags))
            if total < 0:
                raise OutOfBudget("the memory is used up")
            targets, marks, at = (self.held.search.links[:total], tags[:total], 0) if total else ([], [], 0)
            for end in heads[: last - first]:
                found: dict[int, list[int]] = {}
                for tag, target in zip(marks[at:end], targets[at:end], strict=True):
                    found.setdefault(tag, []).append(target)
                yield [((tag & 31) - 1, nexts) for tag, nexts in found.items()]
                at = end
            budget.check()


def _no_memory(budget: Budget) -> OutOfBudget:
    bound = f" of {budget.mebibytes:,} MiB" if budget.mebibytes else ""
    return OutOfBudget(f"the memory{bound} is used up")


def _numbers(first: int, last: int) -> tuple[ctypes.c_uint64, ctypes.c_uint64]:
    return ctypes.c_uint64(first), ctypes.c_uint64(last)
