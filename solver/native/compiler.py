"""C to a loaded library: a compiler, at work in the background where that is begun ahead, and what it has made, by content.

Without a compiler, or with TABLELAW_NATIVE=off, nothing is compiled and the search runs in Python.
"""

from __future__ import annotations

import atexit
import ctypes
import hashlib
import importlib.util
import os
import platform
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from tablelaw.solver.space.graph import Budget, OutOfBudget

FLAGS = (
    "-O1",
    "-ftree-pre",
    "-shared",
    *(() if sys.platform == "win32" else ("-fPIC",)),
    "-fvisibility=hidden",
    "-w",
    "-x",
    "c",
)
"""As quick a search as -O2 gives, compiled in little more than half the time."""
ZIG = "ziglang"
"""A package of Python with a C compiler in it."""
SUFFIX = {"win32": ".dll", "darwin": ".dylib"}.get(sys.platform, ".so")
MOST_BYTES = 128 << 20
"""So much compiled code is kept."""
LONG = 400_000
"""Source of more characters is compiled with less effort: functions of that length cost the optimiser minutes."""
OLD = 3600.0
"""What a killed run left half written is thrown away after so many seconds."""
PATIENCE, HANGS = 120.0, 10.0
"""The compiler is waited for half of the time that is left, and at most for so many seconds; one that is not done after
so many is not asked again."""
MARK = """
#if defined(_WIN32)
__declspec(dllexport)
#else
__attribute__((visibility("default")))
#endif
const char tablelaw_made_of[] = "{}";
"""
"""Tells compiled code of one source from any other."""


class NoCompiler(Exception):
    """Nothing can be compiled here; says why."""


@cache
def compiler() -> tuple[str, ...] | None:
    """The command of the C compiler, or None: the system's, or that of the package `ziglang`."""
    if os.environ.get("TABLELAW_NATIVE", "").lower() in ("off", "0", "no") or ctypes.sizeof(ctypes.c_void_p) < 8:
        return None
    wanted = os.environ.get("CC", "").strip()
    for words in [_words(wanted)] if wanted else [["cc"], ["gcc"], ["clang"]]:
        found = shutil.which(words[0]) if words else None
        if found:
            return (found, *words[1:])
    if wanted or importlib.util.find_spec(ZIG) is None:
        return None
    return sys.executable, "-m", ZIG, "cc", "-fno-sanitize=undefined"


def why_none() -> str:
    """Why there is no compiler, and the cure."""
    if os.environ.get("TABLELAW_NATIVE", "").lower() in ("off", "0", "no"):
        return "`TABLELAW_NATIVE` is off"
    if ctypes.sizeof(ctypes.c_void_p) < 8:
        return "this Python is one of 32 bits"
    wanted = os.environ.get("CC", "").strip()
    there = f"there is no compiler `{wanted}`, which the variable `CC` names" if wanted else "there is no C compiler"
    return f"{there} (`pip install 'tablelaw[compiler]'` brings one along{', without `CC`' if wanted else ''})"


def _words(command: str) -> list[str]:
    """A command with arguments, or one with spaces in its name."""
    if shutil.which(command):
        return [command]
    with suppress(ValueError):  # a quote that is not closed
        return shlex.split(command, posix=sys.platform != "win32")
    return []


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


class Compiling:
    """A compiler at work, in a folder of its own that is gone with all that it leaves there, whenever it is ended.

    What it has made is put in place when it is whole, under a name that tells its content.
    """

    def __init__(self, command: Sequence[str], source: str, folder: Path, name: str) -> None:
        """Raises `NoCompiler`, `OSError`."""
        self.command, self.folder, self.name = tuple(command), folder, name
        self.process: subprocess.Popen[bytes] | None = None
        self.began = time.monotonic()
        self.beside = Path(tempfile.mkdtemp(suffix=".part", dir=folder)).absolute()
        self.told = tempfile.TemporaryFile(dir=self.beside)  # noqa: SIM115 - closed by `stop`
        own = dict.fromkeys(("TMPDIR", "TMP", "TEMP"), str(self.beside))
        try:
            with tempfile.TemporaryFile(dir=self.beside) as text:
                text.write((source + MARK.format(name)).encode())
                text.seek(0)
                self.process = subprocess.Popen(
                    [*command, "-o", str(self.beside / "made"), "-"],
                    stdin=text, stdout=subprocess.DEVNULL, stderr=self.told, env={**os.environ, **own}, **_GROUP,
                )  # fmt: skip
        except OSError as why:
            raise NoCompiler(f"the C compiler cannot be run: {why}") from None
        finally:
            if self.process is None:
                self.stop()

    def finish(self, budget: Budget) -> Path:
        """What was made. Raises `NoCompiler`, `OutOfBudget`, `OSError`."""
        if budget.tell and self.at_work:
            budget.tell("the search is being compiled")
        try:
            left = budget.left()
            if left <= 0:
                raise OutOfBudget(f"the time of {budget.seconds:g} s is over")
            failed = self.process.wait(min(left / 2, PATIENCE)) if self.process is not None else 1
            made = self.beside / "made"
            if failed or not made.exists():
                self.told.seek(0)
                raise NoCompiler(f"the C compiler failed: {self.told.read().decode(errors='replace').strip()[:500]}")
            self.process = None
            found = self.folder / f"{self.name}-{_sum(made)}{SUFFIX}"
            os.replace(made, found)
            _make_room(self.folder)
            return found
        except subprocess.TimeoutExpired:
            seconds = time.monotonic() - self.began
            if seconds > HANGS:
                _hung.add(self.command)
            raise NoCompiler(f"the C compiler was not done after {seconds:.0f} s") from None
        finally:
            self.stop()

    @property
    def at_work(self) -> bool:
        """Is it not done yet?"""
        return self.process is not None and self.process.poll() is None

    def stop(self) -> None:
        """End it, if it is not done; nothing is left of it."""
        if self.at_work and self.process is not None:
            with suppress(OSError):
                os.killpg(self.process.pid, signal.SIGKILL) if _GROUP else self.process.kill()
            self.process.wait()
        self.process = None
        self.told.close()
        shutil.rmtree(self.beside, ignore_errors=True)


