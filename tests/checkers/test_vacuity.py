"""What is in the rules and says nothing is found; what says something, if only under one reading, is left alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablelaw.checkers.selection import Request
from tablelaw.checkers.vacuity import lint, probe
from tablelaw.spec.diagnostics import Diagnostic, Diagnostics
from tablelaw.spec.load import load

HEAD = """
tablelaw: 1
game: small
title: Small
players: 2
"""
BODY = """
types: {Pot: 0..9}
state:
  turn: {type: Player, init: 0}
  pot: {type: Pot, init: 0}
actions:
  add:
    by: turn
    params: {n: 1..2}
    require:
      - {id: within, says: The pot holds nine., check: pot + n <= 9}
EXTRA-CHECK
    do:
      - {id: added, says: It grows., do: pot += n}
      - {id: passed, says: The other goes on., do: turn = after(turn)}
EXTRA-EFFECT
EXTRA-ACTION
end:
  - {id: full, when: pot == 9, winners: "{turn}"}
EXTRA-END
questions:
  there: {reach: pot == 9 and turn == 0}
EXTRA-QUESTION
"""


def game(head: str = "", **extra: str) -> str:
    """The small game with lines put in at its marks; none of it says nothing by itself."""
    text = HEAD + head + BODY
    for name in ("check", "effect", "action", "end", "question"):
        text = text.replace(f"EXTRA-{name.upper()}\n", extra[name] + "\n" if name in extra else "")
    return text


def findings(tmp_path: Path, text: str, players: int = 2) -> list[Diagnostic]:
    """What lint finds in a text."""
    path = tmp_path / "rules.yaml"
    path.write_text(text, encoding="utf-8")
    sink = Diagnostics()
    rules = load(str(path), sink)
    assert rules is not None
    assert not sink.has_errors, [d.message for d in sink]
    return lint(rules, {}, players, Request(seconds=60.0))


def told(tmp_path: Path, text: str) -> list[tuple[str, str]]:
    """Codes and messages."""
    return [(d.code, d.message) for d in findings(tmp_path, text)]


def test_a_game_whose_every_clause_matters_has_no_finding(tmp_path: Path) -> None:
    """The small game itself is clean."""
    assert told(tmp_path, game()) == []


ONE = {
    "implication of a question": (
        {"question": "  low: {always: not pot > 9 or turn == 0}"},
        ("L101", "the left side of question `low` is true in no reachable position"),
    ),
    "implication that looks back": (
        {"question": "  low: {always: old(pot) <= 9 or turn == 0}"},
        ("L101", "the left side of question `low` is true in no reachable position"),
    ),
    "implication for every player": (
        {"question": "  low: {always: all(pot == 0 if p > 1 else True for p in Player)}"},
        ("L101", "the left side of question `low` is true in no reachable position"),
    ),
    "leads-to": (
        {"question": "  later: {always-after: {when: pot > 9, then: turn == 0}}"},
        ("L101", "the left side of question `later` is true in no reachable position"),
    ),
    "implication of a check": (
        {"check": "      - {id: small, check: not n > 2 or pot == 0}"},
        ("L101", "the left side of check `small` is true in no reachable position"),
    ),
    "check": (
        {"check": "      - {id: small, check: pot + n < 11}"},
        ("L102", "check `small` forbids nothing"),
    ),
    "action": (
        {"action": "  reset:\n    by: turn\n    during: pot > 9\n    do: pot = 0"},
        ("L103", "action `reset` never happens"),
    ),
    "effect that never fires": (
        {"effect": "      - {id: over, when: pot > 9, do: pot = 0}"},
        ("L104", "clause `over` changes nothing"),
    ),
    "effect that changes nothing": (
        {"effect": "      - {id: over, when: pot == 0, do: pot = 0}"},
        ("L104", "clause `over` changes nothing"),
    ),
    "end": (
        {"end": "  - {id: higher, when: pot > 8, winners: '{turn}'}"},
        ("L104", "end `higher` ends no play"),
    ),
}


@pytest.mark.parametrize("name", ONE)
def test_what_says_nothing_is_found(tmp_path: Path, name: str) -> None:
    """One thing without effect is one finding, and names its clause."""
    extra, wanted = ONE[name]
    found = told(tmp_path, game(**extra))
    assert wanted in found
    assert {code for code, _ in found} <= {wanted[0], "L102"}  # an implication of a check that never applies forbids nothing


OTHER = {
    "implication of a question": {"question": "  low: {always: not pot > 8 or ended()}"},
    "implication that looks back": {"question": "  low: {always: old(pot) < 5 or pot >= 5}"},
    "leads-to": {"question": "  later: {always-after: {when: pot > 5, then: ended()}}"},
    "what is said by two negations": {"question": "  low: {always: not pot > 3 or not pot < 2}"},
    "check": {"check": "      - {id: small, check: pot + n != 4}"},
    "implication of a check": {"check": "      - {id: small, check: not n > 1 or pot > 0}"},
    "action": {"action": "  reset:\n    by: turn\n    during: pot == 8\n    do: pot = 0"},
    "an action forbidden by name": {
        "action": '  reset:\n    by: turn\n    during: pot == 8\n    require: [{id: never, check: "False"}]\n    do: pot = 0'
    },
    "effect": {"effect": "      - {id: over, when: pot == 5, do: pot = 6}"},
    "an effect that is counted": {
        "effect": "      - {id: seen, when: pot == 5, do: pot = 5}",
        "question": "  once: {always: times(seen) <= 1}",
    },
    "end": {"end": "  - {id: lower, when: pot == 5 and turn == 1, winners: '{turn}'}"},
}


@pytest.mark.parametrize("name", OTHER)
def test_what_says_something_is_no_finding(tmp_path: Path, name: str) -> None:
    """The same kinds of clauses where they do matter."""
    assert told(tmp_path, game(**OTHER[name])) == []


def test_an_action_that_never_happens_is_told_with_what_forbids_it(tmp_path: Path) -> None:
    """The rule that is false in every open position is named; the rules and effects of the action are not told apart."""
    extra = "  reset:\n    by: turn\n    require: [{id: high, check: pot > 9}]\n    do: [{id: emptied, do: pot = 0}]"
    found = findings(tmp_path, game(action=extra))
    assert [(d.code, d.notes) for d in found] == [("L103", ("forbidden in every position by `high`",))]


OPTION = """
options:
  size:
    kind: reading
    question: How full?
    values: {tight: {says: Seven.}, loose: {says: Twelve.}}
    default: loose
