"""How many: reachable states, whole plays, sequences of moves by depth. Exact whole numbers."""

from __future__ import annotations

from collections.abc import Callable

from tablelaw.solver.space.graph import Budget, Space


def plays(space: Space, budget: Budget) -> int | None:
    """Whole plays from all starts, different draws counted apart; None when some play never ends."""
    space.explore(budget)
    done: dict[int, int] = {}
    open_now: set[int] = set()
    graph = list(space.links(budget))
    total = 0
    for root in range(space.starts):
        stack: list[tuple[int, list[int] | None]] = [(root, None)]
        while stack:
            v, nexts = stack.pop()
            if nexts is not None:
                done[v] = sum(done[w] for w in nexts) if nexts else 1
                open_now.discard(v)
                continue
            if v in done:
                continue
            if v in open_now:
                return None
            open_now.add(v)
            nexts = graph[v]
            stack.append((v, nexts))
            for w in nexts:
                if w in open_now:
                    return None
                if w not in done:
                    stack.append((w, None))
            if not len(done) % 4096:
                budget.check()
        total += done[root]
    return total


def moves(space: Space, depth: int, where: Callable[..., int] | None, budget: Budget) -> int | None:
    """Sequences of that many moves of players (table steps not counted), each ending right after its last move.

    Different draws are counted apart, and so are different arguments that lead to the same state. None when
    there is no end of them, because the table may go round as often as it likes before the next move.
    """
    level: dict[int, int] = {}
    for i in range(space.starts):
        level[space.states[i]] = level.get(space.states[i], 0) + 1
    for _ in range(depth):
        following: dict[int, int] = {}
        waiting = level
        met: set[int] = set()
        rounds = 0
        while waiting:
            rounds += 1
            if len(met) < rounds - 1:  # more rounds than states of the table: on each way here some state has come back
                if _moved(space, waiting):
                    return None
                break
            table: dict[int, int] = {}
            for s, ways in waiting.items():
                for actor, nexts in space.choices(s):
                    target = table if actor < 0 else following
                    for n in nexts:
                        target[n] = target.get(n, 0) + ways
                budget.check(len(following))
            met.update(table)
            waiting = table
        level = following
    return sum(ways for s, ways in level.items() if where is None or where(s))


def _moved(space: Space, waiting: dict[int, int]) -> bool:
    """May a player move after some more steps of the table?"""
    seen, stack = set(waiting), list(waiting)
    while stack:
        for actor, nexts in space.choices(stack.pop()):
            if actor >= 0:
                return True
            stack += [n for n in nexts if n not in seen]
            seen.update(nexts)
    return False
