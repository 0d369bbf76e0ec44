"""The smallest changes of a position after which something holds: one number of one variable, or one piece taken away."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from tablelaw.checkers.standing import figures
from tablelaw.solver.evaluate import State
from tablelaw.solver.shapes import Unlowerable, leaves, numbers, read_back
from tablelaw.solver.trace import change_list
from tablelaw.spec.game import Game
from tablelaw.spec.grid import SIDES, Cell, step
from tablelaw.spec.layout_text import cell_text
from tablelaw.spec.layouts import Layout
from tablelaw.spec.operators import Fault
from tablelaw.spec.positions import shown
from tablelaw.spec.reckon import in_order
from tablelaw.spec.types import BagOf, CellType, LayoutType, SetOf, placed
from tablelaw.spec.values import Map

MOST_TRIED, FEW = 1_500, 3


def closest(game: Game, state: State, good: Callable[[State], bool | None], seconds: float) -> list[str]:
    """The changes, as `score[0] were 3 instead of 5`; at most three, the smallest first."""
    last = time.process_time() + seconds
    best: list[tuple[int, str]] = []
    for size, changed, words in _changes(game, state, lambda: min((b[0] for b in best), default=None)):
        if time.process_time() > last:
            break
        try:
            if good(changed):
                best.append((size, words or _told(game, state, changed)))
        except Fault:
            continue
    best.sort(key=lambda b: b[0])
    return [text for _, text in best[:FEW]]


def _changes(game: Game, state: State, least: Callable[[], int | None]) -> Iterator[tuple[int, State, str]]:
    """Positions that differ in one place, with how much; none that differ by more than the least that was found good."""
    tried = 0
    for v in game.variables:
        if placed(v.type):
            continue  # a layout, or something that lies on one
        try:
            slots, row = leaves(v.type), numbers(state[v.name], v.type)
        except Unlowerable:
            continue
        for at, (_path, lo, hi, _) in enumerate(slots):
            for new in sorted(range(lo, min(hi, lo + 200) + 1), key=lambda n, i=at, r=row: abs(n - r[i])):  # type: ignore[misc]
                size, found = abs(new - row[at]), least()
                if found is not None and size > found:
                    break
                if not size or tried > MOST_TRIED:
                    continue
                tried += 1
                given = [*row[:at], new, *row[at + 1 :]]
                value, _ = read_back(v.type, given, 0)
                if numbers(value, v.type) == given:
                    yield size, state.set(v.name, value), ""
    for v in game.variables:
        if isinstance(v.type, BagOf) and placed(v.type.elem):
            for k, n in list(state[v.name].items()):
                fewer = Map([(o, c - (o == k)) for o, c in state[v.name].items() if o != k or n > 1])
                yield 1, state.set(v.name, fewer), f"`{shown(k, v.type.elem)}` were not in `{v.name}`"
        elif isinstance(v.type, SetOf) and placed(v.type.elem):
            for k in in_order(state[v.name], v.type):
                yield 1, state.set(v.name, state[v.name] - {k}), f"`{shown(k, v.type.elem)}` were not in `{v.name}`"
    for v in game.variables:
        if isinstance(v.type, LayoutType):
            layout: Layout = state[v.name]
            held = {f.part.cell for f in figures(game, state)}
            held |= {state[o.name] for o in game.variables if isinstance(o.type, CellType)}
            for cell in (c for c in layout if c not in held):
                rest = {c: laid for c, laid in layout.cells.items() if c != cell}
                if rest and _connected(set(rest)):
                    yield 1, state.set(v.name, layout.with_cells(rest)), f"no piece lay on {cell_text(cell)} of `{v.name}`"


def _connected(cells: set[Cell]) -> bool:
    waiting = [next(iter(cells))]
    seen = set(waiting)
    while waiting:
        at = waiting.pop()
        for near in (step(at, s) for s in SIDES):
            if near in cells and near not in seen:
                seen.add(near)
                waiting.append(near)
    return len(seen) == len(cells)


def _told(game: Game, before: State, after: State) -> str:
    return " and ".join(f"{path} were {new} instead of {old}" for path, old, new in change_list(game, before, after))
