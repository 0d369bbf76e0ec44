"""`tablelaw draw`: positions and plays of layout games as SVG."""

from __future__ import annotations

import io
import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from hypothesis import given, settings

from tablelaw.cli import main
from tablelaw.report.svg import Frame, drawing
from tablelaw.report.svg_tiles import CLOSED, Colours, walled
from tablelaw.spec.grid import Cell
from tablelaw.spec.layouts import Layout
from tablelaw.spec.pieces import FacePart, Kind, Pieces
from tablelaw.testing.layouts import layouts

SVG = "{http://www.w3.org/2000/svg}"
RULES = """\
tablelaw: 1
game: lines
title: Lines & <walls>
players: 2..3
options:
  size: {kind: study, question: "How many dice?", values: 1..9, default: 4}
pieces:
  Die:
    parts: {road: {at: sides}}
    contact: mine == theirs
    faces:
      straight: {road: [[N, S]]}
      cross: {road: [[N, S], [E, W]]}
      bend: {road: [[N, E]]}
state:
  table: {type: "layout[Die, option('size')]", init: {}}
  turn: {type: Player, init: 0}
actions:
  lay:
    by: turn
    params: {face: Die, cell: frontier(table), q: rotations(face)}
    require: [{id: joined, check: "fits(table, cell, face, q)"}]
    do: table = place(table, cell, face, q)
  wait:
    by: turn
    do: turn = after(turn)
"""
RING = "table: |\n  ┌ ┐\n  └ ┘\n"
START = {"state": {"table": {}, "turn": 0}, "move": None}


@pytest.fixture
def spec(tmp_path: Path) -> str:
    """A layout game as a file."""
    path = tmp_path / "rules.yaml"
    path.write_text(RULES, encoding="utf-8")
    return str(path)


def parsed(text: str) -> ET.Element:
    """The drawing as XML; fails when it is none."""
    return ET.fromstring(text)


def piece_titles(root: ET.Element) -> list[str]:
    """What the pieces are called."""
    return [t.text or "" for g in root.iter(f"{SVG}g") for t in g.findall(f"{SVG}title")]


def outlines(root: ET.Element) -> int:
    """How many pieces are marked."""
    return sum(1 for r in root.iter(f"{SVG}rect") if r.get("stroke-width") == "5")


def state(**cells: str) -> dict[str, object]:
    """A step of a trace with these pieces; squares are written x0y0."""
    return {"state": {"table": {f"({k[1]}, {k[3]})": v for k, v in cells.items()}, "turn": 0}, "move": "lay"}


def test_a_position_is_drawn(spec: str, tmp_path: Path) -> None:
    """Each piece has its name, the ring its colour, and the document a title and a description in words."""
    out = tmp_path / "ring.svg"
    assert main(["draw", spec, "--at", RING, "-o", str(out)]) == 0
    root = parsed(out.read_text(encoding="utf-8"))
    assert piece_titles(root) == ["bend/1 on (0, 0)", "bend/2 on (1, 0)", "bend/0 on (0, 1)", "bend/3 on (1, 1)"]
    title, desc = root.find(f"{SVG}title"), root.find(f"{SVG}desc")
    assert title is not None
    assert title.text == "Lines & <walls>: table"
    assert desc is not None
    assert "1 closed or going round" in (desc.text or "")
    assert sum(1 for p in root.iter(f"{SVG}path") if p.get("stroke") == CLOSED[0]) == 4
    assert outlines(root) == 0
    assert main(["draw", spec, "-o", str(out)]) == 0  # a drawing may be written over
    assert piece_titles(parsed(out.read_text(encoding="utf-8"))) == []


