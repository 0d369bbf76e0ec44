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
from typing import TYPE_CHECKING, Any, BinaryIO, ClassVar

from tablelaw import __version__
from tablelaw.solver.ir import Model
from tablelaw.solver.space.generate import successor_source
from tablelaw.solver.space.graph import Budget

if TYPE_CHECKING:
    from tablelaw.solver.native.space import NativeSpace

EVERY = 10.0
SHARE = 10
"""A save waits for so many seconds, and for so many times what the last one took."""
CHUNK = 1 << 20
FILES = ("states", "parents", "stuck", "faulty")


class InUse(Exception):
    """Another run writes here; `ours`: another search of this one."""

    def __init__(self, ours: bool) -> None:
        super().__init__()
        self.ours = ours


class Checkpoint:
    """What one search keeps on disk."""

    _open: ClassVar[set[Path]] = set()
    """The folders that this process writes to."""
    _whole: ClassVar[set[Path]] = set()
    """Those that a search can be gone on with from."""

    def __init__(self, folder: Path, model: Model) -> None:
        """Raises `InUse` and `OSError`."""
        told = "\n".join([__version__, successor_source(model), repr(model.starts), repr([(s.lo, s.hi) for s in model.slots])])
        self.folder = (folder / hashlib.sha256(told.encode()).hexdigest()[:24]).absolute()
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.folder in self._open:
            raise InUse(ours=True)
        self._lock = _locked(self.folder / "lock")
        self._open.add(self.folder)
        self.last = time.monotonic()
        self.pause = EVERY
        self._begin()

    def _begin(self) -> None:
        self.saved = dict.fromkeys((*FILES, "expanded", "steps"), 0)
        self._hashes = {name: hashlib.blake2b() for name in FILES}

    def __del__(self) -> None:
        if hasattr(self, "_lock"):
            self._lock.close()
            self._open.discard(self.folder)

    def restore(self, space: NativeSpace, budget: Budget) -> None:
        """Put what was kept into a space that has its starts alone; what is not whole is not used.

        Raises `MemoryError`, and `ValueError` (perhaps with half of it in the space) where what was kept is spoiled.
        """
        try:
            text = (self.folder / "at.json").read_text(encoding="ascii")
        except OSError:
            return
        try:
            self._restore(space, budget, text)
        except (ValueError, KeyError, TypeError, OSError) as why:
            (self.folder / "at.json").unlink(missing_ok=True)  # before its files are written over
            self._begin()
            raise ValueError("what was kept is not whole") from why

    def _restore(self, space: NativeSpace, budget: Budget, text: str) -> None:
        at, _, digest = text.rpartition("\n")
        if hashlib.sha256(at.encode()).hexdigest() != digest:
            raise ValueError
        told = json.loads(at)
        counts = {name: int(told[name]) for name in self.saved}
        sizes = self._sizes(space)
        first, in_memory = space.starts, True
        with (self.folder / "states").open("rb") as states, (self.folder / "parents").open("rb") as parents:
            kept = states.read(first * sizes["states"])
            if kept != b"".join(s.to_bytes(sizes["states"], "little") for s in space.states):
                raise ValueError
            self._hashes["states"].update(kept)
            self._hashes["parents"].update(parents.read(first * sizes["parents"]))
            for k in range(first, counts["states"], CHUNK):
                n = min(CHUNK, counts["states"] - k)
                more = states.read(n * sizes["states"]), parents.read(n * sizes["parents"])
                self._hashes["states"].update(more[0])
                self._hashes["parents"].update(more[1])
                if len(more[0]) != n * sizes["states"] or len(more[1]) != n * sizes["parents"]:
                    raise ValueError
                in_memory = in_memory and self._loaded(space, budget, more, n)
        noted = [(self.folder / name).read_bytes()[: counts[name] * sizes[name]] for name in ("stuck", "faulty")]
        for name, content in zip(("stuck", "faulty"), noted, strict=True):
            self._hashes[name].update(content)
        if any(self._hashes[name].hexdigest() != told["hashes"][name] for name in FILES):
            raise ValueError
        self._whole.add(self.folder)
        if in_memory:
            space.resume(counts["expanded"], counts["steps"], *noted)
        else:
            space.resume_on_disk(counts, budget)
        self.saved = counts

    def _loaded(self, space: NativeSpace, budget: Budget, more: tuple[bytes, bytes], n: int) -> bool:
        """Put states into memory; where that does not hold them and a disk may, nothing is left there."""
        try:
            space.load(*more, n)
        except MemoryError:
            if not space.can_spill(budget):
                raise
            space.begin()
            return False
        return True

    @classmethod
    def holds(cls, folder: Path) -> bool:
        """Does a search of this process lie in the folder?"""
        return any(kept.parent == folder.absolute() for kept in cls._whole)

    @property
    def due(self) -> bool:
        """Is it time to save?"""
        return time.monotonic() - self.last >= self.pause

    def save(self, space: NativeSpace) -> None:
        """Append what is new, and tell that it is there. Raises `OSError`."""
        began = time.monotonic()
        sizes, counts = self._sizes(space), space.counts()
        if counts == self.saved:
            return
        hashes = {name: self._hashes[name].copy() for name in FILES}
        for name in FILES:
            first, last, size = self.saved[name], counts[name], sizes[name]
            path = self.folder / name
            with path.open("r+b" if path.exists() else "w+b") as file:
                file.seek(first * size)
                for k in range(first, last, CHUNK):
                    n = min(CHUNK, last - k)
                    if space.spilled is None:
                        start = ctypes.addressof(getattr(space.held.search, name).contents) + k * size
                        content = ctypes.string_at(start, n * size)
                        file.write(content)
                    else:  # it lies there already
                        content = file.read(n * size)
                    hashes[name].update(content)
                _settled(file)
        at = json.dumps({**counts, "hashes": {name: h.hexdigest() for name, h in hashes.items()}})
        half = self.folder / "at.json.part"
        with half.open("wb") as file:
            file.write(f"{at}\n{hashlib.sha256(at.encode()).hexdigest()}".encode("ascii"))
            _settled(file)
        os.replace(half, self.folder / "at.json")
        self.saved, self._hashes = counts, hashes
        self._whole.add(self.folder)
        self.last = time.monotonic()
        self.pause = max(EVERY, SHARE * (self.last - began))

    def _sizes(self, space: NativeSpace) -> dict[str, int]:
        return {"states": 8 * space.words, "parents": 4, "stuck": 4, "faulty": 4}


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
        raise InUse(ours=False) from None
    return file
