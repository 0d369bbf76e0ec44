"""Laws: what is proved with the board left open no position and no step of the evaluator breaks."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from tablelaw.solver.symbolic.open.boards import Table
from tablelaw.spec.types import LayoutType
from tablelaw.testing import boards, naive
from tablelaw.testing.open_laws import World, check_answers, check_everywhere, check_facts, check_steps

MOST = 90


def check(seed: int, seen: Counter[str]) -> None:
    """All laws but that of the facts on one game."""
    _, game = boards.sound(seed, (0.0, 0.02, 0.15)[seed % 3])
    g = naive.explore(game, MOST)
    check_everywhere(random.Random(seed), game, g, seen)
    check_steps(random.Random(seed), game, g, seen)
    if g.whole and not g.faulty:
        check_answers(game, g, seen)


@pytest.mark.parametrize("seed", [50_000, *(pytest.param(50_000 + n, marks=pytest.mark.slow) for n in range(1, 9))])
def test_what_is_proved_is_never_broken(seed: int) -> None:
    seen: Counter[str] = Counter()
    check(seed, seen)
    assert seen["kept"]


def test_a_claim_is_not_known_in_a_loop_before_it_is_shown() -> None:
    """A claim about what a loop leaves alone was once taken from the loop itself."""
    check(26, Counter())


def test_the_facts_hold_of_layouts() -> None:
    looked = 0
    for seed in range(51_000, 51_006):
        _, game = boards.sound(seed, 0.0)
        kinds = game.names.kinds
        g = naive.explore(game, 20)
        for v in game.variables:
            if isinstance(v.type, LayoutType) and kinds is not None:
                layouts = list(dict.fromkeys(s[v.name] for s in g.states))[-4:]
                world = World(v.type, layouts, kinds.family)
                looked += check_facts(random.Random(seed), world, Table(v.type, kinds.family).facts, 15)
    assert looked > 1_000
