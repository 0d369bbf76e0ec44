"""Landscapes drawn for a terminal: areas, lines, what lies inside, figures, and boards too wide for the room."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablelaw.checkers.standing import Figure, figures, on
from tablelaw.report.board import board, boards
from tablelaw.report.landscape import LAND_HIGH, LAND_WIDE, LandArt, areas, is_landscape, lines
from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import State
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.grid import Cell, Part
from tablelaw.spec.layouts import Layout
from tablelaw.spec.load import load
from tablelaw.spec.pieces import FacePart, Kind, Pieces
from tablelaw.spec.questions import Reader
from tablelaw.spec.source import Source
from tablelaw.spec.yaml_nodes import parse_yaml
from tablelaw.testing.layouts import layouts

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "transcripts"


@pytest.fixture(scope="module")
def meadow() -> tuple[Game, State]:
    """A landscape game with a position in which two figures stand."""
    sink = Diagnostics()
    rules = load(str(FOLDER / "meadow.yaml"), sink)
    assert rules is not None
    game = rules.game({}, 2, sink)
    assert game is not None
    node = parse_yaml(Source("at", (FOLDER / "meadow-at.yaml").read_text(encoding="utf-8")), sink)
    state = Reader(game, sink, evaluate.starts(game)[0]).position(node)
    assert state is not None
    assert not sink.has_errors, [d.message for d in sink]
    return game, state


def pieces(meadow: tuple[Game, State]) -> Pieces:
    """The tiles of that game."""
    found: Layout = meadow[1]["table"]
    return found.pieces


def test_kinds_with_ground_beside_them_are_lines(meadow: tuple[Game, State]) -> None:
    """What shares a side with a kind of halves is a line, what has its sides to itself an area."""
    known = pieces(meadow)
    assert is_landscape(known)
    assert areas(known) == ("town",)
    assert lines(known) == ("path",)
    assert not is_landscape(Pieces("Die", {"road": Kind("road", "sides")}, {"a": (FacePart("road", ("N",)),)}))


def test_a_position_is_drawn_with_who_stands_where(meadow: tuple[Game, State]) -> None:
    """Town, path, mill and kite are where they lie, each figure on its part, and the legend says what is what."""
    game, state = meadow
    assert boards(game, state, indent="").split("\n") == [
        "      -1      0       1",
        "   .▒▒▒▒▒. .......",
        "-1 ....... .......",
        "   ....... .▒▒1▒▒.",
        "           .▒▒▒▒▒. .......",
        " 0         ─────── ──.M0..",
        "           ....... .......",
        "                   .......",
        " 1                 ...K↖..",
        "                   .......",
        ". grass   ─ path   ▒ town   K kite   M mill",
        "0, 1 the player whose figure stands there",
    ]


@pytest.mark.parametrize("rotation", range(4))
def test_arrows_and_areas_turn_with_the_piece(meadow: tuple[Game, State], rotation: int) -> None:
    """A quarter turn clockwise turns the arrow, and the filled side comes next."""
    known = pieces(meadow)
    assert "↗↘↙↖"[rotation] in "".join(LandArt.of(known, ("hill", rotation)).rows())
    art = LandArt.of(known, ("wall", rotation)).art
    sides = {"N": (3, 0), "E": (6, 1), "S": (3, 2), "W": (0, 1)}
    assert [s for s, place in sides.items() if art[place] == "▒"] == ["NESW"[rotation]]


def test_separate_areas_do_not_meet() -> None:
    """Two towns at a corner have ground between them, a town that joins both sides has none."""
    kinds = {"town": Kind("town", "sides"), "grass": Kind("grass", "halves")}
    grass = FacePart("grass", ("En", "Es", "Se", "Sw"))
    faces = {
        "one": (FacePart("town", ("N", "W")), grass),
        "two": (FacePart("town", ("N",)), FacePart("town", ("W",)), grass),
    }
    known = Pieces("Tile", kinds, faces)
    one, two = ("\n".join(LandArt.of(known, (f, 0)).rows()) for f in faces)
    assert one != two
    assert LandArt.of(known, ("one", 0)).art[0, 0] == LandArt.of(known, ("one", 0)).art[1, 0] == "▒"
    assert LandArt.of(known, ("two", 0)).art[1, 0] == "."


def test_numbers_are_signs(meadow: tuple[Game, State]) -> None:
    """A part with a number has a sign for it, and the legend its name."""
    text = board(Layout(pieces(meadow), 1, cells={Cell(0, 0): ("square", 0)}), typed=False)
    assert text.count("◆") == 2
    assert "◆ wells" in text


def test_figures_are_found_in_records_lists_maps_and_alone(meadow: tuple[Game, State]) -> None:
    """Whoever stands on a part is found, with the seat that goes with it; a part that does not lie is not drawn."""
    game, state = meadow
    found = figures(game, state)
    assert [(f.seat, f.part.kind) for f in found] == [(1, "town"), (0, "mill")]
    assert [f.words for f in found] == ["player 1", "player 0"]
    gone = Figure(Part(Cell(5, 5), "town", "N"), 0)
    assert on(state["table"], [*found, gone]) == found


def test_ascii_tells_slanting_ways_in_words(meadow: tuple[Game, State]) -> None:
    """There is one sign for all slanting arrows, so they are told below."""
    text = board(meadow[1]["table"], typed=True)
    assert text.isascii()
    assert text.split("\n")[-1] == "pointing: (1, 1) NW"
    assert "pointing" not in board(meadow[1]["table"], typed=False)


def test_several_figures_on_one_part_are_all_there(meadow: tuple[Game, State]) -> None:
    """Two on a town stand beside each other."""
    layout = Layout(pieces(meadow), 1, cells={Cell(0, 0): ("wall", 0)})
    town = Part(Cell(0, 0), "town", "N")
    text = board(layout, standing=[Figure(town, 0), Figure(town, 1), Figure(town, 1)], typed=False)
    assert sorted(c for c in text.split("\n")[0] if c.isdigit()) == ["0", "1", "1"]


def test_a_wide_landscape_is_folded_or_cut(meadow: tuple[Game, State]) -> None:
    """All columns one stretch below the other, or those around a square with a note of what is left out."""
    row = Layout(pieces(meadow), 30, cells={Cell(x, 0): ("wall", 0) for x in range(25)})
    folded = board(row, room=80, typed=False)
    assert max(map(len, folded.split("\n"))) <= 80
    assert sum(line.count("▒▒▒▒▒") for line in folded.split("\n")) == 25
    cut = board(row, room=80, typed=False, around=Cell(12, 0))
    assert "not shown: the columns 0 to 7 and 17 to 24" in cut
    assert sum(line.count("▒▒▒▒▒") for line in cut.split("\n")) == 9


def test_labels_stand_on_empty_squares(meadow: tuple[Game, State]) -> None:
    """Numbers to choose from are drawn where nothing lies."""
    layout = Layout(pieces(meadow), 1, cells={Cell(0, 0): ("wall", 0)})
    rows = board(layout, labels={Cell(1, 0): "7", Cell(0, -1): "12"}, typed=False).split("\n")
    assert rows[0].split() == ["0", "1"]
    assert rows[2].split() == ["-1", "12"]
    assert rows[5].endswith("   7")


@settings(max_examples=150)
@given(layouts(10), st.integers(20, 90), st.booleans())
def test_any_landscape_keeps_to_its_room_and_blocks(layout: Layout, room: int, typed: bool) -> None:
    """Random pieces with random parts of all kinds: no row too wide, ASCII where it is asked for, no block out of shape."""
    names = max([len(k) for k in layout.pieces.kinds] + [len(f) for f in layout.pieces.faces]) + 60
    text = board(layout, frozenset(layout.cells), room, typed)
    assert max(map(len, text.split("\n"))) <= max(room, names)
    assert not typed or text.isascii()
    for laid in layout.cells.values():
        block = LandArt.of(layout.pieces, laid)
        assert all(0 <= x < LAND_WIDE and 0 <= y < LAND_HIGH for x, y in block.art), block.art
        every = [
            Figure(Part(Cell(0, 0), p.kind, p.at[0] if p.at else None), i) for i, p in enumerate(layout.pieces.parts[laid])
        ]
        block.stand(every[:10])
        assert [len(row) for row in block.rows()] == [LAND_WIDE] * LAND_HIGH
