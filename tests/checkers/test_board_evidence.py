"""Evidence of games with layouts, refused when anybody has changed it: states as rows of plain data, proofs on projections."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tablelaw.checkers.evidence import recheck_all, write_all
from tablelaw.checkers.selection import Request
from tablelaw.checkers.session import Session
from tablelaw.solver.plain_rows import NoRow, Rows
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import Rules, load

GAME = """
tablelaw: 1
game: roads
title: Roads
players: 2
pieces:
  Road:
    parts:
      road: {at: sides}
    rotation: free
    contact: mine == theirs
    faces:
      straight: {road: [[N, S]]}
      bend: {road: [[N, E]]}
types:
  Mark: {record: {where: Edge, part: "maybe[Part]"}}
state:
  turn: {type: Player, init: 0}
  table: {type: "layout[Road, LARGEST]", init: {}}
  laid: {type: 0..LARGEST, init: 0}
  hand: {type: "map[Player, bag[Road, LARGEST]]", init: supply(Road)}
  done: {type: bool, init: false}
  seen: {type: "set[Player]", init: "{}"}
  mark: {type: Mark, init: "Mark(where=edge((0, 0), N), part=none)"}
  last: {type: "list[Rotation, LARGEST]", init: "[0, 1]"}
actions:
  lay:
    by: turn
    params: {face: Road, cell: frontier(table), rotation: rotations(face)}
    require:
      - {id: in-hand, check: "hand[turn][face] > 0"}
      - {id: fitting, check: "fits(table, cell, face, rotation)"}
      - {id: room, check: laid < LARGEST}
    do: |
      table = place(table, cell, face, rotation)
      laid += 1
      hand[turn] -= face
      seen += turn
      mark = Mark(where=edge(cell, E), part=part(cell, road, N) if road in shows(table, edge(cell, N)) else none)
      turn = after(turn)
  stop:
    by: turn
    do: done = True
end:
  - {id: over, when: done}
  - {id: full, when: laid == LARGEST, winners: "{before(turn)}"}
questions:
  as-many: {always: size(table) == laid}
  few: {never: laid > LARGEST}
  once: {always: times(lay) == laid}
  no-gap: {reach: "laid > 0 and size(table) == 0", expect: fails}
  goes-on: {progress: true}
  ends: {terminates: true}
  somebody: {force: {who: [0, 1], goal: "laid == LARGEST"}}
  agree:
    always: "all(shows(table, e) == shows(table, across(e)) for e in edges(table) if across(e).cell in table)"
  bend: {reach: "any(table[c].face == bend for c in table)"}
