"""tablelaw itself behind the few calls that files of fixtures make: an example of an adapter, used where none is named."""

from __future__ import annotations

import json
import os

from tablelaw.checkers.explain import move_line, position_node
from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import State
from tablelaw.solver.trace import draw_text, move_text, position_json
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.load import load
from tablelaw.spec.questions import Reader
from tablelaw.spec.reckon import meant

_GAMES: dict[tuple[str, str, int], Game] = {}


class Adapter:
    """One play of the game that TABLELAW_SPEC names."""

    def __init__(self, game: str, options: dict[str, str], players: int) -> None:
        spec = os.environ.get("TABLELAW_SPEC", "rules.yaml")
        key = spec, json.dumps(options), players
        if key not in _GAMES:
            sink = Diagnostics()
            rules = load(spec, sink)
            found = rules.game(options, players, sink) if rules is not None else None
            assert found is not None, f"{spec} cannot be read: {[d.message for d in sink.items]}"
            _GAMES[key] = found
        self.game = _GAMES[key]
        assert self.game.name == game, f"TABLELAW_SPEC names the rules of `{self.game.name}`, not of `{game}`"
        self.reader = Reader(self.game, Diagnostics(), evaluate.starts(self.game)[0])
        self.state: State = evaluate.starts(self.game)[0]

    def place(self, position: dict[str, object] | None) -> None:
        """Begin from a position."""
        if position is not None:
            found = self.reader.position(position_node(json.dumps(position), "position", self.reader.sink))
            assert found is not None, "the position cannot be read"
            self.state = found

    def play(self, step: str) -> None:
        """Take a step, with what was drawn."""
        line = move_line(self.reader, step.partition(" -> ")[0], "step")
        assert line is not None, step
        for move in evaluate.moves(self.game, self.state):
            args = dict(move.args)
            if move.action != line.action or not all(meant(v, args[k]) for k, v in line.args):
                continue
            for drawn, _ in evaluate.draws(self.game, self.state, move):
                told = draw_text(self.game.action(move.action), drawn)
                if move_text(self.game, move) + (f" -> {told}" if told else "") == step:
                    self.state = evaluate.apply(self.game, self.state, move, drawn).state
                    return
        raise AssertionError(f"{step} cannot be played here")

    def position(self) -> dict[str, object]:
        """The position."""
        return position_json(self.game, self.state)

    def legal(self) -> list[str]:
        """The legal moves."""
        return [move_text(self.game, m) for m in evaluate.moves(self.game, self.state)]

    def ended(self) -> bool:
        """Is the play over?"""
        return evaluate.end(self.game, self.state) is not None

    def winners(self) -> list[int]:
        """Who has won."""
        return sorted(evaluate.winners(self.game, self.state))
