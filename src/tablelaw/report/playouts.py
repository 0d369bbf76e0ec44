"""What many plays at random tell, as a person reads it in 80 columns."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tablelaw.checkers.playouts import Figures, Tally
from tablelaw.report.text import wrap

MOST_NUMBERS = 24
ENDINGS = {
    "stuck": "stuck: nobody has a move and nothing ended the play",
    "cut": "cut at the limit of steps",
    "fault": "stopped by a fault of the rules",
}


def playouts_text(tally: Tally, spec: str) -> str:
    """The whole report."""
    if not tally.plays:
        return f"no play was finished: {tally.stopped}"
    rate = tally.plays / tally.seconds if tally.seconds else float("inf")
    many = f"{tally.plays:,} play{'s' if tally.plays != 1 else ''} at random (seed {tally.seed})"
    lines = [f"{many}: {rate:,.1f} a second"]
    if tally.stopped:
        lines.append(wrap(f"stopped early: {tally.stopped}", "  ", "  "))
    lines += ["", *_lengths(tally), *_endings(tally, spec), *_winners(tally), *_numbers(tally), *_clauses(tally)]
    return "\n".join(line.rstrip() for line in lines)


def _lengths(tally: Tally) -> list[str]:
    rows = [("length", "min", "median", "max", "mean")]
    for name, figures in (("steps", tally.steps), ("moves of players", tally.moves)):
        rows.append((f"  {name}", *_four(figures)))
    return [*_table(rows), ""]


def _four(figures: Figures) -> tuple[str, str, str, str]:
    found = figures.json()
    middle = Fraction(str(found["median"]))
    return (
        f"{found['min']:,}",
        f"{float(middle):,.1f}" if middle.denominator > 1 else f"{int(middle):,}",
        f"{found['max']:,}",
        f"{float(Fraction(str(found['mean']))):,.2f}",
    )


def _endings(tally: Tally, spec: str) -> list[str]:
    lines = ["how they ended"]
    for clause, n in tally.ends.most_common():
        lines.append(f"  {n:>7,}  {clause}")
    for ending, says in ENDINGS.items():
        if tally.endings[ending]:
            lines.append(f"  {tally.endings[ending]:>7,}  {says} (first: play {tally.first[ending]})")
    for fault, n in tally.faults.most_common(3):
        lines.append(wrap(f"{n:,} times: {fault}", "           ", "           "))
    shown = next((tally.first[e] for e in ("fault", "stuck", "cut") if e in tally.first), None)
    if shown is not None:
        again = f"--show {shown}" if tally.seed == 0 else f"--seed {tally.seed} --show {shown}"
        lines.append(f"  see it: tablelaw playouts {spec} {again}")
    return [*lines, ""]


def _winners(tally: Tally) -> list[str]:
    if not tally.decided or (not tally.wins and tally.nobody == tally.decided):
        return []
    lines = ["who won (95 % intervals)"]
    for p in tally.seats():
        share, low, high = tally.share(p)
        lines.append(f"  player {p}  {tally.wins[p]:>7,}  {share:7.2%}  {low:7.2%} to {high:.2%}")
    for n, says in ((tally.shared, "shared by several, counted for each"), (tally.nobody, "nobody won")):
        if n:
            lines.append(f"  {n:>7,} {says}")
    return [*lines, ""]


def _numbers(tally: Tally) -> list[str]:
    if not tally.numbers:
        return []
    rows = [("numbers at the end", "min", "median", "max", "mean")]
    for name, figures in list(tally.numbers.items())[:MOST_NUMBERS]:
        rows.append((f"  {name}", *_four(figures)))
    more = len(tally.numbers) - MOST_NUMBERS
    return [*_table(rows), *([f"  and {more:,} more (`--json` has them)"] if more > 0 else []), ""]


def _clauses(tally: Tally) -> list[str]:
    rows = [("what happened", "steps", "plays")]
    rows += [(f"  {name}", f"{s:,}", f"{p:,}") for name, (s, p) in tally.actions.items()]
    if tally.effects:
        rows.append(("clauses that took effect", "", ""))
        rows += [(f"  {name}", f"{s:,}", f"{p:,}") for name, (s, p) in tally.effects.items()]
    lines = _table(rows)
    if tally.counted_checks and tally.refused:
        lines += [
            "",
            *_table([("checks, first to refuse", "moves"), *((f"  {c}", f"{n:,}") for c, n in tally.refused.items())]),
        ]
    idle = tally.idle()
    if idle:
        lines += ["", wrap(f"decided nothing in any play: {', '.join(idle)}", "  ", "")]
    return lines


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    """Rows with their first column to the left, the others to the right; long names keep a line of their own width."""
    first = min(44, max(len(r[0]) for r in rows))
    widths = [max(len(r[i]) for r in rows if len(r) > i) for i in range(1, max(map(len, rows)))]
    lines = []
    for row in rows:
        name = row[0] if len(row[0]) <= first else row[0][: first - 1] + "…"
        lines.append(name.ljust(first) + "".join("  " + c.rjust(w) for c, w in zip(row[1:], widths, strict=False)))
    return lines
