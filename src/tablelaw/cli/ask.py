"""`tablelaw ask`, claims about a position; `tablelaw moves`, what is legal there."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from tablelaw.checkers import explain
from tablelaw.checkers.ask import Asker
from tablelaw.checkers.before import play_first
from tablelaw.checkers.claims import read_claim
from tablelaw.checkers.kept import kept_answers
from tablelaw.checkers.leading import Answer
from tablelaw.checkers.result import Result
from tablelaw.checkers.selection import Request
from tablelaw.checkers.valueless import faulty
from tablelaw.cli import watchdog
from tablelaw.cli.common import (
    BAD_SPEC,
    FINDING,
    MOST_SECONDS,
    OK,
    UNKNOWN,
    Progress,
    complain,
    envelope,
    game_of,
    most_memory,
    read_position,
    reductions_of,
)
from tablelaw.report import ask as told
from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import Move
from tablelaw.solver.trace import Step, Trace, first_step, move_text
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.diagnostics import Diagnostic, Diagnostics, did_you_mean
from tablelaw.spec.game import Game
from tablelaw.spec.load import Rules
from tablelaw.spec.operators import Fault
from tablelaw.spec.questions import Line, Reader
from tablelaw.spec.settings import defaults
from tablelaw.spec.source import Source, read_source
from tablelaw.spec.yaml_nodes import Node, Scalar

SECONDS = 60.0
"""What one claim about all that may follow may take unless `--time` says otherwise."""
Place = tuple[Rules, Game, Node | None, Trace]


def ask(args: argparse.Namespace) -> int:
    """Answer each claim; 0 all are right, 1 one is not, 3 one is not known."""
    sink, progress = Diagnostics(), Progress()
    place = _place(args, sink)
    if place is None:
        return complain(sink)
    rules, game, node, history = place
    seconds = min(args.time or SECONDS, MOST_SECONDS * 10)
    request = Request(
        engine=args.engine, seconds=seconds, mebibytes=args.memory or most_memory(), tell=progress.tell,
        kept=None if args.no_cache else kept_answers(), reductions=reductions_of(args), explained=args.explain_engine,
    )  # fmt: skip
    asker = Asker(rules, game, node, history, request, sink, others=not args.alone)
    many = len(args.claim) > 1
    claims = [
        read_claim(text, rules.document, f"claim {number}" if many else "the claim", sink)
        for number, text in enumerate(args.claim, 1)
    ]
    if sink.has_errors:
        return complain(sink)
    if not all([asker.readable(c) for c in claims if c is not None]):
        return complain(sink)
    unreachable = asker.unreachable()
    if not args.json:
        print(told.heading(game, history, unreachable, defaults(rules.document)))
    answers: list[Answer] = []
    for claim in claims:
        assert claim is not None
        watchdog.again()
        answer = asker.answer(claim)
        progress.clear()
        if answer is None or sink.has_errors:
            return complain(sink)
        if unreachable is not None:
            answer.result.verdict.notes.append(f"no play leads to this position: it breaks `{unreachable}`")
        answers.append(answer)
        if not args.json:
            print(told.answer_text(answer, defaults(rules.document), len(rules.counts) > 1, len(history.steps)), flush=True)
    if args.json:
        print(envelope(rules, [a.result.json() for a in answers]))
    return _status([a.result.verdict.verdict for a in answers])


def _status(verdicts: list[str]) -> int:
    if any(v in ("illegal", "fails") for v in verdicts):
        return FINDING
    return UNKNOWN if "unknown" in verdicts else OK


def moves(args: argparse.Namespace) -> int:
    """List the legal moves of a position."""
    sink = Diagnostics()
    place = _place(args, sink)
    if place is None:
        return complain(sink)
    rules, game, _, history = place
    state = history.steps[-1].state
    if args.action is not None and game.action(args.action) is None:
        near = did_you_mean(args.action, [a.name for a in game.actions])
        cure = f"did you mean `{near}`?" if near else f"there are {', '.join(a.name for a in game.actions)}"
        sink.error("Q109", None, f"no action is called `{args.action}`", help=cure)
        return complain(sink)
    try:
        end = evaluate.end(game, state)
        found = [m for m in evaluate.moves(game, state) if args.action in (None, m.action)]
    except Fault as fault:
        print(f"the rules have no value in this position: {fault.message}{faulty(game, state)}", file=sys.stderr)
        return FINDING
    if args.json:
        print(envelope(rules, [_moves_json(game, state, found, end.id if end else None)]))
    else:
        print(told.heading(game, history, None, defaults(rules.document)))
        print(told.moves_text(game, found, end.id if end else None))
    return OK


def _moves_json(game: Game, state: evaluate.State, found: list[Move], end: str | None) -> dict[str, object]:
    verdict = Verdict("value", "exhausted", value=str(len(found)), engine="evaluate", trace=Trace([Step(state)]))
    verdict.clauses = () if end is None else (end,)
    verdict.bound = "in this position"
    row = Result("moves", "moves", dict(game.setting), game.players, verdict, None, game).json()
    return row | {"moves": [{"move": move_text(game, m), "actor": m.actor} for m in found], "ended": end}


# where


def _place(args: argparse.Namespace, sink: Diagnostics) -> Place | None:
    """The game, the position as it was written, and the play up to where it is asked; None (and told) where there is none."""
    found = game_of(args, sink)
    if found is None:
        return None
    rules, game = found
    node = explain.position_node(sys.stdin.read(), "standard input", sink) if args.at == "-" else read_position(args.at, sink)
    if sink.has_errors:
        return None
    start = evaluate.starts(game)[0]
    state = start if node is None else Reader(game, sink, start).position(node)
    if state is None or sink.has_errors:
        return None
    history = Trace([first_step(state, game)])
    if args.after is not None:
        played = _played(args.after, game, state, sink)
        if played is None:
            return None
        history = played
    return rules, game, node, history


def _played(given: str, game: Game, state: evaluate.State, sink: Diagnostics) -> Trace | None:
    """The play through the moves of `--after`."""
    lines = list(_lines(given, Reader(game, sink, evaluate.starts(game)[0]), sink))
    return None if sink.has_errors else play_first(game, state, iter(lines), sink)


def _lines(given: str, reader: Reader, sink: Diagnostics) -> Iterator[tuple[str, Line]]:
    """The moves of `--after`: the text itself, or a file with a move a line; `#` begins a remark."""
    source = Source("--after", given)
    if "(" not in given and ";" not in given and "->" not in given and Path(given[:200]).is_file():
        read = read_source(given)
        if isinstance(read, Diagnostic):
            sink.add(read)
            return
        source = read
    at = 0
    for row in source.text.replace(";", "\n").split("\n"):
        begin = at + len(row) - len(row.lstrip())
        text = row.strip()
        at += len(row) + 1
        if not text or text.startswith("#"):
            continue
        span = source.span(begin, begin + len(text))
        line = reader.move_line(Scalar(text, "plain", span, tuple(range(begin, begin + len(text) + 1))))
        if line is None:
            return
        if line.action is None:
            sink.error("Q107", line.span, "the moves before a claim are all named", help="write `take(n=2); roll -> pips=1`")
            return
        yield text, line


__all__ = ["BAD_SPEC", "ask", "moves"]
