"""The page docs/benchmarks-boards.md from the figures of boards.py."""

from __future__ import annotations

from typing import Any

import tables

Row = dict[str, Any]
FINEST = 0.02
"""Seconds of a peer's process below which a ratio says nothing: starting it is most of that."""
HEAD = """# Benchmarks: layouts

This page is written by `make bench` (`benchmarks/boards.py`); change `benchmarks/boards_page.py`, not the page. All figures are
medians of {repeats} runs (of three or two where it takes long), each a process of its own, made in turns, in seconds of one
processor. Other comparisons: [overview](benchmarks.md).

{machine}.
"""
RATES = """
## Features of a layout

All features of {layouts:,} random layouts of nine dice, told three ways (`benchmarks/layouts.py`): as networkx graphs,
which is the reference; as formulas read them; and in packed numbers, from laying the pieces to taking them up.
"""
CITIES = """
## Closed cities

Closed cities of n dice, each made once by the packed kernel, and counted up to turning as well;
`benchmarks/closed_cities.c` goes another way and lists all sets of squares, for n and all smaller numbers. Both must
count the same.
"""
LINES = """
## Lines

Lines of n Line Dice, open and closed by the last die: the questions `lines-n` and `loops-n` of the example, from reading
the rules on, beside a backtracking program of the same rules in plain C (`benchmarks/lines.c`, for n and all smaller
numbers, which cost next to nothing beside n). Both must count the same. The search keeps the positions it has met; the
program keeps none.
"""
ALL = """
## All layouts of a size

Is there such a layout of n pieces, among all connected ones (`benchmarks/every_layout.py`)? z3 beside laying one after the
other, for some questions only those that are one closed feature. *none*: no answer within {limit:g} seconds by the
clock, asked once. `auto` asks both.
"""
WHY = """
Where tablelaw loses: boards are searched as the values that formulas speak of, in Python. A C program that lays dice on
an array of characters and takes them up again does in milliseconds what this takes seconds for. It answers one question
about one set of rules.
"""


def write(results: Row) -> str:
    """The whole page."""
    parts = [HEAD.format(repeats=results["repeats"], machine=tables.machine_line(results)), *tables.told(results)]
    if results["rates"]:
        parts += [RATES.format(layouts=results["rates"][0]["layouts"]), "\n", _rates(results["rates"])]
    parts += [CITIES, "\n", _counted(results["cities"], {"cities": "closed cities", "made": "turned ones apart"})]
    parts += [LINES, "\n", _counted(results["lines"], {"lines": "open", "loops": "closed"}), WHY]
    return "".join([*parts, ALL.format(limit=results["limit"]), "\n", _every(results["every"])])


def _rates(found: list[Row]) -> str:
    count, slow = found[0]["layouts"], tables.middle(found[0], "told")
    lines = [[r["way"], tables.rate(count, s), tables.times(slow / s)] for r in found if (s := tables.middle(r, "told"))]
    return tables.table(["", "layouts/s", "times the graphs"], lines)


def _counted(found: list[Row], heads: dict[str, str]) -> str:
    lines = []
    for r in found:
        mine = tables.middle(r, "tablelaw")
        line = [str(r["dice"]), *(f"{r[c]:,}" for c in heads), tables.seconds(mine)]
        other = tables.middle(r, "C") if "C" in r["seconds"] else None
        line.append("–" if other is None else tables.seconds(other))
        lines.append([*line, "–" if other is None or other < FINEST else tables.times(mine / other)])
    return tables.table(["dice", *heads.values(), "tablelaw, s", "C, s", "times as long"], lines)


def _every(found: list[Row]) -> str:
    asked: dict[tuple[str, int], dict[str, Row]] = {}
    for r in found:
        asked.setdefault((r["what"], r["n"]), {})[r["way"]] = r
    lines = []
    for (what, n), ways in asked.items():
        known = {r["verdict"] for r in ways.values()} - {"unknown"}
        told = [tables.seconds(tables.middle(r, "asked")) if r["verdict"] != "unknown" else "none" for r in ways.values()]
        lines.append([what, str(n), *(known or {"unknown"}), *told])
    return tables.table(["is there", "n", "answer", "z3, s", "laying, s"], lines)
