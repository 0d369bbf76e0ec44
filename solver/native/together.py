"""Expanding on several processors: others gather successors while this one numbers what was gathered before.

States are numbered in the order of the search by one thread, so that they get the same numbers as from one processor.
"""

from __future__ import annotations

import ctypes
import os
import time
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

from tablelaw.solver.native.held import DONE, FULL, NO_MEMORY, Held

AT_ONCE = 8192
"""States that each processor takes at a time."""


def processors() -> int:
    """How many this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


class Together:
    """Gathers and settles in turns, on `workers` processors, this one among them."""

    def __init__(self, held: Held, workers: int) -> None:
        library = held.library
        library.part_new.restype = ctypes.c_void_p
        library.part_kept.restype = ctypes.c_uint64
        self.held, self.library, self.workers = held, library, workers
        self.pool = ThreadPoolExecutor(workers - 1, thread_name_prefix="gather")
        self.parts: list[ctypes.c_void_p] = []
        for _ in range(2 * workers):
            self.parts.append(ctypes.c_void_p(library.part_new()))
            if not self.parts[-1]:
                raise MemoryError
        self.gathering = self.settling = 1e-9

    def __del__(self) -> None:
        for part in getattr(self, "parts", ()):
            self.library.part_free(part)
        if hasattr(self, "pool"):
            self.pool.shutdown(wait=False)

    def expand(self, count: int, most: int) -> int:
        """Expand about so many of the known states, as long as fewer than `most` are known; how it ended."""
        search, waiting = self.held.search, list[tuple[ctypes.c_void_p, int]]()
        at, last = search.expanded, min(search.expanded + count, search.count)
        while at < last or waiting:
            if search.count >= most:
                at = last  # what is gathered is still numbered
            kept = sum(int(self.library.part_kept(part)) for part, _ in waiting)
            full = self.library.search_reserve(self.held.at, ctypes.c_uint64(kept))
            if full != DONE:
                return int(full)
            free = [p for p in self.parts if all(p is not taken for taken, _ in waiting)]
            ranges = self._ranges(at, last)
            futures = [self.pool.submit(self._gather, free[k], *r) for k, r in enumerate(ranges[1:], 1)]
            try:
                full = self._settle(waiting)
                own = self._gather(free[0], *ranges[0]) if ranges else DONE
            finally:
                wait(futures)
            if full != DONE or own != DONE or any(f.result() != DONE for f in futures):
                return int(full) or NO_MEMORY
            # this thread took the last of the states, so that the others are numbered while it gathers
            waiting = [(free[k], ranges[k][1]) for k in [*range(1, len(ranges)), 0][: len(ranges)]]
            at = ranges[0][1] if ranges else last
        return FULL if search.count >= most else DONE

    def _ranges(self, at: int, last: int) -> list[tuple[int, int]]:
        """What each gathers next, this thread's first: it lies last and is the smaller the longer numbering takes."""
        if at >= last:
            return []
        stop = min(last, at + AT_ONCE * self.workers)
        wanted = (1 - (self.workers - 1) * self.settling / self.gathering) / self.workers
        mine = stop - int((stop - at) * min(max(wanted, 0.0), 1.0))
        size = -(-(mine - at) // (self.workers - 1))
        others = [(first, min(first + size, mine)) for first in range(at, mine, max(size, 1))]
        return [(mine, stop), *others]

    def _gather(self, part: Any, first: int, last: int) -> int:
        began = time.thread_time()
        result = int(self.library.search_gather(self.held.at, part, ctypes.c_uint64(first), ctypes.c_uint64(last)))
        self.gathering += time.thread_time() - began
        return result

    def _settle(self, waiting: list[tuple[Any, int]]) -> int:
        began = time.thread_time()
        try:
            for part, stop in waiting:
                full = self.library.search_settle(self.held.at, part, ctypes.c_uint64(stop))
                if full != DONE:
                    return int(full)
            return DONE
        finally:
            self.settling += time.thread_time() - began
