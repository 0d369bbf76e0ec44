"""A game made ready for a question of chance: its positions packed, what is asked as functions of them, and its chain."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from tablelaw.solver.board_problem import BoardProblem
from tablelaw.solver.boarded import has_board
from tablelaw.solver.chance.graph import NOTHING, VALUELESS, Chances, Paused, Refused, explore
from tablelaw.solver.chance.listing import Asks, compiled_chain, worth_it
from tablelaw.solver.chance.lumping import Plans, alike, canonical, plans_of
from tablelaw.solver.evaluate import place
from tablelaw.solver.ir import Term
from tablelaw.solver.passes import relevant, slice_to, unseen
from tablelaw.solver.problem import COUNTED_TO, Problem, prepare
from tablelaw.solver.shapes import leaves
from tablelaw.solver.space.graph import Budget, Space
from tablelaw.solver.space.pack import packing
from tablelaw.solver.space.ranges import of_slice
from tablelaw.solver.space.rows import Rows
from tablelaw.solver.translator import variables_read
from tablelaw.spec.core import Call, Const, Expr, Op, children
from tablelaw.spec.game import Game, Variable
from tablelaw.spec.operators import Fault
from tablelaw.spec.positions import shown
from tablelaw.spec.questions import Asked, step_needs
from tablelaw.spec.reckon import value
from tablelaw.spec.types import BOOL, Bool

Absorbed = Callable[[int], Fraction | None]
"""The value of a position where the question is decided."""
MOST_TOLD = 10
"""How many variables of a position a reason names."""


class Ready:
    """A game made ready: its space, and formulas as functions of packed states.

    `whole`: with every variable, and nothing taken together.
    """

    def __init__(self, game: Game, asked: Asked, whole: bool = False) -> None:
        self.problem: Problem | BoardProblem
        self.space: Space
        self.plans: Plans = []
        self.same: Callable[[int], int] | None = None
        self.keep: set[int] | None = None
        """The slots that the figure depends on; None: all."""
        decided = [asked.before, asked.at, *([asked.formula] if asked.kind == "odds" else [])]
        self.totals = bool(step_needs(decided)[1])
        """Are counts of what has happened read where something is decided? They are then part of the positions."""
        self.most, self.bounded = COUNTED_TO, False
        """As far as is counted, and whether nothing asks for more."""
        self.left_out: tuple[str, ...] = ()
        """Variables that the figure does not depend on: no choice, no draw and no end reads them, nor does the question."""
        self.fast = False
        """Was its chain begun to be listed by compiled code?"""
        self.unseen: Space | None = None
        """All of the game, where a range may be left of what is left out."""
        if has_board(game):
            board = BoardProblem(game, asked, {}, just_now=not self.totals)
            self.problem, self.space = board, board.space
        else:
            far = counted_as_far(decided + ([] if asked.formula is None else [asked.formula]))
            self.bounded = self.totals and far is not None
            self.most = min(far or COUNTED_TO, COUNTED_TO) if self.bounded else COUNTED_TO
            problem = prepare(game, asked, unroll=True, just_now=not self.totals, counted_to=self.most)
            blank = problem.model.starts[0]
            self.whole = packing(problem.model.slots)
            if not whole:
                keep = relevant(problem.model, _wanted(problem, asked))
                self.unseen = Space(problem.model) if unseen(problem.model, keep) else None
                problem.model = slice_to(problem.model, keep)
                self.left_out = tuple(v.name for v in game.variables if not keep & set(_slots(problem, v)))
                self.keep = keep if len(keep) < len(problem.model.slots) else None
            self.problem = problem
            self.space = Space(problem.model)
            kept = [i for i in range(len(blank)) if self.keep is None or i in self.keep]
            pack = self.space.pack
            self._moves = [(self.whole.shifts[i], self.whole.masks[i], pack.shifts[i]) for i in kept]
            self._blank = pack.pack(blank) & ~sum(pack.masks[i] << pack.shifts[i] for i in kept)
            formulas = [f for f in (asked.formula, asked.before, asked.at) if f is not None]
            self.plans = [] if whole else plans_of(problem.model.slots, self.space.pack, alike(game, formulas))
            self.same = canonical(self.plans)
        self.game = game
        self.ended = self.space.formula(self.space.ended)

    @property
    def slots(self) -> list[tuple[int, int]]:
        """Where the slots lie in a packed state, shift and mask of each; none where states are rows of values."""
        return [] if isinstance(self.space, Rows) else list(zip(self.space.pack.shifts, self.space.pack.masks, strict=True))

    def stands_for(self, s: int) -> int:
        """The state of the chain that stands for a packed state of the whole game."""
        if self.keep is not None:
            s = self._blank + sum((s >> at & mask) << to for at, mask, to in self._moves)
        return s if self.same is None else self.same(s)

    def told(self) -> list[str]:
        """What was left out, for the reader; unknowns of a projection are not the reader's."""
        names = [f"`{n}`" for n in self.left_out if "(" not in n]
        if not names:
            return []
        few = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
        make, were = ("make", "were") if len(names) > 1 else ("makes", "was")
        return [f"{few} {make} no difference and {were} left out"]

    def of_ranges(self, budget: Budget) -> list[str]:
        """What is said of ranges that what was left out may leave."""
        return [] if self.unseen is None else of_slice(self.unseen, budget)

    def where(self, s: int) -> str:
        """A position in words, as far as it matters, for a reason."""
        state = self.space.state(self.game, self.problem.game_slots, s)
        kept = [v for v in self.game.variables if v.name not in self.left_out and "(" not in v.name and v.name in state]
        told = ", ".join(f"{v.name} {shown(state[v.name], v.type)}" for v in kept[:MOST_TOLD])
        return told + (" …" if len(kept) > MOST_TOLD else "")

    def test(self, e: Expr) -> Callable[[int], bool]:
        prop = self.problem.prop(e)
        found, wrong = self.space.formula(prop.start), self.space.formula(prop.start_fault)
        if not isinstance(self.space, Rows) and prop.start_fault.op == "const" and not prop.start_fault.number:
            return lambda s: bool(found(s))

        def test(s: int) -> bool:
            if wrong(s):
                raise Refused(VALUELESS)
            return bool(found(s))

        return test

    def terms(self, e: Expr) -> tuple[Term, Term]:
        """A formula as a term of the model, and when it has no value."""
        prop = self.problem.prop(e)
        return prop.start, prop.start_fault

    def number(self, e: Expr) -> Callable[[int], Fraction]:
        if isinstance(e, Const):
            return lambda s: Fraction(e.value)
        if isinstance(self.problem, BoardProblem):
            prop = self.problem.prop(e)
            call, wrong = self.space.formula(prop.start), self.space.formula(prop.start_fault)

            def told(s: int) -> Fraction:
                if wrong(s):
                    raise Refused(VALUELESS)
                return Fraction(call(s))

            return told
        slots = self.problem.game_slots

        def reckoned(s: int) -> Fraction:
            try:
                here = place(self.game, self.space.state(self.game, slots, s))
                return Fraction(value(e, replace(here, times=lambda subject: self.flag(subject)(s))))
            except Fault as fault:
                raise Refused(VALUELESS) from fault

        return reckoned

    def counting(self, absorbed: Callable[[int], Fraction | None]) -> Callable[[int], Fraction | None]:
        """The same, refused where a count that is part of the positions comes to its end."""
        if not self.totals or self.bounded:
            return absorbed
        counts = [self.flag(subject) for subject in self.problem.counters]

        def looked(s: int) -> Fraction | None:
            found = absorbed(s)
            if found is None and any(count(s) >= COUNTED_TO for count in counts):
                raise Refused(f"something may happen more than {COUNTED_TO} times before it is decided")
            return found

        return looked

    def flag(self, subject: str) -> Callable[[int], int]:
        """Has it happened in the step to this state (with `totals`: how often on the way)?"""
        at = self.problem.counters[subject]
        space = self.space
        if isinstance(space, Rows):
            return lambda s: int(space.rows[s][at])
        shift, mask = space.pack.shifts[at], space.pack.masks[at]
        return lambda s: (s >> shift) & mask


