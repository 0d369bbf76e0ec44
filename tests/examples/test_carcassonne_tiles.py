"""The tiles as parts, against the data files they were written from, and which cities each field touches."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from tablelaw.solver.evaluate import starts
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.features import Feature
from tablelaw.spec.game import Game
from tablelaw.spec.grid import Cell
from tablelaw.spec.layouts import Layout
from tablelaw.spec.load import load
from tablelaw.spec.pieces import Pieces
from tablelaw.spec.values import Map

FOLDER = Path(__file__).resolve().parent.parent.parent / "examples" / "carcassonne"
ORIGIN = Cell(0, 0)


def data(name: str) -> dict[str, Any]:
    """A data file as it stands."""
    read: dict[str, Any] = yaml.safe_load((FOLDER / "data" / name).read_text(encoding="utf-8"))
    return read


@cache
def game(circle: str = "unused") -> Game:
    """The expansion on the base game."""
    sink = Diagnostics()
    rules = load(str(FOLDER / "flying_machines.yaml"), sink)
    assert rules is not None
    made = rules.game({"crop-circle": circle}, 2, sink)
    assert made is not None
    return made


def start(circle: str = "unused") -> dict[str, Any]:
    """The position at the start, by variables."""
    made = game(circle)
    return dict(next(iter(starts(made))))


def feature(lying: Layout, kind: str, place: str) -> Feature:
    """The feature of the part at a place of the one tile that lies."""
    found = lying.part_at(ORIGIN, kind, place)
    assert found is not None
    return lying.feature(found)


def described(name: str, pieces: Pieces) -> dict[str, Any]:
    """A tile as our rules have it, in the words of the data files."""
    of = {k: [p for p in pieces.faces[name] if p.kind == k] for k in ("city", "road", "field", "monastery", "machine")}
    lying = Layout(pieces, 9, cells={ORIGIN: (name, 0)})
    shown = {s: p.kind for k in ("city", "road") for p in of[k] for s in p.at}
    cities = [feature(lying, "city", p.at[0]) for p in of["city"]]
    return {
        "edges": {s: shown.get(s, "field") for s in "NESW"},
        "cities": [(list(p.at), dict(p.attributes)["shields"]) for p in of["city"]],
        "roads": [list(p.at) for p in of["road"]],
        "fields": [
            (list(p.at), [i for i, c in enumerate(cities) if feature(lying, "field", p.at[0]).touches(c)]) for p in of["field"]
        ],
        "monastery": bool(of["monastery"]),
        "flight": [dict(p.attributes)["flight"] for p in of["machine"]],
    }


def expected(tile: dict[str, Any]) -> dict[str, Any]:
    """The same of a tile of the data files."""
    return {
        "edges": tile["edges"],
        "cities": [(c["edges"], c["shields"]) for c in tile["cities"]],
        "roads": [r["edges"] for r in tile["roads"]],
        "fields": [(f["half_edges"], f["touches_cities"]) for f in tile["fields"]],
        "monastery": bool(tile["monastery"]),
        "flight": [tile["flight"]["direction"]] if "flight" in tile else [],
    }


def ours(name: str) -> str:
    return name if len(name) > 1 else f"T{name}"


BASE, FLIER = data("tiles_base.yaml"), data("tiles_flier.yaml")


@pytest.mark.parametrize("tile", [*BASE["tiles"], *FLIER["tiles"]], ids=lambda t: t["id"])
def test_a_tile_is_as_in_the_data(tile: dict[str, Any]) -> None:
    """Sides, joined parts, shields, arrows; fields touch the cities that the data say."""
    position = start()
    assert described(ours(tile["id"]), position["table"].pieces) == expected(tile)


@pytest.mark.parametrize("tile", FLIER["crop_circle_candidates"], ids=lambda t: t["id"])
def test_a_crop_circle_tile_is_as_in_the_data(tile: dict[str, Any]) -> None:
    """Each of the six, where its option puts it into the box."""
    position = start(tile["id"])
    assert described(tile["id"], position["table"].pieces) == expected(tile)
    assert position["box"].get(tile["id"]) == 1


def test_the_box_holds_every_tile_but_the_first() -> None:
    """72 tiles of the base game, one of them on the table, and eight of the expansion."""
    position = start()
    box = position["box"]
    assert isinstance(box, Map)
    counts = {ours(t["id"]): t["count"] for t in [*BASE["tiles"], *FLIER["tiles"]]}
    counts[ours(BASE["start_tile"])] -= 1
    assert {k: n for k, n in box.items() if n} == counts
    assert sum(counts.values()) == BASE["total_tiles"] - 1 + 8
    assert dict(position["table"].cells) == {ORIGIN: (ours(BASE["start_tile"]), 0)}
