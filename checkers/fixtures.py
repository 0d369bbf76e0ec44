"""A fixture: a position, the play that leads there, its legal moves, moves that are illegal with the clauses that forbid them,
and what comes of moves. What it says is worked out by the reference evaluator; generated code only chooses what to say."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Any

from tablelaw import __version__
from tablelaw.checkers.coverage import Spot, evenly
from tablelaw.checkers.goals import Goal
from tablelaw.checkers.looking import WRONG, Drawn, Eye
from tablelaw.solver import evaluate, legality
from tablelaw.solver.evaluate import Move, State
from tablelaw.solver.sampling import Choice, Taken, move_of, named
from tablelaw.solver.trace import draw_text, move_text, position_json
from tablelaw.solver.verdict import InternalFault
from tablelaw.spec.game import Game
from tablelaw.spec.operators import Fault
from tablelaw.spec.positions import plain
from tablelaw.spec.reckon import bindings, value

LISTED, FORBIDDEN, OUTCOMES = 60, 12, 10
"""At most so many legal moves, illegal moves and outcomes are written out."""
LONG = 40
"""Of a longer play the last steps are told, from the position before them."""
LAST = 8
SCANNED, MOVES_SCANNED, DRAWS_SCANNED = 3_000, 150, 250


Asked = tuple[Move, Any]
"""A move, and one of its draws (None: any)."""


@dataclass(frozen=True, slots=True)
class Forbidden:
    """A move that is illegal, and the clauses that forbid it."""

    move: Move
    clauses: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What comes of a move with one of its draws."""

    move: Move
    drawn: tuple[tuple[str, Any], ...]
    probability: Fraction
    draws: int
    after: State
    clauses: tuple[str, ...]
    ended: str | None
    winners: tuple[int, ...]


@dataclass(slots=True)
class Fixture:
    """One fixture. `before` is how many steps come before `start` where the play is not told whole."""

    game: Game
    goals: list[Goal]
    start: State
    before: int
    play: tuple[tuple[Move, tuple[tuple[str, Any], ...]], ...]
    state: State
    ended: str | None
    winners: tuple[int, ...]
    legal: list[Move]
    illegal: list[Forbidden]
    outcomes: list[Outcome]
    spot: Spot | None = None
    texts: dict[str, Any] = field(default_factory=dict)

    @property
    def length(self) -> int:
        """Steps of the whole play."""
        return self.before + len(self.play)

    def json(self) -> dict[str, Any]:
        """The entry as JSON has it: `docs/fixture.schema.json`."""
        if not self.texts:
            self.texts = entry(self)
        return self.texts


