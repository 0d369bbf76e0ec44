"""Formulas worth trying beside a claim: what the game's own questions claim, and what its phases and bags suggest."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator

from tablelaw.solver import evaluate
from tablelaw.solver.candidates import asked_of_positions
from tablelaw.spec import types as ty
from tablelaw.spec.core import Agg, Bind, Binder, Branch, Call, Const, Effect, Expr, Field, Fire, If, Local, Loop, Op, Var
from tablelaw.spec.game import Game, Variable
from tablelaw.spec.operators import Fault
from tablelaw.spec.reckon import value
from tablelaw.spec.types import BOOL, INT, BagOf, Enum, Int, LayoutType, Maybe, PartType, Record, SetOf, Type

FEW = 12
PLAYS, STEPS = 12, 80


def asked_elsewhere(game: Game) -> list[Expr]:
    """What the `always` and `never` questions of the game claim of positions."""
    return [e if kind == "always" else negated(e) for kind, e in asked_of_positions(game)]


def negated(e: Expr) -> Expr:
    return Op("not", (e,), type=BOOL)


def _same(a: Expr, b: Expr) -> Expr:
    return Op("eq", (a, b), type=BOOL)


def _either(*parts: Expr) -> Expr:
    return Op("or", parts, type=BOOL)


def phases(game: Game) -> list[tuple[Var, Const]]:
    """The variables of few names with each of their names."""
    return [
        (Var(v.name, type=v.type), Const(n, type=v.type))
        for v in game.variables
        if isinstance(v.type, Enum) and len(v.type.values) <= FEW
        for n in v.type.values
    ]


def of_phases(game: Game) -> list[Expr]:
    """A phase that never comes; in a phase, what is still as at the start, or is there."""
    found: list[Expr] = []
    scalars = [v for v in game.variables if isinstance(v.type, (ty.Bool, Maybe)) and not v.any_of]
    for phase, name in phases(game):
        here = _same(phase, name)
        found.append(negated(here))
        for v in scalars:
            if not isinstance(v.init, Const) or _large(v.type):
                continue
            at_start = _same(Var(v.name, type=v.type), v.init)
            found += [_either(negated(here), at_start), _either(negated(here), negated(at_start))]
    return found


def of_claim(game: Game, claim: Expr) -> list[Expr]:
    """What a claim says of one phase, said of each other."""
    match claim:
        case Op("not", (Op("and", (Op("eq", (Var() as phase, Const())), *rest)),)):
            return [
                negated(Op("and", (_same(phase, name), *rest), type=BOOL)) for v, name in phases(game) if v.name == phase.name
            ]
    return []


def of_counts(game: Game, counted: frozenset[str]) -> list[Expr]:
    """As long as something has not happened: a phase that does not come, what is still as at the start."""
    found: list[Expr] = []
    for name in sorted(counted):
        happened = Op("lt", (Const(0, type=Int(0, 0)), Call("times", (), name, type=Int(0, None))), type=BOOL)
        found += [_either(happened, negated(_same(phase, value))) for phase, value in phases(game)]
        for v in game.variables:
            if isinstance(v.type, (ty.Bool, Maybe)) and isinstance(v.init, Const) and not v.any_of and not _large(v.type):
                found.append(_either(happened, _same(Var(v.name, type=v.type), v.init)))
    return found


def _large(t: Type) -> bool:
    return isinstance(t, Maybe) and not isinstance(t.elem, (Enum, Int, ty.Bool))


def of_bags(game: Game) -> list[Expr]:
    """What large bags of records hold: parts that lie on a layout, and what the elements that an effect takes out are like."""
    found: list[Expr] = []
    layouts = [v for v in game.variables if isinstance(v.type, LayoutType)]
    tests = list(_taken_out(game))
    for v in game.variables:
        if not isinstance(v.type, BagOf) or not isinstance(v.type.elem, Record):
            continue
        elem, bag = v.type.elem, Var(v.name, type=v.type)
        one = Local("one", type=elem)
        for n, t in elem.fields:
            if isinstance(t, PartType):
                found += [_all(bag, one, _lies(Field(one, n, type=t), table)) for table in layouts]
        for name, loop, test in tests:
            if name == v.name:
                found += _of_taken(game, bag, Local(loop, type=elem), test)
    return found


def _all(bag: Expr, one: Local, body: Expr, test: Expr | None = None) -> Expr:
    return Agg("all", (Binder(one.name, bag, one.type, () if test is None else (test,)),), body, type=BOOL)


def _lies(part: Expr, table: Variable) -> Expr:
    assert isinstance(part.type, PartType)
    cell = Field(part, "cell", type=part.type.cell)
    parts = Call("parts", (Var(table.name, type=table.type), cell), type=SetOf(part.type))
    return Op("in", (part, parts), type=BOOL)


def _taken_out(game: Game) -> Iterator[tuple[str, str, Expr]]:
    """Of each loop over a bag that looks at the elements first: the bag, the name, and what it looks for."""
    seen: set[tuple[str, Expr]] = set()
    stack: list[Effect] = [e for a in game.actions for e in a.effects]
    while stack:
        e = stack.pop()
        match e:
            case Loop(name, domain, _, body):
                first = body[0] if body else None
                if isinstance(domain, Var) and isinstance(first, Branch) and _alone(first.test, name):
                    if (domain.name, first.test) not in seen:
                        seen.add((domain.name, first.test))
                        yield domain.name, name, first.test
                stack.extend(body)
            case Branch(_, yes, no):
                stack.extend((*yes, *no))
            case Fire(_, _, body) | Bind(_, _, body):
                stack.extend(body)


def _alone(e: Expr, name: str) -> bool:
    """Does the formula read the element and nothing else?"""
    from tablelaw.spec.core import children

    if isinstance(e, (Var, Call, Agg)) or (isinstance(e, Local) and e.name != name):
        return False
    return all(_alone(c, name) for c in children(e))


def _of_taken(game: Game, bag: Var, one: Local, test: Expr) -> Iterator[Expr]:
    binder = (Binder(one.name, bag, one.type, (test,)),)
    some = Agg("any", binder, Const(True, type=BOOL), type=BOOL)
    count = Agg("count", binder, Const(True, type=BOOL), type=Int(0, None))
    yield Op("le", (count, Const(1, type=Int(1, 1))), type=BOOL)
    for phase, name in phases(game):
        yield _either(negated(_same(phase, name)), negated(some))
        yield _either(negated(_same(phase, name)), some)
    assert isinstance(one.type, Record)
    for v in game.variables:
        for n, t in one.type.fields:
            inner = v.type.elem if isinstance(v.type, Maybe) else v.type
            if isinstance(t, (Enum, Int)) and (inner == t or (isinstance(t, Enum) and ty.join(inner, t) is not None)):
                joined = v.type if isinstance(v.type, Maybe) else t
                yield _all(bag, one, _same(Field(one, n, type=t), Var(v.name, type=v.type)), test) if joined else some
        if isinstance(v.type, Maybe):
            there = If(
                _same(Var(v.name, type=v.type), Const(None, type=ty.NOTHING)),
                Const(0, type=Int(0, 0)),
                Const(1, type=Int(1, 1)),
                type=INT,
            )
            yield _same(count, there)


def met_in_plays(game: Game, starts: list[evaluate.State], seconds: float) -> list[evaluate.State]:
    """Positions of some random plays."""
    random_source = random.Random(7)
    until = time.monotonic() + seconds
    found: list[evaluate.State] = []
    for _ in range(PLAYS):
        state = random_source.choice(starts)
        for _ in range(STEPS):
            if time.monotonic() > until:
                return found
            found.append(state)
            try:
                moves = evaluate.moves(game, state)
                if not moves:
                    break
                move = random_source.choice(moves)
                drawn = random_source.choice(evaluate.draws(game, state, move))[0]
                after = evaluate.apply(game, state, move, drawn)
            except Fault:
                break
            if after.fault is not None:
                break
            state = after.state
    return found


def survivors(game: Game, claims: list[Expr], states: list[evaluate.State], seconds: float) -> list[Expr]:
    """The formulas that hold in all of these positions, as far as there was time to look; none twice."""
    until = time.monotonic() + seconds
    found: list[Expr] = []
    for e in claims:
        if e in found:
            continue
        ok = True
        for s in states:
            if time.monotonic() > until:
                break
            try:
                ok = bool(value(e, evaluate.place(game, s)))
            except (Fault, TypeError, KeyError):
                ok = False
            if not ok:
                break
        if ok:
            found.append(e)
    return found
