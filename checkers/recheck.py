"""Re-checks an inductive invariant: three implications, written out in SMT-LIB from the flat game and put to z3.

INVARIANT: nothing of `solver/symbolic` is used. The encoding here is its own and small, so that a fault of the engine
shows as a refusal. z3 decides single implications; it is not asked to find anything. Of a game with layouts the flat game
is that of its projection: `solver/projecting.py` translates the rules into it, as `solver/lower.py` translates those into
terms. Both are used here, and neither searches, decides or keeps anything.
"""

from __future__ import annotations

import itertools
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass, field

from tablelaw.solver.ir import Model, Move, Term, walk
from tablelaw.solver.problem import Problem, prepare
from tablelaw.spec.game import Game
from tablelaw.spec.questions import Asked

PROVABLE = ("always", "never", "reach", "progress", "in-range")
COUNTED_TO = 2**40
MOST_COMBINATIONS = 4096
LONGEST_FORMULA = 8_000_000

_LETTERS = {"var": "s", "next": "n", "input": "i"}
_TOKEN = re.compile(r"\s*([()]|[^\s()]+)")
_OPERATORS = {"and", "or", "not", "=>", "=", "<", "<=", ">", ">=", "+", "-", "*", "ite", "distinct", "xor", "div", "mod"}
_LEAF = re.compile(r"[0-9]{1,40}|true|false")
_CONSTANT = re.compile(r"([sx])([0-9]{1,6})")
_NAME = re.compile(r"(\$x|\?x|a!)[0-9]{1,9}")


class Refused(Exception):
    """Evidence that does not show what it claims; the message says why."""


@dataclass(frozen=True, slots=True)
class Query:
    """One implication: its negation in SMT-LIB, which must be unsatisfiable."""

    name: str
    text: str


def read_invariant(text: str, slots: int, extra: int) -> list[str]:
    """The tokens of a formula, looked at one by one; raises `Refused` for anything but a quantifier-free formula."""
    if len(text) > LONGEST_FORMULA:
        raise Refused("the invariant is too long")
    tokens: list[str] = []
    depth = at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            if text[at:].strip():
                raise Refused("the invariant cannot be read")
            break
        at, token = found.end(), found[1]
        if tokens and depth == 0:
            raise Refused("the invariant is not one formula")
        constant = _CONSTANT.fullmatch(token)
        if token in "()":
            depth += 1 if token == "(" else -1
        elif constant:
            if int(constant[2]) >= (slots if constant[1] == "s" else extra):
                raise Refused(f"the invariant speaks of `{token}`, which this game does not have")
        elif token not in _OPERATORS and token != "let" and not _LEAF.fullmatch(token) and not _NAME.fullmatch(token):
            raise Refused(f"the invariant uses `{token[:40]}`")
        if depth < 0:
            raise Refused("the brackets of the invariant do not match")
        tokens.append(token)
    if depth or not tokens:
        raise Refused("the brackets of the invariant do not match")
    return tokens


