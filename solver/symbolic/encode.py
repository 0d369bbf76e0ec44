"""Terms and steps as z3 formulas: whole numbers and truth values, one constant for each slot of each position."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import z3

from tablelaw.solver.ir import Input, Model, Move, Term, Terms, walk

Formula = Any
MOST_COMBINATIONS = 4096
MOST_OUTER = 256


class Unsupported(Exception):
    """What this engine cannot say in z3; the message says what."""


@dataclass(slots=True)
class Env:
    """What the leaves of terms stand for; `memo` holds what has been translated under it."""

    var: list[Formula]
    next: list[Formula] | None = None
    inputs: list[Formula] = field(default_factory=list)
    actor: Formula | None = None
    switches: list[Formula] | None = None
    memo: dict[int, Formula] = field(default_factory=dict)


class Encoder:
    """Translates the terms of one model."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._enabled: dict[bool, Term | None] = {}
        self._broken: Term | None = None
        self.sampled = False  # `enabled(False)` looks at some choices only: sound in proofs, not in plays

    def position(self, tag: str) -> list[Formula]:
        """Fresh constants for the slots of a position."""
        return [
            z3.Bool(f"{s.name}{_path(s.path)}@{tag}") if s.truth else z3.Int(f"{s.name}{_path(s.path)}@{tag}")
            for s in self.model.slots
        ]

    def ranges(self, row: list[Formula]) -> list[Formula]:
        """The slots lie in their ranges."""
        return [f for s, x in zip(self.model.slots, row, strict=True) if not s.truth for f in (x >= s.lo, x <= s.hi)]

    def starts(self, row: list[Formula]) -> Formula:
        """The position is a start."""
        options = [
            z3.And([self._is(s.truth, x, n) for s, x, n in zip(self.model.slots, row, start, strict=True)])
            for start in self.model.starts
        ]
        return z3.Or(options)

    def _is(self, truth: bool, x: Formula, n: int) -> Formula:
        return (x if n else z3.Not(x)) if truth else x == n

    def same(self, a: list[Formula], b: list[Formula]) -> Formula:
        """Two positions are equal."""
        return z3.And([x == y for x, y in zip(a, b, strict=True)])

    def term(self, t: Term, env: Env) -> Formula:
        """The formula of a term."""
        memo = env.memo
        if t.uid in memo:
            return memo[t.uid]
        for x in walk([t]):
            if x.uid not in memo:
                memo[x.uid] = self._one(x, [memo[a.uid] for a in x.args], env)
        return memo[t.uid]

    def _one(self, t: Term, a: list[Formula], env: Env) -> Formula:
        match t.op:
            case "const":
                return z3.BoolVal(bool(t.number)) if t.truth else z3.IntVal(t.number)
            case "var":
                return env.var[t.number]
            case "next":
                assert env.next is not None
                return env.next[t.number]
            case "input":
                return env.inputs[t.number]
            case "switch":
                return z3.BoolVal(True) if env.switches is None else env.switches[t.number]
            case "actor":
                return z3.IntVal(-1) if env.actor is None else env.actor
            case "add":
                return a[0] + a[1]
            case "sub":
                return a[0] - a[1]
            case "mul":
                return a[0] * a[1]
            case "floordiv":
                return self._divide(t, a, False)
            case "mod":
                return self._divide(t, a, True)
            case "xor":
                return self._xor(t, a)
            case "eq":
                return (
                    self.number(a[0], t.args[0]) == self.number(a[1], t.args[1])
                    if t.args[0].truth != t.args[1].truth
                    else a[0] == a[1]
                )
            case "lt":
                return self.number(a[0], t.args[0]) < self.number(a[1], t.args[1])
            case "le":
                return self.number(a[0], t.args[0]) <= self.number(a[1], t.args[1])
            case "not":
                return z3.Not(a[0])
            case "and":
                return z3.And(a)
            case "or":
                return z3.Or(a)
            case "ite":
                if t.args[1].truth != t.args[2].truth:
                    return z3.If(a[0], self.number(a[1], t.args[1]), self.number(a[2], t.args[2]))
                return z3.If(a[0], a[1], a[2])
        index, items = t.args[0], a[1:]
        result = items[index.hi]
        for k in range(index.hi - 1, index.lo - 1, -1):
            result = z3.If(a[0] == k, items[k], result)
        return result

    def number(self, x: Formula, t: Term) -> Formula:
        """The formula of a term as a number, truth counted as 0 or 1."""
        return z3.If(x, z3.IntVal(1), z3.IntVal(0)) if t.truth else x

    def _divide(self, t: Term, a: list[Formula], rest: bool) -> Formula:
        x, y = a
        if t.args[1].lo > 0:
            return x % y if rest else x / y
        # z3 divides so that the rest is not negative; the rules divide so that it has the divisor's sign
        down = -((-x) % (-y)) if rest else (-x) / (-y)
        return z3.If(y == 0, z3.IntVal(0), z3.If(y > 0, x % y if rest else x / y, down))

    def _xor(self, t: Term, a: list[Formula]) -> Formula:
        bits = max(abs(n) for x in t.args for n in (x.lo, x.hi)).bit_length()
        if bits > 16:
            raise Unsupported("`^` of large numbers")
        parts = [z3.If((a[0] / 2**k) % 2 != (a[1] / 2**k) % 2, z3.IntVal(2**k), z3.IntVal(0)) for k in range(bits)]
        if t.args[0].lo < 0 or t.args[1].lo < 0:  # all higher digits are the sign
            parts.append(z3.If((a[0] < 0) != (a[1] < 0), z3.IntVal(-(2**bits)), z3.IntVal(0)))
        return z3.Sum(parts) if parts else z3.IntVal(0)

    # steps

    def inputs(self, m: Move, tag: str) -> list[Formula]:
        """Fresh constants for the inputs of a move."""
        truth = {t.number for t in walk(_roots(m)) if t.op == "input" and t.truth}
        return [
            z3.Bool(f"{m.action}.{i.number}@{tag}") if i.number in truth else z3.Int(f"{m.action}.{i.number}@{tag}")
            for i in m.inputs
        ]

    def bounds(self, m: Move, env: Env) -> list[Formula]:
        """The inputs lie in their bounds."""
        found = []
        for i, x in zip(m.inputs, env.inputs, strict=True):
            if not z3.is_bool(x):
                found += [self.term(i.least, env) <= x, x <= self.term(i.most, env)]
        return found

    def taken(self, m: Move, env: Env, faults: bool = False) -> list[Formula]:
        """The move is legal, its draw can come, and it has no fault; with `faults`: it has one."""
        wrong = [self.term(c, env) for c, _ in m.faults]
        early = [self.term(c, env) for c, _ in m.legality_faults]
        first = self.turn(m, env)
        if faults:
            whole = z3.And([self.term(m.guard, env), z3.Or(wrong)]) if wrong else z3.BoolVal(False)
            # a draw that has a fault itself may have no inputs within bounds: not asked for where the number drawn is wrong
            return [*first, z3.Or([z3.And([*self.choice_bounds(m, env), z3.Or([*early, whole])])])]
        broken = self.broken()
        told = [] if broken is self.model.terms.false else [z3.Not(self.term(broken, env))]
        return [
            *first,
            *told,
            self.term(m.guard, env),
            self.term(m.draw_guard, env),
            *self.bounds(m, env),
            *[z3.Not(w) for w in wrong],
        ]

    def choice_bounds(self, m: Move, env: Env) -> list[Formula]:
        """The chosen inputs lie in their bounds, and the drawn ones in theirs where these are not empty."""
        found = []
        for i, x in zip(m.inputs, env.inputs, strict=True):
            if z3.is_bool(x):
                continue
            low, high = self.term(i.least, env), self.term(i.most, env)
            inside = z3.And(low <= x, x <= high)
            found.append(z3.Or(inside, high < low, high < 0) if i.drawn else inside)
        return found

    def turn(self, m: Move, env: Env) -> list[Formula]:
        """A player moves only while no table action is enabled."""
        if m.table:
            return []
        table = self.enabled(True)
        if table is None:
            raise Unsupported("so many choices at once")
        return [] if table is self.model.terms.false else [z3.Not(self.term(table, env))]

    def after(self, m: Move, env: Env) -> list[Formula]:
        """The slots after the move."""
        found = []
        for i, s in enumerate(self.model.slots):
            t = m.updates.get(i)
            if t is None:
                found.append(env.var[i])
            else:
                x = self.term(t, env)
                found.append(self.number(x, t) if t.truth and not s.truth else x)
        return found

    def enabled(self, table: bool) -> Term | None:
        """When the table (or with `table` false, anybody) has a legal move, as a term of the position; None if too large.

        Of a position where it cannot be told who has a legal move, somebody is said to have one.
        """
        if table not in self._enabled:
            parts = [self._some_choice(m, m.guard) for m in self.model.moves if m.table or not table]
            if not table and None in parts:
                self.sampled = True
                parts = [p or self._outer_choice(m) for p, m in zip(parts, self.model.moves, strict=True)]
            kept = [p for p in parts if p is not None]
            if not table:
                kept.append(self.broken())
            self._enabled[table] = self.model.terms.any(kept) if len(parts) + (not table) == len(kept) else None
        return self._enabled[table]

    def broken(self) -> Term:
        """When it cannot be told whether the play has ended or what is legal: the evaluator then takes no step."""
        if self._broken is None:
            t = self.model.terms
            first = [t.any(c for c, _ in self.model.end_faults)]
            second: list[Term] = []
            for m in self.model.moves:
                for c, _ in m.legality_faults:
                    found = self._some_choice(m, c)
                    if found is None:
                        raise Unsupported("so many choices at once")
                    (first if m.table else second).append(found)
            if second:
                table = self.enabled(True)
                if table is None:
                    raise Unsupported("so many choices at once")
                first.append(t.all((t.no(table), t.any(second))))
            self._broken = t.any(first)
        return self._broken

    def _outer_choice(self, m: Move) -> Term:
        """Some choice with every input at its least or most makes the move legal: enough to prove that there is one."""
        terms = self.model.terms
        found = []
        for ends in itertools.islice(itertools.product((True, False), repeat=len(m.choices)), MOST_OUTER):
            chosen: dict[int, Term] = {}
            sound = []
            for i, most in zip(m.choices, ends, strict=True):
                put = partial(_put, terms, chosen)
                low, high = terms.replace(i.least, put, {}), terms.replace(i.most, put, {})
                sound.append(terms.le(low, high))
                chosen[i.number] = high if most else low
            found.append(terms.all([*sound, terms.replace(m.guard, partial(_put, terms, dict(chosen)), {})]))
        return terms.any(found)

    def _some_choice(self, m: Move, wanted: Term | None = None) -> Term | None:
        """Some values of the chosen inputs (as far as they are read) make the condition (else: the move) true."""
        terms = self.model.terms
        wanted = m.guard if wanted is None else wanted
        used = {t.number for t in walk([wanted]) if t.op == "input"}
        whole = wanted is m.guard
        chosen: list[Input] = []
        for i in reversed(m.choices):
            if i.number in used or ((whole or i.number <= wanted.level) and (i.least.op != "const" or i.most.op != "const")):
                used |= {t.number for t in walk([i.least, i.most]) if t.op == "input"}
                chosen.insert(0, i)
        total = 1
        for i in chosen:
            total *= i.hi - i.lo + 1
        if total > MOST_COMBINATIONS:
            return None
        options = []
        fixed_anyway = {t.uid: t for t in walk([wanted, *(x for i in chosen for x in (i.least, i.most))]) if t.level < 0}
        for values in itertools.product(*(range(i.lo, i.hi + 1) for i in chosen)):
            fixed = dict(zip((i.number for i in chosen), values, strict=True))

            def put(t: Term, fixed: dict[int, int] = fixed) -> Term | None:
                return terms.const(fixed[t.number], t.truth) if t.op == "input" and t.number in fixed else None

            memo = dict(fixed_anyway)
            bounds = [
                side
                for i in chosen
                for at in (terms.const(fixed[i.number]),)
                for side in (terms.le(terms.replace(i.least, put, memo), at), terms.le(at, terms.replace(i.most, put, memo)))
            ]
            options.append(terms.all([*bounds, terms.replace(wanted, put, memo)]))
        return terms.any(options)


def _put(terms: Terms, chosen: dict[int, Term], t: Term) -> Term | None:
    found = chosen.get(t.number) if t.op == "input" else None
    return terms.const(found.number, True) if found is not None and t.truth else found


def _roots(m: Move) -> list[Term]:
    return [m.guard, m.draw_guard, m.actor, *m.updates.values(), *(c for c, _ in (*m.faults, *m.legality_faults))]


def _path(path: tuple[object, ...]) -> str:
    return "".join(f"[{p}]" for p in path)
