"""What can be seen of two games in their formulas: which parts mean the same, and a formula that is true where they part.

Two games with the same variables whose actions and ends have equal formulas have the same plays. Where only checks, phases,
ends or whole clauses of effects differ, that no play parts is a claim about one of them: a formula that is never true, and
clauses that never take effect. Any engine may answer it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from tablelaw.solver.canonical import TRUE, implied
from tablelaw.solver.sound import sound, sound_effects
from tablelaw.spec.core import Agg, Bind, Branch, Call, Const, Effect, Expr, Fire, Let, Loop, Op, clauses_of, with_clauses
from tablelaw.spec.game import Action, End, Game
from tablelaw.spec.types import BOOL


@dataclass(frozen=True, slots=True)
class Effects:
    """Two actions that differ in their effects: they do the same, or else these clauses never take effect (None: unsaid)."""

    left: Action
    right: Action
    idle: tuple[frozenset[str], frozenset[str]] | None


@dataclass(frozen=True, slots=True)
class Claims:
    """What together says that no play of two games parts: of the first game a formula that is never true, and of pairs of
    actions that they do the same."""

    never: Expr | None
    effects: tuple[Effects, ...] = ()


def same_variables(left: Game, right: Game) -> bool:
    """Do the games have the same variables, with the same types, in the same order, and lay the same pieces?"""
    told = [[(v.name, v.type) for v in g.variables] for g in (left, right)]
    return told[0] == told[1] and same_pieces(left, right)


def same_pieces(left: Game, right: Game) -> bool:
    """Do the games lay the same pieces? Types and formulas name faces alone: two of one name may be made otherwise."""
    mine, theirs = left.names.pieces, right.names.pieces
    return mine.keys() == theirs.keys() and all(p.alike(theirs[n]) for n, p in mine.items())


def same_starts(left: Game, right: Game) -> bool:
    """Do they start alike, as far as can be seen?"""
    return [(v.name, v.any_of, v.init) for v in left.variables] == [(v.name, v.any_of, v.init) for v in right.variables]


def alike(left: Game, right: Game) -> frozenset[str]:
    """The actions that mean the same in both games, in every position."""
    if not same_variables(left, right) or left.players != right.players:
        return frozenset()
    others = {a.name: a for a in right.actions}
    return frozenset(a.name for a in left.actions if a.name in others and _meaning(a) == _meaning(others[a.name]))


def same_ends(left: Game, right: Game) -> bool:
    """Do the plays end alike, with the same winners, in every position?"""
    told = [[(e.when, e.winners) for e in g.ends] for g in (left, right)]
    return told[0] == told[1] and same_pieces(left, right)


def identical(left: Game, right: Game) -> bool:
    """Is nothing left that differs?"""
    names = {a.name for a in left.actions}
    return (
        same_variables(left, right)
        and same_starts(left, right)
        and names == {a.name for a in right.actions} == alike(left, right)
        and same_ends(left, right)
    )


def _meaning(a: Action) -> tuple[Any, ...]:
    checks = [(c.formula, c.lifted) for c in a.checks if c.formula != TRUE]
    return a.by, a.during, a.params, checks, a.draws, _nameless(a.effects)


def _nameless(effects: tuple[Effect, ...]) -> tuple[Effect, ...]:
    """Effects without the names of their clauses."""
    found: list[Effect] = []
    for e in effects:
        match e:
            case Fire(_, when, body):
                found.append(Fire("", when, _nameless(body)))
            case Branch(_, yes, no):
                found.append(replace(e, yes=_nameless(yes), no=_nameless(no)))
            case Loop(_, _, _, body) | Bind(_, _, body):
                found.append(replace(e, body=_nameless(body)))
            case _:
                found.append(e)
    return tuple(found)


# a formula that is true where the games part


def conjunction(parts: list[Expr]) -> Expr:
    """All of them."""
    parts = [p for p in parts if p != TRUE]
    return TRUE if not parts else parts[0] if len(parts) == 1 else Op("and", tuple(parts), type=BOOL)


def disjunction(parts: list[Expr]) -> Expr:
    """Any of them."""
    return parts[0] if len(parts) == 1 else Op("or", tuple(parts), type=BOOL)


def no(e: Expr) -> Expr:
    """The opposite."""
    return Op("not", (e,), type=BOOL)


def open_checks(a: Action) -> list[Expr]:
    """What a move of the action must keep, exceptions taken in."""
    return [c.formula if not c.lifted else disjunction([c.formula, *c.lifted]) for c in a.checks]


def some_move(a: Action, body: Expr, during: bool = True) -> Expr:
    """Is there a move of the action, its phase open, of which this holds?"""
    inner: Expr = Agg("any", a.params, body, type=BOOL) if a.params else body
    if a.by is not None:
        inner = Let(("actor",), (a.by,), inner, type=BOOL)
    return conjunction([a.during, inner]) if during and a.during is not None else inner


def where_they_part(left: Action, right: Action) -> Expr | None:
    """A formula that is true wherever the moves of two actions differ; None where that cannot be said."""
    if (left.by, left.params, left.draws) != (right.by, right.params, right.draws):
        return None
    mine, theirs = list(dict.fromkeys(open_checks(left))), list(dict.fromkeys(open_checks(right)))
    if left.during == right.during:
        if not _read_alike(mine, theirs):
            return some_move(left, Op("ne", (conjunction(mine), conjunction(theirs)), type=BOOL))
        more, fewer = [c for c in theirs if c not in mine], [c for c in mine if c not in theirs]
        ways = []
        if more:
            ways.append(conjunction([*mine, no(conjunction(more))]))
        if fewer:
            ways.append(conjunction([*theirs, no(conjunction(fewer))]))
        return disjunction([some_move(left, w) for w in ways]) if ways else Const(False, type=BOOL)
    ours = conjunction([*([left.during] if left.during is not None else []), *mine])
    other = conjunction([*([right.during] if right.during is not None else []), *theirs])
    opened = disjunction([left.during or TRUE, right.during or TRUE])
    return conjunction([opened, some_move(left, Op("ne", (ours, other), type=BOOL), during=False)])


def _read_alike(mine: list[Expr], theirs: list[Expr]) -> bool:
    """Does the order of checks make no difference? A check may guard the reading of those after it."""
    if all(map(sound, (*mine, *theirs))):
        return True
    n = next((i for i, (a, b) in enumerate(zip(mine, theirs, strict=False)) if a != b), min(len(mine), len(theirs)))
    return not set(mine[n:]) & set(theirs[n:])


def claims(left: Game, right: Game) -> Claims | None:
    """Claims that together say that no play parts; None where these forms do not say it."""
    if not same_variables(left, right) or not same_starts(left, right):
        return None
    both = {a.name for a in left.actions} & {a.name for a in right.actions}
    found = [some_move(a, conjunction(open_checks(a))) for a in (*left.actions, *right.actions) if a.name not in both]
    effects: list[Effects] = []
    same = alike(left, right)
    for a in left.actions:
        b = right.action(a.name)
        if b is None or a.name in same:
            continue
        part = where_they_part(a, b)
        if part is None:
            return None
        if not (isinstance(part, Const) and not part.value):
            found.append(part)
        if _nameless(a.effects) != _nameless(b.effects):
            effects.append(Effects(a, b, _idle(a, b)))
    going = no(Call("ended", (), type=BOOL))
    moves = [conjunction([going, disjunction(found)])] if found else []
    if not same_ends(left, right):
        ends = _ends_part(left.ends, right.ends)
        if ends is None:
            return None
        moves.append(ends)
    return Claims(disjunction(moves) if moves else None, tuple(effects))


def _idle(a: Action, b: Action) -> tuple[frozenset[str], frozenset[str]] | None:
    """The clauses without which the effects of two actions are the same; None where these alone are not it."""
    mine, theirs = _fires(a.effects), _fires(b.effects)
    only = _innermost(mine, {c for c, e in mine.items() if theirs.get(c) != e})
    others = _innermost(theirs, {c for c, e in theirs.items() if mine.get(c) != e})
    if _nameless(_without(a.effects, only)) != _nameless(_without(b.effects, others)):
        return None
    return frozenset(only), frozenset(others)


def muted(game: Game, names: frozenset[str]) -> Game:
    """The game in which these clauses, where they take effect, change nothing."""

    def mute(e: Fire) -> Fire:
        return replace(e, body=()) if e.clause in names else e

    return replace(game, actions=tuple(replace(a, effects=with_clauses(a.effects, mute)) for a in game.actions))


def unsound_conditions(game: Game, names: frozenset[str]) -> list[str]:
    """Those of the clauses whose `when` might have no value."""
    fires = [e for a in game.actions for e in clauses_of(a.effects) if e.clause in names]
    return list(dict.fromkeys(e.clause for e in fires if e.when is not None and not sound(e.when)))


def steps_are_sound(game: Game, action: Action) -> bool:
    """Has no step of the action a fault, as can be seen?"""
    return sound_effects(action.effects, {v.name: v.type for v in game.variables})


def _ends_part(left: tuple[End, ...], right: tuple[End, ...]) -> Expr | None:
    """True where one game has ended and the other not; None where winners may differ as well."""
    by_meaning = [(e.when, e.winners) for e in left]
    others = [(e.when, e.winners) for e in right]
    if [x for x in by_meaning if x in others] != [x for x in others if x in by_meaning]:
        return None
    extra = [(e, left) for e in left if (e.when, e.winners) not in others]
    extra += [(e, right) for e in right if (e.when, e.winners) not in by_meaning]
    parts = []
    for e, ends in extra:  # an end of one game alone never comes first
        before = [no(x.when) for x in ends[: next(i for i, x in enumerate(ends) if x is e)]]
        parts.append(conjunction([*before, e.when]))
    return disjunction(parts)


def _fires(effects: tuple[Effect, ...]) -> dict[str, tuple[Effect, ...]]:
    """Of each clause of effects what it does, each place where it stands."""
    found: dict[str, tuple[Effect, ...]] = {}
    for e in clauses_of(effects):
        found[e.clause] = (*found.get(e.clause, ()), e)
    return found


def _innermost(fires: dict[str, tuple[Effect, ...]], names: set[str]) -> set[str]:
    """Those clauses that hold no other of them: what is around them differs only because of them."""
    holds = {c: {f.clause for e in fires[c] if isinstance(e, Fire) for f in clauses_of(e.body)} for c in names}
    return {c for c in names if not holds[c] & names}


def _without(effects: tuple[Effect, ...], names: set[str]) -> tuple[Effect, ...]:
    return with_clauses(effects, lambda e: None if e.clause in names else e)


def evident(left: Game, right: Game) -> bool:
    """Can it be seen that one game is the other with checks that the checks before them imply?"""
    if not same_variables(left, right) or not same_starts(left, right) or not same_ends(left, right):
        return False
    if {a.name for a in left.actions} != {a.name for a in right.actions}:
        return False
    same = alike(left, right)
    for a in left.actions:
        b = right.action(a.name)
        assert b is not None
        if a.name in same:
            continue
        if (a.by, a.during, a.params, a.draws) != (b.by, b.during, b.params, b.draws):
            return False
        if _nameless(a.effects) != _nameless(b.effects):
            return False
        mine, theirs = open_checks(a), open_checks(b)
        if not _only_implied(mine, theirs) and not _only_implied(theirs, mine):
            return False
    return True


def _only_implied(fewer: list[Expr], more: list[Expr]) -> bool:
    """Are the checks that the second list has besides implied by those before them? (Those after may guard their reading.)"""
    facts: list[Expr] = []
    waiting = list(fewer)
    for c in more:
        if waiting and c == waiting[0]:
            facts += _facts([waiting.pop(0)])
        elif not implied(c, facts):
            return False
    return not waiting


def _facts(checks: list[Expr]) -> list[Expr]:
    """Conjunctions taken apart."""
    found: list[Expr] = []
    for c in checks:
        found += _facts(list(c.args)) if isinstance(c, Op) and c.op == "and" else [c]
    return found


def narrower(left: Game, right: Game) -> bool:
    """Is every play of the right game plainly one of the left: has it only more checks of players' moves, or fewer actions?"""
    if not same_variables(left, right) or not same_starts(left, right) or not same_ends(left, right):
        return False
    if not {a.name for a in right.actions} <= {a.name for a in left.actions}:
        return False
    same = alike(left, right)
    for a in left.actions:
        b = right.action(a.name)
        if a.name in same or (b is None and a.by is not None):
            continue
        if b is None:
            return False
        if a.by is None or (a.by, a.during, a.params, a.draws) != (b.by, b.during, b.params, b.draws):
            return False
        if _nameless(a.effects) != _nameless(b.effects):
            return False
        theirs = _facts(open_checks(b))
        if not all(implied(x, theirs) for x in _facts(open_checks(a))):
            return False
    return True
