"""`tablelaw perft`: how many sequences of so many moves, in all and by first move."""

from __future__ import annotations

import argparse
import sys

from tablelaw.cli import watchdog
from tablelaw.cli.common import (
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
)
from tablelaw.spec.diagnostics import Diagnostics


def perft_command(args: argparse.Namespace) -> int:
    """The command."""
    from tablelaw.checkers.perft import perft
    from tablelaw.checkers.result import Result
    from tablelaw.checkers.valueless import without_value
    from tablelaw.report.perft import perft_text
    from tablelaw.solver import evaluate
    from tablelaw.solver.space.graph import Budget
    from tablelaw.spec.questions import Reader

    sink, progress = Diagnostics(), Progress()
    found = game_of(args, sink)
    if found is None:
        return complain(sink)
    rules, game = found
    node = read_position(args.at, sink)
    given = None if node is None or sink.has_errors else Reader(game, sink, evaluate.starts(game)[0]).position(node)
    if sink.has_errors:
        return complain(sink)
    watchdog.again()
    budget = Budget(args.time or MOST_SECONDS, args.memory or most_memory(), 0, progress.tell)
    told = perft(game, args.depth, given, args.divide, budget)
    progress.clear()
    if told.without_value is not None:
        state, number = told.without_value
        print(without_value(game, state, number), file=sys.stderr)
        return FINDING
    if args.json:
        result = Result(f"perft-{args.depth}", "count", dict(game.setting), game.players, told.verdict, None, game)
        result.extra = told.json() if args.divide else {}
        print(envelope(rules, [result.json()]))
    else:
        print(perft_text(told))
    return UNKNOWN if told.verdict.verdict == "unknown" else OK
