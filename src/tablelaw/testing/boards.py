"""Random small games on boards as the text of rules files: pieces laid beside each other, and rules that read what lies.

A game is made from a `random.Random`; the pieces are those of `testing/layouts.py`. Not every text is a sound game; `sound`
makes texts until one is.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass, field

from tablelaw.spec.game import Game
from tablelaw.spec.grid import HALVES, SIDES
from tablelaw.testing.figures import Figures
from tablelaw.testing.games import checked, lively, written
from tablelaw.testing.layouts import Plan, Planner


@dataclass
class BoardMaker(Figures):
    """Writes one game. `wild` is how often a formula is written that may have no value."""

    wild: float = 0.02
    plan: Plan = field(init=False)
    scope: list[tuple[str, str]] = field(default_factory=list)
    """Names that formulas may read, each with its sort: cell edge face rotation side number truth player hand phase."""
    variables: list[tuple[str, str]] = field(default_factory=list)
    maybe_head: bool = False
    bordered: bool = False
    limit: int = 3
    players: int = 2
    actor: bool = False
    asking: bool = False
    steps: bool = False
    fresh: int = 0
    askable: list[str] = field(default_factory=list)
    counted: list[str] = field(default_factory=list)
    effects: list[tuple[str, list[str]]] = field(default_factory=list)
    defines: list[tuple[str, list[str], str]] = field(default_factory=list)

    def chance(self, p: float) -> bool:
        return self.r.random() < p

    def name(self, stem: str) -> str:
        self.fresh += 1
        return f"{stem}{self.fresh}"

    def risky(self) -> bool:
        return self.chance(self.wild)

    # what formulas are made of

    def named(self, sort: str) -> list[str]:
        """Names in scope and variables of a sort."""
        return [n for n, s in (*self.scope, *self.variables) if s == sort]

    def kind(self) -> str:
        return self.r.choice(list(self.plan.kinds))

    def const_face(self) -> str:
        return self.r.choice(list(self.plan.faces))

    def cell(self, d: int = 1) -> str:
        found = self.named("cell") * 3
        found += [f"{e}.cell" for e in self.named("edge")] * 2 + ["(0, 0)"]
        if self.maybe_head and self.risky():
            found.append("head.cell")
        if d > 0 and self.chance(0.3):
            return f"step({self.cell(d - 1)}, {self.side(d - 1)})"
        return self.r.choice(found)

    def edge(self, d: int = 1) -> str:
        found = self.named("edge")
        if found and self.chance(0.6):
            return self.r.choice(found)
        form = self.r.randrange(3) if d > 0 else 0
        if form == 0:
            return f"edge({self.cell(d - 1)}, {self.side(d - 1)})"
        return f"{('across(', 'follow(table, ')[form - 1]}{self.edge(d - 1)})"

    def side(self, d: int = 0) -> str:
        found = self.named("side") * 2 + [f"{e}.side" for e in self.named("edge")] + list(SIDES[:2])
        if d > 0 and self.chance(0.3):
            return f"rotated({self.side(d - 1)}, {self.rotation()})"
        return self.r.choice(found)

    def face(self) -> str:
        return self.r.choice([*self.named("face") * 3, self.const_face()])

    def rotation(self) -> str:
        if not self.plan.free:
            return "0"
        return self.r.choice([*self.named("rotation") * 3, str(self.r.randrange(4))])

    def part(self) -> str:
        """A part of a piece, laid or not."""
        kind = self.kind()
        reach = self.plan.kinds[kind].reach
        if reach == "inside":
            return f"part({self.cell()}, {kind})"
        return f"part({self.cell()}, {kind}, {self.side() if reach == 'sides' else self.r.choice(HALVES)})"

    def placed_kind(self) -> str:
        """A kind of part and a side or half of it, known before play."""
        kind = self.kind()
        return kind + {"sides": ", N", "halves": ", Nw", "inside": ""}[self.plan.kinds[kind].reach]

    def player(self) -> str:
        own = [*self.named("player"), "turn", str(self.r.randrange(self.players))]
        return self.r.choice([*own, f"after({self.r.choice(own)})", *(["actor"] if self.actor else [])])

    def table(self, d: int) -> str:
        """The layout, or now and then what it would be with one more piece."""
        if d > 0 and self.risky():
            return f"place(table, {self.cell(0)}, {self.face()}, {self.rotation()})"
        return "table"

    def inner(self, name: str, sort: str, make: Callable[[], str]) -> str:
        """A formula in which one more name is bound."""
        self.scope.append((name, sort))
        text = make()
        self.scope.pop()
        return text

    def bound(self, stem: str) -> str:
        """A name to bind: a new one, seldom one that stands for something around."""
        known = STEMS.get({"c": "cell", "e": "edge"}.get(stem, ""))
        return known if known and self.chance(0.1) else self.name(stem)

    def of_feature(self, f: str) -> str:
        r = self.r
        plain = [f"{f}.closed", f"{f}.size > {r.randint(1, 2)}", f"{f}.open < {r.randint(1, 3)}", f"{f}.loops == 0"]
        return r.choice([*plain, *self.of_taken(f)])

    def truth(self, d: int = 2) -> str:
        """A formula that is true or false."""
        r = self.r
        options = [*self.plain_truths(d), *self.board_truths(d), *self.board_truths(d), *self.figure_truths()]
        if d > 0:
            options += [
                lambda: f"not {self.truth(d - 1)}" if self.chance(0.7) else f"({self.truth(d - 1)} == {self.truth(d - 1)})",
                lambda: f"({self.truth(d - 1)} {r.choice(('and', 'or'))} {self.truth(d - 1)})",
                lambda: f"({self.truth(d - 1)} if {self.truth(d - 1)} else {self.truth(d - 1)})",
            ]
        fitting = [x for x in self.defines if x[2] == "truth"]
        if fitting:
            options.append(lambda: self.call(r.choice(fitting)))
        if self.asking and self.steps and self.chance(0.25):
            return f"old({self.truth(d - 1)})" if d > 0 else "old(flag)"
        return r.choice(options)()

    def call(self, d: tuple[str, list[str], str]) -> str:
        return f"{d[0]}({', '.join(self.argument(s) for s in d[1])})"

    def argument(self, sort: str) -> str:
        make: dict[str, Callable[[], str]] = {
            "cell": self.cell, "edge": self.edge, "face": self.face, "rotation": self.rotation, "player": self.player,
            "number": lambda: self.r.choice([*self.named("number"), str(self.r.randint(0, 2))]),
        }  # fmt: skip
        return make[sort]()

    def plain_truths(self, d: int) -> list[Callable[[], str]]:
        r = self.r
        options: list[Callable[[], str]] = [
            lambda: r.choice([*self.named("truth"), "flag"]),
            lambda: f"({self.number(d - 1)} {r.choice(('<', '<=', '==', '!=', '>'))} {self.number(d - 1)})",
            lambda: f"({self.number(d - 1)} {r.choice(('<', '>='))} {r.randint(0, 2)})",
            lambda: f"({self.player()} in out)",
            lambda: f"(phase == {r.choice(('build', 'rest'))})",
            lambda: f"({self.player()} == {self.player()})",
        ]
        if self.askable:
            options.append(lambda: f"can({r.choice(self.askable)})")
        if self.asking:
            options += [lambda: "ended()", lambda: f"({r.randrange(self.players)} in winners())"]
            if self.steps:
                options.append(lambda: r.choice(("actor == none", "actor != none", "actor == 0", "actor == old(turn)")))
            if self.counted:
                options.append(lambda: f"(times('{r.choice(self.counted)}') {r.choice(('<', '>', '=='))} {r.randint(0, 2)})")
        return options

    def board_truths(self, d: int) -> list[Callable[[], str]]:
        r = self.r
        cell, edge = self.cell, self.edge

        def features() -> str:
            f = self.bound("f")
            body = self.of_feature(f)
            return f"{r.choice(('any', 'all'))}({body} for {f} in features({self.table(d)}, {self.kind()}))"

        def squares() -> str:
            c = self.bound("c")
            body = self.inner(c, "cell", lambda: self.laid_truth(c, d - 1))
            return f"{r.choice(('any', 'all'))}({body} for {c} in table)"

        def edges() -> str:
            e = self.bound("e")
            body = self.inner(e, "edge", lambda: self.edge_truth(e))
            domain = r.choice((f"edges({self.table(d)})", f"open_edges(table, {self.kind()})"))
            return f"{r.choice(('any', 'all'))}({body} for {e} in {domain})"

        def each_face() -> str:
            f = "face" if self.chance(0.4) else self.name("g")
            body = self.inner(f, "face", lambda: f"fits(table, {cell()}, {f}, {self.rotation()})")
            return f"{r.choice(('any', 'all'))}({body} for {f} in Tile)"

        def partial() -> str:
            one = f"{r.choice(('min', 'max'))}(p for p in out) == {r.randrange(self.players)}"
            return (
                f"any(c.x {r.choice(('==', '<', '>='))} 0 and {one} for c in table)"
                if self.chance(0.5)
                else f"({cell()} in table and {one})"
            )

        options: list[Callable[[], str]] = [
            each_face, *([partial] if self.risky() else []),
            lambda: f"({cell()} in table)",
            lambda: f"({cell()} in frontier(table))",
            lambda: f"inside(table, {cell()})",
            lambda: f"fits(table, {cell()}, {self.face()}, {self.rotation()})",
            lambda: f"({self.kind()} in shows(table, {edge()}))",
            lambda: f"(shows({self.face()}, {self.rotation()}, {self.side()}) == shows(table, {edge()}))",
            lambda: f"(follow(table, {edge()}) == {edge()})",
            lambda: f"({edge()} in open_edges(table, {self.kind()}))",
            features, features, squares, edges,
        ]  # fmt: skip
        if self.chance(0.5):
            options.append(lambda: self.laid_truth(cell(0), d))
        if self.asking and self.steps:
            kept = [n for n, sort in self.variables if sort in ("edge", "cell", "mark", "part")] + ["table"]
            options.append(lambda: f"({(one := r.choice(kept))} {r.choice(('==', '!='))} old({one}))")
        if self.maybe_head:
            options.append(lambda: f"(head {r.choice(('==', '!='))} none)")
        if ("stone", "part") in self.variables:
            options += [
                lambda: "(stone.cell in table)",
                lambda: f"any(stone in f and {self.of_feature('f')} for f in features(table, {self.kind()}))",
                lambda: f"(stone == {self.part()})",
            ]
        if ("mark", "mark") in self.variables:
            options += [lambda: "(mark == none)", lambda: f"(mark == {cell()})"]
        return options

    def laid_truth(self, c: str, d: int) -> str:
        """What a piece on a square looks like, asked only where one lies (mostly)."""
        r = self.r
        options = [
            f"table[{c}].face == {self.face()}",
            f"table[{c}].rotation == {self.rotation()}",
            f"size(parts(table, {c})) == {r.randint(0, 2)}",
            f"({self.kind()} in shows(table, edge({c}, {self.side()})))",
            f"({c}.x {r.choice(('<', '>='))} {r.randint(0, 1)})",
            f"any(p.kind == {self.kind()} for p in parts(table, {c}))",
        ]
        found = r.choice(options)
        return found if self.risky() else f"({c} in table and {found})"

    def edge_truth(self, e: str) -> str:
        r = self.r
        options = [
            f"{self.kind()} in shows(table, {e})",
            f"shows(table, {e}) == shows(table, across({e}))",
            f"shows(table, {e}) <= shows(table, across({e}))",
            f"across({e}).cell in table",
            f"{e}.side == {self.side()}",
            f"({e}.cell in table and table[{e}.cell].face == {self.face()})",
            f"inside(table, across({e}).cell)",
            f"flag or {e}.cell.x >= 0",
        ]
        if self.risky():
            options.append(f"table[across({e}).cell].face == {self.face()}")
        return r.choice(options)

    def number(self, d: int = 1) -> str:
        """A number."""
        r = self.r
        options: list[Callable[[], str]] = [
            lambda: r.choice([*self.named("number"), "n"]),
            lambda: str(r.randint(0, 3)),
            lambda: "size(table)",
            lambda: f"score[{self.player()}]",
            lambda: "size(hand)",
            lambda: f"hand[{self.face()}]",
            *self.figure_numbers(),
        ]
        if d > 0:
            options += [
                lambda: f"size(features(table, {self.kind()}))",
                self.extreme, self.extreme, self.counted_squares,
                lambda: f"size(links(table, {self.cell()}, {self.face()}, {self.rotation()}, {self.kind()}))",
                lambda: f"size(open_edges(table, {self.kind()}))",
                lambda: f"({self.number(d - 1)} {r.choice(('+', '-', '*'))} {self.number(d - 1)})",
                lambda: f"({self.number(d - 1)} if {self.truth(d - 1)} else {self.number(d - 1)})",
                lambda: f"{r.choice(('min', 'max'))}({self.number(d - 1)}, {self.number(d - 1)})",
            ]  # fmt: skip
        fitting = [x for x in self.defines if x[2] == "number"]
        if fitting:
            options.append(lambda: self.call(r.choice(fitting)))
        if self.asking and self.steps and self.chance(0.2):
            return f"old({r.choice(options)()})"
        return r.choice(options)()

    def extreme(self) -> str:
        """The largest of some features' numbers."""
        r, f = self.r, self.bound("f")
        what = r.choice((f"{f}.size", f"{f}.size", f"{f}.open", f"{f}.loops", f"2 * {f}.size"))
        test = f" if {self.of_feature(f)}" if self.chance(0.5) else ""
        walk = f"{what} for {f} in features(table, {self.kind()}){test}"
        if self.risky():
            return f"{r.choice(('max', 'min'))}({walk})"
        return r.choice(
            (
                f"max({{0}} | {{{walk}}})",
                f"max({{{r.randint(-1, 1)}}} | {{{walk}}})",
                f"sum({walk})",
                f"min({{3}} | {{{walk}}})",
            )
        )

    def counted_squares(self) -> str:
        r, c = self.r, self.bound("c")
        body = self.inner(c, "cell", lambda: self.laid_truth(c, 0))
        return f"count({c} for {c} in {r.choice(('table', 'table', 'frontier(table)'))} if {body})"

    def clamped(self, text: str, hi: int, lo: int = 0) -> str:
        return text if self.risky() else f"min({hi}, max({lo}, {text}))"

    # effects

    def assignment(self) -> list[str]:
        """Something but the layout is changed."""
        r = self.r
        options: list[Callable[[], list[str]]] = [
            lambda: [f"n = {self.clamped(self.number(), 3)}"],
            lambda: [f"n = n + 1 if n < 3 else {r.randint(0, 1)}"],
            lambda: [f"flag = {self.truth(1)}"],
            lambda: ["flag = not flag"],
            lambda: [f"score[{self.player()}] = {self.clamped(self.number(), 3)}"],
            lambda: [f"out {r.choice(('+=', '-='))} {self.player()}"],
            lambda: [f"phase = {r.choice(('build', 'rest'))}"],
            lambda: ["phase = rest if phase == build else build"],
            lambda: [f"if {self.truth(1)}:", *("    " + x for x in self.assignment()), *self._otherwise()],
            *(self.figure_assignments() if self.chance(0.5) else []),
        ]
        if ("head", "edge") in self.variables or self.maybe_head:
            options += [lambda: [f"head = {self.new_head()}"]] * 2
        if ("here", "cell") in self.variables:
            options += [lambda: [f"here = {self.cell()}"]] * 2
        if ("mark", "mark") in self.variables:
            options.append(lambda: [f"mark = {self.cell()} if {self.truth(1)} else {r.choice(('none', 'mark'))}"])
        if ("stone", "part") in self.variables:
            options += [lambda: [f"stone = {self.part()}"]] * 2
        if ("next", "face") in self.variables:
            options.append(lambda: [f"next = {self.face()}"])
        if ("marks", "squares") in self.variables and not self.bordered and self.chance(0.5):
            options.append(
                lambda: [f"marks = {{c for c in table if {self.inner('c', 'cell', lambda: self.laid_truth('c', 0))}}}"]
            )
        if self.effects:
            options.append(lambda: [self.call_effect()])
        if self.chance(0.25):
            k = self.name("k")
            options.append(
                lambda: [f"for {k} in {r.choice(('Few', '{0, 1}', 'Player'))}:", *("    " + x for x in self._looped(k))]
            )
        return r.choice(options)()

    def _looped(self, k: str) -> list[str]:
        self.scope.append((k, "number"))
        found = self.assignment()
        if self.chance(0.4):
            found += [self.laying(f"step({self.cell(0)}, {self.side()}, {k})")]
        self.scope.pop()
        return found

    def _otherwise(self) -> list[str]:
        return ["else:", *("    " + x for x in self.assignment())] if self.chance(0.4) else []

    def new_head(self) -> str:
        if self.maybe_head and self.chance(0.3):
            return f"none if {self.truth(1)} else {self.edge()}"
        return self.edge()

    def call_effect(self) -> str:
        name, sorts = self.r.choice(self.effects)
        return f"{name}({', '.join(self.argument(s) for s in sorts)})"

    def laying(self, cell: str) -> str:
        return f"table = place(table, {cell}, {self.face()}, {self.rotation()})"

    def statements(self) -> list[str]:
        return [x for _ in range(self.r.choice((0, 1, 1, 2))) for x in self.assignment()]

    # rules

    def build(self, questions: int = 4) -> dict[str, object]:
        """The whole rules file as plain data."""
        r = self.r
        self.plan = self.small_plan()
        self.players = r.choice((1, 2, 2, 3))
        game: dict[str, object] = {"tablelaw": 1, "game": "random", "title": "Random", "players": self.players}
        game["options"] = {
            "faces": {"kind": "reading", "question": "Joined?", "values": list(SPLIT), "default": r.choice(SPLIT)}
        }  # fmt: skip
        types: dict[str, object] = {"Hue": ["red", "blue"], "Phase": ["build", "rest"], "Few": "0..2"}
        game["types"] = types
        game["pieces"] = {"Tile": self.plan.declared()}
        state = self._state()
        self.figure_state(state, types)
        game["state"] = state
        self._defines(game)
        self._effects(game)
        self._actions(game)
        ends = [self._end() for _ in range(r.choice((0, 1, 1, 2)))]
        if ends:
            game["end"] = ends
        if questions:
            game["questions"] = {f"q{i}": self._question() for i in range(questions)}
        return game

    def small_plan(self) -> Plan:
        """Few faces that lie in few ways."""
        while True:
            plan = Planner(self.r).plan("Tile")
            pieces = plan.pieces()
            if sum(len(q) for q in pieces.rotations.values()) <= 6 and len(plan.faces) <= 3:
                return plan

    def _state(self) -> dict[str, object]:
        r = self.r
        self.bordered = self.chance(0.4)
        state: dict[str, object] = {"turn": {"type": "Player", "init": 0}}
        start = {}
        if self.bordered:
            w, h = r.choice(((1, 2), (2, 1), (2, 2), (1, 3), (2, 3), (3, 2)))
            kind, self.limit = f"layout[Tile, {w}, {h}]", w * h
        else:
            self.limit = r.choice((2, 2, 3, 4))
            kind = f"layout[Tile, {self.limit}]"
        if self.chance(0.3):
            start = {"(0, 0)": f"{self.const_face()}/{r.randrange(4) if self.plan.free else 0}"}
        state["table"] = {"type": kind, "init": start}
        state["n"] = {"type": "0..3", "init": 0}
        state["flag"] = {"type": "bool", "init": self.chance(0.5)}
        state["phase"] = {"type": "Phase", "init": r.choice(("build", "rest"))}
        state["out"] = {"type": "set[Player]", "init": "set()"}
        state["score"] = {"type": "map[Player, 0..3]", "init": 0}
        state["hand"] = {"type": "bag[Tile, 2]", "init": "bag()" if self.chance(0.5) else {self.const_face(): r.randint(1, 2)}}
        self.variables = [("n", "number"), ("flag", "truth"), ("turn", "player")]
        form = r.randrange(4)
        if form == 0:
            self.maybe_head = True
            state["head"] = {"type": "maybe[Edge]", "init": "none"}
        elif form < 3:
            init: object = f"edge((0, 0), {r.choice(SIDES)})"
            if self.bordered and self.chance(0.3):
                init = {"any": "rim(table)"}
            state["head"] = {"type": "Edge", "init": init}
            self.variables.append(("head", "edge"))
        if self.chance(0.3):
            state["here"] = {"type": "Cell", "init": "(0, 0)"}
            self.variables.append(("here", "cell"))
        if self.chance(0.3):
            state["next"] = {"type": "Tile", "init": self.const_face()}
            self.variables.append(("next", "face"))
        if self.chance(0.25):
            state["stone"] = {"type": "Part", "init": f"part((0, 0), {self.placed_kind()})"}
            self.variables.append(("stone", "part"))
        if self.chance(0.2):
            state["mark"] = {"type": "maybe[Cell]", "init": "none"}
            self.variables.append(("mark", "mark"))
        return state

    def _with_arguments(self, sorts: list[str], make: Callable[[], object], stems: dict[str, str]) -> tuple[str, object]:
        """Typed arguments as text, and what is made with them in scope; the names are those that parameters have too."""
        kinds = {"cell": "Cell", "edge": "Edge", "face": "Tile", "rotation": "Rotation", "player": "Player", "number": "Few"}
        names = [stems.get(s) or self.name("a") for s in sorts]
        kept = len(self.scope)
        self.scope += list(zip(names, sorts, strict=True))
        found = make()
        del self.scope[kept:]
        return ", ".join(f"{n} in {kinds[s]}" for n, s in zip(names, sorts, strict=True)), found

    def _sorts(self, *of: str) -> list[str]:
        return self.r.sample(of, self.r.choice((0, 1, 1, 2)))

    def _defines(self, game: dict[str, object]) -> None:
        found: dict[str, object] = self.figure_defines()
        top = self.extreme()
        found["top()"] = top
        waiting: list[tuple[str, list[str], str]] = [("top", [], "number")]
        for _ in range(self.r.choice((0, 1, 1))):
            sorts, result = self._sorts("cell", "edge", "face", "rotation"), self.r.choice(("truth", "number"))
            name = self.name("d")
            make = (lambda: self.truth(1)) if result == "truth" else self.number
            args, body = self._with_arguments(sorts, make, {} if self.chance(0.5) else STEMS)
            found[f"{name}({args})"] = body
            waiting.append((name, sorts, result))
        self.defines = waiting
        game["define"] = found

    def _effects(self, game: dict[str, object]) -> None:
        mine = self.figure_effects()
        if mine:
            game["effects"] = mine
            self.counted.append("home")
        if not self.chance(0.4):
            return
        sorts, name = self._sorts("cell", "edge", "face", "rotation", "player"), self.name("e")
        args, clauses = self._with_arguments(sorts, lambda: self._clauses(self._body), {} if self.chance(0.3) else STEMS)
        game["effects"] = {**mine, f"{name}({args})": clauses}
        self.effects.append((name, sorts))

    def _body(self) -> list[str]:
        found = self.assignment()
        if self.named("cell") and self.chance(0.5):
            found += [*(self.assignment() if self.chance(0.4) else []), self.laying(self.r.choice(self.named("cell")))]
        return found

    def _clauses(self, body: Callable[[], list[str]]) -> list[dict[str, object]]:
        found: list[dict[str, object]] = []
        for _ in range(self.r.choice((1, 2))):
            clause: dict[str, object] = {"id": self.name("c"), "says": "Something happens."}
            self.counted.append(str(clause["id"]))
            if self.chance(0.4):
                clause["when"] = self.truth(1)
            clause["do"] = "\n".join(body())
            found.append(clause)
        return found

    def _actions(self, game: dict[str, object]) -> None:
        found: dict[str, object] = {}
        makers = [
            self._lay,
            *(self.r.choice((self._lay, self._other, self._other)) for _ in range(self.r.choice((0, 1, 1, 2)))),
        ]
        if self.chance(0.4):
            makers.append(self._table)
        for make in makers:
            name = {self._lay: "lay", self._table: "tidy"}.get(make, "do")
            name = self.name(name)
            found[name] = make()
            if self.chance(0.8):
                self.askable.append(name)
            self.counted.append(name)
        if self.chance(0.15):
            found = dict(reversed(found.items()))
        game["actions"] = found

    def _lay(self) -> dict[str, object]:
        """A piece is laid."""
        r = self.r
        action: dict[str, object] = {"by": "turn", "says": "A piece is laid."}
        if self.chance(0.4):
            action["during"] = r.choice(("phase == build", "size(table) < 3", self.truth(1)))
        self.actor = True
        params: dict[str, object] = {}
        form = r.randrange(6)
        if form < 3:
            params["cell"] = r.choice(
                ("frontier(table)", "frontier(table)", "frontier(table, apart=2)", "{c for c in frontier(table) if c.x >= 0}")
            )
            self.scope.append(("cell", "cell"))
            cell = "cell"
        elif form == 3 and self.plan.kinds:
            params["way"] = f"open_edges(table, {self.kind()})"
            self.scope.append(("way", "edge"))
            cell = "way.cell"
        elif ("here", "cell") in self.variables and self.chance(0.5):
            cell = "here"
        else:
            cell = "head.cell" if self.named("edge") else "(0, 0)"
        face = self.const_face()
        if self.chance(0.7):
            params["face"] = r.choice(("Tile", "hand", "{" + face + "}"))
            self.scope.append(("face", "face"))
            face = "face"
        elif ("next", "face") in self.variables:
            face = "next"
        rotation = "0"
        if self.plan.free and self.chance(0.5):
            params["q"] = r.choice((f"rotations({face})", f"rotations({face})", "Rotation", "{0, 1}"))
            self.scope.append(("q", "rotation"))
            rotation = "q"
        if params:
            action["params"] = params
        laid = f"{cell}, {face}, {rotation}"
        checks: list[dict[str, object]] = []
        if self.chance(0.75):
            checks.append({"id": self.name("r"), "says": "It fits.", "check": f"fits(table, {laid})"})
        else:
            most = self.r.randint(1, self.limit)
            checks.append(
                {"id": self.name("r"), "says": "Few pieces.", "check": f"size(table) < {most} and {cell} not in table"}
            )
        if self.chance(0.25):
            ahead = f"features(place(table, {laid}), {self.kind()})"
            test = r.choice((f"size({ahead}) <= {r.randint(0, 2)}", f"all(f.size < {r.randint(1, 3)} for f in {ahead})"))
            checks.append({"id": self.name("r"), "says": "Not so.", "check": f"fits(table, {laid}) and {test}"})
        checks += self._checks()
        action["require"] = checks
        draws = self._draws() if self.chance(0.3) else {}
        if draws:
            action["chance"] = draws
        lays = f"table = place(table, {laid})"
        if self.effects and self.chance(0.3) and any("cell" in s for _, s in self.effects):
            lays = self.call_effect()
        body = [*(self.statements() if self.chance(0.3) else []), lays, *self.statements()]
        if "hand" in str(params.get("face")) and self.chance(0.7):
            body.append("hand[face] -= 1")
        if (("head", "edge") in self.variables or self.maybe_head) and "way" in params and self.chance(0.6):
            body.append(f"head = {r.choice(('follow(table, way)', 'way', 'across(way)'))}")
        return self._closed(action, body)

    def _other(self) -> dict[str, object]:
        """Something else is done; pieces are taken away, or rolled."""
        r = self.r
        action: dict[str, object] = {"by": "turn" if self.chance(0.8) else self.player(), "says": "Something is done."}
        if self.chance(0.5):
            action["during"] = r.choice(("phase == rest", "flag", self.truth(1)))
        self.actor = True
        if self.chance(0.4):
            usual = [
                ("player", "Player"),
                ("number", "0..2"),
                ("face", "Tile"),
                ("cell", "{c for c in table}"),
                ("face", "hand"),
            ]
            sort, text = r.choice([*usual, *self.figure_params()])
            name = self.name("p")
            action["params"] = {name: text}
            self.scope.append((name, sort))
        checks = self._checks()
        if checks:
            action["require"] = checks
        draws = self._draws() if self.chance(0.5) else {}
        if draws:
            action["chance"] = draws
        body = self.assignment()
        if self.named("figure"):
            body.append(f"standing -= {self.named('figure')[0]}")
        if self.chance(0.5):
            body = [*(self.statements() if self.chance(0.3) else []), "reset(table)", *body]
        return self._closed(action, body)

    def _table(self) -> dict[str, object]:
        """The table tidies up."""
        r = self.r
        action: dict[str, object] = {"by": "table", "says": "It is put in order."}
        lays = [a for a in self.askable if a.startswith("lay")]
        tests = ["flag", "phase == rest", self.truth(1)]
        if lays:
            tests += [f"not can({r.choice(lays)})"] * 3
        action["during"] = f"{r.choice(tests)} and {r.choice(('n < 3', 'size(table) > 1', 'phase == build'))}"
        body = r.choice((["reset(table)"], [], ["reset(table)", "n = 0"]))
        change = r.choice((["n = n + 1 if n < 3 else 3"], ["phase = rest if phase == build else build"], ["flag = not flag"]))
        return self._closed(action, [*body, *change, *(self.assignment() if self.chance(0.3) else [])])

    def _closed(self, action: dict[str, object], body: list[str]) -> dict[str, object]:
        """The action with its effects; its names go out of scope."""
        if action["by"] != "table" and self.chance(0.6):
            body.append("turn = after(turn)")
        if self.chance(0.3):
            half = len(body) // 2
            parts = (
                [body]
                if any(x.startswith((" ", "else", "if", "for")) for x in body) or not half
                else [body[:half], body[half:]]
            )
            clauses: list[dict[str, object]] = []
            for lines in parts:
                clause: dict[str, object] = {"id": self.name("c"), "says": "This happens.", "do": "\n".join(lines)}
                self.counted.append(str(clause["id"]))
                if clauses and self.chance(0.5):
                    clause = {"id": clause["id"], "says": "This happens.", "when": self.truth(1), "do": clause["do"]}
                clauses.append(clause)
            action["do"] = clauses
        else:
            action["do"] = "\n".join(body)
        self.scope.clear()
        self.actor = False
        return action

    def _checks(self) -> list[dict[str, object]]:
        found: list[dict[str, object]] = []
        for _ in range(self.r.choice((0, 0, 1, 1, 2))):
            check: dict[str, object] = {"id": self.name("r"), "says": "A rule.", "check": f"{self.truth(1)} or {self.truth(1)}"}
            if found and self.chance(0.4):
                check["excepts"] = found[0]["id"]
            found.append(check)
        return found

    def _draws(self) -> dict[str, object]:
        r, name = self.r, self.name("g")
        form = r.randrange(5)
        if form == 0:
            self.scope.append((name, "number"))
            return {name: "die(2)"}
        if form == 1:
            self.scope.append((name, "hand"))
            return {name: f"roll({r.choice(('1', '2', 'size(out) % 3', 'min(2, size(table))'))}, Tile)"}
        if form == 2:
            self.scope.append((name, "face"))
            return {name: f"die([{self.const_face()}, {self.const_face()}])"}
        if form == 3 and self.risky():
            self.scope.append((name, "face"))
            return {name: "draw(hand)"}
        self.scope.append((name, "truth"))
        return {name: "one_of({true: 1/3, false: 2/3})"}

    def _end(self) -> dict[str, object]:
        end: dict[str, object] = {"id": self.name("end"), "says": "It ends.", "when": f"{self.truth(1)} and {self.truth(2)}"}
        if self.chance(0.6):
            end["winners"] = self.r.choice(
                ("{turn}", "out", "{p for p in Player if score[p] > 0}", f"{{p for p in Player if {self.truth(1)}}}")
            )
        return end

    # questions

    def _question(self) -> dict[str, object]:
        r = self.r
        self.asking = True
        kind = r.choice(
            ("always", "always", "claim", "claim", "never", "reach", "progress", "terminates", "largest", "smallest", "count")
        )
        self.steps = kind in ("always", "never", "reach") and self.chance(0.3)
        found: dict[str, object]
        if kind == "claim":
            found = {"always": self.claim()}
        elif kind in ("progress", "terminates"):
            found = {kind: True}
        elif kind in ("largest", "smallest"):
            found = {kind: r.choice((self.number(), "size(table)", "top()"))}
            if self.chance(0.5):
                found["where"] = self.truth(1)
        elif kind == "count":
            found = {kind: r.choice(("states", "states", "plays"))}
        else:
            found = {kind: self.truth(2)}
        self.asking = self.steps = False
        return found

    def claim(self) -> str:
        """What is said of every edge or square."""
        r = self.r
        if self.chance(0.3):
            c = self.name("c")
            tests = (f"table[{c}].face == {self.face()}", f"table[{c}].rotation == {self.rotation()}", f"{c} in table")
            text = f"all({r.choice(tests)} for {c} in table)"
            if self.chance(0.3):
                text = f"all({c} in table and table[{c}].face == old(table[{c}].face) for {c} in old(table))"
        elif self.chance(0.25):
            e = self.name("e")
            before = r.choice((f"old(shows(table, {e}))", f"old(shows(table, across({e})))"))
            domain = r.choice(("old(edges(table))", "edges(old(table))", "edges(table)"))
            text = f"all(shows(table, {e}) {r.choice(('==', '<=', '>='))} {before} for {e} in {domain})"
        else:
            e = self.name("e")
            test = r.choice(("", "", f" if across({e}).cell in table", f" if {e}.side == {self.side()}"))
            body = self.inner(e, "edge", lambda: self.edge_truth(e))
            text = f"all({body} for {e} in edges(table){test})"
        return r.choice((text, text, f"{text} or {self.truth(1)}", f"{text} and {self.truth(1)}"))


