"""A search that was killed is gone on with, and comes to the same answer."""

from __future__ import annotations

import json
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tablelaw.solver.lower import lower
from tablelaw.solver.native import checkpoint
from tablelaw.solver.native.checkpoint import Checkpoint
from tablelaw.solver.native.compiler import compiler
from tablelaw.solver.native.space import NativeSpace
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import load
from tablelaw.spec.settings import defaults

EXAMPLES = Path(__file__).parents[3] / "examples"
pytestmark = pytest.mark.skipif(compiler() is None, reason="needs a C compiler")
KEEPING = (
    "import sys; from tablelaw.solver.native import checkpoint, space; from tablelaw.cli import main;"
    "checkpoint.EVERY = 0.0; checkpoint.SHARE = 1; space.PACE = 0.005; sys.exit(main(sys.argv[1:]))"
)


@pytest.fixture(autouse=True)
def apart(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLELAW_CACHE", str(tmp_path_factory.getbasetemp() / "compiled"))


def space(budget: Budget) -> NativeSpace:
    sink = Diagnostics()
    rules = load(str(EXAMPLES / "hanoi" / "rules.yaml"), sink)
    assert rules is not None
    game = rules.game({**defaults(rules.document), "pegs": "4", "discs": "8"}, 1, sink)
    assert game is not None
    return NativeSpace(lower(game, unroll=True)[0], budget)


def in_part(folder: Path, states: int) -> None:
    part = space(Budget(states=states, checkpoint=folder))
    with pytest.raises(OutOfBudget):
        part.explore(Budget(states=states))
    part.keep()


def whole() -> list[int]:
    found = space(Budget())
    found.explore(Budget())
    return list(found.states)


def test_a_second_run_begins_where_the_first_stopped(tmp_path: Path) -> None:
    expected = whole()
    for states in (5_000, 20_000, 50_000):
        in_part(tmp_path, states)
    last = space(Budget(checkpoint=tmp_path))
    assert last.expanded > 10_000
    last.explore(Budget())
    assert list(last.states) == expected
    last.keep()
    del last
    again = space(Budget(checkpoint=tmp_path))
    assert again.complete
    assert list(again.states) == expected


@pytest.mark.parametrize("harm", ["short", "no-json", "twice", "gone", "other-start", "bit", "fewer", "parent"])
def test_what_is_not_whole_is_not_used(tmp_path: Path, harm: str) -> None:
    in_part(tmp_path, 20_000)
    (folder,) = [p for p in tmp_path.iterdir() if p.is_dir()]
    states = folder / "states"
    if harm == "short":
        states.write_bytes(states.read_bytes()[:1000])
    elif harm == "no-json":
        (folder / "at.json").write_text("{")
    elif harm == "twice":
        held = states.read_bytes()
        states.write_bytes(held[:800] + held[:800] + held[1600:])
    elif harm == "bit":
        held = states.read_bytes()
        states.write_bytes(held[:8000] + bytes([held[8000] ^ 1]) + held[8001:])
    elif harm == "fewer":
        told = re.sub(r'"(states|parents|expanded)": \d+', r'"\1": 900', (folder / "at.json").read_text())
        (folder / "at.json").write_text(told)
    elif harm == "parent":
        held = (folder / "parents").read_bytes()
        (folder / "parents").write_bytes(held[:8000] + (2000).to_bytes(4, "little") + held[8004:])
    elif harm == "gone":
        (folder / "parents").unlink()
    else:
        states.write_bytes(b"\xff" * 8 + states.read_bytes()[8:])
    found = space(Budget(checkpoint=tmp_path))
    assert found.expanded == 0
    found.explore(Budget())
    found.keep()
    assert list(found.states) == whole()
    del found
    assert space(Budget(checkpoint=tmp_path)).complete


def test_a_second_search_of_this_run_is_not_kept(tmp_path: Path) -> None:
    """Two settings with the same moves were told that another run was at work."""
    first, second = space(Budget(checkpoint=tmp_path)), space(Budget(checkpoint=tmp_path))
    assert first.checkpoint is not None
    assert second.checkpoint is None


def test_two_runs_do_not_write_to_one_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = space(Budget(checkpoint=tmp_path))
    monkeypatch.setattr(Checkpoint, "_open", set())  # as another process sees it
    with pytest.raises(OutOfBudget, match="another run"):
        space(Budget(checkpoint=tmp_path))
    del first
    space(Budget(checkpoint=tmp_path))


def test_a_full_disk_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    found = space(Budget(checkpoint=tmp_path))
    monkeypatch.setattr(checkpoint, "_settled", full)
    with pytest.raises(OutOfBudget, match="No space left"):
        found.keep()


def test_saves_are_not_too_often(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved = []
    monkeypatch.setattr(Checkpoint, "save", lambda *_: saved.append(1))
    space(Budget(checkpoint=tmp_path)).explore(Budget())
    assert not saved


def killed_and_gone_on_with(folder: Path, kills: int, words: list[str], seconds: float) -> tuple[str, int]:
    """The value of the one question, and how many runs were killed."""
    chance, done = random.Random(7), 0
    command = [sys.executable, "-c", KEEPING, "check", *words, "--checkpoint", str(folder), "--json"]
    while True:
        run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            out, _ = run.communicate(timeout=chance.uniform(0.3, seconds) if done < kills else 300)
        except subprocess.TimeoutExpired:
            run.send_signal(signal.SIGKILL)
            run.communicate()
            done += 1
            continue
        assert run.returncode == 0
        (result,) = json.loads(out)["results"]
        assert result["known_by"] == "exhausted"
        if done < kills:
            for path in folder.rglob("at.json"):  # it came to its end: begin anew
                path.unlink()
            continue
        return result["value"], done


@pytest.mark.skipif(sys.platform == "win32", reason="no such signal there")
@pytest.mark.parametrize("kills", [3, pytest.param(50, marks=pytest.mark.slow)])
def test_killed_at_any_moment(tmp_path: Path, kills: int) -> None:
    words = [str(EXAMPLES / "hanoi"), "--option", "pegs=4", "--option", "discs=10", "--question", "states"]
    assert killed_and_gone_on_with(tmp_path, kills, words, 1.6) == ("1048576", kills)


RISING = """tablelaw: 1
game: rising
title: Rising
players: 1
state:
  x: {type: 0..200, init: 0}
  y: {type: 0..200, init: 0}
actions:
  right: {by: 0, do: x += 1}
  up: {by: 0, require: [{id: low, check: y < 200 and x < 190}], do: y += 1}
"""


def test_what_memory_cut_is_not_told_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each time a little more memory: faults are noted once, and steps counted once."""
    (tmp_path / "rising.yaml").write_text(RISING, encoding="utf-8")
    sink = Diagnostics()
    rules = load(str(tmp_path / "rising.yaml"), sink)
    game = None if rules is None else rules.game({}, 1, sink)
    assert game is not None
    model, _ = lower(game, unroll=True)
    expected, cut = NativeSpace(model, Budget()), NativeSpace(model, Budget())
    expected.explore(Budget())
    assert len(expected.faulty) == 201
    cuts = 0
    monkeypatch.setattr(NativeSpace, "_spare", lambda self, _: setattr(self.held.search, "spare", 40_000 * cuts))
    while not cut.complete:
        try:
            cut.explore(Budget())
        except OutOfBudget:
            cuts += 1
    assert cuts > 1
    assert list(cut.states) == list(expected.states)
    assert list(cut.faulty) == list(expected.faulty)
    assert cut.steps == expected.steps
