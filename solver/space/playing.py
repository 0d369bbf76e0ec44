"""Code for playing single plays: what is legal, what may be drawn, and one step, of a game on values (`write`)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

from tablelaw.solver.evaluate import multinomial
from tablelaw.solver.space.write import Writer, compiled, drawn, require, rolls
from tablelaw.spec.core import Assign, Binder, Const, Draw, Effect, Expr, Fire
from tablelaw.spec.game import Action, Game
from tablelaw.spec.types import BagOf, ListOf
from tablelaw.spec.values import Map, Value

Row = tuple[Any, ...]
Weighed = tuple[tuple[Value, ...], tuple[int, ...]]
"""What may be drawn, and the weight of each."""


def drawn_weights(bag: Map) -> Weighed:
    """What may be drawn from a bag: each name with its copies."""
    names = drawn(bag)
    return tuple(names), tuple(bag[k] for k in names)


_ROLLED: dict[tuple[int, tuple[Value, ...]], Weighed] = {}


def rolled_weights(number: int, faces: tuple[Value, ...], limit: int) -> Weighed:
    """Every bag that so many dice can show, with the number of ways it can come."""
    require(0 <= number <= limit, "range", f"{number} dice are rolled")
    found = _ROLLED.get((number, faces))
    if found is None:
        ways = rolls(number, faces, limit)
        found = _ROLLED[number, faces] = ways, tuple(multinomial(list(b.values())) for b in ways)
    return found


def known_weights(draw: Draw) -> Weighed:
    """The values of a draw that is the same in every position, with whole weights."""
    assert isinstance(draw.args[0], Const)
    values = draw.args[0].value
    shares = draw.args[1].value if draw.kind == "one_of" and isinstance(draw.args[1], Const) else [Fraction(1)] * len(values)
    scale = lcm(*(Fraction(p).denominator for p in shares))
    weights: dict[Value, int] = {}
    for v, p in zip(values, shares, strict=True):
        if p:
            weights[v] = weights.get(v, 0) + int(p * scale)
    return tuple(weights), tuple(weights.values())


@dataclass(slots=True)
class Code:
    """The functions of a game for playing. Those of an action stand at its number; they raise `Fault` and `KeyError`.

    `legal(s, refused)` lists moves `(number, actor, arguments)`, and counts for each check how many it was the first to
    refuse; `allowed(s, number, arguments)` is the actor of one of them, None where it is not legal; `chances[n][k]` gives
    the k-th draw after those before it; `take[n](s, actor, arguments, drawn)` the next row and two bits for each clause:
    whether it took effect, and whether anything was assigned then.
    """

    legal: Callable[[Row, list[int]], list[tuple[int, int, tuple[Value, ...]]]]
    allowed: Callable[[Row, int, tuple[Value, ...]], int | None]
    chances: list[list[Callable[..., Weighed]]]
    take: list[Callable[..., tuple[Row, int]]]
    which_end: Callable[[Row], int]
    who_won: Callable[[Row], frozenset[int]]


class Playing(Writer):
    """Writes the code. `actions` are in the order of asking: the table's first."""

    def __init__(self, game: Game, counters: tuple[str, ...] = (), most: int = 1 << 30) -> None:
        super().__init__(game, counters, most)
        self.actions = [a for a in game.actions if a.by is None] + [a for a in game.actions if a.by is not None]
        self.tables = sum(a.by is None for a in self.actions)
        self.checks = [c.id for a in self.actions for c in a.checks]
        self.bits: dict[str, int] = {}
        self.within: list[str] = []

    def happened(self, clause: str, indent: int) -> None:
        super().happened(clause, indent)
        self.line(indent, f"fired |= {1 << 2 * self.bits.setdefault(clause, len(self.bits))}")

    def run(self, effects: tuple[Effect, ...], names: dict[str, str], indent: int) -> None:
        if not effects:
            super().run(effects, names, indent)
        for e in effects:
            clauses = [e.clause] if isinstance(e, Fire) else []
            self.within += clauses
            if isinstance(e, Assign) and self.within:
                acted = {c for c in self.within if c in self.bits}
                self.line(indent, f"fired |= {sum(2 << 2 * self.bits[c] for c in acted)}")
            super().run((e,), names, indent)
            del self.within[len(self.within) - len(clauses) :]

    def code(self) -> Code:
        """The functions. Raises `Unlowerable`."""
        self._ends()
        number = 0
        for n, a in enumerate(self.actions):
            self._legal(n, a, number)
            self._may(n, a)
            self._step(n, a)
            number += len(a.checks)
        self._whole()
        extra = {"drawn_weights": drawn_weights, "rolled_weights": rolled_weights}
        space = compiled("\n".join(self.lines) + "\n", self.constants, extra)
        count = range(len(self.actions))
        return Code(
            space["legal"],
            space["allowed"],
            [[space[f"chance_{n}_{k}"] for k in range(len(self.actions[n].draws))] for n in count],
            [space[f"step_{n}"] for n in count],
            space["which_end"],
            space["who_won"],
        )

    def _whole(self) -> None:
        self.line(0, "def legal(s, refused):")
        self.line(1, "if which_end(s) >= 0: return []")
        self.line(1, "found = []")
        for n in range(len(self.actions)):
            if n == self.tables and n:
                self.line(1, "if found: return found")
            self.line(1, f"legal_{n}(s, found, refused)")
        self.line(1, "return found")
        self.line(0, "def tables(s):")
        self.line(1, "found, refused = [], [0] * " + str(len(self.checks)))
        for n in range(self.tables):
            self.line(1, f"legal_{n}(s, found, refused)")
            self.line(1, "if found: return True")
        self.line(1, "return False")
        self.line(0, "def allowed(s, n, args):")
        self.line(1, "if which_end(s) >= 0: return None")
        for n in range(len(self.actions)):
            once = " or tables(s)" if n >= self.tables and self.tables else ""
            self.line(1, f"if n == {n}: return None if (actor := may_{n}(s, *args)) is None{once} else actor")

    def _opened(self, a: Action, nothing: str) -> dict[str, str]:
        """The lines that ask for the phase and the actor; the names that are bound then."""
        if a.during is not None:
            self.line(1, f"if not {self.expr(a.during, {})}: {nothing}")
        if a.by is None:
            self.line(1, "actor = -1")
            return {}
        self.line(1, f"actor = {self.expr(a.by, {})}")
        self.line(1, f"if not 0 <= actor < {self.game.players}: raise Fault('range', f'there is no player {{actor}}')")
        return {"actor": "actor"}

    def _legal(self, n: int, a: Action, first: int) -> None:
        self.line(0, f"def legal_{n}(s, found, refused):  # {a.name}")
        names, indent = self._opened(a, "return"), 1
        for b in a.params:
            domain = self._domain(b, names, ordered=True)
            names[b.name] = self.fresh(b.name)
            self.line(indent, f"for {names[b.name]} in {domain}:")
            indent += 1
        for k, c in enumerate(a.checks):
            self.line(indent, f"if not ({' or '.join(self.expr(x, names) for x in (c.formula, *c.lifted))}):")
            self.line(indent + 1, f"refused[{first + k}] += 1")
            self.line(indent + 1, "continue" if a.params else "return")
        values = "".join(f"{names[b.name]}, " for b in a.params)
        self.line(indent, f"found.append(({n}, actor, ({values})))")

    def _domain(self, b: Binder, names: dict[str, str], ordered: bool) -> str:
        text = self.visit(b.domain, names, ordered)
        each_once = isinstance(b.domain, Expr) and isinstance(b.domain.type, (ListOf, BagOf))
        return f"dict.fromkeys({text})" if each_once else text

    def _arguments(self, a: Action) -> tuple[str, dict[str, str]]:
        names = {b.name: f"a{i}" for i, b in enumerate(a.params)}
        return "".join(f", {x}" for x in names.values()), names

    def _may(self, n: int, a: Action) -> None:
        arguments, given = self._arguments(a)
        self.line(0, f"def may_{n}(s{arguments}):")
        names = self._opened(a, "return None")
        for b in a.params:
            self.line(1, f"if {given[b.name]} not in {self._domain(b, names, ordered=False)}: return None")
            names[b.name] = given[b.name]
        for c in a.checks:
            self.line(1, f"if not ({' or '.join(self.expr(x, names) for x in (c.formula, *c.lifted))}): return None")
        self.line(1, "return actor")

    def _step(self, n: int, a: Action) -> None:
        arguments, names = self._arguments(a)
        if a.by is not None:
            names = {**names, "actor": "actor"}
        drawn_so_far = ""
        for k, d in enumerate(a.draws):
            self.line(0, f"def chance_{n}_{k}(s, actor{arguments}{drawn_so_far}):")
            self.line(1, f"return {self._weights(d, names)}")
            drawn_so_far += f", d{k}"
            names = {**names, d.name: f"d{k}"}
        self.complete = {d.name for d in a.draws if d.kind == "roll"}
        self.line(0, f"def step_{n}(s, actor{arguments}{drawn_so_far}):")
        count = len(self.game.variables)
        self.line(1, "fired = 0")
        for i in range(count):
            self.line(1, f"v{i} = s[{i}]")
        for k, subject in enumerate(self.counters):
            self.line(1, f"c{k} = {int(subject == a.name)}")
        outer, self.state, self.now = self.state, (lambda i: f"v{i}"), "(" + ", ".join(f"v{i}" for i in range(count)) + ",)"
        self.run(a.effects, names, 1)
        self.state, self.now = outer, "s"
        counted = [f"s[{count + k}] + c{k}" for k in range(len(self.counters))]
        self.line(1, f"return ({', '.join([*(f'v{i}' for i in range(count)), *counted])},), fired")

    def _weights(self, d: Draw, names: dict[str, str]) -> str:
        if d.kind == "roll":
            assert isinstance(d.type, BagOf)
            assert isinstance(d.args[1], Const)
            faces = self.constant(tuple(d.args[1].value))
            return f"rolled_weights({self.expr(d.args[0], names)}, {faces}, {d.type.limit or 0})"
        if d.kind == "draw":
            return f"drawn_weights({self.expr(d.args[0], names)})"
        return self.constant(known_weights(d))


__all__ = ["Code", "Playing", "Row", "Weighed", "known_weights"]
