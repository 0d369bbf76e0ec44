"""Measures tablelaw beside hand-written models for Spin and z3 and C programs, and writes results.json and docs/benchmarks.md.

Every figure is the median of several runs made in turns (each thing once, then each once more), so that what else the machine
does falls on all alike. A question that is not answered within the limit is asked once and not again.

  python benchmarks/run.py            all of it: some minutes
  python benchmarks/run.py --quick    the small ones twice; prints the page and writes nothing
  python benchmarks/run.py --page     the page anew from results.json
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import forced
import layouts
import ours
import page
import spin
import z3_dice
import z3_layouts
from rows import Differs, machine, put, tell

HERE = Path(__file__).parent
RESULTS = HERE / "results.json"
PAGE = HERE.parent / "docs" / "benchmarks.md"
LIMIT = 10.0
HARD = 1200.0
WHOLLY = (2, 5)
"""For how many players all questions are asked; for others, and when quick, those alone that have a peer."""
Results = dict[str, Any]


def child(*args: str) -> tuple[Any, float]:
    """What this file prints as a process of its own, and the processor seconds of that."""
    began = spin.processor_seconds()
    command = [sys.executable, str(Path(__file__).resolve()), "--child", *args]
    found = subprocess.run(command, capture_output=True, text=True, check=False, timeout=HARD)
    spent = spin.processor_seconds() - began
    if found.returncode:
        raise SystemExit(f"{' '.join(args)} ended with {found.returncode}:\n{found.stderr[-2000:]}")
    return json.loads(found.stdout), spent


def child_main(args: list[str]) -> None:
    """The work of one process."""
    found: Any
    if args[0] == "search":
        found = ours.search(args[1])
    elif args[0] == "proofs":
        found = ours.proofs(int(args[1]), float(args[2]), set(args[3].split(",")), set(args[4].split(",")) if args[4] else None)
    elif args[0] == "rates":
        found = layouts.rates(int(args[1]))
    elif args[0] == "cities":
        found = layouts.cities(int(args[1]))
    elif args[0] == "forced":
        found = forced.forced(args[1])
    elif args[0] == "lines":
        found = ours.lines(int(args[1]))
    elif args[0] == "all-layouts":
        found = list(z3_layouts.rounds(args[1] == "quick", float(args[2]), set(args[3].split(","))))
    else:
        found = list(hand_written(int(args[1]), float(args[2]), set(args[3].split(","))))
    print(json.dumps(found))


def hand_written(players: int, limit: float, skip: set[str]) -> Iterator[dict[str, Any]]:
    """The z3 models, each question by each method."""
    for question, method in z3_dice.ASKED:
        if f"{question}/{method}" in skip:
            continue
        began = time.process_time()
        verdict = z3_dice.METHODS[method](question, players, limit)
        yield {"question": question, "method": method, "verdict": verdict, "seconds": time.process_time() - began}


def measure(repeats: int, quick: bool, limit: float) -> Results:
    """All measurements, `repeats` times over."""
    gone = spin.missing()
    results: Results = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": machine(),
        "versions": {"tablelaw": version("tablelaw"), "Python": platform.python_version(), "z3": version("z3-solver")}
        | ({} if gone else spin.versions()),
        "repeats": repeats,
        "limit": limit,
        "load": [round(os.getloadavg()[0], 1)] if hasattr(os, "getloadavg") else [],
        "skipped": [gone] if gone else [],
        "explicit": [],
        "spin": [],
        "proofs": [],
        "z3": [],
        "rates": [],
        "cities": [],
        "lines": [],
        "all layouts": [],
        "forced": [],
    }
    over: dict[str, set[str]] = {}
    for k in range(repeats):
        for name, it in ours.SEARCHES.items():
            if it.quick or not quick:
                tell(f"round {k + 1} of {repeats}: {it.title}")
                search(results, name, it, gone is None)
        for players in (2,) if quick else (2, 3, 4, 5):
            tell(f"round {k + 1} of {repeats}: dice game, proofs, {players} players")
            symbolic(results, players, limit, over, wholly=players in WHOLLY and not quick)
        tell(f"round {k + 1} of {repeats}: layouts")
        boards(results, quick, limit, over)
        tell(f"round {k + 1} of {repeats}: forced wins")
        wins(results, quick)
    if results["load"]:
        results["load"].append(round(os.getloadavg()[0], 1))
    return results


def search(results: Results, name: str, it: ours.Search, peer: bool) -> None:
    """One game searched by tablelaw and by Spin in both orders. Raises `Differs`."""
    found, whole = child("search", name)
    facts = {k: found[k] for k in ("states", "expanded", "steps")}
    if it.states and found["states"] != it.states:
        raise Differs(f"{it.title}: tablelaw finds {found['states']:,} states, and there are {it.states:,}")
    put(results["explicit"], {"game": name, "title": it.title}, facts, {**found["seconds"], "whole": whole})
    if it.model is None or not peer:
        return
    for order in spin.ORDERS:
        other = spin.measure(it.model, it.defines, order)
        if other["states"] != found["states"]:
            raise Differs(f"{it.title}: tablelaw finds {found['states']:,} states, Spin {order} {other['states']:,}")
        counts = {k: other[k] for k in ("states", "stored", "steps")}
        put(results["spin"], {"game": name, "order": order}, counts, other["seconds"])


def symbolic(results: Results, players: int, limit: float, over: dict[str, set[str]], wholly: bool) -> None:
    """The dice game's questions through tablelaw and the models by hand. `over` notes what is not answered in time."""
    skip = over.setdefault(f"ours {players}", set())
    only = "" if wholly else ",".join(z3_dice.QUESTIONS)
    for r in child("proofs", str(players), str(limit), ",".join(skip), only)[0]:
        facts = {k: r[k] for k in ("kind", "verdict", "known", "play")}
        put(results["proofs"], {"players": players, "question": r["question"]}, facts, {"proof": r["seconds"]})
        if r["verdict"] == "unknown" or r["seconds"] > limit:
            skip.add(r["question"])
    skip = over.setdefault(f"z3 {players}", set())
    for r in child("z3", str(players), str(limit), ",".join(skip))[0]:
        keys = {"players": players, "question": r["question"], "method": r["method"]}
        put(results["z3"], keys, {"verdict": r["verdict"]}, {"proof": r["seconds"]})
        if r["verdict"] == "unknown":
            skip.add(f"{r['question']}/{r['method']}")


