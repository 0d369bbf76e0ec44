"""The overview docs/benchmarks.md, with its picture, from the results of all parts that are there."""

from __future__ import annotations

from typing import Any

import chance_page
import depth_page
import growth_page
import picture
import playouts_page
import proofs_page
import search_page
import spin
import tables

Row = dict[str, Any]
HEAD = """# Benchmarks

This page is written by `make bench` (`benchmarks/bench.py`); change `benchmarks/overview.py`, not the page. tablelaw
reads rules files; the other programs read models that were written by hand for them, or are written for one game. Each
pair is measured in turns, in one run, on one machine, and must find the same. Ratios carry over to other machines better
than seconds do. What each figure is, what it was measured with, and where tablelaw loses and why, is told on the page of
each part.

![how many times as fast as other programs](benchmarks.svg)

"""
PARTS = {
    "search": ("benchmarks-search.md", "whole games beside Spin and TLC: time, cold starts, memory, two processors"),
    "depth": ("benchmarks-depth.md", "the dice game and Line Dice to a depth, beside Spin"),
    "growth": ("benchmarks-growth.md", "search on larger boards, with more dice and more players; exponents"),
    "playouts": ("benchmarks-playouts.md", "plays at random beside OpenSpiel"),
    "chance": ("benchmarks-chance.md", "odds beside Storm"),
    "forced": ("benchmarks-forced.md", "forced wins beside published times of QBF solvers"),
    "proofs": ("benchmarks-proofs.md", "proofs beside models written by hand for z3"),
    "z3_encodings": ("benchmarks-encodings.md", "encodings of a position for z3, beside each other"),
    "boards": ("benchmarks-boards.md", "layouts beside C programs and z3"),
}
GROWTH = """
## How search grows

![seconds by states](benchmarks-growth-seconds.svg)

![states by size](benchmarks-growth-states.svg)
"""
COLD = ", cold command"
Ratio = tuple[str, str, float]
"""What is compared, with whom, and how many times as fast tablelaw is."""


def pages(found: dict[str, Any]) -> dict[str, str]:
    """The overview and its picture."""
    told = ratios(found)
    bars = [(f"{what}, {whom}", r) for what, whom, r in told if not what.endswith(COLD)]
    return {"benchmarks.md": write(found), "benchmarks.svg": picture.bars("How many times as fast as other programs", bars)}


def write(found: dict[str, Any]) -> str:
    """The whole page."""
    lines = [[f"[{name}]({name})" if p in found else name, what, _when(found.get(p))] for p, (name, what) in PARTS.items()]
    parts = [HEAD, tables.table(["page", "what", "measured"], lines)]
    parts += ["\n## All ratios\n\nHow many times as fast tablelaw is; below 1 it is slower.\n\n", _ratios(found)]
    parts += [_targets(found), GROWTH + "\n" + growth_page.exponents(found["growth"]) if "growth" in found else ""]
    for part, results in found.items():
        parts += [f"\n{tables.filled(f'{part}: {line}')}\n" for line in (*results["skipped"], *results["failed"])]
    return "".join(parts)


def _when(results: Row | None) -> str:
    return "–" if results is None else f"{results['date']}, {results['repeats']} rounds"


def _ratios(found: dict[str, Any]) -> str:
    return tables.table(["", "beside", "times as fast"], [[what, whom, tables.times(r)] for what, whom, r in ratios(found)])


def ratios(found: dict[str, Any]) -> list[Ratio]:
    """All comparisons, in the order of the parts."""
    told: list[Ratio] = []
    if results := found.get("search"):
        told += _search(results)
    if results := found.get("depth"):
        for r in (r for r in results["depth"] if r["program"] == "tablelaw"):
            for order in spin.ORDERS:
                some = depth_page.ratio(results, r["game"], order)
                told += [] if some is None else [(r["title"], f"Spin {order}", some)]
    if results := found.get("playouts"):
        for game in dict.fromkeys(r["game"] for r in results["playouts"]):
            mine, other = playouts_page.pair(results, game)
            if other is not None:
                some = tables.middle(other, "a play") / tables.middle(mine, "a play")
                told.append((f"plays of {mine['title']}", other["program"], some))
    if results := found.get("chance"):
        for ways in results["rows"].values():
            for way in ("float", "exact"):
                if way in ways and "tablelaw" in ways:
                    some = chance_page.whole(ways[way]) / chance_page.whole(ways["tablelaw"])
                    told.append((ways["tablelaw"]["title"], f"Storm {way}", some))
    if results := found.get("proofs"):
        told += _proofs(results)
    if results := found.get("boards"):
        for key, what in (("cities", "closed cities of {} dice"), ("lines", "lines of {} dice")):
            both = [r for r in results[key] if "C" in r["seconds"] and tables.middle(r, "C") > 0]
            for r in both[-1:]:
                told.append((what.format(r["dice"]), "C by hand", tables.middle(r, "C") / tables.middle(r, "tablelaw")))
    return told


def _search(results: Row) -> list[Ratio]:
    told = []
    for r in (r for r in results["search"] if r["program"] == "tablelaw"):
        for order in spin.ORDERS:
            some = search_page.ratio(results, r["game"], f"Spin {order}", "search", "tablelaw")
            told += [] if some is None else [(r["title"], f"Spin {order}", some)]
        for whom in (*(f"Spin {o}" for o in spin.ORDERS), "TLC"):
            some = search_page.ratio(results, r["game"], whom, "cold", "command, cold")
            told += [] if some is None else [(f"{r['title']}{COLD}", whom, some)]
    return told


def _proofs(results: Row) -> list[Ratio]:
    told = []
    for question in dict.fromkeys(r["question"] for r in results["proofs"]):
        mine = proofs_page.row(results, question, 2, "tablelaw")
        for method, name in proofs_page.METHODS.items():
            other = proofs_page.row(results, question, 2, method)
            if mine and other and proofs_page.answered(mine) and proofs_page.answered(other):
                some = tables.middle(other, "proof") / tables.middle(mine, "proof")
                told.append((f"proof of {question}", f"z3 by hand, {name}", some))
    return told


def _targets(found: dict[str, Any]) -> str:
    if "search" not in found:
        return ""
    return search_page.TARGETS + "\n" + search_page.target_table(found["search"])
