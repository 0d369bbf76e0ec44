"""Proofs with the board left open: what they show of a small game, and that they show nothing of its mutants."""

from __future__ import annotations

import random

import pytest
import z3

from tablelaw.solver import evaluate
from tablelaw.solver.mutate import without as left_out
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.symbolic.open.boards import Table
from tablelaw.solver.symbolic.open.claims import Prover
from tablelaw.solver.symbolic.open.resting import rest
from tablelaw.solver.symbolic.open.values import constant
from tablelaw.solver.symbolic.open_boards import OpenBoards, equivalent, implied, prove
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.board_types import DIRECTION
from tablelaw.spec.core import Expr
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.layouts import Layout
from tablelaw.spec.questions import Reader
from tablelaw.spec.types import Int, LayoutType
from tablelaw.testing.games import checked
from tablelaw.testing.open_laws import World, check_facts

SPEC = """
tablelaw: 1
game: huts
title: Huts
players: 2..4
types:
  Phase: [laying, moving, clearing, over]
  Standing: {record: {owner: Player, part: Part}}
pieces:
  Tile:
    parts: {road: {at: sides}, hut: {at: inside}, mast: {at: inside, way: Direction}}
    rotation: free
    contact: mine == theirs
    attributes: {worth: 0..2, arrow: Direction}
    faces:
      bend: {count: 20, worth: 2, arrow: N, road: [[N, E]], hut: {}}
      line: {count: 20, worth: 1, arrow: E, road: [[N, S]], mast: {way: E}}
state:
  phase: {type: Phase, init: laying}
  turn: {type: Player, init: 0}
  table: {type: "layout[Tile, 40]", init: {"(0, 0)": line/0}}
  box: {type: "bag[Tile, 40]", init: supply(Tile)}
  last: {type: Cell, init: "(0, 0)"}
  away: {type: "maybe[Player]", init: none}
  reserve: {type: "map[Player, 0..3]", init: 3}
  standing: {type: "bag[Standing, 12]", init: bag()}
define:
  held(f in Feature): any(s.part in f for s in standing)
actions:
  lay:
    by: turn
    during: phase == laying and size(box) > 0
    params: {cell: frontier(table), face: box, turned: rotations(face)}
    require:
      - {id: on-going, says: Roads go on., check: "fits(table, cell, face, turned)"}
    do: |
      table = place(table, cell, face, turned)
      box -= face
      last = cell
      phase = moving
  stop:
    by: table
    during: phase == laying and not can(lay)
    do: phase = over
  put:
    by: turn
    during: phase == moving
    params: {part: "parts(table, last)"}
    require:
      - {id: in-hand, says: Somebody is in hand., check: "reserve[turn] > 0"}
      - {id: alone, says: Nobody stands there., check: "not held(feature(table, part))"}
      - {id: unfinished, says: The road is open., check: "part.kind != road or not feature(table, part).closed"}
    do:
      - id: put-down
        says: It stands there.
        do: |
          reserve[turn] -= 1
          standing += Standing(owner=turn, part=part)
          phase = clearing
  pass:
    by: turn
    during: phase == moving
    do: phase = clearing
  clear:
    by: table
    during: phase == clearing
    do:
      - id: home
        says: Who stands on a closed road goes home.
        do: |
          for f in features(table, road):
              if f.closed and held(f):
                  for s in standing:
                      if s.part in f:
                          standing -= s
                          reserve[s.owner] += 1
      - id: next-turn
        says: The next player's turn.
        do: |
          turn = after(turn)
          phase = laying
end:
  - {id: over, says: It is over., when: phase == over}
questions:
  open-roads:
    never: >-
      phase == moving
      and any(can(put, part=q) for q in parts(table, last) if q.kind == road and feature(table, q).closed)
  goes-on: {progress: true}
  conserved: {always: "all(reserve[p] + count(s for s in standing if s.owner == p) == 3 for p in Player)"}
  roads-match: {always: "all(shows(table, e) == shows(table, across(e)) for e in edges(table) if across(e).cell in table)"}
  tiles: {always: size(table) + size(box) == 41}
  two-in-a-hut:
    reach: >-
      any(count(p for p in Player if any(s.owner == p and s.part in f for s in standing)) == 2
          for f in features(table, hut))
  counted-in-a-hut:
    reach: >-
      any(count(p for p in Player if count(s for s in standing if s.owner == p and s.part in f) > 0) == 2
          for f in features(table, hut))
  none-is-lost: {always: size(table) + size(box) == old(size(table) + size(box))}
  on-the-table: {always: "all(s.part.cell in table for s in standing)"}
  emptied: {never: "phase == laying and any(f.closed and held(f) for f in features(table, road))"}
  worth-much: {always: "all(table[c].worth != 0 for c in table)"}
  ends: {terminates: true, measure: 3 * size(box) + (2 if phase == moving else 1 if phase == clearing else 0)}
  comes: {always-after: {when: phase == clearing, then: phase == laying}}
  cleared: {always-after: {when: phase == clearing, then: "not any(f.closed and held(f) for f in features(table, road))"}}
"""


