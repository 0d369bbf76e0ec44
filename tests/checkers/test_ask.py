"""Claims: how they are cut into parts, and that their answers are what the evaluator says."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tablelaw.checkers.ask import Asker
from tablelaw.checkers.before import play_first
from tablelaw.checkers.branches import Branch, Stopped, played, settled
from tablelaw.checkers.claims import read_claim, typed
from tablelaw.checkers.explain import position_node
from tablelaw.checkers.leading import Answer
from tablelaw.checkers.selection import Request
from tablelaw.solver import evaluate
from tablelaw.solver.evaluate import State
from tablelaw.solver.trace import Trace, first_step, move_text
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.load import Rules, load
from tablelaw.spec.questions import Reader

ROOT = Path(__file__).resolve().parents[2]
PLUMS, MEADOW = ROOT / "docs" / "transcripts" / "plums.yaml", ROOT / "docs" / "transcripts" / "meadow.yaml"
PIG = ROOT / "examples" / "pig"


def rules_of(path: Path) -> tuple[Rules, Game]:
    """The rules and the game under their defaults."""
    sink = Diagnostics()
    rules = load(str(path), sink)
    assert rules is not None
    game = rules.game({}, 2, sink)
    assert game is not None
    assert not sink.has_errors
    return rules, game


def asker(path: Path, at: str | None = None, seconds: float = 20.0, others: bool = True) -> Asker:
    """What answers claims about a position."""
    rules, game = rules_of(path)
    sink = Diagnostics()
    node = None if at is None else position_node(at, "at", sink)
    start = evaluate.starts(game)[0]
    state = start if node is None else Reader(game, sink, start).position(node)
    assert state is not None
    assert not sink.has_errors
    return Asker(rules, game, node, Trace([first_step(state, game)]), Request(seconds=seconds), sink, others)


def answer(ask: Asker, claim: str) -> Answer:
    """The answer to a claim that can be read."""
    cut = read_claim(claim, ask.rules.document, "the claim", ask.sink)
    assert cut is not None
    found = ask.answer(cut)
    assert found is not None, [d.message for d in ask.sink]
    return found


def verdict(ask: Asker, claim: str) -> str:
    """Its verdict alone."""
    return answer(ask, claim).result.verdict.verdict


@pytest.mark.parametrize(
    "text, form, moves, formula",
    [
        ("take(n=2)", "move", 1, None),
        ("take", "move", 1, None),
        ("  take( n = 2 ) ", "move", 1, None),
        ("tkae(n=2)", "move", 1, None),
        ("take(n=2) gives left == 3", "gives", 1, "left == 3"),
        ("take(n=2); take(n=1) gives left == 2", "gives", 2, "left == 2"),
        ("left == 5", "formula", 0, "left == 5"),
        ("can(take, n=2)", "formula", 0, "can(take, n=2)"),
        ("can (take, n=2)", "formula", 0, "can (take, n=2)"),
        ("can left == 1", "can", 0, "left == 1"),
        ("can (left == 1)", "can", 0, "(left == 1)"),
        ("never left == 1", "never", 0, "left == 1"),
        ("always: left >= 0", "always", 0, "left >= 0"),
        ("left", "formula", 0, "left"),
        ("max(left, 3) == 5", "formula", 0, "max(left, 3) == 5"),
    ],
)
def test_a_claim_is_cut_into_its_parts(text: str, form: str, moves: int, formula: str | None) -> None:
    """The form of a claim is plain from its words."""
    rules, _ = rules_of(PLUMS)
    sink = Diagnostics()
    claim = read_claim(text, rules.document, "the claim", sink)
    assert claim is not None
    assert (claim.form, len(claim.moves)) == (form, moves)
    assert (claim.formula.text if claim.formula else None) == formula


@pytest.mark.parametrize(
    "text, code, column",
    [
        ("", "Q109", 1),
        ("never", "R204", 1),
        ("never   ", "R204", 1),
        ("gives left == 3", "Q109", 1),
        ("take(n=2) gives", "Q109", 11),
        ("take(n=2) gives lefft == 3", "R204", 17),
        ("tkae(n=2)", "Q107", 1),
        ("... gives left == 3", "Q107", 1),
        ("left == ", "E101", None),
        ("never left", "T101", 7),
    ],
)
def test_a_claim_at_fault_is_told_where(text: str, code: str, column: int | None) -> None:
    """A finding with its column in the claim, never an exception."""
    rules, game = rules_of(PLUMS)
    sink = Diagnostics()
    claim = read_claim(text, rules.document, "the claim", sink)
    assert claim is None or typed(claim, game, sink) is None
    first = sink.items[0]
    assert first.span is not None
    assert "the claim:1:" in str(first.span)
    if column is not None:
        assert (first.code, str(first.span).split(":")[-1]) == (code, str(column))


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="take(n=2) gives never left;->=_\"'[]{}:.\n5", max_size=40))
def test_nonsense_is_a_finding(text: str) -> None:
    """Whatever is typed is a claim or a finding."""
    rules, game = rules_of(PLUMS)
    sink = Diagnostics()
    claim = read_claim(text, rules.document, "the claim", sink)
    if claim is None or typed(claim, game, sink) is None:
        assert sink.has_errors


def test_the_answers_of_a_small_game() -> None:
    """Moves, outcomes, formulas and what may follow, in the game with plums."""
    ask = asker(PLUMS)
    assert verdict(ask, "take(n=2)") == "legal"
    assert verdict(ask, "take(n=2) gives left == 3") == "holds"
    assert verdict(ask, "take(n=2); take(n=2); take(n=2) gives left == 0") == "fails"
    assert verdict(ask, "left == 4") == "fails"
    assert verdict(ask, "never left == 1") == "fails"
    assert verdict(ask, "always left >= 0") == "holds"
    assert verdict(ask, "can left == 2") == "holds"
    assert verdict(ask, "can left > 5") == "fails"
    found = answer(ask, "take(n=1) gives left").result.verdict
    assert (found.verdict, found.value) == ("value", "4")


def test_where_a_claim_stops_is_told_with_its_clause() -> None:
    """A move that cannot be made on the way names the clause that forbids it."""
    found = answer(asker(PLUMS, "left: 3"), "take(n=2); take(n=2) gives left == 0").result.verdict
    assert found.verdict == "fails"
    assert found.clauses == ("in-the-bowl",)
    assert found.reason is not None
    assert "`take(n=2)` is illegal, after `take(n=2)`" in found.reason


def test_options_that_change_an_answer_are_named() -> None:
    """A reading under which it is otherwise; of a value, one that makes it another; none where there is none."""
    at = (ROOT / "docs" / "transcripts" / "meadow-at.yaml").read_text(encoding="utf-8")
    ask = asker(MEADOW, at)
    assert answer(ask, "fly -> far=1 gives size(standing) == 3").result.differs == [{"shared": "no"}]
    assert answer(ask, "fly -> far=1 gives score[0]").result.differs == [{"shared": "no"}]
    assert answer(ask, "fly -> far=2 gives score[0] == 1").result.differs == []
    assert answer(asker(PLUMS), "can(take, n=2)").result.differs == [{"handful": "one"}]


def test_a_claim_about_the_moves_before_is_asked_of_no_other_options() -> None:
    """Other options have no such moves before them; a note says so instead of a difference that is none."""
    rules, game = rules_of(PLUMS)
    begin = asker(PLUMS)
    claim = read_claim("take(n=1); take(n=1) gives left == 3", rules.document, "c", Diagnostics())
    assert claim is not None
    meaning = typed(claim, game, Diagnostics())
    assert meaning is not None
    history = played(game, Branch(tuple(begin.history.steps)), meaning.lines)[0].trace
    ask = Asker(rules, game, None, history, begin.request, Diagnostics())
    found = answer(ask, "times('take') == 2").result
    assert (found.verdict.verdict, found.differs) == ("holds", None)
    assert "speaks of the moves before" in found.verdict.notes[0]
    assert answer(ask, "left == 3").result.differs == []


def test_the_nearest_change_makes_it_true() -> None:
    """What is said to be nearest is tried: the number of a variable, a figure that stands there, a piece that lies there."""
    assert answer(asker(PLUMS), "left == 4").nearest == ["left were 4 instead of 5"]
    at = (ROOT / "docs" / "transcripts" / "meadow-at.yaml").read_text(encoding="utf-8")
    found = answer(asker(MEADOW, at), "(-1, -1) not in table")
    assert found.nearest == ["no piece lay on (-1, -1) of `table`"]
    assert answer(asker(MEADOW, at), "(1, 1) not in table").nearest == []  # the piece laid last: the position says so


def test_a_claim_without_a_value_is_not_known() -> None:
    """A field of nothing is no answer."""
    found = answer(asker(PLUMS), "10 // (left - 5) == 1").result.verdict
    assert found.verdict == "unknown"
    assert "no value here" in (found.reason or "")


def test_the_shares_of_draws_are_exact() -> None:
    """A die: five of six rolls go on, and of two rolls 25 of 36."""
    ask = asker(PIG, others=False)
    one, two = answer(ask, "roll gives turn == 0"), answer(ask, "roll; roll gives turn == 0 and pot > 0")
    assert "with probability 5/6" in (one.result.verdict.reason or "")
    assert one.courses == ["not so after `roll -> pips=1`"]
    assert two.result.verdict.verdict == "fails"
    assert "25 of 36 courses" in (two.result.verdict.reason or "") or "after" in (two.result.verdict.reason or "")


@pytest.mark.parametrize("path, depth", [(PLUMS, 4), (PIG, 2)])
def test_courses_are_the_steps_of_the_evaluator(path: Path, depth: int) -> None:
    """From every position near the start, each move leads exactly where `evaluate` says, with the probabilities it says."""
    _, game = rules_of(path)
    reader = Reader(game, Diagnostics(), evaluate.starts(game)[0])
    waiting: list[tuple[State, int]] = [(evaluate.starts(game)[0], 0)]
    looked = 0
    while waiting:
        state, far = waiting.pop()
        for move in evaluate.moves(game, state):
            claim = read_claim(move_text(game, move), game.document, "c", Diagnostics())
            assert claim is not None
            line = reader.move_line(claim.moves[0])
            assert line is not None
            found: dict[State, Fraction] = {}
            for b in played(game, Branch((first_step(state, game),)), [line]):
                assert b.weight is not None
                found[b.last.state] = found.get(b.last.state, Fraction(0)) + b.weight
            wanted: dict[State, Fraction] = {}
            for drawn, p in evaluate.draws(game, state, move):
                after = evaluate.apply(game, state, move, drawn).state
                wanted[after] = wanted.get(after, Fraction(0)) + p
            assert found == wanted
            looked += 1
            if far < depth:
                waiting += [(s, far + 1) for s in wanted]
    assert looked > 5


def test_moves_before_a_claim_are_played_or_told() -> None:
    """A play with its draws leads to its position; a move that is illegal or leaves its draw open is a finding."""
    _, game = rules_of(PIG)
    start = evaluate.starts(game)[0]

    def after(*moves: str) -> tuple[Trace | None, list[str]]:
        sink = Diagnostics()
        reader = Reader(game, sink, start)
        lines = []
        for text in moves:
            claim = read_claim(text, game.document, "c", sink)
            assert claim is not None
            line = reader.move_line(claim.moves[0])
            assert line is not None
            lines.append((text, line))
        return play_first(game, start, iter(lines), sink), [d.message for d in sink]

    trace, told = after("roll -> pips=3", "roll -> pips=4")
    assert trace is not None
    assert (trace.steps[-1].state["pot"], told) == (7, [])
    assert after("hold")[1] == ["`hold` is not legal there"]
    assert after("roll")[1] == ["`roll` leaves open what is drawn (6 ways)"]


def test_a_stopped_line_says_where() -> None:
    """The branch that stops is the one where the move is illegal."""
    _, game = rules_of(PLUMS)
    reader = Reader(game, Diagnostics(), evaluate.starts(game)[0])
    claim = read_claim("take(n=2); take(n=2); take(n=2) gives left == 0", game.document, "c", Diagnostics())
    assert claim is not None
    lines = [line for s in claim.moves if (line := reader.move_line(s)) is not None]
    begin = Branch((first_step(evaluate.starts(game)[0], game),))
    with pytest.raises(Stopped) as stop:
        played(game, begin, lines)
    assert stop.value.branch.last.state["left"] == 1
    assert settled(game, begin) == [begin]


def test_json_is_one_result_of_the_contract() -> None:
    """All fields of a result are there, besides them the claim; nothing is expected of it."""
    row = json.loads(json.dumps(answer(asker(PLUMS), "take(n=2) gives left == 3").result.json()))
    wanted = {"question", "kind", "options", "players", "verdict", "known_by", "clauses", "trace", "differs", "claim", "form"}
    assert wanted <= set(row)
    assert (row["question"], row["verdict"], row["as_expected"]) == ("ask", "holds", None)
