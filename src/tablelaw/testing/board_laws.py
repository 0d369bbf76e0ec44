"""What the laws about games on boards ask: that search, projection and symmetry agree with the reference evaluator."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from dataclasses import replace
from typing import Any

from tablelaw.solver import evaluate
from tablelaw.solver.boarded import never_falls
from tablelaw.solver.engine import Engines
from tablelaw.solver.explicit import search
from tablelaw.solver.explicit.engine import Explicit
from tablelaw.solver.layout import reference
from tablelaw.solver.projection import Projection
from tablelaw.solver.replay import value_along
from tablelaw.solver.shapes import Unlowerable
from tablelaw.solver.space.graph import Budget, OutOfBudget
from tablelaw.solver.space.rows import Rows
from tablelaw.solver.symmetry import BrokenSymmetry, Image, Symmetry
from tablelaw.solver.trace import Trace
from tablelaw.solver.translator import projected_value
from tablelaw.solver.window import NAME, Window, claim_of
from tablelaw.spec import types as ty
from tablelaw.spec.core import Assign, Binder, Call, Const, Expr, Local, Op, Var
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Action, Game
from tablelaw.spec.grid import SIDES, Cell, Edge, across, step
from tablelaw.spec.layouts import Layout
from tablelaw.spec.operators import Fault
from tablelaw.spec.questions import Asked, Reader, step_needs
from tablelaw.spec.reckon import Place, value
from tablelaw.spec.types import BOOL, ListOf
from tablelaw.spec.values import Map, Value
from tablelaw.testing import naive

MOST = 110
MOST_TRIED = 4_000
WRONG = object()


def asked_of(game: Game) -> dict[str, Asked]:
    """The typed questions of a game; those with a fault are left out."""
    reader = Reader(game, Diagnostics(), evaluate.starts(game)[0])
    found = {}
    for q in game.document.questions.values():
        asked = reader.question(q)
        if asked is not None:
            found[q.id] = asked
    return found


def looked_at(f: Any) -> Value:
    """A value, or that there is none."""
    try:
        return f()
    except Fault:
        return WRONG


# a. the search on values


def check_rows(game: Game, g: naive.Graph) -> None:
    """The same steps, choices, actors, faults and stuck positions."""
    space = Rows(game, (), None)
    names = [v.name for v in game.variables]

    def number(state: evaluate.State) -> int:
        return space.number(tuple(state[n] for n in names))

    assert {space.rows[s] for s in space.states} == {tuple(s[n] for n in names) for s in g.states[: g.starts]}
    ended = space.formula(space.ended)
    for i, found in enumerate(g.steps):
        s = number(g.states[i])
        assert space.state(game, len(names), s) == g.states[i]
        out: list[int] = []
        space.successors(s, out)
        expected = Counter(-1 if x.after is None else number(x.after) for x in found)
        assert Counter(n for n in out if n >= 0) == Counter({k: n for k, n in expected.items() if k >= 0}), g.states[i]
        assert (-1 in out) == (-1 in expected), g.states[i]
        choices: dict[evaluate.Move, list[int]] = {}
        for x in found:
            if x.after is not None and x.move is not None:
                choices.setdefault(x.move, []).append(number(x.after))
        mine = sorted((-1 if m.actor is None else m.actor, sorted(d)) for m, d in choices.items())
        assert sorted((a, sorted(d)) for a, d in space.choices(s)) == mine, g.states[i]
        if not any(x.move is None for x in found):
            assert bool(ended(s)) == g.ended(i), g.states[i]
    if g.whole:
        fresh = Rows(game, (), None)
        fresh.explore(Budget())
        assert len(fresh.states) == len(g.states)
        stuck = {tuple(s[n] for n in names) for i, s in enumerate(g.states) if not g.steps[i] and not g.ended(i)}
        assert {fresh.rows[fresh.states[i]] for i in fresh.stuck} == stuck
        assert bool(fresh.faulty) == g.faulty


def check_values(r: random.Random, game: Game, g: naive.Graph, formulas: list[Expr]) -> None:
    """Formulas of questions have the evaluator's values on positions and steps, whatever has happened before."""
    _, counted = step_needs(list(formulas))
    counters = tuple(sorted(counted))
    space = Rows(game, counters, None)
    names = [v.name for v in game.variables]
    steps = [(i, x) for i, found in enumerate(g.steps) for x in found if x.after is not None]
    for e in formulas:
        coded, fault = (space.formula(c) for c in space.coded(e))
        for i, x in r.sample(steps, min(6, len(steps))):
            assert x.move is not None
            assert x.after is not None
            before = Counter({c: r.randint(0, 2) for c in counters})
            after = naive.happened(before, x, 255)
            p = space.number((*(g.states[i][n] for n in names), *(before[c] for c in counters)))
            n = space.number((*(x.after[n] for n in names), *(after[c] for c in counters)))
            at = evaluate.place(game, x.after)
            old = replace(evaluate.place(game, g.states[i]), names={"actor": None}, times=before.__getitem__)
            here = replace(at, names={"actor": x.move.actor}, before=old, times=after.__getitem__)
            expected = looked_at(lambda e=e, here=here: value(e, here))
            actor = -1 if x.move.actor is None else x.move.actor
            assert bool(fault(p, n, actor)) == (expected is WRONG), (g.states[i], x)
            if expected is not WRONG:
                assert coded(p, n, actor) == expected, (g.states[i], x)
            start = looked_at(lambda e=e, old=old: value(e, old))
            assert bool(fault(p)) == (start is WRONG)
            assert start is WRONG or coded(p) == start


