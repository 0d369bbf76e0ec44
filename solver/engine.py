"""Which engine answers: search, z3, or both where that is cheap. The only module that knows them all."""

from __future__ import annotations

import ctypes
import time
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING, TypeVar
from weakref import WeakSet

from tablelaw.solver import account
from tablelaw.solver.boarded import has_board, keeps_places, never_falls
from tablelaw.solver.breadth import too_broad
from tablelaw.solver.effort import ENDLESS, within
from tablelaw.solver.mutate import clauses, without
from tablelaw.solver.native.compiler import compiler
from tablelaw.solver.reduce.names import WHERE_IT_PAYS, Wanted
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget, Met, OutOfBudget, Stopped
from tablelaw.solver.verdict import InternalFault, Verdict
from tablelaw.spec.game import Action, Game
from tablelaw.spec.questions import Asked, Staged

if TYPE_CHECKING:
    from tablelaw.solver.boards import Boards
    from tablelaw.solver.explicit.engine import Explicit
    from tablelaw.solver.symbolic.engine import Symbolic

ENGINES = ("auto", "explicit", "symbolic")
SEARCH_ONLY = {"count", "force", "always-after"}
PROVABLE = {"always", "never", "reach", "progress", "in-range"}
FIRST_STATES, FIRST_SECONDS = 30_000, 2.0
SECOND_STATES, SECOND_SECONDS = 400_000, 20.0
LATER_STATES, LATER_SECONDS = 4_000, 0.5  # once the space is known to be large
SOON_PROOF = 2.0
SOON_STATES, SOON_SECONDS = 30_000_000, 20.0  # of compiled search
BEFORE_PROOF, BEFORE_SECONDS = 1_000_000, 5.0
"""A largest or smallest value, for which z3 has to prove one thing after the other, is first looked for in so many states."""
BOTH_BELOW = 2_000
FIRST_PLAY, FIRST_OPEN_PLAY = 10.0, 2.0
FIRST_CHAIN, FIRST_CHAIN_STATES = 12.0, 200_000
AFTER_REFUSAL = 20.0  # for z3, where the graph was listed and gave no answer
CHEAP_SECONDS = 4.0
MOST_DIGITS = 20
SAMPLE_REACH, SAMPLE_BROKEN, SAMPLE_LAST = 20.0, 3.0, 60.0
"""Seconds for plays at random: on boards where a play is asked for, where one would be a surprise, and as the last resort."""


