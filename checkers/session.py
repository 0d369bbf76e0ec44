"""Asks the questions of a rules file: which, under which options, for how many players."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace

from tablelaw.checkers.posed import Posed
from tablelaw.checkers.registry import OfRules, checker
from tablelaw.checkers.result import Result
from tablelaw.checkers.selection import Case, Request, Selection
from tablelaw.checkers.symmetries import tell_broken
from tablelaw.solver import account, evaluate
from tablelaw.solver.engine import Engines
from tablelaw.solver.space.graph import Budget, OutOfBudget, Stopped
from tablelaw.solver.symmetry import BrokenSymmetry
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.document import Document, Question, items, texts
from tablelaw.spec.game import Game
from tablelaw.spec.load import Rules
from tablelaw.spec.operators import Fault
from tablelaw.spec.questions import Asked, Reader
from tablelaw.spec.reckon import value
from tablelaw.spec.settings import Setting, holds
from tablelaw.spec.values import Map

PROVABLE = ("always", "never", "reach", "progress")
VALUES = ("largest", "smallest", "count", "odds", "expected")
IN_RANGE = Asked("in-range", "in-range", None, "No step leaves a range, and every formula has a value.")


class Session:
    """One rules file being asked; games and engines are kept between questions."""

    def __init__(self, rules: Rules, request: Request, sink: Diagnostics) -> None:
        self.rules, self.request, self.sink = rules, request, sink
        self.selection = Selection(rules, request, sink)
        self._games: dict[tuple[tuple[tuple[str, str], ...], int], tuple[Game, Engines, Reader] | None] = {}
        self._open: dict[tuple[str, int], Verdict | None] = {}
        self._settings: dict[tuple[str, int], list[Setting]] = {}
        self._hashes: dict[tuple[str, int], str] = {}
        self._open_games: dict[object, tuple[Game, Engines, Reader] | None] = {}

    @property
    def doc(self) -> Document:
        return self.rules.document

    def game(self, setting: Setting, players: int) -> tuple[Game, Engines, Reader] | None:
        """The checked game with its engines and the reader of its questions; None when it has faults (the sink knows)."""
        key = (tuple(setting.items()), players)
        if key not in self._games:
            game = self.rules.game(setting, players, self.sink)
            self._games[key] = None
            if game is not None:
                r = self.request
                engines = Engines(game, r.engine, r.cores, sample=r.sample, reductions=r.reductions)
                self._games[key] = game, engines, Reader(game, self.sink, evaluate.starts(game)[0])
        return self._games[key]

    # asking

    def check(self) -> bool:
        """Type every question of the cases asked for, so that faults are told before anything runs."""
        for case in self.selection.cases():
            self.asked(case)
        return not self.sink.has_errors

    def asked(self, case: Case) -> tuple[Asked, Engines] | None:
        """The typed question of a case."""
        found = self.game(dict(case.setting), case.players)
        if found is None:
            return None
        _, engines, reader = found
        question: Question | None = self.doc.questions.get(case.name)
        if question is not None:
            asked = reader.question(question)
            return None if asked is None else (asked, engines)
        if case.name == "in-range":
            return IN_RANGE, engines
        scenario = self.doc.scenarios[case.name]
        staged = reader.scenario(scenario)
        if staged is None:
            return None
        return Asked(
            staged.id, "scenario", staged.span, staged.says, staged.cite, given=staged.given, scenarios=(staged,)
        ), engines

    def ask(self, case: Case) -> Result | None:
        """The result of a case; None when the question has a fault (the sink knows)."""
        found = self.asked(case)
        if found is None:
            return None
        asked, engines = found
        try:
            if self.request.kept is None:
                verdict = self._worked_out(case, asked, engines)
            elif self.covered(case) and (whole := self._for_all(case)) is not None:  # kept as what it is: one for all
                verdict = self._broken_start(asked, engines) or whole
            else:
                with account.perhaps_kept() as noticed:
                    work = noticed.marked(lambda: self._worked_out(case, asked, engines))
                    verdict = self.request.kept.answer(self.about(case), engines.game, work)
        except BrokenSymmetry as why:
            self._tell_broken(asked, engines.game, why)
            return None
        except Stopped as stop:
            if isinstance(stop.known, Verdict):
                stop.known = self._result(case, asked, engines, stop.known)
            raise
        return None if verdict is None else self._result(case, asked, engines, verdict)

    def _result(self, case: Case, asked: Asked, engines: Engines, verdict: Verdict) -> Result:
        setting = dict(case.setting)
        game = (verdict.told.game if verdict.told is not None else None) or engines.game
        return Result(asked.id, asked.kind, setting, case.players, verdict, asked.expected, game, asked.says, asked.cite)

    def _worked_out(self, case: Case, asked: Asked, engines: Engines) -> Verdict | None:
        r = self.request
        budget = Budget(r.seconds, r.mebibytes, 0, r.tell, checkpoint=r.checkpoint, spill=r.spill, disk=r.disk)
        answered = checker(asked.kind).of_rules
        if answered is not None:
            return self._of_rules(answered, asked, engines, case, budget)
        return self._broken_start(asked, engines) or self._for_all(case) or self._answer(asked, engines, budget)

    def about(self, case: Case, whole: bool = False) -> dict[str, object]:
        """All that an answer hangs on, but for this program: the rules, the question, how it is asked.

        `whole`: the one proof for all settings that the case is asked under.
        """
        r = self.request
        under: list[object] = [self._covered_hash(case)] if whole else [dict(case.setting), self._covered_hash(case)]
        return {
            "what": "open" if whole else "case", "rules": self.rules.digest, "name": case.name, "players": case.players,
            "under": under, "chosen": sorted(r.setting), "engine": r.engine, "cores": r.cores,
            "reductions": r.reductions.key(),
        }  # fmt: skip

    def covered(self, case: Case) -> list[Setting]:
        """The settings that one proof may be sought for, of which this case is one; none where each is asked alone."""
        if self.request.engine == "explicit" or not (self.request.every_option or self.request.left_open):
            return []
        key = (case.name, case.players)
        if key not in self._settings:
            self._settings[key] = [s for s, players in self.selection.variations(case.name) if players == case.players]
        return self._settings[key] if len(self._settings[key]) > 1 else []

    def _covered_hash(self, case: Case) -> str:
        """Those settings, as a hash: each of many cases is kept under all of them."""
        key = (case.name, case.players)
        if key not in self._hashes:
            self._hashes[key] = hashlib.sha256(json.dumps(self.covered(case), sort_keys=True).encode()).hexdigest()
        return self._hashes[key]

    def _tell_broken(self, asked: Asked, game: Game, why: BrokenSymmetry) -> None:
        """A symmetry that a question names and the rules do not have."""
        assert asked.span is not None
        tell_broken(self.sink, asked.span, game, why, f"that `{asked.id}` counts up to", "up_to")

    def left_open(self, case: Case) -> Result | None:
        """One result for all settings of the options that were left open, marked `*`; None when no one proof covers them."""
        result = self.ask(case) if self._for_all(case) is not None else None
        if result is not None:
            result.options.update(dict.fromkeys(self.request.left_open, "*"))
        return result

    def answers(self, cases: list[Case]) -> Iterator[tuple[int, Case, Result | None]]:
        """The result of every case in turn, each with its number; a case covered by one with options left open has none."""
        covered: set[tuple[str, int]] = set()
        for number, case in enumerate(cases, 1):
            key = (case.name, case.players)
            if key in covered:
                continue
            with account.recording() if self.request.explained else nullcontext() as told:
                result = self.left_open(case) if self.request.left_open else None
                if result is not None:
                    covered.add(key)
                result = result or self.ask(case)
                if result is not None and self.request.both_ways:
                    self._both_ways(case)
            if result is not None:
                result.account = told
            yield number, case, result

    def _both_ways(self, case: Case) -> None:
        """Answer by search with all reductions and with none; an internal fault where the two differ."""
        found = self.asked(case)
        if found is not None and case.name in {*self.doc.questions, "in-range"}:
            asked, engines = found
            engines.both_ways(asked, Budget(self.request.seconds, self.request.mebibytes, 0, self.request.tell))

    def _for_all(self, case: Case) -> Verdict | None:
        """One proof for every setting that the question is asked under, its options left open; None where there is none."""
        key = (case.name, case.players)
        if key not in self._open:
            self._open[key] = None
            settings = self.covered(case)
            if settings:
                self._open[key] = self._open_answer(case, settings)
        found = self._open[key]
        return None if found is None else replace(found, notes=list(found.notes))

    def _open_answer(self, case: Case, settings: list[Setting]) -> Verdict | None:
        found = self.open_question(case, settings)
        if found is None:
            return None
        asked, engines = found
        if self.request.kept is None:
            return self._open_proof(asked, engines, len(settings))
        about = self.about(case, whole=True)
        return self.request.kept.answer(about, engines.game, lambda: self._open_proof(asked, engines, len(settings)))

    def open_question(self, case: Case, settings: list[Setting]) -> tuple[Asked, Engines] | None:
        """The question of all these settings at once, their options left open; None where it cannot be asked so."""
        question = self.doc.questions.get(case.name)
        if case.name != "in-range" and (
            question is None or question.kind not in PROVABLE or question.node.get("given") is not None
        ):
            return None
        whole = (tuple(tuple(s.items()) for s in settings), case.players)
        if whole not in self._open_games:
            game = self.rules.open_game(settings, case.players)
            self._open_games[whole] = None
            if game is not None:
                engines = Engines(game, "symbolic", self.request.cores)
                self._open_games[whole] = game, engines, Reader(game, Diagnostics(), evaluate.starts(game)[0])
        found = self._open_games[whole]
        if found is None:
            return None
        _, engines, reader = found
        asked = IN_RANGE if question is None else reader.question(question)
        return None if asked is None else (asked, engines)

    def alone(self, case: Case, whole: bool = False) -> tuple[Verdict | None, Game] | None:
        """What `ask` works out where nothing was asked before, and the game that it speaks of.

        `whole`: the one proof for all settings, if there is one; else the answer to a case that no such proof covers.
        """
        settings = self.covered(case)
        for key, kept in self._games.items():  # what an engine found for one question would change what it does next
            self._games[key] = None if kept is None else self._anew(*kept)
        for whole_key, kept in self._open_games.items():
            self._open_games[whole_key] = None if kept is None else self._anew(*kept)
        found = self.open_question(case, settings) if whole else self.asked(case)
        if found is None:
            return None
        asked, engines = found
        if whole:
            return self._open_proof(asked, engines, len(settings)), engines.game
        self._open[case.name, case.players] = None
        return self._worked_out(case, asked, engines), engines.game

    def _anew(self, game: Game, engines: Engines, reader: Reader) -> tuple[Game, Engines, Reader]:
        anew = Engines(game, engines.engine, engines.cores, sample=engines.sample, reductions=engines.reductions)
        return game, anew, reader

    def _open_proof(self, asked: Asked, engines: Engines, settings: int) -> Verdict | None:
        seconds = min(self.request.seconds or 60.0, 60.0)
        verdict = engines.ask(asked, Budget(seconds, self.request.mebibytes, 0, self.request.tell))
        if verdict.known_by != "proved" or verdict.trace is not None or verdict.verdict not in ("holds", "fails"):
            return None
        verdict.notes.append(f"one proof for all {settings} settings of the options asked")
        return verdict

    def _of_rules(self, answered: OfRules, asked: Asked, engines: Engines, case: Case, budget: Budget) -> Verdict | None:
        """The answer to a question about several games of these rules; None where one has a fault (the sink knows)."""
        question = self.doc.questions[case.name]
        own = {key.text for key, _ in items(question.node.get("options"))}
        chosen = frozenset({*self.request.setting, *own, *texts(question.node.get("under"))})
        posed = Posed(dict(case.setting), case.players, chosen, self.request.engine, self.sink)
        began = time.monotonic()
        verdict = self._broken_start(asked, engines) or answered(self.rules, posed, asked, budget)
        if verdict is not None:
            verdict.seconds = time.monotonic() - began
        return verdict

    def _answer(self, asked: Asked, engines: Engines, budget: Budget) -> Verdict:
        try:
            return checker(asked.kind).ask(engines, asked, budget)
        except OutOfBudget as spent:
            return Verdict("unknown", reason=f"out of budget: {spent.reason}", engine=engines.engine)

    def _broken_start(self, asked: Asked, engines: Engines) -> Verdict | None:
        """A given position that breaks an invariant of the game is a finding of its own; no value is told of it."""
        if asked.given is None or asked.kind == "possible":
            return None
        name = self.broken_invariant(engines.game, asked.given)
        if name is None:
            return None
        reason = f"the position given breaks `{name}`, so no play leads there"
        if asked.kind in VALUES:
            return Verdict("unknown", reason=reason, engine="evaluate")
        return Verdict("fails", "proved", reason=reason, engine="evaluate")

    def broken_invariant(self, game: Game, state: Map) -> str | None:
        """The first of the game's own invariants of positions that a position breaks."""
        from tablelaw.spec.questions import step_needs

        quiet = Diagnostics()
        reader = Reader(game, quiet, evaluate.starts(game)[0])
        for q in self.doc.questions.values():
            if q.kind not in ("always", "never") or q.node.get("given") is not None or q.node.get("options") is not None:
                continue
            if not all(holds(o, game.names, self.doc, quiet) for o in q.only):
                continue
            asked = reader.question(q)
            if asked is None or asked.formula is None or (asked.expected is not None and asked.expected.verdict != "holds"):
                continue
            looks, counts = step_needs([asked.formula])
            if looks or counts:
                continue
            here = evaluate.place(game, state)
            try:
                good = bool(value(asked.formula, replace(here, names={"actor": None}))) == (q.kind == "always")
            except Fault:
                good = False
            if not good:
                return q.id
        return None