# b. the projection


def narrowed(action: Action, args: dict[str, Value], target: evaluate.State) -> Action:
    """The projected action with the arguments that a real move has, and unknowns that are drawn last as they come out."""
    params = tuple(
        replace(b, tests=(*b.tests, Op("eq", (Local(b.name, type=b.type), Const(args[b.name], type=b.type)), type=BOOL)))
        if b.name in args
        else b
        for b in action.params
    )
    known: dict[str, Value] = {}
    for e in reversed(action.effects):
        if not (isinstance(e, Assign) and e.name.startswith("unknown(")):
            break
        new = e.value.args[0] if isinstance(e.value, Call) and e.value.name == "min" else e.value
        if isinstance(new, Local):
            known[new.name] = target[e.name]
    draws = tuple(
        replace(d, args=(Const((known[d.name],), type=ListOf(d.type, 1)),)) if d.name in known else d for d in action.draws
    )
    return replace(action, params=params, draws=draws)


def allows(projection: Projection, before: evaluate.State, move: evaluate.Move, after: evaluate.State) -> bool | None:
    """Has the projection a step from one projected position to another by this action? None where too much would be tried."""
    game = projection.game
    action = projection.game.action(move.action)
    assert action is not None
    kept = {v.name for v in projection.origin.variables}
    assert kept <= set(before)
    known = {b.name: projection_value(projection, move, b) for b in action.params if b.name in dict(move.args)}
    kept_actions = [a for a in game.actions if a is action or a.by is None]
    small = replace(game, actions=tuple(narrowed(a, known, after) if a is action else a for a in kept_actions))
    tried = 1
    mine = small.action(move.action)
    assert mine is not None
    for b in mine.params:
        if b.name not in known:
            tried *= ty.cardinality(b.type) or 1
    for d in mine.draws:
        tried *= len(d.args[0].value) if d.kind in ("faces", "one_of") and isinstance(d.args[0], Const) else 4
    if tried > MOST_TRIED:
        return None
    for m in evaluate.moves(small, before):
        if m.action == move.action and m.actor == move.actor:
            for drawn in evaluate.sound_draws(small, before, m):
                out = evaluate.apply(small, before, m, drawn)
                if out.fault is None and out.state == after:
                    return True
    return False


def projection_value(projection: Projection, move: evaluate.Move, b: Binder) -> Value:
    """An argument of a real move as the projection has it."""
    action = projection.origin.action(move.action)
    assert action is not None
    kind = next(x.type for x in action.params if x.name == b.name)
    return projected_value(dict(move.args)[b.name], kind)


def shown(window: Window, layout: Layout, edge: Edge) -> Map:
    """What a window at an edge really shows."""
    codes = {laid: i + 1 for i, laid in enumerate(window.lies)}
    here, there = layout.cells.get(edge.cell), layout.cells.get(across(edge).cell)
    return Map([("side", edge.side), ("here", codes[here] if here else 0), ("there", codes[there] if there else 0)])


