"""What shows a figure: written, walked again by the evaluator alone, and refused when anybody has changed it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tablelaw.checkers.evidence import recheck_all, write_all
from tablelaw.checkers.figures import Figures
from tablelaw.checkers.recheck import Refused
from tablelaw.checkers.selection import Request
from tablelaw.checkers.session import Session
from tablelaw.cli import main
from tablelaw.solver import evaluate
from tablelaw.solver.chance import figures as kept
from tablelaw.solver.chance.ready import Ready
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import Rules, load
from tablelaw.spec.questions import Asked, Reader

GAME = """
tablelaw: 1
game: race
title: Race
players: 2
types: {Col: [red, blue, green]}
state:
  turn: {type: Player, init: 0}
  pot: {type: 0..3, init: 0}
  score: {type: "map[Player, 0..6]", init: 0}
  seen: {type: "bag[Col, 2]", init: bag()}
  times_up: {type: 0..2, init: 0, says: Nothing reads it.}
actions:
  toss:
    by: turn
    during: score[turn] + pot < 3
    require: [{id: reads-all, check: "sum(seen[c] for c in Col) <= 2"}]
    chance: {hand: "roll(2, Col)"}
    do:
      - {id: kept, do: seen = hand}
      - {id: counted, do: times_up = 1}
      - {id: more, when: "hand[red] > 0", do: pot += 1}
      - {id: lost, when: "hand[red] == 0", do: "pot = 0; turn = after(turn)"}
  hold: {by: turn, during: pot > 0, do: "score[turn] += pot; pot = 0; turn = after(turn)"}
  pass_on: {by: turn, during: turn == 1 and pot == 0, do: turn = after(turn)}
end:
  - {id: three, when: "any(score[p] >= 3 for p in Player)", winners: "{p for p in Player if score[p] >= 3}"}
questions:
  best: {odds: 0 in winners(), play: best, who: [0]}
  worst: {odds: 0 in winners(), before: "score[1] == 2", play: worst, who: [1]}
  alike: {odds: "score[0] == 3", play: uniform}
  listed: {odds: 0 in winners(), play: [{hold: "pot >= 2 or score[turn] + pot >= 3"}, toss]}
  tosses: {expected: "2 * times('toss') - times('lost') + score[0]", play: [{hold: "pot >= 2 or score[turn] + pot >= 3"}, toss]}
  soon: {odds: "score[0] > 0", within: 3, play: best, who: [0]}
  counted: {odds: "times('toss') >= 3", play: best, who: [0]}
"""


@pytest.fixture
def rules(tmp_path: Path) -> Rules:
    """A race of two with two dice that have red faces, a variable that nothing reads, and names alike."""
    path = tmp_path / "rules.yaml"
    path.write_text(GAME, encoding="utf-8")
    found = load(str(path), Diagnostics())
    assert found is not None
    return found


def written(rules: Rules, folder: Path, *names: str) -> dict[str, Any]:
    """Ask and write; the index."""
    sink = Diagnostics()
    session = Session(rules, Request(questions=names, seconds=30.0, cores=False), sink)
    results = [r for c in session.selection.cases() if (r := session.ask(c)) is not None]
    assert not sink.has_errors, [d.message for d in sink]
    write_all(folder, results, rules, False)
    found: dict[str, Any] = json.loads((folder / "index.json").read_text())
    return found


def rechecked(rules: Rules, folder: Path) -> tuple[list[dict[str, object]], list[str]]:
    """The rows, and what was refused."""
    sink = Diagnostics()
    rows = recheck_all(folder, rules, sink)
    return rows, [d.message for d in sink]


def change(folder: Path, pattern: str, how: Callable[[dict[str, Any]], object]) -> None:
    """Change the files of a folder."""
    for file in folder.glob(pattern):
        whole = json.loads(file.read_text())
        how(whole)
        file.write_text(json.dumps(whole))


FIGURES = ("best", "worst", "alike", "listed", "tosses", "soon")


def test_figures_are_written_and_hold(rules: Rules, tmp_path: Path) -> None:
    """Of all ways of playing; in positions of the whole game, though some variables were left out and names taken together."""
    folder = tmp_path / "evidence"
    index = written(rules, folder, *FIGURES)
    assert [e["evidence"] for e in index["entries"]] == ["figures"] * len(FIGURES)
    rows, refused = rechecked(rules, folder)
    assert refused == []
    assert [r["verdict"] for r in rows] == ["holds"] * len(FIGURES)
    best = json.loads((folder / index["entries"][0]["file"]).read_text())
    assert any(best["evidence"]["policy"])
    states = json.loads((folder / best["evidence"]["states"]).read_text())
    assert any(s["name"] == "times_up" for s in states["slots"])
    assert found_alike(rules)
    assert "policy" not in json.loads((folder / index["entries"][-1]["file"]).read_text())["evidence"]


def found_alike(rules: Rules) -> bool:
    """Are names taken together in the search itself?"""
    game = rules.game({}, 2, Diagnostics())
    assert game is not None
    asked = Reader(game, Diagnostics(), evaluate.starts(game)[0]).question(rules.document.questions["best"])
    assert asked is not None
    ready = Ready(game, asked)
    return ready.same is not None and ready.left_out == ("times_up",)


def test_what_is_not_kept_says_why(rules: Rules, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counts that are part of the positions; more positions than are kept."""
    index = written(rules, tmp_path / "a", "counted")
    assert index["entries"] == []
    assert "counted" in index["without"][0]["reason"]
    monkeypatch.setattr(kept, "MOST_KEPT", 20)
    index = written(rules, tmp_path / "b", "best")
    assert index["entries"] == []
    assert "positions would have to be kept" in index["without"][0]["reason"]


