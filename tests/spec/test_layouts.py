"""Layouts: what is told of pieces that lie on the table."""

from __future__ import annotations

import pytest

from tablelaw.spec.grid import SIDES, Cell, Edge, Part
from tablelaw.spec.layouts import Feature, Layout, rim
from tablelaw.spec.operators import Fault
from tablelaw.spec.pieces import FacePart, Kind, Pieces

KINDS = {
    "city": Kind("city", "sides", frozenset(), frozenset({"shields"})),
    "road": Kind("road", "sides"),
    "field": Kind("field", "halves"),
    "camp": Kind("camp", "inside", frozenset({"flight"})),
}


def part(kind: str, *at: str, **own: object) -> FacePart:
    """A part of a face."""
    return FacePart(kind, at, tuple(own.items()))


def city(*at: str, shields: int = 0) -> FacePart:
    return part("city", *at, shields=shields)


FACES = {
    "cap": (city("N", shields=1), part("field", "En", "Es", "Se", "Sw", "Ws", "Wn")),
    "corner": (city("N", "E"),),
    "split": (city("N"), city("E")),
    "whole": (city(*SIDES),),
    "bend": (part("road", "N", "E"), part("field", "Nw", "Wn", "Ws", "Sw", "Se", "Es"), part("field", "Ne", "En")),
    "straight": (part("road", "N", "S"), part("field", "Ne", "En", "Es", "Se"), part("field", "Nw", "Wn", "Ws", "Sw")),
    "crossing": (part("road", "N", "S"), part("road", "E", "W")),
    "stop": (part("road", "S"), part("camp", flight="W")),
    "blank": (),
}


def tiles(equal: bool = True, free: bool = True) -> Pieces:
    """Pieces whose sides must show the same, or may touch any."""
    bare = Pieces("Tile", KINDS, FACES, {"arrow": dict.fromkeys(FACES, None)}, frozenset({"arrow"}), free)
    shown = set(bare.shows.values())
    allowed = frozenset((a, b) for a in shown for b in shown if a == b or not equal)
    return Pieces("Tile", KINDS, FACES, bare.attributes, bare.turning, free, allowed)


TILES, ANY = tiles(), tiles(equal=False)


def laid(pieces: Pieces = ANY, limit: int = 30, board: tuple[int, int] | None = None, **rows: str) -> Layout:
    """Pieces by rows `y0="cap/2 . corner"`."""
    cells = {
        Cell(x, int(y[1:])): (word.partition("/")[0], int(word.partition("/")[2] or 0))
        for y, row in rows.items()
        for x, word in enumerate(row.split())
        if word != "."
    }
    width, height = board or (None, None)
    return Layout(pieces, limit, width, height, cells)


def only(table: Layout, kind: str) -> Feature:
    """The single feature of a kind."""
    (found,) = table.features(kind)
    return found


def test_two_caps_make_a_closed_city() -> None:
    """Two city ends that face each other are one city on two squares, with both their shields and without an open side."""
    found = only(laid(y0="cap/2", y1="cap"), "city")
    assert (found.size, found.open, found.closed, found.loops, found.read("shields")) == (2, 0, True, 0, 2)
    assert found.cells == {Cell(0, 0), Cell(0, 1)}


def test_one_cap_is_open() -> None:
    """A city end that faces no piece is open, also over the border of a board."""
    assert (only(laid(y0="cap"), "city").open, only(laid(y0="cap"), "city").closed) == (1, False)
    assert only(laid(board=(1, 1), y0="cap"), "city").open == 1


def test_a_dead_end_is_closed() -> None:
    """Only squares where nothing lies leave a feature open: beside a piece that does not go on, it ends."""
    found = only(laid(y0="blank", y1="cap"), "city")
    assert (found.size, found.open, found.closed) == (1, 0, True)


def test_four_corners_are_a_loop() -> None:
    """A ring of four corners has one loop; with a fifth piece beside an end it still has one."""
    assert only(laid(y0="corner/1 corner/2", y1="corner corner/3"), "city").loops == 1
    ring = only(laid(y0="whole whole", y1="whole whole"), "city")
    assert (ring.size, ring.open, ring.loops) == (4, 8, 1)
    assert only(laid(y0="whole whole whole", y1="whole whole whole"), "city").loops == 2
    assert only(laid(y0="whole whole whole", y1="whole whole ."), "city").loops == 1


