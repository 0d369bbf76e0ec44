"""What `docs/language.md` shows is what the reader takes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tablelaw.cli import main
from tablelaw.spec.board_builtins import USES
from tablelaw.spec.diagnostics import Diagnostics, render
from tablelaw.spec.format import format_text
from tablelaw.spec.forms import KINDS
from tablelaw.spec.load import check_everywhere, load
from tablelaw.spec.source import Source
from tablelaw.spec.yaml_nodes import parse_yaml

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "language.md").read_text("utf-8")
BLOCKS = re.findall(r"^```yaml\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_the_small_game_has_no_findings(tmp_path: Path) -> None:
    """The whole game of the tutorial is read and checked under every option without a finding."""
    path = tmp_path / "rules.yaml"
    path.write_text(BLOCKS[0], "utf-8")
    sink = Diagnostics()
    rules = load(str(path), sink)
    assert [render(item) for item in sink] == []
    assert rules is not None
    check_everywhere(rules, sink)
    assert [render(item) for item in sink] == []


def test_the_small_game_is_in_canonical_form() -> None:
    """An author may copy it and format it: nothing changes."""
    assert format_text(Source("rules.yaml", BLOCKS[0]), Diagnostics()) == BLOCKS[0]


def test_every_block_is_yaml() -> None:
    """The shorter examples can be read too."""
    for block in BLOCKS:
        sink = Diagnostics()
        parse_yaml(Source("block.yaml", block), sink)
        assert [render(item) for item in sink] == []


def test_every_kind_of_question_is_described() -> None:
    """No kind is left out of the table."""
    assert [kind for kind in KINDS if f"`{kind}`" not in PAGE and f"`{kind}:" not in PAGE] == []


RAILS = next(block for block in BLOCKS if "\ngame: rails\n" in block)
TABLE = next(block for block in BLOCKS if block.startswith("table: |\n"))
LAYOUTS = PAGE.partition("### Built-in formulas")[2].partition("### Layouts as text")[0]
EXAMPLES = re.findall(r"^\| `[^`]+` \| .* \| `([^`]+)` \|$", LAYOUTS, re.MULTILINE) + re.findall(
    r": `(follow\(.*)`\.$", LAYOUTS, re.M
)


def test_the_game_of_layouts_is_canonical_and_answers_as_it_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The game that shows layouts may be copied too, and every question and scenario of it goes as written."""
    assert format_text(Source("rules.yaml", RAILS), Diagnostics()) == RAILS
    path = tmp_path / "rules.yaml"
    path.write_text(RAILS, "utf-8")
    assert main(["check", str(path)]) == 0, capsys.readouterr()


def test_every_built_in_formula_about_layouts_has_a_row() -> None:
    """None is left out of the table."""
    assert [name for name in USES if f"| `{name}(" not in LAYOUTS and name not in ("edge", "part")] == []


def test_the_examples_of_the_built_in_formulas_hold(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each holds for the table that is drawn above them; the opposite of none does."""
    assert len(EXAMPLES) > 24
    extra = 'board: {type: "layout[Tile, 3, 2]", init: {}}'
    game = RAILS.replace("\nactions:", f"  {extra}\n\nactions:", 1)
    given = "".join(f"      {line}\n" for line in TABLE.splitlines())
    for wanted, rows in ((0, EXAMPLES), *((1, [f"not ({row})"]) for row in EXAMPLES[:3])):
        then = "".join(f'      - "{row}"\n' for row in rows)
        path = tmp_path / "rules.yaml"
        path.write_text(f"{game}  drawn:\n    given:\n{given}    then:\n{then}", "utf-8")
        assert main(["check", str(path), "--question", "drawn"]) == wanted, capsys.readouterr()
