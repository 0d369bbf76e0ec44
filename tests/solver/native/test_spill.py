"""When the memory is used up a search goes on with its states on disk: within its bounds, and whatever stops it."""

from __future__ import annotations

import gc
import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tablelaw.solver.lower import lower
from tablelaw.solver.memory import memory_used
from tablelaw.solver.native import space as native
from tablelaw.solver.native import spill
from tablelaw.solver.native.compiler import compiler
from tablelaw.solver.native.space import NativeSpace
from tablelaw.solver.native.spill import Spilled
from tablelaw.solver.space import graph
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import load
from tablelaw.spec.settings import defaults

EXAMPLES = Path(__file__).parents[3] / "examples"
pytestmark = pytest.mark.skipif(compiler() is None or not spill.possible(), reason="needs a C compiler")
TIGHT = (
    "import sys; from tablelaw.solver.native import checkpoint, space, spill; from tablelaw.cli import main;"
    "checkpoint.EVERY = 0.0; checkpoint.SHARE = 1; space.PACE = 0.005;"
    "space.NativeSpace.held_most = 30_000; spill.Spilled.room_most = 20_000; sys.exit(main(sys.argv[1:]))"
)


@pytest.fixture(autouse=True)
def apart(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TABLELAW_CACHE", str(tmp_path_factory.getbasetemp() / "compiled"))


def space(budget: Budget, discs: int = 8) -> NativeSpace:
    sink = Diagnostics()
    rules = load(str(EXAMPLES / "hanoi" / "rules.yaml"), sink)
    game = None if rules is None else rules.game({**defaults(rules.document), "pegs": "4", "discs": str(discs)}, 1, sink)
    assert game is not None
    return NativeSpace(lower(game, unroll=True)[0], budget)


ALONE = """
import sys
from pathlib import Path
from tablelaw.solver.memory import memory_used
from tablelaw.solver.native import spill
from tablelaw.solver.native.space import NativeSpace
from tablelaw.solver.lower import lower
from tablelaw.solver.space.graph import Budget
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import load
from tablelaw.spec.settings import defaults

spill.RESERVE, spill.LEAST, spill.PERCENT = 6, 4, 0
sink = Diagnostics()
rules = load(sys.argv[1], sink)
game = rules.game({**defaults(rules.document), "pegs": "4", "discs": "10"}, 1, sink)
found = NativeSpace(lower(game, unroll=True)[0], Budget())
most = memory_used() + 18
budget = Budget(mebibytes=most, spill=Path(sys.argv[2]))
while not found.complete:
    found.expand(budget)
    assert memory_used() <= most
assert found.spilled is not None
assert found.spilled.disk.used >= 4**10 * 20 * 0.9
print(len(found.states))
"""


def test_it_goes_on_where_memory_ends(tmp_path: Path) -> None:
    """With a million states in 18 MiB beyond what a process of its own holds anyway; nothing has a name in the folder."""
    command = [sys.executable, "-c", ALONE, str(EXAMPLES / "hanoi" / "rules.yaml"), str(tmp_path)]
    found = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert (found.stdout.strip(), found.stderr) == (str(4**10), "")
    assert not list(tmp_path.iterdir())


def test_what_is_still_held_while_states_move_to_disk_is_no_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --checkpoint, which takes a little more then, it was: the memory is used up, although a disk was there."""
    monkeypatch.setattr(NativeSpace, "held_most", 1_000)
    monkeypatch.setattr(spill.Spilled, "room_most", 20_000)
    found, budget = space(Budget()), Budget(mebibytes=3_000, spill=tmp_path)
    moved, used = NativeSpace.spill, [1]

    def full(self: NativeSpace, budget: Budget) -> None:
        moved(self, budget)
        used[0] = 3_010

    monkeypatch.setattr(graph, "memory_used", lambda: used[0])
    monkeypatch.setattr(NativeSpace, "spill", full)
    while found.spilled is None:
        found.expand(budget)
    used[0] = 1
    found.explore(budget)
    assert len(found.states) == 4**8


def test_what_needs_lists_of_all_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NativeSpace, "held_most", 1_000)
    found, budget = space(Budget()), Budget(mebibytes=3_000, spill=tmp_path)
    found.explore(budget)
    for ask in (found.links, found.offers):
        with pytest.raises(OutOfBudget, match="memory of 3,000 MiB"):
            next(iter(ask(budget)))
    with pytest.raises(OutOfBudget, match="memory"):
        found.explore(budget.in_memory())
    with pytest.raises(OutOfBudget, match="memory"):
        found.index[found.states[0]]


def test_little_disk_is_a_reason_and_what_is_seen_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound of disk ends the search; the states met by then are those of any search."""
    monkeypatch.setattr(NativeSpace, "held_most", 1_000)
    monkeypatch.setattr(Spilled, "room_most", 5_000)
    whole, cut = space(Budget()), space(Budget())
    whole.explore(Budget())
    budget = Budget(mebibytes=3_000, spill=tmp_path, disk=1)
    for _ in range(2):  # it does not go on by itself
        with pytest.raises(OutOfBudget, match="the disk of 1 MiB"):
            cut.explore(budget)
    n = len(cut.states)
    assert 20_000 < n < len(whole.states)
    assert cut.states[:] == whole.states[:n]
    assert cut.parents[:] == whole.parents[:n]
    assert cut.expanded < n


def test_a_folder_that_cannot_be_used_is_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NativeSpace, "held_most", 1_000)
    (tmp_path / "file").write_text("", encoding="utf-8")
    cut = space(Budget())
    with pytest.raises(OutOfBudget, match="cannot be used"):
        cut.explore(Budget(mebibytes=3_000, spill=tmp_path / "file"))
    assert cut.spilled is None
    monkeypatch.setattr(NativeSpace, "held_most", 0)
    cut.explore(Budget())
    assert len(cut.states) == 4**8


