"""Carcassonne's base game by hand, in plain Python: sets of places and a flood fill, and nothing of tablelaw.

It reads the tiles of `examples/carcassonne/data/tiles_base.yaml` and follows the rules as everybody knows them. Tests play
the same games in both and compare what is legal and every score; `benchmarks/carcassonne.py` compares how fast they are.
"""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import yaml

DATA = Path(__file__).resolve().parent.parent / "examples" / "carcassonne" / "data" / "tiles_base.yaml"
BEYOND = {"N": (0, -1), "E": (1, 0), "S": (0, 1), "W": (-1, 0)}
OPPOSITE = {"N": "S", "E": "W", "S": "N", "W": "E"}
SIDES = "NESW"
ROUND = ["Nw", "Ne", "En", "Es", "Se", "Sw", "Ws", "Wn"]
FOLLOWERS = 7
Spot = tuple[int, int]
Node = tuple[int, int, str, int]
"""A square, a kind of feature, and the number of the segment among those of its kind on the tile."""


def side_after(side: str, turns: int) -> str:
    """Where a side goes."""
    return SIDES[(SIDES.index(side) + turns) % 4]


def half_after(half: str, turns: int) -> str:
    """Where a half of a side goes."""
    return ROUND[(ROUND.index(half) + 2 * turns) % 8]


class Tile:
    """A tile that lies turned: its segments by kind, each the places that it reaches."""

    def __init__(self, entry: dict[str, Any], turns: int) -> None:
        self.name, self.turns = str(entry["id"]), turns
        self.edges = {side_after(s, turns): str(kind) for s, kind in entry["edges"].items()}
        self.reach: dict[str, list[frozenset[str]]] = {
            "city": [frozenset(side_after(s, turns) for s in c["edges"]) for c in entry["cities"]],
            "road": [frozenset(side_after(s, turns) for s in r["edges"]) for r in entry["roads"]],
            "field": [frozenset(half_after(h, turns) for h in f["half_edges"]) for f in entry["fields"]],
            "monastery": [frozenset()] if entry["monastery"] else [],
        }
        self.shields = [int(c["shields"]) for c in entry["cities"]]
        self.beside = [list(map(int, f["touches_cities"])) for f in entry["fields"]]

    @property
    def look(self) -> frozenset[tuple[str, frozenset[str]]]:
        """What tells turned tiles apart."""
        return frozenset((kind, reach) for kind, segments in self.reach.items() for reach in segments)


def tiles() -> tuple[dict[str, list[Tile]], Counter[str], str]:
    """Every tile in its four positions, how many of each are drawn, and the one that lies at first."""
    with DATA.open(encoding="utf-8") as file:
        read = yaml.safe_load(file)
    every = {str(e["id"]): [Tile(e, turns) for turns in range(4)] for e in read["tiles"]}
    counts = Counter({str(e["id"]): int(e["count"]) for e in read["tiles"]})
    first = str(read["start_tile"])
    counts[first] -= 1
    return every, counts, first


TILES, BOX, FIRST = tiles()


