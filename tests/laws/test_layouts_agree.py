"""Laws: every telling of a layout gives the answers of the reference, and answers turn and move with the layout."""

from __future__ import annotations

import random
from collections import Counter, deque
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tablelaw.solver.layout import kernel
from tablelaw.solver.layout import reference as ref
from tablelaw.solver.layout.reference import PartNode
from tablelaw.spec import layouts as layouts_module
from tablelaw.spec.diagnostics import render
from tablelaw.spec.grid import SIDES, Cell, Edge, Part, across, step
from tablelaw.spec.layouts import Feature, Layout
from tablelaw.spec.pieces import Pieces
from tablelaw.spec.types import LayoutType
from tablelaw.testing.games import checked
from tablelaw.testing.layouts import Board, Plan, Planner, grown, layout, layouts, rules

Probe = tuple[Cell, str, int]
Answers = dict[str, Any]
Telling = Callable[[Layout, list[Probe]], Answers]


def probes(r: random.Random, table: Layout, most: int = 5) -> list[Probe]:
    """Some pieces to be laid: mostly beside others, also on top of one and far off."""
    near = sorted(ref.frontier(table, 2))
    cells = [*r.sample(near, min(len(near), most)), *sorted(table.cells)[:1], Cell(-3, 40), Cell(0, -1)]
    faces = list(table.pieces.faces)
    return [(c, f, q) for c in dict.fromkeys(cells) for f in faces for q in range(4)]


def some_edges(table: Layout) -> list[Edge]:
    """The edges of laid squares and of those beside them."""
    laid = [Edge(c, s) for c in table.cells for s in SIDES]
    return list(dict.fromkeys([*laid, *map(across, laid), Edge(Cell(30, 2), "W")]))


def pairs(every: list[Any]) -> list[tuple[Any, Any]]:
    """Pairs of features; of many only those that have a square in common."""
    return [(f, g) for f in every for g in every if len(every) < 12 or not f.cells.isdisjoint(g.cells)]


def by_reference(table: Layout, tried: list[Probe]) -> Answers:
    """Every answer as the reference gives it."""
    kinds = table.pieces.kinds
    found = {k: ref.features(table, k) for k in kinds}
    every = [f for fs in found.values() for f in fs]
    for f in every:
        assert f.loops == f.loops_counted
    ways = ref.strands(table)
    nodes = [(c, n) for c in table.cells for n in ref.parts(table, c)]
    owner = {n: f for f in every for n in f.nodes}
    return {
        "parts": {n: own for c in table.cells for n, own in ref.parts(table, c).items()},
        "attributes": {
            (c, a): ref.attribute(table.pieces, f, a, q) for c, (f, q) in table.cells.items() for a in table.pieces.attributes
        },
        "features": {k: Counter(f.nodes for f in fs) for k, fs in found.items()},
        "told": {f.nodes: (f.cells, f.size, f.open, f.closed, f.loops) for f in every},
        "totals": {(f.nodes, a): f.total(a) for k, fs in found.items() for f in fs for a in kinds[k].numeric},
        "of": {(c, n.kind, at): owner[n].nodes for c, n in nodes for at in (n.at or {None})},
        "frontier": {k: ref.frontier(table, k) for k in (1, 2, 3)},
        "fits": {p for p in tried if ref.fits(table, *p)},
        "links": {(p, k): ref.links(table, *p, k) for p in tried[::5] for k in kinds},
        "edges": ref.edges(table),
        "open edges": {k: ref.open_edges(table, k) for k in kinds},
        "shows": {e: ref.shows(table, e) for e in some_edges(table)},
        "follow": {e: ref.follow(table, e, ways) for e in some_edges(table)},
        "touches": {(f.nodes, g.nodes) for f, g in pairs(every) if ref.touches(table, f, g)},
    }


def node(part: Part) -> PartNode:
    return PartNode(part.cell, part.kind, part.sides)


def nodes(feature: Feature) -> frozenset[PartNode]:
    return frozenset(map(node, feature.parts))


