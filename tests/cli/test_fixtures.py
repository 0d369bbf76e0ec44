"""`tablelaw fixtures` and `tablelaw mutants`: what they write is true, the same every time, and obeys its schema."""

from __future__ import annotations

import csv
import importlib.util
import io
import itertools
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tablelaw.checkers.fixture_set import Maker
from tablelaw.checkers.fixtures import digest_of
from tablelaw.checkers.mutants import mutants, survivors
from tablelaw.cli import main
from tablelaw.report.fixtures import written
from tablelaw.solver.evaluate import State
from tablelaw.solver.legality import forbidding
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.load import load
from tablelaw.testing.adapter import Adapter

ROOT = Path(__file__).resolve().parent.parent.parent
SCHEMA = jsonschema.Draft202012Validator(json.loads((ROOT / "docs" / "fixture.schema.json").read_text(encoding="utf-8")))
SETS = {
    "carcassonne-dice": "rules.yaml",
    "line-dice": "rules.yaml",
    "carcassonne": "flying_machines.yaml",
    "calavera": "rules.yaml",
}
TOY = """
tablelaw: 1
game: toy
title: Toy
players: 2
options:
  last: {kind: reading, question: "Who wins?", values: [taker, other], default: taker}
types: {Left: 0..5}
state:
  turn: {type: Player, init: 0}
  left: {type: Left, init: 5}
  calm: {type: bool, init: false}
actions:
  take:
    by: turn
    params: {n: 1..2}
    require:
      - {id: enough, cite: toy#a-1, check: n <= left}
      - {id: one-of-odd, cite: toy#a-2, check: n == 1 or left % 2 == 0}
      - {id: unless-calm, excepts: one-of-odd, check: calm}
    do:
      - left -= n
      - {id: calms, cite: toy#b-1, when: left == 3, do: calm = true}
      - {id: passes, do: turn = after(turn)}
  roll:
    by: turn
    require: [{id: never-two, check: "False"}]
    chance: {pips: die(2)}
    do: left -= pips
end:
  - {id: empty, when: left == 0, winners: "{before(turn)} if option('last') == 'taker' else {turn}"}
sources: {toy: {title: Toy, language: en}}
"""

MEADOW = """
tablelaw: 1
game: meadow
title: Meadow
players: 1
options:
  edition: {kind: edition, question: "Which tiles?", values: [one, two], default: one}
pieces:
  Tile:
    parts: {grass: {at: sides}, flower: {at: inside}}
    contact: "true"
    faces:
      lawn:
        - {only: {edition: one}, grass: [[N, E, S, W]]}
        - {only: {edition: two}, grass: [[N, E, S, W]], flower: {}}
state:
  table: {type: "layout[Tile, 1, 1]", init: {}}
  picked: {type: bool, init: false}
actions:
  lay:
    by: 0
    require: [{id: one-tile, check: size(table) == 0}]
    do: table = place(table, (0, 0), lawn, 0)
  pick:
    by: 0
    require: [{id: a-flower, check: "any(p.kind == flower for p in parts(table, (0, 0)))"}]
    do: picked = true
  rest: {by: 0, do: picked = picked}
"""


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    """The toy game in a file."""
    path = tmp_path / "toy.yaml"
    path.write_text(TOY, encoding="utf-8")
    return path


