"""Under what a question is asked that takes several games of one rules file."""

from __future__ import annotations

from dataclasses import dataclass, field

from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.settings import Setting


@dataclass(frozen=True, slots=True)
class Posed:
    """The whole setting, the number of players, and the options that somebody chose (which are not open readings)."""

    setting: Setting
    players: int
    chosen: frozenset[str] = frozenset()
    engine: str = "auto"
    sink: Diagnostics = field(default_factory=Diagnostics)