def test_a_split_face_has_two_cities() -> None:
    """Two parts of a face do not touch inside it; joined elsewhere they are one feature that counts the square once."""
    assert [f.size for f in laid(y0="split").features("city")] == [1, 1]
    round_about = only(laid(y0="corner/1 corner/2", y1="split corner/3"), "city")
    assert (len(round_about.parts), round_about.size, round_about.loops, round_about.open) == (5, 4, 0, 0)


def test_a_crossing_has_two_strands() -> None:
    """Two roads that cross are two features; a road that comes back over its own bridge is one."""
    assert len(laid(y0="crossing").features("road")) == 2
    bridge = laid(y0=". crossing bend/2", y1=". bend bend/3")
    assert sorted((f.size, f.open) for f in bridge.features("road")) == [(4, 2)]


def test_halves_join_half_by_half() -> None:
    """Fields meet across a side in halves: along a road each goes on on its own side, and the pair is joined once."""
    table = laid(y0="straight", y1="straight")
    assert sorted((f.size, f.open, f.loops) for f in table.features("field")) == [(2, 6, 0), (2, 6, 0)]
    east = table.feature(Part(Cell(0, 0), "field", "En"))
    assert east.has(Part(Cell(0, 1), "field", "Es"))
    assert not east.has(Part(Cell(0, 1), "field", "Ws"))
    two = only(laid(y0="cap/2 cap/2"), "field")
    assert (len(two.parts), two.loops) == (2, 0)


def test_inside_parts_stand_alone() -> None:
    """A part inside a piece is a feature of its own, closed; its attributes turn with the piece."""
    table = laid(y0="stop/1 stop/2")
    assert sorted((f.size, f.closed) for f in table.features("camp")) == [(1, True), (1, True)]
    assert [table.feature(Part(Cell(x, 0), "camp", None)).size for x in (0, 1)] == [1, 1]
    camp = table.part_at(Cell(0, 0), "camp", None)
    assert camp is not None
    assert camp.read("flight") == "N"


def test_city_and_field_touch() -> None:
    """Features touch where parts of both are neighbours along the rim of one piece; beside the road both fields do."""
    table = laid(y0="cap/2", y1="cap", y4="straight")
    walls = only(table, "city")
    beside = table.feature(Part(Cell(0, 0), "field", "Nw"))
    road = table.feature(Part(Cell(0, 4), "road", "N"))
    east, west = (table.feature(Part(Cell(0, 4), "field", half)) for half in ("En", "Wn"))
    assert walls.touches(beside)
    assert beside.touches(walls)
    assert not walls.touches(road)
    assert road.touches(east)
    assert road.touches(west)
    assert not east.touches(west)


def test_follow_round_a_loop_comes_back() -> None:
    """A road that runs in a circle gives back the edge where one entered it, whichever it was."""
    table = laid(y0="bend/1 bend/2", y1="bend bend/3")
    for cell, sides in {(0, 0): "ES", (1, 0): "SW", (0, 1): "NE", (1, 1): "WN"}.items():
        for s in sides:
            assert table.follow(Edge(Cell(*cell), s)) == Edge(Cell(*cell), s)


def test_follow_to_the_first_empty_square() -> None:
    """A road is followed over crossings to the first square where nothing lies, on the board or off it."""
    table = laid(y0="straight/1 crossing crossing", y1=". straight .")
    assert table.follow(Edge(Cell(0, 0), "W")) == Edge(Cell(3, 0), "W")
    assert table.follow(Edge(Cell(1, 1), "S")) == Edge(Cell(1, -1), "S")
    assert table.follow(Edge(Cell(7, 7), "N")) == Edge(Cell(7, 7), "N")


def test_follow_is_blocked() -> None:
    """Where the road does not go on, it is the edge at which it stops."""
    table = laid(y0="straight/1 blank", y1="straight/1 stop/1")
    assert table.follow(Edge(Cell(0, 0), "W")) == Edge(Cell(1, 0), "W")
    assert table.follow(Edge(Cell(0, 1), "W")) == Edge(Cell(1, 1), "W")
    assert table.follow(Edge(Cell(0, 0), "N")) == Edge(Cell(0, 0), "N")


