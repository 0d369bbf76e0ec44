"""Whole games: types, clauses, actions, draws, effects, files put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tablelaw.spec.core import Assign, Bind, Branch, Fire, Loop
from tablelaw.spec.types import BagOf, Enum, Int, MapOf, Maybe, Record

if TYPE_CHECKING:
    from tests.spec.conftest import Reader


def test_types_and_constants_stand_on_each_other(read: Reader) -> None:
    """Bounds use constants (numbers, lists, maps), players and other types, in whatever order they are written."""
    found = read("""
        types:
          Deck: "bag[Card, size(supply(Card))]"
          Points: 0..TARGET
          Last: 0..LIMITS[2]
          Worth: 0..WORTH[king]
          Seats: 1..players
          Wide: "map[Card, Points]"
          Card: {king: {count: KINGS}, queen: {count: 2}}
        constants:
          TARGET: BASE * 2
          BASE: 10
          LIMITS: [1, 2, BASE]
          WORTH: {king: 5, queen: 4}
          KINGS: 3
    """)
    assert found.codes == [], found.shown()
    types = found.game.names.types
    assert types["Points"] == Int(0, 20)
    assert types["Last"] == Int(0, 10)
    assert types["Worth"] == Int(0, 5)
    assert types["Seats"] == Int(1, 2)
    assert isinstance(types["Deck"], BagOf)
    assert types["Deck"].limit == 5
    assert isinstance(types["Wide"], MapOf)


def test_enumerations_take_others_in(read: Reader) -> None:
    """`Face: [Row, skull]` has the names of both, and values of the two may be compared."""
    found = read("""
        types:
          Face: [Row, skull]
          Row: [rose, thorn]
        state: {row: {type: Row}, face: {type: Face}}
        define: {alike(): row == face or face == skull and row in Face}
    """)
    assert found.codes == [], found.shown()
    face, row = found.game.names.types["Face"], found.game.names.types["Row"]
    assert isinstance(face, Enum)
    assert isinstance(row, Enum)
    assert face.values == ("rose", "thorn", "skull")
    assert face.family == row.family


def test_attributes_left_out_have_a_value(read: Reader) -> None:
    """0, false, none or the first name; a count is 1."""
    found = read("""
        types:
          Colour: [red, blue]
          Unit: {big: {strength: 3, colour: blue, swift: true}, small: {}, tiny: }
        state: {u: {type: Unit}}
    """)
    assert found.codes == [], found.shown()
    for text, value in [
        ("small.strength", 0),
        ("tiny.swift", False),
        ("small.colour == red", True),
        ("big.colour == blue", True),
        ("size(supply(Unit))", 3),
    ]:
        assert found.value(text) == value


def test_records_and_what_is_none(read: Reader) -> None:
    """Records are types with fields, which may be none."""
    found = read(
        """
        types: {Deal: {record: {by: Player, n: 0..9}}}
        state: {last: {type: "maybe[Deal]", init: none}, all: {type: "list[Deal, 3]", init: []}}
        actions:
          go:
            by: 0
            do: |
              last = Deal(by=actor, n=3)
              last.n += 1
              all += Deal(by=1, n=2)
              all[0].n = 4
              last = none
    """.replace("all", "every")
    )
    assert found.codes == [], found.shown()
    kind = found.game.names.variables["last"]
    assert isinstance(kind, Maybe)
    assert isinstance(kind.elem, Record)


def test_effects_keep_their_clauses(read: Reader) -> None:
    """Each clause of a `do` is a fire of its name; a called list is bound to its arguments."""
    found = read("""
        types: {Card: [king, queen]}
        state:
          turn: {type: Player}
          hand: {type: "bag[Card, 5]"}
          seen: {type: "set[Card]"}
          score: {type: "map[Player, 0..9]"}
        effects:
          pay(p in Player, n in 0..9):
            - {id: paid, when: n > 0, do: "score[p] -= n"}
            - score[p] += 0
        actions:
          go:
            by: turn
            params: {c: hand}
            do:
              - id: taken
                when: c in hand
                do: |
                  hand -= c
                  seen += c
                  if size(seen) > 1:
                    seen -= {c}
                  else:
                    for q in Player:
                      score[q] += 1
              - pay(turn, n=2)
              - reset(hand, seen)
    """)
    assert found.codes == [], found.shown()
    taken, paying, resetting = found.game.actions[0].effects
    assert isinstance(taken, Fire)
    assert taken.clause == "taken"
    assert taken.when is not None
    assert [type(e) for e in taken.body] == [Assign, Assign, Branch]
    branch = taken.body[2]
    assert isinstance(branch, Branch)
    assert isinstance(branch.no[0], Loop)
    assert isinstance(paying, Fire)
    assert paying.clause == "go"
    (bind,) = paying.body
    assert isinstance(bind, Bind)
    assert [e.clause for e in bind.body if isinstance(e, Fire)] == ["paid", "pay"]
    assert isinstance(resetting, Fire)
    assert len(resetting.body) == 2


def test_exceptions_lift_a_check(read: Reader) -> None:
    """A check that excepts another is no rule of its own; an exception of the exception takes it back."""
    found = read("""
        state: {turn: {type: Player}, pot: {type: 0..9}}
        actions:
          go:
            by: turn
            require:
              - {id: rule, check: pot == 0}
              - {id: joker, excepts: rule, check: pot > 5}
              - {id: no-joker, excepts: joker, check: pot == 7}
    """)
    assert found.codes == [], found.shown()
    (check,) = found.game.actions[0].checks
    assert check.id == "rule"
    assert len(check.lifted) == 1
    for pot, legal in [(0, True), (3, False), (6, True), (7, False), (8, True)]:
        assert found.value("can(go)", pot=pot) is legal


def test_proposed_clauses_are_not_in_force(read: Reader) -> None:
    """A clause that is proposed waits for a question that names it."""
    found = read("""
        state: {turn: {type: Player}}
        actions:
          go: {by: turn, require: [{id: a, proposed: true, check: "false"}]}
          stop: {by: turn, proposed: true}
    """)
    assert [a.name for a in found.game.actions] == ["go"]
    assert found.game.actions[0].checks == ()


def test_draws(read: Reader) -> None:
    """Dice, rolls, draws and weighted choices have the types of what they give."""
    found = read("""
        types: {Face: [a, b], N: 0..3}
        state: {turn: {type: Player}, deck: {type: "bag[Face, 9]"}, n: {type: N}}
        actions:
          go:
            by: turn
            params: {k: 1..3}
            chance:
              d: die(6)
              e: die([1, 1, 2])
              r: roll(n + k, Face)
              c: draw(deck)
              o: "one_of({a: 1/3, b: 2/3})"
            do: "n = k if d > e and o == c else r[a]"
    """)
    assert found.codes == [], found.shown()
    kinds = {d.name: (d.kind, d.type) for d in found.game.actions[0].draws}
    assert kinds["d"] == ("faces", Int(1, 6))
    assert kinds["e"][0] == "faces"
    assert kinds["r"][0] == "roll"
    assert isinstance(kinds["r"][1], BagOf)
    assert kinds["r"][1].limit == 6
    assert kinds["c"][0] == "draw"
    assert kinds["o"][0] == "one_of"


def test_parameters_range_over_types_sets_bags_and_bounds(read: Reader) -> None:
    """A parameter may use earlier ones, and a range of which a bound depends on the position."""
    found = read("""
        types: {Face: [a, b]}
        state:
          turn: {type: Player}
          hand: {type: "map[Player, bag[Face, 4]]"}
          left: {type: 0..9}
        actions:
          go:
            by: turn
            params: {p: Player, f: "hand[p]", n: 1..left, m: 0..3, s: "{q for q in Player if q != p}", b: "parts(hand[p])"}
    """)
    assert found.codes == [], found.shown()
    assert [b.name for b in found.game.actions[0].params] == ["p", "f", "n", "m", "s", "b"]


OF_THE_GRID = {"Side", "Half", "Direction", "Rotation"}
"""Types that every game has."""

BASE = """
    tablelaw: 1
    game: base
    title: Base
    players: 3
    types: {Card: [king, queen]}
    constants: {N: 1}
    state: {turn: {type: Player}, pot: {type: 0..9}}
    define: {much(): pot > 5}
    actions:
      go:
        by: turn
        says: Before.
        require: [{id: a, check: pot >= 0}]
        do: pot = 1
    end: [{id: over, when: pot == 9}]
