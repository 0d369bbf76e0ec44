"""Writes Python source for a model: successors of a packed state, and formulas on packed states.

The text uses whole numbers, one output buffer and plain loops only, so that a compiled back end can take the same
structure. Inputs are loops; each condition stands in the outermost loop that knows its terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, cast

from tablelaw.solver.ir import Model, Move, Term, walk
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.pack import Packing, packing

_BINARY = {"add": "+", "sub": "-", "mul": "*", "xor": "^", "eq": "==", "lt": "<", "le": "<="}
DEEPEST = 24


class Writer:
    """Lines of source with names for terms that are used more than once."""

    def __init__(self, pack: Packing, first: str = "s") -> None:
        self.pack = pack
        self.lines: list[str] = []
        self.tables: dict[tuple[int, ...], str] = {}
        self.names: dict[int, str] = {}
        self.depths: dict[int, int] = {}
        self.count = 0
        self.first = first

    def line(self, indent: int, text: str) -> None:
        self.lines.append("    " * indent + text)

    def load(self, terms: Iterable[Term], indent: int) -> None:
        """Unpack the slots that the terms read."""
        for t in walk(terms):
            if t.op in ("var", "next") and t.uid not in self.names:
                i = t.number
                source = self.first if t.op == "var" else "n"
                shift, mask, low = self.pack.shifts[i], self.pack.masks[i], self.pack.lows[i]
                name = f"{'v' if t.op == 'var' else 'w'}{i}"
                value = f"{source} >> {shift} & {mask}" if shift else f"{source} & {mask}"
                self.line(indent, f"{name} = ({value}) + {low}" if low else f"{name} = {value}")
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
                self.line(indent, f"{name} = {text}")
                self.names[t.uid] = name
                deep = 0
            self.depths[t.uid] = 0 if t.uid in self.names else deep

    def text(self, t: Term) -> str:
        """The source of a term."""
        name = self.names.get(t.uid)
        if name is not None:
            return name
        a = [self.text(x) for x in t.args] if t.op != "select" else []
        match t.op:
            case "const":
                return str(t.number) if t.number >= 0 else f"({t.number})"
            case "input":
                return f"i{t.number}"
            case "actor":
                return "a"
            case "not":
                return f"(not {a[0]})"
            case "and":
                return "(" + " and ".join(a) + ")"
            case "or":
                return "(" + " or ".join(a) + ")"
            case "ite":
                return f"({a[1]} if {a[0]} else {a[2]})"
            case "floordiv" | "mod":
                sign = "//" if t.op == "floordiv" else "%"
                zero = t.args[1].lo <= 0 <= t.args[1].hi
                return f"({a[0]} {sign} {a[1]} if {a[1]} else 0)" if zero else f"({a[0]} {sign} {a[1]})"
            case "select":
                return self._select(t)
        return f"({a[0]} {_BINARY[t.op]} {a[1]})"

    def _select(self, t: Term) -> str:
        index, items = t.args[0], t.args[1:]
        if all(i.op == "const" for i in items):
            table = tuple(i.number for i in items)
            name = self.tables.setdefault(table, f"K{len(self.tables)}")
            return f"{name}[{self.text(index)}]"
        lo, used = index.lo, items[index.lo : index.hi + 1]
        at = self.text(index) if lo == 0 else f"{self.text(index)} - {lo}"
        return "(" + ", ".join(self.text(i) for i in used) + f")[{at}]"

    def source(self) -> str:
        """All of it, tables first."""
        return "\n".join([f"{name} = {table!r}" for table, name in self.tables.items()] + self.lines) + "\n"


def parts_of(t: Term) -> tuple[Term, ...]:
    """The conditions of a conjunction."""
    return t.args if t.op == "and" else (t,)


class _Successors:
    """Writes one successor function."""

    def __init__(self, model: Model, tagged: bool, weighed: bool = False) -> None:
        self.weighed = weighed
        self.model = model
        self.pack = packing(model.slots)
        self.tagged = tagged
        self.w = Writer(self.pack)
        self.going = model.terms.no(model.ended)

    def write(self, name: str) -> str:
        w, model = self.w, self.model
        w.line(0, f"def {name}(s, out):")
        w.line(1, "# `out` is empty")
        w.line(1, "pass")
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
            w.line(1, "if " + " or ".join(w.text(c) for c in wrong) + ":")
            self._emit_broken(2)
        if model.ended.op != "const" or model.ended.number:
            w.line(1, f"if {w.text(model.ended)}: return")
        if self.tagged:
            w.line(1, "c = 0")
        self._shared(often)
        table = [m for m in model.moves if m.table]
        for m in table:
            self._move(m, 1)
        if table:
            w.line(1, "if out: return")
        for m in model.moves:
            if not m.table:
                self._move(m, 1)
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
        w = self.w
        names, depths = dict(w.names), dict(w.depths)
        conditions = [p for p in parts_of(m.guard) if p is not self.going]
        draws = list(parts_of(m.draw_guard))
        legal_levels = len(m.choices)
        w.line(indent, f"# {m.action}")
        known = {p.uid: self._level(m, p) for p in conditions}
        for level in range(len(m.inputs) + 1):
            mine = [p for p in conditions if known[p.uid] == level and (p.op != "const" or not p.number)]
            later = self._later(m, level)
            wrong = [c for c, _ in m.legality_faults if c.level + 1 == level]
            possible = [p for p in draws if max(p.level + 1, legal_levels) == level and (p.op != "const" or not p.number)]
            if wrong:
                w.share(wrong, indent, lambda t: True)
                for c in wrong:
                    w.line(indent, f"if {self._strip(c)}:")
                    self._emit_broken(indent + 1)
            w.share(mine, indent, lambda t, lv=level: t.level + 1 <= lv)  # type: ignore[misc]
            if mine:
                w.line(indent, "if " + " and ".join(w.text(p) for p in mine) + ":")
                indent += 1
            if level == legal_levels and self.tagged:
                w.line(indent, "c += 1")
                actor = "0" if m.table else f"{w.text(m.actor)} + 1"
                w.line(indent, f"g = c << 5 | {actor}")
            hoist = [t for t in later if t.level + 1 <= level and t.args]
            w.share(hoist, indent, lambda t, lv=level: t.level + 1 <= lv)  # type: ignore[misc]
            if level >= legal_levels:
                bad = [c for c, _ in m.faults if max(c.level + 1, legal_levels) == level]
                if bad:
                    w.share(bad, indent, lambda t: True)
                    w.line(indent, "if " + " or ".join(w.text(c) for c in bad) + ":")
                    self._emit_fault(indent + 1)
                    w.line(indent, "else:")
                    indent += 1
            if possible:
                w.share(possible, indent, lambda t, lv=level: t.level + 1 <= lv)  # type: ignore[misc]
                w.line(indent, "if " + " and ".join(w.text(p) for p in possible) + ":")
                indent += 1
            if level < len(m.inputs):
                i = m.inputs[level]
                if i.least is i.most:
                    w.line(indent, f"i{level} = {w.text(i.least)}")
                else:
                    w.line(indent, f"for i{level} in range({w.text(i.least)}, {w.text(i.most)} + 1):")
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

    def _strip(self, c: Term) -> str:
        parts = [p for p in parts_of(c) if p is not self.going]
        return " and ".join(self.w.text(p) for p in parts) or "True"

    def _emit_broken(self, indent: int) -> None:
        """What is legal cannot be told: the position has a fault and no step at all."""
        self.w.line(indent, f"out[:] = {self._fault()}")
        self.w.line(indent, "return")

    def _emit_fault(self, indent: int) -> None:
        self.w.line(indent, f"out += {self._fault()}")

    def _fault(self) -> str:
        return "(0, -1, 0)" if self.weighed else "(0, -1)" if self.tagged else "(-1,)"

    def _emit(self, m: Move, indent: int) -> None:
        w = self.w
        changes = []
        w.share(list(m.updates.values()), indent, lambda t: True)
        for i, new in m.updates.items():
            old, shift = self.model.var(i), self.pack.shifts[i]
            delta = f"({w.text(new)} - {w.text(old)})"
            changes.append(f"({delta} << {shift})" if shift else delta)
        if self.tagged:
            w.line(indent, "out.append(g)")
        w.line(indent, "out.append(" + " + ".join(["s", *changes]) + ")")
        if self.weighed:
            if m.weight is None:
                raise Unlowerable(f"the weights of the draws of `{m.action}` are not told in whole numbers")
            w.line(indent, f"out.append({w.text(m.weight)})")


def weighed_source(model: Model) -> str:
    """Source of `weighed(s, out)`: triples of tag, successor and weight (see `ir.Move.weight`). Raises `Unlowerable`."""
    return _Successors(model, True, True).write("weighed")


def successor_source(model: Model, tagged: bool = False) -> str:
    """Source of `successors(s, out)`: appends each successor, -1 for a step that has a fault.

    Tagged: `tagged(s, out)` appends pairs; the tag is the number of the choice (from 1) times 32 plus the player who
    chooses plus 1 (0: the table).
    """
    return _Successors(model, tagged).write("tagged" if tagged else "successors")


def formula_source(model: Model, term: Term, name: str) -> str:
    """Source of `name(s, n, a)`: the term's value where `var` reads s, `next` reads n and the actor is a."""
    w = Writer(packing(model.slots))
    w.line(0, f"def {name}(s, n=0, a=-1):")
    w.load([term], 1)
    w.share([term], 1, lambda t: True)
    w.line(1, f"return {w.text(term)}")
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
