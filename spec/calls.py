"""Calls in formulas: of definitions, of records by their fields, of built-ins."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from tablelaw.spec.board_builtins import board_call
from tablelaw.spec.builtins import CALLS
from tablelaw.spec.core import Const, Expr, Let, Make
from tablelaw.spec.diagnostics import did_you_mean
from tablelaw.spec.names import BUILTINS, DRAWS, LAYOUT_BUILTINS, Body
from tablelaw.spec.types import Record, Type, Unknown

if TYPE_CHECKING:
    from tablelaw.spec.formulas import Typer


def call(t: Typer, node: ast.Call, hint: Type | None) -> Expr:
    """A call of a definition, a record, or a built-in."""
    assert isinstance(node.func, ast.Name)
    name = node.func.id
    if name in t.names.defines:
        return _defined(t, node, name)
    record = t.names.types.get(name)
    if isinstance(record, Record):
        return _record(t, node, record)
    if name in LAYOUT_BUILTINS or (name == "parts" and len(node.args) == 2):
        return board_call(t, node, hint)
    if name in CALLS:
        if node.keywords and name != "can":
            return t.fail("E104", node, f"`{name}` takes no named arguments", help="give the arguments in order")
        return CALLS[name](t, node, hint)
    if name in DRAWS:
        cure = "put it under `chance:` and use its name"
        return t.fail("E104", node, f"`{name}` draws at random, which only `chance:` does", help=cure)
    if name in t.names.faulty:
        return t.bad(node)
    if name in t.names.absent:
        return t.fail(
            "R204", node, f"`{name}` does not exist here", label=t.names.absent[name], help="give this the same `only`"
        )
    near = did_you_mean(name, [*t.names.defines, *BUILTINS])
    cure = f"did you mean `{near}`?" if near else f"define it: `{name}(…)` under `define:`"
    if name in t.names.variables or name in t.names.constants:
        cure = f"write `{name}[…]` for an item of it"
    return t.fail("R204", node, f"unknown formula `{name}`", label="neither built in nor defined", help=cure)


def arguments(t: Typer, node: ast.Call, name: str, names: tuple[str, ...], kinds: tuple[Type, ...]) -> dict[str, Expr] | None:
    """The arguments of a call by the names that they are for; None (and told) when they do not go together."""
    given: dict[str, Expr] = {}
    places: list[tuple[str, ast.expr, ast.AST]] = []
    wanted = f"`{name}` takes " + (", ".join(f"`{n}`" for n in names) if names else "no arguments")
    for index, arg in enumerate(node.args):
        if index >= len(names):
            t.fail("E104", arg, wanted, label="one too many", help="take it away")
            return None
        places.append((names[index], arg, arg))
    for word in node.keywords:
        if word.arg not in names:
            near = did_you_mean(str(word.arg), names)
            t.fail("E104", word, f"`{name}` has no argument `{word.arg}`", help=f"did you mean `{near}`?" if near else wanted)
            return None
        places.append((word.arg, word.value, word))
    for arg_name, arg, at in places:
        if arg_name in given:
            t.fail("E104", at, f"`{arg_name}` is given twice", help=wanted)
            return None
        given[arg_name] = t.want(arg, kinds[names.index(arg_name)], f"`{arg_name}`")
    if len(given) != len(names):
        missing = ", ".join(f"`{n}`" for n in names if n not in given)
        t.fail("E104", node, f"{missing} is missing in the call of `{name}`", help=wanted)
        return None
    return given


def _defined(t: Typer, node: ast.Call, name: str) -> Expr:
    body = _body(t, node, name)
    if body is None:
        return t.bad(node)
    given = arguments(t, node, name, body.names, body.kinds)
    if given is None or isinstance(body.formula.type, Unknown):
        return t.bad(node)
    if not t.called(node, body.weight, body.height):
        return t.bad(node)
    t.reads = t.reads or body.reads
    if not body.names or isinstance(body.formula, Const):
        return body.formula
    return Let(body.names, tuple(given[n] for n in body.names), body.formula, type=body.formula.type, span=t.place(node))


def _body(t: Typer, node: ast.AST, name: str) -> Body | None:
    from tablelaw.spec.formulas import type_definition

    names = t.names
    known = names.questions if name in names.asking else names.bodies
    if name in names.asking and t.inside != "question":
        cure = "it asks for the play so far (`old`, `times`, `ended`, `winners`), which a rule does not know"
        t.fail("R207", node, f"`{name}` may be used by questions only", help=cure)
        return None
    done = known.get(name)
    if done is None:
        if name in names.pending:
            cycle = " → ".join([*names.pending[names.pending.index(name) :], name])
            t.fail("R208", node, f"`{name}` is defined by itself", help=f"the circle is {cycle}")
            return None
        if len(names.pending) > 20:
            t.fail("E101", node, "formulas are nested too deeply here", help="call fewer definitions inside each other")
            return None
        names.pending.append(name)
        names.level += 8
        done = type_definition(names.defines[name], names, t.sink, "question" if name in names.asking else "rule")
        names.level -= 8
        names.pending.pop()
        known[name] = done
    if t.inside == "static" and done.reads:
        t.fail("T104", node, f"`{name}` depends on the position", help="only what is known before play may stand here")
        return None
    return done


def _record(t: Typer, node: ast.Call, record: Record) -> Expr:
    names = tuple(n for n, _ in record.fields)
    if node.args:
        return t.fail(
            "E104", node, f"`{record.name}` is made with {', '.join(f'`{n}=…`' for n in names)}", help="name each field"
        )
    given = arguments(t, node, record.name, names, tuple(t for _, t in record.fields))
    if given is None:
        return t.bad(node)
    if any(isinstance(v.type, Unknown) for v in given.values()):
        return t.bad(node)
    return Make(tuple(given[n] for n in names), type=record, span=t.place(node))
