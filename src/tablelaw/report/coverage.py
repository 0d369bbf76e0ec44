"""What a set of fixtures shows, section by section of the rulebook, and how good it is, in words."""

from __future__ import annotations

from tablelaw.checkers.fixture_set import FixtureSet
from tablelaw.checkers.goals import Goal
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
    if search.faulty:
        whole += f"; in {search.faulty:,} of them the rules have no value"
    lines += ["", wrap(f"looked at breadth-first: {search.positions:,} positions ({whole}); then plays at random", "")]
    lines += _listed(f"cannot come up{' ' * bool(told.scope)}{told.scope}, proved:", _how(told.proved))
    lines += _listed(f"cannot come up {told.first}, proved; otherwise it is not known:", _how(told.partly))
    there = {g: f"; there is {told.reachable[g]}" for g in told.reachable}
    lines += _listed("not shown:", [g.says + there.get(g, "") for g in told.open])
    of = f" ({told.scope})" if told.scope else ""
    lines += _listed(f"options whose values never part{of}, proved:", told.same)
    lines += _listed("options whose values were not seen to part:", told.unparted)
    lines += _listed("clauses of no setting that was looked at:", [f"`{c}`" for c in told.left])
    return "\n".join(lines).strip("\n")


def _how(proved: dict[Goal, str]) -> list[str]:
    return [f"{g.says}: {how}" for g, how in proved.items()]


def _listed(head: str, rows: list[str]) -> list[str]:
    return ["", wrap(head, ""), *(wrap(r, "    ", "  ") for r in rows)] if rows else []


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
