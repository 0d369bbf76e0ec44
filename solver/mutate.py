"""A game with a clause left out: what the game would be if that sentence were not in the rulebook."""

from __future__ import annotations

from dataclasses import replace

from tablelaw.spec.core import with_clauses
from tablelaw.spec.game import Action, Game


def without(game: Game, clause: str) -> Game:
    """The game without a clause.

    A check no longer forbids, an effect is not done, an end does not end; without an action's own clause nobody takes it.
    """
    actions = tuple(_action(a, clause) for a in game.actions if a.name != clause)
    ends = tuple(e for e in game.ends if e.id != clause)
    return replace(game, actions=actions, ends=ends, clauses={k: c for k, c in game.clauses.items() if k != clause})


def _action(a: Action, clause: str) -> Action:
    checks = tuple(c for c in a.checks if c.id != clause)
    effects = with_clauses(a.effects, lambda e: None if e.clause == clause else e)
    return replace(a, checks=checks, effects=effects)


def clauses(game: Game) -> list[str]:
    """Every clause in force that takes part in play, in the order of the file."""
    return [c for c, clause in game.clauses.items() if clause.role != "remark"]
