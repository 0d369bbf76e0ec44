"""Figures on parts: features as arguments, bags of what holds places, `none` where a value is needed, proposed clauses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import Move
from tablelaw.solver.legality import forbidding
from tablelaw.solver.space.rows import Rows
from tablelaw.solver.trace import change_list, take
from tablelaw.spec.game import Game
from tablelaw.spec.grid import Cell, Part
from tablelaw.spec.operators import Fault
from tablelaw.spec.positions import plain, shown
from tablelaw.spec.questions import Reader as Questions
from tablelaw.spec.reckon import visit
from tablelaw.spec.types import show
from tablelaw.spec.values import Map, Value

if TYPE_CHECKING:
    from tests.spec.conftest import Read, Reader

BOARD = """
    options:
      eagle: {kind: expansion, question: "Are there eagles?", values: ['off', 'on'], default: 'off'}
    types:
      Rank:
        plain: {count: 3}
        chief: {count: 1, strength: 2}
        eagle: {count: 1, flies: true, home: N, only: {eagle: 'on'}}
      Figure: {record: {owner: Player, rank: Rank, part: Part}}
    pieces:
      Tile:
        parts:
          road: {at: sides, tolls: 0..2}
          field: {at: halves}
          nest: {at: inside, looks: Direction}
          gate: {at: inside, opens: Side}
        contact: mine == theirs
        faces:
          straight: {count: 3, road: [{at: [E, W], tolls: 1}], field: [[Nw, Ne, En, Wn], [Es, Se, Sw, Ws]]}
          eyrie: {count: 1, field: [[Nw, Ne, En, Es, Se, Sw, Ws, Wn]], nest: {looks: NW}, gate: {opens: N}}
          yard: {count: 1, field: [[Nw, Ne, En, Es, Se, Sw, Ws, Wn]], gate: true}
    state:
      turn: {type: Player, init: 0}
      table: {type: "layout[Tile, 9]", init: {"(0, 0)": straight/0, "(1, 0)": straight/0, "(0, 1)": eyrie/1}}
      drawn: {type: "maybe[Tile]", init: none}
      box: {type: "bag[Tile, 9]", init: supply(Tile)}
      reserve: {type: "map[Player, bag[Rank, 9]]", init: supply(Rank)}
      standing: {type: "bag[Figure, 4]", init: bag()}
      marked: {type: "set[Part]", init: "{}"}
      points: {type: "map[Player, 0..20]", init: 0}
    define:
      occupied(f in Feature): any(s.part in f for s in standing)
      worth(r in Rank, f in Feature): r.strength + (f.tolls if f.kind == road else 0)
      strength(p in Player, f in Feature): sum(worth(s.rank, f) for s in standing if s.owner == p and s.part in f)
    effects:
      pay(f in Feature, n in 0..9):
        - {id: pays, says: It pays., do: "for p in {p for p in Player if strength(p, f) > 0}:\\n    points[p] += n"}
        - id: home
          says: They go home.
          do: |
            for s in standing:
                if s.part in f:
                    standing -= s
                    reserve[s.owner] += s.rank
    actions:
      lay:
        by: turn
        during: drawn != none
        params: {cell: frontier(table), rotation: rotations(drawn)}
        require:
          - {id: fitting, says: It fits., check: "fits(table, cell, drawn, rotation)"}
        do: |
          table = place(table, cell, drawn, rotation)
          box -= drawn
          drawn = none
      stand:
        by: turn
        params: {rank: "reserve[turn]", part: "parts(table, (1, 0))"}
        require:
          - {id: unoccupied, says: Nobody is there., check: "not occupied(feature(table, part))"}
          - {id: anybody, says: Or so., proposed: true, excepts: unoccupied, check: part.kind == road}
          - {id: roads, says: On roads., proposed: true, replaces: unoccupied, check: part.kind == road}
        do: |
          reserve[turn] -= rank
          standing += Figure(owner=turn, rank=rank, part=part)
      score:
        by: turn
        do: |
          for f in features(table, road):
              if occupied(f):
                  pay(f, f.size)
      back:
        by: turn
        params: {figure: standing}
        do:
          - {id: first, says: It goes., do: standing -= figure}
          - {id: then, says: It is counted., do: "points[figure.owner] = size(standing)"}
          - {id: instead, says: It stays., replaces: first, proposed: true, do: marked += figure.part}
