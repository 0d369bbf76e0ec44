"""Console blocks of the documentation are run; `TABLELAW_RESET=1` writes what the command says now into the files."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
from pathlib import Path

import pytest

from tablelaw.cli import main

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "transcripts").glob("*.md"))]
LONG = ("boards",)
"""What takes half a minute on a slow machine."""
FENCE = re.compile(r"^```console\n(.*?)^```$", re.S | re.M)
VARIES = [(re.compile(r"\b\d+\.\d+ s\b"), "… s"), (re.compile(r"\b\d+ MiB\b"), "… MiB")]


def normal(text: str) -> str:
    """What a command said, without what differs from machine to machine."""
    for pattern, instead in VARIES:
        text = pattern.sub(instead, text)
    return "".join(line.rstrip() + "\n" for line in text.splitlines())


def said(command: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """Everything that a command prints, and its exit status where that is not 0."""
    words = shlex.split(command)
    typed = ""
    if "|" in words:
        cut = words.index("|")
        assert words[0] == "printf", f"only `printf` may feed a command here: {command}"
        typed, words = words[1].replace("\\n", "\n"), words[cut + 1 :]
    assert words[0] == "tablelaw", command
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n")  # as a terminal that shows box-drawing characters
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        status = main(words[1:])
    out.seek(0)
    return normal(out.read()) + (f"(exit status {status})\n" if status else "")


def rerun(block: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """A console block with what its commands say now; `$` begins a command, a backslash at the end continues it."""
    rows: list[str] = []
    lines = iter(block.splitlines())
    for line in lines:
        if not line.startswith("$ "):
            continue
        shown, command = [line], line[2:]
        while command.endswith("\\"):
            shown.append(next(lines))
            command = command[:-1] + shown[-1].strip()
        if rows:
            rows.append("")
        rows += [*shown, *said(command, monkeypatch).splitlines()]
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize("page", [pytest.param(p, id=p.stem, marks=[pytest.mark.slow] * (p.stem in LONG)) for p in PAGES])
def test_console_blocks_show_what_the_commands_say(page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command of a console block prints what stands below it."""
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("COLUMNS", "80")
    text = page.read_text(encoding="utf-8")
    again = FENCE.sub(lambda m: f"```console\n{rerun(m[1], monkeypatch)}```", text)
    if os.environ.get("TABLELAW_RESET"):
        page.write_text(again, encoding="utf-8", newline="\n")
        return
    assert again == text, f"{page.name}: if the new text is right, run the tests with TABLELAW_RESET=1"


def test_the_first_spec_of_the_readme_is_the_file_of_the_transcripts() -> None:
    """The spec printed in README.md is the one that the transcripts run."""
    blocks = re.findall(r"^```yaml\n(.*?)^```$", (ROOT / "README.md").read_text(encoding="utf-8"), re.S | re.M)
    assert (ROOT / "docs" / "transcripts" / "plums.yaml").read_text(encoding="utf-8") in blocks


def test_console_blocks_stay_within_eighty_columns() -> None:
    """What is shown fits a terminal of 80 columns, but for commands, cures of a diagnostic and the pages of codes."""
    for page in PAGES:
        for block in FENCE.findall(page.read_text(encoding="utf-8")):
            command, more = "", False
            for line in block.splitlines():
                command = line if line.startswith("$") else command
                typed, more = more or line == command, line.endswith("\\")
                free = typed or line.lstrip().startswith("= ") or command.startswith("$ tablelaw explain")
                assert len(line) <= 80 or free, f"{page.name}: {line}"
