"""Questions over all layouts against layouts made the plain way: every box filled with every piece in every rotation."""

from __future__ import annotations

import itertools
import json
import random
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tablelaw.checkers.layouts import layouts
from tablelaw.solver.engine import Engines
from tablelaw.solver.layout.census import Census
from tablelaw.solver.layout.growth import Growth
from tablelaw.solver.layout.implied import of_closed_features, same_turned, whole_feature
from tablelaw.solver.layout.kernel import Kernel, unpacked
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.core import Expr
from tablelaw.spec.game import Game
from tablelaw.spec.grid import SIDES, Cell, step
from tablelaw.spec.layouts import Laid, Layout
from tablelaw.spec.pieces import Pieces
from tablelaw.spec.reckon import Place, value
from tablelaw.spec.types import LayoutType
from tablelaw.testing.layouts import Planner

HEAD = """
tablelaw: 1
game: g
title: G
players: 2
options:
  faces: {kind: reading, question: "Joined?", values: [joined, split-corner, split-straight], default: joined}
pieces:
  Die:
    parts: {city: {at: sides}}
    rotation: free
    contact: mine == theirs
    faces:
      cap: {city: [[N]]}
      corner:
        - {only: {faces: [joined, split-straight]}, city: [[N, E]]}
        - {only: {faces: split-corner}, city: [[N], [E]]}
      straight:
        - {only: {faces: [joined, split-corner]}, city: [[N, S]]}
        - {only: {faces: split-straight}, city: [[N], [S]]}
      tee: {city: [[N, E, S]]}
state:
  table: {type: "layout[Die, 9]", init: {}}
  turn: {type: Player, init: 0}
define:
  whole(n in 0..9): any(f.closed and f.size == n for f in features(table, city))
  not_two(): all(f.size != 2 for f in features(table, city) if f.closed)
  above(c in Cell): step(c, N)
  large(n in 0..9): any(f.size == n for f in features(table, city) if f.closed)
actions:
  go: {by: turn, do: turn = after(turn)}
"""
Read = Callable[..., Any]


def same_place(cells: dict[Cell, Laid]) -> frozenset[tuple[Cell, Laid]]:
    """The layout moved so that its first row and column are 0."""
    left, top = min(c.x for c in cells), min(c.y for c in cells)
    return frozenset((Cell(c.x - left, c.y - top), laid) for c, laid in cells.items())


def connected(cells: tuple[Cell, ...]) -> bool:
    """Side by side all the way."""
    reached = {cells[0]}
    while True:
        more = {n for c in reached for s in SIDES if (n := step(c, s)) in cells} - reached
        if not more:
            return len(reached) == len(cells)
        reached |= more


def plainly(pieces: Pieces, n: int, width: int, height: int) -> set[frozenset[tuple[Cell, Laid]]]:
    """All connected layouts of n pieces in a box, up to translation."""
    looks: list[Laid] = [(f, q) for f in pieces.faces for q in pieces.rotations[f]]
    found = set()
    for cells in itertools.combinations([Cell(x, y) for x in range(width) for y in range(height)], n):
        if min(c.x for c in cells) or min(c.y for c in cells) or not connected(cells):
            continue
        tables = [Layout(pieces, n)]
        for cell in cells:
            tables = [t.with_piece(cell, *laid) for t in tables for laid in looks if t.fits(cell, *laid)]
        found |= {same_place(t.cells) for t in tables}
    return found


@cache
def dice_layouts(game: Game, n: int) -> list[Layout]:
    """All layouts of n dice."""
    pieces: Pieces = game.names.pieces["Die"]
    return [Layout(pieces, 9, cells=dict(cells)) for cells in plainly(pieces, n, n, n)]


def turned(cells: frozenset[tuple[Cell, Laid]], pieces: Pieces) -> frozenset[tuple[Cell, Laid]]:
    """A quarter turn."""
    return same_place({Cell(-c.y, c.x): (f, pieces.canonical[f, (q + 1) % 4]) for c, (f, q) in cells})


def orbits(found: set[frozenset[tuple[Cell, Laid]]], pieces: Pieces) -> int:
    """How many there are up to turning."""
    left, count = set(found), 0
    while left:
        cells = next(iter(left))
        count += 1
        for _ in range(4):
            left.discard(cells)
            cells = turned(cells, pieces)
    return count


