"""Answers questions by exhaustive search."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import cast
from weakref import WeakSet

from tablelaw.solver import account, evaluate
from tablelaw.solver.board_problem import BoardProblem
from tablelaw.solver.boarded import has_board, never_falls
from tablelaw.solver.explicit import counts, deep, lassos, search, so_far
from tablelaw.solver.explicit.accounts import tell_compiled, tell_uncompiled, too_little
from tablelaw.solver.explicit.forcing import Arena
from tablelaw.solver.ir import BIG, Model, Term
from tablelaw.solver.loops import against, people, whose
from tablelaw.solver.native.ahead import Ahead
from tablelaw.solver.native.compiler import NoCompiler, compiler, why_none
from tablelaw.solver.native.space import NativeSpace
from tablelaw.solver.passes import relevant, slice_to, unseen
from tablelaw.solver.problem import Problem, Prop, prepare
from tablelaw.solver.reduce import telling
from tablelaw.solver.reduce.choosing import for_images, for_question
from tablelaw.solver.reduce.names import SYMMETRY, WHERE_IT_PAYS, Wanted
from tablelaw.solver.reduce.orbits import total
from tablelaw.solver.reduce.reduced import Groups, Reduced, made_smaller, reduction_of
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget, OutOfBudget, Space
from tablelaw.solver.space.ranges import LEFT, of_slice
from tablelaw.solver.space.rows import Coded, Rows
from tablelaw.solver.symmetry import Symmetry
from tablelaw.solver.trace import Trace, fault_step, replay, to_numbers
from tablelaw.solver.verdict import InternalFault, Verdict
from tablelaw.spec.game import Game
from tablelaw.spec.questions import Asked
from tablelaw.spec.reckon import value

NAME = "explicit"
FEW = 20_000
"""So many states are looked through before it is worth waiting for a compiler."""
LISTED = ("force", "terminates", "always-after")
"""Kinds that need lists of all states in memory."""
TELLING = ("in-range", "terminates", "always-after", "force")
"""Kinds whose answers tell of ranges left themselves: they may be of a part of the variables."""
KINDS = {
    "always",
    "never",
    "reach",
    "progress",
    "terminates",
    "always-after",
    "force",
    "largest",
    "smallest",
    "count",
    "in-range",
}


class Explicit:
    """One game's search; questions about the same start share the states met so far."""

    def __init__(self, game: Game, reductions: Wanted = WHERE_IT_PAYS) -> None:
        self.game = game
        self.reductions = reductions
        self._groups: Groups = {}
        self._spaces: dict[object, tuple[Problem, Space]] = {}
        self._compiled = False
        self._unseen: Space | None = None
        self._native: WeakSet[NativeSpace] = WeakSet()
        self._boards: dict[object, Rows] = {}

    def prepared(self, asked: Asked) -> tuple[Problem, Space]:
        """The problem and its space; questions that add nothing to the model share one."""
        if has_board(self.game):
            board = BoardProblem(self.game, asked, self._boards)
            return cast("Problem", board), board.space
        problem = prepare(self.game, asked, unroll=True)
        found = self._spaces.get(_key(problem))
        if found is None:
            found = self._spaces[_key(problem)] = (problem, Space(problem.model))
        return found

    def _larger(self, problem: Problem, space: Space, budget: Budget) -> Space:
        """The space again in compiled code, where that can be had."""
        self._compiled = True
        found = self._space(problem.model, budget)
        if not isinstance(found, NativeSpace):
            return space
        self._spaces[_key(problem)] = problem, found
        return found

    def _space(self, model: Model, budget: Budget) -> Space:
        """In compiled code where the states are known to be many."""
        if self._compiled:
            try:
                found = NativeSpace(model, budget)
                self._native.add(found)
                return found
            except (NoCompiler, Unlowerable) as why:
                self._compiled = False
                tell_uncompiled(str(why))
        return Space(model)

    def ask(self, asked: Asked, budget: Budget) -> Verdict:
        """The verdict; raises `OutOfBudget` (with what was spent) and `Unlowerable`."""
        problem, space = self.prepared(asked)
        if asked.kind in LISTED or asked.what == "plays" or asked.up_to or problem.counters:
            budget = budget.in_memory()
        try:
            verdict, problem, space = self._answer(asked, problem, space, budget)
        except OutOfBudget as over:
            tried = [s for s in self._native if s in budget.searched]
            for s in tried if account.wanted() else ():
                tell_compiled(s)
            if not has_board(self.game) and (more := too_little(over, budget, tried)):
                raise OutOfBudget(more) from None
            raise
        finally:
            for kept in self._native:
                with suppress(OutOfBudget):  # an answer is not lost because what shows it cannot be written
                    kept.keep()
        verdict.engine = NAME
        if verdict.states is None:
            verdict.states = len(space.states)
        found = reduction_of(problem)
        if found is not None:
            telling.of_answer(found, space, verdict)
        elif account.wanted() and not isinstance(space, Rows):
            telling.of_whole(space, self.reductions, FEW)
        if isinstance(space, NativeSpace):
            tell_compiled(space)
        if verdict.known_by == "exhausted":
            verdict.bound = verdict.bound or (f"all {len(space.states):,} reachable states" if space.complete else None)
            if (verdict.trace is None or verdict.verdict == "value") and space.full(_counted(problem)):
                verdict.known_by, verdict.bound = "bounded", "times(…) up to 255"
        if asked.kind not in TELLING and space.faulty and (verdict.trace is None or verdict.verdict == "value"):
            verdict.notes.append(LEFT)
        elif self._unseen is not None and (verdict.trace is None or asked.kind == "force"):
            verdict.notes += filter(None, [of_slice(self._unseen, budget)])
        return verdict

    def so_far(self, asked: Asked, verdict: Verdict, budget: Budget) -> None:
        """Add to an `unknown` what the search had found when it was stopped."""
        boards = has_board(self.game)
        mine = [self.prepared(asked)] if boards else list(self._spaces.values())
        found = [(p, space) for p, space in mine if space in budget.searched]
        if budget.deep:
            told = f"{budget.deep[0]}, depth-first"
            verdict.reason = f"{verdict.reason}; {told}" if verdict.reason else told
        elif found:
            problem, space = max(found, key=lambda pair: len(pair[1].states))
            reduced = None if boards else reduction_of(problem)
            alike = reduced is not None and (reduced.keep is not None or bool(reduced.among))
            so_far.tell(self, asked, verdict, problem, space, reduced is None or reduced.order is None, alike)

    def _answer(self, asked: Asked, problem: Problem, space: Space, budget: Budget) -> tuple[Verdict, Problem, Space]:
        """The verdict, and of what: of a smaller model and in compiled code, unless few states show it."""
        self._unseen = None
        with Ahead() as ahead:
            return self._answered(asked, problem, space, budget, ahead)

    def _answered(
        self, asked: Asked, problem: Problem, space: Space, budget: Budget, ahead: Ahead
    ) -> tuple[Verdict, Problem, Space]:
        method = getattr(self, "_" + asked.kind.replace("-", "_"))
        if isinstance(space, Rows):
            try:
                return method(asked, problem, space, budget), problem, space
            finally:
                if len(space.states) > FEW:
                    tell_uncompiled("games with boards are not")
        if self.reductions.always:
            problem, space = self._smaller(asked, problem, space, budget)
        settled = isinstance(space, NativeSpace) and (space.complete or reduction_of(problem) is not None)
        if settled or 0 < budget.states <= 4 * FEW:
            return method(asked, problem, space, budget), problem, space
        if not isinstance(space, NativeSpace):
            for few in (max(1, FEW // 10), FEW):
                try:
                    return method(asked, problem, space, budget.part(budget.left(), few)), problem, space
                except OutOfBudget:
                    budget.check(len(space.states))
                ahead.begin(problem.model)
        if reduction_of(problem) is None:
            problem, space = self._smaller(asked, problem, space, budget)
        if not isinstance(space, NativeSpace):
            if compiler() is None:
                tell_uncompiled(why_none())
            else:
                space = self._larger(problem, space, budget)
        return method(asked, problem, space, budget), problem, space

    def _smaller(self, asked: Asked, problem: Problem, space: Space, budget: Budget) -> tuple[Problem, Space]:
        """The problem with less in it, where the question allows it, and its space; questions that need the same share one."""
        found = None if space.complete else for_question(asked, problem, space, self.reductions, self._groups)
        return (problem, space) if found is None else self._of(problem, found, budget)

    def _of(self, problem: Problem, found: Reduced, budget: Budget) -> tuple[Problem, Space]:
        small = made_smaller(problem, found)
        key = _key(small)
        if key not in self._spaces:
            self._spaces[key] = small, self._space(small.model, budget)
        return self._spaces[key]

    # plays

    def state(self, problem: Problem, space: Space, packed: int) -> evaluate.State:
        return space.state(self.game, problem.game_slots, packed)

    def play(self, problem: Problem, space: Space, path: list[int], loop_from: int | None = None) -> Trace:
        """The trace along packed states, each step taken again by the evaluator."""
        found = reduction_of(problem)
        if found is not None:
            space, (path, loop_from) = found.whole, _whole(found, path, loop_from)
        return self._replayed(problem, space, path, loop_from)

    def _replayed(self, problem: Problem, space: Space, path: list[int], loop_from: int | None) -> Trace:
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
            return Verdict(
                "fails", "exhausted", trace=trace, clauses=_fired(trace), reason="nobody has a legal move in the last position"
            )
        return Verdict("holds", "exhausted", evidence=closed_set(space))

    def _in_range(self, asked: Asked, problem: Problem, space: Space, budget: Budget) -> Verdict:
        for fault in problem.end_faults:
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
        if sign < 0 and isinstance(space, Rows) and not (prop.looks or (where is not None and where.looks)):
            assert asked.formula is not None
            if never_falls(self.game, asked.formula):
                return self._least(asked, problem, prop, where, budget)
        limit = prop.step.hi if sign > 0 else prop.step.lo
        best: tuple[int, search.Hit] | None = None
        known, notes = "exhausted", list[str]()
        for hit, number in search.values(problem, space, prop, where, sign, budget):
            if best is None or sign * number > sign * best[0]:
                best = number, hit
                if number == limit and abs(limit) < BIG and not problem.counters:
                    known, notes = "proved", ["no value lies beyond it"]
                    break
        if best is None:
            return Verdict("unknown", reason="no reachable position meets the condition")
        trace = self.play(problem, space, best[1].path(space))
        return Verdict("value", known, value=str(best[0]), trace=trace, clauses=_fired(trace), notes=notes)

    def _least(self, asked: Asked, problem: Problem, prop: Prop, where: Prop | None, budget: Budget) -> Verdict:
        """The smallest value of what only grows: everything else that can be reached has no smaller one."""
        space = Rows(self.game, tuple(problem.counters), asked.given)
        good = None if where is None else space.formula(cast("Coded", where.start))
        number, bad = space.formula(cast("Coded", prop.start)), space.formula(cast("Coded", prop.start_fault))
        found = search.least(space, number, good, bad, budget)
        if found is None:
            return Verdict("unknown", reason="no reachable position meets the condition", states=len(space.states))
        trace = self.play(problem, space, found[0].path(space))
        notes = ["no step lowers it, so that positions with larger values need not be looked at"]
        states = len(space.states)
        return Verdict(
            "value", "exhausted", value=str(found[1]), trace=trace, clauses=_fired(trace), notes=notes, states=states
        )

    def _count(self, asked: Asked, problem: Problem, space: Space, budget: Budget) -> Verdict:
        where = problem.prop(asked.where) if asked.where is not None else None
        good = None if where is None else space.formula(where.start)
        if asked.what == "moves":
            assert asked.depth is not None
            n = counts.moves(space, asked.depth, good, budget)
            if n is None:
                return Verdict("value", "exhausted", value="infinite", reason="the table may act for ever between two moves")
            bound = f"all sequences of {asked.depth} move{'' if asked.depth == 1 else 's'}"
            return Verdict("value", "exhausted", value=str(n), bound=bound)
        if asked.what == "plays":
            found = counts.plays(space, budget)
            if found is None:
                return Verdict("value", "exhausted", value="infinite", reason="some play never ends")
            return Verdict("value", "exhausted", value=str(found))
        space.explore(budget)
        slots = problem.game_slots
        if asked.up_to:
            return self._classes(asked, problem, space, good, budget)
        if reduction_of(problem) is not None and space.model.among:
            n = total(space, None if where is None else where.start, budget)
        elif not problem.counters:
            n = len(space.states) if where is None else space.tally(where.start, budget)
        else:
            n = len({space.bare(s, slots) for s in space.states if good is None or good(s)})
        return Verdict("value", "exhausted", value=str(n))

    def _classes(
        self, asked: Asked, problem: Problem, space: Space, good: Callable[..., int] | None, budget: Budget
    ) -> Verdict:
        """How many positions when those that a symmetry takes into each other count as one. Raises `BrokenSymmetry`."""
        symmetry = Symmetry(self.game, asked.up_to)
        every = list({space.bare(s, problem.game_slots): s for s in space.states}.values())
        states = [self.state(problem, space, s) for s in every]

        def where(state: evaluate.State) -> bool:
            return asked.where is None or bool(value(asked.where, evaluate.place(self.game, state)))

        symmetry.check(states, where, budget)
        found = {symmetry.canonical(x) for s, x in zip(every, states, strict=True) if good is None or good(s)}
        names = " and ".join(asked.up_to)
        notes = [f"{len(states):,} positions and their images were compared: the rules do not tell them apart by {names}"]
        return Verdict("value", "exhausted", value=str(len(found)), notes=notes)

    # endless play

    def sliced(
        self, problem: Problem, space: Space, terms: list[Term], budget: Budget
    ) -> tuple[Problem, Space, set[int] | None]:
        """The problem and space with only the slots that can matter to play and to the terms; None where all are kept.

        A slot left out, such as a counter that nothing reads, then neither tells positions apart nor stops the play.
        """
        if isinstance(space, Rows):
            return problem, space, None
        keep = relevant(problem.model, terms)
        if len(keep) == len(problem.model.slots):
            return problem, space, None
        self._unseen = space if unseen(problem.model, keep) else None
        model = slice_to(problem.model, keep)
        small = replace(problem, model=model)
        return small, self._space(model, budget), keep

    def mirrored(
        self, problem: Problem, space: Space, whole: Model | None, keep: set[int] | None, terms: list[Term], budget: Budget
    ) -> tuple[Problem, Space]:
        """The same with images as one, where the states are many; the terms mean the same for all of them.

        Not where the slice has lost a step that leaves a range: a way round is longer in the whole, and may come upon it.
        """
        if whole is None or not (self.reductions.always or isinstance(space, NativeSpace)):
            return problem, space
        if keep is not None and unseen(whole, keep):
            return problem, space
        found = for_images(space, terms, self.reductions, self._groups, keep)
        return (problem, space) if found is None else self._of(problem, found, budget)

    def lifted(
        self, problem: Problem, space: Space, keep: set[int] | None, path: list[int], loop_from: int | None = None
    ) -> Trace | None:
        """The play of the whole game along a path of a slice; None when it would leave a range on the way."""
        of = reduction_of(problem)
        if of is not None:  # images of the slice
            space, (path, loop_from) = of.whole, _whole(of, path, loop_from)
        if keep is None:
            return self._replayed(problem, space, path, loop_from)
        rows = [space.pack.unpack(s) for s in path]
        start = next(s for s in problem.starts if _agrees(self.game, s, rows[0], keep))
        states = [start]
        for wanted in rows[1:]:
            found = self._following(states[-1], wanted, keep)
            if found is None:
                return None
            states.append(found)
        trace = replay(self.game, states, loop_from)
        if trace is None:
            raise InternalFault("the search took a step that the evaluator does not take")
        if loop_from is not None:
            first, last = trace.steps[loop_from].state, trace.steps[-1].state
            trace.rising = tuple(v.name for v in self.game.variables if first[v.name] != last[v.name])
        return trace

    def _following(self, state: evaluate.State, wanted: list[int], keep: set[int]) -> evaluate.State | None:
        """The first successor that agrees with a row on the slice."""
        for move in evaluate.moves(self.game, state):
            for drawn in evaluate.sound_draws(self.game, state, move):
                out = evaluate.apply(self.game, state, move, drawn)
                if out.fault is None and _agrees(self.game, out.state, wanted, keep):
                    return out.state
        return None

    def _terminates(self, asked: Asked, problem: Problem, space: Space, budget: Budget) -> Verdict:
        whole = _model(problem, space)
        problem, space, keep = self.sliced(problem, space, [], budget)
        problem, space = self.mirrored(problem, space, whole, keep, [], budget)
        lasso = self._early_lasso(space, budget)
        if lasso is None:
            graph = lassos.edges(space, budget)
            group = next(iter(sorted(lassos.components(graph), key=min)), None)
            if group is None:
                longest = _longest(graph)
                notes = [f"the longest play has {longest} step{'s' if longest != 1 else ''}"]
                if space.faulty:
                    notes.append("as far as no range is left: `in-range` fails")
                telling.of_images(reduction_of(problem), space)
                evidence: dict[str, object] = {"kind": "ranking", "steps": longest}
                return Verdict("holds", "exhausted", notes=notes, states=len(space.states), evidence=evidence)
            cycle = lassos.shortest_cycle(graph, group)
            lasso = space.path(cycle[0]), [space.states[v] for v in cycle]
        stem, around = lasso
        trace = self.lifted(problem, space, keep, [*stem, *around[1:], around[0]], len(stem) - 1)
        if trace is None:
            reason = "the same moves come round for ever, but a number that only counts on leaves its range"
            return Verdict("fails", "exhausted", reason=reason, states=len(space.states))
        return Verdict("fails", "exhausted", trace=trace, clauses=_fired(trace, len(stem) - 1), reason=whose(self.game, trace))

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

    def _always_after(self, asked: Asked, problem: Problem, space: Space, budget: Budget) -> Verdict:
        assert asked.formula is not None
        assert asked.then is not None
        when, then = problem.prop(asked.formula), problem.prop(asked.then)
        if when.looks or then.looks:
            return Verdict("unknown", reason="`always-after` reads positions; `old` and `actor` are not followed here")
        whole = _model(problem, space)
        problem, space, keep = self.sliced(problem, space, [when.start, then.start], budget)
        problem, space = self.mirrored(problem, space, whole, keep, [when.start, then.start], budget)
        graph = lassos.edges(space, budget)
        begins, meets, ended = space.formula(when.start), space.formula(then.start), space.formula(space.ended)
        dead = set(space.stuck)
        bad = bytearray(1 if meets(s) else 0 for s in space.states)
        final = bytearray(1 if i in dead or ended(s) else 0 for i, s in enumerate(space.states))
        stay = lassos.avoiding(graph, bad, final)
        for i, s in enumerate(space.states):
            if stay[i] and begins(s):
                path, loop_from = self._avoided(space, graph, stay, final, i)
                trace = self.lifted(problem, space, keep, path, loop_from)
                if trace is None:
                    return Verdict(
                        "fails",
                        "exhausted",
                        reason="a play avoids it for ever, but a number that only counts on leaves its range",
                    )
                reason = "the play ends before it comes true" if loop_from is None else whose(self.game, trace)
                return Verdict(
                    "fails", "exhausted", trace=trace, clauses=_fired(trace), reason=reason, states=len(space.states)
                )
        telling.of_images(reduction_of(problem), space)
        evidence = closed_set(space) if keep is None else None
        return Verdict("holds", "exhausted", evidence=evidence, states=len(space.states), notes=_left(space))

    def _avoided(
        self, space: Space, graph: list[list[int]], stay: bytearray, final: bytearray, i: int
    ) -> tuple[list[int], int | None]:
        """A path to a state and on from it, to an end or round for ever, through states of `stay`."""
        path = space.path(i)
        seen = {i: len(path) - 1}
        v = i
        while not final[v]:
            v = next(w for w in graph[v] if stay[w])
            path.append(space.states[v])
            if v in seen:
                return path, seen[v]
            seen[v] = len(path) - 1
        return path, None

    # forcing

    def _force(self, asked: Asked, problem: Problem, space: Space, budget: Budget) -> Verdict:
        assert asked.formula is not None
        assert asked.who is not None
        seats = problem.seats(asked.who)
        exactly_term = None if asked.exactly_when is None else problem.prop(asked.exactly_when).start
        goals = [problem.goal(asked.formula, frozenset({p})) for p in range(self.game.players)]
        reads = [*seats.values(), *goals, *([exactly_term] if exactly_term is not None else [])]
        game_model = _model(problem, space)
        problem, space, keep = self.sliced(problem, space, reads, budget)
        tests = {p: space.formula(term) for p, term in seats.items()}
        if asked.exactly_when is None and not problem.counters:
            formula, chosen = asked.formula, lambda s: frozenset(p for p, test in tests.items() if test(s))
            alike = SYMMETRY in self.reductions.names
            found = deep.force(space, asked.within, chosen, lambda who: problem.goal(formula, who), budget, alike)
            if found is not None:
                return self._deeply(problem, space, keep, found)
        if not isinstance(space, Rows) and all(term.op == "const" for term in seats.values()):
            who = frozenset(p for p, term in seats.items() if term.number)
            same = [problem.goal(asked.formula, who), *([] if exactly_term is None else [exactly_term])]
            problem, space = self.mirrored(problem, space, game_model, keep, same, budget)
            tests = {p: space.formula(term) for p, term in seats.items()}
        arena = Arena(space, budget)
        telling.of_images(reduction_of(problem), space)
        groups: dict[frozenset[int], list[int]] = {}
        for i, s in enumerate(space.states):
            if asked.exactly_when is not None or i < space.starts:
                groups.setdefault(frozenset(p for p, test in tests.items() if test(s)), []).append(i)
        exactly = None if exactly_term is None else space.formula(exactly_term)
        whole = keep is None and reduction_of(problem) is None
        shown: Verdict | None = None
        for who, members in groups.items():
            goal = bytearray(1 if test else 0 for test in map(space.formula(problem.goal(asked.formula, who)), space.states))
            rank = arena.winning(goal, who, asked.within)
            for i in members:
                wins = rank[i] >= 0
                if exactly is not None and bool(exactly(space.states[i])) != wins:
                    trace = self.lifted(problem, space, keep, space.path(i))
                    says = "can force it" if wins else "cannot force it"
                    reason = f"here {people(who)} {says}, and `exactly-when` is {'false' if wins else 'true'}"
                    return Verdict("fails", "exhausted", trace=trace, reason=reason, states=len(space.states))
                if exactly is None and not wins:
                    path, loop_from = self._prevented(space, arena, rank, i)
                    trace = self.lifted(problem, space, keep, path, loop_from)
                    reason = against(self.game, who, {m for movers in arena.movers for m in movers})
                    return Verdict("fails", "exhausted", trace=trace, reason=reason, states=len(space.states))
            if exactly is None and shown is None:
                trace = self.lifted(problem, space, keep, self._line(space, arena, rank, who, members[0], goal))
                notes = [f"in at most {rank[members[0]]} steps; the play shown is one defence", *_left(space)]
                evidence = strategy(space, rank, who) if whole and len(groups) == 1 else None
                shown = Verdict("holds", "exhausted", trace=trace, notes=notes, evidence=evidence, states=len(space.states))
        evidence = closed_set(space) if whole else None
        return shown or Verdict("holds", "exhausted", states=len(space.states), evidence=evidence, notes=_left(space))

    def _deeply(self, problem: Problem, space: Space, keep: set[int] | None, found: deep.Found) -> Verdict:
        """The verdict of a depth-first search."""
        bound = f"{found.met:,} positions looked at, depth-first"
        trace = None if found.path is None else self.lifted(problem, space, keep, found.path, found.loop_from)
        if not found.holds:
            reason = against(self.game, found.who)
            verdict = Verdict("fails", "exhausted", bound, trace=trace, reason=reason, states=found.met)
        else:
            told = [] if found.steps is None else [f"in at most {found.steps} steps; the play shown is one defence"]
            table = found.strategy if keep is None else None
            evidence = None if table is None else strategy(table.space(space), table.rank, found.who)
            verdict = Verdict("holds", "exhausted", bound, trace=trace, notes=told, evidence=evidence, states=found.met)
        if found.faulty:
            verdict.notes.append(LEFT)
        return verdict

    def _prevented(self, space: Space, arena: Arena, rank: list[int], v: int) -> tuple[list[int], int | None]:
        """A path on which the goal can never be forced, to an end or round for ever."""
        path, seen = [space.states[v]], {v}
        while arena.options[v]:
            nexts = [d for draws in arena.options[v] for d in draws]
            v = next((d for d in nexts if rank[d] < 0), nexts[0])
            path.append(space.states[v])
            if v in seen:
                return path, path.index(space.states[v])
            seen.add(v)
        return path, None

    def _line(self, space: Space, arena: Arena, rank: list[int], who: frozenset[int], v: int, goal: bytearray) -> list[int]:
        """A path where the players follow their strategy and the others hold out longest."""
        path = [space.states[v]]
        while not goal[v]:
            best = arena.best(v, who, rank)
            draws = arena.options[v][best] if best is not None else [w for d in arena.options[v] for w in d]
            v = max(draws, key=lambda w: rank[w])
            path.append(space.states[v])
        return path


def _whole(found: Reduced, path: list[int], loop_from: int | None) -> tuple[list[int], int | None]:
    """The play of the whole along a path of a smaller model."""
    lifted = found.lift(path, loop_from)
    if lifted is None:
        raise InternalFault("a play of the smaller model is none of the whole")
    return lifted


def _left(space: Space) -> list[str]:
    return [LEFT] if space.faulty else []


def _counted(problem: Problem) -> list[int]:
    """The counters of a question that are not left out, for what is left out may lie at either end of its range."""
    found = reduction_of(problem)
    return [i for i in problem.counters.values() if found is None or found.keep is None or i in found.keep]


def _model(problem: Problem, space: Space) -> Model | None:
    """The model; none of games with boards."""
    return None if isinstance(space, Rows) else problem.model


def _key(problem: Problem) -> object:
    found = reduction_of(problem)
    if found is not None:
        return found.key, tuple(problem.counters)
    return tuple(problem.model.starts), tuple(problem.counters)


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


def closed_set(space: Space) -> dict[str, object] | None:
    """Evidence that nothing else is reachable: all states, for `recheck` to walk; those that stand for others will not do."""
    return (
        {"kind": "closed-set", "space": space}
        if space.complete and (isinstance(space, Rows) or not space.model.among)
        else None
    )


def strategy(space: Space, rank: list[int], who: frozenset[int]) -> dict[str, object] | None:
    """Evidence that a goal is forced: in how many steps, for every state of a space where it is."""
    return {"kind": "strategy", "space": space, "rank": rank, "who": sorted(who)}
