"""Partial order: of actions of the table that are open at once and have nothing to do with each other one goes first.

Without it every order of n such actions is followed, 2**n positions on the way. An action goes first (C0 to C3 are the
conditions of an ample set, read off the rules once instead of in every position) where

- whether it is open depends on the position alone, and then it has a step without a fault (C0: something is followed);
- no other action of the table reads or writes what it writes, nor writes what it reads, the end of play among that. Nobody
  else moves while an action of the table is open, so that nothing that depends on it can come before it (C1);
- nothing that it writes is read by the question (C2);
- its own step closes it, and no other action of the table can open it again: on a way round some position is left by a
  move of a player or by an action that does not go first, and there all is followed (C3).

A play that is found is a play of the rules, though perhaps not a shortest one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tablelaw.solver.ir import Model, Move, Term, walk


@dataclass(frozen=True, slots=True)
class Ordered:
    """A model in which some actions of the table go first; which, and how many wait for them."""

    model: Model
    first: tuple[str, ...]
    waiting: int
    moves: tuple[int, ...]
    """Which moves of the model go first."""


def ordered(model: Model, seen: Iterable[Term]) -> Ordered | None:
    """The model for a question that reads these terms of positions; None where no action goes first."""
    table = [m for m in model.moves if m.table]
    if len(table) < 2 or any(m.legality_faults for m in table):
        return None
    visible = _slots([*seen, *(c for c, _ in (*model.end_faults, *model.winner_faults))])
    first = [m for m in table if _alone(model, m, table) and not visible & m.updates.keys()]
    if not first:
        return None
    t, before, moves, waiting = model.terms, list[Term](), dict[int, Move](), 0
    for m in first:
        moves[id(m)] = replace(m, guard=t.all([m.guard, *before]))
        before.append(t.no(t.all([m.guard])))
    for m in table:
        if id(m) not in moves:
            moves[id(m)] = replace(m, guard=t.all([m.guard, *before]))
            waiting += 1
    whole = replace(model, moves=[moves.get(id(m), m) for m in model.moves])
    numbers = tuple(i for i, m in enumerate(model.moves) if any(m is f for f in first))
    return Ordered(whole, tuple(dict.fromkeys(m.action for m in first)), waiting + len(first) - 1, numbers)


def _slots(terms: Iterable[Term]) -> set[int]:
    return {x.number for x in walk(terms) if x.op in ("var", "next")}


def _reads(m: Move) -> set[int]:
    """The slots that a move depends on."""
    bounds = [b for i in m.inputs for b in (i.least, i.most)]
    return _slots([m.guard, m.draw_guard, m.actor, *bounds, *(c for c, _ in m.faults), *m.updates.values()])


def _alone(model: Model, m: Move, table: list[Move]) -> bool:
    """Does the action keep the conditions that do not hang on the question?"""
    t = model.terms
    if m.faults or m.guard.level >= 0 or m.draw_guard is not t.true or not m.updates:
        return False
    if any(i.least.op != "const" or i.most.op != "const" or i.least.number > i.most.number for i in m.inputs):
        return False
    after = t.replace(m.guard, lambda leaf: m.updates.get(leaf.number) if leaf.op == "var" else None, {})
    if after is not t.false:
        return False
    reads, writes = _reads(m), set(m.updates)
    others = [o for o in table if o is not m]
    return not any(o.updates.keys() & (reads | writes) or writes & _reads(o) for o in others)
