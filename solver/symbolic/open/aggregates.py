"""`any`, `all`, `sum`, `count`, `min`, `max`, sets, `size`: of few values written out, of places as quantifiers and sums."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import z3

from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.symbolic.open.boards import count_of, laid, size_of
from tablelaw.solver.symbolic.open.heaps import held
from tablelaw.solver.symbolic.open.values import (
    FALSE,
    TRUE,
    BagV,
    Bound,
    CellV,
    HeapV,
    LayoutV,
    ListV,
    MapV,
    SetV,
    Term,
    both,
    constant,
    either,
    every,
    fitted,
    flat,
    is_false,
    no,
    number,
    pack,
    pick,
    same,
    small,
    sorts,
    typed,
)
from tablelaw.spec import types as ty
from tablelaw.spec.core import Agg, Binder, Const, Expr, Field, Local
from tablelaw.spec.types import FeatureType, Int, MapOf, SetOf, Type

if TYPE_CHECKING:
    from tablelaw.solver.symbolic.open.formulas import Here, Reader

Listed = list[tuple[Any, Term, Term]]
"""Values, each with its condition and how often it is visited."""
ONCE = number(1)


def domain(r: Reader, d: Expr | Type, here: Here) -> Listed | SetV | HeapV:
    """What a `for` walks over: values one by one, a set of places, or a large bag."""
    if isinstance(d, Type):
        if small(d):
            return [(constant(d, k), TRUE, ONCE) for k in ty.domain(d)]
        return whole_type(r, d)
    found = r.value(d, here)
    match found:
        case SetV(_, _, listed) if listed is not None:
            return [(v, c, ONCE) for v, c in _once(listed, found.elem)]
        case SetV():
            if found.bind is None and small(found.elem):
                return [(v, found.member(v), ONCE) for v in (constant(found.elem, k) for k in ty.domain(found.elem))]
            return found
        case HeapV():
            return found
        case BagV(counts):
            elem = d.type.elem  # type: ignore[attr-defined]
            return [(constant(elem, k), n >= 1, n) for k, n in counts.items()]
        case ListV(_, items):
            return [(v, TRUE, ONCE) for v in items]
        case MapV(items):
            assert isinstance(d.type, MapOf)
            return [(constant(d.type.key, k), TRUE, ONCE) for k in items]
        case LayoutV():
            return cells(r, found)
    raise Unlowerable("this is not walked over with the board left open")


def _once(listed: list[tuple[Any, Term]], elem: Type) -> list[tuple[Any, Term]]:
    """The same elements, none of them twice."""
    if isinstance(elem, FeatureType):
        raise Unlowerable("features are not listed")
    found: list[tuple[Any, Term]] = []
    for v, c in listed:
        again = [both([d, z3.simplify(same(v, w, elem))]) for w, d in found]
        found.append((v, both([c, no(either(again))])))
    return [(v, c) for v, c in found if not is_false(c)]


def whole_type(r: Reader, t: Type) -> SetV:
    """Every value of a type."""

    def bind() -> Iterator[Bound]:
        names = r.opened(sorts(t))
        v = pack(t, names)
        yield names, v, both(typed(v, t))
        r.close(names)

    return SetV(t, lambda v: both(typed(v, t)), None, bind)


def cells(r: Reader, layout: LayoutV) -> SetV:
    """The squares where pieces lie."""

    def bind() -> Iterator[Bound]:
        names = r.opened([z3.IntSort()] * 2)
        yield names, CellV(*names), laid(layout.term, *names)
        r.close(names)

    return SetV(layout.type.cell, lambda c: laid(layout.term, c.x, c.y), None, bind)


def cases(r: Reader, d: SetV | HeapV) -> Iterator[Bound]:
    if isinstance(d, SetV):
        if d.bind is None:
            raise Unlowerable("this set is not walked over with the board left open")
        yield from d.bind()
        return
    elem = d.type.elem
    names = r.opened(sorts(elem))
    v = pack(elem, names)
    yield names, v, both([*typed(v, elem), held(d, names)])
    r.close(names)


def value(r: Reader, e: Agg, here: Here) -> Any:
    """The value of a comprehension."""
    match e.kind:
        case "any":
            return _some(r, e.binders, e.body, here, False)
        case "all":
            return no(_some(r, e.binders, e.body, here, True))
        case "count":
            return _sum(r, e.binders, None, here, True)
        case "sum":
            kind = e.body.type
            if not isinstance(kind, (Int, ty.Bool)):
                raise Unlowerable("sums of fractions are not told with the board left open")
            return _sum(r, e.binders, e.body, here, isinstance(kind, Int) and kind.lo is not None and kind.lo >= 0)
        case "set":
            return _set(r, e, here)
    best: tuple[Term, Term] | None = None
    for v, c in _bodies(r, e.binders, e.body, here):
        x = fitted(v, ty.INT)
        if best is None:
            best = (x, c)
            continue
        known, had = best
        better = x > known if e.kind == "max" else x < known
        best = (pick(both([c, either([no(had), better])]), x, known), either([had, c]))
    if best is None:
        raise Unlowerable("a largest of nothing has no value")
    return best[0]


def _tests(r: Reader, b: Binder, here: Here, negated: bool = False) -> list[Term]:
    return [r.truth(t, here) for t in b.tests]


def _some(r: Reader, binders: tuple[Binder, ...], body: Expr, here: Here, negated: bool) -> Term:
    """Is there a way of binding the names so that the body holds (or, negated, does not)?"""
    if not binders:
        found = r.truth(body, here)
        return no(found) if negated else found
    first, rest = binders[0], binders[1:]
    d = domain(r, first.domain, here)
    found_in: list[Term] = []
    if isinstance(d, list):
        for v, c, _ in d:
            if not is_false(c):
                there = here.bind({first.name: v})
                found_in.append(both([c, *_tests(r, first, there), _some(r, rest, body, there, negated)]))
        return either(found_in)
    for names, v, guard in cases(r, d):
        there = here.bind({first.name: v})
        inner = both([guard, *_tests(r, first, there), _some(r, rest, body, there, negated)])
        found_in.append(inner if is_false(inner) else z3.Exists(names, inner))
    return either(found_in)


def _sum(r: Reader, binders: tuple[Binder, ...], body: Expr | None, here: Here, positive: bool) -> Term:
    if not binders:
        if body is None:
            return ONCE
        found = fitted(r.value(body, here), body.type)
        return pick(found, ONCE, number(0)) if z3.is_bool(found) else found
    first, rest = binders[0], binders[1:]
    d = domain(r, first.domain, here)
    parts: list[Term] = []
    if isinstance(d, list):
        for v, c, n in d:
            if not is_false(c):
                there = here.bind({first.name: v})
                each = _sum(r, rest, body, there, positive)
                each = each if n is ONCE else n * each if not z3.is_int_value(each) or each.as_long() != 1 else n
                parts.append(pick(both([c, *_tests(r, first, there)]), each, number(0)))
        return parts[0] if len(parts) == 1 else z3.Sum(*parts) if parts else number(0)
    for names, v, guard in cases(r, d):
        there = here.bind({first.name: v})
        tests = _tests(r, first, there)
        each = _sum(r, rest, body, there, positive)
        if isinstance(d, HeapV):
            weight = pick(both(tests), each, number(0))
            around = [c for c in r.around(weight) if all(c.get_id() != n.get_id() for n in names)]
            parts.append(r.heaps.summed(d, r.heaps.sum_of(d.type, weight, names, around, positive), around))
        else:
            parts.append(_over_places(r, pick(both([guard, *tests]), each, number(0)), names, positive))
    return parts[0] if len(parts) == 1 else z3.Sum(*parts)


def _over_places(r: Reader, weight: Term, names: list[Term], positive: bool) -> Term:
    """A sum over places: a number of which is known whether it is more than nothing."""
    around = [c for c in r.around(weight) if all(c.get_id() != n.get_id() for n in names)]
    standard = [z3.Const(f"place {i}", n.sort()) for i, n in enumerate(names)]
    given = [z3.Const(f"around {i}", a.sort()) for i, a in enumerate(around)]
    told = z3.substitute(weight, *zip(names, standard, strict=True), *zip(around, given, strict=True))
    key = ("places", told.get_id(), len(around))
    known = r.over_places.get(key)
    if known is None:
        name = f"over places {len(r.over_places)}"
        sort = [a.sort() for a in around]
        function = z3.Function(name, *sort, z3.IntSort())
        known = r.over_places[key] = (function, told)
        total = function(*given)
        if positive:
            some = z3.Exists(standard, told > 0)
            law = z3.And(total >= 0, (total > 0) == some)
            r.facts.append(every(given, law, [total]))
    return known[0](*around)


def _bodies(r: Reader, binders: tuple[Binder, ...], body: Expr, here: Here) -> Iterator[tuple[Any, Term]]:
    """Every value of a body over few values, with its condition."""
    if not binders:
        yield r.value(body, here), TRUE
        return
    first, rest = binders[0], binders[1:]
    d = domain(r, first.domain, here)
    if not isinstance(d, list):
        raise Unlowerable("this is not told of places with the board left open")
    for v, c, _ in d:
        there = here.bind({first.name: v})
        tests = _tests(r, first, there)
        for found, inner in _bodies(r, rest, body, there):
            yield found, both([c, *tests, inner])


def _set(r: Reader, e: Agg, here: Here) -> SetV:
    """`{body for … in …}`."""
    assert isinstance(e.type, SetOf)
    elem = e.type.elem
    first = e.binders[0]
    d = domain(r, first.domain, here)
    if isinstance(d, list):
        try:
            found = list(_bodies(r, e.binders, e.body, here))
            return SetV(elem, lambda v: either([both([c, same(v, x, elem)]) for x, c in found]), found)
        except Unlowerable:
            pass
    if len(e.binders) > 1 or not isinstance(e.body, Local) or e.body.name != first.name or not isinstance(d, SetV):
        return _image(r, e, here)

    def kept(v: Any) -> Term:
        return both(_tests(r, first, here.bind({first.name: v})))

    def bind() -> Iterator[Bound]:
        for names, v, guard in cases(r, d):
            yield names, v, both([guard, kept(v)])

    return SetV(elem, lambda v: both([d.member(v), kept(v)]), None, bind)


def _image(r: Reader, e: Agg, here: Here) -> SetV:
    """A set of which only is known whether a value is in it."""
    assert isinstance(e.type, SetOf)
    elem = e.type.elem

    def member(v: Any) -> Term:
        return _reached(r, e.binders, e.body, here, v, elem)

    return SetV(elem, member)


def _reached(r: Reader, binders: tuple[Binder, ...], body: Expr, here: Here, v: Any, elem: Type) -> Term:
    if not binders:
        return same(fitted(r.value(body, here), elem), v, elem)
    first, rest = binders[0], binders[1:]
    d = domain(r, first.domain, here)
    if isinstance(d, list):
        found = []
        for x, c, _ in d:
            there = here.bind({first.name: x})
            found.append(both([c, *_tests(r, first, there), _reached(r, rest, body, there, v, elem)]))
        return either(found)
    ways = []
    for names, x, guard in cases(r, d):
        there = here.bind({first.name: x})
        inner = both([guard, *_tests(r, first, there), _reached(r, rest, body, there, v, elem)])
        ways.append(z3.Exists(names, inner))
    return either(ways)


def size(r: Reader, e: Expr, here: Here) -> Term:
    """`size(…)`."""
    if isinstance(e, Field) and isinstance(e.base.type, FeatureType) and e.name == "cells":
        return size_of(r.value(e.base, here).term)
    found = r.value(e, here)
    if isinstance(found, LayoutV):
        return count_of(found.term)
    if isinstance(found, MapV):
        return number(len(found.items))
    if isinstance(found, SetV) and small(found.elem):
        row = flat(found, SetOf(found.elem))
        return z3.Sum(*(pick(c, ONCE, number(0)) for c in row)) if row else number(0)
    name = "_element"
    kind = e.type
    over = Local("_collection", type=kind)
    binder = Binder(name, over, kind.elem)  # type: ignore[attr-defined]
    return _sum(r, (binder,), None, here.bind({"_collection": found}), True)


__all__ = ["FALSE", "Const"]
