"""Random sets of pieces and random layouts of them: what the laws about layouts are fed with.

A set is drawn as a `Plan`, which becomes `Pieces` directly, or a part of a rules file that is read like any other.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tablelaw.solver.layout import reference
from tablelaw.spec.grid import DIRECTIONS, HALVES, SIDES, Cell, step
from tablelaw.spec.layouts import Laid, Layout
from tablelaw.spec.pieces import FacePart, Kind, Pieces, Shown
from tablelaw.spec.values import Value

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

KINDS = ("road", "city", "field", "river", "camp")
FACES = ("gate", "bend", "fork", "plain", "well")
Rule = Callable[[Shown, Shown], bool]
CONTACTS: dict[str, Rule] = {
    "mine == theirs": lambda mine, theirs: mine == theirs,
    "mine <= theirs": lambda mine, theirs: mine <= theirs,
    "True": lambda mine, theirs: True,
    "size(mine) == size(theirs)": lambda mine, theirs: len(mine) == len(theirs),
    "all((k in mine) == (k in theirs) for k in Kind if k != road)": lambda mine, theirs: mine - {"road"} == theirs - {"road"},
}
ATTRIBUTES: dict[str, tuple[Value, ...]] = {
    "0..2": (0, 1, 2),
    "-1..3": (0, -1, 1, 2, 3),
    "bool": (False, True),
    "Hue": ("red", "blue"),
    "Side": (None, *SIDES),
    "Half": (None, *HALVES),
    "Direction": (None, *DIRECTIONS),
}
"""Types of attributes with their values; the first is that of an attribute that is left out."""
TURNING = ("Side", "Half", "Direction")
LINES: tuple[tuple[tuple[str, ...], ...], ...] = ((("N", "E"),), (SIDES,), (("N", "S"), ("E", "W")), (("N", "W"), ("S", "E")))
"""Parts that run into loops."""
Board = tuple[int, int] | None
"""Width and height of a board, or None for a free grid."""


@dataclass(frozen=True)
class PlannedKind:
    """A kind of part: where it reaches, and its attributes with their types."""

    reach: str
    attributes: dict[str, str]


@dataclass(frozen=True)
class PlannedFace:
    """A face: its parts, and its attributes (all of them)."""

    parts: tuple[FacePart, ...]
    attributes: dict[str, Value]


@dataclass(frozen=True)
class Plan:
    """A set of pieces as it is to be declared; `split` holds other parts of faces under the other value of an option."""

    name: str
    kinds: dict[str, PlannedKind]
    attributes: dict[str, str]
    faces: dict[str, PlannedFace]
    free: bool
    contact: str
    split: dict[str, PlannedFace] = field(default_factory=dict)

    def pieces(self, split: bool = False) -> Pieces:
        """The set, made without reading anything."""
        faces = {**self.faces, **(self.split if split else {})}
        kinds = {
            name: Kind(
                name,
                k.reach,
                frozenset(n for n, t in k.attributes.items() if t in TURNING),
                frozenset(n for n, t in k.attributes.items() if ".." in t),
            )
            for name, k in self.kinds.items()
        }
        parts = {name: face.parts for name, face in faces.items()}
        own = {a: {name: face.attributes[a] for name, face in faces.items()} for a in self.attributes}
        turning = frozenset(n for n, t in self.attributes.items() if t in TURNING)
        bare = Pieces(self.name, kinds, parts, own, turning, self.free)
        shown = {reference.shown(bare, f, r, s) for f in faces for r in range(4) for s in SIDES}
        rule = CONTACTS[self.contact]
        allowed = frozenset((a, b) for a in shown for b in shown if rule(a, b))
        return Pieces(self.name, kinds, parts, own, turning, self.free, allowed)

    def declared(self) -> dict[str, object]:
        """The set as an entry of `pieces:`."""
        faces: dict[str, object] = {}
        for name, face in self.faces.items():
            other = self.split.get(name)
            faces[name] = (
                self._face(face)
                if other is None
                else [
                    {"only": {"faces": "joined"}, **self._face(face)},
                    {"only": {"faces": "split"}, **self._face(other)},
                ]
            )
        return {
            "parts": {name: {"at": k.reach, **k.attributes} for name, k in self.kinds.items()},
            "attributes": dict(self.attributes),
            "rotation": "free" if self.free else "fixed",
            "contact": self.contact,
            "faces": faces,
        }

    def _face(self, face: PlannedFace) -> dict[str, object]:
        found: dict[str, object] = {}
        for p in face.parts:
            own = {n: v for n, v in p.attributes if v != ATTRIBUTES[self.kinds[p.kind].attributes[n]][0]}
            if self.kinds[p.kind].reach == "inside":
                found[p.kind] = own or True
            else:
                listed = found.setdefault(p.kind, [])
                assert isinstance(listed, list)
                listed.append({"at": list(p.at), **own} if own else list(p.at))
        return {**found, **{n: v for n, v in face.attributes.items() if v != ATTRIBUTES[self.attributes[n]][0]}}


def _each(at: tuple[str, ...]) -> list[tuple[str, ...]]:
    return [(a,) for a in at] if at else [at]


@dataclass
class Planner:
    """Draws plans."""

    r: random.Random

    def plan(self, name: str = "Tile") -> Plan:
        """A set of one to four kinds of part and as many faces, of which one shows something."""
        r = self.r
        names = r.sample(KINDS, r.choice((1, 1, 2, 2, 3, 4)))
        reaches = ["sides", *r.choices(("sides", "sides", "halves", "halves", "inside"), k=len(names) - 1)]
        kinds = {n: PlannedKind(reach, self._types("abc")) for n, reach in zip(names, reaches, strict=True)}
        own = self._types("uvw")
        faces = {f: self._face(kinds, own) for f in r.sample(FACES, r.choice((1, 2, 2, 3, 4)))}
        if not any(p.at for face in faces.values() for p in face.parts):
            first, reach = next(iter(kinds.items()))
            bare = tuple((n, ATTRIBUTES[t][0]) for n, t in reach.attributes.items())
            faces["gate"] = PlannedFace((FacePart(first, ("N", "E"), bare),), self._values(own))
        split = {f: PlannedFace(self._broken(face.parts), face.attributes) for f, face in faces.items() if r.random() < 0.4}
        contact = r.choices(list(CONTACTS), weights=(4, 2, 3, 1, 1 if "road" in kinds else 0))[0]
        return Plan(name, kinds, own, faces, r.random() < 0.8, contact, split)

    def _types(self, names: str) -> dict[str, str]:
        return {n: self.r.choice(list(ATTRIBUTES)) for n in names if self.r.random() < 0.3}

    def _values(self, types: dict[str, str]) -> dict[str, Value]:
        return {n: self.r.choice(ATTRIBUTES[t]) for n, t in types.items()}

    def _face(self, kinds: dict[str, PlannedKind], own: dict[str, str]) -> PlannedFace:
        parts: list[FacePart] = []
        for name, kind in kinds.items():
            groups = self._inside() if kind.reach == "inside" else self._groups(SIDES if kind.reach == "sides" else HALVES)
            parts += [FacePart(name, at, tuple(self._values(kind.attributes).items())) for at in groups]
        return PlannedFace(tuple(parts), self._values(own))

    def _inside(self) -> list[tuple[str, ...]]:
        return [()] if self.r.random() < 0.5 else []

    def _groups(self, ring: tuple[str, ...]) -> list[tuple[str, ...]]:
        """Some places of a ring in groups, often with two places."""
        r = self.r
        if ring is SIDES and r.random() < 0.4:
            return list(r.choice(LINES))
        share = r.choice((0.4, 0.8, 1.0) if ring is SIDES else (0.2, 0.4, 0.8))
        places = [p for p in ring if r.random() < share]
        r.shuffle(places)
        groups: list[tuple[str, ...]] = []
        while places:
            n = min(len(places), r.choice((1, 2, 2, 2, 3, 4)))
            groups.append(tuple(places[:n]))
            places = places[n:]
        return groups

    def _broken(self, parts: tuple[FacePart, ...]) -> tuple[FacePart, ...]:
        """The same face with each part cut into one for each place."""
        return tuple(FacePart(p.kind, at, p.attributes) for p in parts for at in _each(p.at))

    def board(self) -> Board:
        """A free grid or a board."""
        return None if self.r.random() < 0.6 else (self.r.randint(1, 5), self.r.randint(1, 5))


def empty(pieces: Pieces, board: Board, limit: int) -> Layout:
    """No piece on a board, or on a free grid of so many pieces."""
    return Layout(pieces, limit) if board is None else Layout(pieces, board[0] * board[1], *board)


def grown(r: random.Random, pieces: Pieces, board: Board, n: int, limit: int | None = None) -> Layout:
    """Up to n pieces, each laid beside another where it fits."""
    table = empty(pieces, board, max(n, 1) if limit is None else limit)
    faces = list(pieces.faces)
    for _ in range(n):
        cells = sorted(table.frontier())
        ways = [(c, f, q) for c in cells for f in faces for q in pieces.rotations[f]]
        r.shuffle(ways)
        way = next((w for w in ways if table.fits(*w)), None)
        if way is None:
            break
        table = table.place(*way)
    return table


def scattered(r: random.Random, pieces: Pieces, board: Board, n: int, limit: int | None = None) -> Layout:
    """Up to n pieces anywhere near, touching or not, whatever the contact."""
    width, height = board or (5, 4)
    left, top = (0, 0) if board else (r.randint(-6, 2), r.randint(-6, 2))
    faces = list(pieces.faces)
    places = [Cell(left + x, top + y) for x in range(width) for y in range(height)]
    cells: dict[Cell, Laid] = {
        c: (r.choice(faces), r.randrange(4) if pieces.free else 0) for c in r.sample(places, min(n, len(places)))
    }
    return empty(pieces, board, max(n, 1) if limit is None else limit).with_cells(cells)


def packed(r: random.Random, pieces: Pieces, board: Board, n: int, limit: int | None = None) -> Layout:
    """About n pieces without a gap, where possible fitting ones with ends inside, none at the rim: loops, closed features."""
    width, height = board or (r.choice((2, 2, 3)), 3)
    table = empty(pieces, board, max(n, 1) if limit is None else limit)
    cells: dict[Cell, Laid] = {}
    for i in range(min(n, width * height)):
        here = table.with_cells(cells)
        cell = Cell(i % width, i // width)
        ways: list[Laid] = [(f, q) for f in pieces.faces for q in pieces.rotations[f]]
        r.shuffle(ways)
        rim = [
            s for s in SIDES if step(cell, s).x not in range(width) or step(cell, s).y not in range((n + width - 1) // width)
        ]
        ends = {w: sum(bool(pieces.shows[(*w, s)]) * (1 if s in rim else -1) for s in SIDES) for w in ways}
        cells[cell] = min(ways, key=lambda w: (not here.fits(cell, *w), ends[w]))
    return table.with_cells(cells)


def layout(r: random.Random, pieces: Pieces, board: Board, most: int = 9) -> Layout:
    """A layout of up to `most` pieces, grown, packed or scattered; a free grid sometimes takes no more than these."""
    n = r.choice((0, 1, *range(2, most + 1), most, most))
    make = r.choices((grown, packed, scattered), weights=(4, 3, 3))[0]
    return make(r, pieces, board, n, max(n, 1) + r.choice((0, 3)))


def rules(plans: list[Plan], boards: list[Board], starts: list[Layout | None], limit: int = 12) -> str:
    """A whole rules file: the sets of pieces, a layout of each (with what lies there at the start), and one thing to do."""
    state: dict[str, object] = {}
    for i, (plan, board, start) in enumerate(zip(plans, boards, starts, strict=True)):
        size = f"{limit}" if board is None else f"{board[0]}, {board[1]}"
        laid = {} if start is None else {f"({c.x}, {c.y})": f"{f}/{q}" for c, (f, q) in start.cells.items()}
        state[f"table{i}"] = {"type": f"layout[{plan.name}, {size}]", "init": laid}
    return _blocks(
        {
            "tablelaw": 1,
            "game": "layouts",
            "title": "Layouts",
            "players": 1,
            "options": {
                "faces": {
                    "kind": "reading",
                    "question": "Are the parts of a face joined?",
                    "values": ["joined", "split"],
                    "default": "joined",
                }
            },
            "types": {"Hue": ["red", "blue"]},
            "pieces": {plan.name: plan.declared() for plan in plans},
            "state": {**state, "laid": {"type": "bool", "init": False}},
            "actions": {"rest": {"by": "0", "do": "laid = not laid"}},
        }
    )


def _blocks(data: dict[str, object], pad: str = "") -> str:
    """Mappings as blocks, all else as JSON."""
    lines: list[str] = []
    for key, value in data.items():
        word = key if key.isidentifier() else json.dumps(key)
        if isinstance(value, dict) and value:
            lines.append(f"{pad}{word}:\n{_blocks(value, pad + '  ')}")
        else:
            lines.append(f"{pad}{word}: {json.dumps(value)}\n")
    return "".join(lines)


def layouts(most: int = 9) -> SearchStrategy[Layout]:
    """A hypothesis strategy of layouts of random pieces; needs hypothesis."""
    from hypothesis import strategies as st

    def make(r: random.Random) -> Layout:
        planner = Planner(r)
        return layout(r, planner.plan().pieces(r.random() < 0.3), planner.board(), most)

    return st.randoms(use_true_random=False).map(make)
