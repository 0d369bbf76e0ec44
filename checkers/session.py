"""Asks the questions of a rules file: which, under which options, for how many players."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from tablelaw.checkers.registry import checker
from tablelaw.checkers.result import Result
from tablelaw.solver import evaluate
from tablelaw.solver.engine import Engines
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.diagnostics import Diagnostics, did_you_mean
from tablelaw.spec.document import Document, Question, get, items, text, texts
from tablelaw.spec.game import Game
from tablelaw.spec.load import Rules
from tablelaw.spec.operators import Fault
from tablelaw.spec.questions import Asked, Reader
from tablelaw.spec.reckon import value
from tablelaw.spec.settings import Setting, broken, defaults, every_setting, holds, names_for, varied
from tablelaw.spec.values import Map
from tablelaw.spec.yaml_nodes import Node, Scalar


PROVABLE = ("always", "never", "reach", "progress")
IN_RANGE = Asked("in-range", "in-range", None, "No step leaves a range, and every formula has a value.")


@dataclass(slots=True)
class Request:
    """What a person asked for."""

    questions: tuple[str, ...] = ()
    setting: Setting = field(default_factory=dict)
    every_option: bool = False
    players: int | None = None
    every_players: bool = False
    engine: str = "auto"
    seconds: float = 0.0
    mebibytes: int = 0
    tell: Callable[[str], None] | None = None
    cores: bool = True


@dataclass(frozen=True, slots=True)
class Case:
    """A question (or scenario) under one setting, for one number of players."""

    name: str
    setting: tuple[tuple[str, str], ...]
    players: int


class Session:
    """One rules file being asked; games and engines are kept between questions."""

    def __init__(self, rules: Rules, request: Request, sink: Diagnostics) -> None:
        self.rules, self.request, self.sink = rules, request, sink
        self._games: dict[tuple[tuple[tuple[str, str], ...], int], tuple[Game, Engines, Reader] | None] = {}
        self._open: dict[tuple[str, int], Verdict | None] = {}
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
                engines = Engines(game, self.request.engine, self.request.cores)
                self._games[key] = game, engines, Reader(game, self.sink, evaluate.starts(game)[0])
        return self._games[key]

    # which

    def names(self) -> list[str]:
        """The questions and scenarios to be asked, in the order of the file; unknown names go to the sink."""
        used = {n for q in self.doc.questions.values() if q.kind == "possible" for n in texts(q.node.get("possible"))}
        known = [*(["in-range"] if "in-range" not in self.doc.questions else []), *self.doc.questions, *self.doc.scenarios]
        for name in self.request.questions:
            if name not in known:
                near = did_you_mean(name, known)
                cure = f"did you mean `{near}`?" if near else "`tablelaw list` shows the questions of a rules file"
                self.sink.error("Q108", None, f"no question or scenario is called `{name}`", help=cure)
        if self.request.questions:
            return [n for n in self.request.questions if n in known]
        return [n for n in known if n not in used or n in self.doc.questions]

    def cases(self) -> Iterator[Case]:
        """Every question with every setting and number of players asked for."""
        for name in self.names():
            for setting, players in self._variations(name):
                yield Case(name, tuple(setting.items()), players)

    def _variations(self, name: str) -> Iterator[tuple[Setting, int]]:
        question = self.doc.questions.get(name)
        scenario = self.doc.scenarios.get(name)
        node = question.node if question else scenario.node if scenario else None
        own = {k.text: text(v) for k, v in _entries(node, "options")}
        for key, chosen in list(own.items()):
            if key not in self.doc.options or chosen not in [v.name for v in self.doc.options[key].values]:
                near = did_you_mean(key if key not in self.doc.options else chosen, self.doc.options)
                self.sink.error(
                    "Q301",
                    node.span if node else None,
                    f"`{key}: {chosen}` is not an option setting of this game",
                    help=f"did you mean `{near}`?" if near else None,
                )
                return
        fixed = {**self.request.setting, **own}
        fixed_players = text(node.get("players")) if node is not None else ""
        counts = (
            [self.request.players]
            if self.request.players
            else list(self.rules.counts)
            if self.request.every_players
            else [self.rules.counts[0]]
        )
        if fixed_players.isdigit():
            counts = [int(fixed_players)]
            if counts[0] not in self.rules.counts:
                self.sink.error(
                    "Q301",
                    node.span if node else None,
                    f"`{name}` is asked for {counts[0]} players; the game is for {_span(self.rules.counts)}",
                )
                return
        under = list(texts(node.get("under"))) if node is not None else []
        for option in under:
            if option not in self.doc.options:
                near = did_you_mean(option, self.doc.options)
                self.sink.error(
                    "R209",
                    node.span if node else None,
                    f"no option is called `{option}`",
                    help=f"did you mean `{near}`?" if near else None,
                )
                return
        for players in counts:
            base = {**defaults(self.doc), **fixed}
            if self.request.every_option:
                settings = every_setting(self.doc, fixed, players)
            elif free := [o for o in under if o not in fixed]:
                settings = varied(self.doc, free, base, players)
            else:
                settings = [base]
            for setting in settings:
                onlys = question.only if question else scenario.only if scenario else ()
                if all(holds(o, names_for(self.doc, setting, players), self.doc, self.sink) for o in onlys):
                    yield setting, players

    # asking

    def check(self) -> bool:
        """Type every question of the cases asked for, so that faults are told before anything runs."""
        for case in self.cases():
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
        budget = Budget(self.request.seconds, self.request.mebibytes, 0, self.request.tell)
        verdict = self._broken_start(asked, engines) or self._for_all(case) or self._answer(asked, engines, budget)
        return Result(
            asked.id,
            asked.kind,
            dict(case.setting),
            case.players,
            verdict,
            asked.expected,
            engines.game,
            asked.says,
            asked.cite,
        )

    def _for_all(self, case: Case) -> Verdict | None:
        """One proof for every setting that the question is asked under, its options left open; None where there is none."""
        key = (case.name, case.players)
        if key not in self._open:
            self._open[key] = None
            settings = [s for s, players in self._variations(case.name) if players == case.players]
            if len(settings) > 1 and self.request.engine != "explicit":
                self._open[key] = self._open_answer(case, settings)
        found = self._open[key]
        return None if found is None else replace(found, notes=list(found.notes))

    def _open_answer(self, case: Case, settings: list[Setting]) -> Verdict | None:
        question = self.doc.questions.get(case.name)
        if case.name != "in-range" and (question is None or question.kind not in PROVABLE or question.node.get("given") is not None):
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
        if asked is None:
            return None
        seconds = min(self.request.seconds or 60.0, 60.0)
        verdict = engines.ask(asked, Budget(seconds, self.request.mebibytes, 0, self.request.tell))
        if verdict.known_by != "proved" or verdict.trace is not None or verdict.verdict not in ("holds", "fails"):
            return None
        verdict.notes.append(f"one proof for all {len(settings)} settings of the options asked")
        return verdict

    def _answer(self, asked: Asked, engines: Engines, budget: Budget) -> Verdict:
        try:
            return checker(asked.kind).ask(engines, asked, budget)
        except OutOfBudget as spent:
            return Verdict("unknown", reason=f"out of budget: {spent.reason}", engine=engines.engine)

    def _broken_start(self, asked: Asked, engines: Engines) -> Verdict | None:
        """A given position that breaks an invariant of the game is a finding of its own."""
        if asked.given is None or asked.kind == "possible":
            return None
        name = self.broken_invariant(engines.game, asked.given)
        if name is None:
            return None
        return Verdict(
            "fails", "proved", reason=f"the position given breaks `{name}`, so no play leads there", engine="evaluate"
        )

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


def _entries(node: Node | None, key: str) -> list[tuple[Scalar, Node]]:
    return items(get(node, key))


def _span(counts: range) -> str:
    return str(counts[0]) if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"


def other_settings(rules: Rules, setting: Setting, players: int, most: int = 96) -> list[Setting]:
    """Settings to compare with: every combination where there are few, else each option changed alone."""
    doc = rules.document
    every = every_setting(doc, {o.id: setting[o.id] for o in doc.options.values() if o.kind == "study"}, players)
    if len(every) <= most:
        return [s for s in every if s != setting]
    quiet = Diagnostics()
    found = []
    for o in doc.options.values():
        for v in o.values:
            changed = {**setting, o.id: v.name}
            if o.kind != "study" and v.name != setting[o.id] and broken(doc, changed, players, quiet) is None:
                found.append(changed)
    return found
