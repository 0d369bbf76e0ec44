"""The core transition system: whole-number terms over flat variables, shared and folded as they are built.

A term is total: where the rules have no value (an index outside, a division by zero) the term has some number and a
*fault* of the step says when. Every engine reads this form and nothing else; names and types stay with `lower.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from tablelaw.spec.source import Span

BIG = 2**62
"""From here on a term's bounds are not known: it then has -BIG and BIG, and no such bound decides anything."""
_REACHING = {"add", "sub", "mul", "floordiv", "xor"}
"""Operations whose value may lie beyond the bounds of what they are of."""


class Term:
    """A node of a shared graph; equal terms of one `Terms` are one object. Truth is 0 or 1; `lo..hi` bounds the value.

    `op`: const, var (old or present value), next (value after a step), input, switch (a clause), actor, add, sub, mul,
    floordiv, mod, xor, eq, lt, le, and, or, not, ite, select (args: index, then the values for 0, 1, …).
    """

    __slots__ = ("args", "hi", "level", "lo", "number", "op", "truth", "uid")
    level: int

    def __init__(self, uid: int, op: str, args: tuple[Term, ...], number: int, lo: int, hi: int, truth: bool) -> None:
        self.uid, self.op, self.args, self.number, self.lo, self.hi, self.truth = uid, op, args, number, lo, hi, truth
        self.level = number if op == "input" else max((a.level for a in args), default=-1)

    @property
    def unbounded(self) -> bool:
        """Are the bounds not known?"""
        return self.op != "const" and self.hi >= BIG

    def __repr__(self) -> str:
        return f"{self.op}#{self.number}" if not self.args else f"{self.op}({', '.join(map(repr, self.args))})"


