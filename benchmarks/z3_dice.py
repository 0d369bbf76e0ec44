"""The dice game written by hand for z3: what somebody would write who wants these four answers and no rulebook checker.

The rules of examples/carcassonne-dice/rules.yaml under its default options but for the table: what lies there is told by two
numbers, how many dice and how large the largest closed city is, and laying a die may raise the second to anything up to the
first. No square, no face that lies and no contact is modelled. tablelaw too leaves the board open when it proves these
questions, but finds out by itself that it may. The rolled dice are a count for each face, and everything is unbounded integers.
Peers of tablelaw's symbolic engine: one induction step with invariants thought out by hand, Spacer without any hint, and
bounded search for nine catapults.

Run by itself it asks each question once: `python benchmarks/z3_dice.py`.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import z3

Formula = Any
State = dict[str, Formula]

CITY = ("cap", "corner", "straight", "tee")
SHOWN = (*CITY, "knight")
FACES = (*SHOWN, "catapult")
POINTS = (0, 0, 0, 1, 3, 6, 10, 15, 21, 28)
GOAL = 42
FRESH = {"rolls": 0, **dict.fromkeys(SHOWN, 0), "kept": 0, "passed": 0, "nines": 0, "laid": 0, "largest": 0}
QUESTIONS = ("dice-conserved", "one-held-knight", "enough-dice", "nine-catapults")


@dataclass(slots=True)
class Move:
    """Under a condition, over inputs chosen freely, some variables get new values."""

    name: str
    condition: Formula
    updates: State
    inputs: list[Formula] = field(default_factory=list)


class Dice:
    """The game for a number of players."""

    def __init__(self, players: int) -> None:
        self.players = players
        self.flags = ("double", "over")
        self.numbers = ("turn", "ready", *FRESH, *(f"{kind}{p}" for kind in ("score", "held") for p in range(players)))

    def state(self, tag: str) -> State:
        """Variables for one position."""
        return {n: z3.Int(f"{n}@{tag}") for n in self.numbers} | {n: z3.Bool(f"{n}@{tag}") for n in self.flags}

    def start(self, s: State) -> Formula:
        """The first player has nine dice, and nothing has happened."""
        zero = [s[n] == 0 for n in self.numbers if n != "ready"]
        return z3.And(*zero, s["ready"] == 9, z3.Not(s["double"]), z3.Not(s["over"]))

    def shown(self, s: State) -> Formula:
        """The rolled dice that are still before the player."""
        return z3.Sum([s[f] for f in SHOWN])

    def held(self, s: State) -> Formula:
        """The knights that all players keep."""
        return z3.Sum([s[f"held{p}"] for p in range(self.players)])

    def of(self, s: State, kind: str, player: Formula) -> Formula:
        """`score` or `held` of the player."""
        found = s[f"{kind}{self.players - 1}"]
        for p in reversed(range(self.players - 1)):
            found = z3.If(player == p, s[f"{kind}{p}"], found)
        return found

    def put(self, s: State, kind: str, more: Formula) -> State:
        """`score` or `held` of the player whose turn it is, with something added."""
        names = [(f"{kind}{p}", p) for p in range(self.players)]
        return {n: s[n] + z3.If(s["turn"] == p, more, 0) for n, p in names}

    def gain(self, s: State) -> Formula:
        """What the largest closed city brings."""
        found: Formula = z3.IntVal(POINTS[9])
        for n in reversed(range(9)):
            found = z3.If(s["largest"] == n, POINTS[n], found)
        return z3.If(s["double"], 2 * found, found)

    def moves(self, s: State, tag: str) -> list[Move]:
        """Everything that can happen."""
        ended = z3.Or(s["nines"] == 9, *[s[f"score{p}"] >= GOAL for p in range(self.players)])
        going = z3.And(z3.Not(ended), z3.Not(s["over"]))
        got = {f: z3.Int(f"{f}!{tag}") for f in FACES}
        closed = z3.Int(f"closed!{tag}")
        dice = s["ready"] + self.shown(s)
        drawn = z3.And(z3.Sum(list(got.values())) == dice, *[g >= 0 for g in got.values()])
        found = [
            Move(
                "roll",
                z3.And(going, s["rolls"] < 3, dice > 0, drawn),
                {
                    "rolls": s["rolls"] + 1,
                    "ready": z3.IntVal(0),
                    **{f: got[f] for f in SHOWN},
                    "passed": s["passed"] + got["catapult"],
                    "nines": s["nines"] + got["catapult"],
                },
                list(got.values()),
            )
        ]
        for f in CITY:
            grows = z3.And(going, s[f] > 0, closed >= s["largest"], closed <= s["laid"] + 1, closed <= 9)
            found.append(Move("build", grows, {f: s[f] - 1, "laid": s["laid"] + 1, "largest": closed}, [closed]))
        over = {"over": z3.BoolVal(True)}
        gain = self.gain(s)
        keep = {**self.put(s, "held", z3.IntVal(1)), "kept": s["kept"] - 1}
        found += [
            Move("set-aside", z3.And(going, s["knight"] > 0), {"knight": s["knight"] - 1, "kept": s["kept"] + 1}),
            Move("stop", z3.And(going, s["rolls"] > 0), {**self.put(s, "score", gain), **over}),
            Move("pass-without-scoring", z3.And(going, gain > 0), over),
            Move("keep-knight", z3.And(going, s["kept"] >= 3), {**keep, **over}),
        ]
        after = z3.If(s["turn"] == self.players - 1, 0, s["turn"] + 1)
        joins = {f"held{p}": z3.If(after == p, 0, s[f"held{p}"]) for p in range(self.players)}
        nexts: State = {
            "turn": after,
            "over": z3.BoolVal(False),
            "double": self.of(s, "held", after) > 0,
            **{n: z3.IntVal(v) for n, v in FRESH.items()},
            **joins,
            "ready": 9 - z3.Sum(list(joins.values())),
        }
        return [*found, Move("next-turn", z3.And(z3.Not(ended), s["over"]), nexts)]

    def claim(self, question: str, s: State) -> Formula:
        """What a question says of a position."""
        if question == "dice-conserved":
            return s["ready"] + self.shown(s) + s["kept"] + s["passed"] + s["laid"] + self.held(s) == 9
        if question == "one-held-knight":
            return z3.And([s[f"held{p}"] <= 1 for p in range(self.players)])
        if question == "enough-dice":
            return z3.Or(s["rolls"] > 0, s["ready"] + self.of(s, "held", s["turn"]) >= 9 - (self.players - 1))
        return s["nines"] == 9

    def lemmas(self, question: str, s: State) -> list[Formula]:
        """Invariants found by hand, without which the question is not inductive."""
        found = [s["turn"] >= 0, s["turn"] < self.players]
        if question == "dice-conserved":
            return found
        # the knight of the player whose turn it is has joined the dice, until the turn is over
        found += [z3.Or(s["over"], self.of(s, "held", s["turn"]) == 0)]
        found += [s[f"held{p}"] >= 0 for p in range(self.players)]
        if question == "enough-dice":
            found += [
                self.claim("one-held-knight", s),
                s["rolls"] >= 0,
                z3.Implies(s["rolls"] == 0, s["ready"] == 9 - self.held(s)),
            ]
            # nobody comes to the end of a turn without a roll
            found += [
                z3.Implies(
                    s["rolls"] == 0, z3.And(s["kept"] == 0, s["largest"] == 0, s["knight"] == 0, *[s[f] == 0 for f in CITY])
                )
            ]
            found += [z3.Or(z3.Not(s["over"]), s["rolls"] > 0)]
        return found


def induction(question: str, players: int, seconds: float = 60.0) -> str:
    """`holds` when the claim with its lemmas is true at the start and kept by every step, otherwise `unknown`."""
    game = Dice(players)
    s = game.state("now")

    def whole(x: State) -> Formula:
        return z3.And(game.claim(question, x), *game.lemmas(question, x))

    solver = _solver(seconds)
    solver.add(game.start(s), z3.Not(whole(s)))
    if solver.check() != z3.unsat:
        return "unknown"
    solver = _solver(seconds)
    solver.add(whole(s))
    for k, m in enumerate(game.moves(s, "0")):
        solver.push()
        solver.add(m.condition, z3.Not(whole({**s, **m.updates})))
        if solver.check() != z3.unsat:
            return f"unknown (step {k}: {m.name})"
        solver.pop()
    return "holds"


def spacer(question: str, players: int, seconds: float = 60.0) -> str:
    """Property-directed reachability without lemmas: `holds`, `fails` or `unknown`."""
    game = Dice(players)
    s = game.state("now")
    names = [*game.numbers, *game.flags]
    row = [s[n] for n in names]
    fp = z3.Fixedpoint()
    fp.set(engine="spacer", timeout=int(seconds * 1000))
    reached = z3.Function("reached", *[x.sort() for x in row], z3.BoolSort())
    wrong = z3.Function("wrong", z3.BoolSort())
    fp.register_relation(reached, wrong)
    moves = game.moves(s, "0")
    fp.declare_var(*row, *{x.get_id(): x for m in moves for x in m.inputs}.values())
    fp.rule(reached(*row), [game.start(s)])
    for m in moves:
        fp.rule(reached(*[m.updates.get(n, s[n]) for n in names]), [reached(*row), m.condition])
    fp.rule(wrong(), [reached(*row), z3.Not(game.claim(question, s))])
    try:
        answer = fp.query(wrong())
    except z3.Z3Exception:
        return "unknown"
    if answer == z3.unsat:
        return "holds"
    return "fails" if answer == z3.sat else "unknown"


def bounded(question: str, players: int, seconds: float = 60.0, depth: int = 6) -> str:
    """`holds` when a position as the question says is reached in at most so many steps, `fails` when none is, or `unknown`.

    Depth by depth in one solver, as one writes it first.
    """
    game = Dice(players)
    solver = _solver(seconds)
    now = game.state("0")
    solver.add(game.start(now))
    for d in range(depth + 1):
        solver.push()
        solver.add(game.claim(question, now))
        answer = solver.check()
        solver.pop()
        if answer != z3.unsat:
            return "holds" if answer == z3.sat else "unknown"
        after = game.state(str(d + 1))
        options = []
        for m in game.moves(now, str(d)):
            options.append(z3.And(m.condition, *[after[n] == m.updates.get(n, now[n]) for n in after]))
        solver.add(z3.Or(options))
        now = after
    return "fails"


def _solver(seconds: float) -> Any:
    solver = z3.Solver()
    solver.set("timeout", int(seconds * 1000))
    return solver


METHODS: dict[str, Callable[[str, int, float], str]] = {"induction": induction, "spacer": spacer, "bounded": bounded}
ASKED = [(q, m) for q in QUESTIONS[:3] for m in ("induction", "spacer")] + [("nine-catapults", "bounded")]
"""Which question is asked how. All four hold."""


def main() -> None:
    """Ask each question once for 2 to 5 players."""
    for players in range(2, 6):
        for question, method in ASKED:
            began = time.perf_counter()
            verdict = METHODS[method](question, players, 20.0)
            print(f"{players} players  {question:16} {method:10} {verdict:8} {time.perf_counter() - began:8.3f} s")


if __name__ == "__main__":
    main()
