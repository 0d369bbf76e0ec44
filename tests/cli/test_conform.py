"""`tablelaw conform`: programs that agree, that play another reading, that are wrong, and that do not answer."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tablelaw.cli import main

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
TIC = str(EXAMPLES / "tic-tac-toe")
PLAIN = EXAMPLES / "engines" / "plain_tic_tac_toe.py"
RACE = """\
tablelaw: 1
game: race
title: Race
players: 2
sources: {own: {title: Own rules, language: en}}
options:
  exactly:
    kind: reading
    question: Must the goal be reached exactly?
    values: {no: {says: It may be passed.}, yes: {says: A roll that is too high does not count.}}
    default: no
state:
  turn: {type: Player, init: 0}
  place: {type: "map[Player, 0..14]", init: 0}
  rested: {type: bool, init: false}
  tired: {type: bool, init: false}
actions:
  roll:
    by: turn
    chance: {pips: die(6)}
    do:
      - id: goes
        says: A pawn goes on.
        when: place[turn] + pips <= 8 or option('exactly') == 'no'
        do: place[turn] += pips
      - {id: tires, says: A six makes tired., when: pips == 6, do: tired = true}
      - {id: next, says: Turns go round., do: "turn = after(turn)"}
  wait:
    by: turn
    require: [{id: not-twice, says: Nobody waits after somebody has., check: not rested}]
    do: |
      rested = true
      turn = after(turn)
  wakes:
    by: table
    during: tired
    do: [{id: awake, says: The table wakes them., do: "tired = false"}]
end:
  - id: there
    says: Whoever gets there first wins.
    when: any(place[p] >= 8 for p in Player)
    winners: "{p for p in Player if place[p] >= 8}"
questions:
  never-home: {never: "place[0] == 1 and place[1] == 1 and turn == 1"}
"""


@pytest.fixture
def race(tmp_path: Path) -> str:
    """Rules with a draw, a step of the table and a reading."""
    path = tmp_path / "race.yaml"
    path.write_text(RACE, encoding="utf-8")
    return str(path)


def engine(spec: str, *more: str) -> list[str]:
    """The reference evaluator as a program."""
    return [sys.executable, "-m", "tablelaw.testing.engine", spec, *more]


def result(argv: list[str], capsys: pytest.CaptureFixture[str], status: int) -> dict[str, Any]:
    """The result of a run."""
    at = argv.index("--")
    assert main(["conform", *argv[:at], "--json", *argv[at:]]) == status
    (row,) = json.loads(capsys.readouterr().out)["results"]
    assert isinstance(row, dict)
    return row


def script(tmp_path: Path, text: str) -> list[str]:
    """A program."""
    path = tmp_path / "program.py"
    path.write_text(text, encoding="utf-8")
    return [sys.executable, str(path)]


# agreement


def test_a_program_that_plays_the_game_agrees(capsys: pytest.CaptureFixture[str]) -> None:
    """Exit status 0, and it is told how much was compared."""
    row = result([TIC, "--plays", "20", "--", sys.executable, str(PLAIN)], capsys, 0)
    assert (row["question"], row["verdict"], row["plays"], row["differences"]) == ("conform", "holds", 20, [])
    assert row["positions"] > 100 < row["moves"]
    assert main(["conform", TIC, "--plays", "5", "--at-end", "--", sys.executable, str(PLAIN)]) == 0
    assert capsys.readouterr().out.startswith("agree: 5 plays, 5 positions")


@pytest.mark.skipif(shutil.which("node") is None, reason="no node here")
def test_the_same_in_javascript(capsys: pytest.CaptureFixture[str]) -> None:
    """The example in JavaScript agrees as well."""
    program = EXAMPLES / "engines" / "plain_tic_tac_toe.js"
    row = result([TIC, "--plays", "10", "--", "node", str(program)], capsys, 0)
    assert row["plays"] == 10


def test_the_evaluator_as_a_program_agrees_on_draws_and_steps_of_the_table(
    race: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Draws are told to the program; what the table does of itself is its own affair."""
    row = result([race, "--plays", "30", "--", *engine(race)], capsys, 0)
    assert row["ends"] == 30
    row = result([race, "--plays", "5", "--at", "{turn: 1, place: {0: 6, 1: 6}}", "--", *engine(race)], capsys, 0)
    assert row["plays"] == 5


# differences


