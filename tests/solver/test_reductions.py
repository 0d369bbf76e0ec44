"""What reductions save, and what is said of it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tablelaw.cli import main
from tablelaw.solver import account, evaluate
from tablelaw.solver.engine import Engines
from tablelaw.solver.explicit import engine
from tablelaw.solver.explicit.engine import Explicit
from tablelaw.solver.reduce.names import BAGS, EVERYWHERE, NONE, ORDER, SLICING, SYMMETRY, Wanted, wanted
from tablelaw.solver.reduce.telling import NOT_SHORTEST
from tablelaw.solver.space import ranges
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.space.ranges import LEFT, UNSEEN
from tablelaw.solver.verdict import Verdict
from tablelaw.spec.questions import Reader
from tablelaw.testing.games import checked

EXAMPLES = Path(__file__).parents[2] / "examples"
LAMPS = """
tablelaw: 1
game: lamps
title: Lamps
players: 1
types: {Lamp: 0..9}
state:
  lit: {type: "map[Lamp, bool]", init: true}
  done: {type: bool, init: false}
  clock: {type: 0..1, init: 0}
actions:
LIGHTS
  leave:
    by: 0
    do: |
      done = true
      clock = 1 - clock
end: [{id: dark, says: All have left., when: done, winners: "{0}"}]
questions:
  leaves: {never: done}
  stays: {always: not done or clock == 1}
  lit: {reach: "not lit[3]"}
  progress: {progress: true}
"""
LIGHT = """  snuff{n}:
    by: table
    during: lit[{n}]
    do: lit[{n}] = false"""
DICE = """
tablelaw: 1
game: dice
title: Dice
players: 1
state:
  total: {type: 0..400, init: 0}
actions:
  throw:
    by: 0
    during: total < 300
    chance: {a: die(6), b: die(6), c: die(6), unread: die(6)}
    do: SUM
questions:
  far: {largest: total}
  reach: {reach: total == 17}
"""


def ask(text: str, name: str, way: Wanted) -> tuple[Verdict, list[account.Entry]]:
    game, sink = checked(text)
    assert game is not None, [d.message for d in sink]
    asked = Reader(game, sink, evaluate.starts(game)[0]).question(game.document.questions[name])
    assert asked is not None
    with account.recording() as told:
        return Explicit(game, way).ask(asked, Budget()), told.entries


def lamps(name: str, way: Wanted) -> tuple[Verdict, list[account.Entry]]:
    return ask(LAMPS.replace("LIGHTS", "\n".join(LIGHT.format(n=n) for n in range(10))), name, way)


def only(name: str) -> Wanted:
    return Wanted(frozenset({name}), always=True)


@pytest.mark.parametrize(("name", "verdict"), [("stays", "holds"), ("progress", "holds"), ("leaves", "fails")])
def test_the_table_does_ten_things_in_one_order(name: str, verdict: str) -> None:
    """Eleven positions on the way in place of 1,024; the play that is found goes the way of the rules."""
    whole, _ = lamps(name, NONE)
    less, told = lamps(name, only(ORDER))
    assert whole.verdict == less.verdict == verdict
    assert (whole.states, less.states) == (1025, 12)
    assert told[-1].text.startswith("partial order: `snuff0`, `snuff1`")
    if less.trace is not None:
        assert len(less.trace.steps) == 12
        assert NOT_SHORTEST in less.notes


def test_what_the_question_sees_goes_in_any_order() -> None:
    """The lamp that is asked about is not put out before or after the others; those are in one order still."""
    less, told = lamps("lit", only(ORDER))
    assert less.verdict == "holds"
    assert "9 wait" in told[-1].text


def test_what_nothing_reads_is_left_out() -> None:
    """The clock, for the question whether somebody has to stay."""
    less, told = lamps("leaves", only(SLICING))
    assert less.verdict == "fails"
    assert "1 of 12 parts" in told[-1].text
    assert "`clock`" in told[-1].text
    assert less.trace is not None
    assert less.trace.steps[-1].state["clock"] == 1


def test_dice_of_which_only_the_sum_counts_are_a_bag() -> None:
    """56 bags of three dice in place of 216, and the fourth die is not thrown; a weighted sum tells two of them apart."""
    less, told = ask(DICE.replace("SUM", "total += a + b + c"), "far", only(BAGS))
    assert less.value == ask(DICE.replace("SUM", "total += a + b + c"), "far", NONE)[0].value == "317"
    assert told[-1].figures == {"reduction": BAGS, "with": 56, "without": 1296}
    _, told = ask(DICE.replace("SUM", "total += a + b + 2 * c"), "far", only(BAGS))
    assert told[-1].figures == {"reduction": BAGS, "with": 126, "without": 1296}


def test_heaps_that_may_be_swapped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Six orders of three heaps are one; how many states there are is told all the same, unless the start tells them apart."""
    text = """
tablelaw: 1
game: heaps
title: Heaps
players: 2
types: {Heap: 0..2}
state:
  turn: {type: Player, init: 0}
  heap: {type: "map[Heap, 0..5]", init: START}
actions:
  take:
    by: turn
    params: {h: Heap}
    require: [{id: some, says: There is something to take., check: "heap[h] > 0"}]
    do: |
      heap[h] -= 1
      turn = after(turn)
questions:
  states: {count: states}
  first: {reach: "heap[0] == 0 and heap[1] == 5"}
"""
    same = text.replace("START", "5")
    less, told = ask(same, "states", EVERYWHERE)
    assert less.value == ask(same, "states", NONE)[0].value == "216"
    assert less.states == 56
    assert told[-1].figures == {"reduction": SYMMETRY, "group": 6, "with": 56, "without": 216, "exact": True}
    apart = text.replace("START", "{0: 5, 1: 4, 2: 3}")
    less, told = ask(apart, "states", EVERYWHERE)
    assert less.value == ask(apart, "states", NONE)[0].value
    assert not any(e.figures.get("reduction") == SYMMETRY for e in told)
    first, _ = ask(same, "first", EVERYWHERE)
    assert first.trace is not None
    assert len(first.trace.steps) == 6
    assert [first.trace.steps[-1].state["heap"][n] for n in range(3)] == [0, 5, 5]
    monkeypatch.setattr(engine, "FEW", 1)
    assert ask(same, "states", replace(EVERYWHERE, always=False))[0].states == 56


