"""The reachable states of a model, found by compiled code: the same states under the same numbers as `Space` finds."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Any, ClassVar

from tablelaw.solver.ir import Model, Term
from tablelaw.solver.memory import memory_used
from tablelaw.solver.native.checkpoint import Checkpoint, InUse
from tablelaw.solver.native.columns import Disk, Kept, parents_of
from tablelaw.solver.native.compiler import NoCompiler, begin, kept, library, ready, stop
from tablelaw.solver.native.held import AT_ONCE, FULL, NO_MEMORY, SHORT, TOO_MANY, Held, Index, Noted, Parents, States
from tablelaw.solver.native.spill import NAMES, Spilled, columns_for, possible
from tablelaw.solver.native.together import Together, processors
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.generate import native_formula, native_successors
from tablelaw.solver.space.graph import Budget, OutOfBudget, Space
from tablelaw.solver.space.pack import packing
from tablelaw.solver.space.tongues import WORD

PACE = 0.05
MANY = 1 << 62
WIDE = 1024
"""So many states for each processor must be waiting before several work at once."""
WORTH = 60_000
"""Of so many states a formula is compiled before it is asked."""


def moves_source(model: Model) -> str:
    """All of the C that is a model's own. Raises `Unlowerable`."""
    ended = native_formula(model, model.ended, "ended")
    return _all(model, native_successors(model), ended, "moves.c")


def search_source(model: Model) -> str:
    """The search: the same for all models whose states take as many words."""
    return _all(model, "table.c", "search.c")


def team_source(model: Model) -> str:
    """The search on several processors: the same for all models whose states take as many words."""
    return _all(model, "table.c", "together.c")


