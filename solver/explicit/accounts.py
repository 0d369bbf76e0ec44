"""How a search ran, for whoever wants to hear it: compiled or why not, gone on with from where, in how much memory and disk."""

from __future__ import annotations

from collections.abc import Iterable

from tablelaw.solver import account
from tablelaw.solver.memory import memory_used
from tablelaw.solver.native.compiler import compiler
from tablelaw.solver.native.space import NativeSpace
from tablelaw.solver.native.spill import possible
from tablelaw.solver.native.together import processors
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.space.tongues import WORD

LEAST_LEFT, ROUNDED = 48, 10
"""Mebibytes: what a search on disk needs besides what is held anyway, and to which number the least is rounded."""


def tell_compiled(space: NativeSpace) -> None:
    """Note how the compiled search runs."""
    words, most = max(1, -(-space.pack.bits // WORD)), processors()
    text = f"compiled code, {words} word{'s' * (words > 1)} a position, on up to {most} processor{'s' * (most > 1)}"
    account.note("compiled", text, {"words": words, "processors": most}, "compiled")
    if space.checkpoint is not None:
        began = space.taken_up
        up = f", taken up from {began:,} positions that were kept there" if began else ""
        account.note("checkpoint", f"kept in `{space.checkpoint.folder}`{up}", {"from": began}, "checkpoint")
    if space.on_disk:
        n, disk = space.in_memory, space.on_disk
        text = f"on disk after {n:,} positions, when the memory was used up; {disk:,} MiB lie there"
        account.note("memory", text, {"in-memory": n, "disk": disk}, "memory")


def tell_uncompiled(why: str) -> None:
    """Note that a search of many positions ran in Python."""
    account.note("compiled", f"not compiled: {why}", {"why": why}, "compiled")


def too_little(over: OutOfBudget, budget: Budget, tried: Iterable[NativeSpace]) -> str:
    """The reason, with what suffices (the least, rounded up), where memory is too small to go on on disk; else nothing."""
    spaces = list(tried)
    if budget.spill is None or any(s.on_disk for s in spaces) or not possible() or compiler() is None:
        return ""
    if over.reason != f"the memory of {budget.mebibytes:,} MiB is used up":
        return ""
    base = memory_used() - sum(s.own for s in spaces)
    least = -(-max(base * 16 // 11, base + LEAST_LEFT) // ROUNDED) * ROUNDED  # as `NativeSpace` finds its memory used up
    return f"{over.reason}; with {least:,} MiB it could go on on disk" if budget.mebibytes < least else ""
