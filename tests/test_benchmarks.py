"""The benchmarks' page, the reading of Spin's reports, and the z3 models by hand. Nothing is measured here."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"


def module(name: str) -> ModuleType:
    """A file of benchmarks/ as a module."""
    spec = importlib.util.spec_from_file_location(f"tablelaw_bench_{name}", FOLDER / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = found  # dataclasses look their module up
    spec.loader.exec_module(found)
    return found


page, spin, z3_dice, layouts = module("page"), module("spin"), module("z3_dice"), module("layouts")
compiled_ours = module("compiled_ours")
with pytest.MonkeyPatch.context() as patch:
    patch.setitem(sys.modules, "page", page)
    patch.setitem(sys.modules, "spin", spin)
    compiled_page, tlc = module("compiled_page"), module("tlc")


def sample() -> dict[str, Any]:
    """Results of two searches, three questions and three rounds, made up."""
    clock = {"read": [0.25] * 3, "made": [0.125] * 3, "whole": [2.0, 8.0, 1.0]}
    proof = {"kind": "always", "known": "proved", "play": False}
    return {
        "date": "2000-01-01",
        "machine": {"processor": "abacus", "cores": "1", "memory": "1 GiB", "system": "Linux"},
        "versions": {"tablelaw": "0", "Spin": "6"},
        "repeats": 3,
        "limit": 10.0,
        "load": [0.5, 1.0],
        "skipped": [],
        "explicit": [
            {
                "game": "a",
                "title": "Game A",
                "states": 1000,
                "expanded": 1000,
                "steps": 5000,
                "seconds": {**clock, "search": [1, 9, 2]},
            },
            {
                "game": "b",
                "title": "Game B",
                "states": 1200,
                "expanded": 300,
                "steps": 7000,
                "seconds": {**clock, "search": [3, 3, 3]},
            },
        ],
        "spin": [
            {
                "game": "a",
                "order": order,
                "states": 1000,
                "stored": 1000,
                "steps": 4000,
                "seconds": {"search": [0.3] * 3, "run": [run] * 3, "whole": [4.0] * 3},
            }
            for order, run in (("depth-first", 0.5), ("breadth-first", 0.001))
        ],
        "proofs": [
            {**proof, "players": 2, "question": "dice-conserved", "verdict": "holds", "seconds": {"proof": [1, 2, 3]}},
            {**proof, "players": 2, "question": "enough-dice", "verdict": "unknown", "seconds": {"proof": [10]}},
            {**proof, "players": 2, "question": "", "verdict": "1", "seconds": {"proof": [1.5]}},
        ],
        "z3": [
            {
                "players": 2,
                "question": "dice-conserved",
                "method": "induction",
                "verdict": "holds",
                "seconds": {"proof": [0.01, 0.02, 0.02]},
            },
            {"players": 2, "question": "dice-conserved", "method": "spacer", "verdict": "unknown", "seconds": {"proof": [10]}},
            {
                "players": 2,
                "question": "enough-dice",
                "method": "induction",
                "verdict": "holds",
                "seconds": {"proof": [0.02] * 3},
            },
        ],
    }


def test_page_has_medians_and_ratios() -> None:
    text = page.write(sample())
    assert "| Game A | 1,000 | 5,000 | 2.00 | 500 | 2,500 | 0.30 | 0.500 | 2,000 | 4.0 | 0.30 | 0.001 | – | – |" in text
    assert "| Game B | 1,200 | 7,000 | 3.00 | 400 | 2,300 | – | – | – | – | – | – | – | – |" in text
    assert "| `dice-conserved`, 2 players | 2.00 | 0.020 (100) | none |  |" in text
    assert "the successors of 300 states made" in text


def test_page_says_where_it_loses() -> None:
    _, _, text = page.write(sample()).partition("## Where tablelaw loses")
    lost, _, won = text.partition("It takes less time")
    assert "- Game A, search, Spin depth-first: 4.0 times as long." in lost
    assert "- `dice-conserved`, z3 by hand (induction): 100 times as long." in lost
    assert "- `enough-dice`, z3 by hand (induction): with 2 players tablelaw has no answer within 10 s." in lost
    assert "- Game A, the whole way, Spin breadth-first: 2.0 times as fast." in won
    assert "- `dice-conserved`, z3 by hand (Spacer): by hand not within 10 s with 2 players." in won


def test_page_without_spin_says_so() -> None:
    results = {**sample(), "spin": [], "skipped": ["Spin was not measured: spin not found"]}
    text = page.write(results)
    assert "Spin was not measured: spin not found." in text
    assert "Game A, search" not in text


def test_page_has_layouts() -> None:
    """Rates, counts beside C programs, and both ways of asking about all layouts; where C is quicker it is said."""
    rates = [{"way": way, "layouts": 300, "seconds": {"told": [s] * 3}} for way, s in (("graphs", 3.0), ("kernel", 0.1))]
    cities = [{"dice": 7, "cities": 450, "made": 1776, "seconds": {"tablelaw": [0.5] * 3, "C": [0.25] * 3}}]
    lines = [{"dice": 5, "lines": 3616, "loops": 0, "seconds": {"tablelaw": [2.0] * 3}}]
    asked = [
        {"what": "a loop", "n": 4, "way": "z3", "verdict": "found", "seconds": {"asked": [0.5] * 3}},
        {"what": "a loop", "n": 4, "way": "laying", "verdict": "unknown", "seconds": {"asked": [10.0]}},
    ]
    text = page.write({**sample(), "rates": rates, "cities": cities, "lines": lines, "all layouts": asked})
    assert "| kernel | 3,000 | 30 |" in text
    assert "| 7 | 450 | 1,776 | 0.500 | 0.250 | 2.0 |" in text
    assert "| 5 | 3,616 | 0 | 2.00 | – | – |" in text
    assert "| a loop | 4 | found | 0.500 | none |" in text
    assert "- closed cities of 7 dice, C: 2.0 times as long." in text
    assert "## Layouts" not in page.write(sample())


def test_page_has_forced_wins() -> None:
    """Where a published time is known the whole process is set beside it."""
    row = {"title": "A game", "verdict": "fails", "positions": 1234, "mebibytes": 50}
    told = [
        {**row, "published": "no", "theirs": 12.0, "seconds": {"asked": [0.5] * 3, "whole": [1.0] * 3}},
        {**row, "published": "", "theirs": None, "seconds": {"asked": [0.5] * 3, "whole": [1.0] * 3}},
    ]
    text = page.write({**sample(), "forced": told})
    assert "| A game | no | no | 1,234 | 50 | 0.500 | 1.00 | 12.0 | 12 |" in text
    assert "| A game | no | – | 1,234 | 50 | 0.500 | 1.00 | – | – |" in text
    assert "## Forced wins" not in page.write(sample())


C_PROGRAMS = {"closed_cities": (4, [8, 23]), "lines": (4, [952, 8])}


@pytest.mark.skipif(shutil.which("cc") is None and shutil.which("gcc") is None, reason="no C compiler")
@pytest.mark.parametrize("name", C_PROGRAMS)
def test_c_programs_count_what_the_facts_say(name: str, tmp_path: Path) -> None:
    dice, counts = C_PROGRAMS[name]
    program = layouts.compiled(name, tmp_path)
    assert program is not None
    assert layouts.by_c(program, dice)["counts"] == counts


def test_three_ways_tell_the_same_features() -> None:
    assert [r["way"] for r in layouts.rates(20)] == ["networkx graphs", "plain layouts", "packed kernel"]
    assert layouts.cities(4) | {"seconds": 0} == {"dice": 4, "cities": 8, "made": 23, "seconds": 0}


REPORT = """
State-vector 20 byte, depth reached 33, errors: 0
     9044 states, stored
