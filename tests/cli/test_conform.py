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

from tablelaw.checkers import foreign
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
    assert (row["verdict"], row["known_by"]) == ("fails", "sampled")
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
    (difference,) = row["differences"]
    told = difference["differs"]
    assert (told["kind"], told["as_without"]) == ("takes", [])  # it says that the play has ended, as the rules do


def test_clauses_can_be_left_out(race: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A difference that is known is stepped over with `--without`."""
    row = result([race, "--without", "not-twice", "--", *engine(race, "--without", "not-twice")], capsys, 0)
    assert row["last"]["without"] == ["not-twice"]


def test_a_move_listed_twice_is_a_difference(toss: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each move is to be listed once: a program that counts one twice counts wrongly."""
    text = "".join(Path(tosser(tmp_path)[1]).read_text(encoding="utf-8"))
    wrong = script(tmp_path, text.replace("in (1, 2) if", "in ((1, 2, 1) if left == 5 else (1, 2)) if"))
    row = result([toss, "--first", "--", *wrong], capsys, 1)
    told = row["differences"][0]["differs"]
    assert (told["kind"], told["missing"], told["extra"]) == ("moves", [], [])
    assert told["twice"] == ["take(n=1)"]
    assert told["clauses"][0] == "take"
    assert main(["conform", toss, "--first", "--", *wrong]) == 1
    assert "listed by the program more than once: take(n=1)" in capsys.readouterr().out


def test_a_table_that_never_rests_is_the_rules_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The program is not asked to follow, and our own does not go round for ever."""
    path = tmp_path / "loop.yaml"
    path.write_text(
        "tablelaw: 1\ngame: loop\ntitle: Loop\nplayers: 2\nstate: {x: {type: 0..2, init: 0}}\n"
        "actions: {go: {by: table, do: x = (x + 1) % 3}}\nend: [{id: over, when: x == 7}]\n",
        encoding="utf-8",
    )
    began = time.process_time()
    row = result([str(path), "--", *engine(str(path))], capsys, 1)
    assert time.process_time() - began < 8
    told = row["differences"][0]["differs"]
    assert (told["judgement"], told["kind"], told["again"]) == ("spec fault?", "faulty", True)
    asked = '{"do": "new", "game": "loop", "options": {}, "players": 2}\n'
    said = subprocess.run(engine(str(path)), input=asked, text=True, capture_output=True, check=True, timeout=30).stdout
    assert "and goes on" in json.loads(said)["error"]


@pytest.mark.parametrize(
    "body",
    [
        "print(json.dumps({'error': chr(27) + '[2Jgone' + chr(0x202e)}), flush=True)",
        "print(json.dumps({'ok': True, 'moves': ['mark' + chr(27) + '[2J'], 'ended': False}), flush=True)",
        "print(json.dumps({'illegal': chr(27) + '[2J'} if 'mark' in line else"
        " {'ok': True, 'moves': [f'mark(square={n})' for n in range(9)], 'ended': False}), flush=True)",
        "sys.stderr.write(chr(27) + '[2J' + chr(10)); sys.stderr.flush(); sys.exit(1)",
        "print(json.dumps({'unsupported': chr(27) + '[2J'}), flush=True)",
    ],
)
def test_what_a_program_says_does_not_move_the_cursor(body: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Control characters in its words are shown, not sent to the terminal."""
    program = script(tmp_path, HEAD + "for line in sys.stdin:\n    if 'quit' in line: break\n    " + body)
    assert main(["conform", TIC, "--first", "--plays", "1", "--out", str(tmp_path / "o.jsonl"), "--", *program]) in (1, 2)
    said = capsys.readouterr()
    assert "\\x1b[2J" in said.out + said.err
    assert not {"\x1b", "\u202e"} & set(said.out + said.err)


@pytest.mark.parametrize("out", ["{dir}", "{dir}/none/x.jsonl", ""])
def test_where_it_is_written_is_looked_at_first(out: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file that cannot be written is told before anything is compared."""
    mark = tmp_path / "started"
    program = script(tmp_path, f"open({str(mark)!r}, 'w')")
    assert main(["conform", TIC, "--out", out.replace("{dir}", str(tmp_path)), "--", *program]) == 2
    said = capsys.readouterr().err
    assert "error[Q112]" in said
    assert "= help: name a file" in said
    assert not mark.exists()


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
    "closed later": (
        "sys.stdin.readline(); os.write(1, b'{\"ok\": true}\\n'); os.close(1); time.sleep(1000)",
        "crash",
        "it closed its standard output and runs on",
    ),
    "child": (
        "import subprocess; sys.stdin.readline(); subprocess.Popen(['sleep', '1000']); os._exit(3)",
        "crash",
        "it ended with exit status 3 without an answer to `new`; something that it started holds its standard output",
    ),
    "half": ('sys.stdin.readline(); print(\'{"ok": "\\\\ud800"}\', flush=True); time.sleep(9)', "garbage", "half a character"),
    "half error": (
        'sys.stdin.readline(); print(\'{"error": "\\\\uDFFF"}\', flush=True); time.sleep(9)',
        "garbage",
        "half a character",
    ),
}


@pytest.mark.parametrize("name", sorted(TROUBLE))
def test_a_program_in_trouble_is_a_finding(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says nothing, too much, or the wrong thing, or it ends: exit status 1, a sentence, and nothing hangs."""
    body, kind, says = TROUBLE[name]
    if name.startswith("closed"):  # it is waited for in vain, three times
        monkeypatch.setattr(foreign, "LAST_SECONDS", 0.3)
    began = time.monotonic()
    argv = [TIC, "--answer", "0.5", "--first", "--", *script(tmp_path, HEAD + body)]
    told = result(argv, capsys, 1)["differences"][0]["differs"]
    assert (told["kind"], told["trouble"], told["judgement"]) == ("trouble", kind, "engine fault")
    assert says in told["program"]
    assert told["again"] is True
    assert time.monotonic() - began < 100  # the programs sleep for longer, or are asked in vain


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


def test_faults_of_fixtures_that_are_alike_are_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A file of another game is one error, not one a line."""
    path = tmp_path / "other.jsonl"
    path.write_text('{"game": "nim"}\n' * 30 + "{\n" * 2 + '{"game": "tic-tac-toe"}\n', encoding="utf-8")
    assert main(["conform", TIC, "--fixtures", str(path), "--", sys.executable, str(PLAIN)]) == 2
    said = capsys.readouterr().err
    assert said.count("error[Q127]") == 2
    assert "its game is `nim`; so it is with 29 more lines" in said
    assert "no JSON; so it is with 1 more line" in said


def test_fixtures_that_are_left_out_are_counted(race: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Those of other settings than were asked for; where there are no others, there is nothing to compare."""
    path = tmp_path / "lines.jsonl"
    rows = [{"game": "race", "options": {"exactly": e}, "play": ["roll -> pips=3"]} for e in ("no", "yes", "no")]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    more = ["--fixtures", str(path), "--option", "exactly=yes", "--players", "2"]
    row = result([race, *more, "--", *engine(race)], capsys, 0)
    assert (row["fixtures"], row["left_out"]) == (1, {"exactly=yes": 2})
    assert main(["conform", race, *more, "--", *engine(race)]) == 0
    assert "2 fixtures left out: they are not for exactly=yes" in capsys.readouterr().out
    path.write_text(json.dumps(rows[0]) + "\n", encoding="utf-8")
    assert main(["conform", race, *more, "--", *engine(race)]) == 3
    said = capsys.readouterr().out
    assert "agree" not in said
    assert said.startswith("nothing was compared")
    assert "1 fixture left out, and there are no others: it is not for exactly=yes" in " ".join(said.split())
    row = result([race, *more, "--", *engine(race)], capsys, 3)
    assert (row["verdict"], row["known_by"]) == ("unknown", None)


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


TOSS = """\
tablelaw: 1
game: toss
title: Toss
players: 2
state:
  turn: {type: Player, init: 0}
  left: {type: 0..8, init: 8}
  last: {type: 0..2, init: 0}
  coins: {type: "map[Player, 0..1]", init: 1}
actions:
  take:
    by: turn
    params: {n: 1..2}
    require: [{id: enough, check: n <= left}]
    do: ["left -= n", "last = n", "turn = after(turn)"]
  toss:
    by: turn
    require: [{id: coin-left, check: "coins[turn] > 0"}]
    chance: {face: "die(2)"}
    do: ["coins[turn] -= 1", {id: forgets, do: "last = 0"}, {id: passes, when: face == 1, do: "turn = after(turn)"}]
end: [{id: empty, when: left == 0, winners: "{before(turn)}"}]
"""
TOSSER = """\
import json, sys
plays = 0
for line in sys.stdin:
    asked = json.loads(line)
    said = {"ok": True}
    if asked["do"] == "new":
        turn, left, last, coins = 0, 8, 0, [1, 1]
        plays += 1
        seen = 0
    elif asked["do"] == "play" and left == 0:
        said = {"illegal": "it is over"}
    elif asked["do"] == "play" and asked["action"] == "take":
        last = asked["args"]["n"]
        left, turn = left - last, 1 - turn
    elif asked["do"] == "play":
        coins[turn] -= 1
        last = FORGETS
        turn = 1 - turn if asked["draw"]["face"] == 1 else turn
    elif asked["do"] == "legal":
        seen += 1
        said = {"moves": [f"take(n={n})" for n in (1, 2) if n <= left] + ["toss"] * (coins[turn] > 0 and left > 0)}
    elif asked["do"] == "outcome":
        said = {"ended": left == 0, "winners": [WON] if left == 0 else [], "position": {"last": LAST, "left": left}}
    elif asked["do"] == "quit":
        break
    print(json.dumps(said), flush=True)
"""


@pytest.fixture
def toss(tmp_path: Path) -> str:
    """Rules in which what a move leaves is overwritten by the next."""
    path = tmp_path / "toss.yaml"
    path.write_text(TOSS, encoding="utf-8")
    return str(path)


def tosser(tmp_path: Path, forgets: str = "0", last: str = "last", won: str = "1 - turn", begin: str = "pass") -> list[str]:
    """The same game as a program."""
    text = (
        TOSSER.replace("FORGETS", forgets)
        .replace("LAST", last)
        .replace("WON", won)
        .replace("    said", f"    {begin}\n    said", 1)
    )
    return script(tmp_path, "import time\n" + text)


@pytest.mark.parametrize("more", [[], ["--at-end"]])
def test_a_difference_that_comes_and_goes_is_not_called_unsteady(
    more: list[str], toss: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The program forgets to reset a variable, which the next move overwrites: a difference that bisection steps over."""
    assert result([toss, "--plays", "20", "--", *tosser(tmp_path)], capsys, 0)["ends"] == 20
    wrong = tosser(tmp_path, forgets="last", won="turn")  # the second fault shows at every end
    kinds = []
    for seed in "1234":
        row = result([toss, *more, "--first", "--plays", "1", "--seed", seed, "--", *wrong], capsys, 1)
        (difference,) = row["differences"]
        told = difference["differs"]
        assert told["again"] is True
        assert "note" not in told
        kinds.append(told["kind"])
        if told["kind"] == "position":
            assert difference["play"][-1].startswith("toss")
            assert told["clauses"][0] == "toss"
    assert kinds.count("position") >= 2


def test_a_program_that_keeps_something_between_plays_is_told_so(
    toss: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same question in the same play is answered otherwise after other plays: that is not chance."""
    wrong = tosser(tmp_path, last="last if plays != 3 else 3 - last")
    told = result([toss, "--plays", "20", "--", *wrong], capsys, 1)["differences"][0]["differs"]
    assert told["again"] is False
    assert "keeps something from one play to the next, or" in told["note"]
    wrong = tosser(tmp_path, last="last if plays > 1 else 2 - last")
    told = result([toss, "--plays", "20", "--", *wrong], capsys, 1)["differences"][0]["differs"]
    assert told["again"] is True
    assert "begun anew" in told["note"]


def test_a_program_that_answers_otherwise_when_asked_more_is_told_so(
    toss: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is wrong only where it was not asked before: nothing is said of chance alone, and the difference stays."""
    wrong = tosser(tmp_path, last="last if seen else 2")
    told = result([toss, "--at-end", "--plays", "20", "--", *wrong], capsys, 1)["differences"][0]["differs"]
    assert told["again"] is True
    wrong = tosser(tmp_path, last="last if seen or left == 8 else (last + 1) % 3")
    told = result([toss, "--at-end", "--plays", "20", "--", *wrong], capsys, 1)["differences"][0]["differs"]
    assert told["again"] is True
    assert "what it was asked before" in told["note"]


def test_a_fault_of_rules_without_a_clause_is_no_finding(toss: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Comparing goes on without a clause, and there the rules leave a range: it is told, but not as a fault of theirs."""
    for more in ([], ["--without", "coin-left"]):
        row = result([toss, *more, "--", *engine(toss, "--without", "coin-left")], capsys, 0 if more else 1)
        assert [d["differs"]["judgement"] for d in row["differences"]] == ([] if more else ["engine fault"])
        assert row["last"]["agrees"] is True
        ((why, number),) = row["cut_short"].items()
        assert "`coins` leaves its range" in why
        assert number > 5
    assert main(["conform", toss, "--", *engine(toss, "--without", "coin-left")]) == 1
    said = " ".join(capsys.readouterr().out.split())
    assert "plays were followed only in part, since the rules are taken without `coin-left`: " in said
    assert "spec fault" not in said


def test_the_rules_without_a_clause_are_not_suspected(race: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A play that the whole rules do not have shows nothing about a question that they keep."""
    path = tmp_path / "kept.yaml"
    kept = RACE.replace("n == 1 and turn == 1", "n").partition("questions:")[0] + "questions:\n"
    kept = kept.replace("rested: {type: bool, init: false}", "rested: {type: 0..9, init: 0}")
    kept = kept.replace("check: not rested", "check: rested == 0").replace("rested = true", "rested += 1")
    path.write_text(kept + "  rest-once: {never: rested > 1}\n", encoding="utf-8")
    wrong = engine(str(path), "--without", "not-twice", "--without", "tires")
    row = result([str(path), "--plays", "100", "--", *wrong], capsys, 1)
    assert len(row["differences"]) == 2
    assert [d["differs"]["judgement"] for d in row["differences"]] == ["engine fault"] * 2


def test_a_fault_of_the_rules_is_shown_with_its_step_and_is_short(
    race: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The step that has no value is told, the play to it is short, nobody is called unsteady, and the line shows it again."""
    path = tmp_path / "short.yaml"
    path.write_text(RACE.replace("0..14", "0..9"), encoding="utf-8")
    out = tmp_path / "found.jsonl"
    assert main(["conform", str(path), "--plays", "60", "--out", str(out), "--", *engine(race)]) == 1
    said = capsys.readouterr().out
    assert "again" not in said
    assert "leaves its range" in said
    (entry,) = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert len(entry["play"]) == 2
    assert entry["differs"]["step"].startswith("roll -> pips=")
    row = result([str(path), "--fixtures", str(out), "--", *engine(race)], capsys, 1)
    assert row["differences"][0]["differs"]["kind"] == "faulty"


def test_a_fixture_that_another_reading_does_not_have_is_no_finding(
    race: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """After a difference is explained by a reading, a play of the rules as they were need not be one of that reading."""
    rules = tmp_path / "strict.yaml"
    strict = "require: [{id: low, only: {exactly: yes}, check: 'place[turn] < 3'}]\n    chance"
    rules.write_text(RACE.replace("chance", strict, 1), encoding="utf-8")
    lines = tmp_path / "lines.jsonl"
    plays = [[], ["roll -> pips=3", "roll -> pips=1", "roll -> pips=1"]]
    text = "".join(json.dumps({"game": "race", "id": str(n), "play": p}) + "\n" for n, p in enumerate(plays))
    lines.write_text(text + json.dumps({"game": "race", "play": plays[1][:2]}) + "\n", encoding="utf-8")
    row = result([str(rules), "--fixtures", str(lines), "--", *engine(str(rules), "--option", "exactly=yes")], capsys, 1)
    assert [d["differs"]["judgement"] for d in row["differences"]] == ["reading"]
    assert list(row["cut_short"].values()) == [1]


def test_the_time_is_kept_within_a_play(toss: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A play of many slow steps is not waited for; what was compared is told."""
    began = time.monotonic()
    slow = tosser(tmp_path, begin="time.sleep(0.5 * (globals().get('left', 8) < 8))")  # quick before the first move
    row = result([toss, "--time", "3", "--plays", "1", "--", *slow], capsys, 3)
    assert time.monotonic() - began < 60
    assert (row["verdict"], row["known_by"], row["reason"]) == ("unknown", None, "the time of 3 s is over")
    assert row["positions"] > 0
    body = "for line in sys.stdin: time.sleep(1000)"
    began = time.monotonic()
    row = result([toss, "--time", "1", "--", *script(tmp_path, HEAD + body)], capsys, 3)
    assert time.monotonic() - began < 60
    assert row["differences"] == []  # it might have answered in time


def test_a_difference_found_late_is_told_as_it_is(toss: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No time is left to make it shorter: it is told so, and not forgotten."""
    wrong = tosser(tmp_path, won="turn", begin="time.sleep(1000 * (asked['do'] == 'new' and 'left' in globals()))")
    row = result([toss, "--plays", "1", "--time", "2", "--", *wrong], capsys, 1)
    told = row["differences"][0]["differs"]
    assert (told["shrunk"], told["note"]) == (False, "there was no time to make it shorter")


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


@pytest.mark.parametrize("words", [["--without", "nonsense"], ["--option", "x=y"], ["--option", "x"]])
def test_the_program_made_of_rules_refuses_what_they_do_not_have(words: list[str]) -> None:
    """A clause that is not there was once left out without a word, and everything agreed."""
    spec = str(Path(__file__).parents[2] / "examples" / "tic-tac-toe" / "rules.yaml")
    command = [sys.executable, "-m", "tablelaw.testing.engine", spec, *words]
    run = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    assert run.returncode == 2
    assert words[1].partition("=")[0] in run.stderr
