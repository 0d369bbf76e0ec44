"""Answers questions of chance: exact fractions where the equations fit, sound bounds where they do not."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction

from tablelaw.solver import account
from tablelaw.solver.board_problem import BoardProblem
from tablelaw.solver.boarded import has_board
from tablelaw.solver.chance import bounds, exact, in_part, swept, whole
from tablelaw.solver.chance.advice import advice, sure_advice
from tablelaw.solver.chance.figures import SECONDS, closed, evidence, none
from tablelaw.solver.chance.graph import Chances, Paused, Refused, TooMany, explore, spend
from tablelaw.solver.chance.left_open import LeftOpen
from tablelaw.solver.chance.listed import Listed
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
EXACT = 0.7
"""Of the time that is left after these, for exact figures; the rest is for bounds, and for telling what to do."""
TOO_LARGE = "the equations are too large to be solved exactly"
NO_TIME = "the equations were not solved exactly before their share of the time was over"
NO_MEMORY = "the equations were not solved exactly before the memory was used up"
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
            return self._solved(Ready(game, asked), asked, sense, budget, MOST_BOARDS, tell=told.interval is None)
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
            chain = chain_of(ready, asked, in_part.reach(budget), MOST_STATES)
        except TooMany as why:
            verdict = Verdict("unknown", reason=str(why), engine=NAME)
        except OutOfBudget as why:
            verdict = Verdict("unknown", reason=f"out of budget: {why.reason}", engine=NAME)
        else:
            return self._of_chain(chain, ready, asked, sense, budget, tell=True)
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
        self,
        ready: Ready,
        asked: Asked,
        sense: exact.Sense,
        budget: Budget,
        most: int = MOST_STATES,
        *,
        whole: bool = True,
        tell: bool = False,
    ) -> Verdict:
        """The figure; `whole`: of the game itself, so that it is told what to do and what shows it."""
        return self._of_chain(chain_of(ready, asked, budget, most), ready, asked, sense, budget, whole=whole, tell=tell)

    def _of_chain(
        self,
        chain: Chances,
        ready: Ready,
        asked: Asked,
        sense: exact.Sense,
        budget: Budget,
        *,
        whole: bool = True,
        tell: bool = False,
    ) -> Verdict:
        """The figure of a chain that is listed; `tell`: bounds where there is not the time for it, if any are known.

        Raises `OutOfBudget` where nothing is to be told.
        """
        budget.met.positions = len(chain.packed)
        self._note_chain(chain)
        self._alone(asked, chain, sense)
        notes = self._followed(asked, chain) + ready.told() + ready.of_ranges(budget)
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
                self._tell(known, ready, solved, asked, budget)
            return known
        if asked.kind == "expected":
            self._must_end(ready, chain)
        bounded = chain.starts == 1
        near = self._guessed(chain, asked, sense, budget, ready, whole) if bounded else None
        spent: OutOfBudget | None = None
        if chain.edges <= MOST_EXACT_EDGES and len(chain.packed) <= MOST_EXACT_STATES:
            share = budget.part(max(EXACT * budget.left(), 0.01)) if bounded and tell else budget
            try:
                solved = self._values(chain, asked, sense, share, near)
                value = self._first(chain, solved.values)
                known = Verdict("value", "exhausted", value=str(value), engine=NAME, states=len(chain.packed), notes=notes)
                if whole:
                    self._tell(known, ready, solved, asked, budget)
                return known
            except exact.TooLarge:
                account.note("chance", f"no exact figures: {TOO_LARGE}", key="exact")
            except OutOfBudget as why:
                if not bounded or not tell:
                    raise
                spent = OutOfBudget(why.reason)  # not the exception itself, which holds on to all that was begun
                said = f"their share of the time is over ({share.seconds:.1f} s)" if share.left() <= 0 else why.reason
                account.note("chance", f"no exact figures: {said}", key="exact")
        if not bounded:
            raise Refused("bounds are told of one start; give a position")
        wide = near is None or near.high - near.low > bounds.NARROW
        try:
            found = self._bounds(chain, asked, sense, budget, ready, near, whole) if near is None or wide else near
        except Refused:
            if spent is not None:
                raise spent from None
            raise
        self._worth_telling(asked, found, spent, budget)
        why_not = TOO_LARGE if spent is None else NO_MEMORY if "memory" in spent.reason else NO_TIME
        notes.append(f"{why_not}: bounds that hold, rounding included")
        verdict = Verdict("value", "exhausted", engine=NAME, states=len(chain.packed), notes=notes)
        verdict.interval = (str(_down(found.low)), str(_up(found.high)))
        if whole and budget.left() > 0:
            verdict.policy = sure_advice(ready.game, ready, chain, sense, found, asked)
        verdict.evidence = none("bounds are not kept, only figures that are told exactly")
        return verdict

    def _worth_telling(self, asked: Asked, found: bounds.Bounds, spent: OutOfBudget | None, budget: Budget) -> None:
        """Raise `OutOfBudget` where time or memory ran out for exact figures and the bounds of a probability say nothing."""
        if spent is not None and not _says(asked, found):
            spend(budget, budget.met.positions)
            raise spent

    def _note_chain(self, chain: Chances) -> None:
        """How large the chain is, for an account."""
        if account.wanted():
            n, parts = len(chain.packed), len(chain.parts[2]) - 1 if isinstance(chain, Listed) else len(chain.groups())
            how = "by compiled code" if isinstance(chain, Listed) else "without compiled code"
            text = f"{n:,} positions with {chain.edges:,} draws in {parts:,} parts, listed {how}"
            figures = {"positions": n, "draws": chain.edges, "parts": parts, "compiled": isinstance(chain, Listed)}
            account.note("chance", text, figures, key="chain")

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
        return Solved(before, values, policy, rewalk(before, values, policy, sense, asked.kind == "expected", budget))

    def _tell(self, known: Verdict, ready: Ready, solved: Solved, asked: Asked, budget: Budget) -> None:
        """Add to a figure what is to be done for it, if there is time, and what shows it."""
        try:
            known.policy = advice(ready.game, ready, solved, asked, budget)
        except OutOfBudget:
            known.notes.append("there was not the time to tell what to do for it")

        def whole(most: int) -> tuple[Ready, Chances]:
            full = Ready(ready.game, asked, whole=True)
            return full, chain_of(full, asked, Budget(SECONDS), most)

        known.evidence = evidence(ready, solved, whole)

    def _first(self, chain: Chances, values: list[Fraction]) -> Fraction:
        found = {values[i] for i in range(chain.starts)}
        if len(found) > 1:
            raise Refused("the starts of the game have different answers; give a position")
        return found.pop()

    def _bounds(
        self,
        chain: Chances,
        asked: Asked,
        sense: exact.Sense,
        budget: Budget,
        ready: Ready,
        begun: bounds.Bounds | None = None,
        whole: bool = True,
    ) -> bounds.Bounds:
        """Bounds of the figure, from those on that were `begun`; `whole`: of the game itself, so that they may be told."""
        try:
            found = self._swept(chain, asked, sense, budget, ready, begun)
        except bounds.Interrupted as stop:
            if whole:
                self._keep(asked, stop.known, budget)
            raise
        if whole:
            self._keep(asked, found, budget)
        how = "compiled" if isinstance(chain, Listed) else "numpy's"
        text = f"from {float(found.low):.12g} to {float(found.high):.12g}, by {found.sweeps:,} {how} sweeps over all positions"
        account.note("chance", f"bounds {text}", {"sweeps": found.sweeps}, key="bounds")
        return found

    def _keep(self, asked: Asked, found: bounds.Bounds, budget: Budget) -> None:
        """What is told if nothing better comes."""
        if asked.within is None and _says(asked, found):
            budget.met.low, budget.met.high = found.low, found.high

    def _swept(
        self, chain: Chances, asked: Asked, sense: exact.Sense, budget: Budget, ready: Ready, begun: bounds.Bounds | None
    ) -> bounds.Bounds:
        """The same, by what is known of all figures before any is reckoned."""
        if asked.kind == "odds":
            return swept.any_bound(chain, sense, Fraction(0), Fraction(1), budget, ready.slots, begun)
        last = [*chain.values.values(), Fraction(0)]
        if not any(chain.reward):
            return swept.any_bound(chain, sense, min(last), max(last), budget, ready.slots)
        found = None
        if all(r >= 0 for r in chain.reward):
            found = swept.any_bound_counts(chain, sense, min(last), budget, ready.slots)
        if found is None:
            raise Refused("so large a chain has no bounds for what is counted on the way")
        return found

    def _guessed(
        self, chain: Chances, asked: Asked, sense: exact.Sense, budget: Budget, ready: Ready, of_game: bool
    ) -> bounds.Bounds | None:
        """Bounds before exact figures, where they say which choices need not be looked at."""
        if not whole.chosen_in_loops(chain, sense):
            return None
        with suppress(Refused):
            return self._bounds(chain, asked, sense, budget.part(max(GUESS * budget.left(), 0.01)), ready, whole=of_game)
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
                if not v % 4096 and not budget.left() > 0:
                    return self._so_far(chain, sense, values, step, budget), Solved(chain, [], {}, set())
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
            forced = chain.forced(staying)
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
            forced = chain.forced(staying)
            why = "nobody chooses and the play never ends" if forced else "some choices keep the play from its end for ever"
            why += f", whatever is drawn, as from {ready.where(chain.packed[staying[0]])}"
            return Verdict("fails", "exhausted", engine=NAME, states=len(chain.packed), reason=why)
        notes = ["whatever is chosen, from every position some draws lead to the end"]
        if chain.stuck() is not None:
            notes = ["no choice keeps a play going for ever; but some play gets stuck before its end, as `progress` tells"]
        notes += ready.of_ranges(budget)

        def whole(most: int) -> tuple[Ready, Chances]:
            full = Ready(self.game, asked, whole=True)
            return full, self._to_the_end(full, Budget(SECONDS), most)

        shown = closed(ready, chain, whole)
        return Verdict("holds", "exhausted", engine=NAME, states=len(chain.packed), notes=notes, evidence=shown)


def _says(asked: Asked, found: bounds.Bounds) -> bool:
    """Do bounds say more than that a probability is one?"""
    return asked.kind != "odds" or found.high - found.low < 1 - in_part.WORTH


def _down(x: Fraction) -> Fraction:
    return Fraction((x * 10**12).__floor__(), 10**12)


def _up(x: Fraction) -> Fraction:
    return Fraction((x * 10**12).__ceil__(), 10**12)