"""


def game(tmp_path: Path, largest: int) -> Rules:
    """The game with so many pieces."""
    path = tmp_path / "rules.yaml"
    path.write_text(GAME.replace("LARGEST", str(largest)), encoding="utf-8")
    sink = Diagnostics()
    found = load(str(path), sink)
    assert found is not None, [d.message for d in sink]
    return found


def written(rules: Rules, folder: Path, engine: str, *names: str, smt2: bool = False) -> dict[str, str]:
    """Ask and write; the kind of evidence of each question in the index."""
    sink = Diagnostics()
    session = Session(rules, Request(questions=names, engine=engine, seconds=60.0, cores=False), sink)
    results = [r for c in session.selection.cases() if (r := session.ask(c)) is not None]
    assert not sink.has_errors, [d.message for d in sink]
    write_all(folder, results, rules, smt2)
    return {e["question"]: e["evidence"] for e in json.loads((folder / "index.json").read_text())["entries"]}


def rechecked(rules: Rules, folder: Path) -> tuple[list[dict[str, object]], list[str]]:
    """The rows, and the codes of what was refused."""
    sink = Diagnostics()
    rows = recheck_all(folder, rules, sink)
    return rows, [d.code for d in sink]


def change(folder: Path, pattern: str, how: Callable[[dict[str, Any]], object]) -> None:
    """Change one file of the evidence."""
    file = sorted(folder.glob(pattern))[0]
    whole = json.loads(file.read_text(encoding="utf-8"))
    how(whole)
    file.write_text(json.dumps(whole), encoding="utf-8")


def test_evidence_of_search_is_written_and_holds(tmp_path: Path) -> None:
    """Closed sets, a strategy, a ranking and a play over positions with layouts; one set for all that rest on it."""
    rules, folder = game(tmp_path, 2), tmp_path / "evidence"
    kinds = written(rules, folder, "explicit")
    assert kinds.pop("in-range") == "closed-set"
    assert kinds == {
        "as-many": "closed-set", "few": "closed-set", "once": "closed-set", "no-gap": "closed-set", "goes-on": "closed-set",
        "ends": "ranking", "somebody": "strategy", "agree": "closed-set", "bend": "play",
    }  # fmt: skip
    rows, codes = rechecked(rules, folder)
    assert codes == []
    assert {r["verdict"] for r in rows} == {"holds"}
    assert len(list(folder.glob("states-*.json"))) == 2  # with and without what `times` counts


@pytest.fixture(scope="module")
def sets(tmp_path_factory: pytest.TempPathFactory) -> tuple[Rules, Path]:
    """A closed set that holds."""
    folder = tmp_path_factory.mktemp("sets")
    rules = game(folder, 2)
    written(rules, folder / "evidence", "explicit", "as-many")
    assert rechecked(rules, folder / "evidence")[1] == []
    return rules, folder / "evidence"


def every_row(whole: dict[str, Any]) -> list[list[Any]]:
    """The rows of a set of states."""
    rows: list[list[Any]] = whole["rows"]
    return rows


def drop(n: int) -> Callable[[dict[str, Any]], object]:
    """Take a state out of a set."""

    def how(whole: dict[str, Any]) -> None:
        every_row(whole).pop(n)
        whole["count"] -= 1

    return how


def column(whole: dict[str, Any], name: str) -> int:
    """Where a variable stands in the rows."""
    at: int = whole["variables"].index(name)
    return at


def put(n: int, name: str, value: object) -> Callable[[dict[str, Any]], object]:
    """Give a variable of one state another value."""

    def how(whole: dict[str, Any]) -> None:
        every_row(whole)[n][column(whole, name)] = value

    return how


TAMPERED: dict[str, Callable[[dict[str, Any]], object]] = {
    "start gone": drop(0),
    "state gone": drop(3),
    "last gone": drop(-1),
    "count": lambda w: w.update(count=w["count"] + 1),
    "count is no number": lambda w: w.update(count="many"),
    "rows are no list": lambda w: w.update(rows=3),
    "a row is no list": lambda w: w["rows"].__setitem__(0, 3),
    "a row is short": lambda w: every_row(w)[0].pop(),
    "other variables": lambda w: w["variables"].reverse(),
    "counted": lambda w: w.update(counted=["lay"]),
    "other seat": put(2, "turn", 0),
    "seat outside": put(2, "turn", 2),
    "seat is a truth value": put(2, "turn", True),
    "other face": put(1, "table", [[0, 0, "tee", 0]]),
    "turned no more": put(1, "table", [[0, 0, "straight", 2]]),
    "square far off": put(1, "table", [[9, 0, "bend", 0]]),
    "square twice": put(1, "table", [[0, 0, "bend", 0], [0, 0, "bend", 1]]),
    "squares out of order": put(-1, "table", [[0, 1, "bend", 0], [0, 0, "bend", 1]]),
    "no square": put(1, "table", [["a", 0, "bend", 0]]),
    "table is a text": put(1, "table", "(0, 0)"),
    "table is nothing": put(1, "table", None),
    "bag of another size": put(1, "hand", [[1], [1, 1]]),
    "bag of nothing": put(1, "hand", [[-1, 1], [1, 1]]),
    "set twice": put(1, "seen", [0, 0]),
    "edge of no side": put(1, "mark", [[0, 0, "Q"], None]),
    "part of no kind": put(1, "mark", [[0, 0, "E"], [0, 0, "river", "N"]]),
    "part of no side": put(1, "mark", [[0, 0, "E"], [0, 0, "road", "Q"]]),
    "record of more": put(1, "mark", [[0, 0, "E"], None, None]),
    "list too long": put(1, "last", [0, 0, 0]),
    "deep": put(1, "table", json.loads("[" * 500 + "]" * 500)),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_a_changed_set_is_refused(sets: tuple[Rules, Path], tmp_path: Path, name: str) -> None:
    """Whatever is changed in it: a diagnostic, no row, no traceback."""
    rules, folder = sets[0], copied(sets[1], tmp_path / "evidence", "as-many")
    change(folder, "states-*.json", TAMPERED[name])
    assert rechecked(rules, folder) == ([], ["Q122"])


def test_a_changed_strategy_and_a_changed_play_are_refused(tmp_path: Path) -> None:
    """A rank moved, other players; a step left out, a piece moved."""
    rules = game(tmp_path, 2)
    for number, (question, how) in enumerate(
        [
            ("somebody", lambda w: w["evidence"]["rank"].__setitem__(0, 1)),
            ("somebody", lambda w: w["evidence"].update(who=[0])),
            ("bend", lambda w: w["evidence"]["states"].pop(0)),
            ("bend", lambda w: w["evidence"]["states"][-1].__setitem__(1, [[1, 0, "bend", 0]])),
            ("bend", lambda w: w["evidence"].update(states=[3])),
            ("ends", lambda w: w["evidence"].update(steps=1)),
        ]
    ):
        folder = tmp_path / f"evidence-{number}"
        written(rules, folder, "explicit", question)
        assert rechecked(rules, folder)[1] == []
        change(folder, f"{question}*.json", how)
        assert rechecked(rules, folder) == ([], ["Q122"]), number


def test_what_has_no_row_is_no_position(tmp_path: Path) -> None:
    """A row is read back to the position it was made of, and to no other."""
    rules = game(tmp_path, 2)
    found = rules.game({}, 2, Diagnostics())
    assert found is not None
    from tablelaw.solver import evaluate

    turn, state = Rows(found), evaluate.starts(found)[0]
    for _ in range(2):
        assert turn.state(json.loads(json.dumps(turn.row(state)))) == state
        state = evaluate.apply(found, state, evaluate.moves(found, state)[0], ()).state
    with pytest.raises(NoRow):
        turn.state([*turn.row(state), 0])


# proofs on projections

PROVED = {
    "as-many": "plain", "few": "plain", "once": "plain", "no-gap": "plain", "goes-on": "progress", "agree": "window",
}  # fmt: skip


@pytest.fixture(scope="module")
def proofs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Rules, Path]:
    """Proofs about a game with more positions than anybody lists."""
    folder = tmp_path_factory.mktemp("proofs")
    rules = game(folder, 20)
    written(rules, folder / "evidence", "symbolic", *PROVED, "in-range", smt2=True)
    return rules, folder / "evidence"


def copied(folder: Path, to: Path, *questions: str) -> Path:
    """The evidence for some questions in another folder, to be changed there."""
    shutil.copytree(folder, to)
    change(to, "index.json", lambda w: w.update(entries=[e for e in w["entries"] if e["question"] in questions]))
    return to


def test_proofs_with_the_board_left_open_hold(proofs: tuple[Rules, Path]) -> None:
    """Only the name of the projection is kept; it is made anew, and the implications are those of its rules."""
    rules, folder = proofs
    found = [json.loads(f.read_text()) for f in folder.glob("*-[0-9]*.json")]
    assert {w["question"]: w["evidence"].get("projection") for w in found if "question" in w} == PROVED
    rows, codes = rechecked(rules, folder)
    assert codes == []
    assert {r["question"]: r["verdict"] for r in rows} == dict.fromkeys(PROVED, "holds")
    assert all("left open" in str(r["reason"]) for r in rows)
    assert len(list(folder.glob("*.smt2"))) > len(PROVED)


@pytest.mark.parametrize("question", PROVED)
@pytest.mark.parametrize("formula", ["false", "(= s0 7)", "(and", "(<= s99999 0)"])
def test_another_invariant_is_refused(proofs: tuple[Rules, Path], tmp_path: Path, question: str, formula: str) -> None:
    """False at the start, or no formula of the projection's slots."""
    rules, folder = proofs[0], copied(proofs[1], tmp_path / "evidence", question)
    change(folder, f"{question}-*.json", lambda w: w["evidence"].update(formula=formula))
    assert rechecked(rules, folder) == ([], ["Q122"])


