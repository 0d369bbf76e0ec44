"""Answers to the questions of a rules file that other processes work out: all are sent at once, and told in their order."""

from __future__ import annotations

import argparse
import contextlib
import json
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from tablelaw.checkers.playouts import Tally, joined, tally_data
from tablelaw.checkers.registry import checker
from tablelaw.checkers.result import Result
from tablelaw.checkers.retold import verdict_of
from tablelaw.checkers.selection import Answers, Case, Found
from tablelaw.checkers.session import Session
from tablelaw.checkers.units import Message, Reply, about_case, about_cases, about_plays, stretches
from tablelaw.cli.cluster import Cluster, connect
from tablelaw.cli.common import Gone, Progress
from tablelaw.cli.playouts import PLAYS
from tablelaw.solver.evaluate import State
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.load import Rules

ENGINE = "cluster"
"""Who answers where no process of the cluster could."""


@dataclass(slots=True)
class Away:
    """Where a session finds answers while others work on its cases.

    What is kept here is told and not sent. A play that comes back is taken again by the rules; what cannot come back as data
    (where two games part, a fault of the rules) is worked out here, when its turn comes.
    """

    cluster: Cluster
    session: Session
    common: Message
    kept: Answers | None
    came: dict[str, Reply] = field(default_factory=dict)
    sent: set[str] = field(default_factory=set)
    follow: dict[str, list[tuple[int, Case]]] = field(default_factory=dict)
    """Cases to be sent if no one proof for all their settings comes."""

    def send(self, cases: Iterable[Case]) -> None:
        """Send all cases, or first the one proof that may answer several of them."""
        for rank, case in enumerate(cases):
            question = self.session.doc.questions.get(case.name)
            if question is not None and checker(question.kind).of_rules is not None:
                continue
            settings = self.session.covered(case)
            if settings and self.session.open_question(case, settings) is not None:
                key = _key(about := self.session.about(case, whole=True))
                self.follow.setdefault(key, []).append((rank, case))
                if not self._has_kept(about):
                    self._send(key, rank, case, True)
            else:
                self._case(rank, case)

    def _case(self, rank: int, case: Case) -> None:
        about = self.session.about(case)
        if not self._has_kept(about):
            self._send(_key(about), rank, case, False)

    def _has_kept(self, about: dict[str, object]) -> bool:
        return self.kept is not None and self.kept.has(about)

    def _send(self, key: str, rank: int, case: Case, whole: bool) -> None:
        if key not in self.sent:
            self.sent.add(key)
            self.cluster.send(key, about_case(self.common, case, whole), rank)

    def answer(self, about: dict[str, object], game: Game, work: Callable[[], Found]) -> Found | Verdict:
        """The answer kept here, or else the one that comes, which is kept as any other."""
        if self.kept is None:
            return self._waited_for(about, game, work)
        return self.kept.answer(about, game, lambda: self._waited_for(about, game, work))

    def _waited_for(self, about: dict[str, object], game: Game, work: Callable[[], Found]) -> Found | Verdict:
        key, whole = _key(about), about["what"] == "open"
        if key not in self.sent:
            return work()
        if key not in self.came:
            for other, reply in self.cluster.come():
                self.take(other, reply)
                if other == key:
                    break
        reply = self.came[key]
        if "data" in reply:
            verdict = verdict_of(reply["data"], game)
            return work() if verdict is None else verdict
        why = reply.get("stopped") or reply.get("lost")
        if whole and (why is not None or "unproved" in reply):
            return None  # type: ignore[return-value]  # each setting is asked alone
        if why is None:
            return work()
        return Verdict("unknown", reason=why if "lost" in reply else f"out of budget: {why}", engine=ENGINE)

    def take(self, key: str, reply: Reply) -> None:
        """Note what came; where it is no proof for all, the cases are sent each alone."""
        self.came[key] = reply
        if "data" not in reply:
            for rank, case in self.follow.pop(key, ()):
                self._case(rank, case)

    def has(self, about: dict[str, object]) -> bool:
        """Is the answer there, kept or come, so that it can be told without waiting and without work?"""
        return "none" not in self.came.get(_key(about), {"none": ""}) or self._has_kept(about)

    def _told(self, case: Case) -> bool:
        whole = self.session.about(case, whole=True)
        return self.has(self.session.about(case)) or "data" in self.came.get(_key(whole), {})

    def rest(self, cases: Iterable[Case]) -> list[Result]:
        """The results of those cases whose answers are there already."""
        found: list[Result] = []
        if not self.session.request.left_open:  # one answer for several settings may have been told before
            with contextlib.suppress(Gone):
                self.came.update(self.cluster.ready())
                for case in cases:
                    result = self.session.ask(case) if self._told(case) else None
                    found += [] if result is None else [result]
        return found


def _key(about: dict[str, object]) -> str:
    return json.dumps([about["what"], about["name"], about["players"], about["under"]])


def away(args: argparse.Namespace, session: Session, cases: list[Case], sink: Diagnostics, progress: Progress) -> Away | None:
    """The cluster that the arguments name, with all cases sent to it; the session then asks there. None (and told) without."""
    cluster = connect(args.cluster, sink, progress)
    if cluster is None:
        return None
    request = session.request
    found = Away(cluster, session, about_cases(session.rules, request, args.json), request.kept)
    request.kept = found
    try:
        found.send(cases)
    except BaseException:
        cluster.close()
        raise
    return found


def plays_away(
    args: argparse.Namespace,
    rules: Rules,
    game: Game,
    start: State | None,
    limit: int,
    budget: Budget,
    sink: Diagnostics,
    progress: Progress,
) -> Tally | None:
    """The plays of a seed counted by others, each a stretch of them; None (and told) without a cluster, or with one lost."""
    began = time.monotonic()
    cluster = connect(args.cluster, sink, progress)
    if cluster is None:
        return None
    common = about_plays(rules, game, args.seed, limit, start, budget)
    came: dict[str, Reply] = {}
    pieces = stretches(args.plays or PLAYS)
    try:
        for first, count in pieces:
            cluster.send(str(first), {**common, "plays": [first, count]})
        came.update(cluster.come())
    except Gone as why:
        sink.error("Q129", None, str(why), help="ask again, or without `--cluster`")
        return None
    finally:
        cluster.close()
    parts: list[dict[str, Any]] = []
    for first, _ in pieces:
        reply = came[str(first)]
        if "data" not in reply:
            why_not = reply.get("stopped") or reply.get("lost") or reply.get("none")
            parts.append({**tally_data(Tally(game, args.seed)), "stopped": why_not})
            break
        parts.append(reply["data"])
    found = joined(game, args.seed, parts)
    found.seconds = time.monotonic() - began
    return found
