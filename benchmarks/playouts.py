"""Whole plays at random, one processor: how many a second here and by OpenSpiel, or by a program written for one game.

That the same game is played is looked at: the mean length of plays and how often the first player wins must agree within what
chance allows.
"""

from __future__ import annotations

import json
import random
import time
from dataclasses import dataclass, field
from math import sqrt
from typing import Any

import openspiel
import plain_carcassonne
import playouts_page
import rows
import spin
from run import EXAMPLES, HARD, HERE, Faulty, Results, Run

TITLE = "Plays at random"
SECONDS = 0.7
STANDARD = 4.5
"""So many standard errors apart two programs may be."""


@dataclass(frozen=True, slots=True)
class Game:
    """A game of the examples; `peer`: by whom it is played too."""

    title: str
    file: str
    options: dict[str, str] = field(default_factory=dict)
    peer: str = "OpenSpiel"


GAMES = {
    "tic-tac-toe": Game("Tic-tac-toe", "tic-tac-toe/rules.yaml"),
    "connect": Game("Connect Four, 6×7", "connect/rules.yaml", {"rows": "6", "columns": "7", "line": "4"}),
    "nim": Game("Nim 7-7-7", "nim/rules.yaml"),
    "kalah": Game("Kalah, six houses of four seeds", "kalah/rules.yaml", {"houses": "6", "seeds": "4"}),
    "breakthrough": Game("Breakthrough 6×6", "breakthrough/rules.yaml", {"rows": "6", "columns": "6"}),
    "pig": Game("Pig to 100", "pig/rules.yaml"),
    "carcassonne": Game("Carcassonne, two players", "carcassonne/base.yaml", peer="plain Python by hand"),
}


def child(args: list[str]) -> dict[str, Any]:
    """Plays in this process."""
    name, way, seconds, seed = args[0], args[1], float(args[2]), int(args[3])
    return by_hand(seconds, seed) if way == "by hand" else ours(GAMES[name], seconds, seed)


def ours(it: Game, seconds: float, seed: int) -> dict[str, Any]:
    """By the rules file; as `openspiel.rate`. A move of the table is none."""
    from tablelaw.solver.sampling import player, plays
    from tablelaw.spec.diagnostics import Diagnostics
    from tablelaw.spec.load import load
    from tablelaw.spec.settings import defaults

    sink = Diagnostics()
    rules = load(str(EXAMPLES / it.file), sink)
    game = None if rules is None else rules.game({**defaults(rules.document), **it.options}, 2, sink)
    if game is None:
        raise Faulty("; ".join(d.message for d in sink))
    who = player(game)
    made = plays(who, seed, 100_000)
    next(made)  # code is made on first use
    count = moves = squares = first = 0
    began = time.process_time()
    while time.process_time() - began < seconds:
        one = next(made)
        count, moves, squares = count + 1, moves + one.moves, squares + one.moves**2
        first += who.winners(one.last) == {0}
    spent = time.process_time() - began
    return {"plays": count, "moves": moves, "squares": squares, "first": first, "seconds": spent}


def by_hand(seconds: float, seed: int) -> dict[str, Any]:
    """Carcassonne by the program written for it."""
    numbers, count = random.Random(seed), 0
    began = time.process_time()
    while time.process_time() - began < seconds:
        plain_carcassonne.play(numbers.randrange(1 << 30))
        count += 1
    return {"plays": count, "seconds": time.process_time() - began}


def measure(run: Run) -> None:
    """Each game by both programs, in turns."""
    peer = run.peer(openspiel.missing(), openspiel.versions)
    run.results["playouts"] = []
    for k in run.rounds():
        for name, it in GAMES.items():
            run.attempt(f"plays of {it.title}", lambda name=name, it=it, k=k: both(run, name, it, k, peer))  # type: ignore[misc]
    for name, it in GAMES.items():
        run.attempt(f"plays of {it.title}", lambda name=name, it=it: compared(run.results, name, it))  # type: ignore[misc]


def both(run: Run, name: str, it: Game, k: int, peer: bool) -> None:
    """One round of a game."""
    seconds = str(SECONDS / 4 if run.quick else SECONDS)
    _note(run.results, name, it, "tablelaw", run.child(name, "rules", seconds, str(k), core=True)[0])
    if it.peer != "OpenSpiel":
        _note(run.results, name, it, it.peer, run.child(name, "by hand", seconds, str(k), core=True)[0])
    elif peer:
        command = [openspiel.interpreter(), str(HERE / "openspiel.py"), name, seconds, str(k)]
        _note(run.results, name, it, it.peer, json.loads(spin.ran(command, HERE, True, limit=HARD)[0].splitlines()[-1]))


def _note(results: Results, name: str, it: Game, program: str, found: dict[str, Any]) -> None:
    each = {"a play": found["seconds"] / max(1, found["plays"])}
    rows.put(results["playouts"], {"game": name, "program": program}, {"title": it.title, "sums": {}}, each)
    row = next(r for r in results["playouts"] if (r["game"], r["program"]) == (name, program))
    for what in ("plays", "moves", "squares", "first"):
        if what in found:
            row["sums"][what] = row["sums"].get(what, 0) + found[what]


def length(row: dict[str, Any]) -> tuple[float, float]:
    """The mean number of moves of a play, with its standard error."""
    n, mean = row["sums"]["plays"], row["sums"]["moves"] / row["sums"]["plays"]
    return mean, sqrt(max(0.0, row["sums"]["squares"] / n - mean * mean) / n)


def share(row: dict[str, Any]) -> tuple[float, float]:
    """How often the first player wins, with its standard error."""
    n = row["sums"]["plays"]
    p = row["sums"]["first"] / n
    return p, sqrt(p * (1 - p) / n)


def compared(results: Results, name: str, it: Game) -> None:
    """Raises `rows.Differs` where two programs play different games."""
    told = [r for r in results["playouts"] if r["game"] == name and "moves" in r["sums"]]
    if len(told) < 2:
        return
    for what, figure in (("mean length", length), ("wins of the first player", share)):
        (a, da), (b, db) = (figure(r) for r in told)
        if abs(a - b) > STANDARD * sqrt(da * da + db * db) + 1e-9:
            raise rows.Differs(f"{it.title}: {what} {a:.4g} ± {da:.2g} and {b:.4g} ± {db:.2g}")


def pages(results: Results) -> dict[str, str]:
    """The page of this part."""
    return {"benchmarks-playouts.md": playouts_page.write(results)}
