"""Where each character of a YAML scalar stands in the source, for each way to write a scalar.

PyYAML gives the text of a scalar and the stretch it was read from, and forgets how the two belong together. These
readers go over the stretch again. A table has one entry for each character of the text and one for its end, and
never decreases. NOTE(breaks): the source is cleaned before parsing, so a line ends with CR, LF or both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

Pieces = list[tuple[str, int]]
"""Characters of the text, each with its offset in the source."""

_BREAK = re.compile(r"\r\n|\r|\n")
_FOLD = re.compile(r"[ \t]*(?:\r\n|\r|\n)(?:[ \t]|\r\n|\r|\n)*")
_CONTINUED = re.compile(r"\\(?:\r\n|\r|\n)(?P<rest>(?:[ \t]|\r\n|\r|\n)*)")
_ESCAPE = re.compile(r"\\(?:x(?P<x>.{2})|u(?P<u>.{4})|U(?P<U>.{8})|(?P<one>.))", re.DOTALL)
_HEADER = re.compile(r"[|>](?P<marks>[-+0-9]*)[^\r\n]*(?:\r\n|\r|\n)?")
_SHORT = {
    **{"0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b"},
    **{" ": " ", '"': '"', "\\": "\\", "/": "/", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029"},
}


def offset_table(text: str, style: str, source: str, start: int, end: int, indent: int) -> Sequence[int]:
    """Give the table of a scalar written at `start` to `end`; `indent` is the indentation around a block scalar."""
    if style == "plain" and end - start == len(text):
        return range(start, end + 1)
    if style in ("literal", "folded"):
        pieces = _block(source, start, end, indent, style == "folded")
        finish = pieces[-1][1] + (pieces[-1][0] != "\n") if pieces else min(end, start + 1)
    else:
        inner = (start, end) if style == "plain" else (start + 1, end - 1)
        if len(text) == inner[1] - inner[0] and "\\" not in text and "\n" not in text:
            return range(inner[0], inner[1] + 1)
        pieces = _flow(source, *inner, _UNITS[style])
        finish = inner[1]
    if len(pieces) != len(text):  # INVARIANT: tests hold the readers to PyYAML; a place is never worth a crash
        return [min(start + index, end) for index in range(len(text) + 1)]
    return [*(offset for _, offset in pieces), finish]


def decode(style: str, source: str, start: int, end: int, indent: int) -> str:
    """Give the text that these readers see: it has to be the one that PyYAML sees."""
    if style in ("literal", "folded"):
        return "".join(char for char, _ in _block(source, start, end, indent, style == "folded"))
    inner = (start, end) if style == "plain" else (start + 1, end - 1)
    return "".join(char for char, _ in _flow(source, *inner, _UNITS[style]))


Unit = Callable[[str, int, int], tuple[Pieces, int] | None]
"""Reads something special at an offset (up to a limit): what it stands for, and the offset behind it."""


def _flow(source: str, start: int, end: int, special: Unit) -> Pieces:
    pieces: Pieces = []
    at = start
    while at < end:
        if source[at] in " \t\r\n" and (fold := _FOLD.match(source, at, end)):
            breaks = [match.start() for match in _BREAK.finditer(source, at, fold.end())]
            pieces += [("\n", place) for place in breaks[1:]] or [(" ", at)]
            at = fold.end()
        elif source[at] in "'\\" and (found := special(source, at, end)):
            pieces += found[0]
            at = found[1]
        else:
            pieces.append((source[at], at))
            at += 1
    return pieces


def _nothing(source: str, at: int, end: int) -> tuple[Pieces, int] | None:
    return None


def _single(source: str, at: int, end: int) -> tuple[Pieces, int] | None:
    return ([("'", at)], at + 2) if source.startswith("''", at, end) else None


def _double(source: str, at: int, end: int) -> tuple[Pieces, int] | None:
    if continued := _CONTINUED.match(source, at, end):
        breaks = _BREAK.finditer(source, continued.start("rest"), continued.end())
        return [("\n", match.start()) for match in breaks], continued.end()
    escape = _ESCAPE.match(source, at, end)
    if escape is None:
        return None
    if (one := escape["one"]) is not None:
        char = _SHORT.get(one, one)
    else:
        char = chr(int(escape["x"] or escape["u"] or escape["U"], 16))
    return [(char, at)], escape.end()


_UNITS: dict[str, Unit] = {"plain": _nothing, "single": _single, "double": _double}


def _block(source: str, start: int, end: int, indent: int, folded: bool) -> Pieces:
    """Read a block scalar as PyYAML does, line by line."""
    header = _HEADER.match(source, start)
    if header is None:
        return []
    marks = header["marks"]
    least = max(indent + 1, 1)
    at = header.end()
    digits = [int(mark) for mark in marks if mark.isdigit()]
    width = least + digits[0] - 1 if digits else max(least, _deepest_blank(source, at))
    pieces: Pieces = []
    breaks, at, column = _blank_lines(source, at, width)
    while at < min(end, len(source)) and column == width:
        pieces += [("\n", place) for place in breaks]
        ending = _BREAK.search(source, at)
        stop = ending.start() if ending else len(source)
        pieces += [(source[place], place) for place in range(at, stop)]
        starts_dark = source[at] not in " \t"
        line_break = [("\n", stop)] if ending else []
        breaks, at, column = _blank_lines(source, ending.end() if ending else stop, width)
        if at < len(source) and column == width:
            if folded and line_break and starts_dark and source[at] not in " \t":
                pieces += [] if breaks else [(" ", stop)]
            else:
                pieces += line_break
            continue
        pieces += [] if "-" in marks else line_break
        pieces += [("\n", place) for place in breaks] if "+" in marks else []
        return pieces
    if "+" in marks:
        pieces += [("\n", place) for place in breaks]
    return pieces


def _deepest_blank(source: str, at: int) -> int:
    """Give the indentation of the first line that is not blank, or of a deeper blank line before it."""
    deepest = column = 0
    while at < len(source) and source[at] in " \r\n":
        column = column + 1 if source[at] == " " else 0
        deepest = max(deepest, column)
        at += 1
    return deepest


def _blank_lines(source: str, at: int, width: int) -> tuple[list[int], int, int]:
    """From the beginning of a line, skip blank lines and indentation: the breaks, where the text goes on, its column."""
    breaks: list[int] = []
    column = 0
    while True:
        while column < width and source.startswith(" ", at):
            at += 1
            column += 1
        ending = _BREAK.match(source, at)
        if ending is None:
            return breaks, at, column
        breaks.append(at)
        at, column = ending.end(), 0
