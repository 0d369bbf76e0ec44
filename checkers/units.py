"""Pieces of work for other processes: a question or a stretch of plays as a plain message, and what came of it as data.

A message says all that an answer hangs on: the text of the rules with what they include, the options, the players, what may
be spent, and a hash of the program that asks. Whoever works on it must be that very program (`checkers/kept.program`), so
that the answer is the one that would have been worked out here. What comes back is data and no text: a play is taken again
by the rules before it is told (`checkers/retold`).
"""

from __future__ import annotations

import base64
import json
import os
import tempfile
import zlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tablelaw.checkers.kept import program
from tablelaw.checkers.playouts import tally, tally_data
from tablelaw.checkers.retold import FEW_WORK, data_of
from tablelaw.checkers.selection import Case, Request
from tablelaw.checkers.session import Session
from tablelaw.solver.evaluate import State
from tablelaw.solver.memory import memory_used
from tablelaw.solver.native.compiler import compiler, kept_in
from tablelaw.solver.plain_rows import Rows
from tablelaw.solver.reduce.names import Wanted
from tablelaw.solver.sampling import player
from tablelaw.solver.space.graph import Budget
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.load import Rules, load

Message = dict[str, Any]
Reply = dict[str, Any]
PASSED = (
    "questions", "setting", "every_option", "left_open", "players", "every_players", "engine", "seconds", "mebibytes", "cores",
    "sample", "disk",
)  # fmt: skip
"""What of a request changes the answer."""
SHORTEST, MOST_STRETCHES = 25, 256
"""Plays in one piece of work at least; pieces of work at most."""


@cache
def badge() -> dict[str, object]:
    """What two processes must have in common to give the same answers."""
    return {"program": program().digest, "compiler": compiler() is not None}


def packed(rules: Rules) -> dict[str, str]:
    """The text of the rules with what they include, as a message holds it."""
    paths = [os.path.abspath(s.name) for s in rules.sources]
    above = os.path.dirname(paths[0]) if len(paths) == 1 else os.path.commonpath(paths)
    files = [[os.path.relpath(path, above), s.text] for path, s in zip(paths, rules.sources, strict=True)]
    whole = zlib.compress(json.dumps(files).encode(), 9)
    return {"digest": rules.digest, "files": base64.b85encode(whole).decode()}


def unpacked(found: dict[str, str]) -> Rules | None:
    """The rules of a message; None where they do not come out as they were."""
    files = json.loads(zlib.decompress(base64.b85decode(found["files"])))
    sink = Diagnostics()
    with tempfile.TemporaryDirectory(prefix="tablelaw-") as folder:
        top = Path(folder).resolve()
        for name, text in files:
            path = (top / name).resolve()
            if not path.is_relative_to(top):
                return None
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        rules = load(str(top / files[0][0]), sink)
    return rules if rules is not None and rules.digest == found["digest"] and not sink.has_errors else None


def about_cases(rules: Rules, request: Request, written: bool) -> Message:
    """What the messages about all cases of a request have in common. `written`: they will be told as JSON, and so in full."""
    asked = {name: getattr(request, name) for name in PASSED} | {"reductions": request.reductions.key()}
    asked["spills"] = request.spill is not None
    return {**head("case", "check", rules, request.seconds, request.mebibytes), "request": asked, "written": written}


def head(what: str, command: str, rules: Rules, seconds: float, mebibytes: int) -> Message:
    """The beginning of every message: who asks, about which rules, and what one piece of work may take."""
    said = {"what": what, "command": command, "rules": packed(rules), "seconds": seconds, "mebibytes": mebibytes}
    return {**badge(), **said}


def about_case(common: Message, case: Case, whole: bool) -> Message:
    """The message about one case; `whole`: about the one proof for all its settings."""
    return {**common, "case": [case.name, dict(case.setting), case.players], "whole": whole}


def about_plays(rules: Rules, game: Game, seed: int, limit: int, start: State | None, budget: Budget) -> Message:
    """What the messages about all plays of a seed have in common."""
    said = {"setting": game.setting, "players": game.players, "seed": seed, "limit": limit}
    at = None if start is None else Rows(game).row(start)
    return {**head("plays", "playouts", rules, budget.seconds, budget.mebibytes), **said, "at": at}


def stretches(count: int) -> list[tuple[int, int]]:
    """Plays in pieces, each with its first number and how many there are."""
    size = max(SHORTEST, -(-count // MOST_STRETCHES))
    return [(first, min(size, count - first)) for first in range(0, count, size)]


@dataclass(slots=True)
class Bench:
    """Where pieces of work are done one after the other; what several of them need is made once."""

    _rules: tuple[dict[str, str], Rules] | None = None
    _session: tuple[object, Session] | None = None

    def do(self, message: Message) -> Reply:
        """What comes of a message: `data`, or why there is none."""
        mine = badge()
        if any(message.get(key) != value for key, value in mine.items()):
            return {"differs": mine}
        rules = self.rules(message["rules"])
        if rules is None:
            return {"none": "the rules do not come out as they were"}
        return {"case": self.case, "plays": self.plays}[message["what"]](rules, message)

    def rules(self, found: dict[str, str]) -> Rules | None:
        """The rules of a message."""
        if self._rules is None or self._rules[0] != found:
            self._session = self._rules = None
            rules = unpacked(found)
            self._rules = None if rules is None else (found, rules)
        return None if self._rules is None else self._rules[1]

    def case(self, rules: Rules, message: Message) -> Reply:
        """One question under one setting, or the one proof for all of them."""
        asked = message["request"]
        if self._session is None or self._session[0] != asked:
            names, always, listed = asked["reductions"]
            plain: dict[str, Any] = {n: tuple(asked[n]) if isinstance(asked[n], list) else asked[n] for n in PASSED}
            spill = kept_in() / "spill" if asked["spills"] else None  # a folder of the machine that works
            request = Request(**plain, reductions=Wanted(frozenset(names), always, listed), spill=spill)
            self._session = asked, Session(rules, request, Diagnostics())
        name, setting, players = message["case"]
        found = self._session[1].alone(Case(name, tuple(setting.items()), players), message["whole"])
        verdict, game = found or (None, None)
        if verdict is None or game is None:
            return {"unproved": True} if message["whole"] else {"none": "there is no answer"}
        if verdict.told is not None:
            return {"none": "what the answer tells is no plain data"}
        data = data_of(verdict, game)
        if data is None and verdict.policy is not None:
            data = data_of(verdict, game, 0 if message["written"] else FEW_WORK)
        return {"none": "the answer cannot be told as data"} if data is None else {"data": data}

    def plays(self, rules: Rules, message: Message) -> Reply:
        """A stretch of the plays of a seed."""
        game = rules.game(message["setting"], message["players"], Diagnostics())
        if game is None:
            return {"none": "there is no such game"}
        made = player(game)
        at = None if message["at"] is None else made.of(Rows(game).state(message["at"]))
        budget = Budget(message["seconds"], message["mebibytes"])
        first, count = message["plays"]
        return {"data": tally_data(tally(made, count, message["seed"], budget, message["limit"], at, first))}


def crowded(mebibytes: int) -> bool:
    """Does this process hold so much that the next piece of work had better begin in a new one?"""
    return mebibytes > 0 and memory_used() > mebibytes // 2
