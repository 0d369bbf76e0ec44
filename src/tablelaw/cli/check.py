"""`tablelaw check`: the questions and scenarios of a file answered, printed, and kept."""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tablelaw.cli import watchdog
from tablelaw.cli.common import (
    BAD_SPEC,
    FINDING,
    MOST_SECONDS,
    OK,
    UNKNOWN,
    Gone,
    Progress,
    complain,
    envelope,
    load_rules,
    most_memory,
    reductions_of,
    setting_of,
)
from tablelaw.spec.diagnostics import Diagnostics, render

if TYPE_CHECKING:
    from tablelaw.checkers.kept import Kept
    from tablelaw.checkers.queries import Queries
    from tablelaw.checkers.result import Result
    from tablelaw.checkers.selection import Case
    from tablelaw.checkers.session import Session
    from tablelaw.cli.away import Away
    from tablelaw.spec.load import Rules

NOT_AWAY = ("evidence", "checkpoint", "spill", "explain_engine", "check_reductions")
"""What tells, keeps or writes down how an answer was found, which others do not send back."""


def check(args: argparse.Namespace) -> int:
    """`tablelaw check`."""
    sink, began = Diagnostics(), time.monotonic()
    results: list[Result] = []
    status = check_all(args, sink, results)
    if args.junit:
        from tablelaw.report.junit import junit
        from tablelaw.spec.source import write_whole

        wrong = "\n".join(render(d) for d in sink.items) if sink.has_errors else ""
        write_whole(Path(args.junit), junit(args.spec, results, time.monotonic() - began, wrong))
    return status


def check_all(args: argparse.Namespace, sink: Diagnostics, answered: list[Result]) -> int:
    """Ask everything that the arguments ask for; the exit status. The answers are put into `answered` as well."""
    from tablelaw.checkers.queries import Queries
    from tablelaw.checkers.result import exit_status
    from tablelaw.checkers.selection import Request
    from tablelaw.checkers.session import Session
    from tablelaw.report import text

    progress = Progress()
    if args.evidence == "":
        sink.error("Q109", None, "`--evidence` needs the name of a folder", help="name one: `--evidence DIR`")
    elif args.export and not args.evidence:
        sink.error("Q109", None, "`--export` needs a folder to write to", help="name one: `--evidence DIR`")
    if args.evidence and args.reduction is not None:
        message = "`--reduction` does not go with `--evidence`"
        sink.error("Q109", None, message, help="evidence is of all positions: leave one of them out")
    if args.junit == "":
        sink.error("Q109", None, "`--junit` needs the name of a file", help="name one: `--junit report.xml`")
    if args.checkpoint is not None:
        fit_for_keeping(args.checkpoint, sink)
    if args.spill is not None:
        writable(args.spill, "--spill", sink)
    alone = [f"--{n.replace('_', '-')}" for n in NOT_AWAY if getattr(args, n) and args.cluster is not None]
    if alone:
        sink.error("Q109", None, f"`{alone[0]}` does not go with `--cluster`", help="leave one of them out")
    rules = None if sink.has_errors else load_rules(args.spec, sink)
    if rules is None:
        return complain(sink)
    open_options = tuple(t.partition("=")[0].strip() for t in args.option if t.partition("=")[2].strip() == "*")
    setting = setting_of(args, rules, sink)
    if sink.has_errors:
        return complain(sink)
    request = Request(
        tuple(args.question), setting, args.every_option, open_options, args.players, args.every_players, args.engine,
        args.time or MOST_SECONDS, memory_each(args), progress.tell, not args.quick,
        args.sample or 0, checkpoint=Path(args.checkpoint) if args.checkpoint else None, kept=_kept(args),
        spill=spilling(args), disk=args.disk or 0,
        reductions=reductions_of(args), explained=args.explain_engine or args.check_reductions, both_ways=args.check_reductions,
    )  # fmt: skip
    session = Session(rules, request, sink)
    if not session.check():
        return complain(sink)
    cases = list(session.selection.cases())
    asked = Queries() if args.export == "smtlib" else None
    found = None
    with contextlib.ExitStack() as open_:
        others = None
        if args.cluster is not None:
            from tablelaw.cli.away import away

            others = away(args, session, cases, sink, progress)
            if others is None:
                return complain(sink)
            open_.callback(others.cluster.close)
        found = answer_all(session, cases, progress, args, asked, others)
    if found is None:
        return complain(sink)
    results, stopped = found
    answered.extend(results)
    status = exit_status(results)
    kept = keep_evidence(args, results, rules, asked) if args.evidence else ""
    if kept is None:
        return BAD_SPEC
    if args.probe and not stopped:
        from tablelaw.checkers.vacuity import probe

        findings = probe(rules, setting, args.players or rules.counts[0], request)
        progress.clear()
        for d in findings:
            print(render(d), file=sys.stderr if args.json else sys.stdout)
        status = status or (FINDING if findings else OK)
    if args.json:
        print(envelope(rules, [r.json() for r in results]))
    else:
        if not stopped:
            print(text.summary(results) if results else "nothing to ask under these options")
        if kept:
            print(text.wrap(kept, "    ", ""))
    if stopped:
        whole = sum(r.verdict.reason is None or not r.verdict.reason.startswith("stopped") for r in results)
        bad = sum(r.as_expected is False for r in results)
        told = f"{whole} of {len(cases)} answers" + (f", {bad} not as expected" if bad else "")
        print(f"stopped after {told}{stopped.rstrip(':')}{_kept_so_far(args.checkpoint)}", file=sys.stderr)
        return UNKNOWN if status == OK else status
    return status


