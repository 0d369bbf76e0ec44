"""Exact values as fractions: component by component, linear equations solved outright, choices improved until none is better.

Howard's policy iteration on each component; what it ends with satisfies the equations of best choice exactly, and where
nobody can stay away from a decision for ever these have one solution.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from tablelaw.solver.chance.graph import Chances, Draws, Refused, components, end_component
from tablelaw.solver.space.graph import Budget

LARGEST_COMPONENT = 260
LARGEST_WITH_CHOICES = 80
LONGEST = 4096
"""Fractions with longer denominators, in binary digits, are left to bounds."""
Sense = Callable[[int], int]
"""What an actor wants: 1 the figure large, -1 small, 0 nothing (all its choices alike)."""


class TooLarge(Exception):
    """A component has too many states for exact equations."""


def solve(chain: Chances, sense: Sense, budget: Budget) -> tuple[list[Fraction], dict[int, int]]:
    """The value of every state, and the choice taken in each where somebody prefers one.

    Raises `TooLarge`, `Refused` and `OutOfBudget`.
    """
    values: list[Fraction | None] = [None] * len(chain.packed)
    policy: dict[int, int] = {}
    for i, known in chain.values.items():
        values[i] = known
    groups = components(chain.choices)
    if any(len(g) > 1 and len(g) > _most(chain, g, sense) for g in groups):
        raise TooLarge
    for number, group in enumerate(groups):
        if not number % 256:
            budget.check()
        if len(group) == 1 and not any(j == group[0] for _, draws in chain.choices[group[0]] for j, _ in draws):
            v = group[0]
            if values[v] is None:
                value, best = _best(chain, v, values, sense)
                values[v] = value
                if best is not None:
                    policy[v] = best
                if value.denominator.bit_length() > LONGEST:
                    raise TooLarge
            continue
        _component(chain, group, values, policy, sense, budget)
    return [v if v is not None else Fraction(0) for v in values], policy


def _of_draws(chain: Chances, draws: Draws, values: list[Fraction | None]) -> Fraction:
    total = Fraction(0)
    for j, p in draws:
        v = values[j]
        assert v is not None
        total += p * (v + chain.reward[j])
    return total


def _best(chain: Chances, v: int, values: list[Fraction | None], sense: Sense) -> tuple[Fraction, int | None]:
    options = chain.choices[v]
    if not options:
        raise Refused("somebody has no move where the play is not over")
    want = sense(options[0][0])
    found = [_of_draws(chain, draws, values) for _, draws in options]
    if want == 0 or len(options) == 1:
        return sum(found, Fraction(0)) / len(found), None
    best = max(range(len(found)), key=lambda c: (want * found[c], -c))
    return found[best], best


def _component(
    chain: Chances, group: list[int], values: list[Fraction | None], policy: dict[int, int], sense: Sense, budget: Budget
) -> None:
    deciding = _deciding(chain, group, sense)
    chosen = dict.fromkeys(deciding, 0)
    if end_component(chain.choices, group) is not None:
        if _closed(chain, group, values):
            return
        if any(sense(chain.choices[v][0][0]) < 0 for v in deciding) or any(chain.reward[v] for v in group):
            raise TooLarge
        chosen = _leaving(chain, group, deciding)
    while True:
        budget.check()
        found = _linear(chain, group, values, chosen, sense, budget)
        for v, x in zip(group, found, strict=True):
            values[v] = x
        if max(x.denominator.bit_length() for x in found) > LONGEST:
            raise TooLarge
        # one side answers the other in full before the other moves: two that improve at once may go round for ever
        if not any(_improved(chain, deciding, values, chosen, sense, side) for side in (-1, 1)):
            policy.update(chosen)
            return
        for v in group:
            values[v] = None


def _improved(
    chain: Chances, deciding: list[int], values: list[Fraction | None], chosen: dict[int, int], sense: Sense, side: int
) -> bool:
    """Better choices for one side, where it has some."""
    better = False
    for v in deciding:
        if sense(chain.choices[v][0][0]) != side:
            continue
        now, best = _best(chain, v, values, sense)
        assert best is not None
        if best != chosen[v] and now != values[v]:
            chosen[v] = best
            better = True
    return better


def _leaving(chain: Chances, group: list[int], deciding: list[int]) -> dict[int, int]:
    """Choices under which the component is left with probability one.

    From such choices on nobody who wants the figure large is ever led to stay for ever: in a set that nothing leaves all
    figures would be equal, and a choice is changed only for a larger one.
    """
    inside = set(group)
    chosen: dict[int, int] = {}
    decides = set(deciding)
    while inside:
        near = {}
        for v in inside:
            out = [c for c, (_, draws) in enumerate(chain.choices[v]) if any(j not in inside for j, _ in draws)]
            if out:
                near[v] = out[0]
        assert near
        inside -= near.keys()
        chosen |= {v: c for v, c in near.items() if v in decides}
    return chosen


def _deciding(chain: Chances, group: list[int], sense: Sense) -> list[int]:
    return [v for v in group if len(chain.choices[v]) > 1 and sense(chain.choices[v][0][0]) != 0]


def _most(chain: Chances, group: list[int], sense: Sense) -> int:
    return LARGEST_WITH_CHOICES if _deciding(chain, group, sense) else LARGEST_COMPONENT


def _closed(chain: Chances, group: list[int], values: list[Fraction | None]) -> bool:
    """A component that nothing leaves is never decided: 0. Is it one?"""
    inside = set(group)
    if all(j in inside for v in group for _, draws in chain.choices[v] for j, _ in draws):
        for v in group:
            values[v] = Fraction(0)
        return True
    return False


def _linear(
    chain: Chances, group: list[int], values: list[Fraction | None], chosen: dict[int, int], sense: Sense, budget: Budget
) -> list[Fraction]:
    """The values of the component's states under fixed choices: x = A x + b, by elimination on sparse rows."""
    place = {v: i for i, v in enumerate(group)}
    rows: list[dict[int, Fraction]] = []
    right: list[Fraction] = []
    for i, v in enumerate(group):
        options = chain.choices[v]
        used = [options[chosen[v]]] if v in chosen else options
        row: dict[int, Fraction] = {i: Fraction(1)}
        b = Fraction(0)
        for _, draws in used:
            for j, p in draws:
                q = p / len(used)
                b += q * chain.reward[j]
                k = place.get(j)
                if k is None:
                    known = values[j]
                    assert known is not None
                    b += q * known
                else:
                    row[k] = row.get(k, Fraction(0)) - q
        rows.append({k: x for k, x in row.items() if x})
        right.append(b)
    return _eliminate(rows, right, budget)


