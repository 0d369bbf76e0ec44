"""The square grid: turning, stepping, and what lies against what."""

from __future__ import annotations

import pytest

from tablelaw.spec.grid import (
    DIRECTIONS,
    FACING,
    HALVES,
    OPPOSITE,
    RIM,
    SIDES,
    Cell,
    Edge,
    Part,
    across,
    neighbours8,
    side_of,
    step,
    turned,
)

AROUND = [("N", (0, -1)), ("NE", (1, -1)), ("E", (1, 0)), ("SE", (1, 1)), ("S", (0, 1)), ("SW", (-1, 1)), ("W", (-1, 0))]


@pytest.mark.parametrize("direction, by", [*AROUND, ("NW", (-1, -1))])
def test_y_goes_south(direction: str, by: tuple[int, int]) -> None:
    """A step goes where its name says, x east and y south; several go as far as several."""
    assert step(Cell(0, 0), direction) == by
    assert step(Cell(5, -7), direction, 3) == (5 + 3 * by[0], -7 + 3 * by[1])


def test_turning_is_clockwise() -> None:
    """A quarter turn takes north to east, also of halves and directions, and four are none."""
    assert [turned(s, 1) for s in SIDES] == ["E", "S", "W", "N"]
    assert [turned(d, 1) for d in DIRECTIONS] == ["E", "SE", "S", "SW", "W", "NW", "N", "NE"]
    assert [turned(h, 1) for h in HALVES] == ["En", "Es", "Se", "Sw", "Ws", "Wn", "Nw", "Ne"]
    for name in (*SIDES, *HALVES, *DIRECTIONS):
        assert turned(name, 4) == name
        assert turned(turned(name, 1), 3) == name


def test_halves_lie_against_halves() -> None:
    """A half faces the one of the same compass direction on the opposite side, whichever way both are turned."""
    assert FACING["Ne"] == "Se"
    for half in HALVES:
        assert FACING[FACING[half]] == half
        assert side_of(FACING[half]) == OPPOSITE[side_of(half)]
        assert FACING[half][1] == half[1]
        assert turned(FACING[half], 1) == FACING[turned(half, 1)]


def test_rim_is_clockwise() -> None:
    """Round the rim each side stands between its halves, and a quarter turn goes three places on."""
    assert len(RIM) == len(set(RIM)) == 12
    for i, place in enumerate(RIM):
        assert turned(place, 1) == RIM[(i + 3) % 12]
    for s in SIDES:
        i = RIM.index(s)
        assert {side_of(RIM[i - 1]), side_of(RIM[i + 1])} == {s}


def test_across_and_back() -> None:
    """Across an edge is the same line seen from the other square."""
    assert across(Edge(Cell(2, 3), "E")) == Edge(Cell(3, 3), "W")
    for s in SIDES:
        assert across(across(Edge(Cell(0, 0), s))) == Edge(Cell(0, 0), s)


def test_eight_neighbours() -> None:
    """Round a square there are eight others, two steps apart at most."""
    found = neighbours8(Cell(1, 1))
    assert len(set(found)) == 8
    assert Cell(1, 1) not in found
    assert all(abs(c.x - 1) <= 1 and abs(c.y - 1) <= 1 for c in found)


def test_parts_are_the_same_by_their_place() -> None:
    """Two parts are equal when square, kind and side are; what else was read of them takes no part in it."""
    a = Part(Cell(0, 0), "city", "N", frozenset({"N", "E"}), {"shields": 1})
    assert a == Part(Cell(0, 0), "city", "N")
    assert hash(a) == hash(Part(Cell(0, 0), "city", "N"))
    assert a != Part(Cell(0, 0), "city", "E")
    assert (a.read("kind"), a.read("sides"), a.read("shields")) == ("city", {"N", "E"}, 1)


def test_no_other_name_turns() -> None:
    """What is no place of the grid cannot be turned."""
    with pytest.raises(ValueError, match="up"):
        turned("up", 1)
