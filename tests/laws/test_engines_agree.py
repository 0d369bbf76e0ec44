"""Laws: on random games every engine takes exactly the steps, and gives exactly the answers, of the reference evaluator."""

from __future__ import annotations

from collections import Counter

import pytest


from tablelaw.solver import evaluate
from tablelaw.solver.lower import lower
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget, Space
from tablelaw.solver.trace import to_numbers, to_state
from tablelaw.spec.game import Game
from tablelaw.testing import naive
from tablelaw.testing.games import sound

MOST = 250


def wildness(seed: int) -> float:
    """Every third game dares much that may have no value, every third a little, every third nothing."""
    return (0.0, 0.02, 0.12)[seed % 3]


def check_steps(game: Game, g: naive.Graph, space: Space) -> None:
    """Law a: the same steps, choices and actors; law f: positions survive packing."""
    pack = space.pack

    def packed(state: evaluate.State) -> int:
        numbers = to_numbers(game, state)
        assert all(s.lo <= n <= s.hi for s, n in zip(space.model.slots, numbers, strict=True))
        assert to_state(game, numbers) == state
        found = pack.pack(numbers)
        assert pack.unpack(found) == numbers
        return found

    ended = space.formula(space.model.ended)
    for i, found in enumerate(g.steps):
        s = packed(g.states[i])
        out: list[int] = []
        space.successors(s, out)
        expected = Counter(-1 if x.after is None else packed(x.after) for x in found)
        assert Counter(out) == expected or (set(out) == set(expected) and out.count(-1) > 0), g.states[i]
        assert Counter(n for n in out if n >= 0) == Counter({k: n for k, n in expected.items() if k >= 0}), g.states[i]
        choices: dict[evaluate.Move, list[int]] = {}
        for x in found:
            if x.after is not None and x.move is not None:
                choices.setdefault(x.move, []).append(packed(x.after))
        mine = sorted((-1 if m.actor is None else m.actor, sorted(d)) for m, d in choices.items())
        assert sorted((a, sorted(d)) for a, d in space.choices(s)) == mine, g.states[i]
        if not any(x.move is None for x in found):
            assert bool(ended(s)) == g.ended(i), g.states[i]


def check_space(game: Game, g: naive.Graph, space: Space) -> None:
    """Law b: the same reachable states, stuck states and faults."""
    space.explore(Budget())
    assert len(space.states) == len(g.states)
    assert {space.pack.pack(to_numbers(game, s)) for s in g.states} == set(space.states)
    stuck = {space.pack.pack(to_numbers(game, s)) for i, s in enumerate(g.states) if not g.steps[i] and not g.ended(i)}
    assert {space.states[i] for i in space.stuck} == stuck
    assert bool(space.faulty) == g.faulty


def check_cheap(seed: int) -> None:
    _, game = sound(seed, wildness(seed), questions=0)
    g = naive.explore(game, MOST)
    for unroll in (True, False):
        try:
            model, _ = lower(game, unroll=unroll)
        except Unlowerable:
            return
        space = Space(model)
        check_steps(game, g, space)
        if g.whole:
            check_space(game, g, space)


@pytest.mark.parametrize("block", range(25))
def test_generated_code_takes_the_steps_of_the_evaluator(block: int) -> None:
    for seed in range(block * 20, block * 20 + 20):
        check_cheap(seed)