def boards(results: Results, quick: bool, limit: float, over: dict[str, set[str]]) -> None:
    """Layouts a second, closed cities and lines beside C programs, and z3 over all layouts. Raises `Differs`."""
    for r in child("rates", "300" if quick else "2000")[0]:
        put(results["rates"], {"way": r["way"], "layouts": r["layouts"]}, {}, {"told": r["seconds"]})
    with TemporaryDirectory() as folder:
        for name, key, sizes in (
            ("closed_cities", "cities", range(5, 8 if quick else 10)),
            ("lines", "lines", range(4, 7 if quick else 9)),
        ):
            program = layouts.compiled(name, Path(folder))
            counts = ("cities", "made") if key == "cities" else ("lines", "loops")
            for n in sizes:
                mine = child(key, str(n))[0]
                spent = {"tablelaw": mine["seconds"]}
                if program is not None:
                    other = layouts.by_c(program, n)
                    if [mine[c] for c in counts] != other["counts"]:
                        raise Differs(f"{name}, {n} dice: tablelaw counts {[mine[c] for c in counts]}, C {other['counts']}")
                    spent["C"] = other["seconds"]
                put(results[key], {"dice": n}, {c: mine[c] for c in counts}, spent)
    skip = over.setdefault("all layouts", set())
    for r in child("all-layouts", "quick" if quick else "all", str(limit), ",".join(skip))[0]:
        keys = {"what": r["what"], "n": r["n"], "way": r["way"]}
        put(results["all layouts"], keys, {"verdict": r["verdict"]}, {"asked": r["seconds"]})
        if r["verdict"] == "unknown":
            skip.add(f"{r['what']}/{r['n']}/{r['way']}")


def wins(results: Results, quick: bool) -> None:
    """Forced wins, each in a process of its own. Raises `Differs` where another verdict was published."""
    for name, row in forced.ROWS.items():
        if quick and not row.quick:
            continue
        found, whole = child("forced", name)
        expected = forced.VERDICTS.get(row.published)
        if expected is not None and found["verdict"] != expected:
            raise Differs(f"{row.title}: tablelaw says {found['verdict']}, published is {row.published}")
        facts = {k: found[k] for k in ("verdict", "positions", "mebibytes")}
        keys = {"title": row.title, "published": row.published, "theirs": row.seconds}
        put(results["forced"], keys, facts, {"asked": found["seconds"], "whole": whole})


def main() -> int:
    """Measure, and write or print."""
    parser = argparse.ArgumentParser(description="Measure tablelaw beside hand-written models for Spin and z3.")
    parser.add_argument("--quick", action="store_true", help="the small ones twice; print the page and write nothing")
    parser.add_argument("--page", action="store_true", help="write docs/benchmarks.md anew from results.json")
    parser.add_argument("--repeats", type=int, default=0, help="how often each thing is measured (at least 5, 2 when quick)")
    parser.add_argument(
        "--limit", type=float, default=0.0, help=f"seconds by the clock for a question ({LIMIT:g}, 30 when quick)"
    )
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        child_main(args.child)
        return 0
    if args.page:
        results = json.loads(RESULTS.read_text(encoding="utf-8"))
    else:
        results = measure(max(args.repeats, 2 if args.quick else 5), args.quick, args.limit or (30.0 if args.quick else LIMIT))
    for line in results["skipped"]:
        tell(line)
    text = page.write(results)
    if args.quick:
        print(text)
        return 0
    if not args.page:
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(text, encoding="utf-8")
    tell(f"written: {RESULTS.relative_to(HERE.parent)} and {PAGE.relative_to(HERE.parent)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
