"""Questions of chance that have no figure, or none that fits: what is said, where, and which bounds are left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pytest

from tablelaw.solver import evaluate
from tablelaw.solver.chance import engine, in_part
from tablelaw.solver.chance.engine import Chance
from tablelaw.solver.engine import Engines
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import load
from tablelaw.spec.questions import Reader
from tablelaw.testing.dice import made

Ask = Callable[[str, str], Verdict]


@dataclass
class Asker:
    """Asks one question of a game written as a text."""

    folder: Path

    def __call__(self, rules: str, question: str, budget: Budget | None = None) -> Verdict:
        path = self.folder / "rules.yaml"
        text = f"tablelaw: 1\ngame: g\ntitle: G\n{rules}questions:\n  q: {{{question}}}\n"
        path.write_text(text, encoding="utf-8")
        sink = Diagnostics()
        found = load(str(path), sink)
        assert found is not None, [d.message for d in sink]
        game = found.game({}, found.counts[0], sink)
        assert game is not None, [d.message for d in sink]
        asked = Reader(game, sink, evaluate.starts(game)[0]).question(found.document.questions["q"])
        assert asked is not None
        assert not sink.has_errors, [d.message for d in sink]
        return Engines(game).figure(asked, budget or Budget(20.0))


@pytest.fixture
def ask(tmp_path: Path) -> Asker:
    return Asker(tmp_path)


COIN = """players: 1
state:
  heads: {type: 0..3, init: 0}
actions:
  toss: {by: table, chance: {side: die(2)}, do: "heads = heads + 1 if side == 1 else 0"}
end:
  - {id: three, when: heads == 3}
"""
ROUND = """players: 1
state:
  n: {type: 0..5, init: 0}
actions:
  begin: {by: 0, during: n == 0, do: n = 1}
  spin: {by: table, during: n > 0, chance: {k: die(4)}, do: n = k}
end:
  - {id: over, when: n == 5}
"""
ADD = """players: 2
state:
  turn: {type: Player, init: 0}
  total: {type: 0..9, init: 0}
actions:
  add:
    by: turn
    params: {n: 1..3}
    require: [{id: room, check: total + n <= 9}]
    chance: {side: die(2)}
    do: |
      total += n if side == 1 else 0
      turn = after(turn)
  leave: {by: turn, do: turn = after(turn)}
end:
  - {id: full, when: total == 9}
"""
BOTH = """players: 2
types: {Hand: [rock, paper]}
state:
  shown: {type: "map[Player, maybe[Hand]]", init: none}
actions:
  first: {by: 0, during: 'shown[0] == none', params: {h: Hand}, do: "shown[0] = h"}
  second: {by: 1, during: 'shown[1] == none', params: {h: Hand}, do: "shown[1] = h"}
end:
  - {id: both, when: "shown[0] != none and shown[1] != none"}
"""
TABLE = """players: 1
state:
  n: {type: 0..3, init: 0}
actions:
  set: {by: table, during: n == 0, params: {m: 1..3}, do: n = m}
end:
  - {id: over, when: n > 0}