def test_follow_ends_where_lines_share_a_side() -> None:
    """Where two lines run from one side to different ones nobody can tell which to take: it ends there, and always ends."""
    faces = {"mixed": (part("road", "E", "S"), city("S", "W")), "bend": (part("road", "E", "S"),)}
    table = Layout(Pieces("Tile", KINDS, faces), 9, cells={
        Cell(0, 0): ("mixed", 0), Cell(1, 0): ("bend", 1), Cell(1, 1): ("bend", 2), Cell(0, 1): ("bend", 3),
    })  # fmt: skip
    assert table.follow(Edge(Cell(0, 0), "W")) == Edge(Cell(0, 0), "W")
    assert table.follow(Edge(Cell(1, 0), "W")) == Edge(Cell(0, 0), "S")


def test_fits_keeps_contact() -> None:
    """A piece fits on an empty square when each side shows what the laid one beside it shows."""
    table = laid(TILES, y0="cap/2")
    assert table.fits(Cell(0, 1), "cap", 0)
    assert not table.fits(Cell(0, 1), "cap", 1)
    assert not table.fits(Cell(0, 0), "cap", 2)
    assert table.fits(Cell(1, 0), "cap", 0)
    assert not table.fits(Cell(1, 0), "blank", 0)
    assert table.fits(Cell(5, 5), "blank", 0)


def test_a_one_sided_contact() -> None:
    """A rule may ask more of the side being laid than of the one that lies."""
    bare, road = frozenset[str](), frozenset({"road"})
    faces = {"stop": (part("road", "S"),), "blank": ()}
    pieces = Pieces("Tile", KINDS, faces, allowed=frozenset({(bare, bare), (bare, road), (road, road)}))
    table = Layout(pieces, 9)
    assert table.place(Cell(0, 0), "stop", 0).fits(Cell(0, 1), "blank", 0)
    assert not table.place(Cell(0, 1), "blank", 0).fits(Cell(0, 0), "stop", 0)


def test_nothing_fits_when_no_piece_is_left() -> None:
    """On a free grid with its last piece laid nothing fits, and laying is a fault."""
    table = laid(limit=1, y0="cap")
    assert not table.fits(Cell(0, 1), "cap", 0)
    with pytest.raises(Fault, match="no more than 1"):
        table.place(Cell(0, 1), "cap", 0)


def test_fixed_pieces_lie_as_they_are() -> None:
    """Pieces that are not turned fit in one rotation alone."""
    table = Layout(tiles(equal=False, free=False), 9)
    assert table.fits(Cell(0, 0), "cap", 0)
    assert not table.fits(Cell(0, 0), "cap", 1)
    with pytest.raises(Fault, match="not turned"):
        table.place(Cell(0, 0), "cap", 1)


def test_placing_gives_another_layout() -> None:
    """Laying a piece leaves the layout as it was; the order of laying is no part of it; taken and outer squares are faults."""
    empty = Layout(ANY, 9, 2, 2)
    a = empty.place(Cell(0, 0), "cap", 2).place(Cell(0, 1), "cap", 0)
    b = empty.place(Cell(0, 1), "cap", 0).place(Cell(0, 0), "cap", 2)
    assert len(empty) == 0
    assert a == b
    assert hash(a) == hash(b)
    with pytest.raises(Fault, match="already"):
        a.place(Cell(0, 0), "cap", 0)
    with pytest.raises(Fault, match="not on the board"):
        a.place(Cell(2, 0), "cap", 0)


def test_equal_rotations_are_equal_layouts() -> None:
    """Rotations that look the same make the same layout."""
    assert laid(y0="crossing/1") == laid(y0="crossing/3") == laid(y0="crossing")
    assert laid(y0="cap/1") != laid(y0="cap")


def test_links_are_the_sides_that_join() -> None:
    """A piece links at the sides (for a kind in halves: the halves) where one of its parts meets one of the kind."""
    table = laid(y0=". cap/2", y1="cap/1 .")
    assert table.links(Cell(1, 1), "whole", 0, "city") == {"N", "W"}
    assert table.links(Cell(1, 1), "cap", 0, "city") == {"N"}
    assert table.links(Cell(1, 1), "cap", 0, "road") == set()
    assert table.links(Cell(2, 0), "cap", 0, "field") == {"Wn", "Ws"}


