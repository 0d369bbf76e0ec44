"""The JSON Schema of a rules file agrees with the table of forms and with the examples."""

from __future__ import annotations

import copy
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.forms import KINDS, RULES, validate
from tablelaw.spec.schema import json_schema
from tablelaw.spec.source import Source
from tablelaw.spec.yaml_nodes import Mapping, Node, Scalar, Sequence, parse_yaml

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted(ROOT.glob("examples/*/rules.yaml"))
VALIDATOR = jsonschema.Draft202012Validator(json_schema())

SMALL = """\
tablelaw: 1
game: coin
title: Coin
players: 2
state:
  turn: {type: Player, init: 0}
actions:
  flip:
    by: turn
    require: [{id: always, check: true}]
    do: turn = after(turn)
questions:
  moves: {progress: true, expect: holds}
"""


def instance(node: Node) -> Any:
    """Turn nodes into what a JSON Schema is asked about."""
    if isinstance(node, Scalar):
        return float(node.value) if isinstance(node.value, Fraction) else node.value
    if isinstance(node, Sequence):
        return [instance(item) for item in node.items]
    return {entry.key.text: instance(entry.value) for entry in node.entries}


def read(text: str) -> Mapping:
    """Read a text without errors."""
    sink = Diagnostics()
    node = parse_yaml(Source("rules.yaml", text), sink)
    assert not sink.has_errors
    assert isinstance(node, Mapping)
    return node


def test_the_committed_file_is_what_the_generator_makes() -> None:
    """`scripts/make_schema.py` has been run since the table of forms changed."""
    written = (ROOT / "spec" / "schema.json").read_text("utf-8")
    assert written == json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def test_it_is_a_schema() -> None:
    """The result keeps the rules of draft 2020-12, and every reference leads somewhere."""
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    names = {f"#/$defs/{name}" for name in schema["$defs"]}  # type: ignore[attr-defined]
    used: set[str] = set()

    def walk(part: object) -> None:
        if isinstance(part, dict):
            if isinstance(part.get("$ref"), str):
                used.add(part["$ref"])
            for inner in part.values():
                walk(inner)
        elif isinstance(part, list):
            for inner in part:
                walk(inner)

    walk(schema)
    assert used == names


def test_every_key_is_described() -> None:
    """An editor has something to show for each key at the top and each kind of question."""
    schema: Any = json_schema()
    assert all(schema["properties"][key]["description"] for key in RULES.keys)
    assert all(schema["$defs"]["question"]["properties"][kind]["description"] for kind in KINDS)


@pytest.mark.parametrize("path", EXAMPLES, ids=[path.parent.name for path in EXAMPLES])
def test_the_examples_are_valid(path: Path) -> None:
    """Every example has the form that the schema describes."""
    assert [error.message for error in VALIDATOR.iter_errors(instance(read(path.read_text("utf-8"))))] == []


GOOD = [
    "players: 2..5",
    'questions:\n  "city-of-{n}": {for: {n: 2..9}, reach: turn == 0, expect: {2: holds, 3: fails}}',
    "questions:\n  q: {force: {who: [0], goal: ended()}, exactly-when: turn == 0}",
    "questions:\n  q: {terminates: almost-surely}",
    "scenarios:\n  s: {play: [flip, ..., {then: [turn == 0]}], illegal: [flip, {move: flip, by: always}]}",
    "options:\n  size: {kind: study, values: 1..6, default: 3}",
    "options:\n  size: {kind: reading, values: {a: one, b: {says: two, only: {x: [1, 2]}}}, default: a}",
    "define:\n  f(x in Player, y in Player): x == y\n  g: {is: true}",
    "effects:\n  e(): [turn = 0, {id: c, do: turn = 1}]",
]

BAD = [
    "plyers: 3",
    "game: 1830",
    "tablelaw: one",
    "players: [2, 3]",
    "questions:\n  q: {always: true, never: true}",
    "questions:\n  q: {expect: holds}",
    "questions:\n  q: {progress: false}",
    "questions:\n  q: {count: seats}",
    "questions:\n  q r: {progress: true}",
    "questions:\n  q: {force: {who: [0]}}",
    "options:\n  o: {kind: taste, values: [a], default: a}",
    "options:\n  o: {kind: reading, values: [a]}",
    "state:\n  turn-now: {type: Player}",
    "state:\n  turn: {init: 0}",
    "actions:\n  flip: {by: turn, requires: []}",
    "actions:\n  flip: {by: turn, require: [{check: true}]}",
    "end: [{id: over}]",
    "remarks: [{cite: x}]",
    "scenarios:\n  s: {illegal: [{by: always}]}",
]


def changed(extra: str) -> Mapping:
    """Give the small game with some sections put in or replaced."""
    base, over = read(SMALL), read(extra)
    kept = tuple(entry for entry in base.entries if entry.key.text not in over.keys())  # noqa: SIM118
    return Mapping((*kept, *over.entries), base.span, False)


@pytest.mark.parametrize("extra", GOOD)
def test_what_the_reader_takes_is_valid(extra: str) -> None:
    """The schema and the reader of forms agree on what may be written."""
    node = changed(extra)
    sink = Diagnostics()
    assert validate(node, RULES, sink)
    assert [error.message for error in VALIDATOR.iter_errors(instance(node))] == []


@pytest.mark.parametrize("extra", BAD)
def test_what_has_another_form_is_not_valid(extra: str) -> None:
    """Unknown keys, missing ones, other words and other kinds of values are found."""
    assert VALIDATOR.is_valid(instance(read(SMALL)))
    assert not VALIDATOR.is_valid(instance(changed(extra)))


@pytest.mark.parametrize("key", RULES.required)
def test_what_a_game_needs_may_stand_in_another_file(key: str) -> None:
    """A key that every game needs may be missing only where other files are included."""
    whole = instance(read(SMALL))
    part = copy.deepcopy(whole)
    del part[key]
    assert not VALIDATOR.is_valid(part)
    assert VALIDATOR.is_valid({**part, "include": "base.yaml"})
