"""What several commands share: exit statuses, progress, rules and positions read, one JSON object."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from tablelaw import __version__
from tablelaw.spec.diagnostics import Diagnostics, render

if TYPE_CHECKING:
    from tablelaw.solver.reduce.names import Wanted
    from tablelaw.spec.game import Game
    from tablelaw.spec.load import Rules
    from tablelaw.spec.yaml_nodes import Node

OK, FINDING, BAD_SPEC, UNKNOWN, INTERNAL = 0, 1, 2, 3, 4
MOST_SECONDS = 600.0
"""What one answer may take unless `--time` says otherwise."""


class Gone(Exception):
    """The others who worked on the answers (`--cluster`) are gone, or not to be trusted with them."""


def most_memory() -> int:
    """Mebibytes to use unless `--memory` says otherwise: half of what the machine has, 8 GiB at most."""
    try:
        have = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // (1 << 20)
    except (AttributeError, ValueError, OSError):  # no such call on Windows
        have = 8192
    return min(8192, have // 2)


class Progress:
    """One line on a terminal's standard error, rewritten; nothing elsewhere."""

    def __init__(self) -> None:
        self.on = sys.stderr.isatty() and not os.environ.get("CI")
        self.last = 0.0
        self.prefix = self.text = ""

    def tell(self, text: str) -> None:
        """Show a text, if it is time to, or something else is done now (what is counted begins with a number)."""
        now = time.monotonic()
        if self.on and (now - self.last > 0.2 or text[:1].isdigit() != self.text[:1].isdigit()):
            self.last, self.text = now, text
            width = min(80, shutil.get_terminal_size().columns) - 1
            prefix = self.prefix if len(self.prefix) + len(text) < width else self.prefix.partition(" ")[0]
            whole = f"{prefix} {text}".strip()
            if len(whole) > width:
                whole = whole[: width + 1].rpartition(", ")[0] or whole[:width]
            sys.stderr.write("\r\x1b[K" + whole)
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


def unwritable(out: str) -> str | None:
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


def reductions_of(args: argparse.Namespace) -> Wanted:
    """The reductions asked for; where evidence is kept none that leaves positions out, for it is of all of them."""
    from tablelaw.solver.reduce.names import FOR_EVIDENCE, WHERE_IT_PAYS

    if getattr(args, "evidence", None):
        return FOR_EVIDENCE
    return args.reduction or WHERE_IT_PAYS


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
