"""A state as one whole number: each slot in as many bits as its range needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tablelaw.solver.ir import Slot


@dataclass(frozen=True, slots=True)
class Packing:
    """Where each slot lies: `shifts[i]` and `masks[i]` in the packed number, `lows[i]` taken off first."""

    shifts: tuple[int, ...]
    masks: tuple[int, ...]
    lows: tuple[int, ...]
    bits: int

    def pack(self, numbers: Sequence[int]) -> int:
        """The packed state of the slots' numbers."""
        state = 0
        for n, low, shift in zip(numbers, self.lows, self.shifts, strict=True):
            state |= (n - low) << shift
        return state

    def unpack(self, state: int) -> list[int]:
        """The slots' numbers of a packed state."""
        return [((state >> shift) & mask) + low for shift, mask, low in zip(self.shifts, self.masks, self.lows, strict=True)]


def packing(slots: Sequence[Slot]) -> Packing:
    """Lay the slots out one after the other."""
    shifts, masks, at = [], [], 0
    for s in slots:
        width = (s.hi - s.lo).bit_length()
        shifts.append(at)
        masks.append((1 << width) - 1)
        at += width
    return Packing(tuple(shifts), tuple(masks), tuple(s.lo for s in slots), at)
