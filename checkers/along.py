"""Fixtures as plays to compare along: read, followed on both sides, and written of a difference that was found."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tablelaw import __version__
from tablelaw.checkers.explain import move_line
from tablelaw.checkers.host import WRONG, Faulty, Host
from tablelaw.checkers.judging import Judgement, trace_of
from tablelaw.checkers.walking import Found, Walker
from tablelaw.solver import evaluate, legality
from tablelaw.solver.evaluate import Move, State
from tablelaw.solver.sampling import Taken, move_of
from tablelaw.solver.trace import draw_text, move_text, position_json, step_text
from tablelaw.spec.diagnostics import Diagnostic, Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.load import Rules
from tablelaw.spec.operators import Fault
from tablelaw.spec.questions import Line, Reader
from tablelaw.spec.reckon import meant
from tablelaw.spec.settings import defaults, read_setting
from tablelaw.spec.source import Source, Span, read_source
from tablelaw.spec.yaml_nodes import parse_yaml

MOST_TOLD = 10
"""Faults of different sorts that are told of one file."""


@dataclass(frozen=True, slots=True)
class Fixture:
    """A play to be followed, and moves to be made after it."""

    id: str
    options: dict[str, str]
    players: int
    start: State | None
    play: tuple[Line, ...]
    after: tuple[Line, ...]
    illegal: tuple[str, ...]
    legal: tuple[str, ...]


class _Bad(Exception):
    pass


@dataclass(slots=True)
class Read:
    """What was read of a file of fixtures: those to be followed, and how many others there are, by the reason."""

    fixtures: list[Fixture] = field(default_factory=list)
    left_out: dict[str, int] = field(default_factory=dict)


def read_fixtures(path: str, rules: Rules, fixed: dict[str, str], players: int | None, sink: Diagnostics) -> Read:
    """The fixtures of a file, a JSON object a line; faults go to the sink, those alike as one.

    `fixed`, `players`: what was given on the command line, which a fixture has to agree with to be taken.
    """
    source, read = read_source(path), Read()
    if isinstance(source, Diagnostic):
        sink.add(source)
        return read
    games: dict[object, tuple[Game, Reader]] = {}
    wrong: dict[str, list[Span]] = {}
    at = 0
    for number, row in enumerate(source.text.split("\n"), 1):
        if row.strip():
            try:
                entry = json.loads(row)
                if not isinstance(entry, dict):
                    raise _Bad("it is no JSON object")
                _take(_fixture(entry, f"line {number}", rules, games), fixed, players, read)
            except (ValueError, RecursionError):
                wrong.setdefault("this line is no JSON", []).append(source.span(at, at + len(row)))
            except _Bad as why:
                told = f"this is no fixture of these rules: {why}"
                wrong.setdefault(told, []).append(source.span(at, at + len(row)))
        at += len(row) + 1
    for told, spans in list(wrong.items())[:MOST_TOLD]:
        more = len(spans) - 1
        alike = f"; so it is with {more:,} more line{'s' if more > 1 else ''}" if more else ""
        cure = "write one JSON object a line" if told.endswith("no JSON") else "`tablelaw fixtures` writes them"
        sink.error("Q127", spans[0], told + alike, help=cure)
    return read


def _take(fixture: Fixture, fixed: dict[str, str], players: int | None, read: Read) -> None:
    """Keep a fixture, if it is of what was asked for."""
    other = [f"{k}={v}" for k, v in fixed.items() if fixture.options.get(k) != v]
    if players is not None and fixture.players != players:
        other.append(f"{players} player{'s' if players > 1 else ''}")
    if other:
        why = ", ".join(other)
        read.left_out[why] = read.left_out.get(why, 0) + 1
    else:
        read.fixtures.append(fixture)


def _fixture(entry: dict[str, Any], name: str, rules: Rules, games: dict[object, tuple[Game, Reader]]) -> Fixture:
    if entry.get("game") != rules.document.game:
        raise _Bad(f"its game is `{str(entry.get('game'))[:40]}`")
    options, players = entry.get("options", {}), entry.get("players", rules.counts[0])
    if not isinstance(options, dict) or not isinstance(players, int) or players not in rules.counts:
        raise _Bad("its options or its number of players are not those of the game")
    quiet = Diagnostics()
    setting = defaults(rules.document) | read_setting(rules.document, [(str(k), str(v)) for k, v in options.items()], quiet)
    key = tuple(setting.items()), players
    if key not in games:
        game = None if quiet.has_errors else rules.game(setting, players, quiet)
        if game is None:
            raise _Bad(_first(quiet))
        games[key] = game, Reader(game, Diagnostics(), evaluate.starts(game)[0])
    game, _ = games[key]
    reader = Reader(game, quiet, evaluate.starts(game)[0])
    start = None
    if entry.get("from") is not None:
        start = reader.position(parse_yaml(Source("from", json.dumps(entry["from"], ensure_ascii=False)), quiet))
    play = _lines(reader, entry.get("play", []), "play")
    after = []
    for outcome in _list(entry.get("outcomes", []), "outcomes"):
        if isinstance(outcome, dict):
            draw = f" -> {outcome['draw']}" if outcome.get("draw") else ""
            after += _lines(reader, [f"{outcome.get('move')}{draw}"], "outcomes")
    differs = entry.get("differs")
    if isinstance(differs, dict) and differs.get("step"):
        after += _lines(reader, [differs["step"]], "differs")  # one for which the rules had no value
    illegal = [str(i.get("move")) for i in _list(entry.get("illegal", []), "illegal") if isinstance(i, dict)]
    if quiet.has_errors:
        raise _Bad(_first(quiet))
    legal = [str(m) for m in _list(entry.get("legal", []), "legal")]
    told = str(entry.get("id") or name)
    return Fixture(told, setting, players, start, tuple(play), tuple(after), tuple(illegal), tuple(legal))


def _first(sink: Diagnostics) -> str:
    return next((d.message for d in sink), "it cannot be read")


def _list(found: object, name: str) -> list[Any]:
    if not isinstance(found, list):
        raise _Bad(f"its `{name}` is no list")
    return found


def _lines(reader: Reader, texts: object, name: str) -> list[Line]:
    found: list[Line] = []
    for text in _list(texts, name):
        line = move_line(reader, str(text)[:2000], name)
        if line is None or line.action is None or line.times != 1 or line.condition is not None:
            raise _Bad(f"`{str(text)[:60]}` is not a single move of it")
        found.append(line)
    return found


# followed


def follow(walker: Walker, start: Any, fixture: Fixture) -> Found | None:
    """Its play, and each of its moves after it, on both sides. Raises `Faulty` and `OutOfTime`."""
    host = walker.host
    way = _way(host, start, fixture.play)
    if way is None:
        raise Faulty(f"the play of the fixture `{fixture.id}` is not legal by these rules")
    taken, row = way
    walker.counts.plays += 1
    found = walker.along(start, taken)
    if found is not None:
        return found
    for line in fixture.after:
        more = _steps(host, row, line)
        if more is None:
            continue  # not legal under the setting that is looked at
        found = walker.along(start, (*taken, *more), look=False)
        if found is not None:
            return found
    if "legal" in walker.guest.lacks:
        for text in fixture.illegal:
            found = walker.forbidden(start, taken, text)
            if found is not None:
                return found
    return None


def _way(host: Host, row: Any, lines: tuple[Line, ...]) -> tuple[tuple[Taken, ...], Any] | None:
    taken: list[Taken] = []
    for line in lines:
        steps = _steps(host, row, line)
        if steps is None:
            return None
        taken += steps
        for step in steps:
            row = host.step(row, *step)
    return tuple(taken), row


def _steps(host: Host, row: Any, line: Line) -> list[Taken] | None:
    """The step that a line tells, before it what the table does unseen; None where it is not legal."""
    first = _step(host, row, line)
    if first is not None:
        return [first]
    settled, unseen = host.settle(row)
    then = _step(host, settled, line)
    if then is not None:
        return [*unseen, then]
    return None


def _step(host: Host, row: Any, line: Line) -> Taken | None:
    for choice in host.legal(row):
        action = host.player.actions[choice[0]]
        args = dict(zip([b.name for b in action.params], choice[2], strict=True))
        if action.name != line.action or not all(meant(v, args[n]) for n, v in line.args):
            continue
        known = dict(line.draw)
        drawn: tuple[Any, ...] = ()
        for k, d in enumerate(action.draws):
            try:
                values = host.player.chance(row, choice, k, drawn)[0]
            except WRONG:
                return None
            if d.name not in known and len(values) != 1:
                return None
            drawn = (*drawn, known.get(d.name, values[0]))
            if drawn[-1] not in values:
                return None
        return choice, drawn
    return None


# written


def saved(host: Host, found: Found, judgement: Judgement, where: str, given: bool, without: frozenset[str]) -> dict[str, Any]:
    """A difference in the form of a fixture, with what the program said and what the difference is."""
    game, trace = host.game, trace_of(host, found)
    state = trace.steps[-1].state
    play = [step_text(game, s) for s in trace.steps[1:] if s.fault is None]
    fails = [step_text(game, s) for s in trace.steps[1:] if s.fault is not None]
    start = position_json(game, trace.steps[0].state) if given else None
    legal, ended, won = _standing(game, state)
    illegal = []
    for text in found.apart.extra if found.apart is not None else ():
        line = host.line(text)
        if line is not None and line.action is not None:
            forbidden = legality.forbidding(game, state, line.action, dict(line.args))
            illegal.append({"move": text, "clauses": list(forbidden.clauses)})
    outcomes = []
    if found.apart is not None and found.apart.kind == "refuses":
        outcomes.append(_outcome(host, state, found))
    texts = [move_text(game, m) for m in legal]
    told = hashlib.sha256(repr((sorted(game.setting.items()), game.players, start, play)).encode()).hexdigest()[:10]
    return {
        "spec_hash": game.digest,
        "version": __version__,
        "game": game.name,
        "options": dict(game.setting),
        "players": game.players,
        "id": f"{game.name}-{told}",
        "covers": [f"conform:{found.sign[0]}"],
        "why": ["another program differs here"],
        "clauses": list(dict.fromkeys((*judgement.clauses, *(c for i in illegal for c in i["clauses"])))),
        "from": start,
        "steps_before": 0,
        "play": play,
        "position": position_json(game, state),
        "ended": ended,
        "winners": sorted(won),
        "to_move": sorted({m.actor for m in legal if m.actor is not None}) or (["table"] if legal else []),
        "legal_count": len(texts),
        "legal_sha256": hashlib.sha256("".join(f"{t}\n" for t in sorted(texts)).encode()).hexdigest(),
        "legal": texts,
        "illegal": illegal,
        "outcomes": outcomes,
        "differs": differing(found, judgement, where, without) | ({"step": fails[0]} if fails else {}),
    }


def differing(found: Found, judgement: Judgement, where: str, without: frozenset[str]) -> dict[str, Any]:
    """What differs and what it is, for JSON."""
    row: dict[str, Any] = {"found_in": where, "kind": found.sign[0], "again": found.again, "shrunk": found.shrunk}
    row |= {"note": found.note} if found.note else {}
    if found.apart is not None:
        row |= {"rules": found.apart.rules, "program": found.apart.program}
        row |= {"missing": list(found.apart.missing), "extra": list(found.apart.extra)}
        row |= {"twice": list(found.apart.twice)} if found.apart.twice else {}
    if found.trouble is not None:
        row |= {"trouble": found.trouble.kind, "program": found.trouble.says}
    last = max(found.said, default=None)
    row["said"] = found.said[last].json() if last is not None else {}
    return row | {
        "judgement": judgement.word,
        "says": judgement.says,
        "readings": judgement.readings,
        "clauses": list(judgement.clauses),
        "as_without": judgement.as_without,
        "reasons": judgement.reasons,
        "without": sorted(without),
    }


def _standing(game: Game, state: State) -> tuple[list[Move], str | None, frozenset[int]]:
    try:
        end = evaluate.end(game, state)
        return evaluate.moves(game, state), None if end is None else end.id, evaluate.winners(game, state)
    except Fault:
        return [], None, frozenset()


def _outcome(host: Host, state: State, found: Found) -> dict[str, Any]:
    """What the move leads to that the program refuses."""
    game, choice = host.game, found.taken[-1][0]
    move, drawn = host.sent(found.taken[-1])
    out = evaluate.apply(game, state, move, drawn)
    ways = evaluate.draws(game, state, move)
    _, ended, won = _standing(game, out.state)
    before, after = position_json(game, state), position_json(game, out.state)
    return {
        "move": move_text(game, move_of(host.player, choice)),
        "actor": move.actor,
        "draw": draw_text(game.action(move.action), drawn) or None,
        "probability": str(next((Fraction(p) for d, p in ways if d == drawn), Fraction(0))),
        "draws": len(ways),
        "changed": {k: v for k, v in after.items() if v != before[k]},
        "clauses": list(dict.fromkeys((move.action, *out.fired))),
        "ended": ended,
        "winners": sorted(won),
    }
