"""Mirror images of pieces: which oriented piece is that of which, where the set of pieces has it at all."""

from __future__ import annotations

from tablelaw.spec.pieces import FacePart, Pieces
from tablelaw.spec.values import Value

Laid = tuple[str, int]

_SWAPPED = {"E": "W", "W": "E", "e": "w", "w": "e"}


def mirrored(place: str) -> str:
    """A side, half or direction seen in a mirror that swaps east and west."""
    return "".join(_SWAPPED.get(c, c) for c in place)


_LOOK = tuple[frozenset[object], tuple[tuple[str, Value], ...]]


def _look(pieces: Pieces, laid: Laid, mirror: bool) -> _LOOK:
    """Everything that tells an oriented piece from another but its name, as it is or in a mirror."""
    face, rotation = laid

    def seen(value: Value) -> Value:
        return mirrored(value) if mirror and value is not None else value

    def part(p: FacePart) -> object:
        turning = pieces.kinds[p.kind].turning
        return (p.kind, frozenset(seen(a) for a in p.at), tuple((n, seen(v) if n in turning else v) for n, v in p.attributes))

    own = tuple(
        (n, seen(pieces.attribute(face, n, rotation)) if n in pieces.turning else pieces.attribute(face, n, rotation))
        for n in sorted(pieces.attributes)
    )
    return frozenset(part(p) for p in pieces.parts[face, rotation]), own


def mirror_images(pieces: Pieces) -> dict[Laid, Laid] | str:
    """The mirror image of each oriented piece; where one has none, the name of its face.

    A face that is its own mirror image is preferred to another one that looks the same.
    """
    looks = [(f, r) for f, rotations in pieces.rotations.items() for r in rotations]
    plain: dict[_LOOK, list[Laid]] = {}
    for laid in looks:
        plain.setdefault(_look(pieces, laid, False), []).append(laid)
    found: dict[Laid, Laid] = {}
    for laid in looks:
        images = plain.get(_look(pieces, laid, True), [])
        own = [i for i in images if i[0] == laid[0]]
        if len(own or images) != 1:
            return laid[0]
        found[laid] = (own or images)[0]
    return found if all(found[b] == a for a, b in found.items()) else looks[0][0]
