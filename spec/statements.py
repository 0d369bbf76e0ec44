"""Types the effects of a `do`: statements in, `core.Effect`s out; called lists of clauses are put in place."""

from __future__ import annotations

import ast

from tablelaw.spec import types as ty
from tablelaw.spec.calls import arguments
from tablelaw.spec.comprehensions import collection
from tablelaw.spec.core import Assign, Bind, Branch, Const, Effect, Expr, Field, Fire, Index, Items, Loop, Op, Var
from tablelaw.spec.diagnostics import Diagnostics, did_you_mean
from tablelaw.spec.document import Clause, Definition
from tablelaw.spec.expressions import Parsed
from tablelaw.spec.force import Force, under
from tablelaw.spec.formulas import Typer, formula
from tablelaw.spec.intervals import bounded
from tablelaw.spec.names import Names
from tablelaw.spec.source import Span
from tablelaw.spec.types import BOOL, BagOf, Int, MapOf, Maybe, Record, SetOf, Type, Unknown, told
from tablelaw.spec.typetext import read_parameters

LARGEST = 40_000
"""How much the effects of one action may be, in nodes, when all they call is written out."""
DEEPEST = 60
"""How deeply statements may be nested, through the lists of clauses that they call."""

_SIGNS = {"add": "+", "sub": "-", "mul": "*", "floordiv": "//", "mod": "%"}
_AUGMENTED: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.FloorDiv: "floordiv",
    ast.Mod: "mod",
}


