"""Measures tablelaw beside other programs, part by part, and writes the pages docs/benchmarks*.md with their pictures.

Each part writes benchmarks/results-PART.json after each of its rounds; pages are made of what is there. What a part needs and
cannot find is told and left out: Spin and gcc, Storm (stormpy), TLC (TLA2TOOLS names its tla2tools.jar) and OpenSpiel
(OPENSPIEL_PYTHON names an interpreter that has it). Where something fails the rest goes on, and the exit status is 1.

  python benchmarks/bench.py                   all parts, five rounds each: some fifteen minutes
  python benchmarks/bench.py search growth     these alone
  python benchmarks/bench.py --quick           the small ones twice; prints the pages and writes nothing
  python benchmarks/bench.py --page            the pages anew from the results
"""

from __future__ import annotations

import argparse
import importlib
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import rows
import run

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
PARTS = ("search", "depth", "growth", "playouts", "chance", "forced", "proofs", "boards")
NAMED = ("z3_encodings",)
"""Parts that are measured only where they are named: they take long, or say nothing of other programs."""


def file_of(part: str) -> Path:
    """Where the results of a part are kept."""
    return HERE / f"results-{part}.json"


def known() -> dict[str, Any]:
    """The results that are there, by part."""
    return {p: json.loads(file_of(p).read_text(encoding="utf-8")) for p in (*PARTS, *NAMED) if file_of(p).exists()}


def pages(found: dict[str, Any]) -> dict[str, str]:
    """All pages and pictures by file name. A part of which hardly anything was measured has no page; the others are made."""
    made: dict[str, str] = {}
    whole: dict[str, Any] = {}
    for part, results in found.items():
        try:
            made |= importlib.import_module(part).pages(results)
        except (LookupError, ValueError, ArithmeticError) as why:
            rows.tell(f"no page of `{part}`: {why!r}")
        else:
            whole[part] = results
    told: dict[str, str] = importlib.import_module("overview").pages(whole)
    return made | told


def measured(part: str, file: Path, quick: bool, repeats: int) -> dict[str, Any] | None:
    """A part in a process of its own, which is small: a process counts as holding what the one held that started it."""
    command = [sys.executable, str(Path(__file__).resolve()), part, "--into", str(file), "--repeats", str(repeats)]
    subprocess.run([*command, *(["--quick"] if quick else [])], check=False)
    try:
        found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found


def into(part: str, file: Path, quick: bool, repeats: int) -> None:
    """Measure a part here."""
    with run.Run(part, quick, repeats, file) as one:
        one.attempt(f"part `{part}`", lambda: importlib.import_module(part).measure(one))
        one.save()


def main() -> int:
    """Measure, and write or print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    listed = f"which ones: {', '.join(PARTS)} (default: all of these), {', '.join(NAMED)}"
    parser.add_argument("parts", nargs="*", metavar="PART", help=listed)
    parser.add_argument("--quick", action="store_true", help="the small ones twice; print the pages and write nothing")
    parser.add_argument("--page", action="store_true", help="write the pages anew from the results")
    parser.add_argument("--repeats", type=int, default=0, help="how many rounds (default: 5, 2 when quick)")
    parser.add_argument("--into", type=Path, help=argparse.SUPPRESS)
    if sys.argv[1:2] == ["--child"]:
        print(json.dumps(importlib.import_module(sys.argv[2]).child(sys.argv[3:])))
        return 0
    args = parser.parse_args()
    for part in args.parts:
        if part not in (*PARTS, *NAMED):
            parser.error(f"no part `{part}`: it is one of {', '.join((*PARTS, *NAMED))}")
    if args.repeats < 0:
        parser.error(f"`--repeats {args.repeats}`: give at least one round")
    repeats = args.repeats or (2 if args.quick else 5)
    if args.into:
        into(args.parts[0], args.into, args.quick, repeats)
        return 0
    found: dict[str, Any] = {}
    failed = False
    with TemporaryDirectory() as folder:
        for part in () if args.page else args.parts or PARTS:
            file = Path(folder) / f"{part}.json" if args.quick else file_of(part)
            results = measured(part, file, args.quick, repeats)
            failed |= results is None or bool(results["failed"])
            if results is not None:
                found[part] = results
    for name, text in pages(found if args.quick else known()).items():
        if not args.quick:
            (DOCS / name).write_text(text, encoding="utf-8")
        elif name.endswith(".md"):
            print(text)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
