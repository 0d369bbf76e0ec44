"""Are the reductions sound, of these rules and this question? Answered both ways, and looked at step by step.

The law of steps: a position of the whole game and the one that stands for it have the same steps, each to a position that
stands for the other's (fewer, where an order of actions is left out); play is over in both or in neither; and what the
question reads is the same in both. It is looked at in positions that plays at random meet.
"""

from __future__ import annotations

import random

from tablelaw.solver import account
from tablelaw.solver.boarded import has_board
from tablelaw.solver.explicit.engine import Explicit
from tablelaw.solver.reduce.choosing import SOUND, for_question, terms_of
from tablelaw.solver.reduce.names import EVERYWHERE, NONE
from tablelaw.solver.reduce.reduced import Reduced
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget, OutOfBudget, Space
from tablelaw.solver.verdict import InternalFault, Verdict
from tablelaw.spec.game import Game
from tablelaw.spec.questions import Asked

KINDS = {*SOUND, "terminates", "always-after", "force"}
MOST_STATES, MOST_SECONDS = 2_000_000, 60.0
SAMPLED, LONGEST = 400, 200


def both_ways(game: Game, asked: Asked, budget: Budget) -> None:
    """Answer with all reductions and with none, and note what comes of it. Raises `InternalFault` where the two differ."""
    if has_board(game) or asked.kind not in KINDS:
        return
    try:
        looked = sampled(game, asked)
        found = [_answered(game, asked, budget, reductions is EVERYWHERE) for reductions in (EVERYWHERE, NONE)]
    except Unlowerable as why:
        account.note("check", f"reductions were not checked: {why}")
        return
    less, whole = found
    steps = f"{looked:,} positions and those that stand for them have the same steps" if looked else ""
    if less is None or whole is None:
        both = "too many positions to be answered with all reductions and with none"
    elif (less.verdict, less.value) != (whole.verdict, whole.value):
        told = [v.value or v.verdict for v in (less, whole)]
        raise InternalFault(f"`{asked.id}`: {told[0]} with all reductions, {told[1]} without")
    else:
        both = f"the same answer over {less.states:,} positions with all reductions, over {whole.states:,} with none"
    figures = {} if less is None or whole is None else {"with": less.states or 0, "without": whole.states or 0}
    account.note("check", "reductions checked: " + "; ".join(filter(None, (both, steps))), {**figures, "sampled": looked})


def _answered(game: Game, asked: Asked, budget: Budget, reduced: bool) -> Verdict | None:
    try:
        with account.recording():
            engine = Explicit(game, EVERYWHERE if reduced else NONE)
            return engine.ask(asked, budget.part(MOST_SECONDS, MOST_STATES))
    except OutOfBudget:
        return None


def sampled(game: Game, asked: Asked, seed: int = 0) -> int:
    """Look at the law of steps in positions of plays at random; in how many. Raises `InternalFault`."""
    engine = Explicit(game, NONE)
    problem, space = engine.prepared(asked)
    found = for_question(asked, problem, space, EVERYWHERE, {})
    if found is None:
        return 0
    small, chance, looked = Space(found.model), random.Random(seed), 0
    terms = terms_of(asked, problem) if found.keep is not None or found.among else []
    seen: set[int] = set()
    for _ in range(SAMPLED):
        s = chance.choice(space.states[: space.starts])
        for _ in range(LONGEST):
            if s not in seen:
                seen.add(s)
                looked += 1
                law(found, space, small, s)
                for t in terms:
                    if space.formula(t)(s) != small.formula(t)(found.stands(s)):
                        raise InternalFault(f"`{asked.id}` reads of a position what it does not of the one that stands for it")
            out: list[int] = []
            space.successors(s, out)
            nexts = [n for n in out if n >= 0]
            if not nexts or looked >= SAMPLED:
                break
            s = chance.choice(nexts)
        if looked >= SAMPLED:
            break
    return looked


def law(found: Reduced, space: Space, small: Space, s: int) -> None:
    """The law of steps in one position. Raises `InternalFault`."""
    here: list[int] = []
    there: list[int] = []
    space.successors(s, here)
    stands = found.stands(s)
    small.successors(stands, there)
    whole, less = {n if n < 0 else found.stands(n) for n in here}, set(there)
    same = whole == less if found.order is None else less <= whole and bool(less) == bool(whole)
    if not same or bool(space.formula(space.ended)(s)) != bool(small.formula(small.ended)(stands)):
        raise InternalFault("a position and the one that stands for it have other steps")
