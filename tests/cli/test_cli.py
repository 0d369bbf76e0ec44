"""The command line: usage errors, exit statuses, JSON, and how it stops."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tablelaw.cli import main

ROOT = Path(__file__).resolve().parent.parent.parent
PLUMS = str(ROOT / "docs" / "transcripts" / "plums.yaml")
FAULTS = str(ROOT / "docs" / "transcripts" / "plums-with-faults.yaml")
DICE = str(ROOT / "examples" / "carcassonne-dice")
TOP = {"game", "spec_hash", "version", "results"}
RESULT = {
    "question", "kind", "options", "players", "verdict", "known_by", "bound", "value", "expected", "as_expected",
    "clauses", "trace", "states", "seconds", "engine", "reason",
}  # fmt: skip


@pytest.mark.parametrize(
    "words, told",
    [
        (["chek", PLUMS], "chek"),
        (["check"], "spec"),
        (["check", PLUMS, "--question", "four-plumbs"], "did you mean `four-plums`?"),
        (["check", PLUMS, "--option", "handful=three"], "`three` is not a value of option `handful`"),
        (["check", PLUMS, "--option", "handfull=two"], "did you mean `handful`?"),
        (["check", PLUMS, "--option", "handful"], "write `--option id=value`"),
        (["check", PLUMS, "--players", "0"], "is not a number above 0"),
        (["check", PLUMS, "--players", "7"], "this game is for 2 players, not 7"),
        (["check", PLUMS, "--engine", "oracle"], "oracle"),
        (["check", PLUMS, "--time", "-3"], "--time"),
        (["check", str(ROOT / "nothing.yaml")], "nothing.yaml"),
        (["check", FAULTS], "did you mean `left`?"),
        (["why", PLUMS], "--move"),
        (["why", PLUMS, "--move", "tke(n=1)"], "did you mean `take`?"),
        (["why", PLUMS, "--move", "take(m=1)"], "it has `n`"),
        (["why", PLUMS, "--move", "take(n=1)", "--at", "{lft: 1}"], "did you mean `left`?"),
        (["why", PLUMS, "--move", "take(n=1)", "--at", "{left: 9}"], "left"),
        (["why", PLUMS, "--move", "take(n=1)", "--at", "nowhere.json"], "nowhere.json"),
        (["play", PLUMS, "--at", "left: 9"], "`left`"),
        (["explain", "R20"], "did you mean"),
        (["list", PLUMS, "rules"], "rules"),
        (["format", FAULTS.replace("faults", "nothing")], "there is no file"),
    ],
)
def test_faults_of_usage_and_of_rules_are_told(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    """They go to standard error, say the cure where there is one, and end with exit status 2."""
    assert main(words) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert told in err
    assert "error[" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    "words, status",
    [
        ([], 0),
        (["--version"], 0),
        (["check", PLUMS, "--question", "can-go-on"], 0),
        (["check", PLUMS, "--question", "four-plums", "--option", "handful=one"], 1),
        (["why", PLUMS, "--move", "take(n=2)"], 0),
        (["why", PLUMS, "--move", "take(n=2)", "--at", "{left: 1}"], 1),
        (["list", PLUMS], 0),
        (["show", PLUMS], 0),
        (["show", PLUMS, "--generated"], 0),
        (["format", PLUMS], 0),
        (["explain"], 0),
        (["explain", "r204"], 0),
    ],
)
def test_exit_statuses(words: list[str], status: int, capsys: pytest.CaptureFixture[str]) -> None:
    """0: as expected, or legal. 1: a finding, or illegal."""
    assert main(words) == status
    assert capsys.readouterr().out


def test_format_check_and_write(tmp_path: Path) -> None:
    """`--check` ends with 1 where `--write` would change the file, and with 0 afterwards."""
    file = tmp_path / "rules.yaml"
    file.write_text(Path(PLUMS).read_text().replace("game: plums\ntitle: Plums\n", "title: Plums\ngame: plums\n"))
    assert main(["format", str(file), "--check"]) == 1
    assert main(["format", str(file), "--write"]) == 0
    assert main(["format", str(tmp_path), "--check"]) == 0
    assert file.read_text() == Path(PLUMS).read_text()


def test_out_of_budget_is_unknown(capsys: pytest.CaptureFixture[str]) -> None:
    """A search that runs out of time says so, with exit status 3."""
    words = ["check", DICE, "--question", "dice-conserved", "--engine", "explicit", "--time", "0.2", "--json"]
    assert main(words) == 3
    result = json.loads(capsys.readouterr().out)["results"][0]
    assert result["verdict"] == "unknown"
    assert result["as_expected"] is None
    assert "0.2" in result["reason"] or "time" in result["reason"] or "second" in result["reason"]


def test_json_of_check_has_the_keys_of_the_contract(capsys: pytest.CaptureFixture[str]) -> None:
    """One object; a result for each question and setting; traces start with a step without a move."""
    assert main(["check", PLUMS, "--every-option", "--question", "four-plums", "--question", "ends", "--json"]) == 1
    answer = json.loads(capsys.readouterr().out)
    assert answer.keys() >= TOP
    assert answer["game"] == "plums"
    asked = [(r["question"], r["options"]["handful"]) for r in answer["results"]]
    assert sorted(asked) == [("ends", "one"), ("ends", "two"), ("four-plums", "one"), ("four-plums", "two")]
    for result in answer["results"]:
        assert result.keys() >= RESULT
    trace = next(r for r in answer["results"] if r["question"] == "four-plums" and r["options"]["handful"] == "two")["trace"]
    assert trace["loop_from"] is None
    assert trace["steps"][0]["move"] is None
    assert [s["move"] for s in trace["steps"][1:]] == ["take(n=2)", "take(n=1)", "take(n=2)"]
    assert trace["steps"][1]["changed"] == {"turn": "1", "left": "3", "eaten[0]": "2"}
    assert trace["steps"][0]["state"] == {"turn": 0, "left": 5, "eaten": {"0": 0, "1": 0}}


def test_json_of_why_has_the_deciding_clauses_and_what_differs(capsys: pytest.CaptureFixture[str]) -> None:
    """One result, its question `why`; under `differs` the settings with the other verdict."""
    assert main(["why", PLUMS, "--move", "take(n=2)", "--option", "handful=one", "--json"]) == 1
    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert result.keys() >= RESULT
    assert (result["question"], result["verdict"], result["clauses"]) == ("why", "illegal", ["one-at-a-time"])
    assert result["differs"] == [{"handful": "two"}]


def test_json_of_list_names_what_asks_about_a_clause(capsys: pytest.CaptureFixture[str]) -> None:
    """Each row says which list it is of; a clause says whether it is in force and which questions cite or name it."""
    assert main(["list", PLUMS, "clauses", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    found = {r["id"]: r for r in rows["results"]}
    assert found["one-at-a-time"]["in_force"] is False
    assert found["in-the-bowl"]["in_force"] is True
    assert found["in-the-bowl"]["covered_by"] == ["no-more-than-there-are"]


@pytest.mark.parametrize("what", ["clauses", "questions", "options", "scenarios", "sources"])
def test_lists_and_the_game_in_words_fit_eighty_columns(
    what: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Long entries are wrapped."""
    monkeypatch.setenv("COLUMNS", "80")
    assert main(["list", DICE, what]) == 0
    assert main(["show", DICE]) == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


