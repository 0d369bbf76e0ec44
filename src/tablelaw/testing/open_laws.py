"""What the laws about proofs with the board left open ask: that what is proved is never broken by the evaluator."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import z3

from tablelaw.solver import evaluate
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.symbolic.open.claims import Prover
from tablelaw.solver.symbolic.open.induction import Induction
from tablelaw.solver.symbolic.open.lemmas import of_bags, of_phases
from tablelaw.solver.symbolic.open_boards import OpenBoards
from tablelaw.spec.board_types import FAMILY
from tablelaw.spec.core import Expr, Op
from tablelaw.spec.game import Game
from tablelaw.spec.grid import SIDES, Cell, Edge, Part
from tablelaw.spec.layouts import Feature, Layout
from tablelaw.spec.operators import Fault
from tablelaw.spec.questions import step_needs
from tablelaw.spec.reckon import value
from tablelaw.spec.types import BOOL, LayoutType
from tablelaw.testing import naive
from tablelaw.testing.board_laws import asked_of, expected_of

WRONG = object()
SECONDS = 1.0


def truth(game: Game, state: evaluate.State, e: Expr) -> object:
    """The value of a formula in a position, or that it has none."""
    try:
        return value(e, evaluate.place(game, state))
    except Fault:
        return WRONG


def formulas(r: random.Random, game: Game, few: int = 6) -> list[Expr]:
    """Formulas about positions: what questions ask, when actions are open, ends, and some of these put together."""
    found: list[Expr] = [a.formula for a in asked_of(game).values() if a.formula is not None and a.formula.type == BOOL]
    found += [a.during for a in game.actions if a.during is not None]
    found += [e.when for e in game.ends]
    found += [Prover(game).enabled(a) for a in game.actions]
    lemmas = [*of_phases(game), *of_bags(game)]
    found += r.sample(lemmas, min(few, len(lemmas)))
    found = [e for e in found if step_needs([e]) == (False, frozenset())]
    pairs = [Op(r.choice(("or", "and")), (r.choice(found), r.choice(found)), type=BOOL) for _ in range(few)] if found else []
    return [*found, *pairs, *(Op("not", (e,), type=BOOL) for e in found)]


def check_everywhere(r: random.Random, game: Game, g: naive.Graph, seen: Counter[str]) -> None:
    """What holds in every position that could be written down holds in these."""
    for e in formulas(r, game):
        if not said(lambda e=e: Prover(game).everywhere(e, Budget(SECONDS))):
            continue
        seen["everywhere"] += 1
        for s in g.states:
            assert truth(game, s, e) is not False, (e, s)


def check_steps(r: random.Random, game: Game, g: naive.Graph, seen: Counter[str]) -> None:
    """What a step is shown to keep it keeps: each claim alone, and together with others."""
    claims = formulas(r, game)
    r.shuffle(claims)
    groups: list[list[Expr]] = [[e] for e in claims[:8]] + [claims[8:13]]
    for action in game.actions:
        for group in groups:
            step = Induction(Prover(game), action, group)
            try:
                lost = step.lost(set(range(len(group))), set(), Budget(SECONDS))
            except (OutOfBudget, Unlowerable):
                continue
            kept = [e for i, e in enumerate(group) if i not in lost]
            seen["kept"] += len(kept)
            if kept:
                for before, after in steps_of(g, action.name):
                    if all(truth(game, before, e) is True for e in group):
                        for e in kept:
                            assert truth(game, after, e) is not False, (action.name, e, before, after)
                            seen["step"] += 1


def steps_of(g: naive.Graph, action: str) -> Iterator[tuple[evaluate.State, evaluate.State]]:
    """The steps of an action, from where to where."""
    for i, found in enumerate(g.steps):
        for s in found:
            if s.move is not None and s.move.action == action and s.after is not None:
                yield g.states[i], s.after


def check_answers(game: Game, g: naive.Graph, seen: Counter[str]) -> None:
    """Verdicts are those of brute force."""
    known = OpenBoards(game)
    for asked in asked_of(game).values():
        expected = expected_of(game, g, asked)
        if expected is None:
            continue
        found = known.at_once(asked, Budget(SECONDS))
        if found is None:
            found = said(lambda asked=asked: known.by_induction(asked, Budget(3 * SECONDS)))
        if found:
            seen[found.verdict] += 1
            assert found.verdict == expected, (asked.id, asked.kind, found.verdict, expected)


def said(f: Any) -> Any:
    """What is answered; nothing where it takes too long or cannot be said."""
    try:
        return f()
    except (OutOfBudget, Unlowerable):
        return None


# the facts, looked at on real layouts


@dataclass(frozen=True)
class OnLayout:
    """A feature together with the layout that it was read from; of a part that is not there it is none, of some kind."""

    layout: Layout
    kind: int
    feature: Feature | None


class World:
    """Real layouts and their features, as what the functions of `open/boards.py` speak of."""

    def __init__(self, kind: LayoutType, layouts: list[Layout], family: tuple[str, ...]) -> None:
        self.kind, self.layouts, self.family = kind, layouts, family
        self.names = list(kind.pieces.kinds) if kind.pieces is not None else []
        self.features = [OnLayout(t, family.index(k), f) for t in layouts for k in self.names for f in t.features(k)]

    def read(self, name: str, args: list[Any]) -> Any:
        """What a function gives."""
        t = args[0]
        cell = Cell(*args[1:3]) if isinstance(t, Layout) and len(args) >= 3 else None
        match name:
            case "laid":
                return cell in t
            case "pieces laid":
                return len(t)
            case "frontier":
                return Cell(*args[2:4]) in t.frontier(max(1, min(3, args[1])))
            case "shows":
                shown = t.shows(_edge(cell, args[3])) if 0 <= args[3] < 8 and FAMILY[args[3]] in SIDES else frozenset()
                return self.kind_name(args[4]) in shown
            case "has part":
                return self.part(args) in t.parts(cell)
            case "feature":
                try:
                    return OnLayout(t, args[3], t.feature(self.part(args)))
                except Fault:
                    return OnLayout(t, args[3], None)
            case "is feature":
                return args[1].feature is not None and args[1].layout is t
        return self.of_feature(name, args)

    def of_feature(self, name: str, args: list[Any]) -> Any:
        f, part = args[0].feature, self.part(args) if len(args) == 5 else None
        if name == "kind":
            return args[0].kind
        if f is None:
            return False if name in ("part in", "part of", "covers") else 0
        first = min(f.parts, key=lambda p: (p.cell, str(p.side)))
        match name:
            case "size" | "open" | "loops":
                return getattr(f, name)
            case "part in":
                return part in f
            case "part of":
                return part in f.parts
            case "covers":
                return Cell(*args[1:3]) in f.cells
            case "first x":
                return first.cell.x
            case "first y":
                return first.cell.y
            case "first side":
                return -1 if first.side is None else FAMILY.index(first.side)
        raise KeyError(name)

    def kind_name(self, number: int) -> str:
        return self.family[number] if 0 <= number < len(self.family) else "no kind"

    def part(self, args: list[Any]) -> Part:
        side = FAMILY[args[4]] if 0 <= args[4] < len(FAMILY) else None if args[4] == -1 else "no side"
        return Part(Cell(*args[1:3]), self.kind_name(args[3]), side)

    def some(self, r: random.Random, sort: str, near: Layout) -> Any:
        """A value for a name of a fact, mostly one that something is said of."""
        if sort == "Layout":
            return near
        if sort == "Feature":
            return r.choice([f for f in self.features if f.layout is near] or [OnLayout(near, 0, None)])
        return r.randint(-2, 3)


def _edge(cell: Any, side: int) -> Any:

    return Edge(cell, FAMILY[side])


def holds(t: Any, world: World, names: list[Any]) -> Any:
    """The value of a term in the world; `names` are the bound ones, the last first."""
    if z3.is_var(t):
        return names[z3.get_var_index(t)]
    if z3.is_int_value(t):
        return t.as_long()
    kind = t.decl().kind()
    if kind == z3.Z3_OP_AND:
        return all(holds(c, world, names) for c in t.children())
    if kind == z3.Z3_OP_OR:
        return any(holds(c, world, names) for c in t.children())
    if kind == z3.Z3_OP_IMPLIES:
        return not holds(t.arg(0), world, names) or holds(t.arg(1), world, names)
    if kind == z3.Z3_OP_ITE:
        return holds(t.arg(1 if holds(t.arg(0), world, names) else 2), world, names)
    args = [holds(c, world, names) for c in t.children()]
    match kind:
        case z3.Z3_OP_TRUE | z3.Z3_OP_FALSE:
            return kind == z3.Z3_OP_TRUE
        case z3.Z3_OP_NOT:
            return not args[0]
        case z3.Z3_OP_EQ:
            return args[0] == args[1]
        case z3.Z3_OP_LE:
            return args[0] <= args[1]
        case z3.Z3_OP_GE:
            return args[0] >= args[1]
        case z3.Z3_OP_LT:
            return args[0] < args[1]
        case z3.Z3_OP_GT:
            return args[0] > args[1]
        case z3.Z3_OP_ADD:
            return sum(args)
        case z3.Z3_OP_SUB:
            return args[0] - args[1]
        case z3.Z3_OP_UMINUS:
            return -args[0]
    return world.read(t.decl().name(), args)


def check_facts(r: random.Random, world: World, facts: Iterable[Any], tries: int = 120) -> int:
    """Each fact about all layouts holds of these; how often one was looked at."""
    looked = 0
    for fact in facts:
        assert z3.is_quantifier(fact)
        sorts = [str(fact.var_sort(i)) for i in range(fact.num_vars())]
        for near, _ in itertools.product(world.layouts, range(tries)):
            chosen = _chosen(r, world, fact, sorts, near)
            assert holds(fact.body(), world, chosen[::-1]), (fact, chosen)
            looked += 1
    return looked


def _chosen(r: random.Random, world: World, fact: Any, sorts: list[str], near: Layout) -> list[Any]:
    """Values for the names of a fact; half the time those of one part that lies there."""
    found = [world.some(r, s, near) for s in sorts]
    parts = [p for c in near for p in near.parts(c)]
    if parts and r.random() < 0.7:
        p = r.choice(parts)
        side = r.choice([*p.sides, p.side]) if r.random() < 0.5 else p.side
        of = {"x": p.cell.x, "y": p.cell.y, "k": world.family.index(p.kind), "s": -1 if side is None else FAMILY.index(side)}
        f = OnLayout(near, of["k"], near.feature(p))
        for i in range(fact.num_vars()):
            name = fact.var_name(i)
            if name == "f" and r.random() < 0.7:
                found[i] = f
            elif name in of and r.random() < 0.9:
                found[i] = of[name]
    return found


__all__ = ["World", "check_answers", "check_everywhere", "check_facts", "check_steps"]
