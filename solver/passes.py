"""Passes over the flat transition system, in the order engines apply them. Each keeps the answers it says it keeps."""

from __future__ import annotations

from dataclasses import replace

from tablelaw.solver.ir import Model, Move, Term, walk


def reads(term: Term) -> set[int]:
    """The slots a term depends on."""
    return {t.number for t in walk([term]) if t.op in ("var", "next")}


def relevant(model: Model, terms: list[Term]) -> set[int]:
    """The slots that can matter to legality, to the end, and to the terms: everything they read, and what that is made of."""
    roots = [model.ended, *(c for c, _ in model.end_faults), *terms]
    for m in model.moves:
        roots += [m.guard, m.draw_guard, m.actor, *(b for i in m.inputs for b in (i.least, i.most))]
        roots += [c for c, _ in m.legality_faults]
    found: set[int] = set()
    waiting = [i for t in roots for i in reads(t)]
    makes: dict[int, set[int]] = {}
    for m in model.moves:
        for i, t in m.updates.items():
            makes.setdefault(i, set()).update(reads(t))
    while waiting:
        i = waiting.pop()
        if i not in found:
            found.add(i)
            waiting.extend(makes.get(i, ()))
    return found


def unseen(model: Model, keep: set[int]) -> bool:
    """Would a slice take steps that leave a range of what is left out of it?"""
    return not exact(model, []) <= keep


def slice_to(model: Model, keep: set[int]) -> Model:
    """The model with all other slots held at one value, and their faults left out.

    Exact for questions on the slots kept, as far as no range is left (which `in-range` asks of the whole model).
    """
    if len(keep) == len(model.slots):
        return model
    blank = model.starts[0]
    moves: list[Move] = []
    for m in model.moves:
        updates = {i: t for i, t in m.updates.items() if i in keep}
        faults = [(c, site) for c, site in m.faults if reads(c) <= keep]
        moves.append(replace(m, updates=updates, faults=faults))
    starts = list(dict.fromkeys(tuple(n if i in keep else blank[i] for i, n in enumerate(s)) for s in model.starts))
    return replace(model, moves=moves, starts=starts)


def narrow_to(model: Model, keep: set[int]) -> Model:
    """The model of a slice, in which the slots left out take no bits."""
    blank = model.starts[0]
    return replace(model, slots=[s if i in keep else replace(s, lo=blank[i], hi=blank[i]) for i, s in enumerate(model.slots)])


def exact(model: Model, terms: list[Term]) -> set[int]:
    """The slots that can matter to the terms where no range is to be left unseen: what faults read as well."""
    return relevant(model, [*terms, *(c for m in model.moves for c, _ in m.faults)])
