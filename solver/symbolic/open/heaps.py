"""Large bags: what happens to them, and sums over them that are known by the laws of adding and taking.

A sum over a bag is a function of the bag and of the values that its formula reads from around it. The laws are written
down at the end (`Heaps.laws`), for the sums that somebody asked for and those that these depend on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import z3

from tablelaw.solver.symbolic.open.values import (
    TRUE,
    HeapV,
    Term,
    both,
    equal,
    every,
    heap_sort,
    number,
    pack,
    pick,
    sorts,
    typed,
)
from tablelaw.spec.types import BagOf

Weight = Callable[[list[Term], list[Term]], Term]
"""What an element (as terms) adds, given the values read from around."""
MOST_LAWS, MOST_COMPARED = 400, 40


def times_held(heap: HeapV, key: list[Term]) -> Term:
    """How many copies of an element the bag holds."""
    row = sorts(heap.type.elem)
    return z3.Function(f"copies in {heap_sort(heap.type)}", heap_sort(heap.type), *row, z3.IntSort())(heap.term, *key)


def held(heap: HeapV, key: list[Term]) -> Term:
    return times_held(heap, key) >= 1


@dataclass(eq=False)
class Law:
    """A law about sums, written down when it is wanted; `names` are the sums that it compares."""

    make: Callable[[], Term]
    names: frozenset[str] = frozenset()

    @cached_property
    def term(self) -> Term:
        return self.make()


@dataclass(eq=False)
class Sum:
    """A sum over bags of one type."""

    name: str
    type: BagOf
    around: list[Any]
    weight: Weight
    positive: bool

    @property
    def function(self) -> Any:
        return z3.Function(self.name, heap_sort(self.type), *self.around, z3.IntSort())


@dataclass(eq=False)
class Heaps:
    """Every large bag made, how it was made, and every sum over one."""

    sums: dict[Any, Sum] = field(default_factory=dict)
    kept: list[Any] = field(default_factory=list)
    made: dict[int, tuple[Term, BagOf, str, Any]] = field(default_factory=dict)
    asked: dict[tuple[int, str], tuple[Term, Sum]] = field(default_factory=dict)
    fresh: int = 0

    def changed(self, heap: HeapV, key: list[Term], by: Term) -> HeapV:
        """The bag with so many copies of an element more."""
        new = self._new(heap.type)
        self._note(new, ("put", heap, key, by))
        return new

    def filtered(self, heap: HeapV, kept: Callable[[list[Term]], Term]) -> HeapV:
        """The bag of the elements that are kept, all copies of each."""
        new = self._new(heap.type)
        self._note(new, ("filter", heap, kept, None))
        return new

    def merged(self, c: Term, a: HeapV, b: HeapV) -> HeapV:
        if a.term.get_id() == b.term.get_id():
            return a
        new = self._new(a.type)
        self._note(new, ("either", c, a, b))
        return new

    def _new(self, kind: BagOf) -> HeapV:
        self.fresh += 1
        return HeapV(z3.Const(f"bag {self.fresh}", heap_sort(kind)), kind)

    def _note(self, new: HeapV, how: Any) -> None:
        self.made[new.term.get_id()] = (new.term, new.type, how[0], how)

    def sum_of(self, kind: BagOf, body: Term, element: list[Term], around: list[Term], positive: bool) -> Sum:
        """The sum of a body over the elements; the same body makes the same sum. `around` are the bound names that it reads."""
        standard = [z3.Const(f"element {i}", e.sort()) for i, e in enumerate(element)]
        given = [z3.Const(f"around {i}", a.sort()) for i, a in enumerate(around)]
        told = z3.substitute(body, *zip(element, standard, strict=True), *zip(around, given, strict=True))
        key = (str(heap_sort(kind)), told.get_id(), len(around))
        if key not in self.sums:
            self.kept.append(told)

            def weight(e: list[Term], a: list[Term]) -> Term:
                pairs = [*zip(standard, e, strict=True), *zip(given, a, strict=True)]
                return z3.substitute(told, *pairs)

            self.sums[key] = Sum(f"sum {len(self.sums)}", kind, [a.sort() for a in around], weight, positive)
        return self.sums[key]

    def summed(self, heap: HeapV, which: Sum, around: list[Term]) -> Term:
        self._ask(heap, which)
        return which.function(heap.term, *around)

    def _ask(self, heap: HeapV, which: Sum) -> None:
        self.asked.setdefault((heap.term.get_id(), which.name), (heap.term, which))

    # laws

    def laws(self) -> list[Term]:
        """What is known of every bag made and every sum asked for."""
        for term, kind, _, parts in list(self.made.values()):  # what was known of a bag tells of those made from it
            behind = {p.term.get_id() for p in parts if isinstance(p, HeapV)}
            for (n, _), (_, which) in list(self.asked.items()):
                if n in behind:
                    self._ask(HeapV(term, kind), which)
        made = [law for laws in self.making().values() for law in laws]
        return made + [law.term for laws in self.told().values() for law in laws]

    def told(self) -> dict[int, list[Law]]:
        """The laws of the sums over each bag, by its term's number."""
        found: dict[int, list[Law]] = {}
        done: set[tuple[int, str]] = set()
        while len(done) < len(self.asked) and len(done) < MOST_LAWS:
            for mark, (term, which) in list(self.asked.items()):
                if mark not in done:
                    done.add(mark)
                    laws = self._of_sum(HeapV(term, which.type), which)
                    found.setdefault(mark[0], []).extend(Law(partial(_itself, law)) for law in laws)
        self._compared(found)
        return found

    def making(self) -> dict[int, list[Term]]:
        """What each bag made holds, by its term's number."""
        return {n: self._of_copies(HeapV(term, kind), how, parts) for n, (term, kind, how, parts) in self.made.items()}

    def behind(self, heaps: set[int]) -> set[int]:
        """These bags, and those that they were made from."""
        found: set[int] = set()
        stack = list(heaps)
        while stack:
            n = stack.pop()
            if n in found:
                continue
            found.add(n)
            if n in self.made:
                stack += [p.term.get_id() for p in self.made[n][3] if isinstance(p, HeapV)]
        return found

    def _key(self, kind: BagOf, stem: str) -> list[Term]:
        return [z3.Const(f"{stem} {i}", s) for i, s in enumerate(sorts(kind.elem))]

    def _of_copies(self, new: HeapV, how: str, parts: Any) -> list[Term]:
        key = self._key(new.type, "key")
        count = times_held(new, key)
        if how == "either":
            _, c, a, b = parts
            return [z3.Implies(c, new.term == a.term), z3.Or(c, new.term == b.term)]
        if how == "put":
            _, old, at, by = parts
            here = both([equal(a, b) for a, b in zip(key, at, strict=True)])
            before = times_held(old, key)
            return [every(key, count == before + pick(here, by, number(0)), [count, before])]
        if how == "filter":
            _, old, kept, _ = parts
            before = times_held(old, key)
            return [every(key, count == pick(kept(key), before, number(0)), [count, before])]
        return []

    def _of_sum(self, heap: HeapV, which: Sum) -> list[Term]:
        around = [z3.Const(f"given {i}", s) for i, s in enumerate(which.around)]
        total = which.function(heap.term, *around)
        made = self.made.get(heap.term.get_id())
        if made is None:
            if heap.term.decl().name().startswith("empty "):
                return [every(around, total == 0, [total])]
            return []
        parts = made[3]
        if parts[0] == "put":
            _, old, key, by = parts
            self._ask(old, which)
            before = which.function(old.term, *around)
            law = total == before + by * which.weight(key, around)
            return [every(around, law, [total, before])]
        if parts[0] == "either":
            _, _, a, b = parts
            self._ask(a, which)
            self._ask(b, which)
            return []
        _, old, kept, _ = parts
        element = self._key(heap.type, "kept")
        left = self.sum_of(
            heap.type, pick(kept(element), which.weight(element, around), number(0)), element, around, which.positive
        )
        gone = self.sum_of(
            heap.type, pick(kept(element), number(0), which.weight(element, around)), element, around, which.positive
        )
        for s in (which, left, gone):
            self._ask(old, s)
        whole, rest, taken = (s.function(old.term, *around) for s in (which, left, gone))
        return [
            every(around, total == rest, [total, rest]),
            every(around, whole == rest + taken, [whole, rest, taken]),
        ]

    def _compared(self, told: dict[int, list[Law]]) -> None:
        """Of two sums over one bag the larger has an element that adds more; so has one that is more than nothing."""
        bags: dict[int, tuple[Term, list[Sum]]] = {}
        for term, which in self.asked.values():
            bags.setdefault(term.get_id(), (term, []))[1].append(which)
        for number_of, (term, sums) in bags.items():
            found = told.setdefault(number_of, [])
            for i, a in enumerate(sums):
                heap = HeapV(term, a.type)
                own = frozenset({a.name})
                found.append(Law(partial(self._more, heap, a, None), own))
                if a.positive:
                    found += [Law(partial(self._at_least, heap, a), own), Law(partial(self._not_below, heap, a), own)]
                for b in sums[i if a.around else i + 1 :]:
                    if len(sums) <= MOST_COMPARED:
                        names = frozenset({a.name, b.name})
                        found += [Law(partial(self._more, heap, x, y), names) for x, y in ((a, b), (b, a))]

    def _at_least(self, heap: HeapV, a: Sum) -> Term:
        """A sum of nothing below 0 is at least what one element adds."""
        xs, key = [z3.Const(f"given {i}", s) for i, s in enumerate(a.around)], self._key(heap.type, "key")
        total, copies = a.function(heap.term, *xs), times_held(heap, key)
        law = z3.Implies(copies >= 1, total >= a.weight(key, xs))
        pattern = z3.MultiPattern(total, copies) if xs else copies
        return every([*xs, *key], law, [pattern])

    def _not_below(self, heap: HeapV, a: Sum) -> Term:
        xs = [z3.Const(f"given {i}", s) for i, s in enumerate(a.around)]
        total = a.function(heap.term, *xs)
        return every(xs, total >= 0, [total])

    def _more(self, heap: HeapV, a: Sum, b: Sum | None) -> Term:
        xs = [z3.Const(f"given {i}", s) for i, s in enumerate(a.around)]
        ys = [z3.Const(f"other {i}", s) for i, s in enumerate(b.around if b is not None else ())]
        name = f"{a.name} over {b.name if b is not None else 'nothing'} in {heap.term.get_id()}"
        row = sorts(heap.type.elem)
        args = [*xs, *ys]
        witness = [
            z3.Function(f"{name}, {i}", *(x.sort() for x in args), s)(*args) if args else z3.Const(f"{name}, {i}", s)
            for i, s in enumerate(row)
        ]
        left = a.function(heap.term, *xs)
        right = number(0) if b is None else b.function(heap.term, *ys)
        less = number(0) if b is None else b.weight(witness, ys)
        known = [held(heap, witness), a.weight(witness, xs) > less, *typed(pack(heap.type.elem, witness), heap.type.elem)]
        law = z3.Implies(left > right, both(known))
        patterns = [z3.MultiPattern(left, right)] if b is not None and args else [left]
        return every(args, law, patterns)


def _itself(law: Term) -> Term:
    return law


__all__ = ["TRUE", "Heaps", "Sum", "held", "times_held"]
