"""`tablelaw playouts`: whole plays at random, what they tell, and one of them shown."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from tablelaw.cli import watchdog
from tablelaw.cli.common import BAD_SPEC, FINDING, OK, UNKNOWN, Progress, complain, envelope, game_of, read_position
from tablelaw.spec.diagnostics import Diagnostics

if TYPE_CHECKING:
    from tablelaw.solver.trace import Trace
    from tablelaw.spec.game import Game

PLAYS, SECONDS = 1_000, 60.0


def playouts(args: argparse.Namespace) -> int:
    """The command."""
    from tablelaw.checkers.playouts import tally
    from tablelaw.report.playouts import playouts_text
    from tablelaw.solver import evaluate
    from tablelaw.solver.breadth import too_broad
    from tablelaw.solver.sampling import LIMIT, player
    from tablelaw.solver.space.graph import Budget
    from tablelaw.spec.questions import Reader

    sink, progress = Diagnostics(), Progress()
    found = game_of(args, sink)
    if found is None:
        return complain(sink)
    rules, game = found
    node = read_position(args.at, sink)
    start = None if node is None else Reader(game, sink, evaluate.starts(game)[0]).position(node)
    if sink.has_errors:
        return complain(sink)
    broad = too_broad(game)
    if broad is not None:
        print(f"error[Q111]: {broad}", file=sys.stderr)
        return UNKNOWN
    made = player(game)
    at: Any = None if start is None else made.of(start)
    limit = args.limit or LIMIT
    if args.show is not None:
        return show(args, rules, made, limit, at)
    watchdog.again()
    budget = Budget(args.time or SECONDS, args.memory or 0, 0, progress.tell)
    if args.cluster is not None:
        from tablelaw.cli.away import plays_away

        together = plays_away(args, rules, made.game, start, limit, budget, sink, progress)
        if together is None:
            return complain(sink)
        told = together
    else:
        told = tally(made, args.plays or PLAYS, args.seed, budget, limit, at)
    progress.clear()
    print(envelope(rules, [told.json()]) if args.json else playouts_text(told, args.spec))
    if not told.plays:
        return UNKNOWN
    return FINDING if told.endings["stuck"] or told.endings["fault"] else OK


def show(args: argparse.Namespace, rules: Any, made: Any, limit: int, at: Any) -> int:
    """Play one of them again by the evaluator, and print it step by step."""
    from tablelaw.report.text import record, replay
    from tablelaw.solver.sampling import one_play, trace_of
    from tablelaw.solver.trace import fault_step, trace_json

    if args.show < 0:
        print("error[Q109]: plays are numbered from 0\n  = help: write `--show 0`", file=sys.stderr)
        return BAD_SPEC
    one = one_play(made, args.seed, args.show, limit, at)
    trace = trace_of(made, one.start, one.steps)
    if one.ending == "fault":
        wrong = fault_step(made.game, trace.steps[-1].state)
        if wrong is not None:
            trace.steps.append(wrong)
    if args.json:
        row = {
            "question": "playouts",
            "kind": "playouts",
            "options": dict(made.game.setting),
            "players": made.game.players,
            "seed": args.seed,
            "play": args.show,
            "ending": one.ending,
            "trace": trace_json(made.game, trace),
        }
        print(envelope(rules, [row]))
    else:
        ended = made.game.ends[one.end].id if one.ending == "ended" else one.ending
        print(f"play {args.show} of seed {args.seed}: {len(one.steps):,} steps, {one.moves:,} moves of players, {ended}")
        print(record(made.game, trace, whole=True))
        print(replay(again(args, made.game, trace)))
    return FINDING if one.ending in ("stuck", "fault") else OK


def again(args: argparse.Namespace, game: Game, trace: Trace) -> list[str]:
    """The words of the command that plays it by hand."""
    from tablelaw.solver.trace import step_text

    moves = "; ".join(step_text(game, s) for s in trace.steps[1:] if s.move is not None and s.fault is None)
    words = ["tablelaw", "play", args.spec, "--players", str(game.players)]
    words += [w for o in args.option for w in ("--option", o)]
    words += ["--at", args.at] if args.at is not None else []
    return [*words, "--moves", moves]