def test_frontier_of_a_free_grid() -> None:
    """At first the middle; then the empty squares beside pieces, and with `apart` those as many steps off."""
    assert Layout(ANY, 9).frontier() == {Cell(0, 0)}
    assert laid(y0="cap").frontier() == {Cell(0, -1), Cell(1, 0), Cell(0, 1), Cell(-1, 0)}
    assert len(laid(y0="cap").frontier(2)) == 12
    assert len(laid(y0="cap").frontier(3)) == 24
    assert Cell(1, 0) in laid(y0="cap . cap").frontier()


def test_frontier_of_a_board() -> None:
    """On a board at first every square, and never one outside."""
    assert len(Layout(ANY, 6, 3, 2).frontier()) == 6
    assert laid(board=(3, 2), y0="cap").frontier() == {Cell(1, 0), Cell(0, 1)}
    assert laid(board=(3, 2), y0="cap").frontier(3) == {Cell(1, 0), Cell(2, 0), Cell(0, 1), Cell(1, 1), Cell(2, 1)}
    assert laid(board=(2, 1), y0="cap cap").frontier() == set()


def test_edges_and_what_they_show() -> None:
    """Each piece has four edges that show kinds; open ones are those of empty squares of the board that face a kind."""
    table = laid(y0="cap crossing")
    assert len(table.edges()) == 8
    assert table.shows(Edge(Cell(0, 0), "N")) == {"city"}
    assert table.shows(Edge(Cell(0, 0), "E")) == {"field"}
    assert table.shows(Edge(Cell(0, -1), "S")) == set()
    assert table.open_edges("city") == {Edge(Cell(0, -1), "S")}
    assert table.open_edges("road") == {Edge(Cell(1, -1), "S"), Edge(Cell(2, 0), "W"), Edge(Cell(1, 1), "N")}
    assert laid(board=(2, 1), y0="cap crossing").open_edges("road") == set()


def test_rim_of_a_board() -> None:
    """The rim is every edge of a border square that faces out."""
    assert len(rim(3, 2)) == 10
    assert Edge(Cell(0, 0), "N") in rim(3, 2)
    assert Edge(Cell(0, 0), "E") not in rim(3, 2)
    assert rim(1, 1) == {Edge(Cell(0, 0), s) for s in SIDES}


def test_a_kind_of_other_pieces_is_nowhere() -> None:
    """A game may have several sets of pieces: of a kind that only others have there is no feature, no link and no open edge."""
    table = laid(y0="cap crossing")
    assert table.features("river") == set()
    assert table.links(Cell(0, -1), "cap", 2, "river") == set()
    assert table.open_edges("river") == set()
    assert table.part_at(Cell(0, 0), "river", "N") is None


def test_what_is_not_there_is_a_fault() -> None:
    """An empty square has no piece and no feature, but no parts either, which is no fault."""
    table = laid(y0="cap")
    assert table.parts(Cell(1, 1)) == set()
    with pytest.raises(Fault, match="no piece"):
        table.laid(Cell(1, 1))
    with pytest.raises(Fault, match="no such part"):
        table.feature(Part(Cell(0, 0), "city", "S"))


def test_an_attribute_of_another_kind_is_a_fault() -> None:
    """Parts of one kind have no attributes of another: to read one has no value, and breaks nothing."""
    (road,) = (p for p in laid(y0="straight").parts(Cell(0, 0)) if p.kind == "road")
    with pytest.raises(Fault, match="a part of kind `road` has no `flight`"):
        road.read("flight")


@pytest.mark.parametrize("turns", [-1, 4, 7])
def test_a_piece_is_turned_by_no_more_than_three_quarters(turns: int) -> None:
    """A rotation that a formula makes too large is a fault of the rules."""
    table = Layout(ANY, 9)
    for look in (
        lambda: table.fits(Cell(0, 0), "cap", turns),
        lambda: table.place(Cell(0, 0), "cap", turns),
        lambda: table.links(Cell(0, 0), "cap", turns, "city"),
    ):
        with pytest.raises(Fault, match="turned 0 to 3 quarters"):
            look()
