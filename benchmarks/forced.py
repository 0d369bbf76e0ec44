"""Forced wins of small board games, from the rules file to the verdict, beside what was published for solvers fed by hand.

The published verdicts and seconds are those of table 2 of He, Saffidine, Thielscher: Solving Two-player Games with QBF
Solvers in General Game Playing (AAMAS 2024): the best of their solvers, on their machine.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass, field
from typing import Any

import forced_page
import rows
from run import EXAMPLES, Faulty, Results, Run

from tablelaw.checkers.selection import Request
from tablelaw.checkers.session import Session
from tablelaw.spec.diagnostics import Diagnostics, render
from tablelaw.spec.load import load


@dataclass(frozen=True, slots=True)
class Row:
    """A question under options; what was published of it, and the seconds of that where they are known."""

    title: str
    game: str
    question: str
    options: dict[str, str] = field(default_factory=dict)
    published: str = ""
    seconds: float | None = None
    quick: bool = True
    rounds: int = 1000


def _board(columns: int, rows: int, **more: int) -> dict[str, str]:
    return {"columns": str(columns), "rows": str(rows), **{k: str(v) for k, v in more.items()}}


WIN = "first-forces-a-win"
ROWS = {
    **{
        f"connect-{n}-in-{k}": Row(
            f"three in a line on {n}×{n}, within {k} moves", "connect", f"{WIN}-in-{k}", _board(n, n, line=3), told
        )
        for n in (4, 5, 6)
        for k, told in ((9, "yes"), (8, "no"))
    },
    "connect-4": Row("four in a line on 4×4", "connect", WIN, _board(4, 4, line=4)),
    "connect-5": Row("four in a line on 5×5", "connect", WIN, _board(5, 5, line=4), "left open", 135.5, quick=False, rounds=1),
    "breakthrough-2-5": Row("Breakthrough 2×5", "breakthrough", WIN, _board(2, 5), "no"),
    "breakthrough-2-6": Row("Breakthrough 2×6, within 15 moves", "breakthrough", "won-in-15", _board(2, 6), "yes"),
    "breakthrough-2-6-14": Row("Breakthrough 2×6, within 14 moves", "breakthrough", "not-won-in-14", _board(2, 6), "no"),
    "breakthrough-3-4": Row("Breakthrough 3×4", "breakthrough", WIN, _board(3, 4), "no"),
    "breakthrough-3-5": Row("Breakthrough 3×5", "breakthrough", WIN, _board(3, 5)),
    "breakthrough-4-4": Row("Breakthrough 4×4", "breakthrough", WIN, _board(4, 4), "no", 17.4),
    "dots-2-2": Row("Dots and Boxes 2×2", "dots-and-boxes", WIN, _board(2, 2), "yes"),
    "dots-2-3": Row("Dots and Boxes 2×3", "dots-and-boxes", WIN, _board(2, 3), "no", 15.1),
    "dots-3-3": Row("Dots and Boxes 3×3", "dots-and-boxes", WIN, _board(3, 3), quick=False, rounds=1),
}
VERDICTS = {"yes": "holds", "no": "fails"}


TITLE = "Forced wins"


def child(args: list[str]) -> dict[str, Any]:
    """One question in this process."""
    return forced(args[0])


def measure(run: Run) -> None:
    """Each in a process of its own, in turns."""
    run.results["forced"] = []
    for k in run.rounds():
        for name, row in ROWS.items():
            if (row.quick or not run.quick) and k < row.rounds:
                run.attempt(row.title, lambda name=name, row=row: _one(run, name, row))  # type: ignore[misc]


def _one(run: Run, name: str, row: Row) -> None:
    """Raises `rows.Differs` where another verdict was published."""
    found, spent = run.child(name, core=True)
    expected = VERDICTS.get(row.published)
    if expected is not None and found["verdict"] != expected:
        raise rows.Differs(f"tablelaw says {found['verdict']}, published is {row.published}")
    facts = {k: found[k] for k in ("verdict", "positions", "mebibytes")}
    keys = {"title": row.title, "published": row.published, "theirs": row.seconds}
    rows.put(run.results["forced"], keys, facts, {"asked": found["seconds"], "whole": spent.processor})


def pages(results: Results) -> dict[str, str]:
    """The page of this part."""
    return {"benchmarks-forced.md": forced_page.write(results)}


def forced(name: str) -> dict[str, Any]:
    """The answer to one row, with the positions looked at, the peak of this process in MiB, and seconds of the processor."""
    row = ROWS[name]
    began = time.process_time()
    sink = Diagnostics()
    rules = load(str(EXAMPLES / row.game / "rules.yaml"), sink)
    if rules is None:
        raise Faulty("\n".join(render(d) for d in sink.items))
    session = Session(rules, Request((row.question,), setting=row.options, cores=False), sink)
    session.check()
    found = [r for _, _, r in session.answers(list(session.selection.cases())) if r is not None]
    spent = time.process_time() - began
    if len(found) != 1 or sink.has_errors:
        raise Faulty("\n".join(render(d) for d in sink.items) or f"`{row.question}` has {len(found)} answers")
    verdict = found[0].verdict
    return {"verdict": verdict.verdict, "positions": verdict.states, "mebibytes": _peak(), "seconds": spent}


def _peak() -> int | None:
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(most // (1 << 20 if sys.platform == "darwin" else 1 << 10))
