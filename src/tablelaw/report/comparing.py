"""Where two games part, and what clauses do to rules, as a person reads it."""

from __future__ import annotations

import textwrap
from collections.abc import Callable

from tablelaw.checkers.clarify import Clarification, Reading
from tablelaw.checkers.compare import SAYS, Comparison, setting_name
from tablelaw.checkers.result import Result
from tablelaw.checkers.sides import Outcome, Shown
from tablelaw.solver.trace import draw_text
from tablelaw.solver.verdict import Told
from tablelaw.spec.game import Game

Wrap = Callable[..., str]
MOST_CHANGES = 8
SIGNS = {"equal": "=", "left": ">", "right": "<", "neither": "≠"}
_TURNED = {">": "<", "<": ">"}
LONGEST_NAME = 24
PARTS = {
    "start": "they do not start alike",
    "end": "one of them is over here",
    "winners": "others win here",
    "fault": "the rules have no value on one side",
}


def before(told: Told, wrap: Wrap, compared: bool = False) -> list[str]:
    """What stands above the play."""
    if isinstance(told, Comparison):
        first = f"{SAYS[told.value]}: the first is {told.names[0]}, the second {told.names[1]}"
        lines = [] if compared else [wrap(first, "    ")]
        if told.left_out:
            what = ", ".join(f"`{n}`" for n in told.left_out)
            lines.append(wrap(f"compared only by what can be seen, since one side alone has it: {what}", "    "))
        return lines if told.parts or told.left_out else []
    if isinstance(told, Clarification):
        return _clarified(told, wrap)
    return []


def after(told: Told, wrap: Wrap) -> list[str]:
    """What stands below the play: the move, and what each side says of it."""
    if isinstance(told, Comparison):
        lines: list[str] = []
        for n, part in enumerate(told.parts):
            if n:
                steps = part.parting.length
                lines.append(wrap(f"and the other way round, after {steps} step{'' if steps == 1 else 's'}:", "    "))
            lines += parting(part, told.names, wrap)
        return lines
    if isinstance(told, Clarification) and told.shown is not None:
        return _witness(told, told.shown, wrap)
    return []


def parting(part: Shown, names: tuple[str, str], wrap: Wrap) -> list[str]:
    """The move where two games part, and its outcome on each side."""
    lines = [wrap(_head(part), "    ")]
    lines += [wrap(f"{name}: {outcome(o)}", "        ", "      ") for name, o in zip(names, part.outcomes, strict=True)]
    lines += [wrap(f"{path}: {a} against {b}", "          ", "        ") for path, a, b in part.differing[:MOST_CHANGES]]
    return lines


def _head(part: Shown) -> str:
    p = part.parting
    if part.move is None:
        return f"{PARTS.get(p.kind, 'they part here')}:"
    draw = draw_text(part.game.action(p.move.action if p.move else ""), p.drawn)
    who = "the table" if p.move is not None and p.move.actor is None else f"player {p.move.actor}" if p.move else ""
    return f"then `{part.move}{' -> ' + draw if draw else ''}` of {who}:"


def outcome(o: Outcome) -> str:
    """What one side says, in a sentence."""
    if o.fault is not None:
        return f"the rules have no value: {o.fault}"
    if o.absent:
        return "there is no such move"
    if not o.legal:
        return "illegal, forbidden by " + "; ".join(_clause(o.game, c) for c in o.clauses)
    if o.moves is not None:
        return f"it goes on, with {o.moves} move{'' if o.moves == 1 else 's'}" if o.moves else "nobody can move"
    end = "" if o.ended is None else f"the play is over by {o.ended}, {_won(o.winners)}"
    if not o.changed:
        return end or (f"legal ({', '.join(o.clauses)})" if o.after is None else "legal, nothing changes")
    more = f", and {len(o.changed) - MOST_CHANGES} more" if len(o.changed) > MOST_CHANGES else ""
    return f"legal: {', '.join(o.changed[:MOST_CHANGES])}{more} [{' '.join(o.clauses)}]" + (f"; {end}" if end else "")


def _won(winners: tuple[int, ...]) -> str:
    if not winners:
        return "nobody wins"
    return f"{', '.join(f'player {p}' for p in winners)} win{'s' if len(winners) == 1 else ''}"


