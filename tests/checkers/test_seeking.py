"""How near a position is to what is sought, and plays towards it: what breadth first and plays at random do not come to."""

from __future__ import annotations

from pathlib import Path

import pytest

from tablelaw.checkers.apart import Apart
from tablelaw.checkers.choosing import chosen, most_telling
from tablelaw.checkers.coverage import Spot
from tablelaw.checkers.fixture_set import Maker
from tablelaw.checkers.looking import Eye
from tablelaw.checkers.mutants import mutants, survivors
from tablelaw.checkers.nearness import far
from tablelaw.checkers.seeking import Seeking
from tablelaw.solver import evaluate
from tablelaw.solver.space.graph import Budget
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.expressions import parse_formula
from tablelaw.spec.formulas import formula
from tablelaw.spec.game import Game
from tablelaw.spec.load import Rules, load
from tablelaw.spec.source import Source
from tablelaw.spec.types import BOOL
from tablelaw.spec.yaml_nodes import Scalar

CLIMB = """
tablelaw: 1
game: climb
title: Climb
players: 1
options:
  bell: {kind: variant, question: "A bell at the top?", values: ["off", "on"], default: "off"}
  height: {kind: variant, question: "How high?", values: [low, high], default: low}
types: {Step: 0..40, Way: 0..3}
state:
  at: {type: Step, init: 0}
  rung: {type: Step, init: 0}
actions:
  step:
    by: 0
    params: {w: Way}
    require: [{id: below-top, check: "at < (20 if option('height') == 'high' else 10)"}]
    do: |
      if w == at % 4:
          at += 1
      else:
          at = 0
      note()
effects:
  note:
    do:
      - {id: rings, only: {bell: "on"}, when: at == 18, do: "rung = min(rung + 1, 40)"}
"""


@pytest.fixture
def rules(tmp_path: Path) -> Rules:
    """A climb on which each wrong step leads back to the foot."""
    path = tmp_path / "climb.yaml"
    path.write_text(CLIMB, encoding="utf-8")
    sink = Diagnostics()
    found = load(str(path), sink)
    assert found is not None
    assert not sink.has_errors, [d.message for d in sink]
    return found


def game_of(rules: Rules, **setting: str) -> Game:
    sink = Diagnostics()
    game = rules.game(setting, 1, sink)
    assert game is not None, [d.message for d in sink]
    return game


def distance(game: Game, text: str, **values: object) -> float:
    """How far a formula is from being true where variables have these values."""
    source = Source("formula", text)
    parsed = parse_formula(Scalar(text, "plain", source.span(0, len(text)), range(len(text) + 1)), Diagnostics())
    assert parsed is not None
    state = evaluate.starts(game)[0]
    for name, value in values.items():
        state = state.set(name, value)
    return far(formula(parsed, game.names, Diagnostics(), {}, BOOL, "it"), evaluate.place(game, state))


def test_distance_is_nought_where_it_is_true_and_falls_towards_it(rules: Rules) -> None:
    """Numbers by their gap, `and` by the sum, `or` and `any` by the nearest, `not` the other way round."""
    game = game_of(rules)
    for text, true, near, far_off in [
        ("at == 7", 7, 8, 12),
        ("at != 7", 8, 7, 7),
        ("at >= 7", 9, 6, 2),
        ("not at < 7", 7, 6, 2),
        ("at > 7 and at < 9", 8, 9, 20),
        ("at == 7 or at == 20", 20, 19, 14),
        ("any(at == 3 * w for w in Way)", 9, 10, 30),
        ("not all(at != 3 * w for w in Way)", 6, 10, 30),
        ("(at == 9 if at > 4 else at == 1)", 9, 8, 30),
        ("at in {3, 4}", 4, 5, 5),
    ]:
        at = [distance(game, text, at=v) for v in (true, near, far_off)]
        assert at[0] == 0 < at[1] <= at[2], text
    assert distance(game, "10 // at == 2", at=0) == 1


def test_plays_towards_it_find_what_plays_at_random_do_not(rules: Rules) -> None:
    """Eighteen right steps in a row, one of four each: a chance of one in 70,000,000,000; the same of the same seed."""
    game = game_of(rules, bell="on", height="high")
    eye = Eye(game)
    mutant = next(m for m in mutants(game) if (m.how, m.clause) == ("without", "rings"))
    row = eye.player.starts()[0]
    found = [Seeking(eye, mutant, Apart(eye, mutant.game)).find([Spot(row, (), row)], Budget(), 1) for _ in range(2)]
    assert found[0] is not None
    assert found[0] == found[1]
    assert Apart(eye, mutant.game).here(found[0].row) is not None


def test_it_is_sought_where_two_options_meet(rules: Rules) -> None:
    """The bell is out of reach unless it is high: neither option alone shows the clause."""
    found = Maker(rules, {}, None).make()
    mine = [f for f in found.fixtures if "without:rings" in [g.id for g in f.goals]]
    assert {(f.game.setting["bell"], f.game.setting["height"]) for f in mine} == {("on", "high")}
    assert not found.cut


def test_a_limit_loses_no_mutant_that_so_many_fixtures_can_notice(rules: Rules) -> None:
    """Fixtures are exchanged for others that notice what the others do not."""
    maker = Maker(rules, {}, None)
    whole = maker.make()
    few = chosen(list(maker.unders.values()), 3, maker.noticed)
    assert len(few) == 3 < len(whole.fixtures)

    def noticed(fixtures: list[object]) -> set[tuple[str, str]]:
        return {
            (m.how, m.clause)
            for u in maker.unders.values()
            for m in mutants(u.game)
            if not survivors([m], [f for f in u.fixtures if f in fixtures])
        }

    assert noticed(list(few)) == noticed(list(whole.fixtures))
    assert noticed(list(most_telling(whole.fixtures, 3))) < noticed(list(few))
