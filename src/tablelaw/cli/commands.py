"""Which function does what a command asks, and the short ones."""

from __future__ import annotations

import argparse
import ctypes
import importlib
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tablelaw import __version__
from tablelaw.cli import watchdog
from tablelaw.cli.common import (
    BAD_SPEC,
    FINDING,
    INTERNAL,
    OK,
    UNKNOWN,
    Progress,
    complain,
    envelope,
    game_of,
    load_rules,
    read_position,
    setting_of,
)
from tablelaw.spec.diagnostics import Diagnostics, render

if TYPE_CHECKING:
    pass

COMMANDS = {
    "new": "new:new",
    "check": "check:check",
    "why": "commands:why",
    "ask": "ask:ask",
    "compare": "compare:compare_command",
    "clarify": "compare:clarify_command",
    "moves": "ask:moves",
    "play": "play:play_command",
    "playouts": "playouts:playouts",
    "perft": "perft:perft_command",
    "conform": "conform:conform_command",
    "fixtures": "fixtures:fixtures",
    "mutants": "fixtures:mutants",
    "draw": "draw:draw",
    "graph": "graph:graph",
    "list": "commands:listing",
    "lint": "commands:lint",
    "recheck": "commands:recheck",
    "explain": "commands:explain_code",
    "format": "commands:format_file",
    "show": "commands:show",
}
"""The module beside this one, imported when it is asked for, and its function, from arguments to an exit status."""


def run(args: argparse.Namespace) -> int:
    """Do what the arguments ask."""
    module, _, name = COMMANDS[args.command].partition(":")
    handler: Callable[[argparse.Namespace], int] = getattr(importlib.import_module(f"tablelaw.cli.{module}"), name)
    from tablelaw.solver.verdict import InternalFault

    try:
        return handler(args)
    except ctypes.ArgumentError as fault:  # Ctrl-C while a term was handed to z3 arrives wrapped in this
        if "KeyboardInterrupt" in str(fault):
            raise KeyboardInterrupt from None
        raise
    except InternalFault as fault:
        print(
            f"internal fault: {fault}\nThis is a fault of tablelaw, not of the rules. Please report it with the rules file.",
            file=sys.stderr,
        )
        return INTERNAL


def why(args: argparse.Namespace) -> int:
    """`tablelaw why`."""
    from tablelaw.checkers import explain
    from tablelaw.checkers.selection import Request
    from tablelaw.checkers.session import Session
    from tablelaw.report import text
    from tablelaw.spec.settings import defaults

    sink = Diagnostics()
    found = game_of(args, sink)
    if found is None:
        return complain(sink)
    rules, game = found
    node = read_position(args.at, sink)
    if sink.has_errors:
        return complain(sink)
    answer = explain.why(rules, game, node, args.move, sink)
    if answer is None:
        return complain(sink)
    trace = answer.result.verdict.trace
    if trace is not None and node is not None:
        broken = Session(rules, Request(), Diagnostics()).broken_invariant(game, trace.steps[0].state)
        if broken is not None:
            answer.warnings.append(f"no play leads to this position: it breaks `{broken}`")
            answer.result.verdict.notes.append(answer.warnings[-1])
    print(envelope(rules, [answer.result.json()]) if args.json else text.why_text(answer, defaults(rules.document)))
    return OK if answer.result.verdict.verdict == "legal" else FINDING


def explain_code(args: argparse.Namespace) -> int:
    """`tablelaw explain`."""
    from tablelaw.spec.codes import CODES
    from tablelaw.spec.diagnostics import did_you_mean

    if args.code is None:
        for code in CODES.values():
            print(f"{code.code}  {code.title}")
        return OK
    found = CODES.get(args.code.upper())
    if found is None:
        near = did_you_mean(args.code.upper(), CODES)
        print(
            f"error[Q109]: there is no code `{args.code}`" + (f"\n  = help: did you mean `{near}`?" if near else ""),
            file=sys.stderr,
        )
        return BAD_SPEC
    print(found)
    return OK


def format_file(args: argparse.Namespace) -> int:
    """`tablelaw format`."""
    from tablelaw.spec.diagnostics import Diagnostic
    from tablelaw.spec.format import format_text
    from tablelaw.spec.source import read_source, write_whole

    sink = Diagnostics()
    path = Path(args.spec)
    path = path / "rules.yaml" if path.is_dir() else path
    source = read_source(str(path))
    if isinstance(source, Diagnostic):
        sink.add(source)
        return complain(sink)
    text = format_text(source, sink)
    if text is None or sink.has_errors:
        return complain(sink)
    if args.check:
        return OK if text == source.text else FINDING
    if args.write:
        write_whole(path, text)
        return OK
    sys.stdout.write(text)
    return OK


