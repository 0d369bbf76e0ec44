"""What tablelaw itself is measured by. Each function runs in a process of its own, started by run.py, and tells figures."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tablelaw.checkers.selection import Request
from tablelaw.checkers.session import Session
from tablelaw.solver import evaluate
from tablelaw.solver.engine import Engines
from tablelaw.solver.explicit.engine import Explicit
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.symbolic.engine import KINDS
from tablelaw.spec.diagnostics import Diagnostics, render
from tablelaw.spec.document import text
from tablelaw.spec.game import Game
from tablelaw.spec.load import load
from tablelaw.spec.questions import Asked, Reader

HERE = Path(__file__).parent
EXAMPLES = HERE.parent / "examples"
DICE = EXAMPLES / "carcassonne-dice" / "rules.yaml"
LINES = EXAMPLES / "line-dice" / "rules.yaml"


@dataclass(frozen=True, slots=True)
class Search:
    """A game to be searched whole, or until so many states are met. `model`: its peer for Spin, with its definitions."""

    title: str
    rules: Path
    states: int
    cap: int = 0
    larger: bool = False  # heaps of 31 in place of 7: the rules with that one number changed
    model: str | None = None
    defines: tuple[str, ...] = ()
    quick: bool = True


SEARCHES = {
    "tic-tac-toe": Search("Tic-tac-toe", EXAMPLES / "tic-tac-toe" / "rules.yaml", 5478, model="tic_tac_toe"),
    "nim": Search("Nim 7-7-7", EXAMPLES / "nim" / "rules.yaml", 1016, model="nim", defines=("HEAP=7",)),
    "nim-31": Search("Nim 31-31-31", EXAMPLES / "nim" / "rules.yaml", 65528, larger=True, model="nim", defines=("HEAP=31",)),
    "dice-turn": Search("Dice game, first turn", HERE / "dice_turn.yaml", 163876, model="dice_turn", quick=False),
    "dice": Search("Dice game, 2 players, cut", DICE, 0, cap=100_000, quick=False),
}


class Faulty(Exception):
    """The rules that are to be measured have faults."""


def asked(rules_file: Path, players: int) -> tuple[Game, list[Asked]]:
    """The game under its default options with every question that can be asked of it."""
    sink = Diagnostics()
    rules = load(str(rules_file), sink)
    game = rules.game({}, players, sink) if rules is not None else None
    if game is None or sink.has_errors:
        raise Faulty("\n".join(render(d) for d in sink.items))
    reader = Reader(game, sink, evaluate.starts(game)[0])
    questions = [q for q in game.document.questions.values() if text(q.node.get("players")) in ("", str(players))]
    return game, [a for q in questions if (a := reader.question(q)) is not None]


def search(name: str) -> dict[str, Any]:
    """Seconds to read the rules, to make the successor function, and to search; with the counts."""
    it = SEARCHES[name]
    began = time.process_time()
    with TemporaryDirectory() as folder:
        file = it.rules
        if it.larger:
            changed = file.read_text(encoding="utf-8")
            for old, new in (("1..7", "1..31"), ("0..7", "0..31"), ("default: 7", "default: 31")):
                changed = changed.replace(old, new)
            file = Path(folder) / "rules.yaml"
            file.write_text(changed, encoding="utf-8")
        game, questions = asked(file, 2)
    read = time.process_time()
    states = next((a for a in questions if a.id == "states"), None) or replace(questions[0], kind="count", formula=None)
    _, space = Explicit(game).prepared(states)
    if callable(space.successors):  # made on first use, before the clock of the search starts
        made = time.process_time()
    try:
        space.explore(Budget(states=it.cap))
    except OutOfBudget:
        if not it.cap:
            raise
    found = time.process_time()
    return {
        "states": len(space.states),
        "expanded": space.expanded,
        "steps": space.steps,
        "seconds": {"read": read - began, "made": made - read, "search": found - made},
    }


def proofs(players: int, limit: float, skip: set[str], only: set[str] | None) -> list[dict[str, Any]]:
    """Each question of the dice game to z3 through a fresh engine, and then all that were proved to one engine."""
    game, questions = asked(DICE, players)
    found, proved = [], []
    for a in questions:
        if a.kind not in KINDS or a.id in skip or (only is not None and a.id not in only):
            continue
        began = time.process_time()
        verdict, known, trace = _ask(Engines(game, "symbolic", cores=False), a, limit)
        spent = time.process_time() - began
        found.append({"question": a.id, "kind": a.kind, "verdict": verdict, "known": known, "play": trace, "seconds": spent})
        if known == "proved" and not trace:
            proved.append(a)
    engine = Engines(game, "symbolic", cores=False)
    began = time.process_time()
    for a in proved:
        _ask(engine, a, limit)
    spent = time.process_time() - began
    return [
        *found,
        {"question": "", "kind": "together", "verdict": str(len(proved)), "known": "", "play": False, "seconds": spent},
    ]


def _ask(engine: Engines, a: Asked, limit: float) -> tuple[str, str, bool]:
    v = engine.ask(a, Budget(limit))
    return v.value if v.verdict == "value" and v.value else v.verdict, v.known_by or "", v.trace is not None


def lines(dice: int) -> dict[str, Any]:
    """How many lines of so many Line Dice there are, open ones and closed ones, as `tablelaw check` counts them."""
    sink = Diagnostics()
    began = time.process_time()
    rules = load(str(LINES), sink)
    if rules is None:
        raise Faulty("\n".join(render(d) for d in sink.items))
    session = Session(rules, Request((f"lines-{dice}", f"loops-{dice}"), engine="explicit", cores=False), sink)
    session.check()
    found = [r for _, _, r in session.answers(list(session.selection.cases())) if r is not None]
    values = {r.question.split("-")[0]: int(r.verdict.value or -1) for r in found}
    return {"dice": dice, **values, "seconds": time.process_time() - began}
