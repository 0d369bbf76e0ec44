"""Answers kept between runs: what was asked before, of the same rules, in the same way, by the same program, is told again.

An answer's file is named by a hash of all that it hangs on: the text of the rules with what they include, the question, the
options, the number of players, how it was to be found; and of this program the content of every file, with the versions of
what it rests on. A file holds JSON behind a hash of it (`checkers/retold.py`). JSON and not pickle: reading it runs nothing,
and a play is not believed but taken again. The verdict itself is believed, so that only a folder is used where nobody else
may write. A file that cannot be used is as if it were not there; what cannot be written is not kept.

INVARIANT: an answer is never kept under the hash of a program that did not find it: files that have changed since this
program was started may be loaded in either form, and then nothing is kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import platform
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TypeVar

import tablelaw
from tablelaw.checkers.retold import data_of, definite, verdict_of
from tablelaw.solver.native.compiler import compiler, kept_in, ours
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.game import Game

OFF = "TABLELAW_NO_CACHE"
RESTS_ON = ("z3-solver", "numpy", "python-flint", "networkx", "PyYAML")
CODE = (".py", ".c", ".h", ".json")
MOST_BYTES = 256 << 20
LARGEST = 8 << 20
LONGEST_HALF = 3600.0
"""Seconds after which a file that somebody was writing is thrown away."""
SUFFIX = ".answer"
FORMAT = 1
Found = TypeVar("Found", bound=Verdict | None)


@dataclass(frozen=True, slots=True)
class Program:
    """This program as it lies on disk: a hash of it, and what tells whether it has changed."""

    digest: str
    files: tuple[tuple[str, int, int], ...]
    """Path, time of the last change, size."""

    def steady(self) -> bool:
        """Is what runs surely what was hashed?"""
        try:
            return all(_stamp(path) == (changed, size) for path, changed, size in self.files) and all(
                changed < tablelaw._BEGAN for _, changed, _ in self.files
            )
        except OSError:
            return False


@cache
def program() -> Program:
    """The hash of this program's own files and of the versions that it rests on."""
    whole = hashlib.sha256()
    files = []
    top = str(Path(tablelaw.__file__).parent)
    for path in _code(top):
        changed, size = _stamp(path)
        with open(path, "rb") as file:
            content = file.read()
        whole.update(f"{path[len(top) :]}\0{len(content)}\0".encode())
        whole.update(content)
        files.append((path, changed, size))
    for name in RESTS_ON:
        with contextlib.suppress(PackageNotFoundError):
            whole.update(f"{name} {version(name)}\0".encode())
    whole.update(f"{sys.version}\0{sys.platform}\0{platform.machine()}".encode())
    return Program(whole.hexdigest(), tuple(files))


def _code(top: str) -> Iterator[str]:
    for folder, below, names in os.walk(top, followlinks=True):
        below[:] = sorted(n for n in below if n != "__pycache__")
        yield from (os.path.join(folder, n) for n in sorted(names) if n.endswith(CODE))


def _stamp(path: str) -> tuple[int, int]:
    found = os.stat(path)
    return found.st_mtime_ns, found.st_size


def kept_answers() -> Kept | None:
    """The answers kept between runs; None where nothing may be kept (TABLELAW_NO_CACHE), or where others may write there."""
    if os.environ.get(OFF, "").lower() not in ("", "0", "no", "off"):
        return None
    try:
        folder = kept_in() / "answers"
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return Kept(folder) if ours(folder) and ours(folder.parent) else None
    except (OSError, RuntimeError):  # RuntimeError: there is no home
        return None


@dataclass(slots=True)
class Kept:
    """A folder of answers."""

    folder: Path
    told: int = 0
    """So many were told again."""
    _room: int | None = None

    def answer(self, about: dict[str, object], game: Game, work: Callable[[], Found]) -> Found | Verdict:
        """The answer kept about this, or else the one worked out, which is kept if it is definite."""
        path = self._path(about)
        found = self._read(path, game)
        if found is not None:
            self.told += 1
            return found
        answer = work()
        if answer is not None and definite(answer):
            self._write(path, answer, game)
        return answer

    def has(self, about: dict[str, object]) -> bool:
        """Is an answer about this kept, as far as a look at the names of files tells?"""
        return self._path(about).exists()

    def _path(self, about: dict[str, object]) -> Path:
        native = compiler() is not None
        whole = json.dumps([FORMAT, program().digest, native, about], sort_keys=True, ensure_ascii=False)
        return self.folder / (hashlib.sha256(whole.encode("utf-8", "surrogatepass")).hexdigest()[:40] + SUFFIX)

    def _read(self, path: Path, game: Game) -> Verdict | None:
        try:
            content = path.read_bytes()
            digest, packed = content[:32], content[32:]
            if hashlib.sha256(packed).digest() != digest:
                return None
            found = verdict_of(json.loads(zlib.decompress(packed)), game)
        except (OSError, ValueError, zlib.error):
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # those told last are thrown away last
        return found

    def _write(self, path: Path, answer: Verdict, game: Game) -> None:
        found = data_of(answer, game)
        if found is None:
            return
        packed = zlib.compress(json.dumps(found, ensure_ascii=True).encode(), 1)
        if len(packed) > LARGEST or not program().steady():
            return
        with contextlib.suppress(OSError):
            self._make_room(len(packed) + 32)
            handle, half = tempfile.mkstemp(suffix=".part", dir=self.folder)
            try:
                with open(handle, "wb") as file:
                    file.write(hashlib.sha256(packed).digest() + packed)
                os.replace(half, path)
            finally:
                Path(half).unlink(missing_ok=True)

    def _make_room(self, size: int) -> None:
        """Throw away the answers told longest ago where they take too much room; looked at once in a run, then reckoned."""
        if self._room is None or self._room < size:
            rows, now = [], time.time()
            for entry in os.scandir(self.folder):
                with contextlib.suppress(OSError):
                    found = entry.stat()
                    if entry.name.endswith(SUFFIX):
                        rows.append((found.st_mtime_ns, found.st_size, entry.path))
                    elif entry.name.endswith(".part") and found.st_mtime < now - LONGEST_HALF:
                        os.unlink(entry.path)
            taken = sum(row[1] for row in rows)
            for _, freed, name in sorted(rows) if taken + size > MOST_BYTES else ():
                with contextlib.suppress(OSError):
                    os.unlink(name)
                    taken -= freed
                if taken + size <= MOST_BYTES * 3 // 4:
                    break
            self._room = MOST_BYTES - taken
        self._room -= size
