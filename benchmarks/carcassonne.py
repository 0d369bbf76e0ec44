"""Whole random games of Carcassonne's base game, two players: how many a second of processor time, here and in other programs.

Beside tablelaw, which reads the rules file, stands the program of `plain_carcassonne.py`, written by hand for this one
game; and, where it can be imported, the package `wingedsheep.carcassonne`, which is on no package index (clone it and
`pip install` the folder). Each is measured in turns, in one process, on one core.

  python benchmarks/carcassonne.py            five rounds of ten seconds each
  python benchmarks/carcassonne.py --quick    one round of two seconds
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median

import plain_carcassonne

from tablelaw.solver.sampling import player, plays
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import load

EXAMPLE = Path(__file__).parent.parent / "examples" / "carcassonne" / "base.yaml"
Game = Callable[[int], object]


def ours() -> Iterator[Game]:
    """Games by the rules file."""
    sink = Diagnostics()
    rules = load(str(EXAMPLE), sink)
    game = None if rules is None else rules.game({o.id: o.default for o in rules.document.options.values()}, 2, sink)
    assert game is not None, [d.message for d in sink]
    made = plays(player(game), 0)
    yield lambda _: next(made)


def by_hand() -> Iterator[Game]:
    """Games by the program written for this game alone."""
    yield plain_carcassonne.play


def peer() -> Iterator[Game]:
    """Games by the package, if it is there: base tiles, farmers, no abbots."""
    try:
        from wingedsheep.carcassonne.carcassonne_game import CarcassonneGame  # type: ignore[import-not-found]
        from wingedsheep.carcassonne.tile_sets.supplementary_rules import SupplementaryRule  # type: ignore[import-not-found]
        from wingedsheep.carcassonne.tile_sets.tile_sets import TileSet  # type: ignore[import-not-found]
    except ImportError:
        return

    def play(seed: int) -> object:
        random.seed(seed)
        game = CarcassonneGame(players=2, tile_sets=[TileSet.BASE], supplementary_rules=[SupplementaryRule.FARMERS])
        while not game.is_finished():
            game.step(game.get_current_player(), random.choice(game.get_possible_actions()))
        return game

    yield play


CONTESTANTS = {"tablelaw, from the rules file": ours, "by hand, plain Python": by_hand, "wingedsheep.carcassonne": peer}


def rate(game: Game, seconds: float, first: int) -> float:
    """Games a second of processor time, for so long."""
    began, count = time.process_time(), 0
    while time.process_time() - began < seconds:
        game(first + count)
        count += 1
    return count / (time.process_time() - began)


def main() -> None:
    """Measure and print."""
    args = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    args.add_argument("--quick", action="store_true", help="one short round")
    quick = args.parse_args().quick
    rounds, seconds = (1, 2.0) if quick else (5, 10.0)
    games = {name: found for name, make in CONTESTANTS.items() for found in make()}
    rates: dict[str, list[float]] = {name: [] for name in games}
    for number in range(rounds):
        for name, game in games.items():
            rates[name].append(rate(game, seconds, 10_000 * number))
    for name in CONTESTANTS:
        if name in rates:
            spread = f"(from {min(rates[name]):.1f} to {max(rates[name]):.1f})" if rounds > 1 else ""
            print(f"{name:32} {median(rates[name]):8.1f} games a second of processor time {spread}")
        else:
            print(f"{name:32} not installed")


if __name__ == "__main__":
    main()
