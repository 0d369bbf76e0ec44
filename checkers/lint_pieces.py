"""Sides of faces that look wrong: halves that nothing joins, and sides that fit no other face."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tablelaw.spec.diagnostics import Diagnostic
from tablelaw.spec.document import Document, get, items
from tablelaw.spec.game import Game
from tablelaw.spec.grid import HALVES, SIDES, side_of
from tablelaw.spec.pieces import Pieces
from tablelaw.spec.source import Span

FEWEST_ALIKE = 3
"""How many faces a set of pieces has at least for a side that fits no other to be strange."""


def odd_sides(doc: Document, games: Iterable[Game]) -> Iterator[Diagnostic]:
    """The first such side of each face, in the games under some settings."""
    told: set[Span] = set()
    for game in games:
        for key, node in items(doc.pieces):
            pieces = game.names.pieces.get(key.text)
            for face, _ in items(get(node, "faces")) if pieces is not None else ():
                if pieces is not None and face.text in pieces.faces and face.span not in told:
                    found = list(_of_face(pieces, face.text, face.span))
                    told |= {face.span} if found else set()
                    yield from found


def _of_face(pieces: Pieces, face: str, span: Span) -> Iterator[Diagnostic]:
    left = _left_over(pieces, face)
    if left is not None:
        half, other, kind = left
        cure = f"join `{half}` to a part, or take `{other}` out of the `{kind}`"
        yield Diagnostic(
            "L110",
            "warning",
            f"on `{face}` the half `{half}` belongs to no part, and `{other}` beside it does",
            span,
            help=cure,
        )
        return
    side = _fits_nothing(pieces, face)
    if side is not None:
        kinds = " and ".join(f"`{k}`" for k in sorted(pieces.shows[face, 0, side])) or "nothing"
        cure = "see whether its parts list the sides that they reach"
        message = f"side {side} of `{face}` shows {kinds}, and no other side of any face may touch it"
        yield Diagnostic("L110", "warning", message, span, help=cure)


def _left_over(pieces: Pieces, face: str) -> tuple[str, str, str] | None:
    """A half that no part joins, the other half of its side, which one does, and the kind of that one."""
    joined = {at: p.kind for p in pieces.faces[face] if pieces.halves(p.kind) for at in p.at}
    for side in SIDES:
        first, second = (h for h in HALVES if side_of(h) == side)
        for half, other in ((first, second), (second, first)):
            if half not in joined and other in joined:
                return half, other, joined[other]
    return None


def _fits_nothing(pieces: Pieces, face: str) -> str | None:
    """A side that no other side of any face may lie against, in neither order of laying."""
    if len(pieces.faces) < FEWEST_ALIKE:
        return None
    for side in SIDES:
        mine = pieces.shows[face, 0, side]
        others = {pieces.shows[f, 0, s] for f in pieces.faces for s in SIDES if (f, s) != (face, side)}
        if not any((mine, o) in pieces.allowed or (o, mine) in pieces.allowed for o in others):
            return side
    return None
