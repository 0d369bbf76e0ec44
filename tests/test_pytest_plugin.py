"""The plugin for pytest: what is collected, how answers come out, and that other projects do not notice it."""

from __future__ import annotations

import importlib.metadata
import tomllib
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

# What the plugin imports only when it is needed stays loaded, so that the runs below do not import it again and again.
import tablelaw.cli.commands
import tablelaw.report.junit
import tablelaw.solver.symbolic.engine  # noqa: F401

pytest_plugins = ["pytester"]

ROOT = Path(__file__).resolve().parent.parent
INSTALLED = any(  # every distribution, as pytest looks: an old one of the same name may come first on the path
    e.value == "tablelaw.pytest_plugin" for d in importlib.metadata.distributions() for e in d.entry_points
)
PLUGIN = () if INSTALLED else ("-p", "tablelaw.pytest_plugin")  # an environment set up before the entry point was there

RULES = """tablelaw: 1
game: plums
title: Plums
players: 2..3
options:
  handful:
    kind: reading
    question: How many plums may a player take?
    values: {two: {}, one: {}}
    default: two
state:
  turn: {type: Player, init: 0}
  left: {type: 0..5, init: 5}
actions:
  take:
    by: turn
    params: {n: 1..2}
    require:
      - {id: enough, check: n <= left}
      - {id: single, only: {handful: one}, check: n == 1}
    do: "left -= n; turn = after(turn)"
end:
  - {id: empty, when: left == 0, winners: "{before(turn)}"}
questions:
  ends: {terminates: true, expect: holds}
  fewest: {smallest: times('take'), where: ended(), under: [handful], expect: [{only: {handful: one}, is: 5}, {is: 3}]}
scenarios:
  too-many:
    given: {left: 1}
    illegal: [{move: take(n=2), by: enough}]
"""
WRONG = "  never-three: {never: left == 3, expect: holds}\nscenarios:"


def run(pytester: pytest.Pytester, *words: str) -> pytest.RunResult:
    return pytester.runpytest_inprocess(*PLUGIN, "-p", "no:cacheprovider", *words)


def rules(pytester: pytest.Pytester, text: str = RULES, name: str = "rules.yaml") -> Path:
    path = pytester.path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_questions_and_scenarios_are_items(pytester: pytest.Pytester) -> None:
    """Each question under each of its settings, each scenario, and `in-range`."""
    rules(pytester, name="plums/rules.yaml")
    found = run(pytester, "plums", "--collect-only", "-q")
    assert [x for x in found.outlines if "::" in x] == [
        "plums/rules.yaml::ends",
        "plums/rules.yaml::fewest",
        "plums/rules.yaml::fewest[handful=one]",
        "plums/rules.yaml::too-many",
        "plums/rules.yaml::in-range",
    ]


def test_all_pass(pytester: pytest.Pytester) -> None:
    """Answers as expected pass; one can be asked for by its id, or by `-k` with the name of the game."""
    rules(pytester)
    run(pytester).assert_outcomes(passed=5)
    run(pytester, "rules.yaml::fewest[handful=one]").assert_outcomes(passed=1)
    run(pytester, "-k", "plums and fewest").assert_outcomes(passed=2, deselected=3)


def test_failure_is_the_answer(pytester: pytest.Pytester) -> None:
    """A failure shows what `tablelaw check` shows, with the play, and no traceback; JUnit has it too."""
    rules(pytester, RULES.replace("scenarios:", WRONG))
    found = run(pytester, "--junitxml=out.xml")
    found.assert_outcomes(passed=5, failed=1)
    found.stdout.fnmatch_lines(
        ["never-three: fails*NOT AS EXPECTED (expected: holds)*", "*take(n=2)*", "*replay: tablelaw play*"]
    )
    found.stdout.no_fnmatch_line("*Traceback*")
    found.stdout.no_fnmatch_line("*pytest_plugin.py*")
    case = next(c for c in ElementTree.parse(pytester.path / "out.xml").iter("testcase") if c.get("name") == "never-three")
    failure = case.find("failure")
    assert failure is not None
    assert "NOT AS EXPECTED" in (failure.text or "")


