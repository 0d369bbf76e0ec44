"""Types what makes a move: parameters, checks, draws."""

from __future__ import annotations

import ast
import re
from fractions import Fraction

from tablelaw.spec import types as ty
from tablelaw.spec.core import Agg, Binder, Const, Draw, Expr, Local, Op
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.document import Action, Clause
from tablelaw.spec.expressions import Parsed, parse_formula
from tablelaw.spec.force import Force, under
from tablelaw.spec.formulas import Names, Typer, formula, parse_piece
from tablelaw.spec.game import Check
from tablelaw.spec.types import BOOL, INT, BagOf, Enum, FeatureType, Int, LaidType, ListOf, SetOf, Type, Unknown, told
from tablelaw.spec.typetext import is_type, read_scalar, split_range
from tablelaw.spec.yaml_nodes import Scalar

LARGEST_DRAW = 64
WIDEST_CHOICE = 100_000


def type_params(action: Action, names: Names, sink: Diagnostics) -> tuple[Binder, ...] | None:
    """The parameters of an action in order, each over a type, set or bag (a bag's names once each)."""
    scope: dict[str, Type] = {} if action.by is None else {"actor": names.player}
    found: list[Binder] = []
    ok = True
    for key, scalar in action.params:
        if key.text in names.variables or key.text in scope or key.text in names.constants:
            sink.error("T110", key.span, f"`{key.text}` has a meaning already", help="give the parameter a name of its own")
            ok = False
            continue
        source = _param_domain(scalar, scope, names, sink, f"in action `{action.clause.id}`")
        if source is None:
            scope[key.text] = ty.UNKNOWN
            ok = False
            continue
        found.append(Binder(key.text, source[0], source[1]))
        scope[key.text] = source[1]
    return tuple(found) if ok else None


def _param_domain(
    scalar: Scalar, scope: dict[str, Type], names: Names, sink: Diagnostics, note: str
) -> tuple[Expr | Type, Type] | None:
    text = scalar.text.strip()
    if text not in scope and text not in names.variables and is_type(text, names):
        halves = split_range(text)
        if halves and any(w in scope or w in names.variables for w in re.findall(r"[A-Za-z_]\w*", text)):
            return _range(scalar, scope, names, sink, note)
        kind = read_scalar(scalar, names, sink)
        if kind is None or isinstance(kind, Unknown):
            return None
        n = ty.cardinality(kind)
        if n is None or n > WIDEST_CHOICE:
            cure = "let the parameter range over a smaller type or a set"
            sink.error("T107", scalar.span, f"`{text}` has too many values for a choice", notes=(note,), help=cure)
            return None
        return kind, kind
    parsed = parse_formula(scalar, sink)
    if parsed is None or parsed.tree is None:
        return None
    found = formula(parsed, names, sink, scope, None, "a parameter", note=note)
    kind = found.type
    if isinstance(kind, (SetOf, ListOf)) and isinstance(kind.elem, (FeatureType, LaidType)):
        cure = "let the parameter range over parts or squares, and ask for the feature or the piece in a check"
        message = f"{told(kind.elem)} is read from a layout, nobody chooses one"
        sink.error("T102", scalar.span, message, notes=(note,), help=cure)
        return None
    if isinstance(kind, (SetOf, ListOf)) or (isinstance(kind, BagOf) and ty.placed(kind.elem)):
        return found, kind.elem
    if isinstance(kind, BagOf):
        body = Op("in", (Local("_item", type=kind.elem), found), type=BOOL)
        binder = Binder("_item", kind.elem, kind.elem, (body,))
        return Agg("set", (binder,), Local("_item", type=kind.elem), type=SetOf(kind.elem), span=scalar.span), kind.elem
    if not isinstance(kind, Unknown):
        sink.error(
            "T102", scalar.span, f"a parameter ranges over a type, set, bag or list; this is {told(kind)}", notes=(note,)
        )
    return None


