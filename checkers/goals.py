"""What a set of fixtures has to show of a game: each clause decisive both ways, what meets, ends, and the rims of ranges."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tablelaw.spec import types as ty
from tablelaw.spec.core import Assign, Bind, Branch, Effect, Fire, Loop, clauses_of
from tablelaw.spec.document import Clause
from tablelaw.spec.game import Action, Game
from tablelaw.spec.types import BagOf, Bool, Enum, Int, LayoutType, ListOf, MapOf, Maybe, Record, SetOf, Type
from tablelaw.spec.values import Map, Value

FEW_NAMES = 12
_NUMBER = re.compile(r"(?<=[^#])-\d+[a-z]?$")
_SAYS = {
    "allows": "a move is legal for which {0} was asked",
    "refuses": "a move is illegal by {0} alone",
    "lifts": "a move is legal only because {1} excepts {0}",
    "refuse-both": "a move is illegal by {0} and by {1}",
    "takes": "{0} is played",
    "happens": "{0} takes effect",
    "acts": "{0} takes effect and sets a value",
    "idle": "{0} is asked in a step and does not take effect",
    "meet": "{0} and {1} take effect in one step",
    "ends": "{0} ends the play",
    "winners": "a play ends with {0}",
    "value": "{0}",
    "question": "what the question {0} asks for",
    "scenario": "the scenario {0}",
    "parts": "option {0}: {1} and {2} part here",
    "without": "without {0} the game would differ here",
    "against": "with {0} turned round the game would differ here",
    "at-random": "met in a play at random",
}
WON = ("no winner", "one winner", "several winners")
_PLAIN = {"winners", "value", "at-random"}


@dataclass(frozen=True, slots=True, order=True)
class Goal:
    """One thing to be shown: its kind and the clauses (or names) that it is about."""

    kind: str
    names: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """As fixtures name it: `refuses:three-rolls`."""
        return ":".join((self.kind, *self.names))

    @property
    def says(self) -> str:
        """For people."""
        quoted = self.names if self.kind in _PLAIN else tuple(f"`{n}`" for n in self.names)
        return _SAYS[self.kind].format(*quoted)

    @property
    def clauses(self) -> tuple[str, ...]:
        """The clauses it is about."""
        none = {"winners", "value", "question", "scenario", "parts", "at-random"}
        return () if self.kind in none else self.names


@dataclass(frozen=True, slots=True)
class Effects:
    """The clauses among the effects of an action; `maybe` are those that need not happen when it is played, and `empty` those
    that may happen without setting a value."""

    all: tuple[str, ...]
    maybe: tuple[str, ...]
    empty: tuple[str, ...]


def effects_of(action: Action) -> Effects:
    """The clauses that playing an action may set off."""
    found: dict[str, bool] = {}
    for clause, sure in _fires(action.effects, True):
        found[clause] = found.get(clause, False) or sure
    empty = tuple(dict.fromkeys(e.clause for e in clauses_of(action.effects) if not any(isinstance(x, Assign) for x in e.body)))
    return Effects(tuple(found), tuple(c for c, sure in found.items() if not sure), empty)


def _fires(effects: tuple[Effect, ...], sure: bool) -> Iterator[tuple[str, bool]]:
    for e in effects:
        match e:
            case Fire(clause, when, body):
                surely = sure and when is None
                yield clause, surely
                yield from _fires(body, surely)
            case Branch(_, yes, no):
                yield from _fires((*yes, *no), False)
            case Loop(_, _, _, body):
                yield from _fires(body, False)
            case Bind(_, _, body):
                yield from _fires(body, sure)


def exceptions(game: Game, check: str) -> list[str]:
    """The clauses that except a check, in the order of its exceptions."""
    return [c.id for c in game.clauses.values() if c.excepts == check]


def goals(game: Game) -> list[Goal]:
    """All that there is to show of a game under one setting, in the order of the file."""
    found: dict[Goal, None] = {}
    for a in game.actions:
        found[Goal("takes", (a.name,))] = None
        for n, c in enumerate(a.checks):
            found[Goal("allows", (c.id,))] = None
            found[Goal("refuses", (c.id,))] = None
            found.update((Goal("lifts", (c.id, x)), None) for x, _ in zip(exceptions(game, c.id), c.lifted, strict=False))
            found.update((Goal("refuse-both", (c.id, d.id)), None) for d in a.checks[n + 1 :])
        inner = effects_of(a)
        for n, clause in enumerate(inner.all):
            found[Goal("happens", (clause,))] = None
            if clause in inner.empty:
                found[Goal("acts", (clause,))] = None
            if clause in inner.maybe:
                found[Goal("idle", (clause,))] = None
            found.update((Goal("meet", (clause, other)), None) for other in inner.all[n + 1 :])
    for e in game.ends:
        found[Goal("ends", (e.id,))] = None
    if game.ends:
        found.update((Goal("winners", (w,)), None) for w in WON[: 2 + (game.players > 1)])
    for v in game.variables:
        found.update((Goal("value", (text,)), None) for text in rims(v.name, v.type))
    return list(found)


def sections(clause: Clause | None) -> list[str]:
    """The sections of sources that a clause cites: `es#playing` of `es#playing-3`."""
    if clause is None:
        return []
    return list(dict.fromkeys(_NUMBER.sub("", place) for place in clause.cite))


# the first and last values of a range


def rims(name: str, kind: Type) -> list[str]:
    """The rims of a variable's range, in words: `score = 0`, `turn = 1`, `hand is empty`."""
    match kind:
        case Int(lo, hi) if lo is not None and hi is not None:
            return [f"{name} = {lo}"] + ([f"{name} = {hi}"] if hi != lo else [])
        case Bool():
            return [f"{name} = false", f"{name} = true"]
        case Enum(_, values):
            kept = values if len(values) <= FEW_NAMES else (values[0], values[-1])
            return [f"{name} = {v}" for v in kept]
        case Maybe(elem):
            return [f"{name} = none", *(rims(name, elem) or [f"{name} is there"])]
        case SetOf(elem):
            return [f"{name} is empty"] + ([f"{name} is full"] if ty.cardinality(elem) else [])
        case BagOf(_, limit) | ListOf(_, limit):
            return [f"{name} is empty"] + ([f"{name} is full"] if limit else [])
        case LayoutType():
            return [f"{name} is empty", f"{name} is full"]
        case MapOf(key, inner):
            return rims(f"{name}[…]", inner) if ty.cardinality(key) else []
        case Record(_, fields):
            return [text for field, inner in fields for text in rims(f"{name}.{field}", inner)]
    return []


