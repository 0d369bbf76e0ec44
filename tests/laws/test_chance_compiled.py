"""Laws: the chain listed by compiled code is the one listed in Python, and what is reckoned on its arrays is the same."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from math import lcm
from pathlib import Path

import numpy as np
import pytest

from tablelaw.solver import evaluate
from tablelaw.solver.chance import bounds as slow_bounds
from tablelaw.solver.chance import engine, exact, listing, swept, whole
from tablelaw.solver.chance.engine import Chance
from tablelaw.solver.chance.graph import Chances, Choices, Refused
from tablelaw.solver.chance.listed import Listed
from tablelaw.solver.chance.policy import rewalk
from tablelaw.solver.chance.ready import Ready, chain_of
from tablelaw.solver.native.compiler import compiler
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.load import load
from tablelaw.spec.questions import Asked, Reader
from tablelaw.spec.settings import defaults
from tablelaw.testing.dice import PLAYS, dice_game, made

EXAMPLES = Path(__file__).parents[2] / "examples"
pytestmark = pytest.mark.skipif(compiler() is None, reason="needs a C compiler")


@pytest.fixture(autouse=True)
def apart(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Compiled code is kept apart from the user's, and is used from the first state on."""
    monkeypatch.setenv("TABLELAW_CACHE", str(tmp_path_factory.getbasetemp() / "compiled"))
    monkeypatch.setattr(listing, "FIRST", 0)


@contextmanager
def in_python() -> Iterator[None]:
    """Without a compiler."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(listing, "compiler", lambda: None)
        yield


def both_ways(game: Game, asked: Asked) -> tuple[Verdict, Verdict]:
    """The answer by compiled code, and without."""
    fast = Chance(game).ask(asked, Budget(60))
    with in_python():
        return fast, Chance(game).ask(asked, Budget(60))


# listing


def listed(game: Game, asked: Asked, most: int = 100_000, nearest: int | None = None) -> Chances | str:
    """The chain of a question, or why there is none."""
    try:
        return chain_of(Ready(game, asked), asked, Budget(60), most, nearest)
    except Refused as why:
        return str(why)


def same(game: Game, asked: Asked, nearest: int | None = None) -> Chances | str:
    """Both ways come to one chain, or refuse with the same words."""
    fast = listed(game, asked, nearest=nearest)
    with in_python():
        plain = listed(game, asked, nearest=nearest)
    if isinstance(fast, str):
        assert fast == plain
        return fast
    assert isinstance(fast, Listed)
    assert isinstance(plain, Chances)
    assert fast.plain() == replace(plain, cut=[])
    assert fast.cut == plain.cut
    assert fast.many().tolist() == plain.many()
    for several in (False, True):
        assert fast.actors(several) == plain.actors(several)
    assert fast.stuck() == plain.stuck()
    assert fast.staying() == plain.staying()
    assert list(map(sorted, fast.groups())) == list(map(sorted, plain.groups()))
    return fast


def test_chains_of_games_of_dice() -> None:
    """With `before`, within so many steps, and cut off; and the answers, which hang on who plays how."""
    cut = figures = 0
    for seed in range(6):
        game, both = dice_game(random.Random(seed))
        for k, plain in enumerate(both):
            play, who = PLAYS[(seed + k) % len(PLAYS)]
            asked = replace(plain, play=play, players=who)
            same(game, asked)
            same(game, replace(asked, within=2))
            part = same(game, asked, nearest=5)
            cut += not isinstance(part, str) and bool(part.cut)
            fast, slow = both_ways(game, asked)
            assert (fast.value, fast.reason, fast.states, fast.notes) == (slow.value, slow.reason, slow.states, slow.notes)
            assert (fast.policy is None) == (slow.policy is None)
            figures += fast.value is not None
    assert cut > 3
    assert figures > 8


WIDE = """tablelaw: 1
game: g
title: G
players: 2
types: {Color: [red, blue, green]}
state:
  pad: {type: "map[Player, 0..100000]", init: 0}
  hand: {type: "map[Player, bag[Color, 3]]", init: bag()}
  far: {type: "map[Color, 0..100000]", init: 0}
  seen: {type: "map[Color, 0..9]", init: 0}
  n: {type: 0..3, init: 0}
actions:
  roll:
    by: n % 2
    during: n < 3
    chance: {c: "roll(2, Color)"}
    do: |
      hand[actor] = c
      n += 1
      pad[actor] = 59999
      for f in Color:
        far[f] = 40000 * c[f]
        seen[f] = seen[f] + c[f]
  pass: {by: n % 2, during: n < 3 and n > 0, do: n += 1}
