"""From a play of a projection to a play of the game: pieces are laid so that the board is what the projection took it for.

The projection names the actions and everything but the board; what the pieces show is left free, so that for each stretch
of laying a whole layout can be sought first, and the play then lays it piece by piece. What is found is a play of the
evaluator; that nothing is found shows nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import Move, State
from tablelaw.solver.projection import Projection
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.trace import Step, Trace, first_step, take
from tablelaw.solver.translator import projected_value
from tablelaw.spec import types as ty
from tablelaw.spec.core import Binder, Const, Expr, Op
from tablelaw.spec.game import Action
from tablelaw.spec.grid import SIDES, Edge
from tablelaw.spec.layouts import Layout
from tablelaw.spec.operators import Fault
from tablelaw.spec.reckon import Place, value, visit
from tablelaw.spec.types import BOOL, BagOf, CellType, EdgeType, Enum, LayoutType, MapOf, Maybe, Record, SetOf, Type
from tablelaw.spec.values import Map, Value

MOST_STEPS = 20_000
"""How many steps are tried before the search is given up."""

Finder = Callable[[str, int, Expr], Layout | None]
"""A connected layout of a variable, of so many pieces, where a formula holds; None where none is found."""


@dataclass(slots=True)
class Realiser:
    """Looks for a play of the game beside one of its projection."""

    projection: Projection
    trace: Trace
    find: Finder
    budget: Budget
    wanted: Callable[[Trace], bool] = lambda _: True
    targets: list[dict[str, Layout]] = field(default_factory=list)
    faces: set[str] = field(default_factory=set)
    steps: int = 0

    def __post_init__(self) -> None:
        game = self.projection.origin
        for v in game.variables:
            if isinstance(v.type, LayoutType):
                self.faces |= set(v.type.faces.values)

    def play(self, start: State | None = None) -> Trace | None:
        """The play, or None where none was found."""
        game = self.projection.origin
        first = self.trace.steps[0].state
        starts = [start] if start is not None else evaluate.starts(game)
        if not self._aim():
            return None
        for state in starts:
            if self._alike(state, first):
                found = self._on([first_step(state, game)])
                if found is not None:
                    return found
        return None

    # layouts to aim at

    def _aim(self) -> bool:
        """For every step the layout that the stretch of laying it belongs to should come to."""
        game = self.projection.origin
        count = len(self.trace.steps)
        self.targets = [{} for _ in range(count)]
        for v in game.variables:
            if not isinstance(v.type, LayoutType):
                continue
            sizes = [s.state[v.name] for s in self.trace.steps]
            begin = 0
            for i in range(1, count + 1):
                if i < count and sizes[i] >= sizes[i - 1]:
                    continue
                if sizes[i - 1] > 0 and sizes[i - 1] > sizes[begin]:
                    target = self._target(v.name, sizes[i - 1], self.trace.steps[i - 1].state)
                    if target is None:
                        return False
                    for k in range(begin, i):
                        self.targets[k][v.name] = target
                begin = i
        return True

    def _target(self, of: str, size: int, state: State) -> Layout | None:
        parts: list[Expr] = [
            Op("eq", (o.source, Const(state[o.name], type=o.source.type)), type=BOOL)
            for o in self.projection.oracles.values()
            if o.reads == {of} and not isinstance(o.kind, Maybe)
        ]
        whole: Expr = Op("and", tuple(parts), type=BOOL) if len(parts) > 1 else parts[0] if parts else Const(True, type=BOOL)
        return self.find(of, size, whole)

    # the search

    def _on(self, steps: list[Step]) -> Trace | None:
        stack = [self._following(steps[0].state, 0)]
        last = len(self.trace.steps) - 1
        if last == 0:
            return self._whole(steps)
        while stack:
            step = next(stack[-1], None)
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise OutOfBudget("no play with real layouts was found in time")
            if not self.steps % 64:
                self.budget.check()
            if step is None:
                stack.pop()
                steps.pop()
                continue
            steps.append(step)
            at = len(steps) - 1
            if at == last:
                found = self._whole(steps)
                if found is not None:
                    return found
                steps.pop()
                continue
            stack.append(self._following(step.state, at))
        return None

    def _whole(self, steps: list[Step]) -> Trace | None:
        loop = self.trace.loop_from
        if loop is not None and steps[loop].state != steps[-1].state:
            return None
        found = Trace(list(steps), loop)
        return found if self.wanted(found) else None

    def _following(self, state: State, at: int) -> Iterator[Step]:
        """The steps from a position that go the way of step `at + 1` of the projection, the most fitting first."""
        game, goal = self.projection.origin, self.trace.steps[at + 1]
        assert goal.move is not None
        action = game.action(goal.move.action)
        assert action is not None
        targets = self.targets[at + 1]
        for move in self._moves(action, state, dict(goal.move.args), targets):
            found: list[tuple[int, int, Step]] = []
            for n, drawn in enumerate(self._draws(state, move, dict(goal.drawn))):
                step = take(game, state, move, drawn)
                if step.fault is None and self._alike(step.state, goal.state) and self._within(step.state, targets):
                    found.append((-self._useful(drawn, step.state, at + 1), n, step))
            for _, _, step in sorted(found, key=lambda x: x[:2]):
                yield step

    def _moves(self, action: Action, state: State, given: dict[str, Value], targets: dict[str, Layout]) -> Iterator[Move]:
        game = self.projection.origin
        here = evaluate.place(game, state)
        try:
            if action.during is not None and not value(action.during, here):
                return
            actor = None if action.by is None else value(action.by, here)
            if actor is not None:
                here = here.bind({"actor": actor})
            for there in self._bindings(action.params, here, given, targets):
                if evaluate.legal(action, there):
                    yield Move(action.name, tuple((b.name, there.names[b.name]) for b in action.params), actor)
        except Fault:
            return

    def _bindings(
        self, params: tuple[Binder, ...], here: Place, given: dict[str, Value], targets: dict[str, Layout]
    ) -> Iterator[Place]:
        if not params:
            yield here
            return
        first, rest = params[0], params[1:]
        for v in self._choices(first, here, given, targets):
            yield from self._bindings(rest, here.bind({first.name: v}), given, targets)

    def _choices(self, b: Binder, here: Place, given: dict[str, Value], targets: dict[str, Layout]) -> Iterator[Value]:
        if isinstance(b.type, (CellType, EdgeType)):
            if not targets:
                yield from visit(b.domain, here)
                return
            allowed = None if not isinstance(b.domain, Expr) else set(value(b.domain, here))
            for name, target in targets.items():
                for c in target:
                    if c in here.state[name]:
                        continue
                    for v in [c] if isinstance(b.type, CellType) else [Edge(c, s) for s in SIDES]:
                        if allowed is None or v in allowed:
                            yield v
            return
        wanted = given.get(b.name)
        for v in visit(b.domain, here):
            if b.name not in given or v == wanted or self._face(b.type) or b.type == ty.Int(0, 3):
                yield v

    def _face(self, kind: Type) -> bool:
        return isinstance(kind, Enum) and bool(self.faces & set(kind.values))

    def _draws(self, state: State, move: Move, given: dict[str, Value]) -> Iterator[tuple[tuple[str, Value], ...]]:
        action = self.projection.origin.action(move.action)
        assert action is not None
        kinds = {d.name: d.type for d in action.draws}
        for drawn in evaluate.sound_draws(self.projection.origin, state, move):
            if all(relaxed(v, kinds[n], self.faces) == relaxed(given[n], kinds[n], self.faces) for n, v in drawn):
                yield drawn

    def _alike(self, state: State, goal: State) -> bool:
        """Is the position what the projection says, whatever faces of pieces show?"""
        for v in self.projection.origin.variables:
            kept = projected_value(state[v.name], v.type)
            kind = self.projection.kinds[v.name]
            if relaxed(kept, kind, self.faces) != relaxed(goal[v.name], kind, self.faces):
                return False
        return True

    def _within(self, state: State, targets: dict[str, Layout]) -> bool:
        return all(all(target.cells.get(c) == lies for c, lies in state[n].cells.items()) for n, target in targets.items())

    def _useful(self, drawn: tuple[tuple[str, Value], ...], state: State, at: int) -> int:
        """How many of the pieces still to be laid are among what was drawn."""
        needed: dict[str, int] = {}
        for name, target in self.targets[at].items():
            for c, (face, _) in target.cells.items():
                if c not in state[name]:
                    needed[face] = needed.get(face, 0) + 1
        shown: dict[str, int] = {}
        for _, v in drawn:
            if isinstance(v, Map):
                for k, n in v.items():
                    if k in self.faces:
                        shown[k] = shown.get(k, 0) + n
        return sum(min(n, needed.get(k, 0)) for k, n in shown.items())


def relaxed(found: Value, kind: Type, faces: set[str]) -> Value:
    """A value with all faces of pieces taken for the same."""
    match kind:
        case Enum(_, values) if faces & set(values):
            return "a face" if found in faces else found
        case BagOf(Enum(_, values)) if faces & set(values):
            rest = tuple(sorted((k, n) for k, n in found.items() if n and k not in faces))
            return rest, sum(n for k, n in found.items() if k in faces)
        case BagOf():
            return tuple(sorted((str(k), n) for k, n in found.items() if n))
        case SetOf(Enum(_, values)) if faces & set(values):
            return len(found)
        case Maybe(elem):
            return None if found is None else relaxed(found, elem, faces)
        case MapOf(_, inner):
            return tuple((k, relaxed(v, inner, faces)) for k, v in found.items())
        case Record(_, fields):
            return tuple((n, relaxed(found[n], f, faces)) for n, f in fields)
    return found
