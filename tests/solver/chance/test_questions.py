"""Questions of chance on small games: the parts of an expectation, what is refused and why, and names alike."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import pytest

from tablelaw.solver import evaluate
from tablelaw.solver.chance import engine, ready
from tablelaw.solver.chance.engine import Chance
from tablelaw.solver.chance.graph import Refused
from tablelaw.solver.chance.lumping import alike
from tablelaw.solver.chance.ready import split
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.load import load
from tablelaw.spec.questions import Asked, Reader

HEAD = "tablelaw: 1\ngame: g\ntitle: G\n"


class Small(NamedTuple):
    """A game and its questions."""

    game: Game
    asked: dict[str, Asked]

    def ask(self, name: str) -> Verdict:
        return Chance(self.game).ask(self.asked[name], Budget(seconds=10))


Read = Callable[[str], Small]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Read a game from a text."""

    def reads(text: str) -> Small:
        path = tmp_path / "rules.yaml"
        path.write_text(HEAD + text, encoding="utf-8")
        sink = Diagnostics()
        rules = load(str(path), sink)
        assert rules is not None, [d.message for d in sink]
        game = rules.game({}, rules.counts[0], sink)
        assert game is not None, [d.message for d in sink]
        reader = Reader(game, sink, evaluate.starts(game)[0])
        asked = {q.id: reader.question(q) for q in rules.document.questions.values()}
        assert not sink.has_errors, [d.message for d in sink]
        return Small(game, {k: a for k, a in asked.items() if a is not None})

    return reads


TURNS = """players: 2
types: {Points: 0..7}
state:
  turn: {type: Player, init: 0}
  pot: {type: Points, init: 0}
actions:
  step: {by: turn, do: "pot += 1; turn = after(turn)"}
  throw: {by: turn, chance: {x: die(2)}, do: "pot += x; turn = after(turn)"}
end:
  - {id: full, when: pot >= 6}
questions:
"""

COIN = """players: 2
types: {Points: 0..4}
state:
  turn: {type: Player, init: 0}
  pot: {type: Points, init: 0}
actions:
  throw: {by: turn, chance: {x: die(2)}, do: "pot = min(pot + x, 4)"}
  stop: {by: turn, during: pot > 0, do: turn = after(turn)}
end:
  - {id: full, when: pot == 4}
questions:
"""


def test_choices_need_a_way_of_playing(read: Read) -> None:
    """Also where only so many steps are asked for."""
    g = read(COIN + "  a: {odds: pot == 3}\n  b: {odds: pot == 3, within: 2}\n  c: {odds: pot == 3, play: best}\n")
    for name in ("a", "b"):
        v = g.ask(name)
        assert v.verdict == "unknown"
        assert v.reason is not None
        assert "say how they play" in v.reason
    assert "`who`" in (g.ask("c").reason or "")


def test_an_expectation_that_may_never_come_is_refused(read: Read) -> None:
    """Two who hand each other the turn for ever; not so where all moves are alike."""
    g = read(
        COIN
        + "  a: {expected: times('throw'), play: worst, who: [0]}\n  b: {expected: times('throw'), play: uniform}\n"
        + "  c: {expected: 'pot', at: pot >= 3, play: [throw]}\n"
    )
    assert "for ever" in (g.ask("a").reason or "")
    # throws until 4: 1 + (e2 + e3) / 2 and so on
    e3 = Fraction(1)
    e2 = 1 + e3 / 2
    e1 = 1 + (e2 + e3) / 2
    assert g.ask("b").value == str(1 + (e1 + e2) / 2)
    assert g.ask("c").value == str(3 * Fraction(5, 8) + 4 * Fraction(3, 8))


