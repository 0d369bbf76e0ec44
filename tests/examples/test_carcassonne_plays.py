"""Carcassonne's base game played at random beside a program of its own in plain Python: what is legal, and every score."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tablelaw.solver.sampling import Coded, Play, plays
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.grid import Part
from tablelaw.spec.load import load

ROOT = Path(__file__).resolve().parent.parent.parent


def module() -> Any:
    """The other program."""
    spec = importlib.util.spec_from_file_location("plain_carcassonne", ROOT / "benchmarks" / "plain_carcassonne.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = found
    spec.loader.exec_module(found)
    return found


plain = module()


@cache
def coded(players: int = 2) -> Coded:
    sink = Diagnostics()
    rules = load(str(ROOT / "examples" / "carcassonne" / "base.yaml"), sink)
    assert rules is not None, [d.message for d in sink]
    game = rules.game({o.id: o.default for o in rules.document.options.values()}, players, sink)
    assert game is not None, [d.message for d in sink]
    return Coded(game)


def value(row: Any, name: str) -> Any:
    """A variable of a row."""
    return row[next(i for i, v in enumerate(coded().game.variables) if v.name == name)]


def node(part: Part, table: Any) -> Any:
    """The segment that a part stands for."""
    reach = table.laid[tuple(part.cell)].reach[part.kind]
    return (*part.cell, part.kind, next(i for i, r in enumerate(reach) if part.side in r or part.side is None))


def along(made: Play, player: Coded, asked: bool) -> Iterator[tuple[Any, Any]]:
    """Our position after each step, with the table of the other program; where `asked`, what is legal is compared."""
    table, row, drawn = plain.Table(player.game.players), made.start, ""
    for choice, what in made.steps:
        name = player.actions[choice[0]].name
        _, actor, args = choice
        legal = player.legal(row) if asked else []
        if name == "draw":
            drawn = what[0][1:]
        elif name == "put-aside":
            assert not table.fits(drawn)
        elif name == "lay":
            spot, turns = tuple(args[0]), args[1]
            if asked:
                mine = {(tuple(a[0]), plain.TILES[drawn][a[1]].look) for _, _, a in legal}
                theirs = table.fits(drawn)
                assert mine == {(s, plain.TILES[drawn][t].look) for s, t in theirs}
                assert len(legal) == len(theirs)
            table.laid[spot] = plain.TILES[drawn][turns]
        elif name == "place_follower":
            if asked:
                mine = {node(a[1], table) for _, _, a in legal if a}
                assert mine == set(table.free(tuple(args[1].cell)))
            table.claim(actor, node(args[1], table))
        elif name == "score_completed":
            table.complete(tuple(value(row, "last")))
        elif name == "score_rest":
            table.finish()
        row = player.step(row, choice, what)[0]
        yield row, table


def compare(games: int, seed: int, players: int = 2, asked: bool = False) -> Counter[str]:
    """Play games in both; after each turn scores, reserves and who stands where are the same. What was met, counted."""
    player, met = coded(players), Counter[str]()
    for number, made in enumerate(plays(player, seed)):
        if number >= games:
            break
        assert made.ending == "ended"
        for row, table in along(made, player, asked):
            if value(row, "phase") in ("drawing", "done"):
                assert list(value(row, "score").values()) == table.score, (seed, number)
                assert [r["plain"] for r in value(row, "reserve").values()] == table.reserve
                standing = Counter((s["owner"], node(s["part"], table)) for s, n in value(row, "standing").items() if n)
                assert standing == Counter(table.figures)
        met["games"] += 1
        met["level"] += len(set(table.score)) == 1
        met["points"] += sum(table.score)
        met["aside"] += sum(player.actions[c[0]].name == "put-aside" for c, _ in made.steps)
    return met


def test_random_games_have_the_same_scores() -> None:
    """Sixty games of two players: after every turn and at the end nothing differs."""
    met = compare(60, 1)
    assert met["games"] == 60
    assert met["points"] > 1500


@pytest.mark.slow
def test_many_random_games_have_the_same_scores() -> None:
    """The same of two hundred others, among which are tiles that fit nowhere and games that end level."""
    met = compare(200, 8)
    assert met["games"] == 200
    assert met["aside"] > 0
    assert met["level"] > 0


def test_the_same_moves_are_legal() -> None:
    """In ten more the tiles may be laid on the same squares in the same ways, and the same features may be claimed."""
    assert compare(10, 2, asked=True)["games"] == 10


@pytest.mark.slow
@pytest.mark.parametrize("players", [3, 4, 5])
def test_games_of_more_players(players: int) -> None:
    """The same for more players, what is legal compared as well."""
    assert compare(60, players, players, asked=True)["games"] == 60


def test_the_other_program_plays_by_itself() -> None:
    """Its own random games end with scores like ours: they are not all nothing, and nobody is without followers for ever."""
    scores = [s for seed in range(20) for s in plain.play(seed)]
    assert 8 < sum(scores) / len(scores) < 40