def by_layouts(table: Layout, tried: list[Probe]) -> Answers:
    """Every answer as the evaluator has it."""
    kinds = table.pieces.kinds
    found = {k: list(table.features(k)) for k in kinds}
    every = [f for fs in found.values() for f in fs]
    parts = [p for c in table for p in table.parts(c)]
    return {
        "parts": {node(p): p.attributes for p in parts},
        "attributes": {(c, a): table.laid(c).read(a) for c in table for a in table.pieces.attributes},
        "features": {k: Counter(map(nodes, fs)) for k, fs in found.items()},
        "told": {nodes(f): (f.cells, f.size, f.open, f.closed, f.loops) for f in every},
        "totals": {(nodes(f), a): f.read(a) for k, fs in found.items() for f in fs for a in kinds[k].numeric},
        "of": {
            (p.cell, p.kind, at): nodes(table.feature(Part(p.cell, p.kind, at))) for p in parts for at in (p.sides or {None})
        },
        "frontier": {k: table.frontier(k) for k in (1, 2, 3)},
        "fits": {p for p in tried if table.fits(*p)},
        "links": {(p, k): table.links(*p, k) for p in tried[::5] for k in kinds},
        "edges": table.edges(),
        "open edges": {k: table.open_edges(k) for k in kinds},
        "shows": {e: table.shows(e) for e in some_edges(table)},
        "follow": {e: table.follow(e) for e in some_edges(table)},
        "touches": {(nodes(f), nodes(g)) for f, g in pairs(every) if f.touches(g)},
    }


def by_laying(table: Layout, tried: list[Probe]) -> Answers:
    """The evaluator again, pieces laid one by one in any order and asked on the way: each layout from the one before."""
    r = random.Random(len(tried) + sum(c.x * 7 + c.y for c in table.cells))
    now = table.with_cells({})
    for cell in r.sample(sorted(table.cells), len(table.cells)):
        for kind in table.pieces.kinds:
            if r.random() < 0.4:
                now.features(kind)
        if r.random() < 0.5:
            for probe in tried:
                now.fits(*probe)
            hash(now)
        if r.random() < 0.5:
            now.frontier(r.randint(1, 3))
        if tried and r.random() < 0.3:
            now.with_piece(cell, *r.choice(tried)[1:]).features(r.choice(list(table.pieces.kinds)))  # another that is not kept
        now = now.with_piece(cell, *table.cells[cell])
    assert now == table
    assert hash(now) == hash(table)
    for kind in table.pieces.kinds:
        found = {f: f.order for f in now.features(kind)}
        assert found == {f: f.order for f in table.features(kind)}
        for f in found:
            assert all(Part(p.cell, kind, at) in f for p in f.parts for at in p.sides or (None,))
            assert not any(Part(p.cell, kind, at) in f for g in found if g != f for p in g.parts for at in p.sides or (None,))
    return by_layouts(now, tried)


def board_of(table: Layout, reach: int = 45) -> kernel.Board:
    """A layout in packed numbers."""
    board = kernel.Board(kernel_of(table.pieces), reach)
    board.load(table)
    return board


@lru_cache(maxsize=4)
def kernel_of(pieces: Pieces) -> kernel.Kernel:
    return kernel.Kernel(pieces)


def by_kernel(table: Layout, tried: list[Probe]) -> Answers:
    """What the packed numbers answer: features, and contact on empty squares (of border and limit they know nothing)."""
    pieces, board = table.pieces, board_of(table)
    tables = board.kernel

    def node(kind: str, cell: int, slot: int) -> PartNode:
        part = [p for p in pieces.parts[tables.looks[board.at[cell]]] if p.kind == kind][slot]
        return PartNode(board.place(cell), kind, frozenset(part.at))

    found = {k: [(frozenset(node(k, *p) for p in f.parts), f) for f in board.features(k)] for k in pieces.kinds}
    told = {
        nodes: (frozenset(map(board.place, f.cells)), len(f.cells), f.open, f.closed, f.loops)
        for fs in found.values()
        for nodes, f in fs
    }
    fits = set()
    for cell, face, q in tried:
        possible = ref.inside(table, cell) and len(table) < table.limit and (pieces.free or q == 0)
        if possible and board.fits(board.cell(*cell), tables.code[face, pieces.canonical[face, q]]):
            fits.add((cell, face, q))
    return {"features": {k: Counter(nodes for nodes, _ in fs) for k, fs in found.items()}, "told": told, "fits": fits}


