"""What to do so that a figure comes about, as a person reads it: a table of the positions that are met most often."""

from __future__ import annotations

import re
from collections.abc import Callable

from tablelaw.checkers.result import MOST_POSITIONS
from tablelaw.report.board import named
from tablelaw.solver.loops import people
from tablelaw.solver.trace import move_text
from tablelaw.solver.verdict import Advised, Policy
from tablelaw.spec.game import Game
from tablelaw.spec.positions import shown
from tablelaw.spec.types import BagOf, Bool, Enum, Int, LayoutType, MapOf, Maybe, Type, domain
from tablelaw.spec.values import Value

MOST_ROWS, MOST_LISTED = 12, 100
MOST_WORK = 4_000
"""Steps of the evaluator that telling the moves may take."""
GAP = "  "
APART = "; "
"""Between variables on one line: values have commas of their own."""
SHORT = 3
"""So long may the values be that a row of a board is told without its keys."""
OPEN = " or more"
_NUMBER = re.compile("[0-9]+")
Wrap = Callable[[str, str, str], str]


def policy_text(game: Game, policy: Policy, columns: int, wrap: Wrap) -> str:
    """The table under a figure: what differs between the positions, and the move made; then what is the same in all."""
    listed = policy.take(MOST_LISTED, MOST_WORK)
    if not listed:
        return f"    {policy.aim} play cannot be told in moves: a variable that was left out leaves its range"
    listed = sorted(listed[: _fitting(game, policy, listed)], key=lambda a: _in_order(game, policy, a))
    vary, same = _columns(game, policy, listed)
    rows = [wrap(_head(game, policy, len(listed)), "      ", "    ")]
    table = [[*vary, "move"], *_merged(game, vary, listed)]
    widths = [max(len(row[k]) for row in table) for k in range(len(table[0]))]
    if not vary:
        rows.append(f"      {move_text(game, listed[0].move)}")
    elif sum(widths) + len(GAP) * (len(widths) - 1) + 6 <= columns:
        rows += ["      " + GAP.join(t.ljust(w) for t, w in zip(row, widths, strict=True)).rstrip() for row in table]
    else:
        for *where, move in table[1:]:
            told = APART.join(f"{n} {x}" for n, x in zip(vary, where, strict=True))
            rows.append(wrap(f"{told}: {move}", "          ", "      "))
    if same:
        rows.append(wrap(("in all of these " if len(listed) > 1 else "there ") + APART.join(same), "      ", "    "))
    notes = _signs(game, [*vary, *same])
    if policy.alike:
        notes.append("names that nothing tells apart are put in one order here")
    rows += [wrap(note, "      ", "    ") for note in notes]
    return "\n".join(rows)


def _fitting(game: Game, policy: Policy, listed: list[Advised]) -> int:
    """As many of the first positions as stand in the rows that are shown."""
    most = len(listed)
    while most > 1 and len(_merged(game, _columns(game, policy, listed[:most])[0], listed[:most])) > MOST_ROWS:
        most -= 1
    return most


def _merged(game: Game, vary: dict[str, list[str]], listed: list[Advised]) -> list[list[str]]:
    """A row for each position; those that differ by one number alone and have one move stand in one row, as `2..5, 9`."""
    rows = [[*(told[i] for told in vary.values()), move_text(game, a.move)] for i, a in enumerate(listed)]
    best = rows
    for k, told in enumerate(vary.values()):
        if not all(x.removesuffix(OPEN).removeprefix("-").isdecimal() for x in told):
            continue
        groups: dict[tuple[str, ...], list[str]] = {}
        for row in rows:
            groups.setdefault((*row[:k], *row[k + 1 :]), []).append(row[k])
        if len(groups) < len(best):
            best = [[*key[:k], _runs(numbers), *key[k:]] for key, numbers in groups.items()]
    return best


def _runs(told: list[str]) -> str:
    """Numbers, of which the last may stand for more: `0..3, 5`, `2, 4 or more`."""
    runs: list[list[int]] = []
    for n in sorted({int(x.removesuffix(OPEN)) for x in told}):
        if runs and runs[-1][-1] == n - 1:
            runs[-1].append(n)
        else:
            runs.append([n])
    parts = [f"{r[0]}..{r[-1]}" if len(r) > 2 else ", ".join(map(str, r)) for r in runs]
    if any(x.endswith(OPEN) for x in told):
        parts[-1] = f"{runs[-1][0]}{OPEN}"
    return ", ".join(parts)


def _head(game: Game, policy: Policy, listed: int) -> str:
    whose = f" of {people(policy.who)}" if policy.who and game.players > 1 else ""
    head = f"{policy.aim} play{whose}"
    if policy.steps is not None:
        return f"{head}, first move of {policy.steps} step{'' if policy.steps == 1 else 's'}:"
    more = f"; `--json` has up to {MOST_POSITIONS}"
    often = f"the {listed} positions" if listed > 1 else "the position"
    if policy.total is None:
        rest = more if policy.at_hand > listed else ""
        return f"{head} ({often} met most often where one move is surely the best{rest}):"
    if policy.total > listed:
        return f"{head} ({often} met most often, of {policy.total:,} where it matters{more}):"
    return f"{head} (the {f'{policy.total} positions' if policy.total > 1 else 'one position'} where it matters):"


