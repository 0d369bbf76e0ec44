"""What shows a figure: every position of the whole game that matters, with its figure and the move made there.

The search leaves out what makes no difference and takes together what is alike. What is written down is told of the
game as it is, so that nobody who looks at it again need believe either.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from types import SimpleNamespace
from typing import TYPE_CHECKING

from tablelaw.solver.chance.graph import Chances, Refused, TooMany
from tablelaw.solver.chance.policy import Solved
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import OutOfBudget
from tablelaw.solver.space.pack import packing
from tablelaw.solver.space.rows import Rows
from tablelaw.solver.verdict import InternalFault, NoEvidence

if TYPE_CHECKING:
    from tablelaw.solver.chance.ready import Ready

Whole = Callable[[int], tuple["Ready", Chances]]
"""The chain with every variable and nothing taken together, of so many states at most."""
MOST_KEPT = 200_000
SECONDS = 60.0
TOO_MANY = f"more than {MOST_KEPT:,} positions would have to be kept"


@dataclass(slots=True)
class Figures:
    """The figures of a chain, and how to come to the whole game's."""

    ready: Ready
    packed: list[int]
    values: list[Fraction]
    policy: dict[int, int]
    whole: Whole

    def table(self) -> Table:
        """Every position of the whole game with its figure and move; raises `NoEvidence`."""
        ready, states = positions(self.ready, self.packed, self.whole)
        space, slots = ready.space, ready.problem.game_slots
        index = {s: i for i, s in enumerate(self.packed)}
        number: dict[object, int] = {}
        table = Table(ready, [], [], [])
        mine: list[int] = []
        for s in states:
            i = index.get(self._stands_for(s, ready))
            if i is None:
                raise InternalFault("a position of the whole game is not among those that were looked at")
            bare = space.bare(s, slots)
            if bare in number:
                if self.values and self.values[i] != table.values[number[bare]]:
                    raise InternalFault("a position has two figures")
                continue
            number[bare] = len(mine)
            mine.append(i)
            table.states.append(s)
            if self.values:
                table.values.append(self.values[i])
        for s, i in zip(table.states, mine, strict=True):
            leads = self._leads_to(ready, s, i)
            table.moves.append(None if leads is None else sorted({number[space.bare(n, slots)] for n in leads}))
        return table

    def _stands_for(self, s: int, ready: Ready) -> int:
        return s if ready is self.ready else self.ready.stands_for(s)

    def _leads_to(self, ready: Ready, s: int, i: int) -> list[int] | None:
        """Where the move made leads, in the whole game; None where none is told."""
        c = self.policy.get(i)
        if c is None:
            return None
        actor, draws = self.ready.space.weighted(self.packed[i])[c]
        wanted = self._together(draws, self.ready)
        for by, nexts in ready.space.weighted(s):
            if by == actor and self._together(nexts, ready) == wanted:
                return [n for n, _ in nexts]
        raise InternalFault("a choice of the chain is none of the whole game")

    def _together(self, draws: list[tuple[int, Fraction]], ready: Ready) -> dict[int, Fraction]:
        found: dict[int, Fraction] = {}
        for n, p in draws:
            k = self._stands_for(n, ready) if ready is not self.ready else n if ready.same is None else ready.same(n)
            found[k] = found.get(k, Fraction(0)) + p
        return found


@dataclass(slots=True)
class Table:
    """Packed states of a game, their figures, and where the move made in each leads (None: no matter which is made)."""

    ready: Ready
    states: list[int]
    values: list[Fraction]
    moves: list[list[int] | None]


def none(reason: str) -> dict[str, object]:
    """No evidence, and why."""
    return {"kind": "none", "reason": reason}


def positions(ready: Ready, packed: list[int], whole: Whole) -> tuple[Ready, list[int]]:
    """The states of the whole game; raises `NoEvidence`."""
    if isinstance(ready.space, Rows) or (ready.keep is None and ready.same is None):
        return ready, packed
    try:
        full, chain = whole(MOST_KEPT)
    except TooMany:
        raise NoEvidence(f"with all variables {TOO_MANY}") from None
    except OutOfBudget:
        raise NoEvidence(f"listing them with all variables takes longer than {SECONDS:g} s") from None
    except (Refused, Unlowerable) as why:
        raise NoEvidence(f"with all variables: {why}") from None
    return full, chain.packed


def closed(ready: Ready, chain: Chances, whole: Whole) -> dict[str, object]:
    """The evidence that a play ends almost surely: all positions that can be reached."""
    if len(chain.packed) > MOST_KEPT:
        return none(TOO_MANY)
    return {"kind": "positions", "positions": lambda: bare(*positions(ready, chain.packed, whole))}


def evidence(ready: Ready, solved: Solved, whole: Whole) -> dict[str, object]:
    """The evidence of a figure."""
    if ready.totals:
        return none("what is counted is a part of its positions")
    if len(solved.chain.packed) > MOST_KEPT:
        return none(TOO_MANY)
    policy = solved.policy if solved.values else {}
    return {"kind": "figures", "figures": Figures(ready, solved.chain.packed, solved.values, policy, whole)}


def bare(ready: Ready, states: list[int]) -> SimpleNamespace:
    """These states without what was counted, as `portable.states` takes them."""
    n, space = ready.problem.game_slots, ready.space
    if isinstance(space, Rows):
        return SimpleNamespace(rows=[space.rows[s][:n] for s in states], states=range(len(states)), counters=())
    slots = space.model.slots[:n]
    pack = packing(slots)
    mask = (1 << pack.bits) - 1
    return SimpleNamespace(model=SimpleNamespace(slots=slots), pack=pack, states=[s & mask for s in states])
