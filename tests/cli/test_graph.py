"""`tablelaw graph`: graphs that networkx and Graphviz read, and what is told of bad options."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from tablelaw.cli import main

PLUMS = str(Path(__file__).resolve().parent.parent.parent / "docs" / "transcripts" / "plums.yaml")
TILES = """
tablelaw: 1
game: tiles
title: Tiles
players: 1
pieces:
  Tile:
    parts:
      city: {at: sides, shields: 0..2, label: bool}
      road: {at: sides}
      field: {at: halves}
      camp: {at: inside, flight: Direction}
    contact: "True"
    faces:
      cap: {city: [{at: [N], shields: 2, label: true}]}
      corner: {city: [[N, E]], camp: {flight: W}}
      straight: {road: [[N, S]], field: [[Ne, En, Es, Se], [Nw, Wn, Ws, Sw]]}
      cross: {road: [[N, S], [E, W]]}
state:
  table: {type: "layout[Tile, 12]", init: {"(0, 0)": cap/2, "(0, 1)": cap}}
  other: {type: "layout[Tile, 3, 3]"}
  laid: {type: 0..3, init: 0}
actions:
  lay:
    by: 0
    params: {q: Rotation}
    require: [{id: room, check: laid < 2}]
    do: |
      table = place(table, (laid + 1, 0), cross, q)
      laid += 1
"""


@pytest.fixture
def tiles(tmp_path: Path) -> str:
    """A rules file with two layouts."""
    path = tmp_path / "tiles.yaml"
    path.write_text(TILES, encoding="utf-8")
    return str(path)


def as_json(words: list[str], capsys: pytest.CaptureFixture[str]) -> Any:
    """The graph that a command prints, as networkx reads it."""
    assert main([*words, "--format", "json"]) == 0
    return nx.node_link_graph(json.loads(capsys.readouterr().out), edges="edges")


def as_graphml(words: list[str], capsys: pytest.CaptureFixture[str]) -> Any:
    assert main([*words, "--format", "graphml"]) == 0
    return nx.read_graphml(io.BytesIO(capsys.readouterr().out.encode()))


def test_parts_and_joins(tiles: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Two caps that meet are two joined parts of one closed feature; parts tell where they are, and their attributes."""
    for read in (as_json, as_graphml):
        graph = read(["graph", tiles, "--of", "table"], capsys)
        assert set(graph) == {"city (0, 0) S", "city (0, 1) N"}
        assert [set(e) for e in graph.edges] == [set(graph)]
        assert graph.nodes["city (0, 1) N"] == {
            "label": "city (0, 1) N", "kind": "city", "cell": "(0, 1)", "side": "N", "open": 0, "own_shields": 2,
            "own_label": True, "pos": "0.00,-2.00!", "feature": 1, "size": 2, "closed": True, "loops": 0,
        }  # fmt: skip


