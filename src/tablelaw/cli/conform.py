"""`tablelaw conform`: another program of a game beside the rules."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tablelaw.cli import watchdog
from tablelaw.cli.common import BAD_SPEC, FINDING, OK, UNKNOWN, Progress, complain, envelope, game_of, read_position, unwritable
from tablelaw.spec.diagnostics import Diagnostics

if TYPE_CHECKING:
    from tablelaw.checkers.conform import Conformer, Report
    from tablelaw.checkers.foreign import Foreign


def conform_command(args: argparse.Namespace) -> int:
    """The command: 0 they agree, 1 a difference, 2 it cannot be compared, 3 there was no time for a single play."""
    from tablelaw.checkers.along import Read, read_fixtures
    from tablelaw.checkers.conform import LIMIT, PLAYS, SECONDS, Conformer, Wanted, rows_of
    from tablelaw.checkers.foreign import SECONDS as ANSWER
    from tablelaw.checkers.foreign import CannotStart, Foreign
    from tablelaw.checkers.guest import Unsupported
    from tablelaw.report.conform import conform_json, conform_text
    from tablelaw.solver import evaluate
    from tablelaw.solver.breadth import too_broad
    from tablelaw.spec.comparing import known_clause
    from tablelaw.spec.questions import Reader
    from tablelaw.spec.source import write_whole

    sink, progress = Diagnostics(), Progress()
    wrong = None if args.out is None else unwritable(args.out)
    if wrong is not None:
        sink.error("Q112", None, wrong, help="name a file in a folder that can be written")
        return complain(sink)
    found = game_of(args, sink)
    if found is None:
        return complain(sink)
    rules, game = found
    node = read_position(args.at, sink)
    start = None if node is None else Reader(game, sink, evaluate.starts(game)[0]).position(node)
    named = {t.partition("=")[0].strip(): t.partition("=")[2].strip() for t in args.option}
    read = Read() if args.fixtures is None else read_fixtures(args.fixtures, rules, named, args.players, sink)
    for clause in args.without:
        known_clause(clause, game, sink)
    if sink.has_errors:
        return complain(sink)
    broad = too_broad(game)
    if broad is not None:
        print(f"error[Q111]: {broad}", file=sys.stderr)
        return UNKNOWN
    plays = args.plays or (PLAYS if args.fixtures is None else 0)
    wanted = Wanted(
        plays, args.seed, args.limit or LIMIT, args.at_end, args.first, args.time or SECONDS, frozenset(args.without), start,
        tuple(read.fixtures), progress.tell, watchdog.again,
    )  # fmt: skip
    foreign = Foreign(args.program, args.answer or ANSWER)
    conformer = Conformer(rules, game, foreign, wanted)
    try:
        conformer.report.left_out = read.left_out
        report = _run(conformer, foreign)
    except KeyboardInterrupt:
        stopped = watchdog.heard()
        if not stopped:
            raise
        report = conformer.report
        report.stopped = stopped.removeprefix(": ")
        report.findings += [conformer.unfinished] if conformer.unfinished is not None else []
    except CannotStart as why:
        sink.error("Q128", None, f"`{args.program[0]}` cannot be started: {why}", help="write the command after `--`")
        return complain(sink)
    except Unsupported as why:
        cure = "choose options and a number of players that it plays"
        sink.error("Q128", None, f"the program does not play this: {why}", help=cure)
        return complain(sink)
    finally:
        progress.clear()
    print(envelope(rules, [conform_json(report)]) if args.json else conform_text(report))
    if args.out is not None:
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows_of(report)]
        write_whole(Path(args.out), "".join(lines))
    if report.findings or report.lingers:
        return FINDING
    return OK if report.whole else UNKNOWN


def _run(conformer: Conformer, foreign: Foreign) -> Report:
    with foreign:
        return conformer.run()


__all__ = ["BAD_SPEC", "conform_command"]
