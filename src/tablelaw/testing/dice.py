"""Random games of dice with questions of chance."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from tablelaw.solver import evaluate
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.load import load
from tablelaw.spec.questions import Asked, Reader

PLAYS: tuple[tuple[str, frozenset[int] | None], ...] = (
    ("best", frozenset({0})),
    ("worst", frozenset({0})),
    ("uniform", None),
    ("best", frozenset({0, 1, 2})),
    ("best", frozenset({1})),
)


def dice_game(r: random.Random) -> tuple[Game, list[Asked]]:
    """A race of two on a short ring with random dice, and a question about it with and without `before`."""
    last = r.choice((2, 3))
    actions = []
    for n in range(r.randint(1, 3)):
        draw, by = r.choice(
            (
                ("{x: die(2)}", "x"),
                ("{x: die(3), y: die(2)}", "x - y"),
                ("{x: 'one_of({0: 1/6, 1: 1/2, 3: 1/3})'}", "x"),
                ("{x: 'roll(2, Col)'}", "x[red]"),
                ("{x: 'roll(1 + at[0], Col)'}", "x[red] + x[red] * x[red]"),
                ("{x: draw(bowl)}", "(1 if x == red else 0)"),
                ("{x: die(1)}", "x"),
            )
        )
        keep = "\n      hand = x" if "roll(2" in draw else ""
        turn = r.choice(("after(turn)", "after(turn)", "turn"))
        phase = r.choice(("", "", f"\n    during: at[{n % 2}] != 1"))
        if n == 0:
            phase, turn = "", "after(turn)"
        actions.append(
            f"""  go{n}:
    by: turn{phase}
    chance: {draw}
    do: |
      at[actor] = (at[actor] + {by}) % {last + 1}{keep}
      turn = {turn}
"""
        )
    goal, before = r.choice((("at[0] == LAST", "at[1] == LAST"), ("hand[red] > 0 and at[1] == 1", "at[0] == LAST")))
    blue = r.choice((2, 2, 3))  # as many as green ones: then the rules may not tell the two apart
    text = f"""tablelaw: 1
game: g
title: G
players: 2
types: {{Spot: 0..{last}, Col: [red, blue, green]}}
constants: {{LAST: {last}}}
state:
  turn: {{type: Player, init: 0}}
  at: {{type: "map[Player, Spot]", init: 0}}
  hand: {{type: "bag[Col, 2]", init: bag()}}
  bowl: {{type: "bag[Col, 6]", init: {{red: 1, blue: {blue}, green: 2}}}}
actions:
{"".join(actions)}end:
  - {{id: over, when: "at[0] == LAST or at[1] == LAST"}}
questions:
  one: {{odds: "{goal}"}}
  two: {{odds: "{goal}", before: "{before}"}}
"""
    return made(text)


def made(text: str) -> tuple[Game, list[Asked]]:
    """A game with its questions."""
    sink = Diagnostics()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rules.yaml"
        path.write_text(text, encoding="utf-8")
        rules = load(str(path), sink)
    assert rules is not None, [d.message for d in sink]
    game = rules.game({}, 2, sink)
    assert game is not None, [d.message for d in sink]
    reader = Reader(game, sink, evaluate.starts(game)[0])
    found = [reader.question(q) for q in rules.document.questions.values()]
    assert not sink.has_errors, [(d.message, d.span) for d in sink]
    return game, [q for q in found if q is not None]
