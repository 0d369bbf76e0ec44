"""`fixtures --coverage` and its neighbours: what is said of all plays is true of all, and what the rules leave open is told.

Each test is named after what was once said wrongly. `tests/laws/test_coverage_agrees.py` holds the same to random games.
"""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from tablelaw.checkers.fixture_set import Maker
from tablelaw.checkers.goals import Goal
from tablelaw.checkers.uncovered import Uncovered, uncovered
from tablelaw.cli import main
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import load

HEAD = "tablelaw: 1\ngame: small\ntitle: Small\n"
BEHIND = """\
players: 1
state:
  x: {type: 0..2, init: 0, says: How far.}
actions:
  go:
    by: "0"
    says: Go.
    params: {n: 0..2}
    require:
      - {id: first, says: One., check: "n == 0 or x == 2"}
      - {id: second, says: Two., check: "n != 1 or x == 2"}
      - {id: third, says: Three., check: "n != 1 or x >= 1"}
    do: x += 1
end:
  - {id: over, says: Over., when: x == 2}
"""
LISTED_FIRST = """\
players: 2
options:
  later:
    kind: reading
    only: {sooner: two}
    question: Later?
    values: {one: {says: One.}, two: {says: Two.}}
    default: one
  sooner:
    kind: reading
    question: Sooner?
    values: {one: {says: One.}, two: {says: Two.}}
    default: one
state:
  x: {type: 0..2, init: 0, says: x.}
  y: {type: 0..2, init: 0, says: y.}
actions:
  go:
    by: "0"
    says: Go.
    do:
      - {id: always, says: Always., do: x += 1}
      - {id: at-times, only: {sooner: two, later: one}, says: At times., do: y += 1}
end:
  - {id: over, says: Over., when: x == 2}
"""
AT_ONCE = """\
players: 1
state:
  x: {type: 0..4, init: 0, says: x.}
actions:
  go: {by: "0", says: Go., do: x = 1}
end:
  - {id: over, says: Over., when: x == 0}
"""
DIVIDED = """\
players: 1
state:
  x: {type: 0..3, init: 0, says: x.}
actions:
  go:
    by: "0"
    says: Go.
    require:
      - {id: shared, says: Shared., check: "6 // (3 - x) > 0"}
    do: x += 1
end:
  - {id: over, says: Over., when: x == 4}
"""
WINNERS = """\
players: 2
options:
  draw:
    kind: reading
    question: Who wins?
    values: {nobody: {says: Nobody.}, all: {says: All.}, first: {says: The first.}}
    default: first
state:
  x: {type: 0..2, init: 0, says: x.}
actions:
  go: {by: "0", says: Go., do: x += 1}
end:
  - id: over
    says: Over.
    when: x == 2
    winners: "{p for p in Player if (option('draw') == 'all') or (option('draw') == 'first' and p == 0)}"
"""
TOGETHER = """\
players: 1
options:
  left:
    kind: reading
    question: Left?
    values: {one: {says: One.}, two: {says: Two.}}
    default: one
  right:
    kind: reading
    question: Right?
    values: {one: {says: One.}, two: {says: Two.}}
    default: one
state:
  y: {type: 0..2, init: 0, says: y.}
  z: {type: 0..2, init: 0, says: z.}
actions:
  go:
    by: "0"
    says: Go.
    do:
      - {id: always, says: Always., do: y += 1}
      - {id: both, only: {left: two, right: two}, says: Both., do: z = 2}
end:
  - {id: over, says: Over., when: y == 2}
"""
FOUR = """\
players: 2..4
options:
  whose:
    kind: variant
    question: Whose?
    values: {one: {says: One.}, two: {says: Two.}}
    default: one
state:
  y: {type: 0..4, init: 0, says: y.}
  z: {type: 0..4, init: 0, says: z.}
actions:
  go:
    by: y % players
    says: Go.
    do:
      - y += 1
      - {id: far, says: Far., when: "actor == 3", do: z = 4}
end:
  - {id: over, says: Over., when: y == 4, winners: "{0} if option('whose') == 'one' or players < 4 else {1}"}
"""
WITH_RIGHT = "`left`: `one` and `two`; they part with right=two"
WITH_LEFT = "`right`: `one` and `two`; they part with left=two"
NOBODY = """\
players: 2
state:
  y: {type: 0..2, init: 0, says: y.}
  w: {type: "maybe[Player]", init: none, says: Who.}
actions:
  go: {by: w, says: Go., do: y += 1}
end:
  - {id: over, says: Over., when: y == 2}
"""
TWO_DRAWS = """\
players: 1
types: {Face: [red, blue]}
state:
  x: {type: 0..4, init: 0, says: x.}
actions:
  go:
    by: "0"
    says: Go.
    chance: {d: "one_of({1: 1/2, 2: 1/2})", e: "roll(d, Face)"}
    do: x = d + e[red]
end:
  - {id: over, says: Over., when: x > 0}
"""
EMPTY_BAG = """\
players: 1
types: {Face: [red, blue]}
state:
  x: {type: 0..2, init: 0, says: x.}
  b: {type: "bag[Face, 2]", says: b.}
actions:
  bad: {by: "0", says: Bad., chance: {d: draw(b)}, do: x = 0}
  go: {by: "0", says: Go., do: x += 1}
end:
  - {id: over, says: Over., when: x == 2}
"""


