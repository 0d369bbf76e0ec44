"""Every code that a diagnostic may carry, each once, with the page that `tablelaw explain CODE` prints.

The letter says what the code is about: `Y` the file and its YAML, `S` the structure of the document (keys, forms),
`E` the grammar of formulas, `R` names and what they stand for, `T` types, `Q` questions, scenarios, options and
usage, `L` things that are allowed and look like mistakes.

Adding a code is one entry in the `pages_…` module of its letter: the code, a title, and the page (what it means, an
example, the cure).
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from tablelaw.spec.pages_asking import PAGES as ASKING
from tablelaw.spec.pages_names import PAGES as NAMES
from tablelaw.spec.pages_structure import PAGES as STRUCTURE
from tablelaw.spec.pages_yaml import PAGES as YAML


@dataclass(frozen=True, slots=True)
class Code:
    """A kind of finding: its code, what it is called, and its page."""

    code: str
    title: str
    page: str

    def __str__(self) -> str:
        """Write the page under its heading."""
        return f"{self.code}: {self.title}\n\n{self.page}"


CODES: dict[str, Code] = {}
"""All codes, in the order of the groups."""

for _code, _title, _page in (*YAML, *STRUCTURE, *NAMES, *ASKING):
    if _code in CODES:
        raise ValueError(f"the code {_code} is here twice")
    CODES[_code] = Code(_code, _title, textwrap.dedent(_page).strip())