def other(figure: str) -> str:
    return str(Fraction(figure) / 2 + Fraction(1, 64))


def nowhere(whole: dict[str, Any]) -> None:
    """The policy of a position where there is a choice leads elsewhere."""
    policy = whole["evidence"]["policy"]
    i = next(i for i, told in enumerate(policy) if told)
    policy[i] = [*policy[i], len(policy) - 1]


def worse(whole: dict[str, Any]) -> None:
    """Each position is told the move that another one makes there: all to the first state."""
    whole["evidence"]["policy"] = [None if told is None else [0] for told in whole["evidence"]["policy"]]


TAMPERED: dict[str, Callable[[dict[str, Any]], object]] = {
    "another figure told": lambda w: w.update(value=other(w["value"])),
    "no figure told": lambda w: w.pop("value"),
    "figure of another form": lambda w: w.update(value="0.5"),
    "figure divided by nothing": lambda w: w.update(value="1/0"),
    "another figure of a position": lambda w: w["evidence"]["values"].__setitem__(3, other(w["evidence"]["values"][3])),
    "other figures everywhere": lambda w: w["evidence"].update(values=["1"] * len(w["evidence"]["values"])),
    "no figures anywhere": lambda w: w["evidence"].update(values=["0"] * len(w["evidence"]["values"])),
    "negative figures": lambda w: w["evidence"].update(values=["-1"] * len(w["evidence"]["values"])),
    "a figure too few": lambda w: w["evidence"]["values"].pop(),
    "figures of another kind": lambda w: w["evidence"]["values"].__setitem__(0, 0.5),
    "a move that is none": nowhere,
    "other moves": worse,
    "moves of another kind": lambda w: w["evidence"].update(policy=3),
    "a move too few": lambda w: w["evidence"]["policy"].pop(),
    "no moves": lambda w: w["evidence"].update(policy=[None] * len(w["evidence"]["policy"])),
    "a closed set": lambda w: w["evidence"].update(kind="closed-set"),
    "that it holds": lambda w: w.update(verdict="holds"),
}


@pytest.mark.parametrize("how", TAMPERED.values(), ids=TAMPERED.keys())
def test_a_changed_figure_is_refused(rules: Rules, tmp_path: Path, how: Callable[[dict[str, Any]], object]) -> None:
    """Figures, moves, or what is told of them."""
    folder = tmp_path / "evidence"
    written(rules, folder, "best")
    change(folder, "best*.json", how)
    rows, refused = rechecked(rules, folder)
    assert rows == []
    assert len(refused) == 1


def test_a_position_left_out_is_missed(rules: Rules, tmp_path: Path) -> None:
    """The last of the listed positions with its figure and move: some step leads to it."""
    folder = tmp_path / "evidence"
    written(rules, folder, "best")

    def shorter(w: dict[str, Any]) -> None:
        w.update(count=w["count"] - 1, states=w["states"][: -w["width"]])

    change(folder, "states-*.json", shorter)
    change(folder, "best*.json", lambda w: (w["evidence"]["values"].pop(), w["evidence"]["policy"].pop()))
    rows, refused = rechecked(rules, folder)
    assert rows == []
    assert "not listed" in refused[0]


WAIT = """
tablelaw: 1
game: wait
title: Wait
players: 2
state:
  at: {type: 0..2, init: 0}
actions:
  wait: {by: WHO, during: at == 0, do: at = 0}
  go: {by: WHO, during: at == 0, chance: {coin: die(2)}, do: at = coin}
end:
  - {id: over, when: at > 0}
questions:
  one: {odds: at == 1, play: best, who: [0]}
  mean: {expected: times('go'), play: best, who: [0]}
"""


def waiting(tmp_path: Path, who: int, name: str = "one") -> tuple[Figures, Asked]:
    """A game in which somebody can wait for ever."""
    path = tmp_path / "rules.yaml"
    path.write_text(WAIT.replace("WHO", str(who)), encoding="utf-8")
    rules = load(str(path), Diagnostics())
    assert rules is not None
    game = rules.game({}, 2, Diagnostics())
    assert game is not None
    start = evaluate.starts(game)[0]
    asked = Reader(game, Diagnostics(), start).question(rules.document.questions[name])
    assert asked is not None
    return Figures(game, asked, [start.set("at", i) for i in range(3)], 10.0), asked