def same(mine: Answers, theirs: Answers, table: Layout) -> None:
    """The same answers to all that was asked of the first, told apart by question."""
    for question, answer in mine.items():
        assert answer == theirs[question], f"{question} of {table} of {table.pieces.faces}"


class Motion:
    """A turn of the grid and a way to go, on everything that answers are made of."""

    def __init__(self, table: Layout, turns: int, by: tuple[int, int] = (0, 0)) -> None:
        self.turns, self.by, self.pieces = turns, by, table.pieces
        self.size = None if table.width is None or table.height is None else (table.width, table.height)
        self.turning = {k: kind.turning for k, kind in table.pieces.kinds.items()}

    def cell(self, cell: Cell) -> Cell:
        x, y = cell
        size = self.size
        for _ in range(self.turns):
            x, y = (-y, x) if size is None else (size[1] - 1 - y, x)
            size = size and (size[1], size[0])
        return Cell(x + self.by[0], y + self.by[1])

    def name(self, place: str) -> str:
        return ref.turn_name(place, self.turns)

    def of(self, answer: Any) -> Any:
        """Squares, edges, parts, sides and probes wherever they stand."""
        match answer:
            case Cell():
                return self.cell(answer)
            case Edge(cell, side):
                return Edge(self.cell(cell), self.name(side))
            case PartNode(cell, kind, at):
                return PartNode(self.cell(cell), kind, frozenset(map(self.name, at)))
            case Counter() | dict():
                return {self.of(k): self.of(v) for k, v in answer.items()}
            case (Cell(), str() as face, int() as rotation) if face in self.pieces.faces:
                return self.cell(answer[0]), face, (rotation + self.turns) % 4
            case tuple():
                return tuple(map(self.of, answer))
            case set() | frozenset():
                return frozenset(map(self.of, answer))
            case str() if answer in ref.POINTS:
                return self.name(answer)
        return answer

    def answers(self, found: Answers) -> Answers:
        moved: Answers = {k: self.of(v) for k, v in found.items() if k not in ("parts", "attributes")}
        moved["parts"] = {
            self.of(n): {a: self._value(v, a in self.turning[n.kind]) for a, v in own.items()}
            for n, own in found["parts"].items()
        }
        moved["attributes"] = {
            (self.of(c), a): self._value(v, a in self.pieces.turning) for (c, a), v in found["attributes"].items()
        }
        return moved

    def _value(self, value: Any, turns: bool) -> Any:
        return self.name(value) if turns and value is not None else value

    def layout(self, table: Layout) -> Layout:
        width, height = (table.height, table.width) if self.turns % 2 else (table.width, table.height)
        cells = {self.cell(c): (f, (q + self.turns) % 4) for c, (f, q) in table.cells.items()}
        return Layout(table.pieces, table.limit, width, height, cells)


def check_motion(r: random.Random, table: Layout, tried: list[Probe], found: Answers, tell: Telling) -> None:
    """Answers turn with the layout; on a free grid they also go with it."""
    free = table.width is None
    going = Motion(table, r.choice((1, 2, 3)), (r.randint(-9, 9), r.randint(-9, 9)) if free and table.cells else (0, 0))
    if not table.pieces.free:  # what is laid may not be turned
        if not free or not table.cells:
            return
        going.turns = 0
    moved = going.layout(table)
    after = tell(moved, [going.of(p) for p in tried])
    expected = going.answers(found)
    for question in expected:
        if question in ("shows", "follow"):  # the edge far off stays where it is
            expected[question] = {e: v for e, v in expected[question].items() if e in after[question]}
            after[question] = {e: v for e, v in after[question].items() if e in expected[question]}
            assert len(expected[question]) >= 4 * len(table.cells)
    same(after, expected, moved)


def turned_at_most_once(pieces: Pieces) -> None:
    """Rotations, and what each side shows."""
    for face in pieces.faces:
        assert pieces.rotations[face] == ref.rotations(pieces, face)
        for q in range(4):
            assert ref.look(pieces, face, pieces.canonical[face, q]) == ref.look(pieces, face, q)
            assert all(pieces.shows[face, q, s] == ref.shown(pieces, face, q, s) for s in SIDES)