class Describer:
    """Makes the fixtures of one game."""

    def __init__(self, eye: Eye) -> None:
        self.eye, self.game = eye, eye.game

    def fixture(self, spot: Spot, goals: Iterable[Goal], about: Iterable[Asked] = (), whole: bool = False) -> Fixture:
        """The fixture of a position. `about`: moves (and draws, None for any) that it must speak of, legal or not."""
        eye, goals, about = self.eye, list(goals), list(about)
        start, steps, before = eye.player.state(spot.start), spot.way, 0
        if len(steps) > LONG and not whole:
            before = len(steps) - LAST
            start = self._after(spot.start, steps[:before])
            steps = steps[before:]
        play = tuple((move_of(eye.player, c), named(eye.actions[c[0]], d)) for c, d in steps)
        state = start
        for move, drawn in play:
            state = _taken(self.game, state, move, drawn)
        if state != eye.player.state(spot.row):
            raise InternalFault("a play of a fixture leads elsewhere when it is taken again")
        end = evaluate.end(self.game, state)
        choices = eye.player.legal(spot.row)
        legal = [move_of(eye.player, c) for c in choices]
        illegal = self._illegal(state, spot.row, choices, goals, [m for m, _ in about if m not in legal])
        first = [] if spot.step is None else [(spot.step[0], spot.step[1])]
        asked = [(move_of(eye.player, c), named(eye.actions[c[0]], d)) for c, d in first]
        outcomes = self._outcomes(state, spot.row, choices, [*asked, *about])
        won = tuple(sorted(evaluate.winners(self.game, state)))
        ended = end.id if end else None
        return Fixture(self.game, goals, start, before, play, state, ended, won, legal, illegal, outcomes, spot)

    def _after(self, row: Any, steps: tuple[Taken, ...]) -> State:
        for choice, drawn in steps:
            row = self.eye.player.step(row, choice, drawn)[0]
        return self.eye.player.state(row)

    # illegal moves

    def _illegal(self, state: State, row: Any, choices: list[Choice], goals: list[Goal], about: list[Move]) -> list[Forbidden]:
        """For each clause that decides here, and each two that do, a move; those that the goals are about first."""
        found: dict[tuple[str, ...], Forbidden] = {}
        taken: set[Move] = set()

        def add(move: Move) -> None:
            if len(found) >= FORBIDDEN or move in taken:
                return
            said = legality.forbidding(self.game, state, move.action, dict(move.args))
            if said.legal:
                raise InternalFault(f"the move {move} of a fixture is illegal by generated code and legal by the evaluator")
            if said.clauses not in found:
                taken.add(move)
                found[said.clauses] = Forbidden(move, said.clauses)

        for move in about:
            add(move)
        for goal in self._decisive(row, choices, goals):
            for choice in self.eye.moves_of(goal, row)[:1]:
                add(move_of(self.eye.player, choice))
        for move in self._closed(state, choices):
            add(move)
        return list(found.values())

    def _decisive(self, row: Any, choices: list[Choice], goals: list[Goal]) -> Iterator[Goal]:
        """Which checks, alone and two together, may refuse a move here."""
        yield from (g for g in goals if g.kind in ("refuses", "refuse-both"))
        _, refusing = self.eye.choices(row)
        for name in refusing:
            yield Goal("refuses", (name,))
        for n, action in enumerate(self.eye.actions):
            names = [c.id for c in action.checks]
            for a, b in combinations(names, 2):
                if a in refusing and self.eye.owner[a] == n:
                    yield Goal("refuse-both", (a, b))

    def _closed(self, state: State, choices: list[Choice]) -> Iterator[Move]:
        """Of each action that nobody can take here, a move."""
        opened = {c[0] for c in choices}
        for n, action in enumerate(self.eye.actions):
            if n in opened:
                continue
            here = evaluate.place(self.game, state)
            try:
                actor = None if action.by is None else value(action.by, here)
                here = here if actor is None else here.bind({"actor": actor})
                there = next(iter(bindings(action.params, here)), None)
            except WRONG:
                continue
            if there is not None and (actor is None or 0 <= actor < self.game.players):
                yield Move(action.name, tuple((b.name, there.names[b.name]) for b in action.params), actor)

    # outcomes

    def _outcomes(self, state: State, row: Any, choices: list[Choice], first: list[tuple[Move, Any]]) -> list[Outcome]:
        """Of moves and draws those that differ in what happens; those asked for, then one of each action, before the others."""
        chosen: dict[tuple[Choice, Drawn], None] = {}
        by_move = {move_of(self.eye.player, c): c for c in choices}
        signs: dict[object, None] = {}
        scanned = 0
        ways: dict[Choice, list[Drawn]] = {}

        def drawn_of(choice: Choice) -> list[Drawn]:
            if choice not in ways:
                try:
                    ways[choice] = self.eye.ways(row, choice)
                except WRONG:
                    ways[choice] = []
            return ways[choice]

        for move, drawn in first:
            choice = by_move.get(move)
            if choice is not None:
                for d in drawn_of(choice):
                    if drawn is None or named(self.eye.actions[choice[0]], d) == drawn:
                        chosen[choice, d] = None
                        break
        for choice in _by_action(choices):
            for d in drawn_of(choice)[:1]:
                chosen[choice, d] = None
        for choice in evenly(choices, MOVES_SCANNED):
            for d in evenly(drawn_of(choice), DRAWS_SCANNED):
                if scanned >= SCANNED or len(chosen) >= OUTCOMES:
                    break
                scanned += 1
                sign = self._sign(row, choice, d)
                if sign is not None and sign not in signs:
                    signs[sign] = None
                    chosen[choice, d] = None
        told = [self._outcome(state, c, d, len(ways[c])) for c, d in list(chosen)[:OUTCOMES]]
        return [o for o in told if o is not None]

    def _sign(self, row: Any, choice: Choice, drawn: Drawn) -> object:
        """What tells outcomes apart: clauses, the end, which variables changed."""
        made = self.eye.player
        try:
            after, bits = made.step(row, choice, drawn)
            end = made.end(after)
            won = len(made.winners(after)) if end >= 0 else 0
        except WRONG:
            return None
        before, now = made.state(row), made.state(after)
        changed = tuple(v.name for v in self.game.variables if before[v.name] != now[v.name])
        return choice[0], bits, end, won, changed

    def _outcome(self, state: State, choice: Choice, drawn: Drawn, draws: int) -> Outcome | None:
        move, what = move_of(self.eye.player, choice), named(self.eye.actions[choice[0]], drawn)
        out = evaluate.apply(self.game, state, move, what)
        if out.fault is not None:
            return None
        try:
            end, won = evaluate.end(self.game, out.state), tuple(sorted(evaluate.winners(self.game, out.state)))
        except Fault:
            return None
        clauses = tuple(dict.fromkeys((move.action, *out.fired, *((end.id,) if end else ()))))
        odds = probability(self.game, state, move, what)
        return Outcome(move, what, odds, draws, out.state, clauses, end.id if end else None, won)


