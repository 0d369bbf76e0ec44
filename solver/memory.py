"""How much memory this process holds: asked by what keeps within a bound, and by what watches that it does."""

from __future__ import annotations

import os


def memory_used() -> int:
    """Mebibytes this process holds now (its peak where the system does not tell)."""
    try:
        with open("/proc/self/statm", encoding="ascii") as f:
            return int(f.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") // (1 << 20)
    except (OSError, ValueError, IndexError):
        try:
            import resource

            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        except ImportError:  # no such module on Windows; the bound is then not watched
            return 0