def on_rims(name: str, kind: Type, value: Value) -> Iterator[str]:
    """Which of them a value is on."""
    match kind:
        case Int(lo, hi):
            if value in (lo, hi):
                yield f"{name} = {value}"
        case Bool():
            yield f"{name} = {'true' if value else 'false'}"
        case Enum():
            yield f"{name} = {value}"
        case Maybe(elem):
            if value is None:
                yield f"{name} = none"
            elif rims(name, elem):
                yield from on_rims(name, elem, value)
            else:
                yield f"{name} is there"
        case SetOf(elem):
            if not value:
                yield f"{name} is empty"
            elif len(value) == ty.cardinality(elem):
                yield f"{name} is full"
        case BagOf(_, limit):
            yield from _filled(name, sum(value.values()), limit)
        case ListOf(_, limit):
            yield from _filled(name, len(value), limit)
        case LayoutType(_, limit):
            yield from _filled(name, len(value.cells), limit)
        case MapOf(_, inner) if isinstance(value, Map):
            for v in value.values():
                yield from on_rims(f"{name}[…]", inner, v)
        case Record(_, fields):
            for field, inner in fields:
                yield from on_rims(f"{name}.{field}", inner, value[field])


def _filled(name: str, size: int, limit: int | None) -> Iterator[str]:
    if size == 0:
        yield f"{name} is empty"
    elif size == limit:
        yield f"{name} is full"