def spec(tmp_path: Path, text: str) -> str:
    """A rules file."""
    file = tmp_path / "small.yaml"
    file.write_text(HEAD + text, encoding="utf-8")
    return str(file)


def claims(tmp_path: Path, text: str, **given: object) -> Uncovered:
    """What is told of what nothing shows."""
    rules = load(spec(tmp_path, text), Diagnostics())
    assert rules is not None
    return uncovered(Maker(rules, {}, None, **given).make(), 20.0)  # type: ignore[arg-type]


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    """Status, output and errors of a command."""
    status = main(list(words))
    said = capsys.readouterr()
    return status, said.out, said.err


def test_two_checks_behind_a_third_one_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three checks refuse one move; the last two are no less a pair for the first one."""
    found = claims(tmp_path, BEHIND)
    assert Goal("refuse-both", ("second", "third")) not in [*found.proved, *found.open]
    _, out, _ = run(capsys, "fixtures", spec(tmp_path, BEHIND))
    assert "refuse-both:second:third" in out


def test_a_search_for_something_else_leaves_no_marks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A setting that is first looked through for partings shows its own clauses later."""
    found = claims(tmp_path, LISTED_FIRST)
    assert not [g for g in (*found.proved, *found.open) if g.kind in ("happens", "meet")]
    _, out, _ = run(capsys, "fixtures", spec(tmp_path, LISTED_FIRST))
    assert {"happens:at-times", "meet:always:at-times"} <= {g for line in out.splitlines() for g in json.loads(line)["covers"]}


def test_an_end_at_the_start_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No step leads to it."""
    found = claims(tmp_path, AT_ONCE)
    assert Goal("takes", ("go",)) in found.proved
    assert not [g for g in (*found.proved, *found.open) if g.kind == "ends" or g == Goal("winners", ("no winner",))]
    _, out, _ = run(capsys, "fixtures", spec(tmp_path, AT_ONCE))
    assert {"ends:over", "winners:no winner"} <= set(json.loads(out)["covers"])


def test_positions_without_a_value_are_no_positions_looked_at(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What would be there is not known; the command names the position."""
    found = claims(tmp_path, DIVIDED)
    assert Goal("value", ("x = 3",)) not in found.proved
    assert not any("positions were looked at" in how for how in found.proved.values())
    status, out, err = run(capsys, "fixtures", spec(tmp_path, DIVIDED), "--coverage", "--out", str(tmp_path / "out.jsonl"))
    assert status == 1
    assert "in 1 of them the rules have no value" in " ".join(out.split())
    assert "the rules have no value in a position: a number is divided by zero, in `shared` of the action `go`" in err
    assert """--at '{"x": 3}'""" in err


def test_winners_and_values_of_other_settings_can_come_up(tmp_path: Path) -> None:
    """They are looked for under the first setting alone, and told of all."""
    found = claims(tmp_path, WINNERS)
    assert not [g for g in found.proved if g.kind == "winners"]
    several = found.reachable[Goal("winners", ("several winners",))]
    assert several == "a play with draw=all"
    found = claims(tmp_path, FOUR)
    assert Goal("value", ("z = 4",)) not in found.proved
    assert found.reachable[Goal("value", ("z = 4",))] == "a play for 4 players"


def test_values_part_under_another_option_or_for_more_players(tmp_path: Path) -> None:
    """With `right=two`; for four players. The clause of both options is told of, although no setting looked at has it."""
    found = claims(tmp_path, TOGETHER)
    assert found.same == []
    assert found.unparted == [
        WITH_RIGHT,
        WITH_LEFT,
    ]
    assert found.left == ["both"]
    found = claims(tmp_path, FOUR)
    assert found.same == []
    assert found.unparted == ["`whose`: `one` and `two`; they part for 4 players"]


def test_values_that_never_part_are_still_told(tmp_path: Path) -> None:
    """Of every setting and number of players."""
    same = FOUR.replace("option('whose') == 'one' or players < 4", "option('whose') == 'one' or players < 5")
    assert claims(tmp_path, same).same == ["`whose`: `one` and `two`"]
    assert claims(tmp_path, same, alone=True).scope == "with whose=one for 2 players"


