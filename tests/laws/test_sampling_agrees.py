"""Laws: plays at random are the same by generated code and by the evaluator, and what they show is so."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import islice
from typing import Any

import pytest

from tablelaw.checkers.playouts import tally
from tablelaw.solver import evaluate
from tablelaw.solver.chance.engine import Chance
from tablelaw.solver.sampled import KINDS, Sample
from tablelaw.solver.sampling import Coded, Dice, Plain, Play, Player, move_of, one_play, plays, trace_of
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget
from tablelaw.spec.game import Game
from tablelaw.spec.operators import Fault
from tablelaw.testing import boards, games, naive
from tablelaw.testing.board_laws import asked_of, check_trace, expected_of

LIMIT = 40


def wildness(seed: int) -> float:
    """Every third game dares much that may have no value, every third a little, every third nothing."""
    return (0.0, 0.02, 0.12)[seed % 3]


def fired(player: Player, made: Play) -> Counter[frozenset[str]]:
    """How often which clauses took effect together."""
    found: Counter[frozenset[str]] = Counter()
    for bits, n in made.fired.items():
        found[frozenset(c for i, c in enumerate(player.clauses) if bits >> 2 * i & 1)] += n
    return found


def check_plays(game: Game, seed: int, seen: Counter[str]) -> None:
    """The same steps, positions, ends and clauses; a play without a fault is taken by the evaluator as it is."""
    coded, plain = Coded(game), Plain(game)
    for number in range(3):
        mine, theirs = one_play(coded, seed, number, LIMIT), one_play(plain, seed, number, LIMIT)
        assert mine.steps == theirs.steps
        assert (mine.ending, mine.end, mine.moves) == (theirs.ending, theirs.end, theirs.moves)
        assert coded.state(mine.last) == theirs.last
        assert fired(coded, mine) == fired(plain, theirs)
        assert trace_of(coded, mine.start, mine.steps).steps[-1].state == theirs.last
        seen[mine.ending] += 1
        seen["steps"] += len(mine.steps)
        seen["draws"] += sum(bool(drawn) for _, drawn in mine.steps)


def check_allowed(game: Game, seed: int, seen: Counter[str]) -> None:
    """One move asked for is allowed exactly where it is among the legal ones, and to the same player."""
    coded = Coded(game)
    made = one_play(coded, seed, 0, LIMIT)
    row = made.start
    for choice, drawn in made.steps:
        legal = {(n, args): actor for n, actor, args in coded.legal(row)}
        for n, action in enumerate(coded.actions):
            try:
                tried = [tuple(v for _, v in m.args) for m, _ in evaluate.open_moves(game, coded.state(row), action)]
            except Fault:
                continue
            for args in tried[:200]:
                try:
                    assert coded.code.allowed(row, n, args) == legal.get((n, args))
                except (Fault, KeyError):
                    continue
                seen["allowed" if (n, args) in legal else "not allowed"] += 1
        row = coded.step(row, choice, drawn)[0]


def check_shown(game: Game, seen: Counter[str]) -> None:
    """A play that answers a question is one, ends where it shows the answer, and no search says otherwise."""
    g = naive.explore(game, 90)
    for asked in asked_of(game).values():
        if asked.kind not in KINDS:
            continue
        try:
            found = Sample(game, asked).ask(Budget(0.4), 60)
        except Unlowerable:
            continue
        if not g.whole:
            continue
        truth = expected_of(game, g, asked)
        if found is not None and truth is not None:
            assert found.verdict == truth, asked.id
            assert found.trace is not None
            check_trace(game, asked, found.trace)
        seen[f"{asked.kind}: {'shown' if found is not None else 'not shown'}, {truth}"] += 1


def check_all(seed: int, board: bool, seen: Counter[str]) -> None:
    _, game = (boards if board else games).sound(seed, wildness(seed), questions=3)
    check_plays(game, seed, seen)
    check_allowed(game, seed, seen)
    if seed % 2 == 0:
        check_shown(game, seen)


@pytest.mark.parametrize("board", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_plays_agree(board: bool) -> None:
    """On random games, with boards and without."""
    seen: Counter[str] = Counter()
    for seed in range(40):
        check_all(seed, board, seen)
    assert seen["steps"] > 500
    assert seen["allowed"] > 500
    assert seen["not allowed"] > 300
    for ending in ("ended", "cut"):
        assert seen[ending] > 5, seen
    assert seen["draws"] > 50
    shown = sum(n for k, n in seen.items() if ": shown" in k)
    missed = sum(seen[k] for k in ("reach: not shown, holds", "always: not shown, fails", "never: not shown, fails"))
    assert shown > 3 * missed, seen


@pytest.mark.slow
@pytest.mark.parametrize("part", range(6))
def test_many_plays_agree(part: int) -> None:
    """The same on six hundred others."""
    seen: Counter[str] = Counter()
    for seed in range(1000 + 100 * part, 1100 + 100 * part):
        check_all(seed, seed % 2 == 0, seen)
    assert seen["steps"] > 500


def test_choices_are_alike() -> None:
    """Every number below n comes, about as often; weights count; what a seed gives stays the same for ever."""
    dice = Dice(5, 9)
    for n in (1, 2, 3, 7, 10):
        met = Counter(dice.below(n) for _ in range(600 * n))
        assert set(met) == set(range(n))
        assert all(480 < k < 720 for k in met.values()), met
    weighed = Counter(dice.weighed(("a", "b"), (2, 1)) for _ in range(3000))
    assert 1850 < weighed["a"] < 2150
    again = Dice(0, 0)
    assert [again.below(1000) for _ in range(6)] == FIRST


FIRST = [276, 305, 115, 319, 96, 687]


def test_a_play_depends_on_seed_and_number_alone() -> None:
    """Play 3 is the same whether the plays before it were made or not, and other seeds give others."""
    differ = 0
    for seed in range(12):
        _, game = games.sound(seed, 0.0)
        coded = Coded(game)
        many: list[Any] = [p.steps for p in islice(plays(coded, 11, LIMIT), 8)]
        assert many == [one_play(coded, 11, i, LIMIT).steps for i in range(8)]
        differ += many != [one_play(coded, 12, i, LIMIT).steps for i in range(8)]
    assert differ > 6


def test_a_move_is_told_as_the_evaluator_has_it() -> None:
    """Every legal move of the start is one of the evaluator, in its order."""
    met = 0
    for seed in range(20):
        _, game = boards.sound(seed, 0.0)
        coded = Coded(game)
        start = coded.starts()[0]
        moves = evaluate.moves(game, coded.state(start))
        assert [move_of(coded, c) for c in coded.legal(start)] == moves
        met += len(moves)
    assert met > 20


CHOICES = """\
tablelaw: 1
game: climb
title: Climb
players: 2
state:
  turn: {type: Player, init: 0}
  at: {type: "map[Player, 0..8]", init: 0}
  urn: {type: "bag[Ball, 9]", init: {red: 1, blue: 5}}
