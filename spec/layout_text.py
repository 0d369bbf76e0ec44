"""Layouts as people write them: squares with faces, or a picture. Every fault is told where it stands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tablelaw.spec.diagnostics import Diagnostics, did_you_mean
from tablelaw.spec.grid import OPPOSITE, SIDES, Cell, step
from tablelaw.spec.layouts import Laid, Layout
from tablelaw.spec.source import Span
from tablelaw.spec.types import CellType, LayoutType, contains
from tablelaw.spec.yaml_nodes import Mapping, Node, Scalar

if TYPE_CHECKING:
    from tablelaw.spec.pieces import Pieces

_CELL = re.compile(r"\(\s*(-?\d{1,4})\s*,\s*(-?\d{1,4})\s*\)\Z")
_PIECE = re.compile(r"([A-Za-z_]\w*)\s*(?:/\s*(\d{1,4}))?\Z")

Placed = list[tuple[Cell, Laid, Span]]


def cell_text(cell: Cell) -> str:
    """`(x, y)`."""
    return f"({cell.x}, {cell.y})"


def piece_text(laid: Laid) -> str:
    """`face/quarter turns`."""
    return f"{laid[0]}/{laid[1]}"


def read_layout(node: Node, kind: LayoutType, sink: Diagnostics, contact: bool = True) -> Layout | None:
    """The layout that a mapping or a picture gives; None (and told) where it gives none. Must neighbours keep the contact?"""
    if isinstance(node, Mapping):
        placed = _mapping(node, kind, sink)
    elif isinstance(node, Scalar):
        from tablelaw.spec.pictures import read_picture

        placed = read_picture(node, kind, sink)
    else:
        cure = 'write squares with faces, `{"(0, 0)": gate/1}`, or a picture, a row a line'
        sink.error("T113", node.span, "a layout is not a list", help=cure)
        return None
    return None if placed is None else _checked(placed, kind, sink, contact)


def _mapping(node: Mapping, kind: LayoutType, sink: Diagnostics) -> Placed | None:
    found: Placed = []
    ok = True
    for e in node.entries:
        cell, laid = read_cell(e.key, kind.cell, sink), read_piece(e.value, kind, sink)
        if cell is None or laid is None:
            ok = False
            continue
        found.append((cell, laid, e.key.span))
    return found if ok else None


def read_cell(node: Scalar, kind: CellType, sink: Diagnostics) -> Cell | None:
    """`(x, y)`."""
    found = _CELL.match(node.text.strip())
    if not found:
        sink.error("T113", node.span, f"`{node.text[:40]}` is not a square", help='write `"(x, y)"`: x east, y south')
        return None
    cell = Cell(int(found[1]), int(found[2]))
    if not contains(kind, cell):
        sink.error(
            "T113", node.span, f"`{cell_text(cell)}` lies farther off than pieces can come", help="lay the pieces round (0, 0)"
        )
        return None
    return cell


def read_piece(node: Node, kind: LayoutType, sink: Diagnostics) -> Laid | None:
    """`face`, or `face/quarter turns`."""
    if not isinstance(node, Scalar):
        sink.error("T113", node.span, "a face was expected here", help=_as_in(kind))
        return None
    return piece_of(node.text.strip(), node.span, kind, sink)


def _as_in(kind: LayoutType) -> str:
    assert kind.pieces is not None
    face = kind.faces.values[0]
    return f"write a face with its quarter turns, as in `{face}/1`" if kind.pieces.free else f"write a face, as in `{face}`"


def piece_of(word: str, span: Span, kind: LayoutType, sink: Diagnostics) -> Laid | None:
    """The piece that a word names."""
    assert kind.pieces is not None
    found = _PIECE.match(word)
    if not found:
        sink.error("T113", span, f"`{word[:40]}` is not a piece", help=_as_in(kind))
        return None
    face, turns = found[1], int(found[2] or 0)
    if face not in kind.faces.values:
        near = did_you_mean(face, kind.faces.values)
        cure = f"did you mean `{near}`?" if near else "its faces are " + ", ".join(f"`{f}`" for f in kind.faces.values[:12])
        sink.error("T113", span, f"no face is called `{face}`", help=cure)
        return None
    if turns > 3 or (turns and not kind.pieces.free):
        cure = "write 0 to 3 quarter turns" if kind.pieces.free else f"write `{face}` alone"
        sink.error(
            "T113", span, f"`{word}` is turned too far" if kind.pieces.free else "these pieces are not turned", help=cure
        )
        return None
    return face, turns


def _checked(placed: Placed, kind: LayoutType, sink: Diagnostics, contact: bool) -> Layout | None:
    """The layout, if its pieces can lie together."""
    empty = kind.empty()
    cells: dict[Cell, Laid] = {}
    for cell, laid, span in placed:
        if cell in cells:
            sink.error("S301", span, f"two pieces lie on {cell_text(cell)}", help="keep one of them")
            return None
        if not empty.inside(cell):
            sink.error(
                "T113",
                span,
                f"{cell_text(cell)} is not on the board",
                help=f"the board has {kind.width} columns and {kind.height} rows, from (0, 0)",
            )
            return None
        if len(cells) >= kind.limit:
            sink.error(
                "T113",
                span,
                f"this layout takes no more than {kind.limit} piece{'' if kind.limit == 1 else 's'}",
                help="leave some out",
            )
            return None
        clash = contact_clash(empty.pieces, cells, cell, laid) if contact else None
        if clash is not None:
            other, side = clash
            mine, theirs = _kinds(empty.pieces, laid, side), _kinds(empty.pieces, cells[other], OPPOSITE[side])
            sink.error(
                "T114",
                span,
                f"the piece on {cell_text(cell)} may not touch the one on {cell_text(other)}",
                label=f"its side {side} shows {mine}, the other {theirs}",
                help="turn one of them, or leave it out; what may touch is told by `contact:`",
            )
            return None
        cells[cell] = laid
    return empty.with_cells(cells)


def contact_clash(pieces: Pieces, cells: dict[Cell, Laid], cell: Cell, laid: Laid) -> tuple[Cell, str] | None:
    """The first neighbour that may lie beside the piece in neither order of laying, and on which side."""
    for side in SIDES:
        other = step(cell, side)
        near = cells.get(other)
        if near is not None:
            a, b = pieces.shows[(*laid, side)], pieces.shows[(*near, OPPOSITE[side])]
            if (a, b) not in pieces.allowed and (b, a) not in pieces.allowed:
                return other, side
    return None


def _kinds(pieces: Pieces, laid: Laid, side: str) -> str:
    return " and ".join(sorted(pieces.shows[(*laid, side)])) or "nothing"
