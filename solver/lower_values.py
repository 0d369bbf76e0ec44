"""What is made of the values of sub-formulas: numbers, sets, bags and rows as trees of terms, faults beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from tablelaw.solver.ir import Site, Slot, Term, Terms
from tablelaw.solver.shapes import (
    Counts,
    Items,
    Members,
    Ratio,
    Row,
    Shapes,
    Tree,
    Unlowerable,
    code,
    leaves,
)  # fmt: skip
from tablelaw.spec import types as ty
from tablelaw.spec.core import (
    Expr,
)  # fmt: skip
from tablelaw.spec.game import Game
from tablelaw.spec.source import Span
from tablelaw.spec.types import BagOf, Bool, Enum, Int, ListOf, MapOf, SetOf, Type
from tablelaw.spec.values import Value


@dataclass(slots=True)
class Around:
    """Where a formula is read: trees of the variables now and before the step, names bound, the condition it is read under."""

    state: dict[str, Tree]
    names: dict[str, Tree]
    guard: Term
    old: dict[str, Tree] | None = None
    actor: Tree | None = None

    def bind(self, names: dict[str, Tree], guard: Term | None = None) -> Around:
        return replace(self, names={**self.names, **names}, guard=self.guard if guard is None else guard)


@dataclass(slots=True)
class Values:
    """Lowers what needs no formula, over one `Terms`; keeps the slots, and the faults met."""

    game: Game
    terms: Terms
    switches: list[str] = field(default_factory=list)
    switched: bool = False
    faults: list[tuple[Term, Site]] = field(default_factory=list)
    clause: str = ""
    times: Callable[[str], Term] | None = None
    times_before: Callable[[str], Term] | None = None
    shapes: Shapes = field(init=False)
    offsets: dict[str, int] = field(default_factory=dict)
    slots: list[Slot] = field(default_factory=list)
    weights: list[Term] = field(default_factory=list)
    weighed: bool = True
    kept: dict[tuple[int, ...], tuple[Tree, list[tuple[Term, Site]], Expr, list[Tree]]] = field(default_factory=dict)
    reading: dict[int, tuple[tuple[tuple[str, ...], tuple[str, ...]] | None, Expr]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.shapes = Shapes(self.terms)
        for v in self.game.variables:
            self.offsets[v.name] = len(self.slots)
            self.slots += [Slot(v.name, path, lo, hi, truth) for path, lo, hi, truth in leaves(v.type)]
            if len(self.slots) > 20_000:
                raise Unlowerable("the variables of this game hold more than 20,000 numbers")

    # states

    def fault(self, kind: str, when: Term, at: Around, span: Span | None) -> None:
        condition = self.terms.all((at.guard, when))
        if condition is not self.terms.false:
            self.faults.append((condition, Site(kind, span, self.clause)))

    def coerced(self, tree: Tree, source: Type, target: Type) -> Tree:
        return tree if source == target else self.shapes.coerce(tree, source, target)

    def _numbers(self, op: str, a: Term, b: Term, at: Around, span: Span | None) -> Term:
        t = self.terms
        if op in ("floordiv", "mod"):
            self.fault("division", t.eq(b, t.const(0)), at, span)
        table: dict[str, Callable[[Term, Term], Term]] = {
            "add": t.add, "sub": t.sub, "mul": t.mul, "floordiv": t.floordiv, "mod": t.mod, "xor": t.xor,
            "lt": t.lt, "le": t.le,
        }  # fmt: skip
        return table[op](a, b)

    def _sets(self, op: str, a: dict[Value, Term], b: dict[Value, Term]) -> Tree:
        t = self.terms
        keys = [*a, *(k for k in b if k not in a)]
        pairs = [(k, a.get(k, t.false), b.get(k, t.false)) for k in keys]
        if op in ("lt", "le"):
            inside = t.all(t.any((t.no(x), y)) for _, x, y in pairs)
            return inside if op == "le" else t.all((inside, t.any(t.all((t.no(x), y)) for _, x, y in pairs)))
        if op == "union":
            return Members({k: t.any((x, y)) for k, x, y in pairs})
        if op == "meet":
            return Members({k: t.all((x, y)) for k, x, y in pairs})
        return Members({k: t.all((x, t.no(y))) for k, x, y in pairs})

    def _bags(self, op: str, a: dict[Value, Term], b: dict[Value, Term], at: Around, span: Span | None) -> Tree:
        t = self.terms
        zero = t.const(0)
        pairs = [(k, a.get(k, zero), b.get(k, zero)) for k in [*a, *(k for k in b if k not in a)]]
        if op in ("lt", "le"):
            inside = t.all(t.le(x, y) for _, x, y in pairs)
            return inside if op == "le" else t.all((inside, t.any(t.lt(x, y) for _, x, y in pairs)))
        if op == "add":
            return Counts({k: t.add(x, y) for k, x, y in pairs})
        self.fault("bag", t.any(t.lt(x, y) for _, x, y in pairs), at, span)
        return Counts({k: t.sub(x, y) for k, x, y in pairs})

    def _ratio(self, op: str, trees: list[Tree], at: Around, span: Span | None) -> Tree:
        t = self.terms
        parts = [x for x in trees if isinstance(x, Ratio)]
        if op == "neg":
            return Ratio(t.sub(t.const(0), parts[0].up), parts[0].down)
        if op == "abs":
            up, down = (t.ite(t.lt(x, t.const(0)), t.sub(t.const(0), x), x) for x in (parts[0].up, parts[0].down))
            return Ratio(up, down)
        a, b = parts
        if op == "div":
            self.fault("division", t.eq(b.up, t.const(0)), at, span)
            return Ratio(t.mul(a.up, b.down), t.mul(a.down, b.up))
        if op == "mul":
            return Ratio(t.mul(a.up, b.up), t.mul(a.down, b.down))
        cross = (t.mul(a.up, b.down), t.mul(b.up, a.down))
        down = t.mul(a.down, b.down)
        if op in ("add", "sub"):
            return Ratio(t.add(*cross) if op == "add" else t.sub(*cross), down)
        positive = t.lt(t.const(0), down)
        compare = t.lt if op == "lt" else t.le
        return t.ite(positive, compare(*cross), compare(cross[1], cross[0]))

    def _append(self, row: Tree, item: Tree, at: Around, span: Span | None) -> Tree:
        t = self.terms
        assert isinstance(row, Row)
        items = [*row.items, item]
        placed = tuple(
            item if i >= len(row.items) else self.shapes.choose(t.eq(row.length, t.const(i)), item, items[i])
            for i in range(len(items))
        )
        return Row(t.add(row.length, t.const(1)), placed)

    def _member(self, item: Tree, kind: Type, group: Tree, group_kind: Type) -> Term:
        t = self.terms
        match group:
            case Members(of):
                assert isinstance(group_kind, SetOf)
                return t.any(t.all((there, self._is(item, kind, v, group_kind.elem))) for v, there in of.items())
            case Counts(of):
                assert isinstance(group_kind, BagOf)
                return t.any(t.all((t.lt(t.const(0), n), self._is(item, kind, v, group_kind.elem))) for v, n in of.items())
            case Row(length, items):
                assert isinstance(group_kind, ListOf)
                joined = ty.join(kind, group_kind.elem)
                assert joined is not None
                mine = self.coerced(item, kind, joined)
                return t.any(
                    t.all((t.lt(t.const(i), length), self.shapes.equal(mine, self.coerced(x, group_kind.elem, joined))))
                    for i, x in enumerate(items)
                )
            case Items(of):
                assert isinstance(group_kind, MapOf)
                return t.any(self._is(item, kind, v, group_kind.key) for v in of)
        raise Unlowerable("`in` on these values")

    def _is(self, item: Tree, kind: Type, v: Value, elem: Type) -> Term:
        joined = ty.join(kind, elem)
        if joined is None:
            return self.terms.false
        return self.shapes.equal(self.coerced(item, kind, joined), self.coerced(self.shapes.literal(v, elem), elem, joined))

    def _index(self, base: Tree, kind: Type, key: Tree, at: Around, span: Span | None) -> Tree:
        t = self.terms
        if isinstance(base, Row):
            assert isinstance(key, Term)
            inside = t.all((t.le(t.const(0), key), t.lt(key, base.length)))
            self.fault("index", t.no(inside), at, span)
            if not base.items:
                assert isinstance(kind, ListOf)
                return self.shapes.blank(kind.elem)
            return self.shapes.pick(self._clamped(key, 0, len(base.items) - 1), list(base.items))
        if isinstance(base, Counts):
            assert isinstance(kind, BagOf)
            return self._keyed(dict(base.of), kind.elem, key, t.const(0), None, at, span)
        assert isinstance(base, Items)
        assert isinstance(kind, MapOf)
        return self._keyed(dict(base.of), kind.key, key, None, kind.value, at, span)

    def _clamped(self, key: Term, lo: int, hi: int) -> Term:
        t = self.terms
        if key.lo >= lo and key.hi <= hi:
            return key
        if key.op == "const":
            return t.const(min(max(key.number, lo), hi))
        low = t.ite(t.lt(key, t.const(lo)), t.const(lo), key)
        return t.ite(t.lt(t.const(hi), low), t.const(hi), low)  # the same term as is tested, so that the bound is seen

    def _keyed(
        self,
        of: dict[Value, Tree],
        kind: Type,
        key: Tree,
        missing: Term | None,
        item: Type | None,
        at: Around,
        span: Span | None,
    ) -> Tree:
        """The item of a map or bag; `missing` is what a bag has for a name it does not hold, a map has a fault."""
        t = self.terms
        if not of:
            if missing is None:
                self.fault("index", t.true, at, span)
                assert item is not None
                return self.shapes.blank(item)
            return missing
        if isinstance(key, Term) and isinstance(kind, (Int, Enum, Bool)):
            codes = {code(k, kind): v for k, v in of.items()}
            if key.op == "const" and key.number in codes:
                return codes[key.number]
            lo, hi = min(codes), max(codes)
            if hi - lo <= 4 * len(codes) + 8:
                known = (
                    t.any(t.eq(key, t.const(c)) for c in codes)
                    if len(codes) <= hi - lo or key.lo < lo or key.hi > hi
                    else t.true
                )
                if missing is None:
                    self.fault("index", t.no(known), at, span)
                fill = next(iter(codes.values())) if missing is None else missing
                first = max(lo, min(key.lo, hi))
                last = min(hi, max(key.hi, lo))
                row = [codes.get(c, fill) for c in range(first, last + 1)]
                clamped = self._clamped(t.number(key), first, last)
                found = self.shapes.pick(t.sub(clamped, t.const(first)), row)
                return found if missing is None else self.shapes.choose(known, found, missing)
        matches = [(self._is(key, kind, k, kind), v) for k, v in of.items()]
        if missing is None:
            self.fault("index", t.no(t.any(m for m, _ in matches)), at, span)
        result = matches[-1][1] if missing is None else missing
        for m, v in reversed(matches[:-1] if missing is None else matches):
            result = self.shapes.choose(m, v, result)
        return result

    def _collect(self, trees: list[tuple[Tree, Term]], elem: Type) -> Members:
        """The set of some values, each there under a condition."""
        t = self.terms
        found: dict[Value, list[Term]] = {}
        for tree, there in trees:
            if there is t.false:
                continue
            for v, same in self._values(tree, elem):
                found.setdefault(v, []).append(t.all((there, same)))
        members = {v: t.any(parts) for v, parts in found.items()}
        return Members({v: m for v, m in members.items() if m is not t.false})

    def _values(self, tree: Tree, kind: Type) -> Iterator[tuple[Value, Term]]:
        """The values a tree may have, each with when it has it."""
        t = self.terms
        if isinstance(tree, Term) and isinstance(kind, (Int, Bool)):
            if tree.hi - tree.lo > 100_000:
                raise Unlowerable("a set of numbers without known bounds")
            for number in range(tree.lo, tree.hi + 1):
                yield (bool(number) if isinstance(kind, Bool) else number), t.eq(tree, t.const(number, isinstance(kind, Bool)))
            return
        if isinstance(tree, Term) and isinstance(kind, Enum):
            for number in range(tree.lo, tree.hi + 1):
                yield kind.family[number], t.eq(tree, t.const(number))
            return
        n = ty.cardinality(kind)
        if n is None or n > 20_000:
            raise Unlowerable(f"a set of {ty.show(kind)} has too many possible members")
        for v in ty.domain(kind):
            same = self.shapes.equal(tree, self.shapes.literal(v, kind))
            if same is not t.false:
                yield v, same


def as_term(tree: Tree) -> Term:
    assert isinstance(tree, Term)
    return tree


def key_type(kind: Type) -> Type:
    if isinstance(kind, MapOf):
        return kind.key
    return kind.elem if isinstance(kind, BagOf) else ty.INT
