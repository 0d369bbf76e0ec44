"""Layouts drawn for a terminal, and where plays and positions show them."""

from __future__ import annotations

import io
import itertools
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablelaw.cli import main
from tablelaw.report.board import board
from tablelaw.report.piece_art import piece_art
from tablelaw.spec.grid import SIDES, Cell
from tablelaw.spec.layouts import Layout
from tablelaw.spec.pieces import FacePart, Kind, Pieces
from tablelaw.testing.layouts import layouts

ROAD, WALL = Kind("road", "sides"), Kind("wall", "sides")

RULES = """\
tablelaw: 1
game: lines
title: Lines
players: 2
pieces:
  Die:
    parts: {road: {at: sides}}
    attributes: {arrow: Side}
    contact: mine == theirs
    faces:
      straight: {road: [[N, S]]}
      cross: {road: [[N, S], [E, W]]}
      bend: {road: [[N, E]], arrow: N}
state:
  table: {type: "layout[Die, 9]", init: {}}
  turn: {type: Player, init: 0}
actions:
  lay:
    by: turn
    params: {face: Die, cell: frontier(table), q: rotations(face)}
    require: [{id: joined, check: "fits(table, cell, face, q)"}]
    do: |
      table = place(table, cell, face, q)
      turn = after(turn)
  rest:
    by: turn
    do: turn = after(turn)
  sweep:
    by: turn
    require: [{id: something, check: size(table) > 0}]
    do: reset(table)
scenarios:
  ring:
    given:
      table: |
        bend/1   straight/1
        straight .
    play: ["lay(face=bend, cell=(2, 0), q=2)"]
    then: ["size(table) == 4"]
    illegal: [{move: "lay(face=straight, cell=(3, 0), q=1)", by: joined}]
"""


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A layout game as a file, and a terminal of 80 columns."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("TABLELAW_ASCII", raising=False)
    path = tmp_path / "rules.yaml"
    path.write_text(RULES, encoding="utf-8")
    return str(path)


def groupings(sides: tuple[str, ...]) -> Iterator[list[tuple[str, ...]]]:
    """Every way to join some of the sides, each side in one part at most."""
    if not sides:
        yield []
        return
    first, rest = sides[0], sides[1:]
    yield from groupings(rest)
    for n in range(len(rest) + 1):
        for others in itertools.combinations(rest, n):
            left = tuple(s for s in rest if s not in others)
            for more in groupings(left):
                yield [(first, *others), *more]


@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize("kind", ["road", "wall"])
def test_pieces_that_join_their_sides_differently_look_different(typed: bool, kind: str) -> None:
    """All 52 ways of joining sides can be told apart, in Unicode and in ASCII, in light lines and in heavy ones."""
    every = list(groupings(SIDES))
    assert len(every) == 52
    faces = {f"f{i}": tuple(FacePart(kind, part) for part in parts) for i, parts in enumerate(every)}
    known = Pieces("Tile", {"road": ROAD, "wall": WALL}, faces)
    looks: dict[str, str] = {}
    for face in faces:
        text = board(Layout(known, 1, cells={Cell(0, 0): (face, 0)}), typed=typed).split("\n─")[0].split("\n-")[0]
        rows = "\n".join(text.split("\n")[:3])
        assert rows not in looks, f"{faces[face]} and {faces[looks[rows]]} look the same:\n{rows}"
        looks[rows] = face


def test_separate_parts_do_not_meet_and_crossing_ones_pass() -> None:
    """Loose ends stay apart; of two straight parts the upright one runs over the level one; two bends pass each other."""
    parts: dict[str, tuple[FacePart, ...]] = {
        "split": (FacePart("road", ("N",)), FacePart("road", ("S",))),
        "cross": (FacePart("road", ("E", "W")), FacePart("road", ("N", "S"))),
        "bends": (FacePart("road", ("N", "W")), FacePart("road", ("E", "S"))),
    }
    known = Pieces("Tile", {"road": ROAD}, parts)
    layout = Layout(known, 9, cells={Cell(i, 0): (f, 0) for i, f in enumerate(parts)})
    assert board(layout, typed=False).split("\n") == [
        "    0    1    2",
        "    ╵    │   ╭╯",
        "0      ─ │ ──╯ ╭─",
        "    ╷    │    ╭╯",
    ]
    assert board(layout, typed=True).split("\n") == [
        "    0    1    2",
        "    '    |   .'",
        "0      - | --' .-",
        "    ,    |    .'",
    ]


