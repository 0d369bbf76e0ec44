"""Pieces as a game declares them: faces made of parts, how they turn, what may touch."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from tablelaw.spec.grid import HALVES, OPPOSITE, RIM, SIDES, Cell, Part, side_of, turned
from tablelaw.spec.values import Value

Shown = frozenset[str]
"""The kinds of part that a side shows."""
Beside = tuple[Shown | None, ...]
"""What the squares north, east, south and west of a square show it; None where nothing lies."""
MOST_LOCATED = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class Located:
    """The parts of a piece that lies on a square: by kind, by kind and side (half), and those next to each along the rim."""

    parts: frozenset[Part]
    of: dict[str, tuple[Part, ...]]
    at: dict[tuple[str, str | None], Part]
    beside: dict[Part, frozenset[Part]]


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of part: where its parts reach (`sides`, `halves` or `inside`), and which of its attributes turn or add up."""

    name: str
    reach: str
    turning: frozenset[str] = frozenset()
    numeric: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class FacePart:
    """A part of a face as drawn: the sides (halves) it joins, and its attributes, each with a value."""

    kind: str
    at: tuple[str, ...]
    attributes: tuple[tuple[str, Value], ...] = ()

    def turn(self, rotation: int, kind: Kind) -> FacePart:
        """The part after quarter turns; its places in the order of the rim."""
        ring = SIDES if kind.reach == "sides" else HALVES
        at = tuple(sorted((turned(p, rotation) for p in self.at), key=ring.index))
        attributes = tuple((n, turned(v, rotation) if n in kind.turning and v is not None else v) for n, v in self.attributes)
        return FacePart(self.kind, at, attributes)


