"""A reader of small games written inside tests."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import State
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.load import Rules, load
from tablelaw.spec.questions import Asked, Reader, Staged
from tablelaw.spec.source import Source
from tablelaw.spec.yaml_nodes import parse_yaml


@dataclass(slots=True)
class Small:
    """A game read from a text, with its scenarios."""

    rules: Rules
    game: Game
    reader: Reader
    sink: Diagnostics

    def staged(self, name: str) -> Staged:
        """A scenario of the text."""
        found = self.reader.scenario(self.rules.document.scenarios[name])
        assert found is not None, [d.message for d in self.sink]
        return found

    def asked(self, name: str) -> Asked:
        """A question whether the scenario is possible."""
        s = self.staged(name)
        return Asked(s.id, "possible", s.span, scenarios=(s,))

    def state(self, text: str) -> State:
        """A position."""
        found = self.reader.position(parse_yaml(Source("position", text), self.sink))
        assert found is not None, [d.message for d in self.sink]
        return found


Read = Callable[..., Small]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Read a game from a text, under a setting of its options."""

    def reads(text: str, **setting: str) -> Small:
        path = tmp_path / "rules.yaml"
        path.write_text(text, encoding="utf-8")
        sink = Diagnostics()
        rules = load(str(path), sink)
        assert rules is not None, [d.message for d in sink]
        game = rules.game(setting, rules.counts[0], sink)
        assert game is not None, [d.message for d in sink]
        assert not sink.has_errors, [d.message for d in sink]
        return Small(rules, game, Reader(game, sink, evaluate.starts(game)[0]), sink)

    return reads
