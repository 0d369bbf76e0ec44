"""A search that goes on with its states on disk when the memory is used up, and finds them under the same numbers.

Delayed duplicate detection (Korf, *Best-first frontier search with delayed duplicate detection*, AAAI 2004; Edelkamp and
Schroedl, *Heuristic Search*, 2012, chapter 8): states that were met are collected, as many as the memory holds, each once, in
the order in which they were met. Only then are they sorted and held against sorted runs of all that was known before, which
are read from end to end. What is left gets its numbers in the order in which it was met: the numbers of a search in memory.

Runs are not merged: to read all of them costs what reading one of that length does. A run is written when the memory is full;
what was met since lies in memory, so that a long game with few positions at each depth writes few of them.

All that can be seen of it (`count`, `done`, the notes) is as of the last time that numbers were given: whatever stops it,
what is seen is whole. Its files have no names (but for those of a checkpoint), so that nothing is left of them
however this process ends.
"""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, ClassVar

from tablelaw.solver.memory import memory_used
from tablelaw.solver.native.columns import Column, Disk
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.space.tongues import WORD

ROW, BLOCK, CHUNK = 512, 8192, 1 << 16
"""States of a row of a run, of a batch, of a piece of a file."""
MANY = 1 << 16
"""A batch of so many successors is not made larger."""
LOAD = 0.75
RESERVE = 24
LEAST = 8
"""Mebibytes: left for what is small, and worth going on with."""
PERCENT = 3
"""So much of the bound is left at least, whatever that is."""
FEWEST = 100_000
"""States that must have room in memory, where the machine gives less than its bound."""
NAMES = ("states", "parents", "stuck", "faulty")

_AT = ctypes.c_void_p
_U64 = ctypes.c_uint64


class _Pool(ctypes.Structure):
    """The beginning of `Pool` in `spill.c`."""

    _fields_: ClassVar = [
        *((name, _AT) for name in ("states", "parents", "table", "struck")),
        *((name, _U64) for name in ("count", "room", "size")),
    ]


class _Part(ctypes.Structure):
    """The beginning of `Part` in `spill.c`."""

    _fields_: ClassVar = [
        *((name, _U64) for name in ("kept", "steps")),
        *((name, _AT) for name in ("stuck", "faulty")),
        *((name, _U64) for name in ("stuck_count", "faulty_count")),
    ]


class _Batch:
    """Memory for the states of a batch and for what comes of them."""

    def __init__(self, code: ctypes.CDLL, words: int) -> None:
        self.code = code
        self.at = code.spill_part_new()
        if not self.at:
            raise MemoryError
        self.buffer = (_U64 * (BLOCK * words))()
        self.first = self.taken = 0

    def __del__(self) -> None:
        if getattr(self, "at", None):
            self.code.spill_part_free(self.at)

    @property
    def part(self) -> Any:
        return self.at.contents


def possible() -> bool:
    """Can files be read as compiled code reads them?"""
    return sys.platform != "win32"


