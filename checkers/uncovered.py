"""Why a set of fixtures does not show something: it cannot come up, and that is proved, or it was not met."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tablelaw.checkers.choosing import Under
from tablelaw.checkers.everywhere import Everywhere
from tablelaw.checkers.fixture_set import ELSEWHERE_NOT, FixtureSet, questions
from tablelaw.checkers.goals import Goal, effects_of, exceptions, sections
from tablelaw.checkers.looking import bound, no
from tablelaw.solver.engine import Engines
from tablelaw.solver.evaluate import State
from tablelaw.solver.sameness import conjunction, some_move
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.core import Call, Const, Expr, Op
from tablelaw.spec.game import Action, Game
from tablelaw.spec.questions import Asked
from tablelaw.spec.types import BOOL, INT

EACH = 4.0
"""Seconds for one proof."""


@dataclass(slots=True)
class Uncovered:
    """What was not shown: `proved` goals with how it is known, and the others."""

    proved: dict[Goal, str] = field(default_factory=dict)
    scope: str = ""
    """Of which settings and numbers of players that is; nothing where it is of all that may be."""
    partly: dict[Goal, str] = field(default_factory=dict)
    """Proved under the first setting, and not of all the others."""
    first: str = ""
    open: list[Goal] = field(default_factory=list)
    reachable: dict[Goal, str] = field(default_factory=dict)
    """Not shown, but there is a play that does."""
    same: list[str] = field(default_factory=list)
    """Options two values of which never part, under no setting of the others and for no number of players."""
    unparted: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)
    """Clauses of no setting that was looked at."""


def uncovered(found: FixtureSet, seconds: float) -> Uncovered:
    """Look at each goal that nothing shows, under the settings that have it."""
    told = Uncovered()
    budget = Budget(seconds) if seconds else Budget()
    wide = Everywhere(found, budget)
    asking = {id(u): _Asking(u, found.given) for u in found.unders.values()}
    proved: dict[Goal, str] = {}
    for goal in found.missing():
        having = [u for u in found.unders.values() if goal in u.goals]
        if goal.kind in ELSEWHERE_NOT:
            having = having[:1]
        said = [asking[id(u)].why(goal, budget) for u in having]
        if all(w.startswith("proved") for w in said):
            proved[goal] = said[0].removeprefix("proved: ")
        elif any(w.startswith("found") for w in said):
            told.reachable[goal] = next(w for w in said if w.startswith("found")).removeprefix("found: ")
            told.open.append(goal)
        else:
            told.open.append(goal)
    told.scope, told.first = wide.scope(), wide.told(wide.of(found.base.game), whole=True)
    _elsewhere(wide, proved, told, budget)
    for name in found.same:
        how = wide.part(found.pairs[name])
        if how:
            told.unparted.append(name if how == "?" else f"{name}; they part {how}")
        else:
            told.same.append(name)
    told.unparted += found.unparted
    known = {c for u in found.unders.values() for c in u.game.clauses}
    told.left = [] if wide.alone else [c for c in found.rules.document.clauses() if c not in known]
    return told


def _elsewhere(wide: Everywhere, proved: dict[Goal, str], told: Uncovered, budget: Budget) -> None:
    """Ask the same of the settings and numbers of players that were not looked at, or not for this."""
    unsure: set[Goal] = set()
    base = wide.of(wide.found.base.game)
    for case in wide.cases:
        here = wide.looked_at.get(case)
        wanted = [
            g for g in proved
            if g not in told.reachable and g not in unsure and case != base and (here is None or g.kind in ELSEWHERE_NOT)
        ]  # fmt: skip
        under = wide.under(case, wanted) if wanted else None
        if under is None:
            continue
        asking = _Asking(under, wide.found.given)
        for goal in [g for g in wanted if g in under.goals]:
            said = "found" if goal in under.search.found else asking.why(goal, budget)
            if said.startswith("found"):
                told.reachable[goal] = f"a play {wide.told(case)}"
            elif not said.startswith("proved"):
                unsure.add(goal)
    for goal, how in proved.items():
        if goal in told.reachable:
            told.open.append(goal)
        else:
            (told.partly if goal in unsure else told.proved)[goal] = how


class _Asking:
    """One game that is asked whether something can ever come up."""

    def __init__(self, under: Under, given: State | None) -> None:
        self.under, self.game, self.given = under, under.game, given
        self.engines: Engines | None = None
        self.actions: dict[str, str] = {}

    def why(self, goal: Goal, budget: Budget) -> str:
        """`proved: …`, `found: …`, or nothing."""
        search = self.under.search
        if search.complete and goal in search.wanted and goal not in self.under.eye.blind:
            many = f"all {search.positions:,} positions were" if search.positions != 1 else "the one position there is was"
            return f"proved: {many} looked at"
        action = _action(self.game, goal)
        if action is not None and goal.kind not in ("refuses", "refuse-both"):
            idle = self._never_taken(action, budget)
            if idle.startswith("proved"):
                return idle
        if _fixed(self.game, goal, action):
            return "proved: its formula is the same everywhere"
        formula = formula_of(self.game, goal, action)
        said = "" if formula is None else self._ask(formula, goal.id, budget)
        return said if said.startswith("proved") or goal.kind not in ("meet", "acts") else ""  # these formulas say too much

    def _never_taken(self, action: Action, budget: Budget) -> str:
        if action.name not in self.actions:
            if any(c.formula == Const(False, type=BOOL) and not c.lifted for c in action.checks):
                self.actions[action.name] = f"proved: `{action.name}` is never legal"
            elif all(Goal("takes", (action.name,)) != g for g in self.under.search.found):
                said = self._ask(_happened(action.name), action.name, budget)
                self.actions[action.name] = f"proved: `{action.name}` is never played" if said.startswith("proved") else ""
            else:
                self.actions[action.name] = ""
        return self.actions[action.name]

    def _ask(self, formula: Expr, name: str, budget: Budget) -> str:
        if budget.seconds and budget.left() <= 0.1:
            return ""
        self.engines = self.engines or Engines(self.game, "auto", False)
        asked = Asked(name, "never", None, formula=formula, given=self.given)
        try:
            verdict: Verdict = self.engines.ask(asked, budget.part(EACH))
        except OutOfBudget:
            return ""
        if verdict.verdict == "holds" and verdict.known_by in ("proved", "exhausted"):
            return f"proved: {verdict.known_by}"
        if verdict.verdict == "fails" and verdict.trace is not None and verdict.trace.steps[-1].fault is None:
            return f"found: a play of {len(verdict.trace.steps) - 1} steps"
        return ""


def _action(game: Game, goal: Goal) -> Action | None:
    """The action that a goal needs to be played, or about whose moves it is."""
    for a in game.actions:
        if goal.kind == "takes" and goal.names == (a.name,):
            return a
        if goal.kind in ("allows", "refuses", "lifts", "refuse-both") and goal.names[0] in {c.id for c in a.checks}:
            return a
        if goal.kind in ("happens", "idle", "meet", "acts") and all(n in effects_of(a).all for n in goal.names):
            others = [b for b in game.actions if b is not a and all(n in effects_of(b).all for n in goal.names)]
            return a if not others else None
    return None


def _fixed(game: Game, goal: Goal, action: Action | None) -> bool:
    """Does a check that never, or always, holds decide it?"""
    if action is None or goal.kind not in ("refuses", "refuse-both"):
        return False
    never = {c.id for c in action.checks if c.formula == Const(False, type=BOOL) and not c.lifted}
    always = {c.id for c in action.checks if c.formula == Const(True, type=BOOL)}
    return bool(set(goal.names) & always) or (goal.kind == "refuses" and bool(never - set(goal.names)))


def _happened(name: str) -> Expr:
    return Op("lt", (Const(0, type=INT), Call("times", (), name, type=INT)), type=BOOL)


def formula_of(game: Game, goal: Goal, action: Action | None) -> Expr | None:
    """What is true where the goal is shown; None where that cannot be said."""
    if goal.kind in ("takes", "happens", "acts"):
        return _happened(goal.names[0])
    if goal.kind == "meet":
        return conjunction([_happened(n) for n in goal.names])
    going = no(Call("ended", (), type=BOOL))
    if action is not None and goal.kind in ("allows", "refuses", "refuse-both", "lifts"):
        named = {c.id: c for c in action.checks}
        others = [bound(c) for c in action.checks if c.id != goal.names[0]]
        here = named[goal.names[0]]
        if goal.kind == "allows":
            body = [bound(c) for c in action.checks]
        elif goal.kind == "refuses":
            body = [*others, no(bound(here))]
        elif goal.kind == "refuse-both":
            body = [no(bound(named[n])) for n in goal.names]
        else:
            body = [*others, no(here.formula), here.lifted[exceptions(game, here.id).index(goal.names[1])]]
        return conjunction([going, some_move(replace(action, checks=()), conjunction(body))])
    if goal.kind == "ends":
        before = [no(e.when) for e in game.ends[: next(i for i, e in enumerate(game.ends) if e.id == goal.names[0])]]
        end = next(e for e in game.ends if e.id == goal.names[0])
        return conjunction([*before, end.when])
    if goal.kind == "question":
        return questions(game).get(goal)
    return None


def by_section(found: FixtureSet, told: Uncovered) -> list[tuple[str, int, int, int]]:
    """Of each section that clauses cite: goals of its clauses shown, not shown, and proved not to come up."""
    clauses = {name: c for u in found.unders.values() for name, c in u.game.clauses.items()}
    shown = {g for f in found.fixtures for g in f.goals}
    rows: dict[str, list[int]] = {}
    for goal in found.goals():
        for place in dict.fromkeys(s for c in goal.clauses for s in sections(clauses.get(c))):
            row = rows.setdefault(place, [0, 0, 0])
            row[0 if goal in shown else 2 if goal in told.proved else 1] += 1
    return [(place, *row) for place, row in sorted(rows.items())]  # type: ignore[misc]
