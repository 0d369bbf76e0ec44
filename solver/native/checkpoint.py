"""A search written to disk while it runs, so that a run that was killed is gone on with.

In a folder of its own for each model lie `states`, `parents`, `stuck` and `faulty`, to which a save only appends, and
`at.json`, which tells how much of each holds. It is put in place last and at once: whenever the run is killed, what it
tells is whole.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from tablelaw import __version__
from tablelaw.solver.ir import Model
from tablelaw.solver.space.generate import successor_source

if TYPE_CHECKING:
    from tablelaw.solver.native.space import NativeSpace

EVERY = 10.0
SHARE = 10
"""A save waits for so many seconds, and for so many times what the last one took."""
CHUNK = 1 << 20
FILES = ("states", "parents", "stuck", "faulty")


class InUse(Exception):
    """Another run writes here."""


class Checkpoint:
    """What one search keeps on disk."""

    def __init__(self, folder: Path, model: Model) -> None:
        """Raises `InUse` and `OSError`."""
        told = "\n".join([__version__, successor_source(model), repr(model.starts), repr([(s.lo, s.hi) for s in model.slots])])
        self.folder = folder / hashlib.sha256(told.encode()).hexdigest()[:24]
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = _locked(self.folder / "lock")
        self.saved = dict.fromkeys(FILES, 0)
        self.last = time.monotonic()
        self.pause = EVERY

    def __del__(self) -> None:
        if hasattr(self, "_lock"):
            self._lock.close()

    def restore(self, space: NativeSpace) -> None:
        """Put what was kept into a space that has its starts alone; what is not whole is not used.

        Raises `MemoryError`, and `ValueError` (with half of it in the space) where what was kept is spoiled.
        """
        try:
            at = json.loads((self.folder / "at.json").read_text(encoding="ascii"))
            counts = {name: int(at[name]) for name in FILES}
            expanded, steps = int(at["expanded"]), int(at["steps"])
        except (OSError, ValueError, KeyError, TypeError):
            return
        sizes = self._sizes(space)
        whole = all((self.folder / n).is_file() and (self.folder / n).stat().st_size >= counts[n] * sizes[n] for n in FILES)
        if not whole or not space.starts <= counts["states"] == counts["parents"] or not 0 <= expanded <= counts["states"]:
            return
        with (self.folder / "states").open("rb") as states, (self.folder / "parents").open("rb") as parents:
            kept = [int.from_bytes(states.read(sizes["states"]), "little") for _ in range(space.starts)]
            parents.seek(space.starts * 4)
            if kept != list(space.states):
                return
            for first in range(space.starts, counts["states"], CHUNK):
                n = min(CHUNK, counts["states"] - first)
                space.load(states.read(n * sizes["states"]), parents.read(n * 4), n)
        noted = [(self.folder / name).read_bytes()[: counts[name] * 4] for name in ("stuck", "faulty")]
        space.resume(expanded, steps, *noted)
        self.saved = counts

    def now_and_then(self, space: NativeSpace) -> None:
        """Save when it is time to."""
        if time.monotonic() - self.last >= self.pause:
            self.save(space)

    def save(self, space: NativeSpace) -> None:
        """Append what is new, and tell that it is there. Raises `OSError`."""
        began = time.monotonic()
        search, sizes = space.held.search, self._sizes(space)
        counts = {
            "states": int(search.count),
            "parents": int(search.count),
            "stuck": int(search.stuck_count),
            "faulty": int(search.faulty_count),
        }
        for name in FILES:
            pointer, first, last, size = getattr(search, name), self.saved[name], counts[name], sizes[name]
            path = self.folder / name
            with path.open("r+b" if path.exists() else "w+b") as file:
                file.seek(first * size)
                for k in range(first, last, CHUNK):
                    start = ctypes.addressof(pointer.contents) + k * size
                    file.write(ctypes.string_at(start, (min(k + CHUNK, last) - k) * size))
                _settled(file)
        half = self.folder / "at.json.part"
        with half.open("wb") as file:
            file.write(json.dumps({**counts, "expanded": int(search.expanded), "steps": int(search.steps)}).encode("ascii"))
            _settled(file)
        os.replace(half, self.folder / "at.json")
        self.saved = counts
        self.last = time.monotonic()
        self.pause = max(EVERY, SHARE * (self.last - began))

    def _sizes(self, space: NativeSpace) -> dict[str, int]:
        return {"states": 8 * space.held.words, "parents": 4, "stuck": 4, "faulty": 4}


def _settled(file: BinaryIO) -> None:
    file.flush()
    os.fsync(file.fileno())


def _locked(path: Path) -> BinaryIO:
    """A file that the system holds locked as long as this process lives."""
    file = path.open("a+b")
    lock: Callable[[], Any]
    if sys.platform == "win32":
        import msvcrt

        def lock() -> None:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

    else:
        import fcntl

        def lock() -> None:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    try:
        lock()
    except OSError:
        with suppress(OSError):
            file.close()
        raise InUse(str(path.parent)) from None
    return file
