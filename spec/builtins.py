"""The built-in formulas: what each takes, what it gives, and what is said when it is called otherwise."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from tablelaw.spec import types as ty
from tablelaw.spec.comprehensions import aggregate, collection, comprehension
from tablelaw.spec.core import Binder, Call, Const, Expr, Local, Var
from tablelaw.spec.diagnostics import did_you_mean
from tablelaw.spec.intervals import bounded
from tablelaw.spec.names import open_variable
from tablelaw.spec.types import BOOL, FRAC, NOTHING, BagOf, Enum, Int, ListOf, MapOf, SetOf, Type, Unknown, show, told
from tablelaw.spec.values import Map

if TYPE_CHECKING:
    from tablelaw.spec.formulas import Typer

Builtin = Callable[["Typer", ast.Call, "Type | None"], Expr]

MOST_PARTS = 1_000_000


_USE = {
    "size": "size(hand)", "after": "after(turn)", "before": "before(turn)", "ended": "ended()", "winners": "winners()",
    "old": "old(pot)", "times": "times('roll')", "parts": "parts(hand)", "abs": "abs(x - y)",
}  # fmt: skip
"""How each is written."""


def _arity(t: Typer, node: ast.Call, least: int, most: int | None = None) -> bool:
    most = least if most is None else most
    if least <= len(node.args) <= most:
        return True
    assert isinstance(node.func, ast.Name)
    wanted = str(least) if least == most else f"{least} or {most}"
    t.fail(
        "E104",
        node,
        f"`{node.func.id}` takes {wanted} argument{'s' if wanted != '1' else ''}, not {len(node.args)}",
        help=f"write `{_USE[node.func.id]}`",
    )
    return False


def _quantified(kind: str) -> Builtin:
    """Any, all, sum, count, min, max: of a comprehension or of a collection; min and max also of numbers."""

    def typed(t: Typer, node: ast.Call, hint: Type | None) -> Expr:
        if len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
            return comprehension(t, kind, node, node.args[0].generators, node.args[0].elt)
        if len(node.args) == 1:
            found = collection(t, node.args[0])
            if found is None:
                return t.bad(node)
            source, elem = found
            body: Expr = Const(True, type=BOOL) if kind == "count" else Local("_item", type=elem, span=t.place(node))
            return aggregate(t, kind, (Binder("_item", source, elem),), body, node)
        if kind in ("min", "max") and node.args:
            return _of_numbers(t, kind, node)
        return t.fail("E104", node, f"`{kind}` takes a comprehension or a collection", help=f"write `{kind}(… for x in …)`")

    return typed


def _of_numbers(t: Typer, kind: str, node: ast.Call) -> Expr:
    args = tuple(t.expr(a) for a in node.args)
    for arg, place in zip(args, node.args, strict=True):
        if not isinstance(arg.type, (Int, ty.Frac, Unknown)):
            return t.fail("T102", place, f"`{kind}` takes numbers", label=f"this is {told(arg.type)}", help="compare numbers")
    if any(isinstance(a.type, Unknown) for a in args):
        return t.bad(node)
    kinds = [a.type for a in args if isinstance(a.type, Int)]
    if len(kinds) < len(args):
        return Call(kind, args, type=FRAC, span=t.place(node))
    pick = min if kind == "min" else max
    lows = [k.lo for k in kinds if k.lo is not None]
    highs = [k.hi for k in kinds if k.hi is not None]
    low = pick(lows) if len(lows) == len(kinds) else None
    high = pick(highs) if len(highs) == len(kinds) else None
    if all(isinstance(a, Const) for a in args):
        return Const(pick(a.value for a in args if isinstance(a, Const)), type=Int(low, high), span=t.place(node))
    return Call(kind, args, type=Int(low, high), span=t.place(node))


def _size(t: Typer, node: ast.Call, hint: Type | None) -> Expr:
    if not _arity(t, node, 1):
        return t.bad(node)
    named = t.type_name(node.args[0])
    if named is not None:
        if isinstance(named, Unknown):
            return t.bad(node)
        n = ty.cardinality(named)
        if n is None or n.bit_length() > 64:
            return t.fail("T107", node, f"`{show(named)}` has too many values to be counted", help="count a smaller type")
        return Const(n, type=Int(n, n), span=t.place(node))
    inner = t.expr(node.args[0])
    kind = inner.type
    if isinstance(kind, Unknown):
        return inner
    if not isinstance(kind, (SetOf, BagOf, ListOf, MapOf, ty.LayoutType)):
        return t.fail(
            "T102", node, f"`size` takes a set, bag, list, map or type; this is {told(kind)}", help="give a collection"
        )
    high = (
        kind.limit
        if isinstance(kind, (BagOf, ListOf, ty.LayoutType))
        else ty.cardinality(kind.elem if isinstance(kind, SetOf) else kind.key)
    )
    if isinstance(inner, Const) and isinstance(kind, (SetOf, ListOf)):
        return Const(len(inner.value), type=Int(len(inner.value), len(inner.value)), span=t.place(node))
    return Call("size", (inner,), type=bounded(0, high), span=t.place(node))


def _seat(name: str) -> Builtin:
    """After and before: the next player in turn order, all of them or of some."""

    def typed(t: Typer, node: ast.Call, hint: Type | None) -> Expr:
        if not _arity(t, node, 1, 2):
            return t.bad(node)
        args = [t.want(node.args[0], t.names.player, "the player")]
        if len(node.args) == 2:
            args.append(t.want(node.args[1], SetOf(t.names.player), "the players stepped through"))
        if any(isinstance(a.type, Unknown) for a in args):
            return t.bad(node)
        return Call(name, tuple(args), type=t.names.player, span=t.place(node))

    return typed


def _asked(t: Typer, node: ast.Call, what: str, arguments: int) -> bool:
    if t.inside != "question":
        cure = "a rule reads the position alone; keep what it needs under `state:`"
        t.fail("R207", node, f"`{what}` stands in questions and scenarios only", help=cure)
        return False
    t.reads = True
    return _arity(t, node, arguments)


def _ended(t: Typer, node: ast.Call, hint: Type | None) -> Expr:
    return Call("ended", (), type=BOOL, span=t.place(node)) if _asked(t, node, "ended", 0) else t.bad(node)


def _winners(t: Typer, node: ast.Call, hint: Type | None) -> Expr:
    if not _asked(t, node, "winners", 0):
        return t.bad(node)
    return Call("winners", (), type=SetOf(t.names.player), span=t.place(node))


def _old(t: Typer, node: ast.Call, hint: Type | None) -> Expr:
    if not _asked(t, node, "old", 1):
        return t.bad(node)
    inner = t.expr(node.args[0], hint)
    return inner if isinstance(inner, Const) else Call("old", (inner,), type=inner.type, span=t.place(node))


def _times(t: Typer, node: ast.Call, hint: Type | None) -> Expr:
    if not _asked(t, node, "times", 1):
        return t.bad(node)
    word = node.args[0]
    subject = ""
    if isinstance(word, ast.Constant) and isinstance(word.value, str):
        subject = word.value
    elif isinstance(word, ast.Name):
        subject = word.id
    if not subject:
        return t.fail("E104", node, "`times` takes the name of an action or clause, quoted", help="write `times('roll')`")
    if subject not in t.names.happenings:
        near = did_you_mean(subject, t.names.happenings)
        cure = f"did you mean `{near}`?" if near else "give the name of an action, or the id of a clause with a `do`"
        return t.fail("R204", node, f"no action or clause of effect is called `{subject}`", help=cure)
    return Call("times", (), subject, type=Int(0, None), span=t.place(node))


def _can(t: Typer, node: ast.Call, hint: Type | None) -> Expr:
    from tablelaw.spec.can import can_formula

    t.reads = True
    if t.inside == "static":
        cure = "only numbers, constants, `players` and options are known before play"
        return t.fail("T104", node, "`can` depends on the position", help=cure)
    return can_formula(t, node)


def _option(t: Typer, node: ast.Call, hint: Type | None) -> Expr:
    word = node.args[0] if len(node.args) == 1 else None
    if not isinstance(word, ast.Constant) or not isinstance(word.value, str):
        return t.fail("E104", node, "`option` takes the id of an option, quoted", help="write `option('edition')`")
    name = word.value
    if name in t.names.faulty:
        return t.bad(node)
    if name not in t.names.setting:
        near = did_you_mean(name, t.names.setting)
        cure = f"did you mean `{near}`?" if near else "declare it under `options:`"
        return t.fail("R209", word, f"no option is called `{name}`", help=cure)
    if name in t.names.open:
        if t.inside == "static":
            return t.fail("T104", node, f"option `{name}` is left open here", help="give it a value")
        t.reads = True
        return Var(open_variable(name), type=t.names.variables[open_variable(name)], span=t.place(node))
    value = t.names.setting[name]
    if t.names.numeric[name]:
        return Const(int(value), type=Int(int(value), int(value)), span=t.place(node))
    values = t.names.option_values[name]
    return Const(value, type=Enum(f"option `{name}`", values, values), span=t.place(node))


def _supply(t: Typer, node: ast.Call, hint: Type | None) -> Expr:
    named = t.type_name(node.args[0]) if len(node.args) == 1 else None
    if isinstance(named, Unknown):
        return t.bad(node)
    if not isinstance(named, Enum):
        return t.fail(
            "E104", node, "`supply` takes a type of names", help="write `supply(Card)`; each name may say its `count`"
        )
    table = t.names.attributes.get(named.family, {}).get("count")
    counts = [(k, table[1].get(k, 1) if table else 1) for k in named.values]
    for name, n in counts:
        if isinstance(n, bool) or not isinstance(n, int) or not 0 <= n <= 10_000:
            return t.fail(
                "T108",
                node,
                f"the `count` of `{name}` is not a whole number from 0 to 10000",
                help="write for example `count: 3`",
            )
    return Const(Map(counts), type=BagOf(named, sum(n for _, n in counts)), span=t.place(node))


def _parts(t: Typer, node: ast.Call, hint: Type | None) -> Expr:
    if not _arity(t, node, 1):
        return t.bad(node)
    inner = t.expr(node.args[0])
    if not isinstance(inner.type, BagOf):
        return (
            inner
            if isinstance(inner.type, Unknown)
            else t.fail("T102", node, f"`parts` takes a bag, this is {told(inner.type)}", help="give a bag")
        )
    n = ty.cardinality(inner.type)
    if n is None or n > MOST_PARTS:
        cure = f"at most {MOST_PARTS} are allowed here; keep the bag in a variable with a smaller limit"
        return t.fail("T107", node, f"{told(inner.type)} has too many parts", help=cure)
    return Call("parts", (inner,), type=SetOf(inner.type), span=t.place(node))


def _bag(t: Typer, node: ast.Call, hint: Type | None) -> Expr:
    if node.args:
        return t.fail("E104", node, "`bag()` is the empty bag", help="add elements with `+=`")
    return Const(Map(), type=hint if isinstance(hint, BagOf) else BagOf(NOTHING, 0), span=t.place(node))


def _set(t: Typer, node: ast.Call, hint: Type | None) -> Expr:
    if node.args:
        return t.fail("E104", node, "`set()` is the empty set", help="write the elements in `{…}`")
    return Const(frozenset(), type=SetOf(NOTHING), span=t.place(node))


def _abs(t: Typer, node: ast.Call, hint: Type | None) -> Expr:
    if not _arity(t, node, 1):
        return t.bad(node)
    inner = t.expr(node.args[0])
    if isinstance(inner.type, Int):
        lo, hi = inner.type.lo, inner.type.hi
        high = None if lo is None or hi is None else max(abs(lo), abs(hi))
        return t.fold("abs", (inner,), Int(0, high), node)
    if isinstance(inner.type, ty.Frac):
        return t.fold("abs", (inner,), FRAC, node)
    return (
        inner
        if isinstance(inner.type, Unknown)
        else t.fail("T102", node, f"`abs` takes a number, this is {told(inner.type)}", help="give a number")
    )


CALLS: dict[str, Builtin] = {
    **{kind: _quantified(kind) for kind in ("any", "all", "sum", "count", "min", "max")},
    "size": _size,
    "after": _seat("after"),
    "before": _seat("before"),
    "ended": _ended,
    "winners": _winners,
    "times": _times,
    "old": _old,
    "can": _can,
    "supply": _supply,
    "parts": _parts,
    "bag": _bag,
    "set": _set,
    "abs": _abs,
    "option": _option,
}
"""Every built-in by its name; the same names as `names.BUILTINS`."""
