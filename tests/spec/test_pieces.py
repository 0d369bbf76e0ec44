"""Pieces: how faces turn, which rotations look the same, what their sides show."""

from __future__ import annotations

from tablelaw.spec.grid import SIDES
from tablelaw.spec.pieces import FacePart, Kind, Pieces

KINDS = {
    "city": Kind("city", "sides", frozenset(), frozenset({"shields"})),
    "field": Kind("field", "halves"),
    "machine": Kind("machine", "inside", frozenset({"flight"})),
}


def pieces(*parts: FacePart, free: bool = True, **more: object) -> Pieces:
    """A set with one face `a`."""
    return Pieces("Tile", KINDS, {"a": parts}, free=free, **more)  # type: ignore[arg-type]


def test_parts_turn() -> None:
    """Sides, halves and attributes that are places turn; numbers stay."""
    made = pieces(
        FacePart("city", ("N", "E"), (("shields", 2),)),
        FacePart("field", ("Se", "Ws")),
        FacePart("machine", (), (("flight", "NW"),)),
    )
    city, field, machine = made.parts["a", 1]
    assert city == FacePart("city", ("E", "S"), (("shields", 2),))
    assert set(field.at) == {"Ws", "Nw"}
    assert machine == FacePart("machine", (), (("flight", "NE"),))


def test_places_keep_the_order_of_the_rim() -> None:
    """Turned parts name their first place alike, in whatever order they were written."""
    assert pieces(FacePart("city", ("W", "N"))).parts["a", 1][0].at == ("N", "E")


def test_equal_rotations_are_told_once() -> None:
    """A straight part looks the same after a half turn, one on all sides always, a corner never."""
    assert pieces(FacePart("city", ("N", "S"))).rotations["a"] == (0, 1)
    assert pieces(FacePart("city", SIDES)).rotations["a"] == (0,)
    assert pieces(FacePart("city", ("N", "E"))).rotations["a"] == (0, 1, 2, 3)
    assert pieces(FacePart("city", ("N", "S"))).canonical["a", 3] == 1
    assert pieces().rotations["a"] == (0,)


def test_two_equal_parts_may_change_places() -> None:
    """Two single ends opposite each other look the same after a half turn, unless their attributes differ."""
    bare = (FacePart("city", ("N",)), FacePart("city", ("S",)))
    assert pieces(*bare).rotations["a"] == (0, 1)
    marked = (FacePart("city", ("N",), (("shields", 1),)), FacePart("city", ("S",), (("shields", 0),)))
    assert pieces(*marked).rotations["a"] == (0, 1, 2, 3)


def test_attributes_of_a_face_tell_rotations_apart() -> None:
    """An arrow makes every rotation another one; without a value there is nothing to turn."""
    whole = FacePart("city", SIDES)
    arrow = pieces(whole, attributes={"arrow": {"a": "N"}}, turning=frozenset({"arrow"}))
    assert arrow.rotations["a"] == (0, 1, 2, 3)
    assert [arrow.attribute("a", "arrow", r) for r in range(4)] == ["N", "E", "S", "W"]
    none = pieces(whole, attributes={"arrow": {"a": None}}, turning=frozenset({"arrow"}))
    assert none.rotations["a"] == (0,)


def test_fixed_pieces_do_not_turn() -> None:
    """Pieces that are not turned have one rotation."""
    assert pieces(FacePart("city", ("N", "E")), free=False).rotations["a"] == (0,)


def test_sides_show_kinds() -> None:
    """A side shows the kinds of its parts and of those at its halves, never what is inside."""
    made = pieces(FacePart("city", ("N",)), FacePart("field", ("Ne", "En")), FacePart("machine", ()))
    assert [made.shows["a", 0, s] for s in SIDES] == [{"city", "field"}, {"field"}, set(), set()]
    assert made.shows["a", 1, "E"] == {"city", "field"}


def test_neighbours_along_the_rim() -> None:
    """Round the rim each part has the nearest on either hand for a neighbour; a road between fields keeps them apart."""
    road, left, right = FacePart("city", ("N",)), FacePart("field", ("Nw",)), FacePart("field", ("Ne", "Es"))
    assert pieces(road, left, right).around["a", 0] == ((0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1))
    across_it = (FacePart("city", ("N", "S")), FacePart("field", ("En", "Es")), FacePart("field", ("Wn", "Ws")))
    assert pieces(*across_it).around["a", 0] == ((0, 1), (0, 2), (1, 0), (2, 0))


def test_parts_at_one_side_share_their_neighbours() -> None:
    """Two kinds at the same side are neighbours, and both are of what comes next, in whatever order they were declared."""
    kinds = {"road": Kind("road", "sides"), **KINDS}
    at = {"field": ("Wn",), "road": ("N",), "city": ("N",), "other": ("En",)}
    for order in (("road", "city"), ("city", "road")):
        parts = [FacePart("field", at["field"]), *(FacePart(k, at[k]) for k in order), FacePart("field", at["other"])]
        around = Pieces("Tile", kinds, {"a": tuple(parts)}).around["a", 0]
        assert {(0, 1), (0, 2), (1, 2), (1, 3), (2, 3), (0, 3)} == {(a, b) for a, b in around if a < b}


def test_symmetric_contact() -> None:
    """A rule of contact is symmetric when it asks the same of both sides."""
    city, bare = frozenset({"city"}), frozenset[str]()
    part = FacePart("city", ("N",))
    assert pieces(part, allowed=frozenset({(city, city), (bare, bare)})).symmetric
    assert not pieces(part, allowed=frozenset({(bare, city)})).symmetric


def test_lines_through_a_piece() -> None:
    """A line goes on through a part of two sides; where two such parts go from one side to different ones, neither is a way."""
    kinds = {"road": Kind("road", "sides"), **KINDS}

    def through(*parts: FacePart) -> dict[str, str]:
        return Pieces("Tile", kinds, {"a": parts}).through["a", 0]

    assert through(FacePart("road", ("N", "S")), FacePart("road", ("E", "W"))) == {"N": "S", "S": "N", "E": "W", "W": "E"}
    assert through(FacePart("road", ("N", "S", "E")), FacePart("field", ("Wn", "Ws"))) == {}
    assert through(FacePart("road", ("N", "S")), FacePart("city", ("N", "S"))) == {"N": "S", "S": "N"}
    assert through(FacePart("road", ("N", "S")), FacePart("city", ("N", "E"))) == {}
