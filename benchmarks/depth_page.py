"""The page docs/benchmarks-depth.md from the figures of depth.py."""

from __future__ import annotations

from statistics import median
from typing import Any

import spin
import tables

Row = dict[str, Any]
BUSY = "seconds by the clock are long"
HEAD = """# Benchmarks: the dice game and Line Dice to a depth

This page is written by `make bench` (`benchmarks/depth.py`); change `benchmarks/depth_page.py`, not the page. All figures are
medians of as many runs as are told, at most {repeats}, made in turns within one run of that command, on one processor. Both
programs must count the same positions. Other comparisons: [overview](benchmarks.md).

{machine}.
"""

GAMES = """
## What is searched

Neither game can be searched to its end: dice can be laid anywhere.

- *Dice game* (`benchmarks/models/dice_turns.yaml`, which takes the rules of the example and ends the play after the first
  turn of one player, or of each of two; `benchmarks/models/dice_turns.pml`). The board is left open on both sides: of it
  there is how many dice lie, and as the largest closed city any number up to that. So tablelaw itself leaves boards open
  when it proves what never happens. The search is compiled. A roll of nine dice has 2,002 outcomes. Breadth-first, Spin
  stores what lies between two dice of a roll and shares it between rolls, so that it takes far fewer steps; depth-first
  it stores nothing there and takes all of them.
- *Line Dice* (`benchmarks/models/line_dice.pml`), two players, everybody with each face without end (`supply=endless`),
  all positions within so many steps, squares and all. A position is what lies where and how, which way the line runs,
  where the arrows point, and who is left; no two that could be turned into each other are counted as one. tablelaw does
  not compile games with boards: its search makes positions as the values that formulas speak of, in Python. The model by
  hand keeps the line as the dice in their order, from which the board follows, in 44 bytes.

Verifiers are compiled with `{flags}`, and with `-DBFS` for breadth-first. Seconds of the search by each program's own
clock (Spin's ticks in hundredths), and by the processor in brackets. *× Spin*: so many times as fast as Spin, by the
processor, starting and ending Spin's process included; below 1 tablelaw is slower.
"""


def write(results: Row) -> str:
    """The whole page."""
    parts = [HEAD.format(repeats=results["repeats"], machine=tables.machine_line(results, BUSY)), *tables.told(results)]
    return "".join([*parts, GAMES.format(flags=" ".join(("gcc", *spin.FLAGS, *spin.SMALL))), "\n", _searches(results), LESSONS])


LESSONS = """
Where tablelaw loses: on boards. A position with a layout is some hundred objects of Python where Spin has 44 bytes; that a
question about such a game can be answered at all is mostly due to proofs that leave the board open, not to speed.
"""


def ratio(results: Row, game: str, order: str) -> float | None:
    """How many times as fast as Spin the search of a game is, by the processor."""
    rows = {r["program"]: r for r in results["depth"] if r["game"] == game}
    mine, other = rows.get("tablelaw"), rows.get(f"Spin {order}")
    if mine is None or other is None:
        return None
    spent = tables.middle(mine, "processor")
    return tables.middle(other, "processor") / spent if spent else None


def _searches(results: Row) -> str:
    lines = []
    for r in results["depth"]:
        if r["program"] != "tablelaw":
            continue
        line = [r["title"], f"{r['states']:,}", str(len(r["seconds"]["search"])), _clocks(r)]
        line.append(tables.rate(r["states"], tables.middle(r, "processor")))
        for order in spin.ORDERS:
            other = next((x for x in results["depth"] if (x["game"], x["program"]) == (r["game"], f"Spin {order}")), None)
            found = ratio(results, r["game"], order)
            line += ["–" if other is None else _clocks(other), "–" if found is None else tables.times(found)]
        held = [r, *(x for x in results["depth"] if x["game"] == r["game"] and x["program"] == "Spin breadth-first")]
        told = [f"{median(x['mebibytes']):.0f}" for x in held]
        lines.append([*line, *told, *["–"] * (2 - len(told))])
    head = ["", "positions", "runs", "tablelaw, s", "positions/s"]
    head += [h for order in spin.ORDERS for h in (f"Spin {order}, s", "× Spin")]
    return tables.table([*head, "tablelaw, MiB", "Spin breadth-first, MiB"], lines)


def _clocks(row: Row) -> str:
    return f"{tables.seconds(tables.middle(row, 'search'))} ({tables.seconds(tables.middle(row, 'processor'))})"