def test_kinds_and_features(tiles: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every part is there once with the number of its feature; `--kind` leaves the others out; what is inside has no side."""
    at = '{table: {"(0, 0)": corner/1, "(1, 0)": cross, "(1, 1)": straight, "(5, 5)": cap}}'
    graph = as_json(["graph", tiles, "--of", "table", "--at", at], capsys)
    numbers = nx.get_node_attributes(graph, "feature")
    assert sorted(set(numbers.values())) == list(range(1, 8))
    assert all(numbers[a] == numbers[b] for a, b in graph.edges)
    assert nx.number_connected_components(graph) == 7
    assert graph.nodes["camp (0, 0)"]["own_flight"] == "N"
    assert graph.nodes["camp (0, 0)"]["closed"] is True
    roads = as_json(["graph", tiles, "--of", "table", "--at", at, "--kind", "road"], capsys)
    assert set(roads) == {"road (1, 0) N S", "road (1, 0) E W", "road (1, 1) N S"}
    assert roads.nodes["road (1, 1) N S"]["feature"] == roads.nodes["road (1, 0) N S"]["feature"]


def test_an_empty_layout(tiles: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A layout without pieces is a graph without nodes, in each format."""
    for read in (as_json, as_graphml):
        assert len(read(["graph", tiles, "--of", "other"], capsys)) == 0
    assert main(["graph", tiles, "--of", "other"]) == 0
    assert capsys.readouterr().out == 'graph "tiles: other" {\n  node [shape=box, fontname=sans];\n}\n'


def test_dot(tiles: str, capsys: pytest.CaptureFixture[str]) -> None:
    """In DOT each feature is a box, shaded when closed, and the join an edge; brackets match and texts are quoted."""
    assert main(["graph", tiles, "--of", "table"]) == 0
    out = capsys.readouterr().out
    assert out.startswith('graph "tiles: table" {\n')
    assert 'label="city 1, size 2, closed"; style=filled;' in out
    assert '"city (0, 0) S" -- "city (0, 1) N";' in out
    bare = re.sub(r'"(\\.|[^"\\])*"', "", out)
    assert bare.count("{") == bare.count("}") == 2
    assert '"' not in bare


def test_dot_quotes_texts() -> None:
    """Quotes, backslashes and line breaks in a text do not end it."""
    from tablelaw.checkers.features import as_dot, quoted

    assert quoted('a "b" \\c\nd') == '"a \\"b\\" \\\\c\\nd"'
    graph = nx.MultiDiGraph()
    graph.add_edge('x"', "y\\", label='say "no"')
    assert '"x\\"" -> "y\\\\" [label="say \\"no\\""];' in as_dot(graph, "g")


def test_states(capsys: pytest.CaptureFixture[str]) -> None:
    """The states of a small game are all there with their moves; the last ones are ended and tell who won."""
    for read in (as_json, as_graphml):
        graph = read(["graph", PLUMS, "--states"], capsys)
        assert len(graph) == 14
        assert graph.graph["capped"] is False
        (start,) = [n for n, row in graph.nodes(data=True) if row["start"]]
        assert graph.nodes[start]["label"] == "turn 0, left 5, eaten {0: 0, 1: 0}"
        for node, row in graph.nodes(data=True):
            assert row["ended"] == (graph.out_degree(node) == 0)
            assert row["steps"] == nx.shortest_path_length(graph, start, node)
            assert "winners" in row or not row["ended"]
        assert sorted(row["label"] for _, _, row in graph.out_edges(start, data=True)) == ["take(n=1)", "take(n=2)"]
        assert {row["actor"] for _, _, row in graph.edges(data=True)} == {"0", "1"}


def test_states_are_those_of_the_search(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """There are as many as `count: states` says."""
    nim = Path(PLUMS).parent.parent.parent / "examples" / "nim" / "rules.yaml"
    path = tmp_path / "counted.yaml"
    path.write_text(f"include: ['{nim}']\nquestions: {{how-many: {{count: states}}}}\n", encoding="utf-8")
    graph = as_json(["graph", str(path), "--states", "--limit", "100000"], capsys)
    assert graph.graph["capped"] is False
    main(["check", str(path), "--question", "how-many", "--json"])
    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert int(result["value"]) == len(graph) > 50


def test_a_capped_graph_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    """With `--limit` the first states are there; those with a step left out are marked, and it is told that there are more."""
    assert main(["graph", PLUMS, "--states", "--limit", "5", "--format", "json"]) == 0
    out, err = capsys.readouterr()
    graph = nx.node_link_graph(json.loads(out), edges="edges")
    assert len(graph) == 5
    assert graph.graph["capped"] is True
    assert [row["followed"] for _, row in graph.nodes(data=True)] == [True, True, False, False, False]
    assert "first 5 states; there are more" in err
    whole = as_json(["graph", PLUMS, "--states"], capsys)
    for n in range(1, 14):  # what is told of a state does not hang on the limit
        for node, row in as_json(["graph", PLUMS, "--states", "--limit", str(n)], capsys).nodes(data=True):
            assert {**row, "followed": True} == whole.nodes[node]
    assert main(["graph", PLUMS, "--states", "--limit", "5"]) == 0
    assert 'label="the first 5 states; there are more";' in capsys.readouterr().out


def test_states_from_a_position(capsys: pytest.CaptureFixture[str]) -> None:
    """`--at` says where the play begins."""
    graph = as_json(["graph", PLUMS, "--states", "--at", "left: 1"], capsys)
    assert [row["label"] for _, row in graph.nodes(data=True)] == [
        "turn 0, left 1, eaten {0: 0, 1: 0}", "turn 1, left 0, eaten {0: 1, 1: 0}",
    ]  # fmt: skip


def test_states_merged_by_a_formula(capsys: pytest.CaptureFixture[str]) -> None:
    """With `--by` states where the formula is the same are one, which counts them and has the steps of all."""
    graph = as_json(["graph", PLUMS, "--states", "--by", "left"], capsys)
    assert {row["label"]: row["states"] for _, row in graph.nodes(data=True)} == {
        "5": 1,
        "4": 1,
        "3": 2,
        "2": 3,
        "1": 3,
        "0": 4,
    }
    taken = {(graph.nodes[a]["label"], graph.nodes[b]["label"]) for a, b in graph.edges()}
    assert taken == {(str(n), str(n - k)) for n in range(1, 6) for k in (1, 2) if n >= k}
    whole = as_json(["graph", PLUMS, "--states"], capsys)
    same = as_json(["graph", PLUMS, "--states", "--by", "10000 * left + 1000 * turn + 100 * eaten[0] + eaten[1]"], capsys)
    assert (len(same), same.number_of_edges()) == (len(whole), whole.number_of_edges())


def test_faults_and_draws_are_in_the_graph(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A step that leaves a range is no edge, its state tells it; each draw is an edge of its own."""
    path = tmp_path / "rules.yaml"
    path.write_text(
        "tablelaw: 1\ngame: g\ntitle: G\nplayers: 1\nstate: {x: {type: 0..2, init: 1}}\n"
        "actions: {roll: {by: 0, chance: {pips: die(2)}, do: x += pips}}\n",
        encoding="utf-8",
    )
    graph = as_json(["graph", str(path), "--states"], capsys)
    assert [row["label"] for _, _, row in graph.edges(data=True)] == ["roll -> pips=1"]
    assert graph.nodes["s0"]["fault"] == "roll -> pips=2: `x` leaves its range"


def test_moves_that_lay_pieces(tiles: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The states of a layout game too; rotations that look the same lead to the same state, by two edges."""
    graph = as_graphml(["graph", tiles, "--states"], capsys)
    assert len(graph) == 3
    assert graph.number_of_edges() == 8


def test_files(tiles: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`-o` writes a file whole, in the format that its name says unless `--format` says another."""
    where = tmp_path / "out.graphml"
    assert main(["graph", tiles, "--of", "table", "-o", str(where)]) == 0
    assert len(nx.read_graphml(where)) == 2
    assert main(["graph", tiles, "--of", "table", "-o", str(where), "--format", "json"]) == 0
    assert json.loads(where.read_text(encoding="utf-8"))["directed"] is False
    assert capsys.readouterr() == ("", "")
    assert main(["graph", tiles, "--of", "table", "-o", str(tmp_path / "no" / "out.dot")]) == 2
    assert "Q112" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words, told",
    [
        (["--of", "tabel"], "did you mean `table`?"),
        ([], "this game has 2 layouts: `table`, `other`"),
        (["--of", "table", "--kind", "rod"], "did you mean `road`?"),
        (["--of", "table", "--kind", "river"], "the kinds are `city`, `road`, `field`, `camp`"),
        (["--of", "table", "--at", "{tabel: {}}"], "did you mean `table`?"),
        (["--of", "table", "--at", '{table: {"(0, 0)": cap/9}}'], "turned too far"),
        (["--of", "table", "--limit", "5"], "`--limit` goes with `--states`"),
        (["--of", "table", "--by", "laid"], "`--by` goes with `--states`"),
        (["--states", "--of", "table"], "`--of` does not go with `--states`"),
        (["--states", "--kind", "road"], "`--kind` does not go with `--states`"),
        (["--states", "--limit", "0"], "is not a number above 0"),
        (["--states", "--by", "lid"], "did you mean `laid`?"),
        (["--states", "--by", "laid +"], "--by"),
        (["--states", "--format", "svg"], "svg"),
        (["--states", "--option", "faces=x"], "faces"),
    ],
)
def test_bad_options(words: list[str], told: str, tiles: str, capsys: pytest.CaptureFixture[str]) -> None:
    """They are told with a cure, nothing is written, and the exit status is 2."""
    assert main(["graph", tiles, *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert told in err


def test_a_game_without_layouts(capsys: pytest.CaptureFixture[str]) -> None:
    """It has no features to show."""
    assert main(["graph", PLUMS]) == 2
    assert "`--states` goes with any game" in capsys.readouterr().err


def test_what_cannot_be_listed_is_not_begun(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A game whose single step has too many draws is told so, with exit status 3."""
    path = tmp_path / "rules.yaml"
    path.write_text(
        "tablelaw: 1\ngame: g\ntitle: G\nplayers: 1\ntypes: {Face: [a, b, c, d, e, f]}\nstate: {x: {type: bool}}\n"
        "actions: {roll: {by: 0, chance: {b: 'roll(40, Face)'}, do: x = not x}}\n",
        encoding="utf-8",
    )
    assert main(["graph", str(path), "--states"]) == 3
    assert "draws" in capsys.readouterr().err


ROUND = """
tablelaw: 1
game: round
title: Round
players: 2
pieces:
  Road:
    parts:
      road: {at: sides}
    faces:
      bend: {road: [[N, E]]}
      stop: {road: [[N]]}
state:
  turn: {type: Player, init: 0}
  table: {type: "layout[Road, 2]"}
actions:
  lay:
    by: turn
    params: {face: Road, cell: frontier(table), rotation: rotations(face)}
    require: [{id: room, check: "size(table) < 2 and fits(table, cell, face, rotation)"}]
    do: |
      table = place(table, cell, face, rotation)
      turn = after(turn)
  ALSO
"""
MORE = """rest:
    by: turn
    during: any(table[c].face == stop and table[c].rotation == 1 for c in table)
    do: turn = after(turn)
"""


@pytest.fixture
def round_game(tmp_path: Path) -> str:
    """A game whose rules keep every symmetry."""
    path = tmp_path / "round.yaml"
    path.write_text(ROUND.replace("ALSO", ""), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("names", ["rotation", "translation", "rotation,translation", "rotation, translation players"])
def test_states_up_to_symmetries(round_game: str, capsys: pytest.CaptureFixture[str], names: str) -> None:
    """Images are one node, which counts them; it has the steps of the first, and every class is reached as before."""
    whole = as_json(["graph", round_game, "--states"], capsys)
    small = as_json(["graph", round_game, "--states", "--up-to", names], capsys)
    assert 1 < len(small) < len(whole)
    assert sum(row["states"] for _, row in small.nodes(data=True)) == len(whole)
    assert sum(row["start"] for _, row in small.nodes(data=True)) == 1
    counted = sorted(row["steps"] for _, row in small.nodes(data=True))
    assert set(counted) == {row["steps"] for _, row in whole.nodes(data=True)}
    for node, row in small.nodes(data=True):
        assert row["steps"] == nx.shortest_path_length(small, "s0", node)


def test_a_count_and_a_graph_up_to_symmetries_agree(
    round_game: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """As many nodes as `count: states` tells."""
    path = tmp_path / "asking.yaml"
    question = "questions: {few: {count: states, up_to: [rotation, translation]}}"
    path.write_text(ROUND.replace("ALSO", "") + question, encoding="utf-8")
    assert main(["check", str(path), "--question", "few", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["results"][0]["value"]
    small = as_json(["graph", round_game, "--states", "--up-to", "rotation,translation"], capsys)
    assert len(small) == int(told)


def test_a_symmetry_that_the_rules_do_not_have(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where it is named, with a position, as `count: states` tells it."""
    path = tmp_path / "round.yaml"
    path.write_text(ROUND.replace("ALSO", MORE), encoding="utf-8")
    assert main(["graph", str(path), "--states", "--up-to", "translation,rotation"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "error[Q114]: the rules do not have the symmetry `rotation` that the graph is drawn up to" in err
    assert "--> --up-to:1:13" in err
    assert "leave `rotation` out of `--up-to`" in err


@pytest.mark.parametrize(
    "words, told",
    [
        (["--states", "--up-to", "rotations"], "did you mean `rotation`"),
        (["--states", "--up-to", "size"], "no symmetry is called `size`"),
        (["--states", "--up-to", " , "], "names no symmetry"),
        (["--states", "--up-to", "rotation", "--by", "turn"], "does not go with"),
        (["--up-to", "rotation"], "goes with `--states`"),
    ],
)
def test_what_is_no_symmetry(round_game: str, capsys: pytest.CaptureFixture[str], words: list[str], told: str) -> None:
    """Located, with a cure, and nothing is drawn."""
    assert main(["graph", round_game, *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert told in err


def test_a_capped_graph_up_to_symmetries_says_so(round_game: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The label counts the states looked at, not the nodes."""
    assert main(["graph", round_game, "--states", "--limit", "20", "--up-to", "rotation"]) == 0
    out, err = capsys.readouterr()
    assert "the first 20 states; there are more" in out
    assert "`--limit 200` looks at more" in err
