"""How many states there are when those listed stand for their images: of each, how many images it has, itself among them."""

from __future__ import annotations

import ctypes
import random
from importlib.resources import files

from tablelaw.solver.ir import Model, Term
from tablelaw.solver.native.compiler import NoCompiler, library
from tablelaw.solver.native.space import NativeSpace
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.generate import native_formula, native_one
from tablelaw.solver.space.graph import Budget, Space
from tablelaw.solver.space.images import image
from tablelaw.solver.space.tongues import WORD

SAMPLE = 1_000


def size(space: Space, s: int) -> int:
    """How many states a listed one stands for."""
    return len({s, *(image(space.pack, moved, s) for moved in space.model.among)})


def total(space: Space, good: Term | None, budget: Budget) -> int:
    """How many states all stand for where a formula holds that means the same for images. Exact."""
    fine = None if good is None else space.formula(good)
    try:
        counted = _compiled(space, good, budget) if isinstance(space, NativeSpace) else None
    except (NoCompiler, Unlowerable):
        counted = None
    if counted is not None:
        return counted
    found = 0
    for i, s in enumerate(space.states):
        if fine is None or fine(s):
            found += size(space, s)
        if not i % 4096:
            budget.check()
    return found


def about(space: Space) -> tuple[int, bool]:
    """How many states all stand for, and whether that is exact: where they are many some of them are looked at."""
    n = len(space.states)
    if n <= SAMPLE:
        return sum(size(space, s) for s in space.states), True
    some = random.Random(0).sample(range(n), SAMPLE)
    return round(n * sum(size(space, space.states[i]) for i in some) / SAMPLE), False


def _source(model: Model, good: Term, words: int) -> str:
    folder = files("tablelaw.solver.reduce")
    head = files("tablelaw.solver.native").joinpath("head.c").read_text(encoding="utf-8")
    parts = [f"#define WORDS {words}", head, native_one(model, "state"), native_formula(model, good, "good")]
    return "\n".join([*parts, folder.joinpath("orbits.c").read_text(encoding="utf-8")])


def _compiled(space: NativeSpace, good: Term | None, budget: Budget) -> int:
    """By compiled code, over states as they lie in memory."""
    words = max(1, -(-space.pack.bits // WORD))
    call = library(_source(space.model, space.model.terms.true if good is None else good, words), budget).orbits_total
    call.restype = ctypes.c_uint64
    found, size_of = 0, 8 * words
    for first in range(0, len(space.states), 65536):
        rows = b"".join(s.to_bytes(size_of, "little") for s in space.states[first : first + 65536])
        found += int(call(rows, ctypes.c_uint64(len(rows) // size_of)))
        budget.check()
    return found
