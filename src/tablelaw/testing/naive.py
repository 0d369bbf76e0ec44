"""The slow and obvious telling of games and questions that the laws hold every engine to: the evaluator alone."""

from __future__ import annotations

import functools
from collections import Counter
from dataclasses import dataclass, field, replace

from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import Move, State
from tablelaw.spec.core import Expr
from tablelaw.spec.game import Game
from tablelaw.spec.operators import Fault
from tablelaw.spec.reckon import Place, value
from tablelaw.spec.values import Value


@dataclass
class Step:
    """A step the evaluator takes; `after` is None where it has a fault."""

    move: Move | None
    drawn: tuple[tuple[str, Value], ...] = ()
    after: State | None = None
    fired: tuple[str, ...] = ()


def steps(game: Game, state: State) -> list[Step]:
    """Every step from a state: one for each legal move and draw. Where the moves cannot be told there is one fault alone."""
    try:
        moves = evaluate.moves(game, state)
    except Fault:
        return [Step(None)]
    found = []
    for move in moves:
        try:
            drawn_all = evaluate.draws(game, state, move)
        except Fault:
            found.append(Step(move))
            continue
        for drawn, _ in drawn_all:
            out = evaluate.apply(game, state, move, drawn)
            found.append(Step(move, drawn, None if out.fault else out.state, out.fired))
    return found


@dataclass
class Graph:
    """The reachable states of a game with their steps, in the order of a breadth-first search."""

    game: Game
    states: list[State] = field(default_factory=list)
    number: dict[State, int] = field(default_factory=dict)
    steps: list[list[Step]] = field(default_factory=list)
    depth: list[int] = field(default_factory=list)
    starts: int = 0
    whole: bool = True

    def out(self, i: int) -> list[int]:
        """The numbers of the states after one step, as often as steps lead there."""
        return [self.number[s.after] for s in self.steps[i] if s.after is not None]

    @property
    def faulty(self) -> bool:
        """Has some step a fault?"""
        return any(s.after is None for found in self.steps for s in found)

    def ended(self, i: int) -> bool:
        """Is it an end? (False where that cannot be told.)"""
        try:
            return evaluate.end(self.game, self.states[i]) is not None
        except Fault:
            return False


def explore(game: Game, most: int) -> Graph:
    """The reachable states; `whole` is false when there are more than so many."""
    g = Graph(game)
    for s in evaluate.starts(game):
        if s not in g.number:
            g.number[s] = len(g.states)
            g.states.append(s)
            g.depth.append(0)
    g.starts = len(g.states)
    i = 0
    while i < len(g.states):
        found = steps(game, g.states[i])
        g.steps.append(found)
        for step in found:
            if step.after is not None and step.after not in g.number:
                g.number[step.after] = len(g.states)
                g.states.append(step.after)
                g.depth.append(g.depth[i] + 1)
        i += 1
        if len(g.states) > most:
            g.whole = False
            return g
    return g


# questions


def happened(before: Counter[str], step: Step, most: int) -> Counter[str]:
    """What has happened after one more step, counted up to a number."""
    assert step.move is not None
    now = Counter(before)
    for name in {step.move.action, *step.fired}:
        now[name] = min(most, now[name] + 1)
    return now


def search(
    game: Game, e: Expr, counted: frozenset[str], wanted: bool, most: int = 4, limit: int = 1_000
) -> list[tuple[int, bool]] | None:
    """Plays on which the formula is as wanted or has no value: (steps, whether it has a value), shortest first.

    `times` is counted up to `most`, so formulas may compare it with less than that only. None when it is too much.
    """
    found: list[tuple[int, bool]] = []
    here = [(s, Counter[str]()) for s in evaluate.starts(game)]
    seen = {(s, frozenset(c.items())) for s, c in here}

    def look(s: State, c: Counter[str], before: tuple[State, Counter[str]] | None, actor: int | None, depth: int) -> None:
        old = None
        if before is not None:
            state, count = before
            old = replace(evaluate.place(game, state), times=lambda subject: count[subject])
        at = evaluate.place(game, s)
        place = Place(s, game.players, {"actor": actor}, old, at.ended, at.winners, lambda subject: c[subject])
        try:
            if bool(value(e, place)) == wanted:
                found.append((depth, True))
        except Fault:
            found.append((depth, False))

    for s, c in here:
        look(s, c, None, None, 0)
    depth = 0
    while here:
        following = []
        depth += 1
        for s, c in here:
            for step in steps(game, s):
                if step.after is None or step.move is None:
                    continue
                now = Counter({k: n for k, n in happened(c, step, most).items() if k in counted})
                look(step.after, now, (s, c), step.move.actor, depth)
                key = (step.after, frozenset(now.items()))
                if key not in seen:
                    seen.add(key)
                    following.append((step.after, now))
        if len(seen) > limit:
            return None
        here = following
    return found