class Effects:
    """Types clauses of effect for one game; keeps the called lists so that circles and growth are seen."""

    def __init__(
        self,
        names: Names,
        effects: dict[str, Definition],
        in_force: Force,
        initial: dict[str, Expr],
        sink: Diagnostics,
    ) -> None:
        self.names = names
        self.effects = effects
        self.in_force = in_force
        self.initial = initial
        self.sink = sink
        self.calling: list[str] = []
        self.weight = 0
        self.start = names.spent
        self.depth = 0
        self.too_large = False

    def clauses(self, clauses: tuple[Clause, ...], scope: dict[str, Type], note: str) -> tuple[Effect, ...]:
        """A `Fire` for each clause in force."""
        found: list[Effect] = []
        for clause in clauses:
            if not self.in_force.get(id(clause), True):
                continue
            mine = note if clause.plain else f"in clause `{clause.id}`"
            when = formula(clause.when, self.names, self.sink, scope, BOOL, "`when`", note=mine) if clause.when else None
            when = under(self.in_force.get(id(clause), True), when, False)
            body = self.body(clause.do, scope, mine) if clause.do else ()
            found.append(Fire(clause.id, when, body, span=clause.span))
        return tuple(found)

    def body(self, parsed: Parsed, scope: dict[str, Type], note: str) -> tuple[Effect, ...]:
        """The statements of one `do`."""
        typer = Typer(self.names, self.sink, parsed, scope, "rule", note)
        found = self._statements(list(parsed.body), typer)
        self.weight += typer.weight
        return found

    def _statements(self, body: list[ast.stmt], typer: Typer) -> tuple[Effect, ...]:
        found: list[Effect] = []
        if self.depth >= DEEPEST and body:
            typer.fail(
                "E101",
                body[0],
                "statements are nested too deeply here",
                help="name the inner part under `effects:` and call fewer lists",
            )
            return ()
        self.depth += 1
        for stmt in body:
            self.names.spend(1)
            found.extend(self._statement(stmt, typer))
        self.depth -= 1
        return tuple(found)

    def _statement(self, stmt: ast.stmt, typer: Typer) -> list[Effect]:
        span = typer.parsed.span(stmt)
        match stmt:
            case ast.Assign(targets=[target], value=value):
                return self._assign(target, None, value, typer, stmt)
            case ast.Assign():
                typer.fail("E103", stmt, "one variable is assigned at a time", help="write two lines")
                return []
            case ast.AugAssign(target=target, op=op, value=value):
                if type(op) not in _AUGMENTED:
                    typer.fail("E103", stmt, "this is not an effect", help="effects know `+=`, `-=`, `*=`, `//=` and `%=`")
                    return []
                return self._assign(target, _AUGMENTED[type(op)], value, typer, stmt)
            case ast.If(test=test, body=yes, orelse=no):
                condition = typer.want(test, BOOL, "the condition after `if`")
                return [Branch(condition, self._statements(yes, typer), self._statements(no, typer), span=span)]
            case ast.For(target=ast.Name(id=name), iter=domain, body=body):
                outer = dict(typer.scope)
                source = collection(typer, domain)
                if source is None:
                    return []
                typer.scope[name] = source[1]
                inner = self._statements(body, typer)
                typer.scope = outer
                return [Loop(name, source[0], source[1], inner, span=span)]
            case ast.Expr(value=ast.Call(func=ast.Name(id=name)) as call):
                return self._call(name, call, typer)
            case ast.Pass():
                return []
            case ast.For(target=target):
                typer.fail("E103", target, "one name is bound at a time", help="use two `for`")
                return []
            case ast.Expr(value=ast.Compare(ops=[ast.Eq()])):
                typer.fail("E103", stmt, "this compares and changes nothing", help="assign with `=`")
                return []
        typer.fail(
            "E103", stmt, "this is not an effect", help="an effect assigns to a variable, or calls a list under `effects:`"
        )
        return []

    def _call(self, name: str, call: ast.Call, typer: Typer) -> list[Effect]:
        span = typer.parsed.span(call)
        if name == "reset":
            return self._reset(call, typer)
        definition = self.effects.get(name)
        if definition is None:
            near = did_you_mean(name, [*self.effects, "reset"])
            typer.fail(
                "R204",
                call,
                f"no list of clauses is called `{name}`",
                help=f"did you mean `{near}`?" if near else "name it under `effects:`",
            )
            return []
        if name in self.calling:
            circle = [*self.calling[self.calling.index(name) :], name]
            typer.fail("R208", call, f"`{name}` calls itself", help="the circle is " + " → ".join(circle))
            return []
        self.names.spend(4)
        if self.weight + self.names.spent - self.start > LARGEST:
            if not self.too_large:
                cure = "call fewer lists of clauses inside each other"
                typer.fail(
                    "E101", call, "the effects of this action grow too large when all they call is written out", help=cure
                )
            self.too_large = True
            return []
        scope = read_parameters(definition, self.names, self.sink)
        if scope is None:
            return []
        names = tuple(scope)
        given = arguments(typer, call, name, names, tuple(scope.values()))
        if given is None:
            return []
        self.calling.append(name)
        if "actor" in typer.scope:
            scope = {**scope, "actor": typer.scope["actor"]}
        body = self.clauses(definition.clauses, scope, f"in `{name}`")
        self.calling.pop()
        return [Bind(names, tuple(given[n] for n in names), body, span=span)]

    def _reset(self, call: ast.Call, typer: Typer) -> list[Effect]:
        found: list[Effect] = []
        if call.keywords or not call.args:
            typer.fail("E104", call, "`reset` takes names of variables", help="write for example `reset(pot, kept)`")
        for arg in call.args:
            if not isinstance(arg, ast.Name) or arg.id not in self.names.variables:
                if isinstance(arg, ast.Name) and arg.id in self.names.faulty:
                    continue
                near = did_you_mean(arg.id, self.names.variables) if isinstance(arg, ast.Name) else None
                typer.fail(
                    "R204",
                    arg,
                    "`reset` takes names of variables",
                    help=f"did you mean `{near}`?" if near else "see what is declared",
                )
                continue
            start = self.initial.get(arg.id)
            if start is None and isinstance(self.names.variables[arg.id], Unknown):
                continue
            if start is None and arg.id in self.names.faulty:
                continue
            if start is None:
                typer.fail(
                    "T109", arg, f"`{arg.id}` has several starts, so it cannot be reset", help="assign the value that is meant"
                )
                continue
            found.append(Assign(arg.id, (), start, span=typer.parsed.span(arg)))
        return found

    def _assign(self, target: ast.expr, op: str | None, value: ast.expr, typer: Typer, stmt: ast.stmt) -> list[Effect]:
        path: list[ast.expr | str] = []
        node = target
        while isinstance(node, (ast.Subscript, ast.Attribute)):
            path.insert(0, node.slice if isinstance(node, ast.Subscript) else node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            typer.fail(
                "E103",
                target,
                "only a variable is assigned",
                help="the variable, its items and its fields, as in `score[turn] = 0`",
            )
            return []
        name = node.id
        if name in self.names.faulty and name not in typer.scope and name not in self.names.variables:
            return []
        if name in self.names.absent and name not in typer.scope and name not in self.names.variables:
            typer.fail(
                "R204", node, f"`{name}` does not exist here", label=self.names.absent[name], help="give this the same `only`"
            )
            return []
        if name in self.names.constants and name not in typer.scope:
            typer.fail("T110", node, f"`{name}` is a constant; it is not assigned", help="assign to a variable of `state:`")
            return []
        if name not in self.names.variables or name in typer.scope:
            if name in typer.scope:
                typer.fail(
                    "T110", node, f"`{name}` is chosen or drawn; it is not assigned", help="assign to a variable of `state:`"
                )
                return []
            near = did_you_mean(name, self.names.variables)
            typer.fail(
                "R204",
                node,
                f"unknown variable `{name}`",
                label="not declared under `state:`",
                help=f"did you mean `{near}`?" if near else "declare it under `state:`",
            )
            return []
        base: Expr = Var(name, type=self.names.variables[name], span=typer.parsed.span(node))
        keys: list[Expr | str] = []
        for step in path:
            found = self._step(base, step, typer, target)
            if found is None:
                return []
            base, key = found
            keys.append(key)
        kind = base.type
        span = typer.parsed.span(stmt)
        if op is None:
            return [Assign(name, tuple(keys), typer.want(value, kind, f"what `{name}` becomes"), span=span)]
        return self._augmented(name, tuple(keys), base, op, value, typer, stmt)

    def _step(self, base: Expr, step: ast.expr | str, typer: Typer, target: ast.expr) -> tuple[Expr, Expr | str] | None:
        kind = base.type
        span = typer.parsed.span(target)
        if isinstance(step, str):
            inner = kind.elem if isinstance(kind, Maybe) else kind
            field = inner.field_type(step) if isinstance(inner, Record) else None
            if field is None:
                if not isinstance(kind, Unknown):
                    near = did_you_mean(step, [n for n, _ in inner.fields]) if isinstance(inner, Record) else None
                    typer.fail(
                        "R204", target, f"{told(kind)} has no field `{step}`", help=f"did you mean `{near}`?" if near else None
                    )
                return None
            return Field(base, step, type=field, span=span), step
        if isinstance(step, ast.Tuple) and isinstance(kind, (MapOf, BagOf, ty.ListOf)):
            typer.fail("T102", step, "one key stands in brackets at a time", help="write `board[a][b]` for a map of maps")
            return None
        if isinstance(kind, MapOf):
            key = typer.want(step, kind.key, "what stands in brackets")
            return Index(base, key, type=kind.value, span=span), key
        if isinstance(kind, BagOf):
            key = typer.want(step, kind.elem, "what stands in brackets")
            return Index(base, key, type=bounded(0, kind.limit), span=span), key
        if isinstance(kind, ty.ListOf):
            key = typer.want(step, ty.INT, "what stands in brackets")
            return Index(base, key, type=kind.elem, span=span), key
        if not isinstance(kind, Unknown):
            typer.fail("T102", target, f"{told(kind)} has no items", help="only maps, bags and lists are indexed")
        return None

    def _augmented(
        self, name: str, keys: tuple[Expr | str, ...], base: Expr, op: str, value: ast.expr, typer: Typer, stmt: ast.stmt
    ) -> list[Effect]:
        kind, span = base.type, typer.parsed.span(stmt)
        if isinstance(kind, Unknown):
            return []
        if isinstance(kind, (Int, ty.Frac)):
            amount = typer.want(value, ty.INT, f"what `{name}` changes by")
            return [Assign(name, keys, Op(op, (base, amount), type=ty.INT, span=span), span=span)]
        if op not in ("add", "sub") or not isinstance(kind, (SetOf, BagOf, ty.ListOf)):
            cure = (
                "sets and bags know `+=` and `-=`"
                if isinstance(kind, (SetOf, BagOf, ty.ListOf))
                else "assign the new value with `=`"
            )
            typer.fail("T102", stmt, f"`{_SIGNS[op]}=` does not go with {told(kind)}", help=cure)
            return []
        amount = typer.expr(value, kind.elem)
        if isinstance(amount.type, Unknown):
            return []
        if isinstance(amount.type, Maybe) and not ty.fits(amount.type, kind.elem):
            amount = typer.sure(amount, value)
        if isinstance(kind, ty.ListOf):
            if op == "sub" or not ty.fits(amount.type, kind.elem):
                cure = "items are not taken out of a list" if op == "sub" else f"write one {told(kind.elem)} after `+=`"
                typer.fail("T102", stmt, f"`+=` adds {told(kind.elem)} at the end of this list", help=cure)
                return []
            return [Assign(name, keys, Op("append", (base, amount), type=kind, span=span), span=span)]
        several = isinstance(amount.type, type(kind)) and not isinstance(kind.elem, type(kind))
        if not ty.fits(amount.type, kind if several else kind.elem):
            typer.fail(
                "T102",
                stmt,
                f"{told(amount.type)} is neither an element of {told(kind)} nor such a collection",
                help="add or take elements of that type",
            )
            return []
        if isinstance(kind, BagOf) and not several:
            return [
                Assign(
                    name,
                    (*keys, amount),
                    Op(op, (Index(base, amount, type=Int(0, kind.limit), span=span), _one(span)), type=ty.INT, span=span),
                    span=span,
                )
            ]
        if several:
            words = {"add": "union", "sub": "minus"} if isinstance(kind, SetOf) else {"add": "add", "sub": "sub"}
            return [Assign(name, keys, Op(words[op], (base, amount), type=kind, span=span), span=span)]
        single = Items((amount,), type=SetOf(amount.type), span=span)
        return [Assign(name, keys, Op("union" if op == "add" else "minus", (base, single), type=kind, span=span), span=span)]


def _one(span: Span) -> Expr:
    return Const(1, type=Int(1, 1))