class Spilled:
    """The states of a search on disk, and how it goes on."""

    room_most: ClassVar[int] = 0
    """For tests: so many states are held in memory at most."""

    def __init__(self, code: ctypes.CDLL, bits: int, disk: Disk, columns: dict[str, Column], workers: int) -> None:
        """By compiled code of `spill.c`; the columns are whole up to what `adopt` says. Raises `OutOfBudget`."""
        self.words, self.digit = max(1, -(-bits // WORD)), max(0, (bits - 1) // 8)
        self.code = _typed(code)
        self.disk, self.columns = disk, columns
        self.known = disk.column(8 * self.words)
        self.runs: list[tuple[int, int, Any]] = []
        self.told = 0
        self.count = self.done = self.steps = 0
        self.noted = {"stuck": 0, "faulty": 0}
        self._at = self._steps = 0
        self._pending = {"stuck": 0, "faulty": 0}
        self._tail = self._seen = self._gathered = 0
        self._pool: Any = None
        self._broken = ""
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="gather") if workers > 1 else None
        self._batches: list[_Batch] = []
        self._next: Future[None] | None = None

    def __del__(self) -> None:
        if getattr(self, "_executor", None) is not None:
            # whoever works holds on to this, so that nobody works any more; it may be the one who worked that is here
            self._executor.shutdown(wait=False)  # type: ignore[union-attr]
        if getattr(self, "_pool", None):
            self.code.pool_free(self._pool)
            self._pool = None

    # beginning

    def adopt(self, counts: dict[str, int]) -> None:
        """Begin with what the columns hold."""
        self.count = self._tail = counts["states"]
        self.done = self._at = self._gathered = counts["expanded"]
        self.steps = self._steps = counts["steps"]
        self.noted = {name: counts[name] for name in self.noted}
        self._pending = dict(self.noted)

    def take(self, states: int) -> None:
        """All states lie in memory as well: they are sorted there, and become the first run. It is to be freed then."""
        small = self._made(1)
        try:
            self._sort(small, states, None, self.count)
            self._run(states, self.count)
        finally:
            self.code.pool_free(small)

    def _begin(self, budget: Budget) -> Any:
        """The memory that is left. What was known to an earlier run is sorted anew."""
        pool, held = self._most(self._room(budget)), sum(n for _, n, _ in self.runs)
        states = pool.contents.states
        try:
            while held < self.count:
                n = min(pool.contents.room, self.count - held)
                for k in range(0, n, CHUNK):
                    m = min(CHUNK, n - k)
                    piece = (ctypes.c_char * (m * 8 * self.words)).from_address(states + k * 8 * self.words)
                    self.columns["states"].read_into(held + k, m, piece)
                self._sort(pool, states, None, n)
                self._run(states, n)
                held += n
        except BaseException:
            self.code.pool_free(pool)
            raise
        self._batches = [_Batch(self.code, self.words) for _ in range(1 if self._executor is None else 2)]
        return pool

    def _most(self, room: int) -> Any:
        """Memory for so many states, or for as many as the machine gives."""
        while True:
            try:
                return self._made(room)
            except OutOfBudget:
                room //= 2
                if room < FEWEST:
                    raise

    def _room(self, budget: Budget) -> int:
        reserve = max(RESERVE, budget.mebibytes * PERCENT // 100)
        left = budget.mebibytes - memory_used() - reserve
        if left < LEAST and not self.room_most:
            raise OutOfBudget(f"the memory of {budget.mebibytes:,} MiB is used up")
        state = 8 * self.words + 4
        room = int((left << 20) / (state + 1 + state / 8 + 8 / LOAD))
        return max(1, min(room, self.room_most or room, int((1 << 32) * LOAD) - 8))

    def _made(self, room: int) -> Any:
        pool = self.code.pool_new(room, int(room / LOAD) + 2)
        if not pool:
            raise OutOfBudget("the memory is used up")
        return pool

    # going on

    @property
    def complete(self) -> bool:
        return self.done == self.count

    def advance(self, seconds: float, budget: Budget) -> None:
        """Go on for about so long. Raises `OutOfBudget`."""
        if self._broken:
            raise OutOfBudget(self._broken)
        if self._pool is None and not self.complete:
            self._pool = self._begin(budget)
        until = time.monotonic() + seconds
        try:
            while not self.complete:
                self._step()
                if time.monotonic() > until:
                    break
            if self.complete:
                self._release()
        except BaseException as why:
            self._broken = why.reason if isinstance(why, OutOfBudget) else "the search was interrupted"
            self._release()
            raise

    def settle(self) -> None:
        """Give numbers to all that was met, so that it is seen."""
        if not self._broken and self._pool and self._pool.contents.count > self._seen:
            try:
                self._flush()
            except BaseException as why:
                self._broken = why.reason if isinstance(why, OutOfBudget) else "the search was interrupted"
                self._release()
                raise

    def _release(self) -> None:
        """The memory is not needed any more."""
        if self._next is not None:
            self._next.exception()
            self._next = None
        if self._pool:
            self.code.pool_free(self._pool)
            self._pool = None
        self._batches = []

    def _step(self) -> None:
        """One batch, or new numbers where nothing is left to do without."""
        batch = self._batch()
        if batch is None:
            if self._pool.contents.count > self._seen:
                self._flush()
            else:
                self._commit()
            return
        k, kept = 0, batch.part.kept
        while True:
            k = self.code.spill_settle(self._pool, batch.at, k)
            if k == kept:
                break
            self._flush(full=True)
        for name in self._pending:
            n = getattr(batch.part, name + "_count")
            if n:
                self.columns[name].write(self._pending[name], getattr(batch.part, name), n)
                self._pending[name] += n
        self._at = batch.first + batch.taken
        self._steps += batch.part.steps

    def _batch(self) -> _Batch | None:
        """The next batch with its successors; the one after it is begun beside."""
        if self._next is None:
            if self._gathered == self.count:
                return None
            self._gather(self._batches[0])
        else:
            waiting, self._next = self._next, None
            waiting.result()
            self._batches.reverse()
        found = self._batches[0]
        if self._executor is not None and self._gathered < self.count:
            self._next = self._executor.submit(self._gather, self._batches[1])
        return found

    def _gather(self, batch: _Batch) -> None:
        n = min(BLOCK, self.count - self._gathered)
        self.columns["states"].read_into(self._gathered, n, batch.buffer)
        taken = self.code.spill_gather(batch.at, batch.buffer, self._gathered, n, MANY)
        if taken < 0:
            raise OutOfBudget("the memory is used up")
        batch.first, batch.taken = self._gathered, taken
        self._gathered += taken

    # new numbers

    def _flush(self, full: bool = False) -> None:
        pool = self._pool.contents
        new = pool.count - self._seen
        if self.count + new >= 0xFFFFFFFF:
            raise OutOfBudget("more states than their numbers can tell")
        if full or new * 8 > pool.room:
            self._flush_all()
        else:
            self._flush_new(new)
        self._commit()

    def _flush_new(self, n: int) -> None:
        """What was met lately is held against the runs; all stays in memory."""
        pool, width = self._pool.contents, 8 * self.words
        states, places = (_U64 * (n * self.words))(), (ctypes.c_uint32 * n)()
        ctypes.memmove(states, pool.states + self._seen * width, n * width)
        self.code.spill_number(places, self._seen, n)
        self._sort(self._pool, states, places, n)
        self._strike(states, places, n)
        kept, kept_parents = self._buffers()
        for k in range(self._seen, pool.count, CHUNK):
            m = min(CHUNK, pool.count - k)
            left = self.code.spill_sift(
                pool.states + k * width, pool.parents + k * 4, pool.struck + k, m, kept, kept_parents
            )  # fmt: skip
            self._append(kept, kept_parents, left)
        self._seen = pool.count

    def _flush_all(self) -> None:
        """All that lies in memory is held against the runs, and becomes one of them."""
        pool, width, base = self._pool.contents, 8 * self.words, self._tail
        new = pool.count - self._seen
        self.columns["states"].write(base, pool.states + self._seen * width, new)
        self.columns["parents"].write(base, pool.parents + self._seen * 4, new)
        self.code.spill_number(pool.parents, 0, pool.count)
        self._sort(self._pool, pool.states, pool.parents, pool.count)
        self._strike(pool.states, pool.parents, pool.count)
        kept, kept_parents = self._buffers()
        for k in range(0, new, CHUNK):
            m = min(CHUNK, new - k)
            self.columns["states"].read_into(base + k, m, kept)
            self.columns["parents"].read_into(base + k, m, kept_parents)
            left = self.code.spill_sift(kept, kept_parents, pool.struck + self._seen + k, m, kept, kept_parents)
            self._append(kept, kept_parents, left)
        for name in ("states", "parents"):
            self.columns[name].cut(self._tail)
        self._run(pool.states, self.code.spill_left(pool.states, pool.parents, pool.struck, pool.count))
        self.code.pool_clear(self._pool)
        self._seen = 0

    def _buffers(self) -> tuple[Any, Any]:
        return (_U64 * (CHUNK * self.words))(), (ctypes.c_uint32 * CHUNK)()

    def _append(self, states: Any, parents: Any, n: int) -> None:
        self.columns["states"].write(self._tail, ctypes.addressof(states), n)
        self.columns["parents"].write(self._tail, ctypes.addressof(parents), n)
        self._tail += n

    def _sort(self, pool: Any, states: Any, places: Any, n: int) -> None:
        self.code.spill_begin_sort(pool, n, self.digit)
        while self.code.spill_sort(pool, states, places):
            pass

    def _strike(self, states: Any, places: Any, n: int) -> None:
        work = _U64(0)
        for offset, length, firsts in self.runs:
            at = offset * 8 * self.words
            if not self.code.spill_strike(
                self._pool, self.known.number, at, length, firsts, states, places, n, ctypes.byref(work)
            ):
                raise OutOfBudget(f"a file of {self.disk.folder} cannot be read")

    def _run(self, states: Any, n: int) -> None:
        """A sorted run of states from memory."""
        if not n:
            return
        firsts = (_U64 * (-(-n // ROW) * self.words))()
        self.code.spill_firsts(states, n, firsts)
        self.known.write(self.told, states, n)
        self.runs.append((self.told, n, firsts))
        self.told += n

    def _commit(self) -> None:
        """From here on this is what can be seen."""
        self.count, self.done, self.steps = self._tail, self._at, self._steps
        self.noted = dict(self._pending)

    # reading

    def windows(self, first: int, last: int) -> Iterator[tuple[Any, int, int]]:
        """States in turn: memory, and the numbers from the first to the last that lie there."""
        buffer = (_U64 * (CHUNK * self.words))()
        for k in range(first, last, CHUNK):
            n = min(CHUNK, last - k)
            self.columns["states"].read_into(k, n, buffer)
            yield buffer, k, k + n


def columns_for(disk: Disk, words: int, folder: Path | None = None) -> dict[str, Column]:
    """The four columns of a search: the files of a checkpoint, or files without names."""
    sizes = {"states": 8 * words, "parents": 4, "stuck": 4, "faulty": 4}
    return {name: disk.column(sizes[name], None if folder is None else folder / name) for name in NAMES}


def _typed(code: ctypes.CDLL) -> ctypes.CDLL:
    pool, part, number = ctypes.POINTER(_Pool), ctypes.POINTER(_Part), ctypes.c_int
    told: dict[str, tuple[Any, list[Any]]] = {
        "pool_new": (pool, [_U64, _U64]),
        "pool_free": (None, [pool]),
        "pool_clear": (None, [pool]),
        "spill_part_new": (part, []),
        "spill_part_free": (None, [part]),
        "spill_gather": (ctypes.c_int64, [part, _AT, _U64, _U64, _U64]),
        "spill_settle": (_U64, [pool, part, _U64]),
        "spill_begin_sort": (None, [pool, _U64, ctypes.c_int64]),
        "spill_sort": (number, [pool, _AT, _AT]),
        "spill_strike": (number, [pool, number, _U64, _U64, _AT, _AT, _AT, _U64, _AT]),
        "spill_sift": (_U64, [_AT, _AT, _AT, _U64, _AT, _AT]),
        "spill_left": (_U64, [_AT, _AT, _AT, _U64]),
        "spill_firsts": (None, [_AT, _U64, _AT]),
        "spill_number": (None, [_AT, _U64, _U64]),
    }
    for name, (result, arguments) in told.items():
        call = getattr(code, name)
        call.restype, call.argtypes = result, arguments
    return code
