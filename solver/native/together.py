"""Expanding on several processors: threads that take tasks of compiled code (`together.c`), this one among them.

States get the numbers that one processor would give them.
"""

from __future__ import annotations

import ctypes
import os
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress

from tablelaw.solver.native.held import Held

AT_ONCE = 32768
"""About so many successors are gathered before they are numbered: they fit into the caches of two processors."""


def processors() -> int:
    """How many this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


class Together:
    """A search with the threads that work at it."""

    def __init__(self, held: Held, library: ctypes.CDLL, workers: int) -> None:
        library.team_new.restype = ctypes.c_void_p
        self.held, self.library, self.workers = held, library, workers
        self.at = ctypes.c_void_p(self.library.team_new(held.at, workers, ctypes.c_uint64(AT_ONCE)))
        if not self.at:
            raise MemoryError
        self.pool = ThreadPoolExecutor(workers - 1, thread_name_prefix="search")

    def __del__(self) -> None:
        if hasattr(self, "pool"):
            self.library.team_dismiss(self.at, 1)
            with suppress(RuntimeError):  # one of the threads itself may collect this: then it is done
                self.pool.shutdown(wait=True)
            self.library.team_free(self.at)

    def expand(self, count: int, most: int) -> int:
        """Expand up to `count` states, as long as fewer than `most` are known and enough are waiting; how it ended."""
        helpers: list[Future[None]] = []
        self.library.team_dismiss(self.at, 0)
        try:
            for _ in range(self.workers - 1):
                helpers.append(self.pool.submit(self.library.team_help, self.at))
            return int(self.library.team_expand(self.at, ctypes.c_uint64(count), ctypes.c_uint64(most)))
        finally:
            self.library.team_dismiss(self.at, 1)
            wait(helpers)
