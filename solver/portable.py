"""An engine's evidence as plain data: what `--evidence` writes and `recheck` reads. The only bridge between the two."""

from __future__ import annotations

from typing import Any

from tablelaw.solver.trace import Trace, to_numbers
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.game import Game


def portable(game: Game, verdict: Verdict) -> dict[str, Any] | None:
    """The evidence of a verdict, None where it has none; states are lists of numbers, in the order of the slots."""
    evidence: dict[str, Any] = verdict.evidence or {}
    kind = evidence.get("kind")
    if kind == "closed-set":
        return {"kind": kind, **_states(evidence["space"])}
    if kind == "strategy":
        return {"kind": kind, **_states(evidence["space"]), "rank": list(evidence["rank"]), "who": list(evidence["who"])}
    if kind == "ranking":
        return {"kind": kind, "steps": int(evidence["steps"])}
    if kind == "invariant":
        from tablelaw.solver.symbolic.export import invariant_text

        machine = evidence["machine"]
        open_settings = [dict(s) for s in machine.problem.game.left_open]
        return {"kind": kind, **invariant_text(evidence["formula"], machine), "left_open": open_settings}
    return None if verdict.trace is None else {"kind": "play", "states": _play(game, verdict.trace)}


def _states(space: Any) -> dict[str, Any]:
    """The packed states, and how they are packed."""
    slots = [{"name": f"{s.name}{''.join(f'[{p}]' for p in s.path)}", "low": s.lo, "high": s.hi} for s in space.model.slots]
    return {"packed": list(space.states), "bits": space.pack.bits, "slots": slots}


def _play(game: Game, trace: Trace) -> list[list[int]]:
    return [to_numbers(game, s.state) for s in trace.steps]
