"""z3 over all layouts of a size, against every layout laid one by one, on random pieces and formulas."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import z3

from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.symbolic.layouts import Found, boxes, find_layout, placed
from tablelaw.solver.symbolic.squares import Squares
from tablelaw.spec.core import Expr
from tablelaw.spec.diagnostics import Diagnostics, render
from tablelaw.spec.expressions import parse_formula
from tablelaw.spec.formulas import formula
from tablelaw.spec.game import Game
from tablelaw.spec.layouts import Layout
from tablelaw.spec.load import load
from tablelaw.spec.operators import Fault
from tablelaw.spec.reckon import Place, value
from tablelaw.spec.source import Source
from tablelaw.spec.types import LayoutType
from tablelaw.spec.yaml_nodes import Scalar
from tablelaw.testing.layouts import Plan, Planner, rules

CITY = """
tablelaw: 1
game: city
title: City
players: 2
pieces:
  CityDie:
    parts: {city: {at: sides}}
    rotation: free
    contact: mine == theirs
    faces: {cap: {city: [[N]]}, corner: {city: [[N, E]]}, straight: {city: [[N, S]]}, tee: {city: [[N, E, S]]}}
constants: {POINTS: [0, 0, 0, 1, 3, 6, 10, 15, 21, 28]}
state:
  table: {type: "layout[CityDie, 9]", init: {}}
  other: {type: bool, init: false}
define:
  largest(): "max(f.size if f.closed else 0 for f in features(table, city)) if size(table) > 0 else 0"
"""
ROAD = """
tablelaw: 1
game: road
title: Road
players: 2
pieces:
  Die:
    parts: {road: {at: sides}}
    attributes: {arrow: Side}
    rotation: free
    contact: mine == theirs
    faces: {straight: {road: [[N, S]]}, cross: {road: [[N, S], [E, W]]}, bend: {road: [[N, E]], arrow: N}}
state:
  table: {type: "layout[Die, 9]", init: {}}
