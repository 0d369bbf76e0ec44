"""Makes a play shorter that shows something: leaves out stretches of it, then lets what is left be chosen anew."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tablelaw.solver.breadth import draws_of
from tablelaw.solver.fewest import Fewest, Link
from tablelaw.solver.sampling import Choice, Coded, Taken
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.spec.operators import Fault
from tablelaw.spec.values import Value

Shows = Callable[[Any, Any, int], bool]
"""Is it there, in a position reached from one before by a player's step (-1: the table)? At a start both are the same."""
FEW = 6
FEWEST = 10.0
EFFORTS = ((60, FEW), (600, FEW), (4_000, FEW), (20_000, 100))
"""For one stretch left out: so many positions are looked at, and other draws are tried where no more than so many can come."""
_WRONG = (Fault, KeyError)


@dataclass(slots=True)
class Shrinker:
    """One game, one start, and what is to be shown."""

    coded: Coded
    start: Any
    shows: Shows
    budget: Budget
    breadth: bool = False
    """Are choices looked through breadth first, with few draws? Only where `shows` hangs on the step alone, not on the way."""

    def shortest(self, steps: list[Taken]) -> list[Taken]:
        """A short play that shows it, found from one that does; the same one where time runs out at once."""
        best = steps
        try:
            best = self._few_draws(self.left_out(best))
            for nodes, draws in EFFORTS:
                shorter = self._until_none(best, nodes, draws)
                best = self._few_draws(shorter) if len(shorter) < len(best) else best
        except _Spent as spent:
            best = spent.best if len(spent.best) < len(best) else best
        return best

    def _few_draws(self, steps: list[Taken]) -> list[Taken]:
        """A shorter play by few of the draws, all choices between them looked through."""
        if not self.breadth:
            return steps
        share = self.budget.part(max(0.01, self.budget.left() * 0.5)) if self.budget.seconds else Budget(FEWEST)
        found = Fewest(_Plays(self), self.start, share).shorter(steps)
        return steps if found is None else found[1]

    # the same moves, some left out

    def left_out(self, steps: list[Taken]) -> list[Taken]:
        """Leave out the longest stretches first, until none can be left out."""
        rows = self._rows(steps)
        length = len(steps) - 1
        while length > 0:
            length = min(length, len(steps) - 1)
            for at in range(len(steps) - length + 1):
                self._check(steps)
                shorter = self._goes_on(rows[at], steps[:at], steps[at + length :])
                if shorter is not None:
                    steps, rows = shorter, self._rows(shorter)
                    break
            else:
                length -= 1
        return steps

    def _check(self, best: list[Taken]) -> None:
        try:
            self.budget.check()
        except OutOfBudget:
            raise _Spent(best) from None

    def _rows(self, steps: list[Taken]) -> list[Any]:
        """The positions of a play that is known to be one."""
        rows = [self.start]
        for choice, drawn in steps:
            rows.append(self.coded.step(rows[-1], choice, drawn)[0])
        return rows

    def _goes_on(self, s: Any, before: list[Taken], rest: list[Taken]) -> list[Taken] | None:
        """The play that goes on with these steps as far as what is to be shown; None where it does not get there."""
        made = list(before)
        for (n, _, args), drawn in rest:
            step = self._step(s, n, args, drawn)
            if step is None:
                return None
            choice, after = step
            made.append((choice, drawn))
            if self._shown(after, s, choice[1]):
                return made
            s = after
        return None

    def _shown(self, after: Any, before: Any, actor: int) -> bool:
        try:
            return self.shows(after, before, actor)
        except _WRONG:
            return False

    def _step(self, s: Any, n: int, args: tuple[Value, ...], drawn: tuple[Value, ...]) -> tuple[Choice, Any] | None:
        """The step of an action, by whoever may take it here; None where it is not legal or cannot be drawn so."""
        try:
            actor = self.coded.code.allowed(s, n, args)
            if actor is None:
                return None
            choice = (n, actor, args)
            for k, v in enumerate(drawn):
                if v not in self.coded.chance(s, choice, k, drawn[:k])[0]:
                    return None
            return choice, self.coded.step(s, choice, drawn)[0]
        except _WRONG:
            return None

    # the same actions, some left out, what they are played with chosen anew

    def _until_none(self, steps: list[Taken], nodes: int, draws: int) -> list[Taken]:
        """Leave out stretches as before, but keep only the actions and the draws of what follows."""
        length, tried = len(steps) - 1, set[object]()
        while length > 0:
            length = min(length, len(steps) - 1)
            for at in range(len(steps) - length + 1):
                self._check(steps)
                kept = steps[:at] + steps[at + length :]
                key = tuple((choice[0], () if draws > FEW else drawn) for choice, drawn in kept)
                if key in tried:
                    continue
                tried.add(key)
                shorter = _Anew(self, kept, nodes, draws).play()
                if shorter is not None:
                    try:
                        steps = self.left_out(shorter)
                    except _Spent as spent:
                        raise _Spent(spent.best) from None
                    break
            else:
                length -= 1
        return steps


