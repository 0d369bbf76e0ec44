"""Written plays by the reference evaluator: does a scenario go as written, and does some play fit a printed example?

`solver/symbolic/plays.py` asks the second with z3.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import Move, State
from tablelaw.solver.fitting import FORCED_AT_MOST, At, Item, Reading, pattern
from tablelaw.solver.legality import forbidding
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.trace import Step, Trace, first_step
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.game import Game
from tablelaw.spec.operators import Fault, same
from tablelaw.spec.positions import shown
from tablelaw.spec.questions import Line, Staged

NAME = "evaluate"


def _verdict(word: str, known_by: str, steps: list[Step] | None, reason: str | None = None) -> Verdict:
    fired = tuple(dict.fromkeys(c for s in (steps or [])[1:] for c in s.clauses))
    return Verdict(word, known_by, trace=Trace(steps) if steps is not None else None, clauses=fired, reason=reason, engine=NAME)


# a scenario on its own


class _Failed(Exception):
    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def run_scenario(game: Game, s: Staged, budget: Budget) -> Verdict:
    """Play a scenario from its position (else from every start of the game): does all go as written?"""
    reading = Reading(game, s)
    verdict: Verdict | None = None
    for start in [s.given] if s.given is not None else evaluate.starts(game):
        steps = [first_step(start, game)]
        try:
            _run(reading, s, start, steps, budget)
        except _Failed as why:
            return _verdict("fails", "proved", steps, why.reason)
        except Fault as fault:
            return _verdict("fails", "proved", steps, f"the rules have no answer there: {fault.message}")
        verdict = verdict or _verdict("holds", "proved", steps)
    assert verdict is not None
    return verdict


def _run(reading: Reading, s: Staged, start: State, steps: list[Step], budget: Budget) -> None:
    at, after = reading.begin(start), "at the start"
    for number, line in enumerate(s.lines, 1):
        if line.anything:
            raise _Failed(f"line {number}, `...`: leaves open what is played; ask it with `possible`")
        for e in line.then:
            if not reading.holds(e, at):
                raise _Failed(f"{after}: {reading.told_false(e, at)}")
        for _ in range(line.times if line.action else 0):
            budget.check()
            at = _play(reading, at, line, f"line {number}, `{line.text}`", steps)
            after = f"after `{line.text}`"
    wrong = reading.wrong_at_end(at)
    if wrong is not None:
        raise _Failed(f"{after}: {wrong}")


def _play(reading: Reading, at: At, line: Line, where: str, steps: list[Step]) -> At:
    """Take the move of a line, before it what the table must do."""
    moves = reading.moves(at.state)
    for _ in range(FORCED_AT_MOST):
        if any(m.action == line.action for m in moves) or not moves or moves[0].actor is not None:
            break
        forced = reading.forced(at)
        if forced is None:
            raise _Failed(f"{where}: the table acts first, by `{moves[0].action}`, and more than one thing can come of it")
        at = reading.went(at, forced)
        steps.append(forced)
        moves = reading.moves(at.state)
    fitting = [m for m in moves if reading.fits(line, m)]
    if not fitting:
        found = forbidding(reading.game, at.state, line.action or "", dict(line.args))
        raise _Failed(f"{where}: is not legal there; {reading.told_forbidden(found, at)}")
    taken = [step for m in fitting for step in reading.steps(at, m, line, faulty=True)]
    if not taken:
        raise _Failed(f"{where}: nothing that can be drawn fits")
    faulty = next((step for step in taken if step.fault is not None), None)
    if any(step.state != taken[0].state for step in taken) or (faulty is not None and len(taken) > 1):
        raise _Failed(f"{where}: {_left_open(reading.game, line, fitting, taken)}")
    if faulty is not None:
        steps.append(faulty)
        raise _Failed(f"{where}: the rules have no answer there: {faulty.fault}")
    steps.append(taken[0])
    return reading.went(at, taken[0])


def _left_open(game: Game, line: Line, fitting: list[Move], taken: list[Step]) -> str:
    action = game.action(line.action or "")
    assert action is not None
    parts: list[str] = []
    for b in action.params:
        values = list(dict.fromkeys(shown(dict(m.args)[b.name], b.type) for m in fitting))
        if len(values) > 1:
            parts.append(f"`{b.name}` ({len(values)} values fit)")
    draws = len({step.drawn for step in taken})
    if draws > 1:
        parts.append(f"what is drawn ({draws} draws fit)")
    return "leaves open " + " and ".join(parts or ["what happens"])


# the search


@dataclass(slots=True)
class _Node:
    at: At
    parent: _Node | None
    depth: int

    def steps(self, game: Game) -> list[Step]:
        """The steps from the start."""
        found: list[Step] = []
        node: _Node | None = self
        while node is not None:
            found.append(node.at.step or first_step(node.at.state, game))
            node = node.parent
        return found[::-1]


def find_play(
    game: Game, s: Staged, budget: Budget, *, starts: Sequence[State] | None = None, along: Sequence[State] | None = None
) -> Verdict:
    """The shortest play from a start of the game that fits the scenario, by breadth-first search.

    With `along` only the play through these states is looked at. Raises `OutOfBudget`.
    """
    return _Search(game, s, budget, along).run(evaluate.starts(game) if starts is None else starts)


class _Search:
    def __init__(self, game: Game, s: Staged, budget: Budget, along: Sequence[State] | None) -> None:
        self.game, self.budget, self.along = game, budget, along
        self.reading, self.items = Reading(game, s), pattern(s)
        self.seen: set[tuple[State, int, tuple[int, ...]]] = set()
        self.states: set[State] = set()

    def run(self, starts: Sequence[State]) -> Verdict:
        layer: list[tuple[_Node, int]] = []
        for state in starts:
            if self.along is None or state == self.along[0]:
                node = _Node(self.reading.begin(state), None, 0)
                if self._enter(node, 0, layer):
                    return self._found(node)
        while layer:
            following: list[tuple[_Node, int]] = []
            for node, p in layer:
                self.budget.check(len(self.states))
                for step, q in self._onward(node, p):
                    after = _Node(self.reading.went(node.at, step), node, node.depth + 1)
                    if self._enter(after, q, following):
                        return self._found(after)
            layer = following
        verdict = _verdict("fails", "exhausted", None, "no play fits")
        verdict.bound, verdict.states = f"all {len(self.states):,} states that fit so far", len(self.states)
        return verdict

    def _found(self, node: _Node) -> Verdict:
        verdict = _verdict("holds", "proved", node.steps(self.game))
        verdict.states = len(self.states)
        return verdict

    def _enter(self, node: _Node, p: int, layer: list[tuple[_Node, int]]) -> bool:
        """Note every position in the pattern that the play may be at; true when it fits to the end."""
        while True:
            item = self.items[p]
            if item.kind in ("move", "any"):
                key = (node.at.state, p, node.at.counts)
                if key not in self.seen:
                    self.seen.add(key)
                    self.states.add(node.at.state)
                    layer.append((node, p))
                if item.kind == "move":
                    return False
            elif not self._met(item, node.at):
                return False
            elif item.kind == "final":
                return True
            p += 1

    def _met(self, item: Item, at: At) -> bool:
        s = self.reading.staged
        if item.kind == "given":
            assert s.given is not None
            return all(same(at.state[n], s.given[n]) for n in s.named)
        if item.kind == "final":
            return self.reading.wrong_at_end(at) is None
        assert item.line is not None
        return all(self.reading.holds(e, at) for e in item.line.then)

    def _onward(self, node: _Node, p: int) -> Iterator[tuple[Step, int]]:
        """The steps that the item allows, each with the position in the pattern after it."""
        item, at = self.items[p], node.at
        for move in self.reading.moves(at.state):
            wanted = item.line if item.kind == "move" else None
            if wanted is not None and self.reading.fits(wanted, move):
                line, q = wanted, p + 1
            elif wanted is None or (move.actor is None and move.action != wanted.action):
                line, q = None, p
            else:
                continue
            for step in self.reading.steps(at, move, line):
                if self.along is None or (node.depth + 1 < len(self.along) and step.state == self.along[node.depth + 1]):
                    yield step, q
