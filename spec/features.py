"""Features of a layout: parts that are joined. Worked out from nothing, or from those before the last piece was laid."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from tablelaw.spec.grid import FACING, OPPOSITE, RIM, Cell, Part, side_of, step

if TYPE_CHECKING:
    from tablelaw.spec.layouts import Layout
    from tablelaw.spec.values import Value

FIELDS = ("kind", "parts", "cells", "size", "open", "closed", "loops")
"""What every feature can be asked; its other names are numeric attributes, summed."""
Order = tuple[int, int, str, int]


def part_order(part: Part) -> Order:
    """Parts by their squares, row by row, then round the rim."""
    return (part.cell.y, part.cell.x, part.kind, RIM.index(part.side) if part.side else -1)


class Feature:
    """All parts of a kind that are joined through touching sides. `open` counts sides to squares where nothing lies.

    `layout` is one on which all its pieces lie: that it was asked of, or one before. `order` is that of its first part.
    """

    __slots__ = ("_hash", "_totals", "cells", "joined", "kind", "layout", "open", "order", "parts")

    def __init__(
        self,
        layout: Layout,
        kind: str,
        parts: frozenset[Part],
        open_ends: int,
        joined: int,
        cells: frozenset[Cell] | None = None,
        order: Order | None = None,
    ) -> None:
        self.layout, self.kind, self.parts, self.open, self.joined = layout, kind, parts, open_ends, joined
        self.cells = frozenset(p.cell for p in parts) if cells is None else cells
        self.order = min(map(part_order, parts)) if order is None else order
        self._hash = hash((kind, parts))
        self._totals: dict[str, int] = {}

    @property
    def size(self) -> int:
        """How many squares it lies on."""
        return len(self.cells)

    @property
    def closed(self) -> bool:
        """Has it no side to an empty square?"""
        return self.open == 0

    @property
    def loops(self) -> int:
        """How many independent ways round it has: joined pairs less parts, plus one."""
        return self.joined - len(self.parts) + 1

    def total(self, attribute: str) -> int:
        """A numeric attribute summed over its parts."""
        if attribute not in self._totals:
            self._totals[attribute] = sum(int(str(p.attributes.get(attribute, 0))) for p in self.parts)
        return self._totals[attribute]

    def read(self, name: str) -> Value:
        """A field, or a numeric attribute summed."""
        return getattr(self, name) if name in FIELDS else self.total(name)

    def touches(self, other: Feature) -> bool:
        """Are parts of both neighbours along one piece's rim?"""
        for cell in self.cells & other.cells:
            near = self.layout.lies(cell)
            for p in near.of.get(self.kind, ()):
                if p in self.parts and not near.beside[p].isdisjoint(other.parts):
                    return True
        return False

    def __contains__(self, part: object) -> bool:
        return isinstance(part, Part) and self.has(part)

    def has(self, part: Part) -> bool:
        """Is the part (named by any of its sides) one of its parts?"""
        if part in self.parts:
            return True
        if part.kind != self.kind or part.cell not in self.cells:
            return False
        return self.layout.part_at(part.cell, part.kind, part.side) in self.parts

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Feature) and self.kind == other.kind and self.parts == other.parts)

    def __hash__(self) -> int:
        return self._hash


class Joined:
    """The features of one kind on a layout, and of which each part is one."""

    __slots__ = ("every", "of")

    def __init__(self, every: frozenset[Feature], of: dict[Part, Feature]) -> None:
        self.every, self.of = every, of


def joined(layout: Layout, kind: str) -> Joined:
    """The features of a kind, from nothing but where the pieces lie: the meaning."""
    facing = FACING if layout.pieces.halves(kind) else OPPOSITE
    seen: dict[Part, Feature] = {}
    found = []
    for first in [p for c in layout for p in layout.lies(c).of.get(kind, ())]:
        if first in seen:
            continue
        members, waiting, open_ends = {first}, [first], 0
        pairs: set[frozenset[Part]] = set()
        while waiting:
            p = waiting.pop()
            for at in p.sides:
                there = step(p.cell, side_of(at))
                other = layout.part_at(there, kind, facing[at])
                if other is None:
                    open_ends += there not in layout.cells
                    continue
                pairs.add(frozenset((p, other)))
                if other not in members:
                    members.add(other)
                    waiting.append(other)
        feature = Feature(layout, kind, frozenset(members), open_ends, len(pairs))
        seen.update(dict.fromkeys(members, feature))
        found.append(feature)
    return Joined(frozenset(found), seen)


def joined_further(before: Joined, layout: Layout, cell: Cell, kind: str) -> Joined:
    """The same from the features before the piece on a square was laid: those that do not reach it are kept as they are."""
    facing = FACING if layout.pieces.halves(kind) else OPPOSITE
    new = layout.lies(cell).of.get(kind, ())
    pairs: set[tuple[Part, Part]] = set()
    open_ends: dict[Part, int] = dict.fromkeys(new, 0)
    for p in new:
        for at in p.sides:
            there = step(cell, side_of(at))
            other = layout.part_at(there, kind, facing[at])
            if other is not None:
                pairs.add((p, other))
            else:
                open_ends[p] += there not in layout.cells
    met: dict[Feature, int] = {}  # how many open sides each feature beside the square had towards it
    for side, towards in OPPOSITE.items():
        there = step(cell, side)
        if there in layout.cells:
            for p in layout.lies(there).of.get(kind, ()):
                ends = sum(side_of(at) == towards for at in p.sides)
                if ends:
                    feature = before.of[p]
                    met[feature] = met.get(feature, 0) + ends
    if not new and not met:
        return before
    of, added, merged = dict(before.of), list[Feature](), set[Feature]()
    for parts, touched, ways in _together(new, pairs, before):
        members = frozenset(parts).union(*(f.parts for f in touched))
        one = Feature(
            layout,
            kind,
            members,
            sum(f.open - met[f] for f in touched) + sum(open_ends[p] for p in parts),
            sum(f.joined for f in touched) + ways,
            frozenset((cell,)).union(*(f.cells for f in touched)),
            min([f.order for f in touched] + [part_order(p) for p in parts]),
        )
        merged.update(touched)
        of.update(dict.fromkeys(members, one))
        added.append(one)
    for f, ends in met.items():
        if f not in merged:  # beside the piece, but joined to none of its parts
            shut = Feature(layout, kind, f.parts, f.open - ends, f.joined, f.cells, f.order)
            of.update(dict.fromkeys(f.parts, shut))
            added.append(shut)
    return Joined(before.every.difference(met).union(added), of)


Group = tuple[list[Part], list[Feature], int]


def _together(new: Iterable[Part], pairs: set[tuple[Part, Part]], before: Joined) -> list[Group]:
    """The new parts by what they become one with: parts, features of before, and how many pairs are joined."""
    groups: list[Group] = []
    for p in new:
        others = [o for q, o in pairs if q is p]
        touched = list(dict.fromkeys(before.of[o] for o in others))
        mine, ways, apart = [p], len(others), list[Group]()
        for group in groups:
            if any(f in group[1] for f in touched):
                mine = [*group[0], *mine]
                touched = [*group[1], *(f for f in touched if f not in group[1])]
                ways += group[2]
            else:
                apart.append(group)
        groups = [*apart, (mine, touched, ways)]
    return groups
