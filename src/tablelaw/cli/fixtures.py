"""`tablelaw fixtures`: tests that pin down a rulebook. `tablelaw mutants`: how much they notice."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from tablelaw.cli import watchdog
from tablelaw.cli.common import (
    BAD_SPEC,
    FINDING,
    OK,
    UNKNOWN,
    Progress,
    complain,
    envelope,
    game_of,
    most_memory,
    read_position,
    setting_of,
    unwritable,
)
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.source import stream_of, write_whole

if TYPE_CHECKING:
    from tablelaw.checkers.fixture_set import FixtureSet
    from tablelaw.solver.space.graph import Budget
    from tablelaw.spec.load import Rules

PROVING = 20.0


def made(args: argparse.Namespace, progress: Progress) -> tuple[Rules, FixtureSet, Budget] | int:
    """The set of fixtures that the arguments ask for, or an exit status."""
    from tablelaw.checkers.fixture_set import Maker
    from tablelaw.solver import evaluate
    from tablelaw.solver.breadth import too_broad
    from tablelaw.solver.space.graph import Budget
    from tablelaw.spec.questions import Reader

    sink = Diagnostics()
    found = game_of(args, sink)
    if found is None:
        return complain(sink)
    rules, game = found
    at = getattr(args, "at", None)
    node = read_position(at, sink)
    given = None if node is None or sink.has_errors else Reader(game, sink, evaluate.starts(game)[0]).position(node)
    setting = setting_of(args, rules, sink)
    if sink.has_errors:
        return complain(sink)
    broad = too_broad(game)
    if broad is not None:
        print(f"error[Q111]: {broad}", file=sys.stderr)
        return UNKNOWN
    budget = Budget(args.time or 0.0, args.memory or most_memory(), 0, progress.tell)
    maker = Maker(
        rules, setting, args.players, given=given, alone=args.alone, seed=args.seed, budget=budget,
        whole=getattr(args, "whole", False),
    )  # fmt: skip
    watchdog.again()
    try:
        return rules, maker.make(args.limit), budget
    except KeyboardInterrupt:
        stopped = watchdog.heard()
        partial = maker.so_far(args.limit, stopped.removeprefix(": ")) if stopped else None
        if partial is None:
            raise
        return rules, partial, budget


def fixtures(args: argparse.Namespace) -> int:
    """`tablelaw fixtures`."""
    from tablelaw.report.coverage import coverage, summary
    from tablelaw.report.fixtures import written
    from tablelaw.report.text import wrap

    if args.out is not None and (wrong := unwritable(args.out)) is not None:
        print(f"error[Q112]: {wrong}\n  = help: name a file in a folder that can be written", file=sys.stderr)
        return BAD_SPEC
    progress = Progress()
    try:
        told = made(args, progress)
        if isinstance(told, int):
            return told
        _, found, _ = told
        pieces = written((f.json() for f in found.fixtures), args.format)
        if args.out is None:
            progress.clear()
            sys.stdout.writelines(pieces)
        else:
            write_whole(Path(args.out), pieces)
    except BrokenPipeError:
        raise
    except OSError as fault:
        progress.clear()
        cure = "name a file in a folder that can be written, on a disk with room"
        print(f"error[Q112]: `{args.out}` cannot be written: {fault.strerror}\n  = help: {cure}", file=sys.stderr)
        return BAD_SPEC
    except KeyboardInterrupt:
        progress.clear()
        why = watchdog.heard()
        print(f"stopped{why + ',' if why else ''} before the set was whole: nothing was written", file=sys.stderr)
        return UNKNOWN
    progress.clear()
    out = sys.stderr if args.out is None or stream_of(args.out) is sys.stdout else sys.stdout
    if args.out is not None or args.coverage:
        print(wrap(summary(found, "" if args.out is None else f"; written to {args.out}"), "  ", ""), file=out)
    if args.coverage:
        from tablelaw.checkers.uncovered import uncovered

        try:
            print("\n" + coverage(found, uncovered(found, min(PROVING, args.time or PROVING))), file=out)
        finally:
            progress.clear()
    if found.cut:
        print(f"cut: {found.cut}; without that limit there would be others, the same on every machine", file=sys.stderr)
        return UNKNOWN
    return FINDING if _without_value(found) else OK


def _without_value(found: FixtureSet) -> bool:
    """Tell of a position that was met in which the rules have no value."""
    from tablelaw.checkers.valueless import without_value

    if found.without_value is None:
        return False
    game, spot = found.without_value
    player = next(u.eye.player for u in found.unders.values() if u.game is game)
    other = [f"--option {k}={v}" for k, v in game.setting.items() if found.base.game.setting[k] != v]
    other += [f"--players {game.players}"] if game.players != found.base.game.players else []
    under = f" with {' '.join(other)}" if other else ""
    print(without_value(game, player.state(spot.row), None, under), file=sys.stderr)
    return True


def mutants(args: argparse.Namespace) -> int:
    """`tablelaw mutants`."""
    from tablelaw.checkers.mutation import score
    from tablelaw.report.coverage import score_text, summary
    from tablelaw.report.text import wrap

    progress = Progress()
    told = made(args, progress)
    if isinstance(told, int):
        return told
    rules, found, budget = told
    result = score(found, budget)
    progress.clear()
    if args.json:
        print(envelope(rules, [result.json()]))
    else:
        print(wrap(summary(found, ""), "  ", "") + "\n\n" + score_text(result))
    if found.cut:
        print(f"cut: {found.cut}", file=sys.stderr)
        return UNKNOWN
    wrong = _without_value(found)
    return FINDING if wrong or any(s.verdict == "gap" for s in result.survivors) else OK
