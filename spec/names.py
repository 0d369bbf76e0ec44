"""What the names of a game mean while its formulas are typed, and how much work has gone into them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tablelaw.spec.core import Const, Expr
from tablelaw.spec.document import Definition
from tablelaw.spec.pieces import Pieces
from tablelaw.spec.types import CellType, Enum, Int, Type
from tablelaw.spec.values import Map

LARGEST_BODY = 100_000
"""How many nodes one formula may have when the formulas that it calls are written out."""

LARGEST_GAME = 400_000
"""How much work goes into the formulas of one game, in nodes; what is reckoned before play counts as well."""

UNLIMITED = 10**12

TALLEST = 150
"""How deeply formulas may be nested, through the definitions that they call."""

BUILTINS = (
    "any", "all", "sum", "count", "min", "max", "size", "after", "before", "ended", "winners", "times", "old", "can", "supply",
    "parts", "bag", "set", "abs", "option",
)  # fmt: skip
LAYOUT_BUILTINS = {
    "frontier", "fits", "place", "rotations", "rotated", "links", "edges", "open_edges", "rim", "across", "shows", "features",
    "feature", "touches", "follow", "inside", "step", "neighbours8", "edge", "part",
}  # fmt: skip
DRAWS = ("die", "roll", "draw", "one_of")


class TooLarge(Exception):
    """The formulas of a game are more than can be typed in reasonable time."""


def open_variable(option: str) -> str:
    """The name of the variable that stands for an option left open; no author can write it."""
    return f"option({option})"


@dataclass(frozen=True, slots=True)
class Body:
    """A typed definition: its arguments, its formula, and what a call of it adds to the caller."""

    names: tuple[str, ...]
    kinds: tuple[Type, ...]
    formula: Expr
    weight: int = 1
    height: int = 1
    reads: bool = False


@dataclass(slots=True)
class Names:
    """What the names of a game mean, under one setting of options and one number of players.

    `declared` are names, read already or not, of which one may be meant by an unknown name. `faulty` are names whose
    declaration has been reported: they are not reported again. `absent` says of a name that exists under other options
    why it does not exist here. `asking` are definitions that only questions may use. `open` are options that are left
    open: each is a variable of its own (see `open_variable`) that no step changes. `changed` gives the checks of an action
    in a game that is not quite what the rules say; `stated` are the actions and ends that came of it all.
    """

    players: int
    setting: dict[str, str]
    numeric: dict[str, bool]
    option_values: dict[str, tuple[str, ...]]
    types: dict[str, Type] = field(default_factory=dict)
    enum_names: dict[str, list[Enum]] = field(default_factory=dict)
    attributes: dict[tuple[str, ...], dict[str, tuple[Type, Map]]] = field(default_factory=dict)
    constants: dict[str, Const] = field(default_factory=dict)
    variables: dict[str, Type] = field(default_factory=dict)
    defines: dict[str, Definition] = field(default_factory=dict)
    actions: dict[str, object] = field(default_factory=dict)
    happenings: frozenset[str] = frozenset()
    bodies: dict[str, Body] = field(default_factory=dict)
    questions: dict[str, Body] = field(default_factory=dict)
    moves: dict[str, object] = field(default_factory=dict)
    asking: frozenset[str] = frozenset()
    declared: tuple[str, ...] = ()
    open: frozenset[str] = frozenset()
    pieces: dict[str, Pieces] = field(default_factory=dict)
    kinds: Enum | None = None
    cell: CellType | None = None
    part_attributes: dict[str, dict[str, Type]] = field(default_factory=dict)
    faulty: set[str] = field(default_factory=set)
    absent: dict[str, str] = field(default_factory=dict)
    changed: Callable[[str, tuple[Any, ...]], tuple[Any, ...]] | None = None
    stated: tuple[Any, Any] | tuple[()] = ()
    pending: list[str] = field(default_factory=list)
    spent: int = 0
    limit: int = LARGEST_GAME
    level: int = 0

    @property
    def player(self) -> Int:
        """The type of the players."""
        return Int(0, self.players - 1, "Player")

    def spend(self, work: int) -> None:
        """Note some work; raises `TooLarge` when it is too much for one game."""
        self.spent += work
        if self.spent > self.limit:
            raise TooLarge
