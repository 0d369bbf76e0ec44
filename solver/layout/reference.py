"""Layouts told in the obvious way: points in the plane and networkx graphs. Slow, and shares no step with the other tellings.

A square is 4 wide, its middle at four times its place, so that each side and half is a point of its border, and a quarter turn
is one of the plane. Two parts touch when they have a point in common. Of a layout this reads the squares and the declared,
unturned pieces; turning, touching and joining are done here again.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import atan2
from typing import Any, NamedTuple

from tablelaw.spec.grid import Cell, Edge
from tablelaw.spec.layouts import Layout
from tablelaw.spec.pieces import FacePart, Pieces
from tablelaw.spec.values import Value

Graph = Any
"""A networkx graph; networkx has no types."""
Point = tuple[int, int]
Look = tuple[str, frozenset[str]]
"""A part of a piece: its kind and its places, as they lie."""

POINTS: dict[str, Point] = {
    "N": (0, -2), "E": (2, 0), "S": (0, 2), "W": (-2, 0),
    "Nw": (-1, -2), "Ne": (1, -2), "En": (2, -1), "Es": (2, 1), "Se": (1, 2), "Sw": (-1, 2), "Ws": (-2, 1), "Wn": (-2, -1),
}  # fmt: skip
"""Sides and halves on the border of a square round the origin, y going south."""
ARROWS: dict[str, Point] = {
    "N": (0, -1), "NE": (1, -1), "E": (1, 0), "SE": (1, 1), "S": (0, 1), "SW": (-1, 1), "W": (-1, 0), "NW": (-1, -1),
}  # fmt: skip
AT_POINT = {point: name for name, point in POINTS.items()}
TO_ARROW = {arrow: name for name, arrow in ARROWS.items()}
SIDES = ("N", "E", "S", "W")


class PartNode(NamedTuple):
    """A part on the table: its square, its kind, and the sides or halves that it joins, as they lie."""

    cell: Cell
    kind: str
    at: frozenset[str]


def turn(point: Point, rotation: int) -> Point:
    """A point after quarter turns clockwise round the origin."""
    for _ in range(rotation):
        point = -point[1], point[0]
    return point


def turn_name(name: str, rotation: int) -> str:
    """A side, half or direction after quarter turns clockwise."""
    return AT_POINT[turn(POINTS[name], rotation)] if name in POINTS else TO_ARROW[turn(ARROWS[name], rotation)]


def side(place: str) -> str:
    """The side of the square on which a side or half lies."""
    x, y = POINTS[place]
    return TO_ARROW[x // 2 if abs(x) == 2 else 0, y // 2 if abs(y) == 2 else 0]


def point_at(cell: Cell, place: str) -> Point:
    """Where in the plane a side or half of a square lies."""
    x, y = POINTS[place]
    return 4 * cell.x + x, 4 * cell.y + y


def beyond(edge: Edge) -> Edge:
    """The edge of the neighbour at the same point: there it lies on the other side of the middle."""
    (dx, dy), (x, y) = ARROWS[edge.side], POINTS[edge.side]
    return Edge(Cell(edge.cell.x + dx, edge.cell.y + dy), AT_POINT[-x, -y])


# pieces


@lru_cache(maxsize=4096)
def turned_parts(pieces: Pieces, face: str, rotation: int) -> tuple[FacePart, ...]:
    """The parts of a face after quarter turns."""
    found = []
    for p in pieces.faces[face]:
        turning = pieces.kinds[p.kind].turning
        own = tuple((n, turn_name(v, rotation) if n in turning and isinstance(v, str) else v) for n, v in p.attributes)
        found.append(FacePart(p.kind, tuple(turn_name(a, rotation) for a in p.at), own))
    return tuple(found)


def attribute(pieces: Pieces, face: str, name: str, rotation: int) -> Value:
    """An attribute of a face after quarter turns."""
    found = pieces.attributes[name][face]
    return turn_name(found, rotation) if name in pieces.turning and isinstance(found, str) else found


def look(pieces: Pieces, face: str, rotation: int) -> object:
    """All that can be seen of a face that lies turned."""
    parts = frozenset((p.kind, frozenset(p.at), frozenset(p.attributes)) for p in turned_parts(pieces, face, rotation))
    return parts, frozenset((name, attribute(pieces, face, name, rotation)) for name in pieces.attributes)


def rotations(pieces: Pieces, face: str) -> tuple[int, ...]:
    """The rotations of a face, those that look the same once."""
    looks: dict[object, int] = {}
    for r in range(4) if pieces.free else (0,):
        looks.setdefault(look(pieces, face, r), r)
    return tuple(looks.values())


@lru_cache(maxsize=4096)
def shown(pieces: Pieces, face: str, rotation: int, at: str) -> frozenset[str]:
    """The kinds that a side of a face shows."""
    return frozenset(p.kind for p in turned_parts(pieces, face, rotation) if at in {side(a) for a in p.at})


@lru_cache(maxsize=4096)
def round_the_rim(pieces: Pieces, face: str, rotation: int) -> frozenset[tuple[Look, Look]]:
    """Pairs of parts that come next to each other round the rim of a piece, in both orders."""
    here: dict[Point, list[Look]] = {}
    for p in turned_parts(pieces, face, rotation):
        for place in p.at:
            here.setdefault(POINTS[place], []).append((p.kind, frozenset(p.at)))
    ring = [here[p] for p in sorted(here, key=lambda p: atan2(p[1], p[0]))]
    pairs = {(a, b) for i, met in enumerate(ring) for a in met for b in (*met, *ring[i - 1]) if a != b}
    return frozenset(pairs | {(b, a) for a, b in pairs})


# the table


def parts(layout: Layout, cell: Cell) -> dict[PartNode, dict[str, Value]]:
    """The parts of the piece on a square, with their attributes as they lie; none if nothing lies there."""
    if cell not in layout.cells:
        return {}
    turned = turned_parts(layout.pieces, *layout.cells[cell])
    return {PartNode(cell, p.kind, frozenset(p.at)): dict(p.attributes) for p in turned}


def part_graph(layout: Layout, kind: str) -> Graph:
    """The parts of a kind, joined where they touch; nodes carry `attributes` and `open`, the sides (halves) to no piece."""
    import networkx as nx

    graph = nx.Graph()
    at_point: dict[Point, list[PartNode]] = {}
    for cell in layout.cells:
        for node, own in parts(layout, cell).items():
            if node.kind != kind:
                continue
            unlaid = frozenset(p for p in node.at if beyond(Edge(cell, side(p))).cell not in layout.cells)
            graph.add_node(node, attributes=own, open=unlaid)
            for place in node.at:
                at_point.setdefault(point_at(cell, place), []).append(node)
    graph.add_edges_from((a, b) for met in at_point.values() for a in met for b in met if a.cell < b.cell)
    return graph


class Found:
    """A feature: the component of a part graph, and what can be asked of it."""

    def __init__(self, graph: Graph, nodes: Iterable[PartNode]) -> None:
        self.nodes = frozenset(nodes)
        self.graph: Graph = graph.subgraph(self.nodes)

    @property
    def cells(self) -> frozenset[Cell]:
        """The squares that it covers."""
        return frozenset(n.cell for n in self.nodes)

    @property
    def size(self) -> int:
        """How many squares it covers."""
        return len(self.cells)

    @property
    def open(self) -> int:
        """How many of its sides (halves) face squares that are not laid."""
        return sum(len(unlaid) for _, unlaid in self.graph.nodes(data="open"))

    @property
    def closed(self) -> bool:
        """Does no side face a square that is not laid?"""
        return self.open == 0

    @property
    def loops(self) -> int:
        """Independent loops: joined pairs less parts, plus one."""
        return int(self.graph.number_of_edges() - self.graph.number_of_nodes() + 1)

    @property
    def loops_counted(self) -> int:
        """The same by listing a basis of its loops."""
        import networkx as nx

        return len(nx.cycle_basis(self.graph))

    def total(self, attribute: str) -> int:
        """A numeric attribute summed over its parts."""
        return sum(int(own[attribute]) for _, own in self.graph.nodes(data="attributes"))


def features(layout: Layout, kind: str) -> list[Found]:
    """The features of a kind."""
    import networkx as nx

    graph = part_graph(layout, kind)
    return [Found(graph, component) for component in nx.connected_components(graph)]


def feature(layout: Layout, cell: Cell, kind: str, place: str | None) -> Found | None:
    """The feature with the part of a kind at a side (half) of a square, for a kind inside with the one there."""
    mine = [n for n in parts(layout, cell) if n.kind == kind and (place in n.at if place else not n.at)]
    return next((f for f in features(layout, kind) if f.nodes & set(mine)), None)


def touches(layout: Layout, f: Found, g: Found) -> bool:
    """Have both features parts that are neighbours along the rim of one piece?"""
    for cell in f.cells & g.cells:
        mine, theirs = ({(n.kind, n.at) for n in found.nodes if n.cell == cell} for found in (f, g))
        if any(a in mine and b in theirs for a, b in round_the_rim(layout.pieces, *layout.cells[cell])):
            return True
    return False


# laying


def inside(layout: Layout, cell: Cell) -> bool:
    """Is this a square of the board?"""
    if layout.width is None or layout.height is None:
        return True
    return cell.x in range(layout.width) and cell.y in range(layout.height)


def frontier(layout: Layout, apart: int = 1) -> frozenset[Cell]:
    """Empty squares up to that many steps from a laid one; before the first piece the whole board, or its middle."""
    if not layout.cells:
        if layout.width is None or layout.height is None:
            return frozenset({Cell(0, 0)})
        return frozenset(Cell(x, y) for x in range(layout.width) for y in range(layout.height))
    reach = range(-apart, apart + 1)
    near = {Cell(c.x + dx, c.y + dy) for c in layout.cells for dx in reach for dy in reach if abs(dx) + abs(dy) <= apart}
    return frozenset(c for c in near if c not in layout.cells and inside(layout, c))


def fits(layout: Layout, cell: Cell, face: str, rotation: int) -> bool:
    """May a piece be laid there: inside, on an empty square, and contact kept with every laid neighbour?

    Not when no piece is left, nor turned when pieces are not turned.
    """
    if not inside(layout, cell) or cell in layout.cells or len(layout.cells) >= layout.limit:
        return False
    if rotation and not layout.pieces.free:
        return False
    for s in SIDES:
        other = beyond(Edge(cell, s))
        if other.cell in layout.cells:
            mine = shown(layout.pieces, face, rotation, s)
            if (mine, shown(layout.pieces, *layout.cells[other.cell], other.side)) not in layout.pieces.allowed:
                return False
    return True


def links(layout: Layout, cell: Cell, face: str, rotation: int, kind: str) -> frozenset[str]:
    """The sides (halves) where a piece laid there would join parts of a kind."""
    beside = [n for s in SIDES for n in parts(layout, beyond(Edge(cell, s)).cell) if n.kind == kind]
    theirs = {point_at(n.cell, place) for n in beside for place in n.at}
    mine = [place for p in turned_parts(layout.pieces, face, rotation) if p.kind == kind for place in p.at]
    return frozenset(place for place in mine if point_at(cell, place) in theirs)


def shows(layout: Layout, edge: Edge) -> frozenset[str]:
    """The kinds that the piece on the edge's square shows there."""
    return shown(layout.pieces, *layout.cells[edge.cell], edge.side) if edge.cell in layout.cells else frozenset()