class Terms:
    """Makes terms; folds constants and whatever bounds decide."""

    def __init__(self) -> None:
        self.table: dict[tuple[object, ...], Term] = {}
        self.true = self.const(1, truth=True)
        self.false = self.const(0, truth=True)

    def _make(self, op: str, args: tuple[Term, ...], lo: int, hi: int, truth: bool = False, number: int = 0) -> Term:
        # the inputs of several moves share their numbers, not their bounds
        key = (op, number, truth, *(a.uid for a in args)) if op != "input" else (op, number, truth, lo, hi)
        found = self.table.get(key)
        if found is None:
            if lo == hi and op not in ("const", "switch") and abs(lo) < BIG:
                return self.const(lo, truth)
            unknown = lo <= -BIG or hi >= BIG or (op in _REACHING and any(a.unbounded or abs(a.lo) >= BIG for a in args))
            if unknown and op != "const":
                lo, hi = -BIG, BIG
            found = Term(len(self.table), op, args, number, lo, hi, truth)
            self.table[key] = found
        return found

    def const(self, n: int, truth: bool = False) -> Term:
        """A number, or with `truth` a truth value."""
        return self._make("const", (), n, n, truth, n)

    def leaf(self, op: str, number: int, lo: int, hi: int, truth: bool = False) -> Term:
        """A variable, input, switch or the actor."""
        return self._make(op, (), lo, hi, truth, number)

    def add(self, a: Term, b: Term) -> Term:
        if (a.op == "const" and a.number == 0) or (b.op == "const" and b.number == 0):
            return self.number(b if a.op == "const" and a.number == 0 else a)
        if a.op == "const" and b.op == "const":
            return self.const(a.number + b.number)
        if b.op == "const" and a.op == "add" and a.args[1].op == "const":
            return self.add(a.args[0], self.const(a.args[1].number + b.number))
        return self._make("add", (b, a) if a.op == "const" else (a, b), a.lo + b.lo, a.hi + b.hi)

    def number(self, a: Term) -> Term:
        """A truth value counted as 0 or 1."""
        if not a.truth:
            return a
        return self.const(a.number) if a.op == "const" else self.ite(a, self.const(1), self.const(0))

    def sub(self, a: Term, b: Term) -> Term:
        if b.op == "const":
            return self.add(a, self.const(-b.number))
        if a is b:
            return self.const(0)
        return self._make("sub", (a, b), a.lo - b.hi, a.hi - b.lo)

    def mul(self, a: Term, b: Term) -> Term:
        if a.op == "const" and b.op == "const":
            return self.const(a.number * b.number)
        if b.op == "const":
            a, b = b, a
        if a.op == "const" and a.number in (0, 1):
            return b if a.number else self.const(0)
        corners = [x * y for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
        return self._make("mul", (a, b), min(corners), max(corners))

    def floordiv(self, a: Term, b: Term) -> Term:
        """`a // b`, 0 where b is 0."""
        if b.op == "const" and b.number == 0:
            return self.const(0)
        if a.op == "const" and b.op == "const":
            return self.const(a.number // b.number)
        if b.op == "const" and b.number == 1:
            return a
        if b.lo > 0:
            corners = [x // y for x in (a.lo, a.hi) for y in (b.lo, b.hi)]
            return self._make("floordiv", (a, b), min(corners), max(corners))
        most = max(abs(a.lo), abs(a.hi))
        return self._make("floordiv", (a, b), -most - 1, most + 1)

    def mod(self, a: Term, b: Term) -> Term:
        """`a % b` with the sign of b, 0 where b is 0."""
        if b.op == "const" and b.number == 0:
            return self.const(0)
        if a.op == "const" and b.op == "const":
            return self.const(a.number % b.number)
        if b.op == "const" and a.lo >= 0 and _below(a, b):
            return a
        lo, hi = (-BIG, BIG) if b.unbounded else (min(b.lo + 1, 0), max(b.hi - 1, 0))
        return self._make("mod", (a, b), lo, hi)

    def xor(self, a: Term, b: Term) -> Term:
        if a.op == "const" and b.op == "const":
            return self.const(a.number ^ b.number)
        most = max(abs(a.lo), abs(a.hi), abs(b.lo), abs(b.hi))
        high = (1 << most.bit_length()) - 1
        return self._make("xor", (a, b), 0 if a.lo >= 0 and b.lo >= 0 else -high - 1, high)

    def eq(self, a: Term, b: Term) -> Term:
        if a is b:
            return self.true
        if _below(a, b) or _below(b, a):
            return self.false
        if a.op == "const" and b.op == "const":
            return self.true if a.number == b.number else self.false
        if a.truth and b.truth:
            for x, y in ((a, b), (b, a)):
                if x.op == "const":
                    return y if x.number else self.no(y)
        if a.op == "const":
            a, b = b, a
        if b.op == "const" and a.op == "ite" and a.args[1].op == "const" and a.args[2].op == "const":
            return self.ite(a.args[0], self.eq(a.args[1], b), self.eq(a.args[2], b))
        if a.op != "const" and b.op != "const" and b.uid < a.uid:
            a, b = b, a
        return self._make("eq", (a, b), 0, 1, True)

    def lt(self, a: Term, b: Term) -> Term:
        if _below(a, b):
            return self.true
        if _at_most(b, a):
            return self.false
        return self._make("lt", (a, b), 0, 1, True)

    def le(self, a: Term, b: Term) -> Term:
        if _at_most(a, b) or a is b:
            return self.true
        if _below(b, a):
            return self.false
        return self._make("le", (a, b), 0, 1, True)

    def no(self, a: Term) -> Term:
        if a.op == "const":
            return self.false if a.number else self.true
        if a.op == "not":
            return a.args[0]
        if a.op == "lt":
            return self.le(a.args[1], a.args[0])
        if a.op == "le":
            return self.lt(a.args[1], a.args[0])
        return self._make("not", (a,), 0, 1, True)

    def all(self, parts: Iterable[Term]) -> Term:
        return self._join("and", parts, self.true, self.false)

    def any(self, parts: Iterable[Term]) -> Term:
        return self._join("or", parts, self.false, self.true)

    def _join(self, op: str, parts: Iterable[Term], unit: Term, zero: Term) -> Term:
        kept: dict[int, Term] = {}
        for p in parts:
            for q in p.args if p.op == op else (p,):
                if q is zero:
                    return zero
                if q is not unit:
                    kept[q.uid] = q
        for q in kept.values():
            if q.op == "not" and q.args[0].uid in kept:
                return zero
        if not kept:
            return unit
        items = tuple(kept.values())
        return items[0] if len(items) == 1 else self._make(op, items, 0, 1, True)

    def ite(self, test: Term, yes: Term, no: Term) -> Term:
        if test.op == "const":
            return yes if test.number else no
        if yes is no:
            return yes
        if test.op == "not":
            return self.ite(test.args[0], no, yes)
        if yes.truth and no.truth:
            if yes.op == "const":
                return self.any((test, no)) if yes.number else self.all((self.no(test), no))
            if no.op == "const":
                return self.any((self.no(test), yes)) if no.number else self.all((test, yes))
        if no.op == "ite" and no.args[0] is test:
            return self.ite(test, yes, no.args[2])
        if yes.op == "ite" and yes.args[0] is test:
            return self.ite(test, yes.args[1], no)
        (yes_lo, yes_hi), (no_lo, no_hi) = _bounded(yes, test, True), _bounded(no, test, False)
        return self._make("ite", (test, yes, no), min(yes_lo, no_lo), max(yes_hi, no_hi), yes.truth and no.truth)

    def select(self, index: Term, items: Sequence[Term]) -> Term:
        """The item at the index, which must lie within."""
        if index.op == "const":
            return items[index.number]
        if all(i is items[0] for i in items):
            return items[0]
        if index.lo == index.hi - 1:
            return self.ite(self.eq(index, self.const(index.hi)), items[index.hi], items[index.lo])
        if index.op == "ite" and all(a.lo >= 0 and a.hi < len(items) for a in index.args[1:]):
            return self.ite(index.args[0], self.select(index.args[1], items), self.select(index.args[2], items))
        used = items[index.lo : index.hi + 1]
        return self._make("select", (index, *items), min(i.lo for i in used), max(i.hi for i in used), items[0].truth)

    def total(self, parts: Iterable[Term]) -> Term:
        """The sum."""
        result = self.const(0)
        for p in parts:
            result = self.add(result, self.number(p))
        return result

    def replace(self, term: Term, change: Callable[[Term], Term | None], memo: dict[int, Term]) -> Term:
        """The term with leaves changed (None keeps a leaf)."""
        stack = [term]
        while stack:
            top = stack[-1]
            if top.uid in memo:
                stack.pop()
                continue
            waiting = [a for a in top.args if a.uid not in memo]
            if waiting:
                stack.extend(waiting)
                continue
            stack.pop()
            memo[top.uid] = self._renew(top, [memo[a.uid] for a in top.args], change)
        return memo[term.uid]

    def _renew(self, t: Term, args: list[Term], change: Callable[[Term], Term | None]) -> Term:
        if not t.args:
            return change(t) or t
        match t.op:
            case "add":
                return self.add(*args)
            case "sub":
                return self.sub(*args)
            case "mul":
                return self.mul(*args)
            case "floordiv":
                return self.floordiv(*args)
            case "mod":
                return self.mod(*args)
            case "xor":
                return self.xor(*args)
            case "eq":
                return self.eq(*args)
            case "lt":
                return self.lt(*args)
            case "le":
                return self.le(*args)
            case "not":
                return self.no(args[0])
            case "and":
                return self.all(args)
            case "or":
                return self.any(args)
            case "ite":
                return self.ite(*args)
        return self.select(args[0], args[1:])


def _below(a: Term, b: Term) -> bool:
    """Is a smaller than b by their bounds?"""
    return a.hi < b.lo and not (a.unbounded or b.unbounded)


def _at_most(a: Term, b: Term) -> bool:
    return a.hi <= b.lo and not (a.unbounded or b.unbounded)


def _bounded(t: Term, test: Term, holds: bool) -> tuple[int, int]:
    """The bounds of a term where a comparison of it with a number is known to hold, or not to."""
    lo, hi = t.lo, t.hi
    if test.op in ("lt", "le"):
        a, b = test.args
        strict = (test.op == "lt") == holds
        if a is t and b.op == "const":  # t < b, or not
            lo, hi = (lo, min(hi, b.number - strict)) if holds else (max(lo, b.number + strict), hi)
        elif b is t and a.op == "const":  # a < t, or not
            lo, hi = (max(lo, a.number + strict), hi) if holds else (lo, min(hi, a.number - strict))
    return (lo, hi) if lo <= hi else (t.lo, t.hi)


LOOSE = {"add", "mul", "xor", "eq", "and", "or"}
"""Operations whose arguments may stand in any order."""


def flat(t: Term) -> list[Term]:
    """The arguments, of nested sums all that is added."""
    if t.op != "add":
        return list(t.args)
    found, waiting = [], [t]
    while waiting:
        a = waiting.pop()
        if a.op == "add":
            waiting.extend(a.args)
        else:
            found.append(a)
    return found


def walk(terms: Iterable[Term]) -> list[Term]:
    """Every term below these, each once, arguments first."""
    seen: set[int] = set()
    order: list[Term] = []
    for root in terms:
        stack: list[tuple[Term, bool]] = [(root, False)]
        while stack:
            t, done = stack.pop()
            if done:
                order.append(t)
            elif t.uid not in seen:
                seen.add(t.uid)
                stack.append((t, True))
                stack.extend((a, False) for a in t.args)
    return order


@dataclass(frozen=True, slots=True)
class Site:
    """Where a fault would arise: its kind, the place in the rules, the clause."""

    kind: str
    span: Span | None
    clause: str


@dataclass(frozen=True, slots=True)
class Slot:
    """A flat variable: the game's variable and the path inside it, with the range of its number."""

    name: str
    path: tuple[object, ...]
    lo: int
    hi: int
    truth: bool


@dataclass(frozen=True, slots=True)
class Input:
    """A flat choice or draw: its static range, and the bounds it has in a position after the inputs before it."""

    number: int
    lo: int
    hi: int
    least: Term
    most: Term
    drawn: bool


@dataclass(slots=True)
class Move:
    """One action (or, unrolled, one action with its arguments): when it is legal and what becomes of the variables.

    `names` holds the trees of parameters and draws (see `shapes.py`), for formulas about them.
    """

    action: str
    table: bool
    actor: Term
    inputs: list[Input]
    guard: Term
    draw_guard: Term
    updates: dict[int, Term]
    legality_faults: list[tuple[Term, Site]] = field(default_factory=list)
    faults: list[tuple[Term, Site]] = field(default_factory=list)
    fired: dict[str, Term] = field(default_factory=dict)
    legal_parts: list[tuple[str, Term]] = field(default_factory=list)
    names: dict[str, object] = field(default_factory=dict)
    weight: Term | None = None
    """How often the draw comes, in proportion to the other draws after the same choice; None: not told in whole numbers."""

    @property
    def choices(self) -> list[Input]:
        """The inputs that somebody chooses."""
        return [i for i in self.inputs if not i.drawn]


@dataclass(slots=True)
class Model:
    """The flat transition system of a game."""

    terms: Terms
    slots: list[Slot]
    starts: list[tuple[int, ...]]
    moves: list[Move]
    ends: list[tuple[str, Term]]
    ended: Term
    end_faults: list[tuple[Term, Site]]
    switches: list[str] = field(default_factory=list)
    winner_faults: list[tuple[Term, Site]] = field(default_factory=list)
    among: tuple[tuple[int, ...], ...] = ()
    """Permutations of the slots, a group but for the identity: of the images of a successor the smallest stands for all."""

    def var(self, i: int) -> Term:
        """The present value of a slot."""
        s = self.slots[i]
        return self.terms.leaf("var", i, s.lo, s.hi, s.truth)

    def next(self, i: int) -> Term:
        """The value of a slot after a step."""
        s = self.slots[i]
        return self.terms.leaf("next", i, s.lo, s.hi, s.truth)
