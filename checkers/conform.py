"""Plays a game beside another program: random plays and fixtures, each difference made short, judged, and then explained
away, so that what lies behind it is found as well."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tablelaw.checkers.along import Fixture, follow
from tablelaw.checkers.bisect import first, shorter
from tablelaw.checkers.foreign import Foreign, Trouble
from tablelaw.checkers.guest import Guest, Unsupported
from tablelaw.checkers.host import Faulty, Host
from tablelaw.checkers.judging import Judgement, Variants, judge
from tablelaw.checkers.nearest import nearest
from tablelaw.checkers.walking import Counts, Found, Walker
from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import State
from tablelaw.solver.sampling import Dice, move_of, one_play
from tablelaw.solver.trace import move_text
from tablelaw.spec.game import Game
from tablelaw.spec.load import Rules
from tablelaw.spec.settings import Setting

PLAYS, LIMIT, SECONDS = 100, 1_000, 600.0
MOST_FINDINGS = 8


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be compared."""

    plays: int = PLAYS
    seed: int = 0
    limit: int = LIMIT
    at_end: bool = False
    first: bool = False
    seconds: float = SECONDS
    without: frozenset[str] = frozenset()
    start: State | None = None
    fixtures: tuple[Fixture, ...] = ()
    tell: Callable[[str], None] | None = None


@dataclass(slots=True)
class Finding:
    """A difference, judged. `setting` and `without` are what the rules were when it was found."""

    game: Game
    host: Host
    found: Found
    judgement: Judgement
    without: frozenset[str]
    where: str
    given: bool


@dataclass(slots=True)
class Report:
    """What a run has come to. `counts` are those of the last round, under `setting` and `without`."""

    game: Game
    counts: Counts = field(default_factory=Counts)
    fixtures: int = 0
    skipped: dict[str, int] = field(default_factory=dict)
    """Fixtures that the program does not play, by its reason."""
    findings: list[Finding] = field(default_factory=list)
    setting: Setting = field(default_factory=dict)
    without: frozenset[str] = frozenset()
    agrees: bool = False
    """Did the last round come to its end without a difference?"""
    stopped: str = ""
    lingers: str = ""
    lacks: dict[str, str] = field(default_factory=dict)
    tail: str = ""
    requests: int = 0
    seconds: float = 0.0


