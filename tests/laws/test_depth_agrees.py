"""Laws: what is forced depth-first is what backward induction over the whole graph says, from every position."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Callable, Iterator
from typing import cast

import pytest

from tablelaw.solver import evaluate
from tablelaw.solver.explicit import deep
from tablelaw.solver.explicit.depth import Circle, Depth, Limited
from tablelaw.solver.explicit.engine import Explicit
from tablelaw.solver.explicit.forcing import Arena
from tablelaw.solver.explicit.shown import prevented, some_line, strategy
from tablelaw.solver.ir import Term
from tablelaw.solver.problem import prepare
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget, OutOfBudget, Space
from tablelaw.solver.space.rows import Rows
from tablelaw.solver.space.turns import turns
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.questions import Asked, Reader
from tablelaw.testing.games import sound

MOST = 300
WITHIN = (0, 1, 2, 3, 5)


def asked_of(game: Game) -> list[Asked]:
    """The questions of forcing of a game."""
    reader = Reader(game, Diagnostics(), evaluate.starts(game)[0])
    found = (reader.question(q) for q in game.document.questions.values())
    return [a for a in found if a is not None and a.kind == "force"]


def spaces(game: Game, asked: Asked) -> Iterator[tuple[Space, frozenset[int], Term]]:
    """The whole graph on packed numbers and, now and then, on values; with every set of players and their goal."""
    assert asked.formula is not None
    problem = prepare(game, asked, unroll=True)
    space = Space(problem.model)
    try:
        space.explore(Budget(states=MOST))
    except OutOfBudget:
        return
    for n in range(game.players + 1):
        for who in map(frozenset, itertools.combinations(range(game.players), n)):
            yield space, who, problem.goal(asked.formula, who)


def check(space: Space, who: frozenset[int], goal: Term, seen: Counter[str], often: int = 1) -> None:
    """Depth-first from every so many-th position, in a fresh search and in one that has seen others; and within some steps."""
    arena = Arena(space, Budget())
    there = space.formula(goal)
    goals = bytearray(1 if there(s) else 0 for s in space.states)
    rank = arena.winning(goals, who)
    code = turns(space, goal, who)
    shared = Depth(space, code, who, Budget())
    for i, s in enumerate(space.states):
        if i and (i + len(space.states)) % often:
            continue
        fresh = Depth(space, code, who, Budget())
        try:
            answer = fresh.wins(s)
        except Circle:
            seen["circle"] += 1
            continue
        assert answer == (rank[i] >= 0)
        seen["wins" if answer else "loses"] += 1
        shows(space, fresh, s, 0, arena, rank)
    for s in space.states[:1]:
        try:
            assert shared.wins(s) == (rank[space.index[s]] >= 0)
        except Circle:
            break
    for s, value in list(shared.known.items()):
        if s >= 0 and value in (0, 1):
            assert value == (rank[space.index[s]] >= 0)
    limited = Limited(space, code, who, Budget())
    for k in WITHIN:
        bounded = arena.winning(goals, who, k)
        for i, s in enumerate(space.states):
            answer = limited.wins(s, k)
            assert answer == (bounded[i] >= 0)
            seen["in time" if answer else "too late"] += 1
            if i % (2 * often) == k:
                fresh = Limited(space, code, who, Budget())
                assert fresh.wins(s, k) == answer
                shows(space, fresh, s, k, arena, bounded)


def shows(space: Space, search: Depth, s: int, left: int, arena: Arena, rank: list[int]) -> None:
    """A strategy is one, a play is one, and where the goal is prevented it cannot be forced."""
    if not search.won(s, left):
        path, loop_from = prevented(search, s, left)
        assert follows(space, path)
        assert loop_from is None or path[loop_from] == path[-1]
        if not search.step:
            assert all(rank[space.index[x]] < 0 for x in path)
        return
    line = some_line(search, s, left)
    assert line is None or (follows(space, line) and rank[space.index[line[-1]]] == 0)
    found = strategy(search, [s], left)
    assert found is not None
    assert found.states[0] == s
    assert found.line[0] == s
    assert follows(space, found.line)
    ranks = dict(zip(found.states, found.rank, strict=True))
    assert all(r >= rank[space.index[x]] >= 0 for x, r in ranks.items())
    assert not search.step or found.rank[0] <= left
    for x, r in ranks.items():
        i = space.index[x]
        if r == 0:
            assert rank[i] == 0
            continue
        choices = space.choices(x)
        assert choices
        good = [all(ranks.get(n, r) < r for n in draws) for _, draws in choices]
        mine = [g for g, (mover, _) in zip(good, choices, strict=True) if mover in search.who]
        assert all(g for g, (mover, _) in zip(good, choices, strict=True) if mover not in search.who)
        assert not mine or any(mine)


def follows(space: Space, path: list[int]) -> bool:
    return all(any(b in draws for _, draws in space.choices(a)) for a, b in itertools.pairwise(path))


class Drawn(Rows):
    """A random graph in place of a game: positions are numbers, and each has choices of somebody with some outcomes."""

    def __init__(self, r: random.Random) -> None:
        n = r.randint(1, 9)
        onward = r.random() < 0.5  # play never comes back
        self.states, self.index = list(range(n)), {i: i for i in range(n)}
        self.starts = self.expanded = n
        self.table: list[list[tuple[int, list[int]]]] = []
        self.goals = {i for i in range(n) if r.random() < 0.25}
        self.dead = {i for i in range(n) if r.random() < 0.1}
        movers = r.choice(([0, 1], [0, 1], [-1, 0, 1], [0, 1, 2]))
        alone = r.random() < 0.6  # one chooses at a time
        for i in range(n):
            one = r.choice(movers)
            among = range(i + 1, n) if onward else range(n)
            choices: list[tuple[int, list[int]]] = []
            for _ in range(r.randint(0, 3) if among and i not in self.dead else 0):
                draws = [r.choice(among) for _ in range(r.choice((1, 1, 1, 2, 3)))]
                choices.append((one if alone else r.choice(movers), draws))
            self.table.append(choices)

    def choices(self, s: int) -> list[tuple[int, list[int]]]:
        return self.table[s]

    def formula(self, term: object) -> Callable[..., int]:
        there = self.dead if term == "ended" else self.goals
        return lambda s: int(s in there)

    @property
    def ended(self) -> object:  # type: ignore[override]
        return "ended"


@pytest.mark.parametrize("block", range(4))
def test_on_random_graphs(block: int) -> None:
    seen = Counter[str]()
    for seed in range(block * 400, block * 400 + 400):
        space = Drawn(random.Random(seed))
        for who in (frozenset({0}), frozenset({0, 1})):
            check(space, who, cast("Term", "goal"), seen)
    assert all(seen[k] > 200 for k in ("wins", "loses", "circle", "in time", "too late")), seen


@pytest.mark.parametrize("block", [*range(4), *(pytest.param(n, marks=pytest.mark.slow) for n in range(4, 10))])
def test_on_random_games(block: int) -> None:
    seen = Counter[str]()
    for seed in range(60_000 + block * 20, 60_000 + block * 20 + 20):
        _, game = sound(seed, (0.0, 0.02, 0.12)[seed % 3])
        for asked in asked_of(game):
            try:
                for space, who, goal in spaces(game, asked):
                    check(space, who, goal, seen, often=7)
            except Unlowerable:
                continue
    assert seen["wins"] + seen["loses"], seen  # which of the two is a matter of the games: drawn graphs have hundreds of both
    assert all(seen[k] for k in ("in time", "too late")), seen


def verdict(explicit: Explicit, asked: Asked) -> str:
    try:
        return explicit.ask(asked, Budget()).verdict
    except Unlowerable:
        return "unlowerable"


@pytest.mark.parametrize("block", [*range(2), *(pytest.param(n, marks=pytest.mark.slow) for n in range(2, 5))])
def test_the_engine_answers_alike_with_a_list_and_without(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Counter[str]()
    for seed in range(70_000 + block * 40, 70_000 + block * 40 + 40):
        _, game = sound(seed, (0.0, 0.02, 0.12)[seed % 3])
        for asked in asked_of(game):
            listed = verdict(Explicit(game), asked)
            with monkeypatch.context() as m:
                m.setattr(deep, "LISTED", 1)
                m.setattr(deep, "SHORT", seed % 2 * 20_000 + 1)
                assert verdict(Explicit(game), asked) == listed
            seen[listed] += 1
    assert seen["holds"]
    assert seen["fails"]
