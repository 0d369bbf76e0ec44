"""Which choices and draws led, in plays at random, to where two games have different rules: they are taken more often."""

from __future__ import annotations

import random
from collections.abc import Hashable, Sequence

FLOOR, FIRST, FADE, LAST, MUCH = 0.12, 0.25, 0.6, 5, 4.0


class Scent:
    """How good each choice was, from what came within a few steps after it."""

    def __init__(self) -> None:
        self.good: dict[Hashable, float] = {}
        self.met: dict[Hashable, float] = {}
        self.trail: list[Hashable] = []

    def begin(self) -> None:
        """A new play."""
        self.trail.clear()

    def took(self, what: Hashable) -> None:
        """A choice was made."""
        self.met[what] = self.met.get(what, 0.0) + 1.0
        self.trail.append(what)

    def reward(self) -> None:
        """A place was reached where rules differ: what led there was good, the later the better."""
        share = 1.0
        for what in reversed(self.trail[-2 * LAST :]):
            self.good[what] = self.good.get(what, 0.0) + share
            share *= FADE
        self.trail.clear()

    def favour(self, steps: Sequence[tuple[str, Hashable]]) -> None:
        """Take what a play took, which showed something, more often than all else."""
        for name, drawn in steps:
            self.good[name] = self.met.get(name, 0.0) + 1.0
            self.good[name, drawn] = self.met.get((name, drawn), 0.0) + 1.0

    def focus(self, r: random.Random) -> Scent:
        """The same, with a few of the draws that were met, one of the best and two others, drawn far more often."""
        found = Scent()
        found.good, found.met = dict(self.good), dict(self.met)
        draws = [d for d in self.met if isinstance(d, tuple)]
        if draws:
            best = max(draws, key=lambda d: (self.worth(d), r.random()))
            for d in (best, *(draws[r.randrange(len(draws))] for _ in range(2))):
                found.good[d], found.met[d] = found.met[d] + MUCH * (found.met[d] + 1.0), found.met[d]
        return found

    def worth(self, what: Hashable) -> float:
        """How often it is to be taken beside others."""
        return FLOOR + min(MUCH, (self.good.get(what, 0.0) + FIRST) / (self.met.get(what, 0.0) + 1.0))

    def pick(self, r: random.Random, options: Sequence[Hashable]) -> int:
        """The number of one of the options, the better ones more often."""
        weights = [self.worth(o) for o in options]
        at = r.random() * sum(weights)
        for i, w in enumerate(weights):
            at -= w
            if at <= 0:
                return i
        return len(options) - 1
