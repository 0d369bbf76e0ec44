"""A program that plays any rules file by the reference evaluator, for `tablelaw conform`: it agrees, or is wrong as it is told.

`python -m tablelaw.testing.engine SPEC [--option ID=VALUE] [--without CLAUSE]`: options given here outdo those of the request.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from typing import Any

from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import Move, State
from tablelaw.solver.trace import move_text, position_json
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.load import Rules, load
from tablelaw.spec.positions import plain
from tablelaw.spec.questions import Reader
from tablelaw.spec.source import Source
from tablelaw.spec.yaml_nodes import parse_yaml

MOST_TABLE_STEPS = 500


class Endless(Exception):
    """The table acts, and acts again."""


class Engine:
    """One program; `new` begins a play."""

    def __init__(self, rules: Rules, options: dict[str, str], without: frozenset[str]) -> None:
        self.rules, self.options, self.without = rules, options, without
        self.games: dict[object, Game | None] = {}
        self.game: Game
        self.state: State
        self.listed: tuple[State, list[Move]] | None = None

    def moves(self, state: State) -> list[Move]:
        """The legal moves; those of the position last asked about are kept."""
        if self.listed is None or self.listed[0] is not state:
            self.listed = state, evaluate.moves(self.game, state)
        return self.listed[1]

    def answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        """The answer to a request."""
        try:
            return self._answer(asked)
        except Endless:
            return {"error": f"the table acts {MOST_TABLE_STEPS} times in a row, and goes on"}

    def _answer(self, asked: dict[str, Any]) -> dict[str, Any]:
        match asked["do"]:
            case "new":
                return self.new(asked)
            case "legal":
                return {"moves": [move_text(self.game, m) for m in self.moves(self.state)]}
            case "play":
                return self.play(asked)
            case "outcome":
                end, won = evaluate.end(self.game, self.state), evaluate.winners(self.game, self.state)
                return {"ended": end is not None, "winners": sorted(won), "position": position_json(self.game, self.state)}
        return {"error": f"what is {asked['do']}?"}

    def new(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Begin a play."""
        setting = {**asked["options"], **self.options}
        key = tuple(setting.items()), asked["players"]
        if key not in self.games:
            self.games[key] = self.rules.game(setting, asked["players"], Diagnostics(), without=self.without)
        game = self.games[key]
        if game is None or asked["game"] != game.name:
            return {"unsupported": "no such game"}
        self.game, self.listed, start = game, None, evaluate.starts(game)[0]
        if "position" in asked:
            node = parse_yaml(Source("position", json.dumps(asked["position"])), Diagnostics())
            start = Reader(game, Diagnostics(), start).position(node) or start
        self.state = self.settled(start)
        return {"ok": True}

    def settled(self, state: State) -> State:
        """After what the table does where nothing is drawn or chosen."""
        for _ in range(MOST_TABLE_STEPS):
            moves = self.moves(state)
            names = Counter(m.action for m in moves)
            unseen = [m for m in moves if m.actor is None and names[m.action] == 1 and not self.draws(m)]
            if not unseen:
                return state
            state = evaluate.apply(self.game, state, unseen[0]).state
        raise Endless

    def draws(self, move: Move) -> bool:
        """Is something drawn?"""
        action = self.game.action(move.action)
        return action is not None and bool(action.draws)

    def play(self, asked: dict[str, Any]) -> dict[str, Any]:
        """Take a step."""
        action = self.game.action(asked["action"])
        if action is None:
            return {"illegal": "no such action"}
        kinds = {b.name: b.type for b in action.params} | {d.name: d.type for d in action.draws}
        for move in self.moves(self.state):
            if move.action == action.name and {n: plain(v, kinds[n]) for n, v in move.args} == asked["args"]:
                for drawn, _ in evaluate.draws(self.game, self.state, move):
                    if {n: plain(v, kinds[n]) for n, v in drawn} == asked.get("draw", {}):
                        self.state = self.settled(evaluate.apply(self.game, self.state, move, drawn).state)
                        return {"ok": True}
                return {"error": "nothing like that can be drawn"}
        return {"illegal": "not a legal move"}


def main() -> None:
    """Answer lines until `quit`."""
    parser = argparse.ArgumentParser()
    parser.add_argument("spec")
    parser.add_argument("--option", action="append", default=[])
    parser.add_argument("--without", action="append", default=[])
    args = parser.parse_args()
    sink = Diagnostics()
    rules = load(args.spec, sink)
    if rules is None:
        parser.error("\n".join(d.message for d in sink))
    options = {name: value for name, _, value in (text.partition("=") for text in args.option)}
    for name, value in options.items():
        option = rules.document.options.get(name)
        if option is None or all(v.name != value for v in option.values):
            parser.error(f"no option `{name}` with the value `{value}`")
    for clause in set(args.without) - set(rules.document.clauses()):
        parser.error(f"no clause is called `{clause}`")
    engine = Engine(rules, options, frozenset(args.without))
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["do"] == "quit":
            return
        print(json.dumps(engine.answer(asked)), flush=True)


if __name__ == "__main__":
    main()