actions:
  step:
    by: turn
    params: {n: 1..2}
    require: [{id: not-over, says: Not beyond the top., check: "at[turn] + n <= 8"}]
    do: |
      at[turn] += n
      turn = after(turn)
  leap:
    by: turn
    require: [{id: low, says: Only from below., check: "at[turn] < 4"}]
    chance: {coin: "one_of({up: 1/3, down: 1/2, far: 1/6})"}
    do: |
      at[turn] = (at[turn] + 2 if coin == up else at[turn] + 4 if coin == far else 0)
      turn = after(turn)
  pick:
    by: turn
    require: [{id: low-too, says: Only from below., check: "at[turn] < 4"}]
    chance: {ball: draw(urn), dice: "roll(2, Face)"}
    do: |
      at[turn] += (4 if ball == red else 0)
      at[turn] += (dice[one] if at[turn] < 3 else 0)
      turn = after(turn)
types: {Coin: [up, down, far], Ball: [red, blue], Face: [one, two, three]}
end:
  - {id: top, says: The first to get there wins., when: "any(at[p] == 8 for p in Player)",
     winners: "{p for p in Player if at[p] == 8}"}
questions:
  first: {odds: 0 in winners(), play: uniform}
  length: {expected: times('step') + times('leap') + times('pick'), play: uniform}
"""


def test_shares_are_those_of_exact_odds() -> None:
    """Of 6,000 plays so many are won by the first player, and so long are they, as the exact figures of uniform play say."""
    game, sink = games.checked(CHOICES)
    assert game is not None, [d.message for d in sink]
    check_plays(game, 0, Counter())
    told = tally(Coded(game), 6_000, 1, Budget(120.0))
    asked = asked_of(game)
    odds, length = (Chance(game).ask(asked[q], Budget(60.0)).value for q in ("first", "length"))
    assert odds is not None
    assert length is not None
    p = float(Fraction(odds))
    assert abs(told.wins[0] / 6_000 - p) < 3.5 * (p * (1 - p) / 6_000) ** 0.5
    mean = sum(told.steps.numbers) / 6_000
    spread = (sum((n - mean) ** 2 for n in told.steps.numbers) / 6_000) ** 0.5
    assert abs(mean - float(Fraction(length))) < 3.5 * spread / 6_000**0.5
