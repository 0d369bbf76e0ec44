"""What a worker of the cluster does with a piece of work: it hands it to a process beside it, one for each of its threads.

In a process of its own a piece of work has its processors, its memory and its time to itself: it can be ended when nobody
waits for it any more, and takes no worker with it when the system kills it.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass, field

LOOK = 0.5
"""Seconds after which it is looked again whether somebody waits for the reply."""


class Lost(Exception):
    """The process that worked on it was killed, or ended without a reply."""


@dataclass(slots=True, eq=False)
class Hand:
    """One process that works; begun when there is work, and again when it has ended."""

    processors: tuple[int, ...]
    process: subprocess.Popen[bytes] | None = None
    held: bytearray = field(default_factory=bytearray)

    def do(self, message: str) -> str:
        """The reply to a message. Raises `Lost`, also where nobody waits for it any more."""
        for fresh in (False, True):  # one that was there may have ended since, having had nothing to do
            if self._sent(message, fresh) and (reply := self._reply(fresh)) is not None:
                return reply
        raise Lost(f"the process that worked on it {self.end()}")

    def end(self) -> str:
        """End it; how it ended."""
        if self.process is None:
            return "was ended"
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)
        for pipe in (self.process.stdin, self.process.stdout):
            with contextlib.suppress(OSError):
                if pipe is not None:
                    pipe.close()
        code, self.process = self.process.wait(), None
        self.held.clear()
        return f"was killed by signal {-code}" if code < 0 else f"ended with status {code}"

    def _sent(self, message: str, fresh: bool) -> bool:
        if fresh or self.process is None or self.process.poll() is not None:
            self.end()
            words = [sys.executable, "-m", "tablelaw.cli.unit", str(os.getpid()), *map(str, self.processors)]
            pipe, none = subprocess.PIPE, subprocess.DEVNULL
            self.process = subprocess.Popen(words, stdin=pipe, stdout=pipe, stderr=none, start_new_session=True)
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(message.encode() + b"\n")
            self.process.stdin.flush()
        except OSError:
            return False
        return True

    def _reply(self, fresh: bool) -> str | None:
        """The line that it answers with; None where it has ended before it began to work, as far as one can know."""
        assert self.process is not None
        assert self.process.stdout is not None
        there = self.process.stdout.fileno()
        while b"\n" not in self.held:
            if not select.select([there], [], [], LOOK)[0]:
                if not _wanted():
                    self.end()
                    raise Lost("nobody waits for it any more")
                continue
            more = os.read(there, 1 << 16)
            if not more:
                if self.process.wait() == 0 and not self.held and not fresh:
                    return None
                raise Lost(f"the process that worked on it {self.end()}")
            self.held += more
        line, _, rest = bytes(self.held).partition(b"\n")
        self.held[:] = rest
        return line.decode()


def _wanted() -> bool:
    """Is somebody still waiting for what this thread works on?"""
    try:
        from distributed import get_worker

        worker = get_worker()
        task = worker.state.tasks.get(worker.get_current_task())
    except Exception:  # how a worker keeps its tasks is its own affair: not known means wanted
        return True
    return task is None or task.state != "cancelled"


_free: list[Hand] = []
_begun: list[Hand] = []
_lock = threading.Lock()


def work(message: str) -> str:
    """Do a piece of work on this machine; the reply."""
    from distributed import get_worker

    slots = get_worker().state.nthreads
    with _lock:
        if _free:
            hand = _free.pop()
        else:
            hand = Hand(_share(len(_begun), slots))
            _begun.append(hand)
    try:
        return hand.do(message)
    finally:
        with _lock:
            _free.append(hand)


def _share(number: int, slots: int) -> tuple[int, ...]:
    """The processors of one of so many processes; none in particular where there are fewer than these."""
    mine = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []
    each = len(mine) // max(1, slots)
    first = number % max(1, slots) * each
    return tuple(mine[first : first + each])


@atexit.register
def end_all() -> None:
    """End all processes that were begun here."""
    for hand in _begun:
        hand.end()
    _begun.clear()
    _free.clear()
