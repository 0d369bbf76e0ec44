"""Reads the states of an evidence folder; what is no state of the game is refused.

Games without layouts keep packed numbers, others rows of plain data.
"""

from __future__ import annotations

from typing import Any

from tablelaw.checkers.recheck import Refused
from tablelaw.solver.evaluate import State
from tablelaw.solver.plain_rows import NoRow, Rows
from tablelaw.solver.shapes import leaves
from tablelaw.solver.trace import to_numbers, to_state
from tablelaw.spec.game import Game
from tablelaw.spec.questions import Asked, step_needs

COUNTED_TO = 255
MOST_STATES = 2_000_000
NO_STATE = "it holds a state that cannot be"
UNREADABLE = "its set of states cannot be read"

Counted = tuple[State, tuple[int, ...]]
"""A position, and how often each thing that the question counts has happened."""


class Late(Exception):
    """The time is over; the message says how far it went."""


def counted(asked: Asked) -> list[str]:
    """What the question counts with `times`."""
    return sorted(step_needs([asked.formula, asked.where, asked.then])[1])


def states_of(whole: dict[str, Any], game: Game, asked: Asked) -> list[Counted]:
    """The states of a file, each with its counts; raises `Refused`, or `Late` where they are too many."""
    count = whole.get("count")
    if type(count) is not int or count < 0:
        raise Refused(UNREADABLE)
    if count > MOST_STATES:
        raise Late(f"a set of {count:,} states is too large to be walked here")
    if "rows" in whole:
        return plain_states(whole, game, asked)
    return packed_states(game, asked, _packed(whole), whole.get("slots"))


# rows of plain data


def plain_states(whole: dict[str, Any], game: Game, asked: Asked) -> list[Counted]:
    """The states that rows of plain data stand for."""
    rows, subjects = whole.get("rows"), counted(asked)
    if whole.get("variables") != [v.name for v in game.variables] or whole.get("counted") != subjects:
        raise Refused("its states are not of this game")
    if not isinstance(rows, list) or len(rows) != whole["count"]:
        raise Refused(UNREADABLE)
    read, found, n = Rows(game), list[Counted](), len(game.variables)
    for row in rows:
        if not isinstance(row, list) or len(row) != n + len(subjects):
            raise Refused(UNREADABLE)
        counts = row[n:]
        if not all(type(c) is int and 0 <= c <= COUNTED_TO for c in counts):
            raise Refused("it holds a number outside its range")
        found.append((_state(read, row[:n]), tuple(counts)))
    return found


def _state(read: Rows, row: list[object]) -> State:
    try:
        return read.state(row)
    except NoRow:
        raise Refused(NO_STATE) from None


# packed numbers


def _packed(whole: dict[str, Any]) -> list[int]:
    width, count, text = whole.get("width"), whole["count"], whole.get("states")
    fine = type(width) is int and isinstance(text, str) and 1 <= width <= 100_000
    if not fine or len(text) != width * count or not text.isascii() or not text.isalnum():  # type: ignore[arg-type, union-attr]
        raise Refused(UNREADABLE)
    try:
        return [int(text[i : i + width], 16) for i in range(0, len(text), width)]  # type: ignore[index, arg-type, operator]
    except ValueError:
        raise Refused(UNREADABLE) from None


def packed_states(game: Game, asked: Asked, packed: list[int], slots: object) -> list[Counted]:
    """The states that packed numbers stand for; `slots` says how they are packed, and must say what the game does."""
    subjects = counted(asked)
    bounds = [(lo, hi) for v in game.variables for _, lo, hi, _ in leaves(v.type)] + [(0, COUNTED_TO)] * len(subjects)
    told = [(s.get("low"), s.get("high")) for s in slots if isinstance(s, dict)] if isinstance(slots, list) else []
    if told != bounds:
        raise Refused("its states are not of this game")
    plain, found = len(bounds) - len(subjects), list[Counted]()
    for n in packed:
        row = _unpacked(n, bounds)
        state = to_state(game, row[:plain])
        if tuple(to_numbers(game, state)) != row[:plain]:
            raise Refused(NO_STATE)
        found.append((state, row[plain:]))
    return found


def _unpacked(packed: int, bounds: list[tuple[int, int]]) -> tuple[int, ...]:
    found = []
    for lo, hi in bounds:
        width = (hi - lo).bit_length()
        n = (packed & ((1 << width) - 1)) + lo
        packed >>= width
        if n > hi:
            raise Refused("it holds a number outside its range")
        found.append(n)
    if packed:
        raise Refused(NO_STATE)
    return tuple(found)


# plays


def path_of(game: Game, states: object) -> list[State]:
    """The positions of a play, each a row of plain data."""
    if not isinstance(states, list) or not all(isinstance(row, list) for row in states):
        raise Refused("the play cannot be read")
    read = Rows(game)
    return [_state(read, row) for row in states]
