"""What is wrong, where, and what to do about it: the record, the sink that collects it, and its printed form."""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from tablelaw.spec.source import Span

Severity = Literal["error", "warning"]

PAGE_WIDTH = 80
_TAB = "    "
_CUT = "…"
_MOST_CANDIDATES = 2000
_LONGEST_WORD = 80


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding about a text: lower case, no final period, the author's text in backticks."""

    code: str
    severity: Severity
    message: str
    span: Span | None
    label: str = ""
    notes: tuple[str, ...] = ()
    help: str | None = None


class Diagnostics:
    """A sink: it keeps each finding once and hands them out by file and place."""

    def __init__(self, items: Iterable[Diagnostic] = ()) -> None:
        """Start with the findings given."""
        self._items: dict[tuple[str, str, int, str], Diagnostic] = {}
        self.extend(items)

    def add(self, item: Diagnostic) -> None:
        """Take one finding, unless the same code, place and message is here already."""
        name, start = ("", -1) if item.span is None else (item.span.source.name, item.span.start)
        self._items.setdefault((item.code, name, start, item.message), item)

    def extend(self, items: Iterable[Diagnostic] | Diagnostics) -> None:
        """Take many findings."""
        for item in items:
            self.add(item)

    def error(
        self,
        code: str,
        span: Span | None,
        message: str,
        *,
        label: str = "",
        notes: Iterable[str] = (),
        help: str | None = None,
    ) -> None:
        """Report something that must be mended before the text can be used."""
        self.add(Diagnostic(code, "error", message, span, label, tuple(notes), help))

    def warning(
        self,
        code: str,
        span: Span | None,
        message: str,
        *,
        label: str = "",
        notes: Iterable[str] = (),
        help: str | None = None,
    ) -> None:
        """Report something that is allowed and looks like a mistake."""
        self.add(Diagnostic(code, "warning", message, span, label, tuple(notes), help))

    @property
    def items(self) -> list[Diagnostic]:
        """The findings, by file, place and code; those without a place come first."""
        return sorted(self._items.values(), key=_order)

    @property
    def has_errors(self) -> bool:
        """Whether anything here is an error."""
        return any(item.severity == "error" for item in self._items.values())

    def __iter__(self) -> Iterator[Diagnostic]:
        """Go through the findings in order."""
        return iter(self.items)

    def __len__(self) -> int:
        """Count the findings."""
        return len(self._items)


def _order(item: Diagnostic) -> tuple[str, int, int, str, str]:
    if item.span is None:
        return ("", -1, -1, item.code, item.message)
    return (item.span.source.name, item.span.start, item.span.end, item.code, item.message)


def render(d: Diagnostic) -> str:
    """Write a finding with its line of source underlined, its notes and its cure; ends without a line break."""
    rows = [f"{d.severity}[{d.code}]: {printable(d.message)}"]
    margin = 0
    if d.span is not None:
        line, column = d.span.source.position(d.span.start)
        margin = len(str(line))
        shown, marks = _excerpt(d.span, printable(d.label), PAGE_WIDTH - margin - 3)
        rows.append(f"{'':{margin}}--> {printable(d.span.source.name)}:{line}:{column}")
        rows.append(f"{'':{margin}} |")
        rows.append(f"{line} | {shown}".rstrip())
        rows.append(f"{'':{margin}} | {marks}")
    tails = [(" = ", note) for note in d.notes] + ([(" = help: ", d.help)] if d.help else [])
    for head, text in tails:
        first, *rest = text.split("\n")
        rows.append(f"{'':{margin}}{head}{printable(first)}")
        rows.extend(f"{'':{margin + len(head)}}{printable(row)}".rstrip() for row in rest)
    return "\n".join(rows)


@dataclass(slots=True)
class _Line:
    """A line as it is printed: what each character of the source shows, and the columns that takes."""

    shown: list[str] = field(default_factory=list)
    widths: list[int] = field(default_factory=list)

    def columns(self, start: int, end: int) -> int:
        return sum(self.widths[start:end])


def _measure(text: str) -> _Line:
    line = _Line()
    for char in text:
        shown = _TAB if char == "\t" else printable(char)
        line.shown.append(shown)
        line.widths.append(_width(char) if shown == char else len(shown))
    return line


def _excerpt(span: Span, label: str, room: int) -> tuple[str, str]:
    """Give the line of a span and the marks below it, both cut to `room` columns where that can be done."""
    number, column = span.source.position(span.start)
    text = span.source.line_text(number)
    start = min(column - 1, len(text))
    end = min(max(span.end - span.start, 0) + start, len(text))
    # NOTE(cut): only the neighbourhood of the span can be shown, so a line of a megabyte is never measured whole.
    base = max(0, start - room)
    end_seen = min(len(text), max(end, start) + room, start + 2 * room)
    line = _measure(text[base:end_seen])
    start, end = start - base, min(end - base, end_seen - base)
    tail = len(label) + 1 if label else 0
    mark_columns = max(line.columns(start, end), 1)
    first = 0
    if base or line.columns(0, start) + min(mark_columns + tail, room) > room:
        reach = max(0, room - min(mark_columns + tail, room) - len(_CUT))
        first = start
        while first > 0 and line.columns(first - 1, start) <= reach:
            first -= 1
    cut_left = base > 0 or first > 0
    budget = room - cut_left
    last = first
    while last < len(line.shown) and line.columns(first, last + 1) <= budget:
        last += 1
    cut_right = last < len(line.shown) or end_seen < len(text)
    while cut_right and last > first and line.columns(first, last) > budget - len(_CUT):
        last -= 1
    left, right = _CUT if cut_left else "", _CUT if cut_right else ""
    shown = left + "".join(line.shown[first:last]) + right
    before = len(left) + line.columns(first, start)
    carets = max(1, line.columns(start, min(end, max(last, start))))
    return shown, (" " * before + "^" * carets + (f" {label}" if label else "")).rstrip()


def _width(char: str) -> int:
    """Give the columns that a printable character takes in a terminal."""
    if unicodedata.category(char) in ("Mn", "Me"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def printable(text: str) -> str:
    """Show control characters, invisible ones and those that turn the direction of writing as escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(_escaped(char) if _hidden(char) else char for char in text)


def _hidden(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp")


def _escaped(char: str) -> str:
    short = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char)
    code = ord(char)
    return short or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")


def did_you_mean(word: str, candidates: Iterable[str]) -> str | None:
    """Give the candidate that `word` most likely stands for, or nothing if none is near."""
    if not word or len(word) > _LONGEST_WORD:
        return None
    long = len(word) // 2 + 1  # names of quite another length are never near
    known = {name for name in islice(candidates, _MOST_CANDIDATES) if 0 < len(name) <= _LONGEST_WORD}
    return _nearest(word, tuple(sorted(name for name in known if name != word and abs(len(name) - len(word)) <= long)))


@lru_cache(maxsize=4096)
def _nearest(word: str, known: tuple[str, ...]) -> str | None:
    """The search itself; a game is checked under many options, and asks for the same names each time."""
    folded = _fold(word)
    for name in known:
        if _fold(name) == folded:
            return name
    near = difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return near[0] if near else None


def _fold(name: str) -> str:
    return name.casefold().replace("-", "_")
