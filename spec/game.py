"""A checked game: everything typed, under one setting of options and one number of players."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from tablelaw.spec.core import Binder, Draw, Effect, Expr
from tablelaw.spec.document import Clause, Document
from tablelaw.spec.formulas import Names
from tablelaw.spec.source import Span
from tablelaw.spec.types import Type


@dataclass(frozen=True, slots=True, eq=False)
class Variable:
    """A state variable; `init` is its start, or with `any_of` the set of its starts."""

    name: str
    type: Type
    init: Expr
    any_of: bool
    says: str
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Check:
    """A rule of a move: legal only if the formula holds, or one that excepts it does."""

    id: str
    formula: Expr
    lifted: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Action:
    """A move (`by` a formula for the player) or a table action (`by` None)."""

    name: str
    by: Expr | None
    during: Expr | None
    params: tuple[Binder, ...]
    checks: tuple[Check, ...]
    draws: tuple[Draw, ...]
    effects: tuple[Effect, ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class End:
    """Ends the play where `when` holds."""

    id: str
    when: Expr
    winners: Expr | None
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class Game:
    """A game whose every name and type is known."""

    name: str
    title: str
    players: int
    setting: dict[str, str]
    names: Names
    variables: tuple[Variable, ...]
    actions: tuple[Action, ...]
    ends: tuple[End, ...]
    document: Document
    clauses: dict[str, Clause] = field(default_factory=dict)
    digest: str = ""
    left_open: tuple[dict[str, str], ...] = ()
    adopted: frozenset[str] = frozenset()
    """Ids of proposed clauses that are in force here."""
    without: frozenset[str] = frozenset()
    """Ids of clauses that are not in force here, though the rules say them."""
    said: Callable[[Expr], Expr | None] | None = None
    """Of a game derived from another: how it says a formula of that one; None where it cannot."""
    origin: Game | None = None
    hints: tuple[Expr, ...] = ()
    """Of a derived game: claims that hold of it, for provers to try."""

    def action(self, name: str) -> Action | None:
        """The action of that name."""
        return next((a for a in self.actions if a.name == name), None)
