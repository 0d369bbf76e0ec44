"""What is searched, and the search as tablelaw does it, in a process of its own."""

from __future__ import annotations

import resource
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from run import EXAMPLES, Faulty
from run import MODELS as FILES

SMALL = 20_000
"""Up to so many states generated Python does it: no compiler is waited for."""


@dataclass(frozen=True, slots=True)
class Model:
    """A game to be searched whole; `spin`: its peer with definitions and arguments by order, `tlc`: a module.

    `example` is a folder of the examples, or a file of `models/`. `open_board`: boards are projected away. `steps`: only
    positions within so many. `rounds`: how often at most it is measured.
    """

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
    open_board: bool = False
    steps: int = 0
    rounds: int = 1000

    @property
    def rules(self) -> Path:
        """The rules file."""
        return FILES / self.example if self.example.endswith(".yaml") else EXAMPLES / self.example / "rules.yaml"

    @property
    def way(self) -> str:
        """Who searches it: compiled `C`, or generated `Python` where it is small or has boards."""
        return "C" if self.states > SMALL and (self.open_board or not self.steps) else "Python"


MODELS = {
    "tic-tac-toe": Model(
        "Tic-tac-toe", "tic-tac-toe", {}, 5_478, players=2, spin="tic_tac_toe",
        arguments={"depth-first": ("-m1000", "-w14"), "breadth-first": ("-w14",)},
    ),
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


def floor() -> int:
    """The most memory that this process has held up to now, in MiB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def search(it: Model, way: str) -> dict[str, Any]:
    """All states, or those within so many steps, each with the state it was met from; `way`: `C` or `Python`."""
    from tablelaw.solver import evaluate
    from tablelaw.solver.explicit.engine import Explicit
    from tablelaw.solver.native.space import NativeSpace
    from tablelaw.solver.projection import Projection
    from tablelaw.solver.space.graph import Budget
    from tablelaw.spec.diagnostics import Diagnostics, render
    from tablelaw.spec.load import load
    from tablelaw.spec.questions import Reader

    sink = Diagnostics()
    rules = load(str(it.rules), sink)
    game = rules.game(it.options, it.players, sink) if rules is not None else None
    if game is None or sink.has_errors:
        raise Faulty("\n".join(render(d) for d in sink.items))
    reader = Reader(game, sink, evaluate.starts(game)[0])
    some = game.document.questions.get("states") or next(iter(game.document.questions.values()))
    question = reader.question(some)
    assert question is not None
    states = replace(question, kind="count", formula=None, where=None, given=None)
    problem, space = Explicit(Projection(game).game if it.open_board else game).prepared(states)
    before, began = floor(), time.monotonic()
    if way == "C":
        space = NativeSpace(problem.model, Budget())
    else:
        space.formula(space.ended)
        assert callable(space.successors)  # made on first use
    made, spent = time.monotonic(), time.process_time()
    if it.steps:
        for _ in range(it.steps):
            space.expand(Budget(), len(space.states) - space.expanded)
    else:
        space.explore(Budget())
    used = time.process_time() - spent
    if len(space.parents) != len(space.states):
        raise Faulty("a state without the one it was met from")
    return {
        "states": len(space.states),
        "steps": space.steps,
        "bits": getattr(getattr(space, "pack", None), "bits", 0),
        "floor": before,
        "mebibytes": floor(),
        "seconds": {"search": space.seconds, "processor": used, "made": made - began},
    }