end: [{id: over, when: n == 3}]
questions:
  two: {odds: "any(seen[c] == 4 for c in Color)", play: best, who: [0]}
  mean: {expected: "max(seen[c] for c in Color) + 2 * times('pass') - times('roll')", play: best, who: [0, 1]}
  much: {odds: "any(far[c] == 80000 for c in Color) and pad[0] == 59999", play: best, who: [0, 1]}
  ratio: {expected: "sum(seen[c] for c in Color) / (seen[red] - seen[blue])", play: uniform}
  often: {odds: "times('roll') >= 2 and seen[red] == 2", play: best, who: [0, 1]}
  unclear: {odds: "seen[red] == 2", play: best}
  ends: {terminates: almost-surely}
"""


def test_names_alike_long_states_and_what_is_refused() -> None:
    """Fields that lie across two words, names taken for each other, gains, and formulas without a value."""
    game, questions = made(WIDE)
    refused = lumped = long = 0
    for asked in questions:
        if asked.kind != "terminates":
            found = same(game, asked)
            refused += isinstance(found, str)
            lumped += Ready(game, asked).same is not None
            long += isinstance(found, Listed) and found.words.shape[1] > 1
        fast, slow = both_ways(game, asked)
        assert (fast.verdict, fast.value, fast.reason, fast.states) == (slow.verdict, slow.value, slow.reason, slow.states)
    assert refused == 1
    assert lumped > 3
    assert long > 2


FAULTS = """tablelaw: 1
game: g
title: G
players: 2
state:
  n: {type: 0..9, init: 0}
  m: {type: 0..9, init: 0}
actions:
  add: {by: 0, during: n < 8, chance: {k: die(3)}, do: n += k}
  ACTION
end: [{id: over, when: n >= 8}]
questions:
  odd: {odds: "n == 9", play: best, who: [0]}
  mean: {expected: "times('add')", play: uniform}
"""


@pytest.mark.parametrize("action", [
    "more: {by: table, during: n == 7, params: {k: 1..2}, do: n += k}",
    "more: {by: 0, during: n == 7, do: n += 5}",
    "more: {by: table, during: n == 7, chance: {k: die(4)}, do: n += k}",
    "more: {by: 0, during: n == 7, chance: {k: die(4)}, do: 'm = 10 // (n - 7)'}",
    "more: {by: 1, during: n > 3, do: m = 1}",
])  # fmt: skip
def test_steps_that_have_no_chance_are_refused_alike(action: str) -> None:
    game, questions = made(FAULTS.replace("ACTION", action))
    for asked in questions:
        same(game, asked)


PASSING = """tablelaw: 1
game: g
title: G
players: 2
state: {turn: {type: Player, init: 0}, n: {type: 0..3, init: 0}}
actions:
  go: {by: turn, chance: {x: die(2)}, do: "n = min(3, n + x)\n\nturn = after(turn)"}
  pass: {by: turn, do: turn = after(turn)}
end: [{id: over, when: n == 3}]
questions:
  mean: {expected: "n + times('go')", play: uniform}
  ends: {odds: turn == 1, before: n == 2, play: uniform}
  best: {expected: "times('go')", play: best, who: [0, 1]}
