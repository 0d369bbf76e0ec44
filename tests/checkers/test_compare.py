"""`same` and `compare`: toy games whose answers are known by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tablelaw.checkers.compare import Asker
from tablelaw.checkers.sides import shown
from tablelaw.cli import main
from tablelaw.solver.lockstep import Parting
from tablelaw.solver.parting import Comparing
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.verdict import InternalFault
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import load

TOY = """
tablelaw: 1
game: toy
title: Toy
players: 2..3
options:
  edition:
    kind: edition
    values: [one, two, three, four, five, six, seven, eight, nine]
    default: one
  joined: {kind: variant, values: ['no', 'yes'], default: 'no'}
constraints: ["option('edition') != 'nine' or option('joined') == 'no'"]
types: {Coin: [heads, tails], Left: 0..6, Take: 1..2}
state:
  turn: {type: Player, init: 0}
  left: {type: Left, init: 6}
  pot: {type: 0..20, init: 0}
  deep: {type: bool, init: false, only: {edition: eight}}
actions:
  take:
    by: turn
    params: {n: Take}
    require:
      - {id: there, says: Take what is there., check: n <= left}
      - {id: slow, says: Begin with one., only: {edition: two}, check: "n == 1 or left < 6"}
      - {id: never-all, says: Never an even rest., only: {edition: three}, check: "(left - n) % 2 == 1 or left < 6"}
      - {id: idle, says: Nothing new., only: {edition: five}, check: "n <= 2 and left >= 0"}
      - {id: other, says: Begin with two., only: {edition: six}, check: "n == 2 or left < 6"}
    chance: {coin: "one_of({heads: 1/2, tails: 1/2})"}
    do:
      - {id: fair, only: {edition: [one, two, three, five, six, seven, eight, nine]}, do: left -= n}
      - {id: worth, only: {edition: four}, when: left == 2, do: pot += 1}
      - {id: plain, only: {edition: four}, do: left -= n}
      - {id: goes-deep, only: {edition: eight}, do: deep = True}
      - do: turn = after(turn)
end:
  - {id: over, only: {edition: [one, two, three, four, five, six, eight, nine]}, when: left == 0, winners: "{turn}"}
  - {id: over-too, says: The last wins., only: {edition: seven}, when: left == 0, winners: "{before(turn)}"}
"""


@pytest.fixture
def toy(tmp_path: Path) -> str:
    """The rules file."""
    file = tmp_path / "toy.yaml"
    file.write_text(TOY, encoding="utf-8")
    return str(file)


def compared(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, dict[str, Any]]:
    """The exit status and the first result."""
    status = main(["compare", *args, "--json"])
    return status, json.loads(capsys.readouterr().out)["results"][0]


@pytest.mark.parametrize(
    ("edition", "value", "parts", "steps"),
    [
        ("two", "left", "only", 0),
        ("three", "left", "only", 0),
        ("four", "neither", "values", 2),
        ("six", "left", "only", 0),
        ("seven", "neither", "winners", 3),
    ],
)
def test_where_editions_part(
    toy: str, capsys: pytest.CaptureFixture[str], edition: str, value: str, parts: str, steps: int
) -> None:
    """The shortest play to where they part, and which of them allows more."""
    status, found = compared(capsys, toy, "--left", "edition=one", "--right", f"edition={edition}")
    assert status == 1
    assert (found["question"], found["kind"], found["verdict"]) == ("same", "same", "fails")
    assert (found["value"], found["parts"], len(found["trace"]["steps"]) - 1) == (value, parts, steps)
    again, turned = compared(capsys, toy, "--left", f"edition={edition}", "--right", "edition=one")
    assert again == 1
    assert turned["value"] == {"left": "right", "neither": "neither"}[value]


def test_a_move_that_one_forbids_names_its_clause(toy: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The clause that forbids it on one side, what it leads to on the other."""
    _, found = compared(capsys, toy, "--left", "edition=one", "--right", "edition=two")
    assert found["move"] == "take(n=2)"
    assert found["outcomes"]["right"] == {"legal": False, "clauses": ["slow"], "changed": []}
    assert found["outcomes"]["left"]["legal"]
    assert "slow" in found["clauses"]


