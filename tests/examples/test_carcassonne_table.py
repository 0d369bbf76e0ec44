"""The Flying Machines: the table in the README of the example has every sentence, and names all that cites it."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import Rules, load

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
def rows() -> dict[str, tuple[set[str], set[str]]]:
    """For each place of the table its clauses (a remark is `remark`), and what asks or shows it."""
    found: dict[str, tuple[set[str], set[str]]] = {}
    for line in (FOLDER / "README.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("| fm#"):
            place, says, clause, asked = (c.strip() for c in line.strip().strip("|").split(" | "))
            assert says, line
            assert place not in found, place
            names = set(re.findall(r"`([^`]+)`", clause)) | ({"remark"} if "a remark" in clause else set())
            found[place] = names, set(re.findall(r"`([^`]+)`", asked))
    return found


def test_each_sentence_of_the_page_has_one_row() -> None:
    """The table has the sentences of all sections and no others."""
    assert set(rows()) == {f"fm#{name}-{n}" for name, most in SECTIONS.items() for n in range(1, most + 1)}


def test_each_row_names_all_that_cites_its_place() -> None:
    """Clauses and remarks in the third column, questions and scenarios in the fourth; nothing is cited that has no row."""
    doc = rules().document
    clauses: dict[str, set[str]] = {p: set() for p in rows()}
    asked: dict[str, set[str]] = {p: set() for p in rows()}
    for clause in doc.clauses().values():
        for p in clause.cite:
            if p.startswith("fm#"):
                clauses[p].add(clause.id)
    for remark in doc.remarks:
        for p in remark.cite:
            if p.startswith("fm#"):
                clauses[p].add("remark")
    cited = [(q.id, q.cite) for q in doc.questions.values()] + [(s.id, s.cite) for s in doc.scenarios.values()]
    for name, places in cited:
        for p in places:
            if p.startswith("fm#"):
                asked[p].add(name)
    assert {p: (clauses[p], asked[p]) for p in rows()} == rows()


def test_each_sentence_has_a_clause_or_a_remark() -> None:
    """A question or scenario alone does not stand for a sentence."""
    assert [p for p, (clauses, _) in rows().items() if not clauses] == []
