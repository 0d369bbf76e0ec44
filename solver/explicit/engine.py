"""Answers questions by exhaustive search."""

from __future__ import annotations

from collections.abc import Iterable

from tablelaw.solver import evaluate
from tablelaw.solver.explicit import counts, lassos, search
from tablelaw.solver.explicit.forcing import Arena
from tablelaw.solver.passes import relevant, slice_to
from tablelaw.solver.problem import Problem, Prop, prepare
from tablelaw.solver.shapes import Members
from tablelaw.solver.space.graph import Budget, Space
from tablelaw.solver.trace import Trace, fault_step, replay, to_numbers, to_state
from tablelaw.solver.verdict import InternalFault, Verdict
from tablelaw.spec.game import Game
from tablelaw.spec.questions import Asked

NAME = "explicit"
KINDS = {"always", "never", "reach", "progress", "terminates", "always-after", "force", "largest", "smallest", "count", "in-range"}


class Explicit:
    """One game's search; questions about the same start share the states met so far."""

    def __init__(self, game: Game) -> None:
        self.game = game
        self._spaces: dict[object, tuple[Problem, Space]] = {}

    def prepared(self, asked: Asked) -> tuple[Problem, Space]:
        """The problem and its space; questions that add nothing to the model share one."""
        problem = prepare(self.game, asked, unroll=True)
        key = (tuple(problem.model.starts), tuple(problem.counters))
        found = self._spaces.get(key)
        if found is None:
            found = self._spaces[key] = (problem, Space(problem.model))
        return found

    def ask(self, asked: Asked, budget: Budget) -> Verdict:
        """The verdict; raises `OutOfBudget` (with what was spent) and `Unlowerable`."""
        problem, space = self.prepared(asked)
        method = getattr(self, "_" + asked.kind.replace("-", "_"))
        verdict: Verdict = method(asked, problem, space, budget)
        verdict.engine = NAME
        if verdict.states is None:
            verdict.states = len(space.states)
        if verdict.known_by == "exhausted":
            verdict.bound = f"all {len(space.states):,} reachable states" if space.complete else None
            if problem.counters and any(self._full(problem, space)):
                verdict.known_by, verdict.bound = "bounded", "times(…) up to 255"
        if space.faulty and asked.kind != "in-range":
            verdict.notes.append("holds as far as no range is left: `in-range` fails")
        return verdict

    def _full(self, problem: Problem, space: Space) -> Iterable[bool]:
        for number in problem.counters.values():
            shift, mask = space.pack.shifts[number], space.pack.masks[number]
            yield any((s >> shift) & mask == mask for s in space.states)

    # plays

    def state(self, problem: Problem, space: Space, packed: int) -> evaluate.State:
        return to_state(self.game, space.pack.unpack(packed)[: problem.game_slots])

    def play(self, problem: Problem, space: Space, path: list[int], loop_from: int | None = None) -> Trace:
        """The trace along packed states, each step taken again by the evaluator."""
        trace = replay(self.game, [self.state(problem, space, s) for s in path], loop_from)
        if trace is None:
            raise InternalFault("the search took a step that the evaluator does not take")
        return trace

    # questions

    def _prop(self, problem: Problem, asked: Asked) -> Prop:
        assert asked.formula is not None
        return problem.prop(asked.formula)

    def _always(self, asked: Asked, problem: Problem, space: Space, budget: Budget) -> Verdict:
        return self._invariant(asked, problem, space, budget, wanted=False)

    def _never(self, asked: Asked, problem: Problem, space: Space, budget: Budget) -> Verdict:
        return self._invariant(asked, problem, space, budget, wanted=True)

    def _invariant(self, asked: Asked, problem: Problem, space: Space, budget: Budget, wanted: bool) -> Verdict:
        for hit, _ in search.hits(problem, space, self._prop(problem, asked), wanted, budget):
            trace = self.play(problem, space, hit.path(space))
            reason = "the formula has no value in the last position" if hit.fault else None
            return Verdict("fails", "exhausted", trace=trace, reason=reason, clauses=_fired(trace))
        return Verdict("holds", "exhausted", evidence=closed_set(space))

    def _reach(self, asked: Asked, problem: Problem, space: Space, budget: Budget) -> Verdict:
        unclear = False
        for hit, _ in search.hits(problem, space, self._prop(problem, asked), True, budget):
            if hit.fault:
                unclear = True
                continue
            trace = self.play(problem, space, hit.path(space))
            return Verdict("holds", "exhausted", trace=trace, clauses=_fired(trace))
        if unclear:
            return Verdict("unknown", reason="the formula has no value in some reachable position")
        return Verdict("fails", "exhausted", evidence=closed_set(space))

    def _progress(self, asked: Asked, problem: Problem, space: Space, budget: Budget) -> Verdict:
        for i in search.stuck(space, budget):
            trace = self.play(problem, space, space.path(i))
            return Verdict("fails", "exhausted", trace=trace, clauses=_fired(trace), reason="nobody has a legal move in the last position")
        return Verdict("holds", "exhausted", evidence=closed_set(space))

    def _in_range(self, asked: Asked, problem: Problem, space: Space, budget: Budget) -> Verdict:
        for fault, _ in problem.model.end_faults:
            test = space.formula(fault)
            for i in space.met(budget):
                if test(space.states[i]):
                    return self._faulty(problem, space, space.path(i))
        for i in search.faulty(space, budget):
            return self._faulty(problem, space, space.path(i))
        return Verdict("holds", "exhausted", evidence=closed_set(space))

    def _faulty(self, problem: Problem, space: Space, path: list[int]) -> Verdict:
        trace = self.play(problem, space, path)
        step = fault_step(self.game, trace.steps[-1].state)
        if step is None:
            raise InternalFault("the search met a fault that the evaluator does not have")
        trace.steps.append(step)
        return Verdict("fails", "exhausted", trace=trace, clauses=step.clauses[-1:], reason=step.fault)

    def _largest(self, asked: Asked, problem: Problem, space: Space, budget: Budget) -> Verdict:
        return self._extreme(asked, problem, space, budget, 1)

    def _smallest(self, asked: Asked, problem: Problem, space: Space, budget: Budget) -> Verdict:
        return self._extreme(asked, problem, space, budget, -1)

    def _extreme(self, asked: Asked, problem: Problem, space: Space, budget: Budget, sign: int) -> Verdict:
        prop = self._prop(problem, asked)
        where = problem.prop(asked.where) if asked.where is not None else None
        limit = prop.step.hi if sign > 0 else prop.step.lo
        best: tuple[int, search.Hit] | None = None
        for hit, value in search.values(problem, space, prop, where, budget):
            if best is None or sign * value > sign * best[0]:
                best = value, hit
                if value == limit and not problem.counters:
                    break
        if best is None:
            return Verdict("unknown", reason="no reachable position meets the condition")
        trace = self.play(problem, space, best[1].path(space))
        return Verdict("value", "exhausted", value=str(best[0]), trace=trace, clauses=_fired(trace))

    def _count(self, asked: Asked, problem: Problem, space: Space, budget: Budget) -> Verdict:
        where = problem.prop(asked.where) if asked.where is not None else None
        good = None if where is None else space.formula(where.start)
        if asked.what == "moves":
            assert asked.depth is not None
            n = counts.moves(space, asked.depth, good, budget)
            return Verdict("value", "exhausted", value=str(n), states=len(space.states))
        if asked.what == "plays":
            found = counts.plays(space, budget)
            if found is None:
                return Verdict("value", "exhausted", value="infinite", reason="some play never ends")
            return Verdict("value", "exhausted", value=str(found))
        space.explore(budget)
        slots = problem.game_slots
        n = len(space.states) if good is None else sum(1 for s in space.states if good(s))
        if slots != len(problem.model.slots):
            mask = (1 << space.pack.shifts[slots]) - 1
            n = len({s & mask for s in space.states if good is None or good(s)})
        return Verdict("value", "exhausted", value=str(n))

    # endless play

    def _terminates(self, asked: Asked, problem: Problem, space: Space, budget: Budget) -> Verdict:
        keep = relevant(problem.model, [])
        sliced = slice_to(problem.model, keep)
        small = space if sliced is problem.model else Space(sliced)
        small_problem = Problem(self.game, sliced, problem.lowerer, problem.counters, problem.game_slots)
        lasso = self._early_lasso(small, budget)
        if lasso is None:
            graph = lassos.edges(small, budget)
            group = next(iter(sorted(lassos.components(graph), key=min)), None)
            if group is None:
                longest = _longest(graph)
                notes = [f"the longest play has {longest} step{'s' if longest != 1 else ''}"]
                if small.faulty:
                    notes.append("as far as no range is left: `in-range` fails")
                return Verdict("holds", "exhausted", notes=notes, states=len(small.states), evidence={"kind": "ranking", "steps": longest})
            cycle = lassos.shortest_cycle(graph, group)
            lasso = small.path(cycle[0]), [small.states[v] for v in cycle]
        return self._lasso(small_problem, small, problem, space, *lasso)

    def _early_lasso(self, space: Space, budget: Budget) -> tuple[list[int], list[int]] | None:
        """A cycle among the first states met, so that a large game need not be explored to show that it can go on."""
        for size in (64, 512, 4096, 32768):
            while space.expanded < size and not space.complete:
                budget.check()
                space.expand(budget, min(256, size - space.expanded))
            if space.complete:
                return None
            known = space.expanded
            graph = [[j for n in space.out(i) if (j := space.index[n]) < known] for i in range(known)]
            group = next(iter(sorted(lassos.components(graph), key=min)), None)
            if group is not None:
                cycle = lassos.shortest_cycle(graph, group)
                return space.path(cycle[0]), [space.states[v] for v in cycle]
        return None

    def _lasso(self, small: Problem, small_space: Space, problem: Problem, space: Space, stem: list[int], cycle: list[int]) -> Verdict:
        """Follow stem and cycle in the whole game, step by step; what is not kept by the slice may rise on the way round."""
        keep = relevant(problem.model, [])
        path = [*stem, *cycle[1:], cycle[0]]
        whole = self._lift(problem, path, keep)
        loop_from = len(stem) - 1
        first, last = whole[loop_from], whole[-1]
        rising = tuple(sorted({problem.model.slots[i].name for i in range(problem.game_slots) if first[i] != last[i]}))
        states = [to_state(self.game, n[: problem.game_slots]) for n in whole]
        trace = Trace([])
        made = replay(self.game, states)
        if made is None:
            raise InternalFault("the search took a step that the evaluator does not take")
        trace.steps, trace.loop_from, trace.rising = made.steps, loop_from, rising
        return Verdict("fails", "exhausted", trace=trace, clauses=_fired(trace, loop_from), reason=whose(self.game, trace))

    def _lift(self, problem: Problem, path: list[int], keep: set[int]) -> list[list[int]]:
        """The slots of the whole game along a path of the slice: at each step the first successor that agrees on the slice."""
        pack = Space(problem.model).pack
        start = next(s for s in problem.model.starts if all(pack.unpack(path[0])[i] == s[i] for i in keep))
        whole = [list(start)]
        state = to_state(self.game, whole[0][: problem.game_slots])
        for want in path[1:]:
            wanted = pack.unpack(want)
            for move in evaluate.moves(self.game, state):
                nexts = (evaluate.apply(self.game, state, move, d) for d, _ in evaluate.draws(self.game, state, move))
                found = next((o.state for o in nexts if o.fault is None and _agrees(self.game, o.state, wanted, keep)), None)
                if found is not None:
                    break
            else:
                raise InternalFault("a loop of the slice cannot be followed in the whole game")
            state = found
            whole.append(to_numbers(self.game, state))
        return whole

    def _always_after(self, asked: Asked, problem: Problem, space: Space, budget: Budget) -> Verdict:
        assert asked.formula is not None and asked.then is not None
        when, then = problem.prop(asked.formula), problem.prop(asked.then)
        if when.looks or then.looks:
            return Verdict("unknown", reason="`always-after` reads positions; `old` and `actor` are not followed here")
        graph = lassos.edges(space, budget)
        begins, meets, ended = space.formula(when.start), space.formula(then.start), space.formula(problem.model.ended)
        bad = bytearray(1 if meets(s) else 0 for s in space.states)
        final = bytearray(1 if not graph[i] or ended(s) else 0 for i, s in enumerate(space.states))
        keep = lassos.avoiding(graph, bad, final)
        for i, s in enumerate(space.states):
            if keep[i] and begins(s):
                return self._avoided(problem, space, graph, keep, final, i)
        return Verdict("holds", "exhausted", evidence=closed_set(space))

    def _avoided(self, problem: Problem, space: Space, graph: list[list[int]], keep: bytearray, final: bytearray, i: int) -> Verdict:
        path, seen = space.path(i), {i: len(space.path(i)) - 1}
        v = i
        while not final[v]:
            v = next(w for w in graph[v] if keep[w])
            if v in seen:
                trace = self.play(problem, space, [*path, space.states[v]], seen[v])
                return Verdict("fails", "exhausted", trace=trace, clauses=_fired(trace), reason=whose(self.game, trace))
            seen[v] = len(path)
            path.append(space.states[v])
        trace = self.play(problem, space, path)
        return Verdict("fails", "exhausted", trace=trace, clauses=_fired(trace), reason="the play ends before it comes true")

    # forcing

    def _force(self, asked: Asked, problem: Problem, space: Space, budget: Budget) -> Verdict:
        assert asked.formula is not None and asked.who is not None
        arena = Arena(space, budget)
        seats = problem.seats(asked.who)
        tests = {p: space.formula(term) for p, term in seats.of.items()}
        groups: dict[frozenset[int], list[int]] = {}
        for i, s in enumerate(space.states):
            if asked.exactly_when is not None or i < space.starts:
                groups.setdefault(frozenset(p for p, test in tests.items() if test(s)), []).append(i)
        exactly = None if asked.exactly_when is None else space.formula(problem.prop(asked.exactly_when).start)
        for who, members in groups.items():
            goal = self._goal(asked, problem, space, who)
            rank = arena.winning(goal, who, asked.within)
            for i in members:
                wins = rank[i] >= 0
                if exactly is not None and bool(exactly(space.states[i])) != wins:
                    trace = self.play(problem, space, space.path(i))
                    says = "can force it" if wins else "cannot force it"
                    reason = f"here {people(who)} {says}, and `exactly-when` is {'false' if wins else 'true'}"
                    return Verdict("fails", "exhausted", trace=trace, reason=reason)
                if exactly is None and not wins:
                    return self._not_forced(problem, space, arena, rank, who, i)
            if exactly is None:
                v = members[0]
                trace = self._line(problem, space, arena, rank, who, v, goal)
                return Verdict("holds", "exhausted", trace=trace, notes=[f"in at most {rank[v]} steps; the play shown is one defence"], evidence=strategy(space, arena, rank, who))
        return Verdict("holds", "exhausted", evidence=closed_set(space))

    def _goal(self, asked: Asked, problem: Problem, space: Space, who: frozenset[int]) -> bytearray:
        assert asked.formula is not None
        t = problem.terms
        named = Members({p: t.true if p in who else t.false for p in range(self.game.players)})
        test = space.formula(problem.prop(asked.formula, {"who": named}).start)
        return bytearray(1 if test(s) else 0 for s in space.states)

    def _not_forced(self, problem: Problem, space: Space, arena: Arena, rank: list[int], who: frozenset[int], v: int) -> Verdict:
        """A play in which the others prevent it: from each state they go where it cannot be forced."""
        path, seen = [space.states[v]], {v}
        loop_from: int | None = None
        while arena.options[v]:
            choices = [(m, d) for m, draws in zip(arena.movers[v], arena.options[v], strict=True) for d in draws]
            v = next(d for _, d in choices if rank[d] < 0) if any(rank[d] < 0 for _, d in choices) else choices[0][1]
            path.append(space.states[v])
            if v in seen:
                loop_from = path.index(space.states[v])
                break
            seen.add(v)
        trace = self.play(problem, space, path, loop_from)
        return Verdict("fails", "exhausted", trace=trace, reason=f"the others can prevent {people(who)}; the play shown is one way")

    def _line(self, problem: Problem, space: Space, arena: Arena, rank: list[int], who: frozenset[int], v: int, goal: bytearray) -> Trace:
        """A play where the players follow their strategy and the others hold out longest."""
        path = [space.states[v]]
        while not goal[v]:
            best = arena.best(v, who, rank)
            draws = arena.options[v][best] if best is not None else [w for d in arena.options[v] for w in d]
            v = max(draws, key=lambda w: rank[w])
            path.append(space.states[v])
        return self.play(problem, space, path)


