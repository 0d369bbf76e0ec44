"""Strongly connected components of a graph given by the successors of each vertex."""

from __future__ import annotations

from collections.abc import Callable, Iterator


def strong(graph: list[list[int]], inside: Callable[[int], bool] = lambda _: True) -> Iterator[list[int]]:
    """Strongly connected components, each after all that can be reached from it (Tarjan 1972, without recursion)."""
    order = [0] * len(graph)
    low = [0] * len(graph)
    on_stack = bytearray(len(graph))
    stack: list[int] = []
    counter = 0
    for root in range(len(graph)):
        if order[root] or not inside(root):
            continue
        work = [(root, 0)]
        counter += 1
        order[root] = low[root] = counter
        stack.append(root)
        on_stack[root] = 1
        while work:
            v, k = work.pop()
            nexts = graph[v]
            while k < len(nexts):
                w = nexts[k]
                k += 1
                if not inside(w):
                    continue
                if not order[w]:
                    work.append((v, k))
                    counter += 1
                    order[w] = low[w] = counter
                    stack.append(w)
                    on_stack[w] = 1
                    work.append((w, 0))
                    break
                if on_stack[w]:
                    low[v] = min(low[v], order[w])
            else:
                if work:
                    u = work[-1][0]
                    low[u] = min(low[u], low[v])
                if low[v] == order[v]:
                    group = []
                    while True:
                        w = stack.pop()
                        on_stack[w] = 0
                        group.append(w)
                        if w == v:
                            break
                    yield group
