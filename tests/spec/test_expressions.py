"""The grammar of formulas and effects: what is let in, what is said of the rest, and where."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.expressions import LONGEST, Parsed, parse_effects, parse_formula
from tablelaw.spec.source import Source
from tablelaw.spec.yaml_nodes import Mapping, Scalar, parse_yaml


def scalar(text: str, style: str = "plain") -> Scalar:
    """A text that stands in a file by itself."""
    return Scalar(text, style, Source("f", text).span(0, len(text)), range(len(text) + 1))  # type: ignore[arg-type]


def told(text: str, effect: bool = False) -> list[tuple[str, str, str | None]]:
    """Code, text underlined and cure of each finding."""
    sink = Diagnostics()
    found = (parse_effects if effect else parse_formula)(scalar(text), sink)
    assert (found is None) == (len(sink) > 0)
    return [(i.code, i.span.text if i.span else "", i.help) for i in sink]


@pytest.mark.parametrize(
    "text",
    [
        "a + b * -c // 2 % 3 / 4 ^ 1",
        "not a and b or c",
        "a if b else c",
        "1 <= x < 3 != y",
        "x in {a, b} and y not in z",
        "m[a][b].c",
        "any(x > y for x in A if x for y in B)",
        "{x for x in A}",
        "f(1, b=2)",
        "option('a-b') == 'c'",
        "{} == set()",
        "a\n  and b",
        "a | b & c",
        "one_of({a: 1/2, b: 1/2})",
        "[1, 2, 3]",
        "(1, 2)",
    ],
)
def test_formulas_that_are_let_in(text: str) -> None:
    """The grammar of the contract is read."""
    assert told(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "x = 1",
        "x += 1",
        "m[a].b -= 1",
        "if a:\n  x = 1\nelif b:\n  y = 2\nelse:\n  z = 3",
        "for c in C:\n  x += c",
        "f(1)",
        "x = 1; y = 2",
        "# why\nx = 1",
        "pass",
    ],
)
def test_effects_that_are_let_in(text: str) -> None:
    """Assignments, choices, loops and calls are read."""
    assert told(text, effect=True) == []


@pytest.mark.parametrize(
    "text, code, place",
    [
        ("x ** 2", "E103", "x ** 2"),
        ("lambda: x", "E103", "lambda: x"),
        ("[a for a in A]", "E103", "[a for a in A]"),
        ("a is b", "E103", "a is b"),
        ("x.f()", "E103", "x.f()"),
        ("f(*x)", "E103", "*x"),
        ("f(**x)", "E103", "**x"),
        ("1.5", "E103", "1.5"),
        ("1j", "E103", "1j"),
        ("b'a'", "E103", "b'a'"),
        ("f'{a}'", "E103", "f'{a}'"),
        ("...", "E103", "..."),
        ("(a := 1)", "E103", "a := 1"),
        ("x[1:2]", "E103", "1:2"),
        ("~x", "E103", "~x"),
        ("x << 1", "E103", "x << 1"),
        ("a = 1", "E102", "="),
        ("a && b", "E102", "&"),
        ("a || b", "E102", "|"),
        ("!a", "E102", "!"),
        ("f(a", "E102", "("),
        ("a)", "E102", ")"),
        ("x in 1..3", "E102", "."),
        ("a <> b", "E102", "<"),
        ("a # why", "E103", "# why"),
        ("", "E102", ""),
    ],
)
def test_what_is_not_a_formula(text: str, code: str, place: str) -> None:
    """Everything else is told at its place, with a cure."""
    found = told(text)
    assert (found[0][0], found[0][1]) == (code, place)
    assert found[0][2]


@pytest.mark.parametrize(
    "text",
    [
        "while a:\n  x = 1",
        "x: int = 1",
        "del x",
        "import os",
        "def f(): pass",
        "return 1",
        "x = yield",
        "for a in A:\n  break",
        "with a: pass",
    ],
)
def test_what_is_not_an_effect(text: str) -> None:
    """Statements of Python that are no effects are told with a cure."""
    found = told(text, effect=True)
    assert found[0][0] == "E103"
    assert found[0][2]


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000,
        "-" * 5000 + "1",
        "not " * 3000 + "a",
        "[" * 90 + "]" * 90,
        "9" * 5000,
        "a" * (LONGEST + 1),
        "+".join("a" * 9000),
    ],
)
def test_texts_that_are_too_much(text: str) -> None:
    """Nothing is too long or too deep to be told of."""
    assert all(code in ("E101", "E102", "E103", "Y112") for code, _, _ in told(text))


def _at(yaml: str, name: str) -> tuple[int, int]:
    sink = Diagnostics()
    root = parse_yaml(Source("f.yaml", yaml), sink)
    assert isinstance(root, Mapping)
    node = root.get("do") or root.get("check")
    assert isinstance(node, Scalar)
    parsed = parse_effects(node, sink) if root.get("do") else parse_formula(node, sink)
    assert isinstance(parsed, Parsed), list(sink)
    import ast

    for tree in [*parsed.body, *([parsed.tree] if parsed.tree else [])]:
        for n in ast.walk(tree):
            if isinstance(n, ast.Name) and n.id == name:
                span = parsed.span(n)
                assert span.text == name
                return span.line, span.column
    raise AssertionError(name)


def test_places_inside_blocks_of_text() -> None:
    """A name inside `if` inside a block of text stands at its own line and column."""
    assert _at("do: |\n  if pot > 3:\n    lfet -= 1\n  else:\n      right += 1\n", "lfet") == (3, 5)
    assert _at("do: |\n  if pot > 3:\n    lfet -= 1\n  else:\n      right += 1\n", "right") == (5, 7)
    assert _at("check: >-\n  a and\n  b or\n\n  lfet\n", "lfet") == (5, 3)
    assert _at('check: "a and\\tlfet"\n', "lfet") == (1, 16)
    assert _at("check: 'a or\n  lfet'\n", "lfet") == (2, 3)
    assert _at("check: a or\n  lfet > 1\n", "lfet") == (2, 3)
    assert _at("do: größe = lfet\n", "lfet") == (1, 13)
    assert _at("do: |2\n    größe = 1; lfet = 2\n".replace("    g", "  g"), "lfet") == (2, 14)


@given(st.text(max_size=200))
def test_any_text_is_read_or_told(text: str) -> None:
    """No text makes the reader fail, and each finding has a place inside the text."""
    for parse in (parse_formula, parse_effects):
        sink = Diagnostics()
        parse(scalar(text), sink)
        for item in sink:
            assert item.span is not None
            assert 0 <= item.span.start <= item.span.end <= len(text)
