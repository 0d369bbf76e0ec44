"""Which reductions a person wants: by name, all of them where it pays, or none."""

from __future__ import annotations

from dataclasses import dataclass

SLICING, SYMMETRY, ORDER, BAGS = "slicing", "symmetry", "partial-order", "bags"
NAMES = (SLICING, SYMMETRY, ORDER, BAGS)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Names of reductions; `always`: from the first state on, and not only once the states are known to be many.

    `listed`: what is listed is to be all states of the game, as evidence is; a strategy may still be found by images.
    """

    names: frozenset[str] = frozenset(NAMES)
    always: bool = False
    listed: bool = False

    def key(self) -> list[object]:
        """What tells answers found so from others."""
        return [sorted(self.names), self.always, self.listed]


WHERE_IT_PAYS = Wanted()
FOR_EVIDENCE = Wanted(listed=True)
NONE = Wanted(frozenset())
EVERYWHERE = Wanted(always=True)


def wanted(text: str) -> Wanted:
    """`slicing,bags`: these, from the first state on; `all`, `none`. Raises `ValueError` with what is wrong."""
    names = [n.strip() for n in text.split(",")]
    if names == ["none"]:
        return NONE
    if names == ["all"]:
        return EVERYWHERE
    for n in names:
        if n in ("all", "none"):
            raise ValueError(f"`{n}` stands alone")
        if n not in NAMES:
            raise ValueError(f"no reduction is called `{n[:40]}`: there are {', '.join(NAMES)}, or `all`, or `none`")
    return Wanted(frozenset(names), always=True)
