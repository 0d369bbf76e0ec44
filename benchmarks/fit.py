"""A line through points by least squares: its slope with the error of that, for exponents of growth."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import log, sqrt

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Slope:
    """The slope, its standard error (None of two points), and of how many points."""

    value: float
    error: float | None
    points: int

    def __str__(self) -> str:
        """With the error as far as there is one."""
        return f"{self.value:.2f}" + ("" if self.error is None else f" ± {self.error:.2f}")


def slope(points: Iterable[Point]) -> Slope | None:
    """Of the line through the points; None where they have fewer than two abscissae."""
    some = list(points)
    if len({x for x, _ in some}) < 2:
        return None
    n = len(some)
    a, b = (sum(column) / n for column in zip(*some, strict=True))
    wide = sum((x - a) ** 2 for x, _ in some)
    value = sum((x - a) * (y - b) for x, y in some) / wide
    missed = sum((y - b - value * (x - a)) ** 2 for x, y in some)
    return Slope(value, sqrt(missed / (n - 2) / wide) if n > 2 else None, n)


def exponent(points: Iterable[Point]) -> Slope | None:
    """The e of y ∝ xᵉ."""
    return slope((log(x), log(y)) for x, y in points)


def factor(points: Iterable[Point]) -> Slope | None:
    """The natural logarithm of the factor by which y grows from x to x + 1."""
    return slope((x, log(y)) for x, y in points)
