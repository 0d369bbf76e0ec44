"""Keeps the questions put to z3 while a rules file is asked, as SMT-LIB 2 with z3's answers, for other solvers to check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablelaw.spec.source import write_whole

if TYPE_CHECKING:
    from tablelaw.checkers.result import Result

MOST_QUERIES = 400
MOST_CHARACTERS = 100_000_000
"""Of one answer; how many more there were is told in the index."""


@dataclass(slots=True)
class _Asked:
    """What z3 was asked for one answer."""

    texts: list[tuple[str, str]] = field(default_factory=list)
    characters: int = 0
    left_out: int = 0


@dataclass(slots=True)
class Queries:
    """A listener (`solver.queries.heard_by`): `close` ends what belongs to one answer."""

    most: int = MOST_QUERIES
    _now: _Asked = field(default_factory=_Asked)
    _closed: list[_Asked] = field(default_factory=list)

    def __call__(self, question: Callable[[], str], answer: str) -> None:
        """Hear of a question."""
        now = self._now
        if len(now.texts) >= self.most or now.characters >= MOST_CHARACTERS:
            now.left_out += 1
            return
        text = question()
        now.texts.append((text, answer))
        now.characters += len(text)

    def close(self) -> None:
        """The questions heard of since the last time belong to the answer that has been given now."""
        self._closed.append(self._now)
        self._now = _Asked()

    def write(self, folder: Path, named: list[tuple[str, Result]]) -> list[dict[str, Any]]:
        """Write `NAME.q001.smt2` and so on for each answer; the rows for the index."""
        rows: list[dict[str, Any]] = []
        for (name, r), asked in zip(named, self._closed, strict=False):
            row: dict[str, object] = {"question": r.question, "options": r.options, "players": r.players}
            files: list[object] = []
            for number, (text, answer) in enumerate(asked.texts, 1):
                file = f"{name}.q{number:03}.smt2"
                write_whole(folder / file, text)
                files.append({"file": file, "answer": answer})
            row["files"] = files
            if asked.left_out:
                row["left_out"] = asked.left_out
            if not files:
                row["reason"] = "z3 was not asked"
            rows.append(row)
        return rows
