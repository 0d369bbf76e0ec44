"""The rules' own side of a play that another program plays too: what it is told, and where the two say different things."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tablelaw.checkers.guest import Drawn, Said, Sent
from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import Move, State
from tablelaw.solver.sampling import Choice, Player, Taken, move_of, named, player
from tablelaw.solver.trace import move_text
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.operators import Fault
from tablelaw.spec.positions import Unreadable, read_value, shown
from tablelaw.spec.questions import Line, Reader
from tablelaw.spec.reckon import meant
from tablelaw.spec.source import Source
from tablelaw.spec.yaml_nodes import Mapping, Node, Scalar, parse_yaml

WRONG = (Fault, KeyError)
MOST_TABLE_STEPS = 500


@dataclass(slots=True)
class Apart:
    """Where the rules and the program differ. `kind`: moves, player, refuses, takes, end, winners or position; `rules` and
    `program` say what each says; moves that one side alone has are `missing` (in the program) or `extra`, and `twice` are those
    that the program lists more than once."""

    kind: str
    rules: str
    program: str
    missing: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    twice: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()

    @property
    def sign(self) -> tuple[object, ...]:
        """What is the same of two differences of one sort."""
        names = [sorted({t.partition("(")[0] for t in texts}) for texts in (self.missing, self.extra, self.twice)]
        variables = sorted({p.partition("[")[0] for p in self.paths})
        return self.kind, *map(tuple, names), tuple(variables)


class Faulty(Exception):
    """The rules have no value for what comes next, or the table goes round. `taken`: the step without a value, and what the
    table did unseen before it."""

    def __init__(self, says: str, taken: tuple[Taken, ...] = ()) -> None:
        super().__init__(says)
        self.taken = taken


@dataclass(slots=True)
class Host:
    """One game, played by generated code where it can be."""

    game: Game
    player: Player = field(init=False)
    _reader: Reader = field(init=False)
    _read: dict[str, Line | None] = field(default_factory=dict)
    _listed: tuple[Any, list[Choice]] | None = None
    _told: tuple[Any, dict[str, Choice]] | None = None

    def __post_init__(self) -> None:
        self.player = player(self.game)
        self._reader = Reader(self.game, Diagnostics(), evaluate.starts(self.game)[0])

    # playing

    def legal(self, row: Any) -> list[Choice]:
        """The legal moves; those of the position last asked about are kept. Raises `Faulty`."""
        if self._listed is None or self._listed[0] is not row:
            try:
                self._listed = row, self.player.legal(row)
            except WRONG as fault:
                raise Faulty(f"the rules have no value here: {fault}") from None
        return self._listed[1]

    def step(self, row: Any, choice: Choice, drawn: tuple[Any, ...]) -> Any:
        """The position after a step. Raises `Faulty`."""
        try:
            return self.player.step(row, choice, drawn)[0]
        except WRONG as fault:
            name = self.player.actions[choice[0]].name
            raise Faulty(f"the rules have no value for what `{name}` leads to: {fault}", ((choice, drawn),)) from None

    def told(self, choice: Choice, choices: list[Choice]) -> bool:
        """Is the program told of this step? Of what the table does only where it is drawn or chosen which it is."""
        if choice[1] >= 0 or self.player.actions[choice[0]].draws:
            return True
        return len([c for c in choices if c[0] == choice[0]]) > 1

    def settle(self, row: Any) -> tuple[Any, list[Taken]]:
        """The position after what the table does unseen; those steps."""
        taken: list[Taken] = []
        while len(taken) < MOST_TABLE_STEPS:
            choices = self.legal(row)
            unseen = next((c for c in choices if not self.told(c, choices)), None)
            if unseen is None:
                return row, taken
            try:
                row = self.step(row, unseen, ())
            except Faulty as fault:
                fault.taken = (*taken, *fault.taken)
                raise
            taken.append((unseen, ()))
        raise Faulty(f"the table acts {MOST_TABLE_STEPS} times in a row, and goes on")

    def undecided(self, row: Any) -> tuple[str, ...]:
        """Actions of the table that are open together and lead to different positions: the rules do not say which is first."""
        choices = [c for c in self.legal(row) if not self.told(c, self.legal(row))]
        if len(choices) < 2:
            return ()
        ends = {self.settle(self.step(row, c, ()))[0] for c in choices}
        return tuple(self.player.actions[c[0]].name for c in choices) if len(ends) > 1 else ()

    def sent(self, taken: Taken) -> Sent:
        """A step as the program is told it."""
        choice, drawn = taken
        return move_of(self.player, choice), named(self.player.actions[choice[0]], drawn)

    def find(self, row: Any, move: Move, drawn: Drawn) -> Taken | None:
        """The step with this move and draw; None where it is not legal here or cannot be drawn so."""
        for choice in self.legal(row):
            action = self.player.actions[choice[0]]
            args = tuple((b.name, v) for b, v in zip(action.params, choice[2], strict=True))
            if action.name != move.action or args != move.args:
                continue
            if [d.name for d in action.draws] != [n for n, _ in drawn]:
                return None
            values = tuple(v for _, v in drawn)
            for k, v in enumerate(values):
                try:
                    if v not in self.player.chance(row, choice, k, values[:k])[0]:
                        return None
                except WRONG:
                    return None
            return choice, values
        return None

    def texts(self, row: Any) -> dict[str, Choice]:
        """The legal moves of players by their texts."""
        if self._told is None or self._told[0] is not row:
            self._told = row, {move_text(self.game, move_of(self.player, c)): c for c in self.legal(row) if c[1] >= 0}
        return self._told[1]

    def waits(self, row: Any) -> bool:
        """Is something drawn or chosen by the table next, so that no player moves?"""
        choices = self.legal(row)
        return bool(choices) and choices[0][1] < 0

    def over(self, row: Any) -> bool:
        """Has the play ended? Raises `Faulty`."""
        return self._end(row) >= 0

    def whole(self, row: Any) -> None:
        """Nothing, where the rules have a value for all that is asked of a position. Raises `Faulty`."""
        if self.over(row):
            self._winners(row)
        for choice in self.legal(row):
            if self.player.actions[choice[0]].draws:
                try:
                    self.player.chance(row, choice, 0, ())
                except WRONG as fault:
                    raise Faulty(f"the rules have no value for what is drawn: {fault}") from None

    # comparing

    def apart(self, row: Any, said: Said) -> Apart | None:
        """The first thing that the program says otherwise of a position."""
        end = self._end(row)
        ended = end >= 0
        if said.ended is not None and said.ended != ended:
            by = f"it has ended by `{self.game.ends[end].id}`" if ended else "play goes on"
            return Apart("end", by, "it has ended" if said.ended else "play goes on")
        if ended and said.winners is not None:
            won = self._winners(row)
            if won != said.winners:
                return Apart("winners", _who(won), _who(said.winners))
        if said.position is not None:
            found = self._position(self.player.state(row), said.position)
            if found is not None:
                return found
        choices = self.legal(row)
        actor = choices[0][1] if choices else -1
        if said.moves is not None:
            found = self._moves(row, said.moves)
            if found is not None:
                return found
        if said.player is not None and actor >= 0 and said.player != actor:
            return Apart("player", f"player {actor} moves", f"player {said.player} moves")
        return None

    def _end(self, row: Any) -> int:
        try:
            return self.player.end(row)
        except WRONG as fault:
            raise Faulty(f"the rules have no value here: {fault}") from None

    def _winners(self, row: Any) -> frozenset[int]:
        try:
            return self.player.winners(row)
        except WRONG as fault:
            raise Faulty(f"the rules have no value here: {fault}") from None

    def _moves(self, row: Any, theirs: tuple[str, ...]) -> Apart | None:
        ours = self.texts(row)
        met: Counter[str] = Counter()
        extra: list[str] = []
        for text in theirs:
            if text in ours:
                met[text] += 1
                continue
            fitting = [t for t, c in ours.items() if self._means(text, c)]
            if len(fitting) == 1:  # what a move has no choice about may be left out
                met[fitting[0]] += 1
            else:
                extra.append(text)
        missing, twice = tuple(t for t in ours if t not in met), tuple(t for t, n in met.items() if n > 1)
        if not extra and not missing and not twice:
            return None
        extra = list(dict.fromkeys(extra))
        return Apart("moves", f"{len(ours)} moves", f"{len(theirs)} moves", missing, tuple(extra), twice)

    def _line(self, text: str) -> Line | None:
        if text not in self._read:
            self._read[text] = self.line(text)
        return self._read[text]

    def line(self, text: str) -> Line | None:
        """A move as the program writes it; None where it is none of this game's."""
        source = Source("move", text[:2000])
        node = Scalar(source.text, "plain", source.span(0, len(source.text)), tuple(range(len(source.text) + 1)))
        line = self._reader.move_line(node) if source.text.strip() else None
        return line if line is not None and line.action is not None else None

    def _means(self, text: str, choice: Choice) -> bool:
        line = self._line(text)
        action = self.player.actions[choice[0]]
        if line is None or line.action != action.name:
            return False
        args = dict(zip([b.name for b in action.params], choice[2], strict=True))
        return all(meant(v, args[n]) for n, v in line.args)

    def _position(self, state: State, told: dict[str, Any]) -> Apart | None:
        rules: list[str] = []
        program: list[str] = []
        paths: list[str] = []
        for v in self.game.variables:
            if v.name not in told:
                continue
            sink = Diagnostics()
            node = _node(told[v.name])
            try:
                if node is None:
                    raise Unreadable
                theirs = read_value(node, v.type, self.game.names, sink, state[v.name], f"`{v.name}`")
            except Unreadable:
                why = next((d.message for d in sink), "it cannot be read")
                rules.append(f"{v.name} {shown(state[v.name], v.type)}")
                program.append(f"{v.name} {json.dumps(told[v.name], ensure_ascii=False)[:80]} ({why})")
                paths.append(v.name)
                continue
            if theirs != state[v.name]:
                rules.append(f"{v.name} {shown(state[v.name], v.type)}")
                program.append(f"{v.name} {shown(theirs, v.type)}")
                paths.append(v.name)
        unknown = [name for name in told if name not in {v.name for v in self.game.variables}]
        if unknown:
            rules.append(f"no variable `{unknown[0]}`")
            program.append(f"{unknown[0]} {json.dumps(told[unknown[0]], ensure_ascii=False)[:80]}")
            paths.append(unknown[0])
        return Apart("position", "; ".join(rules), "; ".join(program), paths=tuple(paths)) if paths else None


def _node(told: object) -> Node | None:
    """A value as the reader of positions takes it."""
    found = parse_yaml(Source("outcome", json.dumps({"value": told}, ensure_ascii=False)), Diagnostics())
    return found.get("value") if isinstance(found, Mapping) else None


def _who(won: frozenset[int]) -> str:
    if not won:
        return "nobody wins"
    return f"player{'s' if len(won) > 1 else ''} {', '.join(map(str, sorted(won)))} win{'' if len(won) > 1 else 's'}"


def replayed(host: Host, row: Any, sent: tuple[Sent, ...]) -> Iterator[Any]:
    """The positions of a play, each after what the table does unseen; it stops where a step is not one of these rules.

    Raises `Faulty`.
    """
    row, _ = host.settle(row)
    yield row
    for move, drawn in sent:
        taken = host.find(row, move, drawn)
        if taken is None:
            return
        row, _ = host.settle(host.step(row, *taken))
        yield row
