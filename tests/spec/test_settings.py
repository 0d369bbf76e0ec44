"""Options: what exists under which settings, and which settings there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.settings import defaults, every_setting, read_setting, varied

if TYPE_CHECKING:
    from tests.spec.conftest import Read, Reader

OPTIONS = """
    options:
      edition: {kind: edition, values: [old, new], default: new}
      bonus:
        kind: variant
        values: {none_at_all: none, early: {says: Early.}, late: {says: Late., only: {edition: new}}}
        default: early
      goal: {kind: study, values: 5..9, default: 7}
      penalty: {kind: reading, only: {edition: old}, values: ["1", "2"], default: "1"}
    constraints: ["option('edition') == 'new' or option('bonus') != 'early'"]
    types:
      Points: 0..option('goal')
      Unit: {big: {count: 1}, small: {count: 2}, huge: {count: 3, only: {edition: new}}}
    state:
      turn: {type: Player}
      pot: {type: Points}
      extra: {type: bool, only: {bonus: [early, late]}}
    actions:
      go:
        by: turn
        require:
          - {id: plain, check: pot >= 0}
          - {id: plain-new, only: {edition: new}, check: pot > 0}
          - {id: better, replaces: plain, only: "option('bonus') == 'late'", check: pot >= 1}
        do: turn = after(turn)
      stop: {by: turn, only: {edition: old}, do: pot = 0}
"""


def game(read: Reader) -> Read:
    """The game of these tests, without findings."""
    found = read(OPTIONS)
    assert found.codes == [], found.shown()
    return found


def test_what_exists_depends_on_the_setting(read: Reader) -> None:
    """Clauses, actions, variables and names with an `only` exist under those settings alone."""
    found = game(read)
    new, old = found.under(), found.under(edition="old", bonus="none_at_all")
    assert [a.name for a in new.actions] == ["go"]
    assert [a.name for a in old.actions] == ["go", "stop"]
    assert [v.name for v in new.variables] == ["turn", "pot", "extra"]
    assert [v.name for v in old.variables] == ["turn", "pot"]
    assert [c.id for c in new.actions[0].checks] == ["plain", "plain-new"]
    assert [c.id for c in old.actions[0].checks] == ["plain"]
    assert "huge" in new.names.enum_names
    assert "huge" not in old.names.enum_names


def test_a_clause_replaces_another_where_it_is_in_force(read: Reader) -> None:
    """`replaces` with an `only` takes the place of the other clause under those settings."""
    found = game(read)
    assert [c.id for c in found.under(bonus="late").actions[0].checks] == ["better", "plain-new"]


def test_numbers_are_known_before_types(read: Reader) -> None:
    """A range may depend on an option that is a number."""
    found = game(read)
    assert found.under(goal="5").names.types["Points"].hi == 5  # type: ignore[attr-defined]
    assert found.under().names.types["Points"].hi == 7  # type: ignore[attr-defined]


def test_settings_keep_the_constraints(read: Reader) -> None:
    """Every setting is one that the constraints and the `only` of values and options allow; study options stay."""
    doc = game(read).rules
    assert doc is not None
    settings = [(s["edition"], s["bonus"], s["penalty"], s["goal"]) for s in every_setting(doc.document, {}, 2)]
    assert sorted(settings) == [
        ("new", "early", "1", "7"),
        ("new", "late", "1", "7"),
        ("new", "none_at_all", "1", "7"),
        ("old", "none_at_all", "1", "7"),
        ("old", "none_at_all", "2", "7"),
    ]
    base = defaults(doc.document)
    assert [s["goal"] for s in varied(doc.document, ["goal"], base, 2)] == ["5", "6", "7", "8", "9"]


def test_settings_that_do_not_go_together_are_refused(read: Reader) -> None:
    """A game under a setting that breaks a constraint is not made."""
    found = game(read)
    assert found.rules is not None
    assert found.rules.game({"edition": "old", "bonus": "early"}, 2, found.sink) is None
    assert found.codes == ["Q302"]


def test_settings_as_people_write_them(read: Reader) -> None:
    """Unknown options and values are told with what is near."""
    doc = game(read).rules
    assert doc is not None
    sink = Diagnostics()
    assert read_setting(doc.document, [("edition", "old"), ("editon", "old"), ("bonus", "lat")], sink) == {"edition": "old"}
    assert [(i.code, i.help) for i in sink] == [("R206", "did you mean `late`?"), ("R209", "did you mean `edition`?")]


def test_many_options_are_bounded(read: Reader) -> None:
    """Many options with many values do not make the check slow."""
    rows = "\n".join(f"  o{i}: {{kind: reading, values: 0..9999, default: 0}}" for i in range(30))
    assert read("options:\n" + rows + "\n").codes == []


def test_a_faulty_option_is_told_once(read: Reader) -> None:
    """What uses an option whose declaration is wrong is not blamed."""
    found = read("""
        options: {edition: {kind: edition, values: [a, b], default: c}}
        state: {turn: {type: Player, only: {edition: a}}}
        actions: {go: {by: 0, require: [{id: x, check: "option('edition') == 'a'"}]}}
    """)
    assert found.codes == ["Q301"], found.shown()
