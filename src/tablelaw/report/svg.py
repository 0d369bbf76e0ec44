"""Layouts as an SVG drawing: one position, or a play as a strip of frames."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tablelaw.checkers.standing import Figure
from tablelaw.report.landscape import areas, inside_letters, is_landscape, lines, signs
from tablelaw.report.piece_art import look_alikes
from tablelaw.report.svg_land import AREAS, GROUND, WAYS, disc, land
from tablelaw.report.svg_tiles import INK, RIM, TILE, Colours, escaped, text, tile
from tablelaw.spec.grid import Cell
from tablelaw.spec.layout_text import cell_text
from tablelaw.spec.layouts import Layout
from tablelaw.spec.pictures import word_of

MARGIN = 26.0
"""Room around the pieces, for coordinates."""
CAPTION = 20.0
ROW = 1100.0
"""How wide a row of frames may be."""
SMALL = 40.0
"""The side of a piece in a frame of a strip; and the side in a single picture, unless it is large."""
LARGE = 64.0
ENTRY = 120.0
RAY = "#a01760"
"""Room for an entry of the legend."""


@dataclass(frozen=True, slots=True)
class Frame:
    """A layout to draw; `marked` pieces are outlined, `numbers` stand in the corners of theirs."""

    layout: Layout
    marked: frozenset[Cell] = frozenset()
    numbers: dict[Cell, int] = field(default_factory=dict)
    caption: str = ""
    standing: tuple[Figure, ...] = ()
    ray: tuple[Cell, ...] = ()
    """Squares in a row from a part that points there, the square of the part first."""


def drawing(title: str, frames: Sequence[Frame]) -> str:
    """The frames as one SVG document, in rows."""
    xs, ys = _box(frames)
    side = LARGE if len(frames) == 1 and max(len(xs), len(ys)) <= 20 else SMALL
    wide = len(xs) * side + 2 * MARGIN
    captions = CAPTION if any(f.caption for f in frames) else 0.0
    high = len(ys) * side + 2 * MARGIN + captions
    legend = list(_legend(frames[-1]))
    across = max(1, min(len(frames), int(ROW // wide)))
    down = -(-len(frames) // across)
    columns = max(1, int(max(wide * across, 240.0) // ENTRY))
    whole_wide = max(wide * across, 240.0 if legend else 120.0)
    whole_high = high * down + -(-len(legend) // columns) * CAPTION
    head = f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title desc" width="{whole_wide:g}" '
    rows = [
        head + f'height="{whole_high:g}" viewBox="0 0 {whole_wide:g} {whole_high:g}" font-family="sans-serif">',
        f'<title id="title">{escaped(title)}</title>',
        f'<desc id="desc">{escaped(_told(frames))}</desc>',
        f'<rect width="{whole_wide:g}" height="{whole_high:g}" fill="#ffffff"/>',
    ]
    for i, frame in enumerate(frames):
        rows.append(f'<g transform="translate({i % across * wide:g} {i // across * high:g})">')
        rows += _frame(frame, xs, ys, side)
        rows.append("</g>")
    for i, (sign, words) in enumerate(legend):
        x, y = MARGIN + i % columns * ENTRY, high * down + i // columns * CAPTION
        rows.append(f'<g transform="translate({x:g} {y:g})">{sign}{text(words, 14, 4, 11)}</g>')
    return "\n".join([*rows, "</svg>"]) + "\n"


def _legend(frame: Frame) -> Iterator[tuple[str, str]]:
    """What the colours and signs of a landscape mean: an element about the origin, and words."""
    layout = frame.layout
    pieces = layout.pieces
    if not is_landscape(pieces) or not layout.cells:
        return
    there = {p.kind for laid in layout.cells.values() for p in pieces.parts[laid]}
    square = '<rect x="-6" y="-6" width="12" height="12" fill="{}" stroke="#6b6257"/>'
    yield square.format(GROUND), ", ".join(k.name for k in pieces.kinds.values() if k.reach == "halves")
    for palette, kinds in ((AREAS, areas(pieces)), (WAYS, lines(pieces))):
        for i, kind in enumerate(kinds):
            if kind in there:
                yield square.format(palette[min(i, len(palette) - 1)]), kind
    for kind, letter in inside_letters(pieces).items():
        if kind in there:
            yield text(letter, 0, 4, 12, "middle", bold=True), kind
    for name in signs(pieces):
        if any(n == name and v for laid in layout.cells.values() for p in pieces.parts[laid] for n, v in p.attributes):
            yield '<path d="M-4 -5H4V0Q4 4 0 6Q-4 4 -4 0Z" fill="#2b5fa8"/>', name
    for seat in sorted({f.seat for f in frame.standing if f.seat is not None}):
        first = next(f for f in frame.standing if f.seat == seat)
        yield "".join(disc(first, 0, 0)), f"player {seat}"


def _box(frames: Sequence[Frame]) -> tuple[range, range]:
    """The squares that the frames together take; a whole board where there is one."""
    first = frames[0].layout
    if first.width is not None and first.height is not None:
        return range(first.width), range(first.height)
    cells = {c for f in frames for c in (*f.layout.cells, *f.ray)} or {Cell(0, 0)}
    xs, ys = [c.x for c in cells], [c.y for c in cells]
    return range(min(xs), max(xs) + 1), range(min(ys), max(ys) + 1)


def _told(frames: Sequence[Frame]) -> str:
    """The drawing in words: the last layout, and what is closed there."""
    layout = frames[-1].layout
    pieces = "; ".join(f"{word_of(layout.pieces, layout.cells[c])} on {cell_text(c)}" for c in layout)
    closed = 0 if is_landscape(layout.pieces) else Colours.of(layout).closed
    shaded = f" {closed} closed or going round, each shaded in a colour of its own." if closed else ""
    strip = f"{len(frames)} frames; the last shows " if len(frames) > 1 else ""
    held = "; ".join(f"{f.words} on the {f.part.kind} of {cell_text(f.part.cell)}" for f in frames[-1].standing)
    points = frames[-1].ray[1:]
    ray = ", ".join(f"{cell_text(c)} ({'laid' if c in layout.cells else 'empty'})" for c in points)
    told = (f" Figures: {held}." if held else "") + (f" Pointed at: {ray}." if ray else "")
    return f"{strip}{pieces or 'no piece'}.{shaded}{told}"


def _frame(frame: Frame, xs: range, ys: range, side: float) -> Iterator[str]:
    layout = frame.layout
    colours, names = Colours.of(layout), look_alikes(layout)
    yield from _rim(xs, ys, side)
    if layout.width is not None:
        yield (
            f'<rect x="{MARGIN:g}" y="{MARGIN:g}" width="{len(xs) * side:g}" height="{len(ys) * side:g}" fill="none" '
            f'stroke="{INK}" stroke-width="2"/>'
        )
    elif not layout.cells:
        yield text("no piece", MARGIN, MARGIN + 12, 11)
    for c in layout:
        laid = layout.cells[c]
        yield f'<g transform="{_place(c, xs, ys, side)}">'
        yield f"<title>{escaped(word_of(layout.pieces, laid))} on {cell_text(c)}</title>"
        if is_landscape(layout.pieces):
            yield from land(layout.pieces, laid, [f for f in frame.standing if f.part.cell == c])
        else:
            yield from tile(layout.pieces, laid, c, colours)
        if laid in names and not is_landscape(layout.pieces):
            yield text(names[laid][:12], TILE / 2, TILE - 6, 10, "middle")
        if c in frame.numbers:
            yield text(str(frame.numbers[c]), 4, 16, 15, bold=True)
        yield "</g>"
    for c in sorted(frame.marked):
        place = _place(c, xs, ys, side)
        yield (
            f'<rect x="1" y="1" width="{TILE - 2:g}" height="{TILE - 2:g}" rx="6" transform="{place}" fill="none" '
            f'stroke="{INK}" stroke-width="5"/>'
        )
    yield from _ray(frame, xs, ys, side)
    if frame.caption:
        yield text(frame.caption, MARGIN, 2 * MARGIN + len(ys) * side + 4, 11)


def _ray(frame: Frame, xs: range, ys: range, side: float) -> Iterator[str]:
    """A dashed line over the squares that a part points at, each numbered: full where a piece lies, hollow where none does."""
    if len(frame.ray) < 2:
        return
    points = [(MARGIN + (c.x - xs[0] + 0.5) * side, MARGIN + (c.y - ys[0] + 0.5) * side) for c in frame.ray]
    way = "L".join(f"{x:g} {y:g}" for x, y in (points[0], points[-1]))
    yield f'<path d="M{way}" fill="none" stroke="#ffffff" stroke-width="5" opacity="0.7"/>'
    yield f'<path d="M{way}" fill="none" stroke="{RAY}" stroke-width="2.5" stroke-dasharray="6 4"/>'
    for number, (c, (x, y)) in enumerate(zip(frame.ray[1:], points[1:], strict=True), 1):
        there = c in frame.layout.cells
        told = f"{number}: {cell_text(c)}, {'a piece lies there' if there else 'nothing lies there'}"
        yield (
            f'<g><title>{told}</title><circle cx="{x:g}" cy="{y:g}" r="9" fill="{RAY if there else "#ffffff"}" '
            f'stroke="{RAY if not there else "#ffffff"}" stroke-width="1.5"/>'
            f'<text x="{x:g}" y="{y + 4:g}" font-size="11" font-weight="bold" text-anchor="middle" '
            f'fill="{"#ffffff" if there else RAY}">{number}</text></g>'
        )


def _place(cell: Cell, xs: range, ys: range, side: float) -> str:
    x, y = MARGIN + (cell.x - xs[0]) * side, MARGIN + (cell.y - ys[0]) * side
    scale = f" scale({side / TILE:g})" if side != TILE else ""
    return f"translate({x:g} {y:g}){scale}"


def _rim(xs: range, ys: range, side: float) -> Iterator[str]:
    """Coordinates along the rim, where there is more than a single square."""
    if len(xs) == len(ys) == 1:
        return
    style = f'font-size="10" fill="{INK}" text-anchor="middle"'
    for i, x in enumerate(xs):
        yield f'<text x="{MARGIN + (i + 0.5) * side:g}" y="{MARGIN - 8:g}" {style}>{x}</text>'
    for i, y in enumerate(ys):
        yield f'<text x="{MARGIN - 13:g}" y="{MARGIN + (i + 0.5) * side + 3:g}" {style}>{y}</text>'
    dots = "".join(f"M{MARGIN + i * side:g} {MARGIN + j * side:g}h0" for i in range(len(xs) + 1) for j in range(len(ys) + 1))
    yield f'<path d="{dots}" stroke="{RIM}" stroke-width="2" stroke-linecap="round"/>'
