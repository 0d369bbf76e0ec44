"""Plays as evidence: steps taken by the reference evaluator, whatever engine found them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field

from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import Move, Outcome, State
from tablelaw.solver.shapes import numbers, read_back
from tablelaw.spec.game import Action, End, Game
from tablelaw.spec.grid import Cell
from tablelaw.spec.layout_text import cell_text, piece_text
from tablelaw.spec.layouts import Laid, Layout
from tablelaw.spec.operators import Fault
from tablelaw.spec.positions import plain, shown
from tablelaw.spec.reckon import Place, value
from tablelaw.spec.types import BagOf, LayoutType, MapOf, Type
from tablelaw.spec.values import Map, Value


@dataclass(frozen=True, slots=True)
class Step:
    """One move or table action and the state it leads to; the first step of a trace is the start, its move None."""

    state: State
    move: Move | None = None
    drawn: tuple[tuple[str, Value], ...] = ()
    clauses: tuple[str, ...] = ()
    fault: str | None = None


@dataclass(slots=True)
class Trace:
    """A play; with `loop_from` the last state is that of the step with this number, and the play goes round for ever."""

    steps: list[Step] = field(default_factory=list)
    loop_from: int | None = None
    rising: tuple[str, ...] = ()


def to_numbers(game: Game, state: State) -> list[int]:
    """The numbers of all slots."""
    return [n for v in game.variables for n in numbers(state[v.name], v.type)]


def to_state(game: Game, slots: Sequence[int]) -> State:
    """The state that the slots' numbers stand for."""
    found: list[tuple[str, Value]] = []
    at = 0
    row = list(slots)
    for v in game.variables:
        value, at = read_back(v.type, row, at)
        found.append((v.name, value))
    return Map(found)


def _end(game: Game, state: State) -> End | None:
    """The end clause that holds; none where that has a fault, which is told of the step that follows."""
    try:
        return evaluate.end(game, state)
    except Fault:
        return None


def first_step(state: State, game: Game) -> Step:
    """The start of a trace."""
    end = _end(game, state)
    return Step(state, clauses=(end.id,) if end else ())


def take(game: Game, state: State, move: Move, drawn: tuple[tuple[str, Value], ...]) -> Step:
    """The step that a move and its draw make, of the player who has it by the rules."""
    action = game.action(move.action)
    if action is not None and _mover(game, state, action) != move.actor:
        from tablelaw.solver.verdict import InternalFault

        raise InternalFault(f"a play has a step of `{move.action}` by another than the rules say")
    out = evaluate.apply(game, state, move, drawn)
    return _step(game, move, drawn, out)


def _mover(game: Game, state: State, action: Action) -> Value:
    """Who takes a step of the action; none for the table."""
    return None if action.by is None else value(action.by, evaluate.place(game, state))


def _step(game: Game, move: Move, drawn: tuple[tuple[str, Value], ...], out: Outcome) -> Step:
    if out.fault is not None:
        return Step(out.state, move, drawn, tuple(dict.fromkeys((*out.fired, out.blame))), out.fault.message)
    action = game.action(move.action)
    end = _end(game, out.state)
    own = () if action is not None and move.action in out.fired else (move.action,)
    return Step(out.state, move, drawn, tuple(dict.fromkeys((*own, *out.fired, *((end.id,) if end else ())))))


def connect(game: Game, before: State, after: State) -> Step | None:
    """The first step of the evaluator from one state to another; None when there is none."""
    for move in evaluate.moves(game, before):
        for drawn in evaluate.sound_draws(game, before, move):
            out = evaluate.apply(game, before, move, drawn)
            if out.fault is None and out.state == after:
                return _step(game, move, drawn, out)
    return None


def replay(game: Game, states: Sequence[State], loop_from: int | None = None) -> Trace | None:
    """The trace through these states, each step taken by the evaluator; None when a step cannot be taken."""
    trace = Trace([first_step(states[0], game)], loop_from)
    for before, after in itertools.pairwise(states):
        step = connect(game, before, after)
        if step is None:
            return None
        trace.steps.append(step)
    return trace


def fault_step(game: Game, state: State) -> Step | None:
    """The first step from a state that has a fault: in deciding what is legal, in a draw or in an effect."""
    try:
        found = evaluate.moves(game, state)
    except Fault as fault:
        return Step(state, fault=fault.message, clauses=_blame(game, state))
    try:
        evaluate.winners(game, state)
    except Fault as fault:
        end = evaluate.end(game, state)
        return Step(state, fault=fault.message, clauses=(end.id,) if end else ())
    for move in found:
        try:
            drawn_all = evaluate.draws(game, state, move)
        except Fault as fault:
            return Step(state, move, fault=fault.message, clauses=(move.action,))
        for drawn, _ in drawn_all:
            out = evaluate.apply(game, state, move, drawn)
            if out.fault is not None:
                return _step(game, move, drawn, out)
            try:
                evaluate.winners(game, out.state)
            except Fault as fault:
                return Step(out.state, move, drawn, (), fault.message)
    return None


def _blame(game: Game, state: State) -> tuple[str, ...]:
    """The clause whose reading has the fault."""
    here = Place(state, game.players)
    for e in game.ends:
        try:
            value(e.when, here)
        except Fault:
            return (e.id,)
    for action in game.actions:
        try:
            opened = list(evaluate.open_moves(game, state, action))
        except Fault:
            return (action.name,)
        for _, there in opened:
            for c in action.checks:
                try:
                    if not value(c.formula, there) and not any(value(x, there) for x in c.lifted):
                        break
                except Fault:
                    return (c.id,)
    return ()


