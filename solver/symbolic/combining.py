"""Operators on values told case by case, and a note of when there is none."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.symbolic.guarded import (
    Cases,
    Guarded,
    Laid,
    Members,
    Table,
    alike,
    is_number,
    is_truth,
    merged,
    number,
    truth_of,
)
from tablelaw.solver.symbolic.parts import Holding
from tablelaw.solver.symbolic.squares import Squares
from tablelaw.solver.symbolic.sums import Sum, Truth, conj, disj, gather, iff, implies, neg, select
from tablelaw.spec import types as ty
from tablelaw.spec.operators import OPERATORS, Fault
from tablelaw.spec.types import Type

MOST_CASES = 4_000


class Combining:
    """Combines values; `faults` are the cases in which something that is read has none."""

    def __init__(self, squares: Squares) -> None:
        self.squares = squares
        self.faults: list[Truth] = []
        self._path: list[Truth] = []

    # what has no value

    @contextmanager
    def under(self, test: Truth) -> Iterator[None]:
        """What is read inside is read only where the test holds."""
        self._path.append(test)
        try:
            yield
        finally:
            self._path.pop()

    def fault(self, when: Truth) -> None:
        """What is read has no value then."""
        known = conj(*self._path, when)
        if known is not False:
            self.faults.append(known)

    # cases

    def gathered(self, kind: Type, each: list[Guarded]) -> Any:
        """One value out of several, each with when it is that one."""
        each = [(g, v) for g, v in each if g is not False]
        if len(each) == 1 and not isinstance(each[0][1], Cases):
            return each[0][1]
        values = [v for _, v in each]
        if all(is_truth(v) for v in values):
            if len(each) == 2:
                (g, a), (h, b) = each
                if not isinstance(g, bool) and not isinstance(h, bool) and neg(g).eq(h):
                    return select(g, a, b)
            return disj(*(conj(g, v) for g, v in each))
        if all(is_number(v) for v in values):
            sums = [(g, number(v)) for g, v in each]
            whole = Sum(0)
            for g, s in sums:
                whole = whole.plus(s.where(g))
            return gather(whole.const, whole.parts, min(s.low for _, s in sums), max(s.high for _, s in sums))
        if all(isinstance(v, (Members, frozenset)) for v in values):
            return self.members([(conj(g, h), v) for g, m in each for h, v in self.each(m)])
        found: list[Guarded] = []
        for g, v in each:
            found += [(conj(g, h), w) for h, w in self.cases(v)]
        return Cases(tuple(merged(found)))

    def cases(self, v: Any) -> list[Guarded]:
        """Each known value that it may be, with when."""
        if isinstance(v, Cases):
            return list(v.each)
        if isinstance(v, Sum):
            return v.values() if v.parts else [(True, v.const)]
        if isinstance(v, Members):
            raise Unlowerable("a set of what lies on the table stands where z3 needs a single value")
        if is_truth(v) and not isinstance(v, bool):
            return [(v, True), (neg(v), False)]
        return [(True, v)]

    def members(self, each: list[Guarded]) -> Members:
        """A set of what is there, equal ones together."""
        return Members(tuple(merged([(g, v) for g, v in each if g is not False])))

    def each(self, v: Any) -> list[Guarded]:
        """The members of a set, each with when it is in."""
        return list(v.each) if isinstance(v, Members) else [(True, x) for x in v]

    def spread(self, f: Callable[..., Any], args: list[Any], kind: Type) -> Any:
        """A function of known values, for all cases of its arguments."""
        every = [self.cases(a) for a in args]
        width = 1
        for cases in every:
            width *= len(cases)
        if width > MOST_CASES:
            raise Unlowerable("a formula has too many cases for z3")
        found: list[Guarded] = []
        for chosen in itertools.product(*every):
            guard = conj(*(g for g, _ in chosen))
            if guard is False:
                continue
            if any(isinstance(v, (Table, Laid, Holding)) for _, v in chosen):
                raise Unlowerable("z3 does not take laid pieces or features here")
            try:
                found.append((guard, f(*(v for _, v in chosen))))
            except Fault:
                self.fault(guard)
        return self.gathered(kind, found) if found else ty.default(kind)

    def operator(self, op: str, args: list[Any], kind: Type) -> Any:
        """An operator but `and` and `or`."""
        if op == "ne":
            return neg(self.operator("eq", args, kind))
        if op == "sure" and is_number(args[0]):
            return args[0]
        if all(is_number(a) for a in args) and op not in ("in", "union", "meet", "minus", "append"):
            return self._arithmetic(op, [number(a) for a in args], args, kind)
        if op == "not":
            return neg(truth_of(args[0]))
        if op == "xor":
            return neg(iff(truth_of(args[0]), truth_of(args[1])))
        if op == "eq":
            return self.equal(*args)
        if op == "in":
            return self._inside(*args)
        if any(isinstance(a, Members) for a in args) and all(isinstance(a, (Members, frozenset)) for a in args):
            return self._of_sets(op, *args)
        return self.spread(OPERATORS[op], args, kind)

    def _arithmetic(self, op: str, sums: list[Sum], args: list[Any], kind: Type) -> Any:
        match op:
            case "add":
                return sums[0].plus(sums[1])
            case "sub":
                return sums[0].plus(sums[1], -1)
            case "neg":
                return Sum(0).plus(sums[0], -1)
            case "mul":
                return sums[0].mul(sums[1])
            case "eq":
                return sums[0].plus(sums[1], -1).equals()
            case "le":
                return sums[1].plus(sums[0], -1).at_least()
            case "lt":
                return neg(sums[0].plus(sums[1], -1).at_least())
        return self.spread(OPERATORS[op], args, kind)

    def equal(self, a: Any, b: Any) -> Truth:
        """Are both the same?"""
        if isinstance(a, Table) and isinstance(b, Table):
            return True
        if isinstance(a, (Table, Laid)) or isinstance(b, (Table, Laid)):
            raise Unlowerable("z3 does not compare whole layouts")
        if isinstance(a, (Members, frozenset)) and isinstance(b, (Members, frozenset)):
            return conj(self._of_sets("le", a, b), self._of_sets("le", b, a))
        if is_truth(a) and is_truth(b):
            return iff(a, b)
        return disj(*(conj(g, h, alike(v, w)) for g, v in self.cases(a) for h, w in self.cases(b)))

    def _inside(self, a: Any, b: Any) -> Truth:
        if isinstance(b, Table):
            return disj(*(conj(g, self.squares.laid(c)) for g, c in self.cases(a)))
        if isinstance(b, Members):
            return disj(*(conj(g, h, alike(v, w)) for g, v in self.cases(a) for h, w in b.each))
        if isinstance(b, Cases) and b.each and isinstance(b.each[0][1], Holding):
            return disj(*(conj(g, self._inside(a, f)) for g, f in b.each))
        if isinstance(b, Holding):
            return disj(*(conj(g, b.holds(p)) for g, p in self.cases(a)))
        if isinstance(b, (tuple, frozenset)):
            return disj(*(conj(g, alike(v, w)) for g, v in self.cases(a) for w in b))
        return self.spread(OPERATORS["in"], [a, b], ty.BOOL)

    def _of_sets(self, op: str, a: Any, b: Any) -> Any:
        mine, theirs = self.each(a), self.each(b)

        def among(v: Any, others: list[Guarded]) -> Truth:
            return disj(*(conj(h, alike(v, w)) for h, w in others))

        match op:
            case "union":
                return Members((*mine, *((g2, v) for g, v in theirs if (g2 := conj(g, neg(among(v, mine)))) is not False)))
            case "meet":
                return self.members([(conj(g, among(v, theirs)), v) for g, v in mine])
            case "minus":
                return self.members([(conj(g, neg(among(v, theirs))), v) for g, v in mine])
            case "le":
                return conj(*(implies(g, among(v, theirs)) for g, v in mine))
            case "lt":
                return conj(self._of_sets("le", a, b), neg(self._of_sets("le", b, a)))
        raise Unlowerable("z3 does not read this of sets")

    def extreme(self, largest: bool, each: list[tuple[Truth, Sum]]) -> Sum:
        """The largest or smallest of what is there; a fault where nothing is."""
        each = [(g, s) for g, s in each if g is not False]
        self.fault(neg(disj(*(g for g, _ in each))))
        if not each:
            return Sum(0)
        sign = 1 if largest else -1
        sums = [(g, Sum(0).plus(s, sign)) for g, s in each]
        if any(isinstance(c, Fraction) for _, s in sums for c in (s.const, *(c for _, c in s.parts))):
            raise Unlowerable("z3 does not compare fractions in `max` and `min`")
        low, high = min(s.low for _, s in sums), max(s.high for _, s in sums)
        if high - low > MOST_CASES:
            raise Unlowerable("`max` or `min` of numbers that vary too much for z3")
        steps = [(disj(*(conj(g, s.at_least(k)) for g, s in sums)), 1) for k in range(int(low) + 1, int(high) + 1)]
        return Sum(0).plus(gather(low, steps, low, high), sign)
