"""YAML texts as nodes with exact places, and what is said about texts that are no YAML."""

from __future__ import annotations

import contextlib
import time
from fractions import Fraction

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from tablelaw.spec import yaml_offsets
from tablelaw.spec.codes import CODES
from tablelaw.spec.diagnostics import Diagnostics, render
from tablelaw.spec.source import Source
from tablelaw.spec.yaml_nodes import Mapping, Node, Scalar, Sequence, Value, parse_yaml


def parse(text: str, **limits: int) -> tuple[Node | None, Diagnostics]:
    """Read a text and give its node and the findings; every finding can be printed and has a page."""
    sink = Diagnostics()
    node = parse_yaml(Source("rules.yaml", text), sink, **limits)
    for item in sink:
        assert item.code in CODES
        assert item.span is not None
        assert 0 <= item.span.start <= item.span.end <= len(text)
        render(item)
    return node, sink


def good(text: str) -> Mapping:
    """Read a mapping without findings."""
    node, sink = parse(text)
    assert [render(item) for item in sink] == []
    assert isinstance(node, Mapping)
    return node


def scalar(text: str) -> Scalar:
    """Read `a: …` and give the value of `a`."""
    node = good(text).get("a")
    assert isinstance(node, Scalar)
    return node


def findings(text: str, **limits: int) -> list[tuple[str, int, int]]:
    """Give code, line and column of each finding."""
    return [(item.code, item.span.line, item.span.column) for item in parse(text, **limits)[1] if item.span is not None]


def plain(node: Node) -> object:
    """Turn nodes into Python values, to compare with another reader."""
    if isinstance(node, Scalar):
        return node.text
    if isinstance(node, Sequence):
        return [plain(item) for item in node.items]
    return {entry.key.text: plain(entry.value) for entry in node.entries}


def test_a_mapping_gives_its_entries_with_their_places() -> None:
    """Keys, values and collections know the stretch they were written on."""
    node = good("a: {b: [1, 'two']}\nc:\n  - d\n  - e: f\n\n# end\n")
    assert [entry.key.text for entry in node] == ["a", "c"]
    inner = node.get("a")
    assert isinstance(inner, Mapping)
    assert (inner.flow, inner.span.text) == (True, "{b: [1, 'two']}")
    items = inner.get("b")
    assert isinstance(items, Sequence)
    assert [item.span.text for item in items.items] == ["1", "'two'"]
    listed = node.entry("c")
    assert listed is not None
    assert listed.value.span.text == "- d\n  - e: f"
    assert listed.span.text == "c:\n  - d\n  - e: f"
    assert node.get("x") is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("no", "no"),
        ("on", "on"),
        ("yes", "yes"),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("none", "none"),
        ("12", 12),
        ("-007", -7),
        ("+3", 3),
        ("0o17", 15),
        ("0xff", 255),
        ("0.25", Fraction(1, 4)),
        (".5", Fraction(1, 2)),
        ("1e3", Fraction(1000)),
        ("0..5", "0..5"),
        ("1:30", "1:30"),
        ("1_000", "1_000"),
        ("1/6", "1/6"),
        (".inf", ".inf"),
        ("١٢", "١٢"),
        ("2026-01-01", "2026-01-01"),
        ("'12'", "12"),
        ('"true"', "true"),
        ("|\n  12", "12"),
    ],
)
def test_values_follow_the_core_schema_of_yaml_1_2(text: str, value: Value) -> None:
    """Only what the core schema names is a number or a truth value; decimal fractions are exact; quotes make text."""
    found = scalar(f"a: {text}").value
    assert found == value
    assert type(found) is type(value)