def game_of(text: str = SPEC, players: int = 2) -> Game:
    game, sink = checked(text, players)
    assert game is not None, list(sink)
    return game


def answer(name: str, text: str = SPEC, players: int = 2, seconds: float = 20.0) -> Verdict | None:
    game = game_of(text, players)
    asked = Reader(game, Diagnostics(), evaluate.starts(game)[0]).question(game.document.questions[name])
    assert asked is not None
    return prove(game, asked, Budget(seconds))


def changed(old: str, new: str) -> str:
    assert SPEC.count(old) == 1, old
    return SPEC.replace(old, new)


def without(clause: str) -> Game:
    """The game without a clause."""
    return left_out(game_of(), clause)


@pytest.mark.parametrize(
    "name, rests",
    [
        ("open-roads", ("unfinished",)),
        ("goes-on", ()),
        ("comes", ("next-turn",)),
        ("roads-match", ("on-going",)),
        ("worth-much", ()),
    ],
)
def test_what_one_look_shows(name: str, rests: tuple[str, ...]) -> None:
    found = answer(name)
    assert found is not None
    assert (found.verdict, found.known_by, found.clauses) == ("holds", "proved", rests)


def slow(*row: object) -> object:
    return pytest.param(*row, marks=pytest.mark.slow)


@pytest.mark.parametrize(
    "name, players", [slow("conserved", 2), ("tiles", 2), ("on-the-table", 3), slow("conserved", 4), slow("tiles", 4)]
)
def test_what_every_step_keeps(name: str, players: int) -> None:
    found = answer(name, players=players)
    assert found is not None
    assert (found.verdict, found.known_by) == ("holds", "proved")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["two-in-a-hut", "counted-in-a-hut"])
def test_a_part_inside_a_piece_is_its_own_feature_for_ever(name: str) -> None:
    found = answer(name)
    assert found is not None
    assert (found.verdict, found.known_by, found.clauses) == ("fails", "proved", ("alone",))


def test_what_each_step_leaves_as_it_was() -> None:
    found = answer("none-is-lost")
    assert found is not None
    assert (found.verdict, found.known_by) == ("holds", "proved")


def test_what_a_loop_brings_about_of_each_thing_it_visits() -> None:
    found = answer("emptied")
    assert found is not None
    assert (found.verdict, found.known_by, found.clauses) == ("holds", "proved", ("home",))


