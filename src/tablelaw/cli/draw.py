"""`tablelaw draw`: a position of a layout game, or a play, as SVG."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from tablelaw.checkers.standing import Figure, figures, on
from tablelaw.cli.common import BAD_SPEC, OK, complain, load_rules, read_position, setting_of
from tablelaw.cli.layouts import chosen_layout
from tablelaw.report.svg import Frame, drawing
from tablelaw.solver import evaluate
from tablelaw.spec.diagnostics import Diagnostic, Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.grid import STEPS, Cell
from tablelaw.spec.grid import step as off
from tablelaw.spec.layout_text import cell_text, read_cell, read_layout
from tablelaw.spec.layouts import Layout
from tablelaw.spec.load import Rules
from tablelaw.spec.pictures import word_of
from tablelaw.spec.questions import Reader
from tablelaw.spec.source import Source, read_source, write_whole
from tablelaw.spec.types import LayoutType
from tablelaw.spec.yaml_nodes import Scalar, parse_yaml

MOST_FRAMES = 200
FARTHEST, SHOWN = 100, 3
"""How far pieces are looked for along a ray, and how many of its squares are shown in any case."""
Row = dict[str, object]


class _Unusable(Exception):
    """Told already."""


def draw(args: argparse.Namespace) -> int:
    """`tablelaw draw`."""
    sink = Diagnostics()
    try:
        text = _drawn(args, sink)
    except _Unusable:
        return complain(sink)
    if args.output in (None, "-"):
        sys.stdout.write(text)
        return OK
    target = Path(args.output)
    if target.is_file() and not _is_drawing(target):
        print(
            f"error[Q112]: {args.output} is there already, and is no drawing\n  = help: write to another file", file=sys.stderr
        )
        return BAD_SPEC
    try:
        write_whole(target, text)
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) else "it is no file name"
        print(f"error[Q112]: the drawing cannot be written: {reason}: {args.output}", file=sys.stderr)
        return BAD_SPEC
    return OK


def _is_drawing(path: Path) -> bool:
    """An empty file, or an SVG; anything else, such as the rules themselves, is not written over."""
    try:
        with path.open("rb") as file:
            head = file.read(1000)
    except OSError:
        return True  # told when it is written
    return not head.strip() or b"<svg" in head


def _drawn(args: argparse.Namespace, sink: Diagnostics) -> str:
    rules = load_rules(args.spec, sink)
    if rules is None:
        raise _Unusable
    row, where = _play(args, sink) if args.trace is not None else ({}, "")
    game = _game(args, rules, row, sink)
    name, kind = _layout(game, args.of, sink)
    title = f"{game.title or game.name}: {name}"
    if args.trace is not None and args.ray is not None:
        sink.error("Q109", None, "`--ray` is of a position, not of a play", help="give the position with `--at`")
        raise _Unusable
    if args.trace is not None:
        return drawing(f"{title}, a play", _frames(game, row, name, kind, where, sink))
    node = read_position(args.at, sink)
    start = evaluate.starts(game)[0]
    state = start if node is None else Reader(game, sink, start).position(node)
    if state is None or sink.has_errors:
        raise _Unusable
    cells = () if args.ray is None else _ray(state[name], kind, args.ray, sink)
    return drawing(title, [Frame(state[name], standing=tuple(on(state[name], figures(game, state))), ray=cells)])


def _ray(layout: Layout, kind: LayoutType, text: str, sink: Diagnostics) -> tuple[Cell, ...]:
    """The squares that a part of the piece on a square points at, as far as pieces lie and two beyond."""
    square = Scalar(text, "plain", Source("--ray", text).span(0, len(text)), tuple(range(len(text) + 1)))
    cell = read_cell(square, kind.cell, sink)
    if cell is None:
        raise _Unusable
    pieces = layout.pieces
    turning = {k.name: k.turning for k in pieces.kinds.values()}
    parts = layout.pieces.parts[layout.cells[cell]] if cell in layout.cells else ()
    ways = [str(v) for p in parts for n, v in p.attributes if n in turning[p.kind] and v in STEPS]
    if not ways:
        message = f"nothing on {cell_text(cell)} points anywhere"
        sink.error("Q109", square.span, message, help="name a square with a part that has a direction")
        raise _Unusable
    far = max((k for k in range(1, FARTHEST) if off(cell, ways[0], k) in layout.cells), default=0)
    return tuple(off(cell, ways[0], k) for k in range(max(far + 1, SHOWN) + 1))


def _game(args: argparse.Namespace, rules: Rules, row: Row, sink: Diagnostics) -> Game:
    """The game under the options of the command line, and under those of the play for what these leave open."""
    given = {text.partition("=")[0].strip() for text in args.option}
    options = row.get("options")
    for name, value in (options if isinstance(options, dict) else {}).items():
        if name in rules.document.options and name not in given and value != "*":
            args.option.append(f"{name}={value}")
    setting = setting_of(args, rules, sink)
    if sink.has_errors:
        raise _Unusable
    players = args.players or row.get("players")
    game = rules.game(setting, players if isinstance(players, int) and players in rules.counts else rules.counts[0], sink)
    if game is None or sink.has_errors:
        raise _Unusable
    return game


def _layout(game: Game, wanted: str | None, sink: Diagnostics) -> tuple[str, LayoutType]:
    """The variable to draw."""
    cure = "a layout is a variable of type `layout[…]`"
    found = chosen_layout(game, wanted, sink, "this game has no layout to draw", cure)
    if found is None:
        raise _Unusable
    return found


# plays


def _play(args: argparse.Namespace, sink: Diagnostics) -> tuple[Row, str]:
    """The result (or bare trace) to draw, with the name of its file."""
    where = "standard input" if args.trace == "-" else args.trace
    source = Source(where, sys.stdin.read()) if args.trace == "-" else read_source(args.trace)
    if isinstance(source, Diagnostic):
        sink.add(source)
        raise _Unusable
    cure = "give the object that `tablelaw check --json` prints, or one of its traces"
    try:
        data = json.loads(source.text)
    except json.JSONDecodeError as fault:
        sink.error("Q109", source.span(fault.pos, fault.pos + 1), "this is no JSON", help=cure)
        raise _Unusable from None
    except (RecursionError, ValueError):
        sink.error("Q109", None, f"{where} cannot be read as JSON", help=cure)
        raise _Unusable from None
    rows = [r for r in _results(data) if isinstance(r, dict) and _steps(r)]
    rows = [r for r in rows if args.question is None or r.get("question") == args.question]
    if not rows:
        what = f"play of `{args.question[:60]}`" if args.question is not None else "play"
        sink.error("Q109", None, f"there is no {what} in {where}", help=cure)
        raise _Unusable
    asked = list(dict.fromkeys(str(r.get("question")) for r in rows))
    if len(asked) > 1:
        few = ", ".join(f"`{q}`" for q in asked[:8])
        sink.error("Q109", None, f"there are {len(asked)} plays in {where}: {few}", help=f"name one: `--question {asked[0]}`")
        raise _Unusable
    return rows[0], where


def _results(data: object) -> list[object]:
    if isinstance(data, dict) and isinstance(data.get("results"), list):
        return list(data["results"])
    return [data]


def _steps(row: Row) -> list[Row]:
    """The steps of a result, or of a bare trace."""
    trace = row.get("trace", row)
    steps = trace.get("steps") if isinstance(trace, dict) else None
    good = isinstance(steps, list) and all(isinstance(s, dict) and isinstance(s.get("state"), dict) for s in steps)
    return list(steps) if good and steps else []


def _frames(game: Game, row: Row, name: str, kind: LayoutType, where: str, sink: Diagnostics) -> list[Frame]:
    """A frame for the start, unless it is empty, and one for each step that changes the layout."""
    frames: list[Frame] = []
    numbers: dict[Cell, int] = {}
    before: Layout | None = None
    for number, step in enumerate(_steps(row)):
        layout = _read(step, name, kind, f"{where}, step {number}", sink)
        if before is not None and layout == before:
            continue
        old = before.cells if before is not None else layout.cells
        laid = [c for c in layout if layout.cells[c] != old.get(c)]
        numbers = {c: n for c, n in numbers.items() if c in layout.cells} | dict.fromkeys(laid, number)
        told = ", ".join(f"{word_of(layout.pieces, layout.cells[c])} on {cell_text(c)}" for c in laid[:2])
        caption = (
            f"{number}: {told or ('the start' if before is None else 'pieces taken away')}{', …' if len(laid) > 2 else ''}"
        )
        frames.append(Frame(layout, frozenset(laid), dict(numbers), caption, _standing(game, step, layout)))
        before = layout
    if len(frames) > 1 and not frames[0].layout.cells:
        frames.pop(0)
    if len(frames) > MOST_FRAMES:
        sink.error(
            "Q109",
            None,
            f"this play has {len(frames)} pictures, at most {MOST_FRAMES} are drawn",
            help="draw a position with `--at`",
        )
        raise _Unusable
    return frames


def _standing(game: Game, step: Row, layout: Layout) -> tuple[Figure, ...]:
    """Who stands on the pieces after a step; nobody where the rest of the position cannot be read."""
    quiet = Diagnostics()
    node = parse_yaml(Source("a step", json.dumps(step["state"], ensure_ascii=False)), quiet)
    state = None if node is None else Reader(game, quiet, evaluate.starts(game)[0]).position(node)
    return () if state is None or quiet.has_errors else tuple(on(layout, figures(game, state)))


def _read(step: Row, name: str, kind: LayoutType, where: str, sink: Diagnostics) -> Layout:
    state = step["state"]
    assert isinstance(state, dict)
    if name not in state:
        sink.error("Q109", None, f"{where}: there is no `{name}`", help="this play is of another game, or of other rules")
        raise _Unusable
    node = parse_yaml(Source(where, json.dumps(state[name], ensure_ascii=False)), sink)
    layout = None if node is None else read_layout(node, kind, sink)
    if layout is None:
        raise _Unusable
    return layout
