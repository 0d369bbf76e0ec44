"""A formula that takes far too long is stopped, and nothing else is; and small faults of usage."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tablelaw.cli import main, watchdog

HANOI = str(Path(__file__).parents[2] / "examples" / "hanoi")
BERRIES = str(Path(__file__).parents[2] / "docs" / "transcripts" / "berries.yaml")


def nested(times: int) -> str:
    formula = "x0 + x1 >= 0"
    for i in range(times):
        formula = f"all({formula} for x{i} in Berries)"
    return formula


@pytest.mark.parametrize("ignored", [False, True])
def test_a_long_formula_is_stopped(ignored: bool) -> None:
    code = (
        "import signal, sys; from tablelaw.cli import main, watchdog; watchdog.READING = 1.0; watchdog.BESIDE = {};"
        "watchdog.Watch.again = lambda self: None;"
        f"signal.signal(signal.SIGINT, signal.SIG_IGN) if {ignored} else None; sys.exit(main(sys.argv[1:]))"
    )
    words = [sys.executable, "-c", code, "ask", BERRIES, nested(10), "--time", "0.1", "--alone"]
    began = time.monotonic()
    ended = subprocess.run(words, capture_output=True, text=True, timeout=100)
    assert ended.returncode == 3
    assert ended.stderr == "stopped: the time of 0.1 s is over\n"
    assert time.monotonic() - began > 5


SLOW = """
tablelaw: 1
game: slow
title: Slow
players: 1
types: {Left: 0..9}
state:
  left: {type: Left, init: 9}
define:
  long(): FORMULA
actions:
  take: {by: 0, do: left -= 1}
  wait: {by: 0, require: [{id: after-long, check: left > 7 or long()}], do: left = left}
end:
  - {id: empty, when: left == 0}
"""


@pytest.mark.parametrize(
    ("command", "seconds"),
    [
        (["fixtures", "--alone", "--out", "{dir}/out.jsonl", "--time", "0.2"], 0.2),
        (["mutants", "--alone", "--time", "0.2"], 0.2),
        (["playouts", "--plays", "5", "--time", "0.2"], 0.2),
        (["graph", "--states", "-o", "{dir}/out.dot"], 3),
    ],
)
def test_a_rule_that_takes_too_long_stops_each_command(command: list[str], seconds: float, tmp_path: Path) -> None:
    """Exit status 3 with the reason, and no file is left half written."""
    spec = tmp_path / "slow.yaml"
    spec.write_text(SLOW.replace("FORMULA", nested(10).replace("Berries", "Left")), encoding="utf-8")
    words = [command[0], str(spec), *(w.replace("{dir}", str(tmp_path)) for w in command[1:])]
    code = (
        "import sys; from tablelaw.cli import main, watchdog; watchdog.READING = 1.0; watchdog.SECONDS['graph'] = 3.0\n"
        "again = watchdog.Watch.again\n"
        "def sooner(self): self.most = min(self.most, 1.5); again(self)\n"  # five seconds more than it was told, otherwise
        "watchdog.Watch.again = sooner; sys.exit(main(sys.argv[1:]))"
    )
    ended = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, timeout=100)
    assert ended.returncode == 3, ended.stderr
    assert ended.stderr.startswith(f"stopped: the time of {seconds:g} s is over")
    assert {p.name for p in tmp_path.iterdir()} == {"slow.yaml"}


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_a_request_to_end_is_taken_as_ctrl_c(name: str) -> None:
    """A `kill` said nothing of what was known, and left a compiler and its files."""
    code = (
        "import os, signal, sys; from tablelaw.cli import main; from tablelaw.solver.space.graph import Space\n"
        f"expand, signal.signal = Space.expand, signal.signal\nsignal.signal(signal.SIGHUP, signal.SIG_DFL)\n"
        f"def ended(self, *a): expand(self, *a); os.kill(os.getpid(), signal.{name})\n"
        "Space.expand = ended; sys.exit(main(sys.argv[1:]))"
    )
    words = [sys.executable, "-c", code, "check", HANOI, "--question", "states", "--option", "discs=8", "--no-cache", "--json"]
    ended = subprocess.run(words, capture_output=True, text=True, timeout=100)
    assert ended.returncode == 3, ended.stderr
    assert ended.stderr == "stopped after 0 of 1 answers\n"
    assert json.loads(ended.stdout)["results"][0]["reason"].startswith("stopped; at least ")


def test_ctrl_c_while_the_program_is_loaded_is_no_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tablelaw.cli.parser", interrupted)
    assert main(["check", BERRIES]) == 3
    assert capsys.readouterr().err == "stopped\n"


def test_the_watch_loads_nothing() -> None:
    """What another thread was loading, and Ctrl-C stopped, it found half loaded: a traceback."""
    code = "import sys, tablelaw.cli.watchdog; print([m for m in sys.modules if m.startswith('tablelaw.solver.')])"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=100)
    assert ended.stdout == "['tablelaw.solver.memory']\n"


def test_memory_is_kept_while_one_formula_is_reckoned(monkeypatch: pytest.MonkeyPatch) -> None:
    """What holds far too much is interrupted once, with the reason; a little more than allowed is the search's own concern."""
    heard: list[int] = []
    used = iter([90, 110, 130, 500, 500])
    monkeypatch.setattr(watchdog, "memory_used", lambda: next(used))
    monkeypatch.setattr(watchdog, "LOOK", 0.01)
    watch = watchdog.Watch(0.0, mebibytes=100)

    def interrupt(number: int) -> None:
        heard.append(number)
        watch.done = True

    monkeypatch.setattr("_thread.interrupt_main", interrupt)
    watch.run()
    assert (len(heard), watch.why) == (1, "the memory of 100 MiB is used up")
    assert next(used) == 500