def test_a_false_scenario_fails(pytester: pytest.Pytester) -> None:
    """A scenario that does not go as written says why."""
    rules(pytester, RULES.replace("given: {left: 1}", "given: {left: 2}"))
    found = run(pytester, "rules.yaml::too-many")
    found.assert_outcomes(failed=1)
    found.stdout.fnmatch_lines(["too-many: fails*"])


@pytest.mark.parametrize(("word", "outcome"), [("fail", "failed"), ("skip", "skipped"), ("xfail", "xfailed")])
def test_unknown(pytester: pytest.Pytester, word: str, outcome: str) -> None:
    """What is not known fails unless the command line or the ini file says otherwise."""
    rules(pytester, RULES.replace("scenarios:", "  vague: {odds: ended()}\nscenarios:"))  # nobody says how players play
    found = run(pytester, "rules.yaml::vague", f"--tablelaw-unknown={word}", "-rsx")
    found.assert_outcomes(**{outcome: 1})
    pytester.makeini(f"[pytest]\ntablelaw_unknown = {word}\n")
    run(pytester, "rules.yaml::vague").assert_outcomes(**{outcome: 1})


def test_bad_specs_are_collection_errors(pytester: pytest.Pytester) -> None:
    """A faulty file says where and what to do, as the command line does."""
    rules(pytester, RULES.replace("n <= left", "n <= lefd"), "plums/rules.yaml")
    found = run(pytester)
    found.assert_outcomes(errors=1)
    found.stdout.fnmatch_lines(["error?R204?: unknown name `lefd`", "*--> plums*rules.yaml:19:*", "*did you mean `left`?*"])
    found.stdout.no_fnmatch_line("*Traceback*")


def test_a_bad_question_is_a_collection_error(pytester: pytest.Pytester) -> None:
    """Questions are typed before anything is asked."""
    rules(pytester, RULES.replace("scenarios:", "  odd: {always: left + 1}\nscenarios:"))
    found = run(pytester)
    found.assert_outcomes(errors=1)
    found.stdout.fnmatch_lines(["error?T*", "*rules.yaml:*"])


@pytest.mark.parametrize(
    ("where", "outcome", "fault"),
    [
        ("checkers.session.Session.ask", {"failed": 5}, "RuntimeError('so odd')"),
        ("checkers.session.Session.ask", {"failed": 5}, "MemoryError()"),
        ("report.text.answer", {"failed": 1, "passed": 4}, "RecursionError('too deep')"),
        ("spec.load.check_everywhere", {"errors": 1}, "RuntimeError('so odd')"),
        ("report.junit.case_name", {"errors": 1}, "RuntimeError('so odd')"),
    ],
)
def test_a_fault_of_our_own_is_told_in_a_few_lines(
    where: str, outcome: dict[str, int], fault: str, pytester: pytest.Pytester
) -> None:
    """Whatever escapes, each item (or the file) says what the command line says, and nothing of what is inside pytest."""
    rules(pytester, RULES.replace("expect: holds", "expect: fails"))
    module, _, name = where.rpartition(".")
    owner = f"importlib.import_module('tablelaw.{module}')"
    if module.endswith("Session"):
        owner = "importlib.import_module('tablelaw.checkers.session').Session"
    pytester.makeconftest(f"""
        import importlib
        import pytest

        def fails(*args, **more):
            raise {fault}

        @pytest.fixture(autouse=True, scope="session")
        def nothing():
            yield

        def pytest_configure(config):
            owner = {owner}
            config.was = owner, owner.{name}
            owner.{name} = fails

        def pytest_unconfigure(config):
            setattr(config.was[0], "{name}", config.was[1])
    """)
    found = run(pytester)
    found.assert_outcomes(**outcome)
    assert len(found.outlines) < 60
    text = "\n".join(found.outlines)
    assert "/pluggy/" not in text
    assert "INTERNALERROR" not in text
    assert ("the memory of this machine" if "Memory" in fault else "This is a fault of tablelaw, not of the rules") in text


