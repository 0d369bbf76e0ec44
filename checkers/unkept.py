"""Answers of which no evidence is kept: why, and what `index.json` lists of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tablelaw.checkers.result import Result

MOST_TOLD = 200
LONGEST = 400
UNREAD = "nothing that was found for it can be looked at again without the engine"


def why_none(r: Result, shows: bool) -> str:
    """Why an answer without evidence has none; `shows`: evidence is kept of answers like it."""
    v = r.verdict
    if v.verdict == "unknown":
        return f"it is not known: {v.reason}" if v.reason else "it is not known"
    if r.kind == "scenario":
        return "a scenario is played again by each `check`"
    if v.told is not None and v.trace is not None:
        return "the play told with the answer shows where rules part or speak; each `check` takes it again"
    if v.verdict == "value":
        return UNREAD if shows else f"of `{r.kind}` no evidence is kept"
    if v.trace is not None and (r.kind == "possible" or (v.verdict == "fails" and r.kind != "force")):
        return "the play told with the answer shows it: `tablelaw play` goes through it again"
    if v.verdict == "fails":
        return "evidence is kept of what holds, and of what cannot be reached"
    return UNREAD if shows else f"evidence that `{r.kind}` holds is not kept"


def listed(index: dict[str, object] | None) -> list[dict[str, str]]:
    """The answers that an index lists without evidence, each with the reason; whatever is not of this form is left out."""
    rows = None if index is None else index.get("without")
    if not isinstance(rows, list):
        return []
    found = []
    for row in rows[:MOST_TOLD]:
        if isinstance(row, dict) and isinstance(row.get("question"), str):
            reason = row.get("reason")
            why = reason if isinstance(reason, str) and reason else "no reason is told"
            found.append({"question": _plain(row["question"]), "reason": _plain(why)})
    return found


def _plain(text: str) -> str:
    """A text of a file that anybody may have written, fit for one line of a terminal."""
    return "".join(c if c.isprintable() else " " for c in text[:LONGEST])


def told(without: Iterable[dict[str, str]]) -> list[str]:
    """The answers without evidence in lines, one for each reason of each question."""
    return list(dict.fromkeys(f"{w['question']}: no evidence — {w['reason']}" for w in without))
