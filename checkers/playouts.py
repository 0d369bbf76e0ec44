"""What many plays at random tell of a game: how long, who wins, how numbers end, which clauses never matter."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice
from math import sqrt
from typing import Any

from tablelaw.solver.evaluate import State
from tablelaw.solver.sampling import LIMIT, Play, Player, plays
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.spec.game import Game
from tablelaw.spec.operators import Fault
from tablelaw.spec.positions import shown
from tablelaw.spec.types import Int, MapOf, Maybe, Record, Type
from tablelaw.spec.values import Value

Z = 1.959963984540054
"""Of a normal figure 95 in 100 lie so many deviations from its mean."""


@dataclass(slots=True)
class Figures:
    """Whole numbers met: exact count, sum, least, middle and greatest."""

    numbers: list[int] = field(default_factory=list)

    def json(self) -> dict[str, object]:
        found = sorted(self.numbers)
        if not found:
            return {"count": 0}
        middle = Fraction(found[(len(found) - 1) // 2] + found[len(found) // 2], 2)
        mean = Fraction(sum(found), len(found))
        return {"count": len(found), "mean": str(mean), "min": found[0], "median": str(middle), "max": found[-1]}


@dataclass(slots=True)
class Tally:
    """All that was counted; every number is an exact count of what happened."""

    game: Game
    seed: int
    plays: int = 0
    seconds: float = 0.0
    endings: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)
    steps: Figures = field(default_factory=Figures)
    moves: Figures = field(default_factory=Figures)
    wins: Counter[int] = field(default_factory=Counter)
    shared: int = 0
    nobody: int = 0
    numbers: dict[str, Figures] = field(default_factory=dict)
    actions: dict[str, tuple[int, int]] = field(default_factory=dict)
    """For each action in how many steps and in how many plays it was taken."""
    effects: dict[str, tuple[int, int]] = field(default_factory=dict)
    """For each clause with effects in how many steps and in how many plays it assigned anything."""
    refused: dict[str, int] = field(default_factory=dict)
    """For each check how many moves it was the first to refuse."""
    counted_checks: bool = True
    faults: Counter[str] = field(default_factory=Counter)
    first: dict[str, int] = field(default_factory=dict)
    """The first play that was cut, stuck or met a fault."""
    stopped: str = ""

    def json(self) -> dict[str, object]:
        """As one result of the JSON of the contract."""
        players = {str(p): {"wins": self.wins[p], "interval": _interval(self.wins[p], self.decided)} for p in self.seats()}
        return {
            "question": "playouts",
            "kind": "playouts",
            "options": dict(self.game.setting),
            "players": self.game.players,
            "verdict": "value" if self.plays else "unknown",
            "known_by": "sampled",
            "bound": f"{self.plays} plays",
            "seed": self.seed,
            "plays": self.plays,
            "seconds": round(self.seconds, 3),
            "reason": self.stopped or None,
            "endings": {k: self.endings[k] for k in ("ended", "stuck", "cut", "fault")},
            "first": self.first,
            "ends": dict(self.ends),
            "steps": self.steps.json(),
            "moves": self.moves.json(),
            "winners": players,
            "shared": self.shared,
            "nobody": self.nobody,
            "numbers": {n: f.json() for n, f in self.numbers.items()},
            "actions": {a: {"steps": s, "plays": p} for a, (s, p) in self.actions.items()},
            "effects": {c: {"steps": s, "plays": p} for c, (s, p) in self.effects.items()},
            "refused": self.refused if self.counted_checks else None,
            "faults": dict(self.faults),
        }

    @property
    def decided(self) -> int:
        """How many plays came to an end."""
        return self.endings["ended"]

    def seats(self) -> range:
        """The players."""
        return range(self.game.players)

    def share(self, seat: int) -> tuple[float, float, float]:
        """How often a seat won, with the 95 % interval (Wilson's)."""
        low, high = wilson(self.wins[seat], self.decided)
        return self.wins[seat] / self.decided if self.decided else 0.0, low, high

    def idle(self) -> list[str]:
        """Clauses, actions and checks that decided nothing in any play."""
        found = [c for c, (steps, _) in (*self.actions.items(), *self.effects.items()) if not steps]
        return found + ([c for c, n in self.refused.items() if not n] if self.counted_checks else [])


def wilson(hits: int, of: int) -> tuple[float, float]:
    """The interval of shares that 95 in 100 such counts lie near to; nothing is known of no plays."""
    if not of:
        return 0.0, 1.0
    p, z2 = hits / of, Z * Z
    middle, width = p + z2 / (2 * of), Z * sqrt(p * (1 - p) / of + z2 / (4 * of * of))
    low, high = (middle - width) / (1 + z2 / of), (middle + width) / (1 + z2 / of)
    return (0.0 if not hits else max(low, 0.0)), (1.0 if hits == of else min(high, 1.0))


def _interval(hits: int, of: int) -> list[str]:
    return [f"{x:.6f}" for x in wilson(hits, of)]


def numbers_of(game: Game, state: State) -> Iterator[tuple[str, int]]:
    """Every number that a position holds, by its name: `pot`, `score[0]`; a player is none."""
    for v in game.variables:
        yield from _numbers(v.name, v.type, state[v.name])


def _numbers(name: str, kind: Type, value: Value) -> Iterator[tuple[str, int]]:
    match kind:
        case Int(name="Player"):
            return
        case Int():
            yield name, value
        case MapOf(key, inner):
            for k, x in value.items():
                yield from _numbers(f"{name}[{shown(k, key)}]", inner, x)
        case Record(_, fields):
            for n, f in fields:
                yield from _numbers(f"{name}.{n}", f, value[n])
        case Maybe(elem) if value is not None:
            yield from _numbers(name, elem, value)


def tally(
    player: Player, count: int, seed: int, budget: Budget, limit: int = LIMIT, start: Any = None, first: int = 0
) -> Tally:
    """Play that many plays (from number `first` on), or as many as there is time for, and count."""
    game, began = player.game, time.monotonic()
    found = Tally(game, seed)
    masks: Counter[int] = Counter()
    in_plays: Counter[str] = Counter()
    taken: Counter[int] = Counter()
    in_some: Counter[int] = Counter()
    before = list(player.refused)
    for number, made in enumerate(islice(plays(player, seed, limit, start, first=first), count)):
        found.plays += 1
        _count(found, player, first + number, made)
        masks.update(made.fired)
        together = 0
        for bits in made.fired:
            together |= bits
        in_plays.update(_names(player, together))
        taken.update(Counter(c[0] for c, _ in made.steps))
        in_some.update({c[0] for c, _ in made.steps})
        try:
            if not number % 8:
                budget.check()
                if budget.tell:
                    budget.tell(f"{number + 1:,} of {count:,} plays")
        except OutOfBudget as spent:
            found.stopped = spent.reason
            break
    found.seconds = time.monotonic() - began
    in_steps: Counter[str] = Counter()
    for bits, n in masks.items():
        for name in _names(player, bits):
            in_steps[name] += n
    found.actions = {a.name: (taken[n], in_some[n]) for n, a in enumerate(player.actions)}
    found.effects = {c: (in_steps[c], in_plays[c]) for c in _effect_clauses(game) if c not in found.actions}
    found.refused = {}
    for name, n, earlier in zip(player.checks, player.refused, before, strict=True):
        found.refused[name] = found.refused.get(name, 0) + n - earlier
    found.counted_checks = bool(player.checks) or not any(a.checks for a in game.actions)
    return found


def _count(found: Tally, player: Player, number: int, made: Play) -> None:
    found.steps.numbers.append(len(made.steps))
    found.moves.numbers.append(made.moves)
    ending, won = made.ending, frozenset[int]()
    if ending == "ended":
        found.ends[player.game.ends[made.end].id] += 1
        try:
            won = player.winners(made.last)
        except (Fault, KeyError) as fault:
            ending, made.fault = "fault", str(fault)
    found.endings[ending] += 1
    if ending != "ended":
        found.first.setdefault(ending, number)
        if ending == "fault":
            found.faults[made.fault] += 1
        return
    found.wins.update(won)
    found.shared += len(won) > 1
    found.nobody += not won
    for name, value in numbers_of(player.game, player.state(made.last)):
        found.numbers.setdefault(name, Figures()).numbers.append(value)


def _names(player: Player, bits: int) -> list[str]:
    """The clauses that assigned something."""
    return [c for i, c in enumerate(player.clauses) if bits >> 2 * i & 2]


def _effect_clauses(game: Game) -> list[str]:
    """Every clause that can take effect, in the order of the rules."""
    from tablelaw.spec.core import clauses_of

    return list(dict.fromkeys(e.clause for a in game.actions for e in clauses_of(a.effects)))


# several tallies

_COUNTERS, _FIGURES, _PAIRS = ("endings", "ends", "wins", "faults"), ("steps", "moves"), ("actions", "effects")


def tally_data(told: Tally) -> dict[str, Any]:
    """A tally as plain data."""
    counters = {n: list(getattr(told, n).items()) for n in _COUNTERS}
    figures = {n: getattr(told, n).numbers for n in _FIGURES}
    alike = {n: getattr(told, n) for n in ("plays", "shared", "nobody", "refused", "counted_checks", "first", "stopped")}
    pairs = {n: {k: list(v) for k, v in getattr(told, n).items()} for n in _PAIRS}
    return {**alike, **counters, **figures, **pairs, "numbers": {n: f.numbers for n, f in told.numbers.items()}}


def joined(game: Game, seed: int, parts: list[dict[str, Any]]) -> Tally:
    """One tally of plays that were counted in parts, in the order of their numbers; it ends with the first that was cut."""
    found = Tally(game, seed)
    for part in parts:
        found.plays += part["plays"]
        found.shared += part["shared"]
        found.nobody += part["nobody"]
        found.counted_checks = part["counted_checks"]
        for name in _COUNTERS:
            for key, n in part[name]:
                getattr(found, name)[key] += n
        for name in _FIGURES:
            getattr(found, name).numbers.extend(part[name])
        for name, numbers in part["numbers"].items():
            found.numbers.setdefault(name, Figures()).numbers.extend(numbers)
        for name in _PAIRS:
            whole = getattr(found, name)
            for key, (steps, plays_) in part[name].items():
                before = whole.get(key, (0, 0))
                whole[key] = (before[0] + steps, before[1] + plays_)
        for key, n in part["refused"].items():
            found.refused[key] = found.refused.get(key, 0) + n
        for ending, number in part["first"].items():
            found.first.setdefault(ending, number)
        if part["stopped"]:
            found.stopped = part["stopped"]
            break
    return found