def test_keys_stay_texts() -> None:
    """A key such as `0` or `true` is found by its text."""
    node = good("{0: a, true: b, '(0, 0)': c}")
    assert node.keys() == ("0", "true", "(0, 0)")
    assert node.entries[0].key.value == 0


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("a: one two here", "here"),
        ("a: one\n  two\n\n  here # no", "here"),
        ("a: 'it''s here'", "here"),
        ("a: 'it''s\n\n   so here'", "here"),
        ('a: "\\u00e9\\t\\" here"', "here"),
        ('a: "one \\\n   two\n   here"', "here"),
        ("a: |\n  one\n    two\n\n  here\n", "here"),
        ("a: |2-\n   one\n  here\n", "here"),
        ("a: >\n  one\n  two\n\n    three\n  here\n\n", "here"),
        ("a: >+\r\n  one\r\n  here\r\n\r\n", "here"),
        ("a: &x 'no here'", "here"),
        ("a: &x # one\n  |\n  here", "here"),
        ("\ufeffa: here", "here"),
    ],
)
def test_place_points_at_the_word(text: str, word: str) -> None:
    """In every way of writing a text, the place of a word is that word in the source."""
    node = scalar(text)
    start = node.text.index(word)
    span = node.place(start, start + len(word))
    assert span.text == word
    assert node.place(start, start).start == span.start


def test_place_of_an_escape_is_the_whole_escape() -> None:
    """What one character was written as is underlined whole, without the indentation that follows."""
    node = scalar('a: "x\\u00e9y\\\n   z"')
    assert [node.place(at, at + 1).text for at in range(4)] == ["x", "\\u00e9", "y", "z"]
    quoted = scalar("a: 'it''s'")
    assert quoted.place(2, 3).text == "''"


def test_place_is_pulled_into_the_text() -> None:
    """Offsets outside the text give its ends."""
    node = scalar("a: |\n  one\n  two\n")
    assert node.place(-5, 99).text == "one\n  two"
    assert node.place(50, 99).text == ""
    assert node.place(99, 99).line == 3  # the last line that has text


WORDS = st.text(alphabet=st.sampled_from("ab:,#-?[]{}'\"\\ \t\né😀.|>&*!%@`0"), max_size=40)
STYLES = st.sampled_from(["plain", "single", "double", "literal", "folded"])


def hold_to_pyyaml(text: str) -> None:
    """Check every scalar of a text that can be read: our reading is PyYAML's, and places hold the characters."""
    source = Source("x", text)
    node = parse_yaml(source, Diagnostics())
    assume(node is not None)
    assert node is not None
    nodes = [node]
    while nodes:
        node = nodes.pop()
        if isinstance(node, Sequence):
            nodes += node.items
        elif isinstance(node, Mapping):
            nodes += [part for entry in node for part in (entry.key, entry.value)]
        else:
            assert len(node.offsets) == len(node.text) + 1
            assert list(node.offsets) == sorted(node.offsets)
            assert node.span.start <= node.offsets[0]
            for at, char in enumerate(node.text):
                here = source.text[node.offsets[at]]
                written = node.place(at, at + 1).text
                assert (
                    written == char
                    or (char == "\n" and here in "\r\n")
                    or (char == " " and here in " \t\r\n")
                    or (node.style in ("single", "double") and here == ("'" if node.style == "single" else "\\"))
                )


@given(WORDS, STYLES, st.integers(0, 3), st.booleans(), st.booleans())
def test_places_are_exact_in_random_scalars(text: str, style: str, depth: int, crlf: bool, anchored: bool) -> None:
    """However PyYAML writes a random text, each character is found where it was written."""
    written = yaml.dump(
        [text] if depth % 2 else {"k": {"a": text}},
        default_style={"plain": None, "single": "'", "double": '"', "literal": "|", "folded": ">"}[style],
        width=12,
        indent=2 + depth,
        allow_unicode=True,
    )
    if anchored:
        written = written.replace("- ", "- &x ", 1)
    hold_to_pyyaml(written.replace("\n", "\r\n") if crlf else written)


BODIES = st.lists(st.text(alphabet="ab \t'\"\\", max_size=6), min_size=1, max_size=6)
HEADERS = st.sampled_from(["|", ">", "|-", ">-", "|+", ">+", "|1", ">2-", "|2+", ">1+", "'", '"', ""])


@given(HEADERS, BODIES, st.lists(st.integers(0, 4), min_size=6, max_size=6), st.sampled_from(["\n", "\r\n", "\r"]))
def test_places_are_exact_in_handwritten_scalars(header: str, lines: list[str], indents: list[int], ending: str) -> None:
    """Ragged lines, blank lines and all headers of blocks are read as PyYAML reads them."""
    body = ending.join(" " * indent + line for indent, line in zip(indents, lines, strict=False))
    close = header if header in ("'", '"') else ""
    begin = header if close or not header else header + ending
    hold_to_pyyaml(f"a: {begin}{body}{close}{ending}b: c")


