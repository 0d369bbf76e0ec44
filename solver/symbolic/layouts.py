"""Is there a layout of n pieces where a formula is true (or false)? z3 over all layouts, also those that no play meets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import z3

from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.symbolic.boards import NO_PLACE
from tablelaw.solver.symbolic.deciding import decide
from tablelaw.solver.symbolic.interrupts import listen
from tablelaw.solver.symbolic.reading import Reading
from tablelaw.solver.symbolic.squares import Squares
from tablelaw.solver.symbolic.sums import conj, disj, neg
from tablelaw.solver.symbolic.turning import moves_with, turns_with
from tablelaw.solver.verdict import InternalFault
from tablelaw.spec.core import Expr
from tablelaw.spec.game import Game
from tablelaw.spec.grid import Cell
from tablelaw.spec.layouts import Laid, Layout
from tablelaw.spec.operators import Fault
from tablelaw.spec.reckon import Place, value
from tablelaw.spec.types import LayoutType

LARGEST = 40
MOST_FAULTS = 50


@dataclass(frozen=True, slots=True)
class Found:
    """`found` with the layout, `none`, or `unknown` and why; with a layout, that is one for which the formula has no value."""

    verdict: str
    layout: Layout | None = None
    reason: str = ""


def find_layout(game: Game, of: str, size: int, formula: Expr, wanted: bool, budget: Budget) -> Found:
    """A connected layout of so many pieces that keeps the rules of contact and where the formula is as wanted.

    Raises `Unlowerable` where z3 cannot be told of the formula.
    """
    kind = next(v.type for v in game.variables if v.name == of)
    assert isinstance(kind, LayoutType)
    assert kind.pieces is not None
    if not kind.pieces.symmetric:
        raise Unlowerable("whether two pieces may touch depends on which was laid first")
    if size > LARGEST:
        raise Unlowerable(f"z3 is told of layouts of at most {LARGEST} pieces")
    if size == 0:
        return _empty(game, of, kind, formula, wanted)
    if size > kind.limit or not kind.pieces.faces:
        return Found("none")
    if kind.width is None and not moves_with(formula):
        raise Unlowerable(NO_PLACE)
    listen()
    unclear: Found | None = None
    for box in boxes(kind, size, turns_with(kind.pieces, formula)):
        try:
            budget.check()
            found = _InBox(game, of, kind, size, box, formula, wanted, budget).found()
        except OutOfBudget as over:
            return Found("unknown", reason=str(over))
        except z3.Z3Exception as over:  # of memory, most likely
            return Found("unknown", reason=f"z3 gave up: {over}")
        if found.verdict == "found":
            return found
        unclear = unclear or (found if found.verdict == "unknown" else None)
    return unclear or Found("none")


def boxes(kind: LayoutType, size: int, turnable: bool) -> Iterator[tuple[int, int]]:
    """The boxes that such a layout may fill from side to side, squarish ones first; a board is one box."""
    if kind.width is not None and kind.height is not None:
        yield kind.width, kind.height
        return
    every = [(w, h) for w in range(1, size + 1) for h in range(1, size + 2 - w) if w * h >= size and (w >= h or not turnable)]
    yield from sorted(every, key=lambda b: (abs(b[0] - b[1]), b[0] * b[1]))


class _InBox:
    """The layouts that fill one box."""

    def __init__(
        self,
        game: Game,
        of: str,
        kind: LayoutType,
        size: int,
        box: tuple[int, int],
        formula: Expr,
        wanted: bool,
        budget: Budget,
    ) -> None:
        assert kind.pieces is not None
        self.kind, self.budget, self.wanted = kind, budget, wanted
        self.formula, self.of, self.players = formula, of, game.players
        self.squares = Squares(kind.pieces, size, *box, tight=kind.width is None)
        reading = Reading(self.squares, of, kind, game.players, budget)
        self.meets = reading.meets(formula, wanted)
        self.faulty = disj(*reading.faults)
        self.solver = z3.SolverFor("QF_FD")
        self.solver.add([f for f in self.squares.facts if f is not True])

    def found(self) -> Found:
        """First among the layouts where all that is read has a value; then whether there are others."""
        fault: Found | None = None
        for wish, sure in ((conj(self.meets, neg(self.faulty)), True), (self.faulty, False)):
            if wish is False:
                continue
            self.solver.push()
            self.solver.add(wish)
            for _ in range(MOST_FAULTS):
                layout = self._next()
                if layout is None:
                    break
                try:
                    told = value(self.formula, Place({self.of: layout}, self.players))
                except Fault as why:
                    fault = Found("unknown", layout, why.message)
                    continue
                if told is self.wanted:
                    return Found("found", layout)
                if sure:
                    raise InternalFault(f"z3 and the evaluator disagree about a formula for {layout!r}")
            else:
                return fault or Found("unknown", reason="z3 cannot tell well enough where the formula has a value")
            self.solver.pop()
        return fault or Found("none")

    def _next(self) -> Layout | None:
        """A layout that the solver has not given yet."""
        answer = decide(self.solver, self.budget)
        if answer == z3.unknown:
            raise OutOfBudget("z3 did not decide in time")
        if answer == z3.unsat:
            return None
        cells = self.squares.found(self.solver.model())
        self.solver.add(neg(conj(*(self.squares.lies[c][w] for c, w in cells.items()))))
        return placed(self.kind, cells)


def placed(kind: LayoutType, cells: dict[Cell, Laid]) -> Layout:
    """The layout; a free one with the first piece of its first row at (0, 0)."""
    assert kind.pieces is not None
    if kind.width is None and cells:
        first = min(cells, key=lambda c: (c.y, c.x))
        cells = {Cell(c.x - first.x, c.y - first.y): w for c, w in cells.items()}
    return Layout(kind.pieces, kind.limit, kind.width, kind.height, cells)


def _empty(game: Game, of: str, kind: LayoutType, formula: Expr, wanted: bool) -> Found:
    layout = kind.empty()
    try:
        told = value(formula, Place({of: layout}, game.players))
    except Fault as why:
        return Found("unknown", layout, why.message)
    return Found("found", layout) if told is wanted else Found("none")
