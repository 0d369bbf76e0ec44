"""The same questions to z3 in several encodings of a position: whole numbers, bits, one truth for each value, one array.

The terms are those that the engine has of a game (`solver/ir`), and lemmas those that it finds; only what stands for a position
and for a number differs. *Step*: every step keeps the lemmas. *Plays*: no play of so many steps breaks a claim, or one comes
to a target. *Spacer*: the claim holds for any number of steps, found without the lemmas.

  python benchmarks/z3_encodings.py         each question once, in each encoding
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any

import z3
from run import EXAMPLES, Faulty, Results, Run
from tables import machine_line, seconds, table

from tablelaw.solver import evaluate
from tablelaw.solver.boarded import has_board
from tablelaw.solver.candidates import claims
from tablelaw.solver.effort import Effort, within
from tablelaw.solver.ir import BIG, Model, Move, Term, walk
from tablelaw.solver.problem import Problem
from tablelaw.solver.projecting import Projector
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.symbolic.deciding import allow, decide, done
from tablelaw.solver.symbolic.encode import Encoder, Env
from tablelaw.solver.symbolic.engine import Symbolic
from tablelaw.spec.diagnostics import Diagnostics, render
from tablelaw.spec.load import load
from tablelaw.spec.questions import Reader

TITLE = "Encodings for z3"
LIMIT = 4.0
"""Seconds, as z3 counts its work."""
NOT = "not shown"
Formula = Any


class Whole(Encoder):
    """A whole number for each number: what the engine uses."""

    name = "whole numbers"

    def parts(self, tag: str) -> list[Formula]:
        """The constants that a position consists of."""
        return self.position(tag)

    def view(self, parts: list[Formula]) -> list[Formula]:
        """Its slots, for terms to read."""
        return parts

    def become(self, parts: list[Formula], slots: list[Formula]) -> list[Formula]:
        """The position has these slots."""
        return [a == b for a, b in zip(parts, slots, strict=True)]


class Bits(Whole):
    """Every number in so many bits, with a sign, wide enough for what any term comes to."""

    name = "bits"

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        roots = [t for m in model.moves for t in (m.guard, m.draw_guard, m.actor, *m.updates.values())]
        roots += [x for m in model.moves for i in m.inputs for x in (i.least, i.most)]
        ends = [abs(n) for t in walk([*roots, model.ended]) if not t.truth for n in (t.lo, t.hi)]
        ends += [abs(n) for s in model.slots for n in (s.lo, s.hi)]
        if max(ends) >= BIG:
            raise OutOfBudget("numbers without a bound")
        self.width = max(ends).bit_length() + 2

    def position(self, tag: str) -> list[Formula]:
        """A constant for each slot."""
        whole = super().position(tag)
        return [x if z3.is_bool(x) else z3.BitVec(x.decl().name(), self.width) for x in whole]

    def inputs(self, m: Move, tag: str) -> list[Formula]:
        """A constant for each input."""
        whole = super().inputs(m, tag)
        return [x if z3.is_bool(x) else z3.BitVec(x.decl().name(), self.width) for x in whole]

    def number(self, x: Formula, t: Term) -> Formula:
        """A term as a number."""
        return z3.If(x, z3.BitVecVal(1, self.width), z3.BitVecVal(0, self.width)) if t.truth else x

    def _one(self, t: Term, a: list[Formula], env: Env) -> Formula:
        if t.op == "const" and not t.truth:
            return z3.BitVecVal(t.number, self.width)
        if t.op == "actor":
            return z3.BitVecVal(-1, self.width) if env.actor is None else env.actor
        if t.op in ("floordiv", "mod", "xor"):
            raise OutOfBudget("division is not compared")
        return super()._one(t, a, env)


class OneHot(Whole):
    """A truth for each value that a slot may have; numbers are read off them."""

    name = "one truth for each value"
    most = 64

    def parts(self, tag: str) -> list[Formula]:
        """The constants that a position consists of."""
        found: list[Formula] = []
        for s, x in zip(self.model.slots, self.position(tag), strict=True):
            wide = s.truth or s.hi - s.lo >= self.most
            found += [x] if wide else [z3.Bool(f"{x.decl().name()} is {v}") for v in range(s.lo, s.hi + 1)]
        return found

    def view(self, parts: list[Formula]) -> list[Formula]:
        """Its slots, for terms to read."""
        rest, found = iter(parts), []
        for s in self.model.slots:
            x = next(rest)
            if not s.truth and z3.is_bool(x):
                value: Formula = z3.IntVal(s.hi)
                truths = [x, *(next(rest) for _ in range(s.hi - s.lo))]
                for v, b in reversed(list(enumerate(truths[:-1], s.lo))):
                    value = z3.If(b, z3.IntVal(v), value)
                x = value
            found.append(x)
        return found

    def become(self, parts: list[Formula], slots: list[Formula]) -> list[Formula]:
        """The position has these slots."""
        rest, found = iter(parts), []
        for s, n in zip(self.model.slots, slots, strict=True):
            x = next(rest)
            if not s.truth and z3.is_bool(x):
                found += [b == (n == v) for v, b in enumerate([x, *(next(rest) for _ in range(s.hi - s.lo))], s.lo)]
            else:
                found.append(x == n)
        return found


class OneArray(Whole):
    """One array from the number of a slot to its value; a step stores what it changes."""

    name = "one array"

    def parts(self, tag: str) -> list[Formula]:
        """The constants that a position consists of."""
        return [z3.Array(f"position@{tag}", z3.IntSort(), z3.IntSort())]

    def view(self, parts: list[Formula]) -> list[Formula]:
        """Its slots, for terms to read."""
        found = [z3.Select(parts[0], i) for i in range(len(self.model.slots))]
        return [x != 0 if s.truth else x for s, x in zip(self.model.slots, found, strict=True)]

    def become(self, parts: list[Formula], slots: list[Formula]) -> list[Formula]:
        """The position has these slots."""
        return [a == b for a, b in zip(self.view(parts), slots, strict=True)]


ENCODINGS: tuple[type[Whole], ...] = (Whole, Bits, OneHot, OneArray)


@dataclass(frozen=True, slots=True)
class Row:
    """A question of a game, for so many players, and how it is put."""

    game: str
    players: int
    question: str
    way: str
    steps: int = 0

    @property
    def title(self) -> str:
        """As the page names it."""
        told = {"step": "step", "spacer": "Spacer"}.get(self.way, f"plays of {self.steps} steps")
        return f"`{self.question}` of {self.game}, {self.players} players: {told}"


ROWS = (
    Row("carcassonne-dice", 2, "dice-conserved", "step"),
    Row("carcassonne-dice", 2, "one-held-knight", "plays", 8),
    Row("carcassonne-dice", 2, "nine-catapults-in-a-doubled-turn", "plays", 12),
    Row("carcassonne-dice", 2, "one-held-knight", "spacer"),
    Row("carcassonne-dice", 2, "enough-dice", "spacer"),
    Row("connect", 2, "one-winner", "plays", 5),
    Row("calavera", 2, "dice-conserved", "step"),
)


def of(row: Row) -> tuple[type[Whole], ...]:
    """The encodings that a question is asked in: Spacer comes upon faults of its own where each value is a truth."""
    return tuple(k for k in ENCODINGS if k is not OneHot or row.way != "spacer")


class Asking:
    """One question in one encoding."""

    def __init__(self, problem: Problem, kind: type[Whole], bad: Term, lemmas: list[Term]) -> None:
        self.model, self.e, self.bad, self.lemmas = problem.model, kind(problem.model), bad, lemmas

    def known(self, row: list[Formula], lemmas: bool = True) -> list[Formula]:
        """Ranges, and lemmas."""
        env = Env(row)
        return [*self.e.ranges(row), *([self.e.term(t, env) for t in self.lemmas] if lemmas else [])]

    def taken(self, m: Move, row: list[Formula], tag: str) -> tuple[list[Formula], list[Formula], Env]:
        """Conditions of a move, the slots after it, and where it was read."""
        env = Env(row, None, self.e.inputs(m, tag))
        return self.e.taken(m, env), self.e.after(m, env), env

    def step(self, budget: Effort) -> str:
        """Does every step keep the lemmas?"""
        row = self.e.view(self.e.parts("now"))
        for k, m in enumerate(self.model.moves):
            conditions, after, _ = self.taken(m, row, f"s{k}")
            solver = z3.Solver()
            there = self.e.parts("then")
            kept = z3.And([self.e.term(t, Env(self.e.view(there))) for t in self.lemmas])
            solver.add(*self.known(row), *conditions, *self.e.become(there, after), z3.Not(kept))
            if decide(solver, budget) != z3.unsat:
                return NOT
        return "holds"

    def plays(self, steps: int, budget: Effort) -> str:
        """Is something bad within so many steps?"""
        solver = z3.Solver()
        row = self.e.view(self.e.parts("0"))
        solver.add(self.e.starts(row), *self.known(row))
        hits = [self.e.term(self.bad, Env(row))]
        for d in range(1, steps + 1):
            parts = self.e.parts(str(d))
            after = self.e.view(parts)
            options = []
            for k, m in enumerate(self.model.moves):
                conditions, slots, _ = self.taken(m, row, f"{d}.{k}")
                options.append(z3.Bool(f"step{d}={k}"))
                solver.add(z3.Implies(options[-1], z3.And(*conditions, *self.e.become(parts, slots))))
            idle = z3.Bool(f"idle{d}")
            solver.add(
                z3.Implies(idle, z3.And(hits[-1], *self.e.become(parts, row))), z3.Or(idle, *options), *self.known(after)
            )
            hits.append(self.e.term(self.bad, Env(after)))
            row = after
        solver.add(hits[-1])
        return {"sat": "a play", "unsat": "none"}.get(str(decide(solver, budget)), NOT)

    def spacer(self, budget: Effort) -> str:
        """Is nothing bad for any number of steps?"""
        fp = z3.Fixedpoint()
        fp.set(engine="spacer", ctrl_c=False)
        allow(fp, budget)
        now, then = self.e.parts("now"), self.e.parts("then")
        row = self.e.view(now)
        reached = z3.Function("Reached", *[x.sort() for x in now], z3.BoolSort())
        wrong = z3.Function("Wrong", z3.BoolSort())
        fp.register_relation(reached, wrong)
        fp.declare_var(*now, *then)
        fp.rule(reached(*now), [self.e.starts(row), *self.known(row, False)])
        for k, m in enumerate(self.model.moves):
            conditions, after, env = self.taken(m, row, f"f{k}")
            if env.inputs:
                fp.declare_var(*env.inputs)
            fp.rule(reached(*then), [reached(*now), *self.known(row, False), *conditions, *self.e.become(then, after)])
        fp.rule(wrong(), [reached(*now), self.e.term(self.bad, Env(row))])
        before = done(fp)
        try:
            answer = fp.query(wrong())
        except z3.Z3Exception:
            return NOT
        finally:
            budget.spend(done(fp) - before)
        return {"unsat": "holds", "sat": "a play"}.get(str(answer), NOT)


def prepared(row: Row) -> tuple[Problem, Term, list[Term]]:
    """The game with what is asked of it as terms, and the lemmas that the engine finds."""
    sink = Diagnostics()
    rules = load(str(EXAMPLES / row.game / "rules.yaml"), sink)
    game = rules.game({}, row.players, sink) if rules is not None else None
    if game is None or sink.has_errors:
        raise Faulty("\n".join(render(d) for d in sink.items))
    question = game.document.questions.get(row.question)
    asked = None if question is None else Reader(game, sink, evaluate.starts(game)[0]).question(question)
    if has_board(game):
        assert asked is not None
        projection, asked = Projector(game).plain(asked)
        game = projection.game
    engine = Symbolic(game)
    machine = engine.machine(None if asked is None else asked)
    engine.prepare_lemmas(machine, Budget())
    env = machine.env(machine.row)
    kept = {f.get_id() for f in machine.lemmas}
    terms = [t for t in claims(game, machine.problem) if machine.encoder.term(t, env).get_id() in kept]
    t = machine.problem.terms
    bad = t.false
    if asked is not None and asked.formula is not None:
        prop = machine.problem.prop(asked.formula)
        bad = prop.start if asked.kind != "always" else t.no(prop.start)
    return machine.problem, bad, terms


def ask(row: Row, kind: type[Whole]) -> dict[str, Any]:
    """The answer, with seconds of the processor and z3's own count of its work."""
    problem, bad, lemmas = prepared(row)
    budget = within(Budget(), LIMIT)
    began = time.process_time()
    try:
        asking = Asking(problem, kind, bad, lemmas)
        ways: dict[str, Callable[[], str]] = {
            "step": lambda: asking.step(budget),
            "plays": lambda: asking.plays(row.steps, budget),
            "spacer": lambda: asking.spacer(budget),
        }
        answer = ways[row.way]()
    except OutOfBudget as why:
        answer = NOT if "z3" in why.reason or "time" in why.reason else why.reason
    return {"answer": answer, "seconds": time.process_time() - began, "work": int(budget.worked), "lemmas": len(lemmas)}