@given(HEADERS, BODIES, st.lists(st.integers(0, 4), min_size=6, max_size=6))
def test_offset_readers_see_what_pyyaml_sees(header: str, lines: list[str], indents: list[int]) -> None:
    """The readers of offsets decode each scalar to the very text that PyYAML gives, so no table is ever a guess."""
    body = "\n".join(" " * indent + line for indent, line in zip(indents, lines, strict=False))
    close = header if header in ("'", '"') else ""
    text = f"a: {header if close or not header else header + chr(10)}{body}{close}\nb: c"
    events: list[yaml.ScalarEvent] = []
    with contextlib.suppress(yaml.YAMLError):
        events += [event for event in yaml.parse(text, yaml.SafeLoader) if isinstance(event, yaml.ScalarEvent)]
    assume(events)
    styles = {None: "plain", "'": "single", '"': "double", "|": "literal", ">": "folded"}
    for event in events:
        assert event.start_mark is not None
        assert event.end_mark is not None
        seen = yaml_offsets.decode(styles[event.style], text, event.start_mark.index, event.end_mark.index, 0)
        assert seen == event.value


@given(st.text(alphabet=st.sampled_from("ab:,#-?[]{}'\"\\ \t\n\r\0\x1b\x85\u2028é.|>&*!%@`0<~"), max_size=60))
def test_random_punctuation_never_raises(text: str) -> None:
    """Any text is a node or findings, and findings can be printed."""
    node, sink = parse(text)
    assert node is not None or sink.has_errors


@given(st.text(max_size=80))
def test_random_text_never_raises(text: str) -> None:
    """Any text whatever is a node or findings."""
    node, sink = parse(text)
    assert node is not None or sink.has_errors


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("says: One thing: a player", "Y104", 1, 16),
        ("a: b\n  c: d", "Y104", 2, 3),
        ("a: 1\nfoo\nb: 2", "Y104", 2, 1),
        ("a:b\nc: d", "Y104", 1, 1),
        ("a: [1, 2\nb: 3", "Y104", 2, 1),
        ("a: {b: c", "Y104", 1, 4),
        ("{a: size(hand[p]) > 0}", "Y104", 1, 14),
        ("{q: Does it win?}", "Y104", 1, 16),
        ("a:\n    b: 1\n  c: 2", "Y104", 3, 3),
        ("a: 1\n- b", "Y104", 2, 1),
        ("- a\nb: c", "Y104", 2, 1),
        ('a: "foo" bar', "Y104", 1, 10),
        ("a: 'don't'", "Y104", 1, 9),
        ("a:\n\tb: 1", "Y104", 2, 1),
        ("a: @foo", "Y104", 1, 4),
        ("a: `foo`", "Y104", 1, 4),
        ("a: - b", "Y104", 1, 4),
        ("a: ? b", "Y104", 1, 4),
        ('a: 1\nb: "foo', "Y104", 2, 4),
        ('a: "\\q"', "Y104", 1, 5),
        ('a: "\\UFFFFFFFF"', "Y104", 1, 5),
        ("a: > 0", "Y104", 1, 4),
        ("a: *foo", "Y104", 1, 4),
        ("a: & b", "Y104", 1, 4),
        ("a: }", "Y104", 1, 4),
        ("a: 1\n}", "Y104", 2, 1),
        ("%x: 1", "Y104", 1, 1),
        (": x", "Y108", 1, 1),
        ("? # none\n: x", "Y108", 1, 2),
        ("  a: 1\nb: 2", "Y104", 2, 1),
        ("a: 1\n...\nfoo", "Y104", 3, 1),
        ("a: &a [1, *a]", "Y106", 1, 11),
        ("{[0, 0]: x}", "Y108", 1, 2),
        ("{: x}", "Y108", 1, 2),
        ("a: !x y", "Y109", 1, 4),
        ("a: !e!x y", "Y109", 1, 4),
        ("a: !!python/name:os.system x", "Y109", 1, 4),
        ("a: 1\n---\nb: 2", "Y110", 2, 1),
        ("", "Y111", 1, 1),
        ("# only a comment", "Y111", 1, 1),
        ("a: " + "9" * 101, "Y112", 1, 4),
        ("a: 1e101", "Y112", 1, 4),
        ("<<: {a: 1}", "Y113", 1, 1),
        ("{says: One, two, or three., id: x}", "Y114", 1, 8),
        ("a: {p for p in Player}", "Y114", 1, 5),
        ("a: b\0c", "Y115", 1, 5),
        ('a: "\\ud800"', "Y115", 1, 5),
    ],
)
def test_each_mistake_is_told_at_its_place(text: str, code: str, line: int, column: int) -> None:
    """A mistake gets one finding, with a code and the place where an author would look."""
    assert findings(text) == [(code, line, column)]


