"""The page docs/benchmarks.md from the figures in results.json. It imports no engine and no peer."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import median
from textwrap import fill
from typing import Any

Row = dict[str, Any]
FINEST = 0.02
"""Seconds of a peer's process below which a ratio of searches says nothing: starting it is most of that."""

HEAD = """# Benchmarks

This page is written by `make bench`; change `benchmarks/page.py`, not the page. All figures are medians of {repeats}
runs, made in turns within one run of that command. Seconds are processor seconds, which other work on the machine
disturbs least, unless a clock is named. Ratios carry over to other machines better than seconds do.
Odds beside the model checker Storm have [their own page](benchmarks-chance.md), and so has
[compiled search](benchmarks-search.md), which is what games of more than 20,000 states are searched with.

{machine}.
"""

SEARCH = """
## Exhaustive search

Each game from its first position to all that can be reached, on one core, by generated Python, looking on the way for
positions where somebody should move and cannot. The Spin models are written by hand (`benchmarks/*.pml`), compiled with
`{flags}`. Both programs must count the same states in each run, or there is no page. A step is a move with one outcome of its
draw. Depth-first, Spin has the choices inside a move taken one after the other and stores none of the positions in between;
breadth-first it stores them, and meets fewer steps. The states given are those between moves. Spin's search is timed by its
own clock, on the wall and in hundredths; `pan` is its whole process, with the memory it sets up. Rates and ratios are by `pan`.
"""

WHOLE = """
The whole way: for tablelaw starting Python, reading the rules, making the code and searching; for Spin making the
verifier, compiling and running it.
"""

PROOFS = """
## Proofs beside hand-written z3

The dice game with {players} players under its default options. The models in `benchmarks/z3_dice.py` have its rules but
for the table, of which they keep two numbers: how many dice lie, and how large the largest closed city is. tablelaw is
given whole layouts and leaves the board open by itself. By hand there is a count for each face, and unbounded integers.
*Induction*: one step, with the invariants it needs thought out by hand for each question. *Spacer*: the same model with
no hint. *Search*: depth by depth for a play to nine catapults. tablelaw is given the rules file alone, with a fresh
engine for each question: it makes z3's formulas, looks for a short play, and finds the invariants it needs among what
the questions of the file claim. What reading the file takes is in the table above. Seconds; in brackets how many times
as long tablelaw took. *none*: no answer within {limit:g} seconds by the clock, asked once.
"""

BOARDS = """
## Layouts

All features of {layouts:,} random layouts of nine dice, told three ways (`benchmarks/layouts.py`): as networkx graphs,
which is the reference; as formulas read them; and in packed numbers, from laying the pieces to taking them up.
"""

CITIES = """
Closed cities of n dice, each made once by the packed kernel, and counted up to turning as well;
`benchmarks/closed_cities.c` goes another way and lists all sets of squares, for n and all smaller numbers. Both must
count the same.
"""

LINES = """
Lines of n Line Dice, open and closed by the last die: the questions `lines-n` and `loops-n` of the example, from reading
the rules on, beside a backtracking program of the same rules in plain C (`benchmarks/lines.c`, for n and all smaller
numbers, which cost next to nothing beside n). Both must count the same. The search keeps the positions it has met; the
program keeps none.
"""

ALL = """
Is there such a layout of n pieces, among all connected ones (`benchmarks/z3_layouts.py`)? z3 beside laying one after the
other, for some questions only those that are one closed feature. *none*: no answer within {limit:g} seconds by the
clock, asked once. `auto` asks both.
"""

FORCED = """
## Forced wins

Can the first player win whatever the second does? From the rules file to the verdict, a process for each question
(`benchmarks/forced.py`): small games are listed whole and judged backwards, larger ones searched depth-first, with what
decided elsewhere tried first and boards counted as one that the rules do not tell apart. Every play that shows an answer
is replayed. Positions are those that were looked at. Beside it table 2 of He, Saffidine and Thielscher (Solving Two-player
Games with QBF Solvers in General Game Playing, AAMAS 2024): their verdicts, and where it is known to us how long their best
solver took, on their machine, for rules that were given to it as formulas by hand. Where the verdicts differ there is no page.
"""