def test_help_is_quick_and_loads_no_engine() -> None:
    """`--help` imports neither z3 nor networkx nor an engine, and takes less than a second of a processor."""
    program = (
        "import sys, tablelaw.cli\n"
        "status = tablelaw.cli.main(['--help'])\n"
        "loaded = [m for m in ('z3', 'networkx', 'yaml', 'tablelaw.solver.engine') if m in sys.modules]\n"
        "sys.exit(repr(loaded) if loaded or status else 0)\n"
    )
    begun = os.times()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 0, done.stderr
    assert "check" in done.stdout
    ended = os.times()
    assert ended.children_user + ended.children_system - begun.children_user - begun.children_system < 1.0


MARKING = """
import pathlib, sys
from tablelaw.checkers.session import Session
from tablelaw.cli import main
ask = Session.ask

def marking(self, case):
    if case.name == "dice-conserved":
        pathlib.Path(sys.argv[1]).touch()
    return ask(self, case)

Session.ask = marking
sys.exit(main(sys.argv[2:]))
"""
"""The command, leaving a file when it comes to the long question."""


def interrupted(folder: Path, *words: str) -> tuple[int, str, str]:
    """Asks a quick and a long question, presses Ctrl-C at the long one, and gives exit status, output and errors."""
    environment = {**os.environ, "COLUMNS": "80"}
    mark = folder / "mark"
    command = [sys.executable, "-c", MARKING, str(mark), "check", DICE, "--question", "fourth-roll"]
    command += ["--question", "dice-conserved", "--engine", "explicit", *words]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as process:
        while not mark.exists() and process.poll() is None:
            time.sleep(0.05)
        time.sleep(0.5)
        assert process.poll() is None, "the command ended by itself; take a longer one"
        process.send_signal(signal.SIGINT)
        try:
            out, err = process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            raise
    return process.returncode, out, err


def test_ctrl_c_stops_with_the_answers_so_far(tmp_path: Path) -> None:
    """No traceback; what was answered stays printed; the exit status says that something is unknown."""
    status, out, err = interrupted(tmp_path)
    assert status == 3
    assert "Traceback" not in err
    assert "stopped" in err
    assert "fourth-roll: holds" in out


def test_ctrl_c_leaves_one_json_object(tmp_path: Path) -> None:
    """With `--json` the answers so far are an object all the same."""
    status, out, _ = interrupted(tmp_path, "--json")
    assert status == 3
    found = {r["question"]: r["verdict"] for r in json.loads(out)["results"]}
    assert found == {"fourth-roll": "holds", "dice-conserved": "unknown"}