@pytest.mark.parametrize("question", PROVED)
@pytest.mark.parametrize("name", ["plain", "progress", "in-range", "window", "whole", 3, ["plain"], None])
def test_another_projection_is_refused(proofs: tuple[Rules, Path], tmp_path: Path, question: str, name: object) -> None:
    """Each kind of question is asked of one projection, and the game itself has other slots."""
    if name == PROVED[question]:
        return
    rules, folder = proofs[0], copied(proofs[1], tmp_path / "evidence", question)
    change(folder, f"{question}-*.json", lambda w: w["evidence"].update(projection=name))
    rows, codes = rechecked(rules, folder)
    assert [r["verdict"] for r in rows] in ([], ["unknown"])  # of the game itself there may be no implications
    assert codes == ([] if rows else ["Q122"])


@pytest.mark.parametrize(
    "how",
    [
        lambda w: w.update(question="bend", verdict="fails"),
        lambda w: w.update(question="bend", verdict="holds"),
        lambda w: w.update(question="in-range"),
        lambda w: (w.update(question="in-range"), w["evidence"].update(projection="in-range", formula="true")),
        lambda w: w.update(question="ends"),
        lambda w: w.update(question="somebody"),
        lambda w: w.update(verdict="fails"),
        lambda w: w["evidence"].update(kind="play", states=[]),
        lambda w: w["evidence"].update(kind="strategy", rank=[0], who=[0, 1]),
    ],
)
def test_a_proof_of_one_question_is_none_of_another(
    proofs: tuple[Rules, Path], tmp_path: Path, how: Callable[[dict[str, Any]], object]
) -> None:
    """What the projection does not show of the game is refused, whatever the file says."""
    rules, folder = proofs[0], copied(proofs[1], tmp_path / "evidence", "few")
    change(folder, "few-*.json", how)
    assert rechecked(rules, folder) == ([], ["Q122"])