def measure(run: Run) -> None:
    """Each question in each encoding, in turns."""
    found = run.results.setdefault("rows", [])
    for _ in run.rounds():
        for i, row in enumerate(ROWS):
            for kind in of(row):
                run.attempt(f"{row.title}, {kind.name}", lambda i=i, kind=kind: _once(run, found, i, kind))  # type: ignore[misc]


def _once(run: Run, found: list[dict[str, Any]], i: int, kind: type[Whole]) -> None:
    row = next((r for r in found if (r["question"], r["encoding"]) == (ROWS[i].title, kind.name)), None)
    if row is not None and row["answer"] == NOT:
        return
    told, _ = run.child(str(i), kind.name)
    if row is None:
        row = {"question": ROWS[i].title, "encoding": kind.name, "answer": told["answer"], "work": told["work"], "seconds": []}
        found.append(row)
    answers = {row["answer"], told["answer"]} - {NOT}
    if len(answers) > 1:
        raise ValueError(f"{row['answer']} at first and {told['answer']} now")
    row["answer"] = NOT if NOT in (row["answer"], told["answer"]) else told["answer"]
    row["seconds"].append(round(told["seconds"], 4))


def child(args: list[str]) -> dict[str, Any]:
    """The work of one process."""
    return ask(ROWS[int(args[0])], next(k for k in ENCODINGS if k.name == args[1]))


