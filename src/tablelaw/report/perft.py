"""Counts of sequences of moves as text."""

from __future__ import annotations

from tablelaw.checkers.perft import Perft


def perft_text(told: Perft) -> str:
    """The count; above it the shares of the first moves."""
    verdict = told.verdict
    what = f"sequence{'' if verdict.value == '1' else 's'} of {told.depth} move{'' if told.depth == 1 else 's'}"
    if verdict.verdict == "unknown":
        return f"perft-{told.depth}: unknown — {verdict.reason}"
    if verdict.value is None or not verdict.value.isdecimal():
        return f"{verdict.value}: {verdict.reason}"
    numbers = [f"{s.count:,}" for s in told.shares]
    wide = max(map(len, [*numbers, f"{int(verdict.value):,}"]))
    rows = []
    for s, n in zip(told.shares, numbers, strict=True):
        rows.append(f"  {n.rjust(wide)}  {s.move}" + (f"   ({s.draws} draws)" if s.draws > 1 else ""))
    return "\n".join([*rows, f"{'  ' if rows else ''}{f'{int(verdict.value):,}'.rjust(wide)}  {what}"])
