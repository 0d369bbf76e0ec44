"""Small hands of Line Dice: who wins each pair of them, looked for move by move by the evaluator."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from math import factorial, prod
from pathlib import Path

import pytest

from tablelaw.checkers.selection import Request
from tablelaw.checkers.session import Session
from tablelaw.solver import evaluate
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.load import Rules, check_everywhere, load
from tablelaw.spec.reckon import Place, value
from tablelaw.spec.values import Map

FILE = Path(__file__).resolve().parent.parent.parent / "examples" / "line-dice" / "rules.yaml"
FACES = ("straight", "cross", "bend_n", "bend_e", "bend_s", "bend_w")
Hand = tuple[str, ...]


@cache
def rules() -> Rules:
    sink = Diagnostics()
    found = load(str(FILE), sink)
    assert found is not None, [d.message for d in sink]
    check_everywhere(found, sink)
    return found


@cache
def given() -> Game:
    game = rules().game({"supply": "given"}, 2, Diagnostics())
    assert game is not None
    return game


@cache
def first_wins(state: Map) -> bool:
    """Does seat 0 win when both play as well as they can? Nothing is drawn after the deal."""
    game = given()
    if evaluate.end(game, state) is not None:
        return 0 in evaluate.winners(game, state)
    found = []
    for move in evaluate.moves(game, state):
        action = game.action(move.action)
        assert action is not None
        assert not action.draws
        mine = action.by is not None and value(action.by, Place(state, game.players)) == 0
        found.append((mine, evaluate.apply(game, state, move).state))
    assert len({mine for mine, _ in found}) == 1, "one player has the move"
    return any(first_wins(s) for _, s in found) if found[0][0] else all(first_wins(s) for _, s in found)


def pairs(n: int) -> Iterator[tuple[Fraction, bool]]:
    """Each pair of hands: how often it is rolled, and whether the first player wins it."""
    start = evaluate.starts(given())[0]
    hands = list(combinations_with_replacement(FACES, n))

    def rolled(hand: Hand) -> Fraction:
        return Fraction(factorial(n) // prod(factorial(hand.count(f)) for f in FACES), 6**n)

    def counted(hand: Hand) -> Map:
        return Map([(f, hand.count(f)) for f in FACES])

    for mine in hands:
        for theirs in hands:
            state = start.set("phase", "moving").set("hand", Map([(0, counted(mine)), (1, counted(theirs))]))
            yield rolled(mine) * rolled(theirs), first_wins(state)


def told(question: str) -> Fraction:
    sink = Diagnostics()
    session = Session(rules(), Request((question,), seconds=300.0, cores=False), sink)
    assert session.check(), [d.message for d in sink]
    found = [r for _, _, r in session.answers(list(session.selection.cases())) if r is not None]
    return Fraction(str(found[0].verdict.value))


@pytest.mark.parametrize(("n", "won", "of"), [(1, 4, 36), pytest.param(2, 118, 441, marks=pytest.mark.slow)])
def test_so_many_pairs_of_hands_are_won_by_the_first(n: int, won: int, of: int) -> None:
    """By the evaluator and by the question, counted by pairs and by how often they are rolled."""
    found = list(pairs(n))
    assert (sum(wins for _, wins in found), len(found)) == (won, of)
    assert told(f"wins-of-{n}") == Fraction(won, of)
    assert told(f"first-player-with-{n}") == sum(often for often, wins in found if wins)