def truth(game: Game, state: State, e: Expr, **names: Value) -> Value:
    """The value of a formula of a question that reads positions alone."""
    at = evaluate.place(game, state)
    return value(e, replace(at, names={"actor": None, **names}, times=lambda _: 0))


def endless(g: Graph) -> bool:
    """Does some play go on for ever? States are taken away while they have no step to one that is left."""
    left = set(range(len(g.states)))
    while True:
        gone = {i for i in left if not any(n in left for n in g.out(i))}
        if not gone:
            return bool(left)
        left -= gone


def avoids(g: Graph, good: list[bool]) -> list[bool]:
    """From which states may a play go on for ever, or stop, without meeting what is good?"""
    keep = [not x for x in good]
    while True:
        lost = [i for i in range(len(keep)) if keep[i] and g.out(i) and not any(keep[n] for n in g.out(i))]
        if not lost:
            return keep
        for i in lost:
            keep[i] = False


def forces(g: Graph, goal: list[bool], who: frozenset[int], within: int | None) -> list[bool]:
    """Where these players can force the goal: the others, the table and the draws do their worst. Round by round."""
    won = list(goal)
    rounds = 0
    while within is None or rounds < within:
        now = list(won)
        for i in range(len(won)):
            choices: dict[Move, list[int]] = {}
            for s in g.steps[i]:
                if s.after is not None and s.move is not None:
                    choices.setdefault(s.move, []).append(g.number[s.after])
            mine = [d for m, d in choices.items() if m.actor in who]
            theirs = [d for m, d in choices.items() if m.actor not in who]
            if (
                choices
                and all(all(won[n] for n in d) for d in theirs)
                and (not mine or any(all(won[n] for n in d) for d in mine))
            ):
                now[i] = True
        if now == won:
            return won
        won, rounds = now, rounds + 1
    return won


def plays(g: Graph) -> int | None:
    """Whole plays from all starts; None when some play never ends."""
    if endless(g):
        return None
    done: dict[int, int] = {}

    def ways(i: int) -> int:
        if i not in done:
            nexts = g.out(i)
            done[i] = sum(ways(n) for n in nexts) if nexts else 1
        return done[i]

    for i in sorted(range(len(g.states)), key=lambda i: -g.depth[i]):
        ways(i)
    return sum(done[i] for i in range(g.starts))


def sequences(g: Graph, depth: int) -> int | None:
    """Sequences of that many moves of players, table steps not counted; None when there is no end of them."""

    def players_move_after(i: int, seen: set[int]) -> bool:
        seen.add(i)
        for s in g.steps[i]:
            if s.after is not None and s.move is not None:
                n = g.number[s.after]
                if s.move.actor is not None or (n not in seen and players_move_after(n, seen)):
                    return True
        return False

    @functools.cache
    def ways(i: int, left: int, table: int) -> int:
        if table > len(g.states):  # a way round
            if players_move_after(i, set()):
                raise RecursionError
            return 0
        total = 0 if left else 1
        for s in g.steps[i] if left else []:
            if s.after is not None and s.move is not None:
                is_table = s.move.actor is None
                total += ways(g.number[s.after], left if is_table else left - 1, table + 1 if is_table else 0)
        return total

    try:
        return sum(ways(i, depth, 0) for i in range(g.starts))
    except RecursionError:
        return None
