"""What `docs/language.md` shows is what the reader takes."""

from __future__ import annotations

import re
from pathlib import Path

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
