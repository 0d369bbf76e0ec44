"""What a set of fixtures shows, section by section of the rulebook, and how good it is, in words."""

from __future__ import annotations

from tablelaw.checkers.fixture_set import FixtureSet
from tablelaw.checkers.mutation import Score
from tablelaw.checkers.uncovered import Uncovered, by_section
from tablelaw.report.text import wrap


def summary(found: FixtureSet, where: str) -> str:
    """One line on what was written."""
    shown = {g for f in found.fixtures for g in f.goals}
    settings = len({(tuple(f.game.setting.items()), f.game.players) for f in found.fixtures})
    longest = max((f.length for f in found.fixtures), default=0)
    under = f"{settings} setting{'' if settings == 1 else 's'} of options and players"
    return f"{len(found.fixtures)} fixtures under {under}, plays of at most {longest} steps, show {len(shown)} things{where}"


def coverage(found: FixtureSet, told: Uncovered) -> str:
    """Coverage by section, then what is not shown."""
    rows = by_section(found, told)
    lines: list[str] = []
    if rows:
        wide = max(len("section"), *(len(r[0]) for r in rows))
        lines += [f"{'section'.ljust(wide)}  shown  not shown  cannot come up"]
        lines += [f"{place.ljust(wide)}  {a:5}  {b:9}  {c:14}" for place, a, b, c in rows]
    search = found.base.search
    whole = "all there are" if search.complete else f"plays of up to {search.depth} steps"
    lines += ["", wrap(f"looked at breadth-first: {search.positions:,} positions ({whole}); then plays at random", "")]
    if told.proved:
        lines += ["", "cannot come up, proved:"]
        lines += [wrap(f"{g.says}: {how}", "    ", "  ") for g, how in told.proved.items()]
    if told.open:
        lines += ["", "not shown:"]
        for g in told.open:
            more = f"; an engine found {told.reachable[g]}" if g in told.reachable else ""
            lines += [wrap(g.says + more, "    ", "  ")]
    if found.same:
        lines += ["", "options whose values never part, proved:"]
        lines += [wrap(f"{name}: {how}", "    ", "  ") for name, how in found.same.items()]
    if found.unparted:
        lines += ["", "options whose values were not seen to part:"]
        lines += [wrap(name, "    ", "  ") for name in found.unparted]
    return "\n".join(lines).strip("\n")


def score_text(told: Score) -> str:
    """The mutation score and its survivors."""
    left = told.mutants - told.equivalent
    lines = [
        f"{told.mutants} mutants: one clause taken out, or its condition turned round",
        f"  {told.equivalent} are the same game, proved; of the {left} others",
        f"  {_share(told.noticed, left)} are noticed by {told.fixtures} fixtures",
        f"  {_share(told.by_random, left)} by as many positions of plays at random",
    ]
    heads = {"gap": "not noticed, a gap:", "open": "not noticed, not decided:", "equivalent": "the same game:"}
    for verdict, says in heads.items():
        rows = [s for s in told.survivors if s.verdict == verdict]
        if rows:
            lines += ["", says]
            for s in rows:
                under = f" (with {', '.join(s.options)})" if s.options else ""
                lines.append(wrap(f"{s.mutant.says}{under}: {s.how}", "    ", "  "))
    return "\n".join(lines)


def _share(part: int, whole: int) -> str:
    return f"{part} ({100 * part / whole:.1f} %)" if whole else str(part)