def show(args: argparse.Namespace) -> int:
    """`tablelaw show`."""
    if args.schema:
        from tablelaw.spec.schema import json_schema

        print(json.dumps(json_schema(), indent=2))
        return OK
    from tablelaw.report import game as game_text
    from tablelaw.solver.shapes import Unlowerable

    sink = Diagnostics()
    found = game_of(args, sink)
    if found is None:
        return complain(sink)
    _, game = found
    if args.generated:
        from tablelaw.solver.engine import generated_source

        try:
            print(generated_source(game))
        except Unlowerable as why_not:
            print(f"error[Q111]: {why_not}", file=sys.stderr)
            return UNKNOWN
        return OK
    print(game_text.game_text(game))
    return OK


def listing(args: argparse.Namespace) -> int:
    """`tablelaw list`."""
    from tablelaw.report import game as game_text

    sink = Diagnostics()
    found = game_of(args, sink)
    if found is None:
        return complain(sink)
    rules, game = found
    rows = game_text.listing(rules, game, args.what)
    print(envelope(rules, rows) if args.json else game_text.listing_text(rows))
    return OK


def lint(args: argparse.Namespace) -> int:
    """`tablelaw lint`."""
    from tablelaw.checkers.selection import Request
    from tablelaw.checkers.vacuity import lint as look

    sink, progress = Diagnostics(), Progress()
    rules = load_rules(args.spec, sink)
    if rules is None:
        return complain(sink)
    setting = setting_of(args, rules, sink)
    if sink.has_errors:
        return complain(sink)
    request = Request(seconds=args.time or 60.0, tell=progress.tell, cores=False)
    watchdog.again()
    findings = look(rules, setting, args.players or rules.counts[0], request)
    progress.clear()
    if args.json:
        rows = [
            {"code": d.code, "message": d.message, "place": str(d.span) if d.span else None, "help": d.help} for d in findings
        ]
        print(
            json.dumps(
                {"game": rules.document.game, "spec_hash": rules.digest, "version": __version__, "findings": rows},
                ensure_ascii=False,
                indent=1,
            )
        )
    else:
        for d in findings:
            print(render(d))
        print(f"{len(findings)} finding{'s' if len(findings) != 1 else ''}" if findings else "nothing found")
    return FINDING if findings else OK


def recheck(args: argparse.Namespace) -> int:
    """`tablelaw recheck`."""
    from tablelaw.checkers.evidence import SECONDS, Row, recheck_all, without_evidence
    from tablelaw.checkers.unkept import told
    from tablelaw.cli import watchdog
    from tablelaw.report.text import value_text, wrap
    from tablelaw.solver.verdict import Verdict

    sink = Diagnostics()
    rules = load_rules(args.spec, sink)
    if rules is None:
        return complain(sink)
    rows, stopped = list[Row](), ""
    try:
        recheck_all(Path(args.evidence), rules, sink, args.time or SECONDS, rows, watchdog.again)
    except KeyboardInterrupt:
        stopped = f"stopped{watchdog.heard()}"
    if sink.has_errors:
        return complain(sink)
    if args.json:
        print(
            json.dumps(
                {
                    "game": rules.document.game,
                    "spec_hash": rules.digest,
                    "version": __version__,
                    "results": rows,
                    "without": without_evidence(Path(args.evidence)),
                },
                ensure_ascii=False,
                indent=1,
            )
        )
    else:
        for row in rows:
            value = f"{value_text(Verdict('value', value=str(row['value'])))}, " if "value" in row else ""
            print(wrap(f"{row['question']}: {row['verdict']} — {value}{row['reason']}", "    ", ""))
        for line in told(without_evidence(Path(args.evidence))):
            print(wrap(line, "    ", ""))
        if not rows and not stopped:
            print("nothing to re-check: no evidence was kept")
    if stopped:
        print(f"{stopped}; the evidence after that was not looked at", file=sys.stderr)
        return UNKNOWN
    return OK if rows and all(r["verdict"] == "holds" for r in rows) else UNKNOWN