"""


def test_files_are_put_together(read: Reader) -> None:
    """Maps key by key, lists end to end, a plain `do` as a list of one; the including file's game, title and players."""
    found = read(
        """
        include: [base.yaml]
        types: {Suit: [hearts]}
        state: {suit: {type: Suit}}
        actions:
          go:
            says: After.
            require: [{id: b, check: suit == hearts}]
            do: [{id: c, do: turn = after(turn)}]
          stop: {by: turn}
        end: [{id: done, when: much()}]
        """,
        base=BASE,
    )
    assert found.codes == [], found.shown()
    game = found.game
    assert (game.name, game.title, list(found.rules.counts if found.rules else [])) == ("g", "G", [2, 3, 4])
    assert [a.name for a in game.actions] == ["go", "stop"]
    assert [c.id for c in game.actions[0].checks] == ["a", "b"]
    assert [e.clause for e in game.actions[0].effects if isinstance(e, Fire)] == ["go", "c"]
    assert game.clauses["go"].says == "After."
    assert [e.id for e in game.ends] == ["over", "done"]
    assert set(game.names.types) - OF_THE_GRID == {"Card", "Suit"}


@pytest.mark.parametrize(
    "text, codes",
    [
        ("types: {Card: [x]}", []),
        ("types: {Card: 0..2}", ["S301"]),
        ("constants: {N: 2}", ["S301"]),
        ("define: {much(): pot > 6}", ["S301"]),
        ("define: {much(n in 0..9): pot > n}", ["S301"]),
        ("end: [{id: over, when: pot == 8}]", ["S301"]),
        ("end: [{id: over, replaces: over, when: pot == 8}]", []),
        ("define: {much(): {is: pot > 6, replaces: much}}", []),
        ("define: {much(n in 0..9): {is: pot > n, replaces: much}}", []),
        ("actions: {go: {by: turn, replaces: go}}", []),
        ("actions: {go2: {by: turn, replaces: go}}", []),
        ("actions: {go: {by: pot}}", ["S301"]),
    ],
)
def test_what_stands_in_two_files(read: Reader, text: str, codes: list[str]) -> None:
    """The same thing twice is an error, unless the later one says that it replaces the other."""
    found = read(f"include: base.yaml\n{text}\n", base=BASE)
    assert found.codes == codes, found.shown()


