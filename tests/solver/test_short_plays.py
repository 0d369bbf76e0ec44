"""Short plays: by few draws with all choices between them, from plays that scenarios tell, each step by whoever may take it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace

import pytest

from tablelaw.checkers.compare import Asker
from tablelaw.checkers.sides import shown
from tablelaw.checkers.speaking import Speaking
from tablelaw.solver import evaluate
from tablelaw.solver.hunt import replayed
from tablelaw.solver.lockstep import Pair, Way
from tablelaw.solver.parting import Comparing
from tablelaw.solver.sampled import Sample
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.trace import Trace, take
from tablelaw.solver.verdict import InternalFault
from tablelaw.solver.written import written
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.load import Rules, load
from tablelaw.spec.questions import Asked, Reader

STALLS = """
tablelaw: 1
game: stalls
title: Stalls
players: 2..3
options: {market: {kind: edition, values: [open, shut], default: open}}
types:
  Ware: {apple: {count: 1}, bread: {count: 1}, cloth: {count: 1}, dates: {count: 1}, eggs: {count: 1}, flax: {count: 1},
         grain: {count: 1}, honey: {count: 1}, iron: {count: 1}, jars: {count: 1}}
state:
  turn: {type: Player, init: 0}
  box: {type: "bag[Ware, 10]", init: supply(Ware)}
  shown: {type: "maybe[Ware]", init: none}
  bought: {type: "map[Player, set[Ware]]", init: "{}"}
  coins: {type: "map[Player, 0..30]", init: 3}
actions:
  draw:
    by: table
    during: shown == none and size(box) > 0
    chance: {ware: draw(box)}
    do: |
      box -= ware
      shown = ware
  buy:
    by: turn
    during: shown != none
    params: {price: 0..3}
    require:
      - {id: enough, says: Nobody pays more than there is., check: "price <= coins[turn]"}
      - {id: no-gift, says: In the shut market honey is no gift to who has jars., only: {market: shut},
         check: "not (price == 0 and shown == honey and jars in bought[turn])"}
      - {id: purse, proposed: true, says: Nobody has more than a purse holds., check: "coins[turn] <= 29 + price + 1"}
      - {id: flax-first, proposed: true, says: Flax before grain., check: "not (shown == grain and flax in bought[turn])"}
    do: |
      coins[turn] -= price
      bought[turn] += shown
      shown = none
      turn = after(turn)
  leave:
    by: turn
    during: shown != none
    do: |
      shown = none
      coins[turn] = min(30, coins[turn] + 1)
      turn = after(turn)
questions:
  honey-after-jars: {reach: "any(jars in bought[p] and honey in bought[p] and coins[p] == 3 for p in Player)"}
  rich: {reach: "coins[1] == 8 and coins[0] == 8"}
scenarios:
  market-day:
    says: Both leave all they see.
    play:
      - draw -> ware=apple
      - leave
      - draw -> ware=bread
      - leave
      - draw -> ware=cloth
      - leave
      - draw -> ware=dates
      - leave
      - draw -> ware=eggs
      - leave
      - draw -> ware=flax
      - leave
      - draw -> ware=grain
      - leave
      - draw -> ware=honey
      - leave
      - draw -> ware=iron
      - leave
      - draw -> ware=jars
    then: ["coins[0] == 8"]
  jars-first:
    says: Honey after jars.
    play:
      - draw -> ware=jars
      - buy(price=1)
      - draw -> ware=iron
      - leave
      - draw -> ware=honey
  gift:
    says: Honey after jars, for nothing.
    options: {market: open}
    play:
      - draw -> ware=jars
      - buy(price=0)
      - draw -> ware=iron
      - leave
      - draw -> ware=honey
      - buy(price=0)
  of-three:
    says: Not a play of two.
    players: 3
    play: [draw -> ware=jars]