def test_what_looks_alike_has_a_letter() -> None:
    """Faces that could be taken for each other are told in a legend; those that arrows tell apart are not."""
    bend = (FacePart("road", ("N", "E")),)
    same = Pieces("Tile", {"road": ROAD}, {"one": bend, "two": bend, "other": (FacePart("road", ("N",)),)})
    layout = Layout(same, 9, cells={Cell(0, 0): ("one", 0), Cell(1, 0): ("two", 3), Cell(2, 0): ("other", 0)})
    assert board(layout, typed=False).split("\n")[-1] == "a one   b two"
    told = Pieces("Tile", {"road": ROAD}, {"one": bend, "two": bend}, {"arrow": {"one": "N", "two": "E"}}, frozenset({"arrow"}))
    text = board(Layout(told, 9, cells={Cell(0, 0): ("one", 0), Cell(1, 0): ("two", 0)}), typed=False)
    assert "↑" in text
    assert "→" in text
    assert "one" not in text


def test_inside_kinds_and_several_kinds_are_told() -> None:
    """A kind inside is its letter; with several kinds of line the legend says which is which."""
    kinds = {"road": ROAD, "wall": WALL, "mill": Kind("mill", "inside")}
    known = Pieces("Tile", kinds, {"t": (FacePart("road", ("S",)), FacePart("wall", ("N", "W")), FacePart("mill", ()))})
    assert board(Layout(known, 1, cells={Cell(0, 0): ("t", 0)}), typed=False).split("\n") == [
        "    ┃", "  ━━┛", "    ╷M", "─ road   ━ wall   M mill",
    ]  # fmt: skip


@settings(max_examples=200)
@given(layouts(14), st.integers(12, 90), st.booleans())
def test_no_line_is_too_wide_and_no_piece_is_lost(layout: Layout, room: int, typed: bool) -> None:
    """Whatever the room, lines fit it, ASCII is ASCII, and each drawn piece stands in its own block."""
    text = board(layout, frozenset(layout.cells), room, typed)
    rows = text.split("\n")
    kinds = max([len(k) for k in layout.pieces.kinds] + [len(f) for f in layout.pieces.faces]) + 26
    assert max(map(len, rows)) <= max(room, kinds)
    assert not typed or text.isascii()
    if layout.cells and not typed and rows[0].strip().startswith(tuple("-0123456789")) and "laid last:" not in text:
        assert text.count("*") == 4 * len(layout.cells) + 1


def test_a_board_with_a_border_shows_its_empty_squares() -> None:
    """Each square of a board is there, laid or not."""
    known = Pieces("Tile", {"road": ROAD}, {"t": (FacePart("road", ("N",)),)})
    assert board(Layout(known, 6, 3, 2), typed=False).count("·") == 6
    assert board(Layout(known, 6), typed=False) == "no piece lies on the table"


def test_wide_layouts_are_drawn_by_characters_and_wrap() -> None:
    """Beyond the room a piece is a character; beyond that the columns are drawn in stretches."""
    known = Pieces("Tile", {"road": ROAD}, {"t": (FacePart("road", ("N", "S")),)})
    line = Layout(known, 50, cells={Cell(x, 0): ("t", 1) for x in range(50)})
    rows = board(line, {Cell(49, 0)}, 80, typed=False).split("\n")
    assert rows[0] == "  0         5         10        15        20        25        30        35"
    assert rows[1] == "0 " + "──" * 39
    assert rows[3].startswith("  39        44")
    assert rows[-1] == "laid last: t/1 on (49, 0)"
    assert "\n".join(rows).count("──") == 50