def test_an_expansion_adds_names_to_a_type(read: Reader) -> None:
    """Names follow those of the included file, with attributes or without; the same name twice is an error."""
    base = BASE.replace("{Card: [", "{Follower: {plain: {count: 7, strength: 1}}, Phase: [draw, lay], Card: [")
    more = "include: base.yaml\ntypes: {Follower: {big: {count: 1, strength: 2}}, Phase: [fly]}\n"
    found = read(more, base=base)
    assert found.codes == [], found.shown()
    kinds = found.game.names.types
    assert isinstance(kinds["Follower"], Enum)
    assert isinstance(kinds["Phase"], Enum)
    assert (kinds["Follower"].values, kinds["Phase"].values) == (("plain", "big"), ("draw", "lay", "fly"))
    assert read(more.replace("[fly]", "[lay]"), base=base).codes == ["S301"]
    assert set(read(more.replace("big: {count: 1", "plain: {count: 1"), base=base).codes) == {"S301"}


def test_a_replaced_action_is_gone(read: Reader) -> None:
    """The later action stands alone, under its own name or another."""
    same = read("include: base.yaml\nactions: {go: {by: turn, replaces: go}}\n", base=BASE)
    assert [(a.name, a.checks, a.effects) for a in same.game.actions] == [("go", (), ())]
    other = read("include: base.yaml\nactions: {go2: {by: turn, replaces: go}}\n", base=BASE)
    assert [a.name for a in other.game.actions] == ["go2"]


