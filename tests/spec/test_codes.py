"""The register of codes and the places that use them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import tablelaw.spec
from tablelaw.spec.codes import CODES

FOLDER = Path(tablelaw.spec.__file__).parent
EMITTED = {
    code
    for file in FOLDER.glob("*.py")
    if not file.name.startswith("pages_")
    for code in re.findall(r'"([A-Z][0-9]{3})"', file.read_text(encoding="utf-8"))
}


def test_every_code_that_is_emitted_has_a_page() -> None:
    """A finding can always be explained."""
    assert sorted(EMITTED - set(CODES)) == []


def test_every_page_is_of_a_code_that_is_emitted() -> None:
    """Codes that nothing emits any more go away with it; those of lint and of `recheck` are emitted above the solver."""
    assert sorted(code for code in set(CODES) - EMITTED if not code.startswith(("L", "Q12"))) == []


@pytest.mark.parametrize("code", sorted(CODES))
def test_a_page_explains_and_shows(code: str) -> None:
    """A page says in a sentence what is wrong, and nothing in it is wider than a terminal's common width."""
    page = CODES[code].page
    assert page[0].isupper() or page[0] == "`"
    assert "." in page
    assert max(map(len, page.split("\n"))) <= 110
    assert CODES[code].title[0].islower() or CODES[code].title[0] == "`"
    assert not CODES[code].title.endswith(".")