@dataclass(slots=True)
class Engines:
    """The engines of one game, kept so that questions share what was found."""

    game: Game
    engine: str = "auto"
    cores: bool = True
    large: bool = False
    huge: bool = False
    sample: int = 0
    """Where nothing else answers, so many plays at random do (0: none)."""
    reductions: Wanted = WHERE_IT_PAYS
    _boards: Boards | None = None
    _explicit: Explicit | None = None
    _symbolic: Symbolic | None = None
    _without: dict[str, Engines] = field(default_factory=dict)

    @property
    def explicit(self) -> Explicit:
        if self._explicit is None:
            from tablelaw.solver.explicit.engine import Explicit

            self._explicit = Explicit(self.game, self.reductions)
        return self._explicit

    @property
    def symbolic(self) -> Symbolic:
        if self._symbolic is None:
            from tablelaw.solver.symbolic.engine import Symbolic

            self._symbolic = Symbolic(self.game)
        return self._symbolic

    @property
    def boards(self) -> Boards:
        if self._boards is None:
            from tablelaw.solver.boards import Boards

            self._boards = Boards(
                self.game, lambda game: Engines(game, self.engine, self.cores, reductions=self.reductions), self.cores
            )
        return self._boards

    # one engine, and what came of it

    def _search(self, asked: Asked, budget: Budget) -> Verdict:
        with account.trying("search") as tried:
            return _noted(tried, self.explicit.ask(asked, budget))

    def _prove(self, asked: Asked, budget: Budget, seconds: float = ENDLESS) -> Verdict:
        if budget.tell:
            budget.tell("z3 is looking for a proof")
        with account.trying("z3") as tried:
            return _noted(tried, self.symbolic.ask(asked, budget, seconds))

    def _with_boards(self, asked: Asked, budget: Budget) -> Verdict:
        with account.trying("boards left open") as tried:
            return _noted(tried, self.boards.ask(asked, budget))

    def _chain(self, asked: Asked, budget: Budget) -> Verdict:
        from tablelaw.solver.chance.engine import Chance

        with account.trying("chain of all positions") as tried:
            return _noted(tried, Chance(self.game).ask(asked, budget))

    def ask(self, asked: Asked, budget: Budget) -> Verdict:
        """The verdict on a question; `unknown` with a reason when the budget does not suffice."""
        began = time.monotonic()
        broad = too_broad(self.game)
        if broad is not None:
            return Verdict("unknown", reason=broad, engine=self.engine)
        budget = replace(budget, searched=WeakSet(), deep=[])
        try:
            verdict = self._ask(asked, budget.part(budget.left() * 0.6) if self.sample and budget.seconds else budget)
            bare = verdict.trace is None and not verdict.weighed
            if self.cores and verdict.verdict in ("holds", "fails") and bare and asked.kind in PROVABLE:
                with account.recording():  # what is tried there is of other rules
                    verdict.clauses = tuple(self.rests_on(asked, verdict, within(budget, 20.0)))
        except OutOfBudget as spent:
            verdict = Verdict("unknown", reason=f"out of budget: {spent.reason}", engine=self.engine)
        except Unlowerable as why:
            verdict = Verdict("unknown", reason=str(why), engine=self.engine)
        except RecursionError:
            verdict = Verdict("unknown", reason="the rules are nested too deeply for this engine", engine=self.engine)
        except KeyboardInterrupt:
            verdict = Verdict("unknown", reason="stopped", engine=self.engine, seconds=time.monotonic() - began)
            self._add_so_far(asked, verdict, budget)
            raise Stopped(verdict) from None
        if verdict.verdict == "unknown":
            self._add_so_far(asked, verdict, budget)
        if self.sample and verdict.verdict == "unknown":
            verdict = self._as_sampled(asked, verdict, budget)
        verdict.seconds = time.monotonic() - began
        return verdict

    def both_ways(self, asked: Asked, budget: Budget) -> None:
        """Search with all reductions and with none, and note what comes of it. Raises `InternalFault` where the two differ."""
        from tablelaw.solver.explicit.both_ways import both_ways

        both_ways(self.game, asked, budget)

    def _add_so_far(self, asked: Asked, verdict: Verdict, budget: Budget) -> None:
        """What a search that was stopped had found."""
        if self._explicit is not None:
            self._explicit.so_far(asked, verdict, budget)

    def _as_sampled(self, asked: Asked, found: Verdict, budget: Budget) -> Verdict:
        """What so many plays at random show; where none shows anything, that is the answer, known no further than by them."""
        from tablelaw.solver.sampled import KINDS, NAME, Sample
        from tablelaw.solver.sampling import LIMIT

        if asked.kind not in KINDS:
            return found
        sample = Sample(self.game, asked, whole=True)
        try:
            shown = sample.ask(budget, self.sample)
        except (OutOfBudget, Unlowerable, RecursionError):
            return found
        if shown is not None or not sample.played:
            return shown or found
        word = "fails" if asked.kind == "reach" else "holds"
        notes = [f"nothing else answered: {found.reason}"] if found.reason else []
        cut = f", {sample.cut:,} of them cut after {LIMIT:,} steps" if sample.cut else ""
        return Verdict(word, "sampled", bound=f"{sample.played:,} plays{cut}", engine=NAME, notes=notes)

    def _played(self, asked: Asked, budget: Budget) -> tuple[Verdict | None, int]:
        """A play at random that answers, if one comes up, and how many were played; not of games derived from others."""
        from tablelaw.solver.sampled import KINDS, Sample

        if asked.kind not in KINDS or self._derived:
            return None, 0
        sample = Sample(self.game, asked)
        try:
            with account.trying("plays at random") as tried:
                found = _noted(tried, sample.ask(budget))
                tried.text = f"{sample.played:,} plays, {tried.text}"
            return found, sample.played
        except (OutOfBudget, Unlowerable, RecursionError):
            return None, sample.played

    def _ask(self, asked: Asked, budget: Budget) -> Verdict:
        if self.engine == "explicit":
            return self._search(asked, budget)
        if self.engine == "symbolic":
            return self._with_boards(asked, budget) if has_board(self.game) else self._prove(asked, budget)
        if asked.kind == "always-after" and has_board(self.game):
            return self._leads_to(asked, budget)
        if asked.kind in SEARCH_ONLY:
            return self._search(asked, budget)
        if asked.kind == "smallest" and asked.formula is not None and never_falls(self.game, asked.formula):
            return self._search(asked, budget)  # positions with small values first: nothing else is as sure
        spent = ""
        try:
            first = (LATER_SECONDS, LATER_STATES) if self.large else (FIRST_SECONDS, FIRST_STATES)
            found = self._search(asked, budget.part(*first))
            self._compare(asked, found, budget)
            return found
        except OutOfBudget as over:
            spent, self.large = over.reason, True
            budget.check()
        except Unlowerable as why:
            spent = str(why)
        if asked.kind == "terminates" and asked.measure is not None and has_board(self.game):
            lowered = self._by_steps(asked, budget.part(budget.left() * 0.5))
            if lowered is not None:
                return lowered
        if asked.kind == "terminates" and not spent.startswith("the rules"):
            try:
                return self._search(asked, budget.part(min(SECOND_SECONDS, budget.left() * 0.3), SECOND_STATES))
            except (OutOfBudget, Unlowerable):
                budget.check()
        if not (has_board(self.game) or self.huge or self._derived) and compiler() is not None:
            soon = self._soon(asked, budget)
            if soon is not None:
                return soon
        if has_board(self.game):
            with account.trying("boards at once") as tried:
                at_once = self.boards.at_once(asked, budget)
                _noted(tried, at_once)
            if at_once is not None:
                return at_once
        if has_board(self.game) and asked.kind != "in-range":
            most_seconds = SAMPLE_REACH if asked.kind == "reach" else SAMPLE_BROKEN
            shown, _ = self._played(asked, budget.part(min(most_seconds, budget.left() * 0.1)))
            if shown is not None:
                return shown
        seconds = budget.left()
        most = budget.part(seconds * 0.7) if seconds != float("inf") else budget
        found = self._beyond(asked, most)
        if found.verdict != "unknown":
            return found
        budget.check()
        shown, played = self._played(asked, budget.part(min(SAMPLE_LAST, budget.left() * 0.5)))
        if shown is not None:
            return shown
        if played:
            found.reason = f"{found.reason}; none of {played:,} plays at random showed one"
        if asked.kind == "terminates" or budget.seconds or budget.states:
            try:
                return self._search(asked, budget)
            except OutOfBudget as second:
                found.reason = f"{found.reason}; search: {second.reason}"
                return found
        found.reason = f"{found.reason}; search: {spent}"
        return found

    def _soon(self, asked: Asked, budget: Budget) -> Verdict | None:
        """By a quick proof, else by compiled search: z3 may think long about what millions of states show in seconds."""
        if asked.kind in ("largest", "smallest"):
            try:
                return self._search(asked, budget.part(min(BEFORE_SECONDS, budget.left() * 0.1), BEFORE_PROOF))
            except (OutOfBudget, Unlowerable):
                budget.check()
        try:
            found = self._prove(asked, budget, min(SOON_PROOF, budget.left() * 0.1))
            if found.verdict != "unknown":
                return found
        except (OutOfBudget, Unlowerable):
            budget.check()
        try:
            return self._search(asked, budget.part(min(SOON_SECONDS, budget.left() * 0.3), SOON_STATES))
        except (OutOfBudget, Unlowerable):
            self.huge = True
            budget.check()
        return None

    @property
    def _derived(self) -> bool:
        """Is the game made from another one, to prove something of that?"""
        return self.game.origin is not None or bool(self.game.left_open)

    def _beyond(self, asked: Asked, budget: Budget) -> Verdict:
        """The verdict of what needs no list of all states."""
        if not has_board(self.game):
            return self._prove(asked, budget)
        if keeps_places(self.game):  # which a projection cannot tell
            proved = self._by_steps(asked, budget.part(budget.left() * 0.6))
            if proved is not None:
                return proved
        try:
            found = self._with_boards(asked, budget)
        except Unlowerable as why:
            found = Verdict("unknown", reason=str(why))
        if found.verdict == "unknown" and not keeps_places(self.game):
            return self._by_steps(asked, budget) or found
        return found

    def _by_steps(self, asked: Asked, budget: Budget) -> Verdict | None:
        """What is shown of each step with the board left open; None where nothing is, or the time is over."""
        try:
            with account.trying("each step, with the board left open") as tried:
                return _noted(tried, self.boards.by_induction(asked, budget))
        except OutOfBudget:
            return None

    def _leads_to(self, asked: Asked, budget: Budget) -> Verdict:
        """`always-after` on a board: the search where it is short, else what each next step brings about."""
        try:
            return self._search(asked, budget.part(FIRST_SECONDS, FIRST_STATES))
        except (OutOfBudget, Unlowerable):
            budget.check()
        found = self.boards.at_once(asked, budget) or self._by_steps(asked, budget.part(budget.left() * 0.6))
        return found if found is not None else self._search(asked, budget)

    def _compare(self, asked: Asked, found: Verdict, budget: Budget) -> None:
        """Where both engines are cheap, both answer; when they differ, nothing is answered."""
        if has_board(self.game):
            return
        if asked.kind not in PROVABLE or found.verdict == "unknown" or (found.states or 0) > BOTH_BELOW:
            return
        try:
            other = self._prove(asked, budget, 1.5)
        except (OutOfBudget, Unlowerable):
            return
        if other.verdict not in ("unknown", found.verdict):
            raise InternalFault(f"search says {found.verdict}, z3 says {other.verdict} to `{asked.id}`")
        if other.verdict == found.verdict:
            found.engine = "explicit+symbolic"
            if other.known_by == "proved" and found.known_by == "exhausted" and found.trace is None:
                found.known_by = "proved"

    def figure(self, asked: Asked, budget: Budget) -> Verdict:
        """A probability, an expectation, or that the play ends almost surely."""
        began = time.monotonic()
        budget = replace(budget, met=Met())
        try:
            verdict = self._surely(asked, budget) if asked.kind == "terminates" else self._chain(asked, budget)
        except (OutOfBudget, MemoryError) as spent:
            why = spent.reason if isinstance(spent, OutOfBudget) else "the memory is used up"
            verdict = Verdict("unknown", reason=f"out of budget: {why}", engine=self.engine)
            _chain_so_far(verdict, budget.met)
        except Unlowerable as why_not:
            verdict = Verdict("unknown", reason=str(why_not), engine=self.engine)
        except (KeyboardInterrupt, ctypes.ArgumentError) as stop:
            if isinstance(stop, ctypes.ArgumentError) and "KeyboardInterrupt" not in str(stop):
                raise
            verdict = Verdict("unknown", reason="stopped", engine=self.engine, seconds=time.monotonic() - began)
            _chain_so_far(verdict, budget.met)
            raise Stopped(verdict) from None
        verdict.seconds = time.monotonic() - began
        return verdict

    def _surely(self, asked: Asked, budget: Budget) -> Verdict:
        """By the whole graph where it is small, else by a measure."""
        if self.engine == "explicit":
            return self._chain(asked, budget)
        spent, refused = "", None
        if self.engine == "auto":
            try:
                found = self._chain(asked, budget.part(FIRST_CHAIN, FIRST_CHAIN_STATES))
                if found.verdict != "unknown":
                    return found
                refused = found
            except (OutOfBudget, Unlowerable) as why:
                spent = str(why)
                budget.check()
        if has_board(self.game):
            try:
                found = self.boards.ends_surely(asked, budget.part(budget.left() * 0.8))
                if found.verdict != "unknown" or not spent:
                    return found if found.verdict != "unknown" else refused or found
            except (OutOfBudget, Unlowerable):
                budget.check()
            return refused or self._chain(asked, budget)
        if refused is not None:
            try:
                found = self._prove(asked, budget, min(AFTER_REFUSAL, budget.left()))
            except OutOfBudget:
                return refused
            return refused if found.verdict == "unknown" else found
        if not spent:
            return self._prove(asked, budget)
        share = 0.6 if asked.measure is not None else 0.4
        try:
            found = self._prove(asked, budget.part(budget.left() * share))
            if found.verdict != "unknown":
                return found
        except OutOfBudget:
            budget.check()
        return self._chain(asked, budget)

    # plays

    def run_scenario(self, scenario: Staged, budget: Budget) -> Verdict:
        """Does the play of a scenario go as written?"""
        from tablelaw.solver import plays

        began = time.monotonic()
        broad = too_broad(self.game)
        if broad is not None:
            return Verdict("unknown", reason=broad, engine=self.engine)
        verdict = plays.run_scenario(self.game, scenario, budget)
        verdict.seconds = time.monotonic() - began
        return verdict

    def find_play(self, asked: Asked, scenario: Staged, budget: Budget) -> Verdict:
        """Does some play from the start fit the scenario?"""
        from tablelaw.solver import plays

        began = time.monotonic()
        broad = too_broad(self.game)
        if broad is not None:
            return Verdict("unknown", reason=broad, engine=self.engine)
        if has_board(self.game):
            verdict = self._play_on_board(asked, scenario, budget)
        elif self.engine != "explicit":
            from tablelaw.solver.symbolic.plays import find_play

            verdict = find_play(self.symbolic, asked, scenario, budget)
            if verdict.verdict == "unknown" and self.engine == "auto":
                verdict = plays.find_play(self.game, scenario, budget)
        else:
            verdict = plays.find_play(self.game, scenario, budget)
        verdict.seconds = time.monotonic() - began
        return verdict

    def _play_on_board(self, asked: Asked, scenario: Staged, budget: Budget) -> Verdict:
        """By the evaluator's own search where that is quick, else with the board left open first."""
        from tablelaw.solver import plays

        if self.engine != "symbolic":
            try:
                loose = any(line.anything for line in scenario.lines)
                seconds = FIRST_OPEN_PLAY if loose else max(FIRST_PLAY, min(budget.left(), 600.0) * 0.6)
                first = budget if self.engine == "explicit" else budget.part(seconds)
                return plays.find_play(self.game, scenario, first)
            except OutOfBudget:
                budget.check()
                if self.engine == "explicit":
                    raise
        try:
            return self.boards.find_play(asked, scenario, budget)
        except Unlowerable as why:
            return Verdict("unknown", reason=str(why), engine=self.engine)

    # what an answer rests on

    def rests_on(self, asked: Asked, verdict: Verdict, budget: Budget) -> list[str]:
        """The clauses an answer rests on: without any one of them, and all others in force, the answer is another.

        Every such clause is in each core of a proof, so that only the clauses of a core are tried. Where no single one
        is needed, the core itself is told.
        """
        names = clauses(self.game)
        core: list[str] | None = None
        if verdict.evidence and verdict.evidence.get("kind") == "invariant" and verdict.engine == "symbolic":
            core = self._core(asked, verdict, budget)
            names = names if core is None else core
        elif (verdict.seconds or 0.02) * len(names) > CHEAP_SECONDS or (verdict.states or 0) > 5_000:
            return []
        needed: list[str] = []
        for name in names:
            try:
                budget.check()
                answer = self._stripped(name).quick(asked, budget.part(4.0))
            except (OutOfBudget, Unlowerable):
                continue
            if answer not in (verdict.verdict, "unknown"):
                needed.append(name)
        rest = [c for c in core or () if c not in needed]
        if not needed and rest:
            verdict.notes.append("no single one of these clauses was found to be needed alone")
            return rest
        if rest:
            verdict.notes.append("the proof found also uses " + ", ".join(rest))
        return needed

    def _stripped(self, clause: str) -> Engines:
        """The engines of the game without a clause, kept for other questions."""
        if clause not in self._without:
            game = without(self.game, clause)
            self._without[clause] = Engines(game, self.engine, cores=False, reductions=self.reductions)
        return self._without[clause]

    def quick(self, asked: Asked, budget: Budget) -> str:
        """The bare verdict; unknown when it does not come quickly."""
        try:
            if self.engine != "symbolic":
                try:
                    return self.explicit.ask(asked, budget.part(0.6, 4_000)).verdict
                except OutOfBudget:
                    budget.check()
            self.symbolic.patience = 0.0
            return self.symbolic.ask(asked, budget).verdict
        except OutOfBudget:
            return "unknown"

    def _core(self, asked: Asked, verdict: Verdict, budget: Budget) -> list[str] | None:
        from tablelaw.solver.symbolic.cores import core

        machine = verdict.evidence["machine"] if verdict.evidence else None
        if machine is None:
            return None
        return core(self.symbolic, asked, machine.lemmas, machine.row, budget.part(10.0))  # type: ignore[attr-defined]


