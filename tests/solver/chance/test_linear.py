"""Linear equations over fractions: both ways give the one answer, and none where there is none."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from tablelaw.solver.chance import linear
from tablelaw.solver.chance.linear import Row


def equations(seed: int, n: int) -> tuple[list[Row], list[Fraction], list[Fraction]]:
    """Equations of a chain that leaves, and their answer, from which the right sides were made."""
    r = random.Random(seed)
    answer = [Fraction(r.randint(-9, 9), r.randint(1, 9)) for _ in range(n)]
    rows = []
    for i in range(n):
        targets = [(i + 1) % n, *(r.randrange(n) for _ in range(r.randint(0, 3)))]
        shares = [r.randint(1, 5) for _ in targets]
        whole = sum(shares) + (r.randint(1, 3) if i == n - 1 or not r.randint(0, 2) else 0)
        row = {i: Fraction(1)}
        for k, w in zip(targets, shares, strict=True):
            row[k] = row.get(k, Fraction(0)) - Fraction(w, whole)
        rows.append({k: x for k, x in row.items() if x})
    right = [sum((x * answer[k] for k, x in row.items()), Fraction(0)) for row in rows]
    return rows, right, answer


@pytest.mark.parametrize("n", [1, 2, 5, linear.FEW, linear.FEW + 1, 30, 90])
def test_the_answer_is_found(n: int) -> None:
    """By elimination and by lifting; the rows are left as they were."""
    for seed in range(5):
        rows, right, answer = equations(seed, n)
        kept = [dict(row) for row in rows], list(right)
        assert linear.solve(rows, right) == answer
        assert (rows, right) == kept
        assert linear._lifted(rows, right) == answer
        assert linear._eliminated([dict(row) for row in rows], list(right), None) == answer


@pytest.mark.parametrize("n", [3, 40])
def test_equations_without_one_answer(n: int) -> None:
    """A ring that nobody leaves."""
    rows = [{i: Fraction(1), (i + 1) % n: Fraction(-1)} for i in range(n)]
    with pytest.raises(linear.Singular):
        linear.solve(rows, [Fraction(0)] * n)


def test_a_wrong_answer_is_seen() -> None:
    """In any one place, however little it is off."""
    rows, right, answer = equations(1, 12)
    assert linear.holds(rows, right, answer)
    for i in range(12):
        off = list(answer)
        off[i] += Fraction(1, 10**40)
        assert not linear.holds(rows, right, off)
