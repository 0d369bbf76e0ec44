"""Whether a file looks like a rules file, told from its first lines; imports nothing of the package."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

LOOKED_AT = 1 << 18
"""So many bytes of a file are looked at."""
ENDINGS = (".yaml", ".yml")
_BEGINS = re.compile(rb"^(?:\xef\xbb\xbf)?([ ]{0,8})([\"']?)tablelaw\2[ ]*:[ ]*[0-9]", re.MULTILINE)
_NAMED = rb"^(?:\xef\xbb\xbf)?%b([\"']?)game\1[ ]*:[ ]*[^ \r\n]"


def looks_like_rules(path: Path, whole: bool = True) -> bool:
    """Does a file have the keys `tablelaw`, with a number, and `game`, both as far to the right?

    Without `game` it is a fragment, which others include; it is one too where not `whole`.
    """
    try:
        with path.open("rb") as file:
            head = file.read(LOOKED_AT)
    except OSError:
        return False
    begins = _BEGINS.search(head)
    return begins is not None and (not whole or re.search(_NAMED % begins[1], head, re.MULTILINE) is not None)


def rules_files(paths: list[Path], whole: bool = True) -> Iterator[Path]:
    """The rules files among these, and below those that are folders, in order; hidden folders are passed over."""
    for path in paths:
        below = sorted(p for end in ENDINGS for p in path.rglob(f"*{end}")) if path.is_dir() else [path]
        for found in below:
            hidden = any(part.startswith(".") for part in found.relative_to(path).parts) if path.is_dir() else False
            if not hidden and found.is_file() and looks_like_rules(found, whole):
                yield found
