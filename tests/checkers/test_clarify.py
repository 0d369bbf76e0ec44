"""`clarifies` and `clarify`: what clauses do to the rules, on toy games whose answers are known by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tablelaw.checkers.clarify import MOST_READINGS, open_readings
from tablelaw.cli import main
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import load
from tablelaw.spec.settings import defaults

BERRIES = str(Path(__file__).resolve().parent.parent.parent / "docs" / "transcripts" / "berries.yaml")
TOY = """
tablelaw: 1
game: toy
title: Toy
players: 2
options:
  gives: {kind: reading, question: May one give, values: ['yes', 'no'], default: 'yes'}
  house: {kind: variant, values: [plain, odd], default: plain}
types: {Coins: 0..6, Phase: [buying, paying]}
state:
  turn: {type: Player, init: 0}
  phase: {type: Phase, init: buying}
  coins: {type: "map[Player, Coins]", init: 3}
  bought: {type: "map[Player, Coins]", init: 0}
  owed: {type: Coins, init: 0}
actions:
  buy:
    by: turn
    during: phase == buying
    params: {n: 1..3}
    require:
      - {id: can-pay, says: Nobody buys without coins., check: "n <= coins[turn]"}
      - {id: few, says: At most two., check: n <= 2}
      - {id: three-at-once, excepts: few, says: Three if one has bought none., check: "n == 3 and bought[turn] == 0"}
      - {id: p-few, proposed: true, says: Two or less., check: n <= 2}
      - {id: p-loan, proposed: true, excepts: can-pay, says: The first may borrow., check: "n == 1 and coins[turn] == 0"}
      - {id: p-true, proposed: true, says: Anybody may buy., check: "True"}
      - {id: p-one, proposed: true, says: One at a time., check: n == 1}
      - {id: p-none, proposed: true, says: Nobody buys the last., check: "coins[turn] > 1"}
      - {id: p-odd, proposed: true, only: {house: odd}, says: Odd ones., check: n != 2}
    do:
      - {id: pay-up, says: Pay., do: "coins[turn] -= min(n, coins[turn])\\nbought[turn] = min(6, bought[turn] + n)"}
      - {id: p-free, proposed: true, says: The third is free., when: n == 3, do: "coins[turn] = 3"}
      - {id: p-bonus, proposed: true, says: One more., when: "bought[turn] == 2", do: "bought[turn] += 1"}
      - {id: p-never, proposed: true, says: Never., when: "bought[turn] > coins[turn] + 6", do: "coins[turn] = 0"}
      - {id: p-paid, replaces: pay-up, proposed: true, says: Cheap., do: "bought[turn] = min(6, bought[turn] + n)"}
      - do: turn = after(turn)
  rest:
    by: turn
    proposed: true
    during: phase == buying and coins[turn] == 0
    says: Who has nothing rests.
    do: turn = after(turn)
  give:
    by: turn
    only: {gives: 'yes'}
    during: phase == buying
    require:
      - {id: has, says: Of what one has., check: "coins[turn] > 1 and coins[after(turn)] < 6"}
      - {id: p-keep, proposed: true, says: Nothing is given away., check: "False"}
    do: |
      coins[turn] -= 1
      coins[after(turn)] += 1
      turn = after(turn)
end:
  - {id: out, when: "all(bought[p] >= 3 for p in Player)", winners: "{p for p in Player if coins[p] > 0}"}
  - {id: p-soon, proposed: true, when: "any(bought[p] >= 3 for p in Player)", winners: "{turn}"}
  - {id: p-late, proposed: true, says: All done., when: "all(bought[p] >= 4 for p in Player)", winners: "{turn}"}
remarks:
  - {id: p-said, says: Have fun.}
questions:
  q-few: {clarifies: p-few, expect: conflicts}
  q-true: {clarifies: [p-true], expect: entailed}
  q-wrong: {clarifies: p-keep, expect: entailed}
  q-odd: {clarifies: p-odd, expect: entailed}
