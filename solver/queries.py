"""Who wants to hear of the questions put to z3: the command line keeps them for other solvers to read.

z3 itself is spoken of in `solver/symbolic` alone; here a question is a function that writes it when it is wanted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Listener = Callable[[Callable[[], str], str], None]
"""Is told a question (called, its text in SMT-LIB 2) and the answer: `sat`, `unsat` or `unknown`."""

_listeners: list[Listener] = []


@contextmanager
def heard_by(listener: Listener) -> Iterator[None]:
    """All questions asked meanwhile are told to the listener."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def tell(question: Callable[[], str], answer: str) -> None:
    """Tell everybody who listens; costs nothing where nobody does."""
    for listener in _listeners:
        listener(question, answer)
