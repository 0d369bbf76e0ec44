"""Laws: probabilities of the engines are those of the evaluator, and figures those of slow and obvious reckoning."""

from __future__ import annotations

import contextlib
import itertools
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest

from tablelaw.solver import evaluate
from tablelaw.solver.chance import bounds, engine, exact, ready
from tablelaw.solver.chance.engine import Chance
from tablelaw.solver.chance.graph import Chances, Choices
from tablelaw.solver.chance.policy import rewalk
from tablelaw.solver.evaluate import State, place
from tablelaw.solver.lower import lower
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget, Space
from tablelaw.solver.space.rows import Rows
from tablelaw.solver.trace import to_numbers
from tablelaw.spec.game import Game
from tablelaw.spec.operators import Fault
from tablelaw.spec.questions import Asked
from tablelaw.spec.reckon import value
from tablelaw.testing import naive
from tablelaw.testing.dice import PLAYS, dice_game, made
from tablelaw.testing.games import sound

MOST = 200
Told = Counter[tuple[int, frozenset[tuple[object, Fraction]]]]


# steps


def chances(game: Game, state: State) -> list[tuple[int, dict[State, Fraction]]] | None:
    """Who chooses, and what comes of it with which probability; None where a step has a fault."""
    found = []
    try:
        for move in evaluate.moves(game, state):
            merged: dict[State, Fraction] = {}
            for drawn, p in evaluate.draws(game, state, move):
                out = evaluate.apply(game, state, move, drawn)
                if out.fault:
                    return None
                merged[out.state] = merged.get(out.state, Fraction(0)) + p
            assert sum(merged.values()) == 1
            found.append((-1 if move.actor is None else move.actor, merged))
    except Fault:
        return None
    return found


def check_weights(seed: int) -> int:
    """Both spaces give the probabilities of the evaluator; how many random moves were compared."""
    _, game = sound(seed, (0.0, 0.02)[seed % 2], questions=0)
    g = naive.explore(game, MOST)
    rows = Rows(game, (), None)
    spaces: list[Space] = []
    with contextlib.suppress(Unlowerable):
        spaces = [Space(lower(game, unroll=unroll)[0]) for unroll in (True, False)]
    compared = 0
    for state in g.states:
        expected = chances(game, state)
        numbers = tuple(state[v.name] for v in game.variables)
        told: Told = Counter()
        for actor, merged in expected or ():
            told[actor, frozenset(merged.items())] += 1
            compared += len(merged) > 1
        found = rows.weighted(rows.number(numbers))
        assert (expected is None) == any(n < 0 for _, nexts in found for n, _ in nexts)
        if expected is not None:
            mine = Counter((a, frozenset((rows.state(game, 0, n), p) for n, p in nexts)) for a, nexts in found)
            assert mine == told, state
        for space in list(spaces):
            pack = space.pack
            try:
                found = space.weighted(pack.pack(to_numbers(game, state)))
            except Unlowerable:
                spaces.remove(space)
                continue
            assert (expected is None) == any(n < 0 for _, nexts in found for n, _ in nexts)
            if expected is None:
                continue
            packed = Counter(
                {
                    (a, frozenset((pack.pack(to_numbers(game, s)), p) for s, p in outcome)): n  # type: ignore[arg-type]
                    for (a, outcome), n in told.items()
                }
            )
            assert Counter((a, frozenset(nexts)) for a, nexts in found) == packed, state
    return compared


def test_weights_are_those_of_the_evaluator() -> None:
    """On random games, position by position."""
    assert sum(check_weights(seed) for seed in range(30)) > 15


# figures of abstract chains


def any_chain(r: random.Random, acyclic: bool) -> Chances:
    """A few states of two players and of nobody, the last ones decided."""
    n = r.randint(2, 6)
    decided = r.randint(1, 2)
    chain = Chances(packed=list(range(n + decided)), starts=1, reward=[Fraction(0)] * (n + decided))
    for v in range(n):
        actor = r.choice((-1, 0, 1))
        options: Choices = []
        for _ in range(r.randint(1, 1 if actor < 0 else 3)):
            later = range(v + 1 if acyclic else 0, n + decided)
            targets = r.sample(later, min(len(later), r.randint(1, 3)))
            shares = [r.randint(1, 4) for _ in targets]
            options.append((actor, [(j, Fraction(w, sum(shares))) for j, w in zip(targets, shares, strict=True)]))
        chain.choices.append(options)
        chain.edges += sum(len(d) for _, d in options)
    for i in range(n, n + decided):
        chain.choices.append([])
        chain.values[i] = Fraction(r.choice((0, 1)) if i > n else 1)
    return chain


