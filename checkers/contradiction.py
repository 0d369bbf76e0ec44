"""Whether clauses contradict others where the rules with and without them part, and which."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from tablelaw.checkers.sides import excepting, failing, holds, lifted_by, place_of
from tablelaw.solver import evaluate
from tablelaw.solver.canonical import TRUE
from tablelaw.solver.evaluate import Move, State
from tablelaw.solver.lockstep import Parting
from tablelaw.solver.sameness import conjunction, disjunction, no, open_checks, some_move
from tablelaw.spec.core import Assign, Bind, Branch, Effect, Expr, Fire, Loop, Var, children, clauses_of
from tablelaw.spec.game import Game
from tablelaw.spec.operators import Fault, same
from tablelaw.spec.values import Map, Value


@dataclass(frozen=True, slots=True)
class Against:
    """What is contradicted: the clauses, and in what way."""

    clauses: tuple[str, ...] = ()
    how: str = ""


NOTHING = Against()
MOST_MOVES = 2_000


@dataclass(slots=True)
class Judge:
    """The rules without some clauses (`left`) and with them (`right`), and the ids of these clauses."""

    left: Game
    right: Game
    ids: frozenset[str]

    def __call__(self, p: Parting) -> Against:
        """What is contradicted where they part."""
        before = Map(dict(zip((v.name for v in self.left.variables), p.pair[0], strict=True)))
        after = Map(dict(zip((v.name for v in self.right.variables), p.pair[1], strict=True)))
        try:
            return self._judge(p, before, after)
        except Fault:
            return NOTHING

    def _judge(self, p: Parting, left: State, right: State) -> Against:
        match p.kind, p.side:
            case "only", "right":
                assert p.move is not None
                return allowed_though_forbidden(self.left, self.right, left, right, p.move)
            case "only", "left":
                assert p.move is not None
                return self._forbidden(p.move, left, right)
            case "end", "right":
                end = evaluate.end(self.left, left)
                return Against((end.id,), "the play goes on where this clause ends it") if end is not None else NOTHING
            case "winners", _:
                end = evaluate.end(self.left, left)
                return Against((end.id,), "others win than this clause says") if end is not None else NOTHING
            case "values", _:
                return overwritten(self.left, self.right, left, right, p, self.ids)
        return NOTHING

    def _forbidden(self, move: Move, left: State, right: State) -> Against:
        """A move that is legal without the clauses only."""
        if not evaluate.moves(self.right, right):
            return self._stuck(move, right)
        action = self.left.action(move.action)
        if action is None or not set(failing(self.right, right, move)) & self.ids:
            return NOTHING
        lifting = [e for _, e in lifted_by(self.left, action, place_of(self.left, left, move))]
        lifting = [e for e in dict.fromkeys(lifting) if e not in self.ids]
        return Against(tuple(lifting), "it forbids what these allow by an exception") if lifting else NOTHING

    def _stuck(self, move: Move, right: State) -> Against:
        """Nobody can move any more: the clauses that forbid all else, or else the action that was open."""
        rest: list[str] = []
        for action in self.right.actions:
            for _, there in itertools.islice(evaluate.open_moves(self.right, right, action), MOST_MOVES):
                failed = [
                    c for c in action.checks if not holds(c.formula, there) and not any(holds(x, there) for x in c.lifted)
                ]
                rest += [c.id for c in failed if c.id not in self.ids]
        return Against(tuple(dict.fromkeys(rest)) or (move.action,), "together they leave no move where there was one")


def allowed_though_forbidden(left: Game, right: Game, before: State, there: State, move: Move) -> Against:
    """A move that is legal in the right game only: the checks of the left that forbid it, still say so, and are set aside."""
    theirs = right.action(move.action)
    if theirs is None:
        return NOTHING
    kept = {c.id: c for c in theirs.checks}
    here = place_of(right, there, move)
    clauses = [c for c in failing(left, before, move) if c not in kept or not holds(kept[c].formula, here)]
    return Against(tuple(clauses), "it allows what these forbid") if clauses else NOTHING


def overwritten(left: Game, right: Game, before: State, there: State, p: Parting, ids: frozenset[str]) -> Against:
    """A step that both games take: the clauses whose effect on a variable is lost or set aside in the right game."""
    assert p.move is not None
    mine = evaluate.apply(left, before, p.move, p.drawn)
    theirs = evaluate.apply(right, there, p.move, p.drawn)
    added = [c for c in theirs.fired if c in ids or (c not in mine.fired and c not in left.clauses)]
    old = [w for w in evaluate.writes(left, before, p.move, p.drawn) if w[1] in p.names and w[0] not in ids]
    new = [w for w in evaluate.writes(right, there, p.move, p.drawn) if w[1] in p.names and w[0] in added]
    lost: list[str] = []
    for clause, name, keys in old:
        if clause not in left.clauses or same_item(mine.state[name], theirs.state[name], keys):
            continue
        over = {c for c, n, k in new if n == name and all(a == b for a, b in zip(k, keys, strict=False))}
        both = [
            a for c in (clause, *over) for a in assigned(left if c == clause else right, p.move.action, c) if a.name == name
        ]
        if clause not in right.clauses or (over and not all(map(adds, both))):  # or another stands in its place
            lost.append(clause)
    return Against(tuple(dict.fromkeys(lost)), "both set the same in one step, to different values") if lost else NOTHING


def same_item(left: Value, right: Value, keys: tuple[Value, ...]) -> bool:
    """Is the item at these keys the same in both?"""
    for k in keys:
        if isinstance(left, Map) and isinstance(right, Map) and k in left and k in right:
            left, right = left[k], right[k]
        else:
            break
    return same(left, right)


def assigned(game: Game, action_name: str, clause: str) -> list[Assign]:
    """What a clause of an action assigns by itself, the clauses inside it left out."""
    action = game.action(action_name)
    found: list[Assign] = []
    for e in clauses_of(action.effects if action is not None else ()):
        if e.clause == clause:
            found += _own(e.body)
    return found


def _own(effects: tuple[Effect, ...]) -> Iterator[Assign]:
    for e in effects:
        match e:
            case Fire():
                continue
            case Assign():
                yield e
            case Branch(_, yes, no):
                yield from _own((*yes, *no))
            case Loop(_, _, _, body) | Bind(_, _, body):
                yield from _own(body)


def adds(e: Assign) -> bool:
    """Does it add to what was there (or take from it), rather than set it anew?"""
    return any(isinstance(x, Var) and x.name == e.name for x in _all(e.value))


def _all(e: Expr) -> Iterator[Expr]:
    yield e
    for c in children(e):
        yield from _all(c)


def between(left: Game, right: Game, ids: frozenset[str], against: frozenset[str], p: Parting) -> Against:
    """Where the rules with some clauses (`right`) and the rules with others (`left`) part: do the two contradict each other?"""
    before = Map(dict(zip((v.name for v in left.variables), p.pair[0], strict=True)))
    there = Map(dict(zip((v.name for v in right.variables), p.pair[1], strict=True)))
    try:
        if p.kind == "only" and p.move is not None:
            if p.side == "right":
                return _allows(right, there, left, before, p.move, ids, against)
            return _allows(left, before, right, there, p.move, against, ids)
        if p.kind == "values" and p.move is not None:
            return _set_apart(left, before, right, there, p, ids, against)
        if p.kind == "winners":
            ends = evaluate.end(left, before), evaluate.end(right, there)
            if ends[0] is not None and ends[1] is not None and ends[0].id in against and ends[1].id in ids:
                return Against((ends[0].id,), "the two name different winners")
    except Fault:
        pass
    return NOTHING


def _allows(
    open_: Game, here: State, closed: Game, there: State, move: Move, allowing: frozenset[str], forbidding: frozenset[str]
) -> Against:
    by = [c for c in failing(closed, there, move) if c in forbidding]
    action = open_.action(move.action)
    if not by or action is None:
        return NOTHING
    lifting = [e for _, e in lifted_by(open_, action, place_of(open_, here, move)) if e in allowing]
    if move.action in allowing:
        lifting.append(move.action)
    if not lifting:
        return NOTHING
    return Against(tuple(dict.fromkeys((*by, *lifting))), f"{lifting[0]} allows what {by[0]} forbids")


def _set_apart(
    left: Game, before: State, right: Game, there: State, p: Parting, ids: frozenset[str], against: frozenset[str]
) -> Against:
    assert p.move is not None
    mine = evaluate.apply(left, before, p.move, p.drawn)
    theirs = evaluate.apply(right, there, p.move, p.drawn)
    for a in (c for c in mine.fired if c in against):
        for b in (c for c in theirs.fired if c in ids):
            olds, news = assigned(left, p.move.action, a), assigned(right, p.move.action, b)
            if any(x.name == y.name and x.name in p.names and not (adds(x) and adds(y)) for x in olds for y in news):
                return Against((a, b), "both set the same in one step, to different values")
    return NOTHING


def may_clash(left: Game, right: Game, ids: frozenset[str], against: frozenset[str]) -> list[Expr] | None:
    """Formulas of which one is true wherever one of two notes allows what the other forbids; None where more may clash.

    `left` are the rules with `against`, `right` those with `ids`. Where clauses of both give values to one variable, or end
    the play, they may contradict each other in a way that no formula of a position tells.
    """
    if _effects_of(left, against) & _effects_of(right, ids) or (_ends_of(left, against) and _ends_of(right, ids)):
        return None
    found: list[Expr] = []
    for open_, closed, allowing, forbidding in ((right, left, ids, against), (left, right, against, ids)):
        for a in open_.actions:
            other = closed.action(a.name)
            if other is None or (a.by, a.params) != (other.by, other.params):
                continue
            kept = [c for c in other.checks if c.id in forbidding]
            broken = [no(c.formula if not c.lifted else disjunction([c.formula, *c.lifted])) for c in kept]
            lifting = [
                conjunction([no(c.formula), x])
                for c in a.checks
                for e, x in zip(excepting(open_, c.id), c.lifted, strict=False)
                if e in allowing
            ]
            if a.name in allowing and broken:
                lifting.append(TRUE)
            if broken and lifting:
                found.append(some_move(a, conjunction([*open_checks(a), disjunction(broken), disjunction(lifting)])))
    return found


def _effects_of(game: Game, ids: frozenset[str]) -> set[str]:
    """The variables to which these clauses give values."""
    fires = [e for a in game.actions for e in clauses_of(a.effects) if e.clause in ids]
    return {x.name for e in fires for x in _own(e.body)}


def _ends_of(game: Game, ids: frozenset[str]) -> bool:
    return any(e.id in ids for e in game.ends)