def test_waiting_for_ever_brings_nothing_to_who_wants_it(tmp_path: Path) -> None:
    """Any figure from 1/2 satisfies the equation of who may wait; only the one that going makes sure of is taken."""
    figures, _ = waiting(tmp_path, 0)
    figures.show("1/2", ["1/2", "1", "0"], [[1, 2], None, None])
    for value, move in (("1", [0]), ("3/4", [0]), ("1/2", [0]), ("1/2", None), ("1/4", [1, 2]), ("3/4", [1, 2])):
        with pytest.raises(Refused):
            figures.show(value, [value, "1", "0"], [move, None, None])


def test_who_does_not_want_it_may_wait_for_ever(tmp_path: Path) -> None:
    """0 is the figure; 1/2 satisfies the equation too, but nobody can be made to go."""
    figures, _ = waiting(tmp_path, 1)
    figures.show("0", ["0", "1", "0"], [[0], None, None])
    figures.show("0", ["0", "1", "0"], [None, None, None])
    for move in ([0], [1, 2], None):
        with pytest.raises(Refused):
            figures.show("1/2", ["1/2", "1", "0"], [move, None, None])


def test_an_expectation_is_refused_where_the_end_need_not_come(tmp_path: Path) -> None:
    """Whoever it is that may wait."""
    for who in (0, 1):
        figures, _ = waiting(tmp_path, who, "mean")
        with pytest.raises(Refused, match="need not come"):
            figures.show("1", ["1", "0", "0"], [[1, 2], None, None])


def test_a_question_asked_in_another_way_is_refused(rules: Rules) -> None:
    """Choices without a way of playing; several who choose, and for whom is not said; looking back."""
    game = rules.game({}, 2, Diagnostics())
    assert game is not None
    start = evaluate.starts(game)[0]
    reader = Reader(game, Diagnostics(), start)
    best = reader.question(rules.document.questions["best"])
    assert best is not None
    with pytest.raises(Refused):
        Figures(game, best, [start], 10.0)
    counted = reader.question(rules.document.questions["counted"])
    assert counted is not None
    with pytest.raises(Refused, match="counted"):
        Figures(game, counted, [start], 10.0)
    with pytest.raises(Refused, match="how they play"):
        Figures(game, replace(best, play=""), _reachable(rules), 10.0)
    with pytest.raises(Refused, match="for whom"):
        Figures(game, replace(best, players=None), _reachable(rules), 10.0).show("1", None, None)


def _reachable(rules: Rules) -> list[Any]:
    game = rules.game({}, 2, Diagnostics())
    assert game is not None
    found = dict.fromkeys(evaluate.starts(game))
    waiting = list(found)
    while waiting:
        state = waiting.pop()
        for move in evaluate.moves(game, state):
            for drawn, _ in evaluate.draws(game, state, move):
                after = evaluate.apply(game, state, move, drawn).state
                if after not in found:
                    found[after] = None
                    waiting.append(after)
    return list(found)


def test_what_cannot_be_walked_in_its_time_is_unknown(rules: Rules, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With how far it came; nothing is refused."""
    folder = tmp_path / "evidence"
    written(rules, folder, "best")
    assert main(["recheck", rules.path, str(folder), "--time", "0.000001"]) == 3
    assert "best: unknown — walked 0 of" in capsys.readouterr().out
    assert main(["recheck", rules.path, str(folder)]) == 0


def test_what_was_kept_is_told(rules: Rules, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """How many answers have evidence; the figure in its row; and where nothing is kept, that and why, with exit status 3."""
    folder = tmp_path / "evidence"
    check = ["check", rules.path, "--quick", "--evidence", str(folder)]
    main([*check, "--question", "best", "--question", "tosses", "--question", "counted"])
    out = capsys.readouterr().out
    assert "evidence of 2 answers written to" in out
    assert "; 1 has none" in " ".join(out.split())
    values = {e["file"]: json.loads((folder / e["file"]).read_text())["value"] for e in entries(folder)}
    assert main(["recheck", rules.path, str(folder)]) == 0
    out = capsys.readouterr().out
    for file, value in values.items():
        assert f"{file.rpartition('-')[0]}: holds — {value} (about {float(Fraction(value)):.6g}), a figure of" in out
    assert "counted: no evidence — what is counted is a part of its positions" in out
    other = tmp_path / "other"
    assert main(["check", rules.path, "--quick", "--evidence", str(other), "--question", "counted", "--json"]) == 0
    assert "results" in json.loads(capsys.readouterr().out)
    assert main(["recheck", rules.path, str(other)]) == 3
    out = capsys.readouterr().out
    assert "counted: no evidence — what is counted is a part of its positions" in out
    assert "nothing to re-check" in out
    assert main(["recheck", rules.path, str(other), "--json"]) == 3
    told = json.loads(capsys.readouterr().out)
    assert told["results"] == []
    assert told["without"] == [{"question": "counted", "reason": "what is counted is a part of its positions"}]


def entries(folder: Path) -> list[dict[str, Any]]:
    """What an index lists as kept; what it lists as not kept has a reason each."""
    index = json.loads((folder / "index.json").read_text())
    assert all(w["reason"] for w in index["without"])
    found: list[dict[str, Any]] = index["entries"]
    return found