"""
CAPS = (
    "all(count(c for c in f.cells if table[c].face == cap) == "
    "count(c for c in f.cells if table[c].face == tee) + 2 - 2 * f.loops for f in features(table, city) if f.closed)"
)


def game_of(text: str, folder: Path, players: int = 2) -> Game:
    """The game of a rules file."""
    path = folder / "rules.yaml"
    path.write_text(text.lstrip(), encoding="utf-8")
    sink = Diagnostics()
    read = load(str(path), sink)
    game = read.game({}, players, sink) if read is not None else None
    assert game is not None, "\n".join(render(d) for d in sink)
    return game


def typed(game: Game, text: str) -> Expr:
    """A formula of the game."""
    sink = Diagnostics()
    scalar = Scalar(text, "plain", Source("f", text).span(0, len(text)), range(len(text) + 1))
    parsed = parse_formula(scalar, sink)
    assert parsed is not None
    found = formula(parsed, game.names, sink, {}, None, "f", "question")
    assert not sink.has_errors, text + "\n" + "\n".join(render(d) for d in sink)
    return found


def every_layout(kind: LayoutType, size: int) -> Iterator[Layout]:
    """All connected layouts of so many pieces, the obvious way; a free one with its first piece at (0, 0)."""
    assert kind.pieces is not None
    found: set[Layout] = {kind.empty()}
    for _ in range(size):
        found = {
            table.place(cell, face, rotation)
            for table in found
            for cell in table.frontier()
            for face in kind.pieces.faces
            for rotation in kind.pieces.rotations[face]
            if table.fits(cell, face, rotation)
        }
        found = {placed(kind, t.cells) for t in found}
    yield from found


def answers(game: Game, of: str, size: int, e: Expr, layouts: list[Layout]) -> set[bool | None]:
    """The values that the formula has over the layouts; None where it has none."""
    found: set[bool | None] = set()
    for table in layouts:
        try:
            found.add(value(e, Place({of: table}, game.players)))
        except Fault:
            found.add(None)
    return found


# random pieces


def formulas(r: random.Random, turn: int, plan: Plan, size: int, free: bool) -> str:
    """A question about layouts of the pieces; each kind of question has its turn."""
    kinds, faces = list(plan.kinds), list(plan.faces)
    k, k2, face, n = r.choice(kinds), r.choice(kinds), r.choice(faces), r.randint(0, size + 1)
    place = r.choice("NESW") if plan.kinds[k].reach == "sides" else r.choice(["Nw", "Es", "Sw"])
    at = "" if plan.kinds[k].reach == "inside" else f", {place}"
    op = r.choice(["==", "<=", ">", "!="])
    types = {a: {kind.attributes.get(a, "0..0") for kind in plan.kinds.values()} for a in plan.kinds[k].attributes}
    numeric = [a for a, each_type in types.items() if all(".." in t for t in each_type)]
    features = f"features(table, {k})"
    each = [
        f"any(f.closed and f.size {op} {n} for f in {features})",
        f"all(f.open {op} {n} for f in {features})",
        f"any(f.loops > 0 for f in {features})",
        f"any(f.loops {op} 1 and not f.closed for f in {features})",
        f"sum(f.open for f in {features}) {op} {2 * n}",
        f"sum(f.loops for f in {features}) {op} {n}",
        f"count(f for f in {features} if f.closed) {op} {n}",
        f"size({features}) {op} {n}",
        f"(max(f.size for f in {features}) if size({features}) > 0 else 0) {op} {n}",
        f"max(f.size for f in {features}) {op} {n}",
        f"min(f.open if f.closed or f.size > 1 else 3 for f in {features}) {op} {n}",
        f"any(f.size == {n} and all(f == g or g.closed for g in {features}) for f in {features})",
        f"all(any(part(c, {k}{at}) in f for c in f.cells) for f in {features})",
        f"any(part(c, {k}{at}) in f for f in {features} for c in table if table[c].face == {face})",
        f"count(c for c in table if table[c].face == {face}) {op} {n}",
        f"all(count(c for c in f.cells if table[c].face == {face}) {op} f.size - 1 for f in {features})",
        f"any(table[c].rotation {op} {n} for c in table)",
        f"size({{table[c].face for c in table}}) {op} {n}",
        f"size({{f.size for f in {features}}}) {op} {n}",
        f"size(open_edges(table, {k})) {op} {2 * n}",
        f"size(frontier(table)) {op} {4 + n}",
        f"size(frontier(table, apart=2)) {op} {10 + n}",
        f"any({k} in shows(table, e) and across(e).cell not in table for e in edges(table))",
        "all(shows(table, e) == shows(table, across(e)) for e in edges(table) if across(e).cell in table)",
        f"any(shows(table, e) == {{{k}}} for e in edges(table))",
        "any(follow(table, e) == e for e in edges(table))",
        f"count(e for e in edges(table) if follow(table, e).cell not in table) {op} {4 * n}",
        "any(follow(table, e).side == N for e in edges(table))",
        f"all(size(parts(table, c)) {op} {n} for c in table)",
        f"any(p.kind == {k} and p in f for f in {features} for p in f.parts)",
        f"sum(size(f.parts) for f in {features}) {op} {n}",
        f"any(touches(f, g) for f in {features} for g in features(table, {k2}))",
        f"all(f.closed or any(touches(f, g) for g in features(table, {k2})) for f in {features})",
        f"any(feature(table, part(c, {k}{at})).closed for c in table)",
        f"any(feature(table, part(c, {k}{at})).size {op} {n} for c in table if part(c, {k}{at}) in parts(table, c))",
        f"any(max(c.x for c in f.cells) - min(c.x for c in f.cells) {op} {n} - 1 for f in {features})",
        f"all(size({{c.y for c in f.cells}}) {op} {n} for f in {features})",
        "any((c.x + 1, c.y) in table for c in table)",
        f"all(c.x == d.x for c in table for d in table if table[d].face == {face})",
        f"any(table[step(c, E)].face == {face} for c in table if step(c, E) in table)",
        f"any(table[step(c, E)].face == {face} for c in table)",
        "all(size(neighbours8(c)) == 8 and any(d in table for d in neighbours8(c)) for c in table)",
        f"any(fits(table, c, {face}, 0) for c in frontier(table))",
        f"all(not fits(table, c, {face}, q) for c in frontier(table) for q in rotations({face}))",
        f"any(size(links(table, c, {face}, 0, {k})) > 1 for c in frontier(table))",
        f"all((f.size if f.closed else 7 - f.size) {op} {n} * 2 // 2 for f in {features})",
        f"any(f.size * f.size - f.open {op} {n} for f in {features})",
        f"any(f.open % 2 == 1 for f in {features})",
        f"any({k} in shows(table[c].face, table[c].rotation, N) for c in table)",
        "all(table[c].rotation in {0, 1} for c in table)",
    ]
    if plan.kinds[k].reach == "sides":
        each.append("any(N in p.sides for c in table for p in table[c].parts)")
    if numeric:
        each += [f"any(f.{numeric[0]} {op} {n} for f in {features})", f"sum(f.{numeric[0]} for f in {features}) {op} {n}"]
    for a, t in plan.attributes.items():
        if t == "bool":
            each.append(f"all(table[c].{a} for c in table)")
        elif t == "Side":
            each.append(f"any(table[c].{a} == N for c in table)")
    if not free:
        each += ["(0, 0) in table", "any(c.x == c.y for c in table)", f"table[(0, 0)].face == {face}"]
        each += ["all(inside(table, across(e).cell) for e in edges(table))", "any(e in rim(table) for e in edges(table))"]
    one, two = each[turn % len(each)], r.choice(each)
    made = [f"not ({one})", f"({one}) and ({two})", f"({one}) or not ({two})", f"({one}) if ({two}) else size(table) == 1"]
    return r.choice([one, one, one, *made])


def check_random(seed: int, folder: Path) -> tuple[str, str, str]:
    """One random triple; what z3 says of it when true and when false is sought."""
    r = random.Random(seed)
    while True:
        plan = Planner(r).plan()
        board = None if r.random() < 0.7 else (r.randint(1, 3), r.randint(1, 3))
        size = r.choice((1, 2, 2, 3, 3))
        pieces = plan.pieces()
        if sum(len(w) for w in pieces.rotations.values()) ** size <= 300 and (board is None or board[0] * board[1] >= size):
            break
    game = game_of(rules([plan], [board], [None], limit=6), folder, 1)
    kind = next(v.type for v in game.variables if v.name == "table0")
    assert isinstance(kind, LayoutType)
    text = re.sub(r"\btable\b", "table0", formulas(r, seed, plan, size, board is None))
    e = typed(game, text)
    told: list[str] = []
    layouts = list(every_layout(kind, size)) if pieces.symmetric else []
    values = answers(game, "table0", size, e, layouts)
    for wanted in (True, False):
        try:
            found = find_layout(game, "table0", size, e, wanted, Budget(20))
        except Unlowerable as why:
            told.append(str(why))
            continue
        where = (
            f"seed {seed}: {text} is {wanted} for {size} pieces of\n{plan}\nz3: {found}\nby hand: {values} of {len(layouts)}"
        )
        if found.verdict == "found":
            assert wanted in values, where
            assert found.layout in layouts or kind.width is not None, where
        elif found.verdict == "none":
            assert not {wanted, None} & values, where
        else:
            assert None in values or "time" in found.reason, where
        told.append(found.verdict)
    return text, told[0], told[1]


@pytest.mark.parametrize("batch", [*range(5), *(pytest.param(n, marks=pytest.mark.slow) for n in range(5, 10))])
def test_z3_agrees_with_all_layouts_laid_one_by_one(batch: int, tmp_path: Path) -> None:
    told = [check_random(batch * 16 + k, tmp_path)[1:] for k in range(16)]
    known = [t for pair in told for t in pair if t in ("found", "none")]
    assert len(known) >= len(told), told  # what z3 refuses is told, and is not most of it


@pytest.mark.parametrize("board", [None, (2, 3)])
def test_z3_gives_each_layout_once(board: tuple[int, int] | None, tmp_path: Path) -> None:
    r, seen = random.Random(7), 0
    while seen < 6:
        plan = Planner(r).plan()
        if not plan.pieces().symmetric or not 2 <= sum(map(len, plan.pieces().rotations.values())) <= 5:
            continue
        seen += 1
        game = game_of(rules([plan], [board], [None], limit=6), tmp_path, 1)
        kind = next(v.type for v in game.variables if v.name == "table0")
        assert isinstance(kind, LayoutType)
        assert kind.pieces is not None
        for size in (1, 2, 3):
            given: list[Layout] = []
            for box in boxes(kind, size, turnable=False):
                squares = Squares(kind.pieces, size, *box, tight=board is None)
                solver = z3.Solver()
                solver.add([f for f in squares.facts if f is not True])
                while solver.check() == z3.sat:
                    cells = squares.found(solver.model())
                    given.append(placed(kind, cells))
                    solver.add(z3.Not(z3.And([squares.lies[c][w] for c, w in cells.items()])))
            laid = set(every_layout(kind, size))
            assert len(given) == len(set(given))
            assert set(given) == laid, f"{len(given)} by z3 and {len(laid)} by hand, {size} of {plan}"


# the games it is meant for


@pytest.fixture
def city(tmp_path: Path) -> Game:
    return game_of(CITY, tmp_path)


@pytest.fixture
def road(tmp_path: Path) -> Game:
    return game_of(ROAD, tmp_path)


def sought(game: Game, size: int, text: str, wanted: bool = True, seconds: float = 60) -> Found:
    """What z3 finds."""
    return find_layout(game, "table", size, typed(game, text), wanted, Budget(seconds))


def test_closed_cities_have_two_dice_or_more(city: Game) -> None:
    told = [sought(city, n, f"any(f.closed and f.size == {n} for f in features(table, city))").verdict for n in range(1, 10)]
    assert told == ["none"] + ["found"] * 8


def test_what_a_definition_says(city: Game) -> None:
    assert sought(city, 5, "POINTS[largest()] == 6").verdict == "found"
    assert sought(city, 3, "POINTS[largest()] in {6, 10}").verdict == "none"
    assert sought(city, 4, "largest() == 1").verdict == "none"
    assert sought(city, 4, "largest() <= 4", wanted=False).verdict == "none"


def test_caps_law(city: Game) -> None:
    assert [sought(city, n, CAPS, wanted=False).verdict for n in range(2, 7)] == ["none"] * 5
    wrong = sought(city, 4, CAPS.replace("2 - 2 * f.loops", "2"), wanted=False)
    assert wrong.verdict == "found"
    assert wrong.layout is not None
    assert {f.loops for f in wrong.layout.features("city")} == {1}


def test_shortest_loop(road: Game) -> None:
    told = [sought(road, n, "any(f.loops > 0 for f in features(table, road))").verdict for n in range(1, 5)]
    assert told == ["none", "none", "none", "found"]
    back = "any(road in shows(table, e) and follow(table, e) == e for e in edges(table))"
    told = [sought(road, n, back).verdict for n in range(1, 5)]
    assert told == ["none", "none", "none", "found"]


def test_a_cross_is_two_lines(road: Game) -> None:
    through = "any(any(table[c].face == cross for c in f.cells) for f in features(table, road) if f.loops > 0)"
    assert [sought(road, n, through).verdict for n in (4, 5, 6)] == ["none", "none", "found"]
    eight = "any(f.closed and f.loops == 1 and f.size < size(f.parts) for f in features(table, road))"
    assert [sought(road, n, eight).verdict for n in (4, 5, 6, 7)] == ["none", "none", "none", "found"]


FIELD = """
tablelaw: 1
game: field
title: Field
players: 2
pieces:
  Tile:
    parts: {field: {at: halves}}
    rotation: fixed
    contact: mine == theirs
    faces:
      whole: {field: [[En, Es, Wn, Ws]]}
      cut: {field: [[En, Wn], [Es, Ws]]}
      end: {field: [[En, Es]]}
      stop: {field: [[Wn, Ws]]}
