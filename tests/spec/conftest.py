"""What the tests of formulas and games share: a small game to which a test adds its own parts."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tablelaw.spec.core import Expr
from tablelaw.spec.diagnostics import Diagnostics, render
from tablelaw.spec.expressions import parse_formula
from tablelaw.spec.formulas import formula
from tablelaw.spec.game import Game
from tablelaw.spec.load import Rules, check_everywhere, load
from tablelaw.spec.reckon import Place, value
from tablelaw.spec.source import Source
from tablelaw.spec.types import Type
from tablelaw.spec.values import Map, Value
from tablelaw.spec.yaml_nodes import Scalar

HEAD = "tablelaw: 1\ngame: g\ntitle: G\nplayers: 2..4\n"


@dataclass
class Read:
    """A rules file that was read: its rules, its game under the defaults, and the findings."""

    rules: Rules | None
    sink: Diagnostics
    players: int

    @property
    def game(self) -> Game:
        """The game; fails the test when there is a finding."""
        assert self.rules is not None, self.shown()
        game = self.rules.game({}, self.players, self.sink)
        assert game is not None, self.shown()
        return game

    def under(self, **setting: str) -> Game:
        """The game under other options."""
        assert self.rules is not None, self.shown()
        game = self.rules.game(setting, self.players, self.sink)
        assert game is not None, self.shown()
        return game

    def shown(self) -> str:
        """All findings as text."""
        return "\n".join(render(item) for item in self.sink)

    @property
    def codes(self) -> list[str]:
        """The codes of the findings, in order."""
        return [item.code for item in self.sink]

    def start(self) -> dict[str, Value]:
        """The start of the game (of several, the first)."""
        return {v.name: v.init.value for v in self.game.variables}  # type: ignore[attr-defined]

    def typed(self, text: str, inside: str = "rule", scope: dict[str, Type] | None = None) -> Expr:
        """A formula of the game, typed."""
        scalar = Scalar(text, "plain", Source("f", text).span(0, len(text)), range(len(text) + 1))
        parsed = parse_formula(scalar, self.sink)
        assert parsed is not None, self.shown()
        return formula(parsed, self.game.names, self.sink, scope or {}, None, "f", inside)

    def value(self, text: str, inside: str = "rule", **state: Value) -> Value:
        """The value of a formula in the start, or with some variables changed."""
        before = len(self.sink)
        e = self.typed(text, inside)
        assert len(self.sink) == before, self.shown()
        here = Place(Map({**self.start(), **state}), self.players)
        return value(e, replace(here, ended=lambda: False, winners=frozenset, times=lambda s: len(s)))


Reader = Callable[..., Read]


@pytest.fixture
def read(tmp_path: Path) -> Reader:
    """Read a rules file, given without its first lines; other files by their names."""

    def reader(text: str, players: int = 2, **files: str) -> Read:
        for name, other in files.items():
            (tmp_path / f"{name}.yaml").write_text(textwrap.dedent(other), encoding="utf-8")
        path = tmp_path / "rules.yaml"
        path.write_text(HEAD + textwrap.dedent(text), encoding="utf-8")
        sink = Diagnostics()
        rules = load(str(path), sink)
        if rules is not None:
            check_everywhere(rules, sink)
        return Read(rules, sink, players)

    return reader


@pytest.fixture
def small(read: Reader) -> Read:
    """A game with a variable of every type."""
    found = read("""
        types:
          Card: [cap, tee, knight]
          Face: [Card, blank]
          Unit: {big: {count: 1, strength: 3, swift: true}, small: {count: 5, strength: 1}}
          Points: 0..20
          Deal: {record: {card: Card, by: Player}}
        constants:
          POINTS: [0, 1, 3, 6]
          WORTH: {cap: 1, tee: 2, knight: 5}
          HALF: 1/2
          GOAL: 9
        state:
          turn: {type: Player, init: 0}
          pot: {type: Points, init: 3}
          open: {type: bool, init: true}
          score: {type: "map[Player, Points]", init: 1}
          hand: {type: "bag[Card, 9]", init: {cap: 2, knight: 1}}
          seen: {type: "set[Card]", init: "{tee}"}
          row: {type: "list[Points, 4]", init: [5, 7]}
          owner: {type: "maybe[Player]", init: none}
          last: {type: "maybe[Deal]", init: "Deal(card=tee, by=1)"}
          face: {type: Face, init: blank}
          board: {type: "map[Card, map[Player, maybe[Card]]]", init: none}
        define:
          rich(p in Player): score[p] > 5
          total(): sum(score[p] for p in Player)
          grew(): pot > old(pot)
        actions:
          go:
            by: turn
            params: {c: Card, n: 1..3}
            require:
              - {id: has-it, check: "hand[c] >= n"}
              - {id: joker, excepts: has-it, check: c == tee and open}
            do: |
              hand[c] -= 1
              turn = after(turn)
    """)
    assert found.codes == [], found.shown()
    return found
