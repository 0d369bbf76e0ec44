"""A model made smaller for a question, and plays of the whole game along its plays.

Slicing first, then draws as bags, what goes first among the actions of the table, and images: each is sound of any model, and
so of what the one before has left. Where nothing is left out by the order of actions, a state of the whole and the one that
stands for it have the same steps to states that stand for each other, so that a play is found again step by step.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace

from tablelaw.solver.ir import Model, Term
from tablelaw.solver.passes import exact, narrow_to, slice_to
from tablelaw.solver.problem import Problem
from tablelaw.solver.reduce.bags import Lumped, lumped
from tablelaw.solver.reduce.names import BAGS, ORDER, SLICING, SYMMETRY
from tablelaw.solver.reduce.order import Ordered, ordered
from tablelaw.solver.space.alike import Images, images, kept_of
from tablelaw.solver.space.graph import Space
from tablelaw.solver.space.images import image, smallest
from tablelaw.solver.space.pack import Packing, packing

Groups = dict[object, list[Images]]
LOOPS = 64
"""So often a way round is followed until it closes in the whole game: once for each image at most, and there are 16."""


@dataclass(slots=True)
class Reduced:
    """What was made of a model, and which reductions had a part in it."""

    whole: Space
    model: Model
    keep: set[int] | None = None
    bags: Lumped | None = None
    order: Ordered | None = None
    key: object = None
    _pack: Packing | None = field(default=None, repr=False)

    @property
    def pack(self) -> Packing:
        """Where the slots lie in a state."""
        if self._pack is None:
            self._pack = packing(self.model.slots)
        return self._pack

    @property
    def among(self) -> tuple[Images, ...]:
        """The images of a state that count as one with it."""
        return self.model.among

    def stands(self, s: int) -> int:
        """The state that stands for a packed state of the whole."""
        return smallest(self.pack, self.among, self.part(s))

    def part(self, s: int) -> int:
        """What is kept of a packed state of the whole."""
        if self.keep is None:
            return s
        row, blank = self.whole.pack.unpack(s), self.model.starts[0]
        return self.pack.pack([n if i in self.keep else blank[i] for i, n in enumerate(row)])

    def lift(self, path: list[int], loop_from: int | None = None) -> tuple[list[int], int | None] | None:
        """A play of the whole (packed states) along one of the smaller model, and where it goes round; None without one.

        A way round leads to an image of where it began, perhaps: it is followed until it closes.
        """
        if self.keep is None and not self.among:
            return path, loop_from
        starts = self.whole.states[: self.whole.starts]
        play = [next(s for s in starts if self.stands(s) == path[0])]
        if not self._along(play, path[1:]):
            return None
        if loop_from is None:
            return play, None
        again = {self.part(play[loop_from]): loop_from}
        for _ in range(LOOPS):
            here = self.part(play[-1])
            if here in again:
                return play, again[here]
            again[here] = len(play) - 1
            if not self._along(play, path[loop_from + 1 :]):
                return None
        return None

    def _along(self, play: list[int], path: list[int]) -> bool:
        """Make the play longer by states that these stand for."""
        for wanted in path:
            out: list[int] = []
            self.whole.successors(play[-1], out)
            found = next((n for n in out if n >= 0 and self.stands(n) == wanted), None)
            if found is None:
                return False
            play.append(found)
        return True


@dataclass(slots=True)
class Smaller(Problem):
    """A problem whose model is made smaller."""

    reduced: Reduced | None = None


def made_smaller(problem: Problem, found: Reduced) -> Smaller:
    """The problem with the model that was made of its own."""
    parts = {f.name: getattr(problem, f.name) for f in fields(Problem)}
    return Smaller(**{**parts, "model": found.model}, reduced=found)


def reduction_of(problem: Problem) -> Reduced | None:
    """What was made of a problem's model, where anything was."""
    return problem.reduced if isinstance(problem, Smaller) else None


def reduced(
    whole: Space,
    terms: list[Term],
    wanted: frozenset[str],
    groups: Groups,
    seen: list[Term] | None = None,
    closed: bool = False,
    origin: object = None,
) -> Reduced | None:
    """The model of a space made smaller for a question that reads these terms; None where nothing is left out.

    `wanted` are the reductions that are sound for the question; `seen` what it asks of positions, for the order of actions;
    `groups` keeps images from question to question; `origin` tells models of one game apart that have the same slots and
    starts. `closed`: the starts are to be images of each other, for counting.
    """
    model = whole.model
    found = Reduced(whole, model)
    if SLICING in wanted:
        keep = exact(model, terms)
        if any(s.lo < s.hi for i, s in enumerate(model.slots) if i not in keep):
            found.keep, model = keep, narrow_to(slice_to(model, keep), keep)
    if BAGS in wanted and (bags := lumped(model)) is not None:
        found.bags, model = bags, bags.model
    if ORDER in wanted and seen is not None and (order := ordered(model, seen)) is not None:
        found.order, model = order, order.model
    slots = None if found.keep is None else frozenset(found.keep)
    first = None if found.order is None else found.order.moves
    basis = origin, tuple(whole.model.starts), tuple(s.name for s in model.slots), slots, found.bags is None, first
    among: list[Images] = []
    if SYMMETRY in wanted:
        if basis not in groups:
            groups[basis] = images(model, model.terms.true)
        among = kept_of(model, groups[basis], terms)
        if closed:
            among = [g for g in among if _closed(packing(model.slots), g, model)]
    if found.keep is None and found.bags is None and found.order is None and not among:
        return None
    pack = packing(model.slots)
    starts = dict.fromkeys(smallest(pack, among, pack.pack(s)) for s in model.starts)
    found.model = replace(model, among=tuple(among), starts=[tuple(pack.unpack(s)) for s in starts])
    found.key = basis, tuple(among)
    return found


def _closed(pack: Packing, moved: Images, model: Model) -> bool:
    starts = {pack.pack(s) for s in model.starts}
    return {image(pack, moved, s) for s in starts} == starts
