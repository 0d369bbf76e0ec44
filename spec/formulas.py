"""Types every formula: Python's syntax tree in, a `core.Expr` out, each fault told where it stands.

Formulas known before play (options, constants, bounds) are folded here, so that what is left depends on the position.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from tablelaw.spec import types as ty
from tablelaw.spec.board_builtins import board_field
from tablelaw.spec.calls import call
from tablelaw.spec.comprehensions import WIDEST_WALK, lone_comprehension, set_comprehension
from tablelaw.spec.core import Const, Expr, Field, If, Index, Items, Local, Make, Op, Var
from tablelaw.spec.cures import FAULT_CURES, MAY_BE_NONE, cure_of, cure_of_comparison
from tablelaw.spec.diagnostics import Diagnostics, did_you_mean
from tablelaw.spec.document import Definition
from tablelaw.spec.expressions import Parsed, parse_formula
from tablelaw.spec.grid import Cell
from tablelaw.spec.intervals import bounded, cost, interval, too_long, value_type
from tablelaw.spec.names import BUILTINS, LARGEST_BODY, LARGEST_GAME, LAYOUT_BUILTINS, TALLEST, Body, Names, TooLarge
from tablelaw.spec.operators import OPERATORS, Fault
from tablelaw.spec.reckon import Place, value
from tablelaw.spec.source import Span
from tablelaw.spec.types import (
    BOOL,
    FRAC,
    INT,
    NOTHING,
    UNKNOWN,
    BagOf,
    CellType,
    Enum,
    FeatureType,
    Int,
    LaidType,
    LayoutType,
    ListOf,
    MapOf,
    Maybe,
    PartType,
    Record,
    SetOf,
    Type,
    Unknown,
    show,
    told,
)
from tablelaw.spec.values import Map
from tablelaw.spec.yaml_nodes import Scalar

MOST_STATIC = 1_000_000
"""How many steps reading a formula before play may take."""

_BINARY: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.FloorDiv: "floordiv", ast.Mod: "mod",
    ast.BitXor: "xor", ast.BitOr: "union", ast.BitAnd: "meet",
}  # fmt: skip
_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "floordiv": "//", "mod": "%", "xor": "^", "union": "|", "meet": "&",
}  # fmt: skip
_COMPARE: dict[type[ast.cmpop], tuple[str, bool]] = {
    ast.Eq: ("eq", False), ast.NotEq: ("ne", False), ast.Lt: ("lt", False), ast.LtE: ("le", False),
    ast.Gt: ("lt", True), ast.GtE: ("le", True), ast.In: ("in", False), ast.NotIn: ("in", False),
}  # fmt: skip


class Typer:
    """Types the formulas of one text. `inside` says where it stands: static, rule or question."""

    def __init__(
        self, names: Names, sink: Diagnostics, parsed: Parsed, scope: dict[str, Type], inside: str = "rule", note: str = ""
    ) -> None:
        self.names = names
        self.sink = sink
        self.parsed = parsed
        self.scope = dict(scope)
        self.inside = inside
        self.note = note
        self.weight = 0  # nodes, with those of the formulas that are called
        self.depth = 0  # of the node being typed
        self.height = 0  # of the whole, with the formulas that are called
        self.reads = False  # whether it depends on the position

    # telling faults

    def fail(self, code: str, node: ast.AST, message: str, *, label: str = "", help: str | None = None) -> Const:
        """Report a fault, and give a value that causes no others."""
        notes = (self.note,) if self.note else ()
        self.sink.error(code, self.parsed.span(node), message, label=label, notes=notes, help=help)
        return Const(None, type=UNKNOWN, span=self.parsed.span(node))

    def bad(self, node: ast.AST) -> Const:
        """A value in the place of a formula whose fault has been reported."""
        return Const(None, type=UNKNOWN, span=self.parsed.span(node))

    def place(self, node: ast.AST) -> Span:
        """Where the node stands."""
        return self.parsed.span(node)

    # formulas

    def want(self, node: ast.expr, target: Type, what: str) -> Expr:
        """A formula that must fit a type."""
        found = self.expr(node, target)
        if isinstance(found.type, Maybe) and not ty.fits(found.type, target) and ty.fits(found.type.elem, target):
            return self.sure(found, node)
        if not ty.fits(found.type, target):
            return self.fail(
                "T101",
                node,
                f"{what} must be {told(target)}",
                label=f"this is {told(found.type)}",
                help=cure_of(found.type, target),
            )
        return found

    def sure(self, found: Expr, node: ast.AST) -> Expr:
        """A value that may be none where one is needed: none there is a fault of the rules."""
        return self.fold("sure", (found,), found.type.elem, node) if isinstance(found.type, Maybe) else found

    def expr(self, node: ast.expr, hint: Type | None = None) -> Expr:
        """A formula; `hint` is the type that is wanted, where one is."""
        self.weight += 1
        self.names.spend(1)
        self.depth += 1
        self.names.level += 1
        self.height = max(self.height, self.depth)
        method = _METHODS.get(type(node))
        if method is None:
            found: Expr = self.fail("E103", node, "this is not a formula", help="see `tablelaw explain E103`")
        elif self.names.level > TALLEST:
            found = self.fail(
                "E101", node, "formulas are nested too deeply here", help="call fewer definitions inside each other"
            )
        else:
            found = method(self, node, hint)
        self.depth -= 1
        self.names.level -= 1
        return found

    def called(self, node: ast.AST, weight: int, height: int) -> bool:
        """Note that a formula of this weight and height is written out here; false (and told) when it grows too large."""
        self.weight += weight
        self.height = max(self.height, self.depth + height)
        if self.weight > LARGEST_BODY:
            self.fail(
                "E101",
                node,
                "this formula grows too large when all it calls is written out",
                help="define fewer formulas by others",
            )
            self.weight = 0
            return False
        if self.height > TALLEST:
            self.fail("E101", node, "formulas are nested too deeply here", help="call fewer definitions inside each other")
            self.height = 0
            return False
        return True

    def _constant(self, node: ast.Constant, hint: Type | None) -> Expr:
        value = node.value
        span = self.place(node)
        if value is None:
            return Const(None, type=NOTHING, span=span)
        if isinstance(value, bool):
            return Const(value, type=BOOL, span=span)
        if isinstance(value, int):
            if too_long(value):
                return self.fail("T106", node, "this number is too long", help="games count to a few thousand")
            return Const(value, type=Int(value, value), span=span)
        if isinstance(value, str):
            if isinstance(hint, Unknown) or (isinstance(hint, SetOf) and isinstance(hint.elem, Unknown)):
                return self.bad(node)
            if isinstance(hint, Enum) and hint.name.startswith("option "):
                if value in hint.family:
                    return Const(value, type=hint, span=span)
                near = did_you_mean(value, hint.family)
                help = f"did you mean `{near}`?" if near else "one of " + ", ".join(hint.family[:12])
                return self.fail("R206", node, f"`{value}` is not a value of {hint.name}", help=help)
            cure = f"write the bare name `{value}`" if value.isidentifier() else "write the name of a value, unquoted"
            return self.fail("T103", node, "a quoted text stands for a value of an option only", help=cure)
        return self.fail("E103", node, "this is not a number or name of the game", help="use numbers and names")

    def _name(self, node: ast.Name, hint: Type | None) -> Expr:
        name, span, names = node.id, self.place(node), self.names
        if name in self.scope:
            return Local(name, type=self.scope[name], span=span)
        if name in ("true", "false"):
            return Const(name == "true", type=BOOL, span=span)
        if name == "none":
            return Const(None, type=NOTHING, span=span)
        if name == "players":
            return Const(names.players, type=Int(names.players, names.players), span=span)
        if name in names.variables:
            if self.inside == "static":
                cure = "only numbers, constants, `players` and options are known before play"
                return self.fail("T104", node, f"`{name}` changes in play", help=cure)
            self.reads = True
            return Var(name, type=names.variables[name], span=span)
        if name in names.constants:
            known = names.constants[name]
            return Const(known.value, type=known.type, span=span)
        if name in names.enum_names:
            return self._enumerated(node, name, names.enum_names[name], hint)
        if name in names.types or name == "Player":
            return self.fail("T105", node, f"`{name}` is a type, not a value", help=f"write `for x in {name}` or `x in {name}`")
        if name in ("actor", "who"):
            cure = "`actor` is known in the checks, draws and effects of a player's action, and in questions about steps"
            return self.fail(
                "R207", node, f"`{name}` has no meaning here", help=cure if name == "actor" else "`who` is known in `force`"
            )
        return self._unknown(node, name)

    def _enumerated(self, node: ast.Name, name: str, enums: list[Enum], hint: Type | None) -> Expr:
        inner = hint
        while isinstance(inner, Maybe):
            inner = inner.elem
        fitting = enums
        if isinstance(inner, Enum) and name in inner.family:
            fitting = [e for e in enums if e.family == inner.family] or enums
        if len({e.family for e in fitting}) > 1:
            cure = "write " + " or ".join(f"`{e.name}.{name}`" for e in fitting[:3])
            return self.fail("R205", node, f"`{name}` is a name of several types", help=cure)
        return Const(name, type=fitting[0], span=self.place(node))

    def _unknown(self, node: ast.AST, name: str) -> Const:
        names = self.names
        if name in names.faulty:
            return self.bad(node)
        if name in names.absent:
            return self.fail(
                "R204", node, f"`{name}` does not exist here", label=names.absent[name], help="give this the same `only`"
            )
        if name in names.defines or name in BUILTINS:
            return self.fail("R204", node, f"`{name}` is a formula to be called", help=f"write `{name}(…)`")
        if name == "Feature" and names.cell is not None:
            cure = "walk over `features(table, kind)`; `Feature` is the type of an argument under `define:` and `effects:`"
            return self.fail("T105", node, "`Feature` is a type whose values nobody can list", help=cure)
        known = {
            *self.scope,
            *names.variables,
            *names.constants,
            *names.enum_names,
            *names.types,
            *names.defines,
            *names.declared,
            "players",
        }
        near = did_you_mean(name, known)
        cure = f"did you mean `{near}`?" if near else "declare it under `state:`, `constants:` or `types:`"
        return self.fail("R204", node, f"unknown name `{name}`", label="not declared in this game", help=cure)

    def _boolop(self, node: ast.BoolOp, hint: Type | None) -> Expr:
        name = "and" if isinstance(node.op, ast.And) else "or"
        args = [self.want(v, BOOL, f"each side of `{name}`") for v in node.values]
        kept: list[Expr] = []
        for a in args:
            if isinstance(a, Const) and isinstance(a.value, bool):
                if a.value == (name == "or"):
                    if not kept:
                        return Const(a.value, type=BOOL, span=self.place(node))
                    kept.append(a)
                    break
                continue
            kept.append(a)
        if not kept:
            return Const(name == "and", type=BOOL, span=self.place(node))
        return kept[0] if len(kept) == 1 else Op(name, tuple(kept), type=BOOL, span=self.place(node))

    def _unaryop(self, node: ast.UnaryOp, hint: Type | None) -> Expr:
        if isinstance(node.op, ast.Not):
            return self.fold("not", (self.want(node.operand, BOOL, "what follows `not`"),), BOOL, node)
        inner = self.expr(node.operand)
        if isinstance(inner.type, Unknown):
            return inner
        if not isinstance(inner.type, (Int, ty.Frac)):
            return self.fail(
                "T102", node, f"only a number has a sign, this is {told(inner.type)}", help="write `not` before a condition"
            )
        if isinstance(node.op, ast.UAdd):
            return inner
        return self.fold("neg", (inner,), interval("neg", [inner.type]), node)

    def _binop(self, node: ast.BinOp, hint: Type | None) -> Expr:
        op = _BINARY[type(node.op)]
        a, b = self.expr(node.left, hint), self.expr(node.right, hint)
        kinds = (a.type, b.type)
        if any(isinstance(k, Unknown) for k in kinds):
            return self.bad(node)
        numbers = all(isinstance(k, (Int, ty.Frac)) for k in kinds)
        whole = all(isinstance(k, Int) for k in kinds)
        if numbers and op in ("add", "sub", "mul"):
            return self.fold(op, (a, b), interval(op, list(kinds)), node)
        if numbers and op == "div":
            return self.fold(op, (a, b), FRAC, node)
        if whole and op in ("floordiv", "mod", "xor"):
            return self.fold(op, (a, b), interval(op, list(kinds)), node)
        joined = ty.join(*kinds)
        if isinstance(joined, SetOf) and op in ("union", "meet", "sub"):
            return self.fold("minus" if op == "sub" else op, (a, b), joined, node)
        if isinstance(joined, BagOf) and op in ("add", "sub"):
            limits = [k.limit if isinstance(k, BagOf) else None for k in kinds]
            known = [x for x in limits if x is not None]
            limit = limits[0] if op == "sub" else sum(known) if len(known) == 2 else None
            return self.fold(op, (a, b), BagOf(joined.elem, limit), node)
        cure = "use values that the operator goes with: numbers, sets, or bags"
        if any(isinstance(k, Maybe) for k in kinds):
            cure = MAY_BE_NONE
        if isinstance(joined, SetOf):
            cure = "sets know `|` (both together), `&` (what both hold) and `-`"
        elif isinstance(kinds[0], (SetOf, BagOf)) and ty.join(kinds[0].elem, kinds[1]) is not None:
            cure = (
                "a set of one is written `{x}`"
                if isinstance(kinds[0], SetOf)
                else "elements are added to a bag by `+=` in a `do`"
            )
        return self.fail("T102", node, f"`{_SIGNS[op]}` does not go with {told(a.type)} and {told(b.type)}", help=cure)

    def _ifexp(self, node: ast.IfExp, hint: Type | None) -> Expr:
        test = self.want(node.test, BOOL, "the condition after `if`")
        if isinstance(test, Const) and isinstance(test.value, bool):
            return self.expr(node.body if test.value else node.orelse, hint)
        yes, no = self.expr(node.body, hint), self.expr(node.orelse, hint)
        joined = ty.join(yes.type, no.type)
        if joined is None:
            return self.fail(
                "T102",
                node,
                f"one side is {told(yes.type)}, the other {told(no.type)}",
                help="both sides of `if … else` are of one type",
            )
        return If(test, yes, no, type=joined, span=self.place(node))

    def _compare(self, node: ast.Compare, hint: Type | None) -> Expr:
        parts: list[Expr] = []
        left = node.left
        for op, right in zip(node.ops, node.comparators, strict=True):
            parts.append(self._one_comparison(left, op, right, node))
            left = right
        if len(parts) == 1:
            return parts[0]
        return self.fold("and", tuple(parts), BOOL, node)

    def _one_comparison(self, left: ast.expr, op: ast.cmpop, right: ast.expr, node: ast.Compare) -> Expr:
        name, swap = _COMPARE[type(op)]
        if name == "in":
            return self._membership(left, isinstance(op, ast.NotIn), right, node)
        if self._needs_hint(left):
            b = self.expr(right)
            a = self.expr(left, b.type)
        else:
            a = self.expr(left)
            b = self.expr(right, a.type)
        if isinstance(a.type, Unknown) or isinstance(b.type, Unknown):
            return self.bad(node)
        joined = ty.join(a.type, b.type)
        if joined is None:
            return self.fail(
                "T102",
                node,
                f"{told(a.type)} is compared with {told(b.type)}",
                label="these are never equal",
                help=cure_of_comparison(a.type, b.type),
            )
        if name in ("lt", "le") and not isinstance(joined, (Int, ty.Frac, SetOf, BagOf)):
            cure = MAY_BE_NONE if isinstance(joined, Maybe) and isinstance(joined.elem, Int) else "compare with `==`"
            return self.fail("T102", node, f"{told(joined)} has no order", help=cure)
        return self.fold(name, (b, a) if swap else (a, b), BOOL, node)

    def _needs_hint(self, node: ast.expr) -> bool:
        """Whether the other side says what this one means: a name of a type, or a quoted text."""
        if isinstance(node, ast.Name):
            n = self.names
            return not (node.id in self.scope or node.id in n.variables or node.id in n.constants) and node.id in n.enum_names
        return isinstance(node, ast.Constant) and isinstance(node.value, str)

    def _membership(self, left: ast.expr, negated: bool, right: ast.expr, node: ast.Compare) -> Expr:
        named = self.type_name(right)
        if named is not None:
            a = self.expr(left, named)
            if isinstance(a.type, Unknown) or isinstance(named, Unknown):
                return self.bad(node)
            if ty.join(a.type, named) is None:
                return self.fail("T102", node, f"{told(a.type)} is never in {told(named)}", help="look for values of one type")
            found = self.within(a, named, right)
        else:
            found = self._in_collection(left, right, node)
        return self.fold("not", (found,), BOOL, node) if negated else found

    def _in_collection(self, left: ast.expr, right: ast.expr, node: ast.Compare) -> Expr:
        if isinstance(right, (ast.Set, ast.Tuple, ast.List)):
            a = self.expr(left)
            items = self.expr(right, SetOf(a.type))
        else:
            items = self.expr(right)
            a = self.expr(left, getattr(items.type, "elem", None))
        if isinstance(a.type, Unknown) or isinstance(items.type, Unknown):
            return self.bad(node)
        if isinstance(items.type, MapOf) and isinstance(items, Const):
            items = Const(frozenset(items.value), type=SetOf(items.type.key), span=items.span)
        if isinstance(items.type, FeatureType):
            if isinstance(a.type, PartType):
                return Op("in", (a, items), type=BOOL, span=self.place(node))
            return self.fail(
                "T102", node, f"{told(a.type)} is no part of a feature", help="write `part(cell, kind, side) in f`"
            )
        if not isinstance(items.type, (SetOf, BagOf, ListOf, LayoutType)):
            return self.fail(
                "T102",
                node,
                f"`in` looks into a set, bag, list, layout or type; this is {told(items.type)}",
                help="name a set, bag, list or type",
            )
        if ty.join(a.type, items.type.elem) is None:
            return self.fail("T102", node, f"{told(a.type)} is never in {told(items.type)}", help="look for values of one type")
        return self.fold("in", (a, items), BOOL, node)

    def within(self, a: Expr, kind: Type, node: ast.AST) -> Expr:
        """Is the value one of the type's?"""
        span = self.place(node)
        if isinstance(kind, Int) and isinstance(a.type, Int) and kind.lo is not None and kind.hi is not None:
            low = self.fold("le", (Const(kind.lo, type=Int(kind.lo, kind.lo), span=span), a), BOOL, node)
            high = self.fold("le", (a, Const(kind.hi, type=Int(kind.hi, kind.hi), span=span)), BOOL, node)
            return self.fold("and", (low, high), BOOL, node)
        n = ty.cardinality(kind)
        if n is None or n > WIDEST_WALK:
            return self.fail(
                "T107", node, f"`{show(kind)}` has too many values to be looked through", help="look into a smaller type"
            )
        self.names.spend(n // 20)
        return self.fold("in", (a, Const(frozenset(ty.domain(kind)), type=SetOf(kind), span=span)), BOOL, node)

    def type_name(self, node: ast.expr) -> Type | None:
        """The type that a bare name stands for, if it stands for one."""
        if isinstance(node, ast.Name) and node.id not in self.scope:
            if node.id == "Player":
                return self.names.player
            if node.id == "bool":
                return BOOL
            found = self.names.types.get(node.id)
            known = node.id in self.names.variables or node.id in self.names.constants
            return UNKNOWN if found is None and node.id in self.names.faulty and not known else found
        return None

    def fold(self, op: str, args: tuple[Expr, ...], kind: Type, node: ast.AST) -> Expr:
        """An operator applied; its value where all it takes is known before play."""
        span = self.place(node)
        if any(isinstance(a.type, Unknown) for a in args):
            return Const(None, type=UNKNOWN, span=span)
        if all(isinstance(a, Const) for a in args) and op in OPERATORS:
            try:
                value = OPERATORS[op](*[a.value for a in args if isinstance(a, Const)])
            except Fault as fault:
                return self.fail("T106", node, fault.message, help=FAULT_CURES.get(fault.kind, "mend the numbers"))
            except TypeError:
                return self.fail("T102", node, "this operator does not go with these values", help="use values of one type")
            if too_long(value):
                return self.fail("T106", node, "this number is too long", help="games count to a few thousand")
            return Const(value, type=value_type(value, kind), span=span)
        if op == "and" and all(isinstance(a, Const) for a in args):
            return Const(all(a.value for a in args if isinstance(a, Const)), type=BOOL, span=span)
        return Op(op, args, type=kind, span=span)

    # parts of values

    def _attribute(self, node: ast.Attribute, hint: Type | None) -> Expr:
        if isinstance(node.value, ast.Name) and node.value.id not in self.scope:
            named = self.names.types.get(node.value.id)
            if isinstance(named, Enum):
                if node.attr in named.values:
                    return Const(node.attr, type=named, span=self.place(node))
                near = did_you_mean(node.attr, named.values)
                cure = f"did you mean `{near}`?" if near else "see its names under `types:`"
                return self.fail("R204", node, f"type `{node.value.id}` has no name `{node.attr}`", help=cure)
        base = self.expr(node.value)
        kind = base.type.elem if isinstance(base.type, Maybe) else base.type
        if isinstance(kind, Unknown):
            return self.bad(node)
        if isinstance(kind, Record):
            found = kind.field_type(node.attr)
            if found is not None:
                return Field(base, node.attr, type=found, span=self.place(node))
            near = did_you_mean(node.attr, [n for n, _ in kind.fields])
            cure = f"did you mean `{near}`?" if near else "its fields are " + ", ".join(f"`{n}`" for n, _ in kind.fields[:12])
            return self.fail("R204", node, f"{told(kind)} has no field `{node.attr}`", help=cure)
        if isinstance(kind, Enum):
            tables = self.names.attributes.get(kind.family, {})
            table = tables.get(node.attr)
            if table is not None:
                items = Const(table[1], type=MapOf(kind, table[0]), span=self.place(node))
                return self._index_of(items, self.sure(base, node), table[0], node)
            near = did_you_mean(node.attr, tables)
            cure = f"did you mean `{near}`?" if near else f"the names of {told(kind)} say no `{node.attr}` under `types:`"
            return self.fail("R204", node, f"{told(kind)} has no `.{node.attr}`", help=cure)
        found_field = board_field(self, base, kind, node)
        if found_field is not None:
            return found_field
        return self.fail(
            "R204", node, f"{told(kind)} has no `.{node.attr}`", help="records have fields, names of a type have attributes"
        )

    def _subscript(self, node: ast.Subscript, hint: Type | None) -> Expr:
        base = self.expr(node.value)
        kind = base.type
        if isinstance(kind, Unknown):
            self.expr(node.slice)
            return self.bad(node)
        keyed = kind.key if isinstance(kind, MapOf) else kind.elem if isinstance(kind, BagOf) else None
        if isinstance(node.slice, ast.Tuple) and isinstance(kind, (MapOf, ListOf, BagOf)) and not isinstance(keyed, CellType):
            return self.fail(
                "T102", node.slice, "one key stands in brackets at a time", help="write `board[a][b]` for a map of maps"
            )
        if isinstance(kind, MapOf):
            return self._index_of(base, self.want(node.slice, kind.key, "what stands in brackets"), kind.value, node)
        if isinstance(kind, ListOf):
            return self._index_of(base, self.want(node.slice, INT, "what stands in brackets"), kind.elem, node)
        if isinstance(kind, LayoutType):
            key = self.want(node.slice, kind.cell, "what stands in brackets")
            return (
                self.bad(node)
                if isinstance(key.type, Unknown)
                else Index(base, key, type=LaidType(kind), span=self.place(node))
            )
        if isinstance(kind, BagOf):
            return self._index_of(
                base, self.want(node.slice, kind.elem, "what stands in brackets"), bounded(0, kind.limit), node
            )
        return self.fail("T102", node, f"{told(kind)} has no items", help="only maps, bags and lists are indexed")

    def _index_of(self, base: Expr, key: Expr, kind: Type, node: ast.AST) -> Expr:
        if isinstance(key.type, Unknown):
            return self.bad(node)
        if isinstance(base, Const) and isinstance(key, Const) and isinstance(base.type, (MapOf, ListOf)):
            if isinstance(base.value, Map) and key.value in base.value:
                return Const(base.value[key.value], type=value_type(base.value[key.value], kind), span=self.place(node))
            if isinstance(base.value, tuple) and isinstance(key.value, int) and 0 <= key.value < len(base.value):
                return Const(base.value[key.value], type=value_type(base.value[key.value], kind), span=self.place(node))
            shown = "none" if key.value is None else str(key.value)
            cure = "use a key that is there"
            if isinstance(base.value, tuple):
                cure = f"the list has the items 0 to {len(base.value) - 1}" if base.value else "the list is empty"
            return self.fail("T106", node, f"there is no item {shown} here", help=cure)
        return Index(base, key, type=kind, span=self.place(node))

    def _display(self, node: ast.expr, hint: Type | None) -> Expr:
        assert isinstance(node, (ast.Set, ast.Tuple, ast.List))
        inner = hint.elem if isinstance(hint, Maybe) else hint
        if isinstance(node, ast.Tuple) and self.names.cell is not None and not isinstance(inner, (SetOf, BagOf, ListOf)):
            return self._cell(node, self.names.cell)
        want = getattr(hint, "elem", None)
        items = [self.expr(e, want) for e in node.elts]
        kind: Type = NOTHING if not items else items[0].type
        for item, place in zip(items[1:], node.elts[1:], strict=True):
            joined = ty.join(kind, item.type)
            if joined is None:
                return self.fail(
                    "T102",
                    place,
                    f"{told(item.type)} does not stand beside {told(kind)}",
                    help="the elements of a set are of one type",
                )
            kind = joined
        if any(isinstance(i.type, Unknown) for i in items):
            return self.bad(node)
        if all(isinstance(i, Const) for i in items):
            values = [i.value for i in items if isinstance(i, Const)]
            if isinstance(node, ast.List):
                return Const(tuple(values), type=ListOf(kind, len(values)), span=self.place(node))
            return Const(frozenset(values), type=SetOf(kind), span=self.place(node))
        return Items(tuple(items), type=SetOf(kind), span=self.place(node))

    def _cell(self, node: ast.Tuple, kind: CellType) -> Expr:
        """`(x, y)`, a square."""
        if len(node.elts) != 2:
            return self.fail("T102", node, "a square is written as two numbers", help="write `(x, y)`: x east, y south")
        parts = tuple(self.want(e, INT, "a coordinate") for e in node.elts)
        if any(isinstance(p.type, Unknown) for p in parts):
            return self.bad(node)
        if all(isinstance(p, Const) for p in parts):
            return Const(Cell(*(p.value for p in parts if isinstance(p, Const))), type=kind, span=self.place(node))
        return Make(parts, type=kind, span=self.place(node))

    def _dict(self, node: ast.Dict, hint: Type | None) -> Expr:
        if node.keys:
            return self.fail(
                "E103",
                node,
                "a map is not built in a formula",
                help="name it under `constants:`; `one_of({…})` stands in `chance:`",
            )
        return Const(frozenset(), type=SetOf(NOTHING), span=self.place(node))


_METHODS: dict[type[ast.expr], Callable[..., Expr]] = {
    ast.Constant: Typer._constant,
    ast.Name: Typer._name,
    ast.BoolOp: Typer._boolop,
    ast.UnaryOp: Typer._unaryop,
    ast.BinOp: Typer._binop,
    ast.IfExp: Typer._ifexp,
    ast.Compare: Typer._compare,
    ast.Attribute: Typer._attribute,
    ast.Subscript: Typer._subscript,
    ast.Set: Typer._display,
    ast.Tuple: Typer._display,
    ast.List: Typer._display,
    ast.Dict: Typer._dict,
    ast.SetComp: set_comprehension,
    ast.GeneratorExp: lone_comprehension,
    ast.Call: call,
}


def type_definition(definition: Definition, names: Names, sink: Diagnostics, inside: str) -> Body:
    """Type the body of a `define:` entry once; of type `Unknown` when it has a fault."""
    from tablelaw.spec.typetext import read_parameters

    assert definition.formula is not None
    assert definition.formula.tree is not None
    scope = read_parameters(definition, names, sink)
    if scope is None:
        params = tuple(p[0] for p in definition.params)
        return Body(params, tuple(UNKNOWN for _ in params), Const(None, type=UNKNOWN))
    typer = Typer(names, sink, definition.formula, scope, inside, f"in `{definition.name}`")
    formula = typer.expr(definition.formula.tree)
    return Body(tuple(scope), tuple(scope.values()), formula, typer.weight, typer.height, typer.reads)


def formula(
    parsed: Parsed,
    names: Names,
    sink: Diagnostics,
    scope: dict[str, Type],
    target: Type | None,
    what: str,
    inside: str = "rule",
    note: str = "",
) -> Expr:
    """Type a whole parsed formula, against a target type when one is given."""
    typer = Typer(names, sink, parsed, scope, inside, note)
    assert parsed.tree is not None
    if inside != "question":
        return typer.expr(parsed.tree) if target is None else typer.want(parsed.tree, target, what)
    limit, names.limit = names.limit, LARGEST_GAME  # each question stands for itself; a game is typed as a whole
    names.spent, names.level = 0, 0
    try:
        return typer.expr(parsed.tree) if target is None else typer.want(parsed.tree, target, what)
    except TooLarge:
        message = "this formula grows too large when all it calls is written out"
        return typer.fail("E101", parsed.tree, message, help="define fewer formulas by others")
    finally:
        names.limit = limit


def static_value(parsed: Parsed, names: Names, sink: Diagnostics, what: str, hint: Type | None = None) -> Const | None:
    """The value of a formula that is known before play."""
    typer = Typer(names, sink, parsed, {}, "static")
    assert parsed.tree is not None
    found = typer.expr(parsed.tree, hint)
    if isinstance(found.type, Unknown):
        return None
    if isinstance(found, Const):
        return found
    work = cost(found)
    if work > MOST_STATIC:
        typer.fail(
            "T107",
            parsed.tree,
            "this takes too long to be reckoned before play",
            help="walk over smaller types, or write the value",
        )
        return None
    names.spend(work // 5)
    try:
        known = value(found, Place({}, names.players))
    except Fault as fault:
        sink.error("T106", parsed.scalar.span, fault.message, help=FAULT_CURES.get(fault.kind, "mend the numbers"))
        return None
    if too_long(known):
        typer.fail("T106", parsed.tree, "this number is too long", help="games count to a few thousand")
        return None
    return Const(known, type=value_type(known, found.type), span=found.span)


def parse_piece(scalar: Scalar, start: int, end: int, sink: Diagnostics) -> Parsed | None:
    """Parse a formula that is a piece of a larger text."""
    piece = Scalar(scalar.text[start:end], scalar.style, scalar.place(start, end), scalar.offsets[start : end + 1])
    return parse_formula(piece, sink)


__all__ = [
    "BUILTINS",
    "LARGEST_BODY",
    "LAYOUT_BUILTINS",
    "Names",
    "Typer",
    "formula",
    "parse_piece",
    "static_value",
    "type_definition",
]
