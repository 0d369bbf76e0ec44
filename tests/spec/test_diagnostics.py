"""The sink of findings, and how a finding is printed."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablelaw.spec.codes import CODES
from tablelaw.spec.diagnostics import Diagnostic, Diagnostics, did_you_mean, render
from tablelaw.spec.source import Source, Span


def shown(text: str, start: int, end: int, label: str = "") -> list[str]:
    """Print a finding and give its line of source and the marks below it."""
    found = render(Diagnostic("R204", "error", "m", Span(Source("f", text), start, end), label))
    return found.split("\n")[3:5]


def columns(text: str) -> int:
    """Count the columns of a printed text."""
    return sum(
        0 if unicodedata.category(char) in ("Mn", "Me") else 1 + (unicodedata.east_asian_width(char) in "WF") for char in text
    )


def test_render_is_the_form_of_the_architecture() -> None:
    """A finding is printed with its place, its line underlined, its notes and its cure."""
    text = "\n" * 13 + "    check: size(hnad[p]) > 0\n"
    start = text.index("hnad")
    found = Diagnostic(
        "R204",
        "error",
        "unknown name `hnad`",
        Span(Source("examples/war/rules.yaml", text), start, start + 4),
        "not declared in this game",
        ("in clause `draw` (rulebook 2.3)",),
        "did you mean `hand`?",
    )
    expected = """\
error[R204]: unknown name `hnad`
  --> examples/war/rules.yaml:14:17
   |
14 |     check: size(hnad[p]) > 0
   |                 ^^^^ not declared in this game
   = in clause `draw` (rulebook 2.3)
   = help: did you mean `hand`?"""
    assert render(found) == expected


def test_render_without_a_place_has_no_excerpt() -> None:
    """A finding without a place is its message and its cure."""
    assert render(Diagnostic("Y101", "error", "no file", None, help="look\nagain")) == (
        "error[Y101]: no file\n = help: look\n         again"
    )


def test_a_span_over_lines_is_underlined_on_the_first() -> None:
    """Only the first line of a longer span is shown and underlined."""
    assert shown("ab cd\nef", 3, 8) == ["1 | ab cd", "  |    ^^"]


def test_an_empty_span_gets_one_mark() -> None:
    """A place without extent, even at the end of a line, is marked once."""
    assert shown("ab\n", 2, 2) == ["1 | ab", "  |   ^"]


def test_tabs_and_wide_characters_keep_the_marks_below_the_text() -> None:
    """A tab is four columns, a wide character two, a combining one none."""
    assert shown("\tab", 1, 2) == ["1 |     ab", "  |     ^"]
    assert shown("日本x", 2, 3) == ["1 | 日本x", "  |     ^"]
    assert shown("日本x", 1, 2) == ["1 | 日本x", "  |   ^^"]
    assert shown("e\u0301x", 2, 3) == ["1 | e\u0301x", "  |  ^"]


def test_control_characters_are_shown_escaped() -> None:
    """Nothing in an author's text reaches the terminal as a command or turns the writing around."""
    assert shown("a\x1b\u202eb", 3, 4) == ["1 | a\\x1b\\u202eb", "  |            ^"]
    assert "\\x1b[2J" in render(Diagnostic("X", "error", "name `\x1b[2J`", None))


def test_a_long_line_is_cut_around_the_span() -> None:
    """A line that is too long is cut at one end or both, and the marks stay below their text."""
    text = "a" * 200 + "HERE" + "b" * 200
    line, marks = shown(text, 200, 204, "see")
    assert columns(line) <= 80
    assert columns(marks) <= 80
    assert line.startswith("1 | …a")
    assert line.endswith("HERE…") or line.endswith("b…")
    assert line[marks.index("^") : marks.rindex("^") + 1] == "HERE"


@given(
    st.text(alphabet=st.sampled_from("ab 日\t\x1b\u0301é"), max_size=300),
    st.integers(0, 300),
    st.integers(0, 300),
    st.text(max_size=20),
)
def test_excerpts_fit_the_page_and_mark_the_text(text: str, start: int, length: int, label: str) -> None:
    """The line of source never passes 80 columns, and the mark begins below the first character of the span."""
    start = min(start, len(text))
    end = min(start + length, len(text))
    line, marks = shown(text, start, end, label)
    assert columns(line) <= 80
    before = marks.index("^")
    if start < end and text[start] in "abé":
        taken = 0
        for char in line:
            if taken >= before and columns(char):
                assert char == text[start]
                break
            taken += columns(char)


@given(st.text(), st.text(), st.integers(-5, 50), st.integers(-5, 50), st.text())
def test_rendering_never_raises(text: str, message: str, start: int, end: int, note: str) -> None:
    """Any finding about any text can be printed, and what is printed has no control character but line breaks."""
    printed = render(Diagnostic("X", "warning", message, Span(Source("f", text), start, end), note, (note,), note))
    assert all(char == "\n" or unicodedata.category(char) not in ("Cc", "Cs") for char in printed)


def test_the_sink_keeps_each_finding_once_and_in_order() -> None:
    """The same code, place and message is kept once; findings come by file and place."""
    first, second = Source("a", "xyz"), Source("b", "xyz")
    sink = Diagnostics()
    sink.error("E1", Span(second, 0, 1), "m")
    sink.error("E1", Span(first, 2, 3), "m")
    sink.warning("L1", Span(first, 0, 1), "m", notes=["n"])
    sink.error("E1", Span(first, 2, 3), "m", label="again")
    sink.error("Y101", None, "m")
    assert [(item.code, str(item.span)) for item in sink] == [
        ("Y101", "None"),
        ("L1", "a:1:1"),
        ("E1", "a:1:3"),
        ("E1", "b:1:1"),
    ]
    assert len(sink) == 4


def test_only_errors_make_a_sink_bad() -> None:
    """Warnings alone leave `has_errors` false, and findings can be poured from one sink into another."""
    sink = Diagnostics()
    sink.warning("L1", None, "m")
    both = Diagnostics([Diagnostic("E1", "error", "m", None)])
    both.extend(sink)
    assert not sink.has_errors
    assert both.has_errors
    assert len(both.items) == 2


@pytest.mark.parametrize(
    ("word", "candidates", "meant"),
    [
        ("hnad", ["turn", "hand"], "hand"),
        ("Hand", ["band", "hand"], "hand"),
        ("roll_on", ["roll-on", "roll"], "roll-on"),
        ("zzz", ["turn", "hand"], None),
        ("", ["turn"], None),
        ("hand", ["hand"], None),
        ("x" * 100_000, ["x" * 100_000], None),
    ],
)
def test_did_you_mean_gives_a_near_name(word: str, candidates: list[str], meant: str | None) -> None:
    """The nearest candidate is given, letter case and hyphens aside, or none."""
    assert did_you_mean(word, candidates) == meant


def test_every_code_has_a_page() -> None:
    """Each code stands under its own name and has a title and a page that fits the terminal."""
    for name, code in CODES.items():
        assert name == code.code
        assert code.title
        assert code.page
        assert str(code).startswith(f"{name}: ")
        assert all(len(line) <= 110 for line in code.page.split("\n"))
