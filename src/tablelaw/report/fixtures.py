"""Fixtures as text: JSON Lines, CSV, a pytest file, and sentences that begin with Given, When and Then."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator
from typing import Any

Entry = dict[str, Any]
FORMATS = ("jsonl", "pytest", "csv", "feature")
OUTCOME = ("draw", "probability", "changed", "ended", "winners")
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode


def written(entries: Iterable[Entry], form: str) -> Iterator[str]:
    """The pieces of a file of fixtures."""
    return {"jsonl": jsonl, "pytest": as_pytest, "csv": as_csv, "feature": as_feature}[form](entries)


def jsonl(entries: Iterable[Entry]) -> Iterator[str]:
    """A line of JSON for each."""
    for e in entries:
        yield _encode(e) + "\n"


SHARED = (
    "id", "options", "players", "from", "steps_before", "play", "position", "to_move", "legal_count", "legal_sha256",
)  # fmt: skip
"""What all rows of a fixture have alike."""
COLUMNS = (*SHARED, "move", "legal", "clauses", *OUTCOME)


def as_csv(entries: Iterable[Entry]) -> Iterator[str]:
    """A row for each position, then one for each legal move that is listed, each illegal one and each outcome."""
    yield _row(COLUMNS)
    for e in entries:
        start = "" if e["from"] is None else _encode(e["from"])
        play, position = "; ".join(e["play"]), _encode(e["position"])
        shared = (
            e["id"], _options(e["options"]), e["players"], start, e["steps_before"], play, position, _several(e["to_move"]),
            e["legal_count"], e["legal_sha256"],
        )  # fmt: skip
        head = _row(shared)[:-1] + ","
        told = {o["move"] for o in e["outcomes"]}
        yield head + _row(("", "", "", "", "", "", e["ended"] or "", _several(e["winners"])))
        for o in e["outcomes"]:
            won = _several(o["winners"])
            then = (o["draw"] or "", o["probability"], _encode(o["changed"]), o["ended"] or "", won)
            yield head + _row((o["move"], "yes", " ".join(o["clauses"]), *then))
        for m in e["legal"]:
            if m not in told:
                yield head + _row((m, "yes", "", "", "", "", "", ""))
        for x in e["illegal"]:
            yield head + _row((x["move"], "no", " ".join(x["clauses"]), "", "", "", "", ""))


def _row(values: Iterable[object]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerow(values)
    return out.getvalue()


def _several(values: list[Any]) -> str:
    return " ".join(map(str, values))


def _options(options: dict[str, str]) -> str:
    return " ".join(f"{k}={v}" for k, v in options.items())


# sentences


def as_feature(entries: Iterable[Entry]) -> Iterator[str]:
    """Gherkin: one feature, a scenario for each fixture. A step is one line, however long: Gherkin knows no other."""
    name = ""
    for e in entries:
        if e["game"] != name:
            name = e["game"]
            yield f"# rules {e['spec_hash']}, written by tablelaw {e['version']}\nFeature: {name}\n"
        yield "\n" + "\n".join(_scenario(e)) + "\n"


def _scenario(e: Entry) -> list[str]:
    rows = [f"  Scenario: {e['id']}", *(f"    # {why}" for why in e["why"])]
    rows.append(_step(f"Given {e['players']} players" + (f", with {_options(e['options'])}" if e["options"] else "")))
    if e["from"] is not None:
        rows.append(_step(f"And the play begins at the position {_encode(e['from'])}"))
    if e["play"]:
        rows.append(_step("And these moves have been played: " + "; ".join(e["play"])))
    rows.append(_step(f"Then the position is {_encode(e['position'])}"))
    if e["ended"] is not None:
        rows.append(_step(f"And the play is over by {e['ended']}, {_won(e['winners'])}"))
    if e["legal"]:
        more = e["legal_count"] - len(e["legal"])
        told = ", ".join(e["legal"]) + (f", and {more} more" if more else "")
        rows.append(_step(f"And the legal moves are {told}"))
    else:
        rows.append(_step("And no move is legal"))
    rows += [_step(f"But {x['move']} is forbidden by {_and(x['clauses'])}") for x in e["illegal"]]
    for o in e["outcomes"]:
        drawn = f" and {o['draw']} comes, with probability {o['probability']}" if o["draw"] else ""
        rows.append(_step(f"When from this position {o['move']} is played{drawn}"))
        changed = ", ".join(f"{k} is {_encode(v)}" for k, v in o["changed"].items())
        rows.append(_step(f"Then {changed or 'nothing changes'}, by {_and(o['clauses'])}"))
        if o["ended"] is not None:
            rows.append(_step(f"And the play is over, {_won(o['winners'])}"))
    return rows


def _step(text: str) -> str:
    return "    " + text


def _and(names: list[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def _won(winners: list[int]) -> str:
    if not winners:
        return "and nobody has won"
    if len(winners) == 1:
        return f"and player {winners[0]} has won"
    return f"and players {_and([str(w) for w in winners])} have won"


# a pytest file

_HEAD = '''"""Fixtures of `{game}` (rules {spec_hash}, written by tablelaw {version}), to be held against a program.