class Table:
    """A game in progress."""

    def __init__(self, players: int = 2) -> None:
        self.laid: dict[Spot, Tile] = {(0, 0): TILES[FIRST][0]}
        self.figures: list[tuple[int, Node]] = []
        self.reserve = [FOLLOWERS] * players
        self.score = [0] * players

    def fits(self, name: str) -> list[tuple[Spot, int]]:
        """Where and how a tile may be laid; what looks the same once."""
        empty = {(x + dx, y + dy) for x, y in self.laid for dx, dy in BEYOND.values()} - set(self.laid)
        found = []
        for x, y in sorted(empty):
            seen = set()
            for tile in TILES[name]:
                if tile.look not in seen and all(
                    (n := self.laid.get((x + dx, y + dy))) is None or n.edges[OPPOSITE[s]] == tile.edges[s]
                    for s, (dx, dy) in BEYOND.items()
                ):
                    seen.add(tile.look)
                    found.append(((x, y), tile.turns))
        return found

    def joined(self, node: Node) -> tuple[set[Node], bool]:
        """Everything joined to a segment, and whether it has no open end."""
        found, waiting, closed = {node}, [node], True
        while waiting:
            x, y, kind, number = waiting.pop()
            for place in self.laid[x, y].reach[kind][number]:
                dx, dy = BEYOND[place[0]]
                there = self.laid.get((x + dx, y + dy))
                if there is None:
                    closed = False
                    continue
                facing = OPPOSITE[place[0]] + place[1:]
                for other, reach in enumerate(there.reach[kind]):
                    if facing in reach and (step := (x + dx, y + dy, kind, other)) not in found:
                        found.add(step)
                        waiting.append(step)
        return found, closed

    def around(self, x: int, y: int) -> int:
        """How many of the eight squares around have a tile."""
        return sum((x + dx, y + dy) in self.laid for dx in (-1, 0, 1) for dy in (-1, 0, 1)) - 1

    def free(self, spot: Spot) -> list[Node]:
        """The segments of a tile whose whole feature nobody stands on."""
        standing = {node for _, node in self.figures}
        mine = [(*spot, kind, i) for kind, segments in self.laid[spot].reach.items() for i in range(len(segments))]
        return [node for node in mine if not self.joined(node)[0] & standing]

    def claim(self, player: int, node: Node) -> None:
        """A follower is put on a segment."""
        self.reserve[player] -= 1
        self.figures.append((player, node))

    def pay(self, nodes: set[Node], points: int) -> None:
        """Those with most followers on a feature get its points, and all of them go home."""
        there = Counter(player for player, node in self.figures if node in nodes)
        for player, n in there.items():
            self.reserve[player] += n
            if n == max(there.values()):
                self.score[player] += points
        self.figures = [(p, node) for p, node in self.figures if node not in nodes]

    def city(self, nodes: set[Node]) -> tuple[int, int]:
        """Tiles and shields of a city."""
        return len({(x, y) for x, y, _, _ in nodes}), sum(self.laid[x, y].shields[i] for x, y, _, i in nodes)

    def complete(self, spot: Spot) -> None:
        """Score what the tile on a square completed."""
        x, y = spot
        for kind in ("road", "city"):
            for i in range(len(self.laid[spot].reach[kind])):
                nodes, closed = self.joined((x, y, kind, i))
                if closed:
                    size, shields = self.city(nodes) if kind == "city" else (len({(a, b) for a, b, _, _ in nodes}), 0)
                    self.pay(nodes, 2 * (size + shields) if kind == "city" else size)
        for a in (x - 1, x, x + 1):
            for b in (y - 1, y, y + 1):
                if (a, b) in self.laid and self.laid[a, b].reach["monastery"] and self.around(a, b) == 8:
                    self.pay({(a, b, "monastery", 0)}, 9)

    def finish(self) -> None:
        """Score what is left when the last tile lies."""
        for _, node in list(self.figures):
            if not any(n == node for _, n in self.figures):
                continue  # paid together with another
            nodes, _ = self.joined(node)
            match node[2]:
                case "road":
                    self.pay(nodes, len({(x, y) for x, y, _, _ in nodes}))
                case "city":
                    self.pay(nodes, sum(self.city(nodes)))
                case "monastery":
                    self.pay(nodes, 1 + self.around(node[0], node[1]))
                case "field":
                    beside = {(x, y, "city", c) for x, y, _, i in nodes for c in self.laid[x, y].beside[i]}
                    cities = set()
                    while beside:
                        whole, closed = self.joined(beside.pop())
                        beside -= whole
                        if closed:
                            cities.add(frozenset(whole))
                    self.pay(nodes, 3 * len(cities))


def play(seed: int, players: int = 2) -> list[int]:
    """A game of random moves, every legal one alike; the final scores."""
    chance, table, turn = random.Random(seed), Table(players), 0
    box = list(BOX.elements())
    chance.shuffle(box)
    while box:
        name = box.pop()
        where = table.fits(name)
        if not where:
            continue
        spot, turns = chance.choice(where)
        table.laid[spot] = TILES[name][turns]
        free: list[Node | None] = [None]
        if table.reserve[turn]:
            free += table.free(spot)
        node = chance.choice(free)
        if node is not None:
            table.claim(turn, node)
        table.complete(spot)
        turn = (turn + 1) % players
    table.finish()
    return table.score
