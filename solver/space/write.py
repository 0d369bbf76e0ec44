"""Writes Python source for a game on values themselves: for boards, whose positions are not rows of whole numbers.

A position is a tuple: the value of each variable, then the counters of what has happened. The text follows the checked
formulas one to one; what can go wrong raises `Fault`, as in the evaluator that tests hold it to.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tablelaw.solver.evaluate import multinomial, put, whole
from tablelaw.solver.shapes import Unlowerable
from tablelaw.spec import types as ty
from tablelaw.spec.core import (
    Agg,
    Assign,
    Bind,
    Binder,
    Branch,
    Call,
    Const,
    Draw,
    Effect,
    Expr,
    Field,
    Fire,
    If,
    Index,
    Items,
    Let,
    Local,
    Loop,
    Make,
    Op,
    Var,
)  # fmt: skip
from tablelaw.spec.features import FIELDS
from tablelaw.spec.game import Action, Game
from tablelaw.spec.grid import Cell, Edge, Part
from tablelaw.spec.layouts import BOARD
from tablelaw.spec.operators import OPERATORS, Fault, item, same, size
from tablelaw.spec.reckon import bag_items, in_order, next_seat
from tablelaw.spec.types import BagOf, Bool, Enum, Int, LayoutType, ListOf, MapOf, Maybe, Record, SetOf, Type
from tablelaw.spec.values import Map, Value

DEEPEST_TEXT = 60
_INFIX = {"add": "+", "sub": "-", "mul": "*", "xor": "^", "lt": "<", "le": "<=", "union": "|", "meet": "&", "minus": "-"}


def copies(bag: Map) -> Iterator[Value]:
    """Each copy in a bag."""
    for k, n in bag.items():
        for _ in range(n):
            yield k


def bag_parts(bag: Map, keys: tuple[Value, ...]) -> frozenset[Map]:
    """Every bag within a bag."""
    ways = itertools.product(*(range(bag.get(k, 0) + 1) for k in keys))
    return frozenset(Map(list(zip(keys, counts, strict=True))) for counts in ways)


def greatest(values: Iterable[Value]) -> Value:
    """`max`, a fault where there is nothing."""
    found = list(values)
    if not found:
        raise Fault("empty", "`max` of nothing has no value")
    return max(found)


def least(values: Iterable[Value]) -> Value:
    """`min`, a fault where there is nothing."""
    found = list(values)
    if not found:
        raise Fault("empty", "`min` of nothing has no value")
    return min(found)


def field_of(owner: Value, name: str) -> Value:
    """A field of what may be nothing."""
    if owner is None:
        raise Fault("none", f"there is no `.{name}` of none")
    return ty.taken(owner, name)


def require(fine: bool, kind: str, message: str) -> None:
    """A fault unless something holds."""
    if not fine:
        raise Fault(kind, message)


_ROLLS: dict[tuple[int, tuple[Value, ...]], tuple[Map, ...]] = {}


def rolls(number: int, faces: tuple[Value, ...], limit: int) -> tuple[Map, ...]:
    """Every bag that so many dice can show."""
    require(0 <= number <= limit, "range", f"{number} dice are rolled")
    found = _ROLLS.get((number, faces))
    if found is None:
        if len(_ROLLS) > 256:
            _ROLLS.clear()
        found = _ROLLS[number, faces] = tuple(ty.bags(list(faces), number, exactly=True))
    return found


_ODDS: dict[tuple[int, tuple[Value, ...]], tuple[tuple[Map, Fraction], ...]] = {}


def rolled_odds(number: int, faces: tuple[Value, ...], limit: int) -> tuple[tuple[Map, Fraction], ...]:
    """Every bag that so many dice can show, with its probability."""
    found = _ODDS.get((number, faces))
    if found is None:
        ways = rolls(number, faces, limit)
        whole = len(faces) ** number
        found = _ODDS[number, faces] = tuple((b, Fraction(multinomial(list(b.values())), whole)) for b in ways)
    return found


def drawn_odds(bag: Map) -> list[tuple[Value, Fraction]]:
    """What may be drawn from a bag, with its probability."""
    whole = sum(bag.values())
    return [(k, Fraction(bag[k], whole)) for k in drawn(bag)]


def ordered(bag: Map, kind: BagOf) -> Iterator[Value]:
    """Each copy in a bag of what holds places of the grid, in declared order."""
    for k, n in bag_items(bag, kind):
        for _ in range(n):
            yield k


def placed_put(bag: Map, key: Value, n: int, kind: BagOf, name: str) -> Map:
    """A bag of what holds places of the grid with another count of one."""
    if not ty.contains(kind.elem, key):
        raise Fault("range", "such a bag holds no place beyond the board")
    new: Map = whole(bag.set(key, n), kind)
    if n < 0 or sum(new.values()) > (kind.limit or 0):
        raise Fault("range", f"`{name}` leaves its range")
    return new


def bag_put(bag: Map, key: Value, n: int, limit: int, name: str) -> Map:
    """A bag with another count of one name."""
    if key not in bag:
        raise Fault("range", f"such a bag holds no {key}")
    new = bag.set(key, n)
    if n < 0 or sum(new.values()) > limit:
        raise Fault("range", f"`{name}` leaves its range")
    return new


def drawn(bag: Map) -> list[Value]:
    """What may be drawn from a bag."""
    require(sum(bag.values()) > 0, "empty", "a draw from an empty bag")
    return [k for k, n in bag.items() if n]


HELPERS: dict[str, Any] = {
    "Map": Map, "Cell": Cell, "Edge": Edge, "Part": Part, "Fault": Fault, "item": item, "same": same, "size": size,
    "copies": copies, "bag_parts": bag_parts, "greatest": greatest, "least": least, "field_of": field_of, "require": require,
    "rolls": rolls, "drawn": drawn, "bag_put": bag_put, "placed_put": placed_put, "ordered": ordered,
    "rolled_odds": rolled_odds, "drawn_odds": drawn_odds, "ONE": Fraction(1), "put": put, "whole": whole,
    "contains": ty.contains, "in_order": in_order, "next_seat": next_seat, **{f"op_{n}": f for n, f in OPERATORS.items()},
    **{f"board_{n}": f for n, f in BOARD.items()},
}  # fmt: skip
"""What the written source may call."""


@dataclass(slots=True)
class Writer:
    """Source of one game. `counters` are the happenings counted, each in a place after the variables."""

    game: Game
    counters: tuple[str, ...] = ()
    most: int = 255
    lines: list[str] = field(default_factory=list)
    constants: dict[str, Any] = field(default_factory=dict)
    keyed: dict[object, str] = field(default_factory=dict)
    number: int = 0
    deep: int = 0
    just_now: bool = False
    """Counters tell whether it happened in the last step."""
    index: dict[str, int] = field(init=False)
    kinds: dict[str, Type] = field(init=False)
    state: Callable[[int], str] = field(init=False)
    now: str = "s"
    complete: set[str] = field(default_factory=set)
    """Draws that are bags with every name counted."""

    def __post_init__(self) -> None:
        self.index = {v.name: i for i, v in enumerate(self.game.variables)}
        self.kinds = {v.name: v.type for v in self.game.variables}
        self.state = lambda i: f"s[{i}]"

    def line(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def fresh(self, name: str) -> str:
        self.number += 1
        return f"{name}_{self.number}"

    def constant(self, value: Any, key: object = None) -> str:
        """A name for a value known before play."""
        if key is not None and key in self.keyed:
            return self.keyed[key]
        name = f"K{len(self.constants)}"
        self.constants[name] = value
        if key is not None:
            self.keyed[key] = name
        return name

    def literal(self, value: Value) -> str:
        if value is None or isinstance(value, (bool, int, str)):
            return repr(value) if not isinstance(value, int) or isinstance(value, bool) or value >= 0 else f"({value})"
        return self.constant(value)

    # formulas

    def expr(self, e: Expr, names: dict[str, str]) -> str:
        """The source of a formula; `names` are the identifiers of the names bound around it."""
        self.deep += 1
        if self.deep > DEEPEST_TEXT:
            raise Unlowerable("the formulas of this game are nested too deeply to be written out")
        try:
            return self._expr(e, names)
        finally:
            self.deep -= 1

    def _expr(self, e: Expr, names: dict[str, str]) -> str:
        match e:
            case Const(value):
                return self.literal(value)
            case Var(name):
                return self.state(self.index[name])
            case Local(name):
                return names[name]
            case Op():
                return self._op(e, names)
            case If(test, yes, no):
                return f"({self.expr(yes, names)} if {self.expr(test, names)} else {self.expr(no, names)})"
            case Index(base, key):
                return self._item(base, self.expr(base, names), self.expr(key, names))
            case Field(base, name):
                return self._field(base, name, names)
            case Make(fields):
                return self._make(e, [self.expr(f, names) for f in fields])
            case Items(items):
                inner = ", ".join(self.expr(i, names) for i in items)
                return f"frozenset(({inner},))"
            case Let(bound, values, body):
                own = {n: self.fresh(n) for n in bound}
                given = ", ".join(self.expr(v, names) for v in values)
                return f"(lambda {', '.join(own.values())}: {self.expr(body, {**names, **own})})({given})"
            case Agg():
                return self._aggregate(e, names)
            case Call():
                return self._call(e, names)
        raise TypeError(e)

    def _op(self, e: Op, names: dict[str, str]) -> str:
        a = [self.expr(x, names) for x in e.args]
        kinds = [x.type for x in e.args]
        if e.op in ("and", "or"):
            return "(" + f" {e.op} ".join(a) + ")"
        if e.op == "not":
            return f"(not {a[0]})"
        if e.op == "neg":
            return f"(-{a[0]})"
        bags = any(isinstance(k, (BagOf, MapOf, Record)) or _holds_bags(k) for k in kinds)
        if e.op in ("eq", "ne"):
            if not bags:
                return f"({a[0]} {'==' if e.op == 'eq' else '!='} {a[1]})"
            return f"same({a[0]}, {a[1]})" if e.op == "eq" else f"(not same({a[0]}, {a[1]}))"
        if e.op == "in":
            if isinstance(kinds[1], BagOf):
                return f"({a[1]}.get({a[0]}, 0) > 0)"
            return f"({a[0]} in {a[1]})"
        whole_numbers = all(isinstance(k, Int) for k in kinds)
        sets = all(isinstance(k, SetOf) for k in kinds)
        if (whole_numbers or sets) and e.op in _INFIX:
            return f"({a[0]} {_INFIX[e.op]} {a[1]})"
        divisor = e.args[1] if len(e.args) > 1 else None
        if whole_numbers and e.op in ("floordiv", "mod") and isinstance(divisor, Const) and divisor.value:
            return f"({a[0]} {'//' if e.op == 'floordiv' else '%'} {a[1]})"
        return f"op_{e.op}({', '.join(a)})"

    def _item(self, base: Expr, owner: str, key: str) -> str:
        kind = base.type
        if isinstance(kind, BagOf):
            return f"{owner}.get({key}, 0)"
        if isinstance(kind, LayoutType):
            return f"{owner}.laid({key})"
        return f"item({owner}, {key})"

    def _field(self, base: Expr, name: str, names: dict[str, str]) -> str:
        owner = self.expr(base, names)
        match base.type:
            case Record():
                return f"{owner}[{name!r}]"
            case ty.CellType() | ty.EdgeType():
                return f"{owner}.{name}"
            case ty.FeatureType():
                return f"{owner}.{name}" if name in FIELDS else f"{owner}.total({name!r})"
            case ty.PartType() if name in ("cell", "kind", "side", "sides"):
                return f"{owner}.{name}"
            case ty.PartType() | ty.LaidType():
                return f"{owner}.read({name!r})"
        return f"field_of({owner}, {name!r})"

    def _make(self, e: Make, parts: list[str]) -> str:
        match e.type:
            case ty.CellType():
                return f"Cell({', '.join(parts)})"
            case ty.EdgeType():
                return f"Edge({', '.join(parts)})"
            case ty.PartType():
                return f"Part({', '.join(parts)})"
            case Record(_, fields):
                return "Map({" + ", ".join(f"{n!r}: {p}" for (n, _), p in zip(fields, parts, strict=True)) + "})"
        raise TypeError(e)

    def visit(self, domain: Expr | Type, names: dict[str, str], ordered: bool = True) -> str:
        """The source of what a `for` walks over."""
        if isinstance(domain, Type):
            n = ty.cardinality(domain)
            if n is None or n > 2_000_000:
                raise Unlowerable(f"{ty.show(domain)} has too many values to walk over")
            if isinstance(domain, Int):
                return f"range({domain.lo}, {domain.hi} + 1)"
            return self.constant(tuple(ty.domain(domain)), ("domain", domain))
        text, kind = self.expr(domain, names), domain.type
        if isinstance(kind, BagOf) and ordered and ty.placed(kind.elem) and not _stored(domain):
            return f"ordered({text}, {self.constant(kind, ('type', kind))})"
        if isinstance(kind, BagOf):
            return f"copies({text})"
        if isinstance(kind, SetOf) and ordered:
            if isinstance(domain, Const):
                return self.constant(tuple(in_order(domain.value, kind)))
            if isinstance(domain, Index) and isinstance(domain.base, Const) and isinstance(domain.base.value, Map):
                found = domain.base.value
                table = self.constant(Map({k: tuple(in_order(v, kind)) for k, v in found.items()}), ("ordered", found))
                return f"item({table}, {self.expr(domain.key, names)})"
            return f"in_order({text}, {self.constant(kind, ('type', kind))})"
        return text

    def _loops(self, binders: tuple[Binder, ...], names: dict[str, str], ordered: bool) -> tuple[str, dict[str, str]]:
        text, names = "", dict(names)
        for b in binders:
            domain = self.visit(b.domain, names, ordered)
            names[b.name] = self.fresh(b.name)
            text += f" for {names[b.name]} in {domain}"
            for test in b.tests:
                text += f" if {self.expr(test, names)}"
        return text, names

    def _aggregate(self, e: Agg, names: dict[str, str]) -> str:
        loops, inner = self._loops(e.binders, names, e.kind in ("any", "all"))
        body = "1" if e.kind == "count" else self.expr(e.body, inner)
        call = {"count": "sum", "set": "frozenset", "max": "greatest", "min": "least"}.get(e.kind, e.kind)
        return f"{call}({body}{loops})"

    def _call(self, e: Call, names: dict[str, str]) -> str:
        match e.name:
            case "old":
                outer = self.state, self.now
                self.state, self.now = (lambda i: f"p[{i}]"), "p"
                text = self.expr(e.args[0], names)
                self.state, self.now = outer
                return text
            case "ended":
                return f"is_ended({self.now})"
            case "winners":
                return f"who_won({self.now})"
            case "times":
                return f"{self.now}[{len(self.game.variables) + self.counters.index(e.subject)}]"
        a = [self.expr(x, names) for x in e.args]
        match e.name:
            case "size":
                return f"size({a[0]})" if isinstance(e.args[0].type, (BagOf, MapOf)) else f"len({a[0]})"
            case "min" | "max":
                return f"{e.name}({', '.join(a)})"
            case "after" | "before":
                way = 1 if e.name == "after" else -1
                if len(a) == 1:
                    return f"(({a[0]} + {way}) % {self.game.players})"
                return f"next_seat({a[0]}, {a[1]}, {self.game.players}, {way})"
            case "parts" if len(a) == 1:
                kind = e.args[0].type
                assert isinstance(kind, BagOf)
                return f"bag_parts({a[0]}, {self.constant(tuple(ty.domain(kind.elem)))})"
        return f"board_{e.name}({', '.join(a)})"

    # effects

    def run(self, effects: tuple[Effect, ...], names: dict[str, str], indent: int) -> None:
        """Statements that take effects into the variables `v0`, `v1`, …"""
        if not effects:
            self.line(indent, "pass")
        for e in effects:
            match e:
                case Assign():
                    self._assign(e, names, indent)
                case Branch(test, yes, no):
                    self.line(indent, f"if {self.expr(test, names)}:")
                    self.run(yes, names, indent + 1)
                    if no:
                        self.line(indent, "else:")
                        self.run(no, names, indent + 1)
                case Loop(name, domain, _, body):
                    own = self.fresh(name)
                    self.line(indent, f"for {own} in list({self.visit(domain, names)}):")
                    self.run(body, {**names, name: own}, indent + 1)
                case Fire(clause, when, body):
                    if when is not None:
                        self.line(indent, f"if {self.expr(when, names)}:")
                    inner = indent + (when is not None)
                    self.happened(clause, inner)
                    self.run(body, names, inner)
                case Bind(bound, values, body):
                    own_names = {n: self.fresh(n) for n in bound}
                    for n, v in zip(bound, values, strict=True):
                        self.line(indent, f"{own_names[n]} = {self.expr(v, names)}")
                    self.run(body, {**names, **own_names}, indent)

    def happened(self, clause: str, indent: int) -> None:
        """What is written where a clause takes effect."""
        if clause in self.counters:
            self.line(indent, f"c{self.counters.index(clause)} = 1")

    def _assign(self, e: Assign, names: dict[str, str], indent: int) -> None:
        kind = self.kinds[e.name]
        target = f"v{self.index[e.name]}"
        value = self.expr(e.value, names)
        what = self.constant(kind, ("type", kind))
        if not e.path:
            drawn_bag = isinstance(e.value, Local) and e.value.type == kind and e.value.name in self.complete
            self.line(
                indent, f"{target} = whole({value}, {what})" if _holds_bags(kind) and not drawn_bag else f"{target} = {value}"
            )
            if not drawn_bag:
                self._check(target, kind, e.value.type, e.name, indent)
            return
        keys = [repr(k) if isinstance(k, str) else self.expr(k, names) for k in e.path]
        if len(keys) == 1 and isinstance(kind, MapOf) and isinstance(kind.value, (Bool, Int, Enum)):
            key, new = self.fresh("key"), self.fresh("new")
            self.line(indent, f"{key} = {keys[0]}; {new} = {value}")
            self.line(indent, f"if {key} not in {target}: raise Fault('index', f'there is no item for {{{key}}}')")
            self._check(new, kind.value, e.value.type, e.name, indent)
            self.line(indent, f"{target} = {target}.set({key}, {new})")
            return
        if len(keys) == 1 and isinstance(kind, BagOf):
            self.line(indent, f"{target} = {self._bag_put(target, keys[0], value, kind, e.name)}")
            return
        if len(keys) == 2 and isinstance(kind, MapOf) and isinstance(kind.value, BagOf):
            key = self.fresh("key")
            self.line(indent, f"{key} = {keys[0]}")
            self.line(indent, f"if {key} not in {target}: raise Fault('index', f'there is no item for {{{key}}}')")
            bag = self._bag_put(f"{target}[{key}]", keys[1], value, kind.value, e.name)
            self.line(indent, f"{target} = {target}.set({key}, {bag})")
            return
        self.line(indent, f"{target} = put({target}, {what}, [{', '.join(keys)}], {value})")
        self.line(indent, f"if not contains({what}, {target}): raise Fault('range', '`{e.name}` leaves its range')")

    def _bag_put(self, bag: str, key: str, value: str, kind: BagOf, name: str) -> str:
        if ty.placed(kind.elem):
            return f"placed_put({bag}, {key}, {value}, {self.constant(kind, ('type', kind))}, {name!r})"
        return f"bag_put({bag}, {key}, {value}, {kind.limit}, {name!r})"

    def _check(self, text: str, kind: Type, source: Type, name: str, indent: int) -> None:
        """A fault where the value lies outside the type, unless its own type keeps it inside."""
        broken = f"raise Fault('range', '`{name}` leaves its range')"
        match kind, source:
            case Bool(), _:
                return
            case Int(lo, hi), Int(a, b) if lo is not None and hi is not None:
                if a is not None and b is not None and lo <= a and b <= hi:
                    return
                self.line(indent, f"if not {lo} <= {text} <= {hi}: {broken}")
                return
            case Enum(_, values), Enum(_, others) if set(others) <= set(values):
                return
        self.line(indent, f"if not contains({self.constant(kind, ('type', kind))}, {text}): {broken}")

    # a whole game

    def write(self) -> str:
        """`moves(s)`: the choices of a position, each the player (-1: the table) and its successors, None for a fault."""
        self._ends()
        table = [a for a in self.game.actions if a.by is None]
        others = [a for a in self.game.actions if a.by is not None]
        for n, a in enumerate((*table, *others)):
            self._action(n, a)
        self.line(0, "def legal(s):")
        self.line(1, "if is_ended(s): return []")
        self.line(1, "found = []")
        for n in range(len(table)):
            self.line(1, f"legal_{n}(s, found)")
        if table:
            self.line(1, "if found: return found")
        for n in range(len(table), len(table) + len(others)):
            self.line(1, f"legal_{n}(s, found)")
        self.line(1, "return found")
        self.line(0, "def moves(s):")
        self.line(1, "return [f(s) for f in legal(s)]")
        self.line(0, "def weighted(s):")
        self.line(1, "return [(*f(s), f(s, 1)) for f in legal(s)]")
        return "\n".join(self.lines) + "\n"

    def _ends(self) -> None:
        self.line(0, "def which_end(s):")
        for i, e in enumerate(self.game.ends):
            self.line(1, f"if {self.expr(e.when, {})}: return {i}")
        self.line(1, "return -1")
        self.line(0, "def is_ended(s):")
        self.line(1, "return which_end(s) >= 0")
        self.line(0, "def who_won(s):")
        self.line(1, "e = which_end(s)")
        for i, e in enumerate(self.game.ends):
            if e.winners is not None:
                self.line(1, f"if e == {i}: return {self.expr(e.winners, {})}")
        self.line(1, "return frozenset()")

    def _action(self, n: int, a: Action) -> None:
        arguments = [b.name for b in a.params]
        names: dict[str, str] = {}
        self.line(0, f"def legal_{n}(s, found):  # {a.name}")
        if a.during is not None:
            self.line(1, f"if not {self.expr(a.during, {})}: return")
        actor = "-1"
        if a.by is not None:
            self.line(1, f"actor = {self.expr(a.by, {})}")
            self.line(1, f"if not 0 <= actor < {self.game.players}: raise Fault('range', f'there is no player {{actor}}')")
            names["actor"] = actor = "actor"
        indent = 1
        for b in a.params:
            domain = self.visit(b.domain, names)
            if isinstance(b.domain, Expr) and isinstance(b.domain.type, (ListOf, BagOf)):
                domain = f"dict.fromkeys({domain})"
            names[b.name] = self.fresh(b.name)
            self.line(indent, f"for {names[b.name]} in {domain}:")
            indent += 1
        if a.checks:
            passed = []
            for c in a.checks:
                ways = [self.expr(c.formula, names), *(self.expr(x, names) for x in c.lifted)]
                passed.append("(" + " or ".join(ways) + ")")
            self.line(indent, f"if {' and '.join(passed)}:")
            indent += 1
        bound = ", ".join(f"a{i}=a{i}" for i in range(len(arguments)))
        for i, x in enumerate(arguments):
            self.line(indent, f"a{i} = {names[x]}")
        passed_on = "".join(f", a{i}" for i in range(len(arguments)))
        fixed = f", {bound}" if bound else ""
        self.line(indent, f"found.append(lambda s, w=0, actor={actor}{fixed}: (take_{n}, chances_{n})[w](s, actor{passed_on}))")
        self._take(n, a, arguments)

    def _take(self, n: int, a: Action, arguments: list[str]) -> None:
        names = {x: f"a{i}" for i, x in enumerate(arguments)}
        if a.by is not None:
            names["actor"] = "actor"
        self.line(0, f"def take_{n}(s, actor{''.join(f', a{i}' for i in range(len(arguments)))}):")
        self.line(1, "out = []")
        self.complete = {d.name for d in a.draws if d.kind == "roll"}
        indent = 1
        if a.draws:
            self.line(1, "draws = []")
            self.line(1, "try:")
            indent = 2
            for d in a.draws:
                own = self.fresh(d.name)
                self.line(indent, f"for {own} in {self._draw(d, names)}:")
                names = {**names, d.name: own}
                indent += 1
            tuple_text = ", ".join(names[d.name] for d in a.draws)
            self.line(indent, f"draws.append(({tuple_text},))")
            self.line(1, "except Fault:")
            self.line(2, "return (actor, [None])")
            self.line(1, f"for ({tuple_text},) in draws:")
            indent = 2
        count = len(self.game.variables)
        self.line(indent, "try:")
        inner = indent + 1
        for i in range(count):
            self.line(inner, f"v{i} = s[{i}]")
        for k, subject in enumerate(self.counters):
            self.line(inner, f"c{k} = {int(subject == a.name)}")
        outer, self.state, self.now = self.state, (lambda i: f"v{i}"), "(" + ", ".join(f"v{i}" for i in range(count)) + ",)"
        self.run(a.effects, names, inner)
        self.state, self.now = outer, "s"
        counters = [f"c{k}" if self.just_now else f"min(s[{count + k}] + c{k}, {self.most})" for k in range(len(self.counters))]
        self.line(inner, f"out.append(({', '.join([*(f'v{i}' for i in range(count)), *counters])},))")
        self.line(indent, "except Fault:")
        self.line(inner, "out.append(None)")
        self.line(1, "return (actor, out)")
        self._chances(n, a, arguments)

    def _chances(self, n: int, a: Action, arguments: list[str]) -> None:
        """`chances_n`: the probability of each draw, in the order of the steps."""
        names = {x: f"a{i}" for i, x in enumerate(arguments)}
        if a.by is not None:
            names["actor"] = "actor"
        self.line(0, f"def chances_{n}(s, actor{''.join(f', a{i}' for i in range(len(arguments)))}):")
        if not a.draws:
            self.line(1, "return (ONE,)")
            return
        self.line(1, "found = []")
        indent, weight = 1, "ONE"
        for d in a.draws:
            own, p = self.fresh(d.name), self.fresh("p")
            self.line(indent, f"for {own}, {p} in {self._weighed(d, names)}:")
            names = {**names, d.name: own}
            weight = p if weight == "ONE" else f"{weight} * {p}"
            indent += 1
        self.line(indent, f"found.append({weight})")
        self.line(1, "return found")

    def _weighed(self, d: Draw, names: dict[str, str]) -> str:
        if d.kind == "roll":
            assert isinstance(d.type, BagOf)
            assert isinstance(d.args[1], Const)
            faces = self.constant(tuple(d.args[1].value))
            return f"rolled_odds({self.expr(d.args[0], names)}, {faces}, {d.type.limit or 0})"
        if d.kind == "draw":
            return f"drawn_odds({self.expr(d.args[0], names)})"
        assert isinstance(d.args[0], Const)
        shares = d.args[1].value if d.kind == "one_of" and isinstance(d.args[1], Const) else None
        values = d.args[0].value
        many: dict[Value, Fraction] = {}
        for i, v in enumerate(values):
            p = Fraction(1, len(values)) if shares is None else shares[i]
            if p:
                many[v] = many.get(v, Fraction(0)) + p
        return self.constant(tuple(many.items()))

    def _draw(self, d: Draw, names: dict[str, str]) -> str:
        if d.kind == "roll":
            assert isinstance(d.type, BagOf)
            assert isinstance(d.args[1], Const)
            faces = self.constant(tuple(d.args[1].value))
            return f"rolls({self.expr(d.args[0], names)}, {faces}, {d.type.limit or 0})"
        if d.kind == "draw":
            return f"drawn({self.expr(d.args[0], names)})"
        assert isinstance(d.args[0], Const)
        values = list(dict.fromkeys(d.args[0].value))
        if d.kind == "one_of":
            assert isinstance(d.args[1], Const)
            values = list(dict.fromkeys(v for v, p in zip(d.args[0].value, d.args[1].value, strict=True) if p))
        return self.constant(tuple(values))

    def formula(self, e: Expr, names: tuple[str, ...] = ()) -> str:
        """`formula(s, p, actor, …)`: the value after a step from p (at a start p is s), where the actor is one of it."""
        self.line(0, f"def formula(s, p, actor{''.join(', ' + n for n in names)}):")
        self.line(1, f"return {self.expr(e, {'actor': 'actor', **{n: n for n in names}})}")
        return "\n".join(self.lines) + "\n"


def _stored(e: Expr) -> bool:
    """Is it a variable, or an item or field of one? What is kept is in order."""
    return isinstance(e, Var) or (isinstance(e, (Index, Field)) and _stored(e.base))


def _holds_bags(kind: Type) -> bool:
    match kind:
        case BagOf():
            return True
        case MapOf(_, inner):
            return _holds_bags(inner)
        case Record(_, fields):
            return any(_holds_bags(f) for _, f in fields)
        case Maybe(elem) | ListOf(elem) | SetOf(elem):
            return _holds_bags(elem)
    return False


def compiled(source: str, constants: dict[str, Any], extra: dict[str, Any] | None = None) -> dict[str, Any]:
    """The functions of a written source; it is ours, written by this module from checked formulas."""
    space: dict[str, Any] = {**HELPERS, **constants, **(extra or {})}
    exec(compile(source, "<written>", "exec"), space)
    return space
