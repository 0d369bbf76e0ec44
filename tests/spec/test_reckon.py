"""The value of a formula in a position."""

from __future__ import annotations

from dataclasses import fields
from fractions import Fraction
from typing import TYPE_CHECKING

import pytest

from tablelaw.spec.operators import Fault
from tablelaw.spec.reckon import Place
from tablelaw.spec.values import Map, Value

if TYPE_CHECKING:
    from tests.spec.conftest import Read

CASES: list[tuple[str, Value]] = [
    ("1 + 2 * 3 - 4", 3),
    ("7 // 2 + 7 % 2", 4),
    ("-7 // 2", -4),
    ("-7 % 3", 2),
    ("1 / 3 + 1 / 6", Fraction(1, 2)),
    ("4 / 2", 2),
    ("HALF * 4", 2),
    ("5 ^ 3", 6),
    ("abs(pot - 10)", 7),
    ("abs(1/3 - 1)", Fraction(2, 3)),
    ("pot > 2 and open", True),
    ("not open or pot == 3", True),
    ("0 <= pot < 3 < 4", False),
    ("10 if open else 20", 10),
    ("players", 2),
    ("score[0] + score[1]", 2),
    ("hand[cap]", 2),
    ("hand[tee]", 0),
    ("knight in hand", True),
    ("tee in hand", False),
    ("size(hand)", 3),
    ("size(seen)", 1),
    ("size(row)", 2),
    ("size(score)", 2),
    ("size(Card)", 3),
    ("row[1]", 7),
    ("owner == none", True),
    ("last.card == tee", True),
    ("last.by", 1),
    ("face == blank", True),
    ("face in Card", False),
    ("pot in Points", True),
    ("tee in seen and cap not in seen", True),
    ("seen | {cap} == {cap, tee}", True),
    ("seen & {cap}", frozenset()),
    ("{cap, tee} - seen", frozenset({"cap"})),
    ("seen <= {cap, tee}", True),
    ("seen < seen", False),
    ("{} <= seen", True),
    ("set() == {}", True),
    ("hand == bag()", False),
    ("hand >= bag()", True),
    ("size(hand + hand)", 6),
    ("size(hand - hand)", 0),
    ("any(score[p] > 0 for p in Player)", True),
    ("all(score[p] > 1 for p in Player)", False),
    ("any(c == tee for c in seen)", True),
    ("count(p for p in Player if score[p] == 1)", 2),
    ("count(hand)", 3),
    ("sum(WORTH[c] for c in hand)", 7),
    ("sum(row)", 12),
    ("max(row)", 7),
    ("min(score[p] + p for p in Player)", 1),
    ("max(pot, 5, 4)", 5),
    ("min(pot, 1/2)", Fraction(1, 2)),
    ("sum(p * q for p in Player for q in Player if p <= q)", 1),
    ("{c for c in Card if hand[c] > 0}", frozenset({"cap", "knight"})),
    ("size({hand[c] for c in Card})", 3),
    ("after(turn)", 1),
    ("before(0)", 1),
    ("after(0, {0})", 0),
    ("POINTS[pot]", 6),
    ("WORTH[knight]", 5),
    ("cap in WORTH", True),
    ("big.strength + small.strength", 4),
    ("small.swift", False),
    ("sum(u.strength for u in supply(Unit))", 8),
    ("size(supply(Unit))", 6),
    ("size(parts(hand))", 6),
    ("any(size(b) == 3 for b in parts(hand))", True),
    ("rich(0)", False),
    ("rich(p=0)", False),
    ("total()", 2),
    ("Card.tee == tee", True),
    ("any(Deal(card=c, by=0).card == tee for c in Card)", True),
    ("Deal(card=tee, by=1) == last", True),
    ("board[tee][0] == none", True),
    ("can(go)", True),
    ("can(go, c=cap, n=2)", True),
    ("can(go, c=knight, n=2)", False),
    ("can(go, c=tee)", True),
]


@pytest.mark.parametrize("text, expected", CASES, ids=[c[0] for c in CASES])
def test_value(small: Read, text: str, expected: Value) -> None:
    """A formula has the value that the contract gives it."""
    found = small.value(text)
    assert found == expected
    assert isinstance(found, bool) == isinstance(expected, bool)


FAULTS = [
    ("row[2]", "index"),
    ("POINTS[pot + 1]", "index"),
    ("pot // (pot - 3)", "division"),
    ("max(c for c in row if c > 9)", "empty"),
    ("hand - (hand + hand) == bag()", "bag"),
    ("after(0, {p for p in Player if p > 5})", "empty"),
]


@pytest.mark.parametrize("text, kind", FAULTS)
def test_faults_of_the_rules(small: Read, text: str, kind: str) -> None:
    """An index outside, an empty `max`, a division by zero and an overdrawn bag are faults of the rules."""
    with pytest.raises(Fault) as caught:
        small.value(text)
    assert caught.value.kind == kind


def test_a_field_of_none_is_a_fault(small: Read) -> None:
    """Where there is no record there is no field."""
    with pytest.raises(Fault) as caught:
        small.value("last.by", last=None)
    assert caught.value.kind == "none"


def test_and_stops_at_the_first_that_decides(small: Read) -> None:
    """What follows a false condition is not read, so it has no faults."""
    assert small.value("size(row) > 2 and row[2] > 0") is False
    assert small.value("size(row) == 2 or row[2] > 0") is True


def test_players_of_some_are_stepped_through(small: Read) -> None:
    """`after` and `before` go round the table and stop at the first of the players given."""
    assert small.value("after(turn, {0, 1})", turn=1) == 0
    assert small.value("before(turn, {1})", turn=1) == 1


def test_equality_of_bags_counts_what_is_not_named(small: Read) -> None:
    """A bag that names a card none times is the bag that does not name it."""
    assert small.value("hand == bag()", hand=Map({"cap": 0, "tee": 0, "knight": 0})) is True


def test_questions_ask_for_the_step_before(small: Read) -> None:
    """`old` reads the position before; at the start it is the start."""
    assert small.value("old(pot) == pot and not ended() and size(winners()) == 0", "question") is True
    assert small.value("times('go')", "question") == 2
    assert small.value("grew()", "question") is False


def test_a_place_with_more_names_is_the_same_otherwise() -> None:
    """Whatever a place has besides its names stays."""
    place = Place({"pot": 1}, 3, {"a": 1}, Place({}, 3), lambda: True, lambda: {0}, lambda _: 2)
    bound = place.bind({"b": 2})
    assert bound.names == {"a": 1, "b": 2}
    assert all(getattr(bound, f.name) is getattr(place, f.name) for f in fields(Place) if f.name != "names")
    assert [f.name for f in fields(Place) if f.name != "names" and not getattr(place, f.name)] == []
