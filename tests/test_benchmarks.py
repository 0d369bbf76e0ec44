"""The benchmarks' pages, the reading of what peers report, and the models by hand. Nothing is measured here."""

from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"
with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(str(FOLDER))
    bench, boards_page, depth, depth_page, fit, forced_page, growth, growth_page, layouts = map(
        importlib.import_module,
        ["bench", "boards_page", "depth", "depth_page", "fit", "forced_page", "growth", "growth_page", "layouts"],
    )
    openspiel, overview, picture, playouts, playouts_page, proofs_page, rows, run = map(
        importlib.import_module,
        ["openspiel", "overview", "picture", "playouts", "playouts_page", "proofs_page", "rows", "run"],
    )
    search_page, searched, spin, tlc, z3_dice = map(
        importlib.import_module, ["search_page", "searched", "spin", "tlc", "z3_dice"]
    )

WHERE: dict[str, Any] = {
    "date": "2000-01-01",
    "machine": {"processor": "abacus", "cores": "1", "memory": "1 GiB", "system": "Linux"},
    "versions": {"tablelaw": "0", "Spin": "6"},
    "repeats": 3,
    "limit": 10.0,
    "load": [0.5, 1.0],
    "skipped": [],
    "failed": [],
}


def proved() -> dict[str, Any]:
    """Results of two questions, made up."""

    def row(question: str, method: str, verdict: str, *seconds: float) -> dict[str, Any]:
        keys = {"players": 2, "question": question, "method": method}
        return {**keys, "verdict": verdict, "seconds": {"proof": list(seconds)}}

    found = [
        row("dice-conserved", "tablelaw", "holds", 1, 2, 3),
        row("enough-dice", "tablelaw", "unknown", 10),
        row("dice-conserved", "induction", "holds", 0.01, 0.02, 0.02),
        row("dice-conserved", "spacer", "unknown", 10),
        row("enough-dice", "induction", "holds", 0.02),
    ]
    return {**WHERE, "proofs": found}


def test_page_of_proofs() -> None:
    text = proofs_page.write(proved())
    assert "| `dice-conserved`, 2 players | 2.00 | 0.020 (100) | none |  |" in text
    assert "| `enough-dice`, 2 players | none | 0.020 |  |  |" in text


def test_page_of_layouts() -> None:
    """Rates, counts beside C programs, and both ways of asking about all layouts."""
    rates = [{"way": way, "layouts": 300, "seconds": {"told": [s] * 3}} for way, s in (("graphs", 3.0), ("kernel", 0.1))]
    cities = [{"dice": 7, "cities": 450, "made": 1776, "seconds": {"tablelaw": [0.5] * 3, "C": [0.25] * 3}}]
    lines = [{"dice": 5, "lines": 3616, "loops": 0, "seconds": {"tablelaw": [2.0] * 3}}]
    asked = [
        {"what": "a loop", "n": 4, "way": "z3", "verdict": "found", "seconds": {"asked": [0.5] * 3}},
        {"what": "a loop", "n": 4, "way": "laying", "verdict": "unknown", "seconds": {"asked": [10.0]}},
    ]
    text = boards_page.write({**WHERE, "rates": rates, "cities": cities, "lines": lines, "every": asked})
    assert "| kernel | 3,000 | 30 |" in text
    assert "| 7 | 450 | 1,776 | 0.500 | 0.250 | 2.0 |" in text
    assert "| 5 | 3,616 | 0 | 2.00 | – | – |" in text
    assert "| a loop | 4 | found | 0.500 | none |" in text


def test_page_of_forced_wins() -> None:
    """Where a published time is known the whole process is set beside it."""
    row = {"title": "A game", "verdict": "fails", "positions": 1234, "mebibytes": 50}
    told = [
        {**row, "published": "no", "theirs": 12.0, "seconds": {"asked": [0.5] * 3, "whole": [1.0] * 3}},
        {**row, "published": "", "theirs": None, "seconds": {"asked": [0.5] * 3, "whole": [1.0] * 3}},
    ]
    text = forced_page.write({**WHERE, "forced": told})
    assert "| A game | no | no | 1,234 | 50 | 3 | 0.500 | 1.00 | 12.0 | 12 |" in text
    assert "| A game | no | – | 1,234 | 50 | 3 | 0.500 | 1.00 | – | – |" in text


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
    inside = report.replace("9044", "5000000")  # some were inside atomic steps, and how many is told in six digits only
    assert spin.read_report(inside, 3945712)["states"] == 3945712
    for expected in (0, 3945000):
        with pytest.raises(spin.Cut):
            spin.read_report(inside, expected)


