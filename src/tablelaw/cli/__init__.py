"""The command line: arguments in, exit status out."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Callable, Sequence
from typing import Any

from tablelaw import __version__

__all__ = ["main"]

OK, FINDING, BAD_SPEC, UNKNOWN, INTERNAL = 0, 1, 2, 3, 4


class Parser(argparse.ArgumentParser):
    """Tells a fault of usage in one line, with exit status 2."""

    def error(self, message: str) -> None:  # type: ignore[override]
        print(f"error[Q109]: {message}\n  = help: `{self.prog} --help` shows the forms", file=sys.stderr)
        raise SystemExit(BAD_SPEC)


def positive(kind: type[int] | type[float]) -> Callable[[str], float | int]:
    """A number above zero, as an argument."""

    def read(text: str) -> float | int:
        try:
            found = kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"`{text}` is not a {'whole ' if kind is int else ''}number") from None
        if not found > 0:
            raise argparse.ArgumentTypeError(f"`{text}` is not a number above 0")
        if not found < 10**9:
            raise argparse.ArgumentTypeError(f"`{text[:40]}` is too much: it may be 999999999 at most")
        return found

    return read


def whole(text: str) -> int:
    """A whole number, as an argument."""
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"`{text[:40]}` is not a whole number: write for example 1") from None


def reductions(text: str) -> Any:
    """Names of reductions, as an argument."""
    from tablelaw.solver.reduce.names import wanted

    try:
        return wanted(text)
    except ValueError as why:
        raise argparse.ArgumentTypeError(str(why)) from None


def parser() -> argparse.ArgumentParser:
    """All commands with their arguments."""
    top = Parser(prog="tablelaw", description="Ask a rulebook: what is legal, what can happen, and which clause decides.")
    top.add_argument("--version", action="version", version=f"tablelaw {__version__}")
    commands = top.add_subparsers(dest="command", metavar="COMMAND", parser_class=Parser)

    def command(name: str, says: str, spec: bool = True) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=says, description=says)
        if spec:
            sub.add_argument("spec", help="a rules file, or a folder that holds rules.yaml")
        return sub

    def settings(sub: argparse.ArgumentParser, every: bool = False) -> None:
        sub.add_argument(
            "--option",
            action="append",
            default=[],
            metavar="ID=VALUE",
            help="set an option of the game (repeatable); with check and compare, ID=* leaves it open",
        )
        sub.add_argument("--players", type=positive(int), metavar="N", help="the number of players (default: the smallest)")
        if every:
            sub.add_argument(
                "--every-option", action="store_true", help="ask under every setting of the options (study options stay)"
            )
            sub.add_argument("--every-players", action="store_true", help="ask for every number of players")

    def effort(sub: argparse.ArgumentParser) -> None:
        sub.add_argument(
            "--engine", choices=("auto", "explicit", "symbolic"), default="auto", help="who answers (default: auto)"
        )
        sub.add_argument("--time", type=positive(float), metavar="SECONDS", help="the most one answer may take (default: 600)")
        sub.add_argument(
            "--memory",
            type=positive(int),
            metavar="MIB",
            help="the most memory to use (default: half of the machine, at most 8192)",
        )

    def keeping(sub: argparse.ArgumentParser) -> None:
        sub.add_argument("--no-cache", action="store_true", help="work every answer out: tell none that is kept, and keep none")

    def cluster(sub: argparse.ArgumentParser) -> None:
        says = "let others work: `local:N` processes here, or a scheduler of Dask, `tcp://HOST:PORT`"
        sub.add_argument("--cluster", metavar="WHERE", help=says)

    def reducing(sub: argparse.ArgumentParser) -> None:
        sub.add_argument(
            "--reduction",
            type=reductions,
            metavar="NAMES",
            help="search with these only, from the first position on: slicing, symmetry, partial-order, bags (by commas), "
            "`all` or `none` (default: all, once positions are many)",
        )
        sub.add_argument("--explain-engine", action="store_true", help="tell after each answer how it was found")

    def json(sub: argparse.ArgumentParser) -> None:
        sub.add_argument("--json", action="store_true", help="write one JSON object")

    check = command("check", "answer the questions of a rules file")
    check.add_argument(
        "--question", action="append", default=[], metavar="ID", help="only this question or scenario (repeatable)"
    )
    settings(check, every=True)
    effort(check)
    keeping(check)
    reducing(check)
    check.add_argument(
        "--check-reductions", action="store_true", help="search for each answer with all reductions and with none, and compare"
    )
    cluster(check)
    json(check)
    check.add_argument("--no-plays", action="store_true", help="leave out plays, positions and what is best to do")
    check.add_argument("--sample", type=positive(int), metavar="N", help="where nothing else answers, let N plays at random do")
    check.add_argument(
        "--checkpoint",
        metavar="DIR",
        help="keep long searches in a folder, and go on from there after a stop (games without boards)",
    )
    check.add_argument(
        "--spill",
        metavar="DIR",
        help="where a search goes on when the memory is used up (default: the folder of `--checkpoint`, or the cache folder)",
    )
    check.add_argument(
        "--disk", type=positive(int), metavar="MIB", help="the most disk to use for that (default: half of what is free there)"
    )
    check.add_argument("--quick", action="store_true", help="do not work out which clauses an answer rests on")
    check.add_argument("--probe", action="store_true", help="also look for checks, actions and clauses that never matter")
    check.add_argument("--evidence", metavar="DIR", help="write evidence of what holds, for `recheck`")
    check.add_argument(
        "--export",
        action=_Once,
        choices=("itf", "smtlib", "smt2", "prism", "drn"),
        help="with --evidence: also write plays as ITF, all that z3 was asked or what its proofs rest on as SMT-LIB 2, "
        "or the chains of questions of chance for model checkers",
    )
    check.add_argument("--junit", metavar="FILE", help="also write the answers as JUnit XML")

    why = command("why", "is a move legal in a position, and which clauses decide")
    why.add_argument("--at", metavar="POSITION", help="a YAML or JSON file, or the text itself (default: the start)")
    why.add_argument("--move", required=True, metavar="MOVE", help='for example "take(n=2)"')
    settings(why)
    json(why)

    def where(sub: argparse.ArgumentParser) -> None:
        sub.add_argument("--at", metavar="POSITION", help="a YAML or JSON file, `-`, or the text itself (default: the start)")
        sub.add_argument("--after", metavar="MOVES", help="moves to play first: a file, or the text itself, separated by `;`")

    ask = command("ask", "is a claim right: a move, what it leads to, something true here, something that can never come")
    ask.add_argument(
        "claim", nargs="+", metavar="CLAIM", help='"take(n=2)", "take(n=2) gives left == 3", "left > 2", "never left == 1"'
    )
    where(ask)
    settings(ask)
    effort(ask)
    keeping(ask)
    reducing(ask)
    ask.add_argument("--alone", action="store_true", help="do not look at other options")
    json(ask)

    moves = command("moves", "the legal moves of a position")
    where(moves)
    moves.add_argument("--action", metavar="NAME", help="only moves of this action")
    settings(moves)
    json(moves)

    compare = command("compare", "do two settings, editions or files allow the same plays, and where do they part")
    compare.add_argument("other", nargs="?", metavar="OTHER", help="a second rules file, with the same names")
    for side in ("left", "right"):
        says = f"options of the {'first' if side == 'left' else 'second'} (repeatable)"
        compare.add_argument(f"--{side}", action="append", default=[], metavar="ID=VALUE[,ID=VALUE]", help=says)
    compare.add_argument("--at", metavar="POSITION", help="from this position: a YAML or JSON file, or the text itself")
    settings(compare)
    effort(compare)
    json(compare)

    clarify = command("clarify", "what clauses do to the rules without them: entailed, refines, conflicts, fills-gap")
    clarify.add_argument("what", nargs="+", metavar="QUESTION|CLAUSE", help="questions of that kind, or ids of clauses")
    clarify.add_argument("--against", action="append", default=[], metavar="CLAUSE", help="beside these clauses (repeatable)")
    clarify.add_argument("--at", metavar="POSITION", help="from this position: a YAML or JSON file, or the text itself")
    settings(clarify)
    effort(clarify)
    json(clarify)

    play = command("play", "play by hand: legal moves, draws, undo, why")
    play.add_argument("--at", metavar="POSITION", help="where to start (default: the start of the game)")
    play.add_argument("--moves", metavar="MOVES", help="moves to play, separated by `;`; shows the record and stops")
    play.add_argument("--seed", type=whole, metavar="N", help="draw at random from this seed (default: you draw)")
    settings(play)

    playouts = command("playouts", "play whole games at random and count what happens")
    playouts.add_argument("--plays", type=positive(int), metavar="N", help="how many plays (default: 1000)")
    playouts.add_argument(
        "--seed", type=whole, default=0, metavar="S", help="which plays: one seed, the same plays (default: 0)"
    )
    playouts.add_argument("--at", metavar="POSITION", help="where to start (default: the start of the game)")
    playouts.add_argument("--limit", type=positive(int), metavar="STEPS", help="a longer play is cut (default: 10000 steps)")
    playouts.add_argument("--show", type=whole, metavar="I", help="show play number I of the seed, step by step")
    playouts.add_argument("--time", type=positive(float), metavar="SECONDS", help="the most it may take (default: 60)")
    playouts.add_argument("--memory", type=positive(int), metavar="MIB", help="the most memory to use")
    cluster(playouts)
    settings(playouts)
    json(playouts)

    perft = command("perft", "count the sequences of so many moves of players")
    perft.add_argument("--depth", type=positive(int), required=True, metavar="K", help="how many moves")
    perft.add_argument("--divide", action="store_true", help="also by the first move")
    perft.add_argument("--at", metavar="POSITION", help="from this position: a YAML or JSON file, or the text itself")
    perft.add_argument("--time", type=positive(float), metavar="SECONDS", help="the most it may take (default: 600)")
    perft.add_argument("--memory", type=positive(int), metavar="MIB", help="the most memory to use")
    settings(perft)
    json(perft)

    conform = command("conform", "play beside another program of the game, and find where the two differ")
    conform.add_argument("program", nargs="+", metavar="COMMAND", help="after `--`: the command that starts the program")
    conform.add_argument("--plays", type=positive(int), metavar="N", help="how many plays at random (default: 100)")
    conform.add_argument(
        "--seed", type=whole, default=0, metavar="S", help="which plays: one seed, the same plays (default: 0)"
    )
    conform.add_argument("--limit", type=positive(int), metavar="STEPS", help="a longer play is cut (default: 1000 steps)")
    conform.add_argument(
        "--fixtures", metavar="FILE", help="along these fixtures (JSON Lines); plays at random then only with --plays"
    )
    conform.add_argument("--at", metavar="POSITION", help="from this position: a YAML or JSON file, or the text itself")
    conform.add_argument("--at-end", action="store_true", help="compare after whole plays; where they differ, look back for it")
    conform.add_argument("--without", action="append", default=[], metavar="CLAUSE", help="leave this clause out of the rules")
    conform.add_argument("--first", action="store_true", help="stop at the first difference, even where it is explained")
    conform.add_argument("--answer", type=positive(float), metavar="SECONDS", help="the most one answer may take (default: 10)")
    conform.add_argument("--time", type=positive(float), metavar="SECONDS", help="the most all plays may take (default: 600)")
    conform.add_argument("--out", metavar="FILE", help="write each difference there as a fixture (JSON Lines)")
    settings(conform)
    json(conform)

    def making(sub: argparse.ArgumentParser) -> None:
        sub.add_argument("--limit", type=positive(int), metavar="N", help="so many fixtures (default: as many as it takes)")
        settings(sub)
        sub.add_argument("--alone", action="store_true", help="do not look at other options and numbers of players")
        sub.add_argument("--seed", type=whole, default=0, metavar="S", help="which plays at random (default: 0)")
        sub.add_argument("--time", type=positive(float), metavar="SECONDS", help="cut the search then (default: never)")
        sub.add_argument("--memory", type=positive(int), metavar="MIB", help="the most memory to use")

    fixtures = command("fixtures", "write tests that pin down the rules: positions, moves, clauses, outcomes")
    fixtures.add_argument(
        "--format", choices=("jsonl", "pytest", "csv", "feature"), default="jsonl", help="how they are written (default: jsonl)"
    )
    fixtures.add_argument("--out", metavar="FILE", help="where to write them (default: standard output)")
    fixtures.add_argument("--at", metavar="POSITION", help="plays from this position: a YAML or JSON file, or the text itself")
    fixtures.add_argument("--coverage", action="store_true", help="tell what is shown and what is not, by section")
    fixtures.add_argument("--whole", action="store_true", help="write long plays whole")
    making(fixtures)

    mutants = command("mutants", "how many changes of one clause the fixtures notice")
    making(mutants)
    json(mutants)

    draw = command("draw", "draw a layout, or a play that lays pieces, as SVG")
    what = draw.add_mutually_exclusive_group()
    what.add_argument("--at", metavar="POSITION", help="a YAML or JSON file, or the text itself (default: the start)")
    what.add_argument("--trace", metavar="FILE", help="what `check --json` printed, or a trace of it (`-`: standard input)")
    draw.add_argument("--question", metavar="ID", help="with --trace: whose play, when there are several")
    draw.add_argument("--of", metavar="NAME", help="which layout, when the game has several")
    draw.add_argument("--ray", metavar="SQUARE", help='the squares that a part on "(x, y)" points at')
    draw.add_argument("-o", "--output", metavar="FILE", help="where to write it (default: standard output)")
    settings(draw)

    graph = command("graph", "the features of a position, or the states of a game, as a graph")
    graph.add_argument("--at", metavar="POSITION", help="a YAML or JSON file, or the text itself (default: the start)")
    graph.add_argument("--of", metavar="NAME", help="which layout, when the game has several")
    graph.add_argument("--kind", metavar="KIND", help="only parts of this kind (default: all)")
    graph.add_argument("--states", action="store_true", help="the states that can be reached, of any game")
    graph.add_argument("--limit", type=positive(int), metavar="N", help="with --states: how many at most (default: 1000)")
    graph.add_argument("--by", metavar="FORMULA", help="with --states: states where this is the same are one")
    graph.add_argument("--up-to", metavar="NAMES", help="with --states: images under these are one, as rotation,translation")
    graph.add_argument("--format", choices=("dot", "graphml", "json"), help="default: by the name of the file, else dot")
    graph.add_argument("-o", "--output", metavar="FILE", help="where to write it (default: standard output)")
    settings(graph)

    list_ = command("list", "list clauses, questions, options and what cites what")
    list_.add_argument(
        "what", nargs="?", choices=("clauses", "questions", "options", "scenarios", "sources"), help="only these"
    )
    settings(list_)
    json(list_)

    lint = command("lint", "look for what is allowed and looks like a mistake")
    settings(lint)
    lint.add_argument("--time", type=positive(float), metavar="SECONDS", help="the most the look may take")
    json(lint)

    recheck = command("recheck", "check evidence again without the engine that found it")
    recheck.add_argument("evidence", metavar="DIR", help="the folder that `check --evidence` wrote")
    recheck.add_argument(
        "--time", type=positive(float), metavar="SECONDS", help="the most one piece of evidence may take (default: 120)"
    )
    json(recheck)

    explain = command("explain", "the page of a diagnostic code", spec=False)
    explain.add_argument("code", metavar="CODE", nargs="?", help="for example R204 (default: list all)")

    format_ = command("format", "print a rules file in canonical form")
    format_.add_argument("--write", action="store_true", help="write it back to the file")
    format_.add_argument("--check", action="store_true", help="exit 1 if the file is not in canonical form")

    new = command("new", "write a rules file to begin with, with comments", spec=False)
    new.add_argument("name", metavar="NAME", help="what the game is called, as `my-game`")
    new.add_argument("--dir", metavar="DIR", default=".", help="where its folder is made (default: here)")

    show = command("show", "show a checked game, or the code and formulas made from it")
    show.add_argument("--generated", action="store_true", help="the generated Python source of the search")
    show.add_argument("--schema", action="store_true", help="the JSON Schema of rules files")
    settings(show)
    return top


def _quiet(fault: sys.UnraisableHookArgs) -> None:
    """Say nothing of a Ctrl-C that Python could not raise where it came; the command hears of it another way."""
    if not issubclass(fault.exc_type, KeyboardInterrupt) and "KeyboardInterrupt" not in str(fault.exc_value):
        sys.__unraisablehook__(fault)


class _Once(argparse.Action):
    """An argument of which a second value would stand in for the first without a word."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, option: Any = None) -> None:
        """Take the value, unless there is one."""
        if getattr(namespace, self.dest) is not None:
            parser.error(f"`{option}` is given twice: run the command once for each")
        setattr(namespace, self.dest, values)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line on `argv` (the process's own arguments when None) and return the exit status."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    try:
        args = parser().parse_args(argv)
        if args.command is None:
            parser().print_help()
            return OK
        from tablelaw.cli import commands, watchdog

        sys.unraisablehook = _quiet
        with watchdog.ended_by_signals(), watchdog.watched(args):
            return commands.run(args)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else BAD_SPEC
    except KeyboardInterrupt:
        from tablelaw.cli import watchdog

        with contextlib.suppress(KeyboardInterrupt):  # once more, while this is told
            told = watchdog.heard()
            print(f"stopped{told}", file=sys.stderr)
        return UNKNOWN
    except BrokenPipeError:
        sys.stderr.close()
        return OK
    except OSError as fault:  # a full disk, a folder that may not be written
        where = f"`{fault.filename}`: " if fault.filename else ""
        cure = "name a file in a folder that can be written, on a disk with room"
        print(f"error[Q112]: {where}{fault.strerror or fault}\n  = help: {cure}", file=sys.stderr)
        return BAD_SPEC
    except MemoryError:
        print(
            "error[Q110]: the memory of this machine does not suffice\n  = help: ask for less, or for fewer players",
            file=sys.stderr,
        )
        return UNKNOWN