def _slots(problem: Problem, v: Variable) -> range:
    """The slots that hold a variable."""
    first = problem.lowerer.offsets[v.name]
    return range(first, first + len(leaves(v.type)))


def _wanted(problem: Problem, asked: Asked) -> list[Term]:
    """What a question reads, as terms of the model."""
    found: list[Term] = []
    for f in (asked.formula, asked.before, asked.at):
        if f is None:
            continue
        if isinstance(f.type, Bool):
            prop = problem.prop(f)
            found += [prop.start, prop.start_fault]
            continue
        read = variables_read(f)
        slots = [i for v in problem.game.variables if v.name in read or "*" in read for i in _slots(problem, v)]
        found += [problem.model.var(i) for i in (*slots, *problem.counters.values())]
    return found


def chain_of(ready: Ready, asked: Asked, budget: Budget, most: int, nearest: int | None = None) -> Chances:
    """The part of the reachable graph that the question depends on; raises `Refused`, `TooMany` and `OutOfBudget`.

    After the `nearest` states all that is open is cut off: it is told as `cut`, its value 0.
    """
    assert asked.formula is not None
    gained: Callable[[int], Fraction] | None = None
    asks = None if isinstance(ready.problem, BoardProblem) else Asks(ready.problem.model)
    shares: list[tuple[Fraction, int]] = []
    number: Callable[[int], Fraction] = lambda s: NOTHING  # noqa: E731
    if asked.kind == "odds":
        goal = ready.test(asked.formula)
        before = ready.test(asked.before) if asked.before is not None else None

        def absorbed(s: int) -> Fraction | None:
            if goal(s):
                return Fraction(1)
            if (before is not None and before(s)) or ready.ended(s):
                return Fraction(0)
            return None

        if asks is not None:
            asks.won, asks.no_value = ready.terms(asked.formula)
            asks.over_at(ready.terms(asked.before) if asked.before is not None else None)
    else:
        at = ready.test(asked.at) if asked.at is not None else None
        parts = Split(asked.formula) if ready.totals else split(asked.formula)
        number = told = ready.number(parts.rest)
        flags = [(c, ready.flag(subject)) for subject, c in parts.counts.items()]
        if flags:

            def gained_(s: int) -> Fraction:
                return sum((c for c, flag in flags if flag(s)), Fraction(0))

            gained = gained_

        def absorbed(s: int) -> Fraction | None:
            if (at is not None and at(s)) or ready.ended(s):
                return told(s)
            return None

        if asks is not None:
            asks.told = True
            asks.over_at(ready.terms(asked.at) if asked.at is not None else None)
            pack = ready.space.pack
            slots = [ready.problem.counters[subject] for subject in parts.counts]
            shares = [(c, pack.shifts[i]) for c, i in zip(parts.counts.values(), slots, strict=True)]
    cut: list[int] = []
    decides = ready.counting(absorbed)
    if asks is not None:
        if ready.totals and not ready.bounded:
            asks.count_to(list(ready.problem.counters.values()))
        pause = worth_it(budget, ready.fast) if len(shares) < 60 else None
    else:
        pause = None
    try:
        around = decides if nearest is None else _cut_off(decides, nearest, cut)
        found = explore(ready.space, around, gained, budget, most, ready.same, asked.within, pause)
    except Paused:
        assert asks is not None
        fast = compiled_chain(ready, asks, number, budget, most, asked.within, nearest)
        if fast is not None:
            if shares:
                fast.gain(shares, fast.starts)
            return fast
        cut.clear()
        around = decides if nearest is None else _cut_off(decides, nearest, cut)
        found = explore(ready.space, around, gained, budget, most, ready.same, asked.within)
    found.cut = cut
    return found


