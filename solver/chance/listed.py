"""A chain as arrays, and as the lists that it is elsewhere: these are made of it state by state, where somebody looks."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from importlib.resources import files
from itertools import pairwise
from typing import Any

from tablelaw.solver.chance.graph import NOTHING, Chances, Choices
from tablelaw.solver.native.compiler import library
from tablelaw.solver.space.graph import Budget, _share

_ONE = Fraction(1)


def sweep_source() -> str:
    """The C that reckons on chains, the same for all."""
    return files("tablelaw.solver.native").joinpath("sweep.c").read_text(encoding="utf-8")


class Graph(ctypes.Structure):
    """`Graph` in `sweep.c`."""

    _fields_ = [("n", ctypes.c_uint64), *((name, ctypes.c_void_p) for name in ("heads", "firsts", "targets", "closed"))]


class Listed(Chances):
    """A chain whose columns are arrays; what is taken for decided is in `values` and `closed` alike.

    The choices of state v are those from `heads[v]` on, the draws of choice c those from `firsts[c]` on; a draw comes
    `weights` times in `totals`.
    """

    def __init__(
        self,
        *,
        words: Any,
        heads: Any,
        firsts: Any,
        totals: Any,
        weights: Any,
        targets: Any,
        movers: Any,
        kinds: Any,
        starts: int,
    ) -> None:
        import numpy as np

        self.words, self.heads, self.firsts = words, heads, firsts
        self.totals, self.weights, self.targets, self.movers, self.kinds = totals, weights, targets, movers, kinds
        self.closed = (kinds != 0).astype(np.uint8)
        self.mixes: Any = np.zeros(len(heads) - 1, np.uint8)
        """Where all choices are alike, so that what comes is a draw."""
        self.rewards: Any = None
        """What arriving adds, as doubles; None where nothing does."""
        self.starts, self.edges, self.values, self.cut = starts, len(targets), {}, []
        self.packed = Packed(words)  # type: ignore[assignment]
        self.choices = _Choices(self)  # type: ignore[assignment]
        self.reward = _Nothing(len(heads) - 1)  # type: ignore[assignment]

    @property
    def size(self) -> int:
        """How many states."""
        return len(self.heads) - 1

    @cached_property
    def library(self) -> Any:
        """The compiled code that reckons on it, the same for all chains."""
        found = library(sweep_source(), Budget())
        found.graph_parts.restype = found.sweep_from.restype = ctypes.c_int64
        found.graph_staying.restype = ctypes.c_uint64
        return found

    @cached_property
    def chances(self) -> Any:
        """The probability of each draw, as a double."""
        import numpy as np

        return self.weights / np.repeat(self.totals, np.diff(self.firsts))

    @property
    def graph(self) -> Graph:
        """The graph as compiled code takes it."""
        return Graph(self.size, *(address(x) for x in (self.heads, self.firsts, self.targets, self.closed)))

    @cached_property
    def parts(self) -> tuple[Any, Any, Any]:
        """Strongly connected components: of each state, the states in order, and where each component begins among them."""
        import numpy as np

        n = self.size
        part, order, begins = np.empty(n, np.uint32), np.empty(n, np.uint32), np.empty(n + 1, np.int64)
        count = self.library.graph_parts(ctypes.byref(self.graph), *(at(x) for x in (part, order, begins)))
        if count < 0:
            raise MemoryError
        return part, order, begins[: count + 1].copy()

    def groups(self) -> list[list[int]]:
        """The components as lists."""
        _, order, begins = self.parts
        states = order.tolist()
        return [states[i:j] for i, j in pairwise(begins.tolist())]

    def staying(self) -> list[int] | None:
        """States of the first component where the players together can stay for ever; None where there is none."""
        import numpy as np

        part, order, _ = self.parts
        stays = np.empty(self.size, np.uint8)
        if not self.library.graph_staying(ctypes.byref(self.graph), *(at(x) for x in (self.mixes, part, order, stays))):
            return None
        found = np.flatnonzero(stays)
        mine = part[found]
        return found[mine == mine.min()].tolist()  # type: ignore[no-any-return]

    def many(self) -> Any:
        """How many choices each state has."""
        import numpy as np

        return np.diff(self.heads)

    def actors(self, several: bool) -> set[int]:
        """Who chooses anywhere; `several`: where there is more than one choice."""
        import numpy as np

        movers = self.movers
        if several:
            movers = movers[np.repeat(self.many() > 1, self.many())]
        return set(np.unique(movers).tolist())

    def mixed(self, sense: Callable[[int], int]) -> bool:
        """Do actors who want different things choose in one state?"""
        wants = self._wants(sense)
        same = self.owners()[1:] == self.owners()[:-1]
        return bool((wants[1:] != wants[:-1])[same].any())

    def owners(self) -> Any:
        """The state of each choice."""
        import numpy as np

        return np.repeat(np.arange(self.size), self.many())

    def _wants(self, sense: Callable[[int], int]) -> Any:
        import numpy as np

        table = np.zeros(33, np.int8)
        for actor in self.actors(several=False):
            table[actor + 1] = sense(actor)
        return table[self.movers + 1]

    def wants(self, sense: Callable[[int], int]) -> Any:
        """What who chooses first in each state wants; 0 where nobody does."""
        import numpy as np

        found = np.zeros(self.size, np.int8)
        some = np.flatnonzero(self.many())
        found[some] = self._wants(sense)[self.heads[some]]
        return found

    def stuck(self) -> int | None:
        """The first state that is neither decided nor gone on from."""
        import numpy as np

        found = np.flatnonzero((self.many() == 0) & (self.closed == 0))
        return int(found[0]) if len(found) else None

    def averaged(self, sense: Callable[[int], int]) -> None:
        """Who reckons on arrays takes choices that nobody prefers for draws: it is noted that nobody can stay by them."""
        import numpy as np

        preferred = np.zeros(self.size, bool)
        preferred[self.owners()[self._wants(sense) != 0]] = True
        self.mixes = ((self.many() > 1) & ~preferred).astype(np.uint8)

    def forced(self, states: list[int]) -> bool:
        """As `Chances.forced`."""
        return bool(((self.many()[states] == 1) | (self.mixes[states] != 0)).all())

    def decide(self, states: Any, value: Fraction) -> None:
        """Take these states for decided."""
        self.closed[states] = 1
        for v in states.tolist():
            self.values[v] = value
            self.choices[v] = []
        self.__dict__.pop("parts", None)

    def hopeless(self, sense: Callable[[int], int]) -> bool:
        """As `graph.hopeless`: what comes to nothing however those play who want it large has the value 0."""
        import numpy as np

        some = np.zeros(self.size, np.uint8)
        some[[v for v, x in self.values.items() if x > 0]] = 1
        wants = self.wants(sense)
        self.library.graph_reaching(ctypes.byref(self.graph), at(wants), at(self.parts[1]), at(some))
        lost = np.flatnonzero((some == 0) & (self.closed == 0) & (self.many() > 0))
        self.decide(lost, NOTHING)
        return bool(len(lost))

    def gain(self, shares: list[tuple[Fraction, int]], before: int) -> None:
        """What arriving adds: for each flag its share and the bit that it is; nothing in the first states."""
        import numpy as np

        which = np.zeros(self.size, np.int64)
        for k, (_, shift) in enumerate(shares):
            which |= self.flag(shift).astype(np.int64) << k
        which[:before] = 0
        met, place = np.unique(which, return_inverse=True)
        sums = [sum((c for k, (c, _) in enumerate(shares) if m >> k & 1), NOTHING) for m in met.tolist()]
        if any(sums):
            self.rewards = np.array([float(s) for s in sums])[place]
            self.reward = [sums[k] for k in place.tolist()]

    def flag(self, shift: int) -> Any:
        """A bit of each packed state."""
        import numpy as np

        return self.words[:, shift // 64] >> np.uint64(shift % 64) & np.uint64(1)

    def varying(self) -> int:
        """The bits that are not the same in all packed states."""
        import numpy as np

        changed = np.bitwise_or.reduce(self.words ^ self.words[0], axis=0)
        return sum(int(w) << 64 * k for k, w in enumerate(changed.tolist()))

    def copy(self) -> Listed:
        """The same chain, what is decided kept apart."""
        found = Listed(
            words=self.words, heads=self.heads, firsts=self.firsts, totals=self.totals, weights=self.weights,
            targets=self.targets, movers=self.movers, kinds=self.kinds, starts=self.starts,
        )  # fmt: skip
        found.closed, found.mixes, found.values = self.closed.copy(), self.mixes, dict(self.values)
        found.rewards, found.reward, found.cut = self.rewards, self.reward, self.cut
        found.choices.made = list(self.choices.made)  # type: ignore[attr-defined]
        if "parts" in self.__dict__:
            found.__dict__["parts"] = self.parts
        return found

    def plain(self) -> Chances:
        """The chain as lists."""
        return Chances(list(self.packed), list(self.choices), dict(self.values), list(self.reward), self.starts, self.edges)


class Packed(Sequence[int]):
    """Packed states that lie in words."""

    def __init__(self, words: Any) -> None:
        self.words = words

    def __len__(self) -> int:
        return len(self.words)

    def __getitem__(self, v: Any) -> Any:
        if isinstance(v, slice):
            return [self[i] for i in range(*v.indices(len(self)))]
        return sum(w << 64 * k for k, w in enumerate(self.words[v].tolist()))

    def __iter__(self) -> Iterator[int]:
        if self.words.shape[1] == 1:
            return iter(self.words[:, 0].tolist())
        return (sum(w << 64 * k for k, w in enumerate(row)) for row in self.words.tolist())


class _Choices(Sequence[Choices]):
    """The choices of each state, made when they are first looked at."""

    def __init__(self, chain: Listed) -> None:
        self.chain = chain
        self.made: list[Choices | None] = [None] * chain.size

    def __len__(self) -> int:
        return len(self.made)

    def __getitem__(self, v: Any) -> Any:
        if isinstance(v, slice):
            return [self[i] for i in range(*v.indices(len(self)))]
        found = self.made[v]
        if found is None:
            found = self.made[v] = self._make(v)
        return found

    def __setitem__(self, v: int, choices: Choices) -> None:
        self.made[v] = choices

    def _make(self, v: int) -> Choices:
        chain = self.chain
        c, last = int(chain.heads[v]), int(chain.heads[v + 1])
        found: Choices = []
        ends = chain.firsts[c : last + 1].tolist()
        part = slice(ends[0], ends[-1])
        draws = list(zip(chain.targets[part].tolist(), chain.weights[part].tolist(), strict=True))
        movers, totals = chain.movers[c:last].tolist(), chain.totals[c:last].tolist()
        for actor, total, (i, j) in zip(movers, totals, pairwise(ends), strict=True):
            mine = draws[i - ends[0] : j - ends[0]]
            found.append((actor, [(t, _share(w, total)) for t, w in mine] if len(mine) > 1 else [(mine[0][0], _ONE)]))
        return found


class _Nothing(Sequence[Fraction]):
    """Nothing is added anywhere."""

    def __init__(self, n: int) -> None:
        self.n = n

    def __len__(self) -> int:
        return self.n

    def __getitem__(self, v: Any) -> Any:
        if isinstance(v, slice):
            return [NOTHING] * len(range(*v.indices(self.n)))
        if not -self.n <= v < self.n:
            raise IndexError(v)
        return NOTHING


def address(array: Any) -> int:
    """Where an array lies."""
    return int(array.ctypes.data)


def at(array: Any) -> ctypes.c_void_p:
    """The same as an argument."""
    return ctypes.c_void_p(array.ctypes.data)
