"""A game with its boards projected away: of each layout the number of its pieces is kept, the rest becomes free choice.

Whatever a formula reads of a board is an *unknown*. One that depends on the position alone becomes a variable that may
take any value whenever something it reads changes; one that depends on the arguments of a move is chosen or drawn with it.
Every step of the game is then a step of the projection (with the unknowns at their real values), so that what never
happens in the projection never happens in the game; and a position is stuck in the projection where it is in the game.
A play of the projection need not be one of the game: `realise.py` looks for one beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from tablelaw.solver import evaluate
from tablelaw.solver.action_projection import ActionProjection
from tablelaw.solver.most import most_of
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.translator import Translator, boardish, both, projected_type, projected_value, variables_read
from tablelaw.solver.window import NAME, Claim, Window, free_names, put_in
from tablelaw.spec import types as ty
from tablelaw.spec.core import (
    Assign,
    Call,
    Const,
    Expr,
    Op,
    Var,
    children,
)  # fmt: skip
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.expressions import parse_formula
from tablelaw.spec.formulas import Typer
from tablelaw.spec.game import Action, End, Game, Variable
from tablelaw.spec.operators import Fault
from tablelaw.spec.reckon import value
from tablelaw.spec.types import (
    BOOL,
    Bool,
    Int,
    SetOf,
    Type,
)
from tablelaw.spec.values import Map, Value
from tablelaw.spec.yaml_nodes import Scalar


@dataclass(frozen=True, slots=True, eq=False)
class Oracle:
    """An unknown of the position: its variable in the projection, the formula it stands for, and what that reads."""

    name: str
    source: Expr
    reads: frozenset[str]
    kind: Type
    most: Expr | None


class Projection:
    """The projection of a game, made for some formulas of questions about it.

    `on_empty` are layings that have a fault unless the table is empty. With `progress` a player's action that reads the board
    is open just where an unknown says so, so that a position is stuck in the projection where it is in the game; without, the
    action may be open in more positions.
    """

    def __init__(
        self,
        game: Game,
        formulas: tuple[Expr, ...] = (),
        progress: bool = False,
        window: Window | None = None,
        on_empty: tuple[Assign, ...] = (),
    ) -> None:
        self.origin = game
        self.window = window
        self.on_empty = {id(e) for e in on_empty}
        self.kinds = {v.name: projected_type(v.type) for v in game.variables}
        self.oracles: dict[Expr, Oracle] = {}
        self.kept: dict[str, str] = {}
        self.moves = {a.name: self._can(a) for a in game.actions if a.by is not None} if progress else {}
        self.progress = progress
        actions: tuple[Action, ...] = ()
        ends: tuple[End, ...] = ()
        for _ in range(2):  # once to find the unknowns, once knowing them all
            actions = tuple(self._action(a) for a in game.actions)
            ends = tuple(self._end(e) for e in game.ends)
            for f in formulas:
                self.formula(f)
            if window is not None:
                self.of_window(window.claim)
        start = evaluate.starts(game)[0]
        variables = [replace(v, type=self.kinds[v.name], init=self._init(v)) for v in game.variables]
        several = any(v.any_of for v in game.variables)
        for o in self.oracles.values():
            init = frozenset(ty.domain(o.kind)) if several else self.oracle_value(o, start)
            shape: Type = SetOf(o.kind) if several else o.kind
            variables.append(Variable(o.name, o.kind, Const(init, type=shape), several, "", game.variables[0].span))
        for name in self.kept.values():
            variables.append(Variable(name, BOOL, Const(True, type=BOOL), False, "", game.variables[0].span))
        hints: tuple[Expr, ...] = ()
        if window is not None:
            shown = frozenset().union(*(window.starts(s[window.table]) for s in evaluate.starts(game)))
            seen = Const(shown, type=SetOf(window.record))
            variables.append(Variable(NAME, window.record, seen, True, "", game.variables[0].span))
            hints = tuple(window.hints())
        self.game = replace(
            game, variables=tuple(variables), actions=actions, ends=ends, said=self.claim, origin=game, hints=hints
        )

    def _init(self, v: Variable) -> Const:
        assert isinstance(v.init, Const)
        if not v.any_of:
            return Const(projected_value(v.init.value, v.type), type=self.kinds[v.name])
        return Const(frozenset(projected_value(x, v.type) for x in v.init.value), type=SetOf(self.kinds[v.name]))

    @property
    def unknowns(self) -> int:
        """How many variables there are beside those of the game."""
        return len(self.oracles) + len(self.kept)

    # positions

    def state(self, state: evaluate.State) -> evaluate.State:
        """The position of the projection that a position of the game is, every unknown at its real value."""
        kept = [(v.name, projected_value(state[v.name], v.type)) for v in self.origin.variables]
        unknown = [(o.name, self.oracle_value(o, state)) for o in self.oracles.values()]
        return Map([*kept, *unknown, *((name, True) for name in self.kept.values())])

    def oracle_value(self, o: Oracle, state: evaluate.State) -> Value:
        """What an unknown is in a position of the game."""
        try:
            found = value(o.source, evaluate.place(self.origin, state))
        except Fault:
            return ty.default(o.kind)
        return projected_value(found, o.source.type)

    # formulas

    def of_window(self, claim: Claim) -> Expr | None:
        """The claim about all edges or squares as one about the window."""
        assert self.window is not None
        part = Translator(self.kinds, self._oracle, {claim.part.binders[0].name: None}, self.window).expr(
            self.window.instance()
        )
        return None if part is None else self._around(claim.whole, claim.part, part)

    def _around(self, e: Expr, part: Expr, said: Expr) -> Expr | None:
        if e is part:
            return said
        if isinstance(e, Op) and e.op in ("and", "or") and any(_holds(a, part) for a in e.args):
            found = [self._around(a, part, said) for a in e.args]
            return None if any(x is None for x in found) else replace(e, args=tuple(x for x in found if x is not None))
        return self.formula(e)

    def _unchanged(self, e: Expr) -> Expr | None:
        """`x == old(x)` of a variable that is not kept whole: a variable of its own that tells whether it is so."""
        if not (isinstance(e, Op) and e.op in ("eq", "ne")):
            return None
        for a, b in (e.args, e.args[::-1]):
            if isinstance(a, Var) and boardish(a.type) and isinstance(b, Call) and b.name == "old" and b.args[0] == a:
                name = self.kept.setdefault(a.name, f"unchanged({a.name})")
                self.kinds[name] = BOOL
                same = Var(name, type=BOOL, span=e.span)
                return same if e.op == "eq" else Op("not", (same,), type=BOOL, span=e.span)
        return None

    def formula(self, e: Expr) -> Expr | None:
        """A formula of a position (or step) about the projection; None where it cannot be said."""
        return Translator(self.kinds, self._oracle).expr(e)

    def claim(self, e: Expr) -> Expr | None:
        """A formula of a position that needs no unknown beyond those there are."""
        return Translator(self.kinds, lambda x: self._oracle(x) if x in self.oracles else None).expr(e)

    def _oracle(self, e: Expr) -> Expr | None:
        """The unknown that stands for a formula of the position."""
        same = self._unchanged(e)
        if same is not None:
            return same
        if free_names(e) - {"who"} or "*" in variables_read(e):
            return None
        kind = projected_type(e.type)
        known = self.oracles.get(e)
        if known is None:
            most = most_of(put_in(e, {})) if isinstance(kind, Int) else None
            bound = None if most is None or free_names(most) else Translator(self.kinds, lambda _: None).expr(most)
            known = Oracle(f"unknown({len(self.oracles) + 1})", e, variables_read(e), kind, bound)
            self.oracles[e] = known
            self.kinds[known.name] = kind
        found: Expr = Var(known.name, type=kind, span=e.span)
        if isinstance(kind, Bool):
            upper = Translator(self.kinds, lambda _: None).upper(e)
            found = both(upper, found)
        return found

    def _can(self, a: Action) -> Expr | None:
        """The formula that asks whether a player's action is open."""
        text = f"can('{a.name}')"
        parsed = parse_formula(Scalar(text, "plain", a.span, [a.span.start] * (len(text) + 1)), Diagnostics())
        assert parsed is not None
        typer = Typer(self.origin.names, Diagnostics(), parsed, {}, "question")
        assert parsed.tree is not None
        found = typer.expr(parsed.tree)
        return None if isinstance(found.type, ty.Unknown) else found

    # rules

    def _end(self, e: End) -> End:
        when = self.formula(e.when)
        winners = None if e.winners is None else self.formula(e.winners)
        if when is None or (e.winners is not None and winners is None):
            raise Unlowerable(f"`{e.id}` reads the board in a way that cannot be left open")
        return End(e.id, when, winners, e.span)

    def _action(self, a: Action) -> Action:
        return ActionProjection(self, a).projected()


def _holds(e: Expr, part: Expr) -> bool:
    return e is part or any(_holds(c, part) for c in children(e))
