"""OpenSpiel as a peer: whole random plays, by its Python bindings, under the interpreter that has them.

OPENSPIEL_PYTHON names that interpreter; without it this one is tried. This file imports nothing of tablelaw.
"""

from __future__ import annotations

import importlib.util
import os
import random
import subprocess
import sys
import time
from typing import Any

GAMES: dict[str, tuple[str, dict[str, Any]]] = {
    "tic-tac-toe": ("tic_tac_toe", {}),
    "connect": ("connect_four", {}),
    "nim": ("nim", {"pile_sizes": "7;7;7", "is_misere": False}),
    "kalah": ("mancala", {}),
    "breakthrough": ("breakthrough", {"rows": 6, "columns": 6}),
    "pig": ("pig", {"horizon": 100_000}),
}
FIRST = {"pig": 0}
"""The one action that begins a turn: the example has no holding before a roll, which OpenSpiel allows."""


def interpreter() -> str:
    """Which Python is asked."""
    return os.environ.get("OPENSPIEL_PYTHON") or sys.executable


def missing() -> str | None:
    """Why OpenSpiel cannot be measured, if so."""
    if interpreter() == sys.executable:
        found = importlib.util.find_spec("pyspiel") is not None
    else:
        command = [interpreter(), "-c", "import pyspiel"]
        try:
            found = not subprocess.run(command, capture_output=True, check=False).returncode
        except OSError:
            found = False
    told = "OpenSpiel was not measured: no pyspiel (pip install open-spiel; OPENSPIEL_PYTHON names an interpreter that has it)"
    return None if found else told


def versions() -> dict[str, str]:
    """Which OpenSpiel this is."""
    code = "from importlib.metadata import version; print(version('open_spiel'))"
    told = subprocess.run([interpreter(), "-c", code], capture_output=True, text=True, check=False).stdout.strip()
    return {"OpenSpiel": told or "?"}


def rate(name: str, seconds: float, seed: int) -> dict[str, Any]:
    """Plays made in so many seconds of the processor: how many, and the sums that tell their length and who won."""
    import pyspiel  # type: ignore[import-not-found, unused-ignore]

    game, dice = pyspiel.load_game(*GAMES[name]), random.Random(seed)
    choice, bound = dice.choice, FIRST.get(name)
    plays = moves = squares = first = 0
    began = time.process_time()
    while time.process_time() - began < seconds:
        state, made, before = game.new_initial_state(), 0, -1
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes, weights = zip(*state.chance_outcomes(), strict=True)
                state.apply_action(dice.choices(outcomes, weights)[0])
            elif bound is not None and state.current_player() != before:
                before = state.current_player()
                state.apply_action(bound)
                made += 1
            else:
                state.apply_action(choice(state.legal_actions()))
                made += 1
        plays, moves, squares = plays + 1, moves + made, squares + made * made
        first += state.returns()[0] > 0
    spent = time.process_time() - began
    return {"plays": plays, "moves": moves, "squares": squares, "first": first, "seconds": spent}


if __name__ == "__main__":
    import json

    print(json.dumps(rate(sys.argv[1], float(sys.argv[2]), int(sys.argv[3]))))
