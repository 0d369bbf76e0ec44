"""The choices behind a figure: walked again before it is told.

Walked again means: every equation holds exactly, no other choice of who decides is better, and the play comes to a decision.
For a probability the last is asked of each state with a figure above 0, under the choices of who wants it large and whatever
the others choose. That suffices. The figures x satisfy the equations of best choice and are not negative, so that they are no
smaller than the true ones, which are the least solution. Let v be what those choices make sure of, and suppose that x - v is
above 0 somewhere; take the states M where it is largest, and of them one from which an absorbing state with a figure is
reached in the fewest draws. Its figure is an average of figures after the choice that v is of, or no more than that, so the
difference is as large in all states that this choice leads to; and one of them is nearer. So x = v, and no way of playing
makes sure of more. A number on average is asked of games only that come to their end whatever is chosen, where the equations
have one solution.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import TYPE_CHECKING

from tablelaw.solver.chance.graph import Chances, Pulse
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.verdict import InternalFault

if TYPE_CHECKING:
    from tablelaw.solver.chance.exact import Sense

WRONG = "the choices of a figure do not bear it out: "


@dataclass(slots=True)
class Solved:
    """A chain with its figures, the choice taken in each state where somebody prefers one, and where that matters."""

    chain: Chances
    values: list[Fraction]
    policy: dict[int, int]
    matters: set[int]


def rewalk(
    chain: Chances,
    values: list[Fraction],
    policy: dict[int, int],
    sense: Sense,
    sure: bool,
    budget: Budget | None = None,
) -> set[int]:
    """The states where the choice makes a difference; raises `InternalFault` unless the figures are those of the choices.

    `sure`: the play comes to its end whatever is chosen. With a budget, raises `OutOfBudget`.
    """
    matters: set[int] = set()
    look = Pulse(budget).look
    for v, options in enumerate(chain.choices):
        if not v % 64:
            look()
        if v in chain.values:
            if values[v] != chain.values[v]:
                raise InternalFault(WRONG + "a decided position has another figure")
            continue
        found = [average(chain, values, option) for _, option in options]
        if not found:
            raise InternalFault(WRONG + "a position without moves has a figure")
        want = sense(options[0][0])
        if not want or len(found) == 1:
            fine = values[v] == sum(found, Fraction(0)) / len(found)
        else:
            best = max(found) if want > 0 else min(found)
            chosen = policy.get(v)
            fine = values[v] == best and (chosen is None or found[chosen] == best)
            if any(x != best for x in found):
                matters.add(v)
        if not fine:
            raise InternalFault(WRONG + "an equation does not hold")
    some = decided(chain, policy, sense, sure, look=look)
    if any(not some[v] for v, x in enumerate(values) if sure or x > 0):
        raise InternalFault(WRONG + "a play of them need not come to a decision")
    if not sure:
        matters |= _dawdling(chain, values, policy, sense, matters, look)
    return matters


def _dawdling(
    chain: Chances,
    values: list[Fraction],
    policy: dict[int, int],
    sense: Sense,
    matters: set[int],
    look: Callable[[], None],
) -> set[int]:
    """More states where the choice matters: all moves have one figure there, but by some of them it need never come about."""
    some = decided(chain, policy, sense, False, matters, look)
    return {v for v in policy if values[v] > 0 and not some[v] and sense(chain.choices[v][0][0]) > 0}


def average(chain: Chances, values: list[Fraction], draws: list[tuple[int, Fraction]]) -> Fraction:
    """The figure of a choice, in whole numbers over one denominator."""
    reward = chain.reward
    parts = [(p, values[j] + reward[j] if reward[j] else values[j]) for j, p in draws]
    over = lcm(*(p.denominator * x.denominator for p, x in parts))
    return Fraction(sum(p.numerator * x.numerator * (over // (p.denominator * x.denominator)) for p, x in parts), over)


def decided(
    chain: Chances,
    policy: dict[int, int],
    sense: Sense,
    sure: bool,
    told: set[int] | None = None,
    look: Callable[[], None] | None = None,
) -> bytearray:
    """The states from which some draws lead to an absorbing one (unless `sure`: one with a figure above 0).

    Under the choices of who wants the figure large (where they are `told`) and whatever the others choose (`sure`: whatever
    anybody chooses).
    """
    some = bytearray(len(chain.choices))
    for i, value in chain.values.items():
        some[i] = sure or value > 0
    waiting = [v for v in range(len(some) - 1, -1, -1) if not some[v] and chain.choices[v]]
    while True:
        rest = []
        for v in waiting:
            if look is not None and not v % 1024:
                look()
            options = chain.choices[v]
            want = sense(options[0][0])
            if want > 0 and not sure and len(options) > 1 and (told is None or v in told):
                options = [options[policy[v]]] if v in policy else []
            reached = (any(some[j] for j, _ in draws) for _, draws in options)
            if all(reached) and options if want else any(reached):
                some[v] = True
            else:
                rest.append(v)
        if len(rest) == len(waiting):
            return some
        waiting = rest[::-1]