"""


@pytest.mark.parametrize("rules, question, reason", [
    (ROUND, "expected: n", "what is asked for need not come: it goes round for ever and nobody chooses, as from n 1"),
    (ROUND, "expected: times('spin')", "what is asked for need not come: it goes round for ever and nobody chooses"),
    (ADD, "expected: total, play: best, who: [0]", "what is asked for need not come: the play can stay away from it for ever"),
    (ADD, "odds: total == 9, play: [add(n=total)]", "the list of `play` runs out: in a position that matters none of its "
     "moves is legal and true: turn 0, total 0"),
    (ADD, "odds: total == 9, play: {add: total < 3}", "the list of `play` runs out"),
    (ADD, "odds: total == 9", "players have choices here: say how they play"),
    (ADD, "odds: total == 9, play: best", "several players have choices: say with `who`"),
    (BOTH, "odds: 'ended() and shown[0] == paper', play: best, who: [0]", "players who want different things may move"),
    (TABLE, "odds: n == 2", "several actions of the table are open at once"),
    (COIN, "expected: 1 / (heads - 3)", "the formula has no value in a position that matters"),
])  # fmt: skip
def test_what_has_no_figure_says_why(ask: Asker, rules: str, question: str, reason: str) -> None:
    found = ask(rules, question)
    assert found.verdict == "unknown"
    assert (found.reason or "").startswith(reason), found.reason


def test_a_round_without_end_that_nobody_chooses_is_told_as_such(ask: Asker) -> None:
    found = ask(ROUND, "terminates: almost-surely")
    assert (found.verdict, found.reason) == ("fails", "nobody chooses and the play never ends, whatever is drawn, as from n 1")


def test_a_choice_that_keeps_the_play_from_its_end_is_told_as_such(ask: Asker) -> None:
    found = ask(ADD, "terminates: almost-surely")
    assert found.verdict == "fails"
    assert (found.reason or "").startswith("some choices keep the play from its end for ever, whatever is drawn, as from turn")


def test_more_steps_than_can_be_gone_through_leave_bounds(ask: Asker) -> None:
    """Within a billion steps it comes no less than within a thousand, and no more than ever."""
    found = ask(COIN, "odds: heads == 3, within: 1000000000")
    assert found.verdict == "value"
    assert found.value is None
    assert found.interval is not None
    low, high = map(Fraction, found.interval)
    assert high == 1
    assert 1 - Fraction(1, 10**9) < low < 1


def test_many_steps_stop_where_nothing_more_comes(ask: Asker) -> None:
    """A billion steps are no more than four where the fifth changes nothing."""
    once = COIN.replace("else 0", "else heads").replace("0..3, init: 0", "0..4, init: 0").replace("heads == 3", "heads >= 2")
    sure = once.replace("chance: {side: die(2)}, ", "").replace("heads + 1 if side == 1 else heads", "heads + 1")
    assert ask(sure, "odds: heads == 2, within: 1000000000").value == "1"


def test_no_step_at_all_is_a_question_about_the_start(ask: Asker) -> None:
    assert ask(COIN, "odds: heads == 3, within: 0").value == "0"
    assert ask(COIN, "odds: heads == 0, within: 0").value == "1"


def test_what_was_spent_is_told(ask: Asker) -> None:
    large = ADD.replace("0..9", "0..900000").replace("<= 9", "<= 900000").replace("total == 9", "total == 900000")
    found = ask(large, "odds: turn == 0 and total > 800000, play: best, who: [0]", Budget(0.3))
    assert found.verdict == "unknown"
    assert (found.reason or "").startswith("out of budget: the time of 0.3 s is over, with ")
    assert (found.reason or "").endswith(" positions met")


BOARD = """players: 1
pieces:
  Tile:
    parts: {road: {at: sides}}
    contact: mine == theirs
    faces: {end: {road: [[N]]}, straight: {road: [[N, S]]}}
state:
  table: {type: "layout[Tile, 3]", init: {}}
  got: {type: 0..3, init: 0}
actions:
  lay:
    by: 0
    during: size(table) < 3
    params: {face: Tile, cell: "frontier(table, apart=2)", rotation: rotations(face)}
    require: [{id: fits, check: "fits(table, cell, face, rotation)"}]
    chance: {luck: die(3)}
    do: |
      table = place(table, cell, face, rotation)
      got += 1 if luck == 1 else 0
end:
  - {id: all, when: size(table) == 3}
"""
ROW = "play: ['lay(face=end, cell=(size(table), 0), rotation=1)', lay]"


def test_a_stated_way_of_playing_is_followed_on_the_board(ask: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few layouts come of it, however many there are; not as few as are looked at first."""
    monkeypatch.setattr(engine, "FIRST_STATES", 4)
    found = ask(BOARD, f"odds: 'got == 2 and any(f.closed for f in features(table, road))', {ROW}")
    assert found.value is not None
    assert Fraction(found.value) < Fraction(2, 9)


def test_only_the_squares_that_a_list_names_are_tried(ask: Asker) -> None:
    """Lists that name squares, under conditions or not, give what the same moves give that leave them open."""
    goal = "odds: 'got == 1 and size(table) == 3 and size(features(table, road)) == 1'"
    line = "lay(face=straight, cell=(size(table), 0), rotation=1)"
    named = ask(BOARD, f"{goal}, play: ['{line}']")
    parted = ask(BOARD, f"{goal}, play: [{{'{line}': size(table) < 2}}, {{'{line}': size(table) == 2}}]")
    assert named.value == parted.value == "4/9"
    assert (named.states, parted.states) == (10, 10)


