"""The settings that a set of fixtures speaks of: each value of each option, with as little else changed as may be."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.document import Document, Option
from tablelaw.spec.settings import Setting, broken, holds, names_for

MOST_VALUES = 6


@dataclass(frozen=True, slots=True)
class Variation:
    """A setting in which an option has another value, and the nearest one in which it has its own."""

    option: str
    usual: str
    other: str
    left: tuple[tuple[str, str], ...]
    right: tuple[tuple[str, str], ...]


def variations(doc: Document, base: Setting, fixed: frozenset[str], players: int) -> Iterator[Variation]:
    """Each other value of each option, with as little else changed as may be; options of kind `study` stay."""
    for option in doc.options.values():
        if option.kind == "study" or option.id in fixed:
            continue
        values = [v.name for v in option.values if v.name != base[option.id]]
        if len(values) > MOST_VALUES:
            values = [*values[: MOST_VALUES - 1], values[-1]]
        for value in values:
            found = _nearest(doc, option, value, base, fixed, players)
            if found is not None:
                usual = base[option.id]
                yield Variation(option.id, usual, value, tuple({**found, option.id: usual}.items()), tuple(found.items()))


def _nearest(doc: Document, option: Option, value: str, base: Setting, fixed: frozenset[str], players: int) -> Setting | None:
    """A setting near the base in which the option is open and both its values may be."""

    def fits(setting: Setting) -> bool:
        quiet = Diagnostics()
        both = (setting, {**setting, option.id: base[option.id]})
        return all(
            holds(option.only, names_for(doc, s, players), doc, quiet) and broken(doc, s, players, quiet) is None for s in both
        )

    here = {**base, option.id: value}
    if fits(here):
        return here
    others = [o for o in doc.options.values() if o.id not in fixed and o.id != option.id and o.kind != "study"]
    near = [{**here, o.id: v.name} for o in others for v in o.values if v.name != base[o.id]]
    found = next((s for s in near if fits(s)), None)
    if found is not None:
        return found
    return next((s for n in near for o in others for v in o.values if fits(s := {**n, o.id: v.name})), None)
