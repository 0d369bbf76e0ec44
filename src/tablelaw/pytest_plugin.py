"""The pytest plugin: questions and scenarios of rules files as test items.

It is loaded into every run of pytest where this package is installed. So it imports nothing of the package until a file
that looks like a rules file is met, and a YAML file is opened only to look at its first lines.
"""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tablelaw.rulesfile import ENDINGS, looks_like_rules

if TYPE_CHECKING:
    from tablelaw.checkers.result import Result
    from tablelaw.checkers.selection import Case, Request
    from tablelaw.checkers.session import Session
    from tablelaw.spec.load import Rules

FILES = ("*.yaml", "*.yml")
UNKNOWN = ("fail", "skip", "xfail")
SECONDS = 600.0
_OPTIONS = pytest.StashKey[set[str]]()
"""Options that some game has."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the command line, and those of the ini file."""
    group = parser.getgroup("tablelaw", "rules files (tablelaw)")
    group.addoption("--tablelaw-unknown", choices=UNKNOWN, help="what an answer that is not known counts as (default: fail)")
    group.addoption("--tablelaw-time", metavar="SECONDS", help="the most that one answer may take (default: 600)")
    group.addoption("--tablelaw-players", metavar="N", help="the number of players; games for other numbers are skipped")
    group.addoption(
        "--tablelaw-option",
        action="append",
        default=[],
        metavar="ID=VALUE",
        help="set an option of the games that have it (repeatable)",
    )
    parser.addini("tablelaw_unknown", "what an answer that is not known counts as: fail, skip or xfail", default="fail")
    parser.addini("tablelaw_time", "the most seconds that one answer may take", default="")
    parser.addini("tablelaw_players", "the number of players", default="")
    parser.addini("tablelaw_options", "options, ID=VALUE each, for the games that have them", type="args", default=[])
    parser.addini("tablelaw_files", "which files may be rules files, as globs", type="args", default=list(FILES))


def pytest_configure(config: pytest.Config) -> None:
    """Refuse settings that cannot be, before anything is collected."""
    Settings(config)
    known: set[str] = set()
    config.stash[_OPTIONS] = known


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Refuse an option that none of the games has: a slip of the pen would else pass for an answer."""
    known = config.stash[_OPTIONS]
    strange = Settings(config).options.keys() - known
    if strange and any(isinstance(x, RulesItem) for x in items):
        raise pytest.UsageError(f"tablelaw: none of these games has an option `{min(strange)}`")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> RulesFile | None:
    """A file that begins as rules files do, and names a game (a fragment, which others include, does not)."""
    if file_path.suffix not in ENDINGS or not _wanted(file_path, parent.config) or not looks_like_rules(file_path):
        return None
    found: RulesFile = RulesFile.from_parent(parent, path=file_path)
    return found


def _wanted(path: Path, config: pytest.Config) -> bool:
    try:
        below = path.relative_to(config.rootpath).as_posix()
    except ValueError:
        below = path.as_posix()
    return any(fnmatch(below, glob) or fnmatch(path.name, glob) for glob in config.getini("tablelaw_files"))


class Settings:
    """What the command line and the ini file say; the command line goes first. Raises `UsageError`."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.unknown = str(config.getoption("--tablelaw-unknown") or config.getini("tablelaw_unknown"))
        if self.unknown not in UNKNOWN:
            raise pytest.UsageError(f"tablelaw_unknown: `{self.unknown}` is none of {', '.join(UNKNOWN)}")
        self.seconds = self._number("time", float) or SECONDS
        self.players = self._number("players", int)
        self.options = dict(self._pair(x) for x in (*config.getini("tablelaw_options"), *config.getoption("--tablelaw-option")))

    def _number(self, name: str, kind: type[int] | type[float]) -> Any:
        said = str(self.config.getoption(f"--tablelaw-{name}") or self.config.getini(f"tablelaw_{name}") or "")
        if not said:
            return None
        try:
            found = kind(said)
        except ValueError:
            found = 0
        if not 0 < found < 10**9:
            raise pytest.UsageError(f"tablelaw_{name}: `{said}` is not a number above 0")
        return found

    @staticmethod
    def _pair(said: str) -> tuple[str, str]:
        name, equals, chosen = said.partition("=")
        if not equals:
            raise pytest.UsageError(f"tablelaw: `{said}` is not an option setting; write `id=value`")
        return name.strip(), chosen.strip()

    def request(self, rules: Rules) -> Request:
        """What is asked of these rules; a value that one of its options does not have is told to the sink of the caller."""
        from tablelaw.checkers.selection import Request
        from tablelaw.cli.common import most_memory

        own = {k: v for k, v in self.options.items() if k in rules.document.options}
        return Request(setting=own, players=self.players, seconds=self.seconds, mebibytes=most_memory())


