"""The page docs/benchmarks-chance.md from the figures of chance.py."""

from __future__ import annotations

from fractions import Fraction
from statistics import median
from typing import Any

import storm
import tables

Row = dict[str, Any]
HEAD = """# Benchmarks: odds

This page is written by `make bench` (`benchmarks/chance.py`); change `benchmarks/chance_page.py`, not the page. All figures
are medians of {repeats} runs, each a process of its own, made in turns, in seconds of one processor. Other comparisons:
[overview](benchmarks.md).

{machine}.

tablelaw is given the rules file of the example, Storm a model of the same game written by hand (`benchmarks/models/*.prism`).
Storm is asked three ways: *float*, as it comes, which stops iterating when the figures seem to stand still; *sound*,
which is as near as it says (relative, a millionth); and *exact*, in fractions. tablelaw answers with a fraction, or with
bounds that hold.
"""

ANSWERS = """
## What is answered

Beside each answer in floating point stands how far it is off; of bounds, how far apart they are.

"""

TIMES = """
## How long it takes

For tablelaw from the text of the rules to the figure; for Storm parsing, building and checking. Loading either program
is not in it ({loading}). A ratio above 1: tablelaw takes longer.

"""


def whole(row: Row) -> float:
    """The median over the runs of all that is counted."""
    parts = [v for k, v in row["seconds"].items() if k != "load"]
    return float(median(map(sum, zip(*parts, strict=True))))


def write(results: Row) -> str:
    """The whole page."""
    rows: dict[str, dict[str, Row]] = results["rows"]
    parts = [HEAD.format(repeats=results["repeats"], machine=tables.machine_line(results))]
    parts += tables.told(results)
    answers, clocks = [], []
    for ways in rows.values():
        if "tablelaw" not in ways:
            continue
        mine, truth = ways["tablelaw"], _truth(ways)
        peers = [ways.get(w) for w in storm.WAYS]
        answers.append(
            [ways["tablelaw"]["title"], _digits(truth), _ours(mine), *("–" if p is None else _off(p, truth) for p in peers)]
        )
        spent = whole(mine)
        line = [ways["tablelaw"]["title"], f"{mine['states']:,}", tables.seconds(spent)]
        for p in peers:
            line += ["–", "–"] if p is None else [tables.seconds(whole(p)), tables.times(spent / whole(p))]
        clocks.append([*line, "–" if peers[0] is None else f"{peers[0]['states']:,}"])
    heads = [f"Storm {w}" for w in storm.WAYS]
    parts += [ANSWERS, tables.table(["", "the figure", "tablelaw", *heads], answers)]
    loads = [t for ways in rows.values() for t in ways["tablelaw"]["seconds"]["load"]]
    loading = f"tablelaw's modules take {median(loads):.2f} s"
    clock_heads = [h for w in heads for h in (f"{w}, s", "ratio")]
    parts += [TIMES.format(loading=loading), tables.table(["", "states", "tablelaw, s", *clock_heads, "states there"], clocks)]
    return "".join(parts) + _why(rows)


def _truth(ways: dict[str, Row]) -> Fraction:
    for row in (ways["tablelaw"], ways.get("exact")):
        if row is not None and row["value"] is not None:
            return Fraction(row["value"])
    low, high = (Fraction(x) for x in ways["tablelaw"]["interval"])
    return (low + high) / 2


def _digits(x: Fraction) -> str:
    return f"{float(x):.12g}"


def _ours(row: Row) -> str:
    if row["value"] is not None:
        return f"`{row['value']}`"
    low, high = (Fraction(x) for x in row["interval"])
    return f"{float(high - low):.0e} apart"


def _off(row: Row, truth: Fraction) -> str:
    value = Fraction(row["value"])
    return "exact" if value == truth else f"{float(value):.12g}, off by {float(abs(value - truth)):.0e}"


WHY = """
Why: Storm explores a model of a few variables in C++, a state in one or two millionths of a second. tablelaw first turns
the rules into a program and explores the first 8,000 positions in Python, the others by compiled code (compiling takes half a
second when a game is new to it; what was compiled is kept, and is not in these seconds). It tries to reckon in fractions before
it turns to bounds, whose rounding is counted in. How to play, and that the equations hold, is told and looked at again within
the same time.
"""


def _why(rows: dict[str, dict[str, Row]]) -> str:
    lost = [
        f"- {ways['tablelaw']['title']}, Storm {way}: "
        f"{tables.times(whole(ways['tablelaw']) / whole(ways[way]))} times as long.\n"
        for ways in rows.values()
        for way in storm.WAYS
        if "tablelaw" in ways and way in ways and whole(ways["tablelaw"]) > whole(ways[way])
    ]
    text = "\n## Where tablelaw loses\n\n" + ("".join(lost) if lost else "In no comparison did tablelaw take longer.\n")
    return text + WHY
