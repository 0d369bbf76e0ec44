"""The page docs/benchmarks-growth.md, with its pictures, from the figures of growth.py."""

from __future__ import annotations

from math import exp
from typing import Any

import fit
import picture
import tables

Row = dict[str, Any]
FINEST = 0.002
"""Seconds below which a size says nothing of how a search grows."""
FEWEST = 3
"""Sizes that an exponent takes."""
WAYS = {"C": "compiled", "Python": "Python"}
BUSY = "seconds by the clock are long"
HEAD = """# Benchmarks: how search grows

This page is written by `make bench` (`benchmarks/growth.py`); change `benchmarks/growth_page.py`, not the page. All
figures are medians of {repeats} runs, made in turns within one run of that command (of three from four million states
on), in seconds of one processor. Other comparisons: [overview](benchmarks.md).

{machine}.
"""
SECONDS = """
## Seconds by states

The same rules with larger and larger numbers, compiled, and as generated Python (`TABLELAW_NATIVE=off`), which is what
small games and machines without a compiler are searched with. The exponent e is fitted to seconds ∝ statesᵉ, and to seconds ∝
stepsᵉ, over all sizes that take more than {finest:g} s, with its standard error: 1 is as many a second in large games as
in small ones. Where the steps from each state become more (dice: a roll has many outcomes), it is the steps that count.
What else grows is how long the memory has to be waited for.

![seconds by states](benchmarks-growth-seconds.svg)
"""
STATES = """
## States by size

How many states there are is a matter of the game, not of the engine: with players and with squares or discs each one more
multiplies them, dice alike make a power of their number. Fitted over all sizes: the factor for one more, and the exponent of
states ∝ sizeᵉ. *±* is the standard error of the slope; where it is large, the curve is no such line.

![states by size](benchmarks-growth-states.svg)
"""


def write(results: Row) -> str:
    """The whole page."""
    parts = [HEAD.format(repeats=results["repeats"], machine=tables.machine_line(results, BUSY)), *tables.told(results)]
    parts += [SECONDS.format(finest=FINEST), "\n", exponents(results), "\n", _sizes(results)]
    return "".join([*parts, STATES, "\n", _factors(results)])


def _curves(results: Row) -> dict[str, list[Row]]:
    names = dict.fromkeys(r["curve"] for r in results["growth"])
    return {c: [r for r in results["growth"] if r["curve"] == c] for c in names}


def spent(row: Row, way: str) -> float:
    """Seconds of the processor."""
    return tables.middle(row, f"{way} processor")


def timed(results: Row, by: str = "states") -> dict[tuple[str, str], list[fit.Point]]:
    """States (or steps) and seconds by curve and engine, of the sizes that say anything."""
    found: dict[tuple[str, str], list[fit.Point]] = {}
    for curve, some in _curves(results).items():
        for way in WAYS:
            points = [(float(r[by]), spent(r, way)) for r in some if way in r["seconds"]]
            points = [p for p in points if p[1] >= FINEST]
            if points:
                found[curve, way] = points
    return found


def exponents(results: Row) -> str:
    """The exponents of seconds by states and by steps, as a table."""
    lines = []
    for curve in _curves(results):
        line = [curve]
        for way in WAYS:
            fits = [fit.exponent(timed(results, by).get((curve, way), [])) for by in ("states", "steps")]
            line += ["–" if e is None or e.points < FEWEST else str(e) for e in fits]
            line.append("–" if fits[0] is None else str(fits[0].points))
        lines.append(line)
    heads = (f"{w}: {h}" for w in WAYS.values() for h in ("by states", "by steps", "sizes"))
    return tables.table(["", *heads], lines)


def _sizes(results: Row) -> str:
    lines = []
    for r in results["growth"]:
        c = spent(r, "C")
        python = spent(r, "Python") if "Python" in r["seconds"] else None
        line = [f"{r['curve'].rpartition(', ')[0]}: {r['title']}", f"{r['states']:,}", f"{r['steps']:,}", tables.seconds(c)]
        line.append("–" if python is None else tables.seconds(python))
        lines.append([*line, "–" if python is None or c < FINEST else tables.times(python / c)])
    return tables.table(["", "states", "steps", "compiled, s", "Python, s", "times as fast"], lines)


def _factors(results: Row) -> str:
    lines = []
    for curve, some in _curves(results).items():
        points = [(float(r["size"]), float(r["states"])) for r in some]
        factor, power = fit.factor(points), fit.exponent(points)
        sizes = f"{some[0]['size']} to {some[-1]['size']}"
        told = "–"
        if factor is not None:
            spread = "" if factor.error is None else f" (× or ÷ {exp(factor.error):.2f})"
            told = f"{exp(factor.value):.2f}{spread}"
        lines.append([curve, sizes, told, "–" if power is None else str(power)])
    return tables.table(["", "sizes", "factor for one more", "exponent"], lines)


def seconds_by_states(results: Row) -> str:
    """The picture of how long searches take."""
    lines = {f"{c.rpartition(', ')[0]}, {WAYS[w]}": some for (c, w), some in timed(results).items()}
    return picture.curves("Seconds of search by states", "states", "seconds", lines)


def states_by_size(results: Row) -> str:
    """The picture of how many states there are."""
    lines = {c: [(float(r["size"]), float(r["states"])) for r in some] for c, some in _curves(results).items()}
    return picture.curves("States by size", "discs, squares, dice or players", "states", lines, log_across=False)
