"""`tablelaw play`: a game by hand, or the record of moves given."""

from __future__ import annotations

import argparse
import contextlib
import json
import random
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from tablelaw.checkers import explain
from tablelaw.checkers.nearby import centre, sorted_moves
from tablelaw.cli.choosing import Choice, squares_first
from tablelaw.cli.common import complain, game_of, read_position
from tablelaw.cli.table import LONGEST_LINE, Drawn, Illegal, Table, Unclear, Undrawn, chosen
from tablelaw.report import text
from tablelaw.report.board import boards
from tablelaw.report.landscape import is_landscape
from tablelaw.report.position import position_words
from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import Move, State
from tablelaw.solver.trace import Step, change_texts, draw_text, move_text, position_json, step_text
from tablelaw.spec.diagnostics import Diagnostics, printable, render
from tablelaw.spec.game import Game
from tablelaw.spec.load import Rules
from tablelaw.spec.operators import Fault, same
from tablelaw.spec.positions import shown
from tablelaw.spec.questions import Line
from tablelaw.spec.settings import defaults
from tablelaw.spec.types import NAMED, Bool, Enum, LayoutType
from tablelaw.spec.yaml_nodes import Node

OK, FINDING, BAD = 0, 1, 2
FEW = 9
"""How many moves of one action are listed before the rest is left to `moves ACTION`."""
FEW_ON_LAND = 2
"""The same where pieces are drawn well enough to choose on the board."""
MOST_SQUARES = 30
"""How many moves `moves ACTION` lists of an action that names squares; the nearest come first."""

HELP = """\
NUMBER            play that move of the list
lay               an action with many moves is chosen step by step; `back` undoes a step
take(n=2)         play this move; its beginning is enough when no other begins so
roll -> pips=3    with what was drawn; without it you are asked, or `--seed` draws
moves [ACTION]    all legal moves, of one action; `moves take(n=2` those that begin so
why MOVE          is it legal here, and by which clause is it not
state             the position, in full
board             the board, all of it
record            the game so far, as a record
save FILE         write the position to a file, for `--at`
undo              take the last choice back
seed N            draw at random from now on (`seed off`: you draw)
quit              end
A move called like a command is a move; `:undo` is the command all the same."""


def play(rules: Rules, game: Game, node: Node | None, args: argparse.Namespace, sink: Diagnostics) -> int:
    """Play from the position of `--at`, else from the start: the moves of `--moves`, or by hand."""
    starts = evaluate.starts(game)
    table = Table.of(game, starts[0], args.seed)
    if node is not None:
        state = table.reader(sink).position(node)
        if state is None or sink.has_errors:
            return _complain(sink)
        try:
            table = Table.of(game, state, args.seed)
        except Fault as fault:
            print(f"the rules have no value in this position: {fault.message}", file=sys.stderr)
            return FINDING
    if args.moves is not None:
        return _given(rules, table, args.moves, sink)
    if node is None and len(starts) > 1:
        print(text.wrap(f"There are {len(starts):,} starts; this is the first. Give another one with --at.", ""))
    Hand(rules, table).run()
    return OK


def _complain(sink: Diagnostics) -> int:
    for d in sink.items:
        print(render(d), file=sys.stderr)
    return BAD


# moves given