def check(seeds: Iterable[int], tellings: dict[str, Telling], each: int = 8) -> Counter[str]:
    """Hold tellings to the reference on some layouts of each of these sets of pieces; what was met, counted."""
    met: Counter[str] = Counter()
    for seed in seeds:
        r = random.Random(seed)
        planner = Planner(r)
        plan = planner.plan()
        pieces = plan.pieces(split=seed % 3 == 0)
        turned_at_most_once(pieces)
        for number in range(each):
            table = layout(r, pieces, planner.board(), most=8)
            tried = probes(r, table)
            truth = by_reference(table, tried)
            for tell in tellings.values():
                answers = tell(table, tried)
                same(answers, truth, table)
                if answers.keys() == truth.keys() and number % 4 == 0:
                    check_motion(r, table, tried, answers, tell)
            met.update(sights(table, truth))
    return met


def sights(table: Layout, truth: Answers) -> Iterable[str]:
    """What a layout has to show, so that a law cannot hold for want of cases."""
    yield "layouts"
    yield "free grids" if table.width is None else "boards"
    yield "turned" if table.pieces.free else "fixed"
    if not table.pieces.symmetric:
        yield "one-sided contacts"
    reach = {k: kind.reach for k, kind in table.pieces.kinds.items()}
    for parts, (_, size, open_ends, closed, loops) in truth["told"].items():
        yield f"features of {reach[next(iter(parts)).kind]}"
        if closed and size > 1:
            yield "closed over several squares"
        if loops:
            yield "loops"
        if loops > 1:
            yield "several loops"
        if open_ends > 3:
            yield "many open ends"
        if len(parts) > size:
            yield "twice on a square"
    if any(truth["totals"].values()):
        yield "totals"
    if truth["touches"]:
        yield "touches"
    if any(a != b for a, b in truth["touches"]):
        yield "touches of two"
    yield from ("fits" for _ in truth["fits"])
    yield from ("links" for found in truth["links"].values() if found)
    ways = ref.strands(table)
    for start, stop in truth["follow"].items():
        if stop != start:
            yield "follow to a blocked edge" if stop.cell in table.cells else "follow to an empty square"
        elif start in ways and ways.out_degree(start) == 1:
            yield "follow round a loop"


KNOWN: dict[str, Telling] = {"layouts": by_layouts, "laying": by_laying, "kernel": by_kernel}


def test_all_questions_are_asked() -> None:
    """The evaluator's telling answers everything that the reference does."""
    planner = Planner(random.Random(1))
    table = layout(planner.r, planner.plan().pieces(), None)
    assert by_layouts(table, []).keys() == by_reference(table, []).keys() > by_kernel(table, []).keys()


def test_keys_are_those_of_layouts() -> None:
    """A packed layout unpacks to itself up to translation; its canonical key is that of its turns, and of no other layout."""
    seen = 0
    for seed in range(60):
        r = random.Random(seed)
        planner = Planner(r)
        pieces = planner.plan().pieces()
        by_key: dict[kernel.Key, set[frozenset[Any]]] = {}
        for _ in range(12):
            table = layout(r, pieces, None, most=3)
            if not table.cells:
                continue
            board = board_of(table)
            at_corner = board.layout(table.with_cells({}))
            left, top = min(c.x for c in table.cells), min(c.y for c in table.cells)
            assert Motion(table, 0, (-left, -top)).layout(table) == at_corner
            turned = [Motion(table, q, (r.randint(-9, 9), 3)).layout(table) for q in (range(4) if pieces.free else (0,))]
            keys = {board_of(t).canonical(pieces.free) for t in turned}
            assert len(keys) == 1
            shapes = {frozenset(board_of(t).layout(table.with_cells({})).cells.items()) for t in turned}
            assert by_key.setdefault(keys.pop(), shapes) == shapes
            seen += 1
        every = [s for shapes in by_key.values() for s in shapes]
        assert len(every) == len(set(every))
    assert seen > 500


