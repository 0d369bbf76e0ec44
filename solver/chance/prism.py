"""The chain of a question as text that a probabilistic model checker reads, for a second opinion on our figure.

A chain in which nobody decides is a `dtmc`, one in which one side does an `mdp`; with two sides it is a game, and neither
format has those. Everything is already counted up to what we count as one, and cut to what the question depends on: this
checks our figures, not how the rules were read (the laws do that).

States are numbered, one command for each choice. A reader goes through all commands at each state, so that large chains are
written state by state instead (`drn`, which Storm reads).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from tablelaw.solver.boarded import has_board
from tablelaw.solver.chance.engine import Chance
from tablelaw.solver.chance.exact import NO_MOVE, Sense
from tablelaw.solver.chance.graph import Chances, Choices, Draws, Refused
from tablelaw.solver.chance.ready import Ready
from tablelaw.solver.space.graph import Budget
from tablelaw.spec.core import Expr
from tablelaw.spec.game import Game
from tablelaw.spec.questions import Asked

MOST_COMMANDS = 20_000
MOST_STATES = 1_000_000
TWO_SIDES = "two sides decide in it: a two-player game, which neither Storm's chains nor its decision processes can say"
GAIN = "gain"


@dataclass(slots=True)
class Model:
    """A chain made ready to be written: every state has a choice, what is decided stays where it is."""

    sides: int
    """1: somebody makes the figure large, -1: small, 0: nobody decides anything."""
    states: list[list[Draws]]
    starts: int
    labels: dict[str, list[int]]
    gains: dict[int, Fraction] = field(default_factory=dict)
    """What being in a state adds; none where odds are asked."""
    within: int | None = None
    counts: bool = False
    left_open: bool = False
    """Is it the chain of the game without its board?"""

    @property
    def asks(self) -> str:
        """What is asked of it, as PRISM and Storm write it."""
        want = {1: "max", -1: "min", 0: ""}[self.sides]
        if self.counts:
            return f'R{{"{GAIN}"}}{want}=? [ F "done" ]'
        return f'P{want}=? [ F{"" if self.within is None else f"<={self.within}"} "goal" ]'

    @property
    def kind(self) -> str:
        """How model checkers call it."""
        return "mdp" if self.sides else "dtmc"

    @property
    def commands(self) -> int:
        """How many choices there are in all."""
        return sum(map(len, self.states))


class _Taken(Exception):
    """The chain has been looked at; nothing more is to be reckoned."""


def model(game: Game, asked: Asked, budget: Budget) -> Model:
    """The model of an `odds` or `expected` question. Raises `Refused`, `OutOfBudget` and `Unlowerable`."""
    found: list[Model] = []

    def take(chain: Chances, about: Asked, sense: Sense, ready: Ready) -> None:
        found.append(_model(chain, about, sense, ready, chance))
        found[0].left_open = has_board(game) and not has_board(ready.game)
        raise _Taken

    chance = Chance(game)
    chance.watch = take
    try:
        verdict = chance.ask(asked, budget)
    except _Taken:
        return found[0]
    raise Refused(verdict.reason or "there is no chain to be written")


def _model(chain: Chances, asked: Asked, sense: Sense, ready: Ready, chance: Chance) -> Model:
    if len(chain.packed) > MOST_STATES:
        raise Refused(f"its chain has more than {MOST_STATES:,} states")
    if asked.kind == "expected":
        chance._must_end(ready, chain)
    labels = {
        "before": _where(chain, ready, asked.before),
        "at": _where(chain, ready, asked.at),
        "ended": [v for v in chain.values if ready.ended(chain.packed[v])],
    }
    return of_chain(chain, asked.kind == "expected", asked.within, sense, labels)


def of_chain(
    chain: Chances, expected: bool, within: int | None, sense: Sense, labels: dict[str, list[int]] | None = None
) -> Model:
    """The model of a chain; one whose plays all end where a mean is asked for. Raises `Refused`."""
    n = len(chain.packed)
    sides = {sense(options[0][0]) for options in chain.choices if len(options) > 1} - {0}
    if len(sides) > 1:
        raise Refused(TWO_SIDES)
    stuck = [v for v, options in enumerate(chain.choices) if not options and v not in chain.values]
    if stuck and within is None:
        raise Refused(NO_MOVE)
    named = {k: v for k, v in (labels or {}).items() if v}
    if stuck:
        named["stuck"] = stuck
    made = Model(sides.pop() if sides else 0, [], chain.starts, named)
    if not expected:
        made.states = [_moves(options) or _stays(v) for v, options in enumerate(chain.choices)]
        made.within = within
        named["goal"] = [v for v, x in chain.values.items() if x == 1]
        if not named["goal"]:  # one that nothing leads to, for a label of no state is unknown to Storm
            made.states.append(_stays(n))
            named["goal"] = [n]
        return made
    # what a decided position is worth is counted on the way out of it, to one state more
    made.states = [_moves(options) or _stays(n) for options in chain.choices] + [_stays(n)]
    made.counts = True
    named["done"] = [n]
    for v in range(n):
        gain = chain.reward[v] + chain.values.get(v, Fraction(0))
        if gain:
            made.gains[v] = gain
    return made


def _where(chain: Chances, ready: Ready, formula: Expr | None) -> list[int]:
    if formula is None:
        return []
    test = ready.test(formula)
    return [v for v in chain.values if test(chain.packed[v])]


def _moves(options: Choices) -> list[Draws]:
    return [[(j, p) for j, p in draws if p] for _, draws in options]


def _stays(v: int) -> list[Draws]:
    return [[(v, Fraction(1))]]


# texts


def texts(game: Game, asked: Asked, form: str, notes: list[str], budget: Budget, known: bool) -> dict[str, str]:
    """The files of a question by their endings: the model in the form asked for, and what is asked of it.

    `known`: there is one figure; of a game with its board left open the chain has it only then.
    Raises `Refused`, `OutOfBudget` and `Unlowerable`.
    """
    m = model(game, asked, budget)
    if m.left_open and not known:
        raise Refused("so large a board matters to it, and no one chain has the figure")
    if m.left_open:
        notes = [*notes, "the board makes no difference to it: nobody acts on it here"]
    if form == "drn":
        return {"drn": drn_text(m, notes), "props": properties_text(m, notes)}
    if m.commands > MOST_COMMANDS:
        raise Refused(f"its {m.commands:,} choices are too many for the language of PRISM: write it with `--export drn`")
    return {"prism": prism_text(m, notes), "props": properties_text(m, notes)}


def prism_text(m: Model, notes: Iterable[str]) -> str:
    """The model in the language of PRISM."""
    return "\n".join(_prism(m, notes)) + "\n"


def _prism(m: Model, notes: Iterable[str]) -> Iterator[str]:
    yield from (f"// {line}" for line in notes)
    yield m.kind
    yield ""
    several = m.starts > 1
    yield "module play"
    yield f"  s : [0..{max(1, len(m.states) - 1)}]{'' if several else ' init 0'};"
    for v, choices in enumerate(m.states):
        for draws in choices:
            if len(draws) == 1:
                yield f"  [] s={v} -> (s'={draws[0][0]});"
            else:
                yield f"  [] s={v} -> " + " + ".join(f"{_number(p)} : (s'={j})" for j, p in draws) + ";"
    yield "endmodule"
    if several:
        yield f"\ninit s<{m.starts} endinit"
    yield ""
    for name, states in m.labels.items():
        yield f'label "{name}" = {_among(states)};'
    if m.counts:
        yield f'\nrewards "{GAIN}"'
        for v, gain in m.gains.items():
            yield f"  s={v} : {_number(gain)};"
        yield "endrewards"


def _among(states: list[int]) -> str:
    """The states as ranges."""
    ranges: list[list[int]] = []
    for v in sorted(states):
        if ranges and v == ranges[-1][1] + 1:
            ranges[-1][1] = v
        else:
            ranges.append([v, v])
    return " | ".join(f"s={a}" if a == b else f"(s>={a} & s<={b})" for a, b in ranges) or "false"


def _number(x: Fraction) -> str:
    """A fraction; whole numbers beyond what PRISM counts as one are written as decimals."""
    return _whole(x.numerator) if x.denominator == 1 else f"{_whole(x.numerator)}/{_whole(x.denominator)}"


def _whole(n: int) -> str:
    return str(n) if -(2**31) < n < 2**31 else f"{n}.0"


def drn_text(m: Model, notes: Iterable[str]) -> str:
    """The model state by state, as Storm reads it."""
    return "\n".join(_drn(m, notes)) + "\n"


def _drn(m: Model, notes: Iterable[str]) -> Iterator[str]:
    yield from (f"// {line}" for line in notes)
    yield f"@type: {m.kind.upper()}"
    yield "@value_type: rational"
    yield "@parameters"
    yield ""
    yield "@reward_models"
    yield GAIN if m.counts else ""
    yield "@nr_states"
    yield str(len(m.states))
    yield "@nr_choices"
    yield str(m.commands)
    yield "@model"
    names: dict[int, list[str]] = {v: ["init"] for v in range(m.starts)}
    for name, states in m.labels.items():
        for v in states:
            names.setdefault(v, []).append(name)
    for v, choices in enumerate(m.states):
        gain = f" [{m.gains.get(v, Fraction(0))}]" if m.counts else ""
        yield f"state {v}{gain}" + "".join(f" {name}" for name in names.get(v, ()))
        for number, draws in enumerate(choices):
            yield f"\taction {number}{' [0]' if m.counts else ''}"
            yield from (f"\t\t{j} : {p}" for j, p in sorted(draws))


def properties_text(m: Model, notes: Iterable[str]) -> str:
    """What is asked of the model, as PRISM and Storm read it."""
    return "".join(f"// {line}\n" for line in notes) + m.asks + "\n"
