"""A game with a clause left out: what the game would be if that sentence were not in the rulebook."""

from __future__ import annotations

from dataclasses import replace

from tablelaw.spec.core import Bind, Branch, Effect, Fire, Loop
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
    effects = _effects(a.effects, clause)
    return replace(a, checks=checks, effects=effects)


def _effects(effects: tuple[Effect, ...], clause: str) -> tuple[Effect, ...]:
    found: list[Effect] = []
    for e in effects:
        match e:
            case Fire(name, _, body):
                if name != clause:
                    found.append(replace(e, body=_effects(body, clause)))
            case Branch(_, yes, no):
                found.append(replace(e, yes=_effects(yes, clause), no=_effects(no, clause)))
            case Loop(_, _, _, body) | Bind(_, _, body):
                found.append(replace(e, body=_effects(body, clause)))
            case _:
                found.append(e)
    return tuple(found)


def clauses(game: Game) -> list[str]:
    """Every clause in force that takes part in play, in the order of the file."""
    return [c for c, clause in game.clauses.items() if clause.role != "remark"]
