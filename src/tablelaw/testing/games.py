"""Random small games as the text of rules files, with every construct of the language: what property tests are fed with.

A game is made from a `random.Random`; most formulas are kept within ranges on purpose, some leave them on purpose. Not every
text is a sound game (a folded formula may divide by zero); `sound` makes texts until one is.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tablelaw.solver import evaluate
from tablelaw.spec.check import Checker, player_counts
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.document import Builder
from tablelaw.spec.forms import RULES, validate
from tablelaw.spec.game import Game
from tablelaw.spec.operators import Fault
from tablelaw.spec.settings import defaults
from tablelaw.spec.source import Source
from tablelaw.spec.yaml_nodes import Mapping, parse_yaml

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

MOST_STATES = 3_000
"""How many values all variables of a game have together at most."""


@dataclass(frozen=True)
class Kind:
    """A type as the maker knows it: what it is, how it is written, and how many values it has."""

    of: str
    text: str
    size: int
    lo: int = 0
    hi: int = 0
    names: tuple[str, ...] = ()
    parts: tuple[Kind, ...] = ()
    fields: tuple[tuple[str, Kind], ...] = ()

    @property
    def elem(self) -> Kind:
        """The type of the elements (the last part: of a map, its values)."""
        return self.parts[-1]


BOOL = Kind("bool", "bool", 2)
ENUMS = ("enum",)


def number(lo: int, hi: int, text: str = "") -> Kind:
    """A range."""
    return Kind("int", text or f"{lo}..{hi}", hi - lo + 1, lo, hi)


ANY_INT = number(-3, 4)


def compound(of: str, *parts: Kind, limit: int = 2) -> Kind:
    """A set, bag, list, maybe or map of other types."""
    inner = ", ".join(p.text for p in parts) + (f", {limit}" if of in ("bag", "list") else "")
    n = parts[-1].size
    size = {
        "set": 2 ** min(n, 40),
        "bag": (n + 1) ** limit,
        "list": sum(n**i for i in range(limit + 1)),
        "maybe": n + 1,
        "map": n ** min(parts[0].size, 40),
    }[of]
    return Kind(of, f"{of}[{inner}]", size, 0, limit, (), parts)


@dataclass
class Maker:
    """Writes one game. `wild` is how often a formula is written that may have no value."""

    r: random.Random
    wild: float = 0.02
    players: int = 2
    types: dict[str, object] = field(default_factory=dict)
    kinds: list[Kind] = field(default_factory=list)
    variables: dict[str, Kind] = field(default_factory=dict)
    scope: list[tuple[str, Kind]] = field(default_factory=list)
    lists: list[tuple[str, Kind]] = field(default_factory=list)
    tables: list[tuple[str, Kind, Kind]] = field(default_factory=list)
    defines: list[tuple[str, list[Kind], Kind]] = field(default_factory=list)
    effects: list[tuple[str, list[Kind]]] = field(default_factory=list)
    askable: list[str] = field(default_factory=list)
    counted: list[str] = field(default_factory=list)
    several: set[str] = field(default_factory=set)
    asking: bool = False
    steps: bool = False
    actor: bool = False
    fresh: int = 0
    last: list[tuple[str, Kind]] = field(default_factory=list)

    # choices

    def chance(self, p: float) -> bool:
        return self.r.random() < p

    def pick(self, options: list[str]) -> str:
        return options[self.r.randrange(len(options))]

    def name(self, stem: str) -> str:
        self.fresh += 1
        return f"{stem}{self.fresh}"

    def risky(self) -> bool:
        return self.chance(self.wild)

    # types

    def declare(self) -> None:
        """The named types of the game."""
        r = self.r
        self.players = r.choice((1, 2, 2, 2, 3))
        self.player = number(0, self.players - 1, "Player")
        lo = r.choice((-2, -1, 0, 0, 0))
        hi = r.choice((1, 2, 3))
        self.num = number(lo, hi, "Num")
        self.types["Num"] = f"{lo}..{hi}"
        col = ("red", "blue", "green")[: r.choice((1, 2, 2, 3))]
        self.types["Col"] = list(col)
        self.col = Kind("enum", "Col", len(col), names=col)
        hue = (*col, "grey") if self.chance(0.7) else ("grey", *col)
        self.types["Hue"] = ["Col", "grey"] if hue[-1] == "grey" else ["grey", "Col"]
        self.hue = Kind("enum", "Hue", len(hue), names=hue)
        self.types["Unit"] = {
            "big": {"count": 2, "power": 3, "swift": True},
            "small": {"count": 1, "power": r.choice((-1, 0, 1)), "likes": "red"},
        }
        self.unit = Kind("enum", "Unit", 2, names=("big", "small"))
        a, b = r.choice((self.num, self.col, BOOL)), r.choice((self.col, self.hue, BOOL, self.player))
        self.types["Pair"] = {"record": {"a": a.text, "b": b.text}}
        self.pair = Kind("record", "Pair", a.size * b.size, fields=(("a", a), ("b", b)))
        self.simple = [BOOL, self.num, self.num, self.col, self.hue, self.unit, self.player]
        few = number(0, 1)
        self.keys = [BOOL, self.col, self.hue, self.unit, self.player, few, self.num]

    def kind(self) -> Kind:
        """A type of a variable."""
        r = self.r
        form = r.randrange(12)
        if form < 3:
            return r.choice([*self.simple, number(0, r.choice((1, 2, 4))), number(-1, 1), number(2, 4)])
        if form == 3:
            return compound("set", r.choice(self.keys))
        if form in (4, 5):
            return compound("bag", r.choice((self.col, self.hue, self.unit, number(0, 1))), limit=r.choice((1, 2, 3)))
        if form == 6:
            return compound("list", r.choice((self.col, self.num, BOOL, self.player)), limit=r.choice((1, 2)))
        if form == 7:
            return compound("maybe", r.choice((*self.simple, self.pair, self.pair)))
        if form == 8:
            return self.pair
        value = r.choice((BOOL, number(0, 1), number(-1, 1), self.col, self.num, compound("maybe", self.col), self.pair))
        if form == 9:
            value = r.choice((compound("set", self.col), compound("bag", self.col, limit=1), compound("map", BOOL, BOOL)))
        return compound("map", r.choice(self.keys), value)

    # values known before play

    def literal(self, k: Kind) -> str:
        """A constant of the type."""
        r = self.r
        match k.of:
            case "bool":
                return r.choice(("true", "false"))
            case "int":
                return str(r.randint(k.lo, k.hi))
            case "enum":
                return r.choice(k.names)
            case "set":
                return (
                    "{" + ", ".join({self.literal(k.elem) for _ in range(r.randint(0, 2))}) + "}"
                    if self.chance(0.8)
                    else "set()"
                )
            case "bag":
                return "bag()"
            case "maybe":
                return "none" if self.chance(0.4) else self.literal(k.elem)
            case "record":
                return f"{k.text}({', '.join(f'{n}={self.literal(f)}' for n, f in k.fields)})"
            case "list":
                return "[" + ", ".join(self.literal(k.elem) for _ in range(r.randint(0, k.hi))) + "]"
        raise ValueError(k)

    def init(self, k: Kind) -> object:
        """A start, as it stands in YAML."""
        r = self.r
        if k.of == "map":
            if k.elem.of in ("bool", "int", "enum", "record", "maybe") and self.chance(0.5):
                return self.literal(k.elem)
            return {v: self.init(k.elem) for v in self.all(k.parts[0]) if self.chance(0.7)}
        if k.of == "bag":
            counts = {v: r.randint(0, k.hi) for v in self.all(k.elem)}
            return counts if sum(counts.values()) <= k.hi else {self.all(k.elem)[0]: k.hi}
        if k.of == "bool":
            return self.chance(0.5)
        if k.of == "record":
            return {n: self.init(f) for n, f in k.fields}
        if k.of == "list":
            return [self.init(k.elem) for _ in range(r.randint(0, k.hi))]
        return self.literal(k)

    def all(self, k: Kind) -> list[str]:
        """Every value of a simple type."""
        if k.of == "bool":
            return ["false", "true"]
        return list(k.names) if k.of == "enum" else [str(n) for n in range(k.lo, k.hi + 1)]

    # formulas

    def fits(self, found: Kind, wanted: Kind) -> bool:
        if found.of != wanted.of:
            return False
        if found.of == "enum":
            return bool(set(found.names) & set(wanted.names))
        if found.of in ("int", "bool"):
            return True
        if found.of == "record":
            return found.text == wanted.text
        return all(self.fits(a, b) for a, b in zip(found.parts, wanted.parts, strict=True)) and (
            found.of != "map" or found.parts[0] == wanted.parts[0]
        )

    def inside(self, found: Kind, wanted: Kind) -> bool:
        """Are all values of the one also of the other?"""
        if found.of == "int":
            return wanted.lo <= found.lo and found.hi <= wanted.hi
        if found.of == "enum":
            return set(found.names) <= set(wanted.names)
        if found.of in ("bag", "list") and found.hi > wanted.hi:
            return False
        return all(self.inside(a, b) for a, b in zip(found.parts, wanted.parts, strict=True))

    def paths(self, depth: int) -> list[tuple[str, Kind]]:
        """Readable places: names in scope and variables, each followed inwards at random."""
        found = []
        roots = [*self.scope, *self.variables.items()]
        for text, k in roots if depth <= 0 else self.r.sample(roots, min(4, len(roots))):
            here = (text, k)
            found.append(here)
            while True:
                following = self.inward(*here, depth)
                if following is None or self.chance(0.15):
                    break
                here = following
                found.append(here)
        return found

    def key(self, k: Kind, depth: int) -> str:
        """What stands in brackets."""
        return self.within(k, depth - 1) if depth > 0 else self.literal(k)

    def inward(self, text: str, k: Kind, depth: int) -> tuple[str, Kind] | None:
        match k.of:
            case "map":
                return f"{text}[{self.key(k.parts[0], depth)}]", k.elem
            case "bag":
                return f"{text}[{self.key(k.elem, depth)}]", number(0, k.hi)
            case "record":
                n, f = self.r.choice(k.fields)
                return f"{text}.{n}", f
            case "list" if depth > 0 and self.risky():
                return f"{text}[{self.expr(ANY_INT, depth - 1)}]", k.elem
            case "maybe" if k.elem.of == "record" and self.risky():
                n, f = self.r.choice(k.elem.fields)
                return f"{text}.{n}", f
            case "enum" if k.text == "Unit":
                return self.r.choice(((f"{text}.power", ANY_INT), (f"{text}.swift", BOOL), (f"{text}.likes", self.col)))
        return None

    def within(self, k: Kind, depth: int) -> str:
        """A formula whose value is one of the type's, except now and then."""
        r = self.r
        if self.risky():
            simple = k.of in ("int", "enum", "record", "bool")
            perhaps = [t for t, f in self.paths(0) if f.of == "maybe" and self.fits(f.elem, k)] if simple else []
            return self.pick(perhaps) if perhaps and self.chance(0.5) else self.expr(k, depth)
        if k.of in ("int", "enum", "set", "bag", "list", "maybe", "map", "record"):
            found = [t for t, f in self.paths(0) if self.fits(f, k) and self.inside(f, k)] if self.chance(0.5) else []
            if found:
                return self.pick(found)
        if k.of == "int":
            if k.text == "Player" and self.chance(0.6):
                return self.expr(k, depth)
            if depth <= 0 or self.chance(0.3):
                return self.literal(k)
            form = r.randrange(4)
            inner = self.expr(ANY_INT, depth - 1)
            if form == 0:
                return f"min(max({inner}, {k.lo}), {k.hi})"
            if form == 1:
                return f"{k.lo} + ({inner}) % {k.hi - k.lo + 1}" if k.lo else f"({inner}) % {k.hi + 1}"
            if form == 2:
                return f"({self.within(k, depth - 1)} if {self.expr(BOOL, depth - 1)} else {self.within(k, depth - 1)})"
            name = self.name("x")
            among = k.text if k.text in ("Num", "Player") else "{" + ", ".join(self.all(k)) + "}"
            return f"max({name} for {name} in {among} if {name} <= {inner} or {name} == {k.lo})"
        if k.of == "enum":
            if depth <= 0 or self.chance(0.6):
                return self.literal(k)
            return f"({self.within(k, depth - 1)} if {self.expr(BOOL, depth - 1)} else {self.within(k, depth - 1)})"
        if k.of == "set":
            if depth <= 0 or self.chance(0.3):
                return self.literal(k)
            name = self.name("x")
            if k.elem.of in ("int", "enum") and self.chance(0.5) and k.elem.text in (*self.types, "Player", "bool"):
                self.scope.append((name, k.elem))
                test = self.expr(BOOL, depth - 1)
                self.scope.pop()
                return f"{{{name} for {name} in {k.elem.text} if {test}}}"
            return "{" + ", ".join(self.within(k.elem, depth - 1) for _ in range(r.randint(1, 2))) + "}"
        if k.of == "record":
            return f"{k.text}({', '.join(f'{n}={self.within(f, depth - 1)}' for n, f in k.fields)})"
        if k.of == "maybe":
            return "none" if self.chance(0.3) else self.within(k.elem, depth - 1)
        if k.of == "map":
            return self.pick([n for n, v in self.variables.items() if v == k] or ["no_such_map"])
        return self.expr(k, depth) if k.of == "bool" else self.literal(k)

    def expr(self, k: Kind, depth: int) -> str:
        """Some formula of the form of the type; its value may lie outside."""
        options: list[Callable[[], str]] = []
        found = [t for t, f in self.paths(depth) if self.fits(f, k)]
        if found:
            options += [lambda: self.pick(found)] * 3
        if k.of == "map":
            return self.pick(found or ["no_such_map"])
        if depth <= 0:
            return self.pick(found) if found and self.chance(0.8) else self.literal(k)
        if not found and k.of != "bool":
            options.append(lambda: self.literal(k))
        make = {
            "bool": self.truths,
            "int": self.numbers,
            "set": self.sets,
            "bag": self.bags,
        }.get(k.of)
        if make is not None:
            options += make(k, depth - 1)
        if k.of in ("enum", "record", "maybe", "set", "int"):
            options.append(
                lambda: f"({self.expr(k, depth - 1)} if {self.expr(BOOL, depth - 1)} else {self.expr(k, depth - 1)})"
            )
        if k.of == "record":
            options.append(lambda: f"{k.text}({', '.join(f'{n}={self.within(f, depth - 1)}' for n, f in k.fields)})")
        if k.of == "maybe":
            options.append(lambda: self.expr(k.elem, depth - 1))
        if self.asking and self.steps and self.chance(0.25):
            options.append(lambda: self.before(k, depth - 1))
        fitting = [d for d in self.defines if self.fits(d[2], k)]
        if fitting:
            options.append(lambda: self.call(self.r.choice(fitting), depth - 1))
        return self.r.choice(options)()

    def before(self, k: Kind, depth: int) -> str:
        return f"old({self.expr(k, depth)})"

    def call(self, d: tuple[str, list[Kind], Kind], depth: int) -> str:
        return f"{d[0]}({', '.join(self.within(a, depth - 1) for a in d[1])})"

    def walk(self, depth: int) -> tuple[str, Kind]:
        """What a `for` walks over, with the type of its elements."""
        r = self.r
        form = r.randrange(8)
        if form < 3:
            k = r.choice([self.num, self.col, self.hue, self.unit, self.player, BOOL, self.pair])
            return k.text, k
        collections = [(t, f) for t, f in self.paths(depth) if f.of in ("set", "bag", "list", "map")]
        if form < 6 and collections:
            text, k = r.choice(collections)
            self.last = [(text, k)]
            return text, k.parts[0]
        bags = [(t, f) for t, f in self.paths(depth) if f.of == "bag"]
        if form == 6 and bags:
            text, k = r.choice(bags)
            return f"parts({text})", k
        k = compound("set", r.choice((self.num, self.col, self.player)))
        return self.expr(k, depth), k.elem

    def comprehension(self, depth: int, body: Callable[[int], str]) -> str:
        """`body for … in … if …`, with one binder or two."""
        kept = len(self.scope)
        clauses = []
        for _ in range(1 if self.chance(0.7) else 2):
            text, k = self.walk(depth - 1)
            name = self.name("x")
            self.scope.append((name, k))
            tests = "".join(f" if {self.expr(BOOL, depth - 1)}" for _ in range(self.r.choice((0, 1, 1, 2))))
            clauses.append(f"for {name} in {text}{tests}")
        inner = body(depth - 1)
        del self.scope[kept:]
        return f"{inner} {' '.join(clauses)}"

    def truths(self, k: Kind, d: int) -> list[Callable[[], str]]:
        r = self.r

        def compare() -> str:
            a, b = self.expr(ANY_INT, d), self.expr(ANY_INT, d)
            sign = r.choice(("<", "<=", ">", ">=", "==", "!="))
            if self.chance(0.2):
                return f"({a} {r.choice(('<', '<='))} {b} {sign} {self.expr(ANY_INT, d)})"
            return f"({a} {sign} {b})"

        def equal() -> str:
            kinds = [f for _, f in self.paths(0)]
            one = r.choice([*kinds, *self.simple])
            a = self.expr(one, d)
            b = self.expr(one.elem if one.of == "maybe" and self.chance(0.5) else one, d)
            return f"({a} {r.choice(('==', '!='))} {b})"

        def member() -> str:
            text, one = self.walk(d)
            if one.of in ("bag", "set", "list") or any(text == t and f.of == "map" for t, f in self.last):
                return f"any({self.comprehension(d, lambda n: self.expr(BOOL, n))})"
            return f"({self.expr(one, d)} {r.choice(('in', 'not in'))} {text})"

        def subset() -> str:
            one = compound("set", r.choice((self.col, self.num, self.player)))
            bags = [f for _, f in self.paths(0) if f.of == "bag"]
            if bags and self.chance(0.4):
                one = r.choice(bags)
            return f"({self.expr(one, d)} {r.choice(('<', '<=', '>', '>=', '==', '!='))} {self.expr(one, d)})"

        def fraction() -> str:
            low = r.choice(("2", "3", "-2")) if not self.risky() else self.expr(ANY_INT, d)
            sign = r.choice(("<", "<=", "==", ">"))
            what = r.choice(("{a} / {low}", "sum({c})", "min({a} / {low}, {b})", "abs({a} / {low} - {b})"))
            c = self.comprehension(d, lambda n: f"({self.expr(ANY_INT, n)}) / 2") if what == "sum({c})" else ""
            return (
                "("
                + what.format(a=self.expr(ANY_INT, d), b=self.expr(ANY_INT, d), low=low, c=c)
                + f" {sign} {self.expr(ANY_INT, d)})"
            )

        options: list[Callable[[], str]] = [
            compare, compare, compare, equal, equal, member, subset, fraction,
            lambda: f"(not {self.expr(BOOL, d)})" if self.chance(0.5) else f"({self.expr(BOOL, d)} != {self.expr(BOOL, d)})",
            lambda: f"({self.expr(BOOL, d)} and {self.expr(BOOL, d)})",
            lambda: f"({self.expr(BOOL, d)} or {self.expr(BOOL, d)})",
            lambda: f"{r.choice(('any', 'all'))}({self.comprehension(d, lambda n: self.expr(BOOL, n))})",
        ]  # fmt: skip
        if self.askable:
            options.append(lambda: f"can({r.choice(self.askable)})")
        if self.asking:
            options += [lambda: "ended()", lambda: f"({self.expr(self.player, d)} in winners())"]
            if self.steps:
                options.append(
                    lambda: r.choice(
                        ("actor == none", "actor != none", f"actor == {self.literal(self.player)}", "actor == old(turn)")
                    )
                )
            if self.counted:
                options.append(lambda: f"(times('{r.choice(self.counted)}') {r.choice(('<', '>', '=='))} {r.randint(0, 2)})")
        return options

    def numbers(self, k: Kind, d: int) -> list[Callable[[], str]]:
        r = self.r

        def e() -> str:
            return self.expr(ANY_INT, d)

        def extreme() -> str:
            if self.risky():
                return f"{r.choice(('min', 'max'))}({self.comprehension(d, lambda n: self.expr(ANY_INT, n))})"
            name, one = self.name("x"), r.choice((self.num, self.player))
            self.scope.append((name, one))
            text = f"{r.choice(('min', 'max'))}({self.expr(ANY_INT, d)} for {name} in {one.text})"
            self.scope.pop()
            return text

        def size() -> str:
            kinds = [(t, f) for t, f in self.paths(d) if f.of in ("set", "bag", "list")]
            if kinds and self.chance(0.7):
                return f"size({r.choice(kinds)[0]})"
            return f"size({self.expr(compound('set', r.choice((self.col, self.num))), d)})"

        def looked_up() -> str:
            if self.lists and self.chance(0.5):
                name, keys = r.choice(self.lists)
                return f"{name}[{self.within(keys, d)}]"
            name, keys, _ = r.choice(self.tables)
            return f"{name}[{self.within(keys, d)}]"

        options: list[Callable[[], str]] = [
            lambda: f"({e()} + {e()})", lambda: f"({e()} - {e()})", lambda: f"({e()} * {e()})",
            lambda: f"({e()} // {r.choice(('2', '3', '-2'))})", lambda: f"({e()} % {r.choice(('2', '3', '-2'))})",
            lambda: f"abs({e()})", lambda: f"(-{e()})", lambda: f"{r.choice(('min', 'max'))}({e()}, {e()})",
            lambda: f"sum({self.comprehension(d, lambda n: self.expr(ANY_INT, n))})",
            lambda: f"count({self.comprehension(d, lambda n: self.expr(BOOL, n))})",
            extreme, size, size,
        ]  # fmt: skip
        if self.chance(0.3):
            options.append(lambda: f"(abs({e()}) ^ {r.randint(0, 3)})" if self.chance(0.7) else f"({e()} ^ {e()})")
        if self.risky():
            options.append(lambda: f"({e()} {r.choice(('//', '%'))} {e()})")
        if self.lists or self.tables:
            options.append(looked_up)
        if k.text == "Player":
            options = [
                lambda: f"{r.choice(('after', 'before'))}({self.within(k, d)})",
                lambda: f"{r.choice(('after', 'before'))}({self.within(k, d)}, {{{self.within(k, d)}, {self.within(k, d)}}})",
                lambda: "actor" if self.actor else "turn",
            ]
            if self.risky():
                options.append(lambda: f"after({self.expr(k, d)}, {self.expr(compound('set', self.player), d)})")
        if self.asking and self.counted:
            options.append(lambda: f"min(times('{r.choice(self.counted)}'), 3)")
        return options

    def sets(self, k: Kind, d: int) -> list[Callable[[], str]]:
        elem = k.elem
        options: list[Callable[[], str]] = [
            lambda: f"({self.expr(k, d)} {self.r.choice(('|', '&', '-'))} {self.expr(k, d)})",
            lambda: "{" + ", ".join(self.expr(elem, d) for _ in range(self.r.randint(1, 3))) + "}",
            lambda: "{" + self.comprehension(d, lambda n: self.expr(elem, n)) + "}",
        ]
        if self.asking and elem.text == "Player":
            options.append(lambda: "winners()")
        return options

    def bags(self, k: Kind, d: int) -> list[Callable[[], str]]:
        options: list[Callable[[], str]] = [lambda: f"({self.expr(k, d)} + {self.expr(k, d)})"]
        if self.risky():
            options.append(lambda: f"({self.expr(k, d)} - {self.expr(k, d)})")
        return options

    def often(self) -> str:
        """A condition that is rather true."""
        parts = [self.expr(BOOL, 2) for _ in range(self.r.choice((1, 2, 2, 3)))]
        return f"({' or '.join(parts)})" if len(parts) > 1 else parts[0]

    def seldom(self) -> str:
        """A condition that is rather false."""
        parts = [self.expr(BOOL, 2) for _ in range(self.r.choice((2, 3)))]
        return f"({' and '.join(parts)})"

    # effects

    def statements(self, depth: int, indent: str = "") -> list[str]:
        lines: list[str] = []
        for _ in range(self.r.choice((1, 1, 2, 3))):
            lines += self.statement(depth, indent)
        return lines

    def statement(self, depth: int, indent: str) -> list[str]:
        r = self.r
        form = r.randrange(12)
        if form < 2 and depth > 0:
            lines = [f"{indent}if {self.expr(BOOL, 2)}:", *self.statements(depth - 1, indent + "    ")]
            if self.chance(0.3):
                lines += [f"{indent}elif {self.expr(BOOL, 1)}:", *self.statements(depth - 1, indent + "    ")]
            if self.chance(0.5):
                lines += [f"{indent}else:", *self.statements(depth - 1, indent + "    ")]
            return lines
        if form == 2 and depth > 0:
            text, k = self.walk(1)
            name = self.name("x")
            self.scope.append((name, k))
            lines = [f"{indent}for {name} in {text}:", *self.statements(depth - 1, indent + "    ")]
            self.scope.pop()
            return lines
        if form == 3 and self.effects:
            name, args = r.choice(self.effects)
            return [f"{indent}{name}({', '.join(self.within(a, 1) for a in args)})"]
        names = [n for n in self.variables if n not in self.several]
        if form == 4 and names and self.chance(0.5):
            return [f"{indent}reset({', '.join(r.sample(names, 1))})"]
        return [indent + self.assignment()]

    def advance(self) -> list[str]:
        """Statements that change something for certain."""
        text, k = self.r.choice([*list(self.variables.items())[1:], ("turn", self.player)])
        while k.of in ("map", "record"):
            following = self.inward(text, k, 1)
            assert following is not None
            text, k = following
        match k.of:
            case "bool":
                return [f"{text} = not {text}"]
            case "int" if k.text == "Player":
                return [f"{text} = after({text})"]
            case "int":
                return [f"{text} = {text} + 1 if {text} < {k.hi} else {k.lo}"]
            case "enum":
                one, other = self.within(k, 1), self.literal(k)
                return [f"{text} = {one} if {text} != {one} else {other}"]
            case "set":
                one = self.within(k.elem, 1)
                return [f"if {one} in {text}:", f"    {text} -= {one}", "else:", f"    {text} += {one}"]
            case "bag":
                return [f"if size({text}) < {k.hi}:", f"    {text} += {self.within(k.elem, 1)}", "else:", f"    {text} = bag()"]
            case "list":
                return [
                    f"if size({text}) < {k.hi}:",
                    f"    {text} += {self.within(k.elem, 1)}",
                    "else:",
                    f"    {text} = {self.literal(k)}",
                ]
        return [f"{text} = {self.within(k.elem, 1)} if {text} == none else none"]

    def assignment(self) -> str:
        r = self.r
        text, k = r.choice(list(self.variables.items()))
        while self.chance(0.8):
            if k.of == "list" and not self.chance(0.2):
                break
            following = (
                self.inward(text, k, 1) if k.of in ("map", "record", "list") or (k.of == "bag" and self.chance(0.4)) else None
            )
            if k.of == "maybe" and k.elem.of == "record" and self.risky():
                following = self.inward(text, k, 1)
            if following is None:
                break
            text, k = following
        if k.of == "int" and k.text != "Player":
            form = r.randrange(6)
            if form == 0:
                return f"{text} {r.choice(('//', '%'))}= 2"
            if form in (1, 3, 4) and k.hi > k.lo:
                return f"{text} = {text} + 1 if {text} < {k.hi} else {k.lo}"
            if form == 2:
                amount = self.expr(number(0, 1), 1)
                return (
                    f"{text} {r.choice(('+', '-', '*'))}= {amount if self.risky() else f'min(1, {k.hi} - {text})'}"
                    if k.hi > k.lo
                    else f"{text} = {k.lo}"
                )
            return f"{text} = {self.within(k, 2)}"
        if k.of == "bool" and self.chance(0.5):
            return f"{text} = not {text}"
        if k.of == "set" and self.chance(0.6):
            amount = self.within(k.elem, 1) if self.chance(0.5) else self.within(k, 1)
            return f"{text} {r.choice(('+', '-'))}= {amount}"
        if k.of == "bag" and not self.chance(0.1):
            item = self.within(k.elem, 1)
            form = r.randrange(4)
            guard = f" if size({text}) < {k.hi} else {text}"
            if form == 0:
                return f"{text} = bag()"
            if form == 1:
                same = [t for t, f in self.paths(0) if f.of == "bag" and f.elem == k.elem] or ["bag()"]
                other = self.pick(same)
                whole = f"({text} - {other} if {other} <= {text} else {text})"
                return f"{text} = {whole}" if not self.risky() else f"{text} {r.choice(('+', '-'))}= {other}"
            if self.risky() or "[" in text:
                return f"{text} {r.choice(('+', '-'))}= {item}"
            if form == 2:
                return f"{text}[{item}] = max(0, {text}[{item}] - 1)"
            return f"{text} = {text} + ({text} - {text}){guard}"
        if k.of == "list" and self.chance(0.6):
            return f"{text} += {self.within(k.elem, 1)}" if self.chance(0.15) or k.hi > 1 else f"{text} = {self.literal(k)}"
        return f"{text} = {self.within(k, 2)}"

    # rules

    def build(self, questions: int = 4) -> dict[str, object]:
        """The whole rules file as plain data."""
        r = self.r
        self.declare()
        game: dict[str, object] = {"tablelaw": 1, "game": "random", "title": "Random", "players": self.players}
        options = {
            "way": {
                "kind": "variant",
                "question": "Which way?",
                "values": {"up": {"says": "Up."}, "down": {"says": "Down."}},
                "default": r.choice(("up", "down")),
            },
            "most": {"kind": "study", "question": "How many?", "values": "1..3", "default": r.randint(1, 2)},
        }  # fmt: skip
        game["options"] = options
        game["types"] = self.types
        self._constants(game)
        self._state(game)
        self._defines(game)
        self._effects(game)
        self._actions(game)
        ends = []
        for _ in range(r.choice((0, 1, 1, 2))):
            end: dict[str, object] = {"id": self.name("end"), "says": "It ends.", "when": self.seldom()}
            if self.chance(0.7):
                end["winners"] = self.expr(compound("set", self.player), 1)
            ends.append(end)
        if ends:
            game["end"] = ends
        asked = {f"q{i}": self._question() for i in range(questions)}
        if questions:
            asked["after"] = self._question("always-after")
            asked["forced"] = self._question("force")
            asked["many"] = self._question("count")
        if asked:
            game["questions"] = asked
        return game

    def _constants(self, game: dict[str, object]) -> None:
        values = [self.r.randint(-2, 3) for _ in range(4)]
        shift = {v: self.r.randint(-1, 2) for v in self.hue.names}
        game["constants"] = {"STEPS": values, "WORTH": shift, "TOP": self.r.randint(1, 3)}
        self.lists.append(("STEPS", number(0, 3)))
        self.tables.append(("WORTH", self.hue, ANY_INT))

    def _state(self, game: dict[str, object]) -> None:
        r = self.r
        state: dict[str, object] = {"turn": {"type": "Player", "init": 0}}
        self.variables["turn"] = self.player
        left = MOST_STATES // self.players
        for _ in range(r.choice((1, 2, 3, 3))):
            k = self.kind()
            if k.size > left:
                continue
            left //= k.size
            name = self.name("v")
            self.variables[name] = k
            if k.of in ("int", "enum", "bool") and self.chance(0.12):
                state[name] = {
                    "type": k.text,
                    "init": {"any": k.text if k.text in self.types else "{" + ", ".join(self.all(k)) + "}"},
                }
                self.several.add(name)
            else:
                state[name] = {"type": k.text, "init": self.init(k)}
        if left >= 4 and self.chance(0.4):
            state["most"] = {"type": "0..option('most')", "init": 0}
            self.variables["most"] = number(0, 1)
        game["state"] = state

    def _defines(self, game: dict[str, object]) -> None:
        found: dict[str, object] = {}
        for _ in range(self.r.choice((0, 1, 2))):
            args = [self.r.choice((self.num, self.col, self.player, BOOL)) for _ in range(self.r.choice((0, 1, 2)))]
            result = self.r.choice((BOOL, BOOL, ANY_INT, self.col))
            names = [self.name("a") for _ in args]
            self.scope += list(zip(names, args, strict=True))
            name = self.name("f")
            body = self.expr(result, 2)
            if result is BOOL and self.chance(0.3):
                body = f"({body} if option('way') == 'up' else {self.expr(BOOL, 1)})"
            found[f"{name}({', '.join(f'{n} in {a.text}' for n, a in zip(names, args, strict=True))})"] = body
            self.scope.clear()
            self.defines.append((name, args, result))
        if found:
            game["define"] = found

    def _effects(self, game: dict[str, object]) -> None:
        if not self.chance(0.4):
            return
        args = [self.r.choice((self.num, self.col, self.player)) for _ in range(self.r.choice((0, 1, 2)))]
        names = [self.name("a") for _ in args]
        self.scope += list(zip(names, args, strict=True))
        name = self.name("e")
        game["effects"] = {
            f"{name}({', '.join(f'{n} in {a.text}' for n, a in zip(names, args, strict=True))})": self._clauses()
        }
        self.scope.clear()
        self.effects.append((name, args))

    def _clauses(self) -> list[dict[str, object]]:
        found = []
        for i in range(self.r.choice((1, 2))):
            clause: dict[str, object] = {"id": self.name("c"), "says": "Something happens."}
            if self.chance(0.2):
                clause["only"] = {"way": self.r.choice(("up", "down"))}
            else:
                self.counted.append(str(clause["id"]))
            if self.chance(0.4):
                clause["when"] = self.often()
            clause["do"] = "\n".join(self.statements(1) if i else self.advance())
            found.append(clause)
        return found

    def _actions(self, game: dict[str, object]) -> None:
        found: dict[str, object] = {}
        tables = 1 if self.chance(0.3) else 0
        total = self.r.choice((1, 2, 2, 3)) + tables
        names = [self.name("act") for _ in range(total)]
        for i, name in enumerate(names):
            found[name] = self._action(i < tables)
            self.askable.append(name)
            self.counted.append(name)
        game["actions"] = found

    def _action(self, table: bool) -> dict[str, object]:
        r = self.r
        self.scope.clear()
        action: dict[str, object] = {"by": "table" if table else "turn" if self.chance(0.8) else self.within(self.player, 1)}
        if table:
            action["during"] = self.seldom()
        elif self.chance(0.3):
            action["during"] = self.often()
        action["says"] = "Somebody acts."
        self.actor = not table
        params: dict[str, object] = {}
        for _ in range(r.choice((0, 1, 1, 2))):
            text, k = self._domain()
            name = self.name("p")
            params[name] = text
            self.scope.append((name, k))
        if params:
            action["params"] = params
        checks: list[dict[str, object]] = []
        for _ in range(r.choice((0, 1, 1, 2))):
            check: dict[str, object] = {"id": self.name("r"), "says": "A rule.", "check": self.often()}
            if checks and self.chance(0.4):
                check["excepts"] = r.choice(checks)["id"]
            elif self.chance(0.15):
                check["only"] = {"way": "up"}
            checks.append(check)
        if checks:
            action["require"] = checks
        draws: dict[str, object] = {}
        if self.chance(0.35):
            for _ in range(r.choice((1, 1, 2))):
                text, k = self._draw()
                name = self.name("d")
                draws[name] = text
                self.scope.append((name, k))
            action["chance"] = draws
        do = [*self.advance(), *(self.advance() if self.chance(0.4) else []), *(self.statements(2) if self.chance(0.7) else [])]
        action["do"] = (
            "\n".join([*do, *(["turn = after(turn)"] if self.chance(0.5) else [])]) if self.chance(0.5) else self._clauses()
        )
        self.scope.clear()
        self.actor = False
        return action

    def _domain(self) -> tuple[str, Kind]:
        r = self.r
        form = r.randrange(8)
        if form < 3:
            k = r.choice(
                (
                    self.num,
                    self.col,
                    self.hue,
                    self.player,
                    self.unit,
                    BOOL,
                    self.pair,
                    compound("maybe", self.col),
                    compound("set", self.col),
                )
            )
            return k.text, k
        bags = [(t, f) for t, f in self.paths(1) if f.of == "bag"]
        if form == 3 and bags:
            text, k = r.choice(bags)
            return (f"parts({text})", k) if self.chance(0.5) else (text, k.elem)
        if form == 4:
            n = [(t, f) for t, f in self.paths(1) if f.of == "int" and f.hi - f.lo <= 5]
            if n:
                text, k = r.choice(n)
                return f"{r.choice(('0', '1', '-1'))}..{text}", number(-1, k.hi)
        if form == 5:
            return "bag[Col, 1]", compound("bag", self.col, limit=1)
        lists = [(t, f) for t, f in self.paths(1) if f.of == "list"]
        if form == 6 and lists:
            text, k = r.choice(lists)
            return text, k.elem
        k = compound("set", r.choice((self.num, self.col, self.player)))
        return self.expr(k, 1), k.elem

    def _draw(self) -> tuple[str, Kind]:
        r = self.r
        bags = [(t, f) for t, f in self.paths(1) if f.of == "bag"]
        form = r.randrange(6)
        if form == 0 and bags and (self.risky() or self.chance(0.3)):
            text, k = r.choice(bags)
            return f"draw({text})", k.elem
        if form < 2:
            n = r.randint(1, 3)
            return f"die({n})", number(1, n)
        if form == 2:
            if self.chance(0.5):
                return "die([red, red, grey])" if "red" in self.col.names else "die([grey])", self.hue
            return r.choice(
                (("die([1, 1, 3])", number(1, 3)), ("die([-1, 2, 2, 0])", number(-1, 2)), ("die([true, false, true])", BOOL))
            )
        if form < 5:
            face = r.choice((self.col, self.hue, number(0, 1, "Num") if self.num == number(0, 1, "Num") else self.col))
            count = r.choice(("1", "2", f"min(2, max(0, {self.expr(ANY_INT, 1)}))", f"({self.expr(ANY_INT, 1)}) % 3"))
            if self.risky():
                count = f"min(2, {self.expr(ANY_INT, 1)})"
            return f"roll({count}, {face.text})", compound("bag", face, limit=2)
        return r.choice((
            ("one_of({0: 1/3, 2: 2/3})", number(0, 2)),
            ("one_of({true: 1/2, false: 1/2})", BOOL),
            (f"one_of({{{self.hue.names[0]}: 1/4, {self.hue.names[-1]}: 3/4}})", self.hue),
        ))  # fmt: skip

    # questions

    def _question(self, kind: str = "") -> dict[str, object]:
        r = self.r
        kind = kind or r.choice(("always", "never", "reach"))
        self.asking = True
        self.steps = kind in ("always", "never", "reach") and self.chance(0.5)
        found: dict[str, object]
        counted = self.counted
        if kind in ("always-after", "force"):
            self.counted = []
        if kind == "always-after":
            found = {kind: {"when": self.expr(BOOL, 2), "then": self.expr(BOOL, 2)}}
        elif kind == "force":
            who: object = r.choice(("turn", [0], [self.players - 1], list(range(self.players))))
            self.scope.append(("who", compound("set", self.player)))
            found = {kind: {"who": who, "goal": self.expr(BOOL, 2)}}
            self.scope.pop()
            if self.chance(0.4):
                found["within"] = r.randint(0, 3)
            if self.chance(0.5):
                found["exactly-when"] = self.expr(BOOL, 2)
        elif kind == "count":
            what = r.choice(("states", "plays", "moves"))
            found = {kind: what}
            if what == "moves":
                found["depth"] = r.randint(0, 3)
        else:
            found = {kind: self.expr(BOOL, 3 if self.chance(0.5) else 2)}
        self.counted = counted
        self.asking = self.steps = False
        return found


