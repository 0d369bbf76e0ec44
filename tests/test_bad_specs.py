"""Faulty rules files and what is said about them: `tests/bad/*.yaml` beside `*.txt`.

`TABLELAW_RESET=1 pytest tests/test_bad_specs.py` writes the texts anew; read the difference before it is kept.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tablelaw.spec.codes import CODES
from tablelaw.spec.core import Const
from tablelaw.spec.diagnostics import Diagnostics, render
from tablelaw.spec.load import check_everywhere, load
from tablelaw.spec.questions import Reader
from tablelaw.spec.values import Map

BAD = Path(__file__).parent / "bad"
FILES = sorted(f for f in BAD.glob("*.yaml") if not f.name.startswith("_"))


def findings(name: str) -> Diagnostics:
    """Everything that is wrong with a file: its rules under all options, then its questions and scenarios."""
    sink = Diagnostics()
    rules = load(name, sink)
    if rules is None:
        return sink
    check_everywhere(rules, sink)
    game = rules.game({}, rules.counts[0], sink)
    if game is not None:
        reader = Reader(game, sink, Map([(v.name, v.init.value) for v in game.variables if isinstance(v.init, Const)]))
        for question in rules.document.questions.values():
            reader.question(question)
        for scenario in rules.document.scenarios.values():
            reader.scenario(scenario)
    return sink


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_a_faulty_file_is_told_as_written_down(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each fault is told with its code, place and cure."""
    monkeypatch.chdir(BAD)
    sink = findings(file.name)
    shown = "\n\n".join(render(item) for item in sink) + "\n"
    expected = file.with_suffix(".txt")
    if os.environ.get("TABLELAW_RESET"):
        expected.write_text(shown, encoding="utf-8")
    assert expected.exists(), "run with TABLELAW_RESET=1"
    assert shown == expected.read_text(encoding="utf-8")
    assert len(sink) > 0, "nothing is told"


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_messages_keep_the_house_style(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Lower case, no final period, no name of a Python type, and a cure for every error."""
    monkeypatch.chdir(BAD)
    for item in findings(file.name):
        assert item.code in CODES
        for text in (item.message, item.label, item.help or ""):
            assert not text.endswith("."), text
            assert not text[:1].isupper(), text
            bare = re.sub(r"`[^`]*`", "", text)
            assert not re.search(
                r"\b(int|str|dict|tuple|frozenset|NoneType|Fraction|None|NotImplemented|object|AST)\b", bare
            ), text
        assert item.help is not None, item.message
        assert item.span is not None or item.code == "Y101"


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_a_faulty_file_says_what_is_wrong_with_it(file: Path) -> None:
    """The first line of each file is a comment for the reader."""
    first = file.read_bytes().split(b"\n")[0].removeprefix(b"\xef\xbb\xbf")
    assert first.startswith(b"# ")


def test_every_code_has_a_faulty_file() -> None:
    """Each code that reading a rules file may give is shown by at least one file."""
    told = {
        c for f in BAD.glob("*.txt") for c in re.findall(r"^(?:error|warning)\[(\w+)\]", f.read_text(encoding="utf-8"), re.M)
    }
    assert (
        sorted(c for c in CODES if c[0] != "L" and not c.startswith("Q12") and c not in told and c not in ("Y103", "Y107"))
        == []
    )
