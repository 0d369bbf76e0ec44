"""A shorter play for a difference that is explained: where the rules first part from what the program seems to play."""

from __future__ import annotations

from tablelaw.checkers.foreign import OutOfTime
from tablelaw.checkers.host import Faulty, Host
from tablelaw.checkers.judging import Judgement, Variants, agrees, start_of
from tablelaw.checkers.walking import Counts, Found, Walker
from tablelaw.solver.parting import Comparing
from tablelaw.solver.sampling import Taken
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget, OutOfBudget

SECONDS, FEW = 15.0, 2


def nearest(
    variants: Variants, walker: Walker, found: Found, judgement: Judgement, without: frozenset[str], seconds: float
) -> Found:
    """The shortest play that parts the rules and what explains the difference, if the program parts from the rules there too.

    The difference as it was where none is found in time, or where the program says something else.
    """
    host = walker.host
    if seconds <= 0 or found.note:
        return found
    setting = dict(host.game.setting)
    if found.apart is None or len(found.sent) <= FEW:
        return found
    if judgement.readings:
        other = variants.host({**setting, **judgement.readings[0]}, without)
    elif judgement.as_without:
        other = variants.host(setting, without | {judgement.as_without[0]})
    else:
        other = None
    way = None if other is None else _way(host, other, walker, found, min(SECONDS, seconds))
    if other is None or way is None or len(way) >= len(found.taken):
        return found
    start = host.player.state(found.start) if walker.given else None
    counts, walker.counts = walker.counts, Counts()
    try:
        shown = walker.along(found.start, way)
    except OutOfTime:
        return found
    finally:
        walker.counts = counts
    if shown is None or shown.apart is None or len(shown.sent) >= len(found.sent):
        return found
    shown.shrunk = True
    return shown if agrees(other, host.game, shown, start) else found


def _way(host: Host, other: Host, walker: Walker, found: Found, seconds: float) -> tuple[Taken, ...] | None:
    """The steps to where the two games first part, and the move there where these rules have it."""
    given = None
    if walker.given:
        state = host.player.state(found.start)
        row = start_of(other, host.game, state)
        if row is None:
            return None
        given = state, other.player.state(row)
    try:
        course = Comparing(host.game, other.game, None, given).run(Budget(seconds), bool)
    except (OutOfBudget, Unlowerable, RecursionError):
        return None
    if not course.partings:
        return None
    first = min(course.partings, key=lambda p: p.length)
    steps = list(first.way[1])
    if first.move is not None:
        steps.append((first.move, first.drawn))
    taken: list[Taken] = []
    row = found.start
    try:
        for move, drawn in steps:
            step = host.find(row, move, drawn)
            if step is None:
                break  # the last, which the other game alone has
            row = host.step(row, *step)
            taken.append(step)
    except Faulty:
        return None
    return tuple(taken)
