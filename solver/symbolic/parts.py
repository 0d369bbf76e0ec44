"""The parts of the pieces of `squares.py`: which hang together, and what the features are that they make.

What belongs to a feature is told in one of two ways: `Mark` is some one feature, which suffices where z3 may choose it;
`Labels` tells all of them at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import z3

from tablelaw.solver.symbolic.squares import Squares
from tablelaw.solver.symbolic.sums import Sum, Truth, conj, disj, gather, iff, implies, neg, total
from tablelaw.spec.grid import FACING, OPPOSITE, Cell, Part, side_of, step
from tablelaw.spec.layouts import Laid
from tablelaw.spec.pieces import FacePart

Node = tuple[Cell, str | None]
"""A side (half) of a square, where a part of some kind may reach; of a kind inside, the square alone."""


class Kind:
    """The parts of one kind: where they reach and which hang together."""

    def __init__(self, squares: Squares, name: str) -> None:
        self.squares, self.name = squares, name
        pieces = squares.pieces
        self.halves = pieces.halves(name)
        self.own: dict[Laid, tuple[FacePart, ...]] = {
            w: tuple(p for p in pieces.parts[w] if p.kind == name) for w in squares.ways
        }
        places = dict.fromkeys(at for parts in self.own.values() for p in parts for at in (p.at or (None,)))
        self.nodes: list[Node] = [(c, at) for c in squares.cells for at in places]
        self.present = {n: self.as_one(n, n[1]) for n in self.nodes}
        self.first = {n: self._starts(n) for n in self.nodes}
        self.ties: list[tuple[Node, Node, Truth]] = []
        """Nodes that hang together, and when: of one part, or of two parts that are joined."""
        for a, b in ((a, b) for i, a in enumerate(self.nodes) for b in self.nodes[i + 1 : i + len(places)] if a[0] == b[0]):
            self._tie(a, b, self.as_one(a, b[1]))
        self.joins = [(a, b) for a in self.nodes if (b := self.across(a)) in self.present and a < b]
        for a, b in self.joins:
            self._tie(a, b, conj(self.present[a], self.present[b]))
        self._labels: Labels | None = None
        self._beside: dict[str, dict[tuple[Node, Node], Truth]] = {}

    def _tie(self, a: Node, b: Node, when: Truth) -> None:
        if when is not False:
            self.ties.append((a, b, when))

    def _some(self, cell: Cell, test: Callable[[FacePart], bool]) -> Truth:
        """Is there a part on the square that passes the test?"""
        return self.squares.some(cell, lambda w: any(test(p) for p in self.own[w]))

    def _starts(self, node: Node) -> Truth:
        """Is it the first place of a part?"""
        cell, at = node
        return self._some(cell, lambda p: p.at[:1] == ((at,) if at else ()))

    def as_one(self, node: Node, place: str | None) -> Truth:
        """Does one part reach there and to that other place of the square?"""
        cell, at = node
        return self._some(cell, lambda p: at in p.at and place in p.at if at else not p.at)

    def across(self, node: Node) -> Node:
        """The place that lies against this one; the same for what is inside."""
        cell, at = node
        if at is None:
            return node
        return step(cell, side_of(at)), (FACING if self.halves else OPPOSITE)[at]

    def beside(self, other: Kind) -> dict[tuple[Node, Node], Truth]:
        """Parts (by their first places) that are neighbours along the rim of one piece, and when."""
        if other.name not in self._beside:
            found: dict[tuple[Node, Node], list[Truth]] = {}
            pieces = self.squares.pieces
            for c in self.squares.cells:
                for w, lies in self.squares.lies[c].items():
                    parts = pieces.parts[w]
                    for a, b in pieces.around[w]:
                        if parts[a].kind == self.name and parts[b].kind == other.name:
                            found.setdefault(((c, parts[a].at[0]), (c, parts[b].at[0])), []).append(lies)
            self._beside[other.name] = {pair: disj(*lies) for pair, lies in found.items()}
        return self._beside[other.name]

    def labels(self) -> Labels:
        """All features, told once."""
        if self._labels is None:
            self._labels = Labels(self)
        return self._labels

    def ladder(self, nodes: Iterable[Node], member: dict[Node, Truth], root: dict[Node, Truth]) -> list[Truth]:
        """Every member but the roots hangs together with one that is lower: so all hang together with a root."""
        name = self.squares.name("rank")
        bits = max(1, (self.squares.size * max((len(p) for p in map(self._ends, self.own)), default=1)).bit_length())
        rank = {n: z3.BitVec(f"{name}:{i}", bits) for i, n in enumerate(nodes)}
        lower: dict[Node, list[Truth]] = {n: [] for n in rank}
        for a, b, when in self.ties:
            lower[a].append(conj(when, member[b], z3.ULT(rank[b], rank[a])))
            lower[b].append(conj(when, member[a], z3.ULT(rank[a], rank[b])))
        return [implies(member[n], disj(root[n], *lower[n])) for n in rank]

    def _ends(self, way: Laid) -> list[str | None]:
        return [at for p in self.own[way] for at in (p.at or (None,))]


class Holding:
    """A feature: for each place whether it belongs to it. `there`: is there such a feature at all?"""

    def __init__(self, kind: Kind, member: dict[Node, Truth], there: Truth) -> None:
        self.kind, self.member, self.there = kind, member, there
        self.squares = kind.squares
        self._cells: dict[Cell, Truth] | None = None
        self.rim = (2 * self.squares.size + 2) * (2 if kind.halves else 1)
        """So many sides (halves) has the outline of a connected layout at most, and it has fewer joins than that inside."""

    def cells(self) -> dict[Cell, Truth]:
        """Which squares it lies on."""
        if self._cells is None:
            found: dict[Cell, list[Truth]] = {}
            for n in self.kind.nodes:
                found.setdefault(n[0], []).append(self.member[n])
            self._cells = {c: disj(*parts) for c, parts in found.items()}
        return self._cells

    def size(self) -> Sum:
        """How many squares."""
        return total(self.cells().values(), self.squares.size)

    def open_ends(self) -> list[Truth]:
        """Its places that face an empty square."""
        return [
            conj(self.member[n], neg(self.squares.laid(self.kind.across(n)[0]))) for n in self.kind.nodes if n[1] is not None
        ]

    def loops(self) -> Sum:
        """Joined pairs less parts, plus one."""
        counted: list[tuple[Truth, int]] = [(conj(self.member[n], self.kind.first[n]), -1) for n in self.kind.nodes]
        for a, b in self.kind.joins:
            joined = conj(self.member[a], self.kind.present[b])
            counted.append((conj(joined, neg(self._counted(a, b))), 1))
        return gather(1, counted, 0, self.rim)

    def _counted(self, a: Node, b: Node) -> Truth:
        """Are the same two parts joined through the other half of the side, which is counted already?"""
        halves = (n for n in self.kind.nodes if n[0] == a[0] and side_of(str(n[1])) == side_of(str(a[1])))
        other = next((n for n in halves if str(n[1]) < str(a[1])), None)
        if other is None or not self.kind.halves:
            return False
        return conj(self.kind.as_one(a, other[1]), self.kind.as_one(b, self.kind.across(other)[1]))

    def adds(self, attribute: str) -> Sum:
        """A numeric attribute summed over its parts."""
        parts: list[tuple[Truth, int]] = []
        for c in self.squares.cells:
            for w, lies in self.squares.lies[c].items():
                for p in self.kind.own[w]:
                    n = int(str(dict(p.attributes).get(attribute, 0)))
                    if n:
                        parts.append((conj(lies, self.member[c, p.at[0] if p.at else None]), n))
        return gather(0, parts)

    def holds(self, part: Part) -> Truth:
        """Is the part, named by any of its places, one of these?"""
        return self.member.get((part.cell, part.side), False) if part.kind == self.kind.name else False

    def same(self, other: Holding) -> Truth:
        """Are both one feature?"""
        if self is other:
            return True
        if self.kind is not other.kind:
            return False
        return disj(*(conj(self.member[n], other.member[n]) for n in self.kind.nodes))

    def touches(self, other: Holding) -> Truth:
        """Are parts of both neighbours along one piece's rim?"""
        near = self.kind.beside(other.kind)
        return disj(*(conj(there, self.member[a], other.member[b]) for (a, b), there in near.items()))


