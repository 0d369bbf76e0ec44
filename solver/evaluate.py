"""What a game means: its starts, its legal moves, its draws, its steps. The definition; every engine is held to it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import comb

from tablelaw.spec import types as ty
from tablelaw.spec.core import Assign, Bind, Branch, Draw, Effect, Fire, Loop
from tablelaw.spec.game import Action, End, Game
from tablelaw.spec.names import open_variable
from tablelaw.spec.operators import Fault
from tablelaw.spec.reckon import Place, bag_items, bindings, value, visit
from tablelaw.spec.types import BagOf, ListOf, MapOf, Maybe, Record, Type
from tablelaw.spec.values import Map, Value

State = Map


@dataclass(frozen=True, slots=True)
class Move:
    """An action with its arguments, and the player who chooses it (None: the table)."""

    action: str
    args: tuple[tuple[str, Value], ...] = ()
    actor: int | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a step leads to: the new state, or a fault of the rules; the clauses that took effect, in order."""

    state: State
    fired: tuple[str, ...] = ()
    fault: Fault | None = None
    blame: str = ""


@dataclass(slots=True)
class _Work:
    state: dict[str, Value]
    fired: list[str] = field(default_factory=list)
    clause: str = ""
    wrote: list[Written] | None = None


Written = tuple[str, str, tuple[Value, ...]]
"""A clause, the variable that it gives a value, and the keys of the item."""


def starts(game: Game) -> list[State]:
    """Every start of the game."""
    choices = [[(v.name, x) for x in (sorted_any(v) if v.any_of else [_init(v)])] for v in game.variables]
    states = [Map(list(items)) for items in itertools.product(*choices)]
    if not game.left_open:
        return states
    names = [(o, open_variable(o)) for o in sorted(game.names.open)]
    allowed = {tuple(s[o] for o, _ in names) for s in game.left_open}
    return [s for s in states if tuple(str(s[v]) for _, v in names) in allowed]


def _init(v: object) -> Value:
    return v.init.value  # type: ignore[attr-defined]


def sorted_any(v: object) -> list[Value]:
    """The starts of a variable that has several, in declared order."""
    from tablelaw.spec.reckon import in_order

    return in_order(v.init.value, v.init.type)  # type: ignore[attr-defined]


def place(game: Game, state: State, before: Place | None = None) -> Place:
    """Where formulas about a position are read."""
    return Place(state, game.players, {}, before, lambda: end(game, state) is not None, lambda: winners(game, state))


def end(game: Game, state: State) -> End | None:
    """The end clause that ends the play here, if one does: the first that holds."""
    here = Place(state, game.players)
    return next((e for e in game.ends if value(e.when, here)), None)


def winners(game: Game, state: State) -> frozenset[int]:
    """Who has won; nobody while the play goes on."""
    found = end(game, state)
    if found is None or found.winners is None:
        return frozenset()
    won: frozenset[int] = value(found.winners, Place(state, game.players))
    return won


def open_moves(game: Game, state: State, action: Action) -> Iterator[tuple[Move, Place]]:
    """The moves of an action whose phase is open, each with the place its checks are read in."""
    here = Place(state, game.players)
    if action.during is not None and not value(action.during, here):
        return
    actor = None if action.by is None else value(action.by, here)
    if actor is not None:
        if not 0 <= actor < game.players:
            raise Fault("range", f"there is no player {actor}")
        here = here.bind({"actor": actor})
    seen: set[Move] = set()
    for there in bindings(action.params, here):
        move = Move(action.name, tuple((b.name, there.names[b.name]) for b in action.params), actor)
        if move not in seen:
            seen.add(move)
            yield move, there


def legal(action: Action, there: Place) -> bool:
    """Does the move pass every check?"""
    return all(value(c.formula, there) or any(value(x, there) for x in c.lifted) for c in action.checks)


def moves(game: Game, state: State) -> list[Move]:
    """The legal moves: none at an end; the table's alone while it has one."""
    if end(game, state) is not None:
        return []
    for table in (True, False):
        found = [
            move
            for action in game.actions
            if (action.by is None) == table
            for move, there in open_moves(game, state, action)
            if legal(action, there)
        ]
        if found:
            return found
    return []


def draws(game: Game, state: State, move: Move) -> list[tuple[tuple[tuple[str, Value], ...], Fraction]]:
    """Every draw of a move with its probability; one empty draw where nothing is drawn."""
    action = game.action(move.action)
    assert action is not None
    found: list[tuple[tuple[tuple[str, Value], ...], Fraction]] = [((), Fraction(1))]
    for draw in action.draws:
        found = [
            ((*drawn, (draw.name, v)), weight * p)
            for drawn, weight in found
            for v, p in one_draw(draw, there(game, state, move).bind(dict(drawn)))
        ]
    return found


def sound_draws(game: Game, state: State, move: Move) -> list[tuple[tuple[str, Value], ...]]:
    """The draws of a move; none where drawing has a fault, for then no step of the move is taken."""
    try:
        return [drawn for drawn, _ in draws(game, state, move)]
    except Fault:
        return []


def there(game: Game, state: State, move: Move) -> Place:
    """Where the draws and effects of a move are read."""
    names = dict(move.args)
    return Place(state, game.players, names if move.actor is None else {**names, "actor": move.actor})


