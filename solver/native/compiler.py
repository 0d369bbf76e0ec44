"""C to a loaded library: the system's compiler, and a folder of what it has made, by content.

Without a compiler, or with TABLELAW_NATIVE=off, nothing is compiled and the search runs in Python.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

from tablelaw.solver.space.graph import Budget, OutOfBudget

FLAGS = ("-O1", "-ftree-pre", "-shared", "-fPIC", "-fvisibility=hidden", "-w", "-x", "c")
"""As quick a search as -O2 gives, compiled in little more than half the time."""
MOST_BYTES = 128 << 20
"""So much compiled code is kept."""
LONG = 400_000
"""Source of more characters is compiled with less effort: functions of that length cost the optimiser minutes."""


class NoCompiler(Exception):
    """Nothing can be compiled here; says why."""


@cache
def compiler() -> tuple[str, ...] | None:
    """The command of the C compiler, or None."""
    if os.environ.get("TABLELAW_NATIVE", "").lower() in ("off", "0", "no") or ctypes.sizeof(ctypes.c_void_p) < 8:
        return None
    wanted = os.environ.get("CC")
    for name in [wanted] if wanted else ["cc", "gcc", "clang"]:
        found = shutil.which(name)
        if found:
            return (found,)
    return None


def kept_in() -> Path:
    """The folder where compiled code is kept between runs (TABLELAW_CACHE names another)."""
    named = os.environ.get("TABLELAW_CACHE")
    if named:
        return Path(named)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local")) / "tablelaw" / "Cache"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "tablelaw"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tablelaw"


def library(source: str, budget: Budget) -> ctypes.CDLL:
    """The source compiled and loaded. Raises `NoCompiler`, `OutOfBudget`."""
    command = compiler()
    if command is None:
        raise NoCompiler("there is no C compiler")
    flags = FLAGS if len(source) < LONG else ("-O1", *FLAGS[2:])
    told = "\n".join([*command, *flags, platform.machine(), sys.platform, source])
    name = hashlib.sha256(told.encode()).hexdigest()[:32] + ".so"
    try:
        folder = kept_in()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not ours(folder):
            raise OSError
        if (folder / name).exists():
            os.utime(folder / name)  # what was used last is thrown away last
        else:
            _compile(command, flags, source, folder, name, budget)
            _make_room(folder)
        return ctypes.CDLL(str(folder / name))
    except (OSError, RuntimeError):  # a folder that cannot be used, or none: compile into one that is thrown away
        try:
            with tempfile.TemporaryDirectory(prefix="tablelaw-", ignore_cleanup_errors=True) as temporary:
                _compile(command, flags, source, Path(temporary), name, budget)
                return ctypes.CDLL(str(Path(temporary) / name))
        except OSError as why:
            raise NoCompiler(f"what was compiled cannot be used: {why}") from None


def _make_room(folder: Path) -> None:
    """Throw away what was used longest ago, where there is too much."""
    rows = sorted((p.stat().st_mtime, p.stat().st_size, p) for p in folder.glob("*.so"))
    taken = sum(size for _, size, _ in rows)
    for _, size, path in rows[:-1]:
        if taken <= MOST_BYTES:
            break
        path.unlink(missing_ok=True)
        taken -= size


def ours(folder: Path) -> bool:
    """May nobody else write here? What lies here is run."""
    if sys.platform == "win32":
        return True
    found = folder.stat()
    return found.st_uid == os.getuid() and not found.st_mode & 0o022


def _compile(command: tuple[str, ...], flags: tuple[str, ...], source: str, folder: Path, name: str, budget: Budget) -> None:
    """Written under another name first: two runs at once do not see each other's half."""
    handle, half = tempfile.mkstemp(suffix=".part", dir=folder)
    os.close(handle)
    seconds = budget.left()
    try:
        made = subprocess.run(
            [*command, *flags, "-o", half, "-"],
            input=source,
            text=True,
            capture_output=True,
            timeout=None if seconds == float("inf") else max(seconds, 0.01),
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as why:
        Path(half).unlink(missing_ok=True)
        if isinstance(why, OSError):
            raise NoCompiler(f"the C compiler cannot be run: {why}") from None
        raise OutOfBudget(f"the time of {budget.seconds:g} s is over") from None
    try:
        if made.returncode:
            raise NoCompiler(f"the C compiler failed: {made.stderr.strip()[:500]}")
        os.replace(half, folder / name)
    finally:
        Path(half).unlink(missing_ok=True)