QUESTIONS = """
## Every question of the dice game that z3 is given

Seconds for each with a fresh engine. *proved* is a proof for any number of steps; *play* an answer shown by a play, which
the evaluator has replayed. Questions answered by search alone are not here. Finding the clauses that an answer rests on
comes on top and is not measured here. *none*: no answer within {limit:g} seconds by the clock, asked once; there `auto`
goes on with search.
"""

WHY = """
Why:

- The search here runs as generated Python on whole numbers, and keeps for each state the one it was first met from, so that
  every answer comes with a shortest play. Spin runs compiled C, and depth-first keeps no such links. The same generator
  writes C too, once a search without boards has met 20,000 states: [compiled search](benchmarks-search.md).
- A roll of nine dice has 2,002 outcomes. The search makes each as a step of its own. Spin breadth-first stores the
  positions while the dice are being chosen, shares them between outcomes, and so meets far fewer steps: that is a better
  method, not only a faster language.
- One induction step with the right invariant in hand is the least that any proof costs. tablelaw makes such steps too,
  but first has to find out which invariants hold. A person spends minutes on that instead, and again after each change of
  the rules.
- Boards are searched as the values that formulas speak of, in Python. A C program that lays dice on an array of characters and
  takes them up again does in milliseconds what this takes seconds for. It answers one question about one set of rules.
- tablelaw's formulas are made from the rules, clause by clause, with a check that no range is left. A model by hand
  leaves out what its author knows not to matter.
"""


def write(results: Row) -> str:
    """The whole page."""
    parts = [HEAD.format(repeats=results["repeats"], machine=machine_line(results))]
    parts += [f"\n{line}.\n" for line in results["skipped"]]
    parts += [SEARCH.format(flags="gcc -O2 -DSAFETY -DNOFAIR -DNOREDUCE"), "\n", _searches(results)]
    parts += [WHOLE, "\n", _whole(results)]
    counts = sorted({r["players"] for r in results["z3"]})
    parts += [
        PROOFS.format(limit=results["limit"], players=_listed([str(n) for n in counts], "and")),
        "\n",
        _peers(results, counts),
    ]
    shown = [n for n in (2, 5) if n in counts]
    if any(r["question"] not in ("", *(x["question"] for x in results["z3"])) for r in results["proofs"]):
        parts += [QUESTIONS.format(limit=results["limit"]), "\n", _questions(results, shown), _together(results, shown)]
    parts += [*_boards(results), *_forced(results)]
    parts += ["\n## Where tablelaw loses, and where it does not\n\n", _losses(results, counts), WHY]
    return "".join(parts)


def middle(row: Row, key: str) -> float:
    """The median of a row's seconds."""
    return float(median(row["seconds"][key]))


def seconds(s: float) -> str:
    """Seconds with as many digits as mean something."""
    if s < 0.001:
        return "<0.001"
    return f"{s:.3f}" if s < 1 else f"{s:.2f}" if s < 10 else f"{s:.1f}"


def times(ratio: float) -> str:
    """A ratio, to two digits."""
    return f"{ratio:.2f}" if ratio < 1 else f"{ratio:.1f}" if ratio < 10 else f"{ratio:.0f}"


