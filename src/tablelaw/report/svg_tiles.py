"""One piece as SVG: areas with a wall where parts of a kind join three sides or only ever one; roads otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tablelaw.spec.glyphs import straight
from tablelaw.spec.grid import SIDES, Cell
from tablelaw.spec.layouts import Laid, Layout
from tablelaw.spec.pieces import FacePart, Pieces

TILE = 64.0
"""The side of a piece, in the units of its own drawing."""
GROUND, RIM, INK = "#f6f2e7", "#b3ab9a", "#1a1a1a"
WALLS = ("#4d4d4d", "#8a8a8a", "#b5b5b5")
"""Areas that are open, by kind."""
OPEN_ROADS = ("#ffffff", "#cfcfcf", "#a6a6a6")
CLOSED = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442")
"""What is closed or goes round; colours that people with any colour vision can tell apart."""
CORNERS = {
    "N": ((0.0, 0.0), (1.0, 0.0)),
    "E": ((1.0, 0.0), (1.0, 1.0)),
    "S": ((1.0, 1.0), (0.0, 1.0)),
    "W": ((0.0, 1.0), (0.0, 0.0)),
}
MIDDLES = {"N": (0.5, 0.0), "E": (1.0, 0.5), "S": (0.5, 1.0), "W": (0.0, 0.5)}
POINTS = {
    "Nw": (0.3, 0.0), "Ne": (0.7, 0.0), "En": (1.0, 0.3), "Es": (1.0, 0.7),
    "Se": (0.7, 1.0), "Sw": (0.3, 1.0), "Ws": (0.0, 0.7), "Wn": (0.0, 0.3),
}  # fmt: skip
TURNS = {"N": 0, "NE": 45, "E": 90, "SE": 135, "S": 180, "SW": 225, "W": 270, "NW": 315}
Point = tuple[float, float]


@dataclass(slots=True)
class Colours:
    """The colour of each part that belongs to something closed or going round, by square, kind and sides."""

    found: dict[tuple[Cell, str, frozenset[str]], str] = field(default_factory=dict)
    closed: int = 0

    @classmethod
    def of(cls, layout: Layout) -> Colours:
        colours = cls()
        shaded = [
            f
            for kind in layout.pieces.kinds
            for f in layout.features(kind)
            if _reaches(layout, kind) and (f.closed or f.loops > 0)
        ]
        for feature in sorted(shaded, key=lambda f: (min((c.y, c.x) for c in f.cells), f.kind, sorted(map(repr, f.parts)))):
            colour = CLOSED[colours.closed % len(CLOSED)]
            colours.closed += 1
            colours.found |= {(p.cell, p.kind, p.sides): colour for p in feature.parts}
        return colours


def _reaches(layout: Layout, kind: str) -> bool:
    return layout.pieces.kinds[kind].reach == "sides"


def walled(pieces: Pieces, kind: str) -> bool:
    """Are parts of the kind areas? They are where one joins more than two sides, or none joins two; roads may end."""
    joins = [len(p.at) for parts in pieces.faces.values() for p in parts if p.kind == kind]
    return any(n > 2 for n in joins) or not any(n == 2 for n in joins)


def tile(pieces: Pieces, laid: Laid, cell: Cell, colours: Colours) -> Iterator[str]:
    """The elements of a piece whose corner is the origin, without its outline."""
    yield f'<rect x="1" y="1" width="{TILE - 2:g}" height="{TILE - 2:g}" rx="6" fill="{GROUND}" stroke="{RIM}"/>'
    kinds = [k for k in pieces.kinds.values() if k.reach == "sides"]
    parts = pieces.parts[laid]
    for number, kind in enumerate(kinds):
        mine = [p for p in parts if p.kind == kind.name]
        if walled(pieces, kind.name):
            for p in mine:
                colour = colours.found.get((cell, p.kind, frozenset(p.at)), WALLS[min(number, 2)])
                yield from _area(p.at, colour, alone=len(parts) == 1)
    for number, kind in enumerate(kinds):
        if not walled(pieces, kind.name):
            mine = sorted((p for p in parts if p.kind == kind.name), key=lambda p: straight(p) and "N" in p.at)
            for i, p in enumerate(mine):
                colour = colours.found.get((cell, p.kind, frozenset(p.at)), OPEN_ROADS[min(number, 2)])
                yield from _road(p, colour, above=i > 0 and straight(p) and straight(mine[0]))
    if not kinds:
        for p in parts:
            yield from _paths(p)
    yield from _signs(pieces, laid)


def _at(point: Point) -> str:
    return f"{point[0] * TILE:g} {point[1] * TILE:g}"


def _area(sides: tuple[str, ...], colour: str, alone: bool) -> Iterator[str]:
    """An area along its sides, with a wall where it ends inside the piece."""
    if len(sides) == 4:
        yield f'<rect width="{TILE:g}" height="{TILE:g}" fill="{colour}"/>'
        return
    ring = [s for s in SIDES if s in sides]
    inset = 0.0 if alone or len(ring) > 1 else 0.08
    outline, walls = "", []
    for i, side in enumerate(ring):
        (ax, ay), (bx, by) = CORNERS[side]
        begin = (ax + (bx - ax) * inset, ay + (by - ay) * inset)
        end = (bx + (ax - bx) * inset, by + (ay - by) * inset)
        after = ring[(i + 1) % len(ring)]
        skipped = (SIDES.index(after) - SIDES.index(side)) % 4 - 1 if len(ring) > 1 else 3
        outline += f"{'L' if outline else 'M'}{_at(begin)}L{_at(end)}"
        if skipped:
            (nx, ny), (mx, my) = CORNERS[after]
            stop = (nx + (mx - nx) * inset, ny + (my - ny) * inset)
            bend = _bend(side, after, skipped, alone)
            outline += f"Q{_at(bend)} {_at(stop)}"
            walls.append(f"M{_at(end)}Q{_at(bend)} {_at(stop)}")
    yield f'<path d="{outline}Z" fill="{colour}"/>'
    if walls:
        yield f'<path d="{"".join(walls)}" fill="none" stroke="{INK}" stroke-width="3"/>'


def _bend(side: str, after: str, skipped: int, alone: bool) -> Point:
    """The point towards which a wall bends between the end of one side and the beginning of another."""
    if skipped == 1:
        x, y = MIDDLES[SIDES[(SIDES.index(side) + 1) % 4]]
        far = 0.45
    elif skipped == 2:
        (x, y) = CORNERS[SIDES[(SIDES.index(side) + 1) % 4]][1]
        far = 0.8
    else:
        x, y = MIDDLES[SIDES[(SIDES.index(side) + 2) % 4]]
        far = 0.05 if alone else 0.4
    return (x + (0.5 - x) * 2 * far, y + (0.5 - y) * 2 * far) if skipped != 2 else (x + (0.5 - x) * far, y + (0.5 - y) * far)


def _road(part: FacePart, colour: str, above: bool) -> Iterator[str]:
    """A road between two sides; one that passes above another has a gap along it."""
    a, b = (*(MIDDLES[s] for s in part.at), (0.5, 0.5))[:2]
    if len(part.at) == 1:
        way = f"M{_at(a)}L{_at(b)}"
        yield f'<circle cx="{TILE / 2:g}" cy="{TILE / 2:g}" r="9" fill="{INK}"/>'
    elif straight(part):
        way = f"M{_at(a)}L{_at(b)}"
        if above:
            inner = [(x + (0.5 - x) * 0.4, y + (0.5 - y) * 0.4) for x, y in (a, b)]
            yield f'<path d="M{_at(inner[0])}L{_at(inner[1])}" stroke="{GROUND}" stroke-width="22"/>'
    else:
        turn = SIDES.index(part.at[1]) - SIDES.index(part.at[0]) in (1, -3)
        way = f"M{_at(a)}A{TILE / 2:g} {TILE / 2:g} 0 0 {0 if turn else 1} {_at(b)}"
    yield f'<path d="{way}" fill="none" stroke="{INK}" stroke-width="13"/>'
    yield f'<path d="{way}" fill="none" stroke="{colour}" stroke-width="8"/>'


def _paths(part: FacePart) -> Iterator[str]:
    """A part that joins halves of sides, where nothing else is drawn."""
    points = [POINTS[a] for a in part.at if a in POINTS]
    if len(points) == 2:
        yield f'<path d="M{_at(points[0])}Q{_at((0.5, 0.5))} {_at(points[1])}" fill="none" stroke="{INK}" stroke-width="4"/>'
    elif points:
        way = "".join(f"M{_at(p)}L{_at((0.5, 0.5))}" for p in points)
        yield f'<path d="{way}" fill="none" stroke="{INK}" stroke-width="4"/>'


def _signs(pieces: Pieces, laid: Laid) -> Iterator[str]:
    """The way that a turning attribute points, and the first letters of what lies inside."""
    for name in sorted(pieces.turning):
        way = pieces.attribute(laid[0], name, laid[1])
        if way in TURNS:
            turn = f"translate({TILE - 10:g} 10) rotate({TURNS[str(way)]})"
            yield f'<path d="M0 -6L4.5 5L0 2.5L-4.5 5Z" transform="{turn}" fill="{INK}"/>'
            break
    inside = [p.kind for p in pieces.parts[laid] if pieces.kinds[p.kind].reach == "inside"]
    if inside:
        letters = " ".join(k[0].upper() for k in inside)
        yield text(letters, TILE / 2, TILE / 2 + 6, 16, "middle", bold=True)


def text(words: str, x: float, y: float, size: float, anchor: str = "start", bold: bool = False) -> str:
    """A line of text with a light rim, so that it can be read on any ground."""
    weight = ' font-weight="bold"' if bold else ""
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size:g}" text-anchor="{anchor}"{weight} fill="{INK}" stroke="#ffffff" '
        f'stroke-width="2.5" paint-order="stroke" stroke-linejoin="round">{escaped(words)}</text>'
    )


def escaped(words: str) -> str:
    """Text as XML has it; what XML cannot hold is left out."""
    kept = "".join(c for c in words if c in "\t\n" or (c >= " " and not "\ud800" <= c <= "\udfff" and c not in "\ufffe\uffff"))
    return kept.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