"""


@pytest.fixture
def toy(tmp_path: Path) -> str:
    """The rules file."""
    file = tmp_path / "toy.yaml"
    file.write_text(TOY, encoding="utf-8")
    return str(file)


def clarified(capsys: pytest.CaptureFixture[str], *args: str) -> dict[str, Any]:
    """The first result; the command only tells."""
    status = main(["clarify", *args, "--json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)["results"][0]
    assert status == (3 if found["verdict"] == "unknown" else 0)
    return found


@pytest.mark.parametrize(
    ("clause", "word", "contradicts"),
    [
        ("p-few", "conflicts", ["three-at-once"]),
        ("p-loan", "conflicts", ["can-pay"]),
        ("p-true", "entailed", []),
        ("p-one", "conflicts", ["three-at-once"]),
        ("p-free", "conflicts", ["pay-up"]),
        ("p-bonus", "fills-gap", []),
        ("p-never", "entailed", []),
        ("p-paid", "conflicts", ["pay-up"]),
        ("rest", "fills-gap", []),
        ("p-keep", "refines", []),
        ("p-soon", "fills-gap", []),
        ("p-late", "entailed", []),
    ],
)
def test_each_word(toy: str, capsys: pytest.CaptureFixture[str], clause: str, word: str, contradicts: list[str]) -> None:
    """What a proposed clause does, and which clauses it contradicts."""
    found = clarified(capsys, toy, clause)
    assert (found["question"], found["kind"], found["verdict"]) == ("clarify", "clarifies", word)
    assert found["contradicts"] == contradicts
    assert clause in found["clauses"]
    assert found["as_expected"] is None


def test_readings_are_named(toy: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Which are ruled out and which are kept; an option that is set is no open reading."""
    found = clarified(capsys, toy, "p-keep")
    assert found["differs"] == [{"gives": "yes"}]
    assert [r["effect"] for r in found["readings"]] == ["changes", "same"]
    assert found["move"] == "give"
    assert found["outcomes"]["with"]["clauses"] == ["p-keep"]
    alone = clarified(capsys, toy, "p-keep", "--option", "gives=no")
    assert (alone["verdict"], len(alone["readings"])) == ("entailed", 1)
    other = clarified(capsys, toy, "p-keep", "--option", "gives=yes")
    assert other["verdict"] in ("fills-gap", "conflicts")


def test_a_dead_end_is_a_contradiction(toy: str, capsys: pytest.CaptureFixture[str]) -> None:
    """The clauses that forbid the rest are named."""
    found = clarified(capsys, toy, "p-none", "--option", "gives=no")
    assert found["verdict"] == "conflicts"
    assert set(found["contradicts"]) & {"can-pay", "few", "three-at-once"}


def test_an_entailed_clause_shows_where_it_speaks(capsys: pytest.CaptureFixture[str]) -> None:
    """A position, the move, and the clause that decides it already."""
    found = clarified(capsys, BERRIES, "note-1")
    assert (found["verdict"], found["known_by"], found["decided_by"]) == ("entailed", "proved", ["in-the-bowl"])
    assert found["move"] == "take(n=3)"
    assert found["position"]["bowl"] == 2
    assert not found["outcomes"]["without"]["legal"]


def test_a_clause_that_never_speaks(toy: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It is said that there is no such position."""
    assert main(["clarify", toy, "p-never"]) == 0
    assert "it never says anything" in " ".join(capsys.readouterr().out.split())


def test_ordinary_clauses(toy: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Asked as the rules without it against the rules with it."""
    few = clarified(capsys, toy, "few")  # who has bought gets three coins again by a gift alone
    assert (few["verdict"], few["differs"]) == ("refines", [{"gives": "yes"}])
    found = clarified(capsys, toy, "three-at-once")
    assert (found["verdict"], found["contradicts"]) == ("conflicts", ["few"])


def test_two_notes(toy: str, capsys: pytest.CaptureFixture[str]) -> None:
    """One follows from the other, or allows what it forbids, or leaves no move beside it."""
    assert clarified(capsys, toy, "p-few", "--against", "p-one")["verdict"] == "entailed"
    assert clarified(capsys, toy, "p-one", "--against", "p-few")["verdict"] != "entailed"
    found = clarified(capsys, toy, "p-loan", "--against", "p-none")
    assert found["verdict"] == "conflicts"
    assert set(found["contradicts"]) == {"p-none", "p-loan"}
    stuck = clarified(capsys, BERRIES, "note-5", "--against", "note-3")
    assert (stuck["verdict"], stuck["contradicts"]) == ("conflicts", ["note-3"])


def test_questions_and_what_they_expect(toy: str, capsys: pytest.CaptureFixture[str]) -> None:
    """An expectation that differs is a finding; the same by `check` and by `clarify`."""
    for command in (["clarify", toy, "q-few", "q-true"], ["check", toy, "--question", "q-few", "--question", "q-true"]):
        assert main(command) == 0
    capsys.readouterr()
    assert main(["clarify", toy, "q-wrong", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["results"][0]["as_expected"] is False


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["p-fow"], "Q106", "did you mean `p-few`?"),
        (["p-few", "--against", "p-nine"], "Q106", "no clause is called `p-nine`"),
        (["p-said"], "Q106", "is a remark and decides nothing"),
        (["q-few", "--against", "p-one"], "Q109", "goes with clauses"),
        (["p-few", "--at", "{coin: 3}"], "R204", "did you mean `coins`?"),
    ],
)
def test_what_cannot_be_asked(toy: str, capsys: pytest.CaptureFixture[str], args: list[str], code: str, says: str) -> None:
    """Each with a code and a cure."""
    assert main(["clarify", toy, *args]) == 2
    out = " ".join(capsys.readouterr().err.split())
    assert code in out
    assert says in out