def solved(chain: Chances, chosen: dict[int, int]) -> list[Fraction]:
    """The probabilities under fixed choices, by reachability and Gauss on a full matrix."""
    n = len(chain.choices)
    options = {v: [chain.choices[v][chosen[v]]] if v in chosen else chain.choices[v] for v in range(n)}
    able = {i for i, x in chain.values.items() if x > 0}
    while True:
        more = {v for v in range(n) if v not in able and any(j in able for _, draws in options[v] for j, _ in draws)}
        if not more:
            break
        able |= more
    matrix = [[Fraction(int(i == k)) for k in range(n)] + [Fraction(0)] for i in range(n)]
    for v in range(n):
        if v in chain.values:
            matrix[v][n] = chain.values[v]
        elif v in able:
            for _, draws in options[v]:
                for j, p in draws:
                    matrix[v][j] -= p / len(options[v])
    for c in range(n):
        pivot = next(i for i in range(c, n) if matrix[i][c])
        matrix[c], matrix[pivot] = matrix[pivot], matrix[c]
        matrix[c] = [x / matrix[c][c] for x in matrix[c]]
        for i in range(n):
            if i != c and matrix[i][c]:
                factor = matrix[i][c]
                matrix[i] = [x - factor * y for x, y in zip(matrix[i], matrix[c], strict=True)]
    return [row[n] for row in matrix]


def by_enumeration(chain: Chances, sense: exact.Sense) -> Fraction:
    """The figure of the first state: the best answer of the one side to each way of choosing of the other."""
    sides: dict[int, list[list[tuple[int, int]]]] = {1: [], -1: []}
    for v, options in enumerate(chain.choices):
        if len(options) > 1 and sense(options[0][0]):
            sides[sense(options[0][0])].append([(v, c) for c in range(len(options))])
    return max(
        min(solved(chain, dict([*mine, *theirs]))[0] for theirs in itertools.product(*sides[-1]))
        for mine in itertools.product(*sides[1])
    )


def made_sure(r: random.Random, chain: Chances, policy: dict[int, int], matters: set[int], sense: exact.Sense) -> Fraction:
    """What a policy makes sure of for the first state: its choices where it matters, any others elsewhere."""
    mine: dict[int, int] = {}
    theirs: list[list[tuple[int, int]]] = []
    for v, options in enumerate(chain.choices):
        if len(options) > 1 and sense(options[0][0]) > 0:
            mine[v] = policy[v] if v in matters else r.randrange(len(options))
        elif len(options) > 1 and sense(options[0][0]) < 0:
            theirs.append([(v, c) for c in range(len(options))])
    return min(solved(chain, mine | dict(others))[0] for others in itertools.product(*theirs))


SENSES: tuple[exact.Sense, ...] = (
    lambda a: 0,
    lambda a: 0 if a < 0 else 1,
    lambda a: 0 if a < 0 else -1,
    lambda a: (0, 1, -1)[a + 1],
    lambda a: (0, -1, 1)[a + 1],
)


def check_chain(seed: int) -> bool:
    """The exact figure is that of enumeration, and bounds hold it; whether it lies inside of 0 and 1."""
    r = random.Random(seed)
    chain = any_chain(r, acyclic=seed % 4 == 0)
    sense = SENSES[seed % 5]
    expected = by_enumeration(chain, sense)
    chain.averaged(sense)
    found = bounds.bound(chain, sense, Fraction(0), Fraction(1), Budget(seconds=0.01))
    assert found.low <= expected <= found.high
    values, policy = exact.solve(chain, sense, Budget(seconds=60))
    assert values[0] == expected, seed
    assert made_sure(r, chain, policy, rewalk(chain, values, policy, sense, False), sense) == expected, seed
    assert exact.check(chain, values, sense)
    if chain.hopeless(sense):
        assert exact.solve(chain, sense, Budget(seconds=60))[0][0] == expected, seed
    return 0 < expected < 1