def _columns(game: Game, policy: Policy, listed: list[Advised]) -> tuple[dict[str, list[str]], list[str]]:
    """What differs between the positions, as columns; and what does not, of variables that differ elsewhere."""
    vary: dict[str, list[str]] = {}
    same: list[str] = []
    for v in game.variables:
        if v.name not in policy.shown:
            continue
        keys = policy.shown[v.name]
        values = [a.state[v.name] for a in listed]
        if isinstance(v.type, MapOf):
            items = {k: [_told(x[k], v.type.value) for x in values] for k in values[0] if keys is None or k in keys}
            differ = {k: told for k, told in items.items() if len(set(told)) > 1}
            vary |= {f"{v.name}[{shown(k, v.type.key)}]": told for k, told in differ.items()}
            rest = {k: told[0] for k, told in items.items() if k not in differ}
            if rest and v.name in policy.varying:
                one = len(set(rest.values())) == 1 and len(rest) == len(items)
                same += (
                    [f"{v.name} all {next(iter(rest.values()))}"]
                    if one and len(rest) > 1
                    else [f"{v.name}[{shown(k, v.type.key)}] {told}" for k, told in rest.items()]
                )
            continue
        if isinstance(v.type, BagOf) and keys is not None:  # a bag of which only some names matter: how many of each
            for k in domain(v.type.elem):
                if k in keys:
                    name = f"{v.name}[{shown(k, v.type.elem)}]"
                    _put(name, [str(x.get(k, 0)) for x in values], v.name in policy.varying, vary, same)
            continue
        _put(v.name, [_told(x, v.type) for x in values], v.name in policy.varying, vary, same)
    for i, subject in enumerate(policy.counted):
        _put(f"times('{subject}')", [policy.count_text(a.counts[i]) for a in listed], True, vary, same)
    return vary, same


def _put(name: str, told: list[str], varies: bool, vary: dict[str, list[str]], same: list[str]) -> None:
    if len(set(told)) > 1:
        vary[name] = told
    elif varies:
        same.append(f"{name} {told[0]}")


def _told(found: Value, kind: Type) -> str:
    if isinstance(kind, MapOf) and is_row(kind):
        return " ".join(_sign(x, kind.value) for x in found.values())
    return named(found) if isinstance(kind, LayoutType) else shown(found, kind)


def is_row(kind: MapOf) -> bool:
    """Is a map a row of a board: of values so short that they can be told side by side?"""
    if not isinstance(kind.key, (Int, Enum)):
        return False
    inner = kind.value.elem if isinstance(kind.value, Maybe) else kind.value
    match inner:
        case Bool():
            return inner is kind.value
        case Enum(_, values):
            return all(len(x) <= SHORT for x in values)
        case Int(lo, hi):
            return len(str(lo)) <= SHORT and len(str(hi)) <= SHORT
    return False


def _sign(found: Value, kind: Type) -> str:
    if found is None or found is False:
        return "."
    return "x" if found is True else shown(found, kind)


def _signs(game: Game, told: list[str]) -> list[str]:
    """How rows of boards are to be read, of the variables that are named."""
    found: list[str] = []
    for v in game.variables:
        kind = v.type.value if isinstance(v.type, MapOf) else None
        if not isinstance(kind, MapOf) or not is_row(kind) or not any(n.startswith((f"{v.name}[", f"{v.name} ")) for n in told):
            continue
        keys = [shown(k, kind.key) for k in domain(kind.key)]
        signs = (
            ", `x` true, `.` false" if isinstance(kind.value, Bool) else ", `.` none" if isinstance(kind.value, Maybe) else ""
        )
        found.append(f"each `{v.name}[…]` is told from {keys[0]} to {keys[-1]}{signs}")
    return found


def _in_order(game: Game, policy: Policy, a: Advised) -> list[tuple[int, str]]:
    """Sorts positions by their variables in order, so that a rule can be seen."""
    found: list[tuple[int, str]] = []
    for v in game.variables:
        if v.name in policy.shown:
            found += _sorting(a.state[v.name], v.type, policy.shown[v.name])
    return [*found, *((n, "") for n in a.counts)]


def _sorting(found: Value, kind: Type, keys: frozenset[object] | None = None) -> list[tuple[int, str]]:
    match kind:
        case Maybe(elem):
            return [(0, "")] if found is None else [(1, ""), *_sorting(found, elem)]
        case Int() | Bool():
            return [(int(found), "")]
        case Enum(_, _, family):
            return [(family.index(found), "")]
        case MapOf(_, value):
            return [x for k, told in found.items() if keys is None or k in keys for x in _sorting(told, value)]
    return [(0, _NUMBER.sub(lambda m: m[0].zfill(9), _told(found, kind)))]
