"""The reachable states of a model, found by compiled code: the same states under the same numbers as `Space` finds."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Any, overload

from tablelaw.solver.ir import Model, Term
from tablelaw.solver.native.compiler import library
from tablelaw.solver.space.generate import native_formula, native_successors
from tablelaw.solver.space.graph import Budget, OutOfBudget, Space, memory_used
from tablelaw.solver.space.pack import packing
from tablelaw.solver.space.tongues import WORD

AT_ONCE = 4096
PACE = 0.05
MANY = 1 << 62
NO_PARENT = 0xFFFFFFFF
WORTH = 60_000
"""Of so many states a formula is compiled before it is asked."""
DONE, NO_MEMORY, FULL, TOO_MANY = range(4)

_NUMBERS, _SHORT = ctypes.POINTER(ctypes.c_uint64), ctypes.POINTER(ctypes.c_uint32)


class _Search(ctypes.Structure):
    """The beginning of `Search` in `search.c`."""

    _fields_ = [
        ("states", _NUMBERS),
        ("parents", _SHORT),
        ("count", ctypes.c_uint64),
        ("room", ctypes.c_uint64),
        ("expanded", ctypes.c_uint64),
        ("steps", ctypes.c_uint64),
        ("spare", ctypes.c_uint64),
        ("table", _NUMBERS),
        ("mask", ctypes.c_uint64),
        ("stuck", _SHORT),
        ("faulty", _SHORT),
        ("stuck_count", ctypes.c_uint64),
        ("stuck_room", ctypes.c_uint64),
        ("faulty_count", ctypes.c_uint64),
        ("faulty_room", ctypes.c_uint64),
        ("links", _SHORT),
    ]


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
        self._library = call = library(search_source(model), budget)
        call.search_new.restype = ctypes.POINTER(_Search)
        call.search_find.restype = call.search_links.restype = ctypes.c_int64
        self._scans: dict[tuple[Term, ...], Any] = {}
        self._search = call.search_new()
        if not self._search:
            raise MemoryError
        self._at_once = AT_ONCE
        super().__init__(model)
        self.words = max(1, -(-self.pack.bits // WORD))
        starts = self.states
        self._search.contents.spare = MANY
        for s in starts:
            call.search_start(self._search, self.packed(s))
        self.index = _Index(self)  # type: ignore[assignment]
        self.states = _States(self)  # type: ignore[assignment]
        self.parents = _Parents(self)  # type: ignore[assignment]
        self.stuck = _Noted(self, "stuck")  # type: ignore[assignment]
        self.faulty = _Noted(self, "faulty")  # type: ignore[assignment]

    def __del__(self) -> None:
        search = getattr(self, "_search", None)
        if search:
            self._library.search_free(search)
            self._search = None

    @property
    def search(self) -> Any:
        """The compiled code's own record."""
        return self._search.contents

    def packed(self, s: int) -> Any:
        """A state as the compiled code takes it."""
        return (ctypes.c_uint64 * self.words).from_buffer_copy(s.to_bytes(8 * self.words, "little"))

    def find(self, s: int) -> int:
        """The number of a state, or -1."""
        return int(self._library.search_find(self._search, self.packed(s)))

    def expand(self, budget: Budget, count: int = 0) -> None:
        """Expand the next states."""
        began = time.monotonic()
        search = self.search
        search.spare = max(0, budget.mebibytes - memory_used()) << 20 if budget.mebibytes else MANY
        most = ctypes.c_uint64(budget.states + 1 if budget.states else MANY)
        ended = self._library.search_expand(self._search, ctypes.c_uint64(count or self._at_once), most)
        self.expanded, self.steps = search.expanded, search.steps
        spent = time.monotonic() - began
        self.seconds += spent
        if not count and spent < PACE:
            self._at_once *= 2
        elif not count and spent > 4 * PACE:
            self._at_once = max(AT_ONCE, self._at_once // 2)
        if ended == FULL:
            raise OutOfBudget(f"more than {budget.states:,} states")
        if ended == NO_MEMORY:
            bound = f" of {budget.mebibytes:,} MiB" if budget.mebibytes else ""
            raise OutOfBudget(f"the memory{bound} is used up")
        if ended == TOO_MANY:
            raise OutOfBudget("more states than their numbers can tell")
        budget.check(len(self.states))

    # formulas

    def _scan(self, number: Term, bad: Term, good: Term, budget: Budget) -> Any:
        key = number, bad, good
        found = self._scans.get(key)
        if found is None:
            found = self._scans[key] = library(scan_source(self.model, *key), budget)
            for name in ("scan_marked", "scan_beyond", "scan_count"):
                getattr(found, name).restype = ctypes.c_uint64
        return found

    def marked(self, bad: Term, test: Term, wanted: bool, budget: Budget) -> Iterator[tuple[int, bool]]:
        no_value, scan, first = self.formula(bad), None, 0
        while True:
            known = len(self.states)
            if scan is None and (self.complete or known > WORTH):
                scan = self._scan(test, bad, self.model.terms.true, budget)
            while scan is not None and first < known:
                i = scan.scan_marked(self.search.states, *_numbers(first, known), int(wanted))
                first = i + 1
                if i < known:
                    yield i, bool(no_value(self.states[i]))
            if scan is None:
                yield from self._marked_first(first, known, bad, test, wanted)
            first = known
            if self.complete:
                return
            self._further(budget)

    def _marked_first(self, first: int, known: int, bad: Term, test: Term, wanted: bool) -> Iterator[tuple[int, bool]]:
        """Among states that are not worth a compiler."""
        no_value, holds = self.formula(bad), self.formula(test)
        for i, s in enumerate(self.states[first:known], first):
            fault = bool(no_value(s))
            if fault or bool(holds(s)) == wanted:
                yield i, fault

    def records(self, number: Term, bad: Term, good: Term | None, sign: int, budget: Budget) -> Iterator[tuple[int, int]]:
        scan = self._scan(number, bad, self.model.terms.true if good is None else good, budget)
        reckon, first, best = self.formula(number), 0, None
        while True:
            known = len(self.states)
            while first < known:
                start = 0 if best is None else best
                i = scan.scan_beyond(
                    self.search.states, *_numbers(first, known), sign, int(best is None), ctypes.c_int64(start)
                )
                first = i + 1
                if i < known:
                    best = int(reckon(self.states[i]))
                    yield i, best
            first = known
            if self.complete:
                return
            self._further(budget)

    def tally(self, good: Term) -> int:
        scan = self._scan(self.model.terms.true, self.model.terms.false, good, Budget())
        return int(scan.scan_count(self.search.states, *_numbers(0, len(self.states))))

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
            total = self._library.search_links(self._search, *_numbers(first, last), heads)
            if total < 0:
                raise OutOfBudget("the memory is used up")
            targets, at = self.search.links[:total] if total else [], 0
            for end in heads[: last - first]:
                yield targets[at:end]
                at = end
            budget.check()

    def offers(self, budget: Budget) -> Iterator[list[tuple[int, list[int]]]]:
        told = library(choices_source(self.model), budget)
        told.choice_links.restype = ctypes.c_int64
        heads, tags = (ctypes.c_uint64 * AT_ONCE)(), _SHORT()
        for first in range(0, len(self.states), AT_ONCE):
            last = min(first + AT_ONCE, len(self.states))
            total = told.choice_links(self._search, *_numbers(first, last), heads, ctypes.byref(tags))
            if total < 0:
                raise OutOfBudget("the memory is used up")
            targets, marks, at = (self.search.links[:total], tags[:total], 0) if total else ([], [], 0)
            for end in heads[: last - first]:
                found: dict[int, list[int]] = {}
                for tag, target in zip(marks[at:end], targets[at:end], strict=True):
                    found.setdefault(tag, []).append(target)
                yield [((tag & 31) - 1, nexts) for tag, nexts in found.items()]
                at = end
            budget.check()


def _numbers(first: int, last: int) -> tuple[ctypes.c_uint64, ctypes.c_uint64]:
    return ctypes.c_uint64(first), ctypes.c_uint64(last)


class _List(Sequence[int]):
    """A list that the compiled code holds."""

    def __init__(self, space: NativeSpace) -> None:
        self.space = space

    def part(self, first: int, last: int) -> list[int]:
        raise NotImplementedError

    @overload
    def __getitem__(self, at: int) -> int: ...
    @overload
    def __getitem__(self, at: slice) -> list[int]: ...
    def __getitem__(self, at: int | slice) -> int | list[int]:
        if isinstance(at, slice):
            first, last, step = at.indices(len(self))
            return self.part(first, last)[::step] if step > 0 else [self[i] for i in range(first, last, step)]
        n = len(self)
        if not -n <= at < n:
            raise IndexError(at)
        return self.part(at % n, at % n + 1)[0]

    def __iter__(self) -> Iterator[int]:
        first = 0
        while first < len(self):
            last = min(first + AT_ONCE, len(self))
            yield from self.part(first, last)
            first = last


class _States(_List):
    def __len__(self) -> int:
        return int(self.space.search.count)

    def part(self, first: int, last: int) -> list[int]:
        if self.space.words == 1:
            return self.space.search.states[first:last]  # type: ignore[no-any-return]
        size = 8 * self.space.words
        start = ctypes.addressof(self.space.search.states.contents) + first * size
        text = ctypes.string_at(start, max(0, last - first) * size)
        return [int.from_bytes(text[k : k + size], "little") for k in range(0, len(text), size)]


class _Parents(_List):
    def __len__(self) -> int:
        return int(self.space.search.count)

    def part(self, first: int, last: int) -> list[int]:
        return [-1 if p == NO_PARENT else p for p in self.space.search.parents[first:last]]


class _Noted(_List):
    def __init__(self, space: NativeSpace, name: str) -> None:
        super().__init__(space)
        self.name = name

    def __len__(self) -> int:
        return int(getattr(self.space.search, self.name + "_count"))

    def part(self, first: int, last: int) -> list[int]:
        return getattr(self.space.search, self.name)[first:last] if last > first else []


class _Index:
    """The numbers of states."""

    def __init__(self, space: NativeSpace) -> None:
        self.space = space

    def __contains__(self, s: int) -> bool:
        return s >= 0 and self.space.find(s) >= 0

    def __getitem__(self, s: int) -> int:
        found = self.space.find(s) if s >= 0 else -1
        if found < 0:
            raise KeyError(s)
        return found