def _clause(game: Game, name: str) -> str:
    entry = game.clauses.get(name)
    if entry is None:
        return name
    cite = f" ({', '.join(entry.cite[:2])})" if entry.cite else ""
    return f"{name}{cite}" + (f": {entry.says}" if entry.says else "")


# clauses


def _clarified(told: Clarification, wrap: Wrap) -> list[str]:
    lines: list[str] = []
    game = told.readings[0].with_ if told.readings else None
    names = (*told.clauses, *told.versus)
    if game is not None:
        lines += [wrap(_clause(_having(told, c) or game, c), "      ", "    ") for c in names]
    against = told.contradicted
    if against.clauses:
        rest = [c for c in against.clauses if c not in names]
        lines.append(wrap(f"{against.how}{':' if rest else ''}", "      ", "    "))
        lines += [wrap(_clause(told.readings[0].without, c), "        ", "      ") for c in rest]
    if len(told.readings) > 1:
        lines += [wrap(_reading(r), "      ", "    ") for r in told.readings[:12]]
        if len(told.readings) > 12:
            lines.append(wrap(f"and {len(told.readings) - 12} more readings (`--json` has them all)", "    "))
    if told.silent:
        lines.append(wrap(told.silent, "    "))
    return lines


def _having(told: Clarification, clause: str) -> Game | None:
    games = [g for r in told.readings for g in (r.with_, r.without)]
    return next((g for g in games if clause in g.clauses), None)


def _reading(r: Reading) -> str:
    word = {
        "same": "no play changes", "changes": "plays change", "contradicts": "a contradiction", "unknown": "not decided",
    }[r.effect]  # fmt: skip
    return f"under {setting_name(r.options)}: {word}"


def _witness(told: Clarification, part: Shown, wrap: Wrap) -> list[str]:
    if part.parting.kind != "speaks":
        return parting(part, told.names, wrap)
    spoken = ", ".join(part.parting.names)
    if part.move is None:
        return [wrap(f"here `{spoken}` speaks, and the play is over without it as well", "    ")]
    lines = [wrap(f"here `{spoken}` speaks of `{part.move}`; without it:", "    ")]
    lines.append(wrap(outcome(part.outcomes[0]), "        ", "      "))
    return lines


# several settings


def headline(result: Result, how: str) -> str:
    """The first line of a comparison: what is compared, how the plays relate, how it is known."""
    v = result.verdict
    assert isinstance(v.told, Comparison)
    names = " and ".join(v.told.names)
    if v.verdict == "unknown":
        return f"{names}: unknown — {how}"
    return f"{names}: {SAYS[v.told.value]} — {how}"


def matrix(names: list[str], results: list[Result]) -> str:
    """How the plays of each setting relate to those of each other."""
    signs = {}
    for r in results:
        told = r.verdict.told
        assert isinstance(told, Comparison)
        sign = "?" if r.verdict.verdict == "unknown" else SIGNS[told.value]
        as_far = "*" if r.verdict.bound and sign in _TURNED else ""
        signs[told.names] = sign + as_far
        signs[told.names[1], told.names[0]] = _TURNED.get(sign, sign) + as_far
    short = [n if len(n) <= LONGEST_NAME else n[: LONGEST_NAME - 1] + "…" for n in names]
    first = max(map(len, short))
    numbered = sum(len(n) + 2 for n in short) + first > 76
    heads = [str(i) for i in range(1, len(names) + 1)] if numbered else short
    rows = [" " * (first + 4 if numbered else first) + "".join(f"  {h}" for h in heads)]
    for i, (name, shown) in enumerate(zip(names, short, strict=True)):
        cells = ["=" if name == other else signs[name, other] for other in names]
        label = f"{i + 1:>2}  {shown:<{first}}" if numbered else f"{shown:<{first}}"
        rows.append(label + "".join(f"  {c:<{len(h)}}" for c, h in zip(cells, heads, strict=True)).rstrip())
    legend = "= the same plays, > the row allows more, < the column allows more, ≠ neither contains the other"
    legend += ", ? not decided" if "?" in signs.values() else ""
    legend += ", * as far as was looked: the other may have further plays" if any("*" in s for s in signs.values()) else ""
    rows += textwrap.wrap(legend, 80)
    return "\n".join(r.rstrip() for r in rows)
