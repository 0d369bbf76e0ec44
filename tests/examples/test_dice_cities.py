"""The cities of the dice game: drawn cities scored by hand, counts found in two ways, and squares enough for any turn."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from itertools import combinations
from pathlib import Path

import pytest

from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import Move
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.grid import SIDES, Cell, step
from tablelaw.spec.layouts import Laid, Layout
from tablelaw.spec.load import Rules, load
from tablelaw.spec.types import LayoutType
from tablelaw.spec.values import Map

FOLDER = Path(__file__).resolve().parent.parent.parent / "examples" / "carcassonne-dice"
READINGS = ("joined", "split-corner", "split-straight")
CLOSED = {2: 1, 3: 2, 4: 8, 5: 25, 6: 109, 7: 450, 8: 2040, 9: 9215}
"""How many closed cities of so many dice the file expects."""
APART = 8


@cache
def rules() -> Rules:
    sink = Diagnostics()
    found = load(str(FOLDER / "rules.yaml"), sink)
    assert found is not None, [d.message for d in sink]
    return found


@cache
def empty(faces: str) -> Layout:
    """A table without dice."""
    game = rules().game({"faces": faces}, 2, Diagnostics())
    assert game is not None
    kind = next(v.type for v in game.variables if v.name == "table")
    assert isinstance(kind, LayoutType)
    return kind.empty()


def drawn(faces: str, picture: dict[tuple[int, int], str]) -> Layout:
    """A table as drawn, each die laid by the rules."""
    table = empty(faces)
    for (x, y), word in picture.items():
        face, _, turns = word.partition("/")
        assert table.fits(Cell(x, y), face, int(turns))
        table = table.place(Cell(x, y), face, int(turns))
    return table


# drawn cities


PAIR = {(0, 0): "cap/1", (1, 0): "cap/3"}
ROW = {(0, 0): "cap/1", (1, 0): "straight/1", (2, 0): "cap/3"}
BEND = {(0, 0): "cap/1", (1, 0): "corner/2", (1, 1): "cap/0"}
SQUARE = {(0, 0): "corner/1", (1, 0): "corner/2", (1, 1): "corner/3", (0, 1): "corner/0"}
BESIDE = {(0, 0): "cap/1", (1, 0): "cap/3", (0, 1): "cap/1", (1, 1): "cap/3"}
CROSS = {(1, 0): "cap/2", (0, 1): "cap/1", (1, 1): "tee/2", (1, 2): "cap/0"}
OPEN = {(0, 0): "tee/0", (0, -1): "cap/2", (1, 0): "cap/3"}
LOOP = {
    (0, 0): "corner/1", (1, 0): "tee/1", (2, 0): "corner/2", (0, 1): "corner/0", (1, 1): "tee/3", (2, 1): "corner/3",
}  # fmt: skip
NINE = {
    (0, 0): "cap/1", (1, 0): "tee/3", (1, -1): "cap/2", (2, 0): "tee/1", (2, 1): "cap/0", (3, 0): "tee/3", (3, -1): "cap/2",
    (4, 0): "corner/2", (4, 1): "cap/0",
}  # fmt: skip
CAPTION = {(0, 0): "tee/0", (0, -1): "cap/2", (1, 0): "tee/2", (1, -1): "tee/0", (0, 1): "corner/0", (1, 1): "corner/3"}
AROUND = {
    (0, 0): "straight/1", (1, 0): "straight/1", (-1, 0): "corner/1", (-1, 1): "corner/0", (0, 1): "tee/1", (1, 1): "tee/1",
    (2, 1): "corner/3", (2, 0): "corner/2",
}  # fmt: skip

DRAWN: dict[str, tuple[dict[tuple[int, int], str], dict[str, tuple[list[int], list[int], int]]]] = {
    "two caps": (PAIR, dict.fromkeys(READINGS, ([2], [], 0))),
    "a row of three": (ROW, {"joined": ([3], [], 1), "split-corner": ([3], [], 1), "split-straight": ([2, 2], [], 0)}),
    "a bend of three": (BEND, {"joined": ([3], [], 1), "split-corner": ([2, 2], [], 0), "split-straight": ([3], [], 1)}),
    "a square": (
        SQUARE,
        {"joined": ([4], [], 3), "split-corner": ([2, 2, 2, 2], [], 0), "split-straight": ([4], [], 3)},
    ),
    "white beside white": (BESIDE, dict.fromkeys(READINGS, ([2, 2], [], 0))),
    "a tee with its caps": (CROSS, dict.fromkeys(READINGS, ([4], [], 3))),
    "one side open": (OPEN, dict.fromkeys(READINGS, ([], [3], 0))),
    "two loops": (LOOP, {"joined": ([6], [], 10), "split-corner": ([2, 2, 6], [], 10), "split-straight": ([6], [], 10)}),
    "nine dice": (NINE, {"joined": ([9], [], 28), "split-corner": ([2, 8], [], 21), "split-straight": ([9], [], 28)}),
    "example 2c": (CAPTION, {"joined": ([], [6], 0), "split-corner": ([2], [6], 0), "split-straight": ([], [6], 0)}),
    "two walls around two straights": (
        AROUND,
        {"joined": ([], [8], 0), "split-corner": ([2, 2, 4], [4], 3), "split-straight": ([2], [8], 0)},
    ),
}
"""Dice, and under each reading the dice of the closed cities, of the open ones, and the points. Worked out by hand."""


@pytest.mark.parametrize("faces", READINGS)
@pytest.mark.parametrize("name", DRAWN)
def test_a_drawn_city_is_scored_as_by_hand(name: str, faces: str) -> None:
    picture, told = DRAWN[name]
    closed, open_, points = told[faces]
    table = drawn(faces, picture)
    cities = table.features("city")
    assert sorted(f.size for f in cities if f.closed) == closed
    assert sorted(f.size for f in cities if not f.closed) == open_
    game = rules().game({"faces": faces}, 2, Diagnostics())
    assert game is not None
    dice = len(table)
    state = Map({**evaluate.starts(game)[0], "rolls": 1, "ready": 0, "passed": 9 - dice, "table": table})
    for double, wanted in ((False, points), (True, 2 * points)):
        after = evaluate.apply(game, Map({**state, "double": double}), Move("stop", actor=0)).state
        assert after["score"][0] == wanted


# counts


def moved(cells: dict[Cell, Laid]) -> frozenset[tuple[Cell, Laid]]:
    """The same dice, pushed to the corner of the table."""
    left, top = min(c.x for c in cells), min(c.y for c in cells)
    return frozenset((Cell(c.x - left, c.y - top), laid) for c, laid in cells.items())


def turned(table: Layout) -> Layout:
    """The whole table a quarter turn clockwise."""
    return table.with_cells({Cell(-c.y, c.x): (f, (r + 1) % 4) for c, (f, r) in table.cells.items()})


def alike(table: Layout) -> frozenset[frozenset[tuple[Cell, Laid]]]:
    """All that a table becomes by moving and turning it."""
    found = set()
    for _ in range(4):
        found.add(moved(table.cells))
        table = turned(table)
    return frozenset(found)


def grown(most: int, seeds: list[Layout], *, closing: bool = False) -> list[Layout]:
    """Tables of so many dice that come of these by laying dice at open sides; `closing`: that the dice left can close."""
    layer = {moved(t.cells): t for t in seeds}
    while layer and len(next(iter(layer.values()))) < most:
        following: dict[frozenset[tuple[Cell, Laid]], Layout] = {}
        for table in layer.values():
            for cell in {e.cell for e in table.open_edges("city")}:
                for face, turns in table.pieces.rotations.items():
                    for r in turns:
                        if table.fits(cell, face, r):
                            after = table.place(cell, face, r)
                            if not closing or len({e.cell for e in after.open_edges("city")}) <= most - len(after):
                                following.setdefault(moved(after.cells), after)
        layer = following
    return list(layer.values())


def closed_by_growing(dice: int) -> int:
    first = [empty("joined").place(Cell(0, 0), f, r) for f, turns in empty("joined").pieces.rotations.items() for r in turns]
    found = [t for t in grown(dice, first, closing=True) if all(f.closed for f in t.features("city"))]
    return len({alike(t) for t in found})


Joint = frozenset[Cell]


def shapes(dice: int) -> set[frozenset[Cell]]:
    """All connected sets of so many squares, up to moving."""
    found = {frozenset({Cell(0, 0)})}
    for _ in range(dice - 1):
        more = {s | {step(c, side)} for s in found for c in s for side in SIDES if step(c, side) not in s}
        found = {frozenset(Cell(c.x - min(d.x for d in s), c.y - min(d.y for d in s)) for c in s) for s in more}
    return found


def joints(shape: frozenset[Cell]) -> Iterator[frozenset[Joint]]:
    """All choices of neighbours to be joined so that the squares hang together, none of them joined all round."""
    near = [frozenset((c, step(c, side))) for c in shape for side in ("E", "S") if step(c, side) in shape]
    for k in range(len(shape) - 1, len(near) + 1):
        for chosen in combinations(near, k):
            if max(sum(c in j for j in chosen) for c in shape) == 4:
                continue
            reached, rest = {next(iter(shape))}, list(chosen)
            while meeting := [j for j in rest if j & reached]:
                reached |= frozenset().union(*meeting)
                rest = [j for j in rest if j not in meeting]
            if reached == shape:
                yield frozenset(chosen)


def turned_joints(city: frozenset[Joint]) -> frozenset[Joint]:
    left, top = min(-c.y for j in city for c in j), min(c.x for j in city for c in j)
    return frozenset(frozenset(Cell(-c.y - left, c.x - top) for c in j) for j in city)


def closed_by_joining(dice: int) -> int:
    seen: set[frozenset[Joint]] = set()
    number = 0
    for shape in shapes(dice):
        for city in joints(shape):
            if city not in seen:
                number += 1
                for _ in range(4):
                    seen.add(city)
                    city = turned_joints(city)
    return number


@pytest.mark.parametrize("dice", [2, 3, 4, 5, *(pytest.param(n, marks=pytest.mark.slow) for n in (6, 7))])
def test_closed_cities_are_counted_by_growing(dice: int) -> None:
    assert closed_by_growing(dice) == CLOSED[dice]


@pytest.mark.parametrize("dice", [2, 3, 4, 5, 6, *(pytest.param(n, marks=pytest.mark.slow) for n in (7, 8, 9))])
def test_closed_cities_are_counted_by_joining(dice: int) -> None:
    assert closed_by_joining(dice) == CLOSED[dice]


def test_the_file_expects_these_counts() -> None:
    expect = rules().document.questions["closed-cities-9"].node.get("expect")
    assert expect is not None
    assert {int(e.key.text): int(e.value.text) for e in expect.entries} == CLOSED  # type: ignore[union-attr]


# two cities of six dice


@pytest.mark.slow
@pytest.mark.parametrize("faces, pairs, found", [("joined", 0, 0), ("split-corner", 4, 968), ("split-straight", 1, 0)])
def test_a_closed_two_and_an_open_six_of_six_dice(faces: str, pairs: int, found: int) -> None:
    """All six dice are in the open city; two lie at (0, 0) and (1, 0) and close the other, and the rest comes at open sides."""
    turns = [(f, r) for f, some in empty(faces).pieces.rotations.items() for r in some]
    seeds = []
    for first in turns:
        alone = empty(faces).place(Cell(0, 0), *first)
        for second in turns:
            if alone.fits(Cell(1, 0), *second):
                both = alone.place(Cell(1, 0), *second)
                if any(f.closed and f.size == 2 for f in both.features("city")) and all(len(both.parts(c)) == 2 for c in both):
                    seeds.append(both)
    assert len(seeds) == pairs
    six = [t for t in grown(6, seeds) if any(not f.closed and f.size == 6 for f in t.features("city"))]
    assert len(six) == found


# where a city may begin


def cluster(dice: int, chance: random.Random) -> list[Cell]:
    """Squares that hang together, in an order of laying that need not."""
    cells = [Cell(0, 0)]
    while len(cells) < dice:
        near = [step(c, side) for c in cells for side in SIDES]
        cells.append(chance.choice([c for c in near if c not in cells]))
    chance.shuffle(cells)
    return cells


def steps_between(a: Cell, b: Cell) -> int:
    return abs(a.x - b.x) + abs(a.y - b.y)


def put(clusters: list[list[Cell]]) -> list[list[Cell]]:
    """The clusters, in the order of their first squares, on one table: the way of docs/decisions/0008-city-shapes.md."""
    done = [clusters[0]]
    for new in clusters[1:]:
        firsts, cells = [c[0] for c in done], [c for d in done for c in d]
        ways = []
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1)):  # along (dx, dy) all lies behind, then the new cluster
            mate = max(firsts, key=lambda c: c.x * dx + c.y * dy)
            reach = max(c.x * dx + c.y * dy for c in cells) - (mate.x * dx + mate.y * dy)
            back = (new[0].x * dx + new[0].y * dy) - min(c.x * dx + c.y * dy for c in new)
            ways.append((reach + back + 2, mate, dx, dy))
        far, mate, dx, dy = min(ways)
        assert far <= 3
        shift = (mate.x + far * dx - new[0].x, mate.y + far * dy - new[0].y)
        done.append([Cell(c.x + shift[0], c.y + shift[1]) for c in new])
    return done


@pytest.mark.parametrize("seed", range(4))
def test_every_turn_can_be_laid_on_the_squares_that_are_offered(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(500):
        left, sizes = 9, []
        while left:
            sizes.append(chance.randint(1, left))
            left -= sizes[-1]
        done = put([cluster(n, chance) for n in sizes])
        cells = [c for d in done for c in d]
        assert len(set(cells)) == 9
        for a, b in combinations(done, 2):
            assert all(steps_between(c, d) > 1 for c in a for d in b)
        waiting = [list(d) for d in done]
        laid: list[Cell] = []
        begun = 0
        while any(waiting):  # the first squares in the order of the clusters, all else in any order
            ready = [w for i, w in enumerate(waiting) if w and i <= begun]
            w = chance.choice(ready)
            begun += w is waiting[begun] if begun < len(waiting) else 0
            cell = w.pop(0)
            assert not laid or min(steps_between(cell, c) for c in laid) <= APART
            laid.append(cell)


def test_fewer_squares_would_not_be_enough() -> None:
    """Two ends, then seven straights: a closed city of nine. No other place for the second end will do."""
    end = empty("joined").place(Cell(0, 0), "cap", 1)
    assert Cell(APART, 0) in end.frontier(APART)
    assert Cell(APART, 0) not in end.frontier(APART - 1)
    line = end
    for x in range(1, APART):
        assert {e.cell for e in line.open_edges("city")} == {Cell(x, 0)}
        assert [r for r in line.pieces.rotations["straight"] if line.fits(Cell(x, 0), "straight", r)] == [1]
        line = line.place(Cell(x, 0), "straight", 1)
    assert {e.cell for e in line.open_edges("city")} == {Cell(APART, 0)}
    both = end.place(Cell(APART, 0), "cap", 3)
    for x in range(1, APART):
        both = both.place(Cell(x, 0), "straight", 1)
    assert [(f.size, f.closed) for f in both.features("city")] == [(9, True)]
