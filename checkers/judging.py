"""Whose fault is a difference between the rules and a program: a reading, the program's, or one of the rules themselves."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field, replace
from typing import Any

from tablelaw.checkers.host import Faulty, Host, replayed
from tablelaw.checkers.selection import Request, other_settings
from tablelaw.checkers.session import Session
from tablelaw.checkers.walking import Found
from tablelaw.solver import evaluate, legality
from tablelaw.solver.evaluate import State
from tablelaw.solver.mutate import clauses as clauses_of
from tablelaw.solver.sampling import Taken
from tablelaw.solver.trace import Trace, first_step, position_json, take
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.document import Document
from tablelaw.spec.game import Game
from tablelaw.spec.load import Rules
from tablelaw.spec.operators import Fault
from tablelaw.spec.questions import Reader
from tablelaw.spec.settings import Setting
from tablelaw.spec.source import Source
from tablelaw.spec.yaml_nodes import parse_yaml

READING, PROGRAM, RULES = "reading", "engine fault", "spec fault?"
SECONDS = 20.0
"""For looking at other settings, and for leaving clauses out."""


@dataclass(slots=True)
class Judgement:
    """What a difference is. `readings`: changes of options under which the rules say what the program says; `clauses`: what
    the program breaks; `as_without`: clauses each of which, left out, makes the rules say what it says."""

    word: str
    says: str
    readings: list[Setting] = field(default_factory=list)
    clauses: tuple[str, ...] = ()
    as_without: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    whole: bool = True
    """Was there time to look at all settings and clauses?"""


@dataclass(slots=True)
class Variants:
    """The games of a rules file under other settings or without clauses, made once."""

    rules: Rules
    players: int
    _hosts: dict[object, Host | None] = field(default_factory=dict)

    def host(self, setting: Setting, without: frozenset[str]) -> Host | None:
        """The game; None where there is none."""
        key = tuple(setting.items()), without
        if key not in self._hosts:
            game = self.rules.game(setting, self.players, Diagnostics(), without=without)
            self._hosts[key] = None if game is None else Host(game)
        return self._hosts[key]


def judge(
    variants: Variants, host: Host, found: Found, without: frozenset[str], given: bool, seconds: float = SECONDS
) -> Judgement:
    """Look at every other setting, at the rules themselves, and at the rules without each clause, each for so many seconds."""
    if found.trouble is not None:
        return Judgement(PROGRAM, "")
    steps = trace_of(host, found)
    if found.faulty:
        return Judgement(RULES, found.faulty, clauses=steps.steps[-1].clauses)
    judgement = Judgement(PROGRAM, "no setting of the options agrees with it", clauses=_concerned(host, found, steps))
    last = time.process_time() + seconds
    start = host.player.state(found.start) if given else None
    for other in _settings(variants.rules, host.game):
        changed = {k: v for k, v in other.items() if v != host.game.setting[k]}
        if any(f.items() <= changed.items() for f in judgement.readings):
            continue
        if time.process_time() > last:
            judgement.whole = False
            break
        if agrees(variants.host(other, without), host.game, found, start):
            judgement.readings.append(changed)
    judgement.reasons = _own_faults(variants, host, found, without, start)
    if judgement.readings:
        judgement.word, judgement.says = READING, _reading(variants.rules.document, judgement.readings)
        return judgement
    if judgement.reasons:
        judgement.word, judgement.says = RULES, "; ".join(judgement.reasons)
    last = time.process_time() + seconds
    names = clauses_of(host.game)
    for name in [*(c for c in judgement.clauses if c in names), *(c for c in names if c not in judgement.clauses)]:
        if time.process_time() > last:
            judgement.whole = False
            break
        if name in host.game.clauses and agrees(
            variants.host(dict(host.game.setting), without | {name}), host.game, found, start
        ):
            judgement.as_without.append(name)
    return judgement


def trace_of(host: Host, found: Found) -> Trace:
    """The play of a finding by the reference evaluator, as far as its position."""
    state = host.player.state(found.start)
    trace = Trace([first_step(state, host.game)])
    for taken in found.taken[: len(found.taken) - (found.apart is not None and found.apart.kind == "refuses")]:
        move, drawn = host.sent(taken)
        trace.steps.append(take(host.game, state, move, drawn))
        if trace.steps[-1].fault is not None:
            break
        state = trace.steps[-1].state
    return trace


def _settings(rules: Rules, game: Game) -> list[Setting]:
    """Other settings, those that change least first."""
    found = other_settings(rules, dict(game.setting), game.players)
    return sorted(found, key=lambda s: sum(s[k] != game.setting[k] for k in s))


def agrees(other: Host | None, game: Game, found: Found, start: State | None) -> bool:
    """Do these rules say of the whole play what the program said?"""
    if other is None:
        return False
    first = start_of(other, game, start)
    if first is None:
        return False
    sent, refused = found.sent, next((k for k, s in found.said.items() if s.refused is not None), None)
    rows: list[Any] = []
    try:
        rows = list(replayed(other, first, sent if refused is None else sent[: refused - 1]))
        if len(rows) != len(sent) + (refused is None):
            return False
        if refused is not None and other.find(rows[-1], *sent[refused - 1]) is not None:
            return False
        said = found.said
        if found.apart is not None and found.apart.kind == "takes":
            if found.apart.extra[0] not in other.texts(rows[-1]):
                return False
            said = {k: replace(s, moves=None) for k, s in said.items()}  # besides, all that it said must be so
        told = sorted(((k, s) for k, s in said.items() if s.refused is None), key=lambda x: -x[0])
        return all(other.apart(rows[k], s) is None for k, s in told)  # the last first: it is where most of them differ
    except Faulty:
        return False


def start_of(other: Host, game: Game, start: State | None) -> Any:
    """The start of the play in another game: told as a position, or the game's own."""
    if start is None:
        return other.player.of(evaluate.starts(other.game)[0])
    sink = Diagnostics()
    node = parse_yaml(Source("position", json.dumps(position_json(game, start), ensure_ascii=False)), sink)
    state = Reader(other.game, sink, evaluate.starts(other.game)[0]).position(node)
    return None if state is None or sink.has_errors else other.player.of(state)


