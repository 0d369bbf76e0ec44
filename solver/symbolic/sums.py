"""Truths and numbers for z3 with what is known folded away: a number is a sum of truths, each counting so much.

All stays finite and Boolean, so that z3 answers with its SAT solver.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any

import z3

from tablelaw.solver.shapes import Unlowerable

Truth = Any
"""A `bool`, or a formula of z3."""
Exact = int | Fraction
WIDEST_PRODUCT = 2000
MOST_VALUES = 4000


_CONTEXT = z3.main_ctx()


def _joined(make: Callable[..., Any], kept: list[Truth]) -> Truth:
    """z3's `And` or `Or` without its looking at the sorts of all arguments, which takes most of the time."""
    return z3.BoolRef(make(_CONTEXT.ref(), len(kept), (z3.Ast * len(kept))(*(p.ast for p in kept))), _CONTEXT)


def conj(*parts: Truth) -> Truth:
    """All of them."""
    kept: list[Truth] = []
    for p in parts:
        if p is False:
            return False
        if p is not True:
            kept.append(p)
    return True if not kept else kept[0] if len(kept) == 1 else _joined(z3.Z3_mk_and, kept)


def disj(*parts: Truth) -> Truth:
    """Some of them."""
    kept: list[Truth] = []
    for p in parts:
        if p is True:
            return True
        if p is not False:
            kept.append(p)
    return False if not kept else kept[0] if len(kept) == 1 else _joined(z3.Z3_mk_or, kept)


def neg(a: Truth) -> Truth:
    """Not so."""
    if isinstance(a, bool):
        return not a
    return z3.BoolRef(z3.Z3_mk_not(_CONTEXT.ref(), a.ast), _CONTEXT)


def implies(a: Truth, b: Truth) -> Truth:
    """The second wherever the first."""
    return disj(neg(a), b)


def iff(a: Truth, b: Truth) -> Truth:
    """Both or neither."""
    if isinstance(a, bool):
        return b if a else neg(b)
    if isinstance(b, bool):
        return a if b else neg(a)
    return True if a.eq(b) else a == b


def select(test: Truth, yes: Truth, no: Truth) -> Truth:
    """The second where the first holds, else the third."""
    if isinstance(test, bool):
        return yes if test else no
    if isinstance(yes, bool) or isinstance(no, bool):
        return disj(conj(test, yes), conj(neg(test), no))
    return z3.If(test, yes, no)


def at_most_one(parts: Sequence[Truth]) -> Truth:
    """No two of them."""
    return total(parts).at_most(1)


def _weighed(make: Callable[..., Any], weights: list[tuple[Truth, int]], needed: int) -> Truth:
    """z3's comparison of a weighed count."""
    n = len(weights)
    truths, counts = (z3.Ast * n)(*(p.ast for p, _ in weights)), (ctypes.c_int * n)(*(w for _, w in weights))
    return z3.BoolRef(make(_CONTEXT.ref(), n, truths, counts, needed), _CONTEXT)


@dataclass(frozen=True, eq=False)
class Sum:
    """`const` and for each truth that holds so much more; `floor` and `roof` bound it where more is known than that."""

    const: Exact
    parts: tuple[tuple[Truth, Exact], ...] = ()
    floor: Exact | None = None
    roof: Exact | None = None

    @cached_property
    def low(self) -> Exact:
        """It is no less."""
        low = self.const + sum(c for _, c in self.parts if c < 0)
        return low if self.floor is None else max(low, self.floor)

    @cached_property
    def high(self) -> Exact:
        """It is no more."""
        high = self.const + sum(c for _, c in self.parts if c > 0)
        return high if self.roof is None else min(high, self.roof)

    def plus(self, other: Sum, times: Exact = 1) -> Sum:
        """The sum with so many times the other."""
        low, high = sorted((other.low * times, other.high * times))
        parts = [*self.parts, *((p, c * times) for p, c in other.parts)]
        return gather(self.const + other.const * times, parts, self.low + low, self.high + high)

    def where(self, test: Truth) -> Sum:
        """The sum where the test holds, else 0."""
        parts = [(conj(test, p), c) for p, c in self.parts]
        if self.const:
            parts.append((test, self.const))
        return gather(0, parts, min(0, self.low), max(0, self.high))

    def mul(self, other: Sum) -> Sum:
        """The product."""
        if len(self.parts) * len(other.parts) > WIDEST_PRODUCT:
            raise Unlowerable("a product of two numbers that vary so much is too large for z3")
        ends = [a * b for a in (self.low, self.high) for b in (other.low, other.high)]
        parts = [(conj(p, q), c * d) for p, c in self.parts for q, d in other.parts]
        parts += [(p, c * other.const) for p, c in self.parts] + [(q, self.const * d) for q, d in other.parts]
        return gather(self.const * other.const, parts, min(ends), max(ends))

    def at_least(self, bound: Exact = 0) -> Truth:
        """Is it so much or more?"""
        if self.low >= bound:
            return True
        if self.high < bound:
            return False
        return _weighed(z3.Z3_mk_pbge, *self._normal(bound))

    def at_most(self, bound: Exact = 0) -> Truth:
        """Is it so much or less?"""
        return Sum(0).plus(self, -1).at_least(-bound)

    def equals(self, bound: Exact = 0) -> Truth:
        """Is it so much?"""
        if not self.low <= bound <= self.high:
            return False
        if self.low == self.high:
            return True
        weights, needed = self._normal(bound, exact=True)
        return False if needed is None else _weighed(z3.Z3_mk_pbeq, weights, needed)

    def _normal(self, bound: Exact, exact: bool = False) -> tuple[list[tuple[Truth, int]], Any]:
        """Positive whole weights and what they must come to."""
        scale = lcm(*(Fraction(c).denominator for _, c in self.parts))
        needed = (bound - self.const) * scale
        weights: list[tuple[Truth, int]] = []
        for p, c in self.parts:
            w = int(c * scale)
            weights.append((p, w) if w > 0 else (neg(p), -w))
            needed += -w if w < 0 else 0
        whole = Fraction(needed)
        if whole.denominator != 1:
            return weights, None if exact else -(-whole.numerator // whole.denominator)
        return weights, whole.numerator

    def values(self) -> list[tuple[Truth, Exact]]:
        """Each value that it may have, with when."""
        scale = lcm(*(Fraction(c).denominator for _, c in self.parts), Fraction(self.const).denominator)
        if (self.high - self.low) * scale > MOST_VALUES:
            raise Unlowerable("a number in the formula has too many values for z3")
        every = (Fraction(k, scale) for k in range(int(self.low * scale), int(self.high * scale) + 1))
        whole = [int(v) if v.denominator == 1 else v for v in every]
        return [(t, v) for v in whole if (t := self.equals(v)) is not False]


def gather(const: Exact, parts: Iterable[tuple[Truth, Exact]], floor: Exact | None = None, roof: Exact | None = None) -> Sum:
    """A sum of parts, equal ones together."""
    found: dict[int, tuple[Truth, Exact]] = {}
    for p, c in parts:
        if p is True:
            const += c
        elif p is not False:
            key = p.get_id()
            found[key] = (p, found[key][1] + c if key in found else c)
    return Sum(const, tuple((p, c) for p, c in found.values() if c), floor, roof)


def total(parts: Iterable[Truth], roof: int | None = None) -> Sum:
    """How many hold."""
    return gather(0, ((p, 1) for p in parts), 0, roof)
