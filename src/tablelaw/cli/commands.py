"""What each command does."""

from __future__ import annotations

import argparse
import contextlib
import ctypes
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tablelaw import __version__
from tablelaw.cli import watchdog
from tablelaw.spec.diagnostics import Diagnostics, render

if TYPE_CHECKING:
    from tablelaw.checkers.queries import Queries
    from tablelaw.checkers.result import Result
    from tablelaw.checkers.selection import Case
    from tablelaw.checkers.session import Session
    from tablelaw.spec.game import Game
    from tablelaw.spec.load import Rules
    from tablelaw.spec.yaml_nodes import Node

OK, FINDING, BAD_SPEC, UNKNOWN, INTERNAL = 0, 1, 2, 3, 4


MOST_SECONDS = 600.0
"""What one answer may take unless `--time` says otherwise."""


def most_memory() -> int:
    """Mebibytes to use unless `--memory` says otherwise: half of what the machine has, 8 GiB at most."""
    try:
        have = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // (1 << 20)
    except (AttributeError, ValueError, OSError):  # no such call on Windows
        have = 8192
    return min(8192, have // 2)


def run(args: argparse.Namespace) -> int:
    """Do what the arguments ask."""
    handler: Callable[[argparse.Namespace], int] = COMMANDS[args.command]
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


class Progress:
    """One line on a terminal's standard error, rewritten; nothing elsewhere."""

    def __init__(self) -> None:
        self.on = sys.stderr.isatty() and not os.environ.get("CI")
        self.last = 0.0
        self.prefix = ""

    def tell(self, text: str) -> None:
        now = time.monotonic()
        if self.on and now - self.last > 0.2:
            self.last = now
            sys.stderr.write(f"\r\x1b[K{self.prefix} {text}"[:100])
            sys.stderr.flush()

    def clear(self) -> None:
        if self.on:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


def complain(sink: Diagnostics) -> int:
    """Print what is wrong; the exit status of a bad spec."""
    for d in sink.items:
        print(render(d), file=sys.stderr)
    errors = sum(1 for d in sink.items if d.severity == "error")
    if errors > 1:
        print(f"{errors} errors", file=sys.stderr)
    return BAD_SPEC


def load_rules(path: str, sink: Diagnostics, everywhere: bool = True) -> Rules | None:
    """The rules file, checked under its defaults and each option; None when something is wrong."""
    from tablelaw.spec.load import check_everywhere, load

    rules = load(path, sink)
    if rules is not None and everywhere and not sink.has_errors:
        check_everywhere(rules, sink)
    return None if sink.has_errors else rules


def setting_of(args: argparse.Namespace, rules: Rules, sink: Diagnostics) -> dict[str, str]:
    """The options given on the command line."""
    from tablelaw.spec.settings import read_setting

    pairs = []
    for text in args.option:
        name, equals, value = text.partition("=")
        if not equals:
            sink.error("Q301", None, f"`{text}` is not an option setting", help="write `--option id=value`")
            continue
        if value.strip() == "*" and args.command == "check" and name.strip() in rules.document.options:
            continue  # left open
        pairs.append((name.strip(), value.strip()))
    if args.players is not None and args.players not in rules.counts:
        counts = f"{rules.counts[0]} to {rules.counts[-1]}" if len(rules.counts) > 1 else str(rules.counts[0])
        message = f"this game is for {counts} players, not {args.players}"
        sink.error("Q301", None, message, help=f"write `--players {rules.counts[0]}`")
    return read_setting(rules.document, pairs, sink)


def game_of(args: argparse.Namespace, sink: Diagnostics) -> tuple[Rules, Game] | None:
    """The game under the options and players of the command line."""
    rules = load_rules(args.spec, sink)
    if rules is None:
        return None
    setting = setting_of(args, rules, sink)
    if sink.has_errors:
        return None
    game = rules.game(setting, args.players or rules.counts[0], sink)
    return None if game is None or sink.has_errors else (rules, game)


def envelope(rules: Rules, results: list[dict[str, object]]) -> str:
    """The JSON object of the contract."""
    whole = {"game": rules.document.game, "spec_hash": rules.digest, "version": __version__, "results": results}
    return json.dumps(whole, ensure_ascii=False, indent=1)


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
    if args.junit == "":
        sink.error("Q109", None, "`--junit` needs the name of a file", help="name one: `--junit report.xml`")
    rules = None if sink.has_errors else load_rules(args.spec, sink)
    if rules is None:
        return complain(sink)
    open_options = tuple(t.partition("=")[0].strip() for t in args.option if t.partition("=")[2].strip() == "*")
    setting = setting_of(args, rules, sink)
    if sink.has_errors:
        return complain(sink)
    request = Request(
        tuple(args.question), setting, args.every_option, open_options, args.players, args.every_players, args.engine,
        args.time or MOST_SECONDS, args.memory or most_memory(), progress.tell, not args.quick,
        args.sample or 0,
    )  # fmt: skip
    session = Session(rules, request, sink)
    if not session.check():
        return complain(sink)
    cases = list(session.selection.cases())
    asked = Queries() if args.export == "smtlib" else None
    found = answer_all(session, cases, progress, args, asked)
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
        if results or not stopped:
            print(text.summary(results) if results else "nothing to ask under these options")
        if kept:
            print(text.wrap(kept, "    ", ""))
    if stopped:
        print(f"stopped after {len(results)} of {len(cases)} answers{stopped.rstrip(':')}", file=sys.stderr)
        return UNKNOWN if status == OK else status
    return status


def answer_all(
    session: Session, cases: list[Case], progress: Progress, args: argparse.Namespace, asked: Queries | None = None
) -> tuple[list[Result], str] | None:
    """Answer the cases in turn, printing each as it comes; what there is when Ctrl-C stops it, and why (":": by Ctrl-C).

    None when a question turns out to be at fault (the sink knows). What z3 is asked is kept in `asked`.
    """
    from tablelaw.report import text
    from tablelaw.solver.queries import heard_by
    from tablelaw.spec.settings import defaults

    results: list[Result] = []
    normal, many = defaults(session.doc), len(session.rules.counts) > 1
    progress.prefix = f"[1/{len(cases)}]"
    try:
        with heard_by(asked) if asked is not None else contextlib.nullcontext():
            watchdog.again()
            for number, case, result in session.answers(cases):
                watchdog.again()
                progress.clear()
                progress.prefix = f"[{number + 1}/{len(cases)}] after {case.name}:"
                if result is None:
                    return None
                results.append(result)
                if asked is not None:
                    asked.close()
                if not args.json:
                    print(text.answer(result, normal, many, args.spec, not args.no_plays), flush=True)
    except (KeyboardInterrupt, ctypes.ArgumentError) as stop:
        if isinstance(stop, ctypes.ArgumentError) and "KeyboardInterrupt" not in str(stop):
            raise
        progress.clear()
        return results, watchdog.heard() or ":"
    watchdog.rest()
    return results, ""


def keep_evidence(args: argparse.Namespace, results: list[Result], rules: Rules, asked: Queries | None = None) -> str | None:
    """Write the evidence of what holds and say of how many answers; None (with a message) when it cannot be written."""
    from tablelaw.checkers.evidence import write_all
    from tablelaw.checkers.itf import write_plays

    def more(named: list[tuple[str, Result]]) -> dict[str, object]:
        if args.export == "itf":
            return {"plays": write_plays(Path(args.evidence), named, rules)}
        return {} if asked is None else {"queries": asked.write(Path(args.evidence), named)}

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


def read_position(given: str | None, sink: Diagnostics) -> Node | None:
    """The position of `--at`: a file, or the text itself."""
    from tablelaw.checkers.explain import position_node
    from tablelaw.spec.diagnostics import Diagnostic
    from tablelaw.spec.source import read_source

    if given is None:
        return None
    looks_like_text = given.lstrip()[:1] in ("{", "[") or "\n" in given or ": " in given
    if looks_like_text and not Path(given[:200]).exists():
        return position_node(given, "--at", sink)
    source = read_source(given)
    if isinstance(source, Diagnostic):
        sink.add(source)
        return None
    return position_node(source.text, given, sink)


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
    from tablelaw.checkers.evidence import SECONDS, recheck_all, without_evidence
    from tablelaw.checkers.unkept import told
    from tablelaw.report.text import value_text
    from tablelaw.solver.verdict import Verdict

    sink = Diagnostics()
    rules = load_rules(args.spec, sink)
    if rules is None:
        return complain(sink)
    rows = recheck_all(Path(args.evidence), rules, sink, args.time or SECONDS)
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
            print(f"{row['question']}: {row['verdict']} — {value}{row['reason']}")
        for line in told(without_evidence(Path(args.evidence))):
            print(line)
        if not rows:
            print("nothing to re-check: no evidence was kept")
    return OK if rows and all(r["verdict"] == "holds" for r in rows) else UNKNOWN


def play(args: argparse.Namespace) -> int:
    """`tablelaw play`."""
    from tablelaw.cli.play import play as play_by_hand

    sink = Diagnostics()
    found = game_of(args, sink)
    if found is None:
        return complain(sink)
    rules, game = found
    node = read_position(args.at, sink)
    if sink.has_errors:
        return complain(sink)
    return play_by_hand(rules, game, node, args, sink)


def ask(args: argparse.Namespace) -> int:
    """`tablelaw ask`."""
    from tablelaw.cli.ask import ask as answer_claims

    return answer_claims(args)


def compare(args: argparse.Namespace) -> int:
    """`tablelaw compare`."""
    from tablelaw.cli.compare import compare_command

    return compare_command(args)


def clarify(args: argparse.Namespace) -> int:
    """`tablelaw clarify`."""
    from tablelaw.cli.compare import clarify_command

    return clarify_command(args)


def moves(args: argparse.Namespace) -> int:
    """`tablelaw moves`."""
    from tablelaw.cli.ask import moves as list_moves

    return list_moves(args)


def draw(args: argparse.Namespace) -> int:
    """`tablelaw draw`."""
    from tablelaw.cli.draw import draw as draw_svg

    return draw_svg(args)


def graph(args: argparse.Namespace) -> int:
    """`tablelaw graph`."""
    from tablelaw.cli.graph import graph as write_graph

    return write_graph(args)


def playouts(args: argparse.Namespace) -> int:
    """`tablelaw playouts`."""
    from tablelaw.cli.playouts import playouts as play_at_random

    return play_at_random(args)


def perft(args: argparse.Namespace) -> int:
    """`tablelaw perft`."""
    from tablelaw.cli.perft import perft_command

    return perft_command(args)


def conform(args: argparse.Namespace) -> int:
    """`tablelaw conform`."""
    from tablelaw.cli.conform import conform_command

    return conform_command(args)


def fixtures(args: argparse.Namespace) -> int:
    """`tablelaw fixtures`."""
    from tablelaw.cli.fixtures import fixtures as write_fixtures

    return write_fixtures(args)


def mutants(args: argparse.Namespace) -> int:
    """`tablelaw mutants`."""
    from tablelaw.cli.fixtures import mutants as score_fixtures

    return score_fixtures(args)


def new(args: argparse.Namespace) -> int:
    """`tablelaw new`."""
    from tablelaw.cli.new import new as begin

    sink = Diagnostics()
    status = begin(args, sink)
    return complain(sink) if status is None else status


COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "new": new,
    "check": check,
    "why": why,
    "ask": ask,
    "compare": compare,
    "clarify": clarify,
    "moves": moves,
    "play": play,
    "playouts": playouts,
    "perft": perft,
    "conform": conform,
    "fixtures": fixtures,
    "mutants": mutants,
    "draw": draw,
    "graph": graph,
    "list": listing,
    "lint": lint,
    "recheck": recheck,
    "explain": explain_code,
    "format": format_file,
    "show": show,
}
