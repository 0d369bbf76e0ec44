"""What clauses do to the rules: `clarifies`, over every open reading of the rules without them."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tablelaw.checkers.compare import Asker, alike_verdict, setting_name
from tablelaw.checkers.contradiction import NOTHING, Against, Judge, between, may_clash
from tablelaw.checkers.posed import Posed
from tablelaw.checkers.sides import Shown, shown
from tablelaw.checkers.speaking import Speaking
from tablelaw.solver import legality
from tablelaw.solver.canonical import Canon
from tablelaw.solver.evaluate import State
from tablelaw.solver.lockstep import Parting
from tablelaw.solver.parting import Ask, Comparing, Course
from tablelaw.solver.sameness import disjunction, identical
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.document import Document
from tablelaw.spec.game import Game
from tablelaw.spec.load import Rules
from tablelaw.spec.questions import Asked
from tablelaw.spec.settings import MOST_SETTINGS, Setting, defaults, every_setting, holds, names_for, varied

MOST_READINGS = 64
WITNESS = 120.0
CONFLICT = 90.0
CHANGES = {
    "same": "changes no play",
    "changes": "changes plays",
    "contradicts": "contradicts the rules",
    "unknown": "not decided",
}


@dataclass(slots=True)
class Reading:
    """What the clauses do under one reading. `effect` is same, changes, contradicts or unknown."""

    options: dict[str, str]
    effect: str
    without: Game
    with_: Game
    course: Course
    parting: Parting | None = None
    against: Against = NOTHING
    known_by: str | None = None

    def json(self) -> dict[str, object]:
        """For JSON."""
        return {"options": self.options, "effect": self.effect, "known_by": self.known_by}


@dataclass(slots=True)
class Clarification:
    """What an answer tells besides its word."""

    clauses: tuple[str, ...]
    versus: tuple[str, ...] = ()
    readings: list[Reading] = field(default_factory=list)
    shown: Shown | None = None
    contradicted: Against = NOTHING
    decided_by: tuple[str, ...] = ()
    silent: str = ""
    alone: bool = False
    """Each reading was looked at alone (or with the one that opens it), the others as set."""

    @property
    def game(self) -> Game | None:
        """The game that the play belongs to."""
        return None if self.shown is None else self.shown.left_game

    @property
    def kept(self) -> list[Reading]:
        """The readings under which no play changes."""
        return [r for r in self.readings if r.effect == "same"]

    @property
    def ruled_out(self) -> list[Reading]:
        """The readings under which plays change."""
        return [r for r in self.readings if r.effect in ("changes", "contradicts")]

    @property
    def names(self) -> tuple[str, str]:
        """What the two sides are called."""
        if not self.versus:
            return "without", "with"
        both = self.shown is not None and set(self.versus) <= set(self.shown.outcomes[1].game.clauses)
        return f"with {', '.join(self.versus)}", "with both" if both else f"with {', '.join(self.clauses)}"

    def json(self) -> dict[str, object]:
        """For JSON."""
        row: dict[str, object] = {
            "clarifies": list(self.clauses),
            "against": list(self.versus),
            "readings": [r.json() for r in self.readings],
            "differs": [r.options for r in self.ruled_out],
            "contradicts": list(self.contradicted.clauses),
            "decided_by": list(self.decided_by),
        }
        if self.shown is not None:
            row |= self.shown.json(self.names)
        return row


def open_readings(doc: Document, setting: Setting, chosen: frozenset[str], players: int) -> tuple[list[Setting], bool]:
    """Every setting of the readings that nobody chose; where they are too many, each alone (and True)."""
    whole = {**defaults(doc), **setting}
    ids = [o.id for o in doc.options.values() if o.kind == "reading" and o.id not in chosen]
    count = 1
    for i in ids:
        count *= len(doc.options[i].values)
    found = [whole]
    if count <= MOST_SETTINGS:
        found += [s for s in varied(doc, ids, whole, players) if s != whole]
        if len(found) <= MOST_READINGS:
            return found, False
        found = [whole]
    for n in (1, 2):  # two at once: a reading may be open only where another has some value
        for some in itertools.combinations(ids, n):
            shut = n == 2 and all(_open(doc, i, whole, players) for i in some)
            found += [s for s in ([] if shut else varied(doc, list(some), whole, players)) if s not in found]
    return found[:MOST_READINGS], True


def _open(doc: Document, option: str, setting: Setting, players: int) -> bool:
    return holds(doc.options[option].only, names_for(doc, setting, players), doc, Diagnostics())


class Clarifier:
    """One question `clarifies` being answered."""

    def __init__(self, rules: Rules, posed: Posed, asked: Asked, budget: Budget) -> None:
        self.rules, self.posed, self.asked, self.budget = rules, posed, asked, budget
        ids = frozenset((*asked.clauses, *asked.against))
        self.proposed = frozenset(c.id for c in rules.document.every_clause() if c.proposed and c.id in ids)
        self.ids, self.versus = frozenset(asked.clauses), frozenset(asked.against)
        self.ask: Ask = Asker(posed.engine)
        self.told = Clarification(asked.clauses, asked.against)
        self.open_clash = ""
        self.given: tuple[State, State] | None = None if asked.given is None else (asked.given, asked.given)

    def game(self, setting: Setting, ids: frozenset[str]) -> Game | None:
        """The rules with these of the clauses in question, and without the others."""
        ordinary = (self.ids | self.versus) - self.proposed
        return self.rules.game(setting, self.posed.players, self.posed.sink, ids & self.proposed, ordinary - ids)

    def answer(self) -> Verdict | None:
        """The verdict; None where the rules have a fault under some setting (the sink knows)."""
        posed = self.posed
        settings, self.told.alone = open_readings(self.rules.document, posed.setting, posed.chosen, posed.players)
        varying = [k for k in settings[0] if len({s.get(k) for s in settings}) > 1]
        for n, setting in enumerate(settings):
            without, with_ = self.game(setting, self.versus), self.game(setting, self.ids | self.versus)
            left, right = (without, self.game(setting, self.ids)) if self.versus else (None, None)
            if without is None or with_ is None or (self.versus and right is None):
                return None
            options = {k: setting[k] for k in varying}
            part = self.budget.part(self.budget.left() * 0.6 / (len(settings) - n))
            known = self._known(without, with_, options)
            if known is None and left is not None and right is not None:
                known = self._between(left, right, options, part)
            reading = known or self._reading(without, with_, options, part)
            if reading.effect == "same" and self.open_clash:
                reading.effect = "unknown"
            self.told.readings.append(reading)
        return self._verdict()

    def _known(self, without: Game, with_: Game, options: dict[str, str]) -> Reading | None:
        """A reading under which the formulas are those of one looked at before."""
        for r in self.told.readings:
            canon = Canon()
            pairs = ((r.without, without), (r.with_, with_))
            if all(identical(canon.game(a), canon.game(b)) for a, b in pairs):
                return replace(r, options=options)
        return None

    def _reading(self, without: Game, with_: Game, options: dict[str, str], budget: Budget) -> Reading:
        course = Comparing(without, with_, self.ask, self.given).run(budget, bool)
        if course.partings:
            return Reading(options, "changes", without, with_, course, course.partings[0], known_by="proved")
        verdict = alike_verdict(course, None, "same")
        effect = "same" if verdict.verdict == "same" else "unknown"
        return Reading(options, effect, without, with_, course, known_by=verdict.known_by)

    def _between(self, left: Game, right: Game, options: dict[str, str], budget: Budget) -> Reading | None:
        """Where the rules with the one and the rules with the other contradict each other."""

        def judge(p: Parting) -> Against:
            return between(left, right, self.ids, self.versus, p)

        def first() -> Parting | None:
            return next((p for p in course.partings if judge(p) != NOTHING), None)

        comparing = Comparing(left, right, None, self.given)
        comparing.label = judge
        course = comparing.run(budget.part(min(CONFLICT, budget.left() / 3)), lambda ps: any(judge(p) != NOTHING for p in ps))
        settled = course.complete
        if first() is None and not settled:
            settled = self._never_clash(comparing, left, right, budget.part(budget.left() / 2))
        hit = first()
        if hit is not None:
            return Reading(options, "contradicts", left, right, course, hit, judge(hit), "proved")
        self.open_clash = "" if settled else f"{course.depth} steps, nor in {course.walks:,} plays at random"
        return None

    def _never_clash(self, comparing: Comparing, left: Game, right: Game, budget: Budget) -> bool:
        """Is it proved that neither allows what the other forbids? A play that says otherwise is followed in both."""
        clashes = may_clash(left, right, self.ids, self.versus)
        if clashes is None or self.given is not None:
            return False
        if not clashes:
            return True
        asked = Asked("notes-that-clash", "never", None, formula=disjunction(clashes))
        verdict = self.ask.claim(right, asked, budget)
        if verdict.verdict == "fails" and verdict.trace is not None:
            comparing.along(verdict.trace)
        return verdict.verdict == "holds" and verdict.known_by in ("proved", "exhausted")

    def _contradictions(self) -> None:
        """For each reading under which plays change: is a clause contradicted? Looked for as long as it may decide."""
        changed = [r for r in self.told.ruled_out if r.effect == "changes"]
        for n, r in enumerate(changed):
            judge = self._judge(r)
            at_once = next((p for p in r.course.partings if judge(p) != NOTHING), None)
            if at_once is not None:
                r.effect, r.parting, r.against = "contradicts", at_once, judge(at_once)
                continue
            comparing = Comparing(r.without, r.with_, None, self.given)
            comparing.label = judge
            part = self.budget.part(min(CONFLICT, self.budget.left() * 0.8 / (len(changed) - n)))
            course = comparing.run(part, lambda ps, j=judge: any(j(p) != NOTHING for p in ps))  # type: ignore[misc]
            hit = next((p for p in course.partings if judge(p) != NOTHING), None)
            if hit is None:
                r.course = course if course.partings else r.course
                return  # one reading without a contradiction: the clauses fill a gap
            r.effect, r.parting, r.against, r.course = "contradicts", hit, judge(hit), course

    def _judge(self, r: Reading) -> Callable[[Parting], Against]:
        """Who says what is contradicted: of two notes beside each other only what the one does to the other."""
        judge = Judge(r.without, r.with_, self.ids)
        if not self.versus:
            return judge

        def between_notes(p: Parting) -> Against:
            found = judge(p)
            return found if set(found.clauses) & self.versus else NOTHING

        return between_notes

    def _verdict(self) -> Verdict:
        told = self.told
        effects = [r.effect for r in told.readings]
        absent = [c for c in told.clauses if not any(c in r.with_.clauses for r in told.readings)]
        if len(absent) == len(told.clauses):
            return self._absent()
        if all(e == "same" for e in effects):
            return self._entailed()
        if told.ruled_out and told.kept:
            return self._shown("refines", told.ruled_out[0], weakest(told.kept))
        if "unknown" in effects:
            return self._unknown()
        self._contradictions()
        if all(r.effect == "contradicts" for r in told.readings):
            return self._shown("conflicts", told.readings[0], "proved")
        rest = next(r for r in told.readings if r.effect == "changes")
        known_by = "exhausted" if rest.course.complete else "bounded"
        verdict = self._shown("fills-gap", rest, known_by)
        if known_by == "bounded":
            verdict.bound = f"{rest.course.depth} steps"
            at_random = f" and of {rest.course.walks:,} plays at random" if rest.course.walks else ""
            verdict.notes.append(f"that no clause is contradicted is known of the first {rest.course.depth} steps{at_random}")
        return verdict

    def _shown(self, word: str, reading: Reading, known_by: str | None) -> Verdict:
        assert reading.parting is not None
        self.told.contradicted = reading.against
        self.told.shown = shown(reading.without, reading.with_, reading.parting)
        verdict = Verdict(word, known_by, engine="lockstep", states=reading.course.states or None, told=self.told)
        verdict.trace = self.told.shown.left
        concerned = (*self.told.clauses, *reading.against.clauses, *self.told.shown.clauses)
        verdict.clauses = tuple(dict.fromkeys(concerned))
        length = reading.course.tell_length(reading.parting)
        if length is not None:
            verdict.notes.append(length)
        self._tell_alone(verdict)
        return verdict

    def _tell_alone(self, verdict: Verdict) -> None:
        if self.told.alone:
            how = "each was looked at alone, or with the one that opens it"
            verdict.notes.append(f"there are more than {MOST_READINGS} settings of the readings; {how}")

    def _unknown(self) -> Verdict:
        r = next(r for r in self.told.readings if r.effect == "unknown")
        verdict = alike_verdict(r.course, self.told, "entailed")
        if self.open_clash:
            verdict = Verdict("unknown", "bounded", engine="lockstep", told=self.told)
            verdict.reason = f"beside the other it changes no play; that neither allows what the other forbids is known of the \
first {self.open_clash}"
        if r.options:
            verdict.reason = f"under {setting_name(r.options)}: {verdict.reason}"
        verdict.reason = (verdict.reason or "").replace("they do not part", "no play is changed")
        return verdict

    def _absent(self) -> Verdict:
        """No clause that is asked about exists under these options."""
        verdict = Verdict("unknown", None, engine="lockstep", told=self.told)
        verdict.clauses = self.told.clauses
        verdict.reason = "under these options there is no such clause"
        found = self._where()
        if found is not None:
            verdict.reason += f"; it exists under {setting_name(found)}"
        return verdict

    def _where(self) -> dict[str, str] | None:
        """The options to be changed for a clause that is asked about to exist, as few as may be."""
        doc, here, players = self.rules.document, self.told.readings[0].with_.setting, self.posed.players
        wanted = [c for c in doc.every_clause() if c.id in self.ids]
        near = [s for i in doc.options for s in varied(doc, [i], here, players)]
        for s in (*near, *every_setting(doc, {}, players)):
            names = names_for(doc, s, players)
            if s != here and any(all(holds(o, names, doc, Diagnostics()) for o in c.only) for c in wanted):
                return {k: v for k, v in s.items() if v != here.get(k)}
        return None

    def _entailed(self) -> Verdict:
        r = self.told.readings[0]
        verdict = Verdict("entailed", weakest(self.told.readings), engine="lockstep", told=self.told)
        verdict.states = r.course.states or None
        verdict.clauses = tuple(dict.fromkeys((*self.told.clauses, *r.course.clauses)))
        self._tell_alone(verdict)
        if r.course.how == "formulas":
            verdict.notes.append("seen in the formulas: with and without it they come to the same")
        r = next(x for x in self.told.readings if any(c in x.with_.clauses for c in self.told.clauses))
        comparing = Comparing(r.without, r.with_, None, self.given)
        seconds = min(WITNESS, max(1.0, self.budget.left() * 0.5))
        speaking = Speaking(r.with_, self.ids, self.ask)
        found = speaking.find(comparing, self.budget.part(seconds))
        if found is None:
            everywhere = comparing.lock.complete or speaking.never
            self.told.silent = (
                "it never says anything: in no reachable position is it broken, or does it take effect"
                if everywhere
                else "no position was found where it is broken or takes effect"
            )
            return verdict
        length = Course(complete=comparing.lock.complete, depth=comparing.lock.depth).tell_length(found)
        if length is not None:
            verdict.notes.append(length)
        self.told.shown = shown(r.without, r.with_, found)
        verdict.trace = self.told.shown.left
        self.told.decided_by = self._deciding(r, found)
        note = self._allows_nothing(r, found)
        if note is not None:
            verdict.notes.append(note)
        verdict.clauses = tuple(dict.fromkeys((*found.names, *self.told.decided_by, *verdict.clauses)))
        return verdict

    def _deciding(self, r: Reading, found: Parting) -> tuple[str, ...]:
        """The clauses that decide the same without these."""
        left = Comparing(r.without, r.with_).lock.left.state(found.pair[0])
        if found.move is None:
            return ()
        told = legality.forbidding(r.without, left, found.move.action, dict(found.move.args))
        return tuple(c for c in told.clauses if c not in self.ids) if not told.legal else (found.move.action,)

    def _allows_nothing(self, r: Reading, found: Parting) -> str | None:
        """What is to be said of an exception that speaks of a move which stays illegal with it."""
        clause = next((c for c in found.names if (x := r.with_.clauses.get(c)) is not None and x.excepts), None)
        if clause is None or found.move is None:
            return None
        there = Comparing(r.without, r.with_).lock.right.state(found.pair[1])
        told = legality.forbidding(r.with_, there, found.move.action, dict(found.move.args))
        if told.legal:
            return None
        return f"with it the move stays illegal, forbidden by {', '.join(told.clauses)}: `{clause}` allows nothing"


def weakest(readings: list[Reading]) -> str:
    """How sure it is of all of them."""
    return "exhausted" if any(r.known_by == "exhausted" for r in readings) else "proved"


def clarifies(rules: Rules, posed: Posed, asked: Asked, budget: Budget) -> Verdict | None:
    """The answer to a question `clarifies`."""
    return Clarifier(rules, posed, asked, budget).answer()
