"""Where plays come by given choices, on a chain in arrays: as `advice` finds it state by state, with the same figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tablelaw.solver.chance.bounds import Bounds
    from tablelaw.solver.chance.exact import Sense
    from tablelaw.solver.chance.listed import Listed

ROUND = 256
"""A step of all plays at once takes as long as so many draws, however few they are."""
APART = 1e-12
"""Bounds are doubles that hold; by less than this their means over draws may be rounded."""


def spread(first: Any, many: Any) -> Any:
    """The numbers from each `first` on, so many of each."""
    import numpy as np

    before = np.cumsum(many) - many
    return np.repeat(first - before, many) + np.arange(int(many.sum()))


def in_turn(found: Any) -> tuple[Any, Any]:
    """Each of some numbers once, in the order in which they come first, and the place of every one among these."""
    import numpy as np

    each, first, place = np.unique(found, return_index=True, return_inverse=True)
    by = np.argsort(first, kind="stable")
    rank = np.empty_like(by)
    rank[by] = np.arange(len(by))
    return each[by], rank[place]


def often(chain: Listed, pick: Any, most: int, least: float) -> dict[int, float]:
    """How often states are met: `pick` is the choice in each (-1: any). `most` draws are followed, shares above `least`."""
    import numpy as np

    p, heads, many = chain.chances, chain.heads, np.where(chain.closed != 0, 0, chain.many())
    first, lengths = chain.firsts[:-1], np.diff(chain.firsts)
    told = np.zeros(chain.size)
    states = np.arange(chain.starts)
    mass = np.full(chain.starts, 1.0 / max(chain.starts, 1))
    work = 0
    while len(states) and work < most:
        told[states] += mass
        picked = pick[states]
        used = np.where(picked >= 0, np.minimum(many[states], 1), many[states])
        choices = spread(heads[states] + np.maximum(picked, 0), used)
        each = lengths[choices]
        draws = spread(first[choices], each)
        work += len(draws) + ROUND
        share = np.repeat(np.repeat(mass, used), each) * p[draws] / np.repeat(np.repeat(used, used), each)
        large = share > least
        states, place = in_turn(chain.targets[draws[large]].astype(np.int64))
        mass = np.bincount(place, weights=share[large], minlength=len(states))
    some = np.flatnonzero(told)
    return dict(zip(some.tolist(), told[some].tolist(), strict=True))


def reached(chain: Listed, usable: Any, most: int | None) -> Any:
    """Which states can come up by the choices that are `usable`; no more than `most` draws are followed."""
    import numpy as np

    lengths = np.where(usable, np.diff(chain.firsts), 0)
    whole = np.concatenate(([0], np.cumsum(lengths)))
    met = np.zeros(chain.size, bool)
    states = np.arange(chain.starts)
    met[states] = True
    work = 0
    while len(states):
        costs = whole[chain.heads[states + 1]] - whole[chain.heads[states]]
        costs[chain.closed[states] != 0] = 0
        if most is not None:
            kept = work + np.cumsum(costs) - costs < most
            states, costs = states[kept], costs[kept]
            if not len(states):
                break
        work += int(costs.sum())
        going = states[chain.closed[states] == 0]
        choices = spread(chain.heads[going], chain.heads[going + 1] - chain.heads[going])
        draws = spread(chain.firsts[choices], lengths[choices])
        found = chain.targets[draws].astype(np.int64)
        states, _ = in_turn(found[~met[found]])
        met[states] = True
    return met


def deciding(chain: Listed, sense: Sense) -> Any:
    """Where somebody prefers one of several choices."""
    return (chain.wants(sense) != 0) & (chain.many() > 1) & (chain.closed == 0)


def judged(chain: Listed, sense: Sense, found: Bounds) -> tuple[Any, Any]:
    """Of each state the choice that seems the best (-1: nobody prefers any), and which choices may be: the others are worse."""
    import numpy as np

    kept = chain.__dict__.get("judged")
    if kept is not None and kept[0] is found:
        return kept[1], kept[2]
    owners, firsts = chain.owners(), chain.firsts[:-1]
    decide, added = deciding(chain, sense), 0.0 if chain.rewards is None else chain.rewards[chain.targets]
    below, above = np.asarray(found.below), np.asarray(found.above)
    least, most = (np.add.reduceat(chain.chances * (x[chain.targets] + added), firsts) for x in (below, above))
    against = chain.wants(sense)[owners] < 0
    least, most = np.where(against, -most, least), np.where(against, -least, most)
    states = np.flatnonzero(chain.many())
    heads = chain.heads[states]
    floor, top = np.zeros(chain.size), np.zeros(chain.size)
    floor[states] = np.maximum.reduceat(least, heads)
    top[states] = np.maximum.reduceat(least + most, heads)
    usable = ~decide[owners] | (most >= (floor - APART * np.maximum(1.0, np.abs(floor)))[owners])
    pick = np.full(chain.size, -1)
    best = np.flatnonzero((least + most == top[owners]) & decide[owners])[::-1]
    pick[owners[best]] = best - chain.heads[owners[best]]  # of equals the first
    chain.__dict__["judged"] = found, pick, usable
    return pick, usable


def surely(chain: Listed, sense: Sense, found: Bounds, ours: Any) -> tuple[Any, Any, Any]:
    """The same, all choices open to whoever is none of `ours`; and where these have one choice that may be the best."""
    import numpy as np

    pick, usable = judged(chain, sense, found)
    owners, asked = chain.owners(), deciding(chain, sense) & ours
    states = np.flatnonzero(chain.many())
    left = np.zeros(chain.size, np.int64)
    left[states] = np.add.reduceat(usable.astype(np.int64), chain.heads[states])
    return pick, usable | ~asked[owners], asked & (left == 1)
