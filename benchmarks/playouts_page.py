"""The page docs/benchmarks-playouts.md from the figures of playouts.py."""

from __future__ import annotations

from typing import Any

import playouts
import tables

Row = dict[str, Any]
HEAD = """# Benchmarks: plays at random

This page is written by `make bench` (`benchmarks/playouts.py`); change `benchmarks/playouts_page.py`, not the page. All
figures are medians of {repeats} runs, each a process of its own with a seed of its own, made in turns, in seconds of one
processor. Other comparisons: [overview](benchmarks.md).

{machine}.

tablelaw reads the rules file of an example and plays by the Python that it generates; a play keeps every step. OpenSpiel
has its games in C++ and is asked from Python, as it mostly is: legal moves, one of them, the next position. Carcassonne
is not among its games; beside it stands a program in plain Python written for that game alone
(`benchmarks/plain_carcassonne.py`). Every legal move is as likely as any other in all of them.

That the same game is played is looked at: over all runs the mean number of moves in a play, and how often the first
player wins, must agree within {standard:g} standard errors. In Pig OpenSpiel lets a player hold before the first roll of
a turn, and the rules file does not; there its turns are made to begin with a roll.
"""


def write(results: Row) -> str:
    """The whole page."""
    parts = [HEAD.format(repeats=results["repeats"], machine=tables.machine_line(results), standard=playouts.STANDARD)]
    return "".join([*parts, *tables.told(results), "\n", _table(results), WHY])


WHY = """
Why: the generated Python lists every legal move with its arguments and makes the next row of numbers, and each step is kept, so
that any play can be shown. OpenSpiel does in C++ what was written for the one game.
"""


def pair(results: Row, game: str) -> tuple[Row, Row | None]:
    """The row of tablelaw and that of the other program."""
    told = [r for r in results["playouts"] if r["game"] == game]
    return told[0], (told[1] if len(told) > 1 else None)


def _table(results: Row) -> str:
    lines = []
    for game in dict.fromkeys(r["game"] for r in results["playouts"]):
        mine, other = pair(results, game)
        spent = tables.middle(mine, "a play")
        line = [mine["title"], tables.rate(1, spent), *_sums(mine)]
        if other is None:
            lines.append([*line, "–", "–", "–", "–", "–"])
            continue
        theirs = tables.middle(other, "a play")
        figures = [tables.rate(1, theirs), *(_sums(other) if "moves" in other["sums"] else ["–", "–"])]
        lines.append([*line, other["program"], *figures, tables.times(theirs / spent)])
    head = [
        "",
        "tablelaw, plays/s",
        "moves in a play",
        "first wins, %",
        "beside",
        "plays/s",
        "moves in a play",
        "first wins, %",
    ]
    return tables.table([*head, "times as fast"], lines)


def _sums(row: Row) -> list[str]:
    (mean, off), (share, around) = playouts.length(row), playouts.share(row)
    return [f"{mean:.2f} ± {off:.2f}", f"{100 * share:.1f} ± {100 * around:.1f}"]
