"""How an image of a packed state is reckoned: the bits that move as far as each other move together.

A permutation takes slot i to the place of slot `moved[i]`, which has the same range.
"""

from __future__ import annotations

from collections.abc import Sequence

from tablelaw.solver.space.pack import Packing

WORD = 64


def _bits(pack: Packing, moved: Sequence[int]) -> list[tuple[int, int]]:
    """Where each bit comes from and goes to."""
    return [(pack.shifts[i] + b, pack.shifts[j] + b) for i, j in enumerate(moved) for b in range(pack.masks[i].bit_length())]


def image_text(pack: Packing, moved: Sequence[int], source: str = "s") -> str:
    """The image of a state that is one number, as a formula."""
    together: dict[int, int] = {}
    for old, new in _bits(pack, moved):
        together[new - old] = together.get(new - old, 0) | 1 << old
    return " | ".join(_moved(f"{source} & {mask}", far) for far, mask in together.items()) or source


def image_words(pack: Packing, moved: Sequence[int], words: int) -> list[str]:
    """The image of a state of words `s0`, `s1`, …, as a formula in C for each word."""
    together: list[dict[tuple[int, int], int]] = [{} for _ in range(words)]
    for old, new in _bits(pack, moved):
        (word, at), (other, place) = divmod(old, WORD), divmod(new, WORD)
        key = word, place - at
        together[other][key] = together[other].get(key, 0) | 1 << at
    return [" | ".join(_moved(f"s{word} & {mask}ULL", far) for (word, far), mask in of.items()) or "0" for of in together]


def _moved(text: str, far: int) -> str:
    return f"({text})" if not far else f"({text}) << {far}" if far > 0 else f"({text}) >> {-far}"


def image(pack: Packing, moved: Sequence[int], s: int) -> int:
    """The image of a packed state."""
    found = 0
    for i, j in enumerate(moved):
        found |= (s >> pack.shifts[i] & pack.masks[i]) << pack.shifts[j]
    return found


def smallest(pack: Packing, among: Sequence[Sequence[int]], s: int) -> int:
    """The image that stands for all."""
    return min([s, *(image(pack, moved, s) for moved in among)])
