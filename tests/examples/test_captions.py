"""The printed examples of the dice game: each number of a caption is stated, and none can be another.

A caption is written here as the numbers that it states, each beside the check that stands for it in the scenario. Every
number in the checks of an example, of the dice drawn and of the moves repeated is then changed by one, up and down: no
play fits any more. The search is the plain one of the evaluator: the examples name the squares they build on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from tablelaw.solver import evaluate
from tablelaw.solver.plays import find_play
from tablelaw.solver.space.graph import Budget
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.document import Scenario, texts
from tablelaw.spec.expressions import parse_formula
from tablelaw.spec.load import Rules, load
from tablelaw.spec.questions import Reader
from tablelaw.spec.yaml_nodes import Entry, Mapping, Node, Scalar, Sequence

FOLDER = Path(__file__).resolve().parent.parent.parent / "examples" / "carcassonne-dice"

FIRST_1A = {
    "the first roll": "rolls == 1",
    "one catapult is passed": "passed == 1",
    "four dice are built": "size(table) == 4",
    "they make a city": "f.size == 4 for f in features(table, city))",
    "two knights are rolled again": "shown[knight] == 2",
    "two city dice are rolled again": "size(shown) - shown[knight] == 2",
}
CAPTIONS: dict[str, dict[str, str]] = {
    "ex-1a": FIRST_1A,
    "ex-1b": FIRST_1A
    | {
        "the second roll": "rolls == 2",
        "the second catapult": "passed == 2",
        "two dice are added": "size(table) == 6",
        "one knight is of no use": "shown[knight] == 1",
        "a city of six brings ten points": "score[0] == 10",
    },
    "ex-three-knights": {
        "three knights": "kept == 3",
        "one is kept": "held[0] == 1",
        "all others are passed": "ready == 8",
        "the city is not scored": "score[0] == 0",
    },
    "ex-2": {
        "2a, the first roll": "rolls == 1",
        "2a, four dice are built": "size(table) == 4",
        "2a, a city of four dice": "f.size == 4 for f in features(table, city))",
        "2a, the knight is set aside": "kept == 1",
        "2a, the other four are rolled again": "size(shown) == 4",
        "2b, the second roll": "rolls == 2",
        "2b, two catapults": "passed == 2",
        "2b, the other two are rolled again": "size(shown) == 2",
        "2c, the third roll": "rolls == 3",
        "2c, a complete city of two": "largest() == 2",
        "2c, an incomplete city of six": "f.size == 6 for f in features(table, city))",
        "2c, no points": "score[0] == 0",
    },
    "ex-closed-six": {"six dice": "size(table) == 6", "ten points": "score[0] == 10"},
} | {
    f"ex-city-{dice}": {f"{dice} dice": f"size(table) == {dice}", f"{points} points": f"score[0] == {points}"}
    for dice, points in {2: 0, 3: 1, 4: 3, 5: 6, 6: 10, 7: 15, 8: 21, 9: 28}.items()
}
QUICK = ("ex-city-2",)
LONG = ("ex-city-5", "ex-city-7", "ex-city-9")
"""A die of theirs is sought: a corner or a straight."""
SETTINGS = {"ex-2": {"faces": "split-corner"}}
"""The one reading under which example 2 can happen at all."""

NUMBER = re.compile(r"(?<=== )\d+|(?<= \* )\d+")


@cache
def rules() -> Rules:
    sink = Diagnostics()
    found = load(str(FOLDER / "rules.yaml"), sink)
    assert found is not None, [d.message for d in sink]
    return found


def printed() -> list[str]:
    return [name for name in rules().document.scenarios if name.startswith("ex-")]


# what an example says


def scalars(node: Node) -> Iterator[Scalar]:
    """Every text of a node."""
    if isinstance(node, Scalar):
        yield node
    elif isinstance(node, Sequence):
        for n in node.items:
            yield from scalars(n)
    else:
        for e in node.entries:
            yield from scalars(e.value)


def checks(s: Scenario) -> list[Scalar]:
    """The lines and checks of an example: `play`, and `then` at its end."""
    return [x for key in ("play", "then") for n in [s.node.get(key)] if n is not None for x in scalars(n)]


def swapped(node: Node, old: Scalar, new: str) -> Node:
    """The node with one text replaced."""
    if node is old:
        return replace(old, text=new, offsets=tuple(old.span.start for _ in range(len(new) + 1)))
    if isinstance(node, Sequence):
        return replace(node, items=tuple(swapped(n, old, new) for n in node.items))
    if isinstance(node, Mapping):
        return replace(node, entries=tuple(Entry(e.key, swapped(e.value, old, new)) for e in node.entries))
    return node


def edited(s: Scenario, old: Scalar, new: str) -> Scenario:
    """The example with another text at one place."""
    node = swapped(s.node, old, new)
    assert isinstance(node, Mapping)
    then = node.get("then")
    assert isinstance(then, Sequence)
    parsed = [parse_formula(n, Diagnostics()) for n in then.items if isinstance(n, Scalar)]
    return replace(s, node=node, then=tuple(p for p in parsed if p is not None))


def changes(s: Scenario) -> Iterator[tuple[str, Scenario]]:
    """The example with each number changed by one, one at a time."""
    for old in checks(s):
        for found in NUMBER.finditer(old.text):
            for by in (1, -1):
                new = f"{old.text[: found.start()]}{int(found[0]) + by}{old.text[found.end() :]}"
                yield f"`{old.text}` as `{new}`", edited(s, old, new)


# who answers


def asker(name: str) -> Callable[[Scenario], str]:
    """Asks whether some play fits an example (`faulty` when it cannot even be written so)."""
    s = rules().document.scenarios[name]
    players = [int(n) for n in texts(s.node.get("players"))] or [2]
    sink = Diagnostics()
    game = rules().game(SETTINGS.get(name, {}), players[0], sink)
    assert game is not None, [d.message for d in sink]

    def possible(s: Scenario) -> str:
        quiet = Diagnostics()
        staged = Reader(game, quiet, evaluate.starts(game)[0]).scenario(s)
        if staged is None or quiet.has_errors:
            return "faulty"
        return find_play(game, staged, Budget(60.0)).verdict

    return possible


def test_every_printed_example_has_its_caption_here() -> None:
    assert set(CAPTIONS) == set(printed())


@pytest.mark.parametrize("name", CAPTIONS)
def test_each_number_of_a_caption_is_stated(name: str) -> None:
    said = [x.text for x in checks(rules().document.scenarios[name])]
    missing = {what: check for what, check in CAPTIONS[name].items() if not any(x.endswith(check) for x in said)}
    assert not missing


@pytest.mark.parametrize("name", [pytest.param(n, marks=pytest.mark.slow) if n in LONG else n for n in CAPTIONS])
def test_an_example_can_happen(name: str) -> None:
    assert asker(name)(rules().document.scenarios[name]) == "holds"


@pytest.mark.parametrize("name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.slow) for n in CAPTIONS])
def test_no_number_of_an_example_can_be_another(name: str) -> None:
    possible = asker(name)
    tried = {what: possible(s) for what, s in changes(rules().document.scenarios[name])}
    assert len(tried) >= 2 * len(CAPTIONS[name])
    assert not {what: verdict for what, verdict in tried.items() if verdict not in ("fails", "faulty")}
