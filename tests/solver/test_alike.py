"""Positions that the rules do not tell apart: found where they are, not where the rules, the end or the goal differ."""

from __future__ import annotations

import contextlib
import itertools
from collections import Counter

import pytest

from tablelaw.solver import evaluate
from tablelaw.solver.explicit.depth import Circle, Depth
from tablelaw.solver.explicit.forcing import Arena
from tablelaw.solver.explicit.shown import prevented, strategy
from tablelaw.solver.problem import Problem, prepare
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.alike import Images, images, kept, one_of
from tablelaw.solver.space.graph import Budget, OutOfBudget, Space
from tablelaw.solver.space.turns import turns
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.questions import Asked, Reader
from tablelaw.testing.games import checked, sound

BOARD = """
tablelaw: 1
game: squares
title: Squares
players: 2
types: {{Square: 0..3}}
state:
  turn: {{type: Player, init: 0}}
  board: {{type: "map[Square, maybe[Player]]", init: none}}
actions:
  mark:
    by: turn
    params: {{square: Square}}
    require: [{{id: free, says: Only an empty square is marked., check: "board[square] == none{check}"}}]
    do: |
      board[square] = turn
      turn = after(turn){more}
end:
  - {{id: over, says: A player with two neighbouring squares wins., when: "{over}", winners: "{{0}}"}}
questions:
  wins: {{force: {{who: [0], goal: "{goal}"}}}}
"""
RING = "any(board[s] == 0 and board[t] == 0 for s in {0, 2} for t in {1, 3})"
TWO = "count(s for s in Square if board[s] == 0) == 2"


def squares(goal: str, over: str = "all(board[s] != none for s in Square)", check: str = "", more: str = "") -> Problem:
    game, sink = checked(BOARD.format(goal=goal, over=over, check=check, more=more))
    assert game is not None, [d.message for d in sink]
    asked = Reader(game, sink, evaluate.starts(game)[0]).question(game.document.questions["wins"])
    assert asked is not None
    return prepare(game, asked, unroll=True)


def found(problem: Problem, formula: str = "wins") -> int:
    """How many images a position has besides itself."""
    reader = Reader(problem.game, Diagnostics(), evaluate.starts(problem.game)[0])
    asked = reader.question(problem.game.document.questions[formula])
    assert asked is not None
    assert asked.formula is not None
    goal = problem.goal(asked.formula, frozenset({0}))
    same = images(problem.model, goal)
    if not same:
        return 0
    space = Space(problem.model)
    one = one_of(space.pack, same)
    assert one is not None
    check_images(space, same, space.formula(goal))
    space.explore(Budget())
    assert all(one(image(space, s, moved)) == one(s) for s in space.states for moved in same)
    assert len({one(s) for s in space.states}) < len(space.states)
    return len(same)


def image(space: Space, s: int, moved: Images) -> int:
    """The packed position with each slot where its image was."""
    numbers = space.pack.unpack(s)
    row = list(numbers)
    for i, j in enumerate(moved):
        row[j] = numbers[i]
    return space.pack.pack(row)


def check_images(space: Space, same: list[Images], goal: object) -> None:
    """What follows the image of a position are the images of what follows it; the end and the goal are there for both."""
    assert callable(goal)
    with contextlib.suppress(OutOfBudget):
        space.explore(Budget(states=400))
    ended = space.formula(space.ended)

    for s in space.states:
        for moved in same:
            t = image(space, s, moved)
            assert bool(goal(s)) == bool(goal(t))
            assert bool(ended(s)) == bool(ended(t))
            here = Counter((m, tuple(sorted(image(space, n, moved) for n in draws))) for m, draws in space.choices(s))
            assert here == Counter((m, tuple(sorted(draws))) for m, draws in space.choices(t))


def test_squares_that_nothing_tells_apart() -> None:
    """Four squares of which only the number marked counts may change places in any way: of 24 a group of 16 at most is kept."""
    assert 4 <= found(squares(TWO)) + 1 <= 16


def test_paths_where_some_images_are_left_out() -> None:
    """A position whose image has a representative of its own is still shown to be won or lost."""
    assert check_game(*with_question(squares(TWO)))
    assert check_game(*with_question(squares(TWO + " and all(board[s] != 1 for s in Square)")))


