"""Makes a play shorter that shows a goal: stretches are left out, the table's forced steps are put in, until none can go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tablelaw.checkers.coverage import Spot
from tablelaw.checkers.goals import Goal
from tablelaw.checkers.looking import WRONG, Eye
from tablelaw.solver.sampling import Coded, Taken

AT_POSITIONS = {"refuses", "refuse-both", "lifts", "allows", "value", "question"}
WORK = 3_000
"""Steps that may be tried for one play."""


Here = Callable[[Any], bool]
By = Callable[[Taken, int, Any], bool]


class Shortening:
    """One game. The work is counted in steps, so that the same comes of it on every machine."""

    def __init__(self, eye: Eye, work: int = WORK) -> None:
        self.eye, self.most, self.left = eye, work, work

    def goal(self, goal: Goal) -> tuple[Here | None, By | None]:
        """How it is seen that a position, or a step, shows a goal."""
        eye = self.eye
        if goal.kind in AT_POSITIONS:
            return (lambda row: eye.shows(goal, row)), None
        return None, lambda taken, bits, after: bool(eye.shown_by(taken[0], bits, after, {goal}, again=True))

    def shorter(self, spot: Spot, here: Here | None, by: By | None = None) -> Spot:
        """A play not longer than that which shows it as well."""
        self.left = self.most
        best = spot
        steps = list(spot.way) + ([spot.step] if spot.step else [])
        chunk = max(1, len(steps) // 2)
        while self.left > 0:
            found = self._without(spot.start, steps, chunk, here, by)
            if found is not None:
                best, steps = found, list(found.way) + ([found.step] if found.step else [])
                chunk = max(1, min(chunk, len(steps) // 2))
            elif chunk == 1:
                break
            else:
                chunk //= 2
        return best

    def _without(self, start: Any, steps: list[Taken], chunk: int, here: Here | None, by: By | None) -> Spot | None:
        for at in range(len(steps), 0, -chunk):
            lo = max(0, at - chunk)
            found = self.along(start, steps[:lo] + steps[at:], here, by)
            if found is not None and len(found.way) + (found.step is not None) < len(steps):
                return found
            if self.left <= 0:
                return None
        return None

    def along(self, start: Any, steps: list[Taken], here: Here | None, by: By | None = None) -> Spot | None:
        """Where it is first shown along these steps; those that cannot be taken are left out."""
        row = start
        way: list[Taken] = []
        waiting = list(steps)
        while self.left > 0:
            self.left -= 1
            if here is not None and here(row):
                return Spot(start, tuple(way), row)
            taken = self._next(row, waiting)
            if taken is None:
                return None
            try:
                after, bits = self.eye.player.step(row, *taken)
                if by is not None and by(taken, bits, after):
                    return Spot(start, tuple(way), row, taken)
            except WRONG:
                return None
            way.append(taken)
            row = after
        return None

    def _next(self, row: Any, waiting: list[Taken]) -> Taken | None:
        while waiting:
            taken = self._fitting(row, waiting[0])
            if taken is None and (forced := self._forced(row)) is not None:
                return forced
            waiting.pop(0)
            if taken is not None:
                return taken
        return None

    def _fitting(self, row: Any, taken: Taken) -> Taken | None:
        """The step, by whoever may take it here; None where it cannot be taken."""
        (n, _, args), drawn = taken
        made = self.eye.player
        try:
            if isinstance(made, Coded):
                actor = made.code.allowed(row, n, args)
            else:
                actor = next((c[1] for c in made.legal(row) if c[0] == n and c[2] == args), None)
            if actor is None:
                return None
            choice = (n, actor, args)
            for k, v in enumerate(drawn):
                if v not in made.chance(row, choice, k, drawn[:k])[0]:
                    return None
        except WRONG:
            return None
        return choice, drawn

    def _forced(self, row: Any) -> Taken | None:
        """The only step of the table, where nothing is drawn."""
        try:
            choices = self.eye.player.legal(row)
        except WRONG:
            return None
        if len(choices) != 1 or choices[0][1] >= 0 or self.eye.actions[choices[0][0]].draws:
            return None
        return choices[0], ()
