"""Formulas over some constants, read over others: what is built once is placed anew by z3's own substitution.

`z3.substitute` looks at the sort of every pair in Python, for every formula; of a lemma search that was two thirds of the time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import z3
from z3 import z3core
from z3 import z3types as kinds

Formula = Any


class Placing:
    """Takes each of the old constants to its new formula, which has the same sort."""

    def __init__(self, old: Sequence[Formula], new: Sequence[Formula]) -> None:
        pairs = [(a, b) for a, b in zip(old, new, strict=True) if a is not b]
        self._kept = pairs  # z3 counts who holds a formula
        self._size = len(pairs)
        self._old = (kinds.Ast * self._size)(*(a.as_ast() for a, _ in pairs))
        self._new = (kinds.Ast * self._size)(*(b.as_ast() for _, b in pairs))

    def of(self, f: Formula) -> Formula:
        """The formula at its new place."""
        if not self._size:
            return f
        context = f.ctx
        found = z3core.Z3_substitute(context.ref(), f.as_ast(), self._size, self._old, self._new)
        return z3.z3._to_expr_ref(found, context)

    def all(self, formulas: Iterable[Formula]) -> list[Formula]:
        """Each of them at its new place."""
        return [self.of(f) for f in formulas]
