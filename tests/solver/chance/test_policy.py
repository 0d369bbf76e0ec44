"""The choices behind a figure: walked again, and told in moves."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from tablelaw.solver import evaluate
from tablelaw.solver.chance import advice, engine, exact
from tablelaw.solver.chance.engine import Chance
from tablelaw.solver.chance.graph import Chances, Choices
from tablelaw.solver.chance.policy import rewalk
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.trace import move_text
from tablelaw.solver.verdict import InternalFault, Verdict
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.load import load
from tablelaw.spec.questions import Reader

HALF, ONE = Fraction(1, 2), Fraction(1)


def chain(choices: list[Choices], values: dict[int, int], reward: dict[int, int] | None = None) -> Chances:
    """A chain by hand."""
    n = len(choices)
    rewards = [Fraction((reward or {}).get(i, 0)) for i in range(n)]
    return Chances(list(range(n)), choices, {i: Fraction(v) for i, v in values.items()}, rewards, 1)


def large(actor: int) -> int:
    """Player 0 wants the figure large, player 1 small."""
    return (0, 1, -1)[actor + 1]


def test_the_figures_of_exact_are_borne_out_and_tell_where_it_matters() -> None:
    """A throw for half a chance, or for three quarters: the choice matters where the figures differ."""
    c = chain(
        [
            [(0, [(1, ONE)]), (0, [(2, ONE)])],
            [(-1, [(3, HALF), (4, HALF)])],
            [(-1, [(3, Fraction(3, 4)), (4, Fraction(1, 4))])],
            [],
            [],
        ],
        {3: 1, 4: 0},
    )
    values, chosen = exact.solve(c, large, Budget())
    assert rewalk(c, values, chosen, large, False) == {0}
    assert chosen == {0: 1}


@pytest.mark.parametrize(
    ("values", "chosen"),
    [
        ([Fraction(1, 4), HALF, ONE], {0: 0}),
        ([HALF, HALF, ONE], {0: 1}),
        ([HALF, HALF, Fraction(9, 10)], {0: 0}),
        ([HALF, Fraction(1, 3), ONE], {0: 0}),
    ],
    ids=["too small", "a worse choice", "another end", "no mean"],
)
def test_what_does_not_hold_is_a_fault(values: list[Fraction], chosen: dict[int, int]) -> None:
    """A figure too small, a choice that is not the best, an end with another figure, a mean that is none."""
    c = chain(
        [[(0, [(1, ONE)]), (0, [(1, HALF), (3, HALF)])], [(-1, [(2, HALF), (3, HALF)])], [], []],
        {2: 1, 3: 0},
    )
    assert rewalk(c, [HALF, HALF, ONE, Fraction(0)], {0: 0}, large, False) == {0}
    with pytest.raises(InternalFault):
        rewalk(c, [*values, Fraction(0)], chosen, large, False)


def test_a_play_that_waits_for_ever_makes_sure_of_nothing() -> None:
    """Waiting at 1 satisfies the equation, as any figure from 1/2 does; so does going on at 1/2, and that is the figure."""
    c = chain([[(0, [(0, ONE)]), (0, [(1, HALF), (2, HALF)])], [], []], {1: 1, 2: 0})
    assert rewalk(c, [HALF, ONE, Fraction(0)], {0: 1}, large, False) == {0}  # both moves have one figure, but one waits
    for value, choice in ((ONE, 0), (Fraction(3, 4), 0), (HALF, 0)):
        with pytest.raises(InternalFault):
            rewalk(c, [value, ONE, Fraction(0)], {0: choice}, large, False)


def test_who_does_not_want_it_may_wait() -> None:
    """Player 1 waits, so that nothing comes: 0 is the figure, though 1/2 satisfies the equations as well."""
    c = chain([[(1, [(0, ONE)]), (1, [(1, HALF), (2, HALF)])], [], []], {1: 1, 2: 0})
    assert rewalk(c, [Fraction(0), ONE, Fraction(0)], {0: 0}, large, False) == {0}
    with pytest.raises(InternalFault):
        rewalk(c, [HALF, ONE, Fraction(0)], {0: 1}, large, False)


def test_moves_as_good_as_each_other_need_not_be_told() -> None:
    """Two that do not wait; two by which a play may go round between two positions are told in one of them at least."""
    c = chain([[(0, [(1, ONE)]), (0, [(2, ONE)])], [(-1, [(3, ONE)])], [(-1, [(3, ONE)])], []], {3: 1})
    assert rewalk(c, [ONE] * 4, {0: 1}, large, False) == set()
    c = chain([[(0, [(1, ONE)]), (0, [(2, ONE)])], [(0, [(0, ONE)]), (0, [(2, ONE)])], []], {2: 1})
    assert rewalk(c, [ONE] * 3, {0: 1, 1: 1}, large, False) == {0, 1}
    assert rewalk(c, [ONE] * 3, {0: 0, 1: 1}, large, False) == {0, 1}


def test_an_expectation_needs_a_sure_end() -> None:
    """With counts on the way no figure is told of a game that somebody can keep from its end."""
    c = chain([[(0, [(1, ONE)])], []], {1: 0}, {1: 1})
    rewalk(c, [ONE, Fraction(0)], {}, large, True)
    loop = chain([[(0, [(0, ONE)]), (0, [(1, ONE)])], []], {1: 0}, {1: 1})
    with pytest.raises(InternalFault):
        rewalk(loop, [ONE, Fraction(0)], {0: 1}, large, True)


# told in moves

PIGLET = """tablelaw: 1
game: piglet
title: Piglet
players: 2
state:
  turn: {type: Player, init: 0}
  pot: {type: 0..3, init: 0}
  score: {type: "map[Player, 0..6]", init: 0}
  tosses: {type: 0..9, init: 0}
