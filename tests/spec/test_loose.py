"""What the rules may do with a layout, a written position may show; a slip of the pen is told elsewhere."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tablelaw.solver import evaluate
from tablelaw.solver.trace import position_json
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.load import load
from tablelaw.spec.operators import Fault
from tablelaw.spec.questions import Reader
from tablelaw.spec.source import Source
from tablelaw.spec.yaml_nodes import parse_yaml
from tablelaw.testing import boards

TEXT = """\
tablelaw: 1
game: slips
title: Slips
players: 1
pieces:
  Tile:
    parts: {road: {at: sides}}
    contact: mine == theirs
    faces: {straight: {count: 4, road: [[N, S]]}}
state:
  table: {type: "layout[Tile, 4]", init: {}}
  stone: {type: "maybe[Part]", init: none}
actions:
  lay:
    by: "0"
    params: {cell: frontier(table), q: rotations(straight)}
    ASKS
    do: |
      table = place(table, cell, straight, q)
      DOES
"""
ASKS, DOES = "require: {id: fitting, says: It fits., check: 'fits(table, cell, straight, q)'}", "stone = part((0, 0), road, N)"
CLASH = '{"table": {"(0, 0)": "straight/0", "(0, 1)": "straight/1"}}'
GONE = '{"table": {"(0, 0)": "straight/1"}, "stone": "part((0, 0), road, N)"}'


def read(game: Game, text: str) -> tuple[object, list[str]]:
    """A position, and the codes of what is wrong with it."""
    sink = Diagnostics()
    node = parse_yaml(Source("--at", text), sink)
    found = Reader(game, sink, evaluate.starts(game)[0]).position(node)
    return found, [d.code for d in sink.items]


@pytest.mark.parametrize(
    ("asks", "does", "clash", "gone"),
    [
        (ASKS, "", ["T114"], ["T115"]), ("", "", [], ["T115"]), (ASKS, DOES, ["T114"], []),
        (ASKS, "table = place(table, (3, 3), straight, 0)", [], ["T115"]),
    ],
)  # fmt: skip
def test_a_position_that_the_rules_can_make_is_read(
    asks: str, does: str, clash: list[str], gone: list[str], tmp_path: Path
) -> None:
    """Pieces whose contact is not asked; a part that is named by its place."""
    file = tmp_path / "slips.yaml"
    file.write_text(TEXT.replace("ASKS", asks or "says: Lay.").replace("DOES", does), encoding="utf-8")
    rules = load(str(file), sink := Diagnostics())
    assert rules is not None, [d.message for d in sink.items]
    game = rules.game({}, 1, Diagnostics())
    assert game is not None
    assert read(game, CLASH)[1] == clash
    assert read(game, GONE)[1] == gone


def test_the_positions_of_random_games_are_read() -> None:
    """Each position that the rules lead to is written, read, and is the same."""
    seen = 0
    for seed in (*range(24), 33, 50):
        _, game = boards.sound(seed * 7919 + 13)
        met = list(evaluate.starts(game))[:2]
        for state in met:  # grows while it is walked
            found, wrong = read(game, json.dumps(position_json(game, state)))
            assert (found, wrong) == (state, []), seed
            seen += 1
            try:
                for move in evaluate.moves(game, state)[:6]:
                    for drawn, _ in evaluate.draws(game, state, move)[:3]:
                        out = evaluate.apply(game, state, move, drawn)
                        if out.fault is None and out.state not in met and len(met) < 25:
                            met.append(out.state)
            except Fault:
                continue
    assert seen > 200
