"""How players choose, in questions of chance: what is read, and what a list of moves makes of a game."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tablelaw.solver import evaluate
from tablelaw.spec.diagnostics import Diagnostics
from tablelaw.spec.game import Game
from tablelaw.spec.policies import policed
from tablelaw.spec.questions import Asked, Reader
from tablelaw.spec.values import Map

RULES = """
types: {Points: 0..9}
state:
  turn: {type: Player, init: 0}
  pot: {type: Points, init: 0}
actions:
  take:
    by: turn
    params: {n: 1..3, twice: bool}
    require:
      - {id: not-more, check: n <= 2 or pot > 3}
    do: |
      pot += n
      turn = after(turn)
  stop: {by: turn, during: pot >= 2, do: turn = after(turn)}
  wait: {by: turn, do: turn = after(turn)}
  tidy: {by: table, during: pot > 6, do: pot = 0}
questions:
"""


@pytest.fixture
def ask(read: Callable[..., object]) -> Callable[[str], tuple[Game, Asked | None, list[str]]]:
    """A question about the small game: the game, the question and what is said."""

    def asks(fields: str) -> tuple[Game, Asked | None, list[str]]:
        found = read(RULES + f"  q: {{odds: pot == 3, {fields}}}\n")
        game: Game = found.game  # type: ignore[attr-defined]
        sink = Diagnostics()
        asked = Reader(game, sink, evaluate.starts(game)[0]).question(game.document.questions["q"])
        return game, asked, [f"{d.code}: {d.message}; {d.help}" for d in sink]

    return asks


Ask = Callable[[str], tuple[Game, Asked | None, list[str]]]


@pytest.mark.parametrize(("fields", "told"), [
    ("play: wrost", "Q103: `wrost` is no way of playing; did you mean `worst`?"),
    ("play: cleverly", "Q103: `cleverly` is no way of playing; write `best`, `worst`, `uniform`, or a list"),
    ("play: [tkae]", "Q103: `tkae` is no move of a player; did you mean `take`?"),
    ("play: [zzz]", "Q103: `zzz` is no move of a player; moves of players are `take`, `stop`, `wait`"),
    ("play: [tidy]", "Q103: `tidy` is an action of the table, which nobody chooses;"),
    ("play: ['take(m=1)']", "Q107: `take` has no value called `m`; it takes `n`, `twice`, as in `take(n=…)`"),
    ("play: ['take(n=1']", "Q103: `take(n=1` opens a bracket that is not closed; write `take(…)`"),
    ("play: ['take(1)']", "Q107: `take` has no value called `1`"),
    ("play: ['stop(n=1)']", "Q107: `stop` has no value called `n`; it takes none"),
    ("play: ['take(n=2+)']", "E102: this formula ends too early"),
    ("at: pot == 2", "Q103: `odds` takes no `at`"),
    ("play: {stop: pot}", "T101: the condition must be `bool`"),
    ("play: {stop: [a]}", "Q103: a condition was expected here"),
    ("play: ['take(n=7)', wait]", "Q107: `n` of `take` is never 7; it is 1..3"),
    ("play: ['take(n=1, n=2)']", "Q107: `n` is given twice; give one value"),
    ("play: []", "Q103: this list of moves is empty"),
    ("play: {}", "Q103: this list of moves is empty"),
    ("play: {take: n > 1}", "Q107: the condition is about the position, not about `n` of the move; say which in the brackets"),
    ("play: {stop: old(pot) > 1}", "Q103: a way of playing reads the position that is there; `old` and `actor` would ask"),
    ('play: {stop: "times(\'stop\') > 1"}', "Q103: a way of playing reads the position that is there; `times('stop')` would"),
    ("play: best, who: []", "Q103: `who` names nobody; write for example `who: [0]`"),
    ("play: uniform, who: [0]", "Q103: `who` says for whom the play is best or worst; this way of playing is everybody's"),
    ("play: [stop, wait], who: [0]", "Q103: `who` says for whom"),
    ("play: uniform, before: old(pot) == 1", "Q103: `before` reads the position that is there"),
    ("play: best, who: [2]", "Q103: `2` is not a seat of this game; seats are 0 to 1"),
    ("play: best, who: [me]", "Q103: `me` is not a seat of this game"),
])  # fmt: skip
def test_what_is_amiss_is_told(ask: Ask, fields: str, told: str) -> None:
    """With a cure, and no question comes of it."""
    _, asked, said = ask(fields)
    assert asked is None, asked
    assert said
    assert any(s.startswith(told) for s in said), said


def test_ways_of_playing_are_read(ask: Ask) -> None:
    """A word, with `who` beside it, a list, or moves with conditions."""
    for word in ("best", "worst"):
        _, asked, said = ask(f"play: {word}, who: [0, 1]")
        assert asked is not None, said
        assert (asked.play, asked.players) == (word, frozenset({0, 1}))
    _, asked, said = ask("play: uniform")
    assert asked is not None, said
    assert (asked.play, asked.players) == ("uniform", None)
    _, asked, said = ask("play: ['take(n=1)', stop]")
    assert asked is not None, said
    assert [(p.action, [n for n, _ in p.args], p.condition) for p in asked.play] == [  # type: ignore[union-attr]
        ("take", ["n"], None),
        ("stop", [], None),
    ]


@pytest.mark.parametrize(("fields", "pot", "expected"), [
    ("play: [stop, wait]", 1, {("wait",)}),
    ("play: [stop, wait]", 2, {("stop",)}),
    ("play: {stop: pot >= 4, 'take(n=2)': 'true'}", 2, {("take", 2, False), ("take", 2, True)}),
    ("play: {stop: pot >= 4, 'take(n=2)': 'true'}", 4, {("stop",)}),
    ("play: ['take(n=3, twice=true)', 'take(twice=false)']", 1, {("take", 1, False), ("take", 2, False)}),
    ("play: ['take(n=3, twice=true)', 'take(twice=false)']", 4, {("take", 3, True)}),
    ("play: ['take(n=3)', 'take(n=2, twice=true)']", 0, {("take", 2, True)}),
    ("play: ['take(n=pot)', wait]", 0, {("wait",)}),
    ("play: ['take(n=pot)', wait]", 1, {("take", 1, False), ("take", 1, True)}),
    ("play: ['take(n=pot)', wait]", 4, {("wait",)}),
    ("play: [stop]", 0, set()),
    ("play: [wait]", 7, {("tidy",)}),
])  # fmt: skip
def test_a_list_leaves_the_first_legal_move(ask: Ask, fields: str, pot: int, expected: set[tuple[object, ...]]) -> None:
    """What a list does not say (a parameter) stays open; the table acts as it does."""
    game, asked, said = ask(fields)
    assert asked is not None, said
    assert isinstance(asked.play, tuple)
    found = evaluate.moves(policed(game, asked.play), Map({"turn": 1, "pot": pot}))
    assert {(m.action, *(v for _, v in m.args)) for m in found} == expected
