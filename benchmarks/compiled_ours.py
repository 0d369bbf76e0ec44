"""Compiled search as tablelaw does it, for compiled.py: each function runs in a process of its own and tells figures."""

from __future__ import annotations

import resource
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[1] / "examples"


@dataclass(frozen=True, slots=True)
class Model:
    """A game to be searched whole; `spin`: its peer with definitions and arguments by order, `tlc`: a module."""

    title: str
    example: str
    options: dict[str, str]
    states: int
    players: int = 1
    spin: str = ""
    defines: tuple[str, ...] = ()
    arguments: dict[str, tuple[str, ...]] = field(default_factory=dict)
    tlc: str = ""
    quick: bool = True

    @property
    def rules(self) -> Path:
        """The rules file."""
        return EXAMPLES / self.example / "rules.yaml"


MODELS = {
    "puzzle": Model(
        "Sliding puzzle 3×3", "sliding-puzzle", {"rows": "3", "columns": "3"}, 181_440,
        spin="sliding_puzzle", tlc="SlidingPuzzle",
        arguments={"depth-first": ("-m120000", "-w20"), "breadth-first": ("-w20",)},
    ),
    "hanoi": Model(
        "Hanoi, 4 pegs, 10 discs", "hanoi", {"pegs": "4", "discs": "10"}, 1_048_576,
        spin="hanoi", tlc="Hanoi", defines=("TOWER=1023",), quick=False,
        arguments={"depth-first": ("-m120000", "-w22"), "breadth-first": ("-w22",)},
    ),
    "connect": Model(
        "Connect-4, 4 rows, 5 columns", "connect", {"rows": "4", "columns": "5", "line": "4"}, 3_945_711, players=2,
        spin="connect", quick=False,
        arguments={"depth-first": ("-m1000", "-w22"), "breadth-first": ("-w22",)},
    ),
}  # fmt: skip
PYTHON_MOST = 1_100_000
"""States up to which generated Python is measured too."""


def _hanoi(discs: int) -> Model:
    return Model(f"Hanoi, {discs} discs", "hanoi", {"pegs": "4", "discs": str(discs)}, 4**discs, quick=discs < 9)


def _connect(rows: int, columns: int, states: int) -> Model:
    options = {"rows": str(rows), "columns": str(columns), "line": "3"}
    return Model(f"Connect-3, {rows}×{columns}", "connect", options, states, players=2, quick=states < 200_000)


CURVES = {
    "Hanoi with four pegs": {f"hanoi-{n}": _hanoi(n) for n in range(6, 13)},
    "Connect, lines of three": {
        f"connect-{r}-{c}": _connect(r, c, n)
        for r, c, n in ((3, 4, 7_157), (4, 4, 41_750), (5, 4, 195_472), (4, 5, 613_459), (5, 5, 4_176_536))
    },
}
"""The same rules on larger and larger boards."""
GROWING = {name: m for curve in CURVES.values() for name, m in curve.items()}


def floor() -> int:
    """The most memory that this process has held up to now, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def search(name: str, way: str) -> dict[str, Any]:
    """All states, with the state that each was met from; `way`: `C` or `Python`."""
    from tablelaw.solver import evaluate
    from tablelaw.solver.explicit.engine import Explicit
    from tablelaw.solver.native.space import NativeSpace
    from tablelaw.solver.space.graph import Budget
    from tablelaw.spec.diagnostics import Diagnostics, render
    from tablelaw.spec.load import load
    from tablelaw.spec.questions import Reader

    it = GROWING.get(name) or MODELS[name]
    sink = Diagnostics()
    rules = load(str(it.rules), sink)
    game = rules.game(it.options, it.players, sink) if rules is not None else None
    if game is None or sink.has_errors:
        raise SystemExit("\n".join(render(d) for d in sink.items))
    question = Reader(game, sink, evaluate.starts(game)[0]).question(game.document.questions["states"])
    assert question is not None
    problem, space = Explicit(game).prepared(question)
    before, began = floor(), time.monotonic()
    if way == "C":
        space = NativeSpace(problem.model, Budget())
    else:
        space.formula(space.ended)
        assert callable(space.successors)  # made on first use
    made, spent = time.monotonic(), time.process_time()
    space.explore(Budget())
    used = time.process_time() - spent
    if len(space.parents) != len(space.states):
        raise SystemExit("a state without the one it was met from")
    return {
        "states": len(space.states),
        "steps": space.steps,
        "bits": space.pack.bits,
        "floor": before,
        "mebibytes": floor(),
        "seconds": {"search": space.seconds, "processor": used, "made": made - began},
    }
