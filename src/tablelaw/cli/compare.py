"""`tablelaw compare`, two settings or files beside each other; `tablelaw clarify`, what clauses do to the rules."""

from __future__ import annotations

import argparse
import itertools
import time
from dataclasses import dataclass

from tablelaw.checkers.clarify import clarifies
from tablelaw.checkers.compare import Asker, Comparison, compare, setting_name, share_nothing
from tablelaw.checkers.posed import Posed
from tablelaw.checkers.result import Result, exit_status
from tablelaw.checkers.selection import Request
from tablelaw.checkers.session import Session
from tablelaw.cli import watchdog
from tablelaw.cli.common import (
    MOST_SECONDS,
    Progress,
    complain,
    envelope,
    load_rules,
    most_memory,
    read_position,
    setting_of,
)
from tablelaw.report import text
from tablelaw.report.comparing import matrix
from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import State
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.comparing import known_clause
from tablelaw.spec.diagnostics import Diagnostics, did_you_mean
from tablelaw.spec.game import Game
from tablelaw.spec.load import Rules
from tablelaw.spec.questions import Asked, Reader
from tablelaw.spec.settings import Setting, defaults, read_setting, varied
from tablelaw.spec.yaml_nodes import Node

MOST_VALUES = 24
"""So many settings are compared with each other at most."""


@dataclass(slots=True)
class Side:
    """One of what is compared: its rules, its whole setting, and what it is called."""

    rules: Rules
    setting: Setting
    name: str
    game: Game | None = None


class _Compare:
    def __init__(self, args: argparse.Namespace, sink: Diagnostics, progress: Progress) -> None:
        self.args, self.sink, self.progress = args, sink, progress
        self.asks = Asker(args.engine)
        self.node: Node | None = None
        self.players = 0

    def sides(self) -> list[Side]:
        """What is to be compared; faults go to the sink."""
        args, sink = self.args, self.sink
        rules = load_rules(args.spec, sink)
        other = load_rules(args.other, sink) if args.other is not None and not sink.has_errors else None
        if rules is None or (args.other is not None and other is None):
            return []
        files = [rules, other or rules]
        base = [self._base(r, files) for r in files]
        settings = [self._given(words, r) for words, r in zip((args.left, args.right), files, strict=True)]
        self._count(files)
        self.node = read_position(args.at, sink)
        opened = [t.partition("=")[0].strip() for t in args.option if t.partition("=")[2].strip() == "*"]
        if opened and (other is not None or args.left or args.right):
            cure = "leave an option open, or give `--left` and `--right`, or a second file"
            sink.error("Q109", None, "an option left open is compared value by value, with nothing else", help=cure)
        if sink.has_errors:
            return []
        if opened:
            return self._every(rules, base[0], opened)
        if other is None and not args.left and not args.right:
            cure = (
                "give `--left id=value` and `--right id=value`, a second file, or `--option id=*` for each pair of its values"
            )
            sink.error("Q109", None, "there is nothing to compare", help=cure)
            return []
        names = [setting_name(s) for s in settings]
        if other is not None:
            paths = (args.spec, args.other)
            names = [p if n == "the defaults" else f"{p} ({n})" for p, n in zip(paths, names, strict=True)]
        return [Side(r, {**defaults(r.document), **b, **s}, n) for r, b, s, n in zip(files, base, settings, names, strict=True)]

    def _base(self, rules: Rules, files: list[Rules]) -> Setting:
        """The options of `--option` that a file declares; each must be known to one of the files."""
        known = {o for r in files for o in r.document.options}
        kept = argparse.Namespace(**{**vars(self.args), "players": None, "command": "check"})
        mine = [t for t in self.args.option if t.partition("=")[0].strip() in rules.document.options]
        unknown = [t for t in self.args.option if t.partition("=")[0].strip() not in known]
        kept.option = [*mine, *(unknown if rules is files[0] else [])]
        return setting_of(kept, rules, self.sink)

    def _given(self, words: list[str], rules: Rules) -> Setting:
        """`--left a=1,b=2`."""
        pairs = []
        for piece in (p for w in words for p in w.split(",")):
            name, equals, value = piece.partition("=")
            if not equals:
                self.sink.error("Q301", None, f"`{piece}` is not an option setting", help="write `--left id=value`")
                continue
            pairs.append((name.strip(), value.strip()))
        return read_setting(rules.document, pairs, self.sink)

    def _count(self, files: list[Rules]) -> None:
        """The number of players, which both must be for."""
        both = [n for n in files[0].counts if n in files[1].counts]
        wanted = self.args.players
        if wanted is None and both:
            self.players = both[0]
        elif wanted is not None and wanted in both:
            self.players = wanted
        else:
            told = "no number of players suits both files" if wanted is None else f"this is not for {wanted} players"
            counts = ", ".join(map(str, both or files[0].counts))
            self.sink.error("Q301", None, told, help=f"choose from {counts}" if both else "compare games for as many players")

    def _every(self, rules: Rules, base: Setting, opened: list[str]) -> list[Side]:
        whole = {**defaults(rules.document), **base}
        settings = varied(rules.document, opened, whole, self.players)
        if len(settings) > MOST_VALUES:
            cure = "leave fewer options open"
            self.sink.error("Q109", None, f"{len(settings)} settings are too many to compare each with each", help=cure)
            return []
        return [Side(rules, s, setting_name({k: s[k] for k in opened})) for s in settings]

    def ready(self, sides: list[Side]) -> bool:
        """Check the game of each side."""
        for side in sides:
            side.game = side.rules.game(side.setting, self.players, self.sink)
        games = [s.game for s in sides]
        if len(sides) == 2 and games[0] is not None and games[1] is not None and share_nothing(games[0], games[1]):
            cure = "compare files that name their variables, actions and parameters alike"
            self.sink.error("Q126", None, "the two share neither a variable nor an action", help=cure)
        return not self.sink.has_errors and all(g is not None for g in games)

    def given(self, games: tuple[Game, Game]) -> tuple[State, State] | None:
        """The position of `--at`, read in both."""
        if self.node is None:
            return None
        found = [Reader(g, self.sink, evaluate.starts(g)[0]).position(self.node) for g in games]
        left, right = found
        return None if left is None or right is None or self.sink.has_errors else (left, right)

    def result(self, left: Side, right: Side, seconds: float) -> Result | None:
        """One comparison."""
        assert left.game is not None
        assert right.game is not None
        given = self.given((left.game, right.game))
        if self.sink.has_errors:
            return None
        told = Comparison((left.name, right.name), (left.setting, right.setting))
        began = time.monotonic()
        budget = Budget(seconds, self.args.memory or most_memory(), 0, self.progress.tell)
        verdict = compare(left.game, right.game, told, budget, self.asks, given)
        verdict.seconds = time.monotonic() - began
        return Result("same", "same", dict(left.setting), self.players, verdict, None, told.game)


