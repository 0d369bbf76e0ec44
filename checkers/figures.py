"""Re-checks the figure of a question of chance: positions with figures and moves, walked by the evaluator alone.

What is looked at: every start is listed; every draw of every legal move leads to a listed position, unless the question is
decided where it is; a decided position has the figure that the formula gives; elsewhere the figure is the best (the worst, the
mean) of those of the moves, each the exact mean over its draws; the move told is a best one. Why that is enough:

Of a probability the true figures v are the least solution of these equations that is not negative (they are the limit of the
figures within 0, 1, 2, … steps). So figures x that satisfy them are nowhere too small. They are not too large either, if from
each position with x > 0 some draws lead to one decided with a figure above 0, where who wants it large makes the moves told
and the others any. For let w be what these moves make sure of, w <= v, and suppose that x - w is above 0 somewhere. Take the
positions M where it is largest, and of them one from which such an end is the fewest draws away. Under the moves told, and the
moves of the others that keep them at w, its x is at most the mean of the x after it, and its w is the mean of the w after it:
so x - w is as large in all positions after it, which lie in M, and one of them is nearer to the end, or is the end, where x
and w are one. So x = w = v. The moves told for who wants it small make sure of x as well, for the least solution under them
is no larger than x.

Of an expectation it is looked at that from every position some draws lead to an end whatever is chosen. Then every play ends,
and after enough steps the equations bring any two solutions nearer to each other: there is one.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from fractions import Fraction

from tablelaw.checkers.recheck import Refused
from tablelaw.checkers.states import Late
from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import Move, State
from tablelaw.spec.core import Call, Const, Expr, Op, children
from tablelaw.spec.game import Game
from tablelaw.spec.operators import Fault, same
from tablelaw.spec.questions import Asked, step_needs
from tablelaw.spec.reckon import value

LONGEST_NUMBER = 4_000
ZERO = Fraction(0)


@dataclass(frozen=True, slots=True)
class Option:
    """A legal move: who makes it (-1: the table), what is gained on average, and where it leads."""

    actor: int
    gained: Fraction
    draws: tuple[tuple[int, Fraction], ...]


class Figures:
    """Positions of a game, each stepped by the evaluator as far as a question of chance goes on from it."""

    def __init__(self, game: Game, asked: Asked, states: list[State], seconds: float) -> None:
        assert asked.formula is not None
        if step_needs([asked.formula, asked.before, asked.at])[0]:
            raise Refused("`old` and `actor` are not followed in a question of chance")
        if asked.at is not None if asked.kind == "odds" else asked.before is not None or asked.within is not None:
            raise Refused("the question is asked in another way than figures are kept for")
        decided = [asked.before, asked.at, *([asked.formula] if asked.kind == "odds" else [])]
        if step_needs(decided)[1]:
            raise Refused("what is counted is a part of its positions, and those are not kept")
        self.game, self.asked, self.states = game, asked, states
        self.last, self.seconds = time.monotonic() + seconds, seconds
        self.index = {state: i for i, state in enumerate(states)}
        self.counts: dict[str, Fraction] = {}
        if asked.kind == "expected":
            _linear(asked.formula, Fraction(1), self.counts)
        self.fixed: list[Fraction | None] = [None] * len(states)
        self.options: list[list[Option]] = [[] for _ in states]
        try:
            self._walk()
        except Fault as fault:
            raise Refused(f"a position has a fault: {fault.message}") from None

    def _tick(self, i: int) -> None:
        if not i % 64 and time.monotonic() > self.last:
            raise Late(f"walked {i:,} of {len(self.states):,} states in {self.seconds:g} s, nothing found wrong")

    # walking

    def _walk(self) -> None:
        """Step every position; where only so many steps count, those that are fewer steps away from the start."""
        within = self.asked.within
        if within is None:
            for i in range(len(self.states)):
                self._tick(i)
                self._step(i)
            return
        met = new = {self.index[s] for s in self._starts() if s in self.index}
        walked = 0
        for left in range(within, -1, -1):
            for i in new:
                self._tick(walked)
                walked += 1
                self._step(i, last=not left)
            new = {j for i in new for o in self.options[i] for j, _ in o.draws} - met
            met = met | new
            if not new:
                break

    def _starts(self) -> list[State]:
        return [self.asked.given] if self.asked.given is not None else evaluate.starts(self.game)

    def _step(self, i: int, last: bool = False) -> None:
        """Step a position; with `last` only what it is decided as counts."""
        state = self.states[i]
        fixed, moves = self._decided(state)
        self.fixed[i] = fixed
        if fixed is not None or last:
            return
        kept = self._preferred(state, moves)
        options = [self._option(state, move) for move in kept]
        if sum(o.actor < 0 for o in options) > 1:
            raise Refused("several actions of the table are open at once, and nobody chooses between them")
        self._one_side(options)
        self.options[i] = options

    def _decided(self, state: State) -> tuple[Fraction | None, list[Move]]:
        """The figure of a position where the question is decided; None where it goes on, by these moves."""
        asked, here = self.asked, evaluate.place(self.game, state)
        assert asked.formula is not None
        if asked.kind == "odds" and value(asked.formula, here):
            return Fraction(1), []
        other = asked.before if asked.kind == "odds" else asked.at
        moves = [] if other is not None and value(other, here) else evaluate.moves(self.game, state)
        if moves or not (evaluate.end(self.game, state) is not None or (other is not None and value(other, here))):
            return None, moves
        return ZERO if asked.kind == "odds" else Fraction(value(asked.formula, replace(here, times=lambda _: 0))), []

    def _preferred(self, state: State, moves: list[Move]) -> list[Move]:
        """The moves that may be made: of a list of moves those of the first that is legal and true."""
        play = self.asked.play
        if isinstance(play, str) or not moves or moves[0].actor is None:
            return moves
        here = evaluate.place(self.game, state)
        for p in play:
            if p.condition is not None and not value(p.condition, here):
                continue
            args = {n: value(v, here) if isinstance(v, Expr) else v for n, v in p.args}
            mine = [m for m in moves if m.action == p.action and all(same(dict(m.args)[n], x) for n, x in args.items())]
            if mine:
                return mine
        return []

    def _option(self, state: State, move: Move) -> Option:
        draws: dict[int, Fraction] = {}
        gained = ZERO
        for drawn, p in evaluate.draws(self.game, state, move):
            out = evaluate.apply(self.game, state, move, drawn)
            if out.fault is not None:
                raise Refused(f"a step has a fault: {out.fault.message}")
            found = self.index.get(out.state)
            if found is None:
                raise Refused("a legal step leads to a position that is not listed")
            draws[found] = draws.get(found, ZERO) + p
            gained += p * sum((c for s, c in self.counts.items() if s == move.action or s in out.fired), ZERO)
        if sum(draws.values()) != 1:
            raise Refused("the chances of a draw do not add up to 1")
        return Option(-1 if move.actor is None else move.actor, gained, tuple(draws.items()))

    def sense(self, actor: int) -> int:
        """What who moves wants of the figure: 1 large, -1 small, 0 nothing."""
        asked = self.asked
        if actor < 0 or not isinstance(asked.play, str) or asked.play == "uniform":
            return 0
        sign = -1 if asked.play == "worst" else 1
        return sign if asked.players is None or actor in asked.players else -sign

    def _one_side(self, options: list[Option]) -> None:
        if len({self.sense(o.actor) for o in options}) > 1:
            raise Refused("players who want different things may move at the same time")
        if len(options) > 1 and self.asked.play == "":
            raise Refused("players have choices, and the question does not say how they play")

    # showing

    def show(self, told: object, values: object, policy: object) -> str:
        """What was walked, in words; raises `Refused` unless the figure told is that of the question."""
        figure = _fraction(told)
        if self.asked.players is None and len({o.actor for each in self.options for o in each if len(each) > 1}) > 1:
            if isinstance(self.asked.play, str) and self.asked.play != "uniform":
                raise Refused("several players have choices, and the question does not say for whom the play is best")
        first = self._starts()
        if any(s not in self.index for s in first):
            raise Refused("a start is not listed")
        starts = [self.index[s] for s in first]
        if self.asked.within is not None:
            found, shown = self._swept(self.asked.within, starts), "reckoned anew"
        else:
            found = self._listed(values)
            self._equations(found)
            self._comes(found, self._moves(policy, found))
            shown = "whose equations hold"
        for i in starts:
            if found[i] != figure:
                raise Refused("the figure told is not that of the start")
        return f"a figure of {len(self.states):,} states, {shown}"

    def _listed(self, values: object) -> list[Fraction]:
        if not isinstance(values, list) or len(values) != len(self.states):
            raise Refused("its figures are not one for each state")
        return [_fraction(x) for x in values]

    def _moves(self, policy: object, x: list[Fraction]) -> list[Option | None]:
        """The move told in each state, by where it leads; None where none is told."""
        if not isinstance(policy, list) or len(policy) != len(self.states):
            raise Refused("its moves are not one for each state")
        found: list[Option | None] = []
        for i, (leads, options) in enumerate(zip(policy, self.options, strict=True)):
            if leads is None:
                found.append(None)
                continue
            chosen = [o for o in options if sorted(j for j, _ in o.draws) == leads]
            if not chosen:
                raise Refused("a move told is not legal")
            best = [o for o in chosen if self._mean(o, x) == x[i]]
            if not best:
                raise Refused("a move told is not the best one")
            found.append(best[0])
        return found

    def _mean(self, o: Option, x: list[Fraction]) -> Fraction:
        return o.gained + sum((p * x[j] for j, p in o.draws), ZERO)

    def _equations(self, x: list[Fraction]) -> None:
        for i, options in enumerate(self.options):
            self._tick(i)
            fixed = self.fixed[i]
            if fixed is not None:
                good = x[i] == fixed
            elif not options:
                raise Refused("in a position that matters nobody has a move")
            else:
                good = x[i] == self._of_choice(options, x)
            if not good:
                raise Refused("a figure is not that of the moves and draws after it")
            if self.asked.kind == "odds" and x[i] < 0:
                raise Refused("a probability is negative")

    def _of_choice(self, options: list[Option], x: list[Fraction]) -> Fraction:
        means = [self._mean(o, x) for o in options]
        want = self.sense(options[0].actor)
        if not want:
            return sum(means, ZERO) / len(means)
        return max(means) if want > 0 else min(means)

    def _comes(self, x: list[Fraction], moves: list[Option | None]) -> None:
        """From each state that the argument above speaks of, an end comes nearer by some draws."""
        sure = self.asked.kind == "expected"
        ends = {i for i, fixed in enumerate(self.fixed) if fixed is not None and (sure or fixed > 0)}
        waiting = [i for i in range(len(x) - 1, -1, -1) if self.fixed[i] is None]
        while waiting:
            self._tick(0)
            rest = [i for i in waiting if not self._nearer(i, moves[i], sure, ends)]
            if len(rest) == len(waiting):
                break
            waiting = rest[::-1]
        if any(sure or x[i] > 0 for i in waiting):
            raise Refused("the end need not come" if sure else "by the moves told what is asked for need not come")

    def _nearer(self, i: int, told: Option | None, sure: bool, ends: set[int]) -> bool:
        options = self.options[i]
        want = self.sense(options[0].actor)
        if want > 0 and not sure and len(options) > 1:
            options = [told] if told is not None else []
        reached = [any(j in ends for j, _ in o.draws) for o in options]
        near = bool(reached) and (all(reached) if want else any(reached))
        if near:
            ends.add(i)
        return near

    def _swept(self, steps: int, starts: list[int]) -> list[Fraction]:
        """The figures within so many steps, backwards."""
        met = set(starts)
        new = set(starts)
        for _ in range(steps):
            if any(self.fixed[i] is None and not self.options[i] for i in new):
                raise Refused("in a position that matters nobody has a move")
            new = {j for i in new for o in self.options[i] for j, _ in o.draws} - met
            met |= new
            if not new:
                break
        x = [fixed or ZERO for fixed in self.fixed]
        for _ in range(steps):
            after = list(x)
            for i, options in enumerate(self.options):
                self._tick(i)
                if options:
                    after[i] = self._of_choice(options, x)
            if after == x:  # nor does it change from now on
                break
            x = after
        return x


def _fraction(told: object) -> Fraction:
    """A figure as it is written; raises `Refused`."""
    if isinstance(told, str) and len(told) <= LONGEST_NUMBER:
        top, slash, bottom = told.partition("/")
        if _digits(top.removeprefix("-")) and (not slash or (_digits(bottom) and bottom.strip("0"))):
            return Fraction(int(top), int(bottom) if slash else 1)
    raise Refused("a figure cannot be read")


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _linear(e: Expr, by: Fraction, counts: dict[str, Fraction]) -> None:
    """What each count adds to a number; raises `Refused` where counts are not merely added up."""
    match e:
        case Call("times"):
            counts[e.subject] = counts.get(e.subject, ZERO) + by
        case Op("add" | "sub", (a, b)):
            _linear(a, by, counts)
            _linear(b, by if e.op == "add" else -by, counts)
        case Op("mul", (Const(k), a)) | Op("mul", (a, Const(k))):
            _linear(a, by * Fraction(k), counts)
        case _:
            if _counts(e):
                raise Refused("what happens is not merely added up in it")


def _counts(e: Expr) -> bool:
    return (isinstance(e, Call) and e.name == "times") or any(_counts(c) for c in children(e))
