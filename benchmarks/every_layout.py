"""Questions about all layouts of a size: z3 beside laying them one by one.

In processor seconds, with reading the formula and replaying what was found.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from run import Faulty

from tablelaw.solver.layout.census import Census
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.symbolic.layouts import find_layout
from tablelaw.spec.core import Expr
from tablelaw.spec.diagnostics import Diagnostics, render
from tablelaw.spec.expressions import parse_formula
from tablelaw.spec.formulas import formula
from tablelaw.spec.game import Game
from tablelaw.spec.load import load
from tablelaw.spec.source import Source
from tablelaw.spec.types import LayoutType
from tablelaw.spec.yaml_nodes import Scalar

RULES = """tablelaw: 1
game: dice
title: Dice
players: 1
pieces:
  CityDie:
    parts: {city: {at: sides}}
    rotation: free
    contact: mine == theirs
    faces: {cap: {city: [[N]]}, corner: {city: [[N, E]]}, tube: {city: [[N, S]]}, tee: {city: [[N, E, S]]}}
  RoadDie:
    parts: {road: {at: sides}}
    rotation: free
    contact: mine == theirs
    faces: {straight: {road: [[N, S]]}, cross: {road: [[N, S], [E, W]]}, bend: {road: [[N, E]]}}
state:
  cities: {type: "layout[CityDie, 9]", init: {}}
  roads: {type: "layout[RoadDie, 9]", init: {}}
"""
CLOSED = "any(f.closed and f.size == {n} for f in features(cities, city))"
LOOP = "any(f.loops > 0 for f in features(roads, road))"
THREE = "count(f for f in features(cities, city) if f.closed) >= 3"
CAPS = (
    "all(count(c for c in f.cells if cities[c].face == cap) == "
    "count(c for c in f.cells if cities[c].face == tee) + 2 - 2 * f.loops for f in features(cities, city) if f.closed)"
)


@dataclass(frozen=True, slots=True)
class Question:
    """Is there a layout of n pieces where the formula is as wanted?"""

    title: str
    of: str
    sizes: range
    text: str
    wanted: bool = True


QUESTIONS = (
    Question("a closed city of all n dice", "cities", range(1, 10), CLOSED),
    Question("a closed city that breaks the law of caps", "cities", range(2, 10), CAPS, False),
    Question("a road that loops", "roads", range(1, 10), LOOP),
    Question("three closed cities", "cities", range(4, 8), THREE),
)


def dice() -> Game:
    """City dice and road dice."""
    sink = Diagnostics()
    with TemporaryDirectory() as folder:
        path = Path(folder) / "rules.yaml"
        path.write_text(RULES, encoding="utf-8")
        rules = load(str(path), sink)
    game = rules.game({}, 1, sink) if rules is not None else None
    if game is None:
        raise Faulty("\n".join(render(d) for d in sink.items))
    return game


def typed(game: Game, text: str) -> Expr:
    """A formula of the game."""
    sink = Diagnostics()
    parsed = parse_formula(Scalar(text, "plain", Source("formula", text).span(0, len(text)), range(len(text) + 1)), sink)
    if parsed is None:
        raise Faulty(text)
    return formula(parsed, game.names, sink, {}, None, "a formula", "question")


def by_z3(game: Game, q: Question, n: int, limit: float) -> str:
    """What z3 answers."""
    return find_layout(game, q.of, n, typed(game, q.text.format(n=n)), q.wanted, Budget(limit)).verdict


def by_laying(game: Game, q: Question, n: int, limit: float) -> str:
    """The same by looking at one layout after the other."""
    kind = next(v.type for v in game.variables if v.name == q.of)
    if not isinstance(kind, LayoutType):
        raise Faulty(q.of)
    try:
        census, e = Census(q.of, kind, game.players, Budget(limit)), typed(game, q.text.format(n=n))
        found = census.some(e, (n,)) if q.wanted else census.counterexample(e, (n,))
    except OutOfBudget:
        return "unknown"
    return "none" if found is None else "found"


def rounds(quick: bool, limit: float, skip: set[str]) -> Iterator[dict[str, Any]]:
    """Each question by both ways once, but for those to skip; they must not differ."""
    game = dice()
    for q in QUESTIONS:
        for n in q.sizes:
            if n > (5 if quick else 7):
                continue
            told: set[str] = set()
            for way, how in (("z3", by_z3), ("laying", by_laying)):
                if f"{q.title}/{n}/{way}" in skip:
                    continue
                began = time.process_time()
                verdict = how(game, q, n, limit)
                told |= {verdict} - {"unknown"}
                yield {"what": q.title, "n": n, "way": way, "verdict": verdict, "seconds": time.process_time() - began}
            if len(told) > 1:
                raise Faulty(f"{q.title}, {n}: {told}")