actions:
  toss:
    by: turn
    during: score[turn] + pot < 3
    chance: {coin: die(2)}
    do:
      - {id: more, when: coin == 1, do: pot += 1}
      - {id: lost, when: coin == 2, do: "pot = 0; turn = after(turn)"}
  hold: {by: turn, during: pot > 0, do: "score[turn] += pot; pot = 0; turn = after(turn)"}
end:
  - {id: three, when: "any(score[p] >= 3 for p in Player)", winners: "{p for p in Player if score[p] >= 3}"}
questions:
  first: {odds: 0 in winners(), play: best, who: [0]}
  other: {odds: 1 in winners(), play: worst, who: [0]}
  even: {odds: 0 in winners(), play: uniform}
  soon: {odds: 0 in winners(), play: best, who: [0], within: 4}
  listed: {odds: 0 in winners(), play: [hold, toss]}
"""


@pytest.fixture
def piglet(tmp_path: Path) -> tuple[Game, Reader, Diagnostics]:
    """A race to three with a coin."""
    path = tmp_path / "rules.yaml"
    path.write_text(PIGLET, encoding="utf-8")
    sink = Diagnostics()
    rules = load(str(path), sink)
    assert rules is not None, [d.message for d in sink]
    game = rules.game({}, 2, sink)
    assert game is not None
    return game, Reader(game, sink, evaluate.starts(game)[0]), sink


def ask(piglet: tuple[Game, Reader, Diagnostics], name: str) -> Verdict:
    game, reader, sink = piglet
    asked = reader.question(game.document.questions[name])
    assert asked is not None, [d.message for d in sink]
    return Chance(game).ask(asked, Budget(seconds=20))


def test_a_policy_is_told_where_it_matters(piglet: tuple[Game, Reader, Diagnostics]) -> None:
    """Of player 0 alone, each a legal move, the positions met most often first; what makes no difference is left out."""
    game, *_ = piglet
    verdict = ask(piglet, "first")
    found = verdict.policy
    assert found is not None
    assert (found.aim, found.who, found.steps) == ("best", (0,), None)
    told = found.take(1000, 0)
    assert len(told) == found.total
    assert len(told) > 3
    assert {a.move.actor for a in told} == {0}
    assert all(a.move in evaluate.moves(game, a.state) for a in told)
    assert found.shown.keys() == {"turn", "pot", "score"}
    assert all(len(evaluate.moves(game, a.state)) == 2 for a in told)
    pots = {(a.state["pot"], move_text(game, a.move)) for a in told if dict(a.state["score"]) == {0: 0, 1: 2}}
    assert pots == {(1, "toss"), (2, "toss"), (3, "hold")} - {(3, "hold")}


@pytest.mark.parametrize("name", ["first", "other"])
def test_bounds_tell_a_move_where_they_are_near_enough(
    piglet: tuple[Game, Reader, Diagnostics], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The same moves and positions as of exact figures, for who wants it large or small; none where bounds are wide."""
    exactly = ask(piglet, name).policy
    assert exactly is not None
    monkeypatch.setattr(engine, "MOST_EXACT_STATES", -1)
    bounded = ask(piglet, name)
    assert bounded.value is None
    assert bounded.policy is not None
    assert bounded.policy.total is None
    expected = {a.state: a.move for a in exactly.take(1000, 0)}
    told = {a.state: a.move for a in bounded.policy.take(1000, 0)}
    assert told == expected  # all that can come up whatever the other does
    assert len(told) > 3
    monkeypatch.setattr(advice, "APART", 2.0)
    assert ask(piglet, name).policy is None


