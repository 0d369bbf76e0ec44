"""On random games of dice: what shows a figure is borne out by the evaluator, and nothing else is."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from tablelaw.checkers.figures import Figures
from tablelaw.checkers.recheck import Refused
from tablelaw.checkers.states import states_of
from tablelaw.solver import evaluate
from tablelaw.solver.chance.engine import Chance
from tablelaw.solver.portable import portable, states
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.verdict import NoEvidence, Verdict
from tablelaw.spec.game import Game
from tablelaw.spec.questions import Asked, Preferred
from tablelaw.testing.dice import PLAYS, dice_game


def told(game: Game, verdict: Verdict) -> dict[str, Any] | None:
    """The evidence of a figure as plain data, with its states."""
    try:
        found = portable(game, verdict)
    except NoEvidence:
        return None
    if found is None:
        return None
    found["states"] = states(found.pop("game"), found.pop("space"))
    return found


def walked(game: Game, asked: Asked, found: dict[str, Any]) -> Figures:
    """Its positions, each stepped."""
    listed = [state for state, _ in states_of(found["states"], game, replace(asked, formula=None))]
    return Figures(game, asked, listed, 60.0)


def tampered(r: random.Random, found: dict[str, Any], value: str) -> tuple[str, object, object, str]:
    """A figure, figures and moves with one thing changed; what it is."""
    values, policy = found.get("values"), found.get("policy")
    if values is None or r.random() < 0.2:
        return str(Fraction(value) + Fraction(1, 1000)), values, policy, "figure"
    i = r.randrange(len(values))
    return (
        value,
        [*values[:i], str(Fraction(values[i]) + r.choice((1, -1)) * Fraction(1, 97)), *values[i + 1 :]],
        policy,
        "values",
    )


def ways(game: Game, asked: Asked, seed: int) -> list[Asked]:
    """Ways of asking."""
    play, who = PLAYS[seed % len(PLAYS)]
    names = [a.name for a in game.actions]
    listed = tuple(Preferred(n) for n in random.Random(seed).sample(names, len(names)))
    found = [
        replace(asked, play=play, players=who),
        replace(asked, play=listed),
        replace(asked, play=play, players=who, within=4),
    ]
    return [f for f in found if seed % 3 == 0 or f.within is None]


def check_figures(seed: int) -> Counter[str]:
    """What was borne out, and what refused."""
    seen: Counter[str] = Counter()
    r = random.Random(seed)
    game, both = dice_game(random.Random(seed))
    for number, plain in enumerate(both):
        for asked in ways(game, plain, seed + number):
            verdict = Chance(game).ask(asked, Budget(seconds=5))
            found = told(game, verdict)
            if found is None or verdict.value is None:
                continue
            figures = walked(game, asked, found)
            figures.show(verdict.value, found.get("values"), found.get("policy"))
            seen["borne out"] += 1
            seen["moves"] += sum(m is not None for m in found.get("policy", ()))
            for _ in range(3):
                value, values, policy, what = tampered(r, found, verdict.value)
                with pytest.raises(Refused):
                    figures.show(value, values, policy)
                seen[what] += 1
            if verdict.policy is not None:
                for a in verdict.policy.take(50, 0):
                    assert a.move in evaluate.moves(game, a.state)
                    seen["told"] += 1
    return seen


def test_what_shows_a_figure_is_borne_out_by_the_evaluator_alone() -> None:
    """With all ways of playing; with another figure anywhere it is refused."""
    seen: Counter[str] = Counter()
    for seed in range(40):
        seen += check_figures(seed)
    print(seen)
    assert seen["borne out"] > 60
    assert min(seen["moves"], seen["told"], seen["figure"], seen["values"]) > 20, seen
