"""How search grows: with the size of a board, with dice, and with players; exponents fitted.

The same rules with larger and larger numbers, on one processor, compiled and as generated Python.
"""

from __future__ import annotations

from typing import Any

import growth_page
import rows
import searched
from run import Results, Run

TITLE = "Growth"
PYTHON_MOST = {"dice": 6, "players": 4, "discs": 9, "squares": 20}
"""Sizes up to which generated Python is measured too."""
LARGE, LARGE_ROUNDS = 4_000_000, 3
"""From so many states on a size is measured so often at most."""
Model = searched.Model


def _hanoi(discs: int) -> Model:
    return Model(f"{discs} discs", "hanoi", {"pegs": "4", "discs": str(discs)}, 4**discs, quick=discs < 9)


def _connect(lines: int, columns: int, states: int) -> Model:
    options = {"rows": str(lines), "columns": str(columns), "line": "3"}
    return Model(f"{lines}×{columns}", "connect", options, states, players=2, quick=states < 200_000)


def _dice(dice: int, states: int) -> Model:
    return Model(f"{dice} dice", "dice_table.yaml", {"dice": str(dice), "goal": "9"}, states, quick=dice < 6)


def _players(players: int, states: int) -> Model:
    options = {"dice": "3", "goal": "3"}
    return Model(
        f"{players} player{'s' if players > 1 else ''}", "dice_table.yaml", options, states, players, quick=players < 5
    )


CURVES: dict[str, dict[int, Model]] = {
    "Hanoi with four pegs, discs": {n: _hanoi(n) for n in range(6, 13)},
    "Connect, lines of three, squares": {
        r * c: _connect(r, c, n) for r, c, n in ((3, 4, 7_157), (4, 4, 41_750), (5, 4, 195_472), (5, 5, 4_176_536))
    },
    "dice kept and rolled again, one player, dice": {
        n: _dice(n, s) for n, s in enumerate((515, 1_524, 3_793, 8_330, 16_647, 30_904, 54_071, 90_108), 2)
    },
    "the same with three dice, players": {
        n: _players(n, s) for n, s in enumerate((510, 3_060, 13_770, 55_080, 206_550, 743_580), 1)
    },
}
"""The same rules with larger and larger numbers."""


def child(args: list[str]) -> dict[str, Any]:
    """A search in this process."""
    return searched.search(CURVES[args[0]][int(args[1])], args[2])


def measure(run: Run) -> None:
    """Each size by both engines, in turns."""
    run.results["growth"] = []
    for k in run.rounds():
        for curve, sizes in CURVES.items():
            for size, it in sizes.items():
                if (it.quick or not run.quick) and (k < LARGE_ROUNDS or it.states < LARGE):
                    what = f"{curve}: {it.title}"
                    run.attempt(what, lambda c=curve, s=size, it=it: grown(run, c, s, it))  # type: ignore[misc]


def grown(run: Run, curve: str, size: int, it: Model) -> None:
    """A size of a game by both engines. Raises `rows.Differs`."""
    seconds, steps = {}, set()
    for way in ("C", "Python") if size <= PYTHON_MOST[curve.rpartition(", ")[2]] else ("C",):
        found = run.child(curve, str(size), way, core=True)[0]
        if found["states"] != it.states:
            raise rows.Differs(f"{it.title} in {way}: {found['states']:,} states, and there are {it.states:,}")
        seconds[way] = found["seconds"]["search"]
        seconds[f"{way} processor"] = found["seconds"]["processor"]
        steps.add(found["steps"])
    if len(steps) != 1:
        raise rows.Differs(f"{it.title}: {steps} steps")
    keys = {"curve": curve, "size": size, "title": it.title}
    rows.put(run.results["growth"], keys, {"states": it.states, "steps": steps.pop()}, seconds)


def pages(results: Results) -> dict[str, str]:
    """The page of this part and its pictures."""
    return {
        "benchmarks-growth.md": growth_page.write(results),
        "benchmarks-growth-seconds.svg": growth_page.seconds_by_states(results),
        "benchmarks-growth-states.svg": growth_page.states_by_size(results),
    }