def entries(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(list(words))
    out = capsys.readouterr()
    return status, out.out, out.err


REACHED: dict[str, State] = {}
"""Where plays have led to, so far as some test took their steps."""


def holds(entry: dict[str, Any], spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each sentence of a fixture, by the reference evaluator."""
    SCHEMA.validate(entry)
    monkeypatch.setenv("TABLELAW_SPEC", str(spec))

    game = Adapter(entry["game"], entry["options"], entry["players"])
    game.place(entry["from"])
    way = json.dumps([str(spec), entry["options"], entry["players"], entry["from"]])
    for step in entry["play"]:
        way += f"\n{step}"
        if way not in REACHED:  # many plays of a set begin alike
            game.play(step)
            REACHED[way] = game.state
        game.state = REACHED[way]
    here = game.state
    assert game.position() == entry["position"]
    assert (game.ended(), game.winners()) == (entry["ended"] is not None, entry["winners"])
    legal = game.legal()
    assert (len(legal), digest_of(legal)) == (entry["legal_count"], entry["legal_sha256"])
    assert set(entry["legal"]) <= set(legal)
    for x in entry["illegal"]:
        assert x["move"] not in legal
        line = game.reader.move_line(_scalar(x["move"]))
        if line is not None and line.action is not None:
            assert list(forbidding(game.game, game.state, line.action, dict(line.args)).clauses) == x["clauses"]
    for o in entry["outcomes"]:
        game.state = here  # a state is never changed: the play that led to it need not be played again
        game.play(o["move"] + (f" -> {o['draw']}" if o["draw"] else ""))
        assert game.position() == {**entry["position"], **o["changed"]}
        assert (game.ended(), game.winners()) == (o["ended"] is not None, o["winners"])


def _scalar(text: str) -> Any:
    from tablelaw.spec.source import Source
    from tablelaw.spec.yaml_nodes import Scalar

    source = Source("move", text)
    return Scalar(text, "plain", source.span(0, len(text)), tuple(range(len(text) + 1)))


def test_every_sentence_of_a_fixture_holds(
    toy: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Positions, moves, clauses and outcomes are those of the evaluator."""
    status, out, _ = run(capsys, "fixtures", str(toy))
    assert status == 0
    found = entries(out)
    assert len({e["id"] for e in found}) == len(found)
    for e in found:
        holds(e, toy, monkeypatch)


def test_a_toy_game_is_covered(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each clause both ways, the exception, both ends, the reading; what cannot come up is said to be proved."""
    _, out, err = run(capsys, "fixtures", str(toy), "--coverage")
    covers = {c for e in entries(out) for c in e["covers"]}
    assert covers >= {
        "allows:enough", "refuses:enough", "refuses:one-of-odd", "lifts:one-of-odd:unless-calm", "happens:calms", "idle:calms",
        "meet:calms:passes", "ends:empty", "parts:last:taker:other", "value:left = 0", "value:left = 5", "value:calm = true",
    }  # fmt: skip
    assert "a move is legal for which `never-two` was asked: " in " ".join(err.split())
    assert "not shown:" not in err
    assert "toy#a " in err
    assert "toy#b " in err


def test_a_reading_gives_a_pair(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two fixtures with the same play and position, under the two values, that tell different things."""
    _, out, _ = run(capsys, "fixtures", str(toy))
    pair = [e for e in entries(out) if "parts:last:taker:other" in e["covers"]]
    assert {e["options"]["last"] for e in pair} == {"taker", "other"}
    assert pair[0]["play"] == pair[1]["play"]
    assert pair[0]["position"] == pair[1]["position"]
    assert [o["winners"] for o in pair[0]["outcomes"]] != [o["winners"] for o in pair[1]["outcomes"]] or (
        pair[0]["winners"] != pair[1]["winners"]
    )


def test_the_same_bytes_whatever_the_hash_seed(toy: Path) -> None:
    """Two processes with other hashes of texts write the same file."""
    command = [sys.executable, "-m", "tablelaw", "fixtures", str(toy), "--limit", "30"]
    said = [
        subprocess.run(command, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True).stdout
        for seed in ("1", "2")
    ]
    assert said[0] == said[1]
    assert said[0]


@pytest.mark.parametrize("limit", [1, 5, 20])
def test_the_limit_is_kept(toy: Path, capsys: pytest.CaptureFixture[str], limit: int) -> None:
    """As many as were asked for, where there are so many positions."""
    assert len(entries(run(capsys, "fixtures", str(toy), "--limit", str(limit))[1])) == limit


def test_mutants_that_survive_are_the_same_game(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Only what is about the action that is never legal is not noticed, and that is proved."""
    status, out, _ = run(capsys, "mutants", str(toy), "--json")
    told = json.loads(out)["results"][0]
    assert status == 0
    assert told["noticed"] + told["equivalent"] == told["mutants"] > told["noticed_by_random_plays"] + told["equivalent"] - 1
    assert {s["clause"] for s in told["survivors"]} <= {"roll", "never-two"}


def test_without_fixtures_nothing_is_noticed(toy: Path) -> None:
    """The score can fail: no fixtures notice no mutants, and the first alone not all."""
    rules = load(str(toy), Diagnostics())
    assert rules is not None
    found = Maker(rules, {}, None).make()
    every = list(mutants(found.base.game))
    mine = [f for f in found.fixtures if f.game is found.base.game]
    assert len(survivors(every, [])) == len(every)
    assert len(survivors(every, mine)) < len(survivors(every, mine[:1])) < len(every)


def test_a_changed_game_fails_the_pytest_file(toy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The pytest file runs as it stands, and goes red for an implementation that differs."""
    file = tmp_path / "test_written.py"
    assert run(capsys, "fixtures", str(toy), "--format", "pytest", "--out", str(file))[0] == 0
    changed = tmp_path / "changed.yaml"
    changed.write_text(TOY.replace("left == 3, do", "left == 2, do"), encoding="utf-8")
    for spec, status in ((toy, 0), (changed, 1)):
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(file)]
        env = {**os.environ, "TABLELAW_SPEC": str(spec)}
        assert subprocess.run(command, env=env, capture_output=True, check=False, cwd=tmp_path).returncode == status


def test_csv_and_sentences(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each has every fixture; the sentences name clauses."""
    ids = {e["id"] for e in entries(run(capsys, "fixtures", str(toy))[1])}
    rows = list(csv.DictReader(run(capsys, "fixtures", str(toy), "--format", "csv")[1].splitlines()))
    assert {r["id"] for r in rows} == ids
    assert {r["legal"] for r in rows} == {"", "yes", "no"}
    text = run(capsys, "fixtures", str(toy), "--format", "feature")[1]
    assert text.startswith("# rules ")
    assert text.count("  Scenario: ") == len(ids)
    assert "is forbidden by one-of-odd" in " ".join(text.split())


def written_sets(toy: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[list[dict[str, Any]]]:
    """Sets to be written: of a toy game, from a position, and those of the rulebooks."""
    yield entries(run(capsys, "fixtures", str(toy))[1])
    yield entries(run(capsys, "fixtures", str(toy), "--at", "{left: 3, turn: 1, calm: true}")[1])
    for path in sorted((ROOT / "examples").glob("*/fixtures/*.jsonl")):
        yield entries(path.read_text(encoding="utf-8"))


KEYWORDS = ("Given ", "When ", "Then ", "And ", "But ")


def test_each_step_of_a_feature_is_one_line(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Gherkin knows no second line of a step, so none is wrapped, however long it is; its own parser reads all of it."""
    longest = 0
    for found in written_sets(toy, capsys):
        text = "".join(written(found, "feature"))
        steps = [r.strip() for r in text.splitlines()[2:] if r.strip() and not r.lstrip().startswith(("#", "Scenario: "))]
        assert all(s.startswith(KEYWORDS) for s in steps)
        longest = max(longest, *map(len, steps))
        if importlib.util.find_spec("gherkin") is None:
            continue
        parser, scanner = (importlib.import_module(f"gherkin.{name}") for name in ("parser", "token_scanner"))
        children = parser.Parser().parse(scanner.TokenScanner(text))["feature"]["children"]
        assert [c["scenario"]["name"] for c in children] == [e["id"] for e in found]
        assert [f"{s['keyword']}{s['text']}" for c in children for s in c["scenario"]["steps"]] == steps
    assert longest > 1_000


def test_a_row_of_csv_is_whole(toy: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each row can be replayed by itself, also where the play begins at a position; all that an entry tells is in its rows."""
    for number, found in enumerate(written_sets(toy, capsys)):
        rows = list(csv.DictReader(io.StringIO("".join(written(found, "csv")), newline="")))
        assert [i for i, _ in itertools.groupby(r["id"] for r in rows)] == [e["id"] for e in found]
        for e in found:
            mine = [r for r in rows if r["id"] == e["id"]]
            first, *others = mine
            assert (first["move"], first["ended"]) == ("", e["ended"] or "")
            assert first["winners"].split() == [str(w) for w in e["winners"]]
            assert {r["move"] for r in others if r["legal"] == "yes"} >= set(e["legal"])
            assert {r["move"] for r in others if r["legal"] == "no"} == {x["move"] for x in e["illegal"]}
            for r in mine:
                start = json.loads(r["from"]) if r["from"] else None
                assert (start, [s for s in r["play"].split("; ") if s]) == (e["from"], e["play"])
                assert (int(r["steps_before"]), int(r["legal_count"])) == (e["steps_before"], e["legal_count"])
                assert (r["legal_sha256"], r["to_move"].split()) == (e["legal_sha256"], [str(w) for w in e["to_move"]])
                assert dict(p.split("=") for p in r["options"].split()) == e["options"]
        if number < 2:
            replay(rows, toy, monkeypatch)


def replay(rows: list[dict[str, str]], spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each row by itself, by the evaluator."""
    monkeypatch.setenv("TABLELAW_SPEC", str(spec))
    for r in rows:
        game = Adapter("toy", dict(p.split("=") for p in r["options"].split()), int(r["players"]))
        game.place(json.loads(r["from"]) if r["from"] else None)
        for step in filter(None, r["play"].split("; ")):
            game.play(step)
        position = json.loads(r["position"])
        assert game.position() == position
        assert r["legal"] == "" or (r["move"] in game.legal()) == (r["legal"] == "yes")
        if r["changed"]:
            game.play(r["move"] + (f" -> {r['draw']}" if r["draw"] else ""))
            assert game.position() == {**position, **json.loads(r["changed"])}
        if r["changed"] or not r["move"]:
            assert (game.ended(), " ".join(map(str, game.winners()))) == (r["ended"] != "", r["winners"])


def test_no_half_file(toy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A stop while writing leaves the old file as it was and nothing beside it."""
    from tablelaw.spec.source import write_whole

    file = tmp_path / "kept.jsonl"
    file.write_text("old", encoding="utf-8")

    def pieces() -> Any:
        yield "new"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_whole(file, pieces())
    assert file.read_text(encoding="utf-8") == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["kept.jsonl", "toy.yaml"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--out", "{dir}"), "is no name of a file"),
        (("--out", "{dir}/none/x.jsonl"), "there is no folder"),
        (("--option", "last=nobody"), "is not a value of option"),
        (("--at", "{left: 9}"), "error"),
        (("--limit", "0"), "is not a number above 0"),
    ],
)
def test_bad_arguments(
    toy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], says: str
) -> None:
    """Each is told, with the exit status of a bad request."""
    status, out, err = run(capsys, "fixtures", str(toy), *(w.replace("{dir}", str(tmp_path)) for w in words))
    assert status == 2
    assert says in err
    assert not out


def test_a_time_that_cuts_says_so(toy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit status 3, and the reason."""
    status, _, err = run(capsys, "fixtures", str(ROOT / "examples/calavera"), "--time", "0.5", "--limit", "3")
    assert status == 3
    assert "cut: the time of 0.5 s is over" in err


def test_a_set_that_is_broken_off_by_the_watch_is_told_as_far_as_it_is(
    toy: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fixtures so far, exit status 3 and the reason; Ctrl-C leaves nothing."""
    from tablelaw.cli import watchdog

    def stop(self: Maker) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Maker, "deeper", stop)
    assert run(capsys, "fixtures", str(toy)) == (3, "", "stopped before the set was whole: nothing was written\n")
    monkeypatch.setattr(watchdog, "heard", lambda: ": the time of 1 s is over")
    status, out, err = run(capsys, "fixtures", str(toy))
    assert status == 3
    assert entries(out)
    assert "cut: the time of 1 s is over" in err


def test_from_a_position(toy: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Plays begin there."""
    _, out, _ = run(capsys, "fixtures", str(toy), "--at", "{left: 3, turn: 1}", "--alone")
    found = entries(out)
    assert {json.dumps(e["from"]) for e in found} == {json.dumps({"turn": 1, "left": 3, "calm": False})}
    for e in found:
        holds(e, toy, monkeypatch)


@pytest.mark.parametrize("name", SETS)
def test_committed_sets_are_of_these_rules(name: str) -> None:
    """Every entry obeys the schema and is of the rules file as it stands."""
    file = ROOT / "examples" / name / "fixtures" / "rules.jsonl"
    rules = load(str(ROOT / "examples" / name / SETS[name]), Diagnostics())
    assert rules is not None
    found = entries(file.read_text(encoding="utf-8"))
    assert 0 < len(found) <= 60
    assert file.stat().st_size <= 300_000
    for e in found:
        SCHEMA.validate(e)
        assert e["spec_hash"] == rules.digest, "run the slow tests with TABLELAW_RESET=1"


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_committed_sets_are_what_the_tool_writes(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Byte by byte; TABLELAW_RESET=1 writes them anew."""
    spec, file = ROOT / "examples" / name / SETS[name], ROOT / "examples" / name / "fixtures" / "rules.jsonl"
    out = file if os.environ.get("TABLELAW_RESET") else tmp_path / "rules.jsonl"
    out.parent.mkdir(exist_ok=True)
    assert run(capsys, "fixtures", str(spec), "--limit", "60", "--out", str(out))[0] == 0
    assert out.read_bytes() == file.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_committed_sets_hold(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each sentence of every other entry, by the reference evaluator."""
    file = ROOT / "examples" / name / "fixtures" / "rules.jsonl"
    for e in entries(file.read_text(encoding="utf-8"))[::2]:
        holds(e, ROOT / "examples" / name / SETS[name], monkeypatch)


def test_where_an_option_makes_a_piece_otherwise_the_games_part(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same tile lies in both, with a flower in one alone: each side is looked at with its own pieces."""
    spec = tmp_path / "meadow.yaml"
    spec.write_text(MEADOW, encoding="utf-8")
    found = entries(run(capsys, "fixtures", str(spec))[1])
    apart = {e["options"]["edition"]: e for e in found if "parts:edition:one:two" in e["covers"]}
    assert {k: (e["play"], e["legal"]) for k, e in apart.items()} == {
        "one": (["lay"], ["rest"]),
        "two": (["lay"], ["pick", "rest"]),
    }
    for e in found:
        holds(e, spec, monkeypatch)


def test_a_fixture_from_a_given_position_tells_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A scenario that begins in a position of its own leads to fixtures that can be played again."""
    spec = tmp_path / "meadow.yaml"
    scenario = 'scenarios:\n  laid: {given: {table: {"(0, 0)": lawn}, picked: true}, play: [rest]}\n'
    spec.write_text(MEADOW + scenario, encoding="utf-8")
    found = entries(run(capsys, "fixtures", str(spec))[1])
    assert any(e["from"] is not None for e in found)
    for e in found:
        holds(e, spec, monkeypatch)