def test_every_layout_is_made_once() -> None:
    """For random pieces, on free grids and boards, those made are those that there are, and none twice."""
    some = 0
    for seed in range(160):
        r = random.Random(seed)
        pieces = Planner(r).plan().pieces()
        kernel = Kernel(pieces)
        n = 3 if len(kernel.looks) <= 6 else 2
        if not pieces.symmetric:
            continue
        board = None if r.random() < 0.6 else (r.randint(1, 3), r.randint(1, 3))
        width, height = board or (n, n)
        wide, high = board or (None, None)
        growth = Growth(kernel, n, wide, high, lambda: None)
        made = Counter(b.key() for b in growth.every())
        assert set(made.values()) <= {1}
        theirs = plainly(pieces, n, width, height)
        empty = Layout(pieces, n)
        assert {frozenset(unpacked(kernel, k, empty).cells.items()) for k in made} == theirs
        for kind in pieces.kinds:
            growth = Growth(kernel, n, wide, high, lambda: None)
            closed = Counter(b.key() for b in growth.closed(kind))
            assert set(closed.values()) <= {1}
            alone = {t for t in theirs if _one_closed(Layout(pieces, n, cells=dict(t)), kind)}
            assert {frozenset(unpacked(kernel, k, empty).cells.items()) for k in closed} == alone
            some += len(alone)
    assert some > 100


def _one_closed(table: Layout, kind: str) -> bool:
    return any(f.closed and f.size == len(table) for f in table.features(kind))


@pytest.mark.parametrize("faces", ["joined", "split-corner", "split-straight"])
def test_closed_cities_are_those_there_are(faces: str, read: Read) -> None:
    """Closed cities of all three dice up to turning, under each reading of the faces; then the numbers of joined faces."""
    game = read(HEAD, faces=faces).game
    pieces = game.names.pieces["Die"]
    expected = {"joined": (0, 1, 2), "split-corner": (0, 6, 6), "split-straight": (0, 3, 4)}[faces]
    for n, number in zip((1, 2, 3), expected, strict=True):
        there = {frozenset(t.cells.items()) for t in dice_layouts(game, n) if _one_closed(t, "city")}
        assert orbits(there, pieces) == number
        keys = [b.images(True) for b in Growth(Kernel(pieces), n, None, None, lambda: None).closed("city")]
        assert sum(k[0] == min(k) for k in keys) == number
        assert len(keys) == len(there)


@pytest.mark.parametrize("n, number", [(2, 1), (3, 2), (4, 8), (5, 25), (6, 109), (7, 450)])
def test_closed_cities_up_to_seven(n: int, number: int, read: Read) -> None:
    """As a plain C program counts them (benchmarks/closed_cities.c)."""
    assert ask(read, count="layouts", size=n, where=f"whole({n})", up_to=["translation", "rotation"]).value == str(number)


@pytest.mark.slow
@pytest.mark.parametrize("n, number", [(8, 2040), (9, 9215)])
def test_closed_cities_of_eight_and_nine(n: int, number: int, read: Read) -> None:
    """The larger ones."""
    assert ask(read, count="layouts", size=n, where=f"whole({n})", up_to=["translation", "rotation"]).value == str(number)


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_a_c_program_counts_the_same(tmp_path: Path, read: Read) -> None:
    """It lists sets of squares and joins their sides in every way; sizes 2 to 8, turned ones as one and apart."""
    program = tmp_path / "closed_cities"
    source = Path(__file__).resolve().parents[3] / "benchmarks" / "closed_cities.c"
    subprocess.run(["cc", "-O1", "-o", str(program), str(source)], check=True)
    told = subprocess.run([str(program), "8"], check=True, capture_output=True, text=True).stdout
    kernel = Kernel(read(HEAD).game.names.pieces["Die"])
    for line in told.splitlines():
        n, cities, fixed = map(int, line.split())
        keys = [b.images(True) for b in Growth(kernel, n, None, None, lambda: None).closed("city")]
        assert (sum(k[0] == min(k) for k in keys), len(keys)) == (cities, fixed)


def ask(read: Read, seconds: float = 60.0, engine: str = "auto", head: str = HEAD, **keys: object) -> Verdict:
    """The answer to a question with these keys."""
    lines = "".join(f"    {k.replace('_layout', '-layout')}: {json.dumps(v)}\n" for k, v in keys.items())
    small = read(f"{head}questions:\n  q:\n{lines}")
    asked = small.reader.question(small.rules.document.questions["q"])
    assert asked is not None, [d.message for d in small.sink]
    return layouts(Engines(small.game, engine), asked, Budget(seconds))


