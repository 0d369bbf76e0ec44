"""Layouts: features a second, closed cities and lines beside C programs, and z3 over all layouts of a size."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import boards_page
import every_layout
import layouts
import rows
from run import Results, Run

TITLE = "Layouts"
LIMIT = 4.0
"""Seconds by the clock for a question to z3; what takes longer is asked once."""
COUNTED = {
    "cities": ("closed_cities", ("cities", "made"), range(5, 10)),
    "lines": ("lines", ("lines", "loops"), range(4, 8)),
}
ROUNDS = {9: 3}
"""How often the largest are counted."""
EVERY_ROUNDS = 2


def child(args: list[str]) -> Any:
    """One measurement in this process."""
    if args[0] == "rates":
        return layouts.rates(int(args[1]))
    if args[0] == "every":
        return list(every_layout.rounds(args[1] == "quick", float(args[2]), set(args[3].split(","))))
    return (layouts.cities if args[0] == "cities" else layouts.lines)(int(args[1]))


def measure(run: Run) -> None:
    """All of it, in turns."""
    limit = LIMIT / 2 if run.quick else LIMIT
    run.results["versions"]["z3"] = version("z3-solver")
    run.results |= {"limit": limit, "rates": [], "cities": [], "lines": [], "every": []}
    skip: set[str] = set()
    with TemporaryDirectory() as name:
        programs = {key: layouts.compiled(program, Path(name)) for key, (program, _, _) in COUNTED.items()}
        if None in programs.values():
            run.results["skipped"].append("The C programs were not measured: no C compiler")
        for k in run.rounds():
            run.attempt("layouts a second", lambda: _rates(run))
            for key, (_, counts, sizes) in COUNTED.items():
                for n in sizes:
                    if k < ROUNDS.get(n, 1000) and not (run.quick and n > 6):
                        what = f"{key} of {n} dice"
                        run.attempt(what, lambda a=(key, counts, n, programs[key]): _counted(run, *a))  # type: ignore[misc]
            if k < EVERY_ROUNDS:
                run.attempt("all layouts of a size", lambda: _every(run, limit, skip))


def _rates(run: Run) -> None:
    for r in run.child("rates", "300" if run.quick else "2000", core=True)[0]:
        rows.put(run.results["rates"], {"way": r["way"], "layouts": r["layouts"]}, {}, {"told": r["seconds"]})


def _counted(run: Run, key: str, counts: tuple[str, str], n: int, program: Path | None) -> None:
    mine = run.child(key, str(n), core=True)[0]
    spent = {"tablelaw": mine["seconds"]}
    if program is not None:
        other = layouts.by_c(program, n)
        if [mine[c] for c in counts] != other["counts"]:
            raise rows.Differs(f"tablelaw counts {[mine[c] for c in counts]}, C {other['counts']}")
        spent["C"] = other["seconds"]
    rows.put(run.results[key], {"dice": n}, {c: mine[c] for c in counts}, spent)


def _every(run: Run, limit: float, skip: set[str]) -> None:
    for r in run.child("every", "quick" if run.quick else "all", str(limit), ",".join(skip), core=True)[0]:
        keys = {"what": r["what"], "n": r["n"], "way": r["way"]}
        rows.put(run.results["every"], keys, {"verdict": r["verdict"]}, {"asked": r["seconds"]})
        if r["verdict"] == "unknown":
            skip.add(f"{r['what']}/{r['n']}/{r['way']}")


def pages(results: Results) -> dict[str, str]:
    """The page of this part."""
    return {"benchmarks-boards.md": boards_page.write(results)}
