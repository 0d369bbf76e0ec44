"""`tablelaw graph`: the features of a position, or the states of a game, as a graph for other programs."""

from __future__ import annotations

import argparse
import re
import sys
from math import prod
from pathlib import Path

from tablelaw.checkers.features import FORMATS, feature_graph, merged, state_graph, up_to, values_of
from tablelaw.checkers.symmetries import tell_broken
from tablelaw.cli.common import BAD_SPEC, MOST_SECONDS, OK, UNKNOWN, Progress, complain, game_of, read_position
from tablelaw.cli.layouts import chosen_layout
from tablelaw.solver import evaluate
from tablelaw.solver.breadth import MOST_CHOICES, MOST_DRAWS, draws_of
from tablelaw.solver.evaluate import State
from tablelaw.solver.layout.reference import Graph
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.symmetry import NAMES, BrokenSymmetry, Symmetry
from tablelaw.spec.core import Expr
from tablelaw.spec.diagnostics import Diagnostics, did_you_mean
from tablelaw.spec.expressions import parse_formula
from tablelaw.spec.formulas import formula
from tablelaw.spec.game import Game
from tablelaw.spec.layouts import Layout
from tablelaw.spec.questions import Reader
from tablelaw.spec.source import Source, Span, write_whole
from tablelaw.spec.types import CellType, EdgeType, PartType, Type, cardinality
from tablelaw.spec.yaml_nodes import Scalar

MOST_STATES = 1000
"""How many states are looked at unless `--limit` says otherwise."""
_ENDINGS = {".gv": "dot", ".dot": "dot", ".graphml": "graphml", ".json": "json"}

_PLACES = (CellType, EdgeType, PartType)


def graph(args: argparse.Namespace) -> int:
    """`tablelaw graph`."""
    sink = Diagnostics()
    _usage(args, sink)
    found = None if sink.has_errors else game_of(args, sink)
    if found is None:
        return complain(sink)
    _, game = found
    node = read_position(args.at, sink)
    start = evaluate.starts(game)[0]
    state = start if node is None else Reader(game, sink, start).position(node)
    if state is None or sink.has_errors:
        return complain(sink)
    broad = _broad(game) if args.states else None
    if broad is not None:
        print(f"error[Q111]: the states cannot be listed: {broad}", file=sys.stderr)
        return UNKNOWN
    starts = [state] if node is not None else evaluate.starts(game)
    try:
        found_graph = _states(game, starts, args, sink) if args.states else _features(game, state, args, sink)
    except OutOfBudget as spent:
        print(f"error[Q111]: the states cannot be compared: {spent.reason}", file=sys.stderr)
        return UNKNOWN
    if found_graph is None:
        return complain(sink)
    write = FORMATS[args.format or _ENDINGS.get(Path(args.output or "").suffix.lower(), "dot")]
    return _written(args.output, write(*found_graph))


def _usage(args: argparse.Namespace, sink: Diagnostics) -> None:
    if args.states:
        for word, given in (("--of", args.of), ("--kind", args.kind)):
            if given is not None:
                cure = "leave out `--states` to see the features of a position"
                sink.error("Q109", None, f"`{word}` does not go with `--states`", help=cure)
    if args.by is not None and args.up_to is not None:
        cure = "leave one of them out"
        sink.error("Q109", None, "`--by` does not go with `--up-to`: both say which states are one", help=cure)
    for word, given in (("--limit", args.limit), ("--by", args.by), ("--up-to", args.up_to)):
        if given is not None and not args.states:
            cure = "write `--states` too, or leave it out to see the features of a position"
            sink.error("Q109", None, f"`{word}` goes with `--states`", help=cure)


def _broad(game: Game) -> str | None:
    """Why single steps of the game cannot be listed; None when they can.

    Collections of squares count for one here: those that rules make hold a few of all that could be.
    """
    for action in game.actions:
        if (n := draws_of(action)) > MOST_DRAWS:
            return f"`{action.name}` can be followed by {n:,} draws; at most {MOST_DRAWS:,} are looked at"
        listed = [b.type for b in action.params if isinstance(b.domain, Type) or not isinstance(b.type, _PLACES)]
        if (n := prod(cardinality(t) or 1 for t in listed)) > MOST_CHOICES:
            return f"`{action.name}` has {n:,} choices; at most {MOST_CHOICES:,} are looked at"
    return None