def test_exact_figures_are_those_of_enumeration() -> None:
    """Cycles, players who can stay away for ever, two sides, nobody."""
    assert sum(check_chain(seed) for seed in range(250)) > 30


# figures of games


def goal_of(game: Game, state: State, asked: Asked, which: str) -> bool | None:
    e = getattr(asked, which)
    if e is None:
        return False
    try:
        return bool(value(e, place(game, state)))
    except Fault:
        return None


def chain_of(game: Game, asked: Asked) -> Chances | None:
    """The chain of the question from the evaluator alone; None where it has none or is large."""
    assert asked.formula is not None
    chain = Chances()
    number: dict[State, int] = {}
    queue: list[State] = []
    for s in evaluate.starts(game):
        if s not in number:
            number[s] = len(queue)
            queue.append(s)
    chain.starts = len(queue)
    at = 0
    while at < len(queue):
        if len(queue) > MOST:
            return None
        state = queue[at]
        chain.packed.append(at)
        chain.reward.append(Fraction(0))
        goal, before = goal_of(game, state, asked, "formula"), goal_of(game, state, asked, "before")
        if goal is None:
            return None
        if goal or before or evaluate.end(game, state) is not None:
            chain.values[at] = Fraction(int(goal))
            chain.choices.append([])
        else:
            found = chances(game, state)
            if not found or sum(a < 0 for a, _ in found) > 1:
                return None
            for _, merged in found:
                for s in merged:
                    if s not in number:
                        number[s] = len(queue)
                        queue.append(s)
            chain.choices.append([(a, [(number[s], p) for s, p in merged.items()]) for a, merged in found])
        at += 1
    return chain


def swept(chain: Chances, sense: exact.Sense, steps: int) -> list[Fraction]:
    """So many steps, reckoned backwards."""
    values = [chain.values.get(i, Fraction(0)) for i in range(len(chain.choices))]
    for _ in range(steps):
        new = list(values)
        for v, options in enumerate(chain.choices):
            each = [sum((p * values[j] for j, p in draws), Fraction(0)) for _, draws in options]
            if each:
                want = sense(options[0][0])
                new[v] = max(each) if want > 0 else min(each) if want < 0 else sum(each, Fraction(0)) / len(each)
        values = new
    return values


def nearly(chain: Chances, sense: exact.Sense) -> list[float] | None:
    """Sweeps from below, in floating point; None where they are slow."""
    values = [float(chain.values.get(i, 0)) for i in range(len(chain.choices))]
    table = [(sense(o[0][0]) if o else 0, [[(j, float(p)) for j, p in d] for _, d in o]) for o in chain.choices]
    for _ in range(3000):
        new = list(values)
        for v, (want, options) in enumerate(table):
            each = [sum(p * values[j] for j, p in draws) for draws in options]
            if each:
                new[v] = max(each) if want > 0 else min(each) if want < 0 else sum(each) / len(each)
        if max(abs(a - b) for a, b in zip(new, values, strict=True)) < 1e-15:
            return new
        values = new
    return None


def sense_of(play: str, who: frozenset[int] | None) -> exact.Sense:
    sign = -1 if play == "worst" else 1
    return lambda a: 0 if a < 0 or play == "uniform" else sign if who is not None and a in who else -sign


