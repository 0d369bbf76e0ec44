"""What a YAML text says, as nodes that know their place; scalars are read by the core schema of YAML 1.2."""

from __future__ import annotations

import collections.abc
import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

from tablelaw.spec.source import Span

Style = Literal["plain", "single", "double", "literal", "folded"]
Value: TypeAlias = int | bool | Fraction | str | None

MAX_DIGITS = 100
"""The longest number that is read as one, in characters; also the largest power of ten in it."""

_NUMBER = re.compile(r"[-+]?(?:[0-9]+|\.[0-9]+|[0-9]+\.[0-9]*)(?:[eE](?P<power>[-+]?[0-9]+))?|0o[0-7]+|0x[0-9a-fA-F]+")
_WHOLE = re.compile(r"[-+]?[0-9]+")
_WORDS: dict[str, bool | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_ESCAPE = re.compile(r"\\(?:x.{2}|u.{4}|U.{8}|.)", re.DOTALL)


def number_too_long(text: str) -> bool:
    """Say whether an unquoted text is a number of more digits, or a larger power of ten, than is read."""
    match = _NUMBER.fullmatch(text)
    if match is None:
        return False
    power = match["power"]
    return len(text) > MAX_DIGITS or (power is not None and abs(int(power)) > MAX_DIGITS)


def core_value(text: str) -> Value:
    """Read an unquoted text: true, false, null, whole numbers, exact decimal fractions; all else stays text."""
    if text in _WORDS:
        return _WORDS[text]
    if _NUMBER.fullmatch(text) is None or number_too_long(text):
        return text
    if _WHOLE.fullmatch(text):
        return int(text)
    if text[:2] in ("0o", "0x"):
        return int(text, 0)
    return Fraction(text)


@dataclass(frozen=True, eq=False, slots=True)
class Scalar:
    """A text. `offsets` has the place in the source of each of its characters, and one entry more for the end."""

    text: str
    style: Style
    span: Span
    offsets: collections.abc.Sequence[int]

    @property
    def plain(self) -> bool:
        """Whether the text is written without quotes and is no block: only then can it be a number."""
        return self.style == "plain"

    @property
    def value(self) -> Value:
        """The text as the core schema of YAML 1.2 reads it; what is quoted, or a block, is always text."""
        return core_value(self.text) if self.style == "plain" else self.text

    def place(self, start: int, end: int) -> Span:
        """Give the stretch of the source that characters `start` to `end` of the text were written as."""
        size = len(self.text)
        start = min(max(start, 0), size)
        end = min(max(end, start), size)
        begin = self.offsets[start]
        return Span(self.span.source, begin, begin if end == start else max(begin, self._end(end - 1)))

    def _end(self, index: int) -> int:
        """Give the offset just behind one character, without the indentation or folding that may follow it."""
        here, following = self.offsets[index], self.offsets[index + 1]
        if following - here <= 1:
            return following
        source = self.span.source.text
        if self.style == "double" and (escape := _ESCAPE.match(source, here)):
            return min(escape.end(), following)
        return following if self.style == "single" and source.startswith("''", here) else here + 1


@dataclass(frozen=True, eq=False, slots=True)
class Sequence:
    """A list; `flow` if it is written in brackets."""

    items: tuple[Node, ...]
    span: Span
    flow: bool


@dataclass(frozen=True, eq=False, slots=True)
class Entry:
    """A key of a mapping and its value."""

    key: Scalar
    value: Node

    @property
    def span(self) -> Span:
        """The stretch from the key to the end of the value."""
        return self.key.span.to(self.value.span)


@dataclass(frozen=True, eq=False, slots=True)
class Mapping:
    """Keys with their values, in the order written, each key once; `flow` if it is written in braces."""

    entries: tuple[Entry, ...]
    span: Span
    flow: bool

    def entry(self, name: str) -> Entry | None:
        """Give the entry whose key reads `name`."""
        return next((entry for entry in self.entries if entry.key.text == name), None)

    def get(self, name: str) -> Node | None:
        """Give the value whose key reads `name`."""
        entry = self.entry(name)
        return None if entry is None else entry.value

    def keys(self) -> tuple[str, ...]:
        """Give the keys as texts."""
        return tuple(entry.key.text for entry in self.entries)

    def __iter__(self) -> Iterator[Entry]:
        """Go through the entries."""
        return iter(self.entries)


Node: TypeAlias = Scalar | Sequence | Mapping
