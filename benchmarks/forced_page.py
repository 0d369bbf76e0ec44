"""The page docs/benchmarks-forced.md from the figures of forced.py."""

from __future__ import annotations

from typing import Any

import tables

Row = dict[str, Any]
HEAD = """# Benchmarks: forced wins

This page is written by `make bench` (`benchmarks/forced.py`); change `benchmarks/forced_page.py`, not the page. All figures are
medians of {repeats} runs (of one, where it takes long: see *runs*), each a process of its own, made in turns, in seconds of one
processor. Other comparisons: [overview](benchmarks.md).

{machine}.

Can the first player win whatever the second does? From the rules file to the verdict: small games are listed whole and
judged backwards, larger ones searched depth-first, with what decided elsewhere tried first and boards counted as one that
the rules do not tell apart. Every play that shows an answer is replayed. Positions are those that were looked at. Beside
it table 2 of He, Saffidine and Thielscher (Solving Two-player Games with QBF Solvers in General Game Playing, AAMAS
2024): their verdicts, and where it is known to us how long their best solver took, on their machine, for rules that were
given to it as formulas by hand. What differs from a published verdict is told and left out.
"""


def write(results: Row) -> str:
    """The whole page."""
    head = HEAD.format(repeats=results["repeats"], machine=tables.machine_line(results))
    return "".join([head, *tables.told(results), "\n", _table(results)])


def _table(results: Row) -> str:
    lines = []
    for r in results["forced"]:
        mine, theirs = tables.middle(r, "whole"), r["theirs"]
        answer = {"holds": "yes", "fails": "no"}.get(r["verdict"], r["verdict"])
        line = [r["title"], answer, r["published"] or "–", f"{r['positions']:,}", str(r["mebibytes"] or "–")]
        line += [str(len(r["seconds"]["whole"])), tables.seconds(tables.middle(r, "asked")), tables.seconds(mine)]
        lines.append([*line, *(["–", "–"] if theirs is None else [tables.seconds(theirs), tables.times(theirs / mine)])])
    head = [
        "the first player forces a win",
        "answer",
        "published",
        "positions",
        "MiB",
        "runs",
        "tablelaw, s",
        "whole process, s",
    ]
    return tables.table([*head, "published, s", "times as fast"], lines)
