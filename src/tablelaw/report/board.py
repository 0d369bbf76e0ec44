"""Layouts drawn for a terminal: each piece a block of lines from the middle to the sides that its parts reach.

A layout too wide for that is drawn with a character a piece. `TABLELAW_ASCII=1`, or an output that cannot show
box-drawing characters, gives ASCII.
"""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from tablelaw.checkers.standing import Figure, figures, on
from tablelaw.report.landscape import LAND_HIGH, LAND_WIDE, LandArt, is_landscape, land_look
from tablelaw.report.piece_art import HIGH, WIDE, arm, inside, look_alikes, merged, piece_art, style_of
from tablelaw.solver.trace import Trace
from tablelaw.spec.game import Game
from tablelaw.spec.glyphs import drawn_kinds, drawn_parts, glyph
from tablelaw.spec.grid import Cell
from tablelaw.spec.layout_text import cell_text
from tablelaw.spec.layouts import Laid, Layout
from tablelaw.spec.pictures import word_of
from tablelaw.spec.types import LayoutType
from tablelaw.spec.values import Value

CORNERS = ((0, 0), (4, 0), (0, 2), (4, 2))
TAGS = ((3, 2), (1, 2), (1, 0))
_TYPED = str.maketrans(
    {
        "│": "|", "─": "-", "┃": "#", "━": "=",
        **dict.fromkeys("╵╹", "'"), **dict.fromkeys("╷╻", ","), **dict.fromkeys("╶╺", "("), **dict.fromkeys("╴╸", ")"),
        "║": ":", "═": "~", **dict.fromkeys("└┌┐┘├┴┤┬┼", "+"),
        **dict.fromkeys("╭╮", "."), **dict.fromkeys("╰╯", "'"), **dict.fromkeys("┗┏┓┛┣┻┫┳╋", "#"),
        **dict.fromkeys("╚╔╗╝╠╩╣╦╬", ":"), "·": ".", "□": "o", "↑": "^", "→": ">", "↓": "v", "←": "<",
        **dict.fromkeys("↗↘↙↖", "%"), "╱": "/", "╲": "\\", "▒": "#", "░": "%", "▓": "&", "◆": "$", "◇": "!",
    }
)  # fmt: skip
_NAMES = (("─", "light"), ("━", "heavy"), ("═", "double"))


def ascii_only() -> bool:
    """Must what is printed be ASCII?"""
    if os.environ.get("TABLELAW_ASCII", "") not in ("", "0"):
        return True
    try:
        "│╰·↑".encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return True
    return False


def board(
    layout: Layout,
    marked: Iterable[Cell] = (),
    room: int = 80,
    typed: bool | None = None,
    standing: Iterable[Figure] = (),
    labels: Mapping[Cell, str] | None = None,
    around: Cell | None = None,
) -> str:
    """The layout as lines of text no wider than `room`, with a legend; `marked` pieces have `*` at their corners.

    `standing` figures are drawn on landscapes, `labels` on squares where nothing lies. A landscape too wide is folded, or
    cut to the columns `around` a square.
    """
    if not layout.cells and layout.width is None and not labels:
        return "no piece lies on the table"
    plain = ascii_only() if typed is None else typed
    drawn = _Board(layout, frozenset(marked), room, tuple(standing), dict(labels or {}), around)
    rows = [*drawn.rows(), *(drawn.slanting() if plain else ())]
    text = "\n".join(row.rstrip() for row in rows)
    return text.translate(_TYPED) if plain else text


def named(layout: Layout) -> str:
    """A layout in a few words, where its picture stands below."""
    if len(layout) > 1:
        return f"of {len(layout)} pieces"
    return next((f"{word_of(layout.pieces, laid)} on {cell_text(c)}" for c, laid in layout.cells.items()), "empty")


def boards(
    game: Game,
    state: Value,
    before: Value | None = None,
    room: int = 80,
    indent: str = "    ",
    labels: Mapping[Cell, str] | None = None,
    cut: bool = False,
) -> str:
    """Every layout of a position, the pieces that `before` has not marked; empty for a game without layouts.

    `cut`: of a landscape that is too wide only the columns around the pieces marked.
    """
    kinds = [v for v in game.variables if isinstance(v.type, LayoutType)]
    found: list[str] = []
    for v in kinds:
        layout: Layout = state[v.name]
        if not layout.cells and layout.width is None and not labels:
            continue
        old = before[v.name].cells if before is not None else layout.cells
        marked = [c for c in layout if layout.cells[c] != old.get(c)]
        if len(kinds) > 1:
            found.append(indent + v.name + ":")
        standing = on(layout, figures(game, state)) if is_landscape(layout.pieces) else []
        around = marked[0] if cut and marked else None
        text = board(layout, marked, room - len(indent), standing=standing, labels=labels, around=around)
        found += [(indent + row).rstrip() for row in text.split("\n")]
    return "\n".join(found)