def _given(rules: Rules, table: Table, moves: str, sink: Diagnostics) -> int:
    for number, word in enumerate((w.strip() for w in moves.split(";")), 1):
        if not word:
            continue
        line = table.read(word, "--moves", sink)
        if line is None:
            return _complain(sink)
        try:
            table.play(line)
        except Illegal:
            print(text.record(table.game, table.trace))
            answer = why(rules, table, word, sink)
            print(f"move {number}, `{word}`:")
            print(answer if answer is not None else "illegal")
            return FINDING
        except Undrawn as undrawn:
            few = [f"`{undrawn.move.action} -> {_draw(table.game, undrawn.move, d)}`" for d, _ in undrawn.draws[:1]]
            sink.error("Q107", line.span, str(undrawn), help=f"write for example {few[0]}, or give `--seed 1`")
            return _complain(sink)
        except Unclear as unclear:
            sink.error("Q107", line.span, str(unclear), help="write the move out, with its parameters and what it draws")
            return _complain(sink)
        except Fault as fault:
            print(text.record(table.game, table.trace))
            print(text.wrap(f"the rules have no value here: {fault.message}", "    "))
            return FINDING
        if table.steps[-1].fault is not None:
            print(text.record(table.game, table.trace))
            return FINDING
    print(text.record(table.game, table.trace))
    told = ending(table)
    if told:
        print(told)
    return OK


def why(rules: Rules, table: Table, move: str, sink: Diagnostics) -> str | None:
    """The answer of `tablelaw why` about a move in the position on the table; None when it cannot be read."""
    quiet = Diagnostics()
    node = explain.position_node(json.dumps(position_json(table.game, table.state)), "position", quiet)
    answer = explain.why(rules, table.game, node, move, sink)
    return None if answer is None else text.why_text(answer, defaults(rules.document))


def ending(table: Table) -> str:
    """Who has won and by which clause; nothing while the play goes on."""
    game = table.game
    try:
        end, won = evaluate.end(game, table.state), sorted(evaluate.winners(game, table.state))
    except Fault as fault:
        return text.wrap(f"the rules have no value here: {fault.message}", "    ")
    if end is None:
        return ""
    who = f"player {won[0]} wins" if len(won) == 1 else f"players {', '.join(map(str, won))} win" if won else "nobody wins"
    entry = game.clauses.get(end.id)
    says = f": {entry.says}" if entry is not None and entry.says else ""
    return text.wrap(f"The game has ended, {who}. {text.cited(game, end.id)}{says}", "    ", "")


# by hand


