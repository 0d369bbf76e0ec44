"""Files are written whole, and what is no file stays what it is."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from tablelaw.spec.source import write_whole


def test_a_file_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.svg"
    path.write_text("old", "utf-8")
    write_whole(path, "new\n")
    assert path.read_text("utf-8") == "new\n"
    assert [p.name for p in tmp_path.iterdir()] == ["out.svg"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_stays_a_pipe(tmp_path: Path) -> None:
    """`-o` to a pipe (or a device, for one who may) once put a plain file in its place."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    found: list[str] = []
    reader = threading.Thread(target=lambda: found.append(path.read_text("utf-8")))
    reader.start()
    write_whole(path, "text\n")
    reader.join(10)
    assert found == ["text\n"]
    assert stat.S_ISFIFO(path.stat().st_mode)