"""


def test_uniform_play_is_not_said_to_stay_away_for_ever() -> None:
    """A move that may be chosen for ever is drawn among others where nobody prefers any; where somebody does, it is refused."""
    game, questions = made(PASSING)
    told = [both_ways(game, asked) for asked in questions]
    for fast, slow in told:
        assert (fast.value, fast.reason, fast.states, fast.notes) == (slow.value, slow.reason, slow.states, slow.notes)
    assert [fast.value is None for fast, _ in told] == [False, False, True]


# reckoning on arrays


def arrays(chain: Chances) -> Listed:
    """A chain of lists as arrays."""
    heads, firsts, totals, weights, targets, movers = [0], [0], [], [], [], []
    for options in chain.choices:
        for actor, draws in options:
            total = lcm(*(p.denominator for _, p in draws))
            movers.append(actor)
            totals.append(total)
            targets += [j for j, _ in draws]
            weights += [int(p * total) for _, p in draws]
            firsts.append(len(targets))
        heads.append(len(totals))
    kinds = np.array([1 if v in chain.values else 0 for v in range(len(chain.packed))], np.int8)
    found = Listed(
        words=np.array(chain.packed, np.uint64).reshape(-1, 1), heads=np.array(heads), firsts=np.array(firsts),
        totals=np.array(totals), weights=np.array(weights), targets=np.array(targets, np.uint32),
        movers=np.array(movers, np.int8), kinds=kinds, starts=chain.starts,
    )  # fmt: skip
    found.values = dict(chain.values)
    if any(chain.reward):
        found.reward, found.rewards = list(chain.reward), np.array([float(r) for r in chain.reward])
    return found


SENSES: tuple[exact.Sense, ...] = (
    lambda a: 0,
    lambda a: 0 if a < 0 else 1,
    lambda a: 0 if a < 0 else -1,
    lambda a: (0, 1, -1)[a + 1],
    lambda a: (0, -1, 1)[a + 1],
)


def any_chain(r: random.Random, gains: bool) -> Chances:
    """Some states of two players and of nobody, back and forth, the last ones decided; with `gains` something is counted."""
    n, decided = r.randint(2, 30), r.randint(2, 4)
    whole_ = n + decided
    reach = r.choice((2, 5, whole_))
    chain = Chances(packed=list(range(whole_)), starts=1, reward=[Fraction(0)] * whole_)
    for v in range(whole_):
        if gains and v and r.random() < 0.5:
            chain.reward[v] = Fraction(r.randint(0, 9), r.randint(1, 3))
        if v >= n:
            chain.values[v] = Fraction(r.randint(-5, 5), 3) if gains else Fraction(v % 2)
            chain.choices.append([])
            continue
        actor, options = r.choice((-1, 0, 1)), Choices()
        for _ in range(1 if actor < 0 else r.randint(1, 3)):
            targets = list({min(whole_ - 1, max(1, r.randint(v - reach, v + reach))) for _ in range(r.randint(1, 4))})
            shares = [r.choice((1, 2, 3, 1000)) for _ in targets]
            options.append((actor, [(j, Fraction(w, sum(shares))) for j, w in zip(targets, shares, strict=True)]))
        chain.choices.append(options)
        chain.edges += sum(len(d) for _, d in options)
    return chain


def check_arrays(seed: int) -> tuple[bool, bool]:
    """Whether the figure lies inside of 0 and 1, and whether bounds came near it."""
    r = random.Random(seed)
    gains = seed % 3 == 0
    chain, sense = any_chain(r, gains), SENSES[seed % 5]
    fast = arrays(chain)
    assert fast.plain().choices == chain.choices
    assert list(map(sorted, fast.groups())) == list(map(sorted, chain.groups()))
    assert fast.staying() == chain.staying()
    plain = chain.copy()
    plain.averaged(sense)
    fast.averaged(sense)
    assert fast.staying() == plain.staying()
    if gains and plain.staying() is not None:
        return False, False
    values, _ = exact.solve(plain, sense, Budget(60))
    if gains:
        found = swept.bound_counts(fast, sense, min(Fraction(0), *chain.values.values()), Budget(60))
    else:
        found = swept.bound(fast, sense, Fraction(0), Fraction(1), Budget(60))
    for bounds in (None, found):
        mine, chosen = whole.solve(fast, sense, Budget(60), bounds)
        assert mine == values, seed
        rewalk(fast, mine, chosen, sense, gains)
        rewalk(plain, mine, chosen, sense, gains)
    if found is None:
        return False, False
    for v, (low, value, high) in enumerate(zip(found.below, values, found.above, strict=True)):
        assert Fraction(low) <= value <= Fraction(high), (seed, v)
    assert found.low <= values[0] <= found.high
    lost = chain.copy()
    assert fast.hopeless(sense) == lost.hopeless(sense)
    assert fast.values == lost.values
    return 0 < values[0] < 1, found.high - found.low < 1e-8


def test_figures_and_bounds_on_arrays_are_those_of_lists() -> None:
    """Components, where a play can stay, what is hopeless, exact values and bounds of every state."""
    found = [check_arrays(seed) for seed in range(300)]
    assert sum(inside for inside, _ in found) > 40
    assert sum(near for _, near in found) > 150


def test_components_with_many_ways_back_are_lifted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the states that are led back to are many, the equations are solved by FLINT."""
    monkeypatch.setattr(whole, "MOST_CARRIED", 0)
    assert sum(check_arrays(seed)[0] for seed in range(60)) > 5


def test_bounds_of_plays_that_hardly_move() -> None:
    """A play that is decided once in 10^12 steps, either way alike: a guess just above what little has come is no bound."""
    rare = Fraction(1, 10**12)
    chain = Chances(packed=[0, 1, 2], starts=1, reward=[Fraction(0)] * 3, values={1: Fraction(1), 2: Fraction(0)})
    chain.choices = [[(-1, [(0, 1 - rare), (1, rare / 2), (2, rare / 2)])], [], []]
    found = swept.bound(arrays(chain), SENSES[0], Fraction(0), Fraction(1), Budget(2))
    assert found.low <= Fraction(1, 2) <= found.high


