"""Proofs about the dice game beside models written by hand for z3."""

from __future__ import annotations

import time
from importlib.metadata import version
from typing import Any

import proofs_page
import rows
import z3_dice
from run import EXAMPLES, Faulty, Results, Run

TITLE = "Proofs beside z3 by hand"
LIMIT = 15.0
"""Seconds by the clock for a question; what takes longer is asked once."""
PLAYERS = (2, 5)


def child(args: list[str]) -> list[dict[str, Any]]:
    """Questions in this process: `rules` or `hand`, players, limit, what to leave out."""
    way, players, limit, skip = args[0], int(args[1]), float(args[2]), set(args[3].split(","))
    return by_rules(players, limit, skip) if way == "rules" else by_hand(players, limit, skip)


def by_rules(players: int, limit: float, skip: set[str]) -> list[dict[str, Any]]:
    """The questions that have a peer to z3, each through a fresh engine, from the rules file."""
    from tablelaw.solver import evaluate
    from tablelaw.solver.engine import Engines
    from tablelaw.solver.space.graph import Budget
    from tablelaw.spec.diagnostics import Diagnostics, render
    from tablelaw.spec.load import load
    from tablelaw.spec.questions import Reader

    sink = Diagnostics()
    rules = load(str(EXAMPLES / "carcassonne-dice" / "rules.yaml"), sink)
    game = rules.game({}, players, sink) if rules is not None else None
    if game is None or sink.has_errors:
        raise Faulty("\n".join(render(d) for d in sink.items))
    reader, found = Reader(game, sink, evaluate.starts(game)[0]), []
    for name in z3_dice.QUESTIONS:
        asked = None if name in skip else reader.question(game.document.questions[name])
        if asked is None:
            continue
        began = time.process_time()
        verdict = Engines(game, "symbolic", cores=False).ask(asked, Budget(limit))
        spent = time.process_time() - began
        found.append({"question": name, "method": "tablelaw", "verdict": verdict.verdict, "seconds": spent})
    return found


def by_hand(players: int, limit: float, skip: set[str]) -> list[dict[str, Any]]:
    """The models by hand, each question by each method."""
    found = []
    for question, method in z3_dice.ASKED:
        if f"{question}/{method}" in skip:
            continue
        began = time.process_time()
        verdict = z3_dice.METHODS[method](question, players, limit)
        spent = time.process_time() - began
        found.append({"question": question, "method": method, "verdict": verdict, "seconds": spent})
    return found


def measure(run: Run) -> None:
    """Both, in turns."""
    limit = LIMIT / 2 if run.quick else LIMIT
    run.results["versions"]["z3"] = version("z3-solver")
    run.results |= {"limit": limit, "proofs": []}
    over: dict[str, set[str]] = {}
    for _ in run.rounds():
        for players in PLAYERS[:1] if run.quick else PLAYERS:
            for way in ("rules", "hand"):
                skip = over.setdefault(f"{way} {players}", set())
                what = f"dice game, {players} players, {way}"
                run.attempt(what, lambda w=way, p=players, s=skip: _one(run, w, p, limit, s))  # type: ignore[misc]


def _one(run: Run, way: str, players: int, limit: float, skip: set[str]) -> None:
    for r in run.child(way, str(players), str(limit), ",".join(skip))[0]:
        keys = {"players": players, "question": r["question"], "method": r["method"]}
        rows.put(run.results["proofs"], keys, {"verdict": r["verdict"]}, {"proof": r["seconds"]})
        if "unknown" in r["verdict"] or r["seconds"] > limit:
            skip.add(r["question"] if way == "rules" else f"{r['question']}/{r['method']}")


def pages(results: Results) -> dict[str, str]:
    """The page of this part."""
    return {"benchmarks-proofs.md": proofs_page.write(results)}
