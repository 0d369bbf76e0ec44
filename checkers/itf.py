"""Plays as traces in the Informal Trace Format of Apalache: JSON that tools for TLA+ and Quint read, and tests can follow."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablelaw.solver.trace import Trace, step_text
from tablelaw.spec.game import Game
from tablelaw.spec.load import Rules
from tablelaw.spec.reckon import bag_items, in_order
from tablelaw.spec.source import write_whole
from tablelaw.spec.types import (
    BagOf,
    Bool,
    CellType,
    EdgeType,
    Int,
    LayoutType,
    ListOf,
    MapOf,
    Maybe,
    PartType,
    Record,
    SetOf,
    Type,
)
from tablelaw.spec.values import Value

if TYPE_CHECKING:
    from tablelaw.checkers.result import Result

ADDED = ("action", "picks", "drawn", "actor")
"""Variables of a trace that are none of the game: what was done to come to a state."""
NOBODY = -1
"""The actor of the table and of the start."""


def itf_value(found: Value, kind: Type) -> object:
    """A value as the format writes it.

    Numbers are `#bigint`, a bag is a map from what it holds to how often, a layout a map from squares to the face and the
    rotation that lie there. A value that may be missing is a list of one or none: not every reader knows tagged unions.
    """
    match kind:
        case Bool():
            return bool(found)
        case Int():
            return _number(found)
        case Maybe(elem):
            return [] if found is None else [itf_value(found, elem)]
        case SetOf(elem):
            return {"#set": [itf_value(v, elem) for v in in_order(found, kind)]}
        case BagOf(elem):
            return {"#map": [[itf_value(k, elem), _number(n)] for k, n in bag_items(found, kind) if n]}
        case ListOf(elem):
            return [itf_value(v, elem) for v in found]
        case MapOf(key, inner):
            return {"#map": [[itf_value(k, key), itf_value(v, inner)] for k, v in found.items()]}
        case Record(_, fields):
            return {name: itf_value(found[name], inner) for name, inner in fields}
        case LayoutType(cell=square):
            laid = ((c, *found.cells[c]) for c in found)
            return {"#map": [[itf_value(c, square), {"face": face, "rotation": _number(turned)}] for c, face, turned in laid]}
        case CellType():
            return {"x": _number(found.x), "y": _number(found.y)}
        case EdgeType(square):
            return {"cell": itf_value(found.cell, square), "side": found.side}
        case PartType(square, _, sides):
            return {"cell": itf_value(found.cell, square), "kind": found.kind, "side": itf_value(found.side, Maybe(sides))}
    return str(found)


def _number(n: int) -> dict[str, str]:
    return {"#bigint": str(int(n))}


def itf_trace(game: Game, trace: Trace, about: dict[str, object]) -> dict[str, object]:
    """A play as one object of the format; `about` goes into its `#meta`.

    Besides the variables of the game each state says what led to it: `action` (`start` in the first), `picks`, `drawn` and
    `actor` (-1: the table). Where the game has a variable of such a name an underscore follows. A play that goes round for
    ever has `loop`: its last state is the one with that number again.
    """
    taken = {v.name for v in game.variables}
    action, picks, drawn, actor = (_free(name, taken) for name in ADDED)
    states: list[dict[str, object]] = []
    for number, step in enumerate(trace.steps):
        meta: dict[str, object] = {"index": number, "step": step_text(game, step), "clauses": list(step.clauses)}
        if step.fault is not None:
            meta["fault"] = step.fault
        done = game.action(step.move.action) if step.move is not None else None
        params = {b.name: b.type for b in done.params} if done is not None else {}
        chances = {d.name: d.type for d in done.draws} if done is not None else {}
        states.append(
            {
                "#meta": meta,
                **{v.name: itf_value(step.state[v.name], v.type) for v in game.variables},
                action: "start" if step.move is None else step.move.action,
                picks: {n: itf_value(v, params[n]) for n, v in (step.move.args if step.move is not None else ())},
                drawn: {n: itf_value(v, chances[n]) for n, v in step.drawn},
                actor: _number(NOBODY if step.move is None or step.move.actor is None else step.move.actor),
            }
        )
    said: dict[str, object] = {"format": "ITF", "description": "written by tablelaw", **about}
    if trace.loop_from is not None and trace.rising:  # these rise from round to round, so that no state comes again
        said |= {"again_but_for": list(trace.rising), "from": trace.loop_from}
    whole: dict[str, object] = {
        "#meta": said,
        "params": [],
        "vars": [*(v.name for v in game.variables), action, picks, drawn, actor],
    }
    if trace.loop_from is not None and not trace.rising:
        whole["loop"] = trace.loop_from
    return {**whole, "states": states}


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def itf_text(whole: dict[str, object]) -> str:
    """The object as a file, a line for each of its parts and each state."""
    rows = [f"{_json(key)}: {_json(part)}" for key, part in whole.items() if key != "states"]
    found = whole["states"]
    assert isinstance(found, list)
    states = ",\n  ".join(map(_json, found))
    rows.append(f'"states": [\n  {states}\n ]')
    return "{\n " + ",\n ".join(rows) + "\n}\n"


def _json(part: object) -> str:
    return json.dumps(part, ensure_ascii=False)


def write_plays(folder: Path, named: list[tuple[str, Result]], rules: Rules) -> list[dict[str, Any]]:
    """Write `NAME.itf.json` for each answer that shows a play; the rows for the index."""
    rows: list[dict[str, Any]] = []
    for name, r in named:
        told: dict[str, object] = {"question": r.question, "options": r.options, "players": r.players}
        trace, game = r.verdict.trace, r.game
        if trace is None or game is None:
            rows.append({**told, "reason": "no play shows it"})
            continue
        about = {**told, "game": rules.document.game, "spec_hash": rules.digest, "verdict": r.verdict.verdict}
        write_whole(folder / f"{name}.itf.json", itf_text(itf_trace(game, trace, about)))
        rows.append({**told, "file": f"{name}.itf.json"})
    return rows
