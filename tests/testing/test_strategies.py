"""Strategies for plays, moves and positions, and implementations driven beside the rules."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, find, given, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import run_state_machine_as_test

from tablelaw.solver import evaluate
from tablelaw.spec.game import Game
from tablelaw.testing.machine import Differs, state_machine
from tablelaw.testing.strategies import BadRules, NoValue, Play, load_game, model_of, moves, plays, positions

ROOT = Path(__file__).resolve().parents[2]
UNHURRIED = list(HealthCheck)
PHASES = (Phase.generate, Phase.shrink)  # explaining a failure line by line makes all of it slow
QUIET = settings(
    database=None,
    deadline=None,
    suppress_health_check=UNHURRIED,
    max_examples=150,
    stateful_step_count=12,
    phases=PHASES,
)


@cache
def game(name: str, **options: str) -> Game:
    return load_game(str(ROOT / "examples" / name), options)


LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


class Marks:
    """Tic-tac-toe as somebody might write it."""

    lines = LINES

    def __init__(self) -> None:
        self.board: list[int | None] = [None] * 9
        self.turn = 0

    def legal(self) -> list[str]:
        return [] if self.outcome() is not None else [f"mark(square={s})" for s in range(9) if self.board[s] is None]

    def play(self, move: str, draw: dict[str, object]) -> None:
        assert draw == {}
        self.board[int(re.findall(r"\d+", move)[0])] = self.turn
        self.turn = 1 - self.turn

    def outcome(self) -> set[int] | None:
        won = {self.board[a] for a, b, c in self.lines if self.board[a] == self.board[b] == self.board[c] is not None}
        return {w for w in won if w is not None} if won or None not in self.board else None

    def position(self) -> dict[str, object]:
        return {"turn": self.turn, "board": {str(s): p for s, p in enumerate(self.board)}}


class NoDiagonal(Marks):
    """Does not know one of the diagonals: noticed after five moves at the earliest."""

    lines = LINES[:-1]


class SecondLoses(Marks):
    """Does not notice that the second player has a column: noticed after six moves at the earliest."""

    def outcome(self) -> set[int] | None:
        found = super().outcome()
        column = all(self.board[s] == 1 for s in (1, 4, 7))
        return None if column and None in self.board else set() if column else found


class Overwrites(Marks):
    """Lets a corner be marked twice: noticed after one move."""

    def legal(self) -> list[str]:
        found = super().legal()
        return [*found, "mark(square=8)"] if found and "mark(square=8)" not in found else found


class Crashes(Marks):
    """Breaks when the middle is marked second."""

    def play(self, move: str, draw: dict[str, object]) -> None:
        if self.turn == 1 and "4" in move:
            raise ZeroDivisionError("boom")
        super().play(move, draw)


class Misplaces(Marks):
    """Tells a wrong position after the first move."""

    def position(self) -> dict[str, object]:
        found = super().position()
        return {**found, "turn": 0}


def failing(make: Callable[[], Any], number: int, name: str = "tic-tac-toe") -> BaseException:
    """What the state machine fails with, shrunk."""
    try:
        run_state_machine_as_test(seed(number)(state_machine(game(name), make)), settings=QUIET)
    except Exception as error:
        return error
    pytest.fail("nothing was found")


def test_a_right_implementation_passes() -> None:
    """Nothing is found where nothing is wrong, and the machine can be collected as a test case."""
    machine = state_machine(game("tic-tac-toe"), Marks)
    run_state_machine_as_test(machine, settings=settings(QUIET, max_examples=30))
    assert machine.TestCase is not None


@pytest.mark.parametrize("number", [0, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    ("make", "length", "told"),
    [
        (NoDiagonal, 5, "it differs who has won"),
        (SecondLoses, 6, "it differs who has won"),
        (Overwrites, 1, r"legal in the implementation alone: mark\(square=8\)"),
        (Misplaces, 1, "it differs what `turn` is\n  by the rules: 1\n  in the implementation: 0"),
    ],
)
def test_wrong_implementations_shrink_to_the_shortest_play(
    make: Callable[[], Any], length: int, told: str, number: int
) -> None:
    """Whatever plays came first, the one shown is as short as any that fails."""
    error = failing(make, number)
    assert isinstance(error, Differs)
    assert re.search(told, str(error))
    first = str(error).splitlines()[0]
    assert first.count("mark(") == length, str(error)


def test_a_crash_shrinks_too() -> None:
    """What the implementation raises is the failure; the example is the play to it, one call a step."""
    error = failing(Crashes, 1)
    assert isinstance(error, ZeroDivisionError)
    told = "\n".join(getattr(error, "__notes__", []))
    assert told.count("state.play(step=") == 2
    assert "state.play(step='mark(square=4)')" in told


class Pigs:
    """Pig for two, up to 100."""

    def __init__(self) -> None:
        self.turn, self.banked, self.pot = 0, [0, 0], 0

    def legal(self) -> Iterator[str]:
        if self.outcome() is None:
            yield "roll"
            if self.pot or not self.held_only_after_a_roll:
                yield "hold"

    held_only_after_a_roll = True

    def play(self, move: str, draw: dict[str, object]) -> None:
        if move == "roll" and draw != {"pips": 1}:
            self.pot += int(str(draw["pips"]))
            return
        if move == "hold":
            self.banked[self.turn] += self.pot
        self.turn, self.pot = 1 - self.turn, 0

    def outcome(self) -> list[int] | None:
        won = [p for p in (0, 1) if self.banked[p] >= 100]
        return won or None


def test_draws_are_handed_over() -> None:
    """Chance is drawn by the machine; a wrong reading of it is found at once."""

    class Soft(Pigs):
        def play(self, move: str, draw: dict[str, object]) -> None:
            super().play(move, {"pips": 2} if draw == {"pips": 1} else draw)

    error = failing(Soft, 0, "pig")
    assert str(error).startswith("after roll -> pips=1 the legal moves differ\n  legal in the implementation alone: hold")


def test_plays_shrink_to_the_shortest() -> None:
    """The shortest play that has something is found, move for move."""
    ended = find(plays(game("tic-tac-toe")), lambda p: not model_of(p.game).legal(p.position), settings=QUIET)
    assert len(ended.moves) == 5


@given(st.data())
@settings(QUIET, max_examples=30)
def test_plays_are_plays(data: st.DataObject) -> None:
    """Each step is a legal move with one of its draws, and leads where the evaluator says."""
    played = data.draw(plays(game("pig"), 12))
    assert len(played.moves) <= 12
    for before, step in zip(played.steps, played.steps[1:], strict=False):
        assert step.move in evaluate.moves(played.game, before.state)
        assert step.drawn in [drawn for drawn, _ in evaluate.draws(played.game, before.state, step.move)]
        assert evaluate.apply(played.game, before.state, step.move, step.drawn).state == step.state


@given(positions(game("nim", **{"left-heap": "2", "middle-heap": "1", "right-heap": "1"})), st.data())
@settings(QUIET, max_examples=40)
def test_moves_of_reached_positions(position: Any, data: st.DataObject) -> None:
    """A move drawn for a reached position is legal there; where there is none nothing can be drawn."""
    small = game("nim", **{"left-heap": "2", "middle-heap": "1", "right-heap": "1"})
    legal = evaluate.moves(small, position)
    if legal:
        assert data.draw(moves(small, position)) in legal
    else:
        assert moves(small, position).is_empty


def test_long_plays_come_up() -> None:
    """Plays to the end of a game are no rarity."""
    lengths: list[int] = []

    @given(plays(game("tic-tac-toe")))
    @settings(QUIET, phases=[Phase.generate], max_examples=100)
    def collect(played: Play) -> None:
        lengths.append(len(played.moves))

    collect()
    assert sum(n >= 5 for n in lengths) > 30
    assert 0 in lengths


def test_games_with_boards() -> None:
    """Pieces laid on a board are moves like any other."""
    board = load_game(str(ROOT / "examples" / "black-path"))
    played = find(plays(board, 4), lambda p: len(p.moves) == 2, random=random.Random(1))
    assert repr(played).startswith("<play of black-path: ")


def test_bad_rules(tmp_path: Path) -> None:
    """A file that cannot be used says why, with its place; so do options and players that cannot be."""
    (tmp_path / "rules.yaml").write_text("tablelaw: 1\ngame: g\n")
    with pytest.raises(BadRules, match=r"rules\.yaml:"):
        load_game(str(tmp_path))
    with pytest.raises(BadRules, match="pigs"):
        load_game(str(ROOT / "examples" / "pig"), {"pigs": "two"})
    with pytest.raises(BadRules, match="not 99"):
        load_game(str(ROOT / "examples" / "pig"), players=99)


def test_rules_without_a_value(tmp_path: Path) -> None:
    """Where the rules leave a range it is the rules that are at fault, and that is said."""
    text = (
        "tablelaw: 1\ngame: g\ntitle: G\nplayers: 1\nstate:\n  n: {type: 0..2, init: 0}\nactions:\n  up: {by: 0, do: n += 1}\n"
    )
    (tmp_path / "rules.yaml").write_text(text)
    faulty = load_game(str(tmp_path))
    with pytest.raises(NoValue, match="after up"):
        find(plays(faulty), lambda p: len(p.moves) > 3, random=random.Random(0))


def test_the_examples_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """The examples of docs/testing.md run and find nothing; with a fault put in the first finds that."""
    monkeypatch.chdir(ROOT)
    text, of_plays = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "testing.md").read_text(encoding="utf-8"), re.S)
    asked: dict[str, Any] = {}
    exec(of_plays, asked)
    asked["test_stones_only_get_fewer"]()
    assert len([line for line in text.splitlines() if line]) <= 17
    names: dict[str, Any] = {}
    exec(text, names)
    run_state_machine_as_test(state_machine(names["game"], names["Nim"]), settings=settings(QUIET, max_examples=20))
    exec(text.replace("range(1, self.heap[h] + 1)", 'range(1, self.heap[h] + (h != "middle" or self.heap["right"]))'), names)
    told = r"(?s)^after take\(from_heap=right, n=1\) the legal moves differ.*alone: take\(from_heap=middle, n=2\)"
    with pytest.raises(Differs, match=told):
        run_state_machine_as_test(seed(1)(state_machine(names["game"], names["Nim"])), settings=QUIET)
