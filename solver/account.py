"""How an answer came about, for whoever wants to hear it: which engines were tried, what was left out, what ran.

Any engine writes to it (`note`, `trying`), and it costs nothing where nobody listens (`recording`). It decides nothing.
An entry is a short text in plain words, as a person reads it under an answer, and figures under names, as a program does.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TypeVar

Answer = TypeVar("Answer")
Figure = int | float | str | bool
KINDS = ("engine", "reduction", "compiled", "memory", "processors", "checkpoint", "kept", "proof", "chance", "cluster", "check")
"""What entries are of. `engine`: one was tried; `kept`: an answer kept between runs was told; `check`: of a reduction."""


@dataclass(slots=True)
class Entry:
    """One line of an account; `level` says inside how many others it belongs."""

    kind: str
    text: str
    figures: dict[str, Figure] = field(default_factory=dict)
    level: int = 0
    key: str = ""

    def json(self) -> dict[str, object]:
        """For JSON."""
        row: dict[str, object] = {"kind": self.kind, "text": self.text, "level": self.level}
        return row | ({"figures": dict(self.figures)} if self.figures else {})


@dataclass(slots=True)
class Account:
    """The entries of one answer, in the order in which things began."""

    entries: list[Entry] = field(default_factory=list)

    def json(self) -> list[dict[str, object]]:
        """For JSON."""
        return [e.json() for e in self.entries]


_listening: list[Account] = []
_level: ContextVar[int] = ContextVar("level", default=0)


@contextmanager
def recording() -> Iterator[Account]:
    """All that is noted meanwhile; of several that record at once the last one hears it."""
    account = Account()
    _listening.append(account)
    level = _level.set(0)
    try:
        yield account
    finally:
        _level.reset(level)
        _listening.remove(account)


def wanted() -> bool:
    """Does anybody listen? For what would cost something to say."""
    return bool(_listening)


def note(kind: str, text: str, figures: Mapping[str, Figure] | None = None, key: str = "") -> None:
    """Say something of the answer that is being worked out; what was said under the same key (not "") is replaced by it.

    `text` is lower case, without a period; a key holds within the engine that is being tried.
    """
    if not _listening:
        return
    entries, level = _listening[-1].entries, _level.get()
    entry = Entry(kind, text, dict(figures or {}), level, key)
    for i in range(len(entries) - 1, -1, -1) if key else ():
        if entries[i].level < level:
            break
        if entries[i].key == key and entries[i].level == level:
            entries[i] = entry
            return
    entries.append(entry)


class Work:
    """Work that may not be called for, because the answer is had from elsewhere."""

    def __init__(self) -> None:
        self.called = False

    def marked(self, work: Callable[[], Answer]) -> Callable[[], Answer]:
        """The same work, noticed."""

        def done() -> Answer:
            self.called = True
            return work()

        return done


@contextmanager
def perhaps_kept() -> Iterator[Work]:
    """Note that an answer was kept, or came from another process, where the work marked inside was not called for."""
    work = Work()
    yield work
    if not work.called:
        note("kept", "told as an earlier run or another process found it; `--no-cache` works it out here")


@contextmanager
def trying(name: str, figures: Mapping[str, Figure] | None = None) -> Iterator[Entry]:
    """An engine is tried: what is noted inside belongs to it, and it is told for how long and why it gave up.

    What is put into the entry's `text` inside says what came of it; of an exception its `reason`, or what it says.
    """
    entry = Entry("engine", "", {"engine": name, **(figures or {})}, _level.get())
    if not _listening:
        yield entry
        return
    _listening[-1].entries.append(entry)
    level = _level.set(entry.level + 1)
    began = time.monotonic()
    try:
        yield entry
    except Exception as why:
        entry.figures["gave-up"] = str(getattr(why, "reason", None) or why or type(why).__name__)
        raise
    finally:
        _level.reset(level)
        seconds = time.monotonic() - began
        entry.figures["seconds"] = round(seconds, 3)
        came = f"gave up: {entry.figures['gave-up']}" if "gave-up" in entry.figures else entry.text or "no answer"
        entry.text = f"{name}, {seconds:.2f} s: {came}"