def check_odds(seed: int, monkeypatch: pytest.MonkeyPatch) -> tuple[int, int]:
    """How many figures were compared, and how many of them lie inside of 0 and 1."""
    game, both = dice_game(random.Random(seed))
    compared = inside = 0
    for number, plain in enumerate(both):
        play, who = PLAYS[(seed + number) % len(PLAYS)]
        asked = replace(plain, play=play, players=who)
        chain = chain_of(game, asked)
        if chain is None:
            continue
        sense = sense_of(play, who)
        found = Chance(game).ask(asked, Budget(seconds=5))
        soon = {k: Chance(game).ask(replace(asked, within=k), Budget(seconds=5)) for k in (0, 1, 2, 3, 6)}
        with monkeypatch.context() as patched:
            patched.setattr(ready, "alike", lambda game, asked: [])
            unlumped = Chance(game).ask(asked, Budget(seconds=5))
        with monkeypatch.context() as patched:
            patched.setattr(engine, "MOST_EXACT_STATES", -1)
            bounded = Chance(game).ask(asked, Budget(seconds=4))
        assert (unlumped.value, unlumped.verdict) == (found.value, found.verdict), seed
        for k, v in soon.items():  # only what lies within so many steps is listed, and the figure is that of the whole chain
            assert v.value == str(swept(chain, sense, k)[0]), (seed, asked.id, k)
            assert (v.states or 0) <= (soon[6].states or 0) <= (unlumped.states or len(chain.packed)), (seed, asked.id, k)
        near = nearly(chain, sense)
        if found.value is None or near is None:
            continue
        exactly = Fraction(found.value)
        assert abs(float(exactly) - near[0]) < 1e-9, (seed, asked.id)
        assert bounded.interval is not None
        assert Fraction(bounded.interval[0]) <= exactly <= Fraction(bounded.interval[1]), (seed, asked.id)
        compared += 1
        inside += 0 < exactly < 1
    return compared, inside


def test_odds_of_games_are_those_of_plain_sweeps(monkeypatch: pytest.MonkeyPatch) -> None:
    """With all ways of playing, `before` and `within`; lumped or not; by bounds as well."""
    totals = [check_odds(seed, monkeypatch) for seed in range(20)]
    assert sum(n for n, _ in totals) > 20
    assert sum(n for _, n in totals) > 10


DEPENDENT = """tablelaw: 1
game: g
title: G
players: 2
types: {Col: [red, blue]}
state:
  hand: {type: "bag[Col, 3]", init: bag()}
  bowl: {type: "bag[Col, 5]", init: {red: 2, blue: 3}}
actions:
  go:
    by: 0
    during: size(hand) == 0
    chance: CHANCE
    do: hand = GAIN
end:
  - {id: over, when: size(hand) > 0}
questions:
  one: {odds: "hand[red] >= 1"}
"""


def test_draws_that_hang_on_draws_before_are_left_to_the_other_space() -> None:
    """The number of dice is itself thrown: no weights in whole numbers tell that."""
    game, _ = made(DEPENDENT.replace("CHANCE", "{n: die(3), r: 'roll(n, Col)'}").replace("GAIN", "r"))
    space = Space(lower(game, unroll=True)[0])
    with pytest.raises(Unlowerable):
        space.weighted(space.states[0])
    rows = Rows(game, (), None)
    expected = chances(game, evaluate.starts(game)[0])
    assert expected is not None
    [(actor, nexts)] = rows.weighted(rows.states[0])
    assert actor == 0
    assert {rows.state(game, 0, n): p for n, p in nexts} == expected[0][1]


# almost surely


def stays(g: naive.Graph) -> bool:
    """Is there a set of positions that choices can keep the play in for ever, whatever is drawn?"""
    options: list[list[set[int]]] = []
    for i in range(len(g.states)):
        by_move: dict[evaluate.Move, set[int]] = {}
        for s in g.steps[i]:
            if s.move is not None and s.after is not None:
                by_move.setdefault(s.move, set()).add(g.number[s.after])
        options.append(list(by_move.values()))
    inside = set(range(len(g.states)))
    while True:
        kept = {i for i in inside if any(o <= inside for o in options[i])}
        if kept == inside:
            return bool(inside)
        inside = kept


def test_almost_surely_is_as_a_plain_search_finds() -> None:
    """Both answers come up."""
    seen: Counter[str] = Counter()
    for seed in range(70):
        _, game = sound(seed, 0.0, questions=0)
        g = naive.explore(game, MOST)
        if not g.whole or g.faulty:
            continue
        asked = Asked("ends", "terminates", game.actions[0].span, what="almost-surely")
        try:
            found = Chance(game).ask(asked, Budget(seconds=5))
        except Unlowerable:
            continue
        if found.verdict == "unknown":
            continue
        assert found.verdict == ("fails" if stays(g) else "holds"), seed
        seen[found.verdict] += 1
    assert seen["holds"] > 5
    assert seen["fails"] > 5