def probability(game: Game, state: State, move: Move, drawn: tuple[tuple[str, Any], ...]) -> Fraction:
    """How likely a draw is: each of its parts by what was drawn before."""
    action, here, found = game.action(move.action), evaluate.there(game, state, move), Fraction(1)
    for draw, (name, v) in zip(() if action is None else action.draws, drawn, strict=True):
        share = next((p for x, p in evaluate.one_draw(draw, here) if x == v), None)
        if share is None:
            raise InternalFault(f"what a fixture draws, {name} of {move}, cannot be drawn by the evaluator")
        found *= share
        here = here.bind({name: v})
    return found


def _by_action(choices: list[Choice]) -> list[Choice]:
    found: dict[int, Choice] = {}
    for c in choices:
        found.setdefault(c[0], c)
    return list(found.values())


def _taken(game: Game, state: State, move: Move, drawn: tuple[tuple[str, Any], ...]) -> State:
    out = evaluate.apply(game, state, move, drawn)
    if out.fault is not None:
        raise InternalFault("a play of a fixture has a fault when it is taken again")
    return out.state


# as JSON


def entry(f: Fixture) -> dict[str, Any]:
    """A fixture in plain texts, numbers, lists and mappings."""
    game = f.game
    legal = [move_text(game, m) for m in f.legal]
    play = [_step(game, m, d) for m, d in f.play]
    outcomes = [_outcome(game, f.state, o) for o in f.outcomes]
    illegal = [{"move": move_text(game, x.move), "clauses": list(x.clauses)} for x in f.illegal]
    clauses = dict.fromkeys(c for g in f.goals for c in g.clauses)
    clauses.update((c, None) for x in f.illegal for c in x.clauses)
    clauses.update((c, None) for o in f.outcomes for c in o.clauses)
    start = None if evaluate.starts(game) == [f.start] else position_json(game, f.start)
    return {
        "spec_hash": game.digest,
        "version": __version__,
        "game": game.name,
        "options": dict(game.setting),
        "players": game.players,
        "id": _id(game, start, play),
        "covers": [g.id for g in f.goals],
        "why": [g.says for g in f.goals],
        "clauses": list(clauses),
        "from": start,
        "steps_before": f.before,
        "play": play,
        "position": position_json(game, f.state),
        "ended": f.ended,
        "winners": list(f.winners),
        "to_move": [] if not f.legal else ["table"] if f.legal[0].actor is None else sorted({m.actor for m in f.legal}),
        "legal_count": len(legal),
        "legal_sha256": digest_of(legal),
        "legal": list(evenly(legal, LISTED)),
        "illegal": illegal,
        "outcomes": outcomes,
    }


def digest_of(moves: Iterable[str]) -> str:
    """The SHA-256 of the moves, sorted as bytes of UTF-8, a line each."""
    lines = sorted(m.encode() for m in moves)
    return hashlib.sha256(b"".join(line + b"\n" for line in lines)).hexdigest()


def _id(game: Game, start: object, play: list[str]) -> str:
    told = repr((sorted(game.setting.items()), game.players, start, play))
    return f"{game.name}-{hashlib.sha256(told.encode()).hexdigest()[:10]}"


def _step(game: Game, move: Move, drawn: tuple[tuple[str, Any], ...]) -> str:
    draw = draw_text(game.action(move.action), drawn)
    return move_text(game, move) + (f" -> {draw}" if draw else "")


def _outcome(game: Game, state: State, o: Outcome) -> dict[str, Any]:
    changed = {v.name: plain(o.after[v.name], v.type) for v in game.variables if o.after[v.name] != state[v.name]}
    return {
        "move": move_text(game, o.move),
        "actor": o.move.actor,
        "draw": draw_text(game.action(o.move.action), o.drawn) or None,
        "probability": str(o.probability),
        "draws": o.draws,
        "changed": changed,
        "clauses": list(o.clauses),
        "ended": o.ended,
        "winners": list(o.winners),
    }
