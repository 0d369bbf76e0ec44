"""Walks states by the reference evaluator: is the set closed, and is what a question says true in all of it?"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

from tablelaw.checkers.recheck import Refused
from tablelaw.checkers.states import COUNTED_TO, Counted, Late, counted, path_of
from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import State
from tablelaw.solver.replay import value_along
from tablelaw.solver.trace import replay
from tablelaw.spec.core import Expr
from tablelaw.spec.game import Game
from tablelaw.spec.operators import Fault
from tablelaw.spec.questions import Asked, step_needs
from tablelaw.spec.reckon import Place, value

MOST_EXPLORED = 500_000
OUTSIDE = -1


@dataclass(frozen=True, slots=True)
class Choice:
    """A legal move: who chooses (None: the table), and the numbers of the states that its draws lead to."""

    actor: int | None
    nexts: tuple[int, ...]


class Closed:
    """A set of states, shown to hold every start and every successor by stepping each state with the evaluator.

    `partly`: steps may lead out of it, as those do that a strategy leaves out; such a successor is `OUTSIDE`.
    """

    def __init__(self, game: Game, asked: Asked, rows: list[Counted], seconds: float, partly: bool = False) -> None:
        self.partly = partly
        self.game, self.last, self.seconds = game, time.monotonic() + seconds, seconds
        self.subjects = counted(asked)
        self.rows = rows
        self.index = {row: i for i, row in enumerate(rows)}
        self.states = [state for state, _ in rows]
        self.ended: list[bool] = []
        self.faults: list[str | None] = []
        self.choices: list[list[Choice]] = []
        for i in range(len(self.rows)):
            self._walk(i)

    def _tick(self, i: int) -> None:
        if not i % 64 and time.monotonic() > self.last:
            raise Late(f"walked {i:,} of {len(self.rows):,} states in {self.seconds:g} s, nothing found wrong")

    def _walk(self, i: int) -> None:
        """Step a state; a step with a fault leads nowhere and is noted."""
        self._tick(i)
        game, state, row = self.game, self.states[i], self.rows[i]
        fault: str | None = None
        choices: list[Choice] = []
        ended = False
        try:
            ended = evaluate.end(game, state) is not None
            evaluate.winners(game, state)
        except Fault as f:
            fault = f.message
        try:
            moves = evaluate.moves(game, state)
        except Fault as f:
            fault, moves = f.message, []
        for move in moves:
            nexts = []
            try:
                drawn_all = evaluate.draws(game, state, move)
            except Fault as f:
                fault, drawn_all = f.message, []
            for drawn, _ in drawn_all:
                out = evaluate.apply(game, state, move, drawn)
                if out.fault is not None:
                    fault = out.fault.message
                    continue
                happened = {move.action, *out.fired}
                counts = tuple(n + (s in happened) for s, n in zip(self.subjects, row[1], strict=True))
                if any(n > COUNTED_TO for n in counts) and not self.partly:
                    raise Refused("it counts further than its states can hold")
                found = self.index.get((out.state, counts))
                if found is None and self.partly:
                    found = OUTSIDE
                if found is None:
                    raise Refused("the set is not closed: a legal step leads out of it")
                nexts.append(found)
            choices.append(Choice(move.actor, tuple(dict.fromkeys(nexts))))
        self.ended.append(ended)
        self.faults.append(fault)
        self.choices.append(choices)

    # where formulas are read

    def place(self, i: int, before: int | None = None, actor: int | None = None) -> Place:
        """The place of state i, reached by a move of `actor` from state `before`."""
        counts = dict(zip(self.subjects, self.rows[i][1], strict=True))
        earlier = None if before is None else evaluate.place(self.game, self.states[before])
        here = evaluate.place(self.game, self.states[i], earlier)
        return replace(here, names={"actor": actor}, times=lambda subject: counts[subject])

    def starts(self, asked: Asked) -> list[int]:
        """The numbers of the starts; raises `Refused` when one is missing."""
        first = [asked.given] if asked.given is not None else evaluate.starts(self.game)
        found = []
        for state in first:
            i = self.index.get((state, tuple(0 for _ in self.subjects)))
            if i is None:
                raise Refused("the set does not hold every start")
            found.append(i)
        return found

    def true(self, e: Expr, i: int) -> bool:
        """The formula in a state."""
        return bool(value(e, self.place(i)))

    # what a closed set shows

    def show(self, asked: Asked) -> None:
        """Raise `Refused` unless the set shows that the question holds (or, of `reach`, that it fails)."""
        self.last = time.monotonic() + self.seconds
        starts = self.starts(asked)
        match asked.kind:
            case "always" | "never" | "reach":
                self._everywhere(asked, starts)
            case "progress":
                for i, choices in enumerate(self.choices):
                    if not choices and not self.ended[i] and self.faults[i] is None:
                        raise Refused("in a state of the set nobody has a legal move")
            case "in-range":
                fault = next((f for f in self.faults if f is not None), None)
                if fault is not None:
                    raise Refused(f"a step from a state of the set has a fault: {fault}")
            case "always-after":
                self._after(asked)
            case "terminates" if asked.what == "almost-surely":
                self._surely()
            case "force" if asked.exactly_when is not None:
                self._exactly(asked)
            case _:
                raise Refused(f"a closed set does not show a question of the kind `{asked.kind}`")

    def _everywhere(self, asked: Asked, starts: list[int]) -> None:
        assert asked.formula is not None
        looks, _ = step_needs([asked.formula])
        wanted = asked.kind == "always"
        for n, place in enumerate(self._places(starts) if looks else (self.place(i) for i in range(len(self.rows)))):
            self._tick(n)
            try:
                good = bool(value(asked.formula, place)) == wanted
            except Fault:
                good = asked.kind == "reach"
            if not good:
                raise Refused(f"the formula is {'false' if wanted else 'true'} in a state of the set")

    def _places(self, starts: list[int]) -> Iterator[Place]:
        yield from (self.place(i) for i in starts)
        for i, choices in enumerate(self.choices):
            for c in choices:
                yield from (self.place(j, i, c.actor) for j in c.nexts)

    def _after(self, asked: Asked) -> None:
        """No play goes on for ever, or ends, without `then` once `when` was true."""
        assert asked.formula is not None
        assert asked.then is not None
        if step_needs([asked.formula, asked.then])[0]:
            raise Refused("`old` and `actor` are not followed in `always-after`")
        n = len(self.rows)
        nexts = [{j for c in choices for j in c.nexts} for choices in self.choices]
        avoids = [not self.true(asked.then, i) for i in range(n)]
        changed = True
        while changed:
            changed = False
            for i in range(n):
                if avoids[i] and nexts[i] and not self.ended[i] and not any(avoids[j] for j in nexts[i]):
                    avoids[i], changed = False, True
        if any(avoids[i] and self.true(asked.formula, i) for i in range(n)):
            raise Refused("a play avoids what should come")

    def _surely(self) -> None:
        """From every state some draws lead to an end (or to where nobody can move), whatever is chosen."""
        fault = next((f for f in self.faults if f is not None), None)
        if fault is not None:
            raise Refused(f"a step from a state of the set has a fault: {fault}")
        sure = {i for i, choices in enumerate(self.choices) if not choices}
        waiting = [i for i, choices in enumerate(self.choices) if choices]
        while waiting:
            self._tick(0)
            rest = []
            for i in waiting:
                if all(any(j in sure for j in c.nexts) for c in self.choices[i]):
                    sure.add(i)
                else:
                    rest.append(i)
            if len(rest) == len(waiting):
                raise Refused("choices can keep a play going for ever, whatever is drawn")
            waiting = rest[::-1]

    # forcing

    def _who(self, asked: Asked, i: int) -> frozenset[int]:
        assert asked.who is not None
        found = value(asked.who, self.place(i))
        return frozenset([found]) if isinstance(found, int) else frozenset(found)

    def _goal(self, asked: Asked, who: frozenset[int], i: int) -> bool:
        assert asked.formula is not None
        return bool(value(asked.formula, self.place(i).bind({"who": who})))

    def _sure(self, i: int, who: frozenset[int], good: set[int]) -> bool:
        """Can these players (if they may move) go on into `good`, and can nobody else leave it?"""
        if self.faults[i] is not None or not self.choices[i]:
            return False
        mine = [c for c in self.choices[i] if c.actor in who]
        others = [c for c in self.choices[i] if c.actor not in who]
        inside = [c for c in mine if good.issuperset(c.nexts)]
        return all(good.issuperset(c.nexts) for c in others) and (bool(inside) or not mine)

    def _exactly(self, asked: Asked) -> None:
        assert asked.exactly_when is not None
        groups: dict[frozenset[int], list[int]] = {}
        for i in range(len(self.rows)):
            groups.setdefault(self._who(asked, i), []).append(i)
        for who, members in groups.items():
            good = {i for i in range(len(self.rows)) if self._goal(asked, who, i)}
            rounds = 0
            while new := [i for i in range(len(self.rows)) if i not in good and self._sure(i, who, good)]:
                if asked.within is not None and rounds >= asked.within:
                    break
                rounds += 1
                self._tick(0)
                good |= set(new)
            if any(self.true(asked.exactly_when, i) != (i in good) for i in members):
                raise Refused("in a state of the set `exactly-when` does not tell who can force it")

    def follow(self, asked: Asked, rank: object, who: object) -> None:
        """Raise `Refused` unless the ranks are those of a strategy: each step leads to a smaller one, and 0 is the goal."""
        self.last = time.monotonic() + self.seconds
        if (
            asked.kind != "force"
            or asked.exactly_when is not None
            or asked.who is None
            or not isinstance(who, list)
            or not all(type(p) is int for p in who)
        ):
            raise Refused("a strategy does not show this question")
        if not isinstance(rank, list) or len(rank) != len(self.rows) or not all(type(r) is int for r in rank):
            raise Refused("its ranks are not one for each state")
        seats = frozenset(who)
        for i in self.starts(asked):
            if self._who(asked, i) != seats or rank[i] < 0 or (asked.within is not None and rank[i] > asked.within):
                raise Refused("it does not start where the play starts")
        below: set[int] = set()
        by_rank: dict[int, list[int]] = {}
        for i, r in enumerate(rank):
            if r >= 0:
                by_rank.setdefault(r, []).append(i)
        for r in sorted(by_rank):
            for i in by_rank[r]:
                if not (self._goal(asked, seats, i) if r == 0 else self._sure(i, seats, below)):
                    raise Refused("the strategy has a gap: a step is not nearer to the goal")
            below.update(by_rank[r])


# other evidence


def longest_play(game: Game, asked: Asked, steps: object, seconds: float) -> tuple[str, str]:
    """Every play ends, the longest after so many steps: all plays from the starts, by the evaluator."""
    if asked.kind != "terminates" or type(steps) is not int:
        raise Refused("a ranking shows only that play ends")
    last = time.monotonic() + seconds
    longest: dict[State, int] = {}
    open_: set[State] = set()
    first = [asked.given] if asked.given is not None else evaluate.starts(game)
    stack: list[tuple[State, Iterator[State]]] = []
    for start in first:
        if start in longest:
            continue
        stack.append((start, iter(_successors(game, start))))
        open_.add(start)
        best: dict[State, int] = {start: 0}
        while stack:
            state, rest = stack[-1]
            n = next(rest, None)
            if n is None:
                stack.pop()
                open_.discard(state)
                longest[state] = best.pop(state)
                if stack:
                    above = stack[-1][0]
                    best[above] = max(best[above], longest[state] + 1)
            elif n in open_:
                raise Refused("a play comes back to a position it was in")
            elif n in longest:
                best[state] = max(best[state], longest[n] + 1)
            else:
                if len(longest) > MOST_EXPLORED or time.monotonic() > last:
                    raise Late(f"walked {len(longest):,} states, nothing found wrong")
                open_.add(n)
                best[n] = 0
                stack.append((n, iter(_successors(game, n))))
    found = max((longest[s] for s in first), default=0)
    if found != steps:
        raise Refused(f"the longest play has {found} steps, not {steps}")
    return "holds", f"every play ends, the longest after {found} steps; {len(longest):,} states walked"


def _successors(game: Game, state: State) -> list[State]:
    found = []
    for move in evaluate.moves(game, state):
        for drawn, _ in evaluate.draws(game, state, move):
            out = evaluate.apply(game, state, move, drawn)
            if out.fault is None:
                found.append(out.state)
    return list(dict.fromkeys(found))


def played(game: Game, asked: Asked, verdict: str, states: object) -> tuple[str, str]:
    """A play from a start, each step by the evaluator, to a position where the formula of a `reach` is true."""
    if asked.kind != "reach" or verdict != "holds" or asked.formula is None:
        raise Refused("a play shows only that something can be reached")
    path = path_of(game, states)
    first = [asked.given] if asked.given is not None else evaluate.starts(game)
    if not path or path[0] not in first:
        raise Refused("the play does not begin at a start")
    trace = replay(game, path)
    if trace is None:
        raise Refused("the play has a step that is not legal")
    if not value_along(game, trace, asked.formula):
        raise Refused("the play does not end where the formula is true")
    return "holds", f"a play of {len(path) - 1} steps, taken by the evaluator"
