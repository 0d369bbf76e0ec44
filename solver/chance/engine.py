"""Answers questions of chance: exact fractions where the equations fit, sound bounds where they do not."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction

from tablelaw.solver.board_problem import BoardProblem
from tablelaw.solver.boarded import has_board
from tablelaw.solver.chance import bounds, exact, in_part, swept, whole
from tablelaw.solver.chance.advice import advice, sure_advice
from tablelaw.solver.chance.figures import SECONDS, closed, evidence, none
from tablelaw.solver.chance.graph import Chances, Paused, Refused, TooMany, explore
from tablelaw.solver.chance.left_open import LeftOpen
from tablelaw.solver.chance.listing import Asks, compiled_chain, worth_it
from tablelaw.solver.chance.policy import Solved, rewalk
from tablelaw.solver.chance.ready import Ready, chain_of
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.game import Game
from tablelaw.spec.policies import policed
from tablelaw.spec.questions import Asked, step_needs

NAME = "chance"
MOST_STATES = 3_000_000
MOST_EXACT_EDGES = 20_000_000
MOST_EXACT_STATES = 1_500_000
FIRST_SECONDS, FIRST_STATES = 4.0, 20_000
MOST_BOARDS = 1_000_000
GUESS = 0.25
"""Of the time that is left, for bounds that help to find exact figures."""
RUNS_OUT = "the list of `play` runs out: in a position that matters none of its moves is legal and true"
EVERYBODY = "every player follows the list of `play`"


IN_PART = "bounds that hold, unless something beyond those met would be refused"


class Chance:
    """Questions of chance about one game."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.watch: Callable[[Chances, Asked, exact.Sense, Ready], None] | None = None
        """Shown each chain before it is solved."""

    def ask(self, asked: Asked, budget: Budget) -> Verdict:
        """The verdict; raises `OutOfBudget` and `Unlowerable`."""
        try:
            if asked.kind == "terminates":
                return self._surely(asked, budget)
            return self._figure(asked, budget)
        except Refused as why:
            reason = str(why)
            if reason == exact.NO_MOVE and isinstance(asked.play, tuple):
                reason = RUNS_OUT
            return Verdict("unknown", reason=reason, engine=NAME)

    # figures

    def _figure(self, asked: Asked, budget: Budget) -> Verdict:
        game = self.game
        looks, _ = step_needs([asked.formula, asked.before, asked.at])
        if looks:
            raise Refused("a question of chance reads positions; `old` and `actor` are not followed here")
        if isinstance(asked.play, tuple):
            game = policed(game, asked.play)
        sense = self._sense(asked)
        if not has_board(game):
            return self._or_in_part(Ready(game, asked), asked, sense, budget)
        try:
            return self._solved(Ready(game, asked), asked, sense, budget.part(FIRST_SECONDS), FIRST_STATES)
        except (OutOfBudget, TooMany):
            budget.check()
        try:
            told = LeftOpen(game, self._in_part).ask(asked, sense, budget)
        except (Refused, Unlowerable) as why:
            told = Verdict("unknown", reason=f"with the board left open: {why}", engine=NAME)
        if told.value is not None:
            return told
        try:  # with the board as it is after all: a stated way of playing, or short hands, may keep to few layouts
            return self._solved(Ready(game, asked), asked, sense, budget, MOST_BOARDS)
        except TooMany as why:
            spent = str(why)
        except OutOfBudget as why:
            spent = f"out of budget: {why.reason}"
        if told.verdict == "unknown":
            told.reason = f"{told.reason}; with the board as it is: {spent}"
        return told

    def _or_in_part(self, ready: Ready, asked: Asked, sense: exact.Sense, budget: Budget) -> Verdict:
        """The figure; where the chain is too large for it and something is known of a probability all the same, bounds."""
        try:
            return self._solved(ready, asked, sense, in_part.reach(budget), MOST_STATES)
        except TooMany as why:
            verdict = Verdict("unknown", reason=str(why), engine=NAME)
        except OutOfBudget as why:
            verdict = Verdict("unknown", reason=f"out of budget: {why.reason}", engine=NAME)
        if asked.kind == "odds" and asked.within is None:
            with suppress(OutOfBudget):
                found = in_part.between(ready, asked, sense, budget, lambda chain: self._alone(asked, chain, sense))
                if found is not None:
                    near = f"the {in_part.NEAREST:,} positions nearest to the start"
                    told = Verdict("value", "bounded", near, engine=NAME, notes=[f"{verdict.reason}: {IN_PART}"])
                    told.interval = (str(_down(found[0])), str(_up(found[1])))
                    told.evidence = none("bounds are not kept, only figures that are told exactly")
                    return told
        return verdict

    def _in_part(self, ready: Ready, asked: Asked, sense: exact.Sense, budget: Budget) -> Verdict:
        """The figure of a game that is not the game itself."""
        return self._solved(ready, asked, sense, budget, whole=False)

    def _solved(
        self, ready: Ready, asked: Asked, sense: exact.Sense, budget: Budget, most: int = MOST_STATES, whole: bool = True
    ) -> Verdict:
        """The figure; `whole`: of the game itself, so that it is told what to do and what shows it."""
        chain = chain_of(ready, asked, budget, most)
        self._alone(asked, chain, sense)
        notes = self._followed(asked, chain) + ready.told()
        if whole and asked.within is None:
            self._goes_on(ready, asked, chain)
        if asked.within is not None or self.watch is not None:
            chain = chain.plain()
        chain.averaged(sense)
        if self.watch is not None:
            self.watch(chain, asked, sense, ready)
        if asked.within is not None:
            known, solved = self._within(chain, sense, asked.within, budget)
            known.notes += notes
            if whole:
                self._tell(known, ready, solved, asked)
            return known
        if asked.kind == "expected":
            self._must_end(ready, chain)
        near = self._guessed(chain, asked, sense, budget, ready) if chain.starts == 1 else None
        if chain.edges <= MOST_EXACT_EDGES and len(chain.packed) <= MOST_EXACT_STATES:
            try:
                solved = self._values(chain, asked, sense, budget, near)
                value = self._first(chain, solved.values)
                known = Verdict("value", "exhausted", value=str(value), engine=NAME, states=len(chain.packed), notes=notes)
                if whole:
                    self._tell(known, ready, solved, asked)
                return known
            except exact.TooLarge:
                pass
        if chain.starts > 1:
            raise Refused("bounds are told of one start; give a position")
        wide = near is None or near.high - near.low > bounds.NARROW
        found = self._bounds(chain, asked, sense, budget, ready) if near is None or wide else near
        notes.append("the equations are too large to be solved exactly: bounds that hold, rounding included")
        verdict = Verdict("value", "exhausted", engine=NAME, states=len(chain.packed), notes=notes)
        verdict.interval = (str(_down(found.low)), str(_up(found.high)))
        if whole:
            verdict.policy = sure_advice(ready.game, ready, chain, sense, found, asked)
        verdict.evidence = none("bounds are not kept, only figures that are told exactly")
        return verdict

    def _values(
        self, chain: Chances, asked: Asked, sense: exact.Sense, budget: Budget, found: bounds.Bounds | None = None
    ) -> Solved:
        """Exact values and choices, walked again; where somebody can stay for ever, what is hopeless is told by the graph
        first."""
        before = chain.copy()
        try:
            values, policy = whole.solve(chain, sense, budget, found)
        except exact.TooLong:
            raise
        except exact.TooLarge:
            if asked.kind != "odds" or not chain.hopeless(sense):
                raise
            values, policy = whole.solve(chain, sense, budget)
        return Solved(before, values, policy, rewalk(before, values, policy, sense, asked.kind == "expected"))

    def _tell(self, known: Verdict, ready: Ready, solved: Solved, asked: Asked) -> None:
        """Add to a figure what is to be done for it, and what shows it."""
        known.policy = advice(ready.game, ready, solved, asked)

        def whole(most: int) -> tuple[Ready, Chances]:
            full = Ready(ready.game, asked, whole=True)
            return full, chain_of(full, asked, Budget(SECONDS), most)

        known.evidence = evidence(ready, solved, whole)

    def _first(self, chain: Chances, values: list[Fraction]) -> Fraction:
        found = {values[i] for i in range(chain.starts)}
        if len(found) > 1:
            raise Refused("the starts of the game have different answers; give a position")
        return found.pop()

    def _bounds(self, chain: Chances, asked: Asked, sense: exact.Sense, budget: Budget, ready: Ready) -> bounds.Bounds:
        """Bounds of the figure, by what is known of all figures before any is reckoned."""
        if asked.kind == "odds":
            return swept.any_bound(chain, sense, Fraction(0), Fraction(1), budget, ready.slots)
        last = [*chain.values.values(), Fraction(0)]
        if not any(chain.reward):
            return swept.any_bound(chain, sense, min(last), max(last), budget, ready.slots)
        found = None
        if all(r >= 0 for r in chain.reward):
            found = swept.any_bound_counts(chain, sense, min(last), budget, ready.slots)
        if found is None:
            raise Refused("so large a chain has no bounds for what is counted on the way")
        return found

    def _guessed(self, chain: Chances, asked: Asked, sense: exact.Sense, budget: Budget, ready: Ready) -> bounds.Bounds | None:
        """Bounds before exact figures, where they say which choices need not be looked at."""
        if not whole.chosen_in_loops(chain, sense):
            return None
        with suppress(Refused):
            return self._bounds(chain, asked, sense, budget.part(max(GUESS * budget.left(), 0.01)), ready)
        return None

    def _within(self, chain: Chances, sense: exact.Sense, steps: int, budget: Budget) -> tuple[Verdict, Solved]:
        """The figure, and the choice at the start: what comes later depends on how many steps are left."""
        self._moves_are_left(chain, steps)
        values: list[Fraction | None] = [chain.values.get(i, Fraction(0)) for i in range(len(chain.packed))]
        before = values
        for step in range(steps):
            long = max((v.denominator.bit_length() for v in values if v is not None), default=0) > exact.LONGEST
            if long or not budget.left() > 0:
                return self._so_far(chain, sense, values, step, budget), Solved(chain, [], {}, set())
            budget.check()
            before = values
            new: list[Fraction | None] = list(values)
            for v, options in enumerate(chain.choices):
                if options:
                    new[v] = exact._best(chain, v, values, sense)[0]
            values = new
            if values == before:  # what has not come by now will not come
                break
        found = {values[i] for i in range(chain.starts)}
        if len(found) > 1:
            raise Refused("the starts of the game have different answers; give a position")
        chosen = {i: exact.preferred(chain, i, before, sense) for i in range(chain.starts if steps else 0)}
        policy = {i: c for i, c in chosen.items() if c is not None}
        known = Verdict("value", "exhausted", value=str(found.pop()), engine=NAME, states=len(chain.packed))
        return known, Solved(chain, [], policy, set(policy))

    def _so_far(self, chain: Chances, sense: exact.Sense, values: list[Fraction | None], steps: int, budget: Budget) -> Verdict:
        """Bounds where so many steps are not gone through: no less than within fewer, no more than at any time."""
        low, high = values[0], Fraction(1)
        assert low is not None
        if chain.starts > 1:
            raise Refused("bounds are told of one start; give a position")
        if budget.left() > 0:
            with suppress(exact.TooLarge, OutOfBudget):
                high = exact.solve(chain, sense, budget)[0][0]
        notes = [f"the first {steps:,} steps were gone through; the upper figure does not count the steps"]
        verdict = Verdict("value", "exhausted", engine=NAME, states=len(chain.packed), notes=notes)
        verdict.interval = (str(_down(low)), str(_up(high)))
        verdict.evidence = none("bounds are not kept, only figures that are told exactly")
        return verdict

    def _moves_are_left(self, chain: Chances, steps: int) -> None:
        """Has somebody a move wherever so many steps may want one?"""
        met = set(range(chain.starts))
        new = met
        for _ in range(steps):
            if any(not chain.choices[v] and v not in chain.values for v in new):
                raise Refused(exact.NO_MOVE)
            new = {j for v in new for _, draws in chain.choices[v] for j, _ in draws} - met
            met |= new
            if not new:
                break

    def _sense(self, asked: Asked) -> exact.Sense:
        """What each actor wants of the figure."""
        mode = asked.play if isinstance(asked.play, str) else "uniform"
        if mode == "uniform":
            return lambda actor: 0
        sign = -1 if mode == "worst" else 1
        who = asked.players
        return lambda actor: 0 if actor < 0 else sign if who is None or actor in who else -sign

    def _alone(self, asked: Asked, chain: Chances, sense: exact.Sense) -> None:
        """Without `who` (and without a way of playing) a single player at most has choices."""
        if isinstance(asked.play, tuple) or asked.play == "uniform":
            return
        actors = chain.actors(several=True)
        if asked.play == "" and actors:
            raise Refused("players have choices here: say how they play, as in `play: best`, and for whom with `who`")
        if asked.players is None and len(actors) > 1:
            raise Refused("several players have choices: say with `who` for whom the play is best")
        if chain.mixed(sense):
            raise Refused("players who want different things may move at the same time, and the rules do not say who is first")

    def _followed(self, asked: Asked, chain: Chances) -> list[str]:
        """A list of moves is everybody's, unlike best play: said where several players move."""
        movers = chain.actors(several=False) - {-1}
        return [EVERYBODY] if isinstance(asked.play, tuple) and len(movers) > 1 else []

    def _goes_on(self, ready: Ready, asked: Asked, chain: Chances) -> None:
        """Has somebody a move in each position where the question is open? The first where nobody has is named."""
        v = chain.stuck()
        if v is not None:
            said = RUNS_OUT if isinstance(asked.play, tuple) else exact.NO_MOVE
            raise Refused(f"{said}: {ready.where(chain.packed[v])}")

    def _must_end(self, ready: Ready, chain: Chances) -> None:
        staying = chain.staying()
        if staying is not None:
            forced = all(len(chain.choices[v]) == 1 for v in staying)
            stays = "it goes round for ever and nobody chooses" if forced else "the play can stay away from it for ever"
            raise Refused(f"what is asked for need not come: {stays}, as from {ready.where(chain.packed[staying[0]])}")

    # almost surely

    def _to_the_end(self, ready: Ready, budget: Budget, most: int) -> Chances:
        def absorbed(s: int) -> Fraction | None:
            return Fraction(1) if ready.ended(s) else None

        if isinstance(ready.problem, BoardProblem):
            return explore(ready.space, absorbed, None, budget, most)
        try:
            return explore(ready.space, absorbed, None, budget, most, pause=worth_it(budget))
        except Paused:
            asks = Asks(ready.problem.model)
            asks.won, asks.lost = asks.lost, asks.won
            found = compiled_chain(ready, asks, lambda s: Fraction(0), budget, most)
        return explore(ready.space, absorbed, None, budget, most) if found is None else found

    def _surely(self, asked: Asked, budget: Budget) -> Verdict:
        ready = Ready(self.game, asked)
        chain = self._to_the_end(ready, budget, MOST_STATES)
        staying = chain.staying()
        if staying is not None:
            forced = all(len(chain.choices[v]) == 1 for v in staying)
            why = "nobody chooses and the play never ends" if forced else "some choices keep the play from its end for ever"
            why += f", whatever is drawn, as from {ready.where(chain.packed[staying[0]])}"
            return Verdict("fails", "exhausted", engine=NAME, states=len(chain.packed), reason=why)
        notes = ["whatever is chosen, from every position some draws lead to the end"]
        if chain.stuck() is not None:
            notes = ["no choice keeps a play going for ever; but some play gets stuck before its end, as `progress` tells"]

        def whole(most: int) -> tuple[Ready, Chances]:
            full = Ready(self.game, asked, whole=True)
            return full, self._to_the_end(full, Budget(SECONDS), most)

        shown = closed(ready, chain, whole)
        return Verdict("holds", "exhausted", engine=NAME, states=len(chain.packed), notes=notes, evidence=shown)


def _down(x: Fraction) -> Fraction:
    return Fraction((x * 10**12).__floor__(), 10**12)


def _up(x: Fraction) -> Fraction:
    return Fraction((x * 10**12).__ceil__(), 10**12)