@pytest.mark.parametrize(
    ("text", "cure"),
    [
        ("says: One thing: a player", 'quote the text: `says: "One thing: a player"`'),
        ("{says: One, two, or three., id: x}", 'quote it: `says: "One, two, or three."`'),
    ],
)
def test_a_text_that_wants_quotes_is_shown_with_them(text: str, cure: str) -> None:
    """The commonest mistakes show the line as it should be."""
    assert [item.help for item in parse(text)[1]] == [cure]


@given(st.text(alphabet=st.sampled_from("ab:,#-?[]{}'\"\\ \t\n|>&*!%@`"), max_size=40))
def test_the_words_of_pyyaml_are_never_shown(text: str) -> None:
    """No message is taken over from PyYAML."""
    for item in parse(text)[1]:
        assert not any(
            words in render(item) for words in ("<block", "<stream", "could not find", "but found", "but got", "token")
        )


def test_several_mistakes_are_told_at_once() -> None:
    """Reading goes on after a mistake that is not one of syntax."""
    text = "a: 1\na: 2\nb: {x, y: 1}\nc: !t 3\nb: 4\n"
    assert findings(text) == [("Y105", 2, 1), ("Y114", 3, 5), ("Y109", 4, 4), ("Y105", 5, 1)]


def test_a_duplicate_key_names_both_places_and_keeps_the_first() -> None:
    """The finding stands at the second key and names the first; the first value is kept."""
    node, sink = parse("a: 1\nb: 2\na: 3\n")
    assert isinstance(node, Mapping)
    assert plain(node) == {"a": "1", "b": "2"}
    assert [item.notes for item in sink] == [("first at rules.yaml:1:1",)]


def test_aliases_share_their_node() -> None:
    """An alias is the node that it names."""
    node = good("a: &x [1, 2]\nb: *x\n")
    assert node.get("a") is node.get("b")


def test_growing_aliases_are_refused_at_once() -> None:
    """A file of aliases of aliases is refused by reckoning its size, not by unfolding it."""
    text = "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 30))
    begin = time.process_time()
    assert [code for code, *_ in findings(text)] == ["Y106"]
    assert time.process_time() - begin < 5


def test_aliases_do_not_hide_depth() -> None:
    """Nesting through aliases counts as nesting."""
    text = "a0: &a0 [x]\n" + "".join(f"a{i}: &a{i} [*a{i - 1}]\n" for i in range(1, 70))
    assert [code for code, *_ in findings(text)] == ["Y107"]


@pytest.mark.parametrize("text", ["[" * 100_000, "a: " + "{x: " * 100_000, "- " * 100_000, "? " * 50_000])
def test_deep_nesting_is_refused_without_a_traceback(text: str) -> None:
    """Any depth of brackets, dashes or question marks is a finding."""
    assert [code for code, *_ in findings(text)] == ["Y107"]


def test_limits_are_kept_to_the_letter() -> None:
    """A text may have just as many values, and just as deep, as the limits say."""
    assert findings("[[1]]", max_depth=3) == []
    assert findings("[[1]]", max_depth=2) == [("Y107", 1, 3)]
    assert findings("[1, 2]", max_nodes=3) == []
    assert findings("[1, 2]", max_nodes=2) == [("Y106", 1, 1)]


def test_a_long_file_is_read_in_a_moment() -> None:
    """Five thousand lines take about a second (the bound leaves room for slow machines)."""
    text = "q:\n" + "".join(
        f"  - id: roll-{i}\n    says: Sentence number {i}.\n    do: |\n      pot = 0\n      x = 1\n" for i in range(1000)
    )
    begin = time.process_time()
    good(text)
    assert time.process_time() - begin < 10
