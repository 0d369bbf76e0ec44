"""Layouts as whole numbers against layouts as graphs, on random pieces."""

from __future__ import annotations

import random
from collections import Counter

from tablelaw.solver.layout import reference as ref
from tablelaw.solver.layout.growth import Growth
from tablelaw.solver.layout.kernel import Board, Kernel, unpacked
from tablelaw.spec.grid import OPPOSITE, SIDES, Cell, step
from tablelaw.spec.layouts import Layout
from tablelaw.spec.mirrors import mirror_images, mirrored
from tablelaw.testing.layouts import Planner, layout

REACH = 60


def loaded(table: Layout) -> Board:
    """A board with the pieces of a layout."""
    board = Board(Kernel(table.pieces), REACH)
    board.load(table)
    return board


def tables(seeds: range, each: int = 8) -> list[tuple[random.Random, Layout]]:
    """Random layouts that lie within reach."""
    found = []
    for seed in seeds:
        r = random.Random(seed)
        planner = Planner(r)
        pieces = planner.plan().pieces(split=seed % 3 == 0)
        found += [(r, t) for _ in range(each) if len(t := layout(r, pieces, planner.board()))]
    return found


def parts_of(board: Board, kind: str, parts: tuple[tuple[int, int], ...]) -> frozenset[ref.PartNode]:
    """The parts of a feature as the reference names them."""
    found = []
    for cell, slot in parts:
        own = [p for p in board.kernel.pieces.parts[board.kernel.looks[board.at[cell]]] if p.kind == kind]
        found.append(ref.PartNode(board.place(cell), kind, frozenset(own[slot].at)))
    return frozenset(found)


def test_features_are_those_of_the_graphs() -> None:
    """On some two thousand random layouts: the same parts together, the same open ends and loops."""
    met: Counter[str] = Counter()
    for _, table in tables(range(280)):
        board = loaded(table)
        met["layouts"] += 1
        for kind in table.pieces.kinds:
            mine = {parts_of(board, kind, f.parts): (f.open, f.closed, f.loops, len(f.cells)) for f in board.features(kind)}
            theirs = {f.nodes: (f.open, f.closed, f.loops, f.size) for f in ref.features(table, kind)}
            assert mine == theirs, (kind, table)
            met["loops"] += any(loops for _, _, loops, _ in mine.values())
            met["closed"] += any(closed and size > 1 for _, closed, _, size in mine.values())
    assert met["layouts"] > 1800
    assert met["loops"] > 60
    assert met["closed"] > 100


def test_fits_as_in_the_graphs() -> None:
    """What may be laid beside laid pieces, on a free grid."""
    tried: Counter[bool] = Counter()
    for _, table in tables(range(120), 3):
        free = Layout(table.pieces, len(table) + 1, cells=table.cells)
        board = loaded(free)
        for cell in ref.frontier(free):
            for number, (face, rotation) in enumerate(board.kernel.looks):
                good = ref.fits(free, cell, face, rotation)
                assert board.fits(board.cell(cell.x, cell.y), number) == good
                tried[good] += 1
    assert min(tried.values()) > 500


def test_a_layout_comes_back() -> None:
    """From numbers and back it is the same, moved so that its first row and column are 0."""
    for _, table in tables(range(40), 3):
        left, top = min(c.x for c in table.cells), min(c.y for c in table.cells)
        moved = {Cell(c.x - left, c.y - top): laid for c, laid in table.cells.items()}
        assert loaded(table).layout(table).cells == moved


def turned(table: Layout, quarters: int) -> Layout:
    """The layout turned clockwise."""
    cells = dict(table.cells)
    for _ in range(quarters):
        cells = {Cell(-c.y, c.x): (f, (q + 1) % 4) for c, (f, q) in cells.items()}
    return Layout(table.pieces, table.limit, cells=cells)


def test_turned_and_moved_layouts_have_one_canonical_form() -> None:
    """And other layouts have another: it stands for the layout, which can be read from it."""
    different = 0
    for r, table in tables(range(60), 4):
        if not table.pieces.free:
            continue
        board = loaded(table)
        found = board.canonical(True)
        copy = turned(table, r.randrange(4))
        assert loaded(copy).canonical(True) == found
        assert loaded(copy).key() in board.images(True)
        whole = Layout(table.pieces, table.limit)
        assert any(loaded(turned(unpacked(board.kernel, found, whole), q)).key() == board.key() for q in range(4))
        different += len(set(board.images(True))) > 1
    assert different > 50


def test_mirrored_pieces_keep_their_parts() -> None:
    """Where every piece has a mirror image, a mirrored layout has mirrored features, and its contacts are kept."""
    seen = 0
    for _, table in tables(range(200), 2):
        images = mirror_images(table.pieces)
        if isinstance(images, str):
            continue
        kernel = Kernel(table.pieces)
        for a, b in images.items():
            for side in SIDES:
                assert table.pieces.shows[(*a, side)] == table.pieces.shows[(*b, mirrored(side))]
        cells = {Cell(-c.x, c.y): images[f, table.pieces.canonical[f, q]] for c, (f, q) in table.cells.items()}
        other = Layout(table.pieces, table.limit, cells=cells)
        for kind in table.pieces.kinds:
            mine = Counter((f.open, f.loops, len(f.parts)) for f in loaded(table).features(kind))
            assert mine == Counter((f.open, f.loops, len(f.parts)) for f in loaded(other).features(kind))
        if kernel.turned:
            assert loaded(other).canonical(True, True) == loaded(table).canonical(True, True)
        seen += 1
    assert seen > 20


def test_a_piece_without_a_mirror_image_is_named() -> None:
    """Of two faces of which one has its mirror image in neither."""
    from tablelaw.spec.pieces import FacePart, Kind, Pieces

    lonely = (FacePart("road", ("N",), (("a", 1),)), FacePart("road", ("E",), (("a", 2),)))
    kinds = {"road": Kind("road", "sides")}
    assert mirror_images(Pieces("P", kinds, {"plain": (FacePart("road", ("N",)),), "bent": lonely})) == "bent"


def test_blocked_ends_are_seen() -> None:
    """`goes_on` holds just when no piece laid beside a part of the kind lacks one there."""
    told: Counter[bool] = Counter()
    for seed in range(150):
        r = random.Random(seed)
        pieces = Planner(r).plan().pieces()
        kernel = Kernel(pieces)
        for kind in pieces.kinds:
            blocked = False
            for a in kernel.looks:
                for b in kernel.looks:
                    for side in SIDES:
                        if (pieces.shows[(*b, OPPOSITE[side])], pieces.shows[(*a, side)]) in pieces.allowed:
                            two = Layout(pieces, 2, cells={Cell(0, 0): a, step(Cell(0, 0), side): b})
                            ends = {p.at for p in pieces.parts[a] if p.kind == kind}
                            faces = [at for p in ends for at in p if at[0] == side]
                            blocked |= len(two.links(Cell(0, 0), *a, kind) & set(faces)) < len(faces)
            assert kernel.goes_on(kind) != blocked
            told[blocked] += 1
    assert min(told.values()) > 20


def test_growth_uses_no_square_twice() -> None:
    """A layout of one piece is a piece; boards are not left."""
    pieces = Planner(random.Random(1)).plan().pieces()
    kernel = Kernel(pieces)
    assert sum(1 for _ in Growth(kernel, 1, None, None, lambda: None).every()) == len(kernel.looks)
    assert sum(1 for _ in Growth(kernel, 3, 2, 1, lambda: None).every()) == 0
