"""Sound bounds where exact equations are too large: one figure never above the value, one never below, both improved.

Interval iteration (Haddad, Monmege 2018) on doubles. Each sweep is widened by more than its rounding can amount to, so that
the bounds stay true; how near they come is told, and never guessed from how little they still move.

What never falls (points banked, say) or never rises cuts the chain into blocks that lead to later blocks alone. They are taken
from the last to the first, each until its own bounds are near: what follows it has then been reckoned once for all, and a block
is small enough to stay at hand for the processor.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tablelaw.solver.chance.exact import Sense
from tablelaw.solver.chance.graph import Chances
from tablelaw.solver.space.graph import Budget, OutOfBudget

NARROW = 1e-9
WIDEN = 1e-15
SMALLEST_BLOCK = 2_000
"""States that a block has at least: for fewer, calling numpy takes longer than what it does."""
AT_ONCE = 16
MOST_SWEEPS = 200_000
PATIENCE = 256
"""A block whose bounds have come no nearer by a fiftieth in so many sweeps is left as it is."""
SIZES = (1e3, 1e6, 1e9)
"""How large the figures of a chain may be where nothing is known of it; tried one after the other."""
Slots = Sequence[tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Bounds:
    """The value of the first state lies from `low` to `high`."""

    low: Fraction
    high: Fraction
    sweeps: int
    below: Any
    """Bounds of every state, none of them beyond its value: lists or arrays."""
    above: Any


class Interrupted(KeyboardInterrupt):
    """Ctrl-C, with the bounds known by then."""

    def __init__(self, known: Bounds) -> None:
        super().__init__()
        self.known = known


def bound(chain: Chances, sense: Sense, low: Fraction, high: Fraction, budget: Budget, slots: Slots = ()) -> Bounds:
    """Bounds of the value of the first state, given that every value lies from `low` to `high`.

    `slots`: where variables lie in a packed state, shift and mask of each.
    """
    size = max(1.0, abs(float(high)), abs(float(low)))
    found = _bound(_Table(chain, sense, slots), chain, low, float(high), size, budget)
    assert found is not None
    return found


def bound_counts(chain: Chances, sense: Sense, low: Fraction, budget: Budget, slots: Slots = ()) -> Bounds | None:
    """The same where no largest value is known, of a play that comes to its end whatever is chosen; None where none is found.

    What no sweep raises is then an upper bound: the equations have one solution, and sweeps come down to it.
    """
    table = _Table(chain, sense, slots)
    for size in SIZES:
        found = _bound(table, chain, low, float("inf"), size, budget)
        if found is None or max(max(map(abs, found.below)), max(map(abs, found.above))) <= size:
            return found
    return None


def _bound(table: _Table, chain: Chances, low: Fraction, high: float, size: float, budget: Budget) -> Bounds | None:
    """The bounds, if no figure is larger than `size`: rounding is reckoned for such."""
    import numpy as np

    slack, narrow = WIDEN * table.widest * size, NARROW * max(1.0, size / SIZES[0])
    lower, upper = np.full(table.n, float(low)), np.full(table.n, high)
    for i, value in chain.values.items():
        lower[table.rank[i]], upper[table.rank[i]] = float(value) - slack, float(value) + slack
    first = table.rank[0]
    blocks, swept, stopped = list(table.blocks()), 0.0, False
    try:
        for k, block in enumerate(blocks):
            swept += _settle(block, lower, upper, slack, narrow * (k + 1) / len(blocks) / 2, budget) * block.size / table.n
            if budget.tell:
                budget.tell(f"{k + 1} of {len(blocks)} parts of the chain have their bounds")
        while upper[first] - lower[first] > narrow and swept < MOST_SWEEPS:
            for block in blocks:
                for _ in range(AT_ONCE):
                    block.sweep(lower, upper, slack)
                budget.check()
            swept += AT_ONCE
            if budget.tell:
                budget.tell(f"from {lower[first]:.9f} to {upper[first]:.9f} after {swept:.0f} sweeps")
    except (OutOfBudget, KeyboardInterrupt) as why:
        stopped = isinstance(why, KeyboardInterrupt)
        for block in blocks:  # so that what is known of others is known of the start
            block.sweep(lower, upper, slack)
    if not np.isfinite(upper[first]):
        if stopped:
            raise KeyboardInterrupt
        return None
    below, above = lower[table.rank].tolist(), upper[table.rank].tolist()
    found = Bounds(Fraction(float(lower[first])), Fraction(float(upper[first])), round(swept), below, above)
    if stopped:
        raise Interrupted(found)
    return found


def _settle(block: _Block, lower: Any, upper: Any, slack: float, near: float, budget: Budget) -> int:
    """Sweep over one block until all its bounds are near; how often.

    From below until little changes; then a guess from above, which is a bound when a sweep raises it nowhere (the figures
    are the least that a sweep leaves as they are). Where no guess is confirmed both bounds are swept.
    """
    sweeps, last, since = 0, float("inf"), 0
    if not len(block.busy):
        return 0
    while sweeps < MOST_SWEEPS and since < PATIENCE:
        before = lower[block.busy]
        for _ in range(AT_ONCE):
            block.raise_(lower, slack)
        sweeps += AT_ONCE
        budget.check()
        change = float((lower[block.busy] - before).max())
        since = 0 if change < 0.98 * last else since + AT_ONCE
        last = min(change, last)
        if change <= near / 16:
            sweeps += AT_ONCE
            if _confirmed(block, lower, upper, slack, near):
                return sweeps
        if change <= 2 * slack:
            break
    best, since = float("inf"), 0
    while sweeps < MOST_SWEEPS and since < PATIENCE:
        for _ in range(AT_ONCE):
            block.sweep(lower, upper, slack)
        sweeps += AT_ONCE
        budget.check()
        gap = float((upper[block.busy] - lower[block.busy]).max())
        if gap <= near:
            break
        since = 0 if gap < 0.98 * best else since + AT_ONCE
        best = min(gap, best)
    return sweeps


def _confirmed(block: _Block, lower: Any, upper: Any, slack: float, near: float) -> bool:
    """Does a guess a little above the lower bounds hold? It is then the upper bound."""
    import numpy as np

    kept, held = upper[block.busy], False
    try:
        upper[block.busy] = np.minimum(kept, lower[block.busy] + near)
        for _ in range(4 * AT_ONCE):
            new = np.minimum(kept, block.values(upper) + slack)
            if (new <= upper[block.busy]).all():
                held = True
                break
            upper[block.busy] = new
    finally:  # a guess must not be left behind, by Ctrl-C neither
        if not held:
            upper[block.busy] = kept
    return held


@dataclass(slots=True)
class _Block:
    """States one after the other, and the draws of those where something is chosen or drawn."""

    begin: int
    size: int
    busy: Any
    """Their numbers."""
    starts: Any
    """Where the choices of each begin."""
    many: Any
    want: Any
    firsts: Any
    """Where the draws of each choice begin."""
    targets: Any
    chances: Any
    rewards: Any
    sides: list[int]
    """Who has several choices anywhere; nobody: one choice in every state."""

    def sweep(self, lower: Any, upper: Any, slack: float) -> None:
        """Improve both bounds once."""
        import numpy as np

        if len(self.busy):
            self.raise_(lower, slack)
            upper[self.busy] = np.minimum(upper[self.busy], self.values(upper) + slack)

    def raise_(self, lower: Any, slack: float) -> None:
        """Improve the lower bounds once."""
        import numpy as np

        lower[self.busy] = np.maximum(lower[self.busy], self.values(lower) - slack)

    def values(self, x: Any) -> Any:
        """What the choices come to."""
        import numpy as np

        each = x[self.targets]
        if self.rewards is not None:
            each += self.rewards
        each *= self.chances
        each = np.add.reduceat(each, self.firsts)
        if not self.sides:
            return each
        found = None
        for side in self.sides:
            if side > 0:
                new = np.maximum.reduceat(each, self.starts)
            elif side < 0:
                new = np.minimum.reduceat(each, self.starts)
            else:
                new = np.add.reduceat(each, self.starts) / self.many
            found = new if found is None else np.where(self.want == side, new, found)
        return found


class _Table:
    """The chain as columns, its states in the order in which they are reckoned: those that others lead to come first."""

    def __init__(self, chain: Chances, sense: Sense, slots: Slots) -> None:
        import numpy as np

        self.n = n = len(chain.packed)
        owner: list[int] = []  # the state of each choice
        lengths: list[int] = []  # how many draws each choice has
        target: list[int] = []
        chance: list[float] = []
        known: dict[int, float] = {}  # by identity: a fraction takes longer to be hashed than to be turned into a double
        for v, options in enumerate(chain.choices):
            for _, draws in options:
                owner.append(v)
                lengths.append(len(draws))
                for j, p in draws:
                    target.append(j)
                    f = known.get(id(p))
                    if f is None:
                        f = known[id(p)] = float(p)
                    chance.append(f)
        self.widest = 1 + max(lengths, default=1) + max(map(len, chain.choices), default=1)
        owners, counts = np.array(owner, dtype=np.int64), np.array(lengths, dtype=np.int64)
        targets = np.array(target, dtype=np.int64)
        keys = _keys(chain, slots, np.repeat(owners, counts), targets)
        self.order = np.argsort(-keys, kind="stable")
        self.keys = keys[self.order]
        self.rank = np.empty(n, dtype=np.int64)
        self.rank[self.order] = np.arange(n)
        by = np.argsort(self.rank[owners], kind="stable")
        begins = np.concatenate(([0], np.cumsum(counts)))[:-1]
        self.counts, self.owners = counts[by], self.rank[owners][by]
        self.firsts = np.concatenate(([0], np.cumsum(self.counts)))
        draws_at = np.repeat(begins[by] - self.firsts[:-1], self.counts) + np.arange(len(targets))
        self.targets, self.chances = self.rank[targets[draws_at]], np.array(chance)[draws_at]
        self.rewards = np.array([float(r) for r in chain.reward])[self.order] if any(chain.reward) else None
        self.wants = np.array([sense(o[0][0]) if o else 0 for o in chain.choices], dtype=np.int64)[self.order]

    def blocks(self) -> Iterator[_Block]:
        """The blocks in order; small ones that follow each other are taken together."""
        import numpy as np

        cuts = np.flatnonzero(np.diff(self.keys)) + 1
        begin = 0
        for cut in [*cuts.tolist(), self.n]:
            if cut - begin < SMALLEST_BLOCK and cut < self.n:
                continue
            c0, c1 = np.searchsorted(self.owners, (begin, cut))
            e0, e1 = self.firsts[c0], self.firsts[c1]
            busy, starts, many = np.unique(self.owners[c0:c1], return_index=True, return_counts=True)
            targets, want = self.targets[e0:e1], self.wants[busy]
            sides = np.unique(want[many > 1]).tolist()
            yield _Block(
                begin, cut - begin, busy, starts, many.astype(np.float64), want, self.firsts[c0:c1] - e0, targets,
                self.chances[e0:e1], None if self.rewards is None else self.rewards[targets], sides,
            )  # fmt: skip
            begin = cut


def _keys(chain: Chances, slots: Slots, source: Any, target: Any) -> Any:
    """A number for each state that no draw lowers: what never falls and what never rises, added up.

    Draws that leave the sum as it is are looked at again: among them alone more may never fall.
    """
    import numpy as np

    keys = np.zeros(len(chain.packed), dtype=np.int64)
    columns = [np.array([s >> shift & mask for s in chain.packed], dtype=np.int64) for shift, mask in slots if mask < 1 << 31]
    decided = np.array([not o for o in chain.choices])
    stays = ~decided[target] if len(target) else np.zeros(0, dtype=bool)  # what is decided leads nowhere
    while columns:
        source, target = source[stays], target[stays]
        sums, rest = np.zeros(len(keys), dtype=np.int64), []
        for c in columns:
            change = c[target] - c[source]
            if (change >= 0).all():
                sums += c
            elif (change <= 0).all():
                sums -= c
            else:
                rest.append(c)
        if len(rest) == len(columns):
            break
        sums -= sums.min()
        if float(keys.max() + 1) * float(sums.max() + 1) > 2**60:
            break
        keys = keys * (sums.max() + 1) + sums
        columns, stays = rest, keys[source] == keys[target]
    return keys