def _cut_off(absorbed: Absorbed, nearest: int, cut: list[int]) -> Absorbed:
    """The same with what is open cut off; it is asked of each position once, in the order of their numbers."""
    met = 0

    def found(s: int) -> Fraction | None:
        nonlocal met
        value = absorbed(s)
        if value is None and met >= nearest:
            cut.append(met)
            value = NOTHING
        met += 1
        return value

    return found


def counted_as_far(exprs: list[Expr | None]) -> int | None:
    """From where on formulas do not tell counts apart: these are compared with numbers only; None where they are not.

    So may be sums of them: a count above the number makes the sum too large, whatever the rest of it, as nothing in it
    is negative.
    """
    found = 0
    stack = [e for e in exprs if e is not None]
    while stack:
        e = stack.pop()
        match e:
            case Op("eq" | "ne" | "lt" | "le", (total, Const(int(k))) | (Const(int(k)), total)) if _adds_up(total):
                found = max(found, k + 1)
            case Call("times"):
                return None
            case _:
                stack += children(e)
    return found if 0 < found < COUNTED_TO else None


def _adds_up(e: Expr) -> bool:
    """Are counts added up in it, and nothing that is negative?"""
    return _counts(e) and _only_grows(e)


def _only_grows(e: Expr) -> bool:
    """Is it a sum of counts, multiples of counts, and numbers, none of them negative?"""
    match e:
        case Call("times"):
            return True
        case Const(int(k)):
            return k >= 0
        case Op("add", (a, b)):
            return _only_grows(a) and _only_grows(b)
        case Op("mul", (Const(int(k)), a)) | Op("mul", (a, Const(int(k)))):
            return k >= 0 and _only_grows(a)
    return False


class Split:
    """A number as counts of what has happened, each times a figure, and a rest that reads the position."""

    def __init__(self, rest: Expr | None = None) -> None:
        self.counts: dict[str, Fraction] = {}
        self.rest: Expr = rest or Const(0, type=BOOL)


def split(e: Expr) -> Split:
    """The parts of an expectation. Raises `Refused` where counts are not merely added up."""
    found = Split()
    rest: list[Expr] = []
    _split(e, Fraction(1), found, rest)
    if rest:
        total = rest[0]
        for x in rest[1:]:
            total = Op("add", (total, x), type=e.type)
        found.rest = total
    return found


def _split(e: Expr, by: Fraction, found: Split, rest: list[Expr]) -> None:
    match e:
        case Call("times"):
            found.counts[e.subject] = found.counts.get(e.subject, Fraction(0)) + by
            return
        case Op("add", (a, b)):
            _split(a, by, found, rest)
            _split(b, by, found, rest)
            return
        case Op("sub", (a, b)):
            _split(a, by, found, rest)
            _split(b, -by, found, rest)
            return
        case Op("mul", (Const(k), a)) | Op("mul", (a, Const(k))):
            _split(a, by * Fraction(k), found, rest)
            return
    if _counts(e):
        raise Refused("an expectation adds up what has happened: `times(…)` stands in sums and multiples there")
    rest.append(e if by == 1 else Op("mul", (Const(by, type=e.type), e), type=e.type))


def _counts(e: Expr) -> bool:
    return (isinstance(e, Call) and e.name == "times") or any(_counts(c) for c in children(e))
