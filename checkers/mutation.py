"""How good a set of fixtures is: of the games with one clause taken out or turned round, how many it tells from the rules."""

from __future__ import annotations

from dataclasses import dataclass, field

from tablelaw.checkers.compare import Asker
from tablelaw.checkers.coverage import Spot, evenly
from tablelaw.checkers.fixture_set import FixtureSet, Under, random_spots
from tablelaw.checkers.fixtures import Describer, Fixture
from tablelaw.checkers.looking import WRONG
from tablelaw.checkers.mutants import Mutant, mutants, survivors
from tablelaw.solver.parting import Comparing
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.spec.core import Const
from tablelaw.spec.types import BOOL

EACH, ALL, LONGEST = 20.0, 90.0, 60.0
"""Seconds for whether one mutant is the same game: at least, of all those not noticed together, and at most. It is asked of
one setting after the other, as long as it is the same game."""
OTHER_SEED = 1


@dataclass(frozen=True, slots=True)
class Survivor:
    """A mutant that no fixture notices. `verdict`: `equivalent` (proved), `gap` (a play parts them), or `open`."""

    mutant: Mutant
    options: tuple[str, ...]
    players: int
    verdict: str
    how: str


@dataclass(slots=True)
class Score:
    """Mutants in all, those noticed, and those noticed by as many positions of random plays."""

    fixtures: int = 0
    mutants: int = 0
    noticed: int = 0
    by_random: int = 0
    survivors: list[Survivor] = field(default_factory=list)

    @property
    def equivalent(self) -> int:
        """Mutants that are proved to be the same game."""
        return sum(s.verdict == "equivalent" for s in self.survivors)

    def json(self) -> dict[str, object]:
        """For JSON."""
        rows = [
            {
                "mutant": s.mutant.says, "clause": s.mutant.clause, "how": s.mutant.how, "options": list(s.options),
                "players": s.players, "verdict": s.verdict, "why": s.how,
            }
            for s in self.survivors
        ]  # fmt: skip
        return {
            "question": "mutants",
            "kind": "mutants",
            "fixtures": self.fixtures,
            "mutants": self.mutants,
            "noticed": self.noticed,
            "equivalent": self.equivalent,
            "noticed_by_random_plays": self.by_random,
            "survivors": rows,
        }


def score(found: FixtureSet, budget: Budget) -> Score:
    """Hold every mutant of every clause, under each setting that has the clause, against the fixtures of that setting."""
    told = Score(len(found.fixtures))
    asker = Asker("auto")
    having: dict[tuple[str, str], list[tuple[Under, Mutant]]] = {}
    random: dict[int, list[Fixture]] = {}
    for under in found.unders.values():
        if any(f.game is under.game for f in found.fixtures) or under is found.base:
            for m in mutants(under.game):
                having.setdefault((m.how, m.clause), []).append((under, m))
    told.mutants = len(having)
    unnoticed: list[list[tuple[Under, Mutant]]] = []
    for n, ways in enumerate(having.values()):
        if found.cut or _over(found, budget):
            told.mutants = n
            break
        if budget.tell:
            budget.tell(f"mutant {n} of {told.mutants}")
        mine = {id(u): [f for f in found.fixtures if f.game is u.game] for u, _ in ways}
        noticed = any(not survivors([m], mine[id(u)]) for u, m in ways)
        told.noticed += noticed
        for u, _ in ways:
            if id(u) not in random:
                random[id(u)] = at_random(u, len(mine[id(u)]), found.seed + OTHER_SEED)
        told.by_random += any(not survivors([m], random[id(u)]) for u, m in ways)
        if not noticed:
            unnoticed.append(ways)
    seconds = max(EACH, min(LONGEST, ALL / max(1, len(unnoticed))))
    told.survivors = [_survivor(found, ways, asker, budget, seconds) for ways in unnoticed]
    return told


def _over(found: FixtureSet, budget: Budget) -> bool:
    """Is the time over? Then only the mutants before are told of."""
    try:
        budget.check()
    except OutOfBudget as spent:
        found.cut = spent.reason
    return bool(found.cut)


def _survivor(found: FixtureSet, ways: list[tuple[Under, Mutant]], asker: Asker, budget: Budget, seconds: float) -> Survivor:
    """The same game under all these settings, or where it was not seen to be."""
    how = ""
    for under, m in ways:
        verdict, said = _judged(under, m, asker, budget.part(seconds))
        how = how or said
        if verdict != "equivalent":
            options = tuple(f"{k}={v}" for k, v in under.game.setting.items() if found.base.game.setting.get(k) != v)
            return Survivor(m, options, under.game.players, verdict, said)
    more = f", under all {len(ways)} settings looked at" if len(ways) > 1 else ""
    return Survivor(ways[0][1], (), ways[0][0].game.players, "equivalent", how + more)


def _judged(under: Under, m: Mutant, asker: Asker, budget: Budget) -> tuple[str, str]:
    """Is the mutant the same game? By formulas, by all positions, or by proof; else the shortest play known that parts them."""
    if budget.tell:
        budget.tell(m.says)
    action = under.game.action(m.clause)
    if action is not None and any(c.formula == Const(False, type=BOOL) and not c.lifted for c in action.checks):
        return "equivalent", "it is never legal"
    try:
        course = Comparing(under.game, m.game, asker).run(budget, bool)
    except (*WRONG, OutOfBudget):
        return "open", "the two games could not be compared"
    if course.partings:
        p = min(course.partings, key=lambda x: x.length)
        return "gap", f"the games part after {p.length} step{'' if p.length == 1 else 's'}"
    if course.proved:
        return "equivalent", "by their formulas" if course.how == "formulas" else "proved"
    if course.complete:
        return "equivalent", f"all {course.states:,} positions were looked at"
    return "open", f"no play of up to {course.depth} steps and none of {course.walks} at random parts them"


def at_random(under: Under, number: int, seed: int) -> list[Fixture]:
    """Fixtures of as many positions of plays at random, nothing about them chosen."""
    describer, found = Describer(under.eye), list[Fixture]()
    spots: dict[object, Spot] = {}
    for spot in random_spots(under.eye, seed, plays=max(10, number)):
        spots.setdefault(spot.row, spot)
        if len(spots) >= 4 * number:
            break
    for spot in evenly(list(spots.values()), number):
        try:
            found.append(describer.fixture(spot, []))
        except WRONG:
            continue
    return found