"""
WEST = Part(Cell(0, 0), "road", "E")
EAST = Part(Cell(1, 0), "road", "E")


def figure(owner: int, part: Part, rank: str = "plain") -> Map:
    return Map([("owner", owner), ("rank", rank), ("part", part)])


@pytest.fixture
def board(read: Reader) -> Read:
    found = read(BOARD)
    assert found.codes == [], found.shown()
    return found


def with_(game: Game, **changed: Value) -> Map:
    return Map({**evaluate.starts(game)[0], **changed})


def test_formulas_of_a_feature(board: Read) -> None:
    """A feature is given to a formula, which reads its kind, its sums and who stands in it."""
    standing = Map([(figure(0, EAST), 2), (figure(1, WEST, "chief"), 1)])
    road = "feature(table, part((1, 0), road, W))"
    assert board.value(f"occupied({road})", standing=standing)
    assert board.value(f"strength(0, {road})", standing=standing) == 4
    assert board.value(f"strength(1, {road})", standing=standing) == 4
    assert board.value("any(occupied(f) for f in features(table, field))", standing=standing) is False


def test_a_bag_of_figures_is_counted_by_copies(board: Read) -> None:
    """Every built-in about bags takes such a bag; equal figures are copies."""
    standing = Map([(figure(0, EAST), 2), (figure(1, WEST), 1)])
    one = "Figure(owner=0, rank=plain, part=part((1, 0), road, E))"
    for text, expected in {
        "size(standing)": 3,
        f"standing[{one}]": 2,
        f"{one} in standing": True,
        "count(s for s in standing if s.owner == 0)": 2,
        "sum(s.owner + 1 for s in standing)": 4,
        "standing == bag()": False,
        "size(standing + standing)": 6,
        "standing - standing == bag()": True,
        "standing <= standing + standing": True,
        "{s.owner for s in standing} == {0, 1}": True,
        "size({s.part for s in standing})": 2,
    }.items():
        assert board.value(text, standing=standing) == expected, text


def test_a_walk_over_figures_is_in_declared_order(board: Read) -> None:
    """Owner first, then rank, then the square row by row, however the bag came about."""
    figures = [
        figure(0, WEST, "chief"),
        figure(0, EAST),
        figure(1, WEST),
        figure(0, WEST),
        figure(0, Part(Cell(0, 1), "nest", None)),
    ]
    order = [figures[3], figures[1], figures[4], figures[0], figures[2]]
    e = board.typed("standing + bag()")
    for bag in (figures, figures[::-1]):
        here = evaluate.place(board.game, with_(board.game, standing=Map([(f, 1) for f in bag])))
        assert list(visit(e, here)) == order


def test_figures_come_and_go(board: Read) -> None:
    """`+=` and `-=` change the count; what is no longer there leaves nothing behind; each copy is visited once."""
    game = board.game
    start = with_(game)
    part = Part(Cell(1, 0), "road", "E")
    state = evaluate.apply(game, start, Move("stand", (("rank", "plain"), ("part", part)), 0)).state
    assert dict(state["standing"]) == {figure(0, part): 1}
    twice = with_(game, standing=Map([(figure(0, part), 2), (figure(1, WEST, "chief"), 1)]))
    scored = evaluate.apply(game, twice, Move("score", (), 0))
    assert scored.fault is None
    assert scored.state["standing"] == Map()
    assert hash(scored.state["standing"]) == hash(start["standing"])
    assert scored.state["points"] == Map({0: 2, 1: 2})
    assert scored.state["reserve"][0]["plain"] == 5
    full = with_(game, standing=Map([(figure(1, WEST), 4)]))
    assert evaluate.apply(game, full, Move("stand", (("rank", "plain"), ("part", part)), 0)).fault is not None
    moves = [m for m in evaluate.moves(game, twice) if m.action == "back"]
    assert [dict(m.args)["figure"] for m in moves] == [figure(0, part), figure(1, WEST, "chief")]
    assert [row[0] for row in change_list(game, twice, evaluate.apply(game, twice, moves[0]).state)] == [
        "standing[Figure(owner=0, rank=plain, part=part((1, 0), road, E))]", "points[0]",
    ]  # fmt: skip


def test_positions_of_figures_are_written_and_read(board: Read) -> None:
    """What JSON says of a position reads back as the same position."""
    game = board.game
    kind = game.names.variables["standing"]
    bag = Map([(figure(0, EAST), 2), (figure(1, WEST, "chief"), 1)])
    first = "Figure(owner=0, rank=plain, part=part((1, 0), road, E))"
    assert plain(bag, kind) == {first: 2, "Figure(owner=1, rank=chief, part=part((0, 0), road, E))": 1}
    assert shown(bag, kind).startswith(first + "*2+Figure(owner=1")
    staged = scenario(board, f'{{given: {{standing: {{"{first}": 2}}}}, then: [size(standing) == 2]}}')
    assert staged.given is not None
    assert staged.given["standing"] == Map([(figure(0, EAST), 2)])


def scenario(board: Read, text: str):  # type: ignore[no-untyped-def]
    from tablelaw.spec.document import Builder
    from tablelaw.spec.source import Source
    from tablelaw.spec.yaml_nodes import Mapping, parse_yaml

    root = parse_yaml(Source("s", "one: " + text), board.sink)
    assert isinstance(root, Mapping)
    builder = Builder(board.sink)
    builder._scenario(root.entries[0].key, root.entries[0].value)
    game = board.game
    staged = Questions(game, board.sink, evaluate.starts(game)[0]).scenario(builder.doc.scenarios["one"])
    assert staged is not None, board.shown()
    return staged


def test_a_move_names_a_part_by_any_of_its_sides(board: Read) -> None:
    """A road from east to west is the road in the west; equality of values stays by name."""
    game = board.game
    for side in ("E", "W"):
        found = forbidding(game, with_(game), "stand", {"rank": "plain", "part": Part(Cell(1, 0), "road", side)})
        assert found.legal
    assert not forbidding(game, with_(game), "stand", {"part": Part(Cell(1, 0), "road", "N")}).legal


def test_none_where_a_value_is_needed_is_a_fault(board: Read) -> None:
    """What may be none is given where a value is wanted; nothing of it is read while the phase is closed."""
    game = board.game
    start = with_(game)
    assert all(m.action != "lay" for m in evaluate.moves(game, start))
    some = with_(game, drawn="straight")
    laid = [m for m in evaluate.moves(game, some) if m.action == "lay"]
    assert laid
    after = evaluate.apply(game, some, laid[0]).state
    assert after["box"]["straight"] == 2
    for text in ("fits(table, (5, 5), drawn, 0)", "size(rotations(drawn)) > 0", "box[drawn] > 0", "drawn.count > 0"):
        assert board.codes == []
        with pytest.raises(Fault) as told:
            board.value(text)
        assert told.value.kind == "none"
        board.value(text, drawn="yard")
    assert board.value("drawn == yard or drawn in box or drawn == none")


def test_attributes_left_out(board: Read) -> None:
    """An attribute that no name gives under these options is false, none or 0; counts are 1."""
    assert board.value("any(r.flies for r in Rank)") is False
    assert board.value("plain.strength") == 0
    assert board.value("supply(Rank)") == Map({"plain": 3, "chief": 1})
    on = board.under(eagle="on")
    assert on.names.types["Rank"].values == ("plain", "chief", "eagle")  # type: ignore[attr-defined]


def test_attributes_of_parts_turn(board: Read) -> None:
    """A part read from a table has its attributes as it lies; a side that every part of a kind gives is never none."""
    nest = "{p for p in parts(table, (0, 1)) if p.kind == nest}"
    assert board.value(f"all(step((0, 1), p.looks, 2) == (2, -1) for p in {nest})")
    binder = board.typed(f"{{p.looks for p in {nest}}}").type
    assert show(binder) == "set[Direction]"
    assert show(board.typed("{p.opens for p in parts(table, (0, 1))}").type) == "set[maybe[Side]]"


def test_proposed_clauses_are_taken_in(board: Read) -> None:
    """`adopted` takes proposed clauses in force, `without` others out; one that replaces another stands in its place."""
    assert board.rules is not None

    def game(adopted: set[str], without: set[str] = frozenset()) -> Game:  # type: ignore[assignment]
        assert board.rules is not None
        found = board.rules.game({}, 2, board.sink, frozenset(adopted), frozenset(without))
        assert found is not None, board.shown()
        return found

    taken = with_(board.game, standing=Map([(figure(1, WEST), 1)]))
    road = {"rank": "plain", "part": EAST}
    field = {"rank": "plain", "part": Part(Cell(1, 0), "field", "Nw")}
    for adopted, without, on_road, on_field in (
        (set(), set(), False, True), ({"anybody"}, set(), True, True),
        ({"roads"}, set(), True, False), (set(), {"unoccupied"}, True, True),
    ):  # fmt: skip
        mine = game(adopted, without)
        assert forbidding(mine, taken, "stand", road).legal == on_road
        assert forbidding(mine, taken, "stand", field).legal == on_field
        assert mine.adopted == adopted
        assert ("unoccupied" in mine.clauses) == (not without and "roads" not in adopted)
    assert [c.id for c in board.rules.document.actions["back"].do] == ["first", "instead", "then"]
    step = take(game({"instead"}), taken, Move("back", (("figure", figure(1, WEST)),), 0), ())
    assert step.state["points"][1] == 1
    assert step.clauses == ("back", "instead", "then")
    quiet = board.rules.open_game([{"eagle": "off"}, {"eagle": "off"}], 2, frozenset({"roads"}))
    assert quiet is not None
    assert "roads" in quiet.clauses


def test_the_search_on_values_knows_all_of_it(board: Read) -> None:
    """The code written for the game takes the evaluator's steps, faults among them."""
    game = board.game
    rows = Rows(game, (), None)
    names = [v.name for v in game.variables]
    full = Map([(figure(0, EAST), 1), (figure(1, WEST), 3)])  # in declared order, as a step leaves it
    for state in (with_(game), with_(game, drawn="yard"), with_(game, standing=full)):
        mine = [
            None if (out := evaluate.apply(game, state, m)).fault else tuple(out.state[n] for n in names)
            for m in evaluate.moves(game, state)
        ]
        theirs = [x for _, nexts in rows._moves(rows.number(tuple(state[n] for n in names))) for x in nexts]
        assert mine == theirs