def compare_command(args: argparse.Namespace) -> int:
    """`tablelaw compare`."""
    sink, progress = Diagnostics(), Progress()
    work = _Compare(args, sink, progress)
    sides = work.sides()
    if sink.has_errors or not work.ready(sides):
        return complain(sink)
    pairs = list(itertools.combinations(sides, 2))
    seconds = (args.time or MOST_SECONDS) / max(1, len(pairs)) if len(pairs) > 1 else args.time or MOST_SECONDS
    results: list[Result] = []
    normal = defaults(sides[0].rules.document)
    for left, right in pairs:
        watchdog.again()
        result = work.result(left, right, seconds)
        progress.clear()
        if result is None:
            return complain(sink)
        results.append(result)
        if not args.json:
            print(text.answer(result, normal, len(left.rules.counts) > 1, args.spec, compared=True), flush=True)
    if args.json:
        print(envelope(sides[0].rules, [r.json() for r in results]))
    elif len(results) > 1:
        print(matrix([s.name for s in sides], results))
    elif not results:
        print("there is one setting alone: nothing to compare")
    return exit_status(results)


def clarify_command(args: argparse.Namespace) -> int:
    """`tablelaw clarify`."""
    sink, progress = Diagnostics(), Progress()
    rules = load_rules(args.spec, sink)
    if rules is None:
        return complain(sink)
    setting = setting_of(args, rules, sink)
    questions = [w for w in args.what if w in rules.document.questions]
    clauses = [w for w in args.what if w not in questions]
    known = [q.id for q in rules.document.questions.values() if q.kind == "clarifies"]
    for q in questions:
        if q not in known:
            cure = "`tablelaw check --question` answers it"
            sink.error("Q104", None, f"question `{q}` does not ask what clauses do", help=cure)
    if questions and args.against:
        sink.error("Q109", None, "`--against` goes with clauses, not with questions", help="name the clauses instead")
    if questions and args.at:
        sink.error("Q109", None, "`--at` goes with clauses, not with questions", help="name the clauses instead")
    request = Request(
        tuple(questions), setting, False, (), args.players, False, args.engine, args.time or MOST_SECONDS,
        args.memory or most_memory(), progress.tell,
    )  # fmt: skip
    session = Session(rules, request, sink)
    players = args.players or rules.counts[0]
    found = None if sink.has_errors else session.game({**defaults(rules.document), **setting}, players)
    if found is None:
        return complain(sink)
    game, _, reader = found
    for c in (*clauses, *args.against):
        near = did_you_mean(c, known)
        if near and c not in rules.document.clauses() and not did_you_mean(c, rules.document.clauses()):
            sink.error("Q104", None, f"no question or clause is called `{c}`", help=f"did you mean `{near}`?")
        else:
            known_clause(c, game, sink)
    given = reader.position(read_position(args.at, sink)) if args.at is not None else None
    if sink.has_errors or (questions and not session.check()):
        return complain(sink)
    results: list[Result] = []
    for case in session.selection.cases() if questions else ():
        watchdog.again()
        answer = session.ask(case)
        progress.clear()
        if answer is None:
            return complain(sink)
        results.append(answer)
        _told(args, rules, answer)
    if clauses:
        asked = Asked("clarify", "clarifies", None, given=given, clauses=tuple(clauses), against=tuple(args.against))
        posed = Posed(dict(game.setting), players, frozenset(setting), args.engine, sink)
        watchdog.again()
        began = time.monotonic()
        budget = Budget(request.seconds, request.mebibytes, 0, progress.tell)
        verdict: Verdict | None = clarifies(rules, posed, asked, budget)
        progress.clear()
        if verdict is None:
            return complain(sink)
        verdict.seconds = time.monotonic() - began
        of = (verdict.told.game if verdict.told is not None else None) or game
        results.append(Result("clarify", "clarifies", dict(game.setting), players, verdict, None, of))
        _told(args, rules, results[-1])
    if args.json:
        print(envelope(rules, [r.json() for r in results]))
    elif not results:
        print("nothing to ask under these options")
    return exit_status(results)


def _told(args: argparse.Namespace, rules: Rules, result: Result) -> None:
    if not args.json:
        print(text.answer(result, defaults(rules.document), len(rules.counts) > 1, args.spec), flush=True)
