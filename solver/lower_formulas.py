"""Formulas as trees of terms; comprehensions over finite domains are written out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import prod

from tablelaw.solver.ir import Term
from tablelaw.solver.lower_values import Around, Values, as_term, key_type
from tablelaw.solver.shapes import (
    Counts,
    Items,
    Members,
    Perhaps,
    Ratio,
    Row,
    Tree,
    Unlowerable,
    gather,
    leaves,
)  # fmt: skip
from tablelaw.spec import types as ty
from tablelaw.spec.core import (
    Agg,
    Binder,
    Call,
    Const,
    Expr,
    Field,
    If,
    Index,
    Let,
    Local,
    Make,
    Op,
    Var,
    children,
)  # fmt: skip
from tablelaw.spec.core import Items as SetItems
from tablelaw.spec.types import BagOf, Bool, Enum, Frac, Int, ListOf, MapOf, Record, SetOf, Type
from tablelaw.spec.values import Value

MOST_VISITS = 200_000
LARGEST_MODEL = 400_000
MOST_KEPT = 200_000


@dataclass(slots=True)
class Formulas(Values):
    """Lowers the formulas of one game."""

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
                    self.expr(base, at), base.type, self.coerced(self.expr(key, at), key.type, key_type(base.type)), at, e.span
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
        if e.op == "sure":
            assert isinstance(trees[0], Perhaps)
            self.fault("none", t.no(trees[0].there), at, e.span)
            return s.blank(e.type) if trees[0].inner is None else trees[0].inner
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
                    pair = [best, x] if e.name == "max" else [x, best]
                    better = self._ratio("lt", pair, at, e.span) if isinstance(e.type, Frac) else t.lt(*map(as_term, pair))
                    best = self.shapes.choose(as_term(better), x, best)
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
        seat = t.mod(as_term(self.expr(e.args[0], at)), t.const(n))  # round the table; itself where it is a seat
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


def _ordered(values: list[Value], elem: Type) -> list[Value]:
    if isinstance(elem, Enum):
        return sorted(values, key=elem.family.index)
    if isinstance(elem, (Int, Bool, Frac)):
        return sorted(values)
    return sorted(values, key=repr)
