"""A time, and a bound of memory, that are kept even while one formula is reckoned: what has gone on far too long, or holds far
too much, is interrupted as by Ctrl-C.

The searches look at the clock between steps; one formula with walks in walks may take longer than any of them foresees.
Only the command line is watched, and only where it runs in the main thread, which alone can be interrupted.
"""

from __future__ import annotations

import _thread
import argparse
import contextlib
import signal
import sys
import threading
import time
from collections.abc import Iterator
from types import FrameType

from tablelaw.cli.common import most_memory
from tablelaw.solver.memory import memory_used

SECONDS = {
    "check": 600.0, "compare": 600.0, "clarify": 600.0, "perft": 600.0, "ask": 60.0, "playouts": 60.0, "lint": 60.0,
    "moves": 60.0, "why": 60.0, "conform": 600.0, "graph": 600.0, "recheck": 120.0, "fixtures": 0.0, "mutants": 0.0,
}  # fmt: skip
"""Which commands are watched, and what each may take unless `--time` says otherwise (0: as long as it takes)."""
FIXED = ("moves", "why", "graph")
"""Commands that have no `--time`: their time is kept as it stands."""
BESIDE = {"ask": 30.0, "conform": 90.0}
"""What is looked at besides under a time of its own: other options, the other engine; a difference made short and judged."""
READING = 60.0
"""What reading the rules may take, however short the time of an answer."""
LOOK, SLACK = 0.5, 1.25
"""How often the memory is looked at, and how far beyond its bound it is let go: the searches look themselves."""
REPEAT = 5.0
"""An interrupt may be lost while an object is being freed; it comes again until it is heard."""


class Watch:
    """The time of one command; `again` begins it anew, for the next answer."""

    def __init__(self, seconds: float, fixed: bool = False, beside: float = 0.0, mebibytes: int = 0) -> None:
        self.seconds, self.mebibytes = seconds, mebibytes
        self.most = (seconds if fixed else 2 * seconds + 5 + beside) if seconds else float("inf")
        self.why = ""
        self.until = time.monotonic() + max(self.most, READING)
        self.over = self.done = False
        self.signal = signal.SIGINT
        self._turn = threading.Condition()

    def again(self) -> None:
        """The next answer begins."""
        with self._turn:
            self.until = time.monotonic() + self.most
            self._turn.notify()

    def end(self) -> None:
        """Nothing is to be interrupted any more."""
        with self._turn:
            self.done = True
            self._turn.notify()

    def run(self) -> None:
        """What the thread does."""
        with self._turn:
            while not self.done:
                left = self.until - time.monotonic()
                full = not self.over and self.mebibytes > 0 and memory_used() > self.mebibytes * SLACK
                if left > 0 and not full:
                    self._turn.wait(min(left, LOOK if self.mebibytes and not self.over else threading.TIMEOUT_MAX))
                    continue
                if not self.over:
                    memory = f"the memory of {self.mebibytes:,} MiB is used up"
                    self.why = memory if full else f"the time of {self.seconds:g} s is over"
                self.over, self.until = True, time.monotonic() + REPEAT
                _thread.interrupt_main(self.signal)


_now: Watch | None = None


def again() -> None:
    """An answer begins: it has the whole time."""
    if _now is not None:
        _now.again()


def rest() -> None:
    """All is answered: what is left to do, as writing files, is not watched."""
    if _now is not None:
        _now.end()


def heard() -> str:
    """Ctrl-C, or the watch, was heard of: nothing more is interrupted. What to say besides "stopped"."""
    sys.unraisablehook = _silent
    if _now is None:
        return ""
    _now.end()
    return f": {_now.why}" if _now.over else ""


@contextlib.contextmanager
def watched(args: argparse.Namespace) -> Iterator[None]:
    """Keep the time of a command; the main thread hears `KeyboardInterrupt` when it is long over."""
    global _now
    _now, usual = None, SECONDS.get(args.command)
    if usual is None or threading.current_thread() is not threading.main_thread():
        yield
        return
    seconds = getattr(args, "time", None) or usual
    memory = args.memory or most_memory() if hasattr(args, "memory") else 0
    watch = Watch(seconds, args.command in FIXED, BESIDE.get(args.command, 0.0), memory)
    before = None
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN and hasattr(signal, "SIGALRM"):
        watch.signal = signal.SIGALRM  # a shell lets what runs in the background ignore Ctrl-C
        before = signal.signal(watch.signal, _interrupt)
    _now = watch
    threading.Thread(target=watch.run, daemon=True, name="watchdog").start()
    try:
        yield
        _now = None
    finally:
        watch.end()
        if before is not None:
            signal.signal(watch.signal, before)


@contextlib.contextmanager
def ended_by_signals() -> Iterator[None]:
    """A request to end (`kill`, a terminal that is closed) is taken as Ctrl-C is, twice; a third one ends it at once."""
    heard: list[int] = []
    _endings.clear()
    if threading.current_thread() is threading.main_thread():
        endings = (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM))
        heard = [number for number in endings if signal.getsignal(number) is signal.SIG_DFL]
    for number in heard:
        signal.signal(number, _end)
    try:
        yield
    finally:
        for number in heard:
            signal.signal(number, signal.SIG_DFL)


_endings: list[int] = []


def _end(number: int, frame: FrameType | None) -> None:
    _endings.append(number)
    if len(_endings) > 1:
        signal.signal(number, signal.SIG_DFL)
    raise KeyboardInterrupt


def _silent(_: object) -> None:
    """Say nothing: what was stopped is freed half made. It reads no names, for it is called while Python ends too."""


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


_end.interrupts = _interrupt.interrupts = True  # type: ignore[attr-defined]  # z3, which is at work elsewhere, looks at it
