"""Line Dice: the table in its README, and its counts against a program in C that shares nothing with this one."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from tablelaw.solver import evaluate
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.load import Rules, load
from tablelaw.spec.settings import Setting
from tablelaw.spec.values import Map
from tablelaw.testing.sentences import Rows, cited, tabled

ROOT = Path(__file__).resolve().parent.parent.parent
FOLDER = ROOT / "examples" / "line-dice"
SECTIONS = {
    "intro": 4, "start": 7, "faces": 10, "starter": 1, "first-move": 3, "arrows": 4, "direction": 13, "example-1": 8,
    "example-2": 8, "true-lines": 3, "last": 1, "sabotage": 2, "closing": 3, "trick": 5, "strategies": 5,
}  # fmt: skip
"""How many sentences each section of the rulebook has, counted as the README says."""
PLAYERS = range(2, 7)


@cache
def rules() -> Rules:
    sink = Diagnostics()
    found = load(str(FOLDER / "rules.yaml"), sink)
    assert found is not None, [d.message for d in sink]
    return found


@cache
def rows() -> Rows:
    """What the README says of each sentence."""
    return tabled(FOLDER / "README.md", "ld")


def test_each_sentence_of_the_rulebook_has_one_row() -> None:
    """The table has the sentences of all sections, and the shares by the number of players."""
    due = {f"ld#{name}-{n}" for name, most in SECTIONS.items() for n in range(1, most + 1)}
    assert set(rows()) == due | {f"ld#hands-{n}" for n in PLAYERS}


def test_each_row_names_all_that_cites_its_place() -> None:
    """Clauses and remarks in the third column, questions and scenarios in the fourth; nothing is cited that has no row."""
    assert cited(rules().document, "ld") == {p: row for p, row in rows().items() if any(row)}


def test_each_sentence_is_cited() -> None:
    """No sentence is left without a clause, remark, question or scenario."""
    assert [p for p, (clauses, asked) in rows().items() if not clauses and not asked] == []


# counts


@cache
def peer(*flags: str) -> dict[int, tuple[int, int]]:
    """Open and closed lines by their dice, as the C program counts them."""
    cc = shutil.which("cc") or shutil.which("gcc")
    if cc is None:
        pytest.skip("there is no C compiler here")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "lines"
        subprocess.run([cc, "-O2", "-o", str(program), str(ROOT / "benchmarks" / "lines.c")], check=True)
        out = subprocess.run([str(program), "8", *flags], check=True, capture_output=True, text=True).stdout
    return {n: (a, b) for n, a, b in (map(int, line.split()) for line in out.splitlines())}


def game(setting: Setting) -> Game:
    sink = Diagnostics()
    found = rules().game(setting, 2, sink)
    assert found is not None, [d.message for d in sink]
    return found


def counted(dice: int, setting: Setting) -> dict[int, tuple[int, int]]:
    """The same by the reference evaluator."""
    lines = game({"supply": "endless", "direction": "first-die", **setting})
    layer = [Map({**evaluate.starts(lines)[0], "phase": "moving", "arrow": "N"})]
    found: dict[int, tuple[int, int]] = {}
    for n in range(dice + 1):
        after = [
            evaluate.apply(lines, s, m).state for s in layer if not evaluate.end(lines, s) for m in evaluate.moves(lines, s)
        ]
        closed = Counter(s["closed_for"] is not None for s in after)
        layer = [s for s in after if s["closed_for"] is None]
        found[n] = closed[False], closed[True]
    del found[0]  # the first die, before its way out is chosen
    return found


@pytest.mark.parametrize("reading", ["symmetric", "as-printed"])
def test_the_evaluator_counts_the_lines_of_the_program_in_c(reading: str) -> None:
    """Lines up to four dice, open and closed, under both readings of true lines."""
    flags = ("--as-printed",) if reading == "as-printed" else ()
    ours = counted(4, {"true-lines": reading})
    assert ours == {n: peer(*flags)[n] for n in ours}


def test_the_file_expects_what_the_program_in_c_counts() -> None:
    """`lines-N` and `loops-N` up to eight dice."""
    text = (FOLDER / "rules.yaml").read_text(encoding="utf-8")
    for name, which in (("lines", 0), ("loops", 1)):
        told = re.search(rf"^  {name}-\{{n\}}:.*?expect: \{{(.*?)\}}$", text, re.S | re.M)
        assert told is not None
        expected = {int(n): int(v) for n, v in re.findall(r"(\d+): (\d+)", told[1])}
        assert expected == {n: counts[which] for n, counts in peer().items()}