"""


def test_a_clause_that_matters_under_another_reading_is_no_finding(tmp_path: Path) -> None:
    """By default the check forbids nothing; under the other value it does."""
    check = "      - {id: small, check: \"pot + n <= (7 if option('size') == 'tight' else 12)\"}"
    assert told(tmp_path, game(OPTION, check=check)) == []


def test_an_option_that_changes_nothing_is_found(tmp_path: Path) -> None:
    """All its values give the same game."""
    assert told(tmp_path, game(OPTION)) == [("L105", "option `size` changes nothing")]


def test_a_value_that_means_the_same_as_the_default_is_found(tmp_path: Path) -> None:
    """Only one of two other values changes something."""
    options = OPTION.replace("loose: {says: Twelve.}", "loose: {says: Twelve.}, wide: {says: More.}")
    check = "      - {id: small, check: \"pot + n <= (7 if option('size') == 'tight' else 12)\"}"
    assert told(tmp_path, game(options, check=check)) == [("L105", "value `wide` of option `size` means the same as `loose`")]


TABLE = """
tablelaw: 1
game: table
title: Table
players: 1
state:
  a: {type: 0..20, init: 1}
  one: {type: bool, init: true}
  two: {type: bool, init: true}
actions:
  double:
    by: table
    during: one
    do: |
      a = FIRST
      one = False
  add:
    by: table
    during: two
    do: |
      a = a + 3
      two = False
end:
  - {id: over, when: not one and not two}
questions:
  high: {reach: a == 8 or a == 5}