def test_advice_of_arrays_is_that_of_lists(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where figures are told by bounds: the same positions, in the same order, with the same moves."""
    monkeypatch.setattr(engine, "MOST_EXACT_STATES", -1)
    told = 0
    for seed in range(6):
        game, both = dice_game(random.Random(seed))
        asked = replace(both[0], play="best", players=frozenset({seed % 2}))
        fast, slow = (v.policy for v in both_ways(game, asked))
        assert (fast is None) == (slow is None)
        if fast is not None and slow is not None:
            assert fast.take(50, 0) == slow.take(50, 0)
            assert fast.varying == slow.varying
            told += 1
    assert told > 2


SHELF = ["craps", "chutes-and-ladders", "knuth-yao", "coupon-collector", "shut-the-box"]


@pytest.mark.slow
@pytest.mark.parametrize("example", SHELF)
def test_examples_have_the_same_answers(example: str) -> None:
    """Every question of chance, where Python alone answers it in a few seconds."""
    rules, sink = load(str(EXAMPLES / example / "rules.yaml"), Diagnostics()), Diagnostics()
    assert rules is not None
    game = rules.game(defaults(rules.document), rules.counts[0], sink)
    assert game is not None
    compared = 0
    for node in rules.document.questions.values():
        asked = Reader(game, sink, evaluate.starts(game)[0]).question(node)
        if asked is None or asked.kind not in ("odds", "expected"):
            continue
        with in_python():
            slow = Chance(game).ask(asked, Budget(10))
        if slow.value is None and slow.reason is None:
            continue
        fast = Chance(game).ask(asked, Budget(60))
        if "budget" in (slow.reason or ""):
            continue
        assert (fast.verdict, fast.value, fast.reason, fast.notes) == (slow.verdict, slow.value, slow.reason, slow.notes)
        assert (fast.policy is None) == (slow.policy is None)
        if fast.policy is not None and slow.policy is not None:
            assert fast.policy.total == slow.policy.total
            assert [a.state for a in fast.policy.take(12, 0)] == [a.state for a in slow.policy.take(12, 0)]
        compared += fast.value is not None
    assert compared


class Short(Budget):
    """A budget that runs out when it has been looked at so often, or is broken off then."""

    looks = 0
    with_ctrl_c = False

    def check(self, states: int = 0) -> None:
        """As `Budget.check`."""
        self.looks -= 1
        if self.looks < 0:
            if self.with_ctrl_c:
                raise KeyboardInterrupt
            raise OutOfBudget("looked at often enough")


def cut_short(looks: int, with_ctrl_c: bool) -> Short:
    """Such a budget."""
    found = Short(60.0)
    found.looks, found.with_ctrl_c = looks, with_ctrl_c
    return found


def test_bounds_cut_short_anywhere_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of arrays and of lists, by the budget and by Ctrl-C; those of arrays are gone on from to what they would have been."""
    monkeypatch.setattr(swept, "WORK", 0)
    zero, one, early = Fraction(0), Fraction(1), 0
    for seed in range(120):
        r = random.Random(seed)
        chain, sense = any_chain(r, gains=False), SENSES[seed % 5]
        fast = arrays(chain)
        fast.averaged(sense)
        chain.averaged(sense)
        value = exact.solve(chain, sense, Budget(60))[0][0]
        looks, ctrl_c = r.randint(0, 12), seed % 2 == 1
        for told in (fast, chain):
            try:
                found = swept.any_bound(told, sense, zero, one, cut_short(looks, ctrl_c), ())
            except slow_bounds.Interrupted as stop:
                found = stop.known
            assert found.low <= value <= found.high, (seed, told is fast)
            early += 1e-6 < found.high - found.low < 1
            if told is fast:
                on, alone = (swept.bound(fast, sense, zero, one, Budget(60), begun) for begun in (found, None))
                assert on.low <= value <= on.high, seed
                assert on.high - on.low <= alone.high - alone.low + Fraction(1, 10**9), seed
    assert early > 5


def test_ctrl_c_within_a_guess_leaves_no_guess_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bounds in Python of a play that hardly moves, broken off at any sweep."""
    values, broken, rare = slow_bounds._Block.values, 0, Fraction(1, 10**12)
    chain = Chances(packed=[0, 1, 2], starts=1, reward=[Fraction(0)] * 3, values={1: Fraction(1), 2: Fraction(0)})
    chain.choices = [[(-1, [(0, 1 - rare), (1, rare / 2), (2, rare / 2)])], [], []]
    for last in range(1, 80):
        left = [last]

        def counted(block: slow_bounds._Block, x: object, left: list[int] = left) -> object:
            left[0] -= 1
            if not left[0]:
                raise KeyboardInterrupt
            return values(block, x)

        monkeypatch.setattr(slow_bounds._Block, "values", counted)
        try:
            found = slow_bounds.bound(chain, SENSES[0], Fraction(0), Fraction(1), Budget(60))
        except slow_bounds.Interrupted as stop:
            found, broken = stop.known, broken + 1
        assert found.low <= Fraction(1, 2) <= found.high, last
    assert broken > 60
