"""Measures odds and means beside the model checker Storm, and writes docs/benchmarks-chance.md.

tablelaw reads the rules file of an example; Storm reads a model written by hand for it (`benchmarks/*.prism`), with
variables and guards as its authors would have them. Each run of either is a process of its own, in turns.

  python benchmarks/chance.py            all of it, five times: a few minutes
  python benchmarks/chance.py --quick    the small ones once; prints the page and writes nothing
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

import page
import storm
from rows import machine, tell

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "benchmarks-chance.md"
LIMIT = 600.0
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Figure:
    """A question of an example, and the same asked of a model by hand."""

    title: str
    example: str
    question: str
    model: str
    asked: str
    options: dict[str, str] = field(default_factory=dict)
    players: int = 1
    exactly: bool = True
    """Can Storm answer it in fractions within a minute or so?"""
    quick: bool = True


FIGURES = {
    "coupon": Figure(
        "Coupons, 7 in threes", "coupon-collector", "expected-rounds", "coupon", 'R{"rounds"}=? [ F "complete" ]',
        {"coupons": "7", "draws": "3"},
    ),
    "shut-the-box": Figure("Shut the Box", "shut-the-box", "close", "shut_the_box", 'Pmax=? [ F "shut" ]'),
    "both-hold": Figure(
        "Pig to 100, both hold at 20", "pig", "both-hold-at-20", "pig_both_hold", 'P=? [ F "won" ]', players=2, quick=False,
    ),
    "against-hold": Figure(
        "Pig to 100, best against hold at 20", "pig", "against-hold-at-20", "pig_hold", 'Pmax=? [ F "won" ]',
        {"second-player": "hold-at-20"}, 2, exactly=False, quick=False,
    ),
}  # fmt: skip

HEAD = """# Benchmarks of odds

Written by `python benchmarks/chance.py`, which `make bench` runs too; change that file, not the page. Medians of
{repeats} runs, each a process of its own, made in turns. Seconds are processor seconds.

{machine}.

tablelaw is given the rules file of the example, Storm a model of the same game written by hand (`benchmarks/*.prism`).
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


def child(args: list[str]) -> Row:
    """One measurement, in this process."""
    it = FIGURES[args[1]]
    if args[0] == "storm":
        found = storm.ask(HERE / f"{it.model}.prism", it.asked, args[2])
        return {"value": str(found.value), "states": found.states, "seconds": found.seconds}
    began = time.process_time()
    from tablelaw.solver.chance import engine as _loaded  # noqa: F401
    from tablelaw.solver.engine import Engines
    from tablelaw.solver.evaluate import starts
    from tablelaw.solver.space.graph import Budget
    from tablelaw.spec.diagnostics import Diagnostics
    from tablelaw.spec.load import load
    from tablelaw.spec.questions import Reader
    from tablelaw.spec.settings import defaults

    loaded, sink = time.process_time(), Diagnostics()
    rules = load(str(HERE.parent / "examples" / it.example / "rules.yaml"), sink)
    assert rules is not None
    game = rules.game({**defaults(rules.document), **it.options}, it.players, sink)
    assert game is not None, [d.message for d in sink]
    asked = Reader(game, sink, starts(game)[0]).question(rules.document.questions[it.question])
    assert asked is not None
    read = time.process_time()
    verdict = Engines(game).figure(asked, Budget(LIMIT))
    done = time.process_time()
    told: Row = {"load": loaded - began, "read": read - loaded, "figure": done - read}
    return {"value": verdict.value, "interval": verdict.interval, "states": verdict.states, "seconds": told}


def measured(*args: str) -> Row:
    """The same in a process of its own."""
    command = [sys.executable, str(Path(__file__).resolve()), "--child", *args]
    found = subprocess.run(command, capture_output=True, text=True, check=False, timeout=2 * LIMIT)
    if found.returncode:
        raise SystemExit(f"{' '.join(args)} ended with {found.returncode}:\n{found.stderr[-2000:]}")
    row: Row = json.loads(found.stdout)
    return row