def _range(
    scalar: Scalar, scope: dict[str, Type], names: Names, sink: Diagnostics, note: str
) -> tuple[Expr | Type, Type] | None:
    """`1..left`: a range whose bounds depend on the position, as the numbers between."""
    halves = split_range(scalar.text)
    assert halves is not None
    bounds: list[Expr] = []
    for piece, at in halves:
        parsed = parse_piece(scalar, at, at + len(piece), sink)
        if parsed is None:
            return None
        bounds.append(formula(parsed, names, sink, scope, INT, "a bound", note=note))
    if any(isinstance(b.type, Unknown) for b in bounds):
        return None
    lo, hi = (b.type if isinstance(b.type, Int) else INT for b in bounds)
    if lo.lo is None or hi.hi is None or hi.hi - lo.lo > WIDEST_CHOICE:
        cure = "let the parameter range over a type and add a check"
        sink.error("T107", scalar.span, "how far this range goes is not known", notes=(note,), help=cure)
        return None
    whole = Int(lo.lo, max(lo.lo, hi.hi))
    item = Local("_item", type=whole)
    test = Op("and", (Op("le", (bounds[0], item), type=BOOL), Op("le", (item, bounds[1]), type=BOOL)), type=BOOL)
    return Agg("set", (Binder("_item", whole, whole, (test,)),), item, type=SetOf(whole), span=scalar.span), whole


def move_scope(params: tuple[Binder, ...], names: Names, table: bool) -> dict[str, Type]:
    """The names that checks, draws and effects of an action may read."""
    scope: dict[str, Type] = {} if table else {"actor": names.player}
    return {**scope, **{b.name: b.type for b in params}}


def type_checks(
    action: Action,
    params: tuple[Binder, ...],
    in_force: Force,
    excepting: dict[str, list[Clause]],
    names: Names,
    sink: Diagnostics,
) -> tuple[Check, ...]:
    """The rules of a move; a check that excepts another is not a rule of its own, it lifts that one."""
    scope = move_scope(params, names, action.by is None)
    found = []
    for clause in action.require:
        if not in_force.get(id(clause), True) or clause.check is None or clause.excepts:
            continue
        note = f"in clause `{clause.id}`"
        rule = formula(clause.check, names, sink, scope, BOOL, "`check`", note=note)
        lifted = _lifting(clause, (clause.id,), scope, in_force, excepting, names, sink)
        rule = under(in_force.get(id(clause), True), rule, True) or rule
        found.append(Check(clause.id, rule, lifted, clause.span))
    return tuple(found)


def _lifting(
    clause: Clause, above: tuple[str, ...], scope: dict[str, Type], in_force: Force,
    excepting: dict[str, list[Clause]], names: Names, sink: Diagnostics,
) -> tuple[Expr, ...]:  # fmt: skip
    """When the clause is lifted: where a clause that excepts it holds and is not lifted itself."""
    found: list[Expr] = []
    for c in excepting.get(clause.id, []):
        if c.check is None or not in_force.get(id(c), True):
            continue
        if c.id in above or len(above) > 10:
            sink.error("R208", c.span, f"`{c.id}` excepts itself", help="the circle is " + " → ".join([*reversed(above), c.id]))
            continue
        rule = formula(c.check, names, sink, scope, BOOL, "`check`", note=f"in clause `{c.id}`")
        outer = _lifting(c, (*above, c.id), scope, in_force, excepting, names, sink)
        if outer:
            rule = Op("and", (rule, *(Op("not", (o,), type=BOOL) for o in outer)), type=BOOL, span=rule.span)
        found.append(under(in_force.get(id(c), True), rule, False) or rule)
    return tuple(found)


def type_draw(name: str, parsed: Parsed, scope: dict[str, Type], names: Names, sink: Diagnostics, note: str) -> Draw | None:
    """One entry of `chance:`."""
    typer = Typer(names, sink, parsed, scope, "rule", note)
    node = parsed.tree
    assert node is not None
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in _DRAWS:
        typer.fail(
            "E104", node, "a draw is `die(…)`, `roll(n, Face)`, `draw(bag)` or `one_of({…})`", help="write for example `die(6)`"
        )
        return None
    kind = node.func.id
    if node.keywords or len(node.args) != (2 if kind == "roll" else 1):
        takes = {"roll": "how many and a type of faces", "die": "a number of sides or a list of faces", "draw": "a bag"}
        example = {"roll": "roll(3, Face)", "die": "die(6)", "draw": "draw(deck)", "one_of": "one_of({heads: 1/2, tails: 1/2})"}
        typer.fail(
            "E104", node, f"`{kind}` takes {takes.get(kind, 'values with their weights')}", help=f"write `{example[kind]}`"
        )
        return None
    return _DRAWS[kind](name, node, typer)


