"""Questions over all connected layouts of a size: is there one, are all so, how many are there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from tablelaw.solver.layout.growth import Growth, extended
from tablelaw.solver.layout.implied import of_closed_features, same_turned, whole_feature
from tablelaw.solver.layout.kernel import Board, Kernel, Key, unpacked
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.verdict import InternalFault
from tablelaw.spec.core import Expr
from tablelaw.spec.layouts import Layout
from tablelaw.spec.operators import Fault
from tablelaw.spec.reckon import Place, value
from tablelaw.spec.types import LayoutType


class Faulty(Exception):
    """The formula has no value for a layout."""

    def __init__(self, layout: Layout, message: str) -> None:
        super().__init__(message)
        self.layout, self.message = layout, message


class Uneven(Exception):
    """The formula is true of a layout and not of the same layout turned or mirrored."""

    def __init__(self, layout: Layout) -> None:
        super().__init__("uneven")
        self.layout = layout


@dataclass(slots=True)
class Census:
    """All connected layouts of some pieces that keep the contact rules. `looked` counts those a formula was reckoned for.

    `notes` says how the search was made smaller.
    """

    of: str
    kind: LayoutType
    players: int
    budget: Budget
    looked: int = 0
    notes: list[str] = field(default_factory=list)
    done: int = 0
    """All layouts of up to so many pieces were looked at."""
    _kernel: Kernel | None = None

    @property
    def kernel(self) -> Kernel:
        if self._kernel is None:
            assert self.kind.pieces is not None
            self._kernel = Kernel(self.kind.pieces)
        return self._kernel

    def some(self, formula: Expr, sizes: tuple[int, ...], holds: bool = True) -> Layout | None:
        """The first layout of which the formula is true (or, `holds` being false, false)."""
        turned = self._turns() and same_turned(formula)
        for n in sizes:
            for board in self._all(formula, holds, n):
                if turned and not _least(board):
                    continue
                layout = board.layout(self.kind.empty())
                if self.true(formula, layout) == holds:
                    return layout
            self.done = n
        return None

    def counterexample(self, formula: Expr, sizes: tuple[int, ...]) -> Layout | None:
        """The first layout of which the formula is false."""
        parts = self._parts(formula)
        return self.some(formula, sizes, holds=False) if parts is None else self._closed_alone(formula, parts, sizes)

    def count(self, where: Expr | None, sizes: tuple[int, ...], rotation: bool, reflection: bool) -> int:
        """How many layouts there are where the formula holds; those that turning (and mirroring) makes equal count once."""
        sure = where is None or (same_turned(where) and not reflection)
        found = 0
        for n in sizes:
            for board in self._all(where, True, n):
                keys = board.images(rotation, reflection)
                if keys[0] != min(keys):
                    continue
                if where is None:
                    self.looked += 1
                    found += 1
                    continue
                found += self._even(where, keys[:1] if sure else list(dict.fromkeys(keys)))
            self.done = n
        return found

    def true(self, formula: Expr, layout: Layout) -> bool:
        """Is the formula true of a layout? Raises `Faulty`."""
        self.looked += 1
        try:
            return bool(value(formula, Place({self.of: layout}, self.players)))
        except Fault as fault:
            raise Faulty(layout, fault.message) from None

    # which layouts need to be made

    def makes_few(self, formula: Expr, sizes: tuple[int, ...], holds: bool) -> bool:
        """Are only layouts that are one closed feature made to find one of which the formula is (not) true?"""
        if not holds and self._parts(formula) is not None:
            return True
        return all(whole_feature(formula, holds, self.of, n) is not None for n in sizes)

    def _parts(self, formula: Expr) -> list[tuple[str, Expr]] | None:
        """The parts of a formula about closed features that stand alone, with their kinds."""
        parts = of_closed_features(formula, self.of)
        return parts if parts is not None and all(self.kernel.goes_on(kind) for kind, _ in parts) else None

    def _all(self, formula: Expr | None, holds: bool, n: int) -> Iterator[Board]:
        """Every layout of the size, but for those of which the formula surely is not as wanted."""
        growth = self._growth(n)
        whole = None if formula is None else whole_feature(formula, holds, self.of, n)
        if whole is None:
            made: Iterator[Board] = growth.every()
        elif whole.kind is None:
            return
        else:
            self._note(f"only layouts that are one closed `{whole.kind}` were made, for the formula asks for one of all pieces")
            made = growth.closed(whole.kind)
        try:
            yield from made
        except OutOfBudget as spent:
            far = f"all layouts of up to {_pieces(self.done)} were looked at, " if self.done else ""
            raise OutOfBudget(f"{spent.reason}; {far}{self.looked:,} layouts were looked at") from None

    def _closed_alone(self, formula: Expr, parts: list[tuple[str, Expr]], sizes: tuple[int, ...]) -> Layout | None:
        """As `counterexample`, where the formula speaks of closed features alone, each for itself.

        A closed feature of a kind whose parts always go on in their neighbours stands alone. Take away all pieces that it
        does not lie on: what is left keeps the contact rules, is connected through the joined sides, and has the same closed
        feature, for each of its sides led to a piece that goes on with it, hence to one that is left. The formula sees
        nothing of a layout but such features and the pieces on their squares. So it is false of some layout of up to n
        pieces just when it is false of some layout of up to n pieces that is one closed feature. Pieces added to that one
        change nothing about the feature: the formula is false of every larger layout that holds it, if there is one.
        """
        kinds = " or ".join(dict.fromkeys(f"`{kind}`" for kind, _ in parts))
        self._note(f"only layouts that are one closed {kinds} were made, for the formula speaks of each such alone")
        turned = self._turns() and same_turned(formula)
        for n in range(1, sizes[-1] + 1):
            for kind, part in parts:
                for board in self._growth(n).closed(kind):
                    if turned and not _least(board):
                        continue
                    layout = board.layout(self.kind.empty())
                    if self.true(part, layout):
                        continue
                    larger = layout if n in sizes else self._extended(layout, [m for m in sizes if m > n])
                    if larger is not None:
                        if self.true(formula, larger):
                            raise InternalFault("closed features do not stand alone in this formula")
                        return larger
            self.done = n
        return None

    def _extended(self, layout: Layout, sizes: list[int]) -> Layout | None:
        """A layout of one of the sizes that holds this one."""
        for n in sizes:
            growth = self._growth(n)
            growth.board.load(layout)
            for board in extended(growth):
                return board.layout(self.kind.empty())
        return None

    def _growth(self, n: int) -> Growth:
        return Growth(self.kernel, n, self.kind.width, self.kind.height, self._watch)

    def _watch(self) -> None:
        self.budget.check()
        if self.budget.tell:
            self.budget.tell(f"{self.looked:,} layouts")

    def _turns(self) -> bool:
        """Does turning a layout give another that may be laid?"""
        return self.kernel.pieces.free and self.kind.width == self.kind.height

    def _even(self, where: Expr, keys: list[Key]) -> bool:
        """Does the formula hold of a layout given in all its images? Raises `Uneven` when they differ."""
        layouts = [unpacked(self.kernel, k, self.kind.empty()) for k in keys]
        first = self.true(where, layouts[0])
        for other in layouts[1:]:
            if self.true(where, other) != first:
                raise Uneven(layouts[0] if first else other)
        return first

    def _note(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)


def _least(board: Board) -> bool:
    keys = board.images(rotation=True)
    return keys[0] == min(keys)


def _pieces(n: int) -> str:
    return "1 piece" if n == 1 else f"{n} pieces"


def bound_text(sizes: tuple[int, ...]) -> str:
    """The layouts asked about, in words."""
    if sizes[0] == sizes[-1]:
        return f"all connected layouts of {_pieces(sizes[0])}"
    return f"all connected layouts of {sizes[0]} to {_pieces(sizes[-1])}"