def test_values_that_differ_are_told(toy: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Each variable with its value on both sides, and the clause that one side alone has."""
    _, found = compared(capsys, toy, "--left", "edition=one", "--right", "edition=four")
    assert found["differing"] == [{"path": "pot", "left": "0", "right": "1"}]
    assert "worth" in found["clauses"]


@pytest.mark.parametrize(("edition", "known"), [("five", "exhausted"), ("one", "proved"), ("nine", "proved")])
def test_editions_that_are_the_same(toy: str, capsys: pytest.CaptureFixture[str], edition: str, known: str) -> None:
    """Seen in the formulas, or by looking at every position."""
    status, found = compared(capsys, toy, "--left", "edition=one", "--right", f"edition={edition}")
    assert (status, found["verdict"], found["value"]) == (0, "holds", "equal")
    assert found["known_by"] in (known, "proved")


def test_a_variable_of_one_side_is_left_out(toy: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It is compared by what can be seen, and said so."""
    status, found = compared(capsys, toy, "--left", "edition=one", "--right", "edition=eight")
    assert (status, found["value"], found["known_by"], found["left_out"]) == (0, "equal", "exhausted", ["deep"])


def test_from_a_position(toy: str, capsys: pytest.CaptureFixture[str]) -> None:
    """From a later position the editions of the first move are the same."""
    args = (toy, "--left", "edition=one", "--right", "edition=two")
    assert compared(capsys, *args, "--at", "{left: 5}")[0] == 0
    assert compared(capsys, *args, "--at", "{left: 6, turn: 1}")[0] == 1


def test_a_matrix(toy: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Every pair of values once; those that do not go together with the rest are left out."""
    assert main(["compare", toy, "--option", "edition=*", "--option", "joined=yes", "--json"]) == 1
    results = json.loads(capsys.readouterr().out)["results"]
    assert len(results) == 8 * 7 // 2
    assert main(["compare", toy, "--option", "edition=*", "--players", "3"]) == 1
    out = capsys.readouterr().out
    assert "= the same plays, > the row allows more" in out
    assert all(len(line) <= 100 for line in out.splitlines())


def test_two_files(toy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Files with the same names, one of them without a rule; and another that says the same in other words."""
    fewer = tmp_path / "fewer.yaml"
    fewer.write_text(TOY.replace("check: n <= left}", "check: n <= left or left == 1}"), encoding="utf-8")
    status, found = compared(capsys, toy, str(fewer))
    assert (status, found["parts"]) == (1, "fault") or found["value"] in ("right", "neither")
    other = tmp_path / "other.yaml"
    other.write_text(TOY.replace("check: n <= left}", "check: not left < n}"), encoding="utf-8")
    status, found = compared(capsys, toy, str(other))
    assert (status, found["value"]) == (0, "equal")


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["--left", "edition=ten"], "R206", "not a value of option"),
        (["--left", "editoin=two"], "R209", "did you mean `edition`?"),
        (["--left", "edition"], "Q301", "not an option setting"),
        ([], "Q109", "nothing to compare"),
        (["--left", "edition=nine,joined=yes"], "Q302", "do not go together"),
        (["--option", "edition=*", "--left", "joined=yes"], "Q109", "value by value"),
        (["--players", "7", "--left", "edition=two"], "Q301", "not for 7 players"),
        (["--left", "edition=two", "--at", "{lefft: 2}"], "R204", "did you mean `left`?"),
    ],
)
def test_what_cannot_be_compared(toy: str, capsys: pytest.CaptureFixture[str], args: list[str], code: str, says: str) -> None:
    """Each with a code and a cure."""
    assert main(["compare", toy, *args]) == 2
    out = capsys.readouterr().err
    assert code in out
    assert says in " ".join(out.split())
    assert "help" in out