class Hand:
    """Reads lines and answers them."""

    def __init__(self, rules: Rules, table: Table) -> None:
        self.rules, self.table, self.game = rules, table, table.game
        self.terminal = sys.stdin.isatty()
        self.input = self._lines()
        self.listed: list[Move] = []
        self.choice: Choice | None = None
        self.commands: dict[str, Callable[[str], object]] = {
            "moves": self._moves, "why": self._why, "state": self._state, "board": self._board, "back": self._back,
            "record": self._record, "save": self._save,
            "undo": self._undo, "seed": self._seed, "help": lambda _: print(HELP), "?": lambda _: print(HELP),
        }  # fmt: skip

    def _lines(self) -> Iterator[str]:
        if not self.terminal:
            if hasattr(sys.stdin, "reconfigure"):
                sys.stdin.reconfigure(errors="backslashreplace")
            yield from (line.strip()[:LONGEST_LINE] for line in sys.stdin)
            return
        with contextlib.suppress(ImportError):
            import readline  # noqa: F401  (line editing in `input`)
        while True:
            try:
                yield input("> ").strip()[:LONGEST_LINE]
            except (EOFError, KeyboardInterrupt):
                print()
                return

    def run(self) -> None:
        """Until `quit`, or the end of what is typed."""
        title = self.game.title or self.game.name
        setting = ", ".join(f"{k}={v}" for k, v in self.game.setting.items())
        print(text.wrap(f"{title}, {self.game.players} players" + (f", {setting}" if setting else ""), "    ", ""))
        if self.terminal:
            print("`help` lists the commands.")
        self._settle(len(self.table.steps))
        self._show(None)
        for line in self.input:
            if not line or line.startswith("#"):
                continue
            if not self._do(line):
                return

    def _do(self, line: str) -> bool:
        word, _, rest = line.partition(" ")
        command = word.removeprefix(":")
        taken = not word.startswith(":") and self.game.action(word) is not None
        if command in ("quit", "exit", "q") and not taken:
            return False
        try:
            if self.choice is not None and not taken and (after := self.choice.take(line)) is not None:
                self._chosen(after)
            elif command in self.commands and not taken:
                self.commands[command](rest.strip())
            elif not self._begun(line):
                self._play(line)
        except Fault as fault:
            print(text.wrap(f"the rules have no value here: {fault.message}", "    ", ""))
        except Unclear as unclear:
            print(text.wrap(str(unclear), "    ", ""))
        return True

    # moves, step by step

    def _begun(self, typed: str) -> bool:
        """An action with many moves, by its name alone: what it leaves open is asked one by one."""
        mine = [m for m in self._legal() if m.action == typed]
        if len(mine) <= FEW:
            return False
        self._chosen(Choice.of(self.game, self.table.state, self._in_order(mine)))
        return True

    def _chosen(self, choice: Choice) -> None:
        if choice.done is not None:
            self.choice = None
            self._play(move_text(self.game, choice.done))
            return
        self.choice = choice
        print(choice.text(text.width()))

    def _back(self, rest: str) -> None:
        if self.choice is None or self.choice.back is None:
            print("no move is being chosen; `undo` takes the last one back")
            return
        self._chosen(self.choice.back)

    # moves

    def _play(self, typed: str) -> None:
        sink = Diagnostics()
        full = self._meant(typed)
        if isinstance(full, list):
            print(text.wrap(f"which one: {', '.join(full[:FEW])}{', …' if len(full) > FEW else ''}", "    ", ""))
            return
        line = self.table.read(full, "move", sink)
        if line is None:
            _tell(sink)
            return
        before = len(self.table.steps)
        self.choice = None
        try:
            self.table.play(line)
        except Illegal:
            answer = why(self.rules, self.table, full, sink)
            print(answer) if answer is not None else _tell(sink)
            return
        except Undrawn as undrawn:
            del self.table.steps[before:]
            if self.table.marks and self.table.marks[-1] == before:
                self.table.marks.pop()
            drawn = self._ask(undrawn) if line.times == 1 else None
            if drawn is None:
                print("not played")
                return
            self.table.marks.append(before)
            self.table.settle(line.action)
            self.table.go(undrawn.move, drawn)
        self._settle(before)
        self._show(before)

    def _settle(self, before: int) -> None:
        try:
            if self.table.steps[-1].fault is None:
                self.table.settle()
                self._drawn_by_chance()
        except Unclear as unclear:
            print(text.wrap(str(unclear), "    ", ""))
        except Fault:
            pass  # told with the moves
        for at in range(before, len(self.table.steps)):
            self._told(self.table.steps[at - 1], self.table.steps[at])

    def _drawn_by_chance(self) -> None:
        """With a seed, the table draws too, as long as it has one thing to do."""
        while self.table.dice is not None and self.table.steps[-1].fault is None:
            moves = self.table.moves()
            if len(moves) != 1 or moves[0].actor is not None:
                return
            self.table.go(moves[0], chosen(evaluate.draws(self.game, self.table.state, moves[0]), self.table.dice))
            self.table.settle()

    def _told(self, before: Step, step: Step) -> None:
        assert step.move is not None
        who = "table" if step.move.actor is None else f"player {step.move.actor}"
        print(text.wrap(f"{who}: {step_text(self.game, step)}", "    ", ""))
        if step.fault is not None:
            print(text.wrap(f"the rules have no value here: {step.fault}; the step is not taken", "    "))
            self.table.undo()
            return
        changed = ", ".join(change_texts(self.game, before.state, step.state))
        print(text.wrap(changed or "nothing changes", "    "))

    def _meant(self, typed: str) -> str | list[str]:
        """The move that a number, a full text or the beginning of one means; several where it is the beginning of several."""
        if typed.isdecimal():
            at = int(typed[:9]) - 1
            if 0 <= at < len(self.listed):
                return move_text(self.game, self.listed[at])
            raise Unclear(f"there is no move {typed[:9]} in the list")
        head, arrow, tail = (p.strip() for p in typed.partition("->"))
        number, _, rest = head.partition(" ")
        if number.isdecimal() and not rest and 0 < int(number[:9]) <= len(self.listed):
            head = move_text(self.game, self.listed[int(number[:9]) - 1])
        name, bracket, inside = head.partition("(")
        if self.game.action(name.strip()) is None:
            texts = {move_text(self.game, m): m.action for m in self._legal()}
            begun = [t for t in texts if t.startswith(head)]
            if len(begun) == 1:
                head = begun[0]
            else:
                actions = [a.name for a in self.game.actions if name.strip() and a.name.startswith(name.strip())]
                legal = [a for a in actions if a in texts.values()] or actions
                if len(legal) > 1:
                    return legal
                if not legal:
                    raise Unclear(f"no action begins with `{printable(name.strip()[:40])}`; `help` lists the commands")
                head = legal[0] + bracket + inside
        elif bracket and not inside.rstrip().endswith(")"):
            begun = [move_text(self.game, m) for m in self._legal() if move_text(self.game, m).startswith(head)]
            if len(begun) != 1:
                return begun or [head + ")"]
            head = begun[0]
        action = self.game.action(head.partition("(")[0].strip())
        if arrow and action is not None and len(action.draws) == 1 and not re.search(r"[=<>]|\b(in|not)\b", tail):
            tail = f"{action.draws[0].name}={tail}"
        return f"{head} -> {tail}" if arrow else head

    def _legal(self) -> list[Move]:
        try:
            return self.table.moves()
        except Fault:
            return []

    def _ask(self, undrawn: Undrawn) -> Drawn | None:
        """What was drawn, typed by hand; None to leave the move."""
        action = self.game.action(undrawn.move.action)
        assert action is not None
        example = _draw(self.game, undrawn.move, undrawn.draws[len(undrawn.draws) // 2][0])
        names = " and ".join(f"`{d.name}`" for d in action.draws)
        asked = f"{len(undrawn.draws):,} draws of {names} are possible. Type one such as {example}, or `random`, or `undo`:"
        print(text.wrap(asked, "    ", ""))
        for typed in self.input:
            if typed in ("undo", "quit", "q", ""):
                return None
            if typed.split()[:1] == ["random"]:
                seed = typed[6:].strip()
                return chosen(undrawn.draws, random.Random(int(seed[:18])) if seed.isdecimal() else random.Random())
            sink = Diagnostics()
            word = typed.removeprefix(action.name).strip().removeprefix("->").strip()
            full = word if "=" in word or len(action.draws) > 1 else f"{action.draws[0].name}={word}"
            line = self.table.read(f"{action.name} -> {full}", "draw", sink)
            fitting = [] if line is None else [d for d, _ in undrawn.draws if _drawn(line, d)]
            if len(fitting) == 1:
                return fitting[0]
            if line is None:
                _tell(sink)
            else:
                print(f"{len(fitting)} draws fit; " + ("name all of it" if fitting else f"type one such as {example}"))
        return None

    # what is shown

    def _show(self, before: int | None) -> None:
        """The position after a step, who moves and how."""
        told = ending(self.table)
        self.choice = None if told else self._squares()
        self._position(before)
        if told:
            self.listed = []
            print(told)
            return
        self._list(None)

    def _squares(self) -> Choice | None:
        """Where many moves of one action, and nothing else, differ first in a square, they are chosen on the board."""
        moves = self._legal()
        land = any(
            isinstance(v.type, LayoutType) and is_landscape(self.table.state[v.name].pieces) for v in self.game.variables
        )
        if len(moves) <= (FEW_ON_LAND if land else FEW) or len({m.action for m in moves}) > 1:
            return None
        return squares_first(self._in_order(moves), self.game, self.table.state)

    def _position(self, before: int | None, whole: bool = False) -> None:
        game, now = self.game, self.table.state
        then = self.table.steps[max(0, min(before or 0, len(self.table.steps)) - 1)].state if before is not None else None
        parts = position_words(game, now, then, whole)
        print(text.wrap(", ".join(parts), "    ", "  ").replace("\xa0", " "))
        self._drawing(then, whole)

    def _drawing(self, then: State | None, whole: bool) -> None:
        labels = self.choice.labels if self.choice is not None and not whole else {}
        drawn = boards(self.game, self.table.state, then, text.width(), labels=labels, cut=not whole and not labels)
        if drawn:
            print(drawn)

    def _list(self, only: str | None) -> None:
        """The legal moves with their numbers: shortened, or those of one action (of all: an empty name) or that begin so."""
        self.listed = self._in_order(self.table.moves())
        if only is None and self.choice is not None:
            print(f"player {self.listed[0].actor} to move, {len(self.listed)} moves:")
            print(self.choice.text(text.width(), drawn=True))
            return
        if not self.listed:
            print("nobody has a legal move, and the game has not ended")
            return
        actor = self.listed[0].actor
        print("the table acts; nobody chooses, so look at either:" if actor is None else f"player {actor} to move:")
        wanted, bracket, _ = (only or "").partition("(")
        groups: list[list[str]] = []
        bare = False
        for name in dict.fromkeys(m.action for m in self.listed):
            if wanted and name != wanted:
                continue
            numbered = [(n, m) for n, m in enumerate(self.listed, 1) if m.action == name]
            if bracket and only:
                numbered = [(n, m) for n, m in numbered if move_text(self.game, m).startswith(only.removesuffix(")"))]
            group = [f"{n} {move_text(self.game, m)}" for n, m in numbered]
            far = len(group) > MOST_SQUARES and squared(self.game, name)
            if len(group) > FEW and only is None:
                group[FEW - 1 :] = [f"… {len(group)} in all: `moves {name}`, or choose: `{name}`"]
            elif far:
                group[MOST_SQUARES:] = [f"… and {len(group) - MOST_SQUARES:,} more, farther off"]
            plain = len(group) == 1 and "(" not in group[0]
            groups[-1:] = [[*groups[-1], *group]] if plain and bare else [*groups[-1:], group]
            bare = plain
            if far:
                groups[-1].append(self._kinds(name, [m for _, m in numbered]))
        for group in groups:
            long = group.pop() if group and group[-1].startswith("  ") else ""
            for row in columns(group, text.width() - 2):
                print("  " + row)
            if long:
                print(text.wrap(long.strip(), "      ", "    "))

    def _in_order(self, moves: list[Move]) -> list[Move]:
        """As they come, those of an action that names squares with the nearest to the laid pieces first."""
        near = centre(self.game, self.table.state, ())
        found: list[Move] = []
        for name in dict.fromkeys(m.action for m in moves):
            mine = [m for m in moves if m.action == name]
            found += sorted_moves(mine, near) if squared(self.game, name) else mine
        return found

    def _kinds(self, name: str, moves: list[Move]) -> str:
        """How many there are of each kind, leaving out where and how turned; and how to type one."""
        action = self.game.action(name)
        assert action is not None
        telling = {b.name: b.type for b in action.params if isinstance(b.type, (Enum, Bool))}
        counts = Counter(", ".join(f"{n}={shown(v, telling[n])}" for n, v in m.args if n in telling) for m in moves)
        kinds = ", ".join(f"{k} {n:,}" for k, n in counts.most_common(8) if k)
        example = move_text(self.game, moves[-1])
        begins = f"`moves {name}({next(iter(counts))}` lists some of them; " if kinds else ""
        return f"  of them {kinds}: {begins}or type one, such as `{example}`" if kinds else f"  type one, such as `{example}`"

    # commands

    def _moves(self, rest: str) -> None:
        actions = [a.name for a in self.game.actions]
        name = rest.partition("(")[0].strip()
        if rest and name not in actions:
            print(text.wrap(f"no action is called `{printable(name)}`; there are {', '.join(actions)}", "    ", ""))
            return
        told = ending(self.table)
        if told:
            print(told)
            return
        if name and not any(m.action == name for m in self._legal()):
            print(f"`{name}` has no legal move here; `why {name}` says by which clause")
            return
        begun = rest.removesuffix(")")
        if "(" in rest and not any(move_text(self.game, m).startswith(begun) for m in self._legal()):
            print(text.wrap(f"no legal move begins with `{printable(begun)}`", "    ", ""))
            return
        self._list(rest)

    def _why(self, rest: str) -> None:
        sink = Diagnostics()
        full = self._meant(rest) if rest else []
        if not isinstance(full, str):
            example = full[0] if full else next((a.name for a in self.game.actions), "MOVE")
            print(f"write for example `why {example}`")
            return
        answer = why(self.rules, self.table, full, sink)
        print(answer) if answer is not None else _tell(sink)

    def _state(self, rest: str) -> None:
        self._position(None, whole=True)

    def _board(self, rest: str) -> None:
        self._drawing(None, whole=True)

    def _record(self, rest: str) -> None:
        print(text.record(self.game, self.table.trace))

    def _save(self, rest: str) -> None:
        if not rest:
            print("write `save FILE`")
            return
        position = json.dumps(position_json(self.game, self.table.state), ensure_ascii=False, indent=1) + "\n"
        try:
            with Path(rest).open("x", encoding="utf-8") as file:  # a file that is there, such as the rules, is never lost
                file.write(position)
        except FileExistsError:
            print(f"{printable(rest)} is there already; choose another name")
            return
        except (OSError, ValueError) as fault:
            reason = fault.strerror if isinstance(fault, OSError) else "it is no file name"
            print(f"`{printable(rest)}` cannot be written: {reason}")
            return
        print(f"written to {printable(rest)}; play on from it with --at")

    def _undo(self, rest: str) -> None:
        if not self.table.undo():
            print("this is where you began")
            return
        self._show(None)

    def _seed(self, rest: str) -> None:
        if rest == "off":
            self.table.dice = None
        elif rest.isdecimal():
            self.table.dice = random.Random(int(rest[:18]))
        else:
            print("write `seed 1`, or `seed off`")
            return
        print("you draw" if self.table.dice is None else f"draws are random, from seed {rest}")


def squared(game: Game, name: str) -> bool:
    """Does a move of the action name a square, or something on one?"""
    action = game.action(name)
    return action is not None and any(isinstance(b.type, NAMED) for b in action.params)


def columns(items: list[str], room: int) -> list[str]:
    """Items side by side in columns of one width, read from left to right."""
    wide = max(map(len, items)) + 3
    across = max(1, (room + 3) // wide)
    return ["".join(i.ljust(wide) for i in items[k : k + across]).rstrip() for k in range(0, len(items), across)]


def _draw(game: Game, move: Move, drawn: Drawn) -> str:
    return draw_text(game.action(move.action), drawn)


def _drawn(line: Line, drawn: Drawn) -> bool:
    known = dict(drawn)
    return line.condition is None and all(same(known[n], v) for n, v in line.draw)


def _tell(sink: Diagnostics) -> None:
    """A fault of what was typed, in short: there is no file to point at."""
    for d in sink.items:
        print(text.wrap(printable(d.message) + (f" ({d.help})" if d.help else ""), "    ", ""))


def play_command(args: argparse.Namespace) -> int:
    """`tablelaw play`."""
    sink = Diagnostics()
    found = game_of(args, sink)
    if found is None:
        return complain(sink)
    rules, game = found
    node = read_position(args.at, sink)
    if sink.has_errors:
        return complain(sink)
    return play(rules, game, node, args, sink)
