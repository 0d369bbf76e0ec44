"""One piece as a block of five by three characters: lines from the middle to the sides that its parts reach."""

from __future__ import annotations

from collections.abc import Callable

from tablelaw.spec.glyphs import bends_apart, drawn_kinds, drawn_parts, line, straight
from tablelaw.spec.grid import HALVES
from tablelaw.spec.layout_text import piece_text
from tablelaw.spec.layouts import Laid, Layout
from tablelaw.spec.pieces import FacePart, Pieces

WIDE, HIGH = 5, 3
ROUND = {frozenset("NE"): "╰", frozenset("ES"): "╭", frozenset("SW"): "╮", frozenset("NW"): "╯"}
ARROWS = {"N": "↑", "E": "→", "S": "↓", "W": "←", "NE": "↗", "SE": "↘", "SW": "↙", "NW": "↖"}
ARMS = {"N": ((2, 0),), "E": ((3, 1), (4, 1)), "S": ((2, 2),), "W": ((0, 1), (1, 1))}
HALF_PLACES = dict(zip(HALVES, ((1, 0), (3, 0), (4, 0), (4, 2), (3, 2), (1, 2), (0, 2), (0, 0)), strict=True))
MIDDLE = (2, 1)


def piece_art(pieces: Pieces, laid: Laid) -> dict[tuple[int, int], str]:
    """The characters of a block, by column and row."""
    parts = drawn_parts(pieces, laid)
    art = line_art(parts, lambda part: style_of(pieces, part))
    if not parts and not _by_halves(pieces, laid, art):
        art[MIDDLE] = "□"
    way = _arrow(pieces, laid)
    if way:
        art[3, 0] = way
    return art


def line_art(parts: list[FacePart], style: Callable[[FacePart], int]) -> dict[tuple[int, int], str]:
    """Parts as lines, each in its style."""
    art: dict[tuple[int, int], str] = {}
    taken: set[str] = set()
    if bends_apart(parts):
        _two_bends(parts, style, art)
        return art
    middle = _through_the_middle(parts)
    over = _crossing(parts)
    for p in parts:
        for side in p.at:
            if side not in taken:
                _stub(side, style(p), art, whole=p is middle, ends=p is not middle and len(p.at) == 1)
            taken.add(side)
        if p is middle:
            art[MIDDLE] = _joint(frozenset(p.at), style(p))
    if over is not None:
        art.pop((1, 1), None)
        art.pop((3, 1), None)
    return art


def style_of(pieces: Pieces, part: FacePart) -> int:
    """The number of the kind of line that a part is drawn with."""
    return drawn_kinds(pieces).index(part.kind)


def arm(side: str, style: int) -> str:
    """A straight line towards a side."""
    return line(frozenset("NS" if side in "NS" else "EW"), style)


def _joint(sides: frozenset[str], style: int) -> str:
    found = ROUND.get(sides) if style == 0 else None
    if found:
        return found
    mark = line(sides, style)
    return mark if mark != " " else arm(next(iter(sides)), style)


def _stub(side: str, style: int, art: dict[tuple[int, int], str], whole: bool, ends: bool) -> None:
    """A line from a side to the middle, or short of it where another part lies there; one that `ends` has a loose end."""
    for place in ARMS[side] if whole else [p for p in ARMS[side] if p[0] in (0, 2, 4)]:
        mark = line(frozenset(side), style) if ends else " "
        art[place] = mark if mark != " " else arm(side, style)


def _through_the_middle(parts: list[FacePart]) -> FacePart | None:
    """The part that is drawn through the middle: the one there is, or the one that joins most sides, upright before level."""
    if len(parts) == 1:
        return parts[0]
    joining = [p for p in parts if len(p.at) > 1]
    return max(joining, key=lambda p: (len(p.at), "N" in p.at), default=None)


def _crossing(parts: list[FacePart]) -> FacePart | None:
    """The level one of two straight parts that cross, which passes below."""
    level = [p for p in parts if straight(p) and "E" in p.at]
    return level[0] if level and any(straight(p) and "N" in p.at for p in parts) else None


def _two_bends(parts: list[FacePart], style: Callable[[FacePart], int], art: dict[tuple[int, int], str]) -> None:
    """Two bends past each other, each in its own half of the block."""
    for p in parts:
        mine = style(p)
        upper = "N" in p.at
        east = "E" in p.at
        y, near = 0 if upper else 2, 3 if east else 1
        up, down = ("N", "S") if upper else ("S", "N")
        toward, back = ("E", "W") if east else ("W", "E")
        art[2, y] = _joint(frozenset((up, toward)), mine)
        art[near, y] = _joint(frozenset((down, back)), mine)
        art[near, 1] = _joint(frozenset((up, toward)), mine)
        art[4 if east else 0, 1] = arm(toward, mine)


def _by_halves(pieces: Pieces, laid: Laid, art: dict[tuple[int, int], str]) -> bool:
    """Parts that reach halves of sides, where nothing else is drawn: the same letter at all that a part joins."""
    parts = [p for p in pieces.parts[laid] if pieces.kinds[p.kind].reach == "halves"]
    for i, p in enumerate(parts):
        for at in p.at:
            art[HALF_PLACES[at]] = "abcdefgh"[i % 8]
    return bool(parts)


def inside(pieces: Pieces, laid: Laid) -> list[str]:
    """The kinds of the parts that lie inside."""
    return [p.kind for p in pieces.parts[laid] if pieces.kinds[p.kind].reach == "inside"]


def _arrow(pieces: Pieces, laid: Laid) -> str:
    """The first attribute of the face that turns with it, as an arrow."""
    for name in sorted(pieces.turning):
        way = pieces.attribute(laid[0], name, laid[1])
        if way in ARROWS:
            return ARROWS[str(way)]
    return ""


def merged(pieces: Pieces, laid: Laid) -> str:
    """One character for parts of several kinds."""
    return line(frozenset(s for p in drawn_parts(pieces, laid) for s in p.at), 0)


def look_alikes(layout: Layout, look: Callable[[Pieces, Laid], object] | None = None) -> dict[Laid, str]:
    """The pieces that lie here and could be taken for another: the face of each, with its turns if these are in doubt."""
    pieces, seen = layout.pieces, look or _look
    looks: dict[object, list[Laid]] = {}
    for face in pieces.faces:
        for rotation in pieces.rotations[face]:
            looks.setdefault(seen(pieces, (face, rotation)), []).append((face, rotation))
    found: dict[Laid, str] = {}
    for laid in sorted(set(layout.cells.values())):
        same = looks[seen(pieces, laid)]
        if len(same) > 1:
            found[laid] = laid[0] if [f for f, _ in same].count(laid[0]) == 1 else piece_text(laid)
    return found


def _look(pieces: Pieces, laid: Laid) -> object:
    return tuple(sorted(piece_art(pieces, laid).items())), tuple(sorted(inside(pieces, laid)))