HEAD = """# Benchmarks: encodings for z3

This page is written by `make bench` (`benchmarks/z3_encodings.py`). Figures are medians of {repeats} runs, each a process of
its own, made in turns, in seconds of one processor. Other comparisons: [overview](benchmarks.md).

{machine}.

The same questions of the same game, with the terms that the engine has of it and the lemmas that it finds; only what stands for
a position differs. *Step*: every step keeps the lemmas. *Plays*: there is none of so many steps, or one is found. *Spacer*: the
claim is proved without lemmas. *Over*: not shown within {limit:g} seconds, as z3 counts its work, or so long by the clock
that it was stopped; asked once. A dash: Spacer comes upon faults of its own.

"""


def pages(results: Results) -> dict[str, str]:
    """The page of this part."""
    head = HEAD.format(repeats=results["repeats"], machine=machine_line(results), limit=LIMIT)
    return {"benchmarks-encodings.md": head + told(results)}


def told(results: Results) -> str:
    """The table, for a page: seconds, in italics where nothing was shown within the limit."""

    def cells() -> Iterator[list[str]]:
        for title in dict.fromkeys(r["question"] for r in results["rows"]):
            mine = {r["encoding"]: r for r in results["rows"] if r["question"] == title}
            yield [title, *(_cell(mine.get(k.name)) for k in ENCODINGS)]

    return table(["", *(k.name for k in ENCODINGS)], cells())


def _cell(row: dict[str, Any] | None) -> str:
    if row is None:
        return "–"
    s = seconds(median(row["seconds"]))
    return s if row["answer"] != NOT else f"*over {s}*"


def main() -> int:
    """Ask each question once."""
    rows = []
    for row in ROWS:
        for kind in of(row):
            found = ask(row, kind)
            rows.append({"question": row.title, "encoding": kind.name, **found, "seconds": [found["seconds"]]})
            print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
    print(told({"rows": rows}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