\t    1016 nominal states (stored-atomic)
    12985 transitions (= stored+matched)
pan: elapsed time 0.02 seconds
"""


def test_spin_report_is_read() -> None:
    assert spin.read_report(REPORT) == {"states": 1016, "stored": 9044, "steps": 12985}
    assert spin.elapsed(REPORT) == 0.02


@pytest.mark.parametrize("report", ["error: max search depth too small\n" + REPORT, REPORT.replace("errors: 0", "errors: 1")])
def test_spin_report_of_a_search_that_was_cut(report: str) -> None:
    with pytest.raises(spin.Cut):
        spin.read_report(report)


def test_spin_tells_millions_in_six_digits() -> None:
    report = REPORT.replace("1016", "3.94571e+06")
    assert spin.read_report(report.replace("9044", "3945711"))["states"] == 3945711
    with pytest.raises(spin.Cut):  # some were inside atomic steps, and how many is not told
        spin.read_report(report.replace("9044", "5000000"))


@pytest.mark.slow
@pytest.mark.skipif(spin.missing() is not None, reason="Spin is not installed")
@pytest.mark.parametrize("order", ["depth-first", "breadth-first"])
@pytest.mark.parametrize(
    "model, defines, states", [("tic_tac_toe", [], 5478), ("nim", ["HEAP=7"], 1016), ("dice_turn", [], 163876)]
)
def test_spin_counts_the_same_states(model: str, defines: list[str], states: int, order: str) -> None:
    assert spin.measure(model, defines, order)["states"] == states


@pytest.mark.slow
@pytest.mark.skipif(spin.missing() is not None, reason="Spin is not installed")
@pytest.mark.parametrize("order", ["depth-first", "breadth-first"])
@pytest.mark.parametrize("name", compiled_ours.MODELS)
def test_spin_counts_what_compiled_search_does(name: str, order: str) -> None:
    it = compiled_ours.MODELS[name]
    found = spin.weigh(it.spin, it.defines, order, it.arguments[order])
    assert found["states"] == it.states
    assert found["mebibytes"] > 0
    assert compiled_ours.search(name, "C")["states"] == it.states


def test_both_engines_find_the_same_states_and_steps() -> None:
    ways = [compiled_ours.search("connect-3-4", way) for way in ("C", "Python")]
    assert [w["states"] for w in ways] == [7157, 7157]
    assert [w["steps"] for w in ways] == [11818, 11818]


def test_options_of_the_models_are_those_of_the_peers() -> None:
    for it in compiled_ours.MODELS.values():
        assert (FOLDER / f"{it.spin}.pml").exists()
        assert set(it.arguments) == set(spin.ORDERS)
        assert not it.tlc or (FOLDER / f"{it.tlc}.tla").exists()


def searched() -> dict[str, Any]:
    """Results of compiled search, made up: two million states, one target missed."""
    rows = [
        ("tablelaw", {"search": [1.0, 3.0, 1.0], "processor": [1.0] * 3}, [100]),
        ("tablelaw, all processors", {"search": [0.5] * 3, "processor": [1.5] * 3}, [120]),
        ("command, cold", {"cold": [2.0] * 3, "cold processor": [1.0] * 3}, [150]),
        ("Spin depth-first", {"search": [2.0], "processor": [3.0], "cold": [5.0], "cold processor": [6.0]}, [300]),
        ("Spin breadth-first", {"search": [4.0], "processor": [5.0], "cold": [8.0], "cold processor": [9.0]}, [200]),
    ]
    facts = {"title": "Game A", "states": 2_000_000, "steps": 5_000_000, "arguments": "-w20", "floor": [28]}
    return {
        **{k: v for k, v in sample().items() if k in ("date", "machine", "versions", "repeats", "load")},
        "skipped": ["TLC was not measured: java not found"],
        "search": [{"game": "a", "program": p, **facts, "seconds": s, "mebibytes": m} for p, s, m in rows],
        "growth": [
            {"curve": "Curve", "size": f"n = {n}", "states": n, "steps": n, "seconds": {"C": [n / 1e6], "Python": [n / 1e4]}}
            for n in (1000, 10_000, 100_000)
        ],
    }


def test_page_of_compiled_search() -> None:
    text = compiled_page.write(searched())
    assert "TLC was not measured: java not found." in text
    assert "| Game A | 2,000,000 | 5,000,000 | 1.00 | 2,000,000 | 2.00 | 2.0 | 4.00 | 4.0 | 0.500 | 2.0 |" in text
    assert "| Game A | 2.00 (1.00) | – | – | 5.00 (6.00) | 0.40 | 8.00 (9.00) | 0.25 | – |" in text
    assert "| Game A | 100 | 28 | 150 | 300 | 200 | 0.50 | – |" in text
    assert "| search, times Spin depth-first | at least 2.5 | 2.0 (short) |" in text
    assert "| search, times Spin breadth-first | at least 4 | 4.0 |" in text
    assert "| memory, of Spin breadth-first | at most 0.8 | 0.50 |" in text
    assert "| n = 100000 | 100,000 | 0.100 | 10.0 | 100 |" in text
    assert "Curve, compiled: 1.00 over 2 sizes; Curve, Python: 1.00 over 3 sizes" in text
    assert "short)" not in compiled_page.write({**searched(), "search": searched()["search"][:1]})


def test_exponent_is_the_slope_of_the_logarithms() -> None:
    assert compiled_page.exponent([(10, 3), (100, 300), (1000, 30_000)]) == pytest.approx(2)
    assert compiled_page.exponent([(10, 3)]) is None


def test_picture_has_a_line_for_each_engine() -> None:
    text = compiled_page.picture(searched())
    root = ElementTree.fromstring(text)
    kinds = [e.tag.rpartition("}")[2] for e in root]
    assert kinds.count("polyline") == 2
    assert kinds.count("circle") == 5
    assert ElementTree.fromstring(compiled_page.picture({**searched(), "growth": []})) is not None


TLC_REPORT = """Model checking completed. No error has been found.
483841 states generated, 181440 distinct states found, 0 states left on queue.
"""


def test_tlc_report_is_read() -> None:
    assert tlc.states(TLC_REPORT) == 181440
    with pytest.raises(spin.Cut):
        tlc.states(TLC_REPORT.replace(" 0 states left", " 5 states left"))
    with pytest.raises(spin.Cut):
        tlc.states(TLC_REPORT.replace("No error", "Deadlock"))


def test_what_a_command_took(tmp_path: Path) -> None:
    code = "import os, sys; x = bytearray(50 << 20); x[::4096] = b'1' * len(x[::4096]); print(len(os.sched_getaffinity(0)))"
    text, spent = spin.ran([sys.executable, "-c", code], tmp_path, core=True)
    assert text.strip() == "1"
    assert spent.mebibytes > 50
    assert spent.processor > 0
    assert spent.clock > 0
    with pytest.raises(subprocess.CalledProcessError):
        spin.ran([sys.executable, "-c", "raise SystemExit(3)"], tmp_path)


@pytest.mark.parametrize("players", [2, 5])
@pytest.mark.parametrize("question", z3_dice.QUESTIONS[:3])
def test_z3_by_hand_proves_by_induction(question: str, players: int) -> None:
    assert z3_dice.induction(question, players) == "holds"


def test_z3_by_hand_proves_with_spacer() -> None:
    assert z3_dice.spacer("dice-conserved", 2) == "holds"


def test_z3_by_hand_finds_nine_catapults() -> None:
    assert z3_dice.bounded("nine-catapults", 2) == "holds"
    assert z3_dice.bounded("nine-catapults", 2, depth=0) == "fails"


def test_z3_by_hand_does_not_prove_what_is_false() -> None:
    assert z3_dice.spacer("nine-catapults", 2) == "fails"  # asked of every position, and the first one has none
    assert z3_dice.induction("nine-catapults", 2) != "holds"
