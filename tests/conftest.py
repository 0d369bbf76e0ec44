"""For all tests."""

import os
import signal

import pytest

# Rules files below `tests` are there to be read by tests, many of them broken: the plugin for pytest leaves them alone.
collect_ignore_glob = ["*.yaml", "*.yml"]

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # begun in the background: programs that the tests stop would not hear it
    signal.signal(signal.SIGINT, signal.default_int_handler)

# A test of an answer that was kept by an earlier run would test nothing.
os.environ["TABLELAW_NO_CACHE"] = "1"

LONG = (
    "tests/examples/test_dice_turn.py::test_what_is_taken_for_granted_of_the_dice_holds",
    "tests/examples/test_examples.py::test_the_dice_game_answers_as_expected",
    "tests/solver/native/test_checkpoint.py::test_killed_at_any_moment",
    "tests/examples/test_dice_turn.py::test_every_figure_of_a_turn_is_as_the_file_expects",
    "tests/cli/test_fixtures.py::test_committed_sets_are_what_the_tool_writes",
    "tests/examples/test_examples.py::test_line_dice_answers_as_expected",
    "tests/laws/test_fixtures_agree.py::test_fixtures_of_random_games",
    "tests/examples/test_carcassonne.py::test_a_note_is_judged",
    "tests/laws/test_boards_agree.py::test_all_laws_on_many_games",
    "tests/solver/test_surely_on_boards.py::test_what_lies_there_may_keep_luck_from_counting",
    "tests/solver/test_surely_on_boards.py::test_what_lies_there_is_no_luck",
    "tests/test_transcripts.py::test_console_blocks_show_what_the_commands_say",
    "tests/laws/test_sampling_agrees.py::test_plays_agree",
    "tests/laws/test_kept_agrees.py::test_of_random_games",
    "tests/laws/test_coverage_agrees.py::test_the_claims_of_some_games",
    "tests/cli/test_why_boards.py::test_the_answer_comes_soon",
    "tests/solver/layout/test_census.py::test_answers_are_those_of_the_plain_way",
)
"""Tests of half a minute and more, or the longest of the quick ones. They begin first, so that no processor waits for one
of them at the end; the others keep their order. A name that is left out, or gone, costs time and nothing else."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put long tests first."""
    order = {name: n for n, name in enumerate(LONG)}
    items.sort(key=lambda item: order.get(item.nodeid.partition("[")[0], len(LONG)))
