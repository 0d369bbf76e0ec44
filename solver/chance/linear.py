"""Linear equations over fractions: by hand while they are few, by FLINT's lifting of p-adic digits when they are many.

Elimination on sparse rows costs little while rows stay short, and Python's fractions do for it; in a component of hundreds of
states they fill up, and their entries grow as long as the answer. Lifting (Dixon 1982) works modulo one prime and reckons the
long numbers once, at the end (decision 0010). Whichever way it comes, an answer is put into the equations before it is given.
"""

from __future__ import annotations

from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING, Any

from tablelaw.solver.space.graph import OutOfBudget

if TYPE_CHECKING:
    from tablelaw.solver.space.graph import Budget

Row = dict[int, Fraction]
FEW = 8
"""Unknowns up to which elimination takes less than a tenth of a millisecond or so: below it FLINT need not be loaded."""


EACH, LONG = 2e-9, 512
"""Seconds of lifting, by the cube of the unknowns; as long again for so many binary digits that are known of outside."""


class Singular(ArithmeticError):
    """The equations do not say what the unknowns are."""


def solve(rows: list[Row], right: list[Fraction], budget: Budget | None = None) -> list[Fraction]:
    """The one answer to the equations: row i, a factor for each unknown it has, adds up to `right[i]`.

    Raises `Singular` and `OutOfBudget`: FLINT's half, which is not interrupted, is not begun when it would take longer than
    there is time. The rows are left as they were.
    """
    n = len(rows)
    if n > FEW and budget is not None:
        long = max(x.denominator.bit_length() for x in right)
        if budget.left() < n**3 * EACH * (1 + long / LONG):
            raise OutOfBudget(f"there is not the time left to solve {n:,} equations exactly")
    found = _eliminated([dict(row) for row in rows], list(right), budget) if n <= FEW else _lifted(rows, right)
    if not holds(rows, right, found):
        raise AssertionError("an answer to linear equations does not meet them")
    return found


def number() -> Any:
    """FLINT's fractions: `number()(3, 4)`."""
    import flint

    return flint.fmpq


def holds(rows: list[Row], right: list[Fraction], found: list[Fraction]) -> bool:
    """Does an answer meet every equation, exactly? In whole numbers, over one denominator for all unknowns."""
    whole = lcm(*(x.denominator for x in found))
    numbers = [x.numerator * (whole // x.denominator) for x in found]
    for row, b in zip(rows, right, strict=True):
        m = lcm(b.denominator, *(x.denominator for x in row.values()))
        left = sum(x.numerator * (m // x.denominator) * numbers[k] for k, x in row.items())
        if left != b.numerator * (m // b.denominator) * whole:
            return False
    return True


def _lifted(rows: list[Row], right: list[Fraction]) -> list[Fraction]:
    import flint

    n = len(rows)
    matrix: Any = flint.fmpz_mat(n, n)
    column: Any = flint.fmpz_mat(n, 1)
    for i, (row, b) in enumerate(zip(rows, right, strict=True)):
        m = lcm(b.denominator, *(x.denominator for x in row.values()))
        for k, x in row.items():
            matrix[i, k] = x.numerator * (m // x.denominator)
        column[i, 0] = b.numerator * (m // b.denominator)
    fractions: Any = flint.fmpq_mat(matrix)
    try:
        answer = fractions.solve(flint.fmpq_mat(column), algorithm="dixon")
    except ZeroDivisionError:
        raise Singular from None
    return [Fraction(int(answer[i, 0].p), int(answer[i, 0].q)) for i in range(n)]


def _eliminated(rows: list[Row], right: list[Fraction], budget: Budget | None) -> list[Fraction]:
    n = len(rows)
    order: list[tuple[int, int]] = []
    free = set(range(n))
    columns: list[set[int]] = [set() for _ in range(n)]
    for i, row in enumerate(rows):
        for k in row:
            columns[k].add(i)
    for c in sorted(range(n), key=lambda k: len(columns[k])):
        if budget is not None:
            budget.check()
        usable = [i for i in columns[c] if i in free]
        if not usable:
            raise Singular
        pivot = min(usable, key=lambda i: len(rows[i]))
        free.discard(pivot)
        order.append((c, pivot))
        base, scale = rows[pivot], rows[pivot][c]
        for i in usable:
            if i == pivot:
                continue
            factor = rows[i][c] / scale
            row = rows[i]
            for k, x in base.items():
                new = row.get(k, Fraction(0)) - factor * x
                if new:
                    row[k] = new
                    columns[k].add(i)
                elif k in row:
                    del row[k]
                    columns[k].discard(i)
            right[i] -= factor * right[pivot]
    found = [Fraction(0)] * n
    for c, pivot in reversed(order):
        rest = sum((x * found[k] for k, x in rows[pivot].items() if k != c), Fraction(0))
        found[c] = (right[pivot] - rest) / rows[pivot][c]
    return found
