"""Evidence is written, re-checked without any engine, and refused when anybody has changed it."""

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
from tablelaw.checkers.recheck import Obligations, Refused, discharge, read_invariant
from tablelaw.checkers.selection import Request
from tablelaw.checkers.session import Session
from tablelaw.checkers.states import packed_states
from tablelaw.checkers.walk import Closed
from tablelaw.solver.space.graph import Budget
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import Rules, load

GAME = """
tablelaw: 1
game: small
title: Small
players: 2
options:
  step:
    kind: reading
    question: How far?
    values: {short: {says: One.}, long: {says: Two.}}
    default: long
types: {Pot: 0..9}
state:
  turn: {type: Player, init: 0}
  pot: {type: Pot, init: 0}
  back: {type: bool, init: false}
actions:
  add:
    by: turn
    params: {n: 1..2}
    require:
      - {id: within, check: pot + n <= 9}
      - {id: short, only: {step: short}, check: n == 1}
    do: |
      pot += n
      turn = after(turn)
  undo:
    by: turn
    during: pot == 3 and not back
    do: |
      pot = 0
      back = True
      turn = after(turn)
end:
  - {id: full, when: pot == 9, winners: "{before(turn)}"}
questions:
  low: {always: pot <= 9}
  up: {always: pot >= old(pot) or back}
  not-ten: {reach: pot > 9, expect: fails}
  nine: {reach: pot == 9}
  once: {always: times(undo) <= 1}
  goes-on: {progress: true}
  ends: {terminates: true}
  later: {always-after: {when: pot == 5, then: ended()}}
  second: {force: {who: [1], goal: 1 in winners()}, options: {step: short}, expect: fails}
  somebody: {force: {who: [0, 1], goal: pot == 9}}
  even: {force: {who: turn, goal: who == winners()}, exactly-when: LAW}
"""
TOSSES = """
tablelaw: 1
game: tosses
title: Tosses
players: 1
options:
  waiting:
    kind: reading
    question: May one wait?
    values: {no: {says: One may not.}, yes: {says: One may.}}
    default: no
state:
  heads: {type: 0..2, init: 0}
actions:
  toss: {by: 0, chance: {x: die(2)}, do: heads += 2 - x}
  wait: {by: 0, only: {waiting: yes}, do: heads = heads}
end:
  - {id: two, when: heads == 2}
questions:
  sure: {terminates: almost-surely}
"""
LAW = "pot % 3 != 0 or not ended() and pot < 0"


@pytest.fixture
def rules(tmp_path: Path) -> Rules:
    """The small game."""
    path = tmp_path / "rules.yaml"
    path.write_text(GAME.replace("LAW", LAW), encoding="utf-8")
    found = load(str(path), Diagnostics())
    assert found is not None
    return found


def written(rules: Rules, folder: Path, engine: str, *names: str, smt2: bool = False, every: bool = False) -> list[str]:
    """Ask and write; the kinds of evidence in the index."""
    sink = Diagnostics()
    request = Request(questions=names, engine=engine, seconds=30.0, cores=False, every_option=every)
    session = Session(rules, request, sink)
    results = [r for c in session.selection.cases() if (r := session.ask(c)) is not None]
    assert not sink.has_errors, [d.message for d in sink]
    write_all(folder, results, rules, smt2)
    return [e["evidence"] for e in json.loads((folder / "index.json").read_text())["entries"]]


def rechecked(rules: Rules, folder: Path) -> tuple[list[dict[str, object]], list[str]]:
    """The rows, and the codes of what was refused."""
    sink = Diagnostics()
    rows = recheck_all(folder, rules, sink)
    return rows, [d.code for d in sink]


QUESTIONS = ("low", "up", "not-ten", "nine", "once", "goes-on", "in-range", "ends", "somebody")


def test_evidence_of_search_is_written_and_holds(rules: Rules, tmp_path: Path) -> None:
    """Closed sets, a play, a ranking and a strategy, each re-checked by the evaluator; a set is stored once a model."""
    folder = tmp_path / "evidence"
    kinds = written(rules, folder, "explicit", *QUESTIONS)
    assert set(kinds) >= {"closed-set", "ranking", "strategy", "play"}
    rows, codes = rechecked(rules, folder)
    assert codes == []
    assert len(rows) == len(kinds)
    assert {r["verdict"] for r in rows} == {"holds"}
    assert len(list(folder.glob("states-*.json"))) < kinds.count("closed-set")
    assert not list(folder.glob(".*"))