@pytest.mark.slow
@pytest.mark.skipif(spin.missing() is not None, reason="Spin is not installed")
@pytest.mark.parametrize("order", ["depth-first", "breadth-first"])
@pytest.mark.parametrize("name", searched.MODELS)
def test_spin_counts_what_compiled_search_does(name: str, order: str) -> None:
    it = searched.MODELS[name]
    found = spin.weigh(it.spin, it.defines, order, it.arguments[order])
    assert found["states"] == it.states
    assert found["mebibytes"] > 0
    assert searched.search(it, it.way)["states"] == it.states


@pytest.mark.slow
@pytest.mark.skipif(spin.missing() is not None, reason="Spin is not installed")
@pytest.mark.parametrize("name", ["dice-1", "line-7"])
def test_spin_counts_the_same_to_a_depth(name: str) -> None:
    it = depth.MODELS[name]
    assert searched.search(it, it.way)["states"] == it.states
    for order, arguments in it.arguments.items():
        if name != "dice-1" or order == "breadth-first":  # depth-first takes each outcome of each roll
            assert spin.weigh(it.spin, it.defines, order, arguments)["states"] == it.states


def test_line_dice_to_a_small_depth() -> None:
    it = depth._line(5, 4_805)
    assert searched.search(it, it.way)["states"] == it.states
    if spin.missing() is None:
        assert spin.weigh(it.spin, it.defines, "breadth-first", it.arguments["breadth-first"])["states"] == it.states


def test_both_engines_find_the_same_states_and_steps() -> None:
    it = growth.CURVES["Connect, lines of three, squares"][12]
    ways = [searched.search(it, way) for way in ("C", "Python")]
    assert [w["states"] for w in ways] == [7157, 7157]
    assert [w["steps"] for w in ways] == [11818, 11818]


def test_what_is_searched_has_its_peers() -> None:
    for it in (*searched.MODELS.values(), *depth.MODELS.values()):
        assert it.rules.exists()
        assert (run.MODELS / f"{it.spin}.pml").exists()
        assert set(it.arguments) <= set(spin.ORDERS)
        assert not it.tlc or (run.MODELS / f"{it.tlc}.tla").exists()


def test_small_sizes_of_what_grows() -> None:
    for sizes in growth.CURVES.values():
        it = next(iter(sizes.values()))
        assert searched.search(it, "Python")["states"] == it.states


def compared() -> dict[str, Any]:
    """Results of compiled search, made up: two million states, one target missed."""
    found = [
        ("tablelaw", {"search": [1.0, 3.0, 1.0], "processor": [1.0] * 3}, [100]),
        ("tablelaw, all processors", {"search": [0.5] * 3, "processor": [1.5] * 3}, [120]),
        ("command, cold", {"cold": [2.0] * 3, "cold processor": [1.0] * 3}, [150]),
        ("Spin depth-first", {"search": [2.0], "processor": [3.0], "cold": [5.0], "cold processor": [6.0]}, [300]),
        ("Spin breadth-first", {"search": [4.0], "processor": [5.0], "cold": [8.0], "cold processor": [9.0]}, [200]),
    ]
    facts = {"title": "Game A", "states": 2_000_000, "steps": 5_000_000, "arguments": "-w20", "floor": [28]}
    return {
        **WHERE,
        "skipped": ["TLC was not measured: java not found"],
        "search": [{"game": "a", "program": p, **facts, "seconds": s, "mebibytes": m} for p, s, m in found],
    }


