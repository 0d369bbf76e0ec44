"""A set of fixtures for a rulebook: what covers it, where readings part, what tells it from games with a clause changed,
its scenarios, and as many positions more as were asked for."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tablelaw.checkers.apart import MOST_DRAWS, Apart, Found
from tablelaw.checkers.choosing import Under, chosen, most_telling
from tablelaw.checkers.coverage import Effort, Search, Spot, evenly
from tablelaw.checkers.fixtures import Describer, Fixture
from tablelaw.checkers.goals import Goal, goals
from tablelaw.checkers.looking import WRONG, Eye
from tablelaw.checkers.mutants import Mutant, mutants, survivors
from tablelaw.checkers.readings import Variation, variations
from tablelaw.checkers.seeking import Seeking
from tablelaw.checkers.selection import Request, Selection
from tablelaw.checkers.shortening import Shortening
from tablelaw.solver import evaluate
from tablelaw.solver.breadth import draws_of
from tablelaw.solver.evaluate import Move, State
from tablelaw.solver.lockstep import Steps
from tablelaw.solver.plays import run_scenario
from tablelaw.solver.sampling import Dice, Taken, move_of, named
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.spec.core import Const, Expr, Op
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.load import Rules
from tablelaw.spec.questions import Reader, step_needs
from tablelaw.spec.settings import Setting, defaults
from tablelaw.spec.types import BOOL, INT

SMALL = Effort(steps=4_000, whole=2_000, plays=60, longest=300, walked=3_000)
AROUND = Effort(steps=1_500, whole=1_000)
POOL, WALKED, WHOLLY = 1_200, 150, 200
MORE = 40
"""So many plays at random are looked through for further positions."""
DEEP = Effort(plays=200, longest=400, walked=10_000)
DEEPER = {"takes", "allows", "refuses", "lifts", "happens", "acts", "idle", "ends"}
ELSEWHERE_NOT = {"value", "winners", "question"}
"""What is looked for under the first setting alone."""
NEAR = 12
OWN, PROBE, LONG = 2, 300, 40
"""Under so many settings a clause of an option is sought, with so many steps under those near to them; from so many steps on
plays are long."""
Key = tuple[tuple[tuple[str, str], ...], int]


@dataclass(slots=True)
class FixtureSet:
    """The result: fixtures in their order, and what is known of what they do not show."""

    rules: Rules
    base: Under
    unders: dict[Key, Under]
    fixtures: list[Fixture] = field(default_factory=list)
    same: dict[str, str] = field(default_factory=dict)
    unparted: list[str] = field(default_factory=list)
    pairs: dict[str, Variation] = field(default_factory=dict)
    cut: str = ""
    seed: int = 0
    given: State | None = None
    asked: Request = field(default_factory=Request)
    """What was asked for: options, a number of players, or these settings alone."""
    alone: bool = False

    @property
    def without_value(self) -> tuple[Game, Spot] | None:
        """The first position that was met in which the rules have no value."""
        each = ((u.game, u.search.without_value) for u in self.unders.values())
        return next(((game, spot) for game, spot in each if spot is not None), None)

    def missing(self) -> list[Goal]:
        """What was looked for and not shown, under any setting."""
        shown = {g for f in self.fixtures for g in f.goals}
        return [g for g in self.goals() if g not in shown]

    def goals(self) -> list[Goal]:
        """All that was looked for: ranges and rare positions under the first setting alone."""
        found = dict.fromkeys(self.base.goals)
        found.update((g, None) for u in self.unders.values() for g in u.goals if g.kind not in ELSEWHERE_NOT)
        return list(found)


class Maker:
    """Makes the set of one rules file."""

    def __init__(
        self, rules: Rules, setting: Setting, players: int | None, *, given: State | None = None, alone: bool = False,
        seed: int = 0, budget: Budget | None = None, effort: Effort | None = None, whole: bool = False, guided: bool = True,
    ) -> None:  # fmt: skip
        self.rules, self.fixed, self.given, self.alone, self.seed = rules, setting, given, alone, seed
        self.wanted_players = players
        self.players, self.counts = players or rules.counts[0], [] if players or alone else list(rules.counts[1:])
        self.budget, self.effort = budget or Budget(), effort or Effort()
        self.whole, self.guided = whole, guided
        self.setting = {**defaults(rules.document), **setting}
        self.unders: dict[Key, Under] = {}
        self.shown: set[Goal] = set()
        self.noticed: set[tuple[str, str]] = set()
        self.added: set[tuple[int, Any]] = set()
        self.pools: dict[int, list[Spot]] = {}
        self.at: dict[tuple[Key, Any, tuple[Taken, ...]], Fixture] = {}

    def make(self, limit: int | None = None) -> FixtureSet:
        """The set; `limit` fixtures where there are so many."""
        base = self.under(self.setting, self.players)
        assert base is not None, "the game was checked before"
        self.cover(base, self.effort)
        found = self.empty(base)
        if not self.alone and self.given is None:
            for v in variations(self.rules.document, self.setting, frozenset(self.fixed), self.players):
                self.vary(v, found)
            for count in self.counts:
                self.elsewhere(self.setting, count)
        self.scenarios()
        self.deeper()
        if self.guided:
            for under in list(self.unders.values()):
                self.guide(under)
            self.seek()
        found.fixtures = chosen(list(self.unders.values()), limit, self.noticed)
        for under in self.unders.values():
            if limit is not None and len(found.fixtures) < limit:
                found.fixtures += self.further(under, limit - len(found.fixtures))
        found.cut = next((u.search.cut for u in self.unders.values() if u.search.cut), "")
        return found

    def so_far(self, limit: int | None, cut: str) -> FixtureSet | None:
        """What there is when the search is broken off; None where there is nothing yet."""
        every = [f for u in self.unders.values() for f in u.fixtures]
        if not every:
            return None
        found = self.empty(next(iter(self.unders.values())))
        found.fixtures, found.cut = most_telling(every, limit), cut
        return found

    def empty(self, base: Under) -> FixtureSet:
        """A set with nothing in it yet."""
        asked = Request(setting=self.fixed, players=self.wanted_players)
        return FixtureSet(
            self.rules, base, self.unders, seed=self.seed, given=self.given, asked=asked, alone=self.alone
        )  # fmt: skip

    def under(self, setting: Setting, players: int) -> Under | None:
        """The game of a setting; None where it has faults."""
        key = tuple(setting.items()), players
        if key not in self.unders:
            game = self.rules.game(setting, players, Diagnostics())
            if game is None:
                return None
            eye = Eye(game)
            eye.asked = questions(game)
            wanted = [*goals(game), *eye.asked]
            self.unders[key] = Under(game, eye, Search(eye, set()), wanted)
        return self.unders[key]

    # covering

    def cover(self, under: Under, effort: Effort, wanted: Iterable[Goal] | None = None) -> None:
        """Search for goals that nothing shows yet, make long plays short, and keep a fixture for each position."""
        search = under.search
        search.wanted = {g for g in (under.goals if wanted is None else wanted) if g not in self.shown}
        if not search.wanted:
            return
        starts = self.starts(under)
        search.breadth(effort, self.budget, starts)
        if search.wanted and not search.complete:
            long = search.walks(effort, self.budget, self.seed, starts)
            self.shorten(under, long)
        order = {g: n for n, g in enumerate(under.goals)}
        groups: dict[tuple[Any, tuple[Taken, ...]], list[tuple[Goal, Spot]]] = {}
        for goal, spot in sorted(search.found.items(), key=lambda x: (len(x[1].way), order.get(x[0], 0))):
            if goal not in self.shown:
                groups.setdefault((spot.start, spot.way), []).append((goal, spot))
        for found in groups.values():
            self.keep_all(under, found)

    def shorten(self, under: Under, long: list[tuple[Goal, Spot]]) -> None:
        """Shorter plays for what plays at random showed; one that shows several things serves for all of them."""
        tool = Shortening(under.eye)
        short: list[Spot] = []
        for goal, spot in long:
            best, (here, by) = spot, tool.goal(goal)
            for other in sorted(short, key=lambda x: len(x.way)):
                if len(other.way) < len(best.way):
                    tool.left = tool.most
                    steps = [*other.way, *([other.step] if other.step else [])]
                    best = tool.along(other.start, steps, here, by) or best
            if best is spot:
                best = tool.shorter(spot, here, by)
                short.append(best)
            under.search.found[goal] = best

    def keep_all(self, under: Under, found: list[tuple[Goal, Spot]], about: Iterable[tuple[Move, Any]] = ()) -> Fixture | None:
        """One fixture for what the same position shows; where there is one of it, that one with the goals added."""
        spot = found[0][1]
        self.shown.update(g for g, _ in found)
        key = (tuple(under.game.setting.items()), under.game.players), spot.start, spot.way
        old = self.at.get(key)
        player = under.eye.player
        taken = [x.step for _, x in found if x.step is not None]
        steps = [(move_of(player, c), named(under.eye.actions[c[0]], d)) for c, d in taken]
        extra = [*about, *dict.fromkeys(steps)]
        goals_here = [*(old.goals if old is not None else []), *(g for g, _ in found if old is None or g not in old.goals)]
        if old is not None:
            known = [(o.move, o.drawn) for o in old.outcomes]
            if all(x in known for x in extra) and not any(g.kind in ("refuses", "refuse-both") for g, _ in found):
                old.goals = goals_here
                return old
            extra += [x for x in known if x not in extra]
        try:
            made = Describer(under.eye).fixture(spot, goals_here, extra, self.whole)
        except WRONG:
            return None
        if old is not None:
            under.fixtures[under.fixtures.index(old)] = made
        else:
            under.fixtures.append(made)
        self.at[key] = made
        return made

    def keep(self, under: Under, goal: Goal, spot: Spot, about: Iterable[tuple[Move, Any]] = ()) -> Fixture | None:
        """A fixture that shows one thing."""
        return self.keep_all(under, [(goal, spot)], about)

    def elsewhere(self, setting: Setting, players: int) -> None:
        """Look under another setting for what was not shown, and for what is there alone."""
        under = None if self.over() else self.under(setting, players)
        if under is None:
            return
        self.cover(under, SMALL, [g for g in under.goals if g.kind not in ELSEWHERE_NOT])

    def deeper(self) -> None:
        """More plays at random under settings that have clauses of their own which nothing shows yet."""
        first = next(iter(self.unders.values()))
        known = set(first.goals)
        for under in list(self.unders.values())[1:]:
            wanted = [g for g in under.goals if g not in known and g not in self.shown and g.kind in DEEPER]
            if wanted and not under.search.complete and not under.search.over(self.budget):
                under.search.wanted = set(wanted)
                before = set(under.search.found)
                self.shorten(under, under.search.walks(DEEP, self.budget, self.seed + 1))
                for goal, spot in list(under.search.found.items()):
                    if goal not in before:
                        self.keep(under, goal, spot)

    # readings

    def over(self) -> bool:
        """Is the time over, or the memory used up? The set says so."""
        return next(iter(self.unders.values())).search.over(self.budget)

    def vary(self, v: Variation, found: FixtureSet) -> None:
        """A pair of fixtures where two values of an option part, then what exists under the other one alone."""
        if self.over():
            return
        left, right = self.under(dict(v.left), self.players), self.under(dict(v.right), self.players)
        if left is None or right is None:
            return
        if self.budget.tell:
            self.budget.tell(f"option {v.option}: {v.usual} and {v.other}")
        name = f"`{v.option}`: `{v.usual}` and `{v.other}`"
        found.pairs[name] = v
        apart = Apart(left.eye, right.game)
        goal = Goal("parts", (v.option, v.usual, v.other))
        if apart.same:
            found.same[name] = apart.same
        elif not apart.comparable or apart.start():
            for under in (left, right):
                row = under.eye.player.starts()[0]
                self.keep(under, goal, Spot(row, (), row))
        elif not self.parted(left, apart, goal, right):
            if left.search.complete and apart.sure and left.search.positions <= POOL:
                found.same[name] = f"all {left.search.positions:,} positions were looked at"
            else:
                found.unparted.append(name)
        self.elsewhere(dict(v.right), self.players)

    def parted(self, left: Under, apart: Apart, goal: Goal, right: Under | None = None) -> bool:
        """Keep a fixture where two games part, and one of the other game if that is a setting; False where none was found."""
        pool = self.pool(left)
        broad = any(draws_of(a) > MOST_DRAWS for a in left.game.actions)
        whole = broad and len(apart.names) >= len(left.game.actions)  # nothing is alike, so that each position takes long
        if whole and len(pool) > WHOLLY:
            pool, apart.sure = list(evenly(pool, WHOLLY)), False
        first = apart.first(pool)
        if first is None:
            return False
        self.apart_at(left, apart, goal, *first, right)
        return True

    def apart_at(self, left: Under, apart: Apart, goal: Goal, spot: Spot, how: Found, right: Under | None = None) -> None:
        """Keep a fixture of a position in which two games part, or of one like it after fewer steps."""
        if len(spot.way) > 3:
            work = 1_000 if len(spot.way) <= LONG else 3_000
            spot = Shortening(left.eye, work).shorter(spot, lambda row: apart.here(row) is not None)
            how = apart.here(spot.row) or how
        about = [] if how[0] is None else [(how[0], how[1])]
        for under in (left, right):
            begin = spot.start if under is left else apart.theirs(spot.start)
            there = None if under is None else along(under.eye, begin, _steps(left.eye, spot))
            if under is not None and there is not None:
                self.keep(under, goal, there, about)

    def starts(self, under: Under) -> list[Any] | None:
        """Where plays begin; None: at the starts of the game."""
        return None if self.given is None else [under.eye.player.of(self.given)]

    def pool(self, under: Under) -> list[Spot]:
        """Positions to look at, those with the shortest plays first: of the search, of its finds, and of plays at random."""
        key = id(under.game)
        if key not in self.pools:
            search = under.search
            if not search.rows:
                search = Search(under.eye, {Goal("nothing")})
                search.breadth(SMALL, self.budget, self.starts(under))
            spots = [search.spot(i) for i in range(min(len(search.rows), POOL))]
            spots += [s for f in under.fixtures if f.spot is not None for s in last(under.eye, f.spot, NEAR)]
            walked = list(itertools.islice(random_spots(under.eye, self.seed + 1, self.given, plays=MORE, longest=80), WALKED))
            unlike = {s.row: s for s in sorted([*spots, *walked], key=lambda s: -len(s.way))}
            self.pools[key] = sorted(unlike.values(), key=lambda s: len(s.way))
        return self.pools[key]

    # scenarios

    def scenarios(self) -> None:
        """The scenarios of the rules file, and what is shown near them that was not shown elsewhere."""
        quiet = Diagnostics()
        request = Request(setting=self.fixed, players=self.players)
        selection = Selection(self.rules, request, quiet)
        for name, scenario in self.rules.document.scenarios.items():
            if self.over():
                return
            asked = next(iter(selection.variations(name)), None)
            if asked is None or self.given is not None:
                continue
            setting, players = asked
            if self.alone and ({**self.setting, **setting} != self.setting or players != self.players):
                continue
            under = self.under({**self.setting, **setting}, players)
            if under is None:
                continue
            staged = Reader(under.game, quiet, evaluate.starts(under.game)[0]).scenario(scenario)
            if staged is None:
                continue
            try:
                verdict = run_scenario(under.game, staged, self.budget)
            except OutOfBudget:
                continue
            if verdict.verdict != "holds" or verdict.trace is None:
                continue
            steps = tuple((s.move, s.drawn) for s in verdict.trace.steps[1:] if s.move is not None)
            spot = along(under.eye, under.eye.player.of(verdict.trace.steps[0].state), steps)
            if spot is None:
                continue
            about = [(found, None) for line in (*staged.legal,) if (found := _meant(under.eye, spot, line)) is not None]
            self.keep(under, Goal("scenario", (name,)), spot, about=about)
            self.near(under, spot)

    def near(self, under: Under, spot: Spot) -> None:
        """What positions near a scenario show that nothing else shows."""
        wanted = {g for g in under.goals if g not in self.shown and g.kind != "question"}
        if not wanted:
            return
        search = Search(Eye(under.game), wanted)
        search.eye.asked = under.eye.asked
        search.breadth(AROUND, self.budget, [spot.row])
        for goal, there in search.found.items():
            self.keep(under, goal, there)

    # games with a clause changed

    def guide(self, under: Under) -> None:
        """For each game with a clause changed that no fixture of this setting tells from it: where they part."""
        base = next(iter(self.unders.values()))
        shown = {c for f in under.fixtures for g in f.goals for c in g.clauses}
        for m in mutants(under.game):
            if (m.how, m.clause) in self.noticed:
                continue
            if not survivors([m], under.fixtures):
                self.noticed.add((m.how, m.clause))
                continue
            if under is not base and m.clause in base.game.clauses and m.clause not in shown:
                continue
            if under.search.over(self.budget):
                return
            if self.budget.tell:
                self.budget.tell(m.says)
            apart = Apart(under.eye, m.game)
            if not apart.same:
                if self.parted(under, apart, Goal(m.how, (m.clause,))):
                    self.noticed.add((m.how, m.clause))

    def seek(self) -> None:
        """For each game with a clause changed that is still not told from the rules: plays towards where the clause matters.

        A clause of an option is looked at under settings with one more option changed as well, that which comes nearest.
        """
        base = next(iter(self.unders.values()))
        ways: dict[tuple[str, str], list[tuple[Under, Mutant]]] = {}
        for under in self.unders.values():
            for m in mutants(under.game):
                if (m.how, m.clause) not in self.noticed:
                    ways.setdefault((m.how, m.clause), []).append((under, m))
        for (_, clause), found in ways.items():
            own = clause not in base.game.clauses
            if any(self.sought(under, m) for under, m in found[: OWN if own else 1]):
                continue
            near = self.nearest(*found[0]) if own and not self.alone and self.given is None else None
            if near is not None:
                self.unders.setdefault((tuple(near[0].game.setting.items()), near[0].game.players), near[0])
                self.sought(*near)

    def sought(self, under: Under, m: Mutant) -> bool:
        """Keep a fixture where a mutant parts from the rules, found by plays towards it; False where none was."""
        if under.search.over(self.budget):
            return False
        apart = Apart(under.eye, m.game)
        tool = Seeking(under.eye, m, apart)
        if apart.same or not tool.possible():
            return False
        if self.budget.tell:
            self.budget.tell(f"{m.says}, a play towards it")
        spot = tool.find(self.pool(under), self.budget, self.seed)
        found = None if spot is None else apart.along(spot)
        if found is None:
            return False
        self.apart_at(under, apart, Goal(m.how, (m.clause,)), *found)
        self.noticed.add((m.how, m.clause))
        return True

    def nearest(self, under: Under, m: Mutant) -> tuple[Under, Mutant] | None:
        """Of the settings with one more option changed, that in which a few plays come nearest to where the clause matters."""
        best: tuple[float, Under, Mutant] | None = None
        here = under.game.setting
        for option in self.rules.document.options.values():
            if option.kind == "study" or option.id in self.fixed or self.setting[option.id] != here[option.id]:
                continue
            for value in [v.name for v in option.values if v.name != here[option.id]]:
                game = self.rules.game({**here, option.id: value}, self.players, Diagnostics())
                if game is None or under.search.over(self.budget):
                    continue
                there = self.unders.get((tuple(game.setting.items()), game.players))
                if there is None:
                    eye = Eye(game)
                    there = Under(game, eye, Search(eye, set()), [])
                other = next((x for x in mutants(there.game) if (x.how, x.clause) == (m.how, m.clause)), None)
                if other is None:
                    continue
                eye = there.eye
                tool = Seeking(eye, other, Apart(eye, other.game), PROBE)
                row = eye.player.starts()[0]
                near = 0.0 if tool.find([Spot(row, (), row)], self.budget, self.seed) is not None else tool.nearest
                if best is None or near < best[0]:
                    best = near, there, other
        return None if best is None else best[1:]

    # more

    def further(self, under: Under, most: int) -> list[Fixture]:
        """Positions of plays at random, as many as are still asked for, the nearest of the search after them."""
        found: list[Fixture] = []
        describer = Describer(under.eye)
        for spot in random_spots(under.eye, self.seed, self.given):
            if len(found) >= most:
                return found
            if self.add(under, describer, spot, found) and self.budget.tell:
                self.budget.tell(f"{len(found)} further positions")
            if under.search.over(self.budget):
                return found
        rows = under.search.rows
        for spot in (under.search.spot(i) for i in range(len(rows))) if rows else self.pool(under):
            if len(found) >= most:
                break
            self.add(under, describer, spot, found)
        return found

    def add(self, under: Under, describer: Describer, spot: Spot, found: list[Fixture]) -> bool:
        """One more fixture, unless there is one of the position."""
        key = id(under.game), spot.row
        if key in self.added or any(f.spot is not None and f.spot.row == spot.row for f in under.fixtures):
            return False
        try:
            made = describer.fixture(spot, [Goal("at-random")], whole=self.whole)
        except WRONG:
            return False
        self.added.add(key)
        found.append(made)
        return True


def random_spots(eye: Eye, seed: int, given: State | None = None, plays: int = MORE, longest: int = 200) -> Iterable[Spot]:
    """Positions of plays at random, now and then one of each; all moves alike."""
    search = Search(eye, set())
    starts = eye.player.starts() if given is None else [eye.player.of(given)]
    for number in range(plays):
        dice = Dice(seed, 4 * number)
        row = start = starts[dice.below(len(starts))]
        way: list[Taken] = []
        wait = dice.below(6)
        while len(way) < longest:
            if wait == 0:
                yield Spot(start, tuple(way), row)
                wait = 1 + dice.below(12)
            wait -= 1
            try:
                taken = search.pick(dice, 4 * number, row, eye.player.legal(row))
                if taken is None:
                    break
                row = eye.player.step(row, *taken)[0]
            except WRONG:
                break
            way.append(taken)


def last(eye: Eye, spot: Spot, most: int) -> list[Spot]:
    """The last positions of the play to a position, itself among them."""
    row, found = spot.start, [Spot(spot.start, (), spot.start)]
    for n, taken in enumerate(spot.way, 1):
        row = eye.player.step(row, *taken)[0]
        found.append(Spot(spot.start, spot.way[:n], row))
    return found[-most:]


def along(eye: Eye, start: Any, steps: Steps) -> Spot | None:
    """The position that steps lead to."""
    numbers = {a.name: n for n, a in enumerate(eye.actions)}
    row, way = start, list[Taken]()
    for move, drawn in steps:
        if move.action not in numbers:
            return None
        choice = (numbers[move.action], -1 if move.actor is None else move.actor, tuple(v for _, v in move.args))
        taken = choice, tuple(v for _, v in drawn)
        try:
            row = eye.player.step(row, *taken)[0]
        except WRONG:
            return None
        way.append(taken)
    return Spot(start, tuple(way), row)


def _steps(eye: Eye, spot: Spot) -> Steps:
    """The steps of a play as moves and draws."""
    return tuple((move_of(eye.player, c), named(eye.actions[c[0]], d)) for c, d in spot.way)


def _meant(eye: Eye, spot: Spot, line: Any) -> Move | None:
    """A legal move that a line of a scenario may mean."""
    from tablelaw.spec.reckon import meant

    for choice in eye.player.legal(spot.row):
        move = move_of(eye.player, choice)
        if move.action == line.action and all(meant(v, dict(move.args)[k]) for k, v in line.args if k in dict(move.args)):
            return move
    return None


def questions(game: Game) -> dict[Goal, Expr]:
    """Rare positions that the rules file itself asks for: `reach`, and the `largest` and `smallest` that it expects."""
    quiet = Diagnostics()
    reader = Reader(game, quiet, evaluate.starts(game)[0])
    found: dict[Goal, Expr] = {}
    for q in game.document.questions.values():
        if q.kind not in ("reach", "largest", "smallest") or any(q.node.get(k) is not None for k in ("given", "options")):
            continue
        asked = reader.question(q)
        if asked is None or asked.formula is None:
            continue
        looks, counts = step_needs([asked.formula, asked.where])
        expected = asked.expected
        if looks or counts or (expected is not None and expected.verdict not in (None, "holds")):
            continue
        formula: Expr = asked.formula
        if q.kind != "reach":
            if expected is None or expected.value is None or not expected.value.lstrip("-").isdigit():
                continue
            formula = Op("eq", (formula, Const(int(expected.value), type=INT)), type=BOOL)
            if asked.where is not None:
                formula = Op("and", (asked.where, formula), type=BOOL)
        found[Goal("question", (q.id,))] = formula
    return found


__all__ = ["FixtureSet", "Maker", "Under", "random_spots"]
