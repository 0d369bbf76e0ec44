"""Who stands where: the parts of a layout that the variables of a position hold, with the seat and the name beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tablelaw.spec.game import Game
from tablelaw.spec.grid import Part
from tablelaw.spec.layouts import Layout
from tablelaw.spec.types import BagOf, Enum, Int, ListOf, MapOf, Maybe, PartType, Record, SetOf, Type
from tablelaw.spec.values import Value

NOBODY = "@"
"""The mark of a figure that no player is named for."""


@dataclass(frozen=True, slots=True)
class Figure:
    """Something that stands on a part: whose it is, and what it is called."""

    part: Part
    seat: int | None = None
    name: str = ""

    @property
    def mark(self) -> str:
        """One character."""
        return NOBODY if self.seat is None else str(self.seat) if self.seat < 10 else chr(ord("a") + self.seat - 10)

    @property
    def words(self) -> str:
        """Whose it is and what."""
        who = "" if self.seat is None else f"player {self.seat}"
        return f"{who} ({self.name})" if who and self.name else who or self.name


def figures(game: Game, state: Value, variable: str | None = None) -> list[Figure]:
    """Everything that the position, or one variable of it, holds on a part."""
    names = [v for v in game.variables if variable in (None, v.name)]
    return [f for v in names for f in _held(state[v.name], v.type, None, "", v.name)]


def on(layout: Layout, found: list[Figure]) -> list[Figure]:
    """Those on a part that the layout has."""
    return [f for f in found if layout.part_at(f.part.cell, f.part.kind, f.part.side) is not None]


def is_seat(kind: Type) -> bool:
    """Is it the type of the players?"""
    return isinstance(kind, Int) and kind.name == "Player"


def _held(found: Value, kind: Type, seat: int | None, name: str, variable: str) -> Iterator[Figure]:
    match kind:
        case Maybe(elem):
            if found is not None:
                yield from _held(found, elem, seat, name, variable)
        case PartType():
            yield Figure(found, seat, name or ("" if seat is not None else variable))
        case SetOf(elem) | ListOf(elem):
            for v in found:
                yield from _held(v, elem, seat, name, variable)
        case BagOf(elem):
            for v, n in found.items():
                for _ in range(n):
                    yield from _held(v, elem, seat, name, variable)
        case MapOf(key, inner):
            for k, v in found.items():
                yield from _held(v, inner, k if is_seat(key) else seat, name, variable)
        case Record(_, fields):
            whose = next((found[n] for n, t in fields if is_seat(t)), seat)
            what = next((str(found[n]) for n, t in fields if isinstance(t, Enum)), name)
            for n, t in fields:
                yield from _held(found[n], t, whose, what, variable)
