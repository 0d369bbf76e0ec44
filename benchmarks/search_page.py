"""The page docs/benchmarks-search.md from the figures of search.py."""

from __future__ import annotations

from statistics import median
from typing import Any

import tables

Row = dict[str, Any]
ORDERS = ("depth-first", "breadth-first")
MILLION = 1_000_000
BUSY = "seconds by the clock are long, and several processors gain little"
HEAD = """# Benchmarks: compiled search

This page is written by `make bench` (`benchmarks/search.py`); change `benchmarks/search_page.py`, not the page. All figures
are medians of {repeats} runs (of three for TLC), made in turns within one run of that command. tablelaw reads the rules file of
an example; Spin and TLC read models written by hand. All programs must count the same states in each run; what does not is
told and left out. Other comparisons: [overview](benchmarks.md).

{machine}.
"""

MODELS = """
## What is searched

Each game from its first position to all that can be reached, with a look for positions where somebody should move and
cannot; nothing happens after a win. tablelaw keeps full states and for each the one it was first met from, so that any
answer comes with a shortest play; Spin keeps full states too. TLC keeps 64 bits of a hash of each.

- *Tic-tac-toe* (`benchmarks/models/tic_tac_toe.pml`): here to show what each program takes before it begins. Of fewer
  than 20,000 states tablelaw's search is generated Python; nothing is compiled.
- *Sliding puzzle* (`benchmarks/models/sliding_puzzle.pml`): the tiles in nine bytes, four guarded ways for the gap to go.
- *Hanoi* (`benchmarks/models/hanoi.pml`): the discs of each peg as bits of a number. A byte for each disc, as the rules
  have it, takes Spin half as long again breadth-first, and a little longer depth-first. The moves stand in the order that
  leads depth-first least deep, of a dozen tried, which takes a third off its time.
- *Connect-4* (`benchmarks/models/connect.pml`): two numbers of 25 bits, lines found with shifts. The rules have a map of
  squares.

Each move is one `d_step`; no variable stands in a state that the rules do not have, but `won` in the last, which spares Spin
looking for lines before each move. The verifiers are compiled with `gcc -O2 -DSAFETY -DNOFAIR -DNOREDUCE -DSPACE`, and with
`-DBFS` for breadth-first; `-DSFH`, `-DNOCOMP` and `-DNOBOUNDCHECK` were tried and gained nothing that stands out from run to
run, and without `-DSPACE` more memory is taken and no less time. The hash table has the size (`-w`) that was as quick as any,
and the stack (`-m`) is about as deep as the search goes: {arguments}.
"""

SEARCH = """
## Search on one processor

Seconds by each program's own clock, on the wall, from the first state to the last (Spin's ticks in hundredths); both are held
to the same one processor. *× Spin*: so many times as fast as Spin. Reading the rules and compiling are in the next table.
"""

COLD = """
## From rules to answer

The whole command by the clock: `tablelaw check … --question states --no-plays`, started anew, beside `spin -a`, `gcc` and the
verifier. *Cold*: nothing is kept of the game, and what tablelaw generates is compiled; of itself it has Python's bytecode, as
whatever is installed. *Compiled before*: what was compiled is kept, the answer is not (`--no-cache`). *Answered before*: the
answer is kept too. All may use all processors; in brackets the processor seconds. *of Spin*: the cold command's seconds as a
part of Spin's.
"""

MEMORY = """
## Memory

The most that the process held, in MiB (resident): a process that reads the rules and searches, and of that what Python
with tablelaw held before the search began; the whole command, which the compiler may push up; Spin's verifier, with its
hash table and depth-first its stack. Nothing is subtracted; what is below 20 MiB or so is not told, since the process
that starts the others holds that. *of Spin*: the searching process as a part of Spin breadth-first.
"""

TARGETS = """
## What was asked for

On models of a million states and more, whatever the machine: search at least 2.5 times as fast as Spin depth-first and 4
times as fast as breadth-first, on one processor; the cold command at most half of Spin's time; memory at most 0.8 of Spin
breadth-first; two processors at least 1.4 times one. The smaller games are told beside.
"""


def write(results: Row) -> str:
    """The whole page."""
    told = [r for r in results["search"] if r["program"].startswith("Spin ")]
    arguments = "; ".join(f"{r['game']} {r['program'].removeprefix('Spin ')} `{r['arguments']}`" for r in told)
    parts = [HEAD.format(repeats=results["repeats"], machine=tables.machine_line(results, BUSY))]
    parts += tables.told(results)
    parts += [MODELS.format(arguments=arguments or "Spin was not there"), SEARCH, "\n", _searches(results)]
    parts += [COLD, "\n", _cold(results), MEMORY, "\n", _memory(results), TARGETS, "\n", target_table(results)]
    return "".join(parts)


def _games(results: Row) -> list[Row]:
    return [r for r in results["search"] if r["program"] == "tablelaw"]


def _of(results: Row, game: str, program: str) -> Row | None:
    return next((r for r in results["search"] if (r["game"], r["program"]) == (game, program)), None)


def _time(results: Row, game: str, program: str, key: str) -> float | None:
    row = _of(results, game, program)
    return None if row is None or key not in row["seconds"] else tables.middle(row, key)


def _ratio(above: float | None, below: float | None) -> float | None:
    return above / below if above and below else None


