"""A game to be played by tests: its legal steps as texts, looked up again where they were looked up before."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any

from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import Move, State
from tablelaw.solver.trace import Step, draw_text, first_step, move_text, take
from tablelaw.spec.diagnostics import Diagnostics, render
from tablelaw.spec.game import Game
from tablelaw.spec.load import check_everywhere, load
from tablelaw.spec.operators import Fault
from tablelaw.spec.settings import read_setting
from tablelaw.spec.types import cardinality, domain
from tablelaw.spec.values import Value

MOST_KNOWN = 5_000
"""Where a game has no more than so many moves in all, a move is drawn by its name, else by its place among the legal ones."""
MOST_KEPT = 50_000

Drawn = tuple[tuple[str, Value], ...]


class BadRules(Exception):
    """A rules file that cannot be used; the message is what the command line says of it."""


class NoValue(Exception):
    """The rules have no value somewhere: a finding about the rules, whatever is being tested."""


def load_game(spec: str, options: Mapping[str, str] | None = None, players: int | None = None) -> Game:
    """The game of a rules file, or of the `rules.yaml` in a folder; raises `BadRules`.

    Options left out stand at their defaults; players at the fewest that the game is for.
    """
    sink = Diagnostics()
    rules = load(str(spec), sink)
    if rules is not None:
        check_everywhere(rules, sink)
        setting = read_setting(rules.document, list((options or {}).items()), sink)
        if players is not None and players not in rules.counts:
            raise BadRules(f"`{rules.document.game}` is for {rules.counts[0]} to {rules.counts[-1]} players, not {players}")
        game = rules.game(setting, players or rules.counts[0], sink)
        if game is not None and not sink.has_errors:
            return game
    raise BadRules("\n".join(render(d) for d in sink.items))


@dataclass(slots=True, eq=False, repr=False)
class Model:
    """One game, with what has been looked up of it."""

    game: Game
    starts: list[State] = field(init=False)
    known: list[str] = field(init=False)
    """The texts of all moves that any position could have, in order; empty where these are too many."""
    _legal: dict[State, dict[str, Move]] = field(default_factory=dict)
    _won: dict[State, frozenset[int] | None] = field(default_factory=dict)
    _taken: dict[tuple[State, Move, Drawn], Step] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.starts = evaluate.starts(self.game)
        self.known = self._all()

    def __repr__(self) -> str:
        return f"<model of {self.game.name}>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))  # Hypothesis would write out the whole game

    def _all(self) -> list[str]:
        sizes = [prod(cardinality(b.type) or MOST_KNOWN + 1 for b in a.params) for a in self.game.actions]
        if sum(sizes) > MOST_KNOWN:
            return []
        found: dict[str, None] = {}
        for a in self.game.actions:
            for values in itertools.product(*(domain(b.type) for b in a.params)):
                args = tuple((b.name, v) for b, v in zip(a.params, values, strict=True))
                found[move_text(self.game, Move(a.name, args))] = None
        return list(found)

    def start(self, state: State) -> Step:
        """The step that a play begins with."""
        return first_step(state, self.game)

    def legal(self, state: State) -> dict[str, Move]:
        """The legal moves of a position by their texts, such as `take(n=2)`; none at an end. Raises `NoValue`."""
        found = self._legal.get(state)
        if found is None:
            try:
                found = {move_text(self.game, m): m for m in evaluate.moves(self.game, state)}
            except Fault as fault:
                raise NoValue(f"the rules have no value here: {fault.message}") from None
            _keep(self._legal, state, found)
        return found

    def draws(self, state: State, move: Move) -> dict[str, Drawn]:
        """What can be drawn by a move, by its text, such as `pips=1`; one empty draw where nothing is drawn."""
        action = self.game.action(move.action)
        try:
            return {draw_text(action, drawn): drawn for drawn, _ in evaluate.draws(self.game, state, move)}
        except Fault as fault:
            raise NoValue(f"the rules have no value here: {fault.message}") from None

    def take(self, state: State, move: Move, drawn: Drawn) -> Step:
        """The step that a move makes with what is drawn. Raises `NoValue`."""
        step = self._taken.get((state, move, drawn))
        if step is None:
            step = take(self.game, state, move, drawn)
            if step.fault is not None:
                raise NoValue(f"the rules have no value after {move_text(self.game, move)}: {step.fault}")
            _keep(self._taken, (state, move, drawn), step)
        return step

    def winners(self, state: State) -> frozenset[int] | None:
        """Who has won, None while the play goes on."""
        if state not in self._won:
            try:
                won = None if evaluate.end(self.game, state) is None else evaluate.winners(self.game, state)
            except Fault as fault:
                raise NoValue(f"the rules have no value here: {fault.message}") from None
            _keep(self._won, state, won)
        return self._won[state]


def _keep(kept: dict[Any, Any], key: object, value: object) -> None:
    """Keep what was looked up; when it is much, all else is let go."""
    if len(kept) >= MOST_KEPT:
        kept.clear()
    kept[key] = value
