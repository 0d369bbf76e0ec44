"""What is seen of two games in their formulas: one form for all, what is alike, effects that do the same."""

from __future__ import annotations

import pytest

from tablelaw.solver.canonical import Canon
from tablelaw.solver.sameness import alike, claims, evident, identical, narrower
from tablelaw.solver.space.graph import Budget
from tablelaw.solver.symbolic.open.same_effects import same_effects
from tablelaw.spec.game import Game
from tablelaw.testing.games import checked

RULES = """
tablelaw: 1
game: g
title: G
players: 3
types: {{N: 0..9}}
state:
  turn: {{type: Player, init: 0}}
  n: {{type: N, init: 5}}
  score: {{type: "map[Player, N]", init: 0}}
define:
  best(): "{{p for p in Player if score[p] == max(score[q] for q in Player)}}"
actions:
  go:
    by: turn
    params: {{k: 1..2}}
    require: [{{id: room, check: "{check}"}}]
    do: |
      {do}
      turn = after(turn)
  look:
    by: turn
    during: can(go)
    do: turn = after(turn)
"""


def game(check: str = "k <= n", do: str = "n -= k") -> Game:
    """The game with another check or effect."""
    found, sink = checked(RULES.format(check=check, do=do.replace("\n", "\n      ")))
    assert found is not None, [str(d.message) for d in sink]
    return found


def plain(*games: Game) -> list[Game]:
    """Their formulas in one form."""
    canon = Canon()
    return [canon.game(g) for g in games]


def test_what_follows_is_left_out() -> None:
    """A conjunct said twice, also inside `can`, changes no formula; one that is new does."""
    left, right = plain(game(), game("k <= n and (k <= n or n == 3) and k <= n"))
    assert identical(left, right)
    left, other = plain(game(), game("k <= n and n != 3"))
    assert not identical(left, other)
    assert alike(left, other) == frozenset()
    assert not evident(left, other)


def test_what_guards_stays_in_front() -> None:
    """A part that stands before the one that guards its reading is kept: it may have no value there."""
    left, right = plain(game("n > 0 and 9 // n > 1"), game("9 // n > 1 and n > 0 and 9 // n > 1"))
    assert not identical(left, right)


def test_narrower_is_seen_of_players_moves_alone() -> None:
    """More checks of a move that no other formula asks about."""
    left, right = plain(game(), game("k <= n and n != 3"))
    assert not narrower(left, right)  # `look` asks whether one can go
    assert not narrower(right, left)


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("n = n - k", "n -= k", True),
        ("for p in best():\n    score[p] += 1", "for p in best():\n    score[p] = 1 + score[p]", True),
        (
            "for p in best():\n    n = max(0, n - 1)",
            "for p in Player:\n    if all(score[q] <= score[p] for q in Player):\n        n = max(0, n - 1)",
            True,
        ),
        (
            "for p in best():\n    n = max(0, n - 1)",
            "for p in Player:\n    if all(score[q] < score[p] or q == p for q in Player):\n        n = max(0, n - 1)",
            False,
        ),
        (
            "for p in best():\n    score[p] += 1",  # read once; the walk below would read what it wrote
            "for p in Player:\n    if all(score[q] <= score[p] for q in Player):\n        score[p] += 1",
            False,
        ),
        ("n = max(0, n - k)", "n = n - k if k < n else 0", True),
        ("n = max(0, n - k)", "n = n - k if k < n else 1", False),
        ("if n > 3:\n    n -= k", "if not n <= 3:\n    n -= k", True),
        ("if n > 3:\n    n -= k", "if n > 2:\n    n -= k", False),
    ],
)
def test_effects_that_do_the_same(left: str, right: str, same: bool) -> None:
    """Shown piece by piece in any position, never where they differ."""
    a, b = plain(game(do=left), game(do=right))
    mine, theirs = a.action("go"), b.action("go")
    assert mine is not None
    assert theirs is not None
    assert same_effects(a, mine, theirs, Budget(10.0)) == same


def test_claims_of_actions_that_one_side_has_alone() -> None:
    """That such an action is never open is what there is to prove."""
    both, fewer = plain(game(), game())
    fewer = Game(**{f: getattr(fewer, f) for f in fewer.__dataclass_fields__} | {"actions": fewer.actions[:1]})
    found = claims(both, fewer)
    assert found is not None
    assert found.never is not None
    assert narrower(both, fewer)
