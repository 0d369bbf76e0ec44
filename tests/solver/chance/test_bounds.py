"""Bounds of chains that fall into parts: they hold the exact figure, and come near it."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from tablelaw.solver.chance import bounds, exact
from tablelaw.solver.chance.graph import Chances, Choices
from tablelaw.solver.space.graph import Budget

SENSES: tuple[exact.Sense, ...] = (
    lambda a: 0,
    lambda a: 0 if a < 0 else 1,
    lambda a: 0 if a < 0 else -1,
    lambda a: (0, 1, -1)[a + 1],
)
SLOTS = ((0, 7), (3, 15), (7, 3))


def staircase(r: random.Random) -> Chances:
    """Four floors of three states each, up and within a floor only; the floor is in the packed states, among other numbers."""
    chain = Chances(starts=1)
    for v in range(14):
        chain.packed.append(r.randrange(8) | (9 - v // 3 if v < 12 else r.randrange(16)) << 3 | r.randrange(4) << 7)
        chain.reward.append(Fraction(0))
        if v >= 12:
            chain.values[v] = Fraction(v - 12)
            chain.choices.append([])
            continue
        actor, options = r.choice((-1, 0, 1)), Choices()
        for _ in range(1 if actor < 0 else r.randint(1, 3)):
            targets = [r.randrange(v - v % 3, 14) for _ in range(2)] + [r.randrange(v - v % 3 + 3, 14) if v < 9 else 13]
            shares = [r.randint(1, 4) for _ in targets]
            merged: dict[int, Fraction] = {}
            for j, w in zip(targets, shares, strict=True):
                merged[j] = merged.get(j, Fraction(0)) + Fraction(w, sum(shares))
            options.append((actor, list(merged.items())))
        chain.choices.append(options)
    return chain


def test_parts_that_lead_to_later_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the parts taken one by one and all at once; all ways of playing."""
    inside = 0
    for seed in range(120):
        chain, sense = staircase(random.Random(seed)), SENSES[seed % 4]
        expected = exact.solve(chain, sense, Budget(seconds=60))[0][0]
        for smallest in (1, 5, 2000):
            monkeypatch.setattr(bounds, "SMALLEST_BLOCK", smallest)
            found = bounds.bound(chain, sense, Fraction(0), Fraction(1), Budget(seconds=60), SLOTS)
            assert found.low <= expected <= found.high, (seed, smallest)
            assert found.high - found.low < 1e-8, (seed, smallest)
        inside += 0 < expected < 1
    assert inside > 60


def test_blocks_are_found() -> None:
    """The floor falls; what else is in the packed state rises and falls."""
    table = bounds._Table(staircase(random.Random(5)), SENSES[0], SLOTS)
    assert len(set(table.keys.tolist())) >= 4
    assert len(set(bounds._Table(staircase(random.Random(5)), SENSES[0], ()).keys.tolist())) == 1


def endless(chain: Chances) -> Chances:
    """Two more states that somebody can pass the play between for ever, and leave."""
    v = len(chain.packed)
    for there in (v + 1, v):
        chain.packed.append(0)
        chain.reward.append(Fraction(0))
        chain.choices.append([(1, [(there, Fraction(1))]), (1, [(0, Fraction(1))])])
    chain.choices[11] = [(1, [(v, Fraction(1))]), (1, [(12, Fraction(1, 2)), (13, Fraction(1, 2))])]
    return chain


@pytest.mark.parametrize("sense", [SENSES[1], SENSES[2], SENSES[3]])
def test_bounds_hold_where_the_play_can_be_kept_for_ever(sense: exact.Sense) -> None:
    """They need not come near there."""
    for seed in range(10):
        chain = endless(staircase(random.Random(seed)))
        expected = exact.solve(chain, sense, Budget(seconds=60))[0][0]
        found = bounds.bound(chain, sense, Fraction(0), Fraction(1), Budget(seconds=0.05), SLOTS)
        assert found.low <= expected <= found.high, seed


def test_no_time_at_all() -> None:
    """What is known beforehand holds."""
    found = bounds.bound(staircase(random.Random(1)), SENSES[0], Fraction(0), Fraction(1), Budget(seconds=0.0), SLOTS)
    assert found.low <= exact.solve(staircase(random.Random(1)), SENSES[0], Budget())[0][0] <= found.high


@pytest.mark.parametrize("most", [3, 900, 2_000_000])
def test_what_is_counted_on_the_way_has_bounds_too(most: int) -> None:
    """No largest figure is known before; figures larger than was reckoned with are reckoned anew."""
    for seed in range(60):
        r = random.Random(seed)
        chain, sense = staircase(r), SENSES[seed % 4]
        chain.reward = [Fraction(r.randint(0, 2 * most), 2) for _ in chain.packed]
        chain.values = {v: Fraction(r.randint(-most, most)) for v in chain.values}
        expected = exact.solve(chain, sense, Budget(seconds=60))[0][0]
        found = bounds.bound_counts(chain, sense, min(Fraction(0), *chain.values.values()), Budget(seconds=60), SLOTS)
        assert found is not None
        assert found.low <= expected <= found.high, seed
        assert found.high - found.low < 1e-8 * max(most, 1), seed


def test_no_bound_is_told_of_counts_where_none_is_found() -> None:
    """Here somebody can count for ever (which is refused before it comes to this)."""
    chain = endless(staircase(random.Random(1)))
    chain.reward = [Fraction(1) for _ in chain.packed]
    assert bounds.bound_counts(chain, SENSES[1], Fraction(0), Budget(seconds=60), SLOTS) is None


def test_what_moves_too_little_to_be_seen_is_not_taken_for_settled() -> None:
    """A play that is decided once in 10^12 steps, either way alike: a guess just above what little has come is no bound."""
    rare = Fraction(1, 10**12)
    chain = Chances(packed=[0, 1, 2], starts=1, reward=[Fraction(0)] * 3, values={1: Fraction(1), 2: Fraction(0)})
    chain.choices = [[(-1, [(0, 1 - rare), (1, rare / 2), (2, rare / 2)])], [], []]
    found = bounds.bound(chain, SENSES[0], Fraction(0), Fraction(1), Budget(seconds=60), ())
    assert found.low <= Fraction(1, 2) <= found.high
    counted = bounds.bound_counts(chain, SENSES[0], Fraction(0), Budget(seconds=60), ())
    assert counted is None or counted.low <= Fraction(1, 2) <= counted.high