def _roll(name: str, node: ast.Call, typer: Typer) -> Draw | None:
    number = typer.want(node.args[0], INT, "how many are rolled")
    face = typer.type_name(node.args[1])
    if isinstance(number.type, Unknown) or isinstance(face, Unknown):
        return None
    most = ty.cardinality(face) if isinstance(face, (Enum, Int)) else None
    if face is None or most is None or most > 256:
        typer.fail("T102", node.args[1], "`roll` takes a type of at most 256 faces", help="name the faces under `types:`")
        return None
    limit = number.type.hi if isinstance(number.type, Int) else None
    if limit is None or limit > LARGEST_DRAW:
        cure = "keep the number in a variable with a range"
        typer.fail("T107", node.args[0], f"how many are rolled must be known to be at most {LARGEST_DRAW}", help=cure)
        return None
    faces = Const(tuple(ty.domain(face)), type=ListOf(face, most))
    return Draw(name, "roll", BagOf(face, max(limit, 0)), (number, faces), span=typer.place(node))


def _die(name: str, node: ast.Call, typer: Typer) -> Draw | None:
    inner = typer.expr(node.args[0])
    span = typer.place(node)
    if isinstance(inner.type, Unknown):
        return None
    if isinstance(inner, Const) and isinstance(inner.type, Int) and 1 <= inner.value <= 10_000:
        sides = Int(1, inner.value)
        return Draw(
            name, "faces", sides, (Const(tuple(range(1, inner.value + 1)), type=ListOf(sides, inner.value)),), span=span
        )
    if isinstance(inner, Const) and isinstance(inner.type, ListOf) and inner.value:
        return Draw(name, "faces", inner.type.elem, (inner,), span=span)
    typer.fail(
        "T102",
        node.args[0],
        "`die` takes a number of sides from 1 to 10000 or a list of faces, known before play",
        help="write `die(6)` or `die([1, 1, 2, 2, 3, 3])`",
    )
    return None


def _draw(name: str, node: ast.Call, typer: Typer) -> Draw | None:
    inner = typer.expr(node.args[0])
    if isinstance(inner.type, BagOf):
        return Draw(name, "draw", inner.type.elem, (inner,), span=typer.place(node))
    if not isinstance(inner.type, Unknown):
        typer.fail(
            "T102", node.args[0], f"`draw` takes a bag, this is {told(inner.type)}", help="give a bag that has been declared"
        )
    return None


def _one_of(name: str, call: ast.Call, typer: Typer) -> Draw | None:
    node = call.args[0]
    if not isinstance(node, ast.Dict) or not node.keys:
        typer.fail("E104", node, "`one_of` takes values with their weights", help="write `one_of({heads: 1/2, tails: 1/2})`")
        return None
    values: list[Const] = []
    weights: list[Fraction] = []
    kind: Type | None = None
    for key, weight in zip(node.keys, node.values, strict=True):
        assert key is not None
        value, found = typer.expr(key), typer.expr(weight)
        if isinstance(value.type, Unknown) or isinstance(found.type, Unknown):
            return None
        if not isinstance(value, Const):
            typer.fail("T104", key, "the values of `one_of` are known before play", help="use names, numbers and constants")
            return None
        if (
            not isinstance(found, Const)
            or isinstance(found.value, bool)
            or not isinstance(found.value, (int, Fraction))
            or found.value < 0
        ):
            typer.fail("T104", weight, "a weight is a fraction from 0 to 1 known before play", help="write for example `1/2`")
            return None
        joined = value.type if kind is None else ty.join(kind, value.type)
        if joined is None:
            typer.fail(
                "T102",
                key,
                f"{told(value.type)} does not stand beside {told(kind or value.type)}",
                help="the values are of one type",
            )
            return None
        kind = joined
        values.append(value)
        weights.append(Fraction(found.value))
    if sum(weights) != 1 or kind is None:
        typer.fail(
            "T111",
            node,
            f"the weights add up to {sum(weights)}, not 1",
            help="mend the fractions, or add the value that is missing",
        )
        return None
    table = Const(tuple(v.value for v in values), type=ListOf(kind, len(values)))
    shares = Const(tuple(weights), type=ListOf(ty.FRAC, len(weights)))
    return Draw(name, "one_of", kind, (table, shares), span=typer.place(call))


_DRAWS = {"die": _die, "roll": _roll, "draw": _draw, "one_of": _one_of}
