"""What compiled code holds of a search, and lists that read it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from typing import Any, overload

AT_ONCE = 4096
NO_PARENT = 0xFFFFFFFF
DONE, NO_MEMORY, FULL, TOO_MANY = range(4)
"""How a call of the compiled code ended."""

_NUMBERS, SHORT = ctypes.POINTER(ctypes.c_uint64), ctypes.POINTER(ctypes.c_uint32)


class _Search(ctypes.Structure):
    """The beginning of `Search` in `search.c`."""

    _fields_ = [
        ("states", _NUMBERS),
        ("parents", SHORT),
        ("count", ctypes.c_uint64),
        ("room", ctypes.c_uint64),
        ("expanded", ctypes.c_uint64),
        ("steps", ctypes.c_uint64),
        ("spare", ctypes.c_uint64),
        ("table", _NUMBERS),
        ("mask", ctypes.c_uint64),
        ("stuck", SHORT),
        ("faulty", SHORT),
        ("stuck_count", ctypes.c_uint64),
        ("stuck_room", ctypes.c_uint64),
        ("faulty_count", ctypes.c_uint64),
        ("faulty_room", ctypes.c_uint64),
        ("links", SHORT),
    ]


class Held:
    """Owns the search of a library; what reads it holds this, so that it is given back with the last of them."""

    def __init__(self, library: ctypes.CDLL, moves: ctypes.CDLL, words: int) -> None:
        library.search_new.restype = ctypes.POINTER(_Search)
        library.search_find.restype = library.search_links.restype = ctypes.c_int64
        self.library = library
        self.moves = moves
        self.words = words
        self.at = library.search_new(moves.moves, moves.over)
        if not self.at:
            raise MemoryError

    def __reduce__(self) -> Any:
        raise TypeError("what compiled code holds has one owner")

    def __del__(self) -> None:
        if getattr(self, "at", None):
            self.library.search_free(self.at)

    @property
    def search(self) -> Any:
        """The compiled code's own record."""
        return self.at.contents

    def packed(self, s: int) -> Any:
        """A state as the compiled code takes it."""
        return (ctypes.c_uint64 * self.words).from_buffer_copy(s.to_bytes(8 * self.words, "little"))

    def find(self, s: int) -> int:
        """The number of a state, or -1."""
        return int(self.library.search_find(self.at, self.packed(s)))


class Listed(Sequence[int]):
    """A list read part by part."""

    def part(self, first: int, last: int) -> list[int]:
        raise NotImplementedError

    @overload
    def __getitem__(self, at: int) -> int: ...
    @overload
    def __getitem__(self, at: slice) -> list[int]: ...
    def __getitem__(self, at: int | slice) -> int | list[int]:
        if isinstance(at, slice):
            first, last, step = at.indices(len(self))
            return self.part(first, last)[::step] if step > 0 else [self[i] for i in range(first, last, step)]
        n = len(self)
        if not -n <= at < n:
            raise IndexError(at)
        return self.part(at % n, at % n + 1)[0]

    def __iter__(self) -> Iterator[int]:
        first = 0
        while first < len(self):
            last = min(first + AT_ONCE, len(self))
            yield from self.part(first, last)
            first = last


class _List(Listed):
    """A list that the compiled code holds."""

    def __init__(self, held: Held) -> None:
        self.held = held


class States(_List):
    def __len__(self) -> int:
        return int(self.held.search.count)

    def part(self, first: int, last: int) -> list[int]:
        if self.held.words == 1:
            return self.held.search.states[first:last]  # type: ignore[no-any-return]
        size = 8 * self.held.words
        start = ctypes.addressof(self.held.search.states.contents) + first * size
        text = ctypes.string_at(start, max(0, last - first) * size)
        return [int.from_bytes(text[k : k + size], "little") for k in range(0, len(text), size)]


class Parents(_List):
    def __len__(self) -> int:
        return int(self.held.search.count)

    def part(self, first: int, last: int) -> list[int]:
        return [-1 if p == NO_PARENT else p for p in self.held.search.parents[first:last]]


class Noted(_List):
    def __init__(self, held: Held, name: str) -> None:
        super().__init__(held)
        self.name = name

    def __len__(self) -> int:
        return int(getattr(self.held.search, self.name + "_count"))

    def part(self, first: int, last: int) -> list[int]:
        return getattr(self.held.search, self.name)[first:last] if last > first else []


class Index:
    """The numbers of states."""

    def __init__(self, held: Held) -> None:
        self.held = held

    def __contains__(self, s: int) -> bool:
        return s >= 0 and self.held.find(s) >= 0

    def __getitem__(self, s: int) -> int:
        found = self.held.find(s) if s >= 0 else -1
        if found < 0:
            raise KeyError(s)
        return found