def test_a_record_tells_what_is_laid_and_draws_the_end(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A step says which piece it lays; the board stands after the last step, the last piece marked."""
    assert main(["play", spec, "--moves", "lay(face=bend, cell=(0, 0), q=1); lay(face=straight, cell=(1, 0), q=1)"]) == 0
    out = capsys.readouterr().out
    assert "start: table empty, turn 0" in out
    assert "table: + straight/1 on (1, 0), turn 1 → 0" in out
    assert out.endswith("        0    1\n         → *   *\n    0   ╭───────\n        │  *   *\n    * laid last\n")
    assert out.count("╭") == 1


def test_the_piece_laid_last_is_marked_although_others_moved(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A step after it that lays nothing takes no mark away."""
    main(["play", spec, "--moves", "lay(face=cross, cell=(0, 0)); lay(face=cross, cell=(1, 0)); rest"])
    out = capsys.readouterr().out
    assert out.endswith("        0    1\n        │  * │ *\n    0 ─ │ ── │ ─\n        │  * │ *\n    * laid last\n"), out


def test_pieces_taken_away_are_told(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A step that clears the table says so instead of listing every square."""
    main(
        [
            "play",
            spec,
            "--moves",
            "lay(face=cross, cell=(0, 0)); sweep; lay(face=cross, cell=(0, 0)); lay(face=cross, cell=(0, 1)); sweep",
        ]
    )
    out = capsys.readouterr().out
    assert "table: the piece taken away" in out
    assert "table: all 2 pieces taken away" in out


def test_play_draws_the_board_at_every_step(
    spec: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By hand, each position is drawn; an illegal move is explained and changes nothing."""
    first, level = "lay(face=cross, cell=(0, 0), q=0)", "lay(face=straight, cell=(1, 0), q=1)"
    typed = "\n".join([first, level.replace("q=1", "q=0"), level, "undo", "quit"])
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    assert main(["play", spec]) == 0
    out = capsys.readouterr().out
    assert "illegal: forbidden by joined" in out
    assert len(re.findall(r"^ +\* laid last$", out, re.M)) == 2
    assert "*table of 2 pieces, *turn 0" in out
    assert out.count("─ │ ─") == 3


def test_ascii_where_it_is_asked_for(spec: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """`TABLELAW_ASCII=1` draws without box characters."""
    monkeypatch.setenv("TABLELAW_ASCII", "1")
    main(["why", spec, "--at", "{table: 'bend/1 straight/1'}", "--move", "lay(face=straight, cell=(2, 0), q=1)"])
    out = capsys.readouterr().out
    assert "it leads to table: + straight/1 on (2, 0)" in out
    assert "      0   .------------\n" in out
    assert not set("─│╭·") & set(out)


def test_an_output_that_cannot_show_lines_gets_ascii(spec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The encoding of standard output decides."""
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="latin-1", write_through=True))
    main(["play", spec, "--moves", "lay(face=cross, cell=(0, 0))"])
    text = raw.getvalue().decode("latin-1")
    assert "- | -" in text


def test_scenarios_with_pictures_are_played(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A drawn position is where the scenario begins."""
    assert main(["check", spec, "--question", "ring"]) == 0
    assert "ring: holds" in capsys.readouterr().out


def test_json_has_a_mapping(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    """In JSON a layout is its squares with faces, whatever is drawn for people."""
    main(["why", spec, "--at", "{table: 'bend/1 straight/1'}", "--move", "lay(face=straight, cell=(2, 0), q=1)", "--json"])
    out = capsys.readouterr().out
    assert '"(1, 0)": "straight/1"' in out
    assert '"table[(2, 0)]": "straight/1"' in out


def test_art_is_within_its_block() -> None:
    """No character lies outside five by three."""
    every = {f"f{i}": tuple(FacePart("road", p) for p in parts) for i, parts in enumerate(groupings(SIDES))}
    known = Pieces("Tile", {"road": ROAD}, every)
    assert all(0 <= x < 5 and 0 <= y < 3 for f in every for x, y in piece_art(known, (f, 0)))


def test_what_is_not_drawn_is_told_in_words() -> None:
    """Where only parts that are not drawn tell rotations apart, the legend has the quarter turns."""
    kinds = {"road": ROAD, "field": Kind("field", "halves")}
    known = Pieces("Tile", kinds, {"t": (FacePart("road", SIDES), FacePart("field", ("Nw", "Ne")))})
    text = board(Layout(known, 9, cells={Cell(0, 0): ("t", 0), Cell(1, 0): ("t", 2)}), typed=False)
    assert "t/0" in text
    assert "t/2" in text
