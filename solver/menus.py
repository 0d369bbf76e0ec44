"""What may be done in a position of one game, on rows of values: moves with their names, draws and outcomes."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import Move, State
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.write import Writer, compiled, rolls
from tablelaw.spec.game import Action, Game
from tablelaw.spec.operators import Fault
from tablelaw.spec.reckon import Place, value
from tablelaw.spec.types import BagOf
from tablelaw.spec.values import Map, Value

Row = tuple[Value, ...]
Drawn = tuple[tuple[str, Value], ...]
Key = tuple[str, tuple[tuple[str, Value], ...]]
_WRONG = (Fault, KeyError)


@dataclass(frozen=True, slots=True)
class Choice:
    """A legal move of one game; `take` is its generated code, where there is some."""

    move: Move
    action: Action
    take: Callable[..., Any] | None = None


@dataclass(slots=True)
class Menu:
    """What may be done in a position of one game: an end, a fault of the rules, or the table's or the players' moves."""

    ended: bool = False
    winners: frozenset[int] = frozenset()
    fault: str | None = None
    table: bool = False
    choices: dict[Key, Choice] = field(default_factory=dict)
    by_action: dict[str, list[tuple[Key, Choice]]] = field(default_factory=dict)


class Side:
    """One of the games: its moves and steps on rows of values, by generated code where that can be written."""

    def __init__(self, game: Game, coded: bool = True) -> None:
        self.game = game
        self.names = tuple(v.name for v in game.variables)
        table = [a for a in game.actions if a.by is None]
        others = [a for a in game.actions if a.by is not None]
        self.groups = (list(enumerate(table)), list(enumerate(others, len(table))))
        self.params = {a.name: tuple(b.name for b in a.params) for a in game.actions}
        self.code: dict[str, Any] | None = None
        if coded:
            writer = Writer(game)
            try:
                self.code = compiled(writer.write(), writer.constants)
            except (Unlowerable, RecursionError):
                self.code = None

    def row(self, state: State) -> Row:
        """A position as a row."""
        return tuple(state[n] for n in self.names)

    def state(self, row: Row) -> State:
        """A row as a position."""
        return Map(dict(zip(self.names, row, strict=True)))

    def end(self, row: Row) -> tuple[bool, frozenset[int]]:
        """Has the play ended, and who has won?"""
        if self.code is not None:
            ended = self.code["which_end"](row) >= 0
            return ended, self.code["who_won"](row) if ended else frozenset()
        state = self.state(row)
        ended = evaluate.end(self.game, state) is not None
        return ended, evaluate.winners(self.game, state) if ended else frozenset()

    def menu(self, row: Row, other: Menu | None = None, alike: frozenset[str] = frozenset(), same_ends: bool = False) -> Menu:
        """What may be done; of actions that are alike in another game, in the same position, its moves are taken over."""
        menu = Menu()
        if other is not None and other.fault is not None:
            other = None
        try:
            menu.ended, menu.winners = (other.ended, other.winners) if other and same_ends else self.end(row)
            if menu.ended:
                return menu
            for group, table in zip(self.groups, (True, False), strict=True):
                for n, action in group:
                    shared = other is not None and not other.ended and action.name in alike and (table or not other.table)
                    assert other is not None or not shared
                    found = other.by_action[action.name] if shared and other else self.moves(n, action, row)
                    menu.by_action[action.name] = found
                    menu.choices.update(found)
                if table and menu.choices:
                    menu.table = True
                    return menu
        except _WRONG as wrong:
            return Menu(fault=getattr(wrong, "message", None) or str(wrong))
        return menu

    def closed(self, row: Row, names: frozenset[str]) -> bool:
        """Has none of these actions a move that passes its checks? (No also where that has no value.)"""
        try:
            return not any(self.moves(n, a, row) for group in self.groups for n, a in group if a.name in names)
        except _WRONG:
            return False

    def moves(self, n: int, action: Action, row: Row) -> list[tuple[Key, Choice]]:
        """The moves of one action that pass its checks."""
        names = self.params[action.name]
        if self.code is not None:
            found: list[Callable[..., Any]] = []
            self.code[f"legal_{n}"](row, found)
            listed = []
            for take in found:
                actor, *args = (take.__defaults__ or ())[1:]  # what the written source binds in each move
                move = Move(action.name, tuple(zip(names, args, strict=True)), None if actor < 0 else actor)
                listed.append(((action.name, move.args), Choice(move, action, take)))
            return listed
        return [
            ((action.name, move.args), Choice(move, action))
            for move, there in evaluate.open_moves(self.game, self.state(row), action)
            if evaluate.legal(action, there)
        ]

    def outcomes(self, row: Row, choice: Choice) -> list[tuple[Drawn, Fraction, Row | None]]:
        """Every draw of a move with its chance and the row it leads to; None for a fault."""
        if not choice.action.draws:
            return [((), Fraction(1), self.after(row, choice, ()))]
        state = self.state(row)
        try:
            draws = evaluate.draws(self.game, state, choice.move)
        except Fault:
            return [((), Fraction(1), None)]
        if choice.take is not None:
            try:
                nexts = choice.take(row)[1]
            except _WRONG:
                nexts = [None] * len(draws)
            return [(d, p, n) for (d, p), n in zip(draws, nexts, strict=True)]
        return [(d, p, self.after(row, choice, d)) for d, p in draws]

    def some_draw(self, r: random.Random, row: Row, choice: Choice) -> Drawn | None:
        """One of the draws of a move, each distinct one alike; None where drawing has a fault."""
        names = dict(choice.move.args) | ({} if choice.move.actor is None else {"actor": choice.move.actor})
        here = Place(self.state(row), self.game.players, names)
        drawn: list[tuple[str, Value]] = []
        for d in choice.action.draws:
            try:
                if d.kind == "roll" and isinstance(d.type, BagOf):
                    number, faces = (value(x, here) for x in d.args)
                    values: Sequence[Value] = rolls(number, tuple(faces), d.type.limit or 0)
                else:
                    values = [v for v, _ in evaluate.one_draw(d, here)]
            except Fault:
                return None
            v = values[r.randrange(len(values))]
            drawn.append((d.name, v))
            here = here.bind({d.name: v})
        return tuple(drawn)

    def can_draw(self, row: Row, choice: Choice, drawn: Drawn) -> bool:
        """Can this be drawn after a move?"""
        draws = choice.action.draws
        if [n for n, _ in drawn] != [d.name for d in draws]:
            return False
        names = dict(choice.move.args) | ({} if choice.move.actor is None else {"actor": choice.move.actor})
        here = Place(self.state(row), self.game.players, names)
        for d, (name, v) in zip(draws, drawn, strict=True):
            try:
                if d.kind == "roll" and isinstance(d.type, BagOf) and isinstance(v, Map):
                    number, faces = (value(x, here) for x in d.args)  # to list them all takes long
                    if sum(v.values()) != number or number > (d.type.limit or 0) or not set(v) <= set(faces):
                        return False
                elif all(v != other for other, _ in evaluate.one_draw(d, here)):
                    return False
            except Fault:
                return False
            here = here.bind({name: v})
        return True

    def after(self, row: Row, choice: Choice, drawn: Drawn) -> Row | None:
        """The row after one draw of a move; None for a fault."""
        if choice.take is not None and not drawn:
            try:
                found: Row | None = choice.take(row)[1][0]
            except _WRONG:
                return None
            return found
        out = evaluate.apply(self.game, self.state(row), choice.move, drawn)
        return None if out.fault is not None else self.row(out.state)
