"""The table of a README that has every sentence of a rulebook: what it says of each, and what the rules file cites."""

from __future__ import annotations

import re
from pathlib import Path

from tablelaw.spec.document import Document

Rows = dict[str, tuple[set[str], set[str]]]
"""For each place its clauses (a remark is `remark`), and the questions and scenarios that ask or show it."""


def tabled(readme: Path, source: str) -> Rows:
    """The rows whose place is of that source: `| source#place | says | clauses | asked by |`."""
    found: Rows = {}
    for line in readme.read_text(encoding="utf-8").splitlines():
        if line.startswith(f"| {source}#"):
            place, says, clause, asked = (c.strip() for c in line.strip().strip("|").split(" | "))
            assert says, line
            assert place not in found, place
            names = set(re.findall(r"`([^`]+)`", clause)) | ({"remark"} if "a remark" in clause else set())
            found[place] = names, set(re.findall(r"`([^`]+)`", asked))
    return found


def cited(doc: Document, source: str) -> Rows:
    """The same of the rules file: all that cites a place of that source."""
    found: Rows = {}
    clauses = [(c.id, c.cite) for c in doc.clauses().values()] + [("remark", r.cite) for r in doc.remarks]
    asked = [(q.id, q.cite) for q in doc.questions.values()] + [(s.id, s.cite) for s in doc.scenarios.values()]
    for column, citing in enumerate((clauses, asked)):
        for name, places in citing:
            for p in places:
                if p.startswith(f"{source}#"):
                    found.setdefault(p, (set(), set()))[column].add(name)
    return found
