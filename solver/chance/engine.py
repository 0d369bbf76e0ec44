"""Answers questions of chance: exact fractions where the equations fit, sound bounds where they do not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from tablelaw.solver.board_problem import BoardProblem
from tablelaw.solver.boarded import assignments, has_board
from tablelaw.solver.chance import bounds, exact
from tablelaw.solver.chance.graph import Chances, Refused, TooMany, averaged, components, end_component, explore, hopeless
from tablelaw.solver.chance.lumping import alike, canonical
from tablelaw.solver.ir import Term
from tablelaw.solver.passes import relevant, slice_to
from tablelaw.solver.problem import Problem, prepare
from tablelaw.solver.projection import SOMEWHERE, Projection, variables_read
from tablelaw.solver.shapes import leaves
from tablelaw.solver.space.graph import Budget, OutOfBudget, Space
from tablelaw.solver.space.rows import Rows
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.core import Call, Const, Expr, Op, children
from tablelaw.spec.game import Action, Game, Variable
from tablelaw.spec.policies import policed
from tablelaw.spec.questions import Asked, step_needs
from tablelaw.spec.types import BOOL, Bool

NAME = "chance"
MOST_STATES = 3_000_000
MOST_EXACT_EDGES = 20_000_000
MOST_EXACT_STATES = 400_000
FIRST_SECONDS, FIRST_STATES = 4.0, 20_000


class Chance:
    """Questions of chance about one game."""

    def __init__(self, game: Game) -> None:
        self.game = game

    def ask(self, asked: Asked, budget: Budget) -> Verdict:
        """The verdict; raises `OutOfBudget` and `Unlowerable`."""
        try:
            if asked.kind == "terminates":
                return self._surely(asked, budget)
            return self._figure(asked, budget)
        except Refused as why:
            reason = str(why)
            if reason == exact.NO_MOVE and isinstance(asked.play, tuple):
                reason = "the list of `play` runs out: in a position that matters none of its moves is legal and true"
            return Verdict("unknown", reason=reason, engine=NAME)

    # figures

    def _figure(self, asked: Asked, budget: Budget) -> Verdict:
        game = self.game
        looks, _ = step_needs([asked.formula, asked.before, asked.at])
        if looks:
            raise Refused("a question of chance reads positions; `old` and `actor` are not followed here")
        if isinstance(asked.play, tuple):
            game = policed(game, asked.play)
        sense = self._sense(asked)
        if not has_board(game):
            return self._solved(Ready(game, asked), asked, sense, budget)
        try:
            return self._solved(Ready(game, asked), asked, sense, budget.part(FIRST_SECONDS), FIRST_STATES)
        except (OutOfBudget, TooMany):
            budget.check()
        return self._left_open(game, asked, sense, budget)

    def _solved(self, ready: Ready, asked: Asked, sense: exact.Sense, budget: Budget, most: int = MOST_STATES) -> Verdict:
        chain = self._chain(ready, asked, budget, most)
        self._alone(asked, chain, sense)
        averaged(chain, sense)
        if asked.within is not None:
            return self._within(chain, sense, asked.within, budget)
        if asked.kind == "expected":
            self._must_end(chain)
        notes = [f"{len(chain.packed):,} states matter", *ready.told()]
        if chain.edges <= MOST_EXACT_EDGES and len(chain.packed) <= MOST_EXACT_STATES:
            try:
                values = self._values(chain, asked, sense, budget)
                value = self._first(chain, values)
                known = Verdict("value", "exhausted", value=str(value), engine=NAME, states=len(chain.packed), notes=notes)
                return known
            except exact.TooLarge:
                pass
        low, high = (Fraction(0), Fraction(1)) if asked.kind == "odds" else self._range(chain)
        if chain.starts > 1:
            raise Refused("bounds are told of one start; give a position")
        found = bounds.bound(chain, sense, low, high, budget)
        notes.append("the equations are too large to be solved exactly: bounds that hold, rounding included")
        verdict = Verdict("value", "exhausted", engine=NAME, states=len(chain.packed), notes=notes)
        verdict.interval = (str(_down(found.low)), str(_up(found.high)))
        return verdict

    def _values(self, chain: Chances, asked: Asked, sense: exact.Sense, budget: Budget) -> list[Fraction]:
        """Exact values; where somebody can stay for ever, with what is hopeless told by the graph first."""
        try:
            return exact.solve(chain, sense, budget)[0]
        except exact.TooLarge:
            if asked.kind != "odds" or not hopeless(chain, sense):
                raise
        return exact.solve(chain, sense, budget)[0]

    def _left_open(self, game: Game, asked: Asked, sense: exact.Sense, budget: Budget) -> Verdict:
        """With the board left open, where it makes no difference: told by two games that hold the real one between them.

        In the one nobody acts on the board at all; in the other anybody may whenever they like, whatever comes of it, and
        what ends the play by way of it ends it no more. When both give one figure it is that of the game.
        """
        formulas = tuple(f for f in (asked.formula, asked.before, asked.at) if f is not None and not isinstance(f, Const))
        projection = Projection(game, formulas)
        said = {id(f): projection.formula(f) for f in formulas}
        if any(x is None for x in said.values()):
            raise Refused("the question asks more of the board than can be left open")
        given = None if asked.given is None else projection.state(asked.given)
        about = replace(
            asked, given=given, formula=_said(asked.formula, said), before=_said(asked.before, said), at=_said(asked.at, said)
        )
        unsure = {a.name for a in projection.game.actions if _unsure(a)}
        tables = [a.name for a in projection.game.actions if a.name in unsure and a.by is None]
        if tables or asked.kind != "odds":
            raise Refused("so large a board matters to the question")
        without = replace(projection.game, actions=tuple(a for a in projection.game.actions if a.name not in unsure))
        least = self._solved(Ready(without, about), about, sense, budget)
        if not unsure or (isinstance(asked.play, tuple) and self._never_open(projection.game, unsure)):
            least.notes.append("the board makes no difference to it and was left open")
            return least
        if asked.play != "best" or least.value is None:
            raise Refused("so large a board may matter to the question")
        freed = _without_ends(projection.game, self._touched(projection.game, unsure))
        chain_sense: set[int] = set()

        def one_side(actor: int) -> int:
            chain_sense.add(sense(actor))
            return sense(actor)

        most = self._solved(Ready(freed, about), about, one_side, budget)
        if -1 in chain_sense:
            raise Refused("so large a board may matter to what the others do")
        if most.value != least.value:
            assert least.value is not None
            if most.value is None:
                return Verdict("unknown", reason="no exact figure was found with the board left open", engine=NAME)
            verdict = Verdict("value", "exhausted", engine=NAME, notes=["the board was left open: bounds that hold"])
            verdict.interval = (least.value, most.value)
            return verdict
        most.notes.append("the figure is the same whether nobody acts on the board or anybody does as they like")
        return most

    def _never_open(self, game: Game, names: set[str]) -> bool:
        """Do the checks plainly refuse these actions?"""
        return all(
            any(isinstance(c.formula, Const) and c.formula.value is False and not c.lifted for c in a.checks)
            for a in game.actions
            if a.name in names
        )

    def _touched(self, game: Game, names: set[str]) -> frozenset[str]:
        """The variables whose values may come of what is left open."""
        touched = {a.name for action in game.actions if action.name in names for a in assignments(action.effects)}
        touched |= {v.name for v in game.variables if v.name.startswith("unknown(")}
        grown = True
        while grown:
            grown = False
            for action in game.actions:
                for a in assignments(action.effects):
                    if a.name not in touched and variables_read(a.value) & touched and a.name in self._scores(game):
                        touched.add(a.name)
                        grown = True
        return frozenset(touched)

    def _scores(self, game: Game) -> frozenset[str]:
        """Variables that only ends read: what is added up for a win."""
        read: frozenset[str] = frozenset()
        for action in game.actions:
            parts = [*([action.during] if action.during is not None else []), *(c.formula for c in action.checks)]
            parts += [x for d in action.draws for x in d.args]
            read = read.union(*(variables_read(x) for x in parts))
        return frozenset(v.name for v in game.variables) - read

    def _chain(self, ready: Ready, asked: Asked, budget: Budget, most: int) -> Chances:
        assert asked.formula is not None
        gained: Callable[[int], Fraction] | None = None
        if asked.kind == "odds":
            goal = ready.test(asked.formula)
            before = ready.test(asked.before) if asked.before is not None else None

            def absorbed(s: int) -> Fraction | None:
                if goal(s):
                    return Fraction(1)
                if (before is not None and before(s)) or ready.ended(s):
                    return Fraction(0)
                return None

        else:
            at = ready.test(asked.at) if asked.at is not None else None
            parts = split(asked.formula)
            value = ready.number(parts.rest)
            flags = [(c, ready.flag(subject)) for subject, c in parts.counts.items()]
            if flags:

                def gained_(s: int) -> Fraction:
                    return sum((c for c, flag in flags if flag(s)), Fraction(0))

                gained = gained_

            def absorbed(s: int) -> Fraction | None:
                if (at is not None and at(s)) or ready.ended(s):
                    return value(s)
                return None

        return explore(ready.space, absorbed, gained, budget, most, ready.same)

    def _first(self, chain: Chances, values: list[Fraction]) -> Fraction:
        found = {values[i] for i in range(chain.starts)}
        if len(found) > 1:
            raise Refused("the starts of the game have different answers; give a position")
        return found.pop()

    def _range(self, chain: Chances) -> tuple[Fraction, Fraction]:
        if any(chain.reward):
            raise Refused("so large a chain has no bounds for what is counted on the way")
        return min(chain.values.values(), default=Fraction(0)), max(chain.values.values(), default=Fraction(0))

    def _within(self, chain: Chances, sense: exact.Sense, steps: int, budget: Budget) -> Verdict:
        self._moves_are_left(chain, steps)
        values: list[Fraction | None] = [chain.values.get(i, Fraction(0)) for i in range(len(chain.packed))]
        for _ in range(steps):
            budget.check()
            new: list[Fraction | None] = list(values)
            for v, options in enumerate(chain.choices):
                if options:
                    new[v] = exact._best(chain, v, values, sense)[0]
            values = new
        found = {values[i] for i in range(chain.starts)}
        if len(found) > 1:
            raise Refused("the starts of the game have different answers; give a position")
        return Verdict("value", "exhausted", value=str(found.pop()), engine=NAME, states=len(chain.packed))

    def _moves_are_left(self, chain: Chances, steps: int) -> None:
        """Has somebody a move wherever so many steps may want one?"""
        met = set(range(chain.starts))
        new = met
        for _ in range(steps):
            if any(not chain.choices[v] and v not in chain.values for v in new):
                raise Refused(exact.NO_MOVE)
            new = {j for v in new for _, draws in chain.choices[v] for j, _ in draws} - met
            met |= new

    def _sense(self, asked: Asked) -> exact.Sense:
        """What each actor wants of the figure."""
        mode = asked.play if isinstance(asked.play, str) else "uniform"
        if mode == "uniform":
            return lambda actor: 0
        sign = -1 if mode == "worst" else 1
        who = asked.players
        return lambda actor: 0 if actor < 0 else sign if who is None or actor in who else -sign

    def _alone(self, asked: Asked, chain: Chances, sense: exact.Sense) -> None:
        """Without `who` (and without a way of playing) a single player at most has choices."""
        if isinstance(asked.play, tuple) or asked.play == "uniform":
            return
        actors = {actor for options in chain.choices if len(options) > 1 for actor, _ in options}
        if asked.play == "" and actors:
            raise Refused("players have choices here: say how they play, as in `play: best`, and for whom with `who`")
        if asked.players is None and len(actors) > 1:
            raise Refused("several players have choices: say with `who` for whom the play is best")
        if any(len({sense(actor) for actor, _ in options}) > 1 for options in chain.choices):
            raise Refused("players who want different things may move at the same time, and the rules do not say who is first")

    def _must_end(self, chain: Chances) -> None:
        for group in components(chain.choices):
            if end_component(chain.choices, group) is not None and not all(v in chain.values for v in group):
                raise Refused("what is asked for need not come: the play can stay away from it for ever")

    # almost surely

    def _surely(self, asked: Asked, budget: Budget) -> Verdict:
        ready = Ready(self.game, asked)
        chain = explore(ready.space, lambda s: Fraction(1) if ready.ended(s) else None, None, budget, MOST_STATES)
        for group in components(chain.choices):
            if any(v in chain.values for v in group):
                continue
            if len(group) == 1 and not chain.choices[group[0]]:
                continue
            if end_component(chain.choices, group) is not None:
                why = "some choices keep the play from its end for ever, whatever is drawn"
                return Verdict("fails", "exhausted", engine=NAME, states=len(chain.packed), reason=why)
        notes = ["whatever is chosen, from every position some draws lead to the end"]
        if any(not options and v not in chain.values for v, options in enumerate(chain.choices)):
            notes = ["no choice keeps a play going for ever; but some play gets stuck before its end, as `progress` tells"]
        return Verdict("holds", "exhausted", engine=NAME, states=len(chain.packed), notes=notes)


class Ready:
    """A game made ready: its space, and formulas as functions of packed states."""

    def __init__(self, game: Game, asked: Asked) -> None:
        self.problem: Problem | BoardProblem
        self.space: Space
        self.same: Callable[[int], int] | None = None
        self.left_out: tuple[str, ...] = ()
        """Variables that the figure does not depend on: no choice, no draw and no end reads them, nor does the question."""
        if has_board(game):
            board = BoardProblem(game, asked, {}, just_now=True)
            self.problem, self.space = board, board.space
        else:
            problem = prepare(game, asked, unroll=True, just_now=True)
            keep = relevant(problem.model, _wanted(problem, asked))
            problem.model = slice_to(problem.model, keep)
            self.left_out = tuple(v.name for v in game.variables if not keep & set(_slots(problem, v)))
            self.problem = problem
            self.space = Space(problem.model)
            formulas = [f for f in (asked.formula, asked.before, asked.at) if f is not None]
            self.same = canonical(problem.model.slots, self.space.pack, alike(game, formulas))
        self.game = game
        self.ended = self.space.formula(self.space.ended)

    def told(self) -> list[str]:
        """What was left out, for the reader; unknowns of a projection are not the reader's."""
        names = [f"`{n}`" for n in self.left_out if "(" not in n]
        return [f"it does not depend on {', '.join(names)}, left out (as far as they keep to their ranges)"] if names else []

    def test(self, e: Expr) -> Callable[[int], bool]:
        prop = self.problem.prop(e)
        found, wrong = self.space.formula(prop.start), self.space.formula(prop.start_fault)
        if not isinstance(self.space, Rows) and prop.start_fault.op == "const" and not prop.start_fault.number:
            return lambda s: bool(found(s))

        def test(s: int) -> bool:
            if wrong(s):
                raise Refused("the formula has no value in a position that matters")
            return bool(found(s))

        return test

    def number(self, e: Expr) -> Callable[[int], Fraction]:
        if isinstance(e, Const):
            return lambda s: Fraction(e.value)
        if isinstance(self.problem, BoardProblem):
            prop = self.problem.prop(e)
            call, wrong = self.space.formula(prop.start), self.space.formula(prop.start_fault)

            def told(s: int) -> Fraction:
                if wrong(s):
                    raise Refused("the formula has no value in a position that matters")
                return Fraction(call(s))

            return told
        from tablelaw.solver.evaluate import place
        from tablelaw.spec.operators import Fault
        from tablelaw.spec.reckon import value

        slots = self.problem.game_slots

        def reckoned(s: int) -> Fraction:
            try:
                return Fraction(value(e, place(self.game, self.space.state(self.game, slots, s))))
            except Fault as fault:
                raise Refused("the formula has no value in a position that matters") from fault

        return reckoned

    def flag(self, subject: str) -> Callable[[int], int]:
        """Has it happened in the step to this state?"""
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


def _said(e: Expr | None, said: dict[int, Expr | None]) -> Expr | None:
    return e if e is None else said.get(id(e), e)


def _unsure(a: Action) -> bool:
    """Does an action of a projection choose or draw what it does not know?"""
    names = [*(b.name for b in a.params), *(d.name for d in a.draws)]
    return any(n.startswith(("unknown(", "place(")) for n in names) or any(b.type == SOMEWHERE for b in a.params)


def _without_ends(game: Game, touched: frozenset[str]) -> Game:
    """The game without the ends that read these variables."""
    return replace(game, ends=tuple(e for e in game.ends if not variables_read(e.when) & touched))


class Split:
    """A number as counts of what has happened, each times a figure, and a rest that reads the position."""

    def __init__(self) -> None:
        self.counts: dict[str, Fraction] = {}
        self.rest: Expr = Const(0, type=BOOL)


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


def _down(x: Fraction) -> Fraction:
    return Fraction((x * 10**12).__floor__(), 10**12)


def _up(x: Fraction) -> Fraction:
    return Fraction((x * 10**12).__ceil__(), 10**12)
