"""Who can force a goal: backward induction over the reachable graph; the others and the dice do their worst."""

from __future__ import annotations

from collections import deque

from tablelaw.solver.space.graph import Budget, Space


class Arena:
    """The reachable graph with, for each state, its choices: who chooses (-1: the table), and the successors by draw."""

    def __init__(self, space: Space, budget: Budget) -> None:
        space.explore(budget)
        self.space = space
        self.movers: list[list[int]] = []
        self.options: list[list[list[int]]] = []
        for found in space.offers(budget):
            self.movers.append([mover for mover, _ in found])
            self.options.append([nexts for _, nexts in found])
        self.back: list[list[tuple[int, int]]] = [[] for _ in self.options]
        for v, choices in enumerate(self.options):
            for c, draws in enumerate(choices):
                for w in set(draws):
                    self.back[w].append((v, c))

    def winning(self, goal: bytearray, who: frozenset[int], within: int | None = None) -> list[int]:
        """For each state the number of steps after which these players have forced the goal, -1 where they cannot.

        A least fixed point: endless plays and plays that end elsewhere do not count as reaching the goal. Where others
        may move as well, each of their moves must be good too.
        """
        n = len(self.options)
        rank = [-1] * n
        pending = [[len(set(d)) for d in choices] for choices in self.options]
        others = [sum(1 for m in movers if m not in who) for movers in self.movers]
        needs = bytearray(any(m in who for m in movers) for movers in self.movers)
        queue = deque(v for v in range(n) if goal[v])
        for v in queue:
            rank[v] = 0
        while queue:
            w = queue.popleft()
            if within is not None and rank[w] >= within:
                continue
            for v, c in self.back[w]:
                if rank[v] >= 0:
                    continue
                pending[v][c] -= 1
                if pending[v][c]:
                    continue
                if self.movers[v][c] in who:
                    needs[v] = 0
                else:
                    others[v] -= 1
                if not others[v] and not needs[v]:
                    rank[v] = rank[w] + 1
                    queue.append(v)
        return rank

    def best(self, v: int, who: frozenset[int], rank: list[int]) -> int | None:
        """The number of the players' choice that keeps the forced goal nearest."""
        found = [
            (max(rank[w] for w in draws), c)
            for c, draws in enumerate(self.options[v])
            if self.movers[v][c] in who and all(rank[w] >= 0 for w in draws)
        ]
        return min(found)[1] if found else None