class Conformer:
    """One program beside one rules file. Raises `CannotStart`, and `Unsupported` where it plays nothing of it."""

    def __init__(self, rules: Rules, game: Game, foreign: Foreign, wanted: Wanted) -> None:
        self.rules, self.game, self.foreign, self.wanted = rules, game, foreign, wanted
        self.guest = Guest(foreign)
        self.told = dict(game.setting)
        self.report = Report(game, setting=dict(game.setting), without=wanted.without)
        self.until = time.monotonic() + wanted.seconds
        self._variants: dict[int, Variants] = {}

    def run(self) -> Report:
        """Compare, and where a difference is explained, go on with what explains it."""
        report, began = self.report, time.monotonic()
        met: set[object] = set()
        try:
            while True:
                report.counts, report.fixtures, report.skipped = Counts(), 0, {}
                found = self._round()
                if found is None:
                    report.agrees = True
                    break
                report.findings.append(found)
                key = (tuple(report.setting.items()), report.without)
                met.add(key)
                if self.wanted.first or not self._explained(found) or len(report.findings) >= MOST_FINDINGS:
                    break
                if (tuple(report.setting.items()), report.without) in met:
                    break
            try:
                self.foreign.quit()
            except Trouble as trouble:
                report.lingers = trouble.says
        finally:
            self.foreign.kill()
            report.lacks, report.tail = self.guest.lacks, self.foreign.tail
            report.requests, report.seconds = self.foreign.asked, time.monotonic() - began
        return report

    def _explained(self, found: Finding) -> bool:
        """Take the rules from now on as the program seems to have them, if that is known."""
        judgement = found.judgement
        if judgement.readings:
            self.report.setting = {**self.report.setting, **judgement.readings[0]}
            return True
        if len(judgement.as_without) == 1 or (judgement.as_without and judgement.as_without[0] in judgement.clauses):
            self.report.without = self.report.without | {judgement.as_without[0]}
            return True
        return False

    def _host(self, setting: Setting, players: int) -> Host | None:
        if players not in self._variants:
            self._variants[players] = Variants(self.rules, players)
        return self._variants[players].host(setting, self.report.without)

    # one round

    def _round(self) -> Finding | None:
        return self._fixtures() or self._plays() or self._after_the_end()

    def _over(self) -> bool:
        if time.monotonic() > self.until:
            self.report.stopped = f"the time of {self.wanted.seconds:g} s is over"
        return bool(self.report.stopped)

    def _plays(self) -> Finding | None:
        report, wanted = self.report, self.wanted
        host = self._host(report.setting, self.game.players)
        if host is None or self._over():
            return None
        starts = [host.player.of(wanted.start)] if wanted.start is not None else host.player.starts()
        given = wanted.start is not None or len(starts) > 1
        walker = Walker(host, self.guest, self.told, given, report.counts)
        for number in range(wanted.plays):
            dice = Dice(wanted.seed, number)
            found = walker.play(starts[dice.below(len(starts))], dice, wanted.limit, wanted.at_end)
            if wanted.tell is not None:
                wanted.tell(f"{number + 1:,} of {wanted.plays:,} plays")
            if found is not None:
                return self._finding(walker, found, f"play {number} of seed {wanted.seed}")
            if self._over():
                break
        return None

    def _after_the_end(self) -> Finding | None:
        """Is a move refused when the play is over? Asked of the first play that comes to an end, its last move sent again."""
        report, wanted = self.report, self.wanted
        host = self._host(report.setting, self.game.players)
        if host is None or self._over() or wanted.start is not None or len(host.player.starts()) > 1:
            return None
        start = host.player.starts()[0]
        for number in range(min(wanted.plays, 20)):
            made = one_play(host.player, wanted.seed, number, wanted.limit)
            mine = [c for c, _ in made.steps if c[1] >= 0]
            if made.ending == "ended" and mine:
                walker = Walker(host, self.guest, self.told, False, Counts())
                last = move_text(host.game, move_of(host.player, mine[-1]))
                found = walker.forbidden(start, tuple(made.steps), last)
                return None if found is None else self._finding(walker, found, f"play {number} of seed {wanted.seed}")
        return None

    def _fixtures(self) -> Finding | None:
        report = self.report
        changed = {k: v for k, v in report.setting.items() if v != self.game.setting[k]}
        for fixture in self.wanted.fixtures:
            if self._over():
                break
            host = self._host({**fixture.options, **changed}, fixture.players)
            if host is None:
                continue
            start = host.player.of(fixture.start if fixture.start is not None else evaluate.starts(host.game)[0])
            walker = Walker(host, self.guest, fixture.options, fixture.start is not None, report.counts)
            try:
                found = follow(walker, start, fixture)
            except Unsupported as why:
                report.skipped[str(why)] = report.skipped.get(str(why), 0) + 1
                continue
            except Faulty as fault:
                found = Found(start, (), (), (), start, {}, faulty=str(fault))
            report.fixtures += 1
            if self.wanted.tell is not None:
                self.wanted.tell(f"{report.fixtures:,} fixtures")
            if found is not None:
                return self._finding(walker, found, f"fixture {fixture.id}")
        return None

    def _finding(self, walker: Walker, found: Found, where: str) -> Finding:
        if self.wanted.at_end and found.trouble is None and not found.faulty:
            found = first(walker, found)
        found = shorter(walker, found, self.wanted.tell)
        players = walker.host.game.players
        if players not in self._variants:
            self._variants[players] = Variants(self.rules, players)
        if self.wanted.tell is not None:
            self.wanted.tell("judging a difference")
        variants, without = self._variants[players], self.report.without
        judgement = judge(variants, walker.host, found, without, walker.given)
        near = nearest(variants, walker, found, judgement, without)
        if near is not found:
            found, judgement = near, judge(variants, walker.host, near, without, walker.given)
        return Finding(walker.host.game, walker.host, found, judgement, self.report.without, where, walker.given)


def rows_of(report: Report) -> list[dict[str, Any]]:
    """The findings as JSON has them."""
    from tablelaw.checkers.along import saved

    return [saved(f.host, f.found, f.judgement, f.where, f.given, f.without) for f in report.findings]