def _agrees(game: Game, state: evaluate.State, wanted: list[int], keep: set[int]) -> bool:
    row = to_numbers(game, state)
    return all(row[i] == wanted[i] for i in keep if i < len(row))


def _longest(graph: list[list[int]]) -> int:
    """The number of steps of the longest play of a graph without cycles."""
    longest = [-1] * len(graph)
    for root in range(len(graph)):
        stack = [root]
        while stack:
            v = stack[-1]
            waiting = [w for w in graph[v] if longest[w] < 0]
            if longest[v] < 0 and waiting:
                stack.extend(waiting)
                continue
            longest[v] = 1 + max((longest[w] for w in graph[v]), default=-1)
            stack.pop()
    return max(longest, default=0)


def _fired(trace: Trace, loop_from: int | None = None) -> tuple[str, ...]:
    """The clauses that took effect along a play (or round its loop)."""
    steps = trace.steps[1:] if loop_from is None else trace.steps[loop_from + 1 :]
    return tuple(dict.fromkeys(c for s in steps for c in s.clauses))


def people(who: Iterable[int]) -> str:
    """`player 0`, `players 0 and 2`, `nobody`."""
    seats = sorted(who)
    if not seats:
        return "nobody"
    if len(seats) == 1:
        return f"player {seats[0]}"
    return "players " + ", ".join(map(str, seats[:-1])) + f" and {seats[-1]}"


