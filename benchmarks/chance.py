"""Odds and means beside the model checker Storm.

tablelaw reads the rules file of an example; Storm reads a model written by hand for it (`benchmarks/models/*.prism`), with
variables and guards as its authors would have them. Each run of either is a process of its own, in turns.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import chance_page
import rows
import storm
from run import EXAMPLES, MODELS, Results, Run

TITLE = "Odds"
LIMIT = 600.0
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Figure:
    """A question of an example, and the same asked of a model by hand."""

    title: str
    example: str
    question: str
    model: str
    asked: str
    options: dict[str, str] = field(default_factory=dict)
    players: int = 1
    exactly: bool = True
    """Can Storm answer it in fractions within a minute or so?"""
    quick: bool = True


FIGURES = {
    "coupon": Figure(
        "Coupons, 7 in threes", "coupon-collector", "expected-rounds", "coupon", 'R{"rounds"}=? [ F "complete" ]',
        {"coupons": "7", "draws": "3"},
    ),
    "shut-the-box": Figure("Shut the Box", "shut-the-box", "close", "shut_the_box", 'Pmax=? [ F "shut" ]'),
    "both-hold": Figure(
        "Pig to 100, both hold at 20", "pig", "both-hold-at-20", "pig_both_hold", 'P=? [ F "won" ]', players=2, quick=False,
    ),
    "against-hold": Figure(
        "Pig to 100, best against hold at 20", "pig", "against-hold-at-20", "pig_hold", 'Pmax=? [ F "won" ]',
        {"second-player": "hold-at-20"}, 2, exactly=False, quick=False,
    ),
}  # fmt: skip


def child(args: list[str]) -> Row:
    """One measurement, in this process."""
    it = FIGURES[args[1]]
    if args[0] == "storm":
        found = storm.ask(MODELS / f"{it.model}.prism", it.asked, args[2])
        return {"value": str(found.value), "states": found.states, "seconds": found.seconds}
    began = time.process_time()
    from tablelaw.solver.chance import engine as _loaded  # noqa: F401
    from tablelaw.solver.engine import Engines
    from tablelaw.solver.evaluate import starts
    from tablelaw.solver.space.graph import Budget
    from tablelaw.spec.diagnostics import Diagnostics
    from tablelaw.spec.load import load
    from tablelaw.spec.questions import Reader
    from tablelaw.spec.settings import defaults

    loaded, sink = time.process_time(), Diagnostics()
    rules = load(str(EXAMPLES / it.example / "rules.yaml"), sink)
    assert rules is not None
    game = rules.game({**defaults(rules.document), **it.options}, it.players, sink)
    assert game is not None, [d.message for d in sink]
    asked = Reader(game, sink, starts(game)[0]).question(rules.document.questions[it.question])
    assert asked is not None
    read = time.process_time()
    verdict = Engines(game).figure(asked, Budget(LIMIT))
    done = time.process_time()
    told: Row = {"load": loaded - began, "read": read - loaded, "figure": done - read}
    return {"value": verdict.value, "interval": verdict.interval, "states": verdict.states, "seconds": told}


def measure(run: Run) -> None:
    """All figures by both programs, in turns."""
    peer = run.peer(storm.missing(), storm.versions)
    run.results["rows"] = {}
    for _ in run.rounds():
        for name, it in FIGURES.items():
            if run.quick and not it.quick:
                continue
            ways = [w for w in storm.WAYS if it.exactly or w != "exact"] if peer else []
            for way in ("tablelaw", *ways):
                run.attempt(f"{it.title} by {way}", lambda name=name, way=way: _one(run, name, way))  # type: ignore[misc]


def _one(run: Run, name: str, way: str) -> None:
    """One run of one program; what was answered must be the same each time."""
    found = run.child(*(("figure", name) if way == "tablelaw" else ("storm", name, way)), core=True)[0]
    ways = run.results["rows"].setdefault(name, {})
    kept = ways.setdefault(way, {**found, "title": FIGURES[name].title, "seconds": {s: [] for s in found["seconds"]}})
    if kept["value"] != found["value"]:
        raise rows.Differs(f"{kept['value']} at first and {found['value']} now")
    for s, t in found["seconds"].items():
        kept["seconds"][s].append(t)


def pages(results: Results) -> dict[str, str]:
    """The page of this part."""
    return {"benchmarks-chance.md": chance_page.write(results)}
