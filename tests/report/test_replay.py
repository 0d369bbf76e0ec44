"""The command that plays a record again can be pasted into a shell, however long its words are."""

from __future__ import annotations

import json
import shutil
import subprocess

import pytest

from tablelaw.report.text import replay

POSITION = {
    "table": {"edge((0, 0), N)": "TB/0", "(1, 0)": 'a "quoted" name, and more'},
    "box": {"TU": 3},
    "last": "it's (1, 0)",
}


LISTED = "printf '%s\\0'"


@pytest.mark.skipif(shutil.which("sh") is None, reason="a command for a shell needs one")
@pytest.mark.parametrize("spec", ["pig.yaml", "/a/very/long/" + "folder/" * 12 + "pig.yaml", "two words/" * 12 + "pig.yaml"])
def test_a_shell_reads_the_words(spec: str) -> None:
    moves = "; ".join(f"put(edge(({k}, 0), N), way={k})" for k in range(9))
    words = ["tablelaw", "play", spec, "--option", "a=b", "--at", json.dumps(POSITION), "--moves", moves]
    text = replay(words)
    read = subprocess.run(
        ["sh"], input=text.replace("    replay: tablelaw", LISTED, 1), capture_output=True, text=True
    ).stdout.split("\0")
    assert read[:5] == words[1:6]
    assert json.loads(read[5]) == POSITION
    assert [m.strip() for m in read[7].split(";")] == moves.split("; ")
    assert all(len(line) <= 80 or " " not in line.strip() or spec in line for line in text.splitlines())
