"""The reference of layouts, held to what can be counted on paper."""

from __future__ import annotations

import subprocess
import sys

from tablelaw.solver.layout import reference as ref
from tablelaw.spec.grid import SIDES, Cell, Edge
from tablelaw.spec.layouts import Layout
from tablelaw.spec.pieces import FacePart, Kind, Pieces

KINDS = {"road": Kind("road", "sides", frozenset(), frozenset({"inns"})), "field": Kind("field", "halves")}
FACES = {
    "bend": (FacePart("road", ("N", "E"), (("inns", 1),)), FacePart("field", ("Ne", "En")), FacePart("field", ("Ws",))),
    "cross": (FacePart("road", SIDES, (("inns", 0),)),),
    "end": (FacePart("road", ("N",), (("inns", 0),)),),
}
PIECES = Pieces("Tile", KINDS, FACES, allowed=frozenset({(frozenset({"road"}), frozenset({"road"}))}))


def laid(*rows: str) -> Layout:
    """Pieces by rows, `.` where there is none."""
    found = {
        Cell(x, y): (word.partition("/")[0], int(word.partition("/")[2] or 0))
        for y, row in enumerate(rows)
        for x, word in enumerate(row.split())
        if word != "."
    }
    return Layout(PIECES, 20, cells=found)


def test_turning_the_plane() -> None:
    """A quarter turn of the plane takes each side, half and direction to the next clockwise."""
    assert [ref.turn_name(s, 1) for s in SIDES] == ["E", "S", "W", "N"]
    assert [ref.turn_name(h, 1) for h in ("Nw", "Ne", "En")] == ["En", "Es", "Se"]
    assert ref.turn_name("NW", 2) == "SE"
    assert [ref.side(h) for h in ("Nw", "En", "Se", "Ws")] == ["N", "E", "S", "W"]


def test_a_ring_of_bends() -> None:
    """Four bends are a ring of four nodes and four joins: one loop, closed, four inns; the fields inside are joined too."""
    table = laid("bend/1 bend/2", "bend bend/3")
    (road,) = ref.features(table, "road")
    assert (road.size, road.open, road.closed, road.loops, road.loops_counted, road.total("inns")) == (4, 0, True, 1, 1, 4)
    graph = ref.part_graph(table, "road")
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (4, 4)
    inner = ref.feature(table, Cell(0, 0), "field", "Es")
    assert inner is not None
    assert (len(inner.nodes), inner.loops, inner.open) == (4, 1, 0)


def test_joined_once_however_many_halves_meet() -> None:
    """Two parts that meet in two halves are one joined pair."""
    face = (FacePart("field", ("En", "Es", "Wn", "Ws")),)
    table = Layout(Pieces("Tile", KINDS, {"a": face}), 9, cells={Cell(0, 0): ("a", 0), Cell(1, 0): ("a", 0)})
    (field,) = ref.features(table, "field")
    assert (field.loops, field.open) == (0, 4)


def test_loops_of_a_block() -> None:
    """A block of three by two crossings has two loops."""
    (road,) = ref.features(laid("cross cross cross", "cross cross cross"), "road")
    assert (road.loops, road.loops_counted, road.open, road.size) == (2, 2, 10, 6)


def test_walks() -> None:
    """A walk ends before the first empty square, at a crossing, or where it began."""
    table = laid("bend/1 bend/2 cross", "bend bend/3 .")
    assert ref.follow(table, Edge(Cell(0, 0), "E")) == Edge(Cell(0, 0), "E")
    assert ref.follow(table, Edge(Cell(2, 0), "S")) == Edge(Cell(2, 0), "S")
    assert ref.follow(laid("bend"), Edge(Cell(0, 0), "N")) == Edge(Cell(1, 0), "W")
    assert ref.follow(laid("bend end/3"), Edge(Cell(0, 0), "N")) == Edge(Cell(1, 0), "W")
    assert ref.follow(laid("."), Edge(Cell(0, 0), "N")) == Edge(Cell(0, 0), "N")


def test_frontier_by_steps() -> None:
    """Round one piece there are 4, 12 and 24 empty squares up to one, two and three steps off."""
    assert [len(ref.frontier(laid("end"), k)) for k in (1, 2, 3)] == [4, 12, 24]
    assert ref.frontier(laid("."), 2) == {Cell(0, 0)}


def test_fits_and_links() -> None:
    """A piece fits where the contact rule has both sides, and links where parts of the kind meet."""
    table = laid("end/2")
    assert [ref.fits(table, Cell(0, 1), "end", q) for q in range(4)] == [True, False, False, False]
    assert not ref.fits(table, Cell(0, 0), "end", 0)
    assert ref.links(table, Cell(0, 1), "cross", 0, "road") == {"N"}
    assert ref.links(table, Cell(0, 1), "end", 1, "road") == set()


def test_what_touches() -> None:
    """Fields touch the road that they lie along, not each other across it."""
    table = laid("bend")
    (road,), fields = ref.features(table, "road"), ref.features(table, "field")
    assert all(ref.touches(table, road, f) and ref.touches(table, f, road) for f in fields)
    assert not any(ref.touches(table, f, f) for f in fields)


def test_networkx_comes_late() -> None:
    """Importing the reference does not load networkx."""
    code = "import sys; from tablelaw.solver.layout import reference; sys.exit('networkx' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
