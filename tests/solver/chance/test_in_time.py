"""Questions of chance for which time or memory runs out, or that are stopped: what was known by then is told."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from tablelaw.solver import account
from tablelaw.solver import engine as engines
from tablelaw.solver.chance import engine, linear, listing, ready, swept, whole
from tablelaw.solver.chance.bounds import Bounds
from tablelaw.solver.chance.graph import Chances
from tablelaw.solver.engine import Engines
from tablelaw.solver.native.compiler import compiler
from tablelaw.solver.space.graph import Budget, OutOfBudget, Stopped
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.game import Game
from tablelaw.spec.questions import Asked
from tablelaw.testing.dice import made

needs_compiler = pytest.mark.skipif(compiler() is None, reason="needs a C compiler")
PIG = """tablelaw: 1
game: g
title: G
players: 2
types: {Points: 0..30}
constants: {TARGET: 12}
state:
  turn: {type: Player, init: 0}
  pot: {type: Points, init: 0}
  score: {type: "map[Player, Points]", init: 0}
actions:
  roll:
    by: turn
    require: [{id: enough, check: "pot < TARGET"}]
    chance: {x: die(3)}
    do: |
      pot = 0 if x == 1 else pot + x
      turn = after(turn) if x == 1 else turn
  stop:
    by: turn
    require: [{id: some, check: "pot > 0"}]
    do: |
      score[turn] += pot
      pot = 0
      turn = after(turn)
end:
  - {id: won, when: "any(score[p] >= TARGET for p in Player)", winners: "{p for p in Player if score[p] >= TARGET}"}
questions:
  first: {odds: 0 in winners(), play: best, who: [0]}
  balance: {expected: times('roll') - times('stop'), play: uniform}
"""


@pytest.fixture
def pig(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> tuple[Game, Asked]:
    """A game of dice, its chain in arrays."""
    monkeypatch.setenv("TABLELAW_CACHE", str(tmp_path_factory.getbasetemp() / "compiled"))
    monkeypatch.setattr(listing, "FIRST", 0)
    game, asked = made(PIG)
    return game, asked[0]


@pytest.fixture
def value(pig: tuple[Game, Asked]) -> Fraction:
    """The figure."""
    told = Engines(pig[0]).figure(pig[1], Budget(60)).value
    assert told is not None
    return Fraction(told)


def spent(reason: str) -> Callable[..., object]:
    """A solver for which something has run out."""

    def solve(*_: object) -> object:
        raise OutOfBudget(reason)

    return solve


def ctrl_c(*_: object) -> object:
    """Somebody stops it."""
    raise KeyboardInterrupt


@needs_compiler
@pytest.mark.parametrize(
    ("reason", "said"),
    [
        ("the time of 1 s is over", "before their share of the time was over"),
        ("the memory of 100 MiB is used up", "before the memory was used up"),
    ],
)
def test_bounds_are_told_where_there_is_no_time_or_memory_for_exact_figures(
    pig: tuple[Game, Asked], value: Fraction, monkeypatch: pytest.MonkeyPatch, reason: str, said: str
) -> None:
    """And nothing is listed a second time for them."""
    listed, chain_of = [], ready.chain_of

    def counted(*args: Any) -> Chances:
        listed.append(args)
        return chain_of(*args)

    monkeypatch.setattr(engine, "chain_of", counted)
    monkeypatch.setattr(whole, "solve", spent(reason))
    found = Engines(pig[0]).figure(pig[1], Budget(60))
    assert found.verdict == "value"
    assert found.interval is not None
    low, high = map(Fraction, found.interval)
    assert low <= value <= high <= low + Fraction(1, 10**8)
    assert any(f"not solved exactly {said}" in note for note in found.notes)
    assert found.policy is not None
    assert len(listed) == 1


@needs_compiler
def test_time_over_is_the_reason_where_there_are_no_bounds(pig: tuple[Game, Asked], monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a number that rises and falls on the way none are known."""
    game, asked = made(PIG)
    monkeypatch.setattr(whole, "solve", spent("the time of 1 s is over"))
    found = Engines(game).figure(asked[1], Budget(60))
    assert found.verdict == "unknown"
    assert (found.reason or "").startswith("out of budget: the time of 1 s is over")


@needs_compiler
def test_bounds_begun_for_exact_figures_are_gone_on_from(pig: tuple[Game, Asked], monkeypatch: pytest.MonkeyPatch) -> None:
    """Where they were not near when their share of the time was over."""
    begun: list[Bounds | None] = []
    bound: Any = swept.bound

    def seen(*args: Any) -> Bounds:
        begun.append(args[5])
        found: Bounds = bound(*args[:4], Budget(1e-9)) if len(begun) == 1 else bound(*args)
        return found

    monkeypatch.setattr(swept, "bound", seen)
    monkeypatch.setattr(whole, "solve", spent("the time of 1 s is over"))
    found = Engines(pig[0]).figure(pig[1], Budget(60))
    assert found.interval is not None
    assert begun[0] is None
    assert begun[1] is not None


@needs_compiler
def test_ctrl_c_while_solving_tells_the_bounds(
    pig: tuple[Game, Asked], value: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whole, "solve", ctrl_c)
    with pytest.raises(Stopped) as stop:
        Engines(pig[0]).figure(pig[1], Budget(60))
    known = stop.value.known
    assert isinstance(known, Verdict)
    assert known.verdict == "unknown"
    assert (known.reason or "").startswith("stopped; so far from 0.")
    low, high = ((known.reason or "").split()[k] for k in (4, 6))
    assert Fraction(low) <= value <= Fraction(high)


@needs_compiler
def test_ctrl_c_while_listing_tells_how_many_positions(pig: tuple[Game, Asked], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "AT_ONCE", 16)

    def tell(text: str) -> None:
        if "waiting" in text:
            raise KeyboardInterrupt

    with pytest.raises(Stopped) as stop:
        Engines(pig[0]).figure(pig[1], Budget(60, tell=tell))
    known = stop.value.known
    assert isinstance(known, Verdict)
    assert "positions of its chain met" in (known.reason or "")
    assert known.states


@needs_compiler
def test_time_over_while_listing_tells_how_many_positions(pig: tuple[Game, Asked], monkeypatch: pytest.MonkeyPatch) -> None:
    found = Engines(pig[0]).figure(pig[1], Budget(1e-9))
    assert found.verdict == "unknown"
    assert "positions met" in (found.reason or "")


def test_equations_for_which_there_is_no_time_are_not_begun() -> None:
    rows = [{k: Fraction(2), (k + 1) % 300: Fraction(-1)} for k in range(300)]
    right = [Fraction(1)] * 300
    with pytest.raises(OutOfBudget, match="300 equations"):
        linear.solve(rows, right, Budget(1e-3))
    assert linear.solve(rows, right, Budget(60)) == right


@needs_compiler
def test_an_account_of_chance_is_short_and_says_how(pig: tuple[Game, Asked]) -> None:
    with account.recording() as heard:
        value = Engines(pig[0]).figure(pig[1], Budget(60)).value or ""
    texts = [e.text for e in heard.entries]
    assert len(value) > engines.MOST_DIGITS + 1
    assert f"{value[: engines.MOST_DIGITS]}… (a fraction of {len(value) - 1:,} digits)" in texts[0]
    assert "listed by compiled code" in texts[1]
    assert texts[2].startswith("bounds from 0.")
    assert texts[3].startswith("exact fractions of ")
