"""`can(action, param=value)`: its phase is open and some values of the other parameters pass every check."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from tablelaw.spec.core import Agg, Binder, Const, Expr, Let, Local, Op, children
from tablelaw.spec.diagnostics import did_you_mean
from tablelaw.spec.document import Action, Clause
from tablelaw.spec.force import Force, under
from tablelaw.spec.formulas import Typer, formula
from tablelaw.spec.game import Check
from tablelaw.spec.moves import type_checks, type_params
from tablelaw.spec.types import BOOL, Type, Unknown

_UNSEEN = 3
"""What a parameter adds to the depth of a formula."""


@dataclass(frozen=True, slots=True, eq=False)
class CanEntry:
    """What `can` needs of an action."""

    action: Action
    in_force: Force
    excepting: dict[str, list[Clause]]


@dataclass(frozen=True, slots=True, eq=False)
class _Move:
    """An action as far as `can` asks for it, typed once; `params` is None when it has a fault."""

    by: Expr | None
    during: Expr
    params: tuple[Binder, ...] | None
    checks: tuple[Check, ...] = ()
    weight: int = 1
    height: int = 1


def can_formula(typer: Typer, node: ast.Call) -> Expr:
    """The formula that asks whether an action is open."""
    names = typer.names
    word = node.args[0] if len(node.args) == 1 else None
    name = word.id if isinstance(word, ast.Name) else word.value if isinstance(word, ast.Constant) else None
    if not isinstance(name, str):
        return typer.fail(
            "E104",
            node,
            "`can` takes the name of an action",
            help="write `can(roll)`, or `can('set-aside')` for a name with a hyphen",
        )
    entry = names.actions.get(name)
    if not isinstance(entry, CanEntry):
        if name in names.happenings:
            return Const(False, type=BOOL, span=typer.place(node))  # the action exists under other options only
        near = did_you_mean(name, names.actions)
        cure = f"did you mean `{near}`?" if near else "give the name of an action"
        return typer.fail("R204", node, f"`can` takes the name of an action, `{name}` is none", help=cure)
    move = _move(typer, node, name, entry)
    if move is None or move.params is None:
        return typer.bad(node)
    given: dict[str, Expr] = {}
    for key in node.keywords:
        kind = next((b.type for b in move.params if b.name == key.arg), None)
        if kind is None:
            near = did_you_mean(str(key.arg), [b.name for b in move.params])
            cure = f"did you mean `{near}`?" if near else "see its `params`"
            return typer.fail("E104", key, f"action `{name}` has no parameter `{key.arg}`", help=cure)
        if key.arg in given:
            return typer.fail("E104", key, f"`{key.arg}` is given twice", help="give it once")
        given[str(key.arg)] = typer.want(key.value, kind, f"`{key.arg}`")
    if any(isinstance(v.type, Unknown) for v in given.values()):
        return typer.bad(node)
    if not typer.called(node, move.weight, move.height):
        return typer.bad(node)
    return _written_out(typer, node, move, move.params, given)


def _written_out(typer: Typer, node: ast.Call, move: _Move, params: tuple[Binder, ...], given: dict[str, Expr]) -> Expr:
    body: Expr = _all([_lifted(c) for c in move.checks])
    for b in reversed(params):
        if b.name in given:
            local = Local(b.name, type=b.type)
            inside = (
                Op("in", (local, b.domain), type=BOOL) if isinstance(b.domain, Expr) else typer.within(local, b.domain, node)
            )
            if isinstance(inside.type, Unknown):
                return typer.bad(node)
            body = Let((b.name,), (given[b.name],), _all([inside, body]), type=BOOL)
        else:
            body = Agg("any", (b,), body, type=BOOL)
    if move.by is not None:
        body = Let(("actor",), (move.by,), body, type=BOOL)
    whole = _all([move.during, body])
    return whole if isinstance(whole, Const) else Op("and", (whole,), type=BOOL, span=typer.place(node))


def _move(typer: Typer, node: ast.Call, name: str, entry: CanEntry) -> _Move | None:
    """The action typed for `can`, once for a game; None (and told) when it asks for itself."""
    names = typer.names
    done = names.moves.get(name)
    if isinstance(done, _Move):
        return done
    shown = f"can({name})"
    if shown in names.pending:
        circle = " → ".join([*names.pending[names.pending.index(shown) :], shown])
        typer.fail("R208", node, f"`{shown}` depends on itself", help=f"the circle is {circle}")
        return None
    if len(names.pending) > 20:
        typer.fail("E101", node, "formulas are nested too deeply here", help="ask for fewer actions inside each other")
        return None
    names.pending.append(shown)
    names.level += 8
    action = entry.action
    params = type_params(action, names, typer.sink)
    checks = type_checks(action, params or (), entry.in_force, entry.excepting, names, typer.sink) if params is not None else ()
    checks = names.changed(name, checks) if names.changed is not None else checks
    during = formula(action.during, names, typer.sink, {}, BOOL, "`during`") if action.during else Const(True, type=BOOL)
    during = under(entry.in_force.get(id(action.clause), True), during, False) or during
    by = formula(action.by, names, typer.sink, {}, names.player, "`by`") if action.by else None
    names.level -= 8
    names.pending.pop()
    parts = [during, *([by] if by is not None else []), *(f for c in checks for f in (c.formula, *c.lifted))]
    parts += [b.domain for b in params or () if isinstance(b.domain, Expr)]
    sound = params is not None and not any(isinstance(p.type, Unknown) for p in parts)
    known: dict[int, tuple[int, int]] = {}
    sizes = [_size(p, known) for p in parts]
    names.spend(len(known))
    weight, height = 5 + sum(w for w, _ in sizes), _UNSEEN + len(params or ()) + max(h for _, h in sizes)
    move = _Move(by, during, params if sound else None, checks, weight, height)
    names.moves[name] = move
    return move


def _size(e: Expr, known: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """How many nodes a formula has when all is written out, and how deep it is; parts that it shares are measured once."""
    if id(e) not in known:
        parts = [_size(c, known) for c in children(e)]
        known[id(e)] = 1 + sum(w for w, _ in parts), 1 + max((h for _, h in parts), default=0)
    return known[id(e)]


def _lifted(check: Check) -> Expr:
    return Op("or", (check.formula, *check.lifted), type=BOOL) if check.lifted else check.formula


def _all(parts: list[Expr]) -> Expr:
    kept = [p for p in parts if not (isinstance(p, Const) and p.value is True)]
    if not kept:
        return Const(True, type=BOOL)
    return kept[0] if len(kept) == 1 else Op("and", tuple(kept), type=BOOL)


__all__ = ["CanEntry", "Type", "can_formula"]
