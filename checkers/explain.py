"""Why is this move legal, or not: the clauses that decide, the values that failed, other readings, the nearest change."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from tablelaw.checkers.closest import closest
from tablelaw.checkers.nearby import Moves, centre, legal_moves, sorted_moves
from tablelaw.checkers.result import Result
from tablelaw.checkers.selection import other_settings
from tablelaw.solver import evaluate, legality
from tablelaw.solver.breadth import MOST_DRAWS, draws_of
from tablelaw.solver.loops import people
from tablelaw.solver.telling import values_in
from tablelaw.solver.trace import Step, Trace, move_text, take
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.document import items
from tablelaw.spec.game import Game
from tablelaw.spec.grid import Cell
from tablelaw.spec.load import Rules
from tablelaw.spec.operators import Fault
from tablelaw.spec.positions import shown
from tablelaw.spec.questions import Line, Reader
from tablelaw.spec.reckon import Place, meant, visit
from tablelaw.spec.settings import Setting
from tablelaw.spec.source import Source
from tablelaw.spec.yaml_nodes import Node, Scalar, parse_yaml

LOOK, DECIDE, OTHERS = 0.8, 8.0, 8.0
"""Seconds of work for what is listed of this position, for whether it is legal at all, and for other options."""
MOST_LISTED = 12


@dataclass(slots=True)
class Why:
    """Everything there is to say about a move in a position."""

    result: Result
    moves: list[str] = field(default_factory=list)
    more: int = 0
    all_counted: bool = True
    values: list[tuple[str, str]] = field(default_factory=list)
    nearest: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def position_node(text: str, name: str, sink: Diagnostics) -> Node | None:
    """A position written as YAML or JSON."""
    return parse_yaml(Source(name, text), sink)


def move_line(reader: Reader, text: str, name: str) -> Line | None:
    """A move as a person writes it on the command line."""
    source = Source(name, text)
    return reader.move_line(Scalar(text, "plain", source.span(0, len(text)), tuple(range(len(text) + 1))))


def why(rules: Rules, game: Game, node: Node | None, move: str, sink: Diagnostics) -> Why | None:
    """Is the move legal in the position? None when position or move cannot be read (the sink knows)."""
    reader = Reader(game, sink, evaluate.starts(game)[0])
    state = reader.position(node) if node is not None else evaluate.starts(game)[0]
    name = move.partition("->")[0].partition("(")[0].strip()
    if state is not None and not sink.has_errors and game.action(name) is None and name in rules.document.actions:
        return _absent(rules, game, node, state, name, move)
    line = move_line(reader, move, "--move")
    if state is None or line is None or line.action is None or line.times != 1 or sink.has_errors:
        if line is not None and not sink.has_errors:
            sink.error("Q107", line.span, "a single move is asked about", help="write `take(n=2)`")
        return None
    now = time.process_time()
    found = legality.forbidding(game, state, line.action, dict(line.args), (now + LOOK, now + DECIDE))
    if found.cut and not found.legal:
        cure = "write the move out, with more of its parameters"
        told = f"more moves fit this than can be looked at in {DECIDE:g} s, none of them legal"
        sink.error("Q107", line.span, told, help=cure)
        return None
    near = centre(game, state, line.args)
    verdict = Verdict("legal" if found.legal else "illegal", "proved", engine="evaluate", trace=Trace([Step(state)]))
    verdict.clauses = found.clauses if not found.legal else _allowing(game, line.action)
    answer = Why(Result("why", "why", dict(game.setting), game.players, verdict, None, game))
    if found.legal and not _outcome(game, state, found, line, answer, near, sink):
        return None
    if not found.legal:
        verdict.reason = _reason(game, state, line, found.clauses)
        for clause, formula in found.failed:
            answer.values += [(clause, text) for text in values_in(formula, _place(game, state, found, line))]
        if found.clauses == (line.action,) and not found.failed:
            answer.values += [(line.action, text) for text in _not_offered(game, state, line)]
        answer.nearest = _nearest(game, state, line, found)
    others = legal_moves(game, state, near, LOOK, line.action)
    mine = others.of(line.action)
    _listed(answer, game, mine if mine.moves else others)
    if node is not None:
        given = {key.text for key, _ in items(node)}
        answer.left_out = [v.name for v in game.variables if v.name not in given]
    _differs(rules, game, node, found.legal, move, answer)
    return _told(answer, found.candidates[0].actor if found.candidates else None)


def _not_offered(game: Game, state: evaluate.State, line: Line) -> Iterator[str]:
    """Each argument that is not among what its parameter may be, as far as that hangs on no other parameter."""
    action = game.action(line.action or "")
    written = {k.text: v.text for k, v in game.document.actions[action.name].params} if action is not None else {}
    here = evaluate.place(game, state)
    for b in action.params if action is not None else ():
        given = dict(line.args)
        if b.name not in given:
            return
        try:
            if not any(meant(given[b.name], v) for v in visit(b.domain, here)):
                among = written.get(b.name, b.name).strip()
                yield f"`{b.name}` is {shown(given[b.name], b.type)}, which is not among `{among}` here"
                return
        except Fault:
            return
        here = here.bind({b.name: given[b.name]})


def _listed(answer: Why, game: Game, found: Moves) -> None:
    """A dozen of the moves, and how many there are besides."""
    answer.moves = [move_text(game, m) for m in found.moves[:MOST_LISTED]]
    answer.more, answer.all_counted = max(0, len(found.moves) - MOST_LISTED), found.whole


def _told(answer: Why, actor: int | None) -> Why:
    values = [t for _, t in answer.values]
    answer.result.extra = {"actor": actor, "values": values, "nearest": answer.nearest, "legal_moves": answer.moves}
    if answer.more or not answer.all_counted:
        answer.result.extra["more_moves"] = answer.more if answer.all_counted else None
    return answer


def _absent(rules: Rules, game: Game, node: Node | None, state: evaluate.State, name: str, move: str) -> Why:
    """A move that exists under other options only."""
    verdict = Verdict("illegal", "proved", engine="evaluate", trace=Trace([Step(state)]), clauses=(name,))
    verdict.reason = "under these options there is no such move"
    answer = Why(Result("why", "why", dict(game.setting), game.players, verdict, None, game))
    _listed(answer, game, legal_moves(game, state, centre(game, state, ()), LOOK))
    _differs(rules, game, node, False, move, answer)
    return _told(answer, None)


def _outcome(
    game: Game,
    state: evaluate.State,
    found: legality.Legality,
    line: Line,
    answer: Why,
    near: frozenset[Cell],
    sink: Diagnostics,
) -> bool:
    """What a legal move leads to, where that is one thing; False (the sink knows) when the draw asked about cannot come."""
    if len(found.candidates) > 1:
        several = ", ".join(move_text(game, m) for m in sorted_moves(found.candidates, near)[:6])
        count = f"{'more than ' if found.cut else ''}{len(found.candidates)} moves fit"
        answer.warnings.append(f"{count}: {several}{', …' if len(found.candidates) > 6 else ''}")
        return True
    move = found.candidates[0]
    action = game.action(move.action)
    if action is not None and draws_of(action) > MOST_DRAWS:
        answer.warnings.append("so much can be drawn that the outcome is not looked at")
        return True
    try:
        fitting = [d for d, _ in evaluate.draws(game, state, move) if all(dict(d).get(n) == v for n, v in line.draw)]
    except Fault as fault:
        answer.warnings.append(f"the rules have no value for what is drawn: {fault.message}")
        return True
    if line.draw and not fitting:
        sink.error(
            "Q107", line.span, "nothing that can be drawn here fits this", help="look at how many are drawn, and from what"
        )
        return False
    if len(fitting) != 1:
        return True
    assert answer.result.verdict.trace is not None
    step = take(game, state, move, fitting[0])
    answer.result.verdict.trace.steps.append(step)
    if step.fault:
        answer.warnings.append(f"the step cannot be taken: {step.fault}; `in-range` asks for such faults")
        return True
    end = evaluate.end(game, step.state)
    if end is not None:
        won = sorted(evaluate.winners(game, step.state))
        answer.warnings.append(f"the game ends by `{end.id}`: {people(won)} win{'s' if len(won) <= 1 else ''}")
    return True


def _allowing(game: Game, action_name: str) -> tuple[str, ...]:
    action = game.action(action_name)
    assert action is not None
    return (action.name, *(c.id for c in action.checks))


def _reason(game: Game, state: evaluate.State, line: Line, clauses: tuple[str, ...]) -> str:
    end = None
    try:
        end = evaluate.end(game, state)
    except Fault as fault:
        return fault.message
    if end is not None:
        return f"the game has ended by `{end.id}`"
    action = game.action(line.action or "")
    if action is not None and action.by is not None:
        table = legality.moves_by(game, state, table=True)
        if table:
            return f"the table acts first: {move_text(game, table[0])}"
    says = [game.clauses[c].says for c in clauses if c in game.clauses and game.clauses[c].says]
    return " ".join(says) if says else "a rule forbids it"


def _place(game: Game, state: evaluate.State, found: legality.Legality, line: Line) -> Place:
    names = dict(found.candidates[0].args) if found.candidates else dict(line.args)
    actor = found.candidates[0].actor if found.candidates else None
    return Place(state, game.players, names if actor is None else {**names, "actor": actor})


def _nearest(game: Game, state: evaluate.State, line: Line, found: legality.Legality) -> list[str]:
    """The smallest changes of the position after which the move is legal."""
    last = time.process_time() + LOOK
    args = dict(line.args)
    if len(found.candidates) > MOST_LISTED:  # so many that one of them stands for all
        args = dict(sorted_moves(found.candidates, centre(game, state, line.args))[0].args)
    return closest(game, state, lambda there: legality.allowed(game, there, line.action or "", args, last), LOOK)


def _differs(rules: Rules, game: Game, node: Node | None, legal: bool, move: str, answer: Why) -> None:
    """The settings (as what they change) under which the verdict is another one; the fewest changes only."""
    found: list[dict[str, str]] = []
    answer.result.differs = found
    setting: Setting = dict(game.setting)
    last = time.process_time() + OTHERS
    for other in sorted(other_settings(rules, setting, game.players), key=lambda s: sum(s[k] != setting[k] for k in s)):
        changed = {k: v for k, v in other.items() if v != setting[k]}
        if any(f.items() <= changed.items() for f in found):
            continue
        if time.process_time() > last:
            answer.warnings.append(f"not all other options were looked at in {OTHERS:g} s")
            return
        quiet = Diagnostics()
        there = rules.game(other, game.players, quiet)
        if there is None:
            continue
        reader = Reader(there, quiet, evaluate.starts(there)[0])
        state = reader.position(node) if node is not None else evaluate.starts(there)[0]
        again = move_line(reader, move, "--move")
        if state is None or again is None or again.action is None or quiet.has_errors:
            if legal and again is None:
                found.append(changed)
            continue
        if legality.allowed(there, state, again.action, dict(again.args), last) == (not legal):
            found.append(changed)
