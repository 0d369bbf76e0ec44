"""What a position, and each step from it, shows of a game's rules; by generated code where that can be written."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

from tablelaw.checkers.goals import WON, Goal, effects_of, exceptions, on_rims
from tablelaw.solver import evaluate
from tablelaw.solver.sampling import Choice, Plain, Player, player
from tablelaw.spec.core import Call, Draw, Expr, Local, Op
from tablelaw.spec.game import Action, Check, End, Game
from tablelaw.spec.operators import Fault
from tablelaw.spec.over_layouts import walk
from tablelaw.spec.reckon import value
from tablelaw.spec.types import BOOL, LayoutType
from tablelaw.spec.values import Value

Drawn = tuple[Value, ...]
WRONG = (Fault, KeyError)
MOST_ASKED, MOST_TRIES = 300, 60
"""So many positions are asked whether two checks both refuse a move there, before that is left."""


class Eye:
    """One game, looked at position by position. `wanted` are the goals that nobody has shown yet."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self.player: Player = player(game)
        self.actions: list[Action] = self.player.actions
        self.inner = [effects_of(a) for a in self.actions]
        self.checks = [[c.id for c in a.checks] for a in self.actions]
        self.owner = {name: n for n, names in enumerate(self.checks) for name in names}
        self.coded = not isinstance(self.player, Plain)
        self.asked: dict[Goal, Expr] = {}
        self.variants: dict[Goal, Player] = {}
        self.uncoded: set[Goal] = set()
        self.tries: dict[tuple[Goal, bool], int] = {}
        self.blind: set[Goal] = set()
        """Goals that were not looked for somewhere: too often in vain, or because a formula had no value there."""
        self.loose = [any(_hangs(d, {x.name for x in a.draws[:k]}) for k, d in enumerate(a.draws)) for a in self.actions]
        """Of each action: may drawing have a fault after some of its first draws, and not after others?"""
        self._steps: set[tuple[int, int]] = set()
        self._values: set[tuple[int, object]] = set()

    def anew(self) -> None:
        """A search begins: what an earlier one has looked at is looked at again, for this one may want something else."""
        self._steps.clear()
        self._values.clear()

    # positions

    def choices(self, row: Any) -> tuple[list[Choice], list[str]]:
        """The legal moves, and the checks that were the first to refuse some other move."""
        made = self.player
        before = list(made.refused)
        found = made.legal(row)
        if self.coded:
            return found, [c for c, a, b in zip(made.checks, before, made.refused, strict=True) if b > a]
        if not found and made.end(row) >= 0:
            return found, []
        table = bool(found) and found[0][1] < 0
        return found, [c.id for a in self.actions if not (table and a.by is not None) for c in a.checks]

    def shown_here(self, row: Any, choices: list[Choice], refusing: list[str], wanted: set[Goal]) -> Iterator[Goal]:
        """The wanted goals that the position shows."""
        yield from self.shown_without_moves(row, wanted)
        for n in dict.fromkeys(c[0] for c in choices):
            for check in self.actions[n].checks:
                if (goal := Goal("allows", (check.id,))) in wanted:
                    yield goal
                for name, _ in zip(exceptions(self.game, check.id), check.lifted, strict=False):
                    goal = Goal("lifts", (check.id, name))
                    if goal in wanted and self.moves_of(goal, row):
                        yield goal
        first: dict[int, int] = {}
        for name in refusing:
            n = self.owner[name]
            first[n] = min(first.get(n, len(self.checks[n])), self.checks[n].index(name))
            if (goal := Goal("refuses", (name,))) in wanted and self.moves_of(goal, row):
                yield goal
        for n, k in first.items():  # a move that two checks refuse may be refused by a third one before them
            for names in combinations(self.checks[n][k:], 2):
                goal = Goal("refuse-both", names)
                if goal in wanted and self._worth(goal, names[0] not in refusing) and self.moves_of(goal, row):
                    yield goal

    def shown_without_moves(self, row: Any, wanted: set[Goal]) -> Iterator[Goal]:
        """Those of them that hang on no move: rims of ranges, what questions ask for."""
        for goal in self.rims(row):
            if goal in wanted:
                yield goal
        for goal in self.asked:
            if goal in wanted and self.is_asked(goal, row):
                yield goal

    def ended(self, row: Any) -> list[Goal]:
        """The end that a position is, and how many have won."""
        end = self.player.end(row)
        if end < 0:
            return []
        won = WON[min(len(self.player.winners(row)), 2)]
        return [Goal("ends", (self.game.ends[end].id,)), Goal("winners", (won,))]

    def is_asked(self, goal: Goal, row: Any) -> bool:
        """Is it what a question asks for? Of a formula that generated code cannot read, of so many positions alone."""
        try:
            coded = self._coded(goal)
            if coded is not None:
                return coded.end(row) >= 0
            tries = self.tries[goal, False] = self.tries.get((goal, False), 0) + 1
            if tries > MOST_ASKED and self.player.end(row) < 0:
                self.blind.add(goal)
                return False
            return bool(value(self.asked[goal], evaluate.place(self.game, self.player.state(row))))
        except WRONG:
            self.blind.add(goal)
            return False

    def _coded(self, goal: Goal) -> Player | None:
        """A game that ends where the question's formula holds; none where the formula speaks of the end itself."""
        if goal not in self.variants and goal not in self.uncoded:
            formula = self.asked[goal]
            if calls(formula) & {"ended", "winners"}:
                self.uncoded.add(goal)
                return None
            self.variants[goal] = player(replace(self.game, ends=(End(goal.id, formula, None, self.actions[0].span),)))
        return self.variants.get(goal)

    def _worth(self, goal: Goal, behind: bool) -> bool:
        """Has it not been looked for in vain too often? Where another check refuses before it, less is to be hoped for."""
        tries = self.tries[goal, behind] = self.tries.get((goal, behind), 0) + 1
        if tries > MOST_TRIES:
            self.blind.add(goal)
        return tries <= MOST_TRIES

    def moves_of(self, goal: Goal, row: Any) -> list[Choice]:
        """The moves here that the goal is about, by a game in which they are the legal ones."""
        made = self.variants.get(goal)
        if made is None:
            made = self.variants[goal] = player(variant(self.game, goal, self.actions[self.owner[goal.names[0]]]))
        try:
            found = made.legal(row)
        except WRONG:
            self.blind.add(goal)
            return []
        n = self.owner[goal.names[0]]
        return [(n, actor, args) for _, actor, args in found]

    def rims(self, row: Any) -> Iterator[Goal]:
        """The rims of ranges that the position is on; each value is looked at once."""
        state = self.player.state(row)
        for i, v in enumerate(self.game.variables):
            held = state[v.name]
            key = (i, len(held.cells) if isinstance(v.type, LayoutType) else held)
            if key not in self._values:
                self._values.add(key)
                for text in on_rims(v.name, v.type, held):
                    yield Goal("value", (text,))

    def shows(self, goal: Goal, row: Any) -> bool:
        """Does the position show this?"""
        if goal.kind in ("refuses", "refuse-both", "lifts"):
            return bool(self.moves_of(goal, row))
        if goal.kind == "allows":
            n = self.owner[goal.names[0]]
            return any(c[0] == n for c in self.player.legal(row))
        if goal.kind == "value":
            state = self.player.state(row)
            return any(t == goal.names[0] for v in self.game.variables for t in on_rims(v.name, v.type, state[v.name]))
        return goal.kind == "question" and self.is_asked(goal, row)

    # steps

    def ways(self, row: Any, choice: Choice) -> list[Drawn]:
        """Every draw of a move; a fault in one of them is one of the move, of which no step is taken then."""
        found: list[Drawn] = [()]
        for k in range(len(self.actions[choice[0]].draws)):
            found = [(*drawn, v) for drawn in found for v in self.player.chance(row, choice, k, drawn)[0]]
        return found

    def happened(self, bits: int) -> list[str]:
        """The clauses that took effect in a step."""
        return [c for k, c in enumerate(self.player.clauses) if bits >> 2 * k & 1]

    def shown_by(self, choice: Choice, bits: int, after: Any, wanted: set[Goal], again: bool = False) -> list[Goal]:
        """The wanted goals that a step shows. Where the position after it has no value, there is no end to be shown."""
        try:
            found = self.ended(after)
        except WRONG:
            found = []
        n = choice[0]
        if again or (n, bits) not in self._steps:
            self._steps.add((n, bits))
            inner, fired = self.inner[n], set(self.happened(bits))
            found.append(Goal("takes", (self.actions[n].name,)))
            found += [Goal("idle", (c,)) for c in inner.maybe if c not in fired]
            found += [Goal("acts", (c,)) for k, c in enumerate(self.player.clauses) if bits >> 2 * k & 2]
            these = [c for c in inner.all if c in fired]
            for k, c in enumerate(these):
                found += [Goal("happens", (c,)), *(Goal("meet", (c, d)) for d in these[k + 1 :])]
        return [g for g in found if g in wanted]


