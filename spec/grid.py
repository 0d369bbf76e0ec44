"""The square grid: sides, halves and directions, and the places that rules may keep.

x goes east, y goes south; a quarter turn is clockwise, and nothing is ever mirrored.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from tablelaw.spec.operators import Fault

SIDES = ("N", "E", "S", "W")
HALVES = ("Nw", "Ne", "En", "Es", "Se", "Sw", "Ws", "Wn")
DIRECTIONS = ("N", "NE", "E", "SE", "S", "SW", "W", "NW")
STEPS = {
    "N": (0, -1), "NE": (1, -1), "E": (1, 0), "SE": (1, 1), "S": (0, 1), "SW": (-1, 1), "W": (-1, 0), "NW": (-1, -1),
}  # fmt: skip
OPPOSITE = {"N": "S", "E": "W", "S": "N", "W": "E"}
FACING = {"Nw": "Sw", "Ne": "Se", "En": "Wn", "Es": "Ws", "Se": "Ne", "Sw": "Nw", "Ws": "Es", "Wn": "En"}
"""The half of the neighbour that lies against each half."""
RIM = ("Nw", "N", "Ne", "En", "E", "Es", "Se", "S", "Sw", "Ws", "W", "Wn")
"""The places round the rim of a piece, clockwise."""


class Cell(NamedTuple):
    """A square of the grid."""

    x: int
    y: int


class Edge(NamedTuple):
    """A side of a square."""

    cell: Cell
    side: str


class Part:
    """A part of the piece on a square: the one of its kind at a side (or half); of a kind inside there is one, side None.

    Parts read from a table also carry the sides that they join and their attributes; these take no part in equality.
    """

    __slots__ = ("_hash", "attributes", "cell", "kind", "side", "sides")

    def __init__(
        self,
        cell: Cell,
        kind: str,
        side: str | None,
        sides: frozenset[str] = frozenset(),
        attributes: dict[str, object] | None = None,
    ) -> None:
        self.cell, self.kind, self.side, self.sides, self.attributes = cell, kind, side, sides, attributes or {}
        self._hash = hash((cell, kind, side))

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return isinstance(other, Part) and (self.cell, self.kind, self.side) == (other.cell, other.kind, other.side)

    def __hash__(self) -> int:
        return self._hash

    def called(self, other: Part) -> bool:
        """Does the other name this part, by any of the sides that this one is known to join?"""
        return (self.cell, self.kind) == (other.cell, other.kind) and (self.side == other.side or other.side in self.sides)

    def read(self, name: str) -> object:
        """A field, or an attribute of one read from a table; a fault where parts of its kind have no such attribute."""
        if name in ("cell", "kind", "side", "sides"):
            return getattr(self, name)
        if name not in self.attributes:
            raise Fault("index", f"a part of kind `{self.kind}` has no `{name}`")
        return self.attributes[name]

    def __repr__(self) -> str:
        return f"Part({tuple(self.cell)}, {self.kind}, {self.side})"


@lru_cache(maxsize=16_384)
def step(cell: Cell, direction: str, k: int = 1) -> Cell:
    """The square k squares off in a direction."""
    dx, dy = STEPS[direction]
    return Cell(cell.x + k * dx, cell.y + k * dy)


def neighbours8(cell: Cell) -> list[Cell]:
    """The eight squares around."""
    return [step(cell, d) for d in DIRECTIONS]


@lru_cache(maxsize=4_096)
def around(cell: Cell) -> frozenset[Cell]:
    """The eight squares around, as a set."""
    return frozenset(neighbours8(cell))


def across(edge: Edge) -> Edge:
    """The same line seen from the square on its other side."""
    return Edge(step(edge.cell, edge.side), OPPOSITE[edge.side])


def turned(name: str, rotation: int) -> str:
    """A side, half or direction after that many quarter turns clockwise."""
    for ring in (SIDES, HALVES, DIRECTIONS):
        if name in ring:
            return ring[(ring.index(name) + rotation * len(ring) // 4) % len(ring)]
    raise ValueError(name)


def side_of(place: str) -> str:
    """The side that a side or half lies on."""
    return place[0]