def test_page_of_compiled_search() -> None:
    text = search_page.write(compared())
    assert "TLC was not measured: java not found." in text
    assert "| Game A | 2,000,000 | 5,000,000 | 1.00 | 2,000,000 | 2.00 | 2.0 | 4.00 | 4.0 | 0.500 | 2.0 |" in text
    assert "| Game A | 2.00 (1.00) | – | – | 5.00 (6.00) | 0.40 | 8.00 (9.00) | 0.25 | – |" in text
    assert "| Game A | 100 | 28 | 150 | 300 | 200 | 0.50 | – |" in text
    assert "| search, times Spin depth-first | at least 2.5 | 2.0 (short) |" in text
    assert "| search, times Spin breadth-first | at least 4 | 4.0 |" in text
    assert "| memory, of Spin breadth-first | at most 0.8 | 0.50 |" in text
    assert "short)" not in search_page.write({**compared(), "search": compared()["search"][:1]})


def test_page_of_depth() -> None:
    def row(program: str, *spent: float) -> dict[str, Any]:
        facts = {"game": "a", "title": "Game A", "states": 1000, "mebibytes": [40], "program": program}
        return {**facts, "seconds": {"search": list(spent), "processor": list(spent)}}

    text = depth_page.write({**WHERE, "depth": [row("tablelaw", 2.0, 4.0, 3.0), row("Spin depth-first", 1.5)]})
    assert "| Game A | 1,000 | 3 | 3.00 (3.00) | 330 | 1.50 (1.50) | 0.50 | – | – | 40 | – |" in text


def test_page_of_growth() -> None:
    text = growth_page.write(grown())
    assert "| Curve, discs | 1.00 ± 0.00 | 0.50 ± 0.00 | 3 | 1.00 ± 0.00 | 0.50 ± 0.00 | 3 |" in text
    assert "| Curve: n = 6 | 1,000,000 | 1,000,000,000,000 | 1.00 | 100.0 | 100 |" in text
    assert "| Curve, discs | 4 to 6 | 10.00 (× or ÷ 1.00) |" in text


def grown() -> dict[str, Any]:
    """Results of three sizes, made up."""

    def spent(n: int) -> dict[str, list[float]]:
        return {f"{way}{what}": [n / rate] for way, rate in (("C", 1e6), ("Python", 1e4)) for what in ("", " processor")}

    facts = {"curve": "Curve, discs"}
    sizes = [
        {**facts, "size": n, "title": f"n = {n}", "states": 10**n, "steps": 100**n, "seconds": spent(10**n)} for n in (4, 5, 6)
    ]
    return {**WHERE, "growth": sizes}


def test_slopes_with_their_errors() -> None:
    found = fit.exponent([(10, 3), (100, 300), (1000, 30_000)])
    assert found.value == pytest.approx(2)
    assert found.error == pytest.approx(0, abs=1e-9)
    assert fit.exponent([(10, 3)]) is None
    assert fit.exponent([(10, 3), (100, 30)]).error is None
    bent = fit.slope([(0, 0), (1, 1), (2, 1)])  # by hand: slope 1/2, the residuals sum up to 1/6
    assert (bent.value, bent.error) == (pytest.approx(0.5), pytest.approx((1 / 12) ** 0.5))


def test_pictures() -> None:
    root = ElementTree.fromstring(growth_page.seconds_by_states(grown()))
    kinds = [e.tag.rpartition("}")[2] for e in root]
    assert (kinds.count("polyline"), kinds.count("circle")) == (2, 6)
    assert ElementTree.fromstring(growth_page.states_by_size({**WHERE, "growth": []})) is not None
    bars = ElementTree.fromstring(picture.bars("Bars", [("a < b", 0.5), ("c", 20.0)]))
    assert [e.tag.rpartition("}")[2] for e in bars].count("rect") == 3
    assert ElementTree.fromstring(picture.bars("None", [])) is not None


def played(first: int, moves: int) -> list[dict[str, Any]]:
    """A thousand plays each by two programs, made up; lengths vary by a move."""

    def row(program: str, each: float, first: int, moves: int) -> dict[str, Any]:
        sums = {"plays": 1000, "moves": moves, "squares": moves * moves / 1000 + 1000, "first": first}
        return {"game": "pig", "program": program, "title": "Pig", "sums": sums, "seconds": {"a play": [each]}}

    return [row("tablelaw", 0.001, 500, 8000), row("OpenSpiel", 0.002, first, moves)]


