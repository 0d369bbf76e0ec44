"""A formula about one layout, as a truth over its squares: values are told case by case, each with when it is so.

What `spec/reckon.py` does with known values this does with guarded ones; where nothing depends on the layout it asks the
same tables. What a formula has no value for is kept in `faults`, so that no answer rests on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.symbolic.boards import Boards
from tablelaw.solver.symbolic.combining import Combining
from tablelaw.solver.symbolic.guarded import Cases, Guarded, Laid, Members, Table, number, truth_of
from tablelaw.solver.symbolic.parts import Holding, Mark
from tablelaw.solver.symbolic.squares import Squares
from tablelaw.solver.symbolic.sums import Truth, conj, disj, gather, implies, neg, total
from tablelaw.spec import types as ty
from tablelaw.spec.core import Agg, Binder, Call, Const, Expr, Field, If, Index, Items, Let, Local, Make, Op, Var, children
from tablelaw.spec.operators import Fault, item, size
from tablelaw.spec.reckon import in_order, next_seat
from tablelaw.spec.types import BagOf, LayoutType, Type
from tablelaw.spec.values import Map

MOST_TURNS = 200_000


class Reading(Combining):
    """Reads formulas whose only variable is the layout `of`."""

    def __init__(self, squares: Squares, of: str, kind: LayoutType, players: int, budget: Budget) -> None:
        super().__init__(squares)
        self.of, self.kind, self.players, self.budget = of, kind, players, budget
        self.boards = Boards(self)
        self._names: dict[str, Any] = {}
        self._turns = 0

    @contextmanager
    def names(self, bound: dict[str, Any]) -> Iterator[None]:
        """Names stand for values inside."""
        before = self._names
        self._names = {**before, **bound}
        try:
            yield
        finally:
            self._names = before

    # truths that z3 may see to

    def meets(self, e: Expr, wanted: bool) -> Truth:
        """Does the formula come out as wanted? z3 may choose the features that show it."""
        match e:
            case Op("not", (inner,)):
                return self.meets(inner, not wanted)
            case Op("and" | "or" as op, args):
                return self._meets_both(op == "and", args, wanted)
            case If(test, yes, no):
                known = self.truth(test)
                if isinstance(known, bool):
                    return self.meets(yes if known else no, wanted)
                with self.under(known):
                    first = self.meets(yes, wanted)
                with self.under(neg(known)):
                    return disj(conj(known, first), conj(neg(known), self.meets(no, wanted)))
            case Let(names, values, body):
                with self.names(dict(zip(names, map(self.value, values), strict=True))):
                    return self.meets(body, wanted)
            case Agg("any" | "all" as kind, binders, body) if (kind == "any") == wanted:
                chosen = self._chosen(binders[0].domain) if binders else None
                if chosen is not None:
                    return self._pick(e, chosen, wanted)
        found = self.truth(e)
        return found if wanted else neg(found)

    def _meets_both(self, every: bool, args: tuple[Expr, ...], wanted: bool) -> Truth:
        found: list[Truth] = []
        path: list[Truth] = []
        for a in args:
            with self.under(conj(*path)):
                found.append(self.meets(a, wanted))
                if a is not args[-1]:  # the next is read only where this one does not decide
                    if every == wanted:
                        path.append(found[-1])
                    elif not _picks(a):
                        path.append(neg(found[-1]))
        return conj(*found) if every == wanted else disj(*found)

    def _chosen(self, domain: Expr | Type) -> str | None:
        """The kind whose features the binder walks over, where it does."""
        if isinstance(domain, Call) and domain.name == "features" and isinstance(self.value(domain.args[0]), Table):
            kind = self.value(domain.args[1])
            return kind if isinstance(kind, str) else None
        return None

    def _pick(self, e: Agg, kind: str, wanted: bool) -> Truth:
        first, rest = e.binders[0], e.binders[1:]
        mark = Mark(self.boards.kind(kind))
        passed: list[Truth] = [mark.there]
        with self.names({first.name: mark}):
            for t in first.tests:
                with self.under(conj(*passed)):
                    passed.append(self.meets(t, True))
            with self.under(conj(*passed)):
                inner = Agg(e.kind, rest, e.body, type=e.type, span=e.span) if rest else e.body
                return conj(*passed, self.meets(inner, wanted))

    # values

    def truth(self, e: Expr) -> Truth:
        """The value of a formula that is true or false."""
        return truth_of(self.value(e))

    def value(self, e: Expr) -> Any:
        """The value of any formula."""
        match e:
            case Const():
                self.boards.anywhere(e.type)
                return e.value
            case Var(name):
                if name != self.of:
                    raise Unlowerable(f"the formula reads `{name}`, and z3 is told of layouts alone")
                return Table()
            case Local(name):
                if name not in self._names:
                    raise Unlowerable(f"the formula reads `{name}`, and z3 is told of layouts alone")
                return self._names[name]
            case Op("and" | "or" as op, args):
                return self._both(op == "and", args)
            case Op(op, args):
                return self.operator(op, [self.value(a) for a in args], e.type)
            case If(test, yes, no):
                return self._either(e, self.truth(test), yes, no)
            case Index(base, key):
                return self._index(e, self.value(base), self.value(key), isinstance(base.type, BagOf))
            case Field(base, name):
                return self.gathered(e.type, [(g, self._field(g, v, name, e.type)) for g, v in self.cases(self.value(base))])
            case Make(fields):
                return self.spread(lambda *vs: ty.made(e.type, list(vs)), [self.value(f) for f in fields], e.type)
            case Items(items):
                each = [self.cases(self.value(i)) for i in items]
                return self.members([pair for cases in each for pair in cases])
            case Let(names, values, body):
                with self.names(dict(zip(names, map(self.value, values), strict=True))):
                    return self.value(body)
            case Agg():
                return self._aggregate(e)
            case Call():
                return self._call(e)
        raise Unlowerable("z3 does not read this kind of formula")

    def _both(self, every: bool, args: tuple[Expr, ...]) -> Truth:
        found: list[Truth] = []
        for a in args:
            known = conj(*found) if every else neg(disj(*found))
            if known is False:
                break
            with self.under(known):
                found.append(self.truth(a))
        return conj(*found) if every else disj(*found)

    def _either(self, e: Expr, test: Truth, yes: Expr, no: Expr) -> Any:
        if isinstance(test, bool):
            return self.value(yes if test else no)
        with self.under(test):
            first = self.value(yes)
        with self.under(neg(test)):
            second = self.value(no)
        return self.gathered(e.type, [(test, first), (neg(test), second)])

    def _index(self, e: Expr, base: Any, key: Any, bag: bool) -> Any:
        if isinstance(base, Table):
            found = [(g, Laid(c)) for g, c in self.cases(key)]
            for g, piece in found:
                self.fault(conj(g, neg(self.squares.laid(piece.cell))))
            return Cases(tuple(found))
        if isinstance(base, Members):
            raise Unlowerable("z3 does not look into what is gathered from a layout")
        return self.spread((lambda b, k: b.get(k, 0)) if bag else item, [base, key], e.type)

    def _field(self, guard: Truth, owner: Any, name: str, kind: Type) -> Any:
        if owner is None:
            self.fault(guard)
            return ty.default(kind)
        if isinstance(owner, Laid):
            return self.boards.laid_field(owner, name, kind)
        if isinstance(owner, Holding):
            return self.boards.feature_field(owner, name)
        try:
            return ty.taken(owner, name)
        except Fault:  # a part of another kind
            self.fault(guard)
            return ty.default(kind)

    # comprehensions

    def visit(self, domain: Expr | Type) -> list[Guarded]:
        """What a `for` walks over, each with when it is there."""
        if isinstance(domain, Type):
            self.boards.anywhere(domain)
            return [(True, v) for v in ty.domain(domain)]
        found = self.value(domain)
        if isinstance(found, Table):
            return [(self.squares.laid(c), c) for c in self.squares.cells]
        if isinstance(found, Members):
            return list(found.each)
        if isinstance(found, Cases):
            return [(conj(g, h), v) for g, whole in found.each for h, v in self._known(whole, domain.type)]
        return self._known(found, domain.type)

    def _known(self, found: Any, kind: Type) -> list[Guarded]:
        if isinstance(kind, BagOf):
            return [(True, k) for k, n in found.items() for _ in range(n)]
        if isinstance(found, (tuple, Map)):
            return [(True, v) for v in found]
        return [(True, v) for v in in_order(found, kind)]

    def each_turn(self, binders: tuple[Binder, ...], body: Expr, guard: Truth = True) -> Iterator[Guarded]:
        """The body for every way of binding the names, with when it is read."""
        if not binders:
            self._turns += 1
            if self._turns % 256 == 0:
                self.budget.check()
            if self._turns > MOST_TURNS:
                raise Unlowerable("the formula walks over too many combinations for z3")
            with self.under(guard):
                yield guard, self.value(body)
            return
        first, rest = binders[0], binders[1:]
        for there, v in self.visit(first.domain):
            passed = conj(guard, there)
            with self.names({first.name: v}):
                for t in first.tests:
                    if passed is False:
                        break
                    with self.under(passed):
                        passed = conj(passed, self.truth(t))
                if passed is not False:
                    with self.under(passed):
                        yield from self.each_turn(rest, body, passed)

    def _aggregate(self, e: Agg) -> Any:
        each = list(self.each_turn(e.binders, e.body))
        match e.kind:
            case "any":
                return disj(*(conj(g, truth_of(v)) for g, v in each))
            case "all":
                return conj(*(implies(g, truth_of(v)) for g, v in each))
            case "count":
                return total([g for g, _ in each])
            case "sum":
                sums = [number(v).where(g) for g, v in each]
                parts = [p for s in sums for p in s.parts]
                return gather(sum(s.const for s in sums), parts, sum(s.low for s in sums), sum(s.high for s in sums))
            case "set":
                return self.members([(conj(g, h), w) for g, v in each for h, w in self.cases(v)])
        return self.extreme(e.kind == "max", [(g, number(v)) for g, v in each])

    # built-ins

    def _call(self, e: Call) -> Any:
        if e.name in ("old", "ended", "winners", "times"):
            raise Unlowerable(f"`{e.name}` speaks of a play, and z3 is told of layouts alone")
        args = [self.value(a) for a in e.args]
        match e.name:
            case "size":
                if isinstance(args[0], Table):
                    return self.squares.size
                if isinstance(args[0], Members):
                    return total([g for g, _ in args[0].each])
                return self.spread(size, args, e.type)
            case "min" | "max":
                return self.extreme(e.name == "max", [(True, number(a)) for a in args])
            case "after" | "before":
                way, everybody = 1 if e.name == "after" else -1, frozenset(range(self.players))
                return self.spread(lambda p, among=everybody: next_seat(p, among, self.players, way), args, e.type)
            case "parts" if len(args) == 1:
                raise Unlowerable("z3 does not read `parts` of a bag here")
        return self.boards.call(e, args)


def _picks(e: Expr) -> bool:
    """Could z3 choose a feature while reading it? Then its truth is one-sided."""
    return (isinstance(e, Call) and e.name == "features") or any(_picks(c) for c in children(e))
