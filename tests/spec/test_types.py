"""Types: what they are called, what they hold, how many values they have."""

from __future__ import annotations

import pytest

from tablelaw.spec import types as ty
from tablelaw.spec.types import BOOL, NOTHING, BagOf, Enum, Int, ListOf, MapOf, Maybe, Record, SetOf, Type
from tablelaw.spec.values import Map

CARD = Enum("Card", ("cap", "tee"), ("cap", "tee", "blank"))
FACE = Enum("Face", ("cap", "tee", "blank"), ("cap", "tee", "blank"))
OTHER = Enum("Other", ("x", "y"), ("x", "y"))
SEAT = Int(0, 1, "Player")
DEAL = Record("Deal", (("card", CARD), ("by", SEAT)))

ALL: list[Type] = [
    BOOL,
    SEAT,
    CARD,
    Maybe(CARD),
    SetOf(FACE),
    BagOf(FACE, 3),
    ListOf(CARD, 3),
    MapOf(CARD, SEAT),
    MapOf(SEAT, Maybe(CARD)),
    DEAL,
    Record("Two", (("a", DEAL), ("b", BOOL))),
    NOTHING,
]


@pytest.mark.parametrize("kind", ALL, ids=ty.show)
def test_the_domain_has_as_many_values_as_the_type(kind: Type) -> None:
    """Each value of a type stands once in its domain, and is contained in it."""
    values = list(ty.domain(kind))
    assert len(values) == len(set(values)) == ty.cardinality(kind)
    assert all(ty.contains(kind, v) for v in values)


@pytest.mark.parametrize("kind", ALL, ids=ty.show)
def test_the_default_is_a_value(kind: Type) -> None:
    """What is left out has a value of the type."""
    assert ty.contains(kind, ty.default(kind))


def test_huge_types_are_counted_without_being_built() -> None:
    """Counting is quick, and gives up where the count itself would be huge."""
    seats = Int(0, 4095)
    assert ty.cardinality(MapOf(seats, MapOf(seats, Int(0, 10**9)))) is None
    assert ty.cardinality(SetOf(Int(0, 255))) is None
    assert ty.cardinality(BagOf(Int(0, 255), 10_000)) is not None
    assert ty.places(MapOf(seats, MapOf(SEAT, BOOL))) == (4096 * 2, 3)


@pytest.mark.parametrize(
    "a, b, joined",
    [
        (Int(0, 3), Int(2, 9), Int(0, 9)),
        (Int(0, 3), Int(), Int()),
        (Int(0, 3), ty.FRAC, ty.FRAC),
        (CARD, FACE, FACE),
        (CARD, OTHER, None),
        (NOTHING, CARD, Maybe(CARD)),
        (Maybe(CARD), FACE, Maybe(FACE)),
        (SetOf(NOTHING), SetOf(CARD), SetOf(CARD)),
        (SetOf(CARD), BagOf(CARD, 3), None),
        (BagOf(CARD, 3), BagOf(FACE, 5), BagOf(FACE, 5)),
        (DEAL, DEAL, DEAL),
        (BOOL, SEAT, None),
        (CARD, ty.UNKNOWN, ty.UNKNOWN),
    ],
)
def test_join(a: Type, b: Type, joined: Type | None) -> None:
    """Two types join to the smallest that holds the values of both, either way round."""
    assert ty.join(a, b) == joined
    assert ty.join(b, a) == joined


@pytest.mark.parametrize(
    "value, target, expected",
    [
        (Int(0, 99), Int(0, 3), True),
        (ty.FRAC, Int(0, 3), False),
        (BOOL, Int(0, 1), False),
        (NOTHING, Maybe(CARD), True),
        (CARD, Maybe(FACE), True),
        (Maybe(CARD), CARD, False),
        (SetOf(NOTHING), SetOf(CARD), True),
        (FACE, CARD, True),
        (OTHER, CARD, False),
        (MapOf(CARD, BOOL), MapOf(CARD, SEAT), False),
    ],
)
def test_fits(value: Type, target: Type, expected: bool) -> None:
    """Numbers and names fit by kind; their range is looked at in play."""
    assert ty.fits(value, target) is expected


def test_contains_is_exact() -> None:
    """A range, a limit and a name are kept exactly."""
    assert not ty.contains(Int(0, 3), 4)
    assert not ty.contains(Int(0, 3), True)
    assert not ty.contains(CARD, "blank")
    assert not ty.contains(BagOf(CARD, 2), Map({"cap": 3, "tee": 0}))
    assert not ty.contains(BagOf(CARD, 2), Map({"cap": -1, "tee": 0}))
    assert not ty.contains(ListOf(CARD, 1), ("cap", "tee"))
    assert not ty.contains(SetOf(CARD), frozenset({"blank"}))


def test_types_are_shown_as_they_are_written() -> None:
    """Messages name a type as its author would."""
    assert ty.show(MapOf(SEAT, BagOf(CARD, 9))) == "map[Player, bag[Card, 9]]"
    assert ty.show(Maybe(SetOf(Int(0, 5)))) == "maybe[set[0..5]]"
    assert ty.show(ListOf(DEAL, 2)) == "list[Deal, 2]"
    assert ty.told(Int()) == "a number"
    assert ty.told(CARD) == "`Card`"