def test_a_full_disk_is_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(NativeSpace, "held_most", 1_000)
    monkeypatch.setattr(Spilled, "room_most", 5_000)
    real, left = os.pwrite, [500_000]

    def full(number: int, held: memoryview, at: int) -> int:
        left[0] -= len(held)
        if left[0] < 0:
            raise OSError(28, "No space left on device")
        return real(number, held, at)

    monkeypatch.setattr(os, "pwrite", full)
    cut = space(Budget())
    with pytest.raises(OutOfBudget, match="No space left on device"):
        cut.explore(Budget(mebibytes=3_000, spill=tmp_path))
    assert cut.states[:100] == space(Budget()).states[:1] + cut.states[1:100]
    assert cut.expanded <= len(cut.states)


@pytest.mark.parametrize(("before", "after"), [("disk", "disk"), ("disk", "memory"), ("memory", "disk")])
def test_a_checkpoint_goes_on_in_memory_or_on_disk(
    before: str, after: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one run kept from where, the next takes to where there is room."""
    monkeypatch.setattr(Spilled, "room_most", 3_000)
    kept = tmp_path / "kept"
    whole = space(Budget())
    whole.explore(Budget())
    found = whole
    for k, where in enumerate((before, after), 1):
        monkeypatch.setattr(NativeSpace, "held_most", 1_000 if where == "disk" else 0)
        monkeypatch.setattr(NativeSpace, "load", _refused if where == "disk" else _load)
        budget = Budget(mebibytes=3_000, checkpoint=kept, spill=tmp_path, states=0 if k == 2 else 30_000)
        found = space(budget)
        assert found.expanded > 5_000 or k == 1
        if k == 1:
            with pytest.raises(OutOfBudget):
                found.explore(budget)
        else:
            found.explore(budget)
        assert (found.spilled is not None) == (where == "disk")
        found.keep()
        if k == 1:
            found = whole  # or the folder is taken
    assert list(found.states) == list(whole.states)
    assert list(found.parents) == list(whole.parents)
    assert found.steps == whole.steps


_load = NativeSpace.load


def _refused(self: NativeSpace, states: bytes, parents: bytes, n: int) -> None:
    raise MemoryError


def counted(*more: str, code: str = TIGHT) -> list[str]:
    spec = str(EXAMPLES / "hanoi")
    setting = ["--option", "pegs=4", "--option", "discs=9", "--question", "states", "--engine", "explicit", "--no-cache"]
    return [sys.executable, "-c", code, "check", spec, *setting, *more]


def test_killed_on_disk_it_goes_on_and_leaves_nothing(tmp_path: Path) -> None:
    """Killed at any moment, and asked again: the same answer, and nothing but the checkpoint in the folders."""
    kept, folder, moments = tmp_path / "kept", tmp_path / "spill", random.Random(5)
    more = ("--checkpoint", str(kept), "--spill", str(folder))
    for _ in range(3):
        process = subprocess.Popen(counted(*more), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(moments.uniform(0.5, 1.5))
        process.send_signal(signal.SIGKILL)
        process.wait()
    last = subprocess.run(counted(*more), capture_output=True, text=True, check=False)
    assert last.returncode == 0, last.stderr
    assert str(4**9) in last.stdout
    assert not list(folder.iterdir())
    assert {p.name for d in kept.iterdir() for p in d.iterdir()} == {
        "at.json", "faulty", "lock", "parents", "states", "stuck"
    }  # fmt: skip


@pytest.mark.slow
def test_memory_stays_within_its_bound(tmp_path: Path) -> None:
    """17 million states in 200 MiB, counted by the command line."""
    setting = ["--option", "pegs=4", "--option", "discs=12", "--question", "states", "--engine", "explicit", "--no-cache"]
    command = [sys.executable, "-m", "tablelaw", "check", str(EXAMPLES / "hanoi"), *setting, "--memory", "200"]
    code = (
        f"import subprocess, resource as r; subprocess.run({command!r}, check=True);"
        "print('peak', r.getrusage(r.RUSAGE_CHILDREN).ru_maxrss)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert str(4**12) in done.stdout
    peak = re.search(r"peak (\d+)", done.stdout)
    assert peak is not None
    assert int(peak[1]) / 1024 <= 200


def test_the_room_is_what_is_left(tmp_path: Path) -> None:
    """What a search takes of memory on disk is what it was told it may."""
    found = space(Budget(), 10)
    found.expand(Budget(), 100)
    before = memory_used()
    budget = Budget(mebibytes=before + spill.RESERVE + 100, spill=tmp_path)
    found.spill(budget)
    found.expand(budget)
    assert found.spilled is not None
    pool = found.spilled._pool.contents
    taken = pool.room * (8 + 4 + 1) + pool.size * 8
    assert 80 << 20 < taken <= 100 << 20


def test_workers_do_not_outlive_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    monkeypatch.setattr(native, "processors", lambda: 2)
    monkeypatch.setattr(NativeSpace, "held_most", 1_000)
    before = threading.active_count()
    found = space(Budget())
    found.explore(Budget(mebibytes=3_000, spill=tmp_path))
    del found
    gc.collect()
    until = time.monotonic() + 20.0  # those that gather for a search in memory are not waited for
    while threading.active_count() > before and time.monotonic() < until:
        time.sleep(0.01)
    assert threading.active_count() <= before


def test_the_thread_that_gathers_may_be_the_last_to_let_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It then ends what it belongs to from within, which must not wait for it."""
    monkeypatch.setattr(native, "processors", lambda: 2)
    monkeypatch.setattr(NativeSpace, "held_most", 1_000)
    found = space(Budget())
    found.explore(Budget(mebibytes=3_000, spill=tmp_path))
    spilled = found.spilled
    assert spilled is not None
    assert spilled._executor is not None
    assert spilled._executor.submit(spilled.__del__).exception() is None
