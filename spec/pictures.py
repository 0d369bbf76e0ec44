"""Layouts as text pictures, both ways: a row a line, words apart, `.` for an empty square.

A word is `face/quarter turns`, a face, or a character that shows the piece where exactly one looks so. The first word is
the square (0, 0), unless a first line `(x, y)` gives another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.glyphs import ASCII, UNICODE, alike, glyph
from tablelaw.spec.grid import Cell
from tablelaw.spec.layout_text import cell_text, piece_of, piece_text, read_cell
from tablelaw.spec.layouts import Laid, Layout
from tablelaw.spec.pieces import Pieces
from tablelaw.spec.source import Span
from tablelaw.spec.types import LayoutType, contains
from tablelaw.spec.yaml_nodes import Scalar

EMPTY = "."
_MOST_FAULTS = 12
_Word = tuple[str, int, int]
"""A word with the characters of the text from and to which it goes."""
_Row = tuple[int, list[_Word]]
"""Where a row begins, and its words."""


def read_picture(node: Scalar, kind: LayoutType, sink: Diagnostics) -> list[tuple[Cell, Laid, Span]] | None:
    """The pieces that a picture shows, each with its place in the text; None (and told) where it shows none."""
    rows = list(_rows(node.text))
    if not any(row for _, row in rows):
        cure = "draw a row a line, or write `{}` for an empty layout"
        sink.error("T113", node.span, "a picture of a layout was expected here", help=cure)
        return None
    if _joined(node):
        cure = "begin the picture with `|` behind the key, and draw it below"
        sink.error("T113", node.span, "the rows of this picture are run together into one", help=cure)
        return None
    while not rows[-1][1]:
        rows.pop()
    while not rows[0][1]:
        rows.pop(0)
    origin: Cell | None = Cell(0, 0)
    if rows[0][1][0][0].startswith("("):
        first = rows.pop(0)[1]
        origin = _origin(node, first, kind, sink)
        if origin is not None and not rows:
            cure = "draw a row a line below it; `.` is an empty square"
            sink.error("T113", node.place(first[0][1], first[-1][2]), "no row follows the square of the first word", help=cure)
            return None
    if origin is None or not _even(node, rows, sink):
        return None
    found: list[tuple[Cell, Laid, Span]] = []
    faults = 0
    for y, (_, row) in enumerate(rows):
        for x, (word, begin, end) in enumerate(row):
            if word == EMPTY:
                continue
            place = node.place(begin, end)
            laid = _piece(word, place, kind, sink)
            cell = Cell(origin.x + x, origin.y + y)
            if laid is not None and not contains(kind.cell, cell):
                message = f"`{cell_text(cell)}` lies farther off than pieces can come"
                sink.error("T113", place, message, help="lay the pieces round (0, 0)")
                laid = None
            if laid is not None:
                found.append((cell, laid, place))
            else:
                faults += 1
            if faults >= _MOST_FAULTS:
                return None
    return None if faults else found


def _rows(text: str) -> Iterator[_Row]:
    at = 0
    for row in text.split("\n"):
        yield at, [(w[0], at + w.start(), at + w.end()) for w in re.finditer(r"\S+", row)]
        at += len(row) + 1


def _joined(node: Scalar) -> bool:
    """Did YAML turn line breaks of the picture into blanks? Only a block of `|` keeps them."""
    return node.style != "literal" and node.span.text.strip().count("\n") > (1 if node.style == "folded" else 0)


def _origin(node: Scalar, row: list[_Word], kind: LayoutType, sink: Diagnostics) -> Cell | None:
    begin, end = row[0][1], row[-1][2]
    line = node.place(begin, end)
    return read_cell(Scalar(node.text[begin:end], "literal", line, node.offsets[begin : end + 1]), kind.cell, sink)


def _even(node: Scalar, rows: list[_Row], sink: Diagnostics) -> bool:
    """Has each row a word for each square? A word left out would move all that follow it."""
    wide = len(rows[0][1])
    for begin, row in rows[1:]:
        if len(row) != wide:
            place = node.place(row[0][1], row[-1][2]) if row else node.place(begin, begin)
            squares = "1 square" if len(row) == 1 else f"{len(row)} squares"
            message = f"this row has {squares}, the first has {wide}" if row else "this row of the picture is empty"
            sink.error("T113", place, message, help="write a word for each square of a row, `.` for an empty one")
            return False
    return True


def _piece(word: str, place: Span, kind: LayoutType, sink: Diagnostics) -> Laid | None:
    assert kind.pieces is not None
    mark = UNICODE.get(word, word)
    known = alike(kind.pieces)
    if mark in known:
        if len(known[mark]) == 1:
            return known[mark][0]
        pieces = [f"`{piece_text(laid)}`" for laid in known[mark]]
        few = ", ".join(pieces[:12]) + (", …" if len(pieces) > 12 else "")
        sink.error(
            "T113", place, f"{len(pieces)} pieces look like `{word}`", label="which of them?", help=f"write one of {few}"
        )
        return None
    if mark in ASCII:
        faces = ", ".join(f"`{f}`" for f in kind.faces.values[:12])
        sink.error(
            "T113", place, f"no piece looks like `{word}`", help=f"name a face with its quarter turns; its faces are {faces}"
        )
        return None
    return piece_of(word, place, kind, sink)


# writing


def write_picture(layout: Layout, ascii_only: bool = False) -> str:
    """A picture that reads back to the same layout; characters where each tells its piece, else faces with quarter turns."""
    if not layout.cells:
        return EMPTY + "\n"
    words = _marks(layout, ascii_only) or {laid: word_of(layout.pieces, laid) for laid in layout.cells.values()}
    xs, ys = {c.x for c in layout.cells}, {c.y for c in layout.cells}
    corner = Cell(min(xs), min(ys))
    table = [
        [words[layout.cells[Cell(x, y)]] if Cell(x, y) in layout.cells else EMPTY for x in range(corner.x, max(xs) + 1)]
        for y in range(corner.y, max(ys) + 1)
    ]
    widths = [max(len(row[i]) for row in table) for i in range(len(table[0]))]
    rows = [" ".join(w.ljust(n) for w, n in zip(row, widths, strict=True)).rstrip() for row in table]
    head = [] if corner == Cell(0, 0) else [cell_text(corner)]
    return "\n".join([*head, *rows]) + "\n"


def word_of(pieces: Pieces, laid: Laid) -> str:
    """The piece in words: its face, with its quarter turns where they make a difference."""
    return laid[0] if len(pieces.rotations[laid[0]]) == 1 else piece_text(laid)


def _marks(layout: Layout, ascii_only: bool) -> dict[Laid, str] | None:
    """The character of each piece that lies; None unless all can be told by theirs."""
    found: dict[Laid, str] = {}
    for laid in set(layout.cells.values()):
        mark = glyph(layout.pieces, laid)
        if mark is None or len(alike(layout.pieces)[mark]) > 1 or (ascii_only and mark not in ASCII):
            return None
        found[laid] = ASCII[mark] if ascii_only else mark
    return found
