"""Plays a game beside another program: random plays and fixtures, each difference made short, judged, and then explained
away, so that what lies behind it is found as well."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from tablelaw.checkers import bisect, judging
from tablelaw.checkers.along import Fixture, follow
from tablelaw.checkers.bisect import first, shorter
from tablelaw.checkers.foreign import Foreign, OutOfTime, Trouble
from tablelaw.checkers.guest import Guest, Unsupported
from tablelaw.checkers.host import Faulty, Host
from tablelaw.checkers.judging import Judgement, Variants, judge, of_the_whole
from tablelaw.checkers.nearest import nearest
from tablelaw.checkers.walking import Counts, Found, Walker
from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import State
from tablelaw.solver.sampling import Dice, move_of
from tablelaw.solver.trace import move_text
from tablelaw.spec.game import Game
from tablelaw.spec.load import Rules
from tablelaw.spec.settings import Setting

PLAYS, LIMIT, SECONDS = 100, 1_000, 600.0
LEAST = 2.0
"""Seconds for judging a difference, however late it is found."""
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
    begin: Callable[[], None] | None = None
    """Called when a round, or the look at a difference, begins."""


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
    left_out: dict[str, int] = field(default_factory=dict)
    """Fixtures that are not of what was asked for, by what they are not of."""
    beyond: dict[str, int] = field(default_factory=dict)
    """Plays of rules that were changed on the way which these rules could not take on, by the reason; no fault of anybody."""
    findings: list[Finding] = field(default_factory=list)
    setting: Setting = field(default_factory=dict)
    without: frozenset[str] = frozenset()
    agrees: bool = False
    """Was the last round without a difference, and was a play compared whole?"""
    stopped: str = ""
    lingers: str = ""
    lacks: dict[str, str] = field(default_factory=dict)
    tail: str = ""
    requests: int = 0
    seconds: float = 0.0

    @property
    def whole(self) -> bool:
        """Was a play of the last round compared whole?"""
        return self.counts.plays > self.counts.given_up and self.counts.positions > 0


class Conformer:
    """One program beside one rules file. Raises `CannotStart`, and `Unsupported` where it plays nothing of it."""

    def __init__(self, rules: Rules, game: Game, foreign: Foreign, wanted: Wanted) -> None:
        self.rules, self.game, self.foreign, self.wanted = rules, game, foreign, wanted
        self.guest = Guest(foreign)
        self.told = dict(game.setting)
        self.report = Report(game, setting=dict(game.setting), without=wanted.without)
        self.until = foreign.until = time.monotonic() + wanted.seconds
        self.unfinished: Finding | None = None
        """A difference that is still looked at."""
        self._ended: tuple[Walker, Found, int] | None = None
        self._variants: dict[int, Variants] = {}

    def run(self) -> Report:
        """Compare, and where a difference is explained, go on with what explains it."""
        report, began = self.report, time.monotonic()
        met: set[object] = set()
        try:
            while True:
                report.counts, report.fixtures, report.skipped, report.beyond = Counts(), 0, {}, {}
                self._begin()
                found = self._round()
                if found is None:
                    report.agrees = report.whole
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

    def _begin(self) -> None:
        if self.wanted.begin is not None:
            self.wanted.begin()

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
        return self._variants_of(players).host(setting, self.report.without)

    def _variants_of(self, players: int) -> Variants:
        return self._variants.setdefault(players, Variants(self.rules, players))

    def _left(self) -> float:
        return self.until - time.monotonic()

    # one round

    def _round(self) -> Finding | None:
        self._ended = None
        try:
            return self._fixtures() or self._plays() or self._after_the_end()
        except OutOfTime:
            self.report.counts.given_up += 1
            self._over()
            return None

    def _is_theirs(self, walker: Walker, found: Found) -> bool:
        """Is it a difference? Not where the rules are at a loss that were changed on the way."""
        if not found.faulty:
            return True
        start = walker.host.player.state(found.start) if walker.given else None
        if of_the_whole(self._variants_of(walker.host.game.players), walker.host, found, self.report.without, start):
            return True
        self._cannot(found.faulty)
        return False

    def _cannot(self, why: str) -> None:
        self.report.beyond[why] = self.report.beyond.get(why, 0) + 1

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
            if wanted.tell is not None:
                walker.tell = partial(_tell, wanted.tell, f"play {number + 1:,} of {wanted.plays:,}")
            dice = Dice(wanted.seed, number)
            found = walker.play(starts[dice.below(len(starts))], dice, wanted.limit, wanted.at_end)
            if self._ended is None and walker.ended is not None:
                self._ended = walker, walker.ended, number
            if found is not None and self._is_theirs(walker, found):
                return self._finding(walker, found, f"play {number} of seed {wanted.seed}")
            if self._over():
                break
        return None

    def _after_the_end(self) -> Finding | None:
        """Is a move refused when the play is over? Asked of the first play that came to an end, its last move sent again."""
        wanted = self.wanted
        if self._ended is None or self._over():
            return None
        walker, ended, number = self._ended
        mine = [c for c, _ in ended.taken if c[1] >= 0]
        if walker.given or not mine:
            return None
        again = Walker(walker.host, self.guest, self.told, False, Counts())
        last = move_text(walker.host.game, move_of(walker.host.player, mine[-1]))
        try:
            found = again.forbidden(ended.start, ended.taken, last)
        except OutOfTime:
            self._over()
            return None
        return None if found is None else self._finding(again, found, f"play {number} of seed {wanted.seed}")

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
                if changed or report.without != self.wanted.without:
                    self._cannot(str(fault))
                    continue
            report.fixtures += 1
            if self.wanted.tell is not None:
                self.wanted.tell(f"{report.fixtures:,} fixtures")
            if found is not None and self._is_theirs(walker, found):
                return self._finding(walker, found, f"fixture {fixture.id}")
        return None

    def _finding(self, walker: Walker, found: Found, where: str) -> Finding:
        self._begin()
        host, without, tell = walker.host, self.report.without, self.wanted.tell
        late = Judgement(judging.PROGRAM, "there was no time to look whose it is")
        if found.faulty:
            late = Judgement(judging.RULES, found.faulty)
        self.unfinished = Finding(host.game, host, found, late, without, where, walker.given)
        if not found.looked and found.apart is not None and found.apart.kind != "takes":
            found = first(walker, found)
        found = shorter(walker, found, min(bisect.SECONDS, self._left()), tell)
        if tell is not None:
            tell("judging a difference")
        variants = self._variants_of(host.game.players)
        seconds = min(judging.SECONDS, max(self._left(), LEAST))
        judgement = judge(variants, host, found, without, walker.given, seconds)
        near = nearest(variants, walker, found, judgement, without, self._left())
        if near is not found:
            found, judgement = near, judge(variants, host, near, without, walker.given, seconds)
        self.unfinished = None
        return Finding(host.game, host, found, judgement, without, where, walker.given)


def _tell(tell: Callable[[str], None], what: str, more: str) -> None:
    tell(f"{what}, {more}")


def rows_of(report: Report) -> list[dict[str, Any]]:
    """The findings as JSON has them."""
    from tablelaw.checkers.along import saved

    return [saved(f.host, f.found, f.judgement, f.where, f.given, f.without) for f in report.findings]
