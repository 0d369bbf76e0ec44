"""A Hypothesis state machine that plays a game by its rules and in an implementation, side by side. Needs `hypothesis`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from tablelaw.solver.evaluate import State
from tablelaw.solver.trace import draw_text, move_text, position_json
from tablelaw.spec.game import Game
from tablelaw.spec.positions import plain
from tablelaw.testing.strategies import model_of, steps

MOST_SHOWN = 8


class Implementation(Protocol):
    """What is driven beside the rules. It may have `position()` besides: variables of the rules as in JSON, some or all."""

    def legal(self) -> Iterable[str]:
        """The legal moves as texts, `take(n=2)`; none at an end. Moves of the table are moves as well."""
        ...

    def play(self, move: str, draw: dict[str, object]) -> object:
        """Make a legal move; `draw` is what is drawn by it, `{"pips": 3}`, empty where nothing is."""
        ...

    def outcome(self) -> Iterable[int] | None:
        """Who has won, by seat; None while the play goes on."""
        ...


class Differs(AssertionError):
    """The implementation says something else than the rules; the message tells the play and both."""


def state_machine(game: Game, make: Callable[..., Implementation]) -> type[RuleBasedStateMachine]:
    """A state machine that compares an implementation with the rules after every step of random plays.

    `make()` begins a game; where the rules have several starts it is `make(position)` with the start as in JSON. Use the
    `TestCase` of what is returned, or hand it to `hypothesis.stateful.run_state_machine_as_test`. It fails with `Differs`,
    or with what the implementation raises; `tablelaw.testing.strategies.NoValue` where the rules themselves are at fault.
    """
    model = model_of(game)

    class Beside(RuleBasedStateMachine):
        state: State
        made: Any

        def __init__(self) -> None:
            super().__init__()
            self.played: list[str] = []

        @initialize(start=st.integers(0, len(model.starts) - 1))
        def begin(self, start: int) -> None:
            self.state = model.starts[start]
            self.made = make(position_json(game, self.state)) if len(model.starts) > 1 else make()

        @rule(step=st.runner().flatmap(lambda machine: machine.choices()))
        def play(self, step: str) -> None:
            """One step, as a text; none where nobody can move."""
            if not step:
                return
            name, _, said = step.partition(" -> ")
            move = model.legal(self.state)[name]
            drawn = model.draws(self.state, move)[said]
            self.played.append(step)
            action = game.action(move.action)
            kinds = {d.name: d.type for d in action.draws} if action is not None else {}
            self.made.play(name, {n: plain(v, kinds[n]) for n, v in drawn})
            self.state = model.take(self.state, move, drawn).state

        @invariant()
        def agrees(self) -> None:
            """Outcome, legal moves and (where it is told) position are those of the rules."""
            wrong = _outcome(model.winners(self.state), self.made.outcome())
            wrong = wrong or _moves(set(model.legal(self.state)), self.made.legal())
            if wrong is None and callable(told := getattr(self.made, "position", None)):
                wrong = _position(position_json(game, self.state), told())
            if wrong is not None:  # in one place, for Hypothesis takes failures of two places for two
                raise Differs(f"{_after(self.played)} {wrong}")

        def choices(self) -> st.SearchStrategy[str]:
            """The steps that can follow."""
            if not model.legal(self.state):
                return st.just("")
            return steps(game, self.state).map(lambda s: _text(game, *s))

    Beside.__name__ = Beside.__qualname__ = "Beside"
    return Beside


def _text(game: Game, move: Any, drawn: Any) -> str:
    said = draw_text(game.action(move.action), drawn)
    return move_text(game, move) + (f" -> {said}" if said else "")


def _after(played: list[str]) -> str:
    return f"after {'; '.join(played)}" if played else "at the start"


def _moves(ours: set[str], told: Iterable[str]) -> str | None:
    """How the legal moves differ, if they do."""
    packed = {"".join(x.split()): x for x in ours}
    theirs = {packed.get("".join(str(x).split()), str(x)) for x in told}
    rows = [
        f"  {word}: {', '.join(sorted(only)[:MOST_SHOWN])}{' …' if len(only) > MOST_SHOWN else ''}"
        for word, only in (("legal by the rules alone", ours - theirs), ("legal in the implementation alone", theirs - ours))
        if only
    ]
    return "\n".join(["the legal moves differ", *rows]) if rows else None


def _outcome(ours: frozenset[int] | None, told: Iterable[int] | None) -> str | None:
    theirs = None if told is None else frozenset(told)
    return None if ours == theirs else _both("it differs who has won", _won(ours), _won(theirs))


def _position(ours: dict[str, object], told: Mapping[str, object]) -> str | None:
    for name, value in told.items():
        if name not in ours:
            return f"the implementation tells `{name}`, and the rules have no such variable"
        if ours[name] != value:
            return _both(f"it differs what `{name}` is", repr(ours[name]), repr(value))
    return None


def _both(what: str, ours: str, theirs: str) -> str:
    return f"{what}\n  by the rules: {ours}\n  in the implementation: {theirs}"


def _won(found: frozenset[int] | None) -> str:
    if found is None:
        return "the play goes on"
    return ", ".join(f"player {p}" for p in sorted(found)) or "nobody"
