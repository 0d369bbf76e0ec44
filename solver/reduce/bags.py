"""Draws as bags: dice that a step does not tell apart are drawn in one order only, and what no step reads is not drawn.

A roll of several dice is a bag in the language, and lowered as how many show each face. What is left are draws beside each
other (`chance: {first: 1..6, second: 1..6}`): where a move is the same text with two of them swapped, one in which the
first is larger leads where another one leads, and is left out. The states are the same, met in the same order; only how
many draws lead to each is not, so that this is not for counts of plays nor for odds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from math import prod

from tablelaw.solver.ir import LOOSE, Input, Model, Move, Term, Terms, flat, walk


@dataclass(frozen=True, slots=True)
class Lumped:
    """A model with fewer draws; how many steps of one choice there were at most, summed over the moves, and are now."""

    model: Model
    before: int
    after: int


def lumped(model: Model) -> Lumped | None:
    """The model with draws as bags; None where nothing is left out."""
    moves, before, after = [], 0, 0
    for m in model.moves:
        new, left = _lumped(model.terms, m)
        moves.append(new)
        if left is not None:
            before, after = before + left[0], after + left[1]
    return Lumped(replace(model, moves=moves), before, after) if before else None


def rolled(model: Model) -> tuple[int, int] | None:
    """The largest roll told as a bag: in how many ways the dice can lie, and how many bags there are; None without one."""
    best = 0, 0
    for m in model.moves:
        run: list[Input] = []
        for i in m.inputs:
            if not (i.drawn and run and i.most.level == run[-1].number):  # of the dice that are left some show the next face
                run = [i]
                continue
            run.append(i)
            dice, kinds = run[0].hi, len(run)
            best = max(best, (kinds**dice, _choose(dice + kinds - 1, dice)))
    return best if best[0] > best[1] else None


def _choose(n: int, k: int) -> int:
    return prod(range(n - k + 1, n + 1)) // prod(range(1, k + 1))


def _lumped(t: Terms, m: Move) -> tuple[Move, tuple[int, int] | None]:
    """A move with draws as bags; how many draws there were and are, None where as many."""
    fixed = [i for i in m.inputs if i.drawn and i.least.op == i.most.op == "const" and i.least.number < i.most.number]
    read = {x.number for x in walk(_terms(m)) if x.op == "input"}
    inputs = list(m.inputs)
    for i in fixed:
        if i.number not in read:
            inputs[i.number] = replace(i, most=i.least)
    left = [i for i in fixed if i.number in read]
    after = 1
    while left:
        group = [left[0]]
        for other in left[1:]:
            if (other.least, other.most, _kind(other)) == (left[0].least, left[0].most, _kind(left[0])) and _swappable(
                t, m, group[-1], other
            ):
                group.append(other)
        for earlier, later in pairwise(group):
            inputs[later.number] = replace(later, least=t.leaf("input", earlier.number, earlier.lo, earlier.hi, False))
        faces = group[0].most.number - group[0].least.number + 1
        after *= _choose(faces + len(group) - 1, len(group))
        left = [i for i in left if i not in group]
    before = prod(i.most.number - i.least.number + 1 for i in fixed)
    if before == after:
        return m, None
    return replace(m, inputs=inputs), (before, after)


def _kind(i: Input) -> tuple[int, int]:
    return i.lo, i.hi


def _terms(m: Move) -> list[Term]:
    """All that a step depends on, but for the weights of draws."""
    bounds = [b for i in m.inputs for b in (i.least, i.most)]
    faults = [c for c, _ in (*m.legality_faults, *m.faults)]
    return [m.guard, m.draw_guard, m.actor, *bounds, *faults, *m.updates.values()]


def _swappable(t: Terms, m: Move, a: Input, b: Input) -> bool:
    """Is the move the same with the two draws swapped?"""
    if any(x.op == "input" and x.truth and x.number in (a.number, b.number) for x in walk(_terms(m))):
        return False
    whole = [m.guard, m.draw_guard, m.actor, *(x for i in m.inputs for x in (i.least, i.most)), *m.updates.values()]
    swap = {a.number: b.number, b.number: a.number}
    codes: dict[object, int] = {}

    def told(roots: list[Term], swapped: dict[int, int]) -> list[int]:
        found: dict[int, int] = {}
        for x in walk(roots):
            parts = [found[y.uid] for y in flat(x)]
            if x.op in LOOSE:
                parts.sort()
            number = swapped.get(x.number, x.number) if x.op == "input" else x.number
            bounds = (x.lo, x.hi) if x.op == "input" else ()
            found[x.uid] = codes.setdefault((x.op, number, x.truth, bounds, *parts), len(codes))
        return [found[r.uid] for r in roots]

    same = told(whole, {}) == told(whole, swap)
    wrong = [c for c, _ in m.faults]
    return same and sorted(told(wrong, {})) == sorted(told(wrong, swap)) and not m.legality_faults
