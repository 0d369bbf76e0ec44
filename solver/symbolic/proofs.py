"""Safety in z3: nothing bad is reachable, by induction or property-directed reachability; or a play that gets there.

What has been proved of a machine is kept as its lemmas and used by everything asked later.
"""

from __future__ import annotations

import z3

from tablelaw.solver import account
from tablelaw.solver.candidates import claims, counted
from tablelaw.solver.effort import Effort, within
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.symbolic.deciding import allow, decide, done
from tablelaw.solver.symbolic.encode import Formula, Unsupported
from tablelaw.solver.symbolic.interrupts import listen, raise_if_pressed
from tablelaw.solver.symbolic.lemmas import inductive
from tablelaw.solver.symbolic.machine import Bad, Machine, Unrolled, constants
from tablelaw.solver.symbolic.placing import Placing
from tablelaw.solver.trace import replay, to_state
from tablelaw.solver.verdict import InternalFault, Verdict
from tablelaw.spec.game import Game

DEEPEST = 60
PLAN = (
    ("plays", 1, 20.0),
    ("induction", 0, 10.0),
    ("plays", 8, 1.0),
    ("reachability", 0, 0.5),
    ("plays", 16, 1.0),
    ("reachability", 0, 3.0),
    ("plays", 8, 5.0),
    ("plays", 16, 8.0),
    ("plays", 26, 15.0),
    ("reachability", 0, 20.0),
    ("plays", 26, 60.0),
    ("plays", 40, 120.0),
    ("reachability", 0, 600.0),
    ("plays", DEEPEST, 600.0),
)
"""What is tried, one after the other, with growing shares: what shows most answers showed them early (decision 0016)."""