def edges_about(*layouts: Layout) -> list[Edge]:
    """Every edge that has to do with what lies, and one far off for each side."""
    cells = {Cell(0, 0), Cell(30, 30)}
    for layout in layouts:
        for c in layout.cells:
            cells |= {c, *(step(c, s) for s in SIDES)}
    return [Edge(c, s) for c in sorted(cells) for s in SIDES]


def projections(game: Game, formulas: list[Expr]) -> list[Projection]:
    """The projection with and without progress, and with a window for each claim."""
    found = []
    plain = tuple(f for f in formulas if not isinstance(f, Const))
    for progress in (False, True):
        try:
            found.append(Projection(game, plain, progress))
        except Unlowerable:
            continue
    for f in formulas:
        claim = claim_of(f)
        if claim is not None:
            try:
                p = Projection(game, (), window=Window(claim))
                p.of_window(claim)
                found.append(Projection(game, (), window=Window(claim)))
            except Unlowerable:
                continue
    return found


def check_projection(r: random.Random, game: Game, g: naive.Graph, formulas: list[Expr], seen: Counter[str]) -> None:
    """Every real step is one of the projection; what is stuck is stuck in it; formulas have the same values."""
    steps = [(i, x) for i, found in enumerate(g.steps) for x in found if x.after is not None and x.move is not None]
    steps = r.sample(steps, min(8, len(steps)))
    for projection in projections(game, formulas):
        seen["projections"] += 1
        seen["windows"] += projection.window is not None
        started = [projection.state(s) for s in evaluate.starts(game)]
        for i, x in steps:
            check_step(projection, g.states[i], x, seen)
        if projection.window is None:
            begun = evaluate.starts(projection.game) if len(projection.oracles) < 4 else started
            assert set(started) <= set(begun)
            for i in range(len(g.steps)):
                check_position(projection, g, i, formulas, seen)
        else:
            check_claims(projection, g, steps)


def check_step(projection: Projection, before: evaluate.State, x: naive.Step, seen: Counter[str]) -> None:
    assert x.after is not None
    assert x.move is not None
    pairs = [((), ())]
    one, other = projection.state(before), projection.state(x.after)
    if projection.window is not None:
        table = projection.window.table
        edges = edges_about(before[table], x.after[table])
        windows = {(shown(projection.window, before[table], e), shown(projection.window, x.after[table], e)) for e in edges}
        pairs = [(((NAME, a),), ((NAME, b),)) for a, b in windows]  # type: ignore[misc]
    for a, b in pairs:
        same = [(name, before[v] == x.after[v]) for v, name in projection.kept.items()]
        here, there = Map([*one.items(), *a]), Map([*other.items(), *same, *b])
        for hint in projection.game.hints:
            assert value(hint, Place(here, 2)), ("hint", before)
        found = allows(projection, here, x.move, there)
        seen["step" if found is not None else "step too broad"] += 1
        assert found is not False, (before, x, here, there)


def check_position(projection: Projection, g: naive.Graph, i: int, formulas: list[Expr], seen: Counter[str]) -> None:
    state = g.states[i]
    here = projection.state(state)
    if not any(x.move is None for x in g.steps[i]):
        assert (evaluate.end(projection.game, here) is not None) == g.ended(i), state
        if not g.steps[i] and not g.ended(i) and projection.progress:
            seen["stuck"] += 1
            assert evaluate.moves(projection.game, here) == [], state
    for e in formulas:
        said = projection.formula(e)
        looks, counted = step_needs([e])
        if said is None or counted:
            continue
        if not looks:
            real = read_at(projection.origin, state, e)
            if real is not WRONG:
                seen["formula"] += 1
                assert read_at(projection.game, here, said) == real, (state, e)
            continue
        for x in g.steps[i][:3]:
            if x.after is not None and x.move is not None:
                real = read_at(projection.origin, x.after, e, x.move.actor, state)
                same = {name: state[v] == x.after[v] for v, name in projection.kept.items()}
                there = Map({**projection.state(x.after), **same})
                if real is not WRONG:
                    seen["formula of a step"] += 1
                    assert read_at(projection.game, there, said, x.move.actor, here) == real, (state, x, e)


def read_at(
    game: Game, after: evaluate.State, e: Expr, actor: int | None = None, before: evaluate.State | None = None
) -> Value:
    """A formula of a question after a step (or at a start), or that it has no value there; nothing has happened before."""
    old = None if before is None else replace(evaluate.place(game, before), times=lambda _: 0)
    here = replace(evaluate.place(game, after), names={"actor": actor}, before=old, times=lambda _: 0)
    return looked_at(lambda: value(e, here))


