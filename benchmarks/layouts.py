"""Layouts a second: the packed kernel beside plain layouts and networkx graphs; and closed cities beside a C program.

Every figure is the median of several runs made in turns, in processor seconds. It needs a C compiler for the last part,
which is left out without one.

  python benchmarks/layouts.py            all of it: about a minute
  python benchmarks/layouts.py --quick    smaller
"""

from __future__ import annotations

import argparse
import random
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from tablelaw.solver.layout import reference
from tablelaw.solver.layout.growth import Growth
from tablelaw.solver.layout.kernel import Board, Kernel
from tablelaw.spec.layouts import Layout
from tablelaw.spec.pieces import FacePart, Kind, Pieces
from tablelaw.testing.layouts import grown

HERE = Path(__file__).parent
SIDES: dict[str, tuple[str, ...]] = {"cap": ("N",), "corner": ("N", "E"), "straight": ("N", "S"), "tee": ("N", "E", "S")}
Told = dict[str, tuple[int, int]]


def dice() -> Pieces:
    """Dice with one to three black sides, joined inside; black touches black alone."""
    shown = (frozenset({"city"}), frozenset[str]())
    faces: dict[str, tuple[FacePart, ...]] = {f: (FacePart("city", at),) for f, at in SIDES.items()}
    return Pieces("Die", {"city": Kind("city", "sides")}, faces, allowed=frozenset((s, s) for s in shown))


def by_graphs(table: Layout) -> list[tuple[int, int, int]]:
    """Size, open ends and loops of every city, by networkx."""
    return [(f.size, f.open, f.loops) for f in reference.features(table, "city")]


def by_layouts(table: Layout) -> list[tuple[int, int, int]]:
    """The same as formulas read them."""
    fresh = table.with_cells(table.cells)  # features are kept once they are known
    return [(f.size, f.open, f.loops) for f in fresh.features("city")]


def by_kernel(kernel: Kernel) -> Callable[[Layout], list[tuple[int, int, int]]]:
    """The same on packed numbers, from laying the pieces to taking them back."""
    board = Board(kernel, 40)

    def told(table: Layout) -> list[tuple[int, int, int]]:
        for cell, laid in table.cells.items():
            board.lay(board.cell(*cell), kernel.code[laid])
        found = [(len(f.cells), f.open, f.loops) for f in board.features("city")]
        for _ in table.cells:
            board.unlay()
        return found

    return told


def seconds(work: Callable[[], object]) -> float:
    """Processor seconds of this process."""
    began = time.process_time()
    work()
    return time.process_time() - began


def features(pieces: Pieces, count: int, repeats: int) -> None:
    """All features of random layouts of nine dice, three ways."""
    r = random.Random(1)
    tables = [grown(r, pieces, None, 9) for _ in range(count)]
    ways = {"networkx graphs": by_graphs, "plain layouts": by_layouts, "packed kernel": by_kernel(Kernel(pieces))}
    answers = {name: [sorted(way(t)) for t in tables] for name, way in ways.items()}
    assert len({str(a) for a in answers.values()}) == 1, "they differ"
    spent: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(repeats):
        for name, way in ways.items():
            spent[name].append(seconds(lambda way=way: [way(t) for t in tables]))  # type: ignore[misc]
    slow = median(spent["networkx graphs"])
    print(f"all features of {count:,} layouts of nine dice")
    for name, s in spent.items():
        print(f"  {name:16} {count / median(s):>9,.0f} a second, {slow / median(s):5.1f} times the graphs")


def cities(pieces: Pieces, last: int, repeats: int) -> None:
    """Closed cities up to turning, by the kernel and by the C program; both must count the same."""
    compiler = shutil.which("cc")
    print("closed cities of n dice, up to translation and rotation")
    with TemporaryDirectory() as folder:
        program = Path(folder) / "closed_cities"
        if compiler:
            subprocess.run([compiler, "-O2", "-o", str(program), str(HERE / "closed_cities.c")], check=True)
        kernel = Kernel(pieces)
        for n in range(2, last + 1):
            spent, counts, made = [], set(), 0
            for _ in range(repeats):
                began = time.process_time()
                growth = Growth(kernel, n, None, None, lambda: None)
                keys = [b.images(True) for b in growth.closed("city")]
                made = len(keys)
                counts.add(sum(k[0] == min(k) for k in keys))
                spent.append(time.process_time() - began)
            line = f"  {n}: {counts.pop():>6,} of {made:>7,} up to translation, {median(spent):6.2f} s"
            if compiler and n == last:
                began = time.perf_counter()
                told = subprocess.run([str(program), str(n)], capture_output=True, text=True, check=True).stdout
                line += f"; the C program {time.perf_counter() - began:.2f} s for all"
                assert int(told.split("\n")[-2].split()[2]) == made, "they differ"
            print(line)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure layouts a second.")
    parser.add_argument("--quick", action="store_true", help="fewer and smaller layouts")
    quick = parser.parse_args().quick
    pieces = dice()
    features(pieces, 300 if quick else 2000, 2 if quick else 5)
    cities(pieces, 7 if quick else 9, 2 if quick else 5)


if __name__ == "__main__":
    main()
