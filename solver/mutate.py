"""A game with a clause left out: what the game would be if that sentence were not in the rulebook."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tablelaw.spec.check import changed
from tablelaw.spec.core import clauses_of, with_clauses
from tablelaw.spec.game import Action, Check, Game

Checks = tuple[Check, ...]


def without(game: Game, clause: str) -> Game:
    """The game without a clause.

    A check no longer forbids, an effect is not done, an end does not end; without an action's own clause nobody takes it.
    Formulas that ask whether a move is legal, as `can` does, ask it of this game.
    """
    owner = owner_of(game, clause)
    if owner is not None:
        game = with_checks(game, owner, lambda checks: tuple(c for c in checks if c.id != clause), gone=owner == clause)
    actions = tuple(_action(a, clause) for a in game.actions)
    ends = tuple(e for e in game.ends if e.id != clause)
    same = all(a is b for a, b in zip(actions, game.actions, strict=True)) and len(ends) == len(game.ends)
    clauses = {k: c for k, c in game.clauses.items() if k != clause}
    return replace(game, clauses=clauses) if same else replace(game, actions=actions, ends=ends, clauses=clauses)


def owner_of(game: Game, clause: str) -> str | None:
    """The action whose legality a clause decides: its own, or that of which it is a check."""
    return next((a.name for a in game.actions if a.name == clause or any(c.id == clause for c in a.checks)), None)


def with_checks(game: Game, action: str, change: Callable[[Checks], Checks], gone: bool = False) -> Game:
    """The game in which the checks of one action are others, or nobody takes it (`gone`); `can` asks of that game too."""
    if action in game.names.moves:
        found = changed(game, lambda name, checks: change(checks) if name == action else checks, action if gone else "")
        if found is not None:
            return found
    kept = (a for a in game.actions if not gone or a.name != action)
    return replace(game, actions=tuple(replace(a, checks=change(a.checks)) if a.name == action else a for a in kept))


def _action(a: Action, clause: str) -> Action:
    effects = with_clauses(a.effects, lambda e: None if e.clause == clause else e)
    return a if not any(e.clause == clause for e in clauses_of(a.effects)) else replace(a, effects=effects)


def clauses(game: Game) -> list[str]:
    """Every clause in force that takes part in play, in the order of the file."""
    return [c for c, clause in game.clauses.items() if clause.role != "remark"]
