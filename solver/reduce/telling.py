"""What an answer says of the reductions that it was found with: in its bound, its notes and its account."""

from __future__ import annotations

from tablelaw.solver import account
from tablelaw.solver.reduce.bags import rolled
from tablelaw.solver.reduce.names import BAGS, ORDER, SLICING, SYMMETRY, Wanted
from tablelaw.solver.reduce.orbits import about
from tablelaw.solver.reduce.reduced import Reduced
from tablelaw.solver.space.graph import Space
from tablelaw.solver.verdict import Verdict

NOT_SHORTEST = "some actions of the table were followed in one order only: the play need not be a shortest one"
MATTER, IMAGES = "states that matter", "images of each other counted as one"
SHOWN = 6


def of_answer(found: Reduced, space: Space, verdict: Verdict) -> None:
    """Say in a verdict what it is of, and note what was saved."""
    if found.keep is not None or found.among or found.order is not None:
        verdict.evidence = None  # what was looked at is no list of the states of the game
        if verdict.known_by == "exhausted" and verdict.bound is None and space.complete:
            verdict.bound = f"all {len(space.states):,} {MATTER}" + (f", {IMAGES}" if found.among else "")
    if found.order is not None and verdict.trace is not None:
        verdict.notes.append(NOT_SHORTEST)
    tell(found, space)


def of_images(found: Reduced | None, space: Space) -> None:
    """Note what was saved, where anything was."""
    if found is not None:
        tell(found, space)


def tell(found: Reduced, space: Space) -> None:
    """Note each reduction and what it saved."""
    if not account.wanted():
        return
    n = len(space.states)
    if found.keep is not None:
        slots = space.model.slots
        left = [i for i in range(len(slots)) if i not in found.keep]
        names = list(dict.fromkeys(f"`{slots[i].name}`" for i in left))
        shown = ", ".join(names[:SHOWN]) + (", …" if len(names) > SHOWN else "")
        account.note(
            "reduction",
            f"slicing: {len(left)} of {len(slots)} parts of a position matter to neither play nor question ({shown})",
            {"reduction": SLICING, "left-out": len(left), "of": len(slots)},
            SLICING,
        )
    if found.bags is not None:
        account.note(
            "reduction",
            f"bags: {found.bags.after:,} draws in place of {found.bags.before:,}, from which the rules do not tell the others",
            {"reduction": BAGS, "with": found.bags.after, "without": found.bags.before},
            BAGS,
        )
    if found.order is not None:
        first = ", ".join(f"`{a}`" for a in found.order.first[:SHOWN])
        account.note(
            "reduction",
            f"partial order: {first} before other actions of the table ({found.order.waiting} wait)",
            {"reduction": ORDER, "first": len(found.order.first), "waiting": found.order.waiting},
            ORDER,
        )
    if found.among:
        without, exact = about(space)
        account.note(
            "reduction",
            f"symmetry: {len(found.among) + 1} images of a position are one: "
            f"{n:,} positions in place of {'' if exact else 'about '}{without:,}",
            {"reduction": SYMMETRY, "group": len(found.among) + 1, "with": n, "without": without, "exact": exact},
            SYMMETRY,
        )


def of_whole(space: Space, wanted: Wanted, few: int) -> None:
    """Note why nothing was left out, and what lowering has left out already."""
    if wanted.listed:
        account.note("reduction", "no reduction: all positions are listed, as evidence", {}, "none")
    elif wanted.names and not wanted.always and len(space.states) <= few:
        account.note("reduction", f"no reduction: they begin after {few:,} positions", {}, "none")
    roll = rolled(space.model)
    if roll is not None:
        account.note(
            "reduction",
            f"bags: a roll is told by how many dice show each face: {roll[1]:,} draws in place of {roll[0]:,}",
            {"reduction": BAGS, "with": roll[1], "without": roll[0]},
            "roll",
        )
