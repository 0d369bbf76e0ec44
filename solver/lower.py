"""From a checked game to the flat transition system: formulas to trees of terms, effects to updates of slots.

Quantifiers over finite domains are written out; a fault is a condition beside the value. With `switches` each clause
can be turned off: a check no longer forbids, an effect is not done, an end does not end; without an action's own clause
nobody takes it. Cores and vacuity are asked so.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import comb, lcm, prod

from tablelaw.solver.ir import Input, Model, Move, Site, Slot, Term, Terms, walk
from tablelaw.solver.shapes import (
    Counts,
    Items,
    Members,
    Perhaps,
    Ratio,
    Row,
    Shapes,
    Tree,
    Unlowerable,
    code,
    gather,
    leaves,
    numbers,
    scatter,
)  # fmt: skip
from tablelaw.spec import types as ty
from tablelaw.spec.core import (
    Agg,
    Assign,
    Bind,
    Binder,
    Branch,
    Call,
    Const,
    Draw,
    Effect,
    Expr,
    Field,
    Fire,
    If,
    Index,
    Let,
    Local,
    Loop,
    Make,
    Op,
    Var,
    children,
)  # fmt: skip
from tablelaw.spec.core import Items as SetItems
from tablelaw.spec.game import Action, Game
from tablelaw.spec.source import Span
from tablelaw.spec.types import BagOf, Bool, Enum, Frac, Int, ListOf, MapOf, Maybe, Nothing, Record, SetOf, Type
from tablelaw.spec.values import Value

UNROLLED = 256
MOST_VISITS = 200_000
LARGEST_MODEL = 400_000
MOST_KEPT = 200_000


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
class Lowerer:
    """Lowers the formulas of one game over one `Terms`."""

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

    def state(self, op: str = "var") -> dict[str, Tree]:
        """The trees of all variables as they are (`var`) or after a step (`next`)."""
        found: dict[str, Tree] = {}
        for v in self.game.variables:
            at = self.offsets[v.name]
            take = {path: self.terms.leaf(op, at + i, lo, hi, truth) for i, (path, lo, hi, truth) in enumerate(leaves(v.type))}
            found[v.name] = gather(v.type, take)
        return found

    def switch(self, clause: str) -> Term:
        """Is the clause in force?"""
        if not self.switched:
            return self.terms.true
        if clause not in self.switches:
            self.switches.append(clause)
        return self.terms.leaf("switch", self.switches.index(clause), 0, 1, True)

    # formulas

    def truth(self, e: Expr, at: Around) -> Term:
        found = self.expr(e, at)
        assert isinstance(found, Term)
        return found

    def number(self, e: Expr, at: Around) -> Term:
        found = self.expr(e, at)
        assert isinstance(found, Term)
        return found

    def fault(self, kind: str, when: Term, at: Around, span: Span | None) -> None:
        condition = self.terms.all((at.guard, when))
        if condition is not self.terms.false:
            self.faults.append((condition, Site(kind, span, self.clause)))

    def expr(self, e: Expr, at: Around) -> Tree:
        """The tree of a formula's value."""
        t = self.terms
        if len(t.table) > LARGEST_MODEL:
            raise Unlowerable("the rules written out grow too large")
        match e:
            case Const(value):
                return self.shapes.literal(value, e.type)
            case Var(name):
                return at.state[name]
            case Local(name):
                return at.names[name]
            case Op("and" | "or", args):
                return self._short(e.op, args, at)
            case Op():
                return self._op(e, at)
            case If(test, yes, no):
                condition = self.truth(test, at)
                if condition.op == "const":
                    taken = yes if condition.number else no
                    return self.coerced(self.expr(taken, at), taken.type, e.type)
                a = self.expr(yes, replace(at, guard=t.all((at.guard, condition))))
                b = self.expr(no, replace(at, guard=t.all((at.guard, t.no(condition)))))
                return self.shapes.choose(condition, self.coerced(a, yes.type, e.type), self.coerced(b, no.type, e.type))
            case Index(base, key):
                return self._index(
                    self.expr(base, at), base.type, self.coerced(self.expr(key, at), key.type, _key(base.type)), at, e.span
                )
            case Field(base, name):
                owner = self.expr(base, at)
                if isinstance(owner, Perhaps):
                    self.fault("none", t.no(owner.there), at, e.span)
                    if owner.inner is None:
                        return self.shapes.blank(e.type)
                    owner = owner.inner
                assert isinstance(owner, Items)
                return owner.of[name]
            case Make(fields):
                assert isinstance(e.type, Record)
                return Items(
                    {
                        n: self.coerced(self.expr(f, at), f.type, kind)
                        for (n, kind), f in zip(e.type.fields, fields, strict=True)
                    }
                )
            case SetItems(items):
                assert isinstance(e.type, SetOf)
                trees = [(self.coerced(self.expr(i, at), i.type, e.type.elem), t.true) for i in items]
                return self._collect(trees, e.type.elem)
            case Let(names, values, body):
                return self._kept(body, at.bind({n: self.expr(v, at) for n, v in zip(names, values, strict=True)}))
            case Agg():
                return self._kept(e, at)
            case Call():
                return self._call(e, at)
        raise Unlowerable("a formula of an unknown kind")

    def _kept(self, e: Expr, at: Around) -> Tree:
        """The tree of a formula, lowered once for each meaning of the names and variables that it reads."""
        reads = self._reads(e)
        if reads is None:
            return self._aggregate(e, at) if isinstance(e, Agg) else self.expr(e, at)
        names, variables = reads
        trees = [*(at.names[n] for n in names), *(at.state[v] for v in variables)]
        key = (id(e), *(x.uid if isinstance(x, Term) else -id(x) for x in trees))
        found = self.kept.get(key)
        if found is None:
            if len(self.kept) > MOST_KEPT:
                self.kept.clear()
            outer, self.faults = self.faults, []
            open_at = replace(at, guard=self.terms.true)
            tree = self._aggregate(e, open_at) if isinstance(e, Agg) else self.expr(e, open_at)
            found = self.kept[key] = (tree, self.faults, e, trees)  # what is kept stays alive, so that `id` tells it apart
            self.faults = outer
        for condition, site in found[1]:
            self.fault(site.kind, condition, at, site.span)
        return found[0]

    def _reads(self, e: Expr) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
        """The names from outside and the variables that a formula reads; None where it asks for the step or the play."""
        known = self.reading.get(id(e))
        if known is not None:
            return known[0]
        names: set[str] = set()
        variables: set[str] = set()
        plain = True
        match e:
            case Local(name):
                names.add(name)
            case Var(name):
                variables.add(name)
            case Call(name):
                plain = name not in ("old", "times", "ended", "winners")
        bound: set[str] = set()
        parts: list[tuple[Expr, set[str]]] = []
        match e:
            case Let(inner, values, body):
                parts = [*((v, set()) for v in values), (body, set(inner))]
            case Agg(_, binders, body):
                for b in binders:
                    if isinstance(b.domain, Expr):
                        parts.append((b.domain, set(bound)))
                    bound.add(b.name)
                    parts += [(test, set(bound)) for test in b.tests]
                parts.append((body, bound))
            case _:
                parts = [(c, set()) for c in children(e)]
        for part, hidden in parts:
            found = self._reads(part)
            if found is None:
                plain = False
                break
            names.update(n for n in found[0] if n not in hidden)
            variables.update(found[1])
        result = (tuple(sorted(names)), tuple(sorted(variables))) if plain else None
        self.reading[id(e)] = (result, e)
        return result

    def coerced(self, tree: Tree, source: Type, target: Type) -> Tree:
        return tree if source == target else self.shapes.coerce(tree, source, target)

    def _short(self, op: str, args: tuple[Expr, ...], at: Around) -> Term:
        t = self.terms
        parts: list[Term] = []
        guard = at.guard
        for a in args:
            found = self.truth(a, replace(at, guard=guard))
            parts.append(found)
            if found is (t.false if op == "and" else t.true):
                break
            guard = t.all((guard, found if op == "and" else t.no(found)))
        return t.all(parts) if op == "and" else t.any(parts)

    def _op(self, e: Op, at: Around) -> Tree:
        t, s = self.terms, self.shapes
        trees = [self.expr(a, at) for a in e.args]
        kinds = [a.type for a in e.args]
        if e.op == "not":
            assert isinstance(trees[0], Term)
            return t.no(trees[0])
        if e.op == "in":
            return self._member(trees[0], kinds[0], trees[1], kinds[1])
        if e.op == "append":
            return self._append(
                trees[0], self.coerced(trees[1], kinds[1], e.type.elem if isinstance(e.type, ListOf) else e.type), at, e.span
            )
        if e.op in ("eq", "ne"):
            joined = ty.join(*kinds)
            assert joined is not None
            same = s.equal(*(self.coerced(x, k, joined) for x, k in zip(trees, kinds, strict=True)))
            return same if e.op == "eq" else t.no(same)
        if any(isinstance(x, Ratio) for x in trees) or e.op == "div":
            return self._ratio(e.op, [self.coerced(x, k, ty.FRAC) for x, k in zip(trees, kinds, strict=True)], at, e.span)
        match e.op, trees:
            case "neg", [Term() as a]:
                return t.sub(t.const(0), t.number(a))
            case "abs", [Term() as a]:
                return t.ite(t.lt(a, t.const(0)), t.sub(t.const(0), a), a)
            case _, [Term() as a, Term() as b]:
                return self._numbers(e.op, t.number(a), t.number(b), at, e.span)
            case _, [Members(a), Members(b)]:
                return self._sets(e.op, a, b)
            case _, [Counts(a), Counts(b)]:
                return self._bags(e.op, a, b, at, e.span)
        raise Unlowerable(f"`{e.op}` on these values")

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

    # comprehensions

    def visits(self, domain: Expr | Type, at: Around) -> list[tuple[Tree, Term, Term | None]]:
        """What a `for` walks over: value, when it is visited, and (in a bag) how many times."""
        t = self.terms
        if isinstance(domain, Type):
            return [(self.shapes.literal(v, domain), t.true, None) for v in ty.domain(domain)]
        found = self.expr(domain, at)
        kind = domain.type
        match found:
            case Members(of):
                assert isinstance(kind, SetOf)
                return [(self.shapes.literal(v, kind.elem), of[v], None) for v in _ordered(list(of), kind.elem)]
            case Counts(of):
                assert isinstance(kind, BagOf)
                return [(self.shapes.literal(v, kind.elem), t.lt(t.const(0), n), n) for v, n in of.items()]
            case Row(length, items):
                return [(x, t.lt(t.const(i), length), None) for i, x in enumerate(items)]
            case Items(of):
                assert isinstance(kind, MapOf)
                return [(self.shapes.literal(v, kind.key), t.true, None) for v in of]
        raise Unlowerable("`for` on these values")

    def _each(
        self, binders: tuple[Binder, ...], at: Around, there: Term, copies: Term | None
    ) -> Iterator[tuple[Around, Term, Term | None]]:
        t = self.terms
        if not binders:
            yield at, there, copies
            return
        first, rest = binders[0], binders[1:]
        for tree, visited, times in self.visits(first.domain, at):
            if visited is t.false:
                continue
            here = at.bind({first.name: tree}, t.all((at.guard, visited)))
            test = self._short("and", first.tests, here) if first.tests else t.true
            if test is t.false:
                continue
            here.guard = t.all((here.guard, test))
            many = copies if times is None else times if copies is None else t.mul(copies, times)
            yield from self._each(rest, here, t.all((there, visited, test)), many)

    def _aggregate(self, e: Agg, at: Around) -> Tree:
        t = self.terms
        if prod(ty.cardinality(b.domain) or 1 for b in e.binders if isinstance(b.domain, Type)) > MOST_VISITS:
            raise Unlowerable(f"a comprehension over more than {MOST_VISITS:,} combinations is not written out")
        if e.kind in ("any", "all"):
            parts: list[Term] = []
            going = t.true
            for here, there, _ in self._each(e.binders, at, t.true, None):
                here.guard = t.all((here.guard, going))
                found = self.truth(e.body, here)
                part = t.all((there, found)) if e.kind == "any" else t.any((t.no(there), found))
                parts.append(part)
                going = t.all((going, t.no(part) if e.kind == "any" else part))
                if going is t.false:
                    break
            return t.any(parts) if e.kind == "any" else t.all(parts)
        rows = [(self.expr(e.body, here), there, copies) for here, there, copies in self._each(e.binders, at, t.true, None)]
        if e.kind == "set":
            assert isinstance(e.type, SetOf)
            return self._collect([(x, there) for x, there, _ in rows], e.type.elem)
        if e.kind == "count":
            return t.total(there if n is None else t.ite(there, n, t.const(0)) for _, there, n in rows)
        if isinstance(e.type, Frac):
            return self._ratios(e, rows, at)
        values = [(x, there, n) for x, there, n in rows if isinstance(x, Term)]
        if e.kind == "sum":
            zero = t.const(0)
            return t.total(t.ite(there, t.number(x) if n is None else t.mul(t.number(x), n), zero) for x, there, n in values)
        return self._extreme(e, values, at)

    def _extreme(self, e: Agg, values: list[tuple[Term, Term, Term | None]], at: Around) -> Term:
        t = self.terms
        self.fault("empty", t.no(t.any(there for _, there, _ in values)), at, e.span)
        best: Term | None = None
        some = t.false
        for x, there, _ in values:
            x = t.number(x)
            if best is None:
                best, some = x, there
                continue
            better = t.lt(best, x) if e.kind == "max" else t.lt(x, best)
            best = t.ite(t.all((there, t.any((t.no(some), better)))), x, best)
            some = t.any((some, there))
        return t.const(0) if best is None else best

    def _ratios(self, e: Agg, rows: list[tuple[Tree, Term, Term | None]], at: Around) -> Tree:
        t = self.terms
        total: Tree = Ratio(t.const(0), t.const(1))
        if e.kind != "sum":
            raise Unlowerable(f"`{e.kind}` of fractions")
        for x, there, n in rows:
            part = self.coerced(x, e.body.type, ty.FRAC)
            assert isinstance(part, Ratio)
            many = t.number(there) if n is None else t.ite(there, n, t.const(0))
            total = self._ratio("add", [total, Ratio(t.mul(part.up, many), part.down)], at, e.span)
        return total

    # built-ins

    def _call(self, e: Call, at: Around) -> Tree:
        t = self.terms
        match e.name:
            case "size":
                found = self.expr(e.args[0], at)
                match found:
                    case Members(of) | Counts(of):
                        return t.total(of.values())
                    case Row(length, _):
                        return length
                    case Items(of):
                        return t.const(len(of))
            case "min" | "max":
                trees = [
                    self.coerced(self.expr(a, at), a.type, e.type) if isinstance(e.type, Frac) else self.expr(a, at)
                    for a in e.args
                ]
                best = trees[0]
                for x in trees[1:]:
                    smaller = (
                        self._ratio("lt", [x, best], at, e.span) if isinstance(e.type, Frac) else t.lt(_term(x), _term(best))
                    )
                    larger = (
                        self._ratio("lt", [best, x], at, e.span) if isinstance(e.type, Frac) else t.lt(_term(best), _term(x))
                    )
                    best = self.shapes.choose(_term(larger if e.name == "max" else smaller), x, best)
                return best
            case "after" | "before":
                return self._seat(e, at)
            case "old":
                if at.old is None:
                    return self.expr(e.args[0], at)
                times, self.times = self.times, self.times_before
                found = self.expr(e.args[0], replace(at, state=at.old, old=None))
                self.times = times
                return found
            case "ended":
                return self.ended(at)
            case "winners":
                return self.winners(at)
            case "times":
                assert self.times is not None
                return self.times(e.subject)
            case "parts":
                whole = self.expr(e.args[0], at)
                assert isinstance(whole, Counts)
                assert isinstance(e.args[0].type, BagOf)
                keys = list(ty.domain(e.args[0].type.elem))
                limit = e.args[0].type.limit or 0
                if (limit + 1) ** len(keys) > 2_000_000:
                    raise Unlowerable("the parts of so large a bag")
                zero = t.const(0)
                return Members(
                    {b: t.all(t.le(t.const(n), whole.of.get(k, zero)) for k, n in b.items()) for b in ty.bags(keys, limit)}
                )
        raise Unlowerable(f"`{e.name}` is not lowered")

    def _seat(self, e: Call, at: Around) -> Term:
        t = self.terms
        n, way = self.game.players, 1 if e.name == "after" else -1
        seat = t.mod(_term(self.expr(e.args[0], at)), t.const(n))  # round the table; itself where it is a seat
        if len(e.args) == 1:
            return t.select(seat, [t.const((p + way) % n) for p in range(n)])
        among = self.expr(e.args[1], at)
        assert isinstance(among, Members)
        self.fault("empty", t.no(t.any(among.of.get(p, t.false) for p in range(n))), at, e.span)
        rows: list[Term] = []
        for p in range(n):
            found = t.const(p)
            for k in range(n, 0, -1):
                q = (p + way * k) % n
                found = t.ite(among.of.get(q, t.false), t.const(q), found)
            rows.append(found)
        return t.select(seat, rows)

    def ended(self, at: Around) -> Term:
        """Has the play ended in this state?"""
        return self.terms.any(term for _, term in self.end_terms(at))

    def end_terms(self, at: Around) -> list[tuple[str, Term]]:
        """Each end clause: does it hold, and none before it?"""
        t = self.terms
        earlier = t.false
        found = []
        for e in self.game.ends:
            outer, self.clause = self.clause, e.id
            holds = t.all(
                (self.truth(e.when, replace(at, names={}, guard=t.all((at.guard, t.no(earlier))))), self.switch(e.id))
            )
            self.clause = outer
            found.append((e.id, t.all((holds, t.no(earlier)))))
            earlier = t.any((earlier, holds))
        return found

    def winners(self, at: Around) -> Members:
        """The players who have won in this state."""
        t = self.terms
        result: Tree = Members(dict.fromkeys(range(self.game.players), t.false))
        for e, (_, here) in zip(self.game.ends, self.end_terms(at), strict=True):
            if e.winners is not None:
                won = self.expr(e.winners, replace(at, names={}, guard=t.all((at.guard, here))))
                result = self.shapes.choose(here, won, result)
        assert isinstance(result, Members)
        return result

    # effects

    def run(self, effects: tuple[Effect, ...], at: Around, fired: dict[str, Term]) -> None:
        """Take effects into `at.state`, under `at.guard`."""
        t = self.terms
        for e in effects:
            match e:
                case Assign(name, path, value):
                    kind = next(v.type for v in self.game.variables if v.name == name)
                    new = self._put(at.state[name], kind, list(path), value, at, e.span)
                    self.fault("range", t.no(self.shapes.within(new, kind)), at, e.span)
                    at.state[name] = self.shapes.choose(at.guard, self.shapes.tidy(new, kind), at.state[name])
                case Branch(test, yes, no):
                    condition = self.truth(test, at)
                    for part, when in ((yes, condition), (no, t.no(condition))):
                        inner = t.all((at.guard, when))
                        if inner is not t.false:
                            self.run(part, replace(at, guard=inner), fired)
                case Loop(name, domain, _, body):
                    for tree, visited, copies in self.visits(domain, at):
                        for k in range(1 if copies is None else copies.hi):
                            inner = t.all((at.guard, visited if copies is None else t.lt(t.const(k), copies)))
                            if inner is not t.false:
                                self.run(body, at.bind({name: tree}, inner), fired)
                case Fire(clause, when, body):
                    outer, self.clause = self.clause, clause
                    condition = t.true if when is None else self.truth(when, at)
                    inner = t.all((at.guard, condition, self.switch(clause)))
                    if inner is not t.false:
                        fired[clause] = t.any((fired.get(clause, t.false), inner))
                        self.run(body, replace(at, guard=inner), fired)
                    self.clause = outer
                case Bind(names, values, body):
                    self.run(body, at.bind({n: self.expr(v, at) for n, v in zip(names, values, strict=True)}), fired)

    def _put(self, old: Tree, kind: Type, path: list[Expr | str], value: Expr, at: Around, span: Span | None) -> Tree:
        t = self.terms
        if not path:
            return self.coerced(self.expr(value, at), value.type, kind)
        step, rest = path[0], path[1:]
        if isinstance(old, Perhaps):
            assert isinstance(kind, Maybe)
            self.fault("none", t.no(old.there), at, span)
            inner = self.shapes.blank(kind.elem) if old.inner is None else old.inner
            return Perhaps(old.there, self._put(inner, kind.elem, path, value, at, span))
        if isinstance(step, str):
            assert isinstance(old, Items)
            assert isinstance(kind, Record)
            field_type = kind.field_type(step)
            assert field_type is not None
            return Items({**old.of, step: self._put(old.of[step], field_type, rest, value, at, span)})
        if isinstance(old, Row):
            assert isinstance(kind, ListOf)
            key = _term(self.expr(step, at))
            self.fault("index", t.no(t.all((t.le(t.const(0), key), t.lt(key, old.length)))), at, span)
            changed = []
            for i, x in enumerate(old.items):
                here = t.eq(key, t.const(i))
                there = replace(at, guard=t.all((at.guard, here)))
                changed.append(
                    x if here is t.false else self.shapes.choose(here, self._put(x, kind.elem, rest, value, there, span), x)
                )
            return Row(old.length, tuple(changed))
        assert isinstance(old, (Items, Counts))
        assert isinstance(kind, (MapOf, BagOf))
        keys = kind.key if isinstance(kind, MapOf) else kind.elem
        inner_kind: Type = kind.value if isinstance(kind, MapOf) else ty.INT
        where = self.coerced(self.expr(step, at), step.type, keys)
        result: dict[Value, Tree] = {}
        inside = t.false
        for k, x in old.of.items():
            here = self._is(where, keys, k, keys)
            inside = t.any((inside, here))
            if here is t.false:
                result[k] = x
                continue
            there = replace(at, guard=t.all((at.guard, here)))
            new = x if there.guard is t.false else self._put(x, inner_kind, rest, value, there, span)
            result[k] = self.shapes.choose(here, new, x)
        self.fault("index" if isinstance(kind, MapOf) else "range", t.no(inside), at, span)
        if isinstance(old, Counts):
            return Counts({k: t.number(_term(v)) for k, v in result.items()})
        return Items(result)

    # moves

    def choice(self, b: Binder, at: Around, inputs: list[Input]) -> tuple[Tree, Term]:
        """New inputs for a parameter: its tree, and when its value is one of the domain's."""
        if isinstance(b.domain, Call) and b.domain.name == "parts":
            whole = self.expr(b.domain.args[0], at)
            assert isinstance(whole, Counts)
            return Counts(
                {k: self._input(inputs, 0, n.hi, self.terms.const(0), n, False) for k, n in whole.of.items()}
            ), self.terms.true
        tree, valid = self.free(b.type, inputs, None if isinstance(b.domain, Type) else self.expr(b.domain, at), False)
        if isinstance(b.domain, Type):
            return tree, valid
        return tree, self.terms.all((valid, self._member(tree, b.type, self.expr(b.domain, at), b.domain.type)))

    def _input(self, inputs: list[Input], lo: int, hi: int, least: Term, most: Term, drawn: bool, truth: bool = False) -> Term:
        found = Input(len(inputs), lo, hi, least, most, drawn)
        inputs.append(found)
        return self.terms.leaf("input", found.number, lo, hi, truth)

    def free(self, kind: Type, inputs: list[Input], among: Tree | None, drawn: bool) -> tuple[Tree, Term]:
        """Inputs that may be any value of a type, and when together they are one."""
        t = self.terms
        match kind:
            case Bool():
                return self._input(inputs, 0, 1, t.const(0), t.const(1), drawn, True), t.true
            case Int() | Enum():
                if isinstance(kind, Enum):
                    codes = [kind.family.index(v) for v in kind.values]
                elif kind.lo is not None and kind.hi is not None:
                    codes = [kind.lo, kind.hi]
                else:
                    codes = []
                if isinstance(among, Members):
                    codes = [code(v, kind) for v in among.of] or [0]
                if not codes:
                    raise Unlowerable("a choice among numbers without bounds")
                tree = self._input(inputs, min(codes), max(codes), t.const(min(codes)), t.const(max(codes)), drawn)
                return tree, self.shapes.within(tree, kind)
            case Maybe(elem):
                there = self._input(inputs, 0, 1, t.const(0), t.const(1), drawn, True)
                inner, valid = self.free(elem, inputs, None, drawn)
                blank = self.shapes.equal(inner, self.shapes.blank(elem))
                return Perhaps(there, inner), t.ite(there, valid, blank)
            case Record(_, fields):
                parts = {n: self.free(f, inputs, None, drawn) for n, f in fields}
                return Items({n: p[0] for n, p in parts.items()}), t.all(p[1] for p in parts.values())
            case MapOf(key, inner_kind):
                values = {k: self.free(inner_kind, inputs, None, drawn) for k in ty.domain(key)}
                return Items({k: p[0] for k, p in values.items()}), t.all(p[1] for p in values.values())
            case SetOf(elem):
                return Members(
                    {v: self._input(inputs, 0, 1, t.const(0), t.const(1), drawn, True) for v in ty.domain(elem)}
                ), t.true
            case BagOf(elem, limit):
                used: Term = t.const(0)
                counts: dict[Value, Term] = {}
                for v in ty.domain(elem):
                    counts[v] = self._input(inputs, 0, limit or 0, t.const(0), t.sub(t.const(limit or 0), used), drawn)
                    used = t.add(used, counts[v])
                return Counts(counts), t.true
            case Nothing():
                return Perhaps(t.false, None), t.true
            case ListOf(elem, limit):
                length = self._input(inputs, 0, limit, t.const(0), t.const(limit), drawn)
                items = [self.free(elem, inputs, None, drawn) for _ in range(limit)]
                empty = self.shapes.blank(elem)
                fine = [t.ite(t.lt(t.const(i), length), ok, self.shapes.equal(x, empty)) for i, (x, ok) in enumerate(items)]
                return Row(length, tuple(x for x, _ in items)), t.all(fine)
        raise Unlowerable(f"a choice of {ty.show(kind)}")

    def drawn(self, d: Draw, at: Around, inputs: list[Input]) -> tuple[Tree, Term]:
        """Inputs for one entry of `chance`, and when they are a draw that can come. Its weight goes to `self.weights`."""
        t = self.terms
        drawn_before = {i.number for i in inputs if i.drawn}
        if d.kind == "roll":
            assert isinstance(d.type, BagOf)
            assert isinstance(d.args[1], Const)
            number = self.number(d.args[0], at)
            limit = d.type.limit or 0
            self.fault("range", t.no(t.all((t.le(t.const(0), number), t.le(number, t.const(limit))))), at, d.span)
            faces, left, counts = list(d.args[1].value), number, dict[Value, Term]()
            wide = max(0, min(limit, number.hi))
            for i, v in enumerate(faces):
                least = left if i == len(faces) - 1 else t.const(0)
                counts[v] = self._input(inputs, 0, wide, least, left, True)
                if i < len(faces) - 1:
                    self.weights.append(self._choose(self._clamped(left, 0, wide), counts[v], wide))
                left = t.sub(left, counts[v])
            self._steady(number, drawn_before)
            return Counts(counts), t.true
        if d.kind == "draw":
            bag = self.expr(d.args[0], at)
            assert isinstance(bag, Counts)
            self.fault("empty", t.le(t.total(bag.of.values()), t.const(0)), at, d.span)
            tree, valid = self.free(d.type, inputs, Members(dict.fromkeys(bag.of, t.true)), True)
            assert isinstance(d.args[0].type, BagOf)
            faults, self.faults = self.faults, []
            self.weights.append(_term(self._index(bag, d.args[0].type, tree, at, d.span)))
            self.faults = faults
            for n in bag.of.values():
                self._steady(n, drawn_before)
            return tree, t.all((valid, self._member(tree, d.type, bag, d.args[0].type)))
        assert isinstance(d.args[0], Const)
        shares = d.args[1].value if d.kind == "one_of" and isinstance(d.args[1], Const) else (1,) * len(d.args[0].value)
        many: dict[Value, Fraction] = {}
        for v, p in zip(d.args[0].value, shares, strict=True):
            if p:
                many[v] = many.get(v, Fraction(0)) + p
        common = lcm(*(p.denominator for p in many.values()))
        values = list(many)
        if isinstance(d.type, (Int, Enum)):
            codes = sorted(code(v, d.type) for v in values)
            if codes == list(range(codes[0], codes[-1] + 1)):
                of = {code(v, d.type): int(p * common) for v, p in many.items()}
                drawn = self._input(inputs, codes[0], codes[-1], t.const(codes[0]), t.const(codes[-1]), True)
                self.weights.append(t.select(t.sub(drawn, t.const(codes[0])), [t.const(of[c]) for c in codes]))
                return drawn, t.true
        which = self._input(inputs, 0, len(values) - 1, t.const(0), t.const(len(values) - 1), True)
        self.weights.append(t.select(which, [t.const(int(many[v] * common)) for v in values]))
        return self.shapes.pick(which, [self.shapes.literal(v, d.type) for v in values]), t.true

    def _choose(self, of: Term, some: Term, most: int) -> Term:
        """In how many ways some of so many dice are picked."""
        t = self.terms
        table = [t.const(comb(n, k)) for n in range(most + 1) for k in range(most + 1)]
        return t.select(t.add(t.mul(of, t.const(most + 1)), some), table)

    def _steady(self, number: Term, drawn: set[int]) -> None:
        """Weights compare the draws after a choice only where how much is drawn does not hang on what was drawn before."""
        if any(x.op == "input" and x.number in drawn for x in walk([number])):
            self.weighed = False

    def moves(self, action: Action, state: dict[str, Tree], ended: Term, unroll: bool) -> Iterator[Move]:
        """The flat moves of an action: one, or with `unroll` one for each choice of few."""
        fixed: list[dict[str, Tree]] = [{}]
        if unroll and action.params:
            fixed = self._unrolled(action) or fixed
        for names in fixed:
            found = self._move(action, dict(state), ended, names)
            if found is not None:
                yield found

    def _unrolled(self, action: Action) -> list[dict[str, Tree]]:
        lists: list[list[tuple[str, Tree]]] = []
        total = 1
        for b in action.params:
            if isinstance(b.domain, Type):
                values = list(ty.domain(b.domain)) if (ty.cardinality(b.domain) or UNROLLED + 1) <= UNROLLED else None
                kind: Type = b.domain
            else:
                simple = isinstance(b.type, (Int, Enum, Bool)) and (ty.cardinality(b.type) or UNROLLED + 1) <= UNROLLED
                values, kind = (list(ty.domain(b.type)) if simple else None), b.type
            if values is None:
                return []
            total *= max(1, len(values))
            if total > UNROLLED:
                return []
            lists.append([(b.name, self.shapes.literal(v, kind)) for v in values])
        return [dict(combination) for combination in itertools.product(*lists)]

    def _move(self, action: Action, state: dict[str, Tree], ended: Term, fixed: dict[str, Tree]) -> Move | None:
        t = self.terms
        self.faults, self.clause = [], action.name
        own = self.switch(action.name)
        going = t.no(ended)
        at = Around(state, {}, going)
        during = t.true if action.during is None else self.truth(action.during, at)
        guard = t.all((going, during, own))
        if guard is t.false and not self.faults:
            return None
        at = Around(state, {}, guard)
        actor = t.const(-1) if action.by is None else _term(self.expr(action.by, at))
        if action.by is not None:
            seated = t.all((t.le(t.const(0), actor), t.lt(actor, t.const(self.game.players))))
            self.fault("range", t.no(seated), at, action.by.span)
            actor = self._clamped(actor, 0, self.game.players - 1)
            at.names["actor"] = actor
        inputs: list[Input] = []
        for b in action.params:
            if b.name in fixed:
                tree = fixed[b.name]
                valid = (
                    t.true if isinstance(b.domain, Type) else self._member(tree, b.type, self.expr(b.domain, at), b.domain.type)
                )
            else:
                tree, valid = self.choice(b, at, inputs)
            at = at.bind({b.name: tree}, t.all((at.guard, valid)))
        parts: list[tuple[str, Term]] = [(action.name, at.guard)]
        for c in action.checks:
            self.clause = c.id
            passed = self.truth(c.formula, at)
            lifted = [self.truth(x, replace(at, guard=t.all((at.guard, t.no(passed))))) for x in c.lifted]
            passed = t.any([passed, *lifted, t.no(self.switch(c.id))])
            parts.append((c.id, passed))
            at.guard = t.all((at.guard, passed))
        if at.guard is t.false and not self.faults:
            return None
        legality_faults, self.faults, self.clause = self.faults, [], action.name
        guard = at.guard
        draw_guard = t.true
        self.weights, self.weighed = [], True
        for d in action.draws:
            tree, valid = self.drawn(d, at, inputs)
            draw_guard = t.all((draw_guard, valid))
            at = at.bind({d.name: tree}, t.all((at.guard, valid)))
        fired: dict[str, Term] = {}
        at = replace(at, state=dict(state), guard=t.true)
        # effects are read under the legality of the move, which the guard of the whole step already states
        drawn_faults = len(self.faults)
        self.run(action.effects, at, fired)
        if (
            draw_guard is not t.true
        ):  # an effect has a fault only where the draw can come; the draw itself may have had one before
            self.faults[drawn_faults:] = [(t.all((draw_guard, c)), site) for c, site in self.faults[drawn_faults:]]
        updates: dict[int, Term] = {}
        for v in self.game.variables:
            if at.state[v.name] is state[v.name]:
                continue
            offset = self.offsets[v.name]
            for i, (new, old) in enumerate(zip(scatter(at.state[v.name], v.type), scatter(state[v.name], v.type), strict=True)):
                if new is not old:
                    updates[offset + i] = new
        named: dict[str, object] = {n: x for n, x in at.names.items() if n != "actor"}
        weight: Term | None = t.const(1) if self.weighed else None
        for w in self.weights if self.weighed else ():
            assert weight is not None
            weight = t.mul(weight, w)
        return Move(
            action.name, action.by is None, actor, inputs, guard, draw_guard, updates, legality_faults, self.faults,
            fired, parts, named, weight,
        )  # fmt: skip