Found = TypeVar("Found", bound=Verdict | None)


def _noted(tried: account.Entry, found: Found) -> Found:
    """What an engine found, told in the entry that it was tried in."""
    if found is None:
        tried.text = "shows nothing"
    elif found.verdict == "unknown":
        tried.text = f"not decided: {found.reason}" if found.reason else "not decided"
    else:
        states = f", {found.states:,} positions" if found.states else ""
        tried.text = f"{_short(found.value) if found.value else found.verdict} ({found.known_by or 'answered'}{states})"
        if found.interval is not None:
            tried.text += f", from {float(Fraction(found.interval[0])):.12g} to {float(Fraction(found.interval[1])):.12g}"
    return found


def _short(value: str) -> str:
    """A value, of a long fraction its beginning and how long it is."""
    digits = sum(c.isdigit() for c in value)
    return value if digits <= MOST_DIGITS else f"{value[:MOST_DIGITS]}… (a fraction of {digits:,} digits)"


def _rounded(x: Fraction, up: int) -> str:
    """A bound with nine decimals, rounded so that it still holds."""
    return f"{float(Fraction(up * (up * x * 10**9).__ceil__(), 10**9)):.9f}"


def _chain_so_far(verdict: Verdict, met: Met) -> None:
    """Add to an `unknown` what is known of a figure."""
    if met.low is not None and met.high is not None:
        verdict.reason = f"{verdict.reason}; so far from {_rounded(met.low, -1)} to {_rounded(met.high, 1)}"
    elif met.positions and "positions met" not in (verdict.reason or ""):
        verdict.reason = f"{verdict.reason}; {met.positions:,} positions of its chain met"
    verdict.states = verdict.states or met.positions or None


def same_effects(game: Game, left: Action, right: Action, budget: Budget) -> bool:
    """Do two actions do the same with the same arguments and draws, in any position? False: it could not be shown."""
    from tablelaw.solver.symbolic.open.same_effects import same_effects as shown

    try:
        return shown(game, left, right, budget)
    except (OutOfBudget, Unlowerable, RecursionError):
        return False


def generated_source(game: Game) -> str:
    """The Python source of the search: the successors of a packed position. Raises `Unlowerable`."""
    from tablelaw.solver.lower import lower
    from tablelaw.solver.space.generate import successor_source

    model, _ = lower(game, unroll=True)
    return successor_source(model)


def chain_texts(game: Game, asked: Asked, form: str, notes: list[str], budget: Budget, known: bool) -> dict[str, str] | str:
    """The chain of a question of chance for a model checker, as texts by the endings of their files; or why there is none."""
    from tablelaw.solver.chance.graph import Refused
    from tablelaw.solver.chance.prism import texts

    try:
        return texts(game, asked, form, notes, budget, known)
    except OutOfBudget as spent:
        return f"out of budget: {spent.reason}"
    except (Refused, Unlowerable) as why:
        return str(why)
