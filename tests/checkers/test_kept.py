"""Answers kept between runs: told again as they were, only where all is the same, and never in the way of an answer."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tablelaw
from tablelaw.checkers import kept, retold
from tablelaw.checkers.kept import Kept, Program, kept_answers, program
from tablelaw.checkers.retold import data_of, definite, verdict_of
from tablelaw.checkers.selection import Request
from tablelaw.checkers.session import Session
from tablelaw.cli import main
from tablelaw.report import policy
from tablelaw.solver.native.compiler import compiler
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import load

RULES = """
tablelaw: 1
game: counting
title: Counting
players: 2..3
options:
  last: {question: "How far?", values: 4..5, default: 4, kind: reading}
state:
  at: {type: 0..5, init: 0}
  turn: {type: Player, init: 0}
actions:
  go:
    by: turn
    params: {n: 1..2}
    chance: {d: die(2)}
    require: [{id: room, check: at + n + 2 <= 5 or at + n == 4 or at == 4}]
    do: "at = min(at + n + d, 5); turn = after(turn)"
end:
  - {id: over, when: "at >= option('last')"}
questions:
  low: {always: at <= 5}
  high: {reach: at == 5}
  broken: {never: at == 4}
  most: {largest: at}
  mean: {expected: at, play: best, who: 0}
  chance: {odds: at == 5, play: best, who: [0, 1]}
  ends: {terminates: true}
scenarios:
  one-step: {play: ["go(n=2) -> d=1"], then: ["at == 3"]}
