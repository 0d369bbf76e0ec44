"""Spin as a peer: makes a verifier from a model, runs it, reads its report."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from typing import Any

HERE = Path(__file__).parent
FLAGS = ("-O2", "-DSAFETY", "-DNOFAIR", "-DNOREDUCE")
SMALL = ("-DSPACE",)
"""More settings, with which larger models take less memory and are no slower."""
ORDERS = {"depth-first": (), "breadth-first": ("-DBFS",)}


class Cut(Exception):
    """The verifier did not search everything, or found an error."""


def missing() -> str | None:
    """Why Spin cannot be measured here, if so."""
    gone = [p for p in ("spin", "gcc") if shutil.which(p) is None]
    return f"Spin was not measured: {' and '.join(gone)} not found (Debian: apt-get install {' '.join(gone)})" if gone else None


def versions() -> dict[str, str]:
    """Of Spin and the compiler."""
    spin = subprocess.run(["spin", "-V"], capture_output=True, text=True, check=False).stdout
    gcc = subprocess.run(["gcc", "-dumpfullversion"], capture_output=True, text=True, check=False).stdout
    number = re.search(r"Version (\S+)", spin)
    return {"Spin": number[1] if number else "?", "gcc": gcc.strip()}


@dataclass(frozen=True, slots=True)
class Spent:
    """What a process took: seconds by the clock and of processors, and the most memory it held."""

    clock: float
    processor: float
    mebibytes: int


def ran(
    command: Sequence[str], folder: Path, core: bool = False, env: Mapping[str, str] | None = None, limit: float = 600.0
) -> tuple[str, Spent]:
    """What a command prints, and what it took; on one processor alone, where `core`.

    Raises `CalledProcessError`, also where it is ended after `limit` seconds by the clock.
    """
    before = os.sched_getaffinity(0)
    with TemporaryFile("w+") as out:
        began = time.monotonic()
        try:
            if core:  # what is started inherits it
                os.sched_setaffinity(0, {max(before)})
            process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=out, env=env)
        finally:
            os.sched_setaffinity(0, before)
        late = threading.Timer(limit, process.kill)
        late.start()
        _, status, used = os.wait4(process.pid, 0)
        late.cancel()
        clock = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, text)
    return text, Spent(clock, used.ru_utime + used.ru_stime, used.ru_maxrss >> 10)


def weigh(model: str, defines: Sequence[str], order: str, arguments: Sequence[str], states: int = 0) -> dict[str, Any]:
    """Make, compile and run a verifier, on one processor: its counts, its memory, and the seconds of its parts.

    `states`: how many it should find; see `read_report`.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        made = ran(["spin", *[f"-D{d}" for d in defines], "-a", str((HERE / "models" / f"{model}.pml").resolve())], folder)[1]
        built = ran(["gcc", *FLAGS, *SMALL, *ORDERS[order], "-o", "pan", "pan.c"], folder)[1]
        report, run = ran(["./pan", *arguments], folder, core=True)
    spent = {
        "search": elapsed(report),
        "processor": run.processor,
        "cold": made.clock + built.clock + run.clock,
        "cold processor": made.processor + built.processor + run.processor,
    }
    return {**read_report(report, states), "mebibytes": run.mebibytes, "seconds": spent}


def read_report(report: str, expected: int = 0) -> dict[str, int]:
    """The counts in a verifier's report. States inside atomic steps, which breadth-first search stores, are left out.

    A million and more of them are told in six digits, and taken for what is expected where these are the same. Raises `Cut`:
    with too small a depth Spin says "errors: 0" all the same.
    """
    if "max search depth too small" in report or "errors: 0" not in report or "out of memory" in report:
        raise Cut(report)
    nominal = re.search(r"([\d.e+]+) nominal states", report)
    stored = re.search(r"(\d+) states, stored", report)
    steps = re.search(r"(\d+) transitions", report)
    assert stored is not None
    assert steps is not None
    states = (nominal or stored)[1]
    if not states.isdigit():  # without atomic steps it is what was stored
        likely = [n for n in (int(stored[1]), expected) if states == f"{n:.6g}"]
        if not likely:
            raise Cut(report)
        states = str(likely[0])
    return {"states": int(states), "stored": int(stored[1]), "steps": int(steps[1])}


def elapsed(report: str) -> float:
    """Seconds of the search by the verifier's own clock, which ticks in hundredths."""
    found = re.search(r"elapsed time ([\d.e+-]+)", report)
    return float(found[1]) if found else 0.0
