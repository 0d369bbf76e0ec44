"""Writes the chains of questions of chance for other programs to solve: a second opinion on our figures."""

from __future__ import annotations

from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

from tablelaw.solver.engine import chain_texts
from tablelaw.solver.evaluate import starts
from tablelaw.solver.space.graph import Budget
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import Rules
from tablelaw.spec.questions import Asked, Reader
from tablelaw.spec.source import write_whole

if TYPE_CHECKING:
    from tablelaw.checkers.result import Result

FORMS = ("prism", "drn")
SECONDS = 600.0
NOTE_WIDTH = 72


def write_models(folder: Path, named: list[tuple[str, Result]], rules: Rules, form: str, sink: Diagnostics) -> list[object]:
    """Write `NAME.prism` (or `.drn`) and `NAME.props` of each `odds` and `expected`; the rows for the index.

    What cannot be written is told in its row and as a warning.
    """
    rows: list[object] = []
    asked_of_chance = [(name, r) for name, r in named if r.kind in ("odds", "expected")]
    for name, r in asked_of_chance:
        told: dict[str, object] = {"question": r.question, "options": r.options, "players": r.players, "value": r.verdict.value}
        asked = _asked(rules, r)
        found: dict[str, str] | str = "its question could not be read anew"
        if asked is not None and r.game is not None:
            found = chain_texts(r.game, asked, form, _notes(rules, r), Budget(SECONDS), r.verdict.value is not None)
        if isinstance(found, str):
            rows.append({**told, "reason": found})
            span = asked.span if asked else None
            sink.warning("Q123", span, f"no model of `{r.question}` was written", notes=[fill(found, NOTE_WIDTH)])
            continue
        for ending, text in found.items():
            write_whole(folder / f"{name}.{ending}", text)
        rows.append({**told, "files": [f"{name}.{ending}" for ending in found]})
    if not asked_of_chance:
        nothing(sink, "no model was written", "none of these questions is `odds` or `expected`")
    return rows


def nothing(sink: Diagnostics, what: str, why: str) -> None:
    """Say that nothing was written in the form that was asked for."""
    sink.warning("Q123", None, what, notes=[fill(why, NOTE_WIDTH)])


def _asked(rules: Rules, r: Result) -> Asked | None:
    q = rules.document.questions.get(r.question)
    if q is None or r.game is None:
        return None
    return Reader(r.game, Diagnostics(), starts(r.game)[0]).question(q)


def _notes(rules: Rules, r: Result) -> list[str]:
    """What the files say of themselves."""
    v, players = r.verdict, f"{r.players} player{'s' if r.players > 1 else ''}"
    options = "".join(f", {k}={name}" for k, name in r.options.items())
    answer = f"unknown ({v.reason})"
    if v.value is not None:
        answer = v.value
    elif v.interval is not None:
        answer = f"from {v.interval[0]} to {v.interval[1]}"
    return [
        f"tablelaw: `{r.question}` of `{rules.document.game}`, {players}{options}",
        f"answered there with {answer}",
    ]
