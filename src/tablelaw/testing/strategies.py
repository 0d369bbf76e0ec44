"""Hypothesis strategies for the positions, moves and plays of a game. Needs `hypothesis`.

A move is drawn by its name out of all that the game has, not by its place among the legal ones: so a move stays what it is
while Hypothesis leaves out others, and a failure shrinks to a short play.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from tablelaw.solver.evaluate import Move, State
from tablelaw.solver.trace import Step, Trace, step_text
from tablelaw.spec.game import Game
from tablelaw.testing.model import BadRules, Drawn, Model, NoValue, load_game

__all__ = ["BadRules", "NoValue", "Play", "load_game", "model_of", "moves", "plays", "positions", "steps"]

MOST_MOVES = 40
GOING_ON = 64
"""A play goes on after each step with all but one of so many draws."""

_models: dict[int, Model] = {}


def model_of(game: Game) -> Model:
    """The model of a game, one for each game."""
    found = _models.get(id(game))
    if found is None:  # the model keeps its game, so that no other comes to have its number
        found = _models[id(game)] = Model(game)
    return found


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Play:
    """A play: the first step is the start, every other a move with what was drawn and the position it led to."""

    game: Game
    steps: tuple[Step, ...]

    @property
    def position(self) -> State:
        """The position at the end of the play."""
        return self.steps[-1].state

    @property
    def moves(self) -> tuple[str, ...]:
        """The steps as texts, as `tablelaw play --moves` reads them: `roll -> pips=1`."""
        return tuple(step_text(self.game, s) for s in self.steps[1:])

    @property
    def trace(self) -> Trace:
        """The same as a trace, for `tablelaw.checkers.itf` and the reports."""
        return Trace(list(self.steps))

    def __repr__(self) -> str:
        return f"<play of {self.game.name}: {'; '.join(self.moves) or 'the start'}>"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(repr(self))  # Hypothesis would write out the whole game


def _named(model: Model, state: State) -> st.SearchStrategy[str]:
    """The text of a legal move."""
    legal = model.legal(state)
    if not model.known:
        return st.sampled_from(list(legal))
    return st.sampled_from(model.known).filter(legal.__contains__)


def moves(game: Game, position: State) -> st.SearchStrategy[Move]:
    """A legal move of a position; where there is none the strategy is empty."""
    model = model_of(game)
    legal = model.legal(position)
    return _named(model, position).map(legal.__getitem__) if legal else st.nothing()


def steps(game: Game, position: State) -> st.SearchStrategy[tuple[Move, Drawn]]:
    """A legal move with what is drawn by it, likely and unlikely draws alike; empty where there is no move."""
    model = model_of(game)
    return _steps(model, position) if model.legal(position) else st.nothing()


@st.composite
def _steps(draw: Callable[[st.SearchStrategy[object]], object], model: Model, position: State) -> tuple[Move, Drawn]:
    move = model.legal(position)[str(draw(_named(model, position)))]
    drawn = model.draws(position, move)
    return move, drawn[str(draw(st.sampled_from(list(drawn))))] if len(drawn) > 1 else next(iter(drawn.values()))


def plays(game: Game, max_moves: int = MOST_MOVES) -> st.SearchStrategy[Play]:
    """A play from a start, of at most so many steps; it may stop anywhere and stops where nobody can move."""
    return _plays(model_of(game), max_moves)


@st.composite
def _plays(draw: Callable[[st.SearchStrategy[object]], object], model: Model, max_moves: int) -> Play:
    start = draw(st.sampled_from(model.starts)) if len(model.starts) > 1 else model.starts[0]
    found = [model.start(start)]  # type: ignore[arg-type]
    while len(found) <= max_moves and model.legal(found[-1].state) and draw(st.integers(0, GOING_ON - 1)):
        taken: tuple[Move, Drawn] = draw(_steps(model, found[-1].state))  # type: ignore[assignment]
        found.append(model.take(found[-1].state, *taken))
    return Play(model.game, tuple(found))


def positions(game: Game, max_moves: int = MOST_MOVES) -> st.SearchStrategy[State]:
    """A position that some play of at most so many steps reaches: a mapping from the names of variables to values."""
    return plays(game, max_moves).map(lambda play: play.position)
