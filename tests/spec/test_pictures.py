"""Layouts as text pictures: what is written reads back, and what is drawn wrongly is told where it stands."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablelaw.spec.diagnostics import Diagnostics, render
from tablelaw.spec.format import format_text
from tablelaw.spec.glyphs import ASCII, alike, glyph
from tablelaw.spec.grid import Cell
from tablelaw.spec.layout_text import read_layout
from tablelaw.spec.layouts import Laid, Layout
from tablelaw.spec.pictures import read_picture, write_picture
from tablelaw.spec.pieces import FacePart, Kind, Pieces
from tablelaw.spec.source import Source
from tablelaw.spec.types import CellType, Enum, LayoutType
from tablelaw.spec.yaml_nodes import Mapping, Scalar, parse_yaml
from tablelaw.testing.layouts import layouts

if TYPE_CHECKING:
    from tests.spec.conftest import Reader

ROAD = {"road": Kind("road", "sides")}


def pieces(*, arrows: bool = False) -> Pieces:
    """A straight, a bend, a crossing and an end; with arrows there are two bends that look alike."""
    faces = {
        "straight": (FacePart("road", ("N", "S")),),
        "bend": (FacePart("road", ("N", "E")),),
        "cross": (FacePart("road", ("N", "S")), FacePart("road", ("E", "W"))),
        "end": (FacePart("road", ("N",)),),
    }
    if not arrows:
        return Pieces("Die", ROAD, faces)
    faces["bend_2"] = faces["bend"]
    arrow: dict[str, object] = {f: "N" if f == "bend" else "E" if f == "bend_2" else None for f in faces}
    return Pieces("Die", ROAD, faces, {"arrow": arrow}, frozenset({"arrow"}))


def layout_type(known: Pieces, board: tuple[int, int] | None = None, limit: int = 99) -> LayoutType:
    """The type of layouts of some pieces."""
    faces = Enum("Die", tuple(known.faces), tuple(known.faces))
    width, height = board or (None, None)
    return LayoutType(faces, limit, width, height, known, CellType(-500, -500, 500, 500))


def scalar(picture: str, sink: Diagnostics) -> Scalar:
    """A picture as a block of YAML."""
    root = parse_yaml(Source("p", "given:\n  table: |\n" + textwrap.indent(picture, "    ")), sink)
    assert isinstance(root, Mapping)
    given_ = root.get("given")
    assert isinstance(given_, Mapping)
    node = given_.get("table")
    assert isinstance(node, Scalar)
    return node


def drawn(picture: str, known: Pieces) -> dict[Cell, Laid]:
    """The pieces of a picture without a fault."""
    sink = Diagnostics()
    found = read_picture(scalar(picture, sink), layout_type(known), sink)
    assert found is not None, "\n".join(map(render, sink))
    return {cell: laid for cell, laid, _ in found}


def told(picture: str, known: Pieces) -> list[tuple[str, int, int]]:
    """Message, line and column of each fault of a picture."""
    sink = Diagnostics()
    assert read_picture(scalar(picture, sink), layout_type(known), sink) is None
    assert all(d.code == "T113" and d.help for d in sink)
    return [(d.message, d.span.line, d.span.column) for d in sink if d.span]


@settings(max_examples=300)
@given(layouts(), st.booleans())
def test_what_is_written_reads_back(layout: Layout, ascii_only: bool) -> None:
    """A picture of any layout of any pieces reads back to that layout, in ASCII too."""
    text = write_picture(layout, ascii_only)
    assert not ascii_only or text.isascii() or not all(f.isascii() for f in layout.pieces.faces)
    sink = Diagnostics()
    box = (layout.width, layout.height) if layout.width is not None and layout.height is not None else None
    found = read_picture(scalar(text, sink), layout_type(layout.pieces, box), sink)
    assert found is not None, text + "\n".join(map(render, sink))
    assert layout.with_cells({cell: laid for cell, laid, _ in found}) == layout


def test_columns_stand_below_each_other() -> None:
    """Words of different length are filled up with blanks."""
    known = pieces(arrows=True)
    layout = Layout(known, 9, cells={Cell(0, 0): ("bend", 1), Cell(1, 0): ("straight", 1), Cell(1, 1): ("cross", 0)})
    assert write_picture(layout) == "bend/1 straight/1\n.      cross\n"


def test_characters_stand_for_pieces_where_each_is_told() -> None:
    """Box-drawing characters, round corners and what may be typed instead mean the same."""
    wanted = {Cell(0, 0): ("bend", 1), Cell(1, 0): ("straight", 1), Cell(0, 1): ("cross", 0), Cell(1, 1): ("end", 3)}
    for picture in (
        "┌ ─\n┼ ╴\n",
        "╭ ─\n┼ ╴\n",
        ",- -\n+  -:\n",
        "bend/1 straight/1\ncross/0 end/3\n",
        ",- straight/1\ncross ╴\n",
    ):
        assert drawn(picture, pieces()) == wanted
    layout = Layout(pieces(), 9, cells=wanted)
    assert write_picture(layout) == "┌ ─\n┼ ╴\n"
    assert write_picture(layout, ascii_only=True) == ",- -\n+  -:\n"


def test_the_first_word_is_the_origin_or_where_the_first_line_says() -> None:
    """Without a first line `(x, y)` the first word is (0, 0); empty squares count."""
    assert drawn(". cross\ncross .\n", pieces()) == {Cell(1, 0): ("cross", 0), Cell(0, 1): ("cross", 0)}
    assert drawn("(-3, 4)\n. cross\n", pieces()) == {Cell(-2, 4): ("cross", 0)}
    layout = Layout(pieces(), 9, cells={Cell(-3, 4): ("end", 0)})
    assert write_picture(layout) == "(-3, 4)\n╵\n"


def test_an_empty_layout_is_a_dot() -> None:
    """Nothing laid is one empty square, both ways."""
    assert write_picture(Layout(pieces(), 9)) == ".\n"
    assert drawn(".\n", pieces()) == {}


@pytest.mark.parametrize(
    "picture, message, line, column",
    [
        ("cross cross\ncross corss\n", "no face is called `corss`", 4, 11),
        ("┌ bend/9\n", "`bend/9` is turned too far", 3, 7),
        ("┌ ├\n", "no piece looks like `├`", 3, 7),
        ("┌ ?\n", "`?` is not a piece", 3, 7),
        ("cross\n\ncross\n", "this row of the picture is empty", 4, 1),
        ("cross .\ncross\n", "this row has 1 square, the first has 2", 4, 5),
        ("(0; 0)\ncross\n", "`(0; 0)` is not a square", 3, 5),
        ("(0, 900)\ncross\n", "`(0, 900)` lies farther off than pieces can come", 3, 5),
        ("(500, 0)\n. cross\n", "`(501, 0)` lies farther off than pieces can come", 4, 7),
        ("(0, 0)\n", "no row follows the square of the first word", 3, 5),
    ],
)
def test_each_fault_is_told_at_its_word(picture: str, message: str, line: int, column: int) -> None:
    """The place is that of the word in the file, inside the block."""
    assert told(picture, pieces()) == [(message, line, column)]


def test_a_character_of_several_pieces_lists_them() -> None:
    """What a character may be is told with the cure; words are taken."""
    sink = Diagnostics()
    assert read_picture(scalar("└ ─\n", sink), layout_type(pieces(arrows=True)), sink) is None
    assert [(d.message, d.help) for d in sink] == [("2 pieces look like `└`", "write one of `bend/0`, `bend_2/0`")]
    assert drawn("bend_2 ─\n", pieces(arrows=True)) == {Cell(0, 0): ("bend_2", 0), Cell(1, 0): ("straight", 1)}


def test_rows_that_yaml_runs_together_are_told() -> None:
    """A folded block, or a text over several lines, has lost its rows."""
    for text in (
        "table: >\n  cross cross\n  cross cross\n",
        "table: cross cross\n  cross cross\n",
        'table: "cross\n  cross"\n',
    ):
        sink = Diagnostics()
        root = parse_yaml(Source("p", text), sink)
        assert isinstance(root, Mapping)
        node = root.get("table")
        assert isinstance(node, Scalar)
        assert read_layout(node, layout_type(pieces()), sink) is None
        assert [d.message for d in sink] == ["the rows of this picture are run together into one"]


@settings(max_examples=300)
@given(st.text(st.sampled_from(" \n.│└┌-'|,:/()0123bendcross\t\u00a0é"), max_size=40))
def test_any_text_is_read_or_told(text: str) -> None:
    """No text makes the reader fail; what cannot be read has a finding."""
    sink = Diagnostics()
    node = Scalar(text, "literal", Source("p", text).span(0, len(text)), range(len(text) + 1))
    found = read_layout(node, layout_type(pieces(), limit=4), sink)
    assert (found is None) == sink.has_errors


def test_looks_of_one_kind_are_told_apart() -> None:
    """Two bends that pass each other and a crossing have characters of their own."""
    twice = {
        "left": (FacePart("road", ("N", "W")), FacePart("road", ("E", "S"))),
        "cross": (FacePart("road", ("N", "S")), FacePart("road", ("E", "W"))),
        "blank": (),
    }
    known = Pieces("Square", ROAD, twice)
    assert [glyph(known, ("left", r)) for r in range(2)] == ["╱", "╲"]
    assert sorted(alike(known)) == sorted(["╱", "╲", "┼", "□"])
    assert all(mark in ASCII for mark in alike(known))


RULES = """
pieces:
  Die:
    parts: {road: {at: sides}}
    contact: mine == theirs
    faces:
      straight: {road: [[N, S]]}
      bend: {road: [[N, E]]}
state:
  table:
    type: layout[Die, 9]
    init: |
      ┌ ─
      │ .
questions:
  q: {never: size(table) > 9}
scenarios:
  drawn:
    given:
      table: |
        (-1, 0)
        bend/1  straight/1
        bend    straight/1
    play: []
    then: ["table[(-1, 1)].face == bend", "size(table) == 4"]
"""


def test_scenarios_and_starts_are_drawn(read: Reader) -> None:
    """A picture stands for a layout wherever a value is written in a rules file."""
    found = read(RULES)
    assert found.codes == [], found.shown()
    assert found.start()["table"].cells == {Cell(0, 0): ("bend", 1), Cell(1, 0): ("straight", 1), Cell(0, 1): ("straight", 0)}


def test_the_formatter_leaves_pictures_alone() -> None:
    """Rows and their blanks stay as the author drew them."""
    head = "tablelaw: 1\ngame: g\ntitle: G\nplayers: 2\n"
    sink = Diagnostics()
    text = format_text(Source("r", head + RULES), sink)
    assert text is not None
    for row in ("      ┌ ─\n      │ .\n", "        (-1, 0)\n        bend/1  straight/1\n        bend    straight/1\n"):
        assert row in text
    assert format_text(Source("r", text), sink) == text