def test_evidence_of_proofs_is_written_and_holds(rules: Rules, tmp_path: Path) -> None:
    """Invariants, re-checked by implications that are written out anew."""
    folder = tmp_path / "evidence"
    kinds = written(rules, folder, "symbolic", "low", "up", "not-ten", "once", "goes-on", "in-range")
    assert kinds.count("invariant") >= 4
    rows, codes = rechecked(rules, folder)
    assert codes == []
    assert {r["verdict"] for r in rows} == {"holds"}


def test_one_proof_for_every_reading_is_one_entry(rules: Rules, tmp_path: Path) -> None:
    """With options left open the entry names the settings, and is re-checked for all of them."""
    folder = tmp_path / "evidence"
    written(rules, folder, "symbolic", "low", every=True)
    rows, codes = rechecked(rules, folder)
    assert codes == []
    assert {r["verdict"] for r in rows} == {"holds"}


def test_the_implications_are_files_that_solvers_read(rules: Rules, tmp_path: Path) -> None:
    """Each `.smt2` file says what to expect, and z3 agrees."""
    z3 = pytest.importorskip("z3")
    folder = tmp_path / "evidence"
    written(rules, folder, "symbolic", "low", "up", smt2=True)
    files = sorted(folder.glob("*.smt2"))
    assert len(files) >= 6
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert "(set-logic ALL)" in text
        assert "(set-info :status unsat)" in text
        assert text.endswith("(check-sat)\n")
        solver = z3.Solver()
        solver.from_string(text)
        assert solver.check() == z3.unsat, file.name


def change(folder: Path, pattern: str, how: Callable[[dict[str, Any]], None]) -> None:
    """Change one file of the evidence."""
    file = sorted(folder.glob(pattern))[0]
    whole = json.loads(file.read_text(encoding="utf-8"))
    how(whole)
    file.write_text(json.dumps(whole), encoding="utf-8")


def drop(n: int) -> Callable[[dict[str, Any]], None]:
    """Take a state out of a set."""

    def how(whole: dict[str, Any]) -> None:
        w = whole["width"]
        n_ = n % whole["count"]
        whole["states"] = whole["states"][: n_ * w] + whole["states"][(n_ + 1) * w :]
        whole["count"] -= 1

    return how


@pytest.mark.parametrize("n", [0, 1, 5, -1])
def test_a_set_with_a_state_taken_out_is_refused(rules: Rules, tmp_path: Path, n: int) -> None:
    """Every state that is in the set is needed."""
    folder = tmp_path / "evidence"
    written(rules, folder, "explicit", "low")
    change(folder, "states-*.json", drop(n))
    assert rechecked(rules, folder) == ([], ["Q122"])


def test_a_set_of_another_question_is_no_proof(rules: Rules, tmp_path: Path) -> None:
    """The closed set is right, the question it is put under is not true in it."""
    folder = tmp_path / "evidence"
    written(rules, folder, "explicit", "not-ten")
    change(folder, "not-ten*.json", lambda w: w.update(question="nine"))
    assert rechecked(rules, folder) == ([], ["Q122"])


def test_a_question_that_fails_is_not_made_to_hold(rules: Rules, tmp_path: Path) -> None:
    """A verdict that was turned round is refused."""
    folder = tmp_path / "evidence"
    written(rules, folder, "explicit", "not-ten")
    change(folder, "not-ten*.json", lambda w: w.update(verdict="holds"))
    assert rechecked(rules, folder) == ([], ["Q122"])