class RulesFile(pytest.File):
    """A rules file. What its questions share (games, positions found) is kept while they run, then let go."""

    _kept: Session | None = None

    def collect(self) -> Iterator[RulesItem]:
        """One item for each question and scenario under each setting that it is asked under."""
        session = self.session_of()
        try:
            yield from self._items(session)
        except Exception as fault:
            raise self.CollectError(internal(fault)) from None

    def _items(self, session: Session) -> Iterator[RulesItem]:
        from tablelaw.report.junit import case_name
        from tablelaw.spec.settings import defaults

        doc, fewest = session.doc, session.rules.counts[0]
        for case in session.selection.cases():
            name = case_name(case.name, dict(case.setting), case.players, defaults(doc), fewest)
            item: RulesItem = RulesItem.from_parent(self, name=name, case=case)
            item.extra_keyword_matches.add(doc.game)
            yield item

    def session_of(self) -> Session:
        """The rules ready to be asked; raises a `CollectError` that tells what is wrong with them, or here."""
        if self._kept is None:
            try:
                self._kept = self._opened()
            except (self.CollectError, pytest.UsageError):
                raise
            except Exception as fault:
                raise self.CollectError(internal(fault)) from None
        return self._kept

    def _opened(self) -> Session:
        from tablelaw.checkers.session import Session
        from tablelaw.spec.diagnostics import Diagnostics, render
        from tablelaw.spec.load import check_everywhere, load
        from tablelaw.spec.settings import read_setting

        settings, sink = Settings(self.config), Diagnostics()
        rules, session = load(self._shown(), sink), None
        if rules is not None and not sink.has_errors:
            check_everywhere(rules, sink)
            self.config.stash[_OPTIONS].update(rules.document.options)
            if settings.players is not None and settings.players not in rules.counts:
                pytest.skip(f"this game is not for {settings.players} players", allow_module_level=True)
            request = settings.request(rules)
            read_setting(rules.document, list(request.setting.items()), sink)
            if not sink.has_errors:
                session = Session(rules, request, sink)
                session.check()
        if session is None or sink.has_errors:
            raise self.CollectError("\n".join(render(d) for d in sink.items))
        return session

    def _shown(self) -> str:
        """The path as pytest was started, so that places in diagnostics are as the command line writes them."""
        try:
            return str(self.path.relative_to(self.config.invocation_params.dir))
        except ValueError:
            return str(self.path)

    def teardown(self) -> None:
        """After the last of its items: let go of what was found."""
        self._kept = None


def internal(fault: Exception) -> str:
    """What the command line says where this package itself is at fault, and where: not the whole way there."""
    if isinstance(fault, MemoryError):
        return "error[Q110]: the memory of this machine does not suffice\n  = help: ask for less, or for fewer players"
    at = traceback.extract_tb(fault.__traceback__)[-1:]
    where = f"\n  in `{at[0].name}`, {Path(at[0].filename).name}:{at[0].lineno}" if at else ""
    said = str(fault)[:500]
    return (
        f"internal fault: {type(fault).__name__}{': ' if said else ''}{said}{where}\n"
        "This is a fault of tablelaw, not of the rules. Please report it with the rules file."
    )


class NotAsExpected(Exception):
    """An answer that is not the expected one, or is not known."""

    def __init__(self, told: str) -> None:
        super().__init__(told)
        self.told = told


class RulesItem(pytest.Item):
    """One question or scenario under one setting, for one number of players."""

    def __init__(self, *, case: Case, **more: Any) -> None:
        super().__init__(**more)
        self.case = case

    @property
    def _file(self) -> RulesFile:
        assert isinstance(self.parent, RulesFile)
        return self.parent

    def runtest(self) -> None:
        """Ask; raises `NotAsExpected` with the text of the command line, also where this package itself is at fault."""
        try:
            self._ask()
        except (NotAsExpected, pytest.Collector.CollectError, pytest.UsageError):
            raise
        except Exception as fault:
            raise NotAsExpected(internal(fault)) from None

    def _ask(self) -> None:
        from tablelaw.spec.diagnostics import render

        session = self._file.session_of()
        result = session.ask(self.case)
        if result is None:
            raise NotAsExpected("\n".join(render(d) for d in session.sink.items))
        self._judge(result, session)

    def _judge(self, result: Result, session: Session) -> None:
        from tablelaw.checkers.result import exit_status
        from tablelaw.report.text import answer
        from tablelaw.spec.settings import defaults

        status = exit_status([result])
        if status == 0:
            return
        rules = session.rules
        told = answer(result, defaults(rules.document), len(rules.counts) > 1, rules.path)
        unknown = Settings(self.config).unknown
        if status != 1 and unknown != "fail":
            reason = f"not known: {result.verdict.reason or 'not decided'}"
            (pytest.skip if unknown == "skip" else pytest.xfail)(reason)
        raise NotAsExpected(told)

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """The text of the command line."""
        if isinstance(excinfo.value, NotAsExpected):
            return excinfo.value.told
        if isinstance(excinfo.value, pytest.Collector.CollectError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Where the question stands, if it does not come from an included file."""
        try:
            doc = self._file.session_of().doc
        except pytest.Collector.CollectError:  # it is told where the item is run
            return self.path, None, f"{self._file.name}: {self.name}"
        asked = doc.questions.get(self.case.name) or doc.scenarios.get(self.case.name)
        line = None
        if asked is not None and Path(asked.span.source.name).name == self.path.name:
            line = asked.span.source.position(asked.span.start)[0] - 1
        return self.path, line, f"{self._file.name}: {self.name}"