def one_draw(draw: Draw, here: Place) -> list[tuple[Value, Fraction]]:
    """The values of one entry of `chance`, each once, with exact probabilities."""
    args = [value(a, here) for a in draw.args]
    weights: dict[Value, Fraction] = {}
    if draw.kind == "faces":
        for v in args[0]:
            weights[v] = weights.get(v, Fraction(0)) + Fraction(1, len(args[0]))
    elif draw.kind == "one_of":
        for v, p in zip(args[0], args[1], strict=True):
            if p:
                weights[v] = weights.get(v, Fraction(0)) + p
    elif draw.kind == "draw":
        copies = sum(args[0].values())
        if copies == 0:
            raise Fault("empty", "a draw from an empty bag")
        weights = {k: Fraction(n, copies) for k, n in args[0].items() if n}
    else:
        number, faces = args
        assert isinstance(draw.type, BagOf)
        if not 0 <= number <= (draw.type.limit or 0):
            raise Fault("range", f"{number} dice are rolled")
        for counts in ty.bags(list(faces), number, exactly=True):
            weights[counts] = Fraction(multinomial(list(counts.values())), len(faces) ** number)
    return list(weights.items())


def multinomial(counts: list[int]) -> int:
    """In how many orders the copies can lie."""
    ways, left = 1, sum(counts)
    for n in counts:
        ways *= comb(left, n)
        left -= n
    return ways


def apply(game: Game, state: State, move: Move, drawn: tuple[tuple[str, Value], ...] = ()) -> Outcome:
    """Take a step. A step with a fault is not taken: the state stays and the outcome tells the fault."""
    action = game.action(move.action)
    assert action is not None
    work = _Work(dict(state))
    try:
        _run(action.effects, there(game, state, move).bind(dict(drawn)), work, {v.name: v.type for v in game.variables})
    except Fault as fault:
        return Outcome(state, tuple(dict.fromkeys(work.fired)), fault, work.clause or move.action)
    return Outcome(Map(work.state), tuple(dict.fromkeys(work.fired)))


def writes(game: Game, state: State, move: Move, drawn: tuple[tuple[str, Value], ...] = ()) -> list[Written]:
    """What a step gives a value, in order, whether or not it is the value it had. Raises `Fault`."""
    action = game.action(move.action)
    assert action is not None
    work = _Work(dict(state), wrote=[])
    _run(action.effects, there(game, state, move).bind(dict(drawn)), work, {v.name: v.type for v in game.variables})
    return work.wrote or []


def _run(effects: tuple[Effect, ...], names: Place, work: _Work, kinds: dict[str, Type]) -> None:
    for e in effects:
        here = Place(work.state, names.players, names.names)
        match e:
            case Assign(name, path, new):
                keys = [k if isinstance(k, str) else value(k, here) for k in path]
                work.state[name] = put(work.state[name], kinds[name], keys, value(new, here))
                if work.wrote is not None:
                    work.wrote.append((work.clause, name, tuple(keys)))
                if not ty.contains(kinds[name], work.state[name]):
                    raise Fault("range", f"`{name}` leaves its range")
            case Branch(test, yes, no):
                _run(yes if value(test, here) else no, names, work, kinds)
            case Loop(name, domain, _, body):
                for v in list(visit(domain, here)):
                    _run(body, names.bind({name: v}), work, kinds)
            case Fire(clause, when, body):
                outer, work.clause = work.clause, clause
                if when is None or value(when, here):
                    work.fired.append(clause)
                    _run(body, names, work, kinds)
                work.clause = outer
            case Bind(args, values, body):
                _run(body, names.bind({n: value(v, here) for n, v in zip(args, values, strict=True)}), work, kinds)


def put(old: Value, kind: Type, keys: list[Value], new: Value) -> Value:
    """The value with the item at a path replaced."""
    if not keys:
        return whole(new, kind)
    key, rest = keys[0], keys[1:]
    inner = kind.elem if isinstance(kind, Maybe) else kind
    if old is None:
        raise Fault("none", "there is nothing to assign to")
    if isinstance(inner, ListOf):
        if not 0 <= key < len(old):
            raise Fault("index", f"there is no item {key} in a list of {len(old)}")
        return (*old[:key], put(old[key], inner.elem, rest, new), *old[key + 1 :])
    if isinstance(inner, MapOf):
        if key not in old:
            raise Fault("index", f"there is no item for {key}")
        return old.set(key, put(old[key], inner.value, rest, new))
    if isinstance(inner, Record):
        field_type = inner.field_type(key)
        assert field_type is not None
        return old.set(key, put(old[key], field_type, rest, new))
    if isinstance(inner, BagOf) and ty.placed(inner.elem):
        if not ty.contains(inner.elem, key):
            raise Fault("range", "such a bag holds no place beyond the board")
        return whole(old.set(key, new), inner)
    if isinstance(inner, BagOf) and key not in old:
        raise Fault("range", f"such a bag holds no {key}")
    return old.set(key, new)


def whole(new: Value, kind: Type) -> Value:
    """A value as it is kept: every name of a bag counted, none times where it does not occur.

    A bag of what holds places of the grid keeps what occurs alone, in declared order.
    """
    if isinstance(kind, BagOf) and ty.placed(kind.elem):
        return Map([(k, n) for k, n in bag_items(new, kind) if n])
    if isinstance(kind, BagOf):
        known = list(ty.domain(kind.elem))
        return Map([(k, new.get(k, 0)) for k in [*known, *(k for k in new if new[k] and k not in known)]])
    if isinstance(kind, MapOf):
        return Map([(k, whole(v, kind.value)) for k, v in new.items()])
    if isinstance(kind, Record):
        return Map([(n, whole(new[n], f)) for n, f in kind.fields])
    if isinstance(kind, Maybe):
        return None if new is None else whole(new, kind.elem)
    return tuple(whole(v, kind.elem) for v in new) if isinstance(kind, ListOf) else new
