"""How far a search has come: which positions lie within how many steps of a start, and what may still come."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablelaw.solver.space.graph import Space

FALLING = 3
"""So many layers, each smaller than the one before, must have been met before an end is in sight."""
SLOW = 0.95
"""Layers that shrink no faster than this tell nothing of an end."""
DOUBT = 1.5


def ends(space: Space) -> list[int]:
    """Up to which numbers the positions lie that are 0, 1, 2, … steps away from a start, as far as they are all known."""
    found = space.layers
    if not found:
        found.append(space.starts)
    while space.expanded >= found[-1] and len(space.states) > found[-1]:
        found.append(bisect_left(space.parents, found[-1], found[-1], len(space.states)))  # numbered as they were met
    return found


def depth_of(space: Space, first: int) -> int:
    """Within so many steps of a start all positions lie before that number; -1 where not even the starts do."""
    known = ends(space)
    if first >= len(space.states) and space.complete:
        return len(known) - 1
    return sum(1 for end in known if end <= first) - 1


def rest(space: Space) -> tuple[float, float] | None:
    """Between how many positions are left to expand; None where nothing is known of an end.

    The first number is sure: they are waiting. The second is an estimate: the layers that come shrink no slower than the last
    ones did, give or take a half.
    """
    known = [0, *ends(space)]
    sizes = [b - a for a, b in pairwise(known)][-FALLING:]
    if len(sizes) < FALLING or not all(b < a * SLOW for a, b in pairwise(sizes)):
        return None
    slowest = max(b / a for a, b in pairwise(sizes))
    most = max(0, known[-1] - space.expanded) + sizes[-1] * slowest / (1 - slowest)
    waiting = len(space.states) - space.expanded
    return waiting, max(waiting, most * DOUBT)


def line(space: Space, mebibytes: int, disk: int = 0) -> str:
    """What is told while it runs, in some 70 characters: what is cut off on a narrow terminal matters least."""
    rate = (space.expanded - space.begun) / space.seconds if space.seconds > 0.1 else 0.0
    parts = [f"{short(len(space.states))} states", f"{short(len(space.states) - space.expanded)} waiting"]
    if rate:
        parts.append(f"{short(rate)}/s")
    left = rest(space)
    if rate and space.seconds > 1:
        parts.append("no estimate yet" if left is None else span(left[0] / rate, left[1] / rate))
    parts.append(f"{disk / 1024:,.1f} GiB on disk" if disk else f"{mebibytes:,} MiB")
    parts.append(f"depth {max(0, len(ends(space)) - 1)}")
    return ", ".join(parts)


def short(n: float) -> str:
    """A number in a few characters: `950`, `8.1k`, `12.3M`."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if n >= size:
            return f"{n / size:.1f}{letter}" if n < 100 * size else f"{n / size:.0f}{letter}"
    return f"{n:.0f}"


def span(least: float, most: float) -> str:
    """A time between two, rounded outwards."""
    unit, letter = next((u, x) for u, x in ((1, "s"), (60, "min"), (3600, "h")) if most < 90 * u or u == 3600)
    low, high = int(least / unit), max(1, -int(-most // unit))
    return f"up to {high} {letter} left" if low == 0 else f"{low} to {high} {letter} left"