def test_figures_of_two_sides(read: Read) -> None:
    """Player 0 for it, player 1 against it; the same told as the worst for player 1."""
    g = read(
        TURNS
        + "  a: {odds: pot == 6, play: best, who: [0, 1]}\n  b: {odds: pot == 6, play: worst, who: [0, 1]}\n"
        + "  c: {odds: pot == 6, play: best, who: [0]}\n  d: {odds: pot == 6, play: worst, who: [1]}\n"
        + "  e: {odds: pot == 6, play: best, who: [1]}\n"
    )

    def best(pot: int, seat: int, sign: dict[int, int]) -> Fraction:
        if pot >= 6:
            return Fraction(int(pot == 6))
        found = [best(pot + 1, 1 - seat, sign), (best(pot + 1, 1 - seat, sign) + best(pot + 2, 1 - seat, sign)) / 2]
        return max(found, key=lambda x: sign[seat] * x)

    assert g.ask("a").value == str(best(0, 0, {0: 1, 1: 1})) == "1"
    assert g.ask("b").value == str(best(0, 0, {0: -1, 1: -1}))
    assert g.ask("c").value == g.ask("d").value == str(best(0, 0, {0: 1, 1: -1}))
    assert g.ask("e").value == str(best(0, 0, {0: -1, 1: 1}))


