"""One piece of a landscape as a block of seven by three characters: areas filled, roads drawn, figures standing on parts.

A landscape is made of pieces whose parts reach whole sides and halves of sides. A kind that shares a side with one that
reaches halves is drawn as a line, for there is ground on both sides of it; one that has its sides to itself is an area.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from tablelaw.checkers.standing import Figure
from tablelaw.report.piece_art import ARROWS, arm, line_art
from tablelaw.spec.grid import SIDES
from tablelaw.spec.layouts import Laid
from tablelaw.spec.pieces import FacePart, Kind, Pieces

LAND_WIDE, LAND_HIGH = 7, 3
Spot = tuple[int, int]
MIDDLE: Spot = (3, 1)
CORNERS: tuple[Spot, ...] = ((0, 0), (6, 0), (0, 2), (6, 2))
GROUND = "."
FILLS = "▒░▓"
"""Areas, by kind."""
SIGNS = "◆◇"
"""Numbers that parts carry, by attribute."""
_STRETCHED = {0: 0, 1: 2, 2: 3, 3: 4, 4: 6}
_STRIPS: dict[str, tuple[Spot, ...]] = {
    "N": ((1, 0), (2, 0), (3, 0), (4, 0), (5, 0)),
    "S": ((1, 2), (2, 2), (3, 2), (4, 2), (5, 2)),
    "W": ((0, 1), (1, 1)),
    "E": ((6, 1), (5, 1)),
}
_BETWEEN = {(0, 0): ("W", "N"), (6, 0): ("E", "N"), (0, 2): ("W", "S"), (6, 2): ("E", "S")}
"""The corners of the block, each with the sides that meet there, the upright one first."""
_HALVES: dict[str, tuple[Spot, ...]] = {
    "Nw": ((1, 0), (2, 0)), "Ne": ((5, 0), (4, 0)), "En": ((6, 0), (5, 0)), "Es": ((6, 2), (5, 2)),
    "Se": ((5, 2), (4, 2)), "Sw": ((1, 2), (2, 2)), "Ws": ((0, 2), (1, 2)), "Wn": ((0, 0), (1, 0)),
}  # fmt: skip
_INSIDE: tuple[Spot, ...] = ((3, 1), (2, 1), (4, 1), (2, 2), (2, 0), (4, 2), (4, 0), (1, 1), (5, 1), (1, 2), (1, 0))
"""Where what lies inside is written, the best place first."""


@lru_cache(maxsize=64)
def is_landscape(pieces: Pieces) -> bool:
    """Do parts reach whole sides and halves of sides?"""
    return {"sides", "halves"} <= {k.reach for k in pieces.kinds.values()}


@lru_cache(maxsize=64)
def areas(pieces: Pieces) -> tuple[str, ...]:
    """The kinds that are drawn as areas: those that reach sides and never share one with a kind that reaches halves."""
    beside = {k for shown in pieces.shows.values() if any(pieces.halves(o) for o in shown) for k in shown}
    return tuple(k.name for k in pieces.kinds.values() if k.reach == "sides" and k.name not in beside)


@lru_cache(maxsize=64)
def lines(pieces: Pieces) -> tuple[str, ...]:
    """The kinds that are drawn as lines."""
    return tuple(k.name for k in pieces.kinds.values() if k.reach == "sides" and k.name not in areas(pieces))


def covered(pieces: Pieces, laid: Laid) -> bool:
    """Does an area lie in the middle of the piece?"""
    mine = [set(p.at) for p in pieces.parts[laid] if p.kind in areas(pieces)]
    return any({"N", "S"} <= at or {"E", "W"} <= at for at in mine)


def signs(pieces: Pieces) -> dict[str, str]:
    """The sign of each number that parts carry."""
    names = dict.fromkeys(n for k in pieces.kinds.values() for n in sorted(k.numeric))
    return {n: SIGNS[min(i, len(SIGNS) - 1)] for i, n in enumerate(names)}


@dataclass(slots=True)
class LandArt:
    """The characters of a block, what they mean, and where a figure on each part may stand."""

    pieces: Pieces
    laid: Laid
    art: dict[Spot, str] = field(default_factory=dict)
    homes: dict[int, list[Spot]] = field(default_factory=dict)
    legend: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, pieces: Pieces, laid: Laid) -> LandArt:
        """The block of a piece, nobody on it."""
        block = cls(pieces, laid)
        parts = list(enumerate(pieces.parts[laid]))
        block._areas([(i, p) for i, p in parts if p.kind in areas(pieces)])
        block._lines([(i, p) for i, p in parts if p.kind in lines(pieces)])
        block._ground([(i, p) for i, p in parts if pieces.halves(p.kind)])
        block._inside([(i, p) for i, p in parts if pieces.kinds[p.kind].reach == "inside"])
        block._numbers(parts)
        return block

    def rows(self) -> list[str]:
        """The block as text."""
        return ["".join(self.art.get((x, y), " ") for x in range(LAND_WIDE)) for y in range(LAND_HIGH)]

    def mark(self) -> None:
        """Stars at the corners."""
        self.art.update(dict.fromkeys(CORNERS, "*"))

    def tag(self, letter: str) -> None:
        """A letter for a piece that could be taken for another."""
        spot = next((s for s in reversed(_INSIDE) if self.art.get(s, GROUND) == GROUND), (1, 1))
        self.art[spot] = letter

    def stand(self, figures: Sequence[Figure]) -> None:
        """Figures on the parts of this piece, each where there is room."""
        taken: set[Spot] = set()
        for i, p in enumerate(self.pieces.parts[self.laid]):
            mine = [f for f in figures if f.part.kind == p.kind and (f.part.side in p.at or (f.part.side is None and not p.at))]
            free = [s for s in self.homes.get(i, []) if s not in taken and self.art.get(s) not in ("*", *SIGNS)]
            free += [s for s in self.homes.get(i, []) if s not in taken and s not in free]
            for spot, figure in zip(free, mine, strict=False):
                self.art[spot] = figure.mark
                taken.add(spot)
            if len(mine) > len(free) and free:
                self.art[free[-1]] = "+"

    # what is drawn

    def _areas(self, parts: list[tuple[int, FacePart]]) -> None:
        owner = {side: i for i, p in parts for side in p.at}
        for i, p in parts:
            spots = [s for side in p.at for s in _STRIPS[side]]
            for corner, (upright, level) in _BETWEEN.items():
                both = owner.get(upright) == owner.get(level) == i
                if both or (owner.get(upright) == i and level not in owner):
                    spots.append(corner)
            sides = set(p.at)
            if {"E", "W"} <= sides or {"N", "S"} <= sides:
                spots += [(2, 1), (3, 1), (4, 1)]
            for other in sides & {"N", "S"}:  # a strip stops short of another area beside it
                y = 0 if other == "N" else 2
                spots = [s for s in spots if not (s == (1, y) and owner.get("W", i) != i)]
                spots = [s for s in spots if not (s == (5, y) and owner.get("E", i) != i)]
            for other in sides & {"E", "W"}:
                x = 0 if other == "W" else 6
                spots += [(x, y) for y, s in ((0, "N"), (2, "S")) if owner.get(s, i) != i and (x, y) not in spots]
            kind = areas(self.pieces).index(p.kind)
            fill = FILLS[min(kind, len(FILLS) - 1)]
            self.art.update(dict.fromkeys(spots, fill))
            self.legend[fill] = p.kind if kind < len(FILLS) else "other areas"
            self.homes[i] = _near(_centre(p), [s for s in dict.fromkeys(spots) if s not in CORNERS])

    def _lines(self, parts: list[tuple[int, FacePart]]) -> None:
        order = lines(self.pieces)
        drawn = line_art([p for _, p in parts], lambda p: order.index(p.kind))
        lonely = not any(len(p.at) > 1 for _, p in parts)
        full = covered(self.pieces, self.laid) or any(k.reach == "inside" for k in self._kinds())
        found: dict[Spot, str] = {}
        for (x, y), mark in drawn.items():
            if lonely and full and y == 1 and 0 < x < 4:
                continue  # the line ends at what lies in the middle
            found[_STRETCHED[x], y] = mark
        for side, x, near in (("W", 0, 1), ("E", 6, 5)):
            if (x, 1) in found:
                mine = next((order.index(p.kind) for _, p in parts if side in p.at), 0)
                found[near, 1], found[x, 1] = found[x, 1], arm(side, mine)
        self.art.update(found)
        for i, p in parts:
            self.legend[arm("E", order.index(p.kind))] = p.kind
            spots = [s for side in p.at for s in _arm(side) if s in found]
            self.homes[i] = spots or [s for s in found if s != MIDDLE] or [MIDDLE]

    def _ground(self, parts: list[tuple[int, FacePart]]) -> None:
        if not parts:
            return
        bare = [(x, y) for y in range(LAND_HIGH) for x in range(LAND_WIDE) if (x, y) not in self.art]
        self.art.update(dict.fromkeys(bare, GROUND))
        self.legend[GROUND] = ", ".join(k.name for k in self.pieces.kinds.values() if k.reach == "halves")
        for i, p in parts:
            spots = list(dict.fromkeys(s for at in p.at for s in _HALVES[at] if s in bare))
            inner = [s for s in spots if s not in CORNERS]
            self.homes[i] = [*inner, *(s for s in spots if s not in inner)]

    def _inside(self, parts: list[tuple[int, FacePart]]) -> None:
        """A letter for what lies inside, with the way it points."""
        letters = inside_letters(self.pieces)
        free = [s for s in _INSIDE if self.art.get(s, GROUND) == GROUND] or list(_INSIDE)
        for i, p in parts:
            text = letters[p.kind] + arrow_of(p, self.pieces.kinds[p.kind])
            spot = next((s for s in free if all((s[0] + k, s[1]) in free for k in range(len(text)))), None)
            spot = spot or (2, 2)
            for k, mark in enumerate(text):
                self.art[spot[0] + k, spot[1]] = mark
                if (spot[0] + k, spot[1]) in free:
                    free.remove((spot[0] + k, spot[1]))
            self.legend[letters[p.kind]] = p.kind
            after = (spot[0] + len(text), spot[1])
            self.homes[i] = [after, (spot[0] - 1, spot[1]), spot]

    def _numbers(self, parts: list[tuple[int, FacePart]]) -> None:
        """A sign for each point of a number that a part carries."""
        known = signs(self.pieces)
        for i, p in parts:
            spots = list(reversed(self.homes.get(i, [])))
            for name, amount in p.attributes:
                if name in known and isinstance(amount, int) and not isinstance(amount, bool) and amount > 0:
                    self.legend[known[name]] = name
                    for spot in spots[:amount]:
                        self.art[spot] = known[name]
                    spots = spots[amount:]

    def _kinds(self) -> Iterator[Kind]:
        return (self.pieces.kinds[p.kind] for p in self.pieces.parts[self.laid])


def land_look(pieces: Pieces, laid: Laid) -> object:
    """What a piece looks like: equal for pieces that could be taken for each other."""
    return tuple(LandArt.of(pieces, laid).rows())


def arrow_of(part: FacePart, kind: Kind) -> str:
    """The way that a part points, as an arrow; nothing where it points nowhere."""
    for name, way in part.attributes:
        if name in kind.turning and way in ARROWS:
            return ARROWS[str(way)]
    return ""


@lru_cache(maxsize=64)
def inside_letters(pieces: Pieces) -> dict[str, str]:
    """A letter for each kind that lies inside, its first where that is still free."""
    found: dict[str, str] = {}
    for k in pieces.kinds.values():
        if k.reach == "inside":
            letters = [c for c in k.name.upper() if c.isascii() and c.isalpha()] + list("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
            found[k.name] = next((c for c in letters if c not in found.values()), "?")
    return found


def _centre(part: FacePart) -> tuple[float, float]:
    """The middle of an area that joins these sides."""
    at = {"N": (3.0, 0.0), "E": (5.0, 1.0), "S": (3.0, 2.0), "W": (1.0, 1.0)}
    points = [at[s] for s in SIDES if s in part.at]
    return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)


def _near(centre: tuple[float, float], spots: list[Spot]) -> list[Spot]:
    return sorted(spots, key=lambda s: (abs(s[0] - centre[0]) + 2 * abs(s[1] - centre[1]), s))


def _arm(side: str) -> tuple[Spot, ...]:
    return {"N": ((3, 0),), "S": ((3, 2),), "W": ((1, 1), (0, 1), (2, 1)), "E": ((5, 1), (6, 1), (4, 1))}[side]
