"""What is known under the settings that a set of fixtures looked at: is it so under every one, for every number of players?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import prod

from tablelaw.checkers.choosing import Under
from tablelaw.checkers.compare import Asker
from tablelaw.checkers.coverage import Search
from tablelaw.checkers.fixture_set import SMALL, FixtureSet, questions
from tablelaw.checkers.goals import Goal, goals
from tablelaw.checkers.looking import WRONG, Eye
from tablelaw.checkers.readings import Variation
from tablelaw.solver.parting import Comparing
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.settings import Setting, broken, every_setting, holds, names_for

MOST_GAMES = 24
"""Of more settings and numbers of players those that were looked at have to do, and that is said."""
EACH = 4.0
"""Seconds for one comparison."""


@dataclass(frozen=True, slots=True)
class Case:
    """A setting and a number of players."""

    setting: tuple[tuple[str, str], ...]
    players: int


class Everywhere:
    """The settings and numbers of players that are asked about: all that may be, else those that were looked at."""

    def __init__(self, found: FixtureSet, budget: Budget) -> None:
        self.found, self.budget = found, budget
        self.looked_at = {Case(tuple(sorted(s)), n): u for (s, n), u in found.unders.items()}
        every = [self.of(found.base.game)] if self.alone else self._all()
        self.whole = every is not None
        self.cases = list(self.looked_at) if every is None else every

    @property
    def alone(self) -> bool:
        """Was one setting asked about, and no other?"""
        return self.found.alone or self.found.given is not None

    @staticmethod
    def of(game: Game) -> Case:
        """The case of a game."""
        return Case(tuple(sorted(game.setting.items())), game.players)

    def _all(self) -> list[Case] | None:
        doc, asked = self.found.rules.document, self.found.asked
        counts = [asked.players] if asked.players else list(self.found.rules.counts)
        free = [o for o in doc.options.values() if o.kind != "study" and o.id not in asked.setting]
        if prod(len(o.values) for o in free) * len(counts) > 8 * MOST_GAMES:
            return None
        found = [Case(tuple(sorted(s.items())), n) for n in counts for s in every_setting(doc, asked.setting, n)]
        return found if len(found) <= MOST_GAMES else None

    def scope(self) -> str:
        """Of what the claims are, in words; nothing where they are of the whole rules file."""
        found, base = self.found, self.found.base.game
        if found.given is not None:
            return "from this position, " + self.told(self.of(base), whole=True)
        if found.alone:
            return self.told(self.of(base), whole=True)
        if not self.whole:
            number = len(self.looked_at)
            return f"under the {number} settings of options and players that were looked at" if number > 1 else "as looked at"
        fixed = [f"{k}={v}" for k, v in found.asked.setting.items()]
        fixed += [f"{o.id}={base.setting[o.id]}" for o in found.rules.document.options.values() if o.kind == "study"]
        return _with(list(dict.fromkeys(fixed)), found.asked.players if len(found.rules.counts) > 1 else None)

    def told(self, case: Case, whole: bool = False) -> str:
        """A setting in words: what it has otherwise than the first one (or all of it)."""
        base = self.found.base.game
        options = [f"{k}={v}" for k, v in case.setting if whole or base.setting.get(k) != v]
        players = case.players if len(self.found.rules.counts) > 1 and (whole or case.players != base.players) else None
        return _with(options, players) or ("as the rules stand" if whole else "under the first setting")

    # what nothing shows

    def under(self, case: Case, wanted: Iterable[Goal]) -> Under | None:
        """The game of a case, looked through for goals; None where the rules have a fault there."""
        game = self.found.rules.game(dict(case.setting), case.players, Diagnostics())
        if game is None:
            return None
        eye = Eye(game)
        eye.asked = questions(game)
        mine = [*goals(game), *eye.asked]
        search = Search(eye, set(wanted) & set(mine))
        if search.wanted:
            search.breadth(SMALL, self.budget)
        return Under(game, eye, search, mine)

    # values of options that never part

    def part(self, v: Variation) -> str:
        """How two values of an option come apart under some setting: `""`, they never do; `"?"`, that is not known."""
        if not self.whole:
            return "?"
        done: set[tuple[Case, Case]] = set()
        for case in self.cases:
            pair = self._pair(v, case)
            if pair is None or pair in done:
                continue
            done.add(pair)
            games = [self.found.rules.game(dict(c.setting), c.players, Diagnostics()) for c in pair]
            if games[0] is None or games[1] is None:
                continue
            try:
                course = Comparing(games[0], games[1], Asker("auto")).run(self.budget.part(EACH), bool)
            except (*WRONG, OutOfBudget):
                return "?"
            if course.partings:
                return self.told(pair[0])
            if not course.proved and not course.complete:
                return "?"
        return ""

    def _pair(self, v: Variation, case: Case) -> tuple[Case, Case] | None:
        """The two settings in which only this option differs; None where one of its values may not be there."""
        doc, quiet = self.found.rules.document, Diagnostics()
        found = []
        for value in (v.usual, v.other):
            setting: Setting = {**dict(case.setting), v.option: value}
            names = names_for(doc, setting, case.players)
            open_here = holds(doc.options[v.option].only, names, doc, quiet)
            if not open_here or broken(doc, setting, case.players, quiet) is not None:
                return None
            found.append(Case(tuple(sorted(setting.items())), case.players))
        return found[0], found[1]


def _with(options: list[str], players: int | None) -> str:
    told = [f"with {', '.join(options)}"] if options else []
    told += [f"for {players} player{'' if players == 1 else 's'}"] if players else []
    return " ".join(told)