_hung: set[tuple[str, ...]] = set()
_GROUP: dict[str, Any] = {} if sys.platform == "win32" else {"process_group": 0}
_at_work: dict[str, Compiling] = {}


def begin(source: str) -> str:
    """Compile in the background what `library` will be asked for; `stop` takes what this gives."""
    named = _named(source)
    if named is None:
        return ""
    command, name = named
    try:
        folder = _folder()
        if name not in _at_work and _whole(folder, name) is None:
            _at_work[name] = Compiling(command, source, folder, name)
    except (OSError, RuntimeError, NoCompiler):
        return ""  # `library` will tell
    return name


def stop(name: str) -> None:
    """Nobody waits for this any more."""
    found = _at_work.pop(name, None)
    if found is not None:
        found.stop()


@atexit.register
def _stop_all() -> None:
    for name in list(_at_work):
        stop(name)


def ready(name: str) -> bool:
    """Is what was begun done, however it ended?"""
    return not name or name not in _at_work or not _at_work[name].at_work


def kept(source: str) -> bool:
    """Was this compiled before?"""
    named = _named(source)
    try:
        return named is not None and _whole(_folder(), named[1]) is not None
    except (OSError, RuntimeError):
        return False


def library(source: str, budget: Budget) -> ctypes.CDLL:
    """The source compiled and loaded. Raises `NoCompiler`, `OutOfBudget`."""
    named = _named(source)
    if named is None:
        raise NoCompiler("there is no C compiler")
    command, name = named
    try:
        begun = _at_work.pop(name, None)
        folder = _folder()
        found = _whole(folder, name) if begun is None else None
        if found is not None:
            os.utime(found)  # what was used last is thrown away last
            return _loaded(found, name)
        return _loaded((begun or Compiling(command, source, folder, name)).finish(budget), name)
    except (OSError, RuntimeError):  # a folder that cannot be used, or none: compile into one that is thrown away
        try:
            with tempfile.TemporaryDirectory(prefix="tablelaw-", ignore_cleanup_errors=True) as temporary:
                return _loaded(Compiling(command, source, Path(temporary), name).finish(budget), name)
        except OSError as why:
            raise NoCompiler(f"what was compiled cannot be used: {why}") from None


def _loaded(path: Path, name: str) -> ctypes.CDLL:
    """A library, if it was made of that source. Raises `NoCompiler`, `OSError`."""
    found = ctypes.CDLL(str(path))
    try:
        mark = (ctypes.c_char * (len(name) + 1)).in_dll(found, "tablelaw_made_of").value
    except ValueError:
        mark = b""
    if mark != name.encode():
        raise NoCompiler("the C compiler made something else")
    return found


def _whole(folder: Path, name: str) -> Path | None:
    """What was compiled of a source, if it is whole: a library that was cut short would end this process. Raises `OSError`."""
    for path in folder.glob(f"{name}-*{SUFFIX}"):
        if path.stem.endswith(_sum(path)):
            return path
        path.unlink(missing_ok=True)
    return None


def _sum(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()[:32]


def _named(source: str) -> tuple[tuple[str, ...], str] | None:
    """The command, and with what the name begins under which its result is kept."""
    command = compiler()
    if command is None:
        return None
    less = len(source) >= LONG or ZIG in command  # which knows no such flag
    flags = tuple(f for f in FLAGS if f != "-ftree-pre") if less else FLAGS
    if (*command, *flags) in _hung:
        return None
    told = "\n".join([*command, *flags, platform.machine(), sys.platform, source])
    return (*command, *flags), hashlib.sha256(told.encode()).hexdigest()[:32]


def _folder() -> Path:
    """Where compiled code is kept. Raises `OSError` where it cannot be, `RuntimeError` where there is no such folder."""
    folder = kept_in()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not ours(folder):
        raise OSError
    return folder


def _make_room(folder: Path) -> None:
    """Throw away what was used longest ago, where there is too much, and what was never finished."""
    rows = sorted((p.stat().st_mtime, p.stat().st_size, p) for p in folder.glob(f"*{SUFFIX}"))
    taken = sum(size for _, size, _ in rows)
    for _, size, path in rows[:-1]:
        if taken <= MOST_BYTES:
            break
        path.unlink(missing_ok=True)
        taken -= size
    for path in folder.glob("*.part"):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime > OLD:
                shutil.rmtree(path) if path.is_dir() else path.unlink()


def ours(folder: Path) -> bool:
    """May nobody else write here? What lies here is run."""
    if sys.platform == "win32":
        return True
    found = folder.stat()
    return found.st_uid == os.getuid() and not found.st_mode & 0o022