def test_page_of_plays() -> None:
    text = playouts_page.write({**WHERE, "playouts": played(510, 8010)})
    assert "| Pig | 1,000 | 8.00 ± 0.03 | 50.0 ± 1.6 | OpenSpiel | 500 | 8.01 ± 0.03 | 51.0 ± 1.6 | 2.0 |" in text


def test_plays_of_another_game_are_noticed() -> None:
    playouts.compared({"playouts": played(510, 8010)}, "pig", playouts.GAMES["pig"])
    for other in ((700, 8010), (510, 8250)):
        with pytest.raises(rows.Differs):
            playouts.compared({"playouts": played(*other)}, "pig", playouts.GAMES["pig"])


def test_plays_by_a_rules_file_are_counted() -> None:
    found = playouts.ours(playouts.GAMES["tic-tac-toe"], 0.05, 1)
    assert found["plays"] > 5
    assert 5 * found["plays"] <= found["moves"] <= 9 * found["plays"]
    assert set(openspiel.GAMES) == {name for name, it in playouts.GAMES.items() if it.peer == "OpenSpiel"}


def test_overview_tells_every_ratio() -> None:
    found = {"search": compared(), "playouts": {**WHERE, "playouts": played(510, 8010)}, "proofs": proved(), "growth": grown()}
    made = overview.pages(found)
    assert "| Game A | Spin depth-first | 2.0 |" in made["benchmarks.md"]
    assert "| Game A, cold command | Spin breadth-first | 4.0 |" in made["benchmarks.md"]
    assert "| plays of Pig | OpenSpiel | 2.0 |" in made["benchmarks.md"]
    assert "| proof of dice-conserved | z3 by hand, induction | 0.01 |" in made["benchmarks.md"]
    assert "search: TLC was not measured: java not found" in made["benchmarks.md"]
    assert ElementTree.fromstring(made["benchmarks.svg"]) is not None
    assert overview.pages({})["benchmarks.md"].startswith("# Benchmarks")


def test_a_part_without_results_costs_no_other_page(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(FOLDER))
    made = bench.pages({"search": compared(), "depth": dict(WHERE), "forced": {**WHERE, "forced": []}})
    assert {"benchmarks.md", "benchmarks-search.md", "benchmarks-forced.md"} <= set(made)
    assert "benchmarks-depth.md" not in made
    assert "no page of `depth`: KeyError('depth')" in capsys.readouterr().err


def test_failures_lose_nothing(tmp_path: Path) -> None:
    """What was measured before is kept; what failed is told once and not tried again."""
    tried: list[int] = []

    def work(k: int) -> None:
        tried.append(k)
        if k == 0:
            raise rows.Differs("7 and 8")

    with run.Run("search", False, 2, tmp_path / "results.json") as one:
        for k in one.rounds():
            one.attempt("a thing", lambda k=k: work(k))
            one.attempt("another", lambda k=k: work(k + 5))
        kept = json.loads((tmp_path / "results.json").read_text(encoding="utf-8"))
        assert tried == [0, 5, 6]
        assert kept["failed"] == ["a thing failed: Differs: 7 and 8"]
        assert not one.attempt("a process", lambda: spin.ran([sys.executable, "-c", "import nothing"], tmp_path))
        assert "No module named 'nothing'" in one.results["failed"][-1]


def test_a_process_that_takes_too_long_is_ended(tmp_path: Path) -> None:
    with pytest.raises(subprocess.CalledProcessError):
        spin.ran([sys.executable, "-c", "import time; time.sleep(60)"], tmp_path, limit=0.2)


def test_parts_are_named(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["bench.py", "serch"])
    with pytest.raises(SystemExit) as ended:
        bench.main()
    assert ended.value.code == 2
    assert "no part `serch`" in capsys.readouterr().err
    assert {*bench.PARTS, *bench.NAMED} == set(overview.PARTS)


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
