"""Layouts a second: the packed kernel beside plain layouts and networkx graphs; and closed cities beside a C program.

In processor seconds of this process. Without a C compiler the C programs are left out.
"""

from __future__ import annotations

import random
import resource
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rows
from run import EXAMPLES, Faulty

from tablelaw.checkers.selection import Request
from tablelaw.checkers.session import Session
from tablelaw.solver.layout import reference
from tablelaw.solver.layout.growth import Growth
from tablelaw.solver.layout.kernel import Board, Kernel
from tablelaw.spec.diagnostics import Diagnostics, render
from tablelaw.spec.layouts import Layout
from tablelaw.spec.load import load
from tablelaw.spec.pieces import FacePart, Kind, Pieces
from tablelaw.testing.layouts import grown

HERE = Path(__file__).parent
SIDES: dict[str, tuple[str, ...]] = {"cap": ("N",), "corner": ("N", "E"), "straight": ("N", "S"), "tee": ("N", "E", "S")}


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


def rates(count: int) -> list[dict[str, Any]]:
    """All features of random layouts of nine dice, told three ways once each; the answers must be the same."""
    pieces, r = dice(), random.Random(1)
    tables = [grown(r, pieces, None, 9) for _ in range(count)]
    ways = {"networkx graphs": by_graphs, "plain layouts": by_layouts, "packed kernel": by_kernel(Kernel(pieces))}
    found, answers = [], set()
    for name, way in ways.items():
        told: list[object] = []
        spent = seconds(lambda way=way, told=told: told.extend(sorted(way(t)) for t in tables))  # type: ignore[misc]
        answers.add(str(told))
        found.append({"way": name, "layouts": count, "seconds": spent})
    if len(answers) != 1:
        raise rows.Differs("the ways do not find the same features")
    return found


def cities(n: int) -> dict[str, Any]:
    """How many closed cities of n dice the kernel makes: up to being moved along the grid, and up to turning as well."""
    keys: list[list[tuple[int, ...]]] = []

    def work() -> None:
        growth = Growth(Kernel(dice()), n, None, None, lambda: None)
        keys.extend(b.images(True) for b in growth.closed("city"))

    spent = seconds(work)
    return {"dice": n, "cities": sum(k[0] == min(k) for k in keys), "made": len(keys), "seconds": spent}


def by_c(program: Path, n: int) -> dict[str, Any]:
    """The two counts that a C program beside this file tells of n dice; it counts for all smaller numbers too."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    told = subprocess.run([str(program), str(n)], capture_output=True, text=True, check=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    counts = [int(word) for word in told.split("\n")[-2].split()[1:]]
    return {"dice": n, "counts": counts, "seconds": after.ru_utime - before.ru_utime}


def compiled(name: str, folder: Path) -> Path | None:
    """One of the C programs beside this file, compiled; None where there is no compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        return None
    program = folder / name
    subprocess.run([compiler, "-O2", "-o", str(program), str(HERE / f"{name}.c")], check=True)
    return program


def lines(dice: int) -> dict[str, Any]:
    """How many lines of so many Line Dice there are, open ones and closed ones, as `tablelaw check` counts them."""
    sink = Diagnostics()
    began = time.process_time()
    rules = load(str(EXAMPLES / "line-dice" / "rules.yaml"), sink)
    if rules is None:
        raise Faulty("\n".join(render(d) for d in sink.items))
    session = Session(rules, Request((f"lines-{dice}", f"loops-{dice}"), engine="explicit", cores=False), sink)
    session.check()
    found = [r for _, _, r in session.answers(list(session.selection.cases())) if r is not None]
    values = {r.question.split("-")[0]: int(r.verdict.value or -1) for r in found}
    return {"dice": dice, **values, "seconds": time.process_time() - began}