def written(data: object, indent: int = 0) -> str:
    """Plain data as YAML: mappings and lists in blocks, texts quoted."""
    pad = "  " * indent
    if isinstance(data, dict) and data:
        lines = []
        for key, value in data.items():
            word = str(key) if str(key).replace("_", "").isalnum() else json.dumps(str(key))
            if isinstance(value, (dict, list)) and value:
                lines.append(f"{pad}{word}:\n{written(value, indent + 1)}")
            elif isinstance(value, str) and "\n" in value:
                lines.append(f"{pad}{word}: |\n" + "\n".join(f"{pad}  {line}" for line in value.split("\n")))
            else:
                lines.append(f"{pad}{word}: {_scalar(value)}")
        return "\n".join(lines)
    if isinstance(data, list) and data:
        lines = []
        for item in data:
            if isinstance(item, dict) and item:
                inner = written(item, indent + 1)
                lines.append(f"{pad}- {inner.lstrip()}")
            else:
                lines.append(f"{pad}- {_scalar(item)}")
        return "\n".join(lines)
    return pad + _scalar(data)


def _scalar(value: object) -> str:
    if isinstance(value, dict):
        return "{}"
    if isinstance(value, list):
        return "[]"
    if (isinstance(value, str) and value in ("none", "true", "false")) or isinstance(value, (bool, int)):
        return str(value).lower()
    return json.dumps(value)


