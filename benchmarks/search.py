"""Compiled search beside Spin and TLC: seconds of the search, of the whole command, memory, and two processors beside one.

tablelaw reads the rules file of an example; the peers read models written by hand. Searches are held to one processor; two
are measured apart.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import rows
import search_page
import searched
import spin
import tlc
from run import HERE, Results, Run

TITLE = "Compiled search"
TLC_ROUNDS = 3
"""It takes longest of all by far."""


def child(args: list[str]) -> dict[str, Any]:
    """A search in this process."""
    return searched.search(searched.MODELS[args[0]], args[1])


def measure(run: Run) -> None:
    """Each model by all programs, in turns."""
    peer, other = run.peer(spin.missing(), spin.versions), run.peer(tlc.missing(), dict[str, str])
    run.results["search"] = []
    asked(run, searched.MODELS["tic-tac-toe"], None, "--no-cache")  # from here on there is bytecode
    for k in run.rounds():
        for name, it in searched.MODELS.items():
            if run.quick and not it.quick:
                continue
            run.attempt(f"{it.title} by tablelaw", lambda name=name, it=it: ours(run, name, it))  # type: ignore[misc]
            for order in spin.ORDERS if peer else ():
                run.attempt(
                    f"{it.title} by Spin {order}",
                    lambda name=name, it=it, order=order: by_spin(run.results, name, it, order),  # type: ignore[misc]
                )
            if it.tlc and other and k < TLC_ROUNDS:
                run.attempt(
                    f"{it.title} by TLC",
                    lambda name=name, it=it: note(run.results, name, it, "TLC", tlc.measure(it.tlc)),  # type: ignore[misc]
                )


def asked(run: Run, it: searched.Model, cache: Path | None, *more: str) -> tuple[int, spin.Spent]:
    """The question `states` asked of the command: the answer, and what it took."""
    options = [x for k, v in it.options.items() for x in ("--option", f"{k}={v}")]
    command = [str(Path(sys.executable).with_name("tablelaw")), "check", str(it.rules), *options, "--question", "states"]
    text, spent = spin.ran([*command, "--no-plays", "--json", *more], HERE, env=run.kept(cache))
    [result] = [r for r in json.loads(text)["results"] if r["question"] == "states"]
    return int(result["value"]), spent


def note(results: Results, name: str, it: searched.Model, program: str, found: dict[str, Any], **facts: Any) -> None:
    """Add a run of a program. Raises `rows.Differs`."""
    if found["states"] != it.states:
        raise rows.Differs(f"{it.title}: {program} finds {found['states']:,} states, and there are {it.states:,}")
    rows.put(results["search"], {"game": name, "program": program}, {"states": it.states, **facts}, found["seconds"])
    row = next(r for r in results["search"] if (r["game"], r["program"]) == (name, program))
    for what in ("mebibytes", "floor"):
        if what in found:
            row.setdefault(what, []).append(found[what])


def ours(run: Run, name: str, it: searched.Model) -> None:
    """The search on one processor and on all, and the command with and without what was kept."""
    found = run.child(name, it.way, core=True)[0]
    note(run.results, name, it, "tablelaw", found, title=it.title, steps=found["steps"], bits=found["bits"])
    if it.way == "C" and len(os.sched_getaffinity(0)) > 1:
        note(run.results, name, it, "tablelaw, all processors", run.child(name, it.way)[0])
    with TemporaryDirectory() as empty:
        for way, more in (
            ("cold", ("--no-cache",)),
            ("compiled before", ("--no-cache",)),
            ("keeping the answer", ()),
            ("answered before", ()),
        ):
            states, spent = asked(run, it, Path(empty), *more)
            if way != "keeping the answer":
                seconds = {"cold": spent.clock, "cold processor": spent.processor}
                told = {"states": states, "mebibytes": spent.mebibytes, "seconds": seconds}
                note(run.results, name, it, f"command, {way}", told)


def by_spin(results: Results, name: str, it: searched.Model, order: str) -> None:
    """The model by hand in one order."""
    found = spin.weigh(it.spin, it.defines, order, it.arguments[order], it.states)
    note(results, name, it, f"Spin {order}", found, steps=found["steps"], arguments=" ".join(it.arguments[order]))


def pages(results: Results) -> dict[str, str]:
    """The page of this part."""
    return {"benchmarks-search.md": search_page.write(results)}
