"""Questions given to a cluster: real schedulers and workers of Dask on this machine, and some of them killed."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tablelaw.cli import main

pytest.importorskip("distributed")

COMMAND = [sys.executable, "-m", "tablelaw"]
BEADS = """
tablelaw: 1
game: beads
title: Beads
players: 1
options:
  size: {question: "How many?", values: 10..12, default: 10, kind: reading}
state:
  a: {type: 0..20, init: 0}
  b: {type: 0..20, init: 0}
actions:
  one: {by: 0, require: [{id: room-a, check: "a < option('size')"}], do: a += 1}
  two: {by: 0, require: [{id: room-b, check: "b < option('size') and b <= a"}], do: b += 1}
questions:
  most: {largest: a * b}
  many: {count: states}
  never: {never: a < b}
  least: {smallest: a - b}
  same: {same: [{size: 10}, {size: 11}]}
scenarios:
  first: {play: ["one"], then: ["a == 1"]}
"""
LONG = """
tablelaw: 1
game: long
title: Long
players: 1
options:
  size: {question: "How many?", values: 1..4, default: 1, kind: reading}
state:
  a: {type: 0..250, init: 0}
  b: {type: 0..250, init: 0}
  c: {type: 0..250, init: 0}
  d: {type: 0..250, init: 0}
actions:
  one: {by: 0, require: [{id: room-a, check: a < 250}], do: a += 1}
  two: {by: 0, require: [{id: room-b, check: b < 250}], do: b += 1}
  three: {by: 0, require: [{id: room-c, check: c < 250}], do: c += 1}
  four: {by: 0, require: [{id: room-d, check: d < 250}], do: d += 1}
questions:
  soon: {reach: "a == option('size')"}
  late: {count: states}
"""


@pytest.fixture
def beads(tmp_path: Path) -> str:
    (tmp_path / "beads.yaml").write_text(BEADS, encoding="utf-8")
    return str(tmp_path / "beads.yaml")


@pytest.fixture
def long(tmp_path: Path) -> str:
    (tmp_path / "long.yaml").write_text(LONG, encoding="utf-8")
    return str(tmp_path / "long.yaml")


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *words], capture_output=True, text=True, check=False, timeout=100)


# no cluster


@pytest.mark.parametrize("where", ["", "local:0", "local:x", "host:8786", "tcp://host", "tcp:// :1", "http://host:1"])
def test_what_is_no_address_is_a_fault_of_usage(beads: str, where: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", beads, "--cluster", where]) == 2
    assert "is no cluster" in capsys.readouterr().err


@pytest.mark.parametrize("other", [("--evidence", "e"), ("--checkpoint", "c"), ("--explain-engine",)])
def test_what_others_do_not_send_back_does_not_go_with_it(
    beads: str, other: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["check", beads, "--cluster", "local:2", *other]) == 2
    assert f"`{other[0]}` does not go with `--cluster`" in capsys.readouterr().err


def test_where_nobody_answers_it_is_told_within_seconds(beads: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Nobody at all, and somebody who is no scheduler."""
    with socket.socket() as mute:
        mute.bind(("127.0.0.1", 0))
        port = mute.getsockname()[1]
        assert main(["check", beads, "--cluster", f"tcp://127.0.0.1:{port}"]) == 2  # it does not listen
        assert f"error[Q129]: no scheduler answers at `tcp://127.0.0.1:{port}`" in capsys.readouterr().err