def _formula(game: Game, text: str | None, sink: Diagnostics) -> Expr | None:
    """The formula of `--by`."""
    if text is None:
        return None
    source = Source("--by", text)
    parsed = parse_formula(Scalar(text, "plain", source.span(0, len(text)), range(len(text) + 1)), sink)
    return None if parsed is None else formula(parsed, game.names, sink, {}, None, "--by")


def _symmetries(text: str | None, sink: Diagnostics) -> dict[str, Span]:
    """The symmetries that `--up-to` names, each with its place."""
    source = Source("--up-to", text or "")
    found: dict[str, Span] = {}
    for word in re.finditer(r"[^\s,]+", source.text):
        name, span = word[0], source.span(*word.span())
        if name not in NAMES:
            near = did_you_mean(name, NAMES)
            cure = f"did you mean `{near}`?" if near else "the symmetries are " + ", ".join(f"`{n}`" for n in NAMES)
            sink.error("Q109", span, f"no symmetry is called `{name[:60]}`", help=cure)
        found[name] = span
    if text is not None and not found:
        sink.error("Q109", None, "`--up-to` names no symmetry", help="write for example `--up-to rotation,translation`")
    return found


def _up_to(found: Graph, game: Game, states: list[State], names: dict[str, Span], sink: Diagnostics) -> Graph | None:
    progress = Progress()
    try:
        return up_to(found, game, states, Symmetry(game, tuple(names)), Budget(MOST_SECONDS, tell=progress.tell))
    except BrokenSymmetry as why:
        tell_broken(sink, names.get(why.name), game, why, "that the graph is drawn up to", "--up-to")
    finally:
        progress.clear()
    return None


def _states(game: Game, starts: list[State], args: argparse.Namespace, sink: Diagnostics) -> tuple[Graph, str] | None:
    by = _formula(game, args.by, sink)
    names = _symmetries(args.up_to, sink)
    if sink.has_errors:
        return None
    limit, progress = args.limit or MOST_STATES, Progress()
    found, states = state_graph(game, starts, limit, progress.tell)
    progress.clear()
    if found.graph["capped"]:
        print(f"these are the first {limit:,} states; there are more: `--limit {limit * 10}` looks at more", file=sys.stderr)
    title = f"{game.name}: states"
    if names:
        small = _up_to(found, game, states, names, sink)
        return None if small is None else (small, f"{title} up to {' and '.join(names)}")
    return (found if by is None else merged(found, values_of(game, states, by))), title


def _features(game: Game, state: State, args: argparse.Namespace, sink: Diagnostics) -> tuple[Graph, str] | None:
    cure = "a layout is a variable of type `layout[…]`; `--states` goes with any game"
    chosen = chosen_layout(game, args.of, sink, "this game has no layout, so there are no features", cure)
    if chosen is None:
        return None
    name, _ = chosen
    kinds = _kinds(state[name], args.kind, sink)
    return None if kinds is None else (feature_graph(state[name], kinds), f"{game.name}: {name}")


def _kinds(layout: Layout, wanted: str | None, sink: Diagnostics) -> list[str] | None:
    """The kinds of part to look at: all, or the one of `--kind`."""
    kinds = list(layout.pieces.kinds)
    if wanted is None or wanted in kinds:
        return kinds if wanted is None else [wanted]
    near = did_you_mean(wanted, kinds)
    cure = f"did you mean `{near}`?" if near else "the kinds are " + ", ".join(f"`{k}`" for k in kinds)
    sink.error("Q109", None, f"these pieces have no parts of kind `{wanted[:60]}`", help=cure)
    return None


def _written(output: str | None, text: str) -> int:
    if output in (None, "-"):
        sys.stdout.write(text)
        return OK
    try:
        write_whole(Path(str(output)), text)
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) else "it is no file name"
        cure = "name a file in a folder that can be written, on a disk with room"
        print(f"error[Q112]: the graph cannot be written: {reason}: {output}\n  = help: {cure}", file=sys.stderr)
        return BAD_SPEC
    return OK
