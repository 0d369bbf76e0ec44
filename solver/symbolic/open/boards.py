"""What is read of a layout, as functions that are only known by what holds of every layout (`facts`).

Squares are pairs of whole numbers, so that steps are exact; a layout and a feature are things of which nothing else is
known. A feature stands for its parts together with the layout that it was read from.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any

import z3

from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.symbolic.open.values import (
    FEATURE,
    LAYOUT,
    NO_SIDE,
    TRUE,
    CellV,
    FeatureV,
    LayoutV,
    PartV,
    Term,
    both,
    constant,
    either,
    equal,
    every,
    merged,
    no,
    number,
    pick,
)
from tablelaw.spec.board_types import FAMILY
from tablelaw.spec.grid import DIRECTIONS, OPPOSITE, SIDES, STEPS
from tablelaw.spec.pieces import Pieces
from tablelaw.spec.types import LayoutType, Type
from tablelaw.spec.values import Value

INT, TRUTH = z3.IntSort(), z3.BoolSort()
laid = z3.Function("laid", LAYOUT, INT, INT, TRUTH)
face_of = z3.Function("face", LAYOUT, INT, INT, INT)
rotation_of = z3.Function("rotation", LAYOUT, INT, INT, INT)
count_of = z3.Function("pieces laid", LAYOUT, INT)
shows_kind = z3.Function("shows", LAYOUT, INT, INT, INT, INT, TRUTH)
face_shows = z3.Function("face shows", INT, INT, INT, INT, TRUTH)
frontier = z3.Function("frontier", LAYOUT, INT, INT, INT, TRUTH)
has_part = z3.Function("has part", LAYOUT, INT, INT, INT, INT, TRUTH)
feature_of = z3.Function("feature", LAYOUT, INT, INT, INT, INT, FEATURE)
is_feature = z3.Function("is feature", LAYOUT, FEATURE, TRUTH)
kind_of = z3.Function("kind", FEATURE, INT)
size_of = z3.Function("size", FEATURE, INT)
open_of = z3.Function("open", FEATURE, INT)
loops_of = z3.Function("loops", FEATURE, INT)
joins = z3.Function("part in", FEATURE, INT, INT, INT, INT, TRUTH)
owns = z3.Function("part of", FEATURE, INT, INT, INT, INT, TRUTH)
covers = z3.Function("covers", FEATURE, INT, INT, TRUTH)
first_x = z3.Function("first x", FEATURE, INT)
first_y = z3.Function("first y", FEATURE, INT)
first_side = z3.Function("first side", FEATURE, INT)
placed = z3.Function("place", LAYOUT, INT, INT, INT, INT, LAYOUT)


def moved(cell: CellV, direction: str, k: Term) -> CellV:
    """The square so many steps off."""
    dx, dy = STEPS[direction]
    return CellV(_plus(cell.x, dx, k), _plus(cell.y, dy, k))


def _plus(at: Term, d: int, k: Term) -> Term:
    if d == 0:
        return at
    if z3.is_int_value(k):
        n = d * k.as_long()
        return number(at.as_long() + n) if z3.is_int_value(at) else at + n
    return at + k if d == 1 else at - k


def step(cell: CellV, direction: Term, k: Term) -> CellV:
    """The square k steps off in a direction."""
    found = moved(cell, DIRECTIONS[0], k)
    for d in DIRECTIONS[1:]:
        here = equal(direction, number(FAMILY.index(d)))
        other = moved(cell, d, k)
        found = CellV(pick(here, other.x, found.x), pick(here, other.y, found.y))
    return found


def opposite(side: Term) -> Term:
    """The side across."""
    found = number(FAMILY.index(OPPOSITE[SIDES[0]]))
    for s in SIDES[1:]:
        found = pick(equal(side, number(FAMILY.index(s))), number(FAMILY.index(OPPOSITE[s])), found)
    return found


def same_cell(a: CellV, b: CellV) -> Term:
    return both([equal(a.x, b.x), equal(a.y, b.y)])


def inside(t: LayoutType, cell: CellV) -> Term:
    """Does the square belong to the board?"""
    if t.width is None or t.height is None:
        return TRUE
    return both([cell.x >= 0, cell.x < t.width, cell.y >= 0, cell.y < t.height])


def attribute(name: str, sort: Any) -> Any:
    """The function that reads an attribute of a part of a layout."""
    return z3.Function(f"attribute {name}", LAYOUT, INT, INT, INT, INT, sort)


def total(name: str) -> Any:
    """The function that reads a summed attribute of a feature."""
    return z3.Function(f"total {name}", FEATURE, INT)


@lru_cache(maxsize=8)
def table_of(kind: LayoutType, pieces: Pieces, family: tuple[str, ...]) -> Table:
    """The facts about the layouts of one type, made once; `pieces` tells two types of one look apart."""
    return Table(kind, family)


class Table:
    """The facts about the layouts of one type, and laying a piece on one."""

    def __init__(self, kind: LayoutType, family: tuple[str, ...]) -> None:
        if kind.pieces is None:
            raise Unlowerable("a layout without pieces is not told with the board left open")
        self.type, self.pieces, self.kinds = kind, kind.pieces, family
        self.at_sides = sorted({k for shown in kind.pieces.shows.values() for k in shown}, key=family.index)
        """The kinds that some side of a piece shows; no side shows another."""

    def known(self, name: str) -> int:
        return self.kinds.index(name)

    def lone(self, kind: Term) -> Term:
        """Is it a kind whose parts lie inside a piece, each its own feature?"""
        return either([equal(kind, number(self.known(k.name))) for k in self.pieces.kinds.values() if k.reach == "inside"])

    def part_kind(self, kind: Term) -> Term:
        return either([equal(kind, number(self.known(k))) for k in self.pieces.kinds])

    def allowed(self, mine: dict[str, Term], theirs: dict[str, Term]) -> Term:
        """Does the contact rule allow these two sides to meet?"""
        seen = set(self.pieces.shows.values())
        if all(((a, b) in self.pieces.allowed) == (a == b) for a in seen for b in seen):
            return both([equal(mine[k], theirs[k]) for k in self.at_sides])

        def shown(of: dict[str, Term], what: frozenset[str]) -> Term:
            return both([of[k] if k in what else no(of[k]) for k in self.at_sides])

        pairs = [(a, b) for a, b in self.pieces.allowed if a in seen and b in seen]
        return either([both([shown(mine, a), shown(theirs, b)]) for a, b in sorted(pairs, key=repr)])

    def shown(self, layout: LayoutV, cell: CellV, side: Term) -> dict[str, Term]:
        return {k: shows_kind(layout.term, cell.x, cell.y, side, number(self.known(k))) for k in self.at_sides}

    def fits(self, layout: LayoutV, cell: CellV, face: Term, rotation: Term) -> Term:
        """Inside, empty, every contact kept, and pieces left."""
        found = [no(laid(layout.term, cell.x, cell.y)), inside(self.type, cell), count_of(layout.term) < self.type.limit]
        if not self.pieces.free:
            found.append(equal(rotation, number(0)))
        for s in SIDES:
            near, across = moved(cell, s, number(1)), number(FAMILY.index(OPPOSITE[s]))
            at = number(FAMILY.index(s))
            mine = {k: face_shows(face, rotation, at, number(self.known(k))) for k in self.at_sides}
            meets = self.allowed(mine, self.shown(layout, near, across))
            found.append(either([no(laid(layout.term, near.x, near.y)), meets]))
        return both(found)

    def place(
        self, layout: LayoutV, cell: CellV, face: Term, rotation: Term, attributes: dict[str, Any]
    ) -> tuple[LayoutV, list[Term]]:
        """The layout with one more piece, and what is known of it; `attributes` are those of parts, with their sorts."""
        old, new = layout.term, placed(layout.term, cell.x, cell.y, face, rotation)
        x, y, k, s = z3.Ints("x y k s")
        here = both([x == cell.x, y == cell.y])
        facts = [
            every([x, y], laid(new, x, y) == z3.Or(laid(old, x, y), here), [laid(new, x, y), laid(old, x, y)]),
            count_of(new) == count_of(old) + z3.If(laid(old, cell.x, cell.y), 0, 1),
            equal(face_of(new, cell.x, cell.y), face),
            equal(rotation_of(new, cell.x, cell.y), self.canonical(face, rotation)),
        ]
        for f in (face_of, rotation_of):
            facts.append(every([x, y], z3.Or(here, f(new, x, y) == f(old, x, y)), [f(new, x, y)]))
        for side in SIDES:
            for kind in self.at_sides:
                at, n = number(FAMILY.index(side)), number(self.known(kind))
                facts.append(shows_kind(new, cell.x, cell.y, at, n) == face_shows(face, rotation, at, n))
        at_side = shows_kind(new, x, y, s, k)
        facts.append(every([x, y, s, k], z3.Or(here, at_side == shows_kind(old, x, y, s, k)), [at_side]))
        args = (x, y, k, s)
        for reads in [has_part, *(attribute(n, sort) for n, sort in attributes.items())]:
            there, before = reads(new, *args), reads(old, *args)
            facts.append(every(list(args), z3.Or(here, there == before), [there, before]))
        return LayoutV(new, self.type), facts

    def face(self, name: str) -> Term:
        return number(self.type.faces.family.index(name))

    def canonical(self, face: Term, rotation: Term) -> Term:
        """The smallest rotation with which the face looks the same."""
        found = rotation
        for (f, r), c in self.pieces.canonical.items():
            if c != r:
                found = pick(both([equal(face, self.face(f)), equal(rotation, number(r))]), number(c), found)
        return found

    def attribute(self, name: str, kind: Type, face: Term, rotation: Term) -> Any:
        """An attribute of a face that lies turned, by cases."""
        turns = range(4) if name in self.pieces.turning else (None,)
        cases: dict[Value, list[Term]] = {}
        for f in self.pieces.faces:
            for r in turns:
                lies = [equal(face, self.face(f)), *([] if r is None else [equal(rotation, number(r))])]
                cases.setdefault(self.pieces.attribute(f, name, r or 0), []).append(both(lies))
        rest, *others = sorted(cases, key=lambda v: -len(cases[v]))
        found = constant(kind, rest)
        for v in others:
            found = merged(either(cases[v]), constant(kind, v), found, kind)
        return found

    def _at_its_side(self, kind: Term, side: Term) -> Term:
        """Is it a side that a part of the kind may be named by?"""
        return z3.If(self.lone(kind), side == NO_SIDE, z3.And(side >= 0, side < len(FAMILY)))

    @cached_property
    def facts(self) -> list[Term]:
        """What holds of every layout of these pieces and of every feature of one."""
        t, f = z3.Const("t", LAYOUT), z3.Const("f", FEATURE)
        x, y, k, s, a = z3.Ints("x y k s a")
        part = has_part(t, x, y, k, s)
        of = feature_of(t, x, y, k, s)
        in_board = inside(self.type, CellV(x, y))
        facts = [
            z3.ForAll([t], count_of(t) >= 0, patterns=[count_of(t)]),  # looking ahead, it may be more than the table takes
            z3.ForAll(
                [t, a, x, y],
                z3.Implies(frontier(t, a, x, y), z3.And(no(laid(t, x, y)), in_board)),
                patterns=[frontier(t, a, x, y)],
            ),
            z3.ForAll(
                [t, x, y, s, k], z3.Implies(shows_kind(t, x, y, s, k), laid(t, x, y)), patterns=[shows_kind(t, x, y, s, k)]
            ),
            z3.ForAll(
                [t, x, y, k, s],
                z3.Implies(part, z3.And(laid(t, x, y), self.part_kind(k), self._at_its_side(k, s))),
                patterns=[part],
            ),
        ]
        facts += [
            z3.ForAll(
                [t, x, y, k, s],
                z3.And(
                    kind_of(of) == k,
                    z3.Implies(part, z3.And(is_feature(t, of), owns(of, x, y, k, s), joins(of, x, y, k, s), covers(of, x, y))),
                ),
                patterns=[of],
            ),
            z3.ForAll(
                [t, f, x, y, k, s],
                z3.Implies(z3.And(is_feature(t, f), joins(f, x, y, k, s)), z3.And(kind_of(f) == k, of == f, laid(t, x, y))),
                patterns=[z3.MultiPattern(is_feature(t, f), joins(f, x, y, k, s))],
            ),
            z3.ForAll(
                [t, f, x, y, k, s],
                z3.Implies(z3.And(is_feature(t, f), owns(f, x, y, k, s)), z3.And(part, joins(f, x, y, k, s))),
                patterns=[z3.MultiPattern(is_feature(t, f), owns(f, x, y, k, s))],
            ),
            z3.ForAll(
                [t, f, x, y],
                z3.Implies(z3.And(is_feature(t, f), covers(f, x, y)), laid(t, x, y)),
                patterns=[z3.MultiPattern(is_feature(t, f), covers(f, x, y))],
            ),
            z3.ForAll(
                [t, f],
                z3.Implies(
                    is_feature(t, f),
                    z3.And(
                        self.part_kind(kind_of(f)),
                        size_of(f) >= 1,
                        open_of(f) >= 0,
                        loops_of(f) >= 0,
                        owns(f, first_x(f), first_y(f), kind_of(f), first_side(f)),
                        z3.Implies(
                            self.lone(kind_of(f)),
                            z3.And(size_of(f) == 1, open_of(f) == 0, loops_of(f) == 0, first_side(f) == NO_SIDE),
                        ),
                    ),
                ),
                patterns=[is_feature(t, f)],
            ),
        ]
        facts.append(
            z3.ForAll(
                [t, x, y, k, s],
                z3.Implies(z3.And(part, self.lone(k)), z3.And(is_feature(t, of), owns(of, x, y, k, s))),
                patterns=[part],
            )
        )
        mine = z3.And(x == first_x(f), y == first_y(f))
        lone = z3.And(is_feature(t, f), self.lone(kind_of(f)))
        for reads in (joins, owns):
            named = reads(f, x, y, k, s)
            its = z3.And(mine, k == kind_of(f), s == NO_SIDE)
            facts.append(
                z3.ForAll(
                    [t, f, x, y, k, s], z3.Implies(lone, named == its), patterns=[z3.MultiPattern(is_feature(t, f), named)]
                )
            )
        facts.append(
            z3.ForAll(
                [t, f, x, y],
                z3.Implies(lone, covers(f, x, y) == mine),
                patterns=[z3.MultiPattern(is_feature(t, f), covers(f, x, y))],
            )
        )
        return facts

    def feature(self, layout: LayoutV, part: PartV) -> FeatureV:
        return FeatureV(feature_of(layout.term, *part.key), self.type)