class Mark(Holding):
    """Some feature, whichever z3 picks; or none, and then it is not there."""

    def __init__(self, kind: Kind) -> None:
        name = kind.squares.name("mark")
        member: dict[Node, Truth] = {n: z3.Bool(f"{name}:{i}") for i, n in enumerate(kind.nodes)}
        root: dict[Node, Truth] = {n: z3.Bool(f"{name}.root:{i}") for i, n in enumerate(kind.nodes)}
        super().__init__(kind, member, disj(*member.values()))
        facts = kind.squares.facts
        before: Truth = False
        for n in kind.nodes:  # the root is the first member, so that each feature is picked in one way
            facts += [implies(member[n], kind.present[n]), iff(root[n], conj(member[n], neg(before)))]
            before = disj(before, member[n])
        facts += [implies(when, iff(member[a], member[b])) for a, b, when in kind.ties]
        facts += kind.ladder(kind.nodes, member, root)


class Labels:
    """All features of a kind: each place has the number of the first place of its feature."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        squares, nodes = kind.squares, kind.nodes
        bits = max(1, len(nodes).bit_length())
        name = squares.name("label")
        self.label = {n: z3.BitVec(f"{name}:{i}", bits) for i, n in enumerate(nodes)}
        self.number = {n: i for i, n in enumerate(nodes)}
        root = {n: conj(kind.present[n], self.label[n] == i) for n, i in self.number.items()}
        squares.facts += [z3.ULE(self.label[n], i) for n, i in self.number.items()]
        squares.facts += [implies(when, self.label[a] == self.label[b]) for a, b, when in kind.ties]
        squares.facts += kind.ladder(nodes, kind.present, root)
        self._at: dict[Node, Holding] = {}
        self.roots = [Holding(kind, self._of(i), root[n]) for n, i in self.number.items()]

    def _of(self, root: int) -> dict[Node, Truth]:
        """What belongs to the feature whose first place has that number."""
        present = self.kind.present
        return {m: conj(present[m], self.label[m] == root) if i >= root else False for m, i in self.number.items()}

    def at(self, node: Node) -> Holding:
        """The feature of the part there."""
        if node not in self._at:
            here = self.kind.present[node]
            member = {m: conj(here, self.kind.present[m], self.label[m] == self.label[node]) for m in self.kind.nodes}
            self._at[node] = Holding(self.kind, member, here)
        return self._at[node]
