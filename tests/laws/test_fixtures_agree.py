"""Laws: what fixtures of random games say is so by the evaluator, and what they are chosen for is there."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import jsonschema
import pytest

from tablelaw.checkers.coverage import Effort
from tablelaw.checkers.fixture_set import Maker
from tablelaw.checkers.fixtures import Fixture
from tablelaw.solver import evaluate
from tablelaw.solver.legality import forbidding
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import load
from tablelaw.spec.operators import Fault
from tablelaw.testing import games

SCHEMA = jsonschema.Draft202012Validator(
    json.loads((Path(__file__).resolve().parents[2] / "docs" / "fixture.schema.json").read_text(encoding="utf-8"))
)
LITTLE = Effort(steps=400, whole=300, plays=10, longest=20, walked=200)


def check(f: Fixture, seen: Counter[str]) -> None:
    """Each sentence, and each goal that is about this position."""
    game = f.game
    state = f.start
    for move, drawn in f.play:
        assert move in evaluate.moves(game, state)
        assert drawn in evaluate.sound_draws(game, state, move)
        state = evaluate.apply(game, state, move, drawn).state
    assert state == f.state
    legal = evaluate.moves(game, state)
    assert set(legal) == set(f.legal)
    assert len(legal) == len(f.legal)
    for x in f.illegal:
        said = forbidding(game, state, x.move.action, dict(x.move.args))
        assert x.move not in legal
        assert said.clauses == x.clauses
    happened: set[str] = set()
    for o in f.outcomes:
        out = evaluate.apply(game, state, o.move, o.drawn)
        assert out.fault is None
        assert out.state == o.after
        assert dict(evaluate.draws(game, state, o.move))[o.drawn] == o.probability
        happened |= set(out.fired)
    alone = {x.clauses for x in f.illegal}
    for g in f.goals:
        seen[g.kind] += 1
        if g.kind == "refuses":
            assert (g.names[0],) in alone
        elif g.kind == "refuse-both":
            assert any(set(g.names) <= set(c) for c in alone)
        elif g.kind == "happens":
            assert g.names[0] in happened
        elif g.kind == "meet":
            assert any(set(g.names) <= set(o.clauses) for o in f.outcomes)
        elif g.kind == "ends":
            assert f.ended == g.names[0] or any(o.ended == g.names[0] for o in f.outcomes)
    SCHEMA.validate(f.json())


@pytest.mark.slow
def test_fixtures_of_random_games(tmp_path: Path) -> None:
    """Forty games, some with faults."""
    seen: Counter[str] = Counter()
    for seed in range(40):
        text, _ = games.sound(seed, (0.0, 0.02)[seed % 2], 0)
        file = tmp_path / f"{seed}.yaml"
        file.write_text(text, encoding="utf-8")
        rules = load(str(file), Diagnostics())
        assert rules is not None
        for f in Maker(rules, {}, rules.counts[0], seed=seed, effort=LITTLE).make(25).fixtures:
            try:
                evaluate.moves(f.game, f.state)
            except Fault:
                continue
            check(f, seen)
    assert {"takes", "allows", "refuses", "refuse-both", "happens", "meet", "ends", "value", "at-random"} <= set(seen)