@pytest.mark.parametrize("formula", ["true", "false", "(<= s1 3)", "(not (= s1 4))"])
def test_another_invariant_is_refused(rules: Rules, tmp_path: Path, formula: str) -> None:
    """Too weak to show it, false at the start, or not kept."""
    folder = tmp_path / "evidence"
    assert written(rules, folder, "symbolic", "up") == ["invariant"]
    change(folder, "up*.json", lambda w: w["evidence"].update(formula=formula))
    if formula == "true":
        change(folder, "up*.json", lambda w: w.update(question="impossible"))
    rows, codes = rechecked(rules, folder)
    assert (rows, codes) == ([], ["Q122"])


@pytest.mark.parametrize(
    "formula",
    ["", "(", ")", "(assert false)", "true) (assert false", "(exit)", "s0 s1", "s99", "x0", "(forall ((s0 Int)) true)", '"a"',
     "(_ bv1 8)", "|s0|", "(and true", "(+ s0 true)", "(a!1)", "; hidden"],
)  # fmt: skip
def test_what_is_no_formula_of_the_slots_is_refused(rules: Rules, tmp_path: Path, formula: str) -> None:
    """Text from an evidence folder reaches z3 only as one formula without quantifiers and commands."""
    folder = tmp_path / "evidence"
    written(rules, folder, "symbolic", "low")
    change(folder, "low*.json", lambda w: w["evidence"].update(formula=formula))
    assert rechecked(rules, folder) == ([], ["Q122"])


def test_a_changed_strategy_is_refused(rules: Rules, tmp_path: Path) -> None:
    """A rank moved, one missing, other players."""
    for how in (
        lambda w: w["evidence"]["rank"].__setitem__(0, 1),
        lambda w: w["evidence"]["rank"].pop(),
        lambda w: w["evidence"].update(who=[0]),
        lambda w: w["evidence"].update(rank=[0] * len(w["evidence"]["rank"])),
        lambda w: w["evidence"].update(who=[[0]]),
    ):
        folder = tmp_path / "evidence"
        assert written(rules, folder, "explicit", "somebody") == ["strategy"]
        change(folder, "somebody*.json", how)
        assert rechecked(rules, folder) == ([], ["Q122"])


def test_a_strategy_need_not_be_told_where_it_does_not_lead(tmp_path: Path) -> None:
    """What is never met while it is followed may be left out, though other moves lead there; nothing else may."""
    path, folder = tmp_path / "rules.yaml", tmp_path / "evidence"
    path.write_text(GAME.replace("LAW", LAW) + "  soon: {force: {who: [0], goal: pot == 2}, within: 2}\n", encoding="utf-8")
    rules = load(str(path), Diagnostics())
    assert rules is not None
    assert written(rules, folder, "explicit", "soon") == ["strategy"]
    file = next(folder.glob("soon*.json"))
    whole = json.loads(file.read_text())
    states = folder / whole["evidence"]["states"]
    before = json.loads(states.read_text())
    rank, width = whole["evidence"]["rank"], before["width"]
    first = rank.index(1), rank.index(0)
    for left_out, fine in ((None, True), *((i, False) for i in first)):
        mine = [i for i in first if i != left_out]
        text = "".join(before["states"][i * width : (i + 1) * width] for i in mine)
        states.write_text(json.dumps({**before, "count": len(mine), "states": text}))
        file.write_text(json.dumps({**whole, "evidence": {**whole["evidence"], "rank": [rank[i] for i in mine]}}))
        rows, codes = rechecked(rules, folder)
        assert ([r["verdict"] for r in rows], codes) == ((["holds"], []) if fine else ([], ["Q122"]))


def test_that_a_play_ends_almost_surely_is_walked_again(tmp_path: Path) -> None:
    """A closed set from which some draws lead to the end whatever is chosen; a set that is not closed is refused."""
    path, folder = tmp_path / "rules.yaml", tmp_path / "evidence"
    path.write_text(TOSSES, encoding="utf-8")
    rules = load(str(path), Diagnostics())
    assert rules is not None
    assert written(rules, folder, "explicit", "sure") == ["closed-set"]
    assert [r["verdict"] for r in rechecked(rules, folder)[0]] == ["holds"]
    change(folder, "sure*.json", lambda w: w["options"].update(waiting="yes"))
    assert rechecked(rules, folder) == ([], ["Q122"])
    written(rules, folder, "explicit", "sure")
    change(folder, "states-*.json", drop(0))
    assert rechecked(rules, folder) == ([], ["Q122"])


