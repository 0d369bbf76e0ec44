"""Which fixtures a set keeps where it may hold only so many."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tablelaw.checkers.coverage import Search
from tablelaw.checkers.fixtures import Fixture
from tablelaw.checkers.goals import Goal
from tablelaw.checkers.looking import Eye
from tablelaw.checkers.mutants import Mutant, mutants, survivors
from tablelaw.spec.game import Game

ROUNDS = 3
"""So many times fixtures are exchanged for others."""


@dataclass(slots=True)
class Under:
    """What was found under one setting and number of players."""

    game: Game
    eye: Eye
    search: Search
    goals: list[Goal]
    fixtures: list[Fixture] = field(default_factory=list)


def chosen(unders: list[Under], limit: int | None, noticed: set[tuple[str, str]]) -> list[Fixture]:
    """The fixtures; of too many those that show most, and by which no fewer games with a clause changed are noticed."""
    every = [f for u in unders for f in u.fixtures]
    must: list[Fixture] = []
    kept = most_telling(every, limit)
    for _ in range(ROUNDS):
        lost = _lost(unders, kept, noticed) if len(kept) < len(every) else []
        if not lost:
            break
        must += lost
        kept = most_telling(every, limit, must)
    return kept


def _lost(unders: list[Under], kept: list[Fixture], noticed: set[tuple[str, str]]) -> list[Fixture]:
    """For each game with a clause changed that was noticed, and by these is not: a fixture that notices it."""
    open_now: dict[tuple[str, str], list[tuple[Under, Mutant]]] = {}
    seen: set[tuple[str, str]] = set()
    for under in unders:
        mine = [f for f in kept if f.game is under.game]
        for m in mutants(under.game):
            key = m.how, m.clause
            if key in noticed and key not in seen:
                if survivors([m], mine):
                    open_now.setdefault(key, []).append((under, m))
                else:
                    seen.add(key)
    found: list[Fixture] = []
    for key, ways in open_now.items():
        if key not in seen:
            them = (f for u, m in ways for f in u.fixtures if not survivors([m], [f]))
            first = next(them, None)
            if first is not None and first not in found:
                found.append(first)
    return found


def most_telling(fixtures: list[Fixture], limit: int | None, must: Iterable[Fixture] = ()) -> list[Fixture]:
    """The fixtures; where they are too many, some that must be there, then those that show most, in the order of all."""
    if limit is None or len(fixtures) <= limit:
        return fixtures
    number = {id(f): i for i, f in enumerate(fixtures)}
    kept = [number[id(f)] for f in must][:limit]
    shown = {g for i in kept for g in fixtures[i].goals}
    left = [i for i in range(len(fixtures)) if i not in kept]
    while left and len(kept) < limit:
        best = max(left, key=lambda i: (_worth(fixtures[i], shown), -i))
        left.remove(best)
        kept.append(best)
        shown.update(fixtures[best].goals)
    return [fixtures[i] for i in sorted(kept)]


def _worth(f: Fixture, shown: set[Goal]) -> int:
    weights = {"scenario": 1, "value": 1, "at-random": 0, "meet": 1, "refuse-both": 2}
    return sum(weights.get(g.kind, 4) for g in f.goals if g not in shown or g.kind == "parts")