def _eliminate(rows: list[dict[int, Fraction]], right: list[Fraction], budget: Budget) -> list[Fraction]:
    n = len(rows)
    order: list[tuple[int, int]] = []
    free = set(range(n))
    columns: list[set[int]] = [set() for _ in range(n)]
    for i, row in enumerate(rows):
        for k in row:
            columns[k].add(i)
    for c in sorted(range(n), key=lambda k: len(columns[k])):
        budget.check()
        usable = [i for i in columns[c] if i in free]
        if not usable:
            raise TooLarge  # the choices never leave: the values are not fixed by the equations
        pivot = min(usable, key=lambda i: len(rows[i]))
        free.discard(pivot)
        order.append((c, pivot))
        base, scale = rows[pivot], rows[pivot][c]
        for i in usable:
            if i == pivot:
                continue
            factor = rows[i][c] / scale
            row = rows[i]
            for k, x in base.items():
                new = row.get(k, Fraction(0)) - factor * x
                if new:
                    row[k] = new
                    columns[k].add(i)
                elif k in row:
                    del row[k]
                    columns[k].discard(i)
            right[i] -= factor * right[pivot]
    found = [Fraction(0)] * n
    for c, pivot in reversed(order):
        rest = sum((x * found[k] for k, x in rows[pivot].items() if k != c), Fraction(0))
        found[c] = (right[pivot] - rest) / rows[pivot][c]
    return found


def check(chain: Chances, values: list[Fraction], sense: Sense) -> bool:
    """Do the values satisfy the equations of best choice exactly?"""
    known: list[Fraction | None] = list(values)
    return all(
        (values[v] == chain.values[v]) if v in chain.values else _best(chain, v, known, sense)[0] == values[v]
        for v in range(len(values))
        if v in chain.values or chain.choices[v]
    )
