"""What the benchmarks share: the machine, rows of figures, and how far they are. It imports no engine and no peer."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path
from typing import Any

Row = dict[str, Any]
COUNTS = ("states", "steps", "lines", "loops", "cities", "made", "positions")
"""What must be the same in each run."""


class Differs(Exception):
    """Two programs that should count the same states do not."""


def machine() -> dict[str, str]:
    """The processor, the memory and the system, as far as the system tells."""
    cpu, memory = platform.processor() or platform.machine(), ""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                cpu = line.partition(":")[2].strip()
                break
        for line in Path("/proc/meminfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("MemTotal"):
                memory = f"{int(line.split()[1]) / (1 << 20):.0f} GiB"
    except OSError:
        pass
    return {"processor": cpu, "cores": str(os.cpu_count()), "memory": memory, "system": platform.system()}


def put(rows: list[Row], keys: Row, facts: Row, seconds: dict[str, float]) -> None:
    """Add a run's seconds to the row with these keys. Its facts are those of the first run; counts must not change."""
    row = next((r for r in rows if all(r[k] == v for k, v in keys.items())), None)
    if row is None:
        row = {**keys, **facts, "seconds": {k: [] for k in seconds}}
        rows.append(row)
    for count in COUNTS:
        if row.get(count) != facts.get(count):
            raise Differs(f"{keys}: {row.get(count)} {count} at first and {facts.get(count)} now")
    for k, v in seconds.items():
        row["seconds"][k].append(round(v, 6))


def tell(line: str) -> None:
    """Say on standard error how far it is."""
    print(line, file=sys.stderr, flush=True)
