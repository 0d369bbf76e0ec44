"""Chains written for model checkers: what the files say, what is refused, and what Storm answers to them."""

from __future__ import annotations

import importlib.util
import json
import sys
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import pytest

from tablelaw.checkers.models import write_models
from tablelaw.checkers.result import Result
from tablelaw.checkers.selection import Request
from tablelaw.checkers.session import Session
from tablelaw.cli import main
from tablelaw.solver.chance import prism
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import Rules, load

ROOT = Path(__file__).resolve().parents[2]


def storm() -> ModuleType:
    """The module that asks Storm; the test is skipped where there is none."""
    pytest.importorskip("stormpy")
    name = "tablelaw_bench_storm"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / "storm.py")
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


GAME = """tablelaw: 1
game: g
title: G
players: 2
types: {Points: 0..5}
state:
  turn: {type: Player, init: {any: Player}}
  pot: {type: Points, init: 0}
actions:
  throw: {by: turn, during: pot < 4, chance: {x: die(3)}, do: "pot = pot + x - (1 if x == 3 else 0) if pot < 3 else 5"}
  wait: {by: turn, during: pot == 2, chance: {x: die(2)}, do: "pot -= x"}
  hand: {by: turn, during: pot == 3, do: "turn = after(turn); pot = 0"}
end:
  - {id: full, when: pot >= 4}
questions:
"""
QUESTIONS = """  uniform: {odds: pot == 4, play: uniform}
  both: {odds: pot == 4, play: best, who: [0, 1]}
  neither: {odds: pot == 4, play: worst, who: [0, 1]}
  soon: {odds: pot == 4, play: best, who: [0, 1], within: 3}
  in-time: {odds: pot == 4, before: pot == 3, play: best, who: [0, 1]}
  listed: {odds: pot == 4, play: [wait, throw]}
  counted: {expected: "2 * times('throw') - times('wait') + pot - 5", play: uniform}
  on-the-way: {expected: "pot - times('throw')", at: pot >= 3, play: uniform}
  long: {expected: "times('throw') + pot", at: pot >= 3, play: [throw]}
  first: {odds: pot == 2, within: 1, play: {throw: pot < 1}}
  stuck: {odds: pot == 4, play: {throw: pot < 1}}
  sides: {odds: pot == 4, play: best, who: [0]}
  endless: {expected: times('throw'), play: worst, who: [0, 1]}
  bounded: {always: pot <= 5}
"""
WRITTEN = ("uniform", "both", "neither", "soon", "in-time", "listed", "counted", "on-the-way", "long", "first")


def rules_of(tmp_path: Path, text: str = GAME + QUESTIONS) -> Rules:
    path = tmp_path / "rules.yaml"
    path.write_text(text, encoding="utf-8")
    sink = Diagnostics()
    found = load(str(path), sink)
    assert found is not None, [d.message for d in sink]
    return found


def written(
    rules: Rules, folder: Path, form: str, request: Request | None = None
) -> tuple[dict[str, dict[str, object]], Diagnostics]:
    """Ask, and write the models; the rows of the index by question."""
    sink, told = Diagnostics(), Diagnostics()
    session = Session(rules, request or Request(seconds=30.0, cores=False), sink)
    found = [session.ask(c) for c in session.selection.cases()]
    assert not sink.has_errors, [d.message for d in sink]
    results: list[tuple[str, Result]] = [(r.question, r) for r in found if r is not None]
    folder.mkdir(exist_ok=True)
    rows = write_models(folder, results, rules, form, told)
    return {r["question"]: r for r in json.loads(json.dumps(rows))}, told


def checked(folder: Path, row: dict[str, object]) -> tuple[Fraction, ...]:
    """What Storm answers exactly."""
    model, asked = (folder / f for f in row["files"])  # type: ignore[attr-defined]
    found: tuple[Fraction, ...] = storm().ask(model, asked.read_text(), "exact").values
    return found


