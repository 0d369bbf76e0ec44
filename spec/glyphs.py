"""One character for a piece: how its parts reach its sides, in box-drawing characters and in ASCII."""

from __future__ import annotations

from functools import lru_cache

from tablelaw.spec.grid import SIDES
from tablelaw.spec.layouts import Laid
from tablelaw.spec.pieces import FacePart, Pieces

_ORDER = (
    "N", "E", "S", "W", "NS", "EW", "NE", "ES", "SW", "NW", "NES", "NEW", "NSW", "ESW", "NESW",
)  # fmt: skip
LINES = ("╵╶╷╴│─└┌┐┘├┴┤┬┼", "╹╺╻╸┃━┗┏┓┛┣┻┫┳╋", "    ║═╚╔╗╝╠╩╣╦╬")
"""Characters for the sides of `_ORDER`, for the first, second and third kind of part; double lines have no loose end."""
_TYPED = ("'", ":-", ",", "-:", "|", "-", "'-", ",-", "-,", "-'", "|-", "-'-", "-|", "-,-", "+")
LEFT, RIGHT, BARE = "╱", "╲", "□"
"""Two bends that do not meet (north with west; north with east), and a piece whose parts reach no side."""
ASCII = {**dict(zip(LINES[0], _TYPED, strict=True)), LEFT: "/", RIGHT: "\\", BARE: "[]"}
"""What may be typed instead of a character."""
UNICODE = {typed: c for c, typed in ASCII.items()} | dict(zip("╰╭╮╯", "└┌┐┘", strict=True))
"""The character that something typed stands for."""


def line(sides: frozenset[str], style: int) -> str:
    """The character whose arms reach these sides; blank where that style has none."""
    key = "".join(s for s in SIDES if s in sides)
    return LINES[min(style, 2)][_ORDER.index(key)] if key else " "


def drawn_kinds(pieces: Pieces) -> tuple[str, ...]:
    """The kinds of part that reach whole sides, which are drawn as lines."""
    return tuple(k.name for k in pieces.kinds.values() if k.reach == "sides")


def drawn_parts(pieces: Pieces, laid: Laid) -> list[FacePart]:
    """The parts that are drawn as lines, as the piece lies."""
    return [p for p in pieces.parts[laid] if pieces.kinds[p.kind].reach == "sides"]


def bends_apart(parts: list[FacePart]) -> bool:
    """Do two parts each turn a corner, past each other?"""
    return len(parts) == 2 and all(len(p.at) == 2 and not straight(p) for p in parts)


def straight(part: FacePart) -> bool:
    """Does the part join two opposite sides?"""
    return set(part.at) in ({"N", "S"}, {"E", "W"})


def glyph(pieces: Pieces, laid: Laid) -> str | None:
    """The character of a piece; None where it would need lines of several kinds, or of a fourth."""
    kinds = drawn_kinds(pieces)
    parts = drawn_parts(pieces, laid)
    if not parts:
        return BARE
    styles = {kinds.index(p.kind) for p in parts}
    if len(styles) > 1 or max(styles) > 2:
        return None
    if bends_apart(parts):
        return (LEFT if any(set(p.at) == {"N", "W"} for p in parts) else RIGHT) if styles == {0} else None
    found = line(frozenset(s for p in parts for s in p.at), styles.pop())
    return None if found == " " else found


@lru_cache(maxsize=64)
def alike(pieces: Pieces) -> dict[str, tuple[Laid, ...]]:
    """For each character the pieces that it may be, each in the rotations that differ."""
    found: dict[str, list[Laid]] = {}
    for face in pieces.faces:
        for rotation in pieces.rotations[face]:
            mark = glyph(pieces, (face, rotation))
            if mark is not None:
                found.setdefault(mark, []).append((face, rotation))
    return {mark: tuple(laid) for mark, laid in found.items()}