class Prover:
    """Proves and refutes for one game."""

    def __init__(self, game: Game) -> None:
        self.game = game
        listen()
        self.patience = 5.0  # seconds spent on making a play short

    def safe(self, machine: Machine, bad: Bad, budget: Budget) -> Verdict:
        """holds: nothing bad is reachable (proved); fails: with a play."""
        self.prepare_lemmas(machine, budget)
        machine.refuted = -1
        work, depth, tried = within(budget), -1, list[str]()
        for way, steps, seconds in PLAN:
            if budget.left() <= 0:
                break
            name = way if way != "plays" else f"plays of {steps} steps" if steps > 1 else "plays of one step"
            if budget.tell:
                budget.tell(f"z3: {name}")
            share = work.part(seconds)
            try:
                found = self._by(way, steps, machine, bad, share)
            except OutOfBudget:
                found = None
            tried.append(name)
            if found is not None and found.verdict != "unknown":
                self._tell(machine, tried, share)
                return found
            if found is not None and found.bound:
                depth = max(depth, int(found.bound))
        return Verdict(
            "unknown",
            "bounded" if depth >= 0 else None,
            f"{depth} steps" if depth >= 0 else None,
            reason="no proof and no play was found",
        )

    def _tell(self, machine: Machine, tried: list[str], share: Effort) -> None:
        """What was found how, for whoever wants to know."""
        before = f", after {', '.join(dict.fromkeys(tried[:-1]))}" if len(tried) > 1 else ""
        text = f"z3: shown by {tried[-1]}{before}; {_lemmas(len(machine.lemmas))} known"
        known, work = len(machine.lemmas), int(share.worked)
        account.note("proof", text, {"by": tried[-1], "lemmas": known, "work": work, "tried": len(tried)})

    def _by(self, way: str, steps: int, machine: Machine, bad: Bad, budget: Budget) -> Verdict | None:
        if way == "induction":
            return self.induction(machine, bad, budget)
        return self.spacer(machine, bad, budget) if way == "reachability" else self.bounded(machine, bad, budget, steps)

    def bounded(self, machine: Machine, bad: Bad, budget: Budget, last: int) -> Verdict | None:
        """A play of at most `last` steps that ends in something bad, as short as the time allows to find out."""
        unrolled = machine.unrolled(bad)
        found = unrolled.play(last, budget)
        if found is None:
            machine.refuted = max(machine.refuted, last)
            return Verdict("unknown", bound=str(last))
        short = self.shortened(unrolled, found, machine.refuted + 1, budget.part(self.patience))
        verdict = self.played(machine, short[0])
        verdict.notes += short[1]
        return verdict

    def shortened(
        self, unrolled: Unrolled, found: list[list[int]], least: int, budget: Budget, *more: Formula
    ) -> tuple[list[list[int]], list[str]]:
        """A shortest play of the kind found (by bisection), or the best one and a note when the time is over."""
        while least < len(found) - 1:
            middle = (least + len(found) - 2) // 2
            try:
                better = unrolled.play(middle, budget, *more)
            except OutOfBudget:
                return found, ["perhaps not the shortest play"]
            if better is None:
                least = middle + 1
            else:
                found = better
        return found, []

    def played(self, machine: Machine, slots: list[list[int]], loop_from: int | None = None) -> Verdict:
        """The play through these positions, each step taken by the evaluator."""
        states = [to_state(self.game, row[: machine.problem.game_slots]) for row in slots]
        trace = replay(self.game, states, loop_from)
        if trace is None and machine.encoder.enabled(True) is None:
            raise Unsupported("when so many table actions at once come first")
        if trace is None:
            raise InternalFault("z3 took a step that the evaluator does not take")
        fired = tuple(dict.fromkeys(c for s in trace.steps[1:] for c in s.clauses))
        return Verdict("fails", "proved", trace=trace, clauses=fired)

    def induction(self, machine: Machine, bad: Bad, budget: Budget, *fixed: Formula) -> Verdict | None:
        """Whatever keeps the lemmas and is not bad has no bad step (the starts have been looked at)."""
        row = machine.row
        for k, m in enumerate(machine.model.moves):
            solver = z3.Solver()
            solver.add(*machine.known(row), *fixed)
            if bad.state is not None:
                solver.add(z3.Not(machine.bad_at(bad, row)))
            conditions, wrong = machine.pairs(bad, m, row, f"i{k}")
            solver.add(*conditions, wrong)
            answer = decide(solver, budget)
            if answer != z3.unsat:
                return None
        if bad.state is not None:
            lemma = z3.Not(machine.bad_at(bad, row))
            if fixed:
                lemma = z3.substitute(lemma, *[(f.arg(0), f.arg(1)) for f in fixed])
            slots = {x.get_id() for x in row}
            if all(c.get_id() in slots for c in constants(lemma)):  # one that speaks of moves as well says less than it seems
                machine.lemmas.append(lemma)
        return self.proved(machine)

    def proved(self, machine: Machine) -> Verdict:
        lemmas = z3.simplify(z3.And(machine.lemmas)) if machine.lemmas else z3.BoolVal(True)
        return Verdict(
            "holds", "proved", "any number of steps", evidence={"kind": "invariant", "formula": lemmas, "machine": machine}
        )

    def prepare_lemmas(self, machine: Machine, budget: Budget) -> None:
        """Keep of all candidate invariants those that are true at the start and inductive together (Flanagan, Leino 2001)."""
        if machine.prepared:
            return
        machine.prepared = True
        if machine.below is not None:
            self.prepare_lemmas(machine.below, budget)
            old = machine.below.row
            machine.lemmas += Placing(old, machine.row[: len(old)]).all(machine.below.lemmas)
        candidates = self.candidates(machine)
        found = inductive(machine, candidates, budget)
        machine.lemmas += found
        figures = {"kept": len(found), "candidates": len(candidates)}
        text = f"z3: {len(found)} of {_lemmas(len(candidates), 'candidate ')} hold{'s' * (len(candidates) == 1)}"
        account.note("proof", text, figures)

    def candidates(self, machine: Machine) -> list[Formula]:
        """Invariants worth trying: what the game's own questions claim of positions."""
        found: list[Formula] = []
        env = machine.env(machine.row)
        terms = counted(machine.problem, machine.interest) if machine.problem.counters else []
        for term in [*claims(self.game, machine.problem), *terms]:
            try:
                found.append(machine.encoder.term(term, env))
            except Unsupported:
                continue
        return found

    def spacer(
        self, machine: Machine, bad: Bad, budget: Budget, search: bool = True, limit: int | None = None
    ) -> Verdict | None:
        """Property-directed reachability (Komuravelli, Gurfinkel, Chaki 2014) by z3's Spacer; checked again here."""
        if budget.left() <= 0.05:
            return None
        fp = z3.Fixedpoint()
        fp.set(engine="spacer", ctrl_c=False)
        allow(fp, budget)
        row = machine.row
        holds = z3.Function("Reached", *[x.sort() for x in row], z3.BoolSort())
        wrong = z3.Function("Wrong", z3.BoolSort())
        fp.register_relation(holds)
        fp.register_relation(wrong)
        declared = {x.get_id(): x for x in row}
        e = machine.encoder
        rules: list[tuple[Formula, list[Formula]]] = [(holds(*row), [e.starts(row)])]
        fixed = [] if limit is None else [z3.Int("limit") == limit]
        known = machine.known(row)
        for k, m in enumerate(machine.model.moves):
            conditions, after, env = machine.step(m, row, f"s{k}")
            declared |= {x.get_id(): x for x in env.inputs}
            rules.append((holds(*after), [holds(*row), *known, *conditions]))
            if bad.step is not None:
                rules.append(
                    (
                        wrong(),
                        [
                            holds(*row),
                            *known,
                            *conditions,
                            machine.bad_on(bad, m, row, env),
                            *fixed,
                        ],
                    )
                )
                declared |= {x.get_id(): x for f in fixed for x in constants(f)}
        if bad.state is not None:
            f = machine.bad_at(bad, row)
            declared |= {x.get_id(): x for x in constants(f)}
            rules.append((wrong(), [holds(*row), f, *fixed]))
        fp.declare_var(*declared.values())
        for head, body in rules:
            fp.rule(head, body)
        raise_if_pressed()
        before = done(fp)
        try:
            answer = fp.query(wrong())
        except z3.Z3Exception:
            return None
        finally:
            within(budget).spend(done(fp) - before)
        if answer == z3.unsat:
            cover = fp.get_cover_delta(-1, holds)
            machine.lemmas.append(z3.substitute_vars(cover, *row))
            found = self.induction_of(machine, budget)
            if not found:
                machine.lemmas.pop()
                return None
            return self.induction(machine, bad, budget, *fixed) or (
                self.proved(machine) if self.excludes(machine, bad, budget, *fixed) else None
            )
        return self.bounded(machine, bad, budget, DEEPEST) if answer == z3.sat and search else None

    def induction_of(self, machine: Machine, budget: Budget) -> bool:
        """Is the last lemma true at the start and kept by every step, given those before it?"""
        row, new = machine.row, machine.lemmas[-1]
        solver = z3.Solver()
        solver.add(machine.encoder.starts(row), z3.Not(new))
        if decide(solver, budget) != z3.unsat:
            return False
        for k, m in enumerate(machine.model.moves):
            solver = z3.Solver()
            conditions, after, _ = machine.step(m, row, f"c{k}")
            solver.add(*machine.known(row), *conditions, z3.Not(machine.at(new, after)))
            if decide(solver, budget) != z3.unsat:
                return False
        return True

    def excludes(self, machine: Machine, bad: Bad, budget: Budget, *fixed: Formula) -> bool:
        """Do the lemmas exclude what is bad, in positions and on steps?"""
        row = machine.row
        solver = z3.Solver()
        solver.add(*machine.known(row), *fixed)
        if bad.state is not None:
            solver.push()
            solver.add(machine.bad_at(bad, row))
            if decide(solver, budget) != z3.unsat:
                return False
            solver.pop()
        if bad.step is None:
            return True
        for k, m in enumerate(machine.model.moves):
            solver.push()
            conditions, wrong = machine.pairs(Bad(None, bad.step), m, row, f"x{k}")
            solver.add(*conditions, wrong)
            if decide(solver, budget) != z3.unsat:
                return False
            solver.pop()
        return True


def _lemmas(n: int, of: str = "") -> str:
    return f"{n} {of}lemma{'' if n == 1 else 's'}"
