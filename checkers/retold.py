"""Answers as plain data, and back: what is told again is the answer that was worked out, its play taken once more by the rules.

A play is kept as its start and, for each step, which of the legal moves it is and which of the draws: read back, the reference
evaluator takes every step again, and where that does not lead to the position kept, the answer is not told.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from fractions import Fraction
from typing import Any, cast

from tablelaw.checkers.result import MOST_POSITIONS
from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import Move, State
from tablelaw.solver.plain_rows import NoRow, Rows
from tablelaw.solver.trace import Step, Trace, fault_step, take, trace_json
from tablelaw.solver.verdict import Advised, InternalFault, Policy, Verdict
from tablelaw.spec.game import Game
from tablelaw.spec.operators import Fault
from tablelaw.spec.types import BagOf, MapOf, Type
from tablelaw.spec.values import Value

FEW, FEW_WORK = 100, 4_000
"""What of a policy is told as text; it is asked for first, for what is known already is told whatever the work."""
WHOLE_WORK = 20_000
NEAR = Fraction(4, 10**9)
COUNTED = "times(…) up to 255"
"""A bound that all answers of some questions have, however much time there is."""
PLAIN = (
    "verdict", "known_by", "bound", "value", "clauses", "states", "engine", "reason", "seconds", "notes", "weighed",
)  # fmt: skip
UNTOLD = (NoRow, Fault, InternalFault, KeyError, IndexError, ValueError, TypeError, AttributeError, RecursionError)
Drawn = tuple[tuple[str, Value], ...]
Data = dict[str, Any]


def definite(verdict: Verdict) -> bool:
    """Is it an answer that more time or memory would not make another?"""
    known = verdict.known_by in ("proved", "exhausted") or verdict.bound == COUNTED
    known = known and verdict.verdict in ("holds", "fails", "value") and verdict.told is None
    return known and (verdict.interval is None or _near(*map(Fraction, verdict.interval)))


def _near(low: Fraction, high: Fraction) -> bool:
    """Do bounds lie as near to each other as they are ever brought?"""
    return high - low <= NEAR * max(Fraction(1), abs(high))


def data_of(verdict: Verdict, game: Game, work: int = WHOLE_WORK) -> Data | None:
    """The answer as plain data; None where none gives back the very same answer.

    `work`: what telling a whole policy may take (0: as much as it takes; `FEW_WORK`: what is told of it as text will do).
    """
    try:
        found = _data(verdict, game, work)
        again = verdict_of(json.loads(json.dumps(found)), game)
    except UNTOLD:
        return None
    if again is None or again.trace != verdict.trace or _data(again, game, work) != found:
        return None
    told = [json.dumps(trace_json(game, v.trace)) for v in (again, verdict)]  # in the same order, too
    return found if told[0] == told[1] else None


def verdict_of(found: Data, game: Game) -> Verdict | None:
    """The answer that the data stands for; None where it is no answer of this game."""
    try:
        plain: Data = {n: tuple(found[n]) if n == "clauses" else found[n] for n in PLAIN}
        verdict = Verdict(**plain)
        verdict.interval = None if found["interval"] is None else tuple(found["interval"])
        rows = Rows(game)
        if found["trace"] is not None:
            verdict.trace = _trace(found["trace"], game, rows)
        if found["policy"] is not None:
            verdict.policy = _policy(found["policy"], game, rows)
    except UNTOLD:
        return None
    return verdict


assert {f.name for f in fields(Verdict)} == {*PLAIN, "interval", "trace", "evidence", "policy", "told"}


def _data(verdict: Verdict, game: Game, work: int) -> Data:
    rows = Rows(game)
    found: Data = {n: list(x) if isinstance(x := getattr(verdict, n), (list, tuple)) else x for n in PLAIN}
    found["interval"] = None if verdict.interval is None else list(verdict.interval)
    found["trace"] = None if verdict.trace is None else _trace_data(verdict.trace, game, rows)
    found["policy"] = None if verdict.policy is None else _policy_data(verdict.policy, game, rows, work)
    return found


# plays


def _trace_data(trace: Trace, game: Game, rows: Rows) -> Data:
    first, *rest = trace.steps
    if first.move is not None:
        raise NoRow
    state, faulty, steps = first.state, False, list[object]()
    for step in rest:
        if step.fault is not None:
            faulty = True
        elif faulty or step.move is None:
            raise NoRow
        else:
            steps.append([evaluate.moves(game, state).index(step.move), _draw_data(game, state, step.move, step.drawn)])
            state = step.state
    return {
        "start": rows.row(first.state),
        "clauses": list(first.clauses),
        "fault": first.fault,
        "steps": steps,
        "faulty": faulty,
        "last": rows.row(state),
        "loop_from": trace.loop_from,
        "rising": list(trace.rising),
    }


def _trace(found: Data, game: Game, rows: Rows) -> Trace:
    state = rows.state(found["start"])
    steps = [Step(state, clauses=tuple(found["clauses"]), fault=found["fault"])]
    for which, draws in found["steps"]:
        move = evaluate.moves(game, state)[which]
        step = take(game, state, move, _drawn(game, state, move, draws))
        if step.fault is not None:
            raise NoRow
        steps.append(step)
        state = step.state
    if state != rows.state(found["last"]):
        raise NoRow
    if found["faulty"]:
        last = fault_step(game, state)
        if last is None:
            raise NoRow
        steps.append(last)
    return Trace(steps, found["loop_from"], tuple(found["rising"]))


def _draw_data(game: Game, state: State, move: Move, drawn: Drawn) -> list[int]:
    """Which of the values of each draw it is, one draw after the other."""
    found: list[int] = []
    there = evaluate.there(game, state, move)
    action = game.action(move.action)
    assert action is not None
    for draw, (name, got) in zip(action.draws, drawn, strict=True):
        found.append([v for v, _ in evaluate.one_draw(draw, there)].index(got))
        there = there.bind({name: got})
    return found


def _drawn(game: Game, state: State, move: Move, which: list[int]) -> Drawn:
    found: list[tuple[str, Value]] = []
    there = evaluate.there(game, state, move)
    action = game.action(move.action)
    assert action is not None
    for draw, n in zip(action.draws, which, strict=True):
        got = evaluate.one_draw(draw, there)[n][0]
        found.append((draw.name, got))
        there = there.bind({draw.name: got})
    return tuple(found)


# policies

_SAME = ("aim", "total", "alike", "steps", "most", "at_hand")


def _policy_data(policy: Policy, game: Game, rows: Rows, work: int) -> Data:
    few = policy.take(FEW, FEW_WORK)
    whole = few if work == FEW_WORK else policy.take(MOST_POSITIONS, work)
    before = policy.take
    policy.take = _taking(few, before)
    if len(whole) < min(MOST_POSITIONS, policy.at_hand) and work != FEW_WORK:
        raise NoRow  # the whole takes too long to be told, or has no end that is known
    kinds = {v.name: v.type for v in game.variables}
    return {
        **{n: getattr(policy, n) for n in _SAME},
        "who": list(policy.who),
        "shown": {
            n: None if keys is None else sorted([rows.data(k, _keys(kinds[n])) for k in keys], key=repr)
            for n, keys in policy.shown.items()
        },
        "varying": sorted(policy.varying),
        "counted": list(policy.counted),
        "few": len(few),
        "moves": [[rows.row(a.state), _move_data(a.move, game, rows), list(a.counts)] for a in whole],
    }


def _policy(found: Data, game: Game, rows: Rows) -> Policy:
    kinds = {v.name: v.type for v in game.variables}
    told = [Advised(rows.state(s), _move(m, game, rows), tuple(counts)) for s, m, counts in found["moves"]]
    shown = {
        n: None if keys is None else frozenset(rows.value(k, _keys(kinds[n])) for k in keys)
        for n, keys in found["shown"].items()
    }
    policy = Policy(
        found["aim"], tuple(found["who"]), found["total"], _taking(told[: found["few"]], lambda n, _: told[:n]),
        shown, frozenset(found["varying"]), found["alike"], found["steps"], tuple(found["counted"]),
    )  # fmt: skip
    policy.most, policy.at_hand = found["most"], found["at_hand"]
    return policy


def _taking(few: list[Advised], whole: Callable[[int, int], list[Advised]]) -> Callable[[int, int], list[Advised]]:
    """The first positions: where there is so little work to spend those that were told so, else all."""
    return lambda n, work: few[:n] if 0 < work <= FEW_WORK else whole(n, work)


def _keys(kind: Type) -> Type:
    return cast("MapOf", kind).key if not isinstance(kind, BagOf) else kind.elem


def _move_data(move: Move, game: Game, rows: Rows) -> list[object]:
    action = game.action(move.action)
    assert action is not None
    return [move.action, move.actor, [rows.data(v, b.type) for (_, v), b in zip(move.args, action.params, strict=True)]]


def _move(found: list[Any], game: Game, rows: Rows) -> Move:
    name, actor, args = found
    action = game.action(name)
    if action is None:
        raise NoRow
    return Move(name, tuple((b.name, rows.value(x, b.type)) for x, b in zip(args, action.params, strict=True)), actor)