@pytest.mark.parametrize("form", ["prism", "drn"])
def test_storm_answers_the_same(form: str, tmp_path: Path) -> None:
    """All ways of playing, `before`, `within`, `at`, counts with both signs, from two starts."""
    rows, _ = written(rules_of(tmp_path), tmp_path / "out", form)
    assert {name for name, row in rows.items() if "files" in row} == set(WRITTEN)
    for name in WRITTEN:
        assert isinstance(rows[name]["value"], str), name
        assert checked(tmp_path / "out", rows[name]) == (Fraction(str(rows[name]["value"])),) * 2, name


def test_what_has_no_model_is_told(tmp_path: Path) -> None:
    """Two sides are a game; a mean that need not come has no chain; nor has a list that runs out. Told as warnings too."""
    rows, sink = written(rules_of(tmp_path), tmp_path / "out", "prism")
    assert "two sides" in str(rows["sides"]["reason"])
    assert "for ever" in str(rows["endless"]["reason"])
    assert "runs out" in str(rows["stuck"]["reason"])
    assert "bounded" not in rows
    assert [(d.code, d.severity) for d in sink] == [("Q123", "warning")] * 3
    assert not (tmp_path / "out" / "sides.prism").exists()


def test_no_question_of_chance(tmp_path: Path) -> None:
    rules = rules_of(tmp_path)
    rows, sink = written(rules, tmp_path / "out", "prism", Request(questions=("bounded",), seconds=30.0, cores=False))
    assert rows == {}
    assert "none of these questions" in next(iter(sink)).notes[0]


def test_large_chains_are_written_state_by_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader of PRISM's language looks at every command in every state."""
    monkeypatch.setattr(prism, "MOST_COMMANDS", 3)
    rules = rules_of(tmp_path)
    only = Request(questions=("uniform",), seconds=30.0, cores=False)
    assert "--export drn" in str(written(rules, tmp_path / "out", "prism", only)[0]["uniform"]["reason"])
    assert "files" in written(rules, tmp_path / "out", "drn", only)[0]["uniform"]


COIN = """tablelaw: 1
game: coin
title: Coin
players: 1
state: {face: {type: 0..2, init: 0}}
actions:
  flip: {by: 0, during: face != 2, chance: {x: "one_of({0: 1/3, 1: 2/3})"}, do: "face = face + x"}
end:
  - {id: over, when: face == 2}
questions:
  two: {odds: face == 2, within: 3}
  flips: {expected: times('flip')}
"""


def test_the_files_as_they_are(tmp_path: Path) -> None:
    """One command for each choice, labels, and the question; a mean is what positions add up to on the way."""
    written(rules_of(tmp_path, COIN), tmp_path / "out", "prism")
    assert (
        (tmp_path / "out" / "two.prism").read_text()
        == """// tablelaw: `two` of `coin`, 1 player
// answered there with 20/27
dtmc

module play
  s : [0..2] init 0;
  [] s=0 -> 1/3 : (s'=0) + 2/3 : (s'=1);
  [] s=1 -> 1/3 : (s'=1) + 2/3 : (s'=2);
  [] s=2 -> (s'=2);
endmodule

label "ended" = s=2;
label "goal" = s=2;
"""
    )
    assert (tmp_path / "out" / "two.props").read_text().splitlines()[-1] == 'P=? [ F<=3 "goal" ]'
    text = (tmp_path / "out" / "flips.prism").read_text()
    assert 'rewards "gain"' in text
    assert (tmp_path / "out" / "flips.props").read_text().splitlines()[-1] == 'R{"gain"}=? [ F "done" ]'