def whose(game: Game, trace: Trace) -> str:
    """Whose choices keep a loop going: who has another legal move on the way round, and whether other draws may come."""
    assert trace.loop_from is not None
    choosers: set[int] = set()
    dice = False
    for before, step in zip(trace.steps[trace.loop_from :], trace.steps[trace.loop_from + 1 :], strict=False):
        options = evaluate.moves(game, before.state)
        if len(options) > 1 and step.move is not None and step.move.actor is not None:
            choosers.add(step.move.actor)
        if step.move is not None and len(evaluate.draws(game, before.state, step.move)) > 1:
            dice = True
    rising = f"; {', '.join(f'`{n}`' for n in trace.rising)} only count{'s' if len(trace.rising) == 1 else ''} on" if trace.rising else ""
    if not choosers and not dice:
        return "forced: nobody has another move on the way round" + rising
    parts = []
    if choosers:
        parts.append(f"the choices of {people(choosers)}")
    if dice:
        parts.append("the draws")
    return "kept going by " + " and ".join(parts) + rising


def closed_set(space: Space) -> dict[str, object] | None:
    """Evidence that nothing else is reachable: all states, for `recheck` to walk."""
    return {"kind": "closed-set", "space": space} if space.complete else None


def strategy(space: Space, arena: Arena, rank: list[int], who: frozenset[int]) -> dict[str, object]:
    """Evidence that a goal is forced: in how many steps, for every state where it is."""
    return {"kind": "strategy", "space": space, "rank": rank, "who": sorted(who)}