def check_claims(projection: Projection, g: naive.Graph, steps: list[tuple[int, naive.Step]]) -> None:
    """Where the claim about all edges is not true, it is not true of some window."""
    window = projection.window
    assert window is not None
    looks, counted = step_needs([window.claim.whole])
    said = projection.of_window(window.claim)
    if said is None or counted:
        return
    places: list[tuple[evaluate.State, evaluate.State | None, int | None]] = [(s, None, None) for s in g.states[: g.starts]]
    if looks:
        places += [(x.after, g.states[i], x.move.actor) for i, x in steps if x.after is not None and x.move is not None]
    else:
        places = [(s, None, None) for s in g.states[: len(g.steps)]]
    for after, before, actor in places:
        if read_at(projection.origin, after, window.claim.whole, actor, before) is True:
            continue
        about = edges_about(after[window.table], *([] if before is None else [before[window.table]]))
        found = []
        for e in about:
            now, then = (None if s is None else seen_from(projection, s, e) for s in (after, before))
            assert now is not None
            if then is not None and before is not None:
                now = Map({**now, **{name: before[v] == after[v] for v, name in projection.kept.items()}})
            found.append(read_at(projection.game, now, said, actor, then))
        assert not all(x is True for x in found), (before, after, window.claim.whole)


def seen_from(projection: Projection, state: evaluate.State, edge: Edge) -> evaluate.State:
    """The projected position with the window at an edge."""
    assert projection.window is not None
    here = projection.state(state)
    return Map([*here.items(), (NAME, shown(projection.window, state[projection.window.table], edge))])


# c. verdicts


def stuck_depth(g: naive.Graph) -> int | None:
    return min((g.depth[i] for i in range(len(g.states)) if not g.steps[i] and not g.ended(i)), default=None)


def expected_of(game: Game, g: naive.Graph, asked: Asked) -> str | None:
    """The verdict or the value by brute force; None when it is too much, or has no value somewhere."""
    if asked.kind in ("always", "never", "reach"):
        assert asked.formula is not None
        _, counted = step_needs([asked.formula])
        found = naive.search(game, asked.formula, counted, wanted=asked.kind != "always", limit=400)
        if found is None:
            return None
        if asked.kind != "reach":
            return "fails" if found else "holds"
        return "holds" if any(valued for _, valued in found) else "unknown" if found else "fails"
    if asked.kind == "progress":
        return "holds" if stuck_depth(g) is None else "fails"
    if asked.kind == "terminates":
        return "fails" if naive.endless(g) else "holds"
    if asked.kind in ("largest", "smallest"):
        assert asked.formula is not None
        looks, counted = step_needs([asked.formula, asked.where])
        if looks or counted:
            return None
        values = []
        for s in g.states:
            if asked.where is None or looked_at(lambda s=s: naive.truth(game, s, asked.where)) is True:
                v = looked_at(lambda s=s: naive.truth(game, s, asked.formula))
                if v is not WRONG:
                    values.append(v)
        return str((max if asked.kind == "largest" else min)(values)) if values else "unknown"
    if asked.kind == "count":
        number = len(g.states) if asked.what == "states" else naive.plays(g)
        return "infinite" if number is None else str(number)
    return None


def check_trace(game: Game, asked: Asked, trace: Trace) -> None:
    """The play is one of the game and shows what it should."""
    assert trace.steps[0].state in evaluate.starts(game)
    for a, b in itertools.pairwise(trace.steps):
        assert b.move in evaluate.moves(game, a.state)
        assert evaluate.apply(game, a.state, b.move, b.drawn).state == b.state
    last = trace.steps[-1].state
    if asked.kind == "progress":
        assert evaluate.moves(game, last) == []
        assert evaluate.end(game, last) is None
    elif asked.kind == "terminates":
        assert trace.loop_from is not None
        assert trace.steps[trace.loop_from].state == last
    elif asked.kind in ("always", "never", "reach"):
        assert asked.formula is not None
        found = looked_at(lambda: value_along(game, trace, asked.formula))
        assert found is WRONG or bool(found) == (asked.kind != "always")


