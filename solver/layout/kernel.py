"""Layouts as whole numbers: oriented pieces and squares are small integers, what may touch is a bit mask.

The same meaning as `spec/layouts.py`, for those who lay and take back millions of pieces.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from tablelaw.spec.grid import FACING, HALVES, OPPOSITE, SIDES, STEPS, Cell, side_of
from tablelaw.spec.layouts import Laid, Layout
from tablelaw.spec.mirrors import mirror_images
from tablelaw.spec.pieces import Pieces

EMPTY = -1
Key = tuple[int, ...]
"""A layout as numbers, sorted, its first row and column being 0; equal layouts have equal keys."""


class End(NamedTuple):
    """A place where a part reaches a side: the side by its number, the place itself, and the one that faces it."""

    side: int
    place: int
    facing: int


class Kernel:
    """The tables of a set of pieces.

    `looks` are the oriented pieces, equal ones once; everything else speaks of them by their number. Parts of a kind on
    an oriented piece are numbered as well (`slots`): `ends[kind][o][slot]` are the places it reaches, and
    `owner[kind][o][place]` is the slot at a place, or -1.
    """

    def __init__(self, pieces: Pieces) -> None:
        self.pieces = pieces
        self.looks: list[Laid] = [(f, r) for f, turns in pieces.rotations.items() for r in turns]
        self.code: dict[Laid, int] = {laid: i for i, laid in enumerate(self.looks)}
        self.every = (1 << len(self.looks)) - 1
        self.beside: list[list[int]] = [
            [sum(1 << n for n, new in enumerate(self.looks) if self._allowed(new, side, old)) for old in self.looks]
            for side in SIDES
        ]
        """`beside[side][old]`: what may be laid where `old` lies at that side."""
        self.ends: dict[str, list[list[tuple[End, ...]]]] = {}
        self.owner: dict[str, list[list[int]]] = {}
        for kind in pieces.kinds:
            self._slots(kind)
        self.most = max((len(slots) for table in self.ends.values() for slots in table), default=0)
        self.turned = [self._turned(laid) for laid in self.looks] if pieces.free else []
        self._mirrored: list[int] | None = None

    def _allowed(self, new: Laid, side: str, old: Laid) -> bool:
        shows = self.pieces.shows
        return (shows[(*new, side)], shows[(*old, OPPOSITE[side])]) in self.pieces.allowed

    def _slots(self, kind: str) -> None:
        halves = self.pieces.kinds[kind].reach == "halves"
        ring, facing = (HALVES, FACING) if halves else (SIDES, OPPOSITE)
        self.ends[kind], self.owner[kind] = [], []
        for laid in self.looks:
            parts = [p for p in self.pieces.parts[laid] if p.kind == kind]
            owner = [-1] * len(ring)
            for slot, p in enumerate(parts):
                for at in p.at:
                    owner[ring.index(at)] = slot
            self.owner[kind].append(owner)
            self.ends[kind].append(
                [tuple(End(SIDES.index(side_of(a)), ring.index(a), ring.index(facing[a])) for a in p.at) for p in parts]
            )

    def _turned(self, laid: Laid) -> int:
        face, rotation = laid
        return self.code[face, self.pieces.canonical[face, (rotation + 1) % 4]]

    @property
    def mirrored(self) -> list[int]:
        """The mirror image of each oriented piece; the pieces must have them all."""
        if self._mirrored is None:
            images = mirror_images(self.pieces)
            assert isinstance(images, dict)
            self._mirrored = [self.code[images[laid]] for laid in self.looks]
        return self._mirrored

    def goes_on(self, kind: str) -> bool:
        """Does a part of the kind that meets a laid piece always go on in it, so that no end is ever blocked?"""
        owner = self.owner[kind]
        for old in range(len(self.looks)):
            for slots in self.ends[kind][old]:
                for end in slots:
                    # what lies beyond the side sees `old` at the opposite one
                    there = self.beside[(end.side + 2) % 4][old]
                    if any(there >> new & 1 and owner[new][end.facing] < 0 for new in range(len(self.looks))):
                        return False
        return True


@dataclass(frozen=True, slots=True)
class Joined:
    """A feature: its parts as pairs of square and slot, its squares, its sides to empty squares, its joined pairs."""

    parts: tuple[tuple[int, int], ...]
    cells: frozenset[int]
    open: int
    joined: int

    @property
    def closed(self) -> bool:
        """Has it no side to an empty square?"""
        return self.open == 0

    @property
    def loops(self) -> int:
        """Independent ways round it."""
        return self.joined - len(self.parts) + 1


class Board:
    """A layout that pieces are laid on and taken back from. Squares are numbers, row by row; `root` is (0, 0).

    `reach` is how far from the root a piece may come.
    """

    __slots__ = ("at", "kernel", "laid", "reach", "root", "steps", "stride")

    def __init__(self, kernel: Kernel, reach: int) -> None:
        self.kernel, self.reach = kernel, reach
        self.stride = 2 * reach + 3  # an empty rim all round, so that no step leaves the list
        self.root = (reach + 1) * (self.stride + 1)
        self.at = [EMPTY] * (self.stride * self.stride)
        self.laid: list[int] = []
        self.steps = tuple(dx + dy * self.stride for dx, dy in (STEPS[s] for s in SIDES))

    def lay(self, cell: int, look: int) -> None:
        """Lay an oriented piece on an empty square."""
        self.at[cell] = look
        self.laid.append(cell)

    def unlay(self) -> None:
        """Take the last piece back."""
        self.at[self.laid.pop()] = EMPTY

    def candidates(self, cell: int) -> int:
        """The oriented pieces that keep every contact there, as a mask."""
        at, beside = self.at, self.kernel.beside
        found = self.kernel.every
        for side, step in enumerate(self.steps):
            near = at[cell + step]
            if near >= 0:
                found &= beside[side][near]
        return found

    def fits(self, cell: int, look: int) -> bool:
        """Is the square empty, and every contact kept?"""
        return self.at[cell] < 0 and bool(self.candidates(cell) >> look & 1)

    def cell(self, x: int, y: int) -> int:
        """The number of a square."""
        return self.root + x + y * self.stride

    def place(self, cell: int) -> Cell:
        """The square of a number."""
        y, x = divmod(cell, self.stride)
        return Cell(x - self.reach - 1, y - self.reach - 1)

    # what the parts make together

    def features(self, kind: str) -> list[Joined]:
        """All features of a kind: from each part that was not met yet to all that it is joined with."""
        at, most, steps = self.at, self.kernel.most, self.steps
        ends, owner = self.kernel.ends[kind], self.kernel.owner[kind]
        halves = self.kernel.pieces.kinds[kind].reach == "halves"
        seen: set[int] = set()
        found: list[Joined] = []
        for first in self.laid:
            for start in range(len(ends[at[first]])):
                if first * most + start in seen:
                    continue
                seen.add(first * most + start)
                parts, open_ends, joins = [(first, start)], 0, 0
                for cell, slot in parts:  # grows as parts are met
                    twice: list[int] = []
                    for side, _, facing in ends[at[cell]][slot]:
                        there = cell + steps[side]
                        near = at[there]
                        if near < 0:
                            open_ends += 1
                            continue
                        other = owner[near][facing]
                        if other < 0:
                            continue
                        met = there * most + other
                        if met not in seen:
                            seen.add(met)
                            parts.append((there, other))
                        if halves:  # the two halves of a side may join the same two parts
                            if met in twice:
                                continue
                            twice.append(met)
                        joins += 1
                found.append(Joined(tuple(parts), frozenset([c for c, _ in parts]), open_ends, joins // 2))
        return found

    # one layout for many

    def key(self) -> Key:
        """The layout up to translation."""
        return self._key([(*self.place(c), self.at[c]) for c in self.laid])

    def images(self, rotation: bool, reflection: bool = False) -> list[Key]:
        """The keys of the layout turned (and mirrored) in every way, itself first."""
        pieces = [(*self.place(c), self.at[c]) for c in self.laid]
        found = [self._key(pieces)]
        turned, ways = self.kernel.turned, 4 if rotation else 1
        for mirror in (False, True) if reflection else (False,):
            if mirror:
                images = self.kernel.mirrored
                pieces = [(-x, y, images[o]) for x, y, o in pieces]
                found.append(self._key(pieces))
            for _ in range(ways - 1):
                pieces = [(-y, x, turned[o]) for x, y, o in pieces]
                found.append(self._key(pieces))
            if rotation:
                pieces = [(-y, x, turned[o]) for x, y, o in pieces]
        return found

    def canonical(self, rotation: bool, reflection: bool = False) -> Key:
        """The least key among the layout's images: the same for all of them."""
        return min(self.images(rotation, reflection))

    def _key(self, pieces: list[tuple[int, int, int]]) -> Key:
        left = min(p[0] for p in pieces)
        top = min(p[1] for p in pieces)
        return tuple(sorted((((y - top) << 8 | (x - left)) << 16) | o for x, y, o in pieces))

    # to and from layouts

    def load(self, layout: Layout) -> None:
        """Lay the pieces of a layout."""
        for cell in layout:
            self.lay(self.cell(cell.x, cell.y), self.kernel.code[layout.cells[cell]])

    def layout(self, empty: Layout) -> Layout:
        """The layout as formulas read it, its first row and column being 0."""
        return unpacked(self.kernel, self.key(), empty)


def unpacked(kernel: Kernel, key: Key, empty: Layout) -> Layout:
    """The layout that a key stands for."""
    return empty.with_cells({Cell(k >> 16 & 255, k >> 24): kernel.looks[k & 65535] for k in key})


def bits(mask: int) -> Iterator[int]:
    """The numbers in a mask, smallest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low