def test_a_file_that_two_others_include_is_read_once(read: Reader) -> None:
    """A common base is no contradiction."""
    found = read(
        "include: [one.yaml, two.yaml]\n",
        base=BASE,
        one="include: base.yaml\ntypes: {One: 0..1}\n",
        two="include: base.yaml\ntypes: {Two: 0..2}\n",
    )
    assert found.codes == [], found.shown()
    assert set(found.game.names.types) - OF_THE_GRID == {"Card", "One", "Two"}


def test_effects_that_replace_others(read: Reader) -> None:
    """A list of clauses may take the place of one in an included file."""
    base = BASE + "    effects: {pay(): [pot = 1]}\n"
    assert read("include: base.yaml\neffects: {pay(): [pot = 2]}\n", base=base).codes == ["S301"]
    assert read("include: base.yaml\neffects: {pay(): {replaces: pay, do: [pot = 2]}}\n", base=base).codes == []


def test_families_of_questions(read: Reader) -> None:
    """`{n}` stands for each number in the texts of a family, and its bare name in its formulas."""
    found = read(
        """
        state: {pot: {type: 0..9}}
        questions:
          "pot-of-{n}-{m}":
            for: {n: 2..3, m: 5..6}
            says: A pot of {n}.
            reach: pot == n and pot < m and any(x == {n} for x in {{n}, 9})
            expect: {2: holds, 3: holds}
          "example-{n}": {for: {n: 1..2}, possible: "ex-{n}"}
        scenarios: {ex-1: {given: {pot: 1}}, ex-2: {given: {pot: 2}}}
    """.replace("{{n}, 9}", "Nine").replace("state:", "types: {Nine: 0..9}\n        state:")
    )
    assert found.codes == [], found.shown()
    assert found.rules is not None
    questions = found.rules.document.questions
    assert list(questions) == ["pot-of-2-5", "pot-of-2-6", "pot-of-3-5", "pot-of-3-6", "example-1", "example-2"]
    assert questions["pot-of-3-6"].says == "A pot of 3."
    assert questions["pot-of-3-6"].formulas["reach"].text == "pot == 3 and pot < 6 and any(x == 3 for x in Nine)"
    for q in questions.values():
        for parsed in q.formulas.values():
            found.typed(parsed.text, "question")
    assert found.codes == [], found.shown()


def test_reserved_names(read: Reader) -> None:
    """What is built in keeps its name; names of layouts are free for variables."""
    assert read("state: {players: {type: 0..4}}").codes == ["R211"]
    assert read("define: {size(): 3}").codes == ["R211"]
    assert read("define: {place(): 3}").codes == ["R211"]
    assert read("state: {table: {type: 0..4}, step: {type: 0..4}}").codes == []
    assert read("types: {A: [pot]}\nstate: {pot: {type: 0..4}}").codes == ["R211"]


def test_huge_types_are_refused(read: Reader) -> None:
    """Nothing that is declared is too large to be kept."""
    for kind in (
        "map[0..4000, map[0..4000, bool]]",
        "set[set[0..20]]",
        "list[list[list[bool, 256], 256], 256]",
        "0..9999999999999",
    ):
        found = read(f'state: {{a: {{type: "{kind}"}}}}')
        assert found.codes in (["T107"], ["T108"]), kind


def test_each_fault_of_an_action_is_told(read: Reader) -> None:
    """A parameter without a type does not hide what is wrong below it."""
    found = read("""
        state: {turn: {type: Player}, pot: {type: 0..9}}
        actions:
          go:
            by: trun
            during: pott
            params: {c: Crad}
            require: [{id: a, check: c == pto}]
            chance: {d: dice(6)}
            do: pto += d
    """)
    assert found.codes == ["R204"] * 4 + ["E104", "R204"], found.shown()