def test_other_yaml_is_left_alone(pytester: pytest.Pytester) -> None:
    """Fragments (no `game`), files of other programs, and files that are no text are not collected."""
    rules(pytester, "tablelaw: 1\nstate:\n  game: {type: 0..3, init: 0}\n", "part.yaml")
    rules(pytester, "game: chess\nplayers: 2\n", "other.yml")
    rules(pytester, "jobs:\n  tablelaw: 1\n  run: 'game: x'\n", "ci.yaml")
    (pytester.path / "odd.yaml").write_bytes(b"\xff\xfe\x00tablelaw: 1")
    (pytester.path / "folder.yaml").mkdir()
    assert run(pytester).ret == pytest.ExitCode.NO_TESTS_COLLECTED


def test_files_of_other_versions_are_errors(pytester: pytest.Pytester) -> None:
    """A rules file for a later version is not passed over in silence."""
    rules(pytester, RULES.replace("tablelaw: 1", "tablelaw: 2"))
    run(pytester).assert_outcomes(errors=1)


def test_players(pytester: pytest.Pytester) -> None:
    """A number of players can be chosen; games that are not for so many are skipped."""
    rules(pytester)
    found = run(pytester, "--tablelaw-players=3", "-v")
    found.assert_outcomes(passed=5)
    found.stdout.fnmatch_lines(["*::ends?3 players?*"])
    run(pytester, "--tablelaw-players=7").assert_outcomes(skipped=1)


def test_options(pytester: pytest.Pytester) -> None:
    """An option holds for the games that have it; one that none has, or a value that none has, is refused."""
    rules(pytester)
    run(pytester, "--tablelaw-option=handful=one").assert_outcomes(passed=4)
    bad = run(pytester, "--tablelaw-option=handfull=one")
    assert bad.ret == pytest.ExitCode.USAGE_ERROR
    bad.stderr.fnmatch_lines(["*none of these games has an option `handfull`"])
    found = run(pytester, "--tablelaw-option=handful=three")
    found.assert_outcomes(errors=1)
    found.stdout.fnmatch_lines(["error?*three*handful*"])


@pytest.mark.parametrize("word", ["--tablelaw-time=never", "--tablelaw-players=0", "--tablelaw-option=handful"])
def test_settings_that_cannot_be(pytester: pytest.Pytester, word: str) -> None:
    """A setting that cannot be is told in one line before anything is collected."""
    found = run(pytester, word)
    assert found.ret == pytest.ExitCode.USAGE_ERROR
    found.stderr.no_fnmatch_line("*Traceback*")


def test_time(pytester: pytest.Pytester) -> None:
    """An answer that takes longer than it may is not known."""
    rules(pytester)
    found = run(pytester, "--tablelaw-time=0.0000001", "rules.yaml::ends", "--tablelaw-unknown=xfail", "-rx")
    found.assert_outcomes(xfailed=1)


def test_which_files(pytester: pytest.Pytester) -> None:
    """`tablelaw_files` says which files may be rules files."""
    rules(pytester, name="here/rules.yaml")
    rules(pytester, name="here/draft.yaml")
    pytester.makeini("[pytest]\ntablelaw_files = here/rules.yaml\n")
    run(pytester).assert_outcomes(passed=5)


def test_nothing_is_imported_for_other_projects(pytester: pytest.Pytester) -> None:
    """Where there are no rules files, no part of this package but the plugin and what it looks at files with is imported."""
    pytester.makepyfile(
        "import sys\ndef test():\n    found = [m for m in sys.modules if m.startswith('tablelaw.')]\n"
        "    assert sorted(found) == ['tablelaw.pytest_plugin', 'tablelaw.rulesfile']\n    assert 'z3' not in sys.modules\n"
    )
    (pytester.path / "some.yaml").write_text("a: 1\n")
    found = pytester.runpytest_subprocess(*PLUGIN, "-p", "no:cacheprovider", "-W", "error")
    found.assert_outcomes(passed=1)


def test_the_entry_point() -> None:
    """pyproject.toml tells pytest of the plugin."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"tablelaw": "tablelaw.pytest_plugin"}


def test_our_own_tests_collect_no_rules_files(pytester: pytest.Pytester) -> None:
    """Broken specs below `tests` are not taken for tests."""
    found = run(pytester, str(ROOT / "tests" / "bad"), "--collect-only", "-q", f"--rootdir={ROOT}")
    assert found.ret == pytest.ExitCode.NO_TESTS_COLLECTED