def with_question(problem: Problem) -> tuple[Problem, Asked]:
    reader = Reader(problem.game, Diagnostics(), evaluate.starts(problem.game)[0])
    asked = reader.question(problem.game.document.questions["wins"])
    assert asked is not None
    return problem, asked


def test_squares_round_a_ring() -> None:
    """Neighbours in a ring of four: eight ways to turn and mirror it."""
    assert found(squares(RING)) == 7


@pytest.mark.parametrize(
    "goal, count",
    [("board[0] == 0", 5), ("board[0] == 0 and board[1] == 0", 3), ("board[0] == 0 and board[1] == none", 1)],
)
def test_a_goal_tells_squares_apart(goal: str, count: int) -> None:
    assert found(squares(goal)) == count


def test_a_rule_tells_all_squares_apart() -> None:
    """Each may be marked only where the one before it is: no image is left."""
    goal = TWO
    assert found(squares(goal, check=" and (square == 0 or board[square - 1] != none)")) == 0


def test_an_end_tells_squares_apart() -> None:
    goal = TWO
    assert found(squares(goal, over="board[0] != none and board[1] != none")) == 3
    assert found(squares(goal, over="board[0] == 0 and board[1] == 1 and board[2] == none")) == 0


@pytest.mark.parametrize("goal, count", [(RING, 8), (TWO, 24), ("board[0] == 0", 6), ("board[0] == 0 and board[1] == 1", 2)])
def test_of_all_permutations_those_are_kept_that_change_nothing(goal: str, count: int) -> None:
    """Each of the 24 ways in which four squares can change places is asked; the others are refused."""
    problem = squares(goal)
    at = [i for i, s in enumerate(problem.model.slots) if s.name == "board"]
    each = len(at) // 4
    asked = Reader(problem.game, Diagnostics(), evaluate.starts(problem.game)[0]).question(
        problem.game.document.questions["wins"]
    )
    assert asked is not None
    assert asked.formula is not None
    term, good = problem.goal(asked.formula, frozenset({0})), 0
    for order in itertools.permutations(range(4)):
        moved = list(range(len(problem.model.slots)))
        for old, new in enumerate(order):
            for k in range(each):
                moved[at[old * each + k]] = at[new * each + k]
        good += kept(problem.model, term, tuple(moved))
    assert good == count


@pytest.mark.parametrize("block", [0, 1, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 3))])
def test_images_on_random_games(block: int) -> None:
    """Whatever is found keeps every step, and the search that counts images as one says what the whole graph says."""
    seen = 0
    for seed in range(80_000 + block * 60, 80_000 + block * 60 + 60):
        _, game = sound(seed, (0.0, 0.02, 0.12)[seed % 3])
        reader = Reader(game, Diagnostics(), evaluate.starts(game)[0])
        for asked in [a for q in game.document.questions.values() if (a := reader.question(q)) and a.kind == "force"]:
            try:
                problem = prepare(game, asked, unroll=True)
            except Unlowerable:
                continue
            seen += check_game(problem, asked)
    assert seen


def follows(space: Space, path: list[int]) -> bool:
    return all(any(b in draws for _, draws in space.choices(a)) for a, b in itertools.pairwise(path))


def check_game(problem: Problem, asked: Asked) -> int:
    assert asked.formula is not None
    who = frozenset({0})
    goal = problem.goal(asked.formula, who)
    same = images(problem.model, goal)
    if not same:
        return 0
    space = Space(problem.model)
    there = space.formula(goal)
    check_images(space, same, there)
    if space.complete:
        rank = Arena(space, Budget()).winning(bytearray(1 if there(s) else 0 for s in space.states), who)
        search = Depth(space, turns(space, goal, who), who, Budget(), one_of(space.pack, same))
        for i, s in enumerate(space.states):
            try:
                assert search.wins(s) == (rank[i] >= 0)
            except Circle:
                break
            if rank[i] >= 0:
                table = strategy(search, [s], 0)
                assert table is not None
                assert follows(space, table.line)
            else:
                assert follows(space, prevented(search, s, 0)[0])
    return 1
