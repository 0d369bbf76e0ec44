"""What an engine answers: a verdict, how it is known, and what shows it."""

from __future__ import annotations

from dataclasses import dataclass, field

from tablelaw.solver.trace import Trace


@dataclass(slots=True)
class Verdict:
    """An answer. `verdict` is holds, fails, value or unknown; `known_by` proved, exhausted, bounded or sampled.

    Of a figure that is not told exactly `value` is None and lies in `interval`, both ends exact.
    """

    verdict: str
    known_by: str | None = None
    bound: str | None = None
    value: str | None = None
    interval: tuple[str, str] | None = None
    clauses: tuple[str, ...] = ()
    trace: Trace | None = None
    states: int | None = None
    engine: str = ""
    reason: str | None = None
    seconds: float = 0.0
    evidence: dict[str, object] | None = None
    notes: list[str] = field(default_factory=list)


class InternalFault(Exception):
    """Two tellings of the same meaning disagree: a fault of this program, never of the rules."""