def test_the_worst_for_one_is_told_as_such(piglet: tuple[Game, Reader, Diagnostics]) -> None:
    """Player 0 makes it small that 1 wins, which is the same play."""
    best, worst = ask(piglet, "first").policy, ask(piglet, "other").policy
    assert best is not None
    assert worst is not None
    assert worst.aim == "worst"
    first, second = ask(piglet, "first").value, ask(piglet, "other").value
    assert first is not None
    assert second is not None
    assert Fraction(first) + Fraction(second) == 1


def test_nobody_is_told_what_to_do_where_nobody_prefers_anything(piglet: tuple[Game, Reader, Diagnostics]) -> None:
    """All moves alike, or a list of moves."""
    assert ask(piglet, "even").policy is None
    assert ask(piglet, "listed").policy is None


def test_within_so_many_steps_the_first_move_is_told(piglet: tuple[Game, Reader, Diagnostics]) -> None:
    """Where there is one: at the start there is but one move, so nothing is told."""
    assert ask(piglet, "soon").policy is None
    game, reader, _ = piglet
    asked = reader.question(game.document.questions["soon"])
    assert asked is not None
    start = evaluate.starts(game)[0].set("pot", 2)
    found = Chance(game).ask(replace(asked, given=start, within=2), Budget(seconds=20)).policy
    assert found is not None
    assert found.steps == 2
    assert [move_text(game, a.move) for a in found.take(9, 0)] == ["toss"]


DASH = """tablelaw: 1
game: dash
title: Dash
players: 1
state:
  pos: {type: 0..9, init: 0}
actions:
  safe: {by: 0, during: pos < 4, chance: {d: "die([1, 2])"}, do: pos += d}
  wild: {by: 0, during: pos < 4, chance: {d: "die([0, 5])"}, do: pos += d}
end:
  - {id: home, says: Home., when: pos >= 4, winners: "{0}"}
questions:
  soon: {odds: "ended() and times('safe') <= 1", before: "times('wild') >= 3", play: best}
  twice: {odds: "times('wild') >= 2", play: best}
  length: {expected: "times('wild') + times('safe')", play: best}
"""


@pytest.fixture
def dash(tmp_path: Path) -> tuple[Game, Reader, Diagnostics]:
    """One player, who may go slowly."""
    path = tmp_path / "rules.yaml"
    path.write_text(DASH, encoding="utf-8")
    sink = Diagnostics()
    rules = load(str(path), sink)
    assert rules is not None, [d.message for d in sink]
    game = rules.game({}, 1, sink)
    assert game is not None
    return game, Reader(game, sink, evaluate.starts(game)[0]), sink


def test_counts_are_part_of_the_positions_that_are_told(dash: tuple[Game, Reader, Diagnostics]) -> None:
    """With them no position is told twice; a count that is no longer followed stands for more."""
    found = ask(dash, "soon").policy
    assert found is not None
    assert set(found.counted) == {"safe", "wild"}
    told = found.take(1000, 0)
    assert len({(a.state, a.counts) for a in told}) == len(told) == found.total
    assert len({a.state for a in told}) < len(told)
    twice = ask(dash, "twice").policy
    assert twice is not None
    assert twice.counted == ("wild",)
    assert (twice.count_text(1), twice.count_text(3)) == ("1", "3 or more")


def test_what_has_just_happened_makes_no_other_position(dash: tuple[Game, Reader, Diagnostics]) -> None:
    """Counts that are merely added up tell no positions apart: each is told once."""
    found = ask(dash, "length").policy
    assert found is not None
    assert found.counted == ()
    told = found.take(1000, 0)
    assert len({a.state for a in told}) == len(told) == found.total == 3