def _term(tree: Tree) -> Term:
    assert isinstance(tree, Term)
    return tree


def _key(kind: Type) -> Type:
    if isinstance(kind, MapOf):
        return kind.key
    return kind.elem if isinstance(kind, BagOf) else ty.INT


def _ordered(values: list[Value], elem: Type) -> list[Value]:
    if isinstance(elem, Enum):
        return sorted(values, key=elem.family.index)
    if isinstance(elem, (Int, Bool, Frac)):
        return sorted(values)
    return sorted(values, key=repr)


def lower(game: Game, *, unroll: bool = False, switched: bool = False) -> tuple[Model, Lowerer]:
    """The flat transition system of a game, and the lowerer that speaks of it (for questions).

    Raises `Unlowerable` for games too large to be written out.
    """
    from tablelaw.solver.evaluate import starts

    terms = Terms()
    low = Lowerer(game, terms, switched=switched)
    state = low.state()
    ends = low.end_terms(Around(state, {}, terms.true))
    end_faults, low.faults = low.faults, []
    ended = terms.any(e for _, e in ends)
    low.winners(Around(state, {}, terms.true))
    known = {(c.uid, site) for c, site in end_faults}
    winner_faults, low.faults = [f for f in low.faults if (f[0].uid, f[1]) not in known], []
    found = [m for action in game.actions for m in low.moves(action, state, ended, unroll)]
    low.faults = []
    first = [tuple(n for v in game.variables for n in numbers(s[v.name], v.type)) for s in starts(game)]
    return Model(terms, low.slots, first, found, ends, ended, end_faults, low.switches, winner_faults), low
