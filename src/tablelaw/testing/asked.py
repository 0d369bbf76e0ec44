"""Rules files and all that they answer, for tests that take any finding for a fault."""

from __future__ import annotations

from functools import cache

from tablelaw.checkers.result import Result
from tablelaw.checkers.selection import Request
from tablelaw.checkers.session import Session
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import Rules, check_everywhere, load


@cache
def faultless(path: str) -> Rules:
    """A file, read and checked under every option. Raises `AssertionError` with what was found."""
    sink = Diagnostics()
    found = load(path, sink)
    assert found is not None, [d.message for d in sink]
    check_everywhere(found, sink)
    assert [d.message for d in sink] == []
    return found


def every_answer(rules: Rules, request: Request) -> list[Result]:
    """All that a file has to say to a request, at least one answer. Raises `AssertionError` where a question has a fault."""
    sink = Diagnostics()
    session = Session(rules, request, sink)
    assert session.check(), [d.message for d in sink]
    found = [result for _, _, result in session.answers(list(session.selection.cases())) if result is not None]
    assert [d.message for d in sink] == []
    assert found
    return found
