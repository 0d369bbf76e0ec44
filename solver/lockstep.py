"""Two games taken step by step beside each other: the plays that both allow, and the positions where they part."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import Move, State
from tablelaw.solver.menus import Choice, Drawn, Key, Menu, Row, Side
from tablelaw.solver.sameness import same_variables
from tablelaw.solver.scent import Scent
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.spec.game import Game
from tablelaw.spec.layouts import Layout
from tablelaw.spec.operators import same
from tablelaw.spec.types import LayoutType, MapOf, Type
from tablelaw.spec.values import Map, Value

Pair = tuple[Row, Row]
Steps = tuple[tuple[Move, Drawn], ...]
Way = tuple[Pair, Steps]
"""Where a play starts, and its steps, taken in both games."""
LONGEST_WALK = 2_000


@dataclass(frozen=True, slots=True)
class Parting:
    """Where two games part after a play that both allow.

    `kind`: `start` (one has a start that the other has not), `only` (one alone allows the move), `end` (it is over in one
    alone), `winners`, `actor` (another player chooses), `draws`, `values` (the move leads to other values), `fault` (in one
    alone the rules have no value). `side` is the game that goes on, or has the move; none where neither contains the other.
    """

    kind: str
    side: str
    pair: Pair
    way: Way
    move: Move | None = None
    drawn: Drawn = ()
    names: tuple[str, ...] = ()
    source: str = field(default="", compare=False)
    """The scenario in whose play it was found."""

    @property
    def length(self) -> int:
        """Steps before it."""
        return len(self.way[1])


def own(game: Game, state: State) -> State:
    """A position that may have been read for another setting: its layouts are of the pieces of this game."""
    kinds = {v.name: v.type for v in game.variables}
    return Map({n: _own(v, kinds[n]) if n in kinds else v for n, v in state.items()})


def _own(v: Value, kind: Type) -> Value:
    if isinstance(kind, LayoutType) and isinstance(v, Layout) and kind.pieces is not None:
        if v.pieces is kind.pieces or any(laid[0] not in kind.pieces.faces for laid in v.cells.values()):
            return v
        return Layout(kind.pieces, kind.limit, kind.width, kind.height, v.cells)
    if isinstance(kind, MapOf) and isinstance(v, Map):
        return Map({k: _own(x, kind.value) for k, x in v.items()})
    return v


class Lockstep:
    """The positions that the same plays lead to in both games, nearest first, as far as somebody asks."""

    def __init__(
        self, left: Game, right: Game, alike: frozenset[str], same_ends: bool,
        given: tuple[State, State] | None = None, coded: bool = True,
    ) -> None:  # fmt: skip
        """`alike`: actions that mean the same in both games (told by the caller, who compares their formulas)."""
        self.left, self.right = Side(left, coded), Side(right, coded)
        self.alike, self.same_ends = alike, same_ends
        self.marked = self.apart = frozenset(a.name for g in (left, right) for a in g.actions) - alike
        """Actions that plays at random are drawn to."""
        there = {n: j for j, n in enumerate(self.right.names)}
        self.shared = [(i, there[n], n) for i, n in enumerate(self.left.names) if n in there]
        self.aligned = same_variables(left, right)
        """Is a row of the one, equal to a row of the other, the same position?"""
        self.pairs: list[Pair] = []
        self.parents: list[tuple[int, Move | None, Drawn]] = []
        self.depths: list[int] = []
        self.index: dict[Pair, int] = {}
        self.expanded = 0
        self._last: tuple[Pair, tuple[Menu, Menu]] | None = None
        self.unmatched: list[Parting] = []
        self._start(given)

    def _start(self, given: tuple[State, State] | None) -> None:
        lefts = [own(self.left.game, given[0])] if given else evaluate.starts(self.left.game)
        rights = [own(self.right.game, given[1])] if given else evaluate.starts(self.right.game)
        rows = [self.right.row(s) for s in rights]
        met: set[int] = set()
        for row in map(self.left.row, lefts):
            fits = [k for k, other in enumerate(rows) if not self.differing(row, other)]
            met.update(fits)
            for k in fits:
                self._meet((row, rows[k]), -1, None, ())
            if not fits:
                self.unmatched.append(
                    Parting("start", "left", (row, rows[0]), ((row, rows[0]), ()), names=self.differing(row, rows[0]))
                )
        for k, other in enumerate(rows):
            if k not in met:
                first = self.left.row(lefts[0])
                self.unmatched.append(
                    Parting("start", "right", (first, other), ((first, other), ()), names=self.differing(first, other))
                )

    def _meet(self, pair: Pair, parent: int, move: Move | None, drawn: Drawn) -> None:
        if pair not in self.index:
            self.index[pair] = len(self.pairs)
            self.pairs.append(pair)
            self.parents.append((parent, move, drawn))
            self.depths.append(0 if parent < 0 else self.depths[parent] + 1)

    @property
    def complete(self) -> bool:
        """Has every pair of positions been looked at?"""
        return self.expanded >= len(self.pairs)

    @property
    def depth(self) -> int:
        """All plays of so many steps have been compared."""
        return self.depths[self.expanded] if not self.complete else self.depths[-1] + 1 if self.depths else 0

    def way(self, i: int) -> Way:
        """A shortest play to a pair of positions."""
        steps: list[tuple[Move, Drawn]] = []
        while self.parents[i][0] >= 0:
            parent, move, drawn = self.parents[i]
            assert move is not None
            steps.append((move, drawn))
            i = parent
        return self.pairs[i], tuple(reversed(steps))

    def differing(self, left: Row, right: Row) -> tuple[str, ...]:
        """The variables of both games that hold different values."""
        if self.aligned and left == right:
            return ()
        return tuple(n for i, j, n in self.shared if not same(left[i], right[j]))

    def menus(self, pair: Pair) -> tuple[Menu, Menu]:
        """What may be done in both games; those of the pair last asked about are kept."""
        if self._last is None or self._last[0] is not pair:
            self._last = (pair, self._menus(pair))
        return self._last[1]

    def _menus(self, pair: Pair) -> tuple[Menu, Menu]:
        left = self.left.menu(pair[0])
        if self.aligned and pair[0] == pair[1]:
            return left, self.right.menu(pair[1], left, self.alike, self.same_ends)
        return left, self.right.menu(pair[1])

    def quiet(self, pair: Pair) -> bool:
        """Is it plain that nothing parts here, since no action that is not alike can be taken?"""
        if not (self.aligned and self.same_ends and pair[0] == pair[1]):
            return False
        return self.left.closed(pair[0], self.apart) and self.right.closed(pair[1], self.apart)

    def partings(self, pair: Pair, way: Callable[[], Way]) -> Iterator[Parting]:
        """Where the games part in a pair of positions, moves that only one allows first."""
        if self.quiet(pair):
            return
        left, right = self.menus(pair)
        if left.fault is not None or right.fault is not None:
            if left.fault is None or right.fault is None:
                yield Parting("fault", "right" if left.fault is not None else "left", pair, way())
            return
        if left.ended or right.ended:
            if left.ended != right.ended:
                yield Parting("end", "right" if left.ended else "left", pair, way())
            elif left.winners != right.winners:
                yield Parting("winners", "", pair, way())
            return
        for key, choice in left.choices.items():
            if key not in right.choices:
                yield Parting("only", "left", pair, way(), choice.move)
        for key, choice in right.choices.items():
            if key not in left.choices:
                yield Parting("only", "right", pair, way(), choice.move)
        equal = self.aligned and pair[0] == pair[1]
        for key, choice in left.choices.items():
            other = right.choices.get(key)
            if other is None:
                continue
            if choice.move.actor != other.move.actor:
                yield Parting("actor", "", pair, way(), choice.move)
            elif not (equal and key[0] in self.alike):
                yield from self._outcomes(pair, choice, other, way)

    def _outcomes(self, pair: Pair, left: Choice, right: Choice, way: Callable[[], Way]) -> Iterator[Parting]:
        mine, theirs = self.left.outcomes(pair[0], left), self.right.outcomes(pair[1], right)
        others = {d: (p, n) for d, p, n in theirs}
        if {d: p for d, p, _ in mine} != {d: p for d, (p, _) in others.items()}:
            yield Parting("draws", "", pair, way(), left.move)
            return
        for drawn, _, row in mine:
            other = others[drawn][1]
            if (row is None) != (other is None):
                yield Parting("fault", "right" if row is None else "left", pair, way(), left.move, drawn)
            elif row is not None and other is not None and (names := self.differing(row, other)):
                yield Parting("values", "", pair, way(), left.move, drawn, names)

    def both(self, menus: tuple[Menu, Menu]) -> list[tuple[Choice, Choice]]:
        """The moves that the same player, or the table, has in both games."""
        left, right = menus
        if left.fault is not None or right.fault is not None or left.ended or right.ended:
            return []
        pairs = [(c, right.choices.get(k)) for k, c in left.choices.items()]
        return [(c, o) for c, o in pairs if o is not None and c.move.actor == o.move.actor]

    def taken(self, pair: Pair, left: Choice, right: Choice, drawn: Drawn | None) -> Iterator[tuple[Move, Drawn, Pair]]:
        """The steps of a move of both that they take to the same values: with one draw, or with each (None)."""
        if drawn is not None:
            step = self._both(pair, left, right, drawn) if self.left.can_draw(pair[0], left, drawn) else None
            if step is not None:
                yield step
            return
        mine = self.left.outcomes(pair[0], left)
        if self.aligned and pair[0] == pair[1] and left.move.action in self.alike:
            yield from ((left.move, d, (n, n)) for d, _, n in mine if n is not None)
            return
        theirs = {d: n for d, _, n in self.right.outcomes(pair[1], right)}
        for d, _, row in mine:
            row_there = theirs.get(d)
            if row is not None and row_there is not None and not self.differing(row, row_there):
                yield left.move, d, (row, row_there)

    def nexts(self, pair: Pair, menus: tuple[Menu, Menu]) -> Iterator[tuple[Move, Drawn, Pair]]:
        """The steps that both games take to the same values."""
        for left, right in self.both(menus):
            yield from self.taken(pair, left, right, None)

    def search(self, budget: Budget) -> Iterator[Parting]:
        """Where the games part, after the shortest plays first, until the budget is used up; goes on where it stopped."""
        yield from self.unmatched if not self.expanded else ()
        while not self.complete:
            i = self.expanded
            try:
                budget.check(len(self.pairs))
            except OutOfBudget:
                return
            if budget.tell and not i % 64:
                budget.tell(f"{len(self.pairs):,} positions of both games, {len(self.pairs) - i:,} waiting")
            pair = self.pairs[i]
            menus = self.menus(pair)
            found = list(self.partings(pair, lambda i=i: self.way(i)))  # type: ignore[misc]
            for move, drawn, then in self.nexts(pair, menus):
                self._meet(then, i, move, drawn)
            self.expanded += 1
            yield from found

    def walk(
        self, r: random.Random, budget: Budget, longest: int = LONGEST_WALK, scent: Scent | None = None
    ) -> Iterator[tuple[Pair, Way]]:
        """The positions of a play at random that both games allow, each with the way there.

        With a scent, choices that led to actions that are not alike are taken more often.
        """
        if not self.pairs:
            return
        if scent is not None:
            scent.begin()
        starts = [i for i, (p, _, _) in enumerate(self.parents) if p < 0]
        start = pair = self.pairs[starts[r.randrange(len(starts))]]
        steps: list[tuple[Move, Drawn]] = []
        while len(steps) < longest:
            yield pair, (start, tuple(steps))
            budget.check()
            menus = self.menus(pair)
            if scent is not None and any(k[0] in self.marked for m in menus for k in m.choices):
                scent.reward()
            step = self._any(r, pair, menus, scent)
            if step is None:
                return
            steps.append(step[:2])
            pair = step[2]

    def _any(
        self, r: random.Random, pair: Pair, menus: tuple[Menu, Menu], scent: Scent | None
    ) -> tuple[Move, Drawn, Pair] | None:
        """A step of both: actions alike, whatever the number of their moves, and draws alike, whatever their chances."""
        left, right = menus
        if left.fault is not None or right.fault is not None or left.ended or right.ended:
            return None
        by_action: dict[str, list[Key]] = {}
        for key in left.choices:
            if key in right.choices:
                by_action.setdefault(key[0], []).append(key)
        while by_action:
            names = list(by_action)
            name = names[r.randrange(len(names)) if scent is None else scent.pick(r, names)]
            keys = by_action.pop(name)
            r.shuffle(keys)
            for key in keys:
                step = self._one(r, pair, left.choices[key], right.choices[key], scent)
                if step is not None:
                    return step
        return None

    def _one(
        self, r: random.Random, pair: Pair, left: Choice, right: Choice, scent: Scent | None
    ) -> tuple[Move, Drawn, Pair] | None:
        """A step of both by one move; None where they do not take it to the same values."""
        name = left.move.action
        if scent is not None:
            scent.took(name)
        few = len(left.action.draws) == 1 and left.action.draws[0].kind != "roll"
        if scent is not None and few:
            found = list(self.taken(pair, left, right, None))
            if not found:
                return None
            draws = [(name, drawn) for _, drawn, _ in found]
            at = scent.pick(r, draws)
            scent.took(draws[at])
            return found[at]
        drawn = self.left.some_draw(r, pair[0], left)
        return None if drawn is None else self._both(pair, left, right, drawn)

    def _both(self, pair: Pair, left: Choice, right: Choice, drawn: Drawn) -> tuple[Move, Drawn, Pair] | None:
        """The step with one draw, where both take it to the same values."""
        mine = self.left.after(pair[0], left, drawn)
        if mine is None:
            return None
        if self.aligned and pair[0] == pair[1] and left.move.action in self.alike:
            return left.move, drawn, (mine, mine)
        theirs = {d: n for d, _, n in self.right.outcomes(pair[1], right)}.get(drawn)
        return None if theirs is None or self.differing(mine, theirs) else (left.move, drawn, (mine, theirs))

    def follow(
        self, pair: Pair, move: Move, drawn: Drawn, menus: tuple[Menu, Menu] | None = None
    ) -> tuple[Move, Drawn, Pair] | None:
        """One step of both games, by whoever may take it here, whoever took it in the play that it comes from.

        None where they do not both take it to the same values.
        """
        left, right = menus or self.menus(pair)
        key = (move.action, move.args)
        if key not in left.choices or key not in right.choices:
            return None
        mine, theirs = left.choices[key], right.choices[key]
        if mine.move.actor != theirs.move.actor or not self.left.can_draw(pair[0], mine, drawn):
            return None
        return self._both(pair, mine, theirs, drawn)

    def forced(self, pair: Pair, menus: tuple[Menu, Menu]) -> tuple[Move, Drawn, Pair] | None:
        """The one step of the table that there is, where nothing is drawn."""
        if not menus[0].table or len(menus[0].choices) != 1:
            return None
        found = list(self.nexts(pair, menus))
        return found[0] if len(found) == 1 else None