def random_game(seed: int | random.Random, wild: float = 0.02, questions: int = 4) -> str:
    """The text of a random game; `wild` is how often it dares what may have no value. Not always sound."""
    r = seed if isinstance(seed, random.Random) else random.Random(seed)
    return written(Maker(r, wild).build(questions)) + "\n"


def checked(text: str, players: int | None = None, setting: dict[str, str] | None = None) -> tuple[Game | None, Diagnostics]:
    """The checked game of a text (the smallest number of players, default options) and the findings."""
    sink = Diagnostics()
    root = parse_yaml(Source("rules.yaml", text), sink)
    if not isinstance(root, Mapping) or not validate(root, RULES, sink):
        return None, sink
    doc = Builder(sink).build(root)
    counts = player_counts(doc, sink)
    if counts is None:
        return None, sink
    game = Checker(doc, {**defaults(doc), **(setting or {})}, players or counts[0], sink).game()
    return (None if sink.has_errors else game), sink


def lively(game: Game, least: int = 5) -> bool:
    """Are at least so many states reachable (as the evaluator plays)?"""
    found = dict.fromkeys(evaluate.starts(game))
    waiting = list(found)
    while waiting and len(found) < least:
        state = waiting.pop()
        try:
            for move in evaluate.moves(game, state):
                for drawn, _ in evaluate.draws(game, state, move):
                    after = evaluate.apply(game, state, move, drawn).state
                    if after not in found:
                        found[after] = None
                        waiting.append(after)
        except Fault:
            continue
    return len(found) >= least


def sound(seed: int, wild: float = 0.02, questions: int = 4) -> tuple[str, Game]:
    """A sound game, seldom one that stands still at once; the same seed always gives the same game."""
    r = random.Random(seed)
    while True:
        text = random_game(r, wild, questions)
        game, _ = checked(text)
        if game is not None and (lively(game) or r.random() < 0.15):
            return text, game


def games(wild: float = 0.02, questions: int = 4) -> SearchStrategy[tuple[str, Game]]:
    """A hypothesis strategy of sound games (text and game); needs hypothesis."""
    from hypothesis import strategies as st

    def make(r: random.Random) -> tuple[str, Game] | None:
        text = random_game(r, wild, questions)
        game, _ = checked(text)
        return None if game is None else (text, game)

    return st.randoms(use_true_random=False).map(make).filter(lambda g: g is not None)  # type: ignore[return-value]
