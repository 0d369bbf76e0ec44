"""The process that works on pieces of work: a message a line on standard input, a reply a line on standard output.

A worker of the cluster starts it (`cli/bench.py`) and can end it at any time. It ends by itself with its parent, and when
there has been nothing to do for a while.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import select
import sys
import threading
import time
from typing import BinaryIO

from tablelaw.checkers.units import Bench, Message, Reply, crowded
from tablelaw.cli import watchdog

IDLE = 60.0
"""Seconds without work after which it ends, and gives its memory back."""


def serve(reading: BinaryIO, writing: BinaryIO) -> None:
    """Answer each message, until there are no more."""
    bench = Bench()
    while select.select([reading], [], [], IDLE)[0]:
        line = reading.readline()
        if not line:
            return
        message: Message = json.loads(line)
        reply = answer(bench, message)
        writing.write(json.dumps(reply).encode() + b"\n")
        writing.flush()
        if "differs" in reply or "stopped" in reply or crowded(message["mebibytes"]):
            return


def answer(bench: Bench, message: Message) -> Reply:
    """The reply to a message, in the time and memory that it allows; a fault is left to whoever asks."""
    limits = argparse.Namespace(command=message["command"], time=message["seconds"], memory=message["mebibytes"])
    try:
        with watchdog.watched(limits):
            watchdog.again()
            return bench.do(message)
    except KeyboardInterrupt:
        return {"stopped": watchdog.heard().removeprefix(": ") or "it was interrupted"}
    except MemoryError:
        return {"stopped": "the memory of the machine does not suffice"}
    except Exception as fault:
        return {"none": f"{type(fault).__name__}: {fault}"}


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(0.5)
    os._exit(0)


def main() -> None:
    """Serve on standard input and output; what is printed besides goes nowhere."""
    parent, *processors = (int(x) for x in sys.argv[1:])  # told, for it may be gone by now
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    if processors and hasattr(os, "sched_setaffinity"):
        with contextlib.suppress(OSError):
            os.sched_setaffinity(0, processors)
    with open(os.dup(1), "wb", buffering=0) as writing, open(0, "rb", closefd=False) as reading:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        with contextlib.suppress(BrokenPipeError):
            serve(reading, writing)
    os._exit(0)  # what was held is given back by the system, at once


if __name__ == "__main__":
    main()