def test_names_of_reductions() -> None:
    """Some by commas, all, none; anything else is told."""
    assert wanted("slicing, bags").names == {SLICING, BAGS}
    assert (wanted("all"), wanted("none")) == (EVERYWHERE, NONE)
    for wrong in ("", "slices", "all,bags", "none,none"):
        with pytest.raises(ValueError, match=r"no reduction is called|stands alone"):
            wanted(wrong)


def test_the_command_tells_how_an_answer_was_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In words below the answer, and as data; with other reductions nothing is told that was kept with these."""
    spec = str(EXAMPLES / "tic-tac-toe")
    args = ["check", spec, "--question", "states", "--explain-engine"]
    assert main([*args, "--reduction", "symmetry"]) == 0
    out = capsys.readouterr().out
    assert "how it was found:" in out
    assert "8 images of a position are one: 765 positions in place of 5,478" in " ".join(out.split())
    assert main([*args, "--json"]) == 0
    row = json.loads(capsys.readouterr().out)["results"][0]
    assert row["states"] == 5478
    first, second = row["engine_account"]
    assert first["figures"]["engine"] == "search"
    assert (second["kind"], second["level"]) == ("reduction", 1)
    assert second["text"] == "no reduction: they begin after 20,000 positions"


def test_the_command_compares_both_ways(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", str(EXAMPLES / "craps"), "--question", "never-seven-as-point", "--check-reductions"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "reductions checked: the same answer over 21 positions with all reductions, over 21 with none" in out


def test_the_command_refuses_what_does_not_go_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = str(EXAMPLES / "nim")
    assert main(["check", spec, "--reduction", "slices"]) == 2
    assert "no reduction is called `slices`" in capsys.readouterr().err
    assert main(["check", spec, "--reduction", "all", "--evidence", str(tmp_path)]) == 2
    assert "`--reduction` does not go with `--evidence`" in capsys.readouterr().err


def test_a_claim_is_explained_too(capsys: pytest.CaptureFixture[str]) -> None:
    args = ["ask", str(EXAMPLES / "tic-tac-toe"), "turn == 0", "never turn == 1", "--explain-engine", "--alone", "--no-cache"]
    assert main(args) == 1
    out = capsys.readouterr().out
    assert "no engine was needed" in out
    assert "- search, " in out


LEAVING = """
tablelaw: 1
game: leaving
title: Leaving
players: 2
state:
  n: {type: 0..3, init: 0}
  beside: {type: 0..1, init: 0}
actions:
  go: {by: 0, during: n < 3, do: "n += 1\\nEFFECT"}
end: [{id: over, says: Over., when: n == 3}]
questions:
  can: {force: {who: [0], goal: n == 3}}
  ends: {terminates: true}
  leads: {always-after: {when: n == 0, then: n == 3}}
  surely: {terminates: almost-surely}
  comes: {odds: n == 3, play: best, who: [0]}
"""


@pytest.mark.parametrize("name", ["can", "ends", "leads", "surely", "comes"])
@pytest.mark.parametrize(("effect", "may"), [("beside += 1", True), ("beside = n % 2", False)])
@pytest.mark.parametrize("large", [False, True])
def test_a_range_left_by_what_is_left_out_is_not_passed_over_in_silence(
    name: str, effect: str, may: bool, large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has no part in a question is left out of it, a step that its range forbids with it: the answer says so."""
    monkeypatch.setattr(ranges, "FEW", 1 if large else ranges.FEW)
    game, sink = checked(LEAVING.replace("EFFECT", effect))
    assert game is not None
    asked = Reader(game, sink, evaluate.starts(game)[0]).question(game.document.questions[name])
    assert asked is not None
    engines = Engines(game, "explicit")
    found = engines.figure(asked, Budget()) if name in ("surely", "comes") else engines.ask(asked, Budget())
    assert found.verdict in ("holds", "value")
    assert (LEFT in found.notes, UNSEEN in found.notes) == (may and not large, may and large)
