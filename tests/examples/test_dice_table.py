"""The table in the README of the dice game: every sentence of both pages, its clauses, and that each clause matters."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

from tablelaw.solver import evaluate
from tablelaw.solver.engine import Engines
from tablelaw.solver.evaluate import Move, Outcome, State
from tablelaw.solver.mutate import without
from tablelaw.solver.plays import run_scenario
from tablelaw.solver.space.graph import Budget
from tablelaw.spec import types as ty
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.document import texts
from tablelaw.spec.game import Game
from tablelaw.spec.load import Rules, load
from tablelaw.spec.operators import Fault
from tablelaw.spec.questions import Reader, Staged
from tablelaw.spec.reckon import value
from tablelaw.spec.settings import Setting
from tablelaw.spec.types import BagOf
from tablelaw.spec.values import Map, Value
from tablelaw.spec.yaml_nodes import Mapping

FOLDER = Path(__file__).resolve().parent.parent.parent / "examples" / "carcassonne-dice"
README = FOLDER / "README.md"
NONE = "none: "

SECTIONS = {
    "es": {
        "info": 3, "contenido": 6, "sintesis": 1, "desarrollo": 14, "ejemplo-final": 3, "ciudad": 2, "ciudad-reglas": 3,
        "ejemplo-1a": 3, "ejemplo-1b": 3, "puntuacion": 5, "ejemplo-puntuacion": 1, "fin": 2, "adicional": 2,
        "ejemplo-2a": 2, "ejemplo-2b": 2, "ejemplo-2c": 5,
    },
    "sk": {
        "info": 3, "contents": 6, "overview": 1, "playing": 14, "example-end": 3, "city": 2, "city-rules": 3,
        "example-1a": 3, "example-1b": 3, "scoring": 3, "example-scoring": 1, "end": 2, "additional": 2,
        "example-2a": 2, "example-2b": 2, "example-2c": 5,
    },
}  # fmt: skip
"""How many sentences the sections of the two pages have, counted on the pages as the README says."""

BY_DICE = {"es": {"tabla": range(3, 10), "ciudades": range(2, 10)},
           "sk": {"table": range(3, 10), "table-knight": range(3, 10), "cities": range(2, 10)}}  # fmt: skip
UNNUMBERED = {"es": {"ciudad-reglas-ejemplo"}, "sk": {"city-rules-example"}}

SETTINGS: tuple[Setting, ...] = (
    {"rebuilding": "same-turn"},
    {"rebuilding": "same-turn", "cities": "one", "faces": "split-corner"},
    {"edition": "sk", "catapult-scoring": "roll"},
    {"knight-die": "aside"},
    {"catapult-win": "roll"},
    {"cities": "one"},
    {"edition": "sk"},
    {},
)
"""Under these every clause is in force at least once; under the first most of them are."""
MOVES = 3
"""How many moves of one action are tried in a position."""


@cache
def rules() -> Rules:
    sink = Diagnostics()
    found = load(str(FOLDER / "rules.yaml"), sink)
    assert found is not None, [d.message for d in sink]
    return found


@dataclass(frozen=True, slots=True)
class Row:
    place: str
    says: str
    clauses: tuple[str, ...]
    effect: str


@cache
def rows() -> tuple[Row, ...]:
    found: list[Row] = []
    for line in README.read_text(encoding="utf-8").splitlines():
        cells = [c.strip() for c in line.strip().strip("|").split(" | ")]
        if re.match(r"\| (es|sk)#", line):
            assert len(cells) == 4, line
            place, says, clauses, effect = cells
            names = tuple(re.findall(r"`([^`]+)`", clauses))
            assert names or clauses == "–", line
            found.append(Row(place, says, names, effect))
    return tuple(found)


# the table against the pages and the file


def test_each_sentence_of_both_pages_has_one_row() -> None:
    due: list[str] = []
    for page, sections in SECTIONS.items():
        due += [f"{page}#{name}-{n}" for name, most in sections.items() for n in range(1, most + 1)]
        due += [f"{page}#{name}-{n}" for name, numbers in BY_DICE[page].items() for n in numbers]
        due += [f"{page}#{name}" for name in UNNUMBERED[page]]
    assert sorted(r.place for r in rows()) == sorted(due)


def test_the_file_cites_the_places_of_the_table() -> None:
    doc = rules().document
    cited = {p for c in [*doc.clauses().values(), *doc.remarks] for p in c.cite}
    assert cited | asked_places() == {r.place for r in rows()}


def asked_places() -> set[str]:
    doc = rules().document
    return {p for q in doc.questions.values() for p in q.cite} | {p for s in doc.scenarios.values() for p in s.cite}


def test_a_row_names_the_clauses_that_cite_its_place() -> None:
    cites: dict[str, set[str]] = {}
    for clause in rules().document.clauses().values():
        for p in clause.cite:
            cites.setdefault(p, set()).add(clause.id)
    wrong = {r.place: (r.clauses, cites[r.place]) for r in rows() if r.place in cites and set(r.clauses) != cites[r.place]}
    assert not wrong


def test_every_clause_stands_in_some_row() -> None:
    assert {c for r in rows() for c in r.clauses} == set(rules().document.clauses())


def test_a_row_says_what_changes_or_why_nothing_does() -> None:
    remarked = {p for c in rules().document.remarks for p in c.cite}
    asked = asked_places()
    for r in rows():
        assert r.says, r
        if not r.clauses:
            assert r.effect.startswith(NONE), r
            assert len(r.effect) > len(NONE), r
            assert r.place in remarked | asked, r
        elif len(r.clauses) == 1:
            assert r.effect, r
            assert not r.effect.startswith(NONE), r
            assert r.place not in remarked, r
        else:
            told = [part.partition(": ") for part in r.effect.split("; ")]
            assert [name.strip("`") for name, _, _ in told] == list(r.clauses), r
            assert all(what for _, _, what in told), r
            assert r.place not in remarked, r


def test_questions_that_rows_name_exist() -> None:
    known = {*rules().document.questions, *rules().document.clauses(), *(v.name for v in game_under(()).variables)}
    for r in rows():
        for word in re.findall(r"`([^`]+)`", r.effect):
            option, colon, chosen = word.partition(": ")
            if colon and option == "players":
                continue
            if colon:
                assert chosen in rules().document.options[option].names, r
            else:
                assert word in known, (word, r)


# each clause matters


Key = tuple[tuple[str, str], ...]


@cache
def game_under(key: Key, players: int = 2) -> Game:
    sink = Diagnostics()
    game = rules().game(dict(key), players, sink)
    assert game is not None, [d.message for d in sink]
    return game


def taken_out(game: Game, clause: str) -> Game:
    """The game without a clause; with the clause of an action goes the action."""
    if game.action(clause) is not None:
        return replace(game, actions=tuple(a for a in game.actions if a.name != clause))
    return without(game, clause)


def scenarios_under(game: Game) -> list[Staged]:
    """The scenarios that are plays of their own, under whose options this game is."""
    sink = Diagnostics()
    reader = Reader(game, sink, evaluate.starts(game)[0])
    found: list[Staged] = []
    for s in game.document.scenarios.values():
        node = s.node.get("options")
        own = {e.key.text: texts(e.value)[0] for e in node.entries} if isinstance(node, Mapping) else {}
        if all(game.setting[k] == v for k, v in own.items()):
            staged = reader.scenario(s)
            assert staged is not None, [d.message for d in sink]
            found.append(staged)
    return found


def a_draw(game: Game, state: State, move: Move, dice: random.Random) -> tuple[tuple[str, Value], ...]:
    """Something that a move may draw: dice thrown one by one, so that it does not list all that may fall."""
    action = game.action(move.action)
    assert action is not None
    found: list[tuple[str, Value]] = []
    for draw in action.draws:
        assert isinstance(draw.type, BagOf)
        number, faces = (value(a, evaluate.place(game, state)) for a in draw.args)
        thrown = [dice.choice(list(faces)) for _ in range(number)]
        found.append((draw.name, Map([(f, thrown.count(f)) for f in ty.domain(draw.type.elem)])))
    return tuple(found)


def a_few(moves: list[Move], dice: random.Random) -> list[Move]:
    """Of each action at most so many moves: there are hundreds of squares to build on."""
    found: dict[str, list[Move]] = {}
    for m in dice.sample(moves, len(moves)):
        if len(found.setdefault(m.action, [])) < MOVES:
            found[m.action].append(m)
    return [m for some in found.values() for m in some]


@cache
def pool(key: Key) -> tuple[State, ...]:
    """Positions of scenarios and of their plays, and of random plays from the start and from these."""
    game = game_under(key)
    given = [s.given for s in scenarios_under(game) if s.given is not None]
    found = dict.fromkeys([*evaluate.starts(game), *given])
    for s in scenarios_under(game):
        if s.given is not None:
            played = run_scenario(game, s, Budget())
            assert played.trace is not None
            found |= dict.fromkeys(step.state for step in played.trace.steps)
    dice = random.Random(42)
    for start in [*evaluate.starts(game) * 3, *given]:
        state = start
        for _ in range(20 if start not in given else 2):
            moves = evaluate.moves(game, state)
            if not moves:
                break
            action = dice.choice(sorted({m.action for m in moves}))  # so that building does not crowd out the rest
            move = dice.choice([m for m in moves if m.action == action])
            state = evaluate.apply(game, state, move, a_draw(game, state, move, dice)).state
            found[state] = None
    return tuple(found)


def looks(game: Game, state: State) -> tuple[object, frozenset[Move], frozenset[int]]:
    """What a position is in a game: its end, its legal moves, its winners."""
    end = evaluate.end(game, state)
    try:
        moves = frozenset(evaluate.moves(game, state))
    except Fault:
        moves = frozenset({Move("fault")})
    return end and end.id, moves, evaluate.winners(game, state)


@cache
def looks_as_written(key: Key, state: State) -> tuple[object, frozenset[Move], frozenset[int]]:
    """What a position is in the game as it is."""
    return looks(game_under(key), state)


@cache
def steps(key: Key, state: State) -> tuple[tuple[Move, tuple[tuple[str, Value], ...], State], ...]:
    game = game_under(key)
    dice = random.Random(7)
    found = []
    for move in a_few(evaluate.moves(game, state), dice):
        drawn = a_draw(game, state, move, dice)
        found.append((move, drawn, evaluate.apply(game, state, move, drawn).state))
    return tuple(found)


def came(outcome: Outcome) -> object:
    return outcome.fault.message if outcome.fault else outcome.state


def difference(clause: str) -> Iterator[str]:
    """What changes when a clause is taken out."""
    for setting in SETTINGS:
        key = tuple(setting.items())
        game = game_under(key)
        if clause not in game.clauses:
            continue
        mutant = taken_out(game, clause)
        for state in pool(key):
            if looks_as_written(key, state) != looks(mutant, state):
                yield f"the moves or the end of {dict(state)}"
            for move, drawn, after in steps(key, state):
                if mutant.action(move.action) is not None and came(evaluate.apply(mutant, state, move, drawn)) != after:
                    yield f"what {move.action} does in {dict(state)}"


FORMAL = sorted(rules().document.clauses())


@pytest.mark.slow
@pytest.mark.parametrize("clause", FORMAL)
def test_without_a_clause_play_is_another(clause: str) -> None:
    assert next(difference(clause), None) is not None, f"taking out `{clause}` changes nothing"


def claims() -> list[tuple[str, str, str, Setting]]:
    """What the table says of verdicts: a clause, a question, its answer when the clause is taken out, the options named."""
    found: dict[tuple[str, str, str], Setting] = {}
    for r in rows():
        for part in r.effect.split("; ") if len(r.clauses) > 1 else [f"`{c}`: {r.effect}" for c in r.clauses]:
            clause, _, told = part.partition(": ")
            setting: Setting = dict(re.findall(r"`([\w-]+): ([\w-]+)`", told))
            for question, answer in re.findall(r"`([\w-]+)` (fails|is \d+)", told):
                found[clause.strip("`"), question, answer.removeprefix("is ")] = setting
    return [(*key, setting) for key, setting in found.items()]


@pytest.mark.slow
@pytest.mark.parametrize("clause, question, answer, setting", claims(), ids=lambda x: x if isinstance(x, str) else "")
def test_an_answer_changes_as_the_table_says(clause: str, question: str, answer: str, setting: Setting) -> None:
    game = game_under(tuple(setting.items()))
    sink = Diagnostics()
    asked = Reader(game, sink, evaluate.starts(game)[0]).question(game.document.questions[question])
    assert asked is not None, [d.message for d in sink]
    assert asked.expected is not None
    assert (asked.expected.verdict or asked.expected.value) != answer
    verdict = Engines(taken_out(game, clause), cores=False).ask(asked, Budget(60.0))
    assert (verdict.value or verdict.verdict) == answer


def test_every_clause_is_in_force_under_some_setting() -> None:
    assert set(FORMAL) == {
        c for s in SETTINGS for c, is_in in game_under(tuple(s.items())).clauses.items() if is_in.role != "remark"
    }


@pytest.mark.slow
def test_the_pool_knows_every_action_and_end() -> None:
    seen: set[str] = set()
    for setting in SETTINGS:
        key = tuple(setting.items())
        for state in pool(key):
            seen |= {m.action for m, _, _ in steps(key, state)}
            end = evaluate.end(game_under(key), state)
            seen |= {end.id} if end else set()
    game = game_under(())
    assert seen >= {a.name for a in game.actions} | {e.id for e in game.ends}