def table(head: list[str], rows: Iterable[list[str]]) -> str:
    """A table whose first column is text and whose others are figures."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *rows]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def filled(text: str) -> str:
    """A paragraph in lines."""
    return fill(text, 122, break_long_words=False, break_on_hyphens=False)


def _listed(words: list[str], last: str) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + f" {last} {words[-1]}"


def machine_line(results: Row, so: str = "limits by the clock came early") -> str:
    """Where and when it was measured."""
    m = results["machine"]
    versions = ", ".join(f"{name} {number}" for name, number in results["versions"].items())
    load = results["load"]
    told = f"; load average {load[0]} before and {load[-1]} after (1 is this run itself)" if load else ""
    where = f"{m['processor']}, {m['cores']} cores, {m['memory']}, {m['system']}"
    busy = load and min(load) > float(m["cores"]) + 1
    early = f". The machine was busy with other work throughout, so that {so}" if busy else ""
    return filled(f"Measured {results['date']} on {where}{told}. With {versions}{early}")


def _spin(results: Row, game: str, order: str) -> Row | None:
    return next((r for r in results["spin"] if r["game"] == game and r["order"] == order), None)


def _searches(results: Row) -> str:
    rows = []
    for r in results["explicit"]:
        spent = middle(r, "search")
        line = [
            r["title"],
            f"{r['states']:,}",
            f"{r['steps']:,}",
            seconds(spent),
            rate(r["states"], spent),
            rate(r["steps"], spent),
        ]
        for order in ("depth-first", "breadth-first"):
            peer = _spin(results, r["game"], order)
            line += ["–"] * 4 if peer is None else _searched(r, peer)
        rows.append(line)
    peers = [
        h for order in ("depth-first", "breadth-first") for h in (f"Spin {order}: search, s", "`pan`, s", "states/s", "ratio")
    ]
    text = table(["", "states", "steps", "tablelaw: search, s", "states/s", "steps/s", *peers], rows)
    for r in results["explicit"]:
        if r["expanded"] < r["states"]:
            told = f"{r['title']}: stopped there, with the successors of {r['expanded']:,} states made"
            text += "\n" + filled(f"{told}; the whole game is out of reach.") + "\n"
    steps = [
        (r, _spin(results, r["game"], "depth-first"), _spin(results, r["game"], "breadth-first")) for r in results["explicit"]
    ]
    counts = [f"{r['title']} {d['steps']:,} and {b['steps']:,}" for r, d, b in steps if d and b]
    if counts:
        text += "\n" + filled(f"Spin's transitions, depth-first and breadth-first: {'; '.join(counts)}.") + "\n"
    return text


def _searched(mine: Row, peer: Row) -> list[str]:
    s, run = middle(peer, "search"), middle(peer, "run")
    told = ["<0.01" if s < 0.01 else f"{s:.2f}", seconds(run)]
    return [*told, rate(peer["states"], run), times(middle(mine, "search") / run)] if run >= FINEST else [*told, "–", "–"]


def rate(count: int, spent: float) -> str:
    """So many a second, to two digits."""
    return f"{float(f'{count / spent:.2g}'):,.0f}" if spent else "–"


def _whole(results: Row) -> str:
    rows = []
    for r in results["explicit"]:
        peers = [_spin(results, r["game"], order) for order in ("depth-first", "breadth-first")]
        line = [r["title"], *[seconds(middle(r, k)) for k in ("whole", "read", "made", "search")]]
        for p in peers:
            line += ["–", "–", "–"] if p is None else [seconds(middle(p, "whole")), seconds(middle(p, "run")), _by(r, p)]
        rows.append(line)
    head = ["", "tablelaw", "reading", "making", "searching"]
    return table([*head, "Spin depth-first", "`pan`", "ratio", "Spin breadth-first", "`pan`", "ratio"], rows)


def _by(mine: Row, peer: Row) -> str:
    return times(middle(mine, "whole") / middle(peer, "whole"))


def _ours(results: Row, question: str, players: int) -> Row | None:
    return next((r for r in results["proofs"] if r["question"] == question and r["players"] == players), None)


def _theirs(results: Row, question: str, players: int, method: str) -> Row | None:
    keys = {"question": question, "players": players, "method": method}
    return next((r for r in results["z3"] if all(r[k] == v for k, v in keys.items())), None)


def _peers(results: Row, counts: list[int]) -> str:
    rows = []
    for question in dict.fromkeys(r["question"] for r in results["z3"]):
        for players in counts:
            mine = _ours(results, question, players)
            line = [f"`{question}`, {players} players", _told(mine)]
            for method in ("induction", "spacer", "bounded"):
                peer = _theirs(results, question, players, method)
                told = "" if peer is None else _told(peer)
                if peer and mine and "unknown" not in peer["verdict"] and mine["verdict"] != "unknown":
                    told += f" ({times(middle(mine, 'proof') / middle(peer, 'proof'))})"
                line.append(told)
            rows.append(line)
    return table(["", "tablelaw", "by hand: induction", "by hand: Spacer", "by hand: search"], rows)


def _told(row: Row | None) -> str:
    if row is None:
        return "–"
    if "unknown" in row["verdict"]:
        return "none"
    return seconds(middle(row, "proof"))


def _questions(results: Row, counts: list[int]) -> str:
    rows = []
    for question in dict.fromkeys(r["question"] for r in results["proofs"] if r["question"]):
        line = [f"`{question}`"]
        for players in counts:
            r = _ours(results, question, players)
            if r is None or "unknown" in r["verdict"]:
                line += ["", _told(r)]
                continue
            line += [f"{r['verdict']}, {'play' if r['play'] else r['known']}", _told(r)]
        rows.append(line)
    return table(["", *[h for n in counts for h in (f"{n} players", "s")]], rows)


def _together(results: Row, counts: list[int]) -> str:
    told = []
    for players in counts:
        r = _ours(results, "", players)
        if r is not None:
            alone = sum(
                middle(x, "proof")
                for x in results["proofs"]
                if x["players"] == players and x["question"] and x["known"] == "proved" and not x["play"]
            )
            together, apart = seconds(middle(r, "proof")), seconds(alone)
            told.append(f"with {players} players {r['verdict']} proofs take {together} s, and {apart} s one by one")
    return "\n" + filled(f"Asked of one engine, which keeps what it has proved, {'; '.join(told)}.") + "\n" if told else ""


def _boards(results: Row) -> list[str]:
    if not results.get("rates"):
        return []
    slow = middle(results["rates"][0], "told")
    count = results["rates"][0]["layouts"]
    rows = [[r["way"], rate(count, middle(r, "told")), times(slow / middle(r, "told"))] for r in results["rates"]]
    parts = [BOARDS.format(layouts=count), "\n", table(["", "layouts/s", "times the graphs"], rows)]
    for text, key, heads in (
        (CITIES, "cities", {"cities": "closed cities", "made": "turned ones apart"}),
        (LINES, "lines", {"lines": "open", "loops": "closed"}),
    ):
        rows = []
        for r in results[key]:
            mine = middle(r, "tablelaw")
            line = [str(r["dice"]), *(f"{r[c]:,}" for c in heads), seconds(mine)]
            rows.append([*line, *_beside(mine, middle(r, "C") if "C" in r["seconds"] else None)])
        parts += [text, "\n", table(["dice", *heads.values(), "tablelaw, s", "C, s", "ratio"], rows)]
    asked: dict[tuple[str, int], dict[str, Row]] = {}
    for r in results["all layouts"]:
        asked.setdefault((r["what"], r["n"]), {})[r["way"]] = r
    rows = []
    for (what, n), ways in asked.items():
        known = {r["verdict"] for r in ways.values()} - {"unknown"}
        told = [seconds(middle(r, "asked")) if r["verdict"] != "unknown" else "none" for r in ways.values()]
        rows.append([what, str(n), *(known or {"unknown"}), *told])
    return [*parts, ALL.format(limit=results["limit"]), "\n", table(["is there", "n", "answer", "z3, s", "laying, s"], rows)]


def _forced(results: Row) -> list[str]:
    if not results.get("forced"):
        return []
    rows = []
    for r in results["forced"]:
        mine, theirs = middle(r, "whole"), r["theirs"]
        answer = {"holds": "yes", "fails": "no"}.get(r["verdict"], r["verdict"])
        line = [r["title"], answer, r["published"] or "–", f"{r['positions']:,}", str(r["mebibytes"] or "–")]
        line += [seconds(middle(r, "asked")), seconds(mine)]
        rows.append([*line, *(["–", "–"] if theirs is None else [seconds(theirs), times(theirs / mine)])])
    head = ["the first player forces a win", "answer", "published", "positions", "MiB", "tablelaw, s", "whole process, s"]
    return [FORCED, "\n", table([*head, "published, s", "times as fast"], rows)]


def _beside(mine: float, other: float | None) -> list[str]:
    if other is None:
        return ["–", "–"]
    return [seconds(other), times(mine / other) if other >= FINEST else "–"]


def _losses(results: Row, counts: list[int]) -> str:
    lost: list[str] = []
    won: list[str] = []
    for r in results["explicit"]:
        for order in ("depth-first", "breadth-first"):
            peer = _spin(results, r["game"], order)
            if peer is None:
                continue
            s = middle(peer, "run")
            if s >= FINEST:
                _weigh(f"{r['title']}, search, Spin {order}", middle(r, "search") / s, lost, won)
            _weigh(f"{r['title']}, the whole way, Spin {order}", middle(r, "whole") / middle(peer, "whole"), lost, won)
    for question in dict.fromkeys(r["question"] for r in results["z3"]):
        for method, name in (("induction", "induction"), ("spacer", "Spacer"), ("bounded", "search")):
            ratios, beyond, unable = [], [], []
            what, limit = f"`{question}`, z3 by hand ({name})", f"within {results['limit']:g} s"
            for players in counts:
                mine, peer = _ours(results, question, players), _theirs(results, question, players, method)
                if mine is None or peer is None:
                    continue
                if "unknown" in peer["verdict"]:
                    beyond.append(str(players))
                elif mine["verdict"] == "unknown":
                    unable.append(str(players))
                else:
                    ratios.append(middle(mine, "proof") / middle(peer, "proof"))
            for worse in (True, False):
                some = [x for x in ratios if (x > 1) == worse]
                if some:
                    _weigh_range(what, some, lost if worse else won, worse)
            if beyond:
                won.append(f"- {what}: by hand not {limit} with {_listed(beyond, 'and')} players.\n")
            if unable:
                lost.append(f"- {what}: with {_listed(unable, 'and')} players tablelaw has no answer {limit}.\n")
    for key, what in (("cities", "closed cities of {} dice, C"), ("lines", "lines of {} dice, C")):
        for r in results.get(key, []):
            if "C" not in r["seconds"]:
                continue
            ours, theirs = middle(r, "tablelaw"), middle(r, "C")
            if theirs >= FINEST:
                _weigh(what.format(r["dice"]), ours / theirs, lost, won)
            elif ours > FINEST:
                lost.append(f"- {what.format(r['dice'])}: more than {times(ours / FINEST)} times as long.\n")
    text = "tablelaw takes longer:\n\n" + "".join(lost) if lost else "In no comparison did tablelaw take longer.\n"
    return text + ("\nIt takes less time:\n\n" + "".join(won) if won else "\nIn no comparison did it take less time.\n")


def _weigh(what: str, ratio: float, lost: list[str], won: list[str]) -> None:
    _weigh_range(what, [ratio], lost if ratio > 1 else won, ratio > 1)


def _weigh_range(what: str, ratios: list[float], into: list[str], worse: bool) -> None:
    factors = sorted(x if worse else 1 / x for x in ratios)
    low, high = times(factors[0]), times(factors[-1])
    told = low if low == high else f"{low} to {high}"
    into.append(f"- {what}: {told} times as {'long' if worse else 'fast'}.\n")
