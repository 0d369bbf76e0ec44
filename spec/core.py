"""Checked formulas and effects: what is left of the author's text once every name and type is known.

A node keeps the span of the text it came from; spans take no part in equality.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from tablelaw.spec.source import Span
from tablelaw.spec.types import Type
from tablelaw.spec.values import Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Expr:
    """A formula with its type."""

    type: Type
    span: Span | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Const(Expr):
    """A value known before play."""

    value: Value


@dataclass(frozen=True, slots=True)
class Var(Expr):
    """A state variable."""

    name: str


@dataclass(frozen=True, slots=True)
class Local(Expr):
    """A parameter, a draw, an argument, a bound name, or `actor` and `who`."""

    name: str


@dataclass(frozen=True, slots=True)
class Op(Expr):
    """An operator: add sub mul div floordiv mod neg xor eq ne lt le in not and or union meet minus append sure.

    `sure` takes what may be nothing where something is needed; nothing there is a fault.
    """

    op: str
    args: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class If(Expr):
    """`yes if test else no`."""

    test: Expr
    yes: Expr
    no: Expr


@dataclass(frozen=True, slots=True)
class Index(Expr):
    """An item of a map, bag or list."""

    base: Expr
    key: Expr


@dataclass(frozen=True, slots=True)
class Field(Expr):
    """A field of a record (or an attribute, given as a map from the names)."""

    base: Expr
    name: str


@dataclass(frozen=True, slots=True)
class Make(Expr):
    """A record built from its fields, in the type's order."""

    fields: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Items(Expr):
    """A set display."""

    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Binder:
    """`for name in domain if tests`; the domain is a type (each of its values) or a collection."""

    name: str
    domain: Expr | Type
    type: Type
    tests: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Agg(Expr):
    """A comprehension inside any, all, sum, count, min, max or a set."""

    kind: str
    binders: tuple[Binder, ...]
    body: Expr


@dataclass(frozen=True, slots=True)
class Let(Expr):
    """A defined formula applied: the names stand for the values inside the body."""

    names: tuple[str, ...]
    values: tuple[Expr, ...]
    body: Expr


@dataclass(frozen=True, slots=True)
class Call(Expr):
    """A built-in: size after before ended winners times old min max abs parts supply."""

    name: str
    args: tuple[Expr, ...]
    subject: str = ""


# Effects


@dataclass(frozen=True, slots=True)
class Effect:
    """A statement of a `do`."""

    span: Span | None = field(default=None, compare=False, repr=False, kw_only=True)


@dataclass(frozen=True, slots=True)
class Assign(Effect):
    """`name[path…] = value`; the path is keys of maps and bags, and names of fields."""

    name: str
    path: tuple[Expr | str, ...]
    value: Expr


@dataclass(frozen=True, slots=True)
class Branch(Effect):
    """`if test: … else: …`."""

    test: Expr
    yes: tuple[Effect, ...]
    no: tuple[Effect, ...]


@dataclass(frozen=True, slots=True)
class Loop(Effect):
    """`for name in domain: …`, the domain read once, in declared order."""

    name: str
    domain: Expr | Type
    type: Type
    body: tuple[Effect, ...]


@dataclass(frozen=True, slots=True)
class Fire(Effect):
    """A clause that takes effect where its `when` holds; effects inside belong to it."""

    clause: str
    when: Expr | None
    body: tuple[Effect, ...]


@dataclass(frozen=True, slots=True)
class Bind(Effect):
    """Arguments of a called list of clauses, read once, then its clauses."""

    names: tuple[str, ...]
    values: tuple[Expr, ...]
    body: tuple[Effect, ...]


def clauses_of(effects: tuple[Effect, ...]) -> Iterator[Fire]:
    """Every clause of some effects, those inside others after them."""
    for e in effects:
        match e:
            case Fire(_, _, body):
                yield e
                yield from clauses_of(body)
            case Branch(_, yes, no):
                yield from clauses_of((*yes, *no))
            case Loop(_, _, _, body) | Bind(_, _, body):
                yield from clauses_of(body)


def with_clauses(effects: tuple[Effect, ...], change: Callable[[Fire], Fire | None]) -> tuple[Effect, ...]:
    """The effects with each clause as `change` has it, or without it (None); then the clauses inside it."""
    found: list[Effect] = []
    for e in effects:
        match e:
            case Fire():
                changed = change(e)
                if changed is not None:
                    found.append(replace(changed, body=with_clauses(changed.body, change)))
            case Branch(_, yes, no):
                found.append(replace(e, yes=with_clauses(yes, change), no=with_clauses(no, change)))
            case Loop(_, _, _, body) | Bind(_, _, body):
                found.append(replace(e, body=with_clauses(body, change)))
            case _:
                found.append(e)
    return tuple(found)


# Chance


@dataclass(frozen=True, slots=True)
class Draw:
    """One entry of `chance`: a kind and what it is read from.

    `faces` (one of a list, each alike), `roll` (a bag of `number` faces drawn alike), `draw` (one of a bag's elements),
    `one_of` (values with weights).
    """

    name: str
    kind: str
    type: Type
    args: tuple[Expr, ...]
    span: Span | None = field(default=None, compare=False, repr=False)


def children(e: Expr) -> tuple[Expr, ...]:
    """The formulas right inside a formula."""
    match e:
        case Op(_, args) | Call(_, args):
            return args
        case Items(items):
            return items
        case Make(fields):
            return fields
        case If(test, yes, no):
            return (test, yes, no)
        case Index(base, key):
            return (base, key)
        case Field(base):
            return (base,)
        case Let(_, values, body):
            return (*values, body)
        case Agg(_, binders, body):
            domains = tuple(b.domain for b in binders if isinstance(b.domain, Expr))
            return (*domains, *(t for b in binders for t in b.tests), body)
    return ()
