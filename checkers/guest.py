"""What another program says of a play: requests in the words of a game, answers looked at for their form."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tablelaw.checkers.foreign import Answer, Foreign, Trouble
from tablelaw.solver.evaluate import Move, State
from tablelaw.solver.trace import draw_text, move_text, position_json
from tablelaw.spec.game import Game
from tablelaw.spec.positions import plain
from tablelaw.spec.values import Value

Drawn = tuple[tuple[str, Value], ...]
Sent = tuple[Move, Drawn]
"""A move (or what the table did) and what was drawn, as the program is told it."""


class Unsupported(Exception):
    """The program says that it does not play this."""


@dataclass(slots=True)
class Said:
    """What the program said of a position; None where it was not asked or does not tell."""

    ended: bool | None = None
    winners: frozenset[int] | None = None
    position: dict[str, Any] | None = None
    player: int | None = None
    moves: tuple[str, ...] | None = None
    refused: str | None = None
    """Why it refused the last move that it was sent, where it did."""

    def json(self) -> dict[str, object]:
        """What it said, for JSON."""
        row = {
            "ended": self.ended, "winners": None if self.winners is None else sorted(self.winners), "position": self.position,
            "player": self.player, "moves": None if self.moves is None else list(self.moves), "refused": self.refused,
        }  # fmt: skip
        return {k: v for k, v in row.items() if v is not None}


@dataclass(slots=True)
class Guest:
    """The program as a player of a game. What it does not support is asked once and not again."""

    foreign: Foreign
    lacks: dict[str, str] = field(default_factory=dict)
    """Requests that it does not support, with its reason."""

    def new(self, game: Game, told: dict[str, str], start: State | None) -> None:
        """Begin a play, of the game with the options told. Raises `Unsupported` and `Trouble`."""
        request: Answer = {"do": "new", "game": game.name, "options": told, "players": game.players}
        if start is not None:
            request["position"] = position_json(game, start)
        answer = self.foreign.ask(request)
        if "unsupported" in answer:
            raise Unsupported(str(answer["unsupported"])[:300])
        self._agreed(answer, "new", "ok")

    def play(self, game: Game, sent: Sent) -> str | None:
        """Tell it a move; why it refuses, if it does."""
        move, drawn = sent
        action = game.action(move.action)
        kinds = {b.name: b.type for b in action.params} | {d.name: d.type for d in action.draws} if action else {}
        request: Answer = {
            "do": "play",
            "move": move_text(game, move),
            "action": move.action,
            "args": {n: plain(v, kinds[n]) for n, v in move.args},
            "player": move.actor,
        }
        if drawn:
            request |= {"draw": {n: plain(v, kinds[n]) for n, v in drawn}, "drawn": draw_text(action, drawn)}
        answer = self.foreign.ask(request)
        if "illegal" in answer:
            return str(answer["illegal"])[:300] or "no reason"
        self._agreed(answer, "play", "ok")
        return None

    def outcome(self, said: Said) -> None:
        """Whether the play has ended, who has won, and what it tells of the position."""
        answer = self._of("outcome")
        if answer is None:
            return
        ended, won, position = answer.get("ended"), answer.get("winners"), answer.get("position")
        if not isinstance(ended, bool):
            raise self._wrong("outcome", "`ended` is to be true or false")
        if won is not None and not _numbers(won):
            raise self._wrong("outcome", "`winners` is to be a list of the seats that have won")
        if position is not None and not isinstance(position, dict):
            raise self._wrong("outcome", "`position` is to be an object: variables with values")
        said.ended, said.position = ended, position
        said.winners = None if won is None else frozenset(won)
        said.player = self._player(answer, "outcome")

    def legal(self, said: Said) -> None:
        """Its legal moves."""
        answer = self._of("legal")
        if answer is None:
            return
        moves = answer.get("moves")
        if not isinstance(moves, list) or not all(isinstance(m, str) for m in moves):
            raise self._wrong("legal", "`moves` is to be a list of moves as texts")
        said.moves = tuple(moves)
        player = self._player(answer, "legal")
        said.player = player if player is not None else said.player

    def _of(self, what: str) -> Answer | None:
        if what in self.lacks:
            return None
        answer = self.foreign.ask({"do": what})
        if "unsupported" in answer:
            self.lacks[what] = str(answer["unsupported"])[:300]
            return None
        return answer

    def _player(self, answer: Answer, what: str) -> int | None:
        player = answer.get("player")
        if player is not None and (not isinstance(player, int) or isinstance(player, bool)):
            raise self._wrong(what, "`player` is to be the number of a seat")
        return player

    def _agreed(self, answer: Answer, what: str, key: str) -> None:
        if answer.get(key) is not True:
            raise self._wrong(what, f'`{{"{key}": true}}` was expected')

    def _wrong(self, what: str, says: str) -> Trouble:
        self.foreign.kill()
        return Trouble("garbage", f"its answer to `{what}` cannot be read: {says}")


def _numbers(found: object) -> bool:
    return isinstance(found, list) and all(isinstance(p, int) and not isinstance(p, bool) for p in found)