def _concerned(host: Host, found: Found, steps: Trace) -> tuple[str, ...]:
    """The clauses that the program does not keep to."""
    assert found.apart is not None
    game, apart, state = host.game, found.apart, steps.steps[-1].state
    names: list[str] = []
    for text in apart.extra:
        line = host.line(text)
        if line is not None and line.action is not None:
            names += legality.forbidding(game, state, line.action, dict(line.args)).clauses
    for text in (*apart.missing, *apart.twice):
        action = game.action(text.partition("(")[0])
        if action is not None:
            names += [action.name, *(c.id for c in action.checks)]
    if apart.kind in ("end", "winners"):
        end = evaluate.end(game, state)
        names += [end.id] if end is not None else [e.id for e in game.ends]
    if apart.kind in ("position", "player"):
        names += steps.steps[-1].clauses
    return tuple(dict.fromkeys(names))


def in_whole(variants: Variants, host: Host, found: Found, start: State | None) -> tuple[Host, Found] | None:
    """The play by the rules with all their clauses; None where it is none of theirs. Raises `Faulty`."""
    whole = variants.host(dict(host.game.setting), frozenset())
    first = None if whole is None else start_of(whole, host.game, start)
    if whole is None or first is None:
        return None
    row, taken = first, list[Taken]()
    for step in found.taken:
        own = whole.find(row, *host.sent(step))
        if own is None:
            return None
        taken.append(own)
        row = whole.step(row, *own)
    whole.whole(row)
    return whole, replace(found, start=first, taken=tuple(taken), row=row)


def of_the_whole(variants: Variants, host: Host, found: Found, without: frozenset[str], start: State | None) -> bool:
    """Are the rules at a loss with all their clauses too, or only without some?"""
    if not without:
        return True
    try:
        in_whole(variants, host, found, start)
    except Faulty:
        return True
    return False


def _own_faults(variants: Variants, host: Host, found: Found, without: frozenset[str], start: State | None) -> list[str]:
    """What is wrong with the rules themselves along the play: steps left undecided, nobody to move, invariants broken.

    Of rules without a clause nothing is told, but of the whole rules where they have the play too.
    """
    reasons: list[str] = []
    if without:
        try:
            whole = in_whole(variants, host, found, start)
        except Faulty as fault:
            return [str(fault)]
        if whole is None:
            return []
        host, found = whole
    steps = trace_of(host, found)
    try:
        row = found.start
        for taken in (None, *found.taken):
            row = row if taken is None else host.step(row, *taken)
            both = host.undecided(row)
            if both:
                open_now = " and ".join(f"`{n}`" for n in dict.fromkeys(both))
                reasons.append(f"the rules do not say which comes first, {open_now}")
                break
    except Faulty as fault:
        reasons.append(str(fault))
    last = steps.steps[-1].state
    try:
        if not evaluate.moves(host.game, last) and evaluate.end(host.game, last) is None:
            reasons.append("by the rules nobody can move, and the play has not ended")
    except Fault as fault:
        reasons.append(f"the rules have no value: {fault.message}")
    session = Session(variants.rules, Request(), Diagnostics())
    for step in steps.steps:
        broken = session.broken_invariant(host.game, step.state)
        if broken is not None:
            reasons.append(f"the play breaks `{broken}`, which the rules file itself asks for")
            break
    return reasons


def _reading(doc: Document, readings: list[Setting]) -> str:
    told = [", ".join(f"{k}={v}" for k, v in changed.items()) for changed in readings]
    kinds = {doc.options[k].kind for changed in readings for k in changed}
    what = "a reading" if kinds == {"reading"} else f"another {' or '.join(sorted(kinds))}"
    return f"it plays {what}: {' or '.join(told)}"


__all__ = [
    "PROGRAM", "READING", "RULES", "SECONDS", "Judgement", "Variants", "agrees", "in_whole", "judge", "of_the_whole",
    "start_of", "trace_of",
]  # fmt: skip
