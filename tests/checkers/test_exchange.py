"""Exchange formats, each read by a program that others wrote; skipped where that is not installed (extra `exchange`)."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import pytest

from tablelaw.checkers.itf import itf_text, itf_trace, itf_value
from tablelaw.checkers.queries import Queries
from tablelaw.cli import main
from tablelaw.solver import evaluate
from tablelaw.solver.queries import heard_by, tell
from tablelaw.solver.trace import Trace, first_step, take
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.load import load
from tablelaw.spec.positions import plain

ROOT = Path(__file__).resolve().parents[2]

KINDS = """tablelaw: 1
game: kinds
title: Kinds
players: 2
types:
  Colour: [red, blue]
  Pair: {record: {colour: Colour, count: 0..9}}
state:
  turn: {type: Player, init: 0}
  action: {type: 0..9, init: 0}
  last: {type: "maybe[Colour]", init: none}
  seen: {type: "set[Colour]", init: "{}"}
  held: {type: "bag[Colour, 4]", init: {}}
  pair: {type: Pair, init: {colour: red, count: 0}}
  lamp: {type: bool, init: false}
actions:
  toss:
    by: turn
    params: {n: 1..2}
    chance: {side: "one_of({red: 1/2, blue: 1/2})"}
    do: |
      last = side
      lamp = not lamp
      turn = after(turn)
questions:
  goes-on: {terminates: true, expect: fails}
  lit: {reach: lamp and last == blue, expect: holds}
  dark: {always: not lamp, expect: holds}
  either: {always: action == 0, expect: unknown}
"""


def game_of(folder: Path, text: str = KINDS) -> Game:
    (folder / "rules.yaml").write_text(text)
    sink = Diagnostics()
    rules = load(str(folder), sink)
    assert rules is not None, list(sink)
    game = rules.game({}, 2, sink)
    assert game is not None, list(sink)
    return game


def test_itf_kinds(tmp_path: Path) -> None:
    """Each type of value has its form, and a variable called as what is added keeps its name."""
    game = game_of(tmp_path)
    start = evaluate.starts(game)[0]
    move = evaluate.moves(game, start)[1]
    (drawn, _), *_ = evaluate.draws(game, start, move)
    trace = Trace([first_step(start, game), take(game, start, move, drawn)], loop_from=0)
    whole = json.loads(itf_text(itf_trace(game, trace, {"question": "q"})))
    first, second = whole["states"]
    assert whole["loop"] == 0
    assert whole["vars"][-4:] == ["action_", "picks", "drawn", "actor"]
    assert first["last"] == []
    assert first["seen"] == {"#set": []}
    assert first["held"] == {"#map": []}
    assert first["pair"] == {"colour": "red", "count": {"#bigint": "0"}}
    assert first["lamp"] is False
    assert (first["action_"], first["actor"]) == ("start", {"#bigint": "-1"})
    assert second["last"] == ["red"]
    assert (second["action_"], second["picks"]) == ("toss", {"n": {"#bigint": "2"}})
    assert (second["drawn"], second["actor"]) == ({"side": "red"}, {"#bigint": "0"})
    assert second["#meta"]["step"] == "toss(n=2) -> side=red"


def test_itf_of_a_rising_loop_has_no_loop(tmp_path: Path) -> None:
    """Where a variable rises from round to round no state comes again, and none is said to."""
    game = game_of(tmp_path)
    whole = itf_trace(game, Trace([first_step(evaluate.starts(game)[0], game)], 0, ("action",)), {})
    assert "loop" not in whole
    assert whole["#meta"]["again_but_for"] == ["action"]  # type: ignore[index]


def simple(x: Any) -> Any:
    """What itf-py read, with our words for what is missing; the games asked here keep no lists."""
    if isinstance(x, dict):
        return {str(simple(k)): simple(v) for k, v in x.items()}
    if isinstance(x, list):
        return simple(x[0]) if x else None
    return sorted(map(simple, x)) if isinstance(x, frozenset) else x


@pytest.mark.parametrize(
    ("example", "questions"),
    [
        ("tic-tac-toe", ["earliest-line", "first-forces-a-win", "a-draw"]),
        ("pig", ["banking"]),
        ("nim", ["shortest-game", "the-winning-move"]),
    ],
)
def test_itf_py_reads_plays(example: str, questions: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """itf-py reads the plays of `check --export itf`; its states are those of `check --json`."""
    itf_py = pytest.importorskip("itf_py")
    asked = [x for q in questions for x in ("--question", q)]
    words = ["check", str(ROOT / "examples" / example), *asked, "--quick", "--json"]
    assert main([*words, "--evidence", str(tmp_path), "--export", "itf"]) == 0
    results = json.loads(capsys.readouterr().out)["results"]
    rows = json.loads((tmp_path / "index.json").read_text())["plays"]
    assert [r["question"] for r in rows] == questions
    for row, result in zip(rows, results, strict=True):
        read = itf_py.trace_from_json(json.loads((tmp_path / row["file"]).read_text(encoding="utf-8")))
        steps = result["trace"]["steps"]
        assert len(read.states) == len(steps)
        for state, step in zip(read.states, steps, strict=True):
            assert set(read.vars) == set(state.values)
            assert {name: simple(state.values[name]) for name in step["state"]} == step["state"]


def test_itf_of_layouts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Pieces on squares are a map from squares to faces and rotations."""
    itf_py = pytest.importorskip("itf_py")
    words = ["check", str(ROOT / "examples" / "carcassonne-dice"), "--question", "closed-city-of-5", "--quick"]
    assert main([*words, "--evidence", str(tmp_path), "--export", "itf"]) == 0
    capsys.readouterr()
    (file,) = tmp_path.glob("*.itf.json")
    state = itf_py.trace_from_json(json.loads(file.read_text(encoding="utf-8"))).states[-1].values
    assert len(state["table"]) == 5
    assert all(set(square._fields) == {"x", "y"} for square in state["table"])
    assert all(set(piece._fields) == {"face", "rotation"} for piece in state["table"].values())


