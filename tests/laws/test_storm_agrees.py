"""Law: the model checker Storm has our figure of any chain that one side at most decides in."""

from __future__ import annotations

import importlib.util
import random
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from tablelaw.solver.chance import exact
from tablelaw.solver.chance.graph import Chances, Choices, end_component
from tablelaw.solver.chance.prism import drn_text, of_chain, prism_text
from tablelaw.solver.space.graph import Budget

pytest.importorskip("stormpy")
_spec = importlib.util.spec_from_file_location(
    "tablelaw_bench_storm_law", Path(__file__).resolve().parents[2] / "benchmarks" / "storm.py"
)
assert _spec is not None
assert _spec.loader is not None
storm = importlib.util.module_from_spec(_spec)
sys.modules[_spec.name] = storm
_spec.loader.exec_module(storm)

SENSES: tuple[exact.Sense, ...] = (lambda a: 0, lambda a: 0 if a < 0 else 1, lambda a: 0 if a < 0 else -1)


def any_chain(r: random.Random, gains: bool) -> Chances:
    """A few states, back and forth, the last ones decided; with `gains` something is counted on arrival."""
    n, decided = r.randint(2, 9), r.randint(1, 3)
    whole = n + decided
    chain = Chances(packed=list(range(whole)), starts=r.choice((1, 1, 2)))
    for v in range(whole):
        gain = Fraction(r.randint(-3, 3), r.randint(1, 3)) if gains and v >= chain.starts and r.random() < 0.5 else Fraction(0)
        chain.reward.append(gain)
        if v >= n:
            chain.values[v] = Fraction(r.randint(-5, 5), 2) if gains else Fraction(r.choice((0, 1, 1)))
            chain.choices.append([])
            continue
        actor, options = r.choice((-1, 0, 0)), Choices()
        for _ in range(1 if actor < 0 else r.randint(1, 3)):
            targets = [j for j in r.sample(range(whole), r.randint(1, min(4, whole))) if not gains or j >= chain.starts]
            targets = targets or [whole - 1]
            shares = [r.randint(1, 9) for _ in targets]
            options.append((actor, [(j, Fraction(w, sum(shares))) for j, w in zip(targets, shares, strict=True)]))
        chain.choices.append(options)
    return chain


def check(seed: int, folder: Path) -> bool:
    """Is the figure of every start the same? Whether there was one that lies inside of 0 and 1."""
    r = random.Random(seed)
    gains = seed % 2 == 1
    chain, sense = any_chain(r, gains), SENSES[seed // 2 % 3]
    chain.averaged(sense)
    if gains and end_component(chain.choices, [v for v in range(len(chain.choices)) if v not in chain.values]) is not None:
        return False  # a mean need not exist
    model = of_chain(chain, gains, None, sense)
    values, _ = exact.solve(chain, sense, Budget(seconds=60))
    for form, text in (("prism", prism_text(model, [])), ("drn", drn_text(model, []))):
        path = folder / f"m.{form}"
        path.write_text(text, encoding="utf-8")
        found = storm.ask(path, model.asks, "exact").values
        assert list(found) == values[: chain.starts], (seed, form)
    return 0 < values[0] < 1 or (gains and values[0] != 0)


def test_storm_has_the_same_figures(tmp_path: Path) -> None:
    """Odds and means, nobody or one side deciding, states that nobody leaves, one start or two."""
    assert sum(check(seed, tmp_path) for seed in range(150)) > 40
