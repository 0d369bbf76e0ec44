"""What a scenario asks of a play, read by the reference evaluator: a pattern of items, and where a play is in it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import Move, State
from tablelaw.solver.legality import Legality, forbidding, moves_by
from tablelaw.solver.problem import scenario_formulas
from tablelaw.solver.telling import formula_text, values_in
from tablelaw.solver.trace import Step, take
from tablelaw.spec.core import Expr
from tablelaw.spec.game import Game
from tablelaw.spec.operators import Fault, same
from tablelaw.spec.questions import Line, Staged, step_needs
from tablelaw.spec.reckon import Place, meant, value
from tablelaw.spec.values import Value

Drawn = tuple[tuple[str, Value], ...]
FORCED_AT_MOST = 10_000


@dataclass(frozen=True, slots=True)
class Item:
    """A part of the pattern: `move`, `any` (`...`), `then`, `given` (the position is reached) or `final`."""

    kind: str
    line: Line | None = None
    number: int = 0


def pattern(s: Staged) -> list[Item]:
    """The items that a play from the start of the game must meet, one after the other."""
    found = [Item("any"), Item("given")] if s.given is not None else []
    for number, line in enumerate(s.lines, 1):
        if line.then:
            found.append(Item("then", line, number))
        elif line.anything:
            found.append(Item("any", line, number))
        else:
            found += [Item("move", line, number)] * line.times
    return [*found, Item("final")]


@dataclass(frozen=True, slots=True)
class At:
    """Where a play is: the state, how often what is counted has happened, and the last step with the state before it."""

    state: State
    counts: tuple[int, ...]
    before: State | None = None
    step: Step | None = None


class Reading:
    """One game and one scenario: moves that fit lines, formulas read after a step."""

    def __init__(self, game: Game, s: Staged) -> None:
        self.game, self.staged = game, s
        self.subjects = sorted(step_needs(list(scenario_formulas(s)))[1])

    def begin(self, state: State) -> At:
        """The start of a play."""
        return At(state, (0,) * len(self.subjects))

    def went(self, at: At, step: Step) -> At:
        """The play one step on."""
        assert step.move is not None
        names = {*step.clauses, step.move.action}
        return At(step.state, tuple(n + (x in names) for n, x in zip(at.counts, self.subjects, strict=True)), at.state, step)

    def place(self, at: At) -> Place:
        """Where formulas are read after the last step."""
        here = evaluate.place(self.game, at.state)
        before = evaluate.place(self.game, at.before) if at.before is not None else None
        actor = at.step.move.actor if at.step is not None and at.step.move is not None else None
        counts = dict(zip(self.subjects, at.counts, strict=True))
        return replace(here, names={"actor": actor}, before=before, times=lambda subject: counts[subject])

    def holds(self, e: Expr, at: At) -> bool:
        """Does the formula hold after the last step? Without a value it does not."""
        try:
            return bool(value(e, self.place(at)))
        except Fault:
            return False

    def moves(self, state: State) -> list[Move]:
        """The legal moves; a fault in deciding about one of them leaves the others."""
        if self._ended(state):
            return []
        return moves_by(self.game, state, table=True) or moves_by(self.game, state, table=False)

    def _ended(self, state: State) -> bool:
        try:
            return evaluate.end(self.game, state) is not None
        except Fault:
            return True

    def fits(self, line: Line, move: Move) -> bool:
        """Are the action and its arguments those of the line?"""
        args = dict(move.args)
        return move.action == line.action and all(meant(v, args[n]) for n, v in line.args)

    def draws(self, state: State, move: Move, line: Line | None = None) -> list[Drawn]:
        """The draws of a move with the values that the line names."""
        try:
            found = [drawn for drawn, _ in evaluate.draws(self.game, state, move)]
        except Fault:
            return []
        if line is None or not line.draw:
            return found
        return [d for d in found if all(same(dict(d)[n], v) for n, v in line.draw)]

    def steps(self, at: At, move: Move, line: Line | None = None, faulty: bool = False) -> Iterator[Step]:
        """The steps that a move can make and that fit the line; with `faulty` also those that a fault forbids."""
        for drawn in self.draws(at.state, move, line):
            step = take(self.game, at.state, move, drawn)
            if step.fault is not None:
                if faulty:
                    yield step
                continue
            if line is None or line.condition is None or self._meets(line.condition, at, step):
                yield step

    def _meets(self, condition: Expr, at: At, step: Step) -> bool:
        assert step.move is not None
        here = self.place(self.went(at, step))
        try:
            return bool(value(condition, replace(here, names={**dict(step.move.args), **dict(step.drawn), **here.names})))
        except Fault:
            return False

    def settled(self, at: At) -> tuple[At, list[Step]]:
        """After the steps of the table that are forced: nobody chooses, and they lead to one state."""
        steps: list[Step] = []
        while len(steps) < FORCED_AT_MOST and not self._ended(at.state):
            step = self.forced(at)
            if step is None:
                break
            at = self.went(at, step)
            steps.append(step)
        return at, steps

    def forced(self, at: At) -> Step | None:
        """The step of the table, when whatever it chooses or draws leads to one state."""
        found: Step | None = None
        for move in moves_by(self.game, at.state, table=True):
            for drawn in self.draws(at.state, move):
                step = take(self.game, at.state, move, drawn)
                if step.fault is not None or (found is not None and step.state != found.state):
                    return None
                found = found or step
        return found

    def legality(self, at: At, line: Line) -> tuple[Legality, At]:
        """Is the line's move legal (of a player: once the table has done what is forced), and where was that read?"""
        action = self.game.action(line.action or "")
        if action is not None and action.by is not None:
            at, _ = self.settled(at)
        found = forbidding(self.game, at.state, line.action or "", dict(line.args))
        if found.legal and (line.draw or line.condition is not None):
            good = tuple(m for m in found.candidates if next(self.steps(at, m, line), None) is not None)
            clauses = () if good else (line.action or "",)
            found = replace(found, legal=bool(good), candidates=good or found.candidates, clauses=clauses)
        return found, at

    def wrong_at_end(self, at: At) -> str | None:
        """What is not as the scenario says after its last line; None when all is."""
        for e in self.staged.then:
            if not self.holds(e, at):
                return self.told_false(e, at)
        for line in self.staged.legal:
            found, there = self.legality(at, line)
            if not found.legal:
                return f"`{line.text}` should be legal; {self.told_forbidden(found, there)}"
        for line, by in self.staged.illegal:
            found, there = self.legality(at, line)
            if found.legal:
                return f"`{line.text}` should be illegal" + (f" by `{by}`" if by else "") + "; it is legal"
            if by is not None and by not in found.clauses:
                return f"`{line.text}` should be illegal by `{by}`; {self.told_forbidden(found, there)}"
        return None

    def told_false(self, e: Expr, at: At) -> str:
        """`score[0] == 10` is false (score[0] = 6)."""
        here = self.place(at)
        try:
            value(e, here)
        except Fault as fault:
            return f"`{formula_text(e)}` has no value: {fault.message}"
        values = values_in(e, here)
        return f"`{formula_text(e)}` is false" + (f" ({', '.join(values)})" if values else "")

    def told_forbidden(self, found: Legality, at: At) -> str:
        """Which clauses forbid a move, with what they read."""
        if not found.clauses:
            return "no rule says so"
        names = dict(found.candidates[0].args) if found.candidates else {}
        actor = found.candidates[0].actor if found.candidates else None
        here = Place(at.state, self.game.players, {**names, "actor": actor})
        values = list(dict.fromkeys(v for c, e in found.failed if c not in found.faults for v in values_in(e, here)))
        clauses = " and ".join(f"`{c}`" for c in found.clauses)
        faults = "".join(f"; {message}" for message in found.faults.values())
        return f"it is forbidden by {clauses}" + (f" ({', '.join(values)})" if values else "") + faults