def test_values_are_as_in_json(tmp_path: Path) -> None:
    """A value in this format says what the JSON of `check` says."""
    game = game_of(tmp_path)
    start = evaluate.starts(game)[0]
    types = {v.name: v.type for v in game.variables}
    for name in ("turn", "action"):
        assert itf_value(start[name], types[name]) == {"#bigint": str(plain(start[name], types[name]))}


def solved(text: str) -> str:
    """What cvc5 says within five seconds."""
    cvc5 = pytest.importorskip("cvc5")
    terms = cvc5.TermManager()
    solver = cvc5.Solver(terms)
    solver.setOption("tlimit-per", "5000")
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "query")
    symbols, said = parser.getSymbolManager(), ""
    while not (command := parser.nextCommand()).isNull():
        said += command.invoke(solver, symbols)
    return said.split()[0]


@pytest.mark.parametrize(
    ("example", "questions"),
    [("pig", ["one-winner", "can-go-on"]), ("nim", ["one-winner", "ends"]), ("tic-tac-toe", ["progress", "a-draw"])],
)
def test_cvc5_answers_as_z3(example: str, questions: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every question put to z3 gets the same answer from cvc5, where both give one."""
    pytest.importorskip("cvc5")
    asked = [x for q in questions for x in ("--question", q)]
    words = ["check", str(ROOT / "examples" / example), *asked, "--engine", "symbolic", "--no-plays", "--time", "20"]
    assert main([*words, "--evidence", str(tmp_path), "--export", "smtlib"]) in (0, 3)
    capsys.readouterr()
    answers = []
    for row in json.loads((tmp_path / "index.json").read_text())["queries"]:
        for f in row["files"][:25]:
            text = (tmp_path / f["file"]).read_text()
            assert f"(set-info :status {f['answer']})" in text
            if f["answer"] != "unknown":
                answers.append((f["answer"], solved(text)))
    both = [(ours, theirs) for ours, theirs in answers if theirs in ("sat", "unsat")]
    assert all(ours == theirs for ours, theirs in both)
    assert len(both) >= 5
    assert len(both) > len(answers) / 2


@pytest.mark.parametrize(
    ("form", "question", "says"),
    [
        ("smt2", "one-winner", "none of these answers rests on a formula"),
        ("smtlib", "longest-game", "z3 was not asked"),
        ("itf", "one-winner", "none of these answers shows one"),
        ("prism", "one-winner", "none of these questions is `odds` or `expected`"),
        ("drn", "one-winner", "none of these questions is `odds` or `expected`"),
    ],
)
def test_a_form_that_nothing_is_written_in_is_told(
    form: str, question: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Where no answer has anything for the form that was asked for, that is said, and why."""
    argv = [
        "check",
        str(ROOT / "examples" / "nim"),
        "--question",
        question,
        "--quick",
        "--evidence",
        str(tmp_path),
        "--export",
        form,
    ]
    main(argv)
    said = capsys.readouterr().err
    assert "warning[Q123]" in said
    assert says in " ".join(said.split())
    assert max(map(len, said.splitlines())) <= 80
    assert not [p for p in tmp_path.iterdir() if p.suffix in (".smt2", ".prism", ".drn") or ".itf." in p.name]


def test_queries_are_bounded_and_belong_to_their_answers(tmp_path: Path) -> None:
    """Of each answer so many are kept; how many more there were is told; without a listener nothing is written out."""
    kept = Queries(most=2)
    with heard_by(kept):
        for n in range(3):
            tell(lambda n=n: f"; {n}\n", "sat")  # type: ignore[misc]
        kept.close()
        tell(lambda: "; 3\n", "unsat")
        kept.close()
    tell(lambda: pytest.fail("nobody listens"), "sat")
    results = [_Answer("a"), _Answer("b")]
    first, second = kept.write(tmp_path, [("a-001", results[0]), ("b-002", results[1])])  # type: ignore[list-item]
    assert [f["answer"] for f in first["files"]] == ["sat", "sat"]
    assert first["left_out"] == 1
    assert (tmp_path / "b-002.q001.smt2").read_text() == "; 3\n"
    assert "left_out" not in second


class _Answer:
    def __init__(self, question: str) -> None:
        self.question, self.options, self.players = question, dict[str, str](), 2


def test_junit_of_check(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What is not as expected is a failure with the text of the command line, what is not known is skipped."""
    game_of(tmp_path)
    report = tmp_path / "report.xml"
    assert main(["check", str(tmp_path), "--junit", str(report), "--quick"]) == 1
    printed = capsys.readouterr().out
    suite = ElementTree.parse(report).getroot()[0]
    cases = {c.get("name"): c for c in suite}
    assert list(cases) == ["goes-on", "lit", "dark", "either", "in-range"]
    assert suite.get("tests") == "5"
    wrong = cases["dark"].find("failure")
    assert wrong is not None
    assert wrong.get("message") == "fails, expected holds"
    assert wrong.text is not None
    assert wrong.text.splitlines()[0] in printed
    assert cases["lit"].find("system-out") is not None


def test_junit_of_a_broken_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A rules file that cannot be asked is one error, with its diagnostics."""
    (tmp_path / "rules.yaml").write_text(KINDS.replace("always: not lamp", "always: not lamb"))
    report = tmp_path / "report.xml"
    assert main(["check", str(tmp_path), "--junit", str(report)]) == 2
    said = capsys.readouterr().err
    error = ElementTree.parse(report).getroot().find("testsuite/testcase/error")
    assert error is not None
    assert error.text is not None
    assert error.text.splitlines()[0] in said
    assert "did you mean `lamp`?" in error.text
    assert main(["check", str(tmp_path), "--junit", ""]) == 2


def test_junitparser_reads_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A parser of others counts as we do."""
    junitparser = pytest.importorskip("junitparser")
    game_of(tmp_path)
    report = tmp_path / "report.xml"
    main(["check", str(tmp_path), "--junit", str(report), "--quick"])
    capsys.readouterr()
    (suite,) = junitparser.JUnitXml.fromfile(str(report))
    counted = (suite.tests, suite.failures, suite.errors, suite.skipped)
    suite.update_statistics()
    assert counted == (suite.tests, suite.failures, suite.errors, suite.skipped)
    assert [c.name for c in suite if c.is_failure] == ["dark", "either"]