def asked_all(read: Read, **setting: str) -> tuple[Game, list[Expr]]:
    """The game, and the formulas typed."""
    questions = "".join(f"  q{i}: {{count: layouts, size: 1, where: {json.dumps(f)}}}\n" for i, f in enumerate(FORMULAS))
    small = read(f"{HEAD}questions:\n{questions}", **setting)
    formulas = []
    for i in range(len(FORMULAS)):
        asked = small.reader.question(small.rules.document.questions[f"q{i}"])
        assert asked is not None, [d.message for d in small.sink]
        formulas.append(asked.where)
    return small.game, formulas


FORMULAS = [
    "whole(2)",
    "whole(3)",
    "whole(4)",
    "large(3)",
    "not whole(2)",
    "any(f.closed and f.size == size(table) for f in features(table, city))",
    "any(f.closed and f.size >= 2 for f in features(table, city))",
    "any(f.open == 0 and size(f.cells) > 2 for f in features(table, city))",
    "any(f.closed and not f.size < 3 and f.loops == 0 for f in features(table, city))",
    "any(not f.open > 0 and 3 == f.size and table[c].face == corner for f in features(table, city) for c in f.cells)",
    "any(f.closed and any(f.size == 3 for f in features(table, city)) for f in features(table, city))",
    "any(f.closed and g.size == 3 for f in features(table, city) for g in features(table, city))",
    "any(f.closed for f in features(table, city)) and any(f.size == 3 for f in features(table, city))",
    "any(f.closed and f.size < 3 for f in features(table, city)) or whole(3)",
    "all(f.size != 3 for f in features(table, city) if f.closed)",
    "all(not f.closed or f.size != 3 for f in features(table, city))",
    "all(f.size != 2 for f in features(table, city) if f.closed)",
    "all(count(c for c in f.cells if table[c].face == cap) == 2 for f in features(table, city) if f.closed)",
    "all(size(table) < 3 for f in features(table, city) if f.closed)",
    "all(size(features(table, city)) < 3 for f in features(table, city) if f.closed)",
    "all(count(c for c in table if table[c].face == cap) == 2 for f in features(table, city) if f.closed)",
    "all(all(table[c].face != tee for c in f.cells) for f in features(table, city) if f.closed)",
    "not_two() and all(f.size != 3 for f in features(table, city) if f.closed)",
    "all(any(table[step(c, N)].face == cap for c in f.cells if above(c) in table) for f in features(table, city) if f.closed)",
    "size(features(table, city)) > 2",
    "any(table[c].face == straight and table[c].rotation == 1 for c in table)",
    "all(e.side != N or city in shows(table, e) for e in edges(table))",
    "any(follow(table, e) != e for e in open_edges(table, city))",
    "all(size(p.sides) == 1 for c in table for p in parts(table, c))",
]  # fmt: skip


FACES = ("joined", "split-corner", "split-straight")


@pytest.mark.parametrize("faces", FACES)
def test_answers_are_those_of_the_plain_way(faces: str, read: Read) -> None:
    """Some, every and how many, for formulas that make the search smaller and others that nearly do."""
    game, formulas = asked_all(read, faces=faces)
    answers: Counter[str] = Counter()
    for i, (text, where) in enumerate(zip(FORMULAS, formulas, strict=True)):
        third = i % 3 == FACES.index(faces)
        for sizes in ((1,), (2,), (1, 2), *([(3,)] if third else [])):
            compare(game, text, where, sizes, answers)
    assert min(answers[k] for k in ("some", "none", "all", "reduced", "whole", "denied")) > 2, answers


@pytest.mark.slow
@pytest.mark.parametrize("faces", FACES[:1])
def test_answers_about_three_pieces(faces: str, read: Read) -> None:
    """The same with all formulas and several sizes at once."""
    game, formulas = asked_all(read, faces=faces)
    for text, where in zip(FORMULAS, formulas, strict=True):
        for sizes in ((3,), (2, 3), (1, 2, 3)):
            compare(game, text, where, sizes, Counter())