def edges(layout: Layout) -> frozenset[Edge]:
    """The edges of all laid squares."""
    return frozenset(Edge(c, s) for c in layout.cells for s in SIDES)


def open_edges(layout: Layout, kind: str) -> frozenset[Edge]:
    """Edges of empty squares of the board that face a part of a kind."""
    facing = (beyond(e) for e in edges(layout) if kind in shows(layout, e))
    return frozenset(e for e in facing if e.cell not in layout.cells and inside(layout, e.cell))


def strands(layout: Layout) -> Graph:
    """Edges entered, each with an arrow to the edge entered next through a part with two sides.

    Where two such parts share one side only there is no telling which to take: both end there.
    """
    import networkx as nx

    graph = nx.DiGraph()
    for cell in layout.cells:
        lines = {n.at for n in parts(layout, cell) if layout.pieces.kinds[n.kind].reach == "sides" and len(n.at) == 2}
        for at in lines:
            if sum(bool(at & other) for other in lines) == 1:
                a, b = (Edge(cell, s) for s in at)
                graph.add_edges_from([(a, beyond(b)), (b, beyond(a))])
    return graph


def follow(layout: Layout, edge: Edge, ways: Graph = None) -> Edge:
    """Where a walk along parts with two sides ends that enters at an edge: that edge where it comes round or cannot begin."""
    graph = strands(layout) if ways is None else ways
    here = edge
    for _ in range(len(graph) + 1):
        onward = list(graph[here]) if here in graph else []
        if not onward or onward == [edge]:
            return edge if onward else here
        here = onward[0]
    raise AssertionError("a walk came back, but not to where it began")