def test_two_who_can_keep_the_turn_going(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both may stop for ever: the figure is exact all the same, and bounds hold it."""
    g = read(COIN + "  a: {odds: pot == 3, play: best, who: [0]}\n")
    assert g.ask("a").value == "5/8"
    monkeypatch.setattr(engine, "MOST_EXACT_STATES", 0)
    v = g.ask("a")
    assert v.interval is not None
    assert Fraction(v.interval[0]) <= Fraction(5, 8) <= Fraction(v.interval[1])


def test_several_actions_of_the_table_are_refused(read: Read) -> None:
    """Nobody says which comes first."""
    g = read("""players: 1
types: {Points: 0..4}
state: {pot: {type: Points, init: 0}}
actions:
  rain: {by: table, during: pot < 3, do: pot += 1}
  hail: {by: table, during: pot < 3, do: pot = 3}
end:
  - {id: full, when: pot >= 3}
questions:
  a: {odds: pot == 3}
""")
    assert "nobody chooses" in (g.ask("a").reason or "")


def test_moves_at_the_same_time_by_two_who_differ_are_refused(read: Read) -> None:
    """Who is first is not said by the rules."""
    g = read("""players: 2
types: {Points: 0..4}
state: {pot: {type: Points, init: 0}}
actions:
  up: {by: 0, during: pot == 0, do: pot = 1}
  down: {by: 1, during: pot == 0, do: pot = 2}
end:
  - {id: full, when: pot > 0}
questions:
  a: {odds: pot == 1, play: best, who: [0]}
  b: {odds: pot == 1, play: uniform}
  c: {odds: pot == 1, play: best, who: [0, 1]}
""")
    assert "same time" in (g.ask("a").reason or "")
    assert g.ask("b").value == "1/2"
    assert g.ask("c").value == "1"


def test_a_list_is_followed_in_order(read: Read) -> None:
    """The first move that is legal and true; a list that runs out is told."""
    g = read(
        COIN
        + "  a: {odds: pot == 3, play: {stop: pot >= 3 and turn == 0, throw: 'true'}}\n"
        + "  b: {odds: pot == 3, play: [stop, throw]}\n  c: {odds: pot == 4, play: {throw: pot < 2}}\n"
        + "  d: {odds: pot == 4, within: 2, play: {throw: pot < 1}}\n"
        + "  e: {odds: pot == 4, within: 1, play: {throw: pot < 1}}\n"
    )
    assert g.ask("a").value == "5/8"
    assert g.ask("b").value == "0"
    assert "runs out" in (g.ask("c").reason or "")
    assert "runs out" in (g.ask("d").reason or "")
    assert g.ask("e").value == "0"


@pytest.mark.parametrize(("text", "counts", "rest"), [
    ("times('throw') + 2 * times('stop') - times('throw')", {"throw": 0, "stop": 2}, False),
    ("pot - 3 * times('stop')", {"stop": -3}, True),
    ("(times('throw') + pot) * 2", {"throw": 2}, True),
])  # fmt: skip
def test_parts_of_an_expectation(read: Read, text: str, counts: dict[str, int], rest: bool) -> None:
    """Counts with their factors, and what reads the position."""
    asked = read(COIN + f'  a: {{expected: "{text}", play: uniform}}\n').asked["a"]
    assert asked.formula is not None
    found = split(asked.formula)
    assert found.counts == counts
    assert (type(found.rest).__name__ != "Const") == rest


def test_counts_that_are_not_added_are_refused(read: Read) -> None:
    """A largest of counts is no sum."""
    asked = read(COIN + "  a: {expected: \"max(times('throw'), 2)\", play: uniform}\n").asked["a"]
    assert asked.formula is not None
    with pytest.raises(Refused, match="sums and multiples"):
        split(asked.formula)


BAG = """players: 1
types: {Col: [red, blue, green], Warm: [red, blue]}
state:
  hand: {type: "bag[Col, 3]", init: bag()}
actions:
  roll: {by: 0, during: size(hand) == 0, chance: {r: "roll(3, Col)"}, do: hand = r}
end:
  - {id: over, when: size(hand) > 0}
questions:
"""


@pytest.mark.parametrize(("goal", "classes"), [
    ("hand[red] >= 2", [("blue", "green")]),
    ("size(hand) == 3", [("red", "blue", "green")]),
    ("any(hand[c] == 3 for c in Col)", [("red", "blue", "green")]),
    ("hand[red] > hand[blue]", []),
])  # fmt: skip
def test_names_alike(read: Read, monkeypatch: pytest.MonkeyPatch, goal: str, classes: list[tuple[str, ...]]) -> None:
    """Names that the rules and the question do not tell apart; the figure is the same."""
    g = read(BAG + f'  a: {{odds: "{goal}"}}\n')
    formula = g.asked["a"].formula
    assert formula is not None
    assert alike(g.game, [formula]) == classes
    found = g.ask("a")
    monkeypatch.setattr(ready, "alike", lambda game, asked: [])
    plain = g.ask("a")
    assert found.value == plain.value is not None


PART = """players: 1
types: {Warm: [red, blue], Col: [Warm, green]}
state:
  hand: {type: "bag[Col, 3]", init: bag()}
actions:
  roll: {by: 0, during: size(hand) == 0, chance: {r: "roll(1, Col)"}, do: hand = r}
end:
  - {id: over, when: size(hand) > 0}
questions:
  a: {odds: "any(hand[c] > 0 for c in Warm)"}
"""


def test_a_part_of_the_names_tells_them_apart(read: Read) -> None:
    """A comprehension over a part: green is not as red."""
    g = read(PART)
    formula = g.asked["a"].formula
    assert formula is not None
    assert alike(g.game, [formula]) == [("red", "blue")]
    assert g.ask("a").value == "2/3"


NESTED = """players: 1
types: {Col: [red, blue]}
state:
  seen: {type: "map[Col, map[Col, bool]]", init: false}
  hand: {type: "bag[Col, 1]", init: bag()}
actions:
  roll:
    by: 0
    during: size(hand) == 0
    chance: {r: "roll(1, Col)", t: "roll(1, Col)"}
    do: |
      for c in Col:
        for d in Col:
          seen[c][d] = r[c] > 0 and t[d] > 0
      hand = r
end:
  - {id: over, when: size(hand) > 0}
questions:
  a: {odds: "any(seen[c][c] for c in Col)"}
"""


def test_names_that_are_counted_by_twice(read: Read) -> None:
    """A table of two names at once is not put in order by one of them."""
    assert read(NESTED).ask("a").value == "1/2"


HEADS = """players: 1
state:
  heads: {type: 0..2, init: 0}
actions:
  flip: {by: 0, chance: {c: die(2)}, do: heads += 2 - c}
end:
  - {id: two, when: heads == 2}
questions:
  late: {odds: times('flip') >= 3}
  early: {odds: ended(), before: times('flip') >= 3}
  after-two: {expected: heads, at: times('flip') == 2}
  at-most-three: {expected: times('flip'), at: times('flip') >= 3}
  product: {expected: heads * times('flip'), at: times('flip') >= 3}
  three-in-all: {odds: times('flip') == 3 and ended()}
  two-more: {odds: "times('flip') >= 4 and 2 != times('flip') and ended()"}
  open: {odds: times('flip') == 3 * heads - 3 and ended()}
"""


def test_counts_that_decide_are_counted_on_the_way(read: Read) -> None:
    """Two heads in two flips with 1/4, in three with 1/2. One that is only compared
    with numbers is counted no further than these; another without an end is refused, and not cut off."""
    g = read(HEADS)
    expected = {
        "late": "3/4",
        "early": "1/2",
        "after-two": "1",
        "at-most-three": "11/4",
        "product": "29/8",
        "three-in-all": "1/4",
        "two-more": "1/2",
    }
    assert {name: g.ask(name).value for name in expected} == expected
    assert "255 times" in (g.ask("open").reason or "")


FAR = """players: 1
state:
  n: {type: 0..300000, init: 0}
  rolls: {type: 0..300000, init: 0}
actions:
  roll: {by: 0, during: n != 5, chance: {d: die(6)}, do: "n += d; rolls += 1"}
end:
  - {id: done, when: n > 299980}
questions:
  first: {odds: n == 3, within: 1, play: best}
  four: {odds: n == 4, within: 4, play: best}
  none: {odds: n == 0, within: 0, play: best}
  stuck: {odds: n == 7, within: 2, play: best}
"""


def test_what_lies_further_than_the_steps_counted_is_not_looked_at(read: Read) -> None:
    """Nobody can move at 5: that matters where a step from there is counted, not where the steps are over."""
    g = read(FAR)
    first = g.ask("first")
    assert (first.value, first.states) == ("1/6", 7)
    assert g.ask("none").value == "1"
    for name in ("four", "stuck"):
        assert g.ask(name).verdict == "unknown"
        assert "no move" in (g.ask(name).reason or "")


SIXES = """players: 1
state: {over: {type: bool, init: false}, n: {type: 0..1, init: 0}}
actions:
  a: {by: 0, chance: {d: die(6)}, do: "over = d == 6; n = 1 - n"}
  b: {by: 0, chance: {d: die(6)}, do: "over = d == 5; n = 1 - n"}
end:
  - {id: done, when: over}
questions:
  sum: {odds: "ended() and times('a') + times('b') <= 5", play: best}
  multiples: {odds: "ended() and 2 * times('a') + (3 + times('b') * 2) > 11", play: worst}
  listed: {odds: "ended() and 5 >= times('a') + times('b')", play: [{b: n == 1}, a]}
  both: {odds: "ended() and times('a') + times('b') == 2 and times('a') == 1", play: best}
  less: {odds: "ended() and times('a') - times('b') <= 5", play: best}
  turned: {odds: "ended() and times('a') + -1 * times('b') <= 5", play: best}
"""


def test_sums_of_counts_are_counted_as_far_as_they_are_told_apart(read: Read) -> None:
    """The first six (or five) in five throws or fewer; in five or more; of differences no count need be the last."""
    g = read(SIXES)
    miss = Fraction(5, 6)
    assert g.ask("sum").value == g.ask("listed").value == str(1 - miss**5)
    assert g.ask("multiples").value == str(miss**4)
    assert g.ask("both").value == str(miss * Fraction(1, 6))
    for name in ("less", "turned"):
        assert g.ask(name).verdict == "unknown"
        assert "255 times" in (g.ask(name).reason or "")
