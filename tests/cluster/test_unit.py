"""The process that works on pieces of work is gone when nobody is left to read its replies."""

from __future__ import annotations

import subprocess
import sys


def test_one_whose_parent_died_while_it_began_ends() -> None:
    """It looked who its parent was only when it had begun, and worked on for nobody."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    words = [sys.executable, "-m", "tablelaw.cli.unit", str(gone.pid)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as unit:
        assert unit.wait(timeout=30) == 0
