"""What z3 may spend is counted in its own work, so that a slow machine finds the same."""

from __future__ import annotations

import time
from typing import Any

import pytest
import z3

from tablelaw.solver import account, evaluate
from tablelaw.solver.effort import GRACE, SLOWEST, UNITS, Effort, within
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.symbolic.deciding import decide
from tablelaw.solver.symbolic.engine import Symbolic
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.questions import Reader
from tablelaw.testing.games import sound


def hard(size: int = 9) -> Any:
    """More pigeons than holes: z3 needs long for it."""
    solver = z3.Solver()
    at = [[z3.Bool(f"p{i}.{j}") for j in range(size)] for i in range(size + 1)]
    solver.add(*[z3.Or(row) for row in at])
    solver.add(*[z3.Not(z3.And(a[j], b[j])) for j in range(size) for i, a in enumerate(at) for b in at[:i]])
    return solver


def test_a_share_ends_by_work_and_not_by_the_clock() -> None:
    """The same question stops after the same work, however often it is asked; what it took is taken from the whole."""
    spent = []
    for _ in range(2):
        whole = within(Budget(600))
        share = whole.part(0.02)
        assert decide(hard(), share) == z3.unknown
        spent.append(share.worked)
        assert whole.worked == share.worked
        with pytest.raises(OutOfBudget):
            decide(hard(), share)
    assert spent[0] == spent[1]
    assert 0.02 * UNITS <= spent[0] < 0.05 * UNITS


def test_a_share_has_long_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only a machine many times slower, or work that z3 does not count, ends a share by the clock; the user's bound holds."""
    whole = within(Budget(100))
    share = whole.part(2.0)
    assert share.clock() == pytest.approx(2.0 * SLOWEST + GRACE, abs=1)
    assert share.left() == pytest.approx(2.0, abs=0.01)
    assert whole.part(1000).clock() == pytest.approx(100, abs=1)
    assert within(Budget()).part(5).left() == 5
    began = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: began + 200)
    assert share.left() < 0
    with pytest.raises(OutOfBudget):
        decide(hard(), share)


def test_shares_are_taken_from_shares() -> None:
    """A share of a share has no more than is left of it, and the whole counts both."""
    whole = within(Budget(60), 1.0)
    assert isinstance(whole, Effort)
    first, second = whole.part(0.75), whole.part(0.75)
    first.spend(0.5 * UNITS)
    assert whole.left() == pytest.approx(0.5)
    assert whole.part(0.75).left() == pytest.approx(0.5)
    assert second.left() == pytest.approx(0.75)
    assert within(whole) is whole


def test_a_slow_machine_finds_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a clock that runs thirty times as fast, proofs are found in the same ways as before."""
    _, game = sound(4, 0.0)
    reader = Reader(game, Diagnostics(), evaluate.starts(game)[0])
    asked = [a for q in game.document.questions.values() if (a := reader.question(q)) is not None]
    asked = [a for a in asked if a.kind in ("always", "never", "reach")]

    def told() -> list[object]:
        engine, found = Symbolic(game), list[object]()
        for a in asked:
            with account.recording() as heard:
                found.append(engine.ask(a, Budget(6000)).verdict)
            found.append([e.text for e in heard.entries])
        return found

    before = told()
    clock, began = time.monotonic, time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: began + (clock() - began) * 30)
    assert told() == before
    assert any(before[1::2])