Put in the place of `adapter` a module of your own, by the variable TABLELAW_ADAPTER, with one class:

    class Adapter:
        def __init__(self, game, options, players): ...
        def place(self, position): ...     # the whole position, as JSON has it; None: the start
        def play(self, step): ...          # "take(n=2)", or "roll -> pips=3" with what was drawn
        def position(self): ...            # the whole position, in the same form
        def legal(self): ...               # the legal moves, as texts
        def ended(self): ...               # is the play over?
        def winners(self): ...             # who has won, as a list of seats

Without one, tablelaw itself is held against them; TABLELAW_SPEC names the rules file then.
"""

import hashlib
import importlib
import json
import os

import pytest

FIXTURES = [
'''

_TAIL = '''
]
FIXTURES = [json.loads(line) for line in FIXTURES]


def digest(moves):
    return hashlib.sha256(b"".join(m + b"\\n" for m in sorted(m.encode() for m in moves))).hexdigest()


@pytest.fixture(params=FIXTURES, ids=lambda f: f["id"])
def fixture(request):
    return request.param


def at(fixture):
    module = importlib.import_module(os.environ.get("TABLELAW_ADAPTER", "tablelaw.testing.adapter"))
    game = module.Adapter(fixture["game"], fixture["options"], fixture["players"])
    game.place(fixture["from"])
    for step in fixture["play"]:
        game.play(step)
    return game


def test_position(fixture):
    """The play leads to the position, and it is over or not."""
    game = at(fixture)
    assert game.position() == fixture["position"]
    assert bool(game.ended()) == (fixture["ended"] is not None)
    assert sorted(game.winners()) == fixture["winners"]


def test_moves(fixture):
    """All legal moves are legal, and no others."""
    legal = list(at(fixture).legal())
    assert not [m for m in fixture["legal"] if m not in legal]
    assert not [x for x in fixture["illegal"] if x["move"] in legal]
    assert len(legal) == fixture["legal_count"]
    assert digest(legal) == fixture["legal_sha256"]


def test_outcomes(fixture):
    """What comes of moves."""
    for o in fixture["outcomes"]:
        game = at(fixture)
        game.play(o["move"] + (" -> " + o["draw"] if o["draw"] else ""))
        assert game.position() == {**fixture["position"], **o["changed"]}
        assert bool(game.ended()) == (o["ended"] is not None)
        assert sorted(game.winners()) == o["winners"]
'''


def as_pytest(entries: Iterable[Entry]) -> Iterator[str]:
    """A test file that holds an implementation against each fixture."""
    first = True
    for e in entries:
        if first:
            first = False
            head = _HEAD
            for key in ("game", "spec_hash", "version"):
                head = head.replace("{" + key + "}", str(e[key]))
            yield head
        yield f"    {_encode(e)!r},  # noqa: E501\n"
    if not first:
        yield _TAIL.lstrip("\n")