def test_a_clause_that_no_setting_brings_into_force(toy: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It is said that there is none under these options."""
    assert main(["clarify", toy, "p-odd"]) == 3
    out = " ".join(capsys.readouterr().out.split())
    assert "under these options there is no such clause; it exists under house=odd" in out
    assert main(["clarify", toy, "q-odd", "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["results"][0]["as_expected"] is not True
    assert clarified(capsys, toy, "p-odd", "--option", "house=odd")["verdict"] != "entailed"


def test_many_readings_are_taken_one_by_one(tmp_path: Path) -> None:
    """Where all combinations are too many, each reading is changed alone, and that is told."""
    file = tmp_path / "many.yaml"
    options = "".join(f"  r{i}: {{kind: reading, values: [a, b], default: a}}\n" for i in range(8))
    file.write_text(
        f"tablelaw: 1\ngame: m\ntitle: M\nplayers: 1\noptions:\n{options}state: {{n: {{type: 0..2, init: 0}}}}\n"
        "actions: {go: {by: 0, require: [{id: r, check: n < 2}], do: n += 1}}\n",
        encoding="utf-8",
    )
    rules = load(str(file), Diagnostics())
    assert rules is not None
    every, alone = open_readings(rules.document, defaults(rules.document), frozenset(), 1)
    assert (len(every), alone) == (9, True)
    fewer, whole = open_readings(rules.document, defaults(rules.document), frozenset({"r0", "r1"}), 1)
    assert (len(fewer), whole) == (MOST_READINGS, False)


NESTED = """
tablelaw: 1
game: nested
title: Nested
players: 1
options:
  a: {kind: reading, values: [a1, a2], default: a1}
  b: {kind: reading, only: {a: a2}, values: [b1, b2], default: b1}
state: {x: {type: 0..3, init: 2}}
actions:
  go:
    by: 0
    params: {n: 1..3}
    require:
      - {id: low, only: "option('a') == 'a1' or option('b') == 'b1'", says: Low., check: n < 3}
      - {id: p-low, proposed: true, says: Low ones., check: n < 3}
    do:
      - {id: to-two, says: The marker goes to 2., do: x = 2}
      - {id: p-to-one, proposed: true, says: The marker goes to 1., do: x = 1}
  stay:
    by: 0
    params: {n: 1..3}
    require:
      - {id: small, says: Small., check: n < 2}
      - {id: odd, says: Odd., check: n % 2 == 1}
      - {id: p-two, proposed: true, excepts: small, says: Two may be., check: n == 2}
"""


@pytest.fixture
def nested(tmp_path: Path) -> str:
    """The rules file."""
    file = tmp_path / "nested.yaml"
    file.write_text(NESTED + "    do: x = x\n", encoding="utf-8")
    return str(file)


def test_readings_that_exist_under_another_reading(nested: str, capsys: pytest.CaptureFixture[str]) -> None:
    """They are looked at with the value that opens them."""
    found = clarified(capsys, nested, "p-low")
    assert (found["verdict"], found["differs"]) == ("refines", [{"a": "a2", "b": "b2"}])
    assert len(found["readings"]) == 3


def test_a_value_given_that_stays_as_it_was(nested: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A clause that sets what is so already is contradicted by one that sets it otherwise."""
    found = clarified(capsys, nested, "p-to-one")
    assert (found["verdict"], found["contradicts"]) == ("conflicts", ["to-two"])


def test_an_exception_that_allows_nothing(nested: str, capsys: pytest.CaptureFixture[str]) -> None:
    """It is said which clause forbids the move as well."""
    assert main(["clarify", nested, "p-two"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "entailed" in out
    assert "with it the move stays illegal, forbidden by odd: `p-two` allows nothing" in out