def test_files_that_share_nothing(toy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """There is nothing to compare by."""
    other = tmp_path / "other.yaml"
    other.write_text(
        "tablelaw: 1\ngame: o\ntitle: O\nplayers: 2\nstate: {n: {type: 0..3, init: 0}}\n"
        "actions: {go: {by: 0, require: [{id: r, check: n < 3}], do: n += 1}}\n",
        encoding="utf-8",
    )
    assert main(["compare", toy, str(other)]) == 2
    assert "Q126" in capsys.readouterr().err


def test_a_wrong_parting_is_an_internal_fault(toy: str) -> None:
    """What the search says is looked at by the evaluator before it is told."""
    rules = load(toy, Diagnostics())
    assert rules is not None
    games = [rules.game({"edition": e}, 2, Diagnostics()) for e in ("one", "five")]
    left, right = games
    assert left is not None
    assert right is not None
    lock = Comparing(left, right).lock
    next(iter(lock.search(Budget())), None)
    move = next(iter(lock.menus(lock.pairs[0])[0].choices.values())).move
    with pytest.raises(InternalFault):
        shown(left, right, Parting("only", "left", lock.pairs[0], (lock.pairs[0], ()), move))


DEEP = """
tablelaw: 1
game: deep
title: Deep
players: 1
options: {o: {kind: edition, values: [a, b], default: a}}
types: {Room: 0..399, Step: 0..9}
state:
  room: {type: Room, init: 0}
  seen: {type: "map[Step, 0..9]", init: 0}
actions:
  go:
    by: 0
    params: {k: Step}
    require: [{id: last, only: {o: b}, says: Not from the last room., check: "room < 30 or k != 3"}]
    do: |
      seen[k] = (seen[k] + 1) % 10
      room = (room + 1) % 40
"""


@pytest.mark.slow
def test_a_difference_too_deep_for_breadth_is_found_at_random(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The play is shortened, said not to be the shortest for sure, and never wrong."""
    file = tmp_path / "deep.yaml"
    file.write_text(DEEP, encoding="utf-8")
    status, found = compared(capsys, str(file), "--left", "o=a", "--right", "o=b", "--time", "40")
    assert (status, found["value"], found["move"]) == (1, "left", "go(k=3)")
    assert len(found["trace"]["steps"]) - 1 == 30


LAID = """
tablelaw: 1
game: laid
title: Laid
players: 1
options:
  inside: {kind: reading, values: [joined, apart], default: joined}
  gate: {kind: edition, values: [plain, garden], default: plain}
  rule: {kind: edition, values: [same, other], default: same}
pieces:
  Tile:
    parts: {road: {at: sides}, garden: {at: inside}}
    rotation: fixed
    contact: "True"
    faces:
      bend:
        - {only: {inside: joined}, count: 1, road: [[E, W]]}
        - {only: {inside: apart}, count: 1, road: [[E], [W]]}
      gate:
        - {only: {gate: plain}, count: 1, road: [[W]]}
        - {only: {gate: garden}, count: 1, road: [[W]], garden: {}}
state:
  table: {type: "layout[Tile, 3]", init: {"(0, 0)": gate/0}}
  score: {type: 0..9, init: 0}
actions:
  lay:
    by: 0
    during: size(table) < 3
    params: {cell: frontier(table), face: Tile}
    do: table = place(table, cell, face, 0)
  count:
    by: 0
    during: size(table) == 3 and score == 0
    do: score = max(f.size for f in features(table, road))
  rest:
    by: 0
    params: {part: "parts(table, (0, 0))"}
    require: [{id: garden, says: In a garden., check: part.kind == garden and score == 0}]
    do: score = 9
scenarios:
  in-the-garden: {given: {score: 1}, play: [], then: [score == 1]}
questions:
  given-inside:
    same: [{inside: joined}, {inside: apart}]
    given: {table: {"(0, 0)": bend/0, "(1, 0)": bend/0, "(2, 0)": gate/0}}
"""


@pytest.fixture
def laid(tmp_path: Path) -> str:
    """Two games whose formulas are the same and whose pieces are not."""
    file = tmp_path / "laid.yaml"
    file.write_text(LAID, encoding="utf-8")
    return str(file)


def test_pieces_of_one_name_may_be_made_otherwise(laid: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Formulas name faces alone; what a face is made of decides plays too."""
    status, found = compared(capsys, laid, "--left", "inside=joined", "--right", "inside=apart")
    assert (status, found["verdict"], found["value"], found["move"]) == (1, "fails", "neither", "count")
    assert len(found["trace"]["steps"]) - 1 == 2
    assert [row["path"] for row in found["differing"]] == ["score"]
    status, found = compared(capsys, laid, "--left", "gate=plain", "--right", "gate=garden")
    assert (status, found["value"], found["move"]) == (1, "right", "rest(part=part((0, 0), garden))")
    status, found = compared(capsys, laid, "--left", "rule=same", "--right", "rule=other")
    assert (status, found["value"], found["known_by"]) == (0, "equal", "proved")


def test_a_move_with_what_is_not_there_is_no_move(laid: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Of a part that one game's piece lacks no clause of that game says anything."""
    assert main(["compare", laid, "--left", "gate=plain", "--right", "gate=garden"]) == 1
    assert "gate=plain: there is no such move" in capsys.readouterr().out


def test_a_position_given_is_of_the_pieces_of_each_game(laid: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The position is read once, and laid with the pieces of either side."""
    assert main(["check", laid, "--question", "given-inside", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)["results"][0]
    assert (found["verdict"], found["move"], len(found["trace"]["steps"])) == ("fails", "count", 1)
    assert [tuple(row.values()) for row in found["differing"]] == [("score", "3", "2")]


def test_what_one_start_has_beyond_the_other_is_told_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of two bags only what differs, and of two starts one pair."""
    files = []
    for name, bag in (("a", "{apple: 2, bread: 1}"), ("b", "{apple: 2, bread: 1, cloth: 1, dates: 1, eggs: 1}")):
        file = tmp_path / f"{name}.yaml"
        file.write_text(
            "tablelaw: 1\ngame: g\ntitle: G\nplayers: 1\ntypes: {Ware: [apple, bread, cloth, dates, eggs]}\n"
            f'state: {{box: {{type: "bag[Ware, 9]", init: {bag}}}}}\n'
            "actions: {take: {by: 0, params: {w: box}, do: box -= w}}\n",
            encoding="utf-8",
        )
        files.append(str(file))
    assert main(["compare", *files]) == 1
    out = capsys.readouterr().out
    assert "box: nothing against cloth+dates+eggs more" in out
    assert out.count("they do not start alike") == 1
    assert "`--at`" in out


FAULTS = """
tablelaw: 1
game: faults
title: Faults
players: 1
options:
  e: {kind: edition, values: [plain, idle, body, rescue, condition, guarded, unguarded, twice, quiet], default: plain}
state:
  clock: {type: 0..20, init: 0}
  x: {type: 0..3, init: 0}
  l: {type: "list[0..3, 2]", init: []}
actions:
  tick:
    by: 0
    require:
      - {id: early, only: {e: unguarded}, says: One., check: "clock < 8 or l[0] == 1"}
      - {id: some, says: Some., check: "clock < 8 or size(l) > 0"}
      - {id: one, says: One., check: "clock < 8 or l[0] == 1"}
      - {id: late, only: {e: [guarded, twice]}, says: One., check: "clock < 8 or l[0] == 1"}
    do:
      - {id: saves, only: {e: rescue}, when: clock == 6, do: x = 1}
      - {id: takes, only: {e: [rescue, quiet]}, when: clock == 6, do: x -= 1}
      - {id: goes, do: clock += 1}
      - {id: never, only: {e: idle}, when: clock == 0, do: x = 1}
      - {id: wrong, only: {e: body}, when: clock == 5, do: x -= 1}
      - {id: blind, only: {e: condition}, when: "clock == 5 and l[0] == 1", do: x = 1}
"""


@pytest.mark.parametrize(
    ("left", "right", "known"),
    [
        ("plain", "idle", True),
        ("plain", "body", False),
        pytest.param("quiet", "rescue", False, marks=pytest.mark.slow),
        ("plain", "condition", False),
        ("plain", "guarded", True),
        ("guarded", "plain", True),
        pytest.param("plain", "unguarded", False, marks=pytest.mark.slow),
        pytest.param("unguarded", "twice", False, marks=pytest.mark.slow),
    ],
)
def test_a_proof_sees_steps_with_a_fault(tmp_path: Path, left: str, right: str, known: bool) -> None:
    """A step with a fault is not taken, so that no clause takes effect in it; a check guards those after it."""
    file = tmp_path / "faults.yaml"
    file.write_text(FAULTS, encoding="utf-8")
    sink = Diagnostics()
    rules = load(str(file), sink)
    assert rules is not None
    games = [rules.game({"e": e}, 1, sink) for e in (left, right)]
    assert games[0] is not None
    assert games[1] is not None
    comparing = Comparing(games[0], games[1], Asker("auto"))
    assert comparing._prove(Budget(seconds=6)) is known
    assert comparing.run(Budget(seconds=6), bool).proved is known
