"""Measures compiled search beside Spin and TLC, and writes results-search.json and docs/benchmarks-search.md.

tablelaw reads the rules file of an example; the peers read models written by hand. Each run of either is a process of its own,
in turns. Searches are held to one processor; two are measured apart.

  python benchmarks/compiled.py            all of it, five times: some ten minutes
  python benchmarks/compiled.py --quick    the small ones twice; prints the page and writes nothing
  python benchmarks/compiled.py --page     the page anew from results-search.json
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import compiled_ours as ours
import compiled_page as page
import rows
import spin
import tlc

HERE = Path(__file__).parent
RESULTS = HERE / "results-search.json"
PAGE = HERE.parent / "docs" / "benchmarks-search.md"
PICTURE = PAGE.with_suffix(".svg")
BYTECODE = TemporaryDirectory(prefix="bytecode-")
Results = dict[str, Any]


def measure(repeats: int, quick: bool) -> Results:
    """All measurements, `repeats` times over. Raises `rows.Differs`."""
    gone, away = spin.missing(), tlc.missing()
    results: Results = {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": rows.machine(),
        "versions": {"tablelaw": version("tablelaw"), "Python": sys.version.split()[0]} | ({} if gone else spin.versions()),
        "repeats": repeats,
        "load": [round(os.getloadavg()[0], 1)],
        "skipped": [why for why in (gone, away) if why],
        "search": [],
        "growth": [],
    }
    with TemporaryDirectory() as cache:
        asked(ours.CURVES["Hanoi with four pegs"]["hanoi-6"], Path(cache))  # from here on there is bytecode
        for k in range(repeats):
            for name, it in ours.MODELS.items():
                if it.quick or not quick:
                    rows.tell(f"round {k + 1} of {repeats}: {it.title}")
                    one(results, name, it, Path(cache), gone is None, away is None)
            for curve, sizes in ours.CURVES.items():
                rows.tell(f"round {k + 1} of {repeats}: {curve}")
                for name, it in sizes.items():
                    if it.quick or not quick:
                        grown(results, curve, name, it, Path(cache))
    results["load"].append(round(os.getloadavg()[0], 1))
    return results


def child(name: str, way: str, cache: Path, core: bool) -> dict[str, Any]:
    """A search in a process of its own."""
    command = [sys.executable, str(Path(__file__).resolve()), "--child", name, way]
    found: dict[str, Any] = json.loads(spin.ran(command, HERE, core, _kept(cache))[0])
    return found


def _kept(cache: Path) -> dict[str, str]:
    """What is compiled is kept in a folder; Python keeps its bytecode, as of anything installed, whatever is set here."""
    env = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    env.pop("TABLELAW_NO_CACHE", None)  # whether answers are kept is measured: `--no-cache` stands where they are not
    return {**env, "TABLELAW_CACHE": str(cache), "PYTHONPYCACHEPREFIX": BYTECODE.name}


def asked(it: ours.Model, cache: Path, *more: str) -> tuple[int, spin.Spent]:
    """The question `states` asked of the command: the answer, and what it took."""
    options = [x for k, v in it.options.items() for x in ("--option", f"{k}={v}")]
    command = [str(Path(sys.executable).with_name("tablelaw")), "check", str(it.rules), *options, "--question", "states"]
    text, spent = spin.ran([*command, "--no-plays", "--json", *more], HERE, env=_kept(cache))
    [result] = [r for r in json.loads(text)["results"] if r["question"] == "states"]
    return int(result["value"]), spent


def one(results: Results, name: str, it: ours.Model, cache: Path, peer: bool, other: bool) -> None:
    """A model by all programs. Raises `rows.Differs`."""

    def note(program: str, found: dict[str, Any], **facts: Any) -> None:
        if found["states"] != it.states:
            raise rows.Differs(f"{it.title}: {program} finds {found['states']:,} states, and there are {it.states:,}")
        rows.put(results["search"], {"game": name, "program": program}, {"states": it.states, **facts}, found["seconds"])
        row = next(r for r in results["search"] if (r["game"], r["program"]) == (name, program))
        for what in ("mebibytes", "floor"):
            if what in found:
                row.setdefault(what, []).append(found[what])

    found = child(name, "C", cache, core=True)
    note("tablelaw", found, title=it.title, steps=found["steps"], bits=found["bits"])
    if len(os.sched_getaffinity(0)) > 1:
        note("tablelaw, all processors", child(name, "C", cache, core=False))
    with TemporaryDirectory() as empty:
        for way, folder, more in (
            ("cold", Path(empty), ("--no-cache",)),
            ("compiled before", Path(empty), ("--no-cache",)),
            ("keeping the answer", Path(empty), ()),
            ("answered before", Path(empty), ()),
        ):
            states, spent = asked(it, folder, *more)
            if way != "keeping the answer":
                seconds = {"cold": spent.clock, "cold processor": spent.processor}
                note(f"command, {way}", {"states": states, "mebibytes": spent.mebibytes, "seconds": seconds})
    for order in spin.ORDERS if peer else ():
        found = spin.weigh(it.spin, it.defines, order, it.arguments[order])
        note(f"Spin {order}", found, steps=found["steps"], arguments=" ".join(it.arguments[order]))
    if it.tlc and other:
        note("TLC", tlc.measure(it.tlc))


def grown(results: Results, curve: str, name: str, it: ours.Model, cache: Path) -> None:
    """A size of a game by both engines. Raises `rows.Differs`."""
    seconds, steps = {}, set()
    for way in ("C", "Python") if it.states <= ours.PYTHON_MOST else ("C",):
        found = child(name, way, cache, core=True)
        if found["states"] != it.states:
            raise rows.Differs(f"{it.title} in {way}: {found['states']:,} states, and there are {it.states:,}")
        seconds[way] = found["seconds"]["search"]
        seconds[f"{way} processor"] = found["seconds"]["processor"]
        steps.add(found["steps"])
    if len(steps) != 1:
        raise rows.Differs(f"{it.title}: {steps} steps")
    rows.put(results["growth"], {"curve": curve, "size": it.title}, {"states": it.states, "steps": steps.pop()}, seconds)


def main() -> int:
    """Measure, and write or print."""
    parser = argparse.ArgumentParser(description="Measure tablelaw's compiled search beside Spin and TLC.")
    parser.add_argument("--quick", action="store_true", help="the small ones twice; print the page and write nothing")
    parser.add_argument("--page", action="store_true", help="write docs/benchmarks-search.md anew from results-search.json")
    parser.add_argument("--repeats", type=int, default=0, help="how often each thing is measured (at least 5, 2 when quick)")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        print(json.dumps(ours.search(*args.child)))
        return 0
    if args.page:
        results = json.loads(RESULTS.read_text(encoding="utf-8"))
    else:
        results = measure(max(args.repeats, 2 if args.quick else 5), args.quick)
    for line in results["skipped"]:
        rows.tell(line)
    if args.quick:
        print(page.write(results))
        return 0
    if not args.page:
        RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page.write(results), encoding="utf-8")
    PICTURE.write_text(page.picture(results), encoding="utf-8")
    rows.tell(f"written: {RESULTS.relative_to(HERE.parent)}, {PAGE.relative_to(HERE.parent)} and its picture")
    return 0


if __name__ == "__main__":
    sys.exit(main())
