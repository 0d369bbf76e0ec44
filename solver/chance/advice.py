"""What to do for a figure, told in the moves of the rules: in the positions where it matters, those met most often first."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from tablelaw.solver import evaluate
from tablelaw.solver.chance import followed
from tablelaw.solver.chance.followed import APART
from tablelaw.solver.chance.graph import Chances, Draws, Pulse
from tablelaw.solver.chance.listed import Listed
from tablelaw.solver.chance.policy import WRONG, Solved
from tablelaw.solver.evaluate import Move, State
from tablelaw.solver.shapes import leaves
from tablelaw.solver.space.rows import Rows
from tablelaw.solver.trace import to_numbers
from tablelaw.solver.verdict import Advised, InternalFault, Policy
from tablelaw.spec.core import Assign, Bind, Branch, Effect, Fire, Loop
from tablelaw.spec.game import Game
from tablelaw.spec.operators import Fault
from tablelaw.spec.questions import Asked
from tablelaw.spec.types import BagOf, MapOf

if TYPE_CHECKING:
    from tablelaw.solver.chance.bounds import Bounds
    from tablelaw.solver.chance.exact import Sense
    from tablelaw.solver.chance.ready import Ready
    from tablelaw.solver.space.graph import Budget

MOST_TOLD = 200
MOST_DRAWS = 1_000_000
"""So many draws are followed to find out which positions are met most often."""
LEAST_SHARE = 1e-12
SURELY_TOLD = 12


class Told:
    """Finds the move of the rules that a choice of the chain is: the one with the same draws, by the evaluator."""

    def __init__(self, game: Game, ready: Ready) -> None:
        self.game, self.ready = game, ready
        self.subjects = list(ready.problem.counters)
        self.faulty = False
        self.work = 0

    def key(self, state: State, counts: list[int]) -> int | None:
        """The state of the chain that stands for a position, with what is counted."""
        space, ready = self.ready.space, self.ready
        if isinstance(space, Rows):
            return space.numbers.get((*(state[v.name] for v in self.game.variables), *counts))
        return ready.stands_for(ready.whole.pack([*to_numbers(self.game, state), *counts]))

    def counts(self, s: int) -> list[int]:
        """What is counted in a state."""
        return [self.ready.flag(subject)(s) for subject in self.subjects]

    def find(self, game: Game, state: State, counts: list[int], actor: int, wanted: dict[int, Fraction]) -> Move | None:
        """The first legal move of an actor that leads to these states of the chain with these chances."""
        for move in evaluate.moves(game, state):
            if (-1 if move.actor is None else move.actor) == actor and self._leads(game, state, counts, move, wanted):
                return move
        return None

    def _leads(self, game: Game, state: State, counts: list[int], move: Move, wanted: dict[int, Fraction]) -> bool:
        found: dict[int, Fraction] = {}
        for drawn, p in evaluate.draws(game, state, move):
            self.work += 1
            out = evaluate.apply(game, state, move, drawn)
            if out.fault is not None:
                self.faulty = True
                return False
            happened = {move.action, *out.fired}
            before = counts if self.ready.totals else [0] * len(counts)
            most = self.ready.most
            k = self.key(out.state, [min(n + (s in happened), most) for n, s in zip(before, self.subjects, strict=True)])
            if k is None or k not in wanted:
                return False
            found[k] = found.get(k, Fraction(0)) + p
        return found == wanted


def without(game: Game, names: tuple[str, ...]) -> Game:
    """The game without what it does to some variables, which stay as they are."""
    if not names:
        return game

    def kept(effects: tuple[Effect, ...]) -> tuple[Effect, ...]:
        found: list[Effect] = []
        for e in effects:
            match e:
                case Assign(name):
                    found += [] if name in names else [e]
                case Branch(_, yes, no):
                    found.append(replace(e, yes=kept(yes), no=kept(no)))
                case Loop(body=body) | Fire(body=body) | Bind(body=body):
                    found.append(replace(e, body=kept(body)))
                case _:
                    found.append(e)
        return tuple(found)

    return replace(game, actions=tuple(replace(a, effects=kept(a.effects)) for a in game.actions))


def advice(game: Game, ready: Ready, solved: Solved, asked: Asked, budget: Budget | None = None) -> Policy | None:
    """What the players of a figure do; None where no choice of theirs makes a difference. Raises `OutOfBudget`."""
    chain, policy = solved.chain, solved.policy
    ours = {v for v in solved.matters & policy.keys() if asked.players is None or chain.choices[v][0][0] in asked.players}
    often = _often(chain, policy.get)
    met = _reached(chain, lambda v: [policy[v]] if v in ours else range(len(chain.choices[v])), budget=budget)
    order = _once(ready, chain, sorted(met & ours, key=lambda v: _rank(often, v)))
    return _told(game, ready, chain, order, policy, asked, len(order))


def sure_advice(game: Game, ready: Ready, chain: Chances, sense: Sense, found: Bounds, asked: Asked) -> Policy | None:
    """What the players of a figure do where bounds are near enough to tell: one move is better than any other can be."""
    if isinstance(chain, Listed):
        order, chosen = _sure_of_arrays(chain, sense, found, asked)
        return _told(game, ready, chain, _once(ready, chain, order)[:MOST_TOLD], chosen, asked, None)
    if not any(len(options) > 1 and sense(options[0][0]) for options in chain.choices):
        return None
    below, above, reward = found.below, found.above, chain.reward
    known: dict[int, list[tuple[float, float]]] = {}

    def mean(draws: Draws, x: list[float]) -> float:
        return sum(float(p) * (x[j] + float(reward[j])) for j, p in draws)

    def worth(v: int) -> list[tuple[float, float]]:
        """What each choice brings at least and at most to who decides; nothing where nobody wants anything."""
        if v not in known:
            options = chain.choices[v]
            want = sense(options[0][0]) if len(options) > 1 else 0
            least, most = (below, above) if want > 0 else (above, below)
            known[v] = [(want * mean(draws, least), want * mean(draws, most)) for _, draws in options] if want else []
        return known[v]

    def likely(v: int) -> int | None:
        """The choice that seems the best one."""
        told = worth(v)
        return max(range(len(told)), key=lambda c: sum(told[c])) if told else None

    def open_to(v: int) -> Iterable[int]:
        """The choices that may be the best; all of who is not asked about."""
        options, told = chain.choices[v], worth(v) if chain.choices[v] else []
        if not told or (asked.players is not None and options[0][0] not in asked.players):
            return range(len(options))
        floor = max(least for least, _ in told)
        room = APART * max(1.0, abs(floor))
        return [c for c, (_, most) in enumerate(told) if most >= floor - room]

    def surely(v: int) -> int | None:
        left = list(open_to(v)) if len(chain.choices[v]) > 1 else []
        return left[0] if len(left) == 1 else None

    often = _often(chain, likely)
    met = _reached(chain, open_to, MOST_DRAWS)
    chosen = {v: c for v in met if (c := surely(v)) is not None}
    order = _once(ready, chain, sorted(chosen, key=lambda v: _rank(often, v)))[:MOST_TOLD]
    return _told(game, ready, chain, order, chosen, asked, None)


def _sure_of_arrays(chain: Listed, sense: Sense, found: Bounds, asked: Asked) -> tuple[list[int], dict[int, int]]:
    """The same of arrays: states where one move is surely the best, those met most often first, and the moves."""
    import numpy as np

    if not followed.deciding(chain, sense).any():
        return [], {}
    ours = _ours(chain, asked)
    pick, usable, sure = followed.surely(chain, sense, found, ours)
    often = followed.often(chain, pick, MOST_DRAWS, LEAST_SHARE)
    met = np.flatnonzero(followed.reached(chain, usable, MOST_DRAWS) & sure)
    mine = followed.spread(chain.heads[met], chain.many()[met])
    only = mine[usable[mine]] - chain.heads[met]
    return sorted(met.tolist(), key=lambda v: _rank(often, v)), dict(zip(met.tolist(), only.tolist(), strict=True))


def _ours(chain: Listed, asked: Asked) -> Any:
    """The states where one of the players asked about chooses first."""
    import numpy as np

    if asked.players is None:
        return np.ones(chain.size, bool)
    found = np.zeros(chain.size, bool)
    some = np.flatnonzero(chain.many())
    found[some] = np.isin(chain.movers[chain.heads[some]], list(asked.players))
    return found


def _once(ready: Ready, chain: Chances, order: list[int]) -> list[int]:
    """Each position once: states may differ in what has happened in the last step, which no choice depends on."""
    if ready.totals:
        return order
    slots = ready.problem.game_slots
    found: dict[object, int] = {}
    for v in order:
        found.setdefault(ready.space.bare(chain.packed[v], slots), v)
    return list(found.values())


def _told(
    game: Game, ready: Ready, chain: Chances, order: list[int], policy: dict[int, int], asked: Asked, total: int | None
) -> Policy | None:
    if not order:
        return None
    found = Told(game, ready)
    lighter = without(game, ready.left_out)
    space, slots = ready.space, ready.problem.game_slots
    chosen = [_option(chain, v, policy[v]) for v in order[:MOST_TOLD]]
    known: list[Advised] = []

    def take(n: int, work: int) -> list[Advised]:
        while len(known) < min(n, len(chosen)):
            if work and len(known) >= SURELY_TOLD and found.work > work:
                break
            s, actor, wanted = chosen[len(known)]
            state = space.state(game, slots, s)
            try:
                counts = found.counts(s)
                move = found.find(lighter, state, counts, actor, wanted)
            except Fault:  # of a variable that was left out
                break
            if move is None:
                if found.faulty:
                    break
                raise InternalFault(WRONG + "a choice is no move of the rules")
            known.append(Advised(state, move, tuple(counts) if ready.totals else ()))
        return known[:n]

    aim = "worst" if asked.play == "worst" else "best"
    shown, varying = _shown(game, ready), _varying(game, ready, chain)
    told = Policy(aim, tuple(sorted(asked.players or ())), total, take, shown, varying, ready.same is not None, asked.within)
    told.at_hand = len(chosen)
    if ready.totals:
        told.counted, told.most = tuple(found.subjects), ready.most if ready.bounded else None
    return told


def _option(chain: Chances, v: int, c: int) -> tuple[int, int, dict[int, Fraction]]:
    actor, draws = chain.choices[v][c]
    return chain.packed[v], actor, {chain.packed[j]: p for j, p in draws}


def _reached(
    chain: Chances, open_to: Callable[[int], Iterable[int]], most: int | None = None, budget: Budget | None = None
) -> set[int]:
    """The states that can come up by choices open in each, the nearest first; no more than `most` draws are followed."""
    met = set(range(chain.starts))
    waiting = deque(met)
    work = 0
    look = Pulse(budget).look
    while waiting and (most is None or work < most):
        v = waiting.popleft()
        look()
        for c in open_to(v):
            draws = chain.choices[v][c][1]
            work += len(draws)
            new = [j for j, _ in draws if j not in met]
            met.update(new)
            waiting += new
    return met


def _rank(often: dict[int, float], v: int) -> tuple[float, int]:
    return -round(often.get(v, 0.0), 9), v


def _often(chain: Chances, chosen: Callable[[int], int | None]) -> dict[int, float]:
    """How often states are met when all choose so; roughly, for nothing is told but the order."""
    often: dict[int, float] = {}
    mass = dict.fromkeys(range(chain.starts), 1.0 / max(chain.starts, 1))
    work = 0
    while mass and work < MOST_DRAWS:
        new: dict[int, float] = {}
        work += followed.ROUND
        for v, m in mass.items():
            often[v] = often.get(v, 0.0) + m
            c = chosen(v) if chain.choices[v] else None
            used = chain.choices[v] if c is None else [chain.choices[v][c]]
            for _, draws in used:
                work += len(draws)
                for j, p in draws:
                    x = m * float(p) / len(used)
                    if x > LEAST_SHARE:
                        new[j] = new.get(j, 0.0) + x
        mass = new
    return often


def _shown(game: Game, ready: Ready) -> dict[str, frozenset[object] | None]:
    """What of a position the figure depends on: each variable, and of a map or bag kept in part the keys."""
    found: dict[str, frozenset[object] | None] = {}
    at = 0
    for v in game.variables:
        if ready.keep is None:
            found[v.name] = None
            continue
        paths = [path for path, *_ in leaves(v.type)]
        mine = [path for i, path in enumerate(paths, at) if i in ready.keep]
        at += len(paths)
        if len(mine) == len(paths) or (mine and not isinstance(v.type, (MapOf, BagOf))):
            found[v.name] = None
        elif mine:
            found[v.name] = frozenset(path[0] for path in mine)
    return found


def _varying(game: Game, ready: Ready, chain: Chances) -> frozenset[str]:
    """The variables that are not the same in all states of the chain."""
    space = ready.space
    if isinstance(space, Rows):
        rows = [space.rows[s] for s in chain.packed]
        return frozenset(v.name for i, v in enumerate(game.variables) if any(r[i] != rows[0][i] for r in rows))
    first, changed, at = chain.packed[0], 0, 0
    for s in () if isinstance(chain, Listed) else chain.packed:
        changed |= s ^ first
    if isinstance(chain, Listed):
        changed = chain.varying()
    names = set()
    for v in game.variables:
        for _ in leaves(v.type):
            if changed >> space.pack.shifts[at] & space.pack.masks[at]:
                names.add(v.name)
            at += 1
    return frozenset(names)