SPLIT = ("joined", "split")
STEMS = {"cell": "cell", "edge": "way", "face": "face", "rotation": "q"}
"""Names of arguments that are also those of parameters."""


def random_board_game(seed: int | random.Random, wild: float = 0.02, questions: int = 4) -> str:
    """The text of a random game on a board; `wild` is how often it dares what may have no value. Not always sound."""
    r = seed if isinstance(seed, random.Random) else random.Random(seed)
    game = BoardMaker(r, wild).build(questions)
    pieces = json.dumps(game.pop("pieces"))
    return f"{written(game)}\npieces: {pieces}\n"


def sound(seed: int, wild: float = 0.02, questions: int = 4) -> tuple[str, Game]:
    """A sound game on a board, seldom one that stands still at once; the same seed always gives the same game."""
    r = random.Random(seed)
    while True:
        text = random_board_game(r, wild, questions)
        game, _ = checked(text)
        if game is not None and (lively(game) or r.random() < 0.1):
            return text, game


# games that a symmetry leaves as they are


def symmetric_game(r: random.Random) -> str:
    """The text of a small game whose rules name no place and no side, mostly: of pieces laid beside each other."""
    while True:
        plan = Planner(r).plan("Tile")
        pieces = plan.pieces()
        if plan.free and len(plan.faces) <= 2 and sum(len(q) for q in pieces.rotations.values()) <= 5:
            break
    kind, kinds = r.choice(list(plan.kinds)), list(plan.kinds)
    players = r.choice((1, 2, 2, 3))
    side = r.choice((2, 2, 3))
    board = r.choice((f"layout[Tile, {r.choice((2, 3))}]", f"layout[Tile, {side}, {side}]"))
    state: dict[str, object] = {
        "turn": {"type": "Player", "init": 0},
        "table": {"type": board, "init": {}},
        "n": {"type": "0..3", "init": 0},
    }
    effects = ["table = place(table, cell, face, q)"]
    checks = ["fits(table, cell, face, q)", f"size(table) < {r.choice((1, 2, 2, 3))}"]
    if r.random() < 0.3:
        state["head"] = {"type": "maybe[Edge]", "init": "none"}
        where = "edge(cell, rotated(N, q))"
        effects.append(f"head = {r.choice((where, f'follow(table, {where})'))}")
    if r.random() < 0.3:
        state["mark"] = {"type": "maybe[Cell]", "init": "none"}
        effects.append("mark = cell")
    if r.random() < 0.3:
        state["out"] = {"type": "set[Player]", "init": "set()"}
        effects.append("out += turn")
    if r.random() < 0.3:
        state["score"] = {"type": "map[Player, 0..2]", "init": 0}
        effects.append(f"score[turn] = min(2, size(features(table, {kind})))")
    if r.random() < 0.2:
        state["last"] = {"type": "Rotation", "init": 0}
        effects.append("last = q")
    if r.random() < 0.6:
        effects.append(f"n = min(3, max({{0}} | {{f.size for f in features(table, {r.choice(kinds)}) if f.closed}}))")
    if r.random() < 0.4:
        checks.append(f"all(f.size < 3 for f in features(place(table, cell, face, q), {kind}))")
        checks[-1] = f"{checks[0]} and {checks[-1]}"
    broken = ["cell.x >= 0", "q != 1", "turn == 0", "(cell != (1, 0))", f"(not {kind} in shows(face, q, N))"]
    if r.random() < 0.4:
        checks.append(r.choice(broken))
    if r.random() < 0.8:
        effects.append("turn = after(turn)")
    actions: dict[str, object] = {
        "lay": {
            "by": "turn",
            "params": {"cell": "frontier(table)", "face": "Tile", "q": r.choice(("rotations(face)", "Rotation"))},
            "require": [{"id": f"r{i}", "says": "A rule.", "check": c} for i, c in enumerate(checks)],
            "do": "\n".join(effects),
        }
    }
    if r.random() < 0.3:
        actions["clear"] = {"by": "turn", "during": "size(table) == 2", "do": "reset(table)\nturn = after(turn)"}
    names = [x for x in ("players", "translation", "rotation", "reflection") if r.random() < 0.6] or ["rotation"]
    asked: dict[str, object] = {"count": "states", "up_to": names}
    if r.random() < 0.4:
        asked["where"] = r.choice((f"any(f.closed for f in features(table, {kind}))", "size(table) == 2", "n > 0"))
    game = {
        "tablelaw": 1, "game": "random", "title": "Random", "players": players,
        "options": {"faces": {"kind": "reading", "question": "Joined?", "values": ["joined", "split"], "default": "joined"}},
        "types": {"Hue": ["red", "blue"]}, "state": state, "actions": actions, "questions": {"q": asked},
    }  # fmt: skip
    return f"{written(game)}\npieces: {json.dumps({'Tile': plan.declared()})}\n"