def move_text(game: Game, move: Move) -> str:
    """`take(n=2)`."""
    action = game.action(move.action)
    if not move.args or action is None:
        return move.action
    kinds = {b.name: b.type for b in action.params}
    return f"{move.action}({', '.join(f'{n}={shown(v, kinds[n])}' for n, v in move.args)})"


def draw_text(action: Action | None, drawn: tuple[tuple[str, Value], ...]) -> str:
    """`pips=1`."""
    kinds = {d.name: d.type for d in action.draws} if action else {}
    return ", ".join(f"{n}={shown(v, kinds[n])}" for n, v in drawn)


def step_text(game: Game, step: Step) -> str:
    """`roll -> pips=1`."""
    if step.move is None:
        return "start"
    draw = draw_text(game.action(step.move.action), step.drawn)
    return move_text(game, step.move) + (f" -> {draw}" if draw else "")


def position_json(game: Game, state: State) -> dict[str, object]:
    """A position for JSON."""
    return {v.name: plain(state[v.name], v.type) for v in game.variables}


def changes(game: Game, before: State, after: State) -> dict[str, object]:
    """What a step changed: variables with their new values; of maps the changed items only."""
    return {path: new for path, _, new in change_list(game, before, after)}


def change_list(game: Game, before: State, after: State) -> list[tuple[str, str, str]]:
    """Each change as path, old and new value in words."""
    found: list[tuple[str, str, str]] = []
    for v in game.variables:
        _compare(v.name, v.type, before[v.name], after[v.name], found)
    return found


def change_texts(game: Game, before: State, after: State) -> list[str]:
    """Each change as people read it: `pot 3 → 4`; of a layout the pieces laid and taken, `table: + gate/1 on (1, 0)`."""
    layouts = {v.name for v in game.variables if isinstance(v.type, LayoutType)}
    rows: list[str] = []
    for v in game.variables:
        if v.name in layouts and before[v.name] != after[v.name]:
            rows.append(_layout_change(v.name, before[v.name], after[v.name]))
            continue
        found: list[tuple[str, str, str]] = []
        _compare(v.name, v.type, before[v.name], after[v.name], found)
        rows += [f"{path} {old} → {new}" for path, old, new in found]
    return rows


MOST_PIECES_TOLD = 4


def _layout_change(name: str, a: Layout, b: Layout) -> str:
    laid = [c for c in b if b.cells[c] != a.cells.get(c)]
    gone = [c for c in a if a.cells[c] != b.cells.get(c)]
    if gone and not b.cells:
        return f"{name}: all {len(gone)} pieces taken away" if len(gone) > 1 else f"{name}: the piece taken away"
    if len(gone) + len(laid) > MOST_PIECES_TOLD:
        return f"{name}: " + ", ".join(f"{n} pieces {what}" for n, what in ((len(gone), "taken"), (len(laid), "laid")) if n)
    told = [f"- {_piece(a.cells[c])} from {cell_text(c)}" for c in gone]
    return f"{name}: " + ", ".join([*told, *(f"+ {_piece(b.cells[c])} on {cell_text(c)}" for c in laid)])


def _changed_squares(a: Layout, b: Layout) -> list[Cell]:
    changed = [c for c in {*a.cells, *b.cells} if a.cells.get(c) != b.cells.get(c)]
    return sorted(changed, key=lambda c: (c.y, c.x))


def _piece(laid: Laid | None) -> str:
    return "none" if laid is None else piece_text(laid)


def _compare(path: str, kind: Type, a: Value, b: Value, found: list[tuple[str, str, str]]) -> None:
    if a == b:
        return
    if isinstance(kind, MapOf):
        for k in b:
            _compare(f"{path}[{shown(k, kind.key)}]", kind.value, a[k], b[k], found)
        return
    if isinstance(kind, LayoutType):
        for c in _changed_squares(a, b):
            found.append((f"{path}[{cell_text(c)}]", _piece(a.cells.get(c)), _piece(b.cells.get(c))))
        return
    if isinstance(kind, BagOf):
        changed = [k for k in dict.fromkeys((*b, *a)) if a.get(k, 0) != b.get(k, 0)]
        if len(changed) <= 2:
            found += [(f"{path}[{shown(k, kind.elem)}]", str(a.get(k, 0)), str(b.get(k, 0))) for k in changed]
            return
    found.append((path, shown(a, kind), shown(b, kind)))


def trace_json(game: Game, trace: Trace | None) -> dict[str, object] | None:
    """A trace for JSON."""
    if trace is None:
        return None
    steps: list[dict[str, object]] = []
    for i, step in enumerate(trace.steps):
        action = game.action(step.move.action) if step.move else None
        kinds = {d.name: d.type for d in action.draws} if action else {}
        row: dict[str, object] = {
            "state": position_json(game, step.state),
            "move": move_text(game, step.move) if step.move else None,
            "chance": {n: plain(v, kinds[n]) for n, v in step.drawn} or None,
            "clauses": list(step.clauses),
            "changed": changes(game, trace.steps[i - 1].state, step.state) if i else {},
        }
        if step.move:
            row["actor"] = step.move.actor
        if step.fault:
            row["fault"] = step.fault
        steps.append(row)
    return {"steps": steps, "loop_from": trace.loop_from}
