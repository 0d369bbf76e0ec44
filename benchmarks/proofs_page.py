"""The page docs/benchmarks-proofs.md from the figures of proofs.py."""

from __future__ import annotations

from typing import Any

import tables

Row = dict[str, Any]
METHODS = {"induction": "induction", "spacer": "Spacer", "bounded": "search"}
HEAD = """# Benchmarks: proofs beside z3 by hand

This page is written by `make bench` (`benchmarks/proofs.py`); change `benchmarks/proofs_page.py`, not the page. All figures are
medians of {repeats} runs, each a process of its own, made in turns, in seconds of one processor. Other comparisons:
[overview](benchmarks.md).

{machine}.

The dice game with two and with five players under its default options. The models in `benchmarks/z3_dice.py` have its rules but
for the table, of which they keep two numbers: how many dice lie, and how large the largest closed city is. tablelaw is
given whole layouts and leaves the board open by itself. By hand there is a count for each face, and unbounded integers.

- *Induction*: one step, with the invariants it needs thought out by hand for each question.
- *Spacer*: the same model with no hint.
- *Search*: depth by depth for a play to nine catapults.

tablelaw is given the rules file alone, with a fresh engine for each question: it makes z3's formulas, looks for a short
play, and finds the invariants it needs among what the questions of the file claim. Reading the file is not in it. In
brackets how many times as long tablelaw took. *none*: no answer within {limit:g} seconds by the clock, asked once.
"""
WHY = """
Why: one induction step with the right invariant in hand is the least that any proof costs. tablelaw makes such steps too,
but first has to find out which invariants hold. A person spends minutes on that instead, and again after each change of
the rules. Its formulas are made from the rules, clause by clause, with a check that no range is left; a model by hand
leaves out what its author knows not to matter.
"""


def write(results: Row) -> str:
    """The whole page."""
    head = HEAD.format(repeats=results["repeats"], machine=tables.machine_line(results), limit=results["limit"])
    return "".join([head, *tables.told(results), "\n", _table(results), WHY])


def row(results: Row, question: str, players: int, method: str) -> Row | None:
    """One question by one method."""
    keys = {"question": question, "players": players, "method": method}
    return next((r for r in results["proofs"] if all(r[k] == v for k, v in keys.items())), None)


def answered(r: Row | None) -> bool:
    """Was there an answer?"""
    return r is not None and "unknown" not in r["verdict"]


def _table(results: Row) -> str:
    lines = []
    for question in dict.fromkeys(r["question"] for r in results["proofs"]):
        for players in dict.fromkeys(r["players"] for r in results["proofs"]):
            mine = row(results, question, players, "tablelaw")
            line = [f"`{question}`, {players} players", _told(mine)]
            for method in METHODS:
                peer = row(results, question, players, method)
                told = "" if peer is None else _told(peer)
                if mine is not None and peer is not None and answered(mine) and answered(peer):
                    told += f" ({tables.times(tables.middle(mine, 'proof') / tables.middle(peer, 'proof'))})"
                line.append(told)
            lines.append(line)
    return tables.table(["", "tablelaw", *(f"by hand: {m}" for m in METHODS.values())], lines)


def _told(r: Row | None) -> str:
    if r is None:
        return "–"
    return tables.seconds(tables.middle(r, "proof")) if answered(r) else "none"
