"""Damaged rules files never crash, hang or swell the reader: `scripts/fuzz.py`, a little of it on every run."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).parents[1] / "scripts" / "fuzz.py"


@pytest.fixture(scope="module")
def fuzz() -> ModuleType:
    """The script as a module."""
    spec = importlib.util.spec_from_file_location("tablelaw_fuzz", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["tablelaw_fuzz"] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def tried(fuzz: ModuleType, count: int, seed: int) -> list[str]:
    """The faults of a run, told so that each can be found again."""
    findings, _ = fuzz.run(count, seed, 30.0)
    return [f"{f.kind} (input {f.seed} of seed {seed}): {f.where}" for f in findings]


def test_damaged_files_are_told_as_diagnostics(fuzz: ModuleType) -> None:
    """Every fault of a text is a diagnostic, given in bounded time."""
    assert tried(fuzz, 150, 11) == []


@pytest.mark.slow
def test_many_damaged_files_are_told_as_diagnostics(fuzz: ModuleType) -> None:
    """The same, with more texts."""
    assert tried(fuzz, 2000, 12) == []


@pytest.mark.parametrize("index", range(8))
def test_what_grows_is_bounded(fuzz: ModuleType, index: int, tmp_path: Path) -> None:
    """Definitions, types, lists of clauses, `can`, options and aliases that double each time are refused in time."""
    import random

    for n in range(6):
        text = fuzz.SEEDS[2] + "\n" + fuzz.GROWTHS[index](random.Random(n))
        assert fuzz.try_one(text.encode(), tmp_path, 30.0) is None
