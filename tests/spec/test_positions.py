"""Values and positions as people write them, and as they are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tablelaw.spec import types as ty
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.positions import Unreadable, plain, read_value, shown
from tablelaw.spec.source import Source
from tablelaw.spec.values import Map, Value
from tablelaw.spec.yaml_nodes import Mapping, parse_yaml

if TYPE_CHECKING:
    from tests.spec.conftest import Read, Reader

NONES = Map([(c, Map({0: None, 1: None})) for c in ("cap", "tee", "knight")])


def given(small: Read, name: str, text: str) -> Value:
    """Read a value for a variable; findings go to the game's sink."""
    root = parse_yaml(Source("p", f"v: {text}\n"), small.sink)
    assert isinstance(root, Mapping), small.shown()
    node = root.get("v")
    assert node is not None
    kind = small.game.names.variables[name]
    return read_value(node, kind, small.game.names, small.sink, ty.default(kind), f"`{name}`", spread=True)


@pytest.mark.parametrize(
    "name, text, expected",
    [
        ("turn", "1", 1),
        ("turn", '"1"', 1),
        ("turn", "players - 1", 1),
        ("pot", "GOAL", 9),
        ("pot", "POINTS[2]", 3),
        ("open", "false", False),
        ("open", '"true"', True),
        ("open", "players == 2", True),
        ("score", "4", Map({0: 4, 1: 4})),
        ("score", "{1: 5}", Map({0: 0, 1: 5})),
        ("score", '{"0": 1, "1": 2}', Map({0: 1, 1: 2})),
        ("score", "[7, 8]", Map({0: 7, 1: 8})),
        ("hand", "bag()", Map({"cap": 0, "tee": 0, "knight": 0})),
        ("hand", "{knight: 2}", Map({"cap": 0, "tee": 0, "knight": 2})),
        ("hand", "[cap, cap]", Map({"cap": 2, "tee": 0, "knight": 0})),
        ("seen", "[cap, tee]", frozenset({"cap", "tee"})),
        ("seen", '"{cap}"', frozenset({"cap"})),
        ("seen", "[]", frozenset()),
        ("row", "[1, 2]", (1, 2)),
        ("owner", "none", None),
        ("owner", "null", None),
        ("owner", "1", 1),
        ("last", "{card: cap}", Map({"card": "cap", "by": 0})),
        ("last", '"Deal(card=tee, by=1)"', Map({"card": "tee", "by": 1})),
        ("face", "cap", "cap"),
        ("board", "none", NONES),
        ("board", "{tee: {1: cap}}", NONES.set("tee", Map({0: None, 1: "cap"}))),
    ],
)
def test_values_that_are_read(small: Read, name: str, text: str, expected: Value) -> None:
    """Numbers, names, maps in parts, bags by count, sets as lists, formulas known before play."""
    found = given(small, name, text)
    assert small.codes == [], small.shown()
    assert found == expected
    assert ty.contains(small.game.names.variables[name], found)


@pytest.mark.parametrize(
    "name, text, code",
    [
        ("pot", "21", "T112"),
        ("turn", "2", "T112"),
        ("turn", "pot", "T104"),
        ("pot", "cap", "T101"),
        ("pot", "[1]", "T101"),
        ("pot", "{a: 1}", "T101"),
        ("pot", "", "S204"),
        ("open", "3", "T101"),
        ("score", "[1, 2, 3]", "T101"),
        ("score", "{2: 1}", "T112"),
        ("score", '{0: 1, "0": 2}', "Y105"),
        ("hand", "{knight: 10}", "T112"),
        ("hand", "{knave: 1}", "R204"),
        ("hand", "{knight: -1}", "T112"),
        ("row", "[1, 2, 3, 4, 5]", "T112"),
        ("last", "{colour: 1}", "R204"),
        ("face", "knave", "R204"),
        ("pot", "²", "E102"),
        ("turn", "--1", "T112"),
    ],
)
def test_values_that_are_none(small: Read, name: str, text: str, code: str) -> None:
    """What is no value of the type is told at its place."""
    try:
        given(small, name, text)
    except Unreadable:
        assert small.codes == [code], small.shown()
    else:
        assert code in small.codes or name == "turn"


def test_values_are_shown_as_they_are_read(small: Read) -> None:
    """A value is told on one line, in the words of the game."""
    state, kinds = small.start(), small.game.names.variables
    told = {n: shown(state[n], kinds[n]) for n in kinds}
    assert told["hand"] == "cap*2+knight"
    assert told["seen"] == "{tee}"
    assert told["row"] == "[5, 7]"
    assert told["owner"] == "none"
    assert told["last"] == "Deal(card=tee, by=1)"
    assert told["score"] == "{0: 1, 1: 1}"
    assert told["open"] == "true"


def test_values_become_json(small: Read) -> None:
    """Seats are texts, bags leave out what does not occur."""
    state, kinds = small.start(), small.game.names.variables
    told = {n: plain(state[n], kinds[n]) for n in kinds}
    assert told["hand"] == {"cap": 2, "knight": 1}
    assert told["score"] == {"0": 1, "1": 1}
    assert told["seen"] == ["tee"]
    assert told["last"] == {"card": "tee", "by": 1}


def test_starts(read: Reader) -> None:
    """`init` fills maps, is read in parts, takes sets of starts, and may use constants and options."""
    found = read("""
        options: {n: {kind: study, values: 1..6, default: 4}}
        constants: {N: 3}
        types: {Card: {king: {count: 2}, queen: {count: 1}}}
        state:
          a: {type: "map[Card, map[Player, 0..9]]", init: N}
          b: {type: "map[Card, 0..9]", init: {king: "option('n')"}}
          c: {type: "bag[Card, 5]", init: supply(Card)}
          d: {type: 0..9, init: {any: [1, 2]}}
          e: {type: Player, init: {any: Player}}
          f: {type: 3..9}
          g: {type: Card}
          h: {type: "maybe[Card]"}
    """)
    assert found.codes == [], found.shown()
    start = found.start()
    assert start["a"] == Map({"king": Map({0: 3, 1: 3}), "queen": Map({0: 3, 1: 3})})
    assert start["b"] == Map({"king": 4, "queen": 0})
    assert start["c"] == Map({"king": 2, "queen": 1})
    assert start["d"] == frozenset({1, 2})
    assert start["e"] == frozenset({0, 1})
    assert (start["f"], start["g"], start["h"]) == (3, "king", None)
    assert [v.name for v in found.game.variables if v.any_of] == ["d", "e"]


def test_an_empty_sink_is_left_alone() -> None:
    """Reading what is right says nothing."""
    assert len(Diagnostics()) == 0
