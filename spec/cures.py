"""What to write instead: the cures that several faults of formulas share."""

from __future__ import annotations

from tablelaw.spec import types as ty
from tablelaw.spec.types import BagOf, Enum, Int, ListOf, MapOf, SetOf, Type, told

FAULT_CURES = {
    "division": "divide by a number other than 0",
    "empty": "see that there is at least one",
    "index": "use a key or number that is there",
    "bag": "take no more than there is",
    "none": "see that the value is not none",
}
"""What to do about a formula without a value, by the kind of its fault."""


def cure_of(found: Type, target: Type) -> str:
    """What to write where a value of one type stands and one of another is needed."""
    if isinstance(target, SetOf) and ty.fits(found, target.elem):
        return "a set of one is written `{x}`"
    if isinstance(target, ty.Bool):
        return (
            "compare the number, as in `x > 0`" if isinstance(found, Int) else "write a condition, as in `x == y` or `x in y`"
        )
    if isinstance(target, Int):
        return "name a player, such as `turn` or `after(turn)`" if target.name == "Player" else "write a number"
    if isinstance(target, Enum):
        return "write one of " + ", ".join(f"`{v}`" for v in target.values[:8]) + (" …" if len(target.values) > 8 else "")
    if isinstance(target, BagOf):
        return "in a formula write `bag()` for the empty bag, or a bag that has been declared; as a start `{name: 2}`"
    return f"write a value of {told(target)}"


MAY_BE_NONE = "it may be none; walk over its values instead, as in `any(x == n and n > 1 for n in Points)`"
"""What to do where a number is needed that may not be there."""


def cure_of_comparison(a: Type, b: Type) -> str:
    for whole, part in ((a, b), (b, a)):
        if isinstance(whole, BagOf) and ty.join(whole.elem, part) is not None:
            return "ask `x in bag`, or count with `bag[x]`"
        if isinstance(whole, (SetOf, ListOf)) and ty.join(whole.elem, part) is not None:
            return "ask `x in set`, or compare with the set of one, `{x}`"
        if isinstance(whole, MapOf):
            return "compare an item of the map, `map[key]`"
    return "compare values of one type"
