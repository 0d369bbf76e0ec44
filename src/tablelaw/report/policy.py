"""What to do so that a figure comes about, as a person reads it: a table of the positions that are met most often."""

from __future__ import annotations

from collections.abc import Callable

from tablelaw.report.board import named
from tablelaw.solver.loops import people
from tablelaw.solver.trace import move_text
from tablelaw.solver.verdict import Advised, Policy
from tablelaw.spec.game import Game
from tablelaw.spec.positions import shown
from tablelaw.spec.types import LayoutType, MapOf, Type
from tablelaw.spec.values import Value

MOST_ROWS, MOST_LISTED = 12, 100
MOST_WORK = 4_000
"""Steps of the evaluator that telling the moves may take."""
GAP = "  "
Wrap = Callable[[str, str, str], str]


def policy_text(game: Game, policy: Policy, columns: int, wrap: Wrap) -> str:
    """The table under a figure: what differs between the positions, and the move made; then what is the same in all."""
    listed = policy.take(MOST_LISTED, MOST_WORK)
    if not listed:
        return f"    {policy.aim} play cannot be told in moves: a variable that was left out leaves its range"
    listed = listed[: _fitting(game, policy, listed)]
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
            told = ", ".join(f"{n} {x}" for n, x in zip(vary, where, strict=True))
            rows.append(wrap(f"{told}: {move}", "          ", "      "))
    if same:
        rows.append(wrap(("in all of these " if len(listed) > 1 else "there ") + ", ".join(same), "      ", "    "))
    if policy.alike:
        rows.append(wrap("names that nothing tells apart are put in one order here", "      ", "    "))
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
        if not all(x.removeprefix("-").isdecimal() for x in told):
            continue
        groups: dict[tuple[str, ...], list[int]] = {}
        for row in rows:
            groups.setdefault((*row[:k], *row[k + 1 :]), []).append(int(row[k]))
        if len(groups) < len(best):
            best = [[*key[:k], _runs(numbers), *key[k:]] for key, numbers in groups.items()]
    return best


def _runs(numbers: list[int]) -> str:
    runs: list[list[int]] = []
    for n in sorted(set(numbers)):
        if runs and runs[-1][-1] == n - 1:
            runs[-1].append(n)
        else:
            runs.append([n])
    return ", ".join(f"{r[0]}..{r[-1]}" if len(r) > 2 else ", ".join(map(str, r)) for r in runs)


def _head(game: Game, policy: Policy, listed: int) -> str:
    whose = f" of {people(policy.who)}" if policy.who and game.players > 1 else ""
    head = f"{policy.aim} play{whose}"
    if policy.steps is not None:
        return f"{head}, first move of {policy.steps} step{'' if policy.steps == 1 else 's'}:"
    if policy.total is None:
        return f"{head} (the {listed} positions met most often where one move is surely the best):"
    if policy.total > listed:
        return f"{head} (the {listed} positions met most often, of {policy.total:,} where it matters):"
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
        told = [_told(x, v.type) for x in values]
        if len(set(told)) > 1:
            vary[v.name] = told
        elif v.name in policy.varying:
            same.append(f"{v.name} {told[0]}")
    return vary, same


def _told(found: Value, kind: Type) -> str:
    return named(found) if isinstance(kind, LayoutType) else shown(found, kind)
