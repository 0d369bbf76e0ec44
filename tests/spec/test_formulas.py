"""The types of formulas, and what is said of those that have none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tablelaw.spec.core import Const
from tablelaw.spec.types import show

if TYPE_CHECKING:
    from tests.spec.conftest import Read, Reader


@pytest.mark.parametrize(
    "text, kind",
    [
        ("pot + 1", "1..21"),
        ("pot - score[0]", "-20..20"),
        ("pot * 2 - 1", "-1..39"),
        ("pot // 2", "0..10"),
        ("pot % 5", "0..4"),
        ("pot / 2", "a fraction"),
        ("pot ^ 3", "0..31"),
        ("sum(score[p] for p in Player)", "0..40"),
        ("count(c for c in Card)", "0..3"),
        ("size(hand)", "0..9"),
        ("hand[cap]", "0..9"),
        ("max(pot, 30)", "30"),
        ("abs(pot - 5)", "0..15"),
        ("{c for c in Card}", "set[Card]"),
        ("hand + hand", "bag[Card, 18]"),
        ("cap if open else blank", "Face"),
        ("none if open else cap", "maybe[Card]"),
        ("last.card", "Card"),
        ("POINTS[2]", "3"),
        ("GOAL", "9"),
        ("after(turn)", "Player"),
        ("supply(Unit)", "bag[Unit, 6]"),
        ("parts(hand)", "set[bag[Card, 9]]"),
        ("rich(0)", "bool"),
        ("big.strength", "3"),
        ("score[owner]", "Points"),
        ("rich(owner)", "bool"),
    ],
)
def test_type(small: Read, text: str, kind: str) -> None:
    """A formula has the narrowest type that is known of it."""
    found = small.typed(text).type
    assert small.codes == [], small.shown()
    assert show(found) == kind


@pytest.mark.parametrize(
    "text, code",
    [
        ("pott", "R204"),
        ("sise(hand)", "R204"),
        ("rich", "R204"),
        ("last.colour", "R204"),
        ("cap.strength", "R204"),
        ("Card.knave", "R204"),
        ("Player", "T105"),
        ("actor == 0", "R207"),
        ("ended()", "R207"),
        ("old(pot)", "R207"),
        ("times('go')", "R207"),
        ("grew()", "R207"),
        ("pot and open", "T101"),
        ("not pot", "T101"),
        ("pot + open", "T102"),
        ("seen + seen", "T102"),
        ("seen | cap", "T102"),
        ("hand == cap", "T102"),
        ("cap == 3", "T102"),
        ("cap < tee", "T102"),
        ("pot in hand", "T102"),
        ("cap in pot", "T102"),
        ("turn[0]", "T102"),
        ("score[cap]", "T101"),
        ("board[cap, 0]", "T102"),
        ("pot + owner", "T102"),
        ("owner < 1", "T102"),
        ("any(c for c in Card)", "T101"),
        ("sum(c for c in Card)", "T102"),
        ("any(row)", "T102"),
        ("any(x > 0 for x in pot)", "T102"),
        ("'cap' in seen", "T103"),
        ("size(hand, seen)", "E104"),
        ("rich()", "E104"),
        ("rich(0, 1)", "E104"),
        ("rich(0, p=1)", "E104"),
        ("rich(q=0)", "E104"),
        ("rich(cap)", "T101"),
        ("Deal(card=cap)", "E104"),
        ("Deal(cap, 0)", "E104"),
        ("option('o') == 'a'", "R209"),
        ("supply(Points)", "E104"),
        ("parts(seen)", "T102"),
        ("die(6)", "E104"),
        ("frontier(pot)", "R212"),
        ("can(stop)", "R204"),
        ("can(go, m=1)", "E104"),
        ("1 // 0", "T106"),
        ("POINTS[4]", "T106"),
        ("WORTH[blank]", "T106"),
        ("{a: 1}", "E103"),
        ("(pot for p in Player)", "E103"),
        ("bag(cap)", "E104"),
    ],
)
def test_faults(small: Read, text: str, code: str) -> None:
    """A formula without a meaning is told once, with the code of its fault and a cure."""
    game = small.game
    small.typed(text)
    assert small.codes == [code], small.shown()
    assert game is not None
    assert small.sink.items[0].help


def test_one_fault_is_told_once(small: Read) -> None:
    """What has no type fits everywhere, so that its neighbours are not blamed."""
    small.typed("any(pott[p] + 1 > 3 and size(pott) == max(pott, 1) for p in Player if pott)")
    assert {i.message for i in small.sink} == {"unknown name `pott`"}


def test_options_and_constants_are_folded(read: Reader) -> None:
    """What is known before play is reckoned before play."""
    found = read("""
        options:
          n: {kind: study, values: 1..6, default: 3}
          edition: {kind: edition, values: [old, new], default: new}
        constants: {A: [1, 2, 3]}
        state: {turn: {type: Player}}
    """)
    for text, value in [
        ("option('n') * A[1]", 6),
        ("option('edition') == 'new'", True),
        ("'old' == option('edition')", False),
        ("option('edition') in {'old', 'new'}", True),
        ("5 if option('n') > 2 else turn", 5),
        ("sum(x for x in A)", 6),
    ]:
        e = found.typed(text)
        assert found.codes == [], found.shown()
        assert found.value(text) == value
        assert isinstance(e, Const) or text.startswith("sum")


def test_a_name_of_two_types_is_told_by_its_neighbour(read: Reader) -> None:
    """Where the other side of a comparison has a type, a shared name is of that type."""
    found = read("""
        types: {Card: [king, queen], Piece: [king, pawn]}
        state: {card: {type: Card, init: king}, piece: {type: Piece, init: king}}
        define: {both(): "card == king and king == piece and piece in {king}"}
    """)
    assert found.codes == [], found.shown()
    assert found.value("both()") is True
    found.typed("king == king")
    assert "R205" in found.codes


def test_definitions_that_ask_for_the_play_are_for_questions(small: Read) -> None:
    """`old` inside a definition, or a definition that it calls, makes it a formula of questions."""
    small.typed("grew()", "question")
    assert small.codes == []
    small.typed("grew()")
    assert small.codes == ["R207"]
    small.typed("grew() and not ended()", "question")
    assert small.codes == ["R207"]


def test_an_asking_definition_is_sound_whatever_the_order(read: Reader) -> None:
    """A rule that uses it first does not spoil it for the questions."""
    found = read("""
        state: {turn: {type: Player}, pot: {type: 0..9}}
        define:
          b(): a()
          a(): old(pot) < pot
    """)
    assert found.codes == [], found.shown()
    assert found.typed("b()", "question").type.__class__.__name__ == "Bool"


def test_circles_of_definitions_are_told(read: Reader) -> None:
    """A definition cannot lead back to itself, by others or by `can`."""
    assert read("define: {a(): b(), b(): c(), c(): a()}").codes == ["R208"]
    assert read("define: {a(): a()}").codes == ["R208"]
    circle = """
        state: {turn: {type: Player}}
        define: {a(): can(go)}
        actions: {go: {by: turn, require: [{id: c, check: a()}]}}
    """
    assert "R208" in read(circle).codes


def test_long_chains_of_definitions_are_read(read: Reader) -> None:
    """Order does not matter, and a long chain is no circle."""
    chain = "\n".join(f"  d{i}(): d{i - 1}() + 1" for i in range(60, 0, -1))
    found = read("state: {pot: {type: 0..9}}\ndefine:\n" + chain + "\n  d0(): pot\n")
    assert found.codes == [], found.shown()
    assert found.value("d60()") == 60


def test_numbers_stay_short(read: Reader) -> None:
    """Numbers that double their length are refused before they fill the memory."""
    found = read("define:\n  d0(): 99999\n" + "\n".join(f"  d{i}(): d{i - 1}() * d{i - 1}()" for i in range(1, 40)))
    assert found.codes == ["T106"], found.shown()