def test_what_was_rechecked_before_the_stop_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from tablelaw.checkers import evidence

    assert main(["check", BERRIES, "--evidence", str(tmp_path / "kept")]) in (0, 1)
    index = tmp_path / "kept" / "index.json"
    told = json.loads(index.read_text(encoding="utf-8"))
    index.write_text(json.dumps({**told, "entries": told["entries"] * 2}), encoding="utf-8")
    capsys.readouterr()
    assert main(["recheck", BERRIES, str(tmp_path / "kept")]) == 0
    rows = capsys.readouterr().out.splitlines()
    assert rows[0] == rows[1]
    entry, met = evidence._Recheck.entry, list[object]()

    def slow(self: evidence._Recheck, listed: object) -> object:
        met.append(listed)
        if len(met) == 2:
            raise KeyboardInterrupt
        return entry(self, listed)

    monkeypatch.setattr(evidence._Recheck, "entry", slow)
    assert main(["recheck", BERRIES, str(tmp_path / "kept")]) == 3
    said = capsys.readouterr()
    assert said.out.splitlines() == rows[:1] + rows[2:]
    assert "stopped; the evidence after that was not looked at" in said.err


def test_an_answer_in_time_is_not_stopped(capsys: pytest.CaptureFixture[str]) -> None:
    before = signal.getsignal(signal.SIGINT)
    assert main(["ask", BERRIES, "bowl == 7", "--time", "20", "--alone"]) == 0
    assert "stopped" not in capsys.readouterr().err
    assert watchdog._now is None
    assert signal.getsignal(signal.SIGINT) is before


def test_a_watch_begins_anew_with_each_answer() -> None:
    watch = watchdog.Watch(1.0)
    assert watch.until - time.monotonic() > 50  # reading the rules is given more
    began = time.monotonic()
    watch.again()
    assert began + 7 <= watch.until <= time.monotonic() + 7


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["why", BERRIES, "--move", "take(n=2, n=3)"], "`n` is given twice"),
        (["ask", BERRIES, "take(n=2, n=3)"], "`n` is given twice"),
        (["moves", BERRIES, "--after", "take(n=2, n=3)"], "`n` is given twice"),
        (["play", BERRIES, "--moves", "take(n=2, n=3)"], "`n` is given twice"),
        (["check", BERRIES, "--option", "most=two", "--option", "most=three"], "`most` is set to `two` and to `three`"),
        (["compare", BERRIES, "--left", "edition=first,edition=second"], "`edition` is set to `first` and to `second`"),
        (["playouts", BERRIES, "--plays", "1000000000"], "it may be 999999999 at most"),
        (["playouts", BERRIES, "--seed", "1.5"], "`1.5` is not a whole number"),
    ],
)
def test_faults_of_usage(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert told in capsys.readouterr().err


def changed(folder: Path, old: str, new: str) -> str:
    text = Path(BERRIES).read_text(encoding="utf-8")
    assert old in text
    path = folder / "rules.yaml"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return str(path)


def test_a_clause_replaces_one_of_its_own_list(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    end = "  - {id: empty, says: Whoever"
    path = changed(tmp_path, end, "  - {id: zz, replaces: in-the-bowl, says: x, when: bowl == 1}\n" + end)
    assert main(["check", path]) == 2
    assert "error[S302]: `in-the-bowl` is replaced here, but it is a check of `take`" in capsys.readouterr().err
    path = changed(tmp_path, "{id: small-hands,", "{id: small-hands, replaces: in-the-bowl,")
    assert main(["list", path]) == 0


def test_moves_names_the_clause_without_a_value(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = changed(tmp_path, "check: n <= 2}", "check: 6 % (n - 1) <= 2}")
    assert main(["moves", path, "--option", "most=two"]) == 1
    assert "divided by zero, in `small-hands` of the action `take`" in capsys.readouterr().err


def test_what_two_games_may_be_to_each_other_is_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = changed(tmp_path, "{edition: third}], expect: holds}", "{edition: third}], expect: entailed}")
    assert main(["check", path]) == 2
    assert "one of holds, fails, unknown, equal, left, right, neither" in capsys.readouterr().err