def measure(repeats: int, quick: bool) -> Row:
    """All figures by both programs, in turns; what was answered must be the same each time."""
    gone, before = storm.missing(), load()
    rows: dict[str, dict[str, Row]] = {}
    for k in range(repeats):
        for name, it in FIGURES.items():
            if quick and not it.quick:
                continue
            ways = [] if gone else [w for w in storm.WAYS if it.exactly or w != "exact"]
            for way in ("tablelaw", *ways):
                tell(f"round {k + 1} of {repeats}: {it.title}, {way}")
                found = measured("figure", name) if way == "tablelaw" else measured("storm", name, way)
                kept = rows.setdefault(name, {}).setdefault(way, {**found, "seconds": {s: [] for s in found["seconds"]}})
                for s, t in found["seconds"].items():
                    kept["seconds"][s].append(t)
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": machine(),
        "versions": {"tablelaw": version("tablelaw"), "Python": platform.python_version()} | ({} if gone else storm.versions()),
        "repeats": repeats,
        "load": [before, load()],
        "skipped": [gone] if gone else [],
        "rows": rows,
    }


def load() -> float:
    """How busy the machine is, where it tells."""
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else 0.0


def whole(row: Row) -> float:
    """The median over the runs of all that is counted."""
    parts = [v for k, v in row["seconds"].items() if k != "load"]
    return float(median(map(sum, zip(*parts, strict=True))))


def write(results: Row) -> str:
    """The page."""
    rows: dict[str, dict[str, Row]] = results["rows"]
    parts = [HEAD.format(repeats=results["repeats"], machine=page.machine_line(results))]
    parts += [f"\n{line}.\n" for line in results["skipped"]]
    answers, clocks = [], []
    for name, ways in rows.items():
        mine, truth = ways["tablelaw"], _truth(ways)
        peers = [ways.get(w) for w in storm.WAYS]
        answers.append(
            [FIGURES[name].title, _digits(truth), _ours(mine), *("–" if p is None else _off(p, truth) for p in peers)]
        )
        spent = whole(mine)
        line = [FIGURES[name].title, f"{mine['states']:,}", page.seconds(spent)]
        for p in peers:
            line += ["–", "–"] if p is None else [page.seconds(whole(p)), page.times(spent / whole(p))]
        clocks.append([*line, "–" if peers[0] is None else f"{peers[0]['states']:,}"])
    heads = [f"Storm {w}" for w in storm.WAYS]
    parts += [ANSWERS, page.table(["", "the figure", "tablelaw", *heads], answers)]
    loads = [t for ways in rows.values() for t in ways["tablelaw"]["seconds"]["load"]]
    loading = f"tablelaw's modules take {median(loads):.2f} s"
    clock_heads = [h for w in heads for h in (f"{w}, s", "ratio")]
    parts += [TIMES.format(loading=loading), page.table(["", "states", "tablelaw, s", *clock_heads, "states there"], clocks)]
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
the rules into a program (a third of its time for Shut the Box, with all sets of tiles), runs that in Python, at six to
ten millionths a state, and tries to reckon in fractions before it turns to bounds, whose rounding is counted in. How to
play, and that the equations hold, is told and looked at again within the same time.
"""


def _why(rows: dict[str, dict[str, Row]]) -> str:
    lost = [
        f"- {FIGURES[name].title}, Storm {way}: {page.times(whole(ways['tablelaw']) / whole(ways[way]))} times as long.\n"
        for name, ways in rows.items()
        for way in storm.WAYS
        if way in ways and whole(ways["tablelaw"]) > whole(ways[way])
    ]
    text = "\n## Where tablelaw loses\n\n" + ("".join(lost) if lost else "In no comparison did tablelaw take longer.\n")
    return text + WHY


def main() -> int:
    """Measure, and write or print."""
    parser = argparse.ArgumentParser(description="Measure odds beside the model checker Storm.")
    parser.add_argument("--quick", action="store_true", help="the small ones once; print the page and write nothing")
    parser.add_argument("--repeats", type=int, default=0, help="how often each thing is measured (5, or once when quick)")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        print(json.dumps(child(args.child)))
        return 0
    text = write(measure(args.repeats or (1 if args.quick else 5), args.quick))
    if args.quick:
        print(text)
    else:
        PAGE.write_text(text, encoding="utf-8")
        tell(f"written: {PAGE.relative_to(HERE.parent)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