def test_export_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Beside the evidence; what has no model is warned of, and the answers count as before."""
    rules_of(tmp_path)
    out = tmp_path / "evidence"
    asked = [x for name in ("soon", "endless") for x in ("--question", name)]
    status = main(["check", str(tmp_path / "rules.yaml"), *asked, "--evidence", str(out), "--export", "prism"])
    assert status == 3  # one of them is unknown, for the same reason
    said = capsys.readouterr().err
    assert "warning[Q123]" in said
    assert max(len(line) for line in said.splitlines() if "-->" not in line) <= 80
    index = json.loads((out / "index.json").read_text())
    assert [("files" in m) for m in index["models"]] == [True, False]
    assert (out / "soon-001.prism").exists()


def test_export_needs_a_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules_of(tmp_path)
    assert main(["check", str(tmp_path / "rules.yaml"), "--export", "prism"]) == 2
    assert "name one: `--evidence DIR`" in capsys.readouterr().err


EXAMPLES: tuple[tuple[str, dict[str, str], tuple[str, ...]], ...] = (
    ("craps", {}, ("pass-line", "wins-at-once", "throws")),
    ("knuth-yao", {}, ("three", "flips", "done-after-three")),
    ("chutes-and-ladders", {}, ("expected-moves", "done-in-seven")),
    ("chutes-and-ladders", {"chute-47": "from-48"}, ("expected-moves",)),
    ("coupon-collector", {}, ("expected-rounds", "all-in-five-rounds")),
    ("coupon-collector", {"coupons": "7", "draws": "3"}, ("expected-rounds", "all-in-five-rounds")),
    ("shut-the-box", {}, ("close",)),
)
SLOW: tuple[tuple[str, dict[str, str], tuple[str, ...]], ...] = (
    ("calavera", {}, ("three-skulls-odds", "three-skulls-odds-2", "three-skulls-odds-3", "freeze-odds-2")),
    ("calavera", {}, ("crosses-of-one-colour",)),
    ("carcassonne-dice", {"catapult-win": "turn"}, ("nine-catapults-odds", "three-knights-odds-5")),
)  # fmt: skip


def agree(name: str, options: dict[str, str], questions: tuple[str, ...], folder: Path, *forms: str) -> None:
    """Storm has our fraction for each of an example's questions."""
    sink = Diagnostics()
    rules = load(str(ROOT / "examples" / name / "rules.yaml"), sink)
    assert rules is not None
    for form in forms:
        rows, _ = written(rules, folder, form, Request(questions, options, seconds=200.0, cores=False))
        assert set(rows) == set(questions)
        for q, row in rows.items():
            if "files" not in row:
                assert form == "prism"
                assert "--export drn" in str(row["reason"])
                continue
            assert set(checked(folder, row)) == {Fraction(str(row["value"]))}, q


@pytest.mark.parametrize("name, options, questions", EXAMPLES, ids=lambda x: x if isinstance(x, str) else "")
def test_storm_on_the_examples(name: str, options: dict[str, str], questions: tuple[str, ...], tmp_path: Path) -> None:
    storm()
    agree(name, options, questions, tmp_path, "drn", "prism")


@pytest.mark.slow
@pytest.mark.parametrize("name, options, questions", SLOW, ids=lambda x: x if isinstance(x, str) else "")
def test_storm_on_large_examples(name: str, options: dict[str, str], questions: tuple[str, ...], tmp_path: Path) -> None:
    storm()
    agree(name, options, questions, tmp_path, "drn")


@pytest.mark.slow
def test_storm_on_what_we_tell_by_bounds(tmp_path: Path) -> None:
    """Pig, both holding at 20: a fraction of thousands of digits lies between ours."""
    storm()
    sink = Diagnostics()
    rules = load(str(ROOT / "examples" / "pig" / "rules.yaml"), sink)
    assert rules is not None
    session = Session(rules, Request(("both-hold-at-20",), {"target-met": "at-least"}, seconds=200.0, cores=False), sink)
    [result] = [session.ask(c) for c in session.selection.cases()]
    assert result is not None
    assert result.verdict.interval is not None
    low, high = (Fraction(x) for x in result.verdict.interval)
    tmp_path.joinpath("out").mkdir()
    [row] = json.loads(json.dumps(write_models(tmp_path / "out", [("m", result)], rules, "drn", Diagnostics())))
    [found] = set(checked(tmp_path / "out", row))
    assert low <= found <= high
    assert high - low < Fraction(1, 10**8)
