"""Types the formulas under `define:` once, each after those that it calls."""

from __future__ import annotations

import ast

from tablelaw.spec.core import Const
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.document import Definition
from tablelaw.spec.formulas import type_definition
from tablelaw.spec.names import Body, Names
from tablelaw.spec.types import UNKNOWN

_ASKING = ("old", "times", "ended", "winners")
"""What only questions may ask."""


def type_definitions(names: Names, sink: Diagnostics) -> None:
    """Type every definition; those that ask for the play so far are kept for questions."""
    calls = {d.name: _calls(d) for d in names.defines.values()}
    order = _in_order(calls, names, sink)
    asking: set[str] = set()
    for name in order:
        if any((c in _ASKING and c not in names.defines) or c in asking for c in calls[name]):
            asking.add(name)
    names.asking = frozenset(asking)
    for name in order:
        known = names.questions if name in asking else names.bodies
        if name not in known:
            names.spend(10)
            names.pending.append(name)
            known[name] = type_definition(names.defines[name], names, sink, "question" if name in asking else "rule")
            names.pending.pop()


def _calls(definition: Definition) -> dict[str, ast.Call]:
    """What a definition calls, each with the place of one call."""
    found: dict[str, ast.Call] = {}
    if definition.formula is not None and definition.formula.tree is not None:
        for node in ast.walk(definition.formula.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                found.setdefault(node.func.id, node)
    return found


def _in_order(calls: dict[str, dict[str, ast.Call]], names: Names, sink: Diagnostics) -> list[str]:
    """The definitions, each after those that it calls; a circle is told and cut where it closes."""
    order: list[str] = []
    state: dict[str, int] = {}  # 1 while what it calls is looked at, 2 when it has its place
    for first in calls:
        stack = [first] if first not in state else []
        while stack:
            name = stack[-1]
            state.setdefault(name, 1)
            following = next((c for c in calls[name] if c in calls and c not in state), None)
            if following is not None:
                stack.append(following)
                continue
            stack.pop()
            if state[name] == 2:
                continue
            state[name] = 2
            order.append(name)
            closing = next((c for c in calls[name] if (c in calls and state[c] == 1) or c == name), None)
            if closing is not None:
                circle = [*stack[stack.index(closing) :], name, closing] if closing in stack else [name, name]
                _cut(name, closing, circle, calls, names, sink)
    return order


def _cut(
    name: str, closing: str, circle: list[str], calls: dict[str, dict[str, ast.Call]], names: Names, sink: Diagnostics
) -> None:
    definition = names.defines[name]
    assert definition.formula is not None
    span = definition.formula.span(calls[name][closing])
    shown = circle if len(circle) <= 12 else [*circle[:6], "…", *circle[-5:]]
    sink.error(
        "R208", span, f"`{closing}` is defined by itself", notes=(f"in `{name}`",), help="the circle is " + " → ".join(shown)
    )
    params = tuple(p[0] for p in definition.params)
    body = Body(params, tuple(UNKNOWN for _ in params), Const(None, type=UNKNOWN))
    names.bodies[name] = names.questions[name] = body
