"""Writes source for a model, in Python or C (`tongues`): successors of a packed state, and formulas on packed states.

Inputs are loops; each condition stands in the outermost loop that knows its terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, cast

from tablelaw.solver.ir import Model, Move, Term, walk
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.pack import packing
from tablelaw.solver.space.tongues import C, Python

DEEPEST = 24


class Writer:
    """Statements with names for terms that are used more than once."""

    def __init__(self, tongue: Python, first: str = "s") -> None:
        self.tongue = tongue
        self.names: dict[int, str] = {}
        self.depths: dict[int, int] = {}
        self.count = 0
        self.first = first

    def load(self, terms: Iterable[Term], indent: int) -> None:
        """Unpack the slots that the terms read, but for those among which an index chooses."""
        for t in _read(terms):
            if t.uid not in self.names:
                i = t.number
                name = f"{'v' if t.op == 'var' else 'w'}{i}"
                self.tongue.let(indent, name, self.tongue.field(self.first if t.op == "var" else "n", i))
                self.names[t.uid] = name

    def share(self, terms: list[Term], indent: int, keep: Callable[[Term], bool], often: dict[int, int] | None = None) -> None:
        """Name the terms below these that are used more than once (or nest too deep), arguments first."""
        order = walk(terms)
        uses: dict[int, int] = dict(often or {})
        for t in order:
            for a in t.args:
                uses[a.uid] = uses.get(a.uid, 0) + 1
        for t in terms:
            uses[t.uid] = uses.get(t.uid, 0) + 1
        for t in order:
            deep = 1 + max((self.depths.get(a.uid, 0) for a in t.args), default=0)
            if t.args and t.uid not in self.names and ((uses[t.uid] > 1 and keep(t)) or deep > DEEPEST):
                text = self.text(t)
                name = f"t{self.count}"
                self.count += 1
                self.tongue.let(indent, name, text)
                self.names[t.uid] = name
                deep = 0
            self.depths[t.uid] = 0 if t.uid in self.names else deep

    def text(self, t: Term) -> str:
        """The source of a term."""
        name = self.names.get(t.uid)
        if name is not None:
            return name
        match t.op:
            case "const":
                return self.tongue.number(t.number)
            case "input":
                return f"i{t.number}"
            case "actor":
                return "a"
            case "var" | "next":
                return f"({self.tongue.field(self.first if t.op == 'var' else 'n', t.number)})"
            case "select":
                return self._select(t)
        return self.tongue.term(t, [self.text(x) for x in t.args])

    def _select(self, t: Term) -> str:
        index, items = t.args[0], t.args[1:]
        if all(i.op == "const" for i in items):
            return self.tongue.looked_up(tuple(i.number for i in items), self.text(index))
        lo, used = index.lo, items[index.lo : index.hi + 1]
        if self._alike(used):
            source = self.first if used[0].op == "var" else "n"
            return self.tongue.field_at(source, [i.number for i in used], self.text(index), lo)
        return self.tongue.chosen([self.text(i) for i in used], self.text(index), lo)

    def _alike(self, items: tuple[Term, ...]) -> bool:
        pack = self.tongue.pack
        kinds = {(i.op, pack.masks[i.number], pack.lows[i.number]) for i in items if i.op in ("var", "next")}
        return len(kinds) == 1 and all(i.op in ("var", "next") for i in items)

    def source(self) -> str:
        """All of it, tables first."""
        return self.tongue.source()


def _read(terms: Iterable[Term]) -> list[Term]:
    """The slots that are read by name: one of several, chosen by an index, is found by its place."""
    terms = list(terms)
    found = {t.uid: t for t in terms}
    for t in walk(terms):
        placed = t.op == "select" and all(i.op in ("var", "next") for i in t.args[1:])
        found.update((a.uid, a) for a in (t.args[:1] if placed else t.args))
    return [t for t in found.values() if t.op in ("var", "next")]


def parts_of(t: Term) -> tuple[Term, ...]:
    """The conditions of a conjunction."""
    return t.args if t.op == "and" else (t,)


class _Successors:
    """Writes one successor function."""

    def __init__(self, model: Model, tongue: Python, tagged: bool, weighed: bool = False) -> None:
        self.weighed = weighed
        self.model = model
        self.tongue = tongue
        self.tagged = tagged
        self.w = Writer(tongue)
        self.going = model.terms.no(model.ended)

    def write(self, heading: str) -> str:
        """A function that puts successors into `out`, which is empty."""
        w, model, tongue = self.w, self.model, self.tongue
        tongue.stand_for(model.among)
        tongue.begin(heading)
        roots = [t for m in model.moves for t in self._roots(m)]
        w.load([model.ended, *(c for c, _ in model.end_faults), *roots], 1)
        often: dict[int, int] = {}
        for m in model.moves:
            for t in {x.uid for x in walk(self._roots(m))}:
                often[t] = often.get(t, 0) + 1
        w.share([model.ended], 1, lambda t: t.level < 0, {u: n - 1 for u, n in often.items() if n > 1})
        wrong = [c for c, _ in model.end_faults]
        if wrong:
            w.share(wrong, 1, lambda t: True)
            tongue.when(1, [self._any(wrong)])
            tongue.broken(2, self.tagged, self.weighed)
        if model.ended.op != "const" or model.ended.number:
            tongue.when(1, [w.text(model.ended)])
            tongue.leave(2)
        if self.tagged:
            tongue.count(1)
        self._shared(often)
        table = [m for m in model.moves if m.table]
        for m in table:
            self._move(m, 1)
        if table:
            tongue.leave_where_any(1)
        for m in model.moves:
            if not m.table:
                self._move(m, 1)
        tongue.leave(1)
        return w.source()

    def _shared(self, often: dict[int, int]) -> None:
        """Terms of the state alone that several moves use are reckoned once, before the moves."""
        wanted = [
            t
            for m in self.model.moves
            for r in self._roots(m)
            for t in walk([r])
            if t.level < 0 and t.args and often.get(t.uid, 0) > 1
        ]
        seen: dict[int, Term] = {t.uid: t for t in wanted if t is not self.going}
        costly = [t for t in seen.values() if self._weight(t) >= 3]
        self.w.share(costly, 1, lambda t: t.uid in seen and self._weight(t) >= 3, often)

    def _weight(self, t: Term) -> int:
        return sum(1 for x in walk([t]) if x.args) if t.args else 0

    def _roots(self, m: Move) -> list[Term]:
        inputs = [b for i in m.inputs for b in (i.least, i.most)]
        faults = [c for c, _ in (*m.legality_faults, *m.faults)]
        old = [self.model.var(i) for i in m.updates]
        guards = [p for p in parts_of(m.guard) if p is not self.going]
        weight = [m.weight] if self.weighed and m.weight is not None else []
        return [*guards, m.draw_guard, m.actor, *inputs, *faults, *m.updates.values(), *old, *weight]

    def _move(self, m: Move, indent: int) -> None:
        """The loops of one move. Level k knows the inputs before k; level 0 knows the state alone."""
        w, tongue = self.w, self.tongue
        names, depths = dict(w.names), dict(w.depths)
        conditions = [p for p in parts_of(m.guard) if p is not self.going]
        draws = list(parts_of(m.draw_guard))
        legal_levels = len(m.choices)
        indent = tongue.part(indent, m.action)
        known = {p.uid: self._level(m, p) for p in conditions}
        for level in range(len(m.inputs) + 1):
            mine = [p for p in conditions if known[p.uid] == level and (p.op != "const" or not p.number)]
            later = self._later(m, level)
            wrong = [c for c, _ in m.legality_faults if c.level + 1 == level]
            possible = [p for p in draws if max(p.level + 1, legal_levels) == level and (p.op != "const" or not p.number)]
            if wrong:
                w.share(wrong, indent, lambda t: True)
                for c in wrong:
                    tongue.when(indent, self._strip(c))
                    tongue.broken(indent + 1, self.tagged, self.weighed)
            w.share(mine, indent, lambda t, lv=level: t.level + 1 <= lv)  # type: ignore[misc]
            if mine:
                tongue.when(indent, [w.text(p) for p in mine])
                indent += 1
            if level == legal_levels and self.tagged:
                tongue.tag(indent, "0" if m.table else f"{w.text(m.actor)} + 1")
            hoist = [t for t in later if t.level + 1 <= level and t.args]
            w.share(hoist, indent, lambda t, lv=level: t.level + 1 <= lv)  # type: ignore[misc]
            if level >= legal_levels:
                bad = [c for c, _ in m.faults if max(c.level + 1, legal_levels) == level]
                if bad:
                    w.share(bad, indent, lambda t: True)
                    tongue.when(indent, [self._any(bad)])
                    tongue.fault(indent + 1, self.tagged, self.weighed)
                    tongue.otherwise(indent)
                    indent += 1
            if possible:
                w.share(possible, indent, lambda t, lv=level: t.level + 1 <= lv)  # type: ignore[misc]
                tongue.when(indent, [w.text(p) for p in possible])
                indent += 1
            if level < len(m.inputs):
                i = m.inputs[level]
                if i.least is i.most:
                    tongue.let(indent, f"i{level}", w.text(i.least))
                else:
                    tongue.loop(indent, f"i{level}", w.text(i.least), w.text(i.most))
                    indent += 1
        self._emit(m, indent)
        w.names, w.depths = names, depths

    def _level(self, m: Move, p: Term) -> int:
        """The level at which a condition of legality is asked: not before a fault that arises even where it does not hold."""
        return max([p.level + 1, *(c.level + 1 for c, _ in m.legality_faults if p not in parts_of(c))])

    def _later(self, m: Move, level: int) -> list[Term]:
        """Terms known at this level that deeper loops use."""
        if level == len(m.inputs):
            return []
        roots = [t for t in self._roots(m) if t.level + 1 > level]
        found = []
        for t in walk(roots):
            if t.args and t.level + 1 > level:
                found += [a for a in t.args if a.args and a.level + 1 <= level]
        found += [t for t in self._roots(m) if t.args and t.level + 1 <= level and t not in parts_of(m.guard)]
        return list({t.uid: t for t in found}.values())

    def _strip(self, c: Term) -> list[str]:
        return [self.w.text(p) for p in parts_of(c) if p is not self.going] or [self.w.text(self.model.terms.true)]

    def _any(self, tests: list[Term]) -> str:
        return self.w.text(self.model.terms.any(tests))

    def _emit(self, m: Move, indent: int) -> None:
        w = self.w
        w.share(list(m.updates.values()), indent, lambda t: True)
        changes = [(i, w.text(self.model.var(i)), w.text(new)) for i, new in m.updates.items()]
        if self.weighed and m.weight is None:
            raise Unlowerable(f"the weights of the draws of `{m.action}` are not told in whole numbers")
        weight = w.text(m.weight) if self.weighed and m.weight is not None else None
        self.tongue.successor(indent, changes, "g" if self.tagged else None, weight)


def weighed_source(model: Model) -> str:
    """Source of `weighed(s, out)`: triples of tag, successor and weight (see `ir.Move.weight`). Raises `Unlowerable`."""
    return _Successors(model, Python(packing(model.slots)), True, True).write("weighed(s, out)")


def successor_source(model: Model, tagged: bool = False) -> str:
    """Source of `successors(s, out)`: appends each successor, -1 for a step that has a fault.

    Tagged: `tagged(s, out)` appends pairs; the tag is the number of the choice (from 1) times 32 plus the player who
    chooses plus 1 (0: the table).
    """
    name = "tagged" if tagged else "successors"
    return _Successors(model, Python(packing(model.slots)), tagged).write(f"{name}(s, out)")


def formula_source(model: Model, term: Term, name: str) -> str:
    """Source of `name(s, n, a)`: the term's value where `var` reads s, `next` reads n and the actor is a."""
    return _formula(Python(packing(model.slots)), term, f"{name}(s, n=0, a=-1)")