def test_the_start_goes_to_standard_output(spec: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a position the start is drawn, without `-o` on standard output; an empty layout is a drawing too."""
    assert main(["draw", spec]) == 0
    assert piece_titles(parsed(capsys.readouterr().out)) == []


def test_a_play_is_a_strip_of_frames(spec: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A frame for each step that changes the layout, its piece outlined, its number in a corner; other steps have none."""
    steps = [START, state(x0y0="cross/0"), state(x0y0="cross/0"), state(x0y0="cross/0", x1y0="straight/1")]
    file = tmp_path / "trace.json"
    file.write_text(json.dumps({"steps": steps, "loop_from": None}), encoding="utf-8")
    assert main(["draw", spec, "--trace", str(file)]) == 0
    root = parsed(capsys.readouterr().out)
    assert len(root.findall(f"{SVG}g")) == 2
    assert outlines(root) == 2
    words = [t.text for t in root.iter(f"{SVG}text")]
    assert "1: cross on (0, 0)" in words
    assert "3: straight/1 on (1, 0)" in words
    assert words.count("1") == 2 + 2  # the number of the die in both frames, and the coordinate of a column in both


def test_what_other_commands_print_is_a_play(
    spec: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The object of `--json` is taken as it is, from standard input too, under the options it was asked with."""
    main(["why", spec, "--option", "size=9", "--at", RING, "--move", "lay(face=straight, cell=(2, 0), q=0)", "--json"])
    printed = capsys.readouterr().out
    monkeypatch.setattr(sys, "stdin", io.StringIO(printed))
    assert main(["draw", spec, "--trace", "-"]) == 0
    root = parsed(capsys.readouterr().out)
    assert len(root.findall(f"{SVG}g")) == 2
    assert outlines(root) == 1


@pytest.mark.parametrize(
    "words, code",
    [
        (["--at", "nowhere.yaml"], "Y101"),
        (["--at", "table: |\n  ┌ ┐\n  └\n"], "T113"),
        (["--at", "{tabel: {}}"], "R204"),
        (["--at", "table: |\n  ┌ ─\n  ─ .\n"], "T114"),
        (["--of", "tabel"], "Q109"),
        (["--trace", "nowhere.json"], "Y101"),
        (["--trace", "rules.yaml"], "Q109"),
        (["--trace", "other.json"], "Q109"),
        (["--trace", "list.json"], "Q109"),
        (["--trace", "several.json"], "Q109"),
        (["--trace", "several.json", "--question", "c"], "Q109"),
        (["--trace", "foreign.json"], "Q109"),
        (["--trace", "faces.json"], "T113"),
        (["--trace", "deep.json"], "Q109"),
        (["--at", "{}", "--trace", "x.json"], "Q109"),
        (["-o", "nowhere/out.svg"], "Q112"),
        (["-o", "."], "Q112"),
        (["-o", "rules.yaml"], "Q112"),
        (["--trace", "options.json"], "R206"),
        (["--option", "size=12"], "R206"),
    ],
)
def test_what_cannot_be_drawn_is_told(
    words: list[str], code: str, spec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit status 2 and a finding; nothing on standard output, never a traceback."""
    files: dict[str, object] = {
        "other": {"results": [{"question": "a", "trace": None}]},
        "list": [1, 2],
        "several": {"results": [{"question": q, "trace": {"steps": [START]}} for q in "ab"]},
        "foreign": {"steps": [{"state": {"pot": 3}}]},
        "options": {"options": {"size": "many"}, "trace": {"steps": [START]}},
        "faces": {"steps": [state(x0y0="fork/0")]},
    }
    for name, data in files.items():
        (tmp_path / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
    (tmp_path / "deep.json").write_text("[" * 100_000, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert main(["draw", "rules.yaml", *words]) == 2
    assert (tmp_path / "rules.yaml").read_text(encoding="utf-8") == RULES
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"error[{code}]"), err
    assert "Traceback" not in err


def test_one_of_several_plays_is_named(spec: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`--question` chooses among the plays of a file."""
    rows = [{"question": q, "trace": {"steps": [START, state(x0y0=f"{q}/0")]}} for q in ("cross", "straight")]
    file = tmp_path / "both.json"
    file.write_text(json.dumps({"results": rows}), encoding="utf-8")
    assert main(["draw", spec, "--trace", str(file), "--question", "straight"]) == 0
    assert piece_titles(parsed(capsys.readouterr().out)) == ["straight/0 on (0, 0)"]


def test_a_game_without_a_layout_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """There is nothing to draw of it."""
    assert main(["draw", str(Path(__file__).resolve().parents[2] / "examples" / "nim")]) == 2
    assert "this game has no layout to draw" in capsys.readouterr().err


def test_areas_and_roads_are_told_apart_by_what_their_parts_join() -> None:
    """A kind with a part on three sides, or only on one, is an area; one that joins two sides, with ends, is a road."""
    kinds = {n: Kind(n, "sides") for n in ("city", "cap", "road")}
    faces = {
        "a": (FacePart("city", ("N", "E", "S")), FacePart("cap", ("W",))),
        "b": (FacePart("road", ("N", "S")),),
        "c": (FacePart("road", ("N",)),),
    }
    known = Pieces("Tile", kinds, faces)
    assert [walled(known, k) for k in kinds] == [True, True, False]


def test_each_closed_feature_has_a_colour_of_its_own() -> None:
    """Two closed cities differ, an open one has none."""
    city = {"city": Kind("city", "sides")}
    known = Pieces("Die", city, {"cap": (FacePart("city", ("N",)),)})
    cells = {
        Cell(0, 0): ("cap", 2),
        Cell(0, 1): ("cap", 0),
        Cell(1, 0): ("cap", 2),
        Cell(1, 1): ("cap", 0),
        Cell(2, 0): ("cap", 0),
    }
    colours = Colours.of(Layout(known, 9, cells=cells))
    assert sorted(colours.found.values()) == sorted([CLOSED[0]] * 2 + [CLOSED[1]] * 2)


def test_pieces_that_look_alike_are_named() -> None:
    """Where the drawing cannot tell two faces apart, the name of the face stands on it."""
    known = Pieces("Card", {}, {"red": (), "blue": ()})
    root = parsed(drawing("t", [Frame(Layout(known, 2, cells={Cell(0, 0): ("red", 0), Cell(1, 0): ("blue", 0)}))]))
    assert {"red", "blue"} <= {t.text for t in root.iter(f"{SVG}text")}


@settings(max_examples=150)
@given(layouts(12))
def test_any_layout_is_a_drawing(layout: Layout) -> None:
    """Random pieces of all kinds: well-formed XML that names each piece once."""
    root = parsed(drawing("t", [Frame(layout, frozenset(layout.cells), dict.fromkeys(layout.cells, 1), "c & d")]))
    assert len(piece_titles(root)) == len(layout.cells) == outlines(root)


MEADOW, MEADOW_AT = (
    str(Path(__file__).resolve().parents[2] / "docs" / "transcripts" / name) for name in ("meadow.yaml", "meadow-at.yaml")
)


def test_a_landscape_has_its_figures_and_a_legend(capsys: pytest.CaptureFixture[str]) -> None:
    """Each figure is a disc that names its player, each kind that lies there is told, also in the description."""
    assert main(["draw", MEADOW, "--at", MEADOW_AT]) == 0
    root = parsed(capsys.readouterr().out)
    titles = [t.text for t in root.iter(f"{SVG}title")]
    assert titles.count("player 0") == titles.count("player 1") == 2  # on the board and in the legend
    words = {t.text for t in root.iter(f"{SVG}text")}
    assert {"town", "path", "grass", "mill", "kite", "M", "K", "player 0", "player 1"} <= words
    desc = root.find(f"{SVG}desc")
    assert desc is not None
    assert "player 1 on the town of (0, -1)" in (desc.text or "")


def test_a_ray_shows_what_a_part_points_at(capsys: pytest.CaptureFixture[str]) -> None:
    """The squares in the way that it points, turned with its piece, and whether a piece lies on each."""
    assert main(["draw", MEADOW, "--at", MEADOW_AT, "--ray", "(1, 1)"]) == 0
    root = parsed(capsys.readouterr().out)
    titles = [t.text for t in root.iter(f"{SVG}title")]
    wanted = ["1: (0, 0), a piece lies there", "2: (-1, -1), a piece lies there", "3: (-2, -2), nothing lies there"]
    assert [t for t in titles if t in wanted] == wanted


@pytest.mark.parametrize("square, code", [("(0, 0)", "Q109"), ("(4, 4)", "Q109"), ("here", "T113"), ("", "T113")])
def test_a_ray_from_nothing_is_told(square: str, code: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A square where nothing points anywhere, or that is none."""
    assert main(["draw", MEADOW, "--at", MEADOW_AT, "--ray", square]) == 2
    assert capsys.readouterr().err.startswith(f"error[{code}]")


def test_a_play_on_a_landscape_has_its_figures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Who stands there in the frames of a play, as far as pieces are laid."""
    main(
        [
            "ask",
            MEADOW,
            "--after",
            "lay(face=gate, cell=(1, 0), rotation=0); stand(part=part((1, 0), town, N))",
            "turn == 1",
            "--json",
        ]
    )
    row = json.loads(capsys.readouterr().out)["results"][0]
    row["trace"]["steps"].append(row["trace"]["steps"][-1] | {"state": row["trace"]["steps"][-1]["state"] | {"turn": 0}})
    lay = {"table": row["trace"]["steps"][-1]["state"]["table"] | {"(2, 0)": "gate/0"}}
    row["trace"]["steps"].append({"state": row["trace"]["steps"][-1]["state"] | lay, "move": "lay"})
    file = tmp_path / "play.json"
    file.write_text(json.dumps({"results": [row]}), encoding="utf-8")
    assert main(["draw", MEADOW, "--trace", str(file)]) == 0
    root = parsed(capsys.readouterr().out)
    assert [t.text for t in root.iter(f"{SVG}title")].count("player 0") == 2  # in the last frame and in the legend
