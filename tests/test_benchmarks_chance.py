"""The page of odds beside Storm, and the models by hand: they are the games of the examples."""

from __future__ import annotations

import importlib
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture
def chance(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The program, as one that stands in its folder."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("chance")


@pytest.fixture
def page(chance: ModuleType) -> ModuleType:
    """What writes the page."""
    return importlib.import_module("chance_page")


def results() -> dict[str, object]:
    """Two figures, made up."""
    mine = {"load": [0.5, 0.5, 0.5], "read": [1.0, 1.0, 1.0], "figure": [2.0, 5.0, 1.0]}
    told = {"title": "Pig to 100, best against hold at 20"}
    theirs = {"build": [1.0, 0.5, 1.0], "check": [0.5, 0.5, 9.0]}
    return {
        "date": "2000-01-01",
        "machine": {"processor": "abacus", "cores": "1", "memory": "1 GiB", "system": "Linux"},
        "versions": {"tablelaw": "0"},
        "repeats": 3,
        "load": [0.5, 1.0],
        "skipped": [],
        "failed": [],
        "rows": {
            "shut-the-box": {
                "tablelaw": {"title": "Shut the Box", "value": "1/4", "interval": None, "states": 1000, "seconds": mine},
                "float": {"value": "1/8", "states": 2000, "seconds": theirs},
                "exact": {"value": "1/4", "states": 2000, "seconds": theirs},
            },
            "against-hold": {"tablelaw": {**told, "value": None, "interval": ["1/2", "3/4"], "states": 1000, "seconds": mine}},
        },
    }


def test_the_page(page: ModuleType) -> None:
    """Medians of sums, ratios, how far answers are off, and where it takes longer."""
    text = page.write(results())
    assert "| Shut the Box | 0.25 | `1/4` | 0.125, off by 1e-01 | – | exact |" in text
    assert "| Shut the Box | 1,000 | 3.00 | 1.50 | 2.0 | – | – | 1.50 | 2.0 | 2,000 |" in text
    assert "| Pig to 100, best against hold at 20 | 0.625 | 2e-01 apart | – | – | – |" in text
    assert "- Shut the Box, Storm exact: 2.0 times as long." in text


def compared(chance: ModuleType, name: str) -> None:
    """Our answer to the example is Storm's to the model by hand."""
    pytest.importorskip("stormpy")
    it = chance.FIGURES[name]
    mine = chance.child(["figure", name])
    theirs = Fraction(chance.child(["storm", name, "exact" if it.exactly else "sound"])["value"])
    if mine["value"] is not None:
        assert Fraction(mine["value"]) == theirs
    else:
        low, high = (Fraction(x) for x in mine["interval"])
        off = 0 if it.exactly else Fraction(1, 10**6)
        assert low - off <= theirs <= high + off


@pytest.mark.parametrize("name", ["coupon", "shut-the-box"])
def test_models_by_hand_are_the_examples(chance: ModuleType, name: str) -> None:
    compared(chance, name)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["both-hold", "against-hold"])
def test_large_models_by_hand_are_the_examples(chance: ModuleType, name: str) -> None:
    compared(chance, name)