def before_the_last_piece(game: Game, trace: Trace) -> Value | None:
    """The position before the last step that changed a layout; None when none did."""
    names = [v.name for v in game.variables if isinstance(v.type, LayoutType)]
    for before, step in reversed(list(itertools.pairwise(trace.steps))):
        if any(before.state[n] != step.state[n] for n in names):
            return before.state
    return None


@dataclass(slots=True)
class _Board:
    """A layout being drawn."""

    layout: Layout
    marked: frozenset[Cell]
    room: int
    standing: tuple[Figure, ...] = ()
    labels: dict[Cell, str] = field(default_factory=dict)
    around: Cell | None = None
    legend: dict[str, str] = field(default_factory=dict)
    letters: dict[Laid, tuple[str, str]] = field(default_factory=dict)
    xs: range = range(0)
    ys: range = range(0)

    @property
    def land(self) -> bool:
        """Is it a landscape?"""
        return is_landscape(self.layout.pieces)

    @property
    def wide(self) -> int:
        """Columns of a piece."""
        return LAND_WIDE if self.land else WIDE

    @property
    def apart(self) -> int:
        """Blanks between pieces: none where lines go on from one to the next."""
        return 0 if drawn_kinds(self.layout.pieces) and not self.land else 1

    def rows(self) -> Iterator[str]:
        cells, board = {*self.layout.cells, *self.labels}, self.layout
        if board.width is not None and board.height is not None:
            self.xs, self.ys = range(board.width), range(board.height)
        else:
            xs, ys = [c.x for c in cells], [c.y for c in cells]
            self.xs, self.ys = range(min(xs), max(xs) + 1), range(min(ys), max(ys) + 1)
        margin = max(len(str(y)) for y in (self.ys[0], self.ys[-1])) + 1
        many = (self.room - margin) // (self.wide + self.apart)
        if len(self.xs) <= many:
            yield from self._blocks(margin, self.xs)
        elif self.land and many > 0:
            yield from self._folded(margin, many)
        else:
            yield from self._characters(margin)
        yield from self._told()

    def _folded(self, margin: int, many: int) -> Iterator[str]:
        """The columns in stretches one below the other, or those around a square alone."""
        if self.around is not None:
            first = min(max(self.xs[0], self.around.x - many // 2), self.xs[-1] + 1 - many)
            yield from self._blocks(margin, range(first, first + many))
            away = [
                f"{a} to {b}" if a != b else f"{a}" for a, b in ((self.xs[0], first - 1), (first + many, self.xs[-1])) if a <= b
            ]
            yield f"not shown: the columns {' and '.join(away)}"
            return
        for start in range(0, len(self.xs), many):
            if start:
                yield ""
            yield from self._blocks(margin, self.xs[start : start + many])

    # blocks

    def _blocks(self, margin: int, xs: range) -> Iterator[str]:
        single = len(self.xs) == len(self.ys) == 1
        if not self.letters:
            names = look_alikes(self.layout, land_look if self.land else None)
            alphabet = "abcdefghijklmnopqrstuvwxyz" * (len(names) // 26 + 1)
            letters = dict(zip(dict.fromkeys(names.values()), alphabet, strict=False))
            self.letters = {laid: (letters[word], word) for laid, word in names.items()}
        if not single:
            yield " " * margin + "".join(str(x).center(self.wide) + " " * self.apart for x in xs)
        for y in self._rows_of(xs):
            if self.apart and not self.land and y != self.ys[0]:
                yield ""
            blocks = [self._block(Cell(x, y)) for x in xs]
            for row in range(HIGH):
                label = f"{y:>{margin - 1}} " if row == 1 and not single else " " * margin
                yield label + (" " * self.apart).join(b[row] for b in blocks)

    def _rows_of(self, xs: range) -> range:
        """The rows that have something in these columns: all, unless the board is folded or cut."""
        if len(xs) == len(self.xs):
            return self.ys
        ys = [c.y for c in (*self.layout.cells, *self.labels) if c.x in xs]
        return range(min(ys), max(ys) + 1) if ys else range(0)

    def _block(self, cell: Cell) -> list[str]:
        laid = self.layout.cells.get(cell)
        if laid is None:
            bare = " " * self.wide
            return [bare, self.labels.get(cell, "" if self.land else "·").center(self.wide), bare]
        if self.land:
            return self._land(cell, laid)
        art = piece_art(self.layout.pieces, laid)
        if cell in self.marked:
            for place in CORNERS:
                art[place] = "*"
            self.legend["*"] = "laid last"
        tags = [self.tag(k) for k in inside(self.layout.pieces, laid)]
        if laid in self.letters:
            letter, self.legend[letter] = self.letters[laid]
            tags.insert(0, letter)
        for place, mark in zip(TAGS, tags, strict=False):
            art[place] = mark
        return ["".join(art.get((x, y), " ") for x in range(WIDE)) for y in range(HIGH)]

    def _land(self, cell: Cell, laid: Laid) -> list[str]:
        block = LandArt.of(self.layout.pieces, laid)
        if cell in self.marked:
            block.mark()
            self.legend["*"] = "laid last"
        if laid in self.letters:
            letter, self.legend[letter] = self.letters[laid]
            block.tag(letter)
        block.stand([f for f in self.standing if f.part.cell == cell])
        self.legend |= block.legend
        assert LAND_HIGH == HIGH
        return block.rows()

    def tag(self, kind: str) -> str:
        self.legend[kind[0].upper()] = kind
        return kind[0].upper()

    # a character a piece

    def _characters(self, margin: int) -> Iterator[str]:
        """Columns that fit, one stretch below the other."""
        many = max(1, (self.room - margin) // 2)
        for start in range(0, len(self.xs), many):
            xs = self.xs[start : start + many]
            if start:
                yield ""
            yield " " * margin + "".join(f"{x:<10}" for x in xs if (x - xs[0]) % 5 == 0)
            for y in self.ys:
                yield f"{y:>{margin - 1}} " + "".join(self._character(Cell(x, y)) for x in xs)
        for cell in sorted(self.marked, key=lambda c: (c.y, c.x)):
            yield f"laid last: {word_of(self.layout.pieces, self.layout.cells[cell])} on {cell_text(cell)}"

    def _character(self, cell: Cell) -> str:
        """The piece, and the line that goes on to the east."""
        laid = self.layout.cells.get(cell)
        if laid is None:
            return "· "
        pieces = self.layout.pieces
        mark = glyph(pieces, laid) or merged(pieces, laid)
        east = [p for p in drawn_parts(pieces, laid) if "E" in p.at]
        return mark + (arm("E", style_of(pieces, east[0])) if east else " ")

    def slanting(self) -> Iterator[str]:
        """Where ASCII has no arrows: which way the parts point whose way is slanting, on landscapes."""
        pieces, told = self.layout.pieces, []
        for cell in self.layout if self.land else ():
            for p in pieces.parts[self.layout.cells[cell]]:
                turning = pieces.kinds[p.kind].turning
                told += [
                    f"{cell_text(cell)} {way}" for n, way in p.attributes if n in turning and way in ("NE", "SE", "SW", "NW")
                ]
        row = head = "pointing:"
        for k, text in enumerate(told, 1):
            if row != head and len(row) + len(text) + 2 > self.room:
                yield row
                row = head = " " * len(head)
            row += f" {text}" + ("," if k < len(told) else "")
        if told:
            yield row

    # what the signs mean

    def _told(self) -> Iterator[str]:
        pieces = self.layout.pieces
        told: list[str] = []
        if not self.land:
            kinds = drawn_kinds(pieces)
            told += [f"{_NAMES[min(i, 2)][0]} {k}" for i, k in enumerate(kinds)] if len(kinds) > 1 else []
        told += [f"{mark} {name}" for mark, name in sorted(self.legend.items(), key=lambda e: (e[0].isalpha(), e))]
        if self.standing:
            seats = sorted({f.mark for f in self.standing if f.seat is not None})
            told += [f"{', '.join(seats)} the player whose figure stands there"] if seats else []
            told += ["@ " + ", ".join(dict.fromkeys(f.name for f in self.standing if f.seat is None))] * (
                any(f.seat is None for f in self.standing)
            )
        row = ""
        for part in told:
            if row and len(row) + len(part) + 3 > self.room:
                yield row
                row = ""
            row += ("   " if row else "") + part
        if row:
            yield row