@pytest.mark.parametrize("faces", FACES)
def test_z3_finds_what_there_is(faces: str, read: Read) -> None:
    """z3 and the search agree about every formula, wanted and denied, for two and three pieces."""
    from tablelaw.solver.symbolic.layouts import find_layout

    game, formulas = asked_all(read, faces=faces)
    kind = next(v.type for v in game.variables if v.name == "table")
    assert isinstance(kind, LayoutType)
    told: Counter[str] = Counter()
    for text, where in zip(FORMULAS, formulas, strict=True):
        for n in (2, 3):
            for wanted in (True, False):
                census = Census("table", kind, 2, Budget(60))
                mine = census.some(where, (n,)) if wanted else census.counterexample(where, (n,))
                try:
                    theirs = find_layout(game, "table", n, where, wanted, Budget(30))
                except Unlowerable:
                    told["untold"] += 1
                    continue
                assert theirs.verdict == ("none" if mine is None else "found"), (text, n, wanted)
                told[theirs.verdict] += 1
    assert told["none"] > 12
    assert told["found"] > 40
    assert told["untold"] == 0


def compare(game: Game, text: str, where: Expr, sizes: tuple[int, ...], answers: Counter[str]) -> None:
    """All three answers about a formula and the plain ones."""
    kind = next(v.type for v in game.variables if v.name == "table")
    assert isinstance(kind, LayoutType)
    true = [bool(value(where, Place({"table": t}, 2))) for n in sizes for t in dice_layouts(game, n)]
    census = Census("table", kind, 2, Budget(60))
    assert (census.some(where, sizes) is not None) == any(true), (text, sizes)
    found = census.counterexample(where, sizes)
    assert (found is None) == all(true), (text, sizes)
    if found is not None:
        assert len(found) in sizes
        assert not value(where, Place({"table": found}, 2))
    assert census.count(where, sizes, False, False) == sum(true), (text, sizes)
    answers.update({"some": any(true), "none": not any(true), "all": all(true)})
    answers["reduced"] += of_closed_features(where, "table") is not None
    answers["whole"] += whole_feature(where, True, "table", sizes[0]) is not None
    answers["denied"] += whole_feature(where, False, "table", sizes[0]) is not None


def test_what_formulas_imply(read: Read) -> None:
    """Which formulas are seen to ask for one closed feature of three, and which to speak of closed features alone."""
    _, formulas = asked_all(read)
    whole = {i for i, f in enumerate(formulas) if (w := whole_feature(f, True, "table", 3)) is not None and w.kind}
    assert {FORMULAS[i] for i in whole} == {FORMULAS[i] for i in (1, 3, 5, 7, 8, 9)}
    never = {i for i, f in enumerate(formulas) if (w := whole_feature(f, True, "table", 3)) is not None and w.kind is None}
    assert {FORMULAS[i] for i in never} == {"whole(4)"}
    denied = {i for i, f in enumerate(formulas) if whole_feature(f, False, "table", 3) is not None}
    assert {FORMULAS[i] for i in denied} == {FORMULAS[i] for i in (14, 15)}
    alone = {i for i, f in enumerate(formulas) if of_closed_features(f, "table") is not None}
    assert {FORMULAS[i] for i in alone} == {FORMULAS[i] for i in (14, 16, 17, 21, 22)}


def test_names_that_meet_are_told_apart(read: Read) -> None:
    """A definition's argument that stands for a feature of the caller is not taken for the feature bound inside."""
    head = HEAD.replace("actions:", "  inner(k in 0..9): any(f.closed and k == 3 for f in features(table, city))\nactions:")
    found = ask(read, head=head, count="layouts", size="2..3", where="any(inner(f.size) for f in features(table, city))")
    plain = "any(f.closed and g.size == 3 for g in features(table, city) for f in features(table, city))"
    assert found.value == ask(read, count="layouts", size="2..3", where=plain).value


def test_turning_a_layout_leaves_what_is_the_same_turned(read: Read) -> None:
    """Formulas that are told to be the same of a layout turned are."""
    game, formulas = asked_all(read)
    pieces = game.names.pieces["Die"]
    sure = 0
    for where in formulas:
        if not same_turned(where):
            continue
        sure += 1
        for t in dice_layouts(game, 2):
            other = Layout(pieces, 9, cells=dict(turned(frozenset(t.cells.items()), pieces)))
            assert value(where, Place({"table": t}, 2)) == value(where, Place({"table": other}, 2))
    assert 10 < sure < len(FORMULAS)


NO_TWO = "all(f.size != 2 for f in features(table, city) if f.closed)"


