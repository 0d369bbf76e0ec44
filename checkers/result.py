"""One answer to one question under one option setting and number of players, ready to be printed or written as JSON."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from tablelaw.solver.account import Account
from tablelaw.solver.trace import Trace, move_text, position_json, trace_json
from tablelaw.solver.verdict import Policy, Verdict
from tablelaw.spec.game import Game
from tablelaw.spec.questions import Expected
from tablelaw.spec.types import BagOf, Type, domain

ASKED_BY_HAND = ("ask", "moves")
"""What a person asks on the command line; nothing is expected of it."""
MOST_POSITIONS = 200
"""So many positions of a policy are written as JSON."""


@dataclass(slots=True)
class Result:
    """The answer, and what was expected of it."""

    question: str
    kind: str
    options: dict[str, str]
    players: int
    verdict: Verdict
    expected: Expected | None
    game: Game | None = None
    says: str = ""
    cite: tuple[str, ...] = ()
    differs: list[dict[str, str]] | None = None
    extra: dict[str, object] = field(default_factory=dict)
    account: Account | None = None
    """How the answer came about, where somebody wants to know."""

    @property
    def as_expected(self) -> bool | None:
        """Did it come out as the author says (a yes/no question without `expect` should hold)? None: nothing to compare."""
        return as_expected(self.kind, self.verdict, self.expected)

    def json(self) -> dict[str, object]:
        """The result as the contract writes it."""
        v = self.verdict
        row: dict[str, object] = {
            "question": self.question,
            "kind": self.kind,
            "options": self.options,
            "players": self.players,
            "verdict": v.verdict,
            "known_by": v.known_by,
            "bound": v.bound,
            "value": v.value,
            "expected": None if self.expected is None else str(self.expected),
            "as_expected": self.as_expected,
            "clauses": list(v.clauses),
            "trace": None if self.game is None else trace_json(self.game, v.trace),
            "states": v.states,
            "seconds": round(v.seconds, 3),
            "engine": v.engine,
            "reason": v.reason,
        }
        if v.interval is not None:
            row["interval"] = list(v.interval)
        if v.policy is not None and self.game is not None:
            row["policy"] = policy_json(self.game, v.policy)
        if v.notes:
            row["notes"] = list(v.notes)
        if self.differs is not None:
            row["differs"] = self.differs
        if self.account is not None:
            row["engine_account"] = self.account.json()
        return row | ({} if v.told is None else v.told.json()) | self.extra

    @property
    def trace(self) -> Trace | None:
        """The play that shows it."""
        return self.verdict.trace


def policy_json(game: Game, policy: Policy) -> dict[str, object]:
    """A policy for JSON: of each position what the figure depends on, and the move made there."""
    rows: list[dict[str, object]] = []
    for a in policy.take(MOST_POSITIONS, 0):
        whole = position_json(game, a.state)
        position = {
            v.name: _part(whole[v.name], v.type, policy.shown[v.name]) for v in game.variables if v.name in policy.shown
        }
        row: dict[str, object] = {"position": position, "actor": a.move.actor, "move": move_text(game, a.move)}
        if policy.counted:
            counts = zip(policy.counted, a.counts, strict=True)
            row["times"] = {subject: policy.count_text(n) if n == policy.most else n for subject, n in counts}
        rows.append(row)
    return {"play": policy.aim, "total": policy.total, "positions": rows}


def _part(told: object, kind: Type, keys: frozenset[object] | None) -> object:
    """What is kept of a value: all of it, or the items of some keys (of a bag those too that it holds none of)."""
    if keys is None or not isinstance(told, dict):
        return told
    named = {str(k) for k in keys}
    if isinstance(kind, BagOf):
        return {str(k): told.get(str(k), 0) for k in domain(kind.elem) if str(k) in named}
    return {k: x for k, x in told.items() if k in named}


def as_expected(kind: str, verdict: Verdict, expected: Expected | None) -> bool | None:
    """Compare a verdict with what was expected."""
    if kind in ASKED_BY_HAND:
        return None
    if verdict.verdict == "unknown":
        return None if expected is None or expected.verdict != "unknown" else True
    if expected is None:
        return None if verdict.verdict == "value" or kind == "clarifies" else verdict.verdict == "holds"
    if expected.verdict is not None:
        return verdict.verdict == expected.verdict
    if verdict.interval is not None:
        ends = [Fraction(x) for x in verdict.interval]
        wanted, within = Fraction(str(expected.value)), expected.within or Fraction(0)
        if all(abs(x - wanted) <= within for x in ends):
            return True
        return False if wanted + within < ends[0] or ends[1] < wanted - within else None  # between them: not decided
    if verdict.value is None:
        return False
    try:
        found, wanted = Fraction(verdict.value), Fraction(str(expected.value))
    except ValueError:
        return verdict.value == expected.value
    return abs(found - wanted) <= (expected.within or 0)


def exit_status(results: list[Result]) -> int:
    """0 all as expected, 1 a finding, 3 something unknown."""
    if any(r.as_expected is False for r in results):
        return 1
    return 3 if any(_open(r) for r in results) else 0


def _open(result: Result) -> bool:
    """Is it not known, or known too roughly to be compared?"""
    if result.verdict.verdict == "unknown":
        return result.as_expected is not True
    return result.expected is not None and result.as_expected is None
