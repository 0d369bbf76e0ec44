"""Which questions of a rules file are asked, under which settings of its options, for how many players."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from tablelaw.solver.reduce.names import WHERE_IT_PAYS, Wanted
from tablelaw.spec.diagnostics import Diagnostics, did_you_mean
from tablelaw.spec.document import Document, get, items, text, texts
from tablelaw.spec.load import Rules
from tablelaw.spec.settings import Setting, broken, defaults, every_setting, holds, names_for, varied
from tablelaw.spec.yaml_nodes import Mapping, Node, Scalar

if TYPE_CHECKING:
    from tablelaw.solver.verdict import Verdict
    from tablelaw.spec.game import Game

Found = TypeVar("Found", bound="Verdict | None")


class Answers(Protocol):
    """Where an answer may come from instead of being worked out: what was kept, or other machines."""

    def answer(self, about: dict[str, object], game: Game, work: Callable[[], Found]) -> Found | Verdict:
        """The answer to what `about` says of the game, by `work` if not otherwise."""
        ...

    def has(self, about: dict[str, object]) -> bool:
        """Is it there without work?"""
        ...


@dataclass(slots=True)
class Request:
    """What a person asked for."""

    questions: tuple[str, ...] = ()
    setting: Setting = field(default_factory=dict)
    every_option: bool = False
    left_open: tuple[str, ...] = ()
    players: int | None = None
    every_players: bool = False
    engine: str = "auto"
    seconds: float = 0.0
    mebibytes: int = 0
    tell: Callable[[str], None] | None = None
    cores: bool = True
    sample: int = 0
    checkpoint: Path | None = None
    spill: Path | None = None
    disk: int = 0
    kept: Answers | None = None
    """Where answers are kept between runs, or come from; None: each is worked out here."""
    reductions: Wanted = WHERE_IT_PAYS
    explained: bool = False
    """Is it to be told how each answer came about?"""
    both_ways: bool = False
    """Is each answer of a search to be found with all reductions and with none?"""


@dataclass(frozen=True, slots=True)
class Case:
    """A question (or scenario) under one setting, for one number of players."""

    name: str
    setting: tuple[tuple[str, str], ...]
    players: int


class Selection:
    """The questions and settings that a request speaks of."""

    def __init__(self, rules: Rules, request: Request, sink: Diagnostics) -> None:
        self.rules, self.request, self.sink = rules, request, sink

    @property
    def doc(self) -> Document:
        return self.rules.document

    def names(self) -> list[str]:
        """The questions and scenarios to be asked, in the order of the file; unknown names go to the sink."""
        used = {n for q in self.doc.questions.values() if q.kind == "possible" for n in texts(q.node.get("possible"))}
        unwritten = [] if "in-range" in self.doc.questions else ["in-range"]  # last: the author's own questions come first
        known = [*self.doc.questions, *self.doc.scenarios, *unwritten]
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
            for setting, players in self.variations(name):
                yield Case(name, tuple(setting.items()), players)

    def variations(self, name: str) -> Iterator[tuple[Setting, int]]:
        """The settings and numbers of players that one question or scenario is asked under."""
        question, scenario = self.doc.questions.get(name), self.doc.scenarios.get(name)
        node = question.node if question else scenario.node if scenario else None
        own, under, counts = self._own_options(node), self._under(node), self._counts(name, node)
        if own is None or under is None or counts is None:
            return
        fixed = {**self.request.setting, **own}
        onlys = question.only if question else scenario.only if scenario else ()
        for players in counts:
            base = {**defaults(self.doc), **fixed}
            free = [o for o in (*under, *self.request.left_open) if o not in fixed]
            if self.request.every_option:
                settings = every_setting(self.doc, fixed, players)
            else:
                settings = varied(self.doc, list(dict.fromkeys(free)), base, players) if free else [base]
            for setting in settings:
                if all(holds(o, names_for(self.doc, setting, players), self.doc, self.sink) for o in onlys):
                    yield setting, players

    def _own_options(self, node: Mapping | None) -> Setting | None:
        own = {k.text: text(v) for k, v in _entries(node, "options")}
        for key, chosen in own.items():
            option = self.doc.options.get(key)
            if option is None or chosen not in option.names:
                near = did_you_mean(key, self.doc.options) if option is None else did_you_mean(chosen, option.names)
                cure = f"did you mean `{near}`?" if near else "see `tablelaw list` for the options and their values"
                message = f"`{key}: {chosen}` is not an option setting of this game"
                self.sink.error("Q301", node.span if node else None, message, help=cure)
                return None
        return own

    def _under(self, node: Mapping | None) -> list[str] | None:
        found = list(texts(get(node, "under")))
        for option in found:
            if option not in self.doc.options:
                near = did_you_mean(option, self.doc.options)
                cure = f"did you mean `{near}`?" if near else "declare it under `options:`"
                self.sink.error("R209", node.span if node else None, f"no option is called `{option}`", help=cure)
                return None
        return found

    def _counts(self, name: str, node: Mapping | None) -> list[int] | None:
        own = text(get(node, "players"))
        if own.isdecimal():
            if int(own) not in self.rules.counts:
                message = f"`{name}` is asked for {own} players; the game is for {_span(self.rules.counts)}"
                self.sink.error("Q301", node.span if node else None, message, help="choose a number that the game is for")
                return None
            return [int(own)]
        if self.request.players:
            return [self.request.players]
        return list(self.rules.counts) if self.request.every_players else [self.rules.counts[0]]


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
