"""A game with a clause taken out or turned round is that game everywhere, also where a formula asks whether a move is legal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tablelaw.checkers.mutants import mutants
from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import State
from tablelaw.solver.mutate import without
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.load import load

LAPSE = """
tablelaw: 1
game: lapse
title: Lapse
players: 2
types: {Left: 0..9}
state:
  turn: {type: Player, init: 0}
  left: {type: Left, init: 9}
define:
  idle(): not can(take)
actions:
  take:
    by: turn
    params: {n: 1..3}
    require:
      - {id: enough, check: n <= left}
      - {id: odd, check: left % 2 == 1}
      - {id: unless-few, excepts: odd, check: left < 4}
    do: {left -= n; turn = after(turn)}
  lapse:
    by: table
    during: idle() and left > 0
    do: left -= 1
  ask:
    by: turn
    require: [{id: could-take-two, check: "can(take, n=2)"}]
    do: turn = after(turn)
end:
  - {id: empty, when: left == 0, winners: "{before(turn)}"}
""".replace("{left -= n; turn = after(turn)}", "|\n      left -= n\n      turn = after(turn)")
SWAPS = {
    ("without", "odd"): ("{id: odd, check: left % 2 == 1}", '{id: odd, check: "True"}'),
    ("against", "odd"): ("left % 2 == 1", "not left % 2 == 1"),
    ("without", "unless-few"): ("check: left < 4", 'check: "False"'),
    ("against", "unless-few"): ("check: left < 4", "check: not left < 4"),
    ("against", "enough"): ("check: n <= left", "check: not n <= left"),
    ("without", "could-take-two"): ('"can(take, n=2)"', '"True"'),
}


def written(path: Path, text: str) -> Game:
    """The game of a text."""
    path.write_text(text, encoding="utf-8")
    sink = Diagnostics()
    rules = load(str(path), sink)
    assert rules is not None
    assert not sink.has_errors
    game = rules.game({}, 2, Diagnostics())
    assert game is not None
    return game


def positions(game: Game) -> Iterator[State]:
    """Every position of the variables, reached or not."""
    start = evaluate.starts(game)[0]
    for turn in range(2):
        for left in range(10):
            yield start.set("turn", turn).set("left", left)


def moves(game: Game, state: State) -> list[object]:
    """What is legal, and what comes of it."""
    found: list[object] = [evaluate.end(game, state) is not None]
    for m in evaluate.moves(game, state):
        out = evaluate.apply(game, state, m, ())
        found.append((m, out.state, out.fault is not None))
    return found


@pytest.mark.parametrize(("how", "clause"), SWAPS)
def test_a_mutant_is_the_game_written_that_way(tmp_path: Path, how: str, clause: str) -> None:
    """The same moves in every position as in rules whose text says it; and not those of the game."""
    game = written(tmp_path / "game.yaml", LAPSE)
    old, new = SWAPS[how, clause]
    assert LAPSE.count(old) == 1
    other = written(tmp_path / "other.yaml", LAPSE.replace(old, new))
    mutant = next(m.game for m in mutants(game) if (m.how, m.clause) == (how, clause))
    told = [moves(mutant, s) for s in positions(game)]
    assert told == [moves(other, s) for s in positions(game)]
    assert told != [moves(game, s) for s in positions(game)]


def test_without_an_action_nobody_can_take_it(tmp_path: Path) -> None:
    """What asks for it is told no; what is taken out after it is taken out too."""
    game = written(tmp_path / "game.yaml", LAPSE)
    once = without(game, "take")
    assert {m.action for s in positions(once) for m in evaluate.moves(once, s)} == {"lapse"}
    twice = without(without(game, "odd"), "could-take-two")
    assert {"take", "ask"} == {m.action for s in positions(twice) for m in evaluate.moves(twice, s)}
    assert "odd" not in twice.clauses
    assert "could-take-two" not in twice.clauses
    assert [c.id for a in game.actions for c in a.checks] == ["enough", "odd", "could-take-two"]
