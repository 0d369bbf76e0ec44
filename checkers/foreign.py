"""Another program of a game, spoken to in lines of JSON; whatever it does, it is waited for no longer than agreed."""

from __future__ import annotations

import contextlib
import json
import math
import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

SECONDS, LAST_SECONDS = 10.0, 2.0
"""For one answer; for going away after `quit`."""
LONGEST = 1 << 20
"""Bytes of one answer at most."""
KEPT = 2_000
"""Characters of its standard error that are kept."""
Answer = dict[str, Any]


class Trouble(Exception):
    """The program did not answer as agreed. `kind` is mute, crash, garbage, long, unasked, error or lingers."""

    def __init__(self, kind: str, says: str) -> None:
        super().__init__(says)
        self.kind, self.says = kind, says


class OutOfTime(Exception):
    """The time for everything is over; nothing more is asked."""


class CannotStart(Exception):
    """There is no such program, or it may not be run."""


@dataclass(slots=True)
class Foreign:
    """One running program; begun again after trouble. A context manager: nothing of it is left running."""

    command: Sequence[str]
    seconds: float = SECONDS
    until: float = math.inf
    """When the time for all requests is over, by the monotonic clock."""
    asked: int = 0
    """How many requests it was sent."""
    tail: str = ""
    """The end of what it last wrote to standard error."""
    _process: subprocess.Popen[bytes] | None = None
    _held: bytes = b""
    _closed: bool = False
    """Is its standard output at an end?"""
    _selector: selectors.BaseSelector | None = None
    _errors: bytes = field(default=b"", repr=False)

    def __enter__(self) -> Foreign:
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, at: TracebackType | None) -> None:
        self.kill()

    @property
    def running(self) -> bool:
        """Has it been started and not been done away with?"""
        return self._process is not None

    # starting and ending

    def start(self) -> None:
        """Run the command, as the head of a process group of its own. Raises `CannotStart`."""
        try:
            process = subprocess.Popen(
                list(self.command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as fault:
            raise CannotStart(getattr(fault, "strerror", None) or str(fault)) from None
        self._process, self._held, self._errors, self._closed = process, b"", b"", False
        self._selector = selectors.DefaultSelector()
        for stream in (process.stdin, process.stdout, process.stderr):
            assert stream is not None
            os.set_blocking(stream.fileno(), False)
        self._selector.register(process.stdout, selectors.EVENT_READ, "answer")  # type: ignore[arg-type]
        self._selector.register(process.stderr, selectors.EVENT_READ, "error")  # type: ignore[arg-type]

    def kill(self) -> None:
        """End it, with all that it has started in its process group."""
        process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(LAST_SECONDS)
        self.tail = self._errors.decode("utf-8", "backslashreplace")[-KEPT:].strip()
        if self._selector is not None:
            self._selector.close()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def quit(self) -> None:
        """Ask it to go, and see that it does. Raises `Trouble` where it stays; it is killed then."""
        process = self._process
        if process is None:
            return
        try:
            self._send({"do": "quit"}, time.monotonic() + LAST_SECONDS)
            with contextlib.suppress(OSError):
                process.stdin.close()  # type: ignore[union-attr]
            until = time.monotonic() + LAST_SECONDS
            while process.poll() is None:
                if time.monotonic() > until:
                    raise Trouble("lingers", f"it still runs {LAST_SECONDS:g} s after `quit`")
                self._wait(0.05)
                self._held = b""
        finally:
            self.kill()

    # asking

    def ask(self, request: Answer) -> Answer:
        """The answer to a request. Raises `Trouble`, after which the program is no longer running, and `OutOfTime`."""
        most = time.monotonic() + self.seconds
        until = min(most, self.until)
        if time.monotonic() >= self.until:
            raise OutOfTime
        if self._process is None:
            self.start()
        self.asked += 1
        try:
            self._wait(0.0)
            if self._held:
                raise Trouble("unasked", f"it says {_shown(self._held)} without being asked")
            self._send(request, until)
            return self._read(self._line(until, str(request.get("do"))))
        except Trouble as trouble:
            self.kill()
            if trouble.kind == "mute" and self.until < most:  # it might have answered in time
                raise OutOfTime from None
            raise

    def _send(self, request: Answer, until: float) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        rest = memoryview((json.dumps(request, ensure_ascii=False) + "\n").encode())
        while rest:
            try:
                rest = rest[os.write(self._process.stdin.fileno(), rest) :]
            except BlockingIOError:
                if len(self._held) > LONGEST:
                    raise Trouble("unasked", f"it says {_shown(self._held)} and more without being asked") from None
                if time.monotonic() > until:
                    raise Trouble("mute", "it does not read what it is asked") from None
                self._wait(0.02)
            except OSError:
                raise self._gone() from None

    def _line(self, until: float, what: str) -> bytes:
        """The next line of its standard output."""
        while b"\n" not in self._held:
            if len(self._held) > LONGEST:
                raise Trouble("long", f"its answer to `{what}` has more than {LONGEST:,} bytes and no end of line")
            left = until - time.monotonic()
            if left <= 0:
                raise self._mute(what)
            self._wait(min(left, 0.5))
            if self._closed and b"\n" not in self._held:
                raise self._gone()
        line, _, self._held = self._held.partition(b"\n")
        if len(line) > LONGEST:
            raise Trouble("long", f"its answer to `{what}` has {len(line):,} bytes; at most {LONGEST:,} are read")
        return line

    def _mute(self, what: str) -> Trouble:
        """It did not answer in time; or it has ended, and what it has started still holds its standard output."""
        assert self._process is not None
        rest = f"; it has begun {_shown(self._held)}" if self._held else ""
        status = self._process.poll()
        if status is not None:
            holds = "something that it started holds its standard output"
            return Trouble("crash", f"it ended {_how(status)} without an answer to `{what}`; {holds}{rest}")
        return Trouble("mute", f"no answer to `{what}` within {self.seconds:g} s{rest}")

    def _wait(self, seconds: float) -> None:
        """Take in what it writes."""
        assert self._selector is not None
        for key, _ in self._selector.select(seconds):
            try:
                found = os.read(key.fd, 1 << 16)
            except BlockingIOError:
                continue
            if not found:
                self._selector.unregister(key.fileobj)
                self._closed = self._closed or key.data == "answer"
            elif key.data == "answer":
                self._held += found
            else:
                self._errors = (self._errors + found)[-4 * KEPT :]

    def _gone(self) -> Trouble:
        assert self._process is not None
        begun = f" in the middle of {_shown(self._held)}" if self._held else ""
        try:
            status = self._process.wait(LAST_SECONDS)
        except subprocess.TimeoutExpired:
            return Trouble("crash", f"it closed its standard output{begun} and runs on")
        with contextlib.suppress(OSError):
            while self._selector is not None and len(self._selector.get_map()):
                self._wait(0.05)
                if not self._selector.select(0):
                    break
        return Trouble("crash", f"it ended {_how(status)}{begun}" + (" without an answer" if not begun else ""))

    def _read(self, line: bytes) -> Answer:
        try:
            found = json.loads(line.decode("utf-8"))
        except (UnicodeDecodeError, ValueError, RecursionError):
            raise Trouble("garbage", f"{_shown(line)} is no JSON") from None
        if b"\\ud" in line.lower() and not _is_text(found):
            raise Trouble("garbage", f"{_shown(line)} has half a character in it, which no text can hold")
        if not isinstance(found, dict):
            raise Trouble("garbage", f"{_shown(line)} is no JSON object")
        if "error" in found:
            raise Trouble("error", f"it says that it cannot: {str(found['error'])[:300]}")
        return found


def _how(status: int) -> str:
    return f"by signal {signal.Signals(-status).name}" if status < 0 else f"with exit status {status}"


def _is_text(found: object) -> bool:
    """Can it be written? Not where one half of a pair of surrogates stands alone."""
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _shown(said: bytes) -> str:
    """The beginning of what it said, on one line."""
    text = said[:120].decode("utf-8", "backslashreplace").strip("\n")
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return f"`{text[:80]}{'…' if len(text) > 80 or len(said) > 120 else ''}`"