@dataclass(frozen=True, eq=False)
class Pieces:
    """A set of pieces. `faces` maps each face to its parts, `attributes` each attribute of a face to its values.

    `allowed` holds the pairs (shown by the side being laid, shown by the side it meets) that the contact rule allows;
    `turning` are the attributes of faces that turn with the piece.
    """

    name: str
    kinds: dict[str, Kind]
    faces: dict[str, tuple[FacePart, ...]]
    attributes: dict[str, dict[str, Value]] = field(default_factory=dict)
    turning: frozenset[str] = frozenset()
    free: bool = True
    allowed: frozenset[tuple[Shown, Shown]] = frozenset()

    def alike(self, other: Pieces) -> bool:
        """Are they the same pieces, that may touch in the same way?"""

        def told(p: Pieces) -> tuple[object, ...]:
            return p.name, p.kinds, p.faces, p.attributes, p.turning, p.free, p.allowed

        return self is other or told(self) == told(other)

    @cached_property
    def symmetric(self) -> bool:
        """Does the contact rule ask the same of both sides?"""
        return all((b, a) in self.allowed for a, b in self.allowed)

    @cached_property
    def rotations(self) -> dict[str, tuple[int, ...]]:
        """The rotations of each face that differ."""
        return {f: tuple(dict.fromkeys(self.canonical[f, r] for r in range(4))) if self.free else (0,) for f in self.faces}

    @cached_property
    def canonical(self) -> dict[tuple[str, int], int]:
        """For each face and rotation the smallest rotation that looks the same."""
        found: dict[tuple[str, int], int] = {}
        for f in self.faces:
            looks: dict[object, int] = {}
            for r in range(4):
                look = (
                    frozenset(self.parts[f, r]),
                    tuple((a, self.attribute(f, a, r)) for a in sorted(self.attributes)),
                )
                found[f, r] = looks.setdefault(look, r)
        return found

    @cached_property
    def parts(self) -> dict[tuple[str, int], tuple[FacePart, ...]]:
        """The parts of each face in each rotation."""
        return {
            (f, r): tuple(p.turn(r, self.kinds[p.kind]) for p in parts) for f, parts in self.faces.items() for r in range(4)
        }

    @cached_property
    def shows(self) -> dict[tuple[str, int, str], Shown]:
        """The kinds that each side shows."""
        return {
            (f, r, s): frozenset(p.kind for p in parts if any(side_of(a) == s for a in p.at))
            for (f, r), parts in self.parts.items()
            for s in SIDES
        }

    @cached_property
    def around(self) -> dict[tuple[str, int], tuple[tuple[int, int], ...]]:
        """For each face and rotation the pairs of its parts (by number) that are neighbours along the rim."""
        found: dict[tuple[str, int], tuple[tuple[int, int], ...]] = {}
        for key, parts in self.parts.items():
            at_place = [[i for i, p in enumerate(parts) if place in p.at] for place in RIM]
            ring = [here for here in at_place if here]
            pairs = {
                (a, b)
                for here, after in zip(ring, [*ring[1:], *ring[:1]], strict=True)
                for a in here
                for b in (*here, *after)
                if a != b
            }
            found[key] = tuple(sorted(pairs | {(b, a) for a, b in pairs}))
        return found

    @cached_property
    def through(self) -> dict[tuple[str, int], dict[str, str]]:
        """For each face and rotation where a line that enters at a side leaves: through the part of two sides there.

        Where two such parts go from one side to different ones, no line goes through either.
        """
        found: dict[tuple[str, int], dict[str, str]] = {}
        for key, parts in self.parts.items():
            lines = {p.at for p in parts if self.kinds[p.kind].reach == "sides" and len(p.at) == 2}
            alone = [at for at in lines if not any(at != other and set(at) & set(other) for other in lines)]
            found[key] = {a: b for at in alone for a, b in (at, at[::-1])}
        return found

    @cached_property
    def _located(self) -> dict[tuple[Cell, tuple[str, int]], Located]:
        return {}

    def located(self, cell: Cell, laid: tuple[str, int]) -> Located:
        """The parts of a piece that lies so on a square, made once: layouts share them."""
        found = self._located.get((cell, laid))
        if found is None:
            if len(self._located) > MOST_LOCATED:
                self._located.clear()
            found = self._located[cell, laid] = self._locate(cell, laid)
        return found

    def _locate(self, cell: Cell, laid: tuple[str, int]) -> Located:
        parts = [Part(cell, p.kind, p.at[0] if p.at else None, frozenset(p.at), dict(p.attributes)) for p in self.parts[laid]]
        at: dict[tuple[str, str | None], Part] = {}
        for p in parts:
            for side in p.sides or (None,):
                at.setdefault((p.kind, side), p)
        return Located(
            frozenset(parts),
            {k: tuple(p for p in parts if p.kind == k) for k in self.kinds},
            at,
            {p: frozenset(parts[b] for a, b in self.around[laid] if a == i) for i, p in enumerate(parts)},
        )

    @cached_property
    def _fitting(self) -> dict[tuple[str, Beside], frozenset[int]]:
        return {}

    def fitting(self, face: str, beside: Beside) -> frozenset[int]:
        """The rotations in which a face keeps every contact with what the squares beside it show."""
        found = self._fitting.get((face, beside))
        if found is None:
            found = self._fitting[face, beside] = frozenset(
                r
                for r in (range(4) if self.free else (0,))
                if all(
                    (self.shows[face, r, side], shown) in self.allowed
                    for side, shown in zip(SIDES, beside, strict=True)
                    if shown is not None
                )
            )
        return found

    def shown_to(self, laid: tuple[str, int], side: str) -> Shown:
        """What a piece shows to the square from which it lies on that side."""
        return self.shows[(*laid, OPPOSITE[side])]

    def halves(self, kind: str) -> bool:
        """Do parts of the kind reach to halves of sides? These pieces need not have any: it may be a kind of others."""
        return kind in self.kinds and self.kinds[kind].reach == "halves"

    def attribute(self, face: str, name: str, rotation: int) -> Value:
        """An attribute of a face that lies turned."""
        value = self.attributes[name][face]
        return turned(value, rotation) if name in self.turning and value is not None else value
