"""Graphs to look at: the parts of a layout with their joins, the states of a game with their steps.

Written as DOT, GraphML or JSON.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import Move, State
from tablelaw.solver.layout import reference
from tablelaw.solver.layout.reference import Graph, PartNode
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.symmetry import Symmetry
from tablelaw.solver.trace import Step, move_text, step_text
from tablelaw.spec.core import Expr
from tablelaw.spec.game import Game
from tablelaw.spec.layout_text import cell_text
from tablelaw.spec.layouts import Layout
from tablelaw.spec.operators import Fault
from tablelaw.spec.positions import shown
from tablelaw.spec.reckon import value

Row = dict[str, Any]


def part_name(node: PartNode) -> str:
    """`city (0, 0) N E`; what is inside a piece has no side."""
    return " ".join([node.kind, cell_text(node.cell), *_sides(node)])


def _sides(node: PartNode) -> list[str]:
    return [place for place in reference.POINTS if place in node.at]


def feature_graph(layout: Layout, kinds: list[str]) -> Graph:
    """The parts of these kinds, joined where they touch; each tells of itself and of its feature, numbered from 1.

    Attributes that the rules give to parts have `own_` before their names.
    """
    import networkx as nx

    graph = nx.Graph()
    every = [f for kind in kinds for f in sorted(reference.features(layout, kind), key=lambda f: min(map(_reading, f.nodes)))]
    for number, f in enumerate(every, 1):
        whole = {"feature": number, "size": f.size, "closed": f.closed, "loops": f.loops}
        for node in sorted(f.nodes, key=_reading):
            graph.add_node(part_name(node), **_told(node, f.graph.nodes[node]), **whole)
        graph.add_edges_from(sorted(tuple(sorted(map(part_name, pair))) for pair in f.graph.edges))
    return graph


def _reading(node: PartNode) -> tuple[int, int, list[str]]:
    """Parts in the order in which a table is read, row by row."""
    return node.cell.y, node.cell.x, _sides(node)


def _told(node: PartNode, known: Row) -> Row:
    row: Row = {"label": part_name(node), "kind": node.kind, "cell": cell_text(node.cell), "side": " ".join(_sides(node))}
    row["open"] = len(known["open"])
    for name, own in known["attributes"].items():
        row[f"own_{name}"] = own if isinstance(own, (bool, int)) else "none" if own is None else str(own)
    points = [reference.point_at(node.cell, p) for p in _sides(node)] or [(4 * node.cell.x, 4 * node.cell.y)]
    points.append(points[0])  # nearer to the first, so that two that cross do not lie on each other
    x, y = (sum(p[i] for p in points) / len(points) for i in (0, 1))
    return row | {"pos": f"{x:.2f},{0 - y:.2f}!"}  # y goes up in a drawing


# states


def position_line(game: Game, state: State) -> str:
    """A position on one line."""
    return ", ".join(f"{v.name} {shown(state[v.name], v.type)}" for v in game.variables)


def state_graph(
    game: Game, starts: list[State], limit: int, tell: Callable[[str], None] = lambda _: None
) -> tuple[Graph, list[State]]:
    """The states reachable from these, as the evaluator plays, by number; `capped` of the graph says whether there are more.

    A state carries `steps` (how few lead there), `start`, `ended` and `followed` (false where steps were left out).
    """
    import networkx as nx

    graph = nx.MultiDiGraph(capped=False)
    names: dict[State, str] = {}

    def known(state: State, steps: int) -> str | None:
        if state not in names:
            if len(names) >= limit:
                return None
            names[state] = f"s{len(names)}"
            row = {"label": position_line(game, state), "steps": steps, "start": steps == 0, "ended": False, "followed": True}
            graph.add_node(names[state], **row)
            waiting.append((state, steps))
        return names[state]

    waiting: list[tuple[State, int]] = []
    for state in starts:
        if known(state, 0) is None:
            graph.graph["capped"] = True
            break
    for state, steps in waiting:  # grows while it is walked: breadth first
        here = graph.nodes[names[state]]
        try:
            if (end := evaluate.end(game, state)) is not None:
                won = ", ".join(map(str, sorted(evaluate.winners(game, state))))
                here |= {"ended": True, "by": end.id, "winners": won}
                continue
            if graph.graph["capped"]:
                here["followed"] = False
                continue
            for move, text, after in _steps(game, state):
                if isinstance(after, Fault):
                    here["fault"] = f"{text}: {after.message}"
                    continue
                there = known(after, steps + 1)
                if there is None:
                    graph.graph["capped"], here["followed"] = True, False
                    break
                if not graph.has_edge(names[state], there, key=text):
                    who = "the table" if move.actor is None else str(move.actor)
                    graph.add_edge(names[state], there, key=text, label=text, actor=who)
        except Fault as fault:
            here["fault"] = fault.message
        tell(f"{len(names):,} states")
    return graph, list(names)


def _steps(game: Game, state: State) -> Iterator[tuple[Move, str, State | Fault]]:
    """Each step of a state in words, with the state after it; a step with a fault is not taken."""
    for move in evaluate.moves(game, state):
        try:
            draws = evaluate.draws(game, state, move)
        except Fault as fault:
            yield move, move_text(game, move), fault
            continue
        for drawn, _ in draws:
            out = evaluate.apply(game, state, move, drawn)
            yield move, step_text(game, Step(out.state, move, drawn)), out.fault or out.state


def values_of(game: Game, states: list[State], e: Expr) -> list[str]:
    """What a formula is in each state, in words."""
    found: list[str] = []
    for state in states:
        try:
            found.append(shown(value(e, evaluate.place(game, state)), e.type))
        except Fault as fault:
            found.append(f"no value: {fault.message}")
    return found


def merged(graph: Graph, told: list[str]) -> Graph:
    """The states that are told alike made one: it has their steps, and counts them (`states`)."""
    import networkx as nx

    found = nx.MultiDiGraph(**graph.graph)
    names: dict[str, str] = {}
    of: dict[str, str] = {}
    for text, (node, row) in zip(told, graph.nodes(data=True), strict=True):
        of[node] = name = names.setdefault(text, f"s{len(names)}")
        if name not in found:
            found.add_node(name, label=text, states=0, steps=row["steps"], start=False, ended=False, followed=True)
        whole = found.nodes[name]
        whole["states"] += 1
        whole["start"] |= row["start"]
        whole["ended"] |= row["ended"]
        whole["followed"] &= row["followed"]
        whole["steps"] = min(whole["steps"], row["steps"])
    for a, b, text, row in graph.edges(keys=True, data=True):
        key = f"{row['actor']}: {text}"
        if not found.has_edge(of[a], of[b], key=key):
            found.add_edge(of[a], of[b], key=key, **row)
    return found


def up_to(graph: Graph, game: Game, states: list[State], symmetry: Symmetry, budget: Budget) -> Graph:
    """The states that a symmetry takes into each other made one: it is told as the first of them, and has the steps of that.

    Raises `BrokenSymmetry` where the rules tell a state and its image apart, `OutOfBudget` when that is not known in time.
    """
    symmetry.check(states, lambda _: True, budget)
    first: dict[str, str] = {}
    told: list[str] = []
    small = graph.copy()
    for n, (node, state) in enumerate(zip(graph, states, strict=True)):
        if not n % 16:
            budget.check()
        alike = symmetry.canonical(state)
        if alike in first:
            small.remove_edges_from(list(graph.out_edges(node, keys=True)))
        told.append(first.setdefault(alike, position_line(game, state)))
    return merged(small, told)


# writing


def as_dot(graph: Graph, name: str) -> str:
    """The language of Graphviz. Parts stand where they lie (`neato -n` keeps them there), the parts of a feature in one box."""
    directed = graph.is_directed()
    lines = [f"{'digraph' if directed else 'graph'} {quoted(name)} {{", "  node [shape=box, fontname=sans];"]
    if directed:
        lines.append("  edge [fontname=sans];")
    if graph.graph.get("capped"):
        count = sum(row.get("states", 1) for _, row in graph.nodes(data=True))
        lines.append(f"  label={quoted(f'the first {count} states; there are more')};")
    groups: dict[Any, list[str]] = {}
    boxes: dict[Any, str] = {}
    for node, row in graph.nodes(data=True):
        groups.setdefault(row.get("feature"), []).append(f"{quoted(node)} [{_dot_row(row)}];")
        boxes[row.get("feature")] = _box(row) if "feature" in row else ""
    for number, rows in groups.items():
        if number is None:
            lines += [f"  {row}" for row in rows]
        else:
            lines += [f"  subgraph {quoted(f'cluster {number}')} {{", boxes[number], *(f"    {row}" for row in rows), "  }"]
    arrow = "->" if directed else "--"
    for a, b, row in graph.edges(data=True):
        lines.append(f"  {quoted(a)} {arrow} {quoted(b)}" + (f" [{_dot_row(row)}];" if row else ";"))
    return "\n".join([*lines, "}"]) + "\n"


def _box(row: Row) -> str:
    told = f"{row['kind']} {row['feature']}, size {row['size']}, {'closed' if row['closed'] else 'open'}"
    shade = ' style=filled; fillcolor="#dddddd";' if row["closed"] else ""
    return f"    label={quoted(told)};{shade}"


def _dot_row(row: Row) -> str:
    look: Row = {}
    if row.get("ended"):
        look["peripheries"] = 2
    if row.get("start"):
        look["penwidth"] = 2
    if row.get("followed") is False:
        look["style"] = "dashed"
    plain = {k: str(v).lower() if isinstance(v, bool) else str(v) for k, v in {**row, **look}.items()}
    return ", ".join(f"{k}={quoted(v)}" for k, v in plain.items())


def quoted(text: str) -> str:
    """A text as Graphviz reads it back: quotes, backslashes and line breaks are its own."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\r", "").replace("\n", "\\n") + '"'


def as_graphml(graph: Graph, name: str) -> str:
    """GraphML, as networkx writes it."""
    import networkx as nx

    graph.graph["name"] = name
    return "\n".join(nx.generate_graphml(graph)) + "\n"


def as_json(graph: Graph, name: str) -> str:
    """The node-link form of networkx, with the edges under `edges`."""
    keyed = graph.is_multigraph()
    edges = graph.edges(keys=True, data=True) if keyed else ((a, b, None, row) for a, b, row in graph.edges(data=True))
    whole = {
        "directed": graph.is_directed(),
        "multigraph": keyed,
        "graph": {"name": name, **graph.graph},
        "nodes": [{"id": node, **row} for node, row in graph.nodes(data=True)],
        "edges": [{"source": a, "target": b, **({"key": key} if keyed else {}), **row} for a, b, key, row in edges],
    }
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


FORMATS: dict[str, Callable[[Graph, str], str]] = {"dot": as_dot, "graphml": as_graphml, "json": as_json}