def test_another_reading_is_named_and_the_rest_compared(race: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A program that plays another reading agrees under it; the play that shows it is short."""
    row = result([race, "--plays", "60", "--", *engine(race, "--option", "exactly=yes")], capsys, 1)
    (difference,) = row["differences"]
    told = difference["differs"]
    assert (told["judgement"], told["readings"]) == ("reading", [{"exactly": "yes"}])
    assert len(difference["play"]) == 3
    assert row["last"] == {"options": {"exactly": "yes"}, "without": [], "agrees": True}


@pytest.mark.parametrize("clause", ["not-twice", "goes", "tires", "there"])
def test_a_clause_that_the_program_lacks_is_found(clause: str, race: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A fault of the program: it plays as the rules would without the clause, and the clause is named."""
    row = result([race, "--plays", "60", "--first", "--", *engine(race, "--without", clause)], capsys, 1)
    told = row["differences"][0]["differs"]
    assert told["judgement"] == "engine fault"
    assert clause in told["as_without"]
    assert clause in row["clauses"]


def test_an_end_missed_is_found_by_bisection(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Compared at the end alone, the first difference of a play is looked for between beginnings that agree and that do not."""
    text = PLAIN.read_text(encoding="utf-8").replace("[] if ended() else [", "[").replace("if ended() or ", "if ")
    lines = text.replace("return won(0) or won(1) or None not in board", "return None not in board")
    row = result([TIC, "--at-end", "--first", "--", *script(tmp_path, lines)], capsys, 1)
    (difference,) = row["differences"]
    assert difference["differs"]["kind"] == "end"
    assert (difference["ended"], len(difference["play"])) == ("three-in-a-row", 5)


def test_a_difference_is_saved_and_found_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is written with `--out` is a fixture: the program fails along it, and one that is right passes."""
    wrong = script(tmp_path, PLAIN.read_text(encoding="utf-8").replace("(2, 4, 6))", "(2, 4, 7))"))
    out = tmp_path / "found.jsonl"
    assert main(["conform", TIC, "--first", "--out", str(out), "--", *wrong]) == 1
    (line,) = out.read_text(encoding="utf-8").splitlines()
    entry = json.loads(line)
    assert {"spec_hash", "play", "position", "legal", "illegal", "clauses", "differs"} <= set(entry)
    capsys.readouterr()
    again = result([TIC, "--fixtures", str(out), "--", *wrong], capsys, 1)
    assert (again["plays"], again["fixtures"]) == (0, 1)
    assert result([TIC, "--fixtures", str(out), "--", sys.executable, str(PLAIN)], capsys, 0)["fixtures"] == 1


def test_rules_that_leave_a_step_open_are_suspected(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two steps of the table that do not commute: the program took them in the other order, and the rules do not say."""
    rules = """\
tablelaw: 1
game: open
title: Open
players: 2
state:
  n: {type: 0..9, init: 1}
  open: {type: bool, init: false}
  odd: {type: bool, init: true}
actions:
  go: {by: "0", require: [{id: once, says: Once., check: n < 3}], do: [open = true]}
  doubles: {by: table, during: open and odd, do: ["n = n * 2", "odd = false"]}
  adds: {by: table, during: open, do: ["n = n + 1", "open = false"]}
end: [{id: over, says: Over., when: n > 2 and not open}]
"""
    path = tmp_path / "open.yaml"
    path.write_text(rules, encoding="utf-8")
    program = """\
import json, sys
n = 1
for line in sys.stdin:
    asked = json.loads(line)
    if asked["do"] == "quit":
        break
    n = {"new": 1, "play": 4}.get(asked["do"], n)
    said = {"ok": True} if asked["do"] in ("new", "play") else {"moves": ["go"] if n == 1 else []}
    if asked["do"] == "outcome":
        said = {"ended": n > 2, "position": {"n": n}}
    print(json.dumps(said), flush=True)
"""
    row = result([str(path), "--plays", "2", "--", *script(tmp_path, program)], capsys, 1)
    told = row["differences"][0]["differs"]
    assert told["judgement"] == "spec fault?"
    assert "which comes first, `doubles` and `adds`" in told["says"]


def test_a_broken_question_is_suspected(race: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Where the play breaks what the rules file itself asks for, the rules are suspected before the program."""
    argv = [race, "--at", "{turn: 1, place: {0: 1, 1: 1}}", "--plays", "3", "--first", "--"]
    row = result([*argv, *engine(race, "--without", "not-twice")], capsys, 1)
    told = row["differences"][0]["differs"]
    assert (told["judgement"], "never-home" in told["says"]) == ("spec fault?", True)


def test_a_move_after_the_end_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The last move is sent once more when the play is over."""
    wrong = script(tmp_path, PLAIN.read_text(encoding="utf-8").replace("if ended() or board[square] is not None:", "if False:"))
    row = result([TIC, "--plays", "5", "--", *wrong], capsys, 1)
    assert row["differences"][-1]["differs"]["kind"] == "takes"


def test_clauses_can_be_left_out(race: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A difference that is known is stepped over with `--without`."""
    row = result([race, "--without", "not-twice", "--", *engine(race, "--without", "not-twice")], capsys, 0)
    assert row["last"]["without"] == ["not-twice"]


# programs in trouble

HEAD = "import json, os, sys, time\n"
TROUBLE = {
    "mute": ("for line in sys.stdin: time.sleep(1000)", "mute", "no answer to `new` within 0.5 s"),
    "deaf": ("time.sleep(1000)", "mute", "no answer"),
    "gone": ("sys.exit(7)", "crash", "exit status 7"),
    "killed": ("sys.stdin.readline(); sys.stdout.write('{'); sys.stdout.flush(); os.kill(os.getpid(), 9)", "crash", "SIGKILL"),
    "words": ("for line in sys.stdin: print('thinking', flush=True)", "garbage", "`thinking` is no JSON"),
    "list": ("for line in sys.stdin: print('[1]', flush=True)", "garbage", "no JSON object"),
    "bytes": ("os.write(1, b'\\xff\\xfe\\n'); time.sleep(9)", "garbage", "no JSON"),
    "deep": ("print('[' * 100000, flush=True); time.sleep(9)", "garbage", "no JSON"),
    "wrong": ("for line in sys.stdin: print('{\"ok\": 1}', flush=True)", "garbage", "was expected"),
    "endless": ("while True: sys.stdout.write('x' * 10000)", "long", "no end of line"),
    "huge": ("print('x' * 3000000, flush=True); time.sleep(9)", "long", "bytes"),
    "twice": ('for line in sys.stdin: print(\'{"ok": true}\\n{"ok": true}\', flush=True)', "unasked", "without being asked"),
    "sorry": ('for line in sys.stdin: print(\'{"error": "no idea"}\', flush=True)', "error", "no idea"),
    "closed": ("sys.stdin.readline(); os.close(1); time.sleep(1000)", "crash", "runs on"),
}


@pytest.mark.parametrize("name", sorted(TROUBLE))
def test_a_program_in_trouble_is_a_finding(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It says nothing, too much, or the wrong thing, or it ends: exit status 1, a sentence, and nothing hangs."""
    body, kind, says = TROUBLE[name]
    began = time.monotonic()
    argv = [TIC, "--answer", "0.5", "--first", "--", *script(tmp_path, HEAD + body)]
    told = result(argv, capsys, 1)["differences"][0]["differs"]
    assert (told["kind"], told["trouble"], told["judgement"]) == ("trouble", kind, "engine fault")
    assert says in told["program"]
    assert time.monotonic() - began < 25


def test_a_program_that_stays_is_told_and_killed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """After `quit` it has to go; what it has started goes with it."""
    text = PLAIN.read_text(encoding="utf-8").replace("        break\n", "        time.sleep(1000)\n")
    begin = "import subprocess, time\nhelper = subprocess.Popen(['sleep', '1000'])\n"
    begin += f"open({str(tmp_path / 'pid')!r}, 'w').write(str(helper.pid))\n"
    row = result([TIC, "--plays", "2", "--", *script(tmp_path, begin + text)], capsys, 1)
    assert "after `quit`" in row["lingers"]
    assert gone(int((tmp_path / "pid").read_text()))


def gone(pid: int) -> bool:
    """Has the process ended (or waits only for somebody to ask how)?"""
    for _ in range(50):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return True
        if state == "Z":
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_no_program_is_left_when_the_command_is_stopped(number: signal.Signals, tmp_path: Path) -> None:
    """Ctrl-C, or a request to end, ends the program too."""
    pid = tmp_path / "pid"
    body = f"open({str(pid)!r}, 'w').write(str(os.getpid()))\nwhile True: time.sleep(1)"
    command = [sys.executable, "-m", "tablelaw", "conform", TIC, "--answer", "60", "--", *script(tmp_path, HEAD + body)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        for _ in range(200):
            if pid.exists() and pid.read_text():
                break
            time.sleep(0.1)
        os.kill(process.pid, number)
        _, said = process.communicate(timeout=20)
    assert (process.returncode, said) == (3, b"stopped\n")
    assert gone(int(pid.read_text()))


# usage


@pytest.mark.parametrize(
    ("argv", "code"),
    [
        ([TIC, "--", "no-such-program-here"], "Q128"),
        ([str(EXAMPLES / "nim"), "--", sys.executable, str(PLAIN)], "Q128"),
        ([TIC, "--without", "empty-squares", "--", "true"], "Q106"),
        ([TIC, "--fixtures", "no-such-file.jsonl", "--", "true"], "Y101"),
        ([TIC, "--plays", "0", "--", "true"], "Q109"),
        ([TIC], "Q109"),
        ([TIC, "--at", "{turn: 9}", "--", "true"], "T112"),
    ],
)
def test_bad_usage_is_a_diagnostic(argv: list[str], code: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit status 2 and a cure."""
    assert main(["conform", *argv]) == 2
    said = capsys.readouterr().err
    assert f"error[{code}]" in said
    assert "help:" in said


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "[]",
        "{}",
        '{"game": "nim"}',
        '{"game": "tic-tac-toe", "play": ["jump"]}',
        '{"game": "tic-tac-toe", "players": 3}',
        '{"game": "tic-tac-toe", "play": 3}',
        '{"game": "tic-tac-toe", "options": {"a": "b"}}',
        '{"game": "tic-tac-toe", "from": {"turn": 7}}',
    ],
)
def test_a_fixture_that_cannot_be_read_is_a_diagnostic(line: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The line is named."""
    path = tmp_path / "bad.jsonl"
    path.write_text(f'{{"game": "tic-tac-toe", "play": ["mark(square=4)"]}}\n{line}\n', encoding="utf-8")
    assert main(["conform", TIC, "--fixtures", str(path), "--", sys.executable, str(PLAIN)]) == 2
    said = capsys.readouterr().err
    assert "error[Q127]" in said
    assert ":2:" in said


def test_rules_that_cannot_go_on_are_told(race: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A step that leaves a range, or a fixture that these rules do not allow, is no fault of the program."""
    path = tmp_path / "short.yaml"
    path.write_text(RACE.replace("0..14", "0..9"), encoding="utf-8")
    row = result([str(path), "--plays", "60", "--", *engine(race)], capsys, 1)
    told = row["differences"][0]["differs"]
    assert (told["judgement"], told["kind"]) == ("spec fault?", "faulty")
    assert "the rules have no value for what `roll` leads to" in told["says"]
    line = tmp_path / "line.jsonl"
    line.write_text('{"game": "race", "id": "twice", "play": ["wait", "wait"]}\n', encoding="utf-8")
    row = result([race, "--fixtures", str(line), "--", *engine(race)], capsys, 1)
    assert "the fixture `twice` is not legal by these rules" in row["differences"][0]["differs"]["says"]


def test_a_program_that_answers_by_chance_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A difference that does not show again says so."""
    text = PLAIN.read_text(encoding="utf-8")
    text = text.replace("[] if ended() else [", "[] if ended() or seen() else [")
    text = text.replace(
        "def won(", "count = 0\n\n\ndef seen():\n    global count\n    count += 1\n    return count == 12\n\n\ndef won("
    )
    row = result([TIC, "--first", "--", *script(tmp_path, text)], capsys, 1)
    assert row["differences"][0]["differs"]["again"] is False


# engines of others

CONNECT_FOUR = ["--option", "columns=7", "--option", "rows=6", "--option", "line=4"]
ADAPTERS = [
    ("openspiel_games.py", "pyspiel", "tic-tac-toe", [], 0),
    ("pettingzoo_classic.py", "pettingzoo.classic", "tic-tac-toe", [], 0),
    ("mancala_kalah.py", "mancala", "engines/kalah-stopped-early.yaml", ["--option", "houses=6", "--option", "seeds=4"], 1),
    ("connect_four_judge.py", "connect_four_lib", "connect", CONNECT_FOUR, 0),
]


LAST = ["--fixtures", str(EXAMPLES / "engines" / "line-on-the-last-square.jsonl")]
ADAPTERS.append(("connect_four_judge.py", "connect_four_lib", "connect", [*CONNECT_FOUR, *LAST], 1))


@pytest.mark.parametrize(("adapter", "package", "game", "options", "status"), ADAPTERS)
def test_adapters_of_engines_of_others(
    adapter: str, package: str, game: str, options: list[str], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where the package is installed its adapter plays; where it is not, it says so and nothing else breaks."""
    argv = [str(EXAMPLES / game), *options, "--plays", "3", "--", sys.executable, str(EXAMPLES / "engines" / adapter)]
    if importlib.util.find_spec(package.partition(".")[0]) is not None:
        assert main(["conform", *argv]) == status
        return
    assert main(["conform", *argv]) == 2
    assert "is not installed" in capsys.readouterr().err