def _hangs(d: Draw, drawn: set[str]) -> bool:
    """Does it hang on what was drawn before whether this can be drawn?"""
    return d.kind in ("draw", "roll") and any(isinstance(x, Local) and x.name in drawn for a in d.args for x in walk(a))


def calls(e: Expr) -> set[str]:
    """The built-in formulas that a formula calls."""
    return {x.name for x in walk(e) if isinstance(x, Call)}


def no(e: Expr) -> Expr:
    """The opposite."""
    return Op("not", (e,), type=BOOL)


def bound(c: Check) -> Expr:
    """What the check asks of a move, exceptions taken in."""
    return Op("or", (c.formula, *c.lifted), type=BOOL) if c.lifted else c.formula


def variant(game: Game, goal: Goal, action: Action) -> Game:
    """The game whose legal moves are those that the goal is about: refused by one check alone, by two, or excepted."""
    by_id = {c.id: c for c in action.checks}
    if goal.kind == "refuse-both":
        checks = tuple(replace(by_id[x], formula=no(bound(by_id[x])), lifted=()) for x in goal.names)
    else:
        here = by_id[goal.names[0]]
        checks = tuple(c for c in action.checks if c.id != here.id)
        if goal.kind == "refuses":
            checks = (*checks, replace(here, formula=no(bound(here)), lifted=()))
        else:
            excepted = here.lifted[exceptions(game, here.id).index(goal.names[1])]
            checks = (*checks, replace(here, formula=no(here.formula), lifted=()), replace(here, formula=excepted, lifted=()))
    return replace(game, actions=(replace(action, checks=checks),))