def native_successors(model: Model, tagged: bool = False) -> str:
    """The same in C; `count` and `faults` of the buffer tell of steps. Raises `Unlowerable` where words are too small."""
    name = "tagged" if tagged else "successors"
    return _Successors(model, C(packing(model.slots), name), tagged).write(f"static void {name}(const u64 *s, Out *out)")


def native_one(model: Model, name: str) -> str:
    """C of `name_one(s)`, which makes a state the image that stands for all, and `name_images(s)`: how many there are."""
    tongue = C(packing(model.slots), name)
    tongue.stand_for(model.among)
    tongue.count_images(model.among)
    return tongue.source()


def native_weighed(model: Model) -> str:
    """`weighed` in C: successors with tags and weights. Raises `Unlowerable`."""
    tongue = C(packing(model.slots), "weighed")
    return _Successors(model, tongue, True, True).write("static void weighed(const u64 *s, Out *out)")


def native_formula(model: Model, term: Term, name: str) -> str:
    """The same in C. Raises `Unlowerable`."""
    return _formula(C(packing(model.slots), name), term, f"static i64 {name}(const u64 *s, const u64 *n, i64 a)")


def _formula(tongue: Python, term: Term, heading: str) -> str:
    w = Writer(tongue)
    tongue.begin(heading)
    w.load([term], 1)
    w.share([term], 1, lambda t: True)
    tongue.give(1, w.text(term))
    return w.source()


@dataclass(frozen=True, slots=True)
class Compiled:
    """A function made from generated source, and that source."""

    source: str
    call: Callable[..., Any]


def compiled(source: str, name: str) -> Compiled:
    """Make the function; the source is ours, written by this module from checked terms."""
    space: dict[str, object] = {}
    exec(compile(source, f"<generated {name}>", "exec"), space)
    return Compiled(source, cast("Callable[..., Any]", space[name]))