"""
SURE = Program("a program", ())


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where answers are kept, of a program that does not change while the test runs."""
    monkeypatch.delenv(kept.OFF)
    monkeypatch.setenv("TABLELAW_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(kept, "program", lambda: SURE)
    return tmp_path / "cache" / "answers"


@pytest.fixture
def spec(tmp_path: Path) -> Path:
    (tmp_path / "rules.yaml").write_text(RULES, encoding="utf-8")
    return tmp_path / "rules.yaml"


def told(spec: Path, text: str | None = None, **request: Any) -> tuple[list[dict[str, object]], int, int]:
    """The answers as JSON, how many there are, and how many of them were told again."""
    if text is not None:
        spec.write_text(text, encoding="utf-8")
    sink = Diagnostics()
    rules = load(str(spec), sink)
    assert rules is not None, [d.message for d in sink]
    answers = kept_answers()
    assert answers is not None
    session = Session(rules, Request(kept=answers, **{"cores": False, **request}), sink)
    assert session.check(), [d.message for d in sink]
    results = [r for _, _, r in session.answers(list(session.selection.cases())) if r is not None]
    return [r.json() for r in results], len(results), answers.told


def files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*" + kept.SUFFIX))


def test_what_was_asked_before_is_told_again_without_an_engine(
    folder: Path, spec: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, count, none = told(spec)
    assert none == 0
    assert len(files(folder)) == count
    monkeypatch.setattr(Session, "_worked_out", lambda *_: pytest.fail("an answer that is kept is worked out"))
    again, _, every = told(spec)
    assert every == count
    assert json.dumps(again) == json.dumps(first)


@pytest.mark.parametrize(
    ("change", "request_"),
    [
        (lambda text: text + "# a remark\n", {}),
        (lambda text: text.replace("at <= 5", "at <= 4 + 1"), {}),
        (None, {"setting": {"last": "5"}}),
        (None, {"players": 3}),
        (None, {"engine": "explicit"}),
        (None, {"cores": True}),
    ],
    ids=["remark", "question", "option", "players", "engine", "cores"],
)
def test_what_is_asked_otherwise_is_not_told(
    folder: Path, spec: Path, change: Callable[[str], str] | None, request_: dict[str, Any]
) -> None:
    told(spec)
    assert told(spec, None if change is None else change(RULES), **request_)[2] == 0


def test_an_included_file_is_part_of_the_rules(folder: Path, spec: Path, tmp_path: Path) -> None:
    (tmp_path / "more.yaml").write_text("questions:\n  small: {always: at < 6}\n", encoding="utf-8")
    text = RULES.replace("title:", "include: [more.yaml]\ntitle:")
    told(spec, text)
    assert told(spec, text, questions=("low",))[2] == 1
    (tmp_path / "more.yaml").write_text("questions:\n  small: {always: at < 7}\n", encoding="utf-8")
    assert told(spec, text, questions=("low",))[2] == 0


def test_settings_covered_by_one_proof_are_not_those_asked_alone(folder: Path, spec: Path) -> None:
    told(spec, questions=("low",))
    whole, _, none = told(spec, questions=("low",), every_option=True)
    assert none == 0
    again, _, every = told(spec, questions=("low",), every_option=True)
    assert (again, every) == (whole, 1)  # one answer, told of every setting
    starred, _, _ = told(spec, questions=("low",), left_open=("last",))  # the same proof, covering the same settings
    assert [r["options"] for r in starred] == [{"last": "*"}]
    assert told(spec, questions=("low",), left_open=("last",))[0] == starred


def test_another_program_does_not_tell_it(folder: Path, spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, count, _ = told(spec)
    for name, other in (
        ("program", lambda: replace(SURE, digest="another program")),
        ("compiler", lambda: None if compiler() else ("cc",)),
        ("FORMAT", kept.FORMAT + 1),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(kept, name, other)
            assert told(spec)[2] == 0
    assert told(spec)[2] == count


def test_one_byte_of_the_program_changes_its_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("__init__.py", "data.json", "search.c", "note.txt"):
        (tmp_path / name).write_text("x = 1\n", encoding="utf-8")
    os.utime(tmp_path / "note.txt", (1, 1))
    monkeypatch.setattr(tablelaw, "__file__", str(tmp_path / "__init__.py"))

    def now() -> str:
        program.cache_clear()
        return program().digest

    try:
        found = [now(), now()]
        assert found[0] == found[1]
        for name in ("__init__.py", "data.json", "search.c"):
            (tmp_path / name).write_text("x = 2\n", encoding="utf-8")
            found.append(now())
        (tmp_path / "more.py").touch()
        found.append(now())
        (tmp_path / "more.py").rename(tmp_path / "less.py")
        found.append(now())
        assert len(set(found)) == len(found) - 1
    finally:
        program.cache_clear()


def test_nothing_is_kept_by_a_program_that_has_changed(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("1", encoding="utf-8")
    os.utime(file, (1000, 1000))
    here = Program("x", ((str(file), 1000 * 10**9, 1),))
    assert here.steady()
    os.utime(file, (2000, 2000))
    assert not here.steady()
    late = int(time.time()) + 10  # after this program was started
    os.utime(file, (late, late))
    assert not Program("x", ((str(file), late * 10**9, 1),)).steady()
    file.unlink()
    assert not here.steady()


def test_the_real_program_has_all_its_code_in_its_hash() -> None:
    names = {Path(path).name for path, _, _ in program().files}
    assert {"kept.py", "evaluate.py", "verdict.py", "schema.json", "head.c", "policy.py"} <= names


def test_an_unsteady_program_keeps_nothing(folder: Path, spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "program", lambda: Program("x", (("/no/such/file", 0, 0),)))
    told(spec)
    assert files(folder) == []


# what is kept


def test_only_definite_answers_are_kept() -> None:
    assert definite(Verdict("holds", "proved"))
    assert definite(Verdict("value", "bounded", retold.COUNTED, value="3"))
    assert definite(Verdict("value", "exhausted", interval=("0.5", "0.500000001")))
    for other in (
        Verdict("unknown", "proved"),
        Verdict("holds", "bounded", "9 steps"),
        Verdict("holds", "sampled", "100 plays"),
        Verdict("holds"),
        Verdict("value", "exhausted", interval=("0.5", "0.6")),
    ):
        assert not definite(other)


def test_what_is_told_of_a_policy_is_what_is_kept_of_it() -> None:
    assert (retold.FEW, retold.FEW_WORK) == (policy.MOST_LISTED, policy.MOST_WORK)


def test_a_play_that_the_rules_do_not_allow_is_not_told(folder: Path, spec: Path) -> None:
    told(spec, questions=("broken",))
    (file,) = files(folder)
    rules = load(str(spec), Diagnostics())
    assert rules is not None
    game = rules.game({}, 2, Diagnostics())
    assert game is not None
    found = json.loads(zlib.decompress(file.read_bytes()[32:]))
    assert verdict_of(found, game) is not None
    assert found["trace"]["steps"]
    changes: tuple[Callable[[Any], object], ...] = (
        lambda t: t["steps"][0].__setitem__(0, 99),
        lambda t: t["steps"][-1].__setitem__(0, t["steps"][-1][0] - 1),
        lambda t: t["steps"][0].__setitem__(1, [7]),
        lambda t: t["steps"].pop(),
        lambda t: t["start"].__setitem__(0, 9),
        lambda t: t["last"].__setitem__(0, 0),
        lambda t: t.pop("loop_from"),
    )
    for change in changes:
        wrong = json.loads(json.dumps(found))
        change(wrong["trace"])
        assert verdict_of(wrong, game) is None
        packed = zlib.compress(json.dumps(wrong).encode())
        file.write_bytes(hashlib.sha256(packed).digest() + packed)
        assert told(spec, questions=("broken",))[2] == 0
        assert told(spec, questions=("broken",))[2] == 1  # worked out, and kept anew


def test_an_answer_that_does_not_come_back_the_same_is_not_kept(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules = load(str(spec), Diagnostics())
    assert rules is not None
    session = Session(rules, Request(("broken",)), Diagnostics())
    (case,) = session.selection.cases()
    result = session.ask(case)
    assert result is not None
    assert result.game is not None
    assert data_of(result.verdict, result.game) is not None
    trace = result.verdict.trace
    assert trace is not None
    trace.steps[-1] = replace(trace.steps[-1], clauses=("another",))
    assert data_of(result.verdict, result.game) is None


# a folder that cannot be used


@pytest.mark.parametrize("spoil", [b"", b"\0" * 80, None, 10, 40], ids=["empty", "zeros", "short", "hash", "content"])
def test_a_spoiled_file_is_as_if_it_were_not_there(folder: Path, spec: Path, spoil: bytes | int | None) -> None:
    first, count, _ = told(spec)
    for file in files(folder):
        content = file.read_bytes()
        if isinstance(spoil, int):
            content = content[:spoil] + bytes([content[spoil] ^ 1]) + content[spoil + 1 :]
        file.write_bytes(content[:-1] if spoil is None else spoil if isinstance(spoil, bytes) else content)
    again, _, none = told(spec)
    assert none == 0
    assert [{**r, "seconds": 0} for r in again] == [{**r, "seconds": 0} for r in first]
    assert told(spec)[2] == count


def test_killed_while_writing_there_is_no_half_answer(folder: Path, spec: Path) -> None:
    killed = (
        "import os, signal, sys; from tablelaw.checkers import kept; from tablelaw.cli import main;"
        "kept.program = lambda: kept.Program('a program', ());"
        "os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL); main(sys.argv[1:])"
    )
    run = subprocess.run([sys.executable, "-c", killed, "check", str(spec)], capture_output=True, check=False)
    assert run.returncode == -signal.SIGKILL
    halves = list(folder.iterdir())
    assert [p.suffix for p in halves] == [".part"]
    assert told(spec)[2] == 0
    old = time.time() - 2 * kept.LONGEST_HALF
    os.utime(halves[0], (old, old))
    told(spec, questions=("low",), engine="explicit")
    assert not halves[0].exists()


def test_where_nothing_can_be_written_answers_are_worked_out(folder: Path, spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("tempfile.mkstemp", full)
        assert told(spec)[2] == 0
        assert files(folder) == []
    _, count, _ = told(spec)
    with monkeypatch.context() as patch:
        patch.setattr("os.utime", full)
        assert told(spec)[2] == count  # a folder that can be read alone
    (folder.parent / "file").touch()
    monkeypatch.setenv("TABLELAW_CACHE", str(folder.parent / "file"))
    assert kept_answers() is None


@pytest.mark.skipif(sys.platform == "win32", reason="rights are otherwise there")
def test_a_folder_that_others_may_write_is_not_used(folder: Path) -> None:
    assert kept_answers() is not None
    assert folder.stat().st_mode & 0o077 == 0
    for one in (folder, folder.parent):
        one.chmod(0o777)
        assert kept_answers() is None
        one.chmod(0o700)
    assert kept_answers() is not None


def test_there_is_a_switch(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for value, on in (("1", False), ("yes", False), ("0", True), ("", True)):
        monkeypatch.setenv(kept.OFF, value)
        assert (kept_answers() is not None) is on


def test_those_told_longest_ago_are_thrown_away(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept, "MOST_BYTES", 1000)
    for n in range(10):
        file = tmp_path / f"{n}{kept.SUFFIX}"
        file.write_bytes(b"x" * 99)
        os.utime(file, (n + 1, n + 1))
    answers = Kept(tmp_path)
    answers._make_room(10)
    assert len(files(tmp_path)) == 10
    answers._make_room(20)  # more than there is room for
    assert [p.name for p in files(tmp_path)] == [f"{n}{kept.SUFFIX}" for n in range(3, 10)]


# the command line


def printed(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    main(list(args))
    return capsys.readouterr().out


@pytest.mark.parametrize("how", [("--json",), (), ("--every-option", "--json")])
def test_check_prints_the_same_again(
    folder: Path, spec: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, how: tuple[str, ...]
) -> None:
    first = printed(capsys, "check", str(spec), *how)
    assert files(folder)
    monkeypatch.setattr(Session, "_worked_out", lambda *_: pytest.fail("an answer that is kept is worked out"))
    assert printed(capsys, "check", str(spec), *how) == first


def test_ask_prints_the_same_again(folder: Path, spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    args = ("ask", str(spec), "never at == 4", "can at == 3", "--at", "{at: 1}", "--alone", "--json")
    first = printed(capsys, *args)
    kept_now = files(folder)
    assert len(kept_now) == 2
    assert printed(capsys, *args) == first
    assert printed(capsys, *args[:4], "--at", "{at: 2}", "--alone", "--json") != first
    assert len(files(folder)) == 4


def test_without_cache_nothing_is_read_or_written(folder: Path, spec: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for how in (("--no-cache",), ("--evidence", str(spec.parent / "evidence")), ("--sample", "10")):
        printed(capsys, "check", str(spec), *how)
    printed(capsys, "ask", str(spec), "never at == 4", "--no-cache")
    assert files(folder) == []
    told(spec, cores=True)
    for file in files(folder):
        file.write_bytes(b"")
    printed(capsys, "check", str(spec), "--no-cache")
    assert all(file.read_bytes() == b"" for file in files(folder))


def test_one_answer_for_all_settings_is_not_that_of_one_alone(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A run in which the one proof was not found kept an answer that a later run told of all settings."""
    (tmp_path / "two.yaml").write_text(TWO, encoding="utf-8")
    words = ["check", str(tmp_path / "two.yaml"), "--option", "who=*", "--question", "w"]
    with monkeypatch.context() as patch:
        patch.setattr(Session, "_open_proof", lambda *_: None)
        assert main(words) == 0
    capsys.readouterr()
    assert main(words) == 0
    told = capsys.readouterr().out
    assert "one proof for all 2 settings" in told
    assert main([*words, "--no-cache"]) == 0
    assert capsys.readouterr().out == told


TWO = """tablelaw: 1
game: two
title: Two
players: 1
options:
  who:
    kind: reading
    question: Which step?
    values: {one: {says: One.}, two: {says: Two.}}
    default: one
state:
  x: {type: 0..40, init: 0}
actions:
  right: {by: 0, require: [{id: r, check: x < 39}], do: "x += 1 if option('who') == 'one' else 2"}
questions:
  w: {always: "x % 2 <= 1 and (x * x) % 4 != 2"}
"""