def test_a_smaller_closed_feature_is_put_into_a_layout_of_the_size(read: Read) -> None:
    """The city of two that no layout may have is shown among four dice."""
    found = ask(read, every_layout=NO_TWO, size=4)
    assert found.verdict == "fails"
    assert found.trace is not None
    table = found.trace.steps[0].state["table"]
    assert len(table) == 4
    assert any(f.closed and f.size == 2 for f in table.features("city"))


def test_a_closed_feature_that_nothing_may_lie_beside(read: Read) -> None:
    """It stands in no larger layout, so it is no counterexample there."""
    lonely = HEAD.replace("contact: mine == theirs", "contact: mine == theirs and size(mine) > 0")
    assert ask(read, head=lonely, every_layout=NO_TWO, size=2).verdict == "fails"
    assert ask(read, head=lonely, every_layout=NO_TWO, size=3).verdict == "holds"
    assert ask(read, head=lonely, every_layout="whole(2)", size=3).verdict == "fails"  # there are layouts of three


def test_blocked_ends_are_not_reduced(read: Read) -> None:
    """Where a closed side may be laid against an open one, a closed feature needs its neighbours."""
    head = HEAD.replace("contact: mine == theirs", 'contact: "True"')
    formula = "all(f.size != 1 for f in features(table, city) if f.closed)"
    assert ask(read, head=head, every_layout=formula, size=1).verdict == "holds"
    assert ask(read, head=head, every_layout=formula, size=2).verdict == "fails"


def test_where_limits_both_kinds(read: Read) -> None:
    """`where` says which layouts are meant."""
    assert ask(read, some_layout="whole(2)", size=2, where="any(table[c].face == tee for c in table)").verdict == "fails"
    caps = "all(table[c].face == cap for c in table)"
    assert ask(read, every_layout="whole(2)", size=2, where=caps).verdict == "fails"
    assert ask(read, every_layout="whole(2)", size=2, where=f"{caps} and size(features(table, city)) == 1").verdict == "holds"


def test_z3_goes_on_where_there_is_too_much(read: Read) -> None:
    """What is not looked at one by one is asked of z3, whose layout is shown; both say no where there is none."""
    tees = "count(c for c in table if table[c].face == tee) == 5 and any(f.loops == 1 for f in features(table, city))"
    found = ask(read, engine="symbolic", some_layout=tees, size=5)
    assert (found.verdict, found.known_by, found.engine) == ("holds", "proved", "symbolic")
    assert found.trace is not None
    assert len(found.trace.steps[0].state["table"]) == 5
    for engine in ("explicit", "symbolic"):
        none = ask(read, engine=engine, some_layout="any(f.loops > 0 for f in features(table, city))", size="2..3")
        assert none.verdict == "fails"
        assert none.bound == "all connected layouts of 2 to 3 pieces"


def test_too_many_layouts(read: Read) -> None:
    """A search that is out of time says how far it came."""
    with pytest.raises(OutOfBudget, match=r"all layouts of up to \d pieces were looked at, [\d,]+ layouts were looked at"):
        ask(read, 2.0, count="layouts", size="1..9", where="size(features(table, city)) > 2")


def test_a_formula_that_does_not_turn_along(read: Read) -> None:
    """Where that is seen only while counting, nothing is counted; the layout is shown. A part's own side is its northmost."""
    two = "for c in table for d in table for p in parts(table, c) for q in parts(table, d)"
    where = f"any(p.side == q.side {two} if size(p.sides) == 2 and size(q.sides) == 3)"
    found = ask(read, count="layouts", size=2, where=where, up_to="rotation")
    assert (found.verdict, found.value) == ("unknown", None)
    assert "not of the same layout turned" in (found.reason or "")
    assert found.trace is not None
    assert ask(read, count="layouts", size=2, where=where).verdict == "value"


def test_a_formula_without_a_value(read: Read) -> None:
    """It is told with the layout."""
    found = ask(read, some_layout="max(f.size for f in features(table, city) if f.closed) == 2", size=2)
    assert found.verdict == "unknown"
    assert "no value" in (found.reason or "")
    assert found.trace is not None


def test_mirror_images_count_once_where_they_are_asked_for(read: Read) -> None:
    """The seven tetrominoes and the square with a gap, mirror images apart and not."""
    assert ask(read, count="layouts", size=4, where="whole(4)", up_to="rotation").value == "8"
    assert ask(read, count="layouts", size=4, where="whole(4)", up_to=["rotation", "reflection"]).value == "6"
    assert ask(read, count="layouts", size=4, where="whole(4)").value == "23"