@pytest.mark.parametrize("part", [0, 1, *(pytest.param(n, marks=pytest.mark.slow) for n in (2, 3))])
def test_layouts_agree(part: int) -> None:
    """On two thousand layouts of random pieces (in four parts) each answer is that of the reference, and goes where they go."""
    met = check(range(63 * part, 63 * part + 63), KNOWN)
    assert met["layouts"] == 504
    least = {
        "free grids": 100, "boards": 100, "turned": 200, "fixed": 50, "one-sided contacts": 10, "features of sides": 1000,
        "features of halves": 500, "features of inside": 50, "closed over several squares": 100, "loops": 10,
        "several loops": 1, "many open ends": 100, "twice on a square": 10, "totals": 50, "touches": 200,
        "touches of two": 200, "fits": 3000, "links": 1000, "follow to a blocked edge": 200,
        "follow to an empty square": 1000, "follow round a loop": 5,
    }  # fmt: skip
    assert {k: met[k] for k, n in least.items() if met[k] < n} == {}


@pytest.mark.parametrize("most", [0, 1, 3])
def test_what_is_forgotten_is_worked_out_again(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where hardly any layout may keep what it has worked out, or none, the answers are the same."""
    monkeypatch.setattr(layouts_module, "MOST_KNOWING", most)
    monkeypatch.setattr(layouts_module, "_KNOWING", deque())
    assert check(range(500, 512), {"laying": by_laying})["layouts"] == 96


@pytest.mark.slow
@pytest.mark.parametrize("part", range(2))
def test_many_layouts_agree(part: int) -> None:
    """The same on four thousand others."""
    assert check(range(1000 + 250 * part, 1250 + 250 * part), KNOWN)["layouts"] == 2000


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(layouts(6))
def test_any_layout_agrees(table: Layout) -> None:
    """A layout that hypothesis makes has the answers of the reference."""
    tried = probes(random.Random(0), table)
    truth = by_reference(table, tried)
    for tell in KNOWN.values():
        same(tell(table, tried), truth, table)


def read(text: str, **setting: str) -> dict[str, tuple[LayoutType, Layout]]:
    """The layouts of a rules file: their types and starts."""
    game, sink = checked(text, setting=setting)
    assert game is not None, "\n".join(map(render, sink)) + text
    return {
        v.name: (v.type, v.init.value)  # type: ignore[attr-defined]
        for v in game.variables
        if isinstance(v.type, LayoutType)
    }


def check_read(plan: Plan, found: Pieces, split: bool) -> None:
    """A set that was read is the one that was made directly."""
    made = plan.pieces(split)
    for name in ("name", "kinds", "faces", "attributes", "turning", "free", "allowed"):
        assert getattr(found, name) == getattr(made, name), name


@pytest.mark.parametrize("seed", range(40))
def test_pieces_are_read(seed: int) -> None:
    """Two sets of pieces in a rules file, with layouts of both, come out as they were written, under each setting."""
    r = random.Random(seed)
    planner = Planner(r)
    plans = [planner.plan("Tile"), planner.plan("Card")]
    names = {f: f"{f}_card" for f in plans[1].faces}  # two sets may not share the names of their faces as they please
    plans[1] = Plan(
        "Card", plans[1].kinds, plans[1].attributes, {names[f]: v for f, v in plans[1].faces.items()}, plans[1].free,
        plans[1].contact, {names[f]: v for f, v in plans[1].split.items()},
    )  # fmt: skip
    boards: list[Board] = [planner.board(), planner.board()]
    for setting in ("joined", "split"):
        made = [p.pieces(setting == "split") for p in plans]
        starts: list[Layout | None] = [grown(r, p, b, 4, 12) for p, b in zip(made, boards, strict=True)]
        text = rules(plans, boards, starts) if setting == "joined" else rules(plans, boards, [None, None])
        found = read(text, faces=setting)
        assert len(found) == 2
        for i, (kind, start) in enumerate(found.values()):
            assert kind.pieces is not None
            check_read(plans[i], kind.pieces, setting == "split")
            assert (kind.width, kind.height) == (boards[i] or (None, None))
            if setting == "joined":
                assert start == starts[i]


def test_step_is_beyond() -> None:
    """The neighbour over each side is the square that has the point of that side in common."""
    for s in SIDES:
        edge = Edge(Cell(3, -2), s)
        assert ref.beyond(edge) == across(edge)
        assert ref.beyond(edge).cell == step(edge.cell, s)