@dataclass(slots=True)
class Script:
    """Lines of one query; each term is defined once, under its number."""

    model: Model
    lines: list[str] = field(default_factory=list)
    known: set[int] = field(default_factory=set)

    def declare(self, letter: str) -> None:
        """Constants for the slots."""
        for i, s in enumerate(self.model.slots):
            self.lines.append(f"(declare-const {letter}{i} {'Bool' if s.truth else 'Int'})")

    def term(self, t: Term) -> str:
        """The name of a term's value, its definition written before."""
        for x in walk([t]):
            if x.uid not in self.known and x.args:
                self.known.add(x.uid)
                self.lines.append(f"(define-fun t{x.uid} () {'Bool' if x.truth else 'Int'} {self._one(x)})")
        return self._name(t)

    def require(self, text: str) -> None:
        self.lines.append(f"(assert {text})")

    def _name(self, t: Term) -> str:
        if t.args:
            return f"t{t.uid}"
        if t.op == "const":
            return ("true" if t.number else "false") if t.truth else numeral(t.number)
        return f"{_LETTERS[t.op]}{t.number}" if t.op in _LETTERS else "actor"

    def number(self, t: Term) -> str:
        """A value as a number; a truth value counts as 0 or 1."""
        return f"(ite {self._name(t)} 1 0)" if t.truth else self._name(t)

    def _one(self, t: Term) -> str:
        a = t.args
        match t.op:
            case "and" | "or":
                return f"({t.op} {' '.join(self._name(x) for x in a)})"
            case "not":
                return f"(not {self._name(a[0])})"
            case "add" | "sub" | "mul":
                return f"({ {'add': '+', 'sub': '-', 'mul': '*'}[t.op] } {self.number(a[0])} {self.number(a[1])})"
            case "eq" if a[0].truth and a[1].truth:
                return f"(= {self._name(a[0])} {self._name(a[1])})"
            case "eq" | "lt" | "le":
                return f"({ {'eq': '=', 'lt': '<', 'le': '<='}[t.op] } {self.number(a[0])} {self.number(a[1])})"
            case "ite":
                parts = [self._name(x) if t.truth else self.number(x) for x in a[1:]]
                return f"(ite {self._name(a[0])} {' '.join(parts)})"
            case "floordiv" | "mod":
                return self._divide(t)
            case "xor":
                return self._xor(t)
        items = [self._name(x) if t.truth else self.number(x) for x in a[1:]]
        index = self.number(a[0])
        result = items[a[0].hi]
        for k in range(a[0].hi - 1, a[0].lo - 1, -1):
            result = f"(ite (= {index} {k}) {items[k]} {result})"
        return result

    def _divide(self, t: Term) -> str:
        """Rounded down, the rest with the divisor's sign; SMT-LIB divides so that the rest is not negative."""
        x, y = self.number(t.args[0]), self.number(t.args[1])
        if t.op == "floordiv":
            up, down = f"(div {x} {y})", f"(div (- {x}) (- {y}))"
        else:
            up, down = f"(mod {x} {y})", f"(- (mod (- {x}) (- {y})))"
        return up if t.args[1].lo > 0 else f"(ite (= {y} 0) 0 (ite (> {y} 0) {up} {down}))"

    def _xor(self, t: Term) -> str:
        if min(a.lo for a in t.args) < 0:
            raise Refused("`^` of negative numbers cannot be re-checked")
        x, y = (self.number(a) for a in t.args)
        bits = range(max(a.hi for a in t.args).bit_length())
        parts = [f"(ite (= (mod (div {x} {2**k}) 2) (mod (div {y} {2**k}) 2)) 0 {2**k})" for k in bits]
        return f"(+ 0 {' '.join(parts)})" if parts else "0"

    def text(self) -> str:
        head = ["; unsat: the implication holds", "(set-logic ALL)", "(set-info :status unsat)"]
        return "\n".join([*head, *self.lines, "(check-sat)"]) + "\n"


def numeral(n: int) -> str:
    """A number as SMT-LIB writes it."""
    return str(n) if n >= 0 else f"(- {-n})"


