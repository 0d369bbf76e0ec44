"""The dice game and Line Dice to a depth, beside Spin: games with boards, which no search comes to the end of."""

from __future__ import annotations

from typing import Any

import depth_page
import rows
import searched
import spin
from run import Results, Run

TITLE = "The dice game and Line Dice to a depth"


def _turns(turns: int, states: int, **more: Any) -> searched.Model:
    title = f"Dice game, {'one turn' if turns == 1 else 'two turns'}, board left open"
    return searched.Model(
        title, "dice_turns.yaml", {"turns": str(turns)}, states, 2, "dice_turns", (f"TURNS={turns}",), open_board=True, **more
    )


def _line(steps: int, states: int, **more: Any) -> searched.Model:
    return searched.Model(
        f"Line Dice, {steps} steps", "line-dice", {"supply": "endless"}, states, 2, "line_dice", (f"MOST={steps - 1}",),
        {"depth-first": ("-m1000", "-w20"), "breadth-first": ("-w20",)}, steps=steps, **more,
    )  # fmt: skip


MODELS = {
    "dice-1": _turns(1, 163_876, arguments={"depth-first": ("-m1000", "-w20"), "breadth-first": ("-w20",)}),
    "dice-2": _turns(2, 1_559_827, arguments={"breadth-first": ("-w23",)}, quick=False),
    "line-7": _line(7, 71_941),
    "line-8": _line(8, 270_661, quick=False, rounds=3),
    "line-9": _line(9, 1_007_173, quick=False, rounds=1),
}


SLOWEST, SLOWEST_ROUNDS = ("dice-1", "depth-first"), 3


def child(args: list[str]) -> dict[str, Any]:
    """A search in this process."""
    it = MODELS[args[0]]
    return searched.search(it, it.way)


def measure(run: Run) -> None:
    """Each game by both programs, in turns."""
    peer = run.peer(spin.missing(), spin.versions)
    run.results["depth"] = []
    for k in run.rounds():
        for name, it in MODELS.items():
            if (run.quick and not it.quick) or k >= it.rounds:
                continue
            run.attempt(f"{it.title} by tablelaw", lambda name=name, it=it: ours(run, name, it))  # type: ignore[misc]
            for order in it.arguments if peer else ():
                if (name, order) == SLOWEST and k >= SLOWEST_ROUNDS:
                    continue
                run.attempt(
                    f"{it.title} by Spin {order}",
                    lambda name=name, it=it, order=order: by_spin(run.results, name, it, order),  # type: ignore[misc]
                )


def ours(run: Run, name: str, it: searched.Model) -> None:
    """The search on one processor."""
    found = run.child(name, core=True)[0]
    _note(run.results, name, it, "tablelaw", found)


def by_spin(results: Results, name: str, it: searched.Model, order: str) -> None:
    """The model by hand in one order."""
    found = spin.weigh(it.spin, it.defines, order, it.arguments[order], it.states)
    _note(results, name, it, f"Spin {order}", found)


def _note(results: Results, name: str, it: searched.Model, program: str, found: dict[str, Any]) -> None:
    if found["states"] != it.states:
        raise rows.Differs(f"{it.title}: {program} finds {found['states']:,} states, and there are {it.states:,}")
    facts = {"title": it.title, "way": it.way, "states": it.states, "steps": found["steps"]}
    rows.put(results["depth"], {"game": name, "program": program}, facts, found["seconds"])
    row = next(r for r in results["depth"] if (r["game"], r["program"]) == (name, program))
    row.setdefault("mebibytes", []).append(found["mebibytes"])


def pages(results: Results) -> dict[str, str]:
    """The page of this part."""
    return {"benchmarks-depth.md": depth_page.write(results)}
