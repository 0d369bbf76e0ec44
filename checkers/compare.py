"""Do two games allow the same plays? `same` of two settings, `compare` of settings, editions and files."""

from __future__ import annotations

from dataclasses import dataclass, field

from tablelaw.checkers.posed import Posed
from tablelaw.checkers.sides import Shown, shown
from tablelaw.solver.engine import Engines, same_effects
from tablelaw.solver.evaluate import State
from tablelaw.solver.lockstep import Parting
from tablelaw.solver.parting import Ask, Comparing, Course
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.game import Action, Game
from tablelaw.spec.load import Rules
from tablelaw.spec.questions import Asked
from tablelaw.spec.settings import Setting

ENGINE = "lockstep"
SAYS = {
    "equal": "both allow the same plays",
    "left": "the first allows more",
    "right": "the second allows more",
    "neither": "neither contains the other",
}


@dataclass(slots=True)
class Comparison:
    """What a comparison tells besides its verdict: which sides, how they relate, where they part."""

    names: tuple[str, str]
    settings: tuple[Setting, Setting]
    value: str = "equal"
    parts: list[Shown] = field(default_factory=list)
    left_out: tuple[str, ...] = ()
    games: tuple[Game, Game] | None = None

    @property
    def game(self) -> Game | None:
        """The first of the games."""
        return None if self.games is None else self.games[0]

    def json(self) -> dict[str, object]:
        """For JSON."""
        row: dict[str, object] = {"left": self.names[0], "right": self.names[1], "left_out": list(self.left_out)}
        if self.parts:
            row |= self.parts[0].json(("left", "right"))
            row["also"] = [p.json(("left", "right")) for p in self.parts[1:]]
        return row


def relation(partings: list[Parting]) -> str:
    """How the plays of two games relate, as far as these partings tell."""
    sides = {"" if p.kind in ("end", "fault") else p.side for p in partings}
    if not sides:
        return "equal"
    return "neither" if "" in sides or len(sides) > 1 else next(iter(sides))


class Asker:
    """Who answers claims about one game: its engines, kept between claims."""

    def __init__(self, engine: str) -> None:
        self.engine = engine
        self.kept: dict[int, tuple[Game, Engines]] = {}

    def claim(self, game: Game, asked: Asked, budget: Budget) -> Verdict:
        """The verdict on a question."""
        if id(game) not in self.kept:
            self.kept[id(game)] = (game, Engines(game, self.engine, cores=False))
        return self.kept[id(game)][1].ask(asked, budget)

    def same_effects(self, game: Game, left: Action, right: Action, budget: Budget) -> bool:
        """Do two actions do the same, in any position?"""
        return self.engine != "explicit" and same_effects(game, left, right, budget)


def compare(
    left: Game, right: Game, told: Comparison, budget: Budget, ask: Ask | None, given: tuple[State, State] | None = None
) -> Verdict:
    """The verdict on two games; `told` is filled with what is shown of it."""
    told.left_out, told.games = left_out(left, right), (left, right)
    comparing = Comparing(left, right, ask, given)
    course = comparing.run(budget, lambda found: bool(found) and _decided(found, comparing.course))
    return _verdict(left, right, told, course)


def _decided(found: list[Parting], course: Course) -> bool:
    value = relation(found)
    return value == "neither" or (bool(course.contained) and value != "equal")


def _verdict(left: Game, right: Game, told: Comparison, course: Course) -> Verdict:
    told.value = relation(course.partings)
    if told.value == "equal":
        return alike_verdict(course, told)
    first = course.partings[0]
    sides = {p.side for p in course.partings}
    others = [p for p in course.partings[1:] if len(sides) > 1 and p.side != first.side][:1]
    told.parts = [shown(left, right, p) for p in (first, *others)]
    verdict = Verdict("fails", "proved", value=told.value, engine=ENGINE, states=course.states or None, told=told)
    if first.kind == "start":
        told.parts = told.parts[:1]
        verdict.notes.append("nothing else was compared; a position of both, given by `--at` or `given`, is a common start")
    verdict.trace = told.parts[0].left
    verdict.clauses = told.parts[0].clauses
    length = course.tell_length(first)
    if length is not None:
        verdict.notes.append(length)
    if told.value in ("left", "right"):
        less = "second" if told.value == "left" else "first"
        if course.contained:
            verdict.notes.append(f"the {less} has no further plays: its moves pass every check of the other")
        elif course.complete:
            verdict.notes.append(f"the {less} has no further plays: all {course.states:,} positions of both were compared")
        else:
            verdict.bound = f"{course.depth} steps"
            more = f", nor in {course.walks:,} plays at random" if course.walks else ""
            verdict.notes.append(f"that the {less} has no further plays is known of the first {course.depth} steps alone{more}")
    return verdict


def alike_verdict(course: Course, told: object, word: str = "holds") -> Verdict:
    """The verdict where no parting was found."""
    verdict = Verdict("unknown", engine=ENGINE, states=course.states or None)
    verdict.told = told  # type: ignore[assignment]
    if course.proved and course.how != "exhausted":
        verdict.verdict, verdict.known_by, verdict.states = word, "proved", None
        verdict.clauses = course.clauses
        verdict.notes.append(
            "their formulas are the same"
            if course.how == "formulas"
            else "no step of either can part: a proof for any number of steps"
        )
    elif course.complete:
        verdict.verdict, verdict.known_by = word, "exhausted"
        verdict.clauses = course.clauses
    else:
        verdict.known_by, verdict.bound = "bounded", f"{course.depth} steps"
        at_random = f", nor in {course.walks:,} plays at random" if course.walks else ""
        verdict.reason = f"they do not part within {course.depth} steps{at_random}; beyond it is not decided"
        if course.reason:
            verdict.reason += f" ({course.reason})"
    if isinstance(told, Comparison):
        verdict.value = told.value if verdict.verdict == "holds" else None
    return verdict


def left_out(left: Game, right: Game) -> tuple[str, ...]:
    """The variables that one game alone has: they are compared only through what can be seen."""
    mine, theirs = {v.name for v in left.variables}, {v.name for v in right.variables}
    return tuple(v.name for g in (left, right) for v in g.variables if v.name not in mine & theirs)


def share_nothing(left: Game, right: Game) -> bool:
    """Have the games neither a variable nor an action in common?"""
    names = [({v.name for v in g.variables}, {a.name for a in g.actions}) for g in (left, right)]
    return not (names[0][0] & names[1][0] or names[0][1] & names[1][1])


def setting_name(setting: dict[str, str]) -> str:
    """A setting in words."""
    return ", ".join(f"{k}={v}" for k, v in setting.items()) or "the defaults"


def same(rules: Rules, posed: Posed, asked: Asked, budget: Budget) -> Verdict | None:
    """The answer to a question `same`; None where the rules have a fault under a setting (the sink knows)."""
    settings = ({**posed.setting, **asked.settings[0]}, {**posed.setting, **asked.settings[1]})
    left, right = (rules.game(s, posed.players, posed.sink) for s in settings)
    if left is None or right is None:
        return None
    told = Comparison((setting_name(asked.settings[0]), setting_name(asked.settings[1])), settings)
    given = (asked.given, asked.given) if asked.given is not None else None
    return compare(left, right, told, budget, Asker(posed.engine), given)
