"""The Flying Machines: the table in the README of the example has every sentence, and names all that cites it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import Rules, load
from tablelaw.testing.sentences import Rows, cited, tabled

FOLDER = Path(__file__).resolve().parent.parent.parent / "examples" / "carcassonne"
SECTIONS = {
    "info": 4, "contents": 3, "preparation": 2, "tile": 1, "follower": 8, "landing": 4, "crash": 2, "scoring": 1,
    "final-scoring": 1, "crop-circles": 2, "note": 12,
}  # fmt: skip
"""How many sentences each section of the page has, counted as the README says."""


@cache
def rules() -> Rules:
    """The expansion."""
    sink = Diagnostics()
    found = load(str(FOLDER / "flying_machines.yaml"), sink)
    assert found is not None, [d.message for d in sink]
    return found


@cache
def rows() -> Rows:
    """What the README says of each sentence."""
    return tabled(FOLDER / "README.md", "fm")


def test_each_sentence_of_the_page_has_one_row() -> None:
    """The table has the sentences of all sections and no others."""
    assert set(rows()) == {f"fm#{name}-{n}" for name, most in SECTIONS.items() for n in range(1, most + 1)}


def test_each_row_names_all_that_cites_its_place() -> None:
    """Clauses and remarks in the third column, questions and scenarios in the fourth; nothing is cited that has no row."""
    assert cited(rules().document, "fm") == {p: row for p, row in rows().items() if any(row)}


def test_each_sentence_has_a_clause_or_a_remark() -> None:
    """A question or scenario alone does not stand for a sentence."""
    assert [p for p, (clauses, _) in rows().items() if not clauses] == []
