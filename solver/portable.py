"""An engine's evidence as plain data: what `--evidence` writes and `recheck` reads. The only bridge between the two."""

from __future__ import annotations

from typing import Any

from tablelaw.solver.plain_rows import Rows
from tablelaw.solver.trace import Trace
from tablelaw.solver.verdict import NoEvidence, Verdict
from tablelaw.spec.game import Game
from tablelaw.spec.values import Map


def portable(game: Game, verdict: Verdict) -> dict[str, Any] | None:
    """The evidence of a verdict, None where it has none. Where it needs states, `space` and `game` say which: see `states`.

    Raises `NoEvidence`, which says why there is none, and `NoRow`.
    """
    evidence: dict[str, Any] = verdict.evidence or {}
    kind = evidence.get("kind")
    if kind == "projected":
        found = portable(evidence["game"], Verdict(verdict.verdict, evidence=evidence["inner"]))
        return None if found is None else {**found, "projection": evidence["projection"]}
    if kind == "closed-set":
        return {"kind": kind, "space": evidence["space"], "game": game}
    if kind == "strategy":
        rank, who = list(evidence["rank"]), list(evidence["who"])
        return {"kind": kind, "space": evidence["space"], "game": game, "rank": rank, "who": who}
    if kind == "figures":
        from tablelaw.solver.chance.figures import bare

        table = evidence["figures"].table()
        found = {"kind": kind, "space": bare(table.ready, table.states), "game": game}
        return found | {"values": [str(x) for x in table.values], "policy": table.moves} if table.values else found
    if kind == "positions":
        return {"kind": "closed-set", "space": evidence["positions"](), "game": game}
    if kind == "none":
        raise NoEvidence(evidence["reason"])
    if kind == "ranking":
        return {"kind": kind, "steps": int(evidence["steps"])}
    if kind == "invariant":
        from tablelaw.solver.symbolic.export import invariant_text

        machine = evidence["machine"]
        open_settings = [dict(s) for s in machine.problem.game.left_open]
        return {"kind": kind, **invariant_text(evidence["formula"], machine), "left_open": open_settings}
    return None if verdict.trace is None else {"kind": "play", "states": _play(game, verdict.trace)}


def states(game: Game, space: Any) -> dict[str, object]:
    """The states of a space: packed, and how; or rows of plain data, with counters after them. Raises `NoRow`."""
    if hasattr(space, "pack"):
        slots = [{"name": f"{s.name}{''.join(f'[{p}]' for p in s.path)}", "low": s.lo, "high": s.hi} for s in space.model.slots]
        width = max(1, -(-space.pack.bits // 4))
        text = "".join(f"{s:0{width}x}" for s in space.states)
        return {"slots": slots, "width": width, "count": len(space.states), "states": text}
    names = [v.name for v in game.variables]
    turn, n = Rows(game), len(names)
    rows = []
    for s in space.states:
        row = space.rows[s]
        rows.append([*turn.row(Map(list(zip(names, row[:n], strict=True)))), *row[n:]])
    return {"variables": names, "counted": list(space.counters), "count": len(rows), "rows": rows}


def _play(game: Game, trace: Trace) -> list[list[object]]:
    turn = Rows(game)
    return [turn.row(s.state) for s in trace.steps]