state:
  table: {type: "layout[Tile, 9]", init: {}}
"""


def test_two_halves_of_a_side_join_two_parts_once(tmp_path: Path) -> None:
    game = game_of(FIELD, tmp_path)
    loops = "any(f.loops > 0 for f in features(table, field))"
    assert [sought(game, n, loops).verdict for n in (1, 2, 3)] == ["none", "none", "found"]
    assert sought(game, 3, f"{loops} and all(table[c].face != cut for c in table)").verdict == "none"
    assert sought(game, 4, "sum(f.loops for f in features(table, field)) == 2").verdict == "none"


# what z3 is not told, and what has no value


@pytest.mark.parametrize(
    "text, words",
    [
        ("other", "reads `other`"),
        ("size(place(table, (0, 1), cap, 0)) == 3", "free layout"),
        ("all(size(place(table, c, cap, 0)) == 3 for c in frontier(table))", "`place`"),
        (
            "any(size(features(table if f.closed else place(table, c, cap, 0), city)) > 1 for c in table "
            "for f in features(table, city))",
            "`place`",
        ),
        ("(0, 0) in table", "free layout"),
        ("any(c.x == 0 for c in table)", "free layout"),
        ("sum(c.x for c in table) > 3", "free layout"),
        ("table == table and ended()", "`ended`"),
    ],
)
def test_what_z3_is_not_told(city: Game, text: str, words: str) -> None:
    with pytest.raises(Unlowerable, match=re.escape(words)):
        sought(city, 2, text)


def test_contact_that_depends_on_the_order(tmp_path: Path) -> None:
    game = game_of(CITY.replace("mine == theirs", "city in theirs or mine == theirs"), tmp_path)
    with pytest.raises(Unlowerable, match="laid first"):
        sought(game, 2, "size(table) == 2")


def test_no_value_is_no_answer(city: Game) -> None:
    text = "any(table[step(c, E)].face == cap for c in table)"
    found = sought(city, 2, text)
    assert found.verdict == "found"  # the cap lies east of the first
    found = sought(city, 2, text, wanted=False)
    assert found.verdict == "unknown"
    assert found.layout is not None
    assert "no piece lies" in found.reason
    safe = "any(step(c, E) in table and table[step(c, E)].face == cap for c in table)"
    assert sought(city, 2, safe, wanted=False).verdict == "found"
    assert sought(city, 2, "max(f.size for f in features(table, city) if f.size > 2) > 0", wanted=True).verdict == "unknown"


def test_an_attribute_of_another_kind_is_no_value(tmp_path: Path) -> None:
    """A formula that reads it of every part has no value where such a part lies; z3 answers and does not break."""
    text = ROAD.replace("parts: {road: {at: sides}}", "parts: {road: {at: sides}, wind: {at: inside, toward: Side}}")
    game = game_of(text.replace("arrow: N}}", "arrow: N, wind: {toward: W}}}"), tmp_path)
    assert sought(game, 1, "any(p.toward == W for c in table for p in parts(table, c))").verdict == "unknown"
    assert sought(game, 1, "any(p.kind == wind and p.toward == W for c in table for p in parts(table, c))").verdict == "found"


def test_no_layout_at_all(city: Game) -> None:
    assert sought(city, 10, "size(table) == 10").verdict == "none"
    assert sought(city, 0, "size(table) == 0").verdict == "found"
    assert sought(city, 0, "size(table) > 0").verdict == "none"


def test_time_that_is_over(city: Game) -> None:
    found = sought(city, 9, CAPS, wanted=False, seconds=0.3)
    assert (found.verdict, found.layout) == ("unknown", None)
    assert found.reason