def test_a_changed_play_and_a_changed_ranking_are_refused(rules: Rules, tmp_path: Path) -> None:
    """A step left out; another length."""
    folder = tmp_path / "evidence"
    written(rules, folder, "explicit", "nine", "ends")
    change(folder, "nine*.json", lambda w: w["evidence"]["states"].pop(1))
    change(folder, "ends*.json", lambda w: w["evidence"].update(steps=w["evidence"]["steps"] + 1))
    assert rechecked(rules, folder) == ([], ["Q122", "Q122"])


def as_folder(file: Path) -> None:
    """Put a folder in the place of a file."""
    file.unlink()
    file.mkdir()


HOSTILE: dict[str, Callable[[Path], object]] = {
    "no folder": shutil.rmtree,
    "no index": lambda f: (f / "index.json").unlink(),
    "index is no JSON": lambda f: (f / "index.json").write_text("{"),
    "index is a list": lambda f: (f / "index.json").write_text("[]"),
    "index is deep": lambda f: (f / "index.json").write_text("[" * 100_000),
    "index is binary": lambda f: (f / "index.json").write_bytes(b"\xff\x00"),
    "entries are no list": lambda f: change(f, "index.json", lambda w: w.update(entries=3)),
    "entry is a number": lambda f: change(f, "index.json", lambda w: w.update(entries=[3])),
    "file outside": lambda f: change(f, "index.json", lambda w: w["entries"][0].update(file="../../etc/passwd")),
    "file is missing": lambda f: change(f, "index.json", lambda w: w["entries"][0].update(file="nothing.json")),
    "file is a folder": lambda f: as_folder(next(f.glob("low*.json"))),
    "other format": lambda f: change(f, "index.json", lambda w: w.update(format=7)),
    "other rules": lambda f: change(f, "index.json", lambda w: w.update(spec_hash="0")),
    "no question": lambda f: change(f, "low*.json", lambda w: w.update(question=None)),
    "unknown question": lambda f: change(f, "low*.json", lambda w: w.update(question="lower")),
    "unknown option": lambda f: change(f, "low*.json", lambda w: w.update(options={"stride": "long"})),
    "unknown value": lambda f: change(f, "low*.json", lambda w: w.update(options={"step": "wide"})),
    "options are a list": lambda f: change(f, "low*.json", lambda w: w.update(options=[])),
    "players": lambda f: change(f, "low*.json", lambda w: w.update(players=True)),
    "too many players": lambda f: change(f, "low*.json", lambda w: w.update(players=10**9)),
    "no evidence": lambda f: change(f, "low*.json", lambda w: w.update(evidence=None)),
    "kind": lambda f: change(f, "low*.json", lambda w: w["evidence"].update(kind=["closed-set"])),
    "other kind": lambda f: change(f, "low*.json", lambda w: w["evidence"].update(kind="play")),
    "left open": lambda f: change(f, "low*.json", lambda w: w["evidence"].update(left_open=[{"step": 3}])),
    "states are a list": lambda f: change(f, "low*.json", lambda w: w["evidence"].update(states=[1])),
    "states elsewhere": lambda f: change(f, "low*.json", lambda w: w["evidence"].update(states="/etc/passwd")),
    "no states": lambda f: change(f, "states*.json", lambda w: w.update(states="")),
    "states are no hex": lambda f: change(f, "states*.json", lambda w: w.update(states="z" * len(w["states"]))),
    "states are too large": lambda f: change(f, "states*.json", lambda w: w.update(states="f" * len(w["states"]))),
    "width": lambda f: change(f, "states*.json", lambda w: w.update(width=-1)),
    "count": lambda f: change(f, "states*.json", lambda w: w.update(count="many")),
    "slots": lambda f: change(f, "states*.json", lambda w: w.update(slots=[3])),
    "range": lambda f: change(f, "states*.json", lambda w: w["slots"][0].update(high=2**60)),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_folder_is_told_of_and_never_believed(rules: Rules, tmp_path: Path, name: str) -> None:
    """Whatever the folder holds: a diagnostic with a code of evidence, no row, no traceback."""
    folder = tmp_path / "evidence"
    written(rules, folder, "explicit", "low")
    HOSTILE[name](folder)
    rows, codes = rechecked(rules, folder)
    assert rows == []
    assert codes
    assert set(codes) <= {"Q120", "Q121", "Q122"}


def test_time_that_is_over_is_unknown_and_not_refused(rules: Rules, tmp_path: Path) -> None:
    """How far the walk came is told."""
    folder = tmp_path / "evidence"
    written(rules, folder, "explicit", "low")
    sink = Diagnostics()
    rows = recheck_all(folder, rules, sink, seconds=-1.0)
    assert len(sink) == 0
    assert [r["verdict"] for r in rows] == ["unknown"]
    assert "walked 0 of" in str(rows[0]["reason"])


def test_rechecking_loads_no_engine(rules: Rules, tmp_path: Path) -> None:
    """Neither search nor the symbolic engine is imported by `recheck`."""
    folder = tmp_path / "evidence"
    written(rules, folder, "symbolic", "low", "nine", "ends")
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
    out = subprocess.run([sys.executable, "-c", code, rules.path, str(folder)], capture_output=True, text=True, check=True)
    for engine in ("engine", "explicit", "space", "symbolic", "chance"):
        assert f"tablelaw.solver.{engine}" not in out.stdout


def test_the_encoding_refuses_what_is_not_so(rules: Rules) -> None:
    """A question that fails has no invariant, not even the ranges themselves."""
    session = Session(rules, Request(questions=("nine", "up")), Diagnostics())
    cases = {c.name: session.asked(c) for c in session.selection.cases()}
    for name, invariant in (("nine", "true"), ("up", "true"), ("up", "(not s2)")):
        found = cases[name]
        assert found is not None
        asked, engines = found
        verdict, reason = discharge(Obligations(engines.game, asked, invariant, []).all(), 20.0)
        assert verdict == ("fails" if name == "nine" or invariant != "true" else "holds"), reason


def test_tokens_of_an_invariant() -> None:
    """One formula over the slots, its own local names allowed."""
    assert read_invariant("(let ((a!1 (<= s0 3))) (and a!1 x0))", 1, 1)[0] == "("
    with pytest.raises(Refused):
        read_invariant("(and s0 s1)", 1, 0)


@pytest.mark.parametrize(("question", "shown"), [("right", True), ("wrong", False), ("comes", True), ("stays-away", False)])
def test_forcing_and_leads_to_are_reckoned_anew(tmp_path: Path, question: str, shown: bool) -> None:
    """Over a closed set: who can force it just where the formula says, and what must come after what."""
    path = tmp_path / "rules.yaml"
    path.write_text(TAKE, encoding="utf-8")
    rules = load(str(path), Diagnostics())
    assert rules is not None
    session = Session(rules, Request(questions=(question,)), Diagnostics())
    found = session.asked(next(iter(session.selection.cases())))
    assert found is not None
    asked, engines = found
    _, space = engines.explicit.prepared(asked)
    space.explore(Budget())
    slots = [{"low": s.lo, "high": s.hi} for s in space.model.slots]
    closed = Closed(engines.game, asked, packed_states(engines.game, asked, list(space.states), slots), 60.0)
    if shown:
        closed.show(asked)
    else:
        with pytest.raises(Refused):
            closed.show(asked)


TAKE = """
tablelaw: 1
game: take
title: Take
players: 2
state:
  turn: {type: Player, init: 0}
  left: {type: 0..10, init: 10}
actions:
  take:
    by: turn
    params: {n: 1..2}
    require: [{id: enough, check: n <= left}]
    do: |
      left -= n
      turn = after(turn)
end:
  - {id: last, when: left == 0, winners: "{before(turn)}"}
questions:
  right: {force: {who: turn, goal: who == winners()}, exactly-when: left % 3 != 0}
  wrong: {force: {who: turn, goal: who == winners()}, exactly-when: left % 3 != 1}
  comes: {always-after: {when: left == 5, then: left <= 3}}
  stays-away: {always-after: {when: left == 5, then: left == 3}}
"""