def test_from_a_position_the_claims_are_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And say so."""
    out = run(capsys, "fixtures", spec(tmp_path, BEHIND), "--at", "{x: 1}", "--coverage", "--out", str(tmp_path / "o"))[1]
    assert "cannot come up from this position" in " ".join(out.split())


def test_the_probability_of_two_draws_is_that_of_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """How many faces there are hangs on the first draw: 1/2 of 1/2, and 1/2 of 1/4."""
    _, out, _ = run(capsys, "fixtures", spec(tmp_path, TWO_DRAWS))
    odds = {o["draw"]: Fraction(o["probability"]) for line in out.splitlines() for o in json.loads(line)["outcomes"]}
    assert odds["d=1, e=red"] == Fraction(1, 4)


EVERY = [["perft", "--depth", "2"], ["perft", "--depth", "1", "--divide"], ["fixtures"], ["mutants"]]


@pytest.mark.parametrize("words", EVERY, ids=lambda w: w[0] + w[-1])
def test_rules_without_a_value_are_not_passed_over(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody may move at the start, by a formula that has no value: that is told, with the position, and the status is 1."""
    status, _, err = run(capsys, words[0], spec(tmp_path, NOBODY), *words[1:])
    assert status == 1
    assert "the rules have no value" in err
    assert "in the action `go`: its `by`" in err
    assert """--at '{"y": 0, "w": null}'""" in err


def test_perft_tells_of_positions_on_the_way_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three moves lead to the position without a value; a fourth would begin there."""
    assert run(capsys, "perft", spec(tmp_path, DIVIDED), "--depth", "3")[0] == 0
    status, out, err = run(capsys, "perft", spec(tmp_path, DIVIDED), "--depth", "4")
    assert (status, out) == (1, "")
    assert "after 3 moves" in err


def test_a_move_that_cannot_be_drawn_hides_no_other(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`graph --states` draws what is legal, and notes the fault."""
    _, out, _ = run(capsys, "graph", "--states", spec(tmp_path, EMPTY_BAG), "--format", "json")
    whole = json.loads(out)
    assert [(e["source"], e["target"], e["label"]) for e in whole["edges"]] == [("s0", "s1", "go"), ("s1", "s2", "go")]
    assert whole["nodes"][0]["fault"] == "bad: a draw from an empty bag"


def test_standard_output_is_a_file_to_write_to(tmp_path: Path) -> None:
    """Into a pipe or a file, without what is said besides."""
    for stdout in (subprocess.PIPE, (tmp_path / "out").open("w+")):
        words = [sys.executable, "-m", "tablelaw", "fixtures", spec(tmp_path, BEHIND), "--out", "/dev/stdout"]
        done = subprocess.run(words, stdout=stdout, stderr=subprocess.PIPE, text=True, check=False)
        assert done.returncode == 0, done.stderr
        told = done.stdout if stdout is subprocess.PIPE else (tmp_path / "out").read_text(encoding="utf-8")
        assert all(json.loads(line)["game"] == "small" for line in told.splitlines())
        assert told


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device of Linux")
@pytest.mark.parametrize("words", [["fixtures", "--out"], ["graph", "--states", "--output"]])
def test_a_full_disk_is_told_with_a_cure(words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And the name of what could not be written."""
    status, _, err = run(capsys, words[0], spec(tmp_path, BEHIND), *words[1:], "/dev/full")
    assert status == 2
    assert "error[Q112]" in err
    assert "/dev/full" in err
    assert "= help: " in err


def test_two_exports_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Rather than the last one taken without a word."""
    words = ["--evidence", str(tmp_path / "e"), "--export", "itf", "--export", "smtlib"]
    status, _, err = run(capsys, "check", spec(tmp_path, BEHIND), *words)
    assert status == 2
    assert "`--export` is given twice" in err


EVEN = """tablelaw: 1
game: even
title: Even
players: 1
state:
  x: {type: 0..60, init: 0}
  y: {type: 0..60, init: 0}
  z: {type: 0..60, init: 0}
actions:
  right: {by: 0, require: [{id: r, check: x < 59}], do: x += 2}
  up: {by: 0, require: [{id: u, check: y < 60}], do: y += 1}
  in: {by: 0, require: [{id: i, check: z < 60}], do: z += 1}
end:
  - id: odd-corner
    when: x == 57 and y == 57 and z == 57
"""


def test_what_is_proved_from_the_start_is_not_told_of_a_position(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """From `x = 0` the corner cannot come up; from `x = 1` it can, and that was denied."""
    (tmp_path / "even.yaml").write_text(EVEN, encoding="utf-8")
    words = ["fixtures", str(tmp_path / "even.yaml"), "--at", "{x: 1, y: 0, z: 0}", "--time", "60", "--coverage"]
    main([*words, "--out", str(tmp_path / "set.jsonl")])
    told = " ".join(capsys.readouterr().out.split())
    assert "`odd-corner` ends the play; there is a play of 142 steps" in told
