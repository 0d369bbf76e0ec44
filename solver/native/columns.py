"""Lists of whole numbers in files, read and written by block, within a bound of disk."""

from __future__ import annotations

import ctypes
import os
import shutil
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

from tablelaw.solver.native.held import NO_PARENT, Listed
from tablelaw.solver.space.graph import OutOfBudget

PIECE = 16 << 20
"""So many bytes are written at a time."""


class Disk:
    """A folder, and what may be written there: so many mebibytes, or (0) half of what is free now."""

    def __init__(self, folder: Path, mebibytes: int) -> None:
        """Raises `OutOfBudget`."""
        self.folder, self.told = folder, mebibytes
        self.used = 0
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self.most = mebibytes << 20 if mebibytes else shutil.disk_usage(folder).free // 2
        except OSError as why:
            raise self.fault(why) from None

    def fault(self, why: OSError) -> OutOfBudget:
        """What the system says of the folder."""
        return OutOfBudget(f"the memory is used up, and {self.folder} cannot be used: {why.strerror}")

    def column(self, size: int, path: Path | None = None) -> Column:
        """A file of items of so many bytes: that one, or one without a name, which is gone however this process ends."""
        try:
            if path is not None:
                return Column(self, path.open("r+b", buffering=0), size)
            return Column(self, TemporaryFile(dir=self.folder, buffering=0), size)
        except OSError as why:
            raise self.fault(why) from None


class Column:
    """Items of `size` bytes in a file."""

    def __init__(self, disk: Disk, file: IO[bytes], size: int) -> None:
        self.disk, self.size = disk, size
        self._file = file
        self.number = file.fileno()
        self._end = os.fstat(self.number).st_size
        disk.used += self._end

    def __del__(self) -> None:
        self._file.close()
        self.disk.used -= self._end

    def write(self, at: int, address: int, n: int) -> None:
        """Items from memory, from item `at` on. Raises `OutOfBudget` and leaves undone what has no room."""
        first, last = at * self.size, (at + n) * self.size
        if self.disk.used + last - self._end > self.disk.most:
            half = "" if self.disk.told else f", half of what was free in {self.disk.folder}"
            raise OutOfBudget(f"the memory is used up, and so is the disk of {self.disk.most >> 20:,} MiB{half}")
        held = memoryview((ctypes.c_char * (last - first)).from_address(address)) if n else memoryview(b"")
        try:
            done = 0
            while done < len(held):
                done += os.pwrite(self.number, held[done : done + PIECE], first + done)
                self._reached(first + done)
        except OSError as why:
            raise self.disk.fault(why) from None

    def _reached(self, end: int) -> None:
        if end > self._end:
            self.disk.used += end - self._end
            self._end = end

    def cut(self, n: int) -> None:
        """Nothing after so many items."""
        os.ftruncate(self.number, n * self.size)
        self.disk.used -= self._end - n * self.size
        self._end = n * self.size

    def read(self, first: int, last: int) -> bytes:
        """Items as they lie there."""
        wanted, parts = max(0, last - first) * self.size, list[bytes]()
        while wanted:
            part = os.pread(self.number, min(wanted, PIECE), last * self.size - wanted)
            if not part:
                raise OutOfBudget(f"a file of {self.disk.folder} was cut short")
            parts.append(part)
            wanted -= len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def read_into(self, first: int, n: int, buffer: Any) -> None:
        """Items into a buffer of memory."""
        held, done = memoryview(buffer).cast("B")[: n * self.size], 0
        while done < len(held):
            got = os.preadv(self.number, [held[done:]], first * self.size + done)
            if not got:
                raise OutOfBudget(f"a file of {self.disk.folder} was cut short")
            done += got


class Kept(Listed):
    """The first items of a column, as a list."""

    def __init__(self, column: Column, length: int, none: int = -1) -> None:
        self.column, self.length, self.none = column, length, none

    def __len__(self) -> int:
        return self.length

    def part(self, first: int, last: int) -> list[int]:
        text, size = self.column.read(first, last), self.column.size
        if size in (4, 8):
            found = memoryview(text).cast("I" if size == 4 else "Q").tolist()
            return [-1 if p == self.none else p for p in found] if self.none >= 0 else found
        return [int.from_bytes(text[k : k + size], "little") for k in range(0, len(text), size)]


def parents_of(column: Column, length: int) -> Kept:
    """The states that states were met from, as a list."""
    return Kept(column, length, NO_PARENT)
