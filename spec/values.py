"""The values a rulebook speaks of, as immutable Python objects.

`bool` and `int` are themselves, fractions are `fractions.Fraction`, a name of an enumeration is its text, a set is a
`frozenset`, a list a `tuple`, nothing is `None`; maps, bags (name to count) and records are a `Map`.
"""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, Mapping, ValuesView
from typing import Any

Value = Any


class Map(Mapping[Any, Any]):
    """An immutable mapping that hashes; equal when its items are."""

    __slots__ = ("_hash", "_items")

    def __init__(self, items: Mapping[Any, Any] | list[tuple[Any, Any]] | None = None) -> None:
        self._items: dict[Any, Any] = dict(items or {})
        self._hash: int | None = None

    def __getitem__(self, key: Any) -> Any:
        return self._items[key]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, key: object) -> bool:
        return key in self._items

    def keys(self) -> KeysView[Any]:
        return self._items.keys()

    def values(self) -> ValuesView[Any]:
        return self._items.values()

    def items(self) -> ItemsView[Any, Any]:
        return self._items.items()

    def get(self, key: Any, default: Any = None) -> Any:
        return self._items.get(key, default)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self._items.items()))
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Map) and self._items == other._items

    def __repr__(self) -> str:
        return f"Map({self._items!r})"

    def set(self, key: Any, value: Any) -> Map:
        """A copy with one item changed."""
        items = dict(self._items)
        items[key] = value
        return Map(items)
