"""Answers questions by exhaustive search."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import cast
from weakref import WeakSet

from tablelaw.solver import account, evaluate
from tablelaw.solver.board_problem import BoardProblem
from tablelaw.solver.boarded import has_board
from tablelaw.solver.explicit import counting, endless, forced, positions, so_far
from tablelaw.solver.explicit.accounts import tell_compiled, tell_uncompiled, too_little
from tablelaw.solver.ir import Model, Term
from tablelaw.solver.native.ahead import Ahead
from tablelaw.solver.native.compiler import NoCompiler, compiler, why_none
from tablelaw.solver.native.space import NativeSpace
from tablelaw.solver.passes import relevant, slice_to, unseen
from tablelaw.solver.problem import Problem, prepare
from tablelaw.solver.reduce import telling
from tablelaw.solver.reduce.choosing import for_images, for_question
from tablelaw.solver.reduce.names import WHERE_IT_PAYS, Wanted
from tablelaw.solver.reduce.reduced import Groups, Reduced, made_smaller, reduction_of
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget, OutOfBudget, Space
from tablelaw.solver.space.ranges import LEFT, of_slice
from tablelaw.solver.space.rows import Rows
from tablelaw.solver.trace import Trace, replay, to_numbers
from tablelaw.solver.verdict import InternalFault, Verdict
from tablelaw.spec.game import Game
from tablelaw.spec.questions import Asked

NAME = "explicit"
FEW = 20_000
"""So many states are looked through before it is worth waiting for a compiler."""
LISTED = ("force", "terminates", "always-after")
"""Kinds that need lists of all states in memory."""
TELLING = ("in-range", "terminates", "always-after", "force")
"""Kinds whose answers tell of ranges left themselves: they may be of a part of the variables."""
Answer = Callable[["Explicit", Asked, Problem, Space, Budget], Verdict]
ANSWERS: dict[str, Answer] = {
    "always": positions.always,
    "never": positions.never,
    "reach": positions.reach,
    "progress": positions.progress,
    "in-range": positions.in_range,
    "largest": positions.largest,
    "smallest": positions.smallest,
    "count": counting.count,
    "terminates": endless.terminates,
    "always-after": endless.always_after,
    "force": forced.force,
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
            verdict.notes += [n for n in of_slice(self._unseen, budget) if n not in verdict.notes]
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
        answer = ANSWERS[asked.kind]
        if isinstance(space, Rows):
            try:
                return answer(self, asked, problem, space, budget), problem, space
            finally:
                if len(space.states) > FEW:
                    tell_uncompiled("games with boards are not")
        if self.reductions.always:
            problem, space = self._smaller(asked, problem, space, budget)
        settled = isinstance(space, NativeSpace) and (space.complete or reduction_of(problem) is not None)
        if settled or 0 < budget.states <= 4 * FEW:
            return answer(self, asked, problem, space, budget), problem, space
        if not isinstance(space, NativeSpace):
            for few in (max(1, FEW // 10), FEW):
                try:
                    return answer(self, asked, problem, space, budget.part(budget.left(), few)), problem, space
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
        return answer(self, asked, problem, space, budget), problem, space

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

    # of a part of the variables

    def model(self, problem: Problem, space: Space) -> Model | None:
        """The model; none of games with boards."""
        return None if isinstance(space, Rows) else problem.model

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


def _whole(found: Reduced, path: list[int], loop_from: int | None) -> tuple[list[int], int | None]:
    """The play of the whole along a path of a smaller model."""
    lifted = found.lift(path, loop_from)
    if lifted is None:
        raise InternalFault("a play of the smaller model is none of the whole")
    return lifted


def _counted(problem: Problem) -> list[int]:
    """The counters of a question that are not left out, for what is left out may lie at either end of its range."""
    found = reduction_of(problem)
    return [i for i in problem.counters.values() if found is None or found.keep is None or i in found.keep]


def _key(problem: Problem) -> object:
    found = reduction_of(problem)
    if found is not None:
        return found.key, tuple(problem.counters)
    return tuple(problem.model.starts), tuple(problem.counters)


def _agrees(game: Game, state: evaluate.State, wanted: list[int], keep: set[int]) -> bool:
    row = to_numbers(game, state)
    return all(row[i] == wanted[i] for i in keep if i < len(row))
