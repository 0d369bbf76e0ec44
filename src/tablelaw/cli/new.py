"""`tablelaw new`: a commented rules file to begin with."""

from __future__ import annotations

import argparse
import os
import re
import unicodedata
from importlib.resources import files
from pathlib import Path

from tablelaw.cli.common import complain
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.source import write_whole

OK = 0
LONGEST = 60
WORDS = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n"))
"""YAML reads these as something else than a text."""
_LETTERS = str.maketrans({"æ": "ae", "ø": "o", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})
_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")

README = """# {title}

The rules of this game, to be asked: [`rules.yaml`](rules.yaml). It begins as a small game of counters; change it into yours.

```
tablelaw check {name}            # answers the questions; --every-option under every reading
tablelaw lint {name}             # looks for rules that never matter
tablelaw show {name}             # says in words what was understood
tablelaw play {name}             # play it by hand
tablelaw why {name} --at '{{pile: 6}}' --move 'add(n=2)'
tablelaw format {name} --write   # writes the file in canonical form
```

`pytest {name}` asks the same questions as `tablelaw check`, as test items.
"""


def new(args: argparse.Namespace) -> int:
    """`tablelaw new`."""
    sink = Diagnostics()
    status = begin(args, sink)
    return complain(sink) if status is None else status


def begin(args: argparse.Namespace, sink: Diagnostics) -> int | None:
    """Write the folder; the exit status, None where something is in the way (the sink knows)."""
    name, where = str(args.name), Path(args.dir)
    if not fine(name):
        near = better(name)
        cure = f"did you mean `{near}`?" if near else "write small letters and digits with hyphens between, as `my-game`"
        sink.error("Q109", None, f"`{name[:LONGEST]}` is not a name for a game", help=cure)
        return None
    folder = where / name
    if folder.exists() or folder.is_symlink():
        cure = "choose another name, or another folder with `--dir`"
        sink.error("Q109", None, f"there is a `{folder}` already, and nothing in it is written over", help=cure)
        return None
    blocked = next((p for p in (where, *where.parents) if p.exists()), where)
    if blocked.exists() and not (blocked.is_dir() and os.access(blocked, os.W_OK)):
        why = f"`{blocked}` may not be written to" if blocked.is_dir() else f"`{blocked}` is no folder"
        sink.error("Q112", None, why, help="name a folder that can be written: `--dir DIR`")
        return None
    title = name.replace("-", " ").capitalize()
    starter = files("tablelaw.cli").joinpath("templates", "starter.yaml").read_text(encoding="utf-8")
    folder.mkdir(parents=True)
    write_whole(folder / "rules.yaml", starter.replace("NAME", name).replace("TITLE", title))
    write_whole(folder / "README.md", README.format(name=name, title=title))
    print(f"{folder / 'rules.yaml'} is a game to begin with; `tablelaw check {folder}` asks it")
    return OK


def fine(name: str) -> bool:
    """May a game be called so?"""
    return bool(_NAME.fullmatch(name)) and len(name) <= LONGEST and name not in WORDS


def better(name: str) -> str:
    """A name that can be, made from one that cannot; empty where letters would be lost."""
    plain = unicodedata.normalize("NFKD", name.casefold().translate(_LETTERS))
    plain = "".join(c for c in plain if not unicodedata.combining(c))
    if any(c.isalnum() and not c.isascii() for c in plain):
        return ""
    found = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:LONGEST].rstrip("-")
    found = found if not found or (found[0].isalpha() and found not in WORDS) else f"game-{found}"[:LONGEST].rstrip("-")
    return found if fine(found) else ""