AGAIN = """                          reserve[s.owner] += 1
          {loop}
              if {test}:
                  standing += Standing(owner=0, part=part(last, road, N))
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "old, new",
    [
        ("if f.closed and held(f):", "if f.size == 2 and held(f):"),
        ("if f.closed and held(f):", "if f.closed and f.size == 2 and held(f):"),
        ("for f in features(table, road):\n", "for f in features(table, hut):\n"),
        ("standing -= s", "pass"),
        ("                      if s.part in f:", "                      if s.owner == turn and s.part in f:"),
        (
            "                          standing -= s\n",
            "                          standing -= s\n" + 26 * " " + "standing += s\n",
        ),
        (
            "                          reserve[s.owner] += 1\n",
            AGAIN.format(loop="for f in features(table, hut):", test="f.size == 1"),
        ),
        (
            "                          reserve[s.owner] += 1\n",
            AGAIN.format(loop="for f in features(table, road):", test="f.closed"),
        ),
    ],
)
def test_loops_that_leave_some(old: str, new: str) -> None:
    assert answer("emptied", changed(old, new), seconds=8.0) is None


def test_a_measure_that_every_step_lowers() -> None:
    found = answer("ends")
    assert found is not None
    assert (found.verdict, found.known_by) == ("holds", "proved")
    assert found.clauses == ("lay", "stop", "put-down", "pass", "next-turn")


@pytest.mark.parametrize(
    "old, new",
    [
        ("3 * size(box)", "2 * size(box)"),
        ("2 if phase == moving", "1 if phase == moving"),
        ("          phase = laying", "          phase = moving"),
    ],
)
def test_measures_that_do_not_fall(old: str, new: str) -> None:
    assert answer("ends", changed(old, new), seconds=2.5) is None


def test_a_measure_may_be_below_0() -> None:
    assert answer("ends", changed("3 * size(box) +", "0 - 3 * size(table) +")) is not None


def test_attributes_of_faces_are_those_of_the_pieces() -> None:
    game = game_of()
    kind = next(v.type for v in game.variables if v.name == "table")
    kinds = game.names.kinds
    assert isinstance(kind, LayoutType)
    assert kind.pieces is not None
    assert kinds is not None
    table = Table(kind, kinds.family)
    for (face, r), turned in kind.pieces.canonical.items():
        lies = z3.simplify(table.canonical(table.face(face), z3.IntVal(r)))
        assert lies.as_long() == turned
        for name, of in (("worth", Int(0, 2)), ("arrow", DIRECTION)):
            told = z3.simplify(table.attribute(name, of, table.face(face), lies))
            assert told.eq(constant(of, kind.pieces.attribute(face, name, r)))


@pytest.mark.slow
def test_no_clause_is_called_needed_because_time_was_short() -> None:
    game = game_of()
    asked = Reader(game, Diagnostics(), evaluate.starts(game)[0]).question(game.document.questions["conserved"])
    assert asked is not None
    known = OpenBoards(game)
    lemmas = known.known(asked).proof(asked.formula, Budget(20.0))  # type: ignore[arg-type]
    assert lemmas is not None
    proof = known.known(asked).keeping([asked.formula, *lemmas])  # type: ignore[list-item]

    def hasty(p: Prover, b: Budget) -> bool:
        return proof(p, Budget(0.001) if p.off else b)

    found = rest(game, hasty, Budget(20.0))
    assert found is not None
    assert not found.needed


def test_clauses_are_not_sought_where_nobody_asks() -> None:
    game = game_of()
    asked = Reader(game, Diagnostics(), evaluate.starts(game)[0]).question(game.document.questions["open-roads"])
    assert asked is not None
    found = OpenBoards(game, cores=False).at_once(asked, Budget(5.0))
    assert found is not None
    assert found.verdict == "holds"
    assert not found.clauses


@pytest.mark.slow
@pytest.mark.parametrize(
    "name, old, new",
    [
        ("conserved", "reserve[turn] -= 1", "pass"),
        ("conserved", "reserve[s.owner] += 1", "pass"),
        ("conserved", "reserve[s.owner] += 1", "reserve[turn] += 1"),
        ("conserved", "standing -= s", "pass"),
        ("tiles", "box -= face", "pass"),
        ("none-is-lost", "box -= face", "pass"),
        ("counted-in-a-hut", "not held(feature(table, part))", "part.kind != mast"),
        ("roads-match", '"fits(table, cell, face, turned)"', '"cell not in table"'),
        ("open-roads", "part.kind != road or not", "part.kind != hut or not"),
        ("comes", "          phase = laying", "          pass"),
        ("goes-on", "not can(lay)", "size(box) == 0"),
        ("on-the-table", "Standing(owner=turn, part=part)", "Standing(owner=turn, part=part(step(last, E), hut))"),
    ],
)  # fmt: skip
def test_mutants_are_not_proved(name: str, old: str, new: str) -> None:
    assert answer(name, changed(old, new), seconds=6.0) is None


ORDER = """
tablelaw: 1
game: order
title: Order
players: 3
pieces: {Tile: {parts: {hut: {at: inside}}, rotation: fixed, contact: "True", faces: {a: {hut: {}}}}}
state:
  table: {type: "layout[Tile, 4]", init: {}}
  turn: {type: Player, init: 0}
  last: {type: Player, init: 0}
  square: {type: Cell, init: "(0, 0)"}