def check_verdicts(game: Game, g: naive.Graph, seen: Counter[str], seconds: float = 1.0) -> None:
    explicit = Explicit(game)
    engines = Engines(game, cores=False)
    for asked in asked_of(game).values():
        expected = expected_of(game, g, asked)
        if expected is None:
            continue
        searched = explicit.ask(asked, Budget())
        told = searched.value if searched.verdict == "value" else searched.verdict
        assert told == expected, (asked.id, asked.kind, told, expected)
        if searched.trace is not None and searched.verdict != "value":
            check_trace(game, asked, searched.trace)
        if asked.kind == "count":
            continue
        try:
            found = engines.boards.ask(asked, Budget(seconds=seconds))
        except Unlowerable:
            seen["not projected"] += 1
            continue
        except OutOfBudget:
            seen["out of budget"] += 1
            continue
        told = found.value if found.verdict == "value" else found.verdict
        seen[found.verdict] += 1
        if found.trace is not None:
            check_trace(game, asked, found.trace)
        assert told in (expected, "unknown"), (asked.id, asked.kind, told, expected)


def faulty(g: naive.Graph) -> bool:
    """Has a step, or who has won, no value somewhere?"""
    return g.faulty or any(looked_at(lambda s=s: evaluate.winners(g.game, s)) is WRONG for s in g.states)


def check_ranges(game: Game, g: naive.Graph, seen: Counter[str], seconds: float = 1.0) -> None:
    """That no range is left is told of the open board only where it is so."""
    asked = Asked("in-range", "in-range", None)
    try:
        found = Engines(game, cores=False).boards.ask(asked, Budget(seconds=seconds))
    except (Unlowerable, OutOfBudget):
        seen["ranges not known"] += 1
        return
    seen[f"ranges {found.verdict}"] += 1
    assert found.verdict in (("fails", "unknown") if faulty(g) else ("holds", "unknown"))


# d. symmetry

Key = tuple[Any, ...]


def images(game: Game, state: evaluate.State, names: tuple[str, ...]) -> list[Key]:
    """Every image of a position, moved to begin at (0, 0) where moving is one of the symmetries; told with plain geometry."""
    found = []
    for turns in range(4) if "rotation" in names else (0,):
        for mirror in (False, True) if "reflection" in names else (False,):
            for seats in range(game.players) if "players" in names else (0,):
                found.append(_image(game, state, turns, mirror, seats, "translation" in names))
    return found


def _image(game: Game, state: evaluate.State, turns: int, mirror: bool, seats: int, move: bool) -> Key:
    tables = [state[v.name] for v in game.variables if isinstance(v.type, ty.LayoutType)]
    width = tables[0].width if tables else None

    def cell(c: Cell) -> tuple[int, int]:
        middle = 0 if width is None else width - 1  # everything twice as large, the middle of the board at 0
        x, y = 2 * c.x - middle, 2 * c.y - middle
        x = -x if mirror else x
        for _ in range(turns):
            x, y = -y, x
        return (x + middle) // 2, (y + middle) // 2

    def place(name: str) -> str:
        seen = "".join({"E": "W", "W": "E", "e": "w", "w": "e"}.get(c, c) for c in name) if mirror else name
        return reference.turn_name(seen, turns)

    def look(table: Layout, c: Cell) -> object:
        face, rotation = table.cells[c]
        turning = {k: kind.turning for k, kind in table.pieces.kinds.items()}

        def own(n: str, v: Value, turns_: frozenset[str]) -> Value:
            return place(v) if n in turns_ and isinstance(v, str) else v

        parts = sorted(
            repr((p.kind, sorted(place(a) for a in p.at), [(n, own(n, v, turning[p.kind])) for n, v in p.attributes]))
            for p in reference.turned_parts(table.pieces, face, rotation)
        )
        attributes = [(n, reference.attribute(table.pieces, face, n, rotation)) for n in table.pieces.attributes]
        mine = [(n, own(n, v, table.pieces.turning)) for n, v in attributes]
        return tuple(parts), tuple(mine)

    def of(v: Value, kind: ty.Type) -> Any:
        match kind:
            case ty.LayoutType():
                return tuple(sorted((cell(c), look(v, c)) for c in v.cells))
            case ty.CellType():
                return ("cell", cell(v))
            case ty.EdgeType():
                return ("edge", cell(v.cell), place(v.side))
            case ty.Maybe(elem):
                return None if v is None else of(v, elem)
            case ty.Int(name="Player"):
                return (v + seats) % game.players
            case ty.Int(name="Rotation"):
                return ((-v if mirror else v) + turns) % 4
            case ty.SetOf(elem):
                return tuple(sorted(of(x, elem) for x in v))
            case ty.MapOf(key, inner):
                return tuple(sorted((of(k, key), of(x, inner)) for k, x in v.items()))
        return v

    found = tuple(of(state[v.name], v.type) for v in game.variables)
    if not move:
        return found
    laid = [cell(c) for t in tables for c in t.cells]
    others = [x[1] for x in found if isinstance(x, tuple) and x and x[0] in ("cell", "edge")]
    base = laid or others
    dx, dy = min((x for x, _ in base), default=0), min((y for _, y in base), default=0)

    def moved(x: Any, v: ty.Type) -> Any:
        if isinstance(v, ty.LayoutType):
            return tuple(sorted(((c[0] - dx, c[1] - dy), look_) for c, look_ in x))
        if isinstance(x, tuple) and x and x[0] in ("cell", "edge"):
            return (x[0], (x[1][0] - dx, x[1][1] - dy), *x[2:])
        return x

    return tuple(moved(x, v.type) for x, v in zip(found, game.variables, strict=True))