"""


def test_table_actions_whose_order_matters_are_found(tmp_path: Path) -> None:
    """Doubling and adding do not commute; the position and both outcomes are told."""
    found = findings(tmp_path, TABLE.replace("FIRST", "a * 2"))
    assert [d.code for d in found] == ["L106"]
    assert found[0].notes[0].startswith("in a: 1")
    assert "double, then add: a: 5" in found[0].notes[1]
    assert "add, then double: a: 8" in found[0].notes[2]


def test_table_actions_that_commute_are_no_finding(tmp_path: Path) -> None:
    """Adding and adding is the same either way."""
    assert findings(tmp_path, TABLE.replace("FIRST", "a + 2")) == []


UNUSED = {
    "definition": ("define: {low(): pot < 3}\n", "definition `low` is never used"),
    "constant": ("constants: {LIMIT: 12}\n", "constant `LIMIT` is never used"),
    "a definition used by an unused one": (
        "define: {low(): pot < 3, lower(): low() and pot < 2}\n",
        "definition `low` is never used",
    ),
}


@pytest.mark.parametrize("name", UNUSED)
def test_what_nothing_uses_is_found(tmp_path: Path, name: str) -> None:
    """The text alone shows it."""
    head, wanted = UNUSED[name]
    assert ("L107", wanted) in told(tmp_path, game(head))


def test_variables_that_nothing_reads_or_writes_are_found(tmp_path: Path) -> None:
    """A variable that only its own change reads, and one that never changes."""
    text = game(effect="      - {id: more, do: idle += 1}", question="  same: {always: fixed == 2}").replace(
        "  pot: {type", "  idle: {type: 0..9, init: 0}\n  fixed: {type: Pot, init: 2}\n  pot: {type"
    )
    found = told(tmp_path, text)
    assert ("L107", "variable `idle` is never read") in found
    assert ("L107", "variable `fixed` never changes") in found


SOURCES = "sources: {book: {title: Book}}\n"


def test_a_clause_without_a_source_is_found_where_most_have_one(tmp_path: Path) -> None:
    """Most clauses cite the book, one does not; an action whose effects all cite need not."""
    text = game(SOURCES).replace("check: pot + n <= 9", "cite: book#1, check: pot + n <= 9")
    text = text.replace("do: pot += n", "cite: book#2, do: pot += n").replace("do: turn", "cite: book#3, do: turn")
    assert told(tmp_path, text) == [("L108", "clause `full` cites no source")]
    assert told(tmp_path, text.replace("when: pot == 9", "cite: book#4, when: pot == 9")) == []


def test_a_citation_of_an_unknown_source_is_found(tmp_path: Path) -> None:
    """The source is misspelt in one place."""
    text = game(SOURCES).replace("check: pot + n <= 9", "cite: bok#1, check: pot + n <= 9")
    assert [m for code, m in told(tmp_path, text) if code == "L109"] == [
        "`within` cites `bok#1`, and no source is called `bok`"
    ]


def test_games_without_sources_need_not_cite(tmp_path: Path) -> None:
    """Nothing to cite, nothing to find."""
    assert told(tmp_path, game()) == []


def test_probe_leaves_the_text_alone(tmp_path: Path) -> None:
    """`check --probe` asks the reachable positions and not the text."""
    path = tmp_path / "rules.yaml"
    path.write_text(game("constants: {LIMIT: 12}\n", check="      - {id: small, check: pot + n < 11}"), encoding="utf-8")
    rules = load(str(path), Diagnostics())
    assert rules is not None
    assert [d.code for d in probe(rules, {}, 2, Request(seconds=60.0))] == ["L102"]


LARGE = """
tablelaw: 1
game: large
title: Large
players: 2
types: {Many: 0..1000}
state:
  turn: {type: Player, init: 0}
  a: {type: "map[Player, Many]", init: 0}
  b: {type: Many, init: 0}
actions:
  add:
    by: turn
    params: {n: 1..9}
    require:
      - {id: within, check: "a[turn] + n <= 900"}
      - {id: idle, check: "a[turn] + n <= 950"}
    do: |
      a[turn] += n
      b = n
      turn = after(turn)
  stop: {by: turn, during: "a[turn] > 890", do: turn = after(turn)}
questions:
  some: {reach: b == 3}
"""


def test_a_game_too_large_to_search_is_asked_of_z3(tmp_path: Path) -> None:
    """`idle` is proved to forbid nothing; `within` is not accused although no short play comes to where it forbids."""
    codes = [(d.code, d.message) for d in findings(tmp_path, LARGE)]
    assert ("L102", "check `idle` forbids nothing") in codes
    assert not any("within" in message for _, message in codes)