actions:
  go:
    by: turn
    do: |
      for p in {after(turn), turn}:
          last = p
      for c in neighbours8((0, 0)):
          square = c
      turn = after(turn)
questions:
  as-written: {always: last == before(turn) or turn == 0}
  as-seen: {always: "square in {(-1, -1), (0, 0)}"}
  as-visited: {always: "turn == 0 or last == turn or turn == 2"}
"""


def test_sets_are_walked_over_in_the_order_of_the_rules() -> None:
    assert answer("as-written", ORDER, 3) is None  # players are visited by seat, however they are written
    assert answer("as-seen", ORDER, 3) is None
    found = answer("as-visited", ORDER, 3)
    assert found is not None


@pytest.mark.slow
def test_what_is_false_is_not_proved() -> None:
    assert answer("cleared", changed("if f.closed and held(f):", "if f.size == 2 and held(f):"), seconds=5.0) is None


def formula(game: Game, action: str, clause: str) -> Expr:
    """A check of an action, typed."""
    found = game.action(action)
    assert found is not None
    return next(c.formula for c in found.checks if c.id == clause)


def test_a_check_that_others_make_needless() -> None:
    game = game_of()
    stricter = game_of(changed("reserve[turn] > 0", "reserve[turn] > 1"))
    assert implied(game, "put", formula(game, "put", "unfinished"), Budget(5.0))
    assert implied(stricter, "put", formula(game, "put", "in-hand"), Budget(5.0))
    assert not implied(game, "put", formula(stricter, "put", "in-hand"), Budget(3.0))


def test_games_that_are_one() -> None:
    game = game_of()
    assert equivalent(game, game_of(), Budget(5.0))
    assert equivalent(game, game_of(changed("reserve[turn] > 0", "reserve[turn] >= 1")), Budget(5.0))
    assert not equivalent(game, game_of(changed("reserve[turn] > 0", "reserve[turn] > 1")), Budget(3.0))
    assert not equivalent(game, game_of(changed("turn = after(turn)", "turn = before(turn)")), Budget(3.0))
    assert not equivalent(game, game_of(players=3), Budget(3.0))
    assert not equivalent(game, without("unfinished"), Budget(3.0))


def test_an_answer_keeps_what_was_proved() -> None:
    game = game_of()
    reader = Reader(game, Diagnostics(), evaluate.starts(game)[0])
    known = OpenBoards(game)
    asked = reader.question(game.document.questions["conserved"])
    assert asked is not None
    assert known.at_once(asked, Budget(5.0)) is None  # not in any position at all
    found = known.by_induction(asked, Budget(20.0))
    assert found is not None
    assert found.trace is None


def layouts_of(game: Game, r: random.Random, many: int) -> list[Layout]:
    """Layouts met in plays."""
    found: list[Layout] = []
    while len(found) < many:
        state = evaluate.starts(game)[0]
        for _ in range(12):
            moves = evaluate.moves(game, state)
            if not moves:
                break
            state = evaluate.apply(game, state, r.choice(moves)).state
        found.append(state["table"])
    return found


def test_the_facts_hold_of_layouts() -> None:
    game, r = game_of(), random.Random(5)
    table = next(v.type for v in game.variables if v.name == "table")
    kinds = game.names.kinds
    assert kinds is not None
    family = kinds.family
    facts = Table(table, family).facts  # type: ignore[arg-type]
    assert check_facts(r, World(table, layouts_of(game, r, 4), family), facts, 40) > 1_000  # type: ignore[arg-type]
