"""`tablelaw fixtures`: tests that pin down a rulebook. `tablelaw mutants`: how much they notice."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

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
)
from tablelaw.spec.diagnostics import Diagnostics

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
    return rules, maker.make(args.limit), budget


def fixtures(args: argparse.Namespace) -> int:
    """`tablelaw fixtures`."""
    from tablelaw.report.coverage import coverage, summary
    from tablelaw.report.fixtures import written
    from tablelaw.report.text import wrap

    if args.out is not None and (wrong := _unwritable(args.out)) is not None:
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
    except KeyboardInterrupt:
        progress.clear()
        print("stopped before the set was whole: nothing was written", file=sys.stderr)
        return UNKNOWN
    progress.clear()
    out = sys.stderr if args.out is None else sys.stdout
    if args.out is not None or args.coverage:
        print(wrap(summary(found, "" if args.out is None else f"; written to {args.out}"), "  ", ""), file=out)
    if args.coverage:
        from tablelaw.checkers.uncovered import uncovered

        try:
            print("\n" + coverage(found, uncovered(found, PROVING)), file=out)
        finally:
            progress.clear()
    if found.cut:
        print(f"cut: {found.cut}; without that limit there would be others, the same on every machine", file=sys.stderr)
        return UNKNOWN
    return OK


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
    return FINDING if any(s.verdict == "gap" for s in result.survivors) else OK


def _unwritable(out: str) -> str | None:
    """Why a file cannot be written there."""
    path = Path(out)
    try:
        if not out.strip() or path.is_dir():
            return f"`{out}` is no name of a file"
        if not path.parent.is_dir():
            return f"there is no folder `{path.parent}`"
        if not os.access(path if path.exists() else path.parent, os.W_OK):
            return f"`{out}` cannot be written"
    except (OSError, ValueError):
        return f"`{out}` cannot be written"
    return None


def write_whole(path: Path, pieces: Iterable[str]) -> None:
    """Write a file beside and put it in its place, so that there is never half of one; a device is written to as it is."""
    path = path.resolve()
    if path.exists() and not path.is_file():
        with open(path, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(pieces)
        return
    handle, beside = tempfile.mkstemp(prefix=f".{path.name[:40]}-", dir=path.parent)
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(pieces)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o666 & ~_mask()
        os.chmod(beside, mode)
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


def _mask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