def ratio(results: Row, game: str, program: str, key: str, ours: str) -> float | None:
    """How many times as fast as a program a row of tablelaw is."""
    return _ratio(_time(results, game, program, key), _time(results, game, ours, key))


def _told(s: float | None, more: float | None = None) -> str:
    return "–" if s is None else tables.seconds(s) + ("" if more is None else f" ({tables.seconds(more)})")


def _times(ratio: float | None) -> str:
    return "–" if ratio is None else tables.times(ratio)


def _searches(results: Row) -> str:
    rows, processor = list[list[str]](), list[str]()
    for r in _games(results):
        game, mine = r["game"], tables.middle(r, "search")
        line: list[str] = [
            r["title"],
            f"{r['states']:,}",
            f"{r['steps']:,}",
            tables.seconds(mine),
            tables.rate(r["states"], mine),
        ]
        for order in ORDERS:
            other = _time(results, game, f"Spin {order}", "search")
            line += [_told(other), _times(_ratio(other, mine))]
        both = _time(results, game, "tablelaw, all processors", "search")
        rows.append([*line, _told(both), _times(_ratio(mine, both))])
        spent = [_ratio(_time(results, game, f"Spin {o}", "processor"), tables.middle(r, "processor")) for o in ORDERS]
        if all(spent):
            processor.append(f"{r['title']} {_times(spent[0])} and {_times(spent[1])}")
    head = ["", "states", "steps", "tablelaw, s", "states/s"]
    head += [h for order in ORDERS for h in (f"Spin {order}, s", "× Spin")]
    text = tables.table([*head, "tablelaw, all processors, s", "× one"], rows)
    if processor:
        sentence = "By processor seconds (Spin's with starting and ending its process), so many times as fast as Spin "
        text += "\n" + tables.filled(f"{sentence}depth-first and breadth-first: {'; '.join(processor)}.") + "\n"
    return text


def _cold(results: Row) -> str:
    rows = []
    for r in _games(results):

        def whole(program: str, game: str = r["game"]) -> tuple[float | None, float | None]:
            return _time(results, game, program, "cold"), _time(results, game, program, "cold processor")

        cold = whole("command, cold")
        ways = ("cold", "compiled before", "answered before")
        line: list[str] = [r["title"], *(_told(*whole(f"command, {w}")) for w in ways)]
        for order in ORDERS:
            other = whole(f"Spin {order}")
            line += [_told(*other), _times(_ratio(cold[0], other[0]))]
        rows.append([*line, _told(*whole("TLC"))])
    head = ["", "tablelaw cold, s", "compiled before", "answered before"]
    head += [h for order in ORDERS for h in (f"Spin {order}, s", "of Spin")]
    return tables.table([*head, "TLC, one worker, s"], rows)


def _held(row: Row | None, key: str = "mebibytes") -> float | None:
    return None if row is None else float(median(row[key]))


def _memory(results: Row) -> str:
    rows = []
    for r in _games(results):
        mine, other = _held(r), _held(_of(results, r["game"], "Spin breadth-first"))
        figures = [mine, _held(r, "floor"), _held(_of(results, r["game"], "command, cold"))]
        figures += [_held(_of(results, r["game"], "Spin depth-first")), other]
        told = ["–" if x is None else f"{x:.0f}" for x in figures]
        tlc = _held(_of(results, r["game"], "TLC"))
        rows.append([r["title"], *told, _times(_ratio(mine, other)), "–" if tlc is None else f"{tlc:.0f}"])
    head = ["", "tablelaw, searching", "before", "whole command", "Spin depth-first", "Spin breadth-first", "of Spin", "TLC"]
    return tables.table(head, rows)


def targets(results: Row, game: str) -> list[tuple[str, float | None, bool, float]]:
    """What was asked for of a game: its name, what was measured, whether more is better, and the bound."""
    mine = _time(results, game, "tablelaw", "search")
    cold = _time(results, game, "command, cold", "cold")
    found: list[tuple[str, float | None, bool, float]] = []
    for order, bound in zip(ORDERS, (2.5, 4.0), strict=True):
        ratio = _ratio(_time(results, game, f"Spin {order}", "search"), mine)
        found.append((f"search, times Spin {order}", ratio, True, bound))
    for order in ORDERS:
        ratio = _ratio(cold, _time(results, game, f"Spin {order}", "cold"))
        found.append((f"cold, of Spin {order}", ratio, False, 0.5))
    held = _held(_of(results, game, "tablelaw")), _held(_of(results, game, "Spin breadth-first"))
    found.append(("memory, of Spin breadth-first", _ratio(*held), False, 0.8))
    both = _ratio(mine, _time(results, game, "tablelaw, all processors", "search"))
    return [*found, ("two processors, times one", both, True, 1.4)]


def target_table(results: Row) -> str:
    """What was asked for beside what was measured."""
    games = sorted(_games(results), key=lambda r: r["states"] < MILLION)
    columns = [targets(results, r["game"]) for r in games]
    rows = []
    for line in zip(*columns, strict=True):
        what, _, more, bound = line[0]
        marks = []
        for _, found, _, _ in line:
            short = found is not None and (found < bound if more else found > bound)
            marks.append(_times(found) + (" (short)" if short else ""))
        rows.append([what, f"{'at least' if more else 'at most'} {bound:g}", *marks])
    return tables.table(["", "asked for", *(r["title"] for r in games)], rows)