class Obligations:
    """The implications that make an invariant a proof of a question."""

    def __init__(self, game: Game, asked: Asked, invariant: str, extra: list[str]) -> None:
        if asked.kind not in PROVABLE:
            raise Refused(f"an invariant does not prove a question of the kind `{asked.kind}`")
        if any(sort not in ("Int", "Bool") for sort in extra):
            raise Refused("the invariant speaks of something that is neither a number nor a truth value")
        self.asked = asked
        self.problem: Problem = prepare(game, asked, unroll=False, counted_to=COUNTED_TO)
        self.model = self.problem.model
        self.extra = extra
        self.tokens = read_invariant(invariant, len(self.model.slots), len(extra))

    def all(self) -> list[Query]:
        """Every implication."""
        steps = [self._step(k, m) for k, m in enumerate(self.model.moves)]
        return [self._start(), *steps, *self._property()]

    def _script(self, m: Move | None = None) -> Script:
        s = Script(self.model)
        s.declare("s")
        s.lines += [f"(declare-const x{i} {sort})" for i, sort in enumerate(self.extra)]
        if m is not None:
            self._inputs(s, m)
        return s

    def _inputs(self, s: Script, m: Move) -> None:
        roots = [m.guard, m.draw_guard, m.actor, *m.updates.values(), *(c for c, _ in (*m.faults, *m.legality_faults))]
        truth = {t.number for t in walk(roots) if t.op == "input" and t.truth}
        s.lines += [f"(declare-const i{i.number} {'Bool' if i.number in truth else 'Int'})" for i in m.inputs]
        self.truths = truth

    def holds(self, letter: str) -> str:
        """The invariant, and that every slot is in its range."""
        ranges = [
            f"(<= {numeral(x.lo)} {letter}{i}) (<= {letter}{i} {numeral(x.hi)})"
            for i, x in enumerate(self.model.slots)
            if not x.truth
        ]
        text = " ".join(re.sub(r"\As", letter, t) if _CONSTANT.fullmatch(t) else t for t in self.tokens)
        return f"(and true {' '.join(ranges)} {text})"

    def starts(self) -> str:
        """The position is a start."""
        rows = []
        for start in self.model.starts:
            parts = [
                (f"s{i}" if n else f"(not s{i})") if x.truth else f"(= s{i} {numeral(n)})"
                for i, (x, n) in enumerate(zip(self.model.slots, start, strict=True))
            ]
            rows.append(f"(and true {' '.join(parts)})")
        return f"(or false {' '.join(rows)})"

    def _start(self) -> Query:
        s = self._script()
        s.require(self.starts())
        s.require(f"(not {self.holds('s')})")
        return Query("start", s.text())

    def _taken(self, s: Script, m: Move) -> None:
        """Conditions for the move to be taken from a position that the invariant allows."""
        s.require(self.holds("s"))
        for t in (*self._turn(m), m.guard, m.draw_guard):
            s.require(s.term(t))
        for i in m.inputs:
            if i.number not in self.truths:
                low, high = s.term(i.least), s.term(i.most)
                s.require(f"(and (<= {low} i{i.number}) (<= i{i.number} {high}))")
        for c, _ in (*m.faults, *m.legality_faults):
            s.require(f"(not {s.term(c)})")

    def _turn(self, m: Move) -> list[Term]:
        """Players move only while the table has no move (left out where that would be too long: then more is proved)."""
        if m.table:
            return []
        table = self._enabled(True)
        return [] if table is None else [self.model.terms.no(table)]

    def _after(self, s: Script, m: Move) -> None:
        for i, slot in enumerate(self.model.slots):
            t = m.updates.get(i)
            if t is None:
                new = f"s{i}"
            else:
                name = s.term(t)
                new = name if slot.truth == t.truth else f"(ite {name} 1 0)" if t.truth else f"(not (= {name} 0))"
            s.lines.append(f"(define-fun n{i} () {'Bool' if slot.truth else 'Int'} {new})")

    def _step(self, k: int, m: Move) -> Query:
        s = self._script(m)
        self._taken(s, m)
        self._after(s, m)
        s.require(f"(not {self.holds('n')})")
        return Query(f"step-{k}-{m.action}", s.text())

    def _property(self) -> list[Query]:
        t, kind = self.model.terms, self.asked.kind
        if kind == "progress":
            enabled = self._enabled(False)
            if enabled is None:
                raise Refused("so many choices at once cannot be re-checked")
            return [self._position("property", t.all((t.no(self.model.ended), t.no(enabled))))]
        if kind == "in-range":
            ends = t.any(c for c, _ in self.model.end_faults)
            faulty = (self._fault(k, m) for k, m in enumerate(self.model.moves) if m.faults or m.legality_faults)
            return [self._position("property", ends), *faulty]
        assert self.asked.formula is not None
        prop = self.problem.prop(self.asked.formula)
        pairs = []
        for value, fault in ((prop.start, prop.start_fault), (prop.step, prop.step_fault)):
            good = t.no(value) if kind == "always" else value
            pairs.append(t.all((t.no(fault), good)) if kind == "reach" else t.any((fault, good)))
        if not prop.looks:
            return [self._position("property", pairs[0])]
        first = self._script()
        first.require(self.starts())
        first.require(first.term(pairs[0]))
        return [Query("property-start", first.text()), *(self._on_step(k, m, pairs[1]) for k, m in enumerate(self.model.moves))]

    def _position(self, name: str, bad: Term) -> Query:
        s = self._script()
        s.require(self.holds("s"))
        s.require(s.term(bad))
        return Query(name, s.text())

    def _on_step(self, k: int, m: Move, bad: Term) -> Query:
        s = self._script(m)
        self._taken(s, m)
        self._after(s, m)
        s.lines.append(f"(define-fun actor () Int {'(- 1)' if m.table else s.term(m.actor)})")
        s.require(s.term(bad))
        return Query(f"property-{k}-{m.action}", s.text())

    def _fault(self, k: int, m: Move) -> Query:
        """The move has a fault: in deciding whether it is legal, in its draw, or in an effect."""
        s = self._script(m)
        s.require(self.holds("s"))
        for t in self._turn(m):
            s.require(s.term(t))
        for i in m.inputs:
            if i.number in self.truths:
                continue
            low, high, name = s.term(i.least), s.term(i.most), f"i{i.number}"
            # a number of dice that is itself a fault leaves no draw within bounds
            s.require(f"(or (and (<= {low} {name}) (<= {name} {high})) {f'(< {high} {low}) (< {high} 0)' if i.drawn else ''})")
        early, late = [s.term(c) for c, _ in m.legality_faults], [s.term(c) for c, _ in m.faults]
        whole = f"(and {s.term(m.guard)} {s.term(m.draw_guard)} (or false {' '.join(late)}))"
        s.require(f"(or false {' '.join(early)} {whole})")
        return Query(f"fault-{k}-{m.action}", s.text())

    def _enabled(self, table: bool) -> Term | None:
        """The table (or anybody) has a legal move, as a term of the position; None where that would be too long."""
        parts: list[Term] = []
        for m in self.model.moves:
            if m.table or not table:
                found = self._some_choice(m)
                if found is None:
                    return None
                parts.append(found)
        return self.model.terms.any(parts)

    def _some_choice(self, m: Move) -> Term | None:
        terms = self.model.terms
        used = {t.number for t in walk([m.guard]) if t.op == "input"}
        chosen = [i for i in m.choices if i.number in used or i.least.op != "const" or i.most.op != "const"]
        total = 1
        for i in chosen:
            total *= i.hi - i.lo + 1
        if total > MOST_COMBINATIONS:
            return None
        options = []
        for values in itertools.product(*(range(i.lo, i.hi + 1) for i in chosen)):
            fixed = dict(zip((i.number for i in chosen), values, strict=True))
            memo: dict[int, Term] = {}

            def put(t: Term, fixed: dict[int, int] = fixed) -> Term | None:
                return terms.const(fixed[t.number], t.truth) if t.op == "input" and t.number in fixed else None

            parts = [terms.replace(m.guard, put, memo)]
            for i in chosen:
                here = terms.const(fixed[i.number])
                low, high = (terms.replace(b, put, memo) for b in (i.least, i.most))
                parts += [terms.le(low, here), terms.le(here, high)]
            options.append(terms.all(parts))
        return terms.any(options)


def discharge(queries: Iterable[Query], seconds: float) -> tuple[str, str]:
    """`holds` when every query is unsatisfiable, `fails` with the first that is not, `unknown` when time is over."""
    import z3

    last, count = time.monotonic() + seconds, 0
    for q in queries:
        left = last - time.monotonic()
        if left <= 0:
            return "unknown", f"the time is over at `{q.name}`"
        solver = z3.Solver()
        solver.set("timeout", max(1, int(left * 1000)))
        try:
            solver.from_string(q.text)
            answer = solver.check()
        except z3.Z3Exception:
            return "fails", f"`{q.name}` cannot be read"
        if answer == z3.sat:
            return "fails", f"the invariant does not show it: `{q.name}` can be broken"
        if answer != z3.unsat:
            return "unknown", f"z3 did not decide `{q.name}` in time"
        count += 1
    return "holds", f"an invariant, re-checked by {count} implications"
