"""Any layout of n pieces in a box, as truths: which face lies how on each square.

A free layout of n pieces lies in some box with width + height at most n + 1 and touches its four sides, so that each is met
once and not in every translation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import z3

from tablelaw.solver.symbolic.sums import Truth, at_most_one, conj, disj, implies, neg, total
from tablelaw.spec.grid import OPPOSITE, SIDES, Cell, step
from tablelaw.spec.layouts import Laid
from tablelaw.spec.pieces import Pieces


class Squares:
    """Exactly `size` pieces, connected, contacts kept. `tight`: they touch all sides of the box."""

    def __init__(self, pieces: Pieces, size: int, width: int, height: int, tight: bool) -> None:
        self.pieces, self.size, self.width, self.height = pieces, size, width, height
        self.cells = [Cell(x, y) for y in range(height) for x in range(width)]
        self.ways: list[Laid] = [(f, r) for f in pieces.faces for r in pieces.rotations[f]]
        self.lies = {c: {w: z3.Bool(f"{c.x},{c.y}:{w[0]}/{w[1]}") for w in self.ways} for c in self.cells}
        self.facts: list[Truth] = []
        self._laid = {c: z3.Bool(f"{c.x},{c.y}") for c in self.cells}
        self._fresh = 0
        self._shown: dict[tuple[Cell, str, frozenset[str]], Truth] = {}
        for c, ways in self.lies.items():
            some = list(ways.values())
            self.facts += [self._laid[c] == z3.Or(some), at_most_one(some)]
        self.facts.append(total(self._laid.values()).equals(size))
        if tight:
            for line in (
                [c for c in self.cells if c.x == 0],
                [c for c in self.cells if c.x == width - 1],
                [c for c in self.cells if c.y == 0],
                [c for c in self.cells if c.y == height - 1],
            ):
                self.facts.append(disj(*(self._laid[c] for c in line)))
        self._connect()
        self._touch()

    def name(self, what: str) -> str:
        """A name that no other variable has."""
        self._fresh += 1
        return f"{what}{self._fresh}"

    def laid(self, cell: Cell) -> Truth:
        """Does a piece lie there?"""
        return self._laid.get(cell, False)

    def some(self, cell: Cell, test: Callable[[Laid], bool]) -> Truth:
        """Does a piece lie there in a way that passes the test?"""
        return disj(*(t for w, t in self.lies.get(cell, {}).items() if test(w)))

    def shows(self, cell: Cell, side: str, kinds: frozenset[str]) -> Truth:
        """Does a piece lie there that shows just these kinds at the side?"""
        key = (cell, side, kinds)
        if key not in self._shown:
            self._shown[key] = self.some(cell, lambda w: self.pieces.shows[(*w, side)] == kinds)
        return self._shown[key]

    def _connect(self) -> None:
        """From the first laid square, in steps, all are reached."""
        reached: dict[Cell, Truth] = {}
        before: Truth = False
        for c in self.cells:
            reached[c] = conj(self._laid[c], neg(before))
            before = disj(before, self._laid[c])
        for _ in range(self.size - 1):
            wider: dict[Cell, Truth] = {}
            for c in self.cells:
                near = [reached[n] for s in SIDES if (n := step(c, s)) in reached]
                wider[c] = conj(self._laid[c], disj(reached[c], *near))
            reached = wider
        self.facts += [implies(self._laid[c], reached[c]) for c in self.cells]

    def _touch(self) -> None:
        looks = {s: {self.pieces.shows[(*w, s)] for w in self.ways} for s in SIDES}
        for c in self.cells:
            for s in ("E", "S"):
                n = step(c, s)
                if n not in self._laid:
                    continue
                for mine in looks[s]:
                    for theirs in looks[OPPOSITE[s]]:
                        if (mine, theirs) not in self.pieces.allowed:
                            self.facts.append(neg(conj(self.shows(c, s, mine), self.shows(n, OPPOSITE[s], theirs))))

    def found(self, model: Any) -> dict[Cell, Laid]:
        """What lies where in a model."""
        return {
            c: w for c, ways in self.lies.items() for w, t in ways.items() if z3.is_true(model.eval(t, model_completion=True))
        }
