"""Exact figures of a chain in arrays: component by component, as in `exact`, with FLINT's fractions.

In a component states are put into each other in the order in which a search leaves it, so that few unknowns are carried along:
those that some state leads back to. Choices begin with those that seem the best, and are improved until none is better.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tablelaw.solver import account
from tablelaw.solver.chance import exact, followed, linear
from tablelaw.solver.chance.exact import LONGEST, NO_MOVE, Sense, TooLarge, TooLong
from tablelaw.solver.chance.graph import Chances, Pulse, Refused
from tablelaw.solver.chance.listed import Listed
from tablelaw.solver.space.graph import Budget

if TYPE_CHECKING:
    from tablelaw.solver.chance.bounds import Bounds

AT_ONCE = 64
"""After so many components or states the clock is looked at."""
MOST_CARRIED = 24
"""Components where more states are led back to have their equations solved by lifting."""


def solve(chain: Chances, sense: Sense, budget: Budget, found: Bounds | None = None) -> tuple[list[Fraction], dict[int, int]]:
    """As `exact.solve`. Of choices that the bounds `found` show to be worse than others nothing more is asked."""
    if not isinstance(chain, Listed) or chain.staying() is not None:
        return exact.solve(chain, sense, budget)
    return _Whole(chain, sense, budget, found).solve()


def chosen_in_loops(chain: Chances, sense: Sense) -> bool:
    """Does somebody prefer a choice where states come back to each other?"""
    if not isinstance(chain, Listed):
        return False
    part, _, begins = chain.parts
    return bool(((begins[part + 1] - begins[part])[followed.deciding(chain, sense)] > 1).any())


class _Whole:
    def __init__(self, chain: Listed, sense: Sense, budget: Budget, found: Bounds | None) -> None:
        self.number: Any = linear.number()
        self.chain, self.budget = chain, budget
        self.loops = self.lifted = self.rounds = 0
        """Components solved, equations of them by lifting, and how often choices were looked at."""
        self.look = Pulse(budget).look
        budget.check()
        self.heads, self.firsts = chain.heads.tolist(), chain.firsts.tolist()
        self.targets, self.weights, self.totals = chain.targets.tolist(), chain.weights.tolist(), chain.totals.tolist()
        budget.check()
        self.wants = chain.wants(sense).tolist()
        self.closed = chain.closed.tolist()
        self.likely: list[int] | None = None
        self.usable: list[bool] | None = None
        if found is not None:
            pick, usable = followed.judged(chain, sense, found)
            self.likely, self.usable = pick.tolist(), usable.tolist()
        self.reward: list[Any] | None = None
        if chain.rewards is not None:
            known = {r: self.number(r.numerator, r.denominator) for r in set(chain.reward)}
            self.reward = [known[r] for r in chain.reward]
        self.values: list[Any] = [None] * chain.size
        for v, x in chain.values.items():
            self.values[v] = self.number(x.numerator, x.denominator)
        budget.check()
        self.policy: dict[int, int] = {}

    def solve(self) -> tuple[list[Fraction], dict[int, int]]:
        """The value of every state, and the choices."""
        _, order, begins = self.chain.parts
        states, ends = order.tolist(), begins.tolist()
        self._fits(begins)
        for p in range(len(ends) - 1):
            if not p % AT_ONCE:
                self.look()
                if self.budget.tell and not p % (64 * AT_ONCE):
                    self.budget.tell(f"{p:,} of {len(ends) - 1:,} parts of the chain are solved exactly")
            group = states[ends[p] : ends[p + 1]]
            v = group[0]
            if self.closed[v]:
                continue
            if len(group) == 1 and not self._comes_back(v):
                self.values[v], choice = self.best(v)
                if choice is not None:
                    self.policy[v] = choice
                self._short(self.values[v])
            else:
                self._component(group)
        self._note(len(ends) - 1)
        return [Fraction(0) if x is None else _plain(x) for x in self.values], self.policy

    def _note(self, parts: int) -> None:
        text = f"exact fractions of {parts:,} parts, one after the other"
        if self.loops:
            text += f"; {self.loops:,} of them by linear equations in {self.rounds:,} rounds of choices"
            text += f", {self.lifted:,} times by FLINT's lifting" if self.lifted else ", put into each other"
        figures = {"parts": parts, "loops": self.loops, "rounds": self.rounds, "lifted": self.lifted}
        account.note("chance", text, figures, key="exact")

    def _fits(self, begins: Any) -> None:
        import numpy as np

        sizes = np.diff(begins)
        large = np.flatnonzero((sizes > 1) & (sizes > min(exact.LARGEST_COMPONENT, exact.LARGEST_WITH_CHOICES)))
        order, many = self.chain.parts[1], self.chain.many()
        for p in large.tolist():
            group = order[begins[p] : begins[p + 1]].tolist()
            some = any(many[v] > 1 and self.wants[v] for v in group)
            if len(group) > (exact.LARGEST_WITH_CHOICES if some else exact.LARGEST_COMPONENT):
                raise TooLarge

    def _comes_back(self, v: int) -> bool:
        return v in self.targets[self.firsts[self.heads[v]] : self.firsts[self.heads[v + 1]]]

    def _short(self, x: Any) -> None:
        if x.q.bit_length() > LONGEST:
            raise TooLong

    def worth(self, c: int) -> Any:
        """What a choice comes to."""
        values, targets, reward = self.values, self.targets, self.reward
        first, last = self.firsts[c], self.firsts[c + 1]
        if last - first == 1:
            j = targets[first]
            return values[j] if reward is None else values[j] + reward[j]
        total = self.number(0)
        for e in range(first, last):
            j = targets[e]
            total += self.weights[e] * (values[j] if reward is None else values[j] + reward[j])
        return total / self.totals[c]

    def best(self, v: int) -> tuple[Any, int | None]:
        """As `exact._best`."""
        first, last, want = self.heads[v], self.heads[v + 1], self.wants[v]
        if first == last:
            raise Refused(NO_MOVE)
        if last - first == 1:
            return self.worth(first), None
        if not want:
            found = [self.worth(c) for c in range(first, last)]
            return sum(found[1:], found[0]) / len(found), None
        open_ = [c for c in range(first, last) if self.usable is None or self.usable[c]]
        found = [self.worth(c) for c in open_]
        top = max(found) if want > 0 else min(found)
        return top, open_[found.index(top)] - first

    # components

    def _component(self, group: list[int]) -> None:
        deciding = [v for v in group if self.wants[v] and self.heads[v + 1] - self.heads[v] > 1]
        chosen = {v: max(self.likely[v], 0) if self.likely is not None else 0 for v in deciding}
        self.loops += 1
        while True:
            self.rounds += 1
            self.look()
            self._equations(group, chosen)
            # one side answers the other in full before the other moves: two that improve at once may go round for ever
            if not any(self._improved(deciding, chosen, side) for side in (-1, 1)):
                self.policy.update(chosen)
                return

    def _improved(self, deciding: list[int], chosen: dict[int, int], side: int) -> bool:
        better = False
        for v in deciding:
            if self.wants[v] != side:
                continue
            now, choice = self.best(v)
            assert choice is not None
            if choice != chosen[v] and now != self.values[v]:
                chosen[v], better = choice, True
        return better

    def _equations(self, group: list[int], chosen: dict[int, int]) -> None:
        """Put the values of a component's states under fixed choices into `values`."""
        place = {v: k for k, v in enumerate(group)}
        one = self.number(1)
        told: list[tuple[dict[int, Any], Any]] = []  # each state by later ones, and a rest
        for k, v in enumerate(group):
            if k % AT_ONCE == AT_ONCE - 1:
                self.look()
            row, rest = self._row(v, chosen, place)
            while row and (j := min(row)) < k:
                by = row.pop(j)
                ahead, more = told[j]
                rest += by * more
                for i, x in ahead.items():
                    row[i] = row[i] + by * x if i in row else by * x
            own = row.pop(k, None)
            if own is not None:
                if own == one:
                    raise TooLarge  # the choices never leave: the values are not fixed by the equations
                own = one / (one - own)
                rest *= own
                row = {i: x * own for i, x in row.items()}
            if len(row) > MOST_CARRIED:
                self._lifted(group, chosen, place)
                return
            told.append((row, rest))
        for k in range(len(group) - 1, -1, -1):
            row, rest = told[k]
            for i, x in row.items():
                rest += x * self.values[group[i]]
            self.values[group[k]] = rest
            self._short(rest)

    def _lifted(self, group: list[int], chosen: dict[int, int], place: dict[int, int]) -> None:
        self.lifted += 1
        rows: list[linear.Row] = []
        right: list[Fraction] = []
        for k, v in enumerate(group):
            row, rest = self._row(v, chosen, place)
            rows.append({i: -_plain(x) for i, x in row.items() if i != k})
            own = 1 - _plain(row[k]) if k in row else Fraction(1)
            if own:
                rows[k][k] = own
            right.append(_plain(rest))
        try:
            found = linear.solve(rows, right, self.budget)
        except linear.Singular:
            raise TooLarge from None
        for v, x in zip(group, found, strict=True):
            self.values[v] = self.number(x.numerator, x.denominator)
            self._short(self.values[v])

    def _row(self, v: int, chosen: dict[int, int], place: dict[int, int]) -> tuple[dict[int, Any], Any]:
        first, last = self.heads[v], self.heads[v + 1]
        if v in chosen:
            first += chosen[v]
            last = first + 1
        row: dict[int, Any] = {}
        rest = self.number(0)
        for c in range(first, last):
            total = self.totals[c] * (last - first)
            known = self.number(0)
            for e in range(self.firsts[c], self.firsts[c + 1]):
                j, w = self.targets[e], self.weights[e]
                if self.reward is not None:
                    known += w * self.reward[j]
                k = place.get(j)
                if k is None:
                    known += w * self.values[j]
                else:
                    p = self.number(w, total)
                    row[k] = row[k] + p if k in row else p
            rest += known / total
        return row, rest


def _plain(x: Any) -> Fraction:
    return Fraction(int(x.p), int(x.q))
