"""Endless plays: strongly connected components of the reachable graph, and ways of staying off a goal for ever."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from tablelaw.solver.space.components import strong
from tablelaw.solver.space.graph import Budget, Space


def edges(space: Space, budget: Budget) -> list[list[int]]:
    """The successors of every reachable state, by number (the whole space is explored first)."""
    space.explore(budget)
    return list(space.links(budget))


def components(graph: list[list[int]], inside: Callable[[int], bool] = lambda _: True) -> Iterable[list[int]]:
    """Strongly connected components that hold a cycle."""
    return (group for group in strong(graph, inside) if len(group) > 1 or group[0] in graph[group[0]])


def shortest_cycle(graph: list[list[int]], group: list[int], near: int | None = None) -> list[int]:
    """A shortest cycle through the member of a component that the search met first: its states, the first not repeated."""
    members = set(group)
    start = min(group) if near is None else near
    parent = {start: -1}
    queue = deque([start])
    while queue:
        v = queue.popleft()
        for w in graph[v]:
            if w == start:
                way = [v]
                while parent[way[-1]] >= 0:
                    way.append(parent[way[-1]])
                return way[::-1]
            if w in members and w not in parent:
                parent[w] = v
                queue.append(w)
    return []


def avoiding(graph: list[list[int]], bad: bytearray, final: bytearray) -> bytearray:
    """From which states outside `bad` can a play go on for ever, or end, without meeting `bad`? (greatest fixed point)

    `final` marks states where a play may stop: ended, or without a step.
    """
    n = len(graph)
    keep = bytearray(0 if bad[i] else 1 for i in range(n))
    count = [0] * n
    back: list[list[int]] = [[] for _ in range(n)]
    for v in range(n):
        for w in graph[v]:
            back[w].append(v)
            count[v] += keep[w]
    queue = deque(v for v in range(n) if keep[v] and not final[v] and not count[v])
    while queue:
        w = queue.popleft()
        if not keep[w]:
            continue
        keep[w] = 0
        for v in back[w]:
            count[v] -= 1
            if keep[v] and not final[v] and not count[v]:
                queue.append(v)
    return keep
