"""Formulas that plainly have a value: each form that has none somewhere is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablelaw.solver.sound import sound, sound_effects
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import load

GAME = """
tablelaw: 1
game: g
title: G
players: 2
state:
  n: {type: 0..9, init: 0}
  small: {type: 0..2, init: 0}
  b: {type: bool, init: false}
  m: {type: "map[0..2, 0..9]", init: 0}
  l: {type: "list[0..9, 2]", init: []}
actions:
  go:
    by: 0
    require:
      - {id: c, says: C., check: "%s"}
    do: "%s"
"""


@pytest.mark.parametrize(
    ("check", "effect", "plain"),
    [
        ("n < 3 and n + small > 2 and not b", "n = 3", (True, True)),
        ("m[small] == 1", "m[small] = 1", (True, True)),
        ("n % 2 == 1", "n = small", (True, True)),
        ("m[n] == 1", "m[n] = 1", (False, False)),
        ("l[0] == 1", "n += 1", (False, False)),
        ("n % small == 1", "small = n", (False, False)),
        ("max(x for x in l) > 1", "l[0] = 1", (False, False)),
    ],
)
def test_what_is_plain(tmp_path: Path, check: str, effect: str, plain: tuple[bool, bool]) -> None:
    """The check and the effect."""
    file = tmp_path / "g.yaml"
    file.write_text(GAME % (check, effect), encoding="utf-8")
    sink = Diagnostics()
    rules = load(str(file), sink)
    assert rules is not None
    game = rules.game({}, 2, sink)
    assert game is not None
    action = game.actions[0]
    kinds = {v.name: v.type for v in game.variables}
    assert (sound(action.checks[0].formula), sound_effects(action.effects, kinds)) == plain