def test_without_dask_it_says_what_to_install(
    beads: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert main(["check", beads, "--cluster", "local:2"]) == 2
    assert "pip install 'tablelaw[cluster]'" in capsys.readouterr().err


# processes of this machine


def test_the_answers_are_those_of_a_run_without(beads: str) -> None:
    words = ["check", beads, "--option", "size=*", "--no-cache"]
    first, second = run(*words), run(*words, "--cluster", "local:2")
    assert second.stderr == first.stderr == ""
    assert (second.stdout, second.returncode) == (first.stdout, first.returncode)


# real schedulers and workers


class Workers:
    """A scheduler and its workers, each a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.at = f"tcp://127.0.0.1:{free.getsockname()[1]}"
        words = ["scheduler", "--host", self.at, "--no-dashboard"]
        self.scheduler = self._begin(*words)
        self.all = [self.scheduler]

    def _begin(self, *words: str, **more: str) -> subprocess.Popen[bytes]:
        with open(self.folder / "log", "ab") as log:
            command = [sys.executable, "-W", "ignore", "-m", "distributed.cli.dask_" + words[0], *words[1:]]
            return subprocess.Popen(command, stdout=log, stderr=log, env={**os.environ, **more}, cwd=self.folder)

    def worker(self, **more: str) -> subprocess.Popen[bytes]:
        """One more worker, with one thread."""
        words = ["worker", self.at, "--nthreads", "1", "--no-dashboard", "--no-nanny", "--death-timeout", "60"]
        self.all.append(self._begin(*words, **more))
        return self.all[-1]

    def end(self) -> None:
        """End them all."""
        for one in self.all:
            one.kill()
            one.wait()


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[Workers]:
    found = Workers(tmp_path)
    try:
        yield found
    finally:
        found.end()


def begun(*words: str) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen([*COMMAND, *words], stdout=pipe, stderr=pipe, text=True)


def units(of: int) -> list[int]:
    """The processes that work on pieces of work, begun by any thread of a worker."""
    found = []
    for file in Path(f"/proc/{of}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            found += [int(p) for p in file.read_text().split()]
    return [p for p in found if _is_unit(p)]


def _is_unit(process: int) -> bool:
    with contextlib.suppress(OSError):
        return b"tablelaw.cli.unit" in Path(f"/proc/{process}/cmdline").read_bytes()
    return False


@pytest.mark.slow
def test_a_worker_killed_half_way_changes_no_answer(beads: str, workers: Workers) -> None:
    one, _ = workers.worker(), workers.worker()
    words = ["check", beads, "--every-option", "--no-cache"]
    with begun(*words, "--cluster", workers.at) as asking:
        assert asking.stdout is not None
        line = asking.stdout.readline()
        one.send_signal(signal.SIGKILL)
        told, usual = line + asking.stdout.read(), run(*words)
    assert (told, asking.wait()) == (usual.stdout, usual.returncode)


@pytest.mark.slow
def test_work_whose_process_is_killed_each_time_is_given_up(long: str, workers: Workers) -> None:
    """It is told as unknown, with the reason; the worker lives on."""
    worker = workers.worker()
    asking = begun("check", long, "--no-cache", "--question", "late", "--cluster", workers.at)
    killed = set[int]()
    while len(killed) < 3 and asking.poll() is None:
        time.sleep(0.02)
        for child in set(units(worker.pid)) - killed:
            os.kill(child, signal.SIGKILL)
            killed.add(child)
    told, _ = asking.communicate(timeout=100)
    said = "late: unknown — given up after 3 tries: the process that worked on it was killed by signal 9"
    assert " ".join(told.split()).startswith(said)
    assert asking.returncode == 3
    assert worker.poll() is None


@pytest.mark.slow
def test_another_version_is_refused(beads: str, workers: Workers, tmp_path: Path) -> None:
    """A worker whose numpy is another one gives no answers."""
    found = tmp_path / "other" / "numpy-0.0.1.dist-info"
    found.mkdir(parents=True)
    (found / "METADATA").write_text("Metadata-Version: 2.1\nName: numpy\nVersion: 0.0.1\n", encoding="utf-8")
    workers.worker(PYTHONPATH=os.pathsep.join([str(tmp_path / "other"), os.environ.get("PYTHONPATH", "")]))
    told = run("check", beads, "--no-cache", "--cluster", workers.at)
    assert told.returncode == 2
    assert "would not give the answers of this program" in told.stderr
    assert "another version of tablelaw, of Python, or of a library" in told.stderr


@pytest.mark.slow
def test_a_stop_tells_what_came_and_cancels_the_rest(long: str, workers: Workers) -> None:
    worker = workers.worker()
    asking = begun("check", long, "--no-cache", "--cluster", workers.at)
    assert asking.stdout is not None
    assert asking.stdout.readline().startswith("soon")
    time.sleep(3.0)
    assert units(worker.pid)
    asking.send_signal(signal.SIGINT)
    _, wrong = asking.communicate(timeout=60)
    assert "stopped after" in wrong
    assert asking.returncode == 3
    until = time.monotonic() + 30  # the process that was at work is ended soon after
    while units(worker.pid) and time.monotonic() < until:
        time.sleep(0.2)
    assert units(worker.pid) == []


@pytest.mark.slow
def test_a_scheduler_that_goes_away_is_told(long: str, workers: Workers) -> None:
    workers.worker()
    asking = begun("check", long, "--no-cache", "--cluster", workers.at)
    assert asking.stdout is not None
    asking.stdout.readline()
    workers.scheduler.kill()
    _, wrong = asking.communicate(timeout=100)
    assert "stopped after" in wrong
    assert "is gone" in wrong
    assert "Traceback" not in wrong
    assert asking.returncode == 3


@pytest.mark.slow
def test_no_worker_is_told(beads: str, workers: Workers) -> None:
    time.sleep(3.0)
    told = run("check", beads, "--cluster", workers.at)
    assert told.returncode == 2
    assert "no worker is connected" in told.stderr or "no scheduler answers" in told.stderr