def test_too_large_a_chain_leaves_bounds_where_something_is_decided_early(ask: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    """The whole chain gives a figure between those that its nearest positions give, for everybody's way of playing."""
    for play in ("uniform", "best, who: [0]", "worst, who: [0]"):
        question = f"odds: turn == 0 and total == 7, before: total > 7, play: {play}"
        whole = ask(ADD, question)
        with monkeypatch.context() as patch:
            patch.setattr(engine, "MOST_STATES", 15)
            patch.setattr(in_part, "NEAREST", 14)
            part = ask(ADD, question)
        assert part.known_by == "bounded"
        assert part.interval is not None
        low, high = map(Fraction, part.interval)
        assert whole.value is not None
        assert 0 <= low <= Fraction(whole.value) <= high <= 1
        assert 0.1 < high - low < 1


def test_bounds_in_part_are_told_for_one_way_at_least(ask: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine, "MOST_STATES", 3)
    monkeypatch.setattr(in_part, "NEAREST", 2)
    found = ask(ADD, "odds: total == 1, before: total > 1, play: uniform")
    assert found.interval is not None
    assert Fraction(found.interval[0]) > 0


RAILS = """tablelaw: 1
game: rails
title: Rails
players: 1
pieces:
  Tile:
    parts: {rail: {at: sides}}
    rotation: free
    contact: mine == theirs
    faces: {bend: {count: 9, rail: [[N, E]]}, halt: {count: 9, rail: [[N]]}}
state:
  lost: {type: bool, init: false}
  table: {type: "layout[Tile, 12]", init: {}}
actions:
  lay:
    by: 0
    params: {face: Tile, cell: frontier(table), rotation: rotations(face)}
    require: [{id: fit, says: fits, check: "fits(table, cell, face, rotation)"}]
    do: table = place(table, cell, face, rotation)
  roll: {by: 0, chance: {pips: die(6)}, do: "if pips == 6:\\n  lost = true"}
end:
  - {id: gone, when: lost, winners: set()}
  - {id: line-done, when: "any(f.closed for f in features(table, rail))", winners: "{0}"}
questions:
  a: {odds: ended() and not lost, play: best, who: [0]}
  b: {odds: 0 in winners(), play: best, who: [0]}
"""


def test_an_end_that_the_board_may_bring_is_not_left_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two halts end the play whenever one likes: 1, not 0."""
    monkeypatch.setattr(engine, "FIRST_STATES", 200)
    monkeypatch.setattr(engine, "MOST_BOARDS", 200)
    game, asked = made(RAILS)
    for a in asked:
        assert Chance(game).ask(a, Budget(seconds=60)).value in (None, "1")


FAR = """tablelaw: 1
game: far
title: Far
players: 2
state:
  turn: {type: Player, init: 0}
  n: {type: 0..1000000, init: 0}
  good: {type: 0..2, init: 0}
actions:
  go:
    by: turn
    require: [{id: lim, says: x, check: n < 999990}]
    chance: {c: die(6)}
    do: "n += c\\nif n == 2:\\n  good = 1\\nturn = after(turn)"
  win: {by: 0, require: [{id: early, says: x, check: n == 1}], do: good = 1}
  lose: {by: 1, require: [{id: early-too, says: x, check: n == 1}], do: good = 2}
end: [{id: won, when: good > 0}]
questions:
  a: {odds: good == 1}
  b: {odds: good == 1, play: best}
  c: {odds: good == 1, play: best, who: [0]}
"""


def test_no_bounds_are_told_of_what_has_no_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody says how they play; several choose; two who want different things may move at once."""
    monkeypatch.setattr(engine, "MOST_STATES", 2_000)
    monkeypatch.setattr(in_part, "NEAREST", 500)
    game, asked = made(FAR)
    found = [Chance(game).ask(a, Budget(seconds=10)) for a in asked]
    assert [(v.verdict, v.interval) for v in found] == [("unknown", None)] * 3
    assert [
        "how they play" in str(found[0].reason),
        "`who`" in str(found[1].reason),
        "at the same time" in str(found[2].reason),
    ]


FAULTY = """tablelaw: 1
game: faulty
title: Faulty
players: 1
state: {n: {type: 0..3, init: 0}}
actions: {go: {by: 0, chance: {c: die(6)}, do: "n = 0 if c == 6 else n + c"}}
end: [{id: three, when: n == 3}]
questions: {t: {terminates: almost-surely}}
"""


def test_why_no_answer_was_given_is_not_lost() -> None:
    game, (asked,) = made(FAULTY)
    found = Engines(game).figure(asked, Budget(seconds=30))
    assert "fault" in str(found.reason)
    assert found.seconds is not None
    assert found.seconds < 25