def _kept_so_far(folder: str | None) -> str:
    """What a checkpoint has of what was stopped."""
    if folder is None:
        return ""
    from tablelaw.solver.native.checkpoint import Checkpoint

    if Checkpoint.holds(Path(folder)):
        return f"; the search is kept in {folder}, and the same command goes on with it"
    return f"; nothing of it was kept in {folder} yet"


def memory_each(args: argparse.Namespace) -> int:
    """Mebibytes for one answer: as `--memory` says, or the usual; the processes of `--cluster local:N` share it."""
    if args.cluster is None:
        return args.memory or most_memory()
    from tablelaw.cli.cluster import memory_for

    return memory_for(args.cluster, args.memory)


def _kept(args: argparse.Namespace) -> Kept | None:
    """The answers kept between runs; none where more than the answer is wanted, or how it comes about."""
    from tablelaw.checkers.kept import kept_answers

    return None if args.no_cache or args.evidence or args.checkpoint or args.sample else kept_answers()


def answer_all(
    session: Session,
    cases: list[Case],
    progress: Progress,
    args: argparse.Namespace,
    asked: Queries | None = None,
    others: Away | None = None,
) -> tuple[list[Result], str] | None:
    """Answer the cases in turn, printing each as it comes; what there is when Ctrl-C stops it, and why (":": by Ctrl-C).

    None when a question turns out to be at fault (the sink knows). What z3 is asked is kept in `asked`. `others` work on
    the cases already: what has come of them by the time of the stop is told as well.
    """
    from tablelaw.checkers.result import Result
    from tablelaw.report import text
    from tablelaw.solver.queries import heard_by
    from tablelaw.solver.space.graph import Stopped
    from tablelaw.spec.settings import defaults

    results: list[Result] = []
    named = {k: v for k, v in defaults(session.doc).items() if k not in session.request.left_open}
    many, number = len(session.rules.counts) > 1, 0

    def tell(result: Result) -> None:
        results.append(result)
        if not args.json:
            print(text.answer(result, named, many, args.spec, not args.no_plays), flush=True)

    progress.prefix = f"[1/{len(cases)}]" + (f" {cases[0].name}:" if cases else "")
    try:
        with heard_by(asked) if asked is not None else contextlib.nullcontext():
            watchdog.again()
            for number, _, result in session.answers(cases):
                watchdog.again()
                progress.clear()
                if number < len(cases):
                    progress.prefix = f"[{number + 1}/{len(cases)}] {cases[number].name}:"
                if result is None:
                    return None
                tell(result)
                if asked is not None:
                    asked.close()
    except (KeyboardInterrupt, ctypes.ArgumentError, Gone) as stop:
        if isinstance(stop, ctypes.ArgumentError) and "KeyboardInterrupt" not in str(stop):
            raise
        progress.clear()
        why = f": {stop}" if isinstance(stop, Gone) else watchdog.heard() or ":"
        if isinstance(stop, Stopped) and isinstance(stop.known, Result):
            tell(stop.known)
        if others is not None:
            for result in others.rest(cases[number:]):
                tell(result)
        return results, why
    watchdog.rest()
    return results, ""


