"""A move chosen step by step: where, how turned, who; each from a numbered list, squares on the drawn board."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tablelaw.report.board import board, boards
from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import Move, State
from tablelaw.spec.game import Game
from tablelaw.spec.grid import Cell, Part
from tablelaw.spec.layouts import Laid, Layout
from tablelaw.spec.operators import Fault, same
from tablelaw.spec.positions import shown
from tablelaw.spec.reckon import meant
from tablelaw.spec.types import CellType, Enum, LayoutType, Type
from tablelaw.spec.values import Value

MOST_PREVIEWS = 8


@dataclass(frozen=True, slots=True)
class Choice:
    """The moves of an action that are still meant; `chosen` are the parameters that were chosen, `asked` the one to choose."""

    game: Game
    state: State
    moves: tuple[Move, ...]
    chosen: tuple[tuple[str, Value], ...] = ()
    asked: str = ""
    options: tuple[Value, ...] = ()
    back: Choice | None = field(default=None, compare=False)

    @classmethod
    def of(cls, game: Game, state: State, moves: list[Move]) -> Choice:
        """The choice among moves of one action, its first open parameter asked."""
        return cls(game, state, tuple(moves))._next()

    @property
    def done(self) -> Move | None:
        """The move, once it is the only one."""
        return self.moves[0] if len(self.moves) == 1 else None

    @property
    def labels(self) -> dict[Cell, str]:
        """The numbers that stand on the board, where squares are asked for."""
        return {v: str(n) for n, v in enumerate(self.options, 1)} if isinstance(self._kind, CellType) else {}

    def take(self, typed: str) -> Choice | None:
        """The choice after a number of the list or a value of it; None when what was typed is neither."""
        value: Value = None
        if typed.isdecimal() and 0 < int(typed[:9]) <= len(self.options):
            value = self.options[int(typed[:9]) - 1]
        else:
            texts = {self._text(v).replace(" ", ""): v for v in self.options}
            word = typed.replace(" ", "").removeprefix(f"{self.asked}=")
            if word not in texts:
                return None
            value = texts[word]
        kept = tuple(m for m in self.moves if same(dict(m.args)[self.asked], value))
        after = replace(self, moves=kept, chosen=(*self.chosen, (self.asked, value)), asked="", options=(), back=self)
        return after._next()

    def text(self, room: int, drawn: bool = False) -> str:
        """The question; `drawn`: the board with its numbers stands above already."""
        so_far = "".join(f", {n}={shown(v, self._type(n))}" for n, v in self.chosen)
        head = f"{self.moves[0].action}{so_far}: {self.asked}?"
        if isinstance(self._kind, CellType):
            picture = "" if drawn else boards(self.game, self.state, room=room, indent="  ", labels=self.labels)
            return f"{head} type the number of a square\n{picture}".rstrip()
        rows = [f"{head} type a number of the list"]
        pictures = self._previews()
        if pictures:
            return "\n".join([*rows, *_beside(pictures, room)])
        texts = [f"{n} {self._text(v)}{self._about(v)}" for n, v in enumerate(self.options, 1)]
        wide = max(map(len, texts)) + 3
        across = max(1, room // wide)
        rows += ["  " + "".join(x.ljust(wide) for x in texts[k : k + across]).rstrip() for k in range(0, len(texts), across)]
        return "\n".join(rows)

    # inside

    @property
    def _kind(self) -> Type:
        return self._type(self.asked)

    def _type(self, name: str) -> Type:
        action = self.game.action(self.moves[0].action)
        assert action is not None
        return next(b.type for b in action.params if b.name == name)

    def _text(self, value: Value) -> str:
        return shown(value, self._kind)

    def _next(self) -> Choice:
        """With the first parameter that is open."""
        names = [n for n, _ in self.moves[0].args if n not in dict(self.chosen)]
        for name in names:
            found: list[Value] = []
            for m in self.moves:
                value = dict(m.args)[name]
                if not any(same(value, v) for v in found):
                    found.append(value)
            if len(found) > 1:
                return replace(self, asked=name, options=tuple(found))
        return self

    def _about(self, value: Value) -> str:
        """What a part belongs to, as a person sees it."""
        if not isinstance(value, Part):
            return ""
        for v in self.game.variables:
            layout = self.state[v.name]
            if isinstance(v.type, LayoutType) and any(meant(value, p) for p in layout.parts(value.cell)):
                f = layout.feature(value)
                squares = f"{f.size} square{'' if f.size == 1 else 's'}"
                reach = layout.pieces.kinds[f.kind].reach
                ends = "" if reach == "inside" else ", closed" if f.closed else f", open at {f.open}"
                return f"  ({squares}{ends})"
        return ""

    def _previews(self) -> list[str]:
        """The piece that each option would lay, as pictures; none where that is not what the options differ in."""
        if len(self.options) > MOST_PREVIEWS:
            return []
        found: list[tuple[Layout, Laid]] = []
        for value in self.options:
            move = next(m for m in self.moves if same(dict(m.args)[self.asked], value))
            lies = self._lays(move)
            if lies is None:
                return []
            found.append(lies)
        if len({laid for _, laid in found}) < len(found):
            return []
        pictures = []
        for number, (value, (layout, laid)) in enumerate(zip(self.options, found, strict=True), 1):
            alone = board(layout.with_cells({Cell(0, 0): laid})).split("\n")[:3]
            name = self._text(value) if isinstance(self._kind, Enum) else f"{self.asked}={self._text(value)}"
            pictures.append("\n".join([f"{number} {name}", *(row.ljust(7) for row in alone)]))
        return pictures

    def _lays(self, move: Move) -> tuple[Layout, Laid] | None:
        """The one piece that a move lays."""
        action = self.game.action(move.action)
        if action is None or action.draws:
            return None
        try:
            after = evaluate.apply(self.game, self.state, move).state
        except Fault:
            return None
        for v in self.game.variables:
            if isinstance(v.type, LayoutType):
                new = [laid for c, laid in after[v.name].cells.items() if self.state[v.name].cells.get(c) != laid]
                if len(new) == 1:
                    return after[v.name], new[0]
        return None


def squares_first(moves: list[Move], game: Game, state: State) -> Choice | None:
    """The choice, where the first thing open is a square; None else."""
    found = Choice.of(game, state, moves)
    return found if found.labels else None


def _beside(pictures: list[str], room: int) -> list[str]:
    rows: list[str] = []
    blocks = [p.split("\n") for p in pictures]
    wide = max(len(row) for b in blocks for row in b) + 3
    across = max(1, (room - 2) // wide)
    for k in range(0, len(blocks), across):
        few = blocks[k : k + across]
        high = max(map(len, few))
        rows += ["  " + "".join((b[i] if i < len(b) else "").ljust(wide) for b in few).rstrip() for i in range(high)]
    return rows
