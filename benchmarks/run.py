"""What every part of the benchmarks is run with: rounds, processes of their own, results kept as they come, failures told.

A part is a module with `TITLE`, `measure(run)`, `child(args)` for its processes and `pages(results)`; see bench.py.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import rows
import spin

HERE = Path(__file__).parent
MODELS = HERE / "models"
EXAMPLES = HERE.parent / "examples"
HARD = 900.0
"""Seconds by the clock after which a process is given up."""
Results = dict[str, Any]


class Run:
    """One part being measured. `results` are written to `file` after each round, so that a failure loses nothing."""

    def __init__(self, part: str, quick: bool, repeats: int, file: Path) -> None:
        self.part, self.quick, self.repeats, self.file = part, quick, repeats, file
        self._folder = TemporaryDirectory(prefix="bench-")
        self.away: set[str] = set()
        self.results: Results = {
            "part": part,
            "date": datetime.now(UTC).strftime("%Y-%m-%d"),
            "machine": rows.machine(),
            "versions": {"tablelaw": version("tablelaw"), "Python": sys.version.split()[0]},
            "repeats": repeats,
            "load": [load()],
            "skipped": [],
            "failed": [],
        }

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self._folder.cleanup()

    def peer(self, missing: str | None, versions: Callable[[], dict[str, str]]) -> bool:
        """Is a peer there? Its versions are noted, or why it is not."""
        if missing is None:
            self.results["versions"] |= versions()
        else:
            rows.tell(missing)
            self.results["skipped"].append(missing)
        return missing is None

    def rounds(self) -> Iterator[int]:
        """Round after round; all that is measured in turns falls under whatever else the machine does alike."""
        for k in range(self.repeats):
            rows.tell(f"{self.part}: round {k + 1} of {self.repeats}")
            yield k
            self.save()
        self.results["load"].append(load())
        self.save()

    def attempt(self, what: str, work: Callable[[], object]) -> bool:
        """Do it; where it fails, that is noted, and it is not tried in later rounds."""
        if what in self.away:
            return False
        try:
            work()
        except Exception as why:  # whatever it is, the others are measured
            told = why.stderr or why.output if isinstance(why, subprocess.CalledProcessError) else str(why)
            line = f"{what} failed: {type(why).__name__}: {' '.join(str(told).split())[-300:]}"
            rows.tell(line)
            self.results["failed"].append(line)
            self.away.add(what)
            return False
        return True

    def save(self) -> None:
        """Write what there is."""
        self.file.write_text(json.dumps(self.results, indent=1) + "\n", encoding="utf-8")

    def child(self, *args: str, core: bool = False, interpreter: str = sys.executable) -> tuple[Any, spin.Spent]:
        """What `child` of this part tells in a process of its own, and what that took."""
        command = [interpreter, str(HERE / "bench.py"), "--child", self.part, *args]
        text, spent = spin.ran(command, HERE, core, self.kept(), HARD)
        return json.loads(text.rstrip().rpartition("\n")[2]), spent

    def kept(self, cache: Path | None = None) -> dict[str, str]:
        """The environment of a process: what is compiled is kept in a folder (the run's own unless said), and so is bytecode.

        Answers are kept unless the process is told otherwise.
        """
        away = ("PYTHONDONTWRITEBYTECODE", "TABLELAW_NO_CACHE", "TABLELAW_NATIVE")
        folder, env = Path(self._folder.name), {k: v for k, v in os.environ.items() if k not in away}
        return {**env, "TABLELAW_CACHE": str(cache or folder / "compiled"), "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}


def load() -> float:
    """How busy the machine is, where it tells."""
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else 0.0


class Faulty(ValueError):
    """The rules that are to be measured have faults."""