def fit_for_keeping(folder: str, sink: Diagnostics) -> None:
    """Can long searches be kept in this folder?"""
    from tablelaw.solver.native.compiler import compiler

    if not folder:
        sink.error("Q109", None, "`--checkpoint` needs the name of a folder", help="name one: `--checkpoint DIR`")
    elif compiler() is None:
        help_ = "install a C compiler (`cc`), or leave `--checkpoint` out"
        sink.error("Q109", None, "only a compiled search is kept, and nothing can be compiled here", help=help_)
    else:
        writable(folder, "--checkpoint", sink)


def writable(folder: str, option: str, sink: Diagnostics) -> None:
    """Is it a folder, and may files be written there?"""
    if not folder:
        sink.error("Q109", None, f"`{option}` needs the name of a folder", help=f"name one: `{option} DIR`")
        return
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(13, "Permission denied")
    except (OSError, ValueError) as why:
        told = why.strerror if isinstance(why, OSError) else "no name of a folder"
        sink.error("Q112", None, f"`{folder}`: {told}", help=f"name a folder that can be written: `{option} DIR`")


def spilling(args: argparse.Namespace) -> Path | None:
    """The folder where a search goes on when the memory is used up."""
    from tablelaw.solver.native.compiler import kept_in

    if args.spill or args.checkpoint:
        return Path(args.spill or args.checkpoint)
    try:
        return kept_in() / "spill"
    except RuntimeError:  # nobody's home
        return None


def keep_evidence(args: argparse.Namespace, results: list[Result], rules: Rules, asked: Queries | None = None) -> str | None:
    """Write the evidence of what holds and say of how many answers; None (with a message) when it cannot be written."""
    from tablelaw.checkers.evidence import write_all
    from tablelaw.checkers.itf import write_plays
    from tablelaw.checkers.models import nothing

    def more(named: list[tuple[str, Result]]) -> dict[str, object]:
        if args.export == "itf":
            plays = write_plays(Path(args.evidence), named, rules)
            if not any("file" in row for row in plays):
                nothing(sink, "no play was written", "none of these answers shows one")
            return {"plays": plays}
        if asked is None:
            return {}
        queries = asked.write(Path(args.evidence), named)
        if not any(row["files"] for row in queries):
            nothing(sink, "nothing was written as SMT-LIB", "z3 was not asked on the way to any of these answers")
        return {"queries": queries}

    sink, models = Diagnostics(), args.export if args.export in ("prism", "drn") else ""
    try:
        kept, without = write_all(Path(args.evidence), results, rules, args.export == "smt2", models, sink, more)
    except OSError as why_not:
        print(f"error[Q112]: evidence cannot be written: {why_not.strerror}: {args.evidence}", file=sys.stderr)
        return None
    for d in sink:
        print(render(d), file=sys.stderr)
    has = "has" if without == 1 else "have"
    none = f"; {without} {has} none (`index.json` there says why)" if without else ""
    return f"evidence of {kept} answer{'' if kept == 1 else 's'} written to {args.evidence}{none}"