def spill_source(model: Model) -> str:
    """All of the C of a search that goes on with its states on disk."""
    ended = native_formula(model, model.ended, "ended")
    return _all(model, native_successors(model), ended, "spill.c")


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
    """A space whose states lie in memory of the compiled code, or on disk when that is used up."""

    held_most: ClassVar[int] = 0
    """For tests: so many states are held in memory at most."""

    def __init__(self, model: Model, budget: Budget) -> None:
        """Raises `NoCompiler`, `Unlowerable`, `OutOfBudget`."""
        sources = moves_source(model), search_source(model)
        begun = [begin(source) for source in sources] if processors() > 1 else []
        try:
            self._moves, self._library = (library(source, budget) for source in sources)
        finally:
            for name in begun:
                stop(name)
        self._scans: dict[tuple[Term, ...], Any] = {}
        self._at_once = AT_ONCE
        self._workers = processors()
        self._together: Together | None = None
        super().__init__(model)
        self._first = list(self.states)
        self.words = max(1, -(-self.pack.bits // WORD))
        self.begin()
        self.checkpoint: Checkpoint | None = None
        self.spilled: Spilled | None = None
        self.taken_up = self.in_memory = 0
        if budget.checkpoint is not None:
            self._go_on(budget, budget.checkpoint)

    def begin(self) -> None:
        """With the starts alone."""
        self._together = None
        held = self.held = Held(self._library, self._moves, self.words)
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
            self.checkpoint.restore(self, budget)
            self.taken_up = len(self.states) if self.checkpoint.saved["states"] else 0
            self.begun = self.expanded
        except InUse as other:
            if other.ours:  # the same model under another setting: one of them is kept
                return
            raise OutOfBudget(f"another run keeps its search in {folder}") from None
        except OSError as why:
            raise OutOfBudget(f"{folder} cannot be used: {why.strerror}") from None
        except MemoryError:
            raise _no_memory(budget) from None
        except ValueError:  # spoiled: it is written anew
            self.begin()

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
        if self.checkpoint is not None and (now or self.checkpoint.due):
            if self.spilled is not None:
                with suppress(OutOfBudget):  # what has its number is kept all the same
                    self.spilled.settle()
                self._show(self.spilled)
            try:
                self.checkpoint.save(self)
            except OSError as why:
                raise OutOfBudget(f"{self.checkpoint.folder} cannot be written: {why.strerror}") from None

    def expand(self, budget: Budget, count: int = 0) -> None:
        """Expand the next states."""
        began = time.monotonic()
        budget.search(self)
        if self.spilled is not None:
            self._expand_on_disk(self.spilled, budget, began)
            return
        search = self.held.search
        self._spare(budget)
        wanted, most = count or self._at_once, budget.states + 1 if budget.states else MANY
        waiting = search.count - search.expanded
        team = self._team(budget) if min(wanted, waiting) > WIDE * self._workers else None
        if team is not None:
            ended = team.expand(wanted, most)
        else:
            if self._workers > 1:  # they may be wide enough soon
                wanted = min(wanted, max(AT_ONCE, 4 * waiting))
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
        self.tell(budget)
        if ended == FULL:
            raise OutOfBudget(f"more than {budget.states:,} states")
        full = ended == NO_MEMORY or 0 < self.held_most < search.count or self._tight(budget)
        if full and self.can_spill(budget) and not self.complete:
            self.spill(budget)
            return  # what lay in memory is held up to here: what is used now tells nothing
        if ended == NO_MEMORY:
            raise _no_memory(budget)
        if ended == TOO_MANY:
            raise OutOfBudget("more states than their numbers can tell")
        budget.check(len(self.states))

    def _team(self, budget: Budget) -> Together | None:
        """All processors, where there are several, as soon as what they need is compiled."""
        if self._together is None and self._workers > 1:
            source = team_source(self.model)
            if not kept(source) and not ready(begin(source)):  # one processor searches until then
                return None
            try:
                self._together = Together(self.held, library(source, budget), self._workers)
            except NoCompiler:
                self._workers = 1
        return self._together

    # on disk

    def _tight(self, budget: Budget) -> bool:
        """Is the memory all but used up, and not by others?"""
        return self.own > budget.mebibytes // 4 > 0 and memory_used() > budget.mebibytes * 15 // 16

    @property
    def own(self) -> int:
        """Mebibytes that its states take at least, where they lie in memory."""
        return 0 if self.spilled is not None else len(self.states) * (8 * self.words + 16) >> 20

    def can_spill(self, budget: Budget) -> bool:
        """May the search go on with its states on disk?"""
        return budget.spill is not None and budget.mebibytes > 0 and possible()

    def spill(self, budget: Budget) -> None:
        """Move what is known to disk. Raises `OutOfBudget`, and then the search is as it was, or cannot go on."""
        search, counts = self.held.search, self.counts()
        self.keep()
        found = self._on_disk(budget)
        for name in NAMES:
            n = counts[name]
            if n and self.checkpoint is None:
                found.columns[name].write(0, ctypes.addressof(getattr(search, name).contents), n)
        found.adopt(counts)
        held, self._together = self.held, None
        self.spilled, self.in_memory = found, counts["states"]
        self._show(found)  # the lists are read from disk before what lies in memory is put into another order
        del self.held
        found.take(ctypes.addressof(search.states.contents))
        del search, held  # the memory is taken again when nobody is left who holds it: by the next call of `expand`

    def resume_on_disk(self, counts: dict[str, int], budget: Budget) -> None:
        """What an earlier run kept, read where it lies; called when that was found to be whole."""
        found = self._on_disk(budget)
        found.adopt(counts)
        self.spilled, self._together, self.in_memory = found, None, counts["states"]
        self._show(found)
        del self.held

    def counts(self) -> dict[str, int]:
        """How much there is of what a checkpoint keeps."""
        found = {"states": len(self.states), "parents": len(self.parents), "stuck": len(self.stuck), "faulty": len(self.faulty)}
        return found | {"expanded": self.expanded, "steps": self.steps}

    def _on_disk(self, budget: Budget) -> Spilled:
        """Nothing yet, but with files."""
        assert budget.spill is not None
        try:
            code = library(spill_source(self.model), budget)
        except NoCompiler:
            raise _no_memory(budget) from None
        disk = Disk(budget.spill, budget.disk)
        columns = columns_for(disk, self.words, None if self.checkpoint is None else self.checkpoint.folder)
        return Spilled(code, self.pack.bits, disk, columns, self._workers)

    def _show(self, found: Spilled) -> None:
        """What is known, read from disk."""
        self.index = OnDisk()  # type: ignore[assignment]
        self.states = Kept(found.columns["states"], found.count)  # type: ignore[assignment]
        self.parents = parents_of(found.columns["parents"], found.count)  # type: ignore[assignment]
        self.stuck = Kept(found.columns["stuck"], found.noted["stuck"])  # type: ignore[assignment]
        self.faulty = Kept(found.columns["faulty"], found.noted["faulty"])  # type: ignore[assignment]
        self.expanded, self.steps = found.done, found.steps

    def _expand_on_disk(self, spilled: Spilled, budget: Budget, began: float) -> None:
        try:
            if not self.can_spill(budget):
                raise _no_memory(budget)
            spilled.advance(2 * PACE, budget)
        finally:
            self._show(spilled)
            self.seconds += time.monotonic() - began
        self.keep(now=False)
        self.on_disk = max(1, spilled.disk.used >> 20)
        self.tell(budget)
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
        self.looked = 0
        budget.search(self)
        while True:
            known = len(self.states)
            if scan is None and (self.complete or known > WORTH):
                scan = self._scan(test, bad, self.model.terms.true, budget)
            if scan is not None:
                for memory, base, last in self._windows(first, known):
                    while first < last:
                        i = base + scan.scan_marked(memory, *_numbers(first - base, last - base), int(wanted))
                        first = i + 1
                        if i < last:
                            yield i, bool(no_value(self.states[i]))
                    first = last
                    budget.check()
            for i in range(first, known, AT_ONCE):
                for k, s in enumerate(self.states[i : min(i + AT_ONCE, known)], i):
                    fault = bool(no_value(s))
                    if fault or bool(holds(s)) == wanted:
                        yield k, fault
                budget.check()
            first = self.looked = known
            if self.complete:
                return
            self._further(budget)

    def records(self, number: Term, bad: Term, good: Term | None, sign: int, budget: Budget) -> Iterator[tuple[int, int]]:
        scan = self._scan(number, bad, self.model.terms.true if good is None else good, budget)
        if scan is None:
            yield from super().records(number, bad, good, sign, budget)
            return
        reckon, first, best = self.formula(number), 0, None
        self.looked, self.best = 0, None
        budget.search(self)
        while True:
            known = len(self.states)
            for memory, base, last in self._windows(first, known):
                while first < last:
                    held = int(best is None), ctypes.c_int64(best or 0)
                    i = base + scan.scan_beyond(memory, *_numbers(first - base, last - base), sign, *held)
                    first = i + 1
                    if i < last:
                        best = int(reckon(self.states[i]))
                        self.best = i, best
                        yield i, best
                first = last
                budget.check()
            first = self.looked = known
            if self.complete:
                return
            self._further(budget)

    def tally(self, good: Term, budget: Budget) -> int:
        scan = self._scan(self.model.terms.true, self.model.terms.false, good, budget)
        if scan is None:
            return super().tally(good, budget)
        found = 0
        for memory, base, last in self._windows(0, len(self.states)):
            found += int(scan.scan_count(memory, *_numbers(0, last - base)))
            budget.check()
        return found

    def _windows(self, first: int, last: int) -> Iterator[tuple[Any, int, int]]:
        """States in turn: memory, the number of the state that it begins with, and up to which number it holds them."""
        if self.spilled is not None:
            yield from self.spilled.windows(first, last)
        elif first < last:
            yield self.held.search.states, 0, last

    def _further(self, budget: Budget) -> None:
        budget.check(len(self.states))
        self.expand(budget)

    # the graph

    def explore(self, budget: Budget) -> None:
        if self.spilled is not None and not self.can_spill(budget):  # the states are wanted in memory
            raise _no_memory(budget)
        super().explore(budget)

    def links(self, budget: Budget) -> Iterator[list[int]]:
        if self.spilled is not None:
            raise _no_memory(budget)
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
        if self.spilled is not None:
            raise _no_memory(budget)
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


class OnDisk:
    """The numbers of states that lie on disk are not looked up one by one."""

    def __contains__(self, s: int) -> bool:
        raise OutOfBudget("the memory is used up")

    def __getitem__(self, s: int) -> int:
        raise OutOfBudget("the memory is used up")


def _numbers(first: int, last: int) -> tuple[ctypes.c_uint64, ctypes.c_uint64]:
    return ctypes.c_uint64(first), ctypes.c_uint64(last)
