"""What an engine answers: a verdict, how it is known, and what shows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from tablelaw.solver.evaluate import Move, State
from tablelaw.solver.trace import Trace
from tablelaw.spec.game import Game


@dataclass(frozen=True, slots=True)
class Advised:
    """A position and the move that a policy makes there; `counts` says how often has happened what the policy counts."""

    state: State
    move: Move
    counts: tuple[int, ...] = ()


@dataclass(slots=True)
class Policy:
    """What to do so that a figure comes about, in the positions where the choice makes a difference to it.

    `take(n, work)` gives the first n of `total` positions, those that are met most often first, but after the first twelve no
    more than can be told in `work` steps of the evaluator (0: all); it raises `InternalFault` where a choice is no move of
    the rules. `total` is None where figures are told by bounds: listed are then positions where these are near enough to
    show that one move is better than all others. `at_hand` is how many can be taken. `shown` says what of a position the
    figure depends on: variables, and of maps kept in part the keys; `varying` the variables that are not the same everywhere.
    `counted` names the actions and clauses whose counts on the way are part of the positions, told as far as `most`, which
    stands for more as well (None: all are told). `aim` is `best` or `worst`; `steps` says how many steps are left at the
    first position, where it matters.
    """

    aim: str
    who: tuple[int, ...]
    total: int | None
    take: Callable[[int, int], list[Advised]]
    shown: dict[str, frozenset[object] | None] = field(default_factory=dict)
    varying: frozenset[str] = frozenset()
    alike: bool = False
    steps: int | None = None
    counted: tuple[str, ...] = ()
    most: int | None = None
    at_hand: int = 0

    def count_text(self, n: int) -> str:
        """A count in words: `3`, or `6 or more` where no more is told apart."""
        return f"{n} or more" if n == self.most else str(n)


class Told(Protocol):
    """What an answer of some kinds tells besides its verdict; `game` is the one that its play belongs to."""

    @property
    def game(self) -> Game | None:
        """The game of the play."""
        ...

    def json(self) -> dict[str, object]:
        """For JSON."""
        ...


@dataclass(slots=True)
class Verdict:
    """An answer. `verdict` is holds, fails, value or unknown; `known_by` proved, exhausted, bounded or sampled.

    Of a figure that is not told exactly `value` is None and lies in `interval`, both ends exact.
    """

    verdict: str
    known_by: str | None = None
    bound: str | None = None
    value: str | None = None
    interval: tuple[str, str] | None = None
    clauses: tuple[str, ...] = ()
    trace: Trace | None = None
    states: int | None = None
    engine: str = ""
    reason: str | None = None
    seconds: float = 0.0
    evidence: dict[str, object] | None = None
    policy: Policy | None = None
    notes: list[str] = field(default_factory=list)
    weighed: bool = False
    """Is it known already which clauses it rests on?"""
    told: Told | None = None


class NoEvidence(Exception):
    """What shows an answer is not written down; the message says why."""


class InternalFault(Exception):
    """Two tellings of the same meaning disagree: a fault of this program, never of the rules."""
