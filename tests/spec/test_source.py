"""Texts, places in them, and reading them from files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablelaw.spec.diagnostics import Diagnostic
from tablelaw.spec.source import Source, Span, decode_source, read_source


def read(path: Path, **limits: int) -> Source:
    """Read a file that is expected to be good."""
    source = read_source(path, **limits)
    assert isinstance(source, Source)
    return source


def fault(path: Path | str, **limits: int) -> Diagnostic:
    """Read a file that is expected to be bad."""
    found = read_source(path, **limits)
    assert isinstance(found, Diagnostic)
    return found


@pytest.mark.parametrize(
    ("offset", "place"),
    [(0, (1, 1)), (1, (1, 2)), (2, (1, 3)), (3, (2, 1)), (6, (3, 1)), (7, (4, 1)), (8, (4, 2)), (99, (4, 2))],
)
def test_position_counts_lines_and_characters_from_one(offset: int, place: tuple[int, int]) -> None:
    """A position counts lines and characters from 1, whatever the line breaks, and is pulled into the text."""
    assert Source("x", "ab\nc\r\n\rd").position(offset) == place


def test_position_counts_characters_not_bytes() -> None:
    """A letter outside ASCII is one column."""
    assert Source("x", "é😀z").position(2) == (1, 3)


def test_line_text_leaves_the_break_out() -> None:
    """The text of a line has no line break, and lines that do not exist are empty."""
    source = Source("x", "ab\r\ncd\n")
    assert [source.line_text(line) for line in range(5)] == ["", "ab", "cd", "", ""]


@given(st.text(alphabet="ab\n\r", max_size=30))
def test_position_agrees_with_line_starts(text: str) -> None:
    """The line start plus the column leads back to the offset."""
    source = Source("x", text)
    for offset in range(len(text) + 1):
        line, column = source.position(offset)
        assert source.line_start(line) + column - 1 == offset


def test_sources_are_equal_only_to_themselves() -> None:
    """Two sources with the same name and text are two sources."""
    assert Source("x", "a") != Source("x", "a")


def test_span_joins_within_one_source() -> None:
    """Joining covers both spans; a span of another source is left out."""
    source = Source("x", "abcdef")
    assert Span(source, 3, 4).to(Span(source, 1, 2)) == Span(source, 1, 4)
    assert Span(source, 3, 4).to(Span(Source("y", "abc"), 0, 1)) == Span(source, 3, 4)
    assert str(Span(source, 3, 4)) == "x:1:4"
    assert source.span(1, 3).text == "bc"


def test_reading_keeps_the_name_as_given_and_drops_the_byte_order_mark(tmp_path: Path) -> None:
    """A file becomes a source under the path as it was given, without a byte order mark."""
    path = tmp_path / "rules.yaml"
    path.write_bytes(b"\xef\xbb\xbfgame: pig\n")
    source = read(path)
    assert (source.name, source.text) == (str(path), "game: pig\n")


def test_a_missing_file_and_a_folder_are_diagnostics(tmp_path: Path) -> None:
    """What is not there, or is a folder, or is no path, is a diagnostic without a place."""
    for path in (tmp_path / "none.yaml", tmp_path, "a\0b"):
        found = fault(path)
        assert (found.code, found.span) == ("Y101", None)


def test_a_file_beyond_the_limit_is_refused(tmp_path: Path) -> None:
    """A file may have just as many bytes as the limit says."""
    path = tmp_path / "rules.yaml"
    path.write_bytes(b"12345")
    assert read(path, max_bytes=5).text == "12345"
    assert fault(path, max_bytes=4).code == "Y103"


def test_bytes_that_are_not_utf8_are_located(tmp_path: Path) -> None:
    """The place of the first byte that is not UTF-8 is shown, counted in characters."""
    path = tmp_path / "rules.yaml"
    path.write_bytes("é: 1\nb: caf".encode() + b"\xe9\n")
    found = fault(path)
    assert found.code == "Y102"
    assert found.span is not None
    assert (found.span.line, found.span.column) == (2, 7)


@given(st.binary(max_size=40))
def test_any_bytes_are_a_source_or_a_diagnostic(data: bytes) -> None:
    """Decoding never raises."""
    assert isinstance(decode_source("x", data), Source | Diagnostic)
