"""Random small games in which reductions find something: squares in a ring, dice, actions of the table, things never read.

Each feature is left out or spoiled now and then, so that what is alike, independent or not read is so by the rules' text alone.
"""

from __future__ import annotations

import random

TEXT = """
tablelaw: 1
game: reducible
title: Reducible
players: 2
types: {{Square: 0..3}}
state:
  turn: {{type: Player, init: 0}}
  board: {{type: "map[Square, 0..2]", init: {board}}}
  last: {{type: Square, init: 0}}
  wet: {{type: bool, init: {wet}}}
  dry: {{type: bool, init: {dry}}}
  rain: {{type: 0..2, init: 0}}
  snow: {{type: 0..3, init: 0}}
  luck: {{type: 2..6, init: 2}}
actions:
  mark:
    by: turn
    params: {{square: Square}}
    require: [{{id: free, says: Not a full square., check: "board[square] < {full}{free}"}}]
    chance: {{one: die({faces}), other: die({faces})}}
    do: |
      board[square] = {new}
      last = {noted}
      turn = after(turn)
      wet = true
      dry = {dried}
      luck = {luck}
  shower:
    by: table
    during: wet
    do: |
      rain = {rained}
      wet = false{wetter}
  flurry:
    by: table
    during: dry
    do: |
      snow = {snowed}
      dry = {still}{drier}
end:
  - {{id: over, says: Then it ends., when: "{over}", winners: "{{0}}"}}
questions:
  states: {{count: states}}
  some: {{count: states, where: "{where}"}}
  plays: {{count: plays}}
  two: {{count: moves, depth: 2}}
  always: {{always: "{always}"}}
  never: {{never: "{never}"}}
  reach: {{reach: "{where}"}}
  most: {{largest: "{number}"}}
  least: {{smallest: "{number}", where: "{where}"}}
  progress: {{progress: true}}
  ends: {{terminates: true}}
  forced: {{force: {{who: [{who}], goal: "{where}"}}}}
  leads: {{always-after: {{when: "{where}", then: "{never}"}}}}
"""
FORMULAS = (
    "wet and not dry",
    "dry and not wet",
    "rain == 1 and snow == 0",
    "rain < snow",
    "all(board[s] == 1 for s in Square)", "board[0] == 2", "any(board[s] == 2 for s in Square)", "rain == 2", "snow == 3",
    "sum(board[s] for s in Square) == 3", "luck == 5", "turn == 1 and board[1] == board[3]", "last == 2", "wet and dry",
    "board[0] == board[2] and board[1] == board[3]", "count(s for s in Square if board[s] == 1) == 2",
)  # fmt: skip
NUMBERS = (
    "sum(board[s] for s in Square)",
    "rain + snow",
    "luck",
    "board[0] * 2 + board[2]",
    "count(s for s in Square if board[s] > 0)",
)


def reducible(seed: int) -> str:
    """The text of a game."""
    r = random.Random(seed)
    pick = r.choice
    return TEXT.format(
        board=pick(("0", "0", "0", "1")),
        wet=pick(("false", "true")),
        dry=pick(("false", "true")),
        full=pick(("1", "2")),
        free=pick(("", "", "", " and square != last", " and (square != 0 or rain == 0)", " and board[(square + 2) % 4] < 2")),
        faces=pick(("1", "2", "3")),
        new=pick(("board[square] + 1", "board[square] + 1", "2 if one == other else 1", "1 + turn", "min(2, one)")),
        noted=pick(("square", "last")),
        dried=pick(("true", "true", "turn == 0", "wet")),
        luck=pick(("one + other", "one + other", "luck", "one * 2 - other + 3", "max(one, other) + 1", "one + 1")),
        rained=pick(("(rain + 1) % 3", "(rain + 1) % 3", "2 - rain", "rain + 1", "snow % 3", "1")),
        snowed=pick(("(snow + 1) % 4", "(snow + 1) % 4", "3 - snow", "(snow + rain) % 4", "2")),
        wetter=pick(("", "", "\n      board[last] = rain", "\n      dry = false")),
        drier=pick(("", "", "\n      last = 3 - last", "\n      board[last] = 2 - board[last]", "\n      turn = after(turn)")),
        still=pick(("false", "false", "false", "wet", "snow == 3")),
        over=pick(
            ("all(board[s] > 0 for s in Square)", "all(board[s] == 2 for s in Square)", "rain == 2", "luck == 6", "false")
        ),
        where=pick(FORMULAS),
        always=pick(FORMULAS),
        never=pick(FORMULAS),
        number=pick(NUMBERS),
        who=pick(("0", "1", "0, 1")),
    )
