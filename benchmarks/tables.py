"""How figures are written: medians, seconds, ratios, tables, and where they were measured. It imports no engine and no peer."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median
from textwrap import fill
from typing import Any

Row = dict[str, Any]


def middle(row: Row, key: str) -> float:
    """The median of a row's seconds."""
    return float(median(row["seconds"][key]))


def seconds(s: float) -> str:
    """Seconds with as many digits as mean something."""
    if s < 0.001:
        return "<0.001"
    return f"{s:.3f}" if s < 1 else f"{s:.2f}" if s < 10 else f"{s:.1f}"


def times(ratio: float) -> str:
    """A ratio, to two digits."""
    if ratio < 0.1:
        return f"{ratio:.2g}"
    return f"{ratio:.2f}" if ratio < 1 else f"{ratio:.1f}" if ratio < 10 else f"{ratio:.0f}"


def table(head: list[str], rows: Iterable[list[str]]) -> str:
    """A table whose first column is text and whose others are figures."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def filled(text: str) -> str:
    """A paragraph in lines."""
    return fill(text, 122, break_long_words=False, break_on_hyphens=False)


def rate(count: int, spent: float) -> str:
    """So many a second, to two digits."""
    return f"{float(f'{count / spent:.2g}'):,.0f}" if spent else "–"


def machine_line(results: Row, so: str = "limits by the clock came early") -> str:
    """Where and when it was measured."""
    m = results["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in results["versions"].items())
    load = results["load"]
    told = f"; load average {load[0]} before and {load[-1]} after (1 is this run itself)" if load else ""
    where = f"{m['processor']}, {m['cores']} cores, {m['memory']}, {m['system']}"
    busy = load and min(load) > float(m["cores"]) + 1
    early = f". The machine was busy with other work throughout, so that {so}" if busy else ""
    return filled(f"Measured {results['date']} on {where}{told}. With {versions}{early}")


def listed(words: list[str], last: str) -> str:
    """Words with one before the last."""
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + f" {last} {words[-1]}"


def told(results: Row) -> list[str]:
    """What was not measured, as paragraphs."""
    return [f"\n{filled(line.rstrip('.'))}.\n" for line in (*results["skipped"], *results["failed"])]
