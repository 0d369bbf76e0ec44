"""One piece of a landscape as SVG: ground, areas with a wall, lines, what lies inside on a badge, and the figures on it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import hypot

from tablelaw.checkers.standing import Figure
from tablelaw.report.landscape import areas, covered, inside_letters, lines
from tablelaw.report.svg_tiles import CORNERS, INK, MIDDLES, POINTS, TILE, TURNS, Point, escaped
from tablelaw.spec.grid import SIDES
from tablelaw.spec.layouts import Laid
from tablelaw.spec.pieces import FacePart, Pieces

GROUND, EDGE, WALL = "#a8c97f", "#7d9a58", "#5b4330"
AREAS = ("#d2a56d", "#7fb0cf", "#b9a3c9")
"""Areas, by kind."""
WAYS = ("#fbf7ea", "#8fc3e8", "#c9c9c9")
"""Lines, by kind."""
SEATS = ("#c62828", "#1f5fb4", "#f2c230", "#2e7d32", "#1a1a1a", "#e377c2", "#7b4ab3", "#ffffff")
"""Discs of figures, by seat; the number of the seat stands on each, so that no colour has to be told apart."""
DISC, BADGE = 7.5, 8.5
_QUARTERS: tuple[Point, ...] = ((0.5, 0.5), (0.76, 0.27), (0.24, 0.27), (0.76, 0.73), (0.24, 0.73))
_TURNING = {"Nw": (0.13, 0.13), "Ne": (0.87, 0.13), "Es": (0.87, 0.87), "Sw": (0.13, 0.87)}
_CORNER_HALVES = {"Nw": "Wn", "Ne": "En", "Es": "Se", "Sw": "Ws"}


def land(pieces: Pieces, laid: Laid, figures: Sequence[Figure]) -> Iterator[str]:
    """The elements of a piece whose corner is the origin."""
    parts = pieces.parts[laid]
    yield f'<rect width="{TILE:g}" height="{TILE:g}" fill="{GROUND}" stroke="{EDGE}" stroke-width="0.8"/>'
    kinds = areas(pieces)
    for p in parts:
        if p.kind in kinds:
            yield from _area(p, AREAS[min(kinds.index(p.kind), len(AREAS) - 1)])
    kinds = lines(pieces)
    drawn = [p for p in parts if p.kind in kinds]
    short = covered(pieces, laid)
    for p in drawn:
        yield _way(p, "#6b6257", 8, short)
    for p in drawn:
        yield _way(p, WAYS[min(kinds.index(p.kind), len(WAYS) - 1)], 5.5, short)
    if sum(len(p.at) == 1 for p in drawn) > 1:
        yield f'<circle cx="{TILE / 2:g}" cy="{TILE / 2:g}" r="6" fill="#6b6257"/>'
    spots = _Spots(pieces, parts)
    yield from _numbers(pieces, parts, spots)
    for i, p in enumerate(parts):
        if pieces.kinds[p.kind].reach == "inside":
            yield from _badge(pieces, p, spots.of(i))
    yield from _figures(parts, spots, figures)


def _at(point: Point) -> str:
    return f"{point[0] * TILE:g} {point[1] * TILE:g}"


def _area(part: FacePart, colour: str) -> Iterator[str]:
    """An area along its sides; between two of them the wall bends towards the middle."""
    if len(part.at) == 4:
        yield f'<rect width="{TILE:g}" height="{TILE:g}" fill="{colour}"/>'
        return
    ring = [s for s in SIDES if s in part.at]
    outline, wall = "", ""
    for i, side in enumerate(ring):
        after = ring[(i + 1) % len(ring)]
        skipped = (SIDES.index(after) - SIDES.index(side)) % 4 - 1 if len(ring) > 1 else 3
        begin, end = CORNERS[side]
        stop = CORNERS[after][0]
        outline += f"{'L' if outline else 'M'}{_at(begin)}L{_at(end)}"
        if skipped:
            bend = _bend(side, after, skipped)
            outline += f"Q{_at(bend)} {_at(stop)}"
            wall += f"M{_at(end)}Q{_at(bend)} {_at(stop)}"
    yield f'<path d="{outline}Z" fill="{colour}"/>'
    if wall:
        yield f'<path d="{wall}" fill="none" stroke="{WALL}" stroke-width="2.5"/>'


def _bend(side: str, after: str, skipped: int) -> Point:
    """Towards which point the wall bends that leaves one side at its end and comes to the next at its beginning."""
    if skipped == 1:  # past one side: a shallow bow before it
        x, y = MIDDLES[SIDES[(SIDES.index(side) + 1) % 4]]
        return x + (0.5 - x) * 0.9, y + (0.5 - y) * 0.9
    if skipped == 2:  # from one corner to the opposite one
        x, y = CORNERS[SIDES[(SIDES.index(side) + 1) % 4]][1]
        return 0.5 + (0.5 - x) * 0.1, 0.5 + (0.5 - y) * 0.1
    x, y = MIDDLES[side]  # a cap on one side
    return x + (0.5 - x) * 0.95, y + (0.5 - y) * 0.95


def _way(part: FacePart, colour: str, wide: float, short: bool) -> str:
    """A line between its sides, or from the one it has to the middle; `short`: to the wall before it."""
    if len(part.at) == 2 and (SIDES.index(part.at[1]) - SIDES.index(part.at[0])) % 2:
        a, b = (MIDDLES[s] for s in part.at)
        way = f"M{_at(a)}Q{_at((0.5, 0.5))} {_at(b)}"
    else:
        ends = [MIDDLES[s] for s in part.at]
        share = 0.46 if short and len(part.at) == 1 else 1.0
        way = "".join(f"M{_at((x, y))}L{_at((x + (0.5 - x) * share, y + (0.5 - y) * share))}" for x, y in ends)
    return f'<path d="{way}" fill="none" stroke="{colour}" stroke-width="{wide:g}" stroke-linejoin="round"/>'


@dataclass(slots=True)
class _Spots:
    """Where on a piece the badge or the figures of each part stand."""

    pieces: Pieces
    parts: tuple[FacePart, ...]

    def of(self, number: int) -> Point:
        """The place of a part."""
        p = self.parts[number]
        reach = self.pieces.kinds[p.kind].reach
        if reach == "inside":
            return self._inside(number)
        if reach == "halves":
            badges = [self._inside(i) for i, q in enumerate(self.parts) if self.pieces.kinds[q.kind].reach == "inside"]
            return _on_ground(p, badges)
        if p.kind in areas(self.pieces):
            return _in_area(p)
        return _on_way(p)

    def _inside(self, number: int) -> Point:
        busy = [q for p in self.parts for q in self._busy(p)]
        order = [i for i, p in enumerate(self.parts) if self.pieces.kinds[p.kind].reach == "inside"].index(number)
        room = [(min((hypot(x - a, y - b) for a, b in busy), default=1.0), -k) for k, (x, y) in enumerate(_QUARTERS)]
        wide = [k for k in range(len(_QUARTERS)) if room[k][0] >= 0.24] or [-max(room)[1]]
        return _QUARTERS[wide[order % len(wide)]]

    def _busy(self, part: FacePart) -> Iterator[Point]:
        """Points that a part takes, as far as a badge had better keep away from them."""
        if part.kind in areas(self.pieces):
            yield _in_area(part)
            yield from (MIDDLES[s] for s in part.at)
        elif part.kind in lines(self.pieces):
            for s in part.at:
                x, y = MIDDLES[s]
                shares = (0.0, 0.25, 0.5) if len(part.at) == 1 else (0.0, 0.5, 1.0)
                yield from ((x + (0.5 - x) * t, y + (0.5 - y) * t) for t in shares)


def _in_area(part: FacePart) -> Point:
    if len(part.at) == 1:
        x, y = MIDDLES[part.at[0]]
        return x + (0.5 - x) * 0.3, y + (0.5 - y) * 0.3
    points = [MIDDLES[s] for s in part.at]
    x, y = sum(a for a, _ in points) / len(points), sum(b for _, b in points) / len(points)
    return (x, y) if (x, y) != (0.25, 0.25) else (0.27, 0.27)


def _on_way(part: FacePart) -> Point:
    x, y = MIDDLES[part.at[0]]
    if len(part.at) == 2 and (SIDES.index(part.at[1]) - SIDES.index(part.at[0])) % 2:
        a, b = MIDDLES[part.at[1]]
        return x / 4 + 0.25 + a / 4, y / 4 + 0.25 + b / 4
    share = 0.3 if len(part.at) == 1 else 0.45
    return x + (0.5 - x) * share, y + (0.5 - y) * share


def _on_ground(part: FacePart, badges: Sequence[Point]) -> Point:
    """A corner of the piece that the part goes round, away from what lies inside; else beside one of its halves."""
    corners = [_TURNING[h] for h, other in _CORNER_HALVES.items() if h in part.at and other in part.at]
    if corners:
        return max(corners, key=lambda c: min((round(hypot(c[0] - x, c[1] - y), 1) for x, y in badges), default=0.0))
    x, y = POINTS[part.at[0]]
    return x + (0.5 - x) * 0.28, y + (0.5 - y) * 0.28


def _badge(pieces: Pieces, part: FacePart, spot: Point) -> Iterator[str]:
    """The letter of what lies inside, and an arrow the way it points."""
    x, y = spot[0] * TILE, spot[1] * TILE
    yield f'<circle cx="{x:g}" cy="{y:g}" r="{BADGE:g}" fill="#fffdf5" stroke="{INK}"/>'
    yield _letter(inside_letters(pieces)[part.kind], x, y, 11)
    for name, way in part.attributes:
        if name in pieces.kinds[part.kind].turning and way in TURNS:
            place = f"translate({x:g} {y:g}) rotate({TURNS[str(way)]})"
            yield f'<path d="M-5 {-BADGE - 1:g}L0 {-BADGE - 8:g}L5 {-BADGE - 1:g}Z" transform="{place}" fill="{INK}"/>'
            break


def _numbers(pieces: Pieces, parts: Sequence[FacePart], spots: _Spots) -> Iterator[str]:
    """A small shield for each point of a number that a part carries."""
    for i, p in enumerate(parts):
        total = sum(
            v for n, v in p.attributes if n in pieces.kinds[p.kind].numeric and isinstance(v, int) and not isinstance(v, bool)
        )
        x, y = spots.of(i)
        x, y = x * TILE, y * TILE
        if len(p.at) == 2 and p.kind in areas(pieces) and (x, y) != (TILE / 2, TILE / 2):  # towards the corner
            x, y = x + (x - TILE / 2) * 0.5, y + (y - TILE / 2) * 0.5
        elif len(p.at) > 2:
            x, y = x - 17, y - 8
        elif len(p.at) == 2:
            x, y = (x - 19, y) if "E" in p.at else (x, y - 19)
        for k in range(min(total, 4)):
            place = f"translate({x + 9 * k:g} {y:g})"
            shape = "M-4 -5H4V0Q4 4 0 6Q-4 4 -4 0Z"
            yield f'<path d="{shape}" transform="{place}" fill="#2b5fa8" stroke="#ffffff" stroke-width="1.2"/>'


def _figures(parts: Sequence[FacePart], spots: _Spots, figures: Sequence[Figure]) -> Iterator[str]:
    """A disc for each figure, beside one another where several stand on a part."""
    for i, p in enumerate(parts):
        mine = [f for f in figures if f.part.kind == p.kind and (f.part.side in p.at or (f.part.side is None and not p.at))]
        x, y = spots.of(i)
        x, y = x * TILE, y * TILE
        if not p.at:  # beside the badge
            x += BADGE + 5 if x <= TILE / 2 else -BADGE - 5
        first = x - (len(mine) - 1) * 5.5
        for k, f in enumerate(mine):
            yield from disc(f, min(max(first + 11 * k, DISC), TILE - DISC), y)


def disc(figure: Figure, x: float, y: float) -> Iterator[str]:
    """A figure."""
    seat = figure.seat
    colour = "#8a8a8a" if seat is None else SEATS[seat % len(SEATS)]
    light = colour in ("#f2c230", "#ffffff", "#e377c2")
    round_ = f'<circle cx="{x:g}" cy="{y:g}" r="{DISC:g}" fill="{colour}" stroke="#ffffff" stroke-width="1.5"/>'
    mark = _letter(figure.mark, x, y, 10, INK if light else "#ffffff")
    yield f"<g><title>{escaped(figure.words)}</title>{round_}{mark}</g>"


def _letter(mark: str, x: float, y: float, size: float, colour: str = INK) -> str:
    return (
        f'<text x="{x:g}" y="{y + size * 0.36:g}" font-size="{size:g}" font-weight="bold" text-anchor="middle" '
        f'fill="{colour}">{escaped(mark)}</text>'
    )
