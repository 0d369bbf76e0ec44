"""`python -m tablelaw.hooks COMMAND`: one command over many rules files, for pre-commit, build servers and scripts.

    python -m tablelaw.hooks lint FILE…
    python -m tablelaw.hooks format --check FILE…
    python -m tablelaw.hooks check --time 60 -- FOLDER…

Folders are searched for rules files; other files are passed over. With several arguments for the command a `--` parts them
from the paths. `check --reports DIR` writes a JUnit report for each file. The exit status is that of the worst file: 0,
3 (unknown), 1 (a finding), 2 (a fault), 4.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from tablelaw.cli import main
from tablelaw.rulesfile import rules_files

COMMANDS = ("check", "lint", "format")
WORST = (0, 3, 1, 2, 4)
"""Exit statuses, each worse than those before it."""


def run(words: Sequence[str]) -> int:
    """Run a command on every rules file that the words name."""
    if set(words[: words.index("--") if "--" in words else len(words)]) & {"-h", "--help"}:
        print((__doc__ or "").strip())
        print(f"\nCOMMAND is one of {', '.join(COMMANDS)}; `tablelaw COMMAND --help` tells its arguments.")
        return 0
    if not words or words[0] not in COMMANDS:
        told = f"`{words[0]}` is no command" if words else "a command is missing"
        cure = f"write one of {', '.join(COMMANDS)}, then the paths; `--help` tells more"
        print(f"error[Q109]: {told}\n  = help: {cure}", file=sys.stderr)
        return 2
    command, rest = words[0], list(words[1:])
    if "--" in rest:
        cut = rest.index("--")
        arguments, names = rest[:cut], rest[cut + 1 :]
    else:
        arguments, names = [w for w in rest if w.startswith("-")], [w for w in rest if not w.startswith("-")]
    arguments, names = [w for w in arguments if w.strip()], [w.strip() for w in names if w.strip()]
    reports = ""
    if "--reports" in arguments[:-1] and command == "check":
        at = arguments.index("--reports")
        reports = arguments[at + 1]
        del arguments[at : at + 2]
        Path(reports).mkdir(parents=True, exist_ok=True)
    missing = [n for n in names if not Path(n).exists()]
    for name in missing:
        print(f"error[Q109]: there is no `{name}`\n  = help: name rules files, or folders that hold some", file=sys.stderr)
    worst = 2 if missing else 0
    found = list(rules_files([Path(n) for n in names if n not in missing], whole=command != "format"))
    for path in found:
        if len(found) > 1 and command != "format":
            print(f"== {path}", flush=True)
        junit = ["--junit", str(Path(reports, _flat(path)))] if reports else []
        status = main([command, str(path), *arguments, *junit])
        if status == 1 and command == "format":
            print(f"{path}: not in canonical form; `tablelaw format --write {path}` writes it so")
        worst = max(worst, status, key=WORST.index)
    if not found:
        print("no rules files here")
    return worst


def _flat(path: Path) -> str:
    """`games-plums-rules.xml`, of `games/plums/rules.yaml`."""
    return "-".join(part for part in path.with_suffix(".xml").parts if part not in (path.anchor, ".."))


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:]))