def test_a_false_claim_has_no_proof(tmp_path: Path, proofs: tuple[Rules, Path]) -> None:
    """The rules say otherwise than the proof: with one rule changed the same file is refused."""
    folder = copied(proofs[1], tmp_path / "evidence", "as-many")
    path = tmp_path / "rules.yaml"
    text = GAME.replace("LARGEST", "20").replace("laid += 1", "laid += 1 if face == straight else 0")
    path.write_text(text, encoding="utf-8")
    rules = load(str(path), Diagnostics())
    assert rules is not None
    assert rechecked(rules, folder) == ([], ["Q121"])
    change(folder, "index.json", lambda w: w.update(spec_hash=rules.digest))
    assert rechecked(rules, folder) == ([], ["Q122"])


def test_in_range_is_kept_where_the_invariant_is_the_whole_proof(tmp_path: Path) -> None:
    """What is written is never refused; a proof that says something of each move is left out."""
    path = tmp_path / "rules.yaml"
    for number, (hand, kept) in enumerate([("map[Player, bag[Road, 20]]", False), ("map[Player, map[Road, 0..20]]", True)]):
        text = GAME.replace("map[Player, bag[Road, LARGEST]]", hand).replace("hand[turn] -= face", "hand[turn][face] -= 1")
        path.write_text(text.replace("supply(Road)", "1").replace("LARGEST", "20") if kept else text.replace("LARGEST", "20"))
        rules = load(str(path), Diagnostics())
        assert rules is not None
        folder = tmp_path / f"evidence-{number}"
        assert written(rules, folder, "symbolic", "in-range") == ({"in-range": "invariant"} if kept else {})
        rows, codes = rechecked(rules, folder)
        assert codes == []
        assert [r["verdict"] for r in rows] == ["holds"] * kept
        if kept:
            change(folder, "in-range-*.json", lambda w: w["evidence"].update(formula="true"))
            assert rechecked(rules, folder) == ([], ["Q122"])


def test_rechecking_loads_no_engine(proofs: tuple[Rules, Path]) -> None:
    """The projection is made by translation alone."""
    code = """
import sys
from pathlib import Path
from tablelaw.checkers.evidence import recheck_all
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import load
sink = Diagnostics()
rules = load(sys.argv[1], sink)
rows = recheck_all(Path(sys.argv[2]), rules, sink)
assert rows and not sink.has_errors
print(sorted(m for m in sys.modules if m.startswith("tablelaw.solver.")))
"""
    command = [sys.executable, "-c", code, proofs[0].path, str(proofs[1])]
    out = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "tablelaw.solver.projection" in out.stdout
    for engine in ("engine", "boards", "explicit", "space", "symbolic", "chance", "realise"):
        assert f"tablelaw.solver.{engine}'" not in out.stdout
        assert f"tablelaw.solver.{engine}." not in out.stdout


CHANCE = """
  laid-first: {odds: "laid == 2", play: best, who: [0, 1]}
  laid-alike: {odds: "laid == 2 and size(table) == 2", play: uniform}
  how-many: {expected: "times(lay) + laid", play: [lay, stop]}
  surely: {terminates: almost-surely}
"""


def test_figures_of_a_game_with_layouts_are_kept_and_hold(tmp_path: Path) -> None:
    """Best play, all moves alike, a list of moves and what is counted; the layouts as rows of plain data."""
    path = tmp_path / "rules.yaml"
    path.write_text(GAME.replace("LARGEST", "2") + CHANCE, encoding="utf-8")
    rules = load(str(path), Diagnostics())
    assert rules is not None
    names = ("laid-first", "laid-alike", "how-many", "surely")
    kinds = written(rules, tmp_path / "e", "auto", *names)
    assert kinds == {"laid-first": "figures", "laid-alike": "figures", "how-many": "figures", "surely": "closed-set"}
    rows, codes = rechecked(rules, tmp_path / "e")
    assert codes == []
    assert {r["question"]: r["verdict"] for r in rows} == dict.fromkeys(names, "holds")
    change(tmp_path / "e", "laid-first*.json", lambda w: w["evidence"]["values"].__setitem__(0, "1/2"))
    change(tmp_path / "e", "laid-alike*.json", lambda w: w["evidence"]["values"].__setitem__(0, "1/2"))
    rows, codes = rechecked(rules, tmp_path / "e")
    assert {r["question"] for r in rows} == {"how-many", "surely"}
    assert codes == ["Q122", "Q122"]