class _Plays:
    """The game as `Fewest` plays it."""

    def __init__(self, shrinker: Shrinker) -> None:
        self.shrinker, self.coded = shrinker, shrinker.coded
        self.many = [draws_of(a) for a in self.coded.actions]

    def seen(self, at: Any, way: Link) -> None:
        """Nothing is to be seen in a position but by the step that led there."""

    def choices(self, at: Any) -> list[tuple[int, Choice]]:
        """The legal moves, plain ones first."""
        try:
            return [(c[0], c) for c in sorted(self.coded.legal(at), key=lambda c: len(c[2]))]
        except _WRONG:
            return []

    def action(self, step: Taken) -> int:
        """The action of a step."""
        return step[0][0]

    def drawing(self, at: Any, choice: Choice, many: int) -> int | None:
        """The action, where many draws can come."""
        return choice[0] if self.many[choice[0]] > many else None

    def steps(self, at: Any, choice: Choice, drawn: tuple[Value, ...] | None) -> Iterator[tuple[Taken, Any, bool | None]]:
        """The steps of a move that have no fault."""
        try:
            for what in self._draws(at, choice, drawn, ()):
                after = self.coded.step(at, choice, what)[0]
                yield (choice, what), after, self.shrinker._shown(after, at, choice[1]) or None
        except _WRONG:
            return

    def _draws(
        self, at: Any, choice: Choice, drawn: tuple[Value, ...] | None, so_far: tuple[Value, ...]
    ) -> Iterator[tuple[Value, ...]]:
        number = len(so_far)
        if number == len(self.coded.actions[choice[0]].draws):
            yield so_far
            return
        values = self.coded.chance(at, choice, number, so_far)[0]
        for v in values if drawn is None else [drawn[number]] if drawn[number] in values else []:
            yield from self._draws(at, choice, drawn, (*so_far, v))

    def kept(self, step: Taken, many: int) -> tuple[int, tuple[Value, ...]] | None:
        """The draw of a step, where many can come."""
        n = step[0][0]
        return (n, step[1]) if self.many[n] > many else None


class _Spent(Exception):
    """Time is over; the best so far."""

    def __init__(self, best: list[Taken]) -> None:
        super().__init__()
        self.best = best


class _Anew:
    """Plays of the same actions in the same order, looked through depth-first, those as they were played first."""

    def __init__(self, shrinker: Shrinker, kept: list[Taken], nodes: int, draws: int) -> None:
        self.shrinker, self.coded, self.kept, self.nodes, self.draws = shrinker, shrinker.coded, kept, nodes, draws
        self.mixed = random.Random(len(kept)).random

    def play(self) -> list[Taken] | None:
        """One that shows what is to be shown; None where none was found among so many positions."""
        way: list[Iterator[tuple[Taken, Any]]] = [self._steps(self.shrinker.start, 0)]
        rows, made = [self.shrinker.start], list[Taken]()
        while way:
            found = next(way[-1], None)
            if found is None:
                way.pop()
                rows.pop()
                if made:
                    made.pop()
                continue
            self.nodes -= 1
            if self.nodes < 0:
                return None
            taken, after = found
            if self.shrinker._shown(after, rows[-1], taken[0][1]):
                return [*made, taken]
            if len(way) < len(self.kept):
                made.append(taken)
                rows.append(after)
                way.append(self._steps(after, len(way)))
        return None

    def _steps(self, s: Any, at: int) -> Iterator[tuple[Taken, Any]]:
        """The steps of the action that was played here, the arguments of then first."""
        (n, _, args), drawn = self.kept[at]
        try:
            choices = [c for c in self.coded.legal(s) if c[0] == n]
        except _WRONG:
            return
        first = [c for c in choices if c[2] == args]
        others = [c for c in choices if c[2] != args]
        keyed = sorted((self.mixed(), i) for i in range(len(others)))
        for choice in [*first, *(others[i] for _, i in keyed)]:
            try:
                for values in self._draws(s, choice, drawn, ()):
                    yield (choice, values), self.coded.step(s, choice, values)[0]
            except _WRONG:
                continue

    def _draws(
        self, s: Any, choice: Choice, drawn: tuple[Value, ...], so_far: tuple[Value, ...]
    ) -> Iterator[tuple[Value, ...]]:
        """What was drawn then, if it can be; of few possible draws the others as well."""
        if len(so_far) == len(drawn):
            yield so_far
            return
        values = self.coded.chance(s, choice, len(so_far), so_far)[0]
        then = drawn[len(so_far)]
        others = [v for v in values if v != then] if len(values) <= self.draws else []
        for v in [*([then] if then in values else []), *others]:
            yield from self._draws(s, choice, drawn, (*so_far, v))
