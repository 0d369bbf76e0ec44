"""Positions as a search for a forced goal looks at them: is it there, is play over, and who goes on where.

Where one variable tells whose turn it is, the generated code is made anew for each of its values: half of what a formula
asks is then known beforehand. Faults, traces and clauses are left out; `graph.Space` has them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from tablelaw.solver.ir import Model, Term, Terms, walk
from tablelaw.solver.space.generate import Writer, compiled, successor_source
from tablelaw.solver.space.graph import Space
from tablelaw.solver.space.pack import packing
from tablelaw.solver.space.rows import Rows
from tablelaw.solver.space.tongues import Python

LOST, WON, OPEN = 0, 1, 2
ALL, ANY, MIXED = 0, 1, 2
"""What a position needs for the goal to be forced: all steps lead to where it is, or any one, or it depends on the choices."""
MOST_VALUES = 16


@dataclass(slots=True)
class Turns:
    """For each value of the slot that tells whose turn it is (`s >> shift & mask`): what is needed, and the code.

    `look[i](s)` is WON at the goal, LOST where play is over without it (or a formula of the end has no value), else OPEN.
    `step[i](s, out)` appends the successors of an open position, -1 for a step with a fault; it is not for MIXED ones.
    """

    shift: int = 0
    mask: int = 0
    needs: list[int] = field(default_factory=list)
    look: list[Callable[[int], int]] = field(default_factory=list)
    step: list[Callable[[int, list[int]], None]] = field(default_factory=list)


def turns(space: Space, goal: Term, who: frozenset[int]) -> Turns:
    """The code for a space, a goal (a formula of positions) and the players who want it."""
    if isinstance(space, Rows):
        return _plain(space, goal)
    model = space.model
    slot = _turn(model)
    found = Turns()
    if slot is not None:
        found.shift, found.mask = space.pack.shifts[slot], space.pack.masks[slot]
    values = [0] if slot is None else list(range(model.slots[slot].lo, model.slots[slot].hi + 1))
    for v in values:
        narrow = _Narrow(model, slot, v)
        part = narrow.going()
        need = _need(part, who)
        found.needs.append(need)
        found.look.append(compiled(narrow.look_source(goal), "look").call)
        found.step.append(_nothing if need == MIXED else compiled(successor_source(part), "successors").call)
    return found


def _nothing(s: int, out: list[int]) -> None:
    raise AssertionError("a mixed position is stepped by its choices")


def _plain(space: Space, goal: Term) -> Turns:
    """Without generated code of its own: a game with boards."""
    there, over = space.formula(goal), space.formula(space.ended)

    def look(s: int) -> int:
        return WON if there(s) else LOST if over(s) else OPEN

    return Turns(0, 0, [MIXED], [look], [_nothing])


def _turn(model: Model) -> int | None:
    """The one slot that tells who chooses, if there is one and it has few values."""
    slots = {t.number for m in model.moves if not m.table for t in walk([m.actor]) if t.op == "var"}
    if len(slots) != 1:
        return None
    slot = slots.pop()
    return slot if model.slots[slot].hi - model.slots[slot].lo < MOST_VALUES else None


def _need(model: Model, who: frozenset[int]) -> int:
    """What the positions of one turn have in common."""
    sides = set()
    for m in model.moves:
        if m.table or m.actor.op != "const":
            return MIXED
        mine = m.actor.number in who
        if mine and any(i.drawn for i in m.inputs):
            return MIXED
        sides.add(mine)
    return MIXED if len(sides) > 1 else ANY if True in sides else ALL


class _Narrow:
    """The terms of a model where play goes on and one slot has one value."""

    def __init__(self, model: Model, slot: int | None, number: int) -> None:
        self.model, self.slot = model, slot
        t = model.terms
        self.value = None if slot is None else t.const(number, model.slots[slot].truth)
        self.anywhere: dict[int, Term] = {}
        self.before_end: dict[int, Term] = {model.ended.uid: t.false, t.no(model.ended).uid: t.true}

    @property
    def terms(self) -> Terms:
        return self.model.terms

    def _known(self, leaf: Term) -> Term | None:
        return self.value if leaf.op == "var" and leaf.number == self.slot else None

    def _now(self, t: Term) -> Term:
        return self.terms.replace(t, self._known, self.before_end)

    def going(self) -> Model:
        """The moves that are left, of positions known to be no end."""
        t, moves = self.terms, []
        for m in self.model.moves:
            guard = self._now(m.guard)
            wrong = [(c, site) for c, site in ((self._now(c), site) for c, site in m.legality_faults) if c is not t.false]
            if guard is t.false and not wrong:
                continue
            moves.append(
                replace(
                    m,
                    actor=self._now(m.actor),
                    inputs=[replace(i, least=self._now(i.least), most=self._now(i.most)) for i in m.inputs],
                    guard=guard,
                    draw_guard=self._now(m.draw_guard),
                    updates={i: self._now(x) for i, x in m.updates.items()},
                    legality_faults=wrong,
                    faults=[(c, site) for c, site in ((self._now(c), site) for c, site in m.faults) if c is not t.false],
                )
            )
        return replace(self.model, moves=moves, ends=[], ended=t.false, end_faults=[])

    def look_source(self, goal: Term) -> str:
        """Source of `look(s)`."""
        t, model = self.terms, self.model
        there = t.replace(goal, self._known, self.anywhere)
        parts = [model.ended, *(c for c, _ in model.end_faults)]
        over = t.any(t.replace(c, self._known, self.anywhere) for c in parts)
        tongue = Python(packing(model.slots))
        w = Writer(tongue)
        tongue.begin("look(s)")
        for test, result in ((there, WON), (over, LOST)):
            w.load([test], 1)
            w.share([test], 1, lambda _: True)
            tongue.when(1, [w.text(test)])
            tongue.give(2, str(result))
        tongue.give(1, str(OPEN))
        return w.source()
