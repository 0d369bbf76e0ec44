"""Comprehensions: what a `for` in a formula walks over, and what gathers it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tablelaw.spec import types as ty
from tablelaw.spec.core import Agg, Binder, Expr
from tablelaw.spec.intervals import bounded, most
from tablelaw.spec.types import BOOL, BagOf, Int, LayoutType, ListOf, MapOf, SetOf, Type, Unknown, show, told

if TYPE_CHECKING:
    from tablelaw.spec.formulas import Typer

WIDEST_WALK = 100_000
"""How many values a `for` may walk over."""


def set_comprehension(t: Typer, node: ast.SetComp, hint: Type | None) -> Expr:
    """`{x for x in …}`."""
    return comprehension(t, "set", node, node.generators, node.elt)


def lone_comprehension(t: Typer, node: ast.GeneratorExp, hint: Type | None) -> Expr:
    """A comprehension that nothing gathers: a fault."""
    message = "a comprehension stands inside any, all, sum, count, min, max or a set"
    return t.fail("E103", node, message, help="put `any(…)`, `sum(…)` or `{…}` around it")


def binder(t: Typer, target: ast.expr, domain: ast.expr, tests: list[ast.expr]) -> Binder | None:
    """`target in domain if tests`; the name is in scope from here on."""
    if not isinstance(target, ast.Name):
        t.fail("E103", target, "one name is bound at a time", help="use two `for`")
        return None
    found = collection(t, domain)
    if found is None:
        return None
    source, elem = found
    t.scope[target.id] = elem
    conditions = tuple(t.want(c, BOOL, "the condition after `if`") for c in tests)
    return Binder(target.id, source, elem, conditions)


def collection(t: Typer, node: ast.expr) -> tuple[Expr | Type, Type] | None:
    """What `for` walks over: a type or a collection, with the type of its elements."""
    named = t.type_name(node)
    if isinstance(named, Unknown):
        return None
    if named is not None:
        n = ty.cardinality(named)
        if n is None or n > WIDEST_WALK:
            t.fail("T107", node, f"`{show(named)}` is too large to walk over", help="walk over a smaller type")
            return None
        return named, named
    found = t.expr(node)
    if isinstance(found.type, (SetOf, BagOf, ListOf, LayoutType)):
        return found, found.type.elem
    if isinstance(found.type, MapOf):
        return found, found.type.key
    if not isinstance(found.type, Unknown):
        cure = (
            "name the range under `types:` and walk over that type"
            if isinstance(found.type, Int)
            else "walk over a type, as in `for p in Player`"
        )
        t.fail("T102", node, f"`for` walks over a type, set, bag or list; this is {told(found.type)}", help=cure)
    return None


def comprehension(t: Typer, kind: str, node: ast.AST, generators: list[ast.comprehension], body: ast.expr) -> Expr:
    """`body for … in …` inside any, all, sum, count, min, max or a set."""
    outer = dict(t.scope)
    binders = []
    for g in generators:
        bound = binder(t, g.target, g.iter, g.ifs)
        if bound is None:
            t.scope = outer
            return t.bad(node)
        binders.append(bound)
    inner = t.want(body, BOOL, f"what `{kind}` asks") if kind in ("any", "all") else t.expr(body)
    t.scope = outer
    return aggregate(t, kind, tuple(binders), inner, node)


def aggregate(t: Typer, kind: str, binders: tuple[Binder, ...], body: Expr, node: ast.AST) -> Expr:
    """The formula that walks over the binders, with its type."""
    span = t.place(node)
    if isinstance(body.type, Unknown) or any(isinstance(c.type, Unknown) for b in binders for c in b.tests):
        return t.bad(node)
    if kind in ("any", "all"):
        if not ty.fits(body.type, BOOL):
            return t.fail(
                "T102",
                node,
                f"`{kind}` asks what is true or false, these are {told(body.type)}",
                help=f"write `{kind}(… for x in …)`",
            )
        return Agg(kind, binders, body, type=BOOL, span=span)
    if kind == "set":
        return Agg(kind, binders, body, type=SetOf(body.type), span=span)
    n = most(binders)
    if kind == "count":
        return Agg(kind, binders, body, type=bounded(0, n), span=span)
    if not isinstance(body.type, (Int, ty.Frac)):
        cure = "count what holds: `count(x for x in … if …)`" if kind == "sum" else "compare numbers"
        return t.fail("T102", node, f"`{kind}` takes numbers, these are {told(body.type)}", help=cure)
    if kind == "sum" and isinstance(body.type, Int):
        lo, hi = body.type.lo, body.type.hi
        low = None if n is None or lo is None else min(0, lo * n)
        high = None if n is None or hi is None else max(0, hi * n)
        return Agg(kind, binders, body, type=bounded(low, high), span=span)
    return Agg(kind, binders, body, type=body.type, span=span)