def check_classes(game: Game, g: naive.Graph, asked: Asked) -> str:
    """The number of classes of positions is right where it is told, and told only where the rules keep the symmetry."""
    names = tuple(asked.up_to)
    keys = [min(map(repr, images(game, s, names))) for s in g.states]
    good = [asked.where is None or naive.truth(game, s, asked.where) for s in g.states]
    try:
        found = Explicit(game).ask(asked, Budget())
    except BrokenSymmetry:
        return "refused"
    assert found.value == str(len({k for k, x in zip(keys, good, strict=True) if x})), names
    following: dict[str, object] = {}
    for i, key in enumerate(keys):
        mine = (good[i], g.ended(i), frozenset(keys[n] for n in g.out(i)))
        assert following.setdefault(key, mine) == mine, (names, g.states[i])
    return "told"


def check_images(game: Game, g: naive.Graph, names: tuple[str, ...]) -> None:
    """The image of a position and back is the position; images of layouts are those of plain geometry."""
    try:
        symmetry = Symmetry(game, names)
    except BrokenSymmetry:
        return
    for s in g.states[:20]:
        for k in range(4) if "rotation" in names else (0,):
            there = symmetry.state(s, Image(turns=k))
            assert symmetry.state(there, Image(turns=(4 - k) % 4)) == s
            assert repr(_image(game, s, k, False, 0, False)) == repr(_image(game, there, 0, False, 0, False))
        if "reflection" in names:
            there = symmetry.state(s, Image(mirror=True))
            assert symmetry.state(there, Image(mirror=True)) == s
            assert repr(_image(game, s, 0, True, 0, False)) == repr(_image(game, there, 0, False, 0, False))
        if "translation" in names:
            assert symmetry.state(symmetry.state(s, Image(dx=2, dy=-1)), Image(dx=-2, dy=1)) == s
        if "players" in names:
            there = symmetry.state(s, Image(seats=1))
            assert symmetry.state(there, Image(seats=game.players - 1)) == s
        texts = {symmetry.canonical(symmetry.state(s, x)) for _, x in symmetry.steps()}
        assert texts <= {symmetry.canonical(s)}


# e. the least value of what only grows


def check_least(game: Game, g: naive.Graph, formulas: list[Expr]) -> bool:
    """The smallest size of the layout where a formula holds is that among all positions."""
    table = next(v for v in game.variables if isinstance(v.type, ty.LayoutType))
    size = Call("size", (Var(table.name, type=table.type),), type=ty.INT)
    if not g.whole or not never_falls(game, size):
        return False
    for where in formulas:
        looks, counted = step_needs([where])
        if looks or counted or where.type != BOOL:
            continue
        expected = [len(s[table.name]) for s in g.states if read_at(game, s, where) is True]
        space = Rows(game, (), None)
        number, bad = (space.formula(c) for c in space.coded(size))
        found = search.least(space, number, space.formula(space.coded(where)[0]), bad, Budget())
        assert (None if found is None else found[1]) == min(expected, default=None), where
    return True
