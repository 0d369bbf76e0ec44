"""The chain of a question listed by compiled code: the states, choices and draws that `graph.explore` finds, as arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from fractions import Fraction
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from tablelaw.solver.chance.graph import FAULT, NOTHING, SEVERAL, VALUELESS, Refused, TooMany, spend
from tablelaw.solver.chance.listed import Listed, Packed, sweep_source
from tablelaw.solver.chance.lumping import Plans
from tablelaw.solver.ir import Model, Term
from tablelaw.solver.native.compiler import NoCompiler, compiler, library
from tablelaw.solver.problem import COUNTED_TO
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.generate import native_formula, native_weighed
from tablelaw.solver.space.graph import OutOfBudget
from tablelaw.solver.space.pack import packing
from tablelaw.solver.space.rows import Rows
from tablelaw.solver.space.tongues import WORD

if TYPE_CHECKING:
    from tablelaw.solver.chance.ready import Ready
    from tablelaw.solver.space.graph import Budget

ALL, MORE, NO_MEMORY, MANY = range(4)
WIDE = 8
"""How a call of the compiled code ended."""
REASONS = {
    4: FAULT,
    5: SEVERAL,
    6: VALUELESS,
    7: f"something may happen more than {COUNTED_TO} times before it is decided",
}
LOST, WON, TOLD, CUT = 1, 2, 3, 4
"""What a state is; 0: gone on from."""
FIRST = 8_000
"""So many positions are always looked at in Python."""
HASTE = 3.0
"""With fewer seconds left nothing is compiled any more."""
AT_ONCE = 4096
NONE = 1 << 62


class Asks:
    """What decides a question, as terms of the model."""

    def __init__(self, model: Model) -> None:
        t = model.terms
        self.won, self.no_value = t.false, t.false
        self.lost, self.no_value_before = model.ended, t.false
        self.told = False
        """Is the value of a position where it is over told in Python?"""
        self.counted = t.false
        self.model = model

    def over_at(self, terms: tuple[Term, Term] | None) -> None:
        """It is over where this holds as well, given with when it has no value."""
        if terms is not None:
            self.lost = self.model.terms.any((terms[0], self.model.ended))
            self.no_value_before = terms[1]

    def count_to(self, slots: list[int]) -> None:
        """These counts must not come to their end."""
        t = self.model.terms
        self.counted = t.any(t.le(t.const(COUNTED_TO), self.model.var(i)) for i in slots)


def source(model: Model, asks: Asks, plans: Plans) -> str:
    """All of the C. Raises `Unlowerable`."""
    terms: dict[str, Term] = {
        "won": asks.won, "no_value": asks.no_value, "over": asks.lost, "no_value_before": asks.no_value_before,
        "counted": asks.counted,
    }  # fmt: skip
    words = max(1, -(-packing(model.slots).bits // WORD))
    parts = [f"#define WORDS {words}\n#define OVER {TOLD if asks.told else LOST}", _file("head.c"), _file("weights.c")]
    parts += [native_weighed(model), *(native_formula(model, t, name) for name, t in terms.items())]
    return "\n".join([*parts, *([_file("standing.c")] if plans else []), _standing(plans), _file("chain.c")])


def _file(name: str) -> str:
    return files("tablelaw.solver.native").joinpath(name).read_text(encoding="utf-8")


def _standing(plans: Plans) -> str:
    lines = ["static inline void standing(u64 *s) {"]
    for columns in plans:
        flat = [place for column in columns for place in column]
        if any(mask.bit_length() > WORD for _, mask in flat):
            raise Unlowerable("a number may be too large for a word")
        lines.append(f"    static const int at{len(lines)}[] = {{{', '.join(str(shift) for shift, _ in flat)}}};")
        lines.append(f"    static const u64 mask{len(lines) - 1}[] = {{{', '.join(f'{mask}ULL' for _, mask in flat)}}};")
        lines.append(f"    in_order(s, {len(columns)}, {len(columns[0])}, at{len(lines) - 2}, mask{len(lines) - 2});")
    return "\n".join([*lines, "}\n"])


class _Chain(ctypes.Structure):
    """The beginning of `Chain` in `chain.c`."""

    _fields_ = [
        *((name, ctypes.c_void_p) for name in ("states", "heads", "firsts", "totals", "weights", "targets", "movers", "kinds")),
        *((name, ctypes.c_uint64) for name in ("count", "choices", "draws", "at", "level", "steps", "starts")),
    ]


class Lister:
    """Lists one chain; what it has found is copied into arrays, so that nothing of the compiled code is left behind."""

    def __init__(self, ready: Ready, asks: Asks, budget: Budget) -> None:
        """Raises `NoCompiler`, `Unlowerable` and `OutOfBudget`."""
        self.ready, self.asks, self.budget = ready, asks, budget
        space = ready.space
        self.words = max(1, -(-space.pack.bits // WORD))
        self.library = library(source(space.model, asks, ready.plans), budget)
        library(sweep_source(), budget)  # what reckons on the chain, without which it is listed in Python
        self.library.chain_new.restype = ctypes.POINTER(_Chain)
        self.at = self.library.chain_new()
        if not self.at:
            raise MemoryError

    def __del__(self) -> None:
        if getattr(self, "at", None):
            self.library.chain_free(self.at)

    def list(self, most: int, depth: int | None, nearest: int | None) -> int:
        """List it; how that ended. Raises `TooMany`, `OutOfBudget`."""
        space, budget = self.ready.space, self.budget
        for s in space.states[: space.starts]:
            words = (ctypes.c_uint64 * self.words).from_buffer_copy(s.to_bytes(8 * self.words, "little"))
            if self.library.chain_start(self.at, words) != ALL:
                raise MemoryError
        chain = self.at.contents
        known = budget.states or NONE
        steps, first = -1 if depth is None else depth, NONE if nearest is None else nearest
        numbers = [*(ctypes.c_uint64(n) for n in (AT_ONCE, most, known)), ctypes.c_int64(steps), ctypes.c_uint64(first)]
        while True:
            spend(budget, chain.count)
            ended = int(self.library.chain_list(self.at, *numbers))
            if ended == NO_MEMORY:
                raise OutOfBudget(f"the memory is used up, with {chain.count:,} positions met")
            if ended == MANY:
                raise TooMany(f"more than {most:,} states matter")
            if ended != MORE:
                return ended
            if budget.tell:
                budget.tell(f"{chain.count:,} states of the chain, {chain.count - chain.at:,} waiting")

    def _column(self, name: str, kind: Any, n: int) -> Any:
        import numpy as np

        found = np.empty(n, dtype=kind)
        if n:
            ctypes.memmove(found.ctypes.data, getattr(self.at.contents, name), found.nbytes)
        return found

    def told(self, number: Callable[[int], Fraction]) -> dict[int, Fraction]:
        """The values of the states that are decided so far, in the order of their numbers."""
        import numpy as np

        n = self.at.contents.at
        kinds = self._column("kinds", np.int8, n)
        values = dict.fromkeys(np.flatnonzero((kinds == LOST) | (kinds == CUT)).tolist(), NOTHING)
        values.update(dict.fromkeys(np.flatnonzero(kinds == WON).tolist(), Fraction(1)))
        some = np.flatnonzero(kinds == TOLD)
        if len(some):
            words = self._column("states", np.uint64, n * self.words).reshape(n, self.words)
            values.update(zip(some.tolist(), (number(s) for s in Packed(words[some])), strict=True))
        return values

    def listed(self, values: dict[int, Fraction]) -> Listed:
        """All that was found."""
        import numpy as np

        chain, column = self.at.contents, self._column
        n, choices, draws = chain.count, chain.choices, chain.draws
        found = Listed(
            words=column("states", np.uint64, n * self.words).reshape(n, self.words),
            heads=column("heads", np.int64, n + 1), firsts=column("firsts", np.int64, choices + 1),
            totals=column("totals", np.int64, choices), weights=column("weights", np.int64, draws),
            targets=column("targets", np.uint32, draws), movers=column("movers", np.int8, choices),
            kinds=column("kinds", np.int8, n), starts=chain.starts,
        )  # fmt: skip
        found.values = values
        found.cut = np.flatnonzero(found.kinds == CUT).tolist()
        return found


def worth_it(budget: Budget, ready: bool = False) -> int | None:
    """After how many positions compiled code goes on; None where it never does. `ready`: nothing has to be compiled."""
    return FIRST if compiler() is not None and (ready or budget.left() > HASTE) else None


def compiled_chain(
    ready: Ready,
    asks: Asks,
    number: Callable[[int], Fraction],
    budget: Budget,
    most: int,
    depth: int | None = None,
    nearest: int | None = None,
) -> Listed | None:
    """The chain, as `graph.explore` lists it; None where there is no compiler, or a number is too large for its words.

    `number` tells the values of states where `asks` leaves them open; after the `nearest` states all that is open is cut off.
    Raises `Refused`, `TooMany` and `OutOfBudget`.
    """  # fmt: skip
    if isinstance(ready.space, Rows) or compiler() is None:
        return None
    try:
        lister = Lister(ready, asks, budget)
    except (NoCompiler, Unlowerable):
        return None
    except OutOfBudget as spent:
        raise OutOfBudget(f"{spent.reason}, with {FIRST:,} positions met") from None
    ready.fast = True
    try:
        ended = lister.list(most, depth, nearest)
        if ended == WIDE:
            return None
        values = lister.told(number)
        if ended in REASONS:
            raise Refused(REASONS[ended])
        return lister.listed(values)
    except MemoryError:
        raise OutOfBudget("the memory is used up") from None
