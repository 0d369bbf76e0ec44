"""`tablelaw playouts`: what it prints in 80 columns and as JSON, one play shown, and what it refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tablelaw.cli import main

RULES = """\
tablelaw: 1
game: race
title: Race
players: 2..3
sources: {own: {title: Own rules, language: en}}
options:
  goal: {kind: study, question: "How far?", values: 5..30, default: 10}
state:
  turn: {type: Player, init: 0}
  place: {type: "map[Player, 0..40]", init: 0}
actions:
  roll:
    by: turn
    chance: {pips: die(6)}
    require: [{id: never-refuses, says: Nothing., check: "place[turn] < 40"}]
    do:
      - {id: goes, says: A pawn goes on., do: "place[turn] += pips"}
      - {id: back-home, says: On a square that is none., when: "place[turn] == 40", do: "place[turn] = 0"}
      - {id: next, says: Turns go round., do: "turn = after(turn)"}
end:
  - id: there
    says: Whoever gets there first wins.
    when: any(place[p] >= option('goal') for p in Player)
    winners: "{p for p in Player if place[p] >= option('goal')}"
questions:
  home: {reach: "place[0] == 3"}
"""
STUCK = RULES.replace("place[turn] < 40", "place[turn] < 4")
FAULT = RULES.replace("0..40", "0..9")
PRINTED = """\
200 plays at random (seed 4): N a second

length              min  median  max  mean
  steps               3       5   11  5.12
  moves of players    3       5   11  5.12

how they ended
      200  there

who won (95 % intervals)
  player 0      146   73.00%   66.46% to 78.68%
  player 1       54   27.00%   21.32% to 33.54%

numbers at the end  min  median  max   mean
  place[0]            3      11   15  10.35
  place[1]            1       7   14   7.20

what happened             steps  plays
  roll                    1,024    200
clauses that took effect
  goes                    1,024    200
  back-home                   0      0
  next                    1,024    200

checks, first to refuse  moves
  never-refuses              0

decided nothing in any play: back-home, never-refuses
"""


def spec(tmp_path: Path, text: str = RULES) -> str:
    """The rules as a file."""
    path = tmp_path / "rules.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_what_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The whole report, which is the same for a seed but for the time it took; no line is longer than 80 columns."""
    assert main(["playouts", spec(tmp_path), "--plays", "200", "--seed", "4"]) == 0
    out = capsys.readouterr().out
    assert re.sub(r"[\d,.]+ a second", "N a second", out) == PRINTED
    assert max(map(len, out.splitlines())) <= 80


def test_json_has_the_same_numbers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One result in the object of the contract, every count exact."""
    assert main(["playouts", spec(tmp_path), "--plays", "200", "--seed", "4", "--json"]) == 0
    whole = json.loads(capsys.readouterr().out)
    assert set(whole) == {"game", "spec_hash", "version", "results"}
    (found,) = whole["results"]
    assert (found["question"], found["known_by"], found["bound"], found["seed"]) == ("playouts", "sampled", "200 plays", 4)
    assert found["endings"] == {"ended": 200, "stuck": 0, "cut": 0, "fault": 0}
    assert found["steps"] == {"count": 200, "mean": "128/25", "min": 3, "median": "5", "max": 11}
    assert [found["winners"][p]["wins"] for p in ("0", "1")] == [146, 54]
    assert found["effects"]["back-home"] == {"steps": 0, "plays": 0}
    assert found["refused"] == {"never-refuses": 0}


def test_a_play_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One play step by step, the same each time, and its steps can be played again by hand."""
    path = spec(tmp_path)
    assert main(["playouts", path, "--seed", "4", "--show", "2"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("play 2 of seed 4: ")
    assert main(["playouts", path, "--seed", "4", "--show", "2", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["results"]
    steps = found["trace"]["steps"]
    assert f"{len(steps) - 1} steps" in out
    record = "; ".join(f"{s['move']} -> pips={s['chance']['pips']}" for s in steps[1:])
    assert f"--moves '{record}'" in " ".join(out.split())
    assert main(["play", path, "--moves", record]) == 0
    assert "there" in capsys.readouterr().out


def test_options_players_and_positions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Plays are those of a setting, a number of players and a position."""
    path = spec(tmp_path)
    assert main(["playouts", path, "--plays", "20", "--players", "3", "--option", "goal=30", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["results"]
    assert (found["players"], found["options"]["goal"]) == (3, "30")
    assert found["steps"]["min"] >= 13
    assert main(["playouts", path, "--plays", "20", "--at", "{place: {0: 9, 1: 9}}", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["results"]
    assert found["steps"]["max"] == 1


def test_stuck_cut_and_faulty_plays_are_findings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where nobody can go on, or the rules have no value, the first such play is named; a cut one is only counted."""
    assert main(["playouts", spec(tmp_path, STUCK), "--plays", "30"]) == 1
    out = capsys.readouterr().out
    assert "stuck: nobody has a move and nothing ended the play (first: play " in out
    number = re.search(r"see it: tablelaw playouts \S+ --show (\d+)", out)
    assert number is not None
    assert main(["playouts", spec(tmp_path, STUCK), "--show", number[1]]) == 1
    assert "stuck" in capsys.readouterr().out
    assert main(["playouts", spec(tmp_path, FAULT), "--plays", "30"]) == 1
    out = capsys.readouterr().out
    assert "stopped by a fault of the rules" in out
    assert "`place` leaves its range" in out
    number = re.search(r"--show (\d+)", out)
    assert number is not None
    assert main(["playouts", spec(tmp_path, FAULT), "--show", number[1]]) == 1
    assert "the rules have no value here" in capsys.readouterr().out
    assert main(["playouts", spec(tmp_path), "--plays", "5", "--limit", "3"]) == 0
    assert "5  cut at the limit of steps (first: play 0)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [(["--plays", "0"], "not a number above 0"), (["--show", "-1"], "plays are numbered from 0"),
     (["--at", "{place: {0: 99}}"], "99"), (["--players", "7"], "2 to 3 players")],
)  # fmt: skip
def test_what_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    """Each with a message and exit status 2."""
    assert main(["playouts", spec(tmp_path), *words]) == 2
    assert said in capsys.readouterr().err


def test_sampled_answers_are_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`check --sample` changes nothing where there is an answer anyway."""
    assert main(["check", spec(tmp_path), "--question", "home", "--sample", "50", "--json"]) == 0
    (found,) = json.loads(capsys.readouterr().out)["results"]
    assert (found["verdict"], found["known_by"] != "sampled") == ("holds", True)
