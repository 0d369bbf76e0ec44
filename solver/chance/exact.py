"""Exact values as fractions: component by component, linear equations solved outright, choices improved until none is better.

Howard's policy iteration on each component; what it ends with satisfies the equations of best choice exactly, and where
nobody can stay away from a decision for ever these have one solution. Where somebody can, the least is meant (`_lasting`).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import lcm

from tablelaw.solver.chance import linear
from tablelaw.solver.chance.graph import Chances, Draws, Refused, end_component
from tablelaw.solver.space.graph import Budget

LARGEST_COMPONENT = 1000
LARGEST_WITH_CHOICES = 600
NO_MOVE = "somebody has no move where the play is not over (see `progress`)"
LONGEST = 4096
"""Fractions with longer denominators, in binary digits, are left to bounds."""
Sense = Callable[[int], int]
"""What an actor wants: 1 the figure large, -1 small, 0 nothing (all its choices alike)."""


class TooLarge(Exception):
    """A component has too many states for exact equations."""


class TooLong(TooLarge):
    """The fractions have become too long."""


def solve(chain: Chances, sense: Sense, budget: Budget) -> tuple[list[Fraction], dict[int, int]]:
    """The value of every state, and the choice taken in each where somebody prefers one.

    Raises `TooLarge`, `Refused` and `OutOfBudget`.
    """
    values: list[Fraction | None] = [None] * len(chain.packed)
    policy: dict[int, int] = {}
    for i, known in chain.values.items():
        values[i] = known
    groups = chain.groups()
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
                    raise TooLong
            continue
        _component(chain, group, values, policy, sense, budget)
    return [v if v is not None else Fraction(0) for v in values], policy


def _of_draws(chain: Chances, draws: Draws, values: list[Fraction | None]) -> Fraction:
    """The mean over draws, in whole numbers over one denominator: sums of fractions would be reduced at every step."""
    reward = chain.reward
    parts: list[tuple[int, int]] = []
    for j, p in draws:
        v = values[j]
        assert v is not None
        if reward[j]:
            v += reward[j]
        parts.append((p.numerator * v.numerator, p.denominator * v.denominator))
    over = lcm(*(d for _, d in parts))
    return Fraction(sum(n * (over // d) for n, d in parts), over)


def _best(chain: Chances, v: int, values: list[Fraction | None], sense: Sense) -> tuple[Fraction, int | None]:
    options = chain.choices[v]
    if not options:
        raise Refused(NO_MOVE)
    want = sense(options[0][0])
    found = [_of_draws(chain, draws, values) for _, draws in options]
    if want == 0 or len(options) == 1:
        return sum(found, Fraction(0)) / len(found), None
    best = max(range(len(found)), key=lambda c: (want * found[c], -c))
    return found[best], best


def preferred(chain: Chances, v: int, values: list[Fraction | None], sense: Sense) -> int | None:
    """The choice of a state that makes the figure best, where it makes a difference."""
    options = chain.choices[v]
    if len(options) < 2 or not sense(options[0][0]):
        return None
    found = {_of_draws(chain, draws, values) for _, draws in options}
    return _best(chain, v, values, sense)[1] if len(found) > 1 else None


def _component(
    chain: Chances, group: list[int], values: list[Fraction | None], policy: dict[int, int], sense: Sense, budget: Budget
) -> None:
    deciding = _deciding(chain, group, sense)
    if end_component(chain.choices, group) is not None:
        if any(chain.reward[v] for v in group):
            raise TooLarge
        _lasting(chain, group, values, policy, sense, budget)
        return
    chosen = dict.fromkeys(deciding, 0)
    while True:
        budget.check()
        found = _linear(chain, group, values, chosen, sense, budget)
        for v, x in zip(group, found, strict=True):
            values[v] = x
        if max(x.denominator.bit_length() for x in found) > LONGEST:
            raise TooLong
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


def _lasting(
    chain: Chances, group: list[int], values: list[Fraction | None], policy: dict[int, int], sense: Sense, budget: Budget
) -> None:
    """A component where a play can stay for ever, which counts 0: the side that wants the figure large improves its choices
    against the full answer of the other, each state from which nothing more is reached being 0 by the graph alone.

    What it ends with is a value that the side makes sure of, and meets the equations, of which the true value is the least
    solution: so it is that.
    """
    inside, deciding = set(group), _deciding(chain, group, sense)
    strong = [v for v in deciding if sense(chain.choices[v][0][0]) > 0]
    weak = {v for v in deciding if sense(chain.choices[v][0][0]) < 0}
    chosen = dict.fromkeys(strong, 0)
    while True:
        some = _hopeful(chain, group, inside, values, chosen, weak)
        rest = [v for v in group if v in some]
        for v in group:
            values[v] = None if v in some else Fraction(0)
        answers = {v: 0 for v in rest if v in weak}
        while rest:
            budget.check()
            found = _linear(chain, rest, values, chosen | answers, sense, budget)
            for v, x in zip(rest, found, strict=True):
                values[v] = x
            if max(x.denominator.bit_length() for x in found) > LONGEST:
                raise TooLong
            if not _improved(chain, list(answers), values, answers, sense, -1):
                break
            for v in rest:
                values[v] = None
        if not _improved(chain, strong, values, chosen, sense, 1):
            policy.update(chosen | answers)
            return


def _hopeful(
    chain: Chances, group: list[int], inside: set[int], values: list[Fraction | None], chosen: dict[int, int], weak: set[int]
) -> set[int]:
    """The states of a component whose figure is above 0 under these choices of the one side, whatever the other does."""
    some: set[int] = set()

    def reaches(draws: Draws) -> bool:
        return any(j in some if j in inside else bool(values[j]) for j, _ in draws)

    grown = True
    while grown:
        grown = False
        for v in group:
            options = [chain.choices[v][chosen[v]]] if v in chosen else chain.choices[v]
            if v not in some and (all if v in weak else any)(reaches(draws) for _, draws in options):
                some.add(v)
                grown = True
    return some


def _deciding(chain: Chances, group: list[int], sense: Sense) -> list[int]:
    return [v for v in group if len(chain.choices[v]) > 1 and sense(chain.choices[v][0][0]) != 0]


def _most(chain: Chances, group: list[int], sense: Sense) -> int:
    return LARGEST_WITH_CHOICES if _deciding(chain, group, sense) else LARGEST_COMPONENT


def _linear(
    chain: Chances, group: list[int], values: list[Fraction | None], chosen: dict[int, int], sense: Sense, budget: Budget
) -> list[Fraction]:
    """The values of the component's states under fixed choices: x = A x + b."""
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
    try:
        return linear.solve(rows, right, budget)
    except linear.Singular:
        raise TooLarge from None  # the choices never leave: the values are not fixed by the equations


def check(chain: Chances, values: list[Fraction], sense: Sense) -> bool:
    """Do the values satisfy the equations of best choice exactly?"""
    known: list[Fraction | None] = list(values)
    return all(
        (values[v] == chain.values[v]) if v in chain.values else _best(chain, v, known, sense)[0] == values[v]
        for v in range(len(values))
        if v in chain.values or chain.choices[v]
    )
