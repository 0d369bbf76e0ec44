"""Laws: what `--coverage` says of all plays is held against all plays, under every setting and for every number of players."""

from __future__ import annotations

import random
import re
from collections import Counter
from pathlib import Path

import pytest

from tablelaw.checkers.coverage import Effort
from tablelaw.checkers.fixture_set import FixtureSet, Maker
from tablelaw.checkers.goals import Goal
from tablelaw.checkers.uncovered import uncovered
from tablelaw.solver import evaluate
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.load import Rules, load
from tablelaw.spec.operators import Fault
from tablelaw.spec.settings import every_setting
from tablelaw.testing import games
from tablelaw.testing.naive import explore
from tablelaw.testing.shown import KINDS, shown

LITTLE = Effort(steps=2_000, whole=2_000, plays=10, longest=20, walked=200)
MOST = 400
SECOND = """\
  more:
    kind: "reading"
    question: "What more?"
    values: {one: {says: "One."}, two: {says: "Two."}}
    default: "one"
"""


def several(text: str, r: random.Random) -> str:
    """The text of a game with a second option that clauses hang on, and more numbers of players."""
    text = text.replace("options:\n", "options:\n" + SECOND, 1) if "\noptions:\n" in text else text
    text = re.sub(r"^players: (\d)$", lambda m: f"players: {m[1]}..{int(m[1]) + r.choice((0, 1))}", text, flags=re.M)
    lines: list[str] = []
    for line in text.split("\n"):
        rolled = re.fullmatch(r'( +)(\w+): "roll\(\d, (\w+)\)"', line)
        if rolled:  # how many are rolled is drawn too
            lines.append(f'{rolled[1]}first_{rolled[2]}: "one_of({{0: 1/3, 1: 1/6, 2: 1/2}})"')
            line = f'{rolled[1]}{rolled[2]}: "roll(first_{rolled[2]}, {rolled[3]})"'
        lines.append(line)
        said = re.fullmatch(r'( +)says: "(A rule|Something happens|It ends)\."', line)
        if said and r.random() < 0.4:
            lines.append(said[1] + "only: " + r.choice(("{more: two}", "{way: up, more: two}", "{way: down, more: one}")))
    return "\n".join(lines)


def rules_of(seed: int, folder: Path) -> Rules | None:
    """A random game with options, if it is sound."""
    r = random.Random(seed)
    text, _ = games.sound(seed, (0.0, 0.02)[seed % 2], 0)
    file = folder / f"{seed}.yaml"
    file.write_text(several(text, r), encoding="utf-8")
    rules = load(str(file), sink := Diagnostics())
    return None if rules is None or sink.has_errors else rules


def every_game(rules: Rules) -> list[Game]:
    """The game under every setting and for every number of players."""
    doc = rules.document
    found = [rules.game(s, n, Diagnostics()) for n in rules.counts for s in every_setting(doc, {}, n)]
    return [g for g in found if g is not None]


def check_same(left: Game, right: Game, seen: Counter[str]) -> None:
    """The same starts, moves, draws with their chances, effects and ends, in all positions."""
    mine, theirs = explore(left, MOST), explore(right, MOST)
    if not mine.whole or not theirs.whole:
        return
    seen["same"] += 1
    assert evaluate.starts(left) == evaluate.starts(right)
    assert set(mine.states) == set(theirs.states)
    for state in mine.states:
        assert told(left, state) == told(right, state)


def told(game: Game, state: evaluate.State) -> object:
    """All that can be seen of a position and its steps."""
    try:
        ended = evaluate.end(game, state) is not None
        found: list[object] = [ended, evaluate.winners(game, state)]
        for move in evaluate.moves(game, state):
            try:
                for drawn, p in evaluate.draws(game, state, move):
                    out = evaluate.apply(game, state, move, drawn)
                    found.append((move, drawn, p, out.state, out.fault is None))
            except Fault:
                found.append((move, "no draw"))
    except Fault:
        return "no value"
    return [*found[:2], set(found[2:])]


def check(rules: Rules, found: FixtureSet, seen: Counter[str]) -> None:
    """Every claim of the coverage, and every goal that a fixture is said to show."""
    claims = uncovered(found, 5.0)
    every = every_game(rules)
    for game in every:
        g = explore(game, MOST)
        if not g.whole:
            continue
        there = shown(g)
        is_base = (game.setting, game.players) == (found.base.game.setting, found.base.game.players)
        told_of = {**claims.proved, **(claims.partly if is_base else {})}
        looked_at = any((dict(s), n) == (game.setting, game.players) for s, n in found.unders)
        if claims.scope.startswith("under the") and not looked_at:
            told_of = {}
        for goal in told_of:
            if goal.kind in KINDS:
                assert goal not in there, (goal, told_of[goal], game.setting, game.players)
                seen[goal.kind] += 1
        for f in found.fixtures:
            if (f.game.setting, f.game.players) == (game.setting, game.players):
                assert {x for x in f.goals if x.kind in KINDS} <= there
                for o in f.outcomes:
                    odds = dict(evaluate.draws(game, f.state, o.move))
                    assert odds[o.drawn] == o.probability
                    seen["drawn"] += len(odds) > 1
                    seen["uneven"] += len(set(odds.values())) > 2
        if is_base and found.base.search.complete:
            assert {x for x in there if x in found.base.goals and x.kind in KINDS} <= {
                *(x for f in found.fixtures for x in f.goals), *claims.open,
            }  # fmt: skip
    for name in claims.same:
        pair = found.pairs[name]
        for game in every:
            if game.setting[pair.option] == pair.usual:
                other = rules.game({**game.setting, pair.option: pair.other}, game.players, Diagnostics())
                assert other is not None
                check_same(game, other, seen)


def test_the_claims_of_some_games(tmp_path: Path) -> None:
    """Twelve games."""
    seen: Counter[str] = Counter()
    for seed in range(12):
        rules = rules_of(seed, tmp_path)
        if rules is not None:
            check(rules, Maker(rules, {}, None, seed=seed, effort=LITTLE, guided=False).make(), seen)
    assert seen.total() > 30


@pytest.mark.slow
def test_the_claims_of_many_games(tmp_path: Path) -> None:
    """Every kind of claim, and two values that never part."""
    seen: Counter[str] = Counter()
    for seed in range(100, 220):
        rules = rules_of(seed, tmp_path)
        if rules is not None:
            check(rules, Maker(rules, {}, None, seed=seed, effort=LITTLE, guided=False).make(), seen)
    assert set(seen) >= {*KINDS - {"lifts"}, "same", "drawn", "uneven"}


def test_a_goal_of_two_checks_behind_a_third(tmp_path: Path) -> None:
    """What is told the slow way is told rightly: one small game by hand."""
    file = tmp_path / "three.yaml"
    file.write_text(THREE, encoding="utf-8")
    rules = load(str(file), Diagnostics())
    assert rules is not None
    (game,) = every_game(rules)
    there = shown(explore(game, MOST))
    assert Goal("refuse-both", ("second", "third")) in there
    assert Goal("refuses", ("third",)) not in there
    assert Goal("ends", ("over",)) in there


THREE = """\
tablelaw: 1
game: three
title: Three
players: 1
state:
  x: {type: 0..2, init: 0, says: How far.}
actions:
  go:
    by: "0"
    says: Go.
    params: {n: 0..2}
    require:
      - {id: first, says: One., check: "n == 0 or x == 2"}
      - {id: second, says: Two., check: "n != 1 or x == 2"}
      - {id: third, says: Three., check: "n != 1 or x >= 1"}
    do: x += 1
end:
  - {id: over, says: Over., when: x == 2}
"""