"""


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    """The stalls."""
    file = tmp_path_factory.mktemp("short") / "stalls.yaml"
    file.write_text(STALLS, encoding="utf-8")
    sink = Diagnostics()
    found = load(str(file), sink)
    assert found is not None
    assert not sink.has_errors, [d.message for d in sink]
    return found


def game(rules: Rules, market: str = "open") -> Game:
    """The game of one market."""
    found = rules.game({"market": market}, 2, Diagnostics())
    assert found is not None
    return found


def asked(rules: Rules, name: str) -> Asked:
    """A question of the file."""
    of = game(rules)
    found = Reader(of, Diagnostics(), evaluate.starts(of)[0]).question(rules.document.questions[name])
    assert found is not None
    return found


def by_the_rules(of: Game, trace: Trace) -> bool:
    """Is each step one of the moves that the rules have there, of the player who has it?"""
    return all(
        step.move in evaluate.moves(of, before.state) for before, step in zip(trace.steps, trace.steps[1:], strict=False)
    )


@pytest.mark.parametrize("seed", range(4))
def test_few_draws_with_all_choices_give_the_shortest_play(rules: Rules, seed: int) -> None:
    """Whatever play was found at random: jars, something else, honey, each drawn and then bought or left, are six steps."""
    of, question = game(rules), asked(rules, "honey-after-jars")
    sample = Sample(of, question, seed)
    verdict = sample.ask(Budget(20.0))
    assert verdict is not None
    assert verdict.trace is not None
    assert by_the_rules(of, verdict.trace)
    assert len(verdict.trace.steps) - 1 == 6


def test_a_scenario_is_looked_at_before_plays_at_random(rules: Rules) -> None:
    """What no play at random comes to soon is told by a play that the author wrote, and the answer says which."""
    of, question = game(rules), asked(rules, "rich")
    sample = Sample(of, question)
    verdict = sample.ask(Budget(8.0), 0)  # half of it goes into a shorter play
    assert verdict is not None
    assert (verdict.verdict, sample.scenario, sample.played) == ("holds", "market-day", 0)
    assert "in the play of scenario `market-day`" in verdict.notes[0]
    assert [w.scenario for w in written(of, Budget(20.0))] == ["market-day", "jars-first", "gift"]


def test_a_scenario_is_read_as_far_as_it_is_a_play_of_the_game(rules: Rules) -> None:
    """Each step is taken again by the rules of the game, whatever those are for which the play was written."""
    for market in ("open", "shut"):
        of = game(rules, market)
        found = {w.scenario: w.trace for w in written(of, Budget(20.0))}
        assert {k: len(t.steps) - 1 for k, t in found.items()} == {
            "market-day": 19,
            "jars-first": 5,
            "gift": 6 - (market == "shut"),
        }
        assert all(by_the_rules(of, t) for t in found.values())


def test_a_parting_is_found_in_a_scenario(rules: Rules) -> None:
    """Two games that part one step from a written play; the play told is theirs, step by step."""
    comparing = Comparing(game(rules), game(rules, "shut"))
    found = comparing.hunt.read(comparing.left, comparing._news, Budget(20.0), 5.0)
    assert found is not None
    assert found.source == "jars-first"
    assert found.move is not None
    assert (found.kind, found.move.action, found.length) == ("only", "buy", 5)
    told = shown(comparing.left, comparing.right, found)
    assert by_the_rules(comparing.left, told.left)
    assert by_the_rules(comparing.right, told.right)


@pytest.mark.slow
def test_where_a_clause_speaks_is_found_or_shown_to_be_nowhere(rules: Rules) -> None:
    """A clause that can never be broken is proved to be silent; one that can is seen after flax, something, grain."""
    for clause, steps in (("purse", None), ("flax-first", 5)):
        having = rules.game({"market": "open"}, 2, Diagnostics(), frozenset({clause}))
        assert having is not None
        comparing = Comparing(game(rules), having)
        comparing.lock.search = lambda budget: iter(())  # type: ignore[method-assign]
        speaking = Speaking(having, frozenset({clause}), Asker("auto"))
        found = speaking.find(comparing, Budget(90.0))
        assert speaking.never == (steps is None)
        assert (None if found is None else found.length) == steps


def test_a_step_that_another_player_comes_to_take_is_told_of_that_player(rules: Rules) -> None:
    """Where steps are left out of a play the players take turns otherwise: each step is told of whoever takes it then."""
    comparing = Comparing(game(rules), game(rules, "shut"))
    way: Way | None = None
    for pair, here in comparing.lock.walk(random.Random(5), Budget(5.0), 12):
        del pair
        way = here
    assert way is not None
    swapped = [(m if m.actor is None else replace(m, actor=1 - m.actor), d) for m, d in way[1]]

    met: list[Way] = []

    def last(pair: Pair, to: Callable[[], Way]) -> None:
        met.append(to())

    for steps in (swapped, swapped[2:], swapped[1:6], [s for s in swapped if s[0].action != "leave"]):
        met.clear()
        replayed(comparing.lock, (way[0], tuple(steps)), last, float("inf"))
        state = comparing.lock.left.state(way[0][0])
        for move, drawn in met[-1][1]:
            assert move in evaluate.moves(comparing.left, state)
            state = take(comparing.left, state, move, drawn).state


def test_no_step_is_told_of_the_wrong_player(rules: Rules) -> None:
    """Whoever makes a trace: a step of another than the rules say is an internal fault."""
    of = game(rules)
    state = evaluate.starts(of)[0]
    move = evaluate.moves(of, state)[0]
    state = take(of, state, move, evaluate.sound_draws(of, state, move)[0]).state
    buy = next(m for m in evaluate.moves(of, state) if m.action == "buy")
    assert take(of, state, buy, ()).move == buy
    with pytest.raises(InternalFault):
        take(of, state, replace(buy, actor=1), ())
